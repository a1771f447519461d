//! Blocks of threads away from the borders of a field.
//!
//! Threads compare their indices with the ends of a field, and clamp them to it; in most blocks none of them lies there.
//! Such a kernel exists twice: where the least and the greatest index of the block's threads show that all comparisons
//! go the usual way, a form of the kernel runs that does not make them, so that addresses are consecutive and lanes run
//! together. The indices' bounds are a few scalar operations for the whole block.

use super::build::{Icmp, Opcode, V};
use super::emit::{Done, Gen};
use super::flow::Flow;
use super::kernel::reset_slots;
use super::plan::Plan;
use super::shape::{Lanes, Shape};
use crate::ir::arena::Arena;
use crate::ir::{
    Block, Function, Id, Int, IntCmp, Op, Order, Sig, Sign, Signature, Space, Special, Ty, Value,
    ValueDef,
};
use crate::passes;
use crate::passes::params::Substitution;
use std::collections::HashMap;

/// Comparisons that a block is looked at for, at most.
const MOST: usize = 48;
/// Operations from the numbers of threads and blocks to an index.
const DEPTH: u32 = 8;
/// Instructions of a kernel that is not made twice.
const LARGE: usize = 600;
/// A constant that an index is compared with is the field's beginning up to here, and its end beyond.
const BEGINNING: u64 = 64;
/// Accesses of single lanes that become accesses of all, for a kernel with barriers to be made twice.
const LEAST: usize = 2;

/// What is usual.
#[derive(Clone, Copy, Debug)]
struct Usual {
    /// The comparison or extreme.
    value: Value,
    /// `index cmp bound` holds for all threads.
    index: Value,
    cmp: IntCmp,
    bound: Value,
    /// What the value is then; `None`: the index.
    is: Option<bool>,
}

/// A kernel's form for blocks in which everything is as usual.
pub(super) struct Interior {
    usual: Vec<Usual>,
    /// The form.
    pub(super) f: Function,
    /// Its control flow.
    pub(super) flow: Flow,
    /// Its plan.
    pub(super) plan: Plan,
}

/// What a value follows from.
#[derive(Clone, Copy, Default)]
struct Source {
    thread: bool,
    block: bool,
    /// More than constants.
    given: bool,
}

impl Source {
    fn with(self, other: Self) -> Self {
        Self {
            thread: self.thread || other.thread,
            block: self.block || other.block,
            given: self.given || other.given,
        }
    }
}

/// A kernel's form for blocks away from borders, if its accesses are better there.
pub(super) fn interior(
    sigs: &Arena<Sig, Signature>,
    f: &Function,
    flow: &Flow,
    plan: &Plan,
    lanes: &Lanes,
) -> Option<Interior> {
    if plan.dispatch || lanes.threads().is_none() {
        return None;
    }
    let blocks = || flow.order.iter().map(|&b| &f.blocks[Block::from_index(b)]);
    if blocks().map(|b| b.insts.len()).sum::<usize>() > LARGE {
        return None;
    }
    let mut known = HashMap::new();
    let usual: Vec<Usual> = blocks()
        .flat_map(|b| &b.insts)
        .filter_map(|&i| usual(f, f.result(i)?, &mut known))
        .collect();
    if usual.is_empty() || usual.len() > MOST {
        return None;
    }
    let mut form = f.clone();
    let mut subst = Substitution::new(&form);
    for u in &usual {
        let by = match u.is {
            Some(is) => form.constant(Ty::Pred, u64::from(is)),
            None => u.index,
        };
        subst.replace(u.value, by);
    }
    subst.apply(&mut form);
    passes::simplify::run(&mut form, sigs);
    passes::cfg::run(&mut form, sigs);
    passes::params::run(&mut form, sigs);
    passes::dce::run(&mut form, sigs);
    let form = super::kernel::prepared(&form);
    let form_flow = Flow::new(&form);
    let form_plan = Plan::new(&form, &form_flow, lanes);
    let (before, after) = (
        Accesses::of(f, flow, plan),
        Accesses::of(&form, &form_flow, &form_plan),
    );
    let has_barriers = flow
        .order
        .iter()
        .any(|&b| super::fission::barrier_block(f, b));
    let worth =
        after.scattered < before.scattered || has_barriers && after.masked + LEAST <= before.masked;
    worth.then_some(Interior {
        usual,
        f: form,
        flow: form_flow,
        plan: form_plan,
    })
}

