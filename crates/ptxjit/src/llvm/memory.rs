//! Loads, stores and generic addresses.
//!
//! Uniform addresses are scalar accesses, lane-contiguous ones vector accesses, the rest gathers or loops over lanes.
//! Alignment is checked once per access, on the base where that proves it for all lanes. Orders stronger than weak are
//! compiler fences around plain accesses: x86 keeps loads and stores in the order that PTX's acquire and release ask
//! for, and aligned accesses of up to 8 bytes are single copies in scalar and vector form.

use super::build::{ACQ_REL, Icmp, MONOTONIC, Opcode, SEQ_CST, T, V};
use super::emit::{Done, Gen, Mask};
use super::shape::{Shape, UNIFORM};
use super::target::Level;
use crate::image::{SLOT, Slot};
use crate::ir::{Access, Id, Inst, Int, Op, Order, Sign, Space, Symbol, Ty, Value};
use abi::sm::{CtaContext, space, trap};
use std::mem::offset_of;

/// Where the lanes of an access go.
#[derive(Clone, Debug)]
pub enum Address {
    /// All to one place.
    Uniform(V),
    /// A base plus constant offsets per lane, bytes.
    Affine(V, Vec<i64>),
    /// A base plus an index per lane (`<W x i32>`, sign-extended, or `<W x i64>`) times a scale of 1, 2, 4 or 8.
    Indexed(V, V, u64),
}

/// Vectors of a function that are put together from single loads; the rest are gathered, which takes a tenth of the
/// instructions.
const SINGLE_LOADS: u32 = 16;

/// Where the lanes of an access go, in memory: pointers, or indices and the base and unit that they count from.
pub(super) struct LanePlaces {
    base: Option<(V, T)>,
    pub(super) slot: V,
    pub(super) ty: T,
    elem: T,
}

/// Number of a space in line tables.
#[must_use]
pub const fn space_number(of: Space) -> u8 {
    match of {
        Space::Generic => space::GENERIC,
        Space::Global => space::GLOBAL,
        Space::Const => space::CONST,
        Space::Shared => space::SHARED,
        Space::Local => space::LOCAL,
        Space::Param => space::PARAM,
    }
}

impl Gen<'_, '_> {
    /// Generates a memory operation.
    ///
    /// # Errors
    /// What cannot be generated.
    pub fn memory(&mut self, inst: Inst) -> Done {
        let data = self.f.insts[inst];
        match data.op {
            Op::Load { access } => {
                self.place(data.loc, access.bytes(), space_number(access.space), 1);
                self.load(inst, access)
            }
            Op::Store { access } => {
                self.place(data.loc, access.bytes(), space_number(access.space), 2);
                self.store(inst, access)
            }
            Op::Atom { rmw, access } | Op::Red { rmw, access } => {
                self.place(data.loc, access.bytes(), space_number(access.space), 3);
                self.atomic(inst, rmw, access)
            }
            Op::Fence { order, .. } => {
                match order {
                    Order::SeqCst => self.b.fence(SEQ_CST),
                    _ => self.b.compiler_fence(ACQ_REL),
                }
                Ok(())
            }
            _ => self.refuse(data.op.to_string()),
        }
    }

    // Addresses.

    /// Address of a variable: from the image's address table.
    pub fn symbol_address(&mut self, symbol: Symbol) -> V {
        let slot = Slot {
            symbol: self.module.symbols[symbol].name.clone(),
            addend: 0,
        };
        let index = self
            .slots
            .iter()
            .position(|s| *s == slot)
            .unwrap_or_else(|| {
                self.slots.push(slot);
                self.slots.len() - 1
            });
        let i64 = self.b.i64;
        let key = (u64::MAX - index as u64, i64);
        if let Some(&v) = self.fields.get(&key) {
            return v;
        }
        let v = self.in_prologue(|g| {
            let p = g.b.hidden_extern(&format!("{SLOT}{index}"), i64);
            g.b.load_invariant(i64, p, 8)
        });
        self.fields.insert(key, v);
        v
    }

    /// Number of a lane's thread in the block, `<W x i32>`.
    fn threads(&mut self) -> V {
        if let Some(lane) = self.lane {
            let width = self.b.c(self.b.i32, u64::from(self.strip_lanes));
            let first = self.b.mul(self.strip, width);
            return self.b.add(first, lane);
        }
        let first = self
            .b
            .mul(self.strip, self.b.c(self.b.i32, u64::from(self.w)));
        let first = self.b.splat(first, self.w);
        let lanes = self.lane_ids();
        self.b.add(first, lanes)
    }

    /// Generic address of each lane's local memory plus an offset, `<W x i64>`.
    fn local_address(&mut self, value: Value, offset: i32) -> V {
        let i64 = self.b.i64;
        let wide = self.vt(i64);
        let threads = self.threads();
        let stride = self.field(offset_of!(CtaContext, local_stride), i64);
        let base = self.field(offset_of!(CtaContext, local), i64);
        let offsets = self.vector(value);
        let offsets = self.b.add(
            offsets,
            self.b
                .c(self.vt(self.b.i32), u64::from(offset.cast_unsigned())),
        );
        let offsets = self.b.zext(offsets, wide);
        let t = self.b.zext(threads, wide);
        let s = self.b.splat(stride, self.w);
        let p = self.b.mul(t, s);
        let base = self.b.splat(base, self.w);
        let p = self.b.add(p, base);
        self.b.add(p, offsets)
    }

