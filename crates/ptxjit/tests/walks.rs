//! Walks by lane in two parts: what is left of a row after whole rounds of four, then the rounds.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

use ptxjit::testing::{Dims, End, compiled, launch, levels};

const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry rows(.param .u64 starts, .param .u64 items, .param .u64 out, .param .u32 n)
{
  .reg .b64 %a<6>; .reg .b32 %r<12>; .reg .pred %p<6>;
  ld.param.u64 %a1, [starts]; ld.param.u64 %a2, [items]; ld.param.u64 %a3, [out]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra done;
  mul.wide.u32 %a4, %r2, 4;
  add.s64 %a1, %a1, %a4; add.s64 %a3, %a3, %a4;
  ld.global.u32 %r5, [%a1]; ld.global.u32 %r6, [%a1+4];
  mov.u32 %r7, 7;
  setp.ge.u32 %p2, %r5, %r6;
  @%p2 bra store;
  sub.u32 %r8, %r6, %r5;
  and.b32 %r9, %r8, 3;
  mov.u32 %r10, %r5;
  setp.eq.u32 %p3, %r9, 0;
  @%p3 bra rounds;
left:
  mul.wide.u32 %a5, %r10, 4; add.s64 %a5, %a2, %a5;
  ld.global.u32 %r11, [%a5];
  mad.lo.u32 %r7, %r7, 3, %r11;
  add.u32 %r10, %r10, 1; add.u32 %r9, %r9, -1;
  setp.ne.u32 %p3, %r9, 0;
  @%p3 bra left;
rounds:
  setp.lt.u32 %p4, %r8, 4;
  @%p4 bra store;
round:
  mul.wide.u32 %a5, %r10, 4; add.s64 %a5, %a2, %a5;
  ld.global.u32 %r11, [%a5]; mad.lo.u32 %r7, %r7, 3, %r11;
  ld.global.u32 %r11, [%a5+4]; mad.lo.u32 %r7, %r7, 3, %r11;
  ld.global.u32 %r11, [%a5+8]; mad.lo.u32 %r7, %r7, 3, %r11;
  ld.global.u32 %r11, [%a5+12]; mad.lo.u32 %r7, %r7, 3, %r11;
  add.u32 %r10, %r10, 4;
  setp.lt.u32 %p5, %r10, %r6;
  @%p5 bra round;
store:
  st.global.u32 [%a3], %r7;
done:
  ret;
}";

#[test]
fn rows_of_all_lengths() {
    const ROWS: usize = 200;
    let mut starts = vec![0u32];
    for row in 0..ROWS {
        // None, some left over, whole rounds, both.
        let length = [0, 1, 4, 7, 12, 3, 30, 8][row % 8] + u32::from(row > 100);
        starts.push(starts[row] + length);
    }
    let items: Vec<u32> = (0..starts[ROWS])
        .map(|k| k.wrapping_mul(2_654_435_761))
        .collect();
    for level in levels() {
        for block in [[64, 1, 1], [0; 3]] {
            let kernel = compiled(PTX, "rows", level, block).unwrap();
            let out = vec![0u32; ROWS];
            let mut params = Vec::new();
            for p in [
                starts.as_ptr() as u64,
                items.as_ptr() as u64,
                out.as_ptr() as u64,
            ] {
                params.extend_from_slice(&p.to_le_bytes());
            }
            params.extend_from_slice(&(ROWS as u32).to_le_bytes());
            let dims = Dims {
                grid: [4, 1, 1],
                block: [64, 1, 1],
                dynamic_shared: 0,
            };
            assert_eq!(launch(&kernel, dims, &params), End::Done(String::new()));
            for (row, &found) in out.iter().enumerate() {
                let (from, to) = (starts[row] as usize, starts[row + 1] as usize);
                let add = |sum: u32, &item: &u32| sum.wrapping_mul(3).wrapping_add(item);
                let wanted = items[from..to].iter().fold(7, add);
                assert_eq!(found, wanted, "level {level} block {block:?} row {row}");
            }
        }
    }
}
