//! The user half's only way to the kernel half: open, ioctl, mmap and poll on the driver's device nodes, by one of
//! three doors (`ANTLERITE_DOOR`):
//!
//! * `socket` (default): a connection per open file to `antlerite-kmd`, which is started on demand;
//! * `syscall`: the plain system calls, on nodes behind which `antlerite run --door syscall` put our kernel half;
//! * `real`: the same system calls on NVIDIA's kernel module, only when asked for.
//!
//! Files are close-on-exec, mappings stay out of forked children, and a forked child's calls fail with
//! [`DoorError::Forked`]. Nothing here waits for ever: a server that dies or hangs gives a named error.

pub mod decode;
mod error;
mod fork;
pub mod futex;
pub mod instance;
mod map;
mod node;
mod own_memory;
mod pin;
mod socket;
pub mod start;
mod supervise;
mod syscall;
mod userfault;
pub mod wire;

use std::os::fd::{AsFd, BorrowedFd};

pub use error::DoorError;
pub use fork::check as check_fork;
pub use map::{Mapping, Protection};
pub use node::{MAX_MINOR, Node};
pub use supervise::supervise;

/// Makes pages that the kernel half had pinned at `va` the program's own again, once their memory object is freed.
/// Nothing happens for an address at which no pinned range begins.
pub fn unpin(va: u64) {
    pin::unpin(va);
}

/// Which door this process uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Connections to antlerite-kmd.
    Socket,
    /// System calls, our kernel half behind them.
    Syscall,
    /// System calls, NVIDIA's kernel module behind them.
    Real,
}

/// The door that `ANTLERITE_DOOR` selects.
///
/// # Errors
/// [`DoorError::BadDoor`].
pub fn door() -> Result<Door, DoorError> {
    match std::env::var("ANTLERITE_DOOR").as_deref() {
        Err(_) | Ok("" | "socket") => Ok(Door::Socket),
        Ok("syscall") => Ok(Door::Syscall),
        Ok("real") => Ok(Door::Real),
        Ok(other) => Err(DoorError::BadDoor(other.into())),
    }
}

enum Inner {
    Socket(socket::SocketFile),
    Syscall(syscall::SyscallFile),
}

/// An open device node. Dropping it closes it; mappings made through it stay.
pub struct File(Inner, fork::Opened);

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("File").field(&self.id()).finish()
    }
}

/// Opens a node.
///
/// # Errors
/// [`DoorError`]: the server cannot be found, started or reached; the node does not exist (`ENXIO`); a fork.
pub fn open(node: Node) -> Result<File, DoorError> {
    let opened = fork::arm()?;
    let inner = match door()? {
        Door::Socket => Inner::Socket(socket::SocketFile::open(node)?),
        Door::Syscall => Inner::Syscall(syscall::SyscallFile::open(node, false)?),
        Door::Real => Inner::Syscall(syscall::SyscallFile::open(node, true)?),
    };
    Ok(File(inner, opened))
}

impl File {
    /// The number that parameters which name a file carry (`rmCtrlFd`, NVOS33's `fd`, REGISTER_FD, `uvmFd`).
    #[must_use]
    pub fn id(&self) -> i32 {
        match &self.0 {
            Inner::Socket(file) => file.as_raw(),
            Inner::Syscall(file) => file.as_raw(),
        }
    }

    /// Runs RM escape `nr` on `arg`, whose length is the struct's. RM statuses are in the struct.
    ///
    /// # Errors
    /// [`DoorError::Errno`] as the kernel half answers, and the door's own.
    pub fn escape(&self, nr: u32, arg: &mut [u8]) -> Result<(), DoorError> {
        let size = u32::try_from(arg.len()).ok().filter(|s| *s < 1 << 14);
        let size = size.ok_or(DoorError::Errno(libc::EINVAL))?;
        if nr > 0xff {
            return Err(DoorError::Errno(libc::EINVAL));
        }
        // _IOWR('F', nr, size)
        self.ioctl(
            0xc000_0000 | size << 16 | u32::from(abi::nv::escapes::IOCTL_MAGIC) << 8 | nr,
            arg,
        )
    }

    /// Runs a command with a bare number (UVM).
    ///
    /// # Errors
    /// As [`File::escape`].
    pub fn command(&self, request: u32, arg: &mut [u8]) -> Result<(), DoorError> {
        self.ioctl(request, arg)
    }

    fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), DoorError> {
        fork::check()?;
        match &self.0 {
            Inner::Socket(file) => file.ioctl(request, arg),
            Inner::Syscall(file) => file.ioctl(request, arg),
        }
    }

    /// Maps `len` bytes (whole pages) of the file at `offset`: on a GPU or control node what RM_MAP_MEMORY parked on
    /// it (offset 0), on the UVM node managed memory or a semaphore pool (offset = address = `hint`).
    ///
    /// `hint` is where to map, 0 anywhere; `fixed` replaces what is there.
    ///
    /// # Errors
    /// `EINVAL` and others as [`DoorError::Errno`] when the kernel half refuses; [`DoorError::Os`] when `mmap` fails.
    ///
    /// # Safety
    /// With `fixed`, the caller owns `[hint, hint + len)`: nothing of Rust's lives there.
    pub unsafe fn map(
        &self,
        hint: usize,
        len: usize,
        prot: Protection,
        fixed: bool,
        offset: u64,
    ) -> Result<Mapping, DoorError> {
        fork::check()?;
        // SAFETY: the caller vouches for the range.
        let mapping = unsafe { self.map_node(hint, len, prot, fixed, offset) }?;
        let base = mapping.as_ptr().expose_provenance() as u64;
        if base == offset {
            // Only UVM's offsets are addresses.
            userfault::mapped(base, len as u64);
        }
        Ok(mapping)
    }

    /// # Safety
    /// As [`File::map`].
    unsafe fn map_node(
        &self,
        hint: usize,
        len: usize,
        prot: Protection,
        fixed: bool,
        offset: u64,
    ) -> Result<Mapping, DoorError> {
        match &self.0 {
            Inner::Socket(file) => {
                let (fd, at) = file.map(prot.bits(), offset, len as u64)?;
                // SAFETY: the caller vouches for the range.
                let mapped = unsafe { map::map(fd.as_fd(), hint, len, prot, fixed, at) };
                if mapped.is_err() && hint as u64 == offset && offset != 0 {
                    // The kernel half made a managed range for a mapping that did not come to be.
                    let _ = file.unmapped(offset, len as u64);
                }
                mapped
            }
            Inner::Syscall(file) => {
                // SAFETY: the caller vouches for the range.
                unsafe { map::map(file.as_fd(), hint, len, prot, fixed, offset) }
            }
        }
    }

    /// Tells the kernel half that the managed range `[va, va + len)` of this UVM file was unmapped; the system-call
    /// doors see it by themselves.
    ///
    /// # Errors
    /// `EINVAL` when it is no managed range.
    pub fn unmapped(&self, va: u64, len: u64) -> Result<(), DoorError> {
        fork::check()?;
        userfault::unmapped(va, len);
        match &self.0 {
            Inner::Socket(file) => file.unmapped(va, len),
            Inner::Syscall(_) => Ok(()),
        }
    }

    /// Hands this process's page faults on managed memory over to the kernel half: memory made through this UVM file
    /// from now on is tracked, with a place for each block. With `plain`, blocks move by the first touch only.
    ///
    /// # Errors
    /// [`DoorError::Os`] when the system gives no userfaultfd; [`DoorError::Errno`] when the kernel half refuses
    /// (`EINVAL`: NVIDIA's, which tracks by itself).
    pub fn track(&self, plain: bool) -> Result<(), DoorError> {
        fork::check()?;
        userfault::track(true, plain, |arg| self.ioctl(abi::vendor::UVM_TRACK, arg))
    }

    /// Managed memory made through this UVM file stays coherent; GPU faults on it map a block (64 KiB) each with
    /// `plain`, else all of a region that has been touched.
    ///
    /// # Errors
    /// [`DoorError::Errno`] when the kernel half refuses.
    pub fn track_coherent(&self, plain: bool) -> Result<(), DoorError> {
        fork::check()?;
        userfault::track(false, plain, |arg| self.ioctl(abi::vendor::UVM_TRACK, arg))
    }

    /// Waits until an event of this file happened (true), or the time is over (false; negative: no limit).
    ///
    /// # Errors
    /// [`DoorError::ServerGone`] when the server dies meanwhile.
    pub fn poll(&self, timeout_ms: i32) -> Result<bool, DoorError> {
        fork::check()?;
        match &self.0 {
            Inner::Socket(file) => map::poll(file.event_fd()?, Some(file.socket()), timeout_ms),
            Inner::Syscall(file) => map::poll(file.as_fd(), None, timeout_ms),
        }
    }

    /// A descriptor to put into a poll set of one's own; readable when an event happened. Only look, do not read it
    /// ([`File::poll`] does).
    ///
    /// # Errors
    /// As [`File::poll`].
    pub fn event_fd(&self) -> Result<BorrowedFd<'_>, DoorError> {
        fork::check()?;
        match &self.0 {
            Inner::Socket(file) => file.event_fd(),
            Inner::Syscall(file) => Ok(file.as_fd()),
        }
    }

    /// The server's number of this file (socket door), for diagnostics.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        match &self.0 {
            Inner::Socket(file) => Some(file.number()),
            Inner::Syscall(_) => None,
        }
    }
}
