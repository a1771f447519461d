//! The unified memory driver's client side: it owns the page tables of our VA spaces.

use abi::nv::sizes::Version;
use abi::nv::uvm as command;
use abi::nv::uvm_params::*;
use door::{File, Mapping, Node, Protection};
use zerocopy::{FromZeros, IntoBytes};

use super::rm::{Client, Object, Params, RmError, check};

/// From this version on the mapping commands have room for 256 GPUs, before for 32.
const WIDE_SINCE: Version = Version(550, 54, 14);
/// `UVM_INIT_FLAGS_DISABLE_HMM`.
const DISABLE_HMM: u64 = 1;
/// GPU slots of the older form.
const NARROW_SLOTS: usize = 32;

/// `ANTLERITE_UVM=tracked`: managed memory has a place, and moves by faults. `ANTLERITE_UVM_POLICY=plain`: only what is
/// touched moves. Where the system gives no page faults away, memory stays coherent, and a line says so.
fn track(file: &File) {
    let text = |name| std::env::var(name).unwrap_or_default();
    let plain = match text("ANTLERITE_UVM_POLICY").as_str() {
        "" | "density" => Ok(false),
        "plain" => Ok(true),
        other => Err(format!(
            "ANTLERITE_UVM_POLICY={other}: use density or plain"
        )),
    };
    let problem = match (text("ANTLERITE_UVM").as_str(), plain) {
        ("" | "coherent", Ok(false)) => return,
        ("" | "coherent", Ok(true)) => {
            if let Err(error) = file.track_coherent(true) {
                crate::boundary::complain(&format!("faults of GPUs are not counted: {error}"));
            }
            return;
        }
        ("tracked", Ok(plain)) => file.track(plain).err().map(|e| e.to_string()),
        ("" | "coherent" | "tracked", Err(problem)) => Some(problem),
        (other, _) => Some(format!("ANTLERITE_UVM={other}: use coherent or tracked")),
    };
    if let Some(problem) = problem {
        crate::boundary::complain(&format!("managed memory is not tracked: {problem}"));
    }
}

/// A UVM address space: one per process.
#[derive(Debug)]
pub(crate) struct Uvm {
    file: File,
    /// Second file: keeps the kernel half's hold on this process's memory.
    _mm: File,
    narrow: bool,
}

impl Uvm {
    /// Opens and initialises.
    pub(crate) fn open(client: &Client, version: Version) -> Result<Self, RmError> {
        let what = "opening /dev/nvidia-uvm";
        let open = || door::open(Node::Uvm).map_err(|error| RmError::Door { what, error });
        let uvm = Self {
            file: open()?,
            _mm: open()?,
            narrow: version < WIDE_SINCE,
        };
        // Memory that the program has not registered is out of reach of its GPUs.
        let mut params = UVM_INITIALIZE_PARAMS {
            flags: DISABLE_HMM,
            ..UVM_INITIALIZE_PARAMS::default()
        };
        uvm.run(
            "UVM_INITIALIZE",
            client,
            &uvm.file,
            command::UVM_INITIALIZE,
            &mut params,
        )?;
        check("UVM_INITIALIZE", params.rmStatus)?;
        track(&uvm.file);
        let mut params = UVM_MM_INITIALIZE_PARAMS {
            uvmFd: uvm.file.id(),
            ..FromZeros::new_zeroed()
        };
        uvm.run(
            "UVM_MM_INITIALIZE",
            client,
            &uvm._mm,
            command::UVM_MM_INITIALIZE,
            &mut params,
        )?;
        // "Nothing to do" is the kernel's way to say that it does not need it.
        if params.rmStatus != abi::nv::status::NV_WARN_NOTHING_TO_DO {
            check("UVM_MM_INITIALIZE", params.rmStatus)?;
        }
        Ok(uvm)
    }

    fn run<P: Params>(
        &self,
        what: &'static str,
        client: &Client,
        file: &File,
        number: u32,
        params: &mut P,
    ) -> Result<(), RmError> {
        let mut bytes = client.sized(params);
        file.command(number, &mut bytes)
            .map_err(|error| RmError::Door { what, error })?;
        Client::unsized_into(&bytes, params);
        Ok(())
    }

    /// Runs a command on the main file.
    pub(crate) fn command<P: Params>(
        &self,
        what: &'static str,
        client: &Client,
        number: u32,
        params: &mut P,
    ) -> Result<(), RmError> {
        self.run(what, client, &self.file, number, params)
    }

    /// Makes a GPU known.
    pub(crate) fn register_gpu(&self, client: &Client, uuid: [u8; 16]) -> Result<(), RmError> {
        let mut params = UVM_REGISTER_GPU_PARAMS {
            gpu_uuid: uuid,
            rmCtrlFd: -1,
            ..FromZeros::new_zeroed()
        };
        self.command(
            "UVM_REGISTER_GPU",
            client,
            command::UVM_REGISTER_GPU,
            &mut params,
        )?;
        check("UVM_REGISTER_GPU", params.rmStatus)
    }

    /// Hands a VA space of the GPU over to UVM.
    pub(crate) fn register_vaspace(
        &self,
        client: &Client,
        uuid: [u8; 16],
        vaspace: Object,
    ) -> Result<(), RmError> {
        let mut params = UVM_REGISTER_GPU_VASPACE_PARAMS {
            gpuUuid: uuid,
            rmCtrlFd: client.control_fd(),
            hClient: client.root().0,
            hVaSpace: vaspace.0,
            rmStatus: 0,
        };
        let what = "UVM_REGISTER_GPU_VASPACE";
        self.command(what, client, command::UVM_REGISTER_GPU_VASPACE, &mut params)?;
        check(what, params.rmStatus)
    }

