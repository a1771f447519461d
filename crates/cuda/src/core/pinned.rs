//! The program's own memory, pinned page by page: ranges that share a page share its chunk.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cuda_abi::driver::CUresult;

use super::memory::Chunk;
use super::platform::Platform;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// One registration after the other.
static REGISTERING: Mutex<()> = Mutex::new(());

/// Ranges that are pinned, and what holds them; a range stays here until its pages are the program's own again.
static PINNED: Mutex<Vec<(u64, u64, Weak<Chunk>)>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whole pages around `[at, at + bytes)`, or nothing for a range that ends beyond the address space.
pub(crate) fn pages(at: u64, bytes: u64) -> Option<(u64, u64)> {
    let end = at.checked_add(bytes)?.checked_next_multiple_of(PAGE)?;
    Some((at / PAGE * PAGE, end))
}

/// Chunks that together pin the pages `[base, end)`: those that are there, and new ones for the gaps.
///
/// # Errors
/// 1 for memory that is not there, 801 for memory that cannot be pinned.
pub(crate) fn cover(
    platform: &Platform,
    ordinal: usize,
    base: u64,
    end: u64,
) -> Result<Vec<Arc<Chunk>>, CUresult> {
    let _one = lock(&REGISTERING);
    let mut held = there(base, end);
    let mut new = Vec::new();
    let mut at = base;
    for (low, high) in held
        .iter()
        .map(|c| (c.va, c.va + c.len))
        .chain([(end, end)])
    {
        if at < low {
            let chunk = Chunk::registered(platform, ordinal, at, low - at);
            new.push(chunk.map_err(|error| match error {
                CUresult::UNKNOWN => CUresult::INVALID_VALUE,
                other => other,
            })?);
        }
        at = at.max(high);
    }
    let mut pinned = lock(&PINNED);
    pinned.extend(new.iter().map(|c| (c.va, c.va + c.len, Arc::downgrade(c))));
    drop(pinned);
    held.append(&mut new);
    Ok(held)
}

/// The chunks in the range, by address. One that is being given back is waited for.
fn there(base: u64, end: u64) -> Vec<Arc<Chunk>> {
    loop {
        let pinned = lock(&PINNED);
        let inside: Vec<_> = pinned
            .iter()
            .filter(|(low, high, _)| *low < end && *high > base)
            .map(|(.., chunk)| chunk.upgrade())
            .collect();
        drop(pinned);
        let count = inside.len();
        let mut chunks: Vec<_> = inside.into_iter().flatten().collect();
        if chunks.len() == count {
            chunks.sort_by_key(|c| c.va);
            return chunks;
        }
        std::thread::yield_now();
    }
}

/// A chunk's pages are the program's own again.
pub(crate) fn forget(va: u64) {
    door::unpin(va);
    lock(&PINNED).retain(|(low, ..)| *low != va);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_pages() {
        assert_eq!(pages(4097, 1), Some((4096, 8192)));
        assert_eq!(pages(4096, 4096), Some((4096, 8192)));
        assert_eq!(pages(4095, 2), Some((0, 8192)));
        assert_eq!(pages(u64::MAX - 10, 5), None);
        assert_eq!(pages(10, u64::MAX), None);
    }
}
