//! Host engine, copy engine and launches, from the outside.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "tests"
)]

mod rig;

use abi::link::{LinkError, Start, ToGpu};
use abi::nv::classes;
use abi::nv::methods::{compute, dma, host};
use rig::{ARENA, Gpu, Launch, Push, image};
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[test]
fn vecadd() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let n = 100_000u32;
    let a: Vec<u8> = (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let b: Vec<u8> = (0..n)
        .flat_map(|i| (2.0 * i as f32).to_le_bytes())
        .collect();
    let (a, b) = (gpu.upload(&a), gpu.upload(&b));
    let c = gpu.alloc(u64::from(n) * 4);
    let program = gpu.upload(&image::vecadd().bytes());
    gpu.launch(
        &mut ch,
        &Launch::new(program, n.div_ceil(256), 256, &[a, b, c, u64::from(n)]),
    );
    gpu.sync(&mut ch);
    for (i, w) in gpu.words(c, n as usize).into_iter().enumerate() {
        assert_eq!(f32::from_bits(w), 3.0 * i as f32, "element {i}");
    }
}

#[test]
fn every_block_runs_once() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::count().bytes());
    for blocks in [1, 2, 3, 64, 4096, 50_000] {
        let out = gpu.alloc(4 * u64::from(blocks));
        for _ in 0..3 {
            gpu.launch(&mut ch, &Launch::new(program, blocks, 32, &[out]));
        }
        gpu.sync(&mut ch);
        assert!(
            gpu.words(out, blocks as usize).iter().all(|&w| w == 3),
            "{blocks} blocks"
        );
    }
}

#[test]
fn qmd_semaphore_and_dependent_launch() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::count().bytes());
    let (out1, out2, sem) = (gpu.alloc(4), gpu.alloc(4), gpu.alloc(16));
    let second = gpu.qmd(&Launch {
        release: Some((sem, 5)),
        ..Launch::new(program, 1, 32, &[out2])
    });
    gpu.launch(
        &mut ch,
        &Launch {
            then: Some(second),
            ..Launch::new(program, 1, 32, &[out1])
        },
    );
    gpu.wait(sem, 5);
    assert_eq!((gpu.words(out1, 1), gpu.words(out2, 1)), (vec![1], vec![1]));
}

#[test]
fn ampere_qmd_runs_too() {
    use abi::nv::qmd::v3;
    let mut gpu = Gpu::new();
    let mut ch = gpu.channel(0, &[classes::ADA_COMPUTE_A]);
    let program = gpu.upload(&image::count().bytes());
    let out = gpu.alloc(16);
    let mut bank = vec![0u8; 0x210];
    bank.extend_from_slice(&out.to_le_bytes());
    bank.resize(0x220, 0);
    let bank_va = gpu.upload(&bank);
    let mut w = [0u32; 64];
    v3::QMD_MAJOR_VERSION.set(&mut w, 0, 3);
    for (f, v) in [
        (v3::CTA_RASTER_WIDTH, 4),
        (v3::CTA_RASTER_HEIGHT, 1),
        (v3::CTA_RASTER_DEPTH, 1),
        (v3::CTA_THREAD_DIMENSION0, 32),
        (v3::CTA_THREAD_DIMENSION1, 1),
        (v3::CTA_THREAD_DIMENSION2, 1),
        (v3::PROGRAM_ADDRESS_LOWER, program & 0xffff_ffff),
        (v3::PROGRAM_ADDRESS_UPPER, program >> 32),
        (v3::CONSTANT_BUFFER_VALID, 1),
        (v3::CONSTANT_BUFFER_ADDR_LOWER, bank_va & 0xffff_ffff),
        (v3::CONSTANT_BUFFER_ADDR_UPPER, bank_va >> 32),
        (v3::CONSTANT_BUFFER_SIZE_SHIFTED4, bank.len() as u64 >> 4),
    ] {
        f.set(&mut w, 0, v);
    }
    let bytes: Vec<u8> = w.iter().flat_map(|x| x.to_le_bytes()).collect();
    let qmd = gpu.upload(&bytes);
    let mut p = Push::default();
    p.launch(qmd);
    gpu.submit(&mut ch, &p);
    gpu.sync(&mut ch);
    assert_eq!(gpu.words(out, 4), [1; 4]);
}

