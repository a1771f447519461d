//! Real kernels, compiled by nvcc to PTX and by us to code, against results computed on the host.
//!
//! Sources: `kernels.cu` beside this file. Where there is no nvcc, the tests say `not judged`.
//! `timing` (ignored) prints speeds: `cargo test --release -p ptxjit --test kernels timing -- --ignored --nocapture`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "tests")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "small test data"
)]

use abi::jit::request_flags;
use abi::sm::isa;
use ptxjit::compile::{Request, compile};
use ptxjit::testing::{Dims, End, Loaded, launch, levels, load};
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, OnceLock};

fn nvcc() -> Option<PathBuf> {
    let root = env!("CARGO_MANIFEST_DIR");
    [
        std::env::var("ANTLERITE_TOOLKIT").unwrap_or_default(),
        format!("{root}/../../.toolkit/cuda-13.0"),
    ]
    .iter()
    .map(|dir| PathBuf::from(dir).join("bin/nvcc"))
    .find(|p| p.exists())
}

/// PTX of `kernels.cu`; `None` without nvcc.
fn ptx() -> Option<&'static str> {
    static PTX: OnceLock<Option<String>> = OnceLock::new();
    PTX.get_or_init(|| {
        let nvcc = nvcc()?;
        let out = std::env::temp_dir().join(format!("ptxjit-kernels-{}.ptx", std::process::id()));
        let source = format!("{}/tests/kernels.cu", env!("CARGO_MANIFEST_DIR"));
        let run = Command::new(nvcc)
            .args(["-ptx", "-arch=compute_90", "-lineinfo", "-o"])
            .arg(&out)
            .arg(source)
            .output()
            .ok()?;
        assert!(
            run.status.success(),
            "nvcc: {}",
            String::from_utf8_lossy(&run.stderr)
        );
        let text = std::fs::read_to_string(&out).ok();
        let _ = std::fs::remove_file(out);
        text
    })
    .as_deref()
}

#[derive(Default)]
struct Params(Vec<u8>);

impl Params {
    fn ptr<T>(mut self, data: &[T]) -> Self {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self.0
            .extend_from_slice(&(data.as_ptr() as u64).to_le_bytes());
        self
    }
    fn int(mut self, v: i32) -> Self {
        self.0.extend_from_slice(&v.to_le_bytes());
        self
    }
}

fn prepare(name: &str, block: [u32; 3], isa: u32, flags: u32) -> Option<Arc<Loaded>> {
    let Some(ptx) = ptx() else {
        println!("not judged: no nvcc");
        return None;
    };
    let request = Request {
        ptx,
        isa,
        kernel: Some(name),
        block,
        opt_level: 4,
        cc: 90,
        flags,
        max_ptx_version: 0,
    };
    let out = compile(&request).unwrap_or_else(|e| panic!("{name}: {e}"));
    Some(load(&out.cubin.kernels[0], &HashMap::new()).unwrap())
}

fn go(kernel: &Arc<Loaded>, grid: [u32; 3], block: [u32; 3], params: &Params) {
    let end = launch(
        kernel,
        Dims {
            grid,
            block,
            dynamic_shared: 0,
        },
        &params.0,
    );
    assert_eq!(end, End::Done(String::new()));
}

/// All ways to compile a kernel for a block shape.
fn variants(name: &str, block: [u32; 3]) -> Vec<(String, Arc<Loaded>)> {
    let mut out = Vec::new();
    for isa in levels() {
        for (what, shape, flags) in [
            ("specialised", block, 0),
            ("any block", [0; 3], 0),
            ("fibers", block, request_flags::FORCE_WARP_ENTRY),
        ] {
            if let Some(kernel) = prepare(name, shape, isa, flags) {
                out.push((format!("{name} isa {isa} {what}"), kernel));
            }
        }
    }
    out
}

struct Random(u32);
impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
    fn float(&mut self) -> f32 {
        (self.next() >> 8) as f32 / 16_777_216.0
    }
    fn floats(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.float()).collect()
    }
}

