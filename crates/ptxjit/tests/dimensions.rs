//! What follows from the dimensions of the block that code is made for: comparisons of thread numbers, remainders,
//! extremes, and loops over tiles give every thread what they give in code for any block.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests"
)]

use ptxjit::testing::{Dims, End, best_level, compiled, launch};
use std::fmt::Write;

const BOUNDS: [i32; 6] = [0, 16, 31, 32, 256, -1];

type Test = fn(i32, i32) -> bool;

const TESTS: [(&str, Test); 10] = [
    ("eq.s32", |a, b| a == b),
    ("ne.s32", |a, b| a != b),
    ("lt.s32", |a, b| a < b),
    ("le.s32", |a, b| a <= b),
    ("gt.s32", |a, b| a > b),
    ("ge.s32", |a, b| a >= b),
    ("lt.u32", |a, b| (a as u32) < b as u32),
    ("le.u32", |a, b| a as u32 <= b as u32),
    ("gt.u32", |a, b| a as u32 > b as u32),
    ("ge.u32", |a, b| a as u32 >= b as u32),
];

/// Numbers made of a thread's: PTX from `%t` (its number in x) into `%x`, and what it must be.
type Number = (&'static str, fn(i32, i32) -> i32);

const NUMBERS: [Number; 12] = [
    ("mov.u32 %x, %t;", |t, _| t),
    ("add.s32 %x, %t, 32;", |t, _| t + 32),
    ("add.s32 %x, %t, -3;", |t, _| t - 3),
    ("shl.b32 %x, %t, 3;", |t, _| t << 3),
    ("max.s32 %x, %t, 200; sub.s32 %x, %x, %t;", |t, _| {
        t.max(200) - t
    }),
    ("and.b32 %x, %t, 31;", |t, _| t & 31),
    ("rem.u32 %x, %t, 16;", |t, _| t % 16),
    ("shr.u32 %x, %t, 5;", |t, _| t >> 5),
    ("mov.u32 %y, %ntid.x; sub.s32 %x, %y, %t;", |t, n| n - t),
    ("mov.u32 %y, %ntid.x; div.u32 %x, 1000, %y;", |_, n| {
        1000 / n
    }),
    ("min.u32 %x, %t, 63; not.b32 %x, %x;", |t, _| !t.min(63)),
    (
        "sub.s32 %x, 1023, %t; shr.u32 %x, %x, 8; and.b32 %x, %x, 3;",
        |t, _| ((1023 - t) >> 8) & 3,
    ),
];

/// Every other combination: compilation takes the time.
fn asked(number: usize, bound: usize, test: usize) -> bool {
    (number + bound + test / 2).is_multiple_of(2)
}

fn ptx() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
.visible .entry numbers(.param .u64 out)
{
    .reg .b64 %a<4>; .reg .b32 %t, %x, %y, %z, %b, %s, %c, %k, %n; .reg .pred %p;
    ld.param.u64 %a1, [out];
    mov.u32 %t, %tid.x; mov.u32 %x, %tid.y; mov.u32 %y, %ntid.x;
    mad.lo.u32 %z, %x, %y, %t;
    mul.wide.u32 %a2, %z, 4;
    add.s64 %a1, %a1, %a2;
    mov.u32 %s, 1;
",
    );
    for (n, number) in NUMBERS.iter().enumerate() {
        writeln!(text, "    {}", number.0).unwrap();
        for (k, bound) in BOUNDS.iter().enumerate() {
            for (j, test) in TESTS.iter().enumerate().filter(|(j, _)| asked(n, k, *j)) {
                let operands = if (n + k + j) % 2 == 0 {
                    format!("%x, {bound}")
                } else {
                    "%b, %x".to_owned()
                };
                writeln!(
                    text,
                    "    mov.u32 %b, {bound}; setp.{} %p, {operands}; selp.u32 %c, 5, 2, %p; mad.lo.u32 %s, %s, 31, %c;",
                    test.0
                )
                .unwrap();
            }
        }
    }
    // Loops over tiles, the whole ones of which all lanes run alike.
    for (n, tile) in [1024, 1000, 20].into_iter().enumerate() {
        write!(
            text,
            "    mov.u32 %k, %t; mov.u32 %n, %ntid.x;
    setp.ge.s32 %p, %k, {tile};
    @%p bra end{n};
loop{n}:
    mad.lo.u32 %s, %s, 31, %k;
    add.s32 %k, %k, %n;
    setp.lt.s32 %p, %k, {tile};
    @%p bra loop{n};
end{n}:
"
        )
        .unwrap();
    }
    text.push_str("    st.global.u32 [%a1], %s;\n    ret;\n}\n");
    text
}