    /// Traps if a lane of the mask would leave its local memory.
    fn check_local(&mut self, value: Value, offset: i32, bytes: u32, mask: Mask) {
        let size = self.local_bytes;
        let last = size.saturating_sub(bytes);
        if let Some(inst) = self.f.def_inst(value)
            && let Op::LocalAddr { slot } = self.f.insts[inst].op
            && self.frame_base.is_none()
        {
            let at = i64::from(self.f.locals[slot].offset) + i64::from(offset);
            if at >= 0 && at + i64::from(bytes) <= i64::from(size) {
                return;
            }
        }
        let at = self.vector(value);
        let at = self
            .b
            .add(at, self.same(at, u64::from(offset.cast_unsigned())));
        let bad = if size < bytes {
            self.b.ones(self.vt(self.b.i1))
        } else {
            self.b
                .icmp(Icmp::LLVMIntUGT, at, self.same(at, u64::from(last)))
        };
        let bad = self.mask_and(mask, bad);
        let any = self.any(bad);
        let (cold, after) = (self.b.block(self.function), self.b.block(self.function));
        self.b.cond(any, cold, after);
        self.b.at(cold);
        let lanes = self.mask_bits32(bad);
        let at = if self.w == 1 {
            at
        } else {
            let lane = self.last_lane(bad);
            self.b.extract_at(at, lane)
        };
        let at = self.b.zext(at, self.b.i64);
        self.trap(trap::OUT_OF_RANGE, lanes, at);
        self.b.at(after);
    }

    /// Where an access goes.
    fn address(&mut self, value: Value, of: Space, offset: i32, bytes: u32, mask: Mask) -> Address {
        let i64 = self.b.i64;
        let ptr = self.b.ptr;
        if of == Space::Local {
            self.check_local(value, offset, bytes, mask);
            let index = self.local_address(value, offset);
            if self.w == 1 {
                return Address::Uniform(self.b.bitcast(index, ptr));
            }
            let null = self.b.zero(ptr);
            return Address::Indexed(null, index, 1);
        }
        let offset = i64::from(offset);
        let base = match of {
            Space::Shared => Some(self.shared_base()),
            Space::Param => Some(self.field(offset_of!(CtaContext, params), ptr)),
            Space::Generic | Space::Global | Space::Const | Space::Local => None,
        };
        let shape = self.shape(value);
        if let Shape::Affine(pattern) = shape {
            let s = self.scalar(value);
            let p = match base {
                Some(base) => {
                    // A register below zero and a constant that brings it back: 32 bits, as gathers take them.
                    let s = self.b.sext(s, i64);
                    self.b.gep8(base, s)
                }
                None => self.b.bitcast(s, ptr),
            };
            let p = self.b.offset(p, offset);
            if shape == UNIFORM {
                return Address::Uniform(p);
            }
            return Address::Affine(p, self.plan.shapes.patterns[pattern].clone());
        }
        match base {
            Some(base) => {
                let base = self.b.offset(base, offset);
                let index = self.vector(value);
                Address::Indexed(base, index, 1)
            }
            None => {
                if let Some((base, index, scale)) = self.split(value) {
                    let base = self.b.bitcast(base, ptr);
                    let base = self.b.offset(base, offset);
                    return Address::Indexed(base, index, scale);
                }
                let index = self.vector(value);
                let null = self.b.zero(ptr);
                let base = self.b.offset(null, offset);
                Address::Indexed(base, index, 1)
            }
        }
    }

    /// Splits a varying 64-bit address into a scalar base and a scaled 32-bit index.
    fn split(&mut self, value: Value) -> Option<(V, V, u64)> {
        let inst = self.f.def_inst(value)?;
        let Op::Add { w: Int::I64 } = self.f.insts[inst].op else {
            return None;
        };
        let (x, y) = (self.f.args(inst)[0], self.f.args(inst)[1]);
        for (base, rest) in [(x, y), (y, x)] {
            if !self.uniform(base) {
                continue;
            }
            let Some(inner) = self.f.def_inst(rest) else {
                continue;
            };
            let args = self.f.args(inner);
            // The index, its scale, and the value that is made of it.
            let found = match self.f.insts[inner].op {
                Op::MulWide {
                    w: Int::I32,
                    sign: Sign::Signed,
                } => {
                    let c = self.f.as_const(args[1]);
                    c.filter(|c| matches!(c, 1 | 2 | 4 | 8))
                        .map(|c| (args[0], c, rest))
                }
                Op::Shl { w: Int::I64 } => {
                    let c = self.f.as_const(args[1]).filter(|&c| c <= 3);
                    let wide = self.f.def_inst(args[0]);
                    match (c, wide) {
                        (Some(c), Some(wide)) => match self.f.insts[wide].op {
                            Op::Sext {
                                from: Ty::B32,
                                to: Ty::B64,
                            } => Some((self.f.args(wide)[0], 1 << c, args[0])),
                            _ => None,
                        },
                        _ => None,
                    }
                }
                Op::Sext {
                    from: Ty::B32,
                    to: Ty::B64,
                } => Some((args[0], 1, rest)),
                _ => None,
            };
            if let Some((index, scale, made)) = found
                && (self.has_read(index, made) || self.defined_here_or_stable(index))
            {
                let base = self.scalar(base);
                let index = self.vector(index);
                return Some((base, index, scale));
            }
        }
        None
    }

    /// Whether the block at hand has just made a value of an index.
    fn has_read(&self, index: Value, made: Value) -> bool {
        self.plan.defs[made.index()] == Some(self.block)
            && !self.straight
            && !self.hidden.contains(&index)
    }

    /// Whether a value can be read here as it was when the address was made: not a value of a loop that was left.
    fn defined_here_or_stable(&self, value: Value) -> bool {
        match self.plan.defs[value.index()] {
            Some(def) => def == self.block && !self.hidden.contains(&value),
            None => true,
        }
    }

    /// The highest set lane of a mask that is not empty, `i32`.
    pub fn last_lane(&mut self, mask: Mask) -> V {
        match mask {
            Mask::Full => self.b.c(self.b.i32, u64::from(self.w - 1)),
            Mask::Some(_) => {
                let bits = self.mask_bits32(mask);
                let z =
                    self.b
                        .intrinsic("llvm.ctlz", &[self.b.i32], &[bits, self.b.c(self.b.i1, 1)]);
                self.b.xor(z, self.b.c(self.b.i32, 31))
            }
        }
    }

