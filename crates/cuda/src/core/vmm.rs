//! Virtual memory management: reserved addresses, physical memory, and mappings of one in the other.
//!
//! A reservation has a mirror: addresses of this process at which it sees what is mapped, so that host copies may go
//! across mappings as the GPU's do.

use std::collections::BTreeMap;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use abi::nv::alloc_params::NV_MEMORY_ALLOCATION_PARAMS;
use abi::nv::classes;
use cuda_abi::driver::{
    CUmemAccess_flags, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemLocation, CUmemLocationType, CUresult, Out,
};
use door::Node;
use zerocopy::FromZeros;

use super::arena::GRAIN;
use super::handle::Table;
use super::memory::{Chunk, Kind, Request, Room};
use super::platform::{self, Platform};
use super::rm::Object;
use super::space::Space;

/// Granularity of reservations, physical memory and mappings, bytes.
pub(crate) const GRANULARITY: u64 = GRAIN;

/// Physical memory, by handle.
pub(crate) static PHYSICAL: Table<Handle> = Table::new(22, CUresult::INVALID_VALUE);

/// A name for physical memory, and how often it was retained.
#[derive(Debug)]
pub(crate) struct Handle {
    /// What it names.
    pub physical: Arc<Physical>,
    references: AtomicUsize,
}

/// Physical memory of a device.
#[derive(Debug)]
pub(crate) struct Physical {
    /// Device.
    pub ordinal: usize,
    /// Bytes.
    pub bytes: u64,
    /// Handle types that it may be exported as.
    pub handle_types: CUmemAllocationHandleType,
    memory: Object,
    /// Other processes may still import it: it stays until this process ends.
    exported: AtomicUsize,
}

impl Drop for Physical {
    fn drop(&mut self) {
        if crate::process::is_forked() || self.exported.load(Ordering::Relaxed) != 0 {
            return;
        }
        if let Ok(platform) = platform::get() {
            // A server that is gone has freed everything already.
            let _ = platform
                .client
                .free(platform.devices[self.ordinal].device, self.memory);
        }
    }
}

#[derive(Debug)]
struct Mapping {
    len: u64,
    handle: usize,
    physical: Arc<Physical>,
    /// Access by device ordinal.
    access: BTreeMap<usize, CUmemAccess_flags>,
}

#[derive(Debug)]
struct Reservation {
    len: u64,
    /// Where this process sees it.
    mirror: usize,
    mappings: BTreeMap<u64, Mapping>,
}

static RESERVED: Mutex<BTreeMap<u64, Reservation>> = Mutex::new(BTreeMap::new());

fn lock() -> std::sync::MutexGuard<'static, BTreeMap<u64, Reservation>> {
    RESERVED
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

const BAD: CUresult = CUresult::INVALID_VALUE;

fn whole(value: u64) -> bool {
    value != 0 && value.is_multiple_of(GRANULARITY)
}

/// Reserves addresses. A wished address is a hint that is not taken.
///
/// # Errors
/// 1 for a size that is no multiple of the granularity or an alignment that is no power of two, 2 without room.
pub(crate) fn reserve(bytes: u64, align: u64) -> Result<u64, CUresult> {
    if !whole(bytes) || align != 0 && !align.is_power_of_two() {
        return Err(BAD);
    }
    let platform = platform::get()?;
    let va = platform.arena.take(bytes, align)?;
    let size = usize::try_from(bytes).map_err(|_| CUresult::OUT_OF_MEMORY)?;
    let made = mirror(size).and_then(|mirror| {
        let made = platform
            .uvm
            .create_external_range(&platform.client, va, bytes);
        made.map_err(CUresult::from)
            .map(|()| mirror)
            .inspect_err(|_| unmirror(mirror, size))
    });
    match made {
        Ok(mirror) => {
            let reservation = Reservation {
                len: bytes,
                mirror,
                mappings: BTreeMap::new(),
            };
            lock().insert(va, reservation);
            Ok(va)
        }
        Err(error) => {
            platform.arena.give(va, bytes);
            Err(error)
        }
    }
}

/// Addresses without access.
fn mirror(size: usize) -> Result<usize, CUresult> {
    // SAFETY: a new mapping at an address of the kernel's choice.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED {
        Err(CUresult::OUT_OF_MEMORY)
    } else {
        Ok(at.expose_provenance())
    }
}

fn unmirror(at: usize, size: usize) {
    // SAFETY: a mirror, of which nobody has addresses any more.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(at), size) };
}

