//! Tracked managed memory: the userfaultfd of this process, made for the kernel half, and the thread that unmaps pages
//! for it.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use abi::agent::{self, desk};
use abi::nv::status;
use abi::vendor::{UVM_TRACK_AGENT, UVM_TRACK_COHERENT, UVM_TRACK_PLAIN};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage};

use crate::map::{self, Mapping, Protection};
use crate::{DoorError, futex};

/// `UFFD_USER_MODE_ONLY`: faults of the kernel itself (a `read` into the memory) fail instead of waiting.
const USER_MODE_ONLY: libc::c_int = 1;

/// The descriptors that an ioctl under way offers; the server gets no others.
static OFFERED: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// Managed memory of this process: base to length. Only there does the agent unmap pages.
static MANAGED: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());
/// Whether there may be any.
static TRACKED: AtomicBool = AtomicBool::new(false);

fn managed() -> MutexGuard<'static, BTreeMap<u64, u64>> {
    MANAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mapping of managed memory has come.
pub(crate) fn mapped(base: u64, len: u64) {
    if TRACKED.load(Ordering::Acquire) {
        managed().insert(base, len);
    }
}

/// It goes, or has gone: from now on its addresses are left alone.
pub(crate) fn unmapped(base: u64, len: u64) {
    if TRACKED.load(Ordering::Acquire) {
        let end = base.saturating_add(len);
        managed().retain(|at, bytes| *at + *bytes <= base || *at >= end);
    }
}

/// A duplicate of the offered descriptor, if that is its number.
pub(crate) fn offered(number: i32) -> Option<OwnedFd> {
    let offered = OFFERED.lock().unwrap_or_else(PoisonError::into_inner);
    let fd = offered.iter().find(|fd| fd.as_raw_fd() == number)?;
    fd.try_clone().ok()
}

/// Stack of the agent.
const STACK: usize = 64 << 10;

/// A thread that unmaps pages of managed memory on request (`abi::agent`), and the socket to ask it by. It ends with
/// the socket.
fn start_agent() -> Option<OwnedFd> {
    let (ours, theirs) = rustix::net::socketpair(
        rustix::net::AddressFamily::UNIX,
        rustix::net::SocketType::SEQPACKET,
        rustix::net::SocketFlags::CLOEXEC,
        None,
    )
    .ok()?;
    // Signals are the program's: this thread takes none.
    // SAFETY: two sets of our own.
    let before = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        before
    };
    let started = std::thread::Builder::new()
        .name("antlerite-uvm".into())
        .stack_size(STACK)
        .spawn(move || serve(&ours));
    // SAFETY: the set that was in force.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    started.is_ok().then_some(theirs)
}

/// The page that the kernel half asks by (`abi::agent::desk`).
struct Desk {
    page: Mapping,
    /// Number of the last request that was answered.
    done: u32,
}

impl Desk {
    fn new(fd: BorrowedFd<'_>) -> Result<Self, Errno> {
        if rustix::fs::fstat(fd)?.st_size.cast_unsigned() < desk::BYTES as u64 {
            return Err(Errno::INVAL);
        }
        // SAFETY: nothing is replaced.
        let page = unsafe { map::map(fd, 0, desk::BYTES, Protection::READ_WRITE, false, 0) };
        let page = page.map_err(|_| Errno::NOMEM)?;
        Ok(Self { page, done: 0 })
    }

    fn word(&self, offset: usize) -> &AtomicU32 {
        assert!(offset + 4 <= desk::BYTES && offset.is_multiple_of(4));
        // SAFETY: in bounds and aligned (checked); mapped as long as `self`; both sides use atomics.
        unsafe { AtomicU32::from_ptr(self.page.as_ptr().add(offset).cast()) }
    }

    fn long(&self, offset: usize) -> u64 {
        assert!(offset + 8 <= desk::BYTES && offset.is_multiple_of(8));
        // SAFETY: as in `word`.
        unsafe { AtomicU64::from_ptr(self.page.as_ptr().add(offset).cast()) }
            .load(Ordering::Relaxed)
    }

    /// Answers requests until none has come for a while; then the socket is to be listened to.
    fn serve(&mut self) {
        loop {
            let asked = self.word(desk::ASKED);
            let number = asked.load(Ordering::SeqCst);
            if number != self.done {
                let errno = errno_of(zap(self.long(desk::VA), self.long(desk::LEN)));
                self.word(desk::ERRNO).store(errno, Ordering::Relaxed);
                let answered = self.word(desk::ANSWERED);
                answered.store(number, Ordering::Release);
                futex::wake_all(answered);
                self.done = number;
                continue;
            }
            futex::wait(asked, number, desk::PATIENCE);
            if asked.load(Ordering::SeqCst) != number {
                continue;
            }
            let asleep = self.word(desk::ASLEEP);
            asleep.store(1, Ordering::SeqCst);
            if asked.load(Ordering::SeqCst) == number {
                return;
            }
            asleep.store(0, Ordering::SeqCst);
        }
    }

