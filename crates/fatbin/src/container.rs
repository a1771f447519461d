//! Containers and their entries.

use std::borrow::Cow;

use crate::{
    Error, IsaVersion, Sm, Suffix,
    read::{slice_at, u16_at, u32_at, u64_at},
};

/// First four bytes of a container.
pub const CONTAINER_MAGIC: u32 = 0xBA55_ED50;
/// Size of a container's header: what [`container_size`] needs.
pub const CONTAINER_HEADER_BYTES: usize = 16;
/// A container that claims more than this is refused: 4 GiB.
pub const MAX_CONTAINER_BYTES: u64 = 4 << 30;
/// Shortest entry header ever written.
const MIN_ENTRY_HEADER: u32 = 64;

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// PTX text, ending in NUL.
    Ptx,
    /// An ELF cubin.
    Cubin,
    /// LTO-IR, which only NVIDIA's linker reads.
    LtoIr,
    /// A kind this crate does not know.
    Other(u16),
}

impl Kind {
    const fn from_raw(raw: u16) -> Self {
        match raw {
            1 => Self::Ptx,
            2 => Self::Cubin,
            8 => Self::LtoIr,
            other => Self::Other(other),
        }
    }

    pub(crate) const fn raw(self) -> u16 {
        match self {
            Self::Ptx => 1,
            Self::Cubin => 2,
            Self::LtoIr => 8,
            Self::Other(raw) => raw,
        }
    }
}

/// An entry's flag bits. Unknown bits are kept and ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flags(pub u64);

impl Flags {
    /// Code for 64-bit hosts.
    pub const BITS64: u64 = 1;
    /// Compiled with `-G`.
    pub const DEBUG: u64 = 2;
    /// Built on Linux.
    pub const LINUX: u64 = 0x10;
    /// The payload is one raw LZ4 block.
    pub const LZ4: u64 = 0x2000;
    /// The payload is one zstd frame.
    pub const ZSTD: u64 = 0x8000;
    /// Link-time optimisation.
    pub const LTO: u64 = 0x1_0000;
    /// The target has the suffix `a`.
    pub const ARCH_SPECIFIC: u64 = 0x10_0000;
    /// The target has the suffix `f`.
    pub const FAMILY_SPECIFIC: u64 = 0x20_0000;

    /// Whether all of `bits` are set.
    #[must_use]
    pub const fn has(self, bits: u64) -> bool {
        self.0 & bits == bits
    }
}

/// How many bytes the container that starts with `header` takes in all, header included.
///
/// # Errors
/// [`Error::BadMagic`], [`Error::BadVersion`], or [`Error::BadField`] for sizes that cannot be right.
pub fn container_size(header: &[u8; CONTAINER_HEADER_BYTES]) -> Result<usize, Error> {
    let (header_size, size) = header_fields(header)?;
    // Both fit: header_fields bounds the sum by MAX_CONTAINER_BYTES.
    Ok(usize::from(header_size) + size as usize)
}

fn header_fields(bytes: &[u8]) -> Result<(u16, u64), Error> {
    let found = u32_at(bytes, 0)?;
    if found != CONTAINER_MAGIC {
        return Err(Error::BadMagic {
            offset: 0,
            found,
            expected: CONTAINER_MAGIC,
        });
    }
    let version = u16_at(bytes, 4)?;
    if version != 1 {
        return Err(Error::BadVersion {
            what: "container",
            offset: 4,
            version: u32::from(version),
        });
    }
    let header_size = u16_at(bytes, 6)?;
    if usize::from(header_size) < CONTAINER_HEADER_BYTES {
        return Err(Error::BadField {
            field: "container header size",
            offset: 6,
            value: u64::from(header_size),
        });
    }
    let size = u64_at(bytes, 8)?;
    if size > MAX_CONTAINER_BYTES - u64::from(header_size) {
        return Err(Error::BadField {
            field: "container size",
            offset: 8,
            value: size,
        });
    }
    Ok((header_size, size))
}

/// A container in memory: a checked header and the bytes of all entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Container<'a> {
    bytes: &'a [u8],
    first: usize,
}

impl<'a> Container<'a> {
    /// Checks the header. `bytes` may be longer than the container.
    ///
    /// # Errors
    /// As [`container_size`], and [`Error::Truncated`] when the entries are not all there.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let (header_size, size) = header_fields(bytes)?;
        let total = u64::from(header_size) + size;
        let bytes = slice_at(bytes, 0, total)?;
        Ok(Self {
            bytes,
            first: usize::from(header_size),
        })
    }

    /// All bytes of the container, header included.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The entries in file order. Iteration ends after the first error.
    #[must_use]
    pub const fn entries(&self) -> Entries<'a> {
        Entries {
            bytes: self.bytes,
            next: self.first,
        }
    }

    /// All entries, or the first error.
    ///
    /// # Errors
    /// As [`Entry::parse`].
    pub fn to_entries(&self) -> Result<Vec<Entry<'a>>, Error> {
        self.entries().collect()
    }
}

