//! The LLVM 19 back end: warps as vectors.

pub mod atomics;
pub mod build;
pub mod calls;
pub mod debug;
pub mod device_runtime;
pub mod dispatch;
pub mod emit;
pub mod fission;
pub mod float;
pub mod flow;
mod fused;
pub mod index;
pub mod kernel;
pub mod mask;
pub mod maths;
pub mod memory;
pub mod ops;
pub mod plan;
pub mod prefetch;
pub mod region;
pub mod serial;
pub mod shape;
mod small;
pub mod spin;
pub mod target;
pub mod texture;
pub mod warp;
