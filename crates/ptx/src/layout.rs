//! Where things lie: what a loader must know of a module before any code is generated.
//!
//! `libcuda` loads modules by this without the compiler (variables are [`Checked::globals`], with sizes, initial
//! bytes and relocations; kernels are [`Layout::kernels`]), and the code generator takes the same numbers.
//!
//! * **Shared memory** of a kernel holds the `.shared` variables that the kernel and the functions reachable from it
//!   name, the most strictly aligned first, then in order of declaration. Dynamic shared memory (`.extern .shared`)
//!   starts behind them.
//! * **A function's address** ([`function_address`]) is a token, not a place: code is generated kernel by kernel, and
//!   a token means the same function in all of them. Indirect calls compare tokens.

use crate::ast::{FunctionKind, Linkage};
use crate::checked::{
    AddressBase, Body, Checked, FunctionId, GlobalId, Instruction, LocalId, Operand, Param, Symbol,
    Variable,
};
use crate::kind::{CallTarget, IndirectSignature, Kind};
use crate::types::StateSpace;
use std::collections::HashMap;

/// Functions that the driver supplies to device code; PTX declares them `.extern`.
pub const BUILTINS: &[&str] = &[
    "vprintf",
    "__assertfail",
    "malloc",
    "free",
    "cudaGraphSetConditional",
];

/// Whether the driver supplies a function of this name: one of [`BUILTINS`] or of the device runtime.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name) || abi::device_runtime::Function::named(name).is_some()
}

/// The bits above the function's number in a [`function_address`]: a non-canonical address, so that nothing else
/// looks like one.
const FUNCTION_TAG: u64 = 0x00fc_0000_0000_0000;

/// What taking a function's address gives: never 0, the same in every kernel of the module.
#[must_use]
pub fn function_address(function: FunctionId) -> u64 {
    FUNCTION_TAG | (u64::from(function.0) + 1) << 4
}

/// What a loader must know of a module besides its variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Kernels that are defined here, in order.
    pub kernels: Vec<Kernel>,
    /// Functions whose address is taken, by code or by an initialiser, in order.
    pub address_taken: Vec<FunctionId>,
    /// `.extern` variables without a definition here, except `.extern .shared`.
    pub extern_globals: Vec<GlobalId>,
    /// Texture, sampler and surface references, in order.
    pub texture_references: Vec<GlobalId>,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Which function.
    pub function: FunctionId,
    /// Its name.
    pub name: String,
    /// Parameters, in order.
    pub params: Vec<KernelParam>,
    /// Bytes of all parameters: where the last one ends.
    pub param_bytes: u32,
    /// The functions that it may call, itself first, in order of discovery; with a body or without.
    pub reachable: Vec<FunctionId>,
    /// Reachable functions that are neither defined here nor supplied by the driver.
    pub unresolved: Vec<FunctionId>,
    /// Shared memory.
    pub shared: SharedLayout,
}

/// A kernel parameter in the parameter block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelParam {
    /// Bytes from the block's start.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Bytes.
    pub align: u32,
}

/// A variable in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SharedVariable {
    /// At module scope.
    Global(GlobalId),
    /// In a function.
    Local(FunctionId, LocalId),
}

/// Where a kernel's shared variables lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedLayout {
    /// Offset of every variable that is named, dynamic ones too.
    pub offsets: HashMap<SharedVariable, u32>,
    /// Bytes of the variables with a size.
    pub static_bytes: u32,
    /// Where dynamic shared memory starts: `static_bytes`, aligned as the dynamic variables ask.
    pub dynamic_offset: u32,
    /// Whether there is an unsized (`.extern .shared x[]`) variable.
    pub has_dynamic: bool,
}

/// Why a module cannot be laid out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// More than 4 GiB of static shared memory.
    #[error("kernel '{kernel}' needs too much shared memory")]
    SharedTooLarge {
        /// The kernel's name.
        kernel: String,
    },
    /// More than 4 GiB of parameters.
    #[error("kernel '{kernel}' has too many parameters")]
    ParamsTooLarge {
        /// The kernel's name.
        kernel: String,
    },
}

