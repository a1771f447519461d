//! Tracked managed memory: the userfaultfd of this process, made for the kernel half, and the thread that unmaps pages
//! for it.

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use abi::agent;
use abi::nv::status;
use abi::vendor::{UVM_TRACK_AGENT, UVM_TRACK_COHERENT, UVM_TRACK_PLAIN};
use rustix::io::Errno;

use crate::DoorError;

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

fn serve(socket: &OwnedFd) {
    let mut request = [0; agent::REQUEST_BYTES];
    loop {
        match rustix::net::recv(socket, &mut request, rustix::net::RecvFlags::empty()) {
            Ok((_, agent::REQUEST_BYTES)) => {}
            Err(Errno::INTR) => continue,
            Ok(_) | Err(_) => return,
        }
        let (va, len) = agent::span(&request);
        let errno = zap(va, len).map_or_else(|e| e.raw_os_error().cast_unsigned(), |()| 0);
        let answer = errno.to_le_bytes();
        if rustix::net::send(socket, &answer, rustix::net::SendFlags::NOSIGNAL).is_err() {
            return;
        }
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
