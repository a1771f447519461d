//! The C boundary of `libnvidia-ptxjitcompiler.so.1`, which `libcuda.so.1` loads only when a kernel is not in the cache.
//!
//! Exports: [`COMPILE_SYMBOL`] of type [`CompileFn`], [`RELEASE_SYMBOL`] of type [`ReleaseFn`], [`VERSION_SYMBOL`] of
//! type [`VersionFn`]. They never unwind and may be called from several threads at once.

/// Version of this boundary.
pub const JIT_ABI: u32 = 1;
/// Name of the compile function.
pub const COMPILE_SYMBOL: &str = "antlerite_jit_compile";
/// Name of the function that frees a response's buffers.
pub const RELEASE_SYMBOL: &str = "antlerite_jit_release";
/// Name of the function that returns a NUL-terminated text naming the compiler's version (a part of the cache key).
pub const VERSION_SYMBOL: &str = "antlerite_jit_version";

/// `extern "C" fn(request, response) -> status`.
pub type CompileFn = unsafe extern "C" fn(*const Request, *mut Response) -> u32;
/// `extern "C" fn(response)`.
pub type ReleaseFn = unsafe extern "C" fn(*mut Response);
/// `extern "C" fn() -> text`.
pub type VersionFn = unsafe extern "C" fn() -> *const core::ffi::c_char;

/// Outcome of a compilation; the JIT log in [`Response`] says more.
pub mod status {
    /// The response holds a cubin.
    pub const OK: u32 = 0;
    /// The PTX is wrong: CUDA 218.
    pub const INVALID_PTX: u32 = 1;
    /// The PTX uses a form that is not supported; the log names it: CUDA 218 with the log, counted.
    pub const UNSUPPORTED: u32 = 2;
    /// The PTX version is newer than allowed: CUDA 222.
    pub const VERSION: u32 = 3;
    /// No kernel of that name: CUDA 500.
    pub const NOT_FOUND: u32 = 4;
    /// A fault of the compiler itself: CUDA 999, with a log.
    pub const INTERNAL: u32 = 5;
}

/// What to compile. Pointers are valid for the call; texts need no NUL.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Request {
    /// [`JIT_ABI`].
    pub abi: u32,
    /// Bits of [`crate::sm::isa`] that the host offers and the code may use.
    pub isa: u32,
    /// PTX text.
    pub ptx: *const u8,
    /// Bytes of PTX text.
    pub ptx_bytes: usize,
    /// Kernel to compile; null = all.
    pub kernel: *const u8,
    /// Bytes of the kernel's name.
    pub kernel_bytes: usize,
    /// Block dimensions to specialise for; 0 = any.
    pub block: [u32; 3],
    /// 0 to 4 as `CU_JIT_OPTIMIZATION_LEVEL`; 4 is the default.
    pub opt_level: u32,
    /// Compute capability of the device, major × 10 + minor.
    pub cc: u32,
    /// Bits of [`request_flags`].
    pub flags: u32,
    /// Newest PTX ISA version accepted, major × 10 + minor; 0 = any that is known.
    pub max_ptx_version: u32,
    /// Zero.
    pub reserved: u32,
}

/// Bits of [`Request::flags`].
pub mod request_flags {
    /// Keep source lines.
    pub const LINE_INFO: u32 = 1;
    /// Compile for debugging.
    pub const DEBUG: u32 = 2;
    /// Do not use variants whose results depend on scheduling.
    pub const DETERMINISTIC: u32 = 4;
    /// Compile every kernel with one fiber per warp (the general form).
    pub const FORCE_WARP_ENTRY: u32 = 8;
    /// Code for the first launches, which is made in little time: a tenth of what good code takes, and it runs many
    /// times slower.
    pub const FAST: u32 = 16;
    /// The same, for kernels that take long to compile well ([`crate::sm::flags::FAST`] tells): good code otherwise.
    pub const FAST_IF_DEAR: u32 = 32;
    /// The same as [`FAST_IF_DEAR`], for launches whose blocks all start at once, so that no better code could take over: a
    /// kernel with a loop is made well unless that takes very long.
    pub const FAST_IF_VERY_DEAR: u32 = 128;
    /// Vectors of 8 lanes wherever that is possible, whether or not it pays (tests).
    pub const NARROW: u32 = 64;
}

/// What came of it. Buffers belong to the compiler until [`ReleaseFn`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Response {
    /// Cubin (ELF, `fatbin::cubin`), null on failure.
    pub cubin: *mut u8,
    /// Bytes of the cubin.
    pub cubin_bytes: usize,
    /// Error log in ptxas's shape, then notices; UTF-8, no NUL; may be null.
    pub log: *mut u8,
    /// Bytes of the log.
    pub log_bytes: usize,
    /// CPU nanoseconds spent: parse, front end, LLVM passes, code generation.
    pub times: [u64; 4],
}
