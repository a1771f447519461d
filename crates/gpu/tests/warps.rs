//! Warps on fibers: barriers, yields, forward progress, printf, the device heap.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "tests"
)]

mod rig;

use abi::link::{FaultKind, Start, ToGpu};
use abi::sm::{flags, trap};
use rig::{ARENA, Gpu, Launch, Push, image};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[test]
fn barriers_order_warps() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::barrier().bytes());
    for (blocks, threads) in [(1, 32), (1, 1024), (7, 160), (300, 256)] {
        let warps = threads / 32;
        let out = gpu.alloc(u64::from(4 * blocks * warps));
        gpu.launch(
            &mut ch,
            &Launch {
                shared: 128,
                ..Launch::new(program, blocks, threads, &[out])
            },
        );
        gpu.sync(&mut ch);
        let sum = warps * (warps + 1); // twice the sum of 1..=warps
        assert_eq!(
            gpu.words(out, (blocks * warps) as usize),
            vec![sum; (blocks * warps) as usize]
        );
    }
}

#[test]
fn votes_are_reduced_over_the_block() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::votes().bytes());
    let out = gpu.alloc(64);
    gpu.launch(&mut ch, &Launch::new(program, 1, 128, &[out]));
    gpu.sync(&mut ch);
    // Predicates are 1, 2, 3, 4 as bit masks: 1 + 1 + 2 + 1 bits.
    assert_eq!(gpu.words(out, 4), [5; 4]);
}

#[test]
fn a_waiting_kernel_sees_a_later_copy_of_another_channel() {
    for workers in [1, 2] {
        let mut gpu = Gpu::with(Start {
            sm_count: 132,
            workers,
            cc: 90,
            threads_per_sm: 2048,
            deterministic: false,
        });
        let mut one = gpu.compute_channel(0);
        let mut two = gpu.compute_channel(1);
        let program = gpu.upload(&image::wait().flags(flags::SPINS).bytes());
        let (flag, done) = (gpu.alloc(4), gpu.alloc(4));
        let source = gpu.upload(&1u32.to_le_bytes());
        // More CTAs than workers, several warps each.
        gpu.launch(&mut one, &Launch::new(program, 8, 96, &[flag, done]));
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(gpu.words(done, 1), [0]);
        // Other kernels run meanwhile.
        let count = gpu.upload(&image::count().bytes());
        let out = gpu.alloc(400);
        gpu.launch(&mut two, &Launch::new(count, 100, 32, &[out]));
        gpu.sync(&mut two);
        assert_eq!(gpu.words(out, 100), [1; 100]);
        let mut p = Push::default();
        p.copy(flag, source, 4);
        gpu.submit(&mut two, &p);
        gpu.sync(&mut one);
        assert_eq!(gpu.words(done, 1), [1]);
    }
}

#[test]
fn look_back_over_2000_blocks() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::lookback().flags(flags::SPINS).bytes());
    let flags_va = gpu.alloc(8000);
    gpu.launch(&mut ch, &Launch::new(program, 2000, 32, &[flags_va]));
    gpu.sync(&mut ch);
    assert_eq!(gpu.words(flags_va, 2000), (1..=2000).collect::<Vec<u32>>());
}

#[test]
fn a_grid_barrier_with_more_blocks_than_workers_ends() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::grid_barrier().flags(flags::COOPERATIVE).bytes());
    let counter = gpu.alloc(4);
    gpu.launch(
        &mut ch,
        &Launch {
            shared: 1024,
            ..Launch::new(program, 264, 128, &[counter])
        },
    );
    gpu.sync(&mut ch);
    assert_eq!(gpu.words(counter, 1), [264 * 4]);
    // Three grids at once, more warps together than there are stacks: each in its turn.
    let mut channels = [
        gpu.compute_channel(1),
        gpu.compute_channel(2),
        gpu.compute_channel(3),
    ];
    let counters = [gpu.alloc(4), gpu.alloc(4), gpu.alloc(4)];
    for (channel, counter) in channels.iter_mut().zip(counters) {
        gpu.launch(
            channel,
            &Launch {
                shared: 64,
                ..Launch::new(program, 132 * 8, 256, &[counter])
            },
        );
    }
    for (channel, counter) in channels.iter_mut().zip(counters) {
        gpu.sync(channel);
        assert_eq!(gpu.words(counter, 1), [132 * 8 * 8]);
    }
    // And without shared memory, as many as the occupancy of the profile.
    let counter = gpu.alloc(4);
    gpu.launch(&mut ch, &Launch::new(program, 132 * 16, 128, &[counter]));
    gpu.sync(&mut ch);
    assert_eq!(gpu.words(counter, 1), [132 * 16 * 4]);
}

