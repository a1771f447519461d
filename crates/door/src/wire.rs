//! Frames of the socket door: `SOCK_SEQPACKET`, one frame per packet, one connection per open file.
//!
//! A frame is a [`Head`] of 24 bytes and a payload. The client asks ([`Kind::Ioctl`], [`Kind::Map`], ...) and the
//! server answers; while an ioctl is under way the server may ask back (copy-in, copy-out, whose descriptor is this,
//! pin these pages), and the client's thread answers before it gets its result. Both sides are the same build or speak
//! the same [`PROTOCOL`]; otherwise the server refuses by name.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// Version of these frames.
pub const PROTOCOL: u32 = 1;
/// Largest packet, bytes: well below the default socket buffer.
pub const MAX_PACKET: usize = 64 * 1024;
/// Largest parameter block of one ioctl, bytes (`_IOC_SIZE` has 14 bits; UVM's largest struct is 9264 bytes).
pub const MAX_ARG: usize = 16 * 1024;
/// Bytes moved per copy-in or copy-out frame.
pub const CHUNK: usize = 32 * 1024;
/// Bytes of a frame's head.
pub const HEAD: usize = 24;

macro_rules! kinds {
    ($($(#[$meta:meta])* $name:ident = $value:literal,)*) => {
        /// What a frame is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Kind { $($(#[$meta])* $name = $value,)* }

        impl Kind {
            /// The kind of that number.
            #[must_use]
            pub fn of(value: u32) -> Option<Self> {
                match value { $($value => Some(Self::$name),)* _ => None }
            }
        }
    };
}

kinds! {
    /// Client: `a` = [`PROTOCOL`], `b` = [`crate::Node::code`].
    Hello = 1,
    /// Client: `a` = request (escapes: the full `_IOWR` number), `b` = address of the read-ahead, `c` = argument bytes |
    /// read-ahead bytes << 32; payload = argument, read-ahead.
    Ioctl = 2,
    /// Client: `a` = `PROT_*`, `b` = offset, `c` = bytes.
    Map = 3,
    /// Client: give me a descriptor to poll for events.
    EventFd = 4,
    /// Client: the managed range at `b`, `c` bytes, was unmapped.
    Unmapped = 5,
    /// Client, instead of a hello: the descriptor is a notification listener; serve it (`a` = [`PROTOCOL`]).
    Supervise = 6,
    /// Client's answer to [`Kind::CopyIn`]: `a` = errno, payload = bytes.
    Data = 16,
    /// Client's answer to [`Kind::CopyOut`]: `a` = errno.
    Ack = 17,
    /// Client's answer to [`Kind::WhichFile`]: `b` = the server's number of that file, 0 = not ours.
    FileIs = 18,
    /// Client's answer to [`Kind::Pin`]: `a` = errno; 1 descriptor if 0.
    Pinned = 19,
    /// Client's answer to [`Kind::Take`]: `a` = errno; 1 descriptor if 0.
    Taken = 20,
    /// Server: `a` = [`PROTOCOL`], `b` = number of the file.
    Welcome = 32,
    /// Server: the open failed; `a` = errno, `b` = the server's protocol, payload = reason.
    Refused = 33,
    /// Server: send me `c` bytes at `b`.
    CopyIn = 34,
    /// Server: store the payload at `b`.
    CopyOut = 35,
    /// Server: which file is your descriptor `a`?
    WhichFile = 36,
    /// Server: make the pages of `b`, `c` bytes, shareable and send them.
    Pin = 37,
    /// Server: the ioctl's result. `a` = errno, `b` = argument bytes; payload = argument, then stores
    /// (address u64, bytes u64, data) that the client makes.
    Result = 38,
    /// Server: answer to [`Kind::Map`]: `a` = errno, `b` = offset in the descriptor (1 descriptor).
    Mapped = 39,
    /// Server: answer to [`Kind::EventFd`]: `a` = errno (1 descriptor).
    EventFdIs = 40,
    /// Server: send me your descriptor `a`, which this ioctl offers.
    Take = 41,
}

/// Head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// What it is.
    pub kind: Kind,
    /// First operand.
    pub a: u32,
    /// Second operand.
    pub b: u64,
    /// Third operand.
    pub c: u64,
}

impl Head {
    /// A head with operands.
    #[must_use]
    pub fn new(kind: Kind, a: u32, b: u64, c: u64) -> Self {
        Self { kind, a, b, c }
    }

    fn bytes(self) -> [u8; HEAD] {
        let mut out = [0; HEAD];
        out[0..4].copy_from_slice(&(self.kind as u32).to_le_bytes());
        out[4..8].copy_from_slice(&self.a.to_le_bytes());
        out[8..16].copy_from_slice(&self.b.to_le_bytes());
        out[16..24].copy_from_slice(&self.c.to_le_bytes());
        out
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let u64_at = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        Some(Self {
            kind: Kind::of(u32_at(0)?)?,
            a: u32_at(4)?,
            b: u64_at(8)?,
            c: u64_at(16)?,
        })
    }
}

/// What went wrong with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The other side closed the connection or died.
    #[error("the other side is gone")]
    Gone,
    /// No frame within the deadline.
    #[error("no answer within the deadline")]
    Timeout,
    /// A frame that is not one of ours.
    #[error("malformed frame")]
    Malformed,
    /// A socket call failed.
    #[error("socket: {0}")]
    Os(Errno),
}

