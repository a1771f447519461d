//! `cuMemcpy*` and `cuMemset*`.

use std::ffi::c_void;

use cuda_abi::driver::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUDA_MEMSET_NODE_PARAMS, CUcontext,
    CUdeviceptr, CUmemorytype, CUresult, CUstream, In, Out,
};

use crate::core::context::CONTEXTS;
use crate::core::copy::{Copy, Extent, Pitch, end_of, fill};
use crate::core::graph::capture;
use crate::core::graph::op::{Op, describe};
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

/// One side of a 2-D or 3-D copy, as the caller describes it.
struct Side {
    kind: CUmemorytype,
    host: usize,
    device: CUdeviceptr,
    array: usize,
    x: u64,
    y: u64,
    z: u64,
    pitch: u64,
    height: u64,
}

impl Side {
    /// Start address, pitches, and whether it must be an allocation of ours.
    fn place(&self, extent: Extent) -> Result<(u64, Pitch, bool), CUresult> {
        let (base, ours) = match self.kind {
            CUmemorytype::HOST => (self.host as u64, false),
            CUmemorytype::DEVICE => (self.device, true),
            CUmemorytype::UNIFIED => (self.device, false),
            CUmemorytype::ARRAY => {
                let at = [self.x, self.y, self.z];
                let (start, pitch) = crate::core::array::place(self.array, at, extent)?;
                return Ok((start, pitch, true));
            }
            _ => return Err(CUresult::INVALID_VALUE),
        };
        let line = if self.pitch == 0 {
            extent.width + self.x
        } else {
            self.pitch
        };
        if extent.height > 1 && line < extent.width {
            return Err(CUresult::INVALID_VALUE);
        }
        let rows = if self.height == 0 {
            extent.height + self.y
        } else {
            self.height
        };
        let overflow = CUresult::INVALID_VALUE;
        let slice = line.checked_mul(rows).ok_or(overflow)?;
        let start = self
            .z
            .checked_mul(slice)
            .and_then(|a| a.checked_add(self.y.checked_mul(line)?))
            .and_then(|a| a.checked_add(self.x)?.checked_add(base))
            .ok_or(overflow)?;
        Ok((start, Pitch { line, slice }, ours))
    }
}

fn rectangle(dst: &Side, src: &Side, extent: Extent) -> Result<Copy, CUresult> {
    let (to, dst_pitch, dst_ours) = dst.place(extent)?;
    let (from, src_pitch, src_ours) = src.place(extent)?;
    let (dst_span, src_span) = Copy::spans(extent, dst_pitch, src_pitch)?;
    let some = dst_span != 0;
    Ok(Copy {
        dst: end_of(to, dst_span, dst_ours && some)?,
        src: end_of(from, src_span, src_ours && some)?,
        dst_pitch,
        src_pitch,
        extent,
    })
}

fn two_d(c: &CUDA_MEMCPY2D) -> Result<Copy, CUresult> {
    let dst = Side {
        kind: c.dstMemoryType,
        host: c.dstHost.addr(),
        device: c.dstDevice,
        array: c.dstArray.0,
        x: c.dstXInBytes as u64,
        y: c.dstY as u64,
        z: 0,
        pitch: c.dstPitch as u64,
        height: 0,
    };
    let src = Side {
        kind: c.srcMemoryType,
        host: c.srcHost.addr(),
        device: c.srcDevice,
        array: c.srcArray.0,
        x: c.srcXInBytes as u64,
        y: c.srcY as u64,
        z: 0,
        pitch: c.srcPitch as u64,
        height: 0,
    };
    rectangle(
        &dst,
        &src,
        Extent {
            width: c.WidthInBytes as u64,
            height: c.Height as u64,
            depth: 1,
        },
    )
}

pub(crate) fn three_d(c: &CUDA_MEMCPY3D) -> Result<Copy, CUresult> {
    let dst = Side {
        kind: c.dstMemoryType,
        host: c.dstHost.addr(),
        device: c.dstDevice,
        array: c.dstArray.0,
        x: c.dstXInBytes as u64,
        y: c.dstY as u64,
        z: c.dstZ as u64,
        pitch: c.dstPitch as u64,
        height: c.dstHeight as u64,
    };
    let src = Side {
        kind: c.srcMemoryType,
        host: c.srcHost.addr(),
        device: c.srcDevice,
        array: c.srcArray.0,
        x: c.srcXInBytes as u64,
        y: c.srcY as u64,
        z: c.srcZ as u64,
        pitch: c.srcPitch as u64,
        height: c.srcHeight as u64,
    };
    if c.srcLOD != 0 || c.dstLOD != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let extent = Extent {
        width: c.WidthInBytes as u64,
        height: c.Height as u64,
        depth: c.Depth as u64,
    };
    rectangle(&dst, &src, extent)
}

/// The peer form is the plain form with two contexts, which one address space makes unnecessary.
fn three_d_peer(c: &CUDA_MEMCPY3D_PEER) -> Result<Copy, CUresult> {
    three_d(&CUDA_MEMCPY3D {
        srcXInBytes: c.srcXInBytes,
        srcY: c.srcY,
        srcZ: c.srcZ,
        srcLOD: c.srcLOD,
        srcMemoryType: c.srcMemoryType,
        srcHost: c.srcHost,
        srcDevice: c.srcDevice,
        srcArray: c.srcArray,
        reserved0: Out::NULL,
        srcPitch: c.srcPitch,
        srcHeight: c.srcHeight,
        dstXInBytes: c.dstXInBytes,
        dstY: c.dstY,
        dstZ: c.dstZ,
        dstLOD: c.dstLOD,
        dstMemoryType: c.dstMemoryType,
        dstHost: c.dstHost,
        dstDevice: c.dstDevice,
        dstArray: c.dstArray,
        reserved1: Out::NULL,
        dstPitch: c.dstPitch,
        dstHeight: c.dstHeight,
        WidthInBytes: c.WidthInBytes,
        Height: c.Height,
        Depth: c.Depth,
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

/// Fills on the default stream.
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
    fill_in(&target, dst, pitch, value, element, width, height)
}

fn fill_in(
    target: &Target,
    dst: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
) -> Result<(), CUresult> {
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
        return Ok(());
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
    fill_in(&stream::resolve(s)?, dst, 0, value.into(), 1, n, 1)
}

pub(crate) fn set_d16_async(
    dst: CUdeviceptr,
    value: u16,
    n: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(&stream::resolve(s)?, dst, 0, value.into(), 2, n, 1)
}

pub(crate) fn set_d32_async(
    dst: CUdeviceptr,
    value: u32,
    n: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(&stream::resolve(s)?, dst, 0, value, 4, n, 1)
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
}

pub(crate) fn set_d2d32_async(
    dst: CUdeviceptr,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    fill_in(&stream::resolve(s)?, dst, pitch, value, 4, width, height)
}
