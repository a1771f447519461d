//! The C functions against a real server.

mod support;

use std::ffi::{CStr, c_char};

use nvml::Return;
use nvml::ffi::{In, Opt, Out};
use nvml::functions::*;
use nvml::types::*;
use support::TestServer;

fn text(call: impl FnOnce(Out<'_, c_char>, u32) -> Return) -> Result<String, Return> {
    let mut buffer = [0 as c_char; 96];
    call(Out::array(&mut buffer), 96).ok()?;
    // SAFETY: the function wrote a NUL-terminated text.
    Ok(unsafe { CStr::from_ptr(buffer.as_ptr()) }
        .to_str()
        .expect("UTF-8")
        .to_owned())
}

fn value<T: Default>(call: impl FnOnce(Out<'_, T>) -> Return) -> Result<T, Return> {
    let mut value = T::default();
    call(Out::new(&mut value)).ok()?;
    Ok(value)
}

fn memory(device: Device) -> nvmlMemory_t {
    let mut memory = nvmlMemory_t {
        total: 0,
        free: 0,
        used: 0,
    };
    nvmlDeviceGetMemoryInfo(device, Out::new(&mut memory))
        .ok()
        .expect("memory");
    memory
}

#[test]
fn init_is_counted_and_required() {
    let Some(_server) = TestServer::start(&[]) else {
        return;
    };
    let count = || value::<u32>(|out| nvmlDeviceGetCount_v2(out));
    assert_eq!(count(), Err(Return::Uninitialized));
    assert_eq!(nvmlShutdown(), Return::Uninitialized);
    assert_eq!(nvmlInit_v2(), Return::Success);
    assert_eq!(nvmlInitWithFlags(1), Return::Success);
    assert_eq!(nvmlInitWithFlags(0x80), Return::InvalidArgument);
    assert_eq!(nvmlShutdown(), Return::Success);
    assert_eq!(count(), Ok(1));
    assert_eq!(nvmlShutdown(), Return::Success);
    assert_eq!(count(), Err(Return::Uninitialized));
    // Not supported, but not asked for in the right state either.
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetFanSpeed(Device::new(0), out)),
        Err(Return::Uninitialized)
    );
}

#[test]
fn values_are_the_servers() {
    let Some(server) = TestServer::start(&["--gpu", "h100:2", "--driver-version", "550.163.01"])
    else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let status = server.status();
    assert_eq!(
        text(|out, n| nvmlSystemGetDriverVersion(out, n)),
        Ok(status.version.clone())
    );
    assert_eq!(
        text(|out, n| nvmlSystemGetNVMLVersion(out, n)),
        Ok(format!("12.{}", status.version))
    );
    let cuda = value::<i32>(|out| nvmlSystemGetCudaDriverVersion(out)).expect("CUDA version");
    assert_eq!(cuda, 12_040);
    assert_eq!(value::<u32>(|out| nvmlDeviceGetCount_v2(out)), Ok(2));
    for gpu in &status.gpus {
        let device = value(|out| nvmlDeviceGetHandleByIndex_v2(gpu.index, out)).expect("handle");
        assert_eq!(
            text(|out, n| nvmlDeviceGetName(device, out, n)),
            Ok(gpu.name.clone())
        );
        let uuid = text(|out, n| nvmlDeviceGetUUID(device, out, n)).expect("UUID");
        assert_eq!(uuid, gpu.uuid);
        let memory = memory(device);
        assert_eq!((memory.total, memory.used), (gpu.total, gpu.used));
        let c_uuid = std::ffi::CString::new(uuid).expect("text");
        let again = value(|out| nvmlDeviceGetHandleByUUID(In::text(&c_uuid), out));
        assert_eq!(again, Ok(device));
        assert_eq!(
            value::<u32>(|out| nvmlDeviceGetMinorNumber(device, out)),
            Ok(gpu.index)
        );
    }
    let device = Device::new(0);
    let by_bus = value(|out| nvmlDeviceGetHandleByPciBusId_v2(In::text(c"00000000:17:00.0"), out));
    assert_eq!(by_bus, Ok(device));
    let absent = value::<Device>(|out| nvmlDeviceGetHandleByPciBusId_v2(In::text(c"0:ff:0"), out));
    assert_eq!(absent, Err(Return::NotFound));
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetNumGpuCores(device, out)),
        Ok(132 * 128)
    );
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetArchitecture(device, out)),
        Ok(9)
    );
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetTemperature(device, 0, out)),
        Ok(36)
    );
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetMaxPcieLinkGeneration(device, out)),
        Ok(5)
    );
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetCurrPcieLinkWidth(device, out)),
        Ok(16)
    );
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetDisplayMode(device, out)),
        Ok(0)
    );
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetDisplayActive(device, out)),
        Ok(0)
    );
    let (mut major, mut minor) = (0, 0);
    let capability =
        nvmlDeviceGetCudaComputeCapability(device, Out::new(&mut major), Out::new(&mut minor));
    assert_eq!((capability, major, minor), (Return::Success, 9, 0));
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetTopologyCommonAncestor(device, Device::new(1), out)),
        Ok(50)
    );
    nvmlShutdown().ok().expect("shutdown");
}

