//! Contexts.

use std::sync::atomic::Ordering;

use cuda_abi::driver::{
    CUcontext, CUctxCreateParams, CUdevice, CUexecAffinityParam, CUexecAffinityType, CUfunc_cache,
    CUlimit, CUresult, CUsharedconfig, Out,
};

use super::primary_context::check_flags;
use crate::core::context::{self, CONTEXTS};
use crate::core::platform;
use crate::ffi::{Read, Write};

fn create_version(
    out: Out<CUcontext>,
    flags: u32,
    dev: CUdevice,
    version: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    platform::get()?.device(dev)?;
    check_flags(flags)?;
    let ordinal = usize::try_from(dev).map_err(|_| CUresult::INVALID_DEVICE)?;
    let context = context::create(ordinal, flags, version)?;
    context::push(context.handle);
    out.set(CUcontext(context.handle))
}

pub(crate) fn create_v1(out: Out<CUcontext>, flags: u32, dev: CUdevice) -> Result<(), CUresult> {
    create_version(out, flags, dev, 3010)
}

pub(crate) fn create_v2(out: Out<CUcontext>, flags: u32, dev: CUdevice) -> Result<(), CUresult> {
    create_version(out, flags, dev, 3020)
}

/// A share of the SMs needs MPS.
pub(crate) fn create_v3(
    out: Out<CUcontext>,
    params: Out<CUexecAffinityParam>,
    count: i32,
    flags: u32,
    dev: CUdevice,
) -> Result<(), CUresult> {
    if !params.is_null() && count > 0 {
        return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY);
    }
    create_version(out, flags, dev, 3020)
}

/// A share of the SMs needs MPS; graphics contexts to share with there are none.
pub(crate) fn create_v4(
    out: Out<CUcontext>,
    params: Out<CUctxCreateParams>,
    flags: u32,
    dev: CUdevice,
) -> Result<(), CUresult> {
    if let Some(params) = params.get_opt() {
        if !params.execAffinityParams.is_null() && params.numExecAffinityParams > 0 {
            return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY);
        }
        if !params.cigParams.is_null() {
            return Err(CUresult::NOT_SUPPORTED);
        }
    }
    create_version(out, flags, dev, 3020)
}

/// Primary contexts cannot be destroyed, only released.
pub(crate) fn destroy(ctx: CUcontext) -> Result<(), CUresult> {
    let context = CONTEXTS.get(ctx.0)?;
    if context.primary {
        return Err(CUresult::INVALID_CONTEXT);
    }
    CONTEXTS.remove(ctx.0)?;
    context.end();
    if context::current_handle() == Some(ctx.0) {
        context::pop();
    }
    Ok(())
}

/// `cuCtxAttach` of CUDA 2.0: another reference to the current context.
pub(crate) fn attach(out: Out<CUcontext>, flags: u32) -> Result<(), CUresult> {
    let out = out.required()?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let context = context::current_context()?;
    context.attach();
    out.set(CUcontext(context.handle))
}

/// Undoes an attachment; without one, destroys.
pub(crate) fn detach(ctx: CUcontext) -> Result<(), CUresult> {
    let context = CONTEXTS.get(ctx.0)?;
    if context.detach() {
        Ok(())
    } else {
        destroy(ctx)
    }
}

pub(crate) fn push(ctx: CUcontext) -> Result<(), CUresult> {
    CONTEXTS.get(ctx.0)?;
    context::push(ctx.0);
    Ok(())
}

pub(crate) fn pop(out: Out<CUcontext>) -> Result<(), CUresult> {
    let handle = context::pop().ok_or(CUresult::INVALID_CONTEXT)?;
    out.set_opt(CUcontext(handle));
    Ok(())
}

/// The null context takes the current one off the stack.
pub(crate) fn set_current(ctx: CUcontext) -> Result<(), CUresult> {
    if ctx == CUcontext::NULL {
        context::set_current(None);
        return Ok(());
    }
    CONTEXTS.get(ctx.0)?;
    context::set_current(Some(ctx.0));
    Ok(())
}

pub(crate) fn get_current(out: Out<CUcontext>) -> Result<(), CUresult> {
    out.required()?
        .set(CUcontext(context::current_handle().unwrap_or(0)))
}

/// The named context, or the current one for null.
fn named(ctx: CUcontext) -> Result<std::sync::Arc<context::Context>, CUresult> {
    if ctx == CUcontext::NULL {
        context::current_context()
    } else {
        CONTEXTS.get(ctx.0)
    }
}

pub(crate) fn get_device(out: Out<CUdevice>) -> Result<(), CUresult> {
    get_device_v2(out, CUcontext::NULL)
}

