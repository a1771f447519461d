//! Building the programs under `benches/`, and running ours on the virtual GPU.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{error::Failure, process, workspace::Workspace};

/// How native code is built, for the instruction set that [`Isa::compiler_flags`] names.
const NATIVE_FLAGS: [&str; 4] = ["-O3", "-ffast-math", "-fopenmp", "-std=c++17"];

/// What all peers' code is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// All that the host has.
    Host,
    /// AVX2, on a host that has more.
    Avx2,
}

impl Isa {
    /// For GCC.
    const fn compiler_flags(self) -> [&'static str; 2] {
        match self {
            Self::Host => ["-march=native", "-mtune=native"],
            Self::Avx2 => ["-march=x86-64-v3", "-mtune=native"],
        }
    }

    /// For ISPC.
    const fn ispc_target(self) -> &'static str {
        match self {
            Self::Host => "--target=host",
            Self::Avx2 => "--target=avx2-i32x16",
        }
    }

    /// In the names of files.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Host => "",
            Self::Avx2 => "-avx2",
        }
    }
}

/// Where everything is.
pub struct Programs {
    benches: PathBuf,
    out: PathBuf,
    dist: PathBuf,
    toolkit: PathBuf,
}

impl Programs {
    /// Finds the toolkit and the installed tree.
    pub fn find(workspace: &Workspace) -> Result<Self, Failure> {
        let toolkit = env::var_os("ANTLERITE_TOOLKIT")
            .map_or_else(|| workspace.root.join(".toolkit/cuda-13.0"), PathBuf::from);
        if !toolkit.join("bin/nvcc").is_file() {
            return Err(Failure::NotJudged("no nvcc: make toolkit".into()));
        }
        let dist = env::var_os("ANTLERITE_DIST")
            .map_or_else(|| workspace.root.join("dist"), PathBuf::from);
        for file in [
            "bin/antlerite",
            "bin/antlerite-kmd",
            "bin/antlerite-gpu",
            "lib/libcudart.so.13",
        ] {
            if !dist.join(file).exists() {
                return Err(Failure::NotJudged(format!("no dist/{file}: make")));
            }
        }
        let out = workspace.metadata()?.target_dir.join("bench");
        std::fs::create_dir_all(&out).map_err(Failure::file(&out))?;
        Ok(Self {
            benches: workspace.root.join("benches"),
            out,
            dist,
            toolkit,
        })
    }

    /// Where samples go.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// The installed tree.
    pub fn dist(&self) -> &Path {
        &self.dist
    }

    /// A CUDA program, as nvcc builds it by default but for optimisation of the host's part.
    pub fn cuda(&self, sources: &[&str], name: &str) -> Result<PathBuf, Failure> {
        let mut nvcc = Command::new(self.toolkit.join("bin/nvcc"));
        nvcc.args(["-O2", "-std=c++17"]);
        self.built(nvcc, sources, name)
    }

    /// A program of the Driver API.
    pub fn driver_program(&self, sources: &[&str], name: &str) -> Result<PathBuf, Failure> {
        let mut nvcc = Command::new(self.toolkit.join("bin/nvcc"));
        nvcc.args(["-O2", "-std=c++17", "-lcuda"]);
        // The library itself stands in for the toolkit's stub.
        nvcc.arg("-L").arg(self.dist.join("lib"));
        self.built(nvcc, sources, name)
    }

    /// PTX of a source, as nvcc makes it for Hopper.
    pub fn ptx(&self, source: &str, to: &Path) -> Result<PathBuf, Failure> {
        let mut nvcc = Command::new(self.toolkit.join("bin/nvcc"));
        nvcc.args(["-std=c++17", "-arch=compute_90", "-ptx"]);
        nvcc.arg(self.benches.join(source)).arg("-o").arg(to);
        process::run(&mut nvcc)?;
        Ok(to.to_owned())
    }

    /// A tool of the toolkit.
    pub fn tool(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.toolkit.join("bin").join(name);
        if path.is_file() {
            Ok(path)
        } else {
            Err(Failure::NotJudged(format!("no {name} in the toolkit")))
        }
    }

    /// A library of the installed tree.
    pub fn library(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.dist.join("lib").join(name);
        if path.exists() {
            Ok(path)
        } else {
            Err(Failure::NotJudged(format!("no dist/lib/{name}: make")))
        }
    }

    /// A native program: the expert's code, for this very machine.
    pub fn native(&self, sources: &[&str], name: &str) -> Result<PathBuf, Failure> {
        self.native_for(Isa::Host, sources, name)
    }

    /// The same for an instruction set.
    pub fn native_for(&self, isa: Isa, sources: &[&str], name: &str) -> Result<PathBuf, Failure> {
        let mut compiler = Command::new("g++");
        compiler.args(NATIVE_FLAGS).args(isa.compiler_flags());
        self.built(compiler, sources, &format!("{name}{}", isa.suffix()))
    }

