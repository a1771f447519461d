//! What tools that watch GPUs say of programs that run: the same as the server.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::Failed;

use super::{Machine, Test, counter, demand, first, has, spinning, text};
use crate::directives::Door;

pub(super) const TESTS: [Test; 3] = [
    ("machine/same-numbers", Door::Socket, same_numbers),
    ("machine/monitors", Door::Socket, monitors),
    ("machine/two-programs", Door::Socket, two_programs),
];

/// gpustat and nvitop, where `ANTLERITE_PYNVML_PYTHON` or `make clients` has them, and nvidia-smi see a program that runs.
fn monitors(machine: &Machine) -> Result<(), Failed> {
    let (mut child, _) = spinning(machine)?;
    let python = std::env::var("ANTLERITE_PYNVML_PYTHON");
    let python = python.unwrap_or_else(|_| machine.places.python());
    let smi = machine
        .places
        .dist
        .join("bin/nvidia-smi")
        .display()
        .to_string();
    let judged = (|| {
        for (name, words) in [
            ("nvidia-smi", vec![smi.as_str()]),
            ("gpustat", vec![&python, "-m", "gpustat", "-cpu"]),
            ("nvitop", vec![&python, "-m", "nvitop", "-1"]),
            // The tool that comes with nvidia-ml-py.
            (
                "example",
                vec![
                    &python,
                    "-c",
                    "import example; print(example.deviceQuery())",
                ],
            ),
        ] {
            if name != "nvidia-smi" {
                let there = Command::new(&python)
                    .args(["-c", &format!("import pynvml, {name}")])
                    .stderr(Stdio::null())
                    .status()
                    .is_ok_and(|status| status.success());
                if !there {
                    eprintln!("not judged: {python} has no {name}");
                    continue;
                }
            }
            let mut line = vec!["run"];
            line.extend(words);
            let output = machine
                .antlerite(&line)
                .env("PYTHONIOENCODING", "utf-8")
                .env("TERM", "xterm")
                .output()?;
            let seen = text(&output);
            demand(
                &format!("{name} names the GPU, the driver and the program"),
                seen.contains("H100") || seen.contains("HBM3"),
                &seen,
            )?;
            if name == "example" {
                demand(
                    "nvidia-ml-py's tool says brand and driver, and no error",
                    seen.contains("<product_brand>NVIDIA</product_brand>")
                        && seen.contains("<driver_version>580.142</driver_version>")
                        && seen.trim_end().ends_with("</gpu>"),
                    &seen,
                )?;
                continue;
            }
            demand(
                &format!("{name} names driver and program"),
                seen.contains("580.142") && (name == "nvitop" || seen.contains("spin")),
                &seen,
            )?;
        }
        Ok(())
    })();
    child.kill()?;
    child.wait()?;
    judged
}

/// Two programs at once: their memory adds up, one's end leaves the other as it is, and nothing stays.
fn two_programs(machine: &Machine) -> Result<(), Failed> {
    machine.antlerite(&["up"]).output()?;
    let smi = |query: &str| -> Result<Vec<u64>, Failed> {
        let words = ["run", "nvidia-smi", query, "--format=csv,noheader,nounits"];
        let seen = text(&machine.antlerite(&words).output()?);
        seen.split([',', '\n'])
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().map_err(|_| format!("{query}: {seen}").into()))
            .collect()
    };
    const USED: &str = "--query-gpu=memory.used";
    const APPS: &str = "--query-compute-apps=pid,used_memory";
    let alone = smi(USED)?;
    let (mut first, _lines) = spinning(machine)?;
    let one = smi(APPS)?;
    let (mut second, _more) = spinning(machine)?;
    let judged = (|| {
        let (both, used) = (smi(APPS)?, smi(USED)?);
        let seen = format!("{alone:?} {one:?} {both:?} {used:?}");
        demand(
            "two are listed, and their memory adds up",
            both.len() == 4 && one.len() == 2 && used[0] == alone[0] + both[1] + both[3],
            &seen,
        )?;
        second.kill()?;
        second.wait()?;
        let start = Instant::now();
        while smi(APPS)? != one {
            demand(
                "the other stays, with what it has",
                start.elapsed() < Duration::from_secs(20),
                &format!("{:?} {one:?}", smi(APPS)),
            )?;
        }
        // A third that faults leaves the first as it is.
        let wild = machine.program("wild.cu")?.display().to_string();
        let seen = text(&machine.antlerite(&["run", &wild]).output()?);
        demand(
            "a fault is its program's",
            seen.contains("cudaErrorIllegalAddress") && smi(APPS)? == one,
            &seen,
        )
    })();
    first.kill()?;
    first.wait()?;
    // What `spinning` started is `antlerite run`, which the program outlives for a moment.
    let start = Instant::now();
    while judged.is_ok() && smi(USED)? != alone {
        demand(
            "everything is freed",
            start.elapsed() < Duration::from_secs(20),
            &format!("{:?}", smi(APPS)),
        )?;
    }
    judged
}

/// Bytes of memory and processes by NVML, as any program sees them.
const NVML: &str = "import ctypes as c
n = c.CDLL('libnvidia-ml.so.1'); n.nvmlInit_v2(); d = c.c_void_p()
n.nvmlDeviceGetHandleByIndex_v2(0, c.byref(d))
m = (c.c_uint64 * 3)(); n.nvmlDeviceGetMemoryInfo(d, m)
p = (c.c_uint64 * 300)(); k = c.c_uint(100)
n.nvmlDeviceGetComputeRunningProcesses_v3(d, c.byref(k), p)
print(m[0], m[2], k.value, p[0] & 0xffffffff, p[1])";

/// nvidia-smi and NVML agree with the server's own status, to the byte, and list the right processes.
fn same_numbers(machine: &Machine) -> Result<(), Failed> {
    if !has("python3") {
        return Ok(());
    }
    let (mut child, _) = spinning(machine)?;
    let judged = (|| {
        let json = text(&machine.antlerite(&["status", "--json"]).output()?);
        let number = |name: &str| first(&json, name).ok_or(format!("no {name} in {json}"));
        // A process's own id comes after those of its contexts.
        let pid = counter(&json, "pid").ok_or("no process")?;
        let video = counter(&json, "video").ok_or("no video")?;
        let (total, used) = (number("total")?, number("used")?);
        let seen = text(
            &machine
                .antlerite(&["run", "python3", "-c", NVML])
                .output()?,
        );
        demand(
            "NVML says the same",
            seen.trim() == format!("{total} {used} 1 {pid} {video}"),
            &format!("{seen}{json}"),
        )?;
        let smi = |query: &str| -> Result<String, Failed> {
            let format = "--format=csv,noheader,nounits";
            let output = machine
                .antlerite(&["run", "nvidia-smi", query, format])
                .output()?;
            Ok(text(&output).trim().to_owned())
        };
        let memory = smi("--query-gpu=memory.total,memory.used")?;
        demand(
            "nvidia-smi says the same",
            memory == format!("{}, {}", total >> 20, used >> 20),
            &format!("{memory}\n{json}"),
        )?;
        let apps = smi("--query-compute-apps=pid,used_memory")?;
        demand(
            "nvidia-smi lists the process",
            apps == format!("{pid}, {}", video >> 20),
            &format!("{apps}\n{json}"),
        )
    })();
    child.kill()?;
    child.wait()?;
    judged
}
