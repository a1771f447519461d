//! `cuMemcpy*` and `cuMemset*`.

use std::ffi::c_void;

use cuda_abi::driver::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUDA_MEMSET_NODE_PARAMS, CUcontext,
    CUdeviceptr, CUresult, CUstream, In, Out,
};

use crate::core::channel::Point;
use crate::core::context::CONTEXTS;
use crate::core::copy::{Copy, fill};
use crate::core::graph::capture;
use crate::core::graph::op::{Op, describe};
use crate::core::rectangle::{three_d, three_d_peer, two_d};
use crate::core::stream::{self, Target};
use crate::ffi::Read;

/// Runs a copy on the default stream, done when it returns.
fn now(copy: impl FnOnce() -> Result<Copy, CUresult>) -> Result<(), CUresult> {
    let target = stream::default()?;
    capture::forbid_unsafe()?;
    copy()?.run(&target)
}

/// Puts a copy into a stream.
fn later(handle: CUstream, copy: impl FnOnce() -> Result<Copy, CUresult>) -> Result<(), CUresult> {
    let target = stream::resolve(handle)?;
    let copy = copy()?;
    if capture::add(&target, || Ok(Op::Copy(describe(&copy))))? {
        return Ok(());
    }
    copy.run_async(&target)
}

pub(crate) fn copy(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize) -> Result<(), CUresult> {
    now(|| Copy::linear(dst, false, src, false, bytes as u64))
}

pub(crate) fn copy_async(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    bytes: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    later(s, || Copy::linear(dst, false, src, false, bytes as u64))
}

pub(crate) fn h_to_d(dst: CUdeviceptr, src: In<c_void>, bytes: usize) -> Result<(), CUresult> {
    now(|| host_to_device(dst, src, bytes))
}

pub(crate) fn h_to_d_async(
    dst: CUdeviceptr,
    src: In<c_void>,
    bytes: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    later(s, || host_to_device(dst, src, bytes))
}

fn host_to_device(dst: CUdeviceptr, src: In<c_void>, bytes: usize) -> Result<Copy, CUresult> {
    Copy::linear(
        dst,
        bytes != 0,
        non_null(src.addr(), bytes)?,
        false,
        bytes as u64,
    )
}

pub(crate) fn d_to_h(dst: Out<c_void>, src: CUdeviceptr, bytes: usize) -> Result<(), CUresult> {
    now(|| device_to_host(dst, src, bytes))
}

pub(crate) fn d_to_h_async(
    dst: Out<c_void>,
    src: CUdeviceptr,
    bytes: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    later(s, || device_to_host(dst, src, bytes))
}

fn device_to_host(dst: Out<c_void>, src: CUdeviceptr, bytes: usize) -> Result<Copy, CUresult> {
    Copy::linear(
        non_null(dst.addr(), bytes)?,
        false,
        src,
        bytes != 0,
        bytes as u64,
    )
}

/// A null host pointer is an error unless there is nothing to copy.
fn non_null(address: usize, bytes: usize) -> Result<u64, CUresult> {
    if address == 0 && bytes != 0 {
        Err(CUresult::INVALID_VALUE)
    } else {
        Ok(address as u64)
    }
}

pub(crate) fn d_to_d(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize) -> Result<(), CUresult> {
    now(|| Copy::linear(dst, bytes != 0, src, bytes != 0, bytes as u64))
}

pub(crate) fn d_to_d_async(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    bytes: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    later(s, || {
        Copy::linear(dst, bytes != 0, src, bytes != 0, bytes as u64)
    })
}

/// Devices of one process share an address space: a copy between them is a copy; but another device's memory is reached
/// by the CPU.
pub(crate) fn peer(
    dst: CUdeviceptr,
    dst_context: CUcontext,
    src: CUdeviceptr,
    src_context: CUcontext,
    bytes: usize,
) -> Result<(), CUresult> {
    CONTEXTS.get(dst_context.0)?;
    CONTEXTS.get(src_context.0)?;
    now(|| Copy::linear(dst, bytes != 0, src, bytes != 0, bytes as u64))
}

pub(crate) fn peer_async(
    dst: CUdeviceptr,
    dst_context: CUcontext,
    src: CUdeviceptr,
    src_context: CUcontext,
    bytes: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    CONTEXTS.get(dst_context.0)?;
    CONTEXTS.get(src_context.0)?;
    later(s, || {
        Copy::linear(dst, bytes != 0, src, bytes != 0, bytes as u64)
    })
}

pub(crate) fn copy_2d(copy: In<CUDA_MEMCPY2D>) -> Result<(), CUresult> {
    let copy = copy.get()?;
    now(|| two_d(&copy))
}

pub(crate) fn copy_2d_async(copy: In<CUDA_MEMCPY2D>, s: CUstream) -> Result<(), CUresult> {
    let copy = copy.get()?;
    later(s, || two_d(&copy))
}

pub(crate) fn copy_3d(copy: In<CUDA_MEMCPY3D>) -> Result<(), CUresult> {
    let copy = copy.get()?;
    now(|| three_d(&copy))
}

pub(crate) fn copy_3d_async(copy: In<CUDA_MEMCPY3D>, s: CUstream) -> Result<(), CUresult> {
    let copy = copy.get()?;
    later(s, || three_d(&copy))
}

/// As [`copy_3d_async`], for parameters that were read.
pub(super) fn copy_3d_read_async(copy: &CUDA_MEMCPY3D, s: CUstream) -> Result<(), CUresult> {
    later(s, || three_d(copy))
}

pub(crate) fn copy_3d_peer(copy: In<CUDA_MEMCPY3D_PEER>) -> Result<(), CUresult> {
    let copy = copy.get()?;
    now(|| three_d_peer(&copy))
}