#[test]
fn settings_reach_the_server() {
    let Some(_server) = TestServer::start(&[]) else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let device = Device::new(0);
    for mode in [1, 0] {
        assert_eq!(nvmlDeviceSetPersistenceMode(device, mode), Return::Success);
        assert_eq!(
            value::<u32>(|out| nvmlDeviceGetPersistenceMode(device, out)),
            Ok(mode)
        );
    }
    for mode in [3, 2, 0] {
        assert_eq!(nvmlDeviceSetComputeMode(device, mode), Return::Success);
        assert_eq!(
            value::<u32>(|out| nvmlDeviceGetComputeMode(device, out)),
            Ok(mode)
        );
    }
    assert_eq!(nvmlDeviceSetComputeMode(device, 4), Return::InvalidArgument);
    for mode in [1, 0] {
        assert_eq!(nvmlDeviceSetAccountingMode(device, mode), Return::Success);
        assert_eq!(
            value::<u32>(|out| nvmlDeviceGetAccountingMode(device, out)),
            Ok(mode)
        );
    }
    let mut none = 0;
    let listed = nvmlDeviceGetAccountingPids(device, Out::new(&mut none), Opt::null());
    assert_eq!((listed, none), (Return::Success, 0));
    let mut stats = nvmlAccountingStats_t {
        gpuUtilization: 0,
        memoryUtilization: 0,
        maxMemoryUsage: 0,
        time: 0,
        startTime: 0,
        isRunning: 0,
        reserved: [0; 5],
    };
    assert_eq!(
        nvmlDeviceGetAccountingStats(device, 1, Out::new(&mut stats)),
        Return::NotFound
    );
    nvmlShutdown().ok().expect("shutdown");
}

#[test]
fn bad_arguments_change_nothing() {
    let Some(_server) = TestServer::start(&[]) else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let device = Device::new(0);
    let wrong = Return::InvalidArgument;
    assert_eq!(nvmlDeviceGetCount_v2(Out::null()), wrong);
    assert_eq!(nvmlDeviceGetName(device, Out::null(), 96), wrong);
    assert_eq!(
        value::<Device>(|out| nvmlDeviceGetHandleByIndex_v2(1, out)),
        Err(wrong)
    );
    assert_eq!(
        value::<Device>(|out| nvmlDeviceGetHandleByUUID(In::null(), out)),
        Err(wrong)
    );
    for stranger in [Device::default(), Device::new(1), Device::new(7)] {
        assert_eq!(
            text(|out, n| nvmlDeviceGetName(stranger, out, n)),
            Err(wrong)
        );
        assert_eq!(
            value::<u32>(|out| nvmlDeviceGetFanSpeed(stranger, out)),
            Err(wrong)
        );
    }
    assert_eq!(nvmlDeviceGetFanSpeed(device, Out::null()), wrong);
    assert_eq!(
        value::<u32>(|out| nvmlDeviceGetFanSpeed(device, out)),
        Err(Return::NotSupported)
    );
    let mut small = [0x55 as c_char; 4];
    assert_eq!(
        nvmlDeviceGetName(device, Out::array(&mut small), 4),
        Return::InsufficientSize
    );
    assert_eq!(small, [0x55; 4]);
    let mut memory = nvmlMemory_v2_t {
        version: 1,
        total: 7,
        reserved: 7,
        free: 7,
        used: 7,
    };
    assert_eq!(
        nvmlDeviceGetMemoryInfo_v2(device, Out::new(&mut memory)),
        Return::ArgumentVersionMismatch
    );
    assert_eq!(memory.total, 7);
    nvmlShutdown().ok().expect("shutdown");
}

#[test]
fn lists_tell_their_length() {
    let Some(_server) = TestServer::start(&["--gpu", "h100:3"]) else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let device = Device::new(0);
    let mut count = 0;
    assert_eq!(
        nvmlDeviceGetComputeRunningProcesses_v3(device, Out::new(&mut count), Opt::null()),
        Return::Success
    );
    assert_eq!(count, 0);
    let mut room = 1;
    assert_eq!(
        nvmlDeviceGetTopologyNearestGpus(device, 50, Out::new(&mut room), Opt::null()),
        Return::InsufficientSize
    );
    assert_eq!(room, 2);
    let mut near = [Device::default(); 2];
    assert_eq!(
        nvmlDeviceGetTopologyNearestGpus(device, 50, Out::new(&mut room), Opt::array(&mut near)),
        Return::Success
    );
    assert_eq!(near, [Device::new(1), Device::new(2)]);
    nvmlShutdown().ok().expect("shutdown");
}

