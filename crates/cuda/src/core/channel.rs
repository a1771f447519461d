//! A channel: a ring of batches that the GPU executes in order.
//!
//! Everything a channel needs lies in one chunk of pinned memory: error notifier, semaphore, USERD, GPFIFO ring,
//! pushbuffer slots (one per ring entry) and launch memory (QMDs and constant buffers). Entry `n` (from 1) ends by storing
//! `n` in the semaphore, so one number says how far the channel is.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use abi::nv::alloc_params::*;
use abi::nv::control_params::*;
use abi::usermode;
use abi::vendor;
use cuda_abi::driver::CUresult;
use door::Mapping;
use zerocopy::FromZeros;

use super::memory::Chunk;
use super::platform::Platform;
use super::push::{BATCH_WORDS, Batch, gpfifo_entry};
use super::rm::Object;
use super::sleep::{Bed, Spinner};
use super::space::Space;
use super::word::word32;

/// Entries of the ring.
const ENTRIES: u64 = 1024;
/// How long the kernel half may take to hear of a fault that the GPU has already noted.
const FAULT_PATIENCE: Duration = Duration::from_secs(1);
/// Layout of the chunk, bytes.
mod at {
    /// Error notifier: at the start of its memory.
    pub(super) const NOTIFIER: u64 = 0;
    pub(super) const SEMAPHORE: u64 = 0x100;
    pub(super) const USERD: u64 = 0x1000;
    pub(super) const GPFIFO: u64 = 0x2000;
    pub(super) const PUSH: u64 = 0x1_0000;
    pub(super) const LAUNCH: u64 = 0x8_0000;
    pub(super) const END: u64 = 0x20_0000;
}
/// `GPPut` in USERD.
const GP_PUT: u64 = 0x8c;
/// Bytes of a pushbuffer slot.
const SLOT: u64 = (BATCH_WORDS * 4) as u64;
/// Engine type of graphics and compute.
const ENGINE_GR0: u32 = 1;
/// Controls.
mod control {
    pub(super) const GPFIFO_SCHEDULE: u32 = 0xa06c_0101;
    pub(super) const GET_WORK_SUBMIT_TOKEN: u32 = 0xc36f_0108;
}

/// A point in a channel's work: all batches up to `value`.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The channel.
    pub channel: Arc<Channel>,
    /// Entry number.
    pub value: u64,
}

impl Point {
    /// Whether the work is done.
    pub(crate) fn is_done(&self) -> bool {
        self.channel.completed() >= self.value
    }
}

#[derive(Debug)]
struct Ring {
    /// Entries submitted.
    put: u64,
    /// Launch memory in use, oldest first: entry that frees it, and where it begins.
    launches: VecDeque<(u64, u64)>,
    /// Where the next launch's memory begins.
    launch_head: u64,
}

/// A channel.
#[derive(Debug)]
pub(crate) struct Channel {
    space: Arc<Space>,
    object: Object,
    group: Object,
    token: u32,
    memory: Arc<Chunk>,
    page: Arc<Mapping>,
    ours: bool,
    ring: Mutex<Ring>,
    submitted: AtomicU64,
}

/// A channel group, and the context share that its channels use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// KEPLER_CHANNEL_GROUP_A.
    pub group: Object,
    /// FERMI_CONTEXT_SHARE_A.
    pub share: Object,
}

impl Group {
    /// Allocates both.
    pub(crate) fn create(platform: &Platform, space: &Space) -> Result<Self, CUresult> {
        let client = &platform.client;
        let mut params = NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS {
            hVASpace: space.vaspace.0,
            engineType: ENGINE_GR0,
            ..FromZeros::new_zeroed()
        };
        let class = abi::nv::classes::KEPLER_CHANNEL_GROUP_A;
        let group = client.alloc(
            "allocating a channel group",
            space.device.device,
            class,
            &mut params,
        )?;
        /// `NV_CTXSHARE_ALLOCATION_FLAGS_SUBCONTEXT_ASYNC`.
        const ASYNC: u32 = 1;
        let mut params = NV_CTXSHARE_ALLOCATION_PARAMETERS {
            hVASpace: space.vaspace.0,
            flags: ASYNC,
            ..FromZeros::new_zeroed()
        };
        let class = abi::nv::classes::FERMI_CONTEXT_SHARE_A;
        let share = client.alloc("allocating a context share", group, class, &mut params)?;
        Ok(Self { group, share })
    }
}

