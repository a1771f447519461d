//! One connection: one open file.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use door::Node;
use door::wire::{self, CHUNK, HEAD, Head, Kind, MAX_ARG, MAX_PACKET, PROTOCOL, WireError};
use rustix::io::Errno;
use rustix::net::sockopt::Timeout;

use super::Shared;
use crate::file::Owner;
use crate::kernel::Kernel;
use crate::klog::Level;
use crate::usermem::{FileId, UserMem};

/// Time for the first frame.
const HELLO: Duration = Duration::from_secs(5);

/// Closes the file when the connection ends, also by a panic.
struct Open<'a> {
    kernel: &'a Kernel,
    id: FileId,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.kernel.close(self.id);
    }
}

/// Serves a connection until its end.
pub(super) fn serve(kernel: &Arc<Kernel>, shared: &Shared, socket: Arc<OwnedFd>, owner: Owner) {
    let mut buffer = vec![0; MAX_PACKET];
    // Whoever connects says at once what it wants; afterwards it may be silent for days.
    let patience = |time| rustix::net::sockopt::set_socket_timeout(&*socket, Timeout::Recv, time);
    if patience(Some(HELLO)).is_err() {
        return;
    }
    let Ok(hello) = wire::receive(&*socket, &mut buffer) else {
        return;
    };
    if patience(None).is_err() {
        return;
    }
    let refuse = |errno: Errno, why: &str| {
        let head = Head::new(
            Kind::Refused,
            errno.raw_os_error().cast_unsigned(),
            u64::from(PROTOCOL),
            0,
        );
        // A peer that is gone needs no refusal.
        let _ = wire::send(&*socket, head, &[why.as_bytes()], None);
    };
    if hello.head.kind == Kind::Supervise
        && hello.head.a == PROTOCOL
        && let Some(listener) = hello.fd
    {
        // If the launcher is gone already, its program may still be there.
        let _ = wire::send(
            &*socket,
            Head::new(Kind::Welcome, PROTOCOL, 0, 0),
            &[],
            None,
        );
        if let Err(error) = crate::notify::serve(kernel, listener) {
            kernel
                .log()
                .line(Level::Error, &format!("NVRM: syscall door: {error}"));
        }
        return;
    }
    if hello.head.kind != Kind::Hello || hello.head.a != PROTOCOL {
        return refuse(Errno::PROTO, "another protocol version");
    }
    let Some(node) = Node::of_code(hello.head.b) else {
        return refuse(Errno::NXIO, "no such node");
    };
    shared.watch.settle(owner.pid);
    shared.watch.add(owner.pid, &socket);
    let id = match kernel.open(node, owner) {
        Ok(id) => id,
        Err(errno) => return refuse(errno, "open failed"),
    };
    let _open = Open { kernel, id };
    if wire::send(
        &*socket,
        Head::new(Kind::Welcome, PROTOCOL, id.0, 0),
        &[],
        None,
    )
    .is_err()
    {
        return;
    }
    let mut connection = Connection {
        kernel,
        socket: &socket,
        id,
        buffer,
        arg: Vec::new(),
        ahead: Vec::new(),
    };
    // Ends when the peer closes, dies or breaks the protocol: in each case the file is closed.
    while connection.one().is_ok() {}
}

struct Connection<'a> {
    kernel: &'a Kernel,
    socket: &'a OwnedFd,
    id: FileId,
    buffer: Vec<u8>,
    arg: Vec<u8>,
    ahead: Vec<u8>,
}

fn errno_of(result: Result<(), Errno>) -> u32 {
    result.map_or_else(|e| e.raw_os_error().cast_unsigned(), |()| 0)
}

