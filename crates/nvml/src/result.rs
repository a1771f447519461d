//! Result codes (`nvmlReturn_t`).

use std::ffi::{CStr, c_char};

macro_rules! returns {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        /// `nvmlReturn_t`, as NVML API Reference 13.0 numbers it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Return {
            $(#[doc = concat!("Code ", $code, ".")] $name = $code,)*
        }

        impl Return {
            /// The code with that number.
            #[must_use]
            pub fn of(code: u32) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }

            fn c_text(self) -> &'static CStr {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

returns! {
    Success = 0, c"Success";
    Uninitialized = 1, c"Uninitialized";
    InvalidArgument = 2, c"Invalid Argument";
    NotSupported = 3, c"Not Supported";
    NoPermission = 4, c"Insufficient Permissions";
    AlreadyInitialized = 5, c"Already Initialized";
    NotFound = 6, c"Not Found";
    InsufficientSize = 7, c"Insufficient Size";
    InsufficientPower = 8, c"Insufficient External Power";
    DriverNotLoaded = 9, c"Driver Not Loaded";
    Timeout = 10, c"Timeout";
    IrqIssue = 11, c"Interrupt Request Issue";
    LibraryNotFound = 12, c"NVML Shared Library Not Found";
    FunctionNotFound = 13, c"Function Not Found";
    CorruptedInforom = 14, c"Corrupted infoROM";
    GpuIsLost = 15, c"GPU is lost";
    ResetRequired = 16, c"GPU requires reset";
    OperatingSystem = 17, c"GPU access blocked by the operating system";
    VersionMismatch = 18, c"Driver/library version mismatch";
    InUse = 19, c"In use by another client";
    Memory = 20, c"Insufficient Memory";
    NoData = 21, c"No data";
    VgpuEccNotSupported = 22, c"vGPU ECC not supported";
    InsufficientResources = 23, c"Insufficient resources";
    FreqNotSupported = 24, c"Frequency not supported";
    ArgumentVersionMismatch = 25, c"Argument version mismatch";
    Deprecated = 26, c"Deprecated";
    NotReady = 27, c"Not ready";
    GpuNotFound = 28, c"No GPU found";
    InvalidState = 29, c"Invalid state";
    ResetTypeNotSupported = 30, c"Reset type not supported";
    Unknown = 999, c"Unknown Error";
}

impl Return {
    /// Text of the code, as `nvmlErrorString` gives it.
    #[must_use]
    pub fn text(self) -> &'static str {
        self.c_text().to_str().unwrap_or("Unknown Error")
    }

    /// The result, as a `Result`.
    ///
    /// # Errors
    /// Every code but success.
    pub fn ok(self) -> Result<(), Self> {
        match self {
            Self::Success => Ok(()),
            error => Err(error),
        }
    }
}

impl std::fmt::Display for Return {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Return {}

/// `nvmlErrorString`: a static text; unknown codes too have one.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(result: u32) -> *const c_char {
    Return::of(result)
        .unwrap_or(Return::Unknown)
        .c_text()
        .as_ptr()
}
