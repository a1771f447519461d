//! `cuInit`, `cuDriverGetVersion`.

use cuda_abi::driver::{CUresult, Out};

use crate::core::platform;
use crate::ffi::Write;
use crate::process;

/// Finds the devices. A forked child of a process that did so gets 3.
pub(crate) fn init(flags: u32) -> Result<(), CUresult> {
    if process::is_forked() {
        return Err(CUresult::NOT_INITIALIZED);
    }
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    platform::start()?;
    process::set_initialized();
    Ok(())
}

pub(crate) fn driver_version(version: Out<i32>) -> Result<(), CUresult> {
    version.required()?.set(platform::driver_version())
}
