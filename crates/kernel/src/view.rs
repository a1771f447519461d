//! What a machine with the driver has in /proc, /sys and /lib/modules, as files in the instance directory. The syscall
//! door's start mounts them over the real ones, in the program's own namespace; here they follow what happens.

use std::fs;
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::kernel::Kernel;
use crate::module::{self, MODULES, ko};
use crate::procfs;

/// Name of the directory in the instance directory.
pub const DIR: &str = "view";
/// Where the program's namespace keeps what `/sys/module` and `/sys/bus/pci/devices` were.
pub const KEPT_MODULES: &str = "/dev/.antlerite/sys-module";
/// See [`KEPT_MODULES`].
pub const KEPT_PCI: &str = "/dev/.antlerite/pci-devices";

/// A mount for the program's namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// File or directory of the view.
    pub source: PathBuf,
    /// What it covers.
    pub target: PathBuf,
    /// Where what it covers is to be seen from then on.
    pub keep: Option<PathBuf>,
}

/// Writes the whole view into `dir`; the mounts that show it.
///
/// # Errors
/// When a file cannot be written.
pub fn build(kernel: &Kernel, dir: &Path) -> io::Result<Vec<Mount>> {
    for part in ["proc/driver", "sys", "root", "bin"] {
        match fs::remove_dir_all(dir.join(part)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::create_dir_all(dir.join("proc"))?;
    for (path, text) in procfs::files(kernel) {
        write(&dir.join("proc").join(path), &text)?;
    }
    commands(dir)?;
    module_tree(kernel, dir)?;
    kept(dir, "sys/module", "/sys/module", KEPT_MODULES)?;
    kept(dir, "sys/pci", "/sys/bus/pci/devices", KEPT_PCI)?;
    pci(kernel, dir)?;
    refresh(kernel, dir)?;
    mounts(dir)
}

/// The mounts that show a view that was built.
///
/// # Errors
/// None now.
pub fn mounts(dir: &Path) -> io::Result<Vec<Mount>> {
    let tree = dir.join("root/lib/modules");
    let mount = |source: &str, target: &str, keep: Option<&str>| Mount {
        source: dir.join(source),
        target: target.into(),
        keep: keep.map(PathBuf::from),
    };
    let mut mounts = vec![
        mount("proc/driver", "/proc/driver", None),
        mount("proc/devices", "/proc/devices", None),
        mount("proc/interrupts", "/proc/interrupts", None),
        mount("proc/tainted", "/proc/sys/kernel/tainted", None),
        mount("sys/module", "/sys/module", Some(KEPT_MODULES)),
        mount("sys/pci", "/sys/bus/pci/devices", Some(KEPT_PCI)),
        Mount {
            source: tree,
            target: "/lib/modules".into(),
            keep: None,
        },
    ];
    if Path::new("/proc/modules").exists() {
        mounts.push(mount("proc/modules", "/proc/modules", None));
    }
    Ok(mounts)
}

/// Writes a file in place: who has it mounted sees the new text. At no moment is the file empty.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let file = fs::File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    file.write_all_at(text.as_bytes(), 0)?;
    file.set_len(text.len() as u64)
}

/// A directory of links to what is covered.
fn kept(dir: &Path, at: &str, covered: &str, keep: &str) -> io::Result<()> {
    let dir = dir.join(at);
    fs::create_dir_all(&dir)?;
    for entry in fs::read_dir(covered).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("nvidia") {
            continue;
        }
        symlink(Path::new(keep).join(&name), dir.join(&name))?;
    }
    Ok(())
}

/// The parts that change: use counts, what is loaded, interrupts, taint.
///
/// # Errors
/// When a file cannot be written.
pub fn refresh(kernel: &Kernel, dir: &Path) -> io::Result<()> {
    let real = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let ours = module::proc_modules(kernel);
    write(&dir.join("proc/modules"), &(ours + &real("/proc/modules")))?;
    write(
        &dir.join("proc/driver/nvidia/params"),
        &procfs::params(kernel),
    )?;
    write(
        &dir.join("proc/devices"),
        &procfs::devices(kernel, &real("/proc/devices")),
    )?;
    write(
        &dir.join("proc/interrupts"),
        &procfs::interrupts(kernel, &real("/proc/interrupts")),
    )?;
    let taint: u64 = real("/proc/sys/kernel/tainted").trim().parse().unwrap_or(0);
    let own = if kernel.modules.tainted() {
        module::TAINT
    } else {
        0
    };
    write(&dir.join("proc/tainted"), &format!("{}\n", taint | own))?;
    for module in MODULES {
        let at = dir.join("sys/module").join(module.name);
        if !kernel.modules.is_loaded(module.name) {
            match fs::remove_dir_all(&at) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => continue,
            }
        }
        let count = module::use_count(kernel, module.name);
        for (file, text) in [
            ("refcnt", count.to_string()),
            ("initstate", "live".into()),
            ("coresize", module.size.to_string()),
            ("taint", "OE".into()),
            ("version", kernel.config().version_text.clone()),
        ] {
            write(&at.join(file), &format!("{text}\n"))?;
        }
        for (name, _, default) in module.parameters {
            if !default.is_empty() {
                let value = kernel
                    .modules
                    .parameter(module.name, name)
                    .unwrap_or_else(|| (*default).to_owned());
                write(&at.join("parameters").join(name), &format!("{value}\n"))?;
            }
        }
        let holders = at.join("holders");
        fs::create_dir_all(&holders)?;
        for other in MODULES {
            let link = holders.join(other.name);
            let holds = other.needs.contains(&module.name) && kernel.modules.is_loaded(other.name);
            if holds && fs::symlink_metadata(&link).is_err() {
                symlink(Path::new("../..").join(other.name), &link)?;
            } else if !holds && fs::symlink_metadata(&link).is_ok() {
                fs::remove_file(&link)?;
            }
        }
    }
    Ok(())
}

