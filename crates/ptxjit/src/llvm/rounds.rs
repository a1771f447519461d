//! Loops that pass over memory in steps of the grid's size, made to go round block by block.
//!
//! In `for (i = first; i < n; i += threads_of_the_grid) …` a warp that runs to the end before the next one starts touches
//! memory in pieces of 128 bytes, each in another page: the next warp fills the gaps much later. So the rounds in which
//! all threads of the block take part get a loop of their own before this one, with a barrier at the end of each round:
//! [`super::fission`] then runs all warps of the block through a round before the next begins. Threads that go one round
//! further than others do so in the loop as it was, and so do all where there are few rounds: what the loop carries around
//! waits in memory between them.

use super::flow::Flow;
use crate::ir::arena::Arena;
use crate::ir::{
    Block, Edge, Function, Id, Inst, Int, IntCmp, Loc, Op, Order, Props, Sig, Sign, Signature,
    Space, Special, Terminator, Ty, Value, ValueDef,
};
use std::collections::HashMap;

/// Instructions of such a loop, at most: where more is done for what is read, memory does not matter.
const MOST: usize = 40;
/// Values that it carries around, at most: they wait in memory between rounds.
const CARRIED: usize = 6;
/// Operations to look through.
const DEPTH: u32 = 12;
/// Rounds that are worth it, at least, as a power of two.
const ENOUGH: u64 = 3;
/// Threads of a block that are more than one warp.
const THREADS: u32 = 64;

/// Gives such loops of a kernel rounds of the whole block. `block` are its dimensions. Whether there were some.
pub(super) fn together(sigs: &Arena<Sig, Signature>, f: &mut Function, block: [u32; 3]) -> bool {
    let [bx, by, bz] = block;
    if by * bz != 1 || bx < THREADS || !bx.is_multiple_of(32) {
        return false;
    }
    let flow = Flow::new(f);
    let found: Vec<Rounds> = (0..flow.loops.len())
        .filter_map(|l| Rounds::find(f, &flow, l))
        .collect();
    // One at a time: the first changes what the others were found in.
    let Some(rounds) = found.into_iter().next() else {
        return false;
    };
    rounds.write(sigs, f, bx);
    true
}

/// A loop of one block that is entered if its condition holds.
struct Rounds {
    /// The block that decides whether it is entered.
    guard: Block,
    /// The guard's edge past the loop is its first.
    leaves_first: bool,
    /// The block between guard and loop, if there is one: of pure operations.
    before: Option<Block>,
    /// The loop.
    body: Block,
    /// Number of the parameter that is compared.
    counter: usize,
    /// What it begins with, and by how much it grows.
    first: Value,
    step: Value,
    /// The loop goes on while this holds for the counter and the bound.
    cmp: IntCmp,
    bound: Value,
    /// What the loop's parameters begin with.
    begins: Vec<Value>,
    /// For each argument past the loop: the parameter of the loop that it is, or the same value as from inside.
    leaves_with: Vec<Option<usize>>,
}

