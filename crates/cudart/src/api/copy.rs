//! Copies: linear, 2-D, 3-D, and through arrays.

use crate::driver::types::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, MEMORY_ARRAY, MEMORY_DEVICE, MEMORY_HOST,
    MEMORY_UNIFIED, Side2D, Side3D,
};
use crate::driver::{cu, cu_by_stream};
use crate::ffi::word;
use crate::table::DefaultStream;
use crate::{api, context};
use cuda_abi::runtime::{
    CudaError, MEMCPY_DEFAULT, MEMCPY_DEVICE_TO_DEVICE, MEMCPY_DEVICE_TO_HOST,
    MEMCPY_HOST_TO_DEVICE, MEMCPY_HOST_TO_HOST, cudaArray_t, cudaMemcpy3DParms,
    cudaMemcpy3DPeerParms, cudaPitchedPtr, cudaPos, cudaStream_t,
};
use std::ffi::c_void;

fn host(address: u64) -> *mut c_void {
    std::ptr::without_provenance_mut(word(address))
}

/// `cudaMemcpy`: returns when the copy is done.
pub(crate) fn linear(
    ds: DefaultStream,
    to: u64,
    from: u64,
    bytes: usize,
    kind: u32,
) -> Result<(), CudaError> {
    check_kind(kind)?;
    context::ensure()?;
    if bytes == 0 {
        return Ok(());
    }
    match kind {
        MEMCPY_HOST_TO_DEVICE => {
            cu_by_stream!(
                ds,
                cuMemcpyHtoD_v2 | cuMemcpyHtoD_v2_ptds(to, host(from), bytes)
            )
        }
        MEMCPY_DEVICE_TO_HOST => {
            cu_by_stream!(
                ds,
                cuMemcpyDtoH_v2 | cuMemcpyDtoH_v2_ptds(host(to), from, bytes)
            )
        }
        MEMCPY_DEVICE_TO_DEVICE => {
            cu_by_stream!(ds, cuMemcpyDtoD_v2 | cuMemcpyDtoD_v2_ptds(to, from, bytes))
        }
        MEMCPY_DEFAULT => cu_by_stream!(ds, cuMemcpy | cuMemcpy_ptds(to, from, bytes)),
        _ => run_2d(
            ds,
            &row(
                linear_side(to, bytes),
                linear_side(from, bytes),
                bytes,
                kind,
            )?,
        ),
    }
}

/// `cudaMemcpyAsync`.
pub(crate) fn linear_async(
    to: u64,
    from: u64,
    bytes: usize,
    kind: u32,
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    check_kind(kind)?;
    context::ensure()?;
    if bytes == 0 {
        return Ok(());
    }
    match kind {
        MEMCPY_HOST_TO_DEVICE => cu!(cuMemcpyHtoDAsync_v2(to, host(from), bytes, stream)),
        MEMCPY_DEVICE_TO_HOST => cu!(cuMemcpyDtoHAsync_v2(host(to), from, bytes, stream)),
        MEMCPY_DEVICE_TO_DEVICE => cu!(cuMemcpyDtoDAsync_v2(to, from, bytes, stream)),
        MEMCPY_DEFAULT => cu!(cuMemcpyAsync(to, from, bytes, stream)),
        _ => run_2d_async(
            &row(
                linear_side(to, bytes),
                linear_side(from, bytes),
                bytes,
                kind,
            )?,
            stream,
        ),
    }
}

fn check_kind(kind: u32) -> Result<(), CudaError> {
    if kind <= MEMCPY_DEFAULT {
        Ok(())
    } else {
        Err(CudaError::InvalidMemcpyDirection)
    }
}

/// The memory types of destination and source that a direction means.
fn memory_types(kind: u32) -> Result<(u32, u32), CudaError> {
    match kind {
        MEMCPY_HOST_TO_HOST => Ok((MEMORY_HOST, MEMORY_HOST)),
        MEMCPY_HOST_TO_DEVICE => Ok((MEMORY_DEVICE, MEMORY_HOST)),
        MEMCPY_DEVICE_TO_HOST => Ok((MEMORY_HOST, MEMORY_DEVICE)),
        MEMCPY_DEVICE_TO_DEVICE => Ok((MEMORY_DEVICE, MEMORY_DEVICE)),
        MEMCPY_DEFAULT => Ok((MEMORY_UNIFIED, MEMORY_UNIFIED)),
        _ => Err(CudaError::InvalidMemcpyDirection),
    }
}

