//! Waiting for and writing memory in stream order.

use cuda_abi::driver::{
    CUdeviceptr, CUresult, CUstream, CUstreamBatchMemOpParams, CUstreamBatchMemOpType,
    CUstreamWaitValue_flags, Out,
};

use crate::core::copy::{End, end_of};
use crate::core::graph::capture;
use crate::core::graph::op::Op;
use crate::core::push::Condition;
use crate::core::stream::{self, Target};
use crate::ffi::Read;

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

/// A single operation.
fn single(
    s: CUstream,
    kind: CUstreamBatchMemOpType,
    address: CUdeviceptr,
    value: u64,
    flags: u32,
) -> Result<(), CUresult> {
    let mut words = [0; 6];
    words[0] = u64::from(kind.0.cast_unsigned());
    words[1] = address;
    words[2] = value;
    words[3] = u64::from(flags);
    run(s, vec![CUstreamBatchMemOpParams { words }])
}

/// Into the stream, or into the graph that it captures.
fn run(s: CUstream, ops: Vec<CUstreamBatchMemOpParams>) -> Result<(), CUresult> {
    let target = stream::resolve(s)?;
    if capture::add(&target, || Ok(Op::Memory(ops.as_slice().into())))? {
        return Ok(());
    }
    perform(&target, &ops)
}

pub(crate) fn wait_32(
    s: CUstream,
    address: CUdeviceptr,
    value: u32,
    flags: u32,
) -> Result<(), CUresult> {
    let kind = CUstreamBatchMemOpType::WAIT_VALUE_32;
    single(s, kind, address, value.into(), flags)
}

pub(crate) fn wait_64(
    s: CUstream,
    address: CUdeviceptr,
    value: u64,
    flags: u32,
) -> Result<(), CUresult> {
    let kind = CUstreamBatchMemOpType::WAIT_VALUE_64;
    single(s, kind, address, value, flags)
}

pub(crate) fn write_32(
    s: CUstream,
    address: CUdeviceptr,
    value: u32,
    flags: u32,
) -> Result<(), CUresult> {
    let kind = CUstreamBatchMemOpType::WRITE_VALUE_32;
    single(s, kind, address, value.into(), flags)
}

pub(crate) fn write_64(
    s: CUstream,
    address: CUdeviceptr,
    value: u64,
    flags: u32,
) -> Result<(), CUresult> {
    let kind = CUstreamBatchMemOpType::WRITE_VALUE_64;
    single(s, kind, address, value, flags)
}

/// At most 256 operations (CUDA Driver API 13.0, cuStreamBatchMemOp).
pub(crate) fn batch(
    s: CUstream,
    count: u32,
    ops: Out<CUstreamBatchMemOpParams>,
    flags: u32,
) -> Result<(), CUresult> {
    run(s, operations(count, ops, flags)?)
}

/// The operations of a batch.
pub(crate) fn operations(
    count: u32,
    ops: Out<CUstreamBatchMemOpParams>,
    flags: u32,
) -> Result<Vec<CUstreamBatchMemOpParams>, CUresult> {
    const MOST: u32 = 256;
    if flags != 0 || count == 0 || count > MOST {
        return Err(CUresult::INVALID_VALUE);
    }
    ops.get_all(count as usize)
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
