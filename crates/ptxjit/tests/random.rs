//! Random kernels give the same on every executor. `ANTLERITE_FUZZ=first..last` chooses the seeds.
#![allow(
    dead_code,
    reason = "the harness has parts that only the file tests use"
)]

mod harness;

use harness::value::from_bytes;
use harness::{executor, random};

#[test]
fn executors_agree() {
    let seeds = std::env::var("ANTLERITE_FUZZ").ok().and_then(|text| {
        let (first, last) = text.split_once("..")?;
        Some(first.parse::<u64>().ok()?..last.parse::<u64>().ok()?)
    });
    let mut failures = Vec::new();
    for seed in seeds.unwrap_or(0..100) {
        let mut case = random::case(seed);
        let (oracle, others) = executor::ALL.split_first().expect("there are executors");
        let left = match oracle.run(&case) {
            Ok(left) => left,
            Err(error) => {
                failures.push(format!("seed {seed}: {error}"));
                continue;
            }
        };
        for expect in &mut case.expect {
            expect.values = from_bytes(expect.kind, &left.buffers[expect.buffer]);
        }
        for executor in others {
            if let Err(error) = case.judge(executor.run(&case)) {
                failures.push(format!("{}: seed {seed}: {error}", executor.name()));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures, the first: {}",
        failures.len(),
        failures[0]
    );
}
