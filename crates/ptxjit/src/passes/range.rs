//! Folds what follows from the dimensions of a block: comparisons, extremes and masks of numbers of threads.
//!
//! Compilers unroll loops over a tile by a factor and put a loop for the rest in front; for the block that code is made
//! for, the rest is mostly empty, and lanes that are tested for it all go the same way.

use super::params::Substitution;
use crate::ir::{Function, Inst, Int, IntCmp, Op, Sign, Special, Ty, Value, ValueDef};
use std::collections::HashMap;

/// Least and greatest value, both possible or not, of a 32-bit number read as signed.
type Range = (i64, i64);

const LEAST: i64 = i32::MIN as i64;
const MOST: i64 = i32::MAX as i64;
/// Operations that a range is followed through.
const DEPTH: u32 = 16;
/// Blocks of a grid in y and z (CUDA C++ Programming Guide, technical specifications).
const GRID_YZ: i64 = 65535;

struct Ranges<'a> {
    f: &'a Function,
    block: [u32; 3],
    known: HashMap<Value, Option<Range>>,
}

/// The pass; none of the dimensions is 0. Whether anything changed.
pub fn run(f: &mut Function, block: [u32; 3]) -> bool {
    let mut ranges = Ranges {
        f,
        block,
        known: HashMap::new(),
    };
    let mut found: Vec<(Value, Fold)> = Vec::new();
    for data in ranges.f.blocks.values() {
        for &inst in &data.insts {
            if let Some(result) = ranges.f.result(inst)
                && let Some(fold) = ranges.fold(inst, result)
            {
                found.push((result, fold));
            }
        }
    }
    if found.is_empty() {
        return false;
    }
    let mut subst = Substitution::new(f);
    for (value, fold) in found {
        let by = match fold {
            Fold::Constant(bits) => f.constant(f.ty(value), bits),
            Fold::Operand(by) => by,
        };
        subst.replace(value, by);
    }
    subst.apply(f);
    // What guards an instruction may be known now, too.
    let always: Vec<Inst> = f
        .insts
        .iter()
        .filter(|(_, data)| data.guard.is_some_and(|g| f.as_const(g) == Some(1)))
        .map(|(inst, _)| inst)
        .collect();
    for inst in always {
        f.insts[inst].guard = None;
    }
    true
}

/// What a value is.
enum Fold {
    Constant(u64),
    Operand(Value),
}

