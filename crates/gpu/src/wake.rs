//! Sleeping and waking across the process boundary, by the protocol of [`abi::usermode`].

use crate::clock;
use crate::shared_map::SharedMap;
use abi::usermode as page;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

/// A usermode page that clients of this VA space map.
#[derive(Debug)]
pub struct UserPage {
    map: SharedMap,
}

impl UserPage {
    /// Wraps a mapped page (at least [`page::BYTES`] long).
    #[must_use]
    pub fn new(map: SharedMap) -> UserPage {
        UserPage { map }
    }

    /// Which memory it is.
    #[must_use]
    pub fn identity(&self) -> (u64, u64) {
        self.map.identity()
    }

    /// Whether the client wakes us after submitting.
    #[must_use]
    pub fn announced(&self) -> bool {
        self.map.word(page::ANNOUNCED).load(Ordering::Relaxed) == page::ANNOUNCED_MAGIC
    }

    /// Publishes the time.
    pub fn set_time(&self, ns: u64) {
        #[expect(clippy::cast_possible_truncation, reason = "split into halves")]
        let (lo, hi) = (ns as u32, (ns >> 32) as u32);
        self.map.word(page::TIME_1).store(hi, Ordering::Relaxed);
        self.map.word(page::TIME_0).store(lo, Ordering::Relaxed);
    }

    /// Tells clients that wait for anything that something completed.
    fn raise(&self) {
        let seq = self.map.word(page::COMPLETE_SEQ);
        seq.fetch_add(1, Ordering::SeqCst);
        if self.map.word(page::WAITERS).load(Ordering::SeqCst) != 0 {
            futex_wake(seq, false);
        }
    }

    /// Tells all waiting clients that something happened.
    pub fn raise_complete(&self) {
        self.raise();
        self.wake_slots(|_, _| true);
    }

    /// Tells waiting clients that the semaphore at `address` was released with `value`.
    pub fn raise_released(&self, address: u64, value: u64) {
        self.raise();
        self.wake_slots(|at, wanted| at == address && wanted <= value);
    }

    /// Wakes the clients in wait slots whose address and value are `wanted`.
    fn wake_slots(&self, wanted: impl Fn(u64, u64) -> bool) {
        let mut armed = self.map.wide(page::WAIT_ARMED).load(Ordering::SeqCst);
        while armed != 0 {
            let slot = page::WAIT_SLOTS + armed.trailing_zeros() as usize * page::WAIT_SLOT_BYTES;
            armed &= armed - 1;
            let wide = |offset| self.map.wide(slot + offset).load(Ordering::Relaxed);
            if wanted(wide(page::WAIT_ADDRESS), wide(page::WAIT_VALUE)) {
                let state = self.map.word(slot + page::WAIT_STATE);
                if state.swap(0, Ordering::SeqCst) != 0 {
                    futex_wake(state, false);
                }
            }
        }
    }

    /// Leaves the hint that a VA space of this client ended.
    pub fn set_last_xid(&self, xid: u32) {
        self.map.word(page::LAST_XID).store(xid, Ordering::SeqCst);
    }

    /// The word that clients raise after submitting.
    #[must_use]
    pub fn submit_seq(&self) -> &AtomicU32 {
        self.map.word(page::SUBMIT_SEQ)
    }

    /// How many engines sleep on it.
    #[must_use]
    pub fn sleepers(&self) -> &AtomicU32 {
        self.map.word(page::SLEEPERS)
    }
}

/// Wakes all sleepers on a futex word.
pub fn futex_wake(word: &AtomicU32, private: bool) {
    let op = libc::FUTEX_WAKE | if private { libc::FUTEX_PRIVATE_FLAG } else { 0 };
    // SAFETY: the word is valid; a wake has no other effect.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            op,
            i32::MAX,
            core::ptr::null::<u8>(),
            0,
            0,
        )
    };
}

/// Wakes one sleeper on a private futex word.
pub fn futex_wake_one(word: &AtomicU32) {
    let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: as in `futex_wake`.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            op,
            1,
            core::ptr::null::<u8>(),
            0,
            0,
        )
    };
}

/// Sleeps while the private word holds `value`, at most `timeout_ns` (0: no limit).
pub fn futex_wait(word: &AtomicU32, value: u32, timeout_ns: u64) {
    wait(word, value, timeout_ns, libc::FUTEX_PRIVATE_FLAG);
}

/// As [`futex_wait`], for a word that another process wakes us by.
pub fn futex_wait_shared(word: &AtomicU32, value: u32, timeout_ns: u64) {
    wait(word, value, timeout_ns, 0);
}

fn wait(word: &AtomicU32, value: u32, timeout_ns: u64, flag: i32) {
    let t = timespec(timeout_ns);
    let pt = if timeout_ns == 0 {
        core::ptr::null()
    } else {
        &raw const t
    };
    let op = libc::FUTEX_WAIT | flag;
    // SAFETY: word and timespec are valid for the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), op, value, pt, 0, 0) };
}

fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: i64::try_from(ns / 1_000_000_000).unwrap_or(i64::MAX),
        tv_nsec: (ns % 1_000_000_000).cast_signed(),
    }
}

/// `struct futex_waitv` of Linux 5.16.
#[repr(C)]
#[derive(Clone, Copy)]
struct WaitV {
    value: u64,
    address: u64,
    flags: u32,
    reserved: u32,
}

const FUTEX2_SIZE_U32: u32 = 2;
const FUTEX2_PRIVATE: u32 = 128;
/// Pages on which one sleep can wait; further ones are polled.
const MAX_WORDS: usize = 16;

/// Sleeps until the private word leaves `value` or one of the pages' submit words leaves its value, at most
/// `timeout_ns` (0: no limit).
pub fn sleep_any(word: &AtomicU32, value: u32, pages: &[(Arc<UserPage>, u32)], timeout_ns: u64) {
    let mut waiters = [WaitV {
        value: 0,
        address: 0,
        flags: 0,
        reserved: 0,
    }; MAX_WORDS];
    waiters[0] = WaitV {
        value: u64::from(value),
        address: word.as_ptr() as u64,
        flags: FUTEX2_SIZE_U32 | FUTEX2_PRIVATE,
        reserved: 0,
    };
    let mut count = 1;
    for (page, seen) in pages.iter().take(MAX_WORDS - 1) {
        waiters[count] = WaitV {
            value: u64::from(*seen),
            address: page.submit_seq().as_ptr() as u64,
            flags: FUTEX2_SIZE_U32,
            reserved: 0,
        };
        count += 1;
    }
    let deadline = timespec(clock::monotonic().saturating_add(timeout_ns));
    let pt = if timeout_ns == 0 {
        core::ptr::null()
    } else {
        &raw const deadline
    };
    // SAFETY: the array and the timespec are valid for the call.
    let r = unsafe {
        libc::syscall(
            libc::SYS_futex_waitv,
            waiters.as_ptr(),
            count,
            0,
            pt,
            libc::CLOCK_MONOTONIC,
        )
    };
    if r < 0 {
        let e = crate::shared_map::errno();
        if e == libc::ENOSYS || e == libc::EPERM {
            // An older kernel, or a container's filter: poll.
            futex_wait(
                word,
                value,
                if timeout_ns == 0 {
                    1_000_000
                } else {
                    timeout_ns.min(1_000_000)
                },
            );
        }
    }
}