    fn awake(&self) {
        self.word(desk::ASLEEP).store(0, Ordering::SeqCst);
    }
}

fn errno_of(result: Result<(), Errno>) -> u32 {
    result.map_or_else(|e| e.raw_os_error().cast_unsigned(), |()| 0)
}

fn serve(socket: &OwnedFd) {
    let mut desk: Option<Desk> = None;
    loop {
        if let Some(desk) = &mut desk {
            desk.serve();
        }
        let received = receive(socket);
        if let Some(desk) = &desk {
            desk.awake();
        }
        let errno = match received {
            None => return,
            Some((_, Some(fd))) => errno_of(Desk::new(fd.as_fd()).map(|new| desk = Some(new))),
            Some((request, None)) => match agent::span(&request) {
                // Only to wake us.
                (_, 0) => continue,
                (va, len) => errno_of(zap(va, len)),
            },
        };
        let answer = errno.to_le_bytes();
        if rustix::net::send(socket, &answer, rustix::net::SendFlags::NOSIGNAL).is_err() {
            return;
        }
    }
}

/// The next packet, with the descriptor that came with it. None at the socket's end.
fn receive(socket: &OwnedFd) -> Option<([u8; agent::REQUEST_BYTES], Option<OwnedFd>)> {
    loop {
        let mut request = [0; agent::REQUEST_BYTES];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = rustix::net::recvmsg(
            socket,
            &mut [std::io::IoSliceMut::new(&mut request)],
            &mut control,
            rustix::net::RecvFlags::CMSG_CLOEXEC,
        );
        match received {
            Ok(received) if received.bytes == agent::REQUEST_BYTES => {}
            Err(Errno::INTR) => continue,
            Ok(_) | Err(_) => return None,
        }
        let fd = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
            _ => None,
        });
        return Some((request, fd));
    }
}

/// Unmaps pages that lie in one managed mapping.
fn zap(va: u64, len: u64) -> Result<(), Errno> {
    let managed = managed();
    let inside = managed
        .range(..=va)
        .next_back()
        .is_some_and(|(base, bytes)| va.checked_add(len).is_some_and(|end| end <= base + bytes));
    let (Ok(at), Ok(size)) = (usize::try_from(va), usize::try_from(len)) else {
        return Err(Errno::NOMEM);
    };
    if !inside {
        return Err(Errno::NOMEM);
    }
    // SAFETY: shared pages of a memfd, which stay in it; whoever unmaps them says so first, and waits for the lock.
    let result = unsafe {
        libc::madvise(
            std::ptr::with_exposed_provenance_mut(at),
            size,
            libc::MADV_DONTNEED,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        let error = std::io::Error::last_os_error();
        Err(Errno::from_io_error(&error).unwrap_or(Errno::IO))
    }
}

fn create() -> Result<OwnedFd, DoorError> {
    let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
    let mut last = 0;
    // With privilege also the kernel's own accesses can wait.
    for flags in [flags, flags | USER_MODE_ONLY] {
        // SAFETY: userfaultfd takes no pointers.
        let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
        if let Some(fd) = i32::try_from(fd).ok().filter(|fd| *fd >= 0) {
            // SAFETY: the call returned a new descriptor that nobody else owns.
            return Ok(unsafe { OwnedFd::from_raw_fd(fd) });
        }
        last = std::io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(libc::EIO);
    }
    Err(DoorError::os("userfaultfd")(Errno::from_raw_os_error(last)))
}

/// Makes the descriptor, has `command` tell the kernel half of it, and closes this process's own: so a kernel half that
/// dies releases who waits for it. Without `faults` only the policy is told: memory stays coherent.
pub(crate) fn track(
    faults: bool,
    plain: bool,
    command: impl FnOnce(&mut [u8]) -> Result<(), DoorError>,
) -> Result<(), DoorError> {
    let (mut flags, mut numbers) = (if plain { UVM_TRACK_PLAIN } else { 0 }, [-1; 2]);
    if faults {
        let mut fds = vec![create()?];
        if let Some(agent) = start_agent() {
            flags |= UVM_TRACK_AGENT;
            fds.push(agent);
        }
        for (number, fd) in numbers.iter_mut().zip(&fds) {
            *number = fd.as_raw_fd();
        }
        *OFFERED.lock().unwrap_or_else(PoisonError::into_inner) = fds;
        TRACKED.store(true, Ordering::Release);
    } else {
        flags |= UVM_TRACK_COHERENT;
    }
    let mut arg = [0_u8; 16];
    arg[0..4].copy_from_slice(&numbers[0].to_le_bytes());
    arg[4..8].copy_from_slice(&flags.to_le_bytes());
    arg[8..12].copy_from_slice(&numbers[1].to_le_bytes());
    let result = command(&mut arg);
    OFFERED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
    result?;
    match arg[12..16] {
        [a, b, c, d] if u32::from_le_bytes([a, b, c, d]) == status::NV_OK => Ok(()),
        _ => Err(DoorError::Errno(libc::EOPNOTSUPP)),
    }
}
