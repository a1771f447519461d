//! Alternatives of numbers that have no bit in common are sums, and so are numbers inserted into others.
//!
//! Compilers write indices that lie side by side as `row | column`, or insert the one into the other. What is known of
//! sums, how far apart they lie in neighbouring threads above all, then holds for these, too.

use crate::ir::{
    Arena, Function, Inst, Int, Op, Sig, Sign, Signature, Special, Ty, Value, ValueDef,
};

/// Operations that a number's bits are followed through.
const DEPTH: u32 = 6;

/// The pass.
pub fn run(function: &mut Function, sigs: &Arena<Sig, Signature>) {
    for block in function.blocks.ids().collect::<Vec<_>>() {
        let mut new = Vec::new();
        for inst in function.blocks[block].insts.clone() {
            insertion(function, sigs, inst, &mut new);
            new.push(inst);
        }
        function.blocks[block].insts = new;
    }
    let found: Vec<(Inst, Int)> = function
        .blocks
        .values()
        .flat_map(|block| &block.insts)
        .filter_map(|&inst| {
            let w = match function.insts[inst].op {
                Op::Or { ty: Ty::B32 } => Int::I32,
                Op::Or { ty: Ty::B64 } => Int::I64,
                _ => return None,
            };
            let args = function.args(inst);
            let in_common = bits(function, args[0], DEPTH) & bits(function, args[1], DEPTH);
            (in_common == 0).then_some((inst, w))
        })
        .collect();
    for (inst, w) in found {
        function.set_op(inst, Op::Add { w });
    }
}

/// Makes a sum of an insertion at a known place; what that needs comes before it.
fn insertion(
    function: &mut Function,
    sigs: &Arena<Sig, Signature>,
    inst: Inst,
    before: &mut Vec<Inst>,
) {
    let (Op::Bfi { w }, None) = (function.insts[inst].op, function.insts[inst].guard) else {
        return;
    };
    let &[value, into, at, length] = function.args(inst) else {
        return;
    };
    let known = |v: Value| u32::try_from(function.as_const(v)? & 0xff).ok();
    let (Some(at), Some(length)) = (known(at), known(length)) else {
        return;
    };
    let all = up_to(1 << (w.bits() - 1));
    if at >= w.bits() || length == 0 {
        return;
    }
    let low = up_to(1 << (length.min(w.bits() - at) - 1));
    let field = (low << at) & all;
    let loc = function.insts[inst].loc;
    let mut make = |f: &mut Function, op: Op, value: Value, by: Value| {
        let new = f.make_inst(sigs, op, &[value, by], None, loc);
        before.push(new);
        f.result(new).unwrap_or(value)
    };
    let ty = w.ty();
    let mut keep = |f: &mut Function, value: Value, these: u64| {
        if bits(f, value, DEPTH) & !these == 0 {
            return value;
        }
        let mask = f.constant(ty, these);
        make(f, Op::And { ty }, value, mask)
    };
    // Bits above the number's end are shifted out.
    let value = match at + low.count_ones() == w.bits() {
        true => value,
        false => keep(function, value, low),
    };
    let into = keep(function, into, all & !field);
    let by = function.constant(Ty::B32, u64::from(at));
    let value = make(function, Op::Shl { w }, value, by);
    function.set_op(inst, Op::Add { w });
    function.set_args(inst, &[value, into]);
}

/// All bits up to the highest of a number.
fn up_to(most: u64) -> u64 {
    u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0)
}

/// The bits that a value may have.
fn bits(f: &Function, value: Value, depth: u32) -> u64 {
    let all = up_to(1 << (f.ty(value).bits().clamp(1, 64) - 1));
    let inst = match f.values[value].def {
        ValueDef::Const(bits) => return bits & all,
        ValueDef::Inst(inst, 0) if depth > 0 && f.insts[inst].guard.is_none() => inst,
        ValueDef::Inst(..) | ValueDef::Param(..) | ValueDef::Undef => return all,
    };
    let args = f.args(inst);
    let of = |i: usize| bits(f, args[i], depth - 1);
    let constant = |i: usize| f.as_const(args[i]);
    // What has at most this value and so many zeros at its end.
    let at_most = |most: Option<u64>, zeros: u32| {
        let end = u64::MAX.checked_shl(zeros).unwrap_or(0);
        match most {
            Some(most) if most <= all => up_to(most) & end,
            Some(_) | None => all & end,
        }
    };
    match f.insts[inst].op {
        Op::And { .. } => of(0) & of(1),
        Op::Or { .. } | Op::Xor { .. } => of(0) | of(1),
        Op::Select { .. } => of(1) | of(2),
        Op::Zext { .. } | Op::Trunc { .. } => of(0) & all,
        Op::Shl {
            w: Int::I32 | Int::I64,
        } => match constant(1) {
            Some(by @ 0..64) => (of(0) << by) & all,
            Some(_) | None => all,
        },
        Op::Shr {
            w: Int::I32 | Int::I64,
            sign: Sign::Unsigned,
        } => match constant(1) {
            Some(by @ 0..64) => of(0) >> by,
            Some(_) | None => all,
        },
        Op::Add {
            w: Int::I32 | Int::I64,
        } => {
            let (x, y) = (of(0), of(1));
            at_most(x.checked_add(y), x.trailing_zeros().min(y.trailing_zeros()))
        }
        Op::Mul {
            w: Int::I32 | Int::I64,
        }
        | Op::MulWide {
            w: Int::I32,
            sign: Sign::Unsigned,
        } => {
            let (x, y) = (of(0), of(1));
            at_most(x.checked_mul(y), x.trailing_zeros() + y.trailing_zeros())
        }
        // CUDA C++ Programming Guide, technical specifications.
        Op::Special { reg } => match reg {
            Special::TidX | Special::TidY => 0x3ff,
            Special::TidZ => 0x3f,
            Special::LaneId => 0x1f,
            Special::NTidX | Special::NTidY => 0x7ff,
            Special::CtaIdX => 0x7fff_ffff,
            Special::CtaIdY | Special::CtaIdZ => 0xffff,
            _ => all,
        },
        _ => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_sums_and_products() {
        assert_eq!(up_to(0), 0);
        assert_eq!(up_to(1), 1);
        assert_eq!(up_to(8), 15);
        assert_eq!(up_to(u64::MAX), u64::MAX);
    }
}
