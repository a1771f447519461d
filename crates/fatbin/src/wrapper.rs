//! The 24-byte structure that `__cudaRegisterFatBinary` and `cuModuleLoadFatBinary` receive.

use crate::{
    Error,
    read::{u32_at, u64_at},
};

/// First four bytes of a wrapper.
pub const WRAPPER_MAGIC: u32 = 0x4662_43B1;
/// Size of a wrapper.
pub const WRAPPER_BYTES: usize = 24;

/// A wrapper. Addresses are in the program that holds it; this crate does not follow them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapper {
    /// Version 1: one whole container.
    Whole {
        /// Address of the container.
        data: u64,
        /// Address of a file name, or 0.
        filename: u64,
    },
    /// Version 2 (`-rdc=true`, and a dummy in every program): a linked image and the containers before linking.
    Relocatable {
        /// Address of the linked container, which holds only cubins or nothing.
        linked: u64,
        /// Address of a NULL-terminated array of container addresses, or 0.
        prelinked: u64,
    },
}

impl Wrapper {
    /// Parses the first [`WRAPPER_BYTES`] bytes.
    ///
    /// # Errors
    /// [`Error::Truncated`], [`Error::BadMagic`], [`Error::BadVersion`], or [`Error::BadField`] for a null `data`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let found = u32_at(bytes, 0)?;
        if found != WRAPPER_MAGIC {
            return Err(Error::BadMagic {
                offset: 0,
                found,
                expected: WRAPPER_MAGIC,
            });
        }
        let version = u32_at(bytes, 4)?;
        let data = u64_at(bytes, 8)?;
        let second = u64_at(bytes, 16)?;
        if data == 0 {
            return Err(Error::BadField {
                field: "data address",
                offset: 0,
                value: 0,
            });
        }
        match version {
            1 => Ok(Self::Whole {
                data,
                filename: second,
            }),
            2 => Ok(Self::Relocatable {
                linked: data,
                prelinked: second,
            }),
            _ => Err(Error::BadVersion {
                what: "wrapper",
                offset: 4,
                version,
            }),
        }
    }

    /// The bytes of this wrapper.
    #[must_use]
    pub fn to_bytes(self) -> [u8; WRAPPER_BYTES] {
        let (version, first, second) = match self {
            Self::Whole { data, filename } => (1u32, data, filename),
            Self::Relocatable { linked, prelinked } => (2, linked, prelinked),
        };
        let mut out = [0; WRAPPER_BYTES];
        out[..4].copy_from_slice(&WRAPPER_MAGIC.to_le_bytes());
        out[4..8].copy_from_slice(&version.to_le_bytes());
        out[8..16].copy_from_slice(&first.to_le_bytes());
        out[16..].copy_from_slice(&second.to_le_bytes());
        out
    }
}