    /// Pointers by lane, `<W x ptr>`.
    pub fn pointers(&mut self, address: &Address) -> V {
        let i64 = self.b.i64;
        match address {
            Address::Uniform(p) => self.b.splat(*p, self.w),
            Address::Affine(p, offsets) => {
                let o = self.b.ints(i64, offsets.iter().map(|o| o.cast_unsigned()));
                self.b.gep(self.b.i8, *p, &[o])
            }
            // Nothing is known of what lies behind a null pointer, not even that it is memory.
            Address::Indexed(p, index, 1)
                if self.b.is_const(*p) && self.b.bits_of(self.b.type_of(*index)) == 64 =>
            {
                let base = self.b.bitcast(*p, i64);
                let base = self.b.splat(base, self.w);
                let at = self.b.add(base, *index);
                self.b.bitcast(at, self.vt(self.b.ptr))
            }
            Address::Indexed(p, index, scale) => {
                let elem = self.b.int(8 * u32::try_from(*scale).unwrap_or(1));
                self.b.gep(elem, *p, &[*index])
            }
        }
    }

    /// The same access, some bytes further.
    fn further(&self, address: &Address, bytes: u32) -> Address {
        let bytes = i64::from(bytes);
        match address {
            Address::Uniform(p) => Address::Uniform(self.b.offset(*p, bytes)),
            Address::Affine(p, o) => Address::Affine(self.b.offset(*p, bytes), o.clone()),
            Address::Indexed(p, i, s) => Address::Indexed(self.b.offset(*p, bytes), *i, *s),
        }
    }

    // Loads.

    fn elem_type(&self, access: &Access, value: Option<Value>) -> T {
        match value
            .filter(|&v| self.keeps_float(v))
            .and(self.float_type(access.elem))
        {
            Some(t) => t,
            None => self.int(access.elem),
        }
    }

    fn load(&mut self, inst: Inst, access: Access) -> Done {
        let f = self.f;
        let results: Vec<Value> = f.results(inst).collect();
        let addr = f.args(inst)[0];
        let types: Vec<T> = results
            .iter()
            .map(|&r| self.elem_type(&access, Some(r)))
            .collect();
        // Parameters: once per call, before everything.
        if access.space == Space::Param
            && let Some(at) = f.as_const(addr)
        {
            let at = u32::try_from(at)
                .unwrap_or(0)
                .wrapping_add_signed(access.offset);
            for (k, (&r, &t)) in results.iter().zip(&types).enumerate() {
                let at = at + u32::try_from(k).unwrap_or(0) * access.elem.bytes();
                let v = self.parameter(at, t, access.elem.bytes());
                self.set(r, v);
            }
            return Ok(());
        }
        if self.brought_along(inst, results[0]) {
            return Ok(());
        }
        let guard = f.insts[inst].guard;
        let mask = self.guarded(guard);
        let butterfly = self.butterfly(addr, &access);
        let address = match &butterfly {
            Some(at) => self.window_address(at, access.bytes()),
            None => self.address(addr, access.space, access.offset, access.bytes(), mask),
        };
        let strong = access.order != Order::Weak;
        if strong {
            self.b.compiler_fence(ACQ_REL);
        }
        let uniform_result = self.plan.shapes.shape(results[0]) == UNIFORM;
        let make = |g: &mut Self| -> Vec<V> {
            if let Some(at) = &butterfly {
                g.check_alignment(&address, access.bytes(), mask);
                return vec![g.load_butterfly(at, types[0], access.bytes(), mask)];
            }
            if let Address::Affine(p, offsets) = &address
                && let Some(lanes) = g.wrapped(addr)
            {
                let at = (*p, offsets.as_slice());
                let size = access.elem.bytes();
                return g.unless_wrapped(lanes, addr, at, size, &types, None, mask, |g| {
                    g.load_lanes(&address, &access, &types, mask, false)
                });
            }
            if let Some((is, at)) = g.guess(addr, &access, &address) {
                return g.two_ways(
                    is,
                    |g| {
                        g.check_access(addr, &access, &at, mask);
                        g.load_lanes(&at, &access, &types, mask, false)
                    },
                    |g| {
                        g.check_access(addr, &access, &address, mask);
                        g.load_lanes(&address, &access, &types, mask, false)
                    },
                );
            }
            g.check_once(addr, &access, &address, mask);
            if let Some(v) = g.load_by_rows(inst, &access, &address, mask) {
                return vec![g.b.bitcast(v, g.vt(types[0]))];
            }
            g.load_lanes(&address, &access, &types, mask, uniform_result)
        };
        let values = if guard.is_some() {
            let any = self.any(mask);
            self.either_many(any, make)
        } else {
            make(self)
        };
        if strong {
            self.b.compiler_fence(ACQ_REL);
        } else if butterfly.is_none() && self.fetches_ahead(mask) {
            self.prefetch(access.space, addr, &address, access.bytes(), true);
        }
        for (r, v) in results.into_iter().zip(values) {
            self.set(r, v);
        }
        Ok(())
    }

    /// Whether code under a mask fetches memory ahead. Loops have copies without masks for that.
    fn fetches_ahead(&self, mask: Mask) -> bool {
        matches!(mask, Mask::Full) || self.flow.loop_of[self.block].is_none()
    }

    pub(super) fn parameter(&mut self, at: u32, t: T, align: u32) -> V {
        if let Some(&v) = self.invariant_params.get(&(at, t)) {
            return v;
        }
        let params = self.field(offset_of!(CtaContext, params), self.b.ptr);
        let v = self.in_prologue(|g| {
            let p = g.b.offset(params, i64::from(at));
            g.b.load_invariant(t, p, align.min(4))
        });
        self.invariant_params.insert((at, t), v);
        v
    }

