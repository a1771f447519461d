//! Which CUDA version this runtime is.
//!
//! The major is the library's. The minor follows the program: `antlerite run` tells it in
//! `ANTLERITE_RUNTIME_MINOR` where a static runtime is redirected (read from the fat binary's PTX
//! ISA version); otherwise it is that of the wheels this library stands in for.

use std::sync::OnceLock;

/// The CUDA major version.
pub const MAJOR: i32 = if cfg!(feature = "major-13") { 13 } else { 12 };

const DEFAULT_MINOR: i32 = if cfg!(feature = "major-13") { 0 } else { 9 };

/// What `cudaRuntimeGetVersion` answers: 1000 × major + 10 × minor.
pub fn runtime() -> i32 {
    static VERSION: OnceLock<i32> = OnceLock::new();
    *VERSION.get_or_init(|| {
        let minor = std::env::var("ANTLERITE_RUNTIME_MINOR")
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|minor| (0..=9).contains(minor))
            .unwrap_or(DEFAULT_MINOR);
        1000 * MAJOR + 10 * minor
    })
}
