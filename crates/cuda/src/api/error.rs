//! `cuGetErrorName`, `cuGetErrorString`.

use std::ffi::c_char;

use cuda_abi::driver::{CUresult, In, Out};

use crate::ffi::{Write, static_text};

pub(crate) fn name(error: CUresult, text: Out<In<c_char>>) -> Result<(), CUresult> {
    answer(error.c_name(), text)
}

pub(crate) fn string(error: CUresult, text: Out<In<c_char>>) -> Result<(), CUresult> {
    answer(error.c_text(), text)
}

/// An unknown code stores the null pointer and returns 1 (CUDA Driver API 13.0, cuGetErrorName).
fn answer(found: Option<&'static std::ffi::CStr>, text: Out<In<c_char>>) -> Result<(), CUresult> {
    let text = text.required()?;
    match found {
        Some(found) => text.set(static_text(found)),
        None => {
            text.set(In::NULL)?;
            Err(CUresult::INVALID_VALUE)
        }
    }
}
