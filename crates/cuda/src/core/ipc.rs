//! Memory and events of other processes of the same user.
//!
//! A handle names the exporter's RM client and memory object; opening it makes another name for that object
//! (RM_DUP_OBJECT), so that the memory lives until the last process lets go of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_abi::driver::CUresult;

use super::context::{self, Live};
use super::memory::{Chunk, Kind, Request, Room};
use super::platform::{self, Platform};
use super::rm::Object;
use super::stream::Target;
use super::vmm::{EXPORT_BYTES, Export};

/// Bytes of a handle.
pub(crate) const HANDLE_BYTES: usize = 64;

/// What a handle is of ([`Export::what`]).
mod what {
    pub(super) const MEMORY: u64 = 3;
    pub(super) const EVENT: u64 = 4;
    pub(super) const POOL_POINTER: u64 = 5;
}

/// A handle: an export, and a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Named {
    export: Export,
    offset: u64,
    bytes: u64,
}

impl Named {
    fn encode(&self) -> [u8; HANDLE_BYTES] {
        let mut out = [0; HANDLE_BYTES];
        out[..EXPORT_BYTES].copy_from_slice(&self.export.encode());
        out[48..56].copy_from_slice(&self.offset.to_le_bytes());
        out[56..].copy_from_slice(&self.bytes.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8; HANDLE_BYTES], what: u64) -> Result<Self, CUresult> {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let export = Export::decode(&bytes[..EXPORT_BYTES]).filter(|e| e.what == what);
        let named = Self {
            export: export.ok_or(CUresult::INVALID_VALUE)?,
            offset: word(48),
            bytes: word(56),
        };
        let end = named.offset.checked_add(named.bytes);
        if end.is_none_or(|end| end > named.export.bytes) {
            return Err(CUresult::INVALID_VALUE);
        }
        Ok(named)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn export_of(
    platform: &Platform,
    object: Object,
    bytes: u64,
    ordinal: usize,
    what: u64,
) -> Result<Export, CUresult> {
    platform.client.share(object)?;
    Ok(Export {
        client: platform.client.root().0,
        object: object.0,
        bytes,
        uuid: platform.devices[ordinal].uuid,
        what,
    })
}

fn export_pointer(address: u64, of_pool: bool) -> Result<[u8; HANDLE_BYTES], CUresult> {
    let bad = CUresult::INVALID_VALUE;
    let platform = platform::get()?;
    let allocation = platform.memory.find(address).ok_or(bad)?;
    if allocation.kind != Kind::Device || of_pool != (allocation.pool != 0) {
        return Err(bad);
    }
    let (object, offset, len) = allocation.object().ok_or(bad)?;
    let what = if of_pool {
        what::POOL_POINTER
    } else {
        what::MEMORY
    };
    Ok(Named {
        export: export_of(platform, object, len, allocation.ordinal, what)?,
        offset,
        bytes: allocation.bytes,
    }
    .encode())
}

/// A handle for the allocation that holds an address.
///
/// # Errors
/// 1 for memory that is not of `cuMemAlloc`.
pub(crate) fn memory_handle(address: u64) -> Result<[u8; HANDLE_BYTES], CUresult> {
    context::current()?;
    export_pointer(address, false)
}

/// A handle for an allocation of a pool.
///
/// # Errors
/// 1 for other memory.
pub(crate) fn pool_pointer(address: u64) -> Result<[u8; HANDLE_BYTES], CUresult> {
    export_pointer(address, true)
}

/// A place in another process's memory: its client, its object, an offset.
type Source = (u32, u32, u64);

/// What is open: the place in the exporter's memory to the address here, and how often.
static OPEN: Mutex<Option<HashMap<Source, (u64, usize)>>> = Mutex::new(None);

/// Maps memory of another process; the same memory again is the same address.
///
/// # Errors
/// 201 for memory of this process, 1 for what is no handle or no more.
pub(crate) fn open_memory(handle: &[u8; HANDLE_BYTES]) -> Result<u64, CUresult> {
    let live = context::current()?;
    let named = Named::decode(handle, what::MEMORY)?;
    let platform = platform::get()?;
    if named.export.client == platform.client.root().0 {
        return Err(CUresult::INVALID_CONTEXT);
    }
    let key = (named.export.client, named.export.object, named.offset);
    let mut open = lock(&OPEN);
    let open = open.get_or_insert_default();
    if let Some((va, count)) = open.get_mut(&key) {
        *count += 1;
        return Ok(*va);
    }
    let va = import(platform, &live, &named, 0)?;
    open.insert(key, (va, 1));
    Ok(va)
}

/// Maps an allocation of another process's pool.
///
/// # Errors
/// 1 for what is no handle or no more.
pub(crate) fn open_pool_pointer(
    pool: usize,
    ordinal: usize,
    handle: &[u8; HANDLE_BYTES],
) -> Result<u64, CUresult> {
    let live = context::current()?;
    let named = Named::decode(handle, what::POOL_POINTER)?;
    let platform = platform::get()?;
    if named.export.ordinal(platform)? != ordinal {
        return Err(CUresult::INVALID_VALUE);
    }
    import(platform, &live, &named, pool)
}

fn import(platform: &Platform, live: &Live, named: &Named, pool: usize) -> Result<u64, CUresult> {
    let ordinal = named.export.ordinal(platform)?;
    let space = platform.space(ordinal)?;
    let memory = platform
        .client
        .dup(
            space.device.device,
            named.export.client,
            named.export.object,
        )
        .map_err(|_| CUresult::INVALID_VALUE)?;
    let chunk = Chunk::imported(platform, &space, memory, named.export.bytes)?;
    if ordinal != live.space.ordinal {
        chunk.map_on(platform, live.device.uuid)?;
    }
    let request = Request {
        bytes: named.bytes,
        align: 1,
        kind: Kind::Device,
        room: Room::Program,
        context: live.context,
        flags: 0,
        pool,
        // What an IPC handle opened is closed, not freed.
        handed_out: pool != 0,
    };
    let offset = named.offset;
    Ok(platform.memory.adopt(chunk, offset, ordinal, request).va)
}

/// Lets go of memory of another process.
///
/// # Errors
/// 1 for an address that [`open_memory`] did not give.
pub(crate) fn close_memory(va: u64) -> Result<(), CUresult> {
    let live = context::current()?;
    let mut open = lock(&OPEN);
    let open = open.get_or_insert_default();
    let key = open
        .iter()
        .find_map(|(key, (at, _))| (*at == va).then_some(*key))
        .ok_or(CUresult::INVALID_VALUE)?;
    if let Some((_, count)) = open.get_mut(&key) {
        *count -= 1;
        if *count > 0 {
            return Ok(());
        }
    }
    open.remove(&key);
    // Work that was submitted before may still use it.
    let waited = live.synchronize();
    let gone = platform::get()?.memory.remove(va, |_| true);
    drop(gone);
    waited
}

/// An event's place in memory that processes share: how often it was recorded, and which of those is passed.
#[derive(Debug)]
pub(crate) struct Slot {
    chunk: Arc<Chunk>,
    /// Address, the same for the GPU.
    va: u64,
    /// Of this process's own chunk: the place is used again.
    own: bool,
}

/// Bytes of a slot.
const SLOT: u64 = 64;

#[derive(Debug, Default)]
struct Slots {
    chunk: Option<Arc<Chunk>>,
    next: u64,
    free: Vec<u64>,
}

static SLOTS: Mutex<Slots> = Mutex::new(Slots {
    chunk: None,
    next: 0,
    free: Vec::new(),
});

impl Drop for Slot {
    fn drop(&mut self) {
        if self.own {
            lock(&SLOTS).free.push(self.va);
        }
    }
}

impl Slot {
    /// A fresh one.
    pub(crate) fn create(live: &Live) -> Result<Self, CUresult> {
        let platform = platform::get()?;
        let mut slots = lock(&SLOTS);
        let chunk = match &slots.chunk {
            Some(chunk) => chunk.clone(),
            None => {
                let chunk = Chunk::host(platform, &platform.arena, live.space.ordinal, 1)?;
                slots.chunk = Some(chunk.clone());
                chunk
            }
        };
        let va = match slots.free.pop() {
            Some(va) => va,
            None if slots.next + SLOT <= chunk.len => {
                slots.next += SLOT;
                chunk.va + slots.next - SLOT
            }
            None => return Err(CUresult::OUT_OF_MEMORY),
        };
        let slot = Self {
            chunk,
            va,
            own: true,
        };
        slot.word(0).store(0, Ordering::Release);
        slot.word(8).store(0, Ordering::Release);
        Ok(slot)
    }

    fn word(&self, offset: u64) -> &AtomicU64 {
        let at = usize::try_from(self.va + offset).unwrap_or_default();
        // SAFETY: an aligned word of pinned memory that the chunk keeps mapped; others touch it with atomics only.
        unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(at)) }
    }

