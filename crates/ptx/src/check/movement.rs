//! Moves, exchanges within a warp, conversions and addresses (PTX ISA 9.0, 9.7.9).

use super::operands::{Args, Fit};
use crate::ast;
use crate::checked::Operand;
use crate::error::ErrorKind;
use crate::kind;
use crate::modifier::CvtRounding as R;
use crate::types::ScalarType::{self, *};
use crate::types::VectorWidth;

pub(super) fn mov(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(
        ty,
        &[
            Pred, B16, B32, B64, B128, U16, U32, U64, S16, S32, S64, F32, F64,
        ],
    );
    if let Some(ast::Operand::Vector(elements, _)) = args.peek()
        && elements.len() > 1
    {
        // Unpack: `mov.b64 {lo, hi}, d`
        let lanes = elements.len();
        let vector = packed(args, ty, lanes, true);
        args.dsts.extend(vector);
        args.src_or_address(ty, true);
        return;
    }
    args.dst(ty);
    if let Some(ast::Operand::Vector(elements, _)) = args.peek()
        && elements.len() > 1
    {
        // Pack: `mov.b64 d, {lo, hi}`
        let lanes = elements.len();
        let vector = packed(args, ty, lanes, false);
        args.srcs.extend(vector);
        return;
    }
    args.src_or_address(ty, true);
}

/// The parts of a register that is packed or unpacked.
fn packed(
    args: &mut Args<'_, '_, '_>,
    ty: ScalarType,
    lanes: usize,
    written: bool,
) -> Option<Operand> {
    let operand = args.any()?;
    let part = match (ty.bits(), lanes) {
        _ if !ty.is_bits() => None,
        (16, 2) => Some(B8),
        (32, 2) | (64, 4) => Some(B16),
        (64, 2) | (128, 4) => Some(B32),
        (32, 4) => Some(B8),
        (128, 2) => Some(B64),
        _ => None,
    };
    let Some(part) = part else {
        let instruction = args.name();
        args.error(ErrorKind::VectorSize { instruction });
        return None;
    };
    let lanes = if lanes == 2 {
        VectorWidth::V2
    } else {
        VectorWidth::V4
    };
    args.vector(operand, part, lanes.lanes(), Fit::Exact, written)
}

pub(super) fn shfl(args: &mut Args<'_, '_, '_>, m: &kind::Shfl) {
    args.types(m.ty, &[B32]);
    args.dst_and_predicate(m.ty);
    args.src(m.ty);
    args.src(U32);
    args.src(U32);
    if m.sync {
        args.src(U32);
    }
}

pub(super) fn prmt(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B32]);
    args.dst(ty);
    args.src(ty);
    args.src(ty);
    args.src(ty);
}

/// The type of an address that may also be 32 bits wide.
fn address_type(args: &mut Args<'_, '_, '_>, operand: usize) -> ScalarType {
    let narrow = match args.instruction.operands.get(operand) {
        Some(ast::Operand::Name { name, .. }) => args.register_bits(name.text) == Some(32),
        _ => false,
    };
    if narrow { U32 } else { U64 }
}

pub(super) fn isspacep(args: &mut Args<'_, '_, '_>) {
    args.dst(Pred);
    let ty = address_type(args, 1);
    args.src(ty);
}

pub(super) fn cvta(args: &mut Args<'_, '_, '_>, m: &kind::Cvta) {
    args.types(m.ty, &[U32, U64]);
    args.dst(m.ty);
    if m.to {
        args.src(m.ty);
    } else {
        args.src_or_address(m.ty, false);
    }
}

/// How many source registers a conversion packs.
fn sources(m: &kind::Cvt) -> usize {
    match (m.dty, m.sty) {
        (F16x2 | Bf16x2 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | E2m1x2 | Ue8m0x2, F32) => 2,
        _ => 1,
    }
}

pub(super) fn cvt(args: &mut Args<'_, '_, '_>, m: &kind::Cvt) {
    let scalar = |ty: ScalarType| ty.is_integer() && !matches!(ty, U16x2 | S16x2);
    let simple = |ty: ScalarType| scalar(ty) || matches!(ty, F16 | Bf16 | F32 | F64);
    if simple(m.dty) && simple(m.sty) {
        plain_conversion(args, m);
    } else {
        packed_conversion(args, m);
    }
}

