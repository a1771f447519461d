//! Executable graphs: a plan that is put into a stream as a whole.
//!
//! Branches run one after the other in the launching stream, which any program must be prepared for; launches of one
//! executable graph are in order, whatever their streams.

use std::sync::{Arc, Mutex, MutexGuard};

use cuda_abi::driver::{
    CUgraphExec, CUgraphExecUpdateResult, CUgraphNode, CUgraphNodeType, CUresult,
};

use super::condition::{Condition, Way};
use super::object::Held;
use super::op::Op;
use super::{Graph, Step, memory};
use crate::core::channel::Point;
use crate::core::handle::Table;
use crate::core::host_function;
use crate::core::module::FUNCTIONS;
use crate::core::stream::{Stream, Target};
use crate::core::tier::Start;

/// All executable graphs.
pub(crate) static EXECS: Table<Exec> = Table::new(42, CUresult::INVALID_VALUE);

/// Memory left allocated by the launch before is freed by the next.
pub(crate) const AUTO_FREE: u64 = 1;
/// Launched by kernels.
pub(crate) const DEVICE_LAUNCH: u64 = 4;

/// An executable graph.
pub(crate) struct Exec {
    /// Flags of its making.
    pub flags: u64,
    state: Mutex<State>,
}

struct State {
    steps: Vec<Step>,
    last: Option<Point>,
    objects: Vec<Held>,
    conditions: Vec<Arc<Condition>>,
    /// Stream of a graph with conditional nodes, which are decided on while it runs.
    own: Option<Arc<Stream>>,
}

/// Why an update was not made.
pub(crate) struct Refusal {
    /// The reason.
    pub reason: CUgraphExecUpdateResult,
    /// Node of the executable graph.
    pub node: CUgraphNode,
    /// Node of the graph.
    pub from: CUgraphNode,
}

