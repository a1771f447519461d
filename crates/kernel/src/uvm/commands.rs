//! Handlers of the UVM commands. Layouts: `abi::nv::uvm_params`.

use std::sync::Arc;

use abi::nv::uvm::CPU_UUID;
use abi::nv::uvm_params::{
    UVM_MIGRATE_PARAMS, UVM_REGISTER_CHANNEL_PARAMS, UVM_REGISTER_GPU_PARAMS,
};

use super::ranges::{ExternalMap, Kind, Managed, Range};
use super::registered::Registered;
use super::track::{Change, Tracker};
use super::{Command, State};
use crate::memory::{Charge, PAGE};
use crate::object::Body;
use crate::params::{load, put_u64, store, u32_at, u64_at};
use crate::status::{RmResult, Status};
use crate::vaspace::check_range;

/// Bytes of `UvmGpuMappingAttributes`.
const ATTRIBUTES: usize = 36;
/// `UvmGpuMappingTypeReadOnly`.
const READ_ONLY: u32 = 3;
/// Range groups of a file.
const MAX_GROUPS: usize = 1 << 16;
/// Channels of a file.
const MAX_CHANNELS: usize = 4096;

fn uuid_at(arg: &[u8], at: usize) -> [u8; 16] {
    let mut uuid = [0; 16];
    if let Some(bytes) = arg.get(at..at + 16) {
        uuid.copy_from_slice(bytes);
    }
    uuid
}

/// Index of a GPU that is registered with the file.
fn registered(command: &Command<'_>, state: &State, uuid: &[u8; 16]) -> RmResult<u32> {
    let gpu = command
        .kernel
        .gpu_by_uuid(uuid)
        .ok_or(Status::INVALID_DEVICE)?;
    if state.gpus.contains(&gpu.index) {
        Ok(gpu.index)
    } else {
        Err(Status::INVALID_DEVICE)
    }
}

pub(super) fn initialize(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    // 1 DISABLE_HMM, 2 MULTI_PROCESS_SHARING_MODE.
    let flags = u64_at(arg, 0);
    if flags & !3 != 0 {
        return Err(Status::INVALID_ARGUMENT);
    }
    state.hmm = flags == 0;
    state.initialized = true;
    Ok(())
}

pub(super) fn pageable(_: &mut Command<'_>, _: &mut State, arg: &mut [u8]) -> RmResult {
    if let Some(flag) = arg.first_mut() {
        *flag = 0;
    }
    Ok(())
}

pub(super) fn pageable_on_gpu(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    registered(command, state, &uuid_at(arg, 0))?;
    if let Some(flag) = arg.get_mut(16) {
        *flag = 0;
    }
    Ok(())
}

pub(super) fn register_gpu(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let mut params: UVM_REGISTER_GPU_PARAMS = load(arg);
    let gpu = command
        .kernel
        .gpu_by_uuid(&params.gpu_uuid)
        .ok_or(Status::INVALID_DEVICE)?;
    state.gpus.insert(gpu.index);
    params.numaEnabled = 0;
    params.numaNodeId = -1;
    store(arg, &params);
    Ok(())
}

pub(super) fn unregister_gpu(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let gpu = registered(command, state, &uuid_at(arg, 0))?;
    drop_space(state, gpu);
    state.gpus.remove(&gpu);
    Ok(())
}

/// Takes a space out, with all that is mapped there.
fn drop_space(state: &mut State, gpu: u32) {
    if let Some(tracker) = &state.tracker {
        tracker.remove_gpu(gpu);
    }
    let Some(space) = state.spaces.remove(&gpu) else {
        return;
    };
    for (base, range) in &mut state.ranges {
        match &mut range.kind {
            Kind::Managed(_) | Kind::SemaphorePool(_) => {
                // Fails only when the space is dead.
                let _ = space.unmap(*base);
            }
            Kind::External(maps) => {
                maps.retain(|map| {
                    if map.gpu == gpu {
                        let _ = space.unmap(map.base);
                    }
                    map.gpu != gpu
                });
            }
        }
    }
}

