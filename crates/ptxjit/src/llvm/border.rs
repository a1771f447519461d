//! Addresses that are consecutive away from the borders of a field.
//!
//! Stencils clamp an index to its range (`min`, `max`), or choose another at the edge, or let it go round (`&`, `%`).
//! In most warps all lanes choose alike, and then the address is consecutive. Whether they do follows from the first
//! lane and the distances between lanes: a few scalar comparisons, with the address itself computed for one lane only.

use super::build::{Icmp, V};
use super::emit::Gen;
use super::shape::{Shape, UNIFORM};
use crate::ir::{Int, IntCmp, Op, Sign, Ty, Value};
use std::collections::HashMap;

const LEAST: i64 = i32::MIN as i64;
const MOST: i64 = i32::MAX as i64;
const WIDE: i64 = u32::MAX as i64;

/// Operations between an address and the indices that it follows from, at most.
const DEPTH: u32 = 14;
/// Operations between a branch's predicate and comparisons, at most.
const CONDITIONS: u32 = 4;
/// Values looked at for an address, at most.
const VALUES: usize = 48;

/// How a value is made for the first lane, if all lanes go the same way.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// It is affine itself.
    Leaf,
    /// By its operation, from the first lane's operands.
    Same,
    /// It is one of the operands, by number.
    Arm(usize),
}

/// A value of which lanes lie at constant distances if all go the same way.
#[derive(Clone, Debug)]
struct Known {
    /// Distances from the first lane.
    offsets: Vec<i64>,
    way: Way,
}

impl Known {
    fn uniform(&self) -> bool {
        self.offsets.iter().all(|&o| o == 0)
    }

    fn bounds(&self) -> (i64, i64) {
        let low = self.offsets.iter().copied().min().unwrap_or(0);
        let high = self.offsets.iter().copied().max().unwrap_or(0);
        (low, high)
    }
}

/// What was found for the values of an address.
type Ways = HashMap<Value, Option<Known>>;

/// The code for the first lane.
#[derive(Default)]
struct Made {
    values: HashMap<Value, V>,
    tests: Vec<V>,
}

impl Gen<'_, '_> {
    /// Where an address that differs between lanes is consecutive, `bytes` apart: whether it is so this time, and then
    /// the first lane's, an integer.
    pub(super) fn away_from_borders(&mut self, value: Value, bytes: u32) -> Option<(V, V)> {
        if self.plan.dispatch || self.w == 1 {
            return None;
        }
        let mut ways = Ways::new();
        self.way(value, DEPTH, &mut ways);
        let known = ways.get(&value)?.as_ref()?;
        if matches!(known.way, Way::Leaf) || !super::memory::contiguous(&known.offsets, bytes) {
            return None;
        }
        let mut made = Made::default();
        let first = self.first_lane(value, &ways, &mut made);
        let mut holds = self.b.c(self.b.i1, 1);
        for test in made.tests {
            holds = self.b.and(holds, test);
        }
        if self.may_be_idle() {
            holds = self.b.freeze(holds);
        }
        Some((holds, first))
    }

    /// Whether a predicate is `want` in all lanes of the vector, as far as a few scalars tell: `i1`.
    pub(super) fn surely_all(&mut self, pred: Value, want: bool) -> Option<V> {
        if self.plan.dispatch || self.w == 1 {
            return None;
        }
        let mut ways = Ways::new();
        let told = self.decidable(pred, CONDITIONS, &mut ways);
        let at_hand = |known: &Option<Known>| {
            let way = known.as_ref().map(|k| k.way);
            matches!(way, Some(Way::Leaf))
        };
        if !told || !ways.values().all(at_hand) {
            return None;
        }
        let mut made = Made::default();
        let mut holds = self.all_lanes(pred, want, &ways, &mut made);
        if self.b.is_const(holds) {
            return None;
        }
        for test in made.tests {
            holds = self.b.and(holds, test);
        }
        if self.may_be_idle() {
            holds = self.b.freeze(holds);
        }
        Some(holds)
    }

    /// Finds how the lanes of a value lie.
    fn way(&self, value: Value, depth: u32, ways: &mut Ways) -> Option<Known> {
        if let Some(known) = ways.get(&value) {
            return known.clone();
        }
        if ways.len() >= VALUES {
            return None;
        }
        let found = self.find_way(value, depth, ways);
        ways.insert(value, found.clone());
        found
    }

