//! Antlerite's own controls.

use abi::vendor::IdentifyParams;

use super::Control;
use crate::fault;
use crate::object::Body;
use crate::params::{put, put_u32, u32_at};
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

/// CTRL_RESET.
pub(super) fn reset(call: &mut Control<'_>, _: &mut [u8]) -> RmResult {
    crate::inject::reset(call.kernel, call.gpu()?)
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
