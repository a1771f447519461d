//! Waiting for and writing memory in stream order.

use cuda_abi::driver::{
    CUdeviceptr, CUresult, CUstreamBatchMemOpParams, CUstreamBatchMemOpType,
    CUstreamWaitValue_flags,
};

use super::copy::{End, end_of};
use super::push::Condition;
use super::stream::Target;

/// The address of a word that the GPU reaches.
fn word(address: CUdeviceptr, bytes: u64) -> Result<u64, CUresult> {
    match end_of(address, bytes, true)? {
        End::Gpu { va, .. } if va.is_multiple_of(bytes) => Ok(va),
        End::Gpu { .. } | End::Pageable(_) => Err(CUresult::INVALID_VALUE),
    }
}

fn wait(
    target: &Target,
    address: CUdeviceptr,
    value: u64,
    wide: bool,
    flags: u32,
) -> Result<(), CUresult> {
    use CUstreamWaitValue_flags as F;
    // Flushing remote writes is asked for by a bit of its own, and there is nothing to flush.
    let condition =
        match CUstreamWaitValue_flags((flags & !F::FLUSH.0.cast_unsigned()).cast_signed()) {
            F::GEQ => Condition::CircularGeq,
            F::EQ => Condition::Equal,
            F::AND => Condition::And,
            F::NOR => Condition::Nor,
            _ => return Err(CUresult::INVALID_VALUE),
        };
    let va = word(address, if wide { 8 } else { 4 })?;
    target.submit(|batch| batch.acquire_if(va, value, condition, wide))?;
    Ok(())
}

fn write(
    target: &Target,
    address: CUdeviceptr,
    value: u64,
    wide: bool,
    flags: u32,
) -> Result<(), CUresult> {
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    let va = word(address, if wide { 8 } else { 4 })?;
    target.submit(|batch| batch.store(va, value, wide))?;
    Ok(())
}

/// Puts operations into a stream.
pub(crate) fn perform(target: &Target, ops: &[CUstreamBatchMemOpParams]) -> Result<(), CUresult> {
    use CUstreamBatchMemOpType as T;
    for op in ops {
        // Each member begins with the operation; then address, value and flags.
        let [kind, address, value, flags, ..] = op.words;
        let low = |word: u64| u32::try_from(word & 0xffff_ffff).unwrap_or_default();
        match T(low(kind).cast_signed()) {
            T::WAIT_VALUE_32 => wait(target, address, low(value).into(), false, low(flags))?,
            T::WAIT_VALUE_64 => wait(target, address, value, true, low(flags))?,
            T::WRITE_VALUE_32 => write(target, address, low(value).into(), false, low(flags))?,
            T::WRITE_VALUE_64 => write(target, address, value, true, low(flags))?,
            T::FLUSH_REMOTE_WRITES | T::BARRIER => {}
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    Ok(())
}
