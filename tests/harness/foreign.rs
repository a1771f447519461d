//! Clients of others, unmodified, where they are installed: Triton's compiler over our `ptxas` and the Driver API,
//! tinygrad over our nvJitLink, by raw ioctls and by the Driver API. `ANTLERITE_TRITON_PYTHON` and
//! `ANTLERITE_TINYGRAD_PYTHON` name interpreters that have them (with NumPy); `python3` is tried otherwise.
//! `ANTLERITE_LIBRECUDA` names a checkout of LibreCuda with its submodule, which is built as it is.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use libtest_mimic::{Failed, Trial};

use crate::{
    build::Build,
    directives::{Door, End},
    launch,
    places::Places,
};

/// A program of `tests/foreign` in one of its roles.
#[derive(Clone, Copy)]
struct Client {
    name: &'static str,
    /// Its module, and the variable that names the interpreter.
    module: (&'static str, &'static str),
    program: &'static str,
    arguments: &'static [&'static str],
    /// What comes before the program in `antlerite run`.
    launcher: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    door: Door,
    /// The lines of standard output.
    lines: &'static [&'static str],
}

const TRITON: (&str, &str) = ("triton", "ANTLERITE_TRITON_PYTHON");
const TINYGRAD: (&str, &str) = ("tinygrad", "ANTLERITE_TINYGRAD_PYTHON");

const CLIENTS: [Client; 4] = [
    Client {
        name: "foreign/triton-tutorials",
        module: TRITON,
        program: "triton_tutorials.py",
        arguments: &["89"],
        launcher: &["--gpu", "rtx4090"],
        variables: &[],
        door: Door::Socket,
        lines: &[
            "01 vector add: right",
            "02 softmax: right",
            "03 matmul: right",
            "05 layer norm: right",
            "05 gradient of the input: right",
            "05 gradient of the weights: right",
            "05 gradient of the bias: right",
        ],
    },
    Client {
        name: "foreign/tinygrad-ioctls-ada",
        module: TINYGRAD,
        program: "tinygrad_kernels.py",
        arguments: &[],
        launcher: &["--gpu", "rtx4090", "--door", "syscall"],
        variables: &[("DEV", "NV:PTX")],
        door: Door::Syscall,
        lines: &with_device("NV"),
    },
    Client {
        name: "foreign/tinygrad-ioctls-blackwell",
        module: TINYGRAD,
        program: "tinygrad_kernels.py",
        arguments: &[],
        launcher: &["--gpu", "rtx5090", "--door", "syscall"],
        variables: &[("DEV", "NV:PTX")],
        door: Door::Syscall,
        lines: &with_device("NV"),
    },
    Client {
        name: "foreign/tinygrad-driver-api",
        module: TINYGRAD,
        program: "tinygrad_kernels.py",
        arguments: &[],
        launcher: &[],
        variables: &[("DEV", "CUDA:PTX")],
        door: Door::Socket,
        lines: &with_device("CUDA"),
    },
];

const fn with_device(device: &'static str) -> [&'static str; 8] {
    [
        "sum of two: right",
        "row sums: right",
        "softmax: right",
        "matmul: right",
        "matmul of halves: right",
        "integers: right",
        "replayed graph: right",
        device,
    ]
}

impl Client {
    fn python(&self) -> String {
        std::env::var(self.module.1).unwrap_or_else(|_| "python3".into())
    }

