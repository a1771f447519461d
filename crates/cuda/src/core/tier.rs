//! Two tiers of code. A kernel that takes long to compile well runs code first that was made in little time; threads of
//! the driver make the good code meanwhile. Launches take it once it is there, and so do blocks of a running launch that
//! start later (`abi::sm::EntryHeader::better`).
//!
//! The good code is made at once and not only for kernels that prove hot: then it is in the cache when the process ends,
//! and the next process compiles nothing. A process that ends waits for its jobs, as it waited for the compiler before.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};

use abi::jit::request_flags;
use jit::compiler::Options;

use super::module::{FUNCTIONS, Variant};

/// Good code to make.
struct Job {
    /// Handle of the function.
    function: usize,
    /// Block to specialise for.
    block: [u32; 3],
    /// The code that it replaces.
    first: Arc<Variant>,
}

/// What there is to do, and who does it.
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    jobs: VecDeque::new(),
    threads: 0,
});
/// Told when a thread has nothing left to do.
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

/// Options to compile for the first launches with, if there are two tiers. `ANTLERITE_TIERS`: `1` only good code; `all`
/// two tiers for every kernel.
pub(super) fn first(options: Options) -> Option<Options> {
    let off = request_flags::DEBUG
        | request_flags::DETERMINISTIC
        | request_flags::FORCE_WARP_ENTRY
        | request_flags::FAST
        | request_flags::FAST_IF_DEAR;
    let tier = match std::env::var("ANTLERITE_TIERS").as_deref() {
        Ok("1") => return None,
        Ok("all") => request_flags::FAST,
        Ok(_) | Err(_) => request_flags::FAST_IF_DEAR,
    };
    (options.opt_level >= 2 && options.flags & off == 0).then_some(Options {
        flags: options.flags | tier,
        ..options
    })
}

/// Has good code made for a function that runs other code so far.
pub(super) fn improve(function: usize, block: [u32; 3], first: &Arc<Variant>) {
    // After the compiler's library was loaded, so that this runs before the destructors of what it holds.
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| {
        // SAFETY: the handler is a plain function that stays loaded: libcuda is linked with `-z nodelete`.
        unsafe { libc::atexit(finish) };
    });
    let most = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut queue = queue();
    queue.jobs.push_back(Job {
        function,
        block,
        first: first.clone(),
    });
    if queue.threads < most {
        let started = std::thread::Builder::new()
            .name("cuda-compile".into())
            .spawn(work);
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
            let Some(job) = queue.jobs.pop_front() else {
                queue.threads -= 1;
                IDLE.notify_all();
                return;
            };
            job
        };
        // A kernel that is gone needs no code, and one whose good code cannot be made keeps what it has.
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            if let Ok(function) = FUNCTIONS.get(job.function) {
                function.improve(job.block, &job.first);
            }
        }));
        if made.is_err() {
            crate::boundary::complain("a kernel's second tier was not compiled");
        }
    }
}

/// Waits for the jobs: their code goes into the cache.
extern "C" fn finish() {
    if crate::process::is_forked() {
        return;
    }
    let mut queue = queue();
    while queue.threads > 0 {
        queue = IDLE.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}
