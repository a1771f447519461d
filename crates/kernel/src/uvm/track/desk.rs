//! The page by which an agent is asked (`abi::agent::desk`): requests and answers without a packet.

use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use abi::agent::{self, desk};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::place::DEADLINE;
use crate::shared_page::SharedPage;

/// How often the socket is looked at while an answer is waited for.
const LOOK: Duration = Duration::from_millis(20);

/// Our side of the page. What is read there is the other process's word: an answer that concerns it alone.
#[derive(Debug)]
pub(super) struct Desk {
    page: SharedPage,
    last: u32,
}

impl Desk {
    /// A fresh page, and the descriptor to offer it by. None when the system gives none.
    pub(super) fn new() -> Option<(Self, OwnedFd)> {
        let fd = crate::memory::sized_memfd("antlerite-desk", desk::BYTES as u64).ok()?;
        let page = SharedPage::new(&fd, desk::BYTES)?;
        Some((Self { page, last: 0 }, fd))
    }

    /// One question and its answer, an errno or 0. None: no answer in time, or no agent any more.
    pub(super) fn ask(&mut self, socket: &OwnedFd, va: u64, len: u64) -> Option<u32> {
        self.last = self.last.wrapping_add(1);
        self.page.long(desk::VA).store(va, Ordering::Relaxed);
        self.page.long(desk::LEN).store(len, Ordering::Relaxed);
        let asked = self.page.word(desk::ASKED);
        asked.store(self.last, Ordering::SeqCst);
        if self.page.word(desk::ASLEEP).load(Ordering::SeqCst) == 0 {
            door::futex::wake_all(asked);
        } else {
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match rustix::net::send(socket, &[0; agent::REQUEST_BYTES], flags) {
                // Full of packets that wake it.
                Ok(_) | Err(Errno::AGAIN) => {}
                Err(_) => return None,
            }
        }
        let answered = self.page.word(desk::ANSWERED);
        let start = Instant::now();
        loop {
            let seen = answered.load(Ordering::Acquire);
            if seen == self.last {
                return Some(self.page.word(desk::ERRNO).load(Ordering::Relaxed));
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