    /// Values that are made only if `cond` holds; poison otherwise.
    fn either_many(&mut self, cond: V, make: impl FnOnce(&mut Self) -> Vec<V>) -> Vec<V> {
        let (yes, after) = (self.b.block(self.function), self.b.block(self.function));
        let from = self.b.here();
        self.b.cond(cond, yes, after);
        self.b.at(yes);
        self.conditional += 1;
        let values = make(self);
        self.conditional -= 1;
        let last = self.b.here();
        self.b.br(after);
        self.b.at(after);
        values
            .into_iter()
            .map(|v| {
                let t = self.b.type_of(v);
                let phi = self.b.phi(t);
                self.b.incoming(phi, v, last);
                self.b.incoming(phi, self.b.poison(t), from);
                phi
            })
            .collect()
    }

    fn load_lanes(
        &mut self,
        address: &Address,
        access: &Access,
        types: &[T],
        mask: Mask,
        uniform_result: bool,
    ) -> Vec<V> {
        let size = access.elem.bytes();
        let n = u32::from(access.lanes);
        match address {
            Address::Uniform(p) => {
                let p = *p;
                types
                    .iter()
                    .enumerate()
                    .map(|(k, &t)| {
                        let k = u32::try_from(k).unwrap_or(0);
                        let q = self.b.offset(p, i64::from(k * size));
                        let align = if k == 0 {
                            (n * size).min(16)
                        } else {
                            size.min(16)
                        };
                        let v = if access.order != Order::Weak && size <= 8 {
                            let int = self.int(access.elem);
                            let v = self.b.load_atomic(int, q, size, MONOTONIC);
                            self.b.bitcast(v, t)
                        } else if access.invariant {
                            self.b.load_invariant(t, q, align)
                        } else {
                            self.b.load(t, q, align)
                        };
                        if uniform_result {
                            v
                        } else {
                            self.b.splat(v, self.w)
                        }
                    })
                    .collect()
            }
            Address::Affine(p, offsets) if contiguous(offsets, access.bytes()) => {
                let p = *p;
                if n == 1 {
                    return vec![self.load_contiguous(p, types[0], size, mask)];
                }
                let fast = |g: &mut Self| -> Vec<V> {
                    if g.by_registers(n, size) {
                        return g.load_fours(p, types);
                    }
                    let wide = g.b.vec(types[0], g.w * n);
                    let big = g.b.load(wide, p, (n * size).min(16));
                    (0..n)
                        .map(|k| {
                            let pick: Vec<i32> =
                                (0..g.w).map(|l| (l * n + k).cast_signed()).collect();
                            let v = g.b.shuffle(big, g.b.poison(wide), &pick);
                            g.b.bitcast(v, g.vt(types[k as usize]))
                        })
                        .collect()
                };
                match mask {
                    Mask::Full => fast(self),
                    Mask::Some(_) => {
                        let whole = self.row_is_there(p, n * size, mask);
                        self.two_ways(whole, fast, |g| {
                            g.gather_elements(address, access, types, mask)
                        })
                    }
                }
            }
            Address::Affine(p, offsets)
                if self.by_registers(n, size) && matches!(mask, Mask::Full) =>
            {
                let values = self.load_four_rows(*p, offsets, n * size);
                let types = types.iter().map(|&t| self.vt(t));
                let typed = values.into_iter().zip(types);
                typed.map(|(v, t)| self.b.bitcast(v, t)).collect()
            }
            Address::Affine(..) | Address::Indexed(..) => {
                self.gather_elements(address, access, types, mask)
            }
        }
    }

    /// Two ways that give no values.
    pub(super) fn either_way(
        &mut self,
        cond: V,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        self.two_ways(
            cond,
            |g| {
                yes(g);
                Vec::new()
            },
            |g| {
                no(g);
                Vec::new()
            },
        );
    }

    /// Two ways to several values.
    pub(super) fn two_ways(
        &mut self,
        cond: V,
        yes: impl FnOnce(&mut Self) -> Vec<V>,
        no: impl FnOnce(&mut Self) -> Vec<V>,
    ) -> Vec<V> {
        let (x, y, after) = (
            self.b.block(self.function),
            self.b.block(self.function),
            self.b.block(self.function),
        );
        self.b.cond(cond, x, y);
        self.conditional += 1;
        self.b.at(x);
        let a = yes(self);
        let from_a = self.b.here();
        self.b.br(after);
        self.b.at(y);
        let c = no(self);
        let from_c = self.b.here();
        self.b.br(after);
        self.conditional -= 1;
        self.b.at(after);
        a.into_iter()
            .zip(c)
            .map(|(a, c)| {
                let phi = self.b.phi(self.b.type_of(a));
                self.b.incoming(phi, a, from_a);
                self.b.incoming(phi, c, from_c);
                phi
            })
            .collect()
    }

    fn gather_elements(
        &mut self,
        address: &Address,
        access: &Access,
        types: &[T],
        mask: Mask,
    ) -> Vec<V> {
        let size = access.elem.bytes();
        types
            .iter()
            .enumerate()
            .map(|(k, &t)| {
                let at = self.further(address, u32::try_from(k).unwrap_or(0) * size);
                self.gather(&at, t, size, mask)
            })
            .collect()
    }

    fn load_contiguous(&mut self, p: V, t: T, size: u32, mask: Mask) -> V {
        let vt = self.vt(t);
        let align = size.min(16);
        match mask {
            Mask::Full => self.b.load(vt, p, align),
            Mask::Some(m) if self.level == Level::Avx512 => {
                let m = self.vector_mask(m);
                let a = self.b.c(self.b.i32, u64::from(align));
                let none = self.b.poison(vt);
                self.b
                    .intrinsic("llvm.masked.load", &[vt, self.b.ptr], &[p, a, m, none])
            }
            // The hardware's prefetchers follow plain loads, but not everywhere `vmaskmov`.
            Mask::Some(m) if self.level == Level::Avx2 && (size == 4 || size == 8) => {
                let whole = self.within_page(p, size, mask);
                self.either(
                    whole,
                    |g| g.b.load(vt, p, align),
                    |g| g.mask_load(p, t, size, m),
                )
            }
            Mask::Some(_) => {
                let whole = self.row_is_there(p, size, mask);
                let at = Address::Affine(
                    p,
                    (0..i64::from(self.w))
                        .map(|l| l * i64::from(size))
                        .collect(),
                );
                self.either(
                    whole,
                    |g| g.b.load(vt, p, align),
                    |g| g.lane_loads(&at, t, size, mask),
                )
            }
        }
    }

