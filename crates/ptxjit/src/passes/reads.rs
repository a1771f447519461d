//! Reads behind a barrier come before the stores that follow them.
//!
//! Block reductions in the wild end in `__syncthreads(); return shared[0];`, and the next one begins with a store to
//! `shared[0]`, without a barrier between. PTX leaves the order of the two open. Warps that advance side by side have all
//! read long before the first of them stores; warps that run from barrier to barrier one after the other have not. So
//! where loads of a place that is the same for the whole block follow a barrier, and a store can follow before the next
//! one, all threads meet once more behind the loads.
//!
//! They can meet in the block of the barrier itself, and in each block that every thread enters exactly once for each
//! time it passes some barrier of all threads: `if (blockDim.x > 32) { …; __syncthreads(); } return shared[0];`. A load
//! in a branch behind such a place, `for (i = threadIdx.x; i < n; …) … - shared[0]`, is done before it by those who branch.

use crate::ir::special::Varies;
use crate::ir::{
    Arena, Block, Function, Id, Inst, Op, Order, Props, Sig, Signature, Space, Terminator, Ty,
    Value,
};

/// The pass.
pub fn run(function: &mut Function, sigs: &Arena<Sig, Signature>) {
    let order = function.reverse_post_order();
    if !order
        .iter()
        .any(|&b| next_barrier(function, b, 0).is_some())
    {
        return;
    }
    let preds = function.predecessors();
    for &block in &order {
        if let &[before] = &preds[block][..] {
            hoist(function, sigs, before, block);
        }
    }
    for block in order {
        let mut at = 0;
        if let Some(load) = last_load(function, block, 0)
            && store_follows(function, sigs, block, load + 1)
            && fresh(function, block)
            && let Some(aligned) = meeting(function, block)
        {
            insert(function, sigs, block, load, aligned);
            at = load + 2;
        }
        while let Some((barrier, aligned)) = next_barrier(function, block, at) {
            at = barrier + 1;
            if let Some(load) = last_load(function, block, at)
                && store_follows(function, sigs, block, load + 1)
            {
                insert(function, sigs, block, load, aligned);
                at = load + 2;
            }
        }
    }
}

/// Moves loads of a fixed place from the start of `block`, to which only `before` branches, to before the branch, where
/// nothing that mixes lies between them and a barrier.
fn hoist(f: &mut Function, sigs: &Arena<Sig, Signature>, before: Block, block: Block) {
    let Terminator::Branch {
        cond, then, other, ..
    } = &f.blocks[before].term
    else {
        return;
    };
    let (cond, taken, loc) = (*cond, then.block == block, f.blocks[before].term_loc);
    if then.block == other.block {
        return;
    }
    let behind_barrier = |f: &Function| {
        let mut insts = f.blocks[before].insts.iter().rev();
        match insts.find(|&&inst| mixes(f, inst)) {
            Some(&inst) => whole(f, inst).is_some(),
            None => fresh(f, before) && meeting(f, before).is_some(),
        }
    };
    let insts = &f.blocks[block].insts;
    let until = insts.iter().position(|&inst| mixes(f, inst));
    let until = until.unwrap_or(insts.len());
    let movable = |inst: Inst| {
        let data = &f.insts[inst];
        matches!(data.op, Op::Load { access } if access.space == Space::Shared && access.order == Order::Weak)
            && data.guard.is_none()
            && f.as_const(f.args(inst)[0]).is_some()
    };
    let moved: Vec<Inst> = insts[..until]
        .iter()
        .copied()
        .filter(|&i| movable(i))
        .collect();
    if moved.is_empty() || !store_follows(f, sigs, block, until) || !behind_barrier(f) {
        return;
    }
    let mut guard = cond;
    if !taken {
        let not = f.make_inst(sigs, Op::Not { ty: Ty::Pred }, &[cond], None, loc);
        f.blocks[before].insts.push(not);
        guard = f.result(not).unwrap_or(cond);
    }
    f.blocks[block].insts.retain(|inst| !moved.contains(inst));
    for &inst in &moved {
        f.insts[inst].guard = Some(guard);
    }
    f.blocks[before].insts.extend(moved);
}

/// Puts a barrier behind an instruction.
fn insert(f: &mut Function, sigs: &Arena<Sig, Signature>, block: Block, at: usize, aligned: bool) {
    let loc = f.insts[f.blocks[block].insts[at]].loc;
    let zero = f.constant(Ty::B32, 0);
    let op = Op::Barrier { aligned };
    let inst = f.make_inst(sigs, op, &[zero, zero], None, loc);
    f.blocks[block].insts.insert(at + 1, inst);
}

fn is_barrier(f: &Function, inst: Inst) -> bool {
    matches!(f.insts[inst].op, Op::Barrier { .. } | Op::BarrierRed { .. })
}

/// Whether an instruction is barrier 0 of the whole block, and then, whether all lanes of a warp are there together.
fn whole(f: &Function, inst: Inst) -> Option<bool> {
    let (Op::Barrier { aligned } | Op::BarrierRed { aligned, .. }) = f.insts[inst].op else {
        return None;
    };
    let mut args = f.args(inst).iter().take(2);
    let plain = args.all(|&arg| f.as_const(arg) == Some(0));
    (plain && f.insts[inst].guard.is_none()).then_some(aligned)
}

