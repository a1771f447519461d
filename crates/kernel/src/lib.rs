//! The kernel half: NVIDIA's resource manager and UVM as a library, and `antlerite-kmd`, the server that puts them
//! behind the doors.
//!
//! * [`kernel::Kernel`] is the whole: open files, RM's object tree, GPUs; [`kernel::Kernel::ioctl`] is the one
//!   dispatch behind all doors, over [`usermem::UserMem`].
//! * Four tables, one row each: [`escape`], [`class`], [`control`], [`uvm`].
//! * A GPU VA space is a process ([`vaspace`], [`gpu_process`]).
//! * [`klog`], [`module`], [`procfs`] are what a machine with the driver shows.
//! * [`server`] is the socket door's far side, [`notify`] the syscall door's, [`manage`] the management socket, [`fuzz`] the oracles.

pub mod accounting;
pub mod channel;
pub mod class;
mod closing;
pub mod config;
pub mod control;
pub mod ecc;
pub mod escape;
pub mod event;
pub mod fault;
pub mod file;
pub mod fuzz;
pub mod gpu;
pub mod gpu_process;
pub mod host_memory;
pub mod inject;
pub mod kernel;
pub mod klog;
pub mod manage;
pub mod memory;
pub mod module;
pub mod notify;
pub mod object;
pub mod params;
pub mod procfs;
pub mod profile;
pub mod server;
mod shared_page;
pub mod status;
pub mod tracer;
pub mod usermem;
pub mod usermode;
pub mod uvm;
pub mod vaspace;
pub mod view;
