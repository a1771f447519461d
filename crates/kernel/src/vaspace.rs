//! A GPU virtual address space: its mappings, and the process that is it.
//!
//! The process is started when the space is first used for work (UVM registration or a channel); mappings made before
//! are replayed then. So spaces that a client creates and never uses cost nothing.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use abi::link::{self, ChannelAlloc, Fault, FromGpu, LinkError, Start, ToGpu};

use crate::channel::Channel;
use crate::fault;
use crate::file::Owner;
use crate::gpu::Gpu;
use crate::gpu_process::{GpuProcess, Listener, ProcessError};
use crate::kernel::Services;
use crate::klog::Level;
use crate::memory::{Memory, PAGE};
use crate::status::{RmResult, Status};

/// Mappings per space.
const MAPPINGS: usize = 1 << 16;
/// Channels per space (the host engine scans this many).
const CHANNELS: usize = 64;
/// End of the addresses that a client may use.
pub const VA_END: u64 = 1 << 47;
/// Faults of one space that are looked at.
const FAULTS: u64 = 64;
/// Log lines that a GPU process may write.
const LOG_LINES: u64 = 200;

/// How long a process that is about to be ended may take to say what it does.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(500);
/// Kernels remembered that ran when their program ended.
const ABANDONED: usize = 64;

#[derive(Clone, Debug)]
struct Mapped {
    len: u64,
    memory: Arc<Memory>,
    offset: u64,
    write: bool,
    /// How often the same mapping was asked for (RM and UVM may both map an object at one address).
    count: u32,
}

#[derive(Debug, Default)]
struct State {
    maps: BTreeMap<u64, Mapped>,
    process: Option<Arc<GpuProcess>>,
    channels: HashMap<u32, Weak<Channel>>,
    /// Set once the process has died or been destroyed.
    over: bool,
}

/// A VA space.
#[derive(Debug)]
pub struct VaSpace {
    /// Its GPU.
    pub gpu: Arc<Gpu>,
    /// Its process (of the program).
    pub owner: Owner,
    services: Arc<Services>,
    /// Held while the process is asked to change: `state` must not be, because the thread that delivers the answer
    /// also delivers faults, which look at `state`.
    order: Mutex<()>,
    state: Mutex<State>,
    /// Worker time that its kernels took, ns, as last reported.
    pub busy_ns: AtomicU64,
    /// Channels with unfinished work, as last reported.
    pub busy_channels: AtomicU64,
    kernel_name: Mutex<Option<String>>,
    lines: AtomicU64,
    /// It was asked for its last words. Held while it is asked: nobody else ends its process meanwhile.
    asked: Mutex<bool>,
    faults: AtomicU64,
    faulted: AtomicBool,
    /// A UVM file serves it.
    pub(crate) registered: AtomicBool,
    /// Xid that the process was told to end with, 0 none.
    doom: AtomicU32,
}

fn process_status(error: ProcessError) -> Status {
    match error {
        ProcessError::Link(LinkError::BadRange) => Status::INVALID_ADDRESS,
        ProcessError::Link(LinkError::InUse) => Status::UVM_ADDRESS_IN_USE,
        ProcessError::Link(LinkError::NotFound) => Status::OBJECT_NOT_FOUND,
        ProcessError::Link(LinkError::Os(_)) => Status::OPERATING_SYSTEM,
        ProcessError::Link(LinkError::Limit) => Status::INSUFFICIENT_RESOURCES,
        ProcessError::Link(LinkError::BadState) => Status::INVALID_STATE,
        ProcessError::Timeout => Status::TIMEOUT,
        ProcessError::Gone => Status::GPU_IS_LOST,
        ProcessError::Start(_) => Status::OPERATING_SYSTEM,
    }
}

