//! Oracles: hostile ioctls, against the dispatcher in this process or through a door.
//!
//! [`run`] and [`run_nodes`] make random and structured calls on all nodes. They must not panic, and when all files
//! are closed nothing may be left: no object, no byte, no descriptor, no channel. [`through_door`] makes the same
//! calls as a client; what is left is then the server's to say.

mod door_target;
pub mod model;

use std::os::fd::OwnedFd;
use std::sync::Arc;

use abi::nv::{classes, escapes, status as nv_status, uvm as uvm_abi};
use door::Node;
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;

use crate::file::Owner;
use crate::kernel::Kernel;
use crate::params::{put, put_u32, put_u64, u32_at};
use crate::usermem::{FileId, UserMem};
use crate::{class, control, escape, uvm};

/// A small reproducible generator (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n` (0 for 0).
    pub fn below(&mut self, n: usize) -> usize {
        let n64 = u64::try_from(n).unwrap_or(u64::MAX);
        if n == 0 {
            0
        } else {
            usize::try_from(self.draw() % n64).unwrap_or(0)
        }
    }

    fn low32(&mut self) -> u32 {
        u32::try_from(self.draw() & 0xffff_ffff).unwrap_or(0)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = self.draw().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        list.get(self.below(list.len())).copied()
    }
}

pub use door_target::{DoorTarget, model_through_door, through_door};

/// Where the caller's memory lies.
const ARENA: u64 = 0x4000_0000;
const ARENA_BYTES: usize = 256 << 10;
/// The nodes, in the order of [`Report::by_node`].
pub const NODES: [Node; 5] = [
    Node::Control,
    Node::Gpu(0),
    Node::Uvm,
    Node::UvmTools,
    Node::Modeset,
];

/// A caller with some memory and some files.
#[derive(Debug)]
pub struct FakeUser {
    memory: Vec<u8>,
    files: Vec<(i32, FileId)>,
    random: Random,
}

impl FakeUser {
    /// A caller with an empty arena.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            memory: vec![0; ARENA_BYTES],
            files: Vec::new(),
            random: Random::new(seed),
        }
    }

    /// Address of the arena.
    #[must_use]
    pub fn arena(&self) -> u64 {
        ARENA
    }

    /// Names an open file by a descriptor number.
    pub fn add_file(&mut self, fd: i32, id: FileId) {
        self.files.push((fd, id));
    }

    fn span(&self, address: u64, len: usize) -> Result<std::ops::Range<usize>, Errno> {
        let start = address
            .checked_sub(ARENA)
            .and_then(|s| usize::try_from(s).ok())
            .ok_or(Errno::FAULT)?;
        let end = start
            .checked_add(len)
            .filter(|e| *e <= self.memory.len())
            .ok_or(Errno::FAULT)?;
        Ok(start..end)
    }
}

impl UserMem for FakeUser {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Errno> {
        let span = self.span(address, into.len())?;
        into.copy_from_slice(&self.memory[span]);
        Ok(())
    }

    fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Errno> {
        let span = self.span(address, from.len())?;
        self.memory[span].copy_from_slice(from);
        Ok(())
    }

    fn file(&mut self, fd: i32) -> Option<FileId> {
        self.files.iter().find(|(n, _)| *n == fd).map(|(_, id)| *id)
    }

    /// Sometimes right, sometimes not sealed, too short, or no memfd at all.
    fn pin(&mut self, _: u64, len: u64) -> Result<OwnedFd, Errno> {
        match self.random.below(5) {
            0 => Err(Errno::FAULT),
            1 => rustix::fs::memfd_create("fuzz", MemfdFlags::CLOEXEC),
            2 => rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC),
            kind => {
                let fd = rustix::fs::memfd_create(
                    "fuzz",
                    MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING,
                )?;
                rustix::fs::ftruncate(&fd, if kind == 3 { 0 } else { len })?;
                rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK)?;
                Ok(fd)
            }
        }
    }
}

/// What a run met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Calls made.
    pub calls: usize,
    /// Of them refused with an errno.
    pub refused: usize,
    /// Allocations that worked.
    pub allocated: usize,
    /// Calls per node, as in [`NODES`].
    pub by_node: [usize; 5],
}

