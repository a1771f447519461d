//! What goes wrong is reported as what it is, and does no more harm.
#![allow(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    reason = "tests"
)]

mod rig;

use abi::link::{Access, FaultKind, ToGpu};
use abi::nv::classes;
use abi::sm::trap;
use rig::{Channel, Gpu, Launch, NOTIFIER, Push, image};
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering;

const NOWHERE: u64 = 0x5_0000_0000;

fn gpu() -> (Gpu, Channel) {
    let mut gpu = Gpu::new();
    let ch = gpu.compute_channel(2);
    (gpu, ch)
}

/// The channel's notifier, the page and nothing after: the context is dead.
fn check_dead(gpu: &mut Gpu, xid: u32) {
    let at = NOTIFIER * 2;
    assert_eq!(gpu.notifiers.word(at + 8).load(Ordering::SeqCst), xid);
    assert_eq!(
        gpu.notifiers.word(at + 12).load(Ordering::SeqCst),
        1 | 0xffff << 16
    );
    assert!(gpu.notifiers.wide(at).load(Ordering::SeqCst) > 1_600_000_000_000_000_000);
    assert_eq!(
        gpu.page
            .word(abi::usermode::LAST_XID as u64)
            .load(Ordering::SeqCst),
        xid
    );
    gpu.ask(ToGpu::Query, &[])
        .expect("the process still answers");
}

fn store_at(address: u64) -> abi::link::Fault {
    let (mut gpu, mut ch) = gpu();
    let program = gpu.upload(&image::store().line(17, "k.cu", 9, 2).bytes());
    gpu.launch(&mut ch, &Launch::new(program, 4, 32, &[address]));
    let f = gpu.fault();
    check_dead(&mut gpu, f.xid);
    f
}

#[test]
fn out_of_bounds_store() {
    let f = store_at(NOWHERE + 0x123);
    assert_eq!(
        (f.kind, f.xid, f.cuda_result),
        (FaultKind::Unmapped, 31, 700)
    );
    assert_eq!(
        (f.address, f.access, f.chid),
        (NOWHERE + 0x123, Access::Write, 2)
    );
    assert_eq!((f.kernel.as_str(), f.ptx_line), ("store", 17));
    assert_eq!(f.source, Some(("k.cu".to_string(), 9)));
    assert!(f.ctaid[0] < 4);
}

#[test]
fn a_fault_in_a_function_is_its_callers() {
    let called = |image: image::Image| {
        let (mut gpu, mut ch) = gpu();
        let program = gpu.upload(&image.bytes());
        gpu.launch(&mut ch, &Launch::new(program, 1, 32, &[NOWHERE + 0x123]));
        let f = gpu.fault();
        check_dead(&mut gpu, f.xid);
        assert_eq!((f.address, f.access), (NOWHERE + 0x123, Access::Write));
        assert_eq!(f.kernel, "called");
        (f.ptx_line, f.source)
    };
    let lines = image::called().line(17, "k.cu", 9, 2).row(5, 18, 1);
    let mut image = lines.row(8, 0, abi::sm::CALLED);
    // On the scheduler's stack, and on a warp's own.
    for kind in [abi::sm::kind::CTA, abi::sm::kind::WARP] {
        image.header.kind = kind;
        let found = called(image.clone());
        assert_eq!(found, (17, Some(("k.cu".to_string(), 9))), "kind {kind}");
    }
    // A caller that would be such a function, too, is none.
    assert_eq!(
        called(image::called().row(0, 0, abi::sm::CALLED)),
        (0, None)
    );
}

#[test]
fn null_and_non_canonical_stores() {
    let f = store_at(0);
    assert_eq!(
        (f.kind, f.address, f.cuda_result),
        (FaultKind::Unmapped, 0, 700)
    );
    let f = store_at(0xdead_0000_0000_0010);
    assert_eq!(
        (f.kind, f.address, f.access),
        (FaultKind::Unmapped, 0xdead_0000_0000_0010, Access::Write)
    );
}