    /// What is not there, if anything.
    fn missing(&self, places: &Places) -> Option<String> {
        if let Some(reason) = places.missing_for(Build::Clang, self.door) {
            return Some(reason);
        }
        for tool in ["toolkit/bin/ptxas", "lib/libnvJitLink.so.13"] {
            let tool = places.dist.join(tool);
            if !tool.exists() {
                return Some(format!("no {} (make)", tool.display()));
            }
        }
        if self.door == Door::Syscall && !rustix::process::geteuid().is_root() {
            return Some("a foreign client's pinned pages are reached by root only".into());
        }
        let (module, variable) = self.module;
        let there = Command::new(self.python())
            .args(["-c", &format!("import numpy, {module}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        (!there).then(|| format!("{} has no {module} and NumPy ({variable})", self.python()))
    }

    fn run(&self, places: &Places) -> Result<(), Failed> {
        let cache = places.cache.join(format!(
            "{}-{}",
            self.name.replace('/', "-"),
            std::process::id()
        ));
        let short = self.name.rsplit('/').next().unwrap_or_default();
        let lib = places.dist.join("lib").canonicalize()?;
        let mut command = Command::new(places.dist.join("bin/antlerite"));
        command
            .arg("run")
            .args(self.launcher)
            .arg("--")
            .arg(self.python())
            .arg(places.root.join("tests/foreign").join(self.program))
            .args(self.arguments)
            // At most 40 characters, and another server for each: the configurations differ.
            .env(
                "ANTLERITE_INSTANCE",
                format!("test-{short:.20}-{}", std::process::id()),
            )
            // Nothing is kept in the user's own caches.
            .env("CUDA_CACHE_PATH", cache.join("ComputeCache"))
            .env("TRITON_CACHE_DIR", cache.join("triton"))
            .env("CACHELEVEL", "0")
            .env("TRITON_PTXAS_PATH", places.dist.join("toolkit/bin/ptxas"))
            .env("LD_LIBRARY_PATH", lib)
            .envs(self.variables.iter().copied());
        let seen = launch::output(&mut command, Duration::from_secs(300));
        if cache.exists() {
            std::fs::remove_dir_all(&cache)?;
        }
        let seen = seen?;
        if seen.end == End::Exit(0) && seen.stdout.lines().eq(self.lines.iter().copied()) {
            return Ok(());
        }
        Err(format!("{}\n{}{}", seen.end, seen.stdout, seen.stderr).into())
    }
}

/// LibreCuda's sources and a program of ours over them: context and copies, through the syscall door. The driver is one
/// whose structures LibreCuda's headers have.
fn librecuda(places: &Places) -> Result<(), Failed> {
    let checkout = PathBuf::from(std::env::var_os(LIBRECUDA).ok_or(LIBRECUDA)?);
    let sources = checkout.join("driverapi/src");
    let binary = places
        .cache
        .join(format!("librecuda-{}", std::process::id()));
    std::fs::create_dir_all(&places.cache)?;
    let mut build = Command::new("c++");
    build
        .args(["-std=c++17", "-O1", "-w", "-o"])
        .arg(&binary)
        .arg(places.root.join("tests/foreign/librecuda_copies.cpp"));
    for entry in std::fs::read_dir(&sources)? {
        let source = entry?.path();
        if source.extension().is_some_and(|end| end == "cpp") {
            build.arg(source);
        }
    }
    for folder in [
        "driverapi/include",
        "driverapi/internal",
        "third_party/ELFIO",
    ] {
        build.arg("-I").arg(checkout.join(folder));
    }
    let built = launch::output(&mut build, Duration::from_secs(600))?;
    if built.end != End::Exit(0) {
        return Err(format!("{}\n{}", built.end, built.stderr).into());
    }
    let mut command = Command::new(places.dist.join("bin/antlerite"));
    command
        .args(["run", "--gpu", "rtx4090", "--driver-version", "550.163.01"])
        .args(["--door", "syscall", "--"])
        .arg(&binary)
        .env(
            "ANTLERITE_INSTANCE",
            format!("test-librecuda-{}", std::process::id()),
        );
    let seen = launch::output(&mut command, Duration::from_secs(60));
    std::fs::remove_file(&binary)?;
    let seen = seen?;
    if seen.end == End::Exit(0) && seen.stdout.ends_with("devices: 1\ncopies: equal\ndone\n") {
        return Ok(());
    }
    Err(format!("{}\n{}{}", seen.end, seen.stdout, seen.stderr).into())
}

const LIBRECUDA: &str = "ANTLERITE_LIBRECUDA";

/// What LibreCuda's test lacks, if anything.
fn missing_for_librecuda(places: &Places) -> Option<String> {
    if let Some(reason) = places.missing_for(Build::Clang, Door::Syscall) {
        return Some(reason);
    }
    if !rustix::process::geteuid().is_root() {
        return Some("a foreign client's memory is reached by root only".into());
    }
    let there = std::env::var_os(LIBRECUDA).is_some_and(|checkout| {
        let checkout = PathBuf::from(checkout);
        checkout.join("driverapi/src").is_dir() && checkout.join("third_party/ELFIO/elfio").is_dir()
    });
    (!there).then(|| format!("no checkout of LibreCuda with ELFIO ({LIBRECUDA})"))
}

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    const NAME: &str = "foreign/librecuda-copies";
    let reason = missing_for_librecuda(places);
    let ignored = reason.is_some();
    if let Some(reason) = reason {
        missing.entry(reason).or_default().push(NAME.into());
    }
    let for_librecuda = places.clone();
    let librecuda = Trial::test(NAME, move || librecuda(&for_librecuda)).with_ignored_flag(ignored);
    CLIENTS
        .into_iter()
        .map(|client| {
            let reason = client.missing(places);
            let ignored = reason.is_some();
            if let Some(reason) = reason {
                missing.entry(reason).or_default().push(client.name.into());
            }
            let places = places.clone();
            Trial::test(client.name, move || client.run(&places)).with_ignored_flag(ignored)
        })
        .chain([librecuda])
        .collect()
}
