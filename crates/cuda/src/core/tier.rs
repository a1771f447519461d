//! Two tiers of code. A kernel that takes long to compile well runs code first that was made in little time; threads of
//! the driver make the good code meanwhile. Launches take it once it is there, and so do blocks of a running launch that
//! start later (`abi::sm::EntryHeader::better`). Code for any block, where it is there before the first launch, is a
//! first tier too: the same threads make the code for the block that is launched.
//!
//! The good code is made at once and not only for kernels that prove hot: then it is in the cache when the process ends,
//! and the next process compiles nothing. What most launches wait for comes first. A process that ends waits for its
//! jobs, as it waited for the compiler before.
//!
//! The threads are called [`THREAD`], and end when there is nothing left to do: a program that wants to know when all its
//! kernels run good code looks for threads of that name (`benches/settle.hpp`).

use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use abi::jit::request_flags;
use jit::compiler::Options;

use super::module::{FUNCTIONS, Function, Variant};

/// Name of the threads.
const THREAD: &str = "cuda-compile";

/// Code to make for a function.
struct Job {
    /// Handle of the function.
    function: usize,
    task: Task,
}

/// Which code.
enum Task {
    /// Good code for a block whose launches run this code of the first tier so far.
    Improve([u32; 3], Arc<Variant>),
    /// Code for a block whose launches run this code for any block so far.
    Specialise([u32; 3], Arc<Variant>),
    /// Code for any block, before anybody launches the kernel.
    Prepare,
}

impl Job {
    /// What comes first: greater numbers.
    fn weight(&self) -> u64 {
        match &self.task {
            Task::Improve(_, so_far) | Task::Specialise(_, so_far) => {
                1 + u64::from(so_far.misses())
            }
            Task::Prepare => 0,
        }
    }

    /// The code of the first tier that it replaces.
    fn first(&self) -> Option<&Arc<Variant>> {
        match &self.task {
            Task::Improve(_, first) => Some(first),
            Task::Specialise(..) | Task::Prepare => None,
        }
    }

    fn run(&self, function: &Function) {
        match &self.task {
            Task::Improve(block, first) => function.improve(*block, first),
            Task::Specialise(block, _) => function.specialise(*block),
            Task::Prepare => function.prepare(),
        }
    }
}

/// What there is to do, and who does it.
struct Queue {
    jobs: Vec<Job>,
    threads: usize,
    /// The code that is being replaced at the moment.
    running: Vec<Arc<Variant>>,
}

impl Queue {
    /// The job that comes first; of equal ones the oldest.
    fn next(&mut self) -> Option<Job> {
        let first = (0..self.jobs.len())
            .rev()
            .max_by_key(|&i| self.jobs[i].weight())?;
        Some(self.jobs.remove(first))
    }
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    jobs: Vec::new(),
    threads: 0,
    running: Vec::new(),
});
/// Told when a job is done, and when a thread has nothing left to do.
static IDLE: Condvar = Condvar::new();
/// Held while code is put in place, and while modules go.
static PLACING: Mutex<()> = Mutex::new(());

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps code from being put in place while modules go. Whoever holds this may not take it again.
pub(super) fn placing() -> MutexGuard<'static, ()> {
    PLACING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the blocks of the launch start that code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// All at once: better code that comes later is too late for them.
    Together,
    /// One after the other, or it is not known.
    InTurn,
}

impl Start {
    /// Of a grid: the GPU process runs as many blocks at a time as there are CPUs.
    pub(crate) fn of(grid: [u32; 3]) -> Self {
        static CPUS: OnceLock<u64> = OnceLock::new();
        let cpus = *CPUS.get_or_init(|| {
            let cpus = std::thread::available_parallelism().map_or(1, NonZero::get);
            u64::try_from(cpus).unwrap_or(u64::MAX)
        });
        if grid.iter().map(|&d| u64::from(d)).product::<u64>() <= cpus {
            Self::Together
        } else {
            Self::InTurn
        }
    }
}

