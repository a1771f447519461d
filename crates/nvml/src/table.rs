//! The API table: every exported function, one row each.
//!
//! ```text
//! fn nvmlDeviceGetName(device: Device, name: Out<c_char>, length: u32) = call(device::name);
//! ```
//! After `=`: `call(path)` a function of `crate::api` that needs `nvmlInit`; `early(path)` one that does not;
//! `not_supported` answers `NVML_ERROR_NOT_SUPPORTED` after the checks. `nvmlErrorString`, which has another result
//! type, is in [`crate::result`].
// Names and signatures: nvml.h 13.0. See PROVENANCE.md.

use std::sync::atomic::AtomicU64;

/// A row.
#[derive(Debug)]
pub struct Entry {
    /// Exported name.
    pub name: &'static str,
    /// Area of the API.
    pub area: &'static str,
    /// Whether there is something behind it.
    pub supported: bool,
    /// Calls so far.
    pub calls: AtomicU64,
}

impl Entry {
    pub(crate) const fn new(name: &'static str, area: &'static str, supported: bool) -> Self {
        Self {
            name,
            area,
            supported,
            calls: AtomicU64::new(0),
        }
    }
}

mod types {
    pub(super) use std::ffi::{c_char, c_ulong};

    pub(super) use crate::Return;
    pub(super) use crate::ffi::{In, Opt, Out};
    pub(super) use crate::types::*;
}

macro_rules! row {
    (supported not_supported) => {
        false
    };
    (supported $other:ident) => {
        true
    };
    (enter $entry:ident [$($arg:ident),*] not_supported) => {
        $crate::boundary::enter(&$entry, &[$(&$arg),*], |_| {
            $(let _ = $arg;)*
            Err(Return::NotSupported)
        })
    };
    (enter $entry:ident [$($arg:ident),*] call($($path:tt)*)) => {
        $crate::boundary::enter(&$entry, &[$(&$arg),*], |session| $crate::api::$($path)*(session, $($arg),*))
    };
    (enter $entry:ident [$($arg:ident),*] early($($path:tt)*)) => {
        $crate::boundary::early(&$entry, || $crate::api::$($path)*($($arg),*))
    };
}

macro_rules! api_table {
    ($area:literal; $(
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) = $status:ident $(($($path:tt)*))?;
    )*) => {
        /// The rows of this area.
        pub(super) static ROWS: &[&$crate::table::Entry] = &[$(&$name::ENTRY),*];

        $(
            #[allow(non_snake_case, clippy::wildcard_imports, unused_imports, reason = "a module per exported name")]
            mod $name {
                use super::*;

                pub(super) static ENTRY: $crate::table::Entry =
                    $crate::table::Entry::new(stringify!($name), $area, row!(supported $status));

                /// See the NVML API Reference.
                #[unsafe(no_mangle)]
                pub extern "C" fn $name($($arg: $ty),*) -> Return {
                    row!(enter ENTRY [$($arg),*] $status $(($($path)*))?)
                }
            }
            pub use $name::$name;
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

        /// The exported functions, for Rust callers.
        pub mod functions {
            $(pub use super::$area::*;)*
        }
    };
}

areas! {
    system, unit, device, process, power, topology, event, nvlink, mig, vgpu, conf_compute, gpm,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<_> = rows().map(|e| e.name).collect();
        assert_eq!(names.len(), 397);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 397);
    }
}
