//! One GPU: its objects and what the kernel half knows of it.

use std::sync::OnceLock;

use abi::nv::alloc_params::{NV0080_ALLOC_PARAMETERS, NV2080_ALLOC_PARAMETERS};
use abi::nv::classes;
use abi::nv::control_params::*;
use abi::nv::escape_params::nv_ioctl_register_fd_t;
use abi::nv::escapes;
use abi::vendor;
use door::{File, Node};
use zerocopy::{FromZeros, IntoBytes};

use super::error::RmError;
use super::rm::{Client, Object, Pairs, text, word};
use crate::Return;

/// Where a card sits, from `NV_ESC_CARD_INFO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// RM's number of the GPU.
    pub gpu_id: u32,
    /// Minor of its device node.
    pub minor: u32,
    /// PCI domain.
    pub domain: u32,
    /// PCI bus.
    pub bus: u8,
    /// PCI device.
    pub slot: u8,
}

/// A GPU.
#[derive(Debug)]
pub struct Gpu {
    /// Where it sits.
    pub card: Card,
    /// NV01_DEVICE_0.
    pub device: Object,
    /// NV20_SUBDEVICE_0.
    pub subdevice: Object,
    /// RM's number of the board.
    pub board_id: u32,
    /// NUMA node, negative when there is none.
    pub numa: i32,
    /// Keeps the GPU awake while it is open.
    _node: File,
    display: OnceLock<Option<Object>>,
}

/// Memory of a GPU, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All.
    pub total: u64,
    /// Not allocated.
    pub free: u64,
    /// What the driver keeps for itself.
    pub reserved: u64,
}

/// A process that uses a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Bytes of video memory.
    pub bytes: u64,
}

/// An answer of accounting.
#[derive(Debug)]
pub struct Account {
    /// Mode, or how many processes.
    pub value: u32,
    bytes: Vec<u8>,
}

impl Account {
    /// A word of the list or record.
    #[must_use]
    pub fn word(&self, slot: usize) -> u32 {
        self.bytes
            .get(8 + slot * 4..12 + slot * 4)
            .and_then(|b| b.try_into().ok())
            .map_or(0, u32::from_le_bytes)
    }
}

/// Power limit and clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// mW.
    pub power_limit: u32,
    /// SM clock now and at most, MHz.
    pub sm_clock: (u32, u32),
    /// Memory clock now and at most, MHz.
    pub memory_clock: (u32, u32),
}

/// Undocumented controls: number, bytes, word of the answer (nv-abi.md §6).
mod legacy {
    pub(super) const THERMAL: (u32, usize) = (0x2080_8513, 1432);
    pub(super) const CLOCK_DOMAINS: (u32, usize) = (0x2080_9009, 8);
    pub(super) const PSTATE: (u32, usize) = (0x2080_a068, 4);
    pub(super) const UTILIZATION: (u32, usize) = (0x2080_a097, 1168);
    pub(super) const POWER: (u32, usize) = (0x2080_a637, 88024);
}

impl Gpu {
    /// Opens the node and allocates device and subdevice.
    pub(crate) fn open(client: &Client, card: Card) -> Result<Self, RmError> {
        let node = door::open(Node::Gpu(card.minor)).map_err(|error| RmError::Door {
            what: "opening the GPU's device node",
            error,
        })?;
        register(client, &node)?;
        let mut id = NV0000_CTRL_GPU_GET_ID_INFO_PARAMS {
            gpuId: card.gpu_id,
            ..FromZeros::new_zeroed()
        };
        client.control(
            "asking for the GPU's instance",
            client.root(),
            0x0000_0202,
            NV0000_CTRL_GPU_GET_ID_INFO_PARAMS::NAME,
            &mut id,
        )?;
        let mut params = NV0080_ALLOC_PARAMETERS {
            deviceId: id.deviceInstance,
            hClientShare: client.root().0,
            ..FromZeros::new_zeroed()
        };
        let device = client.alloc(
            "allocating the device",
            client.root(),
            classes::NV01_DEVICE_0,
            params.as_mut_bytes(),
        )?;
        let mut params = NV2080_ALLOC_PARAMETERS {
            subDeviceId: id.subDeviceInstance,
        };
        let subdevice = client.alloc(
            "allocating the subdevice",
            device,
            classes::NV20_SUBDEVICE_0,
            params.as_mut_bytes(),
        )?;
        Ok(Self {
            card,
            device,
            subdevice,
            board_id: id.boardId,
            numa: id.numaId,
            _node: node,
            display: OnceLock::new(),
        })
    }

