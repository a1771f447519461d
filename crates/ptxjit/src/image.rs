//! From LLVM object files (a kernel's, and those of its routines) to an image: one contiguous, position-independent block ([`abi::sm`]).
//!
//! Layout: [`EntryHeader`], code, read-only data, address table, line table, strings. Variables of the module are
//! reached through the address table: code refers to the hidden symbol `antl.slot.<n>`, whose 8 bytes the loader
//! fills. Anything else that the object leaves undefined is refused by name.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "offsets are below 2^32: the size of an image is checked before any is taken"
)]

use crate::llvm::debug::Place;
use abi::sm::{EntryHeader, Line};
use fatbin::cubin::Reloc;
use object::read::elf::ElfFile64;
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex, SectionKind,
    elf,
};
use std::collections::HashMap;

/// Prefix of the symbols of the address table's slots.
pub const SLOT: &str = "antl.slot.";
/// Name of the entry function in the object.
pub const ENTRY: &str = "antl.entry";
const HEADER: usize = size_of::<EntryHeader>();
/// Most bytes that an image may have.
const IMAGE_MAX: usize = 1 << 28;

/// Why an object does not make an image.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// Not an object file as LLVM writes them.
    #[error("unexpected object file: {0}")]
    Object(String),
    /// Code calls or reads something that is nowhere.
    #[error("undefined symbol {0}")]
    Undefined(String),
    /// A relocation that an image cannot have.
    #[error("relocation type {kind} against {symbol}")]
    Relocation {
        /// ELF number for x86-64.
        kind: u32,
        /// What it refers to.
        symbol: String,
    },
    /// More than 256 MiB.
    #[error("the image would be too large")]
    TooLarge,
}

impl From<object::Error> for LinkError {
    fn from(error: object::Error) -> Self {
        Self::Object(error.to_string())
    }
}

/// What a slot of the address table holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// A variable.
    pub symbol: String,
    /// Added to its address.
    pub addend: i64,
}

/// Everything besides the object.
pub struct LinkInput<'a> {
    /// Header with all that the linker does not know (magic, kind, sizes of memories, …).
    pub header: EntryHeader,
    /// Kernel name.
    pub name: &'a str,
    /// Slots of the address table.
    pub slots: &'a [Slot],
    /// Side table of the line numbers in the object's line table.
    pub places: &'a [Place],
    /// Names by `.file` index.
    pub files: &'a HashMap<u32, String>,
}

/// Where the sections of an object lie in the image.
type Placed = HashMap<SectionIndex, usize>;

fn align(out: &mut Vec<u8>, to: usize) {
    out.resize(out.len().next_multiple_of(to), 0);
}

