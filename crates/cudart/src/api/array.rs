//! Arrays and the formats of their elements.

use crate::context;
use crate::driver::{cu, types::CUDA_ARRAY3D_DESCRIPTOR};
use crate::ffi::{In, Out};
use cuda_abi::runtime::{
    CudaError, cudaArray_t, cudaChannelFormatDesc, cudaExtent, cudaMipmappedArray_t,
};

/// `cudaChannelFormatKind` values with a meaning of their own here.
const SIGNED: u32 = 0;
const UNSIGNED: u32 = 1;
const FLOAT: u32 = 2;

/// One element format: kind and bits per channel (runtime), `CUarray_format` (driver), bytes per
/// channel; 0 bytes where elements are blocks.
struct Format {
    kind: u32,
    bits: i32,
    driver: u32,
    bytes: usize,
}

const fn format(kind: u32, bits: i32, driver: u32, bytes: usize) -> Format {
    Format {
        kind,
        bits,
        driver,
        bytes,
    }
}

/// The formats that both APIs have. Source: `driver_types.h` and `cuda.h` of CUDA 13.0.
const FORMATS: &[Format] = &[
    format(SIGNED, 8, 0x08, 1),
    format(SIGNED, 16, 0x09, 2),
    format(SIGNED, 32, 0x0a, 4),
    format(UNSIGNED, 8, 0x01, 1),
    format(UNSIGNED, 16, 0x02, 2),
    format(UNSIGNED, 32, 0x03, 4),
    format(FLOAT, 16, 0x10, 2),
    format(FLOAT, 32, 0x20, 4),
    // Normalised 8-bit and 16-bit channels; the format says how many.
    format(5, 8, 0xc0, 1),
    format(6, 8, 0xc1, 1),
    format(7, 8, 0xc2, 1),
    format(8, 16, 0xc3, 2),
    format(9, 16, 0xc4, 2),
    format(10, 16, 0xc5, 2),
    format(11, 8, 0xc6, 1),
    format(12, 8, 0xc7, 1),
    format(13, 8, 0xc8, 1),
    format(14, 16, 0xc9, 2),
    format(15, 16, 0xca, 2),
    format(16, 16, 0xcb, 2),
];

/// The driver's format and number of channels.
///
/// # Errors
/// `InvalidChannelDescriptor` for channels of different sizes, gaps, or an unknown kind.
pub(crate) fn driver_format(desc: &cudaChannelFormatDesc) -> Result<(u32, u32), CudaError> {
    let channels = [desc.x, desc.y, desc.z, desc.w];
    let count = channels.iter().take_while(|&&bits| bits != 0).count();
    let uniform = channels[..count].iter().all(|&bits| bits == desc.x);
    let no_gap = channels[count..].iter().all(|&bits| bits == 0);
    let number = match count {
        1 => 1,
        2 => 2,
        4 => 4,
        _ => return Err(CudaError::InvalidChannelDescriptor),
    };
    if !uniform || !no_gap {
        return Err(CudaError::InvalidChannelDescriptor);
    }
    FORMATS
        .iter()
        .find(|format| format.kind == desc.f && format.bits == desc.x)
        .map(|format| (format.driver, number))
        .ok_or(CudaError::InvalidChannelDescriptor)
}

/// The runtime's description of a driver format.
///
/// # Errors
/// `InvalidChannelDescriptor` if the runtime has no such format.
pub(crate) fn runtime_format(
    driver: u32,
    channels: u32,
) -> Result<cudaChannelFormatDesc, CudaError> {
    let format = FORMATS
        .iter()
        .find(|format| format.driver == driver)
        .ok_or(CudaError::InvalidChannelDescriptor)?;
    let bits = |channel: u32| if channel < channels { format.bits } else { 0 };
    Ok(cudaChannelFormatDesc {
        x: bits(0),
        y: bits(1),
        z: bits(2),
        w: bits(3),
        f: format.kind,
    })
}

fn describe(array: cudaArray_t) -> Result<CUDA_ARRAY3D_DESCRIPTOR, CudaError> {
    context::ensure()?;
    let mut descriptor = CUDA_ARRAY3D_DESCRIPTOR::default();
    cu!(cuArray3DGetDescriptor_v2(&raw mut descriptor, array))?;
    Ok(descriptor)
}

/// Bytes of one element of an array.
///
/// # Errors
/// `InvalidChannelDescriptor` for formats whose elements are blocks.
pub(crate) fn element_bytes(array: cudaArray_t) -> Result<usize, CudaError> {
    let descriptor = describe(array)?;
    let format = FORMATS
        .iter()
        .find(|format| format.driver == descriptor.Format)
        .ok_or(CudaError::InvalidChannelDescriptor)?;
    Ok(format.bytes * descriptor.NumChannels as usize)
}

