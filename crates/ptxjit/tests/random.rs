//! Random kernels give the same on every executor. `ANTLERITE_FUZZ=first..last` chooses the seeds, `first..last:step` some
//! of them.
#![allow(
    dead_code,
    reason = "the harness has parts that only the file tests use"
)]

mod harness;

use harness::value::from_bytes;
use harness::{executor, random};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// One seed's kernel on every executor: what differs.
fn run(seed: u64) -> Vec<String> {
    let mut case = random::case(seed);
    // Compilation takes nearly all of the time: every executor and all passes for one kernel in eight; others by
    // the interpreter and one kind of compiled code in turn.
    let thorough = seed.is_multiple_of(8) || random::goes_together(seed);
    case.opt_level = if thorough { 4 } else { 0 };
    let (oracle, others) = executor::ALL.split_first().expect("there are executors");
    let start = std::time::Instant::now();
    let first = oracle.run(&case);
    if std::env::var_os("RANDOM_TIMES").is_some() {
        eprintln!("{seed} {} {:?}", oracle.name(), start.elapsed());
    }
    let left = match first {
        Ok(left) => left,
        Err(error) => return vec![format!("seed {seed}: {error}")],
    };
    for expect in &mut case.expect {
        expect.values = from_bytes(expect.kind, &left.buffers[expect.buffer]);
    }
    let mut natives = 0;
    others
        .iter()
        .filter(|executor| {
            let native = executor.any_nan();
            natives += u64::from(native);
            thorough || !native || natives % 5 == seed % 5
        })
        .filter_map(|executor| {
            let start = std::time::Instant::now();
            let error = case.judge(executor.run(&case)).err();
            if std::env::var_os("RANDOM_TIMES").is_some() {
                eprintln!("{seed} {} {:?}", executor.name(), start.elapsed());
            }
            let error = error?;
            Some(format!("{}: seed {seed}: {error}", executor.name()))
        })
        .collect()
}

#[test]
fn executors_agree() {
    let seeds = std::env::var("ANTLERITE_FUZZ").ok().and_then(|text| {
        let (first, rest) = text.split_once("..")?;
        let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
        let seeds = first.parse::<u64>().ok()?..last.parse::<u64>().ok()?;
        Some((seeds, step.parse::<u64>().ok().filter(|&n| n > 0)?))
    });
    let (seeds, step) = seeds.unwrap_or((0..64, 1));
    let next = AtomicU64::new(seeds.start);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(step, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let found = run(seed);
                    failures.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    let count = seeds.end.saturating_sub(seeds.start).div_ceil(step);
    eprintln!("{count} random kernels ran");
    assert!(
        failures.is_empty(),
        "{} failures, the first: {}",
        failures.len(),
        failures[0]
    );
}
