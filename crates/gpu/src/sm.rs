//! The streaming multiprocessors: checking and running images of the code contract.

pub mod barrier;
pub mod cluster;
pub mod cta;
pub mod device_runtime;
pub mod family;
pub mod fiber;
pub mod heap;
pub mod memory;
pub mod printf;
pub mod program;
pub mod scheduler;
pub mod services;
pub mod texture;
