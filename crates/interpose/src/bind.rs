//! The preloaded side: leads a stub to our runtime when it is first called.
//!
//! Runs in the program's namespace, possibly before this library's constructors, and with the
//! arguments of the call that is waiting in the registers.

use crate::island::{NO_MINOR, Record};
use crate::library;
use crate::names::Major;
use crate::report::say;
use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Mutex;

/// Where stubs jump the first time, with the address of their record in `r11`. Keeps every
/// register that can carry an argument, finds the target, and jumps there.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn binder() {
    std::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "and rsp, -16",
        "sub rsp, 192",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        "mov [rsp + 48], rax",
        "movups [rsp + 64], xmm0",
        "movups [rsp + 80], xmm1",
        "movups [rsp + 96], xmm2",
        "movups [rsp + 112], xmm3",
        "movups [rsp + 128], xmm4",
        "movups [rsp + 144], xmm5",
        "movups [rsp + 160], xmm6",
        "movups [rsp + 176], xmm7",
        "mov rdi, r11",
        "call {resolve}",
        "mov r11, rax",
        "mov rdi, [rsp]",
        "mov rsi, [rsp + 8]",
        "mov rdx, [rsp + 16]",
        "mov rcx, [rsp + 24]",
        "mov r8, [rsp + 32]",
        "mov r9, [rsp + 40]",
        "mov rax, [rsp + 48]",
        "movups xmm0, [rsp + 64]",
        "movups xmm1, [rsp + 80]",
        "movups xmm2, [rsp + 96]",
        "movups xmm3, [rsp + 112]",
        "movups xmm4, [rsp + 128]",
        "movups xmm5, [rsp + 144]",
        "movups xmm6, [rsp + 160]",
        "movups xmm7, [rsp + 176]",
        "leave",
        "jmp r11",
        resolve = sym resolve,
    )
}

/// Finds the function of a record and notes it there.
///
/// # Safety
/// `record` is one that an island of the auditor made in this process.
unsafe extern "C" fn resolve(record: *mut Record) -> *const c_void {
    // SAFETY: the caller's promise; records are only ever read, but for `target`.
    let (index, major, object) = unsafe {
        let record = &*record;
        let object = Object {
            instance: record.instance,
            minor: record.minor,
        };
        (record.index, record.major, object)
    };
    let found = Major::from_number(u32::from(major))
        .and_then(|major| Some((major, major.name(index)?)))
        .and_then(|(major, name)| function(major, object, name));
    let target = found.unwrap_or(unavailable as extern "C" fn() -> i32 as *const c_void);
    // SAFETY: as above. A word that several threads may write, each the same value.
    unsafe {
        std::sync::atomic::AtomicU64::from_ptr(&raw mut (*record).target)
            .store(target.addr() as u64, std::sync::atomic::Ordering::Release);
    }
    target
}

/// Serves calls of a runtime that could not be loaded: `cudaErrorInsufficientDriver`.
extern "C" fn unavailable() -> i32 {
    35
}

/// The object that a call comes from.
#[derive(Clone, Copy)]
struct Object {
    instance: u32,
    /// Minor version of its runtime, or [`NO_MINOR`].
    minor: u16,
}

/// A function of the runtime that serves an object.
fn function(major: Major, object: Object, name: &str) -> Option<*const c_void> {
    let handle = runtime(major, object)?;
    let symbol = CString::new(name).ok()?;
    // SAFETY: a live handle and a C string.
    let found = unsafe { libc::dlsym(handle as *mut c_void, symbol.as_ptr()) };
    if found.is_null() {
        say(format_args!(
            "our libcudart.so.{} has no {name}",
            major.number()
        ));
        return None;
    }
    Some(found.cast_const())
}

/// The handles of the runtimes loaded so far (0: failed), by instance.
static LOADED: Mutex<Vec<(u32, usize)>> = Mutex::new(Vec::new());

/// The runtime of an object. As with NVIDIA's, each object that brings a static runtime has one with a state of its own:
/// one library's last error is not another's.
fn runtime(major: Major, object: Object) -> Option<usize> {
    let mut loaded = LOADED.lock().unwrap_or_else(|broken| broken.into_inner());
    let known = loaded.iter().find(|(i, _)| *i == object.instance);
    let handle = match known {
        Some(&(_, handle)) => handle,
        None => {
            let handle = load(major, object).unwrap_or(0);
            loaded.push((object.instance, handle));
            handle
        }
    };
    (handle != 0).then_some(handle)
}

fn load(major: Major, object: Object) -> Option<usize> {
    let path = library::folder()?.join(format!("libcudart.so.{}", major.number()));
    let name = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: a C string.
    let there = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
    let copy = if there.is_null() {
        None
    } else {
        match library::copy(&path, object.instance) {
            Ok(copy) => Some(copy),
            Err(error) => {
                say(format_args!("cannot copy {}: {error}", path.display()));
                return None;
            }
        }
    };
    let name = copy.as_ref().map_or(&name, |(_, name)| name);
    // SAFETY: a C string; our runtime needs no constructors, and is never closed.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        // SAFETY: `dlerror` answers null or a C string of this thread's.
        let why = unsafe { libc::dlerror() };
        let why = if why.is_null() {
            "unknown reason".into()
        } else {
            // SAFETY: not null, see above.
            unsafe { std::ffi::CStr::from_ptr(why) }.to_string_lossy()
        };
        say(format_args!("cannot load {}: {why}", path.display()));
        return None;
    }
    if object.minor != NO_MINOR {
        tell_minor(handle, object.minor);
    }
    Some(handle.addr())
}

/// Tells the runtime which minor version the program was built with. It reads the variable when
/// it is first asked for its version, which happens here, so that no child inherits it.
fn tell_minor(handle: *mut c_void, minor: u16) {
    const VARIABLE: &str = "ANTLERITE_RUNTIME_MINOR";
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    // SAFETY: a live handle and a C string.
    let get = unsafe { libc::dlsym(handle, c"cudaRuntimeGetVersion".as_ptr()) };
    if get.is_null() {
        return;
    }
    // SAFETY: the function of that name has this type.
    let get: unsafe extern "C" fn(*mut i32) -> i32 = unsafe { std::mem::transmute(get) };
    let mut version = 0;
    // SAFETY: this is the program's first CUDA call, mostly in a constructor, before it has
    // threads; the variable is gone again at once.
    unsafe {
        std::env::set_var(VARIABLE, minor.to_string());
        get(&raw mut version);
        std::env::remove_var(VARIABLE);
    }
}
