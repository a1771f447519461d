//! How long an ELF image is, when all that is known is where it starts.

use crate::{
    Error,
    read::{slice_at, u16_at, u32_at, u64_at},
};

const HEADER: usize = 64;
const SECTION: usize = 64;
const SECTION_NOBITS: u32 = 8;
const MAGIC: [u8; 4] = *b"\x7fELF";
/// A larger cubin is refused: 4 GiB.
const MAX_BYTES: u64 = 4 << 30;

/// Whether the bytes start as an ELF file does.
#[must_use]
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Bytes from the start of the image to the end of both header tables: read this much, then ask [`elf_size`].
///
/// # Errors
/// [`Error::BadMagic`], [`Error::BadField`].
pub fn elf_tables_size(header: &[u8; HEADER]) -> Result<usize, Error> {
    let found = u32_at(header, 0)?;
    if !is_elf(header) {
        return Err(Error::BadMagic {
            offset: 0,
            found,
            expected: u32::from_le_bytes(MAGIC),
        });
    }
    let table = |offset_at: usize, entry_at: usize, count_at: usize| -> Result<u64, Error> {
        let offset = u64_at(header, offset_at)?;
        let len = u64::from(u16_at(header, entry_at)?) * u64::from(u16_at(header, count_at)?);
        bounded(
            "ELF table offset",
            offset_at,
            offset,
            if offset == 0 { 0 } else { len },
        )
    };
    let end = table(0x20, 0x36, 0x38)?
        .max(table(0x28, 0x3a, 0x3c)?)
        .max(HEADER as u64);
    Ok(end as usize)
}

/// The length of the whole image, from at least [`elf_tables_size`] bytes of it.
///
/// # Errors
/// [`Error::Truncated`], [`Error::BadMagic`], [`Error::BadField`].
pub fn elf_size(bytes: &[u8]) -> Result<usize, Error> {
    let header = bytes.first_chunk::<HEADER>().ok_or(Error::Truncated {
        offset: 0,
        needed: HEADER as u64,
        have: bytes.len() as u64,
    })?;
    let mut end = elf_tables_size(header)? as u64;
    slice_at(bytes, 0, end)?;
    let sections = u64_at(header, 0x28)? as usize;
    let entry = usize::from(u16_at(header, 0x3a)?);
    let count = usize::from(u16_at(header, 0x3c)?);
    if sections != 0 && count != 0 && entry < SECTION {
        return Err(Error::BadField {
            field: "ELF section entry size",
            offset: 0x3a,
            value: entry as u64,
        });
    }
    for index in 0..if sections == 0 { 0 } else { count } {
        let at = sections + index * entry;
        if u32_at(bytes, at + 4)? != SECTION_NOBITS {
            let last = bounded(
                "ELF section offset",
                at,
                u64_at(bytes, at + 0x18)?,
                u64_at(bytes, at + 0x20)?,
            )?;
            end = end.max(last);
        }
    }
    Ok(end as usize)
}

fn bounded(field: &'static str, at: usize, offset: u64, len: u64) -> Result<u64, Error> {
    offset
        .checked_add(len)
        .filter(|&end| end <= MAX_BYTES)
        .ok_or(Error::BadField {
            field,
            offset: at,
            value: offset,
        })
}
