//! Lanes of one warp that wait for each other: the part of a kernel that runs lane by lane, and the code around it.
#![expect(clippy::unwrap_used, reason = "tests")]

use ptxjit::testing::{Dims, End, compiled, launch, levels};
use std::collections::HashMap;

/// Every thread takes a lock, counts under it, and frees it after the loop; one in eight ends right there. What was
/// computed before the loop, in it and under the lock is used after the warp has met again.
const LOCK: &str = r"
.version 8.0
.target sm_80
.address_size 64
.visible .entry lock(.param .u64 mutex, .param .u64 count, .param .u64 data)
{
    .reg .b64 %d<10>; .reg .b32 %r<20>; .reg .pred %p<5>;
    .local .align 4 .b8 own[16];
    ld.param.u64 %d1, [mutex];
    ld.param.u64 %d2, [count];
    ld.param.u64 %d3, [data];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %d4, %r4, 4;
    add.u64 %d5, %d3, %d4;
    ld.global.u32 %r5, [%d5];
    st.local.u32 [own+4], %r5;
    mov.u32 %r6, 0;
again:
    add.u32 %r6, %r6, 1;
    atom.global.cas.b32 %r7, [%d1], 0, 1;
    setp.ne.u32 %p1, %r7, 0;
    @%p1 bra again;
    ld.volatile.global.u32 %r8, [%d2];
    add.u32 %r9, %r8, 1;
    st.volatile.global.u32 [%d2], %r9;
    membar.gl;
    st.volatile.global.u32 [%d1], 0;
    and.b32 %r10, %r1, 7;
    setp.eq.u32 %p2, %r10, 5;
    @%p2 exit;
    bar.warp.sync 0xffffffff;
    ld.local.u32 %r11, [own+4];
    setp.gt.u32 %p3, %r6, 0;
    selp.u32 %r12, %r8, 0xffff, %p3;
    shl.b32 %r13, %r11, 16;
    or.b32 %r13, %r13, %r12;
    st.global.u32 [%d5], %r13;
    ret;
}
";

/// A lane goes on once the lane before it has; the last value goes through the warp, in a loop around the wait.
const CHAIN: &str = r"
.version 8.0
.target sm_80
.address_size 64
.visible .entry chain(.param .u64 flags, .param .u64 data)
{
    .reg .b64 %d<10>; .reg .b32 %r<20>; .reg .pred %p<5>;
    ld.param.u64 %d1, [flags];
    ld.param.u64 %d2, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d3, %r1, 4;
    add.u64 %d4, %d1, %d3;
    add.u64 %d5, %d2, %d3;
    mov.u32 %r2, 0;
    mov.u32 %r9, 0;
round:
    add.u32 %r2, %r2, 1;
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r3, 0;
    @%p1 bra mine;
wait:
    ld.acquire.gpu.global.u32 %r3, [%d4+-4];
    setp.lt.u32 %p2, %r3, %r2;
    @%p2 bra wait;
mine:
    add.u32 %r9, %r9, %r3;
    st.release.gpu.global.u32 [%d4], %r2;
    bar.warp.sync 0xffffffff;
    shfl.sync.idx.b32 %r4, %r9, 31, 31, 0xffffffff;
    add.u32 %r9, %r9, %r4;
    setp.lt.u32 %p3, %r2, 3;
    @%p3 bra round;
    st.global.u32 [%d5], %r9;
    ret;
}
";

/// Warps that wait by the clock alone, and note when they began and ended.
const CLOCK: &str = r"
.version 8.0
.target sm_80
.address_size 64
.visible .entry clocks(.param .u64 times, .param .u64 length)
{
    .reg .b64 %d<12>; .reg .b32 %r<4>; .reg .pred %p<2>;
    ld.param.u64 %d1, [times];
    ld.param.u64 %d2, [length];
    mov.u64 %d3, %clock64;
wait:
    mov.u64 %d4, %clock64;
    sub.s64 %d5, %d4, %d3;
    setp.lt.s64 %p1, %d5, %d2;
    @%p1 bra wait;
    mov.u32 %r1, %tid.x;
    shr.u32 %r1, %r1, 5;
    mul.wide.u32 %d6, %r1, 16;
    add.u64 %d7, %d1, %d6;
    st.global.v2.u64 [%d7], {%d3, %d4};
    ret;
}
";

