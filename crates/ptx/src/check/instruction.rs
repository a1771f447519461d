//! One instruction: guard, row of the table, modifiers, operands.

use super::body::BodyChecker;
use super::opcode::{self, Opcode};
use super::operands::{Args, symbol};
use super::scope::Meaning;
use super::{arithmetic, call, logic, memory, movement, sync, video};
use crate::ast::{self, Base};
use crate::checked::{Address, AddressBase, Guard, Instruction, Operand};
use crate::error::ErrorKind;
use crate::kind::{Kind, ModifierError, Other};
use crate::special::SpecialRegister;
use crate::types::ScalarType;

impl<'a> BodyChecker<'_, 'a> {
    /// Checks an instruction and appends it to the body.
    pub fn instruction(&mut self, source: &ast::Instruction<'a>, location: Option<u32>) {
        let guard = match source.guard {
            Some(guard) => match self.guard(guard) {
                Some(guard) => Some(guard),
                None => return,
            },
            None => None,
        };
        let pos = source.opcode.pos;
        let Some((kind, dsts, srcs)) = self.operation(source) else {
            return;
        };
        self.check_target(pos, &kind);
        self.body.instructions.push(Instruction {
            pos,
            location,
            guard,
            kind,
            dsts,
            srcs,
        });
    }

    fn guard(&mut self, guard: ast::Guard<'a>) -> Option<Guard> {
        let name = guard.predicate;
        let meaning = self.resolve(name)?;
        if let Meaning::Register(predicate) = meaning {
            let register = &self.body.registers[predicate.index()];
            if register.ty == ScalarType::Pred && register.vector.is_none() {
                let negated = guard.negated;
                return Some(Guard { predicate, negated });
            }
        }
        self.error(name.pos, ErrorKind::PredicateExpected);
        None
    }

    fn operation(
        &mut self,
        source: &ast::Instruction<'a>,
    ) -> Option<(Kind, Vec<Operand>, Vec<Operand>)> {
        let name = source.opcode;
        let key = match opcode::find(name.text, &source.modifiers) {
            Opcode::Row(key) => key,
            Opcode::Video => return video::check(self, source),
            Opcode::Other => {
                let kind = Kind::Other(Other {
                    opcode: name.text.to_owned(),
                    modifiers: source
                        .modifiers
                        .iter()
                        .map(|text| (*text).to_owned())
                        .collect(),
                });
                let srcs = self.raw_operands(&source.operands);
                return Some((kind, Vec::new(), srcs));
            }
            Opcode::Unknown => {
                let kind = ErrorKind::UnknownInstruction {
                    name: name.text.into(),
                };
                self.error(name.pos, kind);
                return None;
            }
        };
        if key.key == "call" {
            return call::check(self, source, &key.modifiers);
        }
        let kind = match Kind::from_key(key.key, &key.modifiers)? {
            Ok(kind) => kind,
            Err(error) => {
                let kind = modifier_error(name.text, &key.modifiers, error);
                self.error(name.pos, kind);
                return None;
            }
        };
        let mut args = Args::new(self, source);
        dispatch(&kind, &mut args);
        let (dsts, srcs) = args.finish();
        Some((kind, dsts, srcs))
    }

    /// Operands of an instruction that has no row: names resolved, the rest as it is.
    fn raw_operands(&mut self, operands: &[ast::Operand<'a>]) -> Vec<Operand> {
        operands
            .iter()
            .filter_map(|operand| self.raw(operand))
            .collect()
    }

    fn raw(&mut self, operand: &ast::Operand<'a>) -> Option<Operand> {
        Some(match operand {
            ast::Operand::Name {
                name,
                selector: None,
            } => self.raw_name(*name)?,
            ast::Operand::Name {
                name,
                selector: Some(text),
            } => {
                if SpecialRegister::from_name(name.text).is_none() {
                    self.resolve(*name)?;
                }
                Operand::Raw(format!("{}.{text}", name.text))
            }
            ast::Operand::Negated { name, selector } => {
                self.resolve(*name)?;
                let dot = selector.map_or_else(String::new, |text| format!(".{text}"));
                Operand::Raw(format!("-{}{dot}", name.text))
            }
            ast::Operand::Offset { name, offset } => {
                let meaning = self.resolve(*name)?;
                match symbol(meaning) {
                    Some(symbol) => Operand::Symbol(symbol, *offset),
                    None => Operand::Raw(format!("{}{offset:+}", name.text)),
                }
            }
            ast::Operand::Element { name, index, .. } => {
                self.resolve(*name)?;
                Operand::Raw(format!("{}[{index}]", name.text))
            }
            ast::Operand::Number { value, .. } => Operand::Immediate(match *value {
                ast::Number::Signed(value) => value.cast_unsigned(),
                ast::Number::Unsigned(value) => value,
                ast::Number::F32(bits) => bits.into(),
                ast::Number::F64(bits) => bits,
            }),
            ast::Operand::Sink(_) => Operand::Sink,
            ast::Operand::Not(name) => match self.resolve(*name)? {
                Meaning::Register(id) => Operand::Not(id),
                _ => Operand::Raw(format!("!{}", name.text)),
            },
            ast::Operand::Pair(first, second) => Operand::Vector(
                [self.raw(first), self.raw(second)]
                    .into_iter()
                    .flatten()
                    .collect(),
            ),
            ast::Operand::Memory(memory) => self.raw_memory(memory)?,
            ast::Operand::Vector(list, _) | ast::Operand::List(list, _) => {
                Operand::Vector(self.raw_operands(list))
            }
        })
    }

    fn raw_name(&mut self, name: ast::Name<'a>) -> Option<Operand> {
        let Some(meaning) = self.find(name.text) else {
            if let Some(special) = SpecialRegister::from_name(name.text) {
                return Some(Operand::Special(special, None));
            }
            self.resolve(name)?;
            return None;
        };
        Some(match meaning {
            Meaning::Register(id) => Operand::Register(id),
            Meaning::Label(id) => Operand::Label(id),
            Meaning::BranchTable(id) => Operand::BranchTable(id),
            other => match symbol(other) {
                Some(symbol) => Operand::Symbol(symbol, 0),
                None => Operand::Raw(name.text.to_owned()),
            },
        })
    }

    fn raw_memory(&mut self, memory: &ast::Memory<'a>) -> Option<Operand> {
        let base = match memory.base {
            Base::Absolute => AddressBase::Absolute,
            Base::Name { name, .. } => {
                let meaning = self.resolve(name)?;
                match (meaning, symbol(meaning)) {
                    (Meaning::Register(id), _) => AddressBase::Register(id),
                    (_, Some(symbol)) => AddressBase::Symbol(symbol),
                    (_, None) => return Some(Operand::Raw(format!("[{}]", name.text))),
                }
            }
        };
        Some(Operand::Memory(Address {
            base,
            offset: memory.offset,
            rest: self.raw_operands(&memory.rest),
        }))
    }
}

