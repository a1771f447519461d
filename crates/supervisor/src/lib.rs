//! Starts a program behind the syscall door: device nodes that can be opened, and a seccomp notification filter that
//! hands its NVIDIA ioctls to the kernel half.
//!
//! The program makes real `openat`, `ioctl` and `mmap` calls, so strace, static binaries and foreign clients see what
//! they would see on a GPU machine. Measurements and limits: DESIGN §2; FIDELITY.md names what differs.

mod filter;
mod launch;
mod nodes;

pub use filter::{FilterError, install};
pub use launch::{Launch, LaunchError, Outcome};
pub use nodes::{Method, Mount, NodeError, probe};
