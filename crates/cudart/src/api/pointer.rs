//! What a pointer points to.

use crate::context;
use crate::driver::cu;
use crate::ffi::Out;
use crate::layout::cudaPointerAttributes;
use cuda_abi::runtime::CudaError;
use std::ffi::c_void;

/// `CUpointer_attribute` numbers, in the order of the answers below.
const ASKED: [u32; 5] = [2, 3, 4, 8, 9];

/// `cudaInvalidDeviceId`.
const NO_DEVICE: i32 = -2;
/// `cudaMemoryTypeManaged`; host (1) and device (2) are numbered alike in both APIs.
const MANAGED: u32 = 3;

/// `cudaPointerGetAttributes`; a pointer that the driver does not know is no error.
pub(crate) fn attributes(
    out: Out<cudaPointerAttributes>,
    pointer: *const c_void,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut kind = 0_u32;
    let mut device_pointer: *mut c_void = std::ptr::null_mut();
    let mut host_pointer: *mut c_void = std::ptr::null_mut();
    let mut managed = 0_u32;
    let mut device = 0_i32;
    let mut answers: [*mut c_void; 5] = [
        (&raw mut kind).cast(),
        (&raw mut device_pointer).cast(),
        (&raw mut host_pointer).cast(),
        (&raw mut managed).cast(),
        (&raw mut device).cast(),
    ];
    cu!(cuPointerGetAttributes(
        5,
        ASKED.as_ptr(),
        answers.as_mut_ptr(),
        pointer.addr() as u64
    ))?;
    if kind == 0 {
        device = NO_DEVICE;
        device_pointer = std::ptr::null_mut();
        host_pointer = pointer.cast_mut();
    }
    out.set(cudaPointerAttributes {
        kind: if managed & 0xff != 0 { MANAGED } else { kind },
        device,
        devicePointer: device_pointer,
        hostPointer: host_pointer,
        #[cfg(feature = "major-13")]
        reserved: [0; 8],
    })
}
