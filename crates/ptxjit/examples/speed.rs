//! Runs the thirteen kernels of the bench on one thread: `speed kernels.ptx [sse4|avx2|avx512] [names...]`. The PTX is
//! that of `benches/kernels/kernels.cuh`. Least time of many short runs, so that it serves on a busy machine; for
//! comparing code generators, not for judging (`cargo xtask bench kernels` does). Arrays end where their pages end, and
//! nothing is mapped behind them: code that reads more than its PTX asks for stops with kind 100. `IMAGE` names a file for the code.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a tool")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "small sizes"
)]

use ptxjit::compile::{Request, compile};
use ptxjit::testing::{Dims, End, launch, load};
use std::collections::HashMap;
use std::time::Instant;

/// A copy of `data` that ends at the end of a page with none behind it; it stays until the process ends.
fn guarded<T: Copy + 'static>(data: &[T]) -> &'static [T] {
    let (bytes, page) = (size_of_val(data), 4096);
    let room = bytes.next_multiple_of(page);
    // SAFETY: a mapping of our own; its last page is closed, the copy fits in those before it, and no reference to
    // another place in it is made.
    unsafe {
        let (access, how) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        );
        let huge = 2 << 20;
        let base = libc::mmap(std::ptr::null_mut(), room + page + huge, access, how, -1, 0);
        assert_ne!(base, libc::MAP_FAILED, "memory");
        // On huge pages, as the driver has it.
        let base = base.byte_add(base.align_offset(huge));
        libc::madvise(base, room, libc::MADV_HUGEPAGE);
        assert_eq!(
            libc::mprotect(base.byte_add(room), page, libc::PROT_NONE),
            0
        );
        let at = base.byte_add(room - bytes).cast::<T>();
        std::ptr::copy_nonoverlapping(data.as_ptr(), at, data.len());
        std::slice::from_raw_parts(at, data.len())
    }
}

#[derive(Default)]
struct Params(Vec<u8>);

impl Params {
    fn ptr<T: Copy + 'static>(mut self, data: &[T]) -> Self {
        let data = guarded(data);
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self.0
            .extend_from_slice(&(data.as_ptr() as u64).to_le_bytes());
        self
    }
    fn float(mut self, v: f32) -> Self {
        self.0.extend_from_slice(&v.to_le_bytes());
        self
    }
    fn int(mut self, v: usize) -> Self {
        self.0.extend_from_slice(&(v as i32).to_le_bytes());
        self
    }
}

/// CPU time of the process so far, once the threads of launches are gone: until then theirs is not all counted.
fn cpu_seconds() -> f64 {
    while std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 1) {
        std::thread::yield_now();
    }
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

struct Tool {
    ptx: String,
    isa: u32,
    only: Vec<String>,
}

