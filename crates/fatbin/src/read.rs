//! Little-endian fields out of a slice, with the offset in the error.

use crate::Error;

fn array<const N: usize>(bytes: &[u8], offset: usize) -> Result<[u8; N], Error> {
    bytes
        .get(offset..)
        .and_then(|rest| rest.first_chunk::<N>())
        .copied()
        .ok_or(Error::Truncated {
            offset,
            needed: N as u64,
            have: bytes.len().saturating_sub(offset) as u64,
        })
}

pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> Result<u16, Error> {
    array(bytes, offset).map(u16::from_le_bytes)
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> Result<u32, Error> {
    array(bytes, offset).map(u32::from_le_bytes)
}

pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> Result<u64, Error> {
    array(bytes, offset).map(u64::from_le_bytes)
}

/// `len` bytes at `offset`.
pub(crate) fn slice_at(bytes: &[u8], offset: usize, len: u64) -> Result<&[u8], Error> {
    let truncated = Error::Truncated {
        offset,
        needed: len,
        have: bytes.len().saturating_sub(offset) as u64,
    };
    let len = usize::try_from(len).map_err(|_| truncated)?;
    let end = offset.checked_add(len).ok_or(truncated)?;
    bytes.get(offset..end).ok_or(truncated)
}
