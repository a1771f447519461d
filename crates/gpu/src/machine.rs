//! The virtual GPU of one VA space: everything that threads share, and the operations that the classes ask for.

use crate::access;
use crate::channel::ChannelCore;
use crate::clock;
use crate::copy::Job;
use crate::fault::{self, Refusal, by, cuda};
use crate::host::{Host, Look};
use crate::link::Sender;
use crate::qmd::{self, DependentAction, Launch, QmdError};
use crate::seat::Seat;
use crate::semaphore::Release;
use crate::shared_map::SharedMap;
use crate::sm::family::{Child, Duties, channel_duties};
use crate::sm::fiber::StackPool;
use crate::sm::heap::Heap;
use crate::sm::memory::{Locals, Windows};
use crate::sm::program::{Program, ProgramError, Programs};
use crate::sm::scheduler::{Grid, Scheduler, Task, Template, Work};
use crate::wake::UserPage;
use abi::link::{Fault, FaultKind, FromGpu, Start};
use abi::nv::qmd::Field;
use abi::sm::{CtaContext, DriverConstants};
use core::mem::offset_of;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, TryLockError};

/// Longest chain of dependent QMDs without CTAs.
const CHAIN: u32 = 256;

/// Pools of per-CTA memory.
#[derive(Debug, Default)]
pub struct Pools {
    /// Stacks of warps.
    pub stacks: StackPool,
    /// Shared-memory windows.
    pub windows: Windows,
    /// Local memory.
    pub locals: Locals,
    /// The device heap.
    pub heap: Heap,
}

/// A mapping of client memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Bytes.
    pub len: u64,
    /// Kernels may write.
    pub write: bool,
    /// Where huge pages are wanted: what has been looked at.
    pub huge: Option<crate::huge::Progress>,
}

/// Where a channel's death is written.
#[derive(Debug)]
pub struct Notifier {
    /// Channel.
    pub chid: u32,
    /// `NvNotification`, 16 bytes.
    pub map: SharedMap,
    /// `NV2080` engine type.
    pub engine: u32,
}

/// What a grid is made from, besides its code.
struct Shape {
    class: u32,
    dims: [u32; 3],
    block: [u32; 3],
    cluster: [u32; 3],
    shared_bytes: u32,
    sequential: bool,
    /// Address of the parameters.
    params: u64,
    /// Address of constant bank 0.
    bank: u64,
}

/// The machine.
#[derive(Debug)]
pub struct Machine {
    /// What the kernel half configured.
    pub config: Start,
    /// Workers.
    pub seats: Vec<Seat>,
    /// The link's sending side.
    pub link: Sender,
    /// Host engine.
    host: Mutex<Host>,
    /// Someone wanted to look at the channels while another held the lock.
    look_again: AtomicBool,
    /// Run queue.
    pub scheduler: Scheduler,
    /// Images.
    pub programs: Programs,
    /// Client memory by address.
    pub mappings: Mutex<BTreeMap<u64, Mapping>>,
    /// Usermode pages of the channels' clients.
    pub pages: RwLock<Vec<Arc<UserPage>>>,
    /// Error notifiers.
    pub notifiers: Mutex<Vec<Notifier>>,
    /// Per-CTA memory.
    pub pools: Pools,
    /// Launches by kernels that have not ended.
    pub children: Arc<AtomicU64>,
    /// Cycles spent in kernels.
    pub busy_cycles: AtomicU64,
    /// Workers that run something now.
    pub running: AtomicU32,
    /// Futex word of the ticker.
    pub ticker: AtomicU32,
    /// Whether the ticker ticks.
    pub ticking: AtomicBool,
    /// Some mapping waits for huge pages.
    pub huge_wanted: AtomicBool,
    dead: AtomicBool,
    interrupts: AtomicBool,
}

