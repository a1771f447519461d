//! nvidia-smi.
fn main() {}
