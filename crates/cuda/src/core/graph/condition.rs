//! Conditional nodes: a number that kernels set, and the graphs that run by it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cuda_abi::driver::{CUgraph, CUgraphConditionalNodeType, CUresult};

use super::op::Op;
use super::{Graph, Step};
use crate::core::context::{CONTEXTS, Live};

/// A number in memory that host and GPU share. Its handle is its address, to which kernels store
/// (`cudaGraphSetConditional`).
#[derive(Debug)]
pub(crate) struct Condition {
    /// Address.
    pub va: u64,
    context: usize,
    /// Value at each launch, if it is set then.
    default: Option<u32>,
}

static CONDITIONS: Mutex<BTreeMap<u64, Weak<Condition>>> = Mutex::new(BTreeMap::new());

fn lock() -> MutexGuard<'static, BTreeMap<u64, Weak<Condition>>> {
    CONDITIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a condition; with `assign`, each launch sets it to `default`, else it begins as that.
pub(crate) fn create(live: &Live, default: u32, assign: bool) -> Result<Arc<Condition>, CUresult> {
    let mut slots = live
        .event_slots
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let va = slots.take(live)?;
    drop(slots);
    let condition = Arc::new(Condition {
        va,
        context: live.context,
        default: assign.then_some(default),
    });
    condition.word().store(default, Ordering::Release);
    lock().insert(va, Arc::downgrade(&condition));
    Ok(condition)
}

/// The condition of a handle.
///
/// # Errors
/// 1 for a number that is none.
pub(crate) fn get(handle: u64) -> Result<Arc<Condition>, CUresult> {
    let known = lock().get(&handle).and_then(Weak::upgrade);
    known.ok_or(CUresult::INVALID_VALUE)
}

impl Drop for Condition {
    fn drop(&mut self) {
        lock().remove(&self.va);
        if let Some(live) = CONTEXTS.get(self.context).ok().and_then(|c| c.live()) {
            live.event_slots
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .give(self.va);
        }
    }
}

impl Condition {
    fn word(&self) -> &AtomicU32 {
        let at = usize::try_from(self.va).unwrap_or_default();
        // SAFETY: an aligned word of pinned memory of the context, which this condition took; a context that ended has
        // no launches that look.
        unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(at)) }
    }

    /// Its value.
    pub(crate) fn value(&self) -> u32 {
        self.word().load(Ordering::Acquire)
    }

    /// What a launch begins with.
    pub(crate) fn begin(&self) {
        if let Some(default) = self.default {
            self.word().store(default, Ordering::Release);
        }
    }
}

/// What a conditional node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The first graph if the value is not 0, else the second, if there is one.
    If,
    /// The graph, again and again while the value is not 0.
    While,
    /// The graph of that number, if there is one.
    Switch,
}

impl Way {
    /// From the API's number, for so many graphs.
    ///
    /// # Errors
    /// 1 for what is none, or a number of graphs that it has not.
    pub(crate) fn of(kind: CUgraphConditionalNodeType, graphs: u32) -> Result<Self, CUresult> {
        use CUgraphConditionalNodeType as T;
        match (kind, graphs) {
            (T::IF, 1 | 2) => Ok(Self::If),
            (T::WHILE, 1) => Ok(Self::While),
            (T::SWITCH, 1..) => Ok(Self::Switch),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }
}

/// A conditional node's content.
pub(crate) struct Conditional {
    /// What it looks at.
    pub condition: Arc<Condition>,
    /// What it does.
    pub way: Way,
    /// The graphs.
    pub bodies: Vec<Arc<Graph>>,
    /// Their handles, where the program may look at them.
    pub handles: Box<[CUgraph]>,
}

impl Conditional {
    /// With empty graphs.
    pub(crate) fn create(
        condition: Arc<Condition>,
        way: Way,
        graphs: u32,
    ) -> Result<Arc<Self>, CUresult> {
        let bodies = (0..graphs)
            .map(|_| super::create(true))
            .collect::<Result<Vec<_>, _>>()?;
        let handles = bodies.iter().map(|g| CUgraph(g.handle)).collect();
        Ok(Arc::new(Self {
            condition,
            way,
            bodies,
            handles,
        }))
    }

    /// A step for each graph, with what it runs.
    pub(super) fn plan(&self) -> Result<Vec<Step>, CUresult> {
        let step = |body: &Arc<Graph>| {
            Ok(Step {
                node: 0,
                op: Op::Child(body.clone()),
                child: body.plan()?,
                after: Vec::new(),
                enabled: true,
            })
        };
        self.bodies.iter().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_have_their_number_of_graphs() {
        use CUgraphConditionalNodeType as T;
        assert_eq!(Way::of(T::IF, 2), Ok(Way::If));
        assert_eq!(Way::of(T::SWITCH, 5), Ok(Way::Switch));
        for (kind, graphs) in [(T::IF, 3), (T::IF, 0), (T::WHILE, 2), (T::SWITCH, 0)] {
            assert!(Way::of(kind, graphs).is_err());
        }
        assert!(Way::of(CUgraphConditionalNodeType(9), 1).is_err());
        assert!(get(12).is_err());
    }
}
