//! Texture and surface objects.

use super::array::{driver_format, runtime_format};
use crate::context;
use crate::driver::cu;
use crate::driver::types::{CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC};
use crate::ffi::{In, Out};
use crate::layout::{cudaResourceDesc, cudaResourceViewDesc};
use cuda_abi::runtime::{CudaError, cudaChannelFormatDesc, cudaResource, cudaTextureDesc};

/// `cudaResourceType`, numbered alike in both APIs.
const ARRAY: u32 = 0;
const MIPMAPPED: u32 = 1;
const LINEAR: u32 = 2;
const PITCHED: u32 = 3;

/// `cudaReadModeElementType`.
const READ_ELEMENT: u32 = 0;
const READ_NORMALIZED: u32 = 1;

/// `CU_TRSF_*`.
const READ_AS_INTEGER: u32 = 0x01;
const NORMALIZED_COORDINATES: u32 = 0x02;
const SRGB: u32 = 0x10;
const NO_TRILINEAR_OPTIMIZATION: u32 = 0x20;
const SEAMLESS_CUBEMAP: u32 = 0x40;

fn driver_resource(resource: In<cudaResourceDesc>) -> Result<CUDA_RESOURCE_DESC, CudaError> {
    let resource = resource.get()?;
    let address = resource.res.address as u64;
    let whole = CUDA_RESOURCE_DESC {
        resType: resource.resType,
        address,
        ..CUDA_RESOURCE_DESC::default()
    };
    match resource.resType {
        ARRAY | MIPMAPPED => Ok(whole),
        LINEAR => {
            let (format, channels) = driver_format(&resource.res.desc)?;
            Ok(CUDA_RESOURCE_DESC {
                format,
                numChannels: channels,
                widthOrBytes: resource.res.widthOrBytes,
                ..whole
            })
        }
        PITCHED => {
            let (format, channels) = driver_format(&resource.res.desc)?;
            Ok(CUDA_RESOURCE_DESC {
                format,
                numChannels: channels,
                widthOrBytes: resource.res.widthOrBytes,
                height: resource.res.height,
                pitchInBytes: resource.res.pitchInBytes,
                ..whole
            })
        }
        _ => Err(CudaError::InvalidValue),
    }
}

fn runtime_resource(resource: &CUDA_RESOURCE_DESC) -> Result<cudaResourceDesc, CudaError> {
    let desc = match resource.resType {
        LINEAR | PITCHED => runtime_format(resource.format, resource.numChannels)?,
        _ => cudaChannelFormatDesc::default(),
    };
    Ok(cudaResourceDesc {
        resType: resource.resType,
        res: cudaResource {
            address: usize::try_from(resource.address).map_err(|_| CudaError::Unknown)?,
            desc,
            widthOrBytes: resource.widthOrBytes,
            height: resource.height,
            pitchInBytes: resource.pitchInBytes,
        },
        #[cfg(feature = "major-13")]
        reserved: [0; 9],
        #[cfg(feature = "major-13")]
        flags: resource.flags,
    })
}

fn driver_texture(texture: &cudaTextureDesc) -> CUDA_TEXTURE_DESC {
    let flag = |on: bool, bit: u32| if on { bit } else { 0 };
    CUDA_TEXTURE_DESC {
        addressMode: texture.addressMode,
        filterMode: texture.filterMode,
        flags: flag(texture.readMode == READ_ELEMENT, READ_AS_INTEGER)
            | flag(texture.normalizedCoords != 0, NORMALIZED_COORDINATES)
            | flag(texture.sRGB != 0, SRGB)
            | flag(
                texture.disableTrilinearOptimization != 0,
                NO_TRILINEAR_OPTIMIZATION,
            )
            | flag(texture.seamlessCubemap != 0, SEAMLESS_CUBEMAP),
        maxAnisotropy: texture.maxAnisotropy,
        mipmapFilterMode: texture.mipmapFilterMode,
        mipmapLevelBias: texture.mipmapLevelBias,
        minMipmapLevelClamp: texture.minMipmapLevelClamp,
        maxMipmapLevelClamp: texture.maxMipmapLevelClamp,
        borderColor: texture.borderColor,
        reserved: [0; 12],
    }
}

