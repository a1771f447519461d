//! The oracle's calls through a door, as a client makes them.

use std::collections::HashMap;

use door::{Door, DoorError, File, Node, Protection};

use super::model::{Limits, ModelReport, Way, steps_of};
use super::{ARENA, ARENA_BYTES, FileId, Fuzzer, Random, Report, Target};
use crate::kernel::Kernel;

/// One virtual address space in so many that are asked for is made: each is a process.
const SPACE_IN: usize = 20;
/// Room behind a system call's argument: the kernel half takes as many bytes as the request says.
const ARGUMENT: usize = 64 << 10;
/// Longest range that is really mapped.
const LONGEST: u64 = 1 << 30;

/// A client of the door that `ANTLERITE_DOOR` names.
#[derive(Debug)]
pub struct DoorTarget {
    files: HashMap<FileId, File>,
    next: u64,
    argument: Vec<u8>,
    exact: bool,
    random: Random,
    /// The first error that is no errno: the connection or the server is gone.
    broken: Option<DoorError>,
}

impl DoorTarget {
    /// Maps the caller's memory where the parameters point.
    ///
    /// # Errors
    /// An unknown door, or memory in the way.
    pub fn new(seed: u64) -> Result<Self, DoorError> {
        let door = door::door()?;
        let want = usize::try_from(ARENA).unwrap_or(0);
        // SAFETY: a fixed address that is not replaced if something lies there.
        let got = unsafe {
            libc::mmap(
                std::ptr::without_provenance_mut(want),
                ARENA_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        if got.addr() != want {
            return Err(DoorError::Errno(libc::EEXIST));
        }
        Ok(Self {
            files: HashMap::new(),
            next: 1,
            argument: vec![0; ARGUMENT],
            exact: door == Door::Socket,
            random: Random::new(!seed),
            broken: None,
        })
    }

    fn note(&mut self, result: Result<(), DoorError>) -> bool {
        match result {
            Ok(()) => true,
            Err(DoorError::Errno(_) | DoorError::Os { .. }) => false,
            Err(error) => {
                self.broken.get_or_insert(error);
                false
            }
        }
    }
}

impl Target for DoorTarget {
    fn open(&mut self, node: Node) -> Option<(i32, FileId)> {
        let file = match door::open(node) {
            Ok(file) => file,
            Err(error) => {
                self.note(Err(error));
                return None;
            }
        };
        let (fd, id) = (file.id(), FileId(self.next));
        self.next += 1;
        self.files.insert(id, file);
        Some((fd, id))
    }

    fn close(&mut self, id: FileId) {
        self.files.remove(&id);
    }

    fn ioctl(&mut self, id: FileId, request: u32, arg: &mut [u8]) -> bool {
        let Some(file) = self.files.get(&id) else {
            return false;
        };
        let result = if self.exact {
            file.command(request, arg)
        } else {
            let len = arg.len().min(ARGUMENT);
            self.argument[..len].copy_from_slice(&arg[..len]);
            self.argument[len..].fill(0);
            let result = file.command(request, &mut self.argument);
            arg[..len].copy_from_slice(&self.argument[..len]);
            result
        };
        self.note(result)
    }

    fn store(&mut self, address: u64, bytes: &[u8]) {
        let Some(offset) = address
            .checked_sub(ARENA)
            .and_then(|offset| usize::try_from(offset).ok())
            .filter(|offset| *offset < ARENA_BYTES)
        else {
            return;
        };
        let len = bytes.len().min(ARENA_BYTES - offset);
        let to = std::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(address).unwrap_or(0));
        // SAFETY: within the arena, which `new` mapped and which is not unmapped; nothing refers to it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, len) };
    }

    fn map(&mut self, id: FileId, prot: u32, offset: u64, len: u64) {
        let Some(file) = self.files.get(&id) else {
            return;
        };
        let (Ok(hint), Ok(len)) = (usize::try_from(offset), usize::try_from(len.min(LONGEST)))
        else {
            return;
        };
        let protection = Protection {
            read: prot & 1 != 0,
            write: prot & 2 != 0,
        };
        // SAFETY: not fixed.
        let result = unsafe { file.map(hint, len, protection, false, offset) }.map(drop);
        self.note(result);
    }

    fn unmapped(&mut self, id: FileId, address: u64, len: u64) {
        let result = self
            .files
            .get(&id)
            .map_or(Ok(()), |file| file.unmapped(address, len));
        self.note(result);
    }

    fn may_start(&mut self) -> bool {
        self.random.one_in(SPACE_IN)
    }
}

/// One process behind the door: its control file.
struct Behind {
    target: DoorTarget,
    file: FileId,
}

impl Way for Behind {
    fn processes(&self) -> usize {
        1
    }

    fn call(&mut self, _: usize, request: u32, arg: &mut [u8]) {
        let done = self.target.ioctl(self.file, request, arg);
        assert!(done, "call {request:#x}: {:?}", self.target.broken);
    }

    fn store(&mut self, _: usize, bytes: &[u8]) -> u64 {
        self.target.store(ARENA, bytes);
        ARENA
    }

    fn reopen(&mut self, _: usize) {
        self.target.close(self.file);
        let opened = self.target.open(Node::Control);
        self.file = opened.expect("a file can be opened").1;
    }

    fn accounts(&self) -> Option<(u64, u64, u64, usize)> {
        // Others may be clients too.
        None
    }
}

/// The model's steps by one process through the door, against a server whose framebuffer has `video` bytes.
///
/// # Errors
/// The door cannot be opened.
///
/// # Panics
/// When kernel half and model disagree.
pub fn model_through_door(
    seed: u64,
    steps: usize,
    video: u64,
    limit: std::time::Duration,
) -> Result<ModelReport, DoorError> {
    let start = std::time::Instant::now();
    let mut target = DoorTarget::new(seed)?;
    let opened = target.open(Node::Control);
    let Some((_, file)) = opened else {
        return Err(target.broken.unwrap_or(DoorError::Errno(libc::ENOENT)));
    };
    // Host memory is the machine's share of its own: what is asked for stays far below.
    let limits = Limits {
        video,
        host: u64::MAX,
        descriptors: u64::MAX,
        large: 5 << 20,
    };
    let way = Behind { target, file };
    let (report, _) = steps_of(way, limits, seed, steps, || start.elapsed() < limit);
    Ok(report)
}

/// Makes at least `calls` hostile calls on each node through the door, or stops after `limit`. `model` is a kernel
/// half like the server's, for its lists and sizes.
///
/// # Errors
/// The connection broke, or the server went: neither may happen.
pub fn through_door(
    model: &Kernel,
    seed: u64,
    calls: usize,
    limit: std::time::Duration,
) -> Result<Report, DoorError> {
    let start = std::time::Instant::now();
    let mut fuzzer = Fuzzer::new(model, DoorTarget::new(seed)?, seed);
    // In slices, so that the limit is looked at.
    let slices = calls.div_ceil(SLICE);
    for slice in 1..=slices {
        fuzzer.each_node((slice * SLICE).min(calls));
        if let Some(error) = fuzzer.target.broken.take() {
            return Err(error);
        }
        if start.elapsed() > limit {
            break;
        }
    }
    fuzzer.close_all();
    Ok(fuzzer.report)
}

/// Calls per node between two looks at the clock.
const SLICE: usize = 500;
