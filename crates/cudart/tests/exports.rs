//! The table and the version script name the same symbols.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn the_table_exports_what_the_script_lists() {
    let (script, count) = if cfg!(feature = "major-13") {
        (include_str!("../libcudart.so.13.map"), 422)
    } else {
        (include_str!("../libcudart.so.12.map"), 435)
    };
    let listed: BTreeSet<&str> = script
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.strip_suffix(';'))
        .filter(|name| *name != "*")
        .collect();
    let all: Vec<&str> = cudart::table::SYMBOLS.concat();
    let declared: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(declared.len(), all.len(), "a symbol is declared twice");
    let missing: Vec<_> = listed.difference(&declared).collect();
    let extra: Vec<_> = declared.difference(&listed).collect();
    assert!(missing.is_empty(), "not in the table: {missing:?}");
    assert!(extra.is_empty(), "not in the script: {extra:?}");
    assert_eq!(listed.len(), count);
}

#[test]
fn what_is_not_served_has_a_reason_of_the_list() {
    const REASONS: [&str; 3] = ["other graphics API", "needs hardware", "undocumented"];
    let mut never = 0;
    for function in cudart::table::FUNCTIONS {
        if let Some(why) = function.never {
            assert!(REASONS.contains(&why), "{}: {why}", function.name);
            never += 1;
        }
    }
    let all = cudart::table::FUNCTIONS.len();
    assert!(never * 10 < all, "{never} of {all}");
}

/// nvcc's own code in every program calls those with underscores; CUDA 12's headers give the names with `_v2` to the
/// plain ones.
#[test]
fn conformance_programs_call_every_function_that_is_served() {
    const BY_HEADERS: [&str; 2] = [
        "cudaSignalExternalSemaphoresAsync_v2",
        "cudaWaitExternalSemaphoresAsync_v2",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let mut words = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the programs") {
        let path = entry.expect("a program").path();
        if path.is_file() {
            let text = std::fs::read_to_string(path).expect("text");
            let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.extend(parts.map(str::to_owned));
        }
    }
    let uncalled: Vec<&str> = cudart::table::FUNCTIONS
        .iter()
        .filter(|function| function.never.is_none() && !function.name.starts_with("__"))
        .map(|function| function.name)
        .filter(|name| !words.contains(*name) && !BY_HEADERS.contains(name))
        .collect();
    assert!(uncalled.is_empty(), "no program calls {uncalled:?}");
}
