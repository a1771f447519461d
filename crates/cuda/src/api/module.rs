//! Modules.

use std::ffi::{c_char, c_void};

use cuda_abi::driver::{
    CUdeviceptr, CUfunction, CUjit_option, CUmodule, CUmoduleLoadingMode, CUresult, In, Out,
};

use super::image::{JitOptions, open, open_file, options};
use crate::core::image::{Image, LoadError};
use crate::core::module::{self, MODULES, is_eager, report};
use crate::ffi::{Write, text};

fn load_image(
    out: Out<CUmodule>,
    jit: &JitOptions,
    image: impl FnOnce() -> Result<Image, LoadError>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    crate::core::context::current()?;
    let image = jit.image(image)?;
    let loaded = module::load(image, jit.options);
    if let Err(error) = &loaded {
        jit.answer(Err(error));
    }
    out.set(CUmodule(loaded.map_err(|error| report(&error))?))
}

pub(crate) fn load(out: Out<CUmodule>, path: In<c_char>) -> Result<(), CUresult> {
    let path = text(path)?;
    load_image(out, &JitOptions::none(), || open_file(path))
}

pub(crate) fn load_data(out: Out<CUmodule>, image: In<c_void>) -> Result<(), CUresult> {
    load_image(out, &JitOptions::none(), || open(image))
}

pub(crate) fn load_data_ex(
    out: Out<CUmodule>,
    image: In<c_void>,
    count: u32,
    names: Out<CUjit_option>,
    values: Out<Out<c_void>>,
) -> Result<(), CUresult> {
    let jit = options(count, names, values)?;
    load_image(out, &jit, || open(image))
}

pub(crate) fn unload(module: CUmodule) -> Result<(), CUresult> {
    module::unload(module.0)
}

pub(crate) fn get_function(
    out: Out<CUfunction>,
    module: CUmodule,
    name: In<c_char>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let name = text(name)?;
    let module = MODULES.get(module.0)?;
    let kernel = module
        .loaded
        .image
        .kernel(name)
        .ok_or(CUresult::NOT_FOUND)?;
    out.set(module.loaded.function(kernel)?)
}

pub(crate) fn get_function_count(count: Out<u32>, module: CUmodule) -> Result<(), CUresult> {
    let count = count.required()?;
    count.set(u32::try_from(MODULES.get(module.0)?.loaded.image.kernels.len()).unwrap_or(u32::MAX))
}

pub(crate) fn enumerate_functions(
    out: Out<CUfunction>,
    count: u32,
    module: CUmodule,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let module = MODULES.get(module.0)?;
    let there = module.loaded.image.kernels.len();
    for kernel in 0..there.min(count as usize) {
        out.set_at(kernel, module.loaded.function(kernel)?);
    }
    Ok(())
}

/// Either place may be null.
pub(crate) fn get_global(
    address: Out<CUdeviceptr>,
    bytes: Out<usize>,
    module: CUmodule,
    name: In<c_char>,
) -> Result<(), CUresult> {
    let name = text(name)?;
    let module = MODULES.get(module.0)?;
    let (va, size) = module.loaded.variable(name)?;
    address.set_opt(va);
    bytes.set_opt(usize::try_from(size).unwrap_or(usize::MAX));
    Ok(())
}

/// How modules are loaded.
pub(crate) fn get_loading_mode(mode: Out<CUmoduleLoadingMode>) -> Result<(), CUresult> {
    let answer = if is_eager() {
        CUmoduleLoadingMode::EAGER_LOADING
    } else {
        CUmoduleLoadingMode::LAZY_LOADING
    };
    mode.required()?.set(answer)
}