/// One side of a 2-D copy: rows in linear memory, `pitch` bytes apart.
pub(crate) fn linear_side(address: u64, pitch: usize) -> Side2D {
    Side2D {
        device: address,
        host: word(address),
        pitch,
        ..Side2D::default()
    }
}

/// One side of a 2-D copy: a place in an array (`x` in bytes).
pub(crate) fn array_side(array: cudaArray_t, x: usize, y: usize) -> Side2D {
    Side2D {
        xInBytes: x,
        y,
        memoryType: MEMORY_ARRAY,
        array,
        ..Side2D::default()
    }
}

fn placed(side: Side2D, memory: u32) -> Side2D {
    if side.memoryType == MEMORY_ARRAY {
        side
    } else {
        Side2D {
            memoryType: memory,
            ..side
        }
    }
}

/// A 2-D copy of `height` rows of `width` bytes.
///
/// # Errors
/// `InvalidMemcpyDirection`; `InvalidPitchValue` if rows overlap.
pub(crate) fn plane(
    to: Side2D,
    from: Side2D,
    width: usize,
    height: usize,
    kind: u32,
) -> Result<CUDA_MEMCPY2D, CudaError> {
    let (to_memory, from_memory) = memory_types(kind)?;
    let (dst, src) = (placed(to, to_memory), placed(from, from_memory));
    let overlap = |side: &Side2D| side.memoryType != MEMORY_ARRAY && side.pitch < width;
    if height > 1 && (overlap(&dst) || overlap(&src)) {
        return Err(CudaError::InvalidPitchValue);
    }
    Ok(CUDA_MEMCPY2D {
        src,
        dst,
        WidthInBytes: width,
        Height: height,
    })
}

/// A copy of one row.
///
/// # Errors
/// `InvalidMemcpyDirection`.
pub(crate) fn row(
    to: Side2D,
    from: Side2D,
    bytes: usize,
    kind: u32,
) -> Result<CUDA_MEMCPY2D, CudaError> {
    plane(to, from, bytes, 1, kind)
}

/// Copies between linear memory and an array: `bytes` from `at` on (x in bytes, y), to the end of that row and on through
/// the following rows.
///
/// # Errors
/// `InvalidValue` for a place outside the array, `InvalidMemcpyDirection`.
pub(crate) fn rows(
    array: cudaArray_t,
    at: (usize, usize),
    linear: u64,
    bytes: usize,
    kind: u32,
    way: Way,
) -> Result<Vec<CUDA_MEMCPY2D>, CudaError> {
    let width = api::array::row_bytes(array)?;
    pieces(width, at, bytes)
        .ok_or(CudaError::InvalidValue)?
        .into_iter()
        .map(|piece| {
            let inside = array_side(array, piece.x, piece.y);
            let outside = linear_side(linear + piece.offset as u64, piece.width);
            let (to, from) = match way {
                Way::In => (inside, outside),
                Way::Out => (outside, inside),
            };
            plane(to, from, piece.width, piece.height, kind)
        })
        .collect()
}

/// Which way a copy between linear memory and an array goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Into the array.
    In,
    /// Out of the array.
    Out,
}

/// A rectangle of an array and where it lies in linear memory.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    x: usize,
    y: usize,
    offset: usize,
    width: usize,
    height: usize,
}

/// The rest of the first row, whole rows, the beginning of the last; `None` for a place outside the row.
fn pieces(row: usize, (x, y): (usize, usize), bytes: usize) -> Option<Vec<Piece>> {
    if bytes == 0 {
        return Some(Vec::new());
    }
    if x >= row {
        return None;
    }
    let head = if x == 0 { 0 } else { bytes.min(row - x) };
    let below = y + usize::from(head != 0);
    let full = (bytes - head) / row;
    let tail = (bytes - head) % row;
    let all = [
        (x, y, 0, head, 1),
        (0, below, head, row, full),
        (0, below + full, bytes - tail, tail, 1),
    ];
    let some = all.into_iter().filter(|p| p.3 != 0 && p.4 != 0);
    Some(
        some.map(|(x, y, offset, width, height)| Piece {
            x,
            y,
            offset,
            width,
            height,
        })
        .collect(),
    )
}

