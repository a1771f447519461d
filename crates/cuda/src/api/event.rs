//! Events.

use cuda_abi::driver::{CUevent, CUresult, CUstream, Out};

use crate::core::event::{self, EVENTS};
use crate::core::graph::capture;
use crate::core::stream;
use crate::ffi::Write;

/// Events between processes keep no time.
pub(crate) fn create(out: Out<CUevent>, flags: u32) -> Result<(), CUresult> {
    const KNOWN: u32 = 7;
    const INTERPROCESS: u32 = 4;
    const DISABLE_TIMING: u32 = 2;
    let out = out.required()?;
    if flags & !KNOWN != 0 || flags & (INTERPROCESS | DISABLE_TIMING) == INTERPROCESS {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(event::create(flags)?)
}

pub(crate) fn destroy(event: CUevent) -> Result<(), CUresult> {
    event::destroy(event)
}

pub(crate) fn record(event: CUevent, s: CUstream) -> Result<(), CUresult> {
    record_with_flags(event, s, 0)
}

pub(crate) fn record_with_flags(event: CUevent, s: CUstream, flags: u32) -> Result<(), CUresult> {
    let kept = EVENTS.get(event.0)?;
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    let target = stream::resolve(s)?;
    if capture::record(&target, event, &kept, flags != 0)? {
        return Ok(());
    }
    kept.record(&target)
}

pub(crate) fn query(event: CUevent) -> Result<(), CUresult> {
    let event = EVENTS.get(event.0)?;
    capture::forbid_event(&event)?;
    event.query()
}

pub(crate) fn synchronize(event: CUevent) -> Result<(), CUresult> {
    let event = EVENTS.get(event.0)?;
    capture::forbid_event(&event)?;
    event.synchronize()
}

pub(crate) fn elapsed_time(
    milliseconds: Out<f32>,
    start: CUevent,
    end: CUevent,
) -> Result<(), CUresult> {
    let milliseconds = milliseconds.required()?;
    let (start, end) = (EVENTS.get(start.0)?, EVENTS.get(end.0)?);
    for event in [&start, &end] {
        if event.marked(|_| ()).is_some() {
            return Err(CUresult::CAPTURED_EVENT);
        }
    }
    milliseconds.set(end.milliseconds_since(&start)?)
}
