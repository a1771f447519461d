//! The object tree against a model of it: random sequences of allocations, frees, duplications, shares and closes by two
//! processes (by one, through a door) must get the status that the rules give (nv-abi.md §2.2), and the accounts must say
//! the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abi::nv::{classes, escapes, status};
use door::Node;

use super::{FakeUser, Random};
use crate::file::Owner;
use crate::kernel::Kernel;
use crate::memory::VIDEO_GRAIN;
use crate::params::{put_u32, put_u64, u32_at};
use crate::usermem::{FileId, UserMem};

/// Clients of one process at most.
const CLIENTS: usize = 256;
const PAGE: u64 = 4096;

/// What an object is, to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Device,
    Subdevice,
    /// The number of the memory behind it.
    Memory(u64),
    Space,
    Display,
}

#[derive(Debug)]
struct Client {
    process: usize,
    share_all: bool,
    /// Handle to parent, kind, and whether it is shared.
    objects: BTreeMap<u32, (u32, Kind, bool)>,
}

#[derive(Debug, Default)]
struct Model {
    clients: BTreeMap<u32, Client>,
    /// Memory: charged bytes, whether video, and how many objects name it.
    memories: BTreeMap<u64, (u64, bool, u32)>,
    next_memory: u64,
}

/// One side of the comparison's budget.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Framebuffer, bytes.
    pub video: u64,
    /// Host memory, bytes.
    pub host: u64,
    /// Memory objects.
    pub descriptors: u64,
    /// The larger of the sizes asked for, bytes.
    pub large: u64,
}

/// How the processes' calls reach the kernel half.
pub(super) trait Way {
    /// How many processes there are.
    fn processes(&self) -> usize;
    /// A call on a process's control file. Its errno must be 0.
    fn call(&mut self, process: usize, request: u32, arg: &mut [u8]);
    /// Puts parameters into a process's memory; their address.
    fn store(&mut self, process: usize, bytes: &[u8]) -> u64;
    /// A process closes its control file and opens another.
    fn reopen(&mut self, process: usize);
    /// Video and host bytes, descriptors and clients in use, where that can be seen.
    fn accounts(&self) -> Option<(u64, u64, u64, usize)>;
}

impl Model {
    fn used(&self, video: bool) -> u64 {
        let of = self.memories.values().filter(|m| m.1 == video);
        of.map(|m| m.0).sum()
    }

    fn own(&self, handle: u32, process: usize) -> Result<&Client, u32> {
        self.clients
            .get(&handle)
            .filter(|c| c.process == process)
            .ok_or(status::NV_ERR_INVALID_CLIENT)
    }

    fn drop_object(&mut self, kind: Kind) {
        if let Kind::Memory(id) = kind
            && let Some(memory) = self.memories.get_mut(&id)
        {
            memory.2 -= 1;
            if memory.2 == 0 {
                self.memories.remove(&id);
            }
        }
    }

    fn free(&mut self, client: u32, handle: u32) {
        let Some(found) = self.clients.get_mut(&client) else {
            return;
        };
        let mut gone: BTreeSet<u32> = BTreeSet::from([handle]);
        loop {
            let more: Vec<u32> = found
                .objects
                .iter()
                .filter(|(h, (parent, ..))| gone.contains(parent) && !gone.contains(h))
                .map(|(h, _)| *h)
                .collect();
            if more.is_empty() {
                break;
            }
            gone.extend(more);
        }
        let kinds: Vec<Kind> = gone
            .iter()
            .filter_map(|h| found.objects.remove(h))
            .map(|(_, kind, _)| kind)
            .collect();
        if handle == client {
            self.clients.remove(&client);
        }
        for kind in kinds {
            self.drop_object(kind);
        }
    }
}

/// A process: its number, its control file, its memory.
struct Process {
    owner: Owner,
    file: FileId,
    user: FakeUser,
}

/// Two processes, and the dispatcher in this one.
struct Here<'a> {
    kernel: &'a Kernel,
    processes: [Process; 2],
}

