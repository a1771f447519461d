//! `libnvJitLink.so.12` and `.13`: the linker as a library, giving cubins for the virtual GPU.
//!
//! Exports are the public names of `nvJitLink.h` and, as that header's inline functions call them, one name per release
//! (`__nvJitLinkCreate_12_4`), all under the version node named like the library. One archive holds the names of both major
//! releases; each library exports its own. What is linked is PTX
//! ([`jit::inputs`]); LTO-IR, whose form is not public, is refused by name.
//!
//! Source: CUDA Toolkit 13.0, "nvJitLink", and the public header of the wheels.

mod state;

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use state::{Outcome, State};

/// What `nvJitLinkVersion` answers: the last release before those whose users take LTO-IR for granted. Numba and
/// cuda-core compile to LTO-IR by default from 12.3 on, and to PTX, which is linked here, below.
const VERSION: (u32, u32) = (12, 2);

/// `nvJitLinkHandle`: a number of ours, never followed.
type Handle = usize;

/// `nvJitLinkResult`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Code {
    Success = 0,
    UnrecognizedOption = 1,
    MissingArch = 2,
    InvalidInput = 3,
    PtxCompile = 4,
    NvvmCompile = 5,
    Internal = 6,
    UnrecognizedInput = 8,
    NullInput = 10,
    IncorrectInputType = 12,
    MissingFatbin = 15,
    UnrecognizedArch = 16,
    LtoNotEnabled = 18,
}

#[derive(Default)]
struct Links {
    live: HashMap<Handle, Arc<Mutex<State>>>,
    made: Handle,
}

static LINKS: Mutex<Option<Links>> = Mutex::new(None);
/// Handles are this far apart, like addresses, so that a wrong one is no handle.
const STEP: Handle = 0x40;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(handle: Handle) -> Result<Arc<Mutex<State>>, Code> {
    let links = lock(&LINKS);
    let found = links.as_ref().and_then(|links| links.live.get(&handle));
    found.cloned().ok_or(Code::InvalidInput)
}

/// Calls `body`; a panic is an internal error.
fn boundary(body: impl FnOnce() -> Result<(), Code>) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Code::Success as u32,
        Ok(Err(code)) => code as u32,
        Err(_) => Code::Internal as u32,
    }
}

/// # Safety
/// `text` is null or a C string.
unsafe fn string(text: *const c_char) -> Result<String, Code> {
    if text.is_null() {
        return Err(Code::NullInput);
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned())
}

/// # Safety
/// `out` is null or writable.
unsafe fn put<T>(out: *mut T, value: T) -> Result<(), Code> {
    if out.is_null() {
        return Err(Code::NullInput);
    }
    // SAFETY: the caller's contract.
    unsafe { out.write(value) };
    Ok(())
}

unsafe fn create(
    handle: *mut Handle,
    count: u32,
    options: *const *const c_char,
) -> Result<(), Code> {
    if handle.is_null() || (count > 0 && options.is_null()) {
        return Err(Code::NullInput);
    }
    let mut list = Vec::new();
    for index in 0..count as usize {
        // SAFETY: an array of that many C strings by the C contract.
        list.push(unsafe { string(*options.add(index)) }?);
    }
    let state = State::new(&list)?;
    let mut links = lock(&LINKS);
    let links = links.get_or_insert_default();
    links.made += STEP;
    links.live.insert(links.made, Arc::new(Mutex::new(state)));
    // SAFETY: by the C contract a place for a handle.
    unsafe { put(handle, links.made) }
}

unsafe fn destroy(handle: *mut Handle) -> Result<(), Code> {
    if handle.is_null() {
        return Err(Code::NullInput);
    }
    // SAFETY: by the C contract a handle.
    let given = unsafe { handle.read() };
    let mut links = lock(&LINKS);
    let found = links
        .as_mut()
        .and_then(|links| links.live.remove(&given))
        .is_some();
    if !found {
        return Err(Code::InvalidInput);
    }
    // SAFETY: as above.
    unsafe { put(handle, 0) }
}

unsafe fn add_data(
    handle: Handle,
    kind: u32,
    data: *const c_void,
    size: usize,
    name: *const c_char,
) -> Result<(), Code> {
    let state = find(handle)?;
    if data.is_null() {
        return Err(Code::NullInput);
    }
    let name = if name.is_null() {
        "input".to_owned()
    } else {
        // SAFETY: a C string by the C contract.
        unsafe { string(name) }?
    };
    // SAFETY: that many bytes by the C contract.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) };
    lock(&state).add(kind, &name, bytes)
}

