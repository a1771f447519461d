//! Events of a whole context.

use cuda_abi::driver::{CUcontext, CUevent, CUresult};

use crate::core::context::{self, CONTEXTS};
use crate::core::event::EVENTS;
use crate::core::stream::{STREAMS, Target};

fn context_of(ctx: CUcontext) -> Result<std::sync::Arc<context::Context>, CUresult> {
    if ctx == CUcontext::NULL {
        context::current_context()
    } else {
        CONTEXTS.get(ctx.0)
    }
}

/// 900 while a stream of the context captures.
fn not_capturing(live: &context::Live) -> Result<(), CUresult> {
    let captures = |s: &std::sync::Arc<crate::core::stream::Stream>| {
        s.context == live.context && crate::core::graph::capture::refuse(s).is_err()
    };
    if STREAMS.all().iter().any(captures) || captures(&live.legacy) {
        Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
    } else {
        Ok(())
    }
}

/// Marks all work of the context so far.
pub(crate) fn record(ctx: CUcontext, event: CUevent) -> Result<(), CUresult> {
    let live = context_of(ctx)?.live_and_well()?;
    let event = EVENTS.get(event.0)?;
    if event.context != live.context {
        return Err(CUresult::INVALID_HANDLE);
    }
    not_capturing(&live)?;
    let target = Target::apart(&live)?;
    for point in live.points() {
        target.wait_for(&point)?;
    }
    event.record(&target)
}

/// Makes all work of the context from now on wait.
pub(crate) fn wait(ctx: CUcontext, event: CUevent) -> Result<(), CUresult> {
    let live = context_of(ctx)?.live_and_well()?;
    let event = EVENTS.get(event.0)?;
    not_capturing(&live)?;
    live.wait_everywhere(&event)
}
