//! The blocks: where each is, and how it moves.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::super::event::{Event, Why};
use super::super::tools::counter;
use super::advice::{Advices, CPU, Side};
use super::place::{How, Place};
use super::record::{Cause, Record};
use super::uffd::Fault;
use crate::file::OpenFile;
use crate::memory::{Charge, Memory, PAGE};
use crate::status::{RmResult, Status};

/// What moves at once.
const BLOCK: u64 = 64 << 10;
/// The span in which density is looked at.
const REGION: u64 = 2 << 20;
/// Share of a part of a region, in percent, above which the rest of it comes too.
const DENSE: u64 = 51;
/// A block that came is not taken away again sooner: else nobody might get to use it.
const STAY: Duration = Duration::from_micros(50);
/// A block that leaves again so soon goes to and fro.
const LAPSE: Duration = Duration::from_micros(500);
/// How often until it is pinned for a while.
const BOUNCES: u8 = 3;
/// How often bytes are tried to be kept, a millisecond apart.
const PATIENCE: u32 = 500;
/// Xid of a context whose memory was lost: uncontained memory error.
const XID_MEMORY: u32 = 95;
/// For how long it is pinned.
const PIN: Duration = Duration::from_micros(400);
/// Where a block is.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) len: u64,
    /// Sides with its bytes.
    pub(super) copies: u64,
    pub(super) came: Instant,
    pub(super) bounces: u8,
    /// Its place in the order of use of each GPU that has it, and what it costs there.
    pub(super) held: Vec<(Side, u64, Option<Charge>)>,
}

/// A fault that has to wait.
#[derive(Debug)]
pub(super) struct Delayed {
    pub(super) due: Instant,
    pub(super) side: Side,
    pub(super) fault: Fault,
}

#[derive(Debug)]
pub(super) struct Inner {
    /// Blocks are at the CPU for good, and GPUs get to see them there as they touch them.
    pub(super) coherent: bool,
    pub(super) plain: bool,
    /// All bytes: offset = address.
    pub(super) memory: Arc<Memory>,
    pub(super) places: BTreeMap<Side, Place>,
    /// Managed ranges: base to length.
    pub(super) ranges: BTreeMap<u64, u64>,
    pub(super) blocks: BTreeMap<u64, Block>,
    pub(super) advices: Advices,
    pub(super) record: Record,
    pub(super) delayed: Vec<Delayed>,
    pub(super) buffer: Vec<u8>,
    pub(super) listeners: Vec<Weak<OpenFile>>,
    pub(super) tick: u64,
    /// Sides have come or gone since the thread looked.
    pub(super) changed: bool,
    pub(super) over: bool,
}

impl Inner {
    /// Tells the tools of an event.
    pub(super) fn tell(&self, event: &Event) {
        for file in self.listeners.iter().filter_map(Weak::upgrade) {
            if file.tools.as_ref().is_some_and(|tools| tools.event(event)) {
                file.ring();
            }
        }
    }

    pub(super) fn tally(&self, which: usize, by: u64) {
        for file in self.listeners.iter().filter_map(Weak::upgrade) {
            if let Some(tools) = &file.tools {
                tools.count(which, by);
            }
        }
    }

    /// A move, for the record and the tools.
    pub(super) fn moved(&mut self, start: u64, len: u64, from: Side, to: Side, cause: Cause) {
        self.record.moved(start, len, from, to, cause);
        if self.listeners.is_empty() {
            return;
        }
        let why = match cause {
            Cause::Prefetch | Cause::Advice => Why::User,
            Cause::Fault | Cause::Teardown => Why::Coherence,
            Cause::Density => Why::Prefetch,
            Cause::Eviction => Why::Eviction,
        };
        let time = now_ns();
        self.tell(&Event::Migration {
            why,
            from,
            to,
            address: start,
            bytes: len,
            time,
        });
        if cause == Cause::Eviction {
            self.tell(&Event::Eviction {
                from,
                to,
                address: start,
                bytes: len,
                time,
            });
        }
        let early = matches!(cause, Cause::Density | Cause::Prefetch);
        match (from, to) {
            (CPU, _) => {
                self.tally(counter::BYTES_HTD, len);
                if early {
                    self.tally(counter::PREFETCH_HTD, len);
                }
            }
            (_, CPU) => {
                self.tally(counter::BYTES_DTH, len);
                if early {
                    self.tally(counter::PREFETCH_DTH, len);
                }
            }
            _ => {}
        }
    }