/// What the calls are made on.
pub trait Target {
    /// Opens a node: the descriptor number that parameters name it by, and its number for this trait.
    fn open(&mut self, node: Node) -> Option<(i32, FileId)>;
    /// Closes a file.
    fn close(&mut self, id: FileId);
    /// Makes a call; false if it was refused with an errno.
    fn ioctl(&mut self, id: FileId, request: u32, arg: &mut [u8]) -> bool;
    /// Puts parameters into the caller's memory.
    fn store(&mut self, address: u64, bytes: &[u8]);
    /// Maps a file, and unmaps what a caller's system call would.
    fn map(&mut self, id: FileId, prot: u32, offset: u64, len: u64);
    /// Reports an unmapped range.
    fn unmapped(&mut self, id: FileId, address: u64, len: u64);
    /// Whether a GPU process may be started for this call: true is dear through a door.
    fn may_start(&mut self) -> bool;
}

/// The dispatcher in this process.
struct Here<'a> {
    kernel: &'a Kernel,
    user: FakeUser,
    owner: Owner,
    next_fd: i32,
}

impl Target for Here<'_> {
    fn open(&mut self, node: Node) -> Option<(i32, FileId)> {
        let id = self.kernel.open(node, self.owner.clone()).ok()?;
        let fd = self.next_fd;
        self.next_fd += 1;
        self.user.files.push((fd, id));
        Some((fd, id))
    }

    fn close(&mut self, id: FileId) {
        self.user.files.retain(|(_, known)| *known != id);
        self.kernel.close(id);
    }

    fn ioctl(&mut self, id: FileId, request: u32, arg: &mut [u8]) -> bool {
        self.kernel.ioctl(id, request, arg, &mut self.user).is_ok()
    }

    fn store(&mut self, address: u64, bytes: &[u8]) {
        // In range by construction.
        let _ = self.user.write(address, bytes);
    }

    fn map(&mut self, id: FileId, prot: u32, offset: u64, len: u64) {
        // Errors are as good as successes here.
        let _ = self.kernel.map(id, prot, offset, len);
    }

    fn unmapped(&mut self, id: FileId, address: u64, len: u64) {
        let _ = self.kernel.unmapped(id, address, len);
    }

    fn may_start(&mut self) -> bool {
        true
    }
}

/// An open file: its descriptor number, its number, its node.
type Open = (i32, FileId, Node);

struct Fuzzer<'a, T: Target> {
    /// For the struct sizes and the lists of what is handled.
    kernel: &'a Kernel,
    target: T,
    random: Random,
    files: Vec<Open>,
    /// (client, handle, class).
    objects: Vec<(u32, u32, u32)>,
    bases: Vec<(u64, u64)>,
    report: Report,
}

/// Makes about `calls` calls from `seed` and closes everything. Panics (with the seed) when something is left over.
///
/// # Panics
/// When the kernel half leaks, which is what it looks for.
pub fn run(kernel: &Arc<Kernel>, seed: u64, calls: usize) -> Report {
    let mut fuzzer = Fuzzer::here(kernel, seed);
    for _ in 0..calls {
        fuzzer.step();
    }
    fuzzer.close_all();
    nothing_left(kernel, seed);
    fuzzer.report
}

/// As [`run`], but at least `calls` calls on each node.
///
/// # Panics
/// As [`run`].
pub fn run_nodes(kernel: &Arc<Kernel>, seed: u64, calls: usize) -> Report {
    let mut fuzzer = Fuzzer::here(kernel, seed);
    fuzzer.each_node(calls);
    fuzzer.close_all();
    nothing_left(kernel, seed);
    fuzzer.report
}

fn nothing_left(kernel: &Kernel, seed: u64) {
    let services = &kernel.services;
    let left = (
        kernel.file_list().len(),
        kernel.tree().clients().count(),
        services.host.used(),
        services.descriptors.used(),
        kernel
            .gpus
            .iter()
            .map(|g| g.framebuffer.used())
            .sum::<u64>(),
        kernel.gpus.iter().map(|g| g.channel_count()).sum::<usize>(),
    );
    assert_eq!(
        left,
        (0, 0, 0, 0, 0, 0),
        "left over (files, clients, host bytes, descriptors, video bytes, channels) after seed {seed:#x}"
    );
}

impl<'a> Fuzzer<'a, Here<'a>> {
    fn here(kernel: &'a Kernel, seed: u64) -> Self {
        let target = Here {
            kernel,
            user: FakeUser::new(seed ^ 0x55),
            owner: Owner {
                pid: 1,
                uid: 0,
                name: "fuzz".into(),
            },
            next_fd: 10,
        };
        Self::new(kernel, target, seed)
    }
}

