//! The environment in which a program finds the virtual GPU.

use crate::arguments::Machine;
use crate::error::Error;
use crate::{installed, output};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// One variable to set.
pub type Variable = (OsString, OsString);

/// What `run` adds to the environment, given what it has already.
///
/// # Errors
/// The libraries are not found.
pub fn variables(machine: &Machine) -> Result<Vec<Variable>, Error> {
    let libraries = installed::libraries()?;
    Ok(build(&libraries, machine, |name| std::env::var_os(name)))
}

fn build(
    libraries: &Path,
    machine: &Machine,
    current: impl Fn(&str) -> Option<OsString>,
) -> Vec<Variable> {
    let mut set: Vec<Variable> = Vec::new();
    let mut add = |name: &str, value: OsString| set.push((name.into(), value));
    for (name, value) in machine.choices() {
        add(name, value.into());
    }
    let folder = libraries.as_os_str();
    add(
        "LD_LIBRARY_PATH",
        in_front(folder, current("LD_LIBRARY_PATH")),
    );
    let interpose = libraries.join(installed::INTERPOSE);
    if interpose.exists() {
        for name in ["LD_AUDIT", "LD_PRELOAD"] {
            add(name, in_front(interpose.as_os_str(), current(name)));
        }
    }
    let chosen = machine
        .gpu
        .clone()
        .or_else(|| current("ANTLERITE_GPU")?.into_string().ok());
    let architecture = architecture(chosen.as_deref().unwrap_or_default());
    add(
        "NVCC_APPEND_FLAGS",
        with_ptx(current("NVCC_APPEND_FLAGS"), architecture),
    );
    let ptxas = libraries.join(PTXAS);
    if ptxas.exists() {
        // Triton assembles its kernels itself. A tool that the user named stays.
        for name in ["TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"] {
            let named = current(name).filter(|path| !path.is_empty());
            add(
                name,
                named.unwrap_or_else(|| ptxas.clone().into_os_string()),
            );
        }
    }
    set
}

/// The drop-in assembler, from the directory of the libraries.
const PTXAS: &str = "../toolkit/bin/ptxas";

/// A list with `first` at its head, and nowhere else.
fn in_front(first: &OsStr, rest: Option<OsString>) -> OsString {
    let mut list = first.to_owned();
    for entry in std::env::split_paths(&rest.unwrap_or_default()) {
        if !entry.as_os_str().is_empty() && entry != first {
            list.push(":");
            list.push(entry);
        }
    }
    list
}

/// The compute capability of a profile, as nvcc spells it.
fn architecture(gpu: &str) -> u32 {
    match gpu.split(':').next().unwrap_or_default() {
        "a100" => 80,
        "rtx4090" => 89,
        "rtx5090" => 120,
        _ => 90,
    }
}

/// Builds made in this environment always carry PTX for the profile, whatever `-arch` they name.
fn with_ptx(flags: Option<OsString>, architecture: u32) -> OsString {
    let wanted = format!("-gencode arch=compute_{architecture},code=compute_{architecture}");
    match flags {
        Some(flags) if flags.to_string_lossy().contains(&wanted) => flags,
        Some(flags) if !flags.is_empty() => {
            let mut flags = flags;
            flags.push(" ");
            flags.push(wanted);
            flags
        }
        Some(_) | None => wanted.into(),
    }
}

/// `antlerite env`.
///
/// # Errors
/// The libraries are not found.
pub fn print(machine: &Machine) -> Result<u8, Error> {
    for (name, value) in variables(machine)? {
        output::line(format_args!(
            "export {}={}",
            name.to_string_lossy(),
            quoted(&value.to_string_lossy())
        ));
    }
    Ok(0)
}

/// A word that a POSIX shell reads back as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(set: &'a [Variable], name: &str) -> Option<&'a str> {
        set.iter().find(|(known, _)| known == name)?.1.to_str()
    }

    #[test]
    fn variables_come_in_front_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("lib");
        let ptxas = folder.join(PTXAS);
        std::fs::create_dir_all(&folder).expect("made");
        std::fs::create_dir_all(folder.join("../toolkit/bin")).expect("made");
        std::fs::write(folder.join(installed::INTERPOSE), b"").expect("written");
        std::fs::write(&ptxas, b"").expect("written");
        let path = folder.to_str().expect("UTF-8");
        let machine = Machine {
            gpu: Some("rtx4090:2".into()),
            ..Machine::default()
        };
        let first = build(&folder, &machine, |name| {
            (name == "LD_LIBRARY_PATH").then(|| "/opt/x::/opt/y".into())
        });
        assert_eq!(
            value(&first, "LD_LIBRARY_PATH"),
            Some(format!("{path}:/opt/x:/opt/y").as_str())
        );
        assert_eq!(value(&first, "ANTLERITE_GPU"), Some("rtx4090:2"));
        assert_eq!(value(&first, "ANTLERITE_DOOR"), None);
        assert_eq!(
            value(&first, "NVCC_APPEND_FLAGS"),
            Some("-gencode arch=compute_89,code=compute_89")
        );
        assert_eq!(value(&first, "LD_AUDIT"), value(&first, "LD_PRELOAD"));
        assert_eq!(value(&first, "TRITON_PTXAS_PATH"), ptxas.to_str());
        let named = build(&folder, &machine, |name| {
            name.starts_with("TRITON").then(|| "/opt/ptxas".into())
        });
        assert_eq!(
            value(&named, "TRITON_PTXAS_BLACKWELL_PATH"),
            Some("/opt/ptxas")
        );
        // A shell in a shell changes nothing.
        let again = build(&folder, &machine, |name| {
            value(&first, name).map(Into::into)
        });
        assert_eq!(first, again);
    }

    #[test]
    fn flags_are_appended() {
        let flags = with_ptx(Some("-O2".into()), 90);
        assert_eq!(flags, "-O2 -gencode arch=compute_90,code=compute_90");
    }

    #[test]
    fn quotes_survive_the_shell() {
        assert_eq!(quoted("a'b c"), r"'a'\''b c'");
    }
}