unsafe fn add_file(handle: Handle, kind: u32, path: *const c_char) -> Result<(), Code> {
    let state = find(handle)?;
    // SAFETY: a C string by the C contract.
    let path = unsafe { string(path) }?;
    let mut state = lock(&state);
    match std::fs::read(&path) {
        Ok(bytes) => state.add(kind, &path, &bytes),
        Err(error) => state.refuse(Code::InvalidInput, &format!("{path}: {error}")),
    }
}

unsafe fn complete(handle: Handle) -> Result<(), Code> {
    lock(&*find(handle)?).complete()
}

/// Which of a link's results is asked for.
type Part = fn(&State) -> Result<Outcome<'_>, Code>;

unsafe fn size_of_part(handle: Handle, size: *mut usize, part: Part) -> Result<(), Code> {
    let state = find(handle)?;
    let state = lock(&state);
    // SAFETY: by the C contract a place for a size.
    unsafe { put(size, part(&state)?.bytes()) }
}

unsafe fn copy_part(handle: Handle, to: *mut u8, part: Part) -> Result<(), Code> {
    let state = find(handle)?;
    let state = lock(&state);
    let part = part(&state)?;
    if to.is_null() {
        return Err(Code::NullInput);
    }
    let (data, end) = part.parts();
    // SAFETY: by the C contract as many bytes as the size function said.
    unsafe {
        to.copy_from_nonoverlapping(data.as_ptr(), data.len());
        to.add(data.len())
            .copy_from_nonoverlapping(end.as_ptr(), end.len());
    };
    Ok(())
}

unsafe fn cubin_size(handle: Handle, size: *mut usize) -> Result<(), Code> {
    // SAFETY: the caller's contract.
    unsafe { size_of_part(handle, size, State::cubin) }
}
unsafe fn cubin(handle: Handle, to: *mut u8) -> Result<(), Code> {
    // SAFETY: the caller's contract.
    unsafe { copy_part(handle, to, State::cubin) }
}
unsafe fn error_log_size(handle: Handle, size: *mut usize) -> Result<(), Code> {
    // SAFETY: the caller's contract.
    unsafe { size_of_part(handle, size, State::error_log) }
}
unsafe fn error_log(handle: Handle, to: *mut u8) -> Result<(), Code> {
    // SAFETY: the caller's contract.
    unsafe { copy_part(handle, to, State::error_log) }
}
unsafe fn info_log_size(handle: Handle, size: *mut usize) -> Result<(), Code> {
    // SAFETY: the caller's contract.
    unsafe { size_of_part(handle, size, State::info_log) }
}
unsafe fn info_log(handle: Handle, to: *mut u8) -> Result<(), Code> {
    // SAFETY: the caller's contract.
    unsafe { copy_part(handle, to, State::info_log) }
}
/// PTX and LTO-IR are results of link-time optimisation, which is not done.
unsafe fn no_lto_size(handle: Handle, _size: *mut usize) -> Result<(), Code> {
    find(handle)?;
    Err(Code::LtoNotEnabled)
}
unsafe fn no_lto(handle: Handle, _to: *mut u8) -> Result<(), Code> {
    find(handle)?;
    Err(Code::LtoNotEnabled)
}
unsafe fn version(major: *mut u32, minor: *mut u32) -> Result<(), Code> {
    if major.is_null() || minor.is_null() {
        return Err(Code::NullInput);
    }
    // SAFETY: by the C contract places for two numbers.
    unsafe {
        put(major, VERSION.0)?;
        put(minor, VERSION.1)
    }
}

/// One exported name.
macro_rules! one {
    ($export:expr, ($($arg:ident: $ty:ty),*), $body:ident) => {
        const _: () = {
            #[unsafe(export_name = $export)]
            unsafe extern "C" fn exported($($arg: $ty),*) -> u32 {
                // SAFETY: the C contract of the function, passed on.
                boundary(|| unsafe { $body($($arg),*) })
            }
        };
    };
}

