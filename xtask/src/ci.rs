//! Everything a change must pass, in the order in which failures are cheapest.

use crate::{error::Failure, process, tidy, workspace::Workspace};

/// Formatting, tidy, clippy, tests.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let cargo = |args: &[&str]| {
        println!("ci: cargo {}", args.join(" "));
        process::run(process::cargo(&workspace.root).args(args))
    };
    cargo(&["fmt", "--all", "--check"])?;
    tidy::run(workspace)?;
    cargo(&[
        "clippy",
        "--locked",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ])?;
    cargo(&["nextest", "run", "--locked", "--workspace"])
}
