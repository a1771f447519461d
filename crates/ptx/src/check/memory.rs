//! Loads, stores, atomics and cache control (PTX ISA 9.0, 9.7.9 and 9.7.13).

use super::operands::Args;
use crate::error::ErrorKind;
use crate::kind;
use crate::modifier::{AtomOp, MemoryOrder, PolicyForm, Scope};
use crate::types::ScalarType::{self, *};
use crate::types::{StateSpace, VectorWidth};

const ACCESS: &[ScalarType] = &[
    B8, B16, B32, B64, B128, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64,
];

fn vector_size(args: &mut Args<'_, '_, '_>, vector: Option<VectorWidth>, ty: ScalarType) {
    let lanes = vector.map_or(1, VectorWidth::lanes);
    let widest = lanes * ty.bits() > 256;
    let eight = vector == Some(VectorWidth::V8) && ty.bits() != 32;
    if widest || eight {
        let instruction = args.name();
        args.error(ErrorKind::VectorSize { instruction });
    }
}

fn space_of_instruction(args: &mut Args<'_, '_, '_>, good: bool) {
    if !good {
        let instruction = args.name();
        args.error(ErrorKind::SpaceOfInstruction { instruction });
    }
}

fn order(args: &mut Args<'_, '_, '_>, order: Option<MemoryOrder>, scope: Option<Scope>) {
    let modifier = match order {
        Some(MemoryOrder::Relaxed | MemoryOrder::Acquire | MemoryOrder::Release) => order,
        Some(MemoryOrder::Weak | MemoryOrder::Volatile | MemoryOrder::AcqRel) | None => None,
    };
    let instruction = args.name();
    match (modifier, scope) {
        (Some(order), None) => {
            let modifier = order.text();
            args.error(ErrorKind::NeedsScope {
                modifier,
                instruction,
            });
        }
        (None, Some(scope)) => {
            let modifier = scope.text();
            args.error(ErrorKind::NeedsOrder {
                modifier,
                instruction,
            });
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
}

/// The cache policy, where `.L2::cache_hint` says that there is one.
fn policy(args: &mut Args<'_, '_, '_>, hint: bool) {
    if hint {
        args.src(B64);
    }
}

pub(super) fn ld(args: &mut Args<'_, '_, '_>, m: &kind::Ld) {
    use StateSpace as S;
    args.types(m.ty, ACCESS);
    vector_size(args, m.vector, m.ty);
    space_of_instruction(args, !matches!(m.space, Some(S::Reg | S::Sreg | S::Tex)));
    args.forbid(m.order == Some(MemoryOrder::Release), "release");
    args.forbid(m.order == Some(MemoryOrder::AcqRel), "acq_rel");
    order(args, m.order, m.scope);
    args.require(
        !m.mmio || m.order == Some(MemoryOrder::Relaxed),
        "'.relaxed' modifier",
    );
    args.forbid(
        m.nc && m.space.is_some_and(|space| space != S::Global),
        "nc",
    );
    match m.vector {
        None => args.dst_wide(m.ty),
        Some(width) => args.dst_vector(m.ty, width),
    }
    args.memory(m.space, false);
    policy(args, m.hint);
}

pub(super) fn ldu(args: &mut Args<'_, '_, '_>, m: &kind::Ldu) {
    args.types(m.ty, ACCESS);
    vector_size(args, m.vector, m.ty);
    space_of_instruction(args, matches!(m.space, None | Some(StateSpace::Global)));
    match m.vector {
        None => args.dst_wide(m.ty),
        Some(width) => args.dst_vector(m.ty, width),
    }
    args.memory(m.space, false);
}

pub(super) fn st(args: &mut Args<'_, '_, '_>, m: &kind::St) {
    use StateSpace as S;
    args.types(m.ty, ACCESS);
    vector_size(args, m.vector, m.ty);
    let read_only = matches!(
        m.space,
        Some(S::Const | S::Reg | S::Sreg | S::Tex | S::ParamEntry)
    );
    space_of_instruction(args, !read_only);
    args.forbid(m.order == Some(MemoryOrder::Acquire), "acquire");
    args.forbid(m.order == Some(MemoryOrder::AcqRel), "acq_rel");
    order(args, m.order, m.scope);
    args.require(
        !m.mmio || m.order == Some(MemoryOrder::Relaxed),
        "'.relaxed' modifier",
    );
    args.memory(m.space, true);
    match m.vector {
        None => args.src_wide(m.ty),
        Some(width) => args.src_vector(m.ty, width),
    }
    policy(args, m.hint);
}

pub(super) fn prefetch(args: &mut Args<'_, '_, '_>, space: Option<StateSpace>) {
    args.memory(space, false);
}

/// `applypriority` and `discard`: 128 bytes, no other number.
pub(super) fn sized(args: &mut Args<'_, '_, '_>, space: Option<StateSpace>) {
    space_of_instruction(args, matches!(space, None | Some(StateSpace::Global)));
    args.memory(space, false);
    if args.constant(U32).is_some_and(|size| size != 128) {
        args.mismatch();
    }
}

pub(super) fn create_policy(args: &mut Args<'_, '_, '_>, m: &kind::CreatePolicy) {
    args.types(m.ty, &[B64]);
    args.dst(B64);
    match m.form {
        PolicyForm::Fractional => {
            args.require(m.primary.is_some(), "Primary priority");
            if args.more() {
                args.src(F32);
            }
        }
        PolicyForm::Range => {
            args.require(m.primary.is_some(), "Primary priority");
            args.memory(m.space, false);
            args.src(U32);
            args.src(U32);
        }
        PolicyForm::Cvt => args.src(B64),
    }
}

/// Types of an operation, and how ptxas names them.
fn operation_types(op: AtomOp) -> (&'static [ScalarType], &'static str) {
    match op {
        AtomOp::And | AtomOp::Or | AtomOp::Xor => (&[B32, B64], ".b32 or .b64"),
        AtomOp::Cas => (&[B16, B32, B64, B128], ".b16 or .b32 or .b64 or .b128"),
        AtomOp::Exch => (&[B32, B64, B128], ".b32 or .b64 or .b128"),
        AtomOp::Add => (
            &[U32, S32, U64, F64, F16, F16x2, F32, Bf16, Bf16x2],
            ".u32 or .s32 or .u64 or .f64 or f16 or f16x2 or .f32 or .bf16 or .bf16x2",
        ),
        AtomOp::Inc | AtomOp::Dec => (&[U32], ".u32"),
        AtomOp::Min | AtomOp::Max => (
            &[U32, S32, U64, S64, F16, F16x2, Bf16, Bf16x2],
            ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2",
        ),
    }
}

fn atomic(
    args: &mut Args<'_, '_, '_>,
    op: AtomOp,
    space: Option<StateSpace>,
    vector: Option<VectorWidth>,
    ty: ScalarType,
) {
    use StateSpace as S;
    let (types, names) = operation_types(op);
    if !types.contains(&ty) {
        args.error(ErrorKind::OperationType {
            operation: op.text(),
            types: names,
            instruction: args.name(),
        });
    }
    let spaces = matches!(
        space,
        None | Some(S::Global | S::Shared | S::SharedCta | S::SharedCluster)
    );
    space_of_instruction(args, spaces);
    if vector.is_some() {
        space_of_instruction(args, matches!(space, None | Some(S::Global)));
        args.forbid(
            !matches!(op, AtomOp::Add | AtomOp::Min | AtomOp::Max),
            op.text(),
        );
        args.types(ty, &[F32, F16, F16x2, Bf16, Bf16x2]);
        let lanes = vector.map_or(1, VectorWidth::lanes);
        if lanes * ty.bits() > 128 {
            let instruction = args.name();
            args.error(ErrorKind::VectorSize { instruction });
        }
    }
}

/// Half-precision additions keep subnormals, and must say so.
fn flush(args: &mut Args<'_, '_, '_>, op: AtomOp, noftz: bool, ty: ScalarType) {
    let half = matches!(ty, F16 | F16x2 | Bf16 | Bf16x2);
    args.require(noftz || !half || op != AtomOp::Add, "'.noftz' modifier");
}

pub(super) fn atom(args: &mut Args<'_, '_, '_>, m: &kind::Atom) {
    atomic(args, m.op, m.space, m.vector, m.ty);
    flush(args, m.op, m.noftz, m.ty);
    args.forbid(m.order == Some(MemoryOrder::Weak), "weak");
    args.forbid(m.order == Some(MemoryOrder::Volatile), "volatile");
    match m.vector {
        None => args.dst_or_sink(m.ty),
        Some(width) => args.dst_vector(m.ty, width),
    }
    args.memory(m.space, true);
    match m.vector {
        None => args.src(m.ty),
        Some(width) => args.src_vector(m.ty, width),
    }
    if m.op == AtomOp::Cas {
        args.src(m.ty);
    }
    policy(args, m.hint);
}

pub(super) fn red(args: &mut Args<'_, '_, '_>, m: &kind::Red) {
    args.forbid(matches!(m.op, AtomOp::Cas | AtomOp::Exch), m.op.text());
    atomic(args, m.op, m.space, m.vector, m.ty);
    flush(args, m.op, m.noftz, m.ty);
    args.forbid(m.order == Some(MemoryOrder::Weak), "weak");
    args.forbid(m.order == Some(MemoryOrder::Volatile), "volatile");
    args.forbid(m.order == Some(MemoryOrder::Acquire), "acquire");
    args.forbid(m.order == Some(MemoryOrder::AcqRel), "acq_rel");
    args.memory(m.space, true);
    match m.vector {
        None => args.src(m.ty),
        Some(width) => args.src_vector(m.ty, width),
    }
    policy(args, m.hint);
}

/// `cp.async`: to shared memory, 4, 8 or 16 bytes; `.cg` only 16.
pub(super) fn cp_async(args: &mut Args<'_, '_, '_>, m: &kind::CpAsync) {
    use crate::modifier::CopyCache;
    let good =
        matches!(m.to, StateSpace::Shared | StateSpace::SharedCta) && m.from == StateSpace::Global;
    space_of_instruction(args, good);
    args.memory(Some(m.to), true);
    args.memory(Some(m.from), false);
    match (args.constant(U32), m.cache) {
        (Some(16), _) | (Some(4 | 8), CopyCache::Ca) => {}
        (Some(_), _) => args.mismatch(),
        (None, _) => {}
    }
    if args.remaining() > usize::from(m.hint) {
        if args.next_is_predicate() {
            args.predicate();
        } else {
            args.src(U32);
        }
    }
    policy(args, m.hint);
}