    /// A fault, for the tools.
    pub(super) fn faulted(&self, side: Side, fault: Fault) {
        if self.listeners.is_empty() {
            return;
        }
        let (write, address, time) = (fault.write, fault.address, now_ns());
        if side == CPU {
            self.tally(counter::CPU_FAULTS, 1);
            self.tell(&Event::CpuFault {
                write,
                address,
                time,
            });
        } else {
            self.tally(counter::GPU_FAULTS, 1);
            self.tell(&Event::GpuFault {
                protected: fault.protected,
                write,
                gpu: side,
                address,
                time,
            });
        }
    }

    /// The managed range that holds an address.
    pub(super) fn range_of(&self, address: u64) -> Option<(u64, u64)> {
        self.ranges
            .range(..=address)
            .next_back()
            .map(|(base, len)| (*base, *len))
            .filter(|(base, len)| address - base < *len)
    }

    /// The block that holds an address: start and length.
    pub(super) fn block_of(&self, address: u64) -> Option<(u64, u64)> {
        let (base, len) = self.range_of(address)?;
        let start = (address / BLOCK * BLOCK).max(base);
        let end = ((address / BLOCK + 1) * BLOCK).min(base + len);
        Some((start, end - start))
    }

    /// The blocks that a span touches.
    pub(super) fn blocks_of(&self, base: u64, end: u64) -> Vec<(u64, u64)> {
        let mut list = Vec::new();
        let mut at = base;
        while at < end {
            match self.block_of(at) {
                Some((start, len)) => {
                    list.push((start, len));
                    at = start + len;
                }
                // Not managed: to the next range.
                None => match self.ranges.range(at..end).next() {
                    Some((next, _)) => at = *next,
                    None => break,
                },
            }
        }
        list
    }

    pub(super) fn copies(&self, start: u64) -> u64 {
        self.blocks.get(&start).map_or(0, |b| b.copies)
    }

    /// One fault.
    pub(super) fn fault(&mut self, side: Side, fault: Fault) {
        if !self.places.contains_key(&side) {
            // A GPU that went while its fault had to wait.
            return;
        }
        let Some((start, len)) = self.block_of(fault.address) else {
            // No longer managed: whoever waits finds out what is there now.
            if let Some(place) = self.places.get(&side) {
                place.wake(fault.address / PAGE * PAGE, PAGE);
            }
            return;
        };
        let copies = self.copies(start);
        let here = copies >> side & 1 != 0;
        let exclusive = copies & !(1 << side) == 0;
        if here && (exclusive || !fault.protected) {
            self.record.counters.replays += 1;
            self.again(start, len, side, fault);
            return;
        }
        if self.advices.at(fault.address).remote >> side & 1 != 0 {
            // It missed the page before another fault had the CPU's shown here: it has only to look again.
            self.record.counters.replays += 1;
            if let Some(place) = self.places.get(&side) {
                place.wake(start, len);
            }
            return;
        }
        if !here && copies != 0 && !self.may_leave(start, side, fault) {
            return;
        }
        if side == CPU {
            self.record.counters.cpu_faults += 1;
        } else {
            self.record.counters.gpu_faults += 1;
        }
        self.faulted(side, fault);
        if self.coherent {
            self.show(start, len, side);
            return;
        }
        let advice = self.advices.at(start);
        if side != CPU && advice.preferred == Some(CPU) && self.make_remote(start, side).is_ok() {
            return;
        }
        self.bring(
            start,
            len,
            side,
            fault.write || fault.protected,
            Cause::Fault,
        );
        if !self.plain && !advice.duplicate {
            self.bring_dense(start, side);
        }
    }

