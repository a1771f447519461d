//! Blocks at the borders of a field and away from them: both forms of a kernel give every thread what its own indices
//! say, wherever the borders lie among the blocks, and where indices wrap.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests"
)]

use ptxjit::testing::{Dims, End, Span, compiled, launch, levels};

/// Index 0 lies in the middle of room for all 32-bit indices of 4 bytes.
const HALF: usize = 4 << 32;
const GRID: [u32; 3] = [4, 3, 1];
const BLOCK: [u32; 3] = [32, 8, 1];
/// What threads outside of the field leave behind.
const LEFT: u32 = 0x5eed_5eed;

const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry field(.param .u64 x, .param .u64 out, .param .u32 first, .param .u32 w, .param .u32 h)
{
    .reg .b64 %a<9>; .reg .b32 %tx, %ty, %bx, %by, %i, %j, %w, %h, %v, %s<20>, %n; .reg .b16 %k<4>;
    .reg .pred %p<9>;
    .shared .align 4 .b8 tile[1280];
    ld.param.u64 %a1, [x];
    ld.param.u64 %a2, [out];
    ld.param.u32 %n, [first];
    ld.param.u32 %w, [w];
    ld.param.u32 %h, [h];
    mov.u32 %tx, %tid.x;
    mov.u32 %ty, %tid.y;
    mov.u32 %bx, %ctaid.x;
    mov.u32 %by, %ctaid.y;
    mad.lo.s32 %i, %bx, 32, %tx;
    add.s32 %i, %i, %n;
    mad.lo.s32 %j, %by, 8, %ty;
    add.s32 %j, %j, -1;
    // In the field?
    or.b32 %s1, %i, %j;
    setp.gt.s32 %p1, %s1, -1;
    setp.lt.s32 %p2, %i, %w;
    and.pred %p1, %p1, %p2;
    setp.lt.s32 %p2, %j, %h;
    and.pred %p1, %p1, %p2;
    mov.u32 %v, 7;
    not.pred %p3, %p1;
    @%p3 bra filled;
    mad.lo.s32 %s2, %j, %w, %i;
    mul.wide.s32 %a3, %s2, 4;
    add.s64 %a3, %a1, %a3;
    ld.global.u32 %v, [%a3];
filled:
    // A tile with a rim of four to the left and right.
    mul.lo.u32 %s3, %ty, 160;
    shl.b32 %s4, %tx, 2;
    add.u32 %s5, %s3, %s4;
    mov.u32 %s6, tile;
    add.u32 %s5, %s6, %s5;
    st.shared.u32 [%s5+16], %v;
    setp.gt.u32 %p4, %tx, 3;
    @%p4 bra rim;
    st.shared.u32 [%s5], 11;
    st.shared.u32 [%s5+144], 13;
rim:
    bar.sync 0;
    setp.gt.s32 %p5, %i, 0;
    selp.b16 %k1, -1, 0, %p5;
    mul.wide.s16 %s7, %k1, 4;
    add.u32 %s7, %s5, %s7;
    ld.shared.u32 %s8, [%s7+16];
    add.s32 %s9, %w, -1;
    setp.ge.s32 %p6, %i, %s9;
    selp.u16 %k2, 0, 1, %p6;
    mul.wide.u16 %s10, %k2, 4;
    add.u32 %s10, %s5, %s10;
    ld.shared.u32 %s11, [%s10+16];
    mad.lo.u32 %v, %s11, 3, %s8;
    @%p3 bra done;
    // Clamped to the field.
    add.s32 %s12, %i, -1;
    max.s32 %s12, %s12, 0;
    min.s32 %s12, %s12, %s9;
    max.s32 %s13, %j, 0;
    mad.lo.s32 %s14, %s13, %w, %s12;
    mul.wide.s32 %a4, %s14, 4;
    add.s64 %a4, %a1, %a4;
    ld.global.u32 %s15, [%a4];
    mad.lo.u32 %v, %s15, 7, %v;
    // One thread before the end goes round to the start.
    add.s32 %s16, %i, 1;
    setp.eq.s32 %p7, %s16, %w;
    selp.b32 %s16, 0, %s16, %p7;
    mad.lo.s32 %s17, %j, %w, %s16;
    mul.wide.s32 %a5, %s17, 4;
    add.s64 %a5, %a1, %a5;
    ld.global.u32 %s18, [%a5];
    mad.lo.u32 %v, %s18, 15, %v;
    setp.lt.u32 %p8, %i, 5;
    @%p8 add.u32 %v, %v, 1000;
    mad.lo.u32 %s19, %by, 4, %bx;
    shl.b32 %s19, %s19, 8;
    mad.lo.u32 %s19, %ty, 32, %s19;
    add.u32 %s19, %s19, %tx;
    mul.wide.u32 %a6, %s19, 4;
    add.s64 %a6, %a2, %a6;
    setp.gt.u32 %p8, %tx, 1;
    setp.lt.u32 %p7, %tx, 29;
    and.pred %p7, %p7, %p8;
    @%p7 st.global.u32 [%a6], %v;
done:
    ret;
}
";

