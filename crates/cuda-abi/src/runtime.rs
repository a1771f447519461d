//! The CUDA Runtime API: errors and types.
//!
//! Source of the facts: the public headers `driver_types.h`, `vector_types.h` and
//! `cuda_runtime_api.h` of CUDA 12.9 and 13.0. C spelling is kept for everything that a C program
//! sees. Types that differ between the majors live in [`major_12`] and [`major_13`].

mod error;
mod properties;
mod types;

pub use error::{CudaError, SUCCESS_NAME, SUCCESS_TEXT, UNRECOGNIZED};
pub use types::*;

/// Layouts of CUDA 12.x.
pub mod major_12 {
    pub use super::properties::cudaDeviceProp12 as cudaDeviceProp;
    pub use super::types::cudaPointerAttributes12 as cudaPointerAttributes;
    pub use super::types::cudaResourceDesc12 as cudaResourceDesc;
    pub use super::types::cudaResourceViewDesc12 as cudaResourceViewDesc;
}

/// Layouts of CUDA 13.x.
pub mod major_13 {
    pub use super::properties::cudaDeviceProp13 as cudaDeviceProp;
    pub use super::types::cudaPointerAttributes13 as cudaPointerAttributes;
    pub use super::types::cudaResourceDesc13 as cudaResourceDesc;
    pub use super::types::cudaResourceViewDesc13 as cudaResourceViewDesc;
}