fn run(ptx: &str, name: &str, level: u32, grid: u32, block: u32, params: &[u64]) {
    for shape in [[block, 1, 1], [0; 3]] {
        let kernel = compiled(ptx, name, level, shape).unwrap();
        let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        let dims = Dims {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
        };
        assert_eq!(launch(&kernel, dims, &bytes), End::Done(String::new()));
        if shape[0] == 0 {
            return;
        }
        // The second run starts from what the first left.
    }
}

#[test]
fn a_lock_that_lanes_take() {
    for level in levels() {
        let (grid, block) = (3, 96);
        let threads = grid * block;
        let mutex = [0u32; 1];
        let count = [0u32; 1];
        let data: Vec<u32> = (0..threads).collect();
        let params = [
            mutex.as_ptr() as u64,
            count.as_ptr() as u64,
            data.as_ptr() as u64,
        ];
        run(LOCK, "lock", level, grid, block, &params);
        let read = |slice: &[u32], i: u32| {
            // SAFETY: an element of a slice that the kernel wrote to.
            unsafe { (&raw const slice[i as usize]).read_volatile() }
        };
        // Two runs.
        assert_eq!(read(&count, 0), 2 * threads);
        assert_eq!(read(&mutex, 0), 0);
        let mut seen = HashMap::new();
        for i in 0..threads {
            let value = read(&data, i);
            if i % 8 == 5 {
                assert_eq!(value, i);
                continue;
            }
            // The first run's number lies in the low half of what the second found, and is gone; the second's is there.
            assert!(
                (threads..2 * threads).contains(&(value & 0xffff)),
                "{i}: {value:#x}"
            );
            assert!(seen.insert(value & 0xffff, i).is_none());
        }
    }
}

#[test]
fn lanes_in_a_chain() {
    for level in levels() {
        let flags = [0u32; 32];
        let data = [0u32; 32];
        let params = [flags.as_ptr() as u64, data.as_ptr() as u64];
        let mut own = [0u64; 32];
        for round in 1..=3u64 {
            for (lane, own) in own.iter_mut().enumerate() {
                *own += if lane == 0 { 0 } else { round };
            }
            let last = own[31];
            own.iter_mut().for_each(|own| *own += last);
        }
        // Flags that are up already make nobody wait: only the first run is of interest.
        let kernel = compiled(CHAIN, "chain", level, [32, 1, 1]).unwrap();
        let bytes: Vec<u8> = params.iter().flat_map(|p| p.to_le_bytes()).collect();
        let dims = Dims {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            dynamic_shared: 0,
        };
        assert_eq!(launch(&kernel, dims, &bytes), End::Done(String::new()));
        for lane in 0..32 {
            // SAFETY: an element of an array that the kernel wrote to.
            let value = unsafe { (&raw const data[lane]).read_volatile() };
            assert_eq!(u64::from(value), own[lane], "lane {lane}");
        }
    }
}

#[test]
fn warps_wait_by_the_clock_together() {
    for level in levels() {
        let times = [0u64; 8];
        let length = 40_000_000;
        run(
            CLOCK,
            "clocks",
            level,
            1,
            128,
            &[times.as_ptr() as u64, length],
        );
        // SAFETY: an array that the kernel wrote to.
        let times = unsafe { (&raw const times).read_volatile() };
        let (begun, ended) = (times.iter().step_by(2), times.iter().skip(1).step_by(2));
        assert!(begun.max() < ended.min(), "{times:?}");
    }
}
