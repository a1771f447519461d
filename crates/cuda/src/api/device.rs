//! Devices.

use std::ffi::{c_char, c_void};
use std::sync::Mutex;

use cuda_abi::driver::{
    CUarray_format, CUasyncCallback, CUasyncCallbackHandle, CUatomicOperation, CUdevice,
    CUdevice_attribute, CUdevprop, CUexecAffinityType, CUflushGPUDirectRDMAWritesScope,
    CUflushGPUDirectRDMAWritesTarget, CUresult, CUuuid, In, Out,
};

use crate::core::device::Device;
use crate::core::platform;
use crate::ffi::{Write, set_text};

fn device(ordinal: CUdevice) -> Result<&'static Device, CUresult> {
    Ok(platform::get()?.device(ordinal)?)
}

pub(crate) fn get(out: Out<CUdevice>, ordinal: i32) -> Result<(), CUresult> {
    let out = out.required()?;
    device(ordinal)?;
    out.set(ordinal)
}

pub(crate) fn get_count(count: Out<i32>) -> Result<(), CUresult> {
    count
        .required()?
        .set(i32::try_from(platform::get()?.devices.len()).unwrap_or(i32::MAX))
}

pub(crate) fn get_name(name: Out<c_char>, len: i32, dev: CUdevice) -> Result<(), CUresult> {
    let len = usize::try_from(len).map_err(|_| CUresult::INVALID_VALUE)?;
    let name = name.required()?;
    set_text(name, len, &device(dev)?.name)
}

pub(crate) fn get_uuid(uuid: Out<CUuuid>, dev: CUdevice) -> Result<(), CUresult> {
    uuid.required()?.set(CUuuid {
        bytes: device(dev)?.uuid,
    })
}

/// A locally unique identifier is a thing of Windows.
pub(crate) fn get_luid(luid: Out<c_char>, mask: Out<u32>, dev: CUdevice) -> Result<(), CUresult> {
    luid.required()?;
    mask.required()?;
    device(dev)?;
    Err(CUresult::NOT_SUPPORTED)
}

pub(crate) fn total_mem(bytes: Out<usize>, dev: CUdevice) -> Result<(), CUresult> {
    bytes
        .required()?
        .set(usize::try_from(device(dev)?.total_memory).unwrap_or(usize::MAX))
}

pub(crate) fn compute_capability(
    major: Out<i32>,
    minor: Out<i32>,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let (major, minor) = (major.required()?, minor.required()?);
    let device = device(dev)?;
    major.set(device.attribute(CUdevice_attribute::COMPUTE_CAPABILITY_MAJOR)?)?;
    minor.set(device.attribute(CUdevice_attribute::COMPUTE_CAPABILITY_MINOR)?)
}

pub(crate) fn get_attribute(
    value: Out<i32>,
    attribute: CUdevice_attribute,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let value = value.required()?;
    value.set(device(dev)?.attribute(attribute)?)
}

/// The properties of CUDA 1.0 (`cuDeviceGetProperties`).
pub(crate) fn get_properties(out: Out<CUdevprop>, dev: CUdevice) -> Result<(), CUresult> {
    use CUdevice_attribute as A;
    let out = out.required()?;
    let device = device(dev)?;
    let of = |attribute| device.attribute(attribute);
    out.set(CUdevprop {
        maxThreadsPerBlock: of(A::MAX_THREADS_PER_BLOCK)?,
        maxThreadsDim: [
            of(A::MAX_BLOCK_DIM_X)?,
            of(A::MAX_BLOCK_DIM_Y)?,
            of(A::MAX_BLOCK_DIM_Z)?,
        ],
        maxGridSize: [
            of(A::MAX_GRID_DIM_X)?,
            of(A::MAX_GRID_DIM_Y)?,
            of(A::MAX_GRID_DIM_Z)?,
        ],
        sharedMemPerBlock: of(A::MAX_SHARED_MEMORY_PER_BLOCK)?,
        totalConstantMemory: of(A::TOTAL_CONSTANT_MEMORY)?,
        SIMDWidth: of(A::WARP_SIZE)?,
        memPitch: of(A::MAX_PITCH)?,
        regsPerBlock: of(A::MAX_REGISTERS_PER_BLOCK)?,
        clockRate: of(A::CLOCK_RATE)?,
        textureAlign: of(A::TEXTURE_ALIGNMENT)?,
    })
}

