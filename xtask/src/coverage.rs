//! `docs/ptx-coverage.md` from the instruction forms, and `docs/api-coverage.md`, which crates `cuda` and `cudart` write from
//! their own tables: their examples `api_coverage` print the document, so that this tool need not link a driver.

use crate::{
    error::Failure,
    process,
    workspace::{Metadata, Workspace},
};

const DOCUMENT: &str = "docs/api-coverage.md";
const PACKAGE: &str = "cuda";
const RUNTIME: &str = "cudart";
const EXAMPLE: &str = "api_coverage";

/// How the document stands to the table.
#[derive(Debug, PartialEq, Eq)]
pub enum State {
    /// The same.
    UpToDate,
    /// Different, or missing.
    Stale,
    /// The crate has no table yet.
    NoTable,
}

/// Writes the document, or with `check` only says whether it is right.
pub fn run(workspace: &Workspace, check: bool) -> Result<(), Failure> {
    if check {
        return match up_to_date(workspace)? {
            State::UpToDate => Ok(()),
            State::Stale => Err(Failure::Findings(1)),
            State::NoTable => Err(no_table()),
        };
    }
    instructions(workspace)?;
    let text = generate(workspace)?.ok_or_else(no_table)?;
    let path = workspace.root.join(DOCUMENT);
    std::fs::write(&path, text).map_err(Failure::file(&path))?;
    println!("coverage: {DOCUMENT} written");
    Ok(())
}

/// `docs/ptx-coverage.md`, which a test of crate `ptxjit` writes, and which it checks otherwise.
fn instructions(workspace: &Workspace) -> Result<(), Failure> {
    process::run(
        process::cargo(&workspace.root)
            .args([
                "test",
                "--locked",
                "--package",
                "ptxjit",
                "--test",
                "coverage",
            ])
            .env("ANTLERITE_BLESS", "1"),
    )?;
    println!("coverage: docs/ptx-coverage.md written");
    Ok(())
}

/// Proves random rows ([`prove`](crate::prove)).
pub fn prove(workspace: &Workspace, count: usize, seed: u64) -> Result<(), Failure> {
    let document = generate(workspace)?.ok_or_else(no_table)?;
    crate::prove::run(workspace, count, seed, &document)
}

/// Compares the document with the table.
pub fn up_to_date(workspace: &Workspace) -> Result<State, Failure> {
    let Some(text) = generate(workspace)? else {
        return Ok(State::NoTable);
    };
    let written = std::fs::read_to_string(workspace.root.join(DOCUMENT)).unwrap_or_default();
    Ok(if written == text {
        State::UpToDate
    } else {
        State::Stale
    })
}

fn no_table() -> Failure {
    Failure::NotJudged(format!("crate {PACKAGE} has no example {EXAMPLE}"))
}

fn generate(workspace: &Workspace) -> Result<Option<String>, Failure> {
    let metadata: Metadata = workspace.metadata()?;
    let there = metadata
        .packages
        .get(PACKAGE)
        .is_some_and(|package| package.has_target("example", EXAMPLE));
    if !there {
        return Ok(None);
    }
    let print = |package: &str, features: &[&str]| {
        let mut command = process::cargo(&workspace.root);
        command.args(["run", "--quiet", "--locked", "--package", package]);
        command.args(["--example", EXAMPLE]).args(features);
        process::output(&mut command)
    };
    let mut document = print(PACKAGE, &[])?;
    document.push_str("\n# Runtime API coverage\n\n");
    document.push_str(&print(RUNTIME, &[])?);
    document.push('\n');
    let twelve = ["--no-default-features", "--features", "major-12"];
    document.push_str(&print(RUNTIME, &twelve)?);
    Ok(Some(document))
}
