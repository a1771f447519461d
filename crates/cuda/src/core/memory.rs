//! Memory objects and the allocations inside them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use abi::nv::alloc_params::NV_MEMORY_ALLOCATION_PARAMS;
use abi::nv::escape_params::{NVOS02_PARAMETERS, nv_ioctl_nvos02_parameters_with_fd};
use abi::nv::{classes, escapes, status};
use cuda_abi::driver::CUresult;
use door::{Mapping, Node};
use zerocopy::{FromZeros, IntoBytes};

use super::arena::{Arena, GRAIN};
use super::heap::Heap;
use super::pinned;
use super::platform::{self, Platform};
use super::rm::{Object, RmError, check};
use super::space::Space;

/// Where memory lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// Device memory.
    Device,
    /// Pinned host memory of ours.
    Host,
    /// Pinned host memory of the program's.
    Registered,
    /// Managed memory.
    Managed,
}

/// `NVOS32` flags and attributes (nvos.h), as NVIDIA's own client sets them.
pub(crate) mod request {
    /// IGNORE_BANK_PLACEMENT | ALIGNMENT_FORCE | MEMORY_HANDLE_PROVIDED | MAP_NOT_REQUIRED | PERSISTENT_VIDMEM.
    pub(crate) const VIDEO_FLAGS: u32 = 0x1c101;
    /// Video memory, 2 MiB pages, any physical layout.
    pub(crate) const VIDEO_ATTR: u32 = 0x1980_0000;
    /// No zero-bandwidth clears, cacheable, 2 MiB pages.
    pub(crate) const VIDEO_ATTR2: u32 = 0x0010_0005;
    /// As `VIDEO_FLAGS`, for system memory.
    pub(crate) const SYSTEM_FLAGS: u32 = 0xc001;
    /// System memory, cached.
    pub(crate) const SYSTEM_ATTR: u32 = 0x3a00_0000;
    /// Noncontiguous, cached, PCI, no mapping.
    pub(crate) const PIN_FLAGS: u32 = 0x4000_1010;
}

/// One RM memory object (or managed range) and its addresses.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// Where it lives.
    pub kind: Kind,
    /// First address, the same in the program and on the GPU.
    pub va: u64,
    /// Bytes.
    pub len: u64,
    /// Device that it was allocated for.
    pub ordinal: usize,
    memory: Option<Object>,
    /// This process's own view of device memory.
    alias: OnceLock<Mapping>,
    /// Other GPUs that device memory is mapped on.
    elsewhere: Mutex<Vec<[u8; 16]>>,
    /// Address of the view of memory that somebody else owns (`super::vmm`).
    view: Option<u64>,
}

impl Chunk {
    /// Addresses that are mapped by somebody else, who has a view of them at `view`.
    pub(crate) fn seen(ordinal: usize, va: u64, len: u64, view: u64) -> Arc<Self> {
        Arc::new(Self {
            kind: Kind::Device,
            va,
            len,
            ordinal,
            memory: None,
            alias: OnceLock::new(),
            elsewhere: Mutex::default(),
            view: Some(view),
        })
    }

    /// Device memory of another process (or another name for this one's): `memory` is this process's own name for it.
    pub(crate) fn imported(
        platform: &Platform,
        space: &Space,
        memory: Object,
        len: u64,
    ) -> Result<Arc<Self>, CUresult> {
        Self::place(platform, space, memory, len, GRAIN)
    }

    /// Device memory.
    pub(crate) fn device(
        platform: &Platform,
        space: &Space,
        bytes: u64,
        align: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let len = bytes
            .checked_next_multiple_of(GRAIN)
            .ok_or(CUresult::OUT_OF_MEMORY)?;
        let mut params = NV_MEMORY_ALLOCATION_PARAMS {
            owner: platform.client.root().0,
            flags: request::VIDEO_FLAGS,
            attr: request::VIDEO_ATTR,
            attr2: request::VIDEO_ATTR2,
            size: len,
            alignment: GRAIN,
            ..FromZeros::new_zeroed()
        };
        let class = classes::NV01_MEMORY_LOCAL_USER;
        let parent = space.device.device;
        let memory =
            platform
                .client
                .alloc("allocating device memory", parent, class, &mut params)?;
        Self::place(platform, space, memory, len, align)
    }