/// Links.
///
/// # Errors
/// [`LinkError`]
pub fn link<O: AsRef<[u8]>>(
    objects: &[O],
    input: &LinkInput<'_>,
) -> Result<(Vec<u8>, Vec<Reloc>), LinkError> {
    let files = objects
        .iter()
        .map(|object| ElfFile64::<Endianness>::parse(object.as_ref()))
        .collect::<Result<Vec<_>, _>>()?;
    let mut out = vec![0u8; HEADER];
    let mut placed: Vec<Placed> = vec![Placed::new(); files.len()];
    let mut header = input.header;
    let sections: Vec<_> = files
        .iter()
        .enumerate()
        .flat_map(|(n, file)| file.sections().map(move |section| (n, section)))
        .collect();
    let is_text = |s: &object::read::elf::ElfSection64<'_, '_, Endianness>| {
        s.kind() == SectionKind::Text && s.size() > 0
    };
    let total: u64 = sections.iter().map(|(_, s)| s.size()).sum();
    if total > IMAGE_MAX as u64 {
        return Err(LinkError::TooLarge);
    }
    let mut routines = None;
    for (n, section) in sections.iter().filter(|(_, s)| is_text(s)) {
        align(&mut out, (section.align() as usize).max(64));
        if *n > 0 {
            routines.get_or_insert(out.len());
        }
        placed[*n].insert(section.index(), out.len());
        out.extend_from_slice(section.data()?);
    }
    header.text = HEADER as u32;
    header.text_bytes = (out.len() - HEADER) as u32;
    for (n, section) in &sections {
        let readonly = matches!(
            section.kind(),
            SectionKind::ReadOnlyData | SectionKind::ReadOnlyString
        );
        let name = section.name()?;
        if section.size() == 0
            || is_text(section)
            || name.starts_with(".note")
            || name.starts_with(".llvm")
        {
            continue;
        }
        match section.kind() {
            _ if readonly => {
                align(&mut out, (section.align() as usize).max(1));
                placed[*n].insert(section.index(), out.len());
                out.extend_from_slice(section.data()?);
            }
            SectionKind::Data
            | SectionKind::UninitializedData
            | SectionKind::ReadOnlyDataWithRel => {
                return Err(LinkError::Object(format!("section {name}")));
            }
            _ => {}
        }
    }
    align(&mut out, 8);
    let table = out.len();
    let relocs = input
        .slots
        .iter()
        .enumerate()
        .map(|(i, slot)| Reloc {
            offset: (table + 8 * i) as u32,
            symbol: slot.symbol.clone(),
            addend: slot.addend,
        })
        .collect();
    out.resize(out.len() + 8 * input.slots.len(), 0);

    // What objects say to each other.
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (file, placed) in files.iter().zip(&placed) {
        for symbol in file.symbols().filter(object::ObjectSymbol::is_global) {
            if let Some(start) = symbol.section_index().and_then(|s| placed.get(&s)) {
                known.insert(symbol.name()?, start + symbol.address() as usize);
            }
        }
    }
    for (n, section) in &sections {
        let (file, placed) = (&files[*n], &placed[*n]);
        let Some(&base) = placed.get(&section.index()) else {
            continue;
        };
        for (at, relocation) in section.relocations() {
            let object::RelocationFlags::Elf { r_type } = relocation.flags() else {
                return Err(LinkError::Object("relocation flags".to_owned()));
            };
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                return Err(LinkError::Object("relocation target".to_owned()));
            };
            let symbol = file.symbol_by_index(symbol)?;
            let name = symbol.name().unwrap_or("").to_owned();
            let target = if let Some(section) = symbol.section_index() {
                let start = placed.get(&section).ok_or_else(|| {
                    LinkError::Object(format!("relocation against {name} outside the image"))
                })?;
                start + symbol.address() as usize
            } else {
                let slot = name
                    .strip_prefix(SLOT)
                    .and_then(|n| n.parse::<usize>().ok());
                match slot.filter(|&n| n < input.slots.len()) {
                    Some(n) => table + 8 * n,
                    None => match known.get(name.as_str()) {
                        Some(&at) => at,
                        None => return Err(LinkError::Undefined(name)),
                    },
                }
            };
            let place = base + at as usize;
            let value = target as i64 + relocation.addend() - place as i64;
            match r_type {
                elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => {
                    let value = i32::try_from(value).map_err(|_| LinkError::TooLarge)?;
                    let field = out.get_mut(place..place + 4).ok_or(LinkError::TooLarge)?;
                    field.copy_from_slice(&value.to_le_bytes());
                }
                elf::R_X86_64_PC64 => {
                    let field = out.get_mut(place..place + 8).ok_or(LinkError::TooLarge)?;
                    field.copy_from_slice(&value.to_le_bytes());
                }
                elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => {
                    // mov foo@GOTPCREL(%rip), reg → lea foo(%rip), reg
                    let value = i32::try_from(value).map_err(|_| LinkError::TooLarge)?;
                    let field = out
                        .get_mut(place - 2..place + 4)
                        .ok_or(LinkError::TooLarge)?;
                    if field[0] != 0x8b {
                        return Err(LinkError::Relocation {
                            kind: r_type,
                            symbol: name,
                        });
                    }
                    field[0] = 0x8d;
                    field[2..].copy_from_slice(&value.to_le_bytes());
                }
                kind => return Err(LinkError::Relocation { kind, symbol: name }),
            }
        }
    }

    let kernel = files
        .first()
        .ok_or_else(|| LinkError::Undefined(ENTRY.to_owned()))?;
    // Strings: the kernel's name, then source files as they are needed.
    let mut strings = Vec::new();
    strings.extend_from_slice(input.name.as_bytes());
    strings.push(0);
    let mut file_offsets: HashMap<u32, u32> = HashMap::new();
    let mut lines: Vec<Line> = Vec::new();
    let rows = line_rows(kernel, &placed[0])?;
    // Routines have no lines of their own.
    let called = routines.map(|start| {
        let access = abi::sm::CALLED;
        let place = Place {
            access,
            ..Place::default()
        };
        (start as u32, place)
    });
    let place = |index: u32| input.places.get(index as usize).copied();
    let of_kernel = rows
        .into_iter()
        .map(|(pc, index)| (pc, place(index).unwrap_or_default()));
    for (pc, place) in of_kernel.chain(called) {
        let source_file = match input.files.get(&place.file) {
            Some(name) if place.source_line != 0 => {
                *file_offsets.entry(place.file).or_insert_with(|| {
                    let at = strings.len() as u32;
                    strings.extend(name.bytes().filter(|&b| b != 0));
                    strings.push(0);
                    at
                })
            }
            Some(_) | None => 0,
        };
        let line = Line {
            pc,
            ptx_line: place.ptx_line,
            source_line: place.source_line,
            source_file,
            access_bytes: place.bytes,
            space: place.space,
            access: place.access,
        };
        match lines.last_mut() {
            Some(last) if last.pc == pc => *last = line,
            Some(last)
                if Line {
                    pc: last.pc,
                    ..line
                } == *last => {}
            Some(_) | None => lines.push(line),
        }
    }
    header.lines = out.len() as u32;
    header.line_count = lines.len() as u32;
    out.extend(abi::lines::encode(&lines));
    header.strings = out.len() as u32;
    header.string_bytes = strings.len() as u32;
    out.extend_from_slice(&strings);
    align(&mut out, 64);
    if out.len() > IMAGE_MAX {
        return Err(LinkError::TooLarge);
    }
    let entry = kernel
        .symbols()
        .find(|s| s.name() == Ok(ENTRY))
        .ok_or_else(|| LinkError::Undefined(ENTRY.to_owned()))?;
    let base = entry
        .section_index()
        .and_then(|s| placed[0].get(&s))
        .copied();
    let entry =
        base.ok_or_else(|| LinkError::Undefined(ENTRY.to_owned()))? + entry.address() as usize;
    header.entry = entry as u32;
    header.image_bytes = out.len() as u32;
    header.stack_bytes = stack_bytes(&out[HEADER..HEADER + header.text_bytes as usize])
        .saturating_add(header.stack_bytes);
    out[..HEADER].copy_from_slice(&header_bytes(&header));
    Ok((out, relocs))
}

