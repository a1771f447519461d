//! How many blocks an SM holds.

use super::attributes::Limits;
use super::image::Kernel;

/// Resident blocks of an SM.
pub(crate) fn blocks_per_sm(
    limits: Limits,
    kernel: &Kernel,
    threads: u32,
    dynamic_shared: u32,
) -> u32 {
    if threads == 0 || threads > kernel.max_threads {
        return 0;
    }
    let shared = kernel.shared_bytes.saturating_add(dynamic_shared);
    limits
        .sm()
        .resident_blocks(threads, kernel.registers, shared)
}

/// The smallest grid and the block size that fill the device best. `dynamic_shared` gives a block's shared memory.
pub(crate) fn best_block(
    limits: Limits,
    kernel: &Kernel,
    sms: u32,
    limit: u32,
    dynamic_shared: impl Fn(u32) -> u32,
) -> (u32, u32) {
    let most = kernel.max_threads.min(limits.threads_per_block);
    let most = if limit == 0 { most } else { most.min(limit) };
    let (mut best, mut best_threads) = ((0, 0), 0);
    let mut block = most.next_multiple_of(32);
    while block > 0 {
        let threads = block.min(most);
        let blocks = blocks_per_sm(limits, kernel, threads, dynamic_shared(threads));
        if blocks * threads > best_threads {
            best_threads = blocks * threads;
            best = (blocks * sms, threads);
        }
        if best_threads == limits.threads_per_sm {
            break;
        }
        block -= 32;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::attributes::{Chip, limits};

    fn kernel(registers: u32, shared_bytes: u32) -> Kernel {
        Kernel {
            name: String::new(),
            params: vec![],
            param_bytes: 0,
            shared_bytes,
            local_bytes: 0,
            max_threads: 1024,
            limited: true,
            required_block: [0; 3],
            cluster: [0; 3],
            explicit_cluster: false,
            registers,
            ptx_version: 90,
        }
    }

    #[test]
    fn known_cases_of_gh100() {
        let l = limits(Chip::Gh100);
        assert_eq!(blocks_per_sm(l, &kernel(32, 0), 256, 0), 8);
        assert_eq!(blocks_per_sm(l, &kernel(32, 0), 1024, 0), 2);
        assert_eq!(blocks_per_sm(l, &kernel(255, 0), 256, 0), 1);
        assert_eq!(blocks_per_sm(l, &kernel(16, 0), 32, 0), 32);
        assert_eq!(blocks_per_sm(l, &kernel(16, 48 << 10), 128, 0), 4);
        assert_eq!(blocks_per_sm(l, &kernel(16, 0), 128, 227 << 10), 1);
        assert_eq!(blocks_per_sm(l, &kernel(16, 0), 0, 0), 0);
    }

    #[test]
    fn best_block_fills_the_device() {
        let l = limits(Chip::Gh100);
        assert_eq!(best_block(l, &kernel(32, 0), 132, 0, |_| 0), (264, 1024));
        assert_eq!(best_block(l, &kernel(32, 0), 132, 256, |_| 0), (1056, 256));
    }
}