#[test]
fn inline_data_and_inline_qmd() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::count().bytes());
    let out = gpu.alloc(64);
    let made = gpu.qmd(&Launch::new(program, 1, 32, &[out]));
    let words = gpu.words(made, 96);
    let target = gpu.alloc(512);
    let text = gpu.alloc(64);
    let mut p = Push::default();
    p.method(
        1,
        compute::LINE_LENGTH_IN,
        &[10, 1, (text >> 32) as u32, text as u32],
    );
    p.method(1, compute::LAUNCH_DMA, &[0x41]);
    p.words
        .push(3 << 29 | 3 << 16 | 1 << 13 | compute::LOAD_INLINE_DATA >> 2);
    p.words
        .extend_from_slice(&[0x6463_6261, 0x6867_6665, 0xffff_6a69]);
    p.method(
        1,
        compute::SET_INLINE_QMD_ADDRESS_A,
        &[(target >> 40) as u32 | 1 << 30, (target >> 8) as u32],
    );
    p.method(1, compute::LOAD_INLINE_QMD_DATA, &words);
    gpu.submit(&mut ch, &p);
    gpu.sync(&mut ch);
    assert_eq!(&gpu.arena.read(text - ARENA, 12), b"abcdefghij\0\0");
    assert_eq!(gpu.words(out, 1), [1]);
}

#[test]
fn copies_and_memset() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let n = 5 << 20;
    let data: Vec<u8> = (0..n)
        .map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let src = gpu.upload(&data);
    let dst = gpu.alloc(u64::from(n) + 16);
    let mut p = Push::default();
    p.copy(dst + 3, src, n);
    // 2-D: 7 lines of 100 bytes, pitches 128 and 200.
    let (from, to) = (gpu.upload(&data[..128 * 7]), gpu.alloc(200 * 7));
    p.method(
        4,
        dma::OFFSET_IN_UPPER,
        &[
            (from >> 32) as u32,
            from as u32,
            (to >> 32) as u32,
            to as u32,
            128,
            200,
            100,
            7,
        ],
    );
    p.method(4, dma::LAUNCH_DMA, &[0x182 | 1 << 9]);
    // memset of 1,000 16-bit elements.
    let set = gpu.alloc(4096);
    p.method(4, dma::SET_REMAP_CONST_A, &[0xbeef, 0, 4 | 1 << 16]);
    p.method(4, dma::OFFSET_OUT_UPPER, &[(set >> 32) as u32, set as u32]);
    p.method(4, dma::LINE_LENGTH_IN, &[1000, 1]);
    p.method(4, dma::LAUNCH_DMA, &[0x182 | 1 << 10]);
    // Four-word semaphore.
    let sem = gpu.alloc(16);
    p.method(
        4,
        dma::SET_SEMAPHORE_A,
        &[(sem >> 32) as u32, sem as u32, 77],
    );
    p.method(4, dma::LAUNCH_DMA, &[0x14]);
    gpu.submit(&mut ch, &p);
    gpu.wait(sem, 77);
    assert!(gpu.arena.wide(sem + 8 - ARENA).load(Ordering::SeqCst) > 1_600_000_000_000_000_000);
    assert_eq!(gpu.arena.read(dst + 3 - ARENA, n as usize), data);
    let got = gpu.arena.read(to - ARENA, 1400);
    for l in 0..7 {
        assert_eq!(got[200 * l..200 * l + 100], data[128 * l..128 * l + 100]);
        assert!(got[200 * l + 100..200 * (l + 1)].iter().all(|&b| b == 0));
    }
    let got = gpu.arena.read(set - ARENA, 2002);
    assert!(got[..2000].chunks(2).all(|c| c == [0xef, 0xbe]) && got[2000..] == [0, 0]);
}

#[test]
fn acquire_blocks_only_its_channel() {
    let mut gpu = Gpu::new();
    let mut one = gpu.compute_channel(0);
    let mut two = gpu.compute_channel(1);
    let (gate, done) = (gpu.alloc(16), gpu.alloc(16));
    let mut p = Push::default();
    p.acquire(gate, 10, 3); // circular greater or equal
    p.release(done, 1);
    gpu.submit(&mut one, &p);
    gpu.sync(&mut two);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(gpu.words(done, 1), [0]);
    let mut p = Push::default();
    p.release(gate, 11);
    gpu.submit(&mut two, &p);
    gpu.wait(done, 1);
    // And by the client itself, without a doorbell.
    let mut p = Push::default();
    p.acquire(gate, 50, 0);
    p.release(done, 2);
    gpu.submit(&mut one, &p);
    std::thread::sleep(Duration::from_millis(5));
    gpu.word(gate).store(50, Ordering::SeqCst);
    gpu.wait(done, 2);
}