/// The header as bytes.
#[must_use]
pub fn header_bytes(header: &EntryHeader) -> [u8; HEADER] {
    let mut out = [0u8; HEADER];
    out[..8].copy_from_slice(&header.magic.to_le_bytes());
    let words = [
        header.abi,
        header.isa,
        header.image_bytes,
        header.kind,
        header.entry,
        header.text,
        header.text_bytes,
        header.shared_bytes,
        header.local_bytes,
        header.param_bytes,
        header.param_offset,
        header.stack_bytes,
        header.block[0],
        header.block[1],
        header.block[2],
        header.max_threads,
        header.lines,
        header.line_count,
        header.strings,
        header.string_bytes,
        header.flags,
    ];
    for (i, word) in words.into_iter().chain(header.reserved).enumerate() {
        out[8 + 4 * i..12 + 4 * i].copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// Sum of the frames of all functions: every `sub imm, %rsp` in the code, and room for saved registers and alignment.
fn stack_bytes(text: &[u8]) -> u32 {
    let mut total: u32 = 256;
    let mut i = 0;
    while i + 7 <= text.len() {
        if text[i..i + 3] == [0x48, 0x81, 0xec] {
            let bytes = u32::from_le_bytes([text[i + 3], text[i + 4], text[i + 5], text[i + 6]]);
            if bytes < 1 << 26 {
                total = total.saturating_add(bytes + 128);
            }
        } else if text[i..i + 3] == [0x48, 0x83, 0xec] {
            total = total.saturating_add(u32::from(text[i + 3] & 0x7f) + 128);
        }
        i += 1;
    }
    total
}

/// Reads little-endian numbers of a DWARF section.
struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], LinkError> {
        let field = self
            .data
            .get(self.at..self.at + N)
            .and_then(|s| s.try_into().ok());
        self.at += N;
        field.ok_or_else(|| LinkError::Object("short line table".to_owned()))
    }
    fn u8(&mut self) -> Result<u8, LinkError> {
        Ok(self.bytes::<1>()?[0])
    }
    fn u32(&mut self) -> Result<u32, LinkError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }
    fn uleb(&mut self) -> Result<u64, LinkError> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = self.u8()?;
            if shift < 64 {
                value |= u64::from(byte & 0x7f) << shift;
            }
            shift += 7;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
    }
    fn sleb(&mut self) -> Result<i64, LinkError> {
        let (mut value, mut shift) = (0i64, 0);
        loop {
            let byte = self.u8()?;
            if shift < 64 {
                value |= i64::from(byte & 0x7f) << shift;
            }
            shift += 7;
            if byte & 0x80 == 0 {
                if byte & 0x40 != 0 && shift < 64 {
                    value |= -1 << shift;
                }
                return Ok(value);
            }
        }
    }
}

