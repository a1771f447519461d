//! Blocks of one row that code takes for several: threads ask for the remainder and the quotient of their number by a
//! power of two, as column and row. For the compiler they become what they mean, a block of two dimensions; threads and
//! warps stay what they are.

use super::flow::Flow;
use crate::ir::arena::Arena;
use crate::ir::{Function, Inst, Int, Op, Sig, Signature, Special, Ty, Value};
use crate::passes;
use crate::passes::params::Substitution;
use std::collections::HashSet;

/// Threads of a row: a warp, or several.
const LEAST: u32 = 5;

/// Writes a kernel with loops for a block of several rows; that block.
pub(super) fn in_rows(
    sigs: &Arena<Sig, Signature>,
    f: &mut Function,
    block: [u32; 3],
) -> Option<[u32; 3]> {
    let [threads, 1, 1] = block else {
        return None;
    };
    let insts = || f.blocks.values().flat_map(|b| b.insts.iter().copied());
    let asks = |i: Inst, reg: Special| f.insts[i].op == Op::Special { reg };
    let others = [Special::TidY, Special::TidZ, Special::NTidX, Special::NTidY];
    if insts().any(|i| others.iter().any(|&reg| asks(i, reg))) {
        return None;
    }
    let numbers: HashSet<Value> = insts()
        .filter(|&i| asks(i, Special::TidX))
        .filter_map(|i| f.result(i))
        .collect();
    let columns: Vec<(Value, u32)> = insts().filter_map(|i| column(f, i, &numbers)).collect();
    let rows: Vec<(Value, u32)> = insts().filter_map(|i| row(f, i, &numbers)).collect();
    let by = columns.iter().map(|c| c.1).filter(|&by| {
        by >= LEAST
            && rows.iter().any(|r| r.1 == by)
            && threads >> by > 1
            && threads.is_multiple_of(1 << by)
    });
    let by = by.min()?;
    let flow = Flow::new(f);
    if flow.loops.is_empty() || super::width::sees_warps(f, &flow) {
        return None;
    }
    let mut subst = Substitution::new(f);
    let w = Int::I32;
    for block in flow.order {
        let block = crate::ir::Block(u32::try_from(block).unwrap_or(0));
        let mut new = Vec::new();
        for inst in f.blocks[block].insts.clone() {
            let (result, loc) = (f.result(inst), f.insts[inst].loc);
            let number = result.filter(|r| numbers.contains(r));
            if let Some(number) = number {
                let mut make = |f: &mut Function, op: Op, args: &[Value]| {
                    let inst = f.make_inst(sigs, op, args, None, loc);
                    new.push(inst);
                    f.result(inst).unwrap_or(number)
                };
                let x = make(f, Op::Special { reg: Special::TidX }, &[]);
                let y = make(f, Op::Special { reg: Special::TidY }, &[]);
                let shift = f.constant(Ty::B32, u64::from(by));
                let before = make(f, Op::Shl { w }, &[y, shift]);
                let linear = make(f, Op::Add { w }, &[before, x]);
                subst.replace(number, linear);
                for (of, with) in [(&columns, x), (&rows, y)] {
                    for &(v, _) in of
                        .iter()
                        .filter(|&&(v, k)| k == by && asked(f, v) == Some(number))
                    {
                        subst.replace(v, with);
                    }
                }
            }
            new.push(inst);
        }
        f.blocks[block].insts = new;
    }
    subst.apply(f);
    passes::dce::run(f, sigs);
    Some([1 << by, threads >> by, 1])
}

/// The number that a column or row is asked of.
fn asked(f: &Function, value: Value) -> Option<Value> {
    f.def_inst(value).map(|i| f.args(i)[0])
}

/// A remainder of a thread's number by a power of two.
fn column(f: &Function, inst: Inst, numbers: &HashSet<Value>) -> Option<(Value, u32)> {
    let data = &f.insts[inst];
    let (Op::And { ty: Ty::B32 }, None) = (data.op, data.guard) else {
        return None;
    };
    let mask = f.as_const(f.args(inst)[1])?;
    let fits = numbers.contains(&f.args(inst)[0]) && (mask + 1).is_power_of_two();
    Some((f.result(inst)?, mask.trailing_ones())).filter(|_| fits)
}

/// A quotient.
fn row(f: &Function, inst: Inst, numbers: &HashSet<Value>) -> Option<(Value, u32)> {
    let data = &f.insts[inst];
    // Numbers of threads are not negative: either sign will do.
    let Op::Shr { w: Int::I32, .. } = data.op else {
        return None;
    };
    let by = u32::try_from(f.as_const(f.args(inst)[1])?).ok()?;
    let fits = numbers.contains(&f.args(inst)[0]) && data.guard.is_none() && by < 31;
    Some((f.result(inst)?, by)).filter(|_| fits)
}