impl Tool {
    /// Times a kernel, if it is in the file; `items` are what it handles.
    fn time(&self, name: &str, block: [u32; 3], grid: [u32; 3], items: usize, params: &Params) {
        if !self.only.is_empty() && !self.only.iter().any(|o| o == name) {
            return;
        }
        let mangled = format!("{}{name}E", name.len());
        let found = self
            .ptx
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .find(|w| w.starts_with("_ZN") && w.contains(&mangled) && !w.contains("_param_"));
        let Some(full) = found else {
            return;
        };
        let out = compile(&Request {
            ptx: &self.ptx,
            isa: self.isa,
            kernel: Some(full),
            block,
            opt_level: 4,
            cc: 90,
            flags: 0,
            max_ptx_version: 0,
        })
        .expect("compiles");
        if let Ok(path) = std::env::var("IMAGE") {
            std::fs::write(path, &out.cubin.kernels[0].image).expect("a place for the image");
        }
        let globals: HashMap<String, u64> = out
            .cubin
            .globals
            .iter()
            .map(|g| {
                let mut bytes = g.init.clone();
                bytes.resize(g.size as usize + 64, 0);
                (g.name.clone(), bytes.leak().as_ptr() as u64)
            })
            .collect();
        let kernel = load(&out.cubin.kernels[0], &globals).expect("loads");
        let dims = Dims {
            grid,
            block,
            dynamic_shared: 0,
        };
        let (mut best, begin) = (f64::MAX, Instant::now());
        for i in 0.. {
            let start = cpu_seconds();
            assert_eq!(launch(&kernel, dims, &params.0), End::Done(String::new()));
            best = best.min(cpu_seconds() - start);
            if i >= 5 && (begin.elapsed().as_secs_f64() > 0.6 || i > 200) {
                break;
            }
        }
        println!(
            "{name:14} {:9.3} ms {:9.3} ns/item   form {}   compile {:.1} ms CPU",
            best * 1e3,
            best * 1e9 / items as f64,
            kernel.header.kind,
            out.times.iter().sum::<u64>() as f64 / 1e6
        );
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let ptx = std::fs::read_to_string(args.next().expect("a PTX file")).expect("a PTX file");
    let isa = match args.next().as_deref() {
        Some("sse4") => 1,
        Some("avx512") => 7,
        _ => 3,
    };
    let t = Tool {
        ptx,
        isa,
        only: args.collect(),
    };
    let mut seed = 1u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8
    };
    let n = 1usize << std::env::var("LOG").map_or(18, |v| v.parse().expect("a number"));
    let blocks = (n / 256) as u32;
    let a: Vec<f32> = (0..n).map(|_| random() as f32 / 16_777_216.0).collect();
    let b: Vec<f32> = (0..n).map(|_| random() as f32 / 16_777_216.0).collect();
    let c = vec![0f32; n];
    let d = vec![0f32; n];
    let p = Params::default().ptr(&a).ptr(&b).ptr(&c).int(n);
    t.time("vecadd", [256, 1, 1], [blocks, 1, 1], n, &p);
    let p = Params::default().ptr(&a).ptr(&c).int(n);
    t.time("reduce", [256, 1, 1], [256, 1, 1], n, &p);
    let m = 256usize;
    let p = Params::default().ptr(&a).ptr(&b).ptr(&c).int(m);
    let grid = [(m / 16) as u32, (m / 16) as u32, 1];
    t.time("sgemm_naive", [16, 16, 1], grid, m * m * m, &p);
    t.time("sgemm_tiled", [16, 16, 1], grid, m * m * m, &p);
    let sums = vec![0i32; n / 256];
    let p = Params::default().ptr(&a).ptr(&c).ptr(&sums).int(n);
    t.time("scan_block", [1024, 1, 1], [(n / 1024) as u32, 1, 1], n, &p);
    let bodies = 2048usize;
    let p = Params::default().ptr(&a).ptr(&c).int(bodies);
    let grid = [(bodies / 256) as u32, 1, 1];
    t.time("nbody", [256, 1, 1], grid, bodies * bodies, &p);
    let p = Params::default().ptr(&c).int(256).int(256).int(256);
    t.time("mandel", [32, 8, 1], [8, 32, 1], 256 * 256, &p);
    let options = 1usize << 16;
    let grow = |v: &[f32], k: f32, o: f32| -> Vec<f32> {
        v[..options].iter().map(|x| x * k + o).collect()
    };
    let (s, x, y) = (
        grow(&a, 25.0, 5.0),
        grow(&b, 99.0, 1.0),
        grow(&a, 9.75, 0.25),
    );
    let p = Params::default()
        .ptr(&s)
        .ptr(&x)
        .ptr(&y)
        .ptr(&c)
        .ptr(&d)
        .int(options);
    let grid = [(options / 256) as u32, 1, 1];
    t.time("blackscholes", [256, 1, 1], grid, options, &p);
    let words: Vec<u32> = (0..n).map(|_| random() ^ random() << 16).collect();
    let bins = vec![0u32; 256];
    let p = Params::default().ptr(&words).ptr(&bins).int(n / 2);
    t.time("hist", [256, 1, 1], [256, 1, 1], n / 2, &p);
    let side = 1usize << (n.ilog2() / 2);
    let p = Params::default().ptr(&a).ptr(&c).int(side).int(side);
    let wide = (side / 32) as u32;
    t.time("jacobi", [32, 8, 1], [wide, wide * 4, 1], n, &p);
    t.time("transpose", [32, 8, 1], [wide, wide, 1], n, &p);
    for (label, j) in [("j=4", 4), ("j=1024", 1024)] {
        print!("{label:7}");
        let keys: Vec<u32> = (0..1 << 18).map(|_| random()).collect();
        let p = Params::default().ptr(&keys).int(j).int(2048);
        t.time("bitonic", [256, 1, 1], [1024, 1, 1], 1 << 18, &p);
    }
    let rows = 1usize << 16;
    let mut starts = vec![0i32];
    for i in 0..rows {
        starts.push(starts[i] + 8 + (random() % 17) as i32);
    }
    let columns: Vec<i32> = (0..rows)
        .flat_map(|i| (starts[i]..starts[i + 1]).map(move |_| i as i32))
        .map(|i| (i + (random() % 4096) as i32 - 2048).clamp(0, rows as i32 - 1))
        .collect();
    let values: Vec<f32> = columns
        .iter()
        .map(|_| random() as f32 / 16_777_216.0)
        .collect();
    let p = Params::default()
        .ptr(&starts)
        .ptr(&columns)
        .ptr(&values)
        .ptr(&b[..rows])
        .ptr(&c[..rows])
        .int(rows);
    t.time(
        "spmv",
        [256, 1, 1],
        [(rows / 256) as u32, 1, 1],
        columns.len(),
        &p,
    );
    further(&t, &mut random, &a, &b);
}

