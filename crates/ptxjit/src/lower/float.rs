//! Floating-point arithmetic.

use super::frame::width;
use super::{Lower, Result, Why};
use crate::ir::{Approx, DivKind, Float, FloatMode, Int, IntCmp, Op, Round, Sign, Ty, Value};
use ptx::checked::Instruction;
use ptx::kind;
use ptx::modifier::{DivPrecision, Rounding, TestpOp};
use ptx::types::ScalarType;

/// The IR rounding of an optional modifier; none means to nearest even.
fn round(rnd: Option<Rounding>) -> Round {
    match rnd {
        None | Some(Rounding::Rn) => Round::Nearest,
        Some(Rounding::Rz) => Round::Zero,
        Some(Rounding::Rm) => Round::Down,
        Some(Rounding::Rp) => Round::Up,
    }
}

/// Bit layout of a scalar format: exponent mask and mantissa mask.
fn layout(fmt: Float) -> Option<(u64, u64)> {
    Some(match fmt {
        Float::F16 => (0x7c00, 0x03ff),
        Float::Bf16 => (0x7f80, 0x007f),
        Float::F32 => (0x7f80_0000, 0x007f_ffff),
        Float::F64 => (0x7ff0_0000_0000_0000, 0x000f_ffff_ffff_ffff),
        _ => return None,
    })
}