    /// The page that was missed is there, or has only to be made: whoever waits looks again.
    pub(super) fn again(&self, start: u64, len: u64, side: Side, fault: Fault) {
        let Some(place) = self.places.get(&side) else {
            return;
        };
        if fault.protected {
            place.protect(start, len, false);
        } else if place.put(fault.address / PAGE * PAGE, PAGE, How::Shared) != 0 {
            // The system took it away, or it was never mapped here: its neighbours too.
            place.put(start, len, How::Shared);
        }
        place.wake(start, len);
    }

    /// Whether a block that another side wants may leave now; if not, the fault waits.
    pub(super) fn may_leave(&mut self, start: u64, side: Side, fault: Fault) -> bool {
        let plain = self.plain;
        let now = Instant::now();
        let Some(block) = self.blocks.get_mut(&start) else {
            return true;
        };
        let age = now.duration_since(block.came);
        let mut stay = STAY;
        if !plain {
            if age >= LAPSE {
                block.bounces = 0;
            }
            if block.bounces >= BOUNCES {
                stay = PIN;
            }
        }
        if age >= stay {
            block.bounces = block.bounces.saturating_add(1);
            return true;
        }
        let due = block.came + stay;
        if !self
            .delayed
            .iter()
            .any(|d| d.side == side && d.fault == fault)
        {
            if stay == PIN {
                self.record.counters.throttled += 1;
                self.tell(&Event::Thrashing {
                    sides: self.copies(start) | 1 << side,
                    address: start,
                    bytes: BLOCK,
                    time: now_ns(),
                });
            }
            self.delayed.push(Delayed { due, side, fault });
        }
        false
    }

    pub(super) fn serve_delayed(&mut self) {
        let now = Instant::now();
        let (due, later): (Vec<_>, Vec<_>) = self.delayed.drain(..).partition(|d| d.due <= now);
        self.delayed = later;
        for delayed in due {
            self.fault(delayed.side, delayed.fault);
        }
    }

    /// Where most of a part of the region is, the rest comes too.
    pub(super) fn bring_dense(&mut self, start: u64, side: Side) {
        let Some((base, len)) = self.range_of(start) else {
            return;
        };
        let mut wanted = None;
        let mut size = 2 * BLOCK;
        while size <= REGION {
            let low = start / size * size;
            let (low, high) = (low.max(base), (low + size).min(base + len));
            let there = self
                .blocks
                .range(low..high)
                .filter(|(_, b)| b.copies >> side & 1 != 0)
                .map(|(_, b)| b.len)
                .sum::<u64>();
            if there * 100 > (high - low) * DENSE {
                wanted = Some((low, high));
            }
            size *= 2;
        }
        let Some((low, high)) = wanted else {
            return;
        };
        for (start, len) in self.blocks_of(low, high) {
            let copies = self.copies(start);
            // What was never touched costs nothing where it will be touched.
            if copies != 0 && copies >> side & 1 == 0 {
                self.bring(start, len, side, false, Cause::Density);
            }
        }
    }

