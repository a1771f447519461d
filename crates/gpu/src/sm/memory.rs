//! Shared-memory windows and local memory of resident CTAs.

use crate::shared_map::{errno, map_anonymous};
use crate::window::{LOCAL, PAGE, SHARED, pages};
use abi::link::LinkError;
use abi::sm::SHARED_STRIDE;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// From one window to the next: an access that starts at the last byte of one does not reach the next.
const STRIDE: u64 = SHARED_STRIDE;
/// Windows that fit; number 0 stays empty and serves CTAs without shared memory.
pub const WINDOWS: u64 = (SHARED.end - SHARED.start) / STRIDE;
/// Gap after each block of local memory.
const LOCAL_GUARD: u64 = 1 << 20;

/// A CTA's shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    index: u64,
    mapped: u64,
}

impl Window {
    /// The window in which nothing is mapped.
    pub const EMPTY: Window = Window {
        index: 0,
        mapped: 0,
    };

    /// Address of byte 0.
    #[must_use]
    pub fn base(&self) -> u64 {
        SHARED.start + self.index * STRIDE
    }
}

/// Windows of a cluster's CTAs, side by side.
#[derive(Debug, PartialEq, Eq)]
pub struct WindowRun {
    first: u64,
    mapped: Vec<u64>,
}

impl WindowRun {
    /// The window of the CTA of that rank.
    #[must_use]
    pub fn window(&self, rank: usize) -> Window {
        Window {
            index: self.first + rank as u64,
            mapped: self.mapped.get(rank).copied().unwrap_or(0),
        }
    }
}

/// Whether `address` lies in a shared window (mapped or not).
#[must_use]
pub fn is_shared(address: u64) -> bool {
    SHARED.contains(&address)
}

/// All windows.
#[derive(Debug)]
pub struct Windows {
    free: Mutex<Vec<Window>>,
    runs: Mutex<Vec<WindowRun>>,
    next: AtomicU64,
}

impl Default for Windows {
    fn default() -> Windows {
        Windows {
            free: Mutex::new(Vec::new()),
            runs: Mutex::new(Vec::new()),
            next: AtomicU64::new(1),
        }
    }
}

impl Windows {
    /// Takes a window with exactly the pages of `bytes` mapped.
    ///
    /// # Errors
    /// [`LinkError::Limit`] when all are in use, or what mmap says.
    pub fn take(&self, bytes: u64) -> Result<Window, LinkError> {
        let want = pages(bytes);
        if want == 0 {
            return Ok(Window::EMPTY);
        }
        let found = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            match free.iter().rposition(|w| w.mapped == want) {
                Some(i) => return Ok(free.swap_remove(i)),
                // Few spare ones: make new ones first, so that kernels of different sizes keep theirs.
                None if free.len() > 64 => free.pop(),
                None => None,
            }
        };
        let mut window = match found {
            Some(w) => w,
            None => {
                let index = self.next.fetch_add(1, Ordering::Relaxed);
                if index < WINDOWS {
                    Window { index, mapped: 0 }
                } else {
                    self.next.fetch_sub(1, Ordering::Relaxed);
                    self.free
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .pop()
                        .ok_or(LinkError::Limit)?
                }
            }
        };
        Self::fit(&mut window, want)?;
        Ok(window)
    }

    /// Takes windows side by side for the `count` CTAs of a cluster, each with the pages of `bytes` mapped.
    ///
    /// # Errors
    /// As [`Windows::take`].
    pub fn take_run(&self, count: usize, bytes: u64) -> Result<WindowRun, LinkError> {
        // Few sizes, so that a run that was given back serves again.
        let size = count.next_power_of_two();
        let found = {
            let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = runs.iter().position(|run| run.mapped.len() == size);
            fits.map(|i| runs.swap_remove(i))
        };
        let mut run = match found {
            Some(run) => run,
            None => {
                let first = self.next.fetch_add(size as u64, Ordering::Relaxed);
                if first + size as u64 > WINDOWS {
                    self.next.fetch_sub(size as u64, Ordering::Relaxed);
                    return Err(LinkError::Limit);
                }
                WindowRun {
                    first,
                    mapped: vec![0; size],
                }
            }
        };
        for rank in 0..count {
            let mut window = run.window(rank);
            let fitted = Self::fit(&mut window, pages(bytes.max(1)));
            run.mapped[rank] = window.mapped;
            if let Err(e) = fitted {
                self.put_run(run);
                return Err(e);
            }
        }
        Ok(run)
    }

    /// Gives windows side by side back.
    pub fn put_run(&self, run: WindowRun) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push(run);
    }

    /// Maps exactly `want` bytes.
    fn fit(window: &mut Window, want: u64) -> Result<(), LinkError> {
        if window.mapped > want {
            // SAFETY: unmaps a part of a window of ours that no CTA uses.
            let r = unsafe {
                libc::munmap(
                    (window.base() + want) as *mut libc::c_void,
                    (window.mapped - want) as usize,
                )
            };
            if r != 0 {
                return Err(LinkError::Os(errno()));
            }
        } else if window.mapped < want {
            map_anonymous(window.base() + window.mapped, want - window.mapped)?;
        }
        window.mapped = want;
        Ok(())
    }

    /// Gives a window back.
    pub fn put(&self, window: Window) {
        if window.index != 0 {
            self.free
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(window);
        }
    }
}

