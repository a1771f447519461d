//! Peer access: a device's memory mapped on another device, at the same address.

use std::sync::{Arc, Mutex};

use cuda_abi::driver::CUresult;

use super::context::{CONTEXTS, Context, Live};
use super::platform::Platform;
use super::space::Space;

/// Contexts that may reach another's memory: (accessor, owner), as handles.
static ENABLED: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

fn lock() -> std::sync::MutexGuard<'static, Vec<(usize, usize)>> {
    ENABLED
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// UUIDs of devices on which a device's memory is mapped, besides its own.
pub(crate) fn accessors_of(platform: &Platform, owner: usize) -> Vec<[u8; 16]> {
    let pairs = lock().clone();
    let mut found: Vec<[u8; 16]> = Vec::new();
    for (accessor, of) in pairs {
        let ordinals = CONTEXTS.get(accessor).ok().zip(CONTEXTS.get(of).ok());
        if let Some((accessor, of)) = ordinals
            && of.ordinal == owner
            && accessor.live().is_some()
        {
            let uuid = platform.devices[accessor.ordinal].uuid;
            if !found.contains(&uuid) {
                found.push(uuid);
            }
        }
    }
    found
}

/// Maps what the owner has on the accessor's device.
///
/// # Errors
/// 704 when that was done, 101 for contexts of one device.
pub(crate) fn enable(
    platform: &Platform,
    accessor: &Live,
    owner: &Arc<Context>,
) -> Result<(), CUresult> {
    let there = owner.live_and_well()?;
    if owner.ordinal == accessor.space.ordinal {
        return Err(CUresult::INVALID_DEVICE);
    }
    let pair = (accessor.context, owner.handle);
    {
        let mut enabled = lock();
        if enabled.contains(&pair) {
            return Err(CUresult::PEER_ACCESS_ALREADY_ENABLED);
        }
        enabled.push(pair);
    }
    let mapped = map_all(platform, owner.ordinal, &there.space, accessor.device.uuid);
    if mapped.is_err() {
        lock().retain(|p| *p != pair);
    }
    mapped
}

fn map_all(
    platform: &Platform,
    owner: usize,
    space: &Space,
    uuid: [u8; 16],
) -> Result<(), CUresult> {
    for chunk in platform.memory.device_chunks(owner, Some(space)) {
        chunk.map_on(platform, uuid)?;
    }
    Ok(())
}

/// Takes the access back, after the work that may use it.
///
/// # Errors
/// 705 when there was none.
pub(crate) fn disable(
    platform: &Platform,
    accessor: &Live,
    owner: &Arc<Context>,
) -> Result<(), CUresult> {
    {
        let mut enabled = lock();
        let pair = (accessor.context, owner.handle);
        let index = enabled.iter().position(|p| *p == pair);
        enabled.remove(index.ok_or(CUresult::PEER_ACCESS_NOT_ENABLED)?);
    }
    accessor.synchronize()?;
    let uuid = accessor.device.uuid;
    if accessors_of(platform, owner.ordinal).contains(&uuid) {
        // Other contexts of the device still have it.
        return Ok(());
    }
    let live = owner.live();
    let space = live.as_ref().map(|live| &*live.space);
    for chunk in platform.memory.device_chunks(owner.ordinal, space) {
        chunk.unmap_on(platform, uuid)?;
    }
    Ok(())
}

/// Forgets a context.
pub(crate) fn end_context(context: usize) {
    lock().retain(|(a, b)| *a != context && *b != context);
}
