//! Comparison and selection.

use super::arith::sign;
use super::frame::width;
use super::{Lower, Result};
use crate::ir::{Float, FloatCmp, Int, IntCmp, Op, Sign, Ty, Value};
use ptx::checked::Instruction;
use ptx::kind;
use ptx::modifier::CmpOp;
use ptx::types::ScalarType;

fn int_cmp(cmp: CmpOp, sign: Sign) -> Option<IntCmp> {
    let signed = sign == Sign::Signed;
    Some(match cmp {
        CmpOp::Eq => IntCmp::Eq,
        CmpOp::Ne => IntCmp::Ne,
        CmpOp::Lt if signed => IntCmp::Slt,
        CmpOp::Le if signed => IntCmp::Sle,
        CmpOp::Gt if signed => IntCmp::Sgt,
        CmpOp::Ge if signed => IntCmp::Sge,
        CmpOp::Lt | CmpOp::Lo => IntCmp::Ult,
        CmpOp::Le | CmpOp::Ls => IntCmp::Ule,
        CmpOp::Gt | CmpOp::Hi => IntCmp::Ugt,
        CmpOp::Ge | CmpOp::Hs => IntCmp::Uge,
        CmpOp::Equ
        | CmpOp::Neu
        | CmpOp::Ltu
        | CmpOp::Leu
        | CmpOp::Gtu
        | CmpOp::Geu
        | CmpOp::Num
        | CmpOp::Nan => {
            return None;
        }
    })
}

fn float_cmp(cmp: CmpOp) -> Option<FloatCmp> {
    Some(match cmp {
        CmpOp::Eq => FloatCmp::Eq,
        CmpOp::Ne => FloatCmp::Ne,
        CmpOp::Lt => FloatCmp::Lt,
        CmpOp::Le => FloatCmp::Le,
        CmpOp::Gt => FloatCmp::Gt,
        CmpOp::Ge => FloatCmp::Ge,
        CmpOp::Equ => FloatCmp::Equ,
        CmpOp::Neu => FloatCmp::Neu,
        CmpOp::Ltu => FloatCmp::Ltu,
        CmpOp::Leu => FloatCmp::Leu,
        CmpOp::Gtu => FloatCmp::Gtu,
        CmpOp::Geu => FloatCmp::Geu,
        CmpOp::Num => FloatCmp::Num,
        CmpOp::Nan => FloatCmp::Nan,
        CmpOp::Lo | CmpOp::Ls | CmpOp::Hi | CmpOp::Hs => return None,
    })
}

/// Both elements of a packed type.
fn is_packed(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2)
}

