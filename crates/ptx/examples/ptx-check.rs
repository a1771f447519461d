//! Parses and checks PTX files, prints and parses them again, and says what is wrong and how long it took.
//!
//! `cargo run -p ptx --example ptx-check -- FILE…`
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let start = Instant::now();
        let parsed = ptx::parse(&text);
        let parse_time = start.elapsed();
        let module = match parsed {
            Ok(module) => module,
            Err(errors) => {
                println!("{path}\n{}", ptx::render_log("ptx input", &errors));
                continue;
            }
        };
        let printed = ptx::print(&module);
        let again = ptx::parse(&printed);
        let same = again.as_ref() == Ok(&module);
        let start = Instant::now();
        let checked = ptx::check(&module, &ptx::Policy::default());
        let check_time = start.elapsed();
        println!(
            "{path}: {} bytes, parsed in {parse_time:?}, checked in {check_time:?}, round trip {same}",
            text.len()
        );
        if let Err(errors) = checked {
            println!("{}", ptx::render_log("ptx input", &errors));
        }
    }
}
