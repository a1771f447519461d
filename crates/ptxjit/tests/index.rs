//! Indices of 32 bits that wrap between neighbouring lanes before they are sign-extended: every lane reaches its own
//! place, 2^32 elements from where its neighbours would make one expect it.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests"
)]

use ptxjit::testing::{Dims, End, Loaded, Span, compiled, launch, levels};
use std::sync::Arc;

/// Bytes on each side of index 0: indices of 4 bytes from -2^31 to 2^31, and what may lie past them.
const HALF: usize = (4 << 31) + (1 << 16);

const PTX: &str = r"
.version 8.0
.target sm_80
.address_size 64
.visible .entry access(.param .u64 x, .param .u64 out, .param .u32 first)
{
    .reg .b64 %d<20>; .reg .b32 %r<20>; .reg .pred %p<4>;
    .shared .align 4 .b8 s[256];
    ld.param.u64 %d1, [x];
    ld.param.u64 %d2, [out];
    ld.param.u32 %r1, [first];
    mov.u32 %r2, %tid.x;
    add.s32 %r3, %r1, %r2;
    mul.wide.s32 %d3, %r3, 4;
    add.s64 %d4, %d1, %d3;
    // Load and store; the address lives on across a barrier.
    ld.global.u32 %r4, [%d4];
    shl.b32 %r10, %r2, 2;
    mov.u32 %r11, s;
    add.s32 %r11, %r11, %r10;
    st.shared.u32 [%r11], %r4;
    bar.sync 0;
    ld.shared.u32 %r4, [%r11];
    add.u32 %r5, %r4, 1;
    st.global.u32 [%d4], %r5;
    // The extended index as a number.
    cvt.s64.s32 %d5, %r3;
    mul.wide.u32 %d6, %r2, 8;
    add.s64 %d7, %d2, %d6;
    st.global.u64 [%d7], %d5;
    // A pointer that goes round in a loop.
    mov.u32 %r6, 0;
loop:
    ld.global.u32 %r7, [%d4+32768];
    add.u32 %r7, %r7, 16;
    setp.lt.u32 %p1, %r2, 64;
    @%p1 st.global.u32 [%d4+32768], %r7;
    add.s64 %d4, %d4, 4096;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 3;
    @%p2 bra loop;
    // One byte, an atomic, and a comparison of what was extended.
    add.s64 %d8, %d1, %d3;
    ld.global.u8 %r8, [%d8+12289];
    st.global.u8 [%d8+12290], %r8;
    red.global.add.u32 [%d8+16384], 5;
    setp.lt.s64 %p3, %d5, 0;
    selp.u32 %r9, 1, 0, %p3;
    st.global.u32 [%d8+20480], %r9;
    ret;
}
";

fn parameters(span: &Span, out: &[u64], first: i32) -> Vec<u8> {
    let mut bytes = span.middle().to_le_bytes().to_vec();
    bytes.extend_from_slice(&(out.as_ptr() as u64).to_le_bytes());
    bytes.extend_from_slice(&first.to_le_bytes());
    bytes
}

fn prepare(level: u32, block: u32, specialised: bool) -> Arc<Loaded> {
    let shape = if specialised { [block, 1, 1] } else { [0; 3] };
    compiled(PTX, "access", level, shape).unwrap()
}

fn run(kernel: &Arc<Loaded>, what: &str, block: u32, first: i32) {
    let span = Span::new(HALF);
    let out = vec![0u64; block as usize];
    let index = |lane: u32| first.wrapping_add(lane as i32);
    for lane in 0..block {
        span.write(4 * i64::from(index(lane)), 100 + lane);
        span.write(4 * i64::from(index(lane)) + 12288, 0x0102_0300 + lane);
    }
    let dims = Dims {
        grid: [1, 1, 1],
        block: [block, 1, 1],
        dynamic_shared: 0,
    };
    let end = launch(kernel, dims, &parameters(&span, &out, first));
    let what = format!("{what} first {first}");
    assert_eq!(end, End::Done(String::new()), "{what}");
    for lane in 0..block {
        let i = index(lane);
        let read = |bytes| span.read(4 * i64::from(i) + bytes);
        assert_eq!(
            out[lane as usize],
            i64::from(i) as u64,
            "{what} lane {lane}"
        );
        assert_eq!(read(0), 101 + lane, "{what} lane {lane}");
        for round in 0..3 {
            assert_eq!(
                read(32768 + 4096 * round),
                16,
                "{what} lane {lane} round {round}"
            );
        }
        assert_eq!(read(12288), 0x0103_0300 + lane, "{what} lane {lane}");
        assert_eq!(read(16384), 5, "{what} lane {lane}");
        assert_eq!(read(20480), u32::from(i < 0), "{what} lane {lane}");
    }
}

#[test]
fn every_lane_reaches_its_own_place() {
    for level in levels() {
        for (block, specialised) in [(64, true), (50, false), (32, true)] {
            let kernel = prepare(level, block, specialised);
            let what = format!("level {level} block {block} specialised {specialised}");
            for first in [i32::MAX - 5, i32::MAX - 40, i32::MAX, 7, i32::MIN] {
                run(&kernel, &what, block, first);
            }
        }
    }
}
