//! Memory of graphs: a block has its address from when its node is made until the last graph that knows it is gone, memory
//! behind it from the first launch until a trim finds it unused, and counts as allocated from the run of the node to that
//! of the node that frees it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use cuda_abi::driver::CUresult;

use super::Step;
use super::op::Op;
use crate::core::channel::Point;
use crate::core::chunk::lock;
use crate::core::context::{CONTEXTS, Live};
use crate::core::heap::UNIT;
use crate::core::memory::{Allocation, Room};
use crate::core::platform;

/// A block that a node allocates.
pub(crate) struct Block {
    /// Its addresses.
    pub allocation: Arc<Allocation>,
    /// Bytes that were asked for.
    pub bytes: u64,
    allocated: AtomicBool,
    /// Work that may use it after it was freed.
    last: Mutex<Option<Point>>,
}

/// Most bytes of a device's that were allocated at once, and that were held.
#[derive(Clone, Copy, Default)]
struct Highs {
    used: u64,
    reserved: u64,
}

static BLOCKS: Mutex<BTreeMap<u64, Weak<Block>>> = Mutex::new(BTreeMap::new());
static HIGHS: Mutex<BTreeMap<usize, Highs>> = Mutex::new(BTreeMap::new());
/// Held while blocks get memory or lose it.
static POPULATING: Mutex<()> = Mutex::new(());

fn blocks() -> MutexGuard<'static, BTreeMap<u64, Weak<Block>>> {
    lock(&BLOCKS)
}

impl Block {
    /// Takes addresses for a node.
    pub(crate) fn create(live: &Live, bytes: u64) -> Result<Arc<Self>, CUresult> {
        if bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let block = Arc::new(Self {
            bytes,
            allocated: AtomicBool::new(false),
            last: Mutex::default(),
            allocation: live.allocate_in(Room::Graph, bytes, UNIT)?,
        });
        blocks().insert(block.allocation.va, Arc::downgrade(&block));
        Ok(block)
    }

    /// Puts memory behind it.
    ///
    /// # Errors
    /// 2 without room.
    pub(crate) fn populate(&self) -> Result<(), CUresult> {
        let _still = lock(&POPULATING);
        self.populated()
    }

    /// The node is run.
    ///
    /// # Errors
    /// 2 without room.
    pub(crate) fn begin(&self) -> Result<(), CUresult> {
        let _still = lock(&POPULATING);
        self.allocated.store(true, Ordering::SeqCst);
        self.populated()
            .inspect_err(|_| self.allocated.store(false, Ordering::SeqCst))
    }

    fn populated(&self) -> Result<(), CUresult> {
        self.allocation.chunk().populate(platform::get()?)?;
        note_highs(self.allocation.ordinal);
        Ok(())
    }

    fn is_allocated(&self) -> bool {
        self.allocated.load(Ordering::SeqCst)
    }

    /// Whether work may still use it.
    fn is_busy(&self) -> bool {
        self.is_allocated() || lock(&self.last).as_ref().is_some_and(|p| !p.is_done())
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        blocks().remove(&self.allocation.va);
        let Ok(platform) = platform::get() else {
            return;
        };
        let ours = |a: &Allocation| std::ptr::eq(a, &*self.allocation);
        // A context that ended has given it back already.
        if platform.memory.remove(self.allocation.va, ours).is_none() {
            return;
        }
        let live = CONTEXTS
            .get(self.allocation.context)
            .ok()
            .and_then(|c| c.live());
        if let Some(live) = &live {
            // Work that uses it may still run; a fault is told to whoever synchronises.
            let _ = live.synchronize();
        }
        let space = live.as_ref().map(|live| &*live.space);
        platform.memory.release(space, &self.allocation);
        if let Some(space) = space {
            // What graphs hold goes with them.
            let empty = lock(&space.graph_slabs).take_empty();
            drop(empty);
        }
    }
}

