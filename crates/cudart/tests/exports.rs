//! The table and the version script name the same symbols.

use std::collections::BTreeSet;

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
fn most_functions_are_served() {
    let all = cudart::table::FUNCTIONS;
    let served = all.iter().filter(|function| function.supported).count();
    assert!(served * 3 > all.len() * 2, "{served} of {}", all.len());
}
