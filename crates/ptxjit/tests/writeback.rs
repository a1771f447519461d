//! Rows that some lanes change after all have read them.
#![expect(clippy::unwrap_used, reason = "tests")]

use ptxjit::testing::{Dims, End, best_level, compiled, launch, levels};

const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry exchange(.param .u64 data, .param .u32 j, .param .u32 k)
{
  .reg .b64 %a<4>; .reg .b32 %r<12>; .reg .pred %p<6>;
  ld.param.u64 %a1, [data]; ld.param.u32 %r1, [j]; ld.param.u32 %r2, [k];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r3, %r3, %r4, %r5;
  xor.b32 %r6, %r3, %r1;
  setp.le.u32 %p1, %r6, %r3;
  @%p1 bra done;
  mul.wide.u32 %a2, %r3, 4; add.s64 %a2, %a1, %a2;
  mul.wide.u32 %a3, %r6, 4; add.s64 %a3, %a1, %a3;
  ld.global.u32 %r7, [%a2]; ld.global.u32 %r8, [%a3];
  and.b32 %r9, %r3, %r2;
  setp.eq.u32 %p2, %r9, 0;
  setp.gt.u32 %p3, %r7, %r8;
  xor.pred %p4, %p2, %p3;
  @%p4 bra done;
  st.global.u32 [%a2], %r8; st.global.u32 [%a3], %r7;
done:
  ret;
}
.visible .entry neighbours(.param .u64 data)
{
  .reg .b64 %a<4>; .reg .b32 %r<6>; .reg .pred %p<2>;
  ld.param.u64 %a1, [data];
  mov.u32 %r1, %tid.x; mov.u32 %r4, %ctaid.x; mad.lo.u32 %r1, %r4, 32, %r1;
  mul.wide.u32 %a2, %r1, 4; add.s64 %a2, %a1, %a2;
  ld.global.u32 %r2, [%a2]; ld.global.u32 %r3, [%a2+4];
  setp.le.u32 %p1, %r2, %r3;
  @%p1 bra done;
  st.global.u32 [%a2], %r3;
  st.global.u32 [%a2+4], %r2;
done:
  ret;
}
.visible .entry flags(.param .u64 data)
{
  .reg .b64 %a<3>; .reg .b32 %r<3>; .reg .pred %p<2>;
  ld.param.u64 %a1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %a2, %r1, 4; add.s64 %a2, %a1, %a2;
  ld.global.u32 %r2, [%a2];
  setp.gt.u32 %p1, %r2, 6;
  @%p1 bra done;
  add.u32 %r2, %r2, 1;
  st.global.u32 [%a2], %r2;
done:
  ret;
}";

fn numbers(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect()
}

#[test]
fn a_sorting_network() {
    const N: u32 = 512;
    for level in levels() {
        for block in [[64, 1, 1], [0; 3]] {
            let kernel = compiled(PTX, "exchange", level, block).unwrap();
            let data = numbers(N);
            let mut wanted = data.clone();
            wanted.sort_unstable();
            let dims = Dims {
                grid: [N / 64, 1, 1],
                block: [64, 1, 1],
                dynamic_shared: 0,
            };
            for k in (1..=N.ilog2()).map(|b| 1u32 << b) {
                for j in (0..k.ilog2()).rev().map(|b| 1u32 << b) {
                    let mut params = (data.as_ptr() as u64).to_le_bytes().to_vec();
                    params.extend_from_slice(&j.to_le_bytes());
                    params.extend_from_slice(&k.to_le_bytes());
                    assert_eq!(launch(&kernel, dims, &params), End::Done(String::new()));
                }
            }
            assert_eq!(data, wanted, "level {level} block {block:?}");
        }
    }
}

/// Lanes of a warp write to what others of it have read: the second row is not what it was when it was read.
#[test]
fn rows_that_overlap() {
    let kernel = compiled(PTX, "neighbours", best_level(), [32, 1, 1]).unwrap();
    let data = numbers(33);
    let mut wanted = data.clone();
    let changes: Vec<usize> = (0..32).filter(|&i| data[i] > data[i + 1]).collect();
    for &i in &changes {
        wanted[i] = data[i + 1];
    }
    for &i in &changes {
        wanted[i + 1] = data[i];
    }
    let params = (data.as_ptr() as u64).to_le_bytes();
    let dims = Dims {
        grid: [1; 3],
        block: [32, 1, 1],
        dynamic_shared: 0,
    };
    let before = data.clone();
    assert_eq!(launch(&kernel, dims, &params), End::Done(String::new()));
    assert_ne!(data, before);
    assert_eq!(data, wanted);
}

/// A row that all blocks share: what a lane has read, another block may have set meanwhile. Half of a register's lanes lie
/// where nothing can be written, and do not write.
#[test]
fn rows_of_all_blocks() {
    const PAGE: usize = 4096;
    let kernel = compiled(PTX, "flags", best_level(), [32, 1, 1]).unwrap();
    // SAFETY: a mapping of the test's own.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            2 * PAGE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    assert_ne!(base, libc::MAP_FAILED);
    let words = base.cast::<u32>();
    let first = PAGE / 4 - 12;
    // SAFETY: inside the mapping, which nobody else knows.
    unsafe {
        for i in PAGE / 4..PAGE / 2 {
            words.add(i).write(7);
        }
        assert_eq!(
            libc::mprotect(words.add(PAGE / 4).cast(), PAGE, libc::PROT_READ),
            0
        );
    }
    // SAFETY: as above.
    let params = (unsafe { words.add(first) } as u64).to_le_bytes();
    let dims = Dims {
        grid: [4, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 0,
    };
    assert_eq!(launch(&kernel, dims, &params), End::Done(String::new()));
    // SAFETY: as above; no kernel runs any more.
    let after: Vec<u32> = (first..first + 32)
        .map(|i| unsafe { words.add(i).read() })
        .collect();
    assert_eq!(after[..12], [4; 12]);
    assert_eq!(after[12..], [7; 20]);
    // SAFETY: the mapping of above.
    unsafe { libc::munmap(base, 2 * PAGE) };
}