    /// Marks the stream's work so far.
    pub(crate) fn record(&self, target: &Target) -> Result<super::channel::Point, CUresult> {
        let number = self.word(0).fetch_add(1, Ordering::AcqRel) + 1;
        target.submit(|batch| batch.release(self.va + 8, number))
    }

    /// Makes the stream wait for the last mark.
    pub(crate) fn wait_in(&self, target: &Target) -> Result<(), CUresult> {
        if self.is_done() {
            return Ok(());
        }
        let number = self.word(0).load(Ordering::Acquire);
        target
            .submit(|batch| batch.acquire(self.va + 8, number))
            .map(drop)
    }

    /// Whether the last mark is passed.
    pub(crate) fn is_done(&self) -> bool {
        self.word(8).load(Ordering::Acquire) >= self.word(0).load(Ordering::Acquire)
    }

    /// A handle for it.
    pub(crate) fn handle(&self) -> Result<[u8; HANDLE_BYTES], CUresult> {
        let platform = platform::get()?;
        let object = self.chunk.object().ok_or(CUresult::INVALID_HANDLE)?;
        let (len, ordinal) = (self.chunk.len, self.chunk.ordinal);
        Ok(Named {
            export: export_of(platform, object, len, ordinal, what::EVENT)?,
            offset: self.va - self.chunk.va,
            bytes: SLOT,
        }
        .encode())
    }

