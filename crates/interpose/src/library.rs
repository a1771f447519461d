//! Our libraries that stand in for NVIDIA's, whatever path a program found those by.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The file that this library was loaded from.
pub(crate) fn own_path() -> Option<&'static Path> {
    static PATH: OnceLock<Option<PathBuf>> = OnceLock::new();
    PATH.get_or_init(find_path).as_deref()
}

/// The folder of that file: our other libraries lie beside it.
pub(crate) fn folder() -> Option<&'static Path> {
    own_path()?.parent()
}

fn find_path() -> Option<PathBuf> {
    // SAFETY: all zeros is a valid value of this plain struct.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here = find_path as fn() -> Option<PathBuf> as *const libc::c_void;
    // SAFETY: an address in this library, and a struct to fill.
    if unsafe { libc::dladdr(here, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader gives a C string that lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(name.to_str().ok()?))
}

/// The address at which this copy of the library was loaded.
pub(crate) fn load_address() -> Option<usize> {
    // SAFETY: as above.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here = find_path as fn() -> Option<PathBuf> as *const libc::c_void;
    // SAFETY: as above.
    let found = unsafe { libc::dladdr(here, &raw mut info) } != 0;
    found.then_some(info.dli_fbase.addr())
}

/// Libraries replaced by ours, by the start of their name.
const REPLACED: [&str; 5] = [
    "libcudart",
    "libcuda",
    "libnvJitLink",
    "libnvidia-ml",
    "libnvidia-ptxjitcompiler",
];

/// The name under which we have the library that a program asks for, if it is one of those that
/// we replace: `/x/libcudart-0123abcd.so.12.9.79` is our `libcudart.so.12`.
pub(crate) fn replaced_name(asked: &str) -> Option<String> {
    let file = asked.rsplit('/').next()?;
    let (stem, version) = file.split_once(".so")?;
    let stem = match stem.rsplit_once('-') {
        // Wheels are repaired by putting a hash into the names of the libraries they bring.
        Some((before, hash))
            if hash.len() >= 6 && hash.chars().all(|digit| digit.is_ascii_hexdigit()) =>
        {
            before
        }
        Some(_) | None => stem,
    };
    let known = REPLACED.into_iter().find(|&known| known == stem)?;
    let major: String = version
        .strip_prefix('.')
        .unwrap_or_default()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    // The driver's libraries carry its whole version; programs ask for `.1`.
    let is_driver = matches!(
        known,
        "libcuda" | "libnvidia-ml" | "libnvidia-ptxjitcompiler"
    );
    match (major.as_str(), is_driver) {
        ("", _) if version.is_empty() => Some(format!("{known}.so")),
        ("", _) => None,
        (_, true) => Some(format!("{known}.so.1")),
        (major, false) => Some(format!("{known}.so.{major}")),
    }
}

#[cfg(test)]
mod tests {
    use super::replaced_name;

    #[test]
    fn names_are_recognised() {
        let is = |asked, ours: Option<&str>| {
            assert_eq!(replaced_name(asked).as_deref(), ours, "{asked}");
        };
        is("libcudart.so.12", Some("libcudart.so.12"));
        is("/venv/nvidia/lib/libcudart.so.13", Some("libcudart.so.13"));
        is("libcudart.so.12.9.79", Some("libcudart.so.12"));
        is("libcudart-9c0e8eb7.so.12", Some("libcudart.so.12"));
        is("libcudart.so", Some("libcudart.so"));
        is("libcuda.so.580.142", Some("libcuda.so.1"));
        is("libnvidia-ml.so.1", Some("libnvidia-ml.so.1"));
        is("libcudart_static.so", None);
        is("libcudart-tools.so.12", None);
        is("libcublas.so.12", None);
        is("libcuda.sock", None);
        is("libc.so.6", None);
        is("", None);
    }
}
