//! Tracked managed memory: each block of 64 KiB is at one processor, and moves when another one touches it.
//!
//! All sides map one memfd, in which offset = address, and each has a userfaultfd over the addresses. A block is where
//! its pages are mapped: elsewhere an access is a fault, and waits until the thread here has had the pages unmapped at
//! the old place (by a thread of that process, [`place`]) and has mapped them at the new one, which lets the waiting
//! access go on. No byte is copied, so none can be lost or torn. Read-mostly blocks are mapped at several places, with
//! stores held off everywhere. A block that was never touched comes into being, zeroed, where it is touched first.
//!
//! Coherent memory is the same without a userfaultfd at the CPU: blocks stay there for good, and a GPU's first access to
//! one is a fault, which is counted and maps it there too.

mod advice;
mod blocks;
mod desk;
mod place;
mod record;
mod uffd;

use std::collections::BTreeMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::event::{EventfdFlags, epoll};
use rustix::io::Errno;

use super::event::Event;
use crate::file::OpenFile;
use crate::gpu::Gpu;
use crate::memory::Memory;
use crate::status::{RmResult, Status};
use crate::vaspace::VaSpace;
use advice::{Advices, CPU};
pub(super) use advice::{Side, gpu_side};
use blocks::{Inner, now_ns};
use place::{Agent, Place};
use record::Record;
pub use record::{Cause, Counters, Move, RangeReport, Report};
use uffd::Uffd;

/// Token of the bell; the others are sides.
const BELL: u64 = u64::MAX;
/// Trackers at once in a server.
const TRACKERS: usize = 1024;
static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// The tracker of one UVM file.
#[derive(Debug)]
pub(super) struct Tracker {
    inner: Mutex<Inner>,
    /// Tells the thread that something changed.
    bell: OwnedFd,
    /// What the thread waits for: the bell and the sides' userfaultfds.
    epoll: OwnedFd,
    /// Blocks are at the CPU for good.
    pub(super) coherent: bool,
}

/// The program's side of tracked memory: its userfaultfd, and the socket of its agent.
pub(super) type Program = (OwnedFd, Option<OwnedFd>);

/// Counts a tracker for as long as its thread runs.
struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        COUNT.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
    }
}

