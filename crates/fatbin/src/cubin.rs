//! The cubin: compiled kernels and variables of one module for the virtual GPU, as an ELF64 file.
//!
//! The outer shape is the one that tools expect of a cubin (`e_machine` 190, `.text.<kernel>`, `.nv.global.init`,
//! `.nv.constant3`, symbols, RELA relocations); what is ours is marked as ours: OS ABI [`OSABI`], a note named
//! `Antlerite` with [`FORMAT`], and the section `.antlerite.info` with everything that is not bytes of code or data
//! (`postcard`). For loaders that fill launch descriptors themselves there are `.nv.info` and its kin
//! (`cubin/attributes.rs`), which our own does not read. The same [`Cubin`] always gives the same bytes. The reader checks every offset and count.

mod attributes;

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;

/// Version of the container; the reader accepts exactly this one.
pub const FORMAT: u32 = 1;
/// `EM_CUDA` (ELF machine number assigned to NVIDIA CUDA).
pub const EM_CUDA: u16 = 190;
/// OS ABI byte of our own ("A"), so that nobody takes the code for that of a real device.
pub const OSABI: u8 = 0xa7;
/// Alignment of a kernel's image in the file and in GPU memory, bytes.
const TEXT_ALIGN: u64 = 256;
/// Kernels, variables, sections or relocations that a reader accepts at most.
const COUNT_MAX: usize = 1 << 20;
const NOTE_NAME: &[u8; 10] = b"Antlerite\0";

/// What a module was compiled to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cubin {
    /// Host instruction sets that the code needs: bits of `abi::sm::isa`.
    pub isa: u32,
    /// Compute capability compiled for, major × 10 + minor.
    pub cc: u32,
    /// Virtual architecture of the source, major × 10 + minor (80 for `.target sm_80`).
    pub ptx_version: u32,
    /// Version of the compiler.
    pub driver: String,
    /// Kernels, in source order.
    pub kernels: Vec<Kernel>,
    /// Variables at module scope, in source order.
    pub globals: Vec<Global>,
    /// The PTX that this was made from, where it was kept: for other blocks, other hosts, and further linking. A cubin
    /// of relocatable code (`ptxas -c`) holds nothing else.
    pub source: Option<String>,
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Its name, as written in PTX (mangled).
    pub name: String,
    /// The image: see `abi::sm`. Position independent; loaded at a multiple of 256.
    pub image: Vec<u8>,
    /// 8-byte slots in the image that the loader fills with addresses.
    pub relocs: Vec<Reloc>,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// Static shared memory, bytes.
    pub shared_bytes: u32,
    /// Local memory of one thread, bytes.
    pub local_bytes: u32,
    /// Largest number of threads in a block.
    pub max_threads: u32,
    /// `.reqntid`, 0 where not given.
    pub reqntid: [u32; 3],
    /// Registers per thread to report (`CU_FUNC_ATTRIBUTE_NUM_REGS`): an estimate.
    pub registers: u32,
    /// Constant memory that the kernel itself uses, bytes.
    pub const_bytes: u32,
    /// Block dimensions that the image was specialised for; 0 = any.
    pub block: [u32; 3],
    /// `.maxclusterrank` or the product of `.reqnctapercluster`; 0 where not given.
    pub cluster: [u32; 3],
}

/// An 8-byte slot to fill with the address of a symbol plus `addend`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloc {
    /// Offset of the slot, bytes, a multiple of 8.
    pub offset: u32,
    /// A variable (of this module or, if external, of another).
    pub symbol: String,
    /// Added to the address.
    pub addend: i64,
}

/// A kernel parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Offset in the parameter buffer, bytes.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Alignment, bytes.
    pub align: u32,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Space {
    /// `.global`
    Global,
    /// `.const`
    Const,
}

/// A variable at module scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// Bytes.
    pub size: u64,
    /// Alignment, bytes: a power of two.
    pub align: u32,
    /// First bytes; the rest, up to `size`, is zero.
    pub init: Vec<u8>,
    /// 8-byte slots of the variable that hold addresses. They lie inside `init`.
    pub relocs: Vec<Reloc>,
    /// `.attribute(.managed)`
    pub managed: bool,
    /// `.extern`: another module defines it (then `init` is empty).
    pub external: bool,
}

