//! The link to the kernel half: packets with descriptors, and the agent that serves them.

use crate::channel::Channel;
use crate::host::MAX_CHANNELS;
use crate::machine::{Machine, Mapping, Notifier};
use crate::shared_map::{SharedMap, errno};
use crate::wake::{UserPage, futex_wait_shared, futex_wake};
use crate::{clock, window};
use abi::agent::{self, desk};
use abi::link::{ChannelAlloc, FromGpu, LinkError, MAX_PACKET, Request, Start, ToGpu};
use abi::usermode;
use core::sync::atomic::{AtomicI32, Ordering};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::sync::{Arc, PoisonError};

/// Most descriptors that come with one message.
const MAX_FDS: usize = 8;
/// How long workers are told to stop.
const INTERRUPTING: std::time::Duration = std::time::Duration::from_secs(1);
/// Most mappings (Linux allows 65,530 per process, and stacks need theirs).
const MAX_MAPPINGS: usize = 20_000;

/// Sending side, shared by all threads.
#[derive(Debug)]
pub struct Sender {
    fd: AtomicI32,
}

impl Sender {
    /// Sends on `fd`.
    #[must_use]
    pub fn new(fd: i32) -> Sender {
        Sender {
            fd: AtomicI32::new(fd),
        }
    }

    /// Sends a message; what cannot be sent is lost (the kernel half is gone or does not listen). Safe in a signal
    /// handler for messages without text.
    pub fn send(&self, message: &FromGpu) {
        let mut buffer = [0u8; 16 << 10];
        let Ok(bytes) = postcard::to_slice(message, &mut buffer) else {
            return;
        };
        let mut part = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: bytes.len(),
        };
        // SAFETY: a zeroed msghdr is valid; the buffers live through the call.
        unsafe {
            let mut header: libc::msghdr = core::mem::zeroed();
            header.msg_iov = &raw mut part;
            header.msg_iovlen = 1;
            let fd = self.fd.load(Ordering::Relaxed);
            while libc::sendmsg(fd, &raw const header, libc::MSG_NOSIGNAL) < 0
                && errno() == libc::EINTR
            {}
        }
    }

    /// Sends a message with descriptors.
    pub fn send_with(&self, message: &FromGpu, descriptors: [i32; 3]) {
        let mut buffer = [0u8; 4 << 10];
        let Ok(bytes) = postcard::to_slice(message, &mut buffer) else {
            return;
        };
        let mut part = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: bytes.len(),
        };
        let mut control = [0u64; 4];
        const BYTES: u32 = size_of::<[i32; 3]>() as u32;
        // SAFETY: a zeroed msghdr is valid; the buffers live through the call, and the control buffer has room for a
        // header and three descriptors.
        unsafe {
            let mut header: libc::msghdr = core::mem::zeroed();
            header.msg_iov = &raw mut part;
            header.msg_iovlen = 1;
            header.msg_control = control.as_mut_ptr().cast();
            header.msg_controllen = libc::CMSG_SPACE(BYTES) as usize;
            let c = libc::CMSG_FIRSTHDR(&raw const header);
            (*c).cmsg_level = libc::SOL_SOCKET;
            (*c).cmsg_type = libc::SCM_RIGHTS;
            (*c).cmsg_len = libc::CMSG_LEN(BYTES) as usize;
            libc::CMSG_DATA(c)
                .cast::<[i32; 3]>()
                .write_unaligned(descriptors);
            let fd = self.fd.load(Ordering::Relaxed);
            while libc::sendmsg(fd, &raw const header, libc::MSG_NOSIGNAL) < 0
                && errno() == libc::EINTR
            {}
        }
    }

    /// Sends a line for the kernel log.
    pub fn log(&self, line: &str) {
        let short: String = line.chars().take(1000).collect();
        self.send(&FromGpu::Log(short));
    }
}

/// Waits for the next request. `None` at the end of the link or after a packet that makes no sense.
#[must_use]
pub fn receive(fd: i32) -> Option<(Request, Vec<OwnedFd>)> {
    let mut buffer = vec![0u8; MAX_PACKET];
    let (n, fds) = receive_packet(fd, &mut buffer)?;
    let request = postcard::from_bytes(&buffer[..n]).ok()?;
    Some((request, fds))
}