#[test]
fn store_to_read_only_memory() {
    let (mut gpu, mut ch) = gpu();
    let fd = rig::memfd(8192);
    gpu.ask(
        ToGpu::Map {
            va: NOWHERE,
            len: 8192,
            offset: 0,
            write: false,
            huge: false,
        },
        &[fd.as_raw_fd()],
    )
    .unwrap();
    let program = gpu.upload(&image::store().bytes());
    gpu.launch(&mut ch, &Launch::new(program, 1, 32, &[NOWHERE + 4096]));
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.address, f.access, f.xid),
        (FaultKind::ReadOnly, NOWHERE + 4096, Access::Write, 31)
    );
}

#[test]
fn a_system_call_by_hand_is_stopped() {
    let (mut gpu, mut ch) = gpu();
    let program = gpu.upload(&image::open_by_hand().bytes());
    gpu.launch(&mut ch, &Launch::new(program, 1, 32, &[]));
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.cuda_result),
        (FaultKind::Trap(trap::ILLEGAL_INSTRUCTION), 715)
    );
    assert!(f.detail.contains("system call 2 "), "{}", f.detail);
    check_dead(&mut gpu, 13);
}

#[test]
fn jumps_into_nothing() {
    let (mut gpu, mut ch) = gpu();
    let program = gpu.upload(&image::jump().bytes());
    gpu.launch(&mut ch, &Launch::new(program, 1, 32, &[NOWHERE]));
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.cuda_result, f.address),
        (FaultKind::Trap(trap::INVALID_PC), 718, NOWHERE)
    );
}

#[test]
fn shared_memory_overrun() {
    let (mut gpu, mut ch) = gpu();
    let program = gpu.upload(&image::shared_store().bytes());
    gpu.launch(
        &mut ch,
        &Launch {
            shared: 4096,
            ..Launch::new(program, 1, 32, &[4092])
        },
    );
    gpu.sync(&mut ch);
    gpu.launch(
        &mut ch,
        &Launch {
            shared: 4096,
            ..Launch::new(program, 1, 32, &[0xffff_fff0])
        },
    );
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.address, f.cuda_result),
        (FaultKind::Trap(trap::OUT_OF_RANGE), 0xffff_fff0, 700)
    );
    assert_eq!(f.xid, 13);
}

#[test]
fn endless_recursion() {
    let (mut gpu, mut ch) = gpu();
    let program = gpu.upload(&image::recurse().bytes());
    gpu.launch(&mut ch, &Launch::new(program, 1, 64, &[]));
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.cuda_result),
        (FaultKind::Trap(trap::STACK_OVERFLOW), 719)
    );
}

#[test]
fn programs_that_are_none() {
    let bad: [(&str, Vec<u8>); 4] = [
        ("no image", vec![0x7f; 512]),
        ("code ABI", {
            let mut i = image::empty();
            i.header.abi = 99;
            i.bytes()
        }),
        ("instruction sets", {
            let mut i = image::empty();
            i.header.isa = 1 << 31;
            i.bytes()
        }),
        ("compiled for blocks", {
            let mut i = image::empty();
            i.header.block = [64, 1, 1];
            i.bytes()
        }),
    ];
    for (what, bytes) in bad {
        let (mut gpu, mut ch) = gpu();
        let program = gpu.upload(&bytes);
        gpu.launch(&mut ch, &Launch::new(program, 1, 32, &[]));
        let f = gpu.fault();
        assert_eq!((f.kind, f.xid), (FaultKind::BadProgram, 13));
        assert!(f.detail.contains(what), "{}", f.detail);
    }
    let (mut gpu, mut ch) = gpu();
    gpu.launch(&mut ch, &Launch::new(NOWHERE, 1, 32, &[]));
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.xid, f.address),
        (FaultKind::Unmapped, 31, NOWHERE)
    );
}

