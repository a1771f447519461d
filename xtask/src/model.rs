//! `cargo xtask api-model`: a million mixed API calls from 8 threads, checked against a model, and whether the server holds
//! nothing afterwards. `make test` runs a slice of it (`tests/conformance/api_model.cu`).

use std::process::Command;

use crate::{bench::programs::Programs, error::Failure, process, workspace::Workspace};

/// Threads of the program.
const THREADS: u64 = 8;
/// The server of its own that the run has.
const INSTANCE: &str = "api-model";

/// Runs until `calls` calls have been made, from seed to seed.
pub fn run(workspace: &Workspace, calls: u64, seed: u64) -> Result<(), Failure> {
    let programs = Programs::find(workspace)?;
    let program = programs.cuda(&["../tests/conformance/api_model.cu"], "api-model")?;
    let antlerite = |words: &[&str]| {
        let mut command = Command::new(programs.dist().join("bin/antlerite"));
        command.args(words).env("ANTLERITE_INSTANCE", INSTANCE);
        command
    };
    process::run(&mut antlerite(&["up"]))?;
    let outcome = rounds(calls, seed, |steps, seed| {
        let mut command = antlerite(&["run"]);
        command
            .arg(&program)
            .args([steps.to_string(), seed.to_string()]);
        process::output(&mut command)
    });
    let status = process::output(&mut antlerite(&["status"]));
    process::run(&mut antlerite(&["down"]))?;
    let made = outcome?;
    let status = status?;
    let idle = is_idle(&status);
    println!(
        "api-model: {made} calls, as the model says; the server is {}",
        if idle { "empty" } else { "not empty" }
    );
    if idle {
        Ok(())
    } else {
        print!("{status}");
        Err(Failure::Findings(1))
    }
}

/// Rounds of at most a quarter of a million calls.
fn rounds(
    calls: u64,
    seed: u64,
    mut round: impl FnMut(u64, u64) -> Result<String, Failure>,
) -> Result<u64, Failure> {
    let mut made = 0;
    for seed in seed.. {
        if made >= calls {
            break;
        }
        // A step makes between two and three calls.
        let steps = ((calls - made).min(250_000) / THREADS / 2).max(1);
        let text = round(steps, seed)?;
        print!("{text}");
        let counted = text.lines().find_map(|line| line.strip_prefix("calls: "));
        let counted: u64 = counted.and_then(|n| n.parse().ok()).unwrap_or(0);
        if counted == 0 || !text.contains("free memory as before: yes") {
            return Err(Failure::Findings(1));
        }
        made += counted;
    }
    Ok(made)
}

/// Whether every GPU of `antlerite status` has no memory in use and no channel.
fn is_idle(status: &str) -> bool {
    let mut gpus = status
        .lines()
        .filter(|line| line.trim_start().starts_with("GPU "))
        .peekable();
    gpus.peek().is_some()
        && gpus.all(|line| line.contains(": 0 of ") && line.ends_with(" 0 channels"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_go_on_until_there_are_enough_calls() {
        let mut seeds = Vec::new();
        let made = rounds(1000, 5, |_, seed| {
            seeds.push(seed);
            Ok("calls: 400\nwrong: 0\nfree memory as before: yes\n".to_owned())
        });
        assert_eq!(made.ok(), Some(1200));
        assert_eq!(seeds, [5, 6, 7]);
        let leaks = rounds(1, 1, |_, _| {
            Ok("calls: 9\nfree memory as before: no\n".to_owned())
        });
        assert!(leaks.is_err());
    }

    #[test]
    fn a_server_is_empty_when_no_gpu_holds_anything() {
        let head = "driver 580.142, process 1, /tmp/x, stays\n";
        let gpu = "  GPU 0 H100 0000:17:00.0: 0 of 8468 MiB used, 0 channels\n";
        assert!(is_idle(&format!("{head}{gpu}")));
        assert!(!is_idle(head));
        assert!(!is_idle(&format!(
            "{head}{gpu}{}",
            gpu.replace(": 0 of", ": 2 of")
        )));
        assert!(!is_idle(&gpu.replace(" 0 channels", " 1 channels")));
    }
}