/// Whether a client may use these addresses: whole pages, canonical, outside what the GPU process keeps for itself.
///
/// # Errors
/// [`Status::INVALID_ADDRESS`].
pub fn check_range(va: u64, len: u64) -> RmResult {
    let end = va.checked_add(len).ok_or(Status::INVALID_ADDRESS)?;
    let whole = va.is_multiple_of(PAGE) && len.is_multiple_of(PAGE) && len != 0;
    let taken = |range: &std::ops::Range<u64>| va < range.end && range.start < end;
    if !whole || va < PAGE || end > VA_END || taken(&link::RESERVED) || taken(&link::IMAGE_WINDOW) {
        return Err(Status::INVALID_ADDRESS);
    }
    Ok(())
}

impl VaSpace {
    /// A fresh space.
    #[must_use]
    pub fn new(gpu: Arc<Gpu>, owner: Owner, services: Arc<Services>) -> Arc<Self> {
        Arc::new(Self {
            gpu,
            owner,
            services,
            order: Mutex::default(),
            state: Mutex::default(),
            busy_ns: AtomicU64::new(0),
            busy_channels: AtomicU64::new(0),
            kernel_name: Mutex::default(),
            lines: AtomicU64::new(0),
            asked: Mutex::new(false),
            faults: AtomicU64::new(0),
            registered: AtomicBool::new(false),
            faulted: AtomicBool::new(false),
            doom: AtomicU32::new(0),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn order(&self) -> MutexGuard<'_, ()> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn process(&self) -> Option<Arc<GpuProcess>> {
        self.state().process.clone()
    }

    /// Makes sure that the process runs.
    ///
    /// # Errors
    /// [`Status::GPU_IS_LOST`] after it died; [`Status::OPERATING_SYSTEM`] when it cannot be started.
    pub fn start(self: &Arc<Self>) -> RmResult {
        let _order = self.order();
        self.start_in_order().map(|_| ())
    }

    /// [`VaSpace::start`] with `order` held.
    fn start_in_order(self: &Arc<Self>) -> RmResult<Arc<GpuProcess>> {
        let maps = {
            let state = self.state();
            if state.over {
                return Err(Status::GPU_IS_LOST);
            }
            if let Some(process) = &state.process {
                return Ok(Arc::clone(process));
            }
            state.maps.clone()
        };
        let listener: Arc<dyn Listener> = Arc::new(Ears(Arc::downgrade(self)));
        let config = &self.services.config;
        let report = |error: ProcessError| {
            self.services.log.line(
                Level::Error,
                &format!(
                    "NVRM: {}: GPU process {}: {error}",
                    self.gpu.pci_text(),
                    config.gpu_bin.display()
                ),
            );
            process_status(error)
        };
        let process =
            GpuProcess::start(&self.services.spawner, &config.gpu_bin, listener).map_err(report)?;
        let profile = &self.gpu.profile;
        let start = ToGpu::Start(Start {
            sm_count: profile.sms,
            workers: config.workers,
            cc: profile.cc[0] * 10 + profile.cc[1],
            threads_per_sm: profile.warps_per_sm * 32,
            deterministic: config.deterministic,
        });
        process.ask(start, &[]).map_err(report)?;
        for (va, mapped) in &maps {
            process
                .ask(mapped.message(*va), &[mapped.memory.fd()])
                .map_err(report)?;
        }
        let process = Arc::new(process);
        let mut state = self.state();
        if state.over {
            return Err(Status::GPU_IS_LOST);
        }
        state.process = Some(Arc::clone(&process));
        self.gpu.accounts().begin(self.owner.pid);
        Ok(process)
    }

    /// Maps `[offset, offset + len)` of `memory` at `va`.
    ///
    /// # Errors
    /// [`Status::INVALID_ADDRESS`], [`Status::INVALID_OFFSET`], [`Status::UVM_ADDRESS_IN_USE`], and what the process
    /// says.
    pub fn map(
        &self,
        va: u64,
        len: u64,
        memory: &Arc<Memory>,
        offset: u64,
        write: bool,
    ) -> RmResult {
        check_range(va, len)?;
        if !offset.is_multiple_of(PAGE)
            || offset.checked_add(len).is_none_or(|end| end > memory.len())
        {
            return Err(Status::INVALID_OFFSET);
        }
        let _order = self.order();
        let (process, message) = {
            let mut state = self.state();
            if state.over {
                return Err(Status::GPU_IS_LOST);
            }
            if let Some(same) = state.maps.get_mut(&va)
                && same.len == len
                && same.offset == offset
                && Arc::ptr_eq(&same.memory, memory)
            {
                same.count = same.count.saturating_add(1);
                return Ok(());
            }
            if state.overlaps(va, len) {
                return Err(Status::UVM_ADDRESS_IN_USE);
            }
            if state.maps.len() >= MAPPINGS {
                return Err(Status::INSUFFICIENT_RESOURCES);
            }
            let mapped = Mapped {
                len,
                memory: Arc::clone(memory),
                offset,
                write,
                count: 1,
            };
            let message = mapped.message(va);
            state.maps.insert(va, mapped);
            (state.process.clone(), message)
        };
        let start = std::time::Instant::now();
        if let Some(process) = process
            && let Err(error) = process.ask(message, &[memory.fd()])
        {
            self.state().maps.remove(&va);
            return Err(process_status(error));
        }
        if self.services.tracer.is_on() {
            let line = format!(
                "  mapped {va:#x}, {len:#x} bytes, on GPU {} ({})",
                self.gpu.index,
                if write { "read-write" } else { "read-only" }
            );
            self.services
                .tracer
                .say(self.owner.pid, &line, Some(start.elapsed()));
        }
        Ok(())
    }

    /// The userfaultfd of the process's address space and its agent, if it runs and has them.
    #[must_use]
    pub fn faults(&self) -> Option<crate::gpu_process::Faults> {
        self.process()?.faults()
    }

    /// Removes the mapping that starts at `va`.
    ///
    /// # Errors
    /// [`Status::OBJECT_NOT_FOUND`].
    pub fn unmap(&self, va: u64) -> RmResult {
        let _order = self.order();
        let Some((process, request)) = self.take_mapping(va)? else {
            return Ok(());
        };
        match process.ask(request, &[]) {
            // With the process its mappings are gone.
            Ok(()) | Err(ProcessError::Gone | ProcessError::Timeout) => Ok(()),
            Err(error) => Err(process_status(error)),
        }
    }

    /// As [`VaSpace::unmap`], without waiting for the process: for closing, when no one is there to be told.
    pub fn unmap_unheard(&self, va: u64) {
        let _order = self.order();
        if let Ok(Some((process, request))) = self.take_mapping(va) {
            // Requests are served in order: a later mapping finds the place free.
            let _ = process.tell(request, &[]);
        }
    }

    /// Takes one use of a mapping back; at the last, who must be told what.
    fn take_mapping(&self, va: u64) -> RmResult<Option<(Arc<GpuProcess>, ToGpu)>> {
        let mut state = self.state();
        let mapped = state.maps.get_mut(&va).ok_or(Status::OBJECT_NOT_FOUND)?;
        mapped.count -= 1;
        if mapped.count > 0 {
            return Ok(None);
        }
        let len = mapped.len;
        state.maps.remove(&va);
        Ok(state
            .process
            .clone()
            .map(|process| (process, ToGpu::Unmap { va, len })))
    }

    /// Removes all mappings that lie within a span (a freed virtual memory object).
    pub fn unmap_within(&self, base: u64, len: u64) {
        let end = base.saturating_add(len);
        let inside: Vec<u64> = {
            let state = self.state();
            let range = state.maps.range(base..end);
            range
                .filter(|(va, m)| **va + m.len <= end && m.count == 1)
                .map(|(va, _)| *va)
                .collect()
        };
        for va in inside {
            // Only a race with another unmap can make it fail.
            let _ = self.unmap(va);
        }
    }

    /// An address in `[low, high)` where `len` bytes are free, aligned to 2 MiB if that large.
    ///
    /// # Errors
    /// [`Status::NO_MEMORY`] when there is none.
    pub fn find_hole(&self, low: u64, high: u64, len: u64) -> RmResult<u64> {
        let align = if len >= crate::memory::VIDEO_GRAIN {
            crate::memory::VIDEO_GRAIN
        } else {
            PAGE
        };
        let high = high.min(VA_END);
        let state = self.state();
        let mut at = low
            .max(1 << 21)
            .checked_next_multiple_of(align)
            .ok_or(Status::NO_MEMORY)?;
        loop {
            let end = at
                .checked_add(len)
                .filter(|e| *e <= high)
                .ok_or(Status::NO_MEMORY)?;
            let mut next = None;
            for range in [link::RESERVED, link::IMAGE_WINDOW] {
                if at < range.end && range.start < end {
                    next = Some(range.end);
                }
            }
            if let Some((base, mapped)) = state.maps.range(..end).next_back()
                && base + mapped.len > at
            {
                next = Some(base + mapped.len);
            }
            match next {
                None => return Ok(at),
                Some(next) => at = next.next_multiple_of(align),
            }
        }
    }

    /// Whether something is mapped in the span.
    #[must_use]
    pub fn overlaps(&self, va: u64, len: u64) -> bool {
        self.state().overlaps(va, len)
    }

    /// Creates a channel in the process.
    ///
    /// # Errors
    /// [`Status::INSUFFICIENT_RESOURCES`], and what the process says.
    pub fn add_channel(self: &Arc<Self>, channel: &Arc<Channel>, alloc: ChannelAlloc) -> RmResult {
        let _order = self.order();
        let process = self.start_in_order()?;
        {
            let mut state = self.state();
            state.channels.retain(|_, c| c.strong_count() > 0);
            if state.channels.len() >= CHANNELS {
                return Err(Status::INSUFFICIENT_RESOURCES);
            }
            state.channels.insert(channel.id, Arc::downgrade(channel));
        }
        let mut fds = vec![channel.userd.fd(), channel.usermode.memory().fd()];
        if let Some(notifier) = &channel.notifier {
            fds.push(notifier.fd());
        }
        process
            .ask(ToGpu::ChannelAlloc(alloc), &fds)
            .map_err(|error| {
                self.state().channels.remove(&channel.id);
                process_status(error)
            })
    }

    /// Sends a request about a channel.
    ///
    /// # Errors
    /// What the process says.
    pub fn ask(&self, body: ToGpu) -> RmResult {
        let process = self.process().ok_or(Status::INVALID_STATE)?;
        process.ask(body, &[]).map_err(process_status)
    }

    /// Forgets a channel, telling the process without waiting for long.
    pub fn remove_channel(&self, id: u32) {
        let process = {
            let mut state = self.state();
            state.channels.remove(&id);
            if state.over {
                None
            } else {
                state.process.clone()
            }
        };
        if let Some(process) = process {
            // A process that cannot answer is killed by the deadline.
            let _ = process.ask(ToGpu::ChannelFree { chid: id }, &[]);
        }
    }

    /// Ends the space: its process is killed.
    pub fn destroy(&self) {
        let (process, maps) = {
            let mut state = self.state();
            state.over = true;
            state.channels.clear();
            (state.process.take(), std::mem::take(&mut state.maps))
        };
        if let Some(process) = process {
            self.last_words_of(&process);
            let busy_ns = self.busy_ns.load(Ordering::Relaxed);
            self.gpu.accounts().end(self.owner.pid, busy_ns);
            process.kill();
        }
        drop(maps);
    }

    /// The space is about to lose what it runs on: which kernel ran is asked now, as long as the process can tell.
    pub fn last_words(&self) {
        if let Some(process) = self.process() {
            self.last_words_of(&process);
        }
    }

    fn last_words_of(&self, process: &GpuProcess) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *asked, true)
            && self.busy_at_end(process)
            && let Some(kernel) = self.running_kernel()
        {
            self.abandon(kernel);
        }
    }

