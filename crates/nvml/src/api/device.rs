//! Handles and properties of GPUs.

use std::ffi::c_char;

use super::Done;
use crate::Return;
use crate::core::gpu::Gpu;
use crate::core::session::Session;
use crate::ffi::{In, Out};
use crate::types::*;

pub(crate) fn count(session: &Session, count: Out<'_, u32>) -> Done {
    count.set(u32::try_from(session.gpus().len()).map_err(|_| Return::Unknown)?)
}

pub(crate) fn by_index(session: &Session, index: u32, device: Out<'_, Device>) -> Done {
    let index = usize::try_from(index).map_err(|_| Return::InvalidArgument)?;
    if index >= session.gpus().len() {
        return Err(Return::InvalidArgument);
    }
    device.set(Device::new(index))
}

fn find(
    session: &Session,
    device: Out<'_, Device>,
    wanted: impl Fn(&Gpu) -> Result<bool, Return>,
) -> Done {
    for (index, gpu) in session.gpus().iter().enumerate() {
        if wanted(gpu)? {
            return device.set(Device::new(index));
        }
    }
    Err(Return::NotFound)
}

pub(crate) fn by_serial(
    session: &Session,
    serial: In<'_, c_char>,
    device: Out<'_, Device>,
) -> Done {
    let serial = serial.string()?;
    find(session, device, |gpu| {
        Ok(gpu.serial(session.client())? == serial)
    })
}

pub(crate) fn by_uuid(session: &Session, uuid: In<'_, c_char>, device: Out<'_, Device>) -> Done {
    let uuid = uuid.string()?;
    find(session, device, |gpu| {
        Ok(gpu.uuid(session.client())?.eq_ignore_ascii_case(&uuid))
    })
}

/// UUID as text (1) or as 16 bytes (2).
pub(crate) fn by_uuid_versioned(
    session: &Session,
    uuid: In<'_, nvmlUUID_v1_t>,
    device: Out<'_, Device>,
) -> Done {
    let uuid = uuid.get()?;
    if uuid.version != version_of::<nvmlUUID_v1_t>(1) {
        return Err(Return::ArgumentVersionMismatch);
    }
    let wanted = match uuid.kind {
        1 => crate::core::rm::text(&uuid.value[..41]),
        2 => {
            let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
            let [a, b, c, d, e] = [0..4, 4..6, 6..8, 8..10, 10..16].map(|r| hex(&uuid.value[r]));
            format!("GPU-{a}-{b}-{c}-{d}-{e}")
        }
        _ => return Err(Return::InvalidArgument),
    };
    find(session, device, |gpu| {
        Ok(gpu.uuid(session.client())?.eq_ignore_ascii_case(&wanted))
    })
}

/// Parses `[domain:]bus:device[.function]`, hexadecimal.
fn parse_bus_id(text: &str) -> Option<(u32, u32, u32)> {
    let hex = |text: &str| u32::from_str_radix(text, 16).ok();
    let (place, function) = match text.split_once('.') {
        Some((place, function)) => (place, hex(function)?),
        None => (text, 0),
    };
    let parts: Vec<&str> = place.split(':').collect();
    let (domain, bus, device) = match parts.as_slice() {
        [domain, bus, device] => (hex(domain)?, hex(bus)?, hex(device)?),
        [bus, device] => (0, hex(bus)?, hex(device)?),
        _ => return None,
    };
    (function == 0).then_some((domain, bus, device))
}

pub(crate) fn by_bus_id(
    session: &Session,
    bus_id: In<'_, c_char>,
    device: Out<'_, Device>,
) -> Done {
    let wanted = parse_bus_id(&bus_id.string()?).ok_or(Return::InvalidArgument)?;
    find(session, device, |gpu| {
        let card = gpu.card;
        Ok((card.domain, u32::from(card.bus), u32::from(card.slot)) == wanted)
    })
}

pub(crate) fn name(session: &Session, device: Device, name: Out<'_, c_char>, length: u32) -> Done {
    let text = session.gpu(device)?.name(session.client())?;
    name.put_text(length, &text)
}

