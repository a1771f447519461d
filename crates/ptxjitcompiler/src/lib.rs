//! `libnvidia-ptxjitcompiler.so.1`: the compiler behind the C boundary of [`abi::jit`].
//!
//! The only exports are the three functions of the boundary and [`keep_until_exit`]. They catch panics and never unwind; LLVM's symbols stay hidden
//! (a `cdylib` exports Rust's own `#[no_mangle]` items only).

use abi::jit::{JIT_ABI, Request, Response, status};
use ptxjit::compile::{self, CompileError, compile};
use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Version of the compiler, a part of cache keys: changes with anything that changes code.
const VERSION: &std::ffi::CStr = c"antlerite 0.1.0 LLVM 19.1 code 1";

/// What LLVM's code gets for `__cxa_atexit` (by `--wrap` of the linker): nothing is destroyed at the end of the process. Threads
/// may compile until the very end, whoever comes first in it, and the library is never unloaded before.
#[unsafe(export_name = "__wrap___cxa_atexit")]
pub extern "C" fn keep_until_exit(
    _destructor: *const c_void,
    _object: *const c_void,
    _library: *const c_void,
) -> c_int {
    0
}

/// Bytes as a buffer that [`antlerite_jit_release`] takes back. Empty: null.
fn give(bytes: Vec<u8>) -> (*mut u8, usize) {
    if bytes.is_empty() {
        return (std::ptr::null_mut(), 0);
    }
    let len = bytes.len();
    (Box::into_raw(bytes.into_boxed_slice()).cast(), len)
}

/// # Safety
/// `data` is null or points at `bytes` bytes that stay unchanged while the result lives.
unsafe fn slice<'a>(data: *const u8, bytes: usize) -> &'a [u8] {
    if data.is_null() || bytes == 0 {
        return &[];
    }
    // SAFETY: the caller's contract.
    unsafe { std::slice::from_raw_parts(data, bytes) }
}

struct Outcome {
    status: u32,
    cubin: Vec<u8>,
    log: String,
    times: [u64; 4],
}

fn failed(status: u32, log: impl Into<String>) -> Outcome {
    Outcome {
        status,
        cubin: Vec::new(),
        log: log.into(),
        times: [0; 4],
    }
}

fn run(ptx: &[u8], kernel: Option<&[u8]>, request: &Request) -> Outcome {
    if request.abi != JIT_ABI {
        return failed(
            status::INTERNAL,
            format!("boundary version {}, expected {JIT_ABI}", request.abi),
        );
    }
    let text = |bytes| std::str::from_utf8(bytes).map_err(|e| e.to_string());
    // PTX from fat binaries ends in NUL bytes.
    let end = ptx.iter().position(|&b| b == 0).unwrap_or(ptx.len());
    let ptx = match text(&ptx[..end]) {
        Ok(ptx) => ptx,
        Err(error) => return failed(status::INVALID_PTX, format!("ptxas fatal   : {error}\n")),
    };
    let kernel = match kernel.map(text).transpose() {
        Ok(kernel) => kernel,
        Err(error) => return failed(status::NOT_FOUND, error),
    };
    let inner = compile::Request {
        ptx,
        isa: request.isa,
        kernel,
        block: request.block,
        opt_level: request.opt_level,
        cc: request.cc,
        flags: request.flags,
        max_ptx_version: request.max_ptx_version,
    };
    match compile(&inner) {
        Ok(out) => match out.cubin.write() {
            Ok(cubin) => Outcome {
                status: status::OK,
                cubin,
                log: out.log,
                times: out.times,
            },
            Err(error) => failed(status::INTERNAL, error.to_string()),
        },
        Err(error) => {
            let log = match &error {
                CompileError::Invalid { log, .. } => log.clone(),
                CompileError::Unsupported(what) => format!("ptxas error   : {what}\n"),
                CompileError::NotFound(_) | CompileError::Internal(_) => format!("{error}\n"),
            };
            failed(error.status(), log)
        }
    }
}