impl Connection<'_> {
    fn one(&mut self) -> Result<(), WireError> {
        let frame = wire::receive(self.socket, &mut self.buffer)?;
        let head = frame.head;
        match head.kind {
            Kind::Ioctl => {
                let arg_len =
                    usize::try_from(head.c & 0xffff_ffff).map_err(|_| WireError::Malformed)?;
                let ahead_len = usize::try_from(head.c >> 32).map_err(|_| WireError::Malformed)?;
                let payload = frame.payload(&self.buffer);
                if arg_len > MAX_ARG || payload.len() != arg_len + ahead_len {
                    return Err(WireError::Malformed);
                }
                self.arg.clear();
                self.arg.extend_from_slice(&payload[..arg_len]);
                self.ahead.clear();
                self.ahead.extend_from_slice(&payload[arg_len..]);
                self.ioctl(head.a, head.b)
            }
            Kind::Map => match self.kernel.map(self.id, head.a, head.b, head.c) {
                Ok((memory, offset)) => wire::send(
                    self.socket,
                    Head::new(Kind::Mapped, 0, offset, 0),
                    &[],
                    Some(memory.fd()),
                ),
                Err(errno) => {
                    let errno = errno.raw_os_error().cast_unsigned();
                    wire::send(self.socket, Head::new(Kind::Mapped, errno, 0, 0), &[], None)
                }
            },
            Kind::EventFd => match self.kernel.event_fd(self.id) {
                Ok(fd) => wire::send(
                    self.socket,
                    Head::new(Kind::EventFdIs, 0, 0, 0),
                    &[],
                    Some(fd.as_fd()),
                ),
                Err(errno) => {
                    let errno = errno.raw_os_error().cast_unsigned();
                    wire::send(
                        self.socket,
                        Head::new(Kind::EventFdIs, errno, 0, 0),
                        &[],
                        None,
                    )
                }
            },
            Kind::Unmapped => {
                let errno = errno_of(self.kernel.unmapped(self.id, head.b, head.c));
                wire::send(self.socket, Head::new(Kind::Result, errno, 0, 0), &[], None)
            }
            _ => Err(WireError::Malformed),
        }
    }

    fn ioctl(&mut self, request: u32, ahead_at: u64) -> Result<(), WireError> {
        let mut user = SocketUser {
            socket: self.socket,
            buffer: &mut self.buffer,
            ahead: &self.ahead,
            ahead_at,
            stores: Vec::new(),
            gone: None,
        };
        let mut result = self
            .kernel
            .ioctl(self.id, request, &mut self.arg, &mut user);
        let room = MAX_PACKET - HEAD;
        if user.stores.len() + self.arg.len() > room
            && let Err(errno) = user.flush()
        {
            result = result.and(Err(errno));
        }
        if let Some(error) = user.gone {
            return Err(error);
        }
        let stores = std::mem::take(&mut user.stores);
        let arg: &[u8] = if result.is_ok() { &self.arg } else { &[] };
        let head = Head::new(Kind::Result, errno_of(result), arg.len() as u64, 0);
        wire::send(self.socket, head, &[arg, &stores], None)
    }
}

/// The client's memory and files, asked for through the connection while its thread waits for the ioctl.
struct SocketUser<'a> {
    socket: &'a OwnedFd,
    buffer: &'a mut Vec<u8>,
    /// What the client sent ahead of what we would ask.
    ahead: &'a [u8],
    ahead_at: u64,
    /// Stores that go with the result: (address, length, bytes) records.
    stores: Vec<u8>,
    /// The connection broke during the ioctl.
    gone: Option<WireError>,
}

/// Stores that are kept back to go with the result, bytes.
const KEPT: usize = 40 * 1024;