    /// Whether the process has unfinished work, asked once more before it ends. It need not answer.
    fn busy_at_end(&self, process: &GpuProcess) -> bool {
        if process.is_dead() {
            return false;
        }
        let Ok(answer) = process.tell(ToGpu::Query, &[]) else {
            return false;
        };
        matches!(answer.recv_timeout(LAST_WORDS), Ok(Ok(())))
            && self.busy_channels.load(Ordering::Relaxed) > 0
    }

    /// A kernel ran when its program ended: the log and the launcher say which.
    fn abandon(&self, kernel: String) {
        self.services.log.line(
            Level::Warning,
            &format!(
                "NVRM: {}: pid={}, name={}: kernel {kernel} was running when its program ended; it is stopped",
                self.gpu.pci_text(),
                self.owner.pid,
                self.owner.name
            ),
        );
        let mut list = self
            .services
            .abandoned
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if list.len() >= ABANDONED {
            list.pop_front();
        }
        list.push_back((self.owner.pid, kernel));
    }

    /// Process id of the GPU process, if it runs.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.state()
            .process
            .as_ref()
            .filter(|p| !p.is_dead())
            .map(|p| p.pid)
    }

    /// Name of the kernel that ran when it was last asked.
    #[must_use]
    pub fn running_kernel(&self) -> Option<String> {
        self.kernel_name
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Asks what it is doing; the answer is in the fields when this returns.
    pub fn query(&self) {
        if let Some(process) = self.process() {
            // What is not known stays as it was.
            let _ = process.ask(ToGpu::Query, &[]);
        }
    }

    /// Stops all work with an Xid. A process that does not answer in time is ended, and its context with this Xid.
    ///
    /// # Errors
    /// [`Status::INVALID_STATE`] when nothing runs; [`Status::GPU_IS_LOST`] when the process had ended before.
    pub fn kill(&self, xid: u32) -> RmResult {
        let process = {
            let state = self.state();
            if state.over {
                return Err(Status::GPU_IS_LOST);
            }
            let process = state.process.clone().ok_or(Status::INVALID_STATE)?;
            self.doom.store(xid, Ordering::SeqCst);
            process
        };
        match process.ask(ToGpu::Kill { xid }, &[]) {
            // Its end, which follows or has just been, says it.
            Err(ProcessError::Timeout | ProcessError::Gone) => Ok(()),
            other => other.map_err(process_status),
        }
    }

    /// Bytes of video memory that are mapped here.
    #[must_use]
    pub fn mapping_count(&self) -> usize {
        self.state().maps.len()
    }

    fn live_channels(&self) -> Vec<Arc<Channel>> {
        self.state()
            .channels
            .values()
            .filter_map(Weak::upgrade)
            .collect()
    }

    fn faulted(&self, record: &Fault) {
        // A process may say it again and again; the first ones tell all there is.
        if self.faults.fetch_add(1, Ordering::Relaxed) >= FAULTS {
            return;
        }
        let channels = self.live_channels();
        // Who is killed on request is killed as a whole.
        let killed = record.kind == abi::link::FaultKind::Killed;
        let mut record = record.clone();
        if killed {
            record.cuda_result = crate::inject::cuda_result(record.xid);
        }
        let record = &record;
        let guilty = channels.iter().find(|c| c.id == record.chid);
        let guilty = guilty.or_else(|| channels.first().filter(|_| killed));
        let Some(guilty) = guilty else {
            self.services.log.once(
                Level::Error,
                "fault-unknown-channel",
                "NVRM: a GPU process reported a fault of a channel that it does not have",
            );
            return;
        };
        self.faulted.store(true, Ordering::SeqCst);
        fault::report(&self.services.log, &self.gpu, &self.owner, record);
        for channel in &channels {
            channel.set_fault(record);
        }
        guilty.fire_error(record.xid);
    }

    fn ended(&self, how: &str) {
        let (channels, wanted, doom) = {
            let mut state = self.state();
            let wanted = state.over;
            state.over = true;
            let doom = self.doom.load(Ordering::SeqCst);
            (std::mem::take(&mut state.channels), wanted, doom)
        };
        if wanted {
            return;
        }
        let channels: Vec<_> = channels.values().filter_map(Weak::upgrade).collect();
        let first_fault = !self.faulted.swap(true, Ordering::SeqCst);
        let first = channels.first().map_or(0, |c| c.id);
        let record = match doom {
            0 => fault::process_died(first, how),
            xid => fault::killed(first, xid),
        };
        if first_fault {
            fault::report(&self.services.log, &self.gpu, &self.owner, &record);
        }
        for channel in &channels {
            channel.set_fault(&record);
            channel.write_notifier(channel.fault_xid());
        }
        for channel in &channels {
            channel.usermode.complete(record.xid);
        }
        if let Some(channel) = channels.first() {
            channel.fire_error(record.xid);
        }
    }
}