    /// Whether the places of all lanes of a contiguous access can be read, though only those of `mask` are asked for: all
    /// lanes are, or one is and the row lies within its page.
    fn row_is_there(&mut self, p: V, bytes: u32, mask: Mask) -> V {
        let all = if self.partial {
            self.b.c(self.b.i1, 0)
        } else {
            self.all(mask)
        };
        let page = self.within_page(p, bytes, mask);
        self.b.or(all, page)
    }

    /// Whether a row of `bytes` by lane lies within one page that a lane of `mask` reaches.
    fn within_page(&mut self, p: V, bytes: u32, mask: Mask) -> V {
        const PAGE: u64 = 4096;
        let row = u64::from(bytes * self.w);
        let i64 = self.b.i64;
        let at = self.b.bitcast(p, i64);
        let at = self.b.and(at, self.b.c(i64, PAGE - 1));
        let last = PAGE.checked_sub(row);
        let Some(last) = last else {
            return self.b.c(self.b.i1, 0);
        };
        let within = self.b.icmp(Icmp::LLVMIntULE, at, self.b.c(i64, last));
        if self.may_be_idle() {
            let any = self.any(mask);
            self.b.and(within, any)
        } else {
            within
        }
    }

    /// `vmaskmov` in pieces of a register.
    fn mask_load(&mut self, p: V, t: T, size: u32, m: V) -> V {
        let lanes = 32 / size;
        let (name, elem) = if size == 4 {
            ("llvm.x86.avx2.maskload.d.256", self.b.i32)
        } else {
            ("llvm.x86.avx2.maskload.q.256", self.b.i64)
        };
        let parts: Vec<V> = (0..self.w / lanes)
            .map(|i| {
                let m = self.mask_part(m, i * lanes, lanes, elem);
                let q = self.b.offset(p, i64::from(i * 32));
                self.b.intrinsic(name, &[], &[q, m])
            })
            .collect();
        let v = self.b.concat(&parts);
        self.b.bitcast(v, self.vt(t))
    }

    /// Lanes of an `i32` mask as sign masks of `elem`.
    pub(super) fn mask_part(&self, m: V, from: u32, lanes: u32, elem: T) -> V {
        let m = self.b.part(self.vector_mask(m), from, lanes);
        self.b.sext(m, self.b.vec(elem, lanes))
    }

    /// A gather of one element per lane.
    fn gather(&mut self, address: &Address, t: T, size: u32, mask: Mask) -> V {
        let vt = self.vt(t);
        // Constant distances: plain loads are faster than a gather.
        if let (Address::Affine(p, offsets), Mask::Full) = (address, mask)
            && self.level >= Level::Avx2
            && (size == 4 || size == 8)
            && self.lane_sites[1] < SINGLE_LOADS
        {
            self.lane_sites[1] += 1;
            let mut v = self.b.poison(vt);
            for (&o, l) in offsets.iter().zip(0..) {
                let q = self.b.offset(*p, o);
                let one = self.b.load(t, q, size);
                v = self.b.insert(v, one, l);
            }
            return v;
        }
        if self.level == Level::Avx512 {
            let p = self.pointers(address);
            let m = match mask {
                Mask::Full => self.b.ones(self.vt(self.b.i1)),
                Mask::Some(m) => self.vector_mask(m),
            };
            let pt = self.b.type_of(p);
            let a = self.b.c(self.b.i32, u64::from(size.min(16)));
            let none = self.b.poison(vt);
            return self
                .b
                .intrinsic("llvm.masked.gather", &[vt, pt], &[p, a, m, none]);
        }
        if self.level == Level::Avx2 && (size == 4 || size == 8) {
            return self.gather_avx2(address, t, size, mask);
        }
        self.lane_loads(address, t, size, mask)
    }

    fn gather_avx2(&mut self, address: &Address, t: T, size: u32, mask: Mask) -> V {
        let (i32, i64) = (self.b.i32, self.b.i64);
        let (base, index, scale) = match address {
            Address::Uniform(p) => (*p, self.b.zero(self.vt(i32)), 1),
            Address::Affine(p, offsets) => (
                *p,
                self.b.ints(i32, offsets.iter().map(|o| o.cast_unsigned())),
                1,
            ),
            Address::Indexed(p, index, scale) => (*p, *index, *scale),
        };
        let narrow = self.b.bits_of(self.b.type_of(index)) == 32;
        let elem = if size == 4 { i32 } else { i64 };
        // Lanes of an instruction: by the wider of index and element.
        let lanes = if size == 4 && narrow { 8 } else { 4 };
        let name = match (size, narrow) {
            (4, true) => "llvm.x86.avx2.gather.d.d.256",
            (4, false) => "llvm.x86.avx2.gather.q.d.256",
            (8, true) => "llvm.x86.avx2.gather.d.q.256",
            _ => "llvm.x86.avx2.gather.q.q.256",
        };
        let scale = self.b.c(self.b.i8, scale);
        let parts: Vec<V> = (0..self.w / lanes)
            .map(|i| {
                let index = self.b.part(index, i * lanes, lanes);
                let rt = self.b.vec(elem, lanes);
                let m = match mask {
                    Mask::Full => self.b.ones(rt),
                    Mask::Some(m) => self.mask_part(m, i * lanes, lanes, elem),
                };
                self.b
                    .intrinsic(name, &[], &[self.b.zero(rt), base, index, m, scale])
            })
            .collect();
        let v = self.b.concat(&parts);
        self.b.bitcast(v, self.vt(t))
    }