pub(super) fn register_space(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let gpu = registered(command, state, &uuid_at(arg, 0))?;
    command.control?;
    if state.spaces.contains_key(&gpu) {
        return Err(Status::INVALID_DEVICE);
    }
    let (client, handle) = (u32_at(arg, 20), u32_at(arg, 24));
    let Body::VaSpace(space) = command.kernel.body(&command.file.owner, client, handle)? else {
        return Err(Status::INVALID_OBJECT);
    };
    if space.gpu.index != gpu {
        return Err(Status::INVALID_DEVICE);
    }
    space.start()?;
    let space = Registered::claim(space)?;
    let memory = state.memory(command.kernel)?;
    if state.tracker.is_none() {
        // Faults of GPUs are counted where they can be; the memory is the same without.
        state.tracker = Tracker::start(None, Arc::clone(&memory), false).ok();
        for (base, range) in &state.ranges {
            if let (Some(tracker), Kind::Managed(_)) = (&state.tracker, &range.kind) {
                let _ = tracker.add_range(*base, range.len);
            }
        }
    }
    let tracker = state.tracker.clone();
    let tracker = match tracker.map(|t| (t.add_gpu(&space.gpu, space.space()), t)) {
        None => None,
        Some((Ok(()), tracker)) => Some(tracker),
        Some((Err(_), tracker)) if tracker.coherent => None,
        Some((Err(status), _)) => return Err(status),
    };
    let mut done = Vec::new();
    let mut failed = None;
    for (base, range) in state.ranges.iter().filter(|(_, r)| r.is_own_memory()) {
        if let Err(status) = space.map(*base, range.len, &memory, *base, true) {
            failed = Some(status);
            break;
        }
        done.push(*base);
    }
    if failed.is_none()
        && let Some(tracker) = &tracker
    {
        failed = tracker.add_ranges_of(gpu).err();
    }
    if let Some(status) = failed {
        for base in done {
            let _ = space.unmap(base);
        }
        if let Some(tracker) = &tracker {
            tracker.remove_gpu(gpu);
        }
        return Err(status);
    }
    if state.hmm
        && let Some(host) = space.faults().and_then(|faults| faults.host)
    {
        crate::host_memory::serve(host, command.file.owner.pid);
    }
    state.spaces.insert(gpu, Arc::new(space));
    Ok(())
}

pub(super) fn unregister_space(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let gpu = registered(command, state, &uuid_at(arg, 0))?;
    if !state.spaces.contains_key(&gpu) {
        return Err(Status::INVALID_DEVICE);
    }
    drop_space(state, gpu);
    Ok(())
}

pub(super) fn register_channel(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let params: UVM_REGISTER_CHANNEL_PARAMS = load(arg);
    let gpu = registered(command, state, &params.gpuUuid)?;
    if !state.spaces.contains_key(&gpu) {
        return Err(Status::INVALID_DEVICE);
    }
    let Body::Channel(_) =
        command
            .kernel
            .body(&command.file.owner, params.hClient, params.hChannel)?
    else {
        return Err(Status::INVALID_CHANNEL);
    };
    if state.channels.len() >= MAX_CHANNELS {
        return Err(Status::INSUFFICIENT_RESOURCES);
    }
    if !state.channels.insert((params.hClient, params.hChannel)) {
        return Err(Status::IN_USE);
    }
    Ok(())
}

pub(super) fn unregister_channel(
    _: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    // {uuid, hClient, hChannel, status} before 590, {hClient, hChannel, status} since.
    let at = arg.len().saturating_sub(12);
    if state
        .channels
        .remove(&(u32_at(arg, at), u32_at(arg, at + 4)))
    {
        Ok(())
    } else {
        Err(Status::INVALID_CHANNEL)
    }
}

pub(super) fn create_external(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    let (base, len) = (u64_at(arg, 0), u64_at(arg, 8));
    check_range(base, len)?;
    if state.overlaps(base, len) {
        return Err(Status::UVM_ADDRESS_IN_USE);
    }
    if state.ranges.len() >= super::MAX_RANGES {
        return Err(Status::INSUFFICIENT_RESOURCES);
    }
    state.ranges.insert(
        base,
        Range {
            len,
            kind: Kind::External(Vec::new()),
        },
    );
    Ok(())
}

/// The per-GPU attributes at `at`: GPU index and whether it may write.
fn attributes(
    command: &Command<'_>,
    state: &State,
    arg: &[u8],
    at: usize,
    count: u64,
) -> RmResult<Vec<(u32, bool)>> {
    let most = arg.len().saturating_sub(at) / ATTRIBUTES;
    let count = usize::try_from(count)
        .ok()
        .filter(|c| *c <= most)
        .ok_or(Status::INVALID_ARGUMENT)?;
    let mut out: Vec<(u32, bool)> = Vec::new();
    for slot in 0..count {
        let at = at + slot * ATTRIBUTES;
        let gpu = registered(command, state, &uuid_at(arg, at))?;
        if !state.spaces.contains_key(&gpu) || out.iter().any(|(g, _)| *g == gpu) {
            return Err(Status::INVALID_DEVICE);
        }
        out.push((gpu, u32_at(arg, at + 16) != READ_ONLY));
    }
    Ok(out)
}

