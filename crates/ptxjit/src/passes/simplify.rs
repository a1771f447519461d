//! Folds constants and replaces operations by simpler ones, in one walk over the function.

use super::params::Substitution;
use crate::ir::fold::fold;
use crate::ir::{
    Arena, Function, Inst, Int, IntCmp, Op, Sig, Signature, Terminator, Ty, Value, ValueDef,
};

/// The pass.
pub fn run(function: &mut Function, sigs: &Arena<Sig, Signature>) {
    let mut subst = Substitution::new(function);
    for block in function.reverse_post_order() {
        for n in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[n];
            for i in 0..function.args(inst).len() {
                function.args_mut(inst)[i] = subst.resolve(function.args(inst)[i]);
            }
            simplify(function, &mut subst, inst);
        }
    }
    subst.apply(function);
    guards(function);
    negated_branches(function);
    let _ = sigs;
}

fn simplify(function: &mut Function, subst: &mut Substitution, inst: Inst) {
    if fold_constant(function, subst, inst) {
        return;
    }
    let op = function.insts[inst].op;
    let Some(result) = function.result(inst) else {
        access_offset(function, inst);
        return;
    };
    access_offset(function, inst);
    // Constants on the right of operations that commute.
    let args = function.args(inst).to_vec();
    if op.props().contains(crate::ir::Props::COMMUTES)
        && let [a, b] = args[..]
        && function.as_const(a).is_some()
        && function.as_const(b).is_none()
    {
        function.set_args(inst, &[b, a]);
    }
    let args = function.args(inst).to_vec();
    if let Some(value) = identity(function, op, &args) {
        subst.replace(result, value);
        return;
    }
    rewrite(function, inst, op, &args);
}

/// An instruction whose operands are all constant.
fn fold_constant(function: &mut Function, subst: &mut Substitution, inst: Inst) -> bool {
    let mut bits = [0u128; 8];
    let args = function.args(inst);
    if args.is_empty() || args.len() > bits.len() {
        return false;
    }
    for (bits, &arg) in bits.iter_mut().zip(args) {
        match function.as_const(arg) {
            Some(value) => *bits = u128::from(value),
            None => return false,
        }
    }
    let count = args.len();
    let Some(results) = fold(&function.insts[inst].op, &bits[..count]) else {
        return false;
    };
    let values: Vec<Value> = function.results(inst).collect();
    if values.iter().any(|&value| function.ty(value) == Ty::B128) {
        return false;
    }
    for (value, bits) in values.into_iter().zip(results) {
        let Ok(bits) = u64::try_from(bits) else {
            return false;
        };
        let constant = function.constant(function.ty(value), bits);
        subst.replace(value, constant);
    }
    true
}

/// An operation that gives one of its operands, an operand of an operand, or a constant.
fn identity(function: &mut Function, op: Op, args: &[Value]) -> Option<Value> {
    let constant =
        |function: &Function, n: usize| args.get(n).and_then(|&arg| function.as_const(arg));
    let (&a, b) = (args.first()?, constant(function, 1));
    let ones = |ty: Ty| u64::try_from(ty.mask()).unwrap_or(u64::MAX);
    match op {
        Op::Add { .. } | Op::Sub { .. } if b == Some(0) => Some(a),
        Op::Mul { .. } if b == Some(1) => Some(a),
        Op::Mul { w } if b == Some(0) => Some(function.constant(w.ty(), 0)),
        Op::Shl { .. } | Op::Shr { .. } if b == Some(0) => Some(a),
        Op::Or { .. } | Op::Xor { .. } if b == Some(0) => Some(a),
        Op::And { ty } | Op::Or { ty } if b == Some(ones(ty)) => match op {
            Op::And { .. } => Some(a),
            _ => Some(args[1]),
        },
        Op::And { .. } if b == Some(0) => Some(args[1]),
        Op::And { .. } | Op::Or { .. } if args[0] == args[1] => Some(a),
        Op::Sub { w } if args[0] == args[1] => Some(function.constant(w.ty(), 0)),
        Op::Xor { ty } if args[0] == args[1] && ty != Ty::B128 => Some(function.constant(ty, 0)),
        Op::Select { .. } => select(function, args),
        Op::Not { .. } => through(function, a, |op| matches!(op, Op::Not { .. })),
        Op::Trunc { to, .. } => truncated(function, a, to, 0),
        Op::Extract { to, index, .. } => truncated(function, a, to, u32::from(index)),
        Op::Pack { .. } => packed(function, args),
        Op::Zext { from: Ty::B32, .. } | Op::FromGeneric { .. } => match (op, function.def_inst(a))
        {
            (Op::FromGeneric { space }, Some(def)) => match function.insts[def].op {
                Op::ToGeneric { space: from } if from == space => {
                    function.args(def).first().copied()
                }
                _ => None,
            },
            _ => None,
        },
        Op::ICmp {
            cmp: IntCmp::Ne, ..
        } if b == Some(0) => {
            // A predicate widened and tested again.
            through(function, a, |op| {
                matches!(op, Op::Zext { from: Ty::Pred, .. })
            })
        }
        _ => None,
    }
}

/// The operand of the operation that defines a value, if it is of a kind.
fn through(function: &Function, value: Value, kind: impl Fn(&Op) -> bool) -> Option<Value> {
    let inst = function.def_inst(value)?;
    if kind(&function.insts[inst].op) {
        function.args(inst).first().copied()
    } else {
        None
    }
}