pub(super) fn modifier_error(opcode: &str, modifiers: &[&str], error: ModifierError) -> ErrorKind {
    let instruction = opcode.to_owned();
    match error {
        ModifierError::Unexpected(index) => {
            let name = modifiers.get(index).copied().unwrap_or_default().to_owned();
            if opcode::is_modifier(&name) {
                ErrorKind::IllegalModifier { name, instruction }
            } else {
                ErrorKind::UnknownModifier { name }
            }
        }
        ModifierError::Missing("ScalarType") => ErrorKind::Types { instruction },
        ModifierError::Missing(slot) => {
            let what = match slot {
                "MulHalf" => "'.hi', '.lo' or '.wide' modifier",
                "Half" => "'.lo' or '.hi' modifier",
                "ClampWrap" => "'.clamp' or '.wrap' modifier",
                "CmpOp" => "Comparison operator",
                "StateSpace" => "State space",
                "CacheLevel" => "Cache level",
                "AtomOp" | "ReduxOp" | "BarrierOp" | "ClusterBarrierOp" => "Operation modifier",
                "TestpOp" | "GridDepOp" => "Operation modifier",
                "ShflMode" | "VoteMode" | "MatchMode" => "Mode modifier",
                _ => "Modifier",
            };
            ErrorKind::Required { what, instruction }
        }
    }
}

