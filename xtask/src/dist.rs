//! The installed tree: `dist/bin` and `dist/lib`, with the names that programs look for, and `dist/toolkit/bin` with
//! stand-ins for tools of the CUDA Toolkit, which are not to be on PATH by accident.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    error::Failure,
    process,
    workspace::{Metadata, Workspace},
};

/// The driver version whose file names we bear.
const DRIVER: &str = "580.142";
/// Where the static, non-PIE GPU process is linked: one small fixed window, away from everything a client may choose.
const GPU_IMAGE_BASE: &str = "0x10000000";

/// A program: package, binary, directory.
const PROGRAMS: [(&str, &str, &str); 4] = [
    ("antlerite", "antlerite", "bin"),
    ("kernel", "antlerite-kmd", "bin"),
    ("nvidia-smi", "nvidia-smi", "bin"),
    ("ptxas", "ptxas", "toolkit/bin"),
];

/// A shared library that cargo links itself: package, file name in dist/lib, links to it.
const LIBRARIES: [(&str, &str, &[&str]); 4] = [
    ("cuda", "libcuda.so.", &["libcuda.so.1", "libcuda.so"]),
    (
        "nvml",
        "libnvidia-ml.so.",
        &["libnvidia-ml.so.1", "libnvidia-ml.so"],
    ),
    (
        "ptxjitcompiler",
        "libnvidia-ptxjitcompiler.so.",
        &["libnvidia-ptxjitcompiler.so.1"],
    ),
    ("interpose", "libantlerite_interpose.so", &[]),
];

/// A library whose symbols bear its own name as their version.
struct Versioned {
    /// Its package, a staticlib.
    package: &'static str,
    /// Whether each major version is a build of its own, by a feature `major-N`.
    features: bool,
    /// Its name before `.so`.
    stem: &'static str,
    /// Major version, the release whose file name it bears.
    majors: [(u32, &'static str); 2],
    /// What it exports; `@` is the major version.
    exports: &'static str,
    /// The name that its static library is installed by.
    archive: Option<&'static str>,
}

const VERSIONED: [Versioned; 2] = [
    Versioned {
        package: "cudart",
        features: true,
        stem: "libcudart",
        majors: [(12, "12.9.79"), (13, "13.0.96")],
        exports: "cuda*; __cuda*;",
        archive: Some("libcudart_static.a"),
    },
    Versioned {
        package: "nvjitlink",
        features: false,
        stem: "libnvJitLink",
        majors: [(12, "12.9.86"), (13, "13.0.88")],
        exports: "nvJitLink*; __nvJitLink*_@_*;",
        archive: None,
    },
];

/// Builds everything that is there and lays it out.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let metadata = workspace.metadata()?;
    let dist = Dist {
        workspace,
        root: workspace.root.join("dist"),
        lib: workspace.root.join("dist/lib"),
        metadata,
        hooks: false,
    };
    for dir in ["bin", "lib", "toolkit/bin"] {
        let dir = dist.root.join(dir);
        fs::create_dir_all(&dir).map_err(Failure::file(&dir))?;
    }
    dist.programs_and_libraries()?;
    dist.gpu()?;
    for library in &VERSIONED {
        for (major, release) in library.majors {
            dist.versioned(library, major, release)?;
        }
    }
    Ok(())
}

/// The runtimes of a tree like dist/, with the hooks of `coverage --prove`.
pub fn runtimes_with_hooks(
    workspace: &Workspace,
    tree: &Path,
    target: &Path,
) -> Result<(), Failure> {
    let mut metadata: Metadata = workspace.metadata()?;
    target.clone_into(&mut metadata.target_dir);
    let dist = Dist {
        workspace,
        root: tree.to_owned(),
        lib: tree.join("lib"),
        metadata,
        hooks: true,
    };
    for library in VERSIONED.iter().filter(|library| library.features) {
        for (major, release) in library.majors {
            // What is there has no hooks, however new it is.
            let file = dist.lib.join(format!("{}.so.{release}", library.stem));
            let _ = fs::remove_file(file);
            dist.versioned(library, major, release)?;
        }
    }
    Ok(())
}

struct Dist<'a> {
    workspace: &'a Workspace,
    metadata: Metadata,
    root: PathBuf,
    lib: PathBuf,
    /// Whether libraries with features get `prove`, and are built as tests are.
    hooks: bool,
}

