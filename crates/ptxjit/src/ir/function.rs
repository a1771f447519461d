//! Modules, functions, blocks, instructions and values.

use super::arena::{Arena, Id, id};
use super::attr::TrapKind;
use super::matrix::Routine;
use super::op::Op;
use super::types::Ty;
use std::collections::HashMap;

id! {
    /// A value of a function.
    Value = "v";
    /// An instruction of a function.
    Inst = "i";
    /// A basic block of a function.
    Block = "b";
    /// A function of a module.
    Func = "f";
    /// A global or const variable that a module refers to.
    Symbol = "g";
    /// A signature of a module.
    Sig = "sig";
    /// A slot in a function's frame.
    LocalSlot = "local";
    /// A place in the source.
    Loc = "loc";
}

impl Loc {
    /// No place known: the first entry of every [`Function::locs`].
    pub const NONE: Self = Self(0);
}

/// One unit of compilation: a kernel and what it calls.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The functions; [`Module::kernel`] is one of them.
    pub functions: Arena<Func, Function>,
    /// The kernel.
    pub kernel: Option<Func>,
    /// Variables referred to.
    pub symbols: Arena<Symbol, SymbolData>,
    /// Signatures of calls.
    pub sigs: Arena<Sig, Signature>,
    /// `.file` names by their index.
    pub files: HashMap<u32, String>,
    /// Facts about the kernel.
    pub info: KernelInfo,
}

impl Module {
    /// Whether there are functions besides the kernel that are more than a [`Routine`].
    #[must_use]
    pub fn has_calls(&self) -> bool {
        let others = self.functions.ids().filter(|&id| self.kernel != Some(id));
        others
            .into_iter()
            .any(|id| self.functions[id].routine.is_none())
    }
}

/// What the image's header says about a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// Parameter bytes.
    pub param_bytes: u32,
    /// Static shared memory, bytes; dynamic shared memory starts there (aligned as declared).
    pub shared_bytes: u32,
    /// Whether code asks where the reserved shared memory lies.
    pub reserved_shared: bool,
    /// `.maxntid` or `.reqntid` as written; `None` if neither.
    pub max_ntid: Option<[u32; 3]>,
    /// `.reqntid`.
    pub req_ntid: Option<[u32; 3]>,
    /// Parameters: offset, bytes and whether the kernel may assume that it is a global pointer, with its alignment.
    pub params: Vec<KernelParam>,
}

/// One kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelParam {
    /// Offset in the parameter block, bytes.
    pub offset: u32,
    /// Bytes.
    pub bytes: u32,
    /// `.ptr` alignment: what it points to is aligned so.
    pub pointee_align: Option<u32>,
}

/// A variable that code refers to by address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolData {
    /// Name in PTX.
    pub name: String,
    /// Constant rather than global memory.
    pub constant: bool,
    /// Alignment, bytes.
    pub align: u32,
    /// Bytes; 0 where the declaration leaves it open.
    pub bytes: u64,
}

/// Types of a function's parameters and results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Parameters, flattened to values.
    pub params: Vec<Ty>,
    /// Results, flattened to values.
    pub results: Vec<Ty>,
}

/// A function: what one lane does.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name in PTX.
    pub name: String,
    /// Types; the entry block's parameters are the function's. A kernel has none (it loads from [`super::Space::Param`]).
    pub sig: Sig,
    /// Blocks. The order carries no meaning; unreachable ones may be present.
    pub blocks: Arena<Block, BlockData>,
    /// Instructions, listed by blocks.
    pub insts: Arena<Inst, InstData>,
    /// Values.
    pub values: Arena<Value, ValueData>,
    /// Where execution starts.
    pub entry: Block,
    /// Frame.
    pub locals: Arena<LocalSlot, LocalData>,
    /// Places; number 0 is "unknown".
    pub locs: Arena<Loc, LocData>,
    /// Does not return (`.noreturn`).
    pub no_return: bool,
    /// What it does as a whole, where the code generator may know that better than from its body.
    pub routine: Option<Routine>,
    args: Vec<Value>,
    constants: HashMap<(Ty, u64), Value>,
}

/// A part of a function's frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalData {
    /// Name in PTX.
    pub name: String,
    /// Bytes.
    pub bytes: u32,
    /// Alignment, bytes, a power of two.
    pub align: u32,
    /// Offset in the frame, bytes ([`Function::frame`]).
    pub offset: u32,
}

