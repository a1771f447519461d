//! `cuLink*`.

use std::ffi::{CStr, c_char, c_void};

use cuda_abi::driver::{CUjit_option, CUjitInputType, CUlinkState, CUresult, In, Out};
use jit::inputs::Kind;

use super::image::{JitOptions, chooser, options};
use crate::boundary::complain;
use crate::core::handle::Table;
use crate::core::image::LoadError;
use crate::core::link::Link;
use crate::core::module::report;
use crate::ffi::{Write, text};

/// A link and the options it was begun with, whose log buffers live as long as it does (CUDA Driver API 13.0,
/// cuLinkCreate).
struct State {
    link: Link,
    jit: JitOptions,
}

/// All link states.
static LINKS: Table<State> = Table::new(10, CUresult::INVALID_HANDLE);

pub(crate) fn create(
    count: u32,
    names: Out<CUjit_option>,
    values: Out<Out<c_void>>,
    out: Out<CUlinkState>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let jit = options(count, names, values)?;
    if !jit.symbols.is_empty() {
        complain("CU_JIT_GLOBAL_SYMBOL_COUNT in cuLinkCreate: give them when the module is loaded");
        return Err(CUresult::NOT_SUPPORTED);
    }
    crate::core::context::current()?;
    jit.answer(Ok(""));
    let link = Link::new(jit.options);
    out.set(CUlinkState(LINKS.insert(State { link, jit })?))
}

/// What the type says; NVVM IR and numbers that are no type are refused.
fn kind(kind: CUjitInputType) -> Result<Kind, LoadError> {
    match kind {
        CUjitInputType::INPUT_PTX => Ok(Kind::Ptx),
        CUjitInputType::INPUT_CUBIN => Ok(Kind::Cubin),
        CUjitInputType::INPUT_FATBINARY => Ok(Kind::Fatbinary),
        CUjitInputType::INPUT_OBJECT => Ok(Kind::Object),
        CUjitInputType::INPUT_LIBRARY => Ok(Kind::Library),
        CUjitInputType::INPUT_NVVM => Err(LoadError::new(
            CUresult::NOT_SUPPORTED,
            "error   : linking NVVM IR is not supported\n",
        )),
        _ => Err(LoadError::new(CUresult::INVALID_VALUE, String::new())),
    }
}

/// Adds; both the call's own options and those of the link get the log.
fn add(
    state: CUlinkState,
    jit: &JitOptions,
    input: CUjitInputType,
    name: &str,
    bytes: &[u8],
) -> Result<(), CUresult> {
    let state = LINKS.get(state.0)?;
    let chooser = chooser()?;
    let outcome = kind(input).and_then(|kind| state.link.add(chooser, kind, name, bytes));
    let answer = outcome.as_ref().map(|()| "");
    jit.answer(answer);
    if answer.is_err() {
        state.jit.answer(answer);
    }
    outcome.map_err(|error| report(&error))
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn add_data(
    state: CUlinkState,
    kind: CUjitInputType,
    data: Out<c_void>,
    size: usize,
    name: In<c_char>,
    count: u32,
    names: Out<CUjit_option>,
    values: Out<Out<c_void>>,
) -> Result<(), CUresult> {
    let data = data.required()?;
    let jit = options(count, names, values)?;
    let name = if name.is_null() { "" } else { text(name)? };
    let name = match (name, kind) {
        ("", CUjitInputType::INPUT_PTX) => "ptx input",
        ("", _) => "input",
        (given, _) => given,
    };
    let from = std::ptr::with_exposed_provenance::<u8>(data.addr());
    let bytes = if size == 0 && kind == CUjitInputType::INPUT_PTX {
        // SAFETY: by the C contract PTX is NUL-terminated.
        unsafe { CStr::from_ptr(from.cast()) }.to_bytes()
    } else {
        // SAFETY: by the C contract that many bytes for the call.
        unsafe { std::slice::from_raw_parts(from, size) }
    };
    add(state, &jit, kind, name, bytes)
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
    let bytes = std::fs::read(path).map_err(|error| {
        let error = LoadError::new(CUresult::FILE_NOT_FOUND, format!("{path}: {error}\n"));
        jit.answer(Err(&error));
        report(&error)
    })?;
    add(state, &jit, kind, path, &bytes)
}

/// The image belongs to the state.
pub(crate) fn complete(
    state: CUlinkState,
    out: Out<Out<c_void>>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let state = LINKS.get(state.0)?;
    let outcome = state.link.complete(chooser()?, state.jit.verbose);
    let answer = outcome.as_ref().map(|(_, _, info)| info.as_str());
    state.jit.answer(answer);
    let (address, bytes, _) = outcome.map_err(|error| report(&error))?;
    out.set(Out::new(address))?;
    size.set_opt(bytes);
    Ok(())
}

pub(crate) fn destroy(state: CUlinkState) -> Result<(), CUresult> {
    LINKS.remove(state.0).map(drop)
}
