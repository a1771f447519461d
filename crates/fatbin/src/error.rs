//! What can be wrong with an image, and where.

use thiserror::Error as ThisError;

/// Why bytes are not a usable fat binary. Offsets are in bytes from the start of the slice that was parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ThisError)]
pub enum Error {
    /// Fewer bytes than the structure at `offset` needs.
    #[error("truncated at byte {offset}: {needed} bytes needed, {have} there")]
    Truncated {
        /// Where the structure starts.
        offset: usize,
        /// How many bytes it needs.
        needed: u64,
        /// How many are there.
        have: u64,
    },
    /// Another magic number than the expected one.
    #[error("bad magic {found:#010x} at byte {offset}, expected {expected:#010x}")]
    BadMagic {
        /// Where it was read.
        offset: usize,
        /// What was read.
        found: u32,
        /// What should be there.
        expected: u32,
    },
    /// A version this crate does not know.
    #[error("unknown {what} version {version:#x} at byte {offset}")]
    BadVersion {
        /// The structure.
        what: &'static str,
        /// Where the version was read.
        offset: usize,
        /// The version.
        version: u32,
    },
    /// A size or offset field that cannot be right.
    #[error("bad {field} {value:#x} at byte {offset}")]
    BadField {
        /// The field's name.
        field: &'static str,
        /// Where the structure that has the field starts.
        offset: usize,
        /// The field's value.
        value: u64,
    },
    /// The unpacked payload would exceed the caller's limit.
    #[error("entry at byte {offset} unpacks to {size} bytes, over the limit of {limit}")]
    TooLarge {
        /// Where the entry starts.
        offset: usize,
        /// Its declared size.
        size: u64,
        /// The limit.
        limit: usize,
    },
    /// The compressed payload does not decode to the declared size.
    #[error("the {codec} payload of the entry at byte {offset} is corrupt")]
    Corrupt {
        /// Where the entry starts.
        offset: usize,
        /// `LZ4` or `zstd`.
        codec: &'static str,
    },
    /// LTO-IR, whose payload has no public form.
    #[error("the entry at byte {offset} is LTO-IR, which cannot be unpacked")]
    LtoIr {
        /// Where the entry starts.
        offset: usize,
    },
    /// A host executable that is not a readable ELF file.
    #[error("not a readable ELF file")]
    BadElf,
}
