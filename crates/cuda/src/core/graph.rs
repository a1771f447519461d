//! Graphs: operations and the order between them, kept for later.

pub(crate) mod capture;
pub(crate) mod condition;
pub(crate) mod dot;
pub(crate) mod exec;
pub(crate) mod memory;
pub(crate) mod object;
pub(crate) mod op;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use cuda_abi::driver::{CUgraph, CUgraphEdgeData, CUgraphNode, CUresult};

use super::handle::Table;
use condition::Condition;
use object::Held;
use op::Op;

/// All graphs, those inside of child graph nodes too.
pub(crate) static GRAPHS: Table<Graph> = Table::new(40, CUresult::INVALID_VALUE);
/// All nodes.
static NODES: Table<Name> = Table::new(41, CUresult::INVALID_VALUE);

/// Where a node handle leads.
struct Name {
    graph: Weak<Graph>,
    number: u64,
}

/// A dependency: the node that goes first, and what the edge says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Number of the node that goes first.
    pub from: u64,
    /// Ports and type; the order that a programmatic edge relaxes is kept in full.
    pub data: CUgraphEdgeData,
}

/// An edge without anything special.
pub(crate) const PLAIN: CUgraphEdgeData = CUgraphEdgeData {
    from_port: 0,
    to_port: 0,
    type_: 0,
    reserved: [0; 5],
};

/// Whether an edge says more than "after".
pub(crate) fn is_plain(data: &CUgraphEdgeData) -> bool {
    (data.from_port, data.to_port, data.type_) == (0, 0, 0)
}

struct Node {
    handle: usize,
    /// Handle of the node that this one is a copy of; 0 for none.
    origin: usize,
    op: Op,
    after: Vec<Edge>,
}

#[derive(Default)]
struct Nodes {
    /// By number, that is in the order of their making.
    all: BTreeMap<u64, Node>,
    next: u64,
}

/// A graph.
pub(crate) struct Graph {
    /// Its handle.
    pub handle: usize,
    /// Whether it belongs to a child graph node.
    pub embedded: bool,
    nodes: Mutex<Nodes>,
    objects: Mutex<Vec<Held>>,
    conditions: Mutex<Vec<Arc<Condition>>>,
}

/// A node of a plan: what is run, after what.
#[derive(Clone)]
pub(crate) struct Step {
    /// Handle of the node.
    pub node: usize,
    /// What it does.
    pub op: Op,
    /// Steps of a child graph.
    pub child: Vec<Step>,
    /// Indices of the steps that go first, with what the edges say.
    pub after: Vec<(usize, CUgraphEdgeData)>,
    /// Whether it does anything.
    pub enabled: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The graph of a handle.
pub(crate) fn graph(handle: CUgraph) -> Result<Arc<Graph>, CUresult> {
    GRAPHS.get(handle.0)
}

/// The graph and number of a node.
pub(crate) fn node(handle: CUgraphNode) -> Result<(Arc<Graph>, u64), CUresult> {
    let name = NODES.get(handle.0)?;
    let graph = name.graph.upgrade().ok_or(CUresult::INVALID_VALUE)?;
    Ok((graph, name.number))
}

/// Makes an empty graph.
pub(crate) fn create(embedded: bool) -> Result<Arc<Graph>, CUresult> {
    let (_, graph) = GRAPHS.insert_with(|handle| Graph {
        handle,
        embedded,
        nodes: Mutex::default(),
        objects: Mutex::default(),
        conditions: Mutex::default(),
    })?;
    Ok(graph)
}

/// Ends a graph; one that belongs to a node ends with the node.
pub(crate) fn destroy(handle: CUgraph) -> Result<(), CUresult> {
    if graph(handle)?.embedded {
        return Err(CUresult::INVALID_VALUE);
    }
    GRAPHS.remove(handle.0).map(drop)
}

impl Drop for Graph {
    fn drop(&mut self) {
        for node in lock(&self.nodes).all.values() {
            forget(node);
        }
    }
}

/// Lets go of a node's handle and of the handle of the graph in it.
fn forget(node: &Node) {
    // Both exist as long as the node does.
    let _ = NODES.remove(node.handle);
    match &node.op {
        Op::Child(child) => drop(GRAPHS.remove(child.handle)),
        Op::Conditional(node) => {
            for body in &node.bodies {
                drop(GRAPHS.remove(body.handle));
            }
        }
        _ => {}
    }
}

impl Graph {
    /// Numbers of nodes, which must be this graph's and distinct.
    ///
    /// # Errors
    /// 1.
    pub(crate) fn edges_from(
        &self,
        nodes: &[CUgraphNode],
        data: &[CUgraphEdgeData],
    ) -> Result<Vec<Edge>, CUresult> {
        let mut seen = BTreeSet::new();
        let mut edges = Vec::new();
        for (index, handle) in nodes.iter().enumerate() {
            let data = data.get(index).copied().unwrap_or(PLAIN);
            let (graph, from) = node(*handle)?;
            if !std::ptr::eq(&*graph, self) || !seen.insert(from) || data.type_ > 1 {
                return Err(CUresult::INVALID_VALUE);
            }
            edges.push(Edge { from, data });
        }
        Ok(edges)
    }

