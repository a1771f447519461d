//! Batches of copies, prefetches and discards: as so many single ones in stream order.

use cuda_abi::driver::{
    CUDA_MEMCPY3D, CUDA_MEMCPY3D_BATCH_OP, CUarray, CUdeviceptr, CUmemDecompressParams,
    CUmemLocation, CUmemcpy3DOperand, CUmemcpy3DOperandType, CUmemcpyAttributes,
    CUmemcpySrcAccessOrder, CUmemorytype, CUresult, CUstream, In, Out,
};

use super::{managed, memory_copy};
use crate::core::array::ARRAYS;
use crate::core::memory::Kind;
use crate::core::{managed as core_managed, platform, stream};
use crate::ffi::{Read, Write};

const BAD: CUresult = CUresult::INVALID_VALUE;

/// The legacy default stream cannot be meant.
fn named(s: CUstream) -> Result<(), CUresult> {
    if stream::find(s)?.stream.is_legacy() {
        Err(BAD)
    } else {
        Ok(())
    }
}

fn check_order(order: CUmemcpySrcAccessOrder) -> Result<(), CUresult> {
    if (1..=3).contains(&order.0) {
        Ok(())
    } else {
        Err(BAD)
    }
}

/// Where attributes begin: the first at 0, then rising, all inside.
fn check_indices(indices: &[usize], count: usize) -> Result<(), CUresult> {
    let rising = indices.windows(2).all(|w| w[0] < w[1]);
    if indices.first() == Some(&0) && rising && indices.last().is_some_and(|last| *last < count) {
        Ok(())
    } else {
        Err(BAD)
    }
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn copy(
    dsts: Out<CUdeviceptr>,
    srcs: Out<CUdeviceptr>,
    sizes: Out<usize>,
    count: usize,
    attributes: Out<CUmemcpyAttributes>,
    indices: Out<usize>,
    attribute_count: usize,
    failed: Out<usize>,
    s: CUstream,
) -> Result<(), CUresult> {
    // What is not one copy's fault names none.
    failed.set_opt(usize::MAX);
    named(s)?;
    if count == 0 || attribute_count == 0 || attribute_count > count {
        return Err(BAD);
    }
    for attribute in attributes.get_all(attribute_count)? {
        check_order(attribute.srcAccessOrder)?;
    }
    check_indices(&indices.get_all(attribute_count)?, count)?;
    let (dsts, srcs) = (dsts.get_all(count)?, srcs.get_all(count)?);
    let sizes = sizes.get_all(count)?;
    for (index, ((dst, src), bytes)) in dsts.into_iter().zip(srcs).zip(sizes).enumerate() {
        memory_copy::copy_async(dst, src, bytes, s).inspect_err(|_| failed.set_opt(index))?;
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn copy_v2(
    dsts: Out<CUdeviceptr>,
    srcs: Out<CUdeviceptr>,
    sizes: Out<usize>,
    count: usize,
    attributes: Out<CUmemcpyAttributes>,
    indices: Out<usize>,
    attribute_count: usize,
    s: CUstream,
) -> Result<(), CUresult> {
    copy(
        dsts,
        srcs,
        sizes,
        count,
        attributes,
        indices,
        attribute_count,
        Out::NULL,
        s,
    )
}

/// One side of a copy in three dimensions; lengths are in elements.
struct Side {
    kind: CUmemorytype,
    address: u64,
    array: usize,
    at: [usize; 3],
    pitch: usize,
    rows: usize,
}

fn number(value: u64) -> Result<usize, CUresult> {
    usize::try_from(value).map_err(|_| BAD)
}

/// Bytes of an element: the array's, or a byte.
fn element(operand: &CUmemcpy3DOperand) -> Result<Option<usize>, CUresult> {
    match operand.type_ {
        CUmemcpy3DOperandType::POINTER => Ok(None),
        CUmemcpy3DOperandType::ARRAY => {
            let array = ARRAYS.get(number(operand.op[0])?)?;
            number(array.shape.element_bytes()?).map(Some)
        }
        _ => Err(BAD),
    }
}

fn side(operand: &CUmemcpy3DOperand, element: usize) -> Result<Side, CUresult> {
    let [first, a, b, c] = operand.op;
    let bytes = |n: u64| number(n)?.checked_mul(element).ok_or(BAD);
    if operand.type_ == CUmemcpy3DOperandType::POINTER {
        return Ok(Side {
            kind: CUmemorytype::UNIFIED,
            address: first,
            array: 0,
            at: [0; 3],
            pitch: bytes(a)?,
            rows: number(b)?,
        });
    }
    Ok(Side {
        kind: CUmemorytype::ARRAY,
        address: 0,
        array: number(first)?,
        at: [bytes(a)?, number(b)?, number(c)?],
        pitch: 0,
        rows: 0,
    })
}

fn described(op: &CUDA_MEMCPY3D_BATCH_OP) -> Result<CUDA_MEMCPY3D, CUresult> {
    check_order(op.srcAccessOrder)?;
    let (of_src, of_dst) = (element(&op.src)?, element(&op.dst)?);
    let size = match (of_src, of_dst) {
        (Some(a), Some(b)) if a != b => return Err(BAD),
        (Some(a), _) | (None, Some(a)) => a,
        (None, None) => 1,
    };
    let (src, dst) = (side(&op.src, size)?, side(&op.dst, size)?);
    Ok(CUDA_MEMCPY3D {
        srcXInBytes: src.at[0],
        srcY: src.at[1],
        srcZ: src.at[2],
        srcLOD: 0,
        srcMemoryType: src.kind,
        srcHost: In::NULL,
        srcDevice: src.address,
        srcArray: CUarray(src.array),
        reserved0: Out::NULL,
        srcPitch: src.pitch,
        srcHeight: src.rows,
        dstXInBytes: dst.at[0],
        dstY: dst.at[1],
        dstZ: dst.at[2],
        dstLOD: 0,
        dstMemoryType: dst.kind,
        dstHost: Out::NULL,
        dstDevice: dst.address,
        dstArray: CUarray(dst.array),
        reserved1: Out::NULL,
        dstPitch: dst.pitch,
        dstHeight: dst.rows,
        WidthInBytes: op.extent.width.checked_mul(size).ok_or(BAD)?,
        Height: op.extent.height,
        Depth: op.extent.depth,
    })
}

pub(crate) fn copy_3d(
    count: usize,
    operations: Out<CUDA_MEMCPY3D_BATCH_OP>,
    failed: Out<usize>,
    flags: u64,
    s: CUstream,
) -> Result<(), CUresult> {
    failed.set_opt(usize::MAX);
    named(s)?;
    if count == 0 || flags != 0 {
        return Err(BAD);
    }
    for (index, op) in operations.get_all(count)?.iter().enumerate() {
        let copied = described(op).and_then(|copy| memory_copy::copy_3d_read_async(&copy, s));
        copied.inspect_err(|_| failed.set_opt(index))?;
    }
    Ok(())
}

pub(crate) fn copy_3d_v2(
    count: usize,
    operations: Out<CUDA_MEMCPY3D_BATCH_OP>,
    flags: u64,
    s: CUstream,
) -> Result<(), CUresult> {
    copy_3d(count, operations, Out::NULL, flags, s)
}

/// Ranges of managed memory.
fn ranges(
    addresses: Out<CUdeviceptr>,
    sizes: Out<usize>,
    count: usize,
) -> Result<Vec<(CUdeviceptr, usize)>, CUresult> {
    if count == 0 {
        return Err(BAD);
    }
    let pairs = addresses
        .get_all(count)?
        .into_iter()
        .zip(sizes.get_all(count)?);
    let ranges: Vec<_> = pairs.collect();
    let platform = platform::get()?;
    for (address, bytes) in &ranges {
        let known = platform.memory.find(*address);
        let inside = known.is_some_and(|a| {
            let end = address.checked_add(*bytes as u64);
            a.kind == Kind::Managed && *bytes != 0 && end.is_some_and(|end| end <= a.end())
        });
        if !inside {
            return Err(BAD);
        }
    }
    Ok(ranges)
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn prefetch(
    addresses: Out<CUdeviceptr>,
    sizes: Out<usize>,
    count: usize,
    locations: Out<CUmemLocation>,
    indices: Out<usize>,
    location_count: usize,
    flags: u64,
    s: CUstream,
) -> Result<(), CUresult> {
    if flags != 0 || location_count == 0 || location_count > count {
        return Err(BAD);
    }
    let locations = locations.get_all(location_count)?;
    let indices = indices.get_all(location_count)?;
    check_indices(&indices, count)?;
    for (index, (address, bytes)) in ranges(addresses, sizes, count)?.into_iter().enumerate() {
        let which = indices.iter().rposition(|first| *first <= index);
        let location = which.and_then(|w| locations.get(w)).copied().ok_or(BAD)?;
        managed::prefetch_async_v2(address, bytes, location, 0, s)?;
    }
    Ok(())
}

/// What the ranges hold is not needed any more, once the stream comes here.
pub(crate) fn discard(
    addresses: Out<CUdeviceptr>,
    sizes: Out<usize>,
    count: usize,
    flags: u64,
    s: CUstream,
) -> Result<(), CUresult> {
    if flags != 0 {
        return Err(BAD);
    }
    let target = stream::resolve(s)?;
    let ranges = ranges(addresses, sizes, count)?;
    for (address, bytes) in ranges {
        core_managed::discard(&target, address, bytes as u64)?;
    }
    Ok(())
}

/// [`discard`] and [`prefetch`] in one.
#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn discard_and_prefetch(
    addresses: Out<CUdeviceptr>,
    sizes: Out<usize>,
    count: usize,
    locations: Out<CUmemLocation>,
    indices: Out<usize>,
    location_count: usize,
    flags: u64,
    s: CUstream,
) -> Result<(), CUresult> {
    if flags != 0 || location_count == 0 || location_count > count {
        return Err(BAD);
    }
    check_indices(&indices.get_all(location_count)?, count)?;
    for location in locations.get_all(location_count)? {
        managed::of_location(location)?;
    }
    discard(addresses, sizes, count, 0, s)?;
    prefetch(
        addresses,
        sizes,
        count,
        locations,
        indices,
        location_count,
        0,
        s,
    )
}

/// There is no decompression engine (`MEM_DECOMPRESS_ALGORITHM_MASK` is 0): the first operation is one too many.
pub(crate) fn decompress(
    operations: Out<CUmemDecompressParams>,
    count: usize,
    flags: u32,
    failed: Out<usize>,
    s: CUstream,
) -> Result<(), CUresult> {
    stream::resolve(s)?;
    if count == 0 || flags != 0 {
        return Err(BAD);
    }
    operations.required()?;
    failed.set_opt(0);
    Err(CUresult::NOT_SUPPORTED)
}