/// Kernels of `benches/further`.
fn further(t: &Tool, random: &mut dyn FnMut() -> u32, a: &[f32], b: &[f32]) {
    grids(t, random);
    keys(t, random);
    let text: Vec<u8> = (0..1 << 18)
        .map(|_| b"acgt"[(random() % 4) as usize])
        .collect();
    let wanted: Vec<u8> = (0..14).map(|_| b"acgt"[(random() % 4) as usize]).collect();
    let (found, count) = (vec![0u32; text.len() / 32], [0u32]);
    let p = Params::default()
        .ptr(&text)
        .ptr(&wanted)
        .ptr(&found)
        .ptr(&count);
    let p = p.int(text.len()).int(wanted.len());
    t.time("string_match", [256, 1, 1], [1024, 1, 1], text.len(), &p);
    let n = 64 * 256;
    let out = vec![0f32; n];
    let p = Params::default()
        .ptr(&a[..n])
        .ptr(&b[..n])
        .ptr(&a[n..2 * n])
        .ptr(&out)
        .int(256);
    t.time("attention", [64, 1, 1], [4, 1, 1], 256 * 256, &p);
    let (rows, width) = (256usize, 768usize);
    let out = vec![0f32; rows * width];
    let p = Params::default()
        .ptr(&a[..rows * width])
        .ptr(&b[..width])
        .ptr(&b[width..2 * width]);
    let p = p.ptr(&out).int(rows).int(width);
    t.time("layer_norm", [128, 1, 1], [64, 1, 1], rows * width, &p);
    let n = 1usize << 13;
    let words: Vec<u32> = (0..16 * n).map(|_| random()).collect();
    let out = vec![0u32; 8 * n];
    let p = Params::default().ptr(&words).ptr(&out).int(n);
    t.time("sha256", [128, 1, 1], [(n / 128) as u32, 1, 1], n, &p);
    let n = 256usize;
    let (out, grid) = (vec![0u32; n * n], [(n / 16) as u32, (n / 16) as u32, 1]);
    let words = &words[..n * n / 4];
    let p = Params::default().ptr(words).ptr(words).ptr(&out).int(n);
    t.time("igemm", [16, 16, 1], grid, n * n * n, &p);
    let (n, set) = (13u32, 4);
    let mut prefixes = Vec::new();
    let mut rows = vec![(0u32, 0u32, 0u32, 0)];
    while let Some((c, l, r, row)) = rows.pop() {
        if row == set {
            prefixes.extend([c, l, r]);
            continue;
        }
        let mut open = ((1 << n) - 1) & !(c | l | r);
        while open != 0 {
            let bit = open & open.wrapping_neg();
            open ^= bit;
            rows.push((c | bit, (l | bit) << 1, (r | bit) >> 1, row + 1));
        }
    }
    let count = prefixes.len() / 3;
    let out = vec![0u32; count];
    let p = Params::default().ptr(&prefixes).ptr(&out);
    let p = p.int(count).int(n as usize).int(set);
    t.time(
        "queens",
        [96, 1, 1],
        [count.div_ceil(96) as u32, 1, 1],
        count,
        &p,
    );
    let (rows, width) = (64usize, 1000usize);
    let (x, y) = (&a[..rows * width], vec![0f32; rows * width]);
    let p = Params::default().ptr(x).ptr(&y).int(width);
    t.time(
        "softmax",
        [256, 1, 1],
        [rows as u32, 1, 1],
        rows * width,
        &p,
    );
}

