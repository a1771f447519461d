//! Channels and channel groups.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use abi::link::{Fault, ToGpu};

use crate::event::{self, Sink};
use crate::gpu::Gpu;
use crate::memory::Memory;
use crate::status::RmResult;
use crate::usermode::UsermodePage;
use crate::vaspace::VaSpace;

/// A channel group.
#[derive(Debug)]
pub struct Tsg {
    /// Space given at its allocation.
    pub space: Option<Arc<VaSpace>>,
    /// Engine type.
    pub engine: u32,
    /// Error notifier for channels that bring none.
    pub notifier: Option<Arc<Memory>>,
    /// Whether it was scheduled.
    pub scheduled: AtomicBool,
    /// Its channels.
    pub channels: Mutex<Vec<Weak<Channel>>>,
}

impl Tsg {
    /// Its live channels.
    #[must_use]
    pub fn live(&self) -> Vec<Arc<Channel>> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.retain(|c| c.strong_count() > 0);
        channels.iter().filter_map(Weak::upgrade).collect()
    }
}

/// A channel.
#[derive(Debug)]
pub struct Channel {
    /// Id on its GPU, and its work-submit token.
    pub id: u32,
    /// Class.
    pub class: u32,
    /// Engine type.
    pub engine: u32,
    /// Client.
    pub client: u32,
    /// GPU.
    pub gpu: Arc<Gpu>,
    /// Space.
    pub space: Arc<VaSpace>,
    /// USERD memory.
    pub userd: Arc<Memory>,
    /// Doorbell page.
    pub usermode: Arc<UsermodePage>,
    /// Error notifier memory.
    pub notifier: Option<Arc<Memory>>,
    /// What killed it.
    pub fault: Mutex<Option<Fault>>,
    /// Whether it was closed.
    pub closed: AtomicBool,
}

impl Channel {
    /// Tells the GPU process that it ends, and frees its id. Once.
    pub fn close(&self) {
        if !self.closed.swap(true, Ordering::SeqCst) {
            self.space.remove_channel(self.id);
            self.gpu.give_channel(self.id);
        }
    }

    /// Runs or stops it.
    ///
    /// # Errors
    /// What the GPU process says.
    pub fn schedule(&self, run: bool) -> RmResult {
        self.space
            .ask(ToGpu::ChannelSchedule { chid: self.id, run })
    }

    /// Binds an engine class.
    ///
    /// # Errors
    /// What the GPU process says.
    pub fn bind(&self, class: u32) -> RmResult {
        self.space.ask(ToGpu::BindClass {
            chid: self.id,
            class,
        })
    }

    /// Keeps the first fault.
    pub fn set_fault(&self, fault: &Fault) {
        let mut slot = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert_with(|| fault.clone());
    }

    /// Xid of its fault, 0 if well.
    #[must_use]
    pub fn fault_xid(&self) -> u32 {
        self.fault
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map_or(0, |f| f.xid)
    }

    /// Writes the 16-byte error notifier (when the GPU process could not): time, Xid, engine, status 0xffff.
    pub fn write_notifier(&self, xid: u32) {
        let Some(notifier) = &self.notifier else {
            return;
        };
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut bytes = [0; 16];
        let nanoseconds = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        bytes[0..8].copy_from_slice(&nanoseconds.to_le_bytes());
        bytes[8..12].copy_from_slice(&xid.to_le_bytes());
        bytes[12..14].copy_from_slice(&u16::try_from(self.engine).unwrap_or(0).to_le_bytes());
        // The status goes last: a reader that sees it sees the rest.
        if notifier.write(0, &bytes[..14]) {
            notifier.write(14, &0xffff_u16.to_le_bytes());
        }
    }

    /// Wakes those who listen for errors of its GPU.
    pub fn fire_error(&self, xid: u32) {
        self.gpu.interrupts.fetch_add(1, Ordering::Relaxed);
        let engine = u16::try_from(self.engine).unwrap_or(0);
        self.gpu.each_sink(|sink: &Sink| {
            if sink.wants(event::RC_ERROR, false) {
                sink.fire(xid, engine);
            }
        });
    }

    /// A non-stall interrupt: wakes the client's listeners.
    pub fn interrupt(&self) {
        self.gpu.interrupts.fetch_add(1, Ordering::Relaxed);
        self.gpu.each_sink(|sink: &Sink| {
            if sink.client == self.client && sink.notify & event::NONSTALL != 0 {
                sink.fire(0, 0);
            }
        });
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        if !self.closed.swap(true, Ordering::SeqCst) {
            self.gpu.give_channel(self.id);
        }
    }
}
