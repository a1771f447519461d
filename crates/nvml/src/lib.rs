//! NVML (`libnvidia-ml.so.1`) over RM controls.
//!
//! [`table`] declares every exported function, [`boundary`] is what all of them pass through, `api` has their bodies,
//! [`mod@core`] the session with the kernel half. Values come from the kernel half's controls; where it has none, the
//! answer is [`Return::NotSupported`].

mod api;
pub mod boundary;
pub mod core;
pub mod ffi;
pub mod result;
pub mod table;
pub mod types;

pub use api::reset;
pub use result::Return;
pub use table::functions;
