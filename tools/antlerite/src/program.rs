//! `run`, `trace` and `shell`.

use crate::arguments::{DoorChoice, Machine, Run, Shell, Strace, Trace};
use crate::error::Error;
use crate::{door, environment, output, server, view, wait};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `antlerite run`.
///
/// # Errors
/// The program cannot be started.
pub fn run(machine: &Machine, run: &Run) -> Result<u8, Error> {
    let limit = match run.timeout {
        None => None,
        Some(seconds) => Some(
            Duration::try_from_secs_f64(seconds)
                .ok()
                .filter(|limit| !limit.is_zero())
                .ok_or(Error::BadTimeout(seconds))?,
        ),
    };
    start(machine, run.program.clone(), Vec::new(), limit)
}

/// `antlerite trace`.
///
/// # Errors
/// The program cannot be started.
pub fn trace(machine: &Machine, trace: &Trace) -> Result<u8, Error> {
    let layers = ("ANTLERITE_TRACE".into(), trace.layers.clone().into());
    let wanted = ["all", "1", "door", "kernel"];
    if trace
        .layers
        .split(',')
        .any(|layer| wanted.contains(&layer.trim()))
    {
        server::watch(machine, "kernel: ")?;
    }
    start(machine, trace.program.clone(), vec![layers], None)
}

/// `antlerite strace`.
///
/// # Errors
/// The program cannot be started.
pub fn strace(machine: &Machine, strace: &Strace) -> Result<u8, Error> {
    server::watch(machine, "")?;
    start(machine, strace.program.clone(), Vec::new(), None)
}

/// `antlerite shell`.
///
/// # Errors
/// The shell cannot be started.
pub fn shell(machine: &Machine, shell: &Shell) -> Result<u8, Error> {
    let words = match &shell.command {
        Some(command) => vec!["/bin/sh".into(), "-c".into(), command.clone()],
        None => vec![std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into())],
    };
    // As on a GPU machine: device nodes, modules, dmesg. Without namespaces only what a socket can do.
    let door = machine.door.unwrap_or_else(|| {
        if supervisor::probe().is_some() {
            DoorChoice::Syscall
        } else {
            DoorChoice::Socket
        }
    });
    start_at(machine, door, words, Vec::new(), None)
}

fn start(
    machine: &Machine,
    words: Vec<OsString>,
    more: Vec<environment::Variable>,
    limit: Option<Duration>,
) -> Result<u8, Error> {
    let door = machine.door.unwrap_or(DoorChoice::Socket);
    start_at(machine, door, words, more, limit)
}

fn start_at(
    machine: &Machine,
    door: DoorChoice,
    words: Vec<OsString>,
    more: Vec<environment::Variable>,
    limit: Option<Duration>,
) -> Result<u8, Error> {
    let mut variables = environment::variables(machine)?;
    variables.extend(more);
    if let Some(warning) = words.first().and_then(|name| warn_about(name)) {
        output::problem(format_args!("{warning}"));
    }
    machine.choose();
    // nvidia-smi, as an installed driver brings it.
    if let Some(commands) = std::env::current_exe()
        .ok()
        .and_then(|exe| Some(exe.parent()?.to_owned()))
    {
        view::put_in_front(&mut variables, "PATH", &commands);
    }
    let mut mounts = Vec::new();
    if door == DoorChoice::Syscall {
        variables.push(("ANTLERITE_DOOR".into(), "syscall".into()));
        let view = view::show(machine)?;
        mounts = view.mounts;
        view::put_in_front(&mut variables, "PATH", &view.commands);
    }
    let program = door::Start {
        mounts,
        words,
        variables,
    };
    let pid = door::start(door, &program, machine.gpus())?;
    wait::until_it_ends(
        pid,
        limit,
        |pid| server::running_kernel(machine, pid),
        |pid| server::abandoned_kernel(machine, pid),
    )
}

/// What the loader will not do for a program, and says nothing about.
fn warn_about(name: &OsStr) -> Option<String> {
    let path = resolve(name)?;
    let mode = std::fs::metadata(&path).ok()?.mode();
    const SET_IDS: u32 = libc::S_ISUID | libc::S_ISGID;
    if mode & SET_IDS != 0 {
        return Some(format!(
            "{} changes its user or group when it starts: the loader then ignores \
             LD_LIBRARY_PATH, and the program will not find the driver",
            path.display()
        ));
    }
    None
}

/// The file that a command name means, as `execvp` finds it.
fn resolve(name: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(name));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder: PathBuf| Path::new(&folder).join(name))
        .find(|file| file.is_file())
}
