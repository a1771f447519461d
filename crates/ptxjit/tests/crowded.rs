//! Threads that keep many sums: each owns eight by eight elements of a product of matrices in shared memory, reads eight
//! neighbouring columns at a time, and goes round loops with all of its sums.
#![expect(clippy::unwrap_used, reason = "tests")]

use ptxjit::testing::{Dims, End, compiled, launch, levels};
use std::fmt::Write;

const THREADS: u32 = 256;
const ROUNDS: u32 = 3;
const DEPTH: u32 = 8;

/// What a tile holds in a round.
fn tile(round: u32, at: u32) -> u32 {
    (at * 7 + round * 1000) ^ 0x55
}

fn ptx() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry sums(.param .u64 out, .param .u32 rounds)\n{\n\
         .reg .b64 %a<9>; .reg .b32 %t, %n, %k, %v, %at, %rows, %columns, %r<9>, %s<64>, %x<8>, %y<8>; .reg .pred %p<3>;\n\
         .shared .align 16 .b8 left[4096];\n.shared .align 16 .b8 right[4096];\n\
         ld.param.u64 %a1, [out];\nld.param.u32 %r1, [rounds];\nmov.u32 %t, %tid.x;\nmov.u32 %n, 0;\n",
    );
    let mut line = |l: String| writeln!(text, "{l}").unwrap();
    for k in 0..64 {
        line(format!("mov.u32 %s{k}, {k};"));
    }
    line("outer:".into());
    // Both tiles.
    for part in 0..4 {
        line(format!("add.u32 %at, %t, {};", part * THREADS));
        line("mul.lo.u32 %v, %at, 7;\nmad.lo.u32 %v, %n, 1000, %v;\nxor.b32 %v, %v, 0x55;".into());
        line("shl.b32 %at, %at, 2;\nmov.u32 %r2, left;\nadd.u32 %r2, %r2, %at;".into());
        line("st.shared.u32 [%r2], %v;\nmov.u32 %r2, right;\nadd.u32 %r2, %r2, %at;".into());
        line("not.b32 %v, %v;\nst.shared.u32 [%r2], %v;".into());
    }
    line("bar.sync 0;\nmov.u32 %k, 0;".into());
    line("inner:".into());
    line(
        "shr.u32 %r3, %t, 4;\nshl.b32 %r3, %r3, 8;\nshl.b32 %r4, %k, 2;\nor.b32 %r3, %r3, %r4;"
            .into(),
    );
    line("mov.u32 %rows, left;\nadd.u32 %rows, %rows, %r3;".into());
    line("shl.b32 %r5, %t, 3;\nand.b32 %r5, %r5, 120;\nbfi.b32 %r5, %k, %r5, 7, 25;".into());
    line("shl.b32 %r5, %r5, 2;\nmov.u32 %columns, right;\nadd.u32 %columns, %columns, %r5;".into());
    for k in 0..8 {
        line(format!("ld.shared.u32 %x{k}, [%rows+{}];", k * 32));
        line(format!("ld.shared.u32 %y{k}, [%columns+{}];", k * 4));
    }
    for m in 0..8 {
        for n in 0..8 {
            let k = m * 8 + n;
            line(format!("mad.lo.u32 %s{k}, %x{m}, %y{n}, %s{k};"));
        }
    }
    line(format!(
        "add.u32 %k, %k, 1;\nsetp.ne.u32 %p1, %k, {DEPTH};\n@%p1 bra inner;"
    ));
    line("bar.sync 0;\nadd.u32 %n, %n, 1;\nsetp.lt.u32 %p2, %n, %r1;\n@%p2 bra outer;".into());
    line("mul.wide.u32 %a2, %t, 256;\nadd.s64 %a2, %a1, %a2;".into());
    for k in (0..64).step_by(4) {
        let four: Vec<String> = (k..k + 4).map(|k| format!("%s{k}")).collect();
        line(format!(
            "st.global.v4.u32 [%a2+{}], {{{}}};",
            k * 4,
            four.join(", ")
        ));
    }
    line("ret;\n}".into());
    text
}

#[test]
fn sums_of_a_product() {
    let ptx = ptx();
    for level in levels() {
        for block in [[THREADS, 1, 1], [0; 3]] {
            let kernel = compiled(&ptx, "sums", level, block).unwrap();
            let out = vec![[0u32; 64]; THREADS as usize];
            let mut params = (out.as_ptr() as u64).to_le_bytes().to_vec();
            params.extend_from_slice(&ROUNDS.to_le_bytes());
            let dims = Dims {
                grid: [1; 3],
                block: [THREADS, 1, 1],
                dynamic_shared: 0,
            };
            let end = launch(&kernel, dims, &params);
            assert_eq!(end, End::Done(String::new()), "level {level}");
            for (t, mine) in (0u32..).zip(&out) {
                for (k, &sum) in (0u32..).zip(mine) {
                    let (m, n) = (k / 8, k % 8);
                    let mut wanted = k;
                    for round in 0..ROUNDS {
                        for d in 0..DEPTH {
                            let x = tile(round, (t / 16 * 64 + d + m * 8) % 1024);
                            let y = !tile(round, d * 128 + t % 16 * 8 + n);
                            wanted = wanted.wrapping_add(x.wrapping_mul(y));
                        }
                    }
                    assert_eq!(
                        sum, wanted,
                        "level {level} block {block:?} thread {t} sum {k}"
                    );
                }
            }
        }
    }
}
