//! A kernel half of the test's own, and the calls that the tests make.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use cuda_abi::driver::*;

// Links the library, whose exports the declarations below name.
extern crate cuda as _;

macro_rules! calls {
    ($(fn $name:ident($($arg:ident: $ty:ty),*);)*) => {
        unsafe extern "C" {
            $(pub safe fn $name($($arg: $ty),*) -> CUresult;)*
        }
    };
}

calls! {
    fn cuInit(flags: u32);
    fn cuGetErrorName(error: CUresult, text: &mut *const c_char);
    fn cuDeviceGetCount(count: &mut i32);
    fn cuDeviceGetAttribute(value: &mut i32, attribute: CUdevice_attribute, device: i32);
    fn cuDevicePrimaryCtxRetain(context: &mut CUcontext, device: i32);
    fn cuDevicePrimaryCtxRelease_v2(device: i32);
    fn cuDevicePrimaryCtxReset_v2(device: i32);
    fn cuCtxCreate_v2(context: &mut CUcontext, flags: u32, device: i32);
    fn cuCtxDestroy_v2(context: CUcontext);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxGetCurrent(context: &mut CUcontext);
    fn cuCtxPopCurrent_v2(context: &mut CUcontext);
    fn cuCtxPushCurrent_v2(context: CUcontext);
    fn cuCtxSynchronize();
    fn cuMemAlloc_v2(address: &mut u64, bytes: usize);
    fn cuMemFree_v2(address: u64);
    fn cuMemAllocHost_v2(address: &mut *mut c_void, bytes: usize);
    fn cuMemFreeHost(address: *mut c_void);
    fn cuMemAllocManaged(address: &mut u64, bytes: usize, flags: u32);
    fn cuMemHostRegister_v2(address: *mut c_void, bytes: usize, flags: u32);
    fn cuMemHostUnregister(address: *mut c_void);
    fn cuMemGetInfo_v2(free: &mut usize, total: &mut usize);
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize);
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize);
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: CUstream);
    fn cuMemcpy2D_v2(copy: &CUDA_MEMCPY2D);
    fn cuMemsetD8_v2(address: u64, value: u8, count: usize);
    fn cuMemsetD16_v2(address: u64, value: u16, count: usize);
    fn cuMemsetD32_v2(address: u64, value: u32, count: usize);
    fn cuMemsetD2D32_v2(address: u64, pitch: usize, value: u32, width: usize, height: usize);
    fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: CUstream);
    fn cuMemAllocAsync(address: &mut u64, bytes: usize, stream: CUstream);
    fn cuMemFreeAsync(address: u64, stream: CUstream);
    fn cuPointerGetAttribute(value: *mut c_void, attribute: CUpointer_attribute, address: u64);
    fn cuStreamCreate(stream: &mut CUstream, flags: u32);
    fn cuStreamDestroy_v2(stream: CUstream);
    fn cuStreamSynchronize(stream: CUstream);
    fn cuStreamQuery(stream: CUstream);
    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: u32);
    fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void);
    fn cuEventCreate(event: &mut CUevent, flags: u32);
    fn cuEventRecord(event: CUevent, stream: CUstream);
    fn cuEventSynchronize(event: CUevent);
    fn cuEventElapsedTime_v2(milliseconds: &mut f32, start: CUevent, end: CUevent);
    fn cuEventDestroy_v2(event: CUevent);
    fn cuModuleLoadData(module: &mut CUmodule, image: *const c_void);
    fn cuModuleUnload(module: CUmodule);
    fn cuModuleGetFunction(function: &mut CUfunction, module: CUmodule, name: *const c_char);
    fn cuModuleGetGlobal_v2(address: &mut u64, bytes: &mut usize, module: CUmodule, name: *const c_char);
    fn cuStreamWaitValue32_v2(stream: CUstream, address: u64, value: u32, flags: u32);
    fn cuStreamWriteValue32_v2(stream: CUstream, address: u64, value: u32, flags: u32);
    fn cuLinkCreate_v2(count: u32, options: *const c_void, values: *const c_void, state: &mut CUlinkState);
    fn cuLinkAddData_v2(
        state: CUlinkState, kind: CUjitInputType, data: *const c_void, size: usize, name: *const c_char, count: u32,
        options: *const c_void, values: *const c_void
    );
    fn cuLinkComplete(state: CUlinkState, image: &mut *const c_void, bytes: &mut usize);
    fn cuLinkDestroy(state: CUlinkState);
    fn cuLaunchKernel(
        function: CUfunction, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: CUstream,
        params: *mut *mut c_void, extra: *mut *mut c_void
    );
}

