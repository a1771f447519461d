//! The driver: PTX text → checked module → IR → LLVM → images → cubin.

use crate::clock::thread_cpu;
use crate::image::{self, LinkError, LinkInput};
use crate::llvm::kernel::{GenerateError, Options, Tier, generate};
use crate::llvm::target::Level;
use crate::lower::{LowerError, lower};
use abi::jit::{request_flags, status};
use abi::sm;
use fatbin::cubin::{self, Cubin, Global, Kernel, Reloc};
use ptx::ast::Linkage;
use ptx::checked::{Checked, Symbol};
use ptx::layout::{Layout, function_address};
use ptx::types::StateSpace;
use std::sync::{Arc, Mutex, PoisonError};

/// What to compile, and for what.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// PTX text.
    pub ptx: &'a str,
    /// Bits of [`sm::isa`] that code may use.
    pub isa: u32,
    /// Kernel; `None` = all.
    pub kernel: Option<&'a str>,
    /// Block dimensions to specialise for; 0 = any.
    pub block: [u32; 3],
    /// 0 to 4.
    pub opt_level: u32,
    /// Compute capability, major × 10 + minor.
    pub cc: u32,
    /// Bits of [`request_flags`].
    pub flags: u32,
    /// Newest PTX ISA version accepted, major × 10 + minor; 0 = any.
    pub max_ptx_version: u32,
}

/// A compilation's result.
#[derive(Clone, Debug)]
pub struct Output {
    /// Kernels and variables.
    pub cubin: Cubin,
    /// Notices.
    pub log: String,
    /// Nanoseconds: parsing and checks, front end, LLVM passes (with generation), code generation.
    pub times: [u64; 4],
}

/// Why nothing was compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The text is wrong; the log as ptxas writes it.
    #[error("{log}")]
    Invalid {
        /// The log.
        log: String,
        /// The version is newer than allowed.
        version: bool,
    },
    /// A form that is not supported.
    #[error("{0}")]
    Unsupported(String),
    /// No kernel of that name.
    #[error("no kernel '{0}'")]
    NotFound(String),
    /// A fault of the compiler.
    #[error("internal error: {0}")]
    Internal(String),
}

impl CompileError {
    /// The code of the C boundary: [`status`].
    #[must_use]
    pub const fn status(&self) -> u32 {
        match self {
            Self::Invalid { version: true, .. } => status::VERSION,
            Self::Invalid { version: false, .. } => status::INVALID_PTX,
            Self::Unsupported(_) => status::UNSUPPORTED,
            Self::NotFound(_) => status::NOT_FOUND,
            Self::Internal(_) => status::INTERNAL,
        }
    }
}

impl From<LowerError> for CompileError {
    fn from(error: LowerError) -> Self {
        match error {
            LowerError::NoKernel(name) => Self::NotFound(name),
            LowerError::Unresolved { .. } | LowerError::LocalTooLarge { .. } => Self::Invalid {
                log: format!("ptxas error   : {error}\n"),
                version: false,
            },
            LowerError::Unsupported { .. } | LowerError::AddressSize(_) => {
                Self::Unsupported(error.to_string())
            }
        }
    }
}

impl From<GenerateError> for CompileError {
    fn from(error: GenerateError) -> Self {
        match error {
            GenerateError::Unsupported(what) => Self::Unsupported(what.to_string()),
            GenerateError::Llvm(_) | GenerateError::NoKernel => Self::Internal(error.to_string()),
        }
    }
}

impl From<LinkError> for CompileError {
    fn from(error: LinkError) -> Self {
        Self::Internal(error.to_string())
    }
}

/// CPU nanoseconds since.
fn ns(from: u64) -> u64 {
    thread_cpu().saturating_sub(from)
}

/// A module that was read and checked: what kernels are compiled from, one by one.
pub struct Front {
    /// The module.
    pub checked: Checked,
    /// Its kernels and where their variables lie.
    pub layout: Layout,
}

impl Front {
    /// Reads and checks.
    ///
    /// # Errors
    /// [`CompileError::Invalid`]
    pub fn new(ptx: &str, max_ptx_version: u32) -> Result<Self, CompileError> {
        read(ptx, max_ptx_version)
    }

