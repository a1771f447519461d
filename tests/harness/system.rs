//! Tests of what a program does to the system, seen by strace.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use libtest_mimic::{Failed, Trial};

use crate::{
    build::{self, Build},
    directives::{Directives, Door},
    places::Places,
};

type Test = fn(&Places) -> Result<(), Failed>;

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    let tests: [(&str, Test); 3] = [
        ("system/names-of-libraries", names_of_libraries),
        ("system/strace-shows-the-true-calls", true_calls),
        ("system/work-adds-no-ioctl", work_adds_no_ioctl),
    ];
    tests
        .into_iter()
        .map(|(name, test)| {
            let reason = places.missing_for(Build::Shared, Door::Syscall);
            let ignored = reason.is_some();
            if let Some(reason) = reason {
                missing.entry(reason).or_default().push(name.into());
            }
            let places = places.clone();
            Trial::test(name, move || test(&places)).with_ignored_flag(ignored)
        })
        .collect()
}

/// One line of strace's output: the call's name and all after its bracket.
#[derive(Debug)]
struct Call {
    name: String,
    rest: String,
}

/// The calls of `traffic LAUNCHES MIB` through the syscall door.
fn traced(places: &Places, launches: u32, mib: u32) -> Result<Vec<Call>, Failed> {
    let program = places.root.join("tests/conformance/traffic.cu");
    let directives = Directives::parse(&std::fs::read_to_string(&program)?)
        .map_err(|error| error.to_string())?;
    let binary = build::binary(places, &program, &directives, Build::Shared)?;
    let log = log_path(places, launches, mib);
    let output = Command::new(places.dist.join("bin/antlerite"))
        .args(["run", "--door", "syscall", "strace", "-f", "-o"])
        .arg(&log)
        .args(["-e", "trace=openat,ioctl,mmap"])
        .arg(&binary.path)
        .args([launches.to_string(), mib.to_string()])
        .env(
            "ANTLERITE_INSTANCE",
            format!("test-strace-{}", std::process::id()),
        )
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        return Err(format!(
            "{}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    Ok(parse(&std::fs::read_to_string(&log)?))
}

/// The names by which programs ask for the libraries, and the files and links behind them.
fn names_of_libraries(places: &Places) -> Result<(), Failed> {
    const LIBRARIES: [(&str, &str); 5] = [
        ("libcuda.so.1", "libcuda.so.580.142"),
        ("libnvidia-ml.so.1", "libnvidia-ml.so.580.142"),
        (
            "libnvidia-ptxjitcompiler.so.1",
            "libnvidia-ptxjitcompiler.so.580.142",
        ),
        ("libcudart.so.12", "libcudart.so.12.9.79"),
        ("libcudart.so.13", "libcudart.so.13.0.96"),
    ];
    for (soname, file) in LIBRARIES {
        let link = places.dist.join("lib").join(soname);
        let target = std::fs::read_link(&link)?;
        if target != Path::new(file) {
            return Err(format!("{soname} leads to {}, not {file}", target.display()).into());
        }
        let output = Command::new("objdump").arg("-p").arg(&link).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let found = text.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some("SONAME")).then(|| words.next().map(str::to_owned))?
        });
        if found.as_deref() != Some(soname) {
            return Err(format!("{file}: SONAME is {found:?}, not {soname}").into());
        }
    }
    Ok(())
}

fn log_path(places: &Places, launches: u32, mib: u32) -> PathBuf {
    let name = format!("strace-{launches}-{mib}-{}", std::process::id());
    Path::new(&places.cache).join(name)
}

/// Lines are `PID NAME(ARGUMENTS) = RESULT`; of a call that another thread interrupts, the first half has the arguments.
fn parse(log: &str) -> Vec<Call> {
    log.lines()
        .filter_map(|line| {
            let (_pid, call) = line.trim_start().split_once(' ')?;
            let (name, rest) = call.trim_start().split_once('(')?;
            let known = ["openat", "ioctl", "mmap"].contains(&name);
            known.then(|| Call {
                name: name.into(),
                rest: rest.into(),
            })
        })
        .collect()
}

/// Whether the call is an ioctl of type 0x46 ('F') with that number and size, in strace's spelling.
fn is_ioctl(call: &Call, number: u32, size: u32) -> bool {
    let spelled = format!("0x46, {number:#x}, {size:#x}");
    call.name == "ioctl" && call.rest.contains(&spelled)
}

fn true_calls(places: &Places) -> Result<(), Failed> {
    let calls = traced(places, 10, 1)?;
    let has = |what: &str, found: bool| {
        if found {
            Ok(())
        } else {
            Err(Failed::from(format!(
                "no {what} among {} calls",
                calls.len()
            )))
        }
    };
    for node in ["/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"] {
        let opened = calls
            .iter()
            .any(|call| call.name == "openat" && call.rest.contains(&format!("\"{node}\"")));
        has(&format!("open of {node}"), opened)?;
    }
    let ioctl = |number, size| calls.iter().any(|call| is_ioctl(call, number, size));
    has("RM_CONTROL of 0x20 bytes", ioctl(0x2a, 0x20))?;
    has(
        "RM_ALLOC of 0x20 or 0x30 bytes",
        ioctl(0x2b, 0x20) || ioctl(0x2b, 0x30),
    )?;
    let shared = calls
        .iter()
        .any(|call| call.name == "mmap" && call.rest.contains("MAP_SHARED"));
    has("shared mmap", shared)
}

fn work_adds_no_ioctl(places: &Places) -> Result<(), Failed> {
    let ioctls = |launches, mib| -> Result<usize, Failed> {
        let calls = traced(places, launches, mib)?;
        Ok(calls.iter().filter(|call| call.name == "ioctl").count())
    };
    let little = ioctls(100, 64)?;
    let much = ioctls(100_000, 1024)?;
    // A handful is allowed for buffers that grow; per launch or per copy there would be thousands.
    if much > little + 16 {
        return Err(format!("{little} ioctls for little work, {much} for much").into());
    }
    Ok(())
}

/// That strace's lines are read as they are.
pub fn self_check() -> Result<(), String> {
    let log = "12 openat(AT_FDCWD, \"/dev/nvidiactl\", O_RDWR|O_CLOEXEC) = 3\n\
        12 ioctl(3, _IOC(_IOC_READ|_IOC_WRITE, 0x46, 0x2a, 0x20), 0x7ffd0) = 0\n\
        [pid 13] futex(1)\n12 +++ exited with 0 +++\n";
    let calls = parse(log);
    match &calls[..] {
        [open, control] if open.name == "openat" && is_ioctl(control, 0x2a, 0x20) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