    /// Bus id as NVML writes it, domain in 8 digits.
    #[must_use]
    pub fn bus_id(&self) -> String {
        let Card {
            domain, bus, slot, ..
        } = self.card;
        format!("{domain:08X}:{bus:02X}:{slot:02X}.0")
    }

    /// Bus id with a domain of 4 digits.
    #[must_use]
    pub fn bus_id_legacy(&self) -> String {
        let Card {
            domain, bus, slot, ..
        } = self.card;
        format!("{domain:04X}:{bus:02X}:{slot:02X}.0")
    }

    /// Product name.
    pub fn name(&self, client: &Client) -> Result<String, RmError> {
        let mut params = NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS::new_zeroed();
        client.control(
            "asking for the name",
            self.subdevice,
            0x2080_0110,
            NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS::NAME,
            &mut params,
        )?;
        Ok(text(&params.gpuNameString))
    }

    /// `GPU-` and the UUID.
    pub fn uuid(&self, client: &Client) -> Result<String, RmError> {
        let mut params = NV2080_CTRL_GPU_GET_GID_INFO_PARAMS::new_zeroed();
        client.control(
            "asking for the UUID",
            self.subdevice,
            0x2080_014a,
            NV2080_CTRL_GPU_GET_GID_INFO_PARAMS::NAME,
            &mut params,
        )?;
        Ok(text(&params.data))
    }

    /// The serial number of the board.
    pub fn serial(&self, client: &Client) -> Result<String, Return> {
        // {buildDate, marketingName[24], serialNumber[16], ...}
        let text = self.board_info(client, 28..44)?;
        if text.is_empty() {
            return Err(Return::NotSupported);
        }
        Ok(text)
    }

    fn board_info(
        &self,
        client: &Client,
        field: std::ops::Range<usize>,
    ) -> Result<String, RmError> {
        let mut bytes = [0_u8; 136];
        client.control(
            "asking for the board",
            self.subdevice,
            0x2080_013f,
            "NV2080_CTRL_GPU_GET_OEM_BOARD_INFO_PARAMS",
            &mut bytes,
        )?;
        Ok(text(&bytes[field]))
    }

    /// VBIOS version.
    pub fn vbios(&self, client: &Client) -> Result<String, Return> {
        let [revision, oem] = client.pairs(
            "asking for the VBIOS",
            self.subdevice,
            0x2080_0802,
            Pairs::Pointed(16),
            [0, 1],
        )?;
        let [a, b, c, d] = revision.to_be_bytes();
        if revision == 0 {
            return Err(Return::NotSupported);
        }
        Ok(format!(
            "{a:02X}.{b:02X}.{c:02X}.{d:02X}.{:02X}",
            oem & 0xff
        ))
    }

    /// PCI device and subsystem ids, and the bus itself.
    pub fn pci_ids(&self, client: &Client) -> Result<(u32, u32), RmError> {
        let mut params = NV2080_CTRL_BUS_GET_PCI_INFO_PARAMS::new_zeroed();
        client.control(
            "asking for the PCI ids",
            self.subdevice,
            0x2080_1801,
            NV2080_CTRL_BUS_GET_PCI_INFO_PARAMS::NAME,
            &mut params,
        )?;
        Ok((params.pciDeviceId, params.pciSubSystemId))
    }

