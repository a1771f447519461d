//! Libraries that the program loads itself.

use crate::driver::cu;
use crate::ffi::Out;
use crate::registry;
use cuda_abi::runtime::{CudaError, cudaKernel_t, cudaLibrary_t};
use std::ffi::c_char;

/// `cudaLibraryGetKernel`.
pub(crate) fn kernel(
    out: Out<cudaKernel_t>,
    library: cudaLibrary_t,
    name: *const c_char,
) -> Result<(), CudaError> {
    out.required()?;
    let mut kernel = cudaKernel_t::default();
    cu!(cuLibraryGetKernel(&raw mut kernel, library, name))?;
    registry::give(kernel.0)?;
    out.set(kernel)
}

/// `cudaLibraryEnumerateKernels`: up to `count` handles.
pub(crate) fn enumerate(
    out: Out<cudaKernel_t>,
    count: u32,
    library: cudaLibrary_t,
) -> Result<(), CudaError> {
    let first = out.required()?;
    let mut held = 0;
    cu!(cuLibraryGetKernelCount(&raw mut held, library))?;
    cu!(cuLibraryEnumerateKernels(first, count, library))?;
    for index in 0..count.min(held) as usize {
        // SAFETY: the caller's array has room for `count` handles, and the driver filled it.
        let kernel = unsafe { first.add(index).read_unaligned() };
        registry::give(kernel.0)?;
    }
    Ok(())
}
