//! Tracked managed memory as the program's side sees it: first touches are faults, the tools' queue and counters hear of
//! them, and what is unmapped is forgotten.
#![expect(
    clippy::print_stdout,
    reason = "a test that cannot be judged here says so"
)]

mod support;

use abi::nv::uvm;
use abi::nv::uvm_params::*;
use door::{File, Mapping, Node, Protection};
use kernel::manage::{self, Answer, Request};
use kernel::uvm::Report;
use support::TestServer;
use zerocopy::{FromZeros, IntoBytes};

const BLOCK: usize = 64 << 10;
const BLOCKS: usize = 4;
const BASE: u64 = 0x20_0000_0000;

/// Whole pages of this process.
fn pages(len: usize) -> *mut u8 {
    // SAFETY: a new private mapping at an address of the kernel's choice.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    assert_ne!(at, libc::MAP_FAILED);
    at.cast()
}

/// A 32-bit word that the server may change.
fn word(base: *mut u8, at: usize) -> u32 {
    // SAFETY: the callers stay within the pages that they made.
    unsafe { base.add(at).cast::<u32>().read_volatile() }
}

fn tools(target: &File, queue: *mut u8, entries: u64, control: *mut u8) -> File {
    let tools = door::open(Node::UvmTools).expect("tools");
    let mut init = UVM_TOOLS_INIT_EVENT_TRACKER_PARAMS {
        queueBuffer: queue.expose_provenance() as u64,
        queueBufferSize: entries,
        controlBuffer: control.expose_provenance() as u64,
        allProcessors: 1,
        uvmFd: target.id().cast_unsigned(),
        ..FromZeros::new_zeroed()
    };
    tools
        .command(uvm::UVM_TOOLS_INIT_EVENT_TRACKER, init.as_mut_bytes())
        .expect("command");
    assert_eq!(init.rmStatus, 0);
    tools
}

/// A file whose managed memory is tracked, where this system gives what that takes.
fn tracked() -> Option<File> {
    let file = door::open(Node::Uvm).expect("open");
    let mut init = UVM_INITIALIZE_PARAMS::new_zeroed();
    file.command(uvm::UVM_INITIALIZE, init.as_mut_bytes())
        .expect("command");
    assert_eq!(init.rmStatus, 0);
    if let Err(error) = file.track(true) {
        println!("not judged: {error}");
        return None;
    }
    Some(file)
}

/// Managed memory at [`BASE`].
fn managed(file: &File, len: usize) -> Mapping {
    let hint = usize::try_from(BASE).expect("address");
    // SAFETY: nothing lives at that address; MAP_FIXED is not asked for.
    let managed = unsafe { file.map(hint, len, Protection::READ_WRITE, false, BASE) }.expect("map");
    let mut validate = UVM_VALIDATE_VA_RANGE_PARAMS {
        base: BASE,
        length: len as u64,
        ..FromZeros::new_zeroed()
    };
    file.command(uvm::UVM_VALIDATE_VA_RANGE, validate.as_mut_bytes())
        .expect("command");
    assert_eq!(validate.rmStatus, 0);
    managed
}

fn reports(server: &TestServer) -> Vec<Report> {
    let Ok(Answer::UvmStat { reports }) = manage::ask(&server.instance(), &Request::UvmStat) else {
        panic!("no report");
    };
    reports
}

/// While a program ends, its report is that of a living one or that of one that has ended.
#[test]
fn a_report_is_always_somewhere() {
    const PROGRAMS: usize = 20;
    let server = TestServer::start(&[], &[]);
    for ended in 0..PROGRAMS {
        let Some(file) = tracked() else { return };
        let memory = managed(&file, BLOCK);
        // SAFETY: within the mapping. A fault, for the report.
        unsafe { memory.as_ptr().write_volatile(1) };
        drop(memory);
        file.unmapped(BASE, BLOCK as u64).expect("unmapped");
        assert_eq!(reports(&server).len(), ended + 1);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let now = reports(&server);
                        assert_eq!(now.len(), ended + 1, "of {ended} that have ended");
                        if now.iter().all(|report| !report.live) {
                            return;
                        }
                    }
                });
            }
            drop(file);
        });
    }
}

#[test]
fn first_touches_are_faults_and_events() {
    let server = TestServer::start(&[], &[]);
    let Some(file) = tracked() else { return };
    assert!(file.track(true).is_err(), "tracked twice");

    let (queue, control, counts) = (pages(4096), pages(4096), pages(4096));
    let events = tools(&file, queue, 8, control);
    let mut enable = UVM_TOOLS_EVENT_QUEUE_ENABLE_EVENTS_PARAMS {
        eventTypeFlags: 1 << 1,
        ..FromZeros::new_zeroed()
    };
    events
        .command(
            uvm::UVM_TOOLS_EVENT_QUEUE_ENABLE_EVENTS,
            enable.as_mut_bytes(),
        )
        .expect("command");
    assert_eq!(enable.rmStatus, 0);
    let counters = tools(&file, std::ptr::null_mut(), 0, counts);
    let mut enable = UVM_TOOLS_ENABLE_COUNTERS_PARAMS {
        counterTypeFlags: 1 << 2,
        ..FromZeros::new_zeroed()
    };
    counters
        .command(uvm::UVM_TOOLS_ENABLE_COUNTERS, enable.as_mut_bytes())
        .expect("command");
    assert_eq!(enable.rmStatus, 0);

    let len = BLOCKS * BLOCK;
    let managed = managed(&file, len);
    for turn in 0..2_u8 {
        for block in 0..BLOCKS {
            // SAFETY: within the mapping.
            unsafe {
                let byte = managed.as_ptr().add(block * BLOCK + 4096);
                assert_eq!(byte.read_volatile(), turn);
                byte.write_volatile(turn + 1);
            }
        }
    }
    let seen = reports(&server);
    let report = seen.last().expect("a report");
    assert!(report.live && report.tracked && report.plain);
    assert_eq!(report.counters.cpu_faults, BLOCKS as u64);
    assert_eq!(report.counters.host_to_device, 0);
    assert_eq!(report.ranges[0].resident[0], len as u64);
    // Queue: put_behind, then 64-byte entries of type 1 with the address at 8.
    assert_eq!(word(control, 12), u32::try_from(BLOCKS).expect("few"));
    for block in 0..BLOCKS {
        let entry = block * 64;
        assert_eq!(word(queue, entry) & 0xff, 1);
        let address = u64::from(word(queue, entry + 8)) | u64::from(word(queue, entry + 12)) << 32;
        assert_eq!(address / BLOCK as u64, BASE / BLOCK as u64 + block as u64);
    }
    assert_eq!(word(counts, 2 * 8), u32::try_from(BLOCKS).expect("few"));
    assert!(events.poll(10_000).expect("poll"), "the queue is half full");

    drop(managed);
    file.unmapped(BASE, len as u64).expect("unmapped");
    let seen = reports(&server);
    assert!(seen.last().expect("a report").ranges.is_empty());
}
