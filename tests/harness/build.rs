//! Building a program, once per source and flags.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

use libtest_mimic::Failed;

use crate::{
    directives::Directives,
    places::{Places, Toolkit},
};

/// How a program is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// nvcc without flags: static runtime, SASS and PTX for sm_75, zstd.
    Static,
    /// `-cudart shared`.
    Shared,
    /// PTX only, for compute_90.
    Ptx90,
    /// `-arch=sm_90`: SASS and PTX.
    Sm90,
    /// SASS only.
    Sass,
    /// `-compress-mode=speed`: LZ4.
    Lz4,
    /// `-compress-mode=none`.
    Raw,
    /// The newest nvcc, without flags.
    Newest,
    /// By clang, with the headers and the shared runtime of CUDA 12.9 (whose wheels have no nvcc).
    Twelve,
    /// The same with the static runtime.
    TwelveStatic,
    /// Device code to PTX by clang, host code by g++, with no runtime: the program loads `argv[1]` through the Driver
    /// API. Both compile the same file; device code is under `#ifdef __CUDA__`.
    Clang,
}

const NAMES: [(Build, &str, &[&str]); 11] = [
    (Build::Static, "static", &[]),
    (Build::Shared, "shared", &["-cudart", "shared"]),
    (
        Build::Ptx90,
        "ptx90",
        &["-gencode", "arch=compute_90,code=compute_90"],
    ),
    (Build::Sm90, "sm90", &["-arch=sm_90"]),
    (
        Build::Sass,
        "sass",
        &["-gencode", "arch=compute_90,code=sm_90"],
    ),
    (Build::Lz4, "lz4", &["-compress-mode=speed"]),
    (Build::Raw, "raw", &["-compress-mode=none"]),
    (Build::Newest, "newest", &[]),
    (Build::Twelve, "twelve", &["-lcudart"]),
    (
        Build::TwelveStatic,
        "twelve-static",
        &["-lcudart_static", "-lrt"],
    ),
    (Build::Clang, "clang", &[]),
];

impl Build {
    /// The build of that name.
    pub fn named(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|(_, known, _)| *known == name)
            .map(|&(build, _, _)| build)
    }

    fn row(self) -> (&'static str, &'static [&'static str]) {
        NAMES
            .iter()
            .find(|(build, _, _)| *build == self)
            .map_or(("?", &[]), |&(_, name, flags)| (name, flags))
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().0)
    }
}

/// A built program: what to run, and arguments that go before its own.
#[derive(Debug)]
pub struct Binary {
    /// The executable.
    pub path: PathBuf,
    /// Arguments that belong to the build (clang's PTX file).
    pub args: Vec<PathBuf>,
}

/// The program, built now or before.
pub fn binary(
    places: &Places,
    program: &Path,
    directives: &Directives,
    build: Build,
) -> Result<Binary, Failed> {
    let source = fs::read(program)?;
    let toolkit = places
        .toolkit(build.toolkit())
        .ok_or_else(|| Failed::from("the toolkit is gone"))?;
    let (_, flags) = build.row();
    let mut hash = blake3::Hasher::new();
    hash.update(&source);
    for header in places.headers() {
        hash.update(&fs::read(header)?);
    }
    hash.update(toolkit.canonicalize()?.as_os_str().as_encoded_bytes());
    for flag in flags
        .iter()
        .copied()
        .chain(directives.flags.iter().map(String::as_str))
    {
        hash.update(flag.as_bytes()).update(&[0]);
    }
    let stem = program.file_stem().unwrap_or_default().to_string_lossy();
    let key = hash.finalize().to_hex();
    let dir = places.cache.join(format!("{stem}-{build}-{}", &key[..16]));
    let path = dir.join(&*stem);
    let ptx = dir.join("device.ptx");
    let args = if build == Build::Clang {
        vec![ptx.clone()]
    } else {
        Vec::new()
    };
    if !path.is_file() {
        fs::create_dir_all(&dir)?;
        // Built under another name and moved, so that an interrupted build leaves nothing that looks whole. Tests of
        // one program may run at once, in processes or threads of their own.
        let staged = dir.join(format!(
            "{stem}.{}.{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        match build {
            Build::Clang => clang(&toolkit, program, directives, &ptx, &staged)?,
            Build::Twelve | Build::TwelveStatic => compile(
                Command::new("clang++-19")
                    .args([
                        "-x",
                        "cuda",
                        "--cuda-gpu-arch=sm_75",
                        "--cuda-include-ptx=all",
                    ])
                    .arg("-Wno-unknown-cuda-version")
                    .arg(format!("--cuda-path={}", toolkit.display()))
                    .args(&directives.flags)
                    .arg(program)
                    .arg("-o")
                    .arg(&staged)
                    .arg(format!("-L{}/lib64", toolkit.display()))
                    .args(flags)
                    .args(["-ldl", "-lpthread"]),
            )?,
            Build::Static
            | Build::Shared
            | Build::Ptx90
            | Build::Sm90
            | Build::Sass
            | Build::Lz4
            | Build::Raw
            | Build::Newest => compile(
                Command::new(toolkit.join("bin/nvcc"))
                    .env_remove("NVCC_APPEND_FLAGS")
                    .env_remove("NVCC_PREPEND_FLAGS")
                    .args(flags)
                    .args(&directives.flags)
                    .arg(program)
                    .arg("-o")
                    .arg(&staged),
            )?,
        }
        fs::rename(&staged, &path)?;
    }
    Ok(Binary { path, args })
}

/// Device code and host code apart: the program loads the one through the Driver API.
fn clang(
    toolkit: &Path,
    program: &Path,
    directives: &Directives,
    ptx: &Path,
    staged: &Path,
) -> Result<(), Failed> {
    compile(
        Command::new("clang++-19")
            .args(["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90"])
            .args(["-nocudainc", "-nocudalib", "-O2", "-S"])
            .arg(program)
            .arg("-o")
            .arg(ptx),
    )?;
    compile(
        Command::new("g++")
            .args(["-x", "c++", "-O1"])
            .arg(format!("-I{}/include", toolkit.display()))
            .args(&directives.flags)
            .arg(program)
            .arg("-o")
            .arg(staged)
            .args(["-ldl", "-lpthread"]),
    )
}

fn compile(command: &mut Command) -> Result<(), Failed> {
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}

/// A toolkit is needed even for clang's build: for `cuda.h`.
const _: Toolkit = Build::Clang.toolkit();
