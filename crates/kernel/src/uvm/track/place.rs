//! One side of managed memory: its userfaultfd, and who takes pages away from it.
//!
//! All sides map the same memfd. Giving a block to a side maps pages that are there already (`UFFDIO_CONTINUE`); taking
//! it away has to be done by the process itself, which a thread there does on request (`abi::agent`), because no
//! process may unmap another's pages.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use abi::agent;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};

use super::desk::Desk;
use super::uffd::Uffd;
use crate::gpu::Gpu;
use crate::vaspace::VaSpace;

/// How long the process may take to unmap pages. After that it is not asked again.
pub(super) const DEADLINE: Duration = Duration::from_secs(1);

/// The thread in another process that takes pages away there. What it answers concerns that process alone: whoever
/// keeps pages mapped sees the same bytes as everyone else, uncounted.
#[derive(Debug, Default)]
pub(super) struct Agent {
    socket: Option<Arc<OwnedFd>>,
    way: Way,
}

/// How it is asked.
#[derive(Debug, Default)]
enum Way {
    /// Not asked yet.
    #[default]
    None,
    /// By a page that both map.
    Desk(Desk),
    /// By packets: it took no desk.
    Packets,
}

impl Agent {
    /// The agent at the other end of a socket; none where there is no socket.
    pub(super) fn new(socket: Option<Arc<OwnedFd>>) -> Self {
        Self {
            socket,
            way: Way::None,
        }
    }

    /// Has the pages of a span unmapped. False when it is not there, does not answer, or cannot.
    fn zap(&mut self, va: u64, len: u64) -> bool {
        let Some(socket) = &self.socket else {
            return false;
        };
        if matches!(self.way, Way::None) {
            self.way = offer(socket).map_or(Way::Packets, Way::Desk);
        }
        let answer = match &mut self.way {
            Way::Desk(desk) => desk.ask(socket, va, len),
            Way::None | Way::Packets => ask(socket, va, len),
        };
        match answer {
            Some(0) => true,
            // Nothing of the kind is mapped there: nothing to take away.
            Some(errno) => errno == Errno::NOMEM.raw_os_error().cast_unsigned(),
            None => {
                self.socket = None;
                self.way = Way::None;
                false
            }
        }
    }
}

/// Offers a desk. None where there is none to be had, or it is not taken.
fn offer(socket: &OwnedFd) -> Option<Desk> {
    let (desk, fd) = Desk::new()?;
    let fds = [fd.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&fds));
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    let request = [0; agent::REQUEST_BYTES];
    let request = [std::io::IoSlice::new(&request)];
    rustix::net::sendmsg(socket, &request, &mut control, flags).ok()?;
    (answer(socket) == Some(0)).then_some(desk)
}

/// One question and its answer, an errno or 0. None: no answer in time, or no socket.
fn ask(socket: &OwnedFd, va: u64, len: u64) -> Option<u32> {
    let mut request = [0; agent::REQUEST_BYTES];
    request[..8].copy_from_slice(&va.to_le_bytes());
    request[8..].copy_from_slice(&len.to_le_bytes());
    // It is the other process's to set timeouts on, so none is relied upon.
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    rustix::net::send(socket, &request, flags).ok()?;
    answer(socket)
}

/// The answer to a packet.
fn answer(socket: &OwnedFd) -> Option<u32> {
    let due = std::time::Instant::now() + DEADLINE;
    loop {
        let left = due.saturating_duration_since(std::time::Instant::now());
        let wait = rustix::event::Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(0),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        match rustix::event::poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&wait)) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return None,
        }
        let mut answer = [0; agent::ANSWER_BYTES];
        match rustix::net::recv(socket, &mut answer, RecvFlags::DONTWAIT) {
            Ok((_, agent::ANSWER_BYTES)) => return Some(u32::from_le_bytes(answer)),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(_) | Err(_) => return None,
        }
    }
}

/// A side.
#[derive(Debug)]
pub(super) struct Place {
    /// None at the CPU of coherent memory, which never waits for a page.
    pub(super) uffd: Option<Uffd>,
    pub(super) agent: Agent,
    /// The GPU with its space; none for the CPU.
    pub(super) gpu: Option<(Arc<Gpu>, Arc<VaSpace>)>,
    /// Blocks there, least recently come first.
    pub(super) order: BTreeMap<u64, u64>,
}

impl Place {
    /// Faults on a span are ours to resolve from now on.
    ///
    /// # Errors
    /// As [`Uffd::register`].
    pub(super) fn register(&self, va: u64, len: u64) -> Result<(), Errno> {
        self.uffd
            .as_ref()
            .map_or(Ok(()), |uffd| uffd.register(va, len))
    }

    /// No longer; whoever waits goes on.
    pub(super) fn unregister(&self, va: u64, len: u64) {
        if let Some(uffd) = &self.uffd {
            uffd.unregister(va, len);
        }
    }

    /// Lets who waits look again.
    pub(super) fn wake(&self, va: u64, len: u64) {
        if let Some(uffd) = &self.uffd {
            uffd.wake(va, len);
        }
    }

    /// Stores wait from now on, or no longer. Fails when nothing is mapped there any more: then no one stores.
    pub(super) fn protect(&self, va: u64, len: u64, on: bool) {
        if let Some(uffd) = &self.uffd {
            let _ = uffd.protect(va, len, on);
        }
    }

    /// Maps a span's pages, zeroed ones where there are none, and lets who waits go on. Returns how many bytes were not
    /// mapped before: none where nothing is mapped any more.
    pub(super) fn put(&self, va: u64, len: u64, how: How) -> u64 {
        let Some(uffd) = &self.uffd else {
            return 0;
        };
        let put = uffd.put(va, len, how);
        if put.is_err() {
            uffd.wake(va, len);
        }
        put.unwrap_or(0)
    }

    /// Takes a span's pages away from this side. False when its process does not do it.
    pub(super) fn zap(&mut self, va: u64, len: u64) -> bool {
        self.uffd.is_none() || self.agent.zap(va, len)
    }
}

/// What pages that are to be mapped are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Nobody has touched them.
    Fresh,
    /// They are there.
    Shared,
    /// They are there, and stores shall wait.
    Protected,
}