/// A place in the PTX text and, where `.loc` says so, in the program's source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LocData {
    /// PTX line, from 1; 0 unknown.
    pub ptx_line: u32,
    /// `.file` index.
    pub file: u32,
    /// Source line; 0 unknown.
    pub line: u32,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Values that predecessors pass.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub term: Terminator,
    /// Place of the terminator.
    pub term_loc: Loc,
}

/// A control-flow edge: where to, and the values of the target's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Target.
    pub block: Block,
    /// As many as the target has parameters.
    pub args: Vec<Value>,
}

impl Edge {
    /// An edge without arguments.
    #[must_use]
    pub fn to(block: Block) -> Self {
        Self {
            block,
            args: Vec::new(),
        }
    }
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// To one block.
    Jump(Edge),
    /// By a predicate. `uniform`: written `bra.uni`, all lanes agree (a promise of the program).
    Branch {
        /// Which way.
        cond: Value,
        /// Where it is true.
        then: Edge,
        /// Where it is false.
        other: Edge,
        /// All active lanes agree.
        uniform: bool,
    },
    /// By an index (32 bits, unsigned); beyond the table: the last entry.
    Switch {
        /// Which.
        index: Value,
        /// The targets, at least one.
        table: Vec<Edge>,
        /// All active lanes agree.
        uniform: bool,
    },
    /// Back to the caller; the end of the thread in a kernel.
    Return(Vec<Value>),
    /// The end of the thread.
    Exit,
    /// Stops the grid.
    Trap(TrapKind),
    /// Never reached (after a call that does not return).
    Unreachable,
}

impl Terminator {
    /// The outgoing edges in order.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (first, second, rest): (Option<&Edge>, Option<&Edge>, &[Edge]) = match self {
            Self::Jump(edge) => (Some(edge), None, &[]),
            Self::Branch { then, other, .. } => (Some(then), Some(other), &[]),
            Self::Switch { table, .. } => (None, None, table),
            Self::Return(_) | Self::Exit | Self::Trap(_) | Self::Unreachable => (None, None, &[]),
        };
        first.into_iter().chain(second).chain(rest)
    }

    /// The outgoing edges in order, to be changed.
    pub fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (first, second, rest): (Option<&mut Edge>, Option<&mut Edge>, &mut [Edge]) = match self
        {
            Self::Jump(edge) => (Some(edge), None, &mut []),
            Self::Branch { then, other, .. } => (Some(then), Some(other), &mut []),
            Self::Switch { table, .. } => (None, None, table),
            Self::Return(_) | Self::Exit | Self::Trap(_) | Self::Unreachable => {
                (None, None, &mut [])
            }
        };
        first.into_iter().chain(second).chain(rest)
    }

    /// The value that decides, or the values returned: what it uses besides edge arguments.
    #[must_use]
    pub fn operands(&self) -> &[Value] {
        match self {
            Self::Branch { cond, .. } => std::slice::from_ref(cond),
            Self::Switch { index, .. } => std::slice::from_ref(index),
            Self::Return(values) => values,
            Self::Jump(_) | Self::Exit | Self::Trap(_) | Self::Unreachable => &[],
        }
    }

    /// [`Terminator::operands`], to be changed.
    pub fn operands_mut(&mut self) -> &mut [Value] {
        match self {
            Self::Branch { cond, .. } => std::slice::from_mut(cond),
            Self::Switch { index, .. } => std::slice::from_mut(index),
            Self::Return(values) => values,
            Self::Jump(_) | Self::Exit | Self::Trap(_) | Self::Unreachable => &mut [],
        }
    }
}

/// An instruction. Operands: [`Function::args`]. Results: [`Function::results`], numbered one after the other.
#[derive(Clone, Copy, Debug)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// Lanes where this is false do not take part; their results are undefined. Only on operations that read or write
    /// memory or are convergent (not on calls and barriers).
    pub guard: Option<Value>,
    /// Place.
    pub loc: Loc,
    first_arg: u32,
    arg_count: u16,
    result_count: u16,
    first_result: Value,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Width.
    pub ty: Ty,
    /// Where it comes from.
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// Result number `.1` of an instruction.
    Inst(Inst, u16),
    /// Parameter number `.1` of a block.
    Param(Block, u32),
    /// A constant, zero-extended to 64 bits. 128-bit constants are packed from two.
    Const(u64),
    /// Some fixed value, never poison.
    Undef,
}

