//! Limits on what a PTX text may ask for, so that no text makes the front end run away.
//!
//! They lie far above what compilers emit; past them the text is refused by name.

/// Nesting of scopes, initialisers, vectors and parentheses.
pub const MAX_DEPTH: u32 = 128;

/// Operands of one instruction, or elements of one vector operand.
pub const MAX_OPERANDS: usize = 1024;

/// Dimensions of an array.
pub const MAX_DIMS: usize = 32;

/// Bytes of a variable (2^40): more than any device has.
pub const MAX_VARIABLE_BYTES: u64 = 1 << 40;

/// Bytes of written initial contents in one module (1 GiB).
pub const MAX_INITIAL_BYTES: u64 = 1 << 30;

/// Alignment of a variable, bytes.
pub const MAX_ALIGN: u32 = 1 << 20;

/// Errors reported for one module.
pub const MAX_ERRORS: usize = 100;