    /// Gives device memory an address, and maps it there on its GPU and on those that may reach it.
    fn place(
        platform: &Platform,
        space: &Space,
        memory: Object,
        len: u64,
        align: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let parent = space.device.device;
        let chunk = match platform.arena.take(len, align) {
            Ok(va) => Self {
                kind: Kind::Device,
                va,
                len,
                ordinal: space.ordinal,
                memory: Some(memory),
                alias: OnceLock::new(),
                elsewhere: Mutex::default(),
                view: None,
            },
            Err(error) => {
                let _ = platform.client.free(parent, memory);
                return Err(error);
            }
        };
        // From here on, dropping the chunk undoes everything.
        platform
            .uvm
            .create_external_range(&platform.client, chunk.va, len)?;
        let others = super::peer::accessors_of(platform, space.ordinal);
        lock(&chunk.elsewhere).clone_from(&others);
        let gpus = [vec![space.device.uuid], others].concat();
        platform
            .uvm
            .map_external(&platform.client, chunk.va, len, 0, memory, &gpus)?;
        Ok(Arc::new(chunk))
    }

    /// Pinned host memory, mapped on all devices that have a VA space, at addresses of the given arena.
    pub(crate) fn host(
        platform: &Platform,
        arena: &Arena,
        ordinal: usize,
        bytes: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let len = bytes
            .checked_next_multiple_of(GRAIN)
            .ok_or(CUresult::OUT_OF_MEMORY)?;
        let device = &platform.devices[ordinal];
        let mut params = NV_MEMORY_ALLOCATION_PARAMS {
            owner: platform.client.root().0,
            flags: request::SYSTEM_FLAGS,
            attr: request::SYSTEM_ATTR,
            size: len,
            alignment: 4096,
            ..FromZeros::new_zeroed()
        };
        let what = "allocating pinned memory";
        let memory = platform.client.alloc(
            what,
            device.device,
            classes::NV01_MEMORY_SYSTEM,
            &mut params,
        )?;
        Self::host_imported(platform, arena, ordinal, memory, len)
    }

    /// Host memory of an RM object that is there already.
    pub(crate) fn host_imported(
        platform: &Platform,
        arena: &Arena,
        ordinal: usize,
        memory: Object,
        len: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let device = &platform.devices[ordinal];
        let chunk = match arena.take(len, GRAIN) {
            Ok(va) => Self {
                kind: Kind::Host,
                va,
                len,
                ordinal,
                memory: Some(memory),
                alias: OnceLock::new(),
                elsewhere: Mutex::default(),
                view: None,
            },
            Err(error) => {
                let _ = platform.client.free(device.device, memory);
                return Err(error);
            }
        };
        let at = usize::try_from(chunk.va).map_err(|_| CUresult::OUT_OF_MEMORY)?;
        // SAFETY: the range was just taken from the arena.
        let mapping = unsafe {
            platform.client.map(
                "mapping pinned memory",
                device.device,
                memory,
                Node::Control,
                len,
                at,
            )
        }?;
        // The arena clears the range when the chunk goes.
        let _ = mapping.leak();
        platform
            .uvm
            .create_external_range(&platform.client, chunk.va, len)?;
        let chunk = Arc::new(chunk);
        for uuid in platform.active_gpus() {
            chunk.map_on(platform, uuid)?;
        }
        Ok(chunk)
    }

