//! Who watches calls: lines for `antlerite strace` and `antlerite trace`, written where the watcher's standard error is.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::OFlags;

/// Watchers at once.
const WATCHERS: usize = 16;
/// Generations that are looked up.
const GENERATIONS: usize = 64;

#[derive(Debug)]
struct Watcher {
    root: u32,
    prefix: String,
    out: File,
    /// Processes that were looked at: whether they descend from `root`.
    known: HashMap<u32, bool>,
}

/// The watchers.
#[derive(Debug, Default)]
pub struct Tracer {
    any: AtomicBool,
    watchers: Mutex<Vec<Watcher>>,
}

/// Parent of a process.
fn parent(pid: u32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // "pid (name) state ppid": the name may hold anything.
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn descends(pid: u32, root: u32) -> bool {
    let mut at = pid;
    for _ in 0..GENERATIONS {
        if at == root {
            return true;
        }
        match parent(at) {
            Some(next) if next > 1 || root == 1 => at = next,
            _ => return false,
        }
    }
    false
}

impl Tracer {
    /// Watches the descendants of a process; lines go to its standard error.
    ///
    /// # Errors
    /// When that cannot be opened, or too many watch already.
    pub fn watch(&self, root: u32, prefix: &str) -> std::io::Result<()> {
        use std::os::unix::fs::OpenOptionsExt;
        // A terminal must not become ours; a pipe without a reader must not hold us.
        let flags = OFlags::NOCTTY | OFlags::NONBLOCK;
        let out = OpenOptions::new()
            .append(true)
            .custom_flags(flags.bits().cast_signed())
            .open(format!("/proc/{root}/fd/2"))?;
        rustix::fs::fcntl_setfl(&out, OFlags::APPEND)?;
        let mut watchers = self.lock();
        watchers.retain(|w| std::path::Path::new(&format!("/proc/{}", w.root)).exists());
        if watchers.len() >= WATCHERS {
            return Err(std::io::Error::from(std::io::ErrorKind::ResourceBusy));
        }
        watchers.push(Watcher {
            root,
            prefix: prefix.to_owned(),
            out,
            known: HashMap::new(),
        });
        self.any.store(true, Ordering::Release);
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Watcher>> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anyone watches.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Says a line about a process, with the time that what it tells took.
    pub fn say(&self, pid: u32, line: &str, took: Option<Duration>) {
        let mut watchers = self.lock();
        watchers.retain_mut(|watcher| {
            let root = watcher.root;
            let ours = *watcher
                .known
                .entry(pid)
                .or_insert_with(|| descends(pid, root));
            if !ours {
                return true;
            }
            let time = took.map_or_else(String::new, |t| {
                format!(" <{:.1} us>", t.as_secs_f64() * 1e6)
            });
            let text = format!("{}[pid {pid}] {line}{time}\n", watcher.prefix);
            watcher.out.write_all(text.as_bytes()).is_ok()
        });
        self.any.store(!watchers.is_empty(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descent_is_found() {
        let own = std::process::id();
        assert!(descends(own, own));
        assert!(parent(own).is_some_and(|p| descends(own, p)));
        assert!(!descends(own, u32::MAX));
        assert!(!descends(u32::MAX, own));
    }
}
