//! Event sets.

use std::time::Duration;

use super::Done;
use crate::Return;
use crate::core::event::{DOUBLE_BIT, XID};
use crate::core::session::Session;
use crate::ffi::Out;
use crate::types::{Device, EventSet, nvmlEventData_t};

pub(crate) fn create(session: &Session, set: Out<'_, EventSet>) -> Done {
    set.set(EventSet(session.sets.create()))
}

pub(crate) fn supported(session: &Session, device: Device, types: Out<'_, u64>) -> Done {
    session.gpu(device)?;
    types.set(XID | DOUBLE_BIT)
}

pub(crate) fn register(session: &Session, device: Device, types: u64, set: EventSet) -> Done {
    let set = session.sets.get(set.0)?;
    if types & !(XID | DOUBLE_BIT) != 0 {
        return Err(Return::NotSupported);
    }
    if types != 0 {
        set.listen(session.client(), session.gpu(device)?, device, types)?;
    }
    Ok(())
}

pub(crate) fn wait(
    session: &Session,
    set: EventSet,
    data: Out<'_, nvmlEventData_t>,
    milliseconds: u32,
) -> Done {
    let set = session.sets.get(set.0)?;
    let event = set.wait(
        session.client(),
        Duration::from_millis(u64::from(milliseconds)),
    )?;
    data.set(nvmlEventData_t {
        device: event.device,
        eventType: event.kind,
        eventData: u64::from(event.xid),
        gpuInstanceId: u32::MAX,
        computeInstanceId: u32::MAX,
    })
}

pub(crate) fn free(session: &Session, set: EventSet) -> Done {
    session.sets.free(session.client(), set.0)
}
