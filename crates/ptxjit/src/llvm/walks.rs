//! Walks by lane that follow each other (what is left of a row after whole rounds, then the rounds) as one: a lane goes
//! through all of them before the next lane begins. What the processor mispredicts at the end of one loop it makes up for
//! while it still computes in the next, and nothing of a lane is written to memory between them.
//!
//! The code around them, from the branch that chooses between them to where their ways meet again, becomes the body of a
//! loop that never goes round; [`super::serial`] runs that by lane.

use super::flow::Flow;
use super::plan::Plan;
use super::serial;
use crate::ir::arena::Arena;
use crate::ir::{Block, Edge, Function, Id, Op, Sig, Signature, Terminator, Ty, Value};
use std::collections::{BTreeSet, HashSet};

/// Instructions between the loops, at most: they are done lane by lane then.
const BETWEEN: usize = 24;

/// Loops and what lies between them.
struct Group {
    /// Its end chooses between them.
    fork: usize,
    members: BTreeSet<usize>,
    /// Where all ways meet.
    join: usize,
}

/// Whether a loop was made by [`join`]: it is left in its first round.
pub(super) fn is_group(f: &Function, flow: &Flow, l: usize) -> bool {
    let [latch] = flow.loops[l].latches[..] else {
        return false;
    };
    let Terminator::Branch { cond, .. } = &f.blocks[Block::from_index(latch)].term else {
        return false;
    };
    f.def_inst(*cond).is_some_and(|i| {
        f.insts[i].op == Op::And { ty: Ty::Pred } && f.as_const(f.args(i)[1]) == Some(0)
    })
}

/// Makes groups of neighbouring walks; whether there was one.
pub(super) fn join(
    sigs: &Arena<Sig, Signature>,
    f: &mut Function,
    flow: &Flow,
    plan: &Plan,
    spins: &HashSet<usize>,
) -> bool {
    let mut walks = serial::walks(f, flow, plan, spins);
    walks.sort_by_key(|&l| flow.pos[flow.loops[l].header]);
    let mut groups: Vec<Group> = Vec::new();
    for pair in walks.windows(2) {
        let &[first, second] = pair else { continue };
        let taken = |g: &Group| g.members.contains(&flow.loops[first].header);
        if !groups.iter().any(taken)
            && let Some(group) = group(f, flow, plan, first, second)
        {
            groups.push(group);
        }
    }
    for group in &groups {
        wrap(sigs, f, group);
    }
    !groups.is_empty()
}

/// The group of two loops, if only lanes are concerned with what lies between them.
fn group(f: &Function, flow: &Flow, plan: &Plan, first: usize, second: usize) -> Option<Group> {
    let around = flow.loops[first].parent;
    if around != flow.loops[second].parent {
        return None;
    }
    let (a, b) = (flow.loops[first].header, flow.loops[second].header);
    let mut fork = flow.idom[b];
    while !flow.dominates(fork, a) {
        fork = flow.idom[fork];
    }
    if flow.loop_of[fork] != around || !plan.divergent[fork] {
        return None;
    }
    if !matches!(
        f.blocks[Block::from_index(fork)].term,
        Terminator::Branch { .. }
    ) {
        return None;
    }
    // What leads to a loop from the fork.
    let mut members = BTreeSet::new();
    let mut work = vec![a, b];
    while let Some(n) = work.pop() {
        if n != fork && flow.dominates(fork, n) && members.insert(n) {
            work.extend(&flow.preds[n]);
        }
    }
    let inside = |n: usize| flow.in_loop(first, n) || flow.in_loop(second, n);
    let mut between = 0;
    for &n in members.iter().filter(|&&n| !inside(n)) {
        let data = &f.blocks[Block::from_index(n)];
        if flow.loop_of[n] != around
            || !matches!(data.term, Terminator::Jump(_) | Terminator::Branch { .. })
        {
            return None;
        }
        between += data.insts.len();
    }
    let ends = members.iter().chain([&fork]);
    let out: BTreeSet<usize> = ends
        .flat_map(|&n| flow.succs[n].iter().copied())
        .filter(|n| !members.contains(n))
        .collect();
    let join = *out.first()?;
    // Between the loops of one pair nothing goes back; and what leads on leads to one place.
    let after = flow.pos[join] > flow.pos[b] && flow.loop_of[join] == around;
    (out.len() == 1 && after && between <= BETWEEN).then_some(Group {
        fork,
        members,
        join,
    })
}

/// Puts a loop that never goes round about a group.
fn wrap(sigs: &Arena<Sig, Signature>, f: &mut Function, group: &Group) {
    let (fork, join) = (Block::from_index(group.fork), Block::from_index(group.join));
    let Terminator::Branch { cond, .. } = f.blocks[fork].term else {
        return;
    };
    let head = f.add_block();
    let (term, loc) = (f.blocks[fork].term.clone(), f.blocks[fork].term_loc);
    f.blocks[head].term = term;
    f.blocks[head].term_loc = loc;
    f.blocks[fork].term = Terminator::Jump(Edge::to(head));
    let tail = f.add_block();
    let types: Vec<Ty> = f.blocks[join].params.iter().map(|&p| f.ty(p)).collect();
    let args: Vec<Value> = types.into_iter().map(|ty| f.add_param(tail, ty)).collect();
    let blocks = group.members.iter().map(|&n| Block::from_index(n));
    for block in blocks.chain([head]) {
        for edge in f.blocks[block].term.edges_mut() {
            if edge.block == join {
                edge.block = tail;
            }
        }
    }
    // Never, but lanes are not known to agree on it.
    let never = f.constant(Ty::Pred, 0);
    let inst = f.make_inst(sigs, Op::And { ty: Ty::Pred }, &[cond, never], None, loc);
    let again = f.result(inst).unwrap_or(never);
    f.blocks[tail].insts.push(inst);
    f.blocks[tail].term = Terminator::Branch {
        cond: again,
        then: Edge::to(head),
        other: Edge { block: join, args },
        uniform: false,
    };
    f.blocks[tail].term_loc = loc;
}
