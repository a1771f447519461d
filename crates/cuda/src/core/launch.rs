//! Launching kernels.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use abi::sm::{DriverConstants, PARAM_MAX, PARAM_OFFSET};
use cuda_abi::driver::CUresult;

use super::attributes::{BLOCK_MAX, GRID_MAX};
use super::context::Live;
use super::memory::{Kind, Room};
use super::module::Function;
use super::occupancy;
use super::printf::Fifo;
use super::qmd::{self, Launch};
use super::stream::Target;
use super::tier::Start;

/// A launch as the program asks for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads.
    pub block: [u32; 3],
    /// Dynamic shared memory, bytes.
    pub shared: u32,
    /// Cluster by attribute; zeros without.
    pub cluster: [u32; 3],
    /// All blocks at once.
    pub cooperative: bool,
}

/// Bit of `DriverConstants::launch_flags`.
const COOPERATIVE: u32 = 1;
/// Bytes of the workspace of a cooperative launch.
const WORKSPACE: u64 = 512;

fn blocking() -> bool {
    static BLOCKING: OnceLock<bool> = OnceLock::new();
    *BLOCKING.get_or_init(|| std::env::var("CUDA_LAUNCH_BLOCKING").is_ok_and(|v| v == "1"))
}

/// Checks a configuration against the device and the kernel.
///
/// # Errors
/// 1 for dimensions out of range, 701 for a block that the kernel cannot have, 720 for too large a cooperative grid,
/// 912 for a bad cluster.
pub(crate) fn check(live: &Live, function: &Function, config: &Config) -> Result<(), CUresult> {
    let limits = live.device.limits();
    let info = function.info();
    let threads = config
        .block
        .iter()
        .try_fold(1_u32, |n, d| n.checked_mul(*d))
        .unwrap_or(u32::MAX);
    let within =
        |dims: [u32; 3], max: [u32; 3]| dims.iter().zip(max).all(|(d, m)| *d >= 1 && *d <= m);
    if !within(config.grid, GRID_MAX)
        || !within(config.block, BLOCK_MAX)
        || threads > limits.threads_per_block
    {
        return Err(CUresult::INVALID_VALUE);
    }
    if info.required_block != [0; 3] && info.required_block.map(|d| d.max(1)) != config.block {
        return Err(CUresult::INVALID_VALUE);
    }
    if threads > info.max_threads {
        return Err(CUresult::INVALID_VALUE);
    }
    if config.shared > function.max_dynamic_shared(limits) {
        return Err(CUresult::INVALID_VALUE);
    }
    if config.cluster != [0; 3] {
        let fits = config
            .grid
            .iter()
            .zip(config.cluster)
            .all(|(g, c)| c >= 1 && g.is_multiple_of(c));
        let blocks: u32 = config.cluster.iter().product();
        let most = if function.non_portable_cluster.load(Ordering::Relaxed) != 0 {
            16
        } else {
            8
        };
        if !fits || blocks > most {
            return Err(CUresult::INVALID_CLUSTER_SIZE);
        }
    }
    if config.cooperative {
        let resident = occupancy::blocks_per_sm(limits, info, threads, config.shared);
        let blocks = config.grid.iter().map(|d| u64::from(*d)).product::<u64>();
        if blocks > u64::from(resident) * u64::from(live.device.sms) {
            return Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
    }
    Ok(())
}

/// Launches. `params` holds the parameters as they lie in the parameter block.
///
/// # Errors
/// As [`check`]; those of compiling the kernel; the fault that ended the context.
pub(crate) fn launch(
    target: &Target,
    function: &Function,
    config: &Config,
    params: &[u8],
) -> Result<(), CUresult> {
    let live = &target.live;
    if function.loaded.context != live.context {
        return Err(CUresult::INVALID_HANDLE);
    }
    let own = function.cluster();
    let cluster = if config.cluster == [0; 3] {
        own.map(|d| if own == [0; 3] { 0 } else { d.max(1) })
    } else {
        config.cluster
    };
    check(live, function, &Config { cluster, ..*config })?;
    let variant = if config.cooperative {
        function.lasting(live, config.block)?
    } else {
        function.variant(live, config.block, Start::of(config.grid))?
    };
    let constants = DriverConstants {
        runtime: function.loaded.device_runtime(live)?,
        ..constants(target, config)?
    };
    let offset = if variant.param_offset == 0 {
        PARAM_OFFSET
    } else {
        variant.param_offset
    };
    if params.len() > PARAM_MAX as usize {
        return Err(CUresult::INVALID_VALUE);
    }
    let param_bytes = u32::try_from(params.len()).unwrap_or_default();
    let constant_bytes = (offset + param_bytes).next_multiple_of(16);
    let class = live.device.classes.compute;
    let descriptor = variant.descriptor(
        class,
        &Launch {
            grid: config.grid,
            block: config.block,
            cluster,
            program: variant.va,
            shared_bytes: variant.shared_bytes + config.shared,
            local_bytes: variant.local_bytes,
            registers: variant.registers,
        },
    );
    let point = target.launch(
        qmd::BYTES + u64::from(constant_bytes),
        |mut memory, batch| {
            let va = memory.va();
            memory.write(0, &descriptor.bytes(va + qmd::BYTES, constant_bytes));
            memory.write(qmd::BYTES, &constant_words(&constants));
            memory.write(qmd::BYTES + u64::from(offset), params);
            batch.launch(va);
        },
    )?;
    if blocking() {
        point.channel.wait(point.value)?;
        live.drain_output();
    }
    Ok(())
}

pub(super) fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What the driver tells the code of this launch.
fn constants(target: &Target, config: &Config) -> Result<DriverConstants, CUresult> {
    let live = &target.live;
    static GRID_ID: AtomicU64 = AtomicU64::new(1);
    let fifo = match live.fifo.get() {
        Some(fifo) => fifo,
        None => {
            let bytes = lock(&live.limits).fifo;
            let new = Fifo::create(live, bytes)?;
            live.fifo.get_or_init(|| new)
        }
    };
    let heap = match live.heap.get() {
        Some(heap) => heap.clone(),
        None => {
            let bytes = lock(&live.limits).heap.max(4096);
            let new = live.allocate(bytes, 4096, Kind::Device, 0)?;
            if !new.is_fresh() {
                zero(&new)?;
            }
            live.heap.get_or_init(|| new).clone()
        }
    };
    let workspace = if config.cooperative {
        let workspace = live.workspace()?;
        // The barrier's counter counts on from launch to launch only if the grids are equal, so each launch has its own.
        zero(&workspace)?;
        workspace.va
    } else {
        0
    };
    Ok(DriverConstants {
        printf_fifo: fifo.va(),
        heap: heap.va,
        heap_bytes: heap.bytes,
        grid_workspace: workspace,
        gridid: GRID_ID.fetch_add(1, Ordering::Relaxed),
        dynamic_shared: config.shared,
        launch_flags: if config.cooperative { COOPERATIVE } else { 0 } | sms_of(target),
        magic: DriverConstants::MAGIC,
        runtime: 0,
    })
}

/// The SMs of a stream of a green context, as `DriverConstants::sms` reads them. Its default stream is that of the context
/// which is current.
fn sms_of(target: &Target) -> u32 {
    let sms = if target.stream.is_default() {
        super::context::current_context().ok().and_then(|c| c.sms)
    } else {
        target.stream.sms
    };
    sms.map_or(0, |sms| sms.count << 8 | sms.first << 20)
}

fn zero(allocation: &Arc<super::memory::Allocation>) -> Result<(), CUresult> {
    let at = allocation.host_address(allocation.va)?;
    let bytes = usize::try_from(allocation.bytes).map_err(|_| CUresult::INVALID_VALUE)?;
    // SAFETY: this process's view of memory that was just allocated.
    unsafe { std::ptr::with_exposed_provenance_mut::<u8>(at).write_bytes(0, bytes) };
    Ok(())
}

fn constant_words(c: &DriverConstants) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of::<DriverConstants>());
    for word in [
        c.printf_fifo,
        c.heap,
        c.heap_bytes,
        c.grid_workspace,
        c.gridid,
    ] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&c.dynamic_shared.to_le_bytes());
    bytes.extend_from_slice(&c.launch_flags.to_le_bytes());
    bytes.extend_from_slice(&c.magic.to_le_bytes());
    bytes.extend_from_slice(&c.runtime.to_le_bytes());
    bytes
}

