//! Analyses and transformations of the IR.

pub mod alike;
pub mod bits;
pub mod cfg;
pub mod dce;
pub mod dominators;
pub mod params;
pub mod range;
pub mod reads;
pub mod simplify;

use crate::ir::{Arena, Function, Module, Sig, Signature};

/// A transformation of one function.
type Pass = fn(&mut Function, &Arena<Sig, Signature>);

/// The passes, in the order in which they run. Each leaves a function that [`crate::ir::verify`] accepts.
const PIPELINE: &[(&str, Pass)] = &[
    ("params", params::run),
    ("simplify", simplify::run),
    ("cfg", cfg::run),
    ("params", params::run),
    ("simplify", simplify::run),
    ("bits", bits::run),
    ("dce", dce::run),
    // Once more: addresses are constants now.
    ("reads", reads::run),
];

/// Folds what follows from the dimensions of the block that code is made for.
pub fn specialise(function: &mut Function, sigs: &Arena<Sig, Signature>, block: [u32; 3]) {
    // Each round may decide branches, and so what the next one sees.
    for _ in 0..2 {
        if block.contains(&0) || !range::run(function, block) {
            return;
        }
        simplify::run(function, sigs);
        cfg::run(function, sigs);
        params::run(function, sigs);
        dce::run(function, sigs);
    }
}

/// Cleans a module up: the code generator relies on none of it, but is faster and better for it.
///
/// With `ANTLERITE_DUMP` naming a pass (`after-params`, `after-cfg`, …, comma-separated), or `ir` for the input, the
/// functions are written to the standard error stream.
pub fn optimise(module: &mut Module) {
    let dump = std::env::var("ANTLERITE_DUMP").unwrap_or_default();
    let wanted: Vec<&str> = dump.split(',').collect();
    if wanted.contains(&"ir") {
        eprintln!("; IR as lowered\n{module}");
    }
    for (name, pass) in PIPELINE {
        for function in module.functions.ids() {
            pass(&mut module.functions[function], &module.sigs);
        }
        if wanted
            .iter()
            .any(|word| word.strip_prefix("after-") == Some(name))
        {
            eprintln!("; IR after {name}\n{module}");
        }
    }
}