/// Options to compile for the first launches with, if there are two tiers. `ANTLERITE_TIERS`: `1` only good code; `all`
/// two tiers for every kernel.
pub(super) fn first(options: Options, start: Start) -> Option<Options> {
    let off = request_flags::DEBUG
        | request_flags::DETERMINISTIC
        | request_flags::FORCE_WARP_ENTRY
        | request_flags::FAST
        | request_flags::FAST_IF_DEAR
        | request_flags::FAST_IF_VERY_DEAR;
    let tier = match std::env::var("ANTLERITE_TIERS").as_deref() {
        Ok("1") => return None,
        Ok("all") => request_flags::FAST,
        Ok(_) | Err(_) if start == Start::Together => request_flags::FAST_IF_VERY_DEAR,
        Ok(_) | Err(_) => request_flags::FAST_IF_DEAR,
    };
    (options.opt_level >= 2 && options.flags & off == 0).then_some(Options {
        flags: options.flags | tier,
        ..options
    })
}

/// Has good code made for a function that runs code of the first tier so far.
pub(super) fn improve(function: usize, block: [u32; 3], first: &Arc<Variant>) {
    let task = Task::Improve(block, first.clone());
    add(Job { function, task });
}

/// Has code made for a block that runs code for any block so far.
pub(super) fn specialise(function: usize, block: [u32; 3], general: &Arc<Variant>) {
    let task = Task::Specialise(block, general.clone());
    add(Job { function, task });
}

/// Has code for any block made for a function that nobody has launched yet.
pub(super) fn prepare(function: usize) {
    let task = Task::Prepare;
    add(Job { function, task });
}

fn add(job: Job) {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| {
        // SAFETY: the handler is a plain function that stays loaded: libcuda is linked with `-z nodelete`.
        unsafe { libc::atexit(finish) };
    });
    let most = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut queue = queue();
    queue.jobs.push(job);
    if queue.threads < most {
        let started = std::thread::Builder::new().name(THREAD.into()).spawn(work);
        match started {
            Ok(_) => queue.threads += 1,
            // The code that is there goes on running.
            Err(_) if queue.threads == 0 => queue.jobs.clear(),
            Err(_) => {}
        }
    }
}

fn work() {
    loop {
        let job = {
            let mut queue = queue();
            let Some(job) = queue.next() else {
                queue.threads -= 1;
                IDLE.notify_all();
                return;
            };
            queue.running.extend(job.first().cloned());
            job
        };
        run(&job);
    }
}

/// Does a job that is counted as running.
fn run(job: &Job) {
    // A kernel that is gone needs no code, and one whose good code cannot be made keeps what it has.
    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        if let Ok(function) = FUNCTIONS.get(job.function) {
            job.run(&function);
        }
    }));
    if made.is_err() {
        crate::boundary::complain("code of a kernel was not compiled");
    }
    if let Some(first) = job.first() {
        let mut queue = queue();
        let at = queue.running.iter().position(|r| Arc::ptr_eq(r, first));
        at.map(|at| queue.running.swap_remove(at));
        IDLE.notify_all();
    }
}

/// Waits until the good code for code of the first tier is there, or cannot be made; makes it itself if nobody has begun.
pub(super) fn wait_for(first: &Arc<Variant>) {
    let mut held = queue();
    let is_it = |job: &Job| job.first().is_some_and(|of| Arc::ptr_eq(of, first));
    if let Some(at) = held.jobs.iter().position(is_it) {
        let job = held.jobs.remove(at);
        held.running.push(first.clone());
        drop(held);
        run(&job);
        return;
    }
    while held.running.iter().any(|r| Arc::ptr_eq(r, first)) {
        held = IDLE.wait(held).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Waits for the jobs: their code goes into the cache. What nobody has launched nobody waits for.
extern "C" fn finish() {
    if crate::process::is_forked() {
        return;
    }
    let mut queue = queue();
    queue.jobs.retain(|job| !matches!(job.task, Task::Prepare));
    while queue.threads > 0 {
        queue = IDLE.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_equal_jobs_comes_first() {
        let job = |function| Job {
            function,
            task: Task::Prepare,
        };
        let mut queue = Queue {
            jobs: vec![job(1), job(2), job(3)],
            threads: 0,
            running: Vec::new(),
        };
        let order: Vec<_> = std::iter::from_fn(|| queue.next())
            .map(|j| j.function)
            .collect();
        assert_eq!(order, [1, 2, 3]);
    }
}
