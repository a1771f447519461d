//! What one process has once: the RM client, UVM, the devices, the address arena.

use std::sync::{Arc, Mutex, OnceLock};

use abi::nv::control_params::*;
use abi::nv::escape_params::nv_ioctl_card_info_t;
use abi::nv::escapes;
use abi::nv::sizes::Version;
use abi::vendor;
use cuda_abi::driver::CUresult;
use zerocopy::{FromBytes, FromZeros};

use super::arena::Arena;
use super::device::{Card, Device};
use super::memory::Registry;
use super::rm::{Client, RmError};
use super::space::Space;
use super::uvm::Uvm;
use super::visible;
use crate::boundary::complain;

/// The process's driver state after `cuInit`.
pub(crate) struct Platform {
    /// RM client.
    pub client: Client,
    /// UVM address space.
    pub uvm: Uvm,
    /// Whether our own kernel half answers.
    pub ours: bool,
    /// CUDA version that goes with the driver version, as `cuDriverGetVersion` gives it.
    pub cuda_version: i32,
    /// Devices that the program sees, in its order.
    pub devices: Vec<Arc<Device>>,
    /// Addresses.
    pub arena: Arena,
    /// Addresses below 2^40, for what channels need.
    pub low_arena: Arena,
    /// Allocations.
    pub memory: Registry,
    /// The VA space of each device, while there is one.
    pub spaces: Vec<Mutex<Option<Arc<Space>>>>,
}

static PLATFORM: OnceLock<Platform> = OnceLock::new();
static STARTING: Mutex<()> = Mutex::new(());

/// The state after a successful [`start`].
///
/// # Errors
/// 3 before.
pub(crate) fn get() -> Result<&'static Platform, CUresult> {
    PLATFORM.get().ok_or(CUresult::NOT_INITIALIZED)
}

/// Finds the devices, once.
///
/// # Errors
/// 100 without a device, 101 for a bad `CUDA_VISIBLE_DEVICES`, and what the kernel half's refusals become.
pub(crate) fn start() -> Result<&'static Platform, CUresult> {
    let _starting = STARTING
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(platform) = PLATFORM.get() {
        return Ok(platform);
    }
    let platform = Platform::open()?;
    Ok(PLATFORM.get_or_init(|| platform))
}

/// The CUDA version of a driver, as `cuDriverGetVersion` gives it: 13000 for 13.0.
fn cuda_version(driver: Version) -> i32 {
    let (major, minor) = driver.cuda();
    i32::try_from(major * 1000 + minor * 10).unwrap_or(i32::MAX)
}

/// The CUDA version that this library serves, for the driver version that the kernel half advertises if that is known
/// without starting anything.
pub(crate) fn driver_version() -> i32 {
    if let Some(platform) = PLATFORM.get() {
        return platform.cuda_version;
    }
    // Programs ask before `cuInit`, and expect an answer without a device too.
    static ASKED: OnceLock<i32> = OnceLock::new();
    *ASKED.get_or_init(|| {
        let version = Client::open()
            .and_then(|client| identify(&client))
            .map(|(version, _)| version);
        cuda_version(version.unwrap_or(Version::DEFAULT))
    })
}

/// Advertised version, and whether the kernel half is ours.
fn identify(client: &Client) -> Result<(Version, bool), RmError> {
    let mut bytes = [0; size_of::<vendor::IdentifyParams>()];
    let ours = client
        .control_bytes(
            "asking whose kernel half this is",
            client.root(),
            vendor::CTRL_IDENTIFY,
            &mut bytes,
        )
        .is_ok()
        && bytes.starts_with(b"antlerit");
    let version = if ours {
        bytes[16..].to_vec()
    } else {
        let mut params = NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_V2_PARAMS::new_zeroed();
        client.control(
            "asking for the driver version",
            client.root(),
            0x0000_013e,
            &mut params,
        )?;
        params.driverVersionBuffer.to_vec()
    };
    let text = version.split(|b| *b == 0).next().unwrap_or_default();
    let version = std::str::from_utf8(text).ok().and_then(Version::parse);
    Ok((version.unwrap_or(Version::DEFAULT), ours))
}

/// Slots of the card list that is asked for.
const CARDS: usize = 32;

fn cards(client: &Client) -> Result<Vec<Card>, RmError> {
    let mut bytes = vec![0; CARDS * size_of::<nv_ioctl_card_info_t>()];
    client.escape("asking for the cards", escapes::CARD_INFO, &mut bytes)?;
    let mut cards = Vec::new();
    for slot in bytes.chunks_exact(size_of::<nv_ioctl_card_info_t>()) {
        let info = nv_ioctl_card_info_t::read_from_bytes(slot).ok();
        if let Some(info) = info.filter(|info| info.valid != 0) {
            let pci = (info.pci_info.domain, info.pci_info.bus, info.pci_info.slot);
            cards.push(Card {
                gpu_id: info.gpu_id,
                minor: info.minor_number,
                pci,
            });
        }
    }
    Ok(cards)
}

