//! The doors that are system calls: device nodes with our kernel half behind them (`syscall`) or NVIDIA's (`real`).

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;

use abi::nv::{escapes, status};
use abi::vendor;
use rustix::fs::{Mode, OFlags};

use crate::{DoorError, Node};

pub(crate) struct SyscallFile {
    fd: OwnedFd,
    real: bool,
}

impl SyscallFile {
    /// Opens the node (by `openat`, as C libraries do); the first control node opened tells whose kernel half is there.
    pub(crate) fn open(node: Node, real: bool) -> Result<Self, DoorError> {
        let fd = rustix::fs::openat(
            rustix::fs::CWD,
            node.path(),
            OFlags::RDWR | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .map_err(|e| DoorError::Errno(e.raw_os_error()))?;
        let file = Self { fd, real };
        static OURS: OnceLock<bool> = OnceLock::new();
        if node == Node::Control || OURS.get().is_none() {
            let ours = match OURS.get() {
                Some(ours) => *ours,
                None if node == Node::Control => *OURS.get_or_init(|| file.is_ours()),
                None => Self::open_control_and_ask()?,
            };
            check(ours, real)?;
        }
        Ok(file)
    }

    fn open_control_and_ask() -> Result<bool, DoorError> {
        let fd = rustix::fs::openat(
            rustix::fs::CWD,
            Node::Control.path(),
            OFlags::RDWR | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .map_err(|e| DoorError::Errno(e.raw_os_error()))?;
        Ok(Self { fd, real: true }.is_ours())
    }

    pub(crate) fn as_raw(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    pub(crate) fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), DoorError> {
        // Our kernel half cannot replace this process's pages from outside: the pages it is asked to pin become a
        // memfd first, which it finds by the mapping. NVIDIA's kernel module pins by itself.
        let _pinned = if self.real {
            None
        } else {
            pin_os_descriptor(request, arg)?
        };
        // SAFETY: `arg` holds the bytes that the request's size names; other commands' structs are the caller's to size.
        let result = unsafe {
            libc::ioctl(
                self.fd.as_raw_fd(),
                libc::c_ulong::from(request),
                arg.as_mut_ptr(),
            )
        };
        if result < 0 {
            let errno = std::io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EIO);
            return Err(DoorError::Errno(errno));
        }
        Ok(())
    }

    /// Asks by the vendor control on a client made for the question.
    fn is_ours(&self) -> bool {
        let call = |nr: u32, arg: &mut [u8]| {
            let size = u32::try_from(arg.len()).unwrap_or(0);
            self.ioctl(
                0xc000_0000 | size << 16 | u32::from(escapes::IOCTL_MAGIC) << 8 | nr,
                arg,
            )
            .is_ok()
        };
        let word = |arg: &[u8], at: usize| {
            arg.get(at..at + 4)
                .and_then(|b| b.try_into().ok())
                .map(u32::from_le_bytes)
        };
        // NVOS21: a root client.
        let mut alloc = [0_u8; 32];
        alloc[12] = 0x41;
        if !call(escapes::RM_ALLOC, &mut alloc) || word(&alloc, 28) != Some(status::NV_OK) {
            return false;
        }
        let client = word(&alloc, 8).unwrap_or(0);
        // NVOS54: the control.
        let mut params = [0_u8; size_of::<vendor::IdentifyParams>()];
        let mut control = [0_u8; 32];
        control[0..4].copy_from_slice(&client.to_le_bytes());
        control[4..8].copy_from_slice(&client.to_le_bytes());
        control[8..12].copy_from_slice(&vendor::CTRL_IDENTIFY.to_le_bytes());
        control[16..24]
            .copy_from_slice(&(params.as_mut_ptr().expose_provenance() as u64).to_le_bytes());
        control[24..28].copy_from_slice(&u32::try_from(params.len()).unwrap_or(0).to_le_bytes());
        let answered =
            call(escapes::RM_CONTROL, &mut control) && word(&control, 28) == Some(status::NV_OK);
        // NVOS00: free the client.
        let mut free = [0_u8; 16];
        free[0..4].copy_from_slice(&client.to_le_bytes());
        free[8..12].copy_from_slice(&client.to_le_bytes());
        call(escapes::RM_FREE, &mut free);
        answered && params.starts_with(b"antlerit")
    }
}

/// For RM_ALLOC_MEMORY of class 0x71 (`nv_ioctl_nvos02_parameters_with_fd`): pins the pages.
fn pin_os_descriptor(request: u32, arg: &[u8]) -> Result<Option<OwnedFd>, DoorError> {
    let word = |at: usize| {
        arg.get(at..at + 4)
            .and_then(|b| b.try_into().ok())
            .map(u32::from_le_bytes)
    };
    let long = |at: usize| {
        arg.get(at..at + 8)
            .and_then(|b| b.try_into().ok())
            .map(u64::from_le_bytes)
    };
    let is_alloc = request >> 8 & 0xff == u32::from(escapes::IOCTL_MAGIC)
        && request & 0xff == escapes::RM_ALLOC_MEMORY;
    if !is_alloc || word(12) != Some(abi::nv::classes::NV01_MEMORY_SYSTEM_OS_DESCRIPTOR) {
        return Ok(None);
    }
    let (Some(address), Some(limit)) = (long(24), long(32)) else {
        return Ok(None);
    };
    match crate::pin::pin(address, limit.wrapping_add(1)) {
        Ok(memfd) => Ok(Some(memfd)),
        // Shared pages already: the kernel half looks at them itself.
        Err(rustix::io::Errno::OPNOTSUPP) => Ok(None),
        Err(errno) => Err(DoorError::Errno(errno.raw_os_error())),
    }
}

fn check(ours: bool, real: bool) -> Result<(), DoorError> {
    match (ours, real) {
        (true, false) | (false, true) => Ok(()),
        (false, false) => Err(DoorError::WrongDriver(
            "ANTLERITE_DOOR=syscall, but NVIDIA's kernel module is behind the device nodes; to use it, say ANTLERITE_DOOR=real",
        )),
        (true, true) => Err(DoorError::WrongDriver(
            "ANTLERITE_DOOR=real, but Antlerite's kernel half is behind the device nodes",
        )),
    }
}