/// The GPUs as PCI devices.
fn pci(kernel: &Kernel, dir: &Path) -> io::Result<()> {
    for gpu in &kernel.gpus {
        let at = dir.join("sys/pci").join(gpu.bdf());
        for (file, text) in [
            ("vendor", "0x10de".to_owned()),
            ("device", format!("0x{:04x}", gpu.profile.device_id)),
            ("subsystem_vendor", "0x10de".into()),
            ("subsystem_device", "0x0000".into()),
            ("class", "0x030200".into()),
            ("revision", "0xa1".into()),
            ("irq", "16".into()),
            ("numa_node", "-1".into()),
            ("enable", "1".into()),
            ("local_cpulist", "0".into()),
            ("current_link_speed", "32.0 GT/s PCIe".into()),
            ("max_link_speed", "32.0 GT/s PCIe".into()),
            ("current_link_width", "16".into()),
            ("max_link_width", "16".into()),
            (
                "uevent",
                format!(
                    "DRIVER=nvidia\nPCI_CLASS=30200\nPCI_ID=10DE:{:04X}\nPCI_SLOT_NAME={}",
                    gpu.profile.device_id,
                    gpu.bdf()
                ),
            ),
            (
                "resource",
                "0x0000000000000000 0x0000000000000000 0x0000000000000000\n".repeat(13),
            ),
        ] {
            write(&at.join(file), &format!("{}\n", text.trim_end()))?;
        }
        let mut config = [0_u8; 256];
        config[0..2].copy_from_slice(&0x10de_u16.to_le_bytes());
        config[2..4].copy_from_slice(&gpu.profile.device_id.to_le_bytes());
        // Command: memory and bus master. Class 03 02 00, revision a1.
        config[4..6].copy_from_slice(&6_u16.to_le_bytes());
        config[8..12].copy_from_slice(&[0xa1, 0, 2, 3]);
        config[0x2c..0x2e].copy_from_slice(&0x10de_u16.to_le_bytes());
        config[0x3c] = 16;
        fs::write(at.join("config"), config)?;
        symlink("/sys/module/nvidia", at.join("driver"))?;
    }
    Ok(())
}

/// `/lib/modules`: the family's files with their indexes.
fn module_tree(kernel: &Kernel, dir: &Path) -> io::Result<()> {
    let release = ko::release();
    let base = dir.join("root");
    let modules = base.join("lib/modules");
    let own = modules.join(&release);
    let video = own.join("kernel/drivers/video");
    fs::create_dir_all(&video)?;
    for module in MODULES {
        let bytes = ko::file(kernel, module).map_err(io::Error::other)?;
        fs::write(video.join(module.file), bytes)?;
    }
    let order: String = MODULES
        .iter()
        .rev()
        .map(|m| format!("kernel/drivers/video/{}\n", m.file))
        .collect();
    write(&own.join("modules.order"), &order)?;
    write(&own.join("modules.builtin"), "")?;
    write(&own.join("modules.builtin.modinfo"), "")?;
    // The indexes are kmod's own format; where there is no kmod, no one needs them.
    let depmod = ["/usr/sbin/depmod", "/sbin/depmod"]
        .into_iter()
        .find(|path| Path::new(path).exists());
    if let Some(depmod) = depmod {
        let _ = Command::new(depmod)
            .arg("-b")
            .arg(&base)
            .arg(&release)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
    Ok(())
}

/// Commands that stand in front of the machine's: `lsmod` where the kernel has no /proc/modules, and `sudo`, which has
/// nothing to do here and would not be let by the filter.
fn commands(dir: &Path) -> io::Result<()> {
    let bin = dir.join("bin");
    fs::create_dir_all(&bin)?;
    let mut scripts = vec![("sudo", SUDO.to_owned())];
    if !Path::new("/proc/modules").exists() {
        let list = dir.join("proc/modules");
        scripts.push((
            "lsmod",
            LSMOD.replace("@LIST@", &list.display().to_string()),
        ));
    }
    for (name, text) in scripts {
        let path = bin.join(name);
        write(&path, &text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// A pass-through: the driver's things belong to whoever opened the shell.
const SUDO: &str = r#"#!/bin/sh
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
while [ $# -gt 0 ]; do
    case $1 in
        -u | -g | -p | -C | -h) shift; [ $# -gt 0 ] && shift ;;
        -V | -l | -v | -k | -K) exit 0 ;;
        --) shift; break ;;
        -*) shift ;;
        *=*) export "$1"; shift ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || exit 0
exec "$@"
"#;

/// As kmod's `lsmod` prints it.
const LSMOD: &str = r#"#!/bin/sh
echo "Module                  Size  Used by"
while read -r name size used by rest; do
    case $by in -) by= ;; *) by=${by%,} ;; esac
    printf '%-19s %8s  %s %s\n' "$name" "$size" "$used" "$by"
done < '@LIST@'
"#;
