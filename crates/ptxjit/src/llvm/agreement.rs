//! Loops that all threads of a block go round equally often, though nothing in the code says so: the rounds left over
//! when a loop over an array was unrolled, rounds that depend on how many elements there are for a thread.
//!
//! Such a number of rounds follows from parameters and the thread's number alone. Where the block's threads agree on all
//! of these values, nothing diverges, and all that follows from the loop is as regular as what went in. So the kernel
//! exists twice: code that looks at the values of all threads first, then runs the form of the kernel that takes them
//! as given, or else the general one.

use super::build::{Bb, Icmp, V};
use super::emit::{Done, Gen, Mask};
use super::flow::Flow;
use super::kernel::{begin, entry_mask, strips};
use super::plan::Plan;
use super::recompute::{self, Made};
use super::shape::{Lanes, Shape, UNIFORM};
use crate::ir::arena::Arena;
use crate::ir::{Block, Edge, Function, Id, Op, Sig, Signature, Terminator, Ty, Value, ValueDef};
use std::collections::HashMap;

/// Values to be agreed on, at most.
const MOST: usize = 12;
/// Instructions of a kernel that is not made twice.
const LARGE: usize = 1_500;

/// What the threads of a block have to agree on.
pub(super) struct Agreement {
    /// The values.
    pub(super) values: Vec<Value>,
    /// A function that computes them in its first block.
    pub(super) check: Function,
    /// Their names there.
    made: Vec<Value>,
    /// The kernel that takes these values as given.
    pub(super) f: Function,
    /// Its control flow.
    pub(super) flow: Flow,
    /// Its lanes, with the values taken as agreed on.
    pub(super) lanes: Lanes,
    /// Its plan.
    pub(super) plan: Plan,
}

/// What makes loops of a kernel regular if the threads of a block agree on it, or lets some of its threads become one
/// (`coarse`: where that is possible at all).
pub(super) fn agreement(
    sigs: &Arena<Sig, Signature>,
    f: &Function,
    flow: &Flow,
    plan: &Plan,
    lanes: &Lanes,
    coarse: bool,
) -> Option<Agreement> {
    let diverging = |plan: &Plan| plan.loop_divergent.iter().filter(|&&d| d).count();
    let coarse = coarse && !flow.loops.is_empty() && plan.divergent.contains(&true);
    if plan.dispatch || diverging(plan) == 0 && !coarse {
        return None;
    }
    let size = |&b: &usize| f.blocks[Block::from_index(b)].insts.len();
    if flow.order.iter().map(size).sum::<usize>() > LARGE {
        return None;
    }
    // Numbers first: conditions follow from many of them.
    let mut values = begins_of_loops(f, flow, plan);
    let mut lanes = lanes.clone();
    lanes.agreed = values.iter().copied().collect();
    let with_numbers = Plan::new(f, flow, &lanes);
    values.extend(conditions(f, flow, &with_numbers));
    if values.is_empty() || values.len() > MOST {
        return None;
    }
    lanes.agreed = values.iter().copied().collect();
    let better = Plan::new(f, flow, &lanes);
    let threads_as_one = coarse
        .then(|| super::coarse::coarse(sigs, f, flow, &better, &lanes))
        .flatten();
    if diverging(&better) >= diverging(plan) && threads_as_one.is_none() {
        return None;
    }
    let regular = match threads_as_one {
        Some(one) => {
            let flow = Flow::new(&one.f);
            let plan = Plan::new(&one.f, &flow, &one.lanes);
            (one.f, flow, one.lanes, plan)
        }
        None => (f.clone(), flow.clone(), lanes, better),
    };
    let mut check = f.clone();
    let mut again = Made::default();
    let made = values
        .iter()
        .map(|&v| again.again(sigs, &mut check, v))
        .collect();
    let start = check.add_block();
    check.blocks[start].insts = again.insts;
    check.blocks[start].term = Terminator::Return(Vec::new());
    check.entry = start;
    let (f, flow, lanes, plan) = regular;
    Some(Agreement {
        values,
        check,
        made,
        f,
        flow,
        lanes,
        plan,
    })
}

