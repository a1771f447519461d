//! Whether threads of a block that differ in `%tid.y` or `%tid.z` alone do the same.
//!
//! A kernel for one-dimensional blocks that is launched with two-dimensional ones has such threads: the same loads, the
//! same stores, side by side. On hardware they advance together, so that `x[i] += …` adds once; warps that run one after
//! the other would add once each. Threads that are alike are one thread: the block's first row runs, which is one of the
//! orders that PTX allows, and the fastest.

use crate::ir::special::Varies;
use crate::ir::{Function, Inst, Module, Op, Props, Special};
use abi::texture::What;

/// Whether rows of a block cannot be told apart, by themselves or by what they leave in memory.
#[must_use]
pub fn rows(module: &Module) -> bool {
    module.functions.values().all(|f| {
        let insts = f.blocks.values().flat_map(|b| &b.insts);
        insts.into_iter().all(|&inst| alike(f, inst))
    })
}

fn alike(f: &Function, inst: Inst) -> bool {
    match f.insts[inst].op {
        Op::Special { reg } => match reg {
            Special::TidX | Special::NTidX => true,
            Special::NTidY | Special::NTidZ | Special::NWarpId => false,
            _ => !matches!(reg.varies(), Varies::Lane | Varies::Warp),
        },
        // Of the functions of this module, which are looked at too.
        Op::Call { .. } => true,
        // Of all threads: they are counted by warps.
        Op::Barrier { .. } => f.as_const(f.args(inst)[1]) == Some(0),
        Op::Load { .. } | Op::Store { .. } | Op::Fence { .. } | Op::Nanosleep => true,
        Op::Alloca { .. } | Op::StackSave | Op::StackRestore => true,
        Op::Texture { access } => !matches!(access.what, What::Reduce),
        // Those that count threads, or see the warp.
        op => !op
            .props()
            .intersects(Props::EFFECT | Props::CONVERGENT | Props::SUSPENDS),
    }
}