#[test]
fn traps_say_what_and_where() {
    for (kind, cuda) in [
        (trap::TRAP, 719),
        (trap::MISALIGNED, 716),
        (trap::INVALID_PC, 718),
        (trap::ASSERT, 710),
    ] {
        let mut gpu = Gpu::new();
        let mut ch = gpu.compute_channel(4);
        let program = gpu.upload(&image::trap().bytes());
        gpu.launch(&mut ch, &Launch::new(program, 1, 32, &[u64::from(kind)]));
        let f = gpu.fault();
        assert_eq!(
            (f.kind, f.cuda_result, f.xid),
            (FaultKind::Trap(kind), cuda, 13)
        );
        assert_eq!(
            (f.chid, f.lanes, f.address, f.ptx_line, f.kernel.as_str()),
            (4, 4, 0x1234, 42, "trap")
        );
    }
}

fn fifo(gpu: &mut Gpu) -> u64 {
    let va = gpu.alloc(4096 + 32);
    gpu.arena
        .wide(va + 16 - ARENA)
        .store(4096, Ordering::SeqCst);
    va
}

#[test]
fn printf_records_arrive() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let fifo = fifo(&mut gpu);
    let format = gpu.upload(b"x=%d s=%s\n\0");
    let text = gpu.upload(b"abc\0");
    let mut args = (-5i32).to_le_bytes().to_vec();
    args.extend_from_slice(&[0; 4]);
    args.extend_from_slice(&text.to_le_bytes());
    let args = gpu.upload(&args);
    let result = gpu.alloc(4);
    let program = gpu.upload(&image::printf().bytes());
    gpu.launch(
        &mut ch,
        &Launch {
            fifo,
            ..Launch::new(program, 1, 32, &[format, args, result])
        },
    );
    gpu.sync(&mut ch);
    assert_eq!(gpu.words(result, 1), [2]);
    let at = fifo + 32 - ARENA;
    let tail = gpu.arena.wide(fifo - ARENA).load(Ordering::SeqCst);
    let size = gpu.arena.word(at).load(Ordering::SeqCst);
    assert_eq!(tail, 2 * u64::from(size), "two lanes printed");
    let record = gpu.arena.read(at, size as usize);
    assert_eq!(&record[16..27], b"x=%d s=%s\n\0");
    assert_eq!(&record[32..40], (-5i64).to_le_bytes());
    let offset = u64::from_le_bytes(record[40..48].try_into().unwrap()) as usize;
    assert_eq!(&record[offset..offset + 4], b"abc\0");
    // Arguments on the warp's own stack.
    let format = gpu.upload(b"%d\0");
    gpu.launch(
        &mut ch,
        &Launch {
            fifo,
            ..Launch::new(program, 1, 32, &[format, 0, result])
        },
    );
    gpu.sync(&mut ch);
    assert_eq!(gpu.arena.wide(at + tail + 24).load(Ordering::SeqCst), 77);
}

