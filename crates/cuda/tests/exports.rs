//! The built library exports the names of the table, all of them and nothing else, under the SONAME programs ask for.

use std::collections::BTreeSet;
use std::path::PathBuf;

use object::{Object, ObjectSymbol};

fn library() -> PathBuf {
    // Cargo puts the library beside the test's own executable.
    std::env::current_exe()
        .expect("own path")
        .with_file_name("libcuda.so")
}

#[test]
fn exports_are_exactly_the_table() {
    let bytes = std::fs::read(library()).expect("libcuda.so is built with the tests");
    let file = object::File::parse(&*bytes).expect("ELF");
    let exported: BTreeSet<_> = file
        .dynamic_symbols()
        .filter(|s| s.is_definition())
        .map(|s| s.name().expect("name").to_owned())
        .collect();
    let table: BTreeSet<_> = cuda::table::rows().map(|e| e.name.to_owned()).collect();
    assert_eq!(exported, table);
    assert!(
        bytes
            .windows(15)
            .any(|w| w == b"\0libcuda.so.1\0l" || w.starts_with(b"\0libcuda.so.1\0"))
    );
}
