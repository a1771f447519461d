//! Numbers and layouts that two sides of a boundary share, and no behaviour; [`sm::isa::of_host`] asks which of them hold here.
//!
//! * NVIDIA's kernel ABI: escapes, classes, controls, UVM commands, methods, QMD (facts from the MIT-licensed
//!   open-gpu-kernel-modules and open-gpu-doc; see PROVENANCE.md).
//! * Antlerite's own contracts: [`sm`] (compiled kernels ↔ virtual SM), [`device_runtime`] (launches by kernels), [`link`] (kernel half ↔ GPU process),
//!   [`texture`] (texture headers ↔ texture unit), [`usermode`] (doorbell page), [`vendor`] (numbers outside NVIDIA's ranges).
#![forbid(unsafe_code)]

pub mod agent;
pub mod device_runtime;
pub mod host_memory;
pub mod jit;
pub mod lines;
pub mod link;
pub mod nv;
pub mod sm;
pub mod tensor;
pub mod texture;
pub mod usermode;
pub mod vendor;
