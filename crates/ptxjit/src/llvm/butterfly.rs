//! Accesses whose index is exchanged by exclusive or: `base[i ^ j]`, where `i` numbers the lanes and `j` is the same for
//! all, as sorting networks, fast transforms and reductions have them.
//!
//! The lanes of such an access fill an aligned window of as many elements, in an order that the low bits of `j` give:
//! element `l ^ j` for lane `l`. So it is a contiguous access and a permutation, whatever `j` is: instead of a gather or a
//! scatter, each register of the window is taken from where it lies and its elements are exchanged in place.

use super::build::{Icmp, T, V};
use super::emit::{Gen, Mask};
use super::memory::Address;
use super::shape::Shape;
use super::target::Level;
use super::writeback::{Known, Registers};
use crate::ir::{Access, Id, Int, Op, Sign, Space, Ty, Value};
use abi::sm::CtaContext;
use std::mem::offset_of;

/// Bytes of a register, at least.
const REGISTER: u32 = 32;

/// Such an access, at hand.
#[derive(Clone, Copy)]
pub(super) struct Butterfly {
    /// First byte of the window.
    window: V,
    /// What numbers of words (of 32 bits) in the window are exclusive-or'ed with, `i32`.
    turn: V,
    /// Words of a register.
    words: u32,
}

/// The parts of an address.
pub(super) struct Parts {
    /// What is the same for all lanes.
    addends: Vec<Value>,
    /// Lane numbers, from a base.
    lanes: Value,
    /// What they are exchanged by.
    by: Value,
    /// Bytes per unit of the index.
    scale: u64,
    /// How the index becomes 64 bits.
    sign: Sign,
}

impl Gen<'_, '_> {
    /// Whether an access is of this kind, and then where it goes.
    pub(super) fn butterfly(&mut self, value: Value, access: &Access) -> Option<Butterfly> {
        let bytes = access.bytes();
        if self.level < Level::Avx2
            || access.lanes != 1
            || !matches!(bytes, 4 | 8)
            || !matches!(access.space, Space::Global | Space::Generic | Space::Shared)
            || self.w * bytes < REGISTER
            || self.shape(value) != Shape::Varying
        {
            return None;
        }
        let parts = self.exchanged(value, access.space == Space::Shared)?;
        // Consecutive lanes from an aligned base: the exchange stays inside the window but for the high bits.
        let Shape::Affine(pattern) = self.shape(parts.lanes) else {
            return None;
        };
        let step = u64::from(bytes) / parts.scale;
        let offsets = &self.plan.shapes.patterns[pattern];
        let consecutive = (0..u64::from(self.w))
            .zip(offsets)
            .all(|(l, &o)| Some(l * step) == u64::try_from(o).ok());
        if step * parts.scale != u64::from(bytes) || !step.is_power_of_two() || !consecutive {
            return None;
        }
        let span = u64::from(self.w) * step;
        let zeros = |v: Value| self.plan.shapes.zeros[v.index()];
        if zeros(parts.lanes) < span.trailing_zeros() || zeros(parts.by) < step.trailing_zeros() {
            return None;
        }
        let mut addends = Vec::new();
        for &v in &parts.addends {
            addends.push(self.again(v)?);
        }
        let (lanes, by) = (self.again(parts.lanes)?, self.again(parts.by)?);
        let (i32, i64) = (self.b.i32, self.b.i64);
        let t = self.b.type_of(lanes);
        let high = self.b.xor(lanes, by);
        let high = self.b.and(high, self.b.c(t, !(span - 1)));
        let turn = self.b.and(by, self.b.c(t, span - 1));
        let turn = self
            .b
            .lshr(turn, self.b.c(t, u64::from(step.trailing_zeros())));
        let turn = self.b.zext(turn, i32);
        let turn = self.b.mul(turn, self.b.c(i32, u64::from(bytes / 4)));
        let window = if access.space == Space::Shared {
            let mut at = self.b.mul(high, self.b.c(i32, parts.scale));
            for v in addends {
                at = self.b.add(at, v);
            }
            let at = self.b.sext(at, i64);
            let base = self.field(offset_of!(CtaContext, shared), self.b.ptr);
            self.b.gep8(base, at)
        } else {
            let high = match parts.sign {
                Sign::Signed => self.b.sext(high, i64),
                Sign::Unsigned => self.b.zext(high, i64),
            };
            let at = self.b.mul(high, self.b.c(i64, parts.scale));
            let (&first, rest) = addends.split_first()?;
            let mut base = first;
            for &v in rest {
                base = self.b.add(base, v);
            }
            let base = self.b.bitcast(base, self.b.ptr);
            self.b.gep8(base, at)
        };
        let window = self.b.offset(window, i64::from(access.offset));
        let words = (self.level.vector_bits() / 32).min(self.w * bytes / 4);
        Some(Butterfly {
            window,
            turn,
            words,
        })
    }