fn close(what: &str, got: &[f32], want: &[f32], tolerance: f32) {
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!(
            (g - w).abs() <= tolerance * w.abs().max(1.0),
            "{what}: [{i}] {g} instead of {w}"
        );
    }
}

#[test]
fn vecadd() {
    let mut r = Random(1);
    for (n, block) in [(1000usize, 256u32), (1024, 128), (77, 50), (5, 1)] {
        let (a, b) = (r.floats(n), r.floats(n));
        let want: Vec<f32> = a.iter().zip(&b).map(|(x, y)| x + y).collect();
        for (what, k) in variants("vecadd", [block, 1, 1]) {
            let c = vec![0f32; n];
            let p = Params::default().ptr(&a).ptr(&b).ptr(&c).int(n as i32);
            go(&k, [(n as u32).div_ceil(block), 1, 1], [block, 1, 1], &p);
            assert_eq!(c, want, "{what} n {n}");
        }
    }
}

fn matrix_product(a: &[f32], b: &[f32], n: usize) -> Vec<f32> {
    let mut c = vec![0f32; n * n];
    for y in 0..n {
        for x in 0..n {
            c[y * n + x] = (0..n).fold(0f32, |s, k| a[y * n + k].mul_add(b[k * n + x], s));
        }
    }
    c
}

#[test]
fn sgemm() {
    let n = 48;
    let mut r = Random(2);
    let (a, b) = (r.floats(n * n), r.floats(n * n));
    let want = matrix_product(&a, &b, n);
    for (name, block) in [
        ("sgemm_tiled", [16, 16, 1]),
        ("sgemm_naive", [16, 16, 1]),
        ("sgemm_naive", [32, 8, 1]),
    ] {
        for (what, k) in variants(name, block) {
            let c = vec![0f32; n * n];
            let p = Params::default().ptr(&a).ptr(&b).ptr(&c).int(n as i32);
            go(
                &k,
                [
                    (n as u32).div_ceil(block[0]),
                    (n as u32).div_ceil(block[1]),
                    1,
                ],
                block,
                &p,
            );
            close(&what, &c, &want, 1e-5);
        }
    }
}

#[test]
fn reduce() {
    let n = 10_000;
    let x = Random(3).floats(n);
    let want: f64 = x.iter().map(|&v| f64::from(v)).sum();
    for (what, k) in variants("reduce", [256, 1, 1]) {
        let out = vec![0f32; 1];
        let p = Params::default().ptr(&x).ptr(&out).int(n as i32);
        go(&k, [4, 1, 1], [256, 1, 1], &p);
        close(&what, &out, &[want as f32], 1e-4);
    }
}

#[test]
fn scan() {
    let n = 1000usize;
    let mut r = Random(4);
    let input: Vec<i32> = (0..n).map(|_| (r.next() % 100) as i32).collect();
    for (what, k) in variants("scan_block", [256, 1, 1]) {
        let (out, sums) = (vec![0i32; n], vec![0i32; 4]);
        let p = Params::default()
            .ptr(&input)
            .ptr(&out)
            .ptr(&sums)
            .int(n as i32);
        go(&k, [4, 1, 1], [256, 1, 1], &p);
        for (block, &total) in sums.iter().enumerate() {
            let mut sum = 0;
            for i in block * 256..((block + 1) * 256).min(n) {
                sum += input[i];
                assert_eq!(out[i], sum, "{what} at {i}");
            }
            assert_eq!(total, sum, "{what} block {block}");
        }
    }
}

