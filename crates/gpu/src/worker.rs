//! Workers: each runs blocks and parts of copies, serves the channels in between, and sleeps when there is nothing.

use crate::clock;
use crate::fault;
use crate::host::Look;
use crate::huge;
use crate::machine::Machine;
use crate::seat::{self, Seat};
use crate::sm::cta::Cta;
use crate::sm::fiber::{self, status};
use crate::sm::program::Program;
use crate::sm::scheduler::{Grid, Pick, Task, Work};
use crate::stop;
use crate::wake::{self, UserPage};
use abi::link::{FaultKind, LinkError};
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};

/// How long the watching worker spins before it sleeps, microseconds. Longer than it takes a client to wake up (44 to
/// 70 µs across CPUs, measured) and submit again: else both sides end up asleep at each exchange.
const SPIN_US: u64 = 200;
/// A spinning worker offers its CPU to others this often, microseconds.
const YIELD_US: u64 = 4;
/// How long other idle workers spin.
const SPIN_OTHERS_US: u64 = 10;
/// A worker with work at hand looks at the channels no more often than this, microseconds.
const LOOK_US: u64 = 4;
/// CTA objects that a worker keeps for reuse.
const KEEP: usize = 64;

/// A worker thread's own state.
pub struct Worker {
    machine: &'static Machine,
    seat: &'static Seat,
    flat: Box<Cta>,
    #[expect(
        clippy::vec_box,
        reason = "a CTA must not move: its context holds its address"
    )]
    spare: Vec<Box<Cta>>,
    /// Steps in a row in which code only yielded.
    spun: u64,
    spun_since: u64,
    /// Sleep between looks at clients that do not wake us, nanoseconds.
    backoff: u64,
    /// When the channels were last served from here, cycles.
    looked: u64,
    may_spin: bool,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Worked,
    Spun,
    Nothing,
}

impl Worker {
    /// The worker of seat `index`.
    #[must_use]
    pub fn new(machine: &'static Machine, index: usize, may_spin: bool) -> Worker {
        let seat = &machine.seats[index];
        // SAFETY: gettid has no arguments.
        seat.tid.store(unsafe { libc::gettid() }, Ordering::Relaxed);
        seat::take(seat);
        let mut flat = Cta::new(machine);
        flat.seat = seat;
        Worker {
            machine,
            seat,
            flat,
            spare: Vec::new(),
            spun: 0,
            spun_since: 0,
            backoff: 50_000,
            looked: 0,
            may_spin,
        }
    }

    /// Runs for ever.
    pub fn run(&mut self) -> ! {
        let mut turns = 0u32;
        loop {
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(1024) {
                self.machine.flush_interrupts();
            }
            let look = self.look();
            let step = self.step();
            match step {
                Step::Worked => self.spun = 0,
                Step::Spun if look.progress => self.spun = 0,
                Step::Spun => self.back_off(),
                Step::Nothing if look.progress => {}
                Step::Nothing if self.machine.scheduler.has_work() && !self.machine.is_dead() => {
                    self.wait_for_room();
                }
                Step::Nothing => self.idle(),
            }
        }
    }

    /// Serves the channels, unless there is work at hand and they were served a moment ago: a look costs the more the
    /// more channels there are.
    fn look(&mut self) -> Look {
        let now = clock::cycles();
        let soon = now.wrapping_sub(self.looked) < LOOK_US * clock::cycles_per_us();
        if soon && self.machine.scheduler.has_work() {
            return Look::default();
        }
        self.looked = now;
        self.machine.look().unwrap_or_default()
    }

    fn step(&mut self) -> Step {
        if self.machine.is_dead() {
            return Step::Nothing;
        }
        match self.machine.scheduler.pick(self.seat) {
            Pick::Nothing => Step::Nothing,
            Pick::Cta(cta) => self.resume(cta),
            Pick::Range(task, start, count) => match &task.work {
                Work::Copy(job) => {
                    for part in start..start + count {
                        if task.core().gone.load(Ordering::Relaxed) {
                            return Step::Worked;
                        }
                        if let Err(e) = job.run_part(part) {
                            if task.core().gone.load(Ordering::SeqCst) {
                                // Freed meanwhile, and its memory with it.
                                return Step::Worked;
                            }
                            self.machine
                                .die(fault::by("copy engine")(e).into_fault(task.core().chid));
                            return Step::Worked;
                        }
                    }
                    if task.complete(count) {
                        task.core().copying.store(false, Ordering::Release);
                    }
                    Step::Worked
                }
                Work::Grid(grid) if grid.on_fibers() => {
                    let mut step = Step::Spun;
                    for index in start..start + count {
                        if self.machine.is_dead() || task.core().gone.load(Ordering::Relaxed) {
                            return Step::Worked;
                        }
                        if self.start(&task, grid, index) == Step::Worked {
                            step = Step::Worked;
                        }
                    }
                    step
                }
                Work::Grid(grid) => self.run_flat(&task, grid, start, count),
            },
        }
    }