fn select(function: &mut Function, args: &[Value]) -> Option<Value> {
    let &[p, a, b] = args else { return None };
    match function.as_const(p) {
        Some(0) => return Some(b),
        Some(_) => return Some(a),
        None => {}
    }
    if a == b || function.values[b].def == ValueDef::Undef {
        return Some(a);
    }
    if function.values[a].def == ValueDef::Undef {
        return Some(b);
    }
    // p ? true : false
    if function.ty(a) == Ty::Pred
        && function.as_const(a) == Some(1)
        && function.as_const(b) == Some(0)
    {
        return Some(p);
    }
    None
}

/// Element `index` of type `to` of a value that was put together or widened from that type.
fn truncated(function: &Function, value: Value, to: Ty, index: u32) -> Option<Value> {
    let inst = function.def_inst(value)?;
    let args = function.args(inst);
    match function.insts[inst].op {
        Op::Pack { elem, .. } if elem == to => args.get(index as usize).copied(),
        Op::Zext { from, .. } | Op::Sext { from, .. } if from == to && index == 0 => {
            args.first().copied()
        }
        _ => None,
    }
}

/// All elements of one value, in order, put together again.
fn packed(function: &Function, args: &[Value]) -> Option<Value> {
    let mut whole = None;
    for (n, &arg) in args.iter().enumerate() {
        let inst = function.def_inst(arg)?;
        let source = function.args(inst).first().copied()?;
        let fits = match function.insts[inst].op {
            Op::Extract { from, to, index } => {
                usize::from(index) == n && to.bits() as usize * args.len() == from.bits() as usize
            }
            Op::Trunc { from, to } => {
                n == 0 && to.bits() as usize * args.len() == from.bits() as usize
            }
            _ => false,
        };
        if !fits || whole.is_some_and(|whole| whole != source) {
            return None;
        }
        whole = Some(source);
    }
    whole
}

/// Operations that become others.
fn rewrite(function: &mut Function, inst: Inst, op: Op, args: &[Value]) {
    match op {
        // (x + c1) + c2
        Op::Add { w } if w != Int::I16x2 => {
            if let Some((base, sum)) = added(function, w, args[0], args[1]) {
                let sum = function.constant(w.ty(), sum);
                function.set_args(inst, &[base, sum]);
            }
        }
        // x - c
        Op::Sub { w } if w != Int::I16x2 => {
            if let Some(c) = function.as_const(args[1]) {
                let negative = function.constant(w.ty(), c.wrapping_neg());
                function.set_op(inst, Op::Add { w });
                function.set_args(inst, &[args[0], negative]);
            }
        }
        // not of a comparison of integers
        Op::Not { ty: Ty::Pred } => {
            if let Some(def) = function.def_inst(args[0])
                && let Op::ICmp { w, cmp } = function.insts[def].op
            {
                let operands = function.args(def).to_vec();
                function.set_op(
                    inst,
                    Op::ICmp {
                        w,
                        cmp: cmp.opposite(),
                    },
                );
                function.set_args(inst, &operands);
            }
        }
        _ => {}
    }
}

/// x + c where x itself is y + d: y and the sum of the constants.
fn added(function: &Function, w: Int, x: Value, c: Value) -> Option<(Value, u64)> {
    let c = function.as_const(c)?;
    let inst = function.def_inst(x)?;
    if function.insts[inst].op != (Op::Add { w }) {
        return None;
    }
    let &[y, d] = function.args(inst) else {
        return None;
    };
    Some((y, c.wrapping_add(function.as_const(d)?)))
}

/// A constant added to a 64-bit address moves into the access.
fn access_offset(function: &mut Function, inst: Inst) {
    let mut op = function.insts[inst].op;
    let (Op::Load { access }
    | Op::Store { access }
    | Op::Atom { access, .. }
    | Op::Red { access, .. }) = &mut op
    else {
        return;
    };
    if access.space.address() != Ty::B64 {
        return;
    }
    let base = function.args(inst)[0];
    let Some(def) = function.def_inst(base) else {
        return;
    };
    if function.insts[def].op != (Op::Add { w: Int::I64 }) {
        return;
    }
    let &[start, offset] = function.args(def) else {
        return;
    };
    let Some(offset) = function.as_const(offset) else {
        return;
    };
    let Ok(sum) = i32::try_from(offset.cast_signed().wrapping_add(i64::from(access.offset))) else {
        return;
    };
    access.offset = sum;
    function.set_op(inst, op);
    function.args_mut(inst)[0] = start;
}

/// Guards that are constant: true ones go; instructions with false ones do nothing and are cut from their blocks.
fn guards(function: &mut Function) {
    for block in function.blocks.ids() {
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|&inst| {
            let Some(guard) = function.insts[inst].guard else {
                return true;
            };
            match function.as_const(guard) {
                Some(1) => {
                    function.insts[inst].guard = None;
                    true
                }
                // Results, if there are any, are undefined but must exist.
                Some(_) => function.result(inst).is_some(),
                None => true,
            }
        });
        function.blocks[block].insts = insts;
    }
}

/// A branch on `not p` is a branch on p with its ways exchanged.
fn negated_branches(function: &mut Function) {
    for block in function.blocks.ids() {
        let Terminator::Branch { cond, .. } = function.blocks[block].term else {
            continue;
        };
        let Some(inner) = through(function, cond, |op| *op == Op::Not { ty: Ty::Pred }) else {
            continue;
        };
        if let Terminator::Branch {
            cond, then, other, ..
        } = &mut function.blocks[block].term
        {
            *cond = inner;
            std::mem::swap(then, other);
        }
    }
}