/// Waits for a packet: its bytes and what descriptors came with it. `None` at the end of the socket.
fn receive_packet(fd: i32, buffer: &mut [u8]) -> Option<(usize, Vec<OwnedFd>)> {
    let mut control = [0u64; 16];
    let mut part = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: a zeroed msghdr is valid; buffers live through the calls.
    let mut header: libc::msghdr = unsafe { core::mem::zeroed() };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_control = control.as_mut_ptr().cast();
    header.msg_controllen = core::mem::size_of_val(&control);
    let n = loop {
        // SAFETY: as above.
        let n = unsafe { libc::recvmsg(fd, &raw mut header, libc::MSG_CMSG_CLOEXEC) };
        if n >= 0 || errno() != libc::EINTR {
            break n;
        }
    };
    let n = usize::try_from(n).ok().filter(|&n| n != 0)?;
    let mut fds = Vec::new();
    // SAFETY: the kernel filled in the control buffer; the CMSG functions walk it within its length.
    unsafe {
        let mut c = libc::CMSG_FIRSTHDR(&raw const header);
        while !c.is_null() {
            if (*c).cmsg_level == libc::SOL_SOCKET && (*c).cmsg_type == libc::SCM_RIGHTS {
                let bytes = (*c).cmsg_len - libc::CMSG_LEN(0) as usize;
                let data = libc::CMSG_DATA(c).cast::<i32>();
                for i in 0..bytes / 4 {
                    let fd = OwnedFd::from_raw_fd(data.add(i).read_unaligned());
                    if fds.len() < MAX_FDS {
                        fds.push(fd);
                    }
                }
            }
            c = libc::CMSG_NXTHDR(&raw const header, c);
        }
    }
    Some((n, fds))
}

/// Serves requests until the link ends.
pub fn serve(machine: &'static Machine, fd: i32) {
    while let Some((request, fds)) = receive(fd) {
        let stops = matches!(request.body, ToGpu::Kill { .. });
        let result = handle(machine, request.body, &fds);
        machine.link.send(&FromGpu::Done {
            seq: request.seq,
            result,
        });
        if stops {
            // After the answer: on a busy machine workers may need long to notice.
            interrupt_workers(machine, || machine.running.load(Ordering::SeqCst) == 0);
        }
    }
}

fn handle(machine: &'static Machine, body: ToGpu, fds: &[OwnedFd]) -> Result<(), LinkError> {
    match body {
        ToGpu::Start(Start { .. }) => Err(LinkError::BadState),
        ToGpu::Map {
            va,
            len,
            offset,
            write,
            huge,
        } => map(machine, va, len, offset, write, huge, fds),
        ToGpu::Unmap { va, len } => unmap(machine, va, len),
        ToGpu::ChannelAlloc(alloc) => channel_alloc(machine, &alloc, fds),
        ToGpu::ChannelFree { chid } => channel_free(machine, chid),
        ToGpu::ChannelSchedule { chid, run } => {
            with_channel(machine, chid, |c| c.running = run)?;
            kick(machine);
            Ok(())
        }
        ToGpu::BindClass { chid, class } => with_channel(machine, chid, |c| {
            if !c.bound.contains(&class) {
                c.bound.push(class);
            }
        }),
        ToGpu::Query => {
            let busy = machine.with_host(|host| host.channels.iter().filter(|c| c.busy()).count());
            let busy = if machine.is_dead() { 0 } else { busy };
            machine.link.send(&FromGpu::Status {
                busy_channels: u32::try_from(busy).unwrap_or(u32::MAX),
                kernel: machine.running_kernel(),
                busy_ns: clock::to_ns(machine.busy_cycles.load(Ordering::Relaxed)),
            });
            Ok(())
        }
        ToGpu::Kill { xid } => {
            machine.die(machine.killed(0, xid));
            Ok(())
        }
    }
}

/// Makes idle workers look again.
fn kick(machine: &Machine) {
    machine.scheduler.wake_all();
}

/// Signals workers that run kernel code until `done`, so that those that must stop do. The signal may come between the
/// check for it and the jump into the code, hence again and again, but not so long that the kernel half gives us up.
fn interrupt_workers(machine: &Machine, done: impl Fn() -> bool) {
    // SAFETY: no arguments.
    let pid = unsafe { libc::getpid() };
    let start = std::time::Instant::now();
    while !done() && start.elapsed() < INTERRUPTING {
        for seat in &machine.seats {
            if seat.in_kernel.load(Ordering::Acquire) {
                // SAFETY: a signal to a thread of this process that handles it.
                unsafe {
                    libc::syscall(
                        libc::SYS_tgkill,
                        pid,
                        seat.tid.load(Ordering::Relaxed),
                        libc::SIGUSR1,
                    );
                }
            }
        }
        let pause = libc::timespec {
            tv_sec: 0,
            tv_nsec: 200_000,
        };
        // SAFETY: valid timespec.
        unsafe {
            libc::clock_nanosleep(
                libc::CLOCK_MONOTONIC,
                0,
                &raw const pause,
                core::ptr::null_mut(),
            )
        };
    }
}

