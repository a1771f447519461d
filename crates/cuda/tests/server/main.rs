//! The library against a kernel half and a GPU, through the C API. What is not built is said to be not judged.

mod setup;

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use cuda_abi::driver::*;
use setup::*;

#[test]
fn devices_answer_every_attribute() {
    let Some(_alone) = start() else { return };
    let mut count = 0;
    ok(cuDeviceGetCount(&mut count));
    assert_eq!(count, 1);
    for attribute in 1..=147 {
        let mut value = 0;
        ok(cuDeviceGetAttribute(
            &mut value,
            CUdevice_attribute(attribute),
            0,
        ));
    }
    let mut value = 0;
    ok(cuDeviceGetAttribute(
        &mut value,
        CUdevice_attribute::COMPUTE_CAPABILITY_MAJOR,
        0,
    ));
    assert_eq!(value, 9);
    assert_eq!(
        cuDeviceGetAttribute(&mut value, CUdevice_attribute(1), 7),
        CUresult::INVALID_DEVICE
    );
}

#[test]
fn copies_round_trip() {
    let Some(_alone) = start() else { return };
    primary();
    let data = pattern(3 << 20);
    let bytes = data.len() * 4;
    let (a, b) = (alloc(bytes), alloc(bytes));
    write(a, &data);
    assert!(read(a, data.len()) == data);
    ok(cuMemcpyDtoD_v2(b, a, bytes));
    assert!(read(b, data.len()) == data);

    let mut pinned = std::ptr::null_mut();
    ok(cuMemAllocHost_v2(&mut pinned, bytes));
    let s = stream(1);
    ok(cuMemcpyDtoHAsync_v2(pinned, b, bytes, s));
    ok(cuStreamSynchronize(s));
    // SAFETY: pinned memory of that size, which nothing writes now.
    assert!(unsafe { std::slice::from_raw_parts(pinned.cast::<u32>(), data.len()) } == data);
    ok(cuMemsetD8_v2(b, 0, bytes));
    // The stream does not wait for the legacy one.
    ok(cuCtxSynchronize());
    ok(cuMemcpyHtoDAsync_v2(b, pinned, bytes, s));
    // Pageable memory after it in the same stream, small and large.
    let small = [7_u32; 4];
    ok(cuMemcpyHtoDAsync_v2(b, small.as_ptr().cast(), 16, s));
    ok(cuStreamSynchronize(s));
    let back = read(b, data.len());
    assert_eq!(back[..4], small);
    assert!(back[4..] == data[4..]);
    ok(cuStreamDestroy_v2(s));
    ok(cuMemFreeHost(pinned));
    ok(cuMemFree_v2(a));
    ok(cuMemFree_v2(b));
}

#[test]
fn rectangles_and_fills() {
    let Some(_alone) = start() else { return };
    primary();
    let a = alloc(64 * 64 * 4);
    ok(cuMemsetD32_v2(a, 1, 64 * 64));
    ok(cuMemsetD2D32_v2(a + 4 * (64 * 2 + 3), 64 * 4, 2, 5, 6));
    let seen = read(a, 64 * 64);
    for (index, value) in seen.iter().enumerate() {
        let (x, y) = (index % 64, index / 64);
        assert_eq!(
            *value,
            if (3..8).contains(&x) && (2..8).contains(&y) {
                2
            } else {
                1
            },
            "{x},{y}"
        );
    }
    ok(cuMemsetD8_v2(a + 1, 0xab, 2));
    ok(cuMemsetD16_v2(a + 4, 0x1234, 3));
    assert_eq!(read(a, 3), [0x00ab_ab01, 0x1234_1234, 0x0000_1234]);
    assert_eq!(cuMemsetD32_v2(a + 2, 0, 1), CUresult::INVALID_VALUE);

    let mut window = [0_u32; 12];
    let copy = CUDA_MEMCPY2D {
        srcXInBytes: 12,
        srcY: 2,
        srcMemoryType: CUmemorytype::DEVICE,
        srcHost: In::NULL,
        srcDevice: a,
        srcArray: CUarray::NULL,
        srcPitch: 256,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: CUmemorytype::HOST,
        dstHost: Out::new(window.as_mut_ptr().expose_provenance()),
        dstDevice: 0,
        dstArray: CUarray::NULL,
        dstPitch: 24,
        WidthInBytes: 20,
        Height: 2,
    };
    ok(cuMemcpy2D_v2(&copy));
    assert_eq!(window, [2, 2, 2, 2, 2, 0, 2, 2, 2, 2, 2, 0]);
    ok(cuMemFree_v2(a));
}