impl Ranges<'_> {
    fn fold(&mut self, inst: Inst, result: Value) -> Option<Fold> {
        let data = &self.f.insts[inst];
        if data.guard.is_some() {
            return None;
        }
        let args = self.f.args(inst);
        match data.op {
            Op::ICmp { w: Int::I32, cmp } => {
                let (x, y) = (self.range(args[0], DEPTH)?, self.range(args[1], DEPTH)?);
                let holds = compare(cmp, x, y)?;
                return Some(Fold::Constant(u64::from(holds)));
            }
            Op::And { ty: Ty::B32 } => {
                let mask = self.f.as_const(args[1])?;
                if mask < 1 << 31
                    && (mask + 1).is_power_of_two()
                    && let Some((low, high)) = self.range(args[0], DEPTH)
                    && low >= 0
                    && high.cast_unsigned() <= mask
                {
                    return Some(Fold::Operand(args[0]));
                }
            }
            Op::Rem { w: Int::I32, .. } => {
                let (x, y) = (self.range(args[0], DEPTH)?, self.range(args[1], DEPTH)?);
                if x.0 >= 0 && x.1 < y.0 {
                    return Some(Fold::Operand(args[0]));
                }
            }
            Op::Min { w: Int::I32, sign } | Op::Max { w: Int::I32, sign } => {
                let (x, y) = (self.range(args[0], DEPTH)?, self.range(args[1], DEPTH)?);
                if sign == Sign::Signed || x.0 >= 0 && y.0 >= 0 {
                    let least = matches!(data.op, Op::Min { .. });
                    if x.1 <= y.0 {
                        return Some(Fold::Operand(args[usize::from(!least)]));
                    }
                    if y.1 <= x.0 {
                        return Some(Fold::Operand(args[usize::from(least)]));
                    }
                }
            }
            Op::Special { .. }
            | Op::Add { w: Int::I32 }
            | Op::Sub { w: Int::I32 }
            | Op::Mul { w: Int::I32 }
            | Op::Shl { w: Int::I32 }
            | Op::Shr { w: Int::I32, .. }
            | Op::Div { w: Int::I32, .. } => {}
            _ => return None,
        }
        let (low, high) = self.range(result, DEPTH)?;
        (low == high).then(|| Fold::Constant(low.cast_unsigned() & 0xffff_ffff))
    }

    /// Where a 32-bit value lies; `None`: anywhere.
    fn range(&mut self, value: Value, depth: u32) -> Option<Range> {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        // A value that depends on itself may be anything.
        self.known.insert(value, None);
        let found = self.find(value, depth);
        let found = found.filter(|&(low, high)| low >= LEAST && high <= MOST);
        if depth == DEPTH || found.is_some() {
            self.known.insert(value, found);
        } else {
            self.known.remove(&value);
        }
        found
    }

    fn find(&mut self, value: Value, depth: u32) -> Option<Range> {
        if self.f.ty(value) != Ty::B32 {
            return None;
        }
        let inst = match self.f.values[value].def {
            ValueDef::Const(bits) => {
                let c = i64::from(u32::try_from(bits & 0xffff_ffff).ok()?.cast_signed());
                return Some((c, c));
            }
            ValueDef::Inst(inst, 0) if depth > 0 => inst,
            ValueDef::Inst(..) | ValueDef::Param(..) | ValueDef::Undef => return None,
        };
        if self.f.insts[inst].guard.is_some() {
            return None;
        }
        let args = self.f.args(inst).to_vec();
        let constant = |i: usize| self.f.as_const(args[i]);
        let op = self.f.insts[inst].op;
        match op {
            Op::Special { reg } => self.register(reg),
            Op::Add { w: Int::I32 } => {
                let ((a, b), (c, d)) = self.both(&args, depth)?;
                Some((a + c, b + d))
            }
            Op::Sub { w: Int::I32 } => {
                let ((a, b), (c, d)) = self.both(&args, depth)?;
                Some((a - d, b - c))
            }
            Op::Mul { w: Int::I32 } => {
                let ((a, b), (c, d)) = self.both(&args, depth)?;
                let all = [a * c, a * d, b * c, b * d];
                Some((*all.iter().min()?, *all.iter().max()?))
            }
            Op::Min { w: Int::I32, sign } | Op::Max { w: Int::I32, sign } => {
                let ((a, b), (c, d)) = self.both(&args, depth)?;
                if sign == Sign::Unsigned && (a < 0 || c < 0) {
                    return None;
                }
                Some(match op {
                    Op::Min { .. } => (a.min(c), b.min(d)),
                    _ => (a.max(c), b.max(d)),
                })
            }
            Op::And { ty: Ty::B32 } => {
                let mask = constant(1).filter(|&m| m < 1 << 31)?.cast_signed();
                let high = self.range(args[0], depth - 1).filter(|r| r.0 >= 0);
                Some((0, high.map_or(mask, |r| r.1.min(mask))))
            }
            Op::Shl { w: Int::I32 } => {
                let by = constant(1).filter(|&n| n < 31)?;
                let (a, b) = self.range(args[0], depth - 1)?;
                Some((a << by, b << by))
            }
            Op::Shr { w: Int::I32, sign } => {
                let by = constant(1).filter(|&n| n < 32)?;
                match (self.range(args[0], depth - 1), sign) {
                    (Some((a, b)), Sign::Signed) => Some((a >> by, b >> by)),
                    (Some((a, b)), Sign::Unsigned) if a >= 0 => Some((a >> by, b >> by)),
                    (_, Sign::Unsigned) if by > 0 => Some((0, i64::from(u32::MAX) >> by)),
                    (_, Sign::Signed) => Some((LEAST >> by, MOST >> by)),
                    (_, Sign::Unsigned) => None,
                }
            }
            Op::Div { w: Int::I32, .. } => {
                let ((a, b), (c, d)) = self.both(&args, depth)?;
                (a >= 0 && c > 0).then(|| (a / d, b / c))
            }
            Op::Rem { w: Int::I32, .. } => {
                let (c, d) = self.range(args[1], depth - 1).filter(|r| r.0 > 0)?;
                match self.range(args[0], depth - 1).filter(|r| r.0 >= 0) {
                    Some((a, b)) if b < c => Some((a, b)),
                    Some((_, b)) => Some((0, b.min(d - 1))),
                    None if matches!(
                        op,
                        Op::Rem {
                            sign: Sign::Unsigned,
                            ..
                        }
                    ) =>
                    {
                        Some((0, d - 1))
                    }
                    None => None,
                }
            }
            Op::Select { .. } => {
                let (a, b) = self.range(args[1], depth - 1)?;
                let (c, d) = self.range(args[2], depth - 1)?;
                Some((a.min(c), b.max(d)))
            }
            Op::Zext { from, .. } if from.bits() < 32 => Some((0, (1 << from.bits()) - 1)),
            _ => None,
        }
    }

    fn both(&mut self, args: &[Value], depth: u32) -> Option<(Range, Range)> {
        Some((
            self.range(args[0], depth - 1)?,
            self.range(args[1], depth - 1)?,
        ))
    }

    fn register(&self, reg: Special) -> Option<Range> {
        let [x, y, z] = self.block.map(i64::from);
        match reg {
            Special::TidX => Some((0, x - 1)),
            Special::TidY => Some((0, y - 1)),
            Special::TidZ => Some((0, z - 1)),
            Special::NTidX => Some((x, x)),
            Special::NTidY => Some((y, y)),
            Special::NTidZ => Some((z, z)),
            Special::LaneId => Some((0, 31)),
            Special::CtaIdX => Some((0, MOST - 1)),
            Special::CtaIdY | Special::CtaIdZ => Some((0, GRID_YZ - 1)),
            Special::NCtaIdX => Some((1, MOST)),
            Special::NCtaIdY | Special::NCtaIdZ => Some((1, GRID_YZ)),
            _ => None,
        }
    }
}

