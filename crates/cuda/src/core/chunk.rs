//! Memory objects and their addresses.

use std::sync::{Arc, Mutex};

use abi::nv::alloc_params::NV_MEMORY_ALLOCATION_PARAMS;
use abi::nv::escape_params::{NVOS02_PARAMETERS, nv_ioctl_nvos02_parameters_with_fd};
use abi::nv::{classes, escapes};
use cuda_abi::driver::CUresult;
use door::{Mapping, Node};
use zerocopy::{FromZeros, IntoBytes};

use super::arena::{Arena, GRAIN};
use super::pinned;
use super::platform::{self, Platform};
use super::rm::{Object, RmError, check};
use super::space::Space;

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

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

/// What is behind a chunk's addresses.
#[derive(Debug, Default)]
struct Store {
    memory: Option<Object>,
    /// This process's own view of device memory.
    alias: Option<Mapping>,
}

impl Store {
    fn of(memory: Option<Object>) -> Mutex<Self> {
        Mutex::new(Self {
            memory,
            alias: None,
        })
    }
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
    store: Mutex<Store>,
    /// Other GPUs that device memory is mapped on.
    elsewhere: Mutex<Vec<[u8; 16]>>,
    /// Address of the view of memory that somebody else owns (`super::vmm`).
    view: Option<u64>,
}

impl Chunk {
    /// Addresses that are mapped by somebody else, who has a view of them at `view`.
    pub(crate) fn seen(ordinal: usize, va: u64, len: u64, view: u64) -> Arc<Self> {
        let mut chunk = Self::new(Kind::Device, va, len, ordinal, None);
        chunk.view = Some(view);
        Arc::new(chunk)
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
        let len = whole(bytes)?;
        let memory = physical(platform, space.ordinal, len)?;
        Self::place(platform, space, memory, len, align)
    }

    /// Addresses of device memory, with nothing behind them before [`Chunk::populate`].
    pub(crate) fn vacant(
        platform: &Platform,
        space: &Space,
        bytes: u64,
        align: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let len = whole(bytes)?;
        let va = platform.arena.take(len, align)?;
        let chunk = Self::new(Kind::Device, va, len, space.ordinal, None);
        platform
            .uvm
            .create_external_range(&platform.client, chunk.va, len)?;
        Ok(Arc::new(chunk))
    }

    fn new(kind: Kind, va: u64, len: u64, ordinal: usize, memory: Option<Object>) -> Self {
        Self {
            kind,
            va,
            len,
            ordinal,
            store: Store::of(memory),
            elsewhere: Mutex::default(),
            view: None,
        }
    }

    /// Gives device memory an address, and maps it there on its GPU and on those that may reach it.
    fn place(
        platform: &Platform,
        space: &Space,
        memory: Object,
        len: u64,
        align: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let chunk = match platform.arena.take(len, align) {
            Ok(va) => Self::new(Kind::Device, va, len, space.ordinal, Some(memory)),
            Err(error) => {
                let _ = platform.client.free(space.device.device, memory);
                return Err(error);
            }
        };
        // From here on, dropping the chunk undoes everything.
        platform
            .uvm
            .create_external_range(&platform.client, chunk.va, len)?;
        chunk.map(platform, memory)?;
        Ok(Arc::new(chunk))
    }

    /// Maps device memory on its GPU and on those that may reach it.
    fn map(&self, platform: &Platform, memory: Object) -> Result<(), RmError> {
        let others = super::peer::accessors_of(platform, self.ordinal);
        lock(&self.elsewhere).clone_from(&others);
        let gpus = [vec![platform.devices[self.ordinal].uuid], others].concat();
        platform
            .uvm
            .map_external(&platform.client, self.va, self.len, 0, memory, &gpus)
    }

    /// Puts device memory behind the addresses, if there is none.
    ///
    /// # Errors
    /// 2 without room.
    pub(crate) fn populate(&self, platform: &Platform) -> Result<(), CUresult> {
        let mut store = lock(&self.store);
        if store.memory.is_some() {
            return Ok(());
        }
        let memory = physical(platform, self.ordinal, self.len)?;
        if let Err(error) = self.map(platform, memory) {
            let parent = platform.devices[self.ordinal].device;
            let _ = platform.client.free(parent, memory);
            return Err(error.into());
        }
        store.memory = Some(memory);
        Ok(())
    }

