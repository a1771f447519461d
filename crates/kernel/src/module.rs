//! The module family as a machine with NVIDIA's driver shows it: what is loaded, who uses whom, load lines, sizes, use
//! counts, parameters.
//!
//! All four are loaded when the server starts, as after boot. At the syscall door real `insmod`, `rmmod` and `modprobe`
//! change that: their system calls end here.

pub mod ko;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use door::Node;
use rustix::io::Errno;

use crate::kernel::Kernel;
use crate::klog::Level;

/// One module.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// Name.
    pub name: &'static str,
    /// File of the module, without directory.
    pub file: &'static str,
    /// Size in /proc/modules, bytes.
    pub size: u64,
    /// What it needs.
    pub needs: &'static [&'static str],
    /// Functions that it offers to others.
    pub exports: &'static [&'static str],
    /// Functions that it takes from what it needs.
    pub imports: &'static [&'static str],
    /// Parameters: name, type, value by default (empty: not shown in sysfs).
    pub parameters: &'static [(&'static str, &'static str, &'static str)],
}

/// The family, in load order reversed (as lsmod lists it).
pub const MODULES: &[Module] = &[
    Module {
        name: "nvidia_uvm",
        file: "nvidia-uvm.ko",
        size: 2_158_592,
        needs: &["nvidia"],
        exports: &[],
        imports: &[
            "nvUvmInterfaceRegisterGpu",
            "nvUvmInterfaceRegisterUvmCallbacks",
            "nvUvmInterfaceSessionCreate",
        ],
        parameters: &[
            ("uvm_ats_mode", "int", "1"),
            ("uvm_debug_prints", "int", "0"),
            ("uvm_disable_hmm", "bool", "Y"),
            ("uvm_perf_prefetch_enable", "uint", "1"),
            ("uvm_perf_prefetch_threshold", "uint", "51"),
            ("uvm_perf_thrashing_enable", "uint", "1"),
            ("uvm_global_oversubscription", "int", "1"),
        ],
    },
    Module {
        name: "nvidia_drm",
        file: "nvidia-drm.ko",
        size: 139_264,
        needs: &["nvidia_modeset"],
        exports: &[],
        imports: &["nvKmsKapiGetFunctionsTable"],
        parameters: &[("fbdev", "bool", "N"), ("modeset", "bool", "N")],
    },
    Module {
        name: "nvidia_modeset",
        file: "nvidia-modeset.ko",
        size: 1_744_896,
        needs: &["nvidia"],
        exports: &["nvKmsKapiGetFunctionsTable"],
        imports: &["nvidia_get_rm_ops"],
        parameters: &[
            ("config_file", "charp", "(null)"),
            ("disable_hdmi_frl", "bool", "N"),
            ("output_rounding_fix", "bool", "Y"),
        ],
    },
    Module {
        name: "nvidia",
        file: "nvidia.ko",
        size: 14_381_056,
        needs: &[],
        exports: &[
            "nvUvmInterfaceRegisterGpu",
            "nvUvmInterfaceRegisterUvmCallbacks",
            "nvUvmInterfaceSessionCreate",
            "nvidia_get_rm_ops",
        ],
        imports: &[],
        parameters: &[
            ("NVreg_ResmanDebugLevel", "int", ""),
            ("NVreg_ModifyDeviceFiles", "int", ""),
            ("NVreg_DeviceFileUID", "int", ""),
            ("NVreg_DeviceFileGID", "int", ""),
            ("NVreg_DeviceFileMode", "int", ""),
            ("NVreg_InitializeSystemMemoryAllocations", "int", ""),
            ("NVreg_UsePageAttributeTable", "int", ""),
            ("NVreg_EnablePCIeGen3", "int", ""),
            ("NVreg_EnableMSI", "int", ""),
            ("NVreg_EnableStreamMemOPs", "int", ""),
            ("NVreg_RestrictProfilingToAdminUsers", "int", ""),
            ("NVreg_PreserveVideoMemoryAllocations", "int", ""),
            ("NVreg_DynamicPowerManagement", "int", ""),
            ("NVreg_EnableGpuFirmware", "int", ""),
            ("NVreg_OpenRmEnableUnsupportedGpus", "int", ""),
            ("NVreg_RegistryDwords", "charp", ""),
            ("NVreg_TemporaryFilePath", "charp", ""),
        ],
    },
];

/// What the version line of this build says after the version.
pub const BUILD: &str = "Release Build  (antlerite@virtual)";
/// Major number of `/dev/nvidia-uvm`, as logged and listed.
pub const UVM_MAJOR: u32 = 508;
/// Major number of NvLink's node.
pub const NVLINK_MAJOR: u32 = 234;
/// Major number of `/dev/nvidia-caps/*`.
pub const CAPS_MAJOR: u32 = NVLINK_MAJOR + 1;
/// Permission bits of `/dev/nvidia-caps/*`.
pub const CAPS_MODE: u32 = 0o400;
/// Major number of `/dev/nvidia*` (`NV_MAJOR_DEVICE_NUMBER`).
pub const NVIDIA_MAJOR: u32 = 195;
/// Taint bits of an out-of-tree, unsigned module.
pub const TAINT: u64 = 1 << 12 | 1 << 13;

