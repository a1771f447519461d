//! The usermode (doorbell) page: one memfd per (client, GPU), which the server maps too.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use abi::usermode;

use crate::memory::{Account, Memory, Place};
use crate::shared_page::SharedPage;
use crate::status::{RmResult, Status};

/// The page.
#[derive(Debug)]
pub struct UsermodePage {
    memory: Arc<Memory>,
    page: SharedPage,
}

const LEN: usize = 0x1_0000;
const _: () = assert!(LEN as u64 == usermode::BYTES);

impl UsermodePage {
    /// A fresh page.
    ///
    /// # Errors
    /// [`Status::NO_MEMORY`].
    pub fn new(account: &Arc<Account>, descriptors: &Arc<Account>) -> RmResult<Arc<Self>> {
        let memory = Memory::new(Place::Registers, usermode::BYTES, account, descriptors)?;
        let page = SharedPage::new(memory.fd(), LEN).ok_or(Status::NO_MEMORY)?;
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        page.word(usermode::MAY_SPIN)
            .store(u32::from(cpus >= 2), Ordering::SeqCst);
        Ok(Arc::new(Self { memory, page }))
    }

    /// The memory behind it.
    #[must_use]
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Tells waiters that something completed; `xid` is not 0 when a VA space died.
    pub fn complete(&self, xid: u32) {
        if xid != 0 {
            self.page
                .word(usermode::LAST_XID)
                .store(xid, Ordering::SeqCst);
        }
        let sequence = self.page.word(usermode::COMPLETE_SEQ);
        sequence.fetch_add(1, Ordering::SeqCst);
        door::futex::wake_all(sequence);
        for slot in 0..usermode::WAIT_SLOT_COUNT {
            let at = usermode::WAIT_SLOTS + slot * usermode::WAIT_SLOT_BYTES;
            let state = self.page.word(at + usermode::WAIT_STATE);
            if state.swap(0, Ordering::SeqCst) != 0 {
                door::futex::wake_all(state);
            }
        }
    }

    /// Whether its client follows the futex protocol.
    #[must_use]
    pub fn announced(&self) -> bool {
        self.page.word(usermode::ANNOUNCED).load(Ordering::Relaxed) == usermode::ANNOUNCED_MAGIC
    }
}
