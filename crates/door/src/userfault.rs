//! The userfaultfd of this process, made for the kernel half (tracked managed memory).

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use abi::nv::status;
use abi::vendor::UVM_TRACK_PLAIN;

use crate::DoorError;

/// `UFFD_USER_MODE_ONLY`: faults of the kernel itself (a `read` into the memory) fail instead of waiting.
const USER_MODE_ONLY: libc::c_int = 1;

/// The descriptor that an ioctl under way offers; the server gets no other.
static OFFERED: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// A duplicate of the offered descriptor, if that is its number.
pub(crate) fn offered(number: i32) -> Option<OwnedFd> {
    let offered = OFFERED.lock().unwrap_or_else(PoisonError::into_inner);
    let fd = offered.as_ref().filter(|fd| fd.as_raw_fd() == number)?;
    fd.try_clone().ok()
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
    Err(DoorError::os("userfaultfd")(
        rustix::io::Errno::from_raw_os_error(last),
    ))
}

/// Makes the descriptor, has `command` tell the kernel half of it, and closes this process's own: so a kernel half that
/// dies releases who waits for it.
pub(crate) fn track(
    plain: bool,
    command: impl FnOnce(&mut [u8]) -> Result<(), DoorError>,
) -> Result<(), DoorError> {
    let fd = create()?;
    let mut arg = [0_u8; 16];
    arg[0..4].copy_from_slice(&fd.as_raw_fd().to_le_bytes());
    arg[4..8].copy_from_slice(&if plain { UVM_TRACK_PLAIN } else { 0 }.to_le_bytes());
    *OFFERED.lock().unwrap_or_else(PoisonError::into_inner) = Some(fd);
    let result = command(&mut arg);
    OFFERED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    result?;
    match arg[12..16] {
        [a, b, c, d] if u32::from_le_bytes([a, b, c, d]) == status::NV_OK => Ok(()),
        _ => Err(DoorError::Errno(libc::EOPNOTSUPP)),
    }
}
