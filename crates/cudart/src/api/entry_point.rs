//! Driver functions for the program.

use crate::driver;
use crate::ffi::Out;
use crate::table::DefaultStream;
use cuda_abi::runtime::CudaError;
use std::ffi::{CStr, c_char, c_void};

/// `cudaEnablePerThreadDefaultStream`.
const PER_THREAD: u64 = 2;
/// `cudaDriverEntryPointSymbolNotFound`.
const NOT_FOUND: u32 = 1;

/// `cudaGetDriverEntryPoint`: the form of the function that this runtime's version has.
pub(crate) fn get(
    ds: DefaultStream,
    symbol: *const c_char,
    out: Out<*mut c_void>,
    version: i32,
    flags: u64,
    status: Out<u32>,
) -> Result<(), CudaError> {
    out.required()?;
    if symbol.is_null() {
        return Err(CudaError::InvalidValue);
    }
    // SAFETY: not null, and the C caller passes a C string.
    let name = unsafe { CStr::from_ptr(symbol) };
    let flags = match ds {
        DefaultStream::PerThread if flags == 0 => PER_THREAD,
        DefaultStream::PerThread | DefaultStream::Legacy => flags,
    };
    let (function, found) = match driver::entry_point(name, version, flags) {
        Ok(answer) => answer,
        Err(CudaError::SymbolNotFound) => (std::ptr::null_mut(), NOT_FOUND),
        Err(error) => return Err(error),
    };
    out.set(function)?;
    status.set_if_wanted(found);
    Ok(())
}

/// `cudaGetDriverEntryPointByVersion`.
pub(crate) fn by_version(
    ds: DefaultStream,
    symbol: *const c_char,
    out: Out<*mut c_void>,
    version: u32,
    flags: u64,
    status: Out<u32>,
) -> Result<(), CudaError> {
    let version = i32::try_from(version).map_err(|_| CudaError::InvalidValue)?;
    get(ds, symbol, out, version, flags, status)
}