#[test]
fn allocations_and_their_errors() {
    let Some(_alone) = start() else { return };
    primary();
    let (a, b) = (alloc(16), alloc(16));
    assert_eq!(b - a, 0x200, "512 bytes apart in one chunk");
    let mut none = 0;
    assert_eq!(cuMemAlloc_v2(&mut none, 0), CUresult::INVALID_VALUE);
    assert_eq!(cuMemAlloc_v2(&mut none, 1 << 45), CUresult::OUT_OF_MEMORY);
    assert_eq!(none, 0, "out-parameters are written on success only");
    assert_eq!(cuMemFree_v2(a + 4), CUresult::INVALID_VALUE);
    ok(cuMemFree_v2(0));
    let data = [0_u32; 5];
    assert_eq!(
        cuMemcpyHtoD_v2(a, data.as_ptr().cast(), 20),
        CUresult::INVALID_VALUE,
        "beyond the allocation"
    );
    assert_eq!(
        cuMemcpyHtoD_v2(a, std::ptr::null(), 4),
        CUresult::INVALID_VALUE
    );
    let (mut free, mut total) = (0, 0);
    ok(cuMemGetInfo_v2(&mut free, &mut total));
    let big = alloc(64 << 20);
    let mut less = 0;
    ok(cuMemGetInfo_v2(&mut less, &mut total));
    assert!(free - less >= 64 << 20 && less < total);
    let mut kind = 0_u32;
    let at = std::ptr::from_mut(&mut kind).cast::<c_void>();
    ok(cuPointerGetAttribute(
        at,
        CUpointer_attribute::MEMORY_TYPE,
        big + 100,
    ));
    assert_eq!(kind, 2);
    ok(cuMemFree_v2(big));
    assert_eq!(cuMemFree_v2(big), CUresult::INVALID_VALUE, "freed already");
    assert_eq!(
        cuPointerGetAttribute(at, CUpointer_attribute::MEMORY_TYPE, big),
        CUresult::INVALID_VALUE
    );
}

#[test]
fn host_memory_that_the_gpu_reaches() {
    let Some(_alone) = start() else { return };
    primary();
    let data = pattern(5000);
    let device = alloc(20_000);
    let s = stream(0);
    let mut heap = data.clone();
    let at: *mut c_void = heap.as_mut_ptr().cast();
    ok(cuMemHostRegister_v2(at, 20_000, 0));
    assert_eq!(
        cuMemHostRegister_v2(at, 4, 0),
        CUresult::HOST_MEMORY_ALREADY_REGISTERED
    );
    ok(cuMemcpyHtoDAsync_v2(device, at, 20_000, s));
    ok(cuStreamSynchronize(s));
    assert!(read(device, 5000) == data);
    ok(cuMemHostUnregister(at));
    assert_eq!(
        cuMemHostUnregister(at),
        CUresult::HOST_MEMORY_NOT_REGISTERED
    );
    assert!(heap == data);

    let mut managed = 0;
    ok(cuMemAllocManaged(&mut managed, 20_000, 1));
    let view: *mut u32 =
        std::ptr::with_exposed_provenance_mut(usize::try_from(managed).expect("fits"));
    // SAFETY: managed memory of that size is the program's to write while the GPU is idle.
    unsafe { view.copy_from_nonoverlapping(data.as_ptr(), 5000) };
    ok(cuMemsetD32_v2(device, 0, 5000));
    ok(cuMemcpyDtoD_v2(device, managed, 20_000));
    ok(cuCtxSynchronize());
    assert!(read(device, 5000) == data);
    ok(cuMemFree_v2(managed));
    ok(cuStreamDestroy_v2(s));
}

