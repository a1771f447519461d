//! Values that are cheaper to make again than to keep: numbers of threads and lanes, indices, addresses and bounds that
//! follow from them and from parameters.
//!
//! Where a kernel falls into regions between barriers (see [`super::fission`]), whatever lives across a barrier waits in
//! memory once per warp. Compilers compute indices once, at the top; here each block that uses such a value behind a
//! barrier computes it anew, mostly from constants, and LLVM hoists it out of the block's loops.

use super::fission::{liveness, reach};
use super::flow::Flow;
use super::warp::source;
use crate::ir::arena::Arena;
use crate::ir::special::Varies;
use crate::ir::{
    Block, Function, Id, Inst, Int, IntCmp, Loc, Op, Order, Sig, Sign, Signature, Space, Special,
    Ty, Value, ValueDef,
};
use std::collections::{HashMap, HashSet};

/// Operations of a computation that is made again, at most.
const MOST: u32 = 16;

/// Recomputes what is cheap on the far side of barriers. Blocks stay as they are.
pub fn across_barriers(sigs: &Arena<Sig, Signature>, f: &mut Function, flow: &Flow) {
    let starts: HashSet<usize> = flow
        .order
        .iter()
        .filter(|&&b| super::fission::barrier_block(f, b))
        .flat_map(|&b| flow.succs[b].iter().copied())
        .collect();
    if starts.is_empty() {
        return;
    }
    let live = liveness(f, flow);
    let defs = super::shape::def_blocks(f);
    let mut costs = HashMap::new();
    // Values to be made again, by block.
    let mut wanted: Vec<HashSet<Value>> = vec![HashSet::new(); f.blocks.len()];
    for &s in &starts {
        let cheap: Vec<Value> = live[s]
            .iter()
            .copied()
            .filter(|&v| cost(f, v, false, &mut costs).is_some_and(|c| c <= MOST))
            .collect();
        if cheap.is_empty() {
            continue;
        }
        for b in reach(f, flow, s) {
            let here = cheap.iter().filter(|v| defs[v.index()] != Some(b));
            wanted[b].extend(here);
        }
    }
    for (b, wanted) in wanted.iter().enumerate().filter(|(_, w)| !w.is_empty()) {
        recompute(sigs, f, Block::from_index(b), wanted);
    }
}

/// Operations that make a value from constants, parameters and special registers; `None` if others are needed, or more
/// than a few. `divides`: whether they may be divisions.
pub(super) fn cost(
    f: &Function,
    value: Value,
    divides: bool,
    known: &mut HashMap<Value, Option<u32>>,
) -> Option<u32> {
    let (inst, number) = match f.values[value].def {
        ValueDef::Const(_) | ValueDef::Undef => return Some(0),
        ValueDef::Param(..) => return None,
        ValueDef::Inst(inst, number) => (inst, number),
    };
    if let Some(&c) = known.get(&value) {
        return c;
    }
    let args = f.args(inst);
    let found = match f.insts[inst].op {
        _ if f.insts[inst].guard.is_some() => None,
        Op::Special { reg } => (reg.varies() != Varies::Time).then_some(1),
        Op::Load { access } => (access.space == Space::Param
            && access.order == Order::Weak
            && access.lanes == 1
            && f.as_const(args[0]).is_some())
        .then_some(1),
        Op::GlobalAddr { .. } => Some(1),
        Op::Shfl { .. } => {
            let fixed = f.as_const(args[1]).is_some() && f.as_const(args[2]).is_some();
            (number == 1 && fixed).then_some(4)
        }
        Op::Add { .. }
        | Op::Sub { .. }
        | Op::Mul { .. }
        | Op::MulWide { .. }
        | Op::And { .. }
        | Op::Or { .. }
        | Op::Xor { .. }
        | Op::Not { .. }
        | Op::Lop3 { .. }
        | Op::Shl { .. }
        | Op::Shr { .. }
        | Op::Min { .. }
        | Op::Max { .. }
        | Op::ICmp { .. }
        | Op::Select { .. }
        | Op::Zext { .. }
        | Op::Sext { .. }
        | Op::Trunc { .. } => args
            .iter()
            .try_fold(1, |sum, &a| Some(sum + cost(f, a, divides, known)?))
            .filter(|&c| c <= MOST),
        Op::Div { .. } | Op::Rem { .. } if divides => args
            .iter()
            .try_fold(4, |sum, &a| Some(sum + cost(f, a, divides, known)?))
            .filter(|&c| c <= MOST),
        _ => None,
    };
    known.insert(value, found);
    found
}

