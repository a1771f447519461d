//! Spoilt images through the C functions of libcuda, each with nothing readable behind it.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::time::{Duration, Instant};

use kernel::fuzz::Random;

/// What CUDA documents for images that cannot be used; 0 where the change does no harm.
const DOCUMENTED: &[i32] = &[
    0,   // CUDA_SUCCESS
    1,   // INVALID_VALUE
    2,   // OUT_OF_MEMORY
    200, // INVALID_IMAGE
    209, // NO_BINARY_FOR_GPU
    218, // INVALID_PTX
    222, // UNSUPPORTED_PTX_VERSION
    224, // UNSUPPORTED_EXEC_AFFINITY
    300, // INVALID_SOURCE
    302, // SHARED_OBJECT_SYMBOL_NOT_FOUND
    303, // SHARED_OBJECT_INIT_FAILED
];

/// The kernel in the samples.
const KERNEL: &CStr = c"_Z6vecaddPKfS0_Pfi";
/// `CUDA_ERROR_NOT_FOUND`.
const NOT_FOUND: i32 = 500;
/// `CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES`.
const LOCAL_SIZE: i32 = 3;
/// One module in so many that load is compiled as well, which takes a while.
const COMPILED_IN: usize = 8;

type Load = unsafe extern "C" fn(*mut usize, *const c_void) -> i32;
type LoadLibrary = unsafe extern "C" fn(
    *mut usize,
    *const c_void,
    *const c_void,
    *const c_void,
    u32,
    *const c_void,
    *const c_void,
    u32,
) -> i32;
type Function = unsafe extern "C" fn(*mut usize, usize, *const c_char) -> i32;
type Attribute = unsafe extern "C" fn(*mut i32, i32, usize) -> i32;
type Handle = unsafe extern "C" fn(usize) -> i32;
type Retain = unsafe extern "C" fn(*mut usize, i32) -> i32;
type Init = unsafe extern "C" fn(u32) -> i32;

struct Driver {
    function: Function,
    attribute: Attribute,
    load: Load,
    unload: Handle,
    load_library: LoadLibrary,
    unload_library: Handle,
}

fn symbol(library: *mut c_void, name: &CStr) -> Result<*mut c_void, String> {
    // SAFETY: an open library and a NUL-terminated name.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    if found.is_null() {
        return Err(format!("no {name:?}"));
    }
    Ok(found)
}

impl Driver {
    fn open() -> Result<Self, String> {
        // SAFETY: a NUL-terminated name; the library's constructors are our own.
        let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            return Err("libcuda.so.1 does not open".into());
        }
        let ok = |what: &str, code: i32| {
            if code == 0 {
                Ok(())
            } else {
                Err(format!("{what}: {code}"))
            }
        };
        // SAFETY: the functions have these types in cuda.h; the out parameter outlives its call.
        unsafe {
            let init: Init = std::mem::transmute(symbol(library, c"cuInit")?);
            ok("cuInit", init(0))?;
            let retain: Retain = std::mem::transmute(symbol(library, c"cuDevicePrimaryCtxRetain")?);
            let mut context = 0;
            ok("cuDevicePrimaryCtxRetain", retain(&raw mut context, 0))?;
            let set: Handle = std::mem::transmute(symbol(library, c"cuCtxSetCurrent")?);
            ok("cuCtxSetCurrent", set(context))?;
            Ok(Self {
                function: std::mem::transmute::<*mut c_void, Function>(symbol(
                    library,
                    c"cuModuleGetFunction",
                )?),
                attribute: std::mem::transmute::<*mut c_void, Attribute>(symbol(
                    library,
                    c"cuFuncGetAttribute",
                )?),
                load: std::mem::transmute::<*mut c_void, Load>(symbol(
                    library,
                    c"cuModuleLoadData",
                )?),
                unload: std::mem::transmute::<*mut c_void, Handle>(symbol(
                    library,
                    c"cuModuleUnload",
                )?),
                load_library: std::mem::transmute::<*mut c_void, LoadLibrary>(symbol(
                    library,
                    c"cuLibraryLoadData",
                )?),
                unload_library: std::mem::transmute::<*mut c_void, Handle>(symbol(
                    library,
                    c"cuLibraryUnload",
                )?),
            })
        }
    }

    /// Asks for a kernel's stack, for which it must be compiled; whether it is there, and good, is the change's to decide.
    fn compile(&self, module: usize) -> Result<(), String> {
        let (mut function, mut bytes) = (0, 0);
        // SAFETY: a module that is loaded, a NUL-terminated name, out parameters that outlive the calls.
        unsafe {
            let found = (self.function)(&raw mut function, module, KERNEL.as_ptr());
            if found == NOT_FOUND {
                return Ok(());
            }
            let code = if found == 0 {
                (self.attribute)(&raw mut bytes, LOCAL_SIZE, function)
            } else {
                found
            };
            if DOCUMENTED.contains(&code) {
                Ok(())
            } else {
                Err(format!("{code} is not documented for a kernel"))
            }
        }
    }

    /// The code of one load, which is undone.
    fn try_image(&self, image: &AtEdge, library: bool, compile: bool) -> Result<i32, String> {
        let mut handle = 0;
        let none = std::ptr::null();
        // SAFETY: the image is readable and ends in a NUL byte; the out parameter outlives the calls; the handle is the
        // one just made.
        unsafe {
            let code = if library {
                (self.load_library)(&raw mut handle, image.start, none, none, 0, none, none, 0)
            } else {
                (self.load)(&raw mut handle, image.start)
            };
            if code == 0 && compile && !library {
                self.compile(handle)?;
            }
            if code == 0 {
                let gone = if library {
                    (self.unload_library)(handle)
                } else {
                    (self.unload)(handle)
                };
                if gone != 0 {
                    return Err(format!("unloading: {gone}"));
                }
            }
            Ok(code)
        }
    }
}

