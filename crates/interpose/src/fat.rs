//! What an object's fat binaries tell about the toolkit that made it.

use crate::names::Major;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{LittleEndian, elf};

/// The newest versions (major, minor) in an object's fat binaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Versions {
    /// Of the PTX ISA.
    pub ptx: Option<(u32, u32)>,
    /// Of the `ptxas` that made machine code. Other compilers than nvcc write older PTX than the toolkit has, but
    /// leave machine code to the toolkit's own `ptxas`.
    pub toolkit: Option<(u32, u32)>,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let end = at.checked_add(2)?;
    Some(u16::from_le_bytes(bytes.get(at..end)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let end = at.checked_add(4)?;
    Some(u32::from_le_bytes(bytes.get(at..end)?.try_into().ok()?))
}

fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    let end = at.checked_add(8)?;
    let word = u64::from_le_bytes(bytes.get(at..end)?.try_into().ok()?);
    usize::try_from(word).ok()
}

impl Versions {
    /// What a section of containers tells; of damaged ones, what is before the damage.
    pub(crate) fn of(section: &[u8]) -> Self {
        let mut found = Self::default();
        let _ = found.read(section);
        found
    }

    fn read(&mut self, section: &[u8]) -> Option<()> {
        const CONTAINER: u32 = 0xBA55_ED50;
        const PTX: u16 = 1;
        const CODE: u16 = 2;
        let mut at = 0;
        while at + 16 <= section.len() {
            if u32_at(section, at)? != CONTAINER {
                // Containers start at multiples of 8.
                at += 8;
                continue;
            }
            let mut entry = at + usize::from(u16_at(section, at + 6)?);
            let end = entry
                .checked_add(size_at(section, at + 8)?)?
                .min(section.len());
            while entry + 64 <= end {
                let header = usize::try_from(u32_at(section, entry + 4)?).ok()?;
                let start = entry.checked_add(header)?;
                let next = start.checked_add(size_at(section, entry + 8)?)?;
                match u16_at(section, entry)? {
                    PTX => {
                        let minor = u32::from(u16_at(section, entry + 24)?);
                        let version = (u32::from(u16_at(section, entry + 26)?), minor);
                        self.ptx = self.ptx.max(Some(version));
                    }
                    // Compressed ones (nvcc's, whose PTX is the toolkit's) tell nothing.
                    CODE => {
                        let code = section.get(start..next).and_then(maker);
                        self.toolkit = self.toolkit.max(code);
                    }
                    _ => {}
                }
                entry = next;
                if header == 0 {
                    break;
                }
            }
            at = end.max(at + 16).next_multiple_of(8);
        }
        Some(())
    }

    /// The minor version of the runtime that came with the toolkit; `None` if nothing of that major version tells.
    pub(crate) fn minor(&self, major: Major) -> Option<u32> {
        let number = match major {
            Major::Cuda12 => 12,
            Major::Cuda13 => 13,
        };
        let by_code = self
            .toolkit
            .and_then(|(of, minor)| (of == number).then_some(minor));
        by_code.max(self.ptx.and_then(|version| minor_of(major, version)))
    }
}

/// The version of the `ptxas` that made an uncompressed cubin: in the ELF header until CUDA 12, in a note since
/// CUDA 13 (as `readelf -h` and `readelf -n` show).
fn maker(cubin: &[u8]) -> Option<(u32, u32)> {
    const NOTE: &[u8] = b".note.nv.cuinfo";
    /// Head and name of the note, two numbers before the version.
    const AT: usize = 12 + 12 + 4;
    let header = FileHeader64::<LittleEndian>::parse(cubin).ok()?;
    let split = |tenfold: u32| (tenfold >= 100).then_some((tenfold / 10, tenfold % 10));
    if let Some(version) = split(header.e_version(LittleEndian)) {
        return Some(version);
    }
    let sections = header.sections(LittleEndian, cubin).ok()?;
    let (_, note) = sections.section_by_name(LittleEndian, NOTE)?;
    if note.sh_type(LittleEndian) != elf::SHT_NOTE {
        return None;
    }
    let tenfold = u16_at(note.data(LittleEndian, cubin).ok()?, AT)?;
    split(tenfold.into())
}

/// The toolkit's minor version for a PTX ISA version (PTX ISA 9.0, "Release Notes").
fn minor_of(major: Major, (ptx_major, ptx_minor): (u32, u32)) -> Option<u32> {
    match (major, ptx_major) {
        (Major::Cuda12, 8) => Some(match ptx_minor {
            0..=5 => ptx_minor,
            // 8.6 came with 12.7, 8.7 with 12.8, 8.8 with 12.9.
            _ => (ptx_minor + 1).min(9),
        }),
        (Major::Cuda13, 9) => Some(ptx_minor.min(9)),
        (Major::Cuda12 | Major::Cuda13, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_versions_give_minor_versions() {
        assert_eq!(minor_of(Major::Cuda12, (8, 3)), Some(3));
        assert_eq!(minor_of(Major::Cuda12, (8, 8)), Some(9));
        assert_eq!(minor_of(Major::Cuda13, (9, 0)), Some(0));
        assert_eq!(minor_of(Major::Cuda13, (8, 8)), None);
    }

    fn entry(kind: u8, version: (u16, u16), payload: &[u8]) -> Vec<u8> {
        let mut entry = vec![0_u8; 64];
        entry[0] = kind;
        entry[4] = 64;
        entry[8..16].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        entry[24..26].copy_from_slice(&version.1.to_le_bytes());
        entry[26..28].copy_from_slice(&version.0.to_le_bytes());
        entry.extend(payload);
        entry
    }

    fn container(entries: &[Vec<u8>]) -> Vec<u8> {
        let all = entries.concat();
        let mut section = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
        section.extend((all.len() as u64).to_le_bytes());
        section.extend(all);
        section
    }

    /// A cubin's ELF header.
    fn cubin(version: u8) -> [u8; 64] {
        let mut head = [0_u8; 64];
        head[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        head[16] = 2;
        head[18] = 0xbe;
        head[20] = version;
        head[52] = 64;
        head
    }

    #[test]
    fn the_newest_ptx_counts() {
        let section = container(&[entry(1, (8, 8), &[0; 8]), entry(1, (9, 0), &[0; 8])]);
        let told = Versions::of(&section);
        assert_eq!(told.ptx, Some((9, 0)));
        assert_eq!(told.minor(Major::Cuda13), Some(0));
        assert_eq!(Versions::of(&section[..40]), Versions::default());
        assert_eq!(Versions::of(&[]), Versions::default());
    }

    #[test]
    fn machine_code_tells_its_toolkit() {
        // clang 19 with CUDA 12.9: PTX 8.5 beside code of ptxas 12.9.
        let section = container(&[entry(2, (1, 7), &cubin(129)), entry(1, (8, 5), &[0; 8])]);
        let told = Versions::of(&section);
        assert_eq!((told.ptx, told.toolkit), (Some((8, 5)), Some((12, 9))));
        assert_eq!(told.minor(Major::Cuda12), Some(9));
        // Code of another major version is somebody else's.
        assert_eq!(told.minor(Major::Cuda13), None);
        // Compressed or damaged: PTX alone.
        let section = container(&[entry(2, (1, 7), &[7; 64]), entry(1, (8, 5), &[0; 8])]);
        assert_eq!(Versions::of(&section).minor(Major::Cuda12), Some(5));
        let mut plain = cubin(1);
        plain[40] = 0xff;
        assert_eq!(maker(&plain), None);
    }
}