fn map(
    machine: &Machine,
    va: u64,
    len: u64,
    offset: u64,
    write: bool,
    huge: bool,
    fds: &[OwnedFd],
) -> Result<(), LinkError> {
    let [fd] = fds else {
        return Err(LinkError::BadState);
    };
    if !window::may_map(va, len) || !offset.is_multiple_of(window::PAGE) {
        return Err(LinkError::BadRange);
    }
    let mut mappings = machine
        .mappings
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if mappings.len() >= MAX_MAPPINGS {
        return Err(LinkError::Limit);
    }
    let protection = libc::PROT_READ | if write { libc::PROT_WRITE } else { 0 };
    let file_offset = i64::try_from(offset).map_err(|_| LinkError::BadRange)?;
    // SAFETY: client addresses, and NOREPLACE: nothing of ours is touched.
    let p = unsafe {
        libc::mmap(
            va as *mut libc::c_void,
            len as usize,
            protection,
            libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE,
            std::os::fd::AsRawFd::as_raw_fd(fd),
            file_offset,
        )
    };
    if p == libc::MAP_FAILED {
        return Err(match errno() {
            libc::EEXIST => LinkError::InUse,
            e => LinkError::Os(e),
        });
    }
    if p as u64 != va {
        // A kernel before 4.17 takes the address as a hint.
        // SAFETY: what was just mapped.
        unsafe { libc::munmap(p, len as usize) };
        return Err(LinkError::InUse);
    }
    if huge {
        // SAFETY: advice for what was just mapped; refusal is fine.
        unsafe { libc::madvise(p, len as usize, libc::MADV_HUGEPAGE) };
        machine.huge_wanted.store(true, Ordering::Relaxed);
    }
    mappings.insert(
        va,
        Mapping {
            len,
            write,
            huge: huge.then(Default::default),
        },
    );
    Ok(())
}

/// Serves the agent's socket until it ends: unmaps pages of managed memory, which stay in their memfd
/// (`abi::agent`).
pub fn serve_agent(machine: &Machine, fd: i32) {
    // The page that the kernel half asks by, and the number of the last request answered there.
    let mut at: Option<(SharedMap, u32)> = None;
    loop {
        if let Some((page, done)) = &mut at {
            serve_desk(machine, page, done);
        }
        let mut request = [0_u8; agent::REQUEST_BYTES];
        let received = receive_packet(fd, &mut request);
        if let Some((page, _)) = &at {
            page.word(desk::ASLEEP).store(0, Ordering::SeqCst);
        }
        let errno = match received {
            Some((agent::REQUEST_BYTES, fds)) => match (fds.first(), agent::span(&request)) {
                (Some(fd), _) => match SharedMap::new(fd.as_fd(), 0, desk::BYTES as u64) {
                    Ok(page) => {
                        at = Some((page, 0));
                        0
                    }
                    Err(_) => libc::ENOMEM.cast_unsigned(),
                },
                // Only to wake us.
                (None, (_, 0)) => continue,
                (None, (va, len)) => zap(machine, va, len),
            },
            Some(_) | None => return,
        };
        let answer = errno.to_le_bytes();
        // SAFETY: as above. Who does not listen any more ends the socket.
        unsafe { libc::send(fd, answer.as_ptr().cast(), answer.len(), libc::MSG_NOSIGNAL) };
    }
}

/// Answers requests at a desk until none has come for a while; then the socket is to be listened to.
fn serve_desk(machine: &Machine, page: &SharedMap, done: &mut u32) {
    let patience = u64::try_from(desk::PATIENCE.as_nanos()).unwrap_or(u64::MAX);
    let (asked, asleep) = (page.word(desk::ASKED), page.word(desk::ASLEEP));
    loop {
        let number = asked.load(Ordering::SeqCst);
        if number != *done {
            let wide = |offset| page.wide(offset).load(Ordering::Relaxed);
            let errno = zap(machine, wide(desk::VA), wide(desk::LEN));
            page.word(desk::ERRNO).store(errno, Ordering::Relaxed);
            let answered = page.word(desk::ANSWERED);
            answered.store(number, Ordering::Release);
            futex_wake(answered, false);
            *done = number;
            continue;
        }
        futex_wait_shared(asked, number, patience);
        if asked.load(Ordering::SeqCst) != number {
            continue;
        }
        asleep.store(1, Ordering::SeqCst);
        if asked.load(Ordering::SeqCst) == number {
            return;
        }
        asleep.store(0, Ordering::SeqCst);
    }
}

/// Unmaps the pages of a span, which lies in one mapping. Returns an errno, or 0.
fn zap(machine: &Machine, va: u64, len: u64) -> u32 {
    let mappings = machine
        .mappings
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let inside = mappings
        .range(..=va)
        .next_back()
        .is_some_and(|(base, m)| va.checked_add(len).is_some_and(|end| end <= base + m.len));
    if !inside || !va.is_multiple_of(window::PAGE) {
        return libc::ENOMEM.cast_unsigned();
    }
    // SAFETY: the span lies in a shared mapping of the client's that we made: its bytes are the memfd's.
    let result =
        unsafe { libc::madvise(va as *mut libc::c_void, len as usize, libc::MADV_DONTNEED) };
    if result == 0 {
        0
    } else {
        errno().cast_unsigned()
    }
}

