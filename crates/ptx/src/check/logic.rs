//! Comparison, selection, logic and shifts (PTX ISA 9.0, 9.7.6 to 9.7.8).

use super::operands::Args;
use crate::error::ErrorKind;
use crate::kind;
use crate::modifier::{BoolOp, CmpOp};
use crate::types::ScalarType::{self, *};

/// Whether a comparison exists for a type.
fn comparable(cmp: CmpOp, ty: ScalarType) -> bool {
    let unsigned = matches!(ty, U16 | U32 | U64);
    match cmp {
        CmpOp::Eq | CmpOp::Ne => true,
        CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => !ty.is_bits(),
        CmpOp::Lo | CmpOp::Ls | CmpOp::Hi | CmpOp::Hs => unsigned,
        CmpOp::Equ | CmpOp::Neu | CmpOp::Ltu | CmpOp::Leu => ty.is_float(),
        CmpOp::Gtu | CmpOp::Geu | CmpOp::Num | CmpOp::Nan => ty.is_float(),
    }
}

fn compare(args: &mut Args<'_, '_, '_>, cmp: CmpOp, ftz: bool, ty: ScalarType) {
    args.types(
        ty,
        &[
            B16, B32, B64, U16, U32, U64, S16, S32, S64, F16, F16x2, Bf16, Bf16x2, F32, F64,
        ],
    );
    args.forbid(ftz && !matches!(ty, F32 | F16 | F16x2), "ftz");
    if !comparable(cmp, ty) {
        args.error(ErrorKind::Comparison);
    }
}

/// The inputs of a comparison, with the predicate that it is combined with.
fn inputs(args: &mut Args<'_, '_, '_>, bool_op: Option<BoolOp>, ty: ScalarType) {
    args.src(ty);
    args.src(ty);
    if bool_op.is_some() {
        args.predicate();
    } else if args.more() {
        let instruction = args.name();
        args.error(ErrorKind::BoolOpRequired { instruction });
        args.predicate();
    }
}

pub(super) fn set(args: &mut Args<'_, '_, '_>, m: &kind::Set) {
    args.types(m.dty, &[U16, S16, U32, S32, F16, F16x2, Bf16, Bf16x2, F32]);
    compare(args, m.cmp, m.ftz, m.sty);
    args.dst(m.dty);
    inputs(args, m.bool_op, m.sty);
}

pub(super) fn setp(args: &mut Args<'_, '_, '_>, m: &kind::Setp) {
    compare(args, m.cmp, m.ftz, m.ty);
    args.dst_and_predicate(Pred);
    inputs(args, m.bool_op, m.ty);
}

pub(super) fn selp(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64]);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
    args.predicate();
}

pub(super) fn slct(args: &mut Args<'_, '_, '_>, m: &kind::Slct) {
    args.types(
        m.dty,
        &[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64],
    );
    args.types(m.cty, &[S32, F32]);
    args.forbid(m.ftz && m.cty != F32, "ftz");
    args.dst(m.dty);
    args.src(m.dty);
    args.src(m.dty);
    args.src(m.cty);
}

/// `and`, `or` and `xor`.
pub(super) fn binary(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[Pred, B16, B32, B64]);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
}

pub(super) fn not(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[Pred, B16, B32, B64]);
    args.dst(ty);
    args.src(ty);
}

pub(super) fn cnot(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B16, B32, B64]);
    args.dst(ty);
    args.src(ty);
}

pub(super) fn lop3(args: &mut Args<'_, '_, '_>, m: &kind::Lop3) {
    args.types(m.ty, &[B32]);
    args.forbid(m.bool_op == Some(BoolOp::Xor), "xor");
    if m.bool_op.is_some() {
        args.dst_and_predicate(m.ty);
    } else {
        args.dst(m.ty);
    }
    for _ in 0..3 {
        args.src(m.ty);
    }
    // Only the low eight bits of the table count.
    args.constant(U8);
    if m.bool_op.is_some() {
        args.predicate();
    }
}

pub(super) fn shf(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B32]);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
    args.src(U32);
}

pub(super) fn shl(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B16, B32, B64]);
    args.dst(ty);
    args.src(ty);
    args.src(U32);
}

pub(super) fn shr(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B16, B32, B64, U16, U32, U64, S16, S32, S64]);
    args.dst(ty);
    args.src(ty);
    args.src(U32);
}