impl Rounds {
    fn find(f: &Function, flow: &Flow, l: usize) -> Option<Self> {
        let this = &flow.loops[l];
        let header = this.header;
        if this.parent.is_some() || this.member.iter().filter(|&&m| m).count() != 1 {
            return None;
        }
        let body = Block::from_index(header);
        let data = &f.blocks[body];
        if data.insts.len() > MOST || data.params.len() > CARRIED {
            return None;
        }
        let Terminator::Branch {
            cond, then, other, ..
        } = &data.term
        else {
            return None;
        };
        let (round, out, holds) = match then.block == body {
            true => (then, other, true),
            false => (other, then, false),
        };
        if out.block == body || flow.preds[header].len() != 2 {
            return None;
        }
        let outside = flow.preds[header].iter().copied().find(|&p| p != header)?;
        // Guard, what is made before the loop, the loop.
        let mut guard = Block::from_index(outside);
        let mut before = None;
        if let Terminator::Jump(_) = f.blocks[guard].term {
            let preds = &flow.preds[outside];
            let pure = |&i: &Inst| f.insts[i].guard.is_none() && is_pure(f, i);
            if preds.len() != 1
                || !f.blocks[guard].params.is_empty()
                || !f.blocks[guard].insts.iter().all(pure)
            {
                return None;
            }
            before = Some(guard);
            guard = Block::from_index(preds[0]);
        }
        let Terminator::Branch {
            cond: enter,
            then: yes,
            other: no,
            ..
        } = &f.blocks[guard].term
        else {
            return None;
        };
        let inside = before.unwrap_or(body);
        let (past, leaves_first) = match (yes.block == inside, no.block == inside) {
            (true, false) => (no, false),
            (false, true) => (yes, true),
            _ => return None,
        };
        // All threads come to the guard.
        if past.block != out.block
            || flow.loop_of[guard.index()].is_some()
            || !flow.post_dominates(guard.index(), f.entry.index())
        {
            return None;
        }
        let from = &f.blocks[Block::from_index(outside)].term;
        let begins = from.edges().find(|e| e.block == body)?.args.clone();
        // The condition, and that of the guard.
        let (counted, cmp, bound) = compared(f, *cond, holds)?;
        let (first, entered, same_bound) = compared(f, *enter, !leaves_first)?;
        let Op::Add { w: Int::I32 } = f.insts[f.def_inst(counted)?].op else {
            return None;
        };
        let sum = f.args(f.def_inst(counted)?);
        let counter = data.params.iter().position(|p| sum.contains(p))?;
        let is_counter = |v: Value| v == data.params[counter];
        let step = if is_counter(sum[0]) { sum[1] } else { sum[0] };
        let is_inside = |v: Value| match f.values[v].def {
            ValueDef::Param(b, _) => b == body,
            ValueDef::Inst(i, _) => data.insts.contains(&i),
            ValueDef::Const(_) | ValueDef::Undef => false,
        };
        if is_inside(step)
            || is_inside(bound)
            || f.as_const(step).is_some()
            || entered != cmp
            || same_bound != bound
            || begins[counter] != first
            || round.args[counter] != counted
            || !matches!(cmp, IntCmp::Slt | IntCmp::Ult)
        {
            return None;
        }
        // Threads are neighbours, and what is the same for the block can be made anew.
        let mut known = HashMap::new();
        let is_plain =
            |v: Value| super::recompute::cost(f, v, false, &mut HashMap::new()).is_some();
        if growth(f, first, DEPTH, &mut known) != Some(1)
            || growth(f, step, DEPTH, &mut known) != Some(0)
            || growth(f, bound, DEPTH, &mut known) != Some(0)
            || !is_plain(first)
        {
            return None;
        }
        // Memory is read at the counter, and nothing that lanes of a warp do together.
        let mut reads = false;
        for &i in &data.insts {
            match f.insts[i].op {
                Op::Load { access } if access.order == Order::Weak => {
                    reads |= matches!(access.space, Space::Global | Space::Generic)
                        && follows(f, f.args(i)[0], data.params[counter], DEPTH);
                }
                Op::Store { access } if access.order == Order::Weak => {}
                _ if is_pure(f, i) => {}
                _ => return None,
            }
        }
        let leaves_with = out
            .args
            .iter()
            .zip(&past.args)
            .map(|(&from_inside, &not_entered)| {
                let carried = (0..begins.len())
                    .find(|&k| round.args[k] == from_inside && begins[k] == not_entered);
                match carried {
                    Some(k) => Some(Some(k)),
                    None => (from_inside == not_entered).then_some(None),
                }
            })
            .collect::<Option<Vec<_>>>()?;
        reads.then_some(Self {
            guard,
            leaves_first,
            before,
            body,
            counter,
            first,
            step,
            cmp,
            bound,
            begins,
            leaves_with,
        })
    }