/// Whether a value that lanes do not agree on follows from parameters and the thread's number alone.
fn is_told(f: &Function, v: Value, known: &mut HashMap<Value, Option<u32>>) -> bool {
    matches!(f.ty(v), Ty::Pred | Ty::B32 | Ty::B64)
        && f.def_inst(v)
            .is_some_and(|i| f.results(i).len() == 1 && f.insts[i].guard.is_none())
        && recompute::cost(f, v, true, known).is_some()
}

/// Conditions that lanes may not agree on.
fn diverging_conditions<'a>(
    f: &'a Function,
    flow: &'a Flow,
    plan: &'a Plan,
) -> impl Iterator<Item = Value> + 'a {
    let blocks = flow.order.iter().filter(|&&b| plan.divergent[b]);
    blocks.filter_map(|&b| match f.blocks[Block::from_index(b)].term {
        Terminator::Branch { cond, .. } => Some(cond),
        _ => None,
    })
}

/// Conditions of branches that can be told at the start.
fn conditions(f: &Function, flow: &Flow, plan: &Plan) -> Vec<Value> {
    let mut known = HashMap::new();
    let mut found: Vec<Value> = Vec::new();
    for v in diverging_conditions(f, flow, plan) {
        if plan.shapes.shape(v) != UNIFORM && !found.contains(&v) && is_told(f, v, &mut known) {
            found.push(v);
        }
    }
    found
}

/// What the numbers that loops count begin with, where it is irregular, and can be told at the start.
fn begins_of_loops(f: &Function, flow: &Flow, plan: &Plan) -> Vec<Value> {
    let mut known = HashMap::new();
    let mut found: Vec<Value> = Vec::new();
    for cond in diverging_conditions(f, flow, plan) {
        let Some(inst) = f.def_inst(cond) else {
            continue;
        };
        if !matches!(f.insts[inst].op, Op::ICmp { .. }) {
            continue;
        }
        for v in f.args(inst).iter().flat_map(|&a| begins(f, flow, a)) {
            let irregular = matches!(plan.shapes.shape(v), Shape::Varying | Shape::Bottom);
            if irregular && !found.contains(&v) && is_told(f, v, &mut known) {
                found.push(v);
            }
        }
    }
    found
}

