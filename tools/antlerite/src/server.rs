//! `up`, `down`, `status`, `dmesg`: the servers that programs share.

use crate::arguments::{Dmesg, Down, FailureChoice, Inject, Machine, Status as StatusArguments};
use crate::error::Error;
use crate::output;
use kernel::inject::Failure;
use kernel::manage::{self, Answer, ManageError, Request, Status};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often `dmesg -w` looks for new lines.
const LOOK: Duration = Duration::from_millis(250);
/// How long a server may take to leave.
const LEAVE: Duration = Duration::from_secs(10);

/// Folder of the server that programs started with these choices use.
pub fn folder(machine: &Machine) -> Result<PathBuf, Error> {
    machine.choose();
    let kmd = door::start::find_kmd().ok();
    Ok(door::instance::dir(kmd.as_deref())?)
}

/// `antlerite up`.
///
/// # Errors
/// The server cannot be started.
pub fn up(machine: &Machine) -> Result<u8, Error> {
    let folder = folder(machine)?;
    let kmd = door::start::find_kmd()?;
    door::start::ensure_started(&kmd, &folder)?;
    manage::ask(&folder, &Request::Persist { on: true })?;
    if let Answer::Status(status) = manage::ask(&folder, &Request::Status)? {
        output::line(format_args!(
            "driver {} is up: {} GPU(s), process {}; `antlerite down` ends it",
            status.version,
            status.gpus.len(),
            status.pid
        ));
    }
    Ok(0)
}