impl Layout {
    /// Lays a module out.
    ///
    /// # Errors
    /// When a kernel's shared memory or parameters do not fit 32 bits.
    pub fn new(module: &Checked) -> Result<Self, LayoutError> {
        let graph = CallGraph::new(module);
        let mut kernels = Vec::new();
        for (index, function) in (0..).zip(&module.functions) {
            if function.kind == FunctionKind::Entry && function.body.is_some() {
                kernels.push(Kernel::new(module, &graph, FunctionId(index))?);
            }
        }
        let globals = |keep: &dyn Fn(&Variable) -> bool| {
            (0..)
                .zip(&module.globals)
                .filter(|(_, v)| keep(v))
                .map(|(i, _)| GlobalId(i))
                .collect()
        };
        Ok(Self {
            kernels,
            extern_globals: globals(&|v| v.linkage == Some(Linkage::Extern) && !is_shared(v.space)),
            texture_references: globals(&|v| {
                v.space == StateSpace::Tex || v.ty.class() == crate::types::TypeClass::Opaque
            }),
            address_taken: graph.address_taken,
        })
    }

    /// The kernel of this name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

impl Kernel {
    fn new(module: &Checked, graph: &CallGraph, id: FunctionId) -> Result<Self, LayoutError> {
        let function = &module.functions[id.index()];
        let too_large = || LayoutError::ParamsTooLarge {
            kernel: function.name.clone(),
        };
        let mut params = Vec::with_capacity(function.signature.params.len());
        for Param {
            offset,
            size,
            align,
            ..
        } in &function.signature.params
        {
            let offset = u32::try_from(*offset).map_err(|_| too_large())?;
            let size = u32::try_from(*size).map_err(|_| too_large())?;
            offset.checked_add(size).ok_or_else(too_large)?;
            params.push(KernelParam {
                offset,
                size,
                align: *align,
            });
        }
        let reachable = graph.reachable(id);
        let unresolved = reachable
            .iter()
            .copied()
            .filter(|f| is_unresolved(module, *f))
            .collect();
        Ok(Self {
            function: id,
            name: function.name.clone(),
            param_bytes: params.last().map_or(0, |p| p.offset + p.size),
            params,
            shared: SharedLayout::new(module, &reachable).ok_or_else(|| {
                LayoutError::SharedTooLarge {
                    kernel: function.name.clone(),
                }
            })?,
            reachable,
            unresolved,
        })
    }
}

/// The function itself where it is an alias.
#[must_use]
pub fn resolve_alias(module: &Checked, function: FunctionId) -> FunctionId {
    // An alias names a function that is defined, so one step suffices.
    module.functions[function.index()]
        .alias_of
        .unwrap_or(function)
}

fn is_unresolved(module: &Checked, function: FunctionId) -> bool {
    let data = &module.functions[function.index()];
    data.body.is_none() && data.alias_of.is_none() && !is_builtin(&data.name)
}

fn is_shared(space: StateSpace) -> bool {
    matches!(
        space,
        StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster
    )
}

impl SharedLayout {
    /// Lays out what `functions` name. `None`: it does not fit 32 bits.
    fn new(module: &Checked, functions: &[FunctionId]) -> Option<Self> {
        let mut variables = Vec::new();
        for &function in functions {
            let Some(body) = &module.functions[function.index()].body else {
                continue;
            };
            let mut seen_globals = Vec::new();
            for_each_symbol(body, &mut |symbol| match symbol {
                Symbol::Global(id) if is_shared(module.globals[id.index()].space) => {
                    seen_globals.push(id)
                }
                Symbol::Global(_)
                | Symbol::Local(_)
                | Symbol::Param(_)
                | Symbol::Return(_)
                | Symbol::Function(_) => {}
            });
            variables.extend(seen_globals.into_iter().map(SharedVariable::Global));
            for (index, local) in (0..).zip(&body.locals) {
                if is_shared(local.space) {
                    variables.push(SharedVariable::Local(function, LocalId(index)));
                }
            }
        }
        variables.sort_unstable();
        variables.dedup();
        let data = |variable: SharedVariable| match variable {
            SharedVariable::Global(id) => Some(&module.globals[id.index()]),
            SharedVariable::Local(f, id) => module.functions[f.index()]
                .body
                .as_ref()
                .map(|body| &body.locals[id.index()]),
        };
        let mut sized: Vec<(SharedVariable, u32, u32)> = Vec::new();
        let mut dynamic = Vec::new();
        let mut dynamic_align = 1;
        for variable in variables {
            let Some(data) = data(variable) else { continue };
            if data.size == 0 {
                dynamic.push(variable);
                dynamic_align = dynamic_align.max(data.align);
            } else {
                sized.push((variable, u32::try_from(data.size).ok()?, data.align));
            }
        }
        sized.sort_by_key(|&(_, _, align)| std::cmp::Reverse(align));
        let mut this = Self::default();
        for (variable, size, align) in sized {
            let offset = this.static_bytes.checked_next_multiple_of(align.max(1))?;
            this.offsets.insert(variable, offset);
            this.static_bytes = offset.checked_add(size)?;
        }
        this.has_dynamic = !dynamic.is_empty();
        this.dynamic_offset = this
            .static_bytes
            .checked_next_multiple_of(dynamic_align.max(16))?;
        this.offsets.extend(
            dynamic
                .into_iter()
                .map(|variable| (variable, this.dynamic_offset)),
        );
        Some(this)
    }
}

/// Calls `visit` with every symbol that the body's operands name.
pub fn for_each_symbol(body: &Body, visit: &mut impl FnMut(Symbol)) {
    for instruction in &body.instructions {
        for operand in instruction.dsts.iter().chain(&instruction.srcs) {
            symbols_of(operand, visit);
        }
        if let Kind::Call(call) = &instruction.kind
            && let CallTarget::Indirect { pointer, .. } = &call.target
        {
            symbols_of(pointer, visit);
        }
    }
}

fn symbols_of(operand: &Operand, visit: &mut impl FnMut(Symbol)) {
    match operand {
        Operand::Symbol(symbol, _) => visit(*symbol),
        Operand::Memory(address) => {
            if let AddressBase::Symbol(symbol) = address.base {
                visit(symbol);
            }
            address
                .rest
                .iter()
                .for_each(|operand| symbols_of(operand, visit));
        }
        Operand::Vector(operands) => operands
            .iter()
            .for_each(|operand| symbols_of(operand, visit)),
        Operand::Register(_)
        | Operand::Component(..)
        | Operand::Immediate(_)
        | Operand::Special(..)
        | Operand::Sink
        | Operand::Not(_)
        | Operand::Label(_)
        | Operand::BranchTable(_)
        | Operand::Raw(_) => {}
    }
}

/// Who calls whom. Aliases are followed.
struct CallGraph {
    /// Direct callees, and those of `.calltargets` lists, in order.
    calls: Vec<Vec<FunctionId>>,
    /// Whether the function calls through an address that may be any.
    indirect: Vec<bool>,
    address_taken: Vec<FunctionId>,
}

impl CallGraph {
    fn new(module: &Checked) -> Self {
        let mut taken = vec![false; module.functions.len()];
        let mut take = |function: FunctionId| taken[resolve_alias(module, function).index()] = true;
        for global in &module.globals {
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                if let Symbol::Function(function) = relocation.symbol {
                    take(function);
                }
            }
        }
        let mut calls = Vec::with_capacity(module.functions.len());
        let mut indirect = Vec::with_capacity(module.functions.len());
        for function in &module.functions {
            let (mut callees, mut any) = (Vec::new(), false);
            if let Some(body) = &function.body {
                for_each_symbol(body, &mut |symbol| {
                    if let Symbol::Function(function) = symbol {
                        take(function);
                    }
                });
                body.instructions
                    .iter()
                    .for_each(|i| callees_of(module, body, i, &mut callees, &mut any));
            }
            calls.push(callees);
            indirect.push(any);
        }
        let address_taken = (0..)
            .zip(taken)
            .filter(|&(_, taken)| taken)
            .map(|(index, _)| FunctionId(index))
            .collect();
        Self {
            calls,
            indirect,
            address_taken,
        }
    }

