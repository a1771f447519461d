//! Faults as log lines (nv-abi.md §8) and as data.

use std::sync::atomic::Ordering;

use abi::link::{Access, Fault, FaultKind};
use abi::vendor::FaultInfoParams;

use crate::file::Owner;
use crate::gpu::Gpu;
use crate::klog::{Klog, Level};

/// Xid of a context that was stopped ("channel reset").
pub const XID_STOPPED: u32 = 43;

/// `CUDA_ERROR_LAUNCH_FAILED`.
const LAUNCH_FAILED: u32 = 719;

/// The record for a GPU process that died or hung.
#[must_use]
pub fn process_died(chid: u32, how: &str) -> Fault {
    Fault {
        chid,
        xid: XID_STOPPED,
        cuda_result: LAUNCH_FAILED,
        address: 0,
        access: Access::None,
        kind: FaultKind::Internal,
        kernel: String::new(),
        ctaid: [0; 3],
        warp: 0,
        lanes: 0,
        ptx_line: 0,
        source: None,
        detail: format!("the GPU process ended: {how}"),
    }
}

/// The record for a context that was ended on request.
#[must_use]
pub fn killed(chid: u32, xid: u32) -> Fault {
    Fault {
        xid,
        cuda_result: crate::inject::cuda_result(xid),
        kind: FaultKind::Killed,
        ..process_died(chid, "stopped on request")
    }
}

fn access_name(access: Access) -> (u32, &'static str) {
    match access {
        Access::Read => (0, "ACCESS_TYPE_VIRT_READ"),
        Access::Write => (1, "ACCESS_TYPE_VIRT_WRITE"),
        Access::Atomic => (2, "ACCESS_TYPE_VIRT_ATOMIC"),
        Access::Execute => (3, "ACCESS_TYPE_VIRT_INST"),
        Access::None => (0, "ACCESS_TYPE_NONE"),
    }
}

fn message(fault: &Fault) -> String {
    let mut text = match fault.kind {
        FaultKind::Unmapped | FaultKind::ReadOnly => {
            let (kind, kind_name) = match fault.kind {
                FaultKind::ReadOnly => (6, "FAULT_RO_VIOLATION"),
                _ => (0, "FAULT_PDE"),
            };
            let (access, access_name) = access_name(fault.access);
            format!(
                "Ch {:08x}, intr 00000000. MMU Fault: ENGINE 0x0 (GRAPHICS GPCCLIENT_T1_0) faulted @ 0x{:x}_{:08x}. \
                 Fault is of type 0x{kind:x} ({kind_name}). Access type is 0x{access:x} ({access_name})",
                fault.chid,
                fault.address >> 32,
                fault.address & 0xffff_ffff,
            )
        }
        FaultKind::Trap(code) => format!("Graphics Exception: Ch {:08x}, trap {code}", fault.chid),
        FaultKind::BadProgram => {
            format!("Graphics Exception: Ch {:08x}, Illegal Program", fault.chid)
        }
        FaultKind::BadMethod => format!("Ch {:08x}, Illegal Method or Pushbuffer", fault.chid),
        FaultKind::Killed => format!("Ch {:08x}, Reset Channel", fault.chid),
        FaultKind::Internal => format!("Ch {:08x}, Internal Error", fault.chid),
    };
    if !fault.kernel.is_empty() {
        let [x, y, z] = fault.ctaid;
        text += &format!(
            ". Kernel {}, block ({x},{y},{z}), warp {}",
            fault.kernel, fault.warp
        );
        if fault.lanes != 0 {
            text += &format!(", lanes {:08x}", fault.lanes);
        }
        if let Some((file, line)) = &fault.source {
            text += &format!(", {file}:{line}");
        } else if fault.ptx_line != 0 {
            text += &format!(", PTX line {}", fault.ptx_line);
        }
    }
    if !fault.detail.is_empty() {
        text += &format!(". {}", fault.detail);
    }
    text
}

/// Writes the Xid line of a fault.
pub fn report(log: &Klog, gpu: &Gpu, owner: &Owner, fault: &Fault) {
    xid_line(log, gpu, fault.xid, owner.pid, &owner.name, &message(fault));
}

/// Writes an Xid line, and before the first one of a GPU its name.
pub fn xid_line(
    log: &Klog,
    gpu: &Gpu,
    xid: u32,
    pid: impl std::fmt::Display,
    name: &str,
    text: &str,
) {
    if !gpu.named.swap(true, Ordering::Relaxed) {
        log.line(
            Level::Warning,
            &format!(
                "NVRM: GPU at {}: {}",
                gpu.pci_text().trim_end_matches(":00.0"),
                gpu.uuid_text()
            ),
        );
    }
    log.line(
        Level::Error,
        &format!(
            "NVRM: Xid ({}): {xid}, pid={pid}, name={name}, {text}",
            gpu.pci_text()
        ),
    );
}

/// Fills the vendor control's answer.
#[must_use]
pub fn info(channel: u32, fault: Option<&Fault>) -> FaultInfoParams {
    let mut out = FaultInfoParams {
        channel,
        xid: 0,
        cuda_result: 0,
        ptx_line: 0,
        address: 0,
        access: 0,
        ctaid: [0; 3],
        warp: 0,
        lanes: 0,
        kernel: [0; 40],
    };
    if let Some(fault) = fault {
        out.xid = fault.xid;
        out.cuda_result = fault.cuda_result;
        out.ptx_line = fault.ptx_line;
        out.address = fault.address;
        out.access = access_name(fault.access).0;
        out.ctaid = fault.ctaid;
        out.warp = fault.warp;
        out.lanes = fault.lanes;
        crate::params::put_str(&mut out.kernel, &fault.kernel);
    }
    out
}

/// The answer's bytes.
#[must_use]
pub fn info_bytes(info: &FaultInfoParams) -> [u8; 88] {
    let mut out = [0; 88];
    let words = [info.channel, info.xid, info.cuda_result, info.ptx_line];
    for (i, word) in words.iter().enumerate() {
        crate::params::put_u32(&mut out, i * 4, *word);
    }
    crate::params::put_u64(&mut out, 16, info.address);
    let [x, y, z] = info.ctaid;
    for (i, word) in [info.access, x, y, z, info.warp, info.lanes]
        .iter()
        .enumerate()
    {
        crate::params::put_u32(&mut out, 24 + i * 4, *word);
    }
    out[48..88].copy_from_slice(&info.kernel);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn the_bytes_are_the_struct() {
        assert_eq!(size_of::<FaultInfoParams>(), 88);
        assert_eq!(offset_of!(FaultInfoParams, address), 16);
        assert_eq!(offset_of!(FaultInfoParams, access), 24);
        assert_eq!(offset_of!(FaultInfoParams, kernel), 48);
    }

    #[test]
    fn an_mmu_fault_names_the_address() {
        let mut fault = process_died(1, "x");
        fault.kind = FaultKind::Unmapped;
        fault.access = Access::Write;
        fault.address = 0x7f12_3456_7890;
        fault.kernel = "vecadd".into();
        fault.detail.clear();
        let text = message(&fault);
        assert!(text.contains("faulted @ 0x7f12_34567890."), "{text}");
        assert!(
            text.contains("ACCESS_TYPE_VIRT_WRITE") && text.contains("Kernel vecadd"),
            "{text}"
        );
    }
}
