//! NVML, as this tool uses it.

use std::ffi::{CString, c_char};

use nvml::Return;
use nvml::ffi::{In, Opt, Out};
use nvml::functions::*;
use nvml::types::*;

use crate::error::Failure;

/// An NVML answer.
pub type Answer<T> = Result<T, Return>;

/// NVML between init and shutdown.
#[derive(Debug)]
pub struct Nvml(());

/// Room for texts.
const TEXT: u32 = 256;

fn text(call: impl FnOnce(Out<'_, c_char>, u32) -> Return) -> Answer<String> {
    let mut buffer = [0 as c_char; TEXT as usize];
    call(Out::array(&mut buffer), TEXT).ok()?;
    let bytes = buffer
        .iter()
        .take_while(|byte| **byte != 0)
        .map(|byte| byte.cast_unsigned())
        .collect();
    String::from_utf8(bytes).map_err(|_| Return::Unknown)
}

fn value<T: Default>(call: impl FnOnce(Out<'_, T>) -> Return) -> Answer<T> {
    let mut value = T::default();
    call(Out::new(&mut value)).ok()?;
    Ok(value)
}

impl Nvml {
    /// Starts.
    ///
    /// # Errors
    /// [`Failure::NoDriver`], [`Failure::Init`].
    pub fn start() -> Result<Self, Failure> {
        match nvmlInit_v2() {
            Return::Success => Ok(Self(())),
            Return::DriverNotLoaded => Err(Failure::NoDriver),
            error => Err(Failure::Init(error)),
        }
    }

    /// Driver version.
    pub fn driver_version(&self) -> Answer<String> {
        text(|out, room| nvmlSystemGetDriverVersion(out, room))
    }

    /// CUDA version, as `13.0`.
    pub fn cuda_version(&self) -> Answer<String> {
        let version = value(|out| nvmlSystemGetCudaDriverVersion_v2(out))?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// All GPUs.
    pub fn gpus(&self) -> Answer<Vec<Gpu>> {
        let count: u32 = value(|out| nvmlDeviceGetCount_v2(out))?;
        (0..count)
            .map(|index| {
                let device = value(|out| nvmlDeviceGetHandleByIndex_v2(index, out))?;
                Ok(Gpu { index, device })
            })
            .collect()
    }

    /// The GPU that an index, UUID, serial number or bus id names.
    pub fn find(&self, name: &str) -> Answer<Gpu> {
        let device = if let Ok(index) = name.parse::<u32>() {
            value(|out| nvmlDeviceGetHandleByIndex_v2(index, out))
        } else {
            let c_name = CString::new(name).map_err(|_| Return::InvalidArgument)?;
            value(|out| nvmlDeviceGetHandleByUUID(In::text(&c_name), out))
                .or_else(|_| value(|out| nvmlDeviceGetHandleByPciBusId_v2(In::text(&c_name), out)))
                .or_else(|_| value(|out| nvmlDeviceGetHandleBySerial(In::text(&c_name), out)))
        }?;
        let index = value(|out| nvmlDeviceGetIndex(device, out))?;
        Ok(Gpu { index, device })
    }

    /// Path of a process.
    pub fn process_name(&self, pid: u32) -> Answer<String> {
        text(|out, room| nvmlSystemGetProcessName(pid, out, room))
    }
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // Nothing is left to do about a failure.
        let _ = nvmlShutdown();
    }
}

/// A GPU.
#[derive(Clone, Copy, Debug)]
pub struct Gpu {
    /// NVML's index.
    pub index: u32,
    device: Device,
}

/// Bytes of memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub total: u64,
    pub reserved: u64,
    pub used: u64,
    pub free: u64,
}

/// A process on a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    pub pid: u32,
    pub bytes: u64,
}