/// Accesses of a kernel that take longer than they might.
struct Accesses {
    /// Those whose places have nothing to do with each other.
    scattered: usize,
    /// Those of some lanes.
    masked: usize,
}

impl Accesses {
    fn of(f: &Function, flow: &Flow, plan: &Plan) -> Self {
        let mut found = Self {
            scattered: 0,
            masked: 0,
        };
        for &b in &flow.order {
            let own = plan.own[plan.leader[b]];
            for &i in &f.blocks[Block::from_index(b)].insts {
                let (Op::Load { access } | Op::Store { access }) = f.insts[i].op else {
                    continue;
                };
                if matches!(access.space, Space::Local | Space::Param) {
                    continue;
                }
                let shape = plan.shapes.shape(f.args(i)[0]);
                found.scattered += usize::from(matches!(shape, Shape::Varying | Shape::Bottom));
                found.masked += usize::from(own || f.insts[i].guard.is_some());
            }
        }
        found
    }
}

/// What a value usually is, if it compares an index of threads in the grid with an end of a field.
fn usual(f: &Function, value: Value, known: &mut HashMap<Value, Option<Source>>) -> Option<Usual> {
    let inst = f.def_inst(value)?;
    let (x, y) = match f.insts[inst].op {
        _ if f.insts[inst].guard.is_some() => return None,
        Op::ICmp { w: Int::I32, .. }
        | Op::Min {
            w: Int::I32,
            sign: Sign::Signed,
        }
        | Op::Max {
            w: Int::I32,
            sign: Sign::Signed,
        } => (f.args(inst)[0], f.args(inst)[1]),
        _ => return None,
    };
    let (of_x, of_y) = (source(f, x, DEPTH, known)?, source(f, y, DEPTH, known)?);
    let (index, bound, turned) = match (of_x.thread, of_y.thread) {
        (true, false) => (x, y, false),
        (false, true) => (y, x, true),
        _ => return None,
    };
    let (of_index, of_bound) = if turned { (of_y, of_x) } else { (of_x, of_y) };
    if !of_index.block || of_bound.block {
        return None;
    }
    let cmp = match f.insts[inst].op {
        Op::Min { .. } => IntCmp::Sle,
        Op::Max { .. } => IntCmp::Sge,
        Op::ICmp { cmp, .. } if turned => cmp.swapped(),
        Op::ICmp { cmp, .. } => cmp,
        _ => return None,
    };
    if !matches!(f.insts[inst].op, Op::ICmp { .. }) {
        return Some(Usual {
            value,
            index,
            cmp,
            bound,
            is: None,
        });
    }
    let begins = !of_bound.given
        && f.as_const(bound)
            .is_none_or(|c| c <= BEGINNING || c >= 1 << 31);
    let is = match cmp {
        IntCmp::Eq => false,
        IntCmp::Ne => true,
        IntCmp::Slt | IntCmp::Sle => !begins,
        IntCmp::Sgt | IntCmp::Sge => begins,
        IntCmp::Ult | IntCmp::Ule => !begins,
        IntCmp::Ugt | IntCmp::Uge => begins,
    };
    let cmp = if is { cmp } else { cmp.opposite() };
    Some(Usual {
        value,
        index,
        cmp,
        bound,
        is: Some(is),
    })
}