/// Takes the access to a part of a mirror away.
fn blind(at: usize, size: usize) {
    // SAFETY: a part of a mirror; nothing of Rust's lives there.
    unsafe {
        libc::mmap(
            std::ptr::with_exposed_provenance_mut(at),
            size,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
            -1,
            0,
        )
    };
}

/// Gives a reservation back.
///
/// # Errors
/// 1 unless it is a whole reservation in which nothing is mapped.
pub(crate) fn free(va: u64, bytes: u64) -> Result<(), CUresult> {
    let platform = platform::get()?;
    let mut reserved = lock();
    let known = reserved.get(&va).filter(|r| r.len == bytes);
    if known.is_none_or(|r| !r.mappings.is_empty()) {
        return Err(BAD);
    }
    let gone = reserved.remove(&va).ok_or(BAD)?;
    let _ = platform.uvm.free(&platform.client, va, bytes);
    unmirror(gone.mirror, usize::try_from(bytes).unwrap_or_default());
    platform.arena.give(va, bytes);
    Ok(())
}

/// The device that a description of memory means.
///
/// # Errors
/// 1 for what is no description, 101 for a device that there is not, 801 for memory of the host and managed memory.
pub(crate) fn checked(prop: &CUmemAllocationProp) -> Result<usize, CUresult> {
    match prop.type_ {
        CUmemAllocationType::PINNED => {}
        CUmemAllocationType::MANAGED => return Err(CUresult::NOT_SUPPORTED),
        _ => return Err(BAD),
    }
    match prop.location.type_ {
        CUmemLocationType::DEVICE => {}
        CUmemLocationType::HOST
        | CUmemLocationType::HOST_NUMA
        | CUmemLocationType::HOST_NUMA_CURRENT => return Err(CUresult::NOT_SUPPORTED),
        _ => return Err(BAD),
    }
    let known = CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR.0;
    if prop.requestedHandleTypes.0 & !known != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    platform::get()?.device(prop.location.id)?;
    usize::try_from(prop.location.id).map_err(|_| CUresult::INVALID_DEVICE)
}

/// Makes physical memory.
///
/// # Errors
/// As [`checked`]; 1 for a bad size, 2 without room.
pub(crate) fn create(bytes: u64, prop: &CUmemAllocationProp) -> Result<usize, CUresult> {
    let ordinal = checked(prop)?;
    if !whole(bytes) {
        return Err(BAD);
    }
    let platform = platform::get()?;
    let mut params = NV_MEMORY_ALLOCATION_PARAMS {
        owner: platform.client.root().0,
        flags: super::memory::request::VIDEO_FLAGS,
        attr: super::memory::request::VIDEO_ATTR,
        attr2: super::memory::request::VIDEO_ATTR2,
        size: bytes,
        alignment: GRAIN,
        ..FromZeros::new_zeroed()
    };
    let memory = platform.client.alloc(
        "allocating physical memory",
        platform.devices[ordinal].device,
        classes::NV01_MEMORY_LOCAL_USER,
        &mut params,
    )?;
    name(Physical {
        ordinal,
        bytes,
        handle_types: prop.requestedHandleTypes,
        memory,
        exported: AtomicUsize::new(0),
    })
}

fn name(physical: Physical) -> Result<usize, CUresult> {
    PHYSICAL.insert(Handle {
        physical: Arc::new(physical),
        references: AtomicUsize::new(1),
    })
}

/// Lets go of a handle; memory that is mapped stays.
pub(crate) fn release(handle: usize) -> Result<(), CUresult> {
    let known = PHYSICAL.get(handle)?;
    if known.references.fetch_sub(1, Ordering::AcqRel) == 1 {
        PHYSICAL.remove(handle)?;
    }
    Ok(())
}

/// The handle of what is mapped at an address, retained once more.
///
/// # Errors
/// 1 where nothing is mapped.
pub(crate) fn retain_at(va: u64) -> Result<usize, CUresult> {
    let reserved = lock();
    let (_, reservation) = reserved.range(..=va).next_back().ok_or(BAD)?;
    let (start, mapping) = reservation.mappings.range(..=va).next_back().ok_or(BAD)?;
    if va >= start + mapping.len {
        return Err(BAD);
    }
    if let Ok(known) = PHYSICAL.get(mapping.handle) {
        known.references.fetch_add(1, Ordering::AcqRel);
        return Ok(mapping.handle);
    }
    // The program let go of its own: a new name for the same memory.
    PHYSICAL.insert(Handle {
        physical: mapping.physical.clone(),
        references: AtomicUsize::new(1),
    })
}

