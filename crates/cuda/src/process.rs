//! What the process is doing: not yet initialised, running, a fork's child, or on its way out.

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use cuda_abi::driver::CUresult;

/// Bits of the process state.
static STATE: AtomicU8 = AtomicU8::new(0);
const INITIALIZED: u8 = 1;
const ENDING: u8 = 2;

/// A page that the kernel wipes in a fork's child: holds 1 in the process that made it.
struct ForkPage(*const u8);
// SAFETY: the page is written once, before it is published, and only read afterwards.
unsafe impl Send for ForkPage {}
// SAFETY: as above.
unsafe impl Sync for ForkPage {}

static FORK_PAGE: OnceLock<Option<ForkPage>> = OnceLock::new();

/// Bytes of the page.
const PAGE: usize = 4096;

fn make_fork_page() -> Option<ForkPage> {
    // SAFETY: a new private anonymous mapping, at an address of the kernel's choice.
    let page = unsafe {
        libc::mmap(
            ptr::null_mut(),
            PAGE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the page was mapped above and nobody else knows of it.
    unsafe {
        libc::madvise(page, PAGE, libc::MADV_WIPEONFORK);
        page.cast::<u8>().write(1);
    }
    Some(ForkPage(page.cast::<u8>()))
}

/// Whether this process is the child of one that used the driver (and did not `exec`).
pub(crate) fn is_forked() -> bool {
    match FORK_PAGE.get() {
        // SAFETY: the page stays mapped for the life of the process; reads race with nothing.
        Some(Some(page)) => unsafe { page.0.read_volatile() == 0 },
        Some(None) | None => false,
    }
}

/// Marks the driver as initialised in this process.
pub(crate) fn set_initialized() {
    FORK_PAGE.get_or_init(make_fork_page);
    if STATE.fetch_or(INITIALIZED, Ordering::SeqCst) & INITIALIZED == 0 {
        // SAFETY: the handler is a plain function that stays loaded: libcuda is linked with `-z nodelete`.
        unsafe { libc::atexit(at_exit) };
    }
}

extern "C" fn at_exit() {
    STATE.fetch_or(ENDING, Ordering::SeqCst);
}

/// What a call that needs the driver gets in the present state.
pub(crate) fn check_ready() -> Result<(), CUresult> {
    let state = STATE.load(Ordering::Acquire);
    if state == INITIALIZED && !is_forked() {
        return Ok(());
    }
    if is_forked() || state & INITIALIZED == 0 {
        return Err(CUresult::NOT_INITIALIZED);
    }
    Err(CUresult::DEINITIALIZED)
}
