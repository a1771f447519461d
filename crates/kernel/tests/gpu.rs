//! VA spaces, channels, UVM and faults, against a GPU process that only pretends: it maps what it is told to and
//! misbehaves on request.

mod support;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use abi::link::{Access, Fault, FaultKind, FromGpu, LinkError, Request, ToGpu};
use abi::nv::alloc_params::*;
use abi::nv::control_params::NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS;
use abi::nv::escape_params::*;
use abi::nv::uvm_params::*;
use abi::nv::{classes, escapes, status, uvm};
use door::{DoorError, Node, Protection};
use support::{Rm, TestServer, control, free};
use zerocopy::{FromZeros, IntoBytes};

/// `Kill` with these Xids makes the fake do other things.
const DO_FAULT: u32 = 31;
const DO_EXIT: u32 = 999;
const DO_HANG: u32 = 998;
const DO_GARBAGE: u32 = 997;
const DO_INTERRUPT: u32 = 996;

/// The fake GPU process: started through a script, told by its environment.
#[test]
#[ignore = "runs as the GPU process of the other tests"]
fn fake_gpu_process() {
    if std::env::var_os("ANTLERITE_FAKE_GPU").is_none() {
        return;
    }
    // SAFETY: the kernel half put the link there.
    let link = unsafe { OwnedFd::from_raw_fd(3) };
    let mut maps: HashMap<u64, u64> = HashMap::new();
    let mut channels = Vec::new();
    let mut buffer = vec![0; abi::link::MAX_PACKET];
    let say = |message: &FromGpu| {
        let bytes = postcard::to_stdvec(message).expect("encode");
        rustix::net::send(&link, &bytes, rustix::net::SendFlags::NOSIGNAL).expect("send");
    };
    loop {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = rustix::net::RecvAncillaryBuffer::new(&mut space);
        let message = rustix::net::recvmsg(
            &link,
            &mut [std::io::IoSliceMut::new(&mut buffer)],
            &mut ancillary,
            rustix::net::RecvFlags::CMSG_CLOEXEC,
        )
        .expect("recvmsg");
        if message.bytes == 0 {
            return;
        }
        let fds: Vec<OwnedFd> = ancillary
            .drain()
            .filter_map(|m| match m {
                rustix::net::RecvAncillaryMessage::ScmRights(fds) => Some(fds),
                _ => None,
            })
            .flatten()
            .collect();
        let request: Request = postcard::from_bytes(&buffer[..message.bytes]).expect("decode");
        let mut result = Ok(());
        match request.body {
            ToGpu::Start(start) => {
                assert_eq!(start.cc, 90);
                assert!(fds.is_empty());
            }
            ToGpu::Map {
                va, len, offset, ..
            } => {
                assert_eq!(fds.len(), 1);
                // SAFETY: NOREPLACE: nothing of ours is replaced.
                let base = unsafe {
                    libc::mmap(
                        std::ptr::with_exposed_provenance_mut(usize::try_from(va).expect("va")),
                        usize::try_from(len).expect("len"),
                        libc::PROT_READ | libc::PROT_WRITE,
                        libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE,
                        std::os::fd::AsRawFd::as_raw_fd(&fds[0]),
                        i64::try_from(offset).expect("offset"),
                    )
                };
                if base == libc::MAP_FAILED {
                    result = Err(LinkError::InUse);
                } else {
                    maps.insert(va, len);
                }
            }
            ToGpu::Unmap { va, len } => match maps.remove(&va) {
                Some(had) if had == len => {
                    let va =
                        std::ptr::with_exposed_provenance_mut(usize::try_from(va).expect("va"));
                    // SAFETY: a mapping made above.
                    unsafe { libc::munmap(va, usize::try_from(len).expect("len")) };
                }
                _ => result = Err(LinkError::NotFound),
            },
            ToGpu::ChannelAlloc(alloc) => {
                assert_eq!(
                    fds.len(),
                    if alloc.notifier_offset.is_some() {
                        3
                    } else {
                        2
                    }
                );
                channels.push(alloc.chid);
            }
            ToGpu::ChannelFree { chid } => channels.retain(|c| *c != chid),
            ToGpu::ChannelSchedule { chid, .. } | ToGpu::BindClass { chid, .. } => {
                assert!(channels.contains(&chid))
            }
            ToGpu::Query => {
                // Answers each mapping's mark: proof that the memory is shared.
                for va in maps.keys() {
                    let va = std::ptr::with_exposed_provenance_mut::<u8>(
                        usize::try_from(*va).expect("va"),
                    );
                    // SAFETY: mapped above, at least a page.
                    unsafe {
                        if va.read_volatile() == 0x5a {
                            va.add(1).write_volatile(0xa5);
                        }
                    }
                }
                say(&FromGpu::Status {
                    busy_channels: 0,
                    kernel: Some("fake".into()),
                    busy_ns: 7,
                });
            }
            ToGpu::Kill { xid } => match xid {
                DO_EXIT => std::process::exit(3),
                DO_HANG => std::thread::sleep(Duration::from_secs(600)),
                DO_GARBAGE => {
                    rustix::net::send(&link, &[0xff; 64], rustix::net::SendFlags::NOSIGNAL)
                        .expect("send");
                }
                DO_INTERRUPT => say(&FromGpu::Interrupt { chid: channels[0] }),
                _ => say(&FromGpu::Fault(Fault {
                    chid: channels[0],
                    xid,
                    cuda_result: 700,
                    address: 0x7f12_3456_7000,
                    access: Access::Write,
                    kind: FaultKind::Unmapped,
                    kernel: "vecadd".into(),
                    ctaid: [1, 2, 3],
                    warp: 4,
                    lanes: 1,
                    ptx_line: 17,
                    source: None,
                    detail: String::new(),
                })),
            },
        }
        say(&FromGpu::Done {
            seq: request.seq,
            result,
        });
    }
}

