//! Indices of 32 bits that become addresses of 64: consecutive in all lanes, unless one of them wraps.
//!
//! Sign extension keeps the offsets between lanes only where no lane's index passes the end of the 32-bit range. Where
//! the range of the base does not prove it, code notes which lanes wrap, and accesses that follow from such an index
//! ([`super::wrap`]) go lane by lane if one did. Indices that only mostly stay consecutive are tested where they are
//! used.

use super::build::{Icmp, Opcode, T, V};
use super::emit::{Gen, Mask};
use super::flow::Flow;
use super::memory::Address;
use super::shape::Shape;
use crate::ir::{
    Access, Block, Function, Id, Op, Sign, Space, Special, Terminator, Value, ValueDef,
};
use abi::sm::trap;

const LEAST: i64 = i32::MIN as i64;
const MOST: i64 = i32::MAX as i64;

/// Accesses of a function that are tested for being consecutive; each is there twice.
const GUESSES: u32 = 40;

/// Least and greatest offset, and 0.
fn bounds(offsets: &[i64]) -> (i64, i64) {
    let low = offsets.iter().copied().min().unwrap_or(0).min(0);
    let high = offsets.iter().copied().max().unwrap_or(0).max(0);
    (low, high)
}

/// Whether a 32-bit value that lies `offsets` from lane to lane surely wraps in none.
pub(super) fn never_wraps(f: &Function, value: Value, offsets: &[i64]) -> bool {
    let (low, high) = bounds(offsets);
    range(f, value, 8).is_some_and(|(a, b)| a + low >= LEAST && b + high <= MOST)
}

/// The distance between neighbours where it is the same everywhere.
fn stride(offsets: &[i64]) -> Option<i64> {
    let step = *offsets.get(1)?;
    let even = (0i64..).zip(offsets).all(|(l, &o)| o == l * step);
    even.then_some(step)
}

/// A function that moves elements of some size between memory and a buffer, lane by lane.
pub(super) type Mover = (u32, bool);

impl Gen<'_, '_> {
    /// Notes which lanes of an affine 32-bit value, about to be sign-extended, wrap.
    pub(super) fn note_wraps(&mut self, extended: Value) {
        let Some(&index) = self.plan.wraps.sources.get(&extended) else {
            return;
        };
        let Shape::Affine(p) = self.shape(index) else {
            return;
        };
        let offsets = self.plan.shapes.patterns[p].clone();
        let (low, high) = bounds(&offsets);
        let i32 = self.b.i32;
        let mut base = self.scalar(index);
        // Code that runs without lanes may meet poison here.
        if self.may_be_idle() {
            base = self.b.freeze(base);
        }
        // Bases from `LEAST - low` to `MOST - high` are fine.
        let first = self.b.c(i32, (LEAST - low).cast_unsigned() & 0xffff_ffff);
        let span = (MOST - high) - (LEAST - low);
        let at = self.b.sub(base, first);
        let bad = self
            .b
            .icmp(Icmp::LLVMIntUGT, at, self.b.c(i32, span.cast_unsigned()));
        let place = self.wrap_place(extended);
        let zero = self.b.c(i32, 0);
        self.b.store(zero, place, 4);
        self.when(bad, |g| {
            let lanes = g.lanes_that_wrap(base, &offsets);
            g.b.store(lanes, place, 4);
        });
    }

    /// Where the lanes that wrap are noted: bits, `i32`.
    fn wrap_place(&mut self, extended: Value) -> V {
        let i32 = self.b.i32;
        let slot = match self.wrap_slots.get(&extended) {
            Some(&slot) => slot,
            None => {
                let slot = match self.wrap_strips {
                    Some(count) => {
                        let t = self.b.array(i32, count);
                        self.in_prologue(|g| g.b.alloca(t, 64))
                    }
                    None => {
                        let slot = self.alloca(i32);
                        let zero = self.b.c(i32, 0);
                        self.fresh.push((slot, zero));
                        slot
                    }
                };
                self.wrap_slots.insert(extended, slot);
                slot
            }
        };
        if self.wrap_strips.is_none() {
            return slot;
        }
        let strip = self.b.zext(self.strip, self.b.i64);
        self.b.gep(i32, slot, &[strip])
    }

