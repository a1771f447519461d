//! Longer runs of the oracles that `cargo test` runs briefly. They live in the crates; `tests/` links them all.

use crate::{error::Failure, process, workspace::Workspace};

/// Runs every oracle on `cases` cases from `seed`, then `random` kernels, then kills programs that fill the cache.
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
    doors(workspace, cases)?;
    kernels(workspace, random, seed)?;
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
