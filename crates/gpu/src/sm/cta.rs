//! A resident CTA: its context, its warps, and how a worker runs it.

use crate::machine::Machine;
use crate::seat::Seat;
use crate::sm::barrier::Barriers;
use crate::sm::cluster::Cluster;
use crate::sm::fiber::{self, Stack, status};
use crate::sm::memory::{Local, Window};
use crate::sm::scheduler::{Grid, Task};
use crate::sm::services::HELPERS;
use abi::link::LinkError;
use abi::sm::CtaContext;
use core::ptr;
use core::sync::atomic::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why code stopped itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// One of [`abi::sm::trap`].
    pub kind: u32,
    /// Warp in the CTA.
    pub warp: u32,
    /// Guilty lanes.
    pub lanes: u32,
    /// Address used, 0 none.
    pub address: u64,
    /// PTX line, 0 unknown.
    pub line: u32,
}

/// Last errors of threads, of one block: a CTA object runs one after the other.
#[derive(Debug, Default)]
pub struct Errors {
    block: (u64, [u32; 3]),
    by_thread: BTreeMap<u32, u32>,
}

impl Errors {
    /// Those of a block.
    pub fn of(&mut self, grid: u64, block: [u32; 3]) -> &mut BTreeMap<u32, u32> {
        if self.block != (grid, block) {
            self.block = (grid, block);
            self.by_thread.clear();
        }
        &mut self.by_thread
    }
}

/// A resident CTA. Its address is the `sm` pointer of its context; it does not move while resident.
#[derive(Debug)]
pub struct Cta {
    /// What the code sees.
    pub ctx: CtaContext,
    /// The machine.
    pub machine: &'static Machine,
    /// The worker that runs it now.
    pub seat: *const Seat,
    /// Its grid's task.
    pub task: Option<Arc<Task>>,
    /// Warp that runs now.
    pub current: u32,
    /// Warps that can run.
    pub ready: u32,
    /// Warps that have ended.
    pub exited: u32,
    /// Its barriers.
    pub barriers: Barriers,
    /// Saved stack pointers of its warps.
    pub sp: [u64; 32],
    /// Where its warps' code starts.
    pub entry: u64,
    /// Its warps are fibers: it may wait.
    pub on_fibers: bool,
    /// Set when code stops itself.
    pub trap: Option<Trap>,
    /// Its cluster and its rank there.
    pub cluster: Option<(Arc<Cluster>, usize)>,
    /// Phase of the cluster's barrier at which each warp has arrived last.
    pub cluster_phase: [u64; 32],
    /// Last errors of its threads in the device runtime.
    pub errors: Errors,
    stacks: Vec<Stack>,
    window: Window,
    window_bytes: u64,
    local: Local,
}

// SAFETY: a CTA is run by one worker at a time, which gets it through the scheduler's lock.
unsafe impl Send for Cta {}

impl Cta {
    /// An empty seat for CTAs.
    #[must_use]
    pub fn new(machine: &'static Machine) -> Box<Cta> {
        let mut cta = Box::new(Cta {
            ctx: empty_context(),
            machine,
            seat: ptr::null(),
            task: None,
            current: 0,
            ready: 0,
            exited: 0,
            barriers: Barriers::new(1),
            sp: [0; 32],
            entry: 0,
            on_fibers: false,
            trap: None,
            cluster: None,
            cluster_phase: [0; 32],
            errors: Errors::default(),
            stacks: Vec::new(),
            window: Window::EMPTY,
            window_bytes: 0,
            local: Local { base: 0, bytes: 0 },
        });
        cta.ctx.sm = (&raw mut *cta).cast();
        cta
    }

    /// Takes what a CTA of `grid` needs of shared and local memory and fills in the context.
    ///
    /// # Errors
    /// A limit is reached or mmap fails.
    pub fn furnish(&mut self, task: &Arc<Task>, grid: &Grid) -> Result<(), LinkError> {
        let pools = &self.machine.pools;
        self.leave_cluster();
        if grid.clustered() && grid.on_fibers() {
            pools.windows.put(self.window);
            self.window = Window::EMPTY;
            self.window_bytes = 0;
        } else if self.window_bytes != grid.shared_bytes {
            pools.windows.put(self.window);
            self.window = Window::EMPTY;
            self.window_bytes = 0;
            self.window = pools.windows.take(grid.shared_bytes)?;
            self.window_bytes = grid.shared_bytes;
        }
        if self.local.bytes < grid.local_bytes {
            pools.locals.put(self.local);
            self.local = Local { base: 0, bytes: 0 };
            self.local = pools.locals.take(grid.local_bytes)?;
        }
        let sm = (&raw mut *self).cast();
        self.ctx = CtaContext {
            shared: self.window.base() as *mut u8,
            local: self.local.base as *mut u8,
            sm,
            ..grid.template.0
        };
        self.task = Some(Arc::clone(task));
        self.trap = None;
        self.current = 0;
        self.on_fibers = false;
        Ok(())
    }

