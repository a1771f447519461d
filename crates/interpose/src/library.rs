//! Our libraries that stand in for NVIDIA's, whatever path a program found those by.

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
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

/// Start of the names of [`copy`]'s files.
const COPY: &str = "antlerite-copy-of-";

/// A copy of a library of ours, and a name under which the loader takes it for another library than the original and
/// than all other copies. The copy holds what is loaded, no more, and lives as long as it is mapped.
///
/// # Errors
/// It cannot be read, is no ELF file, or there is no memory.
pub(crate) fn copy(path: &Path, number: u32) -> io::Result<(OwnedFd, CString)> {
    let mut bytes = std::fs::read(path)?;
    let end = loaded_end(&bytes).ok_or(io::ErrorKind::InvalidData)?;
    bytes.truncate(end);
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let name = CString::new(format!("{COPY}{file}"))?;
    // SAFETY: a C string.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor just made, owned by nobody else.
    let memfd = unsafe { OwnedFd::from_raw_fd(fd) };
    std::fs::File::from(memfd.try_clone()?).write_all_at(&bytes, 0)?;
    // The loader compares names first: the same descriptor number may come again.
    let turns = "./".repeat(usize::try_from(number % 1000).unwrap_or(0));
    let name = CString::new(format!("/proc/self/{turns}fd/{fd}"))?;
    Ok((memfd, name))
}

/// Whether the loader's name of an object is that of a [`copy`] (asked while it is being loaded).
pub(crate) fn is_copy(name: &str) -> bool {
    name.starts_with("/proc/self/")
        && std::fs::read_link(name)
            .is_ok_and(|to| to.to_string_lossy().contains(&format!("/memfd:{COPY}")))
}

/// Where the last loaded byte of an ELF file lies.
fn loaded_end(bytes: &[u8]) -> Option<usize> {
    let header = FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, bytes).ok()?;
    let end = segments
        .iter()
        .filter(|s| s.p_type(endian) == object::elf::PT_LOAD)
        .map(|s| s.p_offset(endian).saturating_add(s.p_filesz(endian)))
        .max()?;
    usize::try_from(end).ok().filter(|&end| end <= bytes.len())
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