macro_rules! texts {
    ($($(#[$meta:meta])* $name:ident = $function:ident;)*) => {
        $($(#[$meta])* pub fn $name(&self) -> Answer<String> {
            text(|out, room| $function(self.device, out, room))
        })*
    };
}

macro_rules! numbers {
    ($($(#[$meta:meta])* $name:ident = $function:ident $(($($arg:expr),*))?;)*) => {
        $($(#[$meta])* pub fn $name(&self) -> Answer<u32> {
            value(|out| $function(self.device, $($($arg,)*)? out))
        })*
    };
}

impl Gpu {
    texts! {
        name = nvmlDeviceGetName;
        uuid = nvmlDeviceGetUUID;
        serial = nvmlDeviceGetSerial;
        vbios = nvmlDeviceGetVbiosVersion;
        part_number = nvmlDeviceGetBoardPartNumber;
        inforom = nvmlDeviceGetInforomImageVersion;
    }

    numbers! {
        minor = nvmlDeviceGetMinorNumber;
        brand = nvmlDeviceGetBrand;
        architecture = nvmlDeviceGetArchitecture;
        board_id = nvmlDeviceGetBoardId;
        multi_gpu = nvmlDeviceGetMultiGpuBoard;
        display_mode = nvmlDeviceGetDisplayMode;
        display_active = nvmlDeviceGetDisplayActive;
        persistence = nvmlDeviceGetPersistenceMode;
        compute_mode = nvmlDeviceGetComputeMode;
        virtualization = nvmlDeviceGetVirtualizationMode;
        link_gen = nvmlDeviceGetCurrPcieLinkGeneration;
        link_gen_max = nvmlDeviceGetMaxPcieLinkGeneration;
        link_width = nvmlDeviceGetCurrPcieLinkWidth;
        link_width_max = nvmlDeviceGetMaxPcieLinkWidth;
        replay_counter = nvmlDeviceGetPcieReplayCounter;
        fan = nvmlDeviceGetFanSpeed;
        pstate = nvmlDeviceGetPerformanceState;
        temperature = nvmlDeviceGetTemperature(0);
        power = nvmlDeviceGetPowerUsage;
        power_limit = nvmlDeviceGetPowerManagementLimit;
        power_limit_enforced = nvmlDeviceGetEnforcedPowerLimit;
        power_limit_default = nvmlDeviceGetPowerManagementDefaultLimit;
        clock_graphics = nvmlDeviceGetClockInfo(0);
        clock_sm = nvmlDeviceGetClockInfo(1);
        clock_memory = nvmlDeviceGetClockInfo(2);
        clock_video = nvmlDeviceGetClockInfo(3);
        max_clock_graphics = nvmlDeviceGetMaxClockInfo(0);
        max_clock_sm = nvmlDeviceGetMaxClockInfo(1);
        max_clock_memory = nvmlDeviceGetMaxClockInfo(2);
        max_clock_video = nvmlDeviceGetMaxClockInfo(3);
        accounting = nvmlDeviceGetAccountingMode;
        accounting_buffer = nvmlDeviceGetAccountingBufferSize;
        cores = nvmlDeviceGetNumGpuCores;
    }

    pub fn gsp(&self) -> Answer<String> {
        text(|out, _| nvmlDeviceGetGspFirmwareVersion(self.device, out))
    }

    pub fn pci(&self) -> Answer<Pci> {
        let mut info = nvmlPciInfo_t {
            busIdLegacy: [0; 16],
            domain: 0,
            bus: 0,
            device: 0,
            pciDeviceId: 0,
            pciSubSystemId: 0,
            busId: [0; 32],
        };
        nvmlDeviceGetPciInfo_v3(self.device, Out::new(&mut info)).ok()?;
        Ok(Pci {
            domain: info.domain,
            bus: info.bus,
            device: info.device,
            id: info.pciDeviceId,
            subsystem: info.pciSubSystemId,
        })
    }

    pub fn memory(&self) -> Answer<Memory> {
        let mut memory = nvmlMemory_v2_t {
            version: version_of::<nvmlMemory_v2_t>(2),
            total: 0,
            reserved: 0,
            free: 0,
            used: 0,
        };
        nvmlDeviceGetMemoryInfo_v2(self.device, Out::new(&mut memory)).ok()?;
        Ok(Memory {
            total: memory.total,
            reserved: memory.reserved,
            used: memory.used,
            free: memory.free,
        })
    }

    pub fn bar1(&self) -> Answer<Memory> {
        let mut memory = nvmlBAR1Memory_t {
            bar1Total: 0,
            bar1Free: 0,
            bar1Used: 0,
        };
        nvmlDeviceGetBAR1MemoryInfo(self.device, Out::new(&mut memory)).ok()?;
        Ok(Memory {
            total: memory.bar1Total,
            reserved: 0,
            used: memory.bar1Used,
            free: memory.bar1Free,
        })
    }

    pub fn utilization(&self) -> Answer<(u32, u32)> {
        let mut rates = nvmlUtilization_t { gpu: 0, memory: 0 };
        nvmlDeviceGetUtilizationRates(self.device, Out::new(&mut rates)).ok()?;
        Ok((rates.gpu, rates.memory))
    }

    pub fn compute_capability(&self) -> Answer<String> {
        let (mut major, mut minor) = (0, 0);
        nvmlDeviceGetCudaComputeCapability(self.device, Out::new(&mut major), Out::new(&mut minor))
            .ok()?;
        Ok(format!("{major}.{minor}"))
    }

    pub fn ecc(&self) -> Answer<(u32, u32)> {
        self.pair(|now, pending| nvmlDeviceGetEccMode(self.device, now, pending))
    }

    pub fn mig(&self) -> Answer<(u32, u32)> {
        self.pair(|now, pending| nvmlDeviceGetMigMode(self.device, now, pending))
    }

    fn pair(&self, call: impl FnOnce(Out<'_, u32>, Out<'_, u32>) -> Return) -> Answer<(u32, u32)> {
        let (mut one, mut other) = (0, 0);
        call(Out::new(&mut one), Out::new(&mut other)).ok()?;
        Ok((one, other))
    }

    /// ECC errors: 0 corrected, 1 uncorrected; counted 0 since the start, 1 ever.
    pub fn ecc_errors(&self, kind: u32, counter: u32) -> Answer<u64> {
        value(|out| nvmlDeviceGetTotalEccErrors(self.device, kind, counter, out))
    }

    /// Sets the ECC mode that holds after the next reset.
    pub fn set_ecc(&self, on: bool) -> Answer<()> {
        nvmlDeviceSetEccMode(self.device, u32::from(on)).ok()
    }

    /// Clears ECC errors: 0 those since the start, 1 those of all time.
    pub fn clear_ecc(&self, counter: u32) -> Answer<()> {
        nvmlDeviceClearEccErrorCounts(self.device, counter).ok()
    }

    /// Remapped rows: corrected, uncorrected, whether some are pending.
    pub fn remapped(&self) -> Answer<(u32, u32, bool)> {
        let (mut corrected, mut uncorrected, mut pending, mut failed) = (0, 0, 0, 0);
        nvmlDeviceGetRemappedRows(
            self.device,
            Out::new(&mut corrected),
            Out::new(&mut uncorrected),
            Out::new(&mut pending),
            Out::new(&mut failed),
        )
        .ok()?;
        Ok((corrected, uncorrected, pending != 0))
    }

    /// Whether NVLink `link` is up.
    pub fn link(&self, link: u32) -> Answer<bool> {
        value(|out| nvmlDeviceGetNvLinkState(self.device, link, out)).map(|state: u32| state != 0)
    }

    /// How many NVLinks are up.
    pub fn links(&self) -> usize {
        (0..64)
            .map_while(|link| self.link(link).ok())
            .filter(|up| *up)
            .count()
    }

    /// Speed of one NVLink, MB/s (`NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON`).
    pub fn link_speed(&self) -> Answer<u64> {
        let mut field = nvmlFieldValue_t {
            fieldId: 90,
            scopeId: 0,
            timestamp: 0,
            latencyUsec: 0,
            valueType: 0,
            nvmlReturn: 0,
            value: 0,
        };
        nvmlDeviceGetFieldValues(self.device, 1, Out::new(&mut field)).ok()?;
        match Return::of(field.nvmlReturn) {
            Some(Return::Success) => Ok(field.value),
            other => Err(other.unwrap_or(Return::Unknown)),
        }
    }

    /// Percent of the GPU that each process had since it was last asked for.
    pub fn shares(&self) -> Vec<(u32, u32)> {
        let empty = nvmlProcessUtilizationSample_t {
            pid: 0,
            timeStamp: 0,
            smUtil: 0,
            memUtil: 0,
            encUtil: 0,
            decUtil: 0,
        };
        let mut samples = vec![empty; 1024];
        let mut count = 1024;
        let answer = nvmlDeviceGetProcessUtilization(
            self.device,
            Opt::array(&mut samples),
            Out::new(&mut count),
            0,
        );
        if answer.ok().is_err() {
            return Vec::new();
        }
        let samples = samples.iter().take(count as usize);
        samples.map(|s| (s.pid, s.smUtil)).collect()
    }

    pub fn processes(&self) -> Answer<Vec<Process>> {
        let mut room = 64_u32;
        loop {
            let mut count = room;
            let empty = nvmlProcessInfo_v2_t {
                pid: 0,
                usedGpuMemory: 0,
                gpuInstanceId: 0,
                computeInstanceId: 0,
            };
            let mut infos = vec![empty; room as usize];
            match nvmlDeviceGetComputeRunningProcesses_v3(
                self.device,
                Out::new(&mut count),
                Opt::array(&mut infos),
            ) {
                // Processes may come between two calls.
                Return::InsufficientSize => room = count.saturating_add(16),
                other => {
                    other.ok()?;
                    return Ok(infos
                        .iter()
                        .take(count as usize)
                        .map(|info| Process {
                            pid: info.pid,
                            bytes: info.usedGpuMemory,
                        })
                        .collect());
                }
            }
        }
    }

    pub fn ancestor(&self, other: &Self) -> Answer<u32> {
        value(|out| nvmlDeviceGetTopologyCommonAncestor(self.device, other.device, out))
    }

    pub fn p2p(&self, other: &Self, capability: u32) -> Answer<u32> {
        value(|out| nvmlDeviceGetP2PStatus(self.device, other.device, capability, out))
    }

    pub fn cpus(&self) -> Answer<Vec<usize>> {
        let mut words = [0_u64; 64];
        nvmlDeviceGetCpuAffinity(self.device, 64, Out::array(&mut words)).ok()?;
        Ok((0..64 * 64)
            .filter(|cpu| words[cpu / 64] >> (cpu % 64) & 1 == 1)
            .collect())
    }

    pub fn set_persistence(&self, on: bool) -> Answer<()> {
        nvmlDeviceSetPersistenceMode(self.device, u32::from(on)).ok()
    }

    /// Resets the GPU.
    pub fn reset(&self) -> Answer<()> {
        nvml::reset(self.device)
    }

    pub fn set_compute_mode(&self, mode: u32) -> Answer<()> {
        nvmlDeviceSetComputeMode(self.device, mode).ok()
    }

    /// Bus id with 8 digits of domain.
    pub fn bus_id(&self) -> Answer<String> {
        let pci = self.pci()?;
        Ok(format!(
            "{:08X}:{:02X}:{:02X}.0",
            pci.domain, pci.bus, pci.device
        ))
    }
}

/// Place on the PCI bus.
#[derive(Clone, Copy, Debug)]
pub struct Pci {
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
    pub id: u32,
    pub subsystem: u32,
}