/// Iterator over a container's entries.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.bytes.len() {
            return None;
        }
        let entry = Entry::parse(self.bytes, self.next);
        self.next = entry
            .as_ref()
            .map_or(self.bytes.len(), |entry| self.next + entry.total_bytes());
        Some(entry)
    }
}

/// One image of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What it holds.
    pub kind: Kind,
    /// The SM it is for.
    pub sm: Sm,
    /// PTX ISA version, or a cubin's ELF ABI version.
    pub version: IsaVersion,
    /// Flag bits.
    pub flags: Flags,
    /// Size of the payload when unpacked, in bytes; for a payload that is not compressed this field is often 0.
    pub uncompressed_size: u64,
    pub(crate) offset: usize,
    pub(crate) header: &'a [u8],
    pub(crate) stored: &'a [u8],
    pub(crate) compressed_size: u32,
}

impl<'a> Entry<'a> {
    /// Parses the entry that starts at `offset` of `bytes`.
    ///
    /// # Errors
    /// [`Error::Truncated`] and [`Error::BadField`].
    pub fn parse(bytes: &'a [u8], offset: usize) -> Result<Self, Error> {
        let fixed = slice_at(bytes, offset, u64::from(MIN_ENTRY_HEADER))?;
        let header_size = u32_at(fixed, 4)?;
        if header_size < MIN_ENTRY_HEADER {
            return Err(Error::BadField {
                field: "entry header size",
                offset,
                value: u64::from(header_size),
            });
        }
        let header = slice_at(bytes, offset, u64::from(header_size))?;
        let stored = slice_at(bytes, offset + header.len(), u64_at(fixed, 8)?)?;
        let compressed_size = u32_at(fixed, 16)?;
        if compressed_size as usize > stored.len() {
            return Err(Error::BadField {
                field: "compressed size",
                offset,
                value: u64::from(compressed_size),
            });
        }
        let flags = Flags(u64_at(fixed, 40)?);
        let suffix = if flags.has(Flags::ARCH_SPECIFIC) {
            Suffix::Arch
        } else if flags.has(Flags::FAMILY_SPECIFIC) {
            Suffix::Family
        } else {
            Suffix::None
        };
        Ok(Self {
            kind: Kind::from_raw(u16_at(fixed, 0)?),
            sm: Sm {
                number: u32_at(fixed, 28)?,
                suffix,
            },
            version: IsaVersion::new(u16_at(fixed, 26)?, u16_at(fixed, 24)?),
            flags,
            uncompressed_size: u64_at(fixed, 56)?,
            offset,
            header,
            stored,
            compressed_size,
        })
    }

    /// Where the entry starts in its container, in bytes.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Header and stored payload, in bytes.
    #[must_use]
    pub const fn total_bytes(&self) -> usize {
        self.header.len() + self.stored.len()
    }

    /// The payload as stored: possibly compressed, with its padding.
    #[must_use]
    pub const fn stored(&self) -> &'a [u8] {
        self.stored
    }

    /// The source file's name, where the compiler wrote one.
    #[must_use]
    pub fn name(&self) -> Option<Cow<'a, str>> {
        let offset = u32_at(self.header, 32).ok()?;
        let len = u32_at(self.header, 36).ok()?;
        self.header_text(offset, len)
    }

    /// The compiler options recorded with PTX, such as `-O1 -maxrregcount=32`. Cubins of newer targets keep a
    /// binary record there, for which this is `None`.
    #[must_use]
    pub fn options(&self) -> Option<Cow<'a, str>> {
        if self.kind != Kind::Ptx {
            return None;
        }
        let record = u32_at(self.header, 20).ok()?;
        if record == 0 {
            return None;
        }
        let record = record as usize;
        let offset = u32_at(self.header, record).ok()?;
        let len = u32_at(self.header, record.checked_add(4)?).ok()?;
        self.header_text(offset, len)
    }

    fn header_text(&self, offset: u32, len: u32) -> Option<Cow<'a, str>> {
        if offset == 0 || len == 0 {
            return None;
        }
        let text = slice_at(self.header, offset as usize, u64::from(len)).ok()?;
        let end = text
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        (end > 0).then(|| String::from_utf8_lossy(&text[..end]))
    }
}
