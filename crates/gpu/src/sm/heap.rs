//! Device heap: `malloc` and `free` of kernels. Its book-keeping lies outside the heap, where no kernel can spoil it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Alignment of every allocation, bytes.
const ALIGN: u64 = 16;

#[derive(Debug, Default)]
struct State {
    base: u64,
    bytes: u64,
    /// Free ranges by address.
    free: BTreeMap<u64, u64>,
    /// By address. No hash map: its random keys need a system call that the sandbox refuses.
    used: BTreeMap<u64, u64>,
}

/// The heap of a VA space.
#[derive(Debug, Default)]
pub struct Heap {
    state: Mutex<State>,
}

impl State {
    /// Starts anew when the driver names another heap.
    fn at(&mut self, base: u64, bytes: u64) {
        if (self.base, self.bytes) != (base, bytes) {
            *self = State {
                base,
                bytes,
                ..State::default()
            };
            let start = base.next_multiple_of(ALIGN);
            let end = base.saturating_add(bytes) & !(ALIGN - 1);
            if start < end {
                self.free.insert(start, end - start);
            }
        }
    }
}

impl Heap {
    /// Allocates from the heap at `base`; 0 when it is full or there is none.
    pub fn allocate(&self, base: u64, heap_bytes: u64, bytes: u64) -> u64 {
        if base == 0 || bytes > heap_bytes {
            return 0;
        }
        let want = bytes.max(1).next_multiple_of(ALIGN);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.at(base, heap_bytes);
        let Some((at, len)) = state
            .free
            .iter()
            .find(|(_, len)| **len >= want)
            .map(|(a, l)| (*a, *l))
        else {
            return 0;
        };
        state.free.remove(&at);
        if len > want {
            state.free.insert(at + want, len - want);
        }
        state.used.insert(at, want);
        at
    }

    /// Frees; false if `address` is no live allocation (0 is fine and does nothing).
    pub fn release(&self, address: u64) -> bool {
        if address == 0 {
            return true;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut len) = state.used.remove(&address) else {
            return false;
        };
        let mut at = address;
        if let Some(next) = state.free.remove(&(at + len)) {
            len += next;
        }
        if let Some((before, before_len)) =
            state.free.range(..at).next_back().map(|(a, l)| (*a, *l))
            && before + before_len == at
        {
            state.free.remove(&before);
            at = before;
            len += before_len;
        }
        state.free.insert(at, len);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_and_join_again() {
        let heap = Heap::default();
        let (base, size) = (0x1008, 0x1000);
        let a = heap.allocate(base, size, 1);
        let b = heap.allocate(base, size, 100);
        let c = heap.allocate(base, size, 16);
        assert_eq!((a, b, c), (0x1010, 0x1020, 0x1020 + 112));
        assert!(heap.release(b) && heap.release(a) && heap.release(c));
        assert!(!heap.release(a), "freed twice");
        assert!(heap.release(0));
        assert_eq!(heap.allocate(base, size, 0xff0), 0x1010);
        assert_eq!(heap.allocate(base, size, 16), 0);
        assert_eq!(heap.allocate(0, 0, 16), 0);
    }
}
