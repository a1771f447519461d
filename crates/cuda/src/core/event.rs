//! Events: marks in a stream, with the time at which they were passed.

use std::sync::{Arc, Mutex};

use cuda_abi::driver::{CUevent, CUevent_flags, CUresult};

use super::channel::Point;
use super::context::{self, CONTEXTS, Live};
use super::graph::capture::Mark;
use super::handle::Table;
use super::memory::{Allocation, Kind};
use super::stream::Target;

/// All events.
pub(crate) static EVENTS: Table<Event> = Table::new(3, CUresult::INVALID_HANDLE);

/// Bytes of an event's semaphore: payload and timestamp.
const SLOT: u64 = 16;
/// Bytes of memory taken at a time for semaphores.
const BLOCK: u64 = 64 << 10;

/// Semaphores of a context's events.
#[derive(Debug, Default)]
pub(crate) struct EventSlots {
    free: Vec<u64>,
    blocks: Vec<Arc<Allocation>>,
}

impl EventSlots {
    /// A free semaphore's address.
    pub(crate) fn take(&mut self, live: &Live) -> Result<u64, CUresult> {
        if self.free.is_empty() {
            let block = live.allocate(BLOCK, 4096, Kind::Host, 0)?;
            self.free
                .extend((0..BLOCK / SLOT).rev().map(|i| block.va + i * SLOT));
            self.blocks.push(block);
        }
        self.free.pop().ok_or(CUresult::OUT_OF_MEMORY)
    }

    /// Takes a semaphore back.
    pub(crate) fn give(&mut self, slot: u64) {
        self.free.push(slot);
    }
}

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    /// Handle of its context.
    pub context: usize,
    /// Flags of its creation.
    pub flags: u32,
    slot: u64,
    /// Its place in memory that processes share.
    pub shared: Option<super::ipc::Slot>,
    recorded: Mutex<Option<Point>>,
    /// Captured work that it stands for.
    captured: Mutex<Option<Mark>>,
}

/// Makes an event in the current context.
pub(crate) fn create(flags: u32) -> Result<CUevent, CUresult> {
    let live = context::current()?;
    let shared = if flags & CUevent_flags::INTERPROCESS.0.unsigned_abs() != 0 {
        Some(super::ipc::Slot::create(&live)?)
    } else {
        None
    };
    add(&live, flags, shared)
}

/// An event of another process.
///
/// # Errors
/// As [`super::ipc::Slot::open`].
pub(crate) fn open(handle: &[u8; super::ipc::HANDLE_BYTES]) -> Result<CUevent, CUresult> {
    let live = context::current()?;
    let slot = super::ipc::Slot::open(&live, handle)?;
    let flags = CUevent_flags::INTERPROCESS.0 | CUevent_flags::DISABLE_TIMING.0;
    add(&live, flags.unsigned_abs(), Some(slot))
}

fn add(live: &Live, flags: u32, shared: Option<super::ipc::Slot>) -> Result<CUevent, CUresult> {
    let slot = lock(&live.event_slots).take(live)?;
    EVENTS
        .insert(Event {
            context: live.context,
            flags,
            slot,
            shared,
            recorded: Mutex::new(None),
            captured: Mutex::new(None),
        })
        .map(CUevent)
}

