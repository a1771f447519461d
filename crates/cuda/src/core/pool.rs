//! Memory pools: allocation and freeing in stream order.
//!
//! A block that was freed in a stream waits in the pool: the same stream may have it again at once (its work is in
//! order), another stream once the freeing point is passed. What stays beyond the release threshold is given back when
//! the program synchronises.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cuda_abi::driver::{CUmemPool_attribute, CUresult};

use super::channel::Point;
use super::context::{CONTEXTS, Live};
use super::handle::Table;
use super::heap::UNIT;
use super::memory::{Allocation, Kind, Request, Room};
use super::platform;
use super::stream::Target;

/// All pools.
pub(crate) static POOLS: Table<Pool> = Table::new(9, CUresult::INVALID_VALUE);

/// Blocks that wait in any pool: tells synchronising calls that there is something to look at.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// A pool.
#[derive(Debug)]
pub(crate) struct Pool {
    /// Its handle.
    pub handle: usize,
    /// Device.
    pub ordinal: usize,
    /// Whether it is a device's own pool, which cannot be destroyed.
    pub own: bool,
    /// Handle types that it may be exported as.
    pub handle_types: i32,
    /// It stands for another process's pool: nothing is allocated from it here.
    pub imported: bool,
    /// Most bytes that it may hold.
    pub max_bytes: u64,
    /// Other devices that may use its memory.
    access: Mutex<Vec<usize>>,
    /// Attributes 1 to 3: reuse policies, as numbers.
    reuse: [AtomicUsize; 3],
    threshold: AtomicU64,
    used: AtomicU64,
    used_high: AtomicU64,
    reserved: AtomicU64,
    reserved_high: AtomicU64,
    free: Mutex<Vec<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    block: Arc<Allocation>,
    stream: u64,
    after: Option<Point>,
}

