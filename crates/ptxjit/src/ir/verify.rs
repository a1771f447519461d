//! Checks that a module is well formed: types, SSA dominance, edges, guards.

use super::arena::{Arena, Id};
use super::function::{Block, Function, Inst, Module, Terminator, Value, ValueDef};
use super::op::{Op, Props};
use super::types::Ty;
use crate::passes::dominators::Dominators;

/// What is wrong with a function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("function {function}: {place}: {what}")]
pub struct VerifyError {
    /// Its name.
    pub function: String,
    /// Block or instruction.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

/// Checks all functions of a module.
///
/// # Errors
/// The first thing found wrong.
pub fn verify(module: &Module) -> Result<(), VerifyError> {
    for function in module.functions.values() {
        Verifier::new(module, function).run()?;
    }
    Ok(())
}

struct Verifier<'a> {
    module: &'a Module,
    function: &'a Function,
    /// Where each instruction stands: its block and position, if it is in a reachable block.
    position: Arena<Inst, Option<(Block, usize)>>,
}

impl<'a> Verifier<'a> {
    fn new(module: &'a Module, function: &'a Function) -> Self {
        Self {
            module,
            function,
            position: Arena::filled(function.insts.len(), None),
        }
    }

    fn fail<T>(&self, place: impl ToString, what: impl Into<String>) -> Result<T, VerifyError> {
        Err(VerifyError {
            function: self.function.name.clone(),
            place: place.to_string(),
            what: what.into(),
        })
    }

    fn run(mut self) -> Result<(), VerifyError> {
        let function = self.function;
        let order = function.reverse_post_order();
        let sig = &self.module.sigs[function.sig];
        let entry: Vec<Ty> = function.blocks[function.entry]
            .params
            .iter()
            .map(|&v| function.ty(v))
            .collect();
        if entry != sig.params {
            return self.fail(function.entry, "entry parameters differ from the signature");
        }
        for &block in &order {
            for (at, &inst) in function.blocks[block].insts.iter().enumerate() {
                if self.position[inst].replace((block, at)).is_some() {
                    return self.fail(inst, "listed twice");
                }
            }
        }
        let doms = Dominators::new(function);
        for &block in &order {
            self.check_block(block, &doms)?;
        }
        Ok(())
    }

    fn check_block(&self, block: Block, doms: &Dominators) -> Result<(), VerifyError> {
        let function = self.function;
        for (i, &param) in function.blocks[block].params.iter().enumerate() {
            if function.values[param].def
                != ValueDef::Param(block, u32::try_from(i).unwrap_or(u32::MAX))
            {
                return self.fail(block, format!("{param} is not its parameter {i}"));
            }
        }
        for (at, &inst) in function.blocks[block].insts.iter().enumerate() {
            self.check_inst(inst)?;
            for value in function.uses(inst) {
                self.check_use(value, block, at, doms)?;
            }
        }
        let term = &function.blocks[block].term;
        let end = function.blocks[block].insts.len();
        for &value in term.operands() {
            self.check_use(value, block, end, doms)?;
        }
        match term {
            Terminator::Branch { cond, .. } if function.ty(*cond) != Ty::Pred => {
                return self.fail(block, "branch on a value that is no predicate");
            }
            Terminator::Switch { index, table, .. }
                if function.ty(*index) != Ty::B32 || table.is_empty() =>
            {
                return self.fail(block, "switch needs a 32-bit index and a target");
            }
            Terminator::Return(values) => {
                let types: Vec<Ty> = values.iter().map(|&v| function.ty(v)).collect();
                if types != self.module.sigs[function.sig].results {
                    return self.fail(block, "return values differ from the signature");
                }
            }
            _ => {}
        }
        for edge in term.edges() {
            let params = &function.blocks[edge.block].params;
            if edge.block == function.entry {
                return self.fail(block, "edge to the entry block");
            }
            let want: Vec<Ty> = params.iter().map(|&v| function.ty(v)).collect();
            let have: Vec<Ty> = edge.args.iter().map(|&v| function.ty(v)).collect();
            if want != have {
                return self.fail(
                    block,
                    format!("edge to {} passes {have:?}, wants {want:?}", edge.block),
                );
            }
            for &value in &edge.args {
                self.check_use(value, block, end, doms)?;
            }
        }
        Ok(())
    }

    fn check_inst(&self, inst: Inst) -> Result<(), VerifyError> {
        let function = self.function;
        let data = &function.insts[inst];
        let (mut want, mut results) = (Vec::new(), Vec::new());
        data.op.operand_types(&self.module.sigs, &mut want);
        data.op.result_types(&self.module.sigs, &mut results);
        let have: Vec<Ty> = function
            .args(inst)
            .iter()
            .map(|&v| function.ty(v))
            .collect();
        if want != have {
            return self.fail(
                inst,
                format!("{} has operands {have:?}, wants {want:?}", data.op),
            );
        }
        let have: Vec<Ty> = function.results(inst).map(|v| function.ty(v)).collect();
        if results != have {
            return self.fail(
                inst,
                format!("{} has results {have:?}, wants {results:?}", data.op),
            );
        }
        if let Some(guard) = data.guard {
            let props = data.op.props();
            let guardable = props
                .intersects(Props::READS | Props::EFFECT | Props::CONVERGENT | Props::FAULTS)
                && (!props.contains(Props::SUSPENDS) || data.op == Op::Nanosleep);
            if function.ty(guard) != Ty::Pred || !guardable {
                return self.fail(inst, format!("{} cannot be guarded so", data.op));
            }
        }
        Ok(())
    }

    fn check_use(
        &self,
        value: Value,
        block: Block,
        at: usize,
        doms: &Dominators,
    ) -> Result<(), VerifyError> {
        if value.index() >= self.function.values.len() {
            return self.fail(block, format!("{value} does not exist"));
        }
        let fine = match self.function.values[value].def {
            ValueDef::Const(_) | ValueDef::Undef => true,
            ValueDef::Param(owner, _) => {
                doms.dominates(owner, block) && self.function.blocks[owner].params.contains(&value)
            }
            ValueDef::Inst(inst, _) => match self.position[inst] {
                Some((owner, position)) if owner == block => position < at,
                Some((owner, _)) => doms.dominates(owner, block),
                None => false,
            },
        };
        if fine {
            Ok(())
        } else {
            self.fail(block, format!("{value} is used where it is not defined"))
        }
    }
}
