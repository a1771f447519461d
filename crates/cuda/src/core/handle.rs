//! Handle tables: what a C caller holds is a number that names a slot, never an address.
//!
//! A handle is `TAG | kind << 40 | generation << 20 | slot`, so a stale handle, one of another type, and a wild value are
//! all told apart from a live one. The tag keeps handles clear of small numbers (stream 1 and 2) and of real addresses.

use std::sync::{Arc, RwLock};

use cuda_abi::driver::CUresult;

const SLOT_BITS: u32 = 20;
const GENERATION_BITS: u32 = 20;
const KIND_SHIFT: u32 = SLOT_BITS + GENERATION_BITS;
/// Above the 47 bits of user addresses, below the sign bit.
const TAG: usize = 0x0a5 << 48;
const SLOT_MASK: usize = (1 << SLOT_BITS) - 1;
const GENERATION_MASK: usize = (1 << GENERATION_BITS) - 1;

struct Slot<T> {
    generation: usize,
    value: Option<Arc<T>>,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<usize>,
}

/// Live objects of one kind.
pub(crate) struct Table<T> {
    kind: usize,
    /// What a handle that names no live object gets.
    error: CUresult,
    inner: RwLock<Slots<T>>,
}

impl<T> Table<T> {
    /// An empty table; `kind` tells its handles from those of other tables.
    pub(crate) const fn new(kind: u8, error: CUresult) -> Self {
        Self {
            kind: kind as usize,
            error,
            inner: RwLock::new(Slots {
                slots: Vec::new(),
                free: Vec::new(),
            }),
        }
    }

    fn encode(&self, slot: usize, generation: usize) -> usize {
        TAG | self.kind << KIND_SHIFT | (generation & GENERATION_MASK) << SLOT_BITS | slot
    }

    fn decode(&self, handle: usize) -> Option<(usize, usize)> {
        let head = TAG | self.kind << KIND_SHIFT;
        if handle >> KIND_SHIFT != head >> KIND_SHIFT {
            return None;
        }
        Some((handle & SLOT_MASK, handle >> SLOT_BITS & GENERATION_MASK))
    }

    /// Adds an object that is made with its own handle.
    ///
    /// # Errors
    /// 2 when there are too many.
    pub(crate) fn insert_with(
        &self,
        make: impl FnOnce(usize) -> T,
    ) -> Result<(usize, Arc<T>), CUresult> {
        let mut inner = write(&self.inner);
        let slot = match inner.free.pop() {
            Some(slot) => slot,
            None => {
                let slot = inner.slots.len();
                if slot > SLOT_MASK {
                    return Err(CUresult::OUT_OF_MEMORY);
                }
                inner.slots.push(Slot {
                    generation: 1,
                    value: None,
                });
                slot
            }
        };
        let handle = self.encode(slot, inner.slots[slot].generation);
        let value = Arc::new(make(handle));
        inner.slots[slot].value = Some(Arc::clone(&value));
        Ok((handle, value))
    }

    /// Adds an object.
    ///
    /// # Errors
    /// As [`Table::insert_with`].
    pub(crate) fn insert(&self, value: T) -> Result<usize, CUresult> {
        self.insert_with(|_| value).map(|(handle, _)| handle)
    }

    /// The object, or the table's error.
    pub(crate) fn get(&self, handle: usize) -> Result<Arc<T>, CUresult> {
        let (slot, generation) = self.decode(handle).ok_or(self.error)?;
        let inner = self
            .inner
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let slot = inner
            .slots
            .get(slot)
            .filter(|s| s.generation & GENERATION_MASK == generation)
            .ok_or(self.error)?;
        slot.value.clone().ok_or(self.error)
    }

    /// Takes the object out; its handle is stale from now on.
    pub(crate) fn remove(&self, handle: usize) -> Result<Arc<T>, CUresult> {
        let (index, generation) = self.decode(handle).ok_or(self.error)?;
        let mut inner = write(&self.inner);
        let slot = inner
            .slots
            .get_mut(index)
            .filter(|s| s.generation & GENERATION_MASK == generation)
            .ok_or(self.error)?;
        let value = slot.value.take().ok_or(self.error)?;
        slot.generation += 1;
        inner.free.push(index);
        Ok(value)
    }

    /// Takes out all objects of which `gone` says so.
    pub(crate) fn remove_if(&self, gone: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        let mut inner = write(&self.inner);
        let mut removed = Vec::new();
        for index in 0..inner.slots.len() {
            let slot = &mut inner.slots[index];
            if slot.value.as_deref().is_some_and(&gone) {
                removed.extend(slot.value.take());
                slot.generation += 1;
                inner.free.push(index);
            }
        }
        removed
    }

    /// The handle of an object of which `wanted` says so.
    pub(crate) fn find(&self, wanted: impl Fn(&T) -> bool) -> Option<usize> {
        let inner = self
            .inner
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let slot = inner
            .slots
            .iter()
            .position(|s| s.value.as_deref().is_some_and(&wanted))?;
        Some(self.encode(slot, inner.slots[slot].generation))
    }

    /// All live objects.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        let inner = self
            .inner
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        inner.slots.iter().filter_map(|s| s.value.clone()).collect()
    }
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    // A panic cannot leave the slots inconsistent: user code does not run under the lock, except `make`.
    lock.write()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_foreign_and_wild_handles_are_refused() {
        let numbers: Table<u32> = Table::new(3, CUresult::INVALID_HANDLE);
        let others: Table<u32> = Table::new(4, CUresult::INVALID_CONTEXT);
        let a = numbers.insert(7).expect("room");
        let b = numbers.insert(8).expect("room");
        assert_ne!(a, b);
        assert_eq!(*numbers.get(a).expect("live"), 7);
        assert_eq!(others.get(a).map(|v| *v), Err(CUresult::INVALID_CONTEXT));
        assert_eq!(*numbers.remove(a).expect("live"), 7);
        assert_eq!(numbers.get(a).map(|v| *v), Err(CUresult::INVALID_HANDLE));
        assert_eq!(numbers.remove(a).map(|v| *v), Err(CUresult::INVALID_HANDLE));
        let again = numbers.insert(9).expect("room");
        assert_ne!(again, a, "the slot is used again under another name");
        for wild in [0, 1, 2, usize::MAX, a ^ 1 << 21, 0x7fff_ffff_f000] {
            assert!(numbers.get(wild).is_err());
        }
        assert_eq!(numbers.remove_if(|v| *v == 8).len(), 1);
        assert!(numbers.get(b).is_err());
        assert_eq!(numbers.all().len(), 1);
    }
}
