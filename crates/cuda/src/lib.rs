//! cuda.