    /// Brings a block to a side.
    pub(super) fn bring(&mut self, start: u64, len: u64, side: Side, write: bool, cause: Cause) {
        let copies = self.copies(start);
        let advice = self.advices.at(start);
        let bit = 1_u64 << side;
        if copies & bit != 0 {
            if write && copies != bit {
                self.keep_only(start, side);
            }
            return;
        }
        if copies & 1 != 0 && advice.remote != 0 {
            // Others see the CPU's pages, which are about to go.
            for gpu in 1..64 {
                if advice.remote >> gpu & 1 != 0 {
                    let _ = self.end_remote(start, start + len, gpu);
                }
            }
        }
        match cause {
            Cause::Density => self.record.counters.density += 1,
            Cause::Prefetch => self.record.counters.prefetched += 1,
            Cause::Fault | Cause::Eviction | Cause::Advice | Cause::Teardown => {}
        }
        let charge = self.room(side, start, len);
        if copies == 0 {
            if let Some(place) = self.places.get(&side) {
                place.put(start, len, How::Fresh);
            }
            self.note(start, len, side, charge);
            return;
        }
        // From the CPU if it is there: the others may be the fewer.
        let from = copies.trailing_zeros() as Side;
        let duplicate = advice.duplicate && !write && cause != Cause::Eviction;
        if duplicate {
            self.record.counters.duplicated += 1;
            self.tell(&Event::ReadDuplicate {
                sides: copies | bit,
                address: start,
                bytes: len,
                time: now_ns(),
            });
            for (other, place) in &self.places {
                if copies >> other & 1 != 0 {
                    place.protect(start, len, true);
                }
            }
        } else {
            self.take_away(start, len, copies);
        }
        self.moved(start, len, from, side, cause);
        if let Some(place) = self.places.get(&side) {
            let how = if duplicate {
                How::Protected
            } else {
                How::Shared
            };
            place.put(start, len, how);
        }
        if duplicate {
            if let Some(block) = self.blocks.get_mut(&start) {
                block.copies |= bit;
            }
            self.hold(start, side, charge);
        } else {
            self.note(start, len, side, charge);
        }
    }

    /// Takes the pages of a block away from the sides in `copies`.
    pub(super) fn take_away(&mut self, start: u64, len: u64, copies: u64) {
        let mut kept = false;
        for (side, place) in &mut self.places {
            kept |= copies >> *side & 1 != 0 && !place.zap(start, len);
        }
        if kept {
            self.shake_off(start, len);
        }
        self.forget_at(start, copies);
    }

    /// Takes the pages of a block away from all sides without their help: they leave the file, and come back.
    pub(super) fn shake_off(&mut self, start: u64, len: u64) {
        let size = usize::try_from(len).unwrap_or(0);
        self.buffer.resize(size, 0);
        // Who sees the CPU's pages unwatched is watched meanwhile.
        let unwatched = self.advices.at(start).remote;
        for (side, place) in &self.places {
            if unwatched >> side & 1 != 0 && place.register(start, len).is_err() {
                // Nothing is mapped there.
                continue;
            }
            place.protect(start, len, true);
        }
        if self.memory.read(start, &mut self.buffer) {
            self.memory.punch(start, len);
            // No memory now: the bytes are kept all the same.
            let kept = (0..PATIENCE).any(|look| {
                if look != 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                self.memory.write(start, &self.buffer)
            });
            if !kept {
                self.lost();
            }
        }
        for (side, place) in &self.places {
            place.protect(start, len, false);
            if unwatched >> side & 1 != 0 {
                place.unregister(start, len);
            }
        }
    }

    /// The sides in `copies` have a block no longer.
    pub(super) fn forget_at(&mut self, start: u64, copies: u64) {
        if let Some(block) = self.blocks.get_mut(&start) {
            block.copies &= !copies;
            for (side, tick, _) in block.held.extract_if(.., |h| copies >> h.0 & 1 != 0) {
                if let Some(place) = self.places.get_mut(&side) {
                    place.order.remove(&tick);
                }
            }
        }
    }

    /// Coherent memory: a GPU gets to see a block, and, unless only what is touched shall count, all of the region
    /// that has been touched by anyone.
    pub(super) fn show(&mut self, start: u64, len: u64, side: Side) {
        self.show_block(start, len, side);
        let Some((base, whole)) = self.range_of(start).filter(|_| !self.plain) else {
            return;
        };
        let low = (start / REGION * REGION).max(base);
        let high = (start / REGION * REGION + REGION).min(base + whole);
        for (start, len) in self.blocks_of(low, high) {
            if self.copies(start) >> side & 1 == 0 && self.memory.has_bytes(start, len) {
                self.record.counters.density += 1;
                self.show_block(start, len, side);
            }
        }
    }

    /// One block of [`Inner::show`].
    pub(super) fn show_block(&mut self, start: u64, len: u64, side: Side) {
        if let Some(place) = self.places.get(&side) {
            place.put(start, len, How::Shared);
        }
        let copies = self.copies(start) | 1 << CPU | 1 << side;
        self.note(start, len, CPU, None);
        if let Some(block) = self.blocks.get_mut(&start) {
            block.copies = copies;
        }
    }

