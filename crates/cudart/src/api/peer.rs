//! Several devices.

use crate::context;
use crate::driver::cu;
use crate::ffi::Out;
use cuda_abi::runtime::{CudaError, cudaStream_t};

/// `cudaDeviceCanAccessPeer`.
pub(crate) fn can_access(out: Out<i32>, device: i32, peer: i32) -> Result<(), CudaError> {
    out.required()?;
    let mut can = 0;
    cu!(cuDeviceCanAccessPeer(
        &raw mut can,
        context::handle(device)?,
        context::handle(peer)?
    ))?;
    out.set(can)
}

/// `cudaDeviceEnablePeerAccess`.
pub(crate) fn enable(peer: i32, flags: u32) -> Result<(), CudaError> {
    context::ensure()?;
    cu!(cuCtxEnablePeerAccess(context::primary(peer)?.0, flags))
}

/// `cudaDeviceDisablePeerAccess`.
pub(crate) fn disable(peer: i32) -> Result<(), CudaError> {
    context::ensure()?;
    cu!(cuCtxDisablePeerAccess(context::primary(peer)?.0))
}

/// `cudaMemcpyPeer`.
pub(crate) fn copy(
    to: u64,
    to_device: i32,
    from: u64,
    from_device: i32,
    bytes: usize,
) -> Result<(), CudaError> {
    context::ensure()?;
    let (to_context, from_context) = (
        context::primary(to_device)?.0,
        context::primary(from_device)?.0,
    );
    if bytes == 0 {
        return Ok(());
    }
    cu!(cuMemcpyPeer(to, to_context, from, from_context, bytes))
}

/// `cudaMemcpyPeerAsync`.
pub(crate) fn copy_async(
    to: u64,
    to_device: i32,
    from: u64,
    from_device: i32,
    bytes: usize,
    stream: cudaStream_t,
) -> Result<(), CudaError> {
    context::ensure()?;
    let (to_context, from_context) = (
        context::primary(to_device)?.0,
        context::primary(from_device)?.0,
    );
    if bytes == 0 {
        return Ok(());
    }
    cu!(cuMemcpyPeerAsync(
        to,
        to_context,
        from,
        from_context,
        bytes,
        stream
    ))
}
