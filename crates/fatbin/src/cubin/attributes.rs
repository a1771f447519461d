//! What a loader that fills launch descriptors itself reads of a cubin: `.nv.info`, `.nv.info.<kernel>`,
//! `.nv.shared.<kernel>` and `.nv.constant0.<kernel>`.
//!
//! An attribute is a format byte, its number, 16 bits, and for format 4 as many bytes as those say. Numbers and shapes
//! are those that tinygrad (MIT, `runtime/ops_nv.py`) reads and CuAssembler (MIT) documents.

use super::{Kernel, SHT_NOBITS, SHT_PROGBITS, Section, section};

/// Section type of attribute lists (first processor-specific number).
const SHT_CUDA_INFO: u32 = 0x7000_0000;
/// Format of an attribute whose value are its 16 bits.
const FORMAT_HALF: u8 = 3;
/// Format of an attribute with a counted value.
const FORMAT_COUNTED: u8 = 4;
const MAX_THREADS: u8 = 0x05;
const PARAM_CBANK: u8 = 0x0a;
const REQUIRED_BLOCK: u8 = 0x10;
const FRAME_SIZE: u8 = 0x11;
const MIN_STACK_SIZE: u8 = 0x12;
const PARAM_INFO: u8 = 0x17;
const CBANK_PARAM_SIZE: u8 = 0x19;
const REGISTERS: u8 = 0x2f;
/// "No constant bank of its own" in a parameter's description.
const NO_BANK: u32 = 0x1f << 12;
/// Largest constant bank, bytes.
const BANK_MAX: u32 = 1 << 16;

fn counted(out: &mut Vec<u8>, number: u8, words: &[u32]) {
    let bytes = u16::try_from(words.len() * 4).unwrap_or(u16::MAX);
    out.extend_from_slice(&[FORMAT_COUNTED, number]);
    out.extend_from_slice(&bytes.to_le_bytes());
    for word in words {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

/// Attributes of all kernels: `(symbol, kernel)` pairs.
pub(super) fn module<'a>(kernels: impl Iterator<Item = (u32, &'a Kernel)>) -> Section {
    let mut out = Vec::new();
    for (symbol, kernel) in kernels {
        counted(&mut out, REGISTERS, &[symbol, kernel.registers]);
        counted(&mut out, FRAME_SIZE, &[symbol, kernel.local_bytes]);
        counted(&mut out, MIN_STACK_SIZE, &[symbol, kernel.local_bytes]);
    }
    section(".nv.info", SHT_CUDA_INFO, 4, out)
}

/// Bytes of the parameters, from the first to the end of the last.
fn param_bytes(kernel: &Kernel) -> u32 {
    let ends = kernel
        .params
        .iter()
        .map(|p| p.offset.saturating_add(p.size));
    ends.max().unwrap_or(0)
}

/// Attributes of one kernel. `symbol` is the index of its symbol.
pub(super) fn kernel(symbol: u32, kernel: &Kernel) -> Section {
    let mut out = Vec::new();
    let bytes = param_bytes(kernel).min(BANK_MAX - 1);
    // Offset in the low half, size in the high one.
    let bank = kernel.param_offset() & 0xffff | bytes << 16;
    counted(&mut out, PARAM_CBANK, &[symbol, bank]);
    out.extend_from_slice(&[FORMAT_HALF, CBANK_PARAM_SIZE]);
    out.extend_from_slice(&u16::try_from(bytes).unwrap_or(u16::MAX).to_le_bytes());
    for (ordinal, param) in (0u32..).zip(&kernel.params) {
        let place = ordinal & 0xffff | param.offset << 16;
        counted(
            &mut out,
            PARAM_INFO,
            &[0, place, param.size << 18 | NO_BANK],
        );
    }
    if kernel.reqntid == [0; 3] {
        counted(&mut out, MAX_THREADS, &[kernel.max_threads, 1, 1]);
    } else {
        counted(&mut out, REQUIRED_BLOCK, &kernel.reqntid);
    }
    let name = format!(".nv.info.{}", kernel.name);
    section(&name, SHT_CUDA_INFO, 4, out)
}

/// Static shared memory of a kernel: a size without bytes.
pub(super) fn shared(kernel: &Kernel) -> Section {
    let name = format!(".nv.shared.{}", kernel.name);
    let mut shared = section(&name, SHT_NOBITS, 16, Vec::new());
    shared.flags = 3;
    shared.unwritten = u64::from(kernel.shared_bytes);
    shared
}

/// Constant bank 0 as it is before a launch fills it.
pub(super) fn bank0(kernel: &Kernel) -> Section {
    let bytes = kernel
        .param_offset()
        .saturating_add(param_bytes(kernel))
        .min(BANK_MAX);
    let name = format!(".nv.constant0.{}", kernel.name);
    let mut bank = section(&name, SHT_PROGBITS, 4, vec![0; bytes as usize]);
    bank.flags = 2;
    bank
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};
    use object::{Object, ObjectSection, ObjectSymbol};

    /// Number and words of every counted attribute.
    fn attributes(data: &[u8]) -> Vec<(u8, Vec<u32>)> {
        let (mut rest, mut out) = (data, Vec::new());
        while let [format, number, low, high, tail @ ..] = rest {
            let n = usize::from(u16::from_le_bytes([*low, *high]));
            let n = if *format == 4 { n } else { 0 };
            let words = tail[..n]
                .chunks(4)
                .map(|w| u32::from_le_bytes(w.try_into().expect("valid")));
            out.push((*number, words.collect()));
            rest = &tail[n..];
        }
        out
    }

    #[test]
    fn foreign_loaders_find_what_they_need() {
        let mut cubin = sample();
        // The header's word for the parameters' offset.
        cubin.kernels[0].image[48..52].copy_from_slice(&0x160u32.to_le_bytes());
        let bytes = cubin.write().expect("writes");
        let file = ElfFile64::<object::Endianness>::parse(&*bytes).expect("ELF");
        let symbol = file
            .symbols()
            .find(|s| s.name() == Ok("vecadd"))
            .expect("symbol");
        let index = u32::try_from(symbol.index().0).expect("valid");
        let of = |name: &str| file.section_by_name(name).expect(name);
        let module = attributes(of(".nv.info").data().expect("valid"));
        assert!(module.contains(&(0x2f, vec![index, 24])));
        assert!(module.contains(&(0x12, vec![index, 16])));
        let kernel = attributes(of(".nv.info.vecadd").data().expect("valid"));
        assert!(kernel.contains(&(0x0a, vec![index, 12 << 16 | 0x160])));
        assert!(kernel.contains(&(0x17, vec![0, 8 << 16 | 1, 0x11f000])));
        assert!(kernel.contains(&(0x10, vec![32, 0, 0])));
        assert_eq!(of(".nv.shared.vecadd").size(), 4096);
        assert_eq!(of(".nv.constant0.vecadd").size(), 0x160 + 12);
        // What is ours alone is no part of what a loader uploads.
        let header = file.elf_header();
        let sections = header
            .sections(object::Endianness::Little, &*bytes)
            .expect("valid");
        for (_, section) in sections.enumerate() {
            let name = sections
                .section_name(object::Endianness::Little, section)
                .expect("valid");
            let kind = section.sh_type(object::Endianness::Little);
            assert!(!name.starts_with(b".antlerite") || kind == 0x8000_0000);
        }
    }
}
