//! Blocks of one row whose threads take column and row from their number: a product of matrices, each thread an element.
#![expect(clippy::unwrap_used, reason = "tests")]

use ptxjit::testing::{Dims, End, compiled, launch, levels};

const THREADS: u32 = 256;
const GRID: [u32; 3] = [8, 2, 1];

const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .b64 %p<9>; .reg .b32 %t, %row, %column, %n, %k, %s, %x, %y, %v<9>; .reg .pred %out, %right, %more;
    ld.param.u64 %p1, [a];
    ld.param.u64 %p2, [b];
    ld.param.u64 %p3, [c];
    ld.param.u32 %n, [n];
    mov.u32 %t, %tid.x;
    mov.u32 %v1, %ctaid.x;
    shl.b32 %v1, %v1, 3;
    shr.u32 %v2, %t, 5;
    add.u32 %row, %v1, %v2;
    mov.u32 %v3, %ctaid.y;
    and.b32 %v4, %t, 31;
    bfi.b32 %column, %v3, %v4, 5, 27;
    setp.ge.s32 %out, %row, %n;
    setp.ge.s32 %right, %column, %n;
    or.pred %out, %out, %right;
    @%out bra end;
    mov.u32 %s, %t;
    mov.u32 %k, 0;
next:
    mad.lo.s32 %v5, %row, %n, %k;
    mul.wide.s32 %p4, %v5, 4;
    add.u64 %p4, %p1, %p4;
    ld.global.u32 %x, [%p4];
    mad.lo.s32 %v6, %k, %n, %column;
    mul.wide.s32 %p5, %v6, 4;
    add.u64 %p5, %p2, %p5;
    ld.global.u32 %y, [%p5];
    mad.lo.u32 %s, %x, %y, %s;
    add.u32 %k, %k, 1;
    setp.lt.s32 %more, %k, %n;
    @%more bra next;
    mov.u32 %v8, %ntid.x;
    mad.lo.u32 %s, %v8, 1000, %s;
    mad.lo.s32 %v7, %row, %n, %column;
    mul.wide.s32 %p6, %v7, 4;
    add.u64 %p6, %p3, %p6;
    st.global.u32 [%p6], %s;
end:
    ret;
}
";

#[test]
fn a_product_by_blocks_of_one_row() {
    for level in levels() {
        for block in [[THREADS, 1, 1], [0; 3]] {
            let kernel = compiled(PTX, "product", level, block).unwrap();
            for n in [64u32, 61, 33, 1] {
                let numbers =
                    |by: u32| -> Vec<u32> { (0..n * n).map(|i| (i * by) ^ 0x33).collect() };
                let (a, b) = (numbers(7), numbers(13));
                let c = vec![0u32; (n * n) as usize];
                let mut params = Vec::new();
                for array in [&a, &b, &c] {
                    params.extend_from_slice(&(array.as_ptr() as u64).to_le_bytes());
                }
                params.extend_from_slice(&n.to_le_bytes());
                let dims = Dims {
                    grid: GRID,
                    block: [THREADS, 1, 1],
                    dynamic_shared: 0,
                };
                let end = launch(&kernel, dims, &params);
                assert_eq!(end, End::Done(String::new()), "level {level}");
                for row in 0..n {
                    for column in 0..n {
                        let thread = row % 8 * 32 + column % 32;
                        let at = |x: u32, y: u32| (x * n + y) as usize;
                        let products = (0..n).map(|k| a[at(row, k)].wrapping_mul(b[at(k, column)]));
                        let wanted = products.fold(thread + THREADS * 1000, u32::wrapping_add);
                        let found = c[at(row, column)];
                        assert_eq!(
                            found, wanted,
                            "level {level} block {block:?} n {n} {row} {column}"
                        );
                    }
                }
            }
        }
    }
}
