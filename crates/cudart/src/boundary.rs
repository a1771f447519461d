//! The one way from C into the runtime and back.

use crate::{ffi, thread};
use cuda_abi::runtime::{CudaError, cudaError_t};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// One exported function: its name and what was counted about it.
#[derive(Debug)]
pub struct Entry {
    /// The exported symbol.
    pub name: &'static str,
    /// Why the function never will be implemented: it answers 801. `None` for all others.
    pub never: Option<&'static str>,
    calls: AtomicU64,
    failures: AtomicU64,
}

impl Entry {
    pub(crate) const fn new(name: &'static str, never: Option<&'static str>) -> Entry {
        Entry {
            name,
            never,
            calls: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        }
    }

    /// How often the function was called.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// How often it answered an error.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }
}

/// What an exported function answers when it panicked; only functions that cannot fail in C have
/// a value here.
pub(crate) trait OnPanic {
    fn on_panic() -> Self;
}

impl OnPanic for () {
    fn on_panic() {}
}

impl OnPanic for i32 {
    fn on_panic() -> i32 {
        CudaError::Unknown.code()
    }
}

impl OnPanic for u32 {
    fn on_panic() -> u32 {
        CudaError::Unknown.code().cast_unsigned()
    }
}

impl OnPanic for u8 {
    fn on_panic() -> u8 {
        0
    }
}

impl<T> OnPanic for *const T {
    fn on_panic() -> Self {
        std::ptr::null()
    }
}

impl<T> OnPanic for *mut T {
    fn on_panic() -> Self {
        std::ptr::null_mut()
    }
}

impl OnPanic for cuda_abi::runtime::cudaChannelFormatDesc {
    fn on_panic() -> Self {
        Self::default()
    }
}

/// Runs a function that answers `cudaError_t`: counts, traces, keeps panics inside, notes the
/// error for `cudaGetLastError`.
pub(crate) fn boundary(
    entry: &'static Entry,
    arguments: fmt::Arguments<'_>,
    body: impl FnOnce() -> Result<(), CudaError>,
) -> cudaError_t {
    let calls = entry.calls.fetch_add(1, Ordering::Relaxed);
    let trace = trace_start();
    let result = if refused(entry, calls) {
        Err(CudaError::NotSupported)
    } else {
        catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(CudaError::Unknown))
    };
    let code = match result {
        Ok(()) => 0,
        Err(error) => {
            let first = entry.failures.fetch_add(1, Ordering::Relaxed) == 0;
            if let Some(why) = entry.never
                && first
            {
                ffi::say(format_args!(
                    "{} is not supported ({why}): error 801",
                    entry.name
                ));
            }
            thread::record(error);
            error.code()
        }
    };
    if let Some(start) = trace {
        trace_line(entry, arguments, format_args!("{code}"), start);
    }
    code
}

/// Runs a function that answers something else, or that must not touch the last error.
pub(crate) fn boundary_plain<T: OnPanic>(
    entry: &'static Entry,
    arguments: fmt::Arguments<'_>,
    body: impl FnOnce() -> T,
) -> T {
    let calls = entry.calls.fetch_add(1, Ordering::Relaxed);
    let trace = trace_start();
    let result = if refused(entry, calls) {
        T::on_panic()
    } else {
        catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| T::on_panic())
    };
    if let Some(start) = trace {
        trace_line(entry, arguments, format_args!("-"), start);
    }
    result
}

/// Whether `cargo xtask coverage --prove` wants the function to be missing.
#[cfg(feature = "prove")]
fn refused(entry: &Entry, calls: u64) -> bool {
    crate::prove::visit(entry.name, calls == 0)
}

/// Installed libraries refuse nothing.
#[cfg(not(feature = "prove"))]
const fn refused(_entry: &Entry, _calls: u64) -> bool {
    false
}

/// The time, if calls are traced.
fn trace_start() -> Option<Instant> {
    static TRACE: OnceLock<bool> = OnceLock::new();
    TRACE
        .get_or_init(|| ffi::traces("cudart"))
        .then(Instant::now)
}

fn trace_line(
    entry: &Entry,
    arguments: fmt::Arguments<'_>,
    result: fmt::Arguments<'_>,
    start: Instant,
) {
    let micros = start.elapsed().as_secs_f64() * 1e6;
    ffi::trace(format_args!(
        "cudart {}({arguments}) = {result} <{micros:.1} us>",
        entry.name
    ));
}