impl Channel {
    /// Makes a channel and lets it run.
    pub(crate) fn create(
        platform: &Platform,
        space: &Arc<Space>,
        group: Group,
    ) -> Result<Arc<Self>, CUresult> {
        let client = &platform.client;
        let classes = space.device.classes;
        let memory = Chunk::host(platform, &platform.low_arena, space.ordinal, at::END)?;
        let handle = memory.object().ok_or(CUresult::UNKNOWN)?;
        let mut params = NV_CHANNEL_ALLOC_PARAMS {
            hObjectError: handle.0,
            hObjectBuffer: handle.0,
            gpFifoOffset: memory.va + at::GPFIFO,
            gpFifoEntries: u32::try_from(ENTRIES).unwrap_or_default(),
            hContextShare: group.share.0,
            ..FromZeros::new_zeroed()
        };
        params.hUserdMemory[0] = handle.0;
        params.userdOffset[0] = at::USERD;
        let object = client.alloc(
            "allocating a channel",
            group.group,
            classes.channel,
            &mut params,
        )?;
        let mut compute = NV_GR_ALLOCATION_PARAMETERS::new_zeroed();
        client.alloc(
            "binding the compute class",
            object,
            classes.compute,
            &mut compute,
        )?;
        let mut copy = NVB0B5_ALLOCATION_PARAMETERS {
            version: 0,
            engineType: 0,
        };
        client.alloc("binding the copy class", object, classes.copy, &mut copy)?;
        let mut token = NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS { workSubmitToken: 0 };
        client.control(
            "asking for the work submit token",
            object,
            control::GET_WORK_SUBMIT_TOKEN,
            &mut token,
        )?;
        let mut schedule = NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS {
            bEnable: 1,
            bSkipSubmit: 0,
            bSkipEnable: 0,
        };
        client.control(
            "scheduling the channel group",
            group.group,
            control::GPFIFO_SCHEDULE,
            &mut schedule,
        )?;
        let channel = Arc::new(Self {
            space: space.clone(),
            object,
            group: group.group,
            token: token.workSubmitToken,
            page: space.page.clone(),
            memory,
            ours: platform.ours,
            ring: Mutex::new(Ring {
                put: 0,
                launches: VecDeque::new(),
                launch_head: at::LAUNCH,
            }),
            submitted: AtomicU64::new(0),
        });
        let mut batch = Batch::new();
        batch.set_objects(classes.compute, classes.copy);
        channel.submit(&batch)?;
        Ok(channel)
    }

    /// Address of the semaphore that says how far the channel is.
    pub(crate) fn semaphore(&self) -> u64 {
        self.memory.va + at::SEMAPHORE
    }

    fn word<T>(&self, offset: u64) -> *mut T {
        check_bounds(offset);
        std::ptr::with_exposed_provenance_mut(
            usize::try_from(self.memory.va + offset).unwrap_or_default(),
        )
    }

    fn atomic(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: inside the chunk, aligned, and only accessed atomically while the GPU may write it.
        unsafe { AtomicU64::from_ptr(self.word(offset)) }
    }

    /// Entries that are done.
    pub(crate) fn completed(&self) -> u64 {
        self.atomic(at::SEMAPHORE).load(Ordering::Acquire)
    }