#[test]
fn streams_and_events_keep_order() {
    let Some(_alone) = start() else { return };
    primary();
    let a = alloc(1 << 20);
    let streams: Vec<_> = (0..40).map(|i| stream(i & 1)).collect();
    let mut event = CUevent::NULL;
    ok(cuEventCreate(&mut event, 0));
    // Each stream waits for the one before: the last value wins although the streams share channels.
    for (i, s) in streams.iter().enumerate() {
        if i > 0 {
            ok(cuStreamWaitEvent(*s, event, 0));
        }
        ok(cuMemsetD32Async(
            a,
            u32::try_from(i).expect("small"),
            1 << 18,
            *s,
        ));
        ok(cuEventRecord(event, *s));
    }
    ok(cuEventSynchronize(event));
    assert!(read(a, 1 << 18).iter().all(|v| *v == 39));
    // The legacy stream waits for blocking streams, and they for it.
    ok(cuMemsetD32Async(a, 100, 1 << 18, streams[0]));
    ok(cuMemsetD32Async(a, 101, 1 << 18, CUstream::NULL));
    ok(cuMemsetD32Async(a, 102, 1 << 10, streams[2]));
    ok(cuStreamSynchronize(streams[2]));
    let seen = read(a, 1 << 18);
    assert!(seen[..1 << 10].iter().all(|v| *v == 102) && seen[1 << 10..].iter().all(|v| *v == 101));
    let mut end = CUevent::NULL;
    ok(cuEventCreate(&mut end, 0));
    ok(cuEventRecord(end, streams[0]));
    ok(cuEventSynchronize(end));
    let mut milliseconds = -1.0;
    ok(cuEventElapsedTime_v2(&mut milliseconds, event, end));
    assert!(milliseconds > 0.0 && milliseconds < 60_000.0);
    for s in streams {
        ok(cuStreamQuery(s));
        ok(cuStreamDestroy_v2(s));
        assert_eq!(cuStreamSynchronize(s), CUresult::INVALID_HANDLE);
    }
    ok(cuEventDestroy_v2(event));
    assert_eq!(
        cuEventRecord(event, CUstream::NULL),
        CUresult::INVALID_HANDLE
    );
    assert_eq!(
        cuStreamSynchronize(CUstream(0x1234_5678)),
        CUresult::INVALID_HANDLE
    );
}

static CALLED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn count(data: Out<c_void>) {
    let order = CALLED.fetch_add(1, Ordering::SeqCst);
    assert_eq!(u32::try_from(data.addr()), Ok(order));
}

#[test]
fn host_functions_run_in_order() {
    let Some(_alone) = start() else { return };
    primary();
    let s = stream(1);
    let a = alloc(1 << 16);
    for i in 0..20 {
        ok(cuMemsetD32Async(a, i, 1 << 14, s));
        ok(cuLaunchHostFunc(
            s,
            Some(count),
            std::ptr::without_provenance_mut(i as usize),
        ));
    }
    ok(cuStreamSynchronize(s));
    assert_eq!(CALLED.load(Ordering::SeqCst), 20);
    assert_eq!(
        cuLaunchHostFunc(s, None, std::ptr::null_mut()),
        CUresult::INVALID_VALUE
    );
}

#[test]
fn pools_reuse_in_stream_order() {
    let Some(_alone) = start() else { return };
    primary();
    let s = stream(1);
    let (mut a, mut b) = (0, 0);
    ok(cuMemAllocAsync(&mut a, 1000, s));
    ok(cuMemsetD32Async(a, 5, 250, s));
    ok(cuMemFreeAsync(a, s));
    ok(cuMemAllocAsync(&mut b, 1000, s));
    assert_eq!(a, b, "the same stream gets the same block");
    ok(cuMemFreeAsync(b, s));
    ok(cuStreamSynchronize(s));
    assert_eq!(cuMemFreeAsync(b, s), CUresult::INVALID_VALUE);
}