#[test]
fn reductions_old_semaphores_and_reference() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let sem = gpu.alloc(64);
    gpu.word(sem).store(40, Ordering::SeqCst);
    let mut p = Push::default();
    let (lo, hi) = (sem as u32, (sem >> 32) as u32);
    p.method(0, host::SEM_ADDR_LO, &[lo, hi, 2, 0, 6 | 5 << 27]);
    p.method(0, host::SEMAPHOREA, &[hi, lo + 16, 9, 2]);
    p.method(0, host::SET_REFERENCE, &[123]);
    p.method(0, host::WFI, &[0]);
    p.method(0, host::MEM_OP_A, &[0, 0, 0, 5 << 27]);
    gpu.submit(&mut ch, &p);
    gpu.sync(&mut ch);
    assert_eq!(gpu.words(sem, 5), [42, 0, 0, 0, 9]);
    assert!(gpu.arena.wide(sem + 24 - ARENA).load(Ordering::SeqCst) > 0);
    assert_eq!(gpu.userd.word(0x48).load(Ordering::SeqCst), 123);
}

#[test]
fn clients_that_do_not_announce_themselves_are_polled() {
    let mut gpu = Gpu::new();
    gpu.page
        .word(abi::usermode::ANNOUNCED as u64)
        .store(0, Ordering::SeqCst);
    let mut ch = gpu.compute_channel(0);
    gpu.sync(&mut ch);
    std::thread::sleep(Duration::from_millis(100));
    // Without the wake-up word: only GPPut.
    gpu.page
        .word(abi::usermode::SLEEPERS as u64)
        .store(0, Ordering::SeqCst);
    gpu.sync(&mut ch);
}

#[test]
fn a_release_wakes_the_wait_slots_that_wait_for_it() {
    use abi::usermode as page;
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let sem = gpu.alloc(64);
    let done = gpu.alloc(64);
    let slot = |n: usize| (page::WAIT_SLOTS + n * page::WAIT_SLOT_BYTES) as u64;
    // What they wait for: reached, reached exactly, not reached, another word; the last is not armed.
    let waits = [(sem, 4), (sem, 7), (sem, 8), (sem + 16, 1), (sem, 1)];
    for (n, (address, value)) in waits.into_iter().enumerate() {
        let wide = |offset: usize| gpu.page.wide(slot(n) + offset as u64);
        wide(page::WAIT_ADDRESS).store(address, Ordering::SeqCst);
        wide(page::WAIT_VALUE).store(value, Ordering::SeqCst);
        gpu.page.word(slot(n)).store(1, Ordering::SeqCst);
    }
    let armed = gpu.page.wide(page::WAIT_ARMED as u64);
    armed.store(0b1111, Ordering::SeqCst);
    let states = |gpu: &Gpu| [0, 1, 2, 3, 4].map(|n| gpu.page.word(slot(n)).load(Ordering::SeqCst));
    let mut p = Push::default();
    p.release(sem, 7);
    p.release(done, 1);
    gpu.submit(&mut ch, &p);
    gpu.wait(done, 1);
    assert_eq!(states(&gpu), [0, 0, 1, 1, 1]);
    // A fault wakes them all.
    let mut p = Push::default();
    p.method(0, host::ILLEGAL, &[0]);
    gpu.submit(&mut ch, &p);
    let end = std::time::Instant::now() + Duration::from_secs(5);
    while states(&gpu) != [0, 0, 0, 0, 1] {
        assert!(std::time::Instant::now() < end, "{:?}", states(&gpu));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn interrupts_reach_the_kernel_half() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(3);
    let mut p = Push::default();
    p.method(0, host::NON_STALL_INTERRUPT, &[0]);
    gpu.submit(&mut ch, &p);
    loop {
        match gpu.receive(Duration::from_secs(5)).expect("interrupt") {
            abi::link::FromGpu::Interrupt { chid } => break assert_eq!(chid, 3),
            other => eprintln!("{other:?}"),
        }
    }
}

#[test]
fn maps_are_checked() {
    let mut gpu = Gpu::new();
    let fd = rig::memfd(1 << 20);
    let fds = [fd.as_raw_fd()];
    let map = |va, len| ToGpu::Map {
        va,
        len,
        offset: 0,
        write: true,
        huge: false,
    };
    assert_eq!(gpu.ask(map(ARENA, 4096), &fds), Err(LinkError::InUse));
    assert_eq!(
        gpu.ask(map(ARENA - 4096, 8192), &fds),
        Err(LinkError::InUse)
    );
    assert_eq!(gpu.ask(map(0x123, 4096), &fds), Err(LinkError::BadRange));
    assert_eq!(
        gpu.ask(map(abi::link::RESERVED.start, 4096), &fds),
        Err(LinkError::BadRange)
    );
    assert_eq!(
        gpu.ask(map(abi::link::IMAGE_WINDOW.start, 4096), &fds),
        Err(LinkError::BadRange)
    );
    assert_eq!(gpu.ask(map(0x1000, 4096), &fds), Err(LinkError::BadRange));
    assert_eq!(
        gpu.ask(map(0x9_0000_0000, 4096), &[]),
        Err(LinkError::BadState)
    );
    assert_eq!(gpu.ask(map(0x9_0000_0000, 4096), &fds), Ok(()));
    assert_eq!(
        gpu.ask(
            ToGpu::Unmap {
                va: 0x9_0000_0000,
                len: 4096
            },
            &[]
        ),
        Ok(())
    );
    assert_eq!(
        gpu.ask(
            ToGpu::Unmap {
                va: 0x9_0000_0000,
                len: 4096
            },
            &[]
        ),
        Err(LinkError::NotFound)
    );
    assert_eq!(
        gpu.ask(ToGpu::ChannelFree { chid: 7 }, &[]),
        Err(LinkError::NotFound)
    );
    let again = Start {
        sm_count: 1,
        workers: 1,
        cc: 90,
        threads_per_sm: 1,
        deterministic: false,
    };
    assert_eq!(gpu.ask(ToGpu::Start(again), &[]), Err(LinkError::BadState));
}

#[test]
fn many_launches_keep_their_order() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let program = gpu.upload(&image::count().bytes());
    let (out, sem) = (gpu.alloc(4), gpu.alloc(4));
    let qmd = gpu.qmd(&Launch::new(program, 1, 32, &[out]));
    for i in 1..=5000 {
        let mut p = Push::default();
        p.launch(qmd).wait_idle();
        p.release(sem, i);
        gpu.submit(&mut ch, &p);
    }
    gpu.wait(sem, 5000);
    assert_eq!(gpu.words(out, 1), [5000]);
}

