//! Pages that another process maps too: touched by atomics only.

use std::os::fd::{AsFd, AsRawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Our mapping of a memfd.
#[derive(Debug)]
pub(crate) struct SharedPage {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping lives as long as the value, and is only accessed through atomics.
unsafe impl Send for SharedPage {}
// SAFETY: as above.
unsafe impl Sync for SharedPage {}

impl SharedPage {
    /// Maps the first `bytes` of a memfd whose size nobody can change. None when the system gives no memory.
    pub(crate) fn new(fd: impl AsFd, bytes: usize) -> Option<Self> {
        // SAFETY: a fresh shared mapping; nobody can take the memory behind it away.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_fd().as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base = NonNull::new(base.cast())?;
        Some(Self { base, bytes })
    }

    fn at(&self, offset: usize, size: usize) -> *mut u8 {
        assert!(
            offset + size <= self.bytes && offset.is_multiple_of(size),
            "constant offsets of the page"
        );
        // SAFETY: in bounds (checked).
        unsafe { self.base.as_ptr().add(offset) }
    }

    /// The word of 32 bits at an offset.
    pub(crate) fn word(&self, offset: usize) -> &AtomicU32 {
        let at = self.at(offset, 4);
        // SAFETY: in bounds and aligned; the mapping lives as long as `self`; all access is atomic.
        unsafe { AtomicU32::from_ptr(at.cast()) }
    }

    /// The word of 64 bits at an offset.
    pub(crate) fn long(&self, offset: usize) -> &AtomicU64 {
        let at = self.at(offset, 8);
        // SAFETY: as in `word`.
        unsafe { AtomicU64::from_ptr(at.cast()) }
    }
}

impl Drop for SharedPage {
    fn drop(&mut self) {
        // SAFETY: our own mapping; no reference into it outlives the value.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
