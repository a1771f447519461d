//! Integer and floating-point arithmetic (PTX ISA 9.0, 9.7.1 to 9.7.5).

use super::operands::Args;
use crate::error::ErrorKind;
use crate::kind;
use crate::modifier::{MulHalf, Rounding};
use crate::types::ScalarType::{self, *};

const INT: &[ScalarType] = &[U16, S16, U32, S32, U64, S64];
const WORDS: &[ScalarType] = &[U32, S32, U64, S64];

/// Rounding of a type's addition, product and fused product.
fn rounding(args: &mut Args<'_, '_, '_>, rnd: Option<Rounding>, ty: ScalarType) {
    let good = match rnd {
        None => true,
        Some(Rounding::Rn) => ty.is_float(),
        Some(Rounding::Rz | Rounding::Rm | Rounding::Rp) => matches!(ty, F32 | F64 | F32x2),
    };
    if !good {
        let instruction = args.name();
        args.error(ErrorKind::IllegalRounding { instruction });
    }
}

/// `.ftz` and `.sat` of add, sub and mul.
fn flush_and_saturate(
    args: &mut Args<'_, '_, '_>,
    ftz: bool,
    sat: bool,
    ty: ScalarType,
    int_sat: bool,
) {
    args.forbid(ftz && !matches!(ty, F32 | F16 | F16x2 | F32x2), "ftz");
    let saturates = matches!(ty, F32 | F16 | F16x2) || (int_sat && ty == S32);
    if sat && ty.is_integer() && !saturates {
        let ty = ty.text();
        args.error(ErrorKind::ModifierType {
            modifier: "sat",
            ty,
        });
    } else {
        args.forbid(sat && !saturates, "sat");
    }
}

pub(super) fn add(
    args: &mut Args<'_, '_, '_>,
    rnd: Option<Rounding>,
    ftz: bool,
    sat: bool,
    cc: bool,
    ty: ScalarType,
    aty: Option<ScalarType>,
) {
    args.types(
        ty,
        &[
            U16, S16, U32, S32, U64, S64, U16x2, S16x2, F16, F16x2, Bf16, Bf16x2, F32, F32x2, F64,
        ],
    );
    rounding(args, rnd, ty);
    flush_and_saturate(args, ftz, sat, ty, true);
    if cc {
        args.types(ty, WORDS);
    }
    // add.f32.f16 d, a, c: only `a` is narrow.
    if let Some(aty) = aty {
        args.types(ty, &[F32]);
        args.types(aty, &[F16, Bf16]);
    }
    args.dst(ty);
    args.src(aty.unwrap_or(ty));
    args.src(ty);
}

pub(super) fn add_carry(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, WORDS);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
}

/// The result type of `mul.wide`.
fn widened(ty: ScalarType) -> Option<ScalarType> {
    match ty {
        U16 => Some(U32),
        S16 => Some(S32),
        U32 => Some(U64),
        S32 => Some(S64),
        _ => None,
    }
}

/// Checks `.hi`, `.lo` or `.wide` against the type; gives the result type.
fn product(args: &mut Args<'_, '_, '_>, half: Option<MulHalf>, ty: ScalarType) -> ScalarType {
    let result = match (half, ty.is_integer()) {
        (Some(MulHalf::Hi | MulHalf::Lo), true) => Some(ty),
        (Some(MulHalf::Wide), true) => widened(ty),
        (None, false) => Some(ty),
        (None, true) | (Some(_), false) => None,
    };
    result.unwrap_or_else(|| {
        let instruction = args.name();
        args.error(ErrorKind::Types { instruction });
        ty
    })
}

pub(super) fn mul(args: &mut Args<'_, '_, '_>, m: &kind::Mul) {
    args.types(
        m.ty,
        &[
            U16, S16, U32, S32, U64, S64, F16, F16x2, Bf16, Bf16x2, F32, F32x2, F64,
        ],
    );
    rounding(args, m.rnd, m.ty);
    flush_and_saturate(args, m.ftz, m.sat, m.ty, false);
    let result = product(args, m.half, m.ty);
    args.dst(result);
    args.src(m.ty);
    args.src(m.ty);
}

