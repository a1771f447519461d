//! Kernels whose threads cannot be told apart by their row in the block run as one row.

use abi::sm::flags::ROWS_ALIKE;
use ptxjit::compile::{Request, compile};

fn flags(body: &str, block: [u32; 3]) -> u32 {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n.reg .b32 %r<9>; .reg .b64 \
         %d<9>; .reg .pred %p<9>;\nld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mad.wide.u32 %d2, %r1, 4, %d1;\n{body}\nret; }}"
    );
    let request = Request {
        ptx: &ptx,
        isa: 3,
        kernel: Some("k"),
        block,
        opt_level: 1,
        cc: 90,
        flags: 0,
        max_ptx_version: 0,
    };
    let cubin = compile(&request).expect("compiles").cubin;
    let image = &cubin.kernels[0].image;
    // EntryHeader::flags.
    u32::from_le_bytes(image[88..92].try_into().expect("four bytes")) & ROWS_ALIKE
}

#[test]
fn rows_are_told_apart_by_what_differs() {
    let add = "ld.global.u32 %r2, [%d2]; add.u32 %r2, %r2, 1; st.global.u32 [%d2], %r2;";
    assert_eq!(flags(add, [32, 8, 1]), ROWS_ALIKE);
    assert_eq!(flags(add, [16, 2, 3]), ROWS_ALIKE);
    assert_eq!(flags(add, [256, 1, 1]), 0, "one row");
    assert_eq!(flags(add, [0; 3]), 0, "of any shape");
    let barrier = format!("{add} bar.sync 0; {add}");
    assert_eq!(flags(&barrier, [32, 8, 1]), ROWS_ALIKE);
    for different in [
        "mov.u32 %r3, %tid.y; st.global.u32 [%d2], %r3;",
        "mov.u32 %r3, %tid.z; st.global.u32 [%d2], %r3;",
        "mov.u32 %r3, %ntid.y; st.global.u32 [%d2], %r3;",
        "mov.u32 %r3, %laneid; st.global.u32 [%d2], %r3;",
        "mov.u32 %r3, %warpid; st.global.u32 [%d2], %r3;",
        "atom.global.add.u32 %r3, [%d1], 1; st.global.u32 [%d2], %r3;",
        "red.global.add.u32 [%d1], 1;",
        "bar.sync 1, 64;",
        "shfl.sync.bfly.b32 %r3|%p1, %r1, 1, 31, -1; st.global.u32 [%d2], %r3;",
        "activemask.b32 %r3; st.global.u32 [%d2], %r3;",
        "setp.lt.u32 %p1, %r1, 3; barrier.red.popc.u32 %r3, 0, %p1; st.global.u32 [%d2], %r3;",
    ] {
        assert_eq!(flags(different, [32, 8, 1]), 0, "{different}");
    }
}
