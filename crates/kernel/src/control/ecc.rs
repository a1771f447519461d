//! Controls of error-correcting memory.

use super::Control;
use crate::ecc::Ecc;
use crate::params::{put, put_u32, put_u64, u32_at};
use crate::status::{RmResult, Status};

/// `NV2080_CTRL_GPU_QUERY_ECC_UNIT_STATUS`: enabled, scrub complete, supported; double and single bit errors, each
/// resettable and not.
const UNIT: usize = 40;
/// What follows the units: flags and route.
const TAIL: usize = 24;
/// The framebuffer's unit, whose number the public headers leave out.
const FRAMEBUFFER: usize = 0;
/// `NV2080_CTRL_GPU_ECC_ERROR_STATUS_*`.
const VOLATILE: u32 = 1;
const AGGREGATE: u32 = 2;

/// GPU_QUERY_ECC_STATUS: the framebuffer's unit; no other has errors.
pub(super) fn status(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let ecc = *call.gpu()?.ecc();
    let units = params.len().saturating_sub(TAIL) / UNIT;
    params[..units * UNIT].fill(0);
    if !ecc.supported {
        return Ok(());
    }
    for unit in params[..units * UNIT].chunks_exact_mut(UNIT) {
        put(unit, 0, &[u8::from(ecc.on), 1, 1]);
    }
    if let Some(unit) = params.chunks_exact_mut(UNIT).nth(FRAMEBUFFER) {
        put_u64(unit, 8, ecc.since_reset);
        put_u64(unit, 16, ecc.ever);
    }
    Ok(())
}

/// GPU_QUERY_ECC_CONFIGURATION: what is stored on the board, and its default.
pub(super) fn configuration(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = call.gpu()?;
    put_u32(params, 0, u32::from(gpu.ecc().next));
    put_u32(params, 4, u32::from(gpu.profile.ecc));
    Ok(())
}

/// GPU_SET_ECC_CONFIGURATION: holds from the next reset on.
pub(super) fn set_configuration(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let wanted = u32_at(params, 0);
    let mut ecc = call.gpu()?.ecc();
    if !ecc.supported {
        return Err(Status::NOT_SUPPORTED);
    }
    if wanted > 1 {
        return Err(Status::INVALID_ARGUMENT);
    }
    ecc.next = wanted == 1;
    Ok(())
}

/// GPU_RESET_ECC_ERROR_STATUS.
pub(super) fn clear(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let which = u32_at(params, 0);
    let mut ecc = call.gpu()?.ecc();
    if !ecc.supported {
        return Err(Status::NOT_SUPPORTED);
    }
    if which & !(VOLATILE | AGGREGATE) != 0 {
        return Err(Status::INVALID_ARGUMENT);
    }
    if which & VOLATILE != 0 {
        ecc.since_reset = 0;
    }
    if which & AGGREGATE != 0 {
        ecc.ever = 0;
    }
    Ok(())
}

/// GPU_QUERY_INFOROM_ECC_SUPPORT: the status is the answer.
pub(super) fn support(call: &mut Control<'_>, _: &mut [u8]) -> RmResult {
    supported(call).map(|_| ())
}

/// Size of ECC_GET_CLIENT_EXPOSED_COUNTERS' first form: {times of clearing, corrected and uncorrected errors of SRAM,
/// then of DRAM}. The second has uncorrected errors of DRAM as its fourth number.
const FIRST_COUNTERS: usize = 40;

/// ECC_GET_CLIENT_EXPOSED_COUNTERS: errors ever.
pub(super) fn exposed_counters(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let ecc = supported(call)?;
    params.fill(0);
    let at = if params.len() == FIRST_COUNTERS {
        32
    } else {
        24
    };
    put_u64(params, at, ecc.ever);
    Ok(())
}

/// ECC_GET_VOLATILE_COUNTS: errors since the last reset; the last number is uncorrected errors of DRAM.
pub(super) fn volatile_counts(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let ecc = supported(call)?;
    params.fill(0);
    put_u64(params, 32, ecc.since_reset);
    Ok(())
}

/// The state of a memory that has ECC.
fn supported(call: &mut Control<'_>) -> Result<Ecc, Status> {
    let ecc = *call.gpu()?.ecc();
    if ecc.supported {
        Ok(ecc)
    } else {
        Err(Status::NOT_SUPPORTED)
    }
}

/// `NV2080_CTRL_FB_REMAP_ENTRY` and how many there are: {register, time, partition, place, source, flags}.
const ENTRY: usize = 12;
const ENTRIES: usize = 512;
/// `NV2080_CTRL_FB_REMAPPED_ROW_SOURCE_DBE_FIELD`.
const DOUBLE_BIT: u8 = 3;

/// FB_GET_REMAPPED_ROWS: {count, flags (0: some are pending), entries}.
pub(super) fn remapped_rows(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let ecc = supported(call)?;
    params.fill(0);
    let total = ecc.remapped.saturating_add(ecc.pending);
    put_u32(params, 0, total.min(512));
    put_u32(params, 4, u32::from(ecc.pending > 0));
    let entries = params[8..].chunks_exact_mut(ENTRY).take(ENTRIES);
    for (entry, row) in entries.zip(0..total) {
        put(entry, 10, &[DOUBLE_BIT, u8::from(row >= ecc.remapped)]);
    }
    Ok(())
}
