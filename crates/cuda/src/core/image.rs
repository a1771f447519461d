//! What a module is made of, before it is in any context: from a fat binary, PTX text or a cubin.

use std::sync::{Arc, OnceLock};

use abi::device_runtime::Function as RuntimeFunction;
use cuda_abi::driver::CUresult;
use fatbin::cubin::Cubin;
use fatbin::{Device, IsaVersion, Policy, Reason, Sm};
use jit::compiler::{CompileError, Failure};
use jit::image::ImageError;
use jit::inputs::{Chosen, InputError, Inputs, Target};
use ptx::checked::{Checked, Symbol};
use ptx::layout::{Layout, function_address};
use ptx::link::LinkError;
use ptx::types::StateSpace;

use crate::boundary::complain;

/// A module's contents.
#[derive(Debug)]
pub(crate) struct Image {
    /// Where code comes from.
    pub code: Code,
    /// Kernels, in source order.
    pub kernels: Vec<Kernel>,
    /// Variables, in source order.
    pub variables: Vec<Variable>,
    /// Functions that kernels call and that are not there.
    pub unresolved: Vec<String>,
    /// Whether kernels may call the device runtime.
    pub device_runtime: bool,
    /// Kernels that kernels may launch: address in code, index.
    pub launchable: Vec<(u64, usize)>,
    /// Hash of the text, once it was asked for.
    digest: OnceLock<[u8; 32]>,
}

/// Where code comes from.
#[derive(Debug)]
pub(crate) enum Code {
    /// PTX, compiled kernel by kernel.
    Ptx(Arc<str>),
    /// Compiled already.
    Cubin(Box<Cubin>),
    /// Compiled already, for any block or for the one that a kernel must be launched with, and the PTX it came from: for
    /// other blocks, and where this host lacks what the code needs.
    Both {
        /// Code.
        cubin: Box<Cubin>,
        /// PTX.
        text: Arc<str>,
    },
}

/// A kernel.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// Mangled name.
    pub name: String,
    /// Offset and size of each parameter, bytes.
    pub params: Vec<(u32, u32)>,
    /// Bytes of all parameters.
    pub param_bytes: u32,
    /// Static shared memory, bytes.
    pub shared_bytes: u32,
    /// Local memory of a thread, bytes, as far as declared.
    pub local_bytes: u32,
    /// Largest number of threads in a block.
    pub max_threads: u32,
    /// Whether the code itself limits the block.
    pub limited: bool,
    /// Block that the kernel must be launched with; zeros where not given.
    pub required_block: [u32; 3],
    /// Cluster that the kernel is launched with; zeros where not given.
    pub cluster: [u32; 3],
    /// Whether the code must be launched with a cluster.
    pub explicit_cluster: bool,
    /// Registers of a thread, an estimate.
    pub registers: u32,
    /// Virtual architecture of the source (80 for compute_80), which is what `CU_FUNC_ATTRIBUTE_PTX_VERSION` tells and
    /// CUB chooses its tuning by.
    pub ptx_version: u32,
}

/// A variable at module scope.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Alignment, bytes.
    pub align: u64,
    /// First bytes.
    pub init: Vec<u8>,
    /// Addresses in the first bytes.
    pub relocations: Vec<Relocation>,
    /// `.attribute(.managed)`.
    pub managed: bool,
    /// Constant memory.
    pub constant: bool,
    /// Defined elsewhere.
    pub external: bool,
    /// Where it is, if it is defined elsewhere and the caller's options say so.
    pub given: Option<u64>,
}

/// An address to fill in.
#[derive(Clone, Debug)]
pub(crate) struct Relocation {
    /// Offset, bytes.
    pub offset: u64,
    /// Bytes filled.
    pub size: u32,
    /// Whose address.
    pub symbol: Referent,
    /// Added.
    pub addend: i64,
    /// Bits taken and shifted down.
    pub mask: Option<u64>,
}

/// What a relocation names.
#[derive(Clone, Debug)]
pub(crate) enum Referent {
    /// A variable.
    Variable(String),
    /// A function, by its token.
    Token(u64),
}

