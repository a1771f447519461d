//! Operands: reading and writing registers, immediates, addresses.

use super::frame::Local;
use super::params::Place;
use super::ssa::Var;
use super::{Lower, Result};
use crate::ir::{Int, Op, Sign, Space, Ty, Value};
use ptx::checked::{Address, AddressBase, Guard, Instruction, Operand, Symbol};
use ptx::layout::{SharedVariable, function_address, resolve_alias};
use ptx::special::SpecialRegister;
use ptx::types::StateSpace;

/// What a memory operand turned out to be.
pub enum Target {
    /// Memory: an address of the space's type, and a constant to add.
    Memory(Value, Space, i32),
    /// A `.param` variable, and an offset in it.
    Param(Place, u32),
}

/// The IR space of an access; `None` without one means generic.
pub fn space(space: Option<StateSpace>) -> Option<Space> {
    Some(match space {
        None => Space::Generic,
        Some(StateSpace::Global) => Space::Global,
        Some(StateSpace::Const) => Space::Const,
        Some(StateSpace::Local) => Space::Local,
        Some(StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster) => {
            Space::Shared
        }
        Some(StateSpace::Param | StateSpace::ParamEntry | StateSpace::ParamFunc) => Space::Param,
        Some(StateSpace::Reg | StateSpace::Sreg | StateSpace::Tex) => return None,
    })
}

