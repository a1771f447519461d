//! Time: the GPU's PTIMER and a cheap cycle count for scheduling decisions.

use core::sync::atomic::{AtomicU64, Ordering};

static CYCLES_PER_US: AtomicU64 = AtomicU64::new(0);

fn gettime(clock: libc::clockid_t) -> u64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `t` is a valid timespec.
    unsafe { libc::clock_gettime(clock, &raw mut t) };
    t.tv_sec.cast_unsigned() * 1_000_000_000 + t.tv_nsec.cast_unsigned()
}

/// Nanoseconds since 1970: PTIMER, `%globaltimer`, semaphore timestamps.
#[must_use]
pub fn ptimer() -> u64 {
    gettime(libc::CLOCK_REALTIME)
}

/// Nanoseconds of the monotonic clock.
#[must_use]
pub fn monotonic() -> u64 {
    gettime(libc::CLOCK_MONOTONIC)
}

/// Cycle counter, invariant rate.
#[must_use]
pub fn cycles() -> u64 {
    // SAFETY: RDTSC exists on every x86-64 CPU.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Cycles per microsecond, measured once (takes 200 µs the first time).
pub fn cycles_per_us() -> u64 {
    let known = CYCLES_PER_US.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let (t0, c0) = (monotonic(), cycles());
    let mut t1 = t0;
    while t1 - t0 < 200_000 {
        t1 = monotonic();
    }
    let rate = ((cycles() - c0) * 1000 / (t1 - t0)).max(1);
    CYCLES_PER_US.store(rate, Ordering::Relaxed);
    rate
}

/// Converts cycles into nanoseconds.
#[must_use]
pub fn to_ns(cycles: u64) -> u64 {
    cycles.saturating_mul(1000) / cycles_per_us()
}
