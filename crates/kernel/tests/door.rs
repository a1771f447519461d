//! The kernel half through the socket door: identity, memory, events, death.

mod support;

use std::time::{Duration, Instant};

use abi::nv::escape_params::*;
use abi::nv::{classes, escapes, status};
use door::{DoorError, Node};
use support::{Rm, TestServer, alloc, control, free};
use zerocopy::{FromZeros, IntoBytes};

#[test]
fn a_client_learns_what_is_there() {
    let server = TestServer::start(&["--gpu", "h100:2"], &[]);
    let ctl = door::open(Node::Control).expect("open");
    let mut version = nv_ioctl_rm_api_version_t::new_zeroed();
    version.versionString[..7].copy_from_slice(b"580.142");
    ctl.escape(escapes::CHECK_VERSION_STR, version.as_mut_bytes())
        .expect("version");
    assert_eq!(version.reply, 1);
    version.versionString[..7].copy_from_slice(b"535.309");
    let mismatch = ctl.escape(escapes::CHECK_VERSION_STR, version.as_mut_bytes());
    assert_eq!(mismatch, Err(DoorError::Errno(libc::EINVAL)));
    let mut cards = vec![0; 32 * 72];
    ctl.escape(escapes::CARD_INFO, &mut cards).expect("cards");
    assert_eq!((cards[0], cards[72], cards[144]), (1, 1, 0));
    assert_eq!(
        ctl.escape(escapes::CARD_INFO, &mut cards[..72]),
        Err(DoorError::Errno(libc::EINVAL))
    );

    let rm = Rm::new();
    let mut name = [0; 132];
    assert_eq!(
        control(&rm.ctl, rm.client, rm.subdevice, 0x2080_0110, &mut name),
        0
    );
    let text = String::from_utf8_lossy(&name[4..]).into_owned();
    assert!(text.contains("H100"), "{text}");
    let mut identify = [0; 48];
    let cmd = abi::vendor::CTRL_IDENTIFY;
    assert_eq!(
        control(&rm.ctl, rm.client, rm.client, cmd, &mut identify),
        0
    );
    assert!(
        identify.starts_with(b"antlerit")
            && identify[12] == 2
            && identify[16..].starts_with(b"580.142\0")
    );
    assert_eq!(
        control(&rm.ctl, rm.client, rm.client, cmd, &mut identify[..40]),
        status::NV_ERR_INVALID_PARAM_STRUCT
    );
    assert_eq!(
        control(&rm.ctl, rm.client, rm.subdevice, 0x2080_0999, &mut [0; 4]),
        status::NV_ERR_NOT_SUPPORTED
    );
    assert_eq!(
        control(&rm.ctl, rm.client, 0x1234, 0x2080_0110, &mut name),
        status::NV_ERR_INVALID_OBJECT_HANDLE
    );
    assert!(
        server
            .log()
            .iter()
            .any(|l| l.contains("control 0x20800999"))
    );

    assert!(door::open(Node::Gpu(1)).is_ok());
    assert_eq!(
        door::open(Node::Gpu(2)).expect_err("two GPUs"),
        DoorError::Errno(libc::ENXIO)
    );
    assert_eq!(
        ctl.escape(0x99, &mut [0; 8]),
        Err(DoorError::Errno(libc::EINVAL))
    );
}

#[test]
fn memory_is_shared_counted_and_freed() {
    let server = TestServer::start(&[], &[]);
    let rm = Rm::new();
    let (code, memory) = rm.memory(classes::NV01_MEMORY_LOCAL_USER, 4 << 20);
    assert_eq!(code, 0);
    let one = rm.map(memory, Node::Gpu(0), 4 << 20);
    let two = rm.map(memory, Node::Gpu(0), 4 << 20);
    // SAFETY: both mappings are 4 MiB of the same memory; no one else has them.
    unsafe {
        one.as_ptr().add(12345).write_volatile(42);
        assert_eq!(two.as_ptr().add(12345).read_volatile(), 42);
    }
    assert_eq!(server.status().gpus[0].used, 4 << 20);
    assert_eq!(
        rm.memory(classes::NV01_MEMORY_LOCAL_USER, 2 << 30).0,
        status::NV_ERR_NO_MEMORY
    );
    assert_eq!(free(&rm.ctl, rm.client, memory), 0);
    assert_eq!(
        free(&rm.ctl, rm.client, memory),
        status::NV_ERR_INVALID_OBJECT_OLD
    );
    assert_eq!(server.status().gpus[0].used, 0);
    let (code, _) = rm.memory(classes::NV01_MEMORY_LOCAL_USER, 6 << 20);
    assert_eq!(code, 0);
    drop(rm);
    server.wait_for("the last close frees", |s| {
        s.gpus[0].used == 0 && s.files == 0
    });
}