impl Live {
    /// A workspace for a cooperative launch, from a ring that is longer than the launches that can be outstanding.
    fn workspace(&self) -> Result<Arc<super::memory::Allocation>, CUresult> {
        let mut ring = lock(&self.workspaces);
        if ring.len() < WORKSPACES {
            let new = self.allocate_in(Room::Driver, WORKSPACE, 512)?;
            ring.push_back(new.clone());
            return Ok(new);
        }
        let oldest = ring.pop_front().ok_or(CUresult::UNKNOWN)?;
        ring.push_back(oldest.clone());
        Ok(oldest)
    }
}

/// More than a channel's ring has entries.
const WORKSPACES: usize = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_the_contracts_layout() {
        let constants = DriverConstants {
            printf_fifo: 1,
            heap: 2,
            heap_bytes: 3,
            grid_workspace: 4,
            gridid: 5,
            dynamic_shared: 6,
            launch_flags: 7,
            magic: DriverConstants::MAGIC,
            runtime: 8,
        };
        let bytes = constant_words(&constants);
        assert_eq!(bytes.len(), size_of::<DriverConstants>());
        assert_eq!(bytes[std::mem::offset_of!(DriverConstants, gridid)], 5);
        assert_eq!(
            bytes[std::mem::offset_of!(DriverConstants, launch_flags)],
            7
        );
    }
}