impl<'a> Lower<'_, 'a> {
    /// Compares two scalars.
    fn compare(
        &mut self,
        cmp: CmpOp,
        ty: ScalarType,
        ftz: bool,
        a: Value,
        b: Value,
    ) -> Result<Value> {
        let op = if ty.is_float() {
            let Some(cmp) = float_cmp(cmp) else {
                return self.form("this comparison");
            };
            Op::FCmp {
                fmt: self.float(ty)?,
                cmp,
                ftz,
            }
        } else {
            let Some(cmp) = int_cmp(cmp, sign(ty)) else {
                return self.form("this comparison");
            };
            Op::ICmp {
                w: self.int(ty)?,
                cmp,
            }
        };
        Ok(self.op(op, &[a, b]))
    }

    /// Compares both halves of packed operands.
    fn compare_packed(
        &mut self,
        i: &'a Instruction,
        cmp: CmpOp,
        ty: ScalarType,
        ftz: bool,
    ) -> Result<[Value; 2]> {
        let [a, b] = self.two(i, Ty::B32)?;
        let element = if ty == ScalarType::F16x2 {
            ScalarType::F16
        } else {
            ScalarType::Bf16
        };
        let mut results = [a; 2];
        for (index, result) in (0u8..).zip(&mut results) {
            let half = Op::Extract {
                from: Ty::B32,
                to: Ty::B16,
                index,
            };
            let (x, y) = (self.op(half, &[a]), self.op(half, &[b]));
            *result = self.compare(cmp, element, ftz, x, y)?;
        }
        Ok(results)
    }

    pub(super) fn setp(&mut self, i: &'a Instruction, k: &kind::Setp) -> Result<()> {
        let (mut p, mut q) = if is_packed(k.ty) {
            let [p, q] = self.compare_packed(i, k.cmp, k.ty, k.ftz)?;
            (p, Some(q))
        } else {
            let [a, b] = self.two(i, width(k.ty))?;
            let p = self.compare(k.cmp, k.ty, k.ftz, a, b)?;
            let q = (i.dsts.len() > 1).then(|| self.op(Op::Not { ty: Ty::Pred }, &[p]));
            (p, q)
        };
        if let Some(op) = k.bool_op {
            let c = self.src(i, 2, Ty::Pred)?;
            p = self.combine(op, p, c);
            q = q.map(|q| self.combine(op, q, c));
        }
        self.def(i, p)?;
        if let (Some(q), Some(dst)) = (q, i.dsts.get(1)) {
            self.dst(Some(dst), q, Sign::Unsigned)?;
        }
        Ok(())
    }

    pub(super) fn set(&mut self, i: &'a Instruction, k: &kind::Set) -> Result<()> {
        let c = match k.bool_op {
            Some(op) => Some((op, self.src(i, 2, Ty::Pred)?)),
            None => None,
        };
        let to = width(k.dty);
        if is_packed(k.sty) {
            let results = self.compare_packed(i, k.cmp, k.sty, k.ftz)?;
            // Two 16-bit results: ones, or 1.0.
            let one = match k.dty {
                ScalarType::F16x2 => 0x3c00,
                ScalarType::Bf16x2 => 0x3f80,
                _ => 0xffff,
            };
            let mut halves = [results[0]; 2];
            for (half, result) in halves.iter_mut().zip(results) {
                let result = c.map_or(result, |(op, c)| self.combine(op, result, c));
                *half = self.choose(Ty::B16, result, one);
            }
            let value = self.op(
                Op::Pack {
                    elem: Ty::B16,
                    to: Ty::B32,
                },
                &halves,
            );
            return self.def(i, value);
        }
        let [a, b] = self.two(i, width(k.sty))?;
        let mut result = self.compare(k.cmp, k.sty, k.ftz, a, b)?;
        if let Some((op, c)) = c {
            result = self.combine(op, result, c);
        }
        let one = match k.dty {
            ScalarType::F32 => u64::from(1f32.to_bits()),
            ScalarType::F64 => 1f64.to_bits(),
            ScalarType::F16 => 0x3c00,
            ScalarType::Bf16 => 0x3f80,
            _ => u64::MAX,
        };
        let value = self.choose(to, result, one);
        self.def(i, value)
    }

    /// p ? bits : 0
    fn choose(&mut self, ty: Ty, p: Value, bits: u64) -> Value {
        let (one, zero) = (self.constant(ty, bits), self.constant(ty, 0));
        self.op(Op::Select { ty }, &[p, one, zero])
    }

    pub(super) fn selp(&mut self, i: &'a Instruction, k: &kind::Selp) -> Result<()> {
        let ty = width(k.ty);
        let [a, b] = self.two(i, ty)?;
        let p = self.src(i, 2, Ty::Pred)?;
        let value = self.op(Op::Select { ty }, &[p, a, b]);
        self.def(i, value)
    }

    /// c >= 0 ? a : b; a NaN chooses b.
    pub(super) fn slct(&mut self, i: &'a Instruction, k: &kind::Slct) -> Result<()> {
        let ty = width(k.dty);
        let [a, b] = self.two(i, ty)?;
        let c = self.src(i, 2, Ty::B32)?;
        let zero = self.constant(Ty::B32, 0);
        let op = if k.cty.is_float() {
            Op::FCmp {
                fmt: Float::F32,
                cmp: FloatCmp::Ge,
                ftz: k.ftz,
            }
        } else {
            Op::ICmp {
                w: Int::I32,
                cmp: IntCmp::Sge,
            }
        };
        let p = self.op(op, &[c, zero]);
        let value = self.op(Op::Select { ty }, &[p, a, b]);
        self.def(i, value)
    }
}
