//! Events.

use cuda_abi::driver::{CUevent, CUresult, CUstream, Out};

use crate::core::event::{self, EVENTS};
use crate::core::stream;
use crate::ffi::Write;

/// Events between processes need memory handles between processes.
pub(crate) fn create(out: Out<CUevent>, flags: u32) -> Result<(), CUresult> {
    const KNOWN: u32 = 7;
    const INTERPROCESS: u32 = 4;
    let out = out.required()?;
    if flags & !KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if flags & INTERPROCESS != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    out.set(event::create(flags)?)
}

pub(crate) fn destroy(event: CUevent) -> Result<(), CUresult> {
    event::destroy(event)
}

pub(crate) fn record(event: CUevent, s: CUstream) -> Result<(), CUresult> {
    let event = EVENTS.get(event.0)?;
    event.record(&stream::resolve(s)?)
}

pub(crate) fn record_with_flags(event: CUevent, s: CUstream, flags: u32) -> Result<(), CUresult> {
    if flags > 1 {
        Err(CUresult::INVALID_VALUE)
    } else {
        record(event, s)
    }
}

pub(crate) fn query(event: CUevent) -> Result<(), CUresult> {
    EVENTS.get(event.0)?.query()
}

pub(crate) fn synchronize(event: CUevent) -> Result<(), CUresult> {
    EVENTS.get(event.0)?.synchronize()
}

pub(crate) fn elapsed_time(
    milliseconds: Out<f32>,
    start: CUevent,
    end: CUevent,
) -> Result<(), CUresult> {
    let milliseconds = milliseconds.required()?;
    let (start, end) = (EVENTS.get(start.0)?, EVENTS.get(end.0)?);
    milliseconds.set(end.milliseconds_since(&start)?)
}
