//! Lanes of a warp go together: what one has stored another reads without a barrier, as code before `__syncwarp` did.
//! Code that does so is never run a part of a warp at a time, even where it is asked for (`NARROW`).

use abi::jit::request_flags::NARROW;
use ptxjit::compile::{Request, compile};
use ptxjit::testing::{Dims, End, best_level, launch, load};
use std::collections::HashMap;

const THREADS: usize = 64;

/// What `body` leaves in `%v`, by thread. It has the thread's number in `%n`, its word of shared memory (zero) at `%mine`,
/// that of lane `n ^ 24` at `%other`, and two words of global memory likewise at `%g` and `%h`.
fn run(body: &str, flags: u32) -> Vec<u32> {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
         .shared .align 4 .b8 row[256];\n.reg .b32 %n, %v, %m, %mine, %other, %s;\n.reg .b64 %o, %g, %h, %w;\n\
         ld.param.u64 %o, [p];\nmov.u32 %n, %tid.x;\nmov.u32 %s, row;\nshl.b32 %m, %n, 2;\nadd.u32 %mine, %s, %m;\n\
         cvt.u64.u32 %w, %m;\nadd.u64 %o, %o, %w;\nadd.u64 %g, %o, 256;\nxor.b32 %m, %m, 96;\nadd.u32 %other, %s, %m;\n\
         ld.param.u64 %h, [p];\ncvt.u64.u32 %w, %m;\nadd.u64 %h, %h, %w;\nadd.u64 %h, %h, 256;\nmov.u32 %v, 0;\n\
         st.shared.u32 [%mine], %v;\nbar.sync 0;\n{body}\nst.global.u32 [%o], %v;\nret;\n}}\n"
    );
    let cubin = compile(&Request {
        ptx: &ptx,
        isa: best_level(),
        kernel: None,
        block: [64, 1, 1],
        opt_level: 4,
        cc: 80,
        flags,
        max_ptx_version: 0,
    })
    .expect("compiles")
    .cubin;
    let kernel = load(&cubin.kernels[0], &HashMap::new()).expect("loads");
    let mut out = vec![0u32; 2 * THREADS];
    let params = (out.as_mut_ptr() as u64).to_le_bytes();
    let dims = Dims {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 0,
    };
    assert!(matches!(launch(&kernel, dims, &params), End::Done(_)));
    out.truncate(THREADS);
    out
}

#[test]
fn lanes_see_what_lanes_have_stored() {
    let other = |n: u32| (n ^ 24) + 7;
    for (what, body, want) in [
        (
            "stored, then read",
            "add.u32 %v, %n, 7;\nst.shared.u32 [%mine], %v;\nld.shared.u32 %v, [%other];",
            (&other) as &dyn Fn(u32) -> u32,
        ),
        (
            "read, then stored",
            "ld.shared.u32 %v, [%other];\nadd.u32 %m, %n, 7;\nst.shared.u32 [%mine], %m;",
            &|_| 0,
        ),
        (
            "volatile in shared memory",
            "add.u32 %v, %n, 7;\nst.volatile.shared.u32 [%mine], %v;\nld.volatile.shared.u32 %v, [%other];",
            &other,
        ),
        (
            "volatile in global memory",
            "add.u32 %v, %n, 7;\nst.volatile.global.u32 [%g], %v;\nld.volatile.global.u32 %v, [%h];",
            &other,
        ),
    ] {
        for flags in [0, NARROW] {
            let want: Vec<u32> = (0..64).map(want).collect();
            assert_eq!(run(body, flags), want, "{what}, flags {flags}");
        }
    }
}