/// MAP_EXTERNAL_ALLOCATION: {base, length, offset, attributes[], count, rmCtrlFd, hClient, hMemory, status}.
pub(super) fn map_external(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let end = arg.len();
    let (base, len, offset) = (u64_at(arg, 0), u64_at(arg, 8), u64_at(arg, 16));
    let count = u64_at(arg, end - 24);
    command.control?;
    let (client, handle) = (u32_at(arg, end - 12), u32_at(arg, end - 8));
    check_range(base, len)?;
    let wanted = attributes(command, state, &arg[..end - 24], 24, count)?;
    if wanted.is_empty() {
        return Err(Status::INVALID_ARGUMENT);
    }
    let memory = command.kernel.memory(&command.file.owner, client, handle)?;
    if offset % PAGE != 0 || offset.checked_add(len).is_none_or(|e| e > memory.len()) {
        return Err(Status::INVALID_OFFSET);
    }
    let spaces = state.spaces.clone();
    let (_, range) = state.range_of(base, len)?;
    let Kind::External(maps) = &mut range.kind else {
        return Err(Status::INVALID_ADDRESS);
    };
    // What was mapped there before gives way; only whole mappings can.
    let overlaps = |m: &ExternalMap| {
        wanted.iter().any(|(gpu, _)| *gpu == m.gpu) && m.base < base + len && base < m.base + m.len
    };
    if maps
        .iter()
        .any(|m| overlaps(m) && (m.base < base || m.base + m.len > base + len))
    {
        return Err(Status::UVM_ADDRESS_IN_USE);
    }
    maps.retain(|m| {
        let gone = overlaps(m);
        if gone && let Some(space) = spaces.get(&m.gpu) {
            let _ = space.unmap(m.base);
        }
        !gone
    });
    let mut done: Vec<u32> = Vec::new();
    for (gpu, write) in wanted {
        let mapped = match spaces.get(&gpu) {
            Some(space) => space.map(base, len, &memory, offset, write),
            None => Err(Status::INVALID_DEVICE),
        };
        if let Err(status) = mapped {
            for gpu in &done {
                if let Some(space) = spaces.get(gpu) {
                    let _ = space.unmap(base);
                }
            }
            maps.retain(|m| !(m.base == base && done.contains(&m.gpu)));
            return Err(status);
        }
        done.push(gpu);
        maps.push(ExternalMap { gpu, base, len });
    }
    Ok(())
}

pub(super) fn unmap_external(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let (base, len) = (u64_at(arg, 0), u64_at(arg, 8));
    let gpu = registered(command, state, &uuid_at(arg, 16))?;
    let space = state
        .spaces
        .get(&gpu)
        .cloned()
        .ok_or(Status::INVALID_DEVICE)?;
    let (_, range) = state.range_of(base, len)?;
    let Kind::External(maps) = &mut range.kind else {
        return Err(Status::INVALID_ADDRESS);
    };
    let inside = |m: &ExternalMap| m.gpu == gpu && m.base >= base && m.base + m.len <= base + len;
    let touched = |m: &ExternalMap| m.gpu == gpu && m.base < base + len && base < m.base + m.len;
    if maps.iter().any(|m| touched(m) && !inside(m)) {
        return Err(Status::INVALID_ADDRESS);
    }
    maps.retain(|m| {
        let gone = inside(m);
        if gone {
            let _ = space.unmap(m.base);
        }
        !gone
    });
    Ok(())
}

/// FREE: a whole external range or semaphore pool; managed ranges too, for doors that cannot see `munmap`.
pub(super) fn free(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    let base = u64_at(arg, 0);
    let len = (arg.len() >= 24).then(|| u64_at(arg, 8));
    let range = state.ranges.get(&base).ok_or(Status::INVALID_ADDRESS)?;
    if len.is_some_and(|len| len != range.len) {
        return Err(Status::INVALID_ADDRESS);
    }
    state.remove(base);
    Ok(())
}

/// ALLOC_SEMAPHORE_POOL: {base, length, attributes[], count, status}. Every registered space maps it.
pub(super) fn semaphore_pool(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let end = arg.len();
    let (base, len) = (u64_at(arg, 0), u64_at(arg, 8));
    check_range(base, len)?;
    attributes(command, state, &arg[..end - 16], 16, u64_at(arg, end - 16))?;
    if state.overlaps(base, len) {
        return Err(Status::UVM_ADDRESS_IN_USE);
    }
    let charge = Charge::take(&command.kernel.services.host, len)?;
    let memory = state.memory(command.kernel)?;
    let range = Range {
        len,
        kind: Kind::SemaphorePool(charge),
    };
    state.insert(base, range, &memory)
}

