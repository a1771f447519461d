//! How many lanes a vector has: a warp's 32, or fewer where the code keeps so many vectors that they do not fit in the
//! registers. What is the same for all lanes is then done more often, so that it pays only where vectors are most of the
//! work.

use super::flow::Flow;
use super::plan::Plan;
use super::shape::{Shape, UNIFORM};
use super::target::Level;
use crate::ir::{Block, Function, Id, Inst, Op, Order, Space, Special, Ty, Value};
use std::collections::HashSet;

/// Vectors of 32 lanes that the loop of a kernel keeps in registers, from which on half of the lanes are faster with 16
/// registers of 256 bits: a block's instructions can be done for one part of the lanes after the other, a loop's not.
const CROWD: usize = 5;
/// The same with 32 registers of 512 bits.
const CROWD_OF_512: usize = 18;
/// Arithmetic in such a loop, at least; and for each value that is the same for all lanes and made a vector of.
const CROWD_WORK: usize = 6;

/// An innermost loop that computes with more vectors than there are registers for.
fn crowded_loop(f: &Function, flow: &Flow, plan: &Plan, crowd: usize) -> Option<usize> {
    (0..flow.loops.len())
        .filter(|&l| flow.loops.iter().all(|m| m.parent != Some(l)))
        .find(|&l| {
            let this = &flow.loops[l];
            let (mut live, mut copied): (HashSet<Value>, HashSet<Value>) = Default::default();
            let mut work = 0;
            let header = &f.blocks[Block::from_index(this.header)];
            live.extend(header.params.iter().filter(|&&v| is_vector(plan, v)));
            for &b in flow.order.iter().filter(|&&b| this.member[b]) {
                for &i in &f.blocks[Block::from_index(b)].insts {
                    let op = f.insts[i].op;
                    if is_access(&op) {
                        if is_vector(plan, f.args(i)[0]) {
                            return false;
                        }
                    } else if f.results(i).any(|v| is_vector(plan, v)) {
                        copied.extend(f.args(i).iter().filter(|&&v| is_copied(plan, v)));
                    }
                    work += usize::from(matches!(
                        op,
                        Op::FAdd { .. } | Op::FSub { .. } | Op::FMul { .. } | Op::Fma { .. }
                    ));
                    let outside = f.uses(i).filter(|&v| {
                        is_vector(plan, v) && plan.defs[v.index()].is_some_and(|d| !this.member[d])
                    });
                    live.extend(outside);
                }
            }
            // Values that stay the same in the loop are copied before it; what is loaded is copied on its way.
            copied.retain(|&v| plan.defs[v.index()].is_some_and(|d| this.member[d]));
            let loaded = |v: &&Value| {
                let inst = f.def_inst(**v);
                inst.is_some_and(|i| matches!(f.insts[i].op, Op::Load { .. }))
            };
            let loads = copied.iter().filter(loaded).count();
            // Lanes that leave one by one: who they are, and what they take with them.
            let masks = usize::from(plan.loop_divergent[l]);
            if plan.loop_divergent[l] {
                let inside = |v: &&Value| plan.defs[v.index()].is_some_and(|d| this.member[d]);
                live.extend(plan.outs.iter().filter(inside));
                for &b in flow.order.iter().filter(|&&b| this.member[b]) {
                    let edges = f.blocks[Block::from_index(b)].term.edges();
                    for edge in edges.filter(|e| !this.member[e.block.index()]) {
                        let params = &f.blocks[edge.block].params;
                        live.extend(params.iter().filter(|&&v| is_vector(plan, v)));
                    }
                }
            }
            live.len() + masks >= crowd && work >= CROWD_WORK * (copied.len() - loads / 2).max(1)
        })
}

/// Vectors of 8 lanes (of 32 with AVX-512, which has twice the registers) from which on code is crowded: about as many as
/// there are registers.
const ROOM: u32 = 15;
/// Operations on vectors that a kernel has at least for its width to matter.
const LEAST: usize = 24;

/// What a kernel's operations on vectors find, weighted by how deep in loops they stand.
#[derive(Default)]
struct Pressure {
    /// All of them.
    work: u64,
    /// Those where even vectors of 8 lanes do not fit in the registers.
    crowded: u64,
    /// Values that are the same for all lanes, and are made vectors of.
    copies: u64,
    /// Accesses whose places have nothing to do with each other.
    scattered: u64,
    /// Accesses to rows of elements, but for borders.
    rows: u64,
}

/// Operations for each row that is read or written, at least, for which parts of a row smaller than a cache line pay.
const ROW_WORK: u64 = 16;

/// Whether code looks at the warp it runs in (then vectors must have its 32 lanes).
pub(super) fn sees_warps(f: &Function, flow: &Flow) -> bool {
    let asks = f.insts.values().any(|i| match i.op {
        Op::Shfl { .. }
        | Op::Vote { .. }
        | Op::Ballot
        | Op::MatchAny { .. }
        | Op::MatchAll { .. }
        | Op::ActiveMask
        | Op::Redux { .. }
        | Op::Elect
        | Op::BarrierRed { .. }
        | Op::BarrierArrive { .. }
        | Op::WarpSync
        | Op::ClusterBarrier { .. }
        | Op::Fence { .. }
        | Op::CallBuiltin { .. }
        | Op::CallRuntime { .. } => true,
        // What is volatile is meant for others, and a warp's lanes go together.
        Op::Load { access } | Op::Store { access } => access.order != Order::Weak,
        Op::Special { reg } => matches!(
            reg,
            Special::LaneId
                | Special::WarpId
                | Special::LaneMaskEq
                | Special::LaneMaskLe
                | Special::LaneMaskLt
                | Special::LaneMaskGe
                | Special::LaneMaskGt
        ),
        _ => false,
    });
    asks || exchanges(f, flow)
}

