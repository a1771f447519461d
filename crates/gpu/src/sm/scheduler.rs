//! What there is to run, and who runs what next: grids in ranges of blocks, parts of copies, and parked CTAs.

use crate::channel::ChannelCore;
use crate::copy::Job;
use crate::seat::Seat;
use crate::sm::cluster::Cluster;
use crate::sm::cta::Cta;
use crate::sm::family::{Duties, Family, Kept};
use crate::sm::fiber::MAX_STACKS;
use crate::sm::memory::{WINDOWS, Windows};
use crate::sm::program::Program;
use crate::wake;
use abi::link::LinkError;
use abi::sm::{CtaContext, DriverConstants, flags, kind};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A context to copy for each CTA.
#[derive(Debug)]
pub struct Template(pub CtaContext);
// SAFETY: the pointers in it are addresses of client memory and of a static table, used only by running code.
unsafe impl Send for Template {}
// SAFETY: as above; it is never changed.
unsafe impl Sync for Template {}

/// Stacks that grids whose CTAs wait for each other may hold together. They start only when all that must be resident
/// fits, as on hardware: two of them half resident would wait for ever.
const GANG_STACKS: u64 = MAX_STACKS - 3_000;
/// The same for shared-memory windows.
const GANG_WINDOWS: u64 = WINDOWS - 300;

/// What a grid holds of both, given back when its task is dropped.
#[derive(Debug)]
pub struct Gang {
    held: Arc<[AtomicU64; 2]>,
    amount: [u64; 2],
}

impl Gang {
    /// Takes `amount` of each, or nothing if that is too much now.
    fn take(held: &Arc<[AtomicU64; 2]>, amount: [u64; 2]) -> Option<Gang> {
        let limits = [GANG_STACKS, GANG_WINDOWS];
        // Called under the queue's lock; others only give back.
        for i in 0..2 {
            let now = held[i].load(Ordering::Acquire);
            if now != 0 && now + amount[i] > limits[i] {
                return None;
            }
        }
        for i in 0..2 {
            held[i].fetch_add(amount[i], Ordering::AcqRel);
        }
        Some(Gang {
            held: Arc::clone(held),
            amount,
        })
    }
}

impl Drop for Gang {
    fn drop(&mut self) {
        for i in 0..2 {
            self.held[i].fetch_sub(self.amount[i], Ordering::AcqRel);
        }
    }
}

/// A launched grid.
#[derive(Debug)]
pub struct Grid {
    /// What it holds of stacks and windows, if its CTAs wait for each other.
    pub gang: Mutex<Option<Gang>>,
    /// Its image.
    pub program: Arc<Program>,
    /// The image that its later CTAs run instead.
    pub better: OnceLock<Arc<Program>>,
    /// Class of the launch, for dependent QMDs.
    pub class: u32,
    /// CTAs in x, y, z.
    pub dims: [u32; 3],
    /// Shared memory per CTA, bytes.
    pub shared_bytes: u64,
    /// Local memory per CTA, bytes.
    pub local_bytes: u64,
    /// The driver's constants.
    pub constants: DriverConstants,
    /// Context without place.
    pub template: Template,
    /// CTAs started and not ended (kind WARP).
    pub resident: AtomicU32,
    /// How many may be.
    pub cap: u32,
    /// One CTA after the other.
    pub sequential: bool,
    /// What follows its end.
    pub duties: Duties,
    /// What it has launched.
    pub family: OnceLock<Family>,
    /// Clusters some of whose CTAs have started, not all, and how many have.
    pub clusters: Mutex<BTreeMap<u64, (Arc<Cluster>, u64)>>,
    /// How deep it is nested: 0 launched by a channel.
    pub depth: u32,
    /// Parameters and constants of a launch by a kernel.
    pub kept: Option<Kept>,
}