/// Why bytes are not a cubin of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CubinError {
    /// No ELF64 file at all, or one for another machine.
    #[error("not a cubin of the virtual GPU")]
    Foreign,
    /// A container of another version.
    #[error("cubin format {found}, this reader knows {FORMAT}")]
    Format {
        /// What the file says.
        found: u32,
    },
    /// An offset, size or count does not fit.
    #[error("damaged cubin: {0}")]
    Damaged(&'static str),
    /// Too large to be written (offsets in a slot are 32 bits).
    #[error("too large for a cubin: {0}")]
    TooLarge(String),
}

/// Whether bytes begin as a cubin of ours does. Does not read further than the ELF header.
#[must_use]
pub fn is_antlerite_cubin(bytes: &[u8]) -> bool {
    bytes.len() >= 64
        && bytes[..7] == [0x7f, b'E', b'L', b'F', 2, 1, 1]
        && bytes[7] == OSABI
        && bytes[18..20] == EM_CUDA.to_le_bytes()
}

#[derive(Serialize, Deserialize)]
struct Info {
    isa: u32,
    cc: u32,
    ptx_version: u32,
    driver: String,
    kernels: Vec<KernelInfo>,
    globals: Vec<GlobalInfo>,
}

#[derive(Serialize, Deserialize)]
struct KernelInfo {
    name: String,
    params: Vec<Param>,
    shared_bytes: u32,
    local_bytes: u32,
    max_threads: u32,
    reqntid: [u32; 3],
    registers: u32,
    const_bytes: u32,
    block: [u32; 3],
    cluster: [u32; 3],
}

#[derive(Serialize, Deserialize)]
struct GlobalInfo {
    name: String,
    space: Space,
    size: u64,
    align: u32,
    /// Offset and size of the initial bytes in the section of the space.
    init: (u64, u64),
    managed: bool,
    external: bool,
}

const SHT_PROGBITS: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const SHT_RELA: u32 = 4;
const SHT_NOTE: u32 = 7;
const SHT_NOBITS: u32 = 8;
/// Type of sections that only our own tools read (first application-specific number): no loader uploads them.
const SHT_OURS: u32 = 0x8000_0000;
const R_ABS64: u64 = 2;
const GLOBAL_INIT: &str = ".nv.global.init";
const CONSTANT: &str = ".nv.constant3";
const INFO: &str = ".antlerite.info";
const NOTE: &str = ".note.antlerite";
const SOURCE: &str = ".antlerite.ptx";

struct Section {
    name: String,
    kind: u32,
    flags: u64,
    data: Vec<u8>,
    link: u32,
    info: u32,
    align: u64,
    entsize: u64,
    /// Size of a section without bytes in the file.
    unwritten: u64,
}

fn section(name: &str, kind: u32, align: u64, data: Vec<u8>) -> Section {
    Section {
        name: name.to_owned(),
        kind,
        flags: 0,
        data,
        link: 0,
        info: 0,
        align,
        entsize: 0,
        unwritten: 0,
    }
}

/// A section that is only there if it has bytes: a loader would make an empty constant bank of an empty one.
fn data_section(name: &str, align: u64, kind: u32, data: Vec<u8>) -> Section {
    if data.is_empty() {
        section("", 0, 0, data)
    } else {
        section(name, kind, align, data)
    }
}

/// Offset of `EntryHeader::param_offset` in an image (`abi::sm`).
const IMAGE_PARAM_OFFSET: usize = 48;

impl Kernel {
    /// Where the image expects its parameters in constant bank 0, bytes; 0 if there is no image.
    #[must_use]
    pub fn param_offset(&self) -> u32 {
        u32_at(&self.image, IMAGE_PARAM_OFFSET).unwrap_or(0)
    }
}

/// Strings of a string table, each once.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    known: HashMap<String, u32>,
}

impl Strings {
    fn add(&mut self, text: &str) -> Result<u32, CubinError> {
        if self.bytes.is_empty() {
            self.bytes.push(0);
        }
        if text.is_empty() {
            return Ok(0);
        }
        if let Some(&at) = self.known.get(text) {
            return Ok(at);
        }
        let at =
            u32::try_from(self.bytes.len()).map_err(|_| CubinError::TooLarge(text.to_owned()))?;
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        self.known.insert(text.to_owned(), at);
        Ok(at)
    }
}

