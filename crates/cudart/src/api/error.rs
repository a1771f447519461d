//! Errors: names, texts, and what a thread's calls left behind.

use crate::thread;
use cuda_abi::runtime::{CudaError, SUCCESS_NAME, SUCCESS_TEXT, UNRECOGNIZED, cudaError_t};
use std::ffi::c_char;

/// `cudaGetErrorName`.
pub(crate) fn name(error: cudaError_t) -> *const c_char {
    match (error, CudaError::from_code(error)) {
        (0, _) => SUCCESS_NAME.as_ptr(),
        (_, Some(error)) => error.name().as_ptr(),
        (_, None) => UNRECOGNIZED.as_ptr(),
    }
}

/// `cudaGetErrorString`.
pub(crate) fn text(error: cudaError_t) -> *const c_char {
    match (error, CudaError::from_code(error)) {
        (0, _) => SUCCESS_TEXT.as_ptr(),
        (_, Some(error)) => error.text().as_ptr(),
        (_, None) => UNRECOGNIZED.as_ptr(),
    }
}

/// `cudaGetLastError`.
pub(crate) fn take_last() -> cudaError_t {
    thread::take_last_error().map_or(0, CudaError::code)
}

/// `cudaPeekAtLastError`.
pub(crate) fn peek_last() -> cudaError_t {
    thread::last_error().map_or(0, CudaError::code)
}