    /// What may run when `root` runs, `root` first.
    fn reachable(&self, root: FunctionId) -> Vec<FunctionId> {
        let mut seen = vec![false; self.calls.len()];
        let mut order = vec![root];
        seen[root.index()] = true;
        let mut next = 0;
        while let Some(&function) = order.get(next) {
            next += 1;
            let through_address: &[FunctionId] = if self.indirect[function.index()] {
                &self.address_taken
            } else {
                &[]
            };
            for &callee in self.calls[function.index()].iter().chain(through_address) {
                if !std::mem::replace(&mut seen[callee.index()], true) {
                    order.push(callee);
                }
            }
        }
        order
    }
}

fn callees_of(
    module: &Checked,
    body: &Body,
    instruction: &Instruction,
    callees: &mut Vec<FunctionId>,
    any: &mut bool,
) {
    let Kind::Call(call) = &instruction.kind else {
        return;
    };
    match &call.target {
        CallTarget::Direct(function) => callees.push(resolve_alias(module, *function)),
        CallTarget::Indirect {
            signature: IndirectSignature::Targets(list),
            ..
        } => {
            callees.extend(
                body.call_targets[list.index()]
                    .iter()
                    .map(|f| resolve_alias(module, *f)),
            );
        }
        CallTarget::Indirect {
            signature: IndirectSignature::Prototype(_),
            ..
        } => *any = true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Policy, check, parse};

    fn module(body: &str) -> Checked {
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n{body}");
        let ast = parse(&text).expect("parses");
        check(&ast, &Policy::default()).expect("checks")
    }

    #[test]
    fn shared_memory_holds_what_is_reachable_most_aligned_first() {
        let checked = module(
            ".shared .align 4 .b8 small[12];
             .shared .align 16 .b8 large[16];
             .shared .align 4 .b8 unused[400];
             .extern .shared .align 128 .b8 dynamic[];
             .func f() { .reg .b32 %a; ld.shared.u32 %a, [large]; ret; }
             .entry k() { .reg .b32 %a; mov.u32 %a, dynamic; ld.shared.u32 %a, [small]; call f; ret; }
             .entry other() { ret; }",
        );
        let layout = Layout::new(&checked).expect("fits");
        let shared = &layout.kernel("k").expect("there").shared;
        assert_eq!(
            (
                shared.static_bytes,
                shared.dynamic_offset,
                shared.has_dynamic
            ),
            (28, 128, true)
        );
        let at = |name: &str| {
            let index = checked
                .globals
                .iter()
                .position(|g| g.name == name)
                .expect("declared");
            let id = GlobalId(u32::try_from(index).expect("few"));
            shared.offsets.get(&SharedVariable::Global(id)).copied()
        };
        assert_eq!(at("large"), Some(0));
        assert_eq!(at("small"), Some(16));
        assert_eq!(at("dynamic"), Some(128));
        assert_eq!(at("unused"), None);
        assert_eq!(
            layout.kernel("other").expect("there").shared.static_bytes,
            0
        );
    }

    #[test]
    fn parameters_keep_their_offsets() {
        let checked =
            module(".entry k(.param .u8 a, .param .u64 b, .param .align 4 .b8 c[6]) { ret; }");
        let layout = Layout::new(&checked).expect("fits");
        let kernel = layout.kernel("k").expect("there");
        let offsets: Vec<u32> = kernel.params.iter().map(|p| p.offset).collect();
        assert_eq!(offsets, [0, 8, 16]);
        assert_eq!(kernel.param_bytes, 22);
    }

    #[test]
    fn functions_that_are_not_there_are_listed_and_builtins_are_not() {
        let checked = module(
            ".extern .func missing();
             .extern .func (.param .b64 r) malloc(.param .b64 n);
             .func there() { ret; }
             .global .u64 table[1] = {there};
             .entry k() { .param .b64 p; .param .b64 q; st.param.b64 [p], 8; call (q), malloc, (p); call missing; ret; }",
        );
        let layout = Layout::new(&checked).expect("fits");
        let names = |ids: &[FunctionId]| -> Vec<&str> {
            ids.iter()
                .map(|id| checked.functions[id.index()].name.as_str())
                .collect()
        };
        assert_eq!(
            names(&layout.kernel("k").expect("there").unresolved),
            ["missing"]
        );
        assert_eq!(names(&layout.address_taken), ["there"]);
        assert_ne!(function_address(FunctionId(0)), 0);
        assert_ne!(
            function_address(FunctionId(0)),
            function_address(FunctionId(1))
        );
    }
}