    /// The one that a handle of another process means.
    ///
    /// # Errors
    /// 1 for what is no handle or no more; 201 for this process's own.
    pub(crate) fn open(live: &Live, handle: &[u8; HANDLE_BYTES]) -> Result<Self, CUresult> {
        let platform = platform::get()?;
        let named = Named::decode(handle, what::EVENT)?;
        if named.export.client == platform.client.root().0 {
            return Err(CUresult::INVALID_CONTEXT);
        }
        let bad = |_| CUresult::INVALID_VALUE;
        let memory = platform
            .client
            .dup(live.device.device, named.export.client, named.export.object)
            .map_err(bad)?;
        let chunk = Chunk::host_imported(
            platform,
            &platform.arena,
            live.space.ordinal,
            memory,
            named.export.bytes,
        )?;
        Ok(Self {
            va: chunk.va + named.offset,
            chunk,
            own: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_name_their_kind_and_stay_inside() {
        let named = Named {
            export: Export {
                client: 1,
                object: 2,
                bytes: 2 << 20,
                uuid: [7; 16],
                what: what::MEMORY,
            },
            offset: 512,
            bytes: 1024,
        };
        let bytes = named.encode();
        assert_eq!(Named::decode(&bytes, what::MEMORY), Ok(named));
        let bad = Err(CUresult::INVALID_VALUE);
        assert_eq!(Named::decode(&bytes, what::EVENT), bad);
        let beyond = Named {
            bytes: 2 << 20,
            ..named
        };
        assert_eq!(Named::decode(&beyond.encode(), what::MEMORY), bad);
        assert_eq!(Named::decode(&[0; HANDLE_BYTES], what::MEMORY), bad);
    }
}
