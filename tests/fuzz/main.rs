//! `fuzz CASES SEED`: runs every crate's fuzz oracle and says how many cases ran.
#![expect(clippy::print_stdout, reason = "a command line tool reports on stdout")]

use std::{process::ExitCode, time::Instant};

/// An oracle: runs so many cases from a seed, panics when a promise is broken, returns how many ran.
type Oracle = fn(seed: u64, cases: u64) -> u64;

/// One row per oracle.
const ORACLES: [(&str, Oracle); 1] = [("fatbin", fatbin::oracle::run)];

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Some(Ok(cases)), Some(Ok(seed)), None) = (numbers.next(), numbers.next(), numbers.next())
    else {
        eprintln!("usage: fuzz CASES SEED");
        return ExitCode::from(2);
    };
    for (name, oracle) in ORACLES {
        let start = Instant::now();
        let ran = oracle(seed, cases);
        println!(
            "fuzz: {name}: {ran} cases in {:.1} s, seed {seed}",
            start.elapsed().as_secs_f64()
        );
    }
    ExitCode::SUCCESS
}