impl<'a, T: Target> Fuzzer<'a, T> {
    fn new(kernel: &'a Kernel, target: T, seed: u64) -> Self {
        let mut fuzzer = Self {
            kernel,
            target,
            random: Random::new(seed),
            files: Vec::new(),
            objects: Vec::new(),
            bases: Vec::new(),
            report: Report::default(),
        };
        for node in NODES.into_iter().chain([Node::Uvm]) {
            fuzzer.open(node);
        }
        fuzzer
    }

    fn open(&mut self, node: Node) {
        if let Some((fd, id)) = self.target.open(node) {
            self.files.push((fd, id, node));
        }
    }

    fn close_all(&mut self) {
        for (_, id, _) in std::mem::take(&mut self.files) {
            self.target.close(id);
        }
    }

    fn each_node(&mut self, calls: usize) {
        // A bound, for steps that make no call or one on another node.
        for _ in 0..calls.saturating_mul(NODES.len() * 8) {
            let short: Vec<usize> = (0..NODES.len())
                .filter(|node| self.report.by_node[*node] < calls)
                .collect();
            match self.random.pick(&short) {
                None => return,
                Some(0) => match self.random.below(10) {
                    0 => self.random_escape(),
                    1 | 2 => self.other_escape(&[]),
                    3..=6 => self.alloc(),
                    7 | 8 => self.control(),
                    _ => self.step(),
                },
                Some(1) => self.other_escape(&[escapes::Node::Device]),
                Some(2) => self.uvm(),
                Some(node) => self.stranger(NODES[node]),
            }
        }
    }

    /// What belongs to other nodes, and what belongs to none.
    fn stranger(&mut self, node: Node) {
        let Some(id) = self.file(&[node]) else {
            return;
        };
        let (request, size) = match self.random.below(3) {
            0 => {
                let request = self.random.pick(&uvm::handled()).unwrap_or(0);
                let size = self.kernel.argument_size(Node::Uvm, request).unwrap_or(0);
                (request, size)
            }
            1 => {
                let size = self.random.below(700);
                let number = self.random.low32() & 0xff;
                let size32 = u32::try_from(size).unwrap_or(0);
                (0xc000_4600 | size32 << 16 | number, size)
            }
            _ => (self.random.low32(), self.random.below(10_000)),
        };
        let mut arg = vec![0; size];
        if self.random.one_in(2) {
            self.random.fill(&mut arg);
        }
        if self.random.one_in(2) {
            let (a, b) = (self.pointer(), self.number());
            put_u64(&mut arg, 0, a);
            put_u64(&mut arg, 8, b);
        }
        self.call(id, request, &mut arg);
    }

    fn file(&mut self, wanted: &[Node]) -> Option<FileId> {
        let list: Vec<FileId> = self
            .files
            .iter()
            .filter(|(_, _, node)| wanted.contains(node))
            .map(|(_, id, _)| *id)
            .collect();
        self.random.pick(&list)
    }

    fn call(&mut self, id: FileId, request: u32, arg: &mut [u8]) -> bool {
        self.report.calls += 1;
        let node = self.files.iter().find(|f| f.1 == id).map(|f| f.2);
        if let Some(at) = NODES.iter().position(|n| Some(*n) == node) {
            self.report.by_node[at] += 1;
        }
        let ok = self.target.ioctl(id, request, arg);
        if !ok {
            self.report.refused += 1;
        }
        ok
    }

    fn escape(&mut self, number: u32, arg: &mut [u8]) -> bool {
        let device = escapes::find(number).is_some_and(|e| e.node == escapes::Node::Device);
        let wrong = self.random.one_in(50);
        let node = if device != wrong {
            Node::Gpu(0)
        } else {
            Node::Control
        };
        let Some(id) = self.file(&[node]) else {
            return false;
        };
        let size = u32::try_from(arg.len()).unwrap_or(0) & 0x3fff;
        self.call(id, 0xc000_4600 | size << 16 | number, arg)
    }

    /// An object: mostly one that is there.
    fn object(&mut self) -> (u32, u32, u32) {
        if self.random.one_in(20) {
            return (self.random.low32(), self.random.low32(), 0);
        }
        let objects = std::mem::take(&mut self.objects);
        let picked = self
            .random
            .pick(&objects)
            .unwrap_or((0xc1d0_0001, 0xc1d0_0001, 0x41));
        self.objects = objects;
        picked
    }

