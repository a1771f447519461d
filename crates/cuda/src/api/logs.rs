//! The driver's log.

use std::ffi::{c_char, c_void};

use cuda_abi::driver::{CUlogIterator, CUlogsCallback, CUlogsCallbackHandle, CUresult, In, Out};

use crate::core::logs;
use crate::ffi::{Read, Write, set_text, text};

fn no_flags(flags: u32) -> Result<(), CUresult> {
    if flags == 0 {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

pub(crate) fn current(out: Out<CUlogIterator>, flags: u32) -> Result<(), CUresult> {
    no_flags(flags)?;
    out.required()?.set(logs::current())
}

/// Without a position the whole log is written; with one, what came since, and the position moves on.
pub(crate) fn dump_to_file(
    position: Out<CUlogIterator>,
    path: In<c_char>,
    flags: u32,
) -> Result<(), CUresult> {
    no_flags(flags)?;
    let path = text(path)?;
    let (lines, end) = logs::since(position.get_opt());
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(path, body).map_err(|_| CUresult::INVALID_VALUE)?;
    position.set_opt(end);
    Ok(())
}

/// The newest lines that fit, and how many bytes they are.
pub(crate) fn dump_to_memory(
    position: Out<CUlogIterator>,
    buffer: Out<c_char>,
    size: Out<usize>,
    flags: u32,
) -> Result<(), CUresult> {
    no_flags(flags)?;
    let (buffer, size) = (buffer.required()?, size.required()?);
    let room = size.get()?.min(logs::DUMP_MAX);
    if room == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let (lines, end) = logs::since(position.get_opt());
    let mut kept = Vec::new();
    let mut bytes = 0;
    for line in lines.iter().rev() {
        if bytes + line.len() + 1 >= room {
            break;
        }
        bytes += line.len() + 1;
        kept.push(line);
    }
    let body: String = kept.iter().rev().map(|line| format!("{line}\n")).collect();
    set_text(buffer, room, &body)?;
    position.set_opt(end);
    size.set(body.len())
}

pub(crate) fn register(
    callback: CUlogsCallback,
    data: Out<c_void>,
    out: Out<CUlogsCallbackHandle>,
) -> Result<(), CUresult> {
    let out = out.required()?;
    if callback.is_none() {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(CUlogsCallbackHandle(logs::register(callback, data)))
}

pub(crate) fn unregister(handle: CUlogsCallbackHandle) -> Result<(), CUresult> {
    logs::unregister(handle.0)
}
