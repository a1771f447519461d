//! What kernels of dynamic parallelism can launch: a block of GPU memory that the SM reads (`abi::device_runtime`).

use std::sync::{Arc, Mutex};

use abi::device_runtime::{Head, Kernel as Row};
use cuda_abi::driver::{CUdevice_attribute as Attribute, CUlimit, CUresult};

use super::context::{CONTEXTS, Live};
use super::memory::{Allocation, Room};
use super::module::{FUNCTIONS, Loaded, write_bytes};
use super::platform;
use super::tier::Start;

/// The blocks of a module, the one in use last: launches that are under way may read an older one.
#[derive(Default)]
pub(crate) struct Blocks {
    made: Mutex<Vec<(Vec<u8>, Arc<Allocation>)>>,
}

/// Device attributes that the block holds: one more than the last that CUDA 13.0 names.
const ATTRIBUTES: i32 = 150;

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Blocks {
    /// Their memory, to be freed.
    pub(crate) fn take(&self) -> Vec<Arc<Allocation>> {
        lock(&self.made).drain(..).map(|(_, block)| block).collect()
    }
}

impl Loaded {
    /// Address of the block for a launch now, 0 for a module that does not use the device runtime. The kernels that it
    /// may launch are compiled, for any block.
    ///
    /// # Errors
    /// Those of compiling, 2 without memory.
    pub(crate) fn device_runtime(self: &Arc<Self>, live: &Live) -> Result<u64, CUresult> {
        if !self.image.device_runtime {
            return Ok(0);
        }
        let bytes = self.describe(live)?;
        let mut made = lock(&self.blocks.made);
        if let Some((_, block)) = made.iter().find(|(known, _)| *known == bytes) {
            return Ok(block.va);
        }
        let block = live.allocate_in(Room::Driver, bytes.len() as u64, 64)?;
        write_bytes(&block, block.va, &bytes)?;
        let va = block.va;
        made.push((bytes, block));
        Ok(va)
    }

    fn describe(self: &Arc<Self>, live: &Live) -> Result<Vec<u8>, CUresult> {
        let platform = platform::get()?;
        let limits = live.device.limits();
        let set = *super::launch::lock(&live.limits);
        let ordinal = CONTEXTS.get(live.context)?.ordinal;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let limit = |limit: CUlimit| set.get(limit).unwrap_or(0);
        let head = Head {
            kernels: number(self.image.launchable.len()),
            attributes: ATTRIBUTES.cast_unsigned(),
            device: number(ordinal),
            devices: number(platform.devices.len()),
            version: platform.cuda_version.cast_unsigned(),
            reserved: 0,
            limits: [
                limit(CUlimit::STACK_SIZE),
                limit(CUlimit::PRINTF_FIFO_SIZE),
                limit(CUlimit::MALLOC_HEAP_SIZE),
                limit(CUlimit::DEV_RUNTIME_SYNC_DEPTH),
                limit(CUlimit::DEV_RUNTIME_PENDING_LAUNCH_COUNT),
                limit(CUlimit::MAX_L2_FETCH_GRANULARITY),
                limit(CUlimit::PERSISTING_L2_CACHE_SIZE),
            ],
            sm: limits.sm(),
        };
        let mut words = head_words(&head);
        for &(token, kernel) in &self.image.launchable {
            let function = FUNCTIONS.get(self.function(kernel)?.0)?;
            let info = function.info();
            let block = info.required_block;
            let variant = function.variant(live, block, Start::InTurn)?;
            words.extend(row_words(&Row {
                token,
                image: variant.va,
                shared: variant.shared_bytes,
                max_dynamic_shared: function.max_dynamic_shared(limits),
                max_threads: info.max_threads,
                registers: variant.registers,
                local: variant.local_bytes,
                params: info.param_bytes,
                ptx_version: info.ptx_version,
                binary_version: live.device.cc(),
            }));
        }
        words.extend((0..ATTRIBUTES).map(|number| {
            let value = live.device.attribute(Attribute(number));
            value.unwrap_or(0).cast_unsigned()
        }));
        Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }
}

/// Low and high word.
#[expect(clippy::cast_possible_truncation, reason = "the two halves of a word")]
const fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn head_words(head: &Head) -> Vec<u32> {
    let mut words = vec![
        head.kernels,
        head.attributes,
        head.device,
        head.devices,
        head.version,
        head.reserved,
    ];
    words.extend(head.limits.into_iter().flat_map(halves));
    words.extend([
        head.sm.threads,
        head.sm.blocks,
        head.sm.registers,
        head.sm.shared,
        head.sm.shared_reserved,
        head.sm.reserved,
    ]);
    words
}

fn row_words(row: &Row) -> Vec<u32> {
    let mut words: Vec<u32> = [row.token, row.image]
        .into_iter()
        .flat_map(halves)
        .collect();
    words.extend([
        row.shared,
        row.max_dynamic_shared,
        row.max_threads,
        row.registers,
        row.local,
        row.params,
        row.ptx_version,
        row.binary_version,
    ]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::device_runtime::SmLimits;

    #[test]
    fn words_have_the_contracts_layout() {
        let head = Head {
            limits: [1, 2, 3, 4, 0x5_0000_0006, 6, 7],
            sm: SmLimits {
                shared_reserved: 9,
                ..SmLimits::default()
            },
            ..Head::default()
        };
        let words = head_words(&head);
        assert_eq!(words.len() * 4, size_of::<Head>());
        let at = std::mem::offset_of!(Head, limits) / 4;
        assert_eq!(words[at + 8..at + 10], [6, 5]);
        let at = std::mem::offset_of!(Head, sm) + std::mem::offset_of!(SmLimits, shared_reserved);
        assert_eq!(words[at / 4], 9);
        let row = row_words(&Row {
            binary_version: 90,
            image: 1 << 32,
            ..Row::default()
        });
        assert_eq!(row.len() * 4, size_of::<Row>());
        assert_eq!(row[std::mem::offset_of!(Row, binary_version) / 4], 90);
        assert_eq!(row[std::mem::offset_of!(Row, image) / 4 + 1], 1);
    }
}