/// `NVML_BRAND_GEFORCE` for the name, else `NVML_BRAND_NVIDIA`, as drivers since 470 do.
pub(crate) fn brand(session: &Session, device: Device, brand: Out<'_, u32>) -> Done {
    const GEFORCE: u32 = 5;
    const NVIDIA: u32 = 14;
    let name = session.gpu(device)?.name(session.client())?;
    brand.set(if name.contains("GeForce") {
        GEFORCE
    } else {
        NVIDIA
    })
}

pub(crate) fn index(_: &Session, device: Device, index: Out<'_, u32>) -> Done {
    let value = device.index().ok_or(Return::InvalidArgument)?;
    index.set(u32::try_from(value).map_err(|_| Return::InvalidArgument)?)
}

pub(crate) fn serial(
    session: &Session,
    device: Device,
    serial: Out<'_, c_char>,
    length: u32,
) -> Done {
    let text = session.gpu(device)?.serial(session.client())?;
    serial.put_text(length, &text)
}

pub(crate) fn uuid(session: &Session, device: Device, uuid: Out<'_, c_char>, length: u32) -> Done {
    let text = session.gpu(device)?.uuid(session.client())?;
    uuid.put_text(length, &text)
}

pub(crate) fn minor(session: &Session, device: Device, minor: Out<'_, u32>) -> Done {
    minor.set(session.gpu(device)?.card.minor)
}

pub(crate) fn board_id(session: &Session, device: Device, id: Out<'_, u32>) -> Done {
    id.set(session.gpu(device)?.board_id)
}

pub(crate) fn multi_gpu_board(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(u32::from(session.gpu(device)?.multi_gpu(session.client())?))
}

pub(crate) fn display_mode(session: &Session, device: Device, mode: Out<'_, u32>) -> Done {
    mode.set(u32::from(
        session.gpu(device)?.display_connected(session.client())?,
    ))
}

pub(crate) fn display_active(session: &Session, device: Device, active: Out<'_, u32>) -> Done {
    active.set(u32::from(
        session.gpu(device)?.display_active(session.client())?,
    ))
}

pub(crate) fn persistence_mode(session: &Session, device: Device, mode: Out<'_, u32>) -> Done {
    mode.set(u32::from(
        session.gpu(device)?.persistence(session.client())?,
    ))
}

pub(crate) fn set_persistence_mode(session: &Session, device: Device, mode: u32) -> Done {
    if mode > 1 {
        return Err(Return::InvalidArgument);
    }
    session
        .gpu(device)?
        .set_persistence(session.client(), mode == 1)
        .map_err(Return::from)
}

pub(crate) fn pci_info(session: &Session, device: Device, pci: Out<'_, nvmlPciInfo_t>) -> Done {
    let gpu = session.gpu(device)?;
    let (id, subsystem) = gpu.pci_ids(session.client())?;
    pci.set(nvmlPciInfo_t {
        busIdLegacy: text_field(&gpu.bus_id_legacy()),
        domain: gpu.card.domain,
        bus: u32::from(gpu.card.bus),
        device: u32::from(gpu.card.slot),
        pciDeviceId: id,
        pciSubSystemId: subsystem,
        busId: text_field(&gpu.bus_id()),
    })
}

/// The first two forms of the struct end before the long bus id.
pub(crate) fn pci_info_legacy(
    session: &Session,
    device: Device,
    pci: Out<'_, nvmlPciInfo_t>,
) -> Done {
    let gpu = session.gpu(device)?;
    let (id, subsystem) = gpu.pci_ids(session.client())?;
    pci.prefix().set(PciInfoLegacy {
        busId: text_field(&gpu.bus_id_legacy()),
        domain: gpu.card.domain,
        bus: u32::from(gpu.card.bus),
        device: u32::from(gpu.card.slot),
        pciDeviceId: id,
        pciSubSystemId: subsystem,
    })
}

