//! The LLVM 19 back end: warps as vectors.

pub mod build;
pub mod debug;
pub mod flow;
pub mod target;
