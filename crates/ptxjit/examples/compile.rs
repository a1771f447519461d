//! Compiles a PTX file and says how long it took: `compile file.ptx [kernel] [bx,by,bz] [sse4|avx2|avx512]`. Kernel `*`:
//! one line for each kernel, with the CPU time of parsing, front end, passes and code generation of the best of three.
#![expect(clippy::print_stdout, reason = "a tool")]

use ptxjit::compile::{Output, Request, compile};

fn bytes(out: &Output) -> usize {
    out.cubin.kernels.iter().map(|k| k.image.len()).sum()
}

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
    if kernel == Some("*") {
        each(&request);
        return;
    }
    for _ in 0..3 {
        match compile(&request) {
            Ok(out) => {
                println!(
                    "{} kernels, {} bytes, {:?} µs",
                    out.cubin.kernels.len(),
                    bytes(&out),
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

fn each(request: &Request<'_>) {
    let module = ptx::parse(request.ptx).expect("PTX");
    let checked = ptx::check(&module, &ptx::Policy::default()).expect("PTX");
    let layout = ptx::layout::Layout::new(&checked).expect("PTX");
    let rounds: u32 = std::env::var("ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3);
    let mut total = 0;
    for kernel in &layout.kernels {
        let mut best: Option<Output> = None;
        for _ in 0..rounds {
            let one = compile(&Request {
                kernel: Some(&kernel.name),
                ..*request
            });
            match one {
                Ok(out) => {
                    let time = |o: &Output| o.times.iter().sum::<u64>();
                    if best.as_ref().is_none_or(|b| time(b) > time(&out)) {
                        best = Some(out);
                    }
                }
                Err(error) => {
                    println!("{}: {error}", kernel.name);
                    break;
                }
            }
        }
        if let Some(out) = best {
            let [a, b, c, d] = out.times.map(|t| t as f64 / 1e6);
            total += out.times.iter().sum::<u64>();
            println!(
                "{:8.2} ms = {a:6.2} + {b:6.2} + {c:7.2} + {d:7.2}  {:7} bytes  {}",
                a + b + c + d,
                bytes(&out),
                kernel.name
            );
        }
    }
    println!("{:8.2} ms in all", total as f64 / 1e6);
}
