//! Indices that are consecutive but at the borders of a field: clamped, chosen, or going round. Every lane reaches the
//! place that its own index says, wherever the border lies among the lanes, and where indices wrap.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests"
)]

use ptxjit::testing::{Dims, End, Span, compiled, launch, levels};
use std::fmt::Write;

/// Index 0 lies in the middle of room for all 32-bit indices of 4 bytes.
const HALF: usize = 4 << 32;

/// An index from `%i` and `%w`: in PTX, into `%x`, and as it must be.
struct Form(&'static str, fn(i32, i32) -> i32);

const FORMS: [Form; 16] = [
    Form(
        "add.s32 %x, %i, -1; max.s32 %x, %x, 0; add.s32 %y, %w, -1; min.s32 %x, %x, %y;",
        |i, w| i.wrapping_sub(1).max(0).min(w.wrapping_sub(1)),
    ),
    Form(
        "add.s32 %x, %i, 1; add.s32 %y, %w, -1; min.s32 %x, %x, %y;",
        |i, w| i.wrapping_add(1).min(w.wrapping_sub(1)),
    ),
    Form("max.u32 %x, %i, %w;", |i, w| {
        (i as u32).max(w as u32) as i32
    }),
    Form("min.u32 %x, %w, %i;", |i, w| {
        (i as u32).min(w as u32) as i32
    }),
    Form(
        "setp.lt.s32 %p, %i, 0; setp.eq.s32 %q, %i, %w; selp.b32 %x, 0, %i, %q; \
         add.s32 %y, %w, -1; selp.b32 %x, %y, %x, %p;",
        |i, w| {
            if i < 0 {
                w.wrapping_sub(1)
            } else if i == w {
                0
            } else {
                i
            }
        },
    ),
    Form("and.b32 %x, %i, 63;", |i, _| i & 63),
    Form("and.b32 %x, %i, 15;", |i, _| i & 15),
    Form("rem.s32 %x, %i, %w;", |i, w| {
        if w == 0 { i } else { i.wrapping_rem(w) }
    }),
    Form("rem.u32 %x, %i, %w; and.b32 %x, %x, 0x7fffffff;", |i, w| {
        let r = if w == 0 {
            i as u32
        } else {
            i as u32 % w as u32
        };
        (r & 0x7fff_ffff) as i32
    }),
    Form(
        "setp.ge.s32 %p, %i, 5; setp.le.and.s32 %q, %i, %w, %p; add.s32 %y, %i, -5; selp.b32 %x, %y, 7, %q;",
        |i, w| {
            if i >= 5 && i <= w {
                i.wrapping_sub(5)
            } else {
                7
            }
        },
    ),
    Form(
        "setp.lt.u32 %p, %i, 9; setp.gt.or.u32 %q, %i, %w, %p; selp.b32 %x, 3, %i, %q;",
        |i, w| {
            if (i as u32) < 9 || i as u32 > w as u32 {
                3
            } else {
                i
            }
        },
    ),
    Form(
        "setp.ne.s32 %p, %i, %w; add.s32 %y, %i, 100; selp.b32 %x, %i, %y, %p;",
        |i, w| if i == w { i.wrapping_add(100) } else { i },
    ),
    // A step to the side as a number of 16 bits.
    Form(
        "setp.lt.s32 %p, %i, %w; selp.u16 %h, 1, 0, %p; mul.wide.u16 %y, %h, 3; add.s32 %x, %i, %y;",
        |i, w| if i < w { i.wrapping_add(3) } else { i },
    ),
    Form(
        "setp.gt.s32 %p, %i, %w; selp.b16 %h, -1, 0, %p; cvt.s32.s16 %y, %h; add.s32 %x, %i, %y;",
        |i, w| if i > w { i.wrapping_sub(1) } else { i },
    ),
    // Backwards, and both ways of one choice consecutive.
    Form(
        "neg.s32 %y, %i; sub.s32 %x, %w, %y; setp.gt.s32 %p, %x, %i; selp.b32 %x, %x, %i, %p;",
        |i, w| {
            let x = w.wrapping_add(i);
            if x > i { x } else { i }
        },
    ),
    Form(
        "sub.s32 %y, 31, %i; max.s32 %y, %y, %w; sub.s32 %x, 31, %y;",
        |i, w| 31i32.wrapping_sub(31i32.wrapping_sub(i).max(w)),
    ),
];

fn ptx() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
.visible .entry borders(.param .u64 x, .param .u64 out, .param .u32 first, .param .u32 w, .param .u32 few)
{
    .reg .b64 %a<20>; .reg .b32 %t, %i, %w, %x, %y, %v, %f; .reg .b16 %h; .reg .pred %p, %q, %r;
    ld.param.u64 %a1, [x];
    ld.param.u64 %a2, [out];
    ld.param.u32 %i, [first];
    ld.param.u32 %w, [w];
    ld.param.u32 %f, [few];
    mov.u32 %t, %tid.x;
    add.s32 %i, %i, %t;
    mul.wide.u32 %a3, %t, 4;
    add.s64 %a3, %a2, %a3;
    setp.ge.u32 %r, %t, %f;
    @%r bra done;
",
    );
    for (n, form) in FORMS.iter().enumerate() {
        write!(
            text,
            "    {}\n    mul.wide.s32 %a4, %x, 4;\n    add.s64 %a4, %a1, %a4;\n    ld.global.u32 %v, [%a4];\n    \
st.global.u32 [%a3+{}], %v;\n",
            form.0,
            n * 256
        )
        .unwrap();
    }
    text.push_str("    min.u32 %x, %i, %w; mul.wide.u32 %a5, %x, 4; add.s64 %a5, %a1, %a5;\n");
    text.push_str("    ld.global.u32 %v, [%a5];\n    st.global.u32 [%a3+");
    write!(text, "{}], %v;\ndone:\n    ret;\n}}\n", FORMS.len() * 256).unwrap();
    text
}