/// PCI class: display controller, 3D controller.
const CLASS: (u32, u32) = (3, 2);

pub(crate) fn pci_info_ext(
    session: &Session,
    device: Device,
    pci: Out<'_, nvmlPciInfoExt_v1_t>,
) -> Done {
    let version = version_of::<nvmlPciInfoExt_v1_t>(1);
    if pci.prefix::<u32>().get()? != version {
        return Err(Return::ArgumentVersionMismatch);
    }
    let gpu = session.gpu(device)?;
    let (id, subsystem) = gpu.pci_ids(session.client())?;
    pci.set(nvmlPciInfoExt_v1_t {
        version,
        domain: gpu.card.domain,
        bus: u32::from(gpu.card.bus),
        device: u32::from(gpu.card.slot),
        pciDeviceId: id,
        pciSubSystemId: subsystem,
        baseClass: CLASS.0,
        subClass: CLASS.1,
        busId: text_field(&gpu.bus_id()),
    })
}

fn link(session: &Session, device: Device) -> Result<[(u32, u32); 2], Return> {
    let link = session.gpu(device)?.link(session.client())?;
    if link[0].0 == 0 {
        return Err(Return::NotSupported);
    }
    Ok(link)
}

pub(crate) fn max_link_generation(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(link(session, device)?[0].0)
}

pub(crate) fn max_link_width(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(link(session, device)?[0].1)
}

pub(crate) fn link_generation(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(link(session, device)?[1].0)
}

pub(crate) fn link_width(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(link(session, device)?[1].1)
}

/// Speed of a lane now, Mbit/s.
pub(crate) fn link_speed(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    let speed = match link(session, device)?[1].0 {
        1 => 2_500,
        2 => 5_000,
        generation @ 3..=6 => 8_000 << (generation - 3),
        _ => return Err(Return::NotSupported),
    };
    value.set(speed)
}

/// `NVML_PCIE_LINK_MAX_SPEED_*` are the generations.
pub(crate) fn max_link_speed(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(link(session, device)?[0].0)
}

pub(crate) fn bus_type(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    const PCIE: u32 = 2;
    link(session, device)?;
    value.set(PCIE)
}

pub(crate) fn irq(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(session.gpu(device)?.irq(session.client())?)
}

pub(crate) fn cores(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(session.gpu(device)?.cores(session.client())?)
}

pub(crate) fn bus_width(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    value.set(session.gpu(device)?.bus_width(session.client())?)
}

pub(crate) fn architecture(session: &Session, device: Device, value: Out<'_, u32>) -> Done {
    const UNKNOWN: u32 = u32::MAX;
    value.set(match session.gpu(device)?.architecture(session.client())? {
        0x120 | 0x110 => 3,
        0x130 => 4,
        0x140 | 0x150 => 5,
        0x160 => 6,
        0x170 => 7,
        0x180 => 9,
        0x190 => 8,
        0x1a0 | 0x1b0 => 10,
        _ => UNKNOWN,
    })
}

pub(crate) fn compute_capability(
    session: &Session,
    device: Device,
    major: Out<'_, i32>,
    minor: Out<'_, i32>,
) -> Done {
    let capability = session.gpu(device)?.compute_capability(session.client())?;
    major.set(capability.0.cast_signed())?;
    minor.set(capability.1.cast_signed())
}

pub(crate) fn compute_mode(session: &Session, device: Device, mode: Out<'_, u32>) -> Done {
    mode.set(session.gpu(device)?.compute_mode(session.client())?)
}

pub(crate) fn set_compute_mode(session: &Session, device: Device, mode: u32) -> Done {
    if mode > 3 {
        return Err(Return::InvalidArgument);
    }
    session
        .gpu(device)?
        .set_compute_mode(session.client(), mode)
        .map_err(Return::from)
}

pub(crate) fn default_ecc_mode(session: &Session, device: Device, mode: Out<'_, u32>) -> Done {
    let (_, default) = session.gpu(device)?.ecc(session.client())?;
    mode.set(u32::from(default))
}

