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

/// An operation that can be done.
enum Step {
    Wait {
        va: u64,
        value: u64,
        condition: Condition,
        wide: bool,
    },
    Write {
        va: u64,
        value: u64,
        wide: bool,
    },
}

fn wait(address: CUdeviceptr, value: u64, wide: bool, flags: u32) -> Result<Step, CUresult> {
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
    Ok(Step::Wait {
        va,
        value,
        condition,
        wide,
    })
}

fn write(address: CUdeviceptr, value: u64, wide: bool, flags: u32) -> Result<Step, CUresult> {
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    let va = word(address, if wide { 8 } else { 4 })?;
    Ok(Step::Write { va, value, wide })
}

/// What an operation asks for; nothing for those that order or flush, as all is ordered here.
fn step(op: &CUstreamBatchMemOpParams) -> Result<Option<Step>, CUresult> {
    use CUstreamBatchMemOpType as T;
    // Each member begins with the operation; then address, value and flags.
    let [kind, address, value, flags, ..] = op.words;
    let low = |word: u64| u32::try_from(word & 0xffff_ffff).unwrap_or_default();
    match T(low(kind).cast_signed()) {
        T::WAIT_VALUE_32 => wait(address, low(value).into(), false, low(flags)).map(Some),
        T::WAIT_VALUE_64 => wait(address, value, true, low(flags)).map(Some),
        T::WRITE_VALUE_32 => write(address, low(value).into(), false, low(flags)).map(Some),
        T::WRITE_VALUE_64 => write(address, value, true, low(flags)).map(Some),
        T::FLUSH_REMOTE_WRITES | T::BARRIER => Ok(None),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Whether [`perform`] would take the operations.
pub(crate) fn check(ops: &[CUstreamBatchMemOpParams]) -> Result<(), CUresult> {
    ops.iter().try_for_each(|op| step(op).map(drop))
}

/// Puts operations into a stream: all or, if one is wrong, none.
pub(crate) fn perform(target: &Target, ops: &[CUstreamBatchMemOpParams]) -> Result<(), CUresult> {
    let steps: Vec<_> = ops.iter().map(step).collect::<Result<_, _>>()?;
    for step in steps.into_iter().flatten() {
        match step {
            Step::Wait {
                va,
                value,
                condition,
                wide,
            } => target.submit(|batch| batch.acquire_if(va, value, condition, wide))?,
            Step::Write { va, value, wide } => {
                target.submit(|batch| batch.store(va, value, wide))?
            }
        };
    }
    Ok(())
}
