//! Memory of graphs: a block has its address from when its node is made until the last graph that knows it is gone, and
//! counts as allocated from the run of the node to that of the node that frees it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use cuda_abi::driver::CUresult;

use super::Step;
use super::op::Op;
use crate::core::context::{CONTEXTS, Live};
use crate::core::heap::UNIT;
use crate::core::memory::{Allocation, Kind};
use crate::core::platform;

/// A block that a node allocates.
pub(crate) struct Block {
    /// The memory.
    pub allocation: Arc<Allocation>,
    /// Bytes that were asked for.
    pub bytes: u64,
    allocated: AtomicBool,
}

static BLOCKS: Mutex<BTreeMap<u64, Weak<Block>>> = Mutex::new(BTreeMap::new());
static USED_HIGH: AtomicU64 = AtomicU64::new(0);
static RESERVED_HIGH: AtomicU64 = AtomicU64::new(0);

fn blocks() -> MutexGuard<'static, BTreeMap<u64, Weak<Block>>> {
    BLOCKS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Block {
    /// Reserves memory for a node.
    pub(crate) fn create(live: &Live, bytes: u64) -> Result<Arc<Self>, CUresult> {
        if bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let allocation = live.allocate(bytes, UNIT, Kind::Device, 0)?;
        let block = Arc::new(Self {
            bytes,
            allocated: AtomicBool::new(false),
            allocation,
        });
        blocks().insert(block.allocation.va, Arc::downgrade(&block));
        note_highs();
        Ok(block)
    }

    /// The node was run.
    pub(crate) fn begin(&self) {
        self.allocated.store(true, Ordering::SeqCst);
        note_highs();
    }

    fn is_allocated(&self) -> bool {
        self.allocated.load(Ordering::SeqCst)
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
    }
}

/// Whether a graph owns the memory at that address.
pub(crate) fn is_ours(address: u64) -> bool {
    blocks().contains_key(&address)
}

/// Frees a graph's memory.
///
/// # Errors
/// 1 for an address at which nothing is allocated.
pub(crate) fn end(address: u64) -> Result<(), CUresult> {
    let block = blocks().get(&address).and_then(Weak::upgrade);
    match block {
        Some(block) if block.allocated.swap(false, Ordering::SeqCst) => Ok(()),
        Some(_) | None => Err(CUresult::INVALID_VALUE),
    }
}

/// Checks before a launch that nothing is allocated twice; frees it where the instantiation said so.
///
/// # Errors
/// 1.
pub(crate) fn check_launch(steps: &[Step], auto_free: bool) -> Result<(), CUresult> {
    for step in steps {
        if let Op::Alloc(block) = &step.op
            && block.is_allocated()
        {
            if !auto_free {
                return Err(CUresult::INVALID_VALUE);
            }
            block.allocated.store(false, Ordering::SeqCst);
        }
        check_launch(&step.child, auto_free)?;
    }
    Ok(())
}

fn sum(which: impl Fn(&Block) -> bool) -> u64 {
    let all: Vec<_> = blocks().values().filter_map(Weak::upgrade).collect();
    all.iter()
        .filter(|b| which(b))
        .map(|b| b.allocation.bytes)
        .sum()
}

fn note_highs() {
    USED_HIGH.fetch_max(used(), Ordering::Relaxed);
    RESERVED_HIGH.fetch_max(reserved(), Ordering::Relaxed);
}

/// Bytes allocated now.
pub(crate) fn used() -> u64 {
    sum(Block::is_allocated)
}

/// Bytes that graphs hold.
pub(crate) fn reserved() -> u64 {
    sum(|_| true)
}

/// Most bytes that were allocated at once: and that were held.
pub(crate) fn highs() -> (u64, u64) {
    (
        USED_HIGH.load(Ordering::Relaxed),
        RESERVED_HIGH.load(Ordering::Relaxed),
    )
}

/// Lets the high-water marks begin again.
pub(crate) fn reset_high(used_mark: bool) {
    if used_mark {
        USED_HIGH.store(used(), Ordering::Relaxed);
    } else {
        RESERVED_HIGH.store(reserved(), Ordering::Relaxed);
    }
}
