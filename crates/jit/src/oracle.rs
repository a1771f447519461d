//! What must hold for any input of the linker: the fuzz oracle, run by `cargo test` and by `cargo xtask fuzz`.

use fatbin::cubin::Cubin;
use fatbin::{Builder, Compression, Device, EntrySpec, IsaVersion, Policy, Sm};
use ptx::fuzz::{Random, mutate};

use crate::inputs::{Inputs, Kind, Target};

const UNITS: [&str; 3] = [
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"a.cu\"\n\
     .extern .func (.param .b32 r) f(.param .b32 x);\n.extern .global .align 4 .u32 v;\n.extern .shared .align 16 .b8 s[];\n\
     .global .u32 own = 1;\n.visible .entry k(.param .u64 p) {\n .reg .b32 %r<3>; .param .b32 a; .param .b32 b;\n .loc 1 3 0\n\
     ld.global.u32 %r1, [v]; ld.shared.u32 %r2, [s+4]; st.param.b32 [a], %r1; call (b), f, (a);\n ret;\n}\n",
    ".version 8.5\n.target sm_90, debug\n.address_size 64\n.visible .global .align 4 .u32 v = 7;\n.global .u32 own = 2;\n\
     .extern .shared .align 4 .u32 s[];\n.visible .global .u64 table[2] = {f, generic(own)+4};\n.weak .func w() { ret; }\n\
     .visible .func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x]; call w; st.param.b32 [r], %r; ret; }\n",
    ".version 7.0\n.target sm_75\n.address_size 64\n.common .global .align 4 .b8 c[4];\n.weak .func w() { trap; }\n\
     .visible .func g();\n.func g() { call w; ret; }\n.visible .func h();\n.alias h, g;\n",
];

const KINDS: [Kind; 6] = [
    Kind::Any,
    Kind::Ptx,
    Kind::Cubin,
    Kind::Fatbinary,
    Kind::Object,
    Kind::Library,
];

fn target() -> Target {
    Target {
        device: Device {
            cc: Sm::new(90),
            isa: IsaVersion::new(9, 0),
        },
        policy: Policy::default(),
    }
}

/// An archive of `members`, as `ar` writes it.
pub(crate) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let name = format!("{name}/");
        let size = bytes.len();
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
        out.extend_from_slice(header.as_bytes());
        out.extend_from_slice(bytes);
        if !size.is_multiple_of(2) {
            out.push(b'\n');
        }
    }
    out
}

/// A relocatable cubin of a text.
pub(crate) fn cubin(text: &str) -> Vec<u8> {
    let cubin = Cubin {
        source: Some(text.to_owned()),
        ..Cubin::default()
    };
    // So few sections always fit.
    cubin.write().unwrap_or_default()
}

/// One input of every form, of a text.
fn forms(text: &str) -> Vec<Vec<u8>> {
    let mut builder = Builder::new();
    for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
        let entry = EntrySpec::ptx(Sm::new(80), IsaVersion::new(8, 0), text);
        if builder.push(&entry.compressed(compression)).is_err() {
            return Vec::new();
        }
    }
    let whole = cubin(text);
    vec![
        text.as_bytes().to_vec(),
        archive(&[("a.o", &whole), ("b.o", b"text")]),
        whole,
        builder.finish(),
    ]
}

fn spoil(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes.truncate(at),
            1 => bytes[at] = 0xff,
            2 => bytes[at] ^= 1 << random.below(8),
            _ => {
                let end = (at + 8).min(bytes.len());
                bytes[at..end].fill(0);
            }
        }
    }
}

/// Runs so many cases from a seed; returns how many ran.
///
/// # Panics
/// When a promise is broken: what was linked cannot be read, or a cubin that was read is written as another.
pub fn run(seed: u64, cases: u64) -> u64 {
    let mut random = Random::new(seed);
    for case in 0..cases {
        let mut inputs = Inputs::new();
        let mut any = 0;
        for (index, unit) in UNITS.iter().enumerate() {
            let text = if random.below(2) == 0 {
                mutate(unit, seed.wrapping_add(case * 3 + index as u64))
            } else {
                (*unit).to_owned()
            };
            let mut forms = forms(&text);
            let mut bytes = forms.swap_remove(random.below(forms.len()));
            if random.below(3) == 0 {
                spoil(&mut bytes, &mut random);
            }
            if let Ok(cubin) = Cubin::read(&bytes) {
                let again = cubin.write().map(|bytes| Cubin::read(&bytes));
                assert!(
                    again
                        .as_ref()
                        .is_ok_and(|again| again.as_ref() == Ok(&cubin)),
                    "seed {seed}, case {case}: a cubin does not come back"
                );
            }
            let kind = KINDS[random.below(KINDS.len())];
            any += u32::from(inputs.add(kind, "unit", &bytes, target()).is_ok());
        }
        if any == 0 {
            continue;
        }
        match inputs.link() {
            Ok(linked) => {
                let read = ptx::parse(&linked.text);
                assert!(
                    read.is_ok(),
                    "seed {seed}, case {case}: linked text cannot be read: {:?}\n{}",
                    read.err(),
                    linked.text
                );
            }
            Err(error) => assert!(!error.log().is_empty(), "an error that says nothing"),
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_slice_of_the_cases() {
        assert_eq!(super::run(1, 3000), 3000);
    }
}