pub(super) fn mad(args: &mut Args<'_, '_, '_>, m: &kind::Mad) {
    args.types(m.ty, &[U16, S16, U32, S32, U64, S64, F32, F64]);
    rounding(args, m.rnd, m.ty);
    args.forbid(m.ftz && m.ty != F32, "ftz");
    let saturates = m.ty == F32 || (m.ty == S32 && m.half == Some(MulHalf::Hi));
    args.forbid(m.sat && !saturates, "sat");
    // PTX ISA 9.0, mad: `mad.f32` for sm_1x has none.
    let optional = m.ty == F32 && args.checker.module.target.sm < 20;
    if m.ty.is_float() && !optional {
        args.require(m.rnd.is_some(), "Rounding modifier");
    }
    if m.cc {
        args.types(m.ty, WORDS);
        args.forbid(m.half == Some(MulHalf::Wide), "wide");
    }
    let result = product(args, m.half, m.ty);
    args.dst(result);
    args.src(m.ty);
    args.src(m.ty);
    args.src(result);
}

pub(super) fn mad_carry(args: &mut Args<'_, '_, '_>, m: &kind::MadC) {
    args.types(m.ty, WORDS);
    args.forbid(m.half == MulHalf::Wide, "wide");
    args.dst(m.ty);
    args.src(m.ty);
    args.src(m.ty);
    args.src(m.ty);
}

pub(super) fn mul24(args: &mut Args<'_, '_, '_>, half: MulHalf, ty: ScalarType, add: bool) {
    args.types(ty, &[U32, S32]);
    args.forbid(half == MulHalf::Wide, "wide");
    args.dst(ty);
    args.src(ty);
    args.src(ty);
    if add {
        args.src(ty);
    }
}

pub(super) fn sad(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, INT);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
    // The sum is unsigned in any case.
    args.src(ty);
}

pub(super) fn div(args: &mut Args<'_, '_, '_>, m: &kind::Div) {
    args.types(m.ty, &[U16, S16, U32, S32, U64, S64, F32, F64]);
    args.forbid(m.ftz && m.ty != F32, "ftz");
    args.forbid(
        m.precision.is_some() && m.ty != F32,
        m.precision.map_or("approx", |p| p.text()),
    );
    rounding(args, m.rnd, m.ty);
    if m.ty == F32 {
        let good = m.precision.is_some() != m.rnd.is_some();
        args.require(good, "Rounding modifier or '.approx' modifier");
    } else if m.ty == F64 {
        args.require(m.rnd.is_some(), "Rounding modifier");
    }
    args.dst(m.ty);
    args.src(m.ty);
    args.src(m.ty);
}

pub(super) fn rem(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, INT);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
}

/// `abs` and `neg`.
pub(super) fn abs(args: &mut Args<'_, '_, '_>, ftz: bool, ty: ScalarType) {
    if matches!(ty, U16 | U32 | U64) {
        let instruction = args.name();
        args.error(ErrorKind::SignedOnly { instruction });
    } else {
        args.types(ty, &[S16, S32, S64, F16, F16x2, Bf16, Bf16x2, F32, F64]);
    }
    args.forbid(ftz && !matches!(ty, F32 | F16 | F16x2), "ftz");
    args.dst(ty);
    args.src(ty);
}

/// `min` and `max`.
#[expect(clippy::fn_params_excessive_bools, reason = "the modifiers of one row")]
pub(super) fn min(
    args: &mut Args<'_, '_, '_>,
    ftz: bool,
    nan: bool,
    xorsign: bool,
    abs: bool,
    relu: bool,
    ty: ScalarType,
) {
    args.types(
        ty,
        &[
            U16, S16, U32, S32, U64, S64, U16x2, S16x2, F16, F16x2, Bf16, Bf16x2, F32, F64,
        ],
    );
    let half = matches!(ty, F16 | F16x2 | Bf16 | Bf16x2);
    args.forbid(ftz && !matches!(ty, F32 | F16 | F16x2), "ftz");
    args.forbid(nan && !(half || ty == F32), "NaN");
    args.forbid(xorsign && !(half || ty == F32), "xorsign");
    args.forbid(relu && !matches!(ty, S32 | S16x2), "relu");
    // `.xorsign.abs` is one modifier of two words; `.abs` alone belongs to the form of three inputs.
    args.require(abs || !xorsign, "'.abs' modifier");
    args.dst(ty);
    args.src(ty);
    args.src(ty);
    let three = args.more();
    args.forbid(abs && !xorsign && !three, "abs");
    if three {
        args.types(ty, &[F32]);
        if args.checker.module.features && args.checker.module.target.sm < 100 {
            let feature = format!("{}.f32 with 3 input operands", args.name());
            args.error(ErrorKind::NeedsTarget { feature, sm: 100 });
        }
        args.src(ty);
    }
}