/// Why an image cannot be loaded.
#[derive(Clone, Debug)]
pub(crate) struct LoadError {
    /// CUDA's code.
    pub code: CUresult,
    /// For the caller's log.
    pub log: String,
}

/// What the caller's options change in an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overrides {
    /// `CU_JIT_MAX_REGISTERS`, 0 none.
    pub max_registers: u32,
    /// `CU_JIT_MAX_THREADS_PER_BLOCK`, 0 none.
    pub max_threads: u32,
    /// `CU_JIT_OVERRIDE_DIRECTIVE_VALUES`: also where the code says something else.
    pub over_directives: bool,
}

impl LoadError {
    pub(crate) fn new(code: CUresult, log: impl Into<String>) -> Self {
        Self {
            code,
            log: log.into(),
        }
    }
}

impl From<CompileError> for LoadError {
    fn from(error: CompileError) -> Self {
        let code = match error.failure {
            Failure::NoCompiler => CUresult::JIT_COMPILER_NOT_FOUND,
            Failure::InvalidPtx => CUresult::INVALID_PTX,
            Failure::Version => CUresult::UNSUPPORTED_PTX_VERSION,
            Failure::NoKernel => CUresult::NOT_FOUND,
            Failure::Internal => CUresult::UNKNOWN,
        };
        Self::new(code, error.log)
    }
}

impl From<InputError> for LoadError {
    fn from(error: InputError) -> Self {
        // The messages of the choice say all that there is to say.
        let log = match &error {
            InputError::NoImage { why, .. } => why.to_string(),
            InputError::Form { .. }
            | InputError::Container { .. }
            | InputError::Cubin { .. }
            | InputError::Ptx { .. }
            | InputError::Sass { .. }
            | InputError::NoSource { .. } => error.log(),
        };
        let code = match &error {
            InputError::Form { .. } | InputError::Container { .. } | InputError::Cubin { .. } => {
                CUresult::INVALID_IMAGE
            }
            InputError::Ptx { .. } => CUresult::INVALID_PTX,
            InputError::NoImage { why, .. } => match why.reason {
                Reason::NoBinary => CUresult::NO_BINARY_FOR_GPU,
                Reason::JitDisabled => CUresult::JIT_COMPILATION_DISABLED,
                Reason::PtxTooNew => CUresult::UNSUPPORTED_PTX_VERSION,
            },
            InputError::Sass { .. } => CUresult::NO_BINARY_FOR_GPU,
            InputError::NoSource { .. } => CUresult::NOT_SUPPORTED,
        };
        Self::new(code, log)
    }
}

impl From<LinkError> for LoadError {
    fn from(error: LinkError) -> Self {
        let code = match &error {
            LinkError::Nothing => CUresult::INVALID_VALUE,
            LinkError::Syntax { .. }
            | LinkError::Multiple { .. }
            | LinkError::Kind { .. }
            | LinkError::Size { .. }
            | LinkError::AddressSize { .. } => CUresult::INVALID_PTX,
        };
        Self::new(code, error.log())
    }
}

impl From<ImageError> for LoadError {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Undefined { log } => Self::new(CUresult::INVALID_PTX, log),
            ImageError::Compile(error) => error.into(),
            ImageError::Cubin(error) => Self::new(CUresult::UNKNOWN, error.to_string()),
        }
    }
}

/// Environment and device that images are chosen by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chooser {
    /// Compute capability, major × 10 + minor.
    pub cc: u32,
    /// CUDA version of the driver, as `cuDriverGetVersion` gives it.
    pub cuda_version: i32,
}

/// Whether an environment variable says yes.
pub(crate) fn flag(name: &str) -> bool {
    std::env::var(name).is_ok_and(|v| !v.is_empty() && v != "0")
}

impl Chooser {
    /// The newest PTX ISA version of the driver's CUDA release (PTX ISA 9.0, "Release Notes").
    pub(crate) fn isa(self) -> IsaVersion {
        let release = u16::try_from(self.cuda_version / 10).unwrap_or(u16::MAX);
        fatbin::ptx_of_cuda_release((release / 100, release % 100))
    }

    fn strict() -> bool {
        flag("ANTLERITE_STRICT")
    }