#[test]
fn nbody() {
    let n = 512usize;
    let pos = Random(5).floats(4 * n);
    let mut want = vec![0f32; 4 * n];
    for i in 0..n {
        let mut acc = [0f64; 3];
        for j in 0..n {
            let d: Vec<f64> = (0..3)
                .map(|k| f64::from(pos[4 * j + k]) - f64::from(pos[4 * i + k]))
                .collect();
            let s = d.iter().map(|x| x * x).sum::<f64>() + 0.01;
            let f = f64::from(pos[4 * j + 3]) / (s * s.sqrt());
            for k in 0..3 {
                acc[k] += d[k] * f;
            }
        }
        for k in 0..3 {
            want[4 * i + k] = acc[k] as f32;
        }
    }
    for (what, k) in variants("nbody", [256, 1, 1]) {
        let acc = vec![0f32; 4 * n];
        let p = Params::default().ptr(&pos).ptr(&acc).int(n as i32);
        go(&k, [2, 1, 1], [256, 1, 1], &p);
        close(&what, &acc, &want, 1e-3);
    }
}

fn mandel_host(w: usize, h: usize, most: i32) -> Vec<i32> {
    let mut out = vec![0; w * h];
    for y in 0..h {
        for x in 0..w {
            let cr = (3.0f32 * x as f32) / w as f32 + -2.0;
            let ci = (2.0f32 * y as f32) / h as f32 + -1.0;
            let (mut zr, mut zi, mut i) = (cr, ci, 0);
            while i < most && zr.mul_add(zr, zi * zi) <= 4.0 {
                let nr = zr.mul_add(zr, -(zi * zi));
                let ni = (zr + zr) * zi;
                (zr, zi) = (cr + nr, ci + ni);
                i += 1;
            }
            out[y * w + x] = i;
        }
    }
    out
}

#[test]
fn mandel() {
    let (w, h) = (100usize, 60usize);
    let want = mandel_host(w, h, 64);
    for block in [[32, 4, 1], [16, 16, 1]] {
        for (what, k) in variants("mandel", block) {
            let out = vec![-1i32; w * h];
            let p = Params::default()
                .ptr(&out)
                .int(w as i32)
                .int(h as i32)
                .int(64);
            go(
                &k,
                [
                    (w as u32).div_ceil(block[0]),
                    (h as u32).div_ceil(block[1]),
                    1,
                ],
                block,
                &p,
            );
            let wrong = out.iter().zip(&want).filter(|(a, b)| a != b).count();
            assert!(wrong <= w * h / 100, "{what}: {wrong} points differ");
        }
    }
}

#[test]
fn blackscholes() {
    let n = 1000usize;
    let mut r = Random(6);
    let s: Vec<f32> = (0..n).map(|_| 5.0 + 25.0 * r.float()).collect();
    let x: Vec<f32> = (0..n).map(|_| 1.0 + 99.0 * r.float()).collect();
    let t: Vec<f32> = (0..n).map(|_| 0.25 + 9.75 * r.float()).collect();
    let cnd = |d: f64| {
        let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
        let poly = k
            * (0.319_381_53
                + k * (-0.356_563_782
                    + k * (1.781_477_937 + k * (-1.821_255_978 + k * 1.330_274_429))));
        let c = 0.398_942_280_401_432_7 * (-0.5 * d * d).exp() * poly;
        if d > 0.0 { 1.0 - c } else { c }
    };
    let (rate, v) = (0.02f64, 0.30f64);
    let (mut calls, mut puts) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (s, x, t) = (f64::from(s[i]), f64::from(x[i]), f64::from(t[i]));
        let q = t.sqrt();
        let d1 = ((s / x).ln() + (rate + 0.5 * v * v) * t) / (v * q);
        let d2 = d1 - v * q;
        let e = (-rate * t).exp();
        calls.push((s * cnd(d1) - x * e * cnd(d2)) as f32);
        puts.push((x * e * (1.0 - cnd(d2)) - s * (1.0 - cnd(d1))) as f32);
    }
    for (what, k) in variants("blackscholes", [128, 1, 1]) {
        let (call, put) = (vec![0f32; n], vec![0f32; n]);
        let p = Params::default()
            .ptr(&s)
            .ptr(&x)
            .ptr(&t)
            .ptr(&call)
            .ptr(&put)
            .int(n as i32);
        go(&k, [8, 1, 1], [128, 1, 1], &p);
        close(&what, &call, &calls, 1e-4);
        close(&what, &put, &puts, 1e-4);
    }
}

