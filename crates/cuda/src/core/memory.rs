//! Allocations inside memory objects.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use abi::nv::status;
use cuda_abi::driver::CUresult;

use super::arena::GRAIN;
use super::chunk::lock;
pub(crate) use super::chunk::{Chunk, Kind, request};
use super::heap::Heap;
use super::pinned;
use super::platform::{self, Platform};
use super::rm::Object;
use super::space::Space;

/// Largest allocation that shares a chunk with others.
const SLAB_MAX: u64 = 1 << 20;

/// Chunks of one kind that small allocations share.
#[derive(Debug, Default)]
pub(crate) struct Slabs {
    slabs: Vec<(Arc<Chunk>, Heap)>,
}

impl Slabs {
    fn take(&mut self, bytes: u64, align: u64) -> Option<(Arc<Chunk>, u64)> {
        self.slabs
            .iter_mut()
            .find_map(|(chunk, heap)| heap.take(bytes, align).map(|at| (chunk.clone(), at)))
    }

    fn add(&mut self, chunk: Arc<Chunk>, bytes: u64, align: u64) -> Option<(Arc<Chunk>, u64)> {
        let heap = Heap::new(chunk.len);
        self.slabs.push((chunk, heap));
        self.take(bytes, align)
    }

    /// Gives back; a chunk that is empty goes, unless it is the only one.
    fn give(&mut self, chunk: &Arc<Chunk>, at: u64, bytes: u64) -> Option<Arc<Chunk>> {
        let index = self.slabs.iter().position(|(c, _)| Arc::ptr_eq(c, chunk))?;
        self.slabs[index].1.give(at, bytes);
        (self.slabs.len() > 1 && self.slabs[index].1.is_empty())
            .then(|| self.slabs.swap_remove(index).0)
    }

    /// Takes out the chunks that hold nothing.
    pub(crate) fn take_empty(&mut self) -> Vec<Arc<Chunk>> {
        let (empty, kept) = std::mem::take(&mut self.slabs)
            .into_iter()
            .partition(|(_, heap)| heap.is_empty());
        self.slabs = kept;
        empty.into_iter().map(|(chunk, _)| chunk).collect()
    }

    /// Takes out all chunks.
    pub(crate) fn take_all(&mut self) -> Vec<Arc<Chunk>> {
        std::mem::take(&mut self.slabs)
            .into_iter()
            .map(|(chunk, _)| chunk)
            .collect()
    }
}

/// An allocation.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// First address.
    pub va: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// Where it lives.
    pub kind: Kind,
    /// Handle of the context that it belongs to.
    pub context: usize,
    /// Device.
    pub ordinal: usize,
    /// Flags of the call that made it.
    pub flags: u32,
    /// Number that is never used again (`CU_POINTER_ATTRIBUTE_BUFFER_ID`).
    pub id: u64,
    /// Pool that it came from, 0 none.
    pub pool: usize,
    /// Whether the program frees it by its address: not what belongs to a module, an array or a mapping, nor another
    /// process's.
    pub handed_out: bool,
    chunk: Arc<Chunk>,
    shared_chunk: bool,
    /// Further chunks of registered memory.
    more: Vec<Arc<Chunk>>,
}

impl Allocation {
    /// Whether the program can dereference it.
    pub(crate) fn is_host_accessible(&self) -> bool {
        self.kind != Kind::Device
    }

    /// Its memory object, and where it begins there.
    pub(crate) fn object(&self) -> Option<(Object, u64, u64)> {
        let object = self.chunk.object()?;
        Some((object, self.va - self.chunk.va, self.chunk.len))
    }

    /// The memory object's addresses.
    pub(crate) fn chunk(&self) -> &Arc<Chunk> {
        &self.chunk
    }

    /// Where this process can reach the byte at `va`.
    pub(crate) fn host_address(&self, va: u64) -> Result<usize, CUresult> {
        if self.kind == Kind::Registered {
            return usize::try_from(va).map_err(|_| CUresult::INVALID_VALUE);
        }
        self.chunk.host_address(va)
    }

    /// Whether nobody can have written to it: a chunk of its own from our kernel half begins as zeros.
    pub(crate) fn is_fresh(&self) -> bool {
        !self.shared_chunk && platform::get().is_ok_and(|platform| platform.ours)
    }

    /// End address.
    pub(crate) fn end(&self) -> u64 {
        self.va + self.bytes
    }
}

/// Which chunks small allocations of device memory share.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Room {
    /// The program's own.
    Program,
    /// Those of the driver's code: never beside the program's, so that a kernel that writes a little past its buffer does
    /// what it does on hardware.
    Driver,
    /// Those of graphs: addresses, with nothing behind them before [`Chunk::populate`].
    Graph,
}

/// What to allocate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Bytes, not 0.
    pub bytes: u64,
    /// Alignment, bytes.
    pub align: u64,
    /// Where.
    pub kind: Kind,
    /// Beside what, if it is small.
    pub room: Room,
    /// For whom.
    pub context: usize,
    /// Flags to remember.
    pub flags: u32,
    /// Pool, 0 none.
    pub pool: usize,
    /// Whether the program frees it by its address.
    pub handed_out: bool,
}