impl<'a> Lower<'_, 'a> {
    /// The predicate of a guard, true where the instruction runs.
    pub(super) fn guard_value(&mut self, guard: Guard) -> Value {
        let value = self.b.get(self.frame.register(guard.predicate, 0));
        if guard.negated {
            self.op(Op::Not { ty: Ty::Pred }, &[value])
        } else {
            value
        }
    }

    /// Source number `n` as a value of this width: registers that are wider are cut, narrower ones zero-extended.
    pub(super) fn src(&mut self, i: &'a Instruction, n: usize, ty: Ty) -> Result<Value> {
        match i.srcs.get(n) {
            Some(operand) => self.read(operand, ty),
            None => self.form("an operand is missing"),
        }
    }

    /// An operand as a value of this width.
    pub(super) fn read(&mut self, operand: &Operand, ty: Ty) -> Result<Value> {
        let value = match operand {
            Operand::Register(register) => self.b.get(self.frame.register(*register, 0)),
            Operand::Component(register, component) => {
                self.b.get(self.frame.register(*register, *component))
            }
            Operand::Immediate(bits) => {
                if ty == Ty::B128 {
                    let (low, high) = (self.constant(Ty::B64, *bits), self.constant(Ty::B64, 0));
                    return Ok(self.op(
                        Op::Pack {
                            elem: Ty::B64,
                            to: Ty::B128,
                        },
                        &[low, high],
                    ));
                }
                return Ok(self.constant(ty, *bits));
            }
            Operand::Special(register, component) => {
                self.special(*register, component.unwrap_or(0))?
            }
            Operand::Symbol(symbol, offset) => self.symbol_address(*symbol, *offset)?,
            Operand::Not(register) => {
                let value = self.b.get(self.frame.register(*register, 0));
                self.op(Op::Not { ty: Ty::Pred }, &[value])
            }
            Operand::Vector(parts) => return self.pack(parts, ty),
            Operand::Sink => self.b.function.undef(ty),
            Operand::Memory(_) | Operand::Label(_) | Operand::BranchTable(_) | Operand::Raw(_) => {
                return self.form("an operand of this kind");
            }
        };
        Ok(self.fit(value, ty, Sign::Unsigned))
    }

    /// Elements side by side in one value.
    fn pack(&mut self, parts: &[Operand], ty: Ty) -> Result<Value> {
        let count = u32::try_from(parts.len()).unwrap_or(u32::MAX).max(1);
        let Some(elem) =
            Ty::of_bits(ty.bits() / count).filter(|elem| elem.bits() * count == ty.bits())
        else {
            return self.form("a vector operand of this size");
        };
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push(self.read(part, elem)?);
        }
        Ok(self.op(Op::Pack { elem, to: ty }, &values))
    }

    /// A value cut or extended to a width.
    pub(super) fn fit(&mut self, value: Value, ty: Ty, sign: Sign) -> Value {
        if self.b.function.ty(value).bits() > ty.bits() {
            self.narrow(value, ty)
        } else {
            self.widen(value, ty, sign)
        }
    }

    /// The low bits of a value. To a predicate: whether it is not 0.
    pub(super) fn narrow(&mut self, value: Value, to: Ty) -> Value {
        let from = self.b.function.ty(value);
        if from == to {
            return value;
        }
        if to == Ty::Pred
            && let Some(w) = Int::of_bits(from.bits())
        {
            let zero = self.constant(from, 0);
            return self.op(
                Op::ICmp {
                    w,
                    cmp: crate::ir::IntCmp::Ne,
                },
                &[value, zero],
            );
        }
        if from == Ty::B128 {
            return self.op(Op::Extract { from, to, index: 0 }, &[value]);
        }
        self.op(Op::Trunc { from, to }, &[value])
    }

    /// A value extended to a width.
    pub(super) fn widen(&mut self, value: Value, to: Ty, sign: Sign) -> Value {
        let from = self.b.function.ty(value);
        if from == to {
            return value;
        }
        if to == Ty::B128 {
            let low = self.widen(value, Ty::B64, sign);
            let high = match sign {
                Sign::Unsigned => self.constant(Ty::B64, 0),
                Sign::Signed => {
                    let all = self.constant(Ty::B32, 63);
                    self.op(Op::Shr { w: Int::I64, sign }, &[low, all])
                }
            };
            return self.op(Op::Pack { elem: Ty::B64, to }, &[low, high]);
        }
        match sign {
            Sign::Signed if from != Ty::Pred => self.op(Op::Sext { from, to }, &[value]),
            Sign::Signed | Sign::Unsigned => self.op(Op::Zext { from, to }, &[value]),
        }
    }

    /// Writes a destination. A register that is wider than the value is sign-extended where `sign` says so.
    pub(super) fn dst(
        &mut self,
        operand: Option<&Operand>,
        value: Value,
        sign: Sign,
    ) -> Result<()> {
        match operand {
            Some(Operand::Register(register)) => {
                let var = self.frame.register(*register, 0);
                self.set_fitted(var, value, sign);
            }
            Some(Operand::Component(register, component)) => {
                let var = self.frame.register(*register, *component);
                self.set_fitted(var, value, sign);
            }
            Some(Operand::Sink) | None => {}
            Some(Operand::Vector(parts)) => {
                let from = self.b.function.ty(value);
                let count = u32::try_from(parts.len()).unwrap_or(u32::MAX).max(1);
                let Some(to) =
                    Ty::of_bits(from.bits() / count).filter(|to| to.bits() * count == from.bits())
                else {
                    return self.form("a vector operand of this size");
                };
                for (index, part) in (0u8..).zip(parts) {
                    if !matches!(part, Operand::Sink) {
                        let element = self.op(Op::Extract { from, to, index }, &[value]);
                        self.dst(Some(part), element, sign)?;
                    }
                }
            }
            Some(_) => return self.form("a destination of this kind"),
        }
        Ok(())
    }

    /// Writes destination number 0.
    pub(super) fn def(&mut self, i: &'a Instruction, value: Value) -> Result<()> {
        self.dst(i.dsts.first(), value, Sign::Unsigned)
    }

    fn set_fitted(&mut self, var: Var, value: Value, sign: Sign) {
        let value = self.fit(value, self.b.var_ty(var), sign);
        self.set_var(var, value);
    }

    /// Writes a variable under the current guard.
    pub(super) fn set_var(&mut self, var: Var, value: Value) {
        let value = match self.guard {
            Some(guard) => {
                let old = self.b.get(var);
                let ty = self.b.var_ty(var);
                self.op(Op::Select { ty }, &[guard, value, old])
            }
            None => value,
        };
        self.b.set(var, value);
    }

    /// An operation whose operands and result have the instruction's sources and first destination.
    pub(super) fn same(&mut self, i: &'a Instruction, op: Op, types: &[Ty]) -> Result<()> {
        let mut args = Vec::with_capacity(types.len());
        for (n, &ty) in types.iter().enumerate() {
            args.push(self.src(i, n, ty)?);
        }
        let value = self.op(op, &args);
        self.def(i, value)
    }

    /// A special register.
    fn special(&mut self, register: SpecialRegister, component: u8) -> Result<Value> {
        let Some(reg) = special_register(register, component) else {
            // `%tid.w` and its kin are 0 and `%ntid.w` is 1.
            let one = matches!(
                register,
                SpecialRegister::NTid
                    | SpecialRegister::NCtaId
                    | SpecialRegister::NClusterId
                    | SpecialRegister::ClusterNCtaId
            );
            return Ok(self.constant(Ty::B32, u64::from(one)));
        };
        use crate::ir::Special as S;
        self.unit.module.info.reserved_shared |= matches!(
            reg,
            S::ReservedSmemBegin | S::ReservedSmemSecond | S::ReservedSmemEnd
        );
        Ok(self.op(Op::Special { reg }, &[]))
    }

    /// The address of a symbol in its own space, 64 bits wide.
    pub(super) fn symbol_address(&mut self, symbol: Symbol, offset: i64) -> Result<Value> {
        let base = match self.symbol_target(symbol, 0)? {
            Target::Memory(address, ..) => self.widen(address, Ty::B64, Sign::Unsigned),
            Target::Param(Place::Slot(slot), _) => {
                let address = self.op(Op::LocalAddr { slot }, &[]);
                self.widen(address, Ty::B64, Sign::Unsigned)
            }
            Target::Param(Place::Kernel(start), _) => self.constant(Ty::B64, u64::from(start)),
            Target::Param(Place::Cells(_), _) => {
                return self.form("the address of this .param variable");
            }
        };
        if offset == 0 {
            return Ok(base);
        }
        let offset = self.constant(Ty::B64, offset.cast_unsigned());
        Ok(self.op(Op::Add { w: Int::I64 }, &[base, offset]))
    }

    /// Where a symbol is.
    fn symbol_target(&mut self, symbol: Symbol, offset: i32) -> Result<Target> {
        Ok(match symbol {
            Symbol::Global(id) => {
                let space = match self.unit.checked.globals[id.index()].space {
                    StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster => {
                        return self.shared_variable(SharedVariable::Global(id), offset);
                    }
                    StateSpace::Const => Space::Const,
                    // A texture reference is memory that holds an object.
                    StateSpace::Global | StateSpace::Tex => Space::Global,
                    _ => return self.refuse(super::Why::SecondHalf),
                };
                let symbol = self.unit.symbol(id);
                Target::Memory(self.op(Op::GlobalAddr { symbol }, &[]), space, offset)
            }
            Symbol::Function(id) => {
                let id = resolve_alias(self.unit.checked, id);
                let address = self.constant(Ty::B64, function_address(id));
                Target::Memory(address, Space::Generic, offset)
            }
            Symbol::Local(id) => match self.frame.locals[id.index()].clone() {
                Local::Slot(slot) => {
                    let address = self.op(Op::LocalAddr { slot }, &[]);
                    Target::Memory(address, Space::Local, offset)
                }
                Local::Shared => {
                    return self.shared_variable(SharedVariable::Local(self.frame.id, id), offset);
                }
                Local::Param(place) => Target::Param(place, offset.max(0).cast_unsigned()),
                Local::Unsupported => {
                    return self.form("a variable of this space inside a function");
                }
            },
            Symbol::Param(n) => Target::Param(
                self.frame.params[n as usize].clone(),
                offset.max(0).cast_unsigned(),
            ),
            Symbol::Return(n) => Target::Param(
                self.frame.returns[n as usize].clone(),
                offset.max(0).cast_unsigned(),
            ),
        })
    }

    fn shared_variable(&mut self, variable: SharedVariable, offset: i32) -> Result<Target> {
        match self.unit.kernel.shared.offsets.get(&variable) {
            Some(&start) => Ok(Target::Memory(
                self.constant(Ty::B32, u64::from(start)),
                Space::Shared,
                offset,
            )),
            None => self.form("a shared variable outside the kernel's layout"),
        }
    }

    /// A memory operand of an instruction that names this space.
    pub(super) fn target(
        &mut self,
        operand: Option<&Operand>,
        written: Option<StateSpace>,
    ) -> Result<Target> {
        let Some(Operand::Memory(address)) = operand else {
            return self.form("a memory operand is missing");
        };
        let Some(named) = space(written) else {
            return self.form("this state space");
        };
        let (offset, extra) = match i32::try_from(address.offset) {
            Ok(offset) => (offset, 0),
            Err(_) => (0, address.offset),
        };
        if let AddressBase::Symbol(symbol) = address.base {
            return match self.symbol_target(symbol, offset)? {
                // A kernel parameter or a variable is accessed in its own space whatever the instruction names:
                // the checker has compared them, and a generic access to a variable means the variable.
                Target::Memory(base, own, offset) => {
                    let base = self.add_offset(base, extra);
                    Ok(Target::Memory(base, own, offset))
                }
                Target::Param(Place::Kernel(start), offset) => {
                    let base = self.constant(Ty::B32, u64::from(start));
                    Ok(Target::Memory(base, Space::Param, offset.cast_signed()))
                }
                Target::Param(Place::Slot(slot), offset) => {
                    let base = self.op(Op::LocalAddr { slot }, &[]);
                    Ok(Target::Memory(base, Space::Local, offset.cast_signed()))
                }
                cells => Ok(cells),
            };
        }
        let base = self.base_register(address)?;
        // `.param` by register: the kernel's block in a kernel, the frame in a function.
        let named = match named {
            Space::Param if !self.frame.is_kernel && written != Some(StateSpace::ParamEntry) => {
                Space::Local
            }
            other => other,
        };
        let base = self.add_offset(base, extra);
        let base = self.fit(base, named.address(), Sign::Unsigned);
        if Self::is_cluster(written) {
            let base = self.cluster_to_generic(base);
            return Ok(Target::Memory(base, Space::Generic, offset));
        }
        Ok(Target::Memory(base, named, offset))
    }

    fn base_register(&mut self, address: &Address) -> Result<Value> {
        Ok(match address.base {
            AddressBase::Register(register) => self.b.get(self.frame.register(register, 0)),
            AddressBase::Component(register, component) => {
                self.b.get(self.frame.register(register, component))
            }
            AddressBase::Absolute => self.constant(Ty::B64, 0),
            AddressBase::Symbol(_) => return self.form("an address of this kind"),
        })
    }

    fn add_offset(&mut self, base: Value, offset: i64) -> Value {
        let ty = self.b.function.ty(base);
        let Some(w) = Int::of_bits(ty.bits()).filter(|_| offset != 0) else {
            return base;
        };
        let offset = self.constant(ty, offset.cast_unsigned());
        self.op(Op::Add { w }, &[base, offset])
    }
}

