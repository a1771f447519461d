//! Devices and their primary contexts.
//!
//! A thread's first call that needs a context makes its device's primary context current. A
//! context that the program made current itself (Driver API) is used as it is.

use crate::driver::{cu, types::CUcontext};
use crate::{registry, thread};
use cuda_abi::runtime::CudaError;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A primary context that this process has retained.
#[derive(Clone, Copy)]
struct Primary {
    context: CUcontext,
    /// `cudaDeviceReset` ended it, and nothing has needed it since.
    reset: bool,
}

/// The primary contexts this process holds, by device; retained once, and once more after each
/// reset, and never released.
static PRIMARY: Mutex<Vec<Option<Primary>>> = Mutex::new(Vec::new());

/// How many of them are reset, so that [`ensure`] need not look as long as none is.
static RESETS: AtomicUsize = AtomicUsize::new(0);

/// Makes sure that the calling thread has a current context.
///
/// # Errors
/// No driver, no device, or what creating the context says.
pub(crate) fn ensure() -> Result<CUcontext, CudaError> {
    let mut current = CUcontext(0);
    cu!(cuCtxGetCurrent(&raw mut current))?;
    if current.0 == 0 {
        return make_current(thread::device());
    }
    if RESETS.load(Ordering::Acquire) != 0
        && let Some(device) = device_of_reset(current)?
    {
        return make_current(device);
    }
    Ok(current)
}

/// The device whose primary context this is, if that is one that was reset.
fn device_of_reset(context: CUcontext) -> Result<Option<i32>, CudaError> {
    let contexts = PRIMARY.lock().map_err(|_| CudaError::Unknown)?;
    let found = contexts
        .iter()
        .position(|held| held.is_some_and(|held| held.reset && held.context == context));
    Ok(found.and_then(|index| i32::try_from(index).ok()))
}

/// Ends the primary context of a device; the next call that needs one makes it anew.
///
/// # Errors
/// `InvalidDevice` for an ordinal that does not exist.
pub(crate) fn reset(device: i32) -> Result<(), CudaError> {
    let index = check_ordinal(device)?;
    let mut contexts = PRIMARY.lock().map_err(|_| CudaError::Unknown)?;
    if contexts.len() <= index {
        contexts.resize(index + 1, None);
    }
    if contexts[index].is_none() {
        // The program may have made it itself (Driver API), and have it current.
        contexts[index] = active(device)?.map(|context| Primary {
            context,
            reset: false,
        });
    }
    cu!(cuDevicePrimaryCtxReset_v2(handle(device)?))?;
    if let Some(Some(held)) = contexts.get_mut(index)
        && !held.reset
    {
        held.reset = true;
        RESETS.fetch_add(1, Ordering::Release);
    }
    drop(contexts);
    registry::context_reset()
}

/// The primary context of a device if somebody has made it active.
fn active(device: i32) -> Result<Option<CUcontext>, CudaError> {
    let (mut flags, mut active, mut context) = (0, 0, CUcontext(0));
    let handle = handle(device)?;
    cu!(cuDevicePrimaryCtxGetState(
        handle,
        &raw mut flags,
        &raw mut active
    ))?;
    if active == 0 {
        return Ok(None);
    }
    cu!(cuDevicePrimaryCtxRetain(&raw mut context, handle))?;
    cu!(cuDevicePrimaryCtxRelease_v2(handle))?;
    Ok(Some(context))
}

/// Makes the primary context of a device current on this thread.
///
/// # Errors
/// `InvalidDevice` for an ordinal that does not exist.
pub(crate) fn make_current(device: i32) -> Result<CUcontext, CudaError> {
    let (context, first) = primary(device)?;
    cu!(cuCtxSetCurrent(context))?;
    if first {
        registry::context_made()?;
    }
    Ok(context)
}

/// The primary context of a device, and whether this call retained it.
///
/// # Errors
/// `InvalidDevice` for an ordinal that does not exist.
pub(crate) fn primary(device: i32) -> Result<(CUcontext, bool), CudaError> {
    let index = check_ordinal(device)?;
    let mut contexts = PRIMARY.lock().map_err(|_| CudaError::Unknown)?;
    if contexts.len() <= index {
        contexts.resize(index + 1, None);
    }
    if let Some(held) = contexts[index]
        && !held.reset
    {
        return Ok((held.context, false));
    }
    let mut context = CUcontext(0);
    cu!(cuDevicePrimaryCtxRetain(&raw mut context, handle(device)?))?;
    let before = contexts[index].replace(Primary {
        context,
        reset: false,
    });
    if before.is_some() {
        RESETS.fetch_sub(1, Ordering::Release);
    }
    Ok((context, true))
}

/// The number of devices.
///
/// # Errors
/// No driver or no device.
pub(crate) fn count() -> Result<i32, CudaError> {
    let mut count = 0;
    cu!(cuDeviceGetCount(&raw mut count))?;
    if count == 0 {
        Err(CudaError::NoDevice)
    } else {
        Ok(count)
    }
}

/// The ordinal as an index.
///
/// # Errors
/// `InvalidDevice` outside the range.
pub(crate) fn check_ordinal(device: i32) -> Result<usize, CudaError> {
    if device >= count()? {
        return Err(CudaError::InvalidDevice);
    }
    usize::try_from(device).map_err(|_| CudaError::InvalidDevice)
}

/// The driver's handle of a device.
///
/// # Errors
/// `InvalidDevice` outside the range.
pub(crate) fn handle(device: i32) -> Result<i32, CudaError> {
    let mut handle = 0;
    check_ordinal(device)?;
    cu!(cuDeviceGet(&raw mut handle, device))?;
    Ok(handle)
}

/// The device of the thread's current context, or the one that its first call will use.
///
/// # Errors
/// No driver or no device.
pub(crate) fn current_device() -> Result<i32, CudaError> {
    let mut current = CUcontext(0);
    cu!(cuCtxGetCurrent(&raw mut current))?;
    if current.0 == 0 {
        return Ok(thread::device());
    }
    let mut device = 0;
    cu!(cuCtxGetDevice(&raw mut device))?;
    Ok(device)
}

/// One attribute of a device (`CUdevice_attribute`).
///
/// # Errors
/// `InvalidDevice` or `InvalidValue`.
pub(crate) fn attribute(attribute: u32, device: i32) -> Result<i32, CudaError> {
    let mut value = 0;
    cu!(cuDeviceGetAttribute(
        &raw mut value,
        attribute,
        handle(device)?
    ))?;
    Ok(value)
}
