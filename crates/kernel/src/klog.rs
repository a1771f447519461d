//! The kernel log: a ring of lines as `dmesg` shows them, copied to a file in the instance directory.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Lines kept.
const LINES: usize = 4096;
/// Longest line, bytes.
const LINE: usize = 1024;
/// Largest log file, bytes; then it starts afresh.
const FILE_LIMIT: u64 = 1 << 20;

/// Log levels, as the kernel numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// `KERN_ERR`.
    Error = 3,
    /// `KERN_WARNING`.
    Warning = 4,
    /// `KERN_NOTICE`.
    Notice = 5,
    /// `KERN_INFO`.
    Info = 6,
}

#[derive(Default)]
struct Ring {
    lines: VecDeque<String>,
    /// How many of the lines were cleared away.
    cleared: usize,
    once: HashMap<String, u64>,
    file: Option<File>,
    written: u64,
}

/// The log.
pub struct Klog {
    ring: Mutex<Ring>,
}

impl std::fmt::Debug for Klog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Klog")
    }
}

/// Kinds of once-only notices that are remembered at most.
const ONCE: usize = 4096;

impl Klog {
    /// An empty log, also written to `file` if given.
    #[must_use]
    pub fn new(file: Option<&Path>) -> Self {
        let file = file.and_then(|path| {
            std::fs::OpenOptions::new()
                .create(true)
                .write(true)
                .truncate(true)
                .open(path)
                .ok()
        });
        Self {
            ring: Mutex::new(Ring {
                file,
                ..Ring::default()
            }),
        }
    }

    fn ring(&self) -> std::sync::MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line. Control characters that a client smuggled in become `?`.
    pub fn line(&self, level: Level, text: &str) {
        let mut clean: String = text
            .chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect();
        if clean.len() > LINE {
            let cut = (0..=LINE)
                .rev()
                .find(|i| clean.is_char_boundary(*i))
                .unwrap_or(0);
            clean.truncate(cut);
        }
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let line = format!(
            "<{}>[{:5}.{:06}] {clean}",
            level as u8,
            now.tv_sec,
            now.tv_nsec / 1000
        );
        let mut ring = self.ring();
        if ring.written > FILE_LIMIT {
            if let Some(file) = &ring.file {
                let _ = file.set_len(0);
                let _ = std::io::Seek::rewind(&mut &*file);
            }
            ring.written = 0;
        }
        let mut written = 0;
        if let Some(file) = &mut ring.file
            && file.write_all(format!("{line}\n").as_bytes()).is_ok()
        {
            written = line.len() as u64 + 1;
        }
        ring.written += written;
        if ring.lines.len() >= LINES {
            ring.lines.pop_front();
            ring.cleared = ring.cleared.saturating_sub(1);
        }
        ring.lines.push_back(line);
    }

    /// What there is now is not shown any more to who asks for what was not cleared.
    pub fn clear(&self) {
        let mut ring = self.ring();
        ring.cleared = ring.lines.len();
    }

    /// The lines that were not cleared, oldest first.
    #[must_use]
    pub fn lines_since_clear(&self) -> Vec<String> {
        let ring = self.ring();
        ring.lines.iter().skip(ring.cleared).cloned().collect()
    }

    /// Adds a line the first time that `key` is met; counts it each time. Returns the count.
    pub fn once(&self, level: Level, key: &str, text: &str) -> u64 {
        let count = {
            let mut ring = self.ring();
            if ring.once.len() >= ONCE && !ring.once.contains_key(key) {
                return 0;
            }
            let count = ring.once.entry(key.to_owned()).or_default();
            *count += 1;
            *count
        };
        if count == 1 {
            self.line(level, text);
        }
        count
    }

    /// The counted notices, by key.
    #[must_use]
    pub fn counts(&self) -> Vec<(String, u64)> {
        let mut counts: Vec<_> = self
            .ring()
            .once
            .iter()
            .map(|(k, v)| (k.clone(), *v))
            .collect();
        counts.sort();
        counts
    }

    /// The lines, oldest first.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.ring().lines.iter().cloned().collect()
    }
}

/// The machine's log and ours (lines with level and time since boot), in order of time, as one text.
#[must_use]
pub fn merge(machine: &str, ours: &[String]) -> String {
    let time = |line: &str| -> Option<f64> {
        let (_, rest) = line.split_once('[')?;
        rest.split_once(']')?.0.trim().parse().ok()
    };
    let mut out = String::with_capacity(machine.len());
    let mut ours = ours.iter().peekable();
    for line in machine.lines() {
        if let Some(at) = time(line) {
            while let Some(own) = ours.next_if(|own| time(own).is_some_and(|t| t < at)) {
                out += own;
                out.push('\n');
            }
        }
        out += line;
        out.push('\n');
    }
    for own in ours {
        out += own;
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_merged_by_time() {
        let ours = [
            "<6>[    1.500000] b".to_owned(),
            "<6>[    3.000000] d".into(),
        ];
        let text = merge("<6>[    1.000000] a\n<6>[    2.000000] c\n", &ours);
        let order: String = text.lines().filter_map(|l| l.chars().last()).collect();
        assert_eq!(order, "abcd");
    }

    #[test]
    fn a_cleared_log_shows_what_comes_after() {
        let log = Klog::new(None);
        log.line(Level::Info, "old");
        log.clear();
        log.line(Level::Info, "new");
        assert_eq!(log.lines().len(), 2);
        assert!(log.lines_since_clear()[0].ends_with("new"));
    }

    #[test]
    fn lines_are_clean_and_bounded() {
        let log = Klog::new(None);
        log.line(Level::Error, "a\nb\u{7}");
        log.line(Level::Info, &"é".repeat(2000));
        let lines = log.lines();
        assert!(lines[0].starts_with("<3>[") && lines[0].ends_with("a?b?"));
        assert!(lines[1].len() < LINE + 40);
        for _ in 0..LINES + 10 {
            log.line(Level::Info, "x");
        }
        assert_eq!(log.lines().len(), LINES);
        assert_eq!(log.once(Level::Info, "k", "hello"), 1);
        assert_eq!(log.once(Level::Info, "k", "hello"), 2);
        assert_eq!(
            log.lines().iter().filter(|l| l.ends_with("hello")).count(),
            1
        );
    }
}
