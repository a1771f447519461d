//! A VA space on a device: what one GPU process serves. All contexts of this process on a device share it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use abi::nv::alloc_params::NV_VASPACE_ALLOCATION_PARAMETERS;
use abi::nv::classes;
use cuda_abi::driver::CUresult;
use door::Mapping;
use zerocopy::FromZeros;

use super::device::Device;
use super::memory::{Chunk, Slabs};
use super::platform::Platform;
use super::rm::Object;

/// `IS_EXTERNALLY_OWNED | ENABLE_PAGE_FAULTING`: page tables belong to UVM.
const VASPACE_FLAGS: u32 = 0x48;
/// Lowest address of the space.
const VASPACE_BASE: u64 = 0x1000;

/// A VA space.
#[derive(Debug)]
pub(crate) struct Space {
    /// Index of the device.
    pub ordinal: usize,
    /// The device.
    pub device: Arc<Device>,
    /// FERMI_VASPACE_A.
    pub vaspace: Object,
    /// Doorbell page.
    pub page: Arc<Mapping>,
    /// Small allocations of device memory.
    pub slabs: Mutex<Slabs>,
    /// Small allocations of the driver's own: code, workspaces.
    pub private_slabs: Mutex<Slabs>,
    /// Small allocations of graphs.
    pub graph_slabs: Mutex<Slabs>,
    /// CUDA code of the fault that ended the space, 0 while it is well.
    fault: AtomicU32,
    contexts: AtomicUsize,
    retired: AtomicBool,
}

impl Space {
    /// Makes the space and hands it to UVM.
    pub(crate) fn create(platform: &Platform, ordinal: usize) -> Result<Self, CUresult> {
        let device = platform.devices[ordinal].clone();
        let client = &platform.client;
        let page = device.usermode(client, platform.ours)?;
        let mut params = NV_VASPACE_ALLOCATION_PARAMETERS {
            flags: VASPACE_FLAGS,
            vaBase: VASPACE_BASE,
            ..FromZeros::new_zeroed()
        };
        let vaspace = client.alloc(
            "allocating a VA space",
            device.device,
            classes::FERMI_VASPACE_A,
            &mut params,
        )?;
        if let Err(error) = platform.uvm.register_vaspace(client, device.uuid, vaspace) {
            let _ = client.free(device.device, vaspace);
            return Err(error.into());
        }
        Ok(Self {
            ordinal,
            device,
            vaspace,
            page,
            slabs: Mutex::default(),
            private_slabs: Mutex::default(),
            graph_slabs: Mutex::default(),
            fault: AtomicU32::new(0),
            contexts: AtomicUsize::new(0),
            retired: AtomicBool::new(false),
        })
    }

    /// The fault that ended the space.
    pub(crate) fn fault(&self) -> Option<CUresult> {
        match self.fault.load(Ordering::Acquire) {
            0 => None,
            code => Some(CUresult(code)),
        }
    }

    /// Notes the fault that ended the space; the first one stays.
    pub(crate) fn set_fault(&self, code: CUresult) -> CUresult {
        match self
            .fault
            .compare_exchange(0, code.0, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => code,
            Err(earlier) => CUresult(earlier),
        }
    }

    /// Contexts that use it.
    pub(crate) fn contexts(&self) -> usize {
        self.contexts.load(Ordering::SeqCst)
    }

    /// The chunks of device memory that small allocations share.
    pub(crate) fn all_slabs(&self) -> [&Mutex<Slabs>; 3] {
        [&self.slabs, &self.private_slabs, &self.graph_slabs]
    }

    /// A context begins to use it.
    pub(crate) fn enter(&self) {
        self.contexts.fetch_add(1, Ordering::SeqCst);
    }

    /// A context ends.
    pub(crate) fn leave(&self) {
        self.contexts.fetch_sub(1, Ordering::SeqCst);
    }

    /// Takes the space from UVM and frees it. What is left of it in other contexts stays an error.
    pub(crate) fn retire(&self, platform: &Platform) {
        if !self.retired.swap(true, Ordering::SeqCst) {
            let left: Vec<Arc<Chunk>> = self
                .all_slabs()
                .into_iter()
                .flat_map(|slabs| {
                    let mut slabs = slabs
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                    slabs.take_all()
                })
                .collect();
            drop(left);
            // A kernel half that is gone has freed everything already.
            let _ = platform
                .uvm
                .unregister_vaspace(&platform.client, self.device.uuid);
            let _ = platform.client.free(self.device.device, self.vaspace);
            platform.memory.left(platform, self.device.uuid);
        }
    }
}