fn runtime_texture(texture: &CUDA_TEXTURE_DESC) -> cudaTextureDesc {
    let has = |bit: u32| i32::from(texture.flags & bit != 0);
    cudaTextureDesc {
        addressMode: texture.addressMode,
        filterMode: texture.filterMode,
        readMode: if has(READ_AS_INTEGER) == 1 {
            READ_ELEMENT
        } else {
            READ_NORMALIZED
        },
        sRGB: has(SRGB),
        borderColor: texture.borderColor,
        normalizedCoords: has(NORMALIZED_COORDINATES),
        maxAnisotropy: texture.maxAnisotropy,
        mipmapFilterMode: texture.mipmapFilterMode,
        mipmapLevelBias: texture.mipmapLevelBias,
        minMipmapLevelClamp: texture.minMipmapLevelClamp,
        maxMipmapLevelClamp: texture.maxMipmapLevelClamp,
        disableTrilinearOptimization: has(NO_TRILINEAR_OPTIMIZATION),
        seamlessCubemap: has(SEAMLESS_CUBEMAP),
    }
}

/// `cudaCreateTextureObject`.
pub(crate) fn create(
    out: Out<u64>,
    resource: In<cudaResourceDesc>,
    texture: In<cudaTextureDesc>,
    view: In<cudaResourceViewDesc>,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let resource = driver_resource(resource)?;
    let texture = driver_texture(&texture.get()?);
    let view = if view.as_ptr().is_null() {
        None
    } else {
        Some(driver_view(&view.get()?))
    };
    let mut object = 0;
    cu!(cuTexObjectCreate(
        &raw mut object,
        &raw const resource,
        &raw const texture,
        view.as_ref().map_or(std::ptr::null(), std::ptr::from_ref)
    ))?;
    out.set(object)
}

fn driver_view(view: &cudaResourceViewDesc) -> CUDA_RESOURCE_VIEW_DESC {
    CUDA_RESOURCE_VIEW_DESC {
        format: view.format,
        width: view.width,
        height: view.height,
        depth: view.depth,
        firstMipmapLevel: view.firstMipmapLevel,
        lastMipmapLevel: view.lastMipmapLevel,
        firstLayer: view.firstLayer,
        lastLayer: view.lastLayer,
        reserved: [0; 16],
    }
}

/// `cudaCreateSurfaceObject`.
pub(crate) fn create_surface(
    out: Out<u64>,
    resource: In<cudaResourceDesc>,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let resource = driver_resource(resource)?;
    let mut object = 0;
    cu!(cuSurfObjectCreate(&raw mut object, &raw const resource))?;
    out.set(object)
}

/// `cudaGetTextureObjectResourceDesc`.
pub(crate) fn resource_of(out: Out<cudaResourceDesc>, object: u64) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut resource = CUDA_RESOURCE_DESC::default();
    cu!(cuTexObjectGetResourceDesc(&raw mut resource, object))?;
    out.set(runtime_resource(&resource)?)
}

/// `cudaGetSurfaceObjectResourceDesc`.
pub(crate) fn surface_resource_of(
    out: Out<cudaResourceDesc>,
    object: u64,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut resource = CUDA_RESOURCE_DESC::default();
    cu!(cuSurfObjectGetResourceDesc(&raw mut resource, object))?;
    out.set(runtime_resource(&resource)?)
}

/// `cudaGetTextureObjectTextureDesc`.
pub(crate) fn description_of(out: Out<cudaTextureDesc>, object: u64) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut texture = CUDA_TEXTURE_DESC::default();
    cu!(cuTexObjectGetTextureDesc(&raw mut texture, object))?;
    out.set(runtime_texture(&texture))
}

/// `cudaGetTextureObjectResourceViewDesc`.
pub(crate) fn view_of(out: Out<cudaResourceViewDesc>, object: u64) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut view = CUDA_RESOURCE_VIEW_DESC::default();
    cu!(cuTexObjectGetResourceViewDesc(&raw mut view, object))?;
    out.set(cudaResourceViewDesc {
        format: view.format,
        width: view.width,
        height: view.height,
        depth: view.depth,
        firstMipmapLevel: view.firstMipmapLevel,
        lastMipmapLevel: view.lastMipmapLevel,
        firstLayer: view.firstLayer,
        lastLayer: view.lastLayer,
        #[cfg(feature = "major-13")]
        reserved: [0; 16],
    })
}

/// `cudaDeviceGetTexture1DLinearMaxWidth`, in elements.
pub(crate) fn max_linear_width(
    out: Out<usize>,
    desc: In<cudaChannelFormatDesc>,
    device: i32,
) -> Result<(), CudaError> {
    let (format, channels) = driver_format(&desc.get()?)?;
    let device = context::handle(device)?;
    cu!(cuDeviceGetTexture1DLinearMaxWidth(
        out.required()?,
        format,
        channels,
        device
    ))
}
