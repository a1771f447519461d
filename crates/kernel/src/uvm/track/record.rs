//! What tracked memory did: counters, a history of moves, and the report of both.

use std::collections::VecDeque;
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Moves that are remembered.
const HISTORY: usize = 1 << 14;

/// Why something moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It was touched.
    Fault,
    /// Most of its neighbours were there.
    Density,
    /// The program asked for it (cudaMemPrefetchAsync).
    Prefetch,
    /// The framebuffer was full.
    Eviction,
    /// Advice demanded it.
    Advice,
    /// A GPU went.
    Teardown,
}

/// Counters. Bytes and blocks that moved; a block is 64 KiB (less at the ends of a range).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// First touches and other faults of the CPU that something was done for.
    pub cpu_faults: u64,
    /// The same of GPUs.
    pub gpu_faults: u64,
    /// Faults at pages that had come meanwhile.
    pub replays: u64,
    /// Blocks that moved from host to a device.
    pub host_to_device: u64,
    /// Their bytes.
    pub host_to_device_bytes: u64,
    /// Blocks that moved from a device to host.
    pub device_to_host: u64,
    /// Their bytes.
    pub device_to_host_bytes: u64,
    /// Blocks that moved between devices.
    pub device_to_device: u64,
    /// Their bytes.
    pub device_to_device_bytes: u64,
    /// Blocks that came because most of their neighbours were there.
    pub density: u64,
    /// Blocks that the program asked for.
    pub prefetched: u64,
    /// Blocks that had to leave a full framebuffer.
    pub evicted: u64,
    /// Copies made for readers.
    pub duplicated: u64,
    /// Copies dropped because of a store.
    pub invalidated: u64,
    /// Faults that were made to wait because a block went to and fro.
    pub throttled: u64,
    /// Spans that a GPU was given to see at the CPU.
    pub remote: u64,
    /// Time spent on faults, ns.
    pub busy_ns: u64,
}

/// One move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Microseconds since tracking began.
    pub us: u64,
    /// Address.
    pub va: u64,
    /// Bytes.
    pub bytes: u64,
    /// From which processor: 0 CPU, n + 1 GPU n.
    pub from: usize,
    /// To which.
    pub to: usize,
    /// Why.
    pub cause: Cause,
}

/// Where the pages of a range are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeReport {
    /// Address.
    pub base: u64,
    /// Bytes.
    pub len: u64,
    /// Bytes on each processor (0 CPU, n + 1 GPU n); copies count on each.
    pub resident: Vec<u64>,
}

/// Report of one UVM file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Program.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Whether it still runs.
    pub live: bool,
    /// Whether residency is tracked (else coherent).
    pub tracked: bool,
    /// Whether only touched blocks move (`ANTLERITE_UVM_POLICY=plain`).
    pub plain: bool,
    /// Managed bytes.
    pub managed: u64,
    /// Counters.
    pub counters: Counters,
    /// Ranges.
    pub ranges: Vec<RangeReport>,
    /// Latest moves, oldest first.
    pub history: Vec<Move>,
}

/// Counters with the history.
#[derive(Debug)]
pub(super) struct Record {
    start: Instant,
    /// Counters.
    pub counters: Counters,
    history: VecDeque<Move>,
}

impl Record {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            counters: Counters::default(),
            history: VecDeque::new(),
        }
    }

    /// Counts a move and remembers it.
    pub(super) fn moved(&mut self, va: u64, bytes: u64, from: usize, to: usize, cause: Cause) {
        let c = &mut self.counters;
        let (blocks, sum) = match (from, to) {
            (0, _) => (&mut c.host_to_device, &mut c.host_to_device_bytes),
            (_, 0) => (&mut c.device_to_host, &mut c.device_to_host_bytes),
            (_, _) => (&mut c.device_to_device, &mut c.device_to_device_bytes),
        };
        *blocks += 1;
        *sum += bytes;
        match cause {
            Cause::Eviction => c.evicted += 1,
            Cause::Fault | Cause::Density | Cause::Prefetch | Cause::Advice | Cause::Teardown => {}
        }
        let us = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        if let Some(last) = self.history.back_mut()
            && last.va + last.bytes == va
            && (last.from, last.to, last.cause) == (from, to, cause)
            && us.saturating_sub(last.us) < 1000
            && last.bytes < 2 << 20
        {
            last.bytes += bytes;
            return;
        }
        if self.history.len() >= HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(Move {
            us,
            va,
            bytes,
            from,
            to,
            cause,
        });
    }

    pub(super) fn history(&self) -> Vec<Move> {
        self.history.iter().copied().collect()
    }
}
