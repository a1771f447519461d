//! The auditing side: what the loader calls (`rtld-audit(7)`).

use crate::image::{self, Contents};
use crate::report::{say, traces};
use crate::{bind, library, patch};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_long, c_uint};
use std::os::unix::ffi::OsStrExt as _;
use std::panic::catch_unwind;
use std::sync::Mutex;

/// The head of the loader's `struct link_map` (`link.h`), which is public.
#[repr(C)]
pub struct LinkMap {
    l_addr: usize,
    l_name: *const c_char,
    l_ld: *const libc::c_void,
    l_next: *const LinkMap,
    l_prev: *const LinkMap,
}

/// The version of the interface that we know (`LAV_CURRENT` of glibc 2.35); 1 is the same for the
/// functions used here.
const VERSION: c_uint = 2;
/// `LM_ID_BASE`.
const BASE: c_long = 0;
/// `LA_ACT_CONSISTENT`.
const CONSISTENT: c_uint = 0;
/// `LA_SER_ORIG`: the name as the program gave it.
const ORIGINAL: c_uint = 1;

/// An object that was mapped and has not been looked at.
struct Object {
    base: usize,
    path: String,
}

#[derive(Default)]
struct State {
    /// Where the copy of this library in the program's namespace lies.
    preloaded: Option<usize>,
    waiting: Vec<Object>,
    /// Names that the loader was given; it keeps pointers to them.
    names: Option<HashMap<String, CString>>,
}

static STATE: Mutex<State> = Mutex::new(State {
    preloaded: None,
    waiting: Vec::new(),
    names: None,
});

fn with_state<T>(change: impl FnOnce(&mut State) -> T) -> T {
    change(&mut STATE.lock().unwrap_or_else(|broken| broken.into_inner()))
}

/// The loader asks for the version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn la_version(version: c_uint) -> c_uint {
    version.min(VERSION)
}

/// An object was mapped.
///
/// # Safety
/// Called by the loader with its own link map.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_objopen(
    map: *const LinkMap,
    namespace: c_long,
    _cookie: *mut usize,
) -> c_uint {
    let _ = catch_unwind(|| {
        if namespace != BASE || map.is_null() {
            return;
        }
        // SAFETY: the loader's map, with a C string for a name.
        let (base, name) = unsafe { ((*map).l_addr, CStr::from_ptr((*map).l_name)) };
        opened(base, &name.to_string_lossy());
    });
    // No interest in the object's symbol bindings: they stay as fast as they are.
    0
}

fn opened(base: usize, name: &str) {
    if is_this_library(name) {
        with_state(|state| state.preloaded = Some(base));
        return;
    }
    let path = match name {
        "" => "/proc/self/exe",
        // The kernel's page has a name and no file.
        name if !name.contains('/') => return,
        // Our own libraries need no help; the runtime would even be led to itself.
        name if std::path::Path::new(name).parent() == library::folder() => return,
        name if library::is_copy(name) => return,
        name => name,
    };
    with_state(|state| {
        state.waiting.push(Object {
            base,
            path: path.to_owned(),
        })
    });
}

fn is_this_library(name: &str) -> bool {
    let own = library::own_path().and_then(|path| path.file_name());
    own.is_some() && own == std::path::Path::new(name).file_name()
}

/// The loader has finished mapping what it was about to map; nothing of it has run.
///
/// # Safety
/// Called by the loader.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_activity(_cookie: *mut usize, activity: c_uint) {
    if activity != CONSISTENT {
        return;
    }
    let _ = catch_unwind(|| {
        let (waiting, preloaded) =
            with_state(|state| (std::mem::take(&mut state.waiting), state.preloaded));
        for object in waiting {
            look_at(&object, preloaded);
        }
    });
}

fn look_at(object: &Object, preloaded: Option<usize>) {
    let shown = if object.path == "/proc/self/exe" {
        std::fs::read_link(&object.path)
            .map_or_else(|_| object.path.clone(), |path| path.display().to_string())
    } else {
        object.path.clone()
    };
    match image::inspect(&object.path) {
        Contents::Plain => {}
        Contents::Stripped => say(format_args!(
            "{shown} holds CUDA kernels and a runtime library without a symbol table, which \
             cannot be served. Build it with `-cudart shared`, or link it with Antlerite's \
             libcudart_static.a, or do not strip it."
        )),
        Contents::Foreign { major } => say(format_args!(
            "{shown} holds the runtime library of CUDA {major}; 12 and 13 are served. Build it \
             with a newer toolkit, or with `-cudart shared` and a libcudart.so of that version \
             that works."
        )),
        Contents::Runtime(runtime) => {
            let Some(binder) = preloaded.and_then(binder_in) else {
                say(format_args!(
                    "{shown} holds a runtime library, and LD_PRELOAD does not name \
                     libantlerite_interpose.so: start the program with `antlerite run`."
                ));
                return;
            };
            match patch::redirect(&runtime, object.base, binder) {
                Ok(outcome) => {
                    if traces() {
                        say(format_args!(
                            "interpose: {shown}: {} functions of CUDA {} redirected, {} too short",
                            outcome.redirected,
                            runtime.major.number(),
                            outcome.too_short
                        ));
                    }
                }
                Err(error) => say(format_args!(
                    "{shown}: cannot redirect its runtime library: {error}. Build it with \
                     `-cudart shared`."
                )),
            }
        }
    }
}

/// The binder in the program's namespace: the same file is mapped there, so it lies as far from
/// its start as ours does.
fn binder_in(base: usize) -> Option<usize> {
    let here = bind::binder as unsafe extern "C" fn() as usize;
    Some(
        here.wrapping_sub(library::load_address()?)
            .wrapping_add(base),
    )
}

/// The loader is about to look for a library: ours stand in for NVIDIA's.
///
/// # Safety
/// Called by the loader with a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_objsearch(
    name: *const c_char,
    _cookie: *mut usize,
    flag: c_uint,
) -> *mut c_char {
    let found = catch_unwind(|| {
        if flag != ORIGINAL || name.is_null() {
            return None;
        }
        // SAFETY: the loader passes a C string.
        let asked = unsafe { CStr::from_ptr(name) }.to_str().ok()?;
        replacement(asked)
    });
    match found {
        Ok(Some(ours)) => ours.cast_mut(),
        Ok(None) | Err(_) => name.cast_mut(),
    }
}

fn replacement(asked: &str) -> Option<*const c_char> {
    let ours = library::replaced_name(asked)?;
    let path = library::folder()?.join(&ours);
    if asked == path.to_str()? || !path.exists() {
        return None;
    }
    let name = CString::new(path.as_os_str().as_bytes()).ok()?;
    // Names are never dropped, so the pointer stays good.
    with_state(|state| {
        let names = state.names.get_or_insert_default();
        Some(names.entry(ours).or_insert(name).as_ptr())
    })
}
