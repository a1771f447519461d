//! Looks into the file behind a loaded object for a static CUDA runtime.

use crate::fat::Versions;
use crate::names::Major;
use object::elf::{FileHeader64, STT_FUNC};
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _, Sym as _};
use object::{Endianness, elf};
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsRawFd as _;

type Elf = FileHeader64<Endianness>;

/// A file mapped for reading.
struct Mapped {
    start: *mut libc::c_void,
    length: usize,
}

impl Mapped {
    fn open(path: &str) -> Option<Mapped> {
        let file = File::open(path).ok()?;
        let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
        if length < size_of::<Elf>() {
            return None;
        }
        // SAFETY: a new private mapping of an open file.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_PRIVATE,
                file.as_raw_fd(),
                0,
            )
        };
        (start != libc::MAP_FAILED).then_some(Mapped { start, length })
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: mapped for this length until drop. The loader has the same file mapped as code:
        // who truncates or rewrites it breaks the program anyway.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: our own mapping, and no slice of it outlives it.
        unsafe { libc::munmap(self.start, self.length) };
    }
}

/// A function to redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// Address as linked; the object's load address is added.
    pub address: u64,
    /// Bytes that may be overwritten: the function and the padding behind it.
    pub room: u64,
    /// Place of the name in [`Major::names`].
    pub index: u32,
}

/// What an object turned out to hold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// No static CUDA runtime (or one of ours, which needs no help).
    Plain,
    /// NVIDIA's static runtime, with its symbol table.
    Runtime(Runtime),
    /// Kernels, and a static runtime whose symbol table was stripped.
    Stripped,
    /// A static runtime of a major version that we do not have.
    Foreign {
        /// The major version, as far as the symbols tell.
        major: u32,
    },
}

/// A static runtime that can be redirected.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Runtime {
    pub major: Major,
    /// Minor version, from the kernels that the object holds.
    pub minor: Option<u32>,
    pub functions: Vec<Function>,
    /// Executable segments: linked address, size.
    pub text: Vec<(u64, u64)>,
}

/// Defined by every object that holds a static runtime, whoever made it.
const WITNESS: &str = "__cudaRegisterFatBinary";
/// Defined by our own static runtime only.
const OURS: &[u8] = b"antlerite_cudart_handles";
/// Functions are placed at multiples of this by NVIDIA's and everyone's compilers; the bytes up
/// to the next multiple belong to no other function.
const ALIGNMENT: u64 = 16;

/// Looks at the file of a loaded object. Files that cannot be read or understood are `Plain`.
pub(crate) fn inspect(path: &str) -> Contents {
    match Mapped::open(path) {
        Some(file) => inspect_bytes(file.bytes()).unwrap_or(Contents::Plain),
        None => Contents::Plain,
    }
}

