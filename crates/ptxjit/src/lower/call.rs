//! Calls: inlined, direct, through an address, of functions that the driver supplies.

use super::frame::Frame;
use super::params::{Place, flat_signature};
use super::{Lower, Result, graph};
use crate::ir::{
    Access, Builtin, Int, IntCmp, Op, Order, Scope, Sign, Space, Terminator, TrapKind, Ty, Value,
    word,
};
use abi::device_runtime::Function as RuntimeFunction;
use ptx::checked::{FunctionId, Instruction, Operand, Param, Signature, Symbol};
use ptx::kind::{Call, CallTarget, IndirectSignature};
use ptx::layout::{function_address, resolve_alias};

/// A bound on nested inlining, so that a long chain of small functions cannot exhaust the stack.
const MAX_DEPTH: u32 = 64;
/// A call through an address that may mean more functions than this inlines none of them.
const MAX_INLINED_CANDIDATES: usize = 4;

impl<'a> Lower<'_, 'a> {
    /// `call`
    pub(super) fn call(&mut self, i: &'a Instruction, call: &'a Call) -> Result<()> {
        let checked = self.unit.checked;
        match &call.target {
            CallTarget::Direct(function) => {
                let function = resolve_alias(checked, *function);
                let signature = &checked.functions[function.index()].signature;
                let args = self.arguments(i, signature)?;
                let results = self.call_function(function, args, true)?;
                self.store_results(i, signature, results)
            }
            CallTarget::Indirect { pointer, signature } => {
                let (signature, taken): (&Signature, &[FunctionId]) = match signature {
                    IndirectSignature::Prototype(id) => (
                        &checked.prototypes[id.index()],
                        &self.unit.layout.address_taken,
                    ),
                    IndirectSignature::Targets(list) => {
                        let targets = &self.frame.body.call_targets[list.index()];
                        let Some(first) = targets.first() else {
                            return self.form("an empty list of targets");
                        };
                        (&checked.functions[first.index()].signature, targets)
                    }
                };
                let candidates = graph::candidates(checked, taken, signature);
                let pointer = self.read(pointer, Ty::B64)?;
                let args = self.arguments(i, signature)?;
                self.call_one_of(i, pointer, &candidates, signature, &args)
            }
        }
    }

    /// Compares the address with each candidate's.
    fn call_one_of(
        &mut self,
        i: &'a Instruction,
        pointer: Value,
        candidates: &[FunctionId],
        signature: &'a Signature,
        args: &[Value],
    ) -> Result<()> {
        let join = self.b.block();
        for &candidate in candidates {
            let candidate = resolve_alias(self.unit.checked, candidate);
            let address = self.constant(Ty::B64, function_address(candidate));
            let hit = self.op(
                Op::ICmp {
                    w: Int::I64,
                    cmp: IntCmp::Eq,
                },
                &[pointer, address],
            );
            let (then, next) = (self.b.block(), self.b.block());
            self.b.branch(hit, then, next, false);
            self.b.seal(then);
            self.b.seal(next);
            self.b.switch_to(then);
            let inline = candidates.len() <= MAX_INLINED_CANDIDATES;
            let results = self.call_function(candidate, args.to_vec(), inline)?;
            self.store_results(i, signature, results)?;
            self.b.jump(join);
            self.b.switch_to(next);
        }
        self.b.end(Terminator::Trap(TrapKind::InvalidPc));
        self.b.seal(join);
        self.b.switch_to(join);
        Ok(())
    }

    /// The arguments in pieces.
    fn arguments(&mut self, i: &'a Instruction, signature: &'a Signature) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        for (operand, param) in i.srcs.iter().zip(&signature.params) {
            match self.param_variable(operand) {
                Some(place) => values.extend(self.read_flat(&place, param.size, param.align)),
                None => self.register_argument(operand, param, &mut values)?,
            }
        }
        let want = flat_signature(signature).params.len();
        if values.len() == want {
            Ok(values)
        } else {
            self.form("these arguments")
        }
    }

    /// A register or constant as an argument.
    fn register_argument(
        &mut self,
        operand: &Operand,
        param: &Param,
        values: &mut Vec<Value>,
    ) -> Result<()> {
        let Some(ty) = u32::try_from(param.size)
            .ok()
            .and_then(|size| Ty::of_bits(size.saturating_mul(8)))
        else {
            return self.form("an argument of this size in a register");
        };
        let value = self.read(operand, ty)?;
        if ty == Ty::B128 {
            for index in 0..2 {
                values.push(self.op(
                    Op::Extract {
                        from: ty,
                        to: Ty::B64,
                        index,
                    },
                    &[value],
                ));
            }
        } else {
            values.push(value);
        }
        Ok(())
    }

    /// The `.param` variable that an operand names.
    fn param_variable(&self, operand: &Operand) -> Option<Place> {
        let Operand::Symbol(symbol, 0) = operand else {
            return None;
        };
        match symbol {
            Symbol::Local(id) => match &self.frame.locals[id.index()] {
                super::frame::Local::Param(place) => Some(place.clone()),
                _ => None,
            },
            Symbol::Param(n) => self.frame.params.get(*n as usize).cloned(),
            Symbol::Return(n) => self.frame.returns.get(*n as usize).cloned(),
            Symbol::Global(_) | Symbol::Function(_) => None,
        }
    }

    /// Calls a function with flat arguments; its flat results. `inline`: its body may be put here.
    fn call_function(
        &mut self,
        function: FunctionId,
        args: Vec<Value>,
        inline: bool,
    ) -> Result<Vec<Value>> {
        let data = &self.unit.checked.functions[function.index()];
        if data.body.is_none() {
            return self.call_builtin(&data.name, &args);
        }
        if inline && self.unit.calls.is_inlined(function) && self.depth < MAX_DEPTH {
            return self.inline(function, &args);
        }
        let func = self.unit.function(function);
        let sig = self.unit.module.functions[func].sig;
        let inst = self.inst(Op::Call { func, sig }, &args);
        let mut results: Vec<Value> = self.b.function.results(inst).collect();
        if self.unit.calls.may_exit(function)
            && let Some(ended) = results.pop()
        {
            let (end, go_on) = (self.b.block(), self.b.block());
            self.b.branch(ended, end, go_on, false);
            self.b.seal(end);
            self.b.seal(go_on);
            self.b.switch_to(end);
            self.exit_here();
            self.b.switch_to(go_on);
        }
        if data.signature.noreturn {
            self.b.end(Terminator::Unreachable);
            self.fresh_block();
        }
        Ok(results)
    }

    /// A block that nothing reaches.
    fn fresh_block(&mut self) {
        let block = self.b.block();
        self.b.seal(block);
        self.b.switch_to(block);
    }

    fn call_builtin(&mut self, name: &str, args: &[Value]) -> Result<Vec<Value>> {
        if name == "cudaGraphSetConditional" {
            return self.set_conditional(args);
        }
        if let Some(function) = RuntimeFunction::named(name) {
            return self.call_runtime(function, args);
        }
        let Some(&builtin) = Builtin::ALL.iter().find(|builtin| builtin.text() == name) else {
            return self.form("the function is not defined");
        };
        let types: Vec<Ty> = args.iter().map(|&arg| self.b.function.ty(arg)).collect();
        if types != builtin.params() {
            return self
                .form("a function that the driver supplies, declared with other parameters");
        }
        let inst = self.inst(Op::CallBuiltin { builtin }, args);
        let results = self.b.function.results(inst).collect();
        if builtin == Builtin::Assertfail {
            self.b.end(Terminator::Unreachable);
            self.fresh_block();
        }
        Ok(results)
    }

    fn call_runtime(&mut self, function: RuntimeFunction, args: &[Value]) -> Result<Vec<Value>> {
        let types = args.iter().map(|&arg| self.b.function.ty(arg));
        if !types.eq(function.params().iter().copied().map(word)) {
            return self.form("a function of the device runtime, declared with other parameters");
        }
        let inst = self.inst(Op::CallRuntime { function }, args);
        Ok(self.b.function.results(inst).collect())
    }

    /// A condition's handle is the address of its value.
    fn set_conditional(&mut self, args: &[Value]) -> Result<Vec<Value>> {
        let types: Vec<Ty> = args.iter().map(|&arg| self.b.function.ty(arg)).collect();
        if types != [Ty::B64, Ty::B32] {
            return self
                .form("a function that the driver supplies, declared with other parameters");
        }
        let access = Access {
            order: Order::Relaxed,
            scope: Scope::Sys,
            ..Access::weak(Space::Global, Ty::B32)
        };
        self.inst(Op::Store { access }, args);
        Ok(Vec::new())
    }

    /// Lowers a function's body here.
    fn inline(&mut self, function: FunctionId, args: &[Value]) -> Result<Vec<Value>> {
        let after = self.b.block();
        let mut frame = Frame::new(self.unit.checked, &mut self.b, function, false);
        frame.return_to = Some(after);
        let caller = std::mem::replace(&mut self.frame, frame);
        let (guard, line, opcode, loc) = (self.guard.take(), self.line, self.opcode, self.b.loc);
        self.depth += 1;
        self.write_flat_params(args);
        self.body()?;
        self.b.seal(after);
        self.b.switch_to(after);
        let results = self.read_flat_returns();
        self.depth -= 1;
        self.frame = caller;
        (self.guard, self.line, self.opcode, self.b.loc) = (guard, line, opcode, loc);
        Ok(results)
    }

    /// Puts flat results into the destinations.
    fn store_results(
        &mut self,
        i: &'a Instruction,
        signature: &'a Signature,
        results: Vec<Value>,
    ) -> Result<()> {
        let mut results = results.into_iter();
        for (operand, param) in i.dsts.iter().zip(&signature.returns) {
            match self.param_variable(operand) {
                Some(place) => self.write_flat(&place, param.size, param.align, &mut results),
                None => {
                    let pieces = flat_signature(&Signature {
                        params: vec![param.clone()],
                        ..Signature::default()
                    });
                    let mut value = results.next();
                    if pieces.params.len() == 2
                        && let (Some(low), Some(high)) = (value, results.next())
                    {
                        value = Some(self.op(
                            Op::Pack {
                                elem: Ty::B64,
                                to: Ty::B128,
                            },
                            &[low, high],
                        ));
                    }
                    if let Some(value) = value {
                        self.dst(Some(operand), value, Sign::Unsigned)?;
                    }
                }
            }
        }
        Ok(())
    }
}