    fn write(self, sigs: &Arena<Sig, Signature>, f: &mut Function, threads: u32) {
        let add = |f: &mut Function, insts: &mut Vec<Inst>, op: Op, args: &[Value], loc: Loc| {
            let inst = f.make_inst(sigs, op, args, None, loc);
            insts.push(inst);
            inst
        };
        let (i32, ty) = (Int::I32, Ty::B32);
        let loc = f.blocks[self.guard].term_loc;
        // What was made between guard and loop is made before the guard.
        let mut insts = f.blocks[self.guard].insts.clone();
        if let Some(before) = self.before {
            insts.append(&mut f.blocks[before].insts);
        }
        // The first counter of the block's last thread.
        let mut again = HashMap::new();
        let last = ends(sigs, f, self.first, threads - 1, &mut again, &mut insts);
        let (head, body, rest) = (f.add_block(), f.add_block(), f.add_block());
        let old = f.blocks[self.guard].term.clone();
        // Few rounds: as if none were left.
        let sub = add(f, &mut insts, Op::Sub { w: i32 }, &[self.bound, last], loc);
        let shift = f.constant(ty, ENOUGH);
        let left = f.result(sub).unwrap_or(last);
        let shr = Op::Shr {
            w: i32,
            sign: Sign::Unsigned,
        };
        let rounds = add(f, &mut insts, shr, &[left, shift], loc);
        let rounds = f.result(rounds).unwrap_or(last);
        let few = Op::ICmp {
            w: i32,
            cmp: IntCmp::Ult,
        };
        let few = add(f, &mut insts, few, &[rounds, self.step], loc);
        let few = f.result(few).unwrap_or(last);
        let begin = Op::Select { ty };
        let begin = add(f, &mut insts, begin, &[few, self.bound, last], loc);
        let begin = f.result(begin).unwrap_or(last);
        f.blocks[self.guard].insts = insts;
        f.blocks[self.guard].term = Terminator::Jump(Edge {
            block: head,
            args: std::iter::once(begin)
                .chain(self.begins.iter().copied())
                .collect(),
        });
        // Whether all threads take part: none wraps between the first and the last.
        let newest = f.add_param(head, ty);
        let types: Vec<Ty> = self.begins.iter().map(|&v| f.ty(v)).collect();
        let carried: Vec<Value> = types.into_iter().map(|t| f.add_param(head, t)).collect();
        let mut insts = Vec::new();
        let back = f.constant(ty, u64::from((threads - 1).wrapping_neg()));
        let one = |f: &Function, inst: Inst| f.results(inst).next().unwrap_or(newest);
        let oldest = add(f, &mut insts, Op::Add { w: i32 }, &[newest, back], loc);
        let oldest = one(f, oldest);
        let not_above = match self.cmp {
            IntCmp::Ult => IntCmp::Ule,
            _ => IntCmp::Sle,
        };
        let compare = |cmp| Op::ICmp { w: i32, cmp };
        let ordered = add(f, &mut insts, compare(not_above), &[oldest, newest], loc);
        let below = add(f, &mut insts, compare(self.cmp), &[newest, self.bound], loc);
        let both = [one(f, ordered), one(f, below)];
        let all = add(f, &mut insts, Op::And { ty: Ty::Pred }, &both, loc);
        let all = one(f, all);
        f.blocks[head].insts = insts;
        f.blocks[head].term = Terminator::Branch {
            cond: all,
            then: Edge::to(body),
            other: Edge::to(rest),
            uniform: false,
        };
        f.blocks[head].term_loc = loc;
        // A round, as the loop has it.
        let params = f.blocks[self.body].params.clone();
        let mut map: HashMap<Value, Value> = params.into_iter().zip(carried.clone()).collect();
        let mut insts = Vec::new();
        for inst in f.blocks[self.body].insts.clone() {
            let data = f.insts[inst];
            let of = |v: &Value| map.get(v).copied().unwrap_or(*v);
            let args: Vec<Value> = f.args(inst).iter().map(of).collect();
            let guard = data.guard.as_ref().map(of);
            let copy = f.make_inst(sigs, data.op, &args, guard, data.loc);
            insts.push(copy);
            let results: Vec<Value> = f.results(copy).collect();
            map.extend(f.results(inst).zip(results));
        }
        let next = add(f, &mut insts, Op::Add { w: i32 }, &[newest, self.step], loc);
        let next = one(f, next);
        let latch = f.blocks[self.body].term.clone();
        let round = latch.edges().find(|e| e.block == self.body);
        let round = round.map(|e| e.args.clone()).unwrap_or_default();
        let of = |v: Value| map.get(&v).copied().unwrap_or(v);
        let args = std::iter::once(next)
            .chain(round.into_iter().map(of))
            .collect();
        let zero = f.constant(ty, 0);
        let barrier = Op::Barrier { aligned: true };
        add(f, &mut insts, barrier, &[zero, zero], loc);
        f.blocks[body].insts = insts;
        f.blocks[body].term = Terminator::Jump(Edge { block: head, args });
        f.blocks[body].term_loc = loc;
        // The rest: the guard and the loop as they were, from where the rounds have come to.
        let mut insts = Vec::new();
        let holds = add(
            f,
            &mut insts,
            compare(self.cmp),
            &[carried[self.counter], self.bound],
            loc,
        );
        let cond = one(f, holds);
        let mut past = old.edges().nth(usize::from(!self.leaves_first)).cloned();
        for (arg, from) in past
            .iter_mut()
            .flat_map(|e| &mut e.args)
            .zip(&self.leaves_with)
        {
            if let Some(k) = from {
                *arg = carried[*k];
            }
        }
        let enter = Edge {
            block: self.body,
            args: carried,
        };
        f.blocks[rest].insts = insts;
        f.blocks[rest].term = Terminator::Branch {
            cond,
            then: enter,
            other: past.unwrap_or_else(|| Edge::to(self.body)),
            uniform: false,
        };
        f.blocks[rest].term_loc = loc;
    }
}