/// The rules and operands of each instruction.
fn dispatch(kind: &Kind, args: &mut Args<'_, '_, '_>) {
    match kind {
        Kind::Add(m) => arithmetic::add(args, m.rnd, m.ftz, m.sat, m.cc, m.ty, m.aty),
        Kind::Sub(m) => arithmetic::add(args, m.rnd, m.ftz, m.sat, m.cc, m.ty, m.aty),
        Kind::AddC(m) => arithmetic::add_carry(args, m.ty),
        Kind::SubC(m) => arithmetic::add_carry(args, m.ty),
        Kind::Mul(m) => arithmetic::mul(args, m),
        Kind::Mad(m) => arithmetic::mad(args, m),
        Kind::MadC(m) => arithmetic::mad_carry(args, m),
        Kind::Mul24(m) => arithmetic::mul24(args, m.half, m.ty, false),
        Kind::Mad24(m) => arithmetic::mul24(args, m.half, m.ty, true),
        Kind::Sad(m) => arithmetic::sad(args, m.ty),
        Kind::Div(m) => arithmetic::div(args, m),
        Kind::Rem(m) => arithmetic::rem(args, m.ty),
        Kind::Abs(m) => arithmetic::abs(args, m.ftz, m.ty),
        Kind::Neg(m) => arithmetic::abs(args, m.ftz, m.ty),
        Kind::Min(m) => arithmetic::min(args, m.ftz, m.nan, m.xorsign, m.abs, m.relu, m.ty),
        Kind::Max(m) => arithmetic::min(args, m.ftz, m.nan, m.xorsign, m.abs, m.relu, m.ty),
        Kind::Popc(m) => arithmetic::count(args, m.ty),
        Kind::Clz(m) => arithmetic::count(args, m.ty),
        Kind::Bfind(m) => arithmetic::bfind(args, m.ty),
        Kind::Fns(m) => arithmetic::fns(args, m.ty),
        Kind::Brev(m) => arithmetic::brev(args, m.ty),
        Kind::Bfe(m) => arithmetic::bfe(args, m.ty),
        Kind::Bfi(m) => arithmetic::bfi(args, m.ty),
        Kind::Szext(m) => arithmetic::szext(args, m.ty),
        Kind::Bmsk(m) => arithmetic::bmsk(args, m.ty),
        Kind::Dp4a(m) => arithmetic::dot(args, m.aty, m.bty),
        Kind::Dp2a(m) => arithmetic::dot(args, m.aty, m.bty),
        Kind::Testp(m) => arithmetic::testp(args, m.ty),
        Kind::Copysign(m) => arithmetic::copysign(args, m.ty),
        Kind::Fma(m) => arithmetic::fma(args, m),
        Kind::Rcp(m) => arithmetic::reciprocal(args, m.approx, m.rnd, m.ftz, m.ty, true),
        Kind::Sqrt(m) => arithmetic::reciprocal(args, m.approx, m.rnd, m.ftz, m.ty, false),
        Kind::Rsqrt(m) => arithmetic::rsqrt(args, m.approx, m.ty),
        Kind::Sin(m) => arithmetic::approximate(args, m.approx, m.ty),
        Kind::Cos(m) => arithmetic::approximate(args, m.approx, m.ty),
        Kind::Lg2(m) => arithmetic::approximate(args, m.approx, m.ty),
        Kind::Ex2(m) => arithmetic::approximate_half(args, m.approx, m.ftz, m.ty),
        Kind::Tanh(m) => arithmetic::approximate_half(args, m.approx, false, m.ty),
        Kind::Set(m) => logic::set(args, m),
        Kind::Setp(m) => logic::setp(args, m),
        Kind::Selp(m) => logic::selp(args, m.ty),
        Kind::Slct(m) => logic::slct(args, m),
        Kind::And(m) => logic::binary(args, m.ty),
        Kind::Or(m) => logic::binary(args, m.ty),
        Kind::Xor(m) => logic::binary(args, m.ty),
        Kind::Not(m) => logic::not(args, m.ty),
        Kind::Cnot(m) => logic::cnot(args, m.ty),
        Kind::Lop3(m) => logic::lop3(args, m),
        Kind::Shf(m) => logic::shf(args, m.ty),
        Kind::Shl(m) => logic::shl(args, m.ty),
        Kind::Shr(m) => logic::shr(args, m.ty),
        Kind::Mov(m) => movement::mov(args, m.ty),
        Kind::Shfl(m) => movement::shfl(args, m),
        Kind::Prmt(m) => movement::prmt(args, m.ty),
        Kind::Isspacep(_) => movement::isspacep(args),
        Kind::Cvta(m) => movement::cvta(args, m),
        Kind::Cvt(m) => movement::cvt(args, m),
        Kind::CvtPack(m) => movement::cvt_pack(args, m),
        Kind::Mapa(m) => movement::mapa(args, m.ty),
        Kind::GetCtaRank(m) => movement::getctarank(args, m.ty),
        Kind::Ld(m) => memory::ld(args, m),
        Kind::Ldu(m) => memory::ldu(args, m),
        Kind::St(m) => memory::st(args, m),
        Kind::Prefetch(m) => memory::prefetch(args, m.space),
        Kind::Prefetchu(_) => args.memory(None, false),
        Kind::ApplyPriority(m) => memory::sized(args, m.space),
        Kind::Discard(m) => memory::sized(args, m.space),
        Kind::CreatePolicy(m) => memory::create_policy(args, m),
        Kind::Atom(m) => memory::atom(args, m),
        Kind::Red(m) => memory::red(args, m),
        Kind::Barrier(m) => sync::barrier(args, m),
        Kind::BarWarp(m) => sync::bar_warp(args, m.sync),
        Kind::BarrierCluster(m) => sync::barrier_cluster(args, m),
        Kind::Membar(_) => {}
        Kind::Fence(m) => sync::fence(args, m),
        Kind::FenceProxy(m) => sync::fence_proxy(args, m),
        Kind::CpAsync(m) => memory::cp_async(args, m),
        Kind::CpAsyncCommit(_) | Kind::CpAsyncWaitAll(_) => {}
        Kind::CpAsyncWait(_) => {
            args.constant(ScalarType::U32);
        }
        Kind::CpAsyncArrive(m) => sync::mbarrier(args, m.space, m.ty),
        Kind::MbarrierInval(m) => sync::mbarrier(args, m.space, m.ty),
        Kind::MbarrierInit(m) => {
            sync::mbarrier(args, m.space, m.ty);
            args.src(ScalarType::U32);
        }
        Kind::MbarrierExpectTx(m) => sync::mbarrier_tx(args, m.space, m.ty),
        Kind::MbarrierCompleteTx(m) => sync::mbarrier_tx(args, m.space, m.ty),
        Kind::MbarrierArrive(m) => {
            sync::mbarrier_arrive(args, m.space, m.ty, m.expect_tx, m.no_complete);
        }
        Kind::MbarrierArriveDrop(m) => {
            sync::mbarrier_arrive(args, m.space, m.ty, m.expect_tx, m.no_complete);
        }
        Kind::MbarrierTestWait(m) => {
            sync::mbarrier_wait(args, m.space, m.ty, m.parity, m.order, false);
        }
        Kind::MbarrierTryWait(m) => {
            sync::mbarrier_wait(args, m.space, m.ty, m.parity, m.order, true);
        }
        Kind::MbarrierPendingCount(m) => {
            args.types(m.ty, &[ScalarType::B64]);
            args.dst(ScalarType::U32);
            args.src(ScalarType::B64);
        }
        Kind::Vote(m) => sync::vote(args, m),
        Kind::Match(m) => sync::match_sync(args, m),
        Kind::ActiveMask(m) => sync::activemask(args, m.ty),
        Kind::Redux(m) => sync::redux(args, m),
        Kind::Elect(m) => sync::elect(args, m.sync),
        Kind::GridDepControl(_) | Kind::Ret(_) | Kind::Exit(_) | Kind::Trap(_) | Kind::Brkpt(_) => {
        }
        Kind::Bra(_) => args.label(),
        Kind::Brx(m) => sync::brx(args, m.idx),
        Kind::Nanosleep(m) => sync::nanosleep(args, m.ty),
        Kind::Pmevent(_) => {
            args.constant(ScalarType::U32);
        }
        Kind::Alloca(m) => sync::alloca(args, m.ty),
        Kind::StackSave(m) => sync::stack_save(args, m.ty),
        Kind::StackRestore(m) => sync::stack_restore(args, m.ty),
        // Calls and instructions without a row do not come here.
        Kind::Call(_) | Kind::Video(_) | Kind::Other(_) => {}
    }
}