#[test]
fn every_lane_reaches_its_own_place() {
    let ptx = ptx();
    for level in levels() {
        for shape in [[64, 1, 1], [0; 3]] {
            let kernel = compiled(&ptx, "borders", level, shape).unwrap();
            for first in [0, -3, -40, 1000, i32::MAX - 5, i32::MAX - 40, i32::MIN, -2] {
                for w in [
                    first.wrapping_add(20),
                    64,
                    1000,
                    40,
                    1,
                    0,
                    -1,
                    i32::MAX,
                    i32::MIN,
                ] {
                    for few in [64, 45, 1] {
                        let what =
                            format!("level {level} shape {shape:?} first {first} w {w} few {few}");
                        let span = Span::new(HALF);
                        let index = |lane: u32| first.wrapping_add(lane as i32);
                        let tag = |x: i64| (x as u32).wrapping_mul(2_654_435_761) | 1;
                        for lane in 0..few {
                            for form in &FORMS {
                                let x = i64::from((form.1)(index(lane), w));
                                span.write(4 * x, tag(x));
                            }
                            let x = i64::from((index(lane) as u32).min(w as u32));
                            span.write(4 * x, tag(x));
                        }
                        let out = vec![0u32; (FORMS.len() + 1) * 64];
                        let mut params = span.middle().to_le_bytes().to_vec();
                        params.extend_from_slice(&(out.as_ptr() as u64).to_le_bytes());
                        params.extend_from_slice(&first.to_le_bytes());
                        params.extend_from_slice(&w.to_le_bytes());
                        params.extend_from_slice(&few.to_le_bytes());
                        let dims = Dims {
                            grid: [1; 3],
                            block: [64, 1, 1],
                            dynamic_shared: 0,
                        };
                        let end = launch(&kernel, dims, &params);
                        assert_eq!(end, End::Done(String::new()), "{what}");
                        let read = |n: usize, lane: u32| out[n * 64 + lane as usize];
                        for lane in 0..few {
                            for (n, form) in FORMS.iter().enumerate() {
                                let x = i64::from((form.1)(index(lane), w));
                                assert_eq!(read(n, lane), tag(x), "{what} form {n} lane {lane}");
                            }
                            let x = i64::from((index(lane) as u32).min(w as u32));
                            assert_eq!(read(FORMS.len(), lane), tag(x), "{what} lane {lane}");
                        }
                    }
                }
            }
        }
    }
}