#[test]
fn engine_faults_are_the_channels() {
    // Copy engine.
    let (mut g, mut ch) = gpu();
    let dst = g.alloc(64);
    let mut p = Push::default();
    p.copy(dst, NOWHERE, 64);
    g.submit(&mut ch, &p);
    let f = g.fault();
    assert_eq!(
        (f.kind, f.xid, f.address, f.access, f.cuda_result),
        (FaultKind::Unmapped, 31, NOWHERE, Access::Read, 700)
    );
    check_dead(&mut g, 31);
    // Big copy whose end is not mapped, on the workers.
    let (mut g, mut ch) = gpu();
    let src = g.alloc(0);
    let mut p = Push::default();
    p.copy(src, src, 100 << 20);
    g.submit(&mut ch, &p);
    let f = g.fault();
    assert_eq!(f.kind, FaultKind::Unmapped);
    // Parts run in any order: the first to fault need not be the lowest.
    let end = rig::ARENA + rig::ARENA_BYTES;
    assert!(
        (end..end + (100 << 20)).contains(&f.address),
        "{:#x}",
        f.address
    );
    // Pushbuffer.
    let (mut g, mut ch) = gpu();
    g.submit_segment(&mut ch, NOWHERE, 10);
    assert_eq!(g.fault().address, NOWHERE);
    // Semaphore.
    let (mut g, mut ch) = gpu();
    let mut p = Push::default();
    p.release(NOWHERE + 16, 1);
    g.submit(&mut ch, &p);
    let f = g.fault();
    assert_eq!((f.address, f.access), (NOWHERE + 16, Access::Write));
    // The engine's own memory is nobody's.
    for own in [abi::link::IMAGE_WINDOW.start, abi::link::RESERVED.start] {
        let (mut g, mut ch) = gpu();
        let mut p = Push::default();
        p.release(own, 1);
        g.submit(&mut ch, &p);
        assert_eq!(g.fault().address, own);
    }
}

#[test]
fn bad_methods_are_named() {
    let cases: [(u32, u32, u32, &str); 5] = [
        (1, 0xf00, 1, "unknown method"),
        (4, 0x500, 1, "unknown or unsupported"),
        (3, 0x100, 1, "no class"),
        (1, 0, classes::AMPERE_COMPUTE_A, "not bound"),
        (0, 0x4, 0, "ILLEGAL"),
    ];
    for (subchannel, method, data, text) in cases {
        let (mut gpu, mut ch) = gpu();
        let mut p = Push::default();
        p.method(subchannel, method, &[data]);
        gpu.submit(&mut ch, &p);
        let f = gpu.fault();
        assert_eq!((f.kind, f.xid), (FaultKind::BadMethod, 69));
        assert!(f.detail.contains(text), "{}", f.detail);
    }
    let (mut gpu, mut ch) = gpu();
    gpu.submit(
        &mut ch,
        &Push {
            words: vec![6 << 29],
        },
    );
    assert_eq!(gpu.fault().xid, 32);
}

#[test]
fn mappings_under_a_pushbuffer_may_go() {
    // A pushbuffer that is unmapped while it is read must not take the process down.
    let (mut gpu, mut ch) = gpu();
    let fd = rig::memfd(1 << 20);
    let fds = [fd.as_raw_fd()];
    gpu.ask(
        ToGpu::Map {
            va: NOWHERE,
            len: 1 << 20,
            offset: 0,
            write: true,
            huge: false,
        },
        &fds,
    )
    .unwrap();
    // 256 Ki words of zero: empty headers.
    gpu.submit_segment(&mut ch, NOWHERE, (1 << 18) - 1);
    gpu.ask(
        ToGpu::Unmap {
            va: NOWHERE,
            len: 1 << 20,
        },
        &[],
    )
    .unwrap();
    gpu.ask(ToGpu::Query, &[]).expect("alive");
}