/// The description that the memory was made with.
pub(crate) fn properties(handle: usize) -> Result<CUmemAllocationProp, CUresult> {
    let physical = PHYSICAL.get(handle)?.physical.clone();
    Ok(CUmemAllocationProp {
        type_: CUmemAllocationType::PINNED,
        requestedHandleTypes: physical.handle_types,
        location: CUmemLocation {
            type_: CUmemLocationType::DEVICE,
            id: i32::try_from(physical.ordinal).unwrap_or_default(),
        },
        win32HandleMetaData: Out::NULL,
        allocFlags: [0],
    })
}

/// The reservation that holds a range.
fn holding(
    reserved: &mut BTreeMap<u64, Reservation>,
    va: u64,
    bytes: u64,
) -> Result<(u64, &mut Reservation), CUresult> {
    let end = va.checked_add(bytes).ok_or(BAD)?;
    let (base, reservation) = reserved.range_mut(..=va).next_back().ok_or(BAD)?;
    if end > base + reservation.len || bytes == 0 {
        return Err(BAD);
    }
    Ok((*base, reservation))
}

/// Maps memory in a reservation. Nobody may use it before [`set_access`].
///
/// # Errors
/// 1 for ranges outside the reservation or the memory, that overlap others, or are not aligned.
pub(crate) fn map(va: u64, bytes: u64, offset: u64, handle: usize) -> Result<(), CUresult> {
    let physical = PHYSICAL.get(handle)?.physical.clone();
    if !whole(bytes) || !va.is_multiple_of(GRANULARITY) || offset != 0 || bytes > physical.bytes {
        return Err(BAD);
    }
    let platform = platform::get()?;
    let mut reserved = lock();
    let (base, reservation) = holding(&mut reserved, va, bytes)?;
    let before = reservation.mappings.range(..va + bytes).next_back();
    if before.is_some_and(|(start, m)| start + m.len > va) {
        return Err(BAD);
    }
    let at = reservation.mirror + usize::try_from(va - base).map_err(|_| BAD)?;
    let device = &platform.devices[physical.ordinal];
    // SAFETY: a part of the mirror, which is this reservation's own.
    let seen = unsafe {
        platform.client.map(
            "mapping physical memory",
            device.device,
            physical.memory,
            Node::Gpu(device.card.minor),
            bytes,
            at,
        )
    }?;
    let _ = seen.leak();
    reservation.mappings.insert(
        va,
        Mapping {
            len: bytes,
            handle,
            physical,
            access: BTreeMap::new(),
        },
    );
    Ok(())
}

/// The whole mappings that make up a range.
///
/// # Errors
/// 1 when they do not.
fn covered(reservation: &Reservation, va: u64, bytes: u64) -> Result<Vec<u64>, CUresult> {
    let mut next = va;
    let mut found = Vec::new();
    for (start, mapping) in reservation.mappings.range(va..va + bytes) {
        if *start != next {
            return Err(BAD);
        }
        found.push(*start);
        next = start + mapping.len;
    }
    if next == va + bytes {
        Ok(found)
    } else {
        Err(BAD)
    }
}

/// Takes mappings away.
///
/// # Errors
/// 1 unless the range is made of whole mappings.
pub(crate) fn unmap(va: u64, bytes: u64) -> Result<(), CUresult> {
    let platform = platform::get()?;
    let mut reserved = lock();
    let (base, reservation) = holding(&mut reserved, va, bytes)?;
    for start in covered(reservation, va, bytes)? {
        if let Some(mapping) = reservation.mappings.remove(&start) {
            for ordinal in mapping.access.keys() {
                let uuid = platform.devices[*ordinal].uuid;
                // A GPU that is gone has nothing mapped.
                let _ = platform
                    .uvm
                    .unmap_external(&platform.client, start, mapping.len, uuid);
            }
            let offset = usize::try_from(start - base).unwrap_or_default();
            let size = usize::try_from(mapping.len).unwrap_or_default();
            blind(reservation.mirror + offset, size);
        }
    }
    register(platform, base, reservation);
    Ok(())
}

