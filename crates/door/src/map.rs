//! Mappings and polling.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::DoorError;

/// What a mapping may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protection {
    /// Loads.
    pub read: bool,
    /// Stores.
    pub write: bool,
}

impl Protection {
    /// Loads and stores.
    pub const READ_WRITE: Self = Self {
        read: true,
        write: true,
    };
    /// Loads.
    pub const READ: Self = Self {
        read: true,
        write: false,
    };
    /// Stores (x86 allows loads as well).
    pub const WRITE: Self = Self {
        read: false,
        write: true,
    };

    /// `PROT_*` bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        u32::from(self.read) | u32::from(self.write) << 1
    }
}

/// A mapping; unmapped when dropped unless [`Mapping::leak`]ed. Others write to it: use volatile or atomic accesses.
#[derive(Debug)]
pub struct Mapping {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: a mapping is plain memory of the process; whoever accesses it does so through raw pointers.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// First byte.
    #[must_use]
    pub fn as_ptr(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing in it (never).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Keeps it mapped: the caller unmaps.
    #[must_use]
    pub fn leak(self) -> *mut u8 {
        let base = self.base.as_ptr();
        std::mem::forget(self);
        base
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // In a forked child the range is not mapped (MADV_DONTFORK), or someone else's.
        if crate::fork::check().is_ok() {
            crate::userfault::unmapped(
                self.base.as_ptr().expose_provenance() as u64,
                self.len as u64,
            );
            // SAFETY: our own mapping.
            unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
        }
    }
}

/// Maps `fd` shared and keeps the mapping out of forked children.
///
/// # Safety
/// With `fixed`, the caller owns the range.
pub(crate) unsafe fn map(
    fd: BorrowedFd<'_>,
    hint: usize,
    len: usize,
    prot: Protection,
    fixed: bool,
    offset: u64,
) -> Result<Mapping, DoorError> {
    let offset = i64::try_from(offset).map_err(|_| DoorError::Errno(libc::EINVAL))?;
    let flags = libc::MAP_SHARED | if fixed { libc::MAP_FIXED } else { 0 };
    // SAFETY: without MAP_FIXED nothing is replaced; with it the caller vouches for the range.
    let base = unsafe {
        libc::mmap(
            std::ptr::with_exposed_provenance_mut(hint),
            len,
            prot.bits().cast_signed(),
            flags,
            fd.as_raw_fd(),
            offset,
        )
    };
    let errno = std::io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO);
    let failed = DoorError::Os {
        what: "mmap",
        errno,
    };
    if base == libc::MAP_FAILED {
        return Err(failed);
    }
    let Some(base) = NonNull::new(base.cast::<u8>()) else {
        return Err(failed);
    };
    // SAFETY: the mapping just made. A failure only means that a child would inherit it.
    unsafe { libc::madvise(base.as_ptr().cast(), len, libc::MADV_DONTFORK) };
    Ok(Mapping { base, len })
}

/// Waits for an event on `fd` and clears it (if it is an eventfd, `peer` is the connection to watch for its end).
pub(crate) fn poll(
    fd: BorrowedFd<'_>,
    peer: Option<BorrowedFd<'_>>,
    timeout_ms: i32,
) -> Result<bool, DoorError> {
    let timeout = (timeout_ms >= 0).then(|| rustix::event::Timespec {
        tv_sec: i64::from(timeout_ms / 1000),
        tv_nsec: i64::from(timeout_ms % 1000) * 1_000_000,
    });
    let mut fds = [
        PollFd::from_borrowed_fd(fd, PollFlags::IN | PollFlags::PRI),
        PollFd::from_borrowed_fd(peer.unwrap_or(fd), PollFlags::RDHUP),
    ];
    let used = if peer.is_some() { 2 } else { 1 };
    match rustix::event::poll(&mut fds[..used], timeout.as_ref()) {
        Ok(0) | Err(Errno::INTR) => return Ok(false),
        Ok(_) => {}
        Err(errno) => return Err(DoorError::os("poll")(errno)),
    }
    if fds[0].revents().intersects(PollFlags::IN | PollFlags::PRI) {
        if peer.is_some() {
            // The count is of no interest; another thread may have taken it.
            let _ = rustix::io::read(fd, &mut [0_u8; 8]);
        }
        return Ok(true);
    }
    if peer.is_some()
        && fds[1]
            .revents()
            .intersects(PollFlags::HUP | PollFlags::RDHUP | PollFlags::ERR)
    {
        return Err(DoorError::ServerGone);
    }
    Ok(false)
}
