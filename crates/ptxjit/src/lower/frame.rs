//! One PTX function being lowered: its registers, variables and blocks in the function under construction.

use super::params::{Cells, Place};
use super::ssa::{Builder, Var};
use crate::ir::{Block, LocalSlot, Ty};
use ptx::checked::{Body, Checked, FunctionId, Instruction, LabelId, LocalId, Operand, Symbol};
use ptx::kind::Kind;
use ptx::types::{ScalarType, StateSpace};
use std::collections::HashMap;

/// Where a function's own variables are.
#[derive(Clone, Debug)]
pub enum Local {
    /// In the frame.
    Slot(LocalSlot),
    /// In shared memory: the kernel's layout says where.
    Shared,
    /// A `.param` variable.
    Param(Place),
    /// In a space that has no variables in functions.
    Unsupported,
}

/// One PTX function being lowered.
pub struct Frame<'a> {
    /// Which.
    pub id: FunctionId,
    /// Its body.
    pub body: &'a Body,
    /// Parameters by position.
    pub params: Vec<Place>,
    /// Return parameters by position.
    pub returns: Vec<Place>,
    /// Variables by [`LocalId`].
    pub locals: Vec<Local>,
    /// Where `ret` goes, if the function is inlined.
    pub return_to: Option<Block>,
    /// It is the kernel itself.
    pub is_kernel: bool,
    /// First variable of each register.
    registers: Vec<Var>,
    /// The carry flag.
    pub carry: Var,
    /// Blocks at instructions that are branched to.
    pub(super) blocks: HashMap<u32, BlockState>,
}

/// A block that labels name.
#[derive(Clone, Copy, Debug)]
pub struct BlockState {
    pub(super) block: Block,
    /// Branches to it that are not yet made.
    pub(super) open: u32,
    /// Its instructions have been reached.
    pub(super) entered: bool,
}

const NO_BODY: &Body = &Body {
    registers: Vec::new(),
    locals: Vec::new(),
    labels: Vec::new(),
    instructions: Vec::new(),
    branch_tables: Vec::new(),
    call_targets: Vec::new(),
    locations: Vec::new(),
    pragmas: Vec::new(),
};

/// The IR width of a PTX type.
pub fn width(ty: ScalarType) -> Ty {
    // Every scalar type has one of the widths that `Ty` has.
    Ty::of_bits(ty.bits()).unwrap_or(Ty::B64)
}

impl<'a> Frame<'a> {
    /// Makes variables for everything in the function.
    pub fn new(checked: &'a Checked, b: &mut Builder, id: FunctionId, is_kernel: bool) -> Self {
        let function = &checked.functions[id.index()];
        let body = function.body.as_ref().unwrap_or(NO_BODY);
        let registers = body
            .registers
            .iter()
            .map(|register| {
                let first = b.var(width(register.ty));
                for _ in 1..register.vector.map_or(1, ptx::types::VectorWidth::lanes) {
                    b.var(width(register.ty));
                }
                first
            })
            .collect::<Vec<_>>();
        let uses = ParamUses::new(body);
        let place = |b: &mut Builder, symbol: Symbol, param: &ptx::checked::Param| {
            if let Some(register) = param.register {
                return Place::Cells(Cells::single(registers[register.index()], width(param.ty)));
            }
            uses.place(b, symbol, &param.name, param.size, param.align)
        };
        let mut params = Vec::new();
        for (index, param) in (0u32..).zip(&function.signature.params) {
            params.push(if is_kernel {
                Place::Kernel(u32::try_from(param.offset).unwrap_or(u32::MAX))
            } else {
                place(b, Symbol::Param(index), param)
            });
        }
        let mut returns = Vec::new();
        for (index, param) in (0u32..).zip(&function.signature.returns) {
            returns.push(place(b, Symbol::Return(index), param));
        }
        let mut locals = Vec::new();
        for (index, variable) in (0u32..).zip(&body.locals) {
            locals.push(match variable.space {
                StateSpace::Local => Local::Slot(b.function.add_local(
                    &variable.name,
                    u32::try_from(variable.size).unwrap_or(u32::MAX),
                    variable.align,
                )),
                StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster => {
                    Local::Shared
                }
                StateSpace::Param | StateSpace::ParamFunc => Local::Param(uses.place(
                    b,
                    Symbol::Local(LocalId(index)),
                    &variable.name,
                    variable.size,
                    variable.align,
                )),
                StateSpace::Reg
                | StateSpace::Sreg
                | StateSpace::Const
                | StateSpace::Global
                | StateSpace::ParamEntry
                | StateSpace::Tex => Local::Unsupported,
            });
        }
        let carry = b.var(Ty::Pred);
        let blocks = HashMap::new();
        Self {
            id,
            body,
            params,
            returns,
            locals,
            return_to: None,
            is_kernel,
            registers,
            carry,
            blocks,
        }
    }

