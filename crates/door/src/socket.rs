//! The socket door: one connection to antlerite-kmd per open file.

use std::collections::HashMap;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::Timeout;

use crate::error::REPLY_SECONDS;
use crate::wire::{self, CHUNK, HEAD, Head, Kind, MAX_ARG, MAX_PACKET, PROTOCOL};
use crate::{DoorError, Node, own_memory, pin, start};

/// Escapes whose embedded pointer is read ahead: (number, argument bytes, offset of the pointer, offset of its size).
/// RM_CONTROL names its size; RM_ALLOC's parameters depend on the class, so the largest known is tried.
const READ_AHEAD: &[(u32, usize, usize, Option<usize>)] = &[
    (abi::nv::escapes::RM_CONTROL, 32, 16, Some(24)),
    (abi::nv::escapes::RM_ALLOC, 32, 16, None),
    (abi::nv::escapes::RM_ALLOC, 48, 16, None),
];
/// Most bytes that are read ahead.
const MOST_AHEAD: usize = 16 * 1024;
/// Read ahead of an allocation's parameters.
const ALLOC_AHEAD: usize = 368;

/// Which server file each of our descriptors is.
fn files() -> &'static Mutex<HashMap<i32, u64>> {
    static FILES: OnceLock<Mutex<HashMap<i32, u64>>> = OnceLock::new();
    FILES.get_or_init(Mutex::default)
}

struct Channel {
    buffer: Box<[u8]>,
    ahead: Vec<u8>,
    /// Set when the connection is out of step: no more calls.
    broken: Option<DoorError>,
}

pub(crate) struct SocketFile {
    socket: OwnedFd,
    number: u64,
    channel: Mutex<Channel>,
    events: OnceLock<OwnedFd>,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if crate::fork::check().is_ok() {
            let mut files = files().lock().unwrap_or_else(PoisonError::into_inner);
            files.remove(&self.socket.as_raw_fd());
        }
    }
}

impl SocketFile {
    pub(crate) fn open(node: Node) -> Result<Self, DoorError> {
        // A server that is about to leave may take a connection and close it: try again, then it starts afresh.
        let mut last = DoorError::ServerGone;
        for _ in 0..5 {
            match Self::hello(start::connect()?, node) {
                Err(DoorError::ServerGone) => last = DoorError::ServerGone,
                other => return other,
            }
        }
        Err(last)
    }

    fn hello(socket: OwnedFd, node: Node) -> Result<Self, DoorError> {
        rustix::net::sockopt::set_socket_timeout(
            &socket,
            Timeout::Recv,
            Some(Duration::from_secs(REPLY_SECONDS)),
        )
        .map_err(DoorError::os("receive time-out"))?;
        let mut buffer = vec![0; MAX_PACKET].into_boxed_slice();
        wire::send(
            &socket,
            Head::new(Kind::Hello, PROTOCOL, node.code(), 0),
            &[],
            None,
        )?;
        let frame = wire::receive(&socket, &mut buffer)?;
        match frame.head.kind {
            Kind::Welcome if frame.head.a == PROTOCOL => {}
            Kind::Welcome => {
                return Err(DoorError::Version {
                    ours: PROTOCOL,
                    theirs: frame.head.a,
                });
            }
            Kind::Refused if frame.head.b != u64::from(PROTOCOL) => {
                return Err(DoorError::Version {
                    ours: PROTOCOL,
                    theirs: u32::try_from(frame.head.b).unwrap_or(0),
                });
            }
            Kind::Refused => {
                return Err(DoorError::Errno(
                    i32::try_from(frame.head.a).unwrap_or(libc::EIO),
                ));
            }
            _ => return Err(DoorError::Protocol("no welcome")),
        }
        let number = frame.head.b;
        let mut table = files().lock().unwrap_or_else(PoisonError::into_inner);
        table.insert(socket.as_raw_fd(), number);
        Ok(Self {
            socket,
            number,
            channel: Mutex::new(Channel {
                buffer,
                ahead: Vec::new(),
                broken: None,
            }),
            events: OnceLock::new(),
        })
    }

