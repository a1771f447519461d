//! Launch and copy speed, as numbers. Run with `cargo test --release -p gpu --test latency -- --ignored --nocapture`.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a measurement"
)]

mod rig;

use rig::{Gpu, Launch, Push, image};
use std::sync::atomic::Ordering;
use std::time::Instant;

fn ns(since: Instant, n: u32) -> f64 {
    since.elapsed().as_nanos() as f64 / f64::from(n)
}

#[test]
#[ignore = "a measurement"]
fn launch_latency() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::empty().bytes());
    let sem = gpu.alloc(4);
    for blocks in [1, 64, 4096] {
        let qmd = gpu.qmd(&Launch::new(program, blocks, 128, &[]));
        // Warm.
        for _ in 0..1000 {
            gpu.launch_qmd(&mut ch, qmd, None);
        }
        gpu.sync(&mut ch);
        let (batches, n) = if blocks > 1000 { (100, 50) } else { (500, 200) };
        let mut times: Vec<f64> = vec![];
        for _ in 0..batches {
            let since = Instant::now();
            for _ in 0..n {
                gpu.launch_qmd(&mut ch, qmd, None);
            }
            gpu.sync(&mut ch);
            times.push(ns(since, n));
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{blocks} blocks, asynchronous: best {:.0} ns, median {:.0} ns",
            times[0],
            times[batches / 2]
        );
        let n = if blocks > 1000 { 2_000 } else { 20_000 };
        let mut worst = vec![];
        gpu.word(sem).store(0, Ordering::SeqCst);
        let since = Instant::now();
        for i in 1..=n {
            let t = Instant::now();
            gpu.launch_qmd(&mut ch, qmd, Some((sem, i)));
            while gpu.word(sem).load(Ordering::Acquire) != i {
                std::hint::spin_loop();
            }
            worst.push(t.elapsed().as_nanos() as u64);
        }
        worst.sort_unstable();
        println!(
            "{blocks} blocks, launch + synchronize: mean {:.0} ns, p10 {} ns, median {} ns, p99 {} ns",
            ns(since, n),
            worst[n as usize / 10],
            worst[n as usize / 2],
            worst[n as usize * 99 / 100]
        );
    }
    // WARP kind: one CTA of 8 warps with barriers.
    let barrier = gpu.upload(&image::barrier().bytes());
    let out = gpu.alloc(4 * 8 * 1024);
    for blocks in [1, 1024] {
        let qmd = gpu.qmd(&Launch {
            shared: 128,
            ..Launch::new(barrier, blocks, 256, &[out])
        });
        for _ in 0..100 {
            gpu.launch_qmd(&mut ch, qmd, None);
        }
        gpu.sync(&mut ch);
        let n = if blocks > 1 { 200 } else { 20_000 };
        let since = Instant::now();
        for _ in 0..n {
            gpu.launch_qmd(&mut ch, qmd, None);
        }
        gpu.sync(&mut ch);
        println!(
            "{blocks} CTAs of 8 warps with 4 barriers: {:.0} ns per CTA",
            ns(since, n) / f64::from(blocks)
        );
    }
    // Idle wake-up.
    let qmd = gpu.qmd(&Launch::new(program, 1, 128, &[]));
    let mut times = vec![];
    for i in 1..=200 {
        std::thread::sleep(std::time::Duration::from_millis(2));
        let t = Instant::now();
        gpu.launch_qmd(&mut ch, qmd, Some((sem, 1 << 20 | i)));
        while gpu.word(sem).load(Ordering::Acquire) != 1 << 20 | i {
            std::hint::spin_loop();
        }
        times.push(t.elapsed().as_nanos() as u64);
    }
    times.sort_unstable();
    println!(
        "after 2 ms of idleness: median {} ns, p90 {} ns",
        times[100], times[180]
    );
}

#[test]
#[ignore = "a measurement"]
fn copy_speed() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let bytes = 24u32 << 20;
    let (a, b) = (gpu.alloc(u64::from(bytes)), gpu.alloc(u64::from(bytes)));
    for size in [4 << 10, 64 << 10, 512 << 10, 4 << 20, bytes] {
        let mut best = f64::MAX;
        let n = (64u32 << 20) / size;
        for _ in 0..5 {
            let mut p = Push::default();
            for _ in 0..n {
                p.copy(b, a, size);
            }
            let since = Instant::now();
            gpu.submit(&mut ch, &p);
            gpu.sync(&mut ch);
            best = best.min(ns(since, n));
        }
        // The same by memcpy here.
        let src = vec![1u8; size as usize];
        let mut dst = vec![2u8; size as usize];
        let mut host = f64::MAX;
        for _ in 0..5 {
            let since = Instant::now();
            for _ in 0..n {
                dst.copy_from_slice(std::hint::black_box(&src));
                std::hint::black_box(&mut dst);
            }
            host = host.min(ns(since, n));
        }
        println!(
            "copy of {} KiB: {:.2} GB/s, memcpy {:.2} GB/s",
            size >> 10,
            f64::from(size) / best,
            f64::from(size) / host
        );
    }
}