/// Whether a graph owns the memory at that address.
pub(crate) fn is_ours(address: u64) -> bool {
    blocks().contains_key(&address)
}

/// Frees a graph's memory, which work up to `last` may use.
///
/// # Errors
/// 1 for an address at which nothing is allocated.
pub(crate) fn end(address: u64, last: Option<Point>) -> Result<(), CUresult> {
    let block = blocks().get(&address).and_then(Weak::upgrade);
    let block = block
        .filter(|block| block.is_allocated())
        .ok_or(CUresult::INVALID_VALUE)?;
    *lock(&block.last) = last;
    if block.allocated.swap(false, Ordering::SeqCst) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// Takes memory of a device from blocks that no work uses.
pub(crate) fn trim(ordinal: usize) -> Result<(), CUresult> {
    let platform = platform::get()?;
    let all = blocks_of(ordinal);
    let _still = lock(&POPULATING);
    let (busy, idle): (Vec<_>, Vec<_>) = all.iter().partition(|block| block.is_busy());
    for chunk in idle.iter().map(|block| block.allocation.chunk()) {
        if !busy
            .iter()
            .any(|b| Arc::ptr_eq(b.allocation.chunk(), chunk))
        {
            chunk.depopulate(platform);
        }
    }
    Ok(())
}

/// Checks before a launch that nothing is allocated twice, unless the instantiation said that it is freed then.
///
/// # Errors
/// 1.
pub(crate) fn check_launch(steps: &[Step], auto_free: bool) -> Result<(), CUresult> {
    let twice = |step: &Step| matches!(&step.op, Op::Alloc(block) if block.is_allocated());
    if !auto_free && steps.iter().any(twice) {
        return Err(CUresult::INVALID_VALUE);
    }
    steps
        .iter()
        .try_for_each(|step| check_launch(&step.child, auto_free))
}

fn blocks_of(ordinal: usize) -> Vec<Arc<Block>> {
    let all: Vec<_> = blocks().values().filter_map(Weak::upgrade).collect();
    all.into_iter()
        .filter(|block| block.allocation.ordinal == ordinal)
        .collect()
}

fn note_highs(ordinal: usize) {
    let (used, reserved) = (used(ordinal), reserved(ordinal));
    let mut highs = lock(&HIGHS);
    let highs = highs.entry(ordinal).or_default();
    highs.used = highs.used.max(used);
    highs.reserved = highs.reserved.max(reserved);
}

/// Bytes of a device that are allocated now.
pub(crate) fn used(ordinal: usize) -> u64 {
    let all = blocks_of(ordinal);
    let allocated = all.iter().filter(|block| block.is_allocated());
    allocated.map(|block| block.allocation.bytes).sum()
}

/// Bytes of a device that graphs hold.
pub(crate) fn reserved(ordinal: usize) -> u64 {
    let all = blocks_of(ordinal);
    let chunks: BTreeMap<u64, u64> = all
        .iter()
        .map(|block| block.allocation.chunk())
        .filter(|chunk| chunk.object().is_some())
        .map(|chunk| (chunk.va, chunk.len))
        .collect();
    chunks.values().sum()
}

/// Most bytes of a device that were allocated at once.
pub(crate) fn used_high(ordinal: usize) -> u64 {
    lock(&HIGHS).get(&ordinal).map_or(0, |highs| highs.used)
}

/// Most bytes of a device that graphs held at once.
pub(crate) fn reserved_high(ordinal: usize) -> u64 {
    lock(&HIGHS).get(&ordinal).map_or(0, |highs| highs.reserved)
}

/// Lets a high-water mark begin again.
pub(crate) fn reset_high(ordinal: usize, used_mark: bool) {
    let (used, reserved) = (used(ordinal), reserved(ordinal));
    let mut highs = lock(&HIGHS);
    let highs = highs.entry(ordinal).or_default();
    if used_mark {
        highs.used = used;
    } else {
        highs.reserved = reserved;
    }
}
