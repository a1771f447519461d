//! Sleeping on and waking words of shared memory (usermode page, semaphores).

use std::sync::atomic::AtomicU32;
use std::time::Duration;

use rustix::io::Errno;
use rustix::thread::futex;

/// Sleeps while `word` holds `expected`, at most `timeout`. May return early; look again.
pub fn wait(word: &AtomicU32, expected: u32, timeout: Duration) {
    let Ok(timeout) = rustix::event::Timespec::try_from(timeout) else {
        return;
    };
    match futex::wait(word, futex::Flags::empty(), expected, Some(&timeout)) {
        Ok(()) | Err(Errno::AGAIN | Errno::INTR | Errno::TIMEDOUT) => {}
        // Nothing else can be done about a word that cannot be waited on than not to spin hot.
        Err(_) => std::thread::yield_now(),
    }
}

/// Wakes everyone who sleeps on `word`, in all processes that share it.
pub fn wake_all(word: &AtomicU32) {
    let _ = futex::wake(word, futex::Flags::empty(), i32::MAX.cast_unsigned());
}