fn start() -> TestServer {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gpu-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("mkdir");
    let script = dir.join("antlerite-gpu");
    let test = std::env::current_exe().expect("test program");
    let mut file = std::fs::File::create(&script).expect("script");
    writeln!(
        file,
        "#!/bin/sh\nexec {} --ignored --exact fake_gpu_process --nocapture",
        test.display()
    )
    .expect("script");
    drop(file);
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("chmod");
    let yes = PathBuf::from("1");
    TestServer::start(
        &[],
        &[("ANTLERITE_GPU_BIN", &script), ("ANTLERITE_FAKE_GPU", &yes)],
    )
}

/// A program with a context: UVM, a VA space with its GPU process, a group with a channel.
struct Context {
    rm: Rm,
    uvm: door::File,
    uuid: [u8; 16],
    space: u32,
    group: u32,
    channel: u32,
    notifier: door::Mapping,
}

const BASE: u64 = 0x20_0000_0000;

impl Context {
    fn new() -> Self {
        let rm = Rm::new();
        let uvm = door::open(Node::Uvm).expect("open");
        let mut early = UVM_CREATE_EXTERNAL_RANGE_PARAMS::new_zeroed();
        uvm.command(uvm::UVM_CREATE_EXTERNAL_RANGE, early.as_mut_bytes())
            .expect("command");
        assert_eq!(early.rmStatus, status::NV_ERR_ILLEGAL_ACTION);
        let mut init = UVM_INITIALIZE_PARAMS::new_zeroed();
        uvm.command(uvm::UVM_INITIALIZE, init.as_mut_bytes())
            .expect("command");
        assert_eq!(init.rmStatus, 0);
        let second = door::open(Node::Uvm).expect("open");
        let mut mm = UVM_MM_INITIALIZE_PARAMS {
            uvmFd: uvm.id(),
            rmStatus: 1,
        };
        second
            .command(uvm::UVM_MM_INITIALIZE, mm.as_mut_bytes())
            .expect("command");
        assert_eq!(mm.rmStatus, 0);
        let mut gid = [0; 268];
        gid[4] = 2;
        assert_eq!(
            control(&rm.ctl, rm.client, rm.subdevice, 0x2080_014a, &mut gid),
            0
        );
        let uuid: [u8; 16] = gid[12..28].try_into().expect("uuid");
        let mut gpu = UVM_REGISTER_GPU_PARAMS {
            gpu_uuid: uuid,
            rmCtrlFd: -1,
            ..FromZeros::new_zeroed()
        };
        uvm.command(uvm::UVM_REGISTER_GPU, gpu.as_mut_bytes())
            .expect("command");
        assert_eq!(gpu.rmStatus, 0);
        let mut space = NV_VASPACE_ALLOCATION_PARAMETERS {
            flags: 0x48,
            ..FromZeros::new_zeroed()
        };
        let (code, space) = rm.alloc(rm.device, classes::FERMI_VASPACE_A, &mut space);
        assert_eq!(code, 0);
        assert_eq!(register_space(&rm, &uvm, uuid, space), 0);
        let mut group = NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS {
            hVASpace: space,
            engineType: 1,
            ..FromZeros::new_zeroed()
        };
        let (code, group) = rm.alloc(rm.device, classes::KEPLER_CHANNEL_GROUP_A, &mut group);
        assert_eq!(code, 0);
        let (_, userd) = rm.memory(classes::NV01_MEMORY_SYSTEM, 4096);
        let (_, notifier) = rm.memory(classes::NV01_MEMORY_SYSTEM, 4096);
        let mut params = NV_CHANNEL_ALLOC_PARAMS {
            hObjectError: notifier,
            gpFifoOffset: BASE,
            gpFifoEntries: 1024,
            ..FromZeros::new_zeroed()
        };
        params.hUserdMemory[0] = userd;
        let (code, channel) = rm.alloc(group, classes::HOPPER_CHANNEL_GPFIFO_A, &mut params);
        assert_eq!(code, 0);
        let (code, _) = rm.alloc(
            channel,
            classes::HOPPER_COMPUTE_A,
            &mut NV_GR_ALLOCATION_PARAMETERS::new_zeroed(),
        );
        assert_eq!(code, 0);
        let mut schedule = NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS::new_zeroed();
        schedule.bEnable = 1;
        assert_eq!(
            control(
                &rm.ctl,
                rm.client,
                group,
                0xa06c_0101,
                schedule.as_mut_bytes()
            ),
            0
        );
        let mut token = [0; 4];
        assert_eq!(
            control(&rm.ctl, rm.client, channel, 0xc36f_0108, &mut token),
            0
        );
        assert_ne!(token, [0; 4]);
        let notifier = rm.map(notifier, Node::Control, 4096);
        Self {
            rm,
            uvm,
            uuid,
            space,
            group,
            channel,
            notifier,
        }
    }