/// Makes values again at the start of a block, for the block.
fn recompute(
    sigs: &Arena<Sig, Signature>,
    f: &mut Function,
    block: Block,
    wanted: &HashSet<Value>,
) {
    let mut made = Made::default();
    let insts = f.blocks[block].insts.clone();
    for &inst in &insts {
        for k in 0..f.args(inst).len() {
            let v = f.args(inst)[k];
            if wanted.contains(&v) {
                let new = made.again(sigs, f, v);
                f.args_mut(inst)[k] = new;
            }
        }
        if let Some(guard) = f.insts[inst].guard.filter(|g| wanted.contains(g)) {
            let new = made.again(sigs, f, guard);
            f.insts[inst].guard = Some(new);
        }
    }
    let mut term = f.blocks[block].term.clone();
    for v in term.operands_mut() {
        if wanted.contains(v) {
            *v = made.again(sigs, f, *v);
        }
    }
    for v in term.edges_mut().flat_map(|e| &mut e.args) {
        if wanted.contains(v) {
            *v = made.again(sigs, f, *v);
        }
    }
    f.blocks[block].term = term;
    made.insts.extend(insts);
    f.blocks[block].insts = made.insts;
}

/// What was made again for a block.
#[derive(Default)]
pub(super) struct Made {
    new: HashMap<Value, Value>,
    /// The instructions that make it.
    pub(super) insts: Vec<Inst>,
}

impl Made {
    /// The value, made again.
    pub(super) fn again(
        &mut self,
        sigs: &Arena<Sig, Signature>,
        f: &mut Function,
        value: Value,
    ) -> Value {
        if let Some(&v) = self.new.get(&value) {
            return v;
        }
        let ValueDef::Inst(inst, number) = f.values[value].def else {
            return value;
        };
        let (op, loc) = (f.insts[inst].op, f.insts[inst].loc);
        let args = f.args(inst).to_vec();
        if let Op::Shfl { mode } = op {
            let constant = |v: Value| {
                f.as_const(v)
                    .and_then(|c| u32::try_from(c).ok())
                    .unwrap_or(0)
            };
            let (by, clamp) = (constant(args[1]), constant(args[2]));
            let bits = (0..32)
                .filter(|&lane| source(mode, lane, by, clamp).1)
                .fold(0u64, |bits, lane| bits | 1 << lane);
            let v = self.lane_bit(sigs, f, bits, loc);
            self.new.insert(value, v);
            return v;
        }
        let args: Vec<Value> = args.into_iter().map(|a| self.again(sigs, f, a)).collect();
        let new = self.add(sigs, f, op, &args, loc);
        let v = f.results(new).nth(usize::from(number)).unwrap_or(value);
        self.new.insert(value, v);
        v
    }

    fn add(
        &mut self,
        sigs: &Arena<Sig, Signature>,
        f: &mut Function,
        op: Op,
        args: &[Value],
        loc: Loc,
    ) -> Inst {
        let inst = f.make_inst(sigs, op, args, None, loc);
        self.insts.push(inst);
        inst
    }

    /// A predicate that is a constant for each lane of the warp.
    fn lane_bit(
        &mut self,
        sigs: &Arena<Sig, Signature>,
        f: &mut Function,
        bits: u64,
        loc: Loc,
    ) -> Value {
        let (w, ty) = (Int::I32, Ty::B32);
        let (bits, one, zero) = (f.constant(ty, bits), f.constant(ty, 1), f.constant(ty, 0));
        let mut step = |f: &mut Function, op: Op, args: &[Value]| {
            let inst = self.add(sigs, f, op, args, loc);
            f.result(inst).unwrap_or(zero)
        };
        let reg = Special::LaneId;
        let lane = step(f, Op::Special { reg }, &[]);
        let sign = Sign::Unsigned;
        let v = step(f, Op::Shr { w, sign }, &[bits, lane]);
        let v = step(f, Op::And { ty }, &[v, one]);
        let cmp = IntCmp::Ne;
        step(f, Op::ICmp { w, cmp }, &[v, zero])
    }
}