impl SocketUser<'_> {
    /// Sends a question and returns the frame that answers it.
    fn ask(&mut self, head: Head, payload: &[u8], answer: Kind) -> Result<wire::Frame, Errno> {
        if self.gone.is_some() {
            return Err(Errno::FAULT);
        }
        let frame = wire::send(self.socket, head, &[payload], None)
            .and_then(|()| wire::receive(self.socket, self.buffer))
            .and_then(|frame| {
                if frame.head.kind == answer {
                    Ok(frame)
                } else {
                    Err(WireError::Malformed)
                }
            });
        frame.map_err(|error| {
            self.gone = Some(error);
            Errno::FAULT
        })
    }

    /// Makes the kept stores now.
    fn flush(&mut self) -> Result<(), Errno> {
        let stores = std::mem::take(&mut self.stores);
        let mut rest = stores.as_slice();
        while rest.len() >= 16 {
            let address = crate::params::u64_at(rest, 0);
            let len = usize::try_from(crate::params::u64_at(rest, 8)).map_err(|_| Errno::FAULT)?;
            let data = rest.get(16..16 + len).ok_or(Errno::FAULT)?;
            self.write_now(address, data)?;
            rest = &rest[16 + len..];
        }
        Ok(())
    }

    fn write_now(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        let mut at = address;
        for chunk in from.chunks(CHUNK) {
            let frame = self.ask(Head::new(Kind::CopyOut, 0, at, 0), chunk, Kind::Ack)?;
            if frame.head.a != 0 {
                return Err(Errno::FAULT);
            }
            at = at.checked_add(chunk.len() as u64).ok_or(Errno::FAULT)?;
        }
        Ok(())
    }
}

impl UserMem for SocketUser<'_> {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        if self.stores.is_empty()
            && let Some(skip) = address
                .checked_sub(self.ahead_at)
                .and_then(|s| usize::try_from(s).ok())
            && let Some(bytes) = self.ahead.get(skip..).and_then(|b| b.get(..into.len()))
        {
            into.copy_from_slice(bytes);
            return Ok(());
        }
        // What this ioctl stored must be seen.
        self.flush()?;
        let mut at = address;
        for chunk in into.chunks_mut(CHUNK) {
            let frame = self.ask(
                Head::new(Kind::CopyIn, 0, at, chunk.len() as u64),
                &[],
                Kind::Data,
            )?;
            let data = frame.payload(self.buffer);
            if frame.head.a != 0 || data.len() != chunk.len() {
                return Err(Errno::FAULT);
            }
            chunk.copy_from_slice(data);
            at = at.checked_add(chunk.len() as u64).ok_or(Errno::FAULT)?;
        }
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        if from.is_empty() {
            return Ok(());
        }
        if self.stores.len() + from.len() + 16 <= KEPT {
            self.stores.extend_from_slice(&address.to_le_bytes());
            self.stores
                .extend_from_slice(&(from.len() as u64).to_le_bytes());
            self.stores.extend_from_slice(from);
            return Ok(());
        }
        self.flush()?;
        self.write_now(address, from)
    }

    fn file(&mut self, fd: i32) -> Option<FileId> {
        let frame = self
            .ask(
                Head::new(Kind::WhichFile, fd.cast_unsigned(), 0, 0),
                &[],
                Kind::FileIs,
            )
            .ok()?;
        (frame.head.b != 0).then_some(FileId(frame.head.b))
    }

    fn take(&mut self, fd: i32) -> Result<OwnedFd, Errno> {
        let head = Head::new(Kind::Take, fd.cast_unsigned(), 0, 0);
        let frame = self.ask(head, &[], Kind::Taken)?;
        match (frame.head.a, frame.fd) {
            (0, Some(fd)) => Ok(fd),
            (0, None) => Err(Errno::BADF),
            (errno, _) => Err(Errno::from_raw_os_error(errno.cast_signed())),
        }
    }

    fn pin(&mut self, address: u64, len: u64) -> Result<OwnedFd, Errno> {
        let frame = self.ask(Head::new(Kind::Pin, 0, address, len), &[], Kind::Pinned)?;
        match (frame.head.a, frame.fd) {
            (0, Some(fd)) => Ok(fd),
            (0, None) => Err(Errno::BADF),
            (errno, _) => Err(Errno::from_raw_os_error(errno.cast_signed())),
        }
    }
}
