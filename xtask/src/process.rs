//! Running other programs.

use std::{io::Write as _, path::Path, process::Command};

use crate::error::Failure;

/// The command as a user would type it.
pub fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs with inherited output.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|source| Failure::Start {
        line: line(command),
        source,
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::Command {
            line: line(command),
            status,
        })
    }
}

/// Runs and returns standard output; standard error is inherited.
pub fn output(command: &mut Command) -> Result<String, Failure> {
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|source| Failure::Start {
            line: line(command),
            source,
        })?;
    if !output.status.success() {
        return Err(Failure::Command {
            line: line(command),
            status: output.status,
        });
    }
    String::from_utf8(output.stdout).map_err(|error| Failure::Output {
        line: line(command),
        what: error.to_string(),
    })
}

/// The cargo that runs us, in `root`.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Puts text behind what a file holds.
pub fn append(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(Failure::file(path))
}