/// Runs copies one after the other and waits for them.
pub(crate) fn run_all(ds: DefaultStream, copies: &[CUDA_MEMCPY2D]) -> Result<(), CudaError> {
    copies.iter().try_for_each(|copy| run_2d(ds, copy))
}

/// Puts copies on a stream.
pub(crate) fn run_all_async(
    copies: &[CUDA_MEMCPY2D],
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    copies
        .iter()
        .try_for_each(|copy| run_2d_async(copy, stream))
}

/// Runs a 2-D copy and waits for it.
pub(crate) fn run_2d(ds: DefaultStream, copy: &CUDA_MEMCPY2D) -> Result<(), CudaError> {
    context::ensure()?;
    if copy.WidthInBytes == 0 || copy.Height == 0 {
        return Ok(());
    }
    cu_by_stream!(
        ds,
        cuMemcpy2DUnaligned_v2 | cuMemcpy2DUnaligned_v2_ptds(copy)
    )
}

/// Puts a 2-D copy on a stream.
pub(crate) fn run_2d_async(copy: &CUDA_MEMCPY2D, stream: cudaStream_t) -> Result<(), CudaError> {
    context::ensure()?;
    if copy.WidthInBytes == 0 || copy.Height == 0 {
        return Ok(());
    }
    cu!(cuMemcpy2DAsync_v2(copy, stream))
}

/// A linear copy as a 3-D one, for graph nodes.
///
/// # Errors
/// `InvalidMemcpyDirection`.
pub(crate) fn copy_1d(
    to: u64,
    from: u64,
    bytes: usize,
    kind: u32,
) -> Result<CUDA_MEMCPY3D, CudaError> {
    let (to_memory, from_memory) = memory_types(kind)?;
    let side = |address: u64, memory: u32| Side3D {
        memoryType: memory,
        device: address,
        host: word(address),
        pitch: bytes,
        height: 1,
        ..Side3D::default()
    };
    Ok(CUDA_MEMCPY3D {
        src: side(from, from_memory),
        dst: side(to, to_memory),
        WidthInBytes: bytes,
        Height: 1,
        Depth: 1,
    })
}

/// One side as the runtime's structs give it: an array, or pitched memory.
fn volume_side(
    array: cudaArray_t,
    position: cudaPos,
    pitched: &cudaPitchedPtr,
    memory: u32,
    element: usize,
) -> Result<Side3D, CudaError> {
    match (array.0 != 0, !pitched.ptr.is_null()) {
        (true, false) => Ok(Side3D {
            xInBytes: position
                .x
                .checked_mul(element)
                .ok_or(CudaError::InvalidValue)?,
            y: position.y,
            z: position.z,
            memoryType: MEMORY_ARRAY,
            array,
            ..Side3D::default()
        }),
        (false, true) => Ok(Side3D {
            xInBytes: position.x,
            y: position.y,
            z: position.z,
            memoryType: memory,
            device: pitched.ptr.addr() as u64,
            host: pitched.ptr.addr(),
            pitch: pitched.pitch,
            height: pitched.ysize,
            ..Side3D::default()
        }),
        // Exactly one of them must be given.
        (true, true) | (false, false) => Err(CudaError::InvalidValue),
    }
}

/// The bytes of one element of the arrays in a copy: extents count elements where an array takes
/// part, bytes where none does.
fn element_size(arrays: [cudaArray_t; 2]) -> Result<usize, CudaError> {
    let mut size = None;
    for array in arrays.into_iter().filter(|array| array.0 != 0) {
        let bytes = api::array::element_bytes(array)?;
        if size.is_some_and(|other| other != bytes) {
            return Err(CudaError::InvalidValue);
        }
        size = Some(bytes);
    }
    Ok(size.unwrap_or(1))
}

