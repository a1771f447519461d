//! Libraries and their kernels.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Mutex;

use cuda_abi::driver::{
    CUdevice, CUdeviceptr, CUfunc_cache, CUfunction, CUfunction_attribute, CUjit_option, CUkernel,
    CUlibrary, CUlibraryOption, CUmodule, CUresult, In, Out,
};

use super::function;
use super::image::{JitOptions, open, open_file, options};
use crate::core::context;
use crate::core::image::{Image, LoadError};
use crate::core::module::{self, FUNCTIONS, KERNELS, LIBRARIES, MODULES, Module};
use crate::core::platform;
use crate::ffi::{Write, static_text, text};

/// A name as a C string that lives as long as the process: `cuKernelGetName` and its kin hand out pointers.
pub(crate) fn c_name(name: &str) -> Result<In<c_char>, CUresult> {
    static NAMES: Mutex<Option<HashMap<String, &'static CStr>>> = Mutex::new(None);
    let mut names = NAMES
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if let Some(known) = names.get(name) {
        return Ok(static_text(known));
    }
    let c: &'static CStr = Box::leak(
        CString::new(name)
            .map_err(|_| CUresult::UNKNOWN)?
            .into_boxed_c_str(),
    );
    names.insert(name.to_owned(), c);
    Ok(static_text(c))
}

fn load_image(
    out: Out<CUlibrary>,
    jit: &JitOptions,
    image: impl FnOnce() -> Result<Image, LoadError>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let image = jit.image(image)?;
    out.set(CUlibrary(module::load_library(image, jit.options)?))
}

/// Library options say who keeps the image in memory; it is copied here, so they change nothing.
#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn load_data(
    out: Out<CUlibrary>,
    code: In<c_void>,
    names: Out<CUjit_option>,
    values: Out<Out<c_void>>,
    count: u32,
    _library_options: Out<CUlibraryOption>,
    _library_values: Out<Out<c_void>>,
    _library_count: u32,
) -> Result<(), CUresult> {
    let jit = options(count, names, values)?;
    load_image(out, &jit, || open(code))
}

#[expect(clippy::too_many_arguments, reason = "the C function's")]
pub(crate) fn load_from_file(
    out: Out<CUlibrary>,
    path: In<c_char>,
    names: Out<CUjit_option>,
    values: Out<Out<c_void>>,
    count: u32,
    _library_options: Out<CUlibraryOption>,
    _library_values: Out<Out<c_void>>,
    _library_count: u32,
) -> Result<(), CUresult> {
    let jit = options(count, names, values)?;
    let path = text(path)?;
    load_image(out, &jit, || open_file(path))
}

pub(crate) fn unload(library: CUlibrary) -> Result<(), CUresult> {
    module::unload_library(library.0)
}

pub(crate) fn get_kernel(
    out: Out<CUkernel>,
    library: CUlibrary,
    name: In<c_char>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let name = text(name)?;
    out.set(LIBRARIES.get(library.0)?.kernel(name)?)
}

pub(crate) fn get_kernel_count(count: Out<u32>, library: CUlibrary) -> Result<(), CUresult> {
    let count = count.required()?;
    count.set(u32::try_from(LIBRARIES.get(library.0)?.image.kernels.len()).unwrap_or(u32::MAX))
}

pub(crate) fn enumerate_kernels(
    out: Out<CUkernel>,
    count: u32,
    library: CUlibrary,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let library = LIBRARIES.get(library.0)?;
    for (index, handle) in library
        .kernels
        .get()
        .into_iter()
        .flatten()
        .take(count as usize)
        .enumerate()
    {
        out.set_at(index, CUkernel(*handle));
    }
    Ok(())
}

/// The library as a module of the current context.
pub(crate) fn get_module(out: Out<CUmodule>, library: CUlibrary) -> Result<(), CUresult> {
    let out = out.required()?;
    let live = context::current()?;
    let loaded = LIBRARIES.get(library.0)?.in_context(&live)?;
    let handle = match loaded.handle.get() {
        Some(handle) => *handle,
        None => {
            let new = MODULES.insert(Module {
                loaded: loaded.clone(),
            })?;
            *loaded.handle.get_or_init(|| new)
        }
    };
    out.set(CUmodule(handle))
}

pub(crate) fn get_global(
    address: Out<CUdeviceptr>,
    bytes: Out<usize>,
    library: CUlibrary,
    name: In<c_char>,
) -> Result<(), CUresult> {
    let name = text(name)?;
    let library = LIBRARIES.get(library.0)?;
    let live = context::current()?;
    let (va, size) = library.in_context(&live)?.variable(name)?;
    address.set_opt(va);
    bytes.set_opt(usize::try_from(size).unwrap_or(usize::MAX));
    Ok(())
}

