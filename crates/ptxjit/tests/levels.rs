//! Rounds of an unrolled loop that advance side by side: each a long chain of arithmetic on what it reads, all of them
//! adding to the same sums.
#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "tests")]

use ptxjit::testing::{Dims, End, compiled, launch, levels};
use std::fmt::Write;

const ROUNDS: usize = 4;
const STEPS: usize = 12;

fn ptx() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry sums(.param .u64 points, .param .u64 out, .param .u32 n)\n{\n\
         .reg .b64 %a<4>; .reg .b32 %r<4>; .reg .f32 %f<8>, %x<4>, %y<4>, %z<4>, %c<4>, %m<4>; .reg .pred %p1;\n\
         ld.param.u64 %a1, [points]; ld.param.u64 %a2, [out]; ld.param.u32 %r1, [n];\n\
         mov.u32 %r2, %tid.x; mul.wide.u32 %a3, %r2, 16; add.s64 %a2, %a2, %a3; add.s64 %a3, %a1, %a3;\n\
         ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%a3];\n\
         mov.f32 %f5, 0f00000000; mov.f32 %f6, %f5; mov.f32 %f7, %f5; mov.u32 %r3, 0;\nround:\n",
    );
    for k in 0..ROUNDS {
        writeln!(
            text,
            "ld.global.v4.f32 {{%x{k}, %y{k}, %z{k}, %m{k}}}, [%a1+{}];\nsub.f32 %x{k}, %x{k}, %f1; sub.f32 %y{k}, %y{k}, %f2; sub.f32 %z{k}, %z{k}, %f3;\nmul.f32 %c{k}, %x{k}, %y{k};",
            k * 16
        )
        .unwrap();
        for step in 0..STEPS {
            let by = ["x", "y", "z"][step % 3];
            writeln!(text, "fma.rn.f32 %c{k}, %c{k}, %{by}{k}, %m{k};").unwrap();
        }
        for (sum, by) in [(5, "x"), (6, "y"), (7, "z")] {
            writeln!(text, "fma.rn.f32 %f{sum}, %c{k}, %{by}{k}, %f{sum};").unwrap();
        }
    }
    text.push_str(
        "add.s64 %a1, %a1, 64; add.u32 %r3, %r3, 4; setp.lt.u32 %p1, %r3, %r1;\n@%p1 bra round;\n\
         st.global.v4.f32 [%a2], {%f5, %f6, %f7, %f4};\nret;\n}\n",
    );
    text
}

fn wanted(points: &[[f32; 4]], mine: [f32; 4]) -> [f32; 4] {
    let mut sums = [0f32, 0.0, 0.0, mine[3]];
    for p in points {
        let d = [p[0] - mine[0], p[1] - mine[1], p[2] - mine[2]];
        let mut c = d[0] * d[1];
        for step in 0..STEPS {
            c = c.mul_add(d[step % 3], p[3]);
        }
        for k in 0..3 {
            sums[k] = c.mul_add(d[k], sums[k]);
        }
    }
    sums
}

#[test]
fn sums_of_chains() {
    let ptx = ptx();
    let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0;
    let points: Vec<[f32; 4]> = (0..64)
        .map(|i| [0, 1, 2, 3].map(|k| number(4 * i + k)))
        .collect();
    for level in levels() {
        for block in [[64, 1, 1], [0; 3]] {
            let kernel = compiled(&ptx, "sums", level, block).unwrap();
            let out = vec![[0f32; 4]; 64];
            let mut params = (points.as_ptr() as u64).to_le_bytes().to_vec();
            params.extend_from_slice(&(out.as_ptr() as u64).to_le_bytes());
            params.extend_from_slice(&64u32.to_le_bytes());
            let dims = Dims {
                grid: [1; 3],
                block: [64, 1, 1],
                dynamic_shared: 0,
            };
            assert_eq!(launch(&kernel, dims, &params), End::Done(String::new()));
            for (&mine, found) in points.iter().zip(&out) {
                let wanted = wanted(&points, mine);
                assert_eq!(
                    found.map(f32::to_bits),
                    wanted.map(f32::to_bits),
                    "level {level}"
                );
            }
        }
    }
}
