//! Barriers without fibers: the kernel falls into regions between barriers, each with a loop of its own over the warps;
//! what lives across a barrier waits in per-warp storage.
//!
//! This needs every barrier to be reached by all warps alike: in code that all lanes of a warp run, under branches
//! whose conditions are the same for the whole block.

use super::build::{Bb, Icmp, V};
use super::emit::{Done, Gen};
use super::flow::Flow;
use super::kernel::{entry_mask, reset_slots, strips};
use super::plan::Plan;
use super::shape::UNIFORM;
use crate::ir::{
    Block, Function, Id, Inst, Op, Order, Space, Special, Terminator, Value, ValueDef,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How a kernel falls apart.
#[derive(Clone, Debug)]
pub struct Regions {
    /// First blocks of the regions: the entry, then those after barriers.
    pub starts: Vec<usize>,
    /// Values that must be kept per warp across barriers, by region (place in `starts`).
    pub live: Vec<Vec<Value>>,
    /// Values of those that are the same for all warps and need no storage per warp.
    pub shared: HashSet<Value>,
}

/// Whether a block ends at a barrier of the block's threads.
pub(super) fn barrier_block(f: &Function, block: usize) -> bool {
    let data = &f.blocks[Block::from_index(block)];
    data.insts
        .last()
        .is_some_and(|&i| matches!(f.insts[i].op, Op::Barrier { .. } | Op::BarrierRed { .. }))
}

/// The barrier at a block's end that gives something to all threads, if it is one.
fn reduction(f: &Function, block: usize) -> Option<Inst> {
    let last = f.blocks[Block::from_index(block)].insts.last().copied()?;
    matches!(f.insts[last].op, Op::BarrierRed { .. }).then_some(last)
}

/// Splits a kernel, if its barriers allow it.
#[must_use]
pub fn regions(f: &Function, flow: &Flow, plan: &Plan, agreed: &HashSet<Value>) -> Option<Regions> {
    let uniform = block_uniform(f, flow, plan, agreed);
    let entry = f.entry.index();
    let mut starts = vec![entry];
    for &b in &flow.order {
        for &i in &f.blocks[Block::from_index(b)].insts {
            match f.insts[i].op {
                Op::Barrier { .. } | Op::BarrierRed { .. } => {
                    // Barrier 0 for the whole block; under the entry's mask.
                    let args = f.args(i);
                    let plain = f.as_const(args[0]) == Some(0) && f.as_const(args[1]) == Some(0);
                    if !plain
                        || plan.leader[b] != entry
                        || plan.own[b]
                        || f.insts[i].guard.is_some()
                    {
                        return None;
                    }
                }
                Op::BarrierArrive { .. } => return None,
                _ => {}
            }
        }
        if barrier_block(f, b) {
            // Nothing may be pending but the end: no divergent region around it.
            if plan.pending[plan.at[b]].len() != 1 {
                return None;
            }
            starts.extend(&flow.succs[b]);
        }
    }
    let mut known = HashSet::new();
    starts.retain(|&s| known.insert(s));
    // Branches that decide which barrier comes next are those from which not every way leads to the same one.
    for &b in &flow.order {
        let data = &f.blocks[Block::from_index(b)];
        let conds = data.term.operands();
        if conds.is_empty()
            || matches!(data.term, Terminator::Return(_))
            || uniform.contains(&conds[0])
        {
            continue;
        }
        if decides(f, flow, b) {
            return None;
        }
    }
    let (live, shared) = live_values(f, flow, &starts, &uniform);
    let ours = |b: usize| {
        let inst = reduction(f, b);
        inst.is_none_or(|i| f.results(i).all(|r| shared.contains(&r)))
    };
    if !flow.order.iter().all(|&b| ours(b)) {
        return None;
    }
    // What lanes took out of a divergent loop stays in the loop's form; such kernels run on fibers.
    let temporal = starts
        .iter()
        .zip(&live)
        .any(|(&s, values)| values.iter().any(|&v| plan.temporal(flow, v, s)));
    if temporal {
        return None;
    }
    Some(Regions {
        starts,
        live,
        shared,
    })
}

/// Whether a barrier lies between a branch and the point where its ways meet again.
fn decides(f: &Function, flow: &Flow, block: usize) -> bool {
    let join = flow.ipdom[block];
    let mut seen = HashSet::new();
    let mut stack: Vec<usize> = flow.succs[block].clone();
    while let Some(n) = stack.pop() {
        if Some(n) == join || !seen.insert(n) {
            continue;
        }
        if barrier_block(f, n) {
            return true;
        }
        stack.extend(&flow.succs[n]);
    }
    false
}

/// Values that are the same in all threads of the block whenever they are computed.
pub(super) fn block_uniform(
    f: &Function,
    flow: &Flow,
    plan: &Plan,
    agreed: &HashSet<Value>,
) -> HashSet<Value> {
    let mut set: HashSet<Value> = f
        .values
        .ids()
        .filter(|&v| plan.shapes.shape(v) == UNIFORM && !plan.outs.contains(&v))
        .collect();
    let mut controls = Controls::new(f, flow);
    let mut changed = true;
    while changed {
        changed = false;
        for &b in &flow.order {
            let data = &f.blocks[Block::from_index(b)];
            for &inst in &data.insts {
                let info = &f.insts[inst];
                let fine = match info.op {
                    Op::Load { access } => {
                        access.space == Space::Param
                            || access.order == Order::Weak
                                && (access.invariant || access.space == Space::Const)
                    }
                    Op::Special { reg } => matches!(
                        reg.varies(),
                        crate::ir::special::Varies::Grid | crate::ir::special::Varies::Block
                    ),
                    ref op => op.props().is_empty() || op.props() == crate::ir::Props::COMMUTES,
                };
                // What such a barrier gives is the same for all, whatever each of them brings.
                let given = matches!(info.op, Op::BarrierRed { .. }) && info.guard.is_none();
                let fine = given || fine && f.uses(inst).all(|v| set.contains(&v));
                let tid = matches!(
                    info.op,
                    Op::Special {
                        reg: Special::TidX | Special::TidY | Special::TidZ
                    }
                );
                let agreed = f.results(inst).any(|r| agreed.contains(&r));
                if !agreed && (!fine || tid) {
                    for r in f.results(inst) {
                        changed |= set.remove(&r);
                    }
                }
            }
            for (i, &p) in data.params.iter().enumerate() {
                let mut fine = b != f.entry.index();
                let mut args = Vec::new();
                for &q in &flow.preds[b] {
                    let from = &f.blocks[Block::from_index(q)];
                    for edge in from.term.edges().filter(|e| e.block.index() == b) {
                        args.push(edge.args[i]);
                    }
                }
                fine &= args.iter().all(|a| set.contains(a));
                // Which edge is taken must be the same for all, too.
                if args.iter().any(|a| *a != args[0]) {
                    fine &= plan.leader[b] == f.entry.index()
                        && controls.of(b).iter().all(|c| set.contains(c));
                }
                if !fine {
                    changed |= set.remove(&p);
                }
            }
        }
    }
    set
}

/// Which branches decide by which edge a block is entered.
struct Controls<'a> {
    f: &'a Function,
    flow: &'a Flow,
    /// By branch: the blocks between it and the point where all its ways meet, and that point.
    regions: HashMap<usize, HashSet<usize>>,
    /// By block, once asked for.
    known: HashMap<usize, Vec<Value>>,
}

