//! Where the toolkit, the installed tree and the built programs are.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::{build::Build, directives::Door};

/// Which toolkit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolkit {
    /// CUDA 13.0, the advertised driver's own.
    Default,
    /// The newest that is published.
    Newest,
    /// The last of CUDA 12, for clang.
    Twelve,
}

/// All places.
#[derive(Debug, Clone)]
pub struct Places {
    /// The repository.
    pub root: PathBuf,
    /// The installed tree.
    pub dist: PathBuf,
    /// Where built programs are kept.
    pub cache: PathBuf,
}

impl Places {
    /// From this crate's own place and the environment: `ANTLERITE_DIST` names another installed tree.
    pub fn find() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().unwrap_or(here).to_owned();
        let dist = env::var_os("ANTLERITE_DIST").map_or_else(|| root.join("dist"), PathBuf::from);
        Self {
            dist,
            cache: Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance"),
            root,
        }
    }

    /// The programs, by name.
    pub fn programs(&self) -> Vec<PathBuf> {
        self.files("tests/conformance", "cu")
    }

    /// The headers that programs may include: a change in one rebuilds all.
    pub fn headers(&self) -> Vec<PathBuf> {
        let mut headers = self.files("tests/conformance", "cuh");
        headers.extend(self.files("benches/kernels", "cuh"));
        headers
    }

    fn files(&self, dir: &str, extension: &str) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(self.root.join(dir))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .collect();
        files.sort();
        files
    }

    /// The toolkit's root: `ANTLERITE_TOOLKIT`, `ANTLERITE_TOOLKIT_NEWEST`, `ANTLERITE_TOOLKIT_12`, else what `make
    /// toolkit`, `make toolkit-newest`, `make toolkit-12` install.
    pub fn toolkit(&self, which: Toolkit) -> Option<PathBuf> {
        let (variable, place, tool) = match which {
            Toolkit::Default => ("ANTLERITE_TOOLKIT", ".toolkit/cuda-13.0", "nvcc"),
            Toolkit::Newest => ("ANTLERITE_TOOLKIT_NEWEST", ".toolkit/cuda-13.5", "nvcc"),
            Toolkit::Twelve => ("ANTLERITE_TOOLKIT_12", ".toolkit/cuda-12.9", "fatbinary"),
        };
        let root = env::var_os(variable).map_or_else(|| self.root.join(place), PathBuf::from);
        root.join("bin").join(tool).is_file().then_some(root)
    }

    /// The interpreter that has what `make clients` installs, or any.
    pub fn python(&self) -> String {
        let installed = self.root.join(".toolkit/clients/bin/python");
        if installed.exists() {
            installed.display().to_string()
        } else {
            "python3".into()
        }
    }

    /// What is not there for such a test, if anything.
    pub fn missing_for(&self, build: Build, door: Door) -> Option<String> {
        if self.toolkit(build.toolkit()).is_none() {
            return Some(match build.toolkit() {
                Toolkit::Default => "no toolkit (make toolkit, or ANTLERITE_TOOLKIT)".into(),
                Toolkit::Newest => {
                    "no newest toolkit (make toolkit-newest, or ANTLERITE_TOOLKIT_NEWEST)".into()
                }
                Toolkit::Twelve => "no CUDA 12.9 (make toolkit-12, or ANTLERITE_TOOLKIT_12)".into(),
            });
        }
        let mut needed = vec!["lib/libcuda.so.1", "bin/antlerite-kmd", "bin/antlerite-gpu"];
        match door {
            Door::Socket | Door::Syscall => needed.push("bin/antlerite"),
            Door::Path => {}
        }
        match build {
            Build::Clang => {}
            Build::Shared => needed.push("lib/libcudart.so.13"),
            Build::Twelve => needed.push("lib/libcudart.so.12"),
            Build::TwelveStatic => {
                needed.extend(["lib/libcudart.so.12", "lib/libantlerite_interpose.so"]);
            }
            Build::Static
            | Build::Ptx90
            | Build::Sm90
            | Build::Sass
            | Build::Lz4
            | Build::Raw
            | Build::Newest => {
                needed.extend(["lib/libcudart.so.13", "lib/libantlerite_interpose.so"]);
            }
        }
        needed
            .into_iter()
            .find(|file| !self.dist.join(file).exists())
            .map(|file| format!("no {} (make)", self.dist.join(file).display()))
    }
}