/// The place of the next barrier 0 of the whole block, and whether all lanes of a warp are there together.
fn next_barrier(f: &Function, block: Block, from: usize) -> Option<(usize, bool)> {
    let insts = &f.blocks[block].insts;
    (from..insts.len()).find_map(|at| Some((at, whole(f, insts[at])?)))
}

/// Whether other threads' reads and writes of shared memory cannot be told apart any more behind an instruction.
fn mixes(f: &Function, inst: Inst) -> bool {
    match f.insts[inst].op {
        Op::Store { access } | Op::Atom { access, .. } | Op::Red { access, .. } => {
            matches!(access.space, Space::Shared | Space::Generic)
        }
        Op::Call { .. } | Op::BarrierArrive { .. } => true,
        _ => is_barrier(f, inst),
    }
}

/// Whether a value is the same in all threads of a block: made of constants, parameters and the launch's dimensions.
fn same(f: &Function, value: Value, depth: u32) -> bool {
    if f.as_const(value).is_some() {
        return true;
    }
    let Some(inst) = f.def_inst(value) else {
        return false;
    };
    let fine = match f.insts[inst].op {
        Op::Special { reg } => matches!(reg.varies(), Varies::Grid | Varies::Block),
        Op::Load { access } => access.space == Space::Param,
        op => Props::COMMUTES.contains(op.props()),
    };
    fine && depth < 8 && f.uses(inst).all(|v| same(f, v, depth + 1))
}

/// The last load from a place of shared memory that is the same for all threads, before anything that mixes.
fn last_load(f: &Function, block: Block, from: usize) -> Option<usize> {
    let insts = &f.blocks[block].insts;
    let mut last = None;
    for (at, &inst) in insts.iter().enumerate().skip(from) {
        match f.insts[inst].op {
            Op::Load { access }
                if access.space == Space::Shared
                    && access.order == Order::Weak
                    && same(f, f.args(inst)[0], 0) =>
            {
                last = Some(at);
            }
            _ if mixes(f, inst) => break,
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
        match data.insts[from..].iter().find(|&&inst| mixes(f, inst)) {
            Some(&inst) if is_barrier(f, inst) => continue,
            Some(_) => return true,
            None => {}
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

/// Whether on every way to a block's start a barrier comes after the last thing that mixes.
fn fresh(f: &Function, block: Block) -> bool {
    let preds = f.predecessors();
    let mut seen = vec![false; f.blocks.len()];
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        if block == f.entry {
            return false;
        }
        for &pred in &preds[block] {
            let mut insts = f.blocks[pred].insts.iter().rev();
            match insts.find(|&&inst| mixes(f, inst)) {
                Some(&inst) if is_barrier(f, inst) => {}
                Some(_) => return false,
                None if !std::mem::replace(&mut seen[pred.index()], true) => work.push(pred),
                None => {}
            }
        }
    }
    true
}

/// Whether all threads can meet at a block's start, because each enters it exactly once for every time it passes a
/// certain barrier of the whole block; then, whether all lanes of a warp are together at that barrier.
///
/// Between the two no thread may wait for another, which would have to come from behind the place where they meet. Barriers
/// of some of the threads could count in what is put in, so there must be none.
fn meeting(f: &Function, block: Block) -> Option<bool> {
    let others = f.blocks.iter().any(|(_, data)| {
        data.insts.iter().any(|&inst| {
            matches!(f.insts[inst].op, Op::BarrierArrive { .. })
                || is_barrier(f, inst) && whole(f, inst).is_none()
        })
    });
    if others {
        return None;
    }
    f.blocks.ids().find_map(|barrier| {
        if barrier == block {
            return None;
        }
        let (_, aligned) = next_barrier(f, barrier, 0)?;
        let (from_entry, _) = reached(f, [f.entry], barrier);
        let after = f.blocks[barrier].term.edges().map(|edge| edge.block);
        let (between, ends) = reached(f, after, block);
        let after = f.blocks[block].term.edges().map(|edge| edge.block);
        let (later, _) = reached(f, after, barrier);
        let waiting = between.iter().enumerate().any(|(b, between)| {
            let insts = &f.blocks[Block::from_index(b)].insts;
            *between && insts.iter().any(|&inst| may_wait(f, inst))
        });
        let once = !waiting
            && !from_entry[block.index()]
            && !between[barrier.index()]
            && !ends
            && !later[block.index()];
        once.then_some(aligned)
    })
}

/// Whether a loop with this instruction may wait for what other threads do: they must not be made to meet behind it.
fn may_wait(f: &Function, inst: Inst) -> bool {
    match f.insts[inst].op {
        Op::Load { access } => access.order != Order::Weak,
        Op::Atom { .. } | Op::Nanosleep | Op::Call { .. } => true,
        _ => false,
    }
}

/// Blocks that control reaches from others without passing `stop`, and whether one of them ends the function.
fn reached(f: &Function, from: impl IntoIterator<Item = Block>, stop: Block) -> (Vec<bool>, bool) {
    let mut seen = vec![false; f.blocks.len()];
    let mut ends = false;
    let mut work: Vec<Block> = from.into_iter().collect();
    while let Some(block) = work.pop() {
        if block == stop || std::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        let term = &f.blocks[block].term;
        ends |= matches!(term, Terminator::Return(_) | Terminator::Exit);
        work.extend(term.edges().map(|edge| edge.block));
    }
    (seen, ends)
}
