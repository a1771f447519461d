//! The functions of the SM that code calls ([`abi::sm::Helpers`]).

use crate::clock;
use crate::sm::barrier::Reduce;
use crate::sm::cluster;
use crate::sm::cta::{Cta, Running, Trap};
use crate::sm::fiber::status;
use crate::sm::printf;
use abi::sm::{CLUSTER_ARRIVE, CLUSTER_WAIT, CtaContext, Helpers, trap};
use core::sync::atomic::Ordering;

/// The table that every context points to.
pub static HELPERS: Helpers = Helpers {
    barrier,
    barrier_arrive,
    barrier_reduce,
    yield_now,
    trap: trap_now,
    vprintf,
    assertfail,
    malloc,
    free,
    globaltimer,
    nanosleep,
    device_runtime: super::device_runtime::call,
    reserved: [0; 3],
    texture: super::texture::texture,
};

/// Barriers are for images of kind WARP only: in others there is nothing to switch to.
fn refuse_unless_fibers(running: Running, warp: u32) {
    if !running.with(|cta| cta.on_fibers) {
        running.with(|cta| {
            let kind = trap::ILLEGAL_INSTRUCTION;
            cta.trap = Some(Trap {
                kind,
                warp,
                lanes: 0,
                address: 0,
                line: 0,
            });
        });
        running.leave(status::TRAPPED);
    }
}

/// Lets others run, if there is a stack to come back to.
fn pass(running: Running, warp: u32) {
    if running.with(|cta| cta.on_fibers) {
        running.pass_on(warp, true);
    }
}

/// Arrives at a barrier and waits for it.
fn wait_at(running: Running, warp: u32, id: u32, count: u32, vote: (u32, u32)) {
    refuse_unless_fibers(running, warp);
    let go_on = running.with(|cta| {
        let bit = 1 << (warp & 31);
        let released = cta.barriers.arrive(warp, id, count, true, vote);
        if released & bit != 0 {
            cta.ready |= released;
            true
        } else {
            cta.ready = cta.ready & !bit | released;
            false
        }
    });
    if go_on {
        if running.with(|cta| cta.abandoned()) {
            running.leave(status::ABANDONED);
        }
    } else {
        running.pass_on(warp, false);
    }
}

extern "C" fn barrier(ctx: *const CtaContext, warp: u32, id: u32, count: u32) {
    // SAFETY: code passes the context it was given, on the thread that runs it; so in all functions below.
    let running = unsafe { Running::from_context(ctx) };
    wait_at(running, warp, id, count, (0, 0));
}

extern "C" fn barrier_arrive(ctx: *const CtaContext, warp: u32, id: u32, count: u32) {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    refuse_unless_fibers(running, warp);
    match id {
        CLUSTER_ARRIVE => cluster::arrive(running, warp),
        CLUSTER_WAIT => cluster::wait(running, warp),
        _ => running.with(|cta| cta.ready |= cta.barriers.arrive(warp, id, count, false, (0, 0))),
    }
}

extern "C" fn barrier_reduce(
    ctx: *const CtaContext,
    warp: u32,
    id: u32,
    count: u32,
    op: u32,
    mask: u32,
    pred: u32,
) -> u32 {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    wait_at(running, warp, id, count, (mask, pred));
    let op = match op {
        0 => Reduce::Popc,
        1 => Reduce::And,
        _ => Reduce::Or,
    };
    running.with(|cta| cta.barriers.result(warp, op))
}

extern "C" fn yield_now(ctx: *const CtaContext, warp: u32) {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    pass(running, warp);
}

extern "C" fn nanosleep(ctx: *const CtaContext, warp: u32, _ns: u32) {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    pass(running, warp);
}

pub(super) extern "C" fn trap_now(
    ctx: *const CtaContext,
    warp: u32,
    kind: u32,
    lanes: u32,
    address: u64,
    line: u32,
) {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    running.with(|cta| {
        cta.trap = Some(Trap {
            kind,
            warp,
            lanes,
            address,
            line,
        })
    });
    running.leave(status::TRAPPED);
}