    /// The IR of a kernel, optimised.
    ///
    /// # Errors
    /// What the kernel needs is missing or not supported.
    pub fn lower(&self, name: &str) -> Result<crate::ir::Module, CompileError> {
        let mut module = lower(&self.checked, &self.layout, name)?;
        crate::passes::optimise(&mut module);
        Ok(module)
    }

    /// The kernel `name` as the request wants it (but for its text and kernel, which are not looked at). Nanoseconds
    /// are added to `times`, which [`Output::times`] describes.
    ///
    /// # Errors
    /// [`CompileError`]
    pub fn kernel(
        &self,
        request: &Request<'_>,
        name: &str,
        times: &mut [u64; 4],
    ) -> Result<Kernel, CompileError> {
        kernel(request, host_level(request)?, self, name, times)
    }
}

fn host_level(request: &Request<'_>) -> Result<Level, CompileError> {
    Level::of_host(request.isa)
        .ok_or_else(|| CompileError::Unsupported("a host without SSE4.2".to_owned()))
}

fn read(ptx: &str, max_ptx_version: u32) -> Result<Front, CompileError> {
    let invalid = |errors: &[ptx::Error]| CompileError::Invalid {
        log: ptx::render_log("ptx input", errors),
        version: errors
            .iter()
            .any(|e| matches!(e.kind, ptx::ErrorKind::UnsupportedVersion { .. })),
    };
    let module = ptx::parse(ptx).map_err(|e| invalid(&e))?;
    let newest = (max_ptx_version > 0).then_some(ptx::Newest {
        version: (max_ptx_version / 10, max_ptx_version % 10),
        sm: u32::MAX,
    });
    let policy = ptx::Policy {
        newest,
        ..ptx::Policy::default()
    };
    let checked = ptx::check(&module, &policy).map_err(|e| invalid(&e))?;
    let layout = Layout::new(&checked).map_err(|e| CompileError::Invalid {
        log: format!("ptxas error   : {e}\n"),
        version: false,
    })?;
    Ok(Front { checked, layout })
}

/// Compiles.
///
/// # Errors
/// [`CompileError`]
pub fn compile(request: &Request<'_>) -> Result<Output, CompileError> {
    let start = thread_cpu();
    let front = kept(request)?;
    let Front { checked, layout } = &*front;
    let level = host_level(request)?;
    let mut times = [ns(start), 0, 0, 0];
    let mut cubin = Cubin {
        isa: level.isa(),
        cc: request.cc,
        ptx_version: checked.target.sm,
        driver: env!("CARGO_PKG_VERSION").to_owned(),
        kernels: Vec::new(),
        globals: globals(checked)?,
        source: None,
    };
    let names: Vec<&str> = match request.kernel {
        Some(name) => vec![name],
        None => layout.kernels.iter().map(|k| k.name.as_str()).collect(),
    };
    for name in names {
        cubin
            .kernels
            .push(kernel(request, level, &front, name, &mut times)?);
    }
    if std::env::var_os("ANTLERITE_TIME").is_some() {
        let [a, b, c, d] = times.map(|t| t as f64 / 1e6);
        eprintln!(
            "antlerite: compile: parse {a:.2} ms, front end {b:.2} ms, passes {c:.2} ms, code {d:.2} ms"
        );
    }
    Ok(Output {
        cubin,
        log: String::new(),
        times,
    })
}

/// Longest text whose module is kept for the next kernel of it, bytes.
const KEPT: usize = 4 << 20;

/// Reads and checks a text. The last one is kept: kernels of a module are compiled one at a time.
fn kept(request: &Request<'_>) -> Result<Arc<Front>, CompileError> {
    type Key = ([u8; 32], u32);
    static LAST: Mutex<Option<(Key, Arc<Front>)>> = Mutex::new(None);
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (
        *blake3::hash(request.ptx.as_bytes()).as_bytes(),
        request.max_ptx_version,
    );
    if let Some((_, front)) = last().as_ref().filter(|(known, _)| *known == key) {
        return Ok(front.clone());
    }
    let front = Arc::new(Front::new(request.ptx, request.max_ptx_version)?);
    *last() = (request.ptx.len() <= KEPT).then(|| (key, front.clone()));
    Ok(front)
}