impl<'a> Lower<'_, 'a> {
    /// The floating-point reading of a type.
    pub(super) fn float(&self, ty: ScalarType) -> Result<Float> {
        Ok(match ty {
            ScalarType::F16 => Float::F16,
            ScalarType::F16x2 => Float::F16x2,
            ScalarType::Bf16 => Float::Bf16,
            ScalarType::Bf16x2 => Float::Bf16x2,
            ScalarType::F32 => Float::F32,
            ScalarType::F32x2 => Float::F32x2,
            ScalarType::F64 => Float::F64,
            ScalarType::Tf32 => Float::Tf32,
            _ => return self.form("this type"),
        })
    }

    /// A source that is read in type `from` and converted exactly to `to` where they differ.
    fn mixed(
        &mut self,
        i: &'a Instruction,
        n: usize,
        from: Option<ScalarType>,
        to: Float,
    ) -> Result<Value> {
        let from = match from {
            Some(from) => self.float(from)?,
            None => to,
        };
        let value = self.src(i, n, from.ty())?;
        if from == to {
            return Ok(value);
        }
        let mode = FloatMode::NEAREST;
        Ok(self.op(
            Op::FCvt {
                from,
                to,
                mode,
                relu: false,
                satfinite: false,
            },
            &[value],
        ))
    }

    pub(super) fn float_add(&mut self, i: &'a Instruction, k: &kind::Add) -> Result<()> {
        let fmt = self.float(k.ty)?;
        let mode = FloatMode {
            round: round(k.rnd),
            ftz: k.ftz,
            sat: k.sat,
        };
        let a = self.mixed(i, 0, k.aty, fmt)?;
        let b = self.src(i, 1, fmt.ty())?;
        let value = self.op(Op::FAdd { fmt, mode }, &[a, b]);
        self.def(i, value)
    }

    pub(super) fn float_sub(&mut self, i: &'a Instruction, k: &kind::Sub) -> Result<()> {
        let fmt = self.float(k.ty)?;
        let mode = FloatMode {
            round: round(k.rnd),
            ftz: k.ftz,
            sat: k.sat,
        };
        let a = self.mixed(i, 0, k.aty, fmt)?;
        let b = self.src(i, 1, fmt.ty())?;
        let value = self.op(Op::FSub { fmt, mode }, &[a, b]);
        self.def(i, value)
    }

    pub(super) fn float_mul(&mut self, i: &'a Instruction, k: &kind::Mul) -> Result<()> {
        let fmt = self.float(k.ty)?;
        let mode = FloatMode {
            round: round(k.rnd),
            ftz: k.ftz,
            sat: k.sat,
        };
        self.same(i, Op::FMul { fmt, mode }, &[fmt.ty(); 2])
    }

    pub(super) fn float_mad(&mut self, i: &'a Instruction, k: &kind::Mad) -> Result<()> {
        let fmt = self.float(k.ty)?;
        let mode = FloatMode {
            round: round(k.rnd),
            ftz: k.ftz,
            sat: k.sat,
        };
        self.same(
            i,
            Op::Fma {
                fmt,
                mode,
                relu: false,
            },
            &[fmt.ty(); 3],
        )
    }

    pub(super) fn fma(&mut self, i: &'a Instruction, k: &kind::Fma) -> Result<()> {
        if k.oob {
            return self.refuse(Why::SecondHalf);
        }
        let fmt = self.float(k.ty)?;
        let mode = FloatMode {
            round: round(k.rnd),
            ftz: k.ftz,
            sat: k.sat,
        };
        let a = self.mixed(i, 0, k.aty, fmt)?;
        let b = self.mixed(i, 1, k.aty, fmt)?;
        let c = self.src(i, 2, fmt.ty())?;
        let value = self.op(
            Op::Fma {
                fmt,
                mode,
                relu: k.relu,
            },
            &[a, b, c],
        );
        self.def(i, value)
    }

    pub(super) fn float_div(&mut self, i: &'a Instruction, k: &kind::Div) -> Result<()> {
        let fmt = self.float(k.ty)?;
        let op = match k.precision {
            Some(DivPrecision::Approx) => Op::FDivApprox {
                kind: DivKind::Approx,
                ftz: k.ftz,
            },
            Some(DivPrecision::Full) => Op::FDivApprox {
                kind: DivKind::Full,
                ftz: k.ftz,
            },
            None => Op::FDiv {
                fmt,
                mode: FloatMode {
                    round: round(k.rnd),
                    ftz: k.ftz,
                    sat: false,
                },
            },
        };
        self.same(i, op, &[fmt.ty(); 2])
    }

    /// A function of one operand within PTX's error bound.
    fn approx(
        &mut self,
        i: &'a Instruction,
        func: Approx,
        ty: ScalarType,
        ftz: bool,
    ) -> Result<()> {
        let fmt = self.float(ty)?;
        self.same(i, Op::FApprox { func, fmt, ftz }, &[fmt.ty()])
    }

    pub(super) fn rcp(&mut self, i: &'a Instruction, k: &kind::Rcp) -> Result<()> {
        if k.approx {
            return self.approx(i, Approx::Rcp, k.ty, k.ftz);
        }
        let fmt = self.float(k.ty)?;
        let one = match fmt {
            Float::F32 => self.constant(Ty::B32, u64::from(1f32.to_bits())),
            Float::F64 => self.constant(Ty::B64, 1f64.to_bits()),
            _ => return self.form("this type"),
        };
        let a = self.src(i, 0, fmt.ty())?;
        let mode = FloatMode {
            round: round(k.rnd),
            ftz: k.ftz,
            sat: false,
        };
        let value = self.op(Op::FDiv { fmt, mode }, &[one, a]);
        self.def(i, value)
    }

    pub(super) fn sqrt(&mut self, i: &'a Instruction, k: &kind::Sqrt) -> Result<()> {
        if k.approx {
            return self.approx(i, Approx::Sqrt, k.ty, k.ftz);
        }
        let fmt = self.float(k.ty)?;
        let mode = FloatMode {
            round: round(k.rnd),
            ftz: k.ftz,
            sat: false,
        };
        self.same(i, Op::FSqrt { fmt, mode }, &[fmt.ty()])
    }

    pub(super) fn rsqrt(&mut self, i: &'a Instruction, k: &kind::Rsqrt) -> Result<()> {
        self.approx(i, Approx::Rsqrt, k.ty, k.ftz)
    }

    pub(super) fn sin(&mut self, i: &'a Instruction, k: &kind::Sin) -> Result<()> {
        self.approx(i, Approx::Sin, k.ty, k.ftz)
    }

    pub(super) fn cos(&mut self, i: &'a Instruction, k: &kind::Cos) -> Result<()> {
        self.approx(i, Approx::Cos, k.ty, k.ftz)
    }

    pub(super) fn lg2(&mut self, i: &'a Instruction, k: &kind::Lg2) -> Result<()> {
        self.approx(i, Approx::Lg2, k.ty, k.ftz)
    }

    pub(super) fn ex2(&mut self, i: &'a Instruction, k: &kind::Ex2) -> Result<()> {
        self.approx(i, Approx::Ex2, k.ty, k.ftz)
    }

    pub(super) fn tanh(&mut self, i: &'a Instruction, k: &kind::Tanh) -> Result<()> {
        self.approx(i, Approx::Tanh, k.ty, false)
    }

    pub(super) fn float_min(&mut self, i: &'a Instruction, k: &kind::Min) -> Result<()> {
        let fmt = self.float(k.ty)?;
        self.extreme(
            i,
            Op::FMin {
                fmt,
                ftz: k.ftz,
                nan: k.nan,
                xorsign: k.xorsign,
            },
            fmt,
            k.abs && !k.xorsign,
        )
    }

    pub(super) fn float_max(&mut self, i: &'a Instruction, k: &kind::Max) -> Result<()> {
        let fmt = self.float(k.ty)?;
        self.extreme(
            i,
            Op::FMax {
                fmt,
                ftz: k.ftz,
                nan: k.nan,
                xorsign: k.xorsign,
            },
            fmt,
            k.abs && !k.xorsign,
        )
    }

    /// Minimum or maximum of two or three; `abs`: of the magnitudes.
    fn extreme(&mut self, i: &'a Instruction, op: Op, fmt: Float, abs: bool) -> Result<()> {
        let mut value = None;
        for n in 0..i.srcs.len() {
            let mut source = self.src(i, n, fmt.ty())?;
            if abs {
                source = self.op(Op::FAbs { fmt, ftz: false }, &[source]);
            }
            value = Some(match value {
                Some(value) => self.op(op, &[value, source]),
                None => source,
            });
        }
        match value {
            Some(value) => self.def(i, value),
            None => self.form("operands are missing"),
        }
    }

    /// Sign of a, magnitude of b.
    pub(super) fn copysign(&mut self, i: &'a Instruction, k: &kind::Copysign) -> Result<()> {
        let ty = width(k.ty);
        let [a, b] = self.two(i, ty)?;
        let top = 1 << (ty.bits() - 1);
        let (sign, rest) = (self.constant(ty, top), self.constant(ty, top - 1));
        let a = self.op(Op::And { ty }, &[a, sign]);
        let b = self.op(Op::And { ty }, &[b, rest]);
        let value = self.op(Op::Or { ty }, &[a, b]);
        self.def(i, value)
    }

    /// `testp`: compares the magnitude's bits, m, with those of infinity and of the smallest normal number.
    pub(super) fn testp(&mut self, i: &'a Instruction, k: &kind::Testp) -> Result<()> {
        let fmt = self.float(k.ty)?;
        let (Some((infinity, mantissa)), Some(w)) = (layout(fmt), Int::of_bits(fmt.ty().bits()))
        else {
            return self.form("this type");
        };
        let ty = fmt.ty();
        let a = self.src(i, 0, ty)?;
        let magnitude_mask = self.constant(ty, infinity | mantissa);
        let m = self.op(Op::And { ty }, &[a, magnitude_mask]);
        let mut is = |cmp: IntCmp, bits: u64| {
            let bits = self.constant(ty, bits);
            self.op(Op::ICmp { w, cmp }, &[m, bits])
        };
        let smallest = mantissa + 1;
        let value = match k.op {
            TestpOp::Finite => is(IntCmp::Ult, infinity),
            TestpOp::Infinite => is(IntCmp::Eq, infinity),
            TestpOp::Number => is(IntCmp::Ule, infinity),
            TestpOp::NotANumber => is(IntCmp::Ugt, infinity),
            TestpOp::Normal => {
                let (low, high) = (is(IntCmp::Uge, smallest), is(IntCmp::Ult, infinity));
                self.op(Op::And { ty: Ty::Pred }, &[low, high])
            }
            TestpOp::Subnormal => {
                let (low, high) = (is(IntCmp::Ne, 0), is(IntCmp::Ult, smallest));
                self.op(Op::And { ty: Ty::Pred }, &[low, high])
            }
        };
        self.dst(i.dsts.first(), value, Sign::Unsigned)
    }
}