/// Operands of an integer comparison that holds where a condition is as `wanted`.
fn compared(f: &Function, cond: Value, wanted: bool) -> Option<(Value, IntCmp, Value)> {
    let inst = f.def_inst(cond)?;
    let Op::ICmp { w: Int::I32, cmp } = f.insts[inst].op else {
        return None;
    };
    let cmp = if wanted { cmp } else { cmp.opposite() };
    let args = f.args(inst);
    Some(match cmp {
        IntCmp::Sgt | IntCmp::Ugt => (args[1], cmp.swapped(), args[0]),
        _ => (args[0], cmp, args[1]),
    })
}

fn is_pure(f: &Function, inst: Inst) -> bool {
    match f.insts[inst].op {
        Op::Load { access } => access.space == Space::Param,
        Op::Special { .. } | Op::GlobalAddr { .. } => true,
        Op::LocalAddr { .. }
        | Op::ToGeneric {
            space: Space::Local,
        } => false,
        op => op.props().is_empty() || op.props() == Props::COMMUTES,
    }
}

/// By how much a value grows from thread to thread; what it is made of is told before the code runs.
fn growth(
    f: &Function,
    value: Value,
    depth: u32,
    known: &mut HashMap<Value, Option<i64>>,
) -> Option<i64> {
    if let Some(&g) = known.get(&value) {
        return g;
    }
    let inst = match f.values[value].def {
        ValueDef::Const(_) => return Some(0),
        ValueDef::Undef | ValueDef::Param(..) => return None,
        ValueDef::Inst(inst, _) => inst,
    };
    if depth == 0 || f.insts[inst].guard.is_some() {
        return None;
    }
    let args = f.args(inst);
    let mut of = |v: Value| growth(f, v, depth - 1, known);
    let found = match f.insts[inst].op {
        Op::Special { reg: Special::TidX } => Some(1),
        Op::Special { reg } => {
            use crate::ir::special::Varies;
            matches!(reg.varies(), Varies::Grid | Varies::Block).then_some(0)
        }
        Op::Load { access } => (access.space == Space::Param).then_some(0),
        Op::Add { w: Int::I32 } => Some(of(args[0])? + of(args[1])?),
        Op::Sub { w: Int::I32 } => Some(of(args[0])? - of(args[1])?),
        op if op.props().is_empty() || op.props() == Props::COMMUTES => {
            let same = args.iter().all(|&a| of(a) == Some(0));
            same.then_some(0)
        }
        _ => None,
    };
    known.insert(value, found);
    found
}

/// A value as thread `thread` of the block has it, made anew.
fn ends(
    sigs: &Arena<Sig, Signature>,
    f: &mut Function,
    value: Value,
    thread: u32,
    known: &mut HashMap<Value, Value>,
    insts: &mut Vec<Inst>,
) -> Value {
    if let Some(&v) = known.get(&value) {
        return v;
    }
    let Some(inst) = f.def_inst(value) else {
        return value;
    };
    let data = f.insts[inst];
    let new = match data.op {
        Op::Special { reg: Special::TidX } => f.constant(Ty::B32, u64::from(thread)),
        _ => {
            let args = f.args(inst).to_vec();
            let args: Vec<Value> = args
                .into_iter()
                .map(|a| ends(sigs, f, a, thread, known, insts))
                .collect();
            let copy = f.make_inst(sigs, data.op, &args, None, data.loc);
            insts.push(copy);
            let number = match f.values[value].def {
                ValueDef::Inst(_, number) => usize::from(number),
                _ => 0,
            };
            f.results(copy).nth(number).unwrap_or(value)
        }
    };
    known.insert(value, new);
    new
}

/// Whether an address counts with the loop's counter.
fn follows(f: &Function, value: Value, counter: Value, depth: u32) -> bool {
    if value == counter {
        return true;
    }
    let Some(inst) = f.def_inst(value).filter(|_| depth > 0) else {
        return false;
    };
    matches!(
        f.insts[inst].op,
        Op::Add { .. }
            | Op::Sub { .. }
            | Op::Mul { .. }
            | Op::MulWide { .. }
            | Op::Shl { .. }
            | Op::Sext { .. }
            | Op::Zext { .. }
    ) && f
        .args(inst)
        .iter()
        .any(|&a| follows(f, a, counter, depth - 1))
}
