//! Attributes and handles of kernels.

use crate::driver::cu;
use crate::ffi::Out;
use crate::{context, registry};
use cuda_abi::runtime::{CudaError, cudaFuncAttributes, cudaFunction_t, cudaKernel_t};
use std::ffi::c_void;

/// `cudaFuncGetAttributes`; the numbers are those of `CUfunction_attribute`.
pub(crate) fn attributes(
    out: Out<cudaFuncAttributes>,
    func: *const c_void,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let device = context::handle(context::current_device()?)?;
    let kernel = registry::kernel(func)?;
    let get = |attribute: u32| -> Result<i32, CudaError> {
        let mut value = 0;
        cu!(cuKernelGetAttribute(
            &raw mut value,
            attribute,
            kernel,
            device
        ))?;
        Ok(value)
    };
    let bytes = |attribute: u32| -> Result<usize, CudaError> {
        usize::try_from(get(attribute)?).map_err(|_| CudaError::Unknown)
    };
    out.set(cudaFuncAttributes {
        maxThreadsPerBlock: get(0)?,
        sharedSizeBytes: bytes(1)?,
        constSizeBytes: bytes(2)?,
        localSizeBytes: bytes(3)?,
        numRegs: get(4)?,
        ptxVersion: get(5)?,
        binaryVersion: get(6)?,
        cacheModeCA: get(7)?,
        maxDynamicSharedSizeBytes: get(8)?,
        preferredShmemCarveout: get(9)?,
        clusterDimMustBeSet: get(10)?,
        requiredClusterWidth: get(11)?,
        requiredClusterHeight: get(12)?,
        requiredClusterDepth: get(13)?,
        nonPortableClusterSizeAllowed: get(14)?,
        clusterSchedulingPolicyPreference: get(15)?,
        reserved: [0; 16],
    })
}

/// `cudaFuncSetAttribute`.
pub(crate) fn set_attribute(
    func: *const c_void,
    attribute: u32,
    value: i32,
) -> Result<(), CudaError> {
    context::ensure()?;
    let device = context::handle(context::current_device()?)?;
    cu!(cuKernelSetAttribute(
        attribute,
        value,
        registry::kernel(func)?,
        device
    ))
}

/// `cudaFuncSetCacheConfig`.
pub(crate) fn set_cache_config(func: *const c_void, config: u32) -> Result<(), CudaError> {
    context::ensure()?;
    let device = context::handle(context::current_device()?)?;
    cu!(cuKernelSetCacheConfig(
        registry::kernel(func)?,
        config,
        device
    ))
}

/// `cudaGetFuncBySymbol`.
pub(crate) fn by_symbol(out: Out<cudaFunction_t>, func: *const c_void) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut function = cudaFunction_t::default();
    cu!(cuKernelGetFunction(
        &raw mut function,
        registry::kernel(func)?
    ))?;
    registry::give(function.0)?;
    out.set(function)
}

/// `cudaGetKernel`.
pub(crate) fn kernel_of(out: Out<cudaKernel_t>, func: *const c_void) -> Result<(), CudaError> {
    out.required()?;
    let kernel = registry::kernel(func)?;
    registry::give(kernel.0)?;
    out.set(kernel)
}
