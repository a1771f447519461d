//! Waiting for the GPU without keeping it from its work: who may spin, and where the others sleep.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use abi::usermode;
use door::Mapping;

use super::word::{word32, word64};

/// Leave to spin, while it lives.
#[derive(Debug)]
pub(crate) struct Spinner(&'static AtomicUsize);

/// Threads of this process that spin now.
static SPINNING: AtomicUsize = AtomicUsize::new(0);

impl Spinner {
    /// Leave to spin, unless the threads that do so would leave no CPU to the GPU process.
    pub(crate) fn new() -> Option<Self> {
        static MOST: OnceLock<usize> = OnceLock::new();
        let most = *MOST.get_or_init(|| {
            let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            cpus.saturating_sub(1).max(1)
        });
        Self::one_of(most, &SPINNING)
    }

    fn one_of(most: usize, spinning: &'static AtomicUsize) -> Option<Self> {
        let more = |now| (now < most).then_some(now + 1);
        spinning
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
            .then(|| Self(spinning))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where a thread sleeps until a semaphore has a value.
#[derive(Debug)]
pub(crate) struct Bed<'a> {
    page: &'a Mapping,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A wait slot of the page: only what it waits for wakes the thread.
    Slot(usize),
    /// The page's sequence number: all that completes wakes the thread.
    Sequence,
    /// Nobody wakes us; how long to sleep before the next look.
    Poll(Duration),
}

impl<'a> Bed<'a> {
    /// A place to sleep; `woken` says whether the engine knows our part of the page.
    pub(crate) fn new(page: &'a Mapping, woken: bool) -> Self {
        let place = if !woken {
            Place::Poll(Duration::from_micros(20))
        } else {
            take_slot(page).map_or(Place::Sequence, Place::Slot)
        };
        Self { page, place }
    }

    /// Sleeps until the semaphore at `address` may have reached `value`, at most `most`; not at all if `over` says so,
    /// which is asked when no wake can be missed any more.
    pub(crate) fn nap(
        &mut self,
        address: u64,
        value: u64,
        over: impl FnOnce() -> bool,
        most: Duration,
    ) {
        match &mut self.place {
            Place::Slot(slot) => {
                let at = usermode::WAIT_SLOTS + *slot * usermode::WAIT_SLOT_BYTES;
                let armed = word64(self.page, usermode::WAIT_ARMED);
                let state = word32(self.page, at + usermode::WAIT_STATE);
                word64(self.page, at + usermode::WAIT_ADDRESS).store(address, Ordering::Relaxed);
                word64(self.page, at + usermode::WAIT_VALUE).store(value, Ordering::Relaxed);
                state.store(1, Ordering::SeqCst);
                armed.fetch_or(1 << *slot, Ordering::SeqCst);
                if !over() {
                    door::futex::wait(state, 1, most);
                }
                armed.fetch_and(!(1 << *slot), Ordering::SeqCst);
                state.store(0, Ordering::SeqCst);
            }
            Place::Sequence => {
                let sequence = word32(self.page, usermode::COMPLETE_SEQ);
                let waiters = word32(self.page, usermode::WAITERS);
                let seen = sequence.load(Ordering::SeqCst);
                waiters.fetch_add(1, Ordering::SeqCst);
                if !over() {
                    door::futex::wait(sequence, seen, most);
                }
                waiters.fetch_sub(1, Ordering::SeqCst);
            }
            Place::Poll(pause) => {
                if !over() {
                    std::thread::sleep((*pause).min(most));
                    *pause = (*pause * 2).min(Duration::from_millis(1));
                }
            }
        }
    }
}

impl Drop for Bed<'_> {
    fn drop(&mut self) {
        if let Place::Slot(slot) = self.place {
            word64(self.page, usermode::WAIT_TAKEN).fetch_and(!(1 << slot), Ordering::Release);
        }
    }
}

/// Takes a free wait slot.
fn take_slot(page: &Mapping) -> Option<usize> {
    let taken = word64(page, usermode::WAIT_TAKEN);
    let mut slot = 0;
    taken
        .fetch_update(Ordering::Acquire, Ordering::Relaxed, |now| {
            slot = now.trailing_ones() as usize;
            (slot < usermode::WAIT_SLOT_COUNT).then(|| now | 1 << slot)
        })
        .is_ok()
        .then_some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_threads_spin() {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let one = Spinner::one_of(2, &COUNT).expect("none spins");
        let two = Spinner::one_of(2, &COUNT).expect("one spins");
        assert!(Spinner::one_of(2, &COUNT).is_none());
        assert!(Spinner::one_of(2, &COUNT).is_none());
        drop(one);
        let three = Spinner::one_of(2, &COUNT).expect("one has stopped");
        assert!(Spinner::one_of(2, &COUNT).is_none());
        drop((two, three));
        assert_eq!(COUNT.load(Ordering::Relaxed), 0);
    }
}
