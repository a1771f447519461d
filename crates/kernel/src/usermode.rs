//! The usermode (doorbell) page: one memfd per (client, GPU), which the server maps too.

use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use abi::usermode;

use crate::memory::{Account, Memory, Place};
use crate::status::{RmResult, Status};

/// The page.
#[derive(Debug)]
pub struct UsermodePage {
    memory: Arc<Memory>,
    base: NonNull<u8>,
}

// SAFETY: the mapping lives as long as the value and is only accessed through atomics.
unsafe impl Send for UsermodePage {}
// SAFETY: as above.
unsafe impl Sync for UsermodePage {}

const LEN: usize = 0x1_0000;
const _: () = assert!(LEN as u64 == usermode::BYTES);

impl UsermodePage {
    /// A fresh page.
    ///
    /// # Errors
    /// [`Status::NO_MEMORY`].
    pub fn new(account: &Arc<Account>, descriptors: &Arc<Account>) -> RmResult<Arc<Self>> {
        let memory = Memory::new(Place::Registers, usermode::BYTES, account, descriptors)?;
        // SAFETY: a fresh shared mapping of a memfd that is sealed against shrinking.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                LEN,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                memory.fd().as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(Status::NO_MEMORY);
        }
        let base = NonNull::new(base.cast()).ok_or(Status::NO_MEMORY)?;
        let page = Self { memory, base };
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        page.word(usermode::MAY_SPIN)
            .store(u32::from(cpus >= 2), Ordering::SeqCst);
        Ok(Arc::new(page))
    }

    /// The memory behind it.
    #[must_use]
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    fn word(&self, offset: usize) -> &AtomicU32 {
        assert!(
            offset + 4 <= LEN && offset.is_multiple_of(4),
            "constant offsets of the page"
        );
        // SAFETY: in bounds and aligned (checked); the mapping lives as long as `self`; all access is atomic.
        unsafe { AtomicU32::from_ptr(self.base.as_ptr().add(offset).cast()) }
    }

    /// Tells waiters that something completed; `xid` is not 0 when a VA space died.
    pub fn complete(&self, xid: u32) {
        if xid != 0 {
            self.word(usermode::LAST_XID).store(xid, Ordering::SeqCst);
        }
        let sequence = self.word(usermode::COMPLETE_SEQ);
        sequence.fetch_add(1, Ordering::SeqCst);
        door::futex::wake_all(sequence);
        for slot in 0..usermode::WAIT_SLOT_COUNT {
            let at = usermode::WAIT_SLOTS + slot * usermode::WAIT_SLOT_BYTES;
            let state = self.word(at + usermode::WAIT_STATE);
            if state.swap(0, Ordering::SeqCst) != 0 {
                door::futex::wake_all(state);
            }
        }
    }

    /// Whether its client follows the futex protocol.
    #[must_use]
    pub fn announced(&self) -> bool {
        self.word(usermode::ANNOUNCED).load(Ordering::Relaxed) == usermode::ANNOUNCED_MAGIC
    }
}

impl Drop for UsermodePage {
    fn drop(&mut self) {
        // SAFETY: our own mapping, no longer used.
        unsafe { libc::munmap(self.base.as_ptr().cast(), LEN) };
    }
}