/// Asserts success, with the name of the error.
#[track_caller]
pub fn ok(result: CUresult) {
    if result != CUresult::SUCCESS {
        let mut text = std::ptr::null();
        assert_eq!(cuGetErrorName(result, &mut text), CUresult::SUCCESS);
        // SAFETY: the library's static string.
        panic!("{}", unsafe { CStr::from_ptr(text) }.to_string_lossy());
    }
}

fn built(name: &str) -> Option<PathBuf> {
    let exe = std::env::current_exe().ok()?;
    let deps = exe.parent()?;
    [deps.join("..").join(name), deps.join(name)]
        .into_iter()
        .find(|p| p.exists())
}

fn named(variable: &str, name: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|p| Path::exists(p))
        .or_else(|| built(name))
}

/// Whether kernels can be compiled: names the compiler for the library.
pub fn has_compiler() -> bool {
    named("ANTLERITE_PTXJIT", "libptxjitcompiler.so").is_some()
}

/// Names the kernel half and an instance of the test's own, and keeps other tests of the process away: one of them ends
/// contexts. `None`, said on standard error, when nothing is built.
pub fn start() -> Option<MutexGuard<'static, ()>> {
    static ONCE: Once = Once::new();
    static ALONE: Mutex<()> = Mutex::new(());
    let kmd = named("ANTLERITE_KMD", "antlerite-kmd")
        .filter(|kmd| kmd.with_file_name("antlerite-gpu").exists());
    let Some(kmd) = kmd else {
        eprintln!("not judged: antlerite-kmd and antlerite-gpu are not built");
        return None;
    };
    ONCE.call_once(|| {
        let set = |name: &str, value: &std::ffi::OsStr| {
            // SAFETY: before any thread of this process reads the environment: the first thing each test does.
            unsafe { std::env::set_var(name, value) };
        };
        set("ANTLERITE_KMD", kmd.as_os_str());
        set(
            "ANTLERITE_INSTANCE",
            format!("cudatest{}", std::process::id()).as_ref(),
        );
        set("CUDA_CACHE_DISABLE", "1".as_ref());
        if let Some(jit) = named("ANTLERITE_PTXJIT", "libptxjitcompiler.so") {
            set("ANTLERITE_PTXJIT", jit.as_os_str());
        }
        ok(cuInit(0));
    });
    Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The primary context, current.
pub fn primary() -> CUcontext {
    let mut context = CUcontext::NULL;
    ok(cuDevicePrimaryCtxRetain(&mut context, 0));
    ok(cuCtxSetCurrent(context));
    context
}

/// Device memory.
pub fn alloc(bytes: usize) -> u64 {
    let mut address = 0;
    ok(cuMemAlloc_v2(&mut address, bytes));
    address
}

/// Writes numbers to device memory.
pub fn write(to: u64, data: &[u32]) {
    ok(cuMemcpyHtoD_v2(to, data.as_ptr().cast(), size_of_val(data)));
}

/// Reads numbers from device memory.
pub fn read(from: u64, count: usize) -> Vec<u32> {
    let mut data = vec![0xdead_beef; count];
    ok(cuMemcpyDtoH_v2(data.as_mut_ptr().cast(), from, count * 4));
    data
}

/// Numbers that differ from place to place.
pub fn pattern(count: usize) -> Vec<u32> {
    (0..count)
        .map(|i| u32::try_from(i).unwrap_or(0).wrapping_mul(2_654_435_761))
        .collect()
}

/// A stream.
pub fn stream(flags: u32) -> CUstream {
    let mut stream = CUstream::NULL;
    ok(cuStreamCreate(&mut stream, flags));
    stream
}

/// Loads PTX.
pub fn module(text: &str) -> Result<CUmodule, CUresult> {
    let text = CString::new(text).expect("no NUL");
    let mut module = CUmodule::NULL;
    match cuModuleLoadData(&mut module, text.as_ptr().cast()) {
        CUresult::SUCCESS => Ok(module),
        error => Err(error),
    }
}

/// A kernel.
pub fn function(module: CUmodule, name: &str) -> CUfunction {
    let name = CString::new(name).expect("no NUL");
    let mut function = CUfunction::NULL;
    ok(cuModuleGetFunction(&mut function, module, name.as_ptr()));
    function
}

/// Launches with 64-bit arguments.
pub fn launch(
    function: CUfunction,
    grid: u32,
    block: u32,
    stream: CUstream,
    arguments: &[u64],
) -> CUresult {
    let mut values = arguments.to_vec();
    let mut pointers: Vec<*mut c_void> = values
        .iter_mut()
        .map(|v| std::ptr::from_mut(v).cast())
        .collect();
    cuLaunchKernel(
        function,
        grid,
        1,
        1,
        block,
        1,
        1,
        0,
        stream,
        pointers.as_mut_ptr(),
        std::ptr::null_mut(),
    )
}
