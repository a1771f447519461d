//! Which processes have files whose close is under way, for those who want to know what is left when it is done.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Files under way to their end, by process.
#[derive(Debug, Default)]
pub struct Closing {
    counts: Mutex<HashMap<u32, usize>>,
    fewer: Condvar,
}

/// One such file.
#[derive(Debug)]
pub struct Close<'a> {
    closing: &'a Closing,
    pid: u32,
}

impl Closing {
    fn counts(&self) -> MutexGuard<'_, HashMap<u32, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file of the process closes until the result is dropped. Call it while the file still counts as open.
    pub fn begin(&self, pid: u32) -> Close<'_> {
        *self.counts().entry(pid).or_insert(0) += 1;
        Close { closing: self, pid }
    }

    /// Waits until the process has no file that is `open` or closing, at most `patience`. Whether it has none.
    pub fn wait(&self, pid: u32, open: impl Fn() -> bool, patience: Duration) -> bool {
        let start = Instant::now();
        let mut counts = self.counts();
        while counts.contains_key(&pid) || open() {
            let Some(left) = patience.checked_sub(start.elapsed()) else {
                return false;
            };
            counts = self
                .fewer
                .wait_timeout(counts, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }
}

impl Drop for Close<'_> {
    fn drop(&mut self) {
        let mut counts = self.closing.counts();
        if let Some(count) = counts.get_mut(&self.pid) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.pid);
            }
        }
        self.closing.fewer.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn waits_for_what_is_open_and_for_what_closes() {
        let closing = Closing::default();
        assert!(closing.wait(7, || false, LONG), "nothing to wait for");
        assert!(!closing.wait(7, || true, SHORT), "open for ever");
        let other = closing.begin(8);
        assert!(closing.wait(7, || false, LONG), "another's file");
        drop(other);
        let open = AtomicBool::new(true);
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let over = closing.wait(7, || open.load(Ordering::SeqCst), LONG);
                assert!(over && ended.load(Ordering::SeqCst), "too early");
            });
            let first = closing.begin(7);
            open.store(false, Ordering::SeqCst);
            let second = closing.begin(7);
            drop(first);
            std::thread::sleep(SHORT);
            ended.store(true, Ordering::SeqCst);
            drop(second);
            waiter.join().expect("waited");
        });
    }
}