impl<'a> Controls<'a> {
    fn new(f: &'a Function, flow: &'a Flow) -> Self {
        let mut regions = HashMap::new();
        for &b in flow.order.iter().filter(|&&b| flow.succs[b].len() > 1) {
            let join = flow.ipdom[b];
            let mut region = HashSet::new();
            let mut stack = flow.succs[b].clone();
            while let Some(n) = stack.pop() {
                if region.insert(n) && Some(n) != join {
                    stack.extend(&flow.succs[n]);
                }
            }
            regions.insert(b, region);
        }
        Self {
            f,
            flow,
            regions,
            known: HashMap::new(),
        }
    }

    /// Conditions of the branches between a block's immediate dominator and itself (of its loop, for headers) whose
    /// ways have not met again before the block.
    fn of(&mut self, block: usize) -> &[Value] {
        let (f, flow, regions) = (self.f, self.flow, &self.regions);
        self.known.entry(block).or_insert_with(|| {
            let mut seen = HashSet::new();
            let mut stack = flow.preds[block].clone();
            let mut out = Vec::new();
            while let Some(n) = stack.pop() {
                if !seen.insert(n) {
                    continue;
                }
                if regions.get(&n).is_some_and(|to| to.contains(&block)) {
                    out.extend_from_slice(match &f.blocks[Block::from_index(n)].term {
                        Terminator::Return(_) => &[],
                        term => term.operands(),
                    });
                }
                if n != flow.idom[block] {
                    stack.extend(&flow.preds[n]);
                }
            }
            out
        })
    }
}

