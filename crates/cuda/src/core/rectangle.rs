//! Copies of rectangles as the API's structures describe them.

use cuda_abi::driver::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUdeviceptr, CUmemorytype, CUresult, Out,
};

use super::copy::{Copy, Extent, Pitch, end_of};

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
                let (start, pitch) = super::array::place(self.array, at, extent)?;
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

pub(crate) fn two_d(c: &CUDA_MEMCPY2D) -> Result<Copy, CUresult> {
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
pub(crate) fn three_d_peer(c: &CUDA_MEMCPY3D_PEER) -> Result<Copy, CUresult> {
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
