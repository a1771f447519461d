//! Many channels at once with random work: nothing is lost, nothing runs twice, nothing hangs.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "tests"
)]

mod rig;

use abi::link::Start;
use abi::sm::flags;
use rig::{ARENA, Channel, Gpu, Launch, Push, image};
use std::sync::atomic::Ordering;

/// A small generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

const CHANNELS: u32 = 6;
const BLOCKS: [u32; 5] = [1, 2, 17, 300, 5000];

fn run(seed: u64, workers: u32, rounds: u32) {
    let mut r = Random(seed);
    let mut gpu = Gpu::with(Start {
        sm_count: 16,
        workers,
        cc: 90,
        threads_per_sm: 2048,
        deterministic: false,
    });
    let mut channels: Vec<Channel> = (0..CHANNELS).map(|c| gpu.compute_channel(c)).collect();
    let count = gpu.upload(&image::count().bytes());
    let barrier = gpu.upload(&image::barrier().bytes());
    let spin = gpu.upload(&image::grid_barrier().flags(flags::SPINS).bytes());
    let source = gpu.upload(&vec![0xa5; 2 << 20]);
    let target: Vec<u64> = (0..CHANNELS).map(|_| gpu.alloc(2 << 20)).collect();
    let out: Vec<u64> = (0..CHANNELS).map(|_| gpu.alloc(4 * 5000)).collect();
    let sums = gpu.alloc(4 * 64 * 32);
    let counter: Vec<u64> = (0..CHANNELS).map(|_| gpu.alloc(4)).collect();
    let token = gpu.alloc(4096);
    let launches: Vec<Vec<u64>> = out
        .iter()
        .map(|&o| {
            BLOCKS
                .iter()
                .map(|&b| gpu.qmd(&Launch::new(count, b, 64, &[o])))
                .collect()
        })
        .collect();
    let fibers = gpu.qmd(&Launch {
        shared: 256,
        ..Launch::new(barrier, 9, 256, &[sums])
    });
    let spins: Vec<u64> = counter
        .iter()
        .map(|&c| {
            gpu.qmd(&Launch {
                shared: 64,
                ..Launch::new(spin, 12, 64, &[c])
            })
        })
        .collect();
    let mut want = vec![[0u32; 5]; CHANNELS as usize];
    let mut spun = vec![0u32; CHANNELS as usize];
    let mut tokens = 0;
    for _ in 0..rounds {
        let c = r.below(CHANNELS) as usize;
        let mut p = Push::default();
        match r.below(8) {
            0..=2 => {
                for _ in 0..=r.below(4) {
                    let b = r.below(5) as usize;
                    p.launch(launches[c][b]);
                    want[c][b] += 1;
                    if r.below(2) == 0 {
                        p.wait_idle();
                    }
                }
            }
            3 => {
                p.copy(
                    target[c],
                    source,
                    [64, 4096, 700_000, 2 << 20][r.below(4) as usize],
                );
            }
            4 => {
                p.launch(fibers).wait_idle();
            }
            5 => {
                // All 24 warps of 12 CTAs must be counted before any goes on; the counter starts at a multiple of 24.
                if spun[c] == 0 {
                    p.launch(spins[c]).wait_idle();
                    spun[c] = 24;
                }
            }
            _ => {
                // This channel releases, another one waits for it.
                tokens += 1;
                let at = token + 4 * u64::from(r.below(1000));
                let other = (c + 1 + r.below(CHANNELS - 1) as usize) % CHANNELS as usize;
                // The larger value stays, whoever comes first.
                p.acquire(at, tokens, 6 | 1 << 27 | 1 << 31 | 1 << 20);
                let mut q = Push::default();
                q.acquire(at, tokens, 3);
                // Submitted first by chance, but never so that two channels wait for each other.
                if r.below(2) == 0 {
                    gpu.submit(&mut channels[c], &p);
                    gpu.submit(&mut channels[other], &q);
                } else {
                    gpu.submit(&mut channels[other], &q);
                    gpu.submit(&mut channels[c], &p);
                }
                p.words.clear();
            }
        }
        if !p.words.is_empty() {
            gpu.submit(&mut channels[c], &p);
        }
        if r.below(200) == 0 {
            for channel in &mut channels {
                gpu.sync(channel);
            }
            std::thread::sleep(std::time::Duration::from_micros(u64::from(r.below(3000))));
        }
    }
    for channel in &mut channels {
        gpu.sync(channel);
    }
    for c in 0..CHANNELS as usize {
        let got = gpu.words(out[c], 5000);
        for (i, &g) in got.iter().enumerate() {
            let expected: u32 = BLOCKS
                .iter()
                .zip(want[c])
                .filter(|(b, _)| **b > i as u32)
                .map(|(_, n)| n)
                .sum();
            assert_eq!(g, expected, "channel {c}, block {i}, seed {seed}");
        }
        assert_eq!(gpu.word(counter[c]).load(Ordering::SeqCst), spun[c]);
        let copied = gpu.arena.read(target[c] - ARENA, 64);
        assert!(copied.iter().all(|&b| b == 0xa5) || copied.iter().all(|&b| b == 0));
    }
}

#[test]
fn random_work_two_workers() {
    run(1, 2, 3000);
}

#[test]
fn random_work_one_worker() {
    run(2, 1, 1500);
}

#[test]
fn random_work_many_workers() {
    run(3, 5, 1500);
}

/// Longer, with other seeds: `ANTLERITE_STRESS_SEED=n cargo test -p gpu --test stress -- --ignored`.
#[test]
#[ignore = "long"]
fn random_work_long() {
    let seed = std::env::var("ANTLERITE_STRESS_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(100);
    run(seed, 2, 40_000);
    run(seed + 1, 3, 20_000);
}
