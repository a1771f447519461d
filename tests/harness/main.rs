//! Runs every program of `tests/conformance` on the virtual GPU and compares what it prints.
//!
//! A program's leading `//` comment says how it is built and what it must do (see `directives`). Each build and door
//! is a test of its own, named `PROGRAM/BUILD/DOOR`. Binaries are kept under the target directory, by the hash of
//! their source and flags. Where the toolkit or the installed tree is missing, tests are listed as ignored and the
//! reason is printed: not judged, never passed.

mod build;
mod crowd;
mod directives;
mod foreign;
mod hostile;
mod jit;
mod launch;
mod machine;
mod managed;
mod places;
mod sessions;
mod system;
mod ways;

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::{
    build::Build,
    directives::Directives,
    places::{Places, Toolkit},
};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let places = Places::find();
    let mut trials = vec![Trial::test("harness", || {
        directives::self_check()
            .and_then(|()| system::self_check())
            .map_err(Failed::from)
    })];
    let mut missing = BTreeMap::new();
    for program in places.programs() {
        trials.extend(trials_of(&places, &program, &mut missing));
    }
    trials.extend(system::trials(&places, &mut missing));
    trials.extend(machine::trials(&places, &mut missing));
    trials.extend(hostile::trials(&places, &mut missing));
    trials.extend(ways::trials(&places, &mut missing));
    trials.extend(jit::trials(&places, &mut missing));
    trials.extend(sessions::trials(&places, &mut missing));
    trials.extend(foreign::trials(&places, &mut missing));
    for (reason, names) in missing {
        // Standard error: the list of tests goes to standard output.
        eprintln!("not judged: {reason}: {}", names.join(" "));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !conclusion.has_failed() {
        forget_instances();
    }
    conclusion.exit_code()
}

/// Removes what the servers of this process's tests have left: their logs, which only a failure needs.
fn forget_instances() {
    let own = std::process::id().to_string();
    let ours = |name: &str| name.starts_with("test-") && name.split('-').any(|part| part == own);
    let entries = door::instance::base_dir().map(std::fs::read_dir);
    for entry in entries.into_iter().flatten().flatten().flatten() {
        if ours(&entry.file_name().to_string_lossy()) {
            // A server that ends just now may still write; what it leaves then is a line.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// The program's tests; those that cannot be judged are noted under what is missing.
fn trials_of(
    places: &Places,
    program: &Path,
    missing: &mut BTreeMap<String, Vec<String>>,
) -> Vec<Trial> {
    let name = program
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let directives = match std::fs::read_to_string(program)
        .map_err(|error| error.to_string())
        .and_then(|text| Directives::parse(&text).map_err(|error| error.to_string()))
    {
        Ok(directives) => directives,
        Err(error) => {
            return vec![Trial::test(name, move || Err(Failed::from(error)))];
        }
    };
    let mut trials = Vec::new();
    for &build in &directives.builds {
        for &door in &directives.doors {
            let test = format!("{name}/{build}/{door}");
            let reason = places.missing_for(build, door);
            let ignored = reason.is_some();
            if let Some(reason) = reason {
                missing.entry(reason).or_default().push(test.clone());
            }
            let (places, directives, program) =
                (places.clone(), directives.clone(), program.to_owned());
            let run = move || run_one(&places, &program, &directives, build, door);
            trials.push(Trial::test(test, run).with_ignored_flag(ignored));
        }
    }
    trials
}

fn run_one(
    places: &Places,
    program: &Path,
    directives: &Directives,
    build: Build,
    door: directives::Door,
) -> Result<(), Failed> {
    let binary = build::binary(places, program, directives, build)?;
    let seen = launch::launch(places, &binary, directives, door)?;
    directives.compare(&seen).map_err(Failed::from)
}

impl Build {
    /// Which toolkit builds it.
    const fn toolkit(self) -> Toolkit {
        match self {
            Self::Newest => Toolkit::Newest,
            Self::Twelve | Self::TwelveStatic => Toolkit::Twelve,
            Self::Static
            | Self::Shared
            | Self::Ptx90
            | Self::Sm90
            | Self::Sass
            | Self::Lz4
            | Self::Raw
            | Self::Clang => Toolkit::Default,
        }
    }
}
