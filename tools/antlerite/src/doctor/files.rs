//! Antlerite's own files and folders, and drivers of others.

use super::Finding;
use crate::installed;
use std::path::{Path, PathBuf};

/// Libraries beside the driver, and what lacks without them.
const LIBRARIES: [(&str, &str); 5] = [
    ("libcudart.so.12", "programs of CUDA 12 cannot run"),
    ("libcudart.so.13", "programs of CUDA 13 cannot run"),
    (
        "libnvidia-ptxjitcompiler.so.1",
        "kernels cannot be compiled",
    ),
    (
        installed::INTERPOSE,
        "programs built as nvcc does by default (static runtime) cannot run",
    ),
    (
        "libnvidia-ml.so.1",
        "nvidia-smi and programs that use NVML cannot run",
    ),
];

pub(super) fn check() -> Vec<Finding> {
    let mut findings = Vec::new();
    match installed::libraries() {
        Ok(folder) => {
            findings.push(Finding::ok("libraries", folder.display().to_string()));
            for (name, lacks) in LIBRARIES {
                if !folder.join(name).exists() {
                    findings.push(Finding::bad(
                        "libraries",
                        format!("{name} is missing: {lacks}"),
                        "build the whole tree: make",
                    ));
                }
            }
        }
        Err(error) => findings.push(Finding::bad(
            "libraries",
            error.to_string(),
            "build and install the whole tree: make, make install",
        )),
    }
    findings.push(server_program());
    findings.push(instance());
    findings.extend(other_drivers());
    findings
}

fn server_program() -> Finding {
    match door::start::find_kmd() {
        Ok(path) => {
            let gpu = path.with_file_name("antlerite-gpu");
            let given = std::env::var_os("ANTLERITE_GPU_BIN").map(PathBuf::from);
            let gpu = given.unwrap_or(gpu);
            if gpu.is_file() {
                Finding::ok(
                    "kernel half",
                    format!("{} and {}", path.display(), gpu.display()),
                )
            } else {
                Finding::bad(
                    "kernel half",
                    format!("{} has no antlerite-gpu beside it", path.display()),
                    "build the whole tree (make), or set ANTLERITE_GPU_BIN",
                )
            }
        }
        Err(error) => Finding::bad(
            "kernel half",
            error.to_string(),
            "build the whole tree (make), or set ANTLERITE_KMD",
        ),
    }
}

fn instance() -> Finding {
    match door::instance::base_dir() {
        Ok(folder) => Finding::ok("instances", folder.display().to_string()),
        Err(error) => Finding::bad(
            "instances",
            error.to_string(),
            "set XDG_RUNTIME_DIR to a folder of yours, or free the name in /tmp",
        ),
    }
}

/// Drivers that programs may find instead of ours.
fn other_drivers() -> Vec<Finding> {
    let mut findings = Vec::new();
    // In a shell of ours the file is ours.
    let ours = |text: &String| text.contains("(antlerite@virtual)");
    let loaded = std::fs::read_to_string("/proc/driver/nvidia/version");
    if let Some(text) = loaded.ok().filter(|text| !ours(text)) {
        let line = text.lines().next().unwrap_or_default().to_owned();
        findings.push(Finding::note(
            "other driver",
            format!("a driver is loaded: {line}"),
            "programs started by `antlerite run` still use the virtual GPU, not this one",
        ));
    }
    let places = [
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/usr/lib64/libcuda.so.1",
        "/usr/lib/wsl/lib/libcuda.so.1",
        "/usr/local/cuda/compat/libcuda.so.1",
    ];
    for place in places {
        if Path::new(place).exists() {
            findings.push(Finding::note(
                "other driver",
                format!("{place} is what programs find without LD_LIBRARY_PATH"),
                "start them with `antlerite run`",
            ));
        }
    }
    findings
}
