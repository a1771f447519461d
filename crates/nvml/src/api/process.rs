//! Processes, and values by field number.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Done;
use crate::Return;
use crate::core::ecc::Share;
use crate::core::gpu::{Gpu, Process};
use crate::core::session::Session;
use crate::ffi::{Opt, Out};
use crate::types::{
    Device, nvmlAccountingStats_t, nvmlFieldValue_t, nvmlProcessInfo_v1_t, nvmlProcessInfo_v2_t,
    nvmlProcessUtilizationInfo_v1_t, nvmlProcessUtilizationSample_t,
    nvmlProcessesUtilizationInfo_v1_t, nvmlSample_t, version_of,
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
    /// Totals: corrected and uncorrected since the reset, then ever.
    pub(super) const ECC_TOTALS: std::ops::Range<u32> = 3..7;
    /// The same of the device memory.
    pub(super) const ECC_MEMORY: [u32; 4] = [11, 12, 22, 23];
    pub(super) const NVLINK_SPEED: u32 = 90;
    pub(super) const NVLINK_COUNT: u32 = 91;
    pub(super) const REMAPPED_CORRECTED: u32 = 142;
    pub(super) const REMAPPED_UNCORRECTED: u32 = 143;
    pub(super) const REMAPPED_PENDING: u32 = 144;
    pub(super) const REMAPPED_FAILED: u32 = 145;
    pub(super) const POWER_AVERAGE: u32 = 185;
    pub(super) const POWER_INSTANT: u32 = 186;
}

/// `nvmlValueType_t` and value.
type Value = (u32, u64);
const UNSIGNED_INT: u32 = 1;
const UNSIGNED_LONG_LONG: u32 = 3;

fn field_value(session: &Session, device: Device, gpu: &Gpu, id: u32) -> Result<Value, Return> {
    let client = session.client();
    let small = |value: u32| Ok((UNSIGNED_INT, u64::from(value)));
    // Corrected and uncorrected take turns; ever comes after since the reset.
    let count = |place: u32| -> Result<Value, Return> {
        let errors = super::ecc::errors(session, device)?;
        let value = super::ecc::pick(&errors, place % 2, place / 2)?;
        Ok((UNSIGNED_LONG_LONG, value))
    };
    match id {
        field::ECC_CURRENT => small(u32::from(gpu.errors(client).is_ok_and(|errors| errors.on))),
        field::ECC_PENDING => small(u32::from(gpu.ecc(client)?.0)),
        id if field::ECC_TOTALS.contains(&id) => count(id - field::ECC_TOTALS.start),
        id if field::ECC_MEMORY.contains(&id) => {
            let place = field::ECC_MEMORY.iter().position(|known| *known == id);
            count(u32::try_from(place.unwrap_or(0)).unwrap_or(0))
        }
        field::NVLINK_SPEED => small(gpu.links(client)?.mbps),
        field::NVLINK_COUNT => small(gpu.links(client)?.count),
        field::REMAPPED_CORRECTED => small(gpu.rows(client)?.corrected),
        field::REMAPPED_UNCORRECTED => small(gpu.rows(client)?.uncorrected),
        field::REMAPPED_PENDING => small(u32::from(gpu.rows(client)?.pending)),
        field::REMAPPED_FAILED => gpu.rows(client).and_then(|_| small(0)),
        field::POWER_AVERAGE | field::POWER_INSTANT => small(gpu.power(client)?),
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
        let answer = field_value(session, device, gpu, asked.fieldId);
        let (kind, value) = answer.unwrap_or((UNSIGNED_INT, 0));
        slot.set(nvmlFieldValue_t {
            timestamp: i64::try_from(now.as_micros()).unwrap_or(i64::MAX),
            latencyUsec: 0,
            valueType: kind,
            nvmlReturn: answer.err().unwrap_or(Return::Success) as u32,
            value,
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

/// What each process had of the GPU, as far as it was measured after `since` (µs since 1970). The kernel half measures
/// when it is asked, over the time since it was asked before: one sample for each process.
fn shares(session: &Session, device: Device, since: u64) -> Result<Vec<Share>, Return> {
    let mut shares = session.gpu(device)?.shares(session.client())?;
    shares.retain(|share| share.at_us > since);
    Ok(shares)
}

pub(crate) fn utilization(
    session: &Session,
    device: Device,
    samples: Opt<'_, nvmlProcessUtilizationSample_t>,
    count: Out<'_, u32>,
    since: u64,
) -> Done {
    let list: Vec<_> = shares(session, device, since)?
        .into_iter()
        .map(|share| nvmlProcessUtilizationSample_t {
            pid: share.pid,
            timeStamp: share.at_us,
            smUtil: share.percent,
            memUtil: 0,
            encUtil: 0,
            decUtil: 0,
        })
        .collect();
    if list.is_empty() {
        count.set(0)?;
        return Err(Return::NotFound);
    }
    samples.put_list(count, &list)
}

pub(crate) fn utilization_info(
    session: &Session,
    device: Device,
    info: Out<'_, nvmlProcessesUtilizationInfo_v1_t>,
) -> Done {
    let mut asked = info.get()?;
    if asked.version != version_of::<nvmlProcessesUtilizationInfo_v1_t>(1) {
        return Err(Return::ArgumentVersionMismatch);
    }
    let list: Vec<_> = shares(session, device, asked.lastSeenTimeStamp)?
        .into_iter()
        .map(|share| nvmlProcessUtilizationInfo_v1_t {
            timeStamp: share.at_us,
            pid: share.pid,
            smUtil: share.percent,
            memUtil: 0,
            encUtil: 0,
            decUtil: 0,
            jpgUtil: 0,
            ofaUtil: 0,
        })
        .collect();
    if list.is_empty() {
        return Err(Return::NotFound);
    }
    // Without an array, or with a short one: how many there are.
    let array = if asked.procUtilArray == 0 {
        asked.processSamplesCount = 0;
        Opt::null()
    } else {
        Opt::at_address(asked.procUtilArray)
    };
    let result = array.put_list(Out::new(&mut asked.processSamplesCount), &list);
    info.set(asked)?;
    result
}

/// One sample of power (0), of the GPU's (1) or of the memory's utilization (2): as of now.
pub(crate) fn samples(
    session: &Session,
    device: Device,
    kind: u32,
    since: u64,
    value_type: Out<'_, u32>,
    count: Out<'_, u32>,
    samples: Opt<'_, nvmlSample_t>,
) -> Done {
    const KINDS: u32 = 7;
    let gpu = session.gpu(device)?;
    let client = session.client();
    let value = match kind {
        0 => gpu.power(client)?,
        1 => gpu.utilization(client)?.0,
        2 => gpu.utilization(client)?.1,
        kind if kind < KINDS => return Err(Return::NotSupported),
        _ => return Err(Return::InvalidArgument),
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let now = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
    if now <= since {
        return Err(Return::NotFound);
    }
    value_type.set(UNSIGNED_INT)?;
    samples.put_list(
        count,
        &[nvmlSample_t {
            timeStamp: now,
            sampleValue: u64::from(value),
        }],
    )
}
