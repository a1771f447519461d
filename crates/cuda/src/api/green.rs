//! Green contexts and the resources that they are made of.

use cuda_abi::driver::{
    CUcontext, CUdevResource, CUdevResourceDesc, CUdevResourceType, CUdevice, CUevent, CUgreenCtx,
    CUresult, CUstream, In, Out,
};

use super::context::PRIORITIES;
use super::mempool::ordinal;
use crate::core::context::CONTEXTS;
use crate::core::green::{self, DESCRIPTIONS, GREEN, Sms};
use crate::core::{context, platform, stream};
use crate::ffi::{Read, Write};

/// `CU_GREEN_CTX_DEFAULT_STREAM`, which is required.
const DEFAULT_STREAM: u32 = 1;
/// `CU_STREAM_NON_BLOCKING`, which streams of green contexts must be.
const NON_BLOCKING: u32 = 1;

fn sm(type_: CUdevResourceType) -> Result<(), CUresult> {
    if type_ == CUdevResourceType::SM {
        Ok(())
    } else {
        Err(CUresult::INVALID_RESOURCE_TYPE)
    }
}

pub(crate) fn of_device(
    dev: CUdevice,
    out: Out<CUdevResource>,
    type_: CUdevResourceType,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let ordinal = ordinal(dev)?;
    sm(type_)?;
    out.set(Sms::all(ordinal)?.resource()?)
}

pub(crate) fn of_context(
    ctx: CUcontext,
    out: Out<CUdevResource>,
    type_: CUdevResourceType,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let context = CONTEXTS.get(ctx.0)?;
    sm(type_)?;
    let sms = match context.sms {
        Some(sms) => sms,
        None => Sms::all(context.ordinal)?,
    };
    out.set(sms.resource()?)
}

pub(crate) fn of_green(
    green: CUgreenCtx,
    out: Out<CUdevResource>,
    type_: CUdevResourceType,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let green = GREEN.get(green.0)?;
    sm(type_)?;
    out.set(green.sms.resource()?)
}

/// Without a place for groups only their number is told.
pub(crate) fn split(
    groups: Out<CUdevResource>,
    count: Out<u32>,
    input: In<CUdevResource>,
    remaining: Out<CUdevResource>,
    flags: u32,
    least: u32,
) -> Result<(), CUresult> {
    const IGNORE_COSCHEDULING: u32 = 1;
    const KNOWN: u32 = 3;
    let count = count.required()?;
    let sms = Sms::of_resource(&input.get()?)?;
    if flags & !KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let major = platform::get()?.devices[sms.ordinal].capability.0;
    let unit = green::granularity(major, flags & IGNORE_COSCHEDULING != 0);
    if groups.is_null() {
        let (all, _) = sms.split(u32::MAX, least, unit);
        return count.set(u32::try_from(all.len()).unwrap_or(u32::MAX));
    }
    let (made, rest) = sms.split(count.get()?, least, unit);
    if made.is_empty() {
        return Err(CUresult::INVALID_RESOURCE_CONFIGURATION);
    }
    for (index, group) in made.iter().enumerate() {
        groups.set_at(index, group.resource()?);
    }
    if let Some(rest) = rest {
        remaining.set_opt(rest.resource()?);
    } else if !remaining.is_null() {
        let mut none = sms.resource()?;
        none.type_ = CUdevResourceType::INVALID;
        none.resource = [0; 12];
        remaining.set_opt(none);
    }
    count.set(u32::try_from(made.len()).unwrap_or(u32::MAX))
}

/// Several resources must be parts of one device that lie side by side.
pub(crate) fn describe(
    out: Out<CUdevResourceDesc>,
    resources: Out<CUdevResource>,
    count: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let mut parts = resources
        .get_all(count as usize)?
        .iter()
        .map(Sms::of_resource)
        .collect::<Result<Vec<_>, _>>()?;
    parts.sort_by_key(|s| s.first);
    let mut all = *parts.first().ok_or(CUresult::INVALID_VALUE)?;
    for part in &parts[1..] {
        if part.ordinal != all.ordinal || part.first != all.first + all.count {
            return Err(CUresult::INVALID_RESOURCE_CONFIGURATION);
        }
        all.count += part.count;
    }
    out.set(CUdevResourceDesc(DESCRIPTIONS.insert(all)?))
}

pub(crate) fn create(
    out: Out<CUgreenCtx>,
    description: CUdevResourceDesc,
    dev: CUdevice,
    flags: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let ordinal = ordinal(dev)?;
    if flags != DEFAULT_STREAM {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(CUgreenCtx(green::create(description.0, ordinal)?))
}

pub(crate) fn destroy(green: CUgreenCtx) -> Result<(), CUresult> {
    green::destroy(green.0)
}

pub(crate) fn to_context(out: Out<CUcontext>, green: CUgreenCtx) -> Result<(), CUresult> {
    out.required()?.set(CUcontext(GREEN.get(green.0)?.context))
}

pub(crate) fn get_id(green: CUgreenCtx, out: Out<u64>) -> Result<(), CUresult> {
    out.required()?.set(GREEN.get(green.0)?.id)
}

pub(crate) fn record_event(green: CUgreenCtx, event: CUevent) -> Result<(), CUresult> {
    let green = GREEN.get(green.0)?;
    super::context_event::record(CUcontext(green.context), event)
}

pub(crate) fn wait_event(green: CUgreenCtx, event: CUevent) -> Result<(), CUresult> {
    let green = GREEN.get(green.0)?;
    super::context_event::wait(CUcontext(green.context), event)
}

pub(crate) fn create_stream(
    out: Out<CUstream>,
    green: CUgreenCtx,
    flags: u32,
    priority: i32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let context = CONTEXTS.get(GREEN.get(green.0)?.context)?;
    if flags != NON_BLOCKING {
        return Err(CUresult::INVALID_VALUE);
    }
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    out.set(stream::create_in(&context, flags, priority)?)
}

/// Null for a stream that belongs to no green context.
pub(crate) fn of_stream(s: CUstream, out: Out<CUgreenCtx>) -> Result<(), CUresult> {
    let out = out.required()?;
    let stream = stream::resolve(s)?.stream;
    let current = context::current_context().map_or(0, |c| c.green());
    out.set(CUgreenCtx(if stream.is_default() {
        current
    } else {
        stream.green
    }))
}