    /// Bits of the lanes whose value is not the base's plus its offset, where some are.
    fn lanes_that_wrap(&mut self, base: V, offsets: &[i64]) -> V {
        let i32 = self.b.i32;
        if let Some(step) = stride(offsets).filter(|&s| s > 0) {
            // The last lane wraps: fewer than all are left.
            let room = self.b.sub(self.b.c(i32, MOST.cast_unsigned()), base);
            let step = self.b.c(i32, step.cast_unsigned());
            let fit = self.b.bin(Opcode::LLVMUDiv, room, step);
            let fit = self.b.add(fit, self.b.c(i32, 1));
            let fit = self.b.and(fit, self.b.c(i32, 31));
            return self.b.shl(self.b.ones(i32), fit);
        }
        let splat = self.b.splat(base, self.w);
        let steps = self.b.ints(i32, offsets.iter().map(|o| o.cast_unsigned()));
        let narrow = self.b.add(splat, steps);
        let less = self.b.icmp(Icmp::LLVMIntSLT, narrow, splat);
        let down = self
            .b
            .ints(self.b.i1, offsets.iter().map(|&o| u64::from(o < 0)));
        let wraps = self.b.xor(less, down);
        let bits = self.b.bitcast(wraps, self.b.int(self.w));
        self.b.zext(bits, i32)
    }

    /// Lanes in which a value's indices wrapped, if it has some that may: bits, `i32`.
    pub(super) fn wrapped(&mut self, value: Value) -> Option<V> {
        if self.plan.temporal(self.flow, value, self.block) {
            return None;
        }
        let taint = self.plan.wraps.taints.get(&value)?;
        let mut all = None;
        for &source in taint.keys() {
            let place = self.wrap_place(source);
            let lanes = self.b.load(self.b.i32, place, 4);
            all = Some(match all {
                None => lanes,
                Some(other) => self.b.or(other, lanes),
            });
        }
        all
    }

    /// By how much each lane's value is off, `<W x i64>`.
    pub(super) fn wrap_correction(&mut self, value: Value) -> V {
        let i64 = self.b.i64;
        let mut sum = self.b.zero(self.vt(i64));
        let taint = self.plan.wraps.taints.get(&value).cloned();
        for (source, factor) in taint.unwrap_or_default() {
            let by: Vec<u64> = self
                .source_offsets(source)
                .iter()
                .map(|&o| if o < 0 { 1i64 << 32 } else { -1i64 << 32 })
                .map(|d| d.wrapping_mul(factor).cast_unsigned())
                .collect();
            let place = self.wrap_place(source);
            let lanes = self.b.load(self.b.i32, place, 4);
            let lanes = self.trunc_like(lanes, self.b.int(self.w));
            let lanes = self.b.bitcast(lanes, self.vt(self.b.i1));
            let by = self.b.ints(i64, by);
            let none = self.b.zero(self.vt(i64));
            let by = self.b.select(lanes, by, none);
            sum = self.b.add(sum, by);
        }
        sum
    }

    fn source_offsets(&self, source: Value) -> Vec<i64> {
        let index = self.plan.wraps.sources.get(&source);
        let offsets = index.and_then(|&i| {
            let shape = self.plan.shapes.shape(i);
            self.plan.shapes.offsets(shape)
        });
        offsets.unwrap_or_default().to_vec()
    }