#[test]
fn a_failed_assertion_prints_and_stops() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let fifo = fifo(&mut gpu);
    let message = gpu.upload(b"x < 3\0");
    let file = gpu.upload(b"a.cu\0");
    let function = gpu.upload(b"void k(int)\0");
    let program = gpu.upload(&image::assert_fail().bytes());
    gpu.launch(
        &mut ch,
        &Launch {
            fifo,
            ..Launch::new(program, 3, 64, &[message, file, function])
        },
    );
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.cuda_result),
        (FaultKind::Trap(trap::ASSERT), 710)
    );
    let record = gpu.arena.read(fifo + 32 - ARENA, 256);
    assert_eq!(record[4], 1, "assertion text");
    let n = u32::from_le_bytes(record[8..12].try_into().unwrap()) as usize;
    let text = String::from_utf8(record[16..16 + n - 1].to_vec()).unwrap();
    let lane = 32 * f.warp + 5;
    let [x, y, z] = f.ctaid;
    assert_eq!(
        text,
        format!(
            "a.cu:7: void k(int): block: [{x},{y},{z}], thread: [{lane},0,0] Assertion `x < 3` failed.\n"
        )
    );
}

#[test]
fn a_spinning_kernel_can_be_killed_and_its_channel_freed() {
    let mut gpu = Gpu::new();
    let mut one = gpu.compute_channel(0);
    let mut two = gpu.compute_channel(1);
    let program = gpu.upload(&image::wait().bytes());
    let (flag, done) = (gpu.alloc(4), gpu.alloc(4));
    gpu.launch(&mut one, &Launch::new(program, 40, 64, &[flag, done]));
    std::thread::sleep(Duration::from_millis(5));
    gpu.ask(ToGpu::ChannelFree { chid: 0 }, &[]).expect("free");
    gpu.sync(&mut two);
    gpu.word(flag).store(1, Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(gpu.words(done, 1), [0], "abandoned work does not go on");
    // A kernel that never yields.
    let program = gpu.upload(&image::forever().bytes());
    let started = gpu.alloc(4);
    gpu.launch(&mut two, &Launch::new(program, 5, 32, &[started]));
    gpu.wait(started, 1);
    let since = Instant::now();
    gpu.ask(ToGpu::Kill { xid: 43 }, &[]).expect("kill");
    assert!(since.elapsed() < Duration::from_secs(1));
    let f = gpu.fault();
    assert_eq!((f.kind, f.xid), (FaultKind::Killed, 43));
    assert_eq!(
        gpu.page
            .word(abi::usermode::LAST_XID as u64)
            .load(Ordering::SeqCst),
        43
    );
}

#[test]
fn a_channel_of_a_runaway_kernel_can_be_freed() {
    let mut gpu = Gpu::new();
    let mut one = gpu.compute_channel(0);
    let mut two = gpu.compute_channel(1);
    let program = gpu.upload(&image::forever().bytes());
    let started = gpu.alloc(4);
    gpu.launch(&mut one, &Launch::new(program, 5, 32, &[started]));
    gpu.wait(started, 1);
    // Both workers are away, yet the other channel is served.
    gpu.sync(&mut two);
    gpu.ask(ToGpu::ChannelFree { chid: 0 }, &[]).expect("free");
    let count = gpu.upload(&image::count().bytes());
    let out = gpu.alloc(400);
    gpu.launch(&mut two, &Launch::new(count, 100, 32, &[out]));
    gpu.sync(&mut two);
    assert_eq!(gpu.words(out, 100), [1; 100]);
}

#[test]
fn deterministic_mode_runs_blocks_in_order() {
    let mut gpu = Gpu::with(Start {
        sm_count: 132,
        workers: 4,
        cc: 90,
        threads_per_sm: 2048,
        deterministic: true,
    });
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::lookback().bytes());
    let flags_va = gpu.alloc(400);
    gpu.launch(&mut ch, &Launch::new(program, 100, 32, &[flags_va]));
    gpu.sync(&mut ch);
    assert_eq!(gpu.words(flags_va, 100), (1..=100).collect::<Vec<u32>>());
}

#[test]
fn query_names_the_running_kernel() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::forever().bytes());
    let started = gpu.alloc(4);
    gpu.launch(&mut ch, &Launch::new(program, 1, 32, &[started]));
    gpu.wait(started, 1);
    gpu.ask(ToGpu::Query, &[]).expect("query");
    assert!(gpu.messages.iter().any(|m| matches!(m, abi::link::FromGpu::Status { busy_channels: 1, kernel: Some(k), .. } if k == "forever")), "{:?}", gpu.messages);
}