    /// Marks the beginning of kernel code on this worker.
    fn begin(&self, task: &Arc<Task>, code: &Program, cta: *mut Cta) -> u64 {
        self.seat.set_task(Some(Arc::clone(task)));
        let text = code.text();
        self.seat.text_start.store(text.start, Ordering::Relaxed);
        self.seat.text_end.store(text.end, Ordering::Relaxed);
        self.seat.cta.store(cta, Ordering::Relaxed);
        self.machine.running.fetch_add(1, Ordering::SeqCst);
        self.seat.in_kernel.store(true, Ordering::Release);
        clock::cycles()
    }

    /// Marks its end; returns the cycles it took.
    fn end(&self, since: u64) -> u64 {
        let took = clock::cycles().saturating_sub(since);
        self.seat.in_kernel.store(false, Ordering::Release);
        self.machine.running.fetch_sub(1, Ordering::SeqCst);
        self.seat
            .cta
            .store(core::ptr::null_mut(), Ordering::Relaxed);
        self.seat.set_task(None);
        self.machine.busy_cycles.fetch_add(took, Ordering::Relaxed);
        took
    }

    /// Runs CTAs `start .. start + count` of a grid of kind CTA.
    fn run_flat(&mut self, task: &Arc<Task>, grid: &Grid, start: u64, count: u64) -> Step {
        let machine = self.machine;
        if let Err(e) = self.flat.furnish(task, grid) {
            if e == LinkError::Limit {
                machine.scheduler.defer(Arc::clone(task), start, count);
                return Step::Spun;
            }
            machine.die(out_of(task, e));
            return Step::Worked;
        }
        machine.look_for_better(grid);
        let code = Arc::clone(grid.code());
        let cost = code.cost.load(Ordering::Relaxed);
        if machine.scheduler.is_long(cost, count) {
            machine.want_ticks();
        }
        let entry = code.entry();
        self.flat.place(grid, start);
        let cta = &raw mut *self.flat;
        // SAFETY: `cta` is our own box, which the code reaches only through `ctx` while `enter` runs.
        let ctx = unsafe { &raw mut (*cta).ctx };
        let save = self.seat.landing_sp.as_ptr();
        let stop = [machine.dead_flag(), &task.core().gone];
        let since = self.begin(task, &code, cta);
        let mut outcome = status::RETURNED;
        if grid.template.0.cluster_nctaid == [1; 3] {
            // SAFETY: the image was checked, the context is filled in, `save` is the seat's.
            outcome = unsafe { fiber::enter(entry, ctx, save, count, stop) };
        } else {
            for index in start..start + count {
                // SAFETY: as above; no code runs now.
                unsafe { (*cta).place(grid, index) };
                // SAFETY: as above.
                outcome = unsafe { fiber::enter(entry, ctx, save, 1, stop) };
                if outcome != status::RETURNED {
                    break;
                }
            }
        }
        let took = self.end(since);
        if outcome != status::RETURNED {
            self.flat.current = 0;
            stop::stopped(machine, self.seat, &mut self.flat, outcome);
            return Step::Worked;
        }
        note_cost(&code, took / count);
        self.finish(task, count);
        Step::Worked
    }

    /// Starts CTA `index` of a grid whose warps are fibers.
    fn start(&mut self, task: &Arc<Task>, grid: &Grid, index: u64) -> Step {
        self.machine.look_for_better(grid);
        let mut cta = self.spare.pop().unwrap_or_else(|| Cta::new(self.machine));
        let ready = cta.furnish(task, grid).and_then(|()| {
            cta.place(grid, index);
            cta.raise_warps(grid)?;
            if grid.clustered() {
                cta.join_cluster(grid, index)?;
            }
            Ok(())
        });
        if let Err(e) = ready {
            cta.strip();
            if e == LinkError::Limit {
                // Others must end first.
                self.machine.scheduler.defer(Arc::clone(task), index, 1);
                return Step::Spun;
            }
            self.machine.die(out_of(task, e));
            return Step::Worked;
        }
        self.resume(cta)
    }

