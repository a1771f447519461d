//! Longer runs of the oracles that `cargo test` runs briefly. They live in the crates; `tests/` links them all.

use crate::{error::Failure, process, workspace::Workspace};

/// Runs every oracle on `cases` cases from `seed`, and then `random` kernels.
pub fn run(workspace: &Workspace, cases: u64, random: u64, seed: u64) -> Result<(), Failure> {
    process::run(process::cargo(&workspace.root).args([
        "run",
        "--release",
        "--locked",
        "--package",
        "conformance",
        "--bin",
        "fuzz",
        "--",
        &cases.to_string(),
        &seed.to_string(),
    ]))?;
    kernels(workspace, random, seed)
}

/// Random kernels on the interpreter and as compiled code.
fn kernels(workspace: &Workspace, cases: u64, seed: u64) -> Result<(), Failure> {
    let seeds = format!("{seed}..{}", seed.saturating_add(cases));
    process::run(
        process::cargo(&workspace.root)
            .args([
                "test",
                "--release",
                "--locked",
                "--package",
                "ptxjit",
                "--test",
                "random",
            ])
            .args(["--", "--nocapture"])
            .env("ANTLERITE_FUZZ", seeds),
    )
}

/// Every input of the functions that PTX gives an error bound for.
pub fn sweep(workspace: &Workspace) -> Result<(), Failure> {
    process::run(
        process::cargo(&workspace.root)
            .args([
                "test",
                "--release",
                "--locked",
                "--package",
                "ptxjit",
                "--test",
                "sweep",
            ])
            .args(["--", "--nocapture"])
            .env("ANTLERITE_SWEEP", "full"),
    )
}