/// What a comparison gives wherever its operands lie in these ranges, if always the same.
fn compare(cmp: IntCmp, x: Range, y: Range) -> Option<bool> {
    let less = |x: Range, y: Range| {
        if x.1 < y.0 {
            Some(true)
        } else if x.0 >= y.1 {
            Some(false)
        } else {
            None
        }
    };
    let natural = x.0 >= 0 && y.0 >= 0;
    match cmp {
        IntCmp::Eq | IntCmp::Ne => {
            let same = if x.0 == x.1 && x == y {
                true
            } else if x.1 < y.0 || y.1 < x.0 {
                false
            } else {
                return None;
            };
            Some(same == (cmp == IntCmp::Eq))
        }
        IntCmp::Slt => less(x, y),
        IntCmp::Sge => less(x, y).map(|l| !l),
        IntCmp::Sgt => less(y, x),
        IntCmp::Sle => less(y, x).map(|l| !l),
        IntCmp::Ult if natural => less(x, y),
        IntCmp::Uge if natural => less(x, y).map(|l| !l),
        IntCmp::Ugt if natural => less(y, x),
        IntCmp::Ule if natural => less(y, x).map(|l| !l),
        IntCmp::Ult | IntCmp::Uge | IntCmp::Ugt | IntCmp::Ule => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_of_ranges() {
        type Meaning = fn(i64, i64) -> bool;
        let all = |cmp: Meaning, x: Range, y: Range| {
            let mut seen = [false; 2];
            for a in x.0..=x.1 {
                for b in y.0..=y.1 {
                    seen[usize::from(cmp(a, b))] = true;
                }
            }
            match seen {
                [false, true] => Some(true),
                [true, false] => Some(false),
                _ => None,
            }
        };
        let forms: [(IntCmp, Meaning); 6] = [
            (IntCmp::Eq, |a, b| a == b),
            (IntCmp::Ne, |a, b| a != b),
            (IntCmp::Slt, |a, b| a < b),
            (IntCmp::Sle, |a, b| a <= b),
            (IntCmp::Sgt, |a, b| a > b),
            (IntCmp::Sge, |a, b| a >= b),
        ];
        let ranges: Vec<Range> = (-3..4).flat_map(|a| (a..4).map(move |b| (a, b))).collect();
        for (cmp, meaning) in forms {
            for &x in &ranges {
                for &y in &ranges {
                    assert_eq!(compare(cmp, x, y), all(meaning, x, y), "{cmp} {x:?} {y:?}");
                }
            }
        }
        assert_eq!(compare(IntCmp::Ult, (-1, -1), (0, 3)), None);
        assert_eq!(compare(IntCmp::Ult, (0, 2), (3, 3)), Some(true));
    }
}
