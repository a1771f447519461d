//! Every file under `tests/filetests`, on every executor: `.ptx` files with `//:` directives, `.tbl` tables of single
//! instructions. See `harness/case.rs` and `harness/table.rs`.

#[allow(
    dead_code,
    reason = "the harness has parts that only the random tests use"
)]
mod harness;

use harness::case::Case;
use harness::{executor, table};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files = Vec::new();
    gather(&root, &mut files);
    files.sort();
    let mut trials = Vec::new();
    let elsewhere = executor::ALL.iter().filter(|executor| !executor.runs());
    let elsewhere: Vec<&str> = elsewhere.map(|executor| executor.name()).collect();
    if !elsewhere.is_empty() {
        eprintln!(
            "not judged: this machine lacks the instructions (scripts/emulate-avx512.sh): {}",
            elsewhere.join(" ")
        );
    }
    for file in files {
        let name = file
            .strip_prefix(&root)
            .unwrap_or(&file)
            .display()
            .to_string();
        for executor in executor::ALL {
            let file = file.clone();
            let trial = Trial::test(format!("{}::{name}", executor.name()), move || {
                run(&file, *executor)
            });
            trials.push(trial.with_ignored_flag(!executor.runs()));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, files);
        } else if path
            .extension()
            .is_some_and(|ext| ext == "ptx" || ext == "tbl")
        {
            files.push(path);
        }
    }
}

fn run(file: &Path, executor: &dyn executor::Executor) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let cases = if file.extension().is_some_and(|ext| ext == "tbl") {
        table::parse(&text)?
    } else {
        Case::parse(&text)?
    };
    if cases.is_empty() {
        return Err("the file has no test".into());
    }
    let mut cases = cases;
    if executor.any_nan() {
        for expect in cases.iter_mut().flat_map(|case| &mut case.expect) {
            expect.tolerance.any_nan = true;
        }
    }
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            case.judge(executor.run(case))
                .err()
                .map(|error| format!("{}: {error}", case.name))
        })
        .collect();
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures.join("\n").into())
    }
}
