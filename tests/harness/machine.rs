//! What a machine with the driver shows, by its real tools: module tools, dmesg, strace, ldconfig, /proc and /sys; what
//! managed memory does, by counts; failures on request; runaway kernels.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::{Failed, Trial};

use crate::{
    build::{self, Build},
    directives::{Directives, Door},
    places::Places,
};

type Test = fn(&Machine) -> Result<(), Failed>;

const TESTS: [(&str, Door, Test); 12] = [
    ("machine/modules", Door::Syscall, modules),
    ("machine/module-files", Door::Syscall, module_files),
    ("machine/log", Door::Syscall, log),
    ("machine/proc-and-sys", Door::Syscall, proc_and_sys),
    ("machine/decoded-calls", Door::Socket, decoded_calls),
    ("machine/managed-counts", Door::Socket, managed_counts),
    ("machine/oversubscription", Door::Socket, oversubscription),
    ("machine/runaway-kernels", Door::Socket, runaway_kernels),
    ("machine/injected-failures", Door::Socket, injected_failures),
    ("machine/many-clients", Door::Socket, many_clients),
    ("machine/another-user", Door::Socket, another_user),
    ("machine/monitors", Door::Socket, monitors),
];

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    TESTS
        .into_iter()
        .map(|(name, door, test)| {
            let reason = places.missing_for(Build::Static, door);
            let ignored = reason.is_some();
            if let Some(reason) = reason {
                missing.entry(reason).or_default().push(name.into());
            }
            let machine = Machine {
                places: places.clone(),
                instance: format!("test-{}-{}", name.replace('/', "-"), std::process::id()),
            };
            Trial::test(name, move || {
                let result = test(&machine);
                machine.down();
                result
            })
            .with_ignored_flag(ignored)
        })
        .collect()
}

struct Machine {
    places: Places,
    instance: String,
}

impl Machine {
    fn antlerite(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.places.dist.join("bin/antlerite"));
        command
            .args(arguments)
            .env("ANTLERITE_INSTANCE", &self.instance)
            .stdin(Stdio::null());
        command
    }

    fn down(&self) {
        let _ = self.antlerite(&["down"]).output();
    }

    /// A command in the machine's shell; what it printed, both ways, and whether it succeeded.
    fn shell(&self, line: &str) -> Result<(String, bool), Failed> {
        let output = self.antlerite(&["shell", "-c", line]).output()?;
        Ok((text(&output), output.status.success()))
    }

    fn program(&self, name: &str) -> Result<PathBuf, Failed> {
        let source = self.places.root.join("tests/machine").join(name);
        let directives = Directives::parse("// expect: \n").map_err(|error| error.to_string())?;
        // Tests in other processes may want the same program.
        std::fs::create_dir_all(&self.places.cache)?;
        let lock = std::fs::File::create(self.places.cache.join("machine.lock"))?;
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive)?;
        Ok(build::binary(&self.places, &source, &directives, Build::Static)?.path)
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn demand(what: &str, holds: bool, seen: &str) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(format!("{what}; seen:\n{seen}").into())
    }
}

/// Whether a tool is there. Where it is not, the test says so and judges nothing.
fn has(tool: &str) -> bool {
    let found = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
        .iter()
        .any(|dir| Path::new(dir).join(tool).exists());
    if !found {
        eprintln!("not judged: no {tool} here");
    }
    found
}

/// Whether a program may have a /lib/modules of its own: it is there, or can be made.
fn has_module_tree(machine: &Machine) -> Result<bool, Failed> {
    let (_, there) = machine.shell("ls /lib/modules/$(uname -r)/kernel/drivers/video/nvidia.ko")?;
    if !there {
        eprintln!("not judged: /lib/modules is not there and cannot be made");
    }
    Ok(there)
}