/// Compiles; see [`abi::jit::CompileFn`].
///
/// # Safety
/// `request` and what it points to is readable, `response` writable, for the whole call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn antlerite_jit_compile(
    request: *const Request,
    response: *mut Response,
) -> u32 {
    if request.is_null() || response.is_null() {
        return status::INTERNAL;
    }
    // SAFETY: the caller's contract.
    let request = unsafe { &*request };
    // SAFETY: the caller's contract.
    let ptx = unsafe { slice(request.ptx, request.ptx_bytes) };
    let kernel = if request.kernel.is_null() {
        None
    } else {
        // SAFETY: the caller's contract.
        Some(unsafe { slice(request.kernel, request.kernel_bytes) })
    };
    let outcome =
        catch_unwind(AssertUnwindSafe(|| run(ptx, kernel, request))).unwrap_or_else(|panic| {
            let what = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("unknown");
            failed(status::INTERNAL, format!("internal error: {what}\n"))
        });
    let code = outcome.status;
    let (cubin, cubin_bytes) = give(outcome.cubin);
    let (log, log_bytes) = give(outcome.log.into_bytes());
    // SAFETY: the caller's contract.
    unsafe {
        response.write(Response {
            cubin,
            cubin_bytes,
            log,
            log_bytes,
            times: outcome.times,
        })
    };
    code
}

/// Frees a response's buffers; see [`abi::jit::ReleaseFn`].
///
/// # Safety
/// `response` was written by [`antlerite_jit_compile`] and its buffers are not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn antlerite_jit_release(response: *mut Response) {
    if response.is_null() {
        return;
    }
    // SAFETY: the caller's contract.
    let response = unsafe { &mut *response };
    for (data, bytes) in [
        (&mut response.cubin, &mut response.cubin_bytes),
        (&mut response.log, &mut response.log_bytes),
    ] {
        if !data.is_null() {
            // SAFETY: `give` made it from a boxed slice of this length.
            drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(*data, *bytes)) });
        }
        *data = std::ptr::null_mut();
        *bytes = 0;
    }
}

/// Version of the compiler; see [`abi::jit::VersionFn`].
#[unsafe(no_mangle)]
pub extern "C" fn antlerite_jit_version() -> *const c_char {
    VERSION.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(ptx: &str, kernel: &str) -> Request {
        Request {
            abi: JIT_ABI,
            isa: abi::sm::isa::SSE4 | abi::sm::isa::AVX2,
            ptx: ptx.as_ptr(),
            ptx_bytes: ptx.len(),
            kernel: kernel.as_ptr(),
            kernel_bytes: kernel.len(),
            block: [32, 1, 1],
            opt_level: 4,
            cc: 90,
            flags: 0,
            max_ptx_version: 0,
            reserved: 0,
        }
    }

    fn call(request: &Request) -> (u32, Vec<u8>, String) {
        let mut response = Response {
            cubin: std::ptr::null_mut(),
            cubin_bytes: 0,
            log: std::ptr::null_mut(),
            log_bytes: 0,
            times: [0; 4],
        };
        // SAFETY: both are valid for the call.
        let code = unsafe { antlerite_jit_compile(request, &raw mut response) };
        // SAFETY: the function wrote them.
        let (cubin, log) = unsafe {
            (
                slice(response.cubin, response.cubin_bytes),
                slice(response.log, response.log_bytes),
            )
        };
        let out = (
            code,
            cubin.to_vec(),
            String::from_utf8_lossy(log).into_owned(),
        );
        // SAFETY: copied above.
        unsafe { antlerite_jit_release(&raw mut response) };
        assert!(response.cubin.is_null() && response.log.is_null());
        out
    }

    const EMPTY: &str =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry nothing() { ret; }\n";

    #[test]
    fn a_kernel_becomes_a_cubin() {
        let (code, cubin, log) = call(&request(EMPTY, "nothing"));
        assert_eq!((code, log.as_str()), (status::OK, ""));
        assert!(cubin.starts_with(b"\x7fELF"));
    }

    #[test]
    fn mistakes_have_codes_and_logs() {
        assert_eq!(call(&request(EMPTY, "other")).0, status::NOT_FOUND);
        let (code, _, log) = call(&request(
            ".version 9.0\n.target sm_90\n.entry x() { frobnicate; }\n",
            "x",
        ));
        assert_eq!(code, status::INVALID_PTX);
        assert!(log.contains("line 3"), "{log}");
        let mut newer = request(EMPTY, "nothing");
        newer.max_ptx_version = 80;
        assert_eq!(call(&newer).0, status::VERSION);
        newer.abi = 9;
        assert_eq!(call(&newer).0, status::INTERNAL);
    }
}