    /// The window as an address, for what is checked of addresses.
    pub(super) fn window_address(&self, at: &Butterfly, bytes: u32) -> Address {
        let offsets = (0..i64::from(self.w))
            .map(|l| l * i64::from(bytes))
            .collect();
        Address::Affine(at.window, offsets)
    }

    /// Takes an address apart.
    pub(super) fn exchanged(&self, value: Value, narrow: bool) -> Option<Parts> {
        let mut addends = Vec::new();
        let (mut at, mut scale, mut sign) = (value, 1u64, Sign::Signed);
        let mut wide = !narrow;
        for _ in 0..8 {
            let inst = self.f.def_inst(at)?;
            let args = self.f.args(inst);
            let constant = |i: usize| self.f.as_const(args[i]);
            match self.f.insts[inst].op {
                // Only what is added to the whole address: 64 bits, or 32 in the shared window.
                Op::Add { w } if scale == 1 && (w == Int::I64) == wide => {
                    let (rest, addend) = if self.uniform(args[1]) {
                        (args[0], args[1])
                    } else if self.uniform(args[0]) {
                        (args[1], args[0])
                    } else {
                        return None;
                    };
                    addends.push(addend);
                    at = rest;
                }
                Op::MulWide {
                    w: Int::I32,
                    sign: s,
                } if wide => {
                    scale *= constant(1).filter(|&c| matches!(c, 1 | 2 | 4 | 8))?;
                    (sign, wide, at) = (s, false, args[0]);
                    // Nothing may be added below the extension.
                    if !matches!(self.f.insts[self.f.def_inst(at)?].op, Op::Xor { .. }) {
                        return None;
                    }
                }
                Op::Shl { w } if (w == Int::I64) == wide && w != Int::I16x2 => {
                    scale <<= constant(1).filter(|&c| c <= 3)?;
                    at = args[0];
                }
                Op::Mul { w } if (w == Int::I64) == wide && w != Int::I16x2 => {
                    scale *= constant(1).filter(|&c| matches!(c, 1 | 2 | 4 | 8))?;
                    at = args[0];
                }
                Op::Sext {
                    from: Ty::B32,
                    to: Ty::B64,
                } if wide => (sign, wide, at) = (Sign::Signed, false, args[0]),
                Op::Zext {
                    from: Ty::B32,
                    to: Ty::B64,
                } if wide => (sign, wide, at) = (Sign::Unsigned, false, args[0]),
                Op::Xor {
                    ty: Ty::B32 | Ty::B64,
                } => {
                    let (lanes, by) = if self.uniform(args[1]) {
                        (args[0], args[1])
                    } else if self.uniform(args[0]) {
                        (args[1], args[0])
                    } else {
                        return None;
                    };
                    if addends.is_empty() && !narrow || !matches!(scale, 1 | 2 | 4 | 8) {
                        return None;
                    }
                    return Some(Parts {
                        addends,
                        lanes,
                        by,
                        scale,
                        sign,
                    });
                }
                _ => return None,
            }
        }
        None
    }

    /// A uniform value or an affine one's base that was made before the code at hand, if it can still be read.
    pub(super) fn again(&mut self, value: Value) -> Option<V> {
        if self.readable(value) {
            return Some(self.scalar(value));
        }
        let inst = self.f.def_inst(value)?;
        match self.f.insts[inst].op {
            Op::Load { access } if access.space == Space::Param && access.lanes == 1 => {
                let at = self.f.as_const(self.f.args(inst)[0])?;
                let at = u32::try_from(at).ok()?.wrapping_add_signed(access.offset);
                let t = self.int(access.elem);
                (access.elem == self.f.ty(value))
                    .then(|| self.parameter(at, t, access.elem.bytes()))
            }
            _ => None,
        }
    }

    /// The order of a register's words.
    fn turned(&mut self, at: &Butterfly) -> (V, V) {
        let (i32, n) = (self.b.i32, at.words);
        let low = self.b.and(at.turn, self.b.c(i32, u64::from(n - 1)));
        let low = self.b.splat(low, n);
        let order = self.b.xor(self.b.ints(i32, 0..u64::from(n)), low);
        let bits = self.b.c(i32, u64::from(n.trailing_zeros()));
        (order, self.b.lshr(at.turn, bits))
    }

    /// Where register `k` of the lanes lies.
    fn register(&mut self, at: &Butterfly, k: u32, high: V) -> V {
        let i64 = self.b.i64;
        let which = self.b.xor(high, self.b.c(self.b.i32, u64::from(k)));
        let which = self.b.zext(which, i64);
        let bytes = self.b.mul(which, self.b.c(i64, u64::from(at.words) * 4));
        self.b.gep8(at.window, bytes)
    }