#[test]
fn event_sets_wait_and_end() {
    let Some(mut server) = TestServer::start(&[]) else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let device = Device::new(0);
    let set = value(|out| nvmlEventSetCreate(out)).expect("set");
    let mut event = nvmlEventData_t {
        device: Device::default(),
        eventType: 0,
        eventData: 0,
        gpuInstanceId: 0,
        computeInstanceId: 0,
    };
    assert_eq!(
        value::<u64>(|out| nvmlDeviceGetSupportedEventTypes(device, out)),
        Ok(8 | 2)
    );
    assert_eq!(
        nvmlDeviceRegisterEvents(device, 1, set),
        Return::NotSupported
    );
    assert_eq!(nvmlDeviceRegisterEvents(device, 8, set), Return::Success);
    assert_eq!(
        nvmlEventSetWait_v2(set, Out::new(&mut event), 20),
        Return::Timeout
    );
    let other = value(|out| nvmlEventSetCreate(out)).expect("set");
    assert_eq!(nvmlEventSetFree(other), Return::Success);
    assert_eq!(nvmlEventSetFree(other), Return::InvalidArgument);
    assert_eq!(
        nvmlEventSetWait_v2(other, Out::new(&mut event), 20),
        Return::InvalidArgument
    );
    // A dead server ends the wait, and every other call says so.
    server.kill();
    assert_eq!(
        nvmlEventSetWait_v2(set, Out::new(&mut event), 20_000),
        Return::GpuIsLost
    );
    assert_eq!(
        text(|out, n| nvmlDeviceGetName(device, out, n)),
        Err(Return::GpuIsLost)
    );
    assert_eq!(nvmlShutdown(), Return::Success);
}

#[test]
fn processes_are_those_with_a_context() {
    use nvml::core::rm::Client;
    use zerocopy::{FromZeros, IntoBytes};

    let Some(_server) = TestServer::start(&[]) else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let list = || {
        let mut infos = [nvmlProcessInfo_v2_t {
            pid: 0,
            usedGpuMemory: 0,
            gpuInstanceId: 0,
            computeInstanceId: 0,
        }; 4];
        let mut count = 4;
        nvmlDeviceGetComputeRunningProcesses_v3(
            Device::new(0),
            Out::new(&mut count),
            Opt::array(&mut infos),
        )
        .ok()
        .expect("processes");
        infos[..count as usize].to_vec()
    };
    assert!(list().is_empty());
    // What a program does that makes a context and allocates 32 MiB.
    let client = Client::open().expect("client");
    let mut params = abi::nv::alloc_params::NV0080_ALLOC_PARAMETERS {
        hClientShare: client.root().0,
        ..FromZeros::new_zeroed()
    };
    let device = client
        .alloc("device", client.root(), 0x80, params.as_mut_bytes())
        .expect("device");
    let mut params = abi::nv::alloc_params::NV_MEMORY_ALLOCATION_PARAMS {
        size: 32 << 20,
        ..FromZeros::new_zeroed()
    };
    client
        .alloc("memory", device, 0x40, params.as_mut_bytes())
        .expect("memory");
    assert!(list().is_empty());
    let mut params = abi::nv::alloc_params::NV_VASPACE_ALLOCATION_PARAMETERS::new_zeroed();
    client
        .alloc("VA space", device, 0x90f1, params.as_mut_bytes())
        .expect("VA space");
    let found = list();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].pid, found[0].usedGpuMemory),
        (std::process::id(), 32 << 20)
    );
    assert_eq!(found[0].gpuInstanceId, u32::MAX);
    assert_eq!(memory(Device::new(0)).used, 32 << 20);
    let mut room = 0;
    let short =
        nvmlDeviceGetComputeRunningProcesses_v3(Device::new(0), Out::new(&mut room), Opt::null());
    assert_eq!((short, room), (Return::InsufficientSize, 1));
    let name = text(|out, n| nvmlSystemGetProcessName(std::process::id(), out, n));
    let own = std::env::args().next().expect("own name");
    assert_eq!(name.expect("name"), own[..own.len().min(95)]);
    drop(client);
    // The server sees the closed connection in its own time.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !list().is_empty() {
        assert!(std::time::Instant::now() < deadline, "still there");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    nvmlShutdown().ok().expect("shutdown");
}

