//! One virtual GPU as the kernel half knows it: identity, memory, channels, listeners.

use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::event::Sink;
use crate::memory::Account;
use crate::profile::Profile;
use crate::status::{RmResult, Status};

/// Channels per GPU.
pub const MAX_CHANNELS: u32 = 2048;

/// A GPU.
#[derive(Debug)]
pub struct Gpu {
    /// Index, and minor of `/dev/nvidiaN`.
    pub index: u32,
    /// What it is.
    pub profile: Arc<Profile>,
    /// 16 bytes of UUID.
    pub uuid: [u8; 16],
    /// PCI bus.
    pub bus: u8,
    /// Framebuffer.
    pub framebuffer: Arc<Account>,
    /// Who wants to know of its events.
    pub sinks: Mutex<Vec<Weak<Sink>>>,
    /// Channel ids in use.
    channels: Mutex<Vec<bool>>,
    /// Whether the log has named it (before its first Xid).
    pub named: AtomicBool,
    /// Compute mode rules (`NV2080_CTRL_GPU_COMPUTE_MODE_RULES_*`), 0 none.
    pub compute_mode: AtomicU32,
    /// Persistence mode.
    pub persistence: AtomicBool,
}

impl Gpu {
    /// GPU `index` of a machine whose identity is `machine`.
    #[must_use]
    pub fn new(index: u32, profile: Arc<Profile>, machine: &str, framebuffer: u64) -> Self {
        let hash =
            blake3::hash(format!("antlerite\0{machine}\0{}\0{index}", profile.id).as_bytes());
        let mut uuid = [0; 16];
        uuid.copy_from_slice(&hash.as_bytes()[..16]);
        // RFC 4122 variant and version 4, as NVIDIA's look.
        uuid[6] = uuid[6] & 0x0f | 0x40;
        uuid[8] = uuid[8] & 0x3f | 0x80;
        let bus = profile
            .pci_bus
            .wrapping_add(u8::try_from(index).unwrap_or(0).wrapping_mul(8));
        Self {
            index,
            uuid,
            bus,
            framebuffer: Arc::new(Account::new(framebuffer)),
            profile,
            sinks: Mutex::default(),
            channels: Mutex::default(),
            named: AtomicBool::new(false),
            compute_mode: AtomicU32::new(0),
            persistence: AtomicBool::new(false),
        }
    }

    /// RM's id: domain << 16 | bus << 8 | device.
    #[must_use]
    pub fn id(&self) -> u32 {
        u32::from(self.bus) << 8
    }

    /// `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
    #[must_use]
    pub fn uuid_text(&self) -> String {
        let hex: String = self.uuid.iter().map(|b| format!("{b:02x}")).collect();
        format!(
            "GPU-{}-{}-{}-{}-{}",
            &hex[0..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..32]
        )
    }

    /// `PCI:0000:17:00`, as Xid lines have it.
    #[must_use]
    pub fn pci_text(&self) -> String {
        format!("PCI:0000:{:02x}:00", self.bus)
    }

    /// `0000:17:00.0`.
    #[must_use]
    pub fn bdf(&self) -> String {
        format!("0000:{:02x}:00.0", self.bus)
    }

    /// Takes a channel id.
    ///
    /// # Errors
    /// [`Status::INSUFFICIENT_RESOURCES`] when all are taken.
    pub fn take_channel(&self) -> RmResult<u32> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        // Id 0 stays free: a zeroed token must not name a channel.
        if channels.is_empty() {
            channels.push(true);
        }
        if let Some(free) = channels.iter().position(|taken| !taken) {
            channels[free] = true;
            return u32::try_from(free).map_err(|_| Status::INSUFFICIENT_RESOURCES);
        }
        let id = u32::try_from(channels.len()).map_err(|_| Status::INSUFFICIENT_RESOURCES)?;
        if id >= MAX_CHANNELS {
            return Err(Status::INSUFFICIENT_RESOURCES);
        }
        channels.push(true);
        Ok(id)
    }

    /// Gives a channel id back.
    pub fn give_channel(&self, id: u32) {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = usize::try_from(id).ok().and_then(|i| channels.get_mut(i)) {
            *slot = false;
        }
    }

    /// Channels in use.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.iter().skip(1).filter(|taken| **taken).count()
    }

    /// Calls `visit` for every listener that is alive.
    pub fn each_sink(&self, mut visit: impl FnMut(&Sink)) {
        let live: Vec<_> = {
            let mut sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner);
            sinks.retain(|s| s.strong_count() > 0);
            sinks.iter().filter_map(Weak::upgrade).collect()
        };
        for sink in live {
            visit(&sink);
        }
    }
}