    /// Adds a node.
    pub(crate) fn add(
        self: &Arc<Self>,
        op: Op,
        after: Vec<Edge>,
    ) -> Result<(CUgraphNode, u64), CUresult> {
        let mut nodes = lock(&self.nodes);
        let number = nodes.next;
        let handle = self.insert(&mut nodes, number, 0, op, after)?;
        Ok((CUgraphNode(handle), number))
    }

    fn insert(
        self: &Arc<Self>,
        nodes: &mut Nodes,
        number: u64,
        origin: usize,
        op: Op,
        after: Vec<Edge>,
    ) -> Result<usize, CUresult> {
        let handle = NODES.insert(Name {
            graph: Arc::downgrade(self),
            number,
        })?;
        nodes.next = nodes.next.max(number + 1);
        nodes.all.insert(
            number,
            Node {
                handle,
                origin,
                op,
                after,
            },
        );
        Ok(handle)
    }

    /// Takes a node and its edges out.
    ///
    /// # Errors
    /// 801 for a node that allocates or frees memory.
    pub(crate) fn remove(&self, number: u64) -> Result<(), CUresult> {
        let mut nodes = lock(&self.nodes);
        let node = nodes.all.get(&number).ok_or(CUresult::INVALID_VALUE)?;
        if matches!(node.op, Op::Alloc(_) | Op::Free(_)) {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let gone = nodes.all.remove(&number);
        for node in nodes.all.values_mut() {
            node.after.retain(|edge| edge.from != number);
        }
        drop(nodes);
        gone.iter().for_each(forget);
        Ok(())
    }

    /// Adds an edge.
    ///
    /// # Errors
    /// 1 for one that is there, or from a node to itself.
    pub(crate) fn connect(&self, edge: Edge, to: u64) -> Result<(), CUresult> {
        let mut nodes = lock(&self.nodes);
        let node = nodes.all.get_mut(&to).ok_or(CUresult::INVALID_VALUE)?;
        if edge.from == to || node.after.iter().any(|e| e.from == edge.from) {
            return Err(CUresult::INVALID_VALUE);
        }
        node.after.push(edge);
        Ok(())
    }

    /// Takes an edge out.
    ///
    /// # Errors
    /// 1 for one that is not there.
    pub(crate) fn disconnect(&self, from: u64, to: u64) -> Result<(), CUresult> {
        let mut nodes = lock(&self.nodes);
        let node = nodes.all.get_mut(&to).ok_or(CUresult::INVALID_VALUE)?;
        let index = node
            .after
            .iter()
            .position(|e| e.from == from)
            .ok_or(CUresult::INVALID_VALUE)?;
        node.after.remove(index);
        Ok(())
    }

    /// A copy of what a node does.
    pub(crate) fn op(&self, number: u64) -> Result<Op, CUresult> {
        let nodes = lock(&self.nodes);
        let node = nodes.all.get(&number).ok_or(CUresult::INVALID_VALUE)?;
        Ok(node.op.clone())
    }

    /// Changes what a node does, not its kind.
    ///
    /// # Errors
    /// 1 for another kind.
    pub(crate) fn set_op(&self, number: u64, op: Op) -> Result<(), CUresult> {
        let mut nodes = lock(&self.nodes);
        let node = nodes.all.get_mut(&number).ok_or(CUresult::INVALID_VALUE)?;
        if node.op.kind() != op.kind() {
            return Err(CUresult::INVALID_VALUE);
        }
        node.op = op;
        Ok(())
    }

    /// Handle of a node.
    pub(crate) fn name(&self, number: u64) -> CUgraphNode {
        CUgraphNode(lock(&self.nodes).all.get(&number).map_or(0, |n| n.handle))
    }

    /// All nodes, in the order of their making.
    pub(crate) fn nodes(&self) -> Vec<CUgraphNode> {
        let nodes = lock(&self.nodes);
        nodes.all.values().map(|n| CUgraphNode(n.handle)).collect()
    }

    /// Nodes that wait for nothing.
    pub(crate) fn roots(&self) -> Vec<CUgraphNode> {
        let nodes = lock(&self.nodes);
        nodes
            .all
            .values()
            .filter(|n| n.after.is_empty())
            .map(|n| CUgraphNode(n.handle))
            .collect()
    }

    /// All edges: from, to, data.
    pub(crate) fn edges(&self) -> Vec<(CUgraphNode, CUgraphNode, CUgraphEdgeData)> {
        let nodes = lock(&self.nodes);
        let name = |number: u64| CUgraphNode(nodes.all.get(&number).map_or(0, |n| n.handle));
        nodes
            .all
            .values()
            .flat_map(|node| {
                let to = CUgraphNode(node.handle);
                node.after.iter().map(move |e| (e, to))
            })
            .map(|(e, to)| (name(e.from), to, e.data))
            .collect()
    }

    /// The node with that origin, in this graph or in one inside it.
    pub(crate) fn copy_of(&self, origin: usize) -> Option<CUgraphNode> {
        let nodes = lock(&self.nodes);
        let own = nodes.all.values().find(|n| n.origin == origin);
        if let Some(node) = own {
            return Some(CUgraphNode(node.handle));
        }
        nodes.all.values().find_map(|n| match &n.op {
            Op::Child(child) => child.copy_of(origin),
            _ => None,
        })
    }

    /// Whether each of `inner` is one of `outer` or goes before one of them.
    fn covers(&self, outer: &[u64], inner: &[u64]) -> bool {
        let nodes = lock(&self.nodes);
        let mut seen = BTreeSet::new();
        let mut todo = outer.to_vec();
        while let Some(number) = todo.pop() {
            if seen.insert(number) {
                let before = nodes.all.get(&number).map(|n| &n.after);
                todo.extend(before.into_iter().flatten().map(|e| e.from));
            }
        }
        inner.iter().all(|number| seen.contains(number))
    }

    /// A copy with nodes of its own, and of the graphs inside.
    ///
    /// # Errors
    /// 801 for a graph that allocates memory, which cannot be copied.
    pub(crate) fn duplicate(&self, embedded: bool) -> Result<Arc<Self>, CUresult> {
        let copy = create(embedded)?;
        let copied = self.copy_into(&copy);
        if copied.is_err() {
            let _ = GRAPHS.remove(copy.handle);
        }
        copied.map(|()| copy)
    }

    fn copy_into(&self, copy: &Arc<Self>) -> Result<(), CUresult> {
        let nodes = lock(&self.nodes);
        let mut to = lock(&copy.nodes);
        for (number, node) in &nodes.all {
            let op = match &node.op {
                Op::Alloc(_) | Op::Free(_) | Op::Conditional(_) => {
                    return Err(CUresult::NOT_SUPPORTED);
                }
                Op::Child(child) => Op::Child(child.duplicate(true)?),
                op => op.clone(),
            };
            copy.insert(&mut to, *number, node.handle, op, node.after.clone())?;
        }
        lock(&copy.objects).extend(lock(&self.objects).iter().cloned());
        Ok(())
    }

    /// What to run, each node after those it depends on, and otherwise in the order of their making.
    ///
    /// # Errors
    /// 1 for a circle.
    pub(crate) fn plan(&self) -> Result<Vec<Step>, CUresult> {
        let nodes = lock(&self.nodes);
        let mut waiting: BTreeMap<u64, usize> = BTreeMap::new();
        let mut followers: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut ready = BTreeSet::new();
        for (number, node) in &nodes.all {
            if node.after.is_empty() {
                ready.insert(*number);
            }
            waiting.insert(*number, node.after.len());
            for edge in &node.after {
                followers.entry(edge.from).or_default().push(*number);
            }
        }
        let mut place = BTreeMap::new();
        let mut steps = Vec::with_capacity(nodes.all.len());
        while let Some(number) = ready.pop_first() {
            let node = &nodes.all[&number];
            place.insert(number, steps.len());
            let child = match &node.op {
                Op::Child(child) => child.plan()?,
                Op::Conditional(node) => node.plan()?,
                _ => Vec::new(),
            };
            steps.push(Step {
                node: node.handle,
                op: node.op.clone(),
                child,
                after: node
                    .after
                    .iter()
                    .map(|e| (place[&e.from], e.data))
                    .collect(),
                enabled: true,
            });
            for follower in followers.get(&number).into_iter().flatten() {
                if let Some(left) = waiting.get_mut(follower) {
                    *left -= 1;
                    if *left == 0 {
                        ready.insert(*follower);
                    }
                }
            }
        }
        if steps.len() == nodes.all.len() {
            Ok(steps)
        } else {
            Err(CUresult::INVALID_VALUE)
        }
    }

    /// A graph that does what a plan does.
    pub(crate) fn of_plan(steps: &[Step]) -> Result<Arc<Self>, CUresult> {
        let graph = create(true)?;
        let mut numbers = Vec::with_capacity(steps.len());
        for step in steps {
            let op = match &step.op {
                Op::Child(_) => Op::Child(Self::of_plan(&step.child)?),
                Op::Conditional(_) => return Err(CUresult::NOT_SUPPORTED),
                _ if !step.enabled => Op::Empty,
                op => op.clone(),
            };
            let after = step
                .after
                .iter()
                .map(|(index, data)| Edge {
                    from: numbers[*index],
                    data: *data,
                })
                .collect();
            numbers.push(graph.add(op, after)?.1);
        }
        Ok(graph)
    }

    /// Keeps a condition for as long as the graph is there.
    pub(crate) fn keep(&self, condition: Arc<Condition>) {
        lock(&self.conditions).push(condition);
    }

    /// Whether a condition was made for this graph, or for the one that it is in.
    pub(crate) fn has_condition(&self, condition: &Arc<Condition>) -> bool {
        self.embedded
            || lock(&self.conditions)
                .iter()
                .any(|c| Arc::ptr_eq(c, condition))
    }

    /// Conditions that were made for the graph.
    pub(crate) fn conditions(&self) -> Vec<Arc<Condition>> {
        lock(&self.conditions).clone()
    }

    /// User objects that the graph holds.
    pub(crate) fn objects(&self) -> MutexGuard<'_, Vec<Held>> {
        lock(&self.objects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(from: &[u64]) -> Vec<Edge> {
        from.iter()
            .map(|from| Edge {
                from: *from,
                data: PLAIN,
            })
            .collect()
    }

    #[test]
    fn plans_keep_the_order_and_refuse_circles() {
        let graph = create(false).expect("room");
        let (_, a) = graph.add(Op::Empty, vec![]).expect("room");
        let (_, b) = graph.add(Op::Empty, after(&[a])).expect("room");
        let (_, c) = graph.add(Op::Empty, vec![]).expect("room");
        graph
            .connect(
                Edge {
                    from: c,
                    data: PLAIN,
                },
                b,
            )
            .expect("new");
        let nodes: Vec<_> = graph
            .plan()
            .expect("no circle")
            .iter()
            .map(|s| s.node)
            .collect();
        assert_eq!(nodes, [a, c, b].map(|n| graph.name(n).0));
        assert!(graph.covers(&[b], &[a, c]));
        assert!(!graph.covers(&[a], &[c]));
        assert!(
            graph
                .connect(
                    Edge {
                        from: c,
                        data: PLAIN
                    },
                    b
                )
                .is_err(),
            "there already"
        );
        graph
            .connect(
                Edge {
                    from: b,
                    data: PLAIN,
                },
                a,
            )
            .expect("new");
        assert!(graph.plan().is_err());
        graph.disconnect(b, a).expect("there");
        graph.remove(c).expect("there");
        assert_eq!(graph.edges().len(), 1);
    }

    #[test]
    fn copies_have_nodes_of_their_own_and_handles_end_with_the_graph() {
        let graph = create(false).expect("room");
        let inner = create(true).expect("room");
        let (deep, _) = inner.add(Op::Empty, vec![]).expect("room");
        let (child, _) = graph.add(Op::Child(inner), vec![]).expect("room");
        let copy = graph.duplicate(false).expect("room");
        assert_ne!(copy.copy_of(child.0), Some(child));
        let found = copy.copy_of(deep.0).expect("in the child's copy");
        assert!(node(found).is_ok());
        destroy(CUgraph(copy.handle)).expect("live");
        drop(copy);
        assert!(node(found).is_err());
        assert!(node(deep).is_ok());
        destroy(CUgraph(graph.handle)).expect("live");
        drop(graph);
        assert!(node(deep).is_err());
    }
}
