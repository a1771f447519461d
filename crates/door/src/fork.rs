//! A forked child must not use its parent's files: a page that fork wipes tells it.

use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use crate::DoorError;

struct Page(NonNull<u8>);

// SAFETY: the page is never unmapped and only read through an atomic after it was set up.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

static PAGE: OnceLock<Option<Page>> = OnceLock::new();

fn page() -> Option<&'static AtomicU8> {
    let page = PAGE.get_or_init(|| {
        // SAFETY: a fresh private anonymous page.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                4096,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base = NonNull::new(base.cast::<u8>())?;
        // SAFETY: our own page; without the advice (old kernel) the check simply never fires.
        unsafe { libc::madvise(base.as_ptr().cast(), 4096, libc::MADV_WIPEONFORK) };
        // SAFETY: the page is mapped, writable and lives for ever.
        unsafe { AtomicU8::from_ptr(base.as_ptr()) }.store(1, Ordering::Relaxed);
        Some(Page(base))
    });
    // SAFETY: the page is mapped for ever and only accessed as an atomic.
    page.as_ref()
        .map(|page| unsafe { AtomicU8::from_ptr(page.0.as_ptr()) })
}

/// Files that are open.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// That a file is open, or about to be.
pub(crate) struct Opened(());

/// Sets up the mark (first open). A child whose parent had nothing open any more when it forked is as good as a fresh
/// process.
///
/// # Errors
/// [`DoorError::Forked`] in a child that has its parent's files.
pub(crate) fn arm() -> Result<Opened, DoorError> {
    if OPEN.load(Ordering::Acquire) == 0
        && let Some(mark) = page()
    {
        mark.store(1, Ordering::Relaxed);
    }
    check()?;
    OPEN.fetch_add(1, Ordering::AcqRel);
    Ok(Opened(()))
}

impl Drop for Opened {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Whether this process is a fork of one that had opened the driver.
///
/// # Errors
/// [`DoorError::Forked`] in such a child.
pub fn check() -> Result<(), DoorError> {
    match PAGE.get() {
        None | Some(None) => Ok(()),
        Some(Some(_)) => match page() {
            Some(mark) if mark.load(Ordering::Relaxed) == 0 => Err(DoorError::Forked),
            _ => Ok(()),
        },
    }
}