    /// Values of `NV2080_CTRL_FB_INFO`.
    fn fb<const N: usize>(&self, client: &Client, indices: [u32; N]) -> Result<[u32; N], RmError> {
        client.pairs(
            "asking for the framebuffer",
            self.subdevice,
            0x2080_1303,
            Pairs::Inside(NV2080_CTRL_FB_GET_INFO_V2_PARAMS::NAME),
            indices,
        )
    }

    /// Values of `NV2080_CTRL_GPU_INFO`.
    fn info<const N: usize>(
        &self,
        client: &Client,
        indices: [u32; N],
    ) -> Result<[u32; N], RmError> {
        client.pairs(
            "asking for the GPU's properties",
            self.subdevice,
            0x2080_0102,
            Pairs::Inside(NV2080_CTRL_GPU_GET_INFO_V2_PARAMS::NAME),
            indices,
        )
    }

    /// Values of `NV2080_CTRL_GR_INFO`.
    fn gr<const N: usize>(&self, client: &Client, indices: [u32; N]) -> Result<[u32; N], RmError> {
        client.pairs(
            "asking for the graphics engine",
            self.subdevice,
            0x2080_1201,
            Pairs::Pointed(size_of::<NV2080_CTRL_GR_GET_INFO_PARAMS>()),
            indices,
        )
    }

    /// Values of `NV2080_CTRL_BUS_INFO`.
    fn bus<const N: usize>(&self, client: &Client, indices: [u32; N]) -> Result<[u32; N], RmError> {
        client.pairs(
            "asking for the bus",
            self.subdevice,
            0x2080_1802,
            Pairs::Pointed(16),
            indices,
        )
    }

    /// Memory; the controls count in KiB.
    pub fn memory(&self, client: &Client) -> Result<Memory, RmError> {
        let [total, free, heap] = self
            .fb(client, [0x08, 0x16, 0x09])?
            .map(|kib| u64::from(kib) << 10);
        Ok(Memory {
            total,
            free: free.min(total),
            reserved: total.saturating_sub(heap),
        })
    }

    /// BAR1: all and free bytes.
    pub fn bar1(&self, client: &Client) -> Result<(u64, u64), RmError> {
        let [total, free] = self
            .fb(client, [0x05, 0x1d])?
            .map(|kib| u64::from(kib) << 10);
        Ok((total, free.min(total)))
    }

    /// Width of the memory bus, bits.
    pub fn bus_width(&self, client: &Client) -> Result<u32, RmError> {
        self.fb(client, [0x0b]).map(|[bits]| bits)
    }

    /// FP32 lanes of the GPU.
    pub fn cores(&self, client: &Client) -> Result<u32, RmError> {
        self.gr(client, [0x1d]).map(|[cores]| cores)
    }

    /// Compute capability.
    pub fn compute_capability(&self, client: &Client) -> Result<(u32, u32), RmError> {
        let [version] = self.gr(client, [0x0c])?;
        Ok(abi::nv::compute_capability(version))
    }

    /// `NV2080_CTRL_MC_ARCH_INFO_ARCHITECTURE`.
    pub fn architecture(&self, client: &Client) -> Result<u32, RmError> {
        let mut params = NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS::new_zeroed();
        client.control(
            "asking for the architecture",
            self.subdevice,
            0x2080_1701,
            NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS::NAME,
            &mut params,
        )?;
        Ok(params.architecture)
    }

    /// PCIe generation and width: at most, and now. (Link capabilities and link status registers.)
    pub fn link(&self, client: &Client) -> Result<[(u32, u32); 2], RmError> {
        let [most, now] = self.bus(client, [0x03, 0x07])?;
        let split = |register: u32| (register & 0xf, register >> 4 & 0x3f);
        Ok([split(most), split(now >> 16)])
    }

    /// Interrupt line.
    pub fn irq(&self, client: &Client) -> Result<u32, RmError> {
        self.bus(client, [0x01]).map(|[line]| line)
    }