/// All names of a function: the plain one and one per release.
macro_rules! export {
    ($($name:literal $args:tt = $body:ident;)+) => {$(
        one!($name, $args, $body);
        export!(@ $name $args $body: "12_0" "12_1" "12_2" "12_3" "12_4" "12_5" "12_6" "12_7" "12_8" "12_9");
        export!(@ $name $args $body: "13_0" "13_1" "13_2" "13_3" "13_4" "13_5");
    )+};
    (@ $name:literal $args:tt $body:ident: $($release:literal)+) => {$(
        one!(concat!("__", $name, "_", $release), $args, $body);
    )+};
}

export! {
    "nvJitLinkCreate" (handle: *mut Handle, count: u32, options: *const *const c_char) = create;
    "nvJitLinkDestroy" (handle: *mut Handle) = destroy;
    "nvJitLinkAddData" (handle: Handle, kind: u32, data: *const c_void, size: usize, name: *const c_char) = add_data;
    "nvJitLinkAddFile" (handle: Handle, kind: u32, path: *const c_char) = add_file;
    "nvJitLinkComplete" (handle: Handle) = complete;
    "nvJitLinkGetLinkedCubinSize" (handle: Handle, size: *mut usize) = cubin_size;
    "nvJitLinkGetLinkedCubin" (handle: Handle, to: *mut u8) = cubin;
    "nvJitLinkGetLinkedPtxSize" (handle: Handle, size: *mut usize) = no_lto_size;
    "nvJitLinkGetLinkedPtx" (handle: Handle, to: *mut u8) = no_lto;
    "nvJitLinkGetLinkedLTOIRSize" (handle: Handle, size: *mut usize) = no_lto_size;
    "nvJitLinkGetLinkedLTOIR" (handle: Handle, to: *mut u8) = no_lto;
    "nvJitLinkGetErrorLogSize" (handle: Handle, size: *mut usize) = error_log_size;
    "nvJitLinkGetErrorLog" (handle: Handle, to: *mut u8) = error_log;
    "nvJitLinkGetInfoLogSize" (handle: Handle, size: *mut usize) = info_log_size;
    "nvJitLinkGetInfoLog" (handle: Handle, to: *mut u8) = info_log;
}
one!("nvJitLinkVersion", (major: *mut u32, minor: *mut u32), version);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_checked_and_logs_told() {
        let option = c"-arch=sm_90";
        let options = [option.as_ptr()];
        let mut handle = 0;
        // SAFETY: valid arguments.
        unsafe {
            assert_eq!(create(&raw mut handle, 1, options.as_ptr()), Ok(()));
            let bad =
                c".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { frob; }\n";
            let added = add_data(
                handle,
                2,
                bad.as_ptr().cast(),
                bad.count_bytes(),
                c"bad".as_ptr(),
            );
            assert_eq!(added, Err(Code::PtxCompile));
            let mut size = 0;
            assert_eq!(error_log_size(handle, &raw mut size), Ok(()));
            let mut log = vec![0_u8; size];
            assert_eq!(error_log(handle, log.as_mut_ptr()), Ok(()));
            let log = CStr::from_bytes_with_nul(&log).expect("one NUL, at the end");
            assert!(log.to_string_lossy().contains("line 4"), "{log:?}");
            assert_eq!(cubin_size(handle, &raw mut size), Err(Code::InvalidInput));
            assert_eq!(no_lto_size(handle, &raw mut size), Err(Code::LtoNotEnabled));
            let mut copy = handle;
            assert_eq!(destroy(&raw mut copy), Ok(()));
            assert_eq!(complete(handle), Err(Code::InvalidInput));
        }
    }

    #[test]
    fn options_are_checked() {
        let options = |list: &[&str]| {
            let list: Vec<String> = list.iter().map(|s| (*s).to_owned()).collect();
            State::new(&list).map(drop)
        };
        assert_eq!(options(&["-O3"]), Err(Code::MissingArch));
        assert_eq!(
            options(&["-arch=sm_90", "-frob"]),
            Err(Code::UnrecognizedOption)
        );
        assert_eq!(options(&["-arch=x"]), Err(Code::UnrecognizedArch));
        assert_eq!(
            options(&[
                "-arch=sm_90a",
                "-O2",
                "-lineinfo",
                "-maxrregcount=32",
                "-Xptxas=-v",
                "-lto"
            ]),
            Ok(())
        );
    }
}
