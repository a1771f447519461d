//! Writing containers: for tests, and for images that our own tools make.

use crate::{CONTAINER_MAGIC, Error, Flags, IsaVersion, Kind, Sm, Suffix};

/// How a payload is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    None,
    /// One raw LZ4 block, as nvcc's `-compress-mode=speed` and nvcc 11 write.
    Lz4,
    /// One zstd frame, nvcc 13's default for PTX.
    Zstd,
}

/// An entry to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntrySpec<'a> {
    /// What the payload is.
    pub kind: Kind,
    /// What it is for.
    pub sm: Sm,
    /// PTX ISA version, or ELF ABI version.
    pub version: IsaVersion,
    /// The payload. PTX gets its NUL here, if it has none.
    pub payload: &'a [u8],
    /// How to store it.
    pub compression: Compression,
    /// Source file name, or empty.
    pub name: &'a str,
    /// Compiler options, or empty.
    pub options: &'a str,
    /// Flag bits beyond those that follow from the other fields (such as [`Flags::DEBUG`]).
    pub flags: u64,
}

impl<'a> EntrySpec<'a> {
    /// An uncompressed PTX entry.
    #[must_use]
    pub const fn ptx(sm: Sm, version: IsaVersion, text: &'a str) -> Self {
        Self::new(Kind::Ptx, sm, version, text.as_bytes())
    }

    /// An uncompressed cubin entry.
    #[must_use]
    pub const fn cubin(sm: Sm, image: &'a [u8]) -> Self {
        Self::new(Kind::Cubin, sm, IsaVersion::new(1, 8), image)
    }

    const fn new(kind: Kind, sm: Sm, version: IsaVersion, payload: &'a [u8]) -> Self {
        Self {
            kind,
            sm,
            version,
            payload,
            compression: Compression::None,
            name: "",
            options: "",
            flags: 0,
        }
    }

    /// The same entry, stored another way.
    #[must_use]
    pub const fn compressed(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }
}

/// Collects entries into a container.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    entries: Vec<u8>,
}

const HEADER: usize = 64;
const OPTIONS_RECORD: usize = 8;
const ALIGN: usize = 8;

impl Builder {
    /// An empty container.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when a compressed payload exceeds the format's 32-bit size field, [`Error::Corrupt`] when
    /// the compressor fails.
    pub fn push(&mut self, spec: &EntrySpec<'_>) -> Result<&mut Self, Error> {
        let offset = self.entries.len();
        let mut payload = spec.payload.to_vec();
        if spec.kind == Kind::Ptx && payload.last() != Some(&0) {
            payload.push(0);
        }
        let size = payload.len() as u64;
        let (mut stored, codec_flag) = match spec.compression {
            Compression::None => (payload, 0),
            Compression::Lz4 => (lz4_flex::block::compress(&payload), Flags::LZ4),
            Compression::Zstd => (
                zstd::bulk::compress(&payload, 0).map_err(|_| Error::Corrupt {
                    offset,
                    codec: "zstd",
                })?,
                Flags::ZSTD,
            ),
        };
        let compressed_size = if codec_flag == 0 {
            0
        } else {
            u32::try_from(stored.len()).map_err(|_| Error::TooLarge {
                offset,
                size: stored.len() as u64,
                limit: u32::MAX as usize,
            })?
        };
        stored.resize(stored.len().next_multiple_of(ALIGN), 0);

        let suffix_flag = match spec.sm.suffix {
            Suffix::None => 0,
            Suffix::Family => Flags::FAMILY_SPECIFIC,
            Suffix::Arch => Flags::ARCH_SPECIFIC,
        };
        let flags = Flags::BITS64 | Flags::LINUX | codec_flag | suffix_flag | spec.flags;

        let has_options = !spec.options.is_empty();
        let texts = HEADER + if has_options { OPTIONS_RECORD } else { 0 };
        let options_at = texts + spec.name.len();
        let header_size = (options_at + spec.options.len()).next_multiple_of(ALIGN);
        let mut header = vec![0u8; header_size];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &spec.kind.raw().to_le_bytes());
        put(2, &0x0101u16.to_le_bytes());
        put(4, &(header_size as u32).to_le_bytes());
        put(8, &(stored.len() as u64).to_le_bytes());
        put(16, &compressed_size.to_le_bytes());
        put(24, &spec.version.minor.to_le_bytes());
        put(26, &spec.version.major.to_le_bytes());
        put(28, &spec.sm.number.to_le_bytes());
        put(40, &flags.to_le_bytes());
        put(56, &if codec_flag == 0 { 0 } else { size }.to_le_bytes());
        if !spec.name.is_empty() {
            put(32, &(texts as u32).to_le_bytes());
            put(36, &(spec.name.len() as u32).to_le_bytes());
            put(texts, spec.name.as_bytes());
        }
        if has_options {
            put(20, &(HEADER as u32).to_le_bytes());
            put(HEADER, &(options_at as u32).to_le_bytes());
            put(HEADER + 4, &(spec.options.len() as u32).to_le_bytes());
            put(options_at, spec.options.as_bytes());
        }
        self.entries.extend_from_slice(&header);
        self.entries.extend_from_slice(&stored);
        Ok(self)
    }

    /// The container's bytes.
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(16 + self.entries.len());
        out.extend_from_slice(&CONTAINER_MAGIC.to_le_bytes());
        out.extend_from_slice(&1u16.to_le_bytes());
        out.extend_from_slice(&16u16.to_le_bytes());
        out.extend_from_slice(&(self.entries.len() as u64).to_le_bytes());
        out.extend_from_slice(&self.entries);
        out
    }
}
