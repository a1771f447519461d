//! Rounds of an unrolled loop, side by side.
//!
//! In a loop of long chains of arithmetic (interactions of particles) a round waits for each of its own steps, and the
//! next ones are so far behind in the code that the processor does not see them. Wider vectors are side by side by
//! themselves, but need as many registers for what they keep. Here vectors are as narrow as a register, and the rounds that
//! the source unrolled advance together: what is as deep in its chain stands together. Nothing but the order of
//! independent instructions changes.

use super::flow::Flow;
use super::plan::Plan;
use super::shape::Shape;
use crate::ir::{Block, Function, Id, Inst, Op, Order, Props, Value, ValueDef};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Chains that advance together.
const TOGETHER: usize = 4;
/// Steps of a chain, at least: shorter ones the processor sees.
const STEPS: usize = 12;

/// What instructions are ordered by: the part of the source, the level, the place in the source.
type Key = (usize, usize, usize);

/// A block whose instructions have levels: the arithmetic on vectors that must come before.
struct Levels {
    /// Of each instruction of the block; `None`: not on vectors.
    of: Vec<Option<usize>>,
    /// Instructions on vectors.
    work: usize,
    /// Of the longest chain.
    depth: usize,
}

impl Levels {
    fn of_block(f: &Function, plan: &Plan, block: usize) -> Option<Self> {
        let data = &f.blocks[Block::from_index(block)];
        let mut made: HashMap<Value, usize> = HashMap::new();
        let (mut of, mut work, mut depth) = (Vec::with_capacity(data.insts.len()), 0, 0);
        for &i in &data.insts {
            let pure = match f.insts[i].op {
                Op::Load { access } => access.order == Order::Weak,
                op => op.props().is_empty() || op.props() == Props::COMMUTES,
            };
            if !pure || f.insts[i].guard.is_some() {
                return None;
            }
            let before = f.uses(i).filter_map(|v| made.get(&v).copied()).max();
            let before = before.unwrap_or(0);
            let is_vector = |v| matches!(plan.shapes.shape(v), Shape::Varying | Shape::Bottom);
            let on_vectors = f.results(i).any(is_vector);
            let level = before + usize::from(on_vectors);
            made.extend(f.results(i).map(|v| (v, level)));
            work += usize::from(on_vectors);
            depth = depth.max(level);
            of.push(on_vectors.then_some(level));
        }
        Some(Self { of, work, depth })
    }

    /// Whether enough chains can advance together.
    fn pays(&self) -> bool {
        self.depth >= STEPS && self.work >= TOGETHER * self.depth
    }
}

/// Whether the rounds of a loop can advance side by side.
pub(super) fn are_side_by_side(f: &Function, flow: &Flow, plan: &Plan, l: usize) -> bool {
    let this = &flow.loops[l];
    let alone = this.latches == [this.header] && !plan.loop_divergent[l];
    alone && Levels::of_block(f, plan, this.header).is_some_and(|levels| levels.pays())
}

/// Orders the loops that are so.
pub(super) fn order(f: &mut Function, flow: &Flow, plan: &Plan) {
    for l in 0..flow.loops.len() {
        if are_side_by_side(f, flow, plan, l) {
            order_block(f, plan, flow.loops[l].header);
        }
    }
}

fn order_block(f: &mut Function, plan: &Plan, block: usize) {
    let Some(levels) = Levels::of_block(f, plan, block) else {
        return;
    };
    let insts = f.blocks[Block::from_index(block)].insts.clone();
    let at: HashMap<Inst, usize> = insts.iter().enumerate().map(|(n, &i)| (i, n)).collect();
    let here = |v: Value| match f.values[v].def {
        ValueDef::Inst(inst, _) => at.get(&inst).copied(),
        ValueDef::Param(..) | ValueDef::Const(_) | ValueDef::Undef => None,
    };
    // More chains than advance together: in as many parts of the source.
    let parts = (levels.work / (TOGETHER * levels.depth)).max(1);
    let part = |n: usize| n * parts / insts.len();
    // What is for all lanes comes right before its first use; what is not used here, last.
    let last = (usize::MAX, usize::MAX, usize::MAX);
    let mut keys: Vec<Key> = vec![last; insts.len()];
    let mut waits = vec![0usize; insts.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); insts.len()];
    for n in (0..insts.len()).rev() {
        if let Some(level) = levels.of[n] {
            keys[n] = (part(n), level, n);
        }
        let mut from: Vec<usize> = f.uses(insts[n]).filter_map(here).collect();
        from.sort_unstable();
        from.dedup();
        for d in from {
            if levels.of[d].is_none() {
                keys[d] = keys[d].min(keys[n]);
            }
            waits[n] += 1;
            users[d].push(n);
        }
    }
    let mut ready: BinaryHeap<Reverse<(Key, usize)>> = (0..insts.len())
        .filter(|&n| waits[n] == 0)
        .map(|n| Reverse((keys[n], n)))
        .collect();
    let mut ordered = Vec::with_capacity(insts.len());
    while let Some(Reverse((_, n))) = ready.pop() {
        ordered.push(insts[n]);
        for &user in &users[n] {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(Reverse((keys[user], user)));
            }
        }
    }
    f.blocks[Block::from_index(block)].insts = ordered;
}
