//! Prints the runtime's part of `docs/api-coverage.md` for one major version; `cargo xtask coverage` writes it.
#![expect(clippy::print_stdout, reason = "its output is the document")]

use std::collections::BTreeMap;

use cudart::table::{FUNCTIONS, SYMBOLS};

fn main() {
    let major = if cfg!(feature = "major-13") { 13 } else { 12 };
    let mut done = Vec::new();
    let mut never: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for function in FUNCTIONS {
        match function.never {
            None => done.push(function.name),
            Some(why) => never.entry(why).or_default().push(function.name),
        }
    }
    let refused: usize = never.values().map(Vec::len).sum();
    println!("## libcudart.so.{major}\n");
    println!(
        "{} exported names of {} functions: {} done, 0 not yet, {refused} never.\n",
        SYMBOLS.iter().map(|names| names.len()).sum::<usize>(),
        FUNCTIONS.len(),
        done.len()
    );
    println!("* Done: {}", done.join(", "));
    for (why, names) in never {
        println!("* Never ({why}): {}", names.join(", "));
    }
}
