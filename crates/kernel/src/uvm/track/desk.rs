//! The page by which an agent is asked (`abi::agent::desk`): requests and answers without a packet.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use abi::agent::{self, desk};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::place::DEADLINE;

/// How often the socket is looked at while an answer is waited for.
const LOOK: Duration = Duration::from_millis(20);

/// Our side of the page. What is read there is the other process's word: an answer that concerns it alone.
#[derive(Debug)]
pub(super) struct Desk {
    base: NonNull<u8>,
    last: u32,
}

// SAFETY: the mapping lives as long as the value, and is only accessed through atomics.
unsafe impl Send for Desk {}
// SAFETY: as above.
unsafe impl Sync for Desk {}

impl Drop for Desk {
    fn drop(&mut self) {
        // SAFETY: our own mapping; no reference into it outlives the value.
        unsafe { libc::munmap(self.base.as_ptr().cast(), desk::BYTES) };
    }
}

impl Desk {
    /// A fresh page, and the descriptor to offer it by. None when the system gives none.
    pub(super) fn new() -> Option<(Self, OwnedFd)> {
        let fd = crate::memory::sized_memfd("antlerite-desk", desk::BYTES as u64).ok()?;
        // SAFETY: a fresh shared mapping of a memfd whose size nobody can change.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                desk::BYTES,
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
        Some((Self { base, last: 0 }, fd))
    }

    fn word(&self, offset: usize) -> &AtomicU32 {
        assert!(
            offset + 4 <= desk::BYTES && offset.is_multiple_of(4),
            "constant offsets of the page"
        );
        // SAFETY: in bounds and aligned (checked); the mapping lives as long as `self`; all access is atomic.
        unsafe { AtomicU32::from_ptr(self.base.as_ptr().add(offset).cast()) }
    }

    fn long(&self, offset: usize) -> &AtomicU64 {
        assert!(
            offset + 8 <= desk::BYTES && offset.is_multiple_of(8),
            "constant offsets of the page"
        );
        // SAFETY: as in `word`.
        unsafe { AtomicU64::from_ptr(self.base.as_ptr().add(offset).cast()) }
    }

    /// One question and its answer, an errno or 0. None: no answer in time, or no agent any more.
    pub(super) fn ask(&mut self, socket: &OwnedFd, va: u64, len: u64) -> Option<u32> {
        self.last = self.last.wrapping_add(1);
        self.long(desk::VA).store(va, Ordering::Relaxed);
        self.long(desk::LEN).store(len, Ordering::Relaxed);
        let asked = self.word(desk::ASKED);
        asked.store(self.last, Ordering::SeqCst);
        if self.word(desk::ASLEEP).load(Ordering::SeqCst) == 0 {
            door::futex::wake_all(asked);
        } else {
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match rustix::net::send(socket, &[0; agent::REQUEST_BYTES], flags) {
                // Full of packets that wake it.
                Ok(_) | Err(Errno::AGAIN) => {}
                Err(_) => return None,
            }
        }
        let answered = self.word(desk::ANSWERED);
        let start = Instant::now();
        loop {
            let seen = answered.load(Ordering::Acquire);
            if seen == self.last {
                return Some(self.word(desk::ERRNO).load(Ordering::Relaxed));
            }
            let waited = start.elapsed();
            if waited >= DEADLINE || (waited >= LOOK && is_over(socket)) {
                return None;
            }
            door::futex::wait(answered, seen, LOOK);
        }
    }
}

/// Whether the other end of the socket is closed.
fn is_over(socket: &OwnedFd) -> bool {
    let now = rustix::event::Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let mut fds = [PollFd::new(socket, PollFlags::RDHUP)];
    let over = PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR;
    rustix::event::poll(&mut fds, Some(&now)).is_err() || fds[0].revents().intersects(over)
}