/// Instructions of our own form that a kernel may have with the functions that it calls. The code generator needs about
/// 20 kB for each where they are dear, so that no kernel takes more than 4 GiB or so.
pub const MOST_INSTRUCTIONS: usize = 200_000;

/// Refuses what would take more memory than a process can be asked for.
fn check_size(module: &crate::ir::Module, name: &str) -> Result<(), CompileError> {
    let blocks = module.functions.values().flat_map(|f| f.blocks.values());
    let count: usize = blocks.map(|b| b.insts.len()).sum();
    if count > MOST_INSTRUCTIONS {
        return Err(CompileError::Unsupported(format!(
            "kernel '{name}' has {count} instructions; at most {MOST_INSTRUCTIONS} are compiled"
        )));
    }
    Ok(())
}

fn dump_wants(what: &str) -> bool {
    std::env::var("ANTLERITE_DUMP").is_ok_and(|v| v.split(',').any(|w| w == what))
}

fn kernel(
    request: &Request<'_>,
    level: Level,
    front: &Front,
    name: &str,
    times: &mut [u64; 4],
) -> Result<Kernel, CompileError> {
    let start = thread_cpu();
    let mut module = front.lower(name)?;
    check_size(&module, name)?;
    let required = module.info.req_ntid;
    let block = required.unwrap_or(request.block);
    let rows_alike = block[1..].iter().product::<u32>() > 1 && crate::passes::alike::rows(&module);
    // What is generated is a block of one row.
    let shape = if rows_alike { [block[0], 1, 1] } else { block };
    module.info.req_ntid = required.map(|_| shape);
    let Front { checked, layout } = front;
    let options = Options {
        level,
        block: shape,
        opt_level: if request.flags & request_flags::DEBUG != 0 {
            0
        } else {
            request.opt_level
        },
        force_warp: request.flags & request_flags::FORCE_WARP_ENTRY != 0,
        narrow: request.flags & request_flags::NARROW != 0,
        tier: if request.flags & request_flags::FAST != 0 {
            Tier::Fast
        } else if request.flags & request_flags::FAST_IF_DEAR != 0 {
            Tier::FastIfDear
        } else if request.flags & request_flags::FAST_IF_VERY_DEAR != 0 {
            Tier::FastIfVeryDear
        } else {
            Tier::Good
        },
    };
    times[1] += ns(start);
    let (dump_ir, dump_asm) = (dump_wants("llvm"), dump_wants("asm"));
    let generated = generate(&module, &options, dump_ir || dump_asm)?;
    if let (true, Some(ir)) = (dump_ir, &generated.ir) {
        eprintln!("{ir}");
    }
    if let (true, Some(assembly)) = (dump_asm, &generated.assembly) {
        eprintln!("{assembly}");
    }
    times[2] += generated.times[0] + generated.times[1];
    times[3] += generated.times[2];
    let info = &module.info;
    let function = module
        .kernel
        .map(|id| &module.functions[id])
        .ok_or(GenerateError::NoKernel)?;
    let limit = |d: [u32; 3]| d.iter().product::<u32>();
    let max_threads = info.max_ntid.map_or(1024, limit);
    let local_bytes = generated.local_bytes;
    let block = if block.contains(&0) { [0; 3] } else { block };
    let header = sm::EntryHeader {
        magic: sm::IMAGE_MAGIC,
        abi: sm::CODE_ABI,
        isa: level.isa(),
        kind: generated.kind,
        shared_bytes: info.shared_bytes,
        local_bytes,
        stack_bytes: generated.stack_bytes,
        param_bytes: info.param_bytes,
        param_offset: sm::param_offset(request.cc),
        block,
        max_threads,
        flags: generated.flags
            | (u32::from(rows_alike) * sm::flags::ROWS_ALIKE)
            | (u32::from(info.reserved_shared) * sm::flags::RESERVED_SHARED),
        ..sm::EntryHeader::default()
    };
    let (image, relocs) = image::link(
        &generated.objects,
        &LinkInput {
            header,
            name,
            slots: &generated.slots,
            places: &generated.places,
            files: &module.files,
        },
    )?;
    let shape = layout
        .kernel(name)
        .ok_or_else(|| CompileError::NotFound(name.to_owned()))?;
    let limits = &checked.functions[shape.function.index()].limits;
    Ok(Kernel {
        name: name.to_owned(),
        image,
        relocs,
        params: shape
            .params
            .iter()
            .map(|p| cubin::Param {
                offset: p.offset,
                size: p.size,
                align: p.align,
            })
            .collect(),
        shared_bytes: info.shared_bytes,
        local_bytes,
        max_threads,
        reqntid: required.unwrap_or([0; 3]),
        registers: registers(function.values.len(), info.max_ntid.map(|_| max_threads)),
        const_bytes: 0,
        block,
        cluster: limits.req_ncta_per_cluster.unwrap_or([
            limits.max_cluster_rank.unwrap_or(0),
            0,
            0,
        ]),
    })
}

