//! NVLinks: all GPUs of a machine hang together by switches, where the profile has links and there are several.

use super::Done;
use crate::Return;
use crate::core::ecc::Links;
use crate::core::session::Session;
use crate::ffi::Out;
use crate::types::{Device, nvmlPciInfo_t, text_field};

/// The links, if `link` is one.
fn links(session: &Session, device: Device, link: u32) -> Result<Links, Return> {
    let links = session.gpu(device)?.links(session.client())?;
    if link < links.count {
        Ok(links)
    } else {
        Err(Return::InvalidArgument)
    }
}

/// The links, if `link` is up.
fn up(session: &Session, device: Device, link: u32) -> Result<Links, Return> {
    let links = links(session, device, link)?;
    if link < links.active {
        Ok(links)
    } else {
        Err(Return::NotSupported)
    }
}

pub(crate) fn state(session: &Session, device: Device, link: u32, active: Out<'_, u32>) -> Done {
    let links = links(session, device, link)?;
    active.set(u32::from(link < links.active))
}

pub(crate) fn version(session: &Session, device: Device, link: u32, version: Out<'_, u32>) -> Done {
    version.set(up(session, device, link)?.version)
}

/// `NVML_NVLINK_CAP_*`: peers, system memory, atomics of both, SLI (no), valid.
pub(crate) fn capability(
    session: &Session,
    device: Device,
    link: u32,
    capability: u32,
    result: Out<'_, u32>,
) -> Done {
    const SLI: u32 = 4;
    const LAST: u32 = 5;
    up(session, device, link)?;
    if capability > LAST {
        return Err(Return::InvalidArgument);
    }
    result.set(u32::from(capability != SLI))
}

/// Switches on a bus of their own.
pub(crate) fn remote_pci(
    session: &Session,
    device: Device,
    link: u32,
    pci: Out<'_, nvmlPciInfo_t>,
) -> Done {
    const SWITCHES: u32 = 4;
    const BUS: u32 = 5;
    const NVSWITCH: u32 = 0x22a3_10de;
    up(session, device, link)?;
    let bus = BUS + link % SWITCHES;
    pci.set(nvmlPciInfo_t {
        busIdLegacy: text_field(&format!("0000:{bus:02X}:00.0")),
        domain: 0,
        bus,
        device: 0,
        pciDeviceId: NVSWITCH,
        pciSubSystemId: 0,
        busId: text_field(&format!("00000000:{bus:02X}:00.0")),
    })
}

/// `NVML_NVLINK_ERROR_*`: there are none.
pub(crate) fn error_counter(
    session: &Session,
    device: Device,
    link: u32,
    counter: u32,
    value: Out<'_, u64>,
) -> Done {
    const COUNTERS: u32 = 5;
    up(session, device, link)?;
    if counter >= COUNTERS {
        return Err(Return::InvalidArgument);
    }
    value.set(0)
}

pub(crate) fn reset_errors(session: &Session, device: Device, link: u32) -> Done {
    up(session, device, link).map(drop)
}

/// `NVML_NVLINK_DEVICE_TYPE_SWITCH`.
pub(crate) fn remote_type(
    session: &Session,
    device: Device,
    link: u32,
    kind: Out<'_, u32>,
) -> Done {
    const SWITCH: u32 = 2;
    up(session, device, link)?;
    kind.set(SWITCH)
}