    /// Whether persistence mode is on.
    pub fn persistence(&self, client: &Client) -> Result<bool, RmError> {
        let mut params = NV0080_CTRL_GPU_QUERY_SW_STATE_PERSISTENCE_PARAMS::new_zeroed();
        client.control(
            "asking for persistence",
            self.device,
            0x0080_0288,
            NV0080_CTRL_GPU_QUERY_SW_STATE_PERSISTENCE_PARAMS::NAME,
            &mut params,
        )?;
        // 0 enabled, 1 disabled.
        Ok(params.swStatePersistence == 0)
    }

    /// Sets persistence mode.
    pub fn set_persistence(&self, client: &Client, on: bool) -> Result<(), RmError> {
        let mut bytes = u32::from(!on).to_le_bytes();
        client.control_bytes("setting persistence", self.device, 0x0080_0287, &mut bytes)
    }

    /// Compute mode: NVML numbers it as RM does.
    pub fn compute_mode(&self, client: &Client) -> Result<u32, RmError> {
        let mut params = NV2080_CTRL_GPU_QUERY_COMPUTE_MODE_RULES_PARAMS::new_zeroed();
        client.control(
            "asking for the compute mode",
            self.subdevice,
            0x2080_0131,
            NV2080_CTRL_GPU_QUERY_COMPUTE_MODE_RULES_PARAMS::NAME,
            &mut params,
        )?;
        Ok(params.rules)
    }

    /// Per-process accounting: one of `vendor::ACCOUNTING_*`, with its value.
    pub fn account(&self, client: &Client, what: u32, value: u32) -> Result<Account, RmError> {
        let mut bytes = vec![0; vendor::ACCOUNTING_BYTES];
        bytes[0..4].copy_from_slice(&what.to_le_bytes());
        bytes[4..8].copy_from_slice(&value.to_le_bytes());
        client.control_bytes(
            "asking for accounting",
            self.subdevice,
            vendor::CTRL_ACCOUNTING,
            &mut bytes,
        )?;
        Ok(Account {
            value: word(&bytes, 1),
            bytes,
        })
    }

    /// Resets the GPU, when no program has a context there.
    pub fn reset(&self, client: &Client) -> Result<(), RmError> {
        client.control_bytes(
            "resetting the GPU",
            self.subdevice,
            vendor::CTRL_RESET,
            &mut [],
        )
    }

    /// Sets the compute mode.
    pub fn set_compute_mode(&self, client: &Client, rules: u32) -> Result<(), RmError> {
        let mut bytes = [0_u8; 8];
        bytes[..4].copy_from_slice(&rules.to_le_bytes());
        client.control(
            "setting the compute mode",
            self.subdevice,
            0x2080_0130,
            "NV2080_CTRL_GPU_SET_COMPUTE_MODE_RULES_PARAMS",
            &mut bytes,
        )
    }

    /// ECC: now, and by default.
    pub fn ecc(&self, client: &Client) -> Result<(bool, bool), RmError> {
        let mut params = NV2080_CTRL_GPU_QUERY_ECC_CONFIGURATION_PARAMS::new_zeroed();
        client.control(
            "asking for ECC",
            self.subdevice,
            0x2080_0133,
            NV2080_CTRL_GPU_QUERY_ECC_CONFIGURATION_PARAMS::NAME,
            &mut params,
        )?;
        Ok((
            params.currentConfiguration != 0,
            params.defaultConfiguration != 0,
        ))
    }

    /// Virtualization mode: RM numbers the first four as NVML does.
    pub fn virtualization(&self, client: &Client) -> Result<u32, RmError> {
        let mut params = NV0080_CTRL_GPU_GET_VIRTUALIZATION_MODE_PARAMS::new_zeroed();
        client.control(
            "asking for the virtualization mode",
            self.device,
            0x0080_0289,
            NV0080_CTRL_GPU_GET_VIRTUALIZATION_MODE_PARAMS::NAME,
            &mut params,
        )?;
        Ok(params.virtualizationMode)
    }

    /// MIG: enabled or not, or that the GPU has none.
    pub fn mig(&self, client: &Client) -> Result<bool, Return> {
        // NV2080_CTRL_GPU_INFO_INDEX_GPU_SMC_MODE: 0 unsupported, 1 enabled, 2 disabled.
        match self.info(client, [0x2a])? {
            [0] => Err(Return::NotSupported),
            [mode] => Ok(mode == 1),
        }
    }

