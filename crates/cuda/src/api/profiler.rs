//! The profiler's switches: there is no profiler, so they succeed and do nothing (CUDA Driver API 13.0,
//! cuProfilerStart).

use std::ffi::c_char;

use cuda_abi::driver::{CUoutput_mode, CUresult, In};

use crate::core::context;
use crate::ffi::text;

pub(crate) fn start() -> Result<(), CUresult> {
    context::current().map(drop)
}

pub(crate) fn stop() -> Result<(), CUresult> {
    context::current().map(drop)
}

/// The profiler of CUDA 4, which CUDA 11 took away: files are never written, which is what 5 says.
pub(crate) fn initialize(
    config: In<c_char>,
    output: In<c_char>,
    mode: CUoutput_mode,
) -> Result<(), CUresult> {
    context::current()?;
    text(config)?;
    text(output)?;
    if !(0..=1).contains(&mode.0) {
        return Err(CUresult::INVALID_VALUE);
    }
    Err(CUresult::PROFILER_DISABLED)
}