impl Tracker {
    /// A tracker over `memory`, in which offset = address, with its thread. Without a side of the program's the memory
    /// is coherent.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`] when the descriptor is no such, or the kernel too old;
    /// [`Status::INSUFFICIENT_RESOURCES`].
    pub(super) fn start(
        program: Option<Program>,
        memory: Arc<Memory>,
        plain: bool,
    ) -> RmResult<Arc<Self>> {
        let coherent = program.is_none();
        let (uffd, agent) = match program {
            None => (None, None),
            Some((fd, agent)) => {
                let uffd =
                    Uffd::adopt(Arc::new(fd), Arc::default()).map_err(|_| Status::NOT_SUPPORTED)?;
                (Some(uffd), agent.map(Arc::new))
            }
        };
        if COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= TRACKERS {
            drop(Counted);
            return Err(Status::INSUFFICIENT_RESOURCES);
        }
        let counted = Counted;
        let bell = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let cpu = Place {
            uffd,
            agent: Agent::new(agent),
            gpu: None,
            order: BTreeMap::new(),
        };
        let tracker = Arc::new(Self {
            inner: Mutex::new(Inner {
                coherent,
                plain,
                memory,
                places: BTreeMap::from([(CPU, cpu)]),
                ranges: BTreeMap::new(),
                blocks: BTreeMap::new(),
                advices: Advices::default(),
                record: Record::new(),
                delayed: Vec::new(),
                buffer: Vec::new(),
                listeners: Vec::new(),
                tick: 0,
                changed: true,
                over: false,
            }),
            bell,
            epoll,
            coherent,
        });
        let for_thread = Arc::clone(&tracker);
        std::thread::Builder::new()
            .name("uvm-faults".into())
            .stack_size(256 << 10)
            .spawn(move || {
                let _counted = counted;
                for_thread.serve();
            })
            .map_err(|_| Status::INSUFFICIENT_RESOURCES)?;
        Ok(tracker)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        // Full is as good as rung.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    /// Ends the thread; nothing moves any more.
    pub(super) fn stop(&self) {
        self.inner().over = true;
        self.ring();
    }

    /// All sides go, after the ranges: others may serve the same spaces from now on.
    pub(super) fn release(&self) {
        let mut inner = self.inner();
        inner.places.clear();
        inner.changed = true;
    }

    /// The thread.
    fn serve(&self) {
        let mut faults = Vec::new();
        let mut sides: Vec<(Side, OwnedFd)> = Vec::new();
        let mut ready = [epoll::Event {
            flags: epoll::EventFlags::empty(),
            data: epoll::EventData::new_u64(BELL),
        }; 8];
        if epoll::add(
            &self.epoll,
            &self.bell,
            epoll::EventData::new_u64(BELL),
            epoll::EventFlags::IN,
        )
        .is_err()
        {
            return;
        }
        loop {
            let due = {
                let mut inner = self.inner();
                if inner.over {
                    return;
                }
                if std::mem::take(&mut inner.changed) {
                    for (_, fd) in sides.drain(..) {
                        let _ = epoll::delete(&self.epoll, &fd);
                    }
                    sides.extend(inner.places.iter().filter_map(|(side, place)| {
                        let uffd = place.uffd.as_ref()?;
                        let fd = uffd.as_fd().try_clone_to_owned().ok()?;
                        let token = epoll::EventData::new_u64(*side as u64);
                        epoll::add(&self.epoll, &fd, token, epoll::EventFlags::IN).ok()?;
                        Some((*side, fd))
                    }));
                }
                inner.delayed.iter().map(|d| d.due).min()
            };
            let wait = due.map(|due| {
                let left = due.saturating_duration_since(Instant::now());
                rustix::event::Timespec {
                    tv_sec: 0,
                    tv_nsec: i64::from(left.subsec_nanos()),
                }
            });
            let count = match epoll::wait(&self.epoll, &mut ready[..], wait.as_ref()) {
                Ok(count) => count,
                Err(Errno::INTR) => 0,
                Err(_) => return,
            };
            let mut inner = self.inner();
            if inner.over {
                return;
            }
            for event in &ready[..count] {
                let token = event.data.u64();
                if token == BELL {
                    let _ = rustix::io::read(&self.bell, &mut [0_u8; 8]);
                    continue;
                }
                let Ok(side) = Side::try_from(token) else {
                    continue;
                };
                let Some(uffd) = inner.places.get(&side).and_then(|p| p.uffd.as_ref()) else {
                    continue;
                };
                if uffd.faults(&mut faults).is_err() {
                    // Spoilt: not looked at again.
                    if let Some((_, fd)) = sides.iter().find(|s| s.0 == side) {
                        let _ = epoll::delete(&self.epoll, fd);
                    }
                    continue;
                }
                let start = Instant::now();
                for fault in &faults {
                    inner.fault(side, *fault);
                }
                if side != CPU && !faults.is_empty() && !inner.listeners.is_empty() {
                    let time = now_ns();
                    inner.tell(&Event::GpuFaultReplay { gpu: side, time });
                }
                inner.record.counters.busy_ns +=
                    u64::try_from(start.elapsed().as_nanos()).unwrap_or(0);
            }
            inner.serve_delayed();
        }
    }

    /// A GPU whose space is registered.
    ///
    /// # Errors
    /// [`Status::OPERATING_SYSTEM`] when the space's process has no userfaultfd, or the kernel is too old;
    /// [`Status::IN_USE`] while the space is registered with another file.
    pub(super) fn add_gpu(&self, gpu: &Arc<Gpu>, space: &Arc<VaSpace>) -> RmResult {
        let faults = space.faults().ok_or(Status::OPERATING_SYSTEM)?;
        let uffd = Uffd::adopt(faults.uffd, faults.uffd_use).map_err(|errno| match errno {
            Errno::BUSY => Status::IN_USE,
            _ => Status::OPERATING_SYSTEM,
        })?;
        let place = Place {
            uffd: Some(uffd),
            agent: Agent::new(faults.agent),
            gpu: Some((Arc::clone(gpu), Arc::clone(space))),
            order: BTreeMap::new(),
        };
        {
            let mut inner = self.inner();
            inner.places.insert(gpu_side(gpu.index), place);
            inner.changed = true;
        }
        self.ring();
        Ok(())
    }

    /// A GPU goes: its blocks come home.
    pub(super) fn remove_gpu(&self, gpu: u32) {
        let mut inner = self.inner();
        let side = gpu_side(gpu);
        let there: Vec<u64> = inner
            .places
            .get(&side)
            .map(|p| p.order.values().copied().collect())
            .unwrap_or_default();
        for base in there {
            inner.leave(base, side, Cause::Teardown);
        }
        if inner.coherent {
            for block in inner.blocks.values_mut() {
                block.copies &= !(1 << side);
            }
        }
        for range in inner.ranges.clone() {
            inner
                .advices
                .change(range.0, range.0 + range.1, |a| a.remote &= !(1 << side));
        }
        inner.places.remove(&side);
        inner.changed = true;
        drop(inner);
        self.ring();
    }

    /// A range that is mapped at the CPU and on all GPUs is tracked from now on.
    ///
    /// # Errors
    /// [`Status::INVALID_ADDRESS`] when it is not mapped.
    pub(super) fn add_range(&self, base: u64, len: u64) -> RmResult {
        let mut inner = self.inner();
        if inner.ranges.get(&base) == Some(&len) {
            return Ok(());
        }
        for place in inner.places.values() {
            place
                .register(base, len)
                .map_err(|_| Status::INVALID_ADDRESS)?;
        }
        inner.ranges.insert(base, len);
        Ok(())
    }

    /// The ranges of a GPU that has come later are tracked there too.
    ///
    /// # Errors
    /// [`Status::INVALID_ADDRESS`] when one is not mapped there.
    pub(super) fn add_ranges_of(&self, gpu: u32) -> RmResult {
        let inner = self.inner();
        let Some(place) = inner.places.get(&gpu_side(gpu)) else {
            return Err(Status::INVALID_DEVICE);
        };
        for (base, len) in &inner.ranges {
            place
                .register(*base, *len)
                .map_err(|_| Status::INVALID_ADDRESS)?;
        }
        Ok(())
    }

    /// A range goes, with its bytes.
    pub(super) fn remove_range(&self, base: u64) {
        let mut inner = self.inner();
        let Some(len) = inner.ranges.remove(&base) else {
            return;
        };
        let inside: Vec<u64> = inner
            .blocks
            .range(base..base + len)
            .map(|(b, _)| *b)
            .collect();
        for block in inside {
            inner.drop_block(block);
        }
        inner.advices.forget(base, base + len);
        for place in inner.places.values() {
            // A new mapping may come to the same place: nobody may wait for the old one.
            place.unregister(base, len);
        }
        inner.memory.punch(base, len);
    }

    /// Moves a span to a processor: the CPU, or a GPU by index.
    ///
    /// # Errors
    /// [`Status::INVALID_DEVICE`] for a GPU without a space.
    pub(super) fn migrate(&self, base: u64, len: u64, gpu: Option<u32>) -> RmResult {
        let side = gpu.map_or(CPU, gpu_side);
        let mut inner = self.inner();
        if !inner.places.contains_key(&side) {
            return Err(Status::INVALID_DEVICE);
        }
        if inner.coherent {
            for (start, len) in inner.blocks_of(base, base + len) {
                if side != CPU && inner.copies(start) >> side & 1 == 0 {
                    inner.record.counters.prefetched += 1;
                    inner.show_block(start, len, side);
                }
            }
            return Ok(());
        }
        if side != CPU {
            inner.end_remote(base, base + len, side)?;
        }
        for (start, len) in inner.blocks_of(base, base + len) {
            inner.bring(start, len, side, false, Cause::Prefetch);
        }
        Ok(())
    }

    /// The bytes of the blocks that lie within a span may be lost: they are as if never touched. What a GPU sees at the
    /// CPU stays there, and so does coherent memory.
    pub(super) fn discard(&self, base: u64, len: u64) {
        let mut inner = self.inner();
        if inner.coherent {
            return;
        }
        let end = base + len;
        for (start, block) in inner.blocks_of(base, end) {
            let whole = start >= base && start + block <= end;
            if whole && inner.advices.at(start).remote == 0 {
                inner.drop_block(start);
                inner.memory.punch(start, block);
                for place in inner.places.values() {
                    // Who waits to store goes on, and misses the page.
                    place.protect(start, block, false);
                }
            }
        }
    }

    /// Takes advice: preferred location (`Some(None)`: none), accessed by (gpu or CPU, on or off), duplication.
    ///
    /// # Errors
    /// What a GPU process says.
    pub(super) fn advise(&self, base: u64, len: u64, change: Change) -> RmResult {
        let mut inner = self.inner();
        if inner.coherent {
            return Ok(());
        }
        let side_of = |gpu: Option<u32>| gpu.map_or(CPU, gpu_side);
        let end = base + len;
        match change {
            Change::Preferred(place) => {
                let place = place.map(side_of);
                inner.advices.change(base, end, |a| a.preferred = place);
            }
            Change::AccessedBy(gpu, on) => {
                let bit = 1_u64 << side_of(gpu);
                inner.advices.change(base, end, |a| {
                    if on {
                        a.accessed_by |= bit;
                    } else {
                        a.accessed_by &= !bit;
                    }
                });
            }
            Change::Duplicate(on) => {
                inner.advices.change(base, end, |a| a.duplicate = on);
                if !on {
                    inner.collapse(base, end);
                }
            }
        }
        inner.settle_remote(base, end)
    }

    /// Makes room on a GPU: at least `bytes` are given back, if that many are there. Returns how many were.
    pub(super) fn reclaim(&self, gpu: u32, bytes: u64) -> u64 {
        let mut inner = self.inner();
        let mut given = 0;
        while given < bytes {
            match inner.evict_one(gpu_side(gpu), None) {
                Some(freed) => given += freed,
                None => break,
            }
        }
        given
    }

    /// Bytes on a GPU.
    pub(super) fn resident_on(&self, gpu: u32) -> u64 {
        let inner = self.inner();
        let Some(place) = inner.places.get(&gpu_side(gpu)) else {
            return 0;
        };
        let blocks = place.order.values();
        blocks
            .filter_map(|base| inner.blocks.get(base))
            .map(|b| b.len)
            .sum()
    }

    /// A tools file hears of what happens from now on.
    pub(super) fn listen(&self, tools: &Arc<OpenFile>) {
        let mut inner = self.inner();
        inner.listeners.retain(|l| l.strong_count() > 0);
        inner.listeners.push(Arc::downgrade(tools));
    }

    /// Counters, ranges and history.
    pub(super) fn report(&self) -> (bool, Counters, Vec<RangeReport>, Vec<Move>) {
        let inner = self.inner();
        let sides = inner.places.keys().max().map_or(1, |s| s + 1);
        let ranges = inner
            .ranges
            .iter()
            .map(|(base, len)| {
                let mut resident = vec![0; sides];
                for block in inner.blocks.range(*base..base + len).map(|(_, b)| b) {
                    for (side, bytes) in resident.iter_mut().enumerate() {
                        if block.copies >> side & 1 != 0 {
                            *bytes += block.len;
                        }
                    }
                }
                RangeReport {
                    base: *base,
                    len: *len,
                    resident,
                }
            })
            .collect();
        (
            inner.plain,
            inner.record.counters.clone(),
            ranges,
            inner.record.history(),
        )
    }
}

/// Advice to take.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// Preferred location: `None` none, `Some(None)` the CPU, `Some(Some(n))` GPU n.
    Preferred(Option<Option<u32>>),
    /// Accessed by the CPU (`None`) or a GPU: on or off.
    AccessedBy(Option<u32>, bool),
    /// Read duplication: on or off.
    Duplicate(bool),
}

/// Processor names for reports.
#[must_use]
pub fn side_name(side: usize) -> String {
    match side {
        0 => "CPU".into(),
        gpu => format!("GPU {}", gpu - 1),
    }
}
