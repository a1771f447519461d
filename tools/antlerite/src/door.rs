//! Starts a program at the chosen door.

use crate::arguments::DoorChoice;
use crate::error::Error;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// A program to start: its words, and what its environment gets on top of ours.
#[derive(Debug)]
pub struct Start {
    pub words: Vec<OsString>,
    pub variables: Vec<(OsString, OsString)>,
}

/// Starts the program; its process id.
///
/// # Errors
/// The program cannot be run, or the door cannot be opened here.
pub fn start(door: DoorChoice, program: &Start) -> Result<libc::pid_t, Error> {
    match door {
        DoorChoice::Socket => socket(program),
        DoorChoice::Syscall => Err(Error::Door(
            "this build has no syscall door; use --door socket (the default)".into(),
        )),
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
