//! Loops in steps of the grid's size, few rounds of them and many, with bounds that part the block in the last one: each
//! thread adds what it added in the order of the source, wherever its warp is.

use ptxjit::compile::{Request, compile};
use ptxjit::testing::{Dims, End, launch, levels, load};
use std::collections::HashMap;

const BLOCK: u32 = 128;
const MOST: u32 = 6000;

/// `for (i = base + thread; i < base + n; i += threads of the grid) sum = sum * 0.75 + x[i - base]`
fn ptx(cmp: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 x, .param .u64 out, .param .u32 base, .param .u32 end) {{\n\
         .reg .b32 %t, %i, %step, %base, %end, %k;\n.reg .b64 %x, %o, %w;\n.reg .f32 %s, %v, %f;\n.reg .pred %p;\n\
         ld.param.u64 %x, [x];\nld.param.u64 %o, [out];\nld.param.u32 %base, [base];\nld.param.u32 %end, [end];\n\
         mov.u32 %t, %ctaid.x;\nmov.u32 %step, %ntid.x;\nmul.lo.u32 %t, %t, %step;\nmov.u32 %k, %tid.x;\n\
         add.u32 %t, %t, %k;\nadd.u32 %i, %t, %base;\nmov.f32 %s, 0f3f800000;\nmov.f32 %f, 0f3f400000;\n\
         setp.ge.{cmp} %p, %i, %end;\n@%p bra DONE;\nmov.u32 %k, %nctaid.x;\nmul.lo.u32 %step, %step, %k;\n\
         LOOP:\nsub.u32 %k, %i, %base;\nmul.wide.s32 %w, %k, 4;\nadd.u64 %w, %x, %w;\nld.global.f32 %v, [%w];\n\
         fma.rn.f32 %s, %s, %f, %v;\nadd.u32 %i, %i, %step;\nsetp.lt.{cmp} %p, %i, %end;\n@%p bra LOOP;\n\
         DONE:\nmul.wide.u32 %w, %t, 4;\nadd.u64 %o, %o, %w;\nst.global.f32 [%o], %s;\nret;\n}}\n"
    )
}

#[test]
fn every_thread_adds_in_order() {
    let x: Vec<f32> = (0..MOST).map(|i| (i * 7919 % 1000) as f32 / 3.0).collect();
    for (cmp, base) in [
        ("s32", 0),
        ("u32", 0),
        ("s32", 0x7fff_0000),
        ("u32", 0xffff_0000),
    ] {
        let ptx = ptx(cmp);
        for isa in levels() {
            let cubin = compile(&Request {
                ptx: &ptx,
                isa,
                kernel: None,
                block: [BLOCK, 1, 1],
                opt_level: 4,
                cc: 80,
                flags: 0,
                max_ptx_version: 0,
            })
            .expect("compiles")
            .cubin;
            let kernel = load(&cubin.kernels[0], &HashMap::new()).expect("loads");
            for grid in [1, 3] {
                let threads = grid * BLOCK;
                for n in [
                    0, 1, 127, 128, 129, 1023, 1024, 1025, 1151, 1152, 3071, 3072, 3200, 5999, MOST,
                ] {
                    let want: Vec<u32> = (0..threads)
                        .map(|t| {
                            let mine = (t..n).step_by(threads as usize);
                            let sum = mine.fold(1f32, |s, i| s.mul_add(0.75, x[i as usize]));
                            sum.to_bits()
                        })
                        .collect();
                    let mut out = vec![0u32; threads as usize];
                    let mut params = Vec::new();
                    params.extend((x.as_ptr() as u64).to_le_bytes());
                    params.extend((out.as_mut_ptr() as u64).to_le_bytes());
                    params.extend(u32::to_le_bytes(base));
                    params.extend((base + n).to_le_bytes());
                    let dims = Dims {
                        grid: [grid, 1, 1],
                        block: [BLOCK, 1, 1],
                        dynamic_shared: 0,
                    };
                    assert!(matches!(launch(&kernel, dims, &params), End::Done(_)));
                    assert!(
                        out == want,
                        "isa {isa}, {cmp}, base {base}, grid {grid}, n {n}"
                    );
                }
            }
        }
    }
}