    /// Joins the cluster that CTA `index` belongs to, for its shared memory and its barrier.
    ///
    /// # Errors
    /// No more windows.
    pub fn join_cluster(&mut self, grid: &Grid, index: u64) -> Result<(), LinkError> {
        let (cluster, rank) = grid.cluster_of(&self.machine.pools.windows, index)?;
        let window = cluster.window(rank).unwrap_or(Window::EMPTY);
        self.ctx.shared = window.base() as *mut u8;
        self.cluster = Some((cluster, rank));
        self.cluster_phase = [0; 32];
        Ok(())
    }

    /// The CTA has ended, or will never run.
    pub fn leave_cluster(&mut self) {
        if let Some((cluster, _)) = self.cluster.take()
            && let Some(run) = cluster.leave()
        {
            self.machine.pools.windows.put_run(run);
        }
    }

    /// Places the CTA at `index` of its grid.
    pub fn place(&mut self, grid: &Grid, index: u64) {
        self.ctx.ctaid = grid.ctaid(index);
        let (first, count) = grid.constants.sms(self.ctx.nsmid);
        (self.ctx.sm_first, self.ctx.sm_end) = (first, first + count);
        self.ctx.smid = first + (index % u64::from(count)) as u32;
        grid.set_cluster(&mut self.ctx);
    }

    /// Makes a fiber for each warp.
    ///
    /// # Errors
    /// No more stacks.
    pub fn raise_warps(&mut self, grid: &Grid) -> Result<(), LinkError> {
        let pools = &self.machine.pools;
        let class = grid.program.stack_class;
        let warps = self.ctx.warps;
        if self.stacks.first().is_some_and(|s| s.class != class) {
            for stack in self.stacks.drain(..) {
                pools.stacks.put(stack);
            }
        }
        while self.stacks.len() < warps as usize {
            self.stacks.push(pools.stacks.take(class)?);
        }
        let entry = grid.code().entry();
        self.entry = entry;
        let ctx = &raw const self.ctx;
        for (warp, stack) in (0..warps).zip(&self.stacks) {
            // Staggered, so that the frames of different warps do not fall into the same cache sets.
            let top = stack.top() - u64::from(warp) * (256 + 64);
            // SAFETY: the stack is ours, writable, and no fiber runs on it.
            self.sp[warp as usize] = unsafe { fiber::prepare(top, entry, ctx, warp) };
        }
        self.on_fibers = true;
        self.barriers = Barriers::new(warps);
        self.ready = u32::MAX >> (32 - warps);
        self.exited = 0;
        Ok(())
    }

    /// Gives back stacks, window and local memory (of a CTA that nobody runs).
    pub fn strip(&mut self) {
        self.leave_cluster();
        let pools = &self.machine.pools;
        for stack in self.stacks.drain(..) {
            pools.stacks.put(stack);
        }
        pools.windows.put(self.window);
        pools.locals.put(self.local);
        self.window = Window::EMPTY;
        self.window_bytes = 0;
        self.local = Local { base: 0, bytes: 0 };
        self.task = None;
    }

    /// Whether the code must stop: its context died or its channel was freed.
    #[must_use]
    pub fn abandoned(&self) -> bool {
        self.machine.is_dead()
            || self
                .task
                .as_ref()
                .is_some_and(|t| t.core().gone.load(Ordering::Relaxed))
    }
}

fn empty_context() -> CtaContext {
    CtaContext {
        helpers: &raw const HELPERS,
        params: ptr::null(),
        shared: ptr::null_mut(),
        local: ptr::null_mut(),
        local_stride: 0,
        ntid: [1; 3],
        threads: 1,
        nctaid: [1; 3],
        warps: 1,
        ctaid: [0; 3],
        dynamic_shared: 0,
        gridid: 0,
        smid: 0,
        nsmid: 1,
        total_shared: 0,
        warpid_base: 0,
        constants: ptr::null(),
        grid_workspace: 0,
        cluster_nctaid: [1; 3],
        cluster_ctarank: 0,
        cluster_ctaid: [0; 3],
        reserved: 0,
        sm: ptr::null_mut(),
        sm_first: 0,
        sm_end: 1,
    }
}

