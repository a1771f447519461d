//! kernel.
