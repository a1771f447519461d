//! Handing a program's notification listener to the server: the syscall door's start.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::net::sockopt::Timeout;

use crate::error::REPLY_SECONDS;
use crate::wire::{self, Head, Kind, MAX_PACKET, PROTOCOL};
use crate::{DoorError, start};

/// Starts the server if need be and gives it the listener of a seccomp notification filter. The server answers until the
/// last process behind the filter has ended.
///
/// # Errors
/// As [`crate::open`].
pub fn supervise(listener: &OwnedFd) -> Result<(), DoorError> {
    let socket = start::connect()?;
    rustix::net::sockopt::set_socket_timeout(
        &socket,
        Timeout::Recv,
        Some(Duration::from_secs(REPLY_SECONDS)),
    )
    .map_err(DoorError::os("receive time-out"))?;
    wire::send(
        &socket,
        Head::new(Kind::Supervise, PROTOCOL, 0, 0),
        &[],
        Some(listener.as_fd()),
    )?;
    let mut buffer = vec![0; MAX_PACKET];
    let head = wire::receive(&socket, &mut buffer)?.head;
    match head.kind {
        Kind::Welcome => Ok(()),
        Kind::Refused if head.b != u64::from(PROTOCOL) => Err(DoorError::Version {
            ours: PROTOCOL,
            theirs: u32::try_from(head.b).unwrap_or(0),
        }),
        Kind::Refused => Err(DoorError::Errno(i32::try_from(head.a).unwrap_or(libc::EIO))),
        _ => Err(DoorError::Protocol("no welcome")),
    }
}
