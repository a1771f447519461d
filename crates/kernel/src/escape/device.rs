//! Escapes about cards, versions and files.

use std::sync::atomic::Ordering;

use abi::nv::escape_params::{
    nv_ioctl_card_info_t, nv_ioctl_numa_info_t, nv_ioctl_rm_api_version_t, nv_ioctl_status_code_t,
    nv_ioctl_wait_open_complete_t, nv_pci_info_t,
};
use door::Node;
use rustix::io::Errno;

use super::Call;
use crate::klog::Level;
use crate::memory::PAGE;
use crate::params::{load, put_str, put_u32, put_u64, store, u32_at, u64_at};

/// PCI vendor.
const VENDOR: u16 = 0x10de;
/// Physical addresses that the BARs of GPU 0 claim to have; one TiB apart per GPU.
const BARS: u64 = 0x20_0000_0000_0000;

/// CARD_INFO: one entry per GPU; fewer entries than GPUs is `EINVAL`. Bytes behind the last whole entry stay as they are
/// (open-gpu-kernel-modules 580.142, nv.c; LibreCuda's request has some).
pub(super) fn card_info(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let entries = arg.len() / nv_ioctl_card_info_t::BYTES;
    if entries < call.kernel.gpus.len() {
        return Err(Errno::INVAL);
    }
    arg[..entries * nv_ioctl_card_info_t::BYTES].fill(0);
    for (gpu, slot) in call
        .kernel
        .gpus
        .iter()
        .zip(arg.chunks_mut(nv_ioctl_card_info_t::BYTES))
    {
        let bars = BARS + (u64::from(gpu.index) << 40);
        let card = nv_ioctl_card_info_t {
            valid: 1,
            pci_info: nv_pci_info_t {
                domain: 0,
                bus: gpu.bus,
                slot: 0,
                function: 0,
                vendor_id: VENDOR,
                device_id: gpu.profile.device_id,
                ..nv_pci_info_t::default()
            },
            gpu_id: gpu.id(),
            interrupt_line: 16,
            reg_address: bars,
            reg_size: 16 << 20,
            fb_address: bars + (1 << 39),
            fb_size: gpu.profile.bar1_mib << 20,
            minor_number: gpu.index,
            ..nv_ioctl_card_info_t::default()
        };
        store(slot, &card);
    }
    Ok(())
}

/// REGISTER_FD: ties a file to a control file, once.
pub(super) fn register_fd(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let fd = u32_at(arg, 0).cast_signed();
    let target = call
        .kernel
        .caller_file(call.file, call.user, fd)
        .map_err(|_| Errno::INVAL)?;
    if target.node != Node::Control || target.id == call.file.id {
        return Err(Errno::INVAL);
    }
    if target.state().linked.is_some() {
        return Err(Errno::INVAL);
    }
    {
        let mut state = call.file.state();
        if state.linked.is_some() || state.is_target {
            return Err(Errno::INVAL);
        }
        state.linked = Some(target.id);
    }
    target.state().is_target = true;
    Ok(())
}

/// STATUS_CODE: the adapter of a bus and slot is well.
pub(super) fn status_code(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: nv_ioctl_status_code_t = load(arg);
    let known = call
        .kernel
        .gpus
        .iter()
        .any(|g| g.bus == params.bus && params.slot == 0 && params.domain == 0);
    if !known {
        return Err(Errno::NODEV);
    }
    params.status = abi::nv::status::NV_OK;
    store(arg, &params);
    Ok(())
}

/// CHECK_VERSION_STR: 0 strict, '1' up to the first dot, '2' query.
pub(super) fn check_version(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: nv_ioctl_rm_api_version_t = load(arg);
    let ours = call.kernel.config().version_text.clone();
    let end = params
        .versionString
        .iter()
        .position(|b| *b == 0)
        .unwrap_or(params.versionString.len());
    let theirs = String::from_utf8_lossy(&params.versionString[..end]).into_owned();
    let major = |text: &str| text.split('.').next().map(str::to_owned);
    let matches = match params.cmd {
        0 => theirs == ours,
        0x31 => major(&theirs) == major(&ours),
        0x32 => true,
        _ => false,
    };
    params.reply = u32::from(matches);
    put_str(&mut params.versionString, &ours);
    store(arg, &params);
    if matches {
        return Ok(());
    }
    let log = call.kernel.log();
    for line in [
        format!(
            "NVRM: API mismatch: the client '{}' (pid {})",
            call.file.owner.name, call.file.owner.pid
        ),
        format!("NVRM: has the version {theirs}, but this kernel module has"),
        format!("NVRM: the version {ours}.  Please make sure that this"),
        "NVRM: kernel module and all NVIDIA driver components".to_owned(),
        "NVRM: have the same version.".to_owned(),
    ] {
        log.line(Level::Error, &line);
    }
    Err(Errno::INVAL)
}

/// ATTACH_GPUS_TO_FD: a list of GPU ids (0 ends it).
pub(super) fn attach_gpus(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    if arg.is_empty() || !arg.len().is_multiple_of(4) {
        return Err(Errno::INVAL);
    }
    let unknown = arg
        .chunks_exact(4)
        .map(|id| u32_at(id, 0))
        .any(|id| id != 0 && id != u32::MAX && call.kernel.gpu_by_id(id).is_none());
    if unknown { Err(Errno::INVAL) } else { Ok(()) }
}

/// QUERY_DEVICE_INTR: nothing is pending.
pub(super) fn query_intr(_: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    put_u32(arg, 0, 0);
    put_u32(arg, 4, abi::nv::status::NV_OK);
    Ok(())
}

/// SYS_PARAMS: memory block size; the first caller sets it, others must agree.
pub(super) fn sys_params(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let wanted = u64_at(arg, 0);
    match call
        .kernel
        .memblock
        .compare_exchange(0, wanted, Ordering::Relaxed, Ordering::Relaxed)
    {
        Ok(_) => Ok(()),
        Err(set) if set == wanted => Ok(()),
        Err(_) => Err(Errno::BUSY),
    }
}

/// NUMA_INFO: not a coherent system.
pub(super) fn numa_info(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let params = nv_ioctl_numa_info_t {
        nid: (-1_i32).to_le_bytes(),
        ..nv_ioctl_numa_info_t::default()
    };
    store(arg, &params);
    put_u64(
        arg,
        8,
        call.kernel.memblock.load(Ordering::Relaxed) / PAGE * PAGE,
    );
    Ok(())
}

/// WAIT_OPEN_COMPLETE: the adapter is up at once.
pub(super) fn wait_open(_: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    store(arg, &nv_ioctl_wait_open_complete_t::default());
    Ok(())
}
