//! A userfaultfd of another process's address space (`ioctl_userfaultfd(2)`), as typed calls.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;

use crate::memory::PAGE;

const API: libc::c_ulong = 0xc018_aa3f;
const REGISTER: libc::c_ulong = 0xc020_aa00;
const UNREGISTER: libc::c_ulong = 0x8010_aa01;
const WAKE: libc::c_ulong = 0x8010_aa02;
const COPY: libc::c_ulong = 0xc028_aa03;
const ZEROPAGE: libc::c_ulong = 0xc020_aa04;
const WRITEPROTECT: libc::c_ulong = 0xc018_aa06;

const UFFD_API: u64 = 0xaa;
/// PAGEFAULT_FLAG_WP | MISSING_SHMEM | WP_HUGETLBFS_SHMEM (Linux 5.19).
const FEATURES: u64 = 1 | 1 << 5 | 1 << 12;
/// MISSING | WP.
const MODES: u64 = 1 | 2;
const COPY_WP: u64 = 2;
const PROTECT: u64 = 1;
const EVENT_PAGEFAULT: u8 = 0x12;
const FLAG_WRITE: u64 = 1;
const FLAG_WP: u64 = 2;
/// Bytes of `struct uffd_msg`.
const MESSAGE: usize = 32;
/// Faults that are taken at once.
const BATCH: usize = 64;

/// One fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Where.
    pub address: u64,
    /// It stores.
    pub write: bool,
    /// The page is there, and protected.
    pub protected: bool,
}

/// The descriptor, initialised.
#[derive(Debug)]
pub(super) struct Uffd(Arc<OwnedFd>);

impl Uffd {
    /// Takes a descriptor that someone else made.
    ///
    /// # Errors
    /// `EINVAL` when it is something else, was initialised before, or the kernel has not what is needed.
    pub(super) fn adopt(fd: Arc<OwnedFd>) -> Result<Self, Errno> {
        let name = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd()));
        if !name.is_ok_and(|name| name.as_os_str() == "anon_inode:[userfaultfd]") {
            return Err(Errno::INVAL);
        }
        let uffd = Self(fd);
        let mut api = [UFFD_API, FEATURES, 0];
        uffd.call(API, &mut api)?;
        Ok(uffd)
    }

    fn call<T>(&self, request: libc::c_ulong, argument: &mut T) -> Result<(), Errno> {
        // SAFETY: each caller passes the struct of its request, as an array of u64 of that size.
        let result =
            unsafe { libc::ioctl(self.0.as_raw_fd(), request, std::ptr::from_mut(argument)) };
        if result < 0 {
            Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
        } else {
            Ok(())
        }
    }

    /// From now on missing pages and stores to protected ones of the span are ours to resolve.
    ///
    /// # Errors
    /// `EINVAL` when nothing of the kind is mapped there, `ESRCH` when the process is gone.
    pub(super) fn register(&self, va: u64, len: u64) -> Result<(), Errno> {
        self.call(REGISTER, &mut [va, len, MODES, 0])
    }

    /// No longer; whoever waits goes on.
    pub(super) fn unregister(&self, va: u64, len: u64) {
        // What is unmapped is unregistered.
        let _ = self.call(UNREGISTER, &mut [va, len]);
    }

    /// Lets who waits in the span look again.
    pub(super) fn wake(&self, va: u64, len: u64) {
        // The process may be gone.
        let _ = self.call(WAKE, &mut [va, len]);
    }

    /// Stores to the span wait from now on, or no longer (then whoever waits goes on).
    pub(super) fn protect(&self, va: u64, len: u64, on: bool) -> Result<(), Errno> {
        loop {
            let mode = if on { PROTECT } else { 0 };
            match self.call(WRITEPROTECT, &mut [va, len, mode]) {
                Err(Errno::AGAIN) => {}
                other => return other,
            }
        }
    }

    /// Zeros where no page is; wakes.
    ///
    /// # Errors
    /// `ENOENT`, `ESRCH`: nothing is mapped there any more.
    pub(super) fn zero(&self, va: u64, len: u64) -> Result<(), Errno> {
        self.fill(va, len, |at, left| {
            let mut argument = [at, left, 0, 0];
            let result = self.call(ZEROPAGE, &mut argument);
            (result, argument[3])
        })
    }

    /// Puts `bytes` (whole pages) where no page is; wakes. With `protected` stores wait.
    ///
    /// # Errors
    /// `ENOENT`, `ESRCH`: nothing is mapped there any more; `ENOMEM`.
    pub(super) fn copy(&self, va: u64, bytes: &[u8], protected: bool) -> Result<(), Errno> {
        let source = bytes.as_ptr().expose_provenance() as u64;
        let mode = if protected { COPY_WP } else { 0 };
        self.fill(va, bytes.len() as u64, |at, left| {
            let mut argument = [at, source + (at - va), left, mode, 0];
            let result = self.call(COPY, &mut argument);
            (result, argument[4])
        })
    }

    /// Goes on after pages that were there, and after interruptions.
    fn fill(
        &self,
        va: u64,
        len: u64,
        step: impl Fn(u64, u64) -> (Result<(), Errno>, u64),
    ) -> Result<(), Errno> {
        let end = va + len;
        let mut at = va;
        while at < end {
            let (result, done) = step(at, end - at);
            // The count, or a negative error.
            let done = if done.cast_signed() > 0 { done } else { 0 };
            match result {
                Ok(()) => at = end,
                Err(Errno::AGAIN) => at += done,
                Err(Errno::EXIST) => {
                    at += done + PAGE;
                    if at >= end {
                        self.wake(va, len);
                    }
                }
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }

    /// The faults that wait.
    ///
    /// # Errors
    /// When the descriptor is spoilt.
    pub(super) fn faults(&self, out: &mut Vec<Fault>) -> Result<(), Errno> {
        out.clear();
        let mut buffer = [0_u8; MESSAGE * BATCH];
        let got = match rustix::io::read(&*self.0, &mut buffer) {
            Ok(got) => got,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
            Err(errno) => return Err(errno),
        };
        for message in buffer[..got].chunks_exact(MESSAGE) {
            if message[0] == EVENT_PAGEFAULT {
                let flags = crate::params::u64_at(message, 8);
                out.push(Fault {
                    address: crate::params::u64_at(message, 16),
                    write: flags & FLAG_WRITE != 0,
                    protected: flags & FLAG_WP != 0,
                });
            }
        }
        Ok(())
    }
}

impl AsFd for Uffd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
