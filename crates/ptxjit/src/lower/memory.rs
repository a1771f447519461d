//! Loads, stores, atomics, fences.

use super::address::Target;
use super::arith::sign;
use super::frame::width;
use super::{Lower, Result};
use crate::ir::{Access, Op, Order, Rmw, Scope, Sign, Space, Ty, Value};
use ptx::checked::{Instruction, Operand};
use ptx::kind;
use ptx::modifier::{self, AtomOp, FenceOrder, LoadCache, MembarLevel, MemoryOrder, ProxyKind};
use ptx::types::{ScalarType, StateSpace, VectorWidth};

fn scope(scope: Option<modifier::Scope>, default: Scope) -> Scope {
    match scope {
        None => default,
        Some(modifier::Scope::Cta) => Scope::Cta,
        Some(modifier::Scope::Cluster) => Scope::Cluster,
        Some(modifier::Scope::Gpu) => Scope::Gpu,
        Some(modifier::Scope::Sys) => Scope::Sys,
    }
}

fn order(order: Option<MemoryOrder>, mmio: bool, default: Order) -> Order {
    match order {
        _ if mmio => Order::Mmio,
        None => default,
        Some(MemoryOrder::Weak) => Order::Weak,
        Some(MemoryOrder::Volatile) => Order::Volatile,
        Some(MemoryOrder::Relaxed) => Order::Relaxed,
        Some(MemoryOrder::Acquire) => Order::Acquire,
        Some(MemoryOrder::Release) => Order::Release,
        Some(MemoryOrder::AcqRel) => Order::AcqRel,
    }
}