    /// An access of elements at an affine address: `fast` if no lane's index wrapped, else lane by lane. `elems` are
    /// the elements' types; `values` what is stored, where it is a store. The check of alignment is a part of it.
    #[expect(clippy::too_many_arguments, reason = "what an access is made of")]
    pub(super) fn unless_wrapped(
        &mut self,
        lanes: V,
        value: Value,
        (p, offsets): (V, &[i64]),
        size: u32,
        elems: &[T],
        values: Option<&[V]>,
        mask: Mask,
        fast: impl FnOnce(&mut Self) -> Vec<V>,
    ) -> Vec<V> {
        let (i32, i64) = (self.b.i32, self.b.i64);
        let n = u32::try_from(elems.len()).unwrap_or(1);
        let mut low = u64::from(size * n - 1);
        if offsets.iter().any(|&o| o.cast_unsigned() & low != 0) {
            self.check_alignment(&Address::Affine(p, offsets.to_vec()), size * n, mask);
            low = 0;
        }
        let base = self.b.bitcast(p, i64);
        let astray = self.b.and(base, self.b.c(i64, low));
        let astray = self.trunc_like(astray, i32);
        let odd = self.b.or(astray, lanes);
        let odd = self.b.icmp(Icmp::LLVMIntNE, odd, self.b.c(i32, 0));
        self.two_ways(
            odd,
            |g| {
                if low > 0 {
                    let misaligned = g.b.icmp(Icmp::LLVMIntNE, astray, g.b.c(i32, 0));
                    g.when(misaligned, |g| {
                        let lanes = g.mask_bits32(mask);
                        g.trap(trap::MISALIGNED, lanes, base);
                    });
                }
                g.apart(lanes, value, (base, offsets), size, elems, values, mask)
            },
            fast,
        )
    }

    #[expect(clippy::too_many_arguments, reason = "as above")]
    fn apart(
        &mut self,
        lanes: V,
        value: Value,
        (base, offsets): (V, &[i64]),
        size: u32,
        elems: &[T],
        values: Option<&[V]>,
        mask: Mask,
    ) -> Vec<V> {
        let i64 = self.b.i64;
        let taint = self
            .plan
            .wraps
            .taints
            .get(&value)
            .cloned()
            .unwrap_or_default();
        let alone = taint.iter().next().filter(|_| taint.len() == 1);
        let upward = alone.filter(|&(&s, _)| self.source_offsets(s).iter().all(|&o| o >= 0));
        let mut out = Vec::new();
        let Some(((_, &factor), step)) = upward.zip(stride(offsets)) else {
            let steps = self.b.ints(i64, offsets.iter().map(|o| o.cast_unsigned()));
            let at = self.b.splat(base, self.w);
            let at = self.b.add(at, steps);
            let off = self.wrap_correction(value);
            let at = self.b.add(at, off);
            let null = self.b.zero(self.b.ptr);
            for (k, &t) in (0u32..).zip(elems) {
                let further = self.b.offset(null, i64::from(k * size));
                let place = Address::Indexed(further, at, 1);
                match values {
                    Some(values) => {
                        self.lane_stores(&place, &values[k as usize..=k as usize], size, mask)
                    }
                    None => out.push(self.lane_loads(
                        &place,
                        t,
                        size,
                        Mask::Some(self.mask_value(mask)),
                    )),
                }
            }
            return out;
        };
        let (mover, ty) = self.mover((size, values.is_some()));
        let buffer = self.wrap_buffer();
        let step = self.b.c(i64, step.cast_unsigned());
        let by = self
            .b
            .c(i64, (-1i64 << 32).wrapping_mul(factor).cast_unsigned());
        let active = self.mask_bits32(mask);
        for (k, &t) in (0u32..).zip(elems) {
            let at = self.b.add(base, self.b.c(i64, u64::from(k * size)));
            if let Some(values) = values {
                self.b.store(values[k as usize], buffer, 64);
            }
            self.b
                .call_aside(ty, mover, &[at, step, lanes, by, active, buffer]);
            if values.is_none() {
                out.push(self.b.load(self.vt(t), buffer, 64));
            }
        }
        out
    }