impl Waiting {
    fn is_passed(&self) -> bool {
        self.after.as_ref().is_none_or(Point::is_done)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Makes a pool on a device.
pub(crate) fn create(ordinal: usize, own: bool) -> Result<Arc<Pool>, CUresult> {
    create_with(ordinal, own, 0, false, 0)
}

/// Makes a pool that may be exported, or that stands for another process's. It holds at most `max_bytes`; 0 is as much
/// as there is.
pub(crate) fn create_with(
    ordinal: usize,
    own: bool,
    handle_types: i32,
    imported: bool,
    max_bytes: u64,
) -> Result<Arc<Pool>, CUresult> {
    let (_, pool) = POOLS.insert_with(|handle| Pool {
        handle,
        ordinal,
        own,
        handle_types,
        imported,
        max_bytes: if max_bytes == 0 { u64::MAX } else { max_bytes },
        access: Mutex::default(),
        reuse: [const { AtomicUsize::new(1) }; 3],
        threshold: AtomicU64::new(0),
        used: AtomicU64::new(0),
        used_high: AtomicU64::new(0),
        reserved: AtomicU64::new(0),
        reserved_high: AtomicU64::new(0),
        free: Mutex::default(),
    })?;
    Ok(pool)
}

/// A device's own pool and the one in use, by ordinal.
static CHOSEN: Mutex<Vec<(usize, usize, usize)>> = Mutex::new(Vec::new());

fn chosen<R>(
    ordinal: usize,
    body: impl FnOnce(&mut (usize, usize, usize)) -> R,
) -> Result<R, CUresult> {
    let mut chosen = lock(&CHOSEN);
    let index = match chosen.iter().position(|(o, ..)| *o == ordinal) {
        Some(index) => index,
        None => {
            let own = create(ordinal, true)?.handle;
            chosen.push((ordinal, own, own));
            chosen.len() - 1
        }
    };
    Ok(body(&mut chosen[index]))
}

/// The device's own pool.
pub(crate) fn default_of(ordinal: usize) -> Result<usize, CUresult> {
    chosen(ordinal, |entry| entry.1)
}

/// The pool that `cuMemAllocAsync` takes from.
pub(crate) fn current_of(ordinal: usize) -> Result<usize, CUresult> {
    chosen(ordinal, |entry| entry.2)
}

/// Chooses the pool that `cuMemAllocAsync` takes from.
pub(crate) fn set_current(ordinal: usize, pool: usize) -> Result<(), CUresult> {
    if POOLS.get(pool)?.ordinal != ordinal {
        return Err(CUresult::INVALID_VALUE);
    }
    chosen(ordinal, |entry| entry.2 = pool)
}

/// Destroys a pool; blocks in use stay until they are freed.
pub(crate) fn destroy(handle: usize) -> Result<(), CUresult> {
    let pool = POOLS.get(handle)?;
    if pool.own {
        return Err(CUresult::INVALID_VALUE);
    }
    let _ = chosen(pool.ordinal, |entry| {
        if entry.2 == handle {
            entry.2 = entry.1;
        }
    });
    POOLS.remove(handle)?;
    pool.trim(0);
    Ok(())
}

/// Allocates in stream order.
pub(crate) fn allocate(target: &Target, pool: &Arc<Pool>, bytes: u64) -> Result<u64, CUresult> {
    if bytes == 0 || pool.ordinal != target.live.space.ordinal || pool.imported {
        return Err(CUresult::INVALID_VALUE);
    }
    let platform = platform::get()?;
    let size = bytes
        .checked_next_multiple_of(UNIT)
        .ok_or(CUresult::OUT_OF_MEMORY)?;
    let block = match pool.take(target, size) {
        Some(block) => {
            platform.memory.revive(block.clone());
            block
        }
        None => {
            let request = Request {
                bytes: size,
                align: UNIT,
                kind: Kind::Device,
                room: Room::Program,
                context: target.live.context,
                flags: 0,
                pool: pool.handle,
                handed_out: true,
            };
            let allocate = || {
                pool.grow(size)?;
                platform
                    .memory
                    .allocate(platform, &target.live.space, request)
                    .inspect_err(|_| {
                        pool.reserved.fetch_sub(size, Ordering::Relaxed);
                    })
            };
            let block = match allocate() {
                Err(CUresult::OUT_OF_MEMORY) => {
                    pool.trim(0);
                    allocate()
                }
                other => other,
            }?;
            pool.reserved_high
                .fetch_max(pool.reserved.load(Ordering::Relaxed), Ordering::Relaxed);
            for ordinal in lock(&pool.access).iter() {
                block
                    .chunk()
                    .map_on(platform, platform.devices[*ordinal].uuid)?;
            }
            block
        }
    };
    raise(&pool.used, &pool.used_high, size);
    Ok(block.va)
}

fn raise(value: &AtomicU64, high: &AtomicU64, by: u64) {
    let now = value.fetch_add(by, Ordering::Relaxed) + by;
    high.fetch_max(now, Ordering::Relaxed);
}

/// Frees in stream order.
///
/// # Errors
/// 1 for an address at which nothing begins.
pub(crate) fn free(target: &Target, address: u64) -> Result<(), CUresult> {
    let platform = platform::get()?;
    let block = platform
        .memory
        .remove(address, |a| a.handed_out && a.kind == Kind::Device)
        .ok_or(CUresult::INVALID_VALUE)?;
    put_back(Waiting {
        stream: target.stream.id,
        after: target.stream.point(),
        block,
    })
}

/// Takes a pool's block back that nothing uses any more (`cuMemFree`).
pub(crate) fn freed(block: Arc<Allocation>) -> Result<(), CUresult> {
    put_back(Waiting {
        stream: 0,
        after: None,
        block,
    })
}

fn put_back(waiting: Waiting) -> Result<(), CUresult> {
    let handle = if waiting.block.pool == 0 {
        default_of(waiting.block.ordinal)?
    } else {
        waiting.block.pool
    };
    match POOLS.get(handle) {
        Ok(pool) if !pool.imported => {
            if waiting.block.pool == 0 {
                pool.reserved
                    .fetch_add(waiting.block.bytes, Ordering::Relaxed);
            } else {
                pool.used.fetch_sub(waiting.block.bytes, Ordering::Relaxed);
            }
            lock(&pool.free).push(waiting);
            WAITING.fetch_add(1, Ordering::Relaxed);
        }
        Ok(_) | Err(_) => {
            // The pool is gone, or another process's: back it goes, once the work is done.
            if let Some(point) = &waiting.after {
                point.channel.wait(point.value)?;
            }
            give_back(&waiting.block);
        }
    }
    Ok(())
}

fn give_back(block: &Allocation) {
    let live = CONTEXTS.get(block.context).ok().and_then(|c| c.live());
    if let Ok(platform) = platform::get() {
        platform
            .memory
            .release(live.as_ref().map(|l| &*l.space), block);
    }
}

/// Gives back what waits beyond the thresholds; called when the program synchronises.
pub(crate) fn trim_all() {
    if WAITING.load(Ordering::Relaxed) == 0 {
        return;
    }
    for pool in POOLS.all() {
        pool.trim(pool.threshold.load(Ordering::Relaxed));
    }
}

/// Forgets the blocks of a context that ends.
pub(crate) fn end_context(live: &Live) {
    for pool in POOLS.all() {
        let mut gone = Vec::new();
        lock(&pool.free).retain_mut(|w| {
            let stays = w.block.context != live.context;
            if !stays {
                gone.push(w.block.clone());
            }
            stays
        });
        for block in gone {
            WAITING.fetch_sub(1, Ordering::Relaxed);
            pool.reserved.fetch_sub(block.bytes, Ordering::Relaxed);
            give_back(&block);
        }
    }
}

impl Pool {
    /// Counts bytes that it is going to hold.
    ///
    /// # Errors
    /// 2 if it must not hold so many.
    fn grow(&self, by: u64) -> Result<(), CUresult> {
        self.reserved
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
                held.checked_add(by).filter(|all| *all <= self.max_bytes)
            })
            .map(drop)
            .map_err(|_| CUresult::OUT_OF_MEMORY)
    }