/// A CTA's local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Address of thread 0's.
    pub base: u64,
    /// Bytes, a power of two, 0 for none.
    pub bytes: u64,
}

/// Whether `address` lies where local memory is handed out.
#[must_use]
pub fn is_local(address: u64) -> bool {
    LOCAL.contains(&address)
}

/// All local memory.
#[derive(Debug)]
pub struct Locals {
    free: Mutex<BTreeMap<u64, Vec<Local>>>,
    next: AtomicU64,
}

impl Default for Locals {
    fn default() -> Locals {
        Locals {
            free: Mutex::new(BTreeMap::new()),
            next: AtomicU64::new(LOCAL.start + LOCAL_GUARD),
        }
    }
}

impl Locals {
    /// Takes at least `bytes` of local memory.
    ///
    /// # Errors
    /// [`LinkError::Limit`] when the window is used up, or what mmap says.
    pub fn take(&self, bytes: u64) -> Result<Local, LinkError> {
        if bytes == 0 {
            return Ok(Local {
                base: LOCAL.start,
                bytes: 0,
            });
        }
        let want = bytes.next_power_of_two().max(PAGE);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(local) = free.get_mut(&want).and_then(Vec::pop) {
            return Ok(local);
        }
        drop(free);
        let base = self.next.fetch_add(want + LOCAL_GUARD, Ordering::Relaxed);
        if base + want > LOCAL.end {
            return Err(LinkError::Limit);
        }
        map_anonymous(base, want)?;
        Ok(Local { base, bytes: want })
    }

    /// Gives it back.
    pub fn put(&self, local: Local) {
        if local.bytes != 0 {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            free.entry(local.bytes).or_default().push(local);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_exactly_their_pages() {
        let windows = Windows::default();
        let w = windows.take(5000).expect("window");
        assert_eq!(w.mapped, 8192);
        assert_eq!(windows.take(0), Ok(Window::EMPTY));
        windows.put(w);
        let again = windows.take(8000).expect("window");
        assert_eq!(again, w);
        let other = windows.take(100).expect("window");
        assert_ne!(other.base(), w.base());
        assert!(
            crate::access::load8(w.base()).is_err(),
            "the engine refuses its own windows"
        );
        assert!(is_shared(w.base()) && WINDOWS > 1000);
    }

    #[test]
    fn local_memory_is_used_again() {
        let locals = Locals::default();
        let a = locals.take(3 * PAGE).expect("local");
        assert_eq!(a.bytes, 4 * PAGE);
        locals.put(a);
        assert_eq!(locals.take(4 * PAGE), Ok(a));
    }
}