    /// Pages of the program's own.
    pub(crate) fn registered(
        platform: &Platform,
        ordinal: usize,
        va: u64,
        len: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let device = &platform.devices[ordinal];
        let what = "pinning memory";
        let mut call = nv_ioctl_nvos02_parameters_with_fd {
            params: NVOS02_PARAMETERS {
                hRoot: platform.client.root().0,
                hObjectParent: device.device.0,
                hObjectNew: platform.client.new_handle().0,
                hClass: classes::NV01_MEMORY_SYSTEM_OS_DESCRIPTOR,
                flags: request::PIN_FLAGS,
                pMemory: va,
                limit: len - 1,
                ..FromZeros::new_zeroed()
            },
            fd: -1,
            ..FromZeros::new_zeroed()
        };
        device
            .node
            .escape(escapes::RM_ALLOC_MEMORY, call.as_mut_bytes())
            .map_err(|error| RmError::Door { what, error })?;
        check(what, call.params.status)?;
        let memory = Object(call.params.hObjectNew);
        let chunk = Arc::new(Self {
            kind: Kind::Registered,
            va,
            len,
            ordinal,
            memory: Some(memory),
            alias: OnceLock::new(),
            elsewhere: Mutex::default(),
            view: None,
        });
        platform
            .uvm
            .create_external_range(&platform.client, va, len)?;
        for uuid in platform.active_gpus() {
            chunk.map_on(platform, uuid)?;
        }
        Ok(chunk)
    }

    /// Managed memory.
    pub(crate) fn managed(
        platform: &Platform,
        ordinal: usize,
        bytes: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let len = bytes
            .checked_next_multiple_of(GRAIN)
            .ok_or(CUresult::OUT_OF_MEMORY)?;
        let va = platform.arena.take(len, GRAIN)?;
        let chunk = Arc::new(Self {
            kind: Kind::Managed,
            va,
            len,
            ordinal,
            memory: None,
            alias: OnceLock::new(),
            elsewhere: Mutex::default(),
            view: None,
        });
        let (Ok(at), Ok(size)) = (usize::try_from(va), usize::try_from(len)) else {
            return Err(CUresult::OUT_OF_MEMORY);
        };
        // SAFETY: the range was just taken from the arena.
        let mapping = unsafe { platform.uvm.map_managed(&platform.client, at, size) }?;
        let _ = mapping.leak();
        Ok(chunk)
    }

    /// The RM object, if there is one.
    pub(crate) fn object(&self) -> Option<Object> {
        self.memory
    }

    /// Takes device memory away from another GPU.
    pub(crate) fn unmap_on(&self, platform: &Platform, uuid: [u8; 16]) -> Result<(), RmError> {
        let mut elsewhere = lock(&self.elsewhere);
        if !elsewhere.contains(&uuid) {
            return Ok(());
        }
        elsewhere.retain(|u| *u != uuid);
        platform
            .uvm
            .unmap_external(&platform.client, self.va, self.len, uuid)
    }

    /// Maps memory on one more GPU, at its own address.
    pub(crate) fn map_on(&self, platform: &Platform, uuid: [u8; 16]) -> Result<(), RmError> {
        if self.kind == Kind::Device {
            let mut elsewhere = lock(&self.elsewhere);
            if elsewhere.contains(&uuid) {
                return Ok(());
            }
            elsewhere.push(uuid);
        }
        match (self.kind, self.memory) {
            (Kind::Host | Kind::Registered | Kind::Device, Some(memory)) => platform
                .uvm
                .map_external(&platform.client, self.va, self.len, 0, memory, &[uuid]),
            (Kind::Managed, _) | (_, None) => Ok(()),
        }
    }

    /// Where this process can read and write the byte at `va`.
    ///
    /// # Errors
    /// What mapping the memory may answer.
    pub(crate) fn host_address(&self, va: u64) -> Result<usize, CUresult> {
        let offset = va
            .checked_sub(self.va)
            .filter(|o| *o <= self.len)
            .ok_or(CUresult::INVALID_VALUE)?;
        let base = match (self.kind, self.memory) {
            _ if self.view.is_some() => self.view.unwrap_or_default(),
            (Kind::Device, Some(memory)) => self.alias(memory)?.as_ptr().expose_provenance() as u64,
            (Kind::Host | Kind::Registered | Kind::Managed, _) | (Kind::Device, None) => self.va,
        };
        usize::try_from(base + offset).map_err(|_| CUresult::INVALID_VALUE)
    }