    fn external(&self, memory: u32, base: u64, len: u64) -> u32 {
        let mut create = UVM_CREATE_EXTERNAL_RANGE_PARAMS {
            base,
            length: len,
            ..FromZeros::new_zeroed()
        };
        self.uvm
            .command(uvm::UVM_CREATE_EXTERNAL_RANGE, create.as_mut_bytes())
            .expect("command");
        if create.rmStatus != 0 {
            return create.rmStatus;
        }
        let mut map = UVM_MAP_EXTERNAL_ALLOCATION_PARAMS {
            base,
            length: len,
            gpuAttributesCount: 1,
            rmCtrlFd: self.rm.ctl.id(),
            hClient: self.rm.client,
            hMemory: memory,
            ..FromZeros::new_zeroed()
        };
        map.perGpuAttributes[0].gpuUuid = self.uuid;
        self.uvm
            .command(uvm::UVM_MAP_EXTERNAL_ALLOCATION, map.as_mut_bytes())
            .expect("command");
        map.rmStatus
    }

    fn free_range(&self, base: u64, len: u64) -> u32 {
        let mut free = UVM_FREE_PARAMS {
            base,
            length: len,
            ..FromZeros::new_zeroed()
        };
        self.uvm
            .command(uvm::UVM_FREE, free.as_mut_bytes())
            .expect("command");
        free.rmStatus
    }

