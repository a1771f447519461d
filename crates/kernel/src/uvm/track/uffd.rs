//! A userfaultfd of another process's address space (`ioctl_userfaultfd(2)`), as typed calls.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use super::place::How;
use crate::gpu_process::UffdUse;
use crate::memory::PAGE;

const API: libc::c_ulong = 0xc018_aa3f;
const REGISTER: libc::c_ulong = 0xc020_aa00;
const UNREGISTER: libc::c_ulong = 0x8010_aa01;
const WAKE: libc::c_ulong = 0x8010_aa02;
const ZEROPAGE: libc::c_ulong = 0xc020_aa04;
const WRITEPROTECT: libc::c_ulong = 0xc018_aa06;
const CONTINUE: libc::c_ulong = 0xc020_aa07;

const UFFD_API: u64 = 0xaa;
/// PAGEFAULT_FLAG_WP | MISSING_SHMEM | MINOR_SHMEM | WP_HUGETLBFS_SHMEM (Linux 5.19).
const FEATURES: u64 = 1 | 1 << 5 | 1 << 10 | 1 << 12;
/// MISSING | WP | MINOR.
const MODES: u64 = 1 | 2 | 4;
/// Linux 6.4.
const CONTINUE_WP: u64 = 2;
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

/// The descriptor, initialised. Given back to who else may serve it when dropped.
#[derive(Debug)]
pub(super) struct Uffd(Arc<OwnedFd>, Arc<Mutex<UffdUse>>);

impl Drop for Uffd {
    fn drop(&mut self) {
        lock(&self.1).taken = false;
    }
}

fn lock(used: &Mutex<UffdUse>) -> MutexGuard<'_, UffdUse> {
    used.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Uffd {
    /// Takes a descriptor that someone else made, of which `used` says what was done with it here.
    ///
    /// # Errors
    /// `EBUSY` when another serves it; `EINVAL` when it is something else, was initialised elsewhere, or the kernel has
    /// not what is needed.
    pub(super) fn adopt(fd: Arc<OwnedFd>, used: Arc<Mutex<UffdUse>>) -> Result<Self, Errno> {
        let initialised = {
            let mut state = lock(&used);
            if state.taken {
                return Err(Errno::BUSY);
            }
            state.taken = true;
            state.initialised
        };
        let uffd = Self(fd, used);
        if initialised {
            return Ok(uffd);
        }
        uffd.initialise()?;
        lock(&uffd.1).initialised = true;
        Ok(uffd)
    }

    fn initialise(&self) -> Result<(), Errno> {
        let fd = &self.0;
        let name = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd()));
        if !name.is_ok_and(|name| name.as_os_str() == "anon_inode:[userfaultfd]") {
            return Err(Errno::INVAL);
        }
        let mut api = [UFFD_API, FEATURES, 0];
        self.call(API, &mut api)
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
        // Linux wakes before it takes the areas' locks: a fault under such a lock may have begun to wait since.
        self.wake(va, len);
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

    /// Maps a span's pages: those that are in the file, zeroed ones where it has none. Wakes who waits there. Returns
    /// how many bytes were not mapped before.
    ///
    /// # Errors
    /// `ENOENT`, `ESRCH`: nothing is mapped there any more; `ENOMEM`.
    pub(super) fn put(&self, va: u64, len: u64, how: How) -> Result<u64, Errno> {
        let end = va + len;
        let (mut at, mut put, mut silent) = (va, 0, false);
        let mut fresh = how == How::Fresh;
        let mut mode = if how == How::Protected {
            CONTINUE_WP
        } else {
            0
        };
        // The other kind was tried for this page.
        let mut tried = false;
        while at < end {
            // What is not as its neighbours is done alone.
            let left = if tried { PAGE } else { end - at };
            let request = if fresh { ZEROPAGE } else { CONTINUE };
            let mut argument = [at, left, if fresh { 0 } else { mode }, 0];
            let result = self.call(request, &mut argument);
            // The count, or a negative error.
            let done = argument[3];
            let done = if done.cast_signed() > 0 { done } else { 0 };
            at += done;
            put += done;
            let other = tried && done == 0;
            if done != 0 && tried {
                fresh = how == How::Fresh;
                tried = false;
            }
            match result {
                Ok(()) | Err(Errno::AGAIN) => {}
                // A zeroed page where the file has one; a page of the file where it has none; either where one is
                // mapped.
                Err(Errno::EXIST) if fresh && !other => (fresh, tried) = (false, true),
                Err(Errno::FAULT) if !fresh && !other => (fresh, tried) = (true, true),
                Err(Errno::EXIST | Errno::FAULT) => {
                    at += PAGE;
                    silent = true;
                    fresh = how == How::Fresh;
                    tried = false;
                }
                Err(Errno::INVAL) if mode != 0 => mode = 0,
                Err(errno) => return Err(errno),
            }
        }
        if how == How::Protected && mode == 0 {
            // Older kernels. A store that slips through is seen by all, uncounted.
            self.protect(va, len, true)?;
        }
        if silent {
            self.wake(va, len);
        }
        Ok(put)
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

#[cfg(test)]
#[expect(
    clippy::print_stdout,
    reason = "a test that cannot be judged here says so"
)]
mod tests {
    use super::*;
    use std::os::fd::FromRawFd;

    /// `UFFD_USER_MODE_ONLY`: allowed to everyone.
    const USER_MODE_ONLY: libc::c_int = 1;

    #[test]
    fn one_serves_it_at_a_time_and_the_next_goes_on() {
        let flags = libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY;
        // SAFETY: no pointers.
        let made = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
        let Ok(fd) = i32::try_from(made).map_err(drop).and_then(|fd| {
            // SAFETY: just made, and nobody else's.
            (fd >= 0)
                .then(|| unsafe { OwnedFd::from_raw_fd(fd) })
                .ok_or(())
        }) else {
            println!("not judged: no userfaultfd here");
            return;
        };
        let (fd, used) = (Arc::new(fd), Arc::<Mutex<UffdUse>>::default());
        let adopt = || Uffd::adopt(Arc::clone(&fd), Arc::clone(&used));
        let first = match adopt() {
            Ok(first) => first,
            Err(errno) => {
                println!("not judged: {errno}");
                return;
            }
        };
        assert_eq!(adopt().err(), Some(Errno::BUSY));
        let len = 16 * PAGE;
        let size = usize::try_from(len).expect("small");
        let memory =
            rustix::fs::memfd_create("managed", rustix::fs::MemfdFlags::CLOEXEC).expect("memfd");
        rustix::fs::ftruncate(&memory, len).expect("size");
        // SAFETY: a new mapping at an address of the kernel's choice.
        let at = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                size,
                rustix::mm::ProtFlags::READ | rustix::mm::ProtFlags::WRITE,
                rustix::mm::MapFlags::SHARED,
                &memory,
                0,
            )
        }
        .expect("mapped");
        let va = at.expose_provenance() as u64;
        first.register(va, len).expect("registered");
        first.unregister(va, len);
        drop(first);
        let second = adopt().expect("free again");
        second.register(va, len).expect("registered again");
        // A page that the new one maps is there.
        assert_eq!(second.put(va, PAGE, How::Fresh), Ok(PAGE));
        // SAFETY: within the mapping, and the page is there.
        assert_eq!(unsafe { at.cast::<u8>().read_volatile() }, 0);
        second.unregister(va, len);
        // SAFETY: the mapping is ours.
        unsafe { rustix::mm::munmap(at, size) }.expect("unmapped");
    }
}