    /// Takes it back.
    pub(crate) fn unregister_vaspace(
        &self,
        client: &Client,
        uuid: [u8; 16],
    ) -> Result<(), RmError> {
        let mut params = UVM_UNREGISTER_GPU_VASPACE_PARAMS {
            gpuUuid: uuid,
            rmStatus: 0,
        };
        let what = "UVM_UNREGISTER_GPU_VASPACE";
        self.command(
            what,
            client,
            command::UVM_UNREGISTER_GPU_VASPACE,
            &mut params,
        )?;
        check(what, params.rmStatus)
    }

    /// Reserves addresses for mappings of RM memory.
    pub(crate) fn create_external_range(
        &self,
        client: &Client,
        base: u64,
        length: u64,
    ) -> Result<(), RmError> {
        let mut params = UVM_CREATE_EXTERNAL_RANGE_PARAMS {
            base,
            length,
            ..FromZeros::new_zeroed()
        };
        let what = "UVM_CREATE_EXTERNAL_RANGE";
        self.command(
            what,
            client,
            command::UVM_CREATE_EXTERNAL_RANGE,
            &mut params,
        )?;
        check(what, params.rmStatus)
    }

    /// Maps RM memory at a reserved address on the given GPUs.
    pub(crate) fn map_external(
        &self,
        client: &Client,
        base: u64,
        length: u64,
        offset: u64,
        memory: Object,
        gpus: &[[u8; 16]],
    ) -> Result<(), RmError> {
        self.map_external_as(client, (base, length, offset), memory, gpus, true)
    }

    /// Maps `length` bytes from `offset` of RM memory at `base` on the given GPUs, writable or not.
    pub(crate) fn map_external_as(
        &self,
        client: &Client,
        (base, length, offset): (u64, u64, u64),
        memory: Object,
        gpus: &[[u8; 16]],
        writable: bool,
    ) -> Result<(), RmError> {
        /// `UvmGpuMappingTypeReadOnly`.
        const READ_ONLY: u32 = 3;
        let what = "UVM_MAP_EXTERNAL_ALLOCATION";
        let mut params = Box::new(UVM_MAP_EXTERNAL_ALLOCATION_PARAMS {
            base,
            length,
            offset,
            gpuAttributesCount: gpus.len() as u64,
            rmCtrlFd: client.control_fd(),
            hClient: client.root().0,
            hMemory: memory.0,
            ..FromZeros::new_zeroed()
        });
        for (slot, uuid) in params.perGpuAttributes.iter_mut().zip(gpus) {
            slot.gpuUuid = *uuid;
            slot.gpuMappingType = if writable { 0 } else { READ_ONLY };
        }
        if !self.narrow {
            self.command(
                what,
                client,
                command::UVM_MAP_EXTERNAL_ALLOCATION,
                &mut *params,
            )?;
            return check(what, params.rmStatus);
        }
        // The older form: the same members around a shorter array.
        let slots = size_of::<UvmGpuMappingAttributes>() * NARROW_SLOTS;
        let wide = params.as_bytes();
        let head = 24;
        let tail = head + size_of_val(&params.perGpuAttributes);
        let mut bytes = [&wide[..head + slots], &wide[tail..]].concat();
        self.file
            .command(command::UVM_MAP_EXTERNAL_ALLOCATION, &mut bytes)
            .map_err(|error| RmError::Door { what, error })?;
        let status = bytes.last_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        check(what, status)
    }

    /// Takes a GPU's mappings out of a part of a range.
    pub(crate) fn unmap_external(
        &self,
        client: &Client,
        base: u64,
        length: u64,
        uuid: [u8; 16],
    ) -> Result<(), RmError> {
        let mut params = UVM_UNMAP_EXTERNAL_PARAMS {
            base,
            length,
            gpuUuid: uuid,
            ..FromZeros::new_zeroed()
        };
        let what = "UVM_UNMAP_EXTERNAL";
        self.command(what, client, command::UVM_UNMAP_EXTERNAL, &mut params)?;
        check(what, params.rmStatus)
    }

    /// Ends a range and what is mapped in it.
    pub(crate) fn free(&self, client: &Client, base: u64, length: u64) -> Result<(), RmError> {
        let mut params = UVM_FREE_PARAMS {
            base,
            length,
            ..FromZeros::new_zeroed()
        };
        self.command("UVM_FREE", client, command::UVM_FREE, &mut params)?;
        check("UVM_FREE", params.rmStatus)
    }

    /// Makes `[base, base + len)` managed memory.
    ///
    /// # Safety
    /// The caller owns the range of addresses.
    pub(crate) unsafe fn map_managed(
        &self,
        client: &Client,
        base: usize,
        len: usize,
    ) -> Result<Mapping, RmError> {
        // SAFETY: the caller owns the range.
        let mapping = unsafe {
            self.file
                .map(base, len, Protection::READ_WRITE, true, base as u64)
        }
        .map_err(|error| RmError::Door {
            what: "mapping managed memory",
            error,
        })?;
        let mut params = UVM_VALIDATE_VA_RANGE_PARAMS {
            base: base as u64,
            length: len as u64,
            ..FromZeros::new_zeroed()
        };
        self.command(
            "UVM_VALIDATE_VA_RANGE",
            client,
            command::UVM_VALIDATE_VA_RANGE,
            &mut params,
        )?;
        check("UVM_VALIDATE_VA_RANGE", params.rmStatus)?;
        Ok(mapping)
    }

    /// Says that a managed range was unmapped.
    pub(crate) fn unmapped(&self, base: u64, len: u64) -> Result<(), RmError> {
        self.file
            .unmapped(base, len)
            .map_err(|error| RmError::Door {
                what: "unmapping managed memory",
                error,
            })
    }
}
