//! Occupancy.

use cuda_abi::driver::{CUfunction, CUlaunchConfig, CUoccupancyB2DSize, CUresult, In, Out};

use super::function::{current_device, read_config};
use crate::core::module::resolve;
use crate::core::occupancy::{best_block, blocks_per_sm};
use crate::ffi::{Read, Write};

pub(crate) fn max_active_blocks(
    blocks: Out<i32>,
    f: CUfunction,
    block_size: i32,
    shared: usize,
) -> Result<(), CUresult> {
    let blocks = blocks.required()?;
    let function = resolve(f)?;
    let device = current_device()?;
    let threads = u32::try_from(block_size)
        .ok()
        .filter(|t| *t > 0)
        .ok_or(CUresult::INVALID_VALUE)?;
    let shared = u32::try_from(shared).unwrap_or(u32::MAX);
    let count = blocks_per_sm(device.limits(), function.info(), threads, shared);
    blocks.set(i32::try_from(count).unwrap_or(i32::MAX))
}

pub(crate) fn max_active_blocks_with_flags(
    blocks: Out<i32>,
    f: CUfunction,
    block_size: i32,
    shared: usize,
    flags: u32,
) -> Result<(), CUresult> {
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    max_active_blocks(blocks, f, block_size, shared)
}

pub(crate) fn max_potential_block_size(
    grid: Out<i32>,
    block: Out<i32>,
    f: CUfunction,
    shared_of: CUoccupancyB2DSize,
    shared: usize,
    limit: i32,
) -> Result<(), CUresult> {
    let (grid, block) = (grid.required()?, block.required()?);
    let function = resolve(f)?;
    let device = current_device()?;
    let limit = u32::try_from(limit).map_err(|_| CUresult::INVALID_VALUE)?;
    let dynamic = |threads: u32| match shared_of {
        Some(shared_of) => {
            let threads = i32::try_from(threads).unwrap_or(i32::MAX);
            // SAFETY: the caller's function of one number.
            let bytes = unsafe { shared_of(threads) };
            u32::try_from(bytes).unwrap_or(u32::MAX)
        }
        None => u32::try_from(shared).unwrap_or(u32::MAX),
    };
    let (blocks, threads) =
        best_block(device.limits(), function.info(), device.sms, limit, dynamic);
    grid.set(i32::try_from(blocks).unwrap_or(i32::MAX))?;
    block.set(i32::try_from(threads).unwrap_or(i32::MAX))
}

pub(crate) fn max_potential_block_size_with_flags(
    grid: Out<i32>,
    block: Out<i32>,
    f: CUfunction,
    shared_of: CUoccupancyB2DSize,
    shared: usize,
    limit: i32,
    flags: u32,
) -> Result<(), CUresult> {
    if flags > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    max_potential_block_size(grid, block, f, shared_of, shared, limit)
}

/// Dynamic shared memory that so many blocks of an SM can have each.
pub(crate) fn available_dynamic_shared(
    out: Out<usize>,
    f: CUfunction,
    blocks: i32,
    block_size: i32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let function = resolve(f)?;
    let limits = current_device()?.limits();
    let blocks = u32::try_from(blocks)
        .ok()
        .filter(|b| *b > 0)
        .ok_or(CUresult::INVALID_VALUE)?;
    let threads = u32::try_from(block_size)
        .ok()
        .filter(|t| *t > 0)
        .ok_or(CUresult::INVALID_VALUE)?;
    if blocks_per_sm(limits, function.info(), threads, 0) < blocks {
        return out.set(0);
    }
    let share = limits.shared_per_sm / blocks / 128 * 128;
    let room = share.saturating_sub(limits.shared_reserved + function.info().shared_bytes);
    out.set(room.min(function.max_dynamic_shared(limits)) as usize)
}

/// Eight blocks are portable; sixteen if the kernel allows.
pub(crate) fn max_potential_cluster_size(
    size: Out<i32>,
    f: CUfunction,
    config: In<CUlaunchConfig>,
) -> Result<(), CUresult> {
    let size = size.required()?;
    let function = resolve(f)?;
    read_config(&config.get()?)?;
    let wide = function
        .non_portable_cluster
        .load(std::sync::atomic::Ordering::Relaxed)
        != 0;
    size.set(if wide { 16 } else { 8 })
}

/// Clusters that are resident at once.
pub(crate) fn max_active_clusters(
    clusters: Out<i32>,
    f: CUfunction,
    config: In<CUlaunchConfig>,
) -> Result<(), CUresult> {
    let clusters = clusters.required()?;
    let function = resolve(f)?;
    let config = read_config(&config.get()?)?;
    let device = current_device()?;
    let threads = config.block.iter().product();
    let per_sm = blocks_per_sm(device.limits(), function.info(), threads, config.shared);
    let size: u32 = config.cluster.iter().product::<u32>().max(1);
    clusters.set(i32::try_from(per_sm * device.sms / size).unwrap_or(i32::MAX))
}