pub(crate) fn copy_3d_peer_async(
    copy: In<CUDA_MEMCPY3D_PEER>,
    s: CUstream,
) -> Result<(), CUresult> {
    let copy = copy.get()?;
    later(s, || three_d_peer(&copy))
}

/// An array and a byte offset in it, as one side of a copy.
fn array_side(array: usize, offset: usize, bytes: usize) -> Result<u64, CUresult> {
    crate::core::array::linear(array, offset as u64, bytes as u64)
}

pub(crate) fn a_to_h(
    dst: Out<c_void>,
    src: cuda_abi::driver::CUarray,
    offset: usize,
    bytes: usize,
) -> Result<(), CUresult> {
    now(|| device_to_host(dst, array_side(src.0, offset, bytes)?, bytes))
}

pub(crate) fn a_to_h_async(
    dst: Out<c_void>,
    src: cuda_abi::driver::CUarray,
    offset: usize,
    bytes: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    later(s, || {
        device_to_host(dst, array_side(src.0, offset, bytes)?, bytes)
    })
}

pub(crate) fn h_to_a(
    dst: cuda_abi::driver::CUarray,
    offset: usize,
    src: In<c_void>,
    bytes: usize,
) -> Result<(), CUresult> {
    now(|| host_to_device(array_side(dst.0, offset, bytes)?, src, bytes))
}

pub(crate) fn h_to_a_async(
    dst: cuda_abi::driver::CUarray,
    offset: usize,
    src: In<c_void>,
    bytes: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    later(s, || {
        host_to_device(array_side(dst.0, offset, bytes)?, src, bytes)
    })
}

pub(crate) fn a_to_d(
    dst: CUdeviceptr,
    src: cuda_abi::driver::CUarray,
    offset: usize,
    bytes: usize,
) -> Result<(), CUresult> {
    d_to_d(dst, array_side(src.0, offset, bytes)?, bytes)
}

pub(crate) fn d_to_a(
    dst: cuda_abi::driver::CUarray,
    offset: usize,
    src: CUdeviceptr,
    bytes: usize,
) -> Result<(), CUresult> {
    d_to_d(array_side(dst.0, offset, bytes)?, src, bytes)
}

pub(crate) fn a_to_a(
    dst: cuda_abi::driver::CUarray,
    dst_offset: usize,
    src: cuda_abi::driver::CUarray,
    src_offset: usize,
    bytes: usize,
) -> Result<(), CUresult> {
    d_to_d(
        array_side(dst.0, dst_offset, bytes)?,
        array_side(src.0, src_offset, bytes)?,
        bytes,
    )
}

/// Fills on the default stream; waits where the host can see the memory.
fn fill_now(
    dst: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
    let target = stream::default()?;
    capture::forbid_unsafe()?;
    let over = fill_in(&target, dst, pitch, value, element, width, height)?;
    over.map_or(Ok(()), |point| point.channel.wait(point.value))
}

/// Fills in stream order, or makes a node of it; see [`fill`].
fn fill_in(
    target: &Target,
    dst: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
) -> Result<Option<Point>, CUresult> {
    let captured = capture::add(target, || {
        Ok(Op::Fill(CUDA_MEMSET_NODE_PARAMS {
            dst,
            pitch,
            value,
            elementSize: element,
            width,
            height,
        }))
    })?;
    if captured {
        return Ok(None);
    }
    fill(
        target,
        dst,
        pitch as u64,
        value,
        element,
        width as u64,
        height as u64,
    )
}

pub(crate) fn set_d8(dst: CUdeviceptr, value: u8, n: usize) -> Result<(), CUresult> {
    fill_now(dst, 0, value.into(), 1, n, 1)
}

pub(crate) fn set_d16(dst: CUdeviceptr, value: u16, n: usize) -> Result<(), CUresult> {
    fill_now(dst, 0, value.into(), 2, n, 1)
}

pub(crate) fn set_d32(dst: CUdeviceptr, value: u32, n: usize) -> Result<(), CUresult> {
    fill_now(dst, 0, value, 4, n, 1)
}

pub(crate) fn set_d2d8(
    dst: CUdeviceptr,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
    fill_now(dst, pitch, value.into(), 1, width, height)
}

pub(crate) fn set_d2d16(
    dst: CUdeviceptr,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
    fill_now(dst, pitch, value.into(), 2, width, height)
}

pub(crate) fn set_d2d32(
    dst: CUdeviceptr,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
    fill_now(dst, pitch, value, 4, width, height)
}

pub(crate) fn set_d8_async(
    dst: CUdeviceptr,
    value: u8,
    n: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(&stream::resolve(s)?, dst, 0, value.into(), 1, n, 1).map(drop)
}

pub(crate) fn set_d16_async(
    dst: CUdeviceptr,
    value: u16,
    n: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(&stream::resolve(s)?, dst, 0, value.into(), 2, n, 1).map(drop)
}

pub(crate) fn set_d32_async(
    dst: CUdeviceptr,
    value: u32,
    n: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(&stream::resolve(s)?, dst, 0, value, 4, n, 1).map(drop)
}

pub(crate) fn set_d2d8_async(
    dst: CUdeviceptr,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(
        &stream::resolve(s)?,
        dst,
        pitch,
        value.into(),
        1,
        width,
        height,
    )
    .map(drop)
}

pub(crate) fn set_d2d16_async(
    dst: CUdeviceptr,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(
        &stream::resolve(s)?,
        dst,
        pitch,
        value.into(),
        2,
        width,
        height,
    )
    .map(drop)
}

pub(crate) fn set_d2d32_async(
    dst: CUdeviceptr,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(&stream::resolve(s)?, dst, pitch, value, 4, width, height).map(drop)
}
