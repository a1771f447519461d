//! Sub-allocation inside chunks of GPU memory: 512-byte units, first fit, neighbours joined.

use std::collections::BTreeMap;

/// Unit and alignment of an allocation, bytes.
pub(crate) const UNIT: u64 = 512;

/// Which parts of a chunk are free.
#[derive(Debug)]
pub(crate) struct Heap {
    bytes: u64,
    free: BTreeMap<u64, u64>,
}

impl Heap {
    /// A chunk of `bytes`, all free.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            bytes,
            free: BTreeMap::from([(0, bytes)]),
        }
    }

    /// Takes `len` bytes, rounded up to units; the offset.
    pub(crate) fn take(&mut self, len: u64, align: u64) -> Option<u64> {
        let len = len.max(1).checked_next_multiple_of(UNIT)?;
        let align = align.max(UNIT);
        let (start, span, at) = self.free.iter().find_map(|(start, span)| {
            let at = start.checked_next_multiple_of(align)?;
            (at.checked_add(len)? <= start + span).then_some((*start, *span, at))
        })?;
        self.free.remove(&start);
        if at > start {
            self.free.insert(start, at - start);
        }
        if at + len < start + span {
            self.free.insert(at + len, start + span - at - len);
        }
        Some(at)
    }

    /// Gives back what [`Heap::take`] gave for `len`.
    pub(crate) fn give(&mut self, at: u64, len: u64) {
        let (mut at, mut len) = (at, len.max(1).next_multiple_of(UNIT));
        let before = self.free.range(..at).next_back().map(|(b, s)| (*b, *s));
        if let Some((before, span)) = before.filter(|(b, s)| b + s == at) {
            self.free.remove(&before);
            at = before;
            len += span;
        }
        if let Some(span) = self.free.remove(&(at + len)) {
            len += span;
        }
        self.free.insert(at, len);
    }

    /// Whether nothing is allocated.
    pub(crate) fn is_empty(&self) -> bool {
        self.free.get(&0) == Some(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_small_allocations_are_a_unit_apart() {
        let mut heap = Heap::new(2 << 20);
        assert_eq!(heap.take(16, 1), Some(0));
        assert_eq!(heap.take(16, 1), Some(0x200));
        assert_eq!(heap.take(0x201, 1), Some(0x400));
        assert_eq!(heap.take(1, 4096), Some(0x1000));
        assert_eq!(
            heap.take(1, 1),
            Some(0x800),
            "the gap before an aligned block is used"
        );
        assert!(!heap.is_empty());
        for (at, len) in [
            (0x200, 16),
            (0x1000, 1),
            (0, 16),
            (0x800, 1),
            (0x400, 0x201),
        ] {
            heap.give(at, len);
        }
        assert!(heap.is_empty());
        assert_eq!(heap.take(2 << 20, 1), Some(0));
        assert_eq!(heap.take(1, 1), None);
    }

    #[test]
    fn random_allocations_never_overlap() {
        let mut heap = Heap::new(1 << 20);
        let mut live: Vec<(u64, u64)> = Vec::new();
        let mut seed = 0x1234_5678_9abc_def1_u64;
        for _ in 0..4000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            if !seed.is_multiple_of(3) || live.is_empty() {
                let len = seed >> 20 & 0x3fff;
                if let Some(at) = heap.take(len, 1 << (seed >> 40 & 0xf)) {
                    let end = at + len.max(1);
                    assert!(end <= 1 << 20);
                    assert!(live.iter().all(|(a, l)| at >= a + l.max(&1) || end <= *a));
                    live.push((at, len));
                }
            } else {
                let (at, len) =
                    live.swap_remove(usize::try_from(seed >> 8).unwrap_or(0) % live.len());
                heap.give(at, len);
            }
        }
        for (at, len) in live {
            heap.give(at, len);
        }
        assert!(heap.is_empty());
    }
}
