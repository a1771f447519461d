//! Setting memory. Values are bytes, as in `memset`.

use crate::context;
use crate::driver::{cu, cu_by_stream};
use crate::table::DefaultStream;
use cuda_abi::runtime::{CudaError, cudaExtent, cudaPitchedPtr, cudaStream_t};

fn byte(value: i32) -> u8 {
    value.to_le_bytes()[0]
}

/// `cudaMemset`.
pub(crate) fn linear(
    ds: DefaultStream,
    address: u64,
    value: i32,
    bytes: usize,
) -> Result<(), CudaError> {
    context::ensure()?;
    if bytes == 0 {
        return Ok(());
    }
    cu_by_stream!(
        ds,
        cuMemsetD8_v2 | cuMemsetD8_v2_ptds(address, byte(value), bytes)
    )
}

/// `cudaMemsetAsync`.
pub(crate) fn linear_async(
    address: u64,
    value: i32,
    bytes: usize,
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    context::ensure()?;
    if bytes == 0 {
        return Ok(());
    }
    cu!(cuMemsetD8Async(address, byte(value), bytes, stream))
}

/// `cudaMemset2D`.
pub(crate) fn plane(
    ds: DefaultStream,
    address: u64,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
) -> Result<(), CudaError> {
    context::ensure()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    cu_by_stream!(
        ds,
        cuMemsetD2D8_v2 | cuMemsetD2D8_v2_ptds(address, pitch, byte(value), width, height)
    )
}

/// `cudaMemset2DAsync`.
pub(crate) fn plane_async(
    address: u64,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    context::ensure()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    cu!(cuMemsetD2D8Async(
        address,
        pitch,
        byte(value),
        width,
        height,
        stream
    ))
}

/// The planes of a volume: where each starts, or one plane for all if they touch.
fn planes(
    memory: &cudaPitchedPtr,
    extent: cudaExtent,
) -> Result<impl Iterator<Item = (u64, usize)>, CudaError> {
    let slice = memory
        .pitch
        .checked_mul(memory.ysize)
        .ok_or(CudaError::InvalidValue)?;
    slice
        .checked_mul(extent.depth)
        .ok_or(CudaError::InvalidValue)?;
    let start = memory.ptr.addr() as u64;
    let whole = extent.height == memory.ysize;
    let (count, rows) = if whole {
        (1, extent.height * extent.depth)
    } else {
        (extent.depth, extent.height)
    };
    Ok((0..count).map(move |plane| (start + (plane * slice) as u64, rows)))
}

/// `cudaMemset3D`.
pub(crate) fn volume(
    ds: DefaultStream,
    memory: cudaPitchedPtr,
    value: i32,
    extent: cudaExtent,
) -> Result<(), CudaError> {
    for (address, rows) in planes(&memory, extent)? {
        plane(ds, address, memory.pitch, value, extent.width, rows)?;
    }
    Ok(())
}

/// `cudaMemset3DAsync`.
pub(crate) fn volume_async(
    memory: cudaPitchedPtr,
    value: i32,
    extent: cudaExtent,
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    for (address, rows) in planes(&memory, extent)? {
        plane_async(address, memory.pitch, value, extent.width, rows, stream)?;
    }
    Ok(())
}
