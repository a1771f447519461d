//! The virtual GPU of one VA space: host engine, copy engine, SMs. See `ARCHITECTURE.md`.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the target is x86-64 only: usize and u64 are the same, and register fields are cut on purpose"
)]

pub mod access;
pub mod channel;
pub mod clock;
pub mod compute;
pub mod copy;
pub mod fault;
pub mod host;
pub mod host_memory;
pub mod huge;
pub mod link;
pub mod machine;
pub mod process;
pub mod pushbuffer;
pub mod qmd;
pub mod sandbox;
pub mod seat;
pub mod semaphore;
pub mod shared_map;
pub mod signal;
pub mod sm;
pub mod stop;
pub mod wake;
pub mod window;
pub mod worker;
pub mod x86;
