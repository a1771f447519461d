//! Why a request to the kernel half failed, and the NVML code that fits.

use abi::nv::status;
use door::DoorError;

use crate::Return;

/// Why a request failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RmError {
    /// The door: no server, server gone, bad parameter.
    #[error("{what}: {error}")]
    Door {
        /// The request.
        what: &'static str,
        /// What the door says.
        error: DoorError,
    },
    /// The kernel half answered with a status.
    #[error("{what}: {}", status::name(*code))]
    Status {
        /// The request.
        what: &'static str,
        /// RM status.
        code: u32,
    },
}

impl RmError {
    /// The NVML code.
    #[must_use]
    pub fn result(&self) -> Return {
        match self {
            Self::Door { error, .. } => match error {
                DoorError::Errno(_) | DoorError::Protocol(_) => Return::Unknown,
                DoorError::Os { .. } => Return::OperatingSystem,
                DoorError::ServerGone => Return::GpuIsLost,
                DoorError::Timeout(_) => Return::Timeout,
                DoorError::KmdNotFound(_)
                | DoorError::CannotStart(_)
                | DoorError::BadDoor(_)
                | DoorError::WrongDriver(_) => Return::DriverNotLoaded,
                DoorError::Version { .. } => Return::VersionMismatch,
                DoorError::Permission(_) => Return::NoPermission,
                DoorError::Forked => Return::Uninitialized,
            },
            Self::Status { code, .. } => match *code {
                status::NV_ERR_NOT_SUPPORTED
                | status::NV_ERR_INVALID_COMMAND
                | status::NV_ERR_INVALID_CLASS => Return::NotSupported,
                status::NV_ERR_INSUFFICIENT_PERMISSIONS => Return::NoPermission,
                status::NV_ERR_INVALID_ARGUMENT => Return::InvalidArgument,
                status::NV_ERR_NO_MEMORY => Return::Memory,
                status::NV_ERR_INSUFFICIENT_RESOURCES => Return::InsufficientResources,
                status::NV_ERR_TIMEOUT => Return::Timeout,
                status::NV_ERR_GPU_IS_LOST => Return::GpuIsLost,
                status::NV_ERR_IN_USE | status::NV_ERR_STATE_IN_USE => Return::InUse,
                status::NV_ERR_OBJECT_NOT_FOUND => Return::NotFound,
                _ => Return::Unknown,
            },
        }
    }
}

impl From<RmError> for Return {
    fn from(error: RmError) -> Self {
        crate::boundary::explain(&error);
        error.result()
    }
}
