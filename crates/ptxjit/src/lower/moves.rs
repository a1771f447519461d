//! `mov`, `cvta`, `isspacep`.

use super::address::space;
use super::frame::width;
use super::{Lower, Result};
use crate::ir::{Op, Sign, Space, Ty};
use ptx::checked::{Instruction, Operand};
use ptx::kind;

impl<'a> Lower<'_, 'a> {
    /// Copy, pack, unpack, or address.
    pub(super) fn mov(&mut self, i: &'a Instruction, k: &kind::Mov) -> Result<()> {
        // A vector register on both sides is copied by component.
        if let (Some(Operand::Vector(to)), Some(Operand::Vector(from))) =
            (i.dsts.first(), i.srcs.first())
        {
            let ty = width(k.ty);
            let mut values = Vec::with_capacity(from.len());
            for part in from {
                values.push(self.read(part, ty)?);
            }
            for (part, value) in to.iter().zip(values) {
                self.dst(Some(part), value, Sign::Unsigned)?;
            }
            return Ok(());
        }
        let value = self.src(i, 0, width(k.ty))?;
        self.def(i, value)
    }

    /// Between generic addresses and those of a space.
    pub(super) fn cvta(&mut self, i: &'a Instruction, k: &kind::Cvta) -> Result<()> {
        let Some(space) = space(Some(k.space)) else {
            return self.form("this state space");
        };
        let to = width(k.ty);
        let value = self.src(i, 0, Ty::B64)?;
        let value = match space {
            Space::Shared if Self::is_cluster(Some(k.space)) => {
                if k.to {
                    self.generic_to_cluster(value)
                } else {
                    let address = self.narrow(value, Ty::B32);
                    self.cluster_to_generic(address)
                }
            }
            Space::Generic | Space::Global | Space::Const => value,
            // A function's parameters are in its frame.
            Space::Param if !self.frame.is_kernel => self.convert(value, Space::Local, k.to),
            Space::Shared | Space::Local | Space::Param => self.convert(value, space, k.to),
        };
        let value = self.fit(value, to, Sign::Unsigned);
        self.def(i, value)
    }

    fn convert(
        &mut self,
        value: crate::ir::Value,
        space: Space,
        from_generic: bool,
    ) -> crate::ir::Value {
        if from_generic {
            return self.op(Op::FromGeneric { space }, &[value]);
        }
        let offset = self.narrow(value, Ty::B32);
        self.op(Op::ToGeneric { space }, &[offset])
    }

    /// Whether a generic address lies in a space.
    pub(super) fn isspacep(&mut self, i: &'a Instruction, k: &kind::Isspacep) -> Result<()> {
        let Some(space) = space(Some(k.space)) else {
            return self.form("this state space");
        };
        let address = self.src(i, 0, Ty::B64)?;
        let value = match space {
            // Constant memory has no window of its own here: it is global memory that is not written.
            Space::Const => self.constant(Ty::Pred, 0),
            Space::Shared if Self::is_cluster(Some(k.space)) => self.is_cluster_address(address),
            space => self.op(Op::IsSpace { space }, &[address]),
        };
        self.def(i, value)
    }
}