    fn fault(&self) -> (u32, u32, u64) {
        let mut info = [0; size_of::<abi::vendor::FaultInfoParams>()];
        info[..4].copy_from_slice(&self.channel.to_le_bytes());
        let cmd = abi::vendor::CTRL_FAULT_INFO;
        assert_eq!(
            control(&self.rm.ctl, self.rm.client, self.rm.client, cmd, &mut info),
            0
        );
        let word = |at: usize| u32::from_le_bytes(info[at..at + 4].try_into().expect("word"));
        (
            word(4),
            word(8),
            u64::from_le_bytes(info[16..24].try_into().expect("address")),
        )
    }

    /// Status half-word of the error notifier.
    fn notified(&self) -> u16 {
        // SAFETY: 16 bytes in a page that is mapped.
        unsafe { self.notifier.as_ptr().add(14).cast::<u16>().read_volatile() }
    }
}

fn register_space(rm: &Rm, uvm: &door::File, uuid: [u8; 16], space: u32) -> u32 {
    let mut register = UVM_REGISTER_GPU_VASPACE_PARAMS {
        gpuUuid: uuid,
        rmCtrlFd: rm.ctl.id(),
        hClient: rm.client,
        hVaSpace: space,
        rmStatus: 1,
    };
    uvm.command(uvm::UVM_REGISTER_GPU_VASPACE, register.as_mut_bytes())
        .expect("command");
    register.rmStatus
}

/// A client that registers a space again, with the same file or another, is told so, and what is mapped there stays.
#[test]
fn a_space_is_registered_with_one_file_at_a_time() {
    let server = start();
    let context = Context::new();
    let (rm, uuid, space) = (&context.rm, context.uuid, context.space);
    let (_, memory) = rm.memory(classes::NV01_MEMORY_LOCAL_USER, 4096);
    assert_eq!(context.external(memory, BASE, 4096), 0);
    let register = |uvm: &door::File| register_space(rm, uvm, uuid, space);
    assert_eq!(register(&context.uvm), status::NV_ERR_INVALID_DEVICE);
    let other = door::open(Node::Uvm).expect("open");
    let mut init = UVM_INITIALIZE_PARAMS::new_zeroed();
    other
        .command(uvm::UVM_INITIALIZE, init.as_mut_bytes())
        .expect("command");
    assert_eq!(init.rmStatus, 0);
    let mut gpu = UVM_REGISTER_GPU_PARAMS {
        gpu_uuid: uuid,
        rmCtrlFd: -1,
        ..FromZeros::new_zeroed()
    };
    other
        .command(uvm::UVM_REGISTER_GPU, gpu.as_mut_bytes())
        .expect("command");
    assert_eq!(gpu.rmStatus, 0);
    for _ in 0..3 {
        assert_eq!(register(&other), status::NV_ERR_NOT_SUPPORTED);
    }
    // What the first file has there is as it was.
    assert_eq!(context.free_range(BASE, 4096), 0);
    assert_eq!(context.external(memory, BASE, 4096), 0);
    let unregister = |uvm: &door::File| {
        let mut params = UVM_UNREGISTER_GPU_VASPACE_PARAMS {
            gpuUuid: uuid,
            ..FromZeros::new_zeroed()
        };
        uvm.command(uvm::UVM_UNREGISTER_GPU_VASPACE, params.as_mut_bytes())
            .expect("command");
        params.rmStatus
    };
    assert_eq!(unregister(&other), status::NV_ERR_INVALID_DEVICE);
    assert_eq!(unregister(&context.uvm), 0);
    assert_eq!(register(&other), 0);
    assert_eq!(register(&context.uvm), status::NV_ERR_NOT_SUPPORTED);
    // A file that closes lets go of it.
    drop(other);
    server.wait_for("closed", |_| register(&context.uvm) == 0);
    assert_eq!(context.external(memory, BASE + 0x1_0000, 4096), 0);
}

