//! OS events (nv-abi.md §2.3).

use abi::nv::escape_params::{NVOS41_PARAMETERS, nv_ioctl_alloc_os_event_t};
use rustix::io::Errno;
use zerocopy::IntoBytes;

use super::Call;
use crate::params::{load, store};
use crate::status::{RmResult, Status, code};

/// OS events per file.
const PER_FILE: usize = 256;

/// ALLOC_OS_EVENT: the file may receive events of this client.
pub(super) fn alloc(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: nv_ioctl_alloc_os_event_t = load(arg);
    params.Status = code(register(call, params.hClient, params.fd));
    store(arg, &params);
    Ok(())
}

fn register(call: &mut Call<'_>, client: u32, fd: u32) -> RmResult {
    call.kernel.tree().client(client, &call.file.owner)?;
    let target = call
        .kernel
        .caller_file(call.file, call.user, fd.cast_signed())?;
    let mut state = target.state();
    if state.os_events.contains(&(client, fd)) {
        return Err(Status::INVALID_ARGUMENT);
    }
    if state.os_events.len() >= PER_FILE {
        return Err(Status::INSUFFICIENT_RESOURCES);
    }
    state.os_events.push((client, fd));
    Ok(())
}

/// FREE_OS_EVENT.
pub(super) fn free(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: nv_ioctl_alloc_os_event_t = load(arg);
    let found = call
        .kernel
        .caller_file(call.file, call.user, params.fd.cast_signed())
        .and_then(|target| {
            let mut state = target.state();
            let at = state
                .os_events
                .iter()
                .position(|e| *e == (params.hClient, params.fd));
            at.map(|at| state.os_events.remove(at))
                .ok_or(Status::INVALID_ARGUMENT)
                .map(|_| ())
        });
    params.Status = code(found);
    store(arg, &params);
    Ok(())
}

/// GET_EVENT_DATA: pops one event of this file.
pub(super) fn get_data(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS41_PARAMETERS = load(arg);
    let (event, more) = call.file.next_event();
    match event {
        Some(event) => {
            call.user.write(params.pEvent, event.as_bytes())?;
            params.MoreEvents = u32::from(more);
            params.status = code(Ok(()));
        }
        None => {
            params.MoreEvents = 0;
            params.status = Status(abi::nv::status::NV_ERR_GENERIC).0;
        }
    }
    store(arg, &params);
    Ok(())
}