impl Grid {
    /// `%ctaid` of CTA number `index`.
    #[must_use]
    pub fn ctaid(&self, index: u64) -> [u32; 3] {
        if self.clustered() {
            // The CTAs of a cluster follow each other.
            let n = self.template.0.cluster_nctaid;
            let size: u64 = n.iter().map(|&d| u64::from(d)).product();
            let clusters = [0, 1, 2].map(|i| self.dims[i] / n[i]);
            let (at, in_it) = (position(index / size, clusters), position(index % size, n));
            return [0, 1, 2].map(|i| at[i] * n[i] + in_it[i]);
        }
        position(index, self.dims)
    }

    /// Whether its CTAs form clusters.
    #[must_use]
    pub fn clustered(&self) -> bool {
        self.template.0.cluster_nctaid != [1; 3]
    }

    /// The cluster of CTA `index`, made for its first one, and the CTA's rank.
    ///
    /// # Errors
    /// No more windows.
    pub fn cluster_of(
        &self,
        windows: &Windows,
        index: u64,
    ) -> Result<(Arc<Cluster>, usize), LinkError> {
        let ctas: u64 = self
            .template
            .0
            .cluster_nctaid
            .iter()
            .map(|&d| u64::from(d))
            .product();
        let (number, rank) = (index / ctas, (index % ctas) as usize);
        let mut open = self.clusters.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match open.get_mut(&number) {
            Some(entry) => entry,
            None => {
                let run = windows.take_run(ctas as usize, self.shared_bytes)?;
                let cluster = Cluster::new(ctas as usize, self.template.0.warps, run);
                open.entry(number).or_insert((Arc::new(cluster), 0))
            }
        };
        entry.1 += 1;
        let cluster = Arc::clone(&entry.0);
        if entry.1 == ctas {
            // All have come.
            open.remove(&number);
        }
        Ok((cluster, rank))
    }

    /// Cluster coordinates of a placed context.
    pub fn set_cluster(&self, ctx: &mut CtaContext) {
        let n = ctx.cluster_nctaid;
        if n == [1; 3] {
            ctx.cluster_ctaid = [0; 3];
            ctx.cluster_ctarank = 0;
        } else {
            let [x, y, z] = [0, 1, 2].map(|i| ctx.ctaid[i] % n[i].max(1));
            ctx.cluster_ctaid = [x, y, z];
            ctx.cluster_ctarank = x + n[0] * (y + n[1] * z);
        }
    }

    /// The image that CTAs run which start now.
    #[must_use]
    pub fn code(&self) -> &Arc<Program> {
        self.better.get().unwrap_or(&self.program)
    }

    /// The image that code at `pc` belongs to.
    #[must_use]
    pub fn code_at(&self, pc: u64) -> &Arc<Program> {
        let better = self.better.get().filter(|p| p.text().contains(&pc));
        better.unwrap_or(&self.program)
    }

    /// What it has launched, an empty family at first.
    pub fn family(&self) -> &Family {
        self.family.get_or_init(Family::default)
    }

    /// It has ended with all that it has launched: another launch may be pending in its place.
    pub fn give_ticket_back(&self) {
        if let Some(kept) = &self.kept {
            kept.ticket.give_back();
        }
    }

    /// Its CTAs have ended: others may have what it held. (What it has launched keeps the grid itself for longer.)
    pub fn release_gang(&self) {
        drop(self.gang_lock().take());
    }

    fn gang_lock(&self) -> MutexGuard<'_, Option<Gang>> {
        self.gang.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its CTAs run on fibers.
    #[must_use]
    pub fn on_fibers(&self) -> bool {
        self.program.header.kind == kind::WARP
    }

    /// Whether its CTAs may wait for each other.
    #[must_use]
    pub fn spins(&self) -> bool {
        self.clustered()
            || self.program.header.flags & (flags::SPINS | flags::COOPERATIVE) != 0
            || self.constants.launch_flags & 1 != 0
    }
}

/// Coordinates of number `index` in a box.
#[expect(
    clippy::cast_possible_truncation,
    reason = "each is below its dimension"
)]
fn position(index: u64, dims: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = dims.map(|d| u64::from(d.max(1)));
    [
        (index % x) as u32,
        (index / x % y) as u32,
        (index / x / y) as u32,
    ]
}

