//! Devices: identity, classes, attributes.

use std::sync::Mutex;

use abi::nv::alloc_params::*;
use abi::nv::classes;
use abi::nv::control_params::*;
use cuda_abi::driver::{CUdevice_attribute as Attribute, CUresult};
use door::{File, Mapping, Node};
use zerocopy::{FromZeros, IntoBytes};

use super::attributes::{self, Chip, Limits};
use super::rm::{Client, Object, RmError};

/// Classes that this library drives, newest first, with what belongs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Classes {
    /// Channel.
    pub channel: u32,
    /// Compute.
    pub compute: u32,
    /// Copy.
    pub copy: u32,
    /// Doorbell page.
    pub usermode: u32,
}

const CHANNELS: &[u32] = &[
    classes::BLACKWELL_CHANNEL_GPFIFO_B,
    classes::BLACKWELL_CHANNEL_GPFIFO_A,
    classes::HOPPER_CHANNEL_GPFIFO_A,
    classes::AMPERE_CHANNEL_GPFIFO_A,
];
const COMPUTE: &[u32] = &[
    classes::BLACKWELL_COMPUTE_B,
    classes::BLACKWELL_COMPUTE_A,
    classes::HOPPER_COMPUTE_A,
    classes::ADA_COMPUTE_A,
    classes::AMPERE_COMPUTE_B,
    classes::AMPERE_COMPUTE_A,
];
const COPY: &[u32] = &[
    classes::BLACKWELL_DMA_COPY_B,
    classes::BLACKWELL_DMA_COPY_A,
    classes::HOPPER_DMA_COPY_A,
    classes::AMPERE_DMA_COPY_B,
    classes::AMPERE_DMA_COPY_A,
];
const USERMODE: &[u32] = &[
    classes::HOPPER_USERMODE_A,
    classes::AMPERE_USERMODE_A,
    classes::TURING_USERMODE_A,
    classes::VOLTA_USERMODE_A,
];

impl Classes {
    /// The newest of each kind that the chip offers.
    fn pick(list: &[u32]) -> Option<Self> {
        let newest = |wanted: &[u32]| wanted.iter().copied().find(|class| list.contains(class));
        Some(Self {
            channel: newest(CHANNELS)?,
            compute: newest(COMPUTE)?,
            copy: newest(COPY)?,
            usermode: newest(USERMODE)?,
        })
    }
}

/// Indices of `NV2080_CTRL_GR_INFO`, `FB_INFO` and `BUS_INFO` (ctrl2080gr.h, ctrl2080fb.h).
mod index {
    pub(super) const GR_SM_VERSION: u32 = 0x0c;
    pub(super) const GR_CORE_COUNT: u32 = 0x1d;
    pub(super) const FB_TOTAL_RAM_KIB: u32 = 0x08;
    pub(super) const FB_HEAP_FREE_KIB: u32 = 0x16;
}

/// Numbers of the controls used here.
mod control {
    pub(super) const GPU_GET_ID_INFO_V2: u32 = 0x0000_0205;
    pub(super) const GPU_GET_CLASSLIST_V2: u32 = 0x0080_0292;
    pub(super) const GPU_GET_NAME_STRING: u32 = 0x2080_0110;
    pub(super) const GPU_GET_GID_INFO: u32 = 0x2080_014a;
    pub(super) const FB_GET_INFO_V2: u32 = 0x2080_1303;
    pub(super) const GR_GET_INFO: u32 = 0x2080_1201;
    pub(super) const BUS_GET_PCI_INFO: u32 = 0x2080_1801;
}

/// Where a card sits, from `NV_ESC_CARD_INFO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Card {
    /// RM's number of the GPU.
    pub gpu_id: u32,
    /// Minor of its device node.
    pub minor: u32,
    /// PCI domain, bus, slot.
    pub pci: (u32, u8, u8),
}

/// A device.
#[derive(Debug)]
pub(crate) struct Device {
    /// Where it sits.
    pub card: Card,
    /// The open device node.
    pub node: File,
    /// NV01_DEVICE_0.
    pub device: Object,
    /// NV20_SUBDEVICE_0.
    pub subdevice: Object,
    /// Classes to drive it by.
    pub classes: Classes,
    /// 16 bytes that name it for ever.
    pub uuid: [u8; 16],
    /// Product name.
    pub name: String,
    /// Compute capability.
    pub capability: (u32, u32),
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Bytes of memory.
    pub total_memory: u64,
    /// PCI device and subsystem numbers.
    pub pci_ids: (u32, u32),
    chip: Chip,
    usermode: Mutex<Option<std::sync::Arc<Mapping>>>,
}

