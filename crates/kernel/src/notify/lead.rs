//! Whose turn it is to wait for calls: at most one thread's.

use std::sync::{Condvar, Mutex, PoisonError};

/// The turn.
#[derive(Debug, Default)]
pub(super) struct Lead {
    taken: Mutex<bool>,
    free: Condvar,
}

/// A thread's turn; it ends when dropped, or when it is passed on.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    lead: &'a Lead,
    held: bool,
}

impl Lead {
    /// Waits for the turn.
    pub(super) fn take(&self) -> Turn<'_> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken {
            taken = self
                .free
                .wait(taken)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *taken = true;
        Turn {
            lead: self,
            held: true,
        }
    }
}

impl Turn<'_> {
    /// Whether it is still this thread's.
    pub(super) fn leads(&self) -> bool {
        self.held
    }

    /// Another thread's turn, if it is this one's.
    pub(super) fn pass_on(&mut self) {
        if !std::mem::take(&mut self.held) {
            return;
        }
        let mut taken = self
            .lead
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *taken = false;
        drop(taken);
        self.lead.free.notify_one();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.pass_on();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turn_is_one_threads() {
        let lead = Lead::default();
        let mut first = lead.take();
        assert!(first.leads());
        std::thread::scope(|scope| {
            let second = scope.spawn(|| lead.take().leads());
            first.pass_on();
            first.pass_on();
            assert!(!first.leads());
            assert!(second.join().expect("second"));
        });
        drop(first);
        assert!(lead.take().leads());
    }
}
