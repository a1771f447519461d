//! Waiting for and writing memory in stream order.

use cuda_abi::driver::{
    CUdeviceptr, CUresult, CUstream, CUstreamBatchMemOpParams, CUstreamBatchMemOpType, Out,
};

use crate::core::graph::capture;
use crate::core::graph::op::Op;
use crate::core::stream;
use crate::core::stream_memop::{check, perform};
use crate::ffi::Read;

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
    // A wrong operation leaves a capture as it is.
    check(&ops)?;
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
