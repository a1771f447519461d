//! The compiler: PTX to native code for the virtual device.
//!
//! PTX text → `ptx` syntax tree → [`lower`] → [`ir`] → [`passes`] → LLVM → image. [`interp`] runs the same IR without
//! LLVM and is the oracle of every instruction test.

pub mod clock;
pub mod compile;
pub mod image;
pub mod interp;
pub mod ir;
pub mod llvm;
pub mod lower;
pub mod passes;
#[cfg(feature = "testing")]
pub mod testing;