    /// Room for 32 elements.
    fn wrap_buffer(&mut self) -> V {
        if let Some(buffer) = self.wrap_buffer {
            return buffer;
        }
        let buffer = self.alloca(self.b.vec(self.b.i64, 64));
        self.wrap_buffer = Some(buffer);
        buffer
    }

    /// `fn(base, stride, wrapped lanes, by how much these are off, active lanes, buffer)`.
    fn mover(&mut self, what: Mover) -> (V, T) {
        let (ptr, i32, i64) = (self.b.ptr, self.b.i32, self.b.i64);
        let ty = self
            .b
            .function_type(self.b.void, &[i64, i64, i32, i64, i32, ptr]);
        if let Some(&known) = self.movers.get(&what) {
            return (known, ty);
        }
        let (size, stores) = what;
        let here = self.b.here();
        let name = format!("antl.{}{size}", if stores { "put" } else { "get" });
        let function = self.b.function(&name, ty);
        self.b.internal(function);
        self.b.keep_registers(function);
        super::functions::attributes(&self.b, function, self.level);
        self.lines.clear(&self.b);
        let arg = |g: &Self, i| g.b.param(function, i);
        let (base, step, wrapped) = (arg(self, 0), arg(self, 1), arg(self, 2));
        let (by, active, buffer) = (arg(self, 3), arg(self, 4), arg(self, 5));
        let b = &self.b;
        let (entry, head, body, end) = (
            b.block(function),
            b.block(function),
            b.block(function),
            b.block(function),
        );
        b.at(entry);
        b.br(head);
        b.at(head);
        let rest = b.phi(i32);
        b.incoming(rest, active, entry);
        let more = b.icmp(Icmp::LLVMIntNE, rest, b.c(i32, 0));
        b.cond(more, body, end);
        b.at(body);
        let lane = b.intrinsic("llvm.cttz", &[i32], &[rest, b.c(b.i1, 1)]);
        let wide = b.zext(lane, i64);
        let at = b.mul(wide, step);
        let at = b.add(base, at);
        let bit = b.lshr(wrapped, lane);
        let bit = b.and(bit, b.c(i32, 1));
        let off = b.icmp(Icmp::LLVMIntNE, bit, b.c(i32, 0));
        let off = b.select(off, by, b.c(i64, 0));
        let at = b.add(at, off);
        let at = b.bitcast(at, ptr);
        let t = b.int(8 * size);
        let place = b.gep(t, buffer, &[wide]);
        let (from, to) = if stores { (place, at) } else { (at, place) };
        let v = b.load(t, from, size.min(8));
        b.store(v, to, size.min(8));
        let less = b.sub(rest, b.c(i32, 1));
        let less = b.and(rest, less);
        b.incoming(rest, less, body);
        b.br(head);
        b.at(end);
        b.ret();
        self.b.at(here);
        self.lines.set(&self.b, self.at);
        self.movers.insert(what, function);
        (function, ty)
    }