/// `antlerite down`.
///
/// # Errors
/// A server that runs does not answer.
pub fn down(machine: &Machine, down: &Down) -> Result<u8, Error> {
    let folders = if down.all {
        manage::instances()?
    } else {
        vec![folder(machine)?]
    };
    let mut ended = 0;
    for folder in folders {
        match manage::ask(&folder, &Request::Stop) {
            Ok(_) | Err(ManageError::Leaving(_)) => {
                wait_until_gone(&folder)?;
                ended += 1;
            }
            Err(ManageError::NotRunning(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if ended == 0 {
        output::problem(format_args!("no server was running"));
    }
    Ok(0)
}

fn wait_until_gone(folder: &std::path::Path) -> Result<(), Error> {
    let start = Instant::now();
    while !matches!(
        manage::ask(folder, &Request::Status),
        Err(ManageError::NotRunning(_))
    ) {
        if start.elapsed() > LEAVE {
            return Err(Error::Door(format!(
                "the server of {} does not leave",
                folder.display()
            )));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// `antlerite status`; 1 if no server runs.
///
/// # Errors
/// A server that runs does not answer.
pub fn status(machine: &Machine, arguments: &StatusArguments) -> Result<u8, Error> {
    let folders = if arguments.all {
        manage::instances()?
    } else {
        vec![folder(machine)?]
    };
    let mut found = Vec::new();
    for folder in folders {
        match manage::ask(&folder, &Request::Status) {
            Ok(Answer::Status(status)) => found.push((folder, *status)),
            Ok(_) | Err(ManageError::NotRunning(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if arguments.json {
        let list: Vec<_> = found
            .iter()
            .map(|(folder, status)| serde_json::json!({ "instance": folder, "status": status }))
            .collect();
        output::line(format_args!("{}", serde_json::Value::from(list)));
    } else if found.is_empty() {
        output::line(format_args!(
            "no server is running; programs start one on demand"
        ));
    } else {
        for (folder, status) in &found {
            print(&folder.display().to_string(), status);
        }
    }
    Ok(u8::from(found.is_empty()))
}

const MIB: u64 = 1 << 20;

fn print(folder: &str, status: &Status) {
    let (major, minor) = status.cuda;
    output::line(format_args!(
        "driver {} (CUDA {major}.{minor}), process {}, {}{}",
        status.version,
        status.pid,
        folder,
        if status.persist { ", stays" } else { "" }
    ));
    for gpu in &status.gpus {
        output::line(format_args!(
            "  GPU {} {} {}: {} of {} MiB used, {} channels",
            gpu.index,
            gpu.name,
            gpu.pci,
            gpu.used / MIB,
            gpu.total / MIB,
            gpu.channels
        ));
    }
    for process in &status.processes {
        output::line(format_args!(
            "  process {} {}: {} MiB on the GPU, {} MiB managed, {} objects",
            process.pid,
            process.name,
            process.video / MIB,
            process.managed / MIB,
            process.objects
        ));
        for context in &process.contexts {
            let doing = match &context.kernel {
                Some(kernel) => format!("runs {kernel}"),
                None if context.busy > 0 => "busy".into(),
                None => "idle".into(),
            };
            output::line(format_args!(
                "    context on GPU {}: {doing}, {:.3} s of work so far",
                context.gpu,
                Duration::from_nanos(context.busy_ns).as_secs_f64()
            ));
        }
    }
    for (what, count) in &status.unsupported {
        output::line(format_args!("  not supported, {count} times: {what}"));
    }
}

/// Has the server (started if need be) write the driver calls of what we start to our standard error.
///
/// # Errors
/// It cannot be started, or may not open our standard error.
pub fn watch(machine: &Machine, prefix: &str) -> Result<(), Error> {
    let folder = folder(machine)?;
    let kmd = door::start::find_kmd()?;
    door::start::ensure_started(&kmd, &folder)?;
    let request = Request::Watch {
        root: std::process::id(),
        prefix: prefix.to_owned(),
    };
    manage::ask(&folder, &request)?;
    Ok(())
}

/// `antlerite inject`.
///
/// # Errors
/// No server runs, or it has no such GPU.
pub fn inject(machine: &Machine, inject: &Inject) -> Result<u8, Error> {
    // Here `--gpu N` means an index, as users of nvidia-smi expect; a server is found by its name or the default.
    let index = match machine.gpu.as_deref().map(str::parse) {
        Some(Ok(index)) => index,
        Some(Err(_)) | None => inject.index,
    };
    let failure = match (inject.failure, inject.xid) {
        (FailureChoice::Xid, xid) => Failure::Xid(xid.unwrap_or_default()),
        (FailureChoice::Ecc, _) => Failure::Ecc,
        (FailureChoice::FallenOff, _) => Failure::FallenOff,
        (FailureChoice::Hang, _) => Failure::Hang,
        (FailureChoice::Oom, _) => Failure::Oom,
    };
    let chosen = Machine {
        gpu: machine
            .gpu
            .clone()
            .filter(|gpu| gpu.parse::<u32>().is_err()),
        driver_version: machine.driver_version.clone(),
        isa: machine.isa.clone(),
        instance: machine.instance.clone(),
        door: machine.door,
        uvm: machine.uvm,
    };
    let folder = folder(&chosen)?;
    let request = Request::Inject {
        gpu: index,
        failure,
    };
    if let Answer::Done { count } = manage::ask(&folder, &request)? {
        output::line(format_args!("GPU {index}: {count} contexts were hit"));
    }
    Ok(0)
}

/// `antlerite dmesg`.
///
/// # Errors
/// A server that runs does not answer.
pub fn dmesg(machine: &Machine, dmesg: &Dmesg) -> Result<u8, Error> {
    let folder = folder(machine)?;
    let mut shown = 0;
    loop {
        let lines = match manage::ask(&folder, &Request::Dmesg) {
            Ok(Answer::Lines { lines }) => lines,
            Ok(_) => Vec::new(),
            // The log outlives its server.
            Err(ManageError::NotRunning(_)) => {
                let text = std::fs::read_to_string(folder.join(door::instance::LOG));
                text.unwrap_or_default()
                    .lines()
                    .map(str::to_owned)
                    .collect()
            }
            Err(error) => return Err(error.into()),
        };
        if lines.len() < shown {
            // Another server, another log.
            shown = 0;
        }
        for line in lines.iter().skip(shown) {
            output::line(format_args!("{line}"));
        }
        shown = lines.len();
        if !dmesg.follow {
            return Ok(0);
        }
        std::thread::sleep(LOOK);
    }
}

/// What a process is running, in words ("kernel K"), if its server says so.
pub fn running_kernel(machine: &Machine, pid: libc::pid_t) -> Option<String> {
    let folder = folder(machine).ok()?;
    match manage::ask(&folder, &Request::Status).ok()? {
        Answer::Status(status) => kernel_of(&status, pid),
        _ => None,
    }
}

/// What a process that has ended was running until then, in the same words. The server answers when it knows.
pub fn abandoned_kernel(machine: &Machine, pid: libc::pid_t) -> Option<String> {
    let folder = folder(machine).ok()?;
    let pid = u32::try_from(pid).ok()?;
    match manage::ask(&folder, &Request::Abandoned { pid }).ok()? {
        Answer::Abandoned { kernel } => kernel.map(|kernel| format!("kernel {kernel}")),
        _ => None,
    }
}

fn kernel_of(status: &Status, pid: libc::pid_t) -> Option<String> {
    let wanted = u32::try_from(pid).ok()?;
    let own = status
        .processes
        .iter()
        .find(|process| process.pid == wanted);
    // The program may have been started by what we started: then any running kernel will do, if
    // there is but one.
    let contexts: Vec<_> = match own {
        Some(process) => process.contexts.iter().collect(),
        None => status
            .processes
            .iter()
            .flat_map(|process| &process.contexts)
            .collect(),
    };
    let name = |context: &&manage::ContextStatus| match &context.kernel {
        Some(kernel) => Some(format!("kernel {kernel}")),
        // A kernel that has just given way to another has no name to show.
        None if context.busy > 0 => Some("a kernel".to_owned()),
        None => None,
    };
    let mut running = contexts.iter().filter_map(name);
    let first = running.next()?;
    if own.is_none() && running.next().is_some() {
        return None;
    }
    Some(first)
}
