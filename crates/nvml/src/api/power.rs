//! Power, clocks, temperature.

use super::Done;
use crate::Return;
use crate::core::session::Session;
use crate::ffi::Out;
use crate::types::{Device, nvmlTemperature_v1_t, version_of};

/// `NVML_TEMPERATURE_GPU`, the only sensor.
const SENSOR_GPU: u32 = 0;

pub(crate) fn temperature(
    session: &Session,
    device: Device,
    sensor: u32,
    celsius: Out<'_, u32>,
) -> Done {
    if sensor != SENSOR_GPU {
        return Err(Return::InvalidArgument);
    }
    celsius.set(session.gpu(device)?.temperature(session.client())?)
}

pub(crate) fn temperature_versioned(
    session: &Session,
    device: Device,
    value: Out<'_, nvmlTemperature_v1_t>,
) -> Done {
    let asked = value.get()?;
    if asked.version != version_of::<nvmlTemperature_v1_t>(1) {
        return Err(Return::ArgumentVersionMismatch);
    }
    if asked.sensorType != SENSOR_GPU {
        return Err(Return::InvalidArgument);
    }
    let celsius = session.gpu(device)?.temperature(session.client())?;
    value.set(nvmlTemperature_v1_t {
        temperature: celsius.cast_signed(),
        ..asked
    })
}

pub(crate) fn performance_state(session: &Session, device: Device, state: Out<'_, u32>) -> Done {
    state.set(session.gpu(device)?.pstate(session.client())?)
}

pub(crate) fn usage(session: &Session, device: Device, milliwatts: Out<'_, u32>) -> Done {
    milliwatts.set(session.gpu(device)?.power(session.client())?)
}

/// One limit: it is the default, is enforced, and cannot be changed.
pub(crate) fn limit(session: &Session, device: Device, milliwatts: Out<'_, u32>) -> Done {
    milliwatts.set(session.gpu(device)?.board(session.client())?.power_limit)
}

/// Always on; the limit cannot be changed.
pub(crate) fn management_mode(session: &Session, device: Device, mode: Out<'_, u32>) -> Done {
    session.gpu(device)?;
    mode.set(1)
}

pub(crate) fn limits(
    session: &Session,
    device: Device,
    least: Out<'_, u32>,
    most: Out<'_, u32>,
) -> Done {
    let limit = session.gpu(device)?.board(session.client())?.power_limit;
    least.set(limit)?;
    most.set(limit)
}

/// `nvmlClocksEventReasonGpuIdle`: nothing else holds nominal clocks back.
const IDLE: u64 = 1;

pub(crate) fn clock_reasons(session: &Session, device: Device, reasons: Out<'_, u64>) -> Done {
    let (busy, _) = session.gpu(device)?.utilization(session.client())?;
    reasons.set(if busy == 0 { IDLE } else { 0 })
}

pub(crate) fn known_clock_reasons(
    session: &Session,
    device: Device,
    reasons: Out<'_, u64>,
) -> Done {
    session.gpu(device)?;
    reasons.set(IDLE)
}

/// Clock now and at most, MHz, of `NVML_CLOCK_GRAPHICS`, `_SM` and `_MEM`.
fn clocks(session: &Session, device: Device, kind: u32) -> Result<(u32, u32), Return> {
    let board = session.gpu(device)?.board(session.client())?;
    match kind {
        0 | 1 => Ok(board.sm_clock),
        2 => Ok(board.memory_clock),
        3 => Err(Return::NotSupported),
        _ => Err(Return::InvalidArgument),
    }
}

pub(crate) fn clock(session: &Session, device: Device, kind: u32, clock: Out<'_, u32>) -> Done {
    clock.set(clocks(session, device, kind)?.0)
}

pub(crate) fn max_clock(session: &Session, device: Device, kind: u32, clock: Out<'_, u32>) -> Done {
    clock.set(clocks(session, device, kind)?.1)
}

/// `NVML_CLOCK_ID_CURRENT` and `_CUSTOMER_BOOST_MAX`; there are no application clocks.
pub(crate) fn clock_by_id(
    session: &Session,
    device: Device,
    kind: u32,
    id: u32,
    clock: Out<'_, u32>,
) -> Done {
    let (now, most) = clocks(session, device, kind)?;
    match id {
        0 => clock.set(now),
        1 | 2 => Err(Return::NotSupported),
        3 => clock.set(most),
        _ => Err(Return::InvalidArgument),
    }
}