/// Symbols: names resolved to indices while relocations are written.
#[derive(Default)]
struct Symbols {
    strings: Strings,
    entries: Vec<[u8; 24]>,
    known: HashMap<String, u64>,
}

impl Symbols {
    fn define(
        &mut self,
        name: &str,
        kind: u8,
        shndx: u16,
        value: u64,
        size: u64,
    ) -> Result<u64, CubinError> {
        let mut entry = [0u8; 24];
        entry[0..4].copy_from_slice(&self.strings.add(name)?.to_le_bytes());
        entry[4] = 0x10 | kind;
        entry[6..8].copy_from_slice(&shndx.to_le_bytes());
        entry[8..16].copy_from_slice(&value.to_le_bytes());
        entry[16..24].copy_from_slice(&size.to_le_bytes());
        if self.entries.is_empty() {
            self.entries.push([0; 24]);
        }
        let index = self.entries.len() as u64;
        self.entries.push(entry);
        self.known.insert(name.to_owned(), index);
        Ok(index)
    }

    fn index(&mut self, name: &str) -> Result<u64, CubinError> {
        match self.known.get(name) {
            Some(&index) => Ok(index),
            None => self.define(name, 0, 0, 0, 0),
        }
    }

    fn rela(&mut self, relocs: &[Reloc], base: u64, out: &mut Vec<u8>) -> Result<(), CubinError> {
        for reloc in relocs {
            let symbol = self.index(&reloc.symbol)?;
            out.extend_from_slice(&(base + u64::from(reloc.offset)).to_le_bytes());
            out.extend_from_slice(&(symbol << 32 | R_ABS64).to_le_bytes());
            out.extend_from_slice(&reloc.addend.to_le_bytes());
        }
        Ok(())
    }
}

fn pad(bytes: &mut Vec<u8>, align: u64) {
    while !(bytes.len() as u64).is_multiple_of(align.max(1)) {
        bytes.push(0);
    }
}