impl Way for Here<'_> {
    fn processes(&self) -> usize {
        self.processes.len()
    }

    fn call(&mut self, process: usize, request: u32, arg: &mut [u8]) {
        let process = &mut self.processes[process];
        self.kernel
            .ioctl(process.file, request, arg, &mut process.user)
            .expect("a well-formed call has errno 0");
    }

    fn store(&mut self, process: usize, bytes: &[u8]) -> u64 {
        let user = &mut self.processes[process].user;
        let address = user.arena();
        user.write(address, bytes).expect("the arena has room");
        address
    }

    fn reopen(&mut self, process: usize) {
        self.kernel.close(self.processes[process].file);
        let pid = self.processes[process].owner.pid;
        self.processes[process] = open(self.kernel, pid, u64::from(pid));
    }

    fn accounts(&self) -> Option<(u64, u64, u64, usize)> {
        let services = &self.kernel.services;
        Some((
            self.kernel.gpus[0].framebuffer.used(),
            services.host.used(),
            services.descriptors.used(),
            self.kernel.tree().clients().count(),
        ))
    }
}

struct Run<W> {
    way: W,
    limits: Limits,
    model: Model,
    random: Random,
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelReport {
    /// Steps.
    pub steps: usize,
    /// Of them successful.
    pub done: usize,
}

fn open(kernel: &Kernel, pid: u32, seed: u64) -> Process {
    let owner = Owner {
        pid,
        uid: 1000,
        name: "model".into(),
    };
    let file = kernel
        .open(Node::Control, owner.clone())
        .expect("a file can be opened");
    let mut user = FakeUser::new(seed);
    user.add_file(3, file);
    Process { owner, file, user }
}

/// Runs `steps` steps on a fresh kernel half.
///
/// # Panics
/// When kernel half and model disagree.
pub fn run(kernel: &Arc<Kernel>, seed: u64, steps: usize) -> ModelReport {
    let services = &kernel.services;
    let limits = Limits {
        video: kernel.gpus[0].framebuffer.total(),
        host: services.host.total(),
        descriptors: services.descriptors.total(),
        large: 40 << 20,
    };
    let way = Here {
        kernel,
        processes: [open(kernel, 11, seed), open(kernel, 12, seed + 1)],
    };
    let (report, way) = steps_of(way, limits, seed, steps, || true);
    for process in &way.processes {
        kernel.close(process.file);
    }
    assert_eq!(services.descriptors.used(), 0, "descriptors are left");
    assert_eq!(kernel.gpus[0].framebuffer.used(), 0, "video memory is left");
    assert_eq!(services.host.used(), 0, "host memory is left");
    assert_eq!(kernel.tree().clients().count(), 0, "clients are left");
    report
}

/// Makes `steps` steps, or as many as `goes_on` allows.
pub(super) fn steps_of<W: Way>(
    way: W,
    limits: Limits,
    seed: u64,
    steps: usize,
    goes_on: impl Fn() -> bool,
) -> (ModelReport, W) {
    let mut run = Run {
        way,
        limits,
        model: Model::default(),
        random: Random::new(seed),
    };
    let mut report = ModelReport::default();
    for step in 0..steps {
        if step % 256 == 0 && !goes_on() {
            break;
        }
        report.steps += 1;
        let what = run.step();
        report.done += usize::from(what.1 == status::NV_OK);
        run.agree(step, &what.0);
    }
    (report, run.way)
}

impl<W: Way> Run<W> {
    fn agree(&self, step: usize, what: &str) {
        let Some(seen) = self.way.accounts() else {
            return;
        };
        let want = (
            self.model.used(true),
            self.model.used(false),
            self.model.memories.len() as u64,
            self.model.clients.len(),
        );
        assert_eq!(seen, want, "after step {step}: {what}");
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    /// A client's handle: mostly one that is there, of either process.
    fn some_client(&mut self) -> u32 {
        let all: Vec<u32> = self.model.clients.keys().copied().collect();
        match self.below(12) {
            0 => 0,
            1 => 0xdead_0000,
            _ if all.is_empty() => 0xc1d0_0001,
            _ => all[self.below(all.len())],
        }
    }

    /// A handle in a client: one that is there, the client's, or one that is not.
    fn some_object(&mut self, client: u32) -> u32 {
        let all: Vec<u32> = self
            .model
            .clients
            .get(&client)
            .map(|c| c.objects.keys().copied().collect())
            .unwrap_or_default();
        match self.below(8) {
            0 => client,
            1 => 0x5000_0000 + u32::try_from(self.below(8)).unwrap_or(0),
            _ if all.is_empty() => client,
            _ => all[self.below(all.len())],
        }
    }

    fn new_handle(&mut self, client: u32) -> u32 {
        match self.below(6) {
            0 => 0,
            1 => self.some_object(client),
            _ => 0x5000_0000 + u32::try_from(self.below(64)).unwrap_or(0),
        }
    }

    fn call(&mut self, process: usize, number: u32, arg: &mut [u8]) {
        let size = u32::try_from(arg.len()).unwrap_or(0);
        let request = 0xc000_4600 | size << 16 | number;
        self.way.call(process, request, arg);
    }

    fn step(&mut self) -> (String, u32) {
        let processes = self.way.processes();
        let process = self.below(processes);
        match self.below(20) {
            0..2 => self.new_client(process),
            2..12 => self.alloc(process),
            12..17 => self.free(process),
            17 => self.dup(process),
            18 => self.share(process),
            _ if self.below(20) == 0 => self.reopen(process),
            _ => self.alloc(process),
        }
    }

    fn new_client(&mut self, process: usize) -> (String, u32) {
        let wanted = match self.below(3) {
            0 => 0xc0de_0000 + u32::try_from(self.below(6)).unwrap_or(0),
            _ => 0,
        };
        let mine = self.model.clients.values();
        let want = if mine.filter(|c| c.process == process).count() >= CLIENTS {
            status::NV_ERR_INSUFFICIENT_RESOURCES
        } else if self.model.clients.contains_key(&wanted) {
            status::NV_ERR_INSERT_DUPLICATE_NAME
        } else {
            status::NV_OK
        };
        let mut arg = [0; 32];
        put_u32(&mut arg, 8, wanted);
        put_u32(&mut arg, 12, classes::NV01_ROOT_CLIENT);
        self.call(process, escapes::RM_ALLOC, &mut arg);
        let (got, handle) = (u32_at(&arg, 28), u32_at(&arg, 8));
        let what = format!("client {wanted:#x} of process {process}");
        assert_eq!(status::name(got), status::name(want), "{what}");
        if got == status::NV_OK {
            assert!(wanted == 0 || handle == wanted, "{what}: {handle:#x}");
            let client = Client {
                process,
                share_all: false,
                objects: BTreeMap::new(),
            };
            assert!(
                self.model.clients.insert(handle, client).is_none(),
                "{what}"
            );
        }
        (what, got)
    }

    fn alloc(&mut self, process: usize) -> (String, u32) {
        let client = self.some_client();
        let parent = self.some_object(client);
        let handle = self.new_handle(client);
        let number = self.below(3) as u64;
        let size = match self.below(6) {
            0 => 0,
            1 => 1 << 50,
            2 => self.limits.large,
            _ => number * PAGE + 1,
        };
        let device = u32::from(self.below(8) == 0);
        // Class, its parameters, and the kind of object that its parent must be.
        let mut params = vec![0; 128];
        let class = match self.below(8) {
            0 | 1 => {
                put_u32(&mut params, 0, device);
                classes::NV01_DEVICE_0
            }
            2 => {
                put_u32(&mut params, 0, device);
                classes::NV20_SUBDEVICE_0
            }
            3 => {
                put_u64(&mut params, MEMORY_SIZE, size);
                classes::NV01_MEMORY_LOCAL_USER
            }
            4 => {
                put_u64(&mut params, MEMORY_SIZE, size);
                classes::NV01_MEMORY_SYSTEM
            }
            5 => classes::FERMI_VASPACE_A,
            6 => classes::NV04_DISPLAY_COMMON,
            _ => 0x7777,
        };
        let want = self.expect_alloc(process, client, parent, handle, class, device, size);
        let address = self.way.store(process, &params);
        let mut arg = [0; 48];
        for (at, value) in [(0, client), (4, parent), (8, handle), (12, class)] {
            put_u32(&mut arg, at, value);
        }
        put_u64(&mut arg, 16, address);
        self.call(process, escapes::RM_ALLOC, &mut arg);
        let (got, named) = (u32_at(&arg, 40), u32_at(&arg, 8));
        let what = format!(
            "process {process}: class {class:#x} at {client:#x}/{parent:#x} as {handle:#x}, device {device}, {size:#x} bytes"
        );
        let wanted = want.map_or_else(|s| s, |_| status::NV_OK);
        assert_eq!(status::name(got), status::name(wanted), "{what}");
        if let Ok(kind) = want {
            let found = self.model.clients.get_mut(&client).expect("checked");
            assert!(handle == 0 || handle == named, "{what}: {named:#x}");
            let old = found.objects.insert(named, (parent, kind, false));
            assert!(old.is_none() && named != client, "{what}: {named:#x}");
        }
        (what, got)
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one request")]
    fn expect_alloc(
        &mut self,
        process: usize,
        client: u32,
        parent: u32,
        handle: u32,
        class: u32,
        device: u32,
        size: u64,
    ) -> Result<Kind, u32> {
        let found = self.model.own(client, process)?;
        if handle != 0 && (handle == client || found.objects.contains_key(&handle)) {
            return Err(status::NV_ERR_INSERT_DUPLICATE_NAME);
        }
        let under = if parent == client {
            None
        } else {
            match found.objects.get(&parent) {
                Some((_, kind, _)) => Some(*kind),
                None => return Err(status::NV_ERR_INVALID_OBJECT_PARENT),
            }
        };
        let demand = |right: bool| {
            if right {
                Ok(())
            } else {
                Err(status::NV_ERR_INVALID_OBJECT_PARENT)
            }
        };
        let there = |kind| {
            if device == 0 {
                Ok(kind)
            } else {
                Err(status::NV_ERR_INVALID_DEVICE)
            }
        };
        match class {
            classes::NV01_DEVICE_0 => demand(under.is_none()).and_then(|()| there(Kind::Device)),
            classes::NV20_SUBDEVICE_0 => {
                demand(under == Some(Kind::Device)).and_then(|()| there(Kind::Subdevice))
            }
            classes::FERMI_VASPACE_A => demand(under == Some(Kind::Device)).map(|()| Kind::Space),
            classes::NV04_DISPLAY_COMMON => {
                demand(under == Some(Kind::Device)).map(|()| Kind::Display)
            }
            classes::NV01_MEMORY_LOCAL_USER | classes::NV01_MEMORY_SYSTEM => {
                demand(matches!(under, Some(Kind::Device | Kind::Subdevice)))?;
                self.expect_memory(class == classes::NV01_MEMORY_LOCAL_USER, size)
            }
            _ => Err(status::NV_ERR_INVALID_CLASS),
        }
    }

    fn expect_memory(&mut self, video: bool, size: u64) -> Result<Kind, u32> {
        if size == 0 {
            return Err(status::NV_ERR_INVALID_ARGUMENT);
        }
        let grain = if video { VIDEO_GRAIN } else { PAGE };
        let total = if video {
            self.limits.video
        } else {
            self.limits.host
        };
        let bytes = size.next_multiple_of(grain);
        let fits = size <= 1 << 46
            && self.model.used(video) + bytes <= total
            && (self.model.memories.len() as u64) < self.limits.descriptors;
        if !fits {
            return Err(status::NV_ERR_NO_MEMORY);
        }
        let id = self.model.next_memory;
        self.model.next_memory += 1;
        self.model.memories.insert(id, (bytes, video, 1));
        Ok(Kind::Memory(id))
    }

    fn free(&mut self, process: usize) -> (String, u32) {
        let client = self.some_client();
        // Seldom the client itself: little would ever grow.
        let mut handle = self.some_object(client);
        if handle == client && self.below(4) != 0 {
            handle = 0x5000_0001;
        }
        let root = if handle == client && self.below(2) == 0 {
            0
        } else {
            client
        };
        let named = if root == 0 { handle } else { client };
        let want = match self.model.own(named, process) {
            Err(status) => status,
            Ok(_) if handle == named => status::NV_OK,
            Ok(found) if found.objects.contains_key(&handle) => status::NV_OK,
            Ok(_) => status::NV_ERR_INVALID_OBJECT_OLD,
        };
        let mut arg = [0; 16];
        put_u32(&mut arg, 0, root);
        put_u32(&mut arg, 8, handle);
        self.call(process, escapes::RM_FREE, &mut arg);
        let got = u32_at(&arg, 12);
        let what = format!("process {process}: free {root:#x}/{handle:#x}");
        assert_eq!(status::name(got), status::name(want), "{what}");
        if got == status::NV_OK {
            self.model.free(named, handle);
        }
        (what, got)
    }

    fn dup(&mut self, process: usize) -> (String, u32) {
        let (client, source) = (self.some_client(), self.some_client());
        let parent = self.some_object(client);
        let handle = self.new_handle(client);
        let object = self.some_object(source);
        let want = self.expect_dup(process, client, parent, handle, source, object);
        let mut arg = [0; 28];
        for (at, value) in [
            (0, client),
            (4, parent),
            (8, handle),
            (12, source),
            (16, object),
        ] {
            put_u32(&mut arg, at, value);
        }
        self.call(process, escapes::RM_DUP_OBJECT, &mut arg);
        let (got, named) = (u32_at(&arg, 24), u32_at(&arg, 8));
        let what = format!(
            "process {process}: dup {source:#x}/{object:#x} to {client:#x}/{parent:#x} as {handle:#x}"
        );
        let wanted = want.map_or_else(|s| s, |_| status::NV_OK);
        assert_eq!(status::name(got), status::name(wanted), "{what}");
        if let Ok(kind) = want {
            if let Kind::Memory(id) = kind {
                self.model.memories.get_mut(&id).expect("named").2 += 1;
            }
            let found = self.model.clients.get_mut(&client).expect("checked");
            found.objects.insert(named, (parent, kind, false));
        }
        (what, got)
    }

    fn expect_dup(
        &self,
        process: usize,
        client: u32,
        parent: u32,
        handle: u32,
        source: u32,
        object: u32,
    ) -> Result<Kind, u32> {
        // Both processes are the same user's.
        let from = self
            .model
            .clients
            .get(&source)
            .ok_or(status::NV_ERR_INVALID_CLIENT)?;
        let (_, kind, shared) = from
            .objects
            .get(&object)
            .ok_or(status::NV_ERR_INVALID_OBJECT_HANDLE)?;
        if from.process != process && !from.share_all && !shared {
            return Err(status::NV_ERR_INSUFFICIENT_PERMISSIONS);
        }
        if !matches!(kind, Kind::Memory(_) | Kind::Subdevice) {
            return Err(status::NV_ERR_NOT_SUPPORTED);
        }
        let found = self.model.own(client, process)?;
        if parent != client && !found.objects.contains_key(&parent) {
            return Err(status::NV_ERR_INVALID_OBJECT_PARENT);
        }
        if handle != 0 && (handle == client || found.objects.contains_key(&handle)) {
            return Err(status::NV_ERR_INSERT_DUPLICATE_NAME);
        }
        Ok(*kind)
    }

    fn share(&mut self, process: usize) -> (String, u32) {
        let client = self.some_client();
        let object = self.some_object(client);
        let want = match self.model.own(client, process) {
            Err(status) => status,
            Ok(found) if object == client || found.objects.contains_key(&object) => status::NV_OK,
            Ok(_) => status::NV_ERR_INVALID_OBJECT_HANDLE,
        };
        let mut arg = vec![0; SHARE_BYTES];
        put_u32(&mut arg, 0, client);
        put_u32(&mut arg, 4, object);
        self.call(process, escapes::RM_SHARE, &mut arg);
        let got = u32_at(&arg, SHARE_BYTES - 4);
        let what = format!("process {process}: share {client:#x}/{object:#x}");
        assert_eq!(status::name(got), status::name(want), "{what}");
        if got == status::NV_OK
            && let Some(found) = self.model.clients.get_mut(&client)
        {
            if object == client {
                found.share_all = true;
            } else if let Some(entry) = found.objects.get_mut(&object) {
                entry.2 = true;
            }
        }
        (what, got)
    }

    /// A process closes its control file, with all that lives with it, and opens another.
    fn reopen(&mut self, process: usize) -> (String, u32) {
        self.way.reopen(process);
        let gone: Vec<u32> = self
            .model
            .clients
            .iter()
            .filter(|(_, c)| c.process == process)
            .map(|(handle, _)| *handle)
            .collect();
        for client in gone {
            self.model.free(client, client);
        }
        (format!("process {process} reopens"), status::NV_OK)
    }
}

/// Offset of `size` in `NV_MEMORY_ALLOCATION_PARAMS`.
const MEMORY_SIZE: usize =
    std::mem::offset_of!(abi::nv::alloc_params::NV_MEMORY_ALLOCATION_PARAMS, size);
/// Bytes of NVOS57; its status is last.
const SHARE_BYTES: usize = abi::nv::escape_params::NVOS57_PARAMETERS::BYTES;
