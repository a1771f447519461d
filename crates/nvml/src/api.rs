//! Bodies of the C functions, one module per area of the table.

pub(crate) mod device;
pub(crate) mod ecc;
pub(crate) mod event;
pub(crate) mod nvlink;
pub(crate) mod power;
pub(crate) mod process;
pub(crate) mod system;
pub(crate) mod topology;

type Done = Result<(), crate::Return>;

/// Resets a GPU, as `nvidia-smi --gpu-reset` does; NVML has no function for it.
///
/// # Errors
/// [`crate::Return::InUse`] while a program has a context there, [`crate::Return::GpuIsLost`].
pub fn reset(device: crate::types::Device) -> Result<(), crate::Return> {
    let session = crate::core::session::current()?;
    session.gpu(device)?.reset(session.client())?;
    Ok(())
}