pub(crate) fn get_device_v2(out: Out<CUdevice>, ctx: CUcontext) -> Result<(), CUresult> {
    out.required()?
        .set(i32::try_from(named(ctx)?.ordinal).unwrap_or(i32::MAX))
}

pub(crate) fn synchronize() -> Result<(), CUresult> {
    synchronized(&*context::current()?)
}

pub(crate) fn synchronize_v2(ctx: CUcontext) -> Result<(), CUresult> {
    synchronized(&*named(ctx)?.live_and_well()?)
}

fn synchronized(live: &context::Live) -> Result<(), CUresult> {
    crate::core::graph::capture::forbid_in(live.context)?;
    live.synchronize()
}

pub(crate) fn get_flags(flags: Out<u32>) -> Result<(), CUresult> {
    flags
        .required()?
        .set(context::current_context()?.flags.load(Ordering::SeqCst))
}

pub(crate) fn set_flags(flags: u32) -> Result<(), CUresult> {
    check_flags(flags)?;
    context::current_context()?
        .flags
        .store(flags, Ordering::SeqCst);
    Ok(())
}

pub(crate) fn get_id(ctx: CUcontext, id: Out<u64>) -> Result<(), CUresult> {
    let id = id.required()?;
    id.set(named(ctx)?.live().ok_or(CUresult::CONTEXT_IS_DESTROYED)?.id)
}

pub(crate) fn get_api_version(ctx: CUcontext, version: Out<u32>) -> Result<(), CUresult> {
    let version = version.required()?;
    version.set(named(ctx)?.api_version)
}

pub(crate) fn get_limit(value: Out<usize>, limit: CUlimit) -> Result<(), CUresult> {
    let value = value.required()?;
    let live = context::current()?;
    let limits = live
        .limits
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let found = limits.get(limit).ok_or(limit_error(limit))?;
    value.set(usize::try_from(found).unwrap_or(usize::MAX))
}

/// Sizes of the printf FIFO and the heap can be set until a kernel that uses them was launched.
pub(crate) fn set_limit(limit: CUlimit, value: usize) -> Result<(), CUresult> {
    let live = context::current()?;
    let fixed = match limit {
        CUlimit::PRINTF_FIFO_SIZE => live.fifo.get().is_some(),
        CUlimit::MALLOC_HEAP_SIZE => live.heap.get().is_some(),
        _ => false,
    };
    let mut limits = live
        .limits
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let place = limits.get_mut(limit).ok_or(limit_error(limit))?;
    if fixed {
        return if *place == value as u64 {
            Ok(())
        } else {
            Err(CUresult::INVALID_VALUE)
        };
    }
    *place = value as u64;
    Ok(())
}

/// Limits that exist and do not apply are 215, unknown ones 1.
fn limit_error(limit: CUlimit) -> CUresult {
    if (0..CUlimit::MAX.0).contains(&limit.0) {
        CUresult::UNSUPPORTED_LIMIT
    } else {
        CUresult::INVALID_VALUE
    }
}

/// The cache preference is kept by nobody: this GPU has one cache for everything.
pub(crate) fn get_cache_config(config: Out<CUfunc_cache>) -> Result<(), CUresult> {
    let config = config.required()?;
    context::current()?;
    config.set(CUfunc_cache::NONE)
}

pub(crate) fn set_cache_config(config: CUfunc_cache) -> Result<(), CUresult> {
    context::current()?;
    if (0..=3).contains(&config.0) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// Banks are four bytes wide since Maxwell.
pub(crate) fn get_shared_mem_config(config: Out<CUsharedconfig>) -> Result<(), CUresult> {
    let config = config.required()?;
    context::current()?;
    config.set(CUsharedconfig::FOUR_BYTE_BANK_SIZE)
}

pub(crate) fn set_shared_mem_config(config: CUsharedconfig) -> Result<(), CUresult> {
    context::current()?;
    if (0..=2).contains(&config.0) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

/// Lower numbers are served first.
pub(crate) const PRIORITIES: (i32, i32) = (0, -5);

pub(crate) fn get_stream_priority_range(
    least: Out<i32>,
    greatest: Out<i32>,
) -> Result<(), CUresult> {
    context::current()?;
    least.set_opt(PRIORITIES.0);
    greatest.set_opt(PRIORITIES.1);
    Ok(())
}

/// Nothing persists in this GPU's cache.
pub(crate) fn reset_persisting_l2_cache() -> Result<(), CUresult> {
    context::current().map(drop)
}

pub(crate) fn get_exec_affinity(
    out: Out<CUexecAffinityParam>,
    kind: CUexecAffinityType,
) -> Result<(), CUresult> {
    out.required()?;
    context::current()?;
    if kind != CUexecAffinityType::SM_COUNT {
        return Err(CUresult::INVALID_VALUE);
    }
    Err(CUresult::UNSUPPORTED_EXEC_AFFINITY)
}