/// The lanes of a mask.
pub(super) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// Element `lane` of an array that code passed.
///
/// # Safety
/// The contract: arrays have 32 elements, of which those in the mask are valid.
pub(super) unsafe fn at<T: Copy>(array: *const T, lane: usize) -> T {
    // SAFETY: the caller's contract; a bad array faults in our own code and is reported as internal.
    unsafe { array.add(lane).read_unaligned() }
}

extern "C" fn vprintf(
    ctx: *const CtaContext,
    _warp: u32,
    mask: u32,
    fmt: *const u64,
    args: *const u64,
    result: *mut i32,
) {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    let fifo = running.with(|cta| constants(cta).printf_fifo);
    for lane in lanes(mask) {
        // SAFETY: `lane` is in the mask.
        let (f, a) = unsafe { (at(fmt, lane), at(args, lane)) };
        let done = printf::print(fifo, f, a);
        if !result.is_null() {
            // SAFETY: `lane` is in the mask.
            unsafe { result.add(lane).write_unaligned(done) };
        }
    }
}

extern "C" fn assertfail(
    ctx: *const CtaContext,
    warp: u32,
    mask: u32,
    message: *const u64,
    file: *const u64,
    line: *const u32,
    function: *const u64,
) {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    running.with(|cta| {
        let fifo = constants(cta).printf_fifo;
        for lane in lanes(mask) {
            // SAFETY: `lane` is in the mask.
            let (m, f, l, func) =
                unsafe { (at(message, lane), at(file, lane), at(line, lane), at(function, lane)) };
            let thread = warp * 32 + lane as u32;
            let [nx, ny, _] = cta.ctx.ntid;
            let (x, y, z) = (thread % nx.max(1), thread / nx.max(1) % ny.max(1), thread / (nx * ny).max(1));
            let [bx, by, bz] = cta.ctx.ctaid;
            let text = format!(
                "{}:{l}: {}: block: [{bx},{by},{bz}], thread: [{x},{y},{z}] Assertion `{}` failed.\n",
                printf::text(f),
                printf::text(func),
                printf::text(m),
            );
            printf::assertion(fifo, &text);
        }
    });
    trap_now(ctx, warp, trap::ASSERT, mask, 0, 0);
}

extern "C" fn malloc(
    ctx: *const CtaContext,
    _warp: u32,
    mask: u32,
    bytes: *const u64,
    result: *mut u64,
) {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    running.with(|cta| {
        let c = constants(cta);
        for lane in lanes(mask) {
            // SAFETY: `lane` is in the mask.
            unsafe {
                let p = cta
                    .machine
                    .pools
                    .heap
                    .allocate(c.heap, c.heap_bytes, at(bytes, lane));
                result.add(lane).write_unaligned(p);
            }
        }
    });
}

extern "C" fn free(ctx: *const CtaContext, warp: u32, mask: u32, address: *const u64) {
    // SAFETY: as in `barrier`.
    let running = unsafe { Running::from_context(ctx) };
    for lane in lanes(mask) {
        // SAFETY: `lane` is in the mask.
        let a = unsafe { at(address, lane) };
        if !running.with(|cta| cta.machine.pools.heap.release(a)) {
            // As on hardware: freeing what was not allocated ends the kernel.
            trap_now(ctx, warp, trap::TRAP, 1 << lane, a, 0);
        }
    }
}

extern "C" fn globaltimer() -> u64 {
    clock::ptimer()
}

/// The driver's constants of the CTA's launch.
fn constants(cta: &Cta) -> abi::sm::DriverConstants {
    cta.task
        .as_ref()
        .and_then(|t| t.grid())
        .map(|g| g.constants)
        .unwrap_or_default()
}

/// Whether the worker's code must stop at once. For the signal handler.
#[must_use]
pub fn must_stop(seat: &crate::seat::Seat) -> bool {
    let cta = seat.cta.load(Ordering::Relaxed);
    // SAFETY: set while the CTA runs on this very thread, which is stopped in its handler.
    unsafe { cta.as_ref() }.is_some_and(Cta::abandoned)
}
