//! Compiles a PTX file and says how long it took: `compile file.ptx [kernel] [bx,by,bz] [sse4|avx2|avx512]`.
#![expect(clippy::print_stdout, reason = "a tool")]

use ptxjit::compile::{Request, compile};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let ptx = std::fs::read_to_string(&args[1]).expect("a PTX file");
    let kernel = args.get(2).map(String::as_str).filter(|k| !k.is_empty());
    let block: Vec<u32> = args.get(3).map_or(vec![0; 3], |b| {
        b.split(',').filter_map(|n| n.parse().ok()).collect()
    });
    let isa = match args.get(4).map(String::as_str) {
        Some("sse4") => 1,
        Some("avx512") => 7,
        _ => 3,
    };
    let request = Request {
        ptx: &ptx,
        isa,
        kernel,
        block: [block[0], block[1], block[2]],
        opt_level: 4,
        cc: 90,
        flags: 0,
        max_ptx_version: 0,
    };
    for _ in 0..3 {
        match compile(&request) {
            Ok(out) => {
                let bytes: usize = out.cubin.kernels.iter().map(|k| k.image.len()).sum();
                println!(
                    "{} kernels, {bytes} bytes, {:?} µs",
                    out.cubin.kernels.len(),
                    out.times.map(|t| t / 1000)
                );
            }
            Err(error) => {
                println!("{error}");
                std::process::exit(1);
            }
        }
        if std::env::var_os("ANTLERITE_DUMP").is_some() {
            break;
        }
    }
}