    /// The further kernels: one program of device code and the expert's, each built as it is alone.
    pub fn further(&self) -> Result<PathBuf, Failure> {
        let object = |name: &str| self.out.join(format!("further-{name}.o"));
        let source = |name: &str| self.benches.join("further").join(name);
        let build = |mut command: Command, from: &str, to: &str| {
            command
                .arg("-c")
                .arg(source(from))
                .arg("-o")
                .arg(object(to));
            process::run(&mut command)
        };
        let mut native = Command::new("g++");
        native.args(NATIVE_FLAGS).args(Isa::Host.compiler_flags());
        build(native, "native.cpp", "native")?;
        let mut main = Command::new("g++");
        main.args(["-O2", "-std=c++17"])
            .arg(format!("-I{}", self.toolkit.join("include").display()));
        build(main, "main.cpp", "main")?;
        let mut device = Command::new(self.toolkit.join("bin/nvcc"));
        device.args(["-O2", "-std=c++17"]);
        build(device, "gpu.cu", "gpu")?;
        let path = self.out.join("further");
        process::run(
            Command::new(self.toolkit.join("bin/nvcc"))
                .args(["-Xcompiler", "-fopenmp"])
                .args(["gpu", "native", "main"].map(object))
                .arg("-o")
                .arg(&path),
        )?;
        Ok(path)
    }

    /// The kernels in ISPC, or nothing where there is no compiler for it.
    pub fn ispc(&self, isa: Isa) -> Result<Option<PathBuf>, Failure> {
        let ispc = env::var_os("ISPC").unwrap_or_else(|| "ispc".into());
        let object = self.out.join(format!("kernels_ispc{}.o", isa.suffix()));
        let mut command = Command::new(ispc);
        command
            .args(["-O3", "--pic", "--opt=fast-math", isa.ispc_target()])
            .arg(self.benches.join("kernels/kernels.ispc"))
            .arg("-o")
            .arg(&object);
        match process::run(&mut command) {
            Ok(()) => {}
            Err(Failure::Start { .. }) => return Ok(None),
            Err(failure) => return Err(failure),
        }
        let mut compiler = Command::new("g++");
        compiler
            .args(["-O3", "-fopenmp", "-std=c++17"])
            .args(isa.compiler_flags())
            .arg(&object);
        self.built(
            compiler,
            &["kernels/ispc.cpp", "kernels/main.cpp"],
            &format!("kernels-ispc{}", isa.suffix()),
        )
        .map(Some)
    }

    /// The kernels in OpenCL on the PoCL that `POCL` names (where it is installed), or nothing.
    pub fn pocl(&self) -> Result<Option<Command>, Failure> {
        let Some(pocl) = env::var_os("POCL").map(PathBuf::from) else {
            return Ok(None);
        };
        let library = pocl.join("lib");
        let mut compiler = Command::new("g++");
        compiler.args(["-O2", "-std=c++17"]);
        let headers = pocl.join("include");
        if headers.is_dir() {
            compiler.arg("-I").arg(headers);
        }
        let sources = ["kernels/opencl.cpp", "kernels/main.cpp"];
        let path = self.out.join("kernels-pocl");
        compiler
            .args(sources.map(|source| self.benches.join(source)))
            .arg("-o")
            .arg(&path)
            .arg(library.join("libOpenCL.so"))
            .arg(format!("-Wl,-rpath,{}", library.display()));
        process::run(&mut compiler)?;
        let mut command = Command::new(path);
        command.env("KERNELS", self.benches.join("kernels/kernels.cl"));
        Ok(Some(command))
    }

    fn built(
        &self,
        mut compiler: Command,
        sources: &[&str],
        name: &str,
    ) -> Result<PathBuf, Failure> {
        let path = self.out.join(name);
        compiler
            .args(sources.iter().map(|source| self.benches.join(source)))
            .arg("-o")
            .arg(&path);
        process::run(&mut compiler)?;
        Ok(path)
    }

    /// The program on a virtual GPU of its own with tracked managed memory, each touched block for itself; on one CPU
    /// if `pinned`.
    pub fn tracked(&self, program: &Path, how: &str, pinned: bool) -> Command {
        let launcher = self.dist.join("bin/antlerite");
        let mut command = if pinned {
            let mut command = Command::new("taskset");
            command.args(["-c", "0"]).arg(launcher);
            command
        } else {
            Command::new(launcher)
        };
        command
            .args(["run", "--uvm", "tracked"])
            .arg(program)
            .arg(how)
            .env("ANTLERITE_UVM_POLICY", "plain")
            .env("ANTLERITE_INSTANCE", format!("bench-{how}"));
        command
    }

    /// The program on the virtual GPU.
    pub fn on_gpu(&self, door: &str, program: &Path) -> Command {
        let mut command = Command::new(self.dist.join("bin/antlerite"));
        command.args(["run", "--door", door]).arg(program);
        command
    }
}