    /// The newest PTX version that the compiler is told to take, major × 10 + minor; 0 any.
    pub(crate) fn max_ptx_version(self) -> u32 {
        let isa = self.isa();
        if Self::strict() {
            u32::from(isa.major) * 10 + u32::from(isa.minor)
        } else {
            0
        }
    }

    /// What images are chosen for.
    pub(crate) fn target(self) -> Target {
        Target {
            device: Device {
                cc: Sm::new(self.cc),
                isa: self.isa(),
            },
            policy: Policy {
                force_ptx: flag("CUDA_FORCE_PTX_JIT"),
                disable_ptx: flag("CUDA_DISABLE_PTX_JIT"),
                strict: Self::strict(),
            },
        }
    }

    /// Opens a container.
    pub(crate) fn container(self, bytes: &[u8]) -> Result<Image, LoadError> {
        match jit::inputs::choose(bytes, "fat binary", self.target())? {
            Chosen::Cubin(bytes) => self.cubin(&bytes),
            Chosen::Ptx { text, notice, .. } => {
                if let Some(notice) = notice {
                    tell_once(&notice.to_string());
                }
                self.parsed(&text)
            }
        }
    }

    /// Opens containers before linking (`-rdc=true`) as one program. A function that is not there fails the kernels
    /// that call it, when they are launched: the program was linked, so it can only be one of the driver's.
    pub(crate) fn prelinked<'b>(
        self,
        containers: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<Image, LoadError> {
        let mut inputs = Inputs::new();
        for (index, bytes) in containers.into_iter().enumerate() {
            let name = format!("relocatable code {index}");
            inputs.add_prelinked(&name, bytes, self.target())?;
        }
        for notice in inputs.notices() {
            tell_once(&notice.to_string());
        }
        self.parsed(&inputs.link()?.text)
    }

    /// Opens a cubin: ours is loaded, SASS is refused.
    pub(crate) fn cubin(self, bytes: &[u8]) -> Result<Image, LoadError> {
        if !fatbin::cubin::is_antlerite_cubin(bytes) {
            let text = format!(
                "a cubin with SASS cannot run on this GPU; build with -gencode arch=compute_{0},code=compute_{0}",
                self.cc
            );
            return Err(LoadError::new(CUresult::NO_BINARY_FOR_GPU, text));
        }
        let mut cubin = Cubin::read(bytes)
            .map_err(|error| LoadError::new(CUresult::INVALID_IMAGE, error.to_string()))?;
        let lacking = cubin.isa & !jit::compiler::host_isa();
        let usable = lacking == 0 && cubin.cc <= self.cc;
        match cubin.source.take() {
            Some(text) => {
                let mut image = self.parsed(&text)?;
                if usable && !flag("CUDA_FORCE_PTX_JIT") {
                    image.code = Code::Both {
                        cubin: Box::new(cubin),
                        text: text.into(),
                    };
                }
                Ok(image)
            }
            None if lacking != 0 => {
                let text = format!(
                    "the cubin was compiled for a CPU with {}, which this one lacks",
                    isa_names(lacking)
                );
                Err(LoadError::new(CUresult::NO_BINARY_FOR_GPU, text))
            }
            None if !usable => {
                let text = format!(
                    "the cubin is for compute capability {}.{}, this device has {}.{}",
                    cubin.cc / 10,
                    cubin.cc % 10,
                    self.cc / 10,
                    self.cc % 10
                );
                Err(LoadError::new(CUresult::NO_BINARY_FOR_GPU, text))
            }
            None => Ok(of_cubin(cubin)),
        }
    }

    /// Opens PTX text.
    pub(crate) fn ptx(self, text: &str) -> Result<Image, LoadError> {
        if let Some(header) = fatbin::ptx_header(text) {
            let isa = self.isa();
            if header.version > isa {
                let note = format!(
                    "PTX .version {} is newer than this driver's {isa}",
                    header.version
                );
                if Self::strict() {
                    return Err(LoadError::new(CUresult::UNSUPPORTED_PTX_VERSION, note));
                }
                tell_once(&format!("{note}; a real driver refuses it"));
            }
        }
        let image = self.parsed(text)?;
        match image.unresolved.first() {
            Some(name) => Err(LoadError::new(
                CUresult::INVALID_PTX,
                format!("ptxas fatal   : Unresolved extern function '{name}'\n"),
            )),
            None => Ok(image),
        }
    }

