//! Kernels that run away, failures on request, and users who must not get in.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::Failed;

use super::{Machine, Test, counter, demand, has, holdings, spinning, text};
use crate::directives::Door;

pub(super) const TESTS: [Test; 4] = [
    ("machine/runaway-kernels", Door::Socket, runaway_kernels),
    ("machine/injected-failures", Door::Socket, injected_failures),
    ("machine/another-user", Door::Socket, another_user),
    (
        "machine/faults-of-matrices",
        Door::Socket,
        faults_of_matrices,
    ),
];

/// A bad address of a matrix is reported with the line of the instruction, though code that many places call uses it.
fn faults_of_matrices(machine: &Machine) -> Result<(), Failed> {
    /// Of the program's cases: the driver's code, and the source line.
    const CASES: [(&str, &str, u32); 5] = [
        ("0", "700", 8),
        ("1", "700", 8),
        ("2", "716", 8),
        ("3", "700", 16),
        ("4", "716", 16),
    ];
    let plain = machine.program("matrices.cu")?.display().to_string();
    let with_lines = machine.program_with("matrices.cu", "-lineinfo")?;
    let with_lines = with_lines.display().to_string();
    for isa in [None, Some("avx2")] {
        machine.down();
        let server: Vec<&str> = isa.iter().flat_map(|isa| ["--isa", isa]).collect();
        for (case, code, line) in CASES {
            for (program, place) in [
                (&plain, ", PTX line ".to_owned()),
                (&with_lines, format!("matrices.cu:{line}")),
            ] {
                let mut run = machine.antlerite(&server);
                let output = run.args(["run", program, case]).output()?;
                let seen = text(&output);
                demand("the program hears of it", seen.trim() == code, &seen)?;
                let log = text(&machine.antlerite(&["dmesg"]).output()?);
                let last = log.lines().rfind(|line| line.contains("Xid"));
                let last = last.unwrap_or_default().to_owned();
                let what = format!("case {case}, {isa:?}: the log says `{place}`");
                demand(&what, last.contains(&place), &log)?;
            }
        }
    }
    machine.down();
    Ok(())
}

fn runaway_kernels(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("spin.cu")?.display().to_string();
    // The limit must leave time for the launch, on a machine of any speed.
    let mut limits = ["2", "10", "60"].into_iter();
    let (output, seen) = loop {
        let limit = limits
            .next()
            .ok_or("the program does not come to its kernel, or the limit does not name it")?;
        let output = machine
            .antlerite(&["run", "--timeout", limit, &program])
            .output()?;
        let seen = text(&output);
        // Launched, and begun: a kernel that waits for its turn has no name.
        if seen.contains("launched") && seen.contains("while kernel") {
            break (output, seen);
        }
    };
    demand(
        "the time limit names the kernel",
        seen.contains("while kernel") && seen.contains("runs_for_ever"),
        &seen,
    )?;
    demand(
        "the code is timeout's",
        output.status.code() == Some(124),
        &seen,
    )?;
    // Ctrl-C: the signal goes to the whole group, as a terminal sends it.
    use std::os::unix::process::CommandExt as _;
    let mut command = machine.antlerite(&["run", &program]);
    // Tests that run in the background ignore the signal, and what they start would too.
    // SAFETY: the closure makes a system call only.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
    let mut child = command
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("no standard output")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    demand("the program launched", line == "launched\n", &line)?;
    // The GPU has yet to take it up.
    let start = Instant::now();
    loop {
        let status = text(&machine.antlerite(&["status"]).output()?);
        if status.contains("runs _Z13runs_for_ever") {
            break;
        }
        demand(
            "the status names the kernel",
            start.elapsed() < Duration::from_secs(20),
            &status,
        )?;
    }
    let group = i32::try_from(child.id()).map_err(|_| "pid")?;
    // SAFETY: a signal to the group that was just made.
    unsafe { libc::kill(-group, libc::SIGINT) };
    let start = Instant::now();
    let output = child.wait_with_output()?;
    let seen = text(&output);
    demand(
        "the interrupted kernel is named",
        seen.contains("interrupted while kernel") && seen.contains("runs_for_ever"),
        &seen,
    )?;
    demand(
        "it ended",
        start.elapsed() < Duration::from_secs(60) && output.status.code() == Some(130),
        &seen,
    )
}