/// Kernels on grids, in the sizes of the bench.
fn grids(t: &Tool, random: &mut dyn FnMut() -> u32) {
    let mut field = |n: usize| -> Vec<f32> {
        (0..n)
            .map(|_| 0.5 + random() as f32 / 16_777_216.0)
            .collect()
    };
    let (nx, ny, nz) = (96usize, 48usize, 48usize);
    let (a, b) = (field(19 * nx * ny * nz), vec![0f32; 19 * nx * ny * nz]);
    let p = Params::default().ptr(&a).ptr(&b).int(nx).int(ny).int(nz);
    let grid = [1, ny as u32, nz as u32];
    t.time("lbm", [128, 1, 1], grid, nx * ny * nz, &p.float(1.2));
    let (w, h) = (1024usize, 1024usize);
    let (a, b, c, d) = (
        field(w * h),
        field(w * h),
        vec![0f32; w * h],
        vec![0f32; 4 * w * h],
    );
    let p = Params::default().ptr(&a).ptr(&c).ptr(&d).int(w).int(h);
    let (grid, block) = ([(w / 32) as u32, (h / 8) as u32, 1], [32, 8, 1]);
    t.time("srad_coefficients", block, grid, w * h, &p.float(0.05));
    let p = Params::default().ptr(&a).ptr(&c).ptr(&d).int(w).int(h);
    t.time("srad_update", block, grid, w * h, &p.float(0.5));
    let p = Params::default().ptr(&a).ptr(&b).ptr(&c);
    let p = p.int(w).int(h).int(2);
    let grid = [w.div_ceil(28) as u32, h.div_ceil(12) as u32, 1];
    t.time("hotspot", [32, 16, 1], grid, w * h, &p);
    let (w, h) = (2048usize, 1024usize);
    let (a, b) = (field(w * h), vec![0f32; w * h]);
    let p = Params::default().ptr(&a).ptr(&b).int(w).int(h);
    let (rows, columns) = (
        [(w / 128) as u32, (h / 8) as u32, 1],
        [(w / 32) as u32, (h / 32) as u32, 1],
    );
    t.time("convolution_rows", block, rows, w * h, &p);
    t.time("convolution_columns", block, columns, w * h, &p);
    let (nx, ny, nz) = (128usize, 128usize, 96usize);
    let n = (nx + 8) * (ny + 8) * (nz + 8);
    let (a, b, c) = (field(n), vec![0f32; n], field(5));
    let p = Params::default().ptr(&a).ptr(&b).ptr(&c);
    let p = p.int(nx).int(ny).int(nz);
    let grid = [(nx / 32) as u32, (ny / 8) as u32, 1];
    t.time("fdtd3d", block, grid, nx * ny * nz, &p);
    let (a, b, c) = (field(512 * 2048), vec![0f32; 512 * 2048], field(2048));
    let p = Params::default().ptr(&a).ptr(&b).ptr(&c);
    t.time("fft", [256, 1, 1], [512, 1, 1], 512 * 1024, &p);
}

/// Passes of sorting and of reduction by key, in the sizes of the bench.
fn keys(t: &Tool, random: &mut dyn FnMut() -> u32) {
    let n = 1usize << 21;
    let tiles = n / 1024;
    let key: Vec<u32> = (0..n).map(|_| random() ^ random() << 16).collect();
    let mut counts = vec![0u32; tiles * 16];
    for (i, k) in key.iter().enumerate() {
        counts[(k >> 8 & 15) as usize * tiles + i / 1024] += 1;
    }
    let mut sum = 0;
    for c in &mut counts {
        sum += *c;
        *c = sum - *c;
    }
    let (out, other) = (vec![0u32; n], vec![0u32; tiles * 16]);
    let grid = [tiles as u32, 1, 1];
    let p = Params::default().ptr(&key).ptr(&other).int(n).int(8);
    t.time("radix_count", [256, 1, 1], grid, n, &p);
    let p = Params::default().ptr(&key).ptr(&out).ptr(&counts);
    t.time("radix_scatter", [256, 1, 1], grid, n, &p.int(n).int(8));
    let p = Params::default().ptr(&other).int(other.len());
    t.time("radix_scan", [1024, 1, 1], [1, 1, 1], other.len(), &p);
    let n = 1usize << 22;
    let (mut k, mut heads) = (0, vec![0u32; n / 256 + 1]);
    let mut runs = 0;
    let key: Vec<u32> = (0..n)
        .map(|i| {
            if i.is_multiple_of(256) {
                heads[i / 256] = runs;
            }
            let head = random().is_multiple_of(12) || i == 0;
            k += u32::from(head);
            runs += u32::from(head);
            k
        })
        .collect();
    let value = vec![1u32; n];
    let (keys, sums) = (vec![0u32; n], vec![0u32; n]);
    let grid = [(n / 256) as u32, 1, 1];
    let made = vec![0u32; n / 256 + 1];
    let p = Params::default().ptr(&key).ptr(&made).int(n);
    t.time("run_heads", [256, 1, 1], grid, n, &p);
    let p = Params::default().ptr(&key).ptr(&value).ptr(&keys);
    let p = p.ptr(&sums).ptr(&heads).int(n);
    t.time("run_sums", [256, 1, 1], grid, n, &p);
}