#[test]
fn contexts_come_and_go() {
    let Some(_alone) = start() else { return };
    let mut context = CUcontext::NULL;
    ok(cuCtxCreate_v2(&mut context, 0, 0));
    let mut current = CUcontext::NULL;
    ok(cuCtxGetCurrent(&mut current));
    assert_eq!(current, context);
    let a = alloc(100);
    let s = stream(0);
    ok(cuCtxPopCurrent_v2(&mut current));
    let mut none = 0;
    assert_eq!(cuMemAlloc_v2(&mut none, 4), CUresult::INVALID_CONTEXT);
    ok(cuCtxPushCurrent_v2(context));
    ok(cuMemFree_v2(a));
    ok(cuCtxDestroy_v2(context));
    assert_eq!(cuCtxDestroy_v2(context), CUresult::INVALID_CONTEXT);
    assert_eq!(cuCtxSetCurrent(context), CUresult::INVALID_CONTEXT);
    assert_eq!(cuStreamSynchronize(s), CUresult::INVALID_HANDLE);
    assert_eq!(cuMemAlloc_v2(&mut none, 4), CUresult::INVALID_CONTEXT);

    let primary_context = primary();
    let a = alloc(100);
    ok(cuDevicePrimaryCtxReset_v2(0));
    assert_eq!(cuMemAlloc_v2(&mut none, 4), CUresult::CONTEXT_IS_DESTROYED);
    assert_eq!(primary(), primary_context, "the handle stays");
    assert_eq!(
        cuMemFree_v2(a),
        CUresult::INVALID_VALUE,
        "its memory is gone"
    );
    alloc(100);
    ok(cuDevicePrimaryCtxRelease_v2(0));
}

const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter = 41;
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 n) {
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    cvt.u64.u32 %rd4, %r4;
    setp.ge.u64 %p1, %rd4, %rd3;
    @%p1 bra DONE;
    shl.b64 %rd5, %rd4, 2;
    add.u64 %rd6, %rd1, %rd5;
    add.u64 %rd7, %rd2, %rd5;
    ld.global.u32 %r5, [%rd6];
    ld.global.u32 %r6, [%rd7];
    add.u32 %r7, %r5, %r6;
    st.global.u32 [%rd6], %r7;
DONE:
    ret;
}
.visible .entry count() {
    .reg .b32 %r<2>;
    ld.global.u32 %r1, [counter];
    add.u32 %r1, %r1, 1;
    st.global.u32 [counter], %r1;
    ret;
}
";

#[test]
fn kernels_run_and_faults_stick() {
    let Some(_alone) = start() else { return };
    if !has_compiler() {
        eprintln!("not judged: the compiler is not built");
        return;
    }
    primary();
    let module = module(PTX).expect("loads");
    let add = function(module, "add");
    let data = pattern(10_000);
    let (a, b) = (alloc(40_000), alloc(40_000));
    write(a, &data);
    ok(cuMemsetD32_v2(b, 1, 10_000));
    for _ in 0..3 {
        ok(launch(add, 40, 256, CUstream::NULL, &[a, b, 10_000]));
    }
    let expected: Vec<_> = data.iter().map(|v| v.wrapping_add(3)).collect();
    assert!(read(a, 10_000) == expected);

    let (mut counter, mut bytes) = (0, 0);
    ok(cuModuleGetGlobal_v2(
        &mut counter,
        &mut bytes,
        module,
        c"counter".as_ptr(),
    ));
    assert_eq!((read(counter, 1)[0], bytes), (41, 4));
    ok(launch(function(module, "count"), 1, 1, CUstream::NULL, &[]));
    assert_eq!(read(counter, 1)[0], 42);
    assert_eq!(
        launch(add, 1, 2048, CUstream::NULL, &[a, b, 1]),
        CUresult::INVALID_VALUE
    );
    assert_eq!(
        launch(add, 0, 1, CUstream::NULL, &[a, b, 1]),
        CUresult::INVALID_VALUE
    );
    // Errors of a configuration do not stick.
    ok(cuCtxSynchronize());

    ok(launch(add, 1, 32, CUstream::NULL, &[0x1000, b, 32]));
    assert_eq!(cuCtxSynchronize(), CUresult::ILLEGAL_ADDRESS);
    assert_eq!(cuMemFree_v2(a), CUresult::ILLEGAL_ADDRESS);
    let mut none = 0;
    assert_eq!(cuMemAlloc_v2(&mut none, 4), CUresult::ILLEGAL_ADDRESS);
    ok(cuDevicePrimaryCtxReset_v2(0));
    primary();
    let c = alloc(64);
    ok(cuMemsetD32_v2(c, 9, 16));
    assert_eq!(read(c, 16), [9; 16]);
    assert_eq!(cuModuleUnload(module), CUresult::INVALID_HANDLE);
}

