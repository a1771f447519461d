//! `stat(2)` of a node's path. NVIDIA's own libraries take a node only if it is a character device of the right number
//! and mode, and make it anew otherwise; they ask by the old calls `stat` and `lstat` (they are built against an old C
//! library), which today's programs hardly use. The placeholder says what the node would.

use std::ffi::CString;
use std::mem::MaybeUninit;

use door::Node;
use rustix::fs::FileType;

use super::caller::Caller;
use super::seccomp::Verdict;
use crate::module::{CAPS_MAJOR, CAPS_MODE, NVIDIA_MAJOR, UVM_MAJOR};
use crate::usermem::UserMem;

/// A node as `/dev` of a machine with the driver has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Device {
    major: u32,
    minor: u32,
    /// Permission bits.
    mode: u32,
}

impl Device {
    /// The device of a path (nv-abi.md §1.1: minors 255 and 254 are nvidiactl and nvidia-modeset).
    fn of_path(path: &str) -> Option<Self> {
        if let Some(minor) = path.strip_prefix("/dev/nvidia-caps/nvidia-cap") {
            return Some(Self {
                major: CAPS_MAJOR,
                minor: minor.parse().ok()?,
                mode: CAPS_MODE,
            });
        }
        let (major, minor) = match Node::of_path(path)? {
            Node::Control => (NVIDIA_MAJOR, 255),
            Node::Modeset => (NVIDIA_MAJOR, 254),
            Node::Gpu(minor) => (NVIDIA_MAJOR, minor),
            Node::Uvm => (UVM_MAJOR, 0),
            Node::UvmTools => (UVM_MAJOR, 1),
        };
        Some(Self {
            major,
            minor,
            mode: 0o666,
        })
    }
}

/// Whether a call is one of these.
pub(super) fn is_one(number: i64) -> bool {
    matches!(number, libc::SYS_stat | libc::SYS_lstat)
}

/// Answers one; what is no node of ours goes on to the kernel.
pub(super) fn answer(caller: &mut Caller<'_>) -> Verdict {
    let [path, buffer, ..] = caller.call.args;
    let Ok(path) = caller.string(path) else {
        return Verdict::Continue;
    };
    let Some(stat) = Device::of_path(&path).and_then(|device| seen(caller.call.tid, &path, device))
    else {
        return Verdict::Continue;
    };
    Verdict::Return(caller.write(buffer, bytes(&stat)))
}

/// What the caller's placeholder at `path` would be; `None` where there is none.
fn seen(tid: u32, path: &str, device: Device) -> Option<libc::stat> {
    let path = CString::new(format!("/proc/{tid}/root{path}")).ok()?;
    let mut stat = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the path ends with NUL, and `stat` has room for what the call writes.
    if unsafe { libc::lstat(path.as_ptr(), stat.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: all bytes are initialised, and the struct holds numbers only.
    let mut stat = unsafe { stat.assume_init() };
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_size != 0 {
        return None;
    }
    stat.st_mode = libc::S_IFCHR | device.mode;
    stat.st_rdev = libc::makedev(device.major, device.minor);
    (stat.st_uid, stat.st_gid) = (0, 0);
    Some(stat)
}

/// `struct stat` as it lies in memory: what the kernel writes too (its own layout, 144 bytes on x86-64).
fn bytes(stat: &libc::stat) -> &[u8] {
    // SAFETY: the struct has no padding that is not a field, and lives as long as the slice.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(stat).cast(), size_of::<libc::stat>()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_drivers_numbers() {
        let numbers = |path| Device::of_path(path).map(|d| (d.major, d.minor, d.mode));
        assert_eq!(numbers("/dev/nvidiactl"), Some((195, 255, 0o666)));
        assert_eq!(numbers("/dev/nvidia3"), Some((195, 3, 0o666)));
        assert_eq!(numbers("/dev/nvidia-modeset"), Some((195, 254, 0o666)));
        assert_eq!(numbers("/dev/nvidia-uvm-tools"), Some((508, 1, 0o666)));
        assert_eq!(
            numbers("/dev/nvidia-caps/nvidia-cap2"),
            Some((235, 2, 0o400))
        );
        assert_eq!(numbers("/dev/nvidia-caps/nvidia-capx"), None);
        assert_eq!(numbers("/dev/null"), None);
        assert_eq!(numbers("nvidiactl"), None);
    }
}
