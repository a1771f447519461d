//! Starts a program at the chosen door.

use crate::arguments::DoorChoice;
use crate::error::Error;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// A program to start: its words, and what its environment gets on top of ours.
#[derive(Debug)]
pub struct Start {
    /// What covers parts of /proc and /sys behind the syscall door.
    pub mounts: Vec<supervisor::Mount>,
    pub words: Vec<OsString>,
    pub variables: Vec<(OsString, OsString)>,
}

/// Starts the program, on a machine with `gpus` GPUs; its process id.
///
/// # Errors
/// The program cannot be run, or the door cannot be opened here.
pub fn start(door: DoorChoice, program: &Start, gpus: usize) -> Result<libc::pid_t, Error> {
    match door {
        DoorChoice::Socket => socket(program),
        DoorChoice::Syscall => syscall(program, gpus),
    }
}

/// Device nodes and the notification filter for the program; the kernel half, started if need be, answers behind them.
fn syscall(program: &Start, gpus: usize) -> Result<libc::pid_t, Error> {
    let method = supervisor::probe().ok_or_else(|| {
        Error::Door(
            "no syscall door here: namespaces are refused and /dev is not writable; use --door socket (the default)"
                .into(),
        )
    })?;
    let mut nodes: Vec<String> = (0..gpus).map(|n| format!("nvidia{n}")).collect();
    nodes.extend(
        [
            "nvidiactl",
            "nvidia-uvm",
            "nvidia-uvm-tools",
            "nvidia-modeset",
            "nvidia-caps/nvidia-cap1",
            "nvidia-caps/nvidia-cap2",
        ]
        .map(String::from),
    );
    let launch = supervisor::Launch {
        command: program.words.clone(),
        env: program
            .variables
            .iter()
            .map(|(name, value)| (name.clone(), Some(value.clone())))
            .collect(),
        method,
        nodes,
        mounts: program.mounts.clone(),
    };
    let mut refused = None;
    let started = launch.start(|listener| match door::supervise(&listener) {
        Ok(()) => Ok(()),
        Err(why) => {
            let text = why.to_string();
            refused = Some(why);
            Err(text)
        }
    });
    match (started, refused) {
        (Ok(outcome), _) => Ok(outcome.pid),
        (Err(_), Some(why)) => Err(Error::Server(why)),
        (Err(supervisor::LaunchError::Exec { program, why }), None)
            if why.kind() == std::io::ErrorKind::NotFound =>
        {
            Err(Error::NotFound(program))
        }
        (Err(supervisor::LaunchError::Exec { program, why }), None) => {
            Err(Error::NotRunnable { program, why })
        }
        (Err(why), None) => Err(Error::Door(why.to_string())),
    }
}

fn socket(program: &Start) -> Result<libc::pid_t, Error> {
    let Some((name, arguments)) = program.words.split_first() else {
        return Err(Error::NotFound(String::new()));
    };
    let launcher = rustix::process::getpid();
    let mut command = Command::new(name);
    command
        .args(arguments)
        .envs(program.variables.iter().map(|(name, value)| (name, value)));
    // SAFETY: the closure makes system calls only.
    unsafe {
        command.pre_exec(move || {
            // Who kills the launcher outright means the program too.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // The launcher may have died before the line above.
            if rustix::process::getppid() == Some(launcher) {
                Ok(())
            } else {
                Err(std::io::Error::from(std::io::ErrorKind::Interrupted))
            }
        });
    }
    let child = command.spawn().map_err(|why| {
        let program = name.to_string_lossy().into_owned();
        if why.kind() == std::io::ErrorKind::NotFound {
            Error::NotFound(program)
        } else {
            Error::NotRunnable { program, why }
        }
    })?;
    libc::pid_t::try_from(child.id())
        .map_err(|_| Error::Wait(std::io::Error::from(std::io::ErrorKind::InvalidData)))
}