/// What a task is.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "grids are the common case, and one allocation per launch is enough"
)]
pub enum Work {
    /// CTAs.
    Grid(Grid),
    /// Parts of a copy.
    Copy(Job),
}

/// Something that workers share, in numbered parts.
#[derive(Debug)]
pub struct Task {
    core: Arc<ChannelCore>,
    /// What it is.
    pub work: Work,
    /// Number of parts (CTAs, chunks).
    pub total: u64,
    next: AtomicU64,
    done: AtomicU64,
}

impl Task {
    /// A task of `total` parts for a channel.
    #[must_use]
    pub fn new(core: Arc<ChannelCore>, work: Work, total: u64) -> Task {
        Task {
            core,
            work,
            total,
            next: AtomicU64::new(0),
            done: AtomicU64::new(0),
        }
    }

    /// Its channel.
    #[must_use]
    pub fn core(&self) -> &Arc<ChannelCore> {
        &self.core
    }

    /// The grid, if it is one.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        match &self.work {
            Work::Grid(grid) => Some(grid),
            Work::Copy(_) => None,
        }
    }

    /// Counts `parts` as done; true for whoever completes the task.
    pub fn complete(&self, parts: u64) -> bool {
        self.done.fetch_add(parts, Ordering::AcqRel) + parts == self.total
    }

    fn is_complete(&self) -> bool {
        self.done.load(Ordering::Acquire) == self.total
    }

    /// Cycles that a part takes, 0 unknown.
    fn cost(&self) -> u64 {
        match &self.work {
            Work::Grid(grid) => grid.code().cost.load(Ordering::Relaxed),
            // A quarter of a mebibyte takes some tens of microseconds.
            Work::Copy(_) => 60_000,
        }
    }
}

/// What a worker gets.
#[derive(Debug)]
pub enum Pick {
    /// Parts `start .. start + count` of a task.
    Range(Arc<Task>, u64, u64),
    /// A parked CTA.
    Cta(Box<Cta>),
    /// Nothing now.
    Nothing,
}

#[derive(Debug, Default)]
struct Queue {
    tasks: VecDeque<Arc<Task>>,
    parked: VecDeque<Box<Cta>>,
    /// Ranges taken but not started, for want of stacks or windows.
    deferred: VecDeque<(Arc<Task>, u64, u64)>,
    /// Whose turn it is: parked CTAs and new work alternate.
    parked_next: bool,
}

/// The run queue.
#[derive(Debug)]
pub struct Scheduler {
    queue: Mutex<Queue>,
    gangs: Arc<[AtomicU64; 2]>,
    /// Tasks with parts left, plus parked CTAs.
    pending: AtomicUsize,
    /// Futex word of sleeping workers.
    seq: AtomicU32,
    /// Workers that sleep.
    sleepers: AtomicU32,
    /// Some idle worker watches the channels.
    watching: AtomicBool,
    workers: u64,
    /// Cycles worth waking another worker for.
    worth: u64,
}

/// A range is cut so that it lasts about this many microseconds.
const RANGE_US: u64 = 100;
/// It is not cut into pieces shorter than this many microseconds.
const LEAST_US: u64 = 4;
/// Work of this many microseconds is worth waking a worker for.
const WORTH_US: u64 = 60;