    /// The variable of a register, or of a component of a vector register.
    pub fn register(&self, register: ptx::checked::RegisterId, component: u8) -> Var {
        Var(self.registers[register.index()].0 + u32::from(component))
    }

    /// The instruction that a label stands before.
    pub fn target(&self, label: LabelId) -> u32 {
        self.body.labels[label.index()].target
    }

    /// Labels that an instruction may branch to.
    pub fn branch_targets<'i>(&self, i: &'i Instruction) -> Vec<LabelId>
    where
        'a: 'i,
    {
        match &i.kind {
            Kind::Bra(_) => labels(&i.srcs).collect(),
            Kind::Brx(_) => {
                let tables = i.srcs.iter().filter_map(|operand| match operand {
                    Operand::BranchTable(id) => Some(&self.body.branch_tables[id.index()]),
                    _ => None,
                });
                tables.flatten().copied().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Labels among operands.
pub fn labels(operands: &[Operand]) -> impl Iterator<Item = LabelId> + '_ {
    operands.iter().filter_map(|operand| match operand {
        Operand::Label(label) => Some(*label),
        _ => None,
    })
}

/// How a body uses `.param` variables: which pieces it reads and writes, and whose address it takes.
struct ParamUses {
    /// Accesses: offset and bytes of each element.
    accesses: HashMap<Symbol, Vec<(u32, u32)>>,
    addressed: Vec<Symbol>,
}

impl ParamUses {
    fn new(body: &Body) -> Self {
        let mut this = Self {
            accesses: HashMap::new(),
            addressed: Vec::new(),
        };
        for i in &body.instructions {
            let (ty, lanes) = match &i.kind {
                Kind::Ld(k) => (k.ty, k.vector.map_or(1, ptx::types::VectorWidth::lanes)),
                Kind::St(k) => (k.ty, k.vector.map_or(1, ptx::types::VectorWidth::lanes)),
                // Arguments are not addresses.
                Kind::Call(_) => continue,
                _ => (ScalarType::B8, 0),
            };
            for operand in i.dsts.iter().chain(&i.srcs) {
                match operand {
                    Operand::Memory(address) => {
                        let ptx::checked::AddressBase::Symbol(symbol) = address.base else {
                            continue;
                        };
                        if lanes == 0 {
                            this.addressed.push(symbol);
                        }
                        let start = u32::try_from(address.offset).unwrap_or(u32::MAX);
                        let pieces = this.accesses.entry(symbol).or_default();
                        for lane in 0..lanes {
                            pieces.push((start.saturating_add(lane * ty.bytes()), ty.bytes()));
                        }
                    }
                    Operand::Symbol(symbol, _) => this.addressed.push(*symbol),
                    _ => {}
                }
            }
        }
        this
    }

    /// A place for a `.param` variable.
    fn place(&self, b: &mut Builder, symbol: Symbol, name: &str, size: u64, align: u32) -> Place {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let none = Vec::new();
        let pieces = self.accesses.get(&symbol).unwrap_or(&none);
        let outside = pieces
            .iter()
            .any(|&(start, bytes)| start.saturating_add(bytes) > size);
        if self.addressed.contains(&symbol) || outside || size > super::params::MAX_CELL_BYTES {
            return Place::Slot(b.function.add_local(name, size, align));
        }
        Place::Cells(Cells::new(b, size, pieces))
    }
}
