//! How a command can fail.

use std::path::PathBuf;

use thiserror::Error as ThisError;

/// Why an xtask command did not succeed.
#[derive(Debug, ThisError)]
pub enum Failure {
    /// A file could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error("cannot run {line}: {source}")]
    Start {
        /// The command line.
        line: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program failed.
    #[error("{line}: {status}")]
    Command {
        /// The command line.
        line: String,
        /// Its exit status.
        status: std::process::ExitStatus,
    },
    /// A program's output was not as expected.
    #[error("unexpected output of {line}: {what}")]
    Output {
        /// The command line.
        line: String,
        /// What is wrong with it.
        what: String,
    },
    /// Checks found this many things.
    #[error("{0} found")]
    Findings(usize),
    /// Nothing could be judged, because something is not there.
    #[error("not judged: {0}")]
    NotJudged(String),
}

impl Failure {
    /// 1 for failures, 3 for "not judged": absence is neither success nor failure.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotJudged(_) => 3,
            Self::File { .. }
            | Self::Start { .. }
            | Self::Command { .. }
            | Self::Output { .. }
            | Self::Findings(_) => 1,
        }
    }

    /// Attaches a path to an I/O error.
    pub fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}
