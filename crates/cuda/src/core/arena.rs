//! Addresses: one big range of this process that device memory and pinned memory live in.
//!
//! It is reserved without access, so that a host dereference of a device pointer crashes, as on hardware, and so that
//! nothing else of the process takes an address that the GPU uses.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cuda_abi::driver::CUresult;

/// Where the arena goes if it can: clear of AddressSanitizer's shadow, of heaps and of libraries, and the same in every
/// run.
const PREFERRED: usize = 0x2000_0000_0000;
/// Where the low arena goes, tried in order: pushbuffers and QMDs must lie below 2^40, where the ring's entries and the
/// launch method reach.
const LOW: [usize; 4] = [
    0x40_0000_0000,
    0x20_0000_0000,
    0x80_0000_0000,
    0xc0_0000_0000,
];
/// Bytes of the low arena.
const LOW_BYTES: usize = 1 << 35;
/// Bytes tried, largest first (a limit on address space may forbid the large ones).
const SIZES: [usize; 4] = [1 << 42, 1 << 40, 1 << 37, 1 << 34];
/// Unit of the arena, bytes.
pub(crate) const GRAIN: u64 = 2 << 20;

/// Free spans by address: the part without memory in it, for tests.
#[derive(Debug, Default)]
struct Spans {
    free: BTreeMap<u64, u64>,
}

impl Spans {
    /// First fit.
    fn take(&mut self, len: u64, align: u64) -> Option<u64> {
        let (start, span, base) = self.free.iter().find_map(|(start, span)| {
            let base = start.checked_next_multiple_of(align)?;
            (base.checked_add(len)? <= start + span).then_some((*start, *span, base))
        })?;
        self.free.remove(&start);
        if base > start {
            self.free.insert(start, base - start);
        }
        let end = start + span;
        if base + len < end {
            self.free.insert(base + len, end - base - len);
        }
        Some(base)
    }

    fn give(&mut self, base: u64, len: u64) {
        let (mut base, mut len) = (base, len);
        let before = self.free.range(..base).next_back().map(|(b, s)| (*b, *s));
        if let Some((before, span)) = before.filter(|(b, s)| b + s == base) {
            self.free.remove(&before);
            base = before;
            len += span;
        }
        if let Some(span) = self.free.remove(&(base + len)) {
            len += span;
        }
        self.free.insert(base, len);
    }
}

/// The arena.
#[derive(Debug)]
pub(crate) struct Arena {
    range: std::ops::Range<u64>,
    spans: Mutex<Spans>,
}

impl Arena {
    /// Reserves the addresses.
    ///
    /// # Errors
    /// 2 when the process has no room for them.
    pub(crate) fn reserve() -> Result<Self, CUresult> {
        for size in SIZES {
            for (hint, flag) in [(PREFERRED, libc::MAP_FIXED_NOREPLACE), (0, 0)] {
                if let Some(base) = reserve_at(hint, size, flag) {
                    return Ok(Self::of(base, size));
                }
            }
        }
        Err(CUresult::OUT_OF_MEMORY)
    }

    /// Reserves addresses below 2^40.
    ///
    /// # Errors
    /// 2 when something else has taken them.
    pub(crate) fn reserve_low() -> Result<Self, CUresult> {
        let base = LOW
            .into_iter()
            .find_map(|at| reserve_at(at, LOW_BYTES, libc::MAP_FIXED_NOREPLACE));
        base.map(|base| Self::of(base, LOW_BYTES))
            .ok_or(CUresult::OUT_OF_MEMORY)
    }

    fn of(base: usize, size: usize) -> Self {
        let mut spans = Spans::default();
        let start = (base as u64).next_multiple_of(GRAIN);
        let end = (base + size) as u64 / GRAIN * GRAIN;
        spans.give(start, end - start);
        Self {
            range: start..end,
            spans: Mutex::new(spans),
        }
    }

    /// Whether the address lies in the arena.
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.range.contains(&address)
    }

    /// Takes `len` bytes (a multiple of [`GRAIN`]).
    ///
    /// # Errors
    /// 2 when there is no room.
    pub(crate) fn take(&self, len: u64, align: u64) -> Result<u64, CUresult> {
        let mut spans = self
            .spans
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        spans
            .take(len, align.max(GRAIN))
            .ok_or(CUresult::OUT_OF_MEMORY)
    }

    /// Takes away whatever is mapped in a taken range.
    pub(crate) fn clear(&self, base: u64, len: u64) {
        if let (Ok(at), Ok(size)) = (usize::try_from(base), usize::try_from(len)) {
            // The range is ours, and nothing of Rust's lives in it. On failure the old mapping stays, unused.
            let _ = reserve_at(at, size, libc::MAP_FIXED);
        }
    }

    /// Gives a cleared range back.
    pub(crate) fn give(&self, base: u64, len: u64) {
        let mut spans = self
            .spans
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        spans.give(base, len);
    }
}

fn reserve_at(hint: usize, len: usize, flag: i32) -> Option<usize> {
    // SAFETY: MAP_FIXED is only given for a range of the arena that its owner gives back.
    let base = unsafe {
        libc::mmap(
            std::ptr::with_exposed_provenance_mut(hint),
            len,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | flag,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return None;
    }
    let base = base.expose_provenance();
    if hint != 0 && base != hint {
        // An old kernel took the address for a hint.
        // SAFETY: the mapping just made.
        unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(base), len) };
        return None;
    }
    Some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_split_and_join() {
        let mut spans = Spans::default();
        spans.give(0x1000, 0x9000);
        assert_eq!(spans.take(0x1000, 0x1000), Some(0x1000));
        assert_eq!(spans.take(0x1000, 0x4000), Some(0x4000));
        assert_eq!(spans.take(0x2000, 0x1000), Some(0x2000));
        assert_eq!(spans.take(0x9000, 0x1000), None);
        spans.give(0x4000, 0x1000);
        spans.give(0x1000, 0x1000);
        spans.give(0x2000, 0x2000);
        assert_eq!(spans.free.len(), 1);
        assert_eq!(spans.take(0x9000, 0x1000), Some(0x1000));
    }
}