    fn object_of(&mut self, classes: &[u32]) -> (u32, u32, u32) {
        let list: Vec<_> = self
            .objects
            .iter()
            .copied()
            .filter(|o| classes.contains(&o.2))
            .collect();
        match self.random.pick(&list) {
            Some(object) if !self.random.one_in(10) => object,
            _ => self.object(),
        }
    }

    /// A descriptor number: mostly one that is there.
    fn fd(&mut self) -> u32 {
        if self.random.one_in(8) {
            return self.random.low32();
        }
        let at = self.random.below(self.files.len());
        self.files
            .get(at)
            .map_or(0, |(fd, _, _)| fd.cast_unsigned())
    }

    fn pointer(&mut self) -> u64 {
        match self.random.below(8) {
            0 => 0,
            1 => self.random.draw(),
            2 => ARENA + ARENA_BYTES as u64 - 8,
            _ => ARENA + self.random.draw() % (ARENA_BYTES as u64 / 2),
        }
    }

    fn number(&mut self) -> u64 {
        match self.random.below(6) {
            0 => 0,
            1 => self.random.draw(),
            2 => u64::MAX,
            3 => 1 << self.random.below(64),
            4 => 4096 << self.random.below(12),
            _ => self.random.draw() & 0xff,
        }
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..=4 => self.random_escape(),
            5..=9 => self.random_uvm(),
            10..=39 => self.alloc(),
            40..=54 => self.control(),
            55..=64 => self.other_escape(&[]),
            65..=94 => self.uvm(),
            95 => self.files(),
            96 => self.free(),
            _ => self.map(),
        }
    }

    fn random_escape(&mut self) {
        let number = self.random.low32() & 0xff;
        let mut arg = vec![0; self.random.below(700)];
        self.random.fill(&mut arg);
        self.escape(number, &mut arg);
    }

    fn random_uvm(&mut self) {
        let request = if self.random.one_in(3) {
            self.random.low32()
        } else {
            self.random.low32() & 0x7f
        };
        let mut arg = vec![0; self.random.below(10_000)];
        self.random.fill(&mut arg);
        if let Some(id) = self.file(&[Node::Uvm, Node::UvmTools, Node::Modeset]) {
            self.call(id, request, &mut arg);
        }
    }

    fn files(&mut self) {
        if self.files.len() > 24 {
            let at = self.random.below(self.files.len());
            let (_, id, node) = self.files.swap_remove(at);
            self.target.close(id);
            // One of each stays.
            if !self.files.iter().any(|f| f.2 == node) {
                self.open(node);
            }
            return;
        }
        let node = self
            .random
            .pick(&[Node::Control, Node::Gpu(0), Node::Gpu(9), Node::Uvm])
            .unwrap_or(Node::Control);
        self.open(node);
    }

    /// Writes parameters into the arena at a place of their own, and returns their address.
    fn place(&mut self, bytes: &[u8]) -> u64 {
        let address = ARENA + ARENA_BYTES as u64 / 2;
        self.target.store(address, bytes);
        address
    }

    fn alloc(&mut self) {
        let class = if self.random.one_in(12) {
            self.random.low32() & 0xffff
        } else if self.random.one_in(6) {
            classes::NV01_ROOT_CLIENT
        } else {
            self.random.pick(&class::handled()).unwrap_or(0)
        };
        let class = if class == classes::FERMI_VASPACE_A && !self.target.may_start() {
            classes::NV01_MEMORY_SYSTEM
        } else {
            class
        };
        let parents: &[u32] = match class {
            classes::NV01_DEVICE_0 => &[classes::NV01_ROOT_CLIENT],
            classes::HOPPER_COMPUTE_A | classes::HOPPER_DMA_COPY_A => {
                &[classes::HOPPER_CHANNEL_GPFIFO_A]
            }
            classes::FERMI_CONTEXT_SHARE_A | classes::HOPPER_CHANNEL_GPFIFO_A => {
                &[classes::KEPLER_CHANNEL_GROUP_A]
            }
            classes::HOPPER_USERMODE_A => &[classes::NV20_SUBDEVICE_0],
            _ => &[classes::NV01_DEVICE_0, classes::NV20_SUBDEVICE_0],
        };
        let (client, parent, _) = self.object_of(parents);
        let mut params = vec![0; 512];
        if self.random.one_in(4) {
            self.random.fill(&mut params);
        }
        self.shape_params(class, &mut params);
        let pointer = if self.random.one_in(10) {
            self.pointer()
        } else {
            self.place(&params)
        };
        let handle = if self.random.one_in(2) {
            0
        } else {
            self.random.low32() & 0xfff
        };
        let mut arg = vec![0; if self.random.one_in(2) { 32 } else { 48 }];
        for (at, value) in [(0, client), (4, parent), (8, handle), (12, class)] {
            put_u32(&mut arg, at, value);
        }
        put_u64(&mut arg, 16, pointer);
        if !self.escape(escapes::RM_ALLOC, &mut arg) {
            return;
        }
        let status = if arg.len() == 32 {
            u32_at(&arg, 28)
        } else {
            u32_at(&arg, 40)
        };
        if status == 0 {
            self.report.allocated += 1;
            let handle = u32_at(&arg, 8);
            let root = class == classes::NV01_ROOT_CLIENT || class < 2;
            self.objects
                .push((if root { handle } else { client }, handle, class));
            if self.objects.len() > 512 {
                self.objects.swap_remove(0);
            }
        } else if status == nv_status::NV_ERR_INVALID_CLIENT {
            // Its file was closed.
            self.objects.retain(|o| o.0 != client);
        } else if status == nv_status::NV_ERR_INVALID_OBJECT_PARENT {
            // Freed, or of another kind: it may come back by its handle.
            self.objects.retain(|o| (o.0, o.1) != (client, parent));
        }
    }

    fn shape_params(&mut self, class: u32, params: &mut [u8]) {
        match class {
            classes::NV01_DEVICE_0 if !self.random.one_in(10) => put_u32(params, 0, 0),
            classes::NV20_SUBDEVICE_0 => put_u32(params, 0, 0),
            classes::NV01_MEMORY_LOCAL_USER
            | classes::NV01_MEMORY_SYSTEM
            | classes::NV50_MEMORY_VIRTUAL => {
                let size = self.number();
                put_u64(params, 0x40, size);
                put_u32(params, 0x6c, 0);
            }
            classes::KEPLER_CHANNEL_GROUP_A | classes::FERMI_CONTEXT_SHARE_A => {
                let space = self.object_of(&[classes::FERMI_VASPACE_A]).1;
                put_u32(
                    params,
                    if class == classes::FERMI_CONTEXT_SHARE_A {
                        0
                    } else {
                        8
                    },
                    space,
                );
                if class == classes::KEPLER_CHANNEL_GROUP_A {
                    put_u32(params, 0, 0);
                }
            }
            classes::HOPPER_CHANNEL_GPFIFO_A => {
                let memory = self
                    .object_of(&[classes::NV01_MEMORY_SYSTEM, classes::NV01_MEMORY_LOCAL_USER])
                    .1;
                let share = self.object_of(&[classes::FERMI_CONTEXT_SHARE_A]).1;
                put_u32(params, 0, if self.random.one_in(2) { 0 } else { memory });
                put_u64(params, 8, 0x10_0000_0000);
                put_u32(params, 16, 1024);
                put_u32(params, 24, share);
                put_u32(params, 28, 0);
                put_u32(params, 32, memory);
                let offset = if self.random.one_in(4) {
                    self.number()
                } else {
                    0
                };
                put_u64(params, 64, offset);
            }
            classes::NV01_EVENT_OS_EVENT => {
                let fd = self.fd();
                put_u64(params, 16, u64::from(fd));
                put_u32(params, 4, 0);
            }
            _ => {}
        }
    }

    fn control(&mut self) {
        let list = control::handled(self.kernel);
        let (cmd, mut size) = self.random.pick(&list).unwrap_or((0, 0));
        if self.random.one_in(20) {
            size = self.random.below(4096);
        }
        let cmd = if self.random.one_in(20) {
            self.random.low32()
        } else {
            cmd
        };
        let class = match cmd >> 16 {
            0 => classes::NV01_ROOT_CLIENT,
            0xa06c => classes::KEPLER_CHANNEL_GROUP_A,
            0xa06f | 0xc36f => classes::HOPPER_CHANNEL_GPFIFO_A,
            class => class,
        };
        let (client, object, _) = self.object_of(&[class]);
        let mut params = vec![0; size];
        if self.random.one_in(2) {
            self.random.fill(&mut params);
        }
        // Counts and pointers that stand first in many structs.
        if self.random.one_in(2) {
            let (count, pointer) = (self.random.below(40), self.pointer());
            put_u32(&mut params, 0, u32::try_from(count).unwrap_or(0));
            put_u64(&mut params, 8, pointer);
        }
        let pointer = if self.random.one_in(12) {
            self.pointer()
        } else {
            self.place(&params)
        };
        let mut arg = [0; 32];
        for (at, value) in [(0, client), (4, object), (8, cmd)] {
            put_u32(&mut arg, at, value);
        }
        put_u64(&mut arg, 16, pointer);
        put_u32(&mut arg, 24, u32::try_from(size).unwrap_or(0));
        self.escape(escapes::RM_CONTROL, &mut arg);
    }

    fn free(&mut self) {
        let (client, object, _) = self.object();
        let mut arg = [0; 16];
        put_u32(&mut arg, 0, client);
        put_u32(&mut arg, 8, object);
        self.escape(escapes::RM_FREE, &mut arg);
    }

    /// An escape that the dispatcher knows; if nodes are named, one of theirs.
    fn other_escape(&mut self, nodes: &[escapes::Node]) {
        let list: Vec<u32> = escape::handled()
            .into_iter()
            .filter(|number| {
                nodes.is_empty() || escapes::find(*number).is_some_and(|e| nodes.contains(&e.node))
            })
            .collect();
        let number = self.random.pick(&list).unwrap_or(0);
        let sizes: Vec<usize> = escapes::find(number)
            .into_iter()
            .flat_map(|e| e.params)
            .filter_map(|n| {
                self.kernel
                    .sizes
                    .of(n)
                    .and_then(|s| usize::try_from(s).ok())
            })
            .collect();
        let size = self
            .random
            .pick(&sizes)
            .unwrap_or_else(|| 72 * self.random.below(40));
        let mut arg = vec![0; size];
        if self.random.one_in(3) {
            self.random.fill(&mut arg);
        }
        let memory =
            self.object_of(&[classes::NV01_MEMORY_LOCAL_USER, classes::NV01_MEMORY_SYSTEM]);
        let device = self.object_of(&[classes::NV01_DEVICE_0]).1;
        let dma = self
            .object_of(&[classes::NV01_MEMORY_VIRTUAL, classes::FERMI_VASPACE_A])
            .1;
        let (fd, a, b) = (self.fd(), self.number(), self.number());
        put_u32(&mut arg, 0, memory.0);
        match number {
            escapes::RM_MAP_MEMORY | escapes::RM_UNMAP_MEMORY => {
                put_u32(&mut arg, 4, device);
                put_u32(&mut arg, 8, memory.1);
                put_u64(&mut arg, 16, if self.random.one_in(2) { 0 } else { a });
                put_u64(&mut arg, 24, if self.random.one_in(2) { 4096 } else { b });
                put_u32(&mut arg, 48, fd);
            }
            escapes::RM_MAP_MEMORY_DMA | escapes::RM_UNMAP_MEMORY_DMA => {
                put_u32(&mut arg, 4, device);
                put_u32(&mut arg, 8, dma);
                put_u32(&mut arg, 12, memory.1);
                put_u64(&mut arg, 24, if self.random.one_in(2) { 4096 } else { b });
            }
            escapes::RM_ALLOC_MEMORY => {
                put_u32(&mut arg, 4, device);
                put_u32(&mut arg, 12, classes::NV01_MEMORY_SYSTEM_OS_DESCRIPTOR);
                put_u64(&mut arg, 24, a);
                put_u64(&mut arg, 32, b);
            }
            escapes::RM_VID_HEAP_CONTROL => {
                put_u32(&mut arg, 4, device);
                let function = self.random.pick(&[2, 2, 3, 5, 14, 18, 99]).unwrap_or(2);
                put_u32(&mut arg, 8, function);
                put_u32(&mut arg, 0x2c, if function == 3 { memory.1 } else { 0 });
                put_u64(&mut arg, 0x58, a);
                put_u32(
                    &mut arg,
                    0x34,
                    self.random.pick(&[0, 0x8_0000, 0x8_0010]).unwrap_or(0),
                );
            }
            escapes::ALLOC_OS_EVENT | escapes::FREE_OS_EVENT => put_u32(&mut arg, 8, fd),
            escapes::REGISTER_FD => put_u32(&mut arg, 0, fd),
            escapes::RM_DUP_OBJECT => {
                put_u32(&mut arg, 4, device);
                put_u32(&mut arg, 8, 0);
                put_u32(&mut arg, 12, memory.0);
                put_u32(&mut arg, 16, memory.1);
            }
            _ => {}
        }
        self.escape(number, &mut arg);
    }

    fn uuid(&mut self) -> [u8; 16] {
        match self.random.below(8) {
            0 => [7; 16],
            1 => uvm_abi::CPU_UUID,
            _ => self.kernel.gpus.first().map_or([0; 16], |g| g.uuid),
        }
    }

    /// A span: mostly one that was used before.
    fn span(&mut self) -> (u64, u64) {
        if !self.random.one_in(3)
            && let Some(known) = {
                let bases = self.bases.clone();
                self.random.pick(&bases)
            }
        {
            return known;
        }
        let base = match self.random.below(6) {
            0 => self.number(),
            1 => abi::link::RESERVED.start + (self.random.draw() & 0xff_f000),
            _ => 0x20_0000_0000 + (self.random.draw() & 0xfff_f000),
        };
        let len = match self.random.below(4) {
            0 => self.number(),
            _ => 4096 << self.random.below(10),
        };
        if self.bases.len() < 64 {
            self.bases.push((base, len));
        }
        (base, len)
    }

    fn uvm(&mut self) {
        let request = self.random.pick(&uvm::handled()).unwrap_or(0);
        let Some(id) = self.file(&[Node::Uvm]) else {
            return;
        };
        let size = self.kernel.argument_size(Node::Uvm, request).unwrap_or(0);
        let mut arg = vec![0; size];
        if self.random.one_in(8) {
            self.random.fill(&mut arg);
        }
        let (base, len) = self.span();
        let uuid = self.uuid();
        let control = self
            .files
            .first()
            .map_or(0, |(fd, _, _)| fd.cast_unsigned());
        let space = self.object_of(&[classes::FERMI_VASPACE_A]);
        let memory = self.object_of(&[classes::NV01_MEMORY_LOCAL_USER]);
        match request {
            uvm_abi::UVM_INITIALIZE => put_u64(&mut arg, 0, 0),
            uvm_abi::UVM_MM_INITIALIZE => {
                let fd = self.fd();
                put_u32(&mut arg, 0, fd);
            }
            uvm_abi::UVM_REGISTER_GPU | uvm_abi::UVM_UNREGISTER_GPU => put(&mut arg, 0, &uuid),
            uvm_abi::UVM_REGISTER_GPU_VASPACE => {
                put(&mut arg, 0, &uuid);
                put_u32(&mut arg, 16, control);
                put_u32(&mut arg, 20, space.0);
                put_u32(&mut arg, 24, space.1);
            }
            uvm_abi::UVM_MAP_EXTERNAL_ALLOCATION => {
                put_u64(&mut arg, 0, base);
                put_u64(&mut arg, 8, len);
                put(&mut arg, 24, &uuid);
                put_u64(&mut arg, size - 24, 1);
                put_u32(&mut arg, size - 16, control);
                put_u32(&mut arg, size - 12, memory.0);
                put_u32(&mut arg, size - 8, memory.1);
            }
            uvm_abi::UVM_SET_RANGE_GROUP => {
                put_u64(&mut arg, 0, self.random.draw() & 3);
                put_u64(&mut arg, 8, base);
                put_u64(&mut arg, 16, len);
            }
            _ => {
                put_u64(&mut arg, 0, base);
                put_u64(&mut arg, 8, len);
                put(&mut arg, 16, &uuid);
            }
        }
        self.call(id, request, &mut arg);
    }

    fn map(&mut self) {
        let Some(id) = self.file(&[Node::Control, Node::Gpu(0), Node::Uvm]) else {
            return;
        };
        let (base, len) = self.span();
        let uvm = self.files.iter().any(|f| f.1 == id && f.2 == Node::Uvm);
        let offset = if uvm { base } else { 0 };
        self.report.calls += 1;
        if self.random.one_in(4) {
            self.target.unmapped(id, base, len);
        } else {
            let prot = self.random.low32() & 3 | 1;
            self.target.map(id, prot, offset, len);
        }
    }
}