impl Machine {
    /// A machine with `workers` workers, not running yet.
    #[must_use]
    pub fn new(config: Start, workers: usize, link: Sender, isa: u32) -> Machine {
        Machine {
            config,
            seats: (0..workers).map(|_| Seat::new()).collect(),
            link,
            host: Mutex::default(),
            look_again: AtomicBool::new(false),
            scheduler: Scheduler::new(workers, clock::cycles_per_us()),
            programs: Programs::new(isa),
            mappings: Mutex::default(),
            pages: RwLock::default(),
            notifiers: Mutex::default(),
            pools: Pools::default(),
            children: Arc::default(),
            busy_cycles: AtomicU64::new(0),
            running: AtomicU32::new(0),
            ticker: AtomicU32::new(0),
            ticking: AtomicBool::new(false),
            huge_wanted: AtomicBool::new(false),
            dead: AtomicBool::new(false),
            interrupts: AtomicBool::new(false),
        }
    }

    /// Whether the VA space's work has ended for good.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    /// The flag behind [`Machine::is_dead`].
    #[must_use]
    pub fn dead_flag(&self) -> &AtomicBool {
        &self.dead
    }

    /// Ends all work of this VA space: notifiers, clients' pages, then the kernel half. Only the first cause counts.
    pub fn die(&self, fault: Fault) {
        if self.dead.swap(true, Ordering::SeqCst) {
            return;
        }
        let now = clock::ptimer();
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        for page in pages.iter() {
            page.set_last_xid(fault.xid);
        }
        for n in self
            .notifiers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            write_notification(&n.map, now, fault.xid, n.engine);
        }
        for page in pages.iter() {
            page.raise_complete();
        }
        drop(pages);
        self.link.send(&FromGpu::Fault(fault));
        self.scheduler.wake_all();
    }

    /// As [`Machine::die`], for a signal handler: does not wait for locks (the interrupted code may hold them).
    pub fn die_from_handler(&self, fault: Fault) {
        if self.dead.swap(true, Ordering::SeqCst) {
            return;
        }
        let now = clock::ptimer();
        if let Ok(pages) = self.pages.try_read() {
            for page in pages.iter() {
                page.set_last_xid(fault.xid);
            }
            if let Ok(notifiers) = self.notifiers.try_lock() {
                for n in notifiers.iter() {
                    write_notification(&n.map, now, fault.xid, n.engine);
                }
            }
            for page in pages.iter() {
                page.raise_complete();
            }
        }
        self.link.send(&FromGpu::Fault(fault));
    }

    /// Serves the channels once. `None`: someone else does so at this moment, and will do so again for us.
    pub fn look(&self) -> Option<Look> {
        let mut seen: Option<Look> = None;
        self.look_again.store(true, Ordering::SeqCst);
        while self.look_again.load(Ordering::SeqCst) {
            let mut host = match self.host.try_lock() {
                Ok(host) => host,
                Err(TryLockError::Poisoned(p)) => p.into_inner(),
                Err(TryLockError::WouldBlock) => break,
            };
            self.look_again.store(false, Ordering::SeqCst);
            let look = host.poll(self);
            seen = Some(match seen {
                None => look,
                Some(old) => Look {
                    progress: old.progress | look.progress,
                    ..look
                },
            });
        }
        seen
    }

    /// Does something with the host engine's state.
    pub fn with_host<R>(&self, f: impl FnOnce(&mut Host) -> R) -> R {
        let result = f(&mut self.host.lock().unwrap_or_else(PoisonError::into_inner));
        if self.look_again.load(Ordering::SeqCst) {
            // A worker wanted to look meanwhile and has gone on.
            self.look();
            if self.scheduler.has_work() {
                self.scheduler.wake_one();
            }
        }
        result
    }

    /// Whether some worker runs work of this channel.
    #[must_use]
    pub fn is_running(&self, core: &Arc<ChannelCore>) -> bool {
        self.seats
            .iter()
            .any(|s| s.task().is_some_and(|t| Arc::ptr_eq(t.core(), core)))
    }

    /// Name of a kernel that some worker runs, or that has started and waits for a worker (its warps give way
    /// while they spin).
    #[must_use]
    pub fn running_kernel(&self) -> Option<String> {
        self.seats
            .iter()
            .find_map(|s| s.task().and_then(|t| t.grid().map(|g| g.program.name())))
            .or_else(|| self.scheduler.started_kernel(&self.seats))
    }

    /// The fault of a request to stop.
    #[must_use]
    pub fn killed(&self, chid: u32, xid: u32) -> Fault {
        fault::blank(
            chid,
            xid,
            cuda::LAUNCH_FAILED,
            FaultKind::Killed,
            "stopped on request".to_string(),
        )
    }

    // --- what the classes do

    /// Releases a semaphore and tells waiting clients.
    ///
    /// # Errors
    /// Its address is not writable.
    pub fn release(
        &self,
        core: &ChannelCore,
        release: &Release,
        engine: &'static str,
    ) -> Result<(), Refusal> {
        release.run().map_err(by(engine))?;
        if release.reduction.is_some() {
            core.page.raise_complete();
        } else {
            core.page.raise_released(release.address, release.payload);
        }
        Ok(())
    }

    /// Raises a non-stall interrupt: clients are woken now, the kernel half is told at the next idle moment or tick.
    pub fn interrupt(&self, core: &ChannelCore) {
        core.interrupt.store(true, Ordering::Relaxed);
        self.interrupts.store(true, Ordering::Release);
        core.page.raise_complete();
    }

    /// Sends the interrupts that are owed.
    pub fn flush_interrupts(&self) {
        if self.interrupts.load(Ordering::Relaxed) && self.interrupts.swap(false, Ordering::AcqRel)
        {
            let owed: Vec<u32> = self.with_host(|host| {
                let owes =
                    |c: &&crate::channel::Channel| c.core.interrupt.swap(false, Ordering::AcqRel);
                host.channels
                    .iter()
                    .filter(owes)
                    .map(|c| c.core.chid)
                    .collect()
            });
            for chid in owed {
                self.link.send(&FromGpu::Interrupt { chid });
            }
        }
    }

    /// What follows the data of a copy.
    ///
    /// # Errors
    /// The semaphore's address is not writable.
    pub fn finish_copy(
        &self,
        core: &ChannelCore,
        release: Option<Release>,
        interrupt: bool,
    ) -> Result<(), Refusal> {
        if let Some(release) = release {
            self.release(core, &release, "copy engine: semaphore")?;
        }
        if interrupt {
            self.interrupt(core);
        }
        Ok(())
    }

    /// Spreads a copy over the workers; the channel waits for `core.copying` to fall.
    pub fn start_copy(&self, core: &Arc<ChannelCore>, job: Job) {
        let parts = job.parts();
        if parts != 0 {
            core.copying.store(true, Ordering::Release);
            self.scheduler.add(Arc::new(Task::new(
                Arc::clone(core),
                Work::Copy(job),
                parts,
            )));
            self.scheduler.wake_one();
        }
    }

    /// Adds `by` to the dependence counter of a QMD; returns the new value.
    ///
    /// # Errors
    /// It cannot be read or written, or the class has none.
    pub fn change_dependence(&self, class: u32, at: u64, delta: i32) -> Result<u32, Refusal> {
        let counter: Field = qmd::dependence_counter(class).map_err(|e| bad_qmd(class, at, &e))?;
        let word = at.wrapping_add(4 * u64::from(counter.lo / 32));
        let relative = Field {
            lo: counter.lo % 32,
            hi: counter.hi - counter.lo + counter.lo % 32,
            stride: 0,
        };
        let mut old = access::load32(word).map_err(by("compute: QMD"))?;
        loop {
            let mut words = [old, 0];
            let value = relative
                .get(&words, 0)
                .wrapping_add_signed(i64::from(delta))
                & 0xffff;
            relative.set(&mut words, 0, value);
            let seen = access::cas32(word, old, words[0]).map_err(by("compute: QMD"))?;
            if seen == old {
                return Ok(u32::try_from(value).unwrap_or(0));
            }
            old = seen;
        }
    }

    /// Subtracts one from a QMD's dependence counter and launches it at 0.
    ///
    /// # Errors
    /// As [`Machine::launch`].
    pub fn decrement_dependence(
        &self,
        core: &Arc<ChannelCore>,
        class: u32,
        at: u64,
    ) -> Result<(), Refusal> {
        self.decrement_in_chain(core, class, at, 0)
    }

    fn decrement_in_chain(
        &self,
        core: &Arc<ChannelCore>,
        class: u32,
        at: u64,
        depth: u32,
    ) -> Result<(), Refusal> {
        if self.change_dependence(class, at, -1)? == 0 {
            self.launch_in_chain(core, class, at, depth)
        } else {
            Ok(())
        }
    }

    /// Launches the QMD at `at`. A chain of dependents without CTAs may be this long at most: 256.
    ///
    /// # Errors
    /// It cannot be read, asks for something unsupported, or names no image that can run.
    pub fn launch(&self, core: &Arc<ChannelCore>, class: u32, at: u64) -> Result<(), Refusal> {
        self.launch_in_chain(core, class, at, 0)
    }

    fn launch_in_chain(
        &self,
        core: &Arc<ChannelCore>,
        class: u32,
        at: u64,
        depth: u32,
    ) -> Result<(), Refusal> {
        if depth > CHAIN {
            return Err(bad_qmd(class, at, &QmdError::Chain));
        }
        let mut words = [0u32; qmd::MAX_WORDS];
        let n = qmd::words_of(class).map_err(|e| bad_qmd(class, at, &e))?;
        access::read(at, &mut words[..n]).map_err(by("compute: QMD"))?;
        let launch = qmd::decode(class, &words[..n]).map_err(|e| bad_qmd(class, at, &e))?;
        let total = launch.grid.iter().map(|&d| u64::from(d)).product::<u64>();
        core.grids.fetch_add(1, Ordering::AcqRel);
        if total == 0 || launch.null {
            return self.finish_in_chain(core, class, &launch.releases, &launch.dependents, depth);
        }
        let [x, y, z] = launch.cluster;
        let ctas = u64::from(x) * u64::from(y) * u64::from(z);
        let mut sides = launch.grid.iter().zip(launch.cluster);
        if ctas > crate::sm::cluster::MAX_CTAS as u64 || !sides.all(|(d, c)| d.is_multiple_of(c)) {
            return Err(bad_qmd(class, at, &QmdError::Cluster(x, y, z)));
        }
        let program = self.program(&launch).map_err(|e| match e {
            ProgramError::Access(fault) => Refusal::Memory {
                engine: "compute: program",
                fault,
            },
            ProgramError::Refused(reason) => Refusal::Program {
                address: launch.program,
                reason,
            },
        })?;
        let bank = launch.constants[0];
        let header = &program.header;
        let mut constants = DriverConstants::default();
        if bank.bytes as usize >= size_of::<DriverConstants>() {
            let mut w = [0u32; DriverConstants::WORDS];
            access::read(bank.address, &mut w).map_err(by("compute: constant bank 0"))?;
            constants = parse_constants(&w);
        }
        if constants.magic != DriverConstants::MAGIC {
            // Another driver's launch: of all this only the dynamic shared memory can be told.
            let statically = header.shared_bytes.saturating_add(SYSTEM_SHARED);
            constants = DriverConstants {
                dynamic_shared: launch.shared_bytes.saturating_sub(statically),
                ..DriverConstants::default()
            };
        }
        let shape = Shape {
            class,
            dims: launch.grid,
            block: launch.block,
            cluster: launch.cluster,
            shared_bytes: launch.shared_bytes,
            sequential: launch.sequential,
            params: bank.address + u64::from(header.param_offset),
            bank: bank.address,
        };
        let duties = channel_duties(launch.releases, launch.dependents);
        let grid = self.grid(program, &shape, constants, duties);
        self.scheduler.add(Arc::new(Task::new(
            Arc::clone(core),
            Work::Grid(grid),
            total,
        )));
        Ok(())
    }

    /// The image at `va`, if `launch` can run it.
    ///
    /// # Errors
    /// Why it cannot run.
    pub fn program(&self, launch: &Launch) -> Result<Arc<Program>, ProgramError> {
        self.programs.get(launch, |va| self.is_writable(va))
    }

    /// Looks whether there is better code by now for the CTAs of a grid that have not started.
    pub fn look_for_better(&self, grid: &Grid) {
        if grid.program.header.flags & abi::sm::flags::FAST != 0
            && grid.better.get().is_none()
            && let Some(better) = self
                .programs
                .better(&grid.program, |va| self.is_writable(va))
        {
            let _ = grid.better.set(better);
        }
    }

    /// The grid of a launch by a kernel.
    #[must_use]
    pub fn child_grid(&self, class: u32, child: Child, duties: Duties, depth: u32) -> Grid {
        let kept = child.kept;
        let shape = Shape {
            class,
            dims: child.grid,
            block: child.block,
            cluster: [1; 3],
            shared_bytes: child.shared_bytes,
            sequential: false,
            params: kept.params.address(),
            bank: (&raw const *kept.constants).expose_provenance() as u64,
        };
        let constants = *kept.constants;
        Grid {
            depth,
            kept: Some(kept),
            ..self.grid(child.program, &shape, constants, duties)
        }
    }

    fn grid(
        &self,
        program: Arc<Program>,
        shape: &Shape,
        constants: DriverConstants,
        duties: Duties,
    ) -> Grid {
        let header = &program.header;
        let threads = header.threads(shape.block);
        let warps = threads.div_ceil(32);
        let template = Template(CtaContext {
            helpers: &raw const crate::sm::services::HELPERS,
            params: shape.params as *const u8,
            shared: core::ptr::null_mut(),
            local: core::ptr::null_mut(),
            local_stride: u64::from(header.local_bytes),
            ntid: shape.block,
            threads,
            nctaid: shape.dims,
            warps,
            ctaid: [0; 3],
            dynamic_shared: constants.dynamic_shared,
            gridid: constants.gridid,
            smid: 0,
            nsmid: self.config.sm_count,
            total_shared: shape.shared_bytes,
            warpid_base: 0,
            constants: shape.bank as *const u8,
            grid_workspace: constants.grid_workspace,
            cluster_nctaid: shape.cluster,
            cluster_ctarank: 0,
            cluster_ctaid: [0; 3],
            reserved: 0,
            sm: core::ptr::null_mut(),
            sm_first: 0,
            sm_end: self.config.sm_count.max(1),
        });
        let mapped_shared = abi::sm::mapped_shared(header.flags, shape.shared_bytes);
        let per_sm = (self.config.threads_per_sm / (warps * 32)).clamp(1, 32);
        let cap = if shape.sequential {
            1
        } else {
            let (_, sms) = constants.sms(self.config.sm_count);
            per_sm.saturating_mul(sms).max(1)
        };
        Grid {
            gang: Mutex::default(),
            class: shape.class,
            dims: shape.dims,
            shared_bytes: u64::from(mapped_shared),
            local_bytes: u64::from(header.local_bytes) * u64::from(warps * 32),
            constants,
            template,
            resident: AtomicU32::new(0),
            cap,
            sequential: shape.sequential,
            duties,
            family: std::sync::OnceLock::new(),
            clusters: Mutex::default(),
            depth: 0,
            kept: None,
            better: std::sync::OnceLock::new(),
            program,
        }
    }

    /// All CTAs have ended: semaphores, dependents, and the channel goes on.
    ///
    /// # Errors
    /// A semaphore is not writable, or a dependent cannot be launched.
    pub fn finish_grid(
        &self,
        core: &Arc<ChannelCore>,
        class: u32,
        releases: &[Option<Release>; 3],
        dependents: &[Option<(u64, DependentAction)>; 2],
    ) -> Result<(), Refusal> {
        self.finish_in_chain(core, class, releases, dependents, 0)
    }

    fn finish_in_chain(
        &self,
        core: &Arc<ChannelCore>,
        class: u32,
        releases: &[Option<Release>; 3],
        dependents: &[Option<(u64, DependentAction)>; 2],
        depth: u32,
    ) -> Result<(), Refusal> {
        if core.gone.load(Ordering::Relaxed) {
            return Ok(());
        }
        for release in releases.iter().flatten() {
            self.release(core, release, "compute: release semaphore")?;
        }
        for (at, action) in dependents.iter().flatten() {
            match action {
                DependentAction::Schedule => self.launch_in_chain(core, class, *at, depth + 1)?,
                DependentAction::DecrementDependence => {
                    self.decrement_in_chain(core, class, *at, depth + 1)?
                }
            }
        }
        core.grids.fetch_sub(1, Ordering::AcqRel);
        Ok(())
    }

    fn is_writable(&self, va: u64) -> bool {
        self.mapping(va).is_some_and(|(_, m)| m.write)
    }

    /// The mapping that holds `va`.
    #[must_use]
    pub fn mapping(&self, va: u64) -> Option<(u64, Mapping)> {
        let map = self.mappings.lock().unwrap_or_else(PoisonError::into_inner);
        map.range(..=va)
            .next_back()
            .map(|(a, m)| (*a, *m))
            .filter(|(a, m)| va - a < m.len)
    }

    /// Makes the ticker tick if it does not: some worker may be away for long.
    pub fn want_ticks(&self) {
        if !self.ticking.swap(true, Ordering::SeqCst) {
            self.ticker.fetch_add(1, Ordering::SeqCst);
            crate::wake::futex_wake(&self.ticker, true);
        }
    }
}

