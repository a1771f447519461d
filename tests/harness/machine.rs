//! What a machine with the driver shows, by its real tools: module tools, dmesg, strace, ldconfig, /proc and /sys;
//! failures on request; runaway kernels; other users.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Lines},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::{Failed, Trial};

use crate::{
    build::{self, Build},
    crowd,
    directives::{Directives, Door},
    managed,
    places::{Places, Toolkit},
};

pub(crate) type Test = (&'static str, Door, fn(&Machine) -> Result<(), Failed>);

const TESTS: [Test; 14] = [
    ("machine/profiles", Door::Socket, profiles),
    ("machine/same-numbers", Door::Socket, same_numbers),
    ("machine/modules", Door::Syscall, modules),
    ("machine/module-files", Door::Syscall, module_files),
    ("machine/log", Door::Syscall, log),
    ("machine/proc-and-sys", Door::Syscall, proc_and_sys),
    ("machine/decoded-calls", Door::Socket, decoded_calls),
    ("machine/runaway-kernels", Door::Socket, runaway_kernels),
    ("machine/injected-failures", Door::Socket, injected_failures),
    ("machine/another-user", Door::Socket, another_user),
    ("machine/monitors", Door::Socket, monitors),
    ("machine/two-programs", Door::Socket, two_programs),
    ("machine/eight-gpus", Door::Socket, eight_gpus),
    ("machine/visible-devices", Door::Socket, visible_devices),
];

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    TESTS
        .into_iter()
        .chain(managed::TESTS)
        .chain(crowd::TESTS)
        .map(|(name, door, test)| trial(places, missing, (name, Build::Static, door), test))
        .collect()
}

/// A test on a machine of its own, ignored where its build or its door is missing.
pub(crate) fn trial(
    places: &Places,
    missing: &mut BTreeMap<String, Vec<String>>,
    (name, build, door): (&'static str, Build, Door),
    test: fn(&Machine) -> Result<(), Failed>,
) -> Trial {
    let reason = places.missing_for(build, door);
    let ignored = reason.is_some();
    if let Some(reason) = reason {
        missing.entry(reason).or_default().push(name.into());
    }
    let machine = Machine::new(places, name);
    Trial::test(name, move || {
        let result = test(&machine);
        machine.down();
        result
    })
    .with_ignored_flag(ignored)
}

pub(crate) struct Machine {
    pub(crate) places: Places,
    instance: String,
}

impl Machine {
    /// A machine for the test of that name: its server is shared with no other.
    fn new(places: &Places, test: &str) -> Self {
        Self {
            places: places.clone(),
            // At most 40 characters.
            instance: format!("test-{:.24}-{}", test.replace('/', "-"), std::process::id()),
        }
    }

    pub(crate) fn antlerite(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.places.dist.join("bin/antlerite"));
        command
            .args(arguments)
            .env("ANTLERITE_INSTANCE", &self.instance)
            .stdin(Stdio::null());
        command
    }

    /// The toolkit that is the driver's own.
    pub(crate) fn toolkit(&self) -> Result<PathBuf, Failed> {
        let toolkit = self.places.toolkit(Toolkit::Default);
        let toolkit = toolkit.ok_or_else(|| Failed::from("the toolkit is gone"))?;
        Ok(toolkit.canonicalize()?)
    }

    pub(crate) fn down(&self) {
        let _ = self.antlerite(&["down"]).output();
    }

    /// A command in the machine's shell; what it printed, both ways, and whether it succeeded.
    pub(crate) fn shell(&self, line: &str) -> Result<(String, bool), Failed> {
        let output = self.antlerite(&["shell", "-c", line]).output()?;
        Ok((text(&output), output.status.success()))
    }

    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, Failed> {
        let source = self.places.root.join("tests/machine").join(name);
        let directives = Directives::parse("// expect: \n").map_err(|error| error.to_string())?;
        // Tests in other processes may want the same program.
        std::fs::create_dir_all(&self.places.cache)?;
        let lock = std::fs::File::create(self.places.cache.join("machine.lock"))?;
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive)?;
        Ok(build::binary(&self.places, &source, &directives, Build::Static)?.path)
    }
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

pub(crate) fn demand(what: &str, holds: bool, seen: &str) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(format!("{what}; seen:\n{seen}").into())
    }
}

