//! The session with the kernel half: an RM client, the GPUs, event sets.

pub mod ecc;
pub mod error;
pub mod event;
pub mod gpu;
pub mod rm;
pub mod session;
