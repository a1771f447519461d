//! System calls of module tools and dmesg: `init_module`, `finit_module`, `delete_module`, `syslog`.

use rustix::io::Errno;

use super::Door;
use super::caller::Caller;
use super::seccomp::Verdict;
use crate::klog::merge;
use crate::module::{self, ko};
use crate::usermem::UserMem;

/// Largest module file that is looked at, bytes.
const LARGEST: u64 = 16 << 20;

/// `SYSLOG_ACTION_*`.
mod action {
    pub(super) const READ_ALL: u64 = 3;
    pub(super) const READ_CLEAR: u64 = 4;
    pub(super) const CLEAR: u64 = 5;
    pub(super) const SIZE_UNREAD: u64 = 9;
    pub(super) const SIZE_BUFFER: u64 = 10;
}

/// Whether a call is one of these.
pub(super) fn is_one(number: i64) -> bool {
    matches!(
        number,
        libc::SYS_init_module | libc::SYS_finit_module | libc::SYS_delete_module | libc::SYS_syslog
    )
}

/// Answers one.
pub(super) fn answer(door: &Door, caller: &mut Caller<'_>, number: i64) -> Verdict {
    let result = match number {
        libc::SYS_init_module => init(door, caller),
        libc::SYS_finit_module => finit(door, caller),
        libc::SYS_delete_module => delete(door, caller),
        libc::SYS_syslog => return syslog(door, caller),
        _ => Ok(Verdict::Continue),
    };
    result.unwrap_or_else(|errno| Verdict::Return(Err(errno)))
}

/// Loads what a module file holds, if it is one of ours; what is not goes on to the kernel.
fn load(door: &Door, bytes: &[u8], options: &str) -> Result<Verdict, Errno> {
    match ko::which(bytes) {
        Some(module) => {
            module::load(&door.kernel, module, options)?;
            Ok(Verdict::Return(Ok(())))
        }
        None => Ok(Verdict::Continue),
    }
}

fn init(door: &Door, caller: &mut Caller<'_>) -> Result<Verdict, Errno> {
    let [image, len, options, ..] = caller.call.args;
    if len > LARGEST {
        return Ok(Verdict::Continue);
    }
    let mut bytes = vec![0; usize::try_from(len).map_err(|_| Errno::NOMEM)?];
    caller.read(image, &mut bytes)?;
    let options = caller.string(options)?;
    load(door, &bytes, &options)
}

fn finit(door: &Door, caller: &mut Caller<'_>) -> Result<Verdict, Errno> {
    let [fd, options, ..] = caller.call.args;
    let file = caller.descriptor(i32::try_from(fd).map_err(|_| Errno::BADF)?)?;
    let size = u64::try_from(rustix::fs::fstat(&file)?.st_size).unwrap_or(0);
    if size > LARGEST {
        return Ok(Verdict::Continue);
    }
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| Errno::NOMEM)?];
    let got = rustix::io::pread(&file, &mut bytes, 0)?;
    bytes.truncate(got);
    let options = caller.string(options)?;
    load(door, &bytes, &options)
}

fn delete(door: &Door, caller: &mut Caller<'_>) -> Result<Verdict, Errno> {
    let name = caller.string(caller.call.args[0])?;
    if module::find(&name).is_none() {
        return Ok(Verdict::Continue);
    }
    module::unload(&door.kernel, &name)?;
    Ok(Verdict::Return(Ok(())))
}

/// The machine's own log as far as this user may read it, with ours in their order.
fn syslog(door: &Door, caller: &mut Caller<'_>) -> Verdict {
    let [kind, buffer, len, ..] = caller.call.args;
    let log = door.kernel.log();
    let text = || merge(&machine_log(), &log.lines_since_clear());
    let verdict = |value: usize| Verdict::Value(i64::try_from(value).unwrap_or(i64::MAX));
    match kind {
        action::SIZE_BUFFER => verdict(text().len().max(1 << 18)),
        action::SIZE_UNREAD => verdict(text().len()),
        action::CLEAR => {
            log.clear();
            Verdict::Value(0)
        }
        action::READ_ALL | action::READ_CLEAR => {
            let text = text();
            let room = usize::try_from(len).unwrap_or(usize::MAX);
            // The newest lines that fit.
            let mut start = text.len().saturating_sub(room);
            if start > 0 {
                let rest = &text.as_bytes()[start..];
                start += rest.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1);
            }
            let bytes = &text.as_bytes()[start..];
            if let Err(errno) = caller.write(buffer, bytes) {
                return Verdict::Return(Err(errno));
            }
            if kind == action::READ_CLEAR {
                log.clear();
            }
            verdict(bytes.len())
        }
        // Console levels, and reading as a daemon does: the kernel's own affair.
        _ => Verdict::Continue,
    }
}

/// The kernel's log; empty where it may not be read.
fn machine_log() -> String {
    // SAFETY: this action takes no buffer.
    let size = unsafe { libc::klogctl(10, std::ptr::null_mut(), 0) };
    let Ok(size) = usize::try_from(size) else {
        return String::new();
    };
    let mut bytes = vec![0_u8; size];
    let room = libc::c_int::try_from(size).unwrap_or(libc::c_int::MAX);
    // SAFETY: `bytes` has `room` bytes.
    let got = unsafe { libc::klogctl(3, bytes.as_mut_ptr().cast(), room) };
    let Ok(got) = usize::try_from(got) else {
        return String::new();
    };
    bytes.truncate(got);
    String::from_utf8_lossy(&bytes).into_owned()
}
