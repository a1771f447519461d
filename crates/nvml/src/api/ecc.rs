//! Error-correcting memory.

use super::Done;
use crate::Return;
use crate::core::ecc::Errors;
use crate::core::session::Session;
use crate::ffi::Out;
use crate::types::{Device, nvmlEccErrorCounts_t};

/// Errors, if ECC is on.
pub(super) fn errors(session: &Session, device: Device) -> Result<Errors, Return> {
    let errors = session.gpu(device)?.errors(session.client())?;
    if errors.on {
        Ok(errors)
    } else {
        Err(Return::NotSupported)
    }
}

/// The count of `NVML_MEMORY_ERROR_TYPE_*` (0 corrected, 1 uncorrected) of `NVML_*_ECC` (0 volatile, 1 aggregate).
pub(super) fn pick(errors: &Errors, kind: u32, counter: u32) -> Result<u64, Return> {
    let counter = usize::try_from(counter).map_err(|_| Return::InvalidArgument)?;
    let of = match kind {
        0 => errors.corrected,
        1 => errors.uncorrected,
        _ => return Err(Return::InvalidArgument),
    };
    of.get(counter).copied().ok_or(Return::InvalidArgument)
}

/// The mode now, and the one that holds after the next reset.
pub(crate) fn mode(
    session: &Session,
    device: Device,
    current: Out<'_, u32>,
    pending: Out<'_, u32>,
) -> Done {
    let gpu = session.gpu(device)?;
    let (next, _) = gpu.ecc(session.client())?;
    let now = gpu.errors(session.client()).is_ok_and(|errors| errors.on);
    current.set(u32::from(now))?;
    pending.set(u32::from(next))
}

pub(crate) fn set_mode(session: &Session, device: Device, mode: u32) -> Done {
    if mode > 1 {
        return Err(Return::InvalidArgument);
    }
    Ok(session.gpu(device)?.set_ecc(session.client(), mode == 1)?)
}

pub(crate) fn total(
    session: &Session,
    device: Device,
    kind: u32,
    counter: u32,
    count: Out<'_, u64>,
) -> Done {
    count.set(pick(&errors(session, device)?, kind, counter)?)
}

/// By place, as older tools ask: all errors are the device memory's.
pub(crate) fn detailed(
    session: &Session,
    device: Device,
    kind: u32,
    counter: u32,
    counts: Out<'_, nvmlEccErrorCounts_t>,
) -> Done {
    counts.set(nvmlEccErrorCounts_t {
        l1Cache: 0,
        l2Cache: 0,
        deviceMemory: pick(&errors(session, device)?, kind, counter)?,
        registerFile: 0,
    })
}

/// `NVML_MEMORY_LOCATION_*`: device memory, and static memory since Ampere; no other place is counted there.
pub(crate) fn by_location(
    session: &Session,
    device: Device,
    kind: u32,
    counter: u32,
    location: u32,
    count: Out<'_, u64>,
) -> Done {
    const DRAM: u32 = 2;
    const SRAM: u32 = 7;
    let errors = errors(session, device)?;
    let value = pick(&errors, kind, counter)?;
    match location {
        DRAM => count.set(value),
        SRAM => count.set(0),
        0..=6 => Err(Return::NotSupported),
        _ => Err(Return::InvalidArgument),
    }
}

pub(crate) fn clear(session: &Session, device: Device, counter: u32) -> Done {
    if counter > 1 {
        return Err(Return::InvalidArgument);
    }
    errors(session, device)?;
    session
        .gpu(device)?
        .clear_errors(session.client(), 1 << counter)
}

pub(crate) fn remapped_rows(
    session: &Session,
    device: Device,
    corrected: Out<'_, u32>,
    uncorrected: Out<'_, u32>,
    pending: Out<'_, u32>,
    failed: Out<'_, u32>,
) -> Done {
    let rows = session.gpu(device)?.rows(session.client())?;
    corrected.set(rows.corrected)?;
    uncorrected.set(rows.uncorrected)?;
    pending.set(u32::from(rows.pending))?;
    failed.set(0)
}
