//! Where kernels come from.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::child::Compiler;
use crate::{error::Failure, process, workspace::Workspace};

/// Kernels written in Python, and what turns them into PTX.
const NUMBA: &str = include_str!("numba_kernels.py");
const TRITON: &str = include_str!("triton_kernels.py");
/// Headers that clang 19 asks for and CUDA 13 does not have any more. Empty ones do: what they declared is not used.
const GONE_HEADERS: [&str; 2] = ["texture_fetch_functions.h", "curand_mtgp32_kernel.h"];
/// How the names of NVIDIA's closed libraries start, which some packages bring along: they are left out.
const CLOSED: [&str; 8] = [
    "libnv",
    "libnpp",
    "libcublas",
    "libcudnn",
    "libcufft",
    "libcurand",
    "libcusolver",
    "libcusparse",
];
/// Files smaller than this hold no device code.
const SMALLEST: u64 = 4 << 10;

/// How a source is gathered.
enum Kind {
    /// A wheel on PyPI, of this version.
    Wheel(&'static str),
    /// CUDA sources of this repository, by nvcc.
    Nvcc,
    /// The same with `-G`: unoptimised.
    NvccDebug,
    /// The same, by clang 19.
    Clang,
    /// The samples under `ANTLERITE_CUDA_SAMPLES`, by nvcc.
    Samples,
    /// A Python program that writes PTX into the directory it is given, and the packages that it needs.
    Python(&'static str, &'static [&'static str]),
}

/// A source of kernels.
pub struct Source {
    /// What it is called.
    pub name: &'static str,
    kind: Kind,
}

const fn wheel(name: &'static str, version: &'static str) -> Source {
    Source {
        name,
        kind: Kind::Wheel(version),
    }
}

/// All sources.
pub fn all() -> Vec<Source> {
    vec![
        wheel("xgboost", "2.1.4"),
        wheel("bitsandbytes", "0.50.2"),
        wheel("catboost", "1.2.10"),
        wheel("ctranslate2", "4.8.5"),
        wheel("warp-lang", "1.19.0"),
        wheel("cupy-cuda12x", "14.2.0"),
        wheel("cupoch", "0.2.11.0"),
        wheel("spconv-cu120", "2.3.6"),
        wheel("gpu4pyscf-cuda12x", "1.9.0"),
        wheel("libraft-cu12", "26.10.0"),
        wheel("torchvision", "0.29.2"),
        wheel("torchaudio", "2.11.1"),
        wheel("xformers", "0.0.35"),
        wheel("jax-cuda12-plugin", "0.10.2"),
        Source {
            name: "nvcc",
            kind: Kind::Nvcc,
        },
        Source {
            name: "nvcc-debug",
            kind: Kind::NvccDebug,
        },
        Source {
            name: "clang",
            kind: Kind::Clang,
        },
        Source {
            name: "cuda-samples",
            kind: Kind::Samples,
        },
        Source {
            name: "numba",
            kind: Kind::Python(NUMBA, &["numba", "numba-cuda[cu13]", "nvidia-nvvm==13.0.*"]),
        },
        Source {
            name: "triton",
            kind: Kind::Python(TRITON, &["triton", "numpy"]),
        },
    ]
}

impl Source {
    /// Puts PTX modules into `place`. `scratch` is deleted afterwards.
    pub fn gather(
        &self,
        workspace: &Workspace,
        compiler: &Compiler,
        scratch: &Path,
        place: &Path,
    ) -> Result<(), Failure> {
        match self.kind {
            Kind::Wheel(version) => self.wheel(version, compiler, scratch, place),
            Kind::Nvcc => nvcc(
                workspace,
                &own_sources(workspace)?,
                &["-O3"],
                scratch,
                place,
            ),
            Kind::NvccDebug => nvcc(workspace, &own_sources(workspace)?, &["-G"], scratch, place),
            Kind::Clang => clang(workspace, &own_sources(workspace)?, scratch, place),
            Kind::Samples => {
                let Some(root) = env::var_os("ANTLERITE_CUDA_SAMPLES").map(PathBuf::from) else {
                    return Err(Failure::NotJudged(
                        "set ANTLERITE_CUDA_SAMPLES to a checkout of the CUDA samples".into(),
                    ));
                };
                let common = format!("-I{}", root.join("Common").display());
                let sources = cuda_files(&root)?;
                nvcc(workspace, &sources, &["-O3", &common], scratch, place)
            }
            Kind::Python(program, packages) => python(program, packages, scratch, place),
        }
    }

    fn wheel(
        &self,
        version: &str,
        compiler: &Compiler,
        scratch: &Path,
        place: &Path,
    ) -> Result<(), Failure> {
        let wheels = scratch.join("wheels");
        process::run(
            Command::new("python3")
                .args(["-m", "pip", "download", "--quiet", "--no-deps"])
                .args(["--disable-pip-version-check", "--only-binary=:all:"])
                .args(["--python-version=3.11", "--abi=cp311", "--abi=none"])
                .args([
                    "--platform=manylinux_2_28_x86_64",
                    "--platform=manylinux2014_x86_64",
                ])
                .args([
                    "--platform=manylinux_2_27_x86_64",
                    "--platform=manylinux_2_24_x86_64",
                ])
                .arg("--dest")
                .arg(&wheels)
                .arg(format!("{}=={version}", self.name)),
        )?;
        let unpacked = scratch.join("unpacked");
        for file in files_under(&wheels)? {
            process::run(
                Command::new("python3")
                    .args(["-m", "zipfile", "-e"])
                    .arg(&file)
                    .arg(&unpacked),
            )?;
            fs::remove_file(&file).map_err(Failure::file(&file))?;
        }
        for file in files_under(&unpacked)? {
            let name = file.to_string_lossy();
            let holds = name.contains(".so") || name.ends_with(".ptx") || name.ends_with(".fatbin");
            let large = file.metadata().is_ok_and(|data| data.len() >= SMALLEST);
            let base = file.file_name().unwrap_or_default().to_string_lossy();
            let closed = CLOSED.iter().any(|start| base.starts_with(start));
            if holds && large && !closed {
                compiler.extract(&file, place)?;
            }
            fs::remove_file(&file).map_err(Failure::file(&file))?;
        }
        Ok(())
    }
}

/// All files under a directory, in order.
pub fn files_under(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(Failure::file(&folder))? {
            let path = entry.map_err(Failure::file(&folder))?.path();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn cuda_files(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    Ok(files_under(root)?
        .into_iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "cu"))
        .collect())
}

fn own_sources(workspace: &Workspace) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for folder in ["tests/conformance", "benches", "examples"] {
        files.extend(cuda_files(&workspace.root.join(folder))?);
    }
    Ok(files)
}

fn toolkit(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let toolkit = env::var_os("ANTLERITE_TOOLKIT")
        .map_or_else(|| workspace.root.join(".toolkit/cuda-13.0"), PathBuf::from);
    if toolkit.join("bin/nvcc").is_file() {
        Ok(toolkit)
    } else {
        Err(Failure::NotJudged("no nvcc: make toolkit".into()))
    }
}

/// Where a source's PTX goes.
fn target(source: &Path, place: &Path) -> PathBuf {
    let folder = source
        .parent()
        .and_then(Path::file_name)
        .unwrap_or_default()
        .to_string_lossy();
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    place.join(format!("{folder}-{stem}.ptx"))
}

/// Runs a compiler on each file. Those that do not compile are none of our concern: they are counted.
fn each(
    sources: &[PathBuf],
    place: &Path,
    mut command: impl FnMut() -> Command,
) -> Result<(), Failure> {
    let mut bad = 0;
    for source in sources {
        let target = target(source, place);
        let mut command = command();
        command.arg(source).arg("-o").arg(&target);
        let output = command.output().map_err(|source| Failure::Start {
            line: process::line(&command),
            source,
        })?;
        if !output.status.success() {
            bad += 1;
        } else if fs::read_to_string(&target).is_ok_and(|text| !text.contains(".entry")) {
            fs::remove_file(&target).map_err(Failure::file(&target))?;
        }
    }
    if bad > 0 {
        println!(
            "corpus: {bad} of {} files are not for this compiler",
            sources.len()
        );
    }
    Ok(())
}

fn nvcc(
    workspace: &Workspace,
    sources: &[PathBuf],
    flags: &[&str],
    scratch: &Path,
    place: &Path,
) -> Result<(), Failure> {
    let toolkit = toolkit(workspace)?;
    each(sources, place, || {
        let mut command = Command::new("nice");
        command
            .args(["-n", "15"])
            .arg(toolkit.join("bin/nvcc"))
            .args(["-ptx", "-std=c++17", "-arch=compute_90", "-w"])
            .args(flags)
            .env("TMPDIR", scratch);
        command
    })
}

fn clang(
    workspace: &Workspace,
    sources: &[PathBuf],
    scratch: &Path,
    place: &Path,
) -> Result<(), Failure> {
    let toolkit = toolkit(workspace)?;
    for name in GONE_HEADERS {
        let path = scratch.join(name);
        fs::write(&path, "").map_err(Failure::file(&path))?;
    }
    each(sources, place, || {
        let mut command = Command::new("nice");
        command
            .args([
                "-n",
                "15",
                "clang++-19",
                "-x",
                "cuda",
                "--cuda-device-only",
                "-S",
            ])
            .args(["--cuda-gpu-arch=sm_90", "-O2", "-std=c++17", "-w"])
            .arg(format!("--cuda-path={}", toolkit.display()))
            .arg(format!("-I{}", scratch.display()));
        command
    })
}

fn python(program: &str, packages: &[&str], scratch: &Path, place: &Path) -> Result<(), Failure> {
    let venv = scratch.join("venv");
    process::run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    process::run(
        Command::new(venv.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(packages),
    )?;
    let script = scratch.join("kernels.py");
    fs::write(&script, program).map_err(Failure::file(&script))?;
    process::run(
        Command::new(venv.join("bin/python"))
            .arg(&script)
            .arg(place)
            .env("HOME", scratch),
    )
}