impl Cubin {
    /// The file.
    ///
    /// # Errors
    /// [`CubinError::TooLarge`] if there are more than 2¹⁶ − 256 sections or more bytes than offsets can name.
    pub fn write(&self) -> Result<Vec<u8>, CubinError> {
        // Section numbers are needed by the symbols before the sections exist.
        const FIRST_TEXT: usize = 11;
        const OF_A_KERNEL: usize = 5;
        let text_index = |k: usize| {
            u16::try_from(FIRST_TEXT + OF_A_KERNEL * k)
                .ok()
                .filter(|&index| index < 0xff00)
                .ok_or_else(|| CubinError::TooLarge(format!("{} kernels", self.kernels.len())))
        };
        let mut symbols = Symbols::default();
        let mut data = [Vec::new(), Vec::new()];
        let mut globals = Vec::new();
        let mut placed = Vec::new();
        for global in &self.globals {
            let which = usize::from(global.space == Space::Const);
            let bytes = &mut data[which];
            if !global.init.is_empty() {
                pad(bytes, u64::from(global.align.clamp(8, 256)));
            }
            let at = bytes.len() as u64;
            bytes.extend_from_slice(&global.init);
            placed.push((which, at));
            globals.push(GlobalInfo {
                name: global.name.clone(),
                space: global.space,
                size: global.size,
                align: global.align,
                init: (at, global.init.len() as u64),
                managed: global.managed,
                external: global.external,
            });
            if global.external {
                symbols.define(&global.name, 1, 0, 0, 0)?;
            } else {
                symbols.define(&global.name, 1, [6, 8][which], at, global.size)?;
            }
        }
        let mut entries = Vec::new();
        for (k, kernel) in self.kernels.iter().enumerate() {
            let image_bytes = kernel.image.len() as u64;
            let symbol = symbols.define(&kernel.name, 2, text_index(k)?, 0, image_bytes)?;
            entries.push(
                u32::try_from(symbol).map_err(|_| CubinError::TooLarge("symbols".to_owned()))?,
            );
        }
        let mut rela = [Vec::new(), Vec::new()];
        for (global, &(which, at)) in self.globals.iter().zip(&placed) {
            symbols.rela(&global.relocs, at, &mut rela[which])?;
        }
        let mut texts = Vec::new();
        for (k, kernel) in self.kernels.iter().enumerate() {
            let mut text = section(
                &format!(".text.{}", kernel.name),
                SHT_PROGBITS,
                TEXT_ALIGN,
                kernel.image.clone(),
            );
            text.flags = 6;
            texts.push(text);
            let mut bytes = Vec::new();
            symbols.rela(&kernel.relocs, 0, &mut bytes)?;
            let mut table = section(&format!(".rela.text.{}", kernel.name), SHT_RELA, 8, bytes);
            table.info = u32::from(text_index(k)?);
            texts.push(table);
            let mut own = attributes::kernel(entries[k], kernel);
            own.info = u32::from(text_index(k)?);
            texts.push(own);
            texts.push(attributes::shared(kernel));
            texts.push(attributes::bank0(kernel));
        }
        let info = Info {
            isa: self.isa,
            cc: self.cc,
            ptx_version: self.ptx_version,
            driver: self.driver.clone(),
            kernels: self.kernels.iter().map(kernel_info).collect(),
            globals,
        };
        let info = postcard::to_stdvec(&info).map_err(|e| CubinError::TooLarge(e.to_string()))?;
        let mut note = Vec::new();
        for word in [NOTE_NAME.len() as u32, 4, 1] {
            note.extend_from_slice(&word.to_le_bytes());
        }
        note.extend_from_slice(NOTE_NAME);
        pad(&mut note, 4);
        note.extend_from_slice(&FORMAT.to_le_bytes());

        if symbols.entries.is_empty() {
            symbols.entries.push([0; 24]);
        }
        let mut symtab = section(".symtab", SHT_SYMTAB, 8, symbols.entries.concat());
        symtab.link = 2;
        symtab.info = 1;
        if symbols.strings.bytes.is_empty() {
            symbols.strings.bytes.push(0);
        }
        let [global_init, constant] = data;
        let [global_rela, constant_rela] = rela;
        let mut sections = vec![
            section("", 0, 0, Vec::new()),
            section(".shstrtab", SHT_STRTAB, 1, Vec::new()),
            section(".strtab", SHT_STRTAB, 1, symbols.strings.bytes),
            symtab,
            section(NOTE, SHT_NOTE, 4, note),
            section(INFO, SHT_OURS, 1, info),
            data_section(GLOBAL_INIT, 256, SHT_PROGBITS, global_init),
            data_section(".rela.nv.global.init", 8, SHT_RELA, global_rela),
            data_section(CONSTANT, 256, SHT_PROGBITS, constant),
            data_section(".rela.nv.constant3", 8, SHT_RELA, constant_rela),
            attributes::module(entries.iter().copied().zip(&self.kernels)),
        ];
        sections[6].flags = 3;
        sections[7].info = 6;
        sections[8].flags = 2;
        sections[9].info = 8;
        sections.extend(texts);
        if let Some(source) = &self.source {
            sections.push(section(SOURCE, SHT_OURS, 1, source.clone().into_bytes()));
        }
        let relocatable = self.kernels.is_empty() && self.source.is_some();
        emit(sections, self.cc, relocatable)
    }

    /// Reads a file that [`Cubin::write`] wrote.
    ///
    /// # Errors
    /// [`CubinError::Foreign`] for other files, [`CubinError::Format`] for other versions, [`CubinError::Damaged`]
    /// for anything out of bounds.
    pub fn read(bytes: &[u8]) -> Result<Cubin, CubinError> {
        let (mut cubin, images) = Self::read_without_images(bytes)?;
        for (kernel, image) in cubin.kernels.iter_mut().zip(images) {
            kernel.image = bytes[image].to_vec();
        }
        Ok(cubin)
    }