/// All allocations of the process, by address.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    live: RwLock<BTreeMap<u64, Arc<Allocation>>>,
    host_slabs: Mutex<Slabs>,
    managed_slabs: Mutex<Slabs>,
    next_id: AtomicU64,
}

impl Registry {
    /// Allocates.
    ///
    /// # Errors
    /// 1 for no bytes, 2 when there is no room.
    pub(crate) fn allocate(
        &self,
        platform: &Platform,
        space: &Space,
        request: Request,
    ) -> Result<Arc<Allocation>, CUresult> {
        if request.bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let (chunk, offset, shared_chunk) = match self.place(platform, space, request) {
            Err(CUresult::OUT_OF_MEMORY) => {
                self.trim(space);
                self.place(platform, space, request)
            }
            other => other,
        }?;
        Ok(self.add(
            chunk,
            offset,
            shared_chunk,
            space.ordinal,
            request,
            Vec::new(),
        ))
    }

    fn place(
        &self,
        platform: &Platform,
        space: &Space,
        request: Request,
    ) -> Result<(Arc<Chunk>, u64, bool), CUresult> {
        let Request {
            bytes,
            align,
            kind,
            room,
            ..
        } = request;
        let slabs = match (kind, room) {
            (Kind::Device, Room::Program) => &space.slabs,
            (Kind::Device, Room::Driver) => &space.private_slabs,
            (Kind::Device, Room::Graph) => &space.graph_slabs,
            (Kind::Host, _) => &self.host_slabs,
            (Kind::Managed, _) => &self.managed_slabs,
            (Kind::Registered, _) => return Err(CUresult::INVALID_VALUE),
        };
        let new_chunk = |bytes| match kind {
            Kind::Device if matches!(room, Room::Graph) => {
                Chunk::vacant(platform, space, bytes, align)
            }
            Kind::Device => Chunk::device(platform, space, bytes, align),
            Kind::Host => Chunk::host(platform, &platform.arena, space.ordinal, bytes),
            Kind::Managed | Kind::Registered => Chunk::managed(platform, space.ordinal, bytes),
        };
        if bytes > SLAB_MAX || align > GRAIN {
            return Ok((new_chunk(bytes)?, 0, false));
        }
        let mut slabs = lock(slabs);
        if let Some((chunk, offset)) = slabs.take(bytes, align) {
            return Ok((chunk, offset, true));
        }
        let chunk = new_chunk(GRAIN)?;
        slabs
            .add(chunk, bytes, align)
            .map(|(c, o)| (c, o, true))
            .ok_or(CUresult::OUT_OF_MEMORY)
    }

    fn add(
        &self,
        chunk: Arc<Chunk>,
        offset: u64,
        shared_chunk: bool,
        ordinal: usize,
        request: Request,
        more: Vec<Arc<Chunk>>,
    ) -> Arc<Allocation> {
        let allocation = Arc::new(Allocation {
            va: chunk.va.wrapping_add(offset),
            bytes: request.bytes,
            kind: request.kind,
            context: request.context,
            ordinal,
            flags: request.flags,
            id: self.next_id.fetch_add(1, Ordering::Relaxed) + 1,
            pool: request.pool,
            handed_out: request.handed_out,
            chunk,
            shared_chunk,
            more,
        });
        self.write().insert(allocation.va, allocation.clone());
        allocation
    }

    /// Adds an allocation whose memory is there already, `offset` bytes into a chunk.
    pub(crate) fn adopt(
        &self,
        chunk: Arc<Chunk>,
        offset: u64,
        ordinal: usize,
        request: Request,
    ) -> Arc<Allocation> {
        self.add(chunk, offset, false, ordinal, request, Vec::new())
    }

    /// Device memory of a device, each object once.
    pub(crate) fn device_chunks(&self, ordinal: usize, space: Option<&Space>) -> Vec<Arc<Chunk>> {
        let mut chunks: Vec<Arc<Chunk>> = Vec::new();
        let mut add = |chunk: &Arc<Chunk>| {
            if chunk.object().is_some() && !chunks.iter().any(|c| Arc::ptr_eq(c, chunk)) {
                chunks.push(chunk.clone());
            }
        };
        for allocation in self.read().values() {
            if allocation.kind == Kind::Device && allocation.ordinal == ordinal {
                add(&allocation.chunk);
            }
        }
        if let Some(space) = space {
            for (chunk, _) in &lock(&space.slabs).slabs {
                add(chunk);
            }
        }
        chunks
    }

    /// A GPU's VA space is gone: nothing of other devices is mapped there any more.
    pub(crate) fn left(&self, platform: &Platform, uuid: [u8; 16]) {
        for (ordinal, slot) in platform.spaces.iter().enumerate() {
            // The slot that is locked is the one of the space that goes.
            let space = slot.try_lock().ok().and_then(|slot| slot.clone());
            for chunk in self.device_chunks(ordinal, space.as_deref()) {
                chunk.left(uuid);
            }
        }
    }