fn modules(machine: &Machine) -> Result<(), Failed> {
    if !has("modprobe") || !has_module_tree(machine)? {
        return Ok(());
    }
    let (seen, _) = machine.shell(
        "PATH=$PATH:/usr/sbin:/sbin
         lsmod | grep nvidia
         sudo modprobe -r nvidia_uvm && echo gone; lsmod | grep -c '^nvidia_uvm'
         sudo modprobe -r nvidia_modeset || echo in use
         sudo modprobe -r nvidia_drm nvidia_modeset && sudo rmmod nvidia && echo all gone
         sudo insmod /lib/modules/$(uname -r)/kernel/drivers/video/nvidia-uvm.ko || echo refused
         sudo modprobe nvidia_uvm && lsmod | grep '^nvidia'
         sudo modprobe nvidia NVreg_EnableMSI=0; sudo rmmod nvidia_uvm nvidia
         sudo modprobe nvidia NVreg_EnableStreamMemOPs=1 && grep EnableStreamMemOPs /proc/driver/nvidia/params
         sudo modprobe nvidia-drm; cat /sys/module/nvidia/refcnt
         exec 5<>/dev/nvidiactl; dd if=/dev/null 2>/dev/null; cat /sys/module/nvidia_modeset/refcnt",
    )?;
    let line = |start: &str, words: &[&str]| {
        seen.lines().any(|line| {
            line.starts_with(start) && line.split_whitespace().skip(2).eq(words.iter().copied())
        })
    };
    let with = |text: &str| seen.contains(text);
    demand(
        "lsmod lists nvidia with its users",
        line("nvidia ", &["2", "nvidia_uvm,nvidia_modeset"]),
        &seen,
    )?;
    demand(
        "nvidia_uvm is used by none",
        line("nvidia_uvm ", &["0"]),
        &seen,
    )?;
    demand("nvidia_uvm goes", with("gone\n0\n"), &seen)?;
    demand("nvidia_modeset is in use", with("in use\n"), &seen)?;
    demand("all go in order", with("all gone\n"), &seen)?;
    demand(
        "nvidia-uvm without nvidia lacks symbols",
        with("Unknown symbol in module") && with("refused\n"),
        &seen,
    )?;
    demand(
        "modprobe brings what is needed",
        line("nvidia ", &["1", "nvidia_uvm"]),
        &seen,
    )?;
    demand(
        "a parameter is kept",
        with("EnableStreamMemOPs: 1\n"),
        &seen,
    )?;
    demand(
        "nvidia has one user, modeset has one",
        seen.contains("EnableStreamMemOPs: 1\n1\n1\n"),
        &seen,
    )?;
    // A program that has contexts holds the module.
    let program = machine.program("spin.cu")?;
    let (seen, _) = machine.shell(&format!(
        "PATH=$PATH:/usr/sbin:/sbin
         cat /sys/module/nvidia/refcnt
         '{}' & for i in $(seq 400); do [ \"$(cat /sys/module/nvidia_uvm/refcnt 2>/dev/null || echo 0)\" -gt 0 ] && break; sleep 0.05; done
         [ $(cat /sys/module/nvidia/refcnt) -gt 2 ] && echo more
         rmmod nvidia_uvm 2>/dev/null && echo wrong
         kill -9 $!; wait $! 2>/dev/null
         for i in $(seq 400); do [ $(cat /sys/module/nvidia/refcnt) = 2 ] && break; sleep 0.05; done
         cat /sys/module/nvidia/refcnt",
        program.display()
    ))?;
    demand(
        "the use count rises and falls with programs",
        seen.contains("more\n") && seen.trim_end().ends_with('2') && !seen.contains("wrong"),
        &seen,
    )
}

fn module_files(machine: &Machine) -> Result<(), Failed> {
    if !has("modinfo") || !has_module_tree(machine)? {
        return Ok(());
    }
    let (seen, _) = machine.shell(
        "PATH=$PATH:/usr/sbin:/sbin
         modinfo nvidia; modinfo -F depends nvidia_drm; modinfo -F version nvidia-uvm
         modinfo $(modinfo -n nvidia-modeset) | grep depends",
    )?;
    for part in [
        "/kernel/drivers/video/nvidia.ko\n",
        "version:        580.142\n",
        "supported:      external\n",
        "license:        Dual MIT/GPL\n",
        "parm:           NVreg_EnableMSI:int\n",
        "nvidia-modeset\n580.142\n",
        "depends:        nvidia\n",
    ] {
        demand(
            &format!("modinfo says {part:?}"),
            seen.contains(part),
            &seen,
        )?;
    }
    Ok(())
}

fn log(machine: &Machine) -> Result<(), Failed> {
    if !has("dmesg") {
        return Ok(());
    }
    let (seen, _) = machine.shell("dmesg | grep -iE 'nvidia|nvrm'; dmesg --level=err | wc -l")?;
    for part in [
        "nvidia: loading out-of-tree module taints kernel.",
        "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.142",
        "nvidia 0000:17:00.0: enabling device",
        "nvidia-uvm: Loaded the UVM driver, major device number",
    ] {
        demand(&format!("dmesg says {part:?}"), seen.contains(part), &seen)?;
    }
    Ok(())
}

fn proc_and_sys(machine: &Machine) -> Result<(), Failed> {
    let (seen, _) = machine.shell(
        "ls -l /dev/nvidia*
         cat /proc/driver/nvidia/version /proc/driver/nvidia/gpus/*/information
         grep nvidia /proc/devices; grep nvidia /proc/interrupts; cat /proc/sys/kernel/tainted
         cat /sys/bus/pci/devices/0000:17:00.0/vendor /sys/module/nvidia/version
         ls /sys/module | wc -l
         PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -E 'libcuda|libcudart'",
    )?;
    for part in [
        "/dev/nvidiactl",
        "/dev/nvidia-uvm-tools",
        "/dev/nvidia-modeset",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.142",
        "Bus Location: \t 0000:17:00.0",
        "195 nvidia\n",
        "nvidia-uvm\n",
        "0x10de\n580.142\n",
    ] {
        demand(&format!("{part:?} is there"), seen.contains(part), &seen)?;
    }
    let taint = seen
        .lines()
        .filter_map(|line| line.parse::<u64>().ok())
        .any(|taint| taint & 12288 == 12288);
    demand("the kernel is tainted", taint, &seen)?;
    demand(
        "an interrupt line names nvidia",
        seen.lines()
            .any(|l| l.contains(": ") && l.ends_with(" nvidia")),
        &seen,
    )?;
    if has("ldconfig") {
        for library in ["libcuda.so.1", "libcudart.so.12", "libcudart.so.13"] {
            demand(
                &format!("ldconfig knows {library}"),
                seen.contains(&format!("\t{library} (libc6,x86-64) => ")),
                &seen,
            )?;
        }
    }
    Ok(())
}

fn decoded_calls(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("managed.cu")?;
    let program = program.display().to_string();
    let output = machine.antlerite(&["strace", &program, "1"]).output()?;
    let seen = text(&output);
    for part in [
        "openat(/dev/nvidiactl) = 0",
        "NV_ESC_RM_ALLOC (0x2b, 0x",
        "class=NV01_ROOT_CLIENT}) = 0 NV_OK",
        "NV_ESC_RM_CONTROL (0x2a, 0x20 bytes), {client=",
        "ioctl(/dev/nvidia-uvm, UVM_REGISTER_GPU_VASPACE, {client=",
        "UVM_VALIDATE_VA_RANGE, {base=0x",
    ] {
        demand(&format!("strace says {part:?}"), seen.contains(part), &seen)?;
    }
    let output = machine.antlerite(&["trace", &program, "1"]).output()?;
    let seen = text(&output);
    for part in ["cudaMallocManaged", "cuMemAllocManaged", "kernel: [pid "] {
        demand(&format!("trace says {part:?}"), seen.contains(part), &seen)?;
    }
    Ok(())
}

/// The last number of that name.
fn counter(json: &str, name: &str) -> Option<u64> {
    number_at(json, json.rfind(&format!("\"{name}\":"))? + name.len() + 3)
}

/// The first number of that name.
fn first(json: &str, name: &str) -> Option<u64> {
    number_at(json, json.find(&format!("\"{name}\":"))? + name.len() + 3)
}

fn number_at(json: &str, at: usize) -> Option<u64> {
    let digits: String = json[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

fn managed_counts(machine: &Machine) -> Result<(), Failed> {
    const MIB: u64 = 4;
    const BLOCKS: u64 = MIB * 16;
    let program = machine.program("managed.cu")?.display().to_string();
    let run = |policy: &str, words: &[&str]| -> Result<Option<String>, Failed> {
        let mut line = vec!["run", "--uvm", "tracked", &program];
        line.extend_from_slice(words);
        let output = machine
            .antlerite(&line)
            .env("ANTLERITE_UVM_POLICY", policy)
            .output()?;
        let seen = text(&output);
        if seen.contains("managed memory is not tracked") {
            eprintln!("not judged: {seen}");
            return Ok(None);
        }
        demand("the sums are right", seen.contains("wrong: 0\n"), &seen)?;
        let stat = machine.antlerite(&["uvm-stat", "--json"]).output()?;
        Ok(Some(String::from_utf8_lossy(&stat.stdout).into_owned()))
    };
    let mib = MIB.to_string();
    let Some(plain) = run("plain", &[&mib])? else {
        return Ok(());
    };
    // The CPU fills a and b, the device reads them and is the first at c, the CPU reads c.
    for (name, want) in [
        ("cpu_faults", 3 * BLOCKS),
        ("gpu_faults", 3 * BLOCKS),
        ("host_to_device", 2 * BLOCKS),
        ("host_to_device_bytes", (2 * MIB) << 20),
        ("device_to_host", BLOCKS),
        ("device_to_host_bytes", MIB << 20),
        ("density", 0),
        ("evicted", 0),
    ] {
        demand(
            &format!("{name} is {want}"),
            counter(&plain, name) == Some(want),
            &plain,
        )?;
    }
    let Some(prefetched) = run("plain", &[&mib, "prefetch"])? else {
        return Ok(());
    };
    for (name, want) in [
        ("gpu_faults", 0),
        ("prefetched", 3 * BLOCKS),
        ("host_to_device", 2 * BLOCKS),
        ("device_to_host", BLOCKS),
    ] {
        demand(
            &format!("{name} is {want} after a prefetch"),
            counter(&prefetched, name) == Some(want),
            &prefetched,
        )?;
    }
    let Some(dense) = run("density", &[&mib])? else {
        return Ok(());
    };
    demand(
        "neighbours come too, and all moves are the same",
        counter(&dense, "gpu_faults").is_some_and(|n| n < 3 * BLOCKS)
            && counter(&dense, "host_to_device") == Some(2 * BLOCKS)
            && counter(&dense, "density").is_some_and(|n| n > 0),
        &dense,
    )?;
    let table = text(&machine.antlerite(&["uvm-stat"]).output()?);
    demand(
        "the table names the program",
        table.contains("GPU FAULTS"),
        &table,
    )?;
    let plot = machine
        .places
        .cache
        .join(format!("uvm-{}.svg", std::process::id()));
    let drawn = machine
        .antlerite(&["uvm-stat", "--plot", &plot.display().to_string()])
        .output()?;
    let svg = std::fs::read_to_string(&plot).unwrap_or_default();
    demand("the plot is drawn", svg.contains("<svg"), &text(&drawn))
}

fn oversubscription(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("oversubscribed.cu")?.display().to_string();
    let output = machine
        .antlerite(&["run", "--uvm", "tracked", &program])
        .env("ANTLERITE_MEMORY", "64M")
        .output()?;
    let seen = text(&output);
    demand("the sums are right", seen.contains("wrong: 0\n"), &seen)?;
    if seen.contains("managed memory is not tracked") {
        eprintln!("not judged: {seen}");
        return Ok(());
    }
    let stat = machine
        .antlerite(&["uvm-stat", "--json"])
        .env("ANTLERITE_MEMORY", "64M")
        .output()?;
    let json = String::from_utf8_lossy(&stat.stdout);
    demand(
        "blocks were evicted",
        counter(&json, "evicted").is_some_and(|n| n > 0),
        &json,
    )
}

fn runaway_kernels(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("spin.cu")?.display().to_string();
    // The limit must leave time for the launch, on a machine of any speed.
    let mut limits = ["2", "10", "60"].into_iter();
    let (output, seen) = loop {
        let limit = limits
            .next()
            .ok_or("the program does not come to its launch")?;
        let output = machine
            .antlerite(&["run", "--timeout", limit, &program])
            .output()?;
        let seen = text(&output);
        if seen.contains("launched") {
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
    let mut child = machine
        .antlerite(&["run", &program])
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("no standard output")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    demand("the program launched", line == "launched\n", &line)?;
    let status = text(&machine.antlerite(&["status"]).output()?);
    demand(
        "the status names the kernel",
        status.contains("runs _Z13runs_for_ever"),
        &status,
    )?;
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

/// What a server holds: descriptors charged, files, framebuffer, host memory, and descriptors of its process.
fn holdings(machine: &Machine) -> Result<(u64, Vec<u64>), Failed> {
    let json = text(&machine.antlerite(&["status", "--json"]).output()?);
    let number =
        |name: &str| first(&json, name).ok_or_else(|| Failed::from(format!("no {name} in {json}")));
    let pid = number("pid")?;
    let fds = std::fs::read_dir(format!("/proc/{pid}/fd"))?.count() as u64;
    Ok((
        pid,
        vec![number("files")?, number("used")?, number("host_used")?, fds],
    ))
}

/// Many programs at once, a third of them killed: the others' results are right, and nothing is left behind.
/// `ANTLERITE_CLIENTS` says how many.
fn many_clients(machine: &Machine) -> Result<(), Failed> {
    let wanted = std::env::var("ANTLERITE_CLIENTS").ok();
    let count: usize = wanted.and_then(|n| n.parse().ok()).unwrap_or(15);
    let program = machine.program("client.cu")?.display().to_string();
    machine.antlerite(&["up"]).output()?;
    // The first one fills the compiler's cache.
    let first = text(&machine.antlerite(&["run", &program, "1"]).output()?);
    demand("one client is right", first.ends_with("right\n"), &first)?;
    let settled = |wanted: Option<&Vec<u64>>| -> Result<Vec<u64>, Failed> {
        let start = Instant::now();
        loop {
            let (_, now) = holdings(machine)?;
            let idle = now[0] == 0 && wanted.is_none_or(|w| now.iter().zip(w).all(|(n, w)| n <= w));
            if idle || start.elapsed() > Duration::from_secs(60) {
                return Ok(now);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let before = settled(None)?;
    let mut children = Vec::new();
    for index in 0..count {
        let doomed = index % 3 == 1;
        // Who is to be killed works until then.
        let rounds = if doomed { "1000000" } else { "20" };
        let mut child = machine
            .antlerite(&["run", &program, rounds])
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("no standard output")?;
        children.push((doomed, child, BufReader::new(out).lines()));
    }
    for (doomed, child, lines) in &mut children {
        if *doomed {
            let line = lines.next().transpose()?.unwrap_or_default();
            demand("a client started", line == "started", &line)?;
            child.kill()?;
        }
    }
    for (doomed, mut child, lines) in children {
        let status = child.wait()?;
        if !doomed {
            let said: Vec<String> = lines.map_while(Result::ok).collect();
            demand(
                "a survivor's result is right",
                status.success() && said.last().is_some_and(|l| l == "right"),
                &said.join("\n"),
            )?;
        }
    }
    let after = settled(Some(&before))?;
    demand(
        "files, framebuffer, host memory and descriptors are as before",
        after
            .iter()
            .zip(&before)
            .all(|(after, before)| after <= before),
        &format!("before {before:?}, after {after:?}"),
    )
}

/// gpustat and nvitop, where `ANTLERITE_PYNVML_PYTHON` has them, and nvidia-smi see a program that runs.
fn monitors(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("spin.cu")?.display().to_string();
    let mut child = machine
        .antlerite(&["run", &program])
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("no standard output")?;
    BufReader::new(out).lines().next().transpose()?;
    let python = std::env::var("ANTLERITE_PYNVML_PYTHON").unwrap_or_else(|_| "python3".into());
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
        ] {
            if name != "nvidia-smi" {
                let there = Command::new(&python)
                    .args(["-c", &format!("import {name}")])
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

/// Another user reaches neither socket nor memory.
fn another_user(machine: &Machine) -> Result<(), Failed> {
    if !rustix::process::geteuid().is_root() || !has("setpriv") {
        eprintln!("not judged: another user can be tried by root only, with setpriv");
        return Ok(());
    }
    let program = machine.program("spin.cu")?.display().to_string();
    let mut child = machine
        .antlerite(&["run", &program])
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("no standard output")?;
    let mut lines = BufReader::new(out).lines();
    lines.next().transpose()?;
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

fn injected_failures(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("spin.cu")?.display().to_string();
    for (words, xid, name) in [
        (&["inject", "xid", "31"][..], 31, "cudaErrorIllegalAddress"),
        (&["inject", "ecc"][..], 48, "cudaErrorECCUncorrectable"),
        (&["inject", "hang"][..], 109, "cudaErrorLaunchTimeout"),
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