    /// For an address that is computed from consecutive indices by operations that mostly keep them so (clamping to the
    /// edge of a field, exclusive or with a high bit, remainders): whether it is consecutive this time, and then where.
    pub(super) fn guess(
        &mut self,
        value: Value,
        access: &Access,
        address: &Address,
    ) -> Option<(V, Address)> {
        let Address::Indexed(base, index, scale) = *address else {
            return None;
        };
        let bytes = access.bytes();
        if self.w == 1 || self.lane_sites[2] == GUESSES {
            return None;
        }
        let offsets: Vec<i64> = (0..i64::from(self.w))
            .map(|l| l * i64::from(bytes))
            .collect();
        if matches!(
            access.space,
            Space::Global | Space::Generic | Space::Const | Space::Shared
        ) && let Some((is, first)) = self.away_from_borders(value, bytes)
        {
            self.lane_sites[2] += 1;
            let p = if access.space == Space::Shared {
                let first = self.b.sext(first, self.b.i64);
                let base = self.shared_base();
                self.b.gep8(base, first)
            } else {
                self.b.bitcast(first, self.b.ptr)
            };
            let p = self.b.offset(p, i64::from(access.offset));
            return Some((is, Address::Affine(p, offsets)));
        }
        if !is_index_like(self.f, self.flow, &|v| self.shape(v), value) {
            return None;
        }
        let step = u64::from(bytes) / scale;
        if step * scale != u64::from(bytes) || step == 0 {
            return None;
        }
        self.lane_sites[2] += 1;
        let t = self.b.type_of(index);
        let elem = self.b.elem_of(t);
        let index = self.b.freeze(index);
        let first = self.b.extract(index, 0);
        let steps = self.b.ints(elem, (0..u64::from(self.w)).map(|l| l * step));
        let want = self.b.splat(first, self.w);
        let want = self.b.add(want, steps);
        let same = self.b.icmp(Icmp::LLVMIntEQ, index, want);
        let same = self.mask_of(same);
        let mut is = self.all(Mask::Some(same));
        let i64 = self.b.i64;
        if self.b.bits_of(elem) == 32 {
            // None of them wraps, either.
            let room = MOST - i64::from(self.w) * i64::try_from(step).unwrap_or(MOST);
            let fits = self.b.icmp(
                Icmp::LLVMIntSLT,
                first,
                self.b.c(elem, room.cast_unsigned() & 0xffff_ffff),
            );
            is = self.b.and(is, fits);
        }
        let at = self.b.sext(first, i64);
        let at = self.b.mul(at, self.b.c(i64, scale));
        // Nothing is known of what lies behind a null pointer, not even that it is memory.
        let p = if self.b.is_const(base) {
            let base = self.b.bitcast(base, i64);
            let at = self.b.add(base, at);
            self.b.bitcast(at, self.b.ptr)
        } else {
            self.b.gep8(base, at)
        };
        Some((is, Address::Affine(p, offsets)))
    }
}

/// Whether a value by lane is computed from indices without memory and operations across lanes; in loops, too. `shape` is
/// how values look where this one is used.
pub(super) fn is_index_like(
    f: &Function,
    flow: &Flow,
    shape: &dyn Fn(Value) -> Shape,
    value: Value,
) -> bool {
    Question {
        f,
        flow,
        shape,
        seen: Vec::new(),
    }
    .ask(value, 16)
}

/// A search of [`is_index_like`].
struct Question<'a> {
    f: &'a Function,
    flow: &'a Flow,
    shape: &'a dyn Fn(Value) -> Shape,
    /// Values in question: a loop's value is one if what goes round is one, as long as it is.
    seen: Vec<Value>,
}