    /// Takes device memory away that nobody uses; the addresses stay.
    pub(crate) fn depopulate(&self, platform: &Platform) {
        let mut store = lock(&self.store);
        let Some(memory) = store.memory.take() else {
            return;
        };
        let device = &platform.devices[self.ordinal];
        let gpus = [
            vec![device.uuid],
            std::mem::take(&mut *lock(&self.elsewhere)),
        ]
        .concat();
        for uuid in gpus {
            // A GPU that is gone has nothing mapped.
            let _ = platform
                .uvm
                .unmap_external(&platform.client, self.va, self.len, uuid);
        }
        drop(store.alias.take());
        // A server that is gone has freed everything already.
        let _ = platform.client.free(device.device, memory);
    }

    /// Pinned host memory, mapped on all devices that have a VA space, at addresses of the given arena.
    pub(crate) fn host(
        platform: &Platform,
        arena: &Arena,
        ordinal: usize,
        bytes: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let len = whole(bytes)?;
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
            Ok(va) => Self::new(Kind::Host, va, len, ordinal, Some(memory)),
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
        chunk.shown(platform)
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
        Self::new(Kind::Registered, va, len, ordinal, Some(memory)).shown(platform)
    }

    /// Host memory, mapped on all devices that have a VA space.
    fn shown(self, platform: &Platform) -> Result<Arc<Self>, CUresult> {
        platform
            .uvm
            .create_external_range(&platform.client, self.va, self.len)?;
        for uuid in platform.active_gpus() {
            self.map_on(platform, uuid)?;
        }
        Ok(Arc::new(self))
    }

    /// Managed memory.
    pub(crate) fn managed(
        platform: &Platform,
        ordinal: usize,
        bytes: u64,
    ) -> Result<Arc<Self>, CUresult> {
        let len = whole(bytes)?;
        let va = platform.arena.take(len, GRAIN)?;
        let chunk = Arc::new(Self::new(Kind::Managed, va, len, ordinal, None));
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
        lock(&self.store).memory
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

    /// Another GPU has lost what was mapped on it.
    pub(crate) fn left(&self, uuid: [u8; 16]) {
        lock(&self.elsewhere).retain(|u| *u != uuid);
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
        match (self.kind, self.object()) {
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
        let base = match (self.view, self.kind) {
            (Some(view), _) => view,
            (None, Kind::Device) => self.alias()?,
            (None, Kind::Host | Kind::Registered | Kind::Managed) => self.va,
        };
        usize::try_from(base + offset).map_err(|_| CUresult::INVALID_VALUE)
    }

    /// Where this process sees device memory.
    ///
    /// # Errors
    /// 1 where there is none; what mapping it may answer.
    fn alias(&self) -> Result<u64, CUresult> {
        let mut store = lock(&self.store);
        if let Some(alias) = &store.alias {
            return Ok(alias.as_ptr().expose_provenance() as u64);
        }
        let memory = store.memory.ok_or(CUresult::INVALID_VALUE)?;
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
        let at = alias.as_ptr().expose_provenance() as u64;
        store.alias = Some(alias);
        Ok(at)
    }
}

/// Bytes of a chunk that holds as many.
fn whole(bytes: u64) -> Result<u64, CUresult> {
    bytes
        .checked_next_multiple_of(GRAIN)
        .ok_or(CUresult::OUT_OF_MEMORY)
}

/// Device memory without an address.
fn physical(platform: &Platform, ordinal: usize, len: u64) -> Result<Object, RmError> {
    let mut params = NV_MEMORY_ALLOCATION_PARAMS {
        owner: platform.client.root().0,
        flags: request::VIDEO_FLAGS,
        attr: request::VIDEO_ATTR,
        attr2: request::VIDEO_ATTR2,
        size: len,
        alignment: GRAIN,
        ..FromZeros::new_zeroed()
    };
    platform.client.alloc(
        "allocating device memory",
        platform.devices[ordinal].device,
        classes::NV01_MEMORY_LOCAL_USER,
        &mut params,
    )
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
                if let Some(memory) = self.object() {
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
