//! Driver calls in words, as `strace` would print them if it knew NVIDIA's structures.

use std::fmt::Write as _;

use abi::nv::{classes, controls, escapes, status, uvm};
use abi::vendor;

use crate::Node;

fn u32_at(arg: &[u8], at: usize) -> u32 {
    arg.get(at..at + 4)
        .and_then(|b| b.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

fn u64_at(arg: &[u8], at: usize) -> u64 {
    arg.get(at..at + 8)
        .and_then(|b| b.try_into().ok())
        .map_or(0, u64::from_le_bytes)
}

fn class_name(class: u32) -> String {
    classes::name(class).map_or_else(|| format!("{class:#06x}"), str::to_owned)
}

fn control_name(command: u32) -> String {
    match command {
        vendor::CTRL_IDENTIFY => "ANTLERITE_CTRL_IDENTIFY".into(),
        vendor::CTRL_FAULT_INFO => "ANTLERITE_CTRL_FAULT_INFO".into(),
        vendor::CTRL_BOARD => "ANTLERITE_CTRL_BOARD".into(),
        vendor::CTRL_RESET => "ANTLERITE_CTRL_RESET".into(),
        _ => controls::find(command)
            .map_or_else(|| format!("{command:#010x}"), |c| c.name.to_owned()),
    }
}

/// One call in words: the request with what went in and came out. `result` is 0 or an errno.
#[must_use]
pub fn call(node: Node, request: u32, before: &[u8], after: &[u8], result: i32) -> String {
    let (name, inside, code) = match node {
        Node::Uvm | Node::UvmTools => uvm_call(request, before, after),
        Node::Control | Node::Gpu(_) => escape(request & 0xff, before, after),
        Node::Modeset => (format!("{request:#x}"), String::new(), None),
    };
    let mut line = format!("ioctl({}, {name}, {{{inside}}}) = ", node.path());
    // Writing to a string cannot fail.
    let _ = match (result, code) {
        (0, Some(code)) => write!(line, "0 {}", status::name(code)),
        (0, None) => write!(line, "0"),
        (errno, _) => write!(line, "-1 {}", std::io::Error::from_raw_os_error(errno)),
    };
    line
}

/// Name, fields, and the RM status if the structure has one.
fn escape(number: u32, before: &[u8], after: &[u8]) -> (String, String, Option<u32>) {
    let name = escapes::find(number).map_or_else(|| format!("{number:#x}"), |e| e.name.into());
    let name = format!("NV_ESC_{name} ({number:#04x}, {:#x} bytes)", before.len());
    let (inside, code) = match (number, after.len()) {
        (escapes::RM_CONTROL, 32) => (
            format!(
                "client={:#x}, object={:#x}, cmd={}, size={:#x}",
                u32_at(before, 0),
                u32_at(before, 4),
                control_name(u32_at(before, 8)),
                u32_at(before, 24)
            ),
            Some(u32_at(after, 28)),
        ),
        (escapes::RM_ALLOC, 32 | 48) => (
            format!(
                "client={:#x}, parent={:#x}, new={:#x}, class={}",
                u32_at(before, 0),
                u32_at(before, 4),
                u32_at(after, 8),
                class_name(u32_at(before, 12))
            ),
            Some(u32_at(after, if after.len() == 32 { 28 } else { 40 })),
        ),
        (escapes::RM_FREE, 16) => (
            format!(
                "client={:#x}, object={:#x}",
                u32_at(before, 0),
                u32_at(before, 8)
            ),
            Some(u32_at(after, 12)),
        ),
        (escapes::RM_MAP_MEMORY, 56) => (
            format!(
                "client={:#x}, device={:#x}, memory={:#x}, offset={:#x}, length={:#x}, fd={}",
                u32_at(before, 0),
                u32_at(before, 4),
                u32_at(before, 8),
                u64_at(before, 16),
                u64_at(before, 24),
                u32_at(before, 48).cast_signed()
            ),
            Some(u32_at(after, 40)),
        ),
        (escapes::RM_UNMAP_MEMORY, 32..) => (
            format!(
                "client={:#x}, memory={:#x}",
                u32_at(before, 0),
                u32_at(before, 8)
            ),
            Some(u32_at(after, 24)),
        ),
        (escapes::RM_ALLOC_MEMORY, 48..) => (
            format!(
                "client={:#x}, parent={:#x}, class={}, address={:#x}, limit={:#x}",
                u32_at(before, 0),
                u32_at(before, 4),
                class_name(u32_at(before, 12)),
                u64_at(before, 24),
                u64_at(before, 32)
            ),
            Some(u32_at(after, 40)),
        ),
        (escapes::REGISTER_FD, 4) => (format!("ctl_fd={}", u32_at(before, 0).cast_signed()), None),
        _ => (String::new(), None),
    };
    (name, inside, code)
}

fn uvm_call(request: u32, before: &[u8], after: &[u8]) -> (String, String, Option<u32>) {
    let name = if request == vendor::UVM_TRACK {
        "ANTLERITE_UVM_TRACK".to_owned()
    } else {
        uvm::find(request).map_or_else(|| format!("{request:#x}"), |c| c.name.into())
    };
    let end = after.len();
    let span = || {
        format!(
            "base={:#x}, length={:#x}",
            u64_at(before, 0),
            u64_at(before, 8)
        )
    };
    let (inside, at) = match request {
        uvm::UVM_INITIALIZE => (format!("flags={:#x}", u64_at(before, 0)), Some(8)),
        uvm::UVM_CREATE_EXTERNAL_RANGE
        | uvm::UVM_VALIDATE_VA_RANGE
        | uvm::UVM_ENABLE_READ_DUPLICATION
        | uvm::UVM_DISABLE_READ_DUPLICATION
        | uvm::UVM_UNSET_PREFERRED_LOCATION => (span(), Some(16)),
        uvm::UVM_SET_ACCESSED_BY | uvm::UVM_UNSET_ACCESSED_BY | uvm::UVM_UNMAP_EXTERNAL => {
            (span(), Some(32))
        }
        uvm::UVM_MIGRATE => (
            format!(
                "{}, to={}",
                span(),
                if before.get(16..32) == Some(&uvm::CPU_UUID[..]) {
                    "CPU"
                } else {
                    "GPU"
                }
            ),
            Some(72),
        ),
        uvm::UVM_SET_PREFERRED_LOCATION => (span(), None),
        uvm::UVM_MAP_EXTERNAL_ALLOCATION => (
            format!(
                "{}, offset={:#x}, client={:#x}, memory={:#x}",
                span(),
                u64_at(before, 16),
                u32_at(before, end.saturating_sub(12)),
                u32_at(before, end.saturating_sub(8))
            ),
            Some(end.saturating_sub(4)),
        ),
        uvm::UVM_FREE => (span(), Some(end.saturating_sub(8))),
        uvm::UVM_REGISTER_GPU => (String::new(), Some(36)),
        uvm::UVM_REGISTER_GPU_VASPACE => (
            format!(
                "client={:#x}, vaspace={:#x}",
                u32_at(before, 20),
                u32_at(before, 24)
            ),
            Some(28),
        ),
        uvm::UVM_MM_INITIALIZE => (
            format!("uvmFd={}", u32_at(before, 0).cast_signed()),
            Some(4),
        ),
        vendor::UVM_TRACK => (
            format!("fd={}, flags={}", u32_at(before, 0), u32_at(before, 4)),
            Some(12),
        ),
        _ => (String::new(), None),
    };
    let code = at.filter(|at| at + 4 <= end).map(|at| u32_at(after, at));
    (name, inside, code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_names() {
        let mut alloc = [0_u8; 32];
        alloc[12] = 0x41;
        let line = call(Node::Control, 0xc020_462b, &alloc, &alloc, 0);
        assert_eq!(
            line,
            "ioctl(/dev/nvidiactl, NV_ESC_RM_ALLOC (0x2b, 0x20 bytes), {client=0x0, parent=0x0, new=0x0, class=NV01_ROOT_CLIENT}) = 0 NV_OK"
        );
        let mut control = [0_u8; 32];
        control[8..12].copy_from_slice(&0x101_u32.to_le_bytes());
        control[28] = 0x56;
        let line = call(Node::Control, 0xc020_462a, &control, &control, 0);
        assert!(
            line.contains("cmd=NV0000_CTRL") && line.ends_with("NV_ERR_NOT_SUPPORTED"),
            "{line}"
        );
        let range = [0_u8; 24];
        let line = call(Node::Uvm, uvm::UVM_VALIDATE_VA_RANGE, &range, &range, 22);
        assert!(
            line.starts_with("ioctl(/dev/nvidia-uvm, UVM_VALIDATE_VA_RANGE"),
            "{line}"
        );
        assert!(line.contains("= -1 Invalid argument"), "{line}");
        for size in 0..64 {
            for number in 0..=255 {
                let arg = vec![0xff_u8; size];
                assert!(!call(Node::Control, number, &arg, &arg, 0).is_empty());
                assert!(!call(Node::Uvm, number, &arg, &arg, 0).is_empty());
            }
        }
    }
}