fn expected(t: i32, n: i32) -> u32 {
    let mut sum = 1u32;
    let mut add = |c: u32| sum = sum.wrapping_mul(31).wrapping_add(c);
    for (i, number) in NUMBERS.iter().enumerate() {
        let x = (number.1)(t, n);
        for (k, &bound) in BOUNDS.iter().enumerate() {
            for (j, test) in TESTS.iter().enumerate().filter(|(j, _)| asked(i, k, *j)) {
                let holds = if (i + k + j) % 2 == 0 {
                    (test.1)(x, bound)
                } else {
                    (test.1)(bound, x)
                };
                add(if holds { 5 } else { 2 });
            }
        }
    }
    for tile in [1024, 1000, 20] {
        let mut k = t;
        while k < tile {
            add(k as u32);
            k += n;
        }
    }
    sum
}

#[test]
fn dimensions_change_nothing() {
    let ptx = ptx();
    for block in [[256, 1, 1], [48, 1, 1], [32, 8, 1], [16, 16, 1], [1, 70, 1]] {
        for shape in [block, [0; 3]] {
            if shape[0] == 0 && block[0] != 48 {
                continue;
            }
            let kernel = compiled(&ptx, "numbers", best_level(), shape).unwrap();
            let out = vec![0u32; (block[0] * block[1]) as usize];
            let dims = Dims {
                grid: [1; 3],
                block,
                dynamic_shared: 0,
            };
            let params = (out.as_ptr() as u64).to_le_bytes();
            assert_eq!(launch(&kernel, dims, &params), End::Done(String::new()));
            for (i, &got) in (0i32..).zip(&out) {
                let t = i % block[0] as i32;
                let want = expected(t, block[0] as i32);
                assert_eq!(got, want, "block {block:?} code for {shape:?} thread {i}");
            }
        }
    }
}

/// A loop over the grid on both sides of a barrier: its step is made anew behind it.
const STRIDES: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry strides(.param .u64 x, .param .u64 out, .param .u32 n)
{
    .reg .b64 %a<4>; .reg .b32 %r<12>; .reg .pred %p;
    .shared .align 4 .b8 s[1024];
    ld.param.u64 %a1, [x];
    ld.param.u64 %a2, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mov.u32 %r5, %nctaid.x;
    mad.lo.u32 %r6, %r2, %r3, %r4;
    mul.lo.u32 %r5, %r5, %r3;
    mov.u32 %r7, %r6;
    mov.u32 %r8, 0;
first:
    mul.wide.u32 %a3, %r7, 4;
    add.s64 %a3, %a1, %a3;
    ld.global.u32 %r9, [%a3];
    add.u32 %r8, %r8, %r9;
    add.u32 %r7, %r7, %r5;
    setp.lt.u32 %p, %r7, %r1;
    @%p bra first;
    shl.b32 %r9, %r4, 2;
    mov.u32 %r10, s;
    add.u32 %r10, %r10, %r9;
    st.shared.u32 [%r10], %r8;
    bar.sync 0;
    ld.shared.u32 %r8, [%r10];
    mov.u32 %r7, %r6;
second:
    mul.wide.u32 %a3, %r7, 4;
    add.s64 %a3, %a1, %a3;
    ld.global.u32 %r9, [%a3];
    mad.lo.u32 %r8, %r8, 3, %r9;
    bar.sync 0;
    add.u32 %r7, %r7, %r5;
    setp.lt.u32 %p, %r7, %r1;
    @%p bra second;
    mul.wide.u32 %a3, %r6, 4;
    add.s64 %a3, %a2, %a3;
    st.global.u32 [%a3], %r8;
    ret;
}
";

#[test]
fn steps_are_made_anew_behind_barriers() {
    for shape in [[256, 1, 1], [0; 3]] {
        let kernel = compiled(STRIDES, "strides", best_level(), shape).unwrap();
        let n = 256 * 3 * 4;
        let x: Vec<u32> = (0..n).map(|i| i * 7 + 1).collect();
        let out = vec![0u32; 256 * 3];
        let dims = Dims {
            grid: [3, 1, 1],
            block: [256, 1, 1],
            dynamic_shared: 0,
        };
        let mut params = (x.as_ptr() as u64).to_le_bytes().to_vec();
        params.extend_from_slice(&(out.as_ptr() as u64).to_le_bytes());
        params.extend_from_slice(&n.to_le_bytes());
        assert_eq!(launch(&kernel, dims, &params), End::Done(String::new()));
        for (i, &got) in out.iter().enumerate() {
            let mine = || x[i..].iter().step_by(out.len());
            let sum: u32 = mine().sum();
            let want = mine().fold(sum, |s, v| s.wrapping_mul(3).wrapping_add(*v));
            assert_eq!(got, want, "{shape:?} thread {i}");
        }
    }
}