/// The driver's form of `cudaMemcpy3D`'s parameters.
///
/// # Errors
/// `InvalidValue` unless each side is an array or memory, and not both.
pub(crate) fn copy_3d(copy: &cudaMemcpy3DParms) -> Result<CUDA_MEMCPY3D, CudaError> {
    context::ensure()?;
    let (to, from) = memory_types(copy.kind)?;
    let element = element_size([copy.srcArray, copy.dstArray])?;
    Ok(CUDA_MEMCPY3D {
        src: volume_side(copy.srcArray, copy.srcPos, &copy.srcPtr, from, element)?,
        dst: volume_side(copy.dstArray, copy.dstPos, &copy.dstPtr, to, element)?,
        WidthInBytes: copy
            .extent
            .width
            .checked_mul(element)
            .ok_or(CudaError::InvalidValue)?,
        Height: copy.extent.height,
        Depth: copy.extent.depth,
    })
}

/// The driver's form of `cudaMemcpy3DPeer`'s parameters.
///
/// # Errors
/// As [`copy_3d`]; `InvalidDevice`.
pub(crate) fn copy_3d_peer(copy: &cudaMemcpy3DPeerParms) -> Result<CUDA_MEMCPY3D_PEER, CudaError> {
    context::ensure()?;
    let element = element_size([copy.srcArray, copy.dstArray])?;
    let mut src = volume_side(
        copy.srcArray,
        copy.srcPos,
        &copy.srcPtr,
        MEMORY_DEVICE,
        element,
    )?;
    let mut dst = volume_side(
        copy.dstArray,
        copy.dstPos,
        &copy.dstPtr,
        MEMORY_DEVICE,
        element,
    )?;
    src.context = context::primary(copy.srcDevice)?.0;
    dst.context = context::primary(copy.dstDevice)?.0;
    Ok(CUDA_MEMCPY3D_PEER {
        src,
        dst,
        WidthInBytes: copy
            .extent
            .width
            .checked_mul(element)
            .ok_or(CudaError::InvalidValue)?,
        Height: copy.extent.height,
        Depth: copy.extent.depth,
    })
}

fn is_empty(copy: &CUDA_MEMCPY3D) -> bool {
    copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0
}

/// Runs a 3-D copy and waits for it.
pub(crate) fn run_3d(ds: DefaultStream, copy: &CUDA_MEMCPY3D) -> Result<(), CudaError> {
    if is_empty(copy) {
        return Ok(());
    }
    cu_by_stream!(ds, cuMemcpy3D_v2 | cuMemcpy3D_v2_ptds(copy))
}

/// Puts a 3-D copy on a stream.
pub(crate) fn run_3d_async(copy: &CUDA_MEMCPY3D, stream: cudaStream_t) -> Result<(), CudaError> {
    if is_empty(copy) {
        return Ok(());
    }
    cu!(cuMemcpy3DAsync_v2(copy, stream))
}

/// Runs a 3-D copy between devices and waits for it.
pub(crate) fn run_3d_peer(ds: DefaultStream, copy: &CUDA_MEMCPY3D_PEER) -> Result<(), CudaError> {
    if is_empty(copy) {
        return Ok(());
    }
    cu_by_stream!(ds, cuMemcpy3DPeer | cuMemcpy3DPeer_ptds(copy))
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    fn piece(x: usize, y: usize, offset: usize, width: usize, height: usize) -> Piece {
        Piece {
            x,
            y,
            offset,
            width,
            height,
        }
    }

    #[test]
    fn bytes_go_through_the_rows_of_an_array() {
        assert_eq!(pieces(100, (0, 0), 300), Some(vec![piece(0, 0, 0, 100, 3)]));
        assert_eq!(pieces(100, (40, 2), 60), Some(vec![piece(40, 2, 0, 60, 1)]));
        assert_eq!(
            pieces(100, (40, 2), 270),
            Some(vec![
                piece(40, 2, 0, 60, 1),
                piece(0, 3, 60, 100, 2),
                piece(0, 5, 260, 10, 1)
            ])
        );
        assert_eq!(pieces(100, (0, 1), 7), Some(vec![piece(0, 1, 0, 7, 1)]));
        assert_eq!(pieces(100, (100, 0), 1), None);
        assert_eq!(pieces(100, (100, 0), 0), Some(Vec::new()));
    }
}
