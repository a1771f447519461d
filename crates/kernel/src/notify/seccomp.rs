//! The notification listener (`seccomp_unotify(2)`), as typed calls.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::io::Errno;

const RECV: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
const ID_VALID: libc::c_ulong = 0x4008_2102;
const ADDFD: libc::c_ulong = 0x4018_2103;
const SET_FLAGS: libc::c_ulong = 0x4008_2104;
const SYNC_WAKE_UP: u64 = 1;
const RESPONSE_CONTINUE: u32 = 1;
const ADDFD_SETFD: u32 = 1;

/// A stopped system call (`struct seccomp_notif`, 80 bytes).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Notification {
    /// Number of this stop.
    pub id: u64,
    /// Thread that made the call, in our pid namespace; 0 = not visible from here.
    pub tid: u32,
    flags: u32,
    /// Which call.
    pub number: i32,
    arch: u32,
    ip: u64,
    /// Arguments of the call.
    pub args: [u64; 6],
}

#[repr(C)]
struct Response {
    id: u64,
    val: i64,
    error: i32,
    flags: u32,
}

#[repr(C)]
struct AddFd {
    id: u64,
    flags: u32,
    source: u32,
    target: u32,
    target_flags: u32,
}

/// What the stopped call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// 0, or the errno.
    Return(Result<(), Errno>),
    /// This number.
    Value(i64),
    /// The kernel goes on with the call as it was made.
    Continue,
}

/// The listener's end.
#[derive(Debug)]
pub struct Listener(OwnedFd);

impl Listener {
    /// Takes the descriptor; asks for wake-ups on the same CPU where the kernel can.
    #[must_use]
    pub fn new(fd: OwnedFd) -> Self {
        // SAFETY: the flags travel by value; an older kernel refuses them, which only costs speed.
        unsafe { libc::ioctl(fd.as_raw_fd(), SET_FLAGS, SYNC_WAKE_UP) };
        Self(fd)
    }

    /// Waits for the next stopped call.
    ///
    /// # Errors
    /// `ENOENT` when the caller died meanwhile, `EINTR`, or what says that the descriptor is no listener.
    pub fn receive(&self) -> Result<Notification, Errno> {
        let mut notification = Notification::default();
        // SAFETY: the struct has the kernel's layout and is zeroed, as RECV demands.
        let result = unsafe { libc::ioctl(self.0.as_raw_fd(), RECV, &raw mut notification) };
        if result < 0 {
            Err(last())
        } else {
            Ok(notification)
        }
    }

    /// Whether the stopped call still waits (so what was read by thread id was read from the right process).
    #[must_use]
    pub fn is_valid(&self, id: u64) -> bool {
        // SAFETY: `id` outlives the call.
        unsafe { libc::ioctl(self.0.as_raw_fd(), ID_VALID, &raw const id) == 0 }
    }

    /// Ends the stop. A caller that died meanwhile is no error.
    pub fn answer(&self, id: u64, verdict: Verdict) {
        let (val, error, flags) = match verdict {
            Verdict::Return(Ok(())) => (0, 0, 0),
            Verdict::Value(value) => (value, 0, 0),
            Verdict::Return(Err(errno)) => (0, -errno.raw_os_error(), 0),
            Verdict::Continue => (0, 0, RESPONSE_CONTINUE),
        };
        let response = Response {
            id,
            val,
            error,
            flags,
        };
        // SAFETY: the struct has the kernel's layout and outlives the call.
        unsafe { libc::ioctl(self.0.as_raw_fd(), SEND, &raw const response) };
    }

    /// Puts `source` at the caller's descriptor number `target`, closing what was there.
    ///
    /// # Errors
    /// `EBADF`, `EMFILE`, `ENOENT` when the caller died.
    pub fn set_fd(
        &self,
        id: u64,
        source: &impl AsFd,
        target: i32,
        cloexec: bool,
    ) -> Result<(), Errno> {
        let source = u32::try_from(source.as_fd().as_raw_fd()).map_err(|_| Errno::BADF)?;
        let target = u32::try_from(target).map_err(|_| Errno::BADF)?;
        let target_flags = if cloexec {
            libc::O_CLOEXEC.cast_unsigned()
        } else {
            0
        };
        let add = AddFd {
            id,
            flags: ADDFD_SETFD,
            source,
            target,
            target_flags,
        };
        // SAFETY: the struct has the kernel's layout and outlives the call.
        let result = unsafe { libc::ioctl(self.0.as_raw_fd(), ADDFD, &raw const add) };
        if result < 0 { Err(last()) } else { Ok(()) }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn last() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
