//! The CUDA Runtime API over the public Driver API.
//!
//! One source builds `libcudart.so.12` (feature `major-12`) and `libcudart.so.13` (`major-13`), and
//! `libcudart_static.a`. [`table`] declares every exported function; each row leads through
//! [`boundary`] to a function of [`api`]. The driver is found at run time ([`driver`]), so a program
//! on a machine without one gets error 35 and not a loader's message.
//!
//! Nothing here runs when the library is loaded, and nothing needs a constructor to have run:
//! programs with a static runtime register their kernels from constructors of their own.
//!
//! INVARIANT: only public `cu*` functions are used.

#[cfg(not(any(feature = "major-12", feature = "major-13")))]
compile_error!("choose the feature major-12 or major-13");

mod api;
mod boundary;
mod context;
mod driver;
mod ffi;
// One source for both libraries, which have no crate with code in common.
#[cfg(feature = "prove")]
#[path = "../../cuda/src/prove.rs"]
mod prove;
mod registry;
pub mod table;
mod thread;
mod version;

#[cfg(not(feature = "major-13"))]
pub(crate) use cuda_abi::runtime::major_12 as layout;
#[cfg(feature = "major-13")]
pub(crate) use cuda_abi::runtime::major_13 as layout;