/// Rows (offset in the image, "line") of `.debug_line`, DWARF 4, sorted by offset.
fn line_rows(
    file: &ElfFile64<'_, Endianness>,
    placed: &Placed,
) -> Result<Vec<(u32, u32)>, LinkError> {
    let Some(section) = file.section_by_name(".debug_line") else {
        return Ok(Vec::new());
    };
    // Sequence starts are relocated: the field's offset → address in the image.
    let mut starts: HashMap<usize, u32> = HashMap::new();
    for (at, relocation) in section.relocations() {
        if let RelocationTarget::Symbol(symbol) = relocation.target() {
            let symbol = file.symbol_by_index(symbol)?;
            if let Some(base) = symbol.section_index().and_then(|s| placed.get(&s)) {
                let start = *base as i64 + symbol.address() as i64 + relocation.addend();
                starts.insert(
                    at as usize,
                    u32::try_from(start).map_err(|_| LinkError::TooLarge)?,
                );
            }
        }
    }
    let data = section.data()?;
    let mut r = Reader { data, at: 0 };
    let mut rows = Vec::new();
    while r.at + 4 < data.len() {
        let end = r.u32()? as usize + r.at;
        let version = u16::from_le_bytes(r.bytes()?);
        if version != 4 {
            return Err(LinkError::Object(format!("DWARF {version} line table")));
        }
        let program = r.u32()? as usize + r.at;
        let min_inst = r.u8()?;
        r.at += 2;
        let line_base = r.u8()?.cast_signed();
        let line_range = r.u8()?;
        let opcode_base = r.u8()?;
        if line_range == 0 || min_inst != 1 {
            return Err(LinkError::Object("line table header".to_owned()));
        }
        r.at = program;
        let (mut address, mut line) = (0u32, 1i64);
        while r.at < end {
            let op = r.u8()?;
            if op >= opcode_base {
                let adjusted = op - opcode_base;
                address = address.wrapping_add(u32::from(adjusted / line_range));
                line += i64::from(line_base) + i64::from(adjusted % line_range);
                rows.push((address, line));
                continue;
            }
            match op {
                0 => {
                    let size = r.uleb()? as usize;
                    let next = r.at + size;
                    match r.u8()? {
                        // DW_LNE_end_sequence
                        1 => (address, line) = (0, 1),
                        // DW_LNE_set_address
                        2 => address = starts.get(&r.at).copied().unwrap_or(0),
                        _ => {}
                    }
                    r.at = next;
                }
                // DW_LNS_copy
                1 => rows.push((address, line)),
                // DW_LNS_advance_pc
                2 => address = address.wrapping_add(r.uleb()? as u32),
                // DW_LNS_advance_line
                3 => line += r.sleb()?,
                // set_file, set_column, set_isa
                4 | 5 | 12 => {
                    r.uleb()?;
                }
                // DW_LNS_const_add_pc
                8 => address = address.wrapping_add(u32::from((255 - opcode_base) / line_range)),
                // DW_LNS_fixed_advance_pc
                9 => address = address.wrapping_add(u32::from(u16::from_le_bytes(r.bytes()?))),
                _ => {}
            }
        }
        r.at = end;
    }
    let mut rows: Vec<(u32, u32)> = rows
        .into_iter()
        .map(|(pc, line)| (pc, u32::try_from(line).unwrap_or(0)))
        .collect();
    rows.sort_by_key(|&(pc, _)| pc);
    Ok(rows)
}