    /// The same, but images are left empty. Where each is in the file comes beside.
    ///
    /// # Errors
    /// Those of [`Cubin::read`].
    pub fn read_without_images(bytes: &[u8]) -> Result<(Cubin, Vec<Range<usize>>), CubinError> {
        if !is_antlerite_cubin(bytes) {
            return Err(CubinError::Foreign);
        }
        let file = File::open(bytes)?;
        let note = file.find(NOTE)?.1.data;
        if note.len() != 28
            || note[..12] != [10, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0]
            || &note[12..22] != NOTE_NAME
        {
            return Err(CubinError::Damaged("note"));
        }
        let found = u32_at(note, 24)?;
        if found != FORMAT {
            return Err(CubinError::Format { found });
        }
        let info: Info = postcard::from_bytes(file.find(INFO)?.1.data)
            .map_err(|_| CubinError::Damaged("information section"))?;
        let (mut kernels, mut images) = (Vec::new(), Vec::new());
        for kernel in info.kernels {
            let (index, text) = file.find(&format!(".text.{}", kernel.name))?;
            let relocs = file.relocs(index, text.data.len() as u64)?;
            if text.data.len() as u64 > u64::from(u32::MAX) {
                return Err(CubinError::Damaged("image size"));
            }
            images.push(text.at..text.at + text.data.len());
            kernels.push(Kernel {
                name: kernel.name,
                image: Vec::new(),
                relocs,
                params: kernel.params,
                shared_bytes: kernel.shared_bytes,
                local_bytes: kernel.local_bytes,
                max_threads: kernel.max_threads,
                reqntid: kernel.reqntid,
                registers: kernel.registers,
                const_bytes: kernel.const_bytes,
                block: kernel.block,
                cluster: kernel.cluster,
            });
        }
        let (global_data, global_relocs) = file.data(GLOBAL_INIT)?;
        let (constant_data, constant_relocs) = file.data(CONSTANT)?;
        let mut globals = Vec::new();
        for global in info.globals {
            let (data, relocs) = match global.space {
                Space::Global => (global_data, &global_relocs),
                Space::Const => (constant_data, &constant_relocs),
            };
            let (at, size) = global.init;
            let init = slice(data, at, size)
                .ok_or(CubinError::Damaged("variable's bytes"))?
                .to_vec();
            if size > global.size || !global.align.is_power_of_two() {
                return Err(CubinError::Damaged("variable's size or alignment"));
            }
            let relocs = relocs
                .iter()
                .filter(|r| (at..at + size).contains(&u64::from(r.offset)))
                .map(|r| {
                    let offset = u64::from(r.offset) - at;
                    match u32::try_from(offset) {
                        Ok(offset) if u64::from(offset) + 8 <= size => Ok(Reloc {
                            offset,
                            ..r.clone()
                        }),
                        Ok(_) | Err(_) => Err(CubinError::Damaged("relocation past its variable")),
                    }
                })
                .collect::<Result<Vec<_>, _>>()?;
            globals.push(Global {
                name: global.name,
                space: global.space,
                size: global.size,
                align: global.align,
                init,
                relocs,
                managed: global.managed,
                external: global.external,
            });
        }
        let source = match file.find(SOURCE) {
            Ok((_, section)) => Some(
                std::str::from_utf8(section.data)
                    .map_err(|_| CubinError::Damaged("PTX is not UTF-8"))?
                    .to_owned(),
            ),
            Err(_) => None,
        };
        let cubin = Cubin {
            source,
            isa: info.isa,
            cc: info.cc,
            ptx_version: info.ptx_version,
            driver: info.driver,
            kernels,
            globals,
        };
        Ok((cubin, images))
    }
}

fn kernel_info(kernel: &Kernel) -> KernelInfo {
    KernelInfo {
        name: kernel.name.clone(),
        params: kernel.params.clone(),
        shared_bytes: kernel.shared_bytes,
        local_bytes: kernel.local_bytes,
        max_threads: kernel.max_threads,
        reqntid: kernel.reqntid,
        registers: kernel.registers,
        const_bytes: kernel.const_bytes,
        block: kernel.block,
        cluster: kernel.cluster,
    }
}

/// `ET_REL` and `ET_EXEC`.
const TYPES: [u16; 2] = [1, 2];
/// `EF_CUDA_64BIT_ADDRESS` (LLVM's ELF.h).
const FLAG_64BIT: u32 = 0x400;

