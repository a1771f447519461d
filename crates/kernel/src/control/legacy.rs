//! Undocumented telemetry controls ("GSS legacy"), as far as their meaning was recovered (nv-abi.md §6), and their
//! documented kin. The values are the profile's: a virtual GPU has no sensors.

use std::sync::atomic::Ordering;

use super::Control;
use crate::params::{put_u32, u32_at};
use crate::status::{RmResult, Status};

/// P-state mask: P0.
pub(super) fn pstate(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u32(params, 0, 1);
    Ok(())
}

/// Clock domains; a non-zero word lets the client ask for the utilization.
pub(super) fn clock_domains(_: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u32(params, 4, 1);
    Ok(())
}

/// Utilization in percent: the GPU's at word 2, the memory's at word 6.
pub(super) fn utilization(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = call.gpu()?;
    let (mut busy_ns, mut busy_now) = (0_u64, false);
    for space in call.kernel.spaces() {
        if space.gpu.index == gpu.index {
            space.query();
            busy_ns = busy_ns.saturating_add(space.busy_ns.load(Ordering::Relaxed));
            busy_now |= space.busy_channels.load(Ordering::Relaxed) > 0;
        }
    }
    put_u32(params, 8, gpu.load(busy_ns, busy_now));
    put_u32(params, 24, 0);
    Ok(())
}

/// Power draw in mW at 0x94.
pub(super) fn power(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    put_u32(params, 0x94, call.gpu()?.profile.power_mw);
    Ok(())
}

/// Instructions of 44 bytes after a header of 24.
const HEADER: usize = 24;
const INSTRUCTION: usize = 44;
const MAX_INSTRUCTIONS: usize = 32;
/// Opcodes.
const TARGETS: u32 = 0x100;
const TARGET_TYPE: u32 = 0x101;
const READ_SENSOR: u32 = 0x1500;
/// `NV2080_CTRL_THERMAL_SYSTEM_TARGET_GPU`.
const TARGET_GPU: u32 = 1;

/// THERMAL_SYSTEM_EXECUTE_V2: one target, one sensor.
pub(super) fn thermal(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let celsius = call.gpu()?.profile.temperature_c;
    let count = usize::try_from(u32_at(params, 20)).unwrap_or(usize::MAX);
    if count > MAX_INSTRUCTIONS {
        return Err(Status::INVALID_ARGUMENT);
    }
    let mut done = 0;
    for slot in params[HEADER..].chunks_mut(INSTRUCTION).take(count) {
        let value = match u32_at(slot, 8) {
            TARGETS => Some((12, 1)),
            TARGET_TYPE => Some((16, TARGET_GPU)),
            READ_SENSOR => Some((16, celsius)),
            _ => None,
        };
        put_u32(slot, 4, 1);
        match value {
            Some((at, value)) => {
                put_u32(slot, 0, abi::nv::status::NV_OK);
                put_u32(slot, at, value);
                done += 1;
            }
            None => put_u32(slot, 0, Status::NOT_SUPPORTED.0),
        }
    }
    put_u32(params, 16, done);
    Ok(())
}
