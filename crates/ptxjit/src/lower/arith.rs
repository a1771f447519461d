//! Integer arithmetic, logic, shifts and bit fields; the forms of `add`, `sub`, `mul`, `mad` go to [`super::float`]
//! where the type is floating-point.

use super::frame::width;
use super::{Lower, Result};
use crate::ir::{Int, IntCmp, Op, PrmtMode, Sign, Ty, Value};
use ptx::checked::{Instruction, Operand};
use ptx::kind;
use ptx::modifier::{BoolOp, ClampWrap, Half, MulHalf, ShiftDirection};
use ptx::types::ScalarType;

/// How a type reads its bits as integers. Bits count as unsigned.
pub fn sign(ty: ScalarType) -> Sign {
    if ty.is_signed() {
        Sign::Signed
    } else {
        Sign::Unsigned
    }
}

impl<'a> Lower<'_, 'a> {
    /// The integer reading of a type.
    pub(super) fn int(&self, ty: ScalarType) -> Result<Int> {
        match ty {
            ScalarType::U16x2 | ScalarType::S16x2 => Ok(Int::I16x2),
            other => match Int::of_bits(other.bits()) {
                Some(w) => Ok(w),
                None => self.form("this type"),
            },
        }
    }

    /// Sources 0 and 1 of one width.
    pub(super) fn two(&mut self, i: &'a Instruction, ty: Ty) -> Result<[Value; 2]> {
        Ok([self.src(i, 0, ty)?, self.src(i, 1, ty)?])
    }

    /// Sources 0 to 2 of one width.
    pub(super) fn three(&mut self, i: &'a Instruction, ty: Ty) -> Result<[Value; 3]> {
        Ok([
            self.src(i, 0, ty)?,
            self.src(i, 1, ty)?,
            self.src(i, 2, ty)?,
        ])
    }

    pub(super) fn add(&mut self, i: &'a Instruction, k: &kind::Add) -> Result<()> {
        if k.ty.is_float() {
            return self.float_add(i, k);
        }
        let w = self.int(k.ty)?;
        let [a, b] = self.two(i, w.ty())?;
        if k.cc {
            let zero = self.constant(Ty::Pred, 0);
            return self.add_carry(i, w, [a, b, zero], true);
        }
        let value = self.op(
            if k.sat {
                Op::AddSat { w }
            } else {
                Op::Add { w }
            },
            &[a, b],
        );
        self.def(i, value)
    }

    pub(super) fn addc(&mut self, i: &'a Instruction, k: &kind::AddC) -> Result<()> {
        let w = self.int(k.ty)?;
        let [a, b] = self.two(i, w.ty())?;
        let carry = self.b.get(self.frame.carry);
        self.add_carry(i, w, [a, b, carry], k.cc)
    }

    pub(super) fn sub(&mut self, i: &'a Instruction, k: &kind::Sub) -> Result<()> {
        if k.ty.is_float() {
            return self.float_sub(i, k);
        }
        let w = self.int(k.ty)?;
        let [a, b] = self.two(i, w.ty())?;
        if k.cc {
            let zero = self.constant(Ty::Pred, 0);
            return self.sub_borrow(i, w, [a, b, zero], true);
        }
        let value = self.op(
            if k.sat {
                Op::SubSat { w }
            } else {
                Op::Sub { w }
            },
            &[a, b],
        );
        self.def(i, value)
    }

    pub(super) fn subc(&mut self, i: &'a Instruction, k: &kind::SubC) -> Result<()> {
        let w = self.int(k.ty)?;
        let [a, b] = self.two(i, w.ty())?;
        let carry = self.b.get(self.frame.carry);
        let borrow = self.op(Op::Not { ty: Ty::Pred }, &[carry]);
        self.sub_borrow(i, w, [a, b, borrow], k.cc)
    }

    /// a + b + carry; `cc`: the carry flag is written.
    fn add_carry(&mut self, i: &'a Instruction, w: Int, args: [Value; 3], cc: bool) -> Result<()> {
        let inst = self.inst(Op::AddCarry { w }, &args);
        let (value, carry) = (self.result(inst, 0), self.result(inst, 1));
        self.def(i, value)?;
        if cc {
            self.set_var(self.frame.carry, carry);
        }
        Ok(())
    }

    /// a - b - borrow; `cc`: the carry flag is written.
    ///
    /// The flag is the carry of `a + !b + 1`, so it is set where nothing is borrowed. PTX ISA calls it a borrow, which
    /// cannot be told apart in chains of subtractions; nvcc's division of `__int128` mixes `subc` and `addc`.
    fn sub_borrow(&mut self, i: &'a Instruction, w: Int, args: [Value; 3], cc: bool) -> Result<()> {
        let inst = self.inst(Op::SubBorrow { w }, &args);
        let (value, borrow) = (self.result(inst, 0), self.result(inst, 1));
        self.def(i, value)?;
        if cc {
            let carry = self.op(Op::Not { ty: Ty::Pred }, &[borrow]);
            self.set_var(self.frame.carry, carry);
        }
        Ok(())
    }

    pub(super) fn mul(&mut self, i: &'a Instruction, k: &kind::Mul) -> Result<()> {
        if k.ty.is_float() {
            return self.float_mul(i, k);
        }
        let w = self.int(k.ty)?;
        let [a, b] = self.two(i, w.ty())?;
        let value = self.product(w, sign(k.ty), k.half.unwrap_or(MulHalf::Lo), a, b);
        self.dst(i.dsts.first(), value, sign(k.ty))
    }

    fn product(&mut self, w: Int, sign: Sign, half: MulHalf, a: Value, b: Value) -> Value {
        self.op(
            match half {
                MulHalf::Lo => Op::Mul { w },
                MulHalf::Hi => Op::MulHi { w, sign },
                MulHalf::Wide => Op::MulWide { w, sign },
            },
            &[a, b],
        )
    }

    pub(super) fn mad(&mut self, i: &'a Instruction, k: &kind::Mad) -> Result<()> {
        if k.ty.is_float() {
            return self.float_mad(i, k);
        }
        let w = self.int(k.ty)?;
        let half = k.half.unwrap_or(MulHalf::Lo);
        let [a, b] = self.two(i, w.ty())?;
        let product = self.product(w, sign(k.ty), half, a, b);
        let sum = if half == MulHalf::Wide {
            self.wide_int(w)?
        } else {
            w
        };
        let c = self.src(i, 2, sum.ty())?;
        if k.cc {
            let zero = self.constant(Ty::Pred, 0);
            return self.add_carry(i, sum, [product, c, zero], true);
        }
        let value = self.op(
            if k.sat {
                Op::AddSat { w: sum }
            } else {
                Op::Add { w: sum }
            },
            &[product, c],
        );
        self.def(i, value)
    }

    fn wide_int(&self, w: Int) -> Result<Int> {
        match w {
            Int::I16 => Ok(Int::I32),
            Int::I32 => Ok(Int::I64),
            Int::I64 | Int::I16x2 => self.form("a wide product of this type"),
        }
    }

    pub(super) fn madc(&mut self, i: &'a Instruction, k: &kind::MadC) -> Result<()> {
        let w = self.int(k.ty)?;
        let [a, b, c] = self.three(i, w.ty())?;
        let product = self.product(w, sign(k.ty), k.half, a, b);
        let carry = self.b.get(self.frame.carry);
        self.add_carry(i, w, [product, c, carry], k.cc)
    }

    /// Low or middle 32 bits of a product of 24-bit values.
    fn product24(&mut self, i: &'a Instruction, half: MulHalf, ty: ScalarType) -> Result<Value> {
        let [a, b] = self.two(i, Ty::B32)?;
        let (zero, bits) = (self.constant(Ty::B32, 0), self.constant(Ty::B32, 24));
        let field = Op::Bfe {
            w: Int::I32,
            sign: sign(ty),
        };
        let a = self.op(field, &[a, zero, bits]);
        let b = self.op(field, &[b, zero, bits]);
        if half != MulHalf::Hi {
            return Ok(self.op(Op::Mul { w: Int::I32 }, &[a, b]));
        }
        let wide = self.op(
            Op::MulWide {
                w: Int::I32,
                sign: sign(ty),
            },
            &[a, b],
        );
        let sixteen = self.constant(Ty::B32, 16);
        let moved = self.op(
            Op::Shr {
                w: Int::I64,
                sign: sign(ty),
            },
            &[wide, sixteen],
        );
        Ok(self.narrow(moved, Ty::B32))
    }

    pub(super) fn mul24(&mut self, i: &'a Instruction, k: &kind::Mul24) -> Result<()> {
        let value = self.product24(i, k.half, k.ty)?;
        self.def(i, value)
    }

    pub(super) fn mad24(&mut self, i: &'a Instruction, k: &kind::Mad24) -> Result<()> {
        let product = self.product24(i, k.half, k.ty)?;
        let c = self.src(i, 2, Ty::B32)?;
        let w = Int::I32;
        let value = self.op(
            if k.sat {
                Op::AddSat { w }
            } else {
                Op::Add { w }
            },
            &[product, c],
        );
        self.def(i, value)
    }

    pub(super) fn sad(&mut self, i: &'a Instruction, k: &kind::Sad) -> Result<()> {
        let (w, sign) = (self.int(k.ty)?, sign(k.ty));
        let [a, b, c] = self.three(i, w.ty())?;
        let high = self.op(Op::Max { w, sign }, &[a, b]);
        let low = self.op(Op::Min { w, sign }, &[a, b]);
        let distance = self.op(Op::Sub { w }, &[high, low]);
        let value = self.op(Op::Add { w }, &[c, distance]);
        self.def(i, value)
    }

    pub(super) fn div(&mut self, i: &'a Instruction, k: &kind::Div) -> Result<()> {
        if k.ty.is_float() {
            return self.float_div(i, k);
        }
        let w = self.int(k.ty)?;
        self.same(
            i,
            Op::Div {
                w,
                sign: sign(k.ty),
            },
            &[w.ty(); 2],
        )
    }

    pub(super) fn rem(&mut self, i: &'a Instruction, k: &kind::Rem) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(
            i,
            Op::Rem {
                w,
                sign: sign(k.ty),
            },
            &[w.ty(); 2],
        )
    }

    pub(super) fn abs(&mut self, i: &'a Instruction, k: &kind::Abs) -> Result<()> {
        if k.ty.is_float() {
            let fmt = self.float(k.ty)?;
            return self.same(i, Op::FAbs { fmt, ftz: k.ftz }, &[fmt.ty()]);
        }
        let w = self.int(k.ty)?;
        self.same(i, Op::Abs { w }, &[w.ty()])
    }

    pub(super) fn neg(&mut self, i: &'a Instruction, k: &kind::Neg) -> Result<()> {
        if k.ty.is_float() {
            let fmt = self.float(k.ty)?;
            return self.same(i, Op::FNeg { fmt, ftz: k.ftz }, &[fmt.ty()]);
        }
        let w = self.int(k.ty)?;
        let a = self.src(i, 0, w.ty())?;
        let zero = self.constant(w.ty(), 0);
        let value = self.op(Op::Sub { w }, &[zero, a]);
        self.def(i, value)
    }

    pub(super) fn min(&mut self, i: &'a Instruction, k: &kind::Min) -> Result<()> {
        if k.ty.is_float() {
            return self.float_min(i, k);
        }
        let (w, sign) = (self.int(k.ty)?, sign(k.ty));
        self.int_extreme(i, Op::Min { w, sign }, w, k.relu)
    }

    pub(super) fn max(&mut self, i: &'a Instruction, k: &kind::Max) -> Result<()> {
        if k.ty.is_float() {
            return self.float_max(i, k);
        }
        let (w, sign) = (self.int(k.ty)?, sign(k.ty));
        self.int_extreme(i, Op::Max { w, sign }, w, k.relu)
    }

    fn int_extreme(&mut self, i: &'a Instruction, op: Op, w: Int, relu: bool) -> Result<()> {
        let [a, b] = self.two(i, w.ty())?;
        let mut value = self.op(op, &[a, b]);
        if relu {
            let zero = self.constant(w.ty(), 0);
            value = self.op(
                Op::Max {
                    w,
                    sign: Sign::Signed,
                },
                &[value, zero],
            );
        }
        self.def(i, value)
    }

    pub(super) fn popc(&mut self, i: &'a Instruction, k: &kind::Popc) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(i, Op::Popc { w }, &[w.ty()])
    }

    pub(super) fn clz(&mut self, i: &'a Instruction, k: &kind::Clz) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(i, Op::Clz { w }, &[w.ty()])
    }

    pub(super) fn bfind(&mut self, i: &'a Instruction, k: &kind::Bfind) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(
            i,
            Op::Bfind {
                w,
                sign: sign(k.ty),
                shiftamt: k.shiftamt,
            },
            &[w.ty()],
        )
    }

    pub(super) fn brev(&mut self, i: &'a Instruction, k: &kind::Brev) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(i, Op::Brev { w }, &[w.ty()])
    }

    pub(super) fn bfe(&mut self, i: &'a Instruction, k: &kind::Bfe) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(
            i,
            Op::Bfe {
                w,
                sign: sign(k.ty),
            },
            &[w.ty(), Ty::B32, Ty::B32],
        )
    }

    pub(super) fn bfi(&mut self, i: &'a Instruction, k: &kind::Bfi) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(i, Op::Bfi { w }, &[w.ty(), w.ty(), Ty::B32, Ty::B32])
    }

    pub(super) fn szext(&mut self, i: &'a Instruction, k: &kind::Szext) -> Result<()> {
        self.same(
            i,
            Op::Szext {
                sign: sign(k.ty),
                wrap: k.mode == ClampWrap::Wrap,
            },
            &[Ty::B32; 2],
        )
    }

    pub(super) fn bmsk(&mut self, i: &'a Instruction, k: &kind::Bmsk) -> Result<()> {
        self.same(
            i,
            Op::Bmsk {
                wrap: k.mode == ClampWrap::Wrap,
            },
            &[Ty::B32; 2],
        )
    }

    pub(super) fn dp4a(&mut self, i: &'a Instruction, k: &kind::Dp4a) -> Result<()> {
        self.same(
            i,
            Op::Dp4a {
                sa: sign(k.aty),
                sb: sign(k.bty),
            },
            &[Ty::B32; 3],
        )
    }

    pub(super) fn dp2a(&mut self, i: &'a Instruction, k: &kind::Dp2a) -> Result<()> {
        let op = Op::Dp2a {
            sa: sign(k.aty),
            sb: sign(k.bty),
            hi: k.half == Half::Hi,
        };
        self.same(i, op, &[Ty::B32; 3])
    }

    pub(super) fn and(&mut self, i: &'a Instruction, k: &kind::And) -> Result<()> {
        let ty = width(k.ty);
        self.same(i, Op::And { ty }, &[ty; 2])
    }

    pub(super) fn or(&mut self, i: &'a Instruction, k: &kind::Or) -> Result<()> {
        let ty = width(k.ty);
        self.same(i, Op::Or { ty }, &[ty; 2])
    }

    pub(super) fn xor(&mut self, i: &'a Instruction, k: &kind::Xor) -> Result<()> {
        let ty = width(k.ty);
        self.same(i, Op::Xor { ty }, &[ty; 2])
    }

    pub(super) fn not(&mut self, i: &'a Instruction, k: &kind::Not) -> Result<()> {
        let ty = width(k.ty);
        self.same(i, Op::Not { ty }, &[ty])
    }

    pub(super) fn cnot(&mut self, i: &'a Instruction, k: &kind::Cnot) -> Result<()> {
        let w = self.int(k.ty)?;
        let a = self.src(i, 0, w.ty())?;
        let zero = self.constant(w.ty(), 0);
        let is_zero = self.op(Op::ICmp { w, cmp: IntCmp::Eq }, &[a, zero]);
        let value = self.widen(is_zero, w.ty(), Sign::Unsigned);
        self.def(i, value)
    }

    pub(super) fn lop3(&mut self, i: &'a Instruction, k: &kind::Lop3) -> Result<()> {
        let [a, b, c] = self.three(i, Ty::B32)?;
        let Some(Operand::Immediate(table)) = i.srcs.get(3) else {
            return self.form("a table that is no constant");
        };
        let lut = u8::try_from(*table & 0xff).unwrap_or(0);
        let value = self.op(Op::Lop3 { lut }, &[a, b, c]);
        let Some(bool_op) = k.bool_op else {
            return self.def(i, value);
        };
        // d|p: p = (d != 0) op q
        let zero = self.constant(Ty::B32, 0);
        let is_set = self.op(
            Op::ICmp {
                w: Int::I32,
                cmp: IntCmp::Ne,
            },
            &[value, zero],
        );
        let q = self.src(i, 4, Ty::Pred)?;
        let p = self.combine(bool_op, is_set, q);
        self.def(i, value)?;
        self.dst(i.dsts.get(1), p, Sign::Unsigned)
    }

    /// `a op b` of predicates.
    pub(super) fn combine(&mut self, op: BoolOp, a: Value, b: Value) -> Value {
        let ty = Ty::Pred;
        self.op(
            match op {
                BoolOp::And => Op::And { ty },
                BoolOp::Or => Op::Or { ty },
                BoolOp::Xor => Op::Xor { ty },
            },
            &[a, b],
        )
    }

    pub(super) fn shf(&mut self, i: &'a Instruction, k: &kind::Shf) -> Result<()> {
        let wrap = k.mode == ClampWrap::Wrap;
        let op = match k.direction {
            ShiftDirection::Left => Op::ShfL { wrap },
            ShiftDirection::Right => Op::ShfR { wrap },
        };
        self.same(i, op, &[Ty::B32; 3])
    }

    pub(super) fn shl(&mut self, i: &'a Instruction, k: &kind::Shl) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(i, Op::Shl { w }, &[w.ty(), Ty::B32])
    }

    pub(super) fn shr(&mut self, i: &'a Instruction, k: &kind::Shr) -> Result<()> {
        let w = self.int(k.ty)?;
        self.same(
            i,
            Op::Shr {
                w,
                sign: sign(k.ty),
            },
            &[w.ty(), Ty::B32],
        )
    }

    pub(super) fn prmt(&mut self, i: &'a Instruction, k: &kind::Prmt) -> Result<()> {
        use ptx::modifier::PrmtMode as P;
        let mode = match k.mode {
            None => PrmtMode::Index,
            Some(P::F4e) => PrmtMode::F4e,
            Some(P::B4e) => PrmtMode::B4e,
            Some(P::Rc8) => PrmtMode::Rc8,
            Some(P::Ecl) => PrmtMode::Ecl,
            Some(P::Ecr) => PrmtMode::Ecr,
            Some(P::Rc16) => PrmtMode::Rc16,
        };
        self.same(i, Op::Prmt { mode }, &[Ty::B32; 3])
    }
}