    /// PTX that has been chosen.
    fn parsed(self, text: &str) -> Result<Image, LoadError> {
        let errors = |list: Vec<ptx::Error>| {
            LoadError::new(CUresult::INVALID_PTX, ptx::render_log("ptx input", &list))
        };
        let module = ptx::parse(text).map_err(errors)?;
        let checked = ptx::check(&module, &ptx::Policy::default()).map_err(errors)?;
        let layout = Layout::new(&checked).map_err(|error| {
            LoadError::new(CUresult::INVALID_PTX, format!("ptxas error   : {error}\n"))
        })?;
        let image = of_ptx(text, &checked, &layout);
        if image
            .unresolved
            .iter()
            .any(|name| is_device_side_sync(name))
        {
            return Err(LoadError::new(
                CUresult::UNSUPPORTED_DEVSIDE_SYNC,
                "ptxas error   : cudaDeviceSynchronize cannot be called from device code\n",
            ));
        }
        Ok(image)
    }
}

/// A kernel that waits for those it has launched: not since compute capability 9.0 (CUDA C++ Programming Guide 13.0,
/// "CUDA Dynamic Parallelism").
fn is_device_side_sync(name: &str) -> bool {
    matches!(
        name,
        "cudaDeviceSynchronize" | "__cudaCDP2DeviceSynchronize"
    )
}

/// Names of host instruction sets.
fn isa_names(bits: u32) -> String {
    use abi::sm::isa;
    let names = [
        (isa::SSE4, "SSE4.2"),
        (isa::AVX2, "AVX2"),
        (isa::AVX512, "AVX-512"),
        (isa::AVX512_FP16, "AVX512-FP16"),
        (isa::AVX512_BF16, "AVX512-BF16"),
    ];
    let named = names.iter().filter(|(bit, _)| bits & bit != 0);
    let list: Vec<&str> = named.map(|(_, name)| *name).collect();
    list.join(", ")
}

/// Tells the user something that is worth knowing once.
fn tell_once(text: &str) {
    use std::collections::HashSet;
    use std::sync::Mutex;
    static TOLD: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut told = TOLD
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if told.get_or_insert_default().insert(text.to_owned()) {
        complain(text);
    }
}

