//! Memory shared with the GPU, touched by atomic or volatile accesses only.

use std::sync::atomic::{AtomicU32, AtomicU64};

use door::Mapping;

/// The 32-bit word at `offset` of a mapping.
pub(crate) fn word32(mapping: &Mapping, offset: usize) -> &AtomicU32 {
    assert!(
        offset.is_multiple_of(4) && offset + 4 <= mapping.len(),
        "offset {offset} is outside the mapping"
    );
    // SAFETY: inside a live mapping, aligned (mappings start at pages), and shared words are accessed atomically.
    unsafe { AtomicU32::from_ptr(mapping.as_ptr().add(offset).cast()) }
}

/// The 64-bit word at `offset` of a mapping.
pub(crate) fn word64(mapping: &Mapping, offset: usize) -> &AtomicU64 {
    assert!(
        offset.is_multiple_of(8) && offset + 8 <= mapping.len(),
        "offset {offset} is outside the mapping"
    );
    // SAFETY: as in `word32`.
    unsafe { AtomicU64::from_ptr(mapping.as_ptr().add(offset).cast()) }
}