    /// Runs a CTA on fibers until it ends or all its warps have yielded.
    fn resume(&mut self, mut cta: Box<Cta>) -> Step {
        let Some(task) = cta.task.clone() else {
            return Step::Nothing;
        };
        let Some(grid) = task.grid() else {
            return Step::Nothing;
        };
        let machine = self.machine;
        // Where its warps stand: they run what they started with.
        let code = Arc::clone(grid.code_at(cta.entry));
        let cost = code.cost.load(Ordering::Relaxed);
        if cost == 0 || machine.scheduler.is_long(cost, 1) {
            machine.want_ticks();
        }
        cta.seat = self.seat;
        let warp = cta.ready.trailing_zeros() & 31;
        cta.current = warp;
        let to = cta.sp[warp as usize];
        let since = self.begin(&task, &code, &raw mut *cta);
        // Who frees a channel waits for the workers that show its work; one that shows it later sees the mark.
        if task.core().gone.load(Ordering::SeqCst) {
            self.end(since);
            cta.strip();
            return Step::Worked;
        }
        // SAFETY: `to` was prepared or saved when the warp last stopped, and the CTA is ours alone.
        let outcome = unsafe { fiber::switch(self.seat.landing_sp.as_ptr(), to, 0) };
        let took = self.end(since);
        match outcome {
            status::DONE => {
                note_cost(&code, took);
                grid.resident.fetch_sub(1, Ordering::AcqRel);
                cta.task = None;
                cta.leave_cluster();
                if self.spare.len() < KEEP {
                    self.spare.push(cta);
                } else {
                    cta.strip();
                }
                self.finish(&task, 1);
                Step::Worked
            }
            status::YIELDED => {
                machine.scheduler.park(cta);
                if took > 5 * clock::cycles_per_us() {
                    Step::Worked
                } else {
                    Step::Spun
                }
            }
            status::STUCK => {
                machine.link.log(&format!(
                    "kernel {}: CTA {:?} waits at a barrier that its warps will never complete",
                    grid.program.name(),
                    cta.ctx.ctaid
                ));
                stop::keep_stuck(cta);
                Step::Worked
            }
            other => {
                stop::stopped(machine, self.seat, &mut cta, other);
                // Its stacks may be in the middle of anything; they are used again only from their tops.
                cta.strip();
                Step::Worked
            }
        }
    }

    fn finish(&self, task: &Arc<Task>, parts: u64) {
        if task.complete(parts)
            && let Err(e) = self.machine.grid_ended(task)
        {
            self.machine.die(e.into_fault(task.core().chid));
        }
    }

    /// What there is cannot start before something that others run has ended.
    fn wait_for_room(&self) {
        let scheduler = &self.machine.scheduler;
        let seen = scheduler.seq();
        scheduler.begin_sleep();
        wake::futex_wait(scheduler.word(), seen, 50_000);
        scheduler.end_sleep();
    }

    /// All that can run only spins: let others have the CPU.
    fn back_off(&mut self) {
        let now = clock::cycles();
        if self.spun == 0 {
            self.spun_since = now;
        }
        self.spun += 1;
        if self.spun.is_multiple_of(64) {
            self.machine.flush_interrupts();
            // SAFETY: no arguments.
            unsafe { libc::sched_yield() };
            if clock::to_ns(now - self.spun_since) > 1_000_000_000 {
                let seen = self.machine.scheduler.seq();
                self.machine.scheduler.begin_sleep();
                wake::futex_wait(self.machine.scheduler.word(), seen, 20_000);
                self.machine.scheduler.end_sleep();
            }
        }
    }

    fn idle(&mut self) {
        if self.machine.scheduler.try_watch() {
            self.watch();
            self.machine.scheduler.end_watch();
        } else {
            let scheduler = &self.machine.scheduler;
            let until = clock::cycles() + SPIN_OTHERS_US * clock::cycles_per_us();
            while self.may_spin && clock::cycles() < until {
                if scheduler.has_work() {
                    return;
                }
                core::hint::spin_loop();
            }
            let seen = scheduler.seq();
            scheduler.begin_sleep();
            if !scheduler.has_work() || self.machine.is_dead() {
                wake::futex_wait(scheduler.word(), seen, 0);
            }
            scheduler.end_sleep();
        }
    }