pub(super) fn validate(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    let (base, len) = (u64_at(arg, 0), u64_at(arg, 8));
    match state.ranges.get(&base) {
        Some(range) if range.len == len && matches!(range.kind, Kind::Managed(_)) => {}
        _ => return Err(Status::INVALID_ADDRESS),
    }
    match &state.tracker {
        Some(tracker) if !tracker.coherent => tracker.add_range(base, len),
        Some(_) | None => Ok(()),
    }
}

pub(super) fn create_group(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    if state.groups.len() >= MAX_GROUPS {
        return Err(Status::INSUFFICIENT_RESOURCES);
    }
    state.next_group += 1;
    let id = state.next_group;
    state.groups.insert(id);
    put_u64(arg, 0, id);
    Ok(())
}

pub(super) fn destroy_group(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    let id = u64_at(arg, 0);
    if !state.groups.remove(&id) {
        return Err(Status::OBJECT_NOT_FOUND);
    }
    for range in state.ranges.values_mut() {
        if let Kind::Managed(managed) = &mut range.kind
            && managed.group == id
        {
            managed.group = 0;
        }
    }
    Ok(())
}

/// Runs `change` on every managed range that the span touches; the span must be covered by managed ranges.
fn each_managed(
    state: &mut State,
    base: u64,
    len: u64,
    mut change: impl FnMut(&mut Managed),
) -> RmResult {
    let end = base
        .checked_add(len)
        .filter(|e| *e > base && *e <= super::ADDRESS_SPACE)
        .ok_or(Status::INVALID_ADDRESS)?;
    let mut at = base;
    while at < end {
        let (start, range) = state.range_of(at, 1)?;
        if !matches!(range.kind, Kind::Managed(_)) {
            return Err(Status::INVALID_ADDRESS);
        }
        at = start + range.len;
    }
    let mut at = base;
    while at < end {
        let (start, range) = state.range_of(at, 1)?;
        if let Kind::Managed(managed) = &mut range.kind {
            change(managed);
        }
        at = start + range.len;
    }
    Ok(())
}

pub(super) fn set_group(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    let (id, base, len) = (u64_at(arg, 0), u64_at(arg, 8), u64_at(arg, 16));
    if id != 0 && !state.groups.contains(&id) {
        return Err(Status::OBJECT_NOT_FOUND);
    }
    each_managed(state, base, len, |m| m.group = id)
}

/// PREVENT and ALLOW_MIGRATION_RANGE_GROUPS: {ids[32], count}. Coherent memory does not migrate.
pub(super) fn known_groups(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    let count = usize::try_from(u64_at(arg, 256)).unwrap_or(usize::MAX);
    if count > 32 {
        return Err(Status::INVALID_ARGUMENT);
    }
    let known = (0..count).all(|slot| state.groups.contains(&u64_at(arg, slot * 8)));
    if known {
        Ok(())
    } else {
        Err(Status::OBJECT_NOT_FOUND)
    }
}

/// A processor: the CPU (none) or a registered GPU.
fn processor(command: &Command<'_>, state: &State, uuid: &[u8; 16]) -> RmResult<Option<u32>> {
    if *uuid == CPU_UUID {
        Ok(None)
    } else {
        registered(command, state, uuid).map(Some)
    }
}

/// Tells the tracker of advice on a managed span.
fn advise(state: &State, arg: &[u8], change: Change) -> RmResult {
    match &state.tracker {
        Some(tracker) => tracker.advise(u64_at(arg, 0), u64_at(arg, 8), change),
        None => Ok(()),
    }
}

pub(super) fn set_preferred(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let uuid = uuid_at(arg, 16);
    let place = processor(command, state, &uuid)?;
    each_managed(state, u64_at(arg, 0), u64_at(arg, 8), |m| {
        m.preferred = Some(uuid)
    })?;
    advise(state, arg, Change::Preferred(Some(place)))
}

pub(super) fn unset_preferred(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    each_managed(state, u64_at(arg, 0), u64_at(arg, 8), |m| {
        m.preferred = None
    })?;
    advise(state, arg, Change::Preferred(None))
}

pub(super) fn enable_duplication(
    _: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    each_managed(state, u64_at(arg, 0), u64_at(arg, 8), |m| {
        m.duplicate = true
    })?;
    advise(state, arg, Change::Duplicate(true))
}

pub(super) fn disable_duplication(
    _: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    each_managed(state, u64_at(arg, 0), u64_at(arg, 8), |m| {
        m.duplicate = false
    })?;
    advise(state, arg, Change::Duplicate(false))
}

