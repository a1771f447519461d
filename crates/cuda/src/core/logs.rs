//! The driver's log: a line for each call that failed, as `cuLogs*` give it out.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_abi::driver::{CUlogLevel, CUlogsCallback, CUresult, Out};

/// Lines kept.
const LINES_MAX: usize = 100;
/// Bytes that `cuLogsDumpToMemory` gives at most (CUDA Driver API 13.0).
pub(crate) const DUMP_MAX: usize = 25_600;

#[derive(Default)]
struct Log {
    lines: VecDeque<String>,
    /// Number of the first line kept.
    first: u32,
    callbacks: Vec<(usize, CUlogsCallback, Out<c_void>)>,
    next: usize,
}

static LOG: Mutex<Log> = Mutex::new(Log {
    lines: VecDeque::new(),
    first: 0,
    callbacks: Vec::new(),
    next: 0,
});

fn lock() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a call that failed.
pub(crate) fn note(function: &str, error: CUresult) {
    // SAFETY: no arguments.
    let thread = unsafe { libc::gettid() };
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0.0, |d| d.as_secs_f64());
    let line = format!(
        "[{seconds:.3}][{}][{thread}][CUDA][E] {function} returned {} ({})",
        std::process::id(),
        error.0,
        error.name().unwrap_or("unknown"),
    );
    let mut log = lock();
    if log.lines.len() == LINES_MAX {
        log.lines.pop_front();
        log.first = log.first.wrapping_add(1);
    }
    log.lines.push_back(line.clone());
    let callbacks = log.callbacks.clone();
    drop(log);
    let mut text = line.into_bytes();
    let length = text.len();
    text.push(0);
    for (_, callback, data) in callbacks {
        if let Some(callback) = callback {
            let text = Out::new(text.as_mut_ptr().expose_provenance());
            // SAFETY: the program's function and its argument, which the C contract says stay until it is unregistered.
            unsafe { callback(data, CUlogLevel::ERROR, text, length) };
        }
    }
}

/// Position behind the last line.
pub(crate) fn current() -> u32 {
    let log = lock();
    log.first
        .wrapping_add(u32::try_from(log.lines.len()).unwrap_or_default())
}

/// The lines from a position on (without one: all), and the position behind them.
pub(crate) fn since(position: Option<u32>) -> (Vec<String>, u32) {
    let log = lock();
    let skip = position.map_or(0, |p| p.saturating_sub(log.first)) as usize;
    let lines: Vec<String> = log.lines.iter().skip(skip).cloned().collect();
    let end = log
        .first
        .wrapping_add(u32::try_from(log.lines.len()).unwrap_or_default());
    (lines, end)
}

/// Registers a function that hears of every line.
pub(crate) fn register(callback: CUlogsCallback, data: Out<c_void>) -> usize {
    let mut log = lock();
    log.next += 1;
    let handle = log.next;
    log.callbacks.push((handle, callback, data));
    handle
}

/// Takes it back.
///
/// # Errors
/// 1 for a handle that is none.
pub(crate) fn unregister(handle: usize) -> Result<(), CUresult> {
    let mut log = lock();
    let index = log.callbacks.iter().position(|(h, ..)| *h == handle);
    log.callbacks.remove(index.ok_or(CUresult::INVALID_VALUE)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_once_and_in_order() {
        let before = current();
        note("cuTestA", CUresult::INVALID_VALUE);
        note("cuTestB", CUresult::OUT_OF_MEMORY);
        let (lines, end) = since(Some(before));
        let ours: Vec<_> = lines.iter().filter(|l| l.contains("cuTest")).collect();
        assert_eq!(ours.len(), 2);
        assert!(ours[1].contains("cuTestB returned 2"), "{}", ours[1]);
        assert!(end >= before + 2);
        assert!(unregister(usize::MAX).is_err());
    }
}