    /// Whether the board has more than one GPU.
    pub fn multi_gpu(&self, client: &Client) -> Result<bool, RmError> {
        self.info(client, [0x22]).map(|[value]| value != 0)
    }

    /// GSP firmware: its version while it is in use, and whether it is by default.
    pub fn gsp(&self, client: &Client) -> Result<(Option<String>, bool), RmError> {
        let mut params = NV2080_CTRL_GSP_GET_FEATURES_PARAMS::new_zeroed();
        client.control(
            "asking for the GSP",
            self.subdevice,
            0x2080_3601,
            NV2080_CTRL_GSP_GET_FEATURES_PARAMS::NAME,
            &mut params,
        )?;
        let version = (params.bValid != 0).then(|| text(&params.firmwareVersion));
        Ok((version, params.bDefaultGspRmGpu != 0))
    }

    fn display(&self, client: &Client) -> Result<Object, Return> {
        self.display
            .get_or_init(|| {
                client
                    .alloc(
                        "allocating the display",
                        self.device,
                        classes::NV04_DISPLAY_COMMON,
                        &mut [],
                    )
                    .ok()
            })
            .ok_or(Return::NotSupported)
    }

    /// Whether a display is connected.
    pub fn display_connected(&self, client: &Client) -> Result<bool, Return> {
        let display = self.display(client)?;
        let mut supported = [0_u8; 12];
        client.control_bytes("asking for displays", display, 0x0073_0107, &mut supported)?;
        let mut connected = [0_u8; 16];
        connected[8..12].copy_from_slice(&supported[4..8]);
        client.control_bytes(
            "asking for connected displays",
            display,
            0x0073_0108,
            &mut connected,
        )?;
        Ok(word(&connected, 2) != 0)
    }

    /// Whether a head drives a display.
    pub fn display_active(&self, client: &Client) -> Result<bool, Return> {
        let display = self.display(client)?;
        let mut heads = [0_u8; 12];
        client.control_bytes("asking for heads", display, 0x0073_0102, &mut heads)?;
        Ok(word(&heads, 2) != 0)
    }

    fn legacy(
        &self,
        client: &Client,
        what: &'static str,
        (command, size): (u32, usize),
    ) -> Result<Vec<u8>, RmError> {
        let mut bytes = vec![0; size];
        client.control_bytes(what, self.subdevice, command, &mut bytes)?;
        Ok(bytes)
    }

    /// Utilization of the GPU and of its memory, percent.
    pub fn utilization(&self, client: &Client) -> Result<(u32, u32), Return> {
        let domains = self.legacy(client, "asking for clock domains", legacy::CLOCK_DOMAINS)?;
        if word(&domains, 1) == 0 {
            return Err(Return::NotSupported);
        }
        let bytes = self.legacy(client, "asking for the utilization", legacy::UTILIZATION)?;
        Ok((word(&bytes, 2), word(&bytes, 6)))
    }

    /// P-state, 0 the fastest.
    pub fn pstate(&self, client: &Client) -> Result<u32, Return> {
        let mask = word(
            &self.legacy(client, "asking for the P-state", legacy::PSTATE)?,
            0,
        );
        if mask == 0 {
            return Err(Return::NotSupported);
        }
        Ok(mask.trailing_zeros())
    }

    /// Power draw, mW.
    pub fn power(&self, client: &Client) -> Result<u32, RmError> {
        Ok(word(
            &self.legacy(client, "asking for the power draw", legacy::POWER)?,
            0x94 / 4,
        ))
    }

