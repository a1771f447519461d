//! What this machine offers: processor, memory, limits, and the kernel's features.

use super::Finding;
use std::path::Path;

const GIB: u64 = 1 << 30;
/// Less memory than this makes small GPUs and early "out of memory".
const LITTLE_MEMORY: u64 = 2 * GIB;
/// Memory objects are file descriptors of the server.
const FEW_FILES: u64 = 1024;
/// Mappings per process; managed memory splits them.
const FEW_MAPS: u64 = 65530;

pub(super) fn check() -> Vec<Finding> {
    let mut findings = vec![processor(), memory(), files()];
    findings.extend(maps());
    findings.push(system());
    findings.push(Finding::ok("socket door", "usable: needs no privilege"));
    findings.push(syscall_door());
    findings.push(sandbox());
    findings.push(faults());
    findings.push(environment());
    findings
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path)
        .ok()
        .map(|text| text.trim().to_owned())
}

fn number(path: &str) -> Option<u64> {
    read(path)?.parse().ok()
}

fn processor() -> Finding {
    let model = read("/proc/cpuinfo")
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| "unknown model".into());
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let has = [
        (
            "avx512",
            is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"),
        ),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
    ];
    let names: Vec<_> = has
        .iter()
        .filter(|(_, has)| *has)
        .map(|(name, _)| *name)
        .collect();
    let text = format!("{model}, {count} usable, {}", names.join(" "));
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        Finding::ok("processor", text)
    } else {
        Finding::note(
            "processor",
            format!("{text}: no AVX2 and FMA"),
            "kernels run on narrower vectors, several times slower",
        )
    }
}

fn memory() -> Finding {
    let available = read("/proc/meminfo").and_then(|text| {
        let line = text
            .lines()
            .find(|line| line.starts_with("MemAvailable:"))?;
        line.split_whitespace()
            .nth(1)?
            .parse::<u64>()
            .ok()
            .map(|kib| kib * 1024)
    });
    let group = cgroup_limit();
    let Some(available) = available else {
        return Finding::note("memory", "/proc/meminfo cannot be read", "mount /proc");
    };
    let usable = group.map_or(available, |limit| limit.min(available));
    let mut text = format!("{} GiB available", available / GIB);
    if let Some(limit) = group {
        text.push_str(&format!(", {} GiB by the control group", limit / GIB));
    }
    if usable < LITTLE_MEMORY {
        Finding::note(
            "memory",
            text,
            "the virtual GPU's memory will be small; ANTLERITE_MEMORY caps it",
        )
    } else {
        Finding::ok("memory", text)
    }
}

/// The smallest memory limit on the way up from this process's control group (version 2).
fn cgroup_limit() -> Option<u64> {
    let own = read("/proc/self/cgroup")?;
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let root = Path::new("/sys/fs/cgroup");
    let mut folder = root.join(path.trim_start_matches('/'));
    let mut smallest = None;
    while folder.starts_with(root) {
        let limit = std::fs::read_to_string(folder.join("memory.max"))
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok());
        smallest = match (smallest, limit) {
            (Some(one), Some(other)) => Some(u64::min(one, other)),
            (one, other) => one.or(other),
        };
        if !folder.pop() {
            break;
        }
    }
    smallest
}

fn files() -> Finding {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let (soft, hard) = (
        limit.current.unwrap_or(u64::MAX),
        limit.maximum.unwrap_or(u64::MAX),
    );
    let text = format!("{soft} (at most {hard})");
    if hard < FEW_FILES {
        Finding::note(
            "open files",
            text,
            "raise `ulimit -Hn`: each memory object takes one",
        )
    } else {
        Finding::ok("open files", text)
    }
}

fn maps() -> Option<Finding> {
    let count = number("/proc/sys/vm/max_map_count")?;
    Some(if count < FEW_MAPS {
        Finding::note(
            "mappings",
            format!("vm.max_map_count is {count}"),
            "sysctl -w vm.max_map_count=1048576, for much managed memory",
        )
    } else {
        Finding::ok("mappings", format!("vm.max_map_count is {count}"))
    })
}

fn system() -> Finding {
    let kernel = read("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".into());
    Finding::ok(
        "system",
        format!("Linux {kernel} {}", std::env::consts::ARCH),
    )
}

fn syscall_door() -> Finding {
    let actions = read("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    if !actions
        .split_whitespace()
        .any(|action| action == "user_notif")
    {
        return Finding::note(
            "syscall door",
            "not usable: the kernel has no seccomp user notification",
            "use the socket door (the default)",
        );
    }
    let filters = read("/proc/self/status")
        .and_then(|text| {
            let line = text
                .lines()
                .find(|line| line.starts_with("Seccomp_filters:"))?;
            line.split_whitespace().nth(1)?.parse::<u32>().ok()
        })
        .unwrap_or(0);
    let nodes = match supervisor::probe() {
        Some(supervisor::Method::MountNamespace) => "device nodes in a private /dev",
        Some(supervisor::Method::UserNamespace) => {
            "device nodes in a private /dev, by a user namespace"
        }
        Some(supervisor::Method::PlainFiles) => "device nodes as plain files in /dev",
        None => {
            return Finding::note(
                "syscall door",
                "not usable: user and mount namespaces are refused and /dev is not writable",
                "use the socket door (the default)",
            );
        }
    };
    if filters > 0 {
        return Finding::note(
            "syscall door",
            format!("perhaps: {nodes}; {filters} seccomp filters are in force already"),
            "if they refuse the notification filter, use the socket door (the default)",
        );
    }
    Finding::ok("syscall door", format!("the kernel can: {nodes}"))
}

fn sandbox() -> Finding {
    let actions = read("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    if actions
        .split_whitespace()
        .any(|action| action == "kill_process")
    {
        Finding::ok("sandbox", "GPU processes are confined by seccomp")
    } else {
        Finding::bad(
            "sandbox",
            "the kernel has no seccomp filters, and GPU processes do not run without",
            "use a kernel with CONFIG_SECCOMP_FILTER",
        )
    }
}

fn faults() -> Finding {
    let allowed = number("/proc/sys/vm/unprivileged_userfaultfd").unwrap_or(0) == 1
        || rustix::process::geteuid().is_root()
        || std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/userfaultfd")
            .is_ok();
    if allowed {
        Finding::ok(
            "managed memory",
            "coherent (default) and tracked (ANTLERITE_UVM=tracked)",
        )
    } else {
        Finding::note(
            "managed memory",
            "coherent; tracked mode sees faults of user code only",
            "sysctl -w vm.unprivileged_userfaultfd=1, if file reads into tracked memory fail",
        )
    }
}

fn environment() -> Finding {
    let shown: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| {
            name.starts_with("ANTLERITE_")
                || name.starts_with("CUDA_")
                || matches!(name.as_str(), "LD_LIBRARY_PATH" | "LD_PRELOAD" | "LD_AUDIT")
                || name == "NVCC_APPEND_FLAGS"
        })
        .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
        .collect();
    if shown.is_empty() {
        Finding::ok("environment", "nothing set")
    } else {
        Finding::ok("environment", shown.join(" "))
    }
}