/// Bytes of a row of an array.
///
/// # Errors
/// As [`element_bytes`].
pub(crate) fn row_bytes(array: cudaArray_t) -> Result<usize, CudaError> {
    Ok(element_bytes(array)? * describe(array)?.Width)
}

/// `cudaCreateChannelDesc`.
pub(crate) fn channel_desc(x: i32, y: i32, z: i32, w: i32, f: u32) -> cudaChannelFormatDesc {
    cudaChannelFormatDesc { x, y, z, w, f }
}

/// `cudaGetChannelDesc`.
pub(crate) fn get_channel_desc(
    out: Out<cudaChannelFormatDesc>,
    array: cudaArray_t,
) -> Result<(), CudaError> {
    out.required()?;
    let descriptor = describe(array)?;
    out.set(runtime_format(descriptor.Format, descriptor.NumChannels)?)
}

/// `cudaArrayGetInfo`: each answer is optional.
pub(crate) fn info(
    desc: Out<cudaChannelFormatDesc>,
    extent: Out<cudaExtent>,
    flags: Out<u32>,
    array: cudaArray_t,
) -> Result<(), CudaError> {
    let descriptor = describe(array)?;
    desc.set_if_wanted(runtime_format(descriptor.Format, descriptor.NumChannels)?);
    extent.set_if_wanted(cudaExtent {
        width: descriptor.Width,
        height: descriptor.Height,
        depth: descriptor.Depth,
    });
    flags.set_if_wanted(descriptor.Flags);
    Ok(())
}

/// The flags (`cudaArrayLayered` …) have the same values in both APIs.
fn descriptor(
    desc: In<cudaChannelFormatDesc>,
    extent: cudaExtent,
    flags: u32,
) -> Result<CUDA_ARRAY3D_DESCRIPTOR, CudaError> {
    let (format, channels) = driver_format(&desc.get()?)?;
    Ok(CUDA_ARRAY3D_DESCRIPTOR {
        Width: extent.width,
        Height: extent.height,
        Depth: extent.depth,
        Format: format,
        NumChannels: channels,
        Flags: flags,
    })
}

/// `cudaMallocArray`.
pub(crate) fn alloc(
    out: Out<cudaArray_t>,
    desc: In<cudaChannelFormatDesc>,
    width: usize,
    height: usize,
    flags: u32,
) -> Result<(), CudaError> {
    alloc_3d(
        out,
        desc,
        cudaExtent {
            width,
            height,
            depth: 0,
        },
        flags,
    )
}

/// `cudaMalloc3DArray`.
pub(crate) fn alloc_3d(
    out: Out<cudaArray_t>,
    desc: In<cudaChannelFormatDesc>,
    extent: cudaExtent,
    flags: u32,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let descriptor = descriptor(desc, extent, flags)?;
    let mut array = cudaArray_t::default();
    cu!(cuArray3DCreate_v2(&raw mut array, &raw const descriptor))?;
    out.set(array)
}

/// `cudaMallocMipmappedArray`.
pub(crate) fn alloc_mipmapped(
    out: Out<cudaMipmappedArray_t>,
    desc: In<cudaChannelFormatDesc>,
    extent: cudaExtent,
    levels: u32,
    flags: u32,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let descriptor = descriptor(desc, extent, flags)?;
    let mut array = cudaMipmappedArray_t::default();
    cu!(cuMipmappedArrayCreate(
        &raw mut array,
        &raw const descriptor,
        levels
    ))?;
    out.set(array)
}

/// `cudaFreeArray`; null is no error.
pub(crate) fn free(array: cudaArray_t) -> Result<(), CudaError> {
    context::ensure()?;
    if array.0 == 0 {
        return Ok(());
    }
    cu!(cuArrayDestroy(array))
}

/// `cudaFreeMipmappedArray`; null is no error.
pub(crate) fn free_mipmapped(array: cudaMipmappedArray_t) -> Result<(), CudaError> {
    context::ensure()?;
    if array.0 == 0 {
        return Ok(());
    }
    cu!(cuMipmappedArrayDestroy(array))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_go_both_ways() {
        for format in FORMATS {
            let desc = channel_desc(format.bits, format.bits, 0, 0, format.kind);
            let (driver, channels) = driver_format(&desc).expect("two channels");
            assert_eq!(runtime_format(driver, channels).expect("known"), desc);
        }
        for bad in [
            channel_desc(0, 0, 0, 0, SIGNED),
            channel_desc(8, 8, 8, 0, SIGNED),
            channel_desc(8, 16, 0, 0, SIGNED),
            channel_desc(8, 0, 8, 0, SIGNED),
            channel_desc(64, 0, 0, 0, FLOAT),
            channel_desc(8, 0, 0, 0, 99),
        ] {
            assert_eq!(
                driver_format(&bad),
                Err(CudaError::InvalidChannelDescriptor),
                "{bad:?}"
            );
        }
    }
}
