//! Framebuffer controls.

use super::Control;
use crate::params::{put_u32, u32_at};
use crate::status::{RmResult, Status};

/// FB_GET_INFO_V2: (index, data) pairs after a count. Sizes are in KiB.
pub(super) fn info_v2(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = std::sync::Arc::clone(call.gpu()?);
    let profile = &gpu.profile;
    let kib = |bytes: u64| u32::try_from(bytes >> 10).unwrap_or(u32::MAX);
    super::gpu::each_pair(params, |index| {
        Ok(match index {
            // BAR1 size, and what of it is available.
            0x05 | 0x1d | 0x1f => kib(profile.bar1_mib << 20),
            // RAM, total RAM, heap, mappable heap, usable RAM.
            0x07 | 0x08 | 0x09 | 0x0a | 0x20 => kib(gpu.framebuffer.total()),
            0x0b => profile.bus_width,
            0x0d => profile.ram_type,
            // Free heap, largest free region.
            0x12 | 0x16 => kib(gpu.framebuffer.free()),
            0x19 => profile.fbps,
            0x14 | 0x1a => 1_u32.checked_shl(profile.fbps).map_or(u32::MAX, |v| v - 1),
            0x1b => profile.l2_kib << 10,
            0x22 => profile.ltcs,
            0x23 => profile.ltcs * 4,
            _ => 0,
        })
    })
}

/// Pairs through a pointer: {count u32, pointer u64 at 8}.
pub(super) fn pairs_by_pointer(
    call: &mut Control<'_>,
    params: &[u8],
    most: usize,
    value: impl Fn(u32) -> RmResult<u32>,
) -> RmResult {
    let count = usize::try_from(u32_at(params, 0)).map_err(|_| Status::INVALID_ARGUMENT)?;
    if count == 0 || count > most {
        return Err(Status::INVALID_ARGUMENT);
    }
    let pointer = crate::params::u64_at(params, 8);
    let mut list = vec![0; count * 8];
    call.user
        .read(pointer, &mut list)
        .map_err(|_| Status::INVALID_ADDRESS)?;
    for pair in list.chunks_exact_mut(8) {
        let data = value(u32_at(pair, 0))?;
        put_u32(pair, 4, data);
    }
    call.user
        .write(pointer, &list)
        .map_err(|_| Status::INVALID_ADDRESS)
}