/// A CTA as its own code reaches it, from several stacks in turn. All borrows are short: none lives across a switch.
#[derive(Clone, Copy)]
pub struct Running(*mut Cta);

impl Running {
    /// From the context that the code passes back.
    ///
    /// # Safety
    /// `ctx` is the context of a CTA that runs on the calling thread.
    #[must_use]
    pub unsafe fn from_context(ctx: *const CtaContext) -> Running {
        // SAFETY: the caller's contract; `sm` is set by `furnish`.
        Running(unsafe { (*ctx).sm }.cast())
    }

    /// Borrows the CTA for the length of `f`.
    pub fn with<R>(self, f: impl FnOnce(&mut Cta) -> R) -> R {
        // SAFETY: only the worker that runs the CTA touches it, and `f` does not switch away.
        f(unsafe { &mut *self.0 })
    }

    /// Leaves the code for good.
    pub fn leave(self, why: u64) -> ! {
        let to = self.with(|cta| {
            // SAFETY: the seat outlives everything (workers never end), and it runs this CTA.
            unsafe { (*cta.seat).landing_sp.load(Ordering::Relaxed) }
        });
        // SAFETY: saved by `enter` or `switch` when this CTA was started on this worker; the frames given up are the
        // code's and the helper's, which hold nothing to drop.
        unsafe { fiber::leave(to, why) }
    }

    /// Switches from warp `from` to the next one that can run; to the scheduler when none comes `after` it in this
    /// sweep (`sweep`) or none can run at all. Returns when `from` runs again.
    pub fn pass_on(self, from: u32, sweep: bool) {
        let (save, to, value) = self.with(|cta| {
            let later = cta.ready & (u32::MAX << (from & 31)) & !(1 << (from & 31));
            let next = if later != 0 {
                Some(later.trailing_zeros())
            } else if !sweep && cta.ready != 0 {
                Some(cta.ready.trailing_zeros())
            } else {
                None
            };
            let save = &raw mut cta.sp[(from & 31) as usize];
            match next {
                Some(warp) => {
                    cta.current = warp;
                    (save, cta.sp[warp as usize], 0)
                }
                None => {
                    // SAFETY: as in `leave`.
                    let to = unsafe { (*cta.seat).landing_sp.load(Ordering::Relaxed) };
                    (
                        save,
                        to,
                        if cta.ready == 0 {
                            status::STUCK
                        } else {
                            status::YIELDED
                        },
                    )
                }
            }
        });
        // SAFETY: `to` was saved by its owner, who waits to be continued exactly once.
        unsafe { fiber::switch(save, to, value) };
        if self.with(|cta| cta.abandoned()) {
            self.leave(status::ABANDONED);
        }
    }
}

/// Called on a warp's stack when its entry function returned.
#[unsafe(no_mangle)]
extern "C" fn antl_warp_exit(ctx: *const CtaContext, warp: u32) -> ! {
    // SAFETY: called by `antl_warp_start` with the context it was prepared with.
    let running = unsafe { Running::from_context(ctx) };
    let (to, value) = running.with(|cta| {
        let bit = 1 << (warp & 31);
        cta.exited |= bit;
        cta.ready &= !bit;
        cta.ready |= cta.barriers.exit(warp);
        if let Some((cluster, rank)) = &cta.cluster {
            cluster.exit(*rank, warp);
        }
        if cta.ready != 0 {
            let later = cta.ready & (u32::MAX << (warp & 31));
            let next = if later != 0 { later } else { cta.ready }.trailing_zeros();
            cta.current = next;
            (cta.sp[next as usize], 0)
        } else {
            // SAFETY: as in `leave`.
            let to = unsafe { (*cta.seat).landing_sp.load(Ordering::Relaxed) };
            let all = u32::MAX >> (32 - cta.ctx.warps);
            (
                to,
                if cta.exited == all {
                    status::DONE
                } else {
                    status::STUCK
                },
            )
        }
    });
    // SAFETY: this warp's stack is done with; `to` is a warp that waits or the scheduler.
    unsafe { fiber::leave(to, value) }
}