impl Device {
    /// Opens the node and asks what is there.
    pub(crate) fn open(client: &Client, card: Card) -> Result<Self, RmError> {
        let node = door::open(Node::Gpu(card.minor)).map_err(|error| RmError::Door {
            what: "opening the GPU's device node",
            error,
        })?;
        let mut link = abi::nv::escape_params::nv_ioctl_register_fd_t {
            ctl_fd: client.control_fd(),
        };
        node.escape(abi::nv::escapes::REGISTER_FD, link.as_mut_bytes())
            .map_err(|error| RmError::Door {
                what: "registering the GPU's file",
                error,
            })?;

        let mut id = NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS {
            gpuId: card.gpu_id,
            ..FromZeros::new_zeroed()
        };
        client.control(
            "asking for the GPU's instance",
            client.root(),
            control::GPU_GET_ID_INFO_V2,
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
            &mut params,
        )?;
        let mut params = NV2080_ALLOC_PARAMETERS {
            subDeviceId: id.subDeviceInstance,
        };
        let subdevice = client.alloc(
            "allocating the subdevice",
            device,
            classes::NV20_SUBDEVICE_0,
            &mut params,
        )?;

        let mut list = NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS::new_zeroed();
        client.control(
            "asking for the class list",
            device,
            control::GPU_GET_CLASSLIST_V2,
            &mut list,
        )?;
        let known = list.classList.len().min(list.numClasses as usize);
        let classes = Classes::pick(&list.classList[..known]).ok_or(RmError::Status {
            what: "choosing classes",
            code: abi::nv::status::NV_ERR_NOT_SUPPORTED,
        })?;

        let version = gr_info(client, subdevice, index::GR_SM_VERSION)?;
        let capability = abi::nv::compute_capability(version);
        let cores_per_sm = if capability.0 == 8 && capability.1 == 0 {
            64
        } else {
            128
        };
        let sms = gr_info(client, subdevice, index::GR_CORE_COUNT)? / cores_per_sm;

        Ok(Self {
            card,
            node,
            device,
            subdevice,
            classes,
            uuid: uuid(client, subdevice)?,
            name: name(client, subdevice)?,
            capability,
            sms: sms.max(1),
            total_memory: fb_info(client, subdevice, index::FB_TOTAL_RAM_KIB)? << 10,
            pci_ids: pci_ids(client, subdevice)?,
            chip: Chip::of(capability.0, capability.1),
            usermode: Mutex::new(None),
        })
    }

    /// Text of the UUID as nvidia-smi prints it.
    pub(crate) fn uuid_text(&self) -> String {
        let hex: String = self.uuid.iter().map(|b| format!("{b:02x}")).collect();
        format!(
            "GPU-{}-{}-{}-{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..]
        )
    }

    /// Limits of the chip.
    pub(crate) fn limits(&self) -> Limits {
        attributes::limits(self.chip)
    }

    /// Compute capability, major × 10 + minor.
    pub(crate) fn cc(&self) -> u32 {
        self.capability.0 * 10 + self.capability.1
    }

    /// Free device memory, bytes.
    pub(crate) fn free_memory(&self, client: &Client) -> Result<u64, RmError> {
        Ok(fb_info(client, self.subdevice, index::FB_HEAP_FREE_KIB)? << 10)
    }

    /// The value of an attribute; numbers without a meaning are 0.
    ///
    /// # Errors
    /// 1 for a number below 1.
    pub(crate) fn attribute(&self, attribute: Attribute) -> Result<i32, CUresult> {
        if attribute.0 < 1 {
            return Err(CUresult::INVALID_VALUE);
        }
        let signed = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
        Ok(match attribute {
            Attribute::MULTIPROCESSOR_COUNT => signed(self.sms),
            Attribute::COMPUTE_CAPABILITY_MAJOR => signed(self.capability.0),
            Attribute::COMPUTE_CAPABILITY_MINOR => signed(self.capability.1),
            Attribute::PCI_DOMAIN_ID => signed(self.card.pci.0),
            Attribute::PCI_BUS_ID => i32::from(self.card.pci.1),
            Attribute::PCI_DEVICE_ID => i32::from(self.card.pci.2),
            Attribute::GPU_PCI_DEVICE_ID => self.pci_ids.0.cast_signed(),
            Attribute::GPU_PCI_SUBSYSTEM_ID => self.pci_ids.1.cast_signed(),
            Attribute::ECC_ENABLED => i32::from(matches!(self.chip, Chip::Gh100 | Chip::Ga100)),
            other => attributes::row(other, self.chip).unwrap_or(0),
        })
    }

