//! Processes, and values by field number.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Done;
use crate::Return;
use crate::core::gpu::{Gpu, Process};
use crate::core::session::Session;
use crate::ffi::{Opt, Out};
use crate::types::{
    Device, nvmlAccountingStats_t, nvmlFieldValue_t, nvmlProcessInfo_v1_t, nvmlProcessInfo_v2_t,
};
use abi::vendor;

/// "Not in an instance": MIG is off.
const NO_INSTANCE: u32 = u32::MAX;

fn list(session: &Session, device: Device) -> Result<Vec<Process>, Return> {
    Ok(session.gpu(device)?.processes(session.client())?)
}

pub(crate) fn compute_v1(
    session: &Session,
    device: Device,
    count: Out<'_, u32>,
    infos: Opt<'_, nvmlProcessInfo_v1_t>,
) -> Done {
    let values: Vec<_> = list(session, device)?
        .into_iter()
        .map(|process| nvmlProcessInfo_v1_t {
            pid: process.pid,
            usedGpuMemory: process.bytes,
        })
        .collect();
    infos.put_list(count, &values)
}

pub(crate) fn compute(
    session: &Session,
    device: Device,
    count: Out<'_, u32>,
    infos: Opt<'_, nvmlProcessInfo_v2_t>,
) -> Done {
    let values: Vec<_> = list(session, device)?
        .into_iter()
        .map(|process| nvmlProcessInfo_v2_t {
            pid: process.pid,
            usedGpuMemory: process.bytes,
            gpuInstanceId: NO_INSTANCE,
            computeInstanceId: NO_INSTANCE,
        })
        .collect();
    infos.put_list(count, &values)
}

/// Graphics and MPS: the GPU has no graphics classes, and there is no MPS server.
pub(crate) fn none<T: Copy>(
    _: &Session,
    _: Device,
    count: Out<'_, u32>,
    infos: Opt<'_, T>,
) -> Done {
    infos.put_list(count, &[])
}

/// Numbers of the fields that have a value here (`NVML_FI_DEV_*`).
mod field {
    pub(super) const ECC_CURRENT: u32 = 1;
    pub(super) const ECC_PENDING: u32 = 2;
    pub(super) const POWER_AVERAGE: u32 = 185;
    pub(super) const POWER_INSTANT: u32 = 186;
}

fn field_value(session: &Session, gpu: &Gpu, id: u32) -> Result<u32, Return> {
    let client = session.client();
    match id {
        field::ECC_CURRENT | field::ECC_PENDING => Ok(u32::from(gpu.ecc(client)?.0)),
        field::POWER_AVERAGE | field::POWER_INSTANT => Ok(gpu.power(client)?),
        _ => Err(Return::NotSupported),
    }
}

/// Each value has a result of its own.
pub(crate) fn field_values(
    session: &Session,
    device: Device,
    count: i32,
    values: Out<'_, nvmlFieldValue_t>,
) -> Done {
    const UNSIGNED_INT: u32 = 1;
    let count = usize::try_from(count)
        .ok()
        .filter(|count| *count > 0)
        .ok_or(Return::InvalidArgument)?;
    let gpu = session.gpu(device)?;
    for index in 0..count {
        let slot = values.at(index);
        let asked = slot.get()?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let answer = field_value(session, gpu, asked.fieldId);
        slot.set(nvmlFieldValue_t {
            timestamp: i64::try_from(now.as_micros()).unwrap_or(i64::MAX),
            latencyUsec: 0,
            valueType: UNSIGNED_INT,
            nvmlReturn: answer.err().unwrap_or(Return::Success) as u32,
            value: answer.map_or(0, u64::from),
            ..asked
        })?;
    }
    Ok(())
}

pub(crate) fn accounting_mode(session: &Session, device: Device, mode: Out<'_, u32>) -> Done {
    let gpu = session.gpu(device)?;
    mode.set(
        gpu.account(session.client(), vendor::ACCOUNTING_MODE, 0)?
            .value,
    )
}

pub(crate) fn set_accounting_mode(session: &Session, device: Device, mode: u32) -> Done {
    if mode > 1 {
        return Err(Return::InvalidArgument);
    }
    let gpu = session.gpu(device)?;
    gpu.account(session.client(), vendor::ACCOUNTING_SET, mode)?;
    Ok(())
}

pub(crate) fn clear_accounting(session: &Session, device: Device) -> Done {
    let gpu = session.gpu(device)?;
    gpu.account(session.client(), vendor::ACCOUNTING_CLEAR, 0)?;
    Ok(())
}

pub(crate) fn accounting_buffer(session: &Session, device: Device, size: Out<'_, u32>) -> Done {
    session.gpu(device)?;
    let records = (vendor::ACCOUNTING_BYTES - 8) / 4;
    size.set(u32::try_from(records).unwrap_or(u32::MAX))
}

pub(crate) fn accounting_pids(
    session: &Session,
    device: Device,
    count: Out<'_, u32>,
    pids: Opt<'_, u32>,
) -> Done {
    let gpu = session.gpu(device)?;
    let account = gpu.account(session.client(), vendor::ACCOUNTING_PIDS, 0)?;
    let list: Vec<u32> = (0..account.value as usize)
        .map(|slot| account.word(slot))
        .collect();
    pids.put_list(count, &list)
}

pub(crate) fn accounting_stats(
    session: &Session,
    device: Device,
    pid: u32,
    stats: Out<'_, nvmlAccountingStats_t>,
) -> Done {
    let gpu = session.gpu(device)?;
    let account = gpu.account(session.client(), vendor::ACCOUNTING_STATS, pid)?;
    let wide =
        |slot: usize| u64::from(account.word(slot)) | u64::from(account.word(slot + 1)) << 32;
    stats.set(nvmlAccountingStats_t {
        gpuUtilization: account.word(0),
        memoryUtilization: account.word(1),
        maxMemoryUsage: wide(2),
        time: wide(4),
        startTime: wide(6),
        isRunning: account.word(8),
        reserved: [0; 5],
    })
}