/// Whether a tool is there. Where it is not, the test says so and judges nothing.
pub(crate) fn has(tool: &str) -> bool {
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
    let program = machine.program("wild.cu")?;
    let (seen, _) = machine.shell(&format!(
        "'{}'; dmesg | grep -iE 'nvidia|nvrm'; dmesg --level=err | wc -l",
        program.display()
    ))?;
    for part in [
        "cudaErrorIllegalAddress\n",
        "NVRM: Xid (PCI:0000:17:00): 31, pid=",
        "name=wild",
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
pub(crate) fn counter(json: &str, name: &str) -> Option<u64> {
    number_at(json, json.rfind(&format!("\"{name}\":"))? + name.len() + 3)
}

/// The first number of that name.
pub(crate) fn first(json: &str, name: &str) -> Option<u64> {
    number_at(json, json.find(&format!("\"{name}\":"))? + name.len() + 3)
}

fn number_at(json: &str, at: usize) -> Option<u64> {
    let digits: String = json[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
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

/// What a server holds: descriptors charged, files, framebuffer, host memory, and descriptors of its process.
pub(crate) fn holdings(machine: &Machine) -> Result<(u64, Vec<u64>), Failed> {
    let json = text(&machine.antlerite(&["status", "--json"]).output()?);
    let number =
        |name: &str| first(&json, name).ok_or_else(|| Failed::from(format!("no {name} in {json}")));
    let pid = number("pid")?;
    // The connection of the question above may be there for a moment yet: the fewest of some looks.
    let mut fds = u64::MAX;
    for _ in 0..20 {
        fds = fds.min(std::fs::read_dir(format!("/proc/{pid}/fd"))?.count() as u64);
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok((
        pid,
        vec![number("files")?, number("used")?, number("host_used")?, fds],
    ))
}

/// A program that has said that it began, and what else it says.
fn spinning(machine: &Machine) -> Result<(Child, Lines<BufReader<ChildStdout>>), Failed> {
    let program = machine.program("spin.cu")?.display().to_string();
    let mut child = machine
        .antlerite(&["run", &program])
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or("no standard output")?;
    let mut lines = BufReader::new(out).lines();
    lines.next().transpose()?;
    Ok((child, lines))
}

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

/// Eight GPUs that hang together by NVLink, as nvidia-smi lists them.
fn eight_gpus(machine: &Machine) -> Result<(), Failed> {
    let smi = |words: &[&str]| -> Result<String, Failed> {
        let mut line = vec!["run", "--gpu", "h100:8", "nvidia-smi"];
        line.extend_from_slice(words);
        Ok(text(&machine.antlerite(&line).output()?))
    };
    let list = smi(&["-L"])?;
    demand("eight are listed", list.lines().count() == 8, &list)?;
    let matrix = smi(&["topo", "-m"])?;
    for gpu in 0..8 {
        let row = matrix
            .lines()
            .find(|line| line.starts_with(&format!("GPU{gpu}\t")))
            .unwrap_or_default();
        let cells: Vec<&str> = row.split('\t').skip(1).take(8).map(str::trim).collect();
        let right = cells.len() == 8
            && cells
                .iter()
                .enumerate()
                .all(|(other, cell)| *cell == if other == gpu { "X" } else { "NV18" });
        demand(&format!("GPU {gpu} has seven links"), right, &matrix)?;
    }
    let links = smi(&["nvlink", "-s", "-i", "7"])?;
    demand("a GPU has 18 links", links.contains("Link 17: "), &links)
}

/// CUDA_VISIBLE_DEVICES and its companions, for one program, without a rebuild.
fn visible_devices(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("visible.cu")?.display().to_string();
    let gpu = ["run", "--gpu", "h100:3"];
    let list = text(
        &machine
            .antlerite(&[&gpu[..], &["nvidia-smi", "-L"]].concat())
            .output()?,
    );
    let uuids: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split("UUID: ").nth(1)?.split(')').next())
        .collect();
    demand("three are listed", uuids.len() == 3, &list)?;
    let run = |variables: &[(&str, &str)]| -> Result<String, Failed> {
        let mut command = machine.antlerite(&[&gpu[..], &[&program]].concat());
        command.env_remove("CUDA_VISIBLE_DEVICES");
        Ok(text(&command.envs(variables.iter().copied()).output()?))
    };
    let all = run(&[])?;
    let buses: Vec<&str> = all.trim_end().split(' ').collect();
    demand("three are seen", buses.len() == 3, &all)?;
    let reversed = format!("{},{}", uuids[2], uuids[0]);
    let prefix = uuids[1].get(..16).unwrap_or_default();
    for (value, want) in [
        ("0,1,2", all.trim_end().to_owned()),
        ("2,0", format!("{} {}", buses[2], buses[0])),
        ("1", buses[1].to_owned()),
        (&reversed, format!("{} {}", buses[2], buses[0])),
        (prefix, buses[1].to_owned()),
        ("0,-1,1", buses[0].to_owned()),
        ("", "cudaErrorNoDevice".to_owned()),
        ("-1", "cudaErrorNoDevice".to_owned()),
    ] {
        let seen = run(&[("CUDA_VISIBLE_DEVICES", value)])?;
        demand(
            &format!("CUDA_VISIBLE_DEVICES={value:?} shows {want}"),
            seen.trim_end() == want,
            &seen,
        )?;
    }
    let twice = run(&[("CUDA_VISIBLE_DEVICES", "0,0")])?;
    demand(
        "a device named twice is an error",
        twice.starts_with("cudaError"),
        &twice,
    )?;
    for variables in [
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
        ("CUDA_LAUNCH_BLOCKING", "1"),
        ("CUDA_MODULE_LOADING", "EAGER"),
        ("CUDA_MODULE_LOADING", "LAZY"),
    ] {
        let seen = run(&[variables])?;
        demand(&format!("{variables:?} is obeyed"), seen == all, &seen)?;
    }
    Ok(())
}

/// Launches work on each chip: each has descriptors of its own version.
fn profiles(machine: &Machine) -> Result<(), Failed> {
    let program = machine.program("client.cu")?.display().to_string();
    for gpu in ["a100", "rtx4090", "rtx5090"] {
        let instance = format!("{}-{gpu}", machine.instance);
        let run = |words: &[&str]| {
            let mut command = machine.antlerite(words);
            command.env("ANTLERITE_INSTANCE", &instance).output()
        };
        let seen = text(&run(&["run", "--gpu", gpu, &program, "2"])?);
        run(&["down"])?;
        demand(gpu, seen.ends_with("right\n"), &seen)?;
    }
    Ok(())
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
