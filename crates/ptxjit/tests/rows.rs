//! Contiguous accesses of some lanes only: the others' places may not exist, and keep what they hold.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

use ptxjit::testing::{Dims, End, Loaded, compiled, launch, levels};
use std::sync::Arc;

const PAGE: usize = 4096;

/// A page between two closed ones.
struct Alone(*mut u8);

impl Alone {
    fn new() -> Self {
        // SAFETY: a mapping of our own, of which the page in the middle is opened.
        unsafe {
            let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let base = libc::mmap(std::ptr::null_mut(), 3 * PAGE, libc::PROT_NONE, how, -1, 0);
            assert_ne!(base, libc::MAP_FAILED);
            let page = base.cast::<u8>().add(PAGE);
            let open = libc::PROT_READ | libc::PROT_WRITE;
            assert_eq!(libc::mprotect(page.cast(), PAGE, open), 0);
            for i in 0..PAGE {
                page.add(i).write(byte(i));
            }
            Self(page)
        }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`; no kernel runs any more.
        unsafe { libc::munmap(self.0.sub(PAGE).cast(), 3 * PAGE) };
    }
}

fn byte(at: usize) -> u8 {
    (at * 7 + at / 256) as u8
}

/// Reads `x` (or writes `s + base`) at the place of each thread from `lo` to below `hi`.
fn ptx(ty: &str, size: usize) -> String {
    let reg = if size == 8 { "b64" } else { "b32" };
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
.visible .entry reads(.param .u64 x, .param .u64 out, .param .u32 lo, .param .u32 hi)
{{
    .reg .b64 %d<9>; .reg .b32 %t, %lo, %hi; .reg .{reg} %v; .reg .pred %p, %q;
    ld.param.u64 %d1, [x];
    ld.param.u64 %d2, [out];
    ld.param.u32 %lo, [lo];
    ld.param.u32 %hi, [hi];
    mov.u32 %t, %tid.x;
    setp.lt.u32 %p, %t, %lo;
    setp.ge.or.u32 %q, %t, %hi, %p;
    @%q bra done;
    mul.wide.u32 %d3, %t, {size};
    add.s64 %d4, %d1, %d3;
    add.s64 %d5, %d2, %d3;
    ld.global.{ty} %v, [%d4];
    st.global.{ty} [%d5], %v;
done:
    ret;
}}
.visible .entry writes(.param .u64 out, .param .u32 base, .param .u32 lo, .param .u32 hi)
{{
    .reg .b64 %d<9>; .reg .b32 %t, %lo, %hi, %a, %b, %i, %w; .reg .{reg} %v; .reg .pred %p, %q;
    .shared .align 16 .b8 s[4096];
    ld.param.u64 %d2, [out];
    ld.param.u32 %b, [base];
    ld.param.u32 %lo, [lo];
    ld.param.u32 %hi, [hi];
    mov.u32 %t, %tid.x;
    mov.u32 %a, s;
    mad.lo.u32 %a, %t, 4, %a;
    mov.u32 %i, 0;
fill:
    st.shared.u32 [%a], %i;
    add.u32 %a, %a, 128;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 32;
    @%p bra fill;
    bar.sync 0;
    setp.lt.u32 %p, %t, %lo;
    setp.ge.or.u32 %q, %t, %hi, %p;
    @%q bra written;
    mov.u32 %a, s;
    add.u32 %a, %a, %b;
    mad.lo.u32 %a, %t, {size}, %a;
    add.u32 %i, %t, 64;
    cvt.{kind}.u32 %v, %i;
    st.shared.{ty} [%a], %v;
written:
    bar.sync 0;
    mov.u32 %a, s;
    mad.lo.u32 %a, %t, 4, %a;
    mul.wide.u32 %d3, %t, 4;
    add.s64 %d2, %d2, %d3;
    mov.u32 %i, 0;
copy:
    ld.shared.u32 %w, [%a];
    st.global.u32 [%d2], %w;
    add.u32 %a, %a, 128;
    add.s64 %d2, %d2, 128;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 32;
    @%p bra copy;
    ret;
}}
",
        kind = if size == 8 { "u64" } else { "u32" },
    )
}

fn prepare(ptx: &str, kernel: &str, level: u32) -> Arc<Loaded> {
    compiled(ptx, kernel, level, [32, 1, 1]).unwrap()
}

fn run(kernel: &Arc<Loaded>, params: &[u8]) -> End {
    let dims = Dims {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 0,
    };
    launch(kernel, dims, params)
}

const TYPES: [(&str, usize); 4] = [("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8)];
/// First lane and the one behind the last.
const LANES: [(u32, u32); 5] = [(0, 5), (0, 16), (7, 32), (31, 32), (9, 10)];

#[test]
fn what_no_lane_asks_for_is_not_read() {
    let memory = Alone::new();
    for (ty, size) in TYPES {
        let text = ptx(ty, size);
        for level in levels() {
            let kernel = prepare(&text, "reads", level);
            for (lo, hi) in LANES {
                // The first lane at the page's begin, the last at its end, and both amid it.
                let begin = 0usize.wrapping_sub(lo as usize * size);
                for first in [begin, PAGE - hi as usize * size, 16 * size] {
                    let mut out = vec![0xeeu8; 32 * size];
                    let mut params = (memory.0 as u64)
                        .wrapping_add(first as u64)
                        .to_le_bytes()
                        .to_vec();
                    params.extend((out.as_mut_ptr() as u64).to_le_bytes());
                    params.extend(lo.to_le_bytes());
                    params.extend(hi.to_le_bytes());
                    let what = format!("{ty} level {level} lanes {lo}..{hi} from {first:#x}");
                    assert_eq!(run(&kernel, &params), End::Done(String::new()), "{what}");
                    for (i, &got) in out.iter().enumerate() {
                        let active = (lo as usize * size..hi as usize * size).contains(&i);
                        let want = if active {
                            byte(first.wrapping_add(i))
                        } else {
                            0xee
                        };
                        assert_eq!(got, want, "{what} byte {i}");
                    }
                }
            }
        }
    }
}

#[test]
fn shared_memory_between_the_lanes_stays() {
    for (ty, size) in TYPES {
        let text = ptx(ty, size);
        for level in levels() {
            let kernel = prepare(&text, "writes", level);
            for (lo, hi) in LANES {
                let begin = 0usize.wrapping_sub(lo as usize * size);
                for base in [begin, PAGE - hi as usize * size, 24 * size] {
                    let mut out = vec![0u8; PAGE];
                    let mut params = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
                    params.extend((base as u32).to_le_bytes());
                    params.extend(lo.to_le_bytes());
                    params.extend(hi.to_le_bytes());
                    let what = format!("{ty} level {level} lanes {lo}..{hi} base {base:#x}");
                    assert_eq!(run(&kernel, &params), End::Done(String::new()), "{what}");
                    let mut want: Vec<u8> = (0..PAGE)
                        .map(|i| if i % 4 == 0 { (i / 128) as u8 } else { 0 })
                        .collect();
                    for lane in lo as usize..hi as usize {
                        let at = base.wrapping_add(lane * size);
                        want[at..at + size]
                            .copy_from_slice(&(64 + lane as u64).to_le_bytes()[..size]);
                    }
                    assert!(out == want, "{what}");
                }
            }
        }
    }
}