/// A plausible number of registers: what a kernel of this size uses on a device, a multiple of 2 from 8 to 254, and so few
/// that a block of the size that the kernel promises fits an SM's 65536.
fn registers(values: usize, threads: Option<u32>) -> u32 {
    let warps = threads.unwrap_or(1).div_ceil(32).max(1);
    // Registers are given to a warp in units of 256, 8 a lane; warps in fours.
    let fit = (65536 / (warps.next_multiple_of(4) * 32)) & !7;
    u32::try_from(values / 8)
        .unwrap_or(u32::MAX)
        .clamp(8, fit.clamp(8, 254))
        & !1
}

/// The module's variables as a loader needs them.
///
/// # Errors
/// Initialisers that hold addresses of a form that cannot be loaded.
pub fn globals(checked: &Checked) -> Result<Vec<Global>, CompileError> {
    let mut out = Vec::new();
    for variable in &checked.globals {
        let space = match variable.space {
            StateSpace::Global => cubin::Space::Global,
            StateSpace::Const => cubin::Space::Const,
            _ => continue,
        };
        let mut init = variable
            .init
            .as_ref()
            .map(|i| i.bytes.clone())
            .unwrap_or_default();
        let mut relocs = Vec::new();
        for relocation in variable.init.iter().flat_map(|i| &i.relocations) {
            let at = usize::try_from(relocation.offset).unwrap_or(usize::MAX);
            let end = at.saturating_add(8);
            if relocation.size != 8 || relocation.mask.is_some() {
                return Err(CompileError::Unsupported(format!(
                    "an address of {} bytes in the initialiser of '{}'",
                    relocation.size, variable.name
                )));
            }
            if init.len() < end && end as u64 <= variable.size {
                init.resize(end, 0);
            }
            let Some(field) = init.get_mut(at..end) else {
                return Err(CompileError::Internal(format!(
                    "initialiser of '{}'",
                    variable.name
                )));
            };
            match relocation.symbol {
                Symbol::Function(id) => {
                    let address = function_address(id).wrapping_add_signed(relocation.addend);
                    field.copy_from_slice(&address.to_le_bytes());
                }
                Symbol::Global(id) => {
                    field.fill(0);
                    relocs.push(Reloc {
                        offset: u32::try_from(at)
                            .map_err(|_| CompileError::Internal("initialiser".to_owned()))?,
                        symbol: checked.globals[id.index()].name.clone(),
                        addend: relocation.addend,
                    });
                }
                Symbol::Local(_) | Symbol::Param(_) | Symbol::Return(_) => {
                    return Err(CompileError::Internal(format!(
                        "initialiser of '{}'",
                        variable.name
                    )));
                }
            }
        }
        out.push(Global {
            name: variable.name.clone(),
            space,
            size: variable.size,
            align: variable.align,
            init,
            relocs,
            managed: variable.managed,
            external: variable.linkage == Some(Linkage::Extern),
        });
    }
    Ok(out)
}