/// Makes a graph executable.
///
/// # Errors
/// 1 for a circle or unknown flags, 801 for launches by kernels.
pub(crate) fn instantiate(graph: &Graph, flags: u64) -> Result<CUgraphExec, CUresult> {
    const KNOWN: u64 = 15;
    if flags & !KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if flags & DEVICE_LAUNCH != 0 {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let steps = graph.plan()?;
    let objects = graph.objects().clone();
    let conditions = graph.conditions();
    EXECS
        .insert(Exec {
            flags,
            state: Mutex::new(State {
                steps,
                last: None,
                objects,
                conditions,
                own: None,
            }),
        })
        .map(CUgraphExec)
}

/// Ends an executable graph; launches go on.
pub(crate) fn destroy(handle: CUgraphExec) -> Result<(), CUresult> {
    let exec = EXECS.remove(handle.0)?;
    let mut state = exec.lock();
    let running = state.last.take().filter(|point| !point.is_done());
    if let Some(point) = running {
        // What the launch uses is let go of once it is over.
        let held = (
            std::mem::take(&mut state.steps),
            std::mem::take(&mut state.objects),
        );
        let wait = move || {
            // How it went is told to whoever synchronises.
            let _ = point.channel.wait(point.value);
            drop(held);
        };
        std::thread::Builder::new()
            .name("cuda-graph-end".into())
            .spawn(wait)
            .map_err(|_| CUresult::OPERATING_SYSTEM)?;
    }
    Ok(())
}

impl Exec {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Puts a launch into a stream.
    ///
    /// # Errors
    /// 1 when memory of the launch before is still allocated; those of the operations.
    pub(crate) fn launch(&self, target: &Target) -> Result<(), CUresult> {
        let mut state = self.lock();
        if let Some(last) = &state.last {
            target.wait_for(last)?;
        }
        memory::check_launch(&state.steps, self.flags & AUTO_FREE != 0)?;
        let ran = if is_conditional(&state.steps) {
            state.run_deciding(target)
        } else {
            run(&state.steps, target)
        };
        state.last = target.stream.point();
        ran
    }

    /// Compiles what a launch needs, and puts memory behind its blocks.
    pub(crate) fn upload(&self, target: &Target) -> Result<(), CUresult> {
        fn prepare(steps: &[Step], target: &Target) -> Result<(), CUresult> {
            for step in steps {
                if let Op::Kernel(kernel) = &step.op {
                    let function = FUNCTIONS.get(kernel.function.0)?;
                    let start = Start::of(kernel.config.grid);
                    function.variant(&target.live, kernel.config.block, start)?;
                }
                if let Op::Alloc(block) = &step.op {
                    block.populate()?;
                }
                prepare(&step.child, target)?;
            }
            Ok(())
        }
        prepare(&self.lock().steps, target)
    }

    /// The plan as a graph, for a launch into a stream that captures.
    pub(crate) fn as_graph(&self) -> Result<Arc<Graph>, CUresult> {
        Graph::of_plan(&self.lock().steps)
    }

    fn with_step<R>(
        &self,
        node: CUgraphNode,
        body: impl FnOnce(&mut Step) -> Result<R, CUresult>,
    ) -> Result<R, CUresult> {
        let mut state = self.lock();
        let step = find(&mut state.steps, node.0).ok_or(CUresult::INVALID_VALUE)?;
        body(step)
    }

    /// What a node does in later launches.
    pub(crate) fn op(&self, node: CUgraphNode) -> Result<Op, CUresult> {
        self.with_step(node, |step| Ok(step.op.clone()))
    }

    /// Changes what a node does in later launches, not its kind.
    pub(crate) fn set_op(&self, node: CUgraphNode, op: Op) -> Result<(), CUresult> {
        self.with_step(node, |step| {
            if step.op.kind() != op.kind() {
                return Err(CUresult::INVALID_VALUE);
            }
            if let Op::Child(graph) = &op {
                let mut child = graph.plan()?;
                refuse(&step.child, &child).map_err(|_| CUresult::GRAPH_EXEC_UPDATE_FAILURE)?;
                keep_names(&step.child, &mut child);
                step.child = child;
                return Ok(());
            }
            step.op = op;
            Ok(())
        })
    }

    /// Whether a node does anything.
    pub(crate) fn is_enabled(&self, node: CUgraphNode) -> Result<bool, CUresult> {
        self.with_step(node, |step| switchable(step).map(|()| step.enabled))
    }

    /// Switches a kernel, copy or fill on or off.
    ///
    /// # Errors
    /// 1 for another kind of node.
    pub(crate) fn set_enabled(&self, node: CUgraphNode, enabled: bool) -> Result<(), CUresult> {
        self.with_step(node, |step| {
            switchable(step)?;
            step.enabled = enabled;
            Ok(())
        })
    }

    /// Takes over what the nodes of a graph of the same shape do.
    pub(crate) fn update(&self, graph: &Graph) -> Result<Result<(), Refusal>, CUresult> {
        let mut new = graph.plan()?;
        let mut state = self.lock();
        if let Err(refusal) = refuse(&state.steps, &new) {
            return Ok(Err(refusal));
        }
        keep_names(&state.steps, &mut new);
        state.steps = new;
        state.objects = graph.objects().clone();
        state.conditions = graph.conditions();
        Ok(Ok(()))
    }
}

fn switchable(step: &Step) -> Result<(), CUresult> {
    use CUgraphNodeType as T;
    if [T::KERNEL, T::MEMCPY, T::MEMSET].contains(&step.op.kind()) {
        Ok(())
    } else {
        Err(CUresult::INVALID_VALUE)
    }
}

fn is_conditional(steps: &[Step]) -> bool {
    let here = |step: &Step| matches!(step.op, Op::Conditional(_)) || is_conditional(&step.child);
    steps.iter().any(here)
}

impl State {
    /// Runs steps some of which depend on what others find out: the stream goes on when a thread has run them all, in a
    /// stream of their own.
    fn run_deciding(&mut self, target: &Target) -> Result<(), CUresult> {
        let own = self
            .own
            .get_or_insert_with(|| Stream::of_driver(&target.live));
        let inner = Target {
            live: target.live.clone(),
            stream: own.clone(),
        };
        let (steps, conditions) = (self.steps.clone(), self.conditions.clone());
        let call = move |outcome: Result<(), CUresult>| {
            if outcome.is_ok() {
                for condition in &conditions {
                    condition.begin();
                }
                // How it went is told to whoever synchronises: what fails here is the context's fault.
                let _ = decide(&steps, &inner).and_then(|()| inner.synchronize());
            }
        };
        host_function::enqueue(target, Box::new(call))
    }
}

/// As [`run`], waiting where a conditional node has to know.
fn decide(steps: &[Step], target: &Target) -> Result<(), CUresult> {
    for step in steps.iter().filter(|step| step.enabled) {
        let Op::Conditional(node) = &step.op else {
            step.op.run(target)?;
            decide(&step.child, target)?;
            continue;
        };
        let value = || {
            target.synchronize()?;
            Ok::<u32, CUresult>(node.condition.value())
        };
        let body = |index: usize| match step.child.get(index) {
            Some(body) => decide(&body.child, target),
            None => Ok(()),
        };
        match node.way {
            Way::If => body(usize::from(value()? == 0))?,
            Way::Switch => body(value()? as usize)?,
            Way::While => {
                while value()? != 0 {
                    body(0)?;
                }
            }
        }
    }
    Ok(())
}

fn run(steps: &[Step], target: &Target) -> Result<(), CUresult> {
    for step in steps.iter().filter(|step| step.enabled) {
        step.op.run(target)?;
        run(&step.child, target)?;
    }
    Ok(())
}

fn find(steps: &mut [Step], node: usize) -> Option<&mut Step> {
    for step in steps {
        if step.node == node {
            return Some(step);
        }
        if let Some(step) = find(&mut step.child, node) {
            return Some(step);
        }
    }
    None
}

/// Nodes of the graph that was made executable stay the names of what was updated.
fn keep_names(old: &[Step], new: &mut [Step]) {
    for (old, new) in old.iter().zip(new) {
        new.node = old.node;
        new.enabled = old.enabled;
        keep_names(&old.child, &mut new.child);
    }
}

fn refuse(old: &[Step], new: &[Step]) -> Result<(), Refusal> {
    use CUgraphExecUpdateResult as R;
    let refusal = |reason, old: Option<&Step>, new: Option<&Step>| Refusal {
        reason,
        node: CUgraphNode(old.map_or(0, |s| s.node)),
        from: CUgraphNode(new.map_or(0, |s| s.node)),
    };
    if old.len() != new.len() {
        let more = new.get(old.len());
        return Err(refusal(R::ERROR_TOPOLOGY_CHANGED, None, more));
    }
    for (a, b) in old.iter().zip(new) {
        if a.op.kind() != b.op.kind() {
            return Err(refusal(R::ERROR_NODE_TYPE_CHANGED, Some(a), Some(b)));
        }
        let before = |s: &Step| {
            let mut before: Vec<_> = s.after.iter().map(|(index, _)| *index).collect();
            before.sort_unstable();
            before
        };
        if before(a) != before(b) {
            return Err(refusal(R::ERROR_TOPOLOGY_CHANGED, Some(a), Some(b)));
        }
        let allowed = match (&a.op, &b.op) {
            (Op::Kernel(a), Op::Kernel(b)) => {
                let context = |f: usize| FUNCTIONS.get(f).map(|f| f.loaded.context).ok();
                if context(a.function.0) == context(b.function.0) {
                    None
                } else {
                    Some(R::ERROR_UNSUPPORTED_FUNCTION_CHANGE)
                }
            }
            (Op::Copy(a), Op::Copy(b))
                if (a.srcMemoryType, a.dstMemoryType) != (b.srcMemoryType, b.dstMemoryType) =>
            {
                Some(R::ERROR_PARAMETERS_CHANGED)
            }
            (Op::Alloc(a), Op::Alloc(b)) if !Arc::ptr_eq(a, b) => Some(R::ERROR_NOT_SUPPORTED),
            (Op::Free(a), Op::Free(b)) if a != b => Some(R::ERROR_NOT_SUPPORTED),
            _ => None,
        };
        if let Some(reason) = allowed {
            return Err(refusal(reason, Some(a), Some(b)));
        }
        refuse(&a.child, &b.child)?;
    }
    Ok(())
}