    fn take(&self, target: &Target, size: u64) -> Option<Arc<Allocation>> {
        let mut free = lock(&self.free);
        let fits = |w: &Waiting| {
            w.block.bytes == size
                && w.block.context == target.live.context
                && (w.stream == target.stream.id || w.is_passed())
        };
        // The block freed last is the one most likely still in the caches.
        let index = free.iter().rposition(fits)?;
        WAITING.fetch_sub(1, Ordering::Relaxed);
        Some(free.remove(index).block)
    }

    /// Lets another device use its memory, now and later; or no longer (what is mapped stays so until it is freed).
    pub(crate) fn set_access(&self, ordinal: usize, allowed: bool) -> Result<(), CUresult> {
        let platform = platform::get()?;
        let mut access = lock(&self.access);
        access.retain(|o| *o != ordinal);
        if !allowed {
            return Ok(());
        }
        access.push(ordinal);
        let uuid = platform.devices[ordinal].uuid;
        // A device gets its VA space now, if it has none.
        platform.space(ordinal)?;
        for block in platform.memory.of_pool(self.handle) {
            block.chunk().map_on(platform, uuid)?;
        }
        for waiting in lock(&self.free).iter() {
            waiting.block.chunk().map_on(platform, uuid)?;
        }
        Ok(())
    }

    /// Whether a device may use its memory.
    pub(crate) fn reaches(&self, ordinal: usize) -> bool {
        ordinal == self.ordinal || lock(&self.access).contains(&ordinal)
    }

    /// Gives waiting blocks back until at most `keep` bytes are reserved.
    pub(crate) fn trim(&self, keep: u64) {
        let mut gone = Vec::new();
        lock(&self.free).retain(|w| {
            if self.reserved.load(Ordering::Relaxed) <= keep || !w.is_passed() {
                return true;
            }
            self.reserved.fetch_sub(w.block.bytes, Ordering::Relaxed);
            gone.push(w.block.clone());
            false
        });
        for block in gone {
            WAITING.fetch_sub(1, Ordering::Relaxed);
            give_back(&block);
        }
    }

    /// An attribute; the first three are 32-bit numbers.
    pub(crate) fn attribute(&self, attribute: CUmemPool_attribute) -> Option<u64> {
        use CUmemPool_attribute as A;
        Some(match attribute {
            A::REUSE_FOLLOW_EVENT_DEPENDENCIES => self.reuse[0].load(Ordering::Relaxed) as u64,
            A::REUSE_ALLOW_OPPORTUNISTIC => self.reuse[1].load(Ordering::Relaxed) as u64,
            A::REUSE_ALLOW_INTERNAL_DEPENDENCIES => self.reuse[2].load(Ordering::Relaxed) as u64,
            A::RELEASE_THRESHOLD => self.threshold.load(Ordering::Relaxed),
            A::RESERVED_MEM_CURRENT => self.reserved.load(Ordering::Relaxed),
            A::RESERVED_MEM_HIGH => self.reserved_high.load(Ordering::Relaxed),
            A::USED_MEM_CURRENT => self.used.load(Ordering::Relaxed),
            A::USED_MEM_HIGH => self.used_high.load(Ordering::Relaxed),
            _ => return None,
        })
    }

    /// Sets an attribute; high-water marks can only be reset.
    ///
    /// # Errors
    /// 1 for one that cannot be set so.
    pub(crate) fn set_attribute(
        &self,
        attribute: CUmemPool_attribute,
        value: u64,
    ) -> Result<(), CUresult> {
        use CUmemPool_attribute as A;
        let number = usize::try_from(value).unwrap_or(usize::MAX);
        match attribute {
            A::REUSE_FOLLOW_EVENT_DEPENDENCIES => self.reuse[0].store(number, Ordering::Relaxed),
            A::REUSE_ALLOW_OPPORTUNISTIC => self.reuse[1].store(number, Ordering::Relaxed),
            A::REUSE_ALLOW_INTERNAL_DEPENDENCIES => self.reuse[2].store(number, Ordering::Relaxed),
            A::RELEASE_THRESHOLD => self.threshold.store(value, Ordering::Relaxed),
            A::RESERVED_MEM_HIGH if value == 0 => {
                self.reserved_high
                    .store(self.reserved.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            A::USED_MEM_HIGH if value == 0 => {
                self.used_high
                    .store(self.used.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            _ => return Err(CUresult::INVALID_VALUE),
        }
        Ok(())
    }
}