    pub(crate) fn as_raw(&self) -> i32 {
        self.socket.as_raw_fd()
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Runs `talk` with the connection; an error of the connection itself makes the file unusable.
    fn with<T>(
        &self,
        talk: impl FnOnce(&mut Channel) -> Result<T, DoorError>,
    ) -> Result<T, DoorError> {
        let mut channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &channel.broken {
            return Err(error.clone());
        }
        let result = talk(&mut channel);
        match &result {
            Ok(_) | Err(DoorError::Errno(_)) => {}
            Err(error) => channel.broken = Some(error.clone()),
        }
        result
    }

    pub(crate) fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), DoorError> {
        if arg.len() > MAX_ARG {
            return Err(DoorError::Errno(libc::EINVAL));
        }
        self.with(|channel| {
            let address = read_ahead(request, arg, &mut channel.ahead);
            let lengths = arg.len() as u64 | (channel.ahead.len() as u64) << 32;
            let head = Head::new(Kind::Ioctl, request, address, lengths);
            wire::send(&self.socket, head, &[arg, &channel.ahead], None)?;
            loop {
                let frame = wire::receive(&self.socket, &mut channel.buffer)?;
                if frame.head.kind == Kind::Result {
                    return finish(frame.head, frame.payload(&channel.buffer), arg);
                }
                self.answer(frame.head, frame.end, channel)?;
            }
        })
    }

    /// Answers one question that the server asks during an ioctl.
    fn answer(&self, head: Head, end: usize, channel: &mut Channel) -> Result<(), DoorError> {
        let send = |head: Head, payload: &[u8], fd: Option<BorrowedFd<'_>>| {
            wire::send(&self.socket, head, &[payload], fd).map_err(DoorError::from)
        };
        match head.kind {
            Kind::CopyIn => {
                let len = usize::try_from(head.c).ok().filter(|l| *l <= CHUNK);
                let len = len.ok_or(DoorError::Protocol("copy-in too large"))?;
                let out = &mut channel.buffer[..len];
                match own_memory::read(head.b, out) {
                    Ok(()) => send(Head::new(Kind::Data, 0, 0, 0), out, None),
                    Err(errno) => send(Head::new(Kind::Data, code(errno), 0, 0), &[], None),
                }
            }
            Kind::CopyOut => {
                let data = channel.buffer.get(HEAD..end).unwrap_or(&[]);
                let errno = own_memory::write(head.b, data).map_or_else(code, |()| 0);
                send(Head::new(Kind::Ack, errno, 0, 0), &[], None)
            }
            Kind::WhichFile => {
                let table = files().lock().unwrap_or_else(PoisonError::into_inner);
                let number = table.get(&head.a.cast_signed()).copied().unwrap_or(0);
                drop(table);
                send(Head::new(Kind::FileIs, 0, number, 0), &[], None)
            }
            Kind::Pin => match pin::pin(head.b, head.c) {
                Ok(memfd) => send(Head::new(Kind::Pinned, 0, 0, 0), &[], Some(memfd.as_fd())),
                Err(errno) => send(Head::new(Kind::Pinned, code(errno), 0, 0), &[], None),
            },
            Kind::Take => match crate::userfault::offered(head.a.cast_signed()) {
                Some(fd) => send(Head::new(Kind::Taken, 0, 0, 0), &[], Some(fd.as_fd())),
                None => send(Head::new(Kind::Taken, code(Errno::BADF), 0, 0), &[], None),
            },
            _ => Err(DoorError::Protocol("unexpected frame")),
        }
    }

    /// Asks for what backs `[offset, offset + len)`: a descriptor and an offset in it.
    pub(crate) fn map(
        &self,
        prot: u32,
        offset: u64,
        len: u64,
    ) -> Result<(OwnedFd, u64), DoorError> {
        self.with(|channel| {
            wire::send(
                &self.socket,
                Head::new(Kind::Map, prot, offset, len),
                &[],
                None,
            )?;
            let frame = wire::receive(&self.socket, &mut channel.buffer)?;
            match (frame.head.kind, frame.head.a, frame.fd) {
                (Kind::Mapped, 0, Some(fd)) => Ok((fd, frame.head.b)),
                (Kind::Mapped, 0, None) => Err(DoorError::Protocol("mapping without descriptor")),
                (Kind::Mapped, errno, _) => Err(DoorError::Errno(errno.cast_signed())),
                _ => Err(DoorError::Protocol("unexpected frame")),
            }
        })
    }

    pub(crate) fn unmapped(&self, va: u64, len: u64) -> Result<(), DoorError> {
        self.with(|channel| {
            wire::send(
                &self.socket,
                Head::new(Kind::Unmapped, 0, va, len),
                &[],
                None,
            )?;
            let frame = wire::receive(&self.socket, &mut channel.buffer)?;
            match frame.head.kind {
                Kind::Result if frame.head.a == 0 => Ok(()),
                Kind::Result => Err(DoorError::Errno(frame.head.a.cast_signed())),
                _ => Err(DoorError::Protocol("unexpected frame")),
            }
        })
    }

    /// The descriptor that becomes readable when an event of this file happened.
    pub(crate) fn event_fd(&self) -> Result<BorrowedFd<'_>, DoorError> {
        if let Some(fd) = self.events.get() {
            return Ok(fd.as_fd());
        }
        let fd = self.with(|channel| {
            wire::send(&self.socket, Head::new(Kind::EventFd, 0, 0, 0), &[], None)?;
            let frame = wire::receive(&self.socket, &mut channel.buffer)?;
            match (frame.head.kind, frame.head.a, frame.fd) {
                (Kind::EventFdIs, 0, Some(fd)) => Ok(fd),
                (Kind::EventFdIs, errno, _) if errno != 0 => {
                    Err(DoorError::Errno(errno.cast_signed()))
                }
                _ => Err(DoorError::Protocol("unexpected frame")),
            }
        })?;
        Ok(self.events.get_or_init(|| fd).as_fd())
    }

    /// Whether the server has closed the connection.
    pub(crate) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn code(errno: Errno) -> u32 {
    errno.raw_os_error().cast_unsigned()
}