/// Says which devices may use mappings, and how.
///
/// # Errors
/// 1 unless the range is made of whole mappings.
pub(crate) fn set_access(
    va: u64,
    bytes: u64,
    wanted: &[(usize, CUmemAccess_flags)],
) -> Result<(), CUresult> {
    let platform = platform::get()?;
    // A device gets its VA space now, if it has none: making one maps what is known so far.
    let mut spaces = Vec::new();
    for (ordinal, flags) in wanted {
        if *flags != CUmemAccess_flags::NONE {
            spaces.push(platform.space(*ordinal)?);
        }
    }
    let mut reserved = lock();
    let (base, reservation) = holding(&mut reserved, va, bytes)?;
    for start in covered(reservation, va, bytes)? {
        let Some(mapping) = reservation.mappings.get_mut(&start) else {
            return Err(BAD);
        };
        for (ordinal, flags) in wanted {
            let uuid = platform.devices[*ordinal].uuid;
            let old = mapping.access.get(ordinal).copied();
            if old == Some(*flags) {
                continue;
            }
            if old.is_some() {
                let _ = platform
                    .uvm
                    .unmap_external(&platform.client, start, mapping.len, uuid);
                mapping.access.remove(ordinal);
            }
            if *flags != CUmemAccess_flags::NONE {
                mapping.map_on(platform, start, *flags, uuid)?;
                mapping.access.insert(*ordinal, *flags);
            }
        }
    }
    register(platform, base, reservation);
    Ok(())
}

impl Mapping {
    fn map_on(
        &self,
        platform: &Platform,
        start: u64,
        flags: CUmemAccess_flags,
        uuid: [u8; 16],
    ) -> Result<(), CUresult> {
        let writable = flags == CUmemAccess_flags::READWRITE;
        platform.uvm.map_external_as(
            &platform.client,
            (start, self.len, 0),
            self.physical.memory,
            &[uuid],
            writable,
        )?;
        Ok(())
    }
}

/// What a device may do at an address.
///
/// # Errors
/// 1 where nothing is mapped.
pub(crate) fn access(ordinal: usize, va: u64) -> Result<CUmemAccess_flags, CUresult> {
    let mut reserved = lock();
    let (_, reservation) = holding(&mut reserved, va, 1)?;
    let (start, mapping) = reservation.mappings.range(..=va).next_back().ok_or(BAD)?;
    if va >= start + mapping.len {
        return Err(BAD);
    }
    Ok(mapping
        .access
        .get(&ordinal)
        .copied()
        .unwrap_or(CUmemAccess_flags::NONE))
}

/// Maps everything that a device may use into a new VA space of it.
pub(crate) fn map_into(platform: &Platform, space: &Space) -> Result<(), CUresult> {
    for reservation in lock().values() {
        for (start, mapping) in &reservation.mappings {
            if let Some(flags) = mapping.access.get(&space.ordinal) {
                mapping.map_on(platform, *start, *flags, space.device.uuid)?;
            }
        }
    }
    Ok(())
}

/// Makes the registry know the runs of mappings that some device may use: copies go across mappings.
fn register(platform: &Platform, base: u64, reservation: &Reservation) {
    platform.memory.forget(base, base + reservation.len);
    let mut run: Option<(u64, u64, usize)> = None;
    let mut runs = Vec::new();
    for (start, mapping) in &reservation.mappings {
        let ordinal = mapping.physical.ordinal;
        let usable = !mapping.access.is_empty();
        match &mut run {
            Some((_, end, of)) if usable && end == start && *of == ordinal => {
                *end += mapping.len;
            }
            _ => {
                runs.extend(run.take());
                run = usable.then_some((*start, start + mapping.len, ordinal));
            }
        }
    }
    runs.extend(run);
    for (start, end, ordinal) in runs {
        let view = reservation.mirror as u64 + (start - base);
        let chunk = Chunk::seen(ordinal, start, end - start, view);
        let request = Request {
            bytes: end - start,
            align: 1,
            kind: Kind::Device,
            room: Room::Program,
            context: 0,
            flags: 0,
            pool: 0,
            handed_out: false,
        };
        platform.memory.adopt(chunk, 0, ordinal, request);
    }
}

/// What a file that stands for exported memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Export {
    /// RM client of the exporter.
    pub client: u32,
    /// Its name for the memory.
    pub object: u32,
    /// Bytes.
    pub bytes: u64,
    /// Device.
    pub uuid: [u8; 16],
    /// What it is: one of [`export`].
    pub what: u64,
}

/// Kinds of exports.
pub(crate) mod export {
    /// Physical memory of `cuMemCreate`.
    pub(crate) const PHYSICAL: u64 = 1;
    /// A memory pool.
    pub(crate) const POOL: u64 = 2;
}