fn tell(server: &TestServer, xid: u32) {
    let request = kernel::manage::Request::Kill {
        pid: std::process::id(),
        xid,
    };
    match kernel::manage::ask(&server.instance(), &request) {
        Ok(kernel::manage::Answer::Done { count }) => assert_eq!(count, 1),
        other => panic!("{other:?}"),
    }
}

#[test]
fn memory_reaches_the_gpu_and_ranges_are_checked() {
    let server = start();
    let context = Context::new();
    let (_, memory) = context.rm.memory(classes::NV01_MEMORY_LOCAL_USER, 2 << 20);
    let cpu = context.rm.map(memory, Node::Gpu(0), 2 << 20);
    assert_eq!(context.external(memory, BASE, 2 << 20), 0);
    // SAFETY: two bytes of a 2 MiB mapping.
    unsafe {
        cpu.as_ptr().write_volatile(0x5a);
        server.status();
        assert_eq!(cpu.as_ptr().add(1).read_volatile(), 0xa5);
    }
    assert_eq!(
        context.external(memory, BASE, 4096),
        status::NV_ERR_UVM_ADDRESS_IN_USE
    );
    assert_eq!(
        context.external(memory, abi::link::RESERVED.start, 4096),
        status::NV_ERR_INVALID_ADDRESS
    );
    assert_eq!(
        context.free_range(BASE, 4096),
        status::NV_ERR_INVALID_ADDRESS
    );
    assert_eq!(context.free_range(BASE, 2 << 20), 0);
    assert_eq!(context.external(memory, BASE, 2 << 20), 0);
    // Managed memory: one address on both sides.
    let len = 1 << 20;
    let address = BASE + (64 << 20);
    let hint = usize::try_from(address).expect("address");
    // SAFETY: nothing lives at that address; MAP_FIXED is not asked for.
    let managed = unsafe {
        context
            .uvm
            .map(hint, len, Protection::READ_WRITE, false, address)
    }
    .expect("managed");
    assert_eq!(managed.as_ptr().addr(), hint);
    let mut validate = UVM_VALIDATE_VA_RANGE_PARAMS {
        base: address,
        length: len as u64,
        ..FromZeros::new_zeroed()
    };
    context
        .uvm
        .command(uvm::UVM_VALIDATE_VA_RANGE, validate.as_mut_bytes())
        .expect("command");
    assert_eq!(validate.rmStatus, 0);
    // SAFETY: two bytes of the mapping.
    unsafe {
        managed.as_ptr().write_volatile(0x5a);
        server.status();
        assert_eq!(managed.as_ptr().add(1).read_volatile(), 0xa5);
    }
    assert_eq!(server.status().processes[0].managed, len as u64);
    drop(managed);
    context.uvm.unmapped(address, len as u64).expect("unmapped");
    assert_eq!(
        context.uvm.unmapped(address, len as u64),
        Err(DoorError::Errno(libc::EINVAL))
    );
    assert_eq!(server.status().processes[0].managed, 0);
    // SAFETY: refused before anything is mapped.
    let read_only = unsafe { context.uvm.map(hint, len, Protection::READ, false, address) };
    assert_eq!(
        read_only.expect_err("read-only"),
        DoorError::Errno(libc::EINVAL)
    );
    let contexts = server.status().processes[0].contexts.clone();
    assert_eq!(
        (contexts.len(), contexts[0].kernel.as_deref()),
        (1, Some("fake"))
    );
    drop(context);
    server.wait_for("all is freed", |s| {
        s.processes.is_empty() && s.gpus[0].used == 0 && s.gpus[0].channels == 0
    });
}