fn skip(what: &str, why: &str) {
    println!("dist: skipped {what}: {why}");
}

impl Dist<'_> {
    fn programs_and_libraries(&self) -> Result<(), Failure> {
        let mut cargo = process::cargo(&self.workspace.root);
        cargo.args(["build", "--release", "--locked"]);
        let mut programs = Vec::new();
        for (package, binary, dir) in PROGRAMS {
            if self.has(package, "bin", binary) {
                cargo.args(["--package", package, "--bin", binary]);
                programs.push((binary, dir));
            } else {
                skip(binary, &format!("package {package} has no such binary"));
            }
        }
        let mut libraries = Vec::new();
        for (package, file, links) in LIBRARIES {
            if self.has(package, "cdylib", package) {
                cargo.args(["--package", package]);
                libraries.push((package, file, links));
            } else {
                skip(file, &format!("package {package} has no cdylib"));
            }
        }
        if !libraries.is_empty() {
            // With --bin given, cargo would build binaries only.
            cargo.arg("--lib");
        }
        process::run(&mut cargo)?;
        let built = self.metadata.target_dir.join("release");
        for (binary, dir) in programs {
            install(&built.join(binary), &self.root.join(dir).join(binary))?;
        }
        for (package, file, links) in libraries {
            let name = if file.ends_with('.') {
                format!("{file}{DRIVER}")
            } else {
                file.to_owned()
            };
            install(
                &built.join(format!("lib{package}.so")),
                &self.lib.join(&name),
            )?;
            for link_name in links {
                link(&name, &self.lib.join(link_name))?;
            }
        }
        Ok(())
    }

    /// The GPU process has the client's address space to itself, so it is static and not position independent.
    fn gpu(&self) -> Result<(), Failure> {
        const PACKAGE: &str = "gpu";
        const BINARY: &str = "antlerite-gpu";
        if !self.has(PACKAGE, "bin", BINARY) {
            skip(BINARY, "package gpu has no such binary");
            return Ok(());
        }
        // A directory of its own: other flags than the rest of the build has.
        let target = self.metadata.target_dir.join("static");
        process::run(
            process::cargo(&self.workspace.root)
                .args([
                    "rustc",
                    "--release",
                    "--locked",
                    "--package",
                    PACKAGE,
                    "--bin",
                    BINARY,
                ])
                .arg("--target-dir")
                .arg(&target)
                .args(["--", "-C", "target-feature=+crt-static"])
                .args(["-C", "relocation-model=static"])
                .args(["-C", &format!("link-arg=-Wl,--image-base={GPU_IMAGE_BASE}")]),
        )?;
        install(
            &target.join("release").join(BINARY),
            &self.root.join("bin").join(BINARY),
        )
    }

    /// A library for one major version: cargo makes the static library, cc links the shared one, because the symbol
    /// version node has the library's name.
    fn versioned(&self, library: &Versioned, major: u32, release: &str) -> Result<(), Failure> {
        let Versioned {
            package: name,
            stem,
            ..
        } = library;
        let soname = format!("{stem}.so.{major}");
        let feature = format!("major-{major}");
        let Some(package) = self.metadata.packages.get(*name) else {
            skip(&soname, &format!("there is no package {name}"));
            return Ok(());
        };
        let lacks = library.features && !package.features.contains(&feature);
        if !package.has_kind("staticlib") || lacks {
            skip(
                &soname,
                &format!("{name} has no staticlib or no feature {feature}"),
            );
            return Ok(());
        }
        let mut cargo = process::cargo(&self.workspace.root);
        cargo.args(["rustc", "--locked", "--lib"]);
        let built = if self.hooks {
            "debug"
        } else {
            cargo.arg("--release");
            "release"
        };
        cargo.args(["--package", name, "--crate-type", "staticlib"]);
        let target = if library.features {
            let hooks = if self.hooks { ",prove" } else { "" };
            cargo.args(["--no-default-features", "--features"]);
            cargo.arg(format!("{feature}{hooks}"));
            self.metadata.target_dir.join(&soname)
        } else {
            self.metadata.target_dir.clone()
        };
        process::run(cargo.arg("--target-dir").arg(&target))?;
        let archive = target.join(built).join(format!("lib{name}.a"));
        let file = format!("{stem}.so.{release}");
        let shared = self.lib.join(&file);
        if newer(&archive, &shared)? {
            let script = target.join(format!("{soname}.map"));
            fs::write(
                &script,
                format!(
                    "{soname} {{ global: {} local: *; }};\n",
                    library.exports.replace('@', &major.to_string())
                ),
            )
            .map_err(Failure::file(&script))?;
            let staged = staged_name(&shared);
            process::run(
                Command::new("cc")
                    .args(["-shared", "-o"])
                    .arg(&staged)
                    .arg("-Wl,--whole-archive")
                    .arg(&archive)
                    .arg("-Wl,--no-whole-archive")
                    .arg(format!("-Wl,--version-script={}", script.display()))
                    .arg(format!("-Wl,-soname,{soname}"))
                    .args(["-Wl,--gc-sections", "-Wl,-z,relro,-z,now", "-Wl,--build-id"])
                    .args([
                        "-Wl,--no-undefined",
                        "-lgcc_s",
                        "-lpthread",
                        "-ldl",
                        "-lm",
                        "-lc",
                    ]),
            )?;
            fs::rename(&staged, &shared).map_err(Failure::file(&shared))?;
            println!("dist: lib/{file}");
        }
        link(&file, &self.lib.join(&soname))?;
        // The newest major is what -lcudart and -lcudart_static find.
        if library.majors.iter().all(|&(other, _)| other <= major) {
            link(&soname, &self.lib.join(format!("{stem}.so")))?;
            if let Some(name) = library.archive {
                install(&archive, &self.lib.join(name))?;
            }
        }
        Ok(())
    }

    fn has(&self, package: &str, kind: &str, target: &str) -> bool {
        self.metadata
            .packages
            .get(package)
            .is_some_and(|package| package.has_target(kind, target))
    }
}

