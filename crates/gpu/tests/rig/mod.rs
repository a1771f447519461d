//! Plays the kernel half and a client: starts `antlerite-gpu`, maps memory, writes rings, pushbuffers and QMDs by hand.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::cast_sign_loss,
    reason = "tests"
)]

pub mod image;

use abi::link::{ChannelAlloc, Fault, FromGpu, LinkError, Request, Start, ToGpu};
use abi::nv::classes;
use abi::nv::methods::{compute, host};
use abi::nv::qmd::v4;
use abi::usermode;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// GPU address of the arena.
pub const ARENA: u64 = 0x7_0000_0000;
pub const ARENA_BYTES: u64 = 64 << 20;
pub const NOTIFIER: u64 = 64;
const RING: u32 = 1024;
const PUSH_BYTES: u64 = 4 << 20;

pub fn memfd(bytes: u64) -> OwnedFd {
    // SAFETY: plain calls on a fresh descriptor.
    unsafe {
        let fd = libc::memfd_create(c"rig".as_ptr(), libc::MFD_CLOEXEC);
        assert!(fd >= 0);
        assert_eq!(libc::ftruncate(fd, bytes.cast_signed()), 0);
        OwnedFd::from_raw_fd(fd)
    }
}

/// A memfd mapped here.
pub struct Shared {
    pub fd: OwnedFd,
    base: u64,
    bytes: u64,
}

impl Shared {
    pub fn new(bytes: u64) -> Shared {
        let fd = memfd(bytes);
        // SAFETY: a fresh mapping.
        let p = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        assert_ne!(p, libc::MAP_FAILED);
        Shared {
            fd,
            base: p as u64,
            bytes,
        }
    }

    pub fn word(&self, offset: u64) -> &AtomicU32 {
        assert!(offset + 4 <= self.bytes);
        // SAFETY: inside the mapping.
        unsafe { AtomicU32::from_ptr((self.base + offset) as *mut u32) }
    }

    pub fn wide(&self, offset: u64) -> &AtomicU64 {
        assert!(offset + 8 <= self.bytes);
        // SAFETY: inside the mapping.
        unsafe { AtomicU64::from_ptr((self.base + offset) as *mut u64) }
    }

    pub fn write(&self, offset: u64, data: &[u8]) {
        assert!(offset + data.len() as u64 <= self.bytes);
        // SAFETY: inside the mapping.
        unsafe {
            std::ptr::copy_nonoverlapping(
                data.as_ptr(),
                (self.base + offset) as *mut u8,
                data.len(),
            )
        };
    }

    pub fn read(&self, offset: u64, len: usize) -> Vec<u8> {
        assert!(offset + len as u64 <= self.bytes);
        let mut out = vec![0; len];
        // SAFETY: inside the mapping.
        unsafe {
            std::ptr::copy_nonoverlapping((self.base + offset) as *const u8, out.as_mut_ptr(), len)
        };
        out
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: what `new` mapped.
        unsafe { libc::munmap(self.base as *mut libc::c_void, self.bytes as usize) };
    }
}

/// A channel as its client sees it.
pub struct Channel {
    pub chid: u32,
    userd: u64,
    ring: u64,
    put: u32,
    push: u64,
    at: u64,
}

/// The process and everything shared with it.
pub struct Gpu {
    child: Child,
    sock: OwnedFd,
    seq: u64,
    pub arena: Shared,
    pub userd: Shared,
    pub page: Shared,
    pub notifiers: Shared,
    next: u64,
    pub messages: Vec<FromGpu>,
    tracker: u32,
}

pub fn binary() -> String {
    std::env::var("ANTLERITE_GPU")
        .unwrap_or_else(|_| env!("CARGO_BIN_EXE_antlerite-gpu").to_string())
}

impl Gpu {
    pub fn new() -> Gpu {
        Gpu::with(Start {
            sm_count: 132,
            workers: 2,
            cc: 90,
            threads_per_sm: 2048,
            deterministic: false,
        })
    }