#[test]
fn bad_pointers_are_errors() {
    let _server = TestServer::start(&[], &[]);
    let rm = Rm::new();
    for pointer in [0x10_u64, u64::MAX, 0xdead_0000_0000] {
        let mut call = NVOS54_PARAMETERS {
            hClient: rm.client,
            hObject: rm.subdevice,
            cmd: 0x2080_0110,
            params: pointer,
            paramsSize: 132,
            ..NVOS54_PARAMETERS::new_zeroed()
        };
        rm.ctl
            .escape(escapes::RM_CONTROL, call.as_mut_bytes())
            .expect("RM_CONTROL");
        assert_eq!(call.status, status::NV_ERR_INVALID_ADDRESS);
        let mut call = NVOS64_PARAMETERS {
            hRoot: rm.client,
            hObjectParent: rm.device,
            hClass: classes::NV01_MEMORY_LOCAL_USER,
            pAllocParms: pointer,
            ..NVOS64_PARAMETERS::new_zeroed()
        };
        rm.ctl
            .escape(escapes::RM_ALLOC, call.as_mut_bytes())
            .expect("RM_ALLOC");
        assert_eq!(call.status, status::NV_ERR_INVALID_ADDRESS);
    }
    // Readable, not writable: the store fails, the process lives.
    static CONSTANT: [u8; 132] = [0; 132];
    let mut call = NVOS54_PARAMETERS {
        hClient: rm.client,
        hObject: rm.subdevice,
        cmd: 0x2080_0110,
        params: support::address(&CONSTANT),
        paramsSize: 132,
        ..NVOS54_PARAMETERS::new_zeroed()
    };
    let result = rm.ctl.escape(escapes::RM_CONTROL, call.as_mut_bytes());
    assert_eq!(result, Err(DoorError::Errno(libc::EFAULT)));
}

#[test]
fn pinned_pages_are_seen_from_both_sides() {
    let _server = TestServer::start(&[], &[]);
    let rm = Rm::new();
    let gpu = door::open(Node::Gpu(0)).expect("open");
    let pages = vec![7_u8; 64 << 10];
    let start = support::address(pages.as_slice()).next_multiple_of(4096);
    let mut call = nv_ioctl_nvos02_parameters_with_fd::new_zeroed();
    call.params = NVOS02_PARAMETERS {
        hRoot: rm.client,
        hObjectParent: rm.device,
        hObjectNew: 0x1001,
        hClass: classes::NV01_MEMORY_SYSTEM_OS_DESCRIPTOR,
        pMemory: start,
        limit: 8191,
        ..NVOS02_PARAMETERS::new_zeroed()
    };
    gpu.escape(escapes::RM_ALLOC_MEMORY, call.as_mut_bytes())
        .expect("RM_ALLOC_MEMORY");
    assert_eq!(call.params.status, 0);
    let other = rm.map(0x1001, Node::Control, 8192);
    let here =
        std::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(start).expect("address"));
    // SAFETY: `here` is within `pages`, `other` is 8192 bytes of the same memory.
    unsafe {
        assert_eq!(other.as_ptr().read_volatile(), 7);
        here.add(8191).write_volatile(9);
        assert_eq!(other.as_ptr().add(8191).read_volatile(), 9);
    }
    call.params.pMemory = 0x1000;
    call.params.hObjectNew = 0x1002;
    gpu.escape(escapes::RM_ALLOC_MEMORY, call.as_mut_bytes())
        .expect("RM_ALLOC_MEMORY");
    assert_eq!(call.params.status, status::NV_ERR_INVALID_ADDRESS);
}

#[test]
fn a_dead_server_is_a_named_error() {
    let mut server = TestServer::start(&[], &[]);
    let rm = Rm::new();
    server.kill();
    let started = Instant::now();
    let mut name = [0; 4];
    let gone = rm.ctl.escape(escapes::RM_CONTROL, &mut name);
    assert!(matches!(gone, Err(DoorError::ServerGone)), "{gone:?}");
    assert!(matches!(rm.ctl.poll(-1), Err(DoorError::ServerGone)));
    assert!(started.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_forked_child_is_refused_and_the_parent_lives() {
    let _server = TestServer::start(&[], &[]);
    let rm = Rm::new();
    // SAFETY: the child only makes calls that do not allocate before it ends by _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let forked = matches!(
            rm.ctl.escape(escapes::SYS_PARAMS, &mut [0; 8]),
            Err(DoorError::Forked)
        );
        // SAFETY: ends the child.
        unsafe { libc::_exit(i32::from(!forked)) };
    }
    let mut state = 0;
    // SAFETY: waits for our own child.
    unsafe { libc::waitpid(child, &raw mut state, 0) };
    assert_eq!(libc::WEXITSTATUS(state), 0);
    let mut name = [0; 132];
    assert_eq!(
        control(&rm.ctl, rm.client, rm.subdevice, 0x2080_0110, &mut name),
        0
    );
}

