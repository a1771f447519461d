//! The module family as a machine with NVIDIA's driver shows it: load lines, /proc/modules, sizes and use counts.

use crate::kernel::Kernel;
use crate::klog::Level;

/// One module.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// Name.
    pub name: &'static str,
    /// Size in /proc/modules, bytes.
    pub size: u64,
    /// Modules that use it.
    pub used_by: &'static [&'static str],
}

/// The family, in load order reversed (as lsmod lists it).
pub const MODULES: &[Module] = &[
    Module {
        name: "nvidia_uvm",
        size: 2_158_592,
        used_by: &[],
    },
    Module {
        name: "nvidia_drm",
        size: 139_264,
        used_by: &[],
    },
    Module {
        name: "nvidia_modeset",
        size: 1_744_896,
        used_by: &["nvidia_drm"],
    },
    Module {
        name: "nvidia",
        size: 14_381_056,
        used_by: &["nvidia_uvm", "nvidia_modeset"],
    },
];

/// What the version line of this build says after the version.
pub const BUILD: &str = "Release Build  (antlerite@virtual)";

/// Writes what loading the modules logs.
pub fn log_load(kernel: &Kernel) {
    let log = kernel.log();
    let version = &kernel.config().version_text;
    for line in [
        "nvidia: loading out-of-tree module taints kernel.",
        "nvidia: module verification failed: signature and/or required key missing - tainting kernel",
    ] {
        log.line(Level::Warning, line);
    }
    log.line(
        Level::Info,
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 234",
    );
    log.line(
        Level::Info,
        &format!("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  {version}  {BUILD}"),
    );
    log.line(
        Level::Notice,
        "NVRM: this is Antlerite's virtual kernel half: no NVIDIA hardware, no NVIDIA code",
    );
    log.line(
        Level::Info,
        &format!("nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  {version}"),
    );
    for gpu in &kernel.gpus {
        log.line(
            Level::Info,
            &format!(
                "[drm] [nvidia-drm] [GPU ID 0x{:08x}] Loading driver",
                gpu.id()
            ),
        );
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

/// Text of /proc/modules for the family, `users` files being open.
#[must_use]
pub fn proc_modules(users: usize) -> String {
    let mut out = String::new();
    for module in MODULES {
        let count = module.used_by.len() + if module.name == "nvidia" { users } else { 0 };
        let mut by = module.used_by.join(",");
        by.push(if by.is_empty() { '-' } else { ',' });
        out += &format!(
            "{} {} {count} {by} Live 0x0000000000000000 (OE)\n",
            module.name, module.size
        );
    }
    out
}
