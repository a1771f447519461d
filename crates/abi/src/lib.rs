//! abi.
