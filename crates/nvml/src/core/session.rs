//! The process's state between the first `nvmlInit` and the last `nvmlShutdown`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi::nv::control_params::{
    NV0000_CTRL_GPU_ATTACH_IDS_PARAMS, NV0000_CTRL_GPU_GET_PROBED_IDS_PARAMS,
};
use abi::nv::escape_params::nv_ioctl_card_info_t;
use abi::nv::escapes;
use zerocopy::{FromBytes, FromZeros};

use super::error::RmError;
use super::event::Sets;
use super::gpu::{Card, Gpu};
use super::rm::Client;
use crate::Return;
use crate::boundary::complain;
use crate::types::Device;

/// What there is after init.
#[derive(Debug)]
pub struct Session {
    client: Client,
    gpus: Vec<Gpu>,
    /// Event sets.
    pub sets: Sets,
}

#[derive(Debug)]
struct State {
    /// Inits less shutdowns.
    count: u64,
    session: Option<Arc<Session>>,
}

static STATE: Mutex<State> = Mutex::new(State {
    count: 0,
    session: None,
});

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session.
///
/// # Errors
/// [`Return::Uninitialized`] before init and in a forked child.
pub fn current() -> Result<Arc<Session>, Return> {
    door::check_fork().map_err(|_| Return::Uninitialized)?;
    state().session.clone().ok_or(Return::Uninitialized)
}

/// `nvmlInit`. `need_gpu` is false with `NVML_INIT_FLAG_NO_GPUS`.
///
/// # Errors
/// [`Return::DriverNotLoaded`] and other codes of a kernel half that cannot be reached.
pub fn init(need_gpu: bool) -> Result<(), Return> {
    let mut state = state();
    if state.session.is_none() {
        let session = Session::open().map_err(|error| {
            complain(&error.to_string());
            error.result()
        })?;
        if session.gpus.is_empty() && need_gpu {
            return Err(Return::NotFound);
        }
        state.session = Some(Arc::new(session));
    }
    state.count += 1;
    Ok(())
}

/// `nvmlShutdown`: the last one lets go of everything.
///
/// # Errors
/// [`Return::Uninitialized`] without an init.
pub fn shutdown() -> Result<(), Return> {
    let mut state = state();
    if state.count == 0 {
        return Err(Return::Uninitialized);
    }
    state.count -= 1;
    if state.count == 0 {
        state.session = None;
    }
    Ok(())
}

/// Slots of the card list that is asked for.
const CARDS: usize = 32;
/// Ends lists of ids.
const END: u32 = u32::MAX;

impl Session {
    fn open() -> Result<Self, RmError> {
        let client = Client::open()?;
        let mut probed = NV0000_CTRL_GPU_GET_PROBED_IDS_PARAMS::new_zeroed();
        client.control(
            "asking for the GPUs",
            client.root(),
            0x0000_0214,
            NV0000_CTRL_GPU_GET_PROBED_IDS_PARAMS::NAME,
            &mut probed,
        )?;
        let ids: Vec<u32> = probed
            .gpuIds
            .iter()
            .copied()
            .take_while(|id| *id != END)
            .collect();
        if !ids.is_empty() {
            let mut attach = NV0000_CTRL_GPU_ATTACH_IDS_PARAMS {
                gpuIds: [END; 32],
                failedId: 0,
            };
            for (slot, id) in attach.gpuIds.iter_mut().zip(&ids) {
                *slot = *id;
            }
            client.control(
                "attaching the GPUs",
                client.root(),
                0x0000_0215,
                NV0000_CTRL_GPU_ATTACH_IDS_PARAMS::NAME,
                &mut attach,
            )?;
        }
        let mut cards = cards(&client)?;
        cards.retain(|card| ids.contains(&card.gpu_id));
        cards.sort_by_key(|card| (card.domain, card.bus, card.slot));
        let gpus = cards
            .into_iter()
            .map(|card| Gpu::open(&client, card))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            client,
            gpus,
            sets: Sets::default(),
        })
    }

    /// The RM client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The GPUs, in order of their PCI bus.
    #[must_use]
    pub fn gpus(&self) -> &[Gpu] {
        &self.gpus
    }

    /// The GPU of a handle.
    ///
    /// # Errors
    /// [`Return::InvalidArgument`] for what is no handle.
    pub fn gpu(&self, device: Device) -> Result<&Gpu, Return> {
        device
            .index()
            .and_then(|index| self.gpus.get(index))
            .ok_or(Return::InvalidArgument)
    }
}

fn cards(client: &Client) -> Result<Vec<Card>, RmError> {
    let mut bytes = vec![0; CARDS * size_of::<nv_ioctl_card_info_t>()];
    client.escape("asking for the cards", escapes::CARD_INFO, &mut bytes)?;
    Ok(bytes
        .chunks_exact(size_of::<nv_ioctl_card_info_t>())
        .filter_map(|slot| nv_ioctl_card_info_t::read_from_bytes(slot).ok())
        .filter(|info| info.valid != 0)
        .map(|info| Card {
            gpu_id: info.gpu_id,
            minor: info.minor_number,
            domain: info.pci_info.domain,
            bus: info.pci_info.bus,
            slot: info.pci_info.slot,
        })
        .collect())
}
