//! Primary contexts: one per device, shared by everyone in the process.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuda_abi::driver::{CUcontext, CUctx_flags, CUdevice, CUresult, Out};

use crate::core::context::{self, Context};
use crate::core::platform;
use crate::ffi::Write;

fn primary(dev: CUdevice) -> Result<Arc<Context>, CUresult> {
    platform::get()?.device(dev)?;
    context::primary(usize::try_from(dev).map_err(|_| CUresult::INVALID_DEVICE)?)
}

pub(crate) fn retain(out: Out<CUcontext>, dev: CUdevice) -> Result<(), CUresult> {
    let out = out.required()?;
    let context = primary(dev)?;
    context.retain()?;
    out.set(CUcontext(context.handle))
}

pub(crate) fn release(dev: CUdevice) -> Result<(), CUresult> {
    primary(dev)?.release()
}

pub(crate) fn reset(dev: CUdevice) -> Result<(), CUresult> {
    primary(dev)?.reset();
    Ok(())
}

/// Flags can be set at any time since CUDA 11; an active context takes what it can.
pub(crate) fn set_flags(dev: CUdevice, flags: u32) -> Result<(), CUresult> {
    let context = primary(dev)?;
    check_flags(flags)?;
    context.flags.store(flags, Ordering::SeqCst);
    Ok(())
}

pub(crate) fn get_state(dev: CUdevice, flags: Out<u32>, active: Out<i32>) -> Result<(), CUresult> {
    let context = primary(dev)?;
    flags.set_opt(context.flags.load(Ordering::SeqCst));
    active.set_opt(i32::from(context.live().is_some()));
    Ok(())
}

/// One scheduling policy at most, and only bits that mean something.
pub(crate) fn check_flags(flags: u32) -> Result<(), CUresult> {
    let policy = flags & CUctx_flags::SCHED_MASK.0.unsigned_abs();
    if !matches!(policy, 0 | 1 | 2 | 4) || flags & !CUctx_flags::FLAGS_MASK.0.unsigned_abs() != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(())
}