/// Writes an `NvNotification`: time, then info, status last.
fn write_notification(map: &SharedMap, now: u64, code: u32, engine: u32) {
    map.wide(0).store(now, Ordering::Relaxed);
    map.word(8).store(code, Ordering::Relaxed);
    // info16 and status share a word.
    map.word(12)
        .store(engine & 0xffff | 0xffff << 16, Ordering::Release);
}

fn bad_qmd(class: u32, at: u64, error: &qmd::QmdError) -> Refusal {
    Refusal::Method {
        class,
        method: 0x2c0,
        data: 0,
        reason: format!("QMD at {at:#x}: {error}"),
    }
}

/// Shared memory of a CTA that drivers reserve for the system on Ampere and newer, bytes (CUDA Programming Guide 13.0,
/// "compute capabilities").
const SYSTEM_SHARED: u32 = 1 << 10;

fn parse_constants(w: &[u32; DriverConstants::WORDS]) -> DriverConstants {
    let word = |offset: usize| w[offset / 4];
    let wide = |offset: usize| u64::from(word(offset)) | u64::from(word(offset + 4)) << 32;
    DriverConstants {
        printf_fifo: wide(offset_of!(DriverConstants, printf_fifo)),
        heap: wide(offset_of!(DriverConstants, heap)),
        heap_bytes: wide(offset_of!(DriverConstants, heap_bytes)),
        grid_workspace: wide(offset_of!(DriverConstants, grid_workspace)),
        gridid: wide(offset_of!(DriverConstants, gridid)),
        dynamic_shared: word(offset_of!(DriverConstants, dynamic_shared)),
        launch_flags: word(offset_of!(DriverConstants, launch_flags)),
        magic: wide(offset_of!(DriverConstants, magic)),
        runtime: wide(offset_of!(DriverConstants, runtime)),
    }
}
