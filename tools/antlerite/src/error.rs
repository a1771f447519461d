//! Why a command failed.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot find the installed libraries: looked in {0}")]
    NoLibraries(String),
    #[error("{0}: no such program")]
    NotFound(String),
    #[error("{program}: cannot be run: {why}")]
    NotRunnable {
        program: String,
        why: std::io::Error,
    },
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: std::io::Error },
    #[error("{0} takes a positive number of seconds")]
    BadTimeout(f64),
    #[error("{0}")]
    Door(String),
    #[error(transparent)]
    Server(#[from] door::DoorError),
    #[error(transparent)]
    Manage(#[from] kernel::manage::ManageError),
    #[error("waiting for the program: {0}")]
    Wait(std::io::Error),
}

impl Error {
    /// The exit code: as shells say it where a program could not be started, else 125, as other
    /// launchers do for troubles of their own.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::NotFound(_) => 127,
            Error::NotRunnable { .. } => 126,
            Error::NoLibraries(_)
            | Error::File { .. }
            | Error::BadTimeout(_)
            | Error::Door(_)
            | Error::Server(_)
            | Error::Manage(_)
            | Error::Wait(_) => 125,
        }
    }
}