/// The IR's name of a special register. `None`: component `.w`.
fn special_register(register: SpecialRegister, component: u8) -> Option<crate::ir::Special> {
    use crate::ir::Special as S;
    let xyz = |names: [S; 3]| names.get(usize::from(component)).copied();
    use SpecialRegister as R;
    match register {
        R::Tid => xyz([S::TidX, S::TidY, S::TidZ]),
        R::NTid => xyz([S::NTidX, S::NTidY, S::NTidZ]),
        R::CtaId => xyz([S::CtaIdX, S::CtaIdY, S::CtaIdZ]),
        R::NCtaId => xyz([S::NCtaIdX, S::NCtaIdY, S::NCtaIdZ]),
        R::ClusterId => xyz([S::ClusterIdX, S::ClusterIdY, S::ClusterIdZ]),
        R::NClusterId => xyz([S::NClusterIdX, S::NClusterIdY, S::NClusterIdZ]),
        R::ClusterCtaId => xyz([S::ClusterCtaIdX, S::ClusterCtaIdY, S::ClusterCtaIdZ]),
        R::ClusterNCtaId => xyz([S::ClusterNCtaIdX, S::ClusterNCtaIdY, S::ClusterNCtaIdZ]),
        R::LaneId => Some(S::LaneId),
        R::WarpId => Some(S::WarpId),
        R::NWarpId => Some(S::NWarpId),
        R::SmId => Some(S::SmId),
        R::NSmId => Some(S::NSmId),
        R::GridId => Some(S::GridId),
        R::IsExplicitCluster => Some(S::IsExplicitCluster),
        R::ClusterCtaRank => Some(S::ClusterCtaRank),
        R::ClusterNCtaRank => Some(S::ClusterNCtaRank),
        R::LaneMaskEq => Some(S::LaneMaskEq),
        R::LaneMaskLe => Some(S::LaneMaskLe),
        R::LaneMaskLt => Some(S::LaneMaskLt),
        R::LaneMaskGe => Some(S::LaneMaskGe),
        R::LaneMaskGt => Some(S::LaneMaskGt),
        R::Clock => Some(S::Clock),
        R::ClockHi => Some(S::ClockHi),
        R::Clock64 => Some(S::Clock64),
        R::GlobalTimer => Some(S::GlobalTimer),
        R::GlobalTimerLo => Some(S::GlobalTimerLo),
        R::GlobalTimerHi => Some(S::GlobalTimerHi),
        R::ReservedSmemOffsetBegin | R::ReservedSmemOffset(0) => Some(S::ReservedSmemBegin),
        R::ReservedSmemOffset(_) => Some(S::ReservedSmemSecond),
        R::ReservedSmemOffsetEnd => Some(S::ReservedSmemEnd),
        R::ReservedSmemOffsetCap => Some(S::ReservedSmemCap),
        R::TotalSmemSize => Some(S::TotalSmemSize),
        R::AggrSmemSize => Some(S::AggrSmemSize),
        R::DynamicSmemSize => Some(S::DynamicSmemSize),
        R::CurrentGraphExec => Some(S::CurrentGraphExec),
        R::EnvReg(n) => Some(S::EnvReg(n)),
        // Performance counters: all read the clock's low word; nothing else counts on this device.
        R::Pm(_) | R::Pm64(_) => Some(S::Pm0),
    }
}
