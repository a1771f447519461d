//! Per-process accounting of a GPU, as NVML keeps it: off until it is turned on, then one record for each process that
//! makes a context there, kept after its end.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Records kept; the oldest that ended goes first.
pub const RECORDS: usize = 4000;

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Process.
    pub pid: u32,
    /// Start of its first context, microseconds since 1970.
    pub start_us: u64,
    /// How long it had contexts; of one that runs, until now.
    pub time: Duration,
    /// Contexts now.
    pub contexts: u32,
    /// Time its kernels took, ns.
    pub busy_ns: u64,
    /// Most video memory at once, bytes.
    pub peak: u64,
}

/// Records of a GPU.
#[derive(Debug, Default)]
pub struct Accounting {
    on: bool,
    records: VecDeque<Record>,
}

fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_micros()).unwrap_or(u64::MAX)
}

impl Accounting {
    /// Whether it is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Turns it on or off; off forgets everything.
    pub fn set(&mut self, on: bool) {
        self.on = on;
        if !on {
            self.records.clear();
        }
    }

    /// Forgets who has ended.
    pub fn clear(&mut self) {
        self.records.retain(|r| r.contexts > 0);
    }

    /// A process has one more context.
    pub fn begin(&mut self, pid: u32) {
        if !self.on {
            return;
        }
        if let Some(record) = self.record(pid).filter(|r| r.contexts > 0) {
            record.contexts += 1;
            return;
        }
        // A number that is used again is another process.
        self.records.retain(|r| r.pid != pid);
        if self.records.len() >= RECORDS {
            let oldest = self.records.iter().position(|r| r.contexts == 0);
            self.records.remove(oldest.unwrap_or(0));
        }
        self.records.push_back(Record {
            pid,
            start_us: now_us(),
            time: Duration::ZERO,
            contexts: 1,
            busy_ns: 0,
            peak: 0,
        });
    }

    /// A context of a process has ended, whose kernels took that long.
    pub fn end(&mut self, pid: u32, busy_ns: u64) {
        if let Some(record) = self.record(pid) {
            record.contexts = record.contexts.saturating_sub(1);
            record.busy_ns = record.busy_ns.saturating_add(busy_ns);
            record.time = Duration::from_micros(now_us().saturating_sub(record.start_us));
        }
    }

    /// A process has that much video memory now.
    pub fn holds(&mut self, pid: u32, bytes: u64) {
        if let Some(record) = self.record(pid) {
            record.peak = record.peak.max(bytes);
        }
    }

    fn record(&mut self, pid: u32) -> Option<&mut Record> {
        self.records.iter_mut().find(|r| r.pid == pid)
    }

    /// Processes, oldest first.
    #[must_use]
    pub fn pids(&self) -> Vec<u32> {
        self.records.iter().map(|r| r.pid).collect()
    }

    /// The record of a process, as of now.
    #[must_use]
    pub fn of(&self, pid: u32) -> Option<Record> {
        let mut record = self.records.iter().find(|r| r.pid == pid)?.clone();
        if record.contexts > 0 {
            record.time = Duration::from_micros(now_us().saturating_sub(record.start_us));
        }
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_outlive_their_processes() {
        let mut accounting = Accounting::default();
        accounting.begin(1);
        assert!(accounting.pids().is_empty(), "off");
        accounting.set(true);
        accounting.begin(1);
        accounting.begin(1);
        accounting.holds(1, 5);
        accounting.holds(1, 3);
        accounting.end(1, 10);
        assert_eq!(accounting.of(1).map(|r| (r.contexts, r.peak)), Some((1, 5)));
        accounting.end(1, 10);
        accounting.begin(2);
        let ended = accounting.of(1).expect("kept");
        assert_eq!((ended.contexts, ended.busy_ns), (0, 20));
        accounting.clear();
        assert_eq!(accounting.pids(), [2]);
        for pid in 10..10 + u32::try_from(RECORDS).expect("few") {
            accounting.begin(pid);
            accounting.end(pid, 0);
        }
        assert!(accounting.pids().len() <= RECORDS && accounting.of(2).is_some());
        accounting.set(false);
        assert!(accounting.of(2).is_none());
    }
}