/// A module by name; dashes are as good as underscores.
#[must_use]
pub fn find(name: &str) -> Option<&'static Module> {
    let name = name.replace('-', "_");
    MODULES.iter().find(|m| m.name == name)
}

#[derive(Debug, Default)]
struct State {
    loaded: Vec<&'static str>,
    options: BTreeMap<(&'static str, &'static str), String>,
    tainted: bool,
}

/// What is loaded.
#[derive(Debug, Default)]
pub struct Modules {
    state: Mutex<State>,
}

impl Modules {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a module is there.
    #[must_use]
    pub fn is_loaded(&self, name: &str) -> bool {
        self.state().loaded.contains(&name)
    }

    /// Whether one was ever there.
    #[must_use]
    pub fn tainted(&self) -> bool {
        self.state().tainted
    }

    /// Modules that are there and use this one.
    #[must_use]
    pub fn holders(&self, name: &str) -> Vec<&'static str> {
        let state = self.state();
        MODULES
            .iter()
            .filter(|m| m.needs.contains(&name) && state.loaded.contains(&m.name))
            .map(|m| m.name)
            .collect()
    }

    /// Value of a parameter: as loaded, else by default.
    #[must_use]
    pub fn parameter(&self, module: &'static str, name: &'static str) -> Option<String> {
        self.state().options.get(&(module, name)).cloned()
    }

    /// Value of an `NVreg_` parameter that was given, without that prefix.
    #[must_use]
    pub fn registry(&self, key: &str) -> Option<String> {
        let state = self.state();
        let found = state
            .options
            .iter()
            .find(|((_, name), _)| name.strip_prefix("NVreg_") == Some(key));
        found.map(|(_, value)| value.clone())
    }
}

/// Files that keep a module: of its nodes.
fn files_of(kernel: &Kernel, module: &str) -> usize {
    let ours = |node: Node| match node {
        Node::Control | Node::Gpu(_) => module == "nvidia",
        Node::Uvm | Node::UvmTools => module == "nvidia_uvm",
        Node::Modeset => module == "nvidia_modeset",
    };
    kernel.file_list().iter().filter(|f| ours(f.node)).count()
}

/// The use count: modules that use it, and open files.
#[must_use]
pub fn use_count(kernel: &Kernel, module: &str) -> usize {
    kernel.modules.holders(module).len() + files_of(kernel, module)
}

/// The module that a node belongs to.
#[must_use]
pub fn of_node(node: Node) -> &'static str {
    match node {
        Node::Control | Node::Gpu(_) => "nvidia",
        Node::Uvm | Node::UvmTools => "nvidia_uvm",
        Node::Modeset => "nvidia_modeset",
    }
}

/// Loads a module with options as `name=value` words.
///
/// # Errors
/// `EEXIST`; `ENOENT` when a function that it needs is missing (and a log line that names it); `EINVAL` for an option of
/// another type.
pub fn load(kernel: &Kernel, module: &'static Module, options: &str) -> Result<(), Errno> {
    let log = kernel.log();
    {
        let mut state = kernel.modules.state();
        if state.loaded.contains(&module.name) {
            return Err(Errno::EXIST);
        }
        for need in module.needs {
            if !state.loaded.contains(need) {
                let offered = find(need).map_or(&[][..], |m| m.exports);
                for symbol in module.imports.iter().filter(|s| offered.contains(s)) {
                    log.line(
                        Level::Warning,
                        &format!("{}: Unknown symbol {symbol} (err -2)", module.name),
                    );
                }
                return Err(Errno::NOENT);
            }
        }
        for word in options.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, "1"));
            let Some((name, kind, _)) = module.parameters.iter().find(|p| p.0 == name) else {
                log.line(
                    Level::Warning,
                    &format!("{}: unknown parameter '{name}' ignored", module.name),
                );
                continue;
            };
            if !fits(kind, value) {
                log.line(
                    Level::Error,
                    &format!("{}: `{value}' invalid for parameter `{name}'", module.name),
                );
                return Err(Errno::INVAL);
            }
            state
                .options
                .insert((module.name, name), value.trim_matches('"').to_owned());
        }
        if !state.tainted {
            state.tainted = true;
            for line in [
                "nvidia: loading out-of-tree module taints kernel.",
                "nvidia: module verification failed: signature and/or required key missing - tainting kernel",
            ] {
                log.line(Level::Warning, line);
            }
        }
        state.loaded.push(module.name);
    }
    log_load(kernel, module.name);
    kernel.refresh_view();
    Ok(())
}