    /// Watches the channels: spins, then sleeps until a client submits. Returns when there may be work.
    fn watch(&mut self) {
        let machine = self.machine;
        let start = clock::cycles();
        let limit = SPIN_US * clock::cycles_per_us();
        if self.may_spin && !machine.is_dead() {
            let mut yielded = start;
            loop {
                let now = clock::cycles();
                if now - start >= limit {
                    break;
                }
                if machine.look().is_some_and(|l| l.progress) || machine.scheduler.has_work() {
                    self.backoff = 50_000;
                    return;
                }
                if now - yielded > YIELD_US * clock::cycles_per_us() {
                    yielded = now;
                    machine.flush_interrupts();
                    // The client may be waiting for this very CPU.
                    // SAFETY: no arguments.
                    unsafe { libc::sched_yield() };
                }
                core::hint::spin_loop();
            }
        }
        machine.flush_interrupts();
        let pages: Vec<(Arc<UserPage>, u32)> = {
            let pages = machine.pages.read().unwrap_or_else(PoisonError::into_inner);
            let now = clock::ptimer();
            pages
                .iter()
                .map(|page| {
                    page.set_time(now);
                    page.sleepers().fetch_add(1, Ordering::SeqCst);
                    (Arc::clone(page), page.submit_seq().load(Ordering::SeqCst))
                })
                .collect()
        };
        let seen = machine.scheduler.seq();
        machine.scheduler.begin_sleep();
        // Who holds the lock now has looked for us, or will; but what it saw is not known here.
        let look = machine.look().unwrap_or(Look {
            must_poll: true,
            ..Look::default()
        });
        if look.progress {
            self.backoff = 50_000;
        } else if machine.is_dead() {
            wake::sleep_any(machine.scheduler.word(), seen, &[], 0);
        } else if !machine.scheduler.has_work() {
            let timeout = if look.must_poll {
                self.backoff
            } else if look.acquiring {
                self.backoff.min(1_000_000)
            } else {
                0
            };
            wake::sleep_any(machine.scheduler.word(), seen, &pages, timeout);
            self.backoff = (self.backoff + self.backoff / 2).min(10_000_000);
        }
        machine.scheduler.end_sleep();
        for (page, _) in &pages {
            page.sleepers().fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Folds a measurement into the program's running average.
fn note_cost(code: &Program, cycles: u64) {
    let old = code.cost.load(Ordering::Relaxed);
    let new = if old == 0 {
        cycles
    } else {
        old - old / 4 + cycles / 4
    };
    code.cost.store(new.max(1), Ordering::Relaxed);
}

fn out_of(task: &Task, error: abi::link::LinkError) -> abi::link::Fault {
    fault::blank(
        task.core().chid,
        fault::xid::GRAPHICS,
        fault::cuda::UNKNOWN,
        FaultKind::Internal,
        format!("no memory for a CTA: {error:?}"),
    )
}

/// The ticker: while workers may be away for long, serves the channels every millisecond.
pub fn tick(machine: &'static Machine) -> ! {
    let word: &AtomicU32 = &machine.ticker;
    loop {
        let seen = word.load(Ordering::SeqCst);
        if !machine.ticking.load(Ordering::SeqCst) {
            wake::futex_wait(word, seen, 0);
            continue;
        }
        let mut quiet = 0;
        while quiet < 3 {
            let pause = libc::timespec {
                tv_sec: 0,
                tv_nsec: 1_000_000,
            };
            // SAFETY: valid timespec.
            unsafe {
                libc::clock_nanosleep(
                    libc::CLOCK_MONOTONIC,
                    0,
                    &raw const pause,
                    core::ptr::null_mut(),
                )
            };
            if machine.running.load(Ordering::SeqCst) == 0 || machine.is_dead() {
                quiet += 1;
                continue;
            }
            quiet = 0;
            let now = clock::ptimer();
            for page in machine
                .pages
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .iter()
            {
                page.set_time(now);
            }
            let progress = machine.look().is_some_and(|l| l.progress);
            if progress && machine.scheduler.has_work() {
                machine.scheduler.wake_one();
            }
            machine.flush_interrupts();
            huge::collapse_some(machine);
        }
        machine.ticking.store(false, Ordering::SeqCst);
        // Someone may have asked between the last look and the store.
        if machine.running.load(Ordering::SeqCst) != 0 && !machine.is_dead() {
            machine.ticking.store(true, Ordering::SeqCst);
        }
    }
}