#[test]
fn the_process_ends_with_its_link() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    gpu.sync(&mut ch);
    gpu.hang_up();
    assert!(gpu.ends_within(Duration::from_secs(5)));
}

#[test]
fn touched_memory_gets_huge_pages_while_a_kernel_runs() {
    let mut gpu = Gpu::new();
    let mut ch = gpu.compute_channel(0);
    let memory = rig::Shared::new(8 << 20);
    for at in (0..8 << 20).step_by(4096) {
        memory.word(at).store(at as u32, Ordering::Relaxed);
    }
    let fds = [memory.fd.as_raw_fd()];
    let va = 0x9_0000_0000;
    gpu.ask(
        ToGpu::Map {
            va,
            len: 8 << 20,
            offset: 0,
            write: true,
            huge: true,
        },
        &fds,
    )
    .unwrap();
    // Touched here too: only then are the pages this process's.
    let mut p = Push::default();
    let spare = gpu.alloc(8 << 20);
    p.copy(spare, va, 8 << 20);
    gpu.submit(&mut ch, &p);
    gpu.sync(&mut ch);
    let started = gpu.alloc(4);
    let program = gpu.upload(&image::forever().bytes());
    gpu.launch(&mut ch, &Launch::new(program, 1, 32, &[started]));
    gpu.wait(started, 1);
    std::thread::sleep(Duration::from_millis(60));
    // Whether the machine has huge pages to give is its affair; the data must be there.
    for at in (0..8 << 20).step_by(4096) {
        assert_eq!(memory.word(at).load(Ordering::Relaxed), at as u32);
    }
    let smaps = std::fs::read_to_string(format!("/proc/{}/smaps", gpu.pid())).unwrap_or_default();
    let huge = smaps
        .lines()
        .skip_while(|l| !l.starts_with("900000000-"))
        .find(|l| l.starts_with("ShmemPmdMapped"));
    eprintln!("{huge:?}");
    gpu.ask(ToGpu::Kill { xid: 43 }, &[]).unwrap();
}
