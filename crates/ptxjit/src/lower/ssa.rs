//! SSA construction: variables that are written and read in any order become values and block parameters.
//!
//! After Braun et al., "Simple and Efficient Construction of Static Single Assignment Form", with the recursion turned
//! into a worklist: a parameter made for a join is completed later, so no chain of joins can overflow the stack.
//! Superfluous parameters are left to `passes::params`.

use crate::ir::{
    Arena, Block, Edge, Function, Loc, Op, Sig, Signature, Terminator, Ty, Value, arena::id,
};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

id! {
    /// A mutable variable of the function under construction.
    Var = "x";
}

/// Multiplicative hashing of the two small numbers that name a definition.
#[derive(Default)]
pub struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(n)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

type Defs = HashMap<(u32, u32), Value, BuildHasherDefault<PairHasher>>;

/// A function under construction.
pub struct Builder {
    /// What has been built.
    pub function: Function,
    /// Where instructions go.
    pub current: Block,
    /// Place of what is built next.
    pub loc: Loc,
    vars: Arena<Var, Ty>,
    defs: Defs,
    states: Arena<Block, State>,
    incomplete: Vec<(Block, Var, Value)>,
}

/// What is known of a block.
#[derive(Clone, Default)]
struct State {
    /// Edges to it: the block they leave and their number there.
    preds: Vec<(Block, usize)>,
    /// All edges to it are known.
    sealed: bool,
    /// Parameters that wait for the seal.
    waiting: Vec<(Var, Value)>,
    /// It has its terminator.
    done: bool,
}

impl Builder {
    /// A builder of an empty function whose entry block is current and sealed.
    #[must_use]
    pub fn new(function: Function) -> Self {
        let entry = function.entry;
        let mut states = Arena::filled(function.blocks.len(), State::default());
        states[entry].sealed = true;
        Self {
            function,
            current: entry,
            loc: Loc::NONE,
            vars: Arena::new(),
            defs: Defs::default(),
            states,
            incomplete: Vec::new(),
        }
    }

    /// A new variable, undefined until written.
    pub fn var(&mut self, ty: Ty) -> Var {
        self.vars.push(ty)
    }

    /// Width of a variable.
    #[must_use]
    pub fn var_ty(&self, var: Var) -> Ty {
        self.vars[var]
    }

    /// A new block. Seal it when all branches to it are made.
    pub fn block(&mut self) -> Block {
        self.states.push(State::default());
        self.function.add_block()
    }

    /// Makes a block current.
    pub fn switch_to(&mut self, block: Block) {
        self.current = block;
    }

