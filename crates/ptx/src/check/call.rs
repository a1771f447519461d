//! Calls (PTX ISA 9.0, 9.7.12.5 and chapter 7).

use super::body::BodyChecker;
use super::operands::{Args, Fit, symbol};
use super::scope::Meaning;
use crate::ast;
use crate::checked::{Operand, Param, Signature, Symbol};
use crate::error::ErrorKind;
use crate::kind::{Call, CallTarget, IndirectSignature, Kind};
use crate::types::StateSpace;

/// The parts of `call (results), target, (arguments), signature`.
struct Parts<'s, 'a> {
    returns: &'s [ast::Operand<'a>],
    target: &'s ast::Operand<'a>,
    args: &'s [ast::Operand<'a>],
    signature: Option<ast::Name<'a>>,
}

fn parts<'s, 'a>(operands: &'s [ast::Operand<'a>]) -> Option<Parts<'s, 'a>> {
    let (returns, operands) = match operands {
        [ast::Operand::List(list, _), rest @ ..] => (list.as_slice(), rest),
        rest => (&[][..], rest),
    };
    let (target, operands) = operands.split_first()?;
    let (args, operands) = match operands {
        [ast::Operand::List(list, _), rest @ ..] => (list.as_slice(), rest),
        rest => (&[][..], rest),
    };
    let signature = match operands {
        [] => None,
        [
            ast::Operand::Name {
                name,
                selector: None,
            },
        ] => Some(*name),
        _ => return None,
    };
    Some(Parts {
        returns,
        target,
        args,
        signature,
    })
}

/// Checks a call; its results are the destinations, its arguments the sources.
pub(super) fn check<'a>(
    checker: &mut BodyChecker<'_, 'a>,
    source: &ast::Instruction<'a>,
    modifiers: &[&str],
) -> Option<(Kind, Vec<Operand>, Vec<Operand>)> {
    let pos = source.opcode.pos;
    let uni = match modifiers {
        [] => false,
        ["uni"] => true,
        [name, ..] => {
            let name = (*name).to_owned();
            let instruction = "call".to_owned();
            checker.error(pos, ErrorKind::IllegalModifier { name, instruction });
            return None;
        }
    };
    let Some(parts) = parts(&source.operands) else {
        let instruction = "call".to_owned();
        checker.error(pos, ErrorKind::Arguments { instruction });
        return None;
    };
    let target = target(checker, &parts)?;
    let signature = match &target {
        CallTarget::Direct(id) => Some(checker.module.functions[id.index()].signature.clone()),
        CallTarget::Indirect { signature, .. } => match signature {
            IndirectSignature::Prototype(id) => Some(checker.prototypes[id.index()].clone()),
            IndirectSignature::Targets(id) => {
                let first = checker.body.call_targets[id.index()].first().copied();
                first.map(|id| checker.module.functions[id.index()].signature.clone())
            }
        },
    }?;
    let (dsts, srcs) = operands(checker, source, &parts, &signature)?;
    Some((Kind::Call(Call { uni, target }), dsts, srcs))
}

fn target<'a>(checker: &mut BodyChecker<'_, 'a>, parts: &Parts<'_, 'a>) -> Option<CallTarget> {
    let ast::Operand::Name {
        name,
        selector: None,
    } = parts.target
    else {
        let instruction = "call".to_owned();
        let pos = checker.source.pos;
        checker.error(pos, ErrorKind::Arguments { instruction });
        return None;
    };
    let text = || name.text.to_owned();
    match checker.resolve(*name)? {
        Meaning::Function(id) => {
            if checker.module.functions[id.index()].kind == ast::FunctionKind::Entry {
                checker.error(name.pos, ErrorKind::CallEntry { name: text() });
                return None;
            }
            Some(CallTarget::Direct(id))
        }
        Meaning::Register(id) => {
            let register = &checker.body.registers[id.index()];
            let address = register.ty.is_integer() || register.ty.is_bits();
            if !address || register.vector.is_some() || register.ty.bits() < 32 {
                checker.error(name.pos, ErrorKind::NotFunction { name: text() });
                return None;
            }
            let Some(signature) = parts.signature else {
                checker.error(name.pos, ErrorKind::NeedsPrototype { name: text() });
                return None;
            };
            let signature = match checker.resolve(signature)? {
                Meaning::Prototype(id) => IndirectSignature::Prototype(id),
                Meaning::CallTargets(id) => IndirectSignature::Targets(id),
                _ => {
                    let name = signature.text.to_owned();
                    checker.error(signature.pos, ErrorKind::NotPrototype { name });
                    return None;
                }
            };
            let pointer = Operand::Register(id);
            Some(CallTarget::Indirect { pointer, signature })
        }
        _ => {
            checker.error(name.pos, ErrorKind::NotFunction { name: text() });
            None
        }
    }
}