impl From<Errno> for WireError {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::PIPE | Errno::CONNRESET | Errno::NOTCONN | Errno::CONNREFUSED => Self::Gone,
            Errno::AGAIN => Self::Timeout,
            other => Self::Os(other),
        }
    }
}

impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        error
            .raw_os_error()
            .map_or(Self::Malformed, |raw| Errno::from_raw_os_error(raw).into())
    }
}

/// Sends one frame of several payload parts, with at most one descriptor.
///
/// # Errors
/// [`WireError::Gone`] when the other side is closed.
pub fn send(
    socket: impl AsFd,
    head: Head,
    payload: &[&[u8]],
    fd: Option<BorrowedFd<'_>>,
) -> Result<(), WireError> {
    let head = head.bytes();
    let mut parts = [io::IoSlice::new(&[]); 4];
    parts[0] = io::IoSlice::new(&head);
    let mut count = 1;
    let mut total = HEAD;
    for part in payload.iter().filter(|p| !p.is_empty()) {
        let slot = parts.get_mut(count).ok_or(WireError::Malformed)?;
        *slot = io::IoSlice::new(part);
        count += 1;
        total += part.len();
    }
    if total > MAX_PACKET {
        return Err(WireError::Malformed);
    }
    let fds = fd.map(|fd| [fd]);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    loop {
        let mut control = SendAncillaryBuffer::new(&mut space);
        if let Some(fds) = &fds {
            control.push(SendAncillaryMessage::ScmRights(fds));
        }
        match rustix::net::sendmsg(&socket, &parts[..count], &mut control, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// A received frame: its head, where its payload ends in the caller's buffer, and its descriptor.
#[derive(Debug)]
pub struct Frame {
    /// The head.
    pub head: Head,
    /// Payload: `buffer[HEAD..end]`.
    pub end: usize,
    /// Descriptor that came along.
    pub fd: Option<OwnedFd>,
}

impl Frame {
    /// The payload within the buffer that was given to [`receive`].
    #[must_use]
    pub fn payload<'a>(&self, buffer: &'a [u8]) -> &'a [u8] {
        buffer.get(HEAD..self.end).unwrap_or(&[])
    }
}

/// Receives one frame into `buffer` ([`MAX_PACKET`] bytes). Descriptors arrive close-on-exec.
///
/// # Errors
/// [`WireError::Gone`] at end of file; [`WireError::Timeout`] when the socket's receive time-out passed.
pub fn receive(socket: impl AsFd, buffer: &mut [u8]) -> Result<Frame, WireError> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let message = loop {
        let mut parts = [io::IoSliceMut::new(buffer)];
        match rustix::net::recvmsg(&socket, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Ok(message) => break message,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    };
    let mut fd = None;
    for item in control.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = item {
            for received in fds {
                fd = Some(received);
            }
        }
    }
    if message.bytes == 0 {
        return Err(WireError::Gone);
    }
    if message.flags.contains(ReturnFlags::TRUNC) {
        return Err(WireError::Malformed);
    }
    let end = message.bytes;
    let head = Head::parse(&buffer[..end]).ok_or(WireError::Malformed)?;
    Ok(Frame { head, end, fd })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    #[test]
    fn frames_carry_payload_and_descriptor() {
        let (left, right) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .expect("socketpair");
        let head = Head::new(Kind::Ioctl, 7, 8, 9);
        let zero = std::fs::File::open("/dev/null").expect("open");
        send(&left, head, &[b"abc", b"", b"de"], Some(zero.as_fd())).expect("send");
        let mut buffer = vec![0; MAX_PACKET];
        let frame = receive(&right, &mut buffer).expect("receive");
        assert_eq!(frame.head, head);
        assert_eq!(frame.payload(&buffer), b"abcde");
        assert!(frame.fd.is_some());
        drop(left);
        assert_eq!(
            receive(&right, &mut buffer).expect_err("closed"),
            WireError::Gone
        );
    }

    #[test]
    fn garbage_is_malformed() {
        let (left, right) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .expect("socketpair");
        let mut buffer = vec![0; MAX_PACKET];
        rustix::net::send(&left, b"x", SendFlags::empty()).expect("send");
        assert_eq!(
            receive(&right, &mut buffer).expect_err("short"),
            WireError::Malformed
        );
        rustix::net::send(&left, &[0xff; 40], SendFlags::empty()).expect("send");
        assert_eq!(
            receive(&right, &mut buffer).expect_err("kind"),
            WireError::Malformed
        );
    }
}
