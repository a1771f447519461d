//! One virtual GPU as the kernel half knows it: identity, memory, channels, listeners.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

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
    /// It has fallen off the bus.
    pub lost: AtomicBool,
    /// Error-correcting memory.
    pub ecc: Mutex<crate::ecc::Ecc>,
    /// Framebuffer that an injected failure took.
    pub hog: Mutex<Vec<crate::memory::Charge>>,
    /// Who had contexts here.
    pub accounting: Mutex<crate::accounting::Accounting>,
    /// Interrupts so far, as /proc/interrupts counts them.
    pub interrupts: AtomicU64,
    load: Mutex<Load>,
    /// The same by process.
    shares: Mutex<BTreeMap<u32, Load>>,
}

/// What a process had of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Process.
    pub pid: u32,
    /// Percent of the time that its kernels ran.
    pub percent: u32,
    /// When that was measured, µs since 1970.
    pub at_us: u64,
}

/// Last measurement of how busy a GPU is.
#[derive(Debug, Default)]
struct Load {
    at: Option<Instant>,
    at_us: u64,
    busy_ns: u64,
    percent: u32,
}

impl Load {
    /// Percent of the time since the last question; asked again too soon, the same answer.
    fn measure(&mut self, busy_ns: u64, busy_now: bool) -> u32 {
        let now = Instant::now();
        match self.at.map(|at| now.duration_since(at)) {
            None => self.percent = if busy_now { 100 } else { 0 },
            Some(elapsed) if elapsed < LOAD_PERIOD => return self.percent,
            Some(elapsed) => {
                let ran = u128::from(busy_ns.saturating_sub(self.busy_ns));
                let percent = ran * 100 / elapsed.as_nanos().max(1);
                self.percent = u32::try_from(percent.min(100)).unwrap_or(100);
            }
        }
        self.at = Some(now);
        self.at_us = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| {
                u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
            });
        self.busy_ns = busy_ns;
        self.percent
    }
}

/// Shortest time over which the load is measured.
const LOAD_PERIOD: Duration = Duration::from_millis(100);

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
            sinks: Mutex::default(),
            channels: Mutex::default(),
            named: AtomicBool::new(false),
            compute_mode: AtomicU32::new(0),
            persistence: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            ecc: Mutex::new(crate::ecc::Ecc::new(profile.ecc)),
            hog: Mutex::default(),
            accounting: Mutex::default(),
            interrupts: AtomicU64::new(0),
            load: Mutex::default(),
            shares: Mutex::default(),
            profile,
        }
    }

    /// State of the error-correcting memory.
    pub fn ecc(&self) -> std::sync::MutexGuard<'_, crate::ecc::Ecc> {
        self.ecc.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Percent of the time since each process was last looked at that its kernels ran, with the time of the look, µs
    /// since 1970. `busy` is the running time so far by process, and whether something runs now.
    #[must_use]
    pub fn shares(&self, busy: &BTreeMap<u32, (u64, bool)>) -> Vec<Share> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|pid, _| busy.contains_key(pid));
        busy.iter()
            .map(|(pid, (busy_ns, busy_now))| {
                let load = shares.entry(*pid).or_default();
                let percent = load.measure(*busy_ns, *busy_now);
                Share {
                    pid: *pid,
                    percent,
                    at_us: load.at_us,
                }
            })
            .collect()
    }

    /// Percent of the time since the last question that kernels ran, given their running time so far and whether one
    /// runs now.
    #[must_use]
    pub fn load(&self, busy_ns: u64, busy_now: bool) -> u32 {
        let mut load = self.load.lock().unwrap_or_else(PoisonError::into_inner);
        load.measure(busy_ns, busy_now)
    }

    /// The records of who had contexts here.
    pub fn accounts(&self) -> std::sync::MutexGuard<'_, crate::accounting::Accounting> {
        self.accounting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_is_measured_over_time() {
        let profile = Profile::load("h100").expect("profile");
        let gpu = Gpu::new(0, Arc::new(profile), "m", 1 << 30);
        assert_eq!(gpu.load(0, false), 0);
        assert_eq!(gpu.load(u64::MAX, true), 0, "too soon to tell");
        std::thread::sleep(LOAD_PERIOD + Duration::from_millis(20));
        assert_eq!(gpu.load(u64::MAX, true), 100);
        std::thread::sleep(LOAD_PERIOD + Duration::from_millis(20));
        assert_eq!(
            gpu.load(5, false),
            0,
            "a space that ended took its time along"
        );
    }

    #[test]
    fn channel_ids_are_reused_and_bounded() {
        let profile = Profile::load("h100").expect("profile");
        let gpu = Gpu::new(0, Arc::new(profile), "m", 1 << 30);
        assert_eq!(gpu.take_channel(), Ok(1));
        assert_eq!(gpu.take_channel(), Ok(2));
        gpu.give_channel(1);
        assert_eq!(gpu.take_channel(), Ok(1));
        while gpu.take_channel().is_ok() {}
        assert_eq!(gpu.channel_count(), 2047);
        assert!(gpu.uuid_text().starts_with("GPU-") && gpu.uuid_text().len() == 40);
    }
}
