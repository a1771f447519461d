//! Clusters: addresses of other blocks' shared memory, and the barrier of a cluster.
//!
//! The windows of a cluster's blocks lie side by side ([`abi::sm::SHARED_STRIDE`]), so the generic address of a place in
//! another block's memory is this block's plus a multiple of the distance. A 32-bit `shared::cluster` address holds the
//! block's rank plus one above bit 24; without one it means the block's own memory, as PTX has it.

use super::{Lower, Result};
use crate::ir::{Int, IntCmp, Op, Sign, Space, Special, Ty, Value};
use abi::sm::SHARED_STRIDE;
use ptx::checked::Instruction;
use ptx::kind;
use ptx::modifier::ClusterBarrierOp;
use ptx::types::StateSpace;

/// Where the rank begins in a 32-bit address.
const RANK_SHIFT: u64 = 24;
/// The part of a 32-bit address that is an offset.
const OFFSET: u64 = (1 << RANK_SHIFT) - 1;

impl<'a> Lower<'_, 'a> {
    /// `mapa`: the address of the same place in another block.
    pub(super) fn mapa(&mut self, i: &'a Instruction, k: &kind::Mapa) -> Result<()> {
        let rank = self.src(i, 1, Ty::B32)?;
        let value = if k.space.is_some() {
            let address = self.src(i, 0, Ty::B32)?;
            let offset = self.masked(address, OFFSET);
            self.tagged(offset, rank)
        } else {
            let address = self.src(i, 0, Ty::B64)?;
            let (_, offset) = self.whose(address);
            let rank = self.widen(rank, Ty::B64, Sign::Unsigned);
            let start = self.scaled(rank);
            let base = self.first_window();
            let base = self.arith(Op::Add { w: Int::I64 }, base, start);
            self.arith(Op::Add { w: Int::I64 }, base, offset)
        };
        let value = self.fit(value, super::frame::width(k.ty), Sign::Unsigned);
        self.def(i, value)
    }

    /// `getctarank`: the block that an address belongs to.
    pub(super) fn getctarank(&mut self, i: &'a Instruction, k: &kind::GetCtaRank) -> Result<()> {
        let rank = if k.space.is_some() {
            let address = self.src(i, 0, Ty::B32)?;
            let own = self.own_rank();
            let (tag, is_own) = self.tag(address);
            let one = self.constant(Ty::B32, 1);
            let other = self.arith(Op::Sub { w: Int::I32 }, tag, one);
            self.op(Op::Select { ty: Ty::B32 }, &[is_own, own, other])
        } else {
            let address = self.src(i, 0, Ty::B64)?;
            let (rank, _) = self.whose(address);
            self.narrow(rank, Ty::B32)
        };
        self.def(i, rank)
    }

    /// `barrier.cluster`
    pub(super) fn barrier_cluster(&mut self, k: &kind::BarrierCluster) -> Result<()> {
        let wait = k.op == ClusterBarrierOp::Wait;
        self.inst(Op::ClusterBarrier { wait }, &[]);
        Ok(())
    }

    /// A 32-bit `shared::cluster` address as a generic one.
    pub(super) fn cluster_to_generic(&mut self, address: Value) -> Value {
        let offset = self.masked(address, OFFSET);
        let own = self.op(
            Op::ToGeneric {
                space: Space::Shared,
            },
            &[offset],
        );
        let (tag, is_own) = self.tag(address);
        let one = self.constant(Ty::B32, 1);
        let rank = self.arith(Op::Sub { w: Int::I32 }, tag, one);
        let rank = self.widen(rank, Ty::B64, Sign::Unsigned);
        let base = self.first_window();
        let start = self.scaled(rank);
        let base = self.arith(Op::Add { w: Int::I64 }, base, start);
        let offset = self.widen(offset, Ty::B64, Sign::Unsigned);
        let other = self.arith(Op::Add { w: Int::I64 }, base, offset);
        self.op(Op::Select { ty: Ty::B64 }, &[is_own, own, other])
    }

    /// A generic address as a 32-bit `shared::cluster` one. The block's own memory has no rank in it.
    pub(super) fn generic_to_cluster(&mut self, address: Value) -> Value {
        let (rank, offset) = self.whose(address);
        let (rank, offset) = (self.narrow(rank, Ty::B32), self.narrow(offset, Ty::B32));
        let own = self.own_rank();
        let is_own = self.op(
            Op::ICmp {
                w: Int::I32,
                cmp: IntCmp::Eq,
            },
            &[rank, own],
        );
        let tagged = self.tagged(offset, rank);
        self.op(Op::Select { ty: Ty::B32 }, &[is_own, offset, tagged])
    }

    /// Whether a generic address lies in the shared memory of the cluster.
    pub(super) fn is_cluster_address(&mut self, address: Value) -> Value {
        let (rank, _) = self.whose(address);
        let blocks = self.op(
            Op::Special {
                reg: Special::ClusterNCtaRank,
            },
            &[],
        );
        let blocks = self.widen(blocks, Ty::B64, Sign::Unsigned);
        self.op(
            Op::ICmp {
                w: Int::I64,
                cmp: IntCmp::Ult,
            },
            &[rank, blocks],
        )
    }

    /// Whether an address is of the space in which ranks count.
    pub(super) fn is_cluster(space: Option<StateSpace>) -> bool {
        space == Some(StateSpace::SharedCluster)
    }

    fn own_rank(&mut self) -> Value {
        let reg = Special::ClusterCtaRank;
        self.op(Op::Special { reg }, &[])
    }

    /// Generic address of the window of the cluster's first block.
    fn first_window(&mut self) -> Value {
        let zero = self.constant(Ty::B32, 0);
        let own = self.op(
            Op::ToGeneric {
                space: Space::Shared,
            },
            &[zero],
        );
        let rank = self.own_rank();
        let rank = self.widen(rank, Ty::B64, Sign::Unsigned);
        let before = self.scaled(rank);
        self.arith(Op::Sub { w: Int::I64 }, own, before)
    }

    /// Rank and offset of a generic address, both 64 bits wide.
    fn whose(&mut self, address: Value) -> (Value, Value) {
        let first = self.first_window();
        let distance = self.arith(Op::Sub { w: Int::I64 }, address, first);
        let stride = self.constant(Ty::B64, SHARED_STRIDE);
        let op = Op::Div {
            w: Int::I64,
            sign: Sign::Unsigned,
        };
        let rank = self.arith(op, distance, stride);
        let start = self.scaled(rank);
        let offset = self.arith(Op::Sub { w: Int::I64 }, distance, start);
        (rank, offset)
    }

    fn scaled(&mut self, blocks: Value) -> Value {
        let stride = self.constant(Ty::B64, SHARED_STRIDE);
        self.arith(Op::Mul { w: Int::I64 }, blocks, stride)
    }

    /// The tag of a 32-bit address, and whether there is none.
    fn tag(&mut self, address: Value) -> (Value, Value) {
        let shift = self.constant(Ty::B32, RANK_SHIFT);
        let op = Op::Shr {
            w: Int::I32,
            sign: Sign::Unsigned,
        };
        let tag = self.arith(op, address, shift);
        let zero = self.constant(Ty::B32, 0);
        let is_own = self.op(
            Op::ICmp {
                w: Int::I32,
                cmp: IntCmp::Eq,
            },
            &[tag, zero],
        );
        (tag, is_own)
    }

    fn tagged(&mut self, offset: Value, rank: Value) -> Value {
        let one = self.constant(Ty::B32, 1);
        let tag = self.arith(Op::Add { w: Int::I32 }, rank, one);
        let shift = self.constant(Ty::B32, RANK_SHIFT);
        let tag = self.arith(Op::Shl { w: Int::I32 }, tag, shift);
        self.arith(Op::Or { ty: Ty::B32 }, offset, tag)
    }

    fn masked(&mut self, value: Value, mask: u64) -> Value {
        let mask = self.constant(Ty::B32, mask);
        self.arith(Op::And { ty: Ty::B32 }, value, mask)
    }

    fn arith(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.op(op, &[a, b])
    }
}
