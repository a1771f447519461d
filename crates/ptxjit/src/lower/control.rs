//! Blocks, branches, returns.

use super::frame::{BlockState, labels};
use super::{Lower, Result};
use crate::ir::{Block, Edge, Op, Terminator, TrapKind, Ty};
use ptx::checked::{Instruction, LabelId, Operand};
use std::collections::HashMap;

impl<'a> Lower<'_, 'a> {
    /// Makes a block for every instruction that is branched to.
    pub(super) fn start_blocks(&mut self) {
        let mut blocks: HashMap<u32, BlockState> = HashMap::new();
        for i in &self.frame.body.instructions {
            for label in self.frame.branch_targets(i) {
                let target = self.frame.target(label);
                let state = blocks.entry(target).or_insert_with(|| BlockState {
                    block: self.b.block(),
                    open: 0,
                    entered: false,
                });
                state.open += 1;
            }
        }
        self.frame.blocks = blocks;
    }

    /// Comes to an instruction: begins its block, or one that nothing reaches after a branch.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "labels count instructions in 32 bits"
    )]
    pub(super) fn enter_instruction(&mut self, index: usize) {
        if let Some(state) = self.frame.blocks.get_mut(&(index as u32)) {
            state.entered = true;
            let state = *state;
            self.b.jump(state.block);
            self.b.switch_to(state.block);
            if state.open == 0 {
                self.b.seal(state.block);
            }
        } else if self.b.is_done() {
            let block = self.b.block();
            self.b.seal(block);
            self.b.switch_to(block);
        }
    }

    /// The block of a label, for one branch to it; call [`Self::branched`] when the branch is made.
    fn label_block(&mut self, label: LabelId) -> Block {
        let target = self.frame.target(label);
        match self.frame.blocks.get(&target) {
            Some(state) => state.block,
            // Not reached: every label of a branch was counted.
            None => self.b.block(),
        }
    }

    fn branched(&mut self, label: LabelId) {
        let target = self.frame.target(label);
        if let Some(state) = self.frame.blocks.get_mut(&target) {
            state.open -= 1;
            if state.open == 0 && state.entered {
                let block = state.block;
                self.b.seal(block);
            }
        }
    }

    /// `bra`, with or without a guard.
    pub(super) fn bra(&mut self, i: &'a Instruction, uniform: bool) -> Result<()> {
        let Some(label) = labels(&i.srcs).next() else {
            return self.form("a branch without a label");
        };
        let block = self.label_block(label);
        match self.guard {
            None => self.b.jump(block),
            Some(guard) => {
                let next = self.b.block();
                self.b.branch(guard, block, next, uniform);
                self.b.seal(next);
                self.b.switch_to(next);
            }
        }
        self.branched(label);
        Ok(())
    }

    /// `brx.idx`
    pub(super) fn brx(&mut self, i: &'a Instruction, uniform: bool) -> Result<()> {
        let index = self.src(i, 0, Ty::B32)?;
        let targets = self.frame.branch_targets(i);
        if targets.is_empty() {
            return self.form("an empty list of targets");
        }
        let table = targets
            .iter()
            .map(|&label| Edge::to(self.label_block(label)))
            .collect();
        self.b.end(Terminator::Switch {
            index,
            table,
            uniform,
        });
        for label in targets {
            self.branched(label);
        }
        Ok(())
    }

    /// An instruction under a guard, as a branch around it.
    pub(super) fn guarded(&mut self, i: &'a Instruction) -> Result<()> {
        let Some(guard) = self.guard.take() else {
            return self.unguarded(i);
        };
        let (then, join) = (self.b.block(), self.b.block());
        self.b.branch(guard, then, join, false);
        self.b.seal(then);
        self.b.switch_to(then);
        self.unguarded(i)?;
        self.b.jump(join);
        self.b.seal(join);
        self.b.switch_to(join);
        Ok(())
    }

    /// Returns from the current frame.
    pub(super) fn return_here(&mut self) {
        if self.b.is_done() {
            return;
        }
        match self.frame.return_to {
            Some(block) => self.b.jump(block),
            None if self.frame.is_kernel => self.b.end(Terminator::Return(Vec::new())),
            None => {
                let mut values = self.read_flat_returns();
                if self.unit.calls.may_exit(self.root) {
                    values.push(self.constant(Ty::Pred, 0));
                }
                self.b.end(Terminator::Return(values));
            }
        }
    }

    /// Ends the thread: in a function that is called, its last result tells the caller.
    pub(super) fn exit_here(&mut self) {
        if self.is_kernel {
            self.b.end(Terminator::Exit);
            return;
        }
        let func = self.unit.functions[&self.root];
        let sig = self.unit.module.functions[func].sig;
        let mut types = self.unit.module.sigs[sig].results.clone();
        types.pop();
        let mut values: Vec<_> = types
            .into_iter()
            .map(|ty| self.b.function.undef(ty))
            .collect();
        values.push(self.constant(Ty::Pred, 1));
        self.b.end(Terminator::Return(values));
    }

    /// `trap`, `brkpt`
    pub(super) fn trap(&mut self, kind: TrapKind) -> Result<()> {
        self.b.end(Terminator::Trap(kind));
        Ok(())
    }

    /// `nanosleep`
    pub(super) fn nanosleep(&mut self, i: &'a Instruction) -> Result<()> {
        let time = self.src(i, 0, Ty::B32)?;
        self.guarded_inst(Op::Nanosleep, &[time]);
        Ok(())
    }

    /// `alloca ptr, size {, align}`
    pub(super) fn alloca(&mut self, i: &'a Instruction, _: &ptx::kind::Alloca) -> Result<()> {
        let size = self.src(i, 0, Ty::B32)?;
        let align = match i.srcs.get(1) {
            Some(Operand::Immediate(align)) => u32::try_from(*align).unwrap_or(8),
            _ => 8,
        };
        let address = self.op(Op::Alloca { align }, &[size]);
        self.def(i, address)
    }

    /// `stacksave`
    pub(super) fn stack_save(&mut self, i: &'a Instruction) -> Result<()> {
        let height = self.op(Op::StackSave, &[]);
        self.def(i, height)
    }

    /// `stackrestore`
    pub(super) fn stack_restore(&mut self, i: &'a Instruction) -> Result<()> {
        let height = self.src(i, 0, Ty::B32)?;
        self.inst(Op::StackRestore, &[height]);
        Ok(())
    }

    /// `createpolicy`: policies are hints, and 0 is one.
    pub(super) fn create_policy(&mut self, i: &'a Instruction) -> Result<()> {
        let policy = self.constant(Ty::B64, 0);
        self.def(i, policy)
    }
}
