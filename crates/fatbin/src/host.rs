//! Fat binaries inside an executable, object or library on disk.

use object::{Object, ObjectSection, ObjectSymbol};

use crate::{
    CONTAINER_HEADER_BYTES, CONTAINER_MAGIC, Container, Error, IsaVersion, Kind, WRAPPER_BYTES,
    Wrapper, cuda_release_of_ptx,
};

/// Sections that hold containers: linked, and relocatable before device linking.
const CONTAINER_SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];
/// The section of wrappers.
const WRAPPER_SECTION: &str = ".nvFatBinSegment";

/// How a program reaches the CUDA runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// Needs `libcudart.so.MAJOR`.
    Shared {
        /// The major version in the library's name.
        major: u32,
    },
    /// Carries its own, with symbols left in `.symtab`.
    Static,
    /// No sign of one: a Driver API program, a stripped static one, or no CUDA program.
    None,
}

/// A container in a host file.
#[derive(Debug, Clone, Copy)]
pub struct HostContainer<'a> {
    /// The section it is in.
    pub section: &'static str,
    /// Where in that section, in bytes.
    pub offset: usize,
    /// The container.
    pub container: Container<'a>,
}

/// What a host file says about CUDA.
#[derive(Debug, Clone)]
pub struct HostFatbins<'a> {
    /// All containers.
    pub containers: Vec<HostContainer<'a>>,
    /// How many wrappers there are. Their addresses need relocation and are not followed.
    pub wrappers: usize,
    /// How the program reaches the runtime.
    pub runtime: Runtime,
}

impl HostFatbins<'_> {
    /// The newest PTX ISA version among all entries.
    #[must_use]
    pub fn newest_ptx(&self) -> Option<IsaVersion> {
        self.containers
            .iter()
            .flat_map(|host| host.container.entries())
            .filter_map(Result::ok)
            .filter(|entry| entry.kind == Kind::Ptx)
            .map(|entry| entry.version)
            .max()
    }

    /// The CUDA release (major, minor) of the nvcc that built the file, judged by its PTX.
    #[must_use]
    pub fn toolkit(&self) -> Option<(u16, u16)> {
        self.newest_ptx().and_then(cuda_release_of_ptx)
    }
}

/// The members of an archive of objects (`ar`), names and bytes. Symbol tables and name tables are none.
///
/// # Errors
/// [`Error::BadElf`] when it is not an archive, or members lie outside it.
pub fn members_of_library(file: &[u8]) -> Result<Vec<(String, &[u8])>, Error> {
    let archive = object::read::archive::ArchiveFile::parse(file).map_err(|_| Error::BadElf)?;
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member.map_err(|_| Error::BadElf)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        members.push((name, member.data(file).map_err(|_| Error::BadElf)?));
    }
    Ok(members)
}

/// Finds the containers and the runtime of an ELF file.
///
/// # Errors
/// [`Error::BadElf`], and the container's own errors with offsets in their section.
pub fn fatbins_in_executable(file: &[u8]) -> Result<HostFatbins<'_>, Error> {
    let elf = object::File::parse(file).map_err(|_| Error::BadElf)?;
    let mut containers = Vec::new();
    let mut wrappers = 0;
    for section in elf.sections() {
        let Ok(name) = section.name() else { continue };
        if name == WRAPPER_SECTION {
            let data = section.data().map_err(|_| Error::BadElf)?;
            // Before relocation the address may be zero; the magic and version are there in any case.
            wrappers += data
                .chunks_exact(WRAPPER_BYTES)
                .filter(|wrapper| !matches!(Wrapper::parse(wrapper), Err(Error::BadMagic { .. })))
                .count();
        }
        if let Some(&section_name) = CONTAINER_SECTIONS.iter().find(|&&known| known == name) {
            let data = section.data().map_err(|_| Error::BadElf)?;
            walk(section_name, data, &mut containers)?;
        }
    }
    Ok(HostFatbins {
        containers,
        wrappers,
        runtime: runtime_of(&elf),
    })
}

fn walk<'a>(
    section: &'static str,
    data: &'a [u8],
    containers: &mut Vec<HostContainer<'a>>,
) -> Result<(), Error> {
    const ALIGN: usize = 8;
    let mut offset = 0;
    while let Some(rest) = data
        .get(offset..)
        .filter(|rest| rest.len() >= CONTAINER_HEADER_BYTES)
    {
        if !rest.starts_with(&CONTAINER_MAGIC.to_le_bytes()) {
            // Padding between containers of several objects.
            offset += ALIGN;
            continue;
        }
        let container = Container::parse(rest)?;
        containers.push(HostContainer {
            section,
            offset,
            container,
        });
        offset = (offset + container.bytes().len()).next_multiple_of(ALIGN);
    }
    Ok(())
}

fn runtime_of(elf: &object::File<'_>) -> Runtime {
    // The file's own linker-visible needs: DT_NEEDED names are in .dynstr, found through `imported libraries`.
    if let Some(major) = needed_cudart(elf) {
        return Runtime::Shared { major };
    }
    let defines = elf
        .symbols()
        .any(|symbol| symbol.is_definition() && symbol.name() == Ok("__cudaRegisterFatBinary"));
    if defines {
        Runtime::Static
    } else {
        Runtime::None
    }
}

fn needed_cudart(elf: &object::File<'_>) -> Option<u32> {
    const DT_NULL: u64 = 0;
    const DT_NEEDED: u64 = 1;
    const ENTRY: usize = 16;
    let dynamic = elf.section_by_name(".dynamic")?.data().ok()?;
    let strings = elf.section_by_name(".dynstr")?.data().ok()?;
    for entry in dynamic.chunks_exact(ENTRY) {
        let word = |at: usize| -> Option<u64> {
            Some(u64::from_le_bytes(entry.get(at..at + 8)?.try_into().ok()?))
        };
        match word(0)? {
            DT_NULL => return None,
            DT_NEEDED => {
                let name = strings.get(usize::try_from(word(8)?).ok()?..)?;
                let name = name.split(|&byte| byte == 0).next()?;
                if let Some(version) = name.strip_prefix(b"libcudart.so.") {
                    let major = version.split(|&byte| byte == b'.').next()?;
                    return std::str::from_utf8(major).ok()?.parse().ok();
                }
            }
            _ => {}
        }
    }
    None
}