    fn find_way(&self, value: Value, depth: u32, ways: &mut Ways) -> Option<Known> {
        let f = self.f;
        if !matches!(f.ty(value), Ty::B16 | Ty::B32 | Ty::B64) {
            return None;
        }
        if self.plan.temporal(self.flow, value, self.block) {
            return None;
        }
        if let Shape::Affine(p) = self.plan.shapes.shape(value) {
            let known = f.as_const(value).is_some()
                || self.readable(value) && !self.plan.wraps.taints.contains_key(&value);
            return known.then(|| Known {
                offsets: self.plan.shapes.patterns[p].clone(),
                way: Way::Leaf,
            });
        }
        let inst = f.def_inst(value).filter(|_| depth > 0)?;
        let args = f.args(inst).to_vec();
        let same = |offsets: Vec<i64>| {
            Some(Known {
                offsets,
                way: Way::Same,
            })
        };
        let constant = |i: usize| f.as_const(args[i]);
        match f.insts[inst].op {
            Op::Add {
                w: Int::I32 | Int::I64,
            } => {
                let (x, y) = self.both(&args, depth, ways)?;
                same(zip(&x, &y, i64::wrapping_add))
            }
            Op::Sub {
                w: Int::I32 | Int::I64,
            } => {
                let (x, y) = self.both(&args, depth, ways)?;
                same(zip(&x, &y, i64::wrapping_sub))
            }
            op @ (Op::Mul {
                w: Int::I32 | Int::I64,
            }
            | Op::MulWide {
                w: Int::I16 | Int::I32,
                ..
            }) => {
                let (x, y) = self.both(&args, depth, ways)?;
                if x.uniform() && y.uniform() {
                    return same(x.offsets);
                }
                if f.ty(args[0]) == Ty::B16 {
                    return None;
                }
                let by = |c: u64| {
                    let low = u32::try_from(c & 0xffff_ffff).unwrap_or(0);
                    match op {
                        Op::MulWide {
                            sign: Sign::Unsigned,
                            ..
                        } => i64::from(low),
                        _ if f.ty(args[0]) == Ty::B32 => i64::from(low.cast_signed()),
                        _ => c.cast_signed(),
                    }
                };
                match (constant(0), constant(1)) {
                    (_, Some(c)) => same(scaled(&x, by(c))),
                    (Some(c), _) => same(scaled(&y, by(c))),
                    (None, None) => None,
                }
            }
            Op::Shl {
                w: Int::I32 | Int::I64,
            } => {
                let by = constant(1).filter(|&c| c < 31)?;
                let x = self.way(args[0], depth - 1, ways)?;
                same(scaled(&x, 1 << by))
            }
            Op::Sext {
                from: Ty::B16,
                to: Ty::B32 | Ty::B64,
            }
            | Op::Zext {
                from: Ty::B16,
                to: Ty::B32 | Ty::B64,
            } => {
                let x = self.way(args[0], depth - 1, ways)?;
                x.uniform().then(|| same(x.offsets)).flatten()
            }
            Op::Sext {
                from: Ty::B32,
                to: Ty::B64,
            }
            | Op::Zext {
                from: Ty::B32,
                to: Ty::B64,
            }
            | Op::Trunc {
                from: Ty::B64,
                to: Ty::B32,
            } => same(self.way(args[0], depth - 1, ways)?.offsets),
            Op::Min { w: Int::I32, .. } | Op::Max { w: Int::I32, .. } => {
                let (x, y) = self.both(&args, depth, ways)?;
                match (x.uniform(), y.uniform()) {
                    (true, true) => same(x.offsets),
                    (false, true) => arm(0, x),
                    (true, false) => arm(1, y),
                    (false, false) => None,
                }
            }
            Op::And { ty: Ty::B32 } => {
                constant(1).filter(|&m| m < 1 << 31 && (m + 1).is_power_of_two())?;
                same(self.way(args[0], depth - 1, ways)?.offsets)
            }
            Op::Rem { w: Int::I32, .. } => {
                let (x, y) = self.both(&args, depth, ways)?;
                y.uniform().then(|| same(x.offsets)).flatten()
            }
            Op::Select { .. } => {
                let x = self.way(args[1], depth - 1, ways);
                let y = self.way(args[2], depth - 1, ways);
                let decided = self.decidable(args[0], depth - 1, ways);
                match (x, y) {
                    _ if !decided => None,
                    (Some(x), Some(y)) if x.offsets == y.offsets => same(x.offsets),
                    (Some(x), Some(y)) if y.uniform() && !x.uniform() => arm(1, x),
                    (Some(x), Some(y)) if x.uniform() && !y.uniform() => arm(2, y),
                    (Some(x), None) => arm(1, x),
                    (None, Some(y)) => arm(2, y),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn both(&self, args: &[Value], depth: u32, ways: &mut Ways) -> Option<(Known, Known)> {
        let x = self.way(args[0], depth - 1, ways)?;
        let y = self.way(args[1], depth - 1, ways)?;
        Some((x, y))
    }

    /// Whether scalar code can tell that a predicate is the same in all lanes.
    fn decidable(&self, pred: Value, depth: u32, ways: &mut Ways) -> bool {
        let f = self.f;
        if self.plan.temporal(self.flow, pred, self.block) {
            return false;
        }
        if self.plan.shapes.shape(pred) == UNIFORM {
            return f.as_const(pred).is_some() || self.readable(pred);
        }
        let Some(inst) = f.def_inst(pred).filter(|_| depth > 0) else {
            return false;
        };
        let args = f.args(inst).to_vec();
        match f.insts[inst].op {
            Op::ICmp { w: Int::I32, .. } => self.both(&args, depth, ways).is_some(),
            Op::And { ty: Ty::Pred } | Op::Or { ty: Ty::Pred } => {
                args.iter().all(|&a| self.decidable(a, depth - 1, ways))
            }
            Op::Not { ty: Ty::Pred } => self.decidable(args[0], depth - 1, ways),
            _ => false,
        }
    }

    /// The first lane's value; what must hold for the others is added to the tests.
    fn first_lane(&mut self, value: Value, ways: &Ways, made: &mut Made) -> V {
        if let Some(&v) = made.values.get(&value) {
            return v;
        }
        let t = self.int(self.f.ty(value));
        let poison = self.b.poison(t);
        let Some(Some(known)) = ways.get(&value) else {
            return poison;
        };
        let v = match (known.way, self.f.def_inst(value)) {
            (Way::Leaf, _) => self.scalar(value),
            (Way::Same | Way::Arm(_), None) => poison,
            (way, Some(inst)) => {
                let args = self.f.args(inst).to_vec();
                match (self.f.insts[inst].op, way) {
                    (Op::Select { .. }, Way::Arm(n)) => {
                        let test = self.all_lanes(args[0], n == 1, ways, made);
                        made.tests.push(test);
                        self.first_lane(args[n], ways, made)
                    }
                    (Op::Select { .. }, _) => {
                        let yes = self.all_lanes(args[0], true, ways, made);
                        let no = self.all_lanes(args[0], false, ways, made);
                        let either = self.b.or(yes, no);
                        made.tests.push(either);
                        let x = self.first_lane(args[1], ways, made);
                        let y = self.first_lane(args[2], ways, made);
                        self.b.select(yes, x, y)
                    }
                    (op, Way::Arm(n)) => self.first_of_extreme(op, &args, n, ways, made),
                    (op, _) => self.first_by_operation(op, &args, known, ways, made),
                }
            }
        };
        made.values.insert(value, v);
        v
    }

    /// The first lane's bounds as 64-bit integers; that none of the lanes wraps is tested.
    fn wide(&mut self, value: Value, sign: Sign, ways: &Ways, made: &mut Made) -> V {
        let first = self.first_lane(value, ways, made);
        let i64 = self.b.i64;
        let wide = match sign {
            Sign::Signed => self.b.sext(first, i64),
            Sign::Unsigned => self.b.zext(first, i64),
        };
        let Some(Some(known)) = ways.get(&value) else {
            return wide;
        };
        let (low, high) = known.bounds();
        let (least, most) = match sign {
            Sign::Signed => (LEAST, MOST),
            Sign::Unsigned => (0, WIDE),
        };
        let mut test = |g: &mut Self, cmp: Icmp, bound: i64| {
            let bound = g.b.c(i64, bound.cast_unsigned());
            let test = g.b.icmp(cmp, wide, bound);
            made.tests.push(test);
        };
        if high > 0 {
            test(self, Icmp::LLVMIntSLE, most - high);
        }
        if low < 0 {
            test(self, Icmp::LLVMIntSGE, least - low);
        }
        wide
    }

    /// `min` and `max` where every lane gives operand `n`.
    fn first_of_extreme(
        &mut self,
        op: Op,
        args: &[Value],
        n: usize,
        ways: &Ways,
        made: &mut Made,
    ) -> V {
        let (least, sign) = match op {
            Op::Min { sign, .. } => (true, sign),
            Op::Max { sign, .. } => (false, sign),
            _ => return self.b.poison(self.b.i32),
        };
        let mine = self.wide(args[n], sign, ways, made);
        let other = self.wide(args[1 - n], sign, ways, made);
        let (low, high) = match ways.get(&args[n]) {
            Some(Some(known)) => known.bounds(),
            _ => (0, 0),
        };
        let i64 = self.b.i64;
        let (cmp, by) = if least {
            (Icmp::LLVMIntSLE, high)
        } else {
            (Icmp::LLVMIntSGE, low)
        };
        let extreme = self.b.add(mine, self.b.c(i64, by.cast_unsigned()));
        let test = self.b.icmp(cmp, extreme, other);
        made.tests.push(test);
        self.first_lane(args[n], ways, made)
    }

    fn first_by_operation(
        &mut self,
        op: Op,
        args: &[Value],
        known: &Known,
        ways: &Ways,
        made: &mut Made,
    ) -> V {
        let (i32, i64) = (self.b.i32, self.b.i64);
        let (low, high) = known.bounds();
        match op {
            Op::Sext { to, .. } => {
                let x = self.wide(args[0], Sign::Signed, ways, made);
                self.b.sext(x, self.int(to))
            }
            Op::Zext { to, .. } => {
                let x = self.wide(args[0], Sign::Unsigned, ways, made);
                self.b.sext(x, self.int(to))
            }
            Op::Trunc { .. } => {
                let x = self.first_lane(args[0], ways, made);
                self.b.zext(x, i32)
            }
            Op::MulWide { w, sign } => {
                let x = self.wide(args[0], sign, ways, made);
                let y = self.wide(args[1], sign, ways, made);
                let product = self.b.mul(x, y);
                self.b.sext(product, self.int(w.wide()))
            }
            Op::Shl { .. } => {
                let x = self.first_lane(args[0], ways, made);
                let by = self.f.as_const(args[1]).unwrap_or(0);
                self.b.shl(x, self.same(x, by))
            }
            Op::And { .. } => {
                let x = self.first_lane(args[0], ways, made);
                let mask = self.f.as_const(args[1]).unwrap_or(0);
                let r = self.b.and(x, self.b.c(i32, mask));
                self.inside(r, low, high, self.b.c(i32, mask + 1), made);
                r
            }
            Op::Rem { sign, .. } => {
                let x = self.wide(args[0], sign, ways, made);
                let y = self.wide(args[1], sign, ways, made);
                let (zero, one) = (self.b.c(i64, 0), self.b.c(i64, 1));
                // With a divisor below one, and for negative numbers, lanes do not go round.
                let good = self.b.icmp(Icmp::LLVMIntSGT, y, zero);
                let least = self.b.add(x, self.b.c(i64, low.cast_unsigned()));
                let positive = self.b.icmp(Icmp::LLVMIntSGE, least, zero);
                made.tests.push(good);
                made.tests.push(positive);
                let y = self.b.select(good, y, one);
                let (x, y) = (self.b.zext(x, i32), self.b.zext(y, i32));
                let r = self.b.bin(super::build::Opcode::LLVMURem, x, y);
                self.inside(r, low, high, y, made);
                r
            }
            Op::Add { .. } | Op::Sub { .. } | Op::Mul { .. } => {
                let x = self.first_lane(args[0], ways, made);
                let y = self.first_lane(args[1], ways, made);
                match op {
                    Op::Add { .. } => self.b.add(x, y),
                    Op::Sub { .. } => self.b.sub(x, y),
                    _ => self.b.mul(x, y),
                }
            }
            Op::Min { sign, .. } | Op::Max { sign, .. } => {
                let x = self.first_lane(args[0], ways, made);
                let y = self.first_lane(args[1], ways, made);
                let name = match (matches!(op, Op::Min { .. }), sign) {
                    (true, Sign::Signed) => "llvm.smin",
                    (true, Sign::Unsigned) => "llvm.umin",
                    (false, Sign::Signed) => "llvm.smax",
                    (false, Sign::Unsigned) => "llvm.umax",
                };
                self.b.intr(name, &[x, y])
            }
            _ => self.b.poison(i64),
        }
    }

    /// Tests that `first + low` is not negative and `first + high` below a limit, all `i32` and unsigned.
    fn inside(&mut self, first: V, low: i64, high: i64, limit: V, made: &mut Made) {
        let i64 = self.b.i64;
        let (first, limit) = (self.b.zext(first, i64), self.b.zext(limit, i64));
        let top = self.b.add(first, self.b.c(i64, high.cast_unsigned()));
        let test = self.b.icmp(Icmp::LLVMIntSLT, top, limit);
        made.tests.push(test);
        if low < 0 {
            let bottom = self.b.c(i64, low.wrapping_neg().cast_unsigned());
            let test = self.b.icmp(Icmp::LLVMIntSGE, first, bottom);
            made.tests.push(test);
        }
    }

    /// Whether a predicate is surely `want` in all lanes.
    fn all_lanes(&mut self, pred: Value, want: bool, ways: &Ways, made: &mut Made) -> V {
        if self.plan.shapes.shape(pred) == UNIFORM {
            let v = self.scalar(pred);
            let v = self.b.zext(v, self.b.i1);
            return if want { v } else { self.b.not(v) };
        }
        let never = self.b.c(self.b.i1, 0);
        let Some(inst) = self.f.def_inst(pred) else {
            return never;
        };
        let args = self.f.args(inst).to_vec();
        match self.f.insts[inst].op {
            Op::Not { .. } => self.all_lanes(args[0], !want, ways, made),
            op @ (Op::And { .. } | Op::Or { .. }) => {
                let x = self.all_lanes(args[0], want, ways, made);
                let y = self.all_lanes(args[1], want, ways, made);
                if matches!(op, Op::And { .. }) == want {
                    self.b.and(x, y)
                } else {
                    self.b.or(x, y)
                }
            }
            Op::ICmp { cmp, .. } => {
                let cmp = if want { cmp } else { cmp.opposite() };
                self.all_compare(cmp, args[0], args[1], ways, made)
            }
            _ => never,
        }
    }

    /// Whether a comparison surely holds in all lanes.
    fn all_compare(&mut self, cmp: IntCmp, x: Value, y: Value, ways: &Ways, made: &mut Made) -> V {
        let (i32, i64) = (self.b.i32, self.b.i64);
        let distances = match (ways.get(&x), ways.get(&y)) {
            (Some(Some(a)), Some(Some(b))) => zip(b, a, i64::wrapping_sub),
            _ => return self.b.c(self.b.i1, 0),
        };
        let low = distances.iter().copied().min().unwrap_or(0);
        let high = distances.iter().copied().max().unwrap_or(0);
        if high.checked_sub(low).is_none_or(|span| span > WIDE) {
            return self.b.c(self.b.i1, 0);
        }
        let sign = match cmp {
            IntCmp::Eq | IntCmp::Ne => {
                // x - y, which may wrap, is none of the distances; or the only one.
                let a = self.first_lane(x, ways, made);
                let b = self.first_lane(y, ways, made);
                let d = self.b.sub(a, b);
                let from = self.b.c(i32, low.cast_unsigned() & 0xffff_ffff);
                let d = self.b.sub(d, from);
                let span = self.b.c(i32, (high - low).cast_unsigned() & 0xffff_ffff);
                return if cmp == IntCmp::Ne {
                    self.b.icmp(Icmp::LLVMIntUGT, d, span)
                } else if low == high {
                    self.b.icmp(Icmp::LLVMIntEQ, d, self.b.c(i32, 0))
                } else {
                    self.b.c(self.b.i1, 0)
                };
            }
            IntCmp::Slt | IntCmp::Sle | IntCmp::Sgt | IntCmp::Sge => Sign::Signed,
            IntCmp::Ult | IntCmp::Ule | IntCmp::Ugt | IntCmp::Uge => Sign::Unsigned,
        };
        let a = self.wide(x, sign, ways, made);
        let b = self.wide(y, sign, ways, made);
        let d = self.b.sub(a, b);
        let (cmp, bound) = match cmp {
            IntCmp::Slt | IntCmp::Ult => (Icmp::LLVMIntSLT, low),
            IntCmp::Sle | IntCmp::Ule => (Icmp::LLVMIntSLE, low),
            IntCmp::Sgt | IntCmp::Ugt => (Icmp::LLVMIntSGT, high),
            IntCmp::Sge | IntCmp::Uge | IntCmp::Eq | IntCmp::Ne => (Icmp::LLVMIntSGE, high),
        };
        self.b.icmp(cmp, d, self.b.c(i64, bound.cast_unsigned()))
    }
}

fn arm(n: usize, known: Known) -> Option<Known> {
    Some(Known {
        offsets: known.offsets,
        way: Way::Arm(n),
    })
}

fn zip(x: &Known, y: &Known, f: impl Fn(i64, i64) -> i64) -> Vec<i64> {
    let pairs = x.offsets.iter().zip(&y.offsets);
    pairs.map(|(&a, &b)| f(a, b)).collect()
}

fn scaled(x: &Known, by: i64) -> Vec<i64> {
    x.offsets.iter().map(|o| o.wrapping_mul(by)).collect()
}