/// Register operands of a vector access, or the one of a scalar one.
fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(parts) => parts,
        one => std::slice::from_ref(one),
    }
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn ld(&mut self, i: &'a Instruction, k: &kind::Ld) -> Result<()> {
        // `.cv` reads again each time.
        let default = if k.cache == Some(LoadCache::Cv) {
            Order::Volatile
        } else {
            Order::Weak
        };
        let form = Access {
            order: order(k.order, k.mmio, default),
            scope: scope(k.scope, Scope::Sys),
            invariant: k.nc,
            ..Access::weak(Space::Generic, width(k.ty))
        };
        self.load(i, k.space, k.vector, k.ty, form)
    }

    pub(super) fn ldu(&mut self, i: &'a Instruction, k: &kind::Ldu) -> Result<()> {
        let form = Access {
            invariant: true,
            ..Access::weak(Space::Generic, width(k.ty))
        };
        self.load(i, k.space, k.vector, k.ty, form)
    }

    fn load(
        &mut self,
        i: &'a Instruction,
        space: Option<StateSpace>,
        vector: Option<VectorWidth>,
        ty: ScalarType,
        form: Access,
    ) -> Result<()> {
        let lanes = vector.map_or(1, VectorWidth::lanes);
        let Some(dst) = i.dsts.first() else {
            return self.form("a destination is missing");
        };
        let parts = if vector.is_some() {
            elements(dst)
        } else {
            std::slice::from_ref(dst)
        };
        let mut values = Vec::with_capacity(parts.len());
        match self.target(i.srcs.first(), space)? {
            Target::Param(place, offset) => {
                for lane in 0..lanes {
                    values.push(self.read_place(&place, offset + lane * ty.bytes(), form.elem));
                }
            }
            Target::Memory(address, space, offset) => {
                let invariant = form.invariant || matches!(space, Space::Const | Space::Param);
                let lanes = u8::try_from(lanes).unwrap_or(1);
                let access = Access {
                    space,
                    offset,
                    lanes,
                    invariant,
                    ..form
                };
                let inst = self.guarded_inst(Op::Load { access }, &[address]);
                values.extend(self.b.function.results(inst));
            }
        }
        for (part, value) in parts.iter().zip(values) {
            self.dst(Some(part), value, sign(ty))?;
        }
        Ok(())
    }

    pub(super) fn st(&mut self, i: &'a Instruction, k: &kind::St) -> Result<()> {
        let Some(source) = i.srcs.get(1) else {
            return self.form("a source is missing");
        };
        let parts = if k.vector.is_some() {
            elements(source)
        } else {
            std::slice::from_ref(source)
        };
        let elem = width(k.ty);
        let mut values = Vec::with_capacity(parts.len() + 1);
        match self.target(i.srcs.first(), k.space)? {
            Target::Param(place, offset) => {
                for (lane, part) in (0u32..).zip(parts) {
                    let value = self.read(part, elem)?;
                    self.write_place(&place, offset + lane * k.ty.bytes(), value);
                }
            }
            Target::Memory(address, space, offset) => {
                values.push(address);
                for part in parts {
                    values.push(self.read(part, elem)?);
                }
                let access = Access {
                    space,
                    elem,
                    lanes: u8::try_from(parts.len()).unwrap_or(1),
                    offset,
                    order: order(k.order, k.mmio, Order::Weak),
                    scope: scope(k.scope, Scope::Sys),
                    invariant: false,
                };
                self.guarded_inst(Op::Store { access }, &values);
            }
        }
        Ok(())
    }

    pub(super) fn atom(&mut self, i: &'a Instruction, k: &kind::Atom) -> Result<()> {
        let form = (
            order(k.order, false, Order::Relaxed),
            scope(k.scope, Scope::Gpu),
        );
        let results = self.atomic(i, k.op, k.ty, k.space, k.vector.is_some(), form, true)?;
        let Some(dst) = i.dsts.first() else {
            return Ok(());
        };
        let parts = if k.vector.is_some() {
            elements(dst)
        } else {
            std::slice::from_ref(dst)
        };
        for (part, value) in parts.iter().zip(results) {
            self.dst(Some(part), value, sign(k.ty))?;
        }
        Ok(())
    }

    pub(super) fn red(&mut self, i: &'a Instruction, k: &kind::Red) -> Result<()> {
        let form = (
            order(k.order, false, Order::Relaxed),
            scope(k.scope, Scope::Gpu),
        );
        self.atomic(i, k.op, k.ty, k.space, k.vector.is_some(), form, false)
            .map(|_| ())
    }

    /// An atomic; of a vector, one after the other (PTX promises no more than each element's atomicity).
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts that atom and red share"
    )]
    fn atomic(
        &mut self,
        i: &'a Instruction,
        op: AtomOp,
        ty: ScalarType,
        written: Option<StateSpace>,
        vector: bool,
        (order, scope): (Order, Scope),
        wanted: bool,
    ) -> Result<Vec<Value>> {
        let Some(rmw) = rmw(op, ty) else {
            return self.form("this operation on this type");
        };
        let Target::Memory(address, space, offset) = self.target(i.srcs.first(), written)? else {
            return self.form("an atomic on a .param variable");
        };
        let elem = width(ty);
        let Some(source) = i.srcs.get(1) else {
            return self.form("a source is missing");
        };
        let parts = if vector {
            elements(source)
        } else {
            std::slice::from_ref(source)
        };
        let mut results = Vec::new();
        for (lane, part) in (0i32..).zip(parts) {
            let mut args = vec![address, self.read(part, elem)?];
            if rmw.is_cas() {
                args.push(self.src(i, 2, elem)?);
            }
            let step = i32::try_from(elem.bytes()).unwrap_or(0) * lane;
            let Some(offset) = offset.checked_add(step) else {
                return self.form("an offset beyond 2^31");
            };
            let access = Access {
                space,
                elem,
                lanes: 1,
                offset,
                order,
                scope,
                invariant: false,
            };
            if wanted {
                let inst = self.guarded_inst(Op::Atom { rmw, access }, &args);
                results.push(self.result(inst, 0));
            } else {
                self.guarded_inst(Op::Red { rmw, access }, &args);
            }
        }
        Ok(results)
    }

    pub(super) fn membar(&mut self, k: &kind::Membar) -> Result<()> {
        let scope = match k.level {
            MembarLevel::Cta => Scope::Cta,
            MembarLevel::Gl => Scope::Gpu,
            MembarLevel::Sys => Scope::Sys,
        };
        self.guarded_inst(
            Op::Fence {
                order: Order::SeqCst,
                scope,
            },
            &[],
        );
        Ok(())
    }

    pub(super) fn fence(&mut self, k: &kind::Fence) -> Result<()> {
        // `.mbarrier_init` and `.sync_restrict` narrow what is ordered: more than that may be.
        let order = match k.order {
            Some(FenceOrder::Sc) => Order::SeqCst,
            None | Some(FenceOrder::AcqRel) => Order::AcqRel,
            Some(FenceOrder::Acquire) => Order::Acquire,
            Some(FenceOrder::Release) => Order::Release,
        };
        self.guarded_inst(
            Op::Fence {
                order,
                scope: scope(k.scope, Scope::Sys),
            },
            &[],
        );
        Ok(())
    }

    /// Proxies are one here: an alias fence orders all of a thread's accesses, the others order nothing that the
    /// accesses themselves do not.
    pub(super) fn fence_proxy(&mut self, k: &kind::FenceProxy) -> Result<()> {
        let (order, scope) = match k.proxy {
            ProxyKind::Alias => (Order::SeqCst, Scope::Sys),
            ProxyKind::Async
            | ProxyKind::AsyncGlobal
            | ProxyKind::AsyncSharedCta
            | ProxyKind::AsyncSharedCluster
            | ProxyKind::AsyncGeneric
            | ProxyKind::TensormapGeneric => (Order::AcqRel, scope(k.scope, Scope::Gpu)),
        };
        self.guarded_inst(Op::Fence { order, scope }, &[]);
        Ok(())
    }

    /// A pair of destinations.
    pub(super) fn def_two(
        &mut self,
        i: &'a Instruction,
        first: Value,
        second: Value,
    ) -> Result<()> {
        self.def(i, first)?;
        match i.dsts.get(1) {
            Some(dst) => self.dst(Some(dst), second, Sign::Unsigned),
            None => Ok(()),
        }
    }
}

