//! Error-correcting memory, NVLinks and the processes' shares of a GPU.

use abi::vendor;

use super::error::RmError;
use super::gpu::Gpu;
use super::rm::{Client, word};
use crate::Return;

/// Bytes of `NV2080_CTRL_GPU_QUERY_ECC_UNIT_STATUS`; the framebuffer's is the first.
const UNIT: usize = 40;
/// `NV2080_CTRL_FB_REMAPPED_ROW_SOURCE_DBE_FIELD`.
const DOUBLE_BIT: u8 = 3;

/// Errors of the device memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// ECC is on.
    pub on: bool,
    /// Corrected: since the last reset, and ever.
    pub corrected: [u64; 2],
    /// Uncorrected: since the last reset, and ever.
    pub uncorrected: [u64; 2],
}

/// Remapped rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Because of corrected errors.
    pub corrected: u32,
    /// Because of uncorrected ones.
    pub uncorrected: u32,
    /// Some wait for a reset.
    pub pending: bool,
}

/// NVLinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Of the chip.
    pub count: u32,
    /// That are up.
    pub active: u32,
    /// `nvmlNvlinkVersion_t`.
    pub version: u32,
    /// Speed of one, MB/s.
    pub mbps: u32,
}

/// What a process had of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Process.
    pub pid: u32,
    /// Percent.
    pub percent: u32,
    /// When it was measured, µs since 1970.
    pub at_us: u64,
}

fn wide(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at / 4)) | u64::from(word(bytes, at / 4 + 1)) << 32
}

impl Gpu {
    /// Errors of the device memory.
    ///
    /// # Errors
    /// [`Return::NotSupported`] without ECC.
    pub fn errors(&self, client: &Client) -> Result<Errors, Return> {
        let name = "NV2080_CTRL_GPU_QUERY_ECC_STATUS_PARAMS";
        let mut bytes = client.struct_bytes(name)?;
        client.control_bytes(
            "asking for ECC errors",
            self.subdevice,
            0x2080_012f,
            &mut bytes,
        )?;
        if bytes.len() < UNIT || bytes[2] == 0 {
            return Err(Return::NotSupported);
        }
        Ok(Errors {
            on: bytes[0] != 0,
            uncorrected: [wide(&bytes, 8), wide(&bytes, 16)],
            corrected: [wide(&bytes, 24), wide(&bytes, 32)],
        })
    }

    /// Sets the mode that holds after the next reset.
    pub fn set_ecc(&self, client: &Client, on: bool) -> Result<(), RmError> {
        let mut bytes = u32::from(on).to_le_bytes();
        client.control_bytes("setting ECC", self.subdevice, 0x2080_0134, &mut bytes)
    }

    /// Clears counters: 1 those since the last reset, 2 those of all time.
    pub fn clear_errors(&self, client: &Client, which: u32) -> Result<(), Return> {
        let name = "NV2080_CTRL_GPU_RESET_ECC_ERROR_STATUS_PARAMS";
        let mut bytes = client.struct_bytes(name)?;
        bytes[..4].copy_from_slice(&which.to_le_bytes());
        Ok(client.control_bytes(
            "clearing ECC errors",
            self.subdevice,
            0x2080_0136,
            &mut bytes,
        )?)
    }

    /// Rows that others took the place of.
    pub fn rows(&self, client: &Client) -> Result<Rows, Return> {
        let name = "NV2080_CTRL_FB_GET_REMAPPED_ROWS_PARAMS";
        let mut bytes = client.struct_bytes(name)?;
        client.control_bytes(
            "asking for remapped rows",
            self.subdevice,
            0x2080_1344,
            &mut bytes,
        )?;
        let mut rows = Rows {
            pending: word(&bytes, 1) & 1 != 0,
            ..Rows::default()
        };
        let count = usize::try_from(word(&bytes, 0)).unwrap_or(0);
        for entry in bytes[8..].chunks_exact(12).take(count) {
            if entry[10] == DOUBLE_BIT {
                rows.uncorrected += 1;
            } else {
                rows.corrected += 1;
            }
        }
        Ok(rows)
    }

    /// NVLinks, which only our own kernel half tells.
    pub fn links(&self, client: &Client) -> Result<Links, Return> {
        let mut bytes = [0; size_of::<vendor::LinksParams>()];
        client.control_bytes(
            "asking for NVLinks",
            self.subdevice,
            vendor::CTRL_LINKS,
            &mut bytes,
        )?;
        let links = Links {
            count: word(&bytes, 0),
            active: word(&bytes, 1),
            version: word(&bytes, 2),
            mbps: word(&bytes, 3),
        };
        if links.count == 0 {
            return Err(Return::NotSupported);
        }
        Ok(links)
    }

    /// What each process had of the GPU, which only our own kernel half tells.
    pub fn shares(&self, client: &Client) -> Result<Vec<Share>, Return> {
        let mut bytes = vec![0; vendor::SHARES_BYTES];
        client.control_bytes(
            "asking for the processes' shares",
            self.subdevice,
            vendor::CTRL_SHARES,
            &mut bytes,
        )?;
        let count = usize::try_from(word(&bytes, 0)).unwrap_or(0);
        Ok(bytes[8..]
            .chunks_exact(16)
            .take(count)
            .map(|slot| Share {
                pid: word(slot, 0),
                percent: word(slot, 1),
                at_us: wide(slot, 8),
            })
            .collect())
    }
}