    pub fn with(start: Start) -> Gpu {
        let mut pair = [0; 2];
        assert_eq!(
            // SAFETY: plain call.
            unsafe {
                libc::socketpair(
                    libc::AF_UNIX,
                    libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC,
                    0,
                    pair.as_mut_ptr(),
                )
            },
            0
        );
        // SAFETY: fresh descriptors.
        let (sock, theirs) =
            unsafe { (OwnedFd::from_raw_fd(pair[0]), OwnedFd::from_raw_fd(pair[1])) };
        let theirs_raw: RawFd = theirs.as_raw_fd();
        let mut command = Command::new(binary());
        command.args(["--link", "3"]);
        // SAFETY: async-signal-safe calls between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                if theirs_raw == 3 {
                    libc::fcntl(3, libc::F_SETFD, 0);
                } else {
                    libc::dup2(theirs_raw, 3);
                }
                Ok(())
            });
        }
        let child = command.spawn().expect("antlerite-gpu starts");
        drop(theirs);
        let mut gpu = Gpu {
            child,
            sock,
            seq: 0,
            arena: Shared::new(ARENA_BYTES),
            userd: Shared::new(64 << 10),
            page: Shared::new(usermode::BYTES),
            notifiers: Shared::new(4096),
            next: 0,
            messages: Vec::new(),
            tracker: 0,
        };
        gpu.page
            .word(usermode::ANNOUNCED as u64)
            .store(usermode::ANNOUNCED_MAGIC, Ordering::SeqCst);
        gpu.ask(ToGpu::Start(start), &[]).expect("start");
        let fd = gpu.arena.fd.as_raw_fd();
        gpu.ask(
            ToGpu::Map {
                va: ARENA,
                len: ARENA_BYTES,
                offset: 0,
                write: true,
                huge: false,
            },
            &[fd],
        )
        .expect("map");
        gpu
    }

    /// Closes the link.
    pub fn hang_up(&mut self) {
        // SAFETY: shuts down our own socket.
        unsafe { libc::shutdown(self.sock.as_raw_fd(), libc::SHUT_RDWR) };
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    // --- link

    pub fn send(&mut self, body: ToGpu, fds: &[RawFd]) -> u64 {
        self.seq += 1;
        let bytes = postcard::to_allocvec(&Request {
            seq: self.seq,
            body,
        })
        .unwrap();
        let mut part = libc::iovec {
            iov_base: bytes.as_ptr() as *mut _,
            iov_len: bytes.len(),
        };
        let mut control = [0u64; 16];
        // SAFETY: buffers live through the call.
        unsafe {
            let mut h: libc::msghdr = std::mem::zeroed();
            h.msg_iov = &raw mut part;
            h.msg_iovlen = 1;
            if !fds.is_empty() {
                h.msg_control = control.as_mut_ptr().cast();
                h.msg_controllen = libc::CMSG_SPACE(4 * fds.len() as u32) as usize;
                let c = libc::CMSG_FIRSTHDR(&raw const h);
                (*c).cmsg_level = libc::SOL_SOCKET;
                (*c).cmsg_type = libc::SCM_RIGHTS;
                (*c).cmsg_len = libc::CMSG_LEN(4 * fds.len() as u32) as usize;
                std::ptr::copy_nonoverlapping(fds.as_ptr(), libc::CMSG_DATA(c).cast(), fds.len());
            }
            assert!(
                libc::sendmsg(self.sock.as_raw_fd(), &raw const h, libc::MSG_NOSIGNAL) > 0,
                "link is up"
            );
        }
        self.seq
    }

    /// The next message, or none after `limit`.
    pub fn receive(&mut self, limit: Duration) -> Option<FromGpu> {
        let mut p = libc::pollfd {
            fd: self.sock.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: valid pollfd and buffer.
        unsafe {
            if libc::poll(&raw mut p, 1, limit.as_millis() as i32) <= 0 {
                return None;
            }
            let mut buffer = vec![0u8; abi::link::MAX_PACKET];
            let n = libc::recv(
                self.sock.as_raw_fd(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                0,
            );
            if n <= 0 {
                return None;
            }
            Some(postcard::from_bytes(&buffer[..n as usize]).expect("message"))
        }
    }

    pub fn ask(&mut self, body: ToGpu, fds: &[RawFd]) -> Result<(), LinkError> {
        let seq = self.send(body, fds);
        loop {
            let Some(message) = self.receive(Duration::from_secs(10)) else {
                panic!(
                    "no answer; before it: {:?}; status {:?}",
                    self.messages,
                    self.child.try_wait()
                )
            };
            match message {
                FromGpu::Done { seq: s, result } => {
                    assert_eq!(s, seq);
                    return result;
                }
                other => self.messages.push(other),
            }
        }
    }

    /// Waits for a fault record.
    pub fn fault(&mut self) -> Fault {
        loop {
            let message = match self
                .messages
                .iter()
                .position(|m| matches!(m, FromGpu::Fault(_)))
            {
                Some(i) => self.messages.remove(i),
                None => self.receive(Duration::from_secs(20)).expect("a fault"),
            };
            match message {
                FromGpu::Fault(f) => return f,
                FromGpu::Log(l) => eprintln!("log: {l}"),
                other => self.messages.push(other),
            }
        }
    }

    // --- memory

    /// Takes arena bytes; returns the GPU address.
    pub fn alloc(&mut self, bytes: u64) -> u64 {
        let at = self.next.next_multiple_of(4096);
        self.next = at + bytes;
        assert!(self.next <= ARENA_BYTES);
        ARENA + at
    }

    pub fn upload(&mut self, data: &[u8]) -> u64 {
        let va = self.alloc(data.len() as u64);
        self.arena.write(va - ARENA, data);
        va
    }

    pub fn word(&self, va: u64) -> &AtomicU32 {
        self.arena.word(va - ARENA)
    }

    pub fn words(&self, va: u64, n: usize) -> Vec<u32> {
        self.arena
            .read(va - ARENA, 4 * n)
            .chunks(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect()
    }

    /// Waits until the word has the value.
    pub fn wait(&mut self, va: u64, value: u32) {
        let end = Instant::now() + Duration::from_secs(30);
        let mut turns = 0u32;
        while self.word(va).load(Ordering::Acquire) != value {
            turns += 1;
            if turns.is_multiple_of(1000) {
                while let Some(m) = self.receive(Duration::ZERO) {
                    if let FromGpu::Fault(f) = &m {
                        panic!("fault instead of {value} at {va:#x}: {f:?}");
                    }
                    self.messages.push(m);
                }
                assert!(
                    Instant::now() < end,
                    "timeout: {} instead of {value}",
                    self.word(va).load(Ordering::SeqCst)
                );
                std::thread::sleep(Duration::from_micros(100));
            }
            std::hint::spin_loop();
        }
    }

    // --- channels

    pub fn channel(&mut self, chid: u32, channel_classes: &[u32]) -> Channel {
        let ring = self.alloc(8 * u64::from(RING));
        let push = self.alloc(PUSH_BYTES);
        let userd = 512 * u64::from(chid);
        let alloc = ChannelAlloc {
            chid,
            class: classes::HOPPER_CHANNEL_GPFIFO_A,
            gpfifo_va: ring,
            gpfifo_entries: RING,
            userd_offset: userd,
            notifier_offset: Some(NOTIFIER * u64::from(chid)),
            engine: 1,
        };
        let fds = [
            self.userd.fd.as_raw_fd(),
            self.page.fd.as_raw_fd(),
            self.notifiers.fd.as_raw_fd(),
        ];
        self.ask(ToGpu::ChannelAlloc(alloc), &fds).expect("channel");
        for &class in channel_classes {
            self.ask(ToGpu::BindClass { chid, class }, &[])
                .expect("bind");
        }
        self.ask(ToGpu::ChannelSchedule { chid, run: true }, &[])
            .expect("schedule");
        let mut channel = Channel {
            chid,
            userd,
            ring,
            put: 0,
            push,
            at: 0,
        };
        let mut p = Push::default();
        for &class in channel_classes {
            p.method(subchannel(class), host::SET_OBJECT, &[class]);
        }
        self.submit(&mut channel, &p);
        channel
    }

    /// A channel with compute and copy classes.
    pub fn compute_channel(&mut self, chid: u32) -> Channel {
        self.channel(
            chid,
            &[classes::HOPPER_COMPUTE_A, classes::HOPPER_DMA_COPY_A],
        )
    }

    pub fn submit(&mut self, channel: &mut Channel, push: &Push) {
        let bytes: Vec<u8> = push.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        if channel.at + bytes.len() as u64 > PUSH_BYTES {
            channel.at = 0;
        }
        let va = channel.push + channel.at;
        channel.at += bytes.len() as u64;
        self.arena.write(va - ARENA, &bytes);
        self.submit_segment(channel, va, push.words.len() as u32);
    }

    pub fn submit_segment(&mut self, channel: &mut Channel, va: u64, words: u32) {
        self.submit_entry(channel, va | u64::from(words) << 42 | 1 << 41);
    }

    pub fn submit_entry(&mut self, channel: &mut Channel, entry: u64) {
        let next = (channel.put + 1) % RING;
        let end = Instant::now() + Duration::from_secs(20);
        while self
            .userd
            .word(channel.userd + 0x88)
            .load(Ordering::Acquire)
            == next
        {
            assert!(Instant::now() < end, "ring stays full");
            std::hint::spin_loop();
        }
        self.arena
            .wide(channel.ring - ARENA + 8 * u64::from(channel.put))
            .store(entry, Ordering::Release);
        channel.put = next;
        self.userd
            .word(channel.userd + 0x8c)
            .store(next, Ordering::SeqCst);
        self.page
            .word(usermode::DOORBELL as u64)
            .store(channel.chid, Ordering::SeqCst);
        let seq = self.page.word(usermode::SUBMIT_SEQ as u64);
        seq.fetch_add(1, Ordering::SeqCst);
        if self
            .page
            .word(usermode::SLEEPERS as u64)
            .load(Ordering::SeqCst)
            != 0
        {
            // SAFETY: a wake on a valid word.
            unsafe {
                libc::syscall(
                    libc::SYS_futex,
                    seq.as_ptr(),
                    libc::FUTEX_WAKE,
                    i32::MAX,
                    std::ptr::null::<u8>(),
                    0,
                    0,
                )
            };
        }
    }

    pub fn gp_get(&self, channel: &Channel) -> u32 {
        self.userd
            .word(channel.userd + 0x88)
            .load(Ordering::Acquire)
    }

    /// Waits until everything submitted on the channel has completed.
    pub fn sync(&mut self, channel: &mut Channel) {
        let va = self.fence_va(channel);
        self.tracker += 1;
        let value = self.tracker;
        let mut p = Push::default();
        p.release(va, value);
        self.submit(channel, &p);
        self.wait(va, value);
    }

    fn fence_va(&self, channel: &Channel) -> u64 {
        // The last words of the channel's pushbuffer memory are never reached by these tests.
        channel.push + PUSH_BYTES - 64
    }

    /// Writes a QMD (V4) and returns its address.
    pub fn qmd(&mut self, launch: &Launch) -> u64 {
        let mut w = [0u32; 96];
        v4::QMD_MAJOR_VERSION.set(&mut w, 0, 4);
        v4::QMD_TYPE.set(&mut w, 0, 2);
        v4::GRID_WIDTH.set(&mut w, 0, u64::from(launch.grid[0]));
        v4::GRID_HEIGHT.set(&mut w, 0, u64::from(launch.grid[1]));
        v4::GRID_DEPTH.set(&mut w, 0, u64::from(launch.grid[2]));
        v4::CTA_THREAD_DIMENSION0.set(&mut w, 0, u64::from(launch.block[0]));
        v4::CTA_THREAD_DIMENSION1.set(&mut w, 0, u64::from(launch.block[1]));
        v4::CTA_THREAD_DIMENSION2.set(&mut w, 0, u64::from(launch.block[2]));
        v4::PROGRAM_ADDRESS_LOWER.set(&mut w, 0, launch.program & 0xffff_ffff);
        v4::PROGRAM_ADDRESS_UPPER.set(&mut w, 0, launch.program >> 32);
        v4::SHARED_MEMORY_SIZE.set(&mut w, 0, u64::from(launch.shared));
        let mut bank = vec![0u8; abi::sm::PARAM_OFFSET as usize];
        bank[..8].copy_from_slice(&launch.fifo.to_le_bytes());
        bank[8..16].copy_from_slice(&launch.heap.0.to_le_bytes());
        bank[16..24].copy_from_slice(&launch.heap.1.to_le_bytes());
        bank[48..56].copy_from_slice(&abi::sm::DriverConstants::MAGIC.to_le_bytes());
        for p in &launch.params {
            bank.extend_from_slice(&p.to_le_bytes());
        }
        bank.resize(bank.len().next_multiple_of(16), 0);
        let constants = self.upload(&bank);
        v4::CONSTANT_BUFFER_VALID.set(&mut w, 0, 1);
        v4::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6.set(&mut w, 0, constants >> 6 & 0xffff_ffff);
        v4::CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6.set(&mut w, 0, constants >> 38);
        v4::CONSTANT_BUFFER_SIZE_SHIFTED4.set(&mut w, 0, bank.len() as u64 >> 4);
        if let Some((va, value)) = launch.release {
            v4::RELEASE_ENABLE.set(&mut w, 0, 1);
            v4::RELEASE_STRUCTURE_SIZE.set(&mut w, 0, 1);
            v4::RELEASE_SEMAPHORE0_ADDR_LOWER.set(&mut w, 0, va & 0xffff_ffff);
            v4::RELEASE_SEMAPHORE0_ADDR_UPPER.set(&mut w, 0, va >> 32);
            v4::RELEASE_SEMAPHORE0_PAYLOAD_LOWER.set(&mut w, 0, u64::from(value));
        }
        if let Some(next) = launch.then {
            v4::DEPENDENT_QMD_ENABLE.set(&mut w, 0, 1);
            v4::DEPENDENT_QMD_ACTION.set(&mut w, 0, 1);
            v4::DEPENDENT_QMD0_POINTER.set(&mut w, 0, next >> 8);
        }
        let bytes: Vec<u8> = w.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.upload(&bytes)
    }

    pub fn launch(&mut self, channel: &mut Channel, launch: &Launch) {
        let qmd = self.qmd(launch);
        let mut p = Push::default();
        p.launch(qmd);
        self.submit(channel, &p);
    }

    /// Launches a QMD that exists, waits for idle in the channel and releases a semaphore if asked to.
    pub fn launch_qmd(&mut self, channel: &mut Channel, qmd: u64, release: Option<(u64, u32)>) {
        let mut p = Push::default();
        p.launch(qmd);
        match release {
            Some((va, value)) => p.release(va, value),
            None => p.wait_idle(),
        };
        self.submit(channel, &p);
    }

    /// Whether the process has ended, waiting at most `limit`.
    pub fn ends_within(&mut self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if self.child.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        false
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn subchannel(class: u32) -> u32 {
    if class & 0xff == 0xb5 { 4 } else { 1 }
}

/// What to launch.
#[derive(Clone, Debug)]
pub struct Launch {
    pub program: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub params: Vec<u64>,
    pub release: Option<(u64, u32)>,
    pub then: Option<u64>,
    pub fifo: u64,
    pub heap: (u64, u64),
}

impl Launch {
    pub fn new(program: u64, grid: u32, block: u32, params: &[u64]) -> Launch {
        Launch {
            program,
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            shared: 0,
            params: params.to_vec(),
            release: None,
            then: None,
            fifo: 0,
            heap: (0, 0),
        }
    }
}

/// A pushbuffer being written.
#[derive(Clone, Debug, Default)]
pub struct Push {
    pub words: Vec<u32>,
}

impl Push {
    pub fn method(&mut self, subchannel: u32, method: u32, data: &[u32]) -> &mut Push {
        self.words
            .push(1 << 29 | (data.len() as u32) << 16 | subchannel << 13 | method >> 2);
        self.words.extend_from_slice(data);
        self
    }

    pub fn release(&mut self, va: u64, value: u32) -> &mut Push {
        // Release, wait for idle, 32 bits.
        self.method(
            0,
            host::SEM_ADDR_LO,
            &[va as u32, (va >> 32) as u32, value, 0, 1 | 1 << 20],
        )
    }

    pub fn acquire(&mut self, va: u64, value: u32, operation: u32) -> &mut Push {
        self.method(
            0,
            host::SEM_ADDR_LO,
            &[va as u32, (va >> 32) as u32, value, 0, operation],
        )
    }

    pub fn launch(&mut self, qmd: u64) -> &mut Push {
        self.method(1, compute::SEND_PCAS_A, &[(qmd >> 8) as u32]);
        self.method(1, compute::SEND_SIGNALING_PCAS2_B, &[9])
    }

    pub fn wait_idle(&mut self) -> &mut Push {
        self.method(1, compute::WAIT_FOR_IDLE, &[0])
    }

    pub fn copy(&mut self, dst: u64, src: u64, bytes: u32) -> &mut Push {
        self.method(
            4,
            0x400,
            &[
                (src >> 32) as u32,
                src as u32,
                (dst >> 32) as u32,
                dst as u32,
            ],
        );
        self.method(4, 0x418, &[bytes]);
        self.method(4, 0x300, &[0x182])
    }
}
