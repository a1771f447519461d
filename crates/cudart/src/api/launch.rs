//! Launching kernels.

use crate::driver::{cu, types::CUlaunchConfig};
use crate::ffi::{In, Out};
use crate::table::DefaultStream;
use crate::thread::{self, Configuration};
use crate::{context, registry};
use cuda_abi::runtime::{CudaError, cudaKernel_t, cudaLaunchConfig_t, cudaStream_t, dim3};
use std::ffi::c_void;

/// `__cudaPushCallConfiguration`: 0, or not 0 if the launch must not be built.
pub(crate) fn push(grid: dim3, block: dim3, shared: usize, stream: cudaStream_t) -> u32 {
    match thread::push(Configuration {
        grid,
        block,
        shared,
        stream,
    }) {
        Ok(()) => 0,
        Err(error) => {
            thread::record(error);
            error.code().cast_unsigned()
        }
    }
}

/// `__cudaPopCallConfiguration`.
pub(crate) fn pop(
    grid: Out<dim3>,
    block: Out<dim3>,
    shared: Out<usize>,
    stream: Out<cudaStream_t>,
) -> Result<(), CudaError> {
    let configuration = thread::pop()?;
    grid.set(configuration.grid)?;
    block.set(configuration.block)?;
    shared.set(configuration.shared)?;
    stream.set(configuration.stream)
}

/// `__cudaGetKernel`.
pub(crate) fn get_kernel(kernel: Out<cudaKernel_t>, stub: *const c_void) -> Result<(), CudaError> {
    kernel.set(registry::handle_of(stub)?)
}

/// `cudaLaunchKernel` and `__cudaLaunchKernel`.
pub(crate) fn launch(
    kernel: cudaKernel_t,
    grid: dim3,
    block: dim3,
    arguments: *mut *mut c_void,
    shared: usize,
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    context::ensure()?;
    cu!(cuLaunchKernel(
        kernel,
        grid.x,
        grid.y,
        grid.z,
        block.x,
        block.y,
        block.z,
        shared_bytes(shared)?,
        stream,
        arguments,
        std::ptr::null_mut()
    ))
    .map_err(|error| configuration_error(error, grid, block))
}

/// `cudaLaunchCooperativeKernel`.
pub(crate) fn cooperative(
    func: *const c_void,
    grid: dim3,
    block: dim3,
    arguments: *mut *mut c_void,
    shared: usize,
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    context::ensure()?;
    let kernel = registry::kernel(func)?;
    cu!(cuLaunchCooperativeKernel(
        kernel,
        grid.x,
        grid.y,
        grid.z,
        block.x,
        block.y,
        block.z,
        shared_bytes(shared)?,
        stream,
        arguments
    ))
    .map_err(|error| configuration_error(error, grid, block))
}

/// `cudaLaunchKernelExC`.
pub(crate) fn with_attributes(
    ds: DefaultStream,
    launch: In<cudaLaunchConfig_t>,
    func: *const c_void,
    arguments: *mut *mut c_void,
) -> Result<(), CudaError> {
    let launch = launch.get()?;
    context::ensure()?;
    let kernel = registry::kernel(func)?;
    let config = config(ds, &launch)?;
    cu!(cuLaunchKernelEx(
        &raw const config,
        kernel,
        arguments,
        std::ptr::null_mut()
    ))
    .map_err(|error| configuration_error(error, launch.gridDim, launch.blockDim))
}

/// The driver's form of a launch configuration. The attributes are the same in both.
///
/// # Errors
/// `InvalidValue` for more shared memory than 32 bits can say.
pub(crate) fn config(
    ds: DefaultStream,
    launch: &cudaLaunchConfig_t,
) -> Result<CUlaunchConfig, CudaError> {
    Ok(CUlaunchConfig {
        gridDimX: launch.gridDim.x,
        gridDimY: launch.gridDim.y,
        gridDimZ: launch.gridDim.z,
        blockDimX: launch.blockDim.x,
        blockDimY: launch.blockDim.y,
        blockDimZ: launch.blockDim.z,
        sharedMemBytes: shared_bytes(launch.dynamicSmemBytes)?,
        hStream: ds.of(launch.stream),
        attrs: launch.attrs,
        numAttrs: launch.numAttrs,
    })
}

fn shared_bytes(shared: usize) -> Result<u32, CudaError> {
    u32::try_from(shared).map_err(|_| CudaError::InvalidValue)
}

/// Tells a shape that no kernel can have (9) from the driver's general "invalid value": the
/// runtime has an error of its own for it.
fn configuration_error(error: CudaError, grid: dim3, block: dim3) -> CudaError {
    if error == CudaError::InvalidValue && !shape_is_possible(grid, block).unwrap_or(true) {
        CudaError::InvalidConfiguration
    } else {
        error
    }
}

/// `CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK`; block and grid limits follow as 2 to 7.
const MAX_THREADS_PER_BLOCK: u32 = 1;

fn shape_is_possible(grid: dim3, block: dim3) -> Result<bool, CudaError> {
    let device = context::current_device()?;
    let sizes = [block.x, block.y, block.z, grid.x, grid.y, grid.z];
    for (size, attribute) in sizes.into_iter().zip(2..) {
        let limit = context::attribute(attribute, device)?;
        if size == 0 || i64::from(size) > i64::from(limit) {
            return Ok(false);
        }
    }
    let threads = u64::from(block.x) * u64::from(block.y) * u64::from(block.z);
    let limit = context::attribute(MAX_THREADS_PER_BLOCK, device)?;
    Ok(u64::try_from(limit).is_ok_and(|limit| threads <= limit))
}

/// `cudaLaunchCooperativeKernelMultiDevice`: one cooperative launch for each device.
#[cfg(not(feature = "major-13"))]
pub(crate) fn multi_device(
    list: crate::ffi::Out<cuda_abi::runtime::cudaLaunchParams>,
    count: u32,
    flags: u32,
) -> Result<(), CudaError> {
    use cuda_abi::runtime::{STREAM_DEFAULT, STREAM_LEGACY, STREAM_PER_THREAD};
    const KNOWN: u32 = 3;
    if count == 0 || flags & !KNOWN != 0 {
        return Err(CudaError::InvalidValue);
    }
    let first = list.required()?;
    // SAFETY: by the C contract the list has `count` elements.
    let launches = (0..count as usize).map(|index| unsafe { first.add(index).read_unaligned() });
    // Streams that have no handle of their own are not allowed (CUDA Runtime API 12.9).
    let unnamed = [STREAM_DEFAULT, STREAM_LEGACY, STREAM_PER_THREAD];
    if launches
        .clone()
        .any(|launch| unnamed.contains(&launch.stream))
    {
        return Err(CudaError::InvalidValue);
    }
    for launch in launches {
        cooperative(
            launch.func.cast_const(),
            launch.gridDim,
            launch.blockDim,
            launch.args,
            launch.sharedMem,
            launch.stream,
        )?;
    }
    Ok(())
}
