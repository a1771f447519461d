//! Random kernels give the same on every executor: large ones, of which a few run here, and small programs by the thousand.
//!
//! `ANTLERITE_FUZZ=first..last` chooses the seeds of the kernels, `ANTLERITE_PROGRAMS` those of the programs;
//! `first..last:step` some of them.
#![allow(
    dead_code,
    reason = "the harness has parts that only the file tests use"
)]

mod harness;

use harness::case::Case;
use harness::executor::{self, Executor};
use harness::random;
use harness::value::from_bytes;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One seed's kernel on executors: what differs.
fn kernel(seed: u64) -> Vec<String> {
    // Compilation takes nearly all of the time: every executor and all passes for one kernel in eight; others by
    // the interpreter and one kind of compiled code in turn.
    let thorough = seed.is_multiple_of(8) || random::goes_together(seed);
    let mut case = random::case(seed);
    case.opt_level = if thorough { 4 } else { 0 };
    let count = natives().count() as u64;
    agree(case, |executor, natives| {
        thorough || !executor.any_nan() || natives % count == seed % count
    })
}

/// Kinds of compiled code by how they are called in [`executor::ALL`] after the level, and how many programs in 20 go to
/// each: more to those that are compiled sooner.
const SHARES: [(&str, usize); 4] = [("-fast", 8), ("-narrow", 6), ("", 5), ("-any-fibers", 1)];

/// One seed's program: on the interpreter and one kind of compiled code, and after the passes now and then.
fn program(seed: u64) -> Vec<String> {
    let kinds: Vec<&str> = SHARES
        .iter()
        .flat_map(|&(kind, share)| std::iter::repeat_n(kind, share))
        .collect();
    let at = usize::try_from(seed % kinds.len() as u64).expect("below the count");
    // The lowest level has no other kinds: it takes a few of the usual one's.
    let lowest = kinds[at].is_empty() && seed.is_multiple_of(3);
    let wider: Vec<&str> = ["avx2", "avx512"]
        .into_iter()
        .filter(|level| natives().any(|native| native.name() == *level))
        .collect();
    let turn = usize::try_from(seed / 20).expect("small") % wider.len().max(1);
    let kind = match wider.get(turn) {
        Some(level) if !lowest || !natives().any(|native| native.name() == "sse4") => {
            format!("{level}{}", kinds[at])
        }
        _ => "sse4".to_owned(),
    };
    agree(random::program(seed), |executor, _| {
        executor.name() == kind || !executor.any_nan() && seed.is_multiple_of(4)
    })
}

/// The kinds of compiled code that run here.
fn natives() -> impl Iterator<Item = &'static &'static dyn Executor> {
    executor::ALL
        .iter()
        .filter(|executor| executor.any_nan() && executor.runs())
}

/// What the interpreter's result differs in from that of the executors chosen (by the number of kinds of compiled code
/// so far).
fn agree(mut case: Case, chosen: impl Fn(&dyn Executor, u64) -> bool) -> Vec<String> {
    let timed = |executor: &dyn Executor, case: &Case| {
        let start = std::time::Instant::now();
        let left = executor.run(case);
        if std::env::var_os("RANDOM_TIMES").is_some() {
            eprintln!("{} {} {:?}", case.name, executor.name(), start.elapsed());
        }
        left
    };
    let (oracle, others) = executor::ALL.split_first().expect("there are executors");
    let left = match timed(*oracle, &case) {
        Ok(left) => left,
        Err(error) => return vec![format!("{}: {error}", case.name)],
    };
    for expect in &mut case.expect {
        expect.values = from_bytes(expect.kind, &left.buffers[expect.buffer]);
    }
    let mut natives = 0;
    others
        .iter()
        .filter(|executor| {
            natives += u64::from(executor.any_nan() && executor.runs());
            executor.runs() && chosen(**executor, natives)
        })
        .filter_map(|executor| {
            let error = case.judge(timed(*executor, &case)).err()?;
            Some(format!("{}: {}: {error}", executor.name(), case.name))
        })
        .collect()
}

/// Seeds that a variable names, or `usual`.
fn seeds(variable: &str, usual: Range<u64>) -> (Range<u64>, usize) {
    let named = std::env::var(variable).ok().and_then(|text| {
        let (first, rest) = text.split_once("..")?;
        let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
        let seeds = first.parse().ok()?..last.parse().ok()?;
        Some((seeds, step.parse().ok().filter(|&n| n > 0)?))
    });
    named.unwrap_or((usual, 1))
}

/// Runs all seeds, on a few threads.
fn all((seeds, step): (Range<u64>, usize), what: &str, run: impl Fn(u64) -> Vec<String> + Sync) {
    /// After how many a long run says how far it is.
    const NEWS: usize = 10_000;
    let count = seeds.clone().step_by(step).count();
    let done = AtomicUsize::new(0);
    let next = Mutex::new(seeds.step_by(step));
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.lock().expect("no panic").next();
                    let Some(seed) = seed else { return };
                    let found = run(seed);
                    for failure in &found {
                        eprintln!("{failure}");
                    }
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if done.is_multiple_of(NEWS) {
                        eprintln!("{done} of {count} random {what} ran");
                    }
                    failures.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    eprintln!("{count} random {what} ran");
    assert!(
        failures.is_empty(),
        "{} failures, the first: {}",
        failures.len(),
        failures[0]
    );
}

#[test]
fn kernels_agree() {
    all(seeds("ANTLERITE_FUZZ", 0..64), "kernels", kernel);
}

#[test]
fn programs_agree() {
    all(seeds("ANTLERITE_PROGRAMS", 0..2_000), "programs", program);
}