    /// Registers the program's memory.
    ///
    /// # Errors
    /// 1 for a bad range, 712 when a part is registered already, 801 for memory that cannot be pinned.
    pub(crate) fn register(
        &self,
        platform: &Platform,
        space: &Space,
        at: u64,
        request: Request,
    ) -> Result<(), CUresult> {
        let (base, end) = pinned::pages(at, request.bytes)
            .filter(|_| at != 0 && request.bytes != 0)
            .ok_or(CUresult::INVALID_VALUE)?;
        // Neighbours may share a page.
        let taken = self
            .read()
            .range(..at + request.bytes)
            .next_back()
            .is_some_and(|(_, a)| a.end() > at);
        if taken {
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let mut chunks = pinned::cover(platform, space.ordinal, base, end)?;
        let more = chunks.split_off(1.min(chunks.len()));
        let chunk = chunks.pop().ok_or(CUresult::INVALID_VALUE)?;
        let offset = at.wrapping_sub(chunk.va);
        self.add(chunk, offset, false, space.ordinal, request, more);
        Ok(())
    }

    /// The allocation that holds the address.
    pub(crate) fn find(&self, address: u64) -> Option<Arc<Allocation>> {
        let live = self.read();
        let (_, allocation) = live.range(..=address).next_back()?;
        (address < allocation.end()).then(|| allocation.clone())
    }

    /// Takes out the allocation that begins at the address, if `which` allows.
    pub(crate) fn remove(
        &self,
        address: u64,
        which: impl Fn(&Allocation) -> bool,
    ) -> Option<Arc<Allocation>> {
        let mut live = self.write();
        if !live.get(&address).is_some_and(|a| which(a)) {
            return None;
        }
        live.remove(&address)
    }

    /// Puts an allocation back that was taken out.
    pub(crate) fn revive(&self, allocation: Arc<Allocation>) {
        self.write().insert(allocation.va, allocation);
    }

    /// Gives an allocation's memory back once nobody looks at it any more.
    pub(crate) fn release(&self, space: Option<&Space>, allocation: &Allocation) {
        if !allocation.shared_chunk {
            return;
        }
        // A chunk is in one of them.
        let slabs = match (allocation.kind, space) {
            (Kind::Device, Some(space)) => &space.all_slabs()[..],
            (Kind::Host, _) => &[&self.host_slabs],
            (Kind::Managed, _) => &[&self.managed_slabs],
            (Kind::Registered, _) | (Kind::Device, None) => return,
        };
        for slabs in slabs {
            let empty = lock(slabs).give(
                &allocation.chunk,
                allocation.va - allocation.chunk.va,
                allocation.bytes,
            );
            drop(empty);
        }
    }

    /// Allocations that came from a pool.
    pub(crate) fn of_pool(&self, pool: usize) -> Vec<Arc<Allocation>> {
        let live = self.read();
        live.values().filter(|a| a.pool == pool).cloned().collect()
    }

    /// Forgets all allocations that begin in a range.
    pub(crate) fn forget(&self, start: u64, end: u64) {
        let mut live = self.write();
        let gone: Vec<u64> = live.range(start..end).map(|(va, _)| *va).collect();
        for va in gone {
            live.remove(&va);
        }
    }

    /// Takes out all allocations of a context.
    pub(crate) fn remove_context(&self, context: usize) -> Vec<Arc<Allocation>> {
        let mut live = self.write();
        let gone: Vec<_> = live
            .values()
            .filter(|a| a.context == context)
            .cloned()
            .collect();
        for allocation in &gone {
            live.remove(&allocation.va);
        }
        gone
    }

    /// Frees chunks that hold nothing.
    fn trim(&self, space: &Space) {
        let of_host = [&self.host_slabs, &self.managed_slabs];
        for slabs in space.all_slabs().into_iter().chain(of_host) {
            let empty = lock(slabs).take_empty();
            drop(empty);
        }
    }

    /// Maps all pinned memory into a new VA space.
    pub(crate) fn map_host_memory(
        &self,
        platform: &Platform,
        space: &Space,
    ) -> Result<(), CUresult> {
        let mut chunks: Vec<Arc<Chunk>> = Vec::new();
        for allocation in self.read().values() {
            let pinned = matches!(allocation.kind, Kind::Host | Kind::Registered);
            for chunk in std::iter::once(&allocation.chunk).chain(&allocation.more) {
                if pinned && !chunks.iter().any(|c| Arc::ptr_eq(c, chunk)) {
                    chunks.push(chunk.clone());
                }
            }
        }
        for (chunk, _) in &lock(&self.host_slabs).slabs {
            if !chunks.iter().any(|c| Arc::ptr_eq(c, chunk)) {
                chunks.push(chunk.clone());
            }
        }
        for chunk in chunks {
            match chunk.map_on(platform, space.device.uuid) {
                Err(error) if error.code() != Some(status::NV_ERR_UVM_ADDRESS_IN_USE) => {
                    return Err(error.into());
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<u64, Arc<Allocation>>> {
        self.live
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<u64, Arc<Allocation>>> {
        self.live
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
