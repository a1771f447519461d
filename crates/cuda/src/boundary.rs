//! What every C entry passes through: counted, allowed in the process's state, traced, and never unwinding into C.

use std::fmt::Debug;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Instant;

use cuda_abi::driver::CUresult;

use crate::core::host_function;
use crate::core::stream::with_per_thread_default;
use crate::process;
use crate::table::{Entry, Status};

/// Whether `ANTLERITE_TRACE` asks for a line per call on standard error.
fn tracing() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| {
        std::env::var_os("ANTLERITE_TRACE").is_some_and(|v| !v.is_empty() && v != "0")
    })
}

/// Runs the body of a C entry.
pub(crate) fn enter(
    entry: &'static Entry,
    arguments: &[(&str, &dyn Debug)],
    body: impl FnOnce() -> Result<(), CUresult>,
) -> CUresult {
    let calls = entry.calls.fetch_add(1, Ordering::Relaxed);
    #[cfg(feature = "prove")]
    if crate::prove::visit(entry.name, calls == 0) {
        return CUresult::NOT_SUPPORTED;
    }
    let start = tracing().then(Instant::now);
    let result = match entry.status {
        Status::Early => guarded(entry, body),
        Status::Call => match process::check_ready().and_then(|()| host_function::check()) {
            Ok(()) if entry.per_thread() => guarded(entry, || with_per_thread_default(body)),
            Ok(()) => guarded(entry, body),
            Err(error) => error,
        },
        Status::Todo | Status::Never(_) => {
            if calls == 0 {
                unsupported(entry);
            }
            CUresult::NOT_SUPPORTED
        }
    };
    if !matches!(result, CUresult::SUCCESS | CUresult::NOT_READY) {
        crate::core::logs::note(entry.name, result);
    }
    if let Some(start) = start {
        trace(entry, arguments, result, start);
    }
    result
}

/// Catches a panic: a fault of ours is 999, with its message on standard error (the panic hook's).
fn guarded(entry: &'static Entry, body: impl FnOnce() -> Result<(), CUresult>) -> CUresult {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CUresult::SUCCESS,
        Ok(Err(error)) => error,
        Err(_) => {
            complain(&format!("{}: internal error", entry.name));
            CUresult::UNKNOWN
        }
    }
}

/// Names, once, a function that is called and not there.
fn unsupported(entry: &Entry) {
    match entry.status {
        Status::Never(why) => complain(&format!("{} is not supported: {why}", entry.name)),
        Status::Todo | Status::Call | Status::Early => {
            complain(&format!("{} is not supported yet", entry.name));
        }
    }
}

/// Writes a line to standard error, unless `ANTLERITE_QUIET` is set.
pub(crate) fn complain(text: &str) {
    if std::env::var_os("ANTLERITE_QUIET").is_none() {
        // A closed standard error is the program's choice.
        let _ = writeln!(std::io::stderr(), "libcuda: {text}");
    }
}

fn trace(entry: &Entry, arguments: &[(&str, &dyn Debug)], result: CUresult, start: Instant) {
    let mut line = format!("{}(", entry.name);
    for (index, (name, value)) in arguments.iter().enumerate() {
        if index > 0 {
            line.push_str(", ");
        }
        line.push_str(&format!("{name}={value:?}"));
    }
    let micros = start.elapsed().as_secs_f64() * 1e6;
    let _ = writeln!(std::io::stderr(), "{line}) = {result:?} [{micros:.1} us]");
}