fn operands<'a>(
    checker: &mut BodyChecker<'_, 'a>,
    source: &ast::Instruction<'a>,
    parts: &Parts<'_, 'a>,
    signature: &Signature,
) -> Option<(Vec<Operand>, Vec<Operand>)> {
    let pos = source.opcode.pos;
    if parts.returns.len() != signature.returns.len() {
        checker.error(pos, ErrorKind::CallParameters);
        return None;
    }
    if parts.args.len() != signature.params.len() {
        checker.error(pos, ErrorKind::CallParameters);
        return None;
    }
    let mut dsts = Vec::with_capacity(parts.returns.len());
    for (operand, formal) in parts.returns.iter().zip(&signature.returns) {
        dsts.push(actual(checker, source, operand, formal, true)?);
    }
    let mut srcs = Vec::with_capacity(parts.args.len());
    for (operand, formal) in parts.args.iter().zip(&signature.params) {
        srcs.push(actual(checker, source, operand, formal, false)?);
    }
    Some((dsts, srcs))
}

/// One argument or result: a `.param` variable of the same size, or a value where the formal
/// parameter is a scalar.
fn actual<'a>(
    checker: &mut BodyChecker<'_, 'a>,
    source: &ast::Instruction<'a>,
    operand: &ast::Operand<'a>,
    formal: &Param,
    written: bool,
) -> Option<Operand> {
    let pos = source.opcode.pos;
    let wrong = |checker: &mut BodyChecker<'_, 'a>| {
        let name = formal.name.clone();
        checker.error(pos, ErrorKind::CallArgument { name });
    };
    if let ast::Operand::Name {
        name,
        selector: None,
    } = operand
        && let Some(symbol) = checker.find(name.text).and_then(symbol)
    {
        let (space, size) = match symbol {
            Symbol::Local(id) => {
                let local = &checker.body.locals[id.index()];
                (local.space, local.size)
            }
            Symbol::Param(index) => param_size(&checker.source.params, index),
            Symbol::Return(index) => param_size(&checker.source.returns, index),
            Symbol::Global(_) | Symbol::Function(_) => (StateSpace::Global, 0),
        };
        // An unsized formal array takes what comes.
        let unsized_array = formal.array && formal.size == 0;
        if space != StateSpace::Param || (size != formal.size && !unsized_array) {
            wrong(checker);
            return None;
        }
        return Some(Operand::Symbol(symbol, 0));
    }
    if let (ast::Operand::Sink(_), true) = (operand, written) {
        return Some(Operand::Sink);
    }
    if formal.array {
        wrong(checker);
        return None;
    }
    let before = checker.errors.count();
    let mut args = Args::new(checker, source);
    let value = args.value(operand, formal.ty, Fit::Exact, false);
    drop(args);
    let register = matches!(value, Some(Operand::Register(_) | Operand::Component(..)));
    if value.is_none() || (written && !register) {
        if checker.errors.count() == before {
            wrong(checker);
        }
        return None;
    }
    value
}

fn param_size(params: &[ast::Variable<'_>], index: u32) -> (StateSpace, u64) {
    let Some(declaration) = params.get(index as usize) else {
        return (StateSpace::Param, 0);
    };
    let lanes = declaration.vector.map_or(1, |width| width.lanes());
    let dims = declaration
        .declarators
        .first()
        .map_or(&[][..], |d| d.dims.as_slice());
    let count: u64 = dims
        .iter()
        .map(|dim| dim.unwrap_or(0))
        .fold(1, u64::saturating_mul);
    let element = u64::from(declaration.ty.bytes() * lanes);
    (StateSpace::Param, element.saturating_mul(count))
}
