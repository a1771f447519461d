//! `dump_ir FILE.ptx [KERNEL]`: lowers every kernel (or one) of a PTX file and reports times; with a kernel's name, its
//! IR after the passes is printed.

use ptx::layout::Layout;
use ptxjit::{ir::verify::verify, lower, passes};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: dump_ir FILE.ptx [KERNEL]")?;
    let only = args.next();
    let text = std::fs::read_to_string(&path)?;
    let start = Instant::now();
    let log = |errors: Vec<ptx::Error>| ptx::render_log(&path, &errors);
    let ast = ptx::parse(&text).map_err(log)?;
    let checked = ptx::check(&ast, &ptx::Policy::default()).map_err(log)?;
    let layout = Layout::new(&checked)?;
    eprintln!(
        "{path}: parsed, checked and laid out in {:?}",
        start.elapsed()
    );
    for kernel in &layout.kernels {
        if only.as_ref().is_some_and(|only| *only != kernel.name) {
            continue;
        }
        let start = Instant::now();
        let mut module = match lower::lower(&checked, &layout, &kernel.name) {
            Ok(module) => module,
            Err(error) => {
                eprintln!("{}: {error}", kernel.name);
                continue;
            }
        };
        let lowered = start.elapsed();
        verify(&module)?;
        let start = Instant::now();
        passes::optimise(&mut module);
        let optimised = start.elapsed();
        verify(&module)?;
        let function = module.kernel.map(|id| &module.functions[id]);
        let insts: usize = function.map_or(0, |f| f.blocks.values().map(|b| b.insts.len()).sum());
        eprintln!(
            "{}: lowered {lowered:?}, passes {optimised:?}, {insts} instructions",
            kernel.name
        );
        if only.is_some() {
            eprint!("{module}");
        }
    }
    Ok(())
}