/// Managed variables have one address for all contexts; the library is loaded into the current one, or into the primary
/// context of device 0.
pub(crate) fn get_managed(
    address: Out<CUdeviceptr>,
    bytes: Out<usize>,
    library: CUlibrary,
    name: In<c_char>,
) -> Result<(), CUresult> {
    let name = text(name)?;
    let library = LIBRARIES.get(library.0)?;
    let managed = library
        .image
        .variables
        .iter()
        .any(|v| v.name == name && v.managed);
    if !managed {
        return Err(CUresult::NOT_FOUND);
    }
    let live = match context::current() {
        Ok(live) => live,
        Err(CUresult::INVALID_CONTEXT) => {
            let primary = context::primary(0)?;
            if primary.live().is_none() {
                primary.retain()?;
            }
            primary.live_and_well()?
        }
        Err(error) => return Err(error),
    };
    let (va, size) = library.in_context(&live)?.variable(name)?;
    address.set_opt(va);
    bytes.set_opt(usize::try_from(size).unwrap_or(usize::MAX));
    Ok(())
}

pub(crate) fn kernel_get_function(out: Out<CUfunction>, kernel: CUkernel) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(KERNELS.get(kernel.0)?.function()?)
}

pub(crate) fn kernel_get_library(out: Out<CUlibrary>, kernel: CUkernel) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(CUlibrary(KERNELS.get(kernel.0)?.library.handle))
}

pub(crate) fn kernel_get_name(out: Out<In<c_char>>, kernel: CUkernel) -> Result<(), CUresult> {
    let out = out.required()?;
    let name = match KERNELS.get(kernel.0) {
        Ok(kernel) => kernel.library.image.kernels[kernel.kernel].name.clone(),
        Err(_) => FUNCTIONS.get(kernel.0)?.info().name.clone(),
    };
    out.set(c_name(&name)?)
}

pub(crate) fn kernel_get_param_info(
    kernel: CUkernel,
    index: usize,
    offset: Out<usize>,
    size: Out<usize>,
) -> Result<(), CUresult> {
    let kernel = KERNELS.get(kernel.0)?;
    function::param_info(
        &kernel.library.image.kernels[kernel.kernel],
        index,
        offset,
        size,
    )
}

/// Runs `body` with the kernel as a function of the device's context.
fn on_device<R>(
    kernel: CUkernel,
    dev: CUdevice,
    body: impl FnOnce(CUfunction) -> Result<R, CUresult>,
) -> Result<R, CUresult> {
    platform::get()?.device(dev)?;
    let ordinal = usize::try_from(dev).map_err(|_| CUresult::INVALID_DEVICE)?;
    let kernel = KERNELS.get(kernel.0)?;
    let live = match context::current_context() {
        Ok(context) if context.ordinal == ordinal => context.live_and_well()?,
        Ok(_) | Err(_) => {
            let primary = context::primary(ordinal)?;
            if primary.live().is_none() {
                primary.retain()?;
            }
            primary.live_and_well()?
        }
    };
    body(kernel.library.in_context(&live)?.function(kernel.kernel)?)
}

pub(crate) fn kernel_get_attribute(
    out: Out<i32>,
    attribute: CUfunction_attribute,
    kernel: CUkernel,
    dev: CUdevice,
) -> Result<(), CUresult> {
    on_device(kernel, dev, |f| function::get_attribute(out, attribute, f))
}

pub(crate) fn kernel_set_attribute(
    attribute: CUfunction_attribute,
    value: i32,
    kernel: CUkernel,
    dev: CUdevice,
) -> Result<(), CUresult> {
    on_device(kernel, dev, |f| {
        function::set_attribute(f, attribute, value)
    })
}

pub(crate) fn kernel_set_cache_config(
    kernel: CUkernel,
    config: CUfunc_cache,
    dev: CUdevice,
) -> Result<(), CUresult> {
    on_device(kernel, dev, |f| function::set_cache_config(f, config))
}

/// Functions with one address for host and all devices: PTX that this driver compiles has none.
pub(crate) fn get_unified_function(
    out: Out<Out<c_void>>,
    library: CUlibrary,
    name: In<c_char>,
) -> Result<(), CUresult> {
    out.required()?;
    LIBRARIES.get(library.0)?;
    text(name)?;
    Err(CUresult::NOT_FOUND)
}
