//! Events.

use crate::context;
use crate::driver::cu;
use crate::ffi::Out;
use cuda_abi::runtime::{CudaError, cudaEvent_t};

/// `cudaEventElapsedTime`, in milliseconds; drivers older than 12.8 have the first form only.
pub(crate) fn elapsed(
    out: Out<f32>,
    start: cudaEvent_t,
    end: cudaEvent_t,
) -> Result<(), CudaError> {
    out.required()?;
    context::ensure()?;
    let mut milliseconds = 0.0;
    match cu!(cuEventElapsedTime_v2(&raw mut milliseconds, start, end)) {
        Err(CudaError::CallRequiresNewerDriver) => {
            cu!(cuEventElapsedTime(&raw mut milliseconds, start, end))?;
        }
        other => other?,
    }
    out.set(milliseconds)
}
