//! Broken texts: an error or a module each time, never a panic, and printing loses nothing.

use std::path::Path;

use proptest::prelude::*;
use ptx::fuzz::{mutate, oracle};

fn samples() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut samples: Vec<String> = std::fs::read_dir(directory)
        .expect("the filetests are there")
        .map(|entry| std::fs::read_to_string(entry.expect("readable").path()).expect("text"))
        .collect();
    samples.sort();
    samples
}

#[test]
fn mutated_samples() {
    for (index, sample) in samples().iter().enumerate() {
        for seed in 0..400 {
            let text = mutate(sample, seed * 1000 + index as u64);
            assert_eq!(
                oracle(&text),
                Ok(()),
                "sample {index}, seed {seed}:\n{text}"
            );
        }
    }
}

#[test]
fn truncations() {
    for sample in samples() {
        for end in (0..sample.len()).step_by(7) {
            if let Some(text) = sample.get(..end) {
                assert_eq!(oracle(text), Ok(()), "{text}");
            }
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let header = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for (open, close) in [("{", "}"), ("(", ")"), ("-", ""), ("!", "")] {
        for before in [
            ".entry k() { ",
            ".global .b32 x = ",
            ".global .b32 x[1] = {",
        ] {
            let deep = 200_000;
            let text = format!(
                "{header}{before}{}1{}",
                open.repeat(deep),
                close.repeat(deep)
            );
            assert_eq!(oracle(&text), Ok(()));
        }
    }
}

#[test]
fn sizes_are_bounded() {
    let header = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for text in [
        ".entry k() { .reg .b32 %r<4000000000>; mov.u32 %r3999999999, 1; ret; }",
        ".global .b8 x[18446744073709551615][18446744073709551615];",
        ".global .b8 x[1000000000000] = {1};",
        ".global .b8 x[2][500000000000] = {{1},{2}};",
        ".global .align 2147483648 .b8 x;",
    ] {
        assert_eq!(oracle(&format!("{header}{text}")), Ok(()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        prop_assert_eq!(oracle(&text), Ok(()));
    }

    #[test]
    fn any_body(body in "[a-z%.,;{}()\\[\\]@!|0-9xUf+\\- \n_<>:]{0,200}") {
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {{\n{body}\n}}");
        prop_assert_eq!(oracle(&text), Ok(()));
    }

    #[test]
    fn every_float_keeps_its_bits(single: u32, double: u64) {
        let text = format!(
            ".version 9.0\n.target sm_90\n.global .b32 a = 0f{single:08x};\n.global .b64 b = 0D{double:016x};\n"
        );
        let module = ptx::parse(&text).expect("valid");
        let printed = ptx::print(&module);
        let expected = format!("0f{single:08X}");
        prop_assert!(printed.contains(&expected));
        let expected = format!("0d{double:016X}");
        prop_assert!(printed.contains(&expected));
        let again = ptx::parse(&printed);
        prop_assert_eq!(again.as_ref(), Ok(&module));
    }

    #[test]
    fn every_integer_keeps_its_value(signed: i64, unsigned: u64) {
        let text = format!(".version 9.0\n.target sm_90\n.global .b64 a[2] = {{{signed}, {unsigned}U}};\n");
        let module = ptx::parse(&text).expect("valid");
        let again = ptx::print(&module);
        let reparsed = ptx::parse(&again);
        prop_assert_eq!(reparsed.as_ref(), Ok(&module));
        let checked = ptx::check(&module, &ptx::Policy::default()).expect("valid");
        let bytes = &checked.globals[0].init.as_ref().expect("has contents").bytes;
        let mut expected = signed.to_le_bytes().to_vec();
        expected.extend(unsigned.to_le_bytes());
        prop_assert_eq!(bytes, &expected);
    }
}