    /// Whether the current block already has its terminator.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.states[self.current].done
    }

    /// Writes a variable.
    pub fn set(&mut self, var: Var, value: Value) {
        self.defs.insert((self.current.0, var.0), value);
    }

    /// Reads a variable.
    pub fn get(&mut self, var: Var) -> Value {
        let value = self.lookup(self.current, var);
        self.complete();
        value
    }

    /// Says that all edges to a block are made.
    pub fn seal(&mut self, block: Block) {
        if std::mem::replace(&mut self.states[block].sealed, true) {
            return;
        }
        let waiting = std::mem::take(&mut self.states[block].waiting);
        self.incomplete
            .extend(waiting.into_iter().map(|(var, value)| (block, var, value)));
        self.complete();
    }

    /// Seals what is left and gives the function.
    #[must_use]
    pub fn finish(mut self) -> Function {
        for block in self.function.blocks.ids() {
            self.seal(block);
        }
        self.function
    }

    /// Adds an instruction; returns it.
    pub fn inst(
        &mut self,
        sigs: &Arena<Sig, Signature>,
        op: Op,
        args: &[Value],
        guard: Option<Value>,
    ) -> crate::ir::Inst {
        let inst = self.function.make_inst(sigs, op, args, guard, self.loc);
        self.function.blocks[self.current].insts.push(inst);
        inst
    }

    /// Ends the current block. Does nothing if it has ended.
    pub fn end(&mut self, term: Terminator) {
        let block = self.current;
        if std::mem::replace(&mut self.states[block].done, true) {
            return;
        }
        for (number, edge) in term.edges().enumerate() {
            self.states[edge.block].preds.push((block, number));
        }
        self.function.blocks[block].term = term;
        self.function.blocks[block].term_loc = self.loc;
    }

    /// Ends the current block with a jump.
    pub fn jump(&mut self, to: Block) {
        self.end(Terminator::Jump(Edge::to(to)));
    }

    /// Ends the current block with a branch.
    pub fn branch(&mut self, cond: Value, then: Block, other: Block, uniform: bool) {
        self.end(Terminator::Branch {
            cond,
            then: Edge::to(then),
            other: Edge::to(other),
            uniform,
        });
    }

    /// The value of a variable at a block's end (or so far). May leave parameters incomplete.
    fn lookup(&mut self, block: Block, var: Var) -> Value {
        // Up through blocks with one predecessor, then remember the answer on the way.
        let mut at = block;
        let mut steps = 0;
        let value = loop {
            if let Some(&value) = self.defs.get(&(at.0, var.0)) {
                break value;
            }
            let state = &self.states[at];
            match state.preds.as_slice() {
                [] if state.sealed => break self.function.undef(self.vars[var]),
                // More steps than blocks: an unreachable ring of blocks with one predecessor each.
                &[_] if state.sealed && steps > self.states.len() => {
                    break self.function.undef(self.vars[var]);
                }
                &[(pred, _)] if state.sealed => at = pred,
                _ => {
                    let value = self.function.add_param(at, self.vars[var]);
                    if self.states[at].sealed {
                        self.incomplete.push((at, var, value));
                    } else {
                        self.states[at].waiting.push((var, value));
                    }
                    break value;
                }
            }
            steps += 1;
        };
        self.defs.insert((at.0, var.0), value);
        let mut below = block;
        while below != at {
            self.defs.insert((below.0, var.0), value);
            below = self.states[below].preds[0].0;
        }
        value
    }

    /// Gives parameters their arguments.
    fn complete(&mut self) {
        while let Some((block, var, param)) = self.incomplete.pop() {
            let crate::ir::ValueDef::Param(_, number) = self.function.values[param].def else {
                continue;
            };
            let number = number as usize;
            for i in 0..self.states[block].preds.len() {
                let (pred, edge) = self.states[block].preds[i];
                let value = self.lookup(pred, var);
                if let Some(edge) = self.function.blocks[pred].term.edges_mut().nth(edge) {
                    if edge.args.len() <= number {
                        // Filled when the parameters in between are completed.
                        edge.args.resize(number + 1, value);
                    }
                    edge.args[number] = value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Module, verify::verify};

    fn function(build: impl FnOnce(&mut Builder)) -> Module {
        let mut module = Module::default();
        let sig = module.sigs.push(Signature::default());
        let mut builder = Builder::new(Function::new("f", sig, &[]));
        build(&mut builder);
        module.functions.push(builder.finish());
        module
    }

    #[test]
    fn loop_variable_becomes_parameter() {
        let module = function(|b| {
            let (head, body, exit) = (b.block(), b.block(), b.block());
            let x = b.var(Ty::B32);
            let p = b.var(Ty::Pred);
            let zero = b.function.constant(Ty::B32, 0);
            b.set(x, zero);
            b.jump(head);
            b.switch_to(head);
            let cond = b.get(p);
            b.branch(cond, body, exit, false);
            b.switch_to(body);
            let value = b.get(x);
            let sigs = Arena::new();
            let next = b.inst(&sigs, Op::Not { ty: Ty::B32 }, &[value], None);
            let next = b.function.result(next).expect("one result");
            b.set(x, next);
            b.jump(head);
            b.switch_to(exit);
            let value = b.get(x);
            b.inst(&sigs, Op::Not { ty: Ty::B32 }, &[value], None);
            b.end(Terminator::Exit);
        });
        verify(&module).expect("well formed");
        let function = module.functions.values().next().expect("one function");
        assert_eq!(function.blocks[Block(1)].params.len(), 2, "{function}");
    }

    #[test]
    fn chain_of_joins_needs_no_stack() {
        let module = function(|b| {
            let x = b.var(Ty::B32);
            let zero = b.function.constant(Ty::B32, 0);
            b.set(x, zero);
            let cond = b.function.constant(Ty::Pred, 1);
            for _ in 0..50_000 {
                let (left, join) = (b.block(), b.block());
                b.branch(cond, left, join, false);
                b.switch_to(left);
                b.jump(join);
                b.seal(left);
                b.seal(join);
                b.switch_to(join);
            }
            let value = b.get(x);
            b.inst(&Arena::new(), Op::Not { ty: Ty::B32 }, &[value], None);
            b.end(Terminator::Exit);
        });
        verify(&module).expect("well formed");
    }

    #[test]
    fn unreachable_loop_is_well_formed() {
        let module = function(|b| {
            b.end(Terminator::Exit);
            let (one, two) = (b.block(), b.block());
            let x = b.var(Ty::B32);
            b.switch_to(one);
            b.jump(two);
            b.switch_to(two);
            b.jump(one);
            b.seal(one);
            b.seal(two);
            let value = b.get(x);
            assert_eq!(b.function.ty(value), Ty::B32);
        });
        verify(&module).expect("well formed");
    }
}
