//! `cargo xtask coverage --prove N`: whether rows of the driver's and the runtime's tables that are said to be done have a
//! test that notices when they are not.
//!
//! Libraries with feature `prove` note which rows each conformance program calls, and answer 801 for the rows that
//! `ANTLERITE_REFUSE` names. A row is proved when a program that calls it fails without it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{error::Failure, process, workspace::Workspace};

/// Programs that are tried for a row.
const TRIES: usize = 16;

/// Proves `count` rows, or all if there are fewer.
pub fn run(workspace: &Workspace, count: usize, seed: u64, document: &str) -> Result<(), Failure> {
    let mut done = done_rows(document);
    let dist = workspace.root.join("target/prove/dist");
    build(workspace, &dist)?;
    let log = workspace.root.join("target/prove/calls");
    let _ = fs::remove_dir_all(&log);
    fs::create_dir_all(&log).map_err(Failure::file(&log))?;
    println!("prove: every conformance program once, to see what it calls");
    let mut all = tests(workspace, &dist);
    all.env("ANTLERITE_PROVE_LOG", &log);
    // Programs that fail anyway prove nothing; what is no program calls nothing that is noted.
    all.arg("/socket");
    let healthy = all.status().is_ok_and(|status| status.success());
    if !healthy {
        return Err(Failure::NotJudged(
            "the conformance programs do not pass as they are".into(),
        ));
    }
    let callers = read_calls(&log)?;
    if callers.is_empty() {
        return Err(Failure::NotJudged(
            "the conformance programs were not run".into(),
        ));
    }
    shuffle(&mut done, seed);
    let (mut proved, mut open) = (0, Vec::new());
    for row in done.iter().take(count) {
        let programs = callers.get(row.as_str()).cloned().unwrap_or_default();
        let noticed = programs.iter().take(TRIES).find(|program| {
            let mut one = tests(workspace, &dist);
            one.arg(format!("{program}/")).args(["--skip", "/syscall"]);
            one.env("ANTLERITE_REFUSE", row);
            one.stdout(Stdio::null()).stderr(Stdio::null());
            one.status().is_ok_and(|status| !status.success())
        });
        match noticed {
            Some(program) => {
                println!("prove: {row}: {program} fails without it");
                proved += 1;
            }
            None if programs.is_empty() => open.push(format!("{row}: no program calls it")),
            None => open.push(format!("{row}: nobody notices ({})", programs.len())),
        }
    }
    for row in &open {
        println!("prove: NOT PROVED {row}");
    }
    println!("prove: {proved} of {}", proved + open.len());
    if open.is_empty() {
        Ok(())
    } else {
        Err(Failure::Findings(open.len()))
    }
}

/// The rows that the document says are done. A function of both major versions counts once; what nvcc's own code calls
/// cannot be refused before `main`.
fn done_rows(document: &str) -> Vec<String> {
    let lines = document.lines().filter_map(|l| l.strip_prefix("* Done: "));
    let mut seen = BTreeSet::new();
    lines
        .flat_map(|names| names.split(", "))
        .filter(|name| !name.starts_with("__") && seen.insert(*name))
        .map(str::to_owned)
        .collect()
}

/// A tree like dist/, with a libcuda and runtimes that have the hooks.
fn build(workspace: &Workspace, dist: &Path) -> Result<(), Failure> {
    let from = std::env::var_os("ANTLERITE_DIST")
        .map_or_else(|| workspace.root.join("dist"), PathBuf::from);
    if !from.join("bin").is_dir() {
        return Err(Failure::NotJudged(
            "there is no dist/: run make first".into(),
        ));
    }
    let _ = fs::remove_dir_all(dist);
    fs::create_dir_all(dist).map_err(Failure::file(dist))?;
    for part in ["bin", "lib"] {
        process::run(Command::new("cp").arg("-a").arg(from.join(part)).arg(dist))?;
    }
    // As tests are built, so that what they depend on is there already.
    process::run(
        process::cargo(&workspace.root)
            .args(["build", "--locked", "--package", "cuda", "--lib"])
            .args(["--features", "prove"]),
    )?;
    let built = workspace.metadata()?.target_dir.join("debug/libcuda.so");
    let library = dist.join("lib/libcuda.so.580.142");
    let _ = fs::remove_file(&library);
    fs::copy(&built, &library).map_err(Failure::file(&library))?;
    crate::dist::runtimes_with_hooks(workspace, dist, &workspace.root.join("target/prove/build"))
}

/// The conformance harness over that tree.
fn tests(workspace: &Workspace, dist: &Path) -> Command {
    let mut cargo = process::cargo(&workspace.root);
    cargo
        .args(["test", "--quiet", "--locked", "--package", "conformance"])
        .args(["--test", "conformance", "--"])
        .env("ANTLERITE_DIST", dist);
    cargo
}

/// Row to the programs that call it: those first that look at every code, then those with few calls, which end soonest.
fn read_calls(log: &Path) -> Result<BTreeMap<String, Vec<String>>, Failure> {
    let mut callers: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for file in fs::read_dir(log).map_err(Failure::file(log))?.flatten() {
        let program = file.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(file.path()).map_err(Failure::file(&file.path()))?;
        let rows: BTreeSet<&str> = text.lines().collect();
        for row in &rows {
            let entry = callers.entry((*row).to_owned()).or_default();
            entry.push((rows.len(), program.clone()));
        }
    }
    Ok(callers
        .into_iter()
        .map(|(row, mut programs)| {
            let looks = |program: &str| {
                ["driver_", "runtime_"]
                    .iter()
                    .any(|p| program.starts_with(p))
            };
            programs
                .sort_by_cached_key(|(calls, program)| (!looks(program), *calls, program.clone()));
            (row, programs.into_iter().map(|(_, p)| p).collect())
        })
        .collect())
}

/// Fisher and Yates, with xorshift.
fn shuffle(rows: &mut [String], seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for last in (1..rows.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = usize::try_from(state % (last as u64 + 1)).unwrap_or_default();
        rows.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_from_the_document_and_are_mixed() {
        let text =
            "## a\n\n* Done: cuA, cuB\n* Not yet: cuC\n\n## b\n\n* Done: cuD, cuA, __cudaE\n";
        let rows = done_rows(text);
        assert_eq!(rows, ["cuA", "cuB", "cuD"]);
        let mut many: Vec<String> = (0..50).map(|i| i.to_string()).collect();
        let before = many.clone();
        shuffle(&mut many, 7);
        assert_ne!(many, before);
        many.sort_by_key(|n| n.parse::<u32>().unwrap_or_default());
        assert_eq!(many, before);
    }
}
