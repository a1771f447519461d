//! Reads behind a barrier come before the stores that follow them.
//!
//! Block reductions in the wild end in `__syncthreads(); return shared[0];`, and the next one begins with a store to
//! `shared[0]`, without a barrier between. PTX leaves the order of the two open. Warps that advance side by side have all
//! read long before the first of them stores; warps that run from barrier to barrier one after the other have not. So
//! where loads from a constant place of shared memory follow a barrier, and a store can follow before the next one, all
//! threads meet once more behind the loads.

use crate::ir::{Arena, Block, Function, Id, Inst, Op, Sig, Signature, Space, Terminator, Value};

/// The pass.
pub fn run(function: &mut Function, sigs: &Arena<Sig, Signature>) {
    for block in function.reverse_post_order() {
        let mut at = 0;
        while let Some((barrier, aligned)) = next_barrier(function, block, at) {
            at = barrier + 1;
            if let Some(load) = last_load(function, block, at)
                && store_follows(function, sigs, block, load + 1)
            {
                let data = function.insts[function.blocks[block].insts[load]];
                let zero = function.constant(crate::ir::Ty::B32, 0);
                let op = Op::Barrier { aligned };
                let inst = function.make_inst(sigs, op, &[zero, zero], None, data.loc);
                function.blocks[block].insts.insert(load + 1, inst);
                at = load + 2;
            }
        }
    }
}

fn is_barrier(f: &Function, inst: Inst) -> bool {
    matches!(f.insts[inst].op, Op::Barrier { .. } | Op::BarrierRed { .. })
}

/// The place of the next barrier 0 of the whole block, and whether all lanes of a warp are there together.
fn next_barrier(f: &Function, block: Block, from: usize) -> Option<(usize, bool)> {
    let insts = &f.blocks[block].insts;
    (from..insts.len()).find_map(|at| {
        let (Op::Barrier { aligned } | Op::BarrierRed { aligned, .. }) = f.insts[insts[at]].op
        else {
            return None;
        };
        let mut args = f.args(insts[at]).iter().take(2);
        args.all(|&arg| f.as_const(arg) == Some(0))
            .then_some((at, aligned))
    })
}

/// The last load from a constant place of shared memory before anything else that reaches memory or other threads.
fn last_load(f: &Function, block: Block, from: usize) -> Option<usize> {
    let insts = &f.blocks[block].insts;
    let mut last = None;
    for (at, &inst) in insts.iter().enumerate().skip(from) {
        match f.insts[inst].op {
            Op::Load { access }
                if access.space == Space::Shared && f.as_const(f.args(inst)[0]).is_some() =>
            {
                last = Some(at);
            }
            Op::Load { .. } => {}
            op if op.props().contains(crate::ir::Props::EFFECT) => break,
            _ => {}
        }
    }
    last
}

/// Whether a store that may be to shared memory can follow before a barrier.
fn store_follows(f: &Function, sigs: &Arena<Sig, Signature>, block: Block, from: usize) -> bool {
    let mut seen = vec![false; f.blocks.len()];
    let mut work = vec![(block, from)];
    while let Some((block, from)) = work.pop() {
        let data = &f.blocks[block];
        let mut met = false;
        for &inst in &data.insts[from..] {
            match f.insts[inst].op {
                Op::Store { access } | Op::Atom { access, .. } | Op::Red { access, .. }
                    if matches!(access.space, Space::Shared | Space::Generic) =>
                {
                    return true;
                }
                Op::Call { .. } => return true,
                _ => {}
            }
            if is_barrier(f, inst) {
                met = true;
                break;
            }
        }
        if met {
            continue;
        }
        // The caller may store; a kernel has none, no parameters and no results.
        let called = |values: &[Value]| !values.is_empty() || !sigs[f.sig].params.is_empty();
        if matches!(&data.term, Terminator::Return(values) if called(values)) {
            return true;
        }
        for edge in data.term.edges() {
            if !std::mem::replace(&mut seen[edge.block.index()], true) {
                work.push((edge.block, 0));
            }
        }
    }
    false
}
