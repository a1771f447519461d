//! What a worker's signal handler needs to know about what the worker is doing.

use crate::sm::cta::Cta;
use crate::sm::scheduler::Task;
use core::cell::{Cell, UnsafeCell};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Raw facts of a signal that stopped kernel code.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawFault {
    /// Signal number.
    pub signal: i32,
    /// `si_code`.
    pub code: i32,
    /// `si_addr` (or the system call number for SIGSYS).
    pub address: u64,
    /// Page-fault error code of the CPU.
    pub error: u64,
    /// Trap number of the CPU.
    pub trap: u64,
    /// General registers in hardware order (rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8..r15).
    pub gpr: [u64; 16],
    /// Program counter.
    pub pc: u64,
    /// What lay above the frame pointer, if that was on the scheduler's stack, which runs on afterwards; else 0.
    pub back: u64,
}

/// A worker's place. Lives as long as the process.
#[derive(Debug)]
pub struct Seat {
    /// Where the stack pointer of the scheduler is saved while code runs.
    pub landing_sp: AtomicU64,
    /// Code of an image runs (or a function that it called).
    pub in_kernel: AtomicBool,
    /// First address of the running image's code.
    pub text_start: AtomicU64,
    /// First address after it.
    pub text_end: AtomicU64,
    /// The CTA that runs.
    pub cta: AtomicPtr<Cta>,
    /// Written by the signal handler, read after landing.
    pub raw: UnsafeCell<RawFault>,
    /// Kernel's thread id.
    pub tid: AtomicI32,
    task: Mutex<Option<Arc<Task>>>,
    taken: Mutex<Weak<Task>>,
}

// SAFETY: `raw` is only touched by its own worker: in the handler, and after the landing that follows.
unsafe impl Sync for Seat {}

impl Seat {
    /// An empty seat.
    #[must_use]
    pub fn new() -> Seat {
        Seat {
            landing_sp: AtomicU64::new(0),
            in_kernel: AtomicBool::new(false),
            text_start: AtomicU64::new(0),
            text_end: AtomicU64::new(0),
            cta: AtomicPtr::new(ptr::null_mut()),
            raw: UnsafeCell::new(RawFault::default()),
            tid: AtomicI32::new(0),
            task: Mutex::new(None),
            taken: Mutex::default(),
        }
    }

    /// The task whose code runs here.
    #[must_use]
    pub fn task(&self) -> Option<Arc<Task>> {
        self.task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Says what runs here.
    pub fn set_task(&self, task: Option<Arc<Task>>) {
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = task;
    }

    /// What this worker took from the queue last, if it is still there.
    #[must_use]
    pub fn taken(&self) -> Option<Arc<Task>> {
        self.taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .upgrade()
    }

    /// Says what it takes; under the queue's lock, so that no task is in neither place.
    pub fn take(&self, task: &Arc<Task>) {
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(task);
    }
}

impl Default for Seat {
    fn default() -> Seat {
        Seat::new()
    }
}

thread_local! {
    static MINE: Cell<*const Seat> = const { Cell::new(ptr::null()) };
}

/// Makes `seat` the calling thread's.
pub fn take(seat: &'static Seat) {
    MINE.set(seat);
}

/// The calling thread's seat. Safe in a signal handler: a plain thread-local without initialiser or destructor.
#[must_use]
pub fn mine() -> Option<&'static Seat> {
    let p = MINE.get();
    // SAFETY: set from a 'static reference, or null.
    unsafe { p.as_ref() }
}
