//! Shared-memory windows and local memory of resident CTAs.

use crate::shared_map::{errno, map_anonymous};
use crate::window::{LOCAL, PAGE, SHARED, pages};
use abi::link::LinkError;
use abi::sm::SHARED_WINDOW;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// From one window to the next: an access that starts at the last byte of one does not reach the next.
const STRIDE: u64 = SHARED_WINDOW + (2 << 20);
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

/// Whether `address` lies in a shared window (mapped or not).
#[must_use]
pub fn is_shared(address: u64) -> bool {
    SHARED.contains(&address)
}

/// All windows.
#[derive(Debug)]
pub struct Windows {
    free: Mutex<Vec<Window>>,
    next: AtomicU64,
}

impl Default for Windows {
    fn default() -> Windows {
        Windows {
            free: Mutex::new(Vec::new()),
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
        } else {
            map_anonymous(window.base() + window.mapped, want - window.mapped)?;
        }
        window.mapped = want;
        Ok(window)
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
