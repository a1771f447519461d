//! `cuLink*`.

use std::ffi::{CStr, c_char, c_void};

use cuda_abi::driver::{CUjit_option, CUjitInputType, CUlinkState, CUresult, In, Out};

use super::image::{chooser, options};
use crate::core::image::LoadError;
use crate::core::link::{Input, LINKS, Link};
use crate::core::module::report;
use crate::ffi::{Write, text};

/// Log buffers given here belong to the calls that fill them; those of `cuLinkAddData` are answered there.
pub(crate) fn create(
    count: u32,
    names: Out<CUjit_option>,
    values: Out<Out<c_void>>,
    out: Out<CUlinkState>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let jit = options(count, names, values)?;
    crate::core::context::current()?;
    jit.answer(&Ok::<(), LoadError>(()));
    out.set(CUlinkState(LINKS.insert(Link::new())?))
}

fn add(
    state: CUlinkState,
    jit: &super::image::JitOptions,
    input: impl FnOnce() -> Result<Input, LoadError>,
) -> Result<(), CUresult> {
    let link = LINKS.get(state.0)?;
    let chooser = chooser()?;
    let outcome = input().and_then(|input| link.add(chooser, input));
    jit.answer(&outcome);
    outcome.map_err(|error| report(&error))
}

/// What the type says the bytes are.
fn input(kind: CUjitInputType, bytes: &[u8]) -> Result<Input, LoadError> {
    match kind {
        CUjitInputType::INPUT_PTX => {
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            let text = std::str::from_utf8(&bytes[..end]);
            let text = text.map_err(|e| LoadError::new(CUresult::INVALID_PTX, e.to_string()))?;
            Ok(Input::Ptx(text.to_owned()))
        }
        CUjitInputType::INPUT_CUBIN | CUjitInputType::INPUT_FATBINARY => {
            Ok(Input::Binary(bytes.to_vec()))
        }
        CUjitInputType::INPUT_OBJECT
        | CUjitInputType::INPUT_LIBRARY
        | CUjitInputType::INPUT_NVVM => Err(LoadError::new(
            CUresult::NOT_SUPPORTED,
            "linking objects, libraries and NVVM IR is not supported\n",
        )),
        _ => Err(LoadError::new(CUresult::INVALID_VALUE, String::new())),
    }
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn add_data(
    state: CUlinkState,
    kind: CUjitInputType,
    data: Out<c_void>,
    size: usize,
    _name: In<c_char>,
    count: u32,
    names: Out<CUjit_option>,
    values: Out<Out<c_void>>,
) -> Result<(), CUresult> {
    let data = data.required()?;
    let jit = options(count, names, values)?;
    let from = std::ptr::with_exposed_provenance::<u8>(data.addr());
    let bytes = if size == 0 && kind == CUjitInputType::INPUT_PTX {
        // SAFETY: by the C contract PTX is NUL-terminated.
        unsafe { CStr::from_ptr(from.cast()) }.to_bytes()
    } else {
        // SAFETY: by the C contract that many bytes for the call.
        unsafe { std::slice::from_raw_parts(from, size) }
    };
    add(state, &jit, || input(kind, bytes))
}

pub(crate) fn add_file(
    state: CUlinkState,
    kind: CUjitInputType,
    path: In<c_char>,
    count: u32,
    names: Out<CUjit_option>,
    values: Out<Out<c_void>>,
) -> Result<(), CUresult> {
    let path = text(path)?;
    let jit = options(count, names, values)?;
    add(state, &jit, || {
        let bytes = std::fs::read(path)
            .map_err(|error| LoadError::new(CUresult::FILE_NOT_FOUND, error.to_string()))?;
        input(kind, &bytes)
    })
}

/// The image belongs to the state.
pub(crate) fn complete(
    state: CUlinkState,
    out: Out<Out<c_void>>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let link = LINKS.get(state.0)?;
    let (address, bytes) = link.complete(chooser()?).map_err(|error| report(&error))?;
    out.set(Out::new(address))?;
    size.set_opt(bytes);
    Ok(())
}

pub(crate) fn destroy(state: CUlinkState) -> Result<(), CUresult> {
    LINKS.remove(state.0).map(drop)
}