/// Ends an event.
pub(crate) fn destroy(handle: CUevent) -> Result<(), CUresult> {
    let event = EVENTS.remove(handle.0)?;
    let pending = event.point().is_some_and(|point| !point.is_done());
    if let Some(live) = CONTEXTS.get(event.context).ok().and_then(|c| c.live()) {
        if !pending {
            lock(&live.event_slots).give(event.slot);
        }
        live.check()?;
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Event {
    /// Whether it keeps the time.
    fn is_timed(&self) -> bool {
        self.flags & CUevent_flags::DISABLE_TIMING.0.unsigned_abs() == 0
    }

    /// The work that it marks.
    pub(crate) fn point(&self) -> Option<Point> {
        lock(&self.recorded).clone()
    }

    /// Marks the stream's work so far.
    pub(crate) fn record(&self, target: &Target) -> Result<(), CUresult> {
        if target.live.context != self.context {
            return Err(CUresult::INVALID_HANDLE);
        }
        let point = match &self.shared {
            Some(shared) => shared.record(target)?,
            None => target.submit(|batch| {
                if self.is_timed() {
                    batch.release_timestamp(self.slot, 1);
                }
            })?,
        };
        *lock(&self.recorded) = Some(point);
        self.mark(None);
        Ok(())
    }

    /// Lets the event stand for captured work, or for none.
    pub(crate) fn mark(&self, mark: Option<Mark>) {
        let old = std::mem::replace(&mut *lock(&self.captured), mark);
        drop(old);
    }

    /// What the captured work is that it stands for.
    pub(crate) fn marked<R>(&self, look: impl FnOnce(&Mark) -> R) -> Option<R> {
        lock(&self.captured).as_ref().map(look)
    }

    /// Whether what it marks is done.
    ///
    /// # Errors
    /// 600 when not; the fault that ended the context.
    pub(crate) fn query(&self) -> Result<(), CUresult> {
        if let Some(shared) = &self.shared {
            CONTEXTS.get(self.context)?.live_and_well()?;
            return if shared.is_done() {
                Ok(())
            } else {
                Err(CUresult::NOT_READY)
            };
        }
        match self.point() {
            Some(point) if !point.is_done() => {
                Err(point.channel.check().unwrap_or(CUresult::NOT_READY))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Waits for what it marks.
    pub(crate) fn synchronize(&self) -> Result<(), CUresult> {
        if self.shared.is_some() {
            return self.wait_for_others();
        }
        let waited = self
            .point()
            .map_or(Ok(()), |point| point.channel.wait(point.value));
        if let Some(live) = CONTEXTS.get(self.context).ok().and_then(|c| c.live()) {
            live.drain_output();
        }
        waited
    }

    /// Makes a stream wait for what it marks. An event that was never recorded is passed.
    pub(crate) fn wait_in(&self, target: &Target) -> Result<(), CUresult> {
        match (&self.shared, self.point()) {
            (Some(shared), _) => shared.wait_in(target),
            (None, Some(point)) => target.wait_for(&point),
            (None, None) => Ok(()),
        }
    }

    /// Waits for a mark that another process may have set: nothing wakes us, so we look again and again.
    fn wait_for_others(&self) -> Result<(), CUresult> {
        const LONGEST: std::time::Duration = std::time::Duration::from_millis(1);
        let mut pause = std::time::Duration::from_micros(10);
        loop {
            match self.query() {
                Err(CUresult::NOT_READY) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST);
                }
                other => return other,
            }
        }
    }

    /// Nanoseconds of the GPU's clock when the mark was passed.
    ///
    /// # Errors
    /// 400 for an event that keeps no time or was never recorded, 600 for one that is not passed yet.
    fn time(&self) -> Result<u64, CUresult> {
        let point = self
            .point()
            .filter(|_| self.is_timed())
            .ok_or(CUresult::INVALID_HANDLE)?;
        if !point.is_done() {
            return Err(point.channel.check().unwrap_or(CUresult::NOT_READY));
        }
        let at = usize::try_from(self.slot + 8).map_err(|_| CUresult::UNKNOWN)?;
        // SAFETY: the slot is in pinned memory that lives as long as the context, which the point keeps busy channels of;
        // the timestamp is an aligned word.
        let word = unsafe {
            std::sync::atomic::AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(at))
        };
        Ok(word.load(std::sync::atomic::Ordering::Acquire))
    }

    /// Milliseconds from `start` to this one.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "the API's type is float"
    )]
    pub(crate) fn milliseconds_since(&self, start: &Self) -> Result<f32, CUresult> {
        let (start, end) = (start.time()?, self.time()?);
        let nanoseconds = if end >= start {
            (end - start) as f64
        } else {
            -((start - end) as f64)
        };
        Ok((nanoseconds / 1e6) as f32)
    }
}
