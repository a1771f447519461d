//! Variables of the program's modules.

use crate::ffi::{Out, word};
use crate::{context, registry};
use cuda_abi::runtime::{
    CudaError, MEMCPY_DEFAULT, MEMCPY_DEVICE_TO_DEVICE, MEMCPY_DEVICE_TO_HOST,
    MEMCPY_HOST_TO_DEVICE,
};
use std::ffi::c_void;

/// `cudaGetSymbolAddress`.
pub(crate) fn address_of(out: Out<*mut c_void>, symbol: *const c_void) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let (address, _) = registry::variable(symbol)?;
    out.set(std::ptr::without_provenance_mut(word(address)))
}

/// `cudaGetSymbolSize`.
pub(crate) fn size_of(out: Out<usize>, symbol: *const c_void) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let (_, size) = registry::variable(symbol)?;
    out.set(size)
}

/// The device address `offset` bytes into a variable.
///
/// # Errors
/// `InvalidSymbol`; `InvalidValue` if the range is not inside it.
pub(crate) fn inside(symbol: *const c_void, offset: usize, bytes: usize) -> Result<u64, CudaError> {
    context::ensure()?;
    let (address, size) = registry::variable(symbol)?;
    match offset.checked_add(bytes) {
        Some(end) if end <= size => Ok(address + offset as u64),
        Some(_) | None => Err(CudaError::InvalidValue),
    }
}

/// Checks the direction of a copy into a variable.
///
/// # Errors
/// `InvalidMemcpyDirection`.
pub(crate) fn to_kind(kind: u32) -> Result<u32, CudaError> {
    match kind {
        MEMCPY_HOST_TO_DEVICE | MEMCPY_DEVICE_TO_DEVICE | MEMCPY_DEFAULT => Ok(kind),
        _ => Err(CudaError::InvalidMemcpyDirection),
    }
}

/// Checks the direction of a copy out of a variable.
///
/// # Errors
/// `InvalidMemcpyDirection`.
pub(crate) fn from_kind(kind: u32) -> Result<u32, CudaError> {
    match kind {
        MEMCPY_DEVICE_TO_HOST | MEMCPY_DEVICE_TO_DEVICE | MEMCPY_DEFAULT => Ok(kind),
        _ => Err(CudaError::InvalidMemcpyDirection),
    }
}