/// Another user reaches neither socket nor memory.
fn another_user(machine: &Machine) -> Result<(), Failed> {
    if !rustix::process::geteuid().is_root() || !has("setpriv") {
        eprintln!("not judged: another user can be tried by root only, with setpriv");
        return Ok(());
    }
    let (mut child, _lines) = spinning(machine)?;
    let judged = (|| {
        let (kmd, _) = holdings(machine)?;
        let json = text(&machine.antlerite(&["status", "--json"]).output()?);
        let at = json.find("\"instance\":\"").ok_or("no instance")? + 12;
        let folder: String = json[at..].chars().take_while(|c| *c != '"').collect();
        let gpu = counter(&json[json.find("\"contexts\":").unwrap_or(0)..], "pid").unwrap_or(0);
        let paths = [
            format!("{folder}/."),
            format!("/proc/{kmd}/mem"),
            format!("/proc/{gpu}/mem"),
            format!("/proc/{gpu}/maps"),
            format!("/proc/{gpu}/fd/."),
        ];
        for path in paths {
            let output = Command::new("setpriv")
                .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
                .args(["head", "-c", "1", &path])
                .output()?;
            demand(
                &format!("{path} is closed to others"),
                text(&output).contains("Permission denied"),
                &text(&output),
            )?;
        }
        Ok(())
    })();
    child.kill()?;
    child.wait()?;
    judged
}

/// Says the events of GPU 0 as NVML tells them: type and data.
const LISTENER: &str = "import ctypes as c
n = c.CDLL('libnvidia-ml.so.1'); n.nvmlInit_v2(); d = c.c_void_p(); s = c.c_void_p()
n.nvmlDeviceGetHandleByIndex_v2(0, c.byref(d)); n.nvmlEventSetCreate(c.byref(s))
n.nvmlDeviceRegisterEvents(d, c.c_uint64(10), s)
print('ready', flush=True)
e = (c.c_uint64 * 4)()
while n.nvmlEventSetWait_v2(s, e, 200000) == 0: print(e[1], e[2], flush=True)";

/// Each failure has the same code in the log, in NVML's events and in the program.
fn injected_failures(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("spin.cu")?.display().to_string();
    let mut listener = None;
    if has("python3") {
        let mut child = machine
            .antlerite(&["run", "python3", "-c", LISTENER])
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("no standard output")?;
        let mut lines = BufReader::new(out).lines();
        let ready = lines.next().transpose()?.unwrap_or_default();
        demand("NVML listens", ready == "ready", &ready)?;
        listener = Some((child, lines));
    }
    for (words, xid, name) in [
        (&["inject", "xid", "31"][..], 31, "cudaErrorIllegalAddress"),
        (&["inject", "ecc"][..], 48, "cudaErrorECCUncorrectable"),
        (&["inject", "hang"][..], 109, "cudaErrorLaunchTimeout"),
        (
            &["inject", "xid", "74"][..],
            74,
            "cudaErrorNvlinkUncorrectable",
        ),
        (&["inject", "xid", "13"][..], 13, "cudaErrorLaunchFailure"),
        (&["inject", "fallen-off"][..], 79, "cudaErrorUnknown"),
    ] {
        let mut child = machine
            .antlerite(&["run", &program])
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("no standard output")?;
        let mut lines = BufReader::new(out).lines();
        let launched = lines.next().transpose()?.unwrap_or_default();
        demand("the program launched", launched == "launched", &launched)?;
        let done = text(&machine.antlerite(words).output()?);
        demand(
            "one context was hit",
            done.contains("1 contexts were hit"),
            &done,
        )?;
        let error = lines.next().transpose()?.unwrap_or_default();
        child.wait()?;
        demand(&format!("the program sees {name}"), error == name, &error)?;
        let log = text(&machine.antlerite(&["dmesg"]).output()?);
        demand(
            "the log has the Xid",
            log.contains(&format!("NVRM: Xid (PCI:0000:17:00): {xid}, ")),
            &log,
        )?;
        // A double bit error is told as such too, for the GPU and for its context, and its row's Xid follows.
        while let Some((_, lines)) = &mut listener {
            let line = lines.next().transpose()?.ok_or("NVML's events ended")?;
            if line == format!("8 {xid}") {
                break;
            }
            demand(
                "no other event comes",
                ["2 0", "8 48", "8 63"].contains(&line.as_str()),
                &line,
            )?;
        }
    }
    if let Some((mut child, _)) = listener {
        child.kill()?;
        child.wait()?;
    }
    let lost = machine.antlerite(&["run", "nvidia-smi"]).output()?;
    demand(
        "nvidia-smi says that the GPU is lost",
        text(&lost).contains("GPU is lost") && lost.status.code() == Some(15),
        &text(&lost),
    )?;
    machine.down();
    // Memory that is full, and a reset that empties it.
    machine.antlerite(&["up"]).output()?;
    let query = [
        "run",
        "nvidia-smi",
        "--query-gpu=memory.used",
        "--format=csv,noheader",
    ];
    machine.antlerite(&["inject", "oom"]).output()?;
    let full = text(&machine.antlerite(&query).output()?);
    demand("the memory is full", !full.starts_with("0 MiB"), &full)?;
    let reset = text(
        &machine
            .antlerite(&["run", "nvidia-smi", "--gpu-reset"])
            .output()?,
    );
    demand(
        "the reset is done",
        reset.contains("was successfully reset"),
        &reset,
    )?;
    let empty = text(&machine.antlerite(&query).output()?);
    demand("the memory is empty", empty.starts_with("0 MiB"), &empty)
}
