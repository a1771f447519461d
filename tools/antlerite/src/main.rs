//! antlerite.
fn main() {}