#[test]
fn histogram() {
    let n = 3000usize;
    let mut r = Random(7);
    let input: Vec<u32> = (0..n).map(|_| r.next()).collect();
    let mut want = vec![0u32; 256];
    for w in &input {
        for b in w.to_le_bytes() {
            want[usize::from(b)] += 1;
        }
    }
    for (what, k) in variants("hist", [256, 1, 1]) {
        let bins = vec![0u32; 256];
        let p = Params::default().ptr(&input).ptr(&bins).int(n as i32);
        go(&k, [3, 1, 1], [256, 1, 1], &p);
        assert_eq!(bins, want, "{what}");
    }
}

#[test]
fn jacobi() {
    let (w, h) = (70usize, 50usize);
    let input = Random(8).floats(w * h);
    let mut want = vec![0f32; w * h];
    for y in 1..h - 1 {
        for x in 1..w - 1 {
            let i = y * w + x;
            want[i] = 0.2 * (input[i] + input[i - 1] + input[i + 1] + input[i - w] + input[i + w]);
        }
    }
    for block in [[32, 8, 1], [16, 16, 1]] {
        for (what, k) in variants("jacobi", block) {
            let out = vec![0f32; w * h];
            let p = Params::default()
                .ptr(&input)
                .ptr(&out)
                .int(w as i32)
                .int(h as i32);
            go(
                &k,
                [
                    (w as u32).div_ceil(block[0]),
                    (h as u32).div_ceil(block[1]),
                    1,
                ],
                block,
                &p,
            );
            close(&what, &out, &want, 1e-6);
        }
    }
}

#[test]
fn transpose() {
    let (w, h) = (96usize, 64usize);
    let input = Random(9).floats(w * h);
    for (what, k) in variants("transpose", [32, 8, 1]) {
        let out = vec![0f32; w * h];
        let p = Params::default()
            .ptr(&input)
            .ptr(&out)
            .int(w as i32)
            .int(h as i32);
        go(&k, [w as u32 / 32, h as u32 / 32, 1], [32, 8, 1], &p);
        for y in 0..h {
            for x in 0..w {
                assert_eq!(
                    out[x * h + y].to_bits(),
                    input[y * w + x].to_bits(),
                    "{what} at {x},{y}"
                );
            }
        }
    }
}

#[test]
fn bitonic() {
    let n = 1024usize;
    let mut r = Random(10);
    let input: Vec<i32> = (0..n).map(|_| r.next() as i32).collect();
    let mut want = input.clone();
    want.sort_unstable();
    for (what, kernel) in variants("bitonic", [256, 1, 1]) {
        let data = input.clone();
        let mut k = 2;
        while k <= n {
            let mut j = k / 2;
            while j > 0 {
                let p = Params::default().ptr(&data).int(j as i32).int(k as i32);
                go(&kernel, [4, 1, 1], [256, 1, 1], &p);
                j /= 2;
            }
            k *= 2;
        }
        assert_eq!(data, want, "{what}");
    }
}