#[test]
fn memory_that_shrinks_is_a_fault_not_a_crash() {
    let (mut gpu, mut ch) = gpu();
    let fd = rig::memfd(1 << 20);
    let fds = [fd.as_raw_fd()];
    gpu.ask(
        ToGpu::Map {
            va: NOWHERE,
            len: 1 << 20,
            offset: 0,
            write: true,
            huge: false,
        },
        &fds,
    )
    .unwrap();
    // SAFETY: our own descriptor.
    unsafe { libc::ftruncate(fd.as_raw_fd(), 0) };
    let mut p = Push::default();
    p.release(NOWHERE + 64, 1);
    gpu.submit(&mut ch, &p);
    assert_eq!(gpu.fault().address, NOWHERE + 64);
    check_dead(&mut gpu, 31);
}

#[test]
fn only_the_first_fault_counts() {
    let (mut gpu, mut ch) = gpu();
    let program = gpu.upload(&image::store().bytes());
    gpu.launch(&mut ch, &Launch::new(program, 1000, 32, &[NOWHERE]));
    gpu.launch(&mut ch, &Launch::new(program, 1000, 32, &[NOWHERE + 4096]));
    let f = gpu.fault();
    // Launches of one channel without a wait between them may overlap.
    assert!([NOWHERE, NOWHERE + 4096].contains(&f.address));
    gpu.ask(ToGpu::Query, &[]).expect("alive");
    assert!(
        !gpu.messages
            .iter()
            .any(|m| matches!(m, abi::link::FromGpu::Fault(_)))
    );
}

#[test]
fn a_qmd_that_launches_itself_ends_in_a_refusal() {
    use abi::nv::qmd::v4;
    let (mut gpu, mut ch) = gpu();
    let qmd = gpu.qmd(&Launch::new(0, 0, 32, &[]));
    let mut words = gpu.words(qmd, 96);
    v4::DEPENDENT_QMD_ENABLE.set(&mut words, 0, 1);
    v4::DEPENDENT_QMD_ACTION.set(&mut words, 0, 1);
    v4::DEPENDENT_QMD0_POINTER.set(&mut words, 0, qmd >> 8);
    for (i, w) in words.iter().enumerate() {
        gpu.word(qmd + 4 * i as u64).store(*w, Ordering::SeqCst);
    }
    let mut p = Push::default();
    p.launch(qmd);
    gpu.submit(&mut ch, &p);
    let f = gpu.fault();
    assert_eq!(f.kind, FaultKind::BadMethod);
    assert!(f.detail.contains("chain"), "{}", f.detail);
}

#[test]
fn traps_of_whole_cta_code_are_reported_too() {
    let (mut gpu, mut ch) = gpu();
    let mut image = image::trap().line(42, "t.cu", 5, 0);
    image.header.kind = abi::sm::kind::CTA;
    let program = gpu.upload(&image.bytes());
    gpu.launch(
        &mut ch,
        &Launch::new(program, 3, 32, &[u64::from(trap::MISALIGNED)]),
    );
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.cuda_result),
        (FaultKind::Trap(trap::MISALIGNED), 716)
    );
    assert_eq!((f.address, f.ptx_line), (0x1234, 42));
    assert_eq!(f.source, Some(("t.cu".to_string(), 5)));
}

#[test]
fn code_of_kind_cta_cannot_wait() {
    let (mut gpu, mut ch) = gpu();
    let mut image = image::votes();
    image.header.kind = abi::sm::kind::CTA;
    let program = gpu.upload(&image.bytes());
    let out = gpu.alloc(4096);
    gpu.launch(
        &mut ch,
        &Launch {
            shared: 4096,
            ..Launch::new(program, 1, 64, &[out])
        },
    );
    let f = gpu.fault();
    assert_eq!(
        (f.kind, f.cuda_result),
        (FaultKind::Trap(trap::ILLEGAL_INSTRUCTION), 715)
    );
}
