//! cuda-abi.