#[test]
fn handles_and_parents_are_checked() {
    let _server = TestServer::start(&[], &[]);
    let rm = Rm::new();
    assert_eq!(
        alloc(&rm.ctl, rm.client, rm.device, 0x77, 0x2080, None),
        (0, 0x77)
    );
    let (code, _) = alloc(&rm.ctl, rm.client, rm.device, 0x77, 0x2080, None);
    assert_eq!(code, status::NV_ERR_INSERT_DUPLICATE_NAME);
    let (code, _) = alloc(&rm.ctl, rm.client, 0x5555, 0, 0x2080, None);
    assert_eq!(code, status::NV_ERR_INVALID_OBJECT_PARENT);
    let (code, _) = alloc(
        &rm.ctl,
        rm.client,
        rm.subdevice,
        0,
        classes::FERMI_VASPACE_A,
        None,
    );
    assert_eq!(code, status::NV_ERR_INVALID_OBJECT_PARENT);
    // Ada's compute class is not on a GH100, whatever the parent.
    let (code, _) = alloc(
        &rm.ctl,
        rm.client,
        rm.device,
        0,
        classes::ADA_COMPUTE_A,
        None,
    );
    assert_eq!(code, status::NV_ERR_INVALID_CLASS);
    let (code, _) = alloc(&rm.ctl, 0xdead, rm.device, 0, 0x2080, None);
    assert_eq!(code, status::NV_ERR_INVALID_CLIENT);
    let other = door::open(Node::Gpu(0)).expect("open");
    let mut call = NVOS64_PARAMETERS::new_zeroed();
    assert_eq!(
        other.escape(escapes::RM_ALLOC, call.as_mut_bytes()),
        Err(DoorError::Errno(libc::EINVAL))
    );
    assert_eq!(
        rm.ctl.escape(escapes::RM_ALLOC, &mut [0; 0x38]),
        Err(DoorError::Errno(libc::EINVAL))
    );
}

#[test]
fn hostile_frames_close_their_connection_only() {
    let server = TestServer::start(&[], &[]);
    let rm = Rm::new();
    let path = server.instance().join(door::instance::SOCKET);
    let mut random = kernel::fuzz::Random::new(7);
    for round in 0..300 {
        let socket = door::start::try_connect(&path, rustix::net::SocketType::SEQPACKET)
            .expect("connect")
            .expect("a server");
        if round % 3 != 0 {
            let hello = door::wire::Head::new(
                door::wire::Kind::Hello,
                door::wire::PROTOCOL,
                Node::Uvm.code(),
                0,
            );
            door::wire::send(&socket, hello, &[], None).expect("hello");
        }
        for _ in 0..4 {
            let mut frame = vec![0; 1 + random.below(200)];
            for byte in &mut frame {
                *byte = u8::try_from(random.draw() & 0xff).expect("byte");
            }
            // Kinds that exist, more often than chance has them.
            let kinds = [1, 2, 3, 4, 5, 16, 17, 18, 19, 37];
            if frame.len() >= 24 && random.below(2) == 0 {
                frame[..4].copy_from_slice(&u32::to_le_bytes(kinds[random.below(kinds.len())]));
                frame[16..24].copy_from_slice(&u64::to_le_bytes(random.draw() & 0xff_0000_00ff));
            }
            // The server may have closed it already.
            let _ = rustix::net::send(&socket, &frame, rustix::net::SendFlags::NOSIGNAL);
        }
    }
    let mut name = [0; 132];
    assert_eq!(
        control(&rm.ctl, rm.client, rm.subdevice, 0x2080_0110, &mut name),
        0
    );
    server.wait_for("the connections are closed", |s| s.files == 1);
}

#[test]
fn the_server_starts_on_demand_and_leaves() {
    let mut server = TestServer::start(&[], &[]);
    server.kill();
    // The door starts one in the place of the one that died.
    let ctl = door::open(Node::Control).expect("open");
    let first = server.status().pid;
    let others: Vec<_> = (0..4)
        .map(|_| std::thread::spawn(|| door::open(Node::Control).expect("open")))
        .collect();
    for other in others {
        other.join().expect("thread");
    }
    assert_eq!(server.status().pid, first);
    drop(ctl);
    let deadline = Instant::now() + Duration::from_secs(8);
    while server.instance().join(door::instance::SOCKET).exists() {
        assert!(Instant::now() < deadline, "the server stays");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(server.instance().join(door::instance::LOG).exists());
}

#[test]
fn a_server_that_is_told_to_stop_stops() {
    let server = TestServer::start(&["--persist"], &[]);
    let rm = Rm::new();
    assert!(server.status().persist);
    let answer =
        kernel::manage::ask(&server.instance(), &kernel::manage::Request::Stop).expect("stop");
    assert!(matches!(answer, kernel::manage::Answer::Done { .. }));
    let deadline = Instant::now() + Duration::from_secs(3);
    loop {
        match rm.ctl.escape(escapes::SYS_PARAMS, &mut [0; 8]) {
            Err(DoorError::ServerGone) => break,
            _ if Instant::now() > deadline => panic!("the server stays"),
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn cost_of_an_ioctl() {
    let _server = TestServer::start(&[], &[]);
    let rm = Rm::new();
    let mut name = [0; 132];
    for _ in 0..3 {
        let started = Instant::now();
        for _ in 0..20_000 {
            control(&rm.ctl, rm.client, rm.subdevice, 0x2080_0110, &mut name);
        }
        eprintln!("RM_CONTROL: {} ns", started.elapsed().as_nanos() / 20_000);
    }
}
