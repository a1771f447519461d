//! The compiler, `libnvidia-ptxjitcompiler.so.1`: loaded at the first call.

use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;

use abi::jit::{self, CompileFn, ReleaseFn, Request, Response};
use abi::sm::isa;
use thiserror::Error as ThisError;

/// File name of the compiler.
const FILE: &str = "libnvidia-ptxjitcompiler.so.1";

/// The loaded compiler.
struct Compiler {
    compile: CompileFn,
    release: ReleaseFn,
}

/// What to compile.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// PTX text.
    pub ptx: &'a str,
    /// Kernel; all where `None`.
    pub kernel: Option<&'a str>,
    /// Block to specialise for; zeros for any.
    pub block: [u32; 3],
    /// Options of the caller.
    pub options: Options,
    /// Compute capability, major × 10 + minor.
    pub cc: u32,
    /// Newest PTX version taken, 0 any.
    pub max_ptx_version: u32,
    /// Host instruction sets.
    pub isa: u32,
}

/// Compiler options of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// 0 to 4.
    pub opt_level: u32,
    /// Bits of `abi::jit::request_flags`.
    pub flags: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            opt_level: 4,
            flags: 0,
        }
    }
}

/// Why nothing was compiled.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[error("{log}")]
pub struct CompileError {
    /// What kind of failure.
    pub failure: Failure,
    /// What a log should say.
    pub log: String,
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no compiler library: CUDA 221.
    NoCompiler,
    /// The PTX is wrong, or uses a form that is not supported: CUDA 218.
    InvalidPtx,
    /// The PTX version is newer than allowed: CUDA 222.
    Version,
    /// No kernel of that name: CUDA 500.
    NoKernel,
    /// A fault of the compiler itself: CUDA 999.
    Internal,
}

/// What came of it.
#[derive(Debug)]
pub struct Compiled {
    /// Cubin.
    pub cubin: Vec<u8>,
    /// Notices.
    pub log: String,
}

fn compiler() -> Result<&'static Compiler, CompileError> {
    static COMPILER: OnceLock<Result<Compiler, String>> = OnceLock::new();
    COMPILER
        .get_or_init(load)
        .as_ref()
        .map_err(|why| CompileError {
            failure: Failure::NoCompiler,
            log: format!("{FILE}: {why}\n"),
        })
}

/// Where the compiler lies from the directory of whoever asks: beside a library, or two levels up and into `lib` from
/// the tools in `toolkit/bin`.
const PLACES: [&str; 3] = [".", "../lib", "../../lib"];

/// The compiler near this code's file, else wherever the loader finds it. `ANTLERITE_PTXJIT` names another file.
fn path() -> String {
    let named = std::env::var("ANTLERITE_PTXJIT")
        .ok()
        .filter(|path| !path.is_empty());
    let near = || {
        let directory = own_directory()?;
        PLACES
            .iter()
            .map(|place| format!("{directory}/{place}/{FILE}"))
            .find(|path| std::path::Path::new(path).exists())
    };
    named.or_else(near).unwrap_or_else(|| FILE.to_owned())
}

fn load() -> Result<Compiler, String> {
    let path = CString::new(path()).map_err(|e| e.to_string())?;
    // SAFETY: loading a library runs its constructors; this one is ours and has none.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Err(loader_error());
    }
    let symbol = |name: &str| -> Result<*mut c_void, String> {
        let name = CString::new(name).map_err(|e| e.to_string())?;
        // SAFETY: a live library handle and a C string.
        let found = unsafe { libc::dlsym(library, name.as_ptr()) };
        if found.is_null() {
            Err(loader_error())
        } else {
            Ok(found)
        }
    };
    // SAFETY: the contract of `abi::jit` gives these symbols these types.
    let (compile, release) = unsafe {
        (
            std::mem::transmute::<*mut c_void, CompileFn>(symbol(jit::COMPILE_SYMBOL)?),
            std::mem::transmute::<*mut c_void, ReleaseFn>(symbol(jit::RELEASE_SYMBOL)?),
        )
    };
    Ok(Compiler { compile, release })
}