/// Whether a value is of a parameter's type.
fn fits(kind: &str, value: &str) -> bool {
    let (digits, radix) = match value.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (value, 10),
    };
    match kind {
        "int" => i64::from_str_radix(digits, radix).is_ok(),
        "uint" => u32::from_str_radix(digits, radix).is_ok(),
        "bool" => matches!(value, "0" | "1" | "y" | "n" | "Y" | "N"),
        _ => value.len() < 1024,
    }
}

/// Unloads a module.
///
/// # Errors
/// `ENOENT`; `EWOULDBLOCK` while it is used.
pub fn unload(kernel: &Kernel, name: &str) -> Result<(), Errno> {
    let module = find(name).ok_or(Errno::NOENT)?;
    if !kernel.modules.is_loaded(module.name) {
        return Err(Errno::NOENT);
    }
    if use_count(kernel, module.name) > 0 {
        return Err(Errno::WOULDBLOCK);
    }
    {
        let mut state = kernel.modules.state();
        state.loaded.retain(|loaded| *loaded != module.name);
        state.options.retain(|(owner, _), _| *owner != module.name);
    }
    let log = kernel.log();
    match module.name {
        "nvidia_uvm" => log.line(Level::Info, "nvidia-uvm: Unloaded the UVM driver."),
        "nvidia_drm" => {
            for gpu in &kernel.gpus {
                log.line(
                    Level::Info,
                    &format!(
                        "[drm] [nvidia-drm] [GPU ID 0x{:08x}] Unloading driver",
                        gpu.id()
                    ),
                );
            }
        }
        "nvidia_modeset" => log.line(Level::Info, "nvidia-modeset: Unloading"),
        _ => log.line(
            Level::Info,
            &format!("nvidia-nvlink: Unregistered Nvlink Core, major device number {NVLINK_MAJOR}"),
        ),
    }
    kernel.refresh_view();
    Ok(())
}

/// Makes sure that the module of a node is there, as nvidia-modprobe does for the real driver's library.
pub fn provide(kernel: &Kernel, name: &'static str) {
    let Some(module) = find(name) else { return };
    if kernel.modules.is_loaded(module.name) {
        return;
    }
    for need in module.needs {
        provide(kernel, need);
    }
    // Another opener may have been first.
    let _ = load(kernel, module, "");
}

/// Loads the whole family, as after boot.
pub fn load_all(kernel: &Kernel) {
    for module in MODULES.iter().rev() {
        // Nothing is loaded yet, and the order is that of their needs.
        let _ = load(kernel, module, "");
    }
}

/// Writes what loading a module logs.
fn log_load(kernel: &Kernel, module: &str) {
    let log = kernel.log();
    let version = &kernel.config().version_text;
    match module {
        "nvidia" => {
            log.line(
                Level::Info,
                &format!(
                    "nvidia-nvlink: Nvlink Core is being initialized, major device number {NVLINK_MAJOR}"
                ),
            );
            for gpu in &kernel.gpus {
                log.line(
                    Level::Info,
                    &format!("nvidia {}: enabling device (0140 -> 0142)", gpu.bdf()),
                );
            }
            log.line(
                Level::Info,
                &format!(
                    "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  {version}  {BUILD}"
                ),
            );
            log.line(
                Level::Notice,
                "NVRM: this is Antlerite's virtual kernel half: no NVIDIA hardware, no NVIDIA code",
            );
            for gpu in &kernel.gpus {
                log.line(
                    Level::Info,
                    &format!(
                        "NVRM: GPU {}: {}, {} MiB",
                        gpu.bdf(),
                        gpu.profile.name,
                        gpu.framebuffer.total() >> 20
                    ),
                );
            }
        }
        "nvidia_modeset" => log.line(
            Level::Info,
            &format!(
                "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  {version}"
            ),
        ),
        "nvidia_drm" => {
            for gpu in &kernel.gpus {
                log.line(
                    Level::Info,
                    &format!(
                        "[drm] [nvidia-drm] [GPU ID 0x{:08x}] Loading driver",
                        gpu.id()
                    ),
                );
            }
        }
        _ => log.line(
            Level::Info,
            &format!("nvidia-uvm: Loaded the UVM driver, major device number {UVM_MAJOR}."),
        ),
    }
}

/// Text of /proc/modules for the family.
#[must_use]
pub fn proc_modules(kernel: &Kernel) -> String {
    let mut out = String::new();
    let loaded = kernel.modules.state().loaded.clone();
    for module in MODULES.iter().filter(|m| loaded.contains(&m.name)) {
        let mut by = kernel.modules.holders(module.name).join(",");
        by.push(if by.is_empty() { '-' } else { ',' });
        out += &format!(
            "{} {} {} {by} Live 0x0000000000000000 (OE)\n",
            module.name,
            module.size,
            use_count(kernel, module.name),
        );
    }
    out
}