/// Whether threads may pass each other data through shared memory without a barrier in between: lanes of a warp do, in
/// code that counts on their going together.
fn exchanges(f: &Function, flow: &Flow) -> bool {
    const LOADED: u8 = 1;
    const STORED: u8 = 2;
    const CHANGED: u8 = 4;
    let shared = |space: Space| matches!(space, Space::Shared | Space::Generic);
    // What has been done to shared memory since the last barrier, where each block begins.
    let mut before = vec![0u8; flow.succs.len()];
    let mut work: Vec<usize> = flow.order.clone();
    while let Some(b) = work.pop() {
        let mut done = before[b];
        for &i in &f.blocks[Block::from_index(b)].insts {
            let (this, against) = match f.insts[i].op {
                Op::Load { access } if shared(access.space) => (LOADED, STORED | CHANGED),
                Op::Store { access } if shared(access.space) => (STORED, LOADED | CHANGED),
                Op::Atom { access, .. } | Op::Red { access, .. } if shared(access.space) => {
                    (CHANGED, LOADED | STORED)
                }
                Op::Barrier { .. } if f.insts[i].guard.is_none() => {
                    done = 0;
                    continue;
                }
                _ => continue,
            };
            if done & against != 0 {
                return true;
            }
            done |= this;
        }
        for &next in &flow.succs[b] {
            if before[next] | done != before[next] {
                before[next] |= done;
                work.push(next);
            }
        }
    }
    false
}

/// Lanes for a kernel that does not see warps, whose blocks have rows of `row` threads, by its plan for 32 lanes.
pub(super) fn strip(f: &Function, flow: &Flow, plan: &Plan, row: u32, level: Level) -> u32 {
    if !row.is_multiple_of(8) {
        return 32;
    }
    let half = if row.is_multiple_of(16) { 16 } else { 8 };
    if level == Level::Avx512 {
        if half != 16 || is_small(f, flow, plan) {
            return 32;
        }
        let crowded = pressure(f, flow, plan)
            .is_some_and(|p| p.crowded * 5 > p.work * 2 && p.scattered * 8 <= p.work);
        return match crowded || crowded_loop(f, flow, plan, CROWD_OF_512).is_some() {
            true => 16,
            false => 32,
        };
    }
    let crowded = match is_small(f, flow, plan) {
        true => None,
        false => pressure(f, flow, plan)
            .filter(|p| p.crowded * 5 > p.work * 2 && p.scattered * 8 <= p.work),
    };
    match crowded {
        // A huge kernel is compiled with the least effort, and sooner with less of it.
        Some(_) if super::target::is_huge(f) => 8,
        Some(p) if p.copies * 4 <= p.work && p.rows * ROW_WORK <= p.work => 8,
        Some(_) => half,
        None => match crowded_loop(f, flow, plan, CROWD) {
            Some(l) if super::levels::are_side_by_side(f, flow, plan, l) => 8,
            Some(_) => half,
            None => 32,
        },
    }
}

fn is_vector(plan: &Plan, v: Value) -> bool {
    plan.defs[v.index()].is_some() && matches!(plan.shapes.shape(v), Shape::Varying | Shape::Bottom)
}

/// Whether a value is the same for all lanes, and not a constant.
fn is_copied(plan: &Plan, v: Value) -> bool {
    plan.defs[v.index()].is_some() && plan.shapes.shape(v) == UNIFORM
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
    let mut found = Pressure::default();
    for &b in &flow.order {
        let data = &f.blocks[Block::from_index(b)];
        let depth = std::iter::successors(flow.loop_of[b], |&l| flow.loops[l].parent).count();
        let weight = 8u64.pow(u32::try_from(depth.min(4)).unwrap_or(0));
        let mut live = super::fission::live_at_end(f, Block::from_index(b), &live_in);
        let mut registers: u32 = live.iter().map(|&v| size(v)).sum();
        let mut copied: HashSet<Value> = HashSet::new();
        for &i in data.insts.iter().rev() {
            for v in f.results(i) {
                if live.remove(&v) {
                    registers -= size(v);
                }
            }
            for v in f.uses(i).filter(|&v| super::fission::is_local(f, v)) {
                if live.insert(v) {
                    registers += size(v);
                }
            }
            count(f, flow, plan, i, registers, weight, &mut copied, &mut found)?;
        }
        found.copies += weight * copied.len() as u64;
    }
    Some(found)
}

/// Counts an instruction at which so many registers of 8 lanes are in use.
#[expect(clippy::too_many_arguments, reason = "one step of the loop above")]
fn count(
    f: &Function,
    flow: &Flow,
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
            let (at, shape) = (f.args(inst)[0], |v| plan.shapes.shape(v));
            match is_vector(plan, at) {
                true if !super::index::is_index_like(f, flow, &shape, at) => {
                    found.scattered += weight;
                }
                false if shape(at) == UNIFORM => {}
                true | false => found.rows += weight,
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
    if registers > ROOM {
        found.crowded += weight;
    }
    copied.extend(f.args(inst).iter().filter(|&&v| is_copied(plan, v)));
    Some(())
}
