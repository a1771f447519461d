//! Antlerite's own controls.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use abi::vendor::{self, IdentifyParams};

use super::Control;
use crate::fault;
use crate::object::Body;
use crate::params::{put, put_u32, put_u64, u32_at};
use crate::status::{RmResult, Status};

/// Version of the private protocol.
const PROTOCOL: u32 = 1;

/// CTRL_IDENTIFY.
pub(super) fn identify(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    const _: () = assert!(size_of::<IdentifyParams>() == 48);
    params.fill(0);
    put(params, 0, b"antlerit");
    put_u32(params, 8, PROTOCOL);
    put_u32(
        params,
        12,
        u32::try_from(call.kernel.gpus.len()).unwrap_or(u32::MAX),
    );
    put(params, 16, call.kernel.config().version_text.as_bytes());
    Ok(())
}

/// CTRL_FAULT_INFO: what killed a channel.
pub(super) fn fault_info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let handle = u32_at(params, 0);
    let Body::Channel(channel) = call.kernel.body(&call.file.owner, call.client, handle)? else {
        return Err(Status::INVALID_CHANNEL);
    };
    let record = channel
        .fault
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .clone();
    put(
        params,
        0,
        &fault::info_bytes(&fault::info(handle, record.as_ref())),
    );
    Ok(())
}

/// CTRL_ACCOUNTING.
pub(super) fn accounting(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = call.gpu()?;
    let mut accounts = gpu.accounts();
    let value = u32_at(params, 4);
    match u32_at(params, 0) {
        vendor::ACCOUNTING_MODE => put_u32(params, 4, u32::from(accounts.is_on())),
        vendor::ACCOUNTING_SET => accounts.set(value != 0),
        vendor::ACCOUNTING_CLEAR => accounts.clear(),
        vendor::ACCOUNTING_PIDS => {
            let pids = accounts.pids();
            put_u32(params, 4, u32::try_from(pids.len()).unwrap_or(0));
            for (slot, pid) in params[8..].chunks_exact_mut(4).zip(pids) {
                put_u32(slot, 0, pid);
            }
        }
        vendor::ACCOUNTING_STATS => {
            let record = accounts.of(value).ok_or(Status::OBJECT_NOT_FOUND)?;
            let time = record.time.as_nanos().max(1);
            let percent = u128::from(record.busy_ns) * 100 / time;
            put_u32(params, 8, u32::try_from(percent.min(100)).unwrap_or(100));
            put_u32(params, 12, 0);
            put_u64(params, 16, record.peak);
            let milliseconds = u64::try_from(record.time.as_millis()).unwrap_or(u64::MAX);
            // NVML: 0 as long as the process runs.
            let running = record.contexts > 0;
            put_u64(params, 24, if running { 0 } else { milliseconds });
            put_u64(params, 32, record.start_us);
            put_u32(params, 40, u32::from(running));
        }
        _ => return Err(Status::INVALID_ARGUMENT),
    }
    Ok(())
}

/// CTRL_RESET.
pub(super) fn reset(call: &mut Control<'_>, _: &mut [u8]) -> RmResult {
    crate::inject::reset(call.kernel, call.gpu()?)
}

/// CTRL_LINKS.
pub(super) fn links(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let several = call.kernel.gpus.len() > 1;
    let profile = &call.gpu()?.profile;
    let active = if several { profile.nvlinks } else { 0 };
    for (slot, value) in params.chunks_exact_mut(4).zip([
        profile.nvlinks,
        active,
        profile.nvlink_version,
        profile.nvlink_mbps,
    ]) {
        put_u32(slot, 0, value);
    }
    Ok(())
}

/// CTRL_SHARES.
pub(super) fn shares(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = call.gpu()?;
    let mut busy: BTreeMap<u32, (u64, bool)> = BTreeMap::new();
    for space in call.kernel.spaces() {
        if space.gpu.index == gpu.index {
            space.query();
            let entry = busy.entry(space.owner.pid).or_default();
            entry.0 = entry
                .0
                .saturating_add(space.busy_ns.load(Ordering::Relaxed));
            entry.1 |= space.busy_channels.load(Ordering::Relaxed) > 0;
        }
    }
    params.fill(0);
    let mut count = 0;
    for (slot, share) in params[8..].chunks_exact_mut(16).zip(gpu.shares(&busy)) {
        put_u32(slot, 0, share.pid);
        put_u32(slot, 4, share.percent);
        put_u64(slot, 8, share.at_us);
        count += 1;
    }
    put_u32(params, 0, count);
    Ok(())
}

/// CTRL_BOARD: power limit and clocks, the profile's.
pub(super) fn board(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let profile = &call.gpu()?.profile;
    for (slot, value) in params.chunks_exact_mut(4).zip([
        profile.power_limit_mw,
        profile.sm_clock_mhz,
        profile.sm_clock_mhz,
        profile.memory_clock_mhz,
        profile.memory_clock_mhz,
    ]) {
        put_u32(slot, 0, value);
    }
    Ok(())
}