type Live = (Vec<Vec<Value>>, HashSet<Value>);

/// Whether code computes a value: an instruction's or a parameter's.
pub(super) fn is_local(f: &Function, v: Value) -> bool {
    matches!(f.values[v].def, ValueDef::Inst(..) | ValueDef::Param(..))
}

/// Values that a block's end needs: for its terminator, and beyond its edges by what lives into each block.
pub(super) fn live_at_end(
    f: &Function,
    block: Block,
    live_in: &[BTreeSet<Value>],
) -> BTreeSet<Value> {
    let term = &f.blocks[block].term;
    let mut live: BTreeSet<Value> = BTreeSet::new();
    for edge in term.edges() {
        let params = &f.blocks[edge.block].params;
        let through = live_in[edge.block.index()].iter();
        live.extend(through.copied().filter(|v| !params.contains(v)));
        live.extend(edge.args.iter().copied().filter(|&v| is_local(f, v)));
    }
    live.extend(term.operands().iter().copied().filter(|&v| is_local(f, v)));
    live
}

/// Values that live into each block, by block; its parameters stay: they are what the edge into the block brings.
pub(super) fn liveness(f: &Function, flow: &Flow) -> Vec<BTreeSet<Value>> {
    let count = f.blocks.len();
    let mut live_in: Vec<BTreeSet<Value>> = vec![BTreeSet::new(); count];
    let mut changed = true;
    while changed {
        changed = false;
        for &b in flow.order.iter().rev() {
            let data = &f.blocks[Block::from_index(b)];
            let mut live = live_at_end(f, Block::from_index(b), &live_in);
            for &inst in data.insts.iter().rev() {
                for r in f.results(inst) {
                    live.remove(&r);
                }
                live.extend(f.uses(inst).filter(|&v| is_local(f, v)));
            }
            if live != live_in[b] {
                live_in[b] = live;
                changed = true;
            }
        }
    }
    live_in
}

/// Blocks that control reaches from a block before the next barrier.
pub(super) fn reach(f: &Function, flow: &Flow, start: usize) -> HashSet<usize> {
    let mut seen = HashSet::new();
    let mut stack = vec![start];
    while let Some(n) = stack.pop() {
        if seen.insert(n) && !barrier_block(f, n) {
            stack.extend(&flow.succs[n]);
        }
    }
    seen
}

fn live_values(f: &Function, flow: &Flow, starts: &[usize], uniform: &HashSet<Value>) -> Live {
    let live_in = liveness(f, flow);
    // Values that a region both starts with and makes anew must wait per warp even if all warps agree on them.
    let defs = super::shape::def_blocks(f);
    let mut remade = HashSet::new();
    let mut live = Vec::new();
    for (k, &s) in starts.iter().enumerate() {
        let values: Vec<Value> = if k == 0 {
            Vec::new()
        } else {
            live_in[s].iter().copied().collect()
        };
        let blocks = reach(f, flow, s);
        for &v in &values {
            if defs[v.index()].is_some_and(|d| blocks.contains(&d)) {
                remade.insert(v);
            }
        }
        live.push(values);
    }
    // What a barrier gives is written between regions, when no warp reads it.
    let given = |v: Value| {
        let inst = f.def_inst(v);
        inst.is_some_and(|i| matches!(f.insts[i].op, Op::BarrierRed { .. }))
    };
    let shared = uniform
        .iter()
        .copied()
        .filter(|&v| given(v) || !remade.contains(&v))
        .collect();
    (live, shared)
}