    /// A gather of all lanes, of places that surely exist.
    pub(super) fn gather_any(&mut self, address: &Address, t: T, size: u32) -> V {
        self.gather(address, t, size, Mask::Full)
    }

    /// Keeps a vector in memory, to be read lane by lane: in room to be vacated.
    pub fn spilled(&mut self, v: V) -> V {
        let slot = self.scratch(self.b.type_of(v));
        self.b.store(v, slot, 64);
        slot
    }

    /// Element of a vector in memory.
    pub fn spilled_lane(&self, slot: V, elem: T, lane: V) -> V {
        let p = self.b.gep(elem, slot, &[lane]);
        self.b.load(elem, p, 1)
    }

    pub(super) fn lane_loads(&mut self, address: &Address, t: T, size: u32, mask: Mask) -> V {
        let vt = self.vt(t);
        let places = self.lane_places(address);
        let to = self.scratch(vt);
        let one = |g: &mut Self, lane: V| {
            let q = g.lane_place(&places, lane);
            let v = g.b.load(t, q, size.min(16));
            let r = g.b.gep(t, to, &[lane]);
            g.b.store(v, r, 1);
        };
        match mask {
            Mask::Full => self.lanes_in_groups(one),
            Mask::Some(_) => self.each_lane(mask, one),
        }
        self.vacate(places.ty, places.slot);
        self.vacate(vt, to);
        self.b.load(vt, to, 64)
    }

    /// Keeps the places of an access in memory, to be used lane by lane.
    pub(super) fn lane_places(&mut self, address: &Address) -> LanePlaces {
        match address {
            Address::Indexed(base, index, scale) if !self.b.is_const(*base) => LanePlaces {
                base: Some((*base, self.b.int(8 * u32::try_from(*scale).unwrap_or(1)))),
                slot: self.spilled(*index),
                ty: self.b.type_of(*index),
                elem: self.b.elem_of(self.b.type_of(*index)),
            },
            _ => {
                let p = self.pointers(address);
                LanePlaces {
                    base: None,
                    slot: self.spilled(p),
                    ty: self.b.type_of(p),
                    elem: self.b.ptr,
                }
            }
        }
    }

    pub(super) fn lane_place(&self, places: &LanePlaces, lane: V) -> V {
        let at = self.spilled_lane(places.slot, places.elem, lane);
        match places.base {
            Some((base, unit)) => self.b.gep(unit, base, &[at]),
            None => at,
        }
    }

    // Stores.

    fn store(&mut self, inst: Inst, access: Access) -> Done {
        let f = self.f;
        let guard = f.insts[inst].guard;
        let mask = self.guarded(guard);
        let args: Vec<Value> = f.args(inst).to_vec();
        let butterfly = self.butterfly(args[0], &access);
        self.storing = Some(args[0]);
        let address = match &butterfly {
            Some(at) => self.window_address(at, access.bytes()),
            None => self.address(args[0], access.space, access.offset, access.bytes(), mask),
        };
        let uniform_address = matches!(address, Address::Uniform(_));
        let values: Vec<V> = args[1..]
            .iter()
            .map(|&v| {
                let t = self.elem_type(&access, Some(v));
                if uniform_address && self.uniform(v) {
                    self.scalar_as(v, t)
                } else {
                    self.vector_as(v, t)
                }
            })
            .collect();
        let strong = access.order != Order::Weak;
        if strong {
            self.b.compiler_fence(ACQ_REL);
        }
        // What the lanes that do not store have read of the row.
        let known = |g: &mut Self, address: &Address| match (address, mask) {
            (Address::Affine(p, offsets), Mask::Some(_))
                if contiguous(offsets, access.bytes()) && !g.may_be_idle() =>
            {
                g.known_row(inst, &access, *p)
            }
            _ => None,
        };
        let make = |g: &mut Self| {
            if let Some(at) = &butterfly {
                g.check_alignment(&address, access.bytes(), mask);
                let known = known(g, &address);
                g.store_butterfly(at, values[0], access.bytes(), mask, known.as_ref());
                return;
            }
            if let Address::Affine(p, offsets) = &address
                && let Some(lanes) = g.wrapped(args[0])
            {
                let at = (*p, offsets.as_slice());
                let size = access.elem.bytes();
                let types: Vec<T> = values.iter().map(|&v| g.b.type_of(v)).collect();
                g.unless_wrapped(lanes, args[0], at, size, &types, Some(&values), mask, |g| {
                    g.store_lanes(&address, &access, &values, mask);
                    Vec::new()
                });
                return;
            }
            if let Some((is, at)) = g.guess(args[0], &access, &address) {
                g.either_way(
                    is,
                    |g| {
                        g.check_access(args[0], &access, &at, mask);
                        g.store_lanes(&at, &access, &values, mask);
                    },
                    |g| {
                        g.check_access(args[0], &access, &address, mask);
                        g.store_lanes(&address, &access, &values, mask);
                    },
                );
                return;
            }
            g.check_once(args[0], &access, &address, mask);
            if let Some(known) = known(g, &address)
                && let (Address::Affine(p, _), Mask::Some(m)) = (&address, mask)
            {
                g.store_known_row(&known, *p, values[0], access.bytes(), m);
                return;
            }
            g.store_lanes(&address, &access, &values, mask);
        };
        if guard.is_some() {
            self.when_any(mask, make);
        } else {
            make(self);
        }
        if let Address::Affine(p, offsets) = &address
            && contiguous(offsets, access.bytes())
            && !self.plan.wraps.taints.contains_key(&args[0])
        {
            self.note_row(inst, *p);
        }
        if strong {
            self.b.compiler_fence(ACQ_REL);
        } else if butterfly.is_none() && self.fetches_ahead(mask) {
            self.prefetch(access.space, args[0], &address, access.bytes(), false);
        }
        Ok(())
    }

