//! Longer runs of the oracles that `cargo test` runs briefly. They live in the crates; `tests/` links them all.

use crate::{error::Failure, process, workspace::Workspace};

/// How much is run: cases of each oracle, random kernels, random programs.
#[derive(Debug, Clone, Copy)]
pub struct Amount {
    pub cases: u64,
    pub kernels: u64,
    pub programs: u64,
}

/// Runs every oracle from `seed`, then random kernels and programs, then kills programs that fill the cache.
pub fn run(workspace: &Workspace, amount: Amount, seed: u64) -> Result<(), Failure> {
    let cases = amount.cases;
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
    doors(workspace, cases)?;
    kernels(workspace, amount, seed)?;
    kills(workspace)
}

/// 200 programs killed while they fill the cache, where there is an installed tree.
fn kills(workspace: &Workspace) -> Result<(), Failure> {
    process::run(
        process::cargo(&workspace.root)
            .args(["test", "--locked", "--package", "conformance"])
            .args(["--test", "conformance", "--"])
            .args(["jit/killed-programs", "--nocapture"])
            .env("ANTLERITE_KILLS", "200"),
    )
}

/// Hostile calls and the object tree's model through each door, where there is an installed tree.
fn doors(workspace: &Workspace, cases: u64) -> Result<(), Failure> {
    if !workspace.root.join("dist/bin/antlerite-kmd").exists() {
        println!("fuzz: doors: not judged: no dist/bin/antlerite-kmd: make");
        return Ok(());
    }
    process::run(
        process::cargo(&workspace.root)
            .args(["test", "--locked", "--package", "conformance"])
            .args(["--test", "conformance", "--", "hostile/tree", "--nocapture"])
            .env("ANTLERITE_FUZZ_TREE", cases.to_string()),
    )?;
    // Five nodes.
    process::run(
        process::cargo(&workspace.root)
            .args(["test", "--locked", "--package", "conformance"])
            .args([
                "--test",
                "conformance",
                "--",
                "hostile/calls",
                "--nocapture",
            ])
            .env("ANTLERITE_FUZZ_CALLS", cases.div_ceil(5).to_string()),
    )
}

/// Random kernels and programs on the interpreter and as compiled code.
fn kernels(workspace: &Workspace, amount: Amount, seed: u64) -> Result<(), Failure> {
    let seeds = |count: u64| format!("{seed}..{}", seed.saturating_add(count));
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
            .env("ANTLERITE_FUZZ", seeds(amount.kernels))
            .env("ANTLERITE_PROGRAMS", seeds(amount.programs)),
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