#[test]
fn a_double_bit_error_is_counted_and_told() {
    let Some(server) = TestServer::start(&[]) else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let device = Device::new(0);
    let total =
        |kind, counter| value::<u64>(|out| nvmlDeviceGetTotalEccErrors(device, kind, counter, out));
    let rows = || {
        let mut rows = [7; 4];
        let [corrected, uncorrected, pending, failed] = &mut rows;
        nvmlDeviceGetRemappedRows(
            device,
            Out::new(corrected),
            Out::new(uncorrected),
            Out::new(pending),
            Out::new(failed),
        )
        .ok()
        .map(|()| rows)
    };
    let mode = || {
        let (mut now, mut next) = (7, 7);
        nvmlDeviceGetEccMode(device, Out::new(&mut now), Out::new(&mut next))
            .ok()
            .map(|()| (now, next))
    };
    assert_eq!(mode(), Ok((1, 1)));
    assert_eq!((total(1, 0), rows()), (Ok(0), Ok([0; 4])));
    let set = value(|out| nvmlEventSetCreate(out)).expect("set");
    assert_eq!(
        nvmlDeviceRegisterEvents(device, 8 | 2, set),
        Return::Success
    );
    server.inject(kernel::inject::Failure::Ecc);
    let mut events = Vec::new();
    for _ in 0..3 {
        let mut event = nvmlEventData_t {
            device: Device::default(),
            eventType: 0,
            eventData: 0,
            gpuInstanceId: 0,
            computeInstanceId: 0,
        };
        let result = nvmlEventSetWait_v2(set, Out::new(&mut event), 5000);
        assert_eq!(result, Return::Success);
        events.push((event.eventType, event.eventData));
    }
    assert_eq!(events, [(2, 0), (8, 48), (8, 63)]);
    assert_eq!(
        (total(1, 0), total(1, 1), total(0, 0)),
        (Ok(1), Ok(1), Ok(0))
    );
    assert_eq!(rows(), Ok([0, 1, 1, 0]));
    let place =
        |place| value::<u64>(|out| nvmlDeviceGetMemoryErrorCounter(device, 1, 0, place, out));
    assert_eq!((place(2), place(7)), (Ok(1), Ok(0)));
    assert_eq!(place(0), Err(Return::NotSupported));
    assert_eq!(nvmlDeviceSetEccMode(device, 0), Return::Success);
    assert_eq!(mode(), Ok((1, 0)));
    nvml::reset(device).expect("reset");
    assert_eq!(mode(), Ok((0, 0)));
    assert_eq!(total(1, 1), Err(Return::NotSupported));
    assert_eq!(rows(), Ok([0, 1, 0, 0]));
    nvmlShutdown().ok().expect("shutdown");
}

#[test]
fn links_join_several_gpus() {
    let Some(_server) = TestServer::start(&["--gpu", "h100:8"]) else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let device = Device::new(3);
    let state = |link| value::<u32>(|out| nvmlDeviceGetNvLinkState(device, link, out));
    assert!((0..18).all(|link| state(link) == Ok(1)));
    assert_eq!(state(18), Err(Return::InvalidArgument));
    let kind = value::<u32>(|out| nvmlDeviceGetNvLinkRemoteDeviceType(device, 17, out));
    assert_eq!(kind, Ok(2));
    let version = value::<u32>(|out| nvmlDeviceGetNvLinkVersion(device, 0, out));
    assert_eq!(version, Ok(6));
    for capability in 0..5 {
        let status =
            value::<u32>(|out| nvmlDeviceGetP2PStatus(device, Device::new(7), capability, out));
        assert_eq!(status, Ok(0));
    }
    nvmlShutdown().ok().expect("shutdown");
}

#[test]
fn one_gpu_has_no_link_that_is_up_and_nobody_to_share_with() {
    let Some(_server) = TestServer::start(&[]) else {
        return;
    };
    nvmlInit_v2().ok().expect("init");
    let device = Device::new(0);
    let state = value::<u32>(|out| nvmlDeviceGetNvLinkState(device, 0, out));
    assert_eq!(state, Ok(0));
    let version = value::<u32>(|out| nvmlDeviceGetNvLinkVersion(device, 0, out));
    assert_eq!(version, Err(Return::NotSupported));
    let mut count = 5;
    assert_eq!(
        nvmlDeviceGetProcessUtilization(device, Opt::null(), Out::new(&mut count), 0),
        Return::NotFound
    );
    assert_eq!(count, 0);
    let (mut kind, mut one) = (9, 1);
    let mut sample = [nvmlSample_t {
        timeStamp: 0,
        sampleValue: 7,
    }];
    assert_eq!(
        nvmlDeviceGetSamples(
            device,
            1,
            0,
            Out::new(&mut kind),
            Out::new(&mut one),
            Opt::array(&mut sample)
        ),
        Return::Success
    );
    assert_eq!((kind, one, sample[0].sampleValue), (1, 1, 0));
    assert!(sample[0].timeStamp > 0);
    nvmlShutdown().ok().expect("shutdown");
}