impl Scheduler {
    /// An empty queue for `workers` workers.
    #[must_use]
    pub fn new(workers: usize, cycles_per_us: u64) -> Scheduler {
        Scheduler {
            queue: Mutex::default(),
            gangs: Arc::default(),
            pending: AtomicUsize::new(0),
            seq: AtomicU32::new(0),
            sleepers: AtomicU32::new(0),
            watching: AtomicBool::new(false),
            workers: workers as u64,
            worth: WORTH_US * cycles_per_us,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task.
    pub fn add(&self, task: Arc<Task>) {
        self.pending.fetch_add(1, Ordering::SeqCst);
        self.lock().tasks.push_back(task);
    }

    /// Parks a CTA that has yielded.
    pub fn park(&self, cta: Box<Cta>) {
        self.pending.fetch_add(1, Ordering::SeqCst);
        let many = {
            let mut queue = self.lock();
            queue.parked.push_back(cta);
            queue.parked.len() > 1
        };
        if many {
            self.wake_one();
        }
    }

    /// Gives back a range that cannot start until some CTA ends.
    pub fn defer(&self, task: Arc<Task>, start: u64, count: u64) {
        self.pending.fetch_add(1, Ordering::SeqCst);
        self.lock().deferred.push_back((task, start, count));
    }

    /// Whether there is anything to run.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.pending.load(Ordering::SeqCst) != 0
    }

    /// Name of a kernel that has started and not ended: its CTAs wait for their turn, or the worker of one of `seats`
    /// has just taken them.
    #[must_use]
    pub fn started_kernel(&self, seats: &[Seat]) -> Option<String> {
        // What workers let go of meanwhile may end here: not under the lock.
        let (name, _taken) = {
            let queue = self.lock();
            let taken: Vec<Arc<Task>> = seats.iter().filter_map(Seat::taken).collect();
            let parked = queue.parked.iter().filter_map(|cta| cta.task.as_ref());
            let begun = queue
                .tasks
                .iter()
                .filter(|task| task.next.load(Ordering::Relaxed) != 0);
            let held = taken
                .iter()
                .filter(|task| !task.is_complete() && !task.core.gone.load(Ordering::Relaxed));
            let mut all = parked
                .chain(begun)
                .chain(queue.deferred.iter().map(|(task, ..)| task))
                .chain(held);
            let name = all.find_map(|task| task.grid().map(|grid| grid.program.name()));
            (name, taken)
        };
        name
    }

    /// Takes the next thing to run, for the worker of `seat`.
    pub fn pick(&self, seat: &Seat) -> Pick {
        if self.pending.load(Ordering::Relaxed) == 0 {
            return Pick::Nothing;
        }
        let mut queue = self.lock();
        if (queue.parked_next || (queue.tasks.is_empty() && queue.deferred.is_empty()))
            && let Some(cta) = queue.parked.pop_front()
        {
            return self.unpark(&mut queue, cta, seat);
        }
        queue.parked_next = true;
        if let Some((task, start, count)) = queue.deferred.pop_front() {
            self.pending.fetch_sub(1, Ordering::Relaxed);
            seat.take(&task);
            return Pick::Range(task, start, count);
        }
        for _ in 0..queue.tasks.len() {
            let Some(task) = queue.tasks.pop_front() else {
                break;
            };
            let next = task.next.load(Ordering::Relaxed);
            let left = task.total - next;
            let mut count = self.range(&task, left);
            if let Some(grid) = task.grid().filter(|g| g.on_fibers()) {
                if grid.spins() && grid.gang_lock().is_none() {
                    let ctas = task.total.min(u64::from(grid.cap));
                    let windows = if grid.shared_bytes == 0 && !grid.clustered() {
                        0
                    } else {
                        ctas
                    };
                    let amount = [ctas * u64::from(grid.template.0.warps), windows];
                    match Gang::take(&self.gangs, amount) {
                        Some(gang) => *grid.gang_lock() = Some(gang),
                        None => {
                            queue.tasks.push_back(task);
                            continue;
                        }
                    }
                }
                let room = grid
                    .cap
                    .saturating_sub(grid.resident.load(Ordering::Acquire));
                if room == 0 {
                    queue.tasks.push_back(task);
                    continue;
                }
                count = if grid.spins() {
                    1
                } else {
                    count.min(u64::from(room))
                };
                #[expect(clippy::cast_possible_truncation, reason = "at most `room`")]
                grid.resident.fetch_add(count as u32, Ordering::AcqRel);
            }
            task.next.store(next + count, Ordering::Relaxed);
            let more = if count == left {
                self.pending.fetch_sub(1, Ordering::Relaxed);
                queue.tasks.len()
            } else {
                // Others' turn next.
                queue.tasks.push_back(Arc::clone(&task));
                queue.tasks.len()
            };
            let rest = left - count;
            seat.take(&task);
            drop(queue);
            let cost = task.cost();
            if self.sleepers.load(Ordering::Relaxed) != 0
                && (more > 1
                    || (rest != 0 && (cost == 0 || cost.saturating_mul(rest) > self.worth))
                    || self.is_long(cost, count))
            {
                self.wake_one();
            }
            return Pick::Range(task, next, count);
        }
        match queue.parked.pop_front() {
            Some(cta) => self.unpark(&mut queue, cta, seat),
            None => Pick::Nothing,
        }
    }

    fn unpark(&self, queue: &mut Queue, cta: Box<Cta>, seat: &Seat) -> Pick {
        queue.parked_next = false;
        self.pending.fetch_sub(1, Ordering::Relaxed);
        if let Some(task) = &cta.task {
            seat.take(task);
        }
        Pick::Cta(cta)
    }

    /// Whether a range keeps its worker so long that another should watch the channels.
    #[must_use]
    pub fn is_long(&self, cost: u64, count: u64) -> bool {
        cost == 0 || cost.saturating_mul(count) > 4 * self.worth
    }

    fn range(&self, task: &Task, left: u64) -> u64 {
        match &task.work {
            Work::Copy(_) => 1,
            Work::Grid(grid) if grid.sequential => left,
            Work::Grid(_) => {
                let share = (left / (self.workers * 8)).max(1);
                match task.cost() {
                    0 => 1,
                    cost => {
                        let us = self.worth / WORTH_US;
                        let least = (us * LEAST_US / cost).clamp(1, left);
                        let most = (us * RANGE_US / cost).clamp(1, left);
                        share.clamp(least, most)
                    }
                }
            }
        }
    }

    // --- sleeping

    /// Value of the futex word, to be read before the last look for work.
    #[must_use]
    pub fn seq(&self) -> u32 {
        self.seq.load(Ordering::SeqCst)
    }

    /// The futex word.
    #[must_use]
    pub fn word(&self) -> &AtomicU32 {
        &self.seq
    }

    /// The calling worker is about to sleep.
    pub fn begin_sleep(&self) {
        self.sleepers.fetch_add(1, Ordering::SeqCst);
    }

    /// It is awake again.
    pub fn end_sleep(&self) {
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Tries to become the worker that watches the channels while idle.
    pub fn try_watch(&self) -> bool {
        !self.watching.swap(true, Ordering::SeqCst)
    }

    /// Ends that.
    pub fn end_watch(&self) {
        self.watching.store(false, Ordering::SeqCst);
    }

    /// Wakes one sleeping worker, if any.
    pub fn wake_one(&self) {
        self.seq.fetch_add(1, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) != 0 {
            wake::futex_wake_one(&self.seq);
        }
    }

    /// Wakes all.
    pub fn wake_all(&self) {
        self.seq.fetch_add(1, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) != 0 {
            wake::futex_wake(&self.seq, true);
        }
    }

    /// Takes out what belongs to a channel that is gone, and returns the CTAs that were parked.
    pub fn abandon(&self, core: &Arc<ChannelCore>) -> Vec<Box<Cta>> {
        let mut queue = self.lock();
        let before = queue.tasks.len() + queue.parked.len() + queue.deferred.len();
        queue.tasks.retain(|t| !Arc::ptr_eq(t.core(), core));
        let mut gone = Vec::new();
        for cta in core::mem::take(&mut queue.parked) {
            if cta
                .task
                .as_ref()
                .is_some_and(|t| Arc::ptr_eq(t.core(), core))
            {
                gone.push(cta);
            } else {
                queue.parked.push_back(cta);
            }
        }
        queue
            .deferred
            .retain(|(t, ..)| !Arc::ptr_eq(t.core(), core));
        let after = queue.tasks.len() + queue.parked.len() + queue.deferred.len();
        self.pending.fetch_sub(before - after, Ordering::SeqCst);
        gone
    }
}
