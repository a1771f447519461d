//! `cargo xtask tsan`: the user half under ThreadSanitizer. libcuda and libcudart are built by a nightly compiler with
//! its instrumentation, and programs of many threads run over them.
//!
//! What passes between threads by way of the GPU (a copy that a stream orders behind a host function) is not seen: the
//! programs here do not hand anything over like that.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{bench::programs::Programs, error::Failure, process, workspace::Workspace};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// Conformance programs and their arguments.
const PROGRAMS: [(&str, &[&str]); 4] = [
    ("api_model", &["CALLS", "1"]),
    ("object_threads", &["40"]),
    ("threads", &[]),
    ("tier_takes_over", &[]),
];
/// Libraries: package, the file that cargo makes, its names in the tree.
const LIBRARIES: [(&str, &str, &[&str]); 2] = [
    ("cuda", "libcuda.so", &["libcuda.so.1", "libcuda.so"]),
    ("cudart", "libcudart.so", &["libcudart.so"]),
];

/// Builds and runs; `calls` by each thread of the model.
pub fn run(workspace: &Workspace, calls: u64) -> Result<(), Failure> {
    let programs = Programs::find(workspace)?;
    let nightly = nightly()?;
    let target = workspace.metadata()?.target_dir.join("tsan");
    let libraries = build(workspace, &nightly, &target)?;
    // The compiler that libcuda loads stands where it looks for it.
    let jit = "libnvidia-ptxjitcompiler.so.1";
    let beside = libraries.join(jit);
    fs::copy(programs.library(jit)?, &beside).map_err(Failure::file(&beside))?;
    let mut findings = 0;
    for (name, arguments) in PROGRAMS {
        let program = target.join(name);
        process::run(&mut nvcc(workspace, &programs, &libraries, name, &program)?)?;
        let mut command = Command::new("setarch");
        // ThreadSanitizer knows where things are in an address space that is not random.
        command.arg("-R").arg(&program);
        command.args(arguments.iter().map(|a| match *a {
            "CALLS" => calls.to_string(),
            other => other.to_owned(),
        }));
        let suppressions = workspace.root.join("tests/tsan/suppressions");
        command
            .env(
                "TSAN_OPTIONS",
                format!(
                    "suppressions={} ignore_noninstrumented_modules=1 history_size=7",
                    suppressions.display()
                ),
            )
            .env("LD_LIBRARY_PATH", &libraries)
            .env("ANTLERITE_KMD", programs.dist().join("bin/antlerite-kmd"))
            .env("ANTLERITE_TIERS", "all")
            .env("ANTLERITE_INSTANCE", "tsan");
        let clean = process::run(&mut command).is_ok();
        println!(
            "tsan: {name}: {}",
            if clean { "clean" } else { "NOT CLEAN" }
        );
        findings += usize::from(!clean);
    }
    if findings == 0 {
        Ok(())
    } else {
        Err(Failure::Findings(findings))
    }
}

/// The directory of the nightly toolchain's programs.
fn nightly() -> Result<PathBuf, Failure> {
    let missing = |why: &str| {
        Failure::NotJudged(format!(
            "{why}: rustup toolchain install nightly --component rust-src"
        ))
    };
    let mut which = Command::new("rustup");
    which.args(["which", "--toolchain", "nightly", "rustc"]);
    let rustc = process::output(&mut which).map_err(|failure| missing(&failure.to_string()))?;
    let programs = Path::new(rustc.trim()).parent().map(Path::to_owned);
    programs
        .filter(|bin| {
            bin.join("../lib/rustlib/src/rust/library/Cargo.lock")
                .exists()
        })
        .ok_or_else(|| missing("no sources of the standard library"))
}

/// The directory that holds the instrumented libraries.
fn build(workspace: &Workspace, nightly: &Path, target: &Path) -> Result<PathBuf, Failure> {
    let mut cargo = Command::new(nightly.join("cargo"));
    cargo
        .current_dir(&workspace.root)
        .env("RUSTC", nightly.join("rustc"))
        .args(["build", "--locked", "--lib"])
        .args(["-Zbuild-std", "--target", TRIPLE])
        .args(
            LIBRARIES
                .iter()
                .flat_map(|(package, ..)| ["--package", package]),
        )
        .arg("--target-dir")
        .arg(target)
        .env("RUSTFLAGS", "-Zsanitizer=thread");
    process::run(&mut cargo)?;
    let tree = target.join("lib");
    let _ = fs::remove_dir_all(&tree);
    fs::create_dir_all(&tree).map_err(Failure::file(&tree))?;
    for (_, file, names) in LIBRARIES {
        let built = target.join(TRIPLE).join("debug").join(file);
        for name in names {
            let to = tree.join(name);
            fs::copy(&built, &to).map_err(Failure::file(&to))?;
        }
    }
    Ok(tree)
}

/// nvcc for an instrumented program.
fn nvcc(
    workspace: &Workspace,
    programs: &Programs,
    libraries: &Path,
    name: &str,
    to: &Path,
) -> Result<Command, Failure> {
    let tests = workspace.root.join("tests");
    let mut nvcc = Command::new(programs.tool("nvcc")?);
    nvcc.args(["-O1", "-std=c++17", "-cudart", "shared"])
        .args(["-Xcompiler", "-fsanitize=thread,-g,-rdynamic"])
        .arg("-L")
        .arg(libraries)
        .arg(tests.join("tsan/calls.cpp"))
        .arg(tests.join("conformance").join(format!("{name}.cu")))
        .arg("-o")
        .arg(to);
    Ok(nvcc)
}