    /// The words of a register in an order of their own.
    fn exchange_words(&mut self, v: V, order: V) -> V {
        let words = self.b.type_of(order);
        let name = match self.b.lanes_of(words) {
            16 => "llvm.x86.avx512.permvar.si.512",
            _ => "llvm.x86.avx2.permd",
        };
        let t = self.b.type_of(v);
        let v = self.b.bitcast(v, words);
        let v = self.b.intrinsic(name, &[], &[v, order]);
        self.b.bitcast(v, t)
    }

    /// The lanes of register `k` that a mask names, in the order of memory.
    fn exchange_mask(&mut self, m: V, k: u32, lanes: u32, elem: T, order: V) -> V {
        let m = self.mask_part(m, k * lanes, lanes, elem);
        self.exchange_words(m, order)
    }

    /// Loads, by lane.
    pub(super) fn load_butterfly(&mut self, at: &Butterfly, t: T, size: u32, mask: Mask) -> V {
        let lanes = at.words * 4 / size;
        let elem = if size == 4 { self.b.i32 } else { self.b.i64 };
        let (order, high) = self.turned(at);
        let mut parts = Vec::new();
        for k in 0..self.w / lanes {
            let p = self.register(at, k, high);
            let v = match mask {
                Mask::Full => self.b.load(self.b.vec(elem, lanes), p, size),
                Mask::Some(m) => {
                    let m = self.exchange_mask(m, k, lanes, elem, order);
                    self.load_of_signs(p, m)
                }
            };
            parts.push(self.exchange_words(v, order));
        }
        let v = self.b.concat(&parts);
        self.b.bitcast(v, self.vt(t))
    }

    /// Stores, by lane.
    pub(super) fn store_butterfly(
        &mut self,
        at: &Butterfly,
        v: V,
        size: u32,
        mask: Mask,
        known: Option<&Known>,
    ) {
        let lanes = at.words * 4 / size;
        let elem = if size == 4 { self.b.i32 } else { self.b.i64 };
        let (order, high) = self.turned(at);
        let v = self.b.bitcast(v, self.vt(elem));
        if let (Mask::Some(m), Some(known)) = (mask, known) {
            let registers = Registers {
                place: &|g, k| g.register(at, k, high),
                turned: &|g, part| g.exchange_words(part, order),
                some: &|g, k| {
                    let m = g.exchange_mask(m, k, lanes, elem, order);
                    let part = g.b.part(v, k * lanes, lanes);
                    let part = g.exchange_words(part, order);
                    let p = g.register(at, k, high);
                    g.store_of_signs(p, m, part);
                },
            };
            self.store_known(known, v, size, m, &registers);
            return;
        }
        for k in 0..self.w / lanes {
            let p = self.register(at, k, high);
            let part = self.b.part(v, k * lanes, lanes);
            let part = self.exchange_words(part, order);
            match mask {
                Mask::Full => self.b.store(part, p, size),
                Mask::Some(m) => {
                    let m = self.exchange_mask(m, k, lanes, elem, order);
                    self.store_of_signs(p, m, part);
                }
            }
        }
    }

    /// Loads the elements of a register whose mask element is negative; the others are 0 or anything.
    fn load_of_signs(&mut self, p: V, m: V) -> V {
        let t = self.b.type_of(m);
        let size = self.b.bits_of(t) / 8;
        if self.level == Level::Avx512 {
            let bits = self.b.icmp(Icmp::LLVMIntSLT, m, self.b.zero(t));
            let (align, none) = (self.b.c(self.b.i32, u64::from(size)), self.b.poison(t));
            return self.b.intrinsic(
                "llvm.masked.load",
                &[t, self.b.ptr],
                &[p, align, bits, none],
            );
        }
        let name = match size {
            4 => "llvm.x86.avx2.maskload.d.256",
            _ => "llvm.x86.avx2.maskload.q.256",
        };
        self.b.intrinsic(name, &[], &[p, m])
    }

    /// Stores the elements of a register whose mask element is negative.
    fn store_of_signs(&mut self, p: V, m: V, v: V) {
        let t = self.b.type_of(m);
        let size = self.b.bits_of(t) / 8;
        if self.level == Level::Avx512 {
            let bits = self.b.icmp(Icmp::LLVMIntSLT, m, self.b.zero(t));
            let align = self.b.c(self.b.i32, u64::from(size));
            self.b
                .intrinsic("llvm.masked.store", &[t, self.b.ptr], &[v, p, align, bits]);
            return;
        }
        let name = match size {
            4 => "llvm.x86.avx2.maskstore.d.256",
            _ => "llvm.x86.avx2.maskstore.q.256",
        };
        self.b.intrinsic(name, &[], &[p, m, v]);
    }
}
