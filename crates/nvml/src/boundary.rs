//! What every C entry passes through: counted, after init, arguments checked, traced, and never unwinding into C.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use crate::Return;
use crate::core::session::{self, Session};
use crate::ffi::Argument;
use crate::table::Entry;

/// Whether `ANTLERITE_TRACE` (`all`, or a list with `nvml`) asks for a line per call on standard error.
fn tracing() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| {
        std::env::var("ANTLERITE_TRACE")
            .is_ok_and(|layers| layers.split(',').any(|l| matches!(l, "all" | "nvml" | "1")))
    })
}

/// Runs the body of a function that needs `nvmlInit`.
pub(crate) fn enter(
    entry: &'static Entry,
    arguments: &[&dyn Argument],
    body: impl FnOnce(&Session) -> Result<(), Return>,
) -> Return {
    early(entry, || {
        let session = session::current()?;
        let gpus = session.gpus().len();
        if !arguments.iter().all(|argument| argument.acceptable(gpus)) {
            return Err(Return::InvalidArgument);
        }
        body(&session)
    })
}

/// Runs the body of a function that does not.
pub(crate) fn early(entry: &'static Entry, body: impl FnOnce() -> Result<(), Return>) -> Return {
    entry.calls.fetch_add(1, Ordering::Relaxed);
    let result = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Return::Success,
        Ok(Err(error)) => error,
        Err(_) => {
            complain(&format!("{}: internal error", entry.name));
            Return::Unknown
        }
    };
    if tracing() {
        // A closed standard error is the program's choice.
        let _ = writeln!(std::io::stderr(), "{}() = {result:?}", entry.name);
    }
    result
}

/// Says, when calls are traced, why the kernel half refused: the result code is poorer than its status.
pub(crate) fn explain(error: &dyn std::error::Error) {
    if tracing() {
        complain(&error.to_string());
    }
}

/// Writes a line to standard error, unless `ANTLERITE_QUIET` is set.
pub(crate) fn complain(text: &str) {
    if std::env::var_os("ANTLERITE_QUIET").is_none() {
        let _ = writeln!(std::io::stderr(), "libnvidia-ml: {text}");
    }
}