    /// Entries submitted so far.
    pub(crate) fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::Acquire)
    }

    /// Sends a batch; its entry number.
    ///
    /// # Errors
    /// The fault that ended the space.
    pub(crate) fn submit(&self, batch: &Batch) -> Result<u64, CUresult> {
        let mut ring = self.lock();
        self.submit_locked(&mut ring, batch)
    }

    /// Reserves `bytes` of launch memory (256-byte aligned), fills it by `fill`, and sends the batch that `fill` makes
    /// for its address; the entry's number.
    ///
    /// # Errors
    /// The fault that ended the space; 701 for more than the launch memory.
    pub(crate) fn launch(
        &self,
        bytes: u64,
        fill: impl FnOnce(LaunchMemory<'_>) -> Batch,
    ) -> Result<u64, CUresult> {
        let bytes = bytes.next_multiple_of(256);
        let mut ring = self.lock();
        let offset = loop {
            if let Some(offset) = ring.reserve(bytes, self.completed()) {
                break offset;
            }
            let Some((first, _)) = ring.launches.front().copied() else {
                return Err(CUresult::LAUNCH_OUT_OF_RESOURCES);
            };
            let middle = ring.launches.get(ring.launches.len() / 2);
            self.make_room(first, middle.map_or(first, |(value, _)| *value))?;
        };
        let batch = fill(LaunchMemory {
            channel: self,
            offset,
            bytes,
        });
        let value = self.submit_locked(&mut ring, &batch)?;
        ring.launches.push_back((value, offset));
        ring.launch_head = offset + bytes;
        Ok(value)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Ring> {
        self.ring
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn submit_locked(&self, ring: &mut Ring, batch: &Batch) -> Result<u64, CUresult> {
        if let Some(fault) = self.space.fault() {
            return Err(fault);
        }
        let value = ring.put + 1;
        // One entry stays free, so that a full ring differs from an empty one.
        if value >= ENTRIES {
            self.make_room(value - (ENTRIES - 1), value - ENTRIES / 2)?;
        }
        let mut batch = batch.clone();
        batch.release(self.semaphore(), value);
        if !self.ours {
            batch.interrupt();
        }
        let slot = ring.put % ENTRIES;
        let push = at::PUSH + slot * SLOT;
        let words: *mut u32 = self.word(push);
        for (index, word) in batch.words().iter().enumerate() {
            // SAFETY: a slot holds BATCH_WORDS words, and the GPU is done with the entry that used it before.
            unsafe { words.add(index).write_volatile(*word) };
        }
        let entry = gpfifo_entry(self.memory.va + push, batch.words().len());
        // SAFETY: `slot` is inside the ring; as above.
        unsafe {
            self.word::<u64>(at::GPFIFO + slot * 8)
                .write_volatile(entry)
        };
        ring.put = value;
        fence(Ordering::SeqCst);
        let put = u32::try_from(value % ENTRIES).unwrap_or_default();
        // SAFETY: GPPut of our USERD, an aligned word that only we write.
        unsafe { std::sync::atomic::AtomicU32::from_ptr(self.word(at::USERD + GP_PUT)) }
            .store(put, Ordering::Release);
        self.submitted.store(value, Ordering::Release);
        fence(Ordering::SeqCst);
        word32(&self.page, usermode::DOORBELL).store(self.token, Ordering::Release);
        if self.ours {
            ring_bell(&self.page);
        }
        Ok(value)
    }

    /// Waits until entry `value` is done.
    ///
    /// # Errors
    /// The fault that ended the space, or 802 when the kernel half is gone.
    pub(crate) fn wait(&self, value: u64) -> Result<(), CUresult> {
        if self.completed() >= value || self.spin(value) {
            return Ok(());
        }
        self.sleep(value, None).map(drop)
    }

    /// Waits until entry `first` is done, whose place is wanted. Until `enough` are done too, if that is soon: a thread
    /// that submits faster than the GPU works would else sleep and wake for every single entry.
    fn make_room(&self, first: u64, enough: u64) -> Result<(), CUresult> {
        /// How much longer than necessary a submission may wait.
        const SOON: Duration = Duration::from_millis(2);
        if self.completed() >= first || self.sleep(enough, Some(Instant::now() + SOON))? {
            return Ok(());
        }
        self.wait(first)
    }

    fn spin(&self, value: u64) -> bool {
        /// About how long a launch takes to come back.
        const SHORT: Duration = Duration::from_micros(20);
        let Some(_spinner) = Spinner::new() else {
            return false;
        };
        let patient =
            self.ours && word32(&self.page, usermode::MAY_SPIN).load(Ordering::Relaxed) != 0;
        let limit = if patient { SHORT * 5 } else { SHORT };
        let start = Instant::now();
        loop {
            for _ in 0..64 {
                if self.completed() >= value {
                    return true;
                }
                std::hint::spin_loop();
            }
            if start.elapsed() > limit {
                return false;
            }
        }
    }

    /// Sleeps until entry `value` is done; false when it is not at the deadline.
    fn sleep(&self, value: u64, deadline: Option<Instant>) -> Result<bool, CUresult> {
        /// Between looks at whether the other side is still there.
        const LOOK: Duration = Duration::from_millis(100);
        let mut bed = Bed::new(&self.page, self.ours);
        loop {
            let mut fault = None;
            let over = || {
                if self.completed() >= value {
                    return true;
                }
                fault = self.check();
                fault.is_some()
            };
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            bed.nap(
                self.semaphore(),
                value,
                over,
                left.map_or(LOOK, |left| left.min(LOOK)),
            );
            if self.completed() >= value {
                return Ok(true);
            }
            if let Some(fault) = fault {
                return Err(fault);
            }
            if deadline.is_some_and(|end| Instant::now() >= end) {
                return Ok(false);
            }
            if let Ok(platform) = super::platform::get() {
                platform.client.check_alive()?;
            }
        }
    }

    /// The fault of this channel or its space.
    pub(crate) fn check(&self) -> Option<CUresult> {
        if let Some(fault) = self.space.fault() {
            return Some(fault);
        }
        /// Offset of the notifier's status, and what a fault stores there.
        const STATUS: u64 = 14;
        const FAULTED: u16 = 0xffff;
        // SAFETY: inside the chunk, aligned.
        let status =
            unsafe { std::sync::atomic::AtomicU16::from_ptr(self.word(at::NOTIFIER + STATUS)) };
        (status.load(Ordering::Acquire) == FAULTED).then(|| self.space.set_fault(self.fault_code()))
    }

    fn fault_code(&self) -> CUresult {
        // SAFETY: as above.
        let xid = unsafe { std::sync::atomic::AtomicU32::from_ptr(self.word(at::NOTIFIER + 8)) }
            .load(Ordering::Acquire);
        let from_xid = match xid {
            31 => CUresult::ILLEGAL_ADDRESS,
            _ => CUresult::LAUNCH_FAILED,
        };
        let Ok(platform) = super::platform::get() else {
            return from_xid;
        };
        if !self.ours {
            return from_xid;
        }
        // The notifier is written by the GPU; what the kernel half hears of the fault may still be on its way to it.
        let start = Instant::now();
        loop {
            let mut bytes = [0; size_of::<vendor::FaultInfoParams>()];
            bytes[..4].copy_from_slice(&self.object.0.to_le_bytes());
            let client = &platform.client;
            let asked = client.control_bytes(
                "asking for the fault",
                client.root(),
                vendor::CTRL_FAULT_INFO,
                &mut bytes,
            );
            let code = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
            match asked {
                Ok(()) if code != 0 => return CUresult(code),
                Ok(()) if start.elapsed() < FAULT_PATIENCE => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(()) | Err(_) => return from_xid,
            }
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        if let (Ok(platform), false) = (super::platform::get(), crate::process::is_forked()) {
            // A kernel half that is gone has freed it already.
            let _ = platform.client.free(self.group, self.object);
        }
    }
}

/// Tells sleeping engines that there is work or that a semaphore changed.
pub(crate) fn ring_bell(page: &Mapping) {
    let sequence = word32(page, usermode::SUBMIT_SEQ);
    sequence.fetch_add(1, Ordering::SeqCst);
    if word32(page, usermode::SLEEPERS).load(Ordering::SeqCst) != 0 {
        door::futex::wake_all(sequence);
    }
}

fn check_bounds(offset: u64) {
    assert!(
        offset < at::END,
        "offset {offset:#x} is outside the channel's memory"
    );
}

impl Ring {
    /// Room for `bytes` of launch memory, after letting go of what entries up to `completed` used.
    fn reserve(&mut self, bytes: u64, completed: u64) -> Option<u64> {
        while self
            .launches
            .front()
            .is_some_and(|(value, _)| *value <= completed)
        {
            self.launches.pop_front();
        }
        if bytes > at::END - at::LAUNCH {
            return None;
        }
        let Some((_, tail)) = self.launches.front().copied() else {
            self.launch_head = at::LAUNCH;
            return Some(at::LAUNCH);
        };
        if self.launch_head > tail {
            if self.launch_head + bytes <= at::END {
                return Some(self.launch_head);
            }
            return (at::LAUNCH + bytes < tail).then_some(at::LAUNCH);
        }
        (self.launch_head + bytes < tail).then_some(self.launch_head)
    }
}

/// Launch memory being filled.
pub(crate) struct LaunchMemory<'a> {
    channel: &'a Channel,
    offset: u64,
    bytes: u64,
}

impl LaunchMemory<'_> {
    /// GPU address.
    pub(crate) fn va(&self) -> u64 {
        self.channel.memory.va + self.offset
    }

    /// Writes bytes at an offset.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) {
        assert!(
            offset + bytes.len() as u64 <= self.bytes,
            "launch memory overflow"
        );
        let to: *mut u8 = self.channel.word(self.offset + offset);
        // SAFETY: the range was reserved for this launch, and the GPU is done with what used it before.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launch memory of the largest launch: QMD, driver constants and parameters.
    const LAUNCH_MAX: u64 = 512 + 0x210 + 32_768 + 256;

    #[test]
    fn launch_memory_is_never_used_twice_at_once() {
        let mut ring = Ring {
            put: 0,
            launches: VecDeque::new(),
            launch_head: at::LAUNCH,
        };
        let mut live: VecDeque<(u64, u64, u64)> = VecDeque::new();
        let (mut value, mut completed, mut seed) = (0, 0, 99_u64);
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bytes = (seed >> 33) % LAUNCH_MAX / 256 * 256 + 256;
            let Some(offset) = ring.reserve(bytes, completed) else {
                completed += 1 + (seed >> 20) % 8;
                completed = completed.min(value);
                live.retain(|(v, _, _)| *v > completed);
                continue;
            };
            assert!(offset >= at::LAUNCH && offset + bytes <= at::END);
            live.retain(|(v, _, _)| *v > completed);
            assert!(
                live.iter()
                    .all(|(_, o, l)| offset >= o + l || offset + bytes <= *o)
            );
            value += 1;
            ring.launches.push_back((value, offset));
            ring.launch_head = offset + bytes;
            live.push_back((value, offset, bytes));
        }
        assert!(value > 1000);
    }
}
