//! What must hold for any bytes whatever: the fuzz oracle, run by `cargo test` and by `cargo xtask fuzz`.

use crate::{
    Builder, Compression, Container, Device, EntrySpec, Flags, IsaVersion, Kind, Policy, Sm,
    Verdict, Wrapper, classify, elf_size, host, ptx_header, select,
};

/// Payload limit under the oracle: small, so that a case that takes more memory is a failure that shows.
const LIMIT: usize = 1 << 20;

/// Feeds `bytes` to every entry point. Returns how many of them accepted the bytes.
///
/// # Panics
/// Only when this crate breaks a promise: more output than the limit, or entries outside their container.
pub fn check(bytes: &[u8]) -> u32 {
    let mut accepted = 0;
    let _kind = classify(bytes);
    accepted += u32::from(Wrapper::parse(bytes).is_ok());
    accepted += u32::from(elf_size(bytes).is_ok());
    accepted += u32::from(host::fatbins_in_executable(bytes).is_ok());
    accepted += u32::from(ptx_header(&String::from_utf8_lossy(bytes)).is_some());
    let Ok(container) = Container::parse(bytes) else {
        return accepted;
    };
    let mut entries = Vec::new();
    for entry in container.entries() {
        let Ok(entry) = entry else { break };
        assert!(
            entry.offset() + entry.total_bytes() <= container.bytes().len(),
            "entry outside its container"
        );
        let _texts = (entry.name(), entry.options());
        if let Ok(payload) = entry.payload(LIMIT) {
            assert!(payload.len() <= LIMIT, "payload over the limit");
            accepted += 1;
        }
        entries.push(entry);
    }
    let device = Device {
        cc: Sm::new(90),
        isa: IsaVersion::new(9, 0),
    };
    for strict in [false, true] {
        let policy = Policy {
            strict,
            ..Policy::default()
        };
        if let Err(none) = select(&entries, device, policy, |_| Verdict::Foreign) {
            assert_eq!(
                none.found.len(),
                entries.len(),
                "an image is missing from the list"
            );
        }
    }
    accepted + 1
}

/// A well-formed container with one entry of each sort, to be spoilt.
#[must_use]
pub fn sample() -> Vec<u8> {
    let ptx = ".version 9.0\n.target sm_90\n.address_size 64\n".repeat(40);
    let mut builder = Builder::new();
    for (sm, compression) in [
        (Sm::new(75), Compression::None),
        (Sm::arch(90), Compression::Lz4),
        (Sm::family(120), Compression::Zstd),
    ] {
        let spec = EntrySpec {
            name: "sample.cu",
            options: "-O1 -maxrregcount=32",
            flags: Flags::DEBUG,
            ..EntrySpec::ptx(sm, IsaVersion::new(9, 0), &ptx)
        };
        // A short constant text compresses with every codec.
        if builder.push(&spec.compressed(compression)).is_err() {
            return Vec::new();
        }
    }
    let cubin = EntrySpec {
        kind: Kind::Cubin,
        ..EntrySpec::cubin(Sm::new(90), b"\x7fELF not really")
    };
    if builder.push(&cubin).is_err() {
        return Vec::new();
    }
    builder.finish()
}

/// A small ELF file of the device's machine: header, one program header, a section of names and one of code.
#[must_use]
pub fn sample_elf() -> Vec<u8> {
    const HEADER: usize = 64;
    const NAMES: &[u8] = b"\0.shstrtab\0.text.k\0";
    const CODE: usize = 256;
    let names_at = HEADER + 56;
    let code_at = names_at + NAMES.len().next_multiple_of(16);
    let sections_at = code_at + CODE;
    let mut elf = vec![0; sections_at + 3 * 64];
    let mut put = |at: usize, bytes: &[u8]| {
        if let Some(place) = elf.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    };
    put(0, b"\x7fELF\x02\x01\x01");
    // Type, machine 190 (CUDA), version.
    put(16, &[2, 0, 190, 0, 1, 0, 0, 0]);
    put(32, &(HEADER as u64).to_le_bytes());
    put(40, &(sections_at as u64).to_le_bytes());
    // Sizes and counts of the header, the program headers and the sections; where the names are.
    for (at, value) in [(52, 64_u16), (54, 56), (56, 1), (58, 64), (60, 3), (62, 1)] {
        put(at, &value.to_le_bytes());
    }
    put(HEADER, &[1, 0, 0, 0, 5, 0, 0, 0]);
    put(HEADER + 8, &(code_at as u64).to_le_bytes());
    put(HEADER + 32, &(CODE as u64).to_le_bytes());
    put(names_at, NAMES);
    let sections = [
        (1_u32, 3_u32, names_at, NAMES.len()),
        (11, 1, code_at, CODE),
    ];
    for (index, (name, kind, at, size)) in sections.into_iter().enumerate() {
        let section = sections_at + (index + 1) * 64;
        put(section, &name.to_le_bytes());
        put(section + 4, &kind.to_le_bytes());
        put(section + 24, &(at as u64).to_le_bytes());
        put(section + 32, &(size as u64).to_le_bytes());
    }
    elf
}

/// As [`run`], with spoilt ELF files.
pub fn run_elf(seed: u64, cases: u64) -> u64 {
    spoil(&sample_elf(), seed, cases)
}

/// Runs `cases` spoilt samples (truncated, bits flipped, fields overwritten) from a fixed `seed`. Returns how many
/// ran.
pub fn run(seed: u64, cases: u64) -> u64 {
    spoil(&sample(), seed, cases)
}

fn spoil(sample: &[u8], seed: u64, cases: u64) -> u64 {
    let mut state = seed;
    // SplitMix64 (Steele, Lea, Flood 2014): enough for picking positions, and the same everywhere.
    let mut below = |bound: usize| -> usize {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    };
    for _ in 0..cases {
        let mut bytes = sample.to_vec();
        for _ in 0..=below(4) {
            match below(3) {
                0 => bytes.truncate(below(bytes.len() + 1)),
                1 => {
                    let at = below(bytes.len());
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << below(8);
                    }
                }
                _ => {
                    let at = below(bytes.len()) & !3;
                    let value = [0, 1, 0x7fff_ffff, u32::MAX, 1 << 20][below(5)];
                    if let Some(field) = bytes.get_mut(at..at + 4) {
                        field.copy_from_slice(&u32::to_le_bytes(value));
                    }
                }
            }
        }
        check(&bytes);
    }
    cases
}
