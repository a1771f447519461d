//! OS events: objects of class 0x79 under a source, delivered to an open file (nv-abi.md §2.3).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use abi::nv::escape_params::NvUnixEvent;

use crate::file::OpenFile;

/// `notifyIndex` flag: no data is queued, the file only becomes readable.
pub const WITHOUT_DATA: u32 = 0x1000_0000;
/// `notifyIndex` flag: non-stall interrupts.
pub const NONSTALL: u32 = 0x0800_0000;
/// The index itself.
pub const INDEX: u32 = 0x00ff_ffff;
/// `NV2080_NOTIFIERS_RC_ERROR`.
pub const RC_ERROR: u32 = 37;

/// One event object.
#[derive(Debug)]
pub struct Sink {
    /// Client that owns it.
    pub client: u32,
    /// Its handle.
    pub handle: u32,
    /// Source object.
    pub source: u32,
    /// `notifyIndex` with flags.
    pub notify: u32,
    /// Whether its source sends (`EVENT_SET_NOTIFICATION`; non-stall events always do).
    pub armed: AtomicBool,
    /// Disarm after one.
    pub single: AtomicBool,
    /// File that receives it.
    pub file: Weak<OpenFile>,
}

impl Sink {
    /// Delivers.
    pub fn fire(&self, info32: u32, info16: u16) {
        if !self.armed.load(Ordering::Relaxed) {
            return;
        }
        if self.single.load(Ordering::Relaxed) {
            self.armed.store(false, Ordering::Relaxed);
        }
        let Some(file) = self.file.upgrade() else {
            return;
        };
        if self.notify & WITHOUT_DATA == 0 {
            file.queue_event(NvUnixEvent {
                hObject: self.handle,
                NotifyIndex: self.notify & INDEX,
                info32,
                info16,
                ..NvUnixEvent::default()
            });
        } else {
            file.ring();
        }
    }

    /// Whether it listens for index `index` of interrupts (`nonstall`) or notifications.
    #[must_use]
    pub fn wants(&self, index: u32, nonstall: bool) -> bool {
        self.notify & INDEX == index && (self.notify & NONSTALL != 0) == nonstall
    }
}

/// A sink that a GPU keeps weakly.
pub type SinkRef = Arc<Sink>;