#[test]
fn a_fault_is_a_record_a_line_and_an_event() {
    let server = start();
    let context = Context::new();
    let events = door::open(Node::Gpu(0)).expect("open");
    let mut os_event = nv_ioctl_alloc_os_event_t {
        hClient: context.rm.client,
        hDevice: context.rm.device,
        fd: events.id().cast_unsigned(),
        Status: 1,
    };
    events
        .escape(escapes::ALLOC_OS_EVENT, os_event.as_mut_bytes())
        .expect("ALLOC_OS_EVENT");
    assert_eq!(os_event.Status, 0);
    let event = |index: u32| {
        let mut params = NV0005_ALLOC_PARAMETERS {
            hParentClient: context.rm.client,
            hClass: classes::NV01_EVENT_OS_EVENT,
            notifyIndex: index,
            data: u64::from(events.id().cast_unsigned()),
            ..FromZeros::new_zeroed()
        };
        let (code, handle) = context.rm.alloc(
            context.rm.subdevice,
            classes::NV01_EVENT_OS_EVENT,
            &mut params,
        );
        assert_eq!(code, 0);
        handle
    };
    event(0x3800_000c);
    event(37);
    let mut arm = [0; 20];
    arm[0] = 37;
    arm[4] = 2;
    assert_eq!(
        control(
            &context.rm.ctl,
            context.rm.client,
            context.rm.subdevice,
            0x2080_0301,
            &mut arm
        ),
        0
    );
    assert!(!events.poll(0).expect("poll"));
    tell(&server, DO_INTERRUPT);
    assert!(events.poll(2000).expect("poll"));
    assert!(!events.poll(0).expect("poll"));
    assert_eq!(context.fault(), (0, 0, 0));
    tell(&server, DO_FAULT);
    assert!(events.poll(2000).expect("poll"));
    let mut popped = NvUnixEvent::new_zeroed();
    let mut get = NVOS41_PARAMETERS {
        pEvent: popped.as_mut_bytes().as_mut_ptr().expose_provenance() as u64,
        ..FromZeros::new_zeroed()
    };
    events
        .escape(escapes::RM_GET_EVENT_DATA, get.as_mut_bytes())
        .expect("GET_EVENT_DATA");
    assert_eq!((get.status, get.MoreEvents), (0, 0));
    assert_eq!((popped.NotifyIndex, popped.info32), (37, 31));
    assert_eq!(context.fault(), (31, 700, 0x7f12_3456_7000));
    let log = server.log();
    let xid = log
        .iter()
        .find(|l| l.contains("NVRM: Xid (PCI:0000:17:00): 31, pid="))
        .expect("Xid line");
    assert!(
        xid.contains("faulted @ 0x7f12_34567000.") && xid.contains("vecadd"),
        "{xid}"
    );
}

