//! Asynchronous copies and barriers in shared memory.
//!
//! A copy is done where it stands: nothing in PTX says that it must not have been done by the time its group is waited
//! for. A barrier (`mbarrier`) is one 64-bit word that every operation changes atomically ([`Rmw::Mbarrier`]):
//!
//! | bits | |
//! |---|---|
//! | 0..20 | arrivals that the phase still waits for |
//! | 20..40 | arrivals that each phase waits for |
//! | 40..61 | bytes that the phase still waits for, two's complement |
//! | 61..64 | number of the phase, modulo 8 |

use super::address::Target;
use super::{Lower, Result, Why};
use crate::ir::{Access, Int, IntCmp, Op, Order, Rmw, Scope, Sign, Space, Ty, Value};
use ptx::checked::{Instruction, Operand};
use ptx::kind;
use ptx::modifier::{self, MemoryOrder};
use ptx::types::StateSpace;

/// First bit of the arrivals of every phase.
const EXPECTED: u64 = 20;
/// First bit of the bytes to come.
const BYTES: u64 = 40;
/// First bit of the phase.
const PHASE: u64 = 61;

/// An address, its space and an offset.
type Place = (Value, Space, i32);

impl<'a> Lower<'_, 'a> {
    fn memory_place(
        &mut self,
        operand: Option<&Operand>,
        space: Option<StateSpace>,
    ) -> Result<Place> {
        match self.target(operand, space)? {
            Target::Memory(address, space, offset) => Ok((address, space, offset)),
            Target::Param(..) => self.form("a .param variable here"),
        }
    }

    fn elements(
        &mut self,
        (address, space, offset): Place,
        elem: Ty,
        lanes: u8,
        step: i32,
    ) -> Result<(Access, Value)> {
        let Some(offset) = offset.checked_add(step) else {
            return self.form("an offset beyond 2^31");
        };
        let access = Access {
            lanes,
            offset,
            ..Access::weak(space, elem)
        };
        Ok((access, address))
    }

    /// Copies `bytes` (4, 8 or 16, or 1) at `step`.
    fn copy(&mut self, to: Place, from: Place, bytes: u8, step: i32) -> Result<()> {
        let (elem, lanes) = if bytes == 1 {
            (Ty::B8, 1)
        } else {
            (Ty::B32, bytes / 4)
        };
        let (access, address) = self.elements(from, elem, lanes, step)?;
        let load = self.inst(Op::Load { access }, &[address]);
        let mut values: Vec<Value> = self.b.function.results(load).collect();
        let (access, address) = self.elements(to, elem, lanes, step)?;
        values.insert(0, address);
        self.inst(Op::Store { access }, &values);
        Ok(())
    }

    fn clear(&mut self, to: Place, elem: Ty, lanes: u8, step: i32) -> Result<()> {
        let (access, address) = self.elements(to, elem, lanes, step)?;
        let zero = self.constant(elem, 0);
        let mut values = vec![address];
        values.extend(vec![zero; lanes.into()]);
        self.inst(Op::Store { access }, &values);
        Ok(())
    }

    /// `if cond { then } else { other }`
    fn choose_path(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self) -> Result<()>,
        other: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (yes, no, join) = (self.b.block(), self.b.block(), self.b.block());
        self.b.branch(cond, yes, no, false);
        for block in [yes, no] {
            self.b.seal(block);
        }
        self.b.switch_to(yes);
        then(self)?;
        self.b.jump(join);
        self.b.switch_to(no);
        other(self)?;
        self.b.jump(join);
        self.b.seal(join);
        self.b.switch_to(join);
        Ok(())
    }

    fn compare32(&mut self, cmp: IntCmp, a: Value, b: u64) -> Value {
        let b = self.constant(Ty::B32, b);
        self.op(Op::ICmp { w: Int::I32, cmp }, &[a, b])
    }

    /// `cp.async.ca`, `cp.async.cg`; a guard is a branch around it.
    pub(super) fn cp_async(&mut self, i: &'a Instruction, k: &kind::CpAsync) -> Result<()> {
        let to = self.memory_place(i.srcs.first(), Some(k.to))?;
        let from = self.memory_place(i.srcs.get(1), Some(k.from))?;
        let bytes = match i.srcs.get(2) {
            Some(Operand::Immediate(bytes @ (4 | 8 | 16))) => u8::try_from(*bytes).unwrap_or(4),
            _ => return self.form("this size"),
        };
        let Some(extra) = i
            .srcs
            .get(3)
            .filter(|_| i.srcs.len() > 3 + usize::from(k.hint))
        else {
            return self.copy(to, from, bytes, 0);
        };
        let is_predicate = match extra {
            Operand::Not(_) => true,
            Operand::Register(register) => {
                let var = self.frame.register(*register, 0);
                self.b.var_ty(var) == Ty::Pred
            }
            _ => false,
        };
        if is_predicate {
            let ignore = self.read(extra, Ty::Pred)?;
            return self.choose_path(
                ignore,
                |this| this.clear(to, Ty::B32, bytes / 4, 0),
                |this| this.copy(to, from, bytes, 0),
            );
        }
        // Bytes beyond the source's size are zeros.
        let size = self.read(extra, Ty::B32)?;
        let full = self.compare32(IntCmp::Uge, size, bytes.into());
        self.choose_path(
            full,
            |this| this.copy(to, from, bytes, 0),
            |this| {
                this.clear(to, Ty::B32, bytes / 4, 0)?;
                let some = this.compare32(IntCmp::Ne, size, 0);
                this.choose_path(
                    some,
                    |this| {
                        for n in 0..bytes {
                            let inside = this.compare32(IntCmp::Ugt, size, n.into());
                            this.choose_path(
                                inside,
                                |this| this.copy(to, from, 1, n.into()),
                                |_| Ok(()),
                            )?;
                        }
                        Ok(())
                    },
                    |_| Ok(()),
                )
            },
        )
    }

    // Barriers.

    fn mbarrier_access(
        &mut self,
        operand: Option<&Operand>,
        space: Option<StateSpace>,
        order: Order,
        scope: Option<modifier::Scope>,
    ) -> Result<(Access, Value)> {
        let place = self.memory_place(operand, space)?;
        let (access, address) = self.elements(place, Ty::B64, 1, 0)?;
        let scope = match scope {
            Some(modifier::Scope::Cluster) => Scope::Cluster,
            Some(_) | None => Scope::Cta,
        };
        let access = Access {
            order,
            scope,
            ..access
        };
        Ok((access, address))
    }

    fn wide_bits(&mut self, value: Value, at: u64) -> Value {
        let value = self.widen(value, Ty::B64, Sign::Unsigned);
        let at = self.constant(Ty::B32, at);
        self.op(Op::Shl { w: Int::I64 }, &[value, at])
    }

    /// What an arrival of `count`, `dropped` of them for good, with `bytes` more to come, adds to the word.
    fn arrival(&mut self, count: Value, dropped: bool, bytes: Option<Value>) -> Value {
        let mut word = self.widen(count, Ty::B64, Sign::Unsigned);
        if dropped {
            let high = self.wide_bits(count, EXPECTED);
            word = self.op(Op::Or { ty: Ty::B64 }, &[word, high]);
        }
        if let Some(bytes) = bytes {
            let high = self.wide_bits(bytes, BYTES);
            word = self.op(Op::Or { ty: Ty::B64 }, &[word, high]);
        }
        word
    }

    /// A change of a barrier; the word as it was.
    fn change(&mut self, access: Access, address: Value, word: Value) -> Value {
        let rmw = Rmw::Mbarrier;
        let inst = self.guarded_inst(Op::Atom { rmw, access }, &[address, word]);
        self.result(inst, 0)
    }

    pub(super) fn mbarrier_init(
        &mut self,
        i: &'a Instruction,
        k: &kind::MbarrierInit,
    ) -> Result<()> {
        let (access, address) = self.mbarrier_access(i.srcs.first(), k.space, Order::Weak, None)?;
        let count = self.src(i, 1, Ty::B32)?;
        let pending = self.widen(count, Ty::B64, Sign::Unsigned);
        let expected = self.wide_bits(count, EXPECTED);
        let word = self.op(Op::Or { ty: Ty::B64 }, &[pending, expected]);
        self.guarded_inst(Op::Store { access }, &[address, word]);
        Ok(())
    }

    /// Bytes to come: more (`expect_tx`) or fewer (`complete_tx`).
    pub(super) fn mbarrier_tx(
        &mut self,
        i: &'a Instruction,
        space: Option<StateSpace>,
        scope: Option<modifier::Scope>,
        come: bool,
    ) -> Result<()> {
        let (access, address) =
            self.mbarrier_access(i.srcs.first(), space, Order::Relaxed, scope)?;
        let bytes = self.src(i, 1, Ty::B32)?;
        self.bytes_came(access, address, bytes, come);
        Ok(())
    }

    fn bytes_came(&mut self, access: Access, address: Value, bytes: Value, come: bool) {
        let bytes = if come {
            let zero = self.constant(Ty::B32, 0);
            self.op(Op::Sub { w: Int::I32 }, &[zero, bytes])
        } else {
            bytes
        };
        // The field's 21 bits.
        let mask = self.constant(Ty::B32, 0x1f_ffff);
        let bytes = self.op(Op::And { ty: Ty::B32 }, &[bytes, mask]);
        let word = self.wide_bits(bytes, BYTES);
        let rmw = Rmw::Mbarrier;
        self.guarded_inst(Op::Red { rmw, access }, &[address, word]);
    }

    /// `arrive` and `arrive_drop` in all their forms.
    pub(super) fn mbarrier_arrive(
        &mut self,
        i: &'a Instruction,
        dropped: bool,
        expect_tx: bool,
        order: Option<MemoryOrder>,
        scope: Option<modifier::Scope>,
        space: Option<StateSpace>,
    ) -> Result<()> {
        let order = match order {
            Some(MemoryOrder::Relaxed) => Order::Relaxed,
            Some(_) | None => Order::Release,
        };
        let (access, address) = self.mbarrier_access(i.srcs.first(), space, order, scope)?;
        let one = self.constant(Ty::B32, 1);
        let operand = match i.srcs.get(1) {
            Some(operand) => Some(self.read(operand, Ty::B32)?),
            None => None,
        };
        let word = if expect_tx {
            self.arrival(one, dropped, operand)
        } else {
            self.arrival(operand.unwrap_or(one), dropped, None)
        };
        let state = self.change(access, address, word);
        self.def(i, state)
    }

    /// `test_wait` and `try_wait`: whether the phase of a state, or of a parity, is complete.
    pub(super) fn mbarrier_wait(
        &mut self,
        i: &'a Instruction,
        parity: bool,
        order: Option<MemoryOrder>,
        scope: Option<modifier::Scope>,
        space: Option<StateSpace>,
    ) -> Result<()> {
        let order = match order {
            Some(MemoryOrder::Relaxed) => Order::Relaxed,
            Some(_) | None => Order::Acquire,
        };
        let (access, address) = self.mbarrier_access(i.srcs.first(), space, order, scope)?;
        let inst = self.guarded_inst(Op::Load { access }, &[address]);
        let now = self.result(inst, 0);
        let at = self.constant(Ty::B32, PHASE);
        let (w, sign) = (Int::I64, Sign::Unsigned);
        let now = self.op(Op::Shr { w, sign }, &[now, at]);
        let now = self.narrow(now, Ty::B32);
        let then = if parity {
            self.src(i, 1, Ty::B32)?
        } else {
            let state = self.src(i, 1, Ty::B64)?;
            let phase = self.op(Op::Shr { w, sign }, &[state, at]);
            self.narrow(phase, Ty::B32)
        };
        let differ = self.op(Op::Xor { ty: Ty::B32 }, &[now, then]);
        let one = self.constant(Ty::B32, 1);
        let differ = self.op(Op::And { ty: Ty::B32 }, &[differ, one]);
        let complete = self.compare32(IntCmp::Ne, differ, 0);
        self.def(i, complete)
    }

    /// `pending_count`
    pub(super) fn mbarrier_pending(&mut self, i: &'a Instruction) -> Result<()> {
        let state = self.src(i, 0, Ty::B64)?;
        let low = self.narrow(state, Ty::B32);
        let mask = self.constant(Ty::B32, (1 << EXPECTED) - 1);
        let count = self.op(Op::And { ty: Ty::B32 }, &[low, mask]);
        self.def(i, count)
    }

    /// `cp.async.mbarrier.arrive`: the thread's copies are done. Without `.noinc` the arrival was counted on top of
    /// those expected, so that nothing changes.
    pub(super) fn cp_async_arrive(
        &mut self,
        i: &'a Instruction,
        k: &kind::CpAsyncArrive,
    ) -> Result<()> {
        let (access, address) =
            self.mbarrier_access(i.srcs.first(), k.space, Order::Release, None)?;
        if k.noinc {
            let one = self.constant(Ty::B64, 1);
            self.change(access, address, one);
        }
        Ok(())
    }

    // Bulk copies: instructions without a row of their own.

    /// `cp.async.bulk…`, `st.async`; `None`: it is another instruction.
    pub(super) fn bulk(
        &mut self,
        i: &'a Instruction,
        opcode: &str,
        modifiers: &[&str],
    ) -> Result<Option<()>> {
        const BYTES_CAME: &str = "mbarrier::complete_tx::bytes";
        let shared = |text: &str| match text {
            "shared::cta" => Some(StateSpace::SharedCta),
            "shared::cluster" => Some(StateSpace::SharedCluster),
            _ => None,
        };
        match (opcode, modifiers) {
            ("cp", ["async", "bulk", "commit_group" | "wait_group", ..])
            | ("cp", ["async", "bulk", "prefetch", "L2", ..]) => Ok(Some(())),
            (
                "cp",
                [
                    "async",
                    "bulk",
                    to,
                    from @ ("global" | "shared::cta"),
                    BYTES_CAME,
                    rest @ ..,
                ],
            ) => {
                let Some(space) = shared(to) else {
                    return Ok(None);
                };
                if !rest.iter().all(|text| *text == "L2::cache_hint") {
                    return self.refuse(Why::SecondHalf);
                }
                let from = if *from == "global" {
                    StateSpace::Global
                } else {
                    StateSpace::Shared
                };
                let to = self.memory_place(i.srcs.first(), Some(space))?;
                let from = self.memory_place(i.srcs.get(1), Some(from))?;
                let size = self.src(i, 2, Ty::B32)?;
                self.copy_all(to, from, size)?;
                self.told(i.srcs.get(3), space, size)?;
                Ok(Some(()))
            }
            (
                "cp",
                [
                    "async",
                    "bulk",
                    "global",
                    "shared::cta",
                    "bulk_group",
                    rest @ ..,
                ],
            ) => {
                if !rest.iter().all(|text| *text == "L2::cache_hint") {
                    return self.refuse(Why::SecondHalf);
                }
                let to = self.memory_place(i.srcs.first(), Some(StateSpace::Global))?;
                let from = self.memory_place(i.srcs.get(1), Some(StateSpace::Shared))?;
                let size = self.src(i, 2, Ty::B32)?;
                self.copy_all(to, from, size)?;
                Ok(Some(()))
            }
            ("st", ["async", rest @ ..]) => {
                let rest: Vec<&str> = rest
                    .iter()
                    .copied()
                    .filter(|text| *text != "weak")
                    .collect();
                let [space, BYTES_CAME, vector @ .., ty] = rest.as_slice() else {
                    return self.refuse(Why::SecondHalf);
                };
                let ty = ptx::types::ScalarType::from_text(ty);
                let (Some(space), Some(ty), [] | ["v2" | "v4"]) = (shared(space), ty, vector)
                else {
                    return self.form("this form of st.async");
                };
                let elem = super::frame::width(ty);
                let to = self.memory_place(i.srcs.first(), Some(space))?;
                let parts = match i.srcs.get(1) {
                    Some(Operand::Vector(parts)) => parts.as_slice(),
                    Some(one) => std::slice::from_ref(one),
                    None => return self.form("a source is missing"),
                };
                let lanes = u8::try_from(parts.len()).unwrap_or(1);
                let (access, address) = self.elements(to, elem, lanes, 0)?;
                let mut values = vec![address];
                for part in parts {
                    values.push(self.read(part, elem)?);
                }
                self.inst(Op::Store { access }, &values);
                let bytes = self.constant(Ty::B32, u64::from(elem.bytes()) * u64::from(lanes));
                self.told(i.srcs.get(2), space, bytes)?;
                Ok(Some(()))
            }
            _ => Ok(None),
        }
    }

    /// Tells the barrier that belongs to a copy, perhaps another block's, that the bytes have come.
    fn told(&mut self, barrier: Option<&Operand>, space: StateSpace, bytes: Value) -> Result<()> {
        let scope = Self::is_cluster(Some(space)).then_some(modifier::Scope::Cluster);
        let (access, address) =
            self.mbarrier_access(barrier, Some(space), Order::Release, scope)?;
        self.bytes_came(access, address, bytes, true);
        Ok(())
    }

    /// A loop over pieces of 16 bytes.
    fn copy_all(&mut self, to: Place, from: Place, size: Value) -> Result<()> {
        let counter = self.b.var(Ty::B32);
        let zero = self.constant(Ty::B32, 0);
        self.b.set(counter, zero);
        let (head, body, done) = (self.b.block(), self.b.block(), self.b.block());
        self.b.jump(head);
        self.b.switch_to(head);
        let at = self.b.get(counter);
        let cmp = IntCmp::Ult;
        let more = self.op(Op::ICmp { w: Int::I32, cmp }, &[at, size]);
        self.b.branch(more, body, done, false);
        self.b.seal(body);
        self.b.seal(done);
        self.b.switch_to(body);
        let mut moved = [to, from];
        for place in &mut moved {
            let w = Int::of_bits(place.1.address().bits()).unwrap_or(Int::I64);
            let step = self.widen(at, w.ty(), Sign::Unsigned);
            place.0 = self.op(Op::Add { w }, &[place.0, step]);
        }
        self.copy(moved[0], moved[1], 16, 0)?;
        let step = self.constant(Ty::B32, 16);
        let next = self.op(Op::Add { w: Int::I32 }, &[at, step]);
        self.b.set(counter, next);
        self.b.jump(head);
        self.b.seal(head);
        self.b.switch_to(done);
        Ok(())
    }
}