impl State {
    fn overlaps(&self, va: u64, len: u64) -> bool {
        let end = va.saturating_add(len);
        self.maps
            .range(..end)
            .next_back()
            .is_some_and(|(base, m)| base + m.len > va)
    }
}

impl Mapped {
    fn message(&self, va: u64) -> ToGpu {
        ToGpu::Map {
            va,
            len: self.len,
            offset: self.offset,
            write: self.write,
            huge: self.len >= crate::memory::VIDEO_GRAIN
                && self.memory.place() == crate::memory::Place::Video,
        }
    }
}

struct Ears(Weak<VaSpace>);

impl Listener for Ears {
    fn said(&self, message: FromGpu) {
        let Some(space) = self.0.upgrade() else {
            return;
        };
        match message {
            FromGpu::Done { .. } => {}
            FromGpu::Fault(record) => space.faulted(&record),
            FromGpu::Interrupt { chid } => {
                if let Some(channel) = space.live_channels().iter().find(|c| c.id == chid) {
                    channel.interrupt();
                }
            }
            FromGpu::Status {
                busy_channels,
                kernel,
                busy_ns,
            } => {
                space
                    .busy_channels
                    .store(u64::from(busy_channels), Ordering::Relaxed);
                space.busy_ns.store(busy_ns, Ordering::Relaxed);
                // A kernel whose image is gone has no name any more.
                if kernel.as_ref().is_none_or(|name| !name.is_empty()) {
                    *space
                        .kernel_name
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = kernel;
                }
            }
            FromGpu::Log(line) => {
                if space.lines.fetch_add(1, Ordering::Relaxed) < LOG_LINES {
                    space.services.log.line(
                        Level::Info,
                        &format!(
                            "antlerite-gpu: {} pid={}: {line}",
                            space.gpu.pci_text(),
                            space.owner.pid
                        ),
                    );
                }
            }
        }
    }

    fn ended(&self, how: &str) {
        if let Some(space) = self.0.upgrade() {
            space.ended(how);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_addresses_are_refused() {
        assert!(check_range(0x10_0000_0000, 4096).is_ok());
        assert!(check_range(0x7fff_0000_0000, 4096).is_ok());
        for (va, len) in [
            (0, 4096),
            (0x10_0000_0000, 0),
            (0x10_0000_0001, 4096),
            (0x10_0000_0000, 100),
            (link::RESERVED.start, 4096),
            (link::RESERVED.start - 4096, 8192),
            (link::IMAGE_WINDOW.end - 4096, 8192),
            (0x1000, 0x7fff_0000_0000),
            (VA_END - 4096, 8192),
            (u64::MAX - 4095, 4096),
        ] {
            assert_eq!(
                check_range(va, len),
                Err(Status::INVALID_ADDRESS),
                "{va:#x} {len:#x}"
            );
        }
    }
}
