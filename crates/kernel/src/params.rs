//! Parameter structs as bytes: fields by offset or by prefix, for sizes that differ between driver versions.
//!
//! Structs grow at their end (mostly): a handler works on the newest layout and the bytes that the version at hand
//! does not have read as zero and are dropped when written. Where a field moved, the handler looks at the size.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The struct at the start of `bytes`; what is missing is zero.
#[must_use]
pub fn load<T: FromBytes + IntoBytes + Default>(bytes: &[u8]) -> T {
    let mut value = T::default();
    let target = value.as_mut_bytes();
    let n = target.len().min(bytes.len());
    target[..n].copy_from_slice(&bytes[..n]);
    value
}

/// Stores the struct over the start of `bytes`, as much as fits.
pub fn store<T: IntoBytes + Immutable>(bytes: &mut [u8], value: &T) {
    let source = value.as_bytes();
    let n = source.len().min(bytes.len());
    bytes[..n].copy_from_slice(&source[..n]);
}

/// u32 at an offset, 0 beyond the end.
#[must_use]
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..)
        .and_then(|b| b.get(..4))
        .and_then(|b| b.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

/// u64 at an offset, 0 beyond the end.
#[must_use]
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..)
        .and_then(|b| b.get(..8))
        .and_then(|b| b.try_into().ok())
        .map_or(0, u64::from_le_bytes)
}

/// Stores bytes at an offset; what lies beyond the end is dropped.
pub fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(target) = bytes.get_mut(at..) {
        let n = target.len().min(value.len());
        target[..n].copy_from_slice(&value[..n]);
    }
}

/// Stores a u32 at an offset.
pub fn put_u32(bytes: &mut [u8], at: usize, value: u32) {
    put(bytes, at, &value.to_le_bytes());
}

/// Stores a u64 at an offset.
pub fn put_u64(bytes: &mut [u8], at: usize, value: u64) {
    put(bytes, at, &value.to_le_bytes());
}

/// Stores a NUL-terminated string into a field, cut to fit.
pub fn put_str(field: &mut [u8], text: &str) {
    field.fill(0);
    let n = text.len().min(field.len().saturating_sub(1));
    field[..n].copy_from_slice(&text.as_bytes()[..n]);
}
