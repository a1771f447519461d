//! Unpacking within a bound.

use std::{borrow::Cow, io::Read};

use crate::{Entry, Error, Flags, Kind};

/// A payload limit that suits a driver: 512 MiB, several times the largest image known.
pub const DEFAULT_PAYLOAD_LIMIT: usize = 512 << 20;

/// LZ4 cannot expand by more than this; a header that claims more is refused before memory is taken for it.
const LZ4_MAX_RATIO: u64 = 256;

impl<'a> Entry<'a> {
    /// The entry's image: a cubin, or PTX text with its trailing NUL. Borrowed when it is stored as it is.
    ///
    /// At most `limit` bytes are produced, and memory is taken only as the data proves itself (zstd) or within the
    /// codec's greatest ratio (LZ4).
    ///
    /// # Errors
    /// [`Error::LtoIr`], [`Error::TooLarge`], [`Error::Corrupt`], and [`Error::BadField`] for sizes or codec bits
    /// that contradict each other.
    pub fn payload(&self, limit: usize) -> Result<Cow<'a, [u8]>, Error> {
        if self.kind == Kind::LtoIr {
            return Err(Error::LtoIr {
                offset: self.offset,
            });
        }
        let lz4 = self.flags.has(Flags::LZ4);
        let zstd = self.flags.has(Flags::ZSTD);
        match (lz4, zstd) {
            (false, false) => self.raw(limit),
            (true, false) => self.unpack(limit, "LZ4", Self::unpack_lz4).map(Cow::Owned),
            (false, true) => self
                .unpack(limit, "zstd", Self::unpack_zstd)
                .map(Cow::Owned),
            (true, true) => Err(Error::BadField {
                field: "compression flags",
                offset: self.offset,
                value: self.flags.0,
            }),
        }
    }

    /// The PTX text of a PTX entry, without trailing NULs. Bytes that are not UTF-8 (they occur in file names of
    /// debug directives only) become U+FFFD.
    ///
    /// # Errors
    /// As [`Entry::payload`], and [`Error::BadField`] when the entry is not PTX.
    pub fn ptx_text(&self, limit: usize) -> Result<String, Error> {
        if self.kind != Kind::Ptx {
            return Err(Error::BadField {
                field: "kind (PTX expected)",
                offset: self.offset,
                value: u64::from(self.kind.raw()),
            });
        }
        let payload = self.payload(limit)?;
        let end = payload
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(payload.len());
        Ok(String::from_utf8_lossy(&payload[..end]).into_owned())
    }

    fn raw(&self, limit: usize) -> Result<Cow<'a, [u8]>, Error> {
        // The stored size is padded to eight bytes; a true size, where given, says how much of it is the image.
        let size = match self.uncompressed_size {
            0 => self.stored.len(),
            size => usize::try_from(size)
                .ok()
                .filter(|&size| size <= self.stored.len())
                .ok_or(Error::BadField {
                    field: "uncompressed size",
                    offset: self.offset,
                    value: size,
                })?,
        };
        if size > limit {
            return Err(Error::TooLarge {
                offset: self.offset,
                size: size as u64,
                limit,
            });
        }
        Ok(Cow::Borrowed(&self.stored[..size]))
    }

    fn unpack(
        &self,
        limit: usize,
        codec: &'static str,
        decode: fn(&[u8], usize) -> Option<Vec<u8>>,
    ) -> Result<Vec<u8>, Error> {
        let size = usize::try_from(self.uncompressed_size)
            .ok()
            .filter(|&size| size <= limit)
            .ok_or(Error::TooLarge {
                offset: self.offset,
                size: self.uncompressed_size,
                limit,
            })?;
        decode(&self.stored[..self.compressed_size as usize], size).ok_or(Error::Corrupt {
            offset: self.offset,
            codec,
        })
    }

    fn unpack_lz4(packed: &[u8], size: usize) -> Option<Vec<u8>> {
        if size as u64 > packed.len() as u64 * LZ4_MAX_RATIO {
            return None;
        }
        let mut out = vec![0; size];
        let written = lz4_flex::block::decompress_into(packed, &mut out).ok()?;
        (written == size).then_some(out)
    }

    fn unpack_zstd(packed: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let decoder = zstd::stream::read::Decoder::with_buffer(packed).ok()?;
        // One byte more than declared, so that a frame that is too long is seen.
        decoder
            .single_frame()
            .take(size as u64 + 1)
            .read_to_end(&mut out)
            .ok()?;
        (out.len() == size).then_some(out)
    }
}