#[test]
fn a_gpu_process_that_dies_takes_its_context_and_no_more() {
    let server = start();
    for (what, within) in [(0, 2), (DO_EXIT, 2), (DO_GARBAGE, 2), (DO_HANG, 8)] {
        let context = Context::new();
        assert_eq!(context.notified(), 0);
        let started = Instant::now();
        if what == 0 {
            let pid = server.status().processes[0].contexts[0].pid.cast_signed();
            // SAFETY: a signal to the GPU process.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        } else {
            tell(&server, what);
        }
        while context.notified() != 0xffff {
            assert!(
                started.elapsed() < Duration::from_secs(within),
                "no notifier after {what}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        // Who dies when told to end with an Xid has ended with it, however it came.
        let (xid, result, _) = context.fault();
        assert_eq!((xid, result), (if what == 0 { 43 } else { what }, 719));
        let (_, memory) = context.rm.memory(classes::NV01_MEMORY_LOCAL_USER, 4096);
        assert_eq!(
            context.external(memory, BASE, 4096),
            status::NV_ERR_GPU_IS_LOST
        );
        assert_eq!(free(&context.rm.ctl, context.rm.client, context.group), 0);
        drop(context);
        server.wait_for("freed", |s| {
            s.processes.is_empty() && s.gpus[0].channels == 0
        });
    }
    let context = Context::new();
    assert_eq!(context.fault(), (0, 0, 0));
}

#[test]
fn a_hung_gpu_process_does_not_hold_up_its_clients_end() {
    let server = start();
    for uvm_first in [false, true] {
        let context = Context::new();
        let (_, memory) = context.rm.memory(classes::NV01_MEMORY_LOCAL_USER, 1 << 20);
        for slot in 0..4 {
            assert_eq!(context.external(memory, BASE + (slot << 20), 1 << 20), 0);
        }
        let instance = server.instance();
        let hang = kernel::manage::Request::Kill {
            pid: std::process::id(),
            xid: DO_HANG,
        };
        let teller = std::thread::spawn(move || kernel::manage::ask(&instance, &hang));
        std::thread::sleep(Duration::from_millis(200));
        let started = Instant::now();
        let Context { rm, uvm, .. } = context;
        if uvm_first {
            drop(uvm);
            drop(rm);
        } else {
            drop(rm);
            drop(uvm);
        }
        server.wait_for("freed", |s| {
            s.processes.is_empty() && s.gpus[0].used == 0 && s.gpus[0].channels == 0
        });
        assert!(
            started.elapsed() < Duration::from_secs(1),
            "{:?}",
            started.elapsed()
        );
        // It hears of the end of the process, or that nothing was done.
        let _ = teller.join().expect("thread");
    }
}

#[test]
fn a_killed_server_takes_its_gpu_processes_along() {
    let mut server = start();
    let context = Context::new();
    let gpu = server.status().processes[0].contexts[0].pid;
    server.kill();
    let started = Instant::now();
    while std::fs::read_to_string(format!("/proc/{gpu}/stat")).is_ok_and(|s| !s.contains(") Z ")) {
        assert!(
            started.elapsed() < Duration::from_secs(1),
            "the GPU process lives"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut name = [0; 4];
    let gone = context.rm.ctl.escape(escapes::SYS_PARAMS, &mut name);
    assert_eq!(gone, Err(DoorError::ServerGone));
}

#[test]
fn a_killed_client_is_cleaned_up() {
    let server = start();
    let (reader, mut writer) = std::io::pipe().expect("pipe");
    // The grandchild becomes ours when its parent dies, so that it can be ended here.
    // SAFETY: changes this process's own setting.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    // SAFETY: the child uses what it inherits from a single-threaded point of this test; nothing was opened through
    // the door yet, so it may.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let context = Context::new();
        let (_, memory) = context.rm.memory(classes::NV01_MEMORY_LOCAL_USER, 64 << 20);
        assert_eq!(context.external(memory, BASE, 64 << 20), 0);
        // A grandchild holds the sockets open.
        // SAFETY: the grandchild only sleeps.
        let grandchild = unsafe { libc::fork() };
        if grandchild != 0 {
            writer.write_all(&grandchild.to_le_bytes()).expect("pipe");
        }
        // SAFETY: sleeps until it is killed.
        unsafe {
            libc::alarm(60);
            libc::pause();
            libc::_exit(0);
        }
    }
    drop(writer);
    server.wait_for("the child's context", |s| s.gpus[0].used >= 64 << 20);
    let gpu = server.status().processes[0].contexts[0].pid;
    // Not before the grandchild is there.
    let mut grandchild = [0; 4];
    (&reader).read_exact(&mut grandchild).expect("pipe");
    let grandchild = i32::from_le_bytes(grandchild);
    let started = Instant::now();
    // SAFETY: our own child.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    server.wait_for("freed", |s| {
        s.processes.is_empty() && s.gpus[0].used == 0 && s.descriptors.0 == 0
    });
    // SAFETY: the grandchild that the child told of.
    unsafe {
        libc::kill(grandchild, libc::SIGKILL);
        libc::waitpid(grandchild, std::ptr::null_mut(), 0);
    }
    while std::path::Path::new(&format!("/proc/{gpu}")).exists() {
        assert!(
            started.elapsed() < Duration::from_secs(1),
            "the GPU process lives"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}
