//! From what tool chains hand over to code: the part of a CUDA driver's JIT that stands around the compiler.
//!
//! * [`inputs`] takes PTX, cubins of ours, fat binaries, host objects and libraries apart into units of PTX, chooses
//!   among images by CUDA's rules, and links.
//! * [`compiler`] loads `libnvidia-ptxjitcompiler.so.1` when code is needed, and calls it.
//! * [`image`] does both: one cubin of linked code, with the PTX it came from.
//! * [`store`] keeps what was compiled in files.
//!
//! `libcuda`, `libnvJitLink` and the drop-in `ptxas` stand on this crate; none of them holds a compiler itself.

pub mod compiler;
pub mod image;
pub mod inputs;
pub mod oracle;
pub mod report;
pub mod store;
