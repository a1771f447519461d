//! Barriers, fences, votes, control flow and the rest (PTX ISA 9.0, 9.7.12, 9.7.13, 9.7.19).

use super::operands::Args;
use crate::ast::{Number, Operand as Written};
use crate::checked::Operand;
use crate::error::ErrorKind;
use crate::kind;
use crate::modifier::{
    BarrierOp, BarrierReduction, FenceOrder, MemoryOrder, ProxyKind, ReduxOp, VoteMode,
};
use crate::types::ScalarType::{self, *};
use crate::types::StateSpace;

/// The barrier's number.
fn barrier_number(args: &mut Args<'_, '_, '_>) {
    args.src(U32);
    if let Some(Operand::Immediate(number)) = args.srcs.last()
        && *number > 15
    {
        let number = *number;
        args.error(ErrorKind::BarrierNumber { number });
    }
}

/// The number of threads.
fn barrier_threads(args: &mut Args<'_, '_, '_>) {
    args.src(U32);
    if let Some(Operand::Immediate(count)) = args.srcs.last()
        && *count % 32 != 0
    {
        args.error(ErrorKind::BarrierThreads);
    }
}

/// `srcs`: the barrier, then the number of threads if it is given, then for reductions the
/// predicate, which is always the last.
pub(super) fn barrier(args: &mut Args<'_, '_, '_>, m: &kind::Barrier) {
    match (m.op, m.reduction) {
        (BarrierOp::Sync, None) => {
            barrier_number(args);
            if args.more() {
                barrier_threads(args);
            }
        }
        (BarrierOp::Arrive, None) => {
            barrier_number(args);
            barrier_threads(args);
        }
        (BarrierOp::Red, Some(reduction)) => {
            let ty = match reduction {
                BarrierReduction::Popc => U32,
                BarrierReduction::And | BarrierReduction::Or => Pred,
            };
            if m.ty != Some(ty) {
                let instruction = args.name();
                args.error(ErrorKind::Types { instruction });
            }
            args.dst(ty);
            barrier_number(args);
            if args.instruction.operands.len() > 3 {
                barrier_threads(args);
            }
            args.predicate();
        }
        (BarrierOp::Red, None) => args.require(false, "Operation modifier"),
        (BarrierOp::Sync | BarrierOp::Arrive, Some(reduction)) => {
            args.forbid(true, reduction.text());
        }
    }
    if m.op != BarrierOp::Red {
        args.forbid(m.ty.is_some(), m.ty.map_or("", ScalarType::text));
    }
}

pub(super) fn bar_warp(args: &mut Args<'_, '_, '_>, sync: bool) {
    args.require(sync, "'.sync' modifier");
    args.src(U32);
}

pub(super) fn barrier_cluster(args: &mut Args<'_, '_, '_>, m: &kind::BarrierCluster) {
    use crate::modifier::ClusterBarrierOp as Op;
    let good = match (m.op, m.order) {
        (_, None) | (Op::Arrive, Some(MemoryOrder::Release | MemoryOrder::Relaxed)) => true,
        (Op::Wait, Some(MemoryOrder::Acquire)) => true,
        (Op::Arrive | Op::Wait, Some(_)) => false,
    };
    args.forbid(!good, m.order.map_or("", MemoryOrder::text));
}

pub(super) fn fence(args: &mut Args<'_, '_, '_>, m: &kind::Fence) {
    args.require(m.scope.is_some(), "Scope modifier");
    let one_sided = matches!(m.order, Some(FenceOrder::Acquire | FenceOrder::Release));
    args.forbid(m.restrict.is_some() && !one_sided, "sync_restrict");
    args.forbid(
        m.mbarrier_init && m.order != Some(FenceOrder::Release),
        "mbarrier_init",
    );
}

pub(super) fn fence_proxy(args: &mut Args<'_, '_, '_>, m: &kind::FenceProxy) {
    let ordered = matches!(
        m.proxy,
        ProxyKind::TensormapGeneric | ProxyKind::AsyncGeneric
    );
    args.require(m.order.is_some() || !ordered, "Ordering modifier");
    args.forbid(
        m.order.is_some() && !ordered,
        m.order.map_or("", FenceOrder::text),
    );
    if m.proxy == ProxyKind::TensormapGeneric && m.order == Some(FenceOrder::Acquire) {
        args.memory(None, false);
        args.constant(U32);
    }
}

pub(super) fn vote(args: &mut Args<'_, '_, '_>, m: &kind::Vote) {
    let ty = match m.mode {
        VoteMode::All | VoteMode::Any | VoteMode::Uni => Pred,
        VoteMode::Ballot => B32,
    };
    args.types(m.ty, &[ty]);
    args.dst(ty);
    args.predicate();
    if m.sync {
        args.src(U32);
    }
}

