//! Types, enumerations and structures of NVIDIA's public C interfaces, with their layouts. No behaviour.
//!
//! * [`driver`]: the CUDA Driver API (`cuda.h`).
//! * [`runtime`]: the CUDA Runtime API (`cuda_runtime_api.h`, `driver_types.h`).
#![forbid(unsafe_code)]

pub mod driver;
mod pointer;
pub mod runtime;

pub use pointer::{In, Out};
