//! How many lanes a vector has: a warp's 32, or fewer where the code keeps so many vectors that they do not fit in the
//! registers. What is the same for all lanes is then done more often, so that it pays only where vectors are most of the
//! work.

use super::flow::Flow;
use super::plan::Plan;
use super::shape::{Shape, UNIFORM};
use crate::ir::{Block, Edge, Function, Id, Inst, Op, Order, Ty, Value, ValueDef};
use std::collections::HashSet;

/// Vectors of 32 lanes that the loop of a kernel keeps in registers, from which on half of the lanes are faster with 16
/// registers of 256 bits.
const CROWD: usize = 5;
/// Arithmetic in such a loop, at least.
const CROWD_WORK: usize = 8;

/// Whether an innermost loop computes with more vectors than there are registers for.
fn is_crowded(f: &Function, flow: &Flow, plan: &Plan) -> bool {
    let varies =
        |v: Value| plan.defs[v.index()].is_some() && plan.shapes.shape(v) == Shape::Varying;
    (0..flow.loops.len())
        .filter(|&l| flow.loops.iter().all(|m| m.parent != Some(l)))
        .any(|l| {
            let this = &flow.loops[l];
            let mut live: HashSet<Value> = HashSet::new();
            let mut work = 0;
            let header = &f.blocks[Block::from_index(this.header)];
            live.extend(header.params.iter().copied().filter(|&v| varies(v)));
            for &b in flow.order.iter().filter(|&&b| this.member[b]) {
                for &i in &f.blocks[Block::from_index(b)].insts {
                    let op = f.insts[i].op;
                    if matches!(op, Op::Load { .. } | Op::Store { .. } | Op::Atom { .. })
                        && varies(f.args(i)[0])
                    {
                        return false;
                    }
                    work += usize::from(matches!(
                        op,
                        Op::FAdd { .. } | Op::FSub { .. } | Op::FMul { .. } | Op::Fma { .. }
                    ));
                    let outside = f.uses(i).filter(|&v| {
                        varies(v) && plan.defs[v.index()].is_some_and(|d| !this.member[d])
                    });
                    live.extend(outside);
                }
            }
            live.len() >= CROWD && work >= CROWD_WORK
        })
}

/// Registers' worth of values from which on code is crowded: some wait in memory in any case, which costs little.
const ROOM: u32 = 24;
/// Operations on vectors that a kernel has at least for its width to matter.
const LEAST: usize = 24;

/// What a kernel's operations on vectors find, weighted by how deep in loops they stand.
#[derive(Default)]
struct Pressure {
    /// All of them.
    work: u64,
    /// Those where vectors of 32 lanes do not fit in the registers.
    over_whole: u64,
    /// Those where vectors of 16 lanes do not.
    over_half: u64,
    /// Values that are the same for all lanes, and are made vectors of.
    copies: u64,
    /// Accesses whose places have nothing to do with each other.
    scattered: u64,
}

/// Lanes for a kernel that does not see warps, whose blocks have rows of `row` threads, by its plan for 32 lanes.
pub(super) fn strip(f: &Function, flow: &Flow, plan: &Plan, row: u32) -> u32 {
    if !row.is_multiple_of(8) || is_small(f, flow, plan) {
        return 32;
    }
    let wide = if row.is_multiple_of(16) { 16 } else { 8 };
    let Some(found) = pressure(f, flow, plan) else {
        return 32;
    };
    let crowded = found.over_whole * 2 > found.work && found.scattered * 8 <= found.work;
    if crowded && found.over_half * 2 > found.work && found.copies * 4 <= found.work {
        8
    } else if crowded || is_crowded(f, flow, plan) {
        wide
    } else {
        32
    }
}

fn is_vector(plan: &Plan, v: Value) -> bool {
    plan.defs[v.index()].is_some() && matches!(plan.shapes.shape(v), Shape::Varying | Shape::Bottom)
}

fn is_access(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. } | Op::Store { .. } | Op::Atom { .. } | Op::Red { .. }
    )
}

fn is_small(f: &Function, flow: &Flow, plan: &Plan) -> bool {
    let insts = |&b: &usize| f.blocks[Block::from_index(b)].insts.iter();
    let vectors = flow
        .order
        .iter()
        .flat_map(insts)
        .filter(|&&i| !is_access(&f.insts[i].op) && f.results(i).any(|v| is_vector(plan, v)));
    vectors.take(LEAST).count() < LEAST
}

/// `None`: code that lanes may rely on running together in.
fn pressure(f: &Function, flow: &Flow, plan: &Plan) -> Option<Pressure> {
    let live_in = super::fission::liveness(f, flow);
    let size = |v: Value| match f.ty(v) {
        _ if !is_vector(plan, v) => 0,
        Ty::B64 => 2,
        Ty::B128 => 4,
        _ => 1,
    };
    let is_local = |v: Value| matches!(f.values[v].def, ValueDef::Inst(..) | ValueDef::Param(..));
    let mut found = Pressure::default();
    for &b in &flow.order {
        let data = &f.blocks[Block::from_index(b)];
        let depth = std::iter::successors(flow.loop_of[b], |&l| flow.loops[l].parent).count();
        let weight = 8u64.pow(u32::try_from(depth.min(4)).unwrap_or(0));
        let mut live: HashSet<Value> = HashSet::new();
        for Edge { block, args } in data.term.edges() {
            let params = &f.blocks[*block].params;
            let through = live_in[block.index()]
                .iter()
                .filter(|v| !params.contains(v));
            live.extend(through.chain(args).copied().filter(|&v| is_local(v)));
        }
        live.extend(
            data.term
                .operands()
                .iter()
                .copied()
                .filter(|&v| is_local(v)),
        );
        let mut registers: u32 = live.iter().map(|&v| size(v)).sum();
        let mut copied: HashSet<Value> = HashSet::new();
        for &i in data.insts.iter().rev() {
            for v in f.results(i) {
                if live.remove(&v) {
                    registers -= size(v);
                }
            }
            for v in f.uses(i).filter(|&v| is_local(v)) {
                if live.insert(v) {
                    registers += size(v);
                }
            }
            count(f, plan, i, registers, weight, &mut copied, &mut found)?;
        }
        found.copies += weight * copied.len() as u64;
    }
    Some(found)
}

/// Counts an instruction at which so many registers of 8 lanes are in use.
fn count(
    f: &Function,
    plan: &Plan,
    inst: Inst,
    registers: u32,
    weight: u64,
    copied: &mut HashSet<Value>,
    found: &mut Pressure,
) -> Option<()> {
    match f.insts[inst].op {
        Op::Load { access } | Op::Store { access } => {
            if access.order != Order::Weak {
                return None;
            }
            if is_vector(plan, f.args(inst)[0]) {
                found.scattered += weight;
            }
            return Some(());
        }
        Op::Atom { .. } | Op::Red { .. } => {
            found.scattered += weight;
            return Some(());
        }
        _ => {}
    }
    if !f.results(inst).any(|v| is_vector(plan, v)) {
        return Some(());
    }
    found.work += weight;
    if registers * 4 > ROOM {
        found.over_whole += weight;
    }
    if registers * 2 > ROOM {
        found.over_half += weight;
    }
    let same = |v: &Value| plan.defs[v.index()].is_some() && plan.shapes.shape(*v) == UNIFORM;
    copied.extend(f.args(inst).iter().copied().filter(same));
    Some(())
}