pub(super) fn set_accessed_by(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let uuid = uuid_at(arg, 16);
    let place = processor(command, state, &uuid)?;
    each_managed(state, u64_at(arg, 0), u64_at(arg, 8), |m| {
        m.accessed_by.insert(uuid);
    })?;
    advise(state, arg, Change::AccessedBy(place, true))
}

pub(super) fn unset_accessed_by(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let uuid = uuid_at(arg, 16);
    let place = processor(command, state, &uuid)?;
    each_managed(state, u64_at(arg, 0), u64_at(arg, 8), |m| {
        m.accessed_by.remove(&uuid);
    })?;
    advise(state, arg, Change::AccessedBy(place, false))
}

/// DISCARD: the bytes of a managed span may be lost. Tracked blocks that lie within are forgotten, so nothing of them moves;
/// coherent memory keeps them.
pub(super) fn discard(_: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    let (base, len) = (u64_at(arg, 0), u64_at(arg, 8));
    // 1 UNMAP.
    if u64_at(arg, 16) & !1 != 0 {
        return Err(Status::INVALID_ARGUMENT);
    }
    each_managed(state, base, len, |_| {})?;
    if let Some(tracker) = &state.tracker {
        tracker.discard(base, len);
    }
    Ok(())
}

/// TOOLS_FLUSH_EVENTS: entries are in the queue before whoever waited for the page goes on.
pub(super) fn flush_events(_: &mut Command<'_>, _: &mut State, _: &mut [u8]) -> RmResult {
    Ok(())
}

/// MIGRATE: tracked memory moves; coherent memory is everywhere at once, and only the destination is remembered. Then
/// the semaphore is released.
pub(super) fn migrate(command: &mut Command<'_>, state: &mut State, arg: &mut [u8]) -> RmResult {
    let mut params: UVM_MIGRATE_PARAMS = load(arg);
    let place = processor(command, state, &params.destinationUuid)?;
    // 1 ASYNC.
    if params.flags & !1 != 0 {
        return Err(Status::INVALID_ARGUMENT);
    }
    let semaphore = params.semaphoreAddress;
    if semaphore != 0 {
        let (_, range) = state.range_of(semaphore, 4)?;
        if !semaphore.is_multiple_of(4) || !matches!(range.kind, Kind::SemaphorePool(_)) {
            return Err(Status::INVALID_ADDRESS);
        }
    }
    let destination = params.destinationUuid;
    each_managed(state, params.base, params.length, |m| {
        m.resident = Some(destination)
    })?;
    if let Some(tracker) = &state.tracker {
        tracker.migrate(params.base, params.length, place)?;
    }
    if semaphore != 0 {
        let memory = state.memory(command.kernel)?;
        if !memory.write(semaphore, &params.semaphorePayload.to_le_bytes()) {
            return Err(Status::INVALID_ADDRESS);
        }
    }
    params.userSpaceStart = 0;
    params.userSpaceLength = 0;
    store(arg, &params);
    Ok(())
}

pub(super) fn migrate_group(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let (id, uuid) = (u64_at(arg, 0), uuid_at(arg, 8));
    let place = processor(command, state, &uuid)?;
    if !state.groups.contains(&id) {
        return Err(Status::OBJECT_NOT_FOUND);
    }
    for (base, range) in &mut state.ranges {
        if let Kind::Managed(managed) = &mut range.kind
            && managed.group == id
        {
            managed.resident = Some(uuid);
            if let Some(tracker) = &state.tracker {
                tracker.migrate(*base, range.len, place)?;
            }
        }
    }
    Ok(())
}

/// Two registered GPUs, smaller index first.
fn pair(command: &Command<'_>, state: &State, arg: &[u8]) -> RmResult<(u32, u32)> {
    let a = registered(command, state, &uuid_at(arg, 0))?;
    let b = registered(command, state, &uuid_at(arg, 16))?;
    if a == b {
        return Err(Status::INVALID_DEVICE);
    }
    Ok((a.min(b), a.max(b)))
}

pub(super) fn enable_peer(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let pair = pair(command, state, arg)?;
    if state.peers.insert(pair) {
        Ok(())
    } else {
        Err(Status::INVALID_DEVICE)
    }
}

pub(super) fn disable_peer(
    command: &mut Command<'_>,
    state: &mut State,
    arg: &mut [u8],
) -> RmResult {
    let pair = pair(command, state, arg)?;
    if state.peers.remove(&pair) {
        Ok(())
    } else {
        Err(Status::INVALID_DEVICE)
    }
}
