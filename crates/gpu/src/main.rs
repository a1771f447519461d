//! gpu.
fn main() {}