fn inspect_bytes(data: &[u8]) -> Option<Contents> {
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    if header.e_machine(endian) != elf::EM_X86_64 {
        return None;
    }
    let sections = header.sections(endian, data).ok()?;
    let mut text = Vec::new();
    for segment in header.program_headers(endian, data).ok()? {
        if segment.p_type(endian) == elf::PT_LOAD && segment.p_flags(endian) & elf::PF_X != 0 {
            text.push((segment.p_vaddr(endian), segment.p_memsz(endian)));
        }
    }
    let full = sections.symbols(endian, data, elf::SHT_SYMTAB).ok()?;
    let dynamic = sections.symbols(endian, data, elf::SHT_DYNSYM).ok()?;
    let stripped = full.is_empty();
    let table = if stripped { &dynamic } else { &full };

    // Most objects end here: the name is not in their string table at all.
    let mentions = sections
        .section(table.string_section())
        .ok()
        .and_then(|strings| strings.data(endian, data).ok())
        .is_some_and(|strings| contains(strings, WITNESS.as_bytes()));
    if !mentions {
        let fat = sections.section_by_name(endian, b".nvFatBinSegment");
        // Kernels, but no call to register them: the names were stripped with the runtime's code.
        return Some(match fat {
            Some(_) if stripped => Contents::Stripped,
            Some(_) | None => Contents::Plain,
        });
    }

    let mut defined: HashMap<&[u8], (u64, u64)> = HashMap::new();
    let mut starts = Vec::new();
    for symbol in table.iter() {
        let name = symbol.name(endian, table.strings()).unwrap_or_default();
        if name == OURS {
            return Some(Contents::Plain);
        }
        let shndx = symbol.st_shndx(endian);
        if symbol.st_type() != STT_FUNC || shndx == elf::SHN_UNDEF {
            continue;
        }
        starts.push(symbol.st_value(endian));
        if name.starts_with(b"cuda") || name.starts_with(b"__cuda") {
            defined.insert(name, (symbol.st_value(endian), symbol.st_size(endian)));
        }
    }
    if !defined.contains_key(WITNESS.as_bytes()) {
        return Some(Contents::Plain);
    }
    starts.sort_unstable();

    let told = sections
        .section_by_name(endian, b".nv_fatbin")
        .and_then(|(_, section)| section.data(endian, data).ok())
        .map(Versions::of)
        .unwrap_or_default();
    let major = match major_of(&defined, told.ptx) {
        Ok(major) => major,
        Err(number) => return Some(Contents::Foreign { major: number }),
    };
    let mut functions = Vec::new();
    for (index, name) in (0..).zip(major.names()) {
        if let Some(&(address, size)) = defined.get(name.as_bytes()) {
            let next = starts
                .get(starts.partition_point(|&start| start <= address))
                .copied();
            let padded = (address + size.max(1)).next_multiple_of(ALIGNMENT);
            let end = next.map_or(padded, |next| padded.min(next));
            functions.push(Function {
                address,
                room: end - address,
                index,
            });
        }
    }
    Some(Contents::Runtime(Runtime {
        major,
        minor: told.minor(major),
        functions,
        text,
    }))
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    // SAFETY: both pointers are readable for their lengths.
    let found = unsafe {
        libc::memmem(
            haystack.as_ptr().cast(),
            haystack.len(),
            needle.as_ptr().cast(),
            needle.len(),
        )
    };
    !found.is_null()
}

/// The major version, by functions that only one has. `Err` is one that we lack.
fn major_of(defined: &HashMap<&[u8], (u64, u64)>, ptx: Option<(u32, u32)>) -> Result<Major, u32> {
    let has = |name: &str| defined.contains_key(name.as_bytes());
    if has("__cudaGetProcAddress") || has("cudaMemGetMemPool") || has("cudaLogsCurrent") {
        return Ok(Major::Cuda13);
    }
    if has("cudaGetDeviceProperties_v2") {
        return Ok(Major::Cuda12);
    }
    if has("cudaBindTexture") || has("__cudaRegisterTexture") {
        return Err(11);
    }
    // The linker kept only what is used: the PTX tells.
    match ptx {
        Some((9.., _)) => Ok(Major::Cuda13),
        Some((8, _)) => Ok(Major::Cuda12),
        Some(_) => Err(11),
        None => Ok(Major::Cuda13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_without_cuda_are_plain() {
        let own = std::env::current_exe().expect("a path");
        assert_eq!(inspect(own.to_str().expect("UTF-8")), Contents::Plain);
        assert_eq!(inspect("/nonexistent"), Contents::Plain);
        assert_eq!(inspect("/proc/self/status"), Contents::Plain);
    }

    #[test]
    fn damaged_files_are_plain() {
        let own = std::fs::read("/proc/self/exe").expect("readable");
        for length in [64, 100, 4096, own.len() / 2] {
            let contents = inspect_bytes(&own[..length]).unwrap_or(Contents::Plain);
            assert_eq!(contents, Contents::Plain, "{length} bytes");
        }
    }
}
