//! Code for an instruction set that this machine lacks: compiled here, run by the same program on a machine (or in an
//! emulator) that has it. `scripts/emulate-avx512.sh` does both.
//!
//! `ANTLERITE_COMPILE_TO=DIR`: the kinds of code that [`executor::ALL`](super::executor::ALL) names for AVX-512 are
//! compiled, kept in the directory, and not run. `ANTLERITE_CODE_FROM=DIR`: they are run with the code found there.

use super::case::Case;
use fatbin::cubin::Cubin;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The error of a run that has only been compiled.
pub const ELSEWHERE: &str = "compiled, to run elsewhere";

/// What this process does.
pub enum Role {
    /// Compiles and runs.
    Whole,
    /// Compiles for others.
    Compiles(PathBuf),
    /// Runs what others compiled.
    Runs(PathBuf),
}

/// As the environment says.
pub fn role() -> &'static Role {
    static ROLE: OnceLock<Role> = OnceLock::new();
    ROLE.get_or_init(|| {
        if let Some(to) = std::env::var_os("ANTLERITE_COMPILE_TO") {
            Role::Compiles(to.into())
        } else if let Some(from) = std::env::var_os("ANTLERITE_CODE_FROM") {
            Role::Runs(from.into())
        } else {
            Role::Whole
        }
    })
}

/// The file of a case's code of a kind, without its ending.
fn stem(kind: &str, case: &Case) -> String {
    let mut hash = DefaultHasher::new();
    (&case.ptx, &case.kernel, case.block, case.opt_level).hash(&mut hash);
    format!("{kind}-{:016x}", hash.finish())
}

/// Keeps a compilation's result.
pub fn keep(
    to: &Path,
    kind: &str,
    case: &Case,
    result: &Result<Cubin, String>,
) -> Result<(), String> {
    let (ending, bytes) = match result {
        Ok(cubin) => ("cubin", cubin.write().map_err(|error| error.to_string())?),
        Err(error) => ("error", error.clone().into_bytes()),
    };
    let path = to.join(stem(kind, case)).with_extension(ending);
    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// What [`keep`] was given.
pub fn find(from: &Path, kind: &str, case: &Case) -> Result<Cubin, String> {
    let path = from.join(stem(kind, case)).with_extension("cubin");
    match std::fs::read(&path) {
        Ok(bytes) => Cubin::read(&bytes).map_err(|error| error.to_string()),
        Err(missing) => Err(std::fs::read_to_string(path.with_extension("error"))
            .unwrap_or_else(|_| format!("{}: {missing}", path.display()))),
    }
}
