//! `fuzz CASES SEED`: runs every crate's fuzz oracle and says how many cases ran.
#![expect(clippy::print_stdout, reason = "a command line tool reports on stdout")]

use std::{path::Path, process::ExitCode, time::Instant};

use kernel::{config::Config, fuzz, kernel::Kernel};

/// An oracle: runs so many cases from a seed, panics when a promise is broken, returns how many ran.
type Oracle = fn(seed: u64, cases: u64) -> u64;

/// One row per oracle.
const ORACLES: [(&str, Oracle); 7] = [
    ("fatbin", fatbin::oracle::run),
    ("cubin", fatbin::oracle::run_elf),
    ("ptx", ptx),
    ("linker", jit::oracle::run),
    ("cache files", jit::store::oracle::run),
    ("kernel", kernel_calls),
    ("object tree", object_tree),
];

/// Calls of one kernel half: many short lives find more than one long one, whose limits fill up.
const LIFE: u64 = 20_000;

/// Spoilt copies of the parser's own samples.
fn ptx(seed: u64, cases: u64) -> u64 {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/ptx/tests/filetests");
    let mut samples: Vec<String> = std::fs::read_dir(&directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path()).ok())
        .collect();
    samples.sort();
    assert!(!samples.is_empty(), "no samples in {}", directory.display());
    let mut random = ptx::fuzz::Random::new(seed);
    for case in 0..cases {
        let sample = &samples[random.below(samples.len())];
        let text = ptx::fuzz::mutate(sample, seed.wrapping_add(case));
        if let Err(broken) = ptx::fuzz::oracle(&text) {
            panic!("ptx: seed {seed}, case {case}: {broken:?}\n{text}");
        }
    }
    cases
}

/// Allocations, frees and duplications against a model of the object tree.
fn object_tree(seed: u64, cases: u64) -> u64 {
    let mut ran = 0;
    for life in 0..cases.div_ceil(LIFE) {
        let mut config = Config::new(Some("h100"), Some("580.142")).expect("a known profile");
        config.framebuffer = 64 << 20;
        config.host_memory = 96 << 20;
        config.descriptors = 40;
        config.gpu_bin = "/nonexistent/antlerite-gpu".into();
        let kernel = Kernel::new(config, None).expect("a thread can be started");
        let steps = usize::try_from(LIFE.min(cases - life * LIFE)).unwrap_or(usize::MAX);
        let report = fuzz::model::run(&kernel, seed.wrapping_add(life), steps);
        ran += u64::try_from(report.steps).unwrap_or(0);
    }
    ran
}

/// Hostile calls on all nodes of kernel halves in this process.
fn kernel_calls(seed: u64, cases: u64) -> u64 {
    let mut ran = 0;
    for life in 0..cases.div_ceil(LIFE) {
        let mut config = Config::new(Some("h100"), Some("580.142")).expect("a known profile");
        config.framebuffer = 256 << 20;
        config.host_memory = 256 << 20;
        config.descriptors = 200;
        // Calls are what is tested here: no process behind them.
        config.gpu_bin = "/nonexistent/antlerite-gpu".into();
        let kernel = Kernel::new(config, None).expect("a thread can be started");
        let calls = LIFE.min(cases - life * LIFE);
        let calls = usize::try_from(calls).unwrap_or(usize::MAX);
        let report = fuzz::run(&kernel, seed.wrapping_add(life), calls);
        ran += u64::try_from(report.calls).unwrap_or(0);
    }
    ran
}

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