/// What a number that a loop counts begins with, as far as it can be told.
fn begins(f: &Function, flow: &Flow, value: Value) -> Vec<Value> {
    let mut value = value;
    // The loop's condition looks at the number after it was counted.
    if let Some(inst) = f.def_inst(value)
        && matches!(f.insts[inst].op, Op::Add { .. } | Op::Sub { .. })
        && f.as_const(f.args(inst)[1]).is_some()
    {
        value = f.args(inst)[0];
    }
    let ValueDef::Param(block, place) = f.values[value].def else {
        return Vec::new();
    };
    let b = block.index();
    let outside = flow.preds[b].iter().filter(|&&p| flow.pos[p] < flow.pos[b]);
    let edges = outside.flat_map(|&p| f.blocks[Block::from_index(p)].term.edges());
    let mut out: Vec<Value> = edges
        .filter(|e| e.block == block)
        .map(|Edge { args, .. }| args[place as usize])
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// The entry of a kernel that is there twice: `regular` takes the values of the agreement as second argument, 8 bytes
/// each.
pub(super) fn entry(g: &mut Gen<'_, '_>, agreement: &Agreement, regular: V, general: V) -> Done {
    let (i32, i64, ptr) = (g.b.i32, g.b.i64, g.b.ptr);
    let (count, known) = strips(g);
    let room = g.in_prologue(|g| {
        let t = g.b.array(g.b.i64, agreement.made.len() as u64);
        g.b.alloca(t, 16)
    });
    let places: Vec<V> = agreement.made.iter().map(|_| g.alloca(i64)).collect();
    let mask_type = g.mask_type();
    let apart = g.alloca(mask_type);
    g.in_prologue(|g| {
        g.b.store(g.b.zero(mask_type), apart, 64);
        for &place in &places {
            g.b.store(g.b.c(i64, 0), place, 16);
        }
    });
    let (head, body, after): (Bb, Bb, Bb) = (
        g.b.block(g.function),
        g.b.block(g.function),
        g.b.block(g.function),
    );
    g.b.at(head);
    let strip = g.b.phi(i32);
    g.b.at(body);
    g.strip = match known {
        Some(1) => g.b.c(i32, 0),
        Some(_) | None => strip,
    };
    g.entry_mask = entry_mask(g);
    let start = agreement.check.entry.index();
    g.begin_block(start);
    g.instructions(start, false)?;
    let is_first = g.b.icmp(Icmp::LLVMIntEQ, g.strip, g.b.c(i32, 0));
    for (&v, &place) in agreement.made.iter().zip(&places) {
        let v = match g.f.ty(v) {
            Ty::Pred => {
                let p = g.pred(v);
                g.b.zext(p, g.vt(i32))
            }
            _ => g.vector(v),
        };
        let elem = g.b.elem_of(g.b.type_of(v));
        let mine = g.b.extract_at(v, g.b.c(i32, 0));
        let mine = g.b.zext(mine, i64);
        let others = g.b.load(i64, place, 16);
        let agreed = g.b.select(is_first, mine, others);
        g.b.store(agreed, place, 16);
        let agreed = g.b.zext(agreed, elem);
        let agreed = g.b.splat(agreed, g.w);
        let differs = g.b.icmp(Icmp::LLVMIntNE, v, agreed);
        let differs = g.mask_and(g.entry_mask, differs);
        let differs = g.mask_value(differs);
        let before = g.b.load(mask_type, apart, 64);
        let now = g.b.or(before, differs);
        g.b.store(now, apart, 64);
    }
    let next = g.b.add(strip, g.b.c(i32, 1));
    let more = g.b.icmp(Icmp::LLVMIntULT, next, count);
    let last = g.b.here();
    g.b.cond(more, head, after);
    g.b.incoming(strip, next, last);
    g.b.incoming(strip, g.b.c(i32, 0), g.prologue);
    g.b.at(after);
    let all = g.b.load(mask_type, apart, 64);
    let differ = g.any(Mask::Some(all));
    let (yes, no) = (g.b.block(g.function), g.b.block(g.function));
    g.b.cond(differ, yes, no);
    g.b.at(yes);
    let ty = g.b.function_type(g.b.void, &[ptr]);
    g.b.call(ty, general, &[g.ctx]);
    g.b.ret();
    g.b.at(no);
    for (k, &place) in (0i64..).zip(&places) {
        let v = g.b.load(i64, place, 16);
        let to = g.b.offset(room, 8 * k);
        g.b.store(v, to, 8);
    }
    let ty = g.b.function_type(g.b.void, &[ptr, ptr]);
    g.b.call(ty, regular, &[g.ctx, room]);
    g.b.ret();
    begin(g, head, body);
    Ok(())
}

impl Gen<'_, '_> {
    /// Takes the values of an agreement from the function's second argument.
    pub(super) fn take_agreed(&mut self, agreement: &Agreement) {
        let room = self.b.param(self.function, 1);
        for (k, &value) in (0i64..).zip(&agreement.values) {
            let t = match self.f.ty(value) {
                Ty::Pred => self.b.i1,
                other => self.int(other),
            };
            let v = self.in_prologue(|g| {
                let at = g.b.offset(room, 8 * k);
                let v = g.b.load_invariant(g.b.i64, at, 8);
                g.b.zext(v, t)
            });
            self.agreed.insert(value, v);
        }
    }
}