/// Lays out and writes the sections; section 1 becomes the table of their names.
///
/// The flags hold the compute capability where NVIDIA's tools look for it in files of this OS ABI (LLVM's ELF.h,
/// `EF_CUDA_SM`), so that nvcc's `fatbinary` takes the file for the architecture that it was made for.
fn emit(mut sections: Vec<Section>, cc: u32, relocatable: bool) -> Result<Vec<u8>, CubinError> {
    let mut names = Strings::default();
    let offsets = sections
        .iter()
        .map(|s| names.add(&s.name))
        .collect::<Result<Vec<_>, _>>()?;
    sections[1].data = names.bytes;
    let count =
        u16::try_from(sections.len()).map_err(|_| CubinError::TooLarge("sections".to_owned()))?;
    let mut out = vec![0u8; 64];
    let mut headers = Vec::new();
    for (section, name) in sections.iter_mut().zip(offsets) {
        if section.kind == SHT_RELA {
            section.link = 3;
            section.entsize = 24;
        } else if section.kind == SHT_SYMTAB {
            section.entsize = 24;
        }
        let offset = if section.kind == 0 {
            0
        } else {
            pad(&mut out, section.align);
            out.len() as u64
        };
        out.extend_from_slice(&section.data);
        for word in [name, section.kind] {
            headers.extend_from_slice(&word.to_le_bytes());
        }
        let size = section.data.len() as u64 + section.unwritten;
        for word in [section.flags, 0, offset, size] {
            headers.extend_from_slice(&word.to_le_bytes());
        }
        for word in [section.link, section.info] {
            headers.extend_from_slice(&word.to_le_bytes());
        }
        for word in [section.align, section.entsize] {
            headers.extend_from_slice(&word.to_le_bytes());
        }
    }
    pad(&mut out, 8);
    let table = out.len() as u64;
    out.extend_from_slice(&headers);
    out[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, OSABI]);
    out[16..18].copy_from_slice(&TYPES[usize::from(!relocatable)].to_le_bytes());
    out[18..20].copy_from_slice(&EM_CUDA.to_le_bytes());
    out[20..24].copy_from_slice(&1u32.to_le_bytes());
    out[40..48].copy_from_slice(&table.to_le_bytes());
    let sm = cc & 0xff;
    out[48..52].copy_from_slice(&(sm | FLAG_64BIT | sm << 16).to_le_bytes());
    out[52..54].copy_from_slice(&64u16.to_le_bytes());
    out[58..60].copy_from_slice(&64u16.to_le_bytes());
    out[60..62].copy_from_slice(&count.to_le_bytes());
    out[62..64].copy_from_slice(&1u16.to_le_bytes());
    Ok(out)
}

fn slice(bytes: &[u8], at: u64, size: u64) -> Option<&[u8]> {
    let at = usize::try_from(at).ok()?;
    let end = at.checked_add(usize::try_from(size).ok()?)?;
    bytes.get(at..end)
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, CubinError> {
    match bytes.get(at..at.saturating_add(4)) {
        Some(&[a, b, c, d]) => Ok(u32::from_le_bytes([a, b, c, d])),
        Some(_) | None => Err(CubinError::Damaged("short table")),
    }
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, CubinError> {
    Ok(u64::from(u32_at(bytes, at)?) | u64::from(u32_at(bytes, at.saturating_add(4))?) << 32)
}

struct Header<'a> {
    name: &'a str,
    kind: u32,
    info: u32,
    /// Offset in the file, bytes.
    at: usize,
    data: &'a [u8],
}

/// The sections of a file.
struct File<'a> {
    sections: Vec<Header<'a>>,
    strings: &'a [u8],
    symbols: &'a [u8],
}

fn string(table: &[u8], at: u32) -> Result<&str, CubinError> {
    let tail = usize::try_from(at)
        .ok()
        .and_then(|at| table.get(at..))
        .ok_or(CubinError::Damaged("string offset"))?;
    let end = tail
        .iter()
        .position(|&b| b == 0)
        .ok_or(CubinError::Damaged("string without end"))?;
    std::str::from_utf8(&tail[..end]).map_err(|_| CubinError::Damaged("string is not UTF-8"))
}