/// Bytes and a NUL at the end of a mapping, with nothing behind.
struct AtEdge {
    base: *mut c_void,
    len: usize,
    start: *const c_void,
}

impl AtEdge {
    fn new(bytes: &[u8]) -> Result<Self, String> {
        const PAGE: usize = 4096;
        let len = (bytes.len() + 1).next_multiple_of(PAGE);
        // SAFETY: fresh memory, one page more than is kept; the copy stays within.
        unsafe {
            let base = libc::mmap(
                std::ptr::null_mut(),
                len + PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            if base == libc::MAP_FAILED {
                return Err("no memory".into());
            }
            libc::mprotect(base.byte_add(len), PAGE, libc::PROT_NONE);
            let start = base.byte_add(len - bytes.len() - 1);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), start.cast(), bytes.len());
            Ok(Self {
                base,
                len: len + PAGE,
                start,
            })
        }
    }
}

impl Drop for AtEdge {
    fn drop(&mut self) {
        // SAFETY: our own mapping, whose image no one uses any more.
        unsafe { libc::munmap(self.base, self.len) };
    }
}

/// A spoilt copy: cut short, bits flipped, fields overwritten; mostly near the start, where the headers are.
fn spoil(sample: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..=random.below(3) {
        let reach = match random.below(3) {
            0 => 96.min(bytes.len()),
            1 => 1024.min(bytes.len()),
            _ => bytes.len(),
        };
        let at = random.below(reach);
        match random.below(4) {
            0 => {
                let len = random.below(bytes.len() + 1);
                bytes.truncate(len);
            }
            1 | 2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            _ => {
                let value = [0, 1, 0x7fff_ffff, u32::MAX, 1 << 20][random.below(5)];
                let at = at & !3;
                if let Some(field) = bytes.get_mut(at..at + 4) {
                    field.copy_from_slice(&u32::to_le_bytes(value));
                }
            }
        }
    }
    bytes
}

/// Loads `count` spoilt copies in all, or as many as fit into the time, and says how they ended.
pub fn run(count: u64, seed: u64, seconds: u64, files: &[&str]) -> Result<(), String> {
    let mut samples = Vec::new();
    for file in files {
        samples.push(std::fs::read(file).map_err(|why| format!("{file}: {why}"))?);
    }
    if samples.is_empty() {
        return Err("no samples".into());
    }
    let driver = Driver::open()?;
    for (file, sample) in files.iter().zip(&samples) {
        let code = driver.try_image(&AtEdge::new(sample)?, false, true)?;
        println!("{file}: {code} as it is");
    }
    let start = Instant::now();
    let mut ends = BTreeMap::<i32, u64>::new();
    let mut ran = 0;
    let mut random = Random::new(seed);
    while ran < count && start.elapsed() < Duration::from_secs(seconds) {
        let which = random.below(samples.len());
        let bytes = spoil(&samples[which], &mut random);
        let library = random.below(2) == 0;
        let compile = random.below(COMPILED_IN) == 0;
        let case = |code| {
            format!(
                "case {ran} of seed {seed} ({}, {}): {code}",
                files[which],
                if library { "library" } else { "module" }
            )
        };
        let code = driver
            .try_image(&AtEdge::new(&bytes)?, library, compile)
            .map_err(case)?;
        if !DOCUMENTED.contains(&code) {
            return Err(case(format!("{code} is not documented for an image")));
        }
        *ends.entry(code).or_default() += 1;
        ran += 1;
    }
    println!(
        "{ran} images in {:.1} s, by code {ends:?}",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
