//! What `/proc/driver/nvidia` and its kin hold (nv-abi.md §1.2), as text; the syscall door shows them as files.

use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::module;

/// Files by path, relative to `/proc`.
#[must_use]
pub fn files(kernel: &Kernel) -> Vec<(String, String)> {
    let mut files = vec![
        ("driver/nvidia/version".to_owned(), version(kernel)),
        ("driver/nvidia/params".to_owned(), params(kernel)),
        (
            "driver/nvidia/registry".to_owned(),
            "Binary: \"\"\n".to_owned(),
        ),
        (
            "driver/nvidia/capabilities/mig/config".to_owned(),
            capability(1),
        ),
        (
            "driver/nvidia/capabilities/mig/monitor".to_owned(),
            capability(2),
        ),
        (
            "driver/nvidia-caps/mig-minors".to_owned(),
            "config 1\nmonitor 2\n".to_owned(),
        ),
    ];
    for gpu in &kernel.gpus {
        files.push((
            format!("driver/nvidia/gpus/{}/information", gpu.bdf()),
            information(kernel, gpu),
        ));
    }
    files
}

/// `/proc/driver/nvidia/version`.
#[must_use]
pub fn version(kernel: &Kernel) -> String {
    format!(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  {}\nGCC version:  none (Antlerite, Rust)\n",
        kernel.config().version_text,
        module::BUILD
    )
}

fn capability(minor: u32) -> String {
    let mode = module::CAPS_MODE;
    format!("DeviceFileMinor: {minor}\nDeviceFileMode: {mode}\nDeviceFileModify: 1\n")
}

/// `/proc/devices`: the machine's, and the driver's character devices.
#[must_use]
pub fn devices(kernel: &Kernel, real: &str) -> String {
    let mut own: Vec<(u32, &str)> = Vec::new();
    if kernel.modules.is_loaded("nvidia") {
        own.extend([
            (module::NVIDIA_MAJOR, "nvidia"),
            (module::NVIDIA_MAJOR, "nvidiactl"),
            (module::NVLINK_MAJOR, "nvidia-nvlink"),
            (module::CAPS_MAJOR, "nvidia-caps"),
        ]);
    }
    if kernel.modules.is_loaded("nvidia_modeset") {
        own.push((module::NVIDIA_MAJOR, "nvidia-modeset"));
    }
    if kernel.modules.is_loaded("nvidia_uvm") {
        own.push((module::UVM_MAJOR, "nvidia-uvm"));
    }
    let mut out = String::new();
    let mut own = own.into_iter().peekable();
    for line in real.lines() {
        let number = line.split_whitespace().next().and_then(|w| w.parse().ok());
        while own
            .peek()
            .is_some_and(|(major, _)| number.map_or(line.is_empty(), |n: u32| n > *major))
        {
            if let Some((major, name)) = own.next() {
                out += &format!("{major:3} {name}\n");
            }
        }
        out += line;
        out.push('\n');
    }
    out
}

/// `/proc/interrupts`: the machine's, and a line for each GPU, before the named ones.
#[must_use]
pub fn interrupts(kernel: &Kernel, real: &str) -> String {
    let cpus = real
        .lines()
        .next()
        .map_or(1, |l| l.split_whitespace().count());
    let mut own = String::new();
    if kernel.modules.is_loaded("nvidia") {
        for gpu in &kernel.gpus {
            let count = gpu.interrupts.load(std::sync::atomic::Ordering::Relaxed);
            own += &format!("{:>4}: {count:>10}", 100 + gpu.index);
            for _ in 1..cpus {
                own += &format!(" {:>10}", 0);
            }
            own += &format!("  PCI-MSI {}-edge      nvidia\n", u32::from(gpu.bus) << 11);
        }
    }
    let mut out = String::new();
    for (index, line) in real.lines().enumerate() {
        let named = line
            .trim_start()
            .chars()
            .next()
            .is_some_and(|c| !c.is_ascii_digit());
        if index > 0 && named {
            out += &std::mem::take(&mut own);
        }
        out += line;
        out.push('\n');
    }
    out + &own
}

/// `/proc/driver/nvidia/params`.
#[must_use]
pub fn params(kernel: &Kernel) -> String {
    let mut text = String::new();
    for (key, value) in [
        ("ResmanDebugLevel", 4_294_967_295_u32),
        ("RmLogonRC", 1),
        ("ModifyDeviceFiles", 1),
        ("DeviceFileUID", 0),
        ("DeviceFileGID", 0),
        ("DeviceFileMode", 438),
        ("InitializeSystemMemoryAllocations", 1),
        ("UsePageAttributeTable", 4_294_967_295),
        ("EnableMSI", 1),
        ("EnablePCIeGen3", 0),
        ("MemoryPoolSize", 0),
        ("KMallocHeapMaxSize", 0),
        ("VMallocHeapMaxSize", 0),
        ("IgnoreMMIOCheck", 0),
        ("EnableStreamMemOPs", 0),
        ("EnableUserNUMAManagement", 1),
        ("NvLinkDisable", 0),
        ("RmProfilingAdminOnly", 0),
        ("PreserveVideoMemoryAllocations", 0),
        ("EnableS0ixPowerManagement", 0),
        ("S0ixPowerManagementVideoMemoryThreshold", 256),
        ("DynamicPowerManagement", 3),
        ("DynamicPowerManagementVideoMemoryThreshold", 200),
        ("RegisterPCIDriver", 1),
        ("EnablePCIERelaxedOrderingMode", 0),
        ("EnableResizableBar", 0),
        ("EnableGpuFirmware", 18),
        ("EnableGpuFirmwareLogs", 2),
        ("RmNvlinkBandwidthLinkCount", 0),
        ("EnableDbgBreakpoint", 0),
        ("OpenRmEnableUnsupportedGpus", 1),
        ("DmaRemapPeerMmio", 1),
        ("ImexChannelCount", 2048),
        ("CreateImexChannel0", 0),
        ("GrdmaPciTopoCheckOverride", 0),
    ] {
        let given = kernel.modules.registry(key);
        let value = given.unwrap_or_else(|| value.to_string());
        text += &format!("{key}: {value}\n");
    }
    for key in [
        "CoherentGPUMemoryMode",
        "RegistryDwords",
        "RegistryDwordsPerDevice",
        "RmMsg",
        "GpuBlacklist",
        "TemporaryFilePath",
        "ExcludedGpus",
    ] {
        let given = kernel.modules.registry(key).unwrap_or_default();
        text += &format!("{key}: \"{given}\"\n");
    }
    text
}

/// `/proc/driver/nvidia/gpus/BDF/information`.
#[must_use]
pub fn information(kernel: &Kernel, gpu: &Gpu) -> String {
    let version = &kernel.config().version_text;
    format!(
        "Model: \t\t {}\nIRQ:   \t\t 16\nGPU UUID: \t {}\nVideo BIOS: \t {}\nBus Type: \t PCIe\nDMA Size: \t 52 bits\n\
         DMA Mask: \t 0xfffffffffffff\nBus Location: \t {}\nDevice Minor: \t {}\nGPU Firmware: \t {version}\n\
         GPU Excluded:\t No\n",
        gpu.profile.name,
        gpu.uuid_text(),
        gpu.profile.vbios,
        gpu.bdf(),
        gpu.index,
    )
}
