//! Host functions in streams: a thread per stream that has any waits for the stream, calls the function, and lets the
//! stream go on by a semaphore.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};

use cuda_abi::driver::CUresult;

use super::channel::{Point, ring_bell};
use super::stream::Target;

/// A function to call, with how the stream's work before it went.
pub(crate) type Call = Box<dyn FnOnce(Result<(), CUresult>) + Send>;

thread_local! {
    static CALLING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function of the program's, in which CUDA is not to be called.
pub(crate) fn calling(function: impl FnOnce()) {
    CALLING.set(true);
    function();
    CALLING.set(false);
}

/// What a call gets on this thread: 800 in a host function.
pub(crate) fn check() -> Result<(), CUresult> {
    if CALLING.get() {
        return Err(CUresult::NOT_PERMITTED);
    }
    Ok(())
}

struct Job {
    after: Point,
    call: Call,
    number: u64,
}

struct Worker {
    jobs: Sender<Job>,
    /// Semaphore that the stream waits on: number of calls done.
    semaphore: u64,
}

/// Host functions of one stream.
#[derive(Default)]
pub(crate) struct Queue {
    worker: OnceLock<Worker>,
    count: Mutex<u64>,
}

/// Puts a function into the stream.
pub(crate) fn enqueue(target: &Target, call: Call) -> Result<(), CUresult> {
    let queue = &target.stream.callbacks;
    let mut count = queue
        .count
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let worker = match queue.worker.get() {
        Some(worker) => worker,
        None => {
            let worker = start(target)?;
            queue.worker.get_or_init(|| worker)
        }
    };
    let after = target.submit(|_| ())?;
    *count += 1;
    let number = *count;
    worker
        .jobs
        .send(Job {
            after,
            call,
            number,
        })
        .map_err(|_| CUresult::UNKNOWN)?;
    let semaphore = worker.semaphore;
    target.submit(|batch| batch.acquire(semaphore, number))?;
    Ok(())
}

/// Does something once the stream's work so far is done: at once, if it is. Later, how it goes is told to nobody.
///
/// # Errors
/// Those of the action, if it is done at once; 900 in a stream that captures; the fault that ended the context.
pub(crate) fn in_order(
    target: &Target,
    action: impl FnOnce() -> Result<(), CUresult> + Send + 'static,
) -> Result<(), CUresult> {
    match target.query() {
        Ok(()) => action(),
        Err(CUresult::NOT_READY) => later(target, action),
        Err(error) => Err(error),
    }
}

/// Does something on the thread of host functions once the stream's work so far is done, if that went well. How it goes
/// is told to nobody.
///
/// # Errors
/// As [`enqueue`].
pub(crate) fn later(
    target: &Target,
    action: impl FnOnce() -> Result<(), CUresult> + Send + 'static,
) -> Result<(), CUresult> {
    let call = move |outcome: Result<(), CUresult>| {
        let _ = outcome.and_then(|()| action());
    };
    enqueue(target, Box::new(call))
}

fn start(target: &Target) -> Result<Worker, CUresult> {
    let mut slots = target
        .live
        .event_slots
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let semaphore = slots.take(&target.live)?;
    drop(slots);
    let at = usize::try_from(semaphore).map_err(|_| CUresult::UNKNOWN)?;
    // SAFETY: an aligned word of pinned memory of the context; nobody else uses the slot.
    let word: &'static AtomicU64 =
        unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(at)) };
    word.store(0, Ordering::Release);
    let (jobs, queue) = channel::<Job>();
    let live = Arc::downgrade(&target.live);
    let page = target.live.space.page.clone();
    let run = move || {
        while let Ok(job) = queue.recv() {
            let outcome = job.after.channel.wait(job.after.value);
            (job.call)(outcome);
            // The context's memory goes with it.
            let Some(live) = live.upgrade().filter(|live| live.check().is_ok()) else {
                return;
            };
            word.store(job.number, Ordering::SeqCst);
            ring_bell(&page);
            drop(live);
        }
    };
    std::thread::Builder::new()
        .name("cuda-host-function".into())
        .spawn(run)
        .map_err(|_| CUresult::OPERATING_SYSTEM)?;
    Ok(Worker { jobs, semaphore })
}