/// First word of an export.
const MAGIC: u64 = u64::from_le_bytes(*b"ANTLMEM1");
/// Bytes of an export.
pub(crate) const EXPORT_BYTES: usize = 48;

impl Export {
    /// As bytes.
    pub(crate) fn encode(&self) -> [u8; EXPORT_BYTES] {
        let mut out = [0; EXPORT_BYTES];
        let words = [
            MAGIC,
            u64::from(self.client) | u64::from(self.object) << 32,
            self.bytes,
            self.what,
        ];
        for (to, word) in out.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        out[32..].copy_from_slice(&self.uuid);
        out
    }

    /// From bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| {
            let b = bytes.get(at..at + 8)?.try_into().ok()?;
            Some(u64::from_le_bytes(b))
        };
        let names = word(8)?;
        (word(0)? == MAGIC).then_some(Self {
            client: u32::try_from(names & 0xffff_ffff).ok()?,
            object: u32::try_from(names >> 32).ok()?,
            bytes: word(16)?,
            what: word(24)?,
            uuid: bytes.get(32..48)?.try_into().ok()?,
        })
    }

    /// A file that holds it.
    pub(crate) fn to_file(self) -> Result<i32, CUresult> {
        // SAFETY: a constant name.
        let fd = unsafe { libc::memfd_create(c"cuda-memory".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(CUresult::OPERATING_SYSTEM);
        }
        // SAFETY: just made.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let mut file = std::fs::File::from(fd);
        std::io::Write::write_all(&mut file, &self.encode())
            .map_err(|_| CUresult::OPERATING_SYSTEM)?;
        Ok(file.into_raw_fd())
    }

    /// What a file of the program's holds.
    ///
    /// # Errors
    /// 1 for another file.
    pub(crate) fn of_file(fd: i32) -> Result<Self, CUresult> {
        let mut bytes = [0_u8; EXPORT_BYTES];
        // SAFETY: as many bytes as the buffer has; a bad descriptor is an error.
        let got = unsafe { libc::pread(fd, bytes.as_mut_ptr().cast(), bytes.len(), 0) };
        if usize::try_from(got) != Ok(EXPORT_BYTES) {
            return Err(BAD);
        }
        Self::decode(&bytes).ok_or(BAD)
    }

    /// The device, as this process counts.
    pub(crate) fn ordinal(&self, platform: &Platform) -> Result<usize, CUresult> {
        let mut devices = platform.devices.iter();
        devices
            .position(|d| d.uuid == self.uuid)
            .ok_or(CUresult::INVALID_DEVICE)
    }
}

/// Exports physical memory as a file.
///
/// # Errors
/// 1 when it was not made for that.
pub(crate) fn export_file(handle: usize) -> Result<i32, CUresult> {
    let physical = PHYSICAL.get(handle)?.physical.clone();
    let posix = CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR;
    if physical.handle_types.0 & posix.0 == 0 {
        return Err(BAD);
    }
    let platform = platform::get()?;
    platform.client.share(physical.memory)?;
    physical.exported.store(1, Ordering::Relaxed);
    Export {
        client: platform.client.root().0,
        object: physical.memory.0,
        bytes: physical.bytes,
        uuid: platform.devices[physical.ordinal].uuid,
        what: export::PHYSICAL,
    }
    .to_file()
}

/// Imports physical memory from a file.
///
/// # Errors
/// 1 for another file, or memory that is no more.
pub(crate) fn import_file(fd: i32) -> Result<usize, CUresult> {
    let export = Export::of_file(fd)?;
    if export.what != export::PHYSICAL {
        return Err(BAD);
    }
    let platform = platform::get()?;
    let ordinal = export.ordinal(platform)?;
    let parent = platform.devices[ordinal].device;
    let memory = platform
        .client
        .dup(parent, export.client, export.object)
        .map_err(|_| BAD)?;
    name(Physical {
        ordinal,
        bytes: export.bytes,
        handle_types: CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR,
        memory,
        exported: AtomicUsize::new(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_survive_their_bytes() {
        let export = Export {
            client: 0xc1d0_0001,
            object: 0xcaf0_0002,
            bytes: 4 << 20,
            uuid: *b"0123456789abcdef",
            what: export::PHYSICAL,
        };
        assert_eq!(Export::decode(&export.encode()), Some(export));
        assert_eq!(Export::decode(&[0; EXPORT_BYTES]), None);
        assert_eq!(Export::decode(&[]), None);
    }
}