/// Between integers and `.f16`, `.bf16`, `.f32`, `.f64`.
fn plain_conversion(args: &mut Args<'_, '_, '_>, m: &kind::Cvt) {
    let integral = matches!(m.rnd, Some(R::Rni | R::Rzi | R::Rmi | R::Rpi));
    let float = matches!(m.rnd, Some(R::Rn | R::Rz | R::Rm | R::Rp | R::Rna | R::Rs));
    let (from_float, to_float) = (m.sty.is_float(), m.dty.is_float());
    let same_size = m.dty != m.sty && m.dty.bits() == m.sty.bits();
    let narrows = m.dty.bits() < m.sty.bits();
    let (required, good) = match (from_float, to_float) {
        (true, false) => (true, integral),
        (false, true) => (true, float),
        (true, true) if narrows => (true, float),
        // Between `.f16` and `.bf16`.
        (true, true) if same_size => (false, float),
        (true, true) if m.dty == m.sty => (false, integral),
        (true, true) | (false, false) => (false, false),
    };
    match m.rnd {
        None => args.require(!required, "Rounding modifier"),
        Some(_) if !good => {
            let instruction = args.name();
            args.error(ErrorKind::IllegalRounding { instruction });
        }
        Some(_) => {}
    }
    let any_float = from_float || to_float;
    args.forbid(m.ftz && !(m.dty == F32 || m.sty == F32), "ftz");
    args.forbid(m.relu && !matches!(m.dty, F16 | Bf16), "relu");
    args.forbid(m.satfinite && !matches!(m.dty, F16 | Bf16), "satfinite");
    args.forbid(
        m.sat && m.sty.is_float() && m.dty == Bf16 && !any_float,
        "sat",
    );
    args.forbid(m.scaled, "scaled::n2::ue8m0");
    args.dst_wide(m.dty);
    args.src_special(m.sty);
}

/// Packed and alternate formats.
fn packed_conversion(args: &mut Args<'_, '_, '_>, m: &kind::Cvt) {
    let narrow8 = |ty| matches!(ty, E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | E2m1x2 | Ue8m0x2);
    let narrow4 = |ty| matches!(ty, E4m3x4 | E5m2x4 | E2m3x4 | E3m2x4 | E2m1x4);
    let wide = |ty| matches!(ty, F16x2 | Bf16x2);
    let known = match (m.dty, m.sty) {
        (Tf32, F32) | (F16x2 | Bf16x2, F32) => true,
        (to, F32) if narrow8(to) || narrow4(to) => true,
        (to, from) if narrow8(to) && wide(from) => true,
        (to, from) if wide(to) && narrow8(from) => true,
        _ => false,
    };
    if !known {
        let instruction = args.name();
        args.error(ErrorKind::Types { instruction });
        return;
    }
    args.require(m.rnd.is_some(), "Rounding modifier");
    let saturates = narrow4(m.dty) || (narrow8(m.dty) && m.dty != Ue8m0x2);
    args.require(m.satfinite || !saturates, "'.satfinite' modifier");
    args.dst_wide(m.dty);
    if narrow4(m.dty) {
        // Four sources as a vector, then the random bits.
        args.src_vector(F32, VectorWidth::V4);
        args.src(B32);
        return;
    }
    for _ in 0..sources(m) {
        args.src_wide(m.sty);
    }
    if m.rnd == Some(R::Rs) {
        args.src(B32);
    }
}

pub(super) fn cvt_pack(args: &mut Args<'_, '_, '_>, m: &kind::CvtPack) {
    args.require(m.sat, "'.sat' modifier");
    args.types(m.sty, &[S32]);
    args.dst(U32);
    args.src(m.sty);
    args.src(m.sty);
    let bytes = !matches!(m.dty, U16 | S16);
    if bytes && m.cty.is_none() {
        let instruction = args.name();
        args.error(ErrorKind::Types { instruction });
    }
    if let Some(cty) = m.cty {
        args.types(cty, &[B32]);
        args.src(cty);
    }
}

pub(super) fn mapa(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[U32, U64]);
    args.dst(ty);
    args.src_or_address(ty, false);
    args.src(U32);
}

pub(super) fn getctarank(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[U32, U64]);
    args.dst(U32);
    args.src_or_address(ty, false);
}