fn attach(client: &Client, cards: &[Card]) -> Result<(), RmError> {
    /// Ends the list.
    const END: u32 = u32::MAX;
    let mut params = NV0000_CTRL_GPU_ATTACH_IDS_PARAMS {
        gpuIds: [END; 32],
        failedId: 0,
    };
    for (slot, card) in params.gpuIds.iter_mut().zip(cards) {
        *slot = card.gpu_id;
    }
    client.control(
        "attaching the GPUs",
        client.root(),
        0x0000_0215,
        &mut params,
    )
}

impl Platform {
    fn open() -> Result<Self, CUresult> {
        let mut client = Client::open()?;
        let (version, ours) = identify(&client)?;
        if !ours && door::door() != Ok(door::Door::Real) {
            complain(
                "the kernel half that answers is not Antlerite's; set ANTLERITE_DOOR=real to use NVIDIA's",
            );
            return Err(CUresult::SYSTEM_DRIVER_MISMATCH);
        }
        client.set_version(version);
        let mut cards = cards(&client)?;
        if cards.is_empty() {
            return Err(CUresult::NO_DEVICE);
        }
        attach(&client, &cards)?;
        let by_bus = std::env::var("CUDA_DEVICE_ORDER").is_ok_and(|order| order == "PCI_BUS_ID");
        cards.sort_by_key(|card| card.pci);
        let mut devices = Vec::new();
        for card in cards {
            devices.push(Device::open(&client, card)?);
        }
        if !by_bus {
            // The default order puts the fastest first and keeps the bus order otherwise.
            let speed = |d: &Device| (d.capability, d.sms);
            devices.sort_by_key(|d| std::cmp::Reverse(speed(d)));
        }
        let uuids: Vec<_> = devices.iter().map(Device::uuid_text).collect();
        let wanted = std::env::var("CUDA_VISIBLE_DEVICES").ok();
        let chosen = visible::select(wanted.as_deref(), &uuids)?;
        if chosen.is_empty() {
            return Err(CUresult::NO_DEVICE);
        }
        let mut devices: Vec<_> = devices.into_iter().map(|d| Some(Arc::new(d))).collect();
        let devices: Vec<_> = chosen
            .into_iter()
            .filter_map(|index| devices[index].take())
            .collect();
        let uvm = Uvm::open(&client, version)?;
        for device in &devices {
            uvm.register_gpu(&client, device.uuid)?;
        }
        let spaces = devices.iter().map(|_| Mutex::new(None)).collect();
        Ok(Self {
            client,
            uvm,
            ours,
            cuda_version: cuda_version(version),
            devices,
            arena: Arena::reserve()?,
            low_arena: Arena::reserve_low()?,
            memory: Registry::default(),
            spaces,
        })
    }

    /// The arena that an address belongs to.
    pub(crate) fn arena_of(&self, address: u64) -> &Arena {
        if self.low_arena.contains(address) {
            &self.low_arena
        } else {
            &self.arena
        }
    }

    /// The device of that ordinal.
    ///
    /// # Errors
    /// 101.
    pub(crate) fn device(&self, ordinal: i32) -> Result<&Arc<Device>, CUresult> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|i| self.devices.get(i))
            .ok_or(CUresult::INVALID_DEVICE)
    }

    /// The live VA space of a device, made if there is none.
    pub(crate) fn space(&self, ordinal: usize) -> Result<Arc<Space>, CUresult> {
        let mut slot = self.spaces[ordinal]
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(space) = &*slot {
            if space.fault().is_none() {
                return Ok(space.clone());
            }
            space.retire(self);
        }
        let space = Arc::new(Space::create(self, ordinal)?);
        *slot = Some(space.clone());
        drop(slot);
        self.memory.map_host_memory(self, &space)?;
        super::vmm::map_into(self, &space)?;
        Ok(space)
    }

    /// Lets go of a device's VA space when the last context is gone.
    pub(crate) fn drop_space(&self, ordinal: usize) {
        let mut slot = self.spaces[ordinal]
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let unused = slot.take_if(|space| space.contexts() == 0);
        drop(slot);
        if let Some(space) = unused {
            space.retire(self);
        }
    }

    /// UUIDs of the devices that have a VA space.
    pub(crate) fn active_gpus(&self) -> Vec<[u8; 16]> {
        let active = |i: usize| {
            self.spaces[i]
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .is_some()
        };
        self.devices
            .iter()
            .enumerate()
            .filter(|(i, _)| active(*i))
            .map(|(_, d)| d.uuid)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn driver_branches_have_their_cuda_versions() {
        let of = |text| cuda_version(Version::parse(text).expect("version"));
        assert_eq!(of("580.142"), 13_000);
        assert_eq!(of("550.163.01"), 12_040);
        assert_eq!(of("535.309.01"), 12_020);
    }
}
