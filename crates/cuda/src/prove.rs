//! Hooks of `cargo xtask coverage --prove`, in builds with feature `prove` only: which rows a program calls, and rows that
//! answer 801 as if they were not there. Crate `cudart` has this file, too.

use std::collections::HashSet;
use std::io::Write;
use std::sync::OnceLock;

/// Rows that are refused: names, with commas between them.
const REFUSE: &str = "ANTLERITE_REFUSE";
/// Directory of the notes of what programs call, one file each.
const LOG: &str = "ANTLERITE_PROVE_LOG";

/// Notes a row's first call; whether it is refused.
pub(crate) fn visit(name: &str, first: bool) -> bool {
    static REFUSED: OnceLock<HashSet<String>> = OnceLock::new();
    let refused = REFUSED.get_or_init(|| {
        let names = std::env::var(REFUSE).unwrap_or_default();
        names.split(',').map(str::to_owned).collect()
    });
    if first && let Some(dir) = std::env::var_os(LOG) {
        note(&dir, name);
    }
    refused.contains(name)
}

fn note(dir: &std::ffi::OsStr, name: &str) {
    let program = std::env::current_exe().ok();
    let Some(program) = program.as_deref().and_then(std::path::Path::file_name) else {
        return;
    };
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(std::path::Path::new(dir).join(program));
    if let Ok(mut file) = file {
        // One write: other threads and processes append, too. What is not noted is not proved.
        let _ = file.write_all(format!("{name}\n").as_bytes());
    }
}
