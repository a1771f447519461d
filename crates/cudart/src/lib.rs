//! cudart.