impl<'a> File<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, CubinError> {
        let table = u64_at(bytes, 40)?;
        let count = u64::from(u32_at(bytes, 60)? & 0xffff);
        if u32_at(bytes, 60)? >> 16 != 1 || u32_at(bytes, 56)? >> 16 != 64 {
            return Err(CubinError::Damaged("section table"));
        }
        let table = slice(bytes, table, count * 64).ok_or(CubinError::Damaged("section table"))?;
        let mut raw = Vec::new();
        for header in table.chunks_exact(64) {
            let kind = u32_at(header, 4)?;
            let (at, data) = if kind == 0 || kind == SHT_NOBITS {
                (0, &[][..])
            } else {
                let (at, size) = (u64_at(header, 24)?, u64_at(header, 32)?);
                let data = slice(bytes, at, size).ok_or(CubinError::Damaged("section bounds"))?;
                // Inside the file.
                (usize::try_from(at).unwrap_or_default(), data)
            };
            raw.push((u32_at(header, 0)?, kind, u32_at(header, 44)?, at, data));
        }
        let names = raw.get(1).ok_or(CubinError::Damaged("no section names"))?.4;
        let sections = raw
            .iter()
            .map(|&(name, kind, info, at, data)| {
                Ok(Header {
                    name: string(names, name)?,
                    kind,
                    info,
                    at,
                    data,
                })
            })
            .collect::<Result<Vec<_>, CubinError>>()?;
        let mut file = File {
            sections,
            strings: &[],
            symbols: &[],
        };
        file.strings = file.find(".strtab")?.1.data;
        file.symbols = file.find(".symtab")?.1.data;
        Ok(file)
    }

    fn find(&self, name: &str) -> Result<(usize, &Header<'a>), CubinError> {
        self.sections
            .iter()
            .enumerate()
            .find(|(_, s)| s.name == name)
            .ok_or(CubinError::Damaged("a section is missing"))
    }

    /// Bytes and relocations of a section that is left out when it is empty.
    fn data(&self, name: &str) -> Result<(&'a [u8], Vec<Reloc>), CubinError> {
        match self.sections.iter().position(|s| s.name == name) {
            None => Ok((&[], Vec::new())),
            Some(index) => {
                let data = self.sections[index].data;
                Ok((data, self.relocs(index, data.len() as u64)?))
            }
        }
    }

    /// Relocations of section `target`, all of whose slots lie in its `size` bytes.
    fn relocs(&self, target: usize, size: u64) -> Result<Vec<Reloc>, CubinError> {
        let mut relocs = Vec::new();
        for section in &self.sections {
            if section.kind != SHT_RELA || section.info as usize != target {
                continue;
            }
            if !section.data.len().is_multiple_of(24) || section.data.len() / 24 > COUNT_MAX {
                return Err(CubinError::Damaged("relocation table"));
            }
            for entry in section.data.chunks_exact(24) {
                let offset = u64_at(entry, 0)?;
                let info = u64_at(entry, 8)?;
                let symbol =
                    usize::try_from(info >> 32).map_err(|_| CubinError::Damaged("symbol index"))?;
                if info & 0xffff_ffff != R_ABS64 || symbol == 0 {
                    return Err(CubinError::Damaged("relocation type"));
                }
                if offset.checked_add(8).is_none_or(|end| end > size) {
                    return Err(CubinError::Damaged("relocation out of bounds"));
                }
                let at = symbol
                    .checked_mul(24)
                    .ok_or(CubinError::Damaged("symbol index"))?;
                let name =
                    u32_at(self.symbols, at).map_err(|_| CubinError::Damaged("symbol index"))?;
                relocs.push(Reloc {
                    offset: u32::try_from(offset)
                        .map_err(|_| CubinError::Damaged("relocation out of bounds"))?,
                    symbol: string(self.strings, name)?.to_owned(),
                    addend: i64::from_le_bytes(u64_at(entry, 16)?.to_le_bytes()),
                });
            }
        }
        Ok(relocs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(super) fn sample() -> Cubin {
        let reloc = |offset, symbol: &str, addend| Reloc {
            offset,
            symbol: symbol.into(),
            addend,
        };
        Cubin {
            isa: 2,
            cc: 90,
            ptx_version: 90,
            driver: "0.1.0".into(),
            source: Some(".version 9.0".into()),
            kernels: vec![
                Kernel {
                    name: "vecadd".into(),
                    image: (0..=255).cycle().take(1000).collect(),
                    relocs: vec![reloc(992, "table", 16), reloc(984, "elsewhere", -8)],
                    params: vec![
                        Param {
                            offset: 0,
                            size: 8,
                            align: 8,
                        },
                        Param {
                            offset: 8,
                            size: 4,
                            align: 4,
                        },
                    ],
                    shared_bytes: 4096,
                    local_bytes: 16,
                    max_threads: 1024,
                    reqntid: [32, 0, 0],
                    registers: 24,
                    const_bytes: 0,
                    block: [256, 1, 1],
                    cluster: [0; 3],
                },
                Kernel {
                    name: "empty".into(),
                    image: vec![1; 300],
                    ..Kernel::default()
                },
            ],
            globals: vec![
                Global {
                    name: "table".into(),
                    space: Space::Global,
                    size: 64,
                    align: 16,
                    init: vec![7; 24],
                    relocs: vec![reloc(8, "coefficients", 4)],
                    managed: true,
                    external: false,
                },
                Global {
                    name: "coefficients".into(),
                    space: Space::Const,
                    size: 12,
                    align: 4,
                    init: vec![1, 2, 3],
                    relocs: vec![],
                    managed: false,
                    external: false,
                },
                Global {
                    name: "elsewhere".into(),
                    space: Space::Global,
                    size: 0,
                    align: 1,
                    init: vec![],
                    relocs: vec![],
                    managed: false,
                    external: true,
                },
            ],
        }
    }

    #[test]
    fn other_cubins_are_foreign() {
        // What nvcc 13.0 marks its cubins with: EM_CUDA, OS ABI 0x41 (older ones 0x33).
        let mut header = [0u8; 64];
        header[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0x41]);
        header[18..20].copy_from_slice(&EM_CUDA.to_le_bytes());
        for osabi in [0x33, 0x41] {
            header[7] = osabi;
            assert!(!is_antlerite_cubin(&header));
            assert!(matches!(Cubin::read(&header), Err(CubinError::Foreign)));
        }
    }

    #[test]
    fn what_is_written_is_read_and_writing_is_deterministic() {
        for cubin in [sample(), Cubin::default()] {
            let bytes = cubin.write().expect("writes");
            assert!(is_antlerite_cubin(&bytes));
            assert_eq!(Cubin::read(&bytes).as_ref(), Ok(&cubin));
            let (bare, images) = Cubin::read_without_images(&bytes).expect("reads");
            assert_eq!(bare.kernels.len(), images.len());
            for (kernel, image) in cubin.kernels.iter().zip(images) {
                assert!((image.start as u64).is_multiple_of(TEXT_ALIGN));
                assert_eq!(bytes[image], kernel.image);
            }
            assert_eq!(cubin.write().expect("writes"), bytes);
        }
    }

    #[test]
    fn other_tools_read_it_as_elf() {
        use object::{Object, ObjectSection, ObjectSymbol};
        let bytes = sample().write().expect("writes");
        let file = object::read::elf::ElfFile64::<object::Endianness>::parse(&*bytes).expect("ELF");
        let text = file.section_by_name(".text.vecadd").expect("section");
        assert_eq!(text.size(), 1000);
        assert!(
            file.symbols()
                .any(|s| s.name() == Ok("vecadd") && s.size() == 1000)
        );
    }

    #[test]
    fn foreign_files_and_other_versions_are_refused() {
        let bytes = sample().write().expect("writes");
        let mut foreign = bytes.clone();
        foreign[7] = 0x33;
        assert_eq!(Cubin::read(&foreign), Err(CubinError::Foreign));
        assert_eq!(Cubin::read(&[]), Err(CubinError::Foreign));
        let at = bytes
            .windows(10)
            .position(|w| w == NOTE_NAME)
            .expect("note")
            + 12;
        let mut newer = bytes.clone();
        newer[at] = 9;
        assert_eq!(Cubin::read(&newer), Err(CubinError::Format { found: 9 }));
    }

    proptest! {
        #[test]
        fn damage_never_panics(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), cut in any::<prop::sample::Index>()) {
            let mut bytes = sample().write().expect("writes");
            for (at, value) in flips {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            let _ = Cubin::read(&bytes);
            bytes.truncate(cut.index(bytes.len()));
            let _ = Cubin::read(&bytes);
        }
    }
}
