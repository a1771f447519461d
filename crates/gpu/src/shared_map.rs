//! Memory that another process shares with the engine (USERD, usermode page, notifier): mapped once, touched by
//! volatile or atomic accesses only.

use crate::window;
use abi::link::LinkError;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::os::fd::{AsRawFd, BorrowedFd};

static NEXT: AtomicU64 = AtomicU64::new(window::ENGINE.start);

/// Takes `bytes` (rounded to pages) of address space from our own window, with a guard page after it.
///
/// # Errors
/// [`LinkError::Limit`] when the window is used up.
pub fn take_addresses(bytes: u64) -> Result<u64, LinkError> {
    let size = window::pages(bytes) + window::PAGE;
    let at = NEXT.fetch_add(size, Ordering::Relaxed);
    if at + size > window::ENGINE.end {
        Err(LinkError::Limit)
    } else {
        Ok(at)
    }
}

/// Maps anonymous memory at a fixed address of our own windows.
///
/// # Errors
/// [`LinkError::Os`] with errno.
pub fn map_anonymous(at: u64, bytes: u64) -> Result<(), LinkError> {
    // SAFETY: `at` was taken from one of our windows, where nobody else maps.
    let p = unsafe {
        libc::mmap(
            at as *mut libc::c_void,
            window::pages(bytes) as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE
                | libc::MAP_ANONYMOUS
                | libc::MAP_FIXED_NOREPLACE
                | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if p == libc::MAP_FAILED {
        Err(LinkError::Os(errno()))
    } else {
        Ok(())
    }
}

/// The last system call's error number.
#[must_use]
pub fn errno() -> i32 {
    std::io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}

/// A mapped part of a shared descriptor.
#[derive(Debug)]
pub struct SharedMap {
    base: u64,
    bytes: u64,
    /// Device and inode, to tell whether two descriptors are the same memory.
    identity: (u64, u64),
}

/// Device, inode and size of what a descriptor refers to.
///
/// # Errors
/// [`LinkError::Os`] with errno.
pub fn identify(fd: BorrowedFd) -> Result<(u64, u64, u64), LinkError> {
    // SAFETY: a zeroed stat is valid, and fstat fills it.
    let mut st: libc::stat = unsafe { core::mem::zeroed() };
    // SAFETY: `st` is valid; the raw call is one that the sandbox knows.
    let r = unsafe { libc::syscall(libc::SYS_fstat, fd.as_raw_fd(), &raw mut st) };
    if r != 0 {
        return Err(LinkError::Os(errno()));
    }
    Ok((st.st_dev, st.st_ino, st.st_size.cast_unsigned()))
}

impl SharedMap {
    /// Maps the pages of `fd` that hold `[offset, offset + bytes)`.
    ///
    /// # Errors
    /// [`LinkError::BadRange`] if the descriptor is shorter, else what mmap says.
    pub fn new(fd: BorrowedFd, offset: u64, bytes: u64) -> Result<SharedMap, LinkError> {
        let (dev, ino, size) = identify(fd)?;
        let end = offset.checked_add(bytes).ok_or(LinkError::BadRange)?;
        if end > size && size != 0 {
            return Err(LinkError::BadRange);
        }
        let first = offset & !(window::PAGE - 1);
        let len = window::pages(end - first);
        let at = take_addresses(len)?;
        let file_offset = i64::try_from(first).map_err(|_| LinkError::BadRange)?;
        // SAFETY: fresh addresses of our own window.
        let p = unsafe {
            libc::mmap(
                at as *mut libc::c_void,
                len as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE,
                fd.as_raw_fd(),
                file_offset,
            )
        };
        if p == libc::MAP_FAILED {
            return Err(LinkError::Os(errno()));
        }
        Ok(SharedMap {
            base: at + (offset - first),
            bytes,
            identity: (dev, ino),
        })
    }

    /// Device and inode of the memory.
    #[must_use]
    pub fn identity(&self) -> (u64, u64) {
        self.identity
    }

    fn at(&self, offset: usize, width: u64) -> u64 {
        assert!(
            offset as u64 + width <= self.bytes
                && (self.base + offset as u64).is_multiple_of(width),
            "inside the map"
        );
        self.base + offset as u64
    }

    /// A 32-bit word as an atomic. `offset` must lie inside.
    #[must_use]
    pub fn word(&self, offset: usize) -> &AtomicU32 {
        let at = self.at(offset, 4);
        // SAFETY: inside the mapping, aligned, lives as long as self; other processes access it as atomics or plainly.
        unsafe { AtomicU32::from_ptr(at as *mut u32) }
    }

    /// A 64-bit word as an atomic. `offset` must lie inside.
    #[must_use]
    pub fn wide(&self, offset: usize) -> &AtomicU64 {
        let at = self.at(offset, 8);
        // SAFETY: as in `word`.
        unsafe { AtomicU64::from_ptr(at as *mut u64) }
    }
}

impl Drop for SharedMap {
    fn drop(&mut self) {
        let first = self.base & !(window::PAGE - 1);
        let len = window::pages(self.base + self.bytes - first);
        // SAFETY: unmaps exactly what `new` mapped; no reference into it outlives self.
        unsafe { libc::munmap(first as *mut libc::c_void, len as usize) };
    }
}