/// The operation on memory.
fn rmw(op: AtomOp, ty: ScalarType) -> Option<Rmw> {
    use ScalarType as T;
    let bits = Ty::of_bits(ty.bits())?;
    let word = matches!(bits, Ty::B32 | Ty::B64) && !ty.is_float();
    Some(match (op, ty) {
        (AtomOp::Cas, _) if bits >= Ty::B16 => Rmw::Cas,
        (AtomOp::Exch, _) if bits >= Ty::B16 => Rmw::Exch,
        (AtomOp::And, _) if word => Rmw::And,
        (AtomOp::Or, _) if word => Rmw::Or,
        (AtomOp::Xor, _) if word => Rmw::Xor,
        (AtomOp::Add, T::F16) => Rmw::AddF16,
        (AtomOp::Add, T::F16x2) => Rmw::AddF16x2,
        (AtomOp::Add, T::Bf16) => Rmw::AddBf16,
        (AtomOp::Add, T::Bf16x2) => Rmw::AddBf16x2,
        (AtomOp::Add, T::F32) => Rmw::AddF32,
        (AtomOp::Add, T::F64) => Rmw::AddF64,
        (AtomOp::Add, _) if word => Rmw::Add,
        (AtomOp::Inc, T::U32) => Rmw::Inc,
        (AtomOp::Dec, T::U32) => Rmw::Dec,
        (AtomOp::Min, T::F16) => Rmw::MinF16,
        (AtomOp::Min, T::F16x2) => Rmw::MinF16x2,
        (AtomOp::Min, T::Bf16) => Rmw::MinBf16,
        (AtomOp::Min, T::Bf16x2) => Rmw::MinBf16x2,
        (AtomOp::Max, T::F16) => Rmw::MaxF16,
        (AtomOp::Max, T::F16x2) => Rmw::MaxF16x2,
        (AtomOp::Max, T::Bf16) => Rmw::MaxBf16,
        (AtomOp::Max, T::Bf16x2) => Rmw::MaxBf16x2,
        (AtomOp::Min, _) if word => {
            if ty.is_signed() {
                Rmw::Smin
            } else {
                Rmw::Umin
            }
        }
        (AtomOp::Max, _) if word => {
            if ty.is_signed() {
                Rmw::Smax
            } else {
                Rmw::Umax
            }
        }
        _ => return None,
    })
}