    /// Temperature, °C: one instruction that reads a sensor.
    pub fn temperature(&self, client: &Client) -> Result<u32, Return> {
        const HEADER: usize = 24;
        const READ_SENSOR: u32 = 0x1500;
        let (command, size) = legacy::THERMAL;
        let mut bytes = vec![0; size];
        for (at, value) in [(0, 1), (8, 44), (20, 1), (HEADER + 8, READ_SENSOR)] {
            bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
        }
        client.control_bytes(
            "asking for the temperature",
            self.subdevice,
            command,
            &mut bytes,
        )?;
        let instruction = &bytes[HEADER..];
        if word(instruction, 0) != abi::nv::status::NV_OK || word(instruction, 1) == 0 {
            return Err(Return::NotSupported);
        }
        Ok(word(instruction, 4))
    }

    /// Power limit and clocks, which our own kernel half tells.
    pub fn board(&self, client: &Client) -> Result<Board, RmError> {
        let mut bytes = [0; size_of::<vendor::BoardParams>()];
        client.control_bytes(
            "asking for limits and clocks",
            self.subdevice,
            vendor::CTRL_BOARD,
            &mut bytes,
        )?;
        Ok(Board {
            power_limit: word(&bytes, 0),
            sm_clock: (word(&bytes, 1), word(&bytes, 2)),
            memory_clock: (word(&bytes, 3), word(&bytes, 4)),
        })
    }

    /// Compute classes of the GPU.
    fn compute_classes(&self, client: &Client) -> Result<Vec<u32>, RmError> {
        let mut list = NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS::new_zeroed();
        client.control(
            "asking for the class list",
            self.device,
            0x0080_0292,
            NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS::NAME,
            &mut list,
        )?;
        let known = usize::try_from(list.numClasses).unwrap_or(0);
        Ok(list
            .classList
            .into_iter()
            .take(known)
            .filter(|class| classes::name(*class).is_some_and(|name| name.contains("_COMPUTE_")))
            .filter(|class| *class != classes::NV_CONFIDENTIAL_COMPUTE)
            .collect())
    }

    /// Processes with a compute context.
    pub fn processes(&self, client: &Client) -> Result<Vec<Process>, RmError> {
        let mut pids = Vec::new();
        for class in self.compute_classes(client)? {
            let mut params = NV2080_CTRL_GPU_GET_PIDS_PARAMS {
                idType: 0,
                id: class,
                ..FromZeros::new_zeroed()
            };
            client.control(
                "asking for the processes",
                self.subdevice,
                0x2080_018d,
                NV2080_CTRL_GPU_GET_PIDS_PARAMS::NAME,
                &mut params,
            )?;
            let count = usize::try_from(params.pidTblCount).unwrap_or(0);
            pids.extend(params.pidTbl.into_iter().take(count));
        }
        pids.sort_unstable();
        pids.dedup();
        let mut processes = Vec::new();
        for chunk in pids.chunks(200) {
            let mut params = NV2080_CTRL_GPU_GET_PID_INFO_PARAMS {
                pidInfoListCount: u32::try_from(chunk.len()).unwrap_or(0),
                ..FromZeros::new_zeroed()
            };
            for (slot, pid) in params.pidInfoList.iter_mut().zip(chunk) {
                slot.pid = *pid;
            }
            client.control(
                "asking for the processes' memory",
                self.subdevice,
                0x2080_018e,
                NV2080_CTRL_GPU_GET_PID_INFO_PARAMS::NAME,
                &mut params,
            )?;
            for info in params.pidInfoList.iter().take(chunk.len()) {
                // A process that ended in between has another result.
                if info.result == abi::nv::status::NV_OK {
                    let usage = info.data.vidMemUsage;
                    processes.push(Process {
                        pid: info.pid,
                        bytes: usage.memPrivate + usage.memSharedOwned,
                    });
                }
            }
        }
        Ok(processes)
    }
}

/// Ties a GPU's file to the client's control file.
pub(crate) fn register(client: &Client, node: &File) -> Result<(), RmError> {
    let mut link = nv_ioctl_register_fd_t {
        ctl_fd: client.control_fd(),
    };
    node.escape(escapes::REGISTER_FD, link.as_mut_bytes())
        .map_err(|error| RmError::Door {
            what: "registering the GPU's file",
            error,
        })
}