/// Here `used` holds what is reserved too.
pub(crate) fn memory(session: &Session, device: Device, memory: Out<'_, nvmlMemory_t>) -> Done {
    let info = session.gpu(device)?.memory(session.client())?;
    memory.set(nvmlMemory_t {
        total: info.total,
        free: info.free,
        used: info.total - info.free,
    })
}

pub(crate) fn memory_v2(
    session: &Session,
    device: Device,
    memory: Out<'_, nvmlMemory_v2_t>,
) -> Done {
    let version = version_of::<nvmlMemory_v2_t>(2);
    if memory.prefix::<u32>().get()? != version {
        return Err(Return::ArgumentVersionMismatch);
    }
    let info = session.gpu(device)?.memory(session.client())?;
    memory.set(nvmlMemory_v2_t {
        version,
        total: info.total,
        reserved: info.reserved,
        free: info.free,
        used: info.total.saturating_sub(info.free + info.reserved),
    })
}

pub(crate) fn bar1(session: &Session, device: Device, memory: Out<'_, nvmlBAR1Memory_t>) -> Done {
    let (total, free) = session.gpu(device)?.bar1(session.client())?;
    memory.set(nvmlBAR1Memory_t {
        bar1Total: total,
        bar1Free: free,
        bar1Used: total - free,
    })
}

pub(crate) fn utilization(
    session: &Session,
    device: Device,
    utilization: Out<'_, nvmlUtilization_t>,
) -> Done {
    let (gpu, memory) = session.gpu(device)?.utilization(session.client())?;
    utilization.set(nvmlUtilization_t { gpu, memory })
}

pub(crate) fn vbios(
    session: &Session,
    device: Device,
    version: Out<'_, c_char>,
    length: u32,
) -> Done {
    let text = session.gpu(device)?.vbios(session.client())?;
    version.put_text(length, &text)
}

/// The buffer has `NVML_GSP_FIRMWARE_VERSION_BUF_SIZE` bytes.
pub(crate) fn gsp_version(session: &Session, device: Device, version: Out<'_, c_char>) -> Done {
    const ROOM: u32 = 64;
    let (running, _) = session.gpu(device)?.gsp(session.client())?;
    version.put_text(ROOM, &running.ok_or(Return::NotSupported)?)
}

pub(crate) fn gsp_mode(
    session: &Session,
    device: Device,
    enabled: Out<'_, u32>,
    default: Out<'_, u32>,
) -> Done {
    let (running, by_default) = session.gpu(device)?.gsp(session.client())?;
    enabled.set(u32::from(running.is_some()))?;
    default.set(u32::from(by_default))
}

/// RM and NVML number none, pass-through, vGPU and vGPU host alike.
pub(crate) fn virtualization_mode(session: &Session, device: Device, mode: Out<'_, u32>) -> Done {
    mode.set(session.gpu(device)?.virtualization(session.client())?)
}

pub(crate) fn mig_mode(
    session: &Session,
    device: Device,
    current: Out<'_, u32>,
    pending: Out<'_, u32>,
) -> Done {
    let on = session.gpu(device)?.mig(session.client())?;
    current.set(u32::from(on))?;
    pending.set(u32::from(on))
}

pub(crate) fn is_mig_handle(_: &Session, _: Device, is_mig: Out<'_, u32>) -> Done {
    is_mig.set(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bus_ids_parse() {
        assert_eq!(parse_bus_id("00000000:17:00.0"), Some((0, 0x17, 0)));
        assert_eq!(parse_bus_id("0000:17:00.0"), Some((0, 0x17, 0)));
        assert_eq!(parse_bus_id("17:1f"), Some((0, 0x17, 0x1f)));
        assert_eq!(parse_bus_id("0:17:0.1"), None);
        assert_eq!(parse_bus_id("17"), None);
        assert_eq!(parse_bus_id("x:y:z"), None);
        assert_eq!(parse_bus_id(""), None);
    }
}
