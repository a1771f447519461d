//! Clients of others, unmodified, where they are installed: Triton's compiler over our `ptxas` and the Driver API,
//! tinygrad over our nvJitLink, by raw ioctls and by the Driver API; Numba, CuPy and cuda-python.
//! `ANTLERITE_TRITON_PYTHON`, `ANTLERITE_TINYGRAD_PYTHON`, `ANTLERITE_NUMBA_PYTHON`, `ANTLERITE_CUPY_PYTHON` and
//! `ANTLERITE_CUDA_PYTHON` name interpreters that have them (with NumPy); what `make clients` installs is tried
//! otherwise, else `python3`.
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

const NUMBA: (&str, &str) = ("numba_cuda", "ANTLERITE_NUMBA_PYTHON");
const CUPY: (&str, &str) = ("cupy", "ANTLERITE_CUPY_PYTHON");
const CUDA_PYTHON: (&str, &str) = ("cuda.core", "ANTLERITE_CUDA_PYTHON");

const CLIENTS: [Client; 7] = [
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
    Client {
        name: "foreign/numba",
        module: NUMBA,
        program: "numba_kernels.py",
        arguments: &[],
        launcher: &[],
        variables: &[],
        door: Door::Socket,
        lines: &[
            "sum of two: right",
            "device function and shared memory: right",
            "atomics: right",
            "reduction: right",
            "managed array: right",
        ],
    },
    Client {
        name: "foreign/cupy",
        module: CUPY,
        program: "cupy_kernels.py",
        arguments: &[],
        launcher: &[],
        // NVRTC makes machine code of a GPU else, which is not run here.
        variables: &[("CUPY_COMPILE_WITH_PTX", "1")],
        door: Door::Socket,
        lines: &[
            "elements: right",
            "sums of columns: right",
            "raw kernel: right",
            "template: right",
            "elementwise kernel: right",
            "reduction kernel: right",
        ],
    },
    Client {
        name: "foreign/cuda-python",
        module: CUDA_PYTHON,
        program: "cuda_python.py",
        arguments: &[],
        launcher: &[],
        variables: &[],
        door: Door::Socket,
        lines: &["driver bindings: right", "core: right"],
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
    fn python(&self, places: &Places) -> String {
        std::env::var(self.module.1).unwrap_or_else(|_| places.python())
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
        let python = self.python(places);
        let there = Command::new(&python)
            .args(["-c", &format!("import numpy, {module}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        (!there).then(|| format!("{python} has no {module} and NumPy ({variable})"))
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
            .arg(self.python(places))
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
            .env("CUPY_CACHE_DIR", cache.join("cupy"))
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

/// cudarc's own cargo, which may take only what is there already.
fn cargo_of_cudarc(places: &Places, what: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .args([what, "--quiet", "--locked", "--offline", "--manifest-path"])
        .arg(places.root.join("tests/foreign/cudarc/Cargo.toml"));
    cargo
}

/// What cudarc's test lacks, if anything.
fn missing_for_cudarc(places: &Places) -> Option<String> {
    if let Some(reason) = places.missing_for(Build::Clang, Door::Socket) {
        return Some(reason);
    }
    let there = cargo_of_cudarc(places, "metadata")
        .args(["--format-version", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    (!there).then(|| "cudarc is not fetched (make clients)".into())
}

/// A program over cudarc, built as it is.
fn cudarc(places: &Places) -> Result<(), Failed> {
    let folder = places.cache.join("cudarc");
    let mut build = cargo_of_cudarc(places, "build");
    build.arg("--target-dir").arg(&folder);
    let built = launch::output(&mut build, Duration::from_secs(600))?;
    if built.end != End::Exit(0) {
        return Err(format!("{}\n{}", built.end, built.stderr).into());
    }
    let mut command = Command::new(places.dist.join("bin/antlerite"));
    command
        .arg("run")
        .arg(folder.join("debug/cudarc_client"))
        .env(
            "ANTLERITE_INSTANCE",
            format!("test-cudarc-{}", std::process::id()),
        );
    let seen = launch::output(&mut command, Duration::from_secs(60))?;
    if seen.end == End::Exit(0) && seen.stdout == "right\n" {
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
    let mut built =
        |name: &'static str, reason: Option<String>, test: fn(&Places) -> Result<(), Failed>| {
            let ignored = reason.is_some();
            if let Some(reason) = reason {
                missing.entry(reason).or_default().push(name.into());
            }
            let places = places.clone();
            Trial::test(name, move || test(&places)).with_ignored_flag(ignored)
        };
    let others = [
        built(
            "foreign/librecuda-copies",
            missing_for_librecuda(places),
            librecuda,
        ),
        built("foreign/cudarc", missing_for_cudarc(places), cudarc),
    ];
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
        .chain(others)
        .collect()
}