    fn alias(&self, memory: Object) -> Result<&Mapping, CUresult> {
        if let Some(alias) = self.alias.get() {
            return Ok(alias);
        }
        let platform = platform::get()?;
        let device = &platform.devices[self.ordinal];
        let node = Node::Gpu(device.card.minor);
        // SAFETY: no address is asked for.
        let alias = unsafe {
            platform.client.map(
                "mapping device memory",
                device.device,
                memory,
                node,
                self.len,
                0,
            )
        }?;
        Ok(self.alias.get_or_init(|| alias))
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let Ok(platform) = platform::get() else {
            return;
        };
        if crate::process::is_forked() || self.view.is_some() {
            return;
        }
        let arena = platform.arena_of(self.va);
        // A server that is gone has freed everything already: errors change nothing.
        match self.kind {
            Kind::Device | Kind::Host | Kind::Registered => {
                let _ = platform.uvm.free(&platform.client, self.va, self.len);
                if let Some(memory) = self.memory {
                    let _ = platform
                        .client
                        .free(platform.devices[self.ordinal].device, memory);
                }
                if self.kind == Kind::Registered {
                    pinned::forget(self.va);
                    return;
                }
                if self.kind == Kind::Host {
                    arena.clear(self.va, self.len);
                }
            }
            Kind::Managed => {
                arena.clear(self.va, self.len);
                let _ = platform.uvm.unmapped(self.va, self.len);
            }
        }
        arena.give(self.va, self.len);
    }
}

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

/// What to allocate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Bytes, not 0.
    pub bytes: u64,
    /// Alignment, bytes.
    pub align: u64,
    /// Where.
    pub kind: Kind,
    /// For whom.
    pub context: usize,
    /// Flags to remember.
    pub flags: u32,
    /// Pool, 0 none.
    pub pool: usize,
}

/// All allocations of the process, by address.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    live: RwLock<BTreeMap<u64, Arc<Allocation>>>,
    host_slabs: Mutex<Slabs>,
    managed_slabs: Mutex<Slabs>,
    next_id: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
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
        self.allocate_from(platform, space, request, false)
    }

    /// Allocates device memory of the driver's own, as code is: never beside the program's, so that a kernel that
    /// writes a little past its buffer does what it does on hardware.
    ///
    /// # Errors
    /// As [`Registry::allocate`].
    pub(crate) fn allocate_private(
        &self,
        platform: &Platform,
        space: &Space,
        request: Request,
    ) -> Result<Arc<Allocation>, CUresult> {
        self.allocate_from(platform, space, request, true)
    }

    fn allocate_from(
        &self,
        platform: &Platform,
        space: &Space,
        request: Request,
        private: bool,
    ) -> Result<Arc<Allocation>, CUresult> {
        if request.bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let (chunk, offset, shared_chunk) = match self.place(platform, space, request, private) {
            Err(CUresult::OUT_OF_MEMORY) => {
                self.trim(space);
                self.place(platform, space, request, private)
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
        private: bool,
    ) -> Result<(Arc<Chunk>, u64, bool), CUresult> {
        let Request {
            bytes, align, kind, ..
        } = request;
        let slabs = match kind {
            Kind::Device if private => &space.private_slabs,
            Kind::Device => &space.slabs,
            Kind::Host => &self.host_slabs,
            Kind::Managed => &self.managed_slabs,
            Kind::Registered => return Err(CUresult::INVALID_VALUE),
        };
        let new_chunk = |bytes| match kind {
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
            if chunk.memory.is_some() && !chunks.iter().any(|c| Arc::ptr_eq(c, chunk)) {
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
                lock(&chunk.elsewhere).retain(|u| *u != uuid);
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
            (Kind::Device, Some(space)) => [Some(&space.slabs), Some(&space.private_slabs)],
            (Kind::Host, _) => [Some(&self.host_slabs), None],
            (Kind::Managed, _) => [Some(&self.managed_slabs), None],
            (Kind::Registered, _) | (Kind::Device, None) => return,
        };
        for slabs in slabs.into_iter().flatten() {
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
        for slabs in [
            &space.slabs,
            &space.private_slabs,
            &self.host_slabs,
            &self.managed_slabs,
        ] {
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