    /// Bytes are lost, because the system has no memory left: whoever computes with them must hear of it.
    fn lost(&self) {
        for place in self.places.values() {
            if let Some((_, space)) = &place.gpu {
                // Its work may be over already.
                let _ = space.kill(XID_MEMORY);
            }
        }
    }

    /// Remembers that a block is at one side only.
    pub(super) fn note(&mut self, start: u64, len: u64, side: Side, charge: Option<Charge>) {
        let came = Instant::now();
        let block = self.blocks.entry(start).or_insert_with(|| Block {
            len,
            copies: 0,
            came,
            bounces: 0,
            held: Vec::new(),
        });
        block.copies = 1 << side;
        block.came = came;
        self.hold(start, side, charge);
    }

    pub(super) fn hold(&mut self, start: u64, side: Side, charge: Option<Charge>) {
        if side == CPU {
            return;
        }
        self.tick += 1;
        let tick = self.tick;
        if let Some(place) = self.places.get_mut(&side) {
            place.order.insert(tick, start);
        }
        if let Some(block) = self.blocks.get_mut(&start) {
            block.held.push((side, tick, charge));
        }
    }

    /// Drops all copies but one side's, which may store again.
    pub(super) fn keep_only(&mut self, start: u64, side: Side) {
        let Some(block) = self.blocks.get(&start) else {
            return;
        };
        let (len, others) = (block.len, block.copies & !(1 << side));
        self.record.counters.invalidated += u64::from(others.count_ones());
        if others != 0 {
            self.tell(&Event::ReadDuplicateInvalidate {
                resident: side,
                address: start,
                bytes: len,
                time: now_ns(),
            });
        }
        self.take_away(start, len, others);
        for (other, place) in &self.places {
            if others >> other & 1 != 0 || *other == side {
                place.protect(start, len, false);
            }
        }
        if let Some(block) = self.blocks.get_mut(&start) {
            block.came = Instant::now();
        }
    }

    /// One copy of each block of a span that has several.
    pub(super) fn collapse(&mut self, base: u64, end: u64) {
        for (start, _) in self.blocks_of(base, end) {
            let copies = self.copies(start);
            if copies.count_ones() > 1 {
                self.keep_only(start, copies.trailing_zeros() as Side);
            }
        }
    }

    /// A block leaves a GPU, to the CPU if it is nowhere else.
    pub(super) fn leave(&mut self, start: u64, side: Side, cause: Cause) {
        let Some(block) = self.blocks.get(&start) else {
            return;
        };
        let (len, copies, bit) = (block.len, block.copies, 1_u64 << side);
        if copies & bit == 0 {
            return;
        }
        // Who goes keeps its pages until they are unmapped.
        let going = cause == Cause::Teardown;
        if copies != bit {
            if going {
                self.forget_at(start, bit);
            } else {
                self.take_away(start, len, bit);
            }
            let rest = copies & !bit;
            if rest.is_power_of_two() {
                self.keep_only(start, rest.trailing_zeros() as Side);
            }
            return;
        }
        if going {
            self.forget_at(start, bit);
        } else {
            self.take_away(start, len, bit);
        }
        self.moved(start, len, side, CPU, cause);
        if let Some(place) = self.places.get(&CPU) {
            // So that the kernel's own accesses find it.
            place.put(start, len, How::Shared);
        }
        if let Some(place) = self.places.get(&side) {
            place.protect(start, len, false);
        }
        self.note(start, len, CPU, None);
    }

    /// Evicts the block that came to a GPU longest ago. Returns its bytes.
    pub(super) fn evict_one(&mut self, side: Side, keep: Option<u64>) -> Option<u64> {
        let place = self.places.get(&side)?;
        let start = place
            .order
            .values()
            .copied()
            .find(|start| Some(*start) != keep)?;
        let len = self.blocks.get(&start)?.len;
        self.leave(start, side, Cause::Eviction);
        Some(len)
    }