/// What a 32-bit value follows from, if from numbers of threads and blocks and parameters alone, by operations that
/// [`Gen::span`] knows.
fn source(
    f: &Function,
    value: Value,
    depth: u32,
    known: &mut HashMap<Value, Option<Source>>,
) -> Option<Source> {
    if f.ty(value) != Ty::B32 {
        return None;
    }
    let inst = match f.values[value].def {
        ValueDef::Const(_) => return Some(Source::default()),
        ValueDef::Inst(inst, 0) if depth > 0 && f.insts[inst].guard.is_none() => inst,
        ValueDef::Inst(..) | ValueDef::Param(..) | ValueDef::Undef => return None,
    };
    if let Some(&found) = known.get(&value) {
        return found;
    }
    let args = f.args(inst).to_vec();
    let given = Source {
        given: true,
        ..Source::default()
    };
    let found = match f.insts[inst].op {
        Op::Special { reg } => match reg {
            Special::TidX | Special::TidY | Special::TidZ => Some(Source {
                thread: true,
                ..given
            }),
            Special::CtaIdX | Special::CtaIdY | Special::CtaIdZ => Some(Source {
                block: true,
                ..given
            }),
            Special::NCtaIdX | Special::NCtaIdY | Special::NCtaIdZ => Some(given),
            _ => None,
        },
        Op::Load { access } => (access.space == Space::Param
            && access.order == Order::Weak
            && access.lanes == 1
            && access.elem == Ty::B32
            && f.as_const(args[0]).is_some())
        .then_some(given),
        // Where it lies is not known for single threads, either.
        Op::Or { .. } => both(f, &args, depth, known).map(|s| Source { thread: true, ..s }),
        Op::Add { w: Int::I32 }
        | Op::Sub { w: Int::I32 }
        | Op::Min {
            w: Int::I32,
            sign: Sign::Signed,
        }
        | Op::Max {
            w: Int::I32,
            sign: Sign::Signed,
        } => both(f, &args, depth, known),
        Op::Mul { w: Int::I32 } => {
            let each: Vec<_> = args
                .iter()
                .filter_map(|&a| source(f, a, depth - 1, known))
                .collect();
            match each[..] {
                [x, y] if !x.thread || !y.thread => Some(x.with(y)),
                _ => None,
            }
        }
        Op::Shl { w: Int::I32 } => match f.as_const(args[1]) {
            Some(0..31) => source(f, args[0], depth - 1, known),
            Some(_) | None => None,
        },
        _ => None,
    };
    known.insert(value, found);
    found
}

fn both(
    f: &Function,
    args: &[Value],
    depth: u32,
    known: &mut HashMap<Value, Option<Source>>,
) -> Option<Source> {
    let x = source(f, args[0], depth - 1, known)?;
    Some(x.with(source(f, args[1], depth - 1, known)?))
}

/// Least and greatest that a value is in the block's threads, `i64`.
type Span = (V, V);

/// The code of a block's test.
#[derive(Default)]
struct Test {
    spans: HashMap<Value, Span>,
    holds: Vec<V>,
}

/// The entry of a kernel that is there twice.
pub(super) fn entry(g: &mut Gen<'_, '_>, interior: &Interior, inside: V, general: V) -> Done {
    let start = g.b.block(g.function);
    g.b.at(start);
    let at = g.at;
    g.lines.set(&g.b, at);
    let mut test = Test::default();
    for u in &interior.usual {
        g.compare_spans(u, &mut test);
    }
    let mut all = g.b.c(g.b.i1, 1);
    for holds in test.holds {
        all = g.b.and(all, holds);
    }
    let (yes, no) = (g.b.block(g.function), g.b.block(g.function));
    g.b.cond(all, yes, no);
    let ty = g.b.function_type(g.b.void, &[g.b.ptr]);
    for (bb, function) in [(yes, inside), (no, general)] {
        g.b.at(bb);
        g.b.call(ty, function, &[g.ctx]);
        g.b.ret();
    }
    reset_slots(g, g.prologue);
    g.b.br(start);
    Ok(())
}

impl Gen<'_, '_> {
    /// Tests that a comparison goes the usual way in all threads.
    fn compare_spans(&mut self, usual: &Usual, test: &mut Test) {
        let (low, high) = self.span(usual.index, test);
        let (least, most) = self.span(usual.bound, test);
        let zero = self.b.c(self.b.i64, 0);
        let unsigned = matches!(
            usual.cmp,
            IntCmp::Ult | IntCmp::Ule | IntCmp::Ugt | IntCmp::Uge
        );
        if unsigned {
            for v in [low, least] {
                let natural = self.b.icmp(Icmp::LLVMIntSGE, v, zero);
                test.holds.push(natural);
            }
        }
        let holds = match usual.cmp {
            IntCmp::Slt | IntCmp::Ult => self.b.icmp(Icmp::LLVMIntSLT, high, least),
            IntCmp::Sle | IntCmp::Ule => self.b.icmp(Icmp::LLVMIntSLE, high, least),
            IntCmp::Sgt | IntCmp::Ugt => self.b.icmp(Icmp::LLVMIntSGT, low, most),
            IntCmp::Sge | IntCmp::Uge => self.b.icmp(Icmp::LLVMIntSGE, low, most),
            IntCmp::Ne => {
                let below = self.b.icmp(Icmp::LLVMIntSLT, high, least);
                let above = self.b.icmp(Icmp::LLVMIntSGT, low, most);
                self.b.or(below, above)
            }
            IntCmp::Eq => self.b.c(self.b.i1, 0),
        };
        test.holds.push(holds);
    }

