//! The API table: every exported name, one row each.
//!
//! ```text
//! fn cuMemAlloc_v2(dptr: Out<CUdeviceptr>, bytesize: usize) since 3020 = call(memory::alloc);
//! ```
//! `since` is the CUDA version in which this form of the function appeared (as `cuda.h` numbers versions), which
//! `cuGetProcAddress` chooses by. After `=`: `call(path)` a function of `crate::api` that needs `cuInit`; `early(path)`
//! one that does not; `todo` not done yet, `never("reason")` never will be: both return 801 and are counted.
// Names and signatures: CUDA 13.0 headers. See PROVENANCE.md.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

mod types;

/// What a row leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Implemented; needs `cuInit`.
    Call,
    /// Implemented; may be called before `cuInit`.
    Early,
    /// Returns 801 for now.
    Todo,
    /// Returns 801 for good, for this reason.
    Never(&'static str),
}

/// A row.
#[derive(Debug)]
pub struct Entry {
    /// Exported name, with its suffixes.
    pub name: &'static str,
    /// Area of the API.
    pub area: &'static str,
    /// CUDA version that introduced this form.
    pub since: i32,
    /// Implemented or not.
    pub status: Status,
    /// Parameter types, as written in the row.
    pub parameters: &'static [&'static str],
    /// Calls so far.
    pub calls: AtomicU64,
    address: fn() -> *const c_void,
}

impl Entry {
    const fn new(
        name: &'static str,
        area: &'static str,
        since: i32,
        status: Status,
        parameters: &'static [&'static str],
        address: fn() -> *const c_void,
    ) -> Self {
        Self {
            name,
            area,
            since,
            status,
            parameters,
            calls: AtomicU64::new(0),
            address,
        }
    }

    /// Address of the function.
    pub fn address(&self) -> *const c_void {
        (self.address)()
    }

    /// Whether this form takes stream 0 as the calling thread's default stream.
    pub fn per_thread(&self) -> bool {
        self.name.ends_with("_ptsz") || self.name.ends_with("_ptds")
    }

    /// The name without suffixes.
    pub fn base(&self) -> &'static str {
        let name = self.name;
        let name = name
            .strip_suffix("_ptsz")
            .or_else(|| name.strip_suffix("_ptds"))
            .unwrap_or(name);
        match name.rsplit_once("_v") {
            Some((base, digits))
                if digits.len() == 1 && digits.bytes().all(|b| b.is_ascii_digit()) =>
            {
                base
            }
            Some(_) | None => name,
        }
    }
}

macro_rules! status {
    (todo) => {
        $crate::table::Status::Todo
    };
    (never($why:literal)) => {
        $crate::table::Status::Never($why)
    };
    (call($($path:tt)*)) => {
        $crate::table::Status::Call
    };
    (early($($path:tt)*)) => {
        $crate::table::Status::Early
    };
}

macro_rules! dispatch {
    ([$($arg:ident),*] todo) => { { $(let _ = $arg;)* Err(CUresult::NOT_SUPPORTED) } };
    ([$($arg:ident),*] never($why:literal)) => { { $(let _ = $arg;)* Err(CUresult::NOT_SUPPORTED) } };
    ([$($arg:ident),*] $status:ident($($path:tt)*)) => { $crate::api::$($path)*($($arg),*) };
}

macro_rules! api_table {
    ($area:literal; $(
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) since $since:literal = $status:ident $(($($path:tt)*))?;
    )*) => {
        /// The rows of this area.
        pub(super) static ROWS: &[&$crate::table::Entry] = &[$(&$name::ENTRY),*];

        $(
            #[allow(non_snake_case, clippy::wildcard_imports, unused_imports, reason = "a module per exported name")]
            mod $name {
                use super::*;

                pub(super) static ENTRY: $crate::table::Entry = $crate::table::Entry::new(
                    stringify!($name),
                    $area,
                    $since,
                    status!($status $(($($path)*))?),
                    &[$(stringify!($ty)),*],
                    || $name as *const core::ffi::c_void,
                );

                #[unsafe(no_mangle)]
                extern "C" fn $name($($arg: $ty),*) -> CUresult {
                    $crate::boundary::enter(
                        &ENTRY,
                        &[$((stringify!($arg), &$arg as &dyn core::fmt::Debug)),*],
                        || dispatch!([$($arg),*] $status $(($($path)*))?),
                    )
                }
            }
        )*
    };
}