fn of_ptx(text: &str, checked: &Checked, layout: &Layout) -> Image {
    let ptx_version = checked.target.sm;
    let kernels = layout.kernels.iter().map(|kernel| {
        let function = &checked.functions[kernel.function.index()];
        let limits = &function.limits;
        let product = |[x, y, z]: [u32; 3]| x.saturating_mul(y.max(1)).saturating_mul(z.max(1));
        let locals = function.body.as_ref().map_or(0, |body| {
            body.locals
                .iter()
                .filter(|v| v.space == StateSpace::Local)
                .map(|v| v.size.next_multiple_of(16))
                .sum()
        });
        Kernel {
            name: kernel.name.clone(),
            params: kernel.params.iter().map(|p| (p.offset, p.size)).collect(),
            param_bytes: kernel.param_bytes,
            shared_bytes: kernel.shared.static_bytes,
            local_bytes: u32::try_from(locals).unwrap_or(u32::MAX),
            max_threads: limits
                .max_ntid
                .or(limits.req_ntid)
                .map_or(1024, product)
                .min(1024),
            limited: limits.max_ntid.or(limits.req_ntid).is_some(),
            required_block: limits.req_ntid.unwrap_or_default(),
            cluster: limits.req_ncta_per_cluster.unwrap_or_default(),
            explicit_cluster: limits.explicit_cluster,
            registers: limits.max_nreg.unwrap_or(REGISTERS).min(255),
            ptx_version,
        }
    });
    let variables = checked.globals.iter().filter(|v| {
        matches!(
            v.space,
            StateSpace::Global | StateSpace::Const | StateSpace::Tex
        )
    });
    let variables = variables.map(|variable| {
        let init = variable.init.clone().unwrap_or_default();
        let relocations = init.relocations.iter().filter_map(|r| {
            let symbol = match r.symbol {
                Symbol::Global(id) => Referent::Variable(checked.globals[id.index()].name.clone()),
                Symbol::Function(id) => {
                    Referent::Token(function_address(ptx::layout::resolve_alias(checked, id)))
                }
                // Initial contents at module scope can name nothing inside a function.
                Symbol::Local(_) | Symbol::Param(_) | Symbol::Return(_) => return None,
            };
            Some(Relocation {
                offset: r.offset,
                size: r.size,
                symbol,
                addend: r.addend,
                mask: r.mask,
            })
        });
        Variable {
            name: variable.name.clone(),
            size: variable.size,
            align: u64::from(variable.align.max(1)),
            relocations: relocations.collect(),
            init: init.bytes,
            managed: variable.managed,
            constant: variable.space == StateSpace::Const,
            external: variable.linkage == Some(ptx::ast::Linkage::Extern),
            given: None,
        }
    });
    let device_runtime = checked
        .functions
        .iter()
        .any(|f| f.body.is_none() && RuntimeFunction::named(&f.name).is_some());
    let launchable = layout.address_taken.iter().filter_map(|&id| {
        let index = layout
            .kernels
            .iter()
            .position(|kernel| kernel.function == id);
        Some((function_address(id), index?))
    });
    let unresolved = layout.kernels.iter().flat_map(|kernel| &kernel.unresolved);
    Image {
        kernels: kernels.collect(),
        variables: variables.collect(),
        unresolved: unresolved
            .map(|id| checked.functions[id.index()].name.clone())
            .collect(),
        launchable: launchable.filter(|_| device_runtime).collect(),
        device_runtime,
        code: Code::Ptx(text.into()),
        // The text has just been read: no kernel's first launch waits for this.
        digest: digest_of(text).into(),
    }
}