fn tag(x: i32) -> u32 {
    (x as u32).wrapping_mul(2_654_435_761) | 1
}

/// What the kernel writes, and which elements of the field it reads for that.
fn expected(first: i32, w: i32, h: i32) -> (Vec<u32>, Vec<i32>) {
    let (mut out, mut read) = (Vec::new(), Vec::new());
    for by in 0..GRID[1] as i32 {
        for bx in 0..GRID[0] as i32 {
            let place = |tx: i32, ty: i32| {
                let i = (bx * 32 + tx).wrapping_add(first);
                (i, by * 8 + ty - 1)
            };
            let inside = |(i, j): (i32, i32)| i >= 0 && j >= 0 && i < w && j < h;
            let index = |i: i32, j: i32| j.wrapping_mul(w).wrapping_add(i);
            let tile = |tx: i32, ty: i32| match tx {
                ..0 => 11,
                32.. => 13,
                tx if inside(place(tx, ty)) => {
                    let (i, j) = place(tx, ty);
                    tag(index(i, j))
                }
                _ => 7,
            };
            for ty in 0..8 {
                for tx in 0..32 {
                    let (i, j) = place(tx, ty);
                    if !inside((i, j)) {
                        out.push(LEFT);
                        continue;
                    }
                    read.push(index(i, j));
                    let west = tile(tx - i32::from(i > 0), ty);
                    let east = tile(tx + i32::from(i < w.wrapping_sub(1)), ty);
                    let clamped = index(i.wrapping_sub(1).max(0).min(w.wrapping_sub(1)), j.max(0));
                    let next = i.wrapping_add(1);
                    let round = index(if next == w { 0 } else { next }, j);
                    read.extend([clamped, round]);
                    let v = east.wrapping_mul(3).wrapping_add(west);
                    let v = tag(clamped).wrapping_mul(7).wrapping_add(v);
                    let v = tag(round).wrapping_mul(15).wrapping_add(v);
                    let v = v.wrapping_add(if (i as u32) < 5 { 1000 } else { 0 });
                    out.push(if (2..29).contains(&tx) { v } else { LEFT });
                }
            }
        }
    }
    (out, read)
}

#[test]
fn blocks_at_borders_and_within() {
    let most = i32::MAX;
    let fields = [
        (0, 128, 23),
        (-2, 125, 23),
        (-2, 60, 9),
        (-33, 1, 1),
        (3, 97, 100),
        (0, most, 1),
        (40, most, 2),
        (most - 100, most, 1),
        (most - 40, most - 20, 1),
        (i32::MIN, 64, 3),
        (-40, 0, 5),
        (1000, 2000, most),
    ];
    for level in levels() {
        for block in [BLOCK, [0; 3]] {
            let kernel = compiled(PTX, "field", level, block).unwrap();
            for (first, w, h) in fields {
                let what = format!("level {level} block {block:?} first {first} w {w} h {h}");
                let (wanted, read) = expected(first, w, h);
                let span = Span::new(HALF);
                for x in read {
                    span.write(4 * i64::from(x), tag(x));
                }
                let out = vec![LEFT; wanted.len()];
                let mut params = span.middle().to_le_bytes().to_vec();
                params.extend_from_slice(&(out.as_ptr() as u64).to_le_bytes());
                for n in [first, w, h] {
                    params.extend_from_slice(&n.to_le_bytes());
                }
                let dims = Dims {
                    grid: GRID,
                    block: BLOCK,
                    dynamic_shared: 0,
                };
                let end = launch(&kernel, dims, &params);
                assert_eq!(end, End::Done(String::new()), "{what}");
                assert_eq!(out, wanted, "{what}");
            }
        }
    }
}
