//! PCI controls.

use std::sync::Arc;

use abi::nv::control_params::{
    NV2080_CTRL_BUS_GET_PCI_BAR_INFO_PARAMS, NV2080_CTRL_BUS_GET_PCI_INFO_PARAMS,
    NV2080_CTRL_BUS_PCI_BAR_INFO,
};

use super::Control;
use crate::gpu::Gpu;
use crate::params::store;
use crate::status::RmResult;

/// BUS_GET_PCI_INFO.
pub(super) fn pci_info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let profile = &call.gpu()?.profile;
    let info = NV2080_CTRL_BUS_GET_PCI_INFO_PARAMS {
        pciDeviceId: u32::from(profile.device_id) << 16 | 0x10de,
        pciSubSystemId: u32::from(profile.subsystem_id) << 16 | 0x10de,
        pciRevisionId: profile.revision,
        pciExtDeviceId: u32::from(profile.device_id),
    };
    store(params, &info);
    Ok(())
}

/// PCIe x16.
const WIDTH: u32 = 16;

fn bus_value(gpu: &Gpu, index: u32) -> u32 {
    let link = gpu.profile.pcie_gen | WIDTH << 4;
    match index {
        // Type: PCI Express.
        0x00 => 3,
        // Interrupt line.
        0x01 => 16,
        // Link capabilities: speed in bits 3:0, width in bits 9:4 (PCIe specification).
        0x03 => link,
        // Link status is the upper half of the register.
        0x07 => link << 16,
        // Generations, each less one: what the slot allows (15:12), what runs (19:16), what the chip can (23:20).
        0x2d => (gpu.profile.pcie_gen - 1) * 0x11_1000,
        _ => 0,
    }
}

/// BUS_GET_INFO: pairs through a pointer.
pub(super) fn info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = Arc::clone(call.gpu()?);
    super::fb::pairs_by_pointer(call, params, 128, |index| Ok(bus_value(&gpu, index)))
}

/// BUS_GET_INFO_V2: pairs in the struct.
pub(super) fn info_v2(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = Arc::clone(call.gpu()?);
    super::gpu::each_pair(params, |index| Ok(bus_value(&gpu, index)))
}

/// BUS_GET_PCI_BAR_INFO: registers, framebuffer window, instance memory.
pub(super) fn bar_info(call: &mut Control<'_>, params: &mut [u8]) -> RmResult {
    let gpu = call.gpu()?;
    let mut info = NV2080_CTRL_BUS_GET_PCI_BAR_INFO_PARAMS {
        pciBarCount: 3,
        ..Default::default()
    };
    let base = 0x20_0000_0000_0000 + (u64::from(gpu.index) << 40);
    for (slot, (bytes, offset)) in info.pciBarInfo.iter_mut().zip([
        (16_u64 << 20, base),
        (gpu.profile.bar1_mib << 20, base + (1 << 39)),
        (32 << 20, base + (32 << 20)),
    ]) {
        *slot = NV2080_CTRL_BUS_PCI_BAR_INFO {
            flags: 0,
            barSize: u32::try_from(bytes >> 20).unwrap_or(u32::MAX),
            barSizeBytes: bytes,
            barOffset: offset,
        };
    }
    store(params, &info);
    Ok(())
}
