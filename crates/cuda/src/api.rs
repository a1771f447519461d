//! The C side: arguments, null checks, out-parameters. Meaning is in `core`.

pub(crate) mod entry_point;
pub(crate) mod error;