/// Contexts with a share of the SMs come from MPS only.
pub(crate) fn get_exec_affinity_support(
    out: Out<i32>,
    kind: CUexecAffinityType,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let out = out.required()?;
    device(dev)?;
    if kind != CUexecAffinityType::SM_COUNT {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(0)
}

/// No atomic of the GPU is native on host memory.
pub(crate) fn get_host_atomic_capabilities(
    capabilities: Out<u32>,
    operations: In<CUatomicOperation>,
    count: u32,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let capabilities = capabilities.required()?;
    let operations = super::peer::atomic_operations(operations, count)?;
    device(dev)?;
    for index in 0..operations.len() {
        capabilities.set_at(index, 0);
    }
    Ok(())
}

/// 2^28 elements, but not more than fits in memory (CUDA Driver API 13.0, cuDeviceGetTexture1DLinearMaxWidth).
pub(crate) fn get_texture_1d_linear_max_width(
    out: Out<usize>,
    format: CUarray_format,
    channels: u32,
    dev: CUdevice,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let device = device(dev)?;
    let element = match format {
        CUarray_format::UNSIGNED_INT8 | CUarray_format::SIGNED_INT8 => 1,
        CUarray_format::UNSIGNED_INT16 | CUarray_format::SIGNED_INT16 | CUarray_format::HALF => 2,
        CUarray_format::UNSIGNED_INT32 | CUarray_format::SIGNED_INT32 | CUarray_format::FLOAT => 4,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    if !matches!(channels, 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE);
    }
    let fits = device.total_memory / (element * u64::from(channels));
    out.set(usize::try_from(fits.min(1 << 28)).unwrap_or(usize::MAX))
}

/// Memory of this GPU is coherent: there is nothing to flush.
pub(crate) fn flush_gpu_direct_rdma_writes(
    target: CUflushGPUDirectRDMAWritesTarget,
    scope: CUflushGPUDirectRDMAWritesScope,
) -> Result<(), CUresult> {
    let known = matches!(
        scope,
        CUflushGPUDirectRDMAWritesScope::OWNER | CUflushGPUDirectRDMAWritesScope::ALL_DEVICES
    );
    if target != CUflushGPUDirectRDMAWritesTarget::CURRENT_CTX || !known {
        return Err(CUresult::INVALID_VALUE);
    }
    crate::core::context::current().map(drop)
}

/// Functions that want to hear when a device's budget is exceeded, which it never is here.
static NOTIFICATIONS: Mutex<(usize, Vec<(CUdevice, usize)>)> = Mutex::new((0, Vec::new()));

pub(crate) fn register_notification(
    dev: CUdevice,
    callback: CUasyncCallback,
    _data: Out<c_void>,
    out: Out<CUasyncCallbackHandle>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    device(dev)?;
    if callback.is_none() {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut known = NOTIFICATIONS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    known.0 += 1;
    let handle = known.0;
    known.1.push((dev, handle));
    out.set(CUasyncCallbackHandle(handle))
}

pub(crate) fn unregister_notification(
    dev: CUdevice,
    callback: CUasyncCallbackHandle,
) -> Result<(), CUresult> {
    device(dev)?;
    let mut known = NOTIFICATIONS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let index = known.1.iter().position(|k| *k == (dev, callback.0));
    known.1.remove(index.ok_or(CUresult::INVALID_VALUE)?);
    Ok(())
}