fn digest_of(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// Registers of a kernel that is not compiled yet: what a typical kernel of nvcc's takes.
const REGISTERS: u32 = 32;

fn of_cubin(cubin: Cubin) -> Image {
    let kernels = cubin.kernels.iter().map(|kernel| Kernel {
        name: kernel.name.clone(),
        params: kernel.params.iter().map(|p| (p.offset, p.size)).collect(),
        param_bytes: kernel
            .params
            .iter()
            .map(|p| p.offset + p.size)
            .max()
            .unwrap_or(0),
        shared_bytes: kernel.shared_bytes,
        local_bytes: kernel.local_bytes,
        max_threads: kernel.max_threads,
        limited: kernel.max_threads != 1024,
        required_block: kernel.reqntid,
        cluster: kernel.cluster,
        explicit_cluster: kernel.cluster != [0; 3],
        registers: kernel.registers,
        ptx_version: cubin.ptx_version,
    });
    let variables = cubin.globals.iter().map(|global| Variable {
        name: global.name.clone(),
        size: global.size,
        align: u64::from(global.align.max(1)),
        init: global.init.clone(),
        relocations: global
            .relocs
            .iter()
            .map(|r| Relocation {
                offset: u64::from(r.offset),
                size: 8,
                symbol: Referent::Variable(r.symbol.clone()),
                addend: r.addend,
                mask: None,
            })
            .collect(),
        managed: global.managed,
        constant: global.space == fatbin::cubin::Space::Const,
        external: global.external,
        given: None,
    });
    Image {
        kernels: kernels.collect(),
        variables: variables.collect(),
        unresolved: Vec::new(),
        device_runtime: false,
        launchable: Vec::new(),
        code: Code::Cubin(Box::new(cubin)),
        digest: OnceLock::new(),
    }
}

impl Image {
    /// Hash of the text that the image's code is made from.
    pub(crate) fn digest(&self, text: &str) -> [u8; 32] {
        *self.digest.get_or_init(|| digest_of(text))
    }

    /// Applies the caller's options.
    pub(crate) fn apply(&mut self, overrides: Overrides) {
        for kernel in &mut self.kernels {
            if overrides.max_registers > 0 {
                kernel.registers = kernel.registers.min(overrides.max_registers);
            }
            let free = !kernel.limited || overrides.over_directives;
            if overrides.max_threads > 0 && free && kernel.required_block == [0; 3] {
                kernel.max_threads = overrides.max_threads.min(1024);
            }
        }
    }

    /// Gives addresses to variables that are declared and not defined.
    ///
    /// # Errors
    /// 1 for names that are none of these, and for a name given twice (CUDA Driver API 13.0, CUjit_option).
    pub(crate) fn place(&mut self, symbols: &[(String, u64)]) -> Result<(), LoadError> {
        for (name, address) in symbols {
            let open = |v: &&mut Variable| v.name == *name && v.external && v.given.is_none();
            let Some(variable) = self.variables.iter_mut().find(open) else {
                return Err(LoadError::new(
                    CUresult::INVALID_VALUE,
                    format!("error   : '{name}' is no unresolved variable\n"),
                ));
            };
            variable.given = Some(*address);
        }
        Ok(())
    }

    /// What `ptxas -v` would say of it.
    pub(crate) fn verbose(&self, cc: u32) -> String {
        let kernels = self.kernels.iter().map(|kernel| jit::report::KernelUse {
            name: &kernel.name,
            registers: kernel.registers,
            shared_bytes: kernel.shared_bytes,
            local_bytes: kernel.local_bytes,
            param_bytes: kernel.param_bytes,
        });
        let globals = self.variables.iter().filter(|v| !v.constant && !v.external);
        jit::report::verbose(cc, globals.map(|v| v.size).sum(), kernels)
    }

    /// The kernel of that name.
    pub(crate) fn kernel(&self, name: &str) -> Option<usize> {
        self.kernels.iter().position(|k| k.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_have_their_isa() {
        let isa = |cuda_version| {
            Chooser {
                cc: 90,
                cuda_version,
            }
            .isa()
        };
        assert_eq!(isa(13_000), IsaVersion::new(9, 0));
        assert_eq!(isa(12_020), IsaVersion::new(8, 2));
        assert_eq!(isa(12_090), IsaVersion::new(8, 8));
        assert_eq!(isa(11_080), IsaVersion::new(7, 8));
    }

    #[test]
    fn modules_are_laid_out_without_a_compiler() {
        let text = ".version 8.0\n.target sm_90\n.address_size 64\n\
            .global .align 8 .u64 p = q;\n.global .align 4 .u32 q[4] = {1, 2};\n.const .f32 c = 0f3F800000;\n\
            .visible .entry k(.param .u64 a, .param .u32 b) .maxntid 64, 2, 1 {\n .shared .b8 s[100];\n .reg .b64 %rd<2>;\n\
            mov.u64 %rd1, s;\n ret;\n}\n";
        let image = Chooser {
            cc: 90,
            cuda_version: 13_000,
        }
        .ptx(text)
        .expect("good PTX");
        let kernel = &image.kernels[image.kernel("k").expect("there")];
        assert_eq!(kernel.params, [(0, 8), (8, 4)]);
        assert_eq!(
            (kernel.param_bytes, kernel.shared_bytes, kernel.max_threads),
            (12, 100, 128)
        );
        assert_eq!(image.variables.len(), 3);
        assert!(
            matches!(&image.variables[0].relocations[0].symbol, Referent::Variable(name) if name == "q")
        );
        assert!(image.variables[2].constant);
    }

    #[test]
    fn kernels_cannot_wait_for_what_they_launch() {
        let error = Chooser {
            cc: 90,
            cuda_version: 13_000,
        }
        .ptx(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .extern .func (.param .b32 r) cudaDeviceSynchronize();\n\
             .visible .entry k() {\n .reg .b32 %r;\n call (%r), cudaDeviceSynchronize, ();\n ret;\n}\n",
        )
        .expect_err("not on this device");
        assert_eq!(error.code, CUresult::UNSUPPORTED_DEVSIDE_SYNC);
    }

    #[test]
    fn bad_ptx_gives_218_with_a_log() {
        let error = Chooser { cc: 90, cuda_version: 13_000 }
            .ptx(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n frobnicate.u32 1;\n}\n")
            .expect_err("no such instruction");
        assert_eq!(error.code, CUresult::INVALID_PTX);
        assert!(error.log.contains("line 5"), "{}", error.log);
    }
}
