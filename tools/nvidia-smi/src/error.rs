//! Why the tool fails, and the exit code that the manual gives for it.

use nvml::Return;

/// A failure: its text goes to standard output, as the original's does.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An option that there is not.
    #[error("Option \"{0}\" is not recognized. Please run 'nvidia-smi -h'.")]
    Option(String),
    /// A value that does not fit its option.
    #[error("\"{1}\" is not a valid value of {0}. Please run 'nvidia-smi -h'.")]
    Value(&'static str, String),
    /// An option without its value.
    #[error("{0} must be followed by a value. Please run 'nvidia-smi -h'.")]
    NoValue(String),
    /// Options that do not go together.
    #[error("{0}")]
    Combination(&'static str),
    /// A field that there is not.
    #[error("Field \"{0}\" is not a valid field to query.\n")]
    Field(String),
    /// No driver.
    #[error(
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n"
    )]
    NoDriver,
    /// NVML does not start.
    #[error("Failed to initialize NVML: {0}")]
    Init(Return),
    /// No GPU, or not the one asked for.
    #[error("No devices were found")]
    NoDevices,
    /// NVML refused.
    #[error("{0}: {1}")]
    Nvml(String, Return),
    /// A GPU has fallen off the bus.
    #[error(
        "Unable to determine the device handle for GPU{0}: GPU is lost.  Reboot the system to recover this GPU"
    )]
    Lost(String),
    /// What this driver does not do.
    #[error("{0} is not supported by this driver.")]
    NotSupported(String),
    /// The output file.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
}

impl Failure {
    /// Exit code (manual page, "RETURN VALUE").
    pub fn code(&self) -> u8 {
        match self {
            Self::Option(_)
            | Self::Value(..)
            | Self::NoValue(_)
            | Self::Combination(_)
            | Self::Field(_) => 2,
            Self::NotSupported(_) => 3,
            Self::NoDevices => 6,
            Self::Lost(_) => 15,
            Self::NoDriver => 9,
            Self::Init(code) | Self::Nvml(_, code) => u8::try_from(*code as u32).unwrap_or(255),
            Self::File(..) => 255,
        }
    }
}