    /// Room in a GPU's framebuffer for a block; others leave if need be. Where all is taken by others, the block goes
    /// there uncharged.
    pub(super) fn room(&mut self, side: Side, start: u64, len: u64) -> Option<Charge> {
        let (gpu, _) = self.places.get(&side)?.gpu.clone()?;
        loop {
            match Charge::take(&gpu.framebuffer, len) {
                Ok(charge) => return Some(charge),
                Err(_) => {
                    self.evict_one(side, Some(start))?;
                }
            }
        }
    }

    /// Forgets a block that goes with its range.
    pub(super) fn drop_block(&mut self, start: u64) {
        let Some(block) = self.blocks.remove(&start) else {
            return;
        };
        for (side, tick, _) in &block.held {
            if let Some(place) = self.places.get_mut(side) {
                place.order.remove(tick);
            }
        }
    }

    /// A GPU shall see the CPU's pages around `address`, as far as the advice is the same.
    pub(super) fn make_remote(&mut self, address: u64, side: Side) -> RmResult {
        let (base, len) = self.range_of(address).ok_or(Status::INVALID_ADDRESS)?;
        let part = self
            .advices
            .parts(base, base + len)
            .into_iter()
            .find(|(start, end, _)| (*start..*end).contains(&address));
        let (start, end, _) = part.ok_or(Status::INVALID_ADDRESS)?;
        self.begin_remote(start, end, side)
    }

    pub(super) fn begin_remote(&mut self, start: u64, end: u64, side: Side) -> RmResult {
        if self.advices.at(start).remote >> side & 1 != 0 {
            return Ok(());
        }
        for (start, len) in self.blocks_of(start, end) {
            match self.copies(start) {
                // The GPU may be the first to touch it, unseen.
                0 => self.note(start, len, CPU, None),
                copies if copies & 1 == 0 => self.bring(start, len, CPU, true, Cause::Advice),
                _ => self.keep_only(start, CPU),
            }
        }
        let Some(place) = self.places.get(&side) else {
            return Err(Status::INVALID_DEVICE);
        };
        place.unregister(start, end - start);
        self.record.counters.remote += 1;
        self.tell(&Event::MapRemote {
            from: side,
            to: CPU,
            address: start,
            bytes: end - start,
            time: now_ns(),
        });
        self.advices.change(start, end, |a| a.remote |= 1 << side);
        Ok(())
    }

    /// A GPU shall miss what is not there again.
    pub(super) fn end_remote(&mut self, base: u64, end: u64, side: Side) -> RmResult {
        for (start, stop, advice) in self.advices.parts(base, end) {
            if advice.remote >> side & 1 == 0 {
                continue;
            }
            let Some(place) = self.places.get_mut(&side) else {
                continue;
            };
            place
                .register(start, stop - start)
                .map_err(|_| Status::OPERATING_SYSTEM)?;
            if !place.zap(start, stop - start) {
                for (start, len) in self.blocks_of(start, stop) {
                    self.shake_off(start, len);
                }
            }
            self.advices
                .change(start, stop, |a| a.remote &= !(1 << side));
        }
        Ok(())
    }

    /// After advice: who is said to access memory that lives at the CPU, or has no place of its own, sees it there.
    pub(super) fn settle_remote(&mut self, base: u64, end: u64) -> RmResult {
        let sides: Vec<Side> = self.places.keys().copied().filter(|s| *s != CPU).collect();
        for (start, stop, advice) in self.advices.parts(base, end) {
            for side in &sides {
                let at_home = advice.preferred.is_none_or(|p| p == CPU);
                let wanted = advice.accessed_by >> side & 1 != 0 && at_home && !advice.duplicate;
                let stays = advice.preferred == Some(CPU);
                let is = advice.remote >> side & 1 != 0;
                if wanted && !is {
                    self.begin_remote(start, stop, *side)?;
                } else if is && !wanted && !stays {
                    self.end_remote(start, stop, *side)?;
                }
            }
        }
        Ok(())
    }
}

/// The tools' time.
pub(super) fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::MonotonicRaw);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    seconds * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}
