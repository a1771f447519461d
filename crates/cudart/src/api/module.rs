//! Registration, as the code that nvcc adds to a program asks for it.
//!
//! These functions cannot fail in C. What goes wrong is met again, with its error, when the kernel
//! or the variable is used.

use crate::registry;
use std::ffi::{c_char, c_void};

/// `__cudaRegisterFatBinary`.
pub(crate) fn register(image: *const c_void) -> *mut *mut c_void {
    registry::register_image(image).map_or(std::ptr::null_mut(), std::ptr::without_provenance_mut)
}

/// `__cudaRegisterFatBinaryEnd`: nothing is left to do, everything loads on first use.
pub(crate) fn register_end(_handle: *mut *mut c_void) {}

/// `__cudaUnregisterFatBinary`.
pub(crate) fn unregister(handle: *mut *mut c_void) {
    let _ = registry::unregister_image(handle.addr());
}

/// `__cudaRegisterFunction`.
pub(crate) fn register_function(
    handle: *mut *mut c_void,
    stub: *const c_char,
    name: *const c_char,
) {
    let _ = registry::register_kernel(handle.addr(), stub.cast(), name);
}

/// `__cudaRegisterVar`.
pub(crate) fn register_variable(
    handle: *mut *mut c_void,
    shadow: *const c_char,
    name: *const c_char,
    size: usize,
) {
    let _ = registry::register_variable(handle.addr(), shadow.cast(), name, size);
}

/// `__cudaRegisterManagedVar`.
pub(crate) fn register_managed(
    handle: *mut *mut c_void,
    slot: *mut *mut c_void,
    name: *const c_char,
    size: usize,
) {
    let _ = registry::register_managed(handle.addr(), slot, name, size);
}

/// `__cudaInitModule`: 1 if the module's managed variables may be used.
pub(crate) fn init(handle: *mut *mut c_void) -> u8 {
    match registry::init_module(handle.addr()) {
        Ok(()) => 1,
        Err(error) => {
            crate::thread::record(error);
            0
        }
    }
}
