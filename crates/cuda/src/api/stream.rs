//! Streams.

use std::ffi::c_void;

use cuda_abi::driver::{
    CUcontext, CUdevice, CUevent, CUhostFn, CUresult, CUstream, CUstreamCallback, Out,
};

use super::context::PRIORITIES;
use crate::core::event::EVENTS;
use crate::core::graph::capture;
use crate::core::graph::op::Op;
use crate::core::host_function;
use crate::core::stream;
use crate::ffi::Write;

pub(crate) fn create(out: Out<CUstream>, flags: u32) -> Result<(), CUresult> {
    create_with_priority(out, flags, PRIORITIES.0)
}

/// Priorities out of range are clamped.
pub(crate) fn create_with_priority(
    out: Out<CUstream>,
    flags: u32,
    priority: i32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(stream::create(
        flags,
        priority.clamp(PRIORITIES.1, PRIORITIES.0),
    )?)
}

pub(crate) fn destroy(handle: CUstream) -> Result<(), CUresult> {
    stream::destroy(handle)
}

pub(crate) fn synchronize(handle: CUstream) -> Result<(), CUresult> {
    let target = stream::resolve(handle)?;
    capture::refuse(&target.stream)?;
    capture::forbid_unsafe()?;
    target.synchronize()
}

pub(crate) fn query(handle: CUstream) -> Result<(), CUresult> {
    let target = stream::resolve(handle)?;
    capture::refuse(&target.stream)?;
    capture::forbid_unsafe()?;
    target.query()
}

pub(crate) fn get_flags(handle: CUstream, flags: Out<u32>) -> Result<(), CUresult> {
    flags.required()?.set(stream::resolve(handle)?.stream.flags)
}

pub(crate) fn get_priority(handle: CUstream, priority: Out<i32>) -> Result<(), CUresult> {
    priority
        .required()?
        .set(stream::resolve(handle)?.stream.priority())
}

pub(crate) fn get_id(handle: CUstream, id: Out<u64>) -> Result<(), CUresult> {
    id.required()?.set(stream::resolve(handle)?.stream.id)
}

pub(crate) fn get_ctx(handle: CUstream, ctx: Out<CUcontext>) -> Result<(), CUresult> {
    ctx.required()?
        .set(CUcontext(stream::resolve(handle)?.live.context))
}

pub(crate) fn get_ctx_v2(
    handle: CUstream,
    ctx: Out<CUcontext>,
    green: Out<cuda_abi::driver::CUgreenCtx>,
) -> Result<(), CUresult> {
    let mut of = cuda_abi::driver::CUgreenCtx::NULL;
    super::green::of_stream(handle, Out::new((&raw mut of).expose_provenance()))?;
    // One of the two is null.
    if of == cuda_abi::driver::CUgreenCtx::NULL {
        get_ctx(handle, ctx)?;
    } else {
        ctx.set_opt(CUcontext::NULL);
    }
    green.set_opt(of);
    Ok(())
}

pub(crate) fn get_device(handle: CUstream, device: Out<CUdevice>) -> Result<(), CUresult> {
    let ordinal = stream::resolve(handle)?.live.space.ordinal;
    device
        .required()?
        .set(i32::try_from(ordinal).unwrap_or(i32::MAX))
}

/// An event that was never recorded is passed.
pub(crate) fn wait_event(handle: CUstream, event: CUevent, flags: u32) -> Result<(), CUresult> {
    let target = stream::resolve(handle)?;
    let named = event;
    let event = EVENTS.get(event.0)?;
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    if capture::wait(&target, named, &event, flags != 0)? {
        return Ok(());
    }
    event.wait_in(&target)
}

/// The callback hears of a failure; its call is part of the stream.
pub(crate) fn add_callback(
    handle: CUstream,
    callback: CUstreamCallback,
    user_data: Out<c_void>,
    flags: u32,
) -> Result<(), CUresult> {
    let callback = callback
        .filter(|_| flags == 0)
        .ok_or(CUresult::INVALID_VALUE)?;
    let target = stream::resolve(handle)?;
    host_function::enqueue(
        &target,
        Box::new(move |outcome| {
            let status = outcome.err().unwrap_or(CUresult::SUCCESS);
            // SAFETY: the caller's function and its argument, which the C contract says outlive the call.
            host_function::calling(|| unsafe { callback(handle, status, user_data) });
        }),
    )
}

/// The function is not called after a failure.
pub(crate) fn launch_host_func(
    handle: CUstream,
    function: CUhostFn,
    user_data: Out<c_void>,
) -> Result<(), CUresult> {
    let function = function.ok_or(CUresult::INVALID_VALUE)?;
    let target = stream::resolve(handle)?;
    if capture::add(&target, || Ok(Op::Host(Some(function), user_data)))? {
        return Ok(());
    }
    host_function::enqueue(
        &target,
        Box::new(move |outcome| {
            if outcome.is_ok() {
                // SAFETY: as above.
                host_function::calling(|| unsafe { function(user_data) });
            }
        }),
    )
}