impl Question<'_> {
    fn ask(&mut self, value: Value, depth: u32) -> bool {
        if matches!((self.shape)(value), Shape::Affine(_)) || self.seen.contains(&value) {
            return true;
        }
        if depth == 0 || self.seen.len() > 40 {
            return false;
        }
        self.seen.push(value);
        let f = self.f;
        if let ValueDef::Param(block, place) = f.values[value].def {
            let mut args: Vec<Value> = self.flow.given(f, block, place).collect();
            args.dedup();
            return block != f.entry
                && (args.len() == 1 || self.joins_by_index(block.index(), depth))
                && args.into_iter().all(|arg| self.ask(arg, depth - 1));
        }
        let Some(inst) = f.def_inst(value) else {
            return false;
        };
        let args = f.args(inst);
        let mut all = |from: usize| args[from..].iter().all(|&a| self.ask(a, depth - 1));
        match f.insts[inst].op {
            // Rows of a field, and the like: far apart.
            Op::Mul { .. } => args.iter().any(|&a| f.as_const(a).is_some()) && all(0),
            Op::Add { .. }
            | Op::Sub { .. }
            | Op::MulWide { .. }
            | Op::And { .. }
            | Op::Or { .. }
            | Op::Xor { .. }
            | Op::Lop3 { .. }
            | Op::Shl { .. }
            | Op::Shr { .. }
            | Op::Min { .. }
            | Op::Max { .. }
            | Op::Rem { .. }
            | Op::Div { .. }
            | Op::Sext { .. }
            | Op::Zext { .. }
            | Op::Trunc { .. }
            | Op::ToGeneric { .. }
            | Op::FromGeneric { .. } => all(0),
            Op::Select { .. } => all(1),
            Op::ICmp { .. } => all(0),
            _ => false,
        }
    }

    /// Whether which way leads into a block depends on indices only. The ways into a loop's header say nothing.
    fn joins_by_index(&mut self, block: usize, depth: u32) -> bool {
        let flow = self.flow;
        let is_header = |l: usize| flow.loops[l].header == block;
        if flow.loop_of[block].is_some_and(is_header) {
            return true;
        }
        let (mut stack, mut seen) = (flow.preds[block].clone(), vec![block]);
        while let Some(b) = stack.pop() {
            if seen.contains(&b) {
                continue;
            }
            seen.push(b);
            if let Terminator::Branch { cond, .. } = self.f.blocks[Block::from_index(b)].term
                && !self.ask(cond, depth - 1)
            {
                return false;
            }
            if b != flow.idom[block] {
                stack.extend(&flow.preds[b]);
            }
        }
        true
    }
}

/// Least and greatest signed value that a 32-bit value's base may have, if known.
fn range(f: &Function, value: Value, depth: u32) -> Option<(i64, i64)> {
    if depth == 0 {
        return None;
    }
    let inst = match f.values[value].def {
        ValueDef::Const(bits) => {
            let c = i64::from(u32::try_from(bits & 0xffff_ffff).ok()?.cast_signed());
            return Some((c, c));
        }
        ValueDef::Inst(inst, _) => inst,
        ValueDef::Param(..) | ValueDef::Undef => return None,
    };
    let args = f.args(inst);
    let of = |i: usize| range(f, args[i], depth - 1);
    let found = match f.insts[inst].op {
        Op::Special { reg } => match reg {
            Special::TidX | Special::TidY | Special::TidZ => (0, 1023),
            Special::NTidX | Special::NTidY | Special::NTidZ => (1, 1024),
            Special::LaneId => (0, 31),
            Special::CtaIdY | Special::CtaIdZ => (0, 65534),
            _ => return None,
        },
        Op::Add { .. } => {
            let ((a, b), (c, d)) = (of(0)?, of(1)?);
            (a + c, b + d)
        }
        Op::Sub { .. } => {
            let ((a, b), (c, d)) = (of(0)?, of(1)?);
            (a - d, b - c)
        }
        Op::Mul { .. } => {
            let ((a, b), (c, d)) = (of(0)?, of(1)?);
            let all = [a * c, a * d, b * c, b * d];
            (*all.iter().min()?, *all.iter().max()?)
        }
        Op::Shl { .. } => {
            let by = f.as_const(args[1]).filter(|&n| n < 31)?;
            let (a, b) = of(0)?;
            (a << by, b << by)
        }
        Op::Shr { sign, .. } => {
            let by = f.as_const(args[1]).filter(|&n| n < 32)?;
            let (a, b) = of(0).filter(|&(a, _)| sign == Sign::Signed || a >= 0)?;
            (a >> by, b >> by)
        }
        Op::And { .. } => {
            let mask = [0, 1]
                .into_iter()
                .filter_map(|i| f.as_const(args[i]))
                .min()?;
            (0, i64::try_from(mask).ok().filter(|&m| m <= MOST)?)
        }
        _ => return None,
    };
    (found.0 >= LEAST && found.1 <= MOST).then_some(found)
}