macro_rules! areas {
    ($($area:ident,)*) => {
        $(mod $area;)*

        /// All rows, by area.
        pub fn rows() -> impl Iterator<Item = &'static Entry> {
            [$($area::ROWS),*].into_iter().flatten().copied()
        }
    };
}

areas! {
    init, version, error, entry_point, device, primary_context, context, module, library_kernel, memory, vmm, mempool,
    unified_addressing, stream, stream_memop, event, exec_launch, occupancy, graph, external_resource,
    texture_surface_object, texref_surfref, tensormap, peer, multicast, green_context, graphics_interop, gl_interop,
    egl_interop, vdpau_interop, profiler, coredump, checkpoint, logs, undocumented,
}

/// Outcome of a search by `cuGetProcAddress`.
#[derive(Clone, Copy, Debug)]
pub enum Found {
    /// This row.
    Entry(&'static Entry),
    /// No function of that name.
    NoName,
    /// The function appeared after the version asked for.
    TooNew,
}

/// The form of `base` that a program written for CUDA `version` means: the newest not newer than that, and the
/// per-thread-default-stream form if asked for and there is one.
pub fn find(base: &str, version: i32, per_thread: bool) -> Found {
    static INDEX: OnceLock<HashMap<&'static str, Vec<&'static Entry>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: HashMap<&'static str, Vec<&'static Entry>> = HashMap::new();
        for entry in rows().filter(|entry| entry.since > 0) {
            index.entry(entry.base()).or_default().push(entry);
        }
        index
    });
    let Some(forms) = index.get(base) else {
        return Found::NoName;
    };
    let newest = |wanted: bool| {
        forms
            .iter()
            .filter(|e| e.per_thread() == wanted && e.since <= version)
            .max_by_key(|e| (e.since, e.name))
            .copied()
    };
    let entry = if per_thread {
        newest(true).or_else(|| newest(false))
    } else {
        newest(false)
    };
    entry.map_or(Found::TooNew, Found::Entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(base: &str, version: i32, per_thread: bool) -> &'static str {
        match find(base, version, per_thread) {
            Found::Entry(entry) => entry.name,
            Found::NoName => "no name",
            Found::TooNew => "too new",
        }
    }

    #[test]
    fn there_are_675_rows_with_distinct_names() {
        let mut names: Vec<_> = rows().map(|e| e.name).collect();
        assert_eq!(names.len(), 675);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 675);
    }

    #[test]
    fn versions_choose_the_form() {
        assert_eq!(name("cuCtxCreate", 3020, false), "cuCtxCreate_v2");
        assert_eq!(name("cuCtxCreate", 13000, false), "cuCtxCreate_v4");
        assert_eq!(name("cuDeviceGetUuid", 9020, false), "cuDeviceGetUuid");
        assert_eq!(name("cuCtxGetDevice", 13000, false), "cuCtxGetDevice_v2");
        assert_eq!(name("cuCtxGetDevice", 12090, false), "cuCtxGetDevice");
        assert_eq!(
            name("cuMemcpyBatchAsync", 12080, false),
            "cuMemcpyBatchAsync"
        );
        assert_eq!(
            name("cuMemcpyBatchAsync", 13000, false),
            "cuMemcpyBatchAsync_v2"
        );
        assert_eq!(name("cuEventRecord", 7000, true), "cuEventRecord_ptsz");
        assert_eq!(name("cuEventRecord", 2000, true), "cuEventRecord");
        assert_eq!(name("cuEventCreate", 7000, true), "cuEventCreate");
        assert_eq!(name("cuMemcpyHtoD", 7000, true), "cuMemcpyHtoD_v2_ptds");
        assert_eq!(name("cuLogsCurrent", 12080, false), "too new");
        assert_eq!(name("", 0, false), "no name");
        assert_eq!(name("cuMemAlloc_v2", 13000, false), "no name");
    }
}