    /// A value's span, if none of the operations wraps: that is tested.
    fn span(&mut self, value: Value, test: &mut Test) -> Span {
        if let Some(&known) = test.spans.get(&value) {
            return known;
        }
        let span = self.make_span(value, test);
        test.spans.insert(value, span);
        span
    }

    fn make_span(&mut self, value: Value, test: &mut Test) -> Span {
        let (f, i64) = (self.f, self.b.i64);
        let constant = |g: &Self, c: i64| g.b.c(i64, c.cast_unsigned());
        if let Some(c) = f.as_const(value) {
            let c = u32::try_from(c & 0xffff_ffff).unwrap_or(0).cast_signed();
            let c = constant(self, i64::from(c));
            return (c, c);
        }
        let poison = (self.b.poison(i64), self.b.poison(i64));
        let Some(inst) = f.def_inst(value) else {
            return poison;
        };
        let args = f.args(inst).to_vec();
        let op = f.insts[inst].op;
        if let Op::Special { reg } = op {
            let dimension = match reg {
                Special::TidX => 0,
                Special::TidY => 1,
                Special::TidZ => 2,
                reg => {
                    let v = self.of_grid(reg);
                    let v = self.b.zext(v, i64);
                    return (v, v);
                }
            };
            let last = i64::from(self.lanes.block[dimension]) - 1;
            return (constant(self, 0), constant(self, last));
        }
        if let Op::Load { access } = op {
            let at = f.as_const(args[0]).and_then(|c| u32::try_from(c).ok());
            let at = at.unwrap_or(0).wrapping_add_signed(access.offset);
            let v = self.parameter(at, self.b.i32, 4);
            let v = self.b.sext(v, i64);
            return (v, v);
        }
        let x = self.span(args[0], test);
        let (low, high) = match op {
            Op::Shl { .. } => {
                let by = constant(self, 1 << f.as_const(args[1]).unwrap_or(0));
                (self.b.mul(x.0, by), self.b.mul(x.1, by))
            }
            _ => {
                let y = self.span(args[1], test);
                self.span_of_two(op, x, y)
            }
        };
        if matches!(
            op,
            Op::Add { .. } | Op::Sub { .. } | Op::Mul { .. } | Op::Shl { .. }
        ) {
            let (least, most) = (
                constant(self, i64::from(i32::MIN)),
                constant(self, i64::from(i32::MAX)),
            );
            let above = self.b.icmp(Icmp::LLVMIntSGE, low, least);
            let below = self.b.icmp(Icmp::LLVMIntSLE, high, most);
            test.holds.extend([above, below]);
        }
        (low, high)
    }

    fn span_of_two(&mut self, op: Op, x: Span, y: Span) -> Span {
        let b = &self.b;
        match op {
            Op::Add { .. } => (b.add(x.0, y.0), b.add(x.1, y.1)),
            Op::Sub { .. } => (b.sub(x.0, y.1), b.sub(x.1, y.0)),
            Op::Min { .. } => (
                b.intr("llvm.smin", &[x.0, y.0]),
                b.intr("llvm.smin", &[x.1, y.1]),
            ),
            Op::Max { .. } => (
                b.intr("llvm.smax", &[x.0, y.0]),
                b.intr("llvm.smax", &[x.1, y.1]),
            ),
            Op::Mul { .. } => {
                // One of them is the same in all threads.
                let (p, q) = (b.mul(x.0, y.0), b.mul(x.1, y.1));
                (b.intr("llvm.smin", &[p, q]), b.intr("llvm.smax", &[p, q]))
            }
            // Not negative where both are not.
            _ => {
                let least = b.intr("llvm.smin", &[x.0, y.0]);
                let sign = b.bin(Opcode::LLVMAShr, least, b.c(b.i64, 63));
                let low = b.and(sign, b.c(b.i64, i64::from(i32::MIN).cast_unsigned()));
                (low, b.c(b.i64, i64::from(i32::MAX).cast_unsigned()))
            }
        }
    }
}
