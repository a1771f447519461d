//! Types, enumerations and structures of NVIDIA's public C interfaces, with their layouts. No behaviour.
//!
//! * [`driver`]: the CUDA Driver API (`cuda.h`).
#![forbid(unsafe_code)]

pub mod driver;
mod pointer;

pub use pointer::{In, Out};