/// Reads what the escape's pointer names into `ahead`, as far as it can be read, and returns its address.
fn read_ahead(request: u32, arg: &[u8], ahead: &mut Vec<u8>) -> u64 {
    ahead.clear();
    if (request >> 8) & 0xff != u32::from(abi::nv::escapes::IOCTL_MAGIC) {
        return 0;
    }
    let number = request & 0xff;
    let Some((_, _, pointer, size)) = READ_AHEAD
        .iter()
        .find(|r| r.0 == number && r.1 == arg.len())
    else {
        return 0;
    };
    let Some(address) = arg
        .get(*pointer..pointer + 8)
        .and_then(|b| b.try_into().ok())
        .map(u64::from_le_bytes)
    else {
        return 0;
    };
    let len = match size {
        None => ALLOC_AHEAD,
        Some(at) => match arg
            .get(*at..at + 4)
            .and_then(|b| b.try_into().ok())
            .map(u32::from_le_bytes)
        {
            Some(len) => usize::try_from(len).unwrap_or(usize::MAX),
            None => return 0,
        },
    };
    if address == 0 || len > MOST_AHEAD {
        return 0;
    }
    ahead.resize(len, 0);
    let got = own_memory::read_some(address, ahead);
    ahead.truncate(got);
    address
}

/// Takes a result apart: the argument back, and the stores the kernel half wants made.
fn finish(head: Head, payload: &[u8], arg: &mut [u8]) -> Result<(), DoorError> {
    let malformed = || DoorError::Protocol("malformed result");
    let back = usize::try_from(head.b).map_err(|_| malformed())?;
    if back != 0 {
        if back != arg.len() {
            return Err(malformed());
        }
        arg.copy_from_slice(payload.get(..back).ok_or_else(malformed)?);
    }
    let mut rest = payload.get(back..).ok_or_else(malformed)?;
    let mut fault = None;
    while !rest.is_empty() {
        let word = |at: usize| {
            rest.get(at..at + 8)
                .and_then(|b| b.try_into().ok())
                .map(u64::from_le_bytes)
        };
        let address = word(0).ok_or_else(malformed)?;
        let len = word(8)
            .and_then(|l| usize::try_from(l).ok())
            .ok_or_else(malformed)?;
        let data = rest
            .get(16..)
            .and_then(|r| r.get(..len))
            .ok_or_else(malformed)?;
        if let Err(errno) = own_memory::write(address, data) {
            fault = Some(errno);
        }
        rest = &rest[16 + len..];
    }
    match (head.a, fault) {
        (0, None) => Ok(()),
        (0, Some(errno)) => Err(DoorError::Errno(errno.raw_os_error())),
        (errno, _) => Err(DoorError::Errno(errno.cast_signed())),
    }
}