/// `popc` and `clz`.
pub(super) fn count(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B32, B64]);
    args.dst(U32);
    args.src(ty);
}

pub(super) fn bfind(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, WORDS);
    args.dst(U32);
    args.src(ty);
}

pub(super) fn fns(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B32]);
    args.dst(B32);
    args.src(B32);
    args.src(B32);
    args.src(S32);
}

pub(super) fn brev(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B32, B64]);
    args.dst(ty);
    args.src(ty);
}

pub(super) fn bfe(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, WORDS);
    args.dst(ty);
    args.src(ty);
    args.src(U32);
    args.src(U32);
}

pub(super) fn bfi(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B32, B64]);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
    args.src(U32);
    args.src(U32);
}

pub(super) fn szext(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[U32, S32]);
    args.dst(ty);
    args.src(ty);
    args.src(U32);
}

pub(super) fn bmsk(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B32]);
    args.dst(ty);
    args.src(U32);
    args.src(U32);
}

/// `dp4a` and `dp2a`: the sum is signed if one of the inputs is.
pub(super) fn dot(args: &mut Args<'_, '_, '_>, aty: ScalarType, bty: ScalarType) {
    args.types(aty, &[U32, S32]);
    args.types(bty, &[U32, S32]);
    let sum = if aty == U32 && bty == U32 { U32 } else { S32 };
    args.dst(sum);
    args.src(aty);
    args.src(bty);
    args.src(sum);
}

pub(super) fn testp(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[F32, F64]);
    args.dst(Pred);
    args.src(ty);
}

pub(super) fn copysign(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[F32, F64]);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
}

pub(super) fn fma(args: &mut Args<'_, '_, '_>, m: &kind::Fma) {
    args.types(m.ty, &[F16, F16x2, Bf16, Bf16x2, F32, F32x2, F64]);
    args.require(m.rnd.is_some(), "Rounding modifier");
    rounding(args, m.rnd, m.ty);
    let half = matches!(m.ty, F16 | F16x2 | Bf16 | Bf16x2);
    args.forbid(m.ftz && !matches!(m.ty, F32 | F32x2 | F16 | F16x2), "ftz");
    args.forbid(m.sat && !matches!(m.ty, F32 | F16 | F16x2), "sat");
    args.forbid(m.relu && !half, "relu");
    args.forbid(m.oob && !half, "oob");
    args.forbid(m.sat && m.relu, "relu");
    if let Some(aty) = m.aty {
        args.types(m.ty, &[F32]);
        args.types(aty, &[F16, Bf16]);
    }
    let factor = m.aty.unwrap_or(m.ty);
    args.dst(m.ty);
    args.src(factor);
    args.src(factor);
    args.src(m.ty);
}

/// `rcp` and `sqrt`; of the approximate forms for `.f64` only `rcp.approx.ftz` exists.
pub(super) fn reciprocal(
    args: &mut Args<'_, '_, '_>,
    approx: bool,
    rnd: Option<Rounding>,
    ftz: bool,
    ty: ScalarType,
    double_approx: bool,
) {
    args.types(ty, &[F32, F64]);
    args.forbid(approx && ty == F64 && !double_approx, "approx");
    args.forbid(ftz && ty == F64 && !double_approx, "ftz");
    args.require(
        approx != rnd.is_some(),
        "Rounding modifier or '.approx' modifier",
    );
    args.require(
        !(approx && ty == F64 && double_approx) || ftz,
        "'.ftz' modifier",
    );
    args.dst(ty);
    args.src(ty);
}

pub(super) fn rsqrt(args: &mut Args<'_, '_, '_>, approx: bool, ty: ScalarType) {
    args.types(ty, &[F32, F64]);
    args.require(approx, ".approx modifier");
    args.dst(ty);
    args.src(ty);
}

pub(super) fn approximate(args: &mut Args<'_, '_, '_>, approx: bool, ty: ScalarType) {
    args.types(ty, &[F32]);
    args.require(approx, ".approx modifier");
    args.dst(ty);
    args.src(ty);
}

/// `ex2` and `tanh`, which also have half-precision forms.
pub(super) fn approximate_half(
    args: &mut Args<'_, '_, '_>,
    approx: bool,
    ftz: bool,
    ty: ScalarType,
) {
    args.types(ty, &[F32, F16, F16x2, Bf16, Bf16x2]);
    args.forbid(ftz && matches!(ty, F16 | F16x2), "ftz");
    args.require(approx, ".approx modifier");
    args.dst(ty);
    args.src(ty);
}