/// `kind::CTA` with barriers.
pub fn entry(g: &mut Gen<'_, '_>, regions: &Regions) -> Done {
    let (count, known) = strips(g);
    let i32 = g.b.i32;
    let most = u64::from(known.unwrap_or(32));
    g.wrap_strips = Some(most);
    let next = g.alloca(i32);
    let gathered = g.alloca(i32);
    for &b in &g.flow.order {
        if let Some(inst) = reduction(g.f, b) {
            for r in g.f.results(inst) {
                g.slot_for_block(r);
            }
        }
    }
    g.block_shared.clone_from(&regions.shared);
    g.fissioned = true;
    let heads: Vec<Bb> = regions
        .starts
        .iter()
        .map(|_| g.b.block(g.function))
        .collect();
    let done = g.b.block(g.function);
    let place: HashMap<usize, usize> = regions
        .starts
        .iter()
        .enumerate()
        .map(|(i, &s)| (s, i))
        .collect();
    for (k, &start) in regions.starts.iter().enumerate() {
        let (head, reset, body, end, after) = (
            g.b.block(g.function),
            g.b.block(g.function),
            g.b.block(g.function),
            g.b.block(g.function),
            g.b.block(g.function),
        );
        g.b.at(heads[k]);
        g.b.store(g.b.c(i32, 0), gathered, 4);
        g.b.br(head);
        g.b.at(head);
        let strip = g.b.phi(i32);
        g.strip = strip;
        g.forget_values();
        g.b.at(body);
        g.block = start;
        let blocks = reach(g.f, g.flow, start);
        g.fragments_of_strip(&regions.live[k], &blocks, most);
        for &v in &regions.live[k] {
            if !regions.shared.contains(&v) && !g.is_register(v) {
                let storage = g.spill_place(v, most);
                g.restore(v, storage);
            }
        }
        g.entry_mask = entry_mask(g);
        let mut reached: BTreeMap<u64, (usize, Option<Inst>)> = BTreeMap::new();
        let joined = g.b.block(g.function);
        // What the region started with and does not make anew is kept already.
        let defs = &g.plan.defs;
        let kept = |v: Value| {
            regions.live[k].binary_search(&v).is_ok()
                && defs[v.index()].is_none_or(|d| !blocks.contains(&d))
        };
        let mut at_barrier = |g: &mut Gen<'_, '_>, block: usize| -> Done {
            let to = g.flow.succs[block][0];
            let target = place[&to];
            let gives = reduction(g.f, block);
            let which = match gives {
                None => target as u64 + 1,
                Some(inst) => {
                    g.gather_votes(inst, gathered);
                    (place.len() + 1 + block) as u64
                }
            };
            reached.insert(which, (target, gives));
            // The block after takes no parameters: barriers end in plain jumps or pass them on here.
            let edge = g.f.blocks[Block::from_index(block)]
                .term
                .edges()
                .next()
                .cloned();
            let mut registers = Vec::new();
            for &v in &regions.live[target] {
                if regions.shared.contains(&v) {
                    continue;
                }
                let arg = edge.as_ref().and_then(|edge| {
                    let params = &g.f.blocks[edge.block].params;
                    Some(edge.args[params.iter().position(|&p| p == v)?])
                });
                if g.is_register(v) {
                    registers.extend(arg.map(|arg| (v, arg)));
                } else if let Some(arg) = arg {
                    let storage = g.spill_place(v, most);
                    g.save_as(v, arg, storage);
                } else if !kept(v) {
                    let storage = g.spill_place(v, most);
                    g.save(v, storage);
                }
            }
            g.save_registers(&registers);
            g.b.store(g.b.c(i32, which), next, 4);
            g.b.br(joined);
            Ok(())
        };
        g.region(start, true, &mut at_barrier, end)?;
        g.b.at(end);
        g.b.store(g.b.c(i32, 0), next, 4);
        g.b.br(joined);
        g.b.at(joined);
        let following = g.b.add(strip, g.b.c(i32, 1));
        let more = g.b.icmp(Icmp::LLVMIntULT, following, count);
        g.b.cond(more, head, after);
        g.b.incoming(strip, following, joined);
        g.b.incoming(strip, g.b.c(i32, 0), heads[k]);
        g.b.at(head);
        g.b.br(reset);
        reset_slots(g, reset);
        g.b.br(body);
        g.b.at(after);
        let which: V = g.b.load(i32, next, 4);
        let here = g.b.here();
        let cases: Vec<(u64, Bb)> = reached
            .into_iter()
            .map(|(which, (target, gives))| {
                let Some(inst) = gives else {
                    return (which, heads[target]);
                };
                let give = g.b.block(g.function);
                g.b.at(give);
                g.give_votes(inst, gathered);
                g.b.br(heads[target]);
                (which, give)
            })
            .collect();
        g.b.at(here);
        if cases.is_empty() {
            g.b.br(done);
        } else {
            g.b.switch(which, done, &cases);
        }
    }
    g.b.at(done);
    g.end_of_stores();
    g.b.ret();
    g.b.at(g.prologue);
    g.b.br(heads[0]);
    Ok(())
}