    fn store_lanes(&mut self, address: &Address, access: &Access, values: &[V], mask: Mask) {
        let size = access.elem.bytes();
        let n = u32::from(access.lanes);
        match address {
            Address::Uniform(p) => {
                let p = *p;
                for (k, &v) in values.iter().enumerate() {
                    let q = self
                        .b
                        .offset(p, i64::from(u32::try_from(k).unwrap_or(0) * size));
                    // Of several lanes that write to one place, the last wins.
                    let v = if self.b.lanes_of(self.b.type_of(v)) > 1 {
                        let lane = self.last_lane(mask);
                        self.b.extract_at(v, lane)
                    } else {
                        v
                    };
                    if access.order != Order::Weak && size <= 8 {
                        let int = self.int(access.elem);
                        let v = self.b.bitcast(v, int);
                        self.b.store_atomic(v, q, size, MONOTONIC);
                    } else {
                        self.b.store(v, q, size.min(16));
                    }
                }
            }
            Address::Affine(p, offsets) if contiguous(offsets, access.bytes()) => {
                let p = *p;
                let fast = |g: &mut Self| {
                    let v = if n == 1 {
                        values[0]
                    } else {
                        g.interleave(values)
                    };
                    g.store_row(v, p, (n * size).min(16), access);
                };
                match mask {
                    Mask::Full => fast(self),
                    Mask::Some(m) if self.level == Level::Avx512 && n == 1 => {
                        let m = self.vector_mask(m);
                        let vt = self.b.type_of(values[0]);
                        let a = self.b.c(self.b.i32, u64::from(size.min(16)));
                        self.b.intrinsic(
                            "llvm.masked.store",
                            &[vt, self.b.ptr],
                            &[values[0], p, a, m],
                        );
                    }
                    // Warps of a block take turns, so nobody else (of no cluster) writes to its shared memory meanwhile: what is between
                    // the lanes is written back as it was.
                    Mask::Some(m)
                        if n == 1 && access.space == Space::Shared && self.shared_alone =>
                    {
                        let whole = self.within_page(p, size, mask);
                        let blended = |g: &mut Self| {
                            let old = g.b.load(g.b.type_of(values[0]), p, size);
                            let row = g.blend(mask, values[0], old);
                            g.b.store(row, p, size);
                        };
                        self.either_way(whole, blended, |g| {
                            g.store_some(address, values, size, m);
                        });
                    }
                    Mask::Some(m) if self.partial => self.store_some(address, values, size, m),
                    Mask::Some(m) => {
                        let all = self.all(mask);
                        self.either_way(all, fast, |g| g.store_some(address, values, size, m));
                    }
                }
            }
            Address::Affine(..) | Address::Indexed(..) => {
                if let (Address::Affine(p, offsets), Ok(four), Mask::Full) =
                    (address, <&[V; 4]>::try_from(values), mask)
                    && self.by_registers(n, size)
                {
                    self.store_four_rows(*p, offsets, four, n * size);
                    return;
                }
                self.scatter_elements(address, values, size, mask);
            }
        }
    }

    /// A contiguous store of some lanes.
    fn store_some(&mut self, address: &Address, values: &[V], size: u32, m: V) {
        match address {
            Address::Affine(p, _)
                if self.level == Level::Avx2 && values.len() == 1 && (size == 4 || size == 8) =>
            {
                self.mask_store(*p, values[0], size, m);
            }
            _ => self.scatter_elements(address, values, size, Mask::Some(m)),
        }
    }

    /// Vectors of the elements of an access, lane by lane.
    fn interleave(&mut self, values: &[V]) -> V {
        let t = self.b.type_of(values[0]);
        let values: Vec<V> = values.iter().map(|&v| self.b.bitcast(v, t)).collect();
        if let Ok(four) = <[V; 4]>::try_from(values.as_slice())
            && self.by_registers(4, self.b.bits_of(t) / 8)
        {
            return self.interleave_fours(four);
        }
        let n = u32::try_from(values.len()).unwrap_or(1);
        let all = self.b.concat(&values);
        let pick: Vec<i32> = (0..self.w * n)
            .map(|i| (i % n * self.w + i / n).cast_signed())
            .collect();
        self.b
            .shuffle(all, self.b.poison(self.b.type_of(all)), &pick)
    }

    fn scatter_elements(&mut self, address: &Address, values: &[V], size: u32, mask: Mask) {
        let align = size.min(16);
        if self.level == Level::Avx512 {
            for (k, &v) in values.iter().enumerate() {
                let at = self.further(address, u32::try_from(k).unwrap_or(0) * size);
                let p = self.pointers(&at);
                let m = match mask {
                    Mask::Full => self.b.ones(self.vt(self.b.i1)),
                    Mask::Some(m) => self.vector_mask(m),
                };
                let (vt, pt) = (self.b.type_of(v), self.b.type_of(p));
                let a = self.b.c(self.b.i32, u64::from(align));
                self.b
                    .intrinsic("llvm.masked.scatter", &[vt, pt], &[v, p, a, m]);
            }
            return;
        }
        self.lane_stores(address, values, size, mask);
    }

    /// Stores lane by lane.
    pub(super) fn lane_stores(&mut self, address: &Address, values: &[V], size: u32, mask: Mask) {
        let align = size.min(16);
        let places = self.lane_places(address);
        let values: Vec<(V, T, T)> = values
            .iter()
            .map(|&v| {
                let t = self.b.type_of(v);
                (self.spilled(v), self.b.elem_of(t), t)
            })
            .collect();
        let one = |g: &mut Self, lane: V| {
            let q = g.lane_place(&places, lane);
            for (k, &(slot, t, _)) in (0u32..).zip(&values) {
                let q = g.b.offset(q, i64::from(k * size));
                let v = g.spilled_lane(slot, t, lane);
                g.b.store(v, q, align);
            }
        };
        match mask {
            Mask::Full => self.lanes_in_groups(one),
            Mask::Some(_) => self.each_lane(mask, one),
        }
        self.vacate(places.ty, places.slot);
        for (slot, _, ty) in values {
            self.vacate(ty, slot);
        }
    }

