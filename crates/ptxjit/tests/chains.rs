//! Code that was unrolled completely, with more sums than there are registers: whatever order its steps run in, each sum
//! is rounded as the source says.

use ptxjit::compile::{Request, compile};
use ptxjit::testing::{Dims, End, launch, levels, load};
use std::collections::HashMap;
use std::fmt::Write as _;

const THREADS: usize = 32;
/// Rows and columns of the matrix.
const N: usize = 24;

/// Each thread multiplies its row of `x` with the matrix, and what comes out with the matrix's rows again.
fn ptx() -> String {
    let mut text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 x, .param .u64 m, .param .u64 out) {{\n\
         .reg .b32 %t;\n.reg .b64 %x, %m, %o, %w;\n.reg .f32 %x<{N}>, %s<{N}>, %o<{N}>, %k;\n\
         ld.param.u64 %x, [x];\nld.param.u64 %m, [m];\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\n\
         mul.wide.u32 %w, %t, {};\nadd.u64 %x, %x, %w;\nadd.u64 %o, %o, %w;\n",
        4 * N
    );
    let mut line = |s: String| writeln!(text, "{s}").expect("a string");
    for d in 0..N {
        line(format!("ld.global.f32 %x{d}, [%x+{}];", 4 * d));
    }
    for i in 0..N {
        line(format!("mov.f32 %s{i}, 0f00000000;"));
        for d in 0..N {
            line(format!("ld.global.f32 %k, [%m+{}];", 4 * (i * N + d)));
            line(format!("fma.rn.f32 %s{i}, %x{d}, %k, %s{i};"));
        }
    }
    for d in 0..N {
        line(format!("mov.f32 %o{d}, %x{d};"));
    }
    for i in 0..N {
        for d in 0..N {
            line(format!("ld.global.f32 %k, [%m+{}];", 4 * (i * N + d)));
            line(format!("fma.rn.f32 %o{d}, %s{i}, %k, %o{d};"));
        }
    }
    for d in 0..N {
        line(format!("st.global.f32 [%o+{}], %o{d};", 4 * d));
    }
    text + "ret;\n}\n"
}

#[test]
fn sums_are_rounded_as_the_source_says() {
    let mut seed = 7u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(0x3f80_0000 | seed >> 9) - 1.5
    };
    let x: Vec<f32> = (0..THREADS * N).map(|_| random()).collect();
    let m: Vec<f32> = (0..N * N).map(|_| random()).collect();
    let want: Vec<u32> = x
        .chunks(N)
        .flat_map(|x| {
            let sums: Vec<f32> = m
                .chunks(N)
                .map(|row| row.iter().zip(x).fold(0.0, |s, (&k, &x)| x.mul_add(k, s)))
                .collect();
            let mut out = x.to_vec();
            for (row, s) in m.chunks(N).zip(sums) {
                for (o, &k) in out.iter_mut().zip(row) {
                    *o = s.mul_add(k, *o);
                }
            }
            out.into_iter().map(f32::to_bits)
        })
        .collect();
    let ptx = ptx();
    for isa in levels() {
        let cubin = compile(&Request {
            ptx: &ptx,
            isa,
            kernel: None,
            block: [32, 1, 1],
            opt_level: 4,
            cc: 80,
            flags: 0,
            max_ptx_version: 0,
        })
        .expect("compiles")
        .cubin;
        let kernel = load(&cubin.kernels[0], &HashMap::new()).expect("loads");
        let mut out = vec![0f32; THREADS * N];
        let places = [
            x.as_ptr() as u64,
            m.as_ptr() as u64,
            out.as_mut_ptr() as u64,
        ];
        let params: Vec<u8> = places.iter().flat_map(|p| p.to_le_bytes()).collect();
        let dims = Dims {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            dynamic_shared: 0,
        };
        assert!(matches!(launch(&kernel, dims, &params), End::Done(_)));
        let out: Vec<u32> = out.into_iter().map(f32::to_bits).collect();
        assert!(out == want, "isa {isa}");
    }
}