fn loader_error() -> String {
    // SAFETY: the text lives until the thread's next call of the loader.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error".to_owned();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Directory of the file that holds this code.
fn own_directory() -> Option<String> {
    // SAFETY: zero is a valid value of this plain struct.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: an address of this library, and a place for the answer.
    let found = unsafe { libc::dladdr(own_directory as *const c_void, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own C string.
    let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_str().ok()?;
    let path = if path.contains('/') {
        std::fs::canonicalize(path)
    } else {
        // A program found on PATH, which the loader knows by its bare name.
        std::env::current_exe()
    };
    let path = path.ok()?;
    Some(path.parent()?.to_str()?.to_owned())
}

/// What tells one build of the compiler from another, without loading it: size and time of its file. A part of the
/// cache's keys.
#[must_use]
pub fn identity() -> String {
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY
        .get_or_init(|| {
            let Ok(meta) = std::fs::metadata(path()) else {
                return String::new();
            };
            let time = meta
                .modified()
                .ok()
                .and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
            format!("{}-{}", meta.len(), time.map_or(0, |t| t.as_nanos()))
        })
        .clone()
}

/// Compiles one kernel, or all.
///
/// # Errors
/// [`CompileError`]
pub fn compile(job: &Job<'_>) -> Result<Compiled, CompileError> {
    let compiler = compiler()?;
    let request = Request {
        abi: jit::JIT_ABI,
        isa: job.isa,
        ptx: job.ptx.as_ptr(),
        ptx_bytes: job.ptx.len(),
        kernel: job.kernel.map_or(std::ptr::null(), str::as_ptr),
        kernel_bytes: job.kernel.map_or(0, str::len),
        block: job.block,
        opt_level: job.options.opt_level,
        cc: job.cc,
        flags: job.options.flags,
        max_ptx_version: job.max_ptx_version,
        reserved: 0,
    };
    let mut response = Response {
        cubin: std::ptr::null_mut(),
        cubin_bytes: 0,
        log: std::ptr::null_mut(),
        log_bytes: 0,
        times: [0; 4],
    };
    // SAFETY: a request whose pointers live for the call, and a place for the response.
    let status = unsafe { (compiler.compile)(&raw const request, &raw mut response) };
    let copy = |data: *mut u8, len: usize| {
        if data.is_null() || len == 0 {
            return Vec::new();
        }
        // SAFETY: the compiler's buffer of that length, until it is released.
        unsafe { std::slice::from_raw_parts(data, len) }.to_vec()
    };
    let cubin = copy(response.cubin, response.cubin_bytes);
    let log = String::from_utf8_lossy(&copy(response.log, response.log_bytes)).into_owned();
    // SAFETY: the response that the compiler filled, once.
    unsafe { (compiler.release)(&raw mut response) };
    let failure = match status {
        jit::status::OK => return Ok(Compiled { cubin, log }),
        jit::status::INVALID_PTX | jit::status::UNSUPPORTED => Failure::InvalidPtx,
        jit::status::VERSION => Failure::Version,
        jit::status::NOT_FOUND => Failure::NoKernel,
        _ => Failure::Internal,
    };
    Err(CompileError { failure, log })
}

/// Host instruction sets to compile for: the host's best, or what `ANTLERITE_ISA` says.
#[must_use]
pub fn host_isa() -> u32 {
    static ISA: OnceLock<u32> = OnceLock::new();
    *ISA.get_or_init(|| {
        let all = isa::of_host();
        let limit = match std::env::var("ANTLERITE_ISA").as_deref() {
            Ok("sse4") => isa::SSE4,
            Ok("avx2") => isa::SSE4 | isa::AVX2,
            Ok("avx512") => isa::SSE4 | isa::AVX2 | isa::AVX512,
            Ok(_) | Err(_) => u32::MAX,
        };
        all & limit
    })
}