pub(super) fn match_sync(args: &mut Args<'_, '_, '_>, m: &kind::Match) {
    use crate::modifier::MatchMode;
    args.types(m.ty, &[B32, B64]);
    args.require(m.sync, "'.sync' modifier");
    match m.mode {
        MatchMode::Any => args.dst(B32),
        MatchMode::All => args.dst_and_predicate(B32),
    }
    args.src(m.ty);
    args.src(U32);
}

pub(super) fn activemask(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[B32]);
    args.dst(B32);
}

pub(super) fn redux(args: &mut Args<'_, '_, '_>, m: &kind::Redux) {
    args.require(m.sync, "'.sync' modifier");
    match m.op {
        ReduxOp::Add => args.types(m.ty, &[U32, S32]),
        ReduxOp::Min | ReduxOp::Max => args.types(m.ty, &[U32, S32, F32]),
        ReduxOp::And | ReduxOp::Or | ReduxOp::Xor => args.types(m.ty, &[B32]),
    }
    args.forbid(m.abs && m.ty != F32, "abs");
    args.forbid(m.nan && m.ty != F32, "NaN");
    args.dst(m.ty);
    args.src(m.ty);
    args.src(U32);
}

pub(super) fn elect(args: &mut Args<'_, '_, '_>, sync: bool) {
    args.require(sync, "'.sync' modifier");
    if !matches!(args.peek(), Some(Written::Pair(..))) {
        args.mismatch();
    }
    args.dst_and_predicate(B32);
    args.src(U32);
}

pub(super) fn brx(args: &mut Args<'_, '_, '_>, idx: bool) {
    args.require(idx, "'.idx' modifier");
    args.src(U32);
    args.branch_table();
}

pub(super) fn nanosleep(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[U32]);
    args.src(U32);
}

pub(super) fn alloca(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[U32, U64]);
    args.dst(ty);
    args.src(ty);
    if let Some(Written::Number { value, .. }) = args.peek() {
        let align = match *value {
            Number::Signed(value) => u64::try_from(value).unwrap_or(0),
            Number::Unsigned(value) => value,
            Number::F32(_) | Number::F64(_) => 0,
        };
        if !align.is_power_of_two() {
            args.error(ErrorKind::AlignPowerOfTwo);
        }
    }
    if args.more() {
        args.constant(U32);
    }
}

pub(super) fn stack_save(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[U32, U64]);
    args.dst(ty);
}

pub(super) fn stack_restore(args: &mut Args<'_, '_, '_>, ty: ScalarType) {
    args.types(ty, &[U32, U64]);
    args.src(ty);
}

/// A barrier in shared memory: its address.
pub(super) fn mbarrier(args: &mut Args<'_, '_, '_>, space: Option<StateSpace>, ty: ScalarType) {
    args.types(ty, &[B64]);
    let shared = matches!(
        space,
        None | Some(StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster)
    );
    if !shared {
        let instruction = args.name();
        args.error(ErrorKind::SpaceOfInstruction { instruction });
    }
    args.memory(space, true);
}

/// `mbarrier.expect_tx`, `.complete_tx`
pub(super) fn mbarrier_tx(args: &mut Args<'_, '_, '_>, space: Option<StateSpace>, ty: ScalarType) {
    mbarrier(args, space, ty);
    args.src(U32);
}

/// `mbarrier.arrive`, `.arrive_drop`: state or `_`, address, count.
pub(super) fn mbarrier_arrive(
    args: &mut Args<'_, '_, '_>,
    space: Option<StateSpace>,
    ty: ScalarType,
    expect_tx: bool,
    no_complete: bool,
) {
    args.forbid(expect_tx && no_complete, "noComplete");
    // `mbarrier.arrive.shared.b64 _, [a]` and the form without a state: both are written.
    if !matches!(args.peek(), Some(crate::ast::Operand::Memory(_))) {
        args.dst_or_sink(B64);
    }
    mbarrier(args, space, ty);
    if expect_tx || no_complete || args.more() {
        args.src(U32);
    }
}

/// `mbarrier.test_wait`, `.try_wait`: predicate, address, state or parity.
pub(super) fn mbarrier_wait(
    args: &mut Args<'_, '_, '_>,
    space: Option<StateSpace>,
    ty: ScalarType,
    parity: bool,
    order: Option<crate::modifier::MemoryOrder>,
    waits: bool,
) {
    use crate::modifier::MemoryOrder as M;
    let good = matches!(order, None | Some(M::Acquire | M::Relaxed));
    args.forbid(!good, "release");
    args.dst(Pred);
    mbarrier(args, space, ty);
    args.src(if parity { U32 } else { B64 });
    if waits && args.more() {
        args.src(U32);
    }
}