    /// The doorbell page, mapped at first use. This library follows the private protocol of `abi::usermode` if the
    /// kernel half is ours.
    pub(crate) fn usermode(
        &self,
        client: &Client,
        ours: bool,
    ) -> Result<std::sync::Arc<Mapping>, RmError> {
        let mut usermode = self
            .usermode
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(page) = &*usermode {
            return Ok(page.clone());
        }
        let what = "mapping the doorbell page";
        let object = if self.classes.usermode == classes::HOPPER_USERMODE_A {
            let mut params = NV_HOPPER_USERMODE_A_PARAMS {
                bBar1Mapping: 1,
                bPriv: 0,
            };
            client.alloc(what, self.subdevice, self.classes.usermode, &mut params)?
        } else {
            client.alloc_plain(what, self.subdevice, self.classes.usermode)?
        };
        // SAFETY: no address is asked for.
        let page = unsafe {
            client.map(
                what,
                self.subdevice,
                object,
                Node::Gpu(self.card.minor),
                abi::usermode::BYTES,
                0,
            )
        }?;
        if ours {
            super::word::word32(&page, abi::usermode::ANNOUNCED).store(
                abi::usermode::ANNOUNCED_MAGIC,
                std::sync::atomic::Ordering::SeqCst,
            );
        }
        let page = std::sync::Arc::new(page);
        *usermode = Some(page.clone());
        Ok(page)
    }
}

fn gr_info(client: &Client, subdevice: Object, index: u32) -> Result<u32, RmError> {
    let mut info = [NV2080_CTRL_GR_INFO { index, data: 0 }];
    let mut params = NV2080_CTRL_GR_GET_INFO_PARAMS {
        grInfoListSize: 1,
        grInfoList: info.as_mut_ptr() as u64,
        ..FromZeros::new_zeroed()
    };
    client.control(
        "asking for graphics engine information",
        subdevice,
        control::GR_GET_INFO,
        &mut params,
    )?;
    // SAFETY: the kernel half wrote through the pointer in `params`, behind the compiler's back.
    Ok(unsafe { std::ptr::read_volatile(&raw const info[0].data) })
}

fn fb_info(client: &Client, subdevice: Object, index: u32) -> Result<u64, RmError> {
    let mut params = NV2080_CTRL_FB_GET_INFO_V2_PARAMS {
        fbInfoListSize: 1,
        ..FromZeros::new_zeroed()
    };
    params.fbInfoList[0].index = index;
    client.control(
        "asking for memory information",
        subdevice,
        control::FB_GET_INFO_V2,
        &mut params,
    )?;
    Ok(u64::from(params.fbInfoList[0].data))
}

fn name(client: &Client, subdevice: Object) -> Result<String, RmError> {
    let mut params = NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS::new_zeroed();
    client.control(
        "asking for the GPU's name",
        subdevice,
        control::GPU_GET_NAME_STRING,
        &mut params,
    )?;
    let bytes = params
        .gpuNameString
        .split(|b| *b == 0)
        .next()
        .unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn uuid(client: &Client, subdevice: Object) -> Result<[u8; 16], RmError> {
    /// `NV2080_GPU_CMD_GPU_GET_GID_FLAGS_FORMAT_BINARY`.
    const BINARY: u32 = 2;
    let mut params = NV2080_CTRL_GPU_GET_GID_INFO_PARAMS {
        flags: BINARY,
        length: 16,
        ..FromZeros::new_zeroed()
    };
    client.control(
        "asking for the GPU's UUID",
        subdevice,
        control::GPU_GET_GID_INFO,
        &mut params,
    )?;
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&params.data[..16]);
    Ok(uuid)
}

fn pci_ids(client: &Client, subdevice: Object) -> Result<(u32, u32), RmError> {
    let mut params = NV2080_CTRL_BUS_GET_PCI_INFO_PARAMS::new_zeroed();
    client.control(
        "asking for PCI identity",
        subdevice,
        control::BUS_GET_PCI_INFO,
        &mut params,
    )?;
    Ok((params.pciDeviceId, params.pciSubSystemId))
}
