//! Which functions are inlined, and which may be meant by a call through an address.

use ptx::checked::{Checked, FunctionId, Signature};
use ptx::kind::{CallTarget, IndirectSignature, Kind};
use ptx::layout::{Kernel, resolve_alias};

/// A function with more instructions than this, its inlined callees counted, is inlined only at its only call.
const INLINE_LIMIT: usize = 1_500;

/// The calls below one kernel.
pub struct Calls {
    inline: Vec<bool>,
    exits: Vec<bool>,
}

impl Calls {
    /// Decides for every function that the kernel reaches.
    pub fn new(checked: &Checked, kernel: &Kernel) -> Self {
        let functions = checked.functions.len();
        let addressed = addressed(checked, kernel);
        let mut callees: Vec<Vec<usize>> = vec![Vec::new(); functions];
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); functions];
        let mut sites = vec![0usize; functions];
        let mut size = vec![0usize; functions];
        for &function in &kernel.reachable {
            let Some(body) = &checked.functions[function.index()].body else {
                continue;
            };
            size[function.index()] = body.instructions.len();
            for instruction in &body.instructions {
                let Kind::Call(call) = &instruction.kind else {
                    continue;
                };
                let targets: &[FunctionId] = match &call.target {
                    CallTarget::Direct(target) => &[resolve_alias(checked, *target)],
                    CallTarget::Indirect {
                        signature: IndirectSignature::Targets(list),
                        ..
                    } => &body.call_targets[list.index()],
                    CallTarget::Indirect {
                        signature: IndirectSignature::Prototype(_),
                        ..
                    } => &addressed,
                };
                for target in targets {
                    let target = resolve_alias(checked, *target).index();
                    sites[target] += 1;
                    callees[function.index()].push(target);
                    callers[target].push(function.index());
                }
            }
        }
        // What executes `exit`, and what calls that.
        let mut exits: Vec<bool> = checked
            .functions
            .iter()
            .map(|f| {
                let mut body = f.body.iter().flat_map(|body| &body.instructions);
                body.any(|i| matches!(i.kind, Kind::Exit(_)))
            })
            .collect();
        let mut work: Vec<usize> = (0..functions).filter(|&f| exits[f]).collect();
        while let Some(function) = work.pop() {
            for &caller in &callers[function] {
                if !std::mem::replace(&mut exits[caller], true) {
                    work.push(caller);
                }
            }
        }
        // From the leaves up; what is on a cycle, or above one, is never peeled and stays a call.
        let mut open: Vec<usize> = callees.iter().map(Vec::len).collect();
        let mut ready: Vec<usize> = kernel
            .reachable
            .iter()
            .map(|f| f.index())
            .filter(|&f| open[f] == 0)
            .collect();
        let mut inline = vec![false; functions];
        while let Some(function) = ready.pop() {
            let inlined: usize = callees[function]
                .iter()
                .filter(|&&c| inline[c])
                .map(|&c| size[c])
                .sum();
            size[function] += inlined;
            inline[function] = size[function] <= INLINE_LIMIT || sites[function] == 1;
            for &caller in &callers[function] {
                open[caller] -= 1;
                if open[caller] == 0 {
                    ready.push(caller);
                }
            }
        }
        Self { inline, exits }
    }

    /// Whether a thread may end (`exit`) in a call of this function.
    pub fn may_exit(&self, function: FunctionId) -> bool {
        self.exits[function.index()]
    }

    /// Whether calls of this function are replaced by its body.
    pub fn is_inlined(&self, function: FunctionId) -> bool {
        self.inline[function.index()]
    }
}

/// Functions with a body that the kernel reaches and whose address may be taken.
fn addressed(checked: &Checked, kernel: &Kernel) -> Vec<FunctionId> {
    // Everything reachable may be meant where there is a call through an address at all: the layout has already
    // limited `reachable` to functions that are called directly or whose address is taken.
    kernel
        .reachable
        .iter()
        .copied()
        .filter(|&f| f != kernel.function && checked.functions[f.index()].body.is_some())
        .collect()
}

/// Functions that a call with this signature may mean.
pub fn candidates(
    checked: &Checked,
    taken: &[FunctionId],
    signature: &Signature,
) -> Vec<FunctionId> {
    let want = super::params::flat_signature(signature);
    taken
        .iter()
        .copied()
        .filter(|f| {
            let data = &checked.functions[f.index()];
            data.body.is_some()
                && data.kind == ptx::ast::FunctionKind::Func
                && super::params::flat_signature(&data.signature) == want
        })
        .collect()
}
