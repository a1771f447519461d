//! `libcuda.so.1`: the CUDA Driver API.
//!
//! * [`table`]: one row per exported name; exports, `cuGetProcAddress`, counters and trace come from it.
//! * `api`: C arguments and null checks. `core`: what the calls mean.
//! * `boundary`: what every C entry passes through.

mod api;
mod boundary;
mod core;
mod ffi;
mod process;
#[cfg(feature = "prove")]
mod prove;
pub mod table;
