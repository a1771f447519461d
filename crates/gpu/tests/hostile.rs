//! Hostile clients: random rings, pushbuffers, QMDs and images. Whatever they hold, the process goes on answering, and
//! what it reports is never its own fault.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "tests"
)]

mod rig;

use abi::link::{FaultKind, FromGpu, ToGpu};
use abi::nv::methods::{compute, dma, host};
use rig::{ARENA, ARENA_BYTES, Gpu, Launch, Push, image};
use std::time::Duration;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 ^ ((self.0 >> 17) as u32).rotate_left(16)
    }

    fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// An address that is often good.
    fn address(&mut self) -> u64 {
        match self.below(8) {
            0 => u64::from(self.next()),
            1 => u64::from(self.next()) << self.below(32),
            2 => abi::link::IMAGE_WINDOW.start + u64::from(self.next() >> 2),
            3 => abi::link::RESERVED.start + (u64::from(self.next()) << 8),
            _ => ARENA + u64::from(self.next()) % ARENA_BYTES,
        }
    }

    fn data(&mut self) -> u32 {
        match self.below(6) {
            0 => self.next(),
            1 => 1 << self.below(32),
            2 => self.below(16),
            3 => self.address() as u32,
            4 => (self.address() >> 32) as u32,
            _ => self.below(0x2000),
        }
    }
}

const COMPUTE: [u32; 14] = [
    compute::WAIT_FOR_IDLE,
    compute::LINE_LENGTH_IN,
    compute::LINE_COUNT,
    compute::OFFSET_OUT_UPPER,
    compute::OFFSET_OUT,
    compute::LAUNCH_DMA,
    compute::LOAD_INLINE_DATA,
    compute::SEND_PCAS_A,
    compute::SEND_SIGNALING_PCAS2_B,
    compute::SET_INLINE_QMD_ADDRESS_A,
    compute::REPORT_SEMAPHORE_EXECUTE,
    compute::SET_REPORT_SEMAPHORE_A,
    compute::SET_REPORT_SEMAPHORE_D,
    compute::INVALIDATE_SHADER_CACHES_NO_WFI,
];
const COPY: [u32; 10] = [
    dma::OFFSET_IN_UPPER,
    dma::OFFSET_IN_LOWER,
    dma::OFFSET_OUT_UPPER,
    dma::OFFSET_OUT_LOWER,
    dma::PITCH_IN,
    dma::PITCH_OUT,
    dma::LINE_LENGTH_IN,
    dma::LINE_COUNT,
    dma::SET_REMAP_COMPONENTS,
    dma::LAUNCH_DMA,
];
const HOST: [u32; 8] = [
    host::SET_OBJECT,
    host::NOP,
    host::SEMAPHOREA,
    host::SEMAPHORED,
    host::SEM_ADDR_LO,
    host::SEM_EXECUTE,
    host::WFI,
    host::NON_STALL_INTERRUPT,
];

fn push(r: &mut Random, qmd: u64) -> Push {
    let mut p = Push::default();
    for _ in 0..=r.below(40) {
        match r.below(8) {
            0 => {
                let a = r.address();
                p.copy(a, r.address(), r.next() >> r.below(32));
            }
            1 => {
                p.launch(if r.below(2) == 0 { qmd } else { r.address() });
            }
            2 => p.words.push(r.next()),
            k => {
                let (subchannel, method) = match k {
                    3 | 4 => (1, r.pick(&COMPUTE)),
                    5 | 6 => (4, r.pick(&COPY)),
                    _ => (r.below(8), r.pick(&HOST)),
                };
                let data: Vec<u32> = (0..=r.below(5)).map(|_| r.data()).collect();
                p.method(subchannel, method, &data);
            }
        }
    }
    p
}

fn run(seed: u64, rounds: u32) {
    let mut r = Random(seed);
    for round in 0..rounds {
        let mut gpu = Gpu::new();
        let mut channels = [gpu.compute_channel(0), gpu.compute_channel(1)];
        let mut image = r.pick(&[image::count, image::barrier, image::vecadd])().bytes();
        if r.below(2) == 0 {
            // Spoil the header, not the code: what code does is its own affair.
            let at = r.below(128) as usize;
            image[at] ^= 1 << r.below(8);
        }
        let program = gpu.upload(&image);
        let params: Vec<u64> = (0..4).map(|_| r.address()).collect();
        let qmd = gpu.qmd(&Launch {
            shared: r.below(1000),
            ..Launch::new(program, r.below(50), 1 + r.below(1100), &params)
        });
        if r.below(3) == 0 {
            let word = qmd + 4 * u64::from(r.below(96));
            gpu.word(word)
                .fetch_xor(1 << r.below(32), std::sync::atomic::Ordering::SeqCst);
        }
        for channel in &mut channels {
            for _ in 0..3 {
                let p = push(&mut r, qmd);
                gpu.submit(channel, &p);
            }
            if r.below(4) == 0 {
                let entry = u64::from(r.next()) | u64::from(r.next()) << 32;
                gpu.submit_entry(channel, entry);
            }
        }
        std::thread::sleep(Duration::from_micros(u64::from(r.below(3000))));
        gpu.ask(ToGpu::Query, &[])
            .unwrap_or_else(|e| panic!("seed {seed} round {round}: {e:?}"));
        gpu.ask(ToGpu::Kill { xid: 43 }, &[]).expect("kill");
        while let Some(m) = gpu.receive(Duration::ZERO) {
            gpu.messages.push(m);
        }
        let bad = gpu
            .messages
            .iter()
            .find(|m| matches!(m, FromGpu::Fault(f) if f.kind == FaultKind::Internal));
        assert!(bad.is_none(), "seed {seed} round {round}: {bad:?}");
    }
}

#[test]
fn random_submissions() {
    run(7, 150);
}

/// Longer, with other seeds: `ANTLERITE_STRESS_SEED=n cargo test -p gpu --test hostile -- --ignored`.
#[test]
#[ignore = "long"]
fn random_submissions_long() {
    let seed = std::env::var("ANTLERITE_STRESS_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(100);
    run(seed, 3000);
}