    // Generic addresses.

    /// Base of a space as an integer.
    fn window(&mut self, of: Space) -> V {
        let i64 = self.b.i64;
        match of {
            Space::Shared => self.field(offset_of!(CtaContext, shared), i64),
            Space::Param => self.field(offset_of!(CtaContext, params), i64),
            Space::Local | Space::Generic | Space::Global | Space::Const => {
                self.field(offset_of!(CtaContext, local), i64)
            }
        }
    }

    pub(super) fn make_generic(&mut self, result: Value, arg: Value, of: Space) -> Done {
        let v = if of == Space::Local {
            self.local_address(arg, 0)
        } else {
            let base = self.window(of);
            match self.plan.shapes.shape(result) {
                Shape::Affine(_) => {
                    let s = self.scalar(arg);
                    let s = if self.uniform(arg) {
                        self.b.zext(s, self.b.i64)
                    } else {
                        self.b.sext(s, self.b.i64)
                    };
                    self.b.add(s, base)
                }
                Shape::Varying | Shape::Bottom => {
                    let v = self.vector(arg);
                    let v = self.b.zext(v, self.vt(self.b.i64));
                    let base = self.b.splat(base, self.w);
                    self.b.add(v, base)
                }
            }
        };
        self.set(result, v);
        Ok(())
    }

    pub(super) fn strip_generic(&mut self, result: Value, arg: Value, of: Space) -> Done {
        let i32 = self.b.i32;
        let base = self.window(of);
        let scalar =
            matches!(self.plan.shapes.shape(result), Shape::Affine(_)) && of != Space::Local;
        let v = if scalar {
            let s = self.scalar(arg);
            let s = self.b.sub(s, base);
            self.b.cast(Opcode::LLVMTrunc, s, i32)
        } else {
            let v = self.vector(arg);
            let base = self.b.splat(base, self.w);
            let mut v = self.b.sub(v, base);
            if of == Space::Local {
                let stride = self.field(offset_of!(CtaContext, local_stride), self.b.i64);
                let stride = self.b.splat(stride, self.w);
                let threads = self.threads();
                let threads = self.b.zext(threads, self.vt(self.b.i64));
                let own = self.b.mul(threads, stride);
                v = self.b.sub(v, own);
            }
            self.b.cast(Opcode::LLVMTrunc, v, self.vt(i32))
        };
        self.set(result, v);
        Ok(())
    }

    pub(super) fn is_space(&mut self, result: Value, arg: Value, of: Space) -> Done {
        let i64 = self.b.i64;
        let scalar = self.plan.shapes.shape(result) == UNIFORM;
        let x = self.operand(arg, i64, scalar);
        let inside = |g: &mut Self, base: V, bytes: V| {
            let (base, bytes) = if scalar {
                (base, bytes)
            } else {
                (g.b.splat(base, g.w), g.b.splat(bytes, g.w))
            };
            let d = g.b.sub(x, base);
            g.b.icmp(Icmp::LLVMIntULT, d, bytes)
        };
        let shared = {
            let base = self.window(Space::Shared);
            let bytes = self.b.c(i64, abi::sm::SHARED_WINDOW);
            inside(self, base, bytes)
        };
        let local = {
            let base = self.window(Space::Local);
            let stride = self.field(offset_of!(CtaContext, local_stride), i64);
            let threads = self.field(offset_of!(CtaContext, threads), self.b.i32);
            let threads = self.b.zext(threads, i64);
            let bytes = self.b.mul(threads, stride);
            inside(self, base, bytes)
        };
        let param = {
            let base = self.window(Space::Param);
            let bytes = self.b.c(i64, u64::from(self.module.info.param_bytes));
            inside(self, base, bytes)
        };
        let v = match of {
            Space::Shared => shared,
            Space::Local => local,
            Space::Param => param,
            Space::Global | Space::Generic => {
                let other = self.b.or(shared, local);
                let other = self.b.or(other, param);
                self.b.not(other)
            }
            Space::Const => {
                let mut any = self.b.zero(self.b.type_of(shared));
                let symbols: Vec<(Symbol, u64)> = self
                    .module
                    .symbols
                    .iter()
                    .filter(|(_, s)| s.constant)
                    .map(|(id, s)| (id, s.bytes))
                    .collect();
                for (symbol, bytes) in symbols {
                    let base = self.symbol_address(symbol);
                    let bytes = self.b.c(i64, bytes);
                    let one = inside(self, base, bytes);
                    any = self.b.or(any, one);
                }
                any
            }
        };
        self.set(result, v);
        Ok(())
    }

    /// Address and mask of an atomic.
    pub(super) fn atomic_address(&mut self, inst: Inst, access: &Access) -> (Address, Mask) {
        let mask = self.guarded(self.f.insts[inst].guard);
        let addr = self.f.args(inst)[0];
        let mut address = self.address(addr, access.space, access.offset, access.bytes(), mask);
        if let Address::Affine(..) = address
            && self.wrapped(addr).is_some()
        {
            let index = self.vector(addr);
            let null = self.b.zero(self.b.ptr);
            let base = self.b.offset(null, i64::from(access.offset));
            address = Address::Indexed(base, index, 1);
        }
        (address, mask)
    }
}

pub(super) fn contiguous(offsets: &[i64], bytes: u32) -> bool {
    offsets
        .iter()
        .enumerate()
        .all(|(l, &o)| o == i64::from(bytes) * i64::try_from(l).unwrap_or(-1))
}