#[test]
fn linked_ptx_loads() {
    let Some(_alone) = start() else { return };
    if !has_compiler() {
        eprintln!("not judged: the compiler is not built");
        return;
    }
    primary();
    let text = std::ffi::CString::new(PTX).expect("no NUL");
    let none = std::ptr::null();
    let mut state = CUlinkState::NULL;
    ok(cuLinkCreate_v2(0, none, none, &mut state));
    let kind = CUjitInputType::INPUT_PTX;
    let (data, bytes) = (text.as_ptr().cast(), text.as_bytes_with_nul().len());
    ok(cuLinkAddData_v2(
        state,
        kind,
        data,
        bytes,
        std::ptr::null(),
        0,
        none,
        none,
    ));
    let (mut image, mut size) = (none, 0);
    ok(cuLinkComplete(state, &mut image, &mut size));
    let mut module = CUmodule::NULL;
    ok(cuModuleLoadData(&mut module, image));
    assert!(size > 0);
    function(module, "count");
    ok(cuLinkDestroy(state));
    ok(cuModuleUnload(module));
}

#[test]
fn streams_wait_for_values() {
    let Some(_alone) = start() else { return };
    primary();
    let (a, s, t) = (alloc(64), stream(1), stream(1));
    ok(cuMemsetD32_v2(a, 0, 16));
    ok(cuCtxSynchronize());
    ok(cuStreamWaitValue32_v2(s, a, 5, 0));
    ok(cuMemsetD32Async(a + 4, 7, 1, s));
    assert_eq!(cuStreamQuery(s), CUresult::NOT_READY);
    ok(cuStreamWriteValue32_v2(t, a, 5, 0));
    ok(cuStreamSynchronize(s));
    assert_eq!(read(a, 2), [5, 7]);
    assert_eq!(
        cuStreamWaitValue32_v2(s, a + 2, 5, 0),
        CUresult::INVALID_VALUE
    );
}

#[test]
fn bad_images_have_their_codes() {
    let Some(_alone) = start() else { return };
    primary();
    assert_eq!(
        module(".version 8.0\n.target sm_80\n.address_size 64\n.entry x() { nonsense; }\n"),
        Err(CUresult::INVALID_PTX)
    );
    assert_eq!(module("hello"), Err(CUresult::INVALID_IMAGE));
    let elf = [0x7f, b'E', b'L', b'F', 2, 1, 1, 0x33]
        .into_iter()
        .chain([0; 120])
        .collect::<Vec<u8>>();
    let mut module = CUmodule::NULL;
    let result = cuModuleLoadData(&mut module, elf.as_ptr().cast());
    assert!(
        [CUresult::NO_BINARY_FOR_GPU, CUresult::INVALID_IMAGE].contains(&result),
        "{result:?}"
    );
    assert_eq!(
        cuModuleLoadData(&mut module, std::ptr::null()),
        CUresult::INVALID_VALUE
    );
}