fn unmap(machine: &Machine, va: u64, len: u64) -> Result<(), LinkError> {
    let end = va.checked_add(len).ok_or(LinkError::BadRange)?;
    if len == 0 {
        return Err(LinkError::BadRange);
    }
    let mut mappings = machine
        .mappings
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let inside: Vec<(u64, u64)> = mappings.range(va..end).map(|(a, m)| (*a, m.len)).collect();
    if inside.is_empty() {
        return Err(LinkError::NotFound);
    }
    if inside.iter().any(|(a, l)| a + l > end) {
        return Err(LinkError::BadRange);
    }
    for (start, bytes) in inside {
        machine.programs.forget(start, start + bytes);
        // SAFETY: a mapping of the client's that we made.
        unsafe { libc::munmap(start as *mut libc::c_void, bytes as usize) };
        mappings.remove(&start);
    }
    Ok(())
}

fn channel_alloc(
    machine: &Machine,
    alloc: &ChannelAlloc,
    fds: &[OwnedFd],
) -> Result<(), LinkError> {
    let wanted = if alloc.notifier_offset.is_some() {
        3
    } else {
        2
    };
    if fds.len() != wanted || alloc.gpfifo_entries == 0 {
        return Err(LinkError::BadState);
    }
    let ring = 8 * u64::from(alloc.gpfifo_entries);
    if !alloc.gpfifo_va.is_multiple_of(8) || !window::is_client(alloc.gpfifo_va, ring) {
        return Err(LinkError::BadRange);
    }
    if !alloc.userd_offset.is_multiple_of(8)
        || alloc.notifier_offset.is_some_and(|o| !o.is_multiple_of(8))
    {
        return Err(LinkError::BadRange);
    }
    let userd = SharedMap::new(fds[0].as_fd(), alloc.userd_offset, 512)?;
    let page = user_page(machine, &fds[1])?;
    machine.with_host(|host| {
        if host.find(alloc.chid).is_some() {
            return Err(LinkError::InUse);
        }
        if host.channels.len() >= MAX_CHANNELS {
            return Err(LinkError::Limit);
        }
        if let Some(offset) = alloc.notifier_offset {
            let map = SharedMap::new(fds[2].as_fd(), offset, 16)?;
            let notifier = Notifier {
                chid: alloc.chid,
                map,
                engine: alloc.engine,
            };
            machine
                .notifiers
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(notifier);
        }
        host.channels.push(Channel::new(alloc, userd, page));
        Ok(())
    })
}

/// The usermode page behind a descriptor, mapped once.
fn user_page(machine: &Machine, fd: &OwnedFd) -> Result<Arc<UserPage>, LinkError> {
    let (dev, ino, _) = crate::shared_map::identify(fd.as_fd())?;
    let mut pages = machine
        .pages
        .write()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(page) = pages.iter().find(|p| p.identity() == (dev, ino)) {
        return Ok(Arc::clone(page));
    }
    let page = Arc::new(UserPage::new(SharedMap::new(
        fd.as_fd(),
        0,
        usermode::BYTES,
    )?));
    pages.push(Arc::clone(&page));
    Ok(page)
}

fn channel_free(machine: &Machine, chid: u32) -> Result<(), LinkError> {
    let core = machine.with_host(|host| {
        let index = host.channels.iter().position(|c| c.core.chid == chid)?;
        let channel = host.channels.remove(index);
        channel.core.gone.store(true, Ordering::SeqCst);
        Some(channel.core)
    });
    let core = core.ok_or(LinkError::NotFound)?;
    machine
        .notifiers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .retain(|n| n.chid != chid);
    for mut cta in machine.scheduler.abandon(&core) {
        cta.strip();
    }
    interrupt_workers(machine, || !machine.is_running(&core));
    for mut cta in machine.scheduler.abandon(&core) {
        cta.strip();
    }
    // Lock order: host, pages, notifiers.
    machine.with_host(|host| {
        let mut pages = machine
            .pages
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        pages.retain(|p| host.channels.iter().any(|c| Arc::ptr_eq(&c.core.page, p)));
    });
    Ok(())
}

fn with_channel(
    machine: &Machine,
    chid: u32,
    f: impl FnOnce(&mut Channel),
) -> Result<(), LinkError> {
    machine.with_host(|host| {
        f(host.find(chid).ok_or(LinkError::NotFound)?);
        Ok(())
    })
}