/// Whether `from` has changed since `to` was made from it.
fn newer(from: &Path, to: &Path) -> Result<bool, Failure> {
    let time = |path: &Path| {
        fs::metadata(path)
            .and_then(|meta| meta.modified())
            .map_err(Failure::file(path))
    };
    let made = match time(to) {
        Ok(made) => made,
        Err(_) => return Ok(true),
    };
    Ok(time(from)? > made)
}

fn staged_name(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// Copies by way of a new file, so that a running program keeps the old one.
fn install(from: &Path, to: &Path) -> Result<(), Failure> {
    if newer(from, to)? {
        let staged = staged_name(to);
        fs::copy(from, &staged).map_err(Failure::file(from))?;
        fs::rename(&staged, to).map_err(Failure::file(to))?;
        println!("dist: {}", to.display());
    }
    Ok(())
}

/// Makes the symbolic link `at` → `target`, in place of whatever is there.
fn link(target: &str, at: &Path) -> Result<(), Failure> {
    if fs::read_link(at).is_ok_and(|now| now == Path::new(target)) {
        return Ok(());
    }
    let staged = staged_name(at);
    match fs::remove_file(&staged) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(Failure::file(&staged)(error)),
    }
    std::os::unix::fs::symlink(target, &staged).map_err(Failure::file(&staged))?;
    fs::rename(&staged, at).map_err(Failure::file(at))
}