impl Function {
    /// An empty function with an entry block that has parameters of the signature's types.
    #[must_use]
    pub fn new(name: &str, sig: Sig, params: &[Ty]) -> Self {
        let mut this = Self {
            name: name.to_owned(),
            sig,
            blocks: Arena::new(),
            insts: Arena::new(),
            values: Arena::new(),
            entry: Block(0),
            locals: Arena::new(),
            locs: Arena::new(),
            no_return: false,
            routine: None,
            args: Vec::new(),
            constants: HashMap::new(),
        };
        this.locs.push(LocData::default());
        this.entry = this.add_block();
        for &ty in params {
            this.add_param(this.entry, ty);
        }
        this
    }

    /// Adds an empty block that ends in [`Terminator::Unreachable`].
    pub fn add_block(&mut self) -> Block {
        self.blocks.push(BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            term: Terminator::Unreachable,
            term_loc: Loc::NONE,
        })
    }

    /// Adds a parameter to a block.
    pub fn add_param(&mut self, block: Block, ty: Ty) -> Value {
        let number = u32::try_from(self.blocks[block].params.len()).unwrap_or(u32::MAX);
        let value = self.values.push(ValueData {
            ty,
            def: ValueDef::Param(block, number),
        });
        self.blocks[block].params.push(value);
        value
    }

    /// Keeps those parameters of a block for which `keep` is true (by number). The caller changes the edges.
    pub fn retain_params(&mut self, block: Block, mut keep: impl FnMut(usize) -> bool) {
        let mut number = 0;
        self.blocks[block].params.retain(|_| {
            number += 1;
            keep(number - 1)
        });
        for (i, &value) in self.blocks[block].params.iter().enumerate() {
            self.values[value].def = ValueDef::Param(block, u32::try_from(i).unwrap_or(u32::MAX));
        }
    }

    /// The constant with these low bits; equal constants are one value. `ty` up to 64 bits wide.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the mask leaves at most 64 bits"
    )]
    pub fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        let bits = bits & ty.mask() as u64;
        if let Some(&value) = self.constants.get(&(ty, bits)) {
            return value;
        }
        let value = self.values.push(ValueData {
            ty,
            def: ValueDef::Const(bits),
        });
        self.constants.insert((ty, bits), value);
        value
    }

    /// A fresh undefined value.
    pub fn undef(&mut self, ty: Ty) -> Value {
        self.values.push(ValueData {
            ty,
            def: ValueDef::Undef,
        })
    }

    /// The bits of a constant.
    #[must_use]
    pub fn as_const(&self, value: Value) -> Option<u64> {
        match self.values[value].def {
            ValueDef::Const(bits) => Some(bits),
            ValueDef::Inst(..) | ValueDef::Param(..) | ValueDef::Undef => None,
        }
    }

    /// The instruction that defines a value.
    #[must_use]
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Inst(inst, _) => Some(inst),
            ValueDef::Const(_) | ValueDef::Param(..) | ValueDef::Undef => None,
        }
    }

    /// Width of a value.
    #[must_use]
    pub fn ty(&self, value: Value) -> Ty {
        self.values[value].ty
    }

    /// Creates an instruction that is in no block yet. `sigs` are the module's signatures.
    pub fn make_inst(
        &mut self,
        sigs: &Arena<Sig, Signature>,
        op: Op,
        args: &[Value],
        guard: Option<Value>,
        loc: Loc,
    ) -> Inst {
        let mut types = Vec::new();
        op.result_types(sigs, &mut types);
        let inst = Inst::from_index(self.insts.len());
        let first_result = Value::from_index(self.values.len());
        for (number, ty) in (0u16..).zip(&types) {
            self.values.push(ValueData {
                ty: *ty,
                def: ValueDef::Inst(inst, number),
            });
        }
        let first_arg = u32::try_from(self.args.len()).unwrap_or(u32::MAX);
        self.args.extend_from_slice(args);
        self.insts.push(InstData {
            op,
            guard,
            loc,
            first_arg,
            arg_count: u16::try_from(args.len()).unwrap_or(u16::MAX),
            result_count: u16::try_from(types.len()).unwrap_or(u16::MAX),
            first_result,
        })
    }

    /// Operands of an instruction.
    #[must_use]
    pub fn args(&self, inst: Inst) -> &[Value] {
        let data = &self.insts[inst];
        let first = data.first_arg as usize;
        &self.args[first..first + usize::from(data.arg_count)]
    }

    /// Operands of an instruction, to be changed.
    pub fn args_mut(&mut self, inst: Inst) -> &mut [Value] {
        let data = &self.insts[inst];
        let first = data.first_arg as usize;
        &mut self.args[first..first + usize::from(data.arg_count)]
    }

    /// Results of an instruction, in order.
    pub fn results(&self, inst: Inst) -> impl ExactSizeIterator<Item = Value> + use<> {
        let data = &self.insts[inst];
        let first = data.first_result.0;
        (first..first + u32::from(data.result_count)).map(Value)
    }

    /// The first result.
    #[must_use]
    pub fn result(&self, inst: Inst) -> Option<Value> {
        let data = &self.insts[inst];
        (data.result_count > 0).then_some(data.first_result)
    }

    /// Everything that an instruction uses: operands, then the guard.
    pub fn uses(&self, inst: Inst) -> impl Iterator<Item = Value> + '_ {
        self.args(inst)
            .iter()
            .copied()
            .chain(self.insts[inst].guard)
    }

    /// Replaces the operation of an instruction, keeping operands and results. The caller answers for the types.
    pub fn set_op(&mut self, inst: Inst, op: Op) {
        self.insts[inst].op = op;
    }

    /// Replaces the operands of an instruction.
    pub fn set_args(&mut self, inst: Inst, args: &[Value]) {
        if args.len() == usize::from(self.insts[inst].arg_count) {
            self.args_mut(inst).copy_from_slice(args);
            return;
        }
        let first = u32::try_from(self.args.len()).unwrap_or(u32::MAX);
        self.args.extend_from_slice(args);
        let data = &mut self.insts[inst];
        data.first_arg = first;
        data.arg_count = u16::try_from(args.len()).unwrap_or(u16::MAX);
    }

    /// Replaces every use (operands, guards, terminators, edge arguments) of instructions and blocks by `map(use)`.
    pub fn map_uses(&mut self, mut map: impl FnMut(Value) -> Value) {
        for inst in self.insts.ids() {
            if let Some(guard) = self.insts[inst].guard {
                self.insts[inst].guard = Some(map(guard));
            }
        }
        for arg in &mut self.args {
            *arg = map(*arg);
        }
        for block in self.blocks.ids() {
            let term = &mut self.blocks[block].term;
            for value in term.operands_mut() {
                *value = map(*value);
            }
            for edge in term.edges_mut() {
                for value in &mut edge.args {
                    *value = map(*value);
                }
            }
        }
    }

    /// Adds a slot to the frame.
    pub fn add_local(&mut self, name: &str, bytes: u32, align: u32) -> LocalSlot {
        let align = align.max(1);
        let offset = self.frame_end().next_multiple_of(align);
        self.locals.push(LocalData {
            name: name.to_owned(),
            bytes,
            align,
            offset,
        })
    }

    fn frame_end(&self) -> u32 {
        self.locals
            .values()
            .last()
            .map_or(0, |slot| slot.offset.saturating_add(slot.bytes))
    }

    /// Bytes of the frame, a multiple of 16, without `alloca`.
    #[must_use]
    pub fn frame(&self) -> u32 {
        self.frame_end().next_multiple_of(16)
    }

    /// PTX line of an instruction; 0 unknown.
    #[must_use]
    pub fn ptx_line(&self, inst: Inst) -> u32 {
        self.locs[self.insts[inst].loc].ptx_line
    }

    /// Blocks reachable from the entry, in reverse post-order (a block comes before its successors but for back edges).
    #[must_use]
    pub fn reverse_post_order(&self) -> Vec<Block> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::with_capacity(self.blocks.len());
        seen[self.entry.index()] = true;
        let mut stack = vec![(self.entry, 0usize)];
        while let Some(top) = stack.last_mut() {
            let (block, next) = *top;
            top.1 += 1;
            // `nth` on the edges of one block: tables are short, and each edge is visited once in practice.
            match self.blocks[block].term.edges().nth(next) {
                Some(edge) => {
                    if !std::mem::replace(&mut seen[edge.block.index()], true) {
                        stack.push((edge.block, 0));
                    }
                }
                None => {
                    order.push(block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// For each block, the blocks that branch to it (once per edge). Unreachable blocks count.
    #[must_use]
    pub fn predecessors(&self) -> Arena<Block, Vec<Block>> {
        let mut preds = Arena::filled(self.blocks.len(), Vec::new());
        for (block, data) in self.blocks.iter() {
            for edge in data.term.edges() {
                preds[edge.block].push(block);
            }
        }
        preds
    }
}