#[test]
fn spmv() {
    let n = 300usize;
    let mut r = Random(11);
    let (mut rows, mut columns, mut values) = (vec![0i32], Vec::new(), Vec::new());
    for _ in 0..n {
        for _ in 0..r.next() % 9 {
            columns.push((r.next() as usize % n) as i32);
            values.push(r.float());
        }
        rows.push(columns.len() as i32);
    }
    let x = r.floats(n);
    let want: Vec<f32> = (0..n)
        .map(|i| {
            (rows[i] as usize..rows[i + 1] as usize)
                .fold(0f32, |s, k| values[k].mul_add(x[columns[k] as usize], s))
        })
        .collect();
    for (what, k) in variants("spmv", [128, 1, 1]) {
        let y = vec![0f32; n];
        let p = Params::default()
            .ptr(&rows)
            .ptr(&columns)
            .ptr(&values)
            .ptr(&x)
            .ptr(&y)
            .int(n as i32);
        go(&k, [3, 1, 1], [128, 1, 1], &p);
        close(&what, &y, &want, 1e-5);
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let Some(ptx) = ptx() else { return };
    let request = Request {
        ptx,
        isa: 3,
        kernel: Some("scan_block"),
        block: [256, 1, 1],
        opt_level: 4,
        cc: 90,
        flags: 0,
        max_ptx_version: 0,
    };
    let first = compile(&request).unwrap().cubin.write().unwrap();
    assert_eq!(compile(&request).unwrap().cubin.write().unwrap(), first);
}

#[test]
fn avx512_code_assembles() {
    for name in [
        "vecadd",
        "sgemm_tiled",
        "reduce",
        "scan_block",
        "nbody",
        "blackscholes",
        "hist",
        "spmv",
        "mandel",
    ] {
        let _ = prepare(name, [256, 1, 1], isa::SSE4 | isa::AVX2 | isa::AVX512, 0);
    }
}

#[test]
fn a_misaligned_address_stops_the_grid() {
    let Some(k) = prepare("vecadd", [32, 1, 1], 3, 0) else {
        return;
    };
    let data = vec![0u8; 4096];
    let p = Params::default()
        .ptr(&data[1..])
        .ptr(&data)
        .ptr(&data)
        .int(32);
    match launch(
        &k,
        Dims {
            grid: [1; 3],
            block: [32, 1, 1],
            dynamic_shared: 0,
        },
        &p.0,
    ) {
        End::Trapped(trap) => {
            let odd = u64::from((data.as_ptr() as usize).is_multiple_of(4));
            assert_eq!(
                (trap.kind, trap.address % 4),
                (abi::sm::trap::MISALIGNED, odd)
            );
            assert!(trap.line > 0);
        }
        other => panic!("{other:?}"),
    }
}

/// CPU time of the process: the machine may be shared.
fn cpu_seconds() -> f64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

fn time(name: &str, unit: &str, work: f64, block: [u32; 3], grid: [u32; 3], params: &Params) {
    let Some(k) = prepare(
        name,
        block,
        std::env::var("ISA").map_or(3, |v| v.parse().unwrap()),
        0,
    ) else {
        return;
    };
    let mut best = f64::MAX;
    // The clock lags by up to a tick for a thread that is just ending: several launches in one reading.
    const LAUNCHES: u32 = 10;
    for _ in 0..4 {
        let start = cpu_seconds();
        for _ in 0..LAUNCHES {
            go(&k, grid, block, params);
        }
        best = best.min((cpu_seconds() - start) / f64::from(LAUNCHES));
    }
    println!(
        "{name:14} {:10.3} {unit}   ({:.2} ms)",
        work / best / 1e9,
        best * 1e3
    );
}

#[test]
#[ignore = "measures"]
fn timing() {
    let mut r = Random(42);
    let n = 1 << 22;
    let (a, b, c) = (r.floats(n), r.floats(n), vec![0f32; n]);
    let gb = n as f64 * 4.0;
    let p = Params::default().ptr(&a).ptr(&b).ptr(&c).int(n as i32);
    time(
        "vecadd",
        "GB/s",
        3.0 * gb,
        [256, 1, 1],
        [n as u32 / 256, 1, 1],
        &p,
    );
    let p = Params::default().ptr(&a).ptr(&c).int(n as i32);
    time("reduce", "GB/s", gb, [256, 1, 1], [64, 1, 1], &p);
    let m = 384usize;
    let flops = 2.0 * (m * m * m) as f64;
    let p = Params::default().ptr(&a).ptr(&b).ptr(&c).int(m as i32);
    time(
        "sgemm_naive",
        "GF/s",
        flops,
        [32, 8, 1],
        [m as u32 / 32, m as u32 / 8, 1],
        &p,
    );
    time(
        "sgemm_tiled",
        "GF/s",
        flops,
        [16, 16, 1],
        [m as u32 / 16, m as u32 / 16, 1],
        &p,
    );
    let p = Params::default().ptr(&a).ptr(&c).ptr(&b[..0]).int(n as i32);
    let _ = p;
    let sums = vec![0i32; n / 256];
    let p = Params::default().ptr(&a).ptr(&c).ptr(&sums).int(n as i32);
    time(
        "scan_block",
        "GB/s",
        2.0 * gb,
        [256, 1, 1],
        [n as u32 / 256, 1, 1],
        &p,
    );
    let bodies = 4096usize;
    let p = Params::default().ptr(&a).ptr(&c).int(bodies as i32);
    time(
        "nbody",
        "GF/s",
        20.0 * (bodies * bodies) as f64,
        [256, 1, 1],
        [bodies as u32 / 256, 1, 1],
        &p,
    );
    let (w, h, most) = (512usize, 512usize, 256);
    let total: f64 = mandel_host(w, h, most).iter().map(|&i| f64::from(i)).sum();
    let p = Params::default()
        .ptr(&c)
        .int(w as i32)
        .int(h as i32)
        .int(most);
    time(
        "mandel",
        "GF/s",
        8.0 * total,
        [32, 8, 1],
        [w as u32 / 32, h as u32 / 8, 1],
        &p,
    );
    let options = 1 << 19;
    let s: Vec<f32> = a[..options].iter().map(|v| 5.0 + 25.0 * v).collect();
    let x: Vec<f32> = b[..options].iter().map(|v| 1.0 + 99.0 * v).collect();
    let t: Vec<f32> = a[options..2 * options]
        .iter()
        .map(|v| 0.25 + 9.75 * v)
        .collect();
    let put = vec![0f32; options];
    let p = Params::default()
        .ptr(&s)
        .ptr(&x)
        .ptr(&t)
        .ptr(&c)
        .ptr(&put)
        .int(options as i32);
    time(
        "blackscholes",
        "Gopt/s",
        options as f64,
        [256, 1, 1],
        [options as u32 / 256, 1, 1],
        &p,
    );
    let words: Vec<u32> = (0..n).map(|_| r.next()).collect();
    let bins = vec![0u32; 256];
    let p = Params::default().ptr(&words).ptr(&bins).int(n as i32);
    time("hist", "GB/s", gb, [256, 1, 1], [64, 1, 1], &p);
    let side = 2048usize;
    let p = Params::default()
        .ptr(&a)
        .ptr(&c)
        .int(side as i32)
        .int(side as i32);
    time(
        "jacobi",
        "GB/s",
        2.0 * gb,
        [32, 8, 1],
        [side as u32 / 32, side as u32 / 8, 1],
        &p,
    );
    time(
        "transpose",
        "GB/s",
        2.0 * gb,
        [32, 8, 1],
        [side as u32 / 32, side as u32 / 32, 1],
        &p,
    );
    let p = Params::default().ptr(&words).int(64).int(1024);
    time(
        "bitonic",
        "Gel/s",
        n as f64,
        [256, 1, 1],
        [n as u32 / 256, 1, 1],
        &p,
    );
    let rows = 1usize << 17;
    let per = 16usize;
    let starts: Vec<i32> = (0..=rows).map(|i| (i * per) as i32).collect();
    let columns: Vec<i32> = (0..rows * per)
        .map(|_| (r.next() as usize % rows) as i32)
        .collect();
    let y = vec![0f32; rows];
    let p = Params::default()
        .ptr(&starts)
        .ptr(&columns)
        .ptr(&a)
        .ptr(&b)
        .ptr(&y)
        .int(rows as i32);
    time(
        "spmv",
        "GF/s",
        2.0 * (rows * per) as f64,
        [256, 1, 1],
        [rows as u32 / 256, 1, 1],
        &p,
    );
}
