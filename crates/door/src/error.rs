//! What can go wrong at the door.

use rustix::io::Errno;

use crate::wire::WireError;

/// An error of the door. [`DoorError::errno`] gives the number that a system call would have returned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DoorError {
    /// The kernel half (or the system call) answered with this errno.
    #[error("the kernel half answered {}", Errno::from_raw_os_error(*.0))]
    Errno(i32),
    /// The server died or closed the connection.
    #[error("antlerite-kmd is gone: it died or was stopped while this program was using it")]
    ServerGone,
    /// The server did not answer in time.
    #[error("antlerite-kmd did not answer within {0} s")]
    Timeout(u64),
    /// The server's program was not found.
    #[error("antlerite-kmd was not found (looked at {0}); set ANTLERITE_KMD to its path")]
    KmdNotFound(String),
    /// The server could not be started.
    #[error("antlerite-kmd could not be started: {0}")]
    CannotStart(String),
    /// Another version of the server holds the socket.
    #[error(
        "antlerite-kmd speaks protocol {theirs}, this library {ours}: stop the old server (`antlerite down`)"
    )]
    Version {
        /// This library's protocol.
        ours: u32,
        /// The server's.
        theirs: u32,
    },
    /// The directory, the socket or its peer belongs to someone else.
    #[error("{0}")]
    Permission(String),
    /// The process forked after it had opened the driver.
    #[error(
        "this process was forked after its parent had opened the driver; a child cannot use it"
    )]
    Forked,
    /// `ANTLERITE_DOOR` names no door.
    #[error("ANTLERITE_DOOR={0}: not a door; use socket, syscall or real")]
    BadDoor(String),
    /// The device nodes belong to a driver other than the door asked for.
    #[error("{0}")]
    WrongDriver(&'static str),
    /// The kernel half broke the protocol.
    #[error("antlerite-kmd broke the protocol: {0}")]
    Protocol(&'static str),
    /// A call of this side failed.
    #[error("{what}: {}", Errno::from_raw_os_error(*.errno))]
    Os {
        /// What was tried.
        what: &'static str,
        /// Error number.
        errno: i32,
    },
}

impl DoorError {
    /// The errno that fits.
    #[must_use]
    pub fn errno(&self) -> i32 {
        match self {
            Self::Errno(errno) | Self::Os { errno, .. } => *errno,
            Self::ServerGone => libc::ENODEV,
            Self::Timeout(_) => libc::ETIMEDOUT,
            Self::KmdNotFound(_) | Self::CannotStart(_) => libc::ENOENT,
            Self::Version { .. } | Self::Protocol(_) => libc::EPROTO,
            Self::Permission(_) => libc::EACCES,
            Self::Forked => libc::ENODEV,
            Self::BadDoor(_) => libc::EINVAL,
            Self::WrongDriver(_) => libc::ENXIO,
        }
    }

    pub(crate) fn os(what: &'static str) -> impl Fn(Errno) -> Self {
        move |errno| Self::Os {
            what,
            errno: errno.raw_os_error(),
        }
    }
}

/// Seconds that a client waits for an answer.
pub const REPLY_SECONDS: u64 = 60;

impl From<WireError> for DoorError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Gone => Self::ServerGone,
            WireError::Timeout => Self::Timeout(REPLY_SECONDS),
            WireError::Malformed => Self::Protocol("malformed frame"),
            WireError::Os(errno) => Self::Os {
                what: "socket",
                errno: errno.raw_os_error(),
            },
        }
    }
}
