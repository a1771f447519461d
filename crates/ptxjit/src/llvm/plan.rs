//! How masked code is laid out: partial linearisation of the control flow (after Moll and Hack, PLDI 2018).
//!
//! Branches that all active lanes take alike stay branches. A divergent branch falls through to the first of its
//! targets in layout order; the others are *pending* and are visited later on the way. A block that only some lanes of
//! its surroundings reach *owns* a mask; any other block runs under the mask of its *leader* (the nearest dominator
//! that owns one, or the function's entry). A loop that lanes leave at different times ends in a *latch* node that
//! goes back while a lane wants to.

use super::flow::Flow;
use super::shape::{Control, Lanes, Shape, Shapes, UNIFORM, def_blocks, shapes};
use super::wrap::{self, Wraps};
use crate::ir::{Block, Function, Id, Terminator, Value};
use std::collections::{BTreeSet, HashSet};

/// A place in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A block.
    Block(usize),
    /// The end of a divergent loop.
    Latch(usize),
    /// The end of the function.
    End,
}

/// The plan of a function.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Nodes in layout order; the last is [`Node::End`].
    pub seq: Vec<Node>,
    /// Place of a block in `seq`.
    pub at: Vec<usize>,
    /// Place of a loop's latch in `seq` (divergent loops).
    pub latch_at: Vec<Option<usize>>,
    /// Pending nodes (places in `seq`) at each place.
    pub pending: Vec<BTreeSet<usize>>,
    /// Block whose mask a block runs under; the entry block stands for the entry's mask.
    pub leader: Vec<usize>,
    /// Whether a block owns a mask.
    pub own: Vec<bool>,
    /// Whether a block's terminator sends lanes different ways.
    pub divergent: Vec<bool>,
    /// Whether lanes leave a loop at different times.
    pub loop_divergent: Vec<bool>,
    /// Shapes of values.
    pub shapes: Shapes,
    /// Block that defines a value.
    pub defs: Vec<Option<usize>>,
    /// Values of a divergent loop that are used outside it.
    pub outs: HashSet<Value>,
    /// The general form: see [`super::dispatch`].
    pub dispatch: bool,
    /// In the general form: the entry, which runs once, with all lanes, before everything.
    pub first: Option<usize>,
    /// What is off where a 32-bit index wraps between lanes.
    pub wraps: Wraps,
}

/// What the analysis knows in a round.
struct State<'a> {
    flow: &'a Flow,
    own: Vec<bool>,
    leader: Vec<usize>,
    divergent: Vec<bool>,
    loop_divergent: Vec<bool>,
    /// Blocks that may be entered by several edges at once.
    mixed: Vec<bool>,
    dispatch: bool,
    first: Option<usize>,
    /// Extended indices that are not to be taken as consecutive.
    given_up: HashSet<Value>,
}

impl Control for State<'_> {
    fn mixes(&self, block: usize, back_edges: bool) -> bool {
        if self.dispatch {
            return true;
        }
        if back_edges {
            let l = self.flow.loop_of[block];
            return l
                .is_some_and(|l| self.loop_divergent[l] && self.flow.loops[l].latches.len() > 1);
        }
        self.mixed[block]
    }

    fn extends(&self, extended: Value) -> bool {
        !self.given_up.contains(&extended)
    }

    fn temporal(&self, def: usize, at: usize) -> bool {
        self.dispatch && def != at && Some(def) != self.first
            || self.flow.left(def, at).any(|l| self.loop_divergent[l])
    }
}

impl Plan {
    /// Plans a function; the flow is reducible.
    #[must_use]
    pub fn new(function: &Function, flow: &Flow, lanes: &Lanes) -> Self {
        let defs = def_blocks(function);
        settle(function, |given_up| {
            Self::attempt(function, flow, lanes, &defs, given_up)
        })
    }

    fn attempt(
        function: &Function,
        flow: &Flow,
        lanes: &Lanes,
        defs: &[Option<usize>],
        given_up: HashSet<Value>,
    ) -> Result<Self, HashSet<Value>> {
        let count = function.blocks.len();
        let mut state = State {
            flow,
            own: vec![false; count],
            leader: vec![usize::MAX; count],
            divergent: vec![false; count],
            loop_divergent: vec![false; flow.loops.len()],
            mixed: vec![false; count],
            dispatch: false,
            first: None,
            given_up,
        };
        let mut forced = vec![false; count];
        loop {
            structure(function, &mut state, &mut forced);
            let shapes = shapes(function, flow, lanes, &state, defs, &[]);
            let mut changed = false;
            for &b in &flow.order {
                let data = &function.blocks[Block::from_index(b)];
                let diverges = match &data.term {
                    Terminator::Branch {
                        cond, then, other, ..
                    } => {
                        then.block != other.block
                            && branch_shape(&shapes, &state, defs, *cond, b) != UNIFORM
                            || then.block == other.block && then.args != other.args
                    }
                    Terminator::Switch { index, .. } => {
                        branch_shape(&shapes, &state, defs, *index, b) != UNIFORM
                    }
                    _ => false,
                };
                if diverges && !state.divergent[b] {
                    state.divergent[b] = true;
                    changed = true;
                }
            }
            if !changed {
                let (seq, at, latch_at, pending) = layout(function, &state).unwrap_or_default();
                let outs = outs(function, flow, &state, defs);
                let wraps = wrap::wraps(function, flow, &shapes, &state, defs)?;
                return Ok(Self {
                    seq,
                    at,
                    latch_at,
                    pending,
                    leader: state.leader,
                    own: state.own,
                    divergent: state.divergent,
                    loop_divergent: state.loop_divergent,
                    shapes,
                    defs: defs.to_vec(),
                    outs,
                    dispatch: false,
                    first: None,
                    wraps,
                });
            }
        }
    }

    /// The plan of the dispatch form: every block runs under a mask of its own, at any time. `given`: by how much lanes'
    /// parameters differ from the first lane's, where that is known.
    #[must_use]
    pub fn dispatch(
        function: &Function,
        flow: &Flow,
        lanes: &Lanes,
        given: &[Option<Vec<i64>>],
    ) -> Self {
        let count = function.blocks.len();
        let defs = def_blocks(function);
        let entry = function.entry.index();
        let first = flow.preds[entry].is_empty().then_some(entry);
        settle(function, |given_up| {
            let state = State {
                flow,
                own: vec![true; count],
                leader: (0..count).collect(),
                divergent: vec![true; count],
                loop_divergent: vec![false; flow.loops.len()],
                mixed: vec![true; count],
                dispatch: true,
                first,
                given_up,
            };
            let shapes = shapes(function, flow, lanes, &state, &defs, given);
            let wraps = wrap::wraps(function, flow, &shapes, &state, &defs)?;
            Ok(Self {
                seq: vec![Node::End],
                at: vec![0; count],
                latch_at: vec![None; flow.loops.len()],
                pending: vec![BTreeSet::new(); count.max(1)],
                leader: state.leader,
                own: state.own,
                divergent: state.divergent,
                loop_divergent: state.loop_divergent,
                shapes,
                defs: defs.clone(),
                outs: HashSet::new(),
                dispatch: true,
                first,
                wraps,
            })
        })
    }

    /// The plan of a vector of one lane.
    #[must_use]
    pub fn single(function: &Function, flow: &Flow) -> Self {
        let count = function.blocks.len();
        Self {
            seq: vec![Node::End],
            at: vec![0; count],
            latch_at: vec![None; flow.loops.len()],
            pending: vec![BTreeSet::new()],
            leader: vec![function.entry.index(); count],
            own: vec![false; count],
            divergent: vec![false; count],
            loop_divergent: vec![false; flow.loops.len()],
            shapes: Shapes::single(function),
            defs: def_blocks(function),
            outs: HashSet::new(),
            dispatch: false,
            first: None,
            wraps: Wraps::default(),
        }
    }

    /// Whether a use in block `at` of `value` must read what each lane had when it left the loop.
    #[must_use]
    pub fn temporal(&self, flow: &Flow, value: Value, at: usize) -> bool {
        if self.dispatch {
            return self.defs[value.index()]
                .is_some_and(|def| def != at && Some(def) != self.first);
        }
        self.outs.contains(&value)
            && self.defs[value.index()]
                .is_some_and(|def| flow.left(def, at).any(|l| self.loop_divergent[l]))
    }
}

/// Plans, giving up more extended indices each time until the plan holds.
fn settle(
    function: &Function,
    mut attempt: impl FnMut(HashSet<Value>) -> Result<Plan, HashSet<Value>>,
) -> Plan {
    let mut given_up = HashSet::new();
    loop {
        match attempt(given_up.clone()) {
            Ok(plan) => return plan,
            Err(more) => {
                if more.is_subset(&given_up) {
                    given_up.extend(wrap::all_extended(function));
                }
                given_up.extend(more);
            }
        }
    }
}

fn branch_shape(
    shapes: &Shapes,
    state: &State<'_>,
    defs: &[Option<usize>],
    cond: Value,
    at: usize,
) -> Shape {
    match defs[cond.index()] {
        Some(def) if state.temporal(def, at) => Shape::Varying,
        Some(_) | None => shapes.shape(cond),
    }
}

fn outs(
    function: &Function,
    flow: &Flow,
    state: &State<'_>,
    defs: &[Option<usize>],
) -> HashSet<Value> {
    let mut outs = HashSet::new();
    let mut check = |value: Value, at: usize| {
        if defs[value.index()].is_some_and(|def| state.temporal(def, at)) {
            outs.insert(value);
        }
    };
    for &b in &flow.order {
        let data = &function.blocks[Block::from_index(b)];
        for &inst in &data.insts {
            for value in function.uses(inst) {
                check(value, b);
            }
        }
        for &value in data.term.operands() {
            check(value, b);
        }
        for edge in data.term.edges() {
            for &value in &edge.args {
                check(value, b);
            }
        }
    }
    outs
}

/// Leaders, owned masks and divergent loops from the set of divergent branches.
fn structure(function: &Function, state: &mut State<'_>, forced: &mut [bool]) {
    loop {
        leaders(function, state, forced);
        if let Some(l) = newly_divergent_loop(state) {
            state.loop_divergent[l] = true;
            continue;
        }
        match layout(function, state) {
            Ok(_) => return,
            Err(Conflict::Own(block)) => forced[block] = true,
            Err(Conflict::Loop(l)) => state.loop_divergent[l] = true,
        }
    }
}

fn leaders(function: &Function, state: &mut State<'_>, forced: &[bool]) {
    let flow = state.flow;
    let entry = function.entry.index();
    for &b in &flow.order {
        state.leader[b] = usize::MAX;
    }
    for &b in &flow.order {
        let header = flow.loop_of[b].filter(|&l| flow.loops[l].header == b);
        let level = match header {
            Some(l) => flow.loops[l].parent,
            None => flow.loop_of[b],
        };
        let forward: Vec<usize> = flow.preds[b]
            .iter()
            .copied()
            .filter(|&p| flow.pos[p] < flow.pos[b])
            .collect();
        let direct = !forward.is_empty()
            && forward.iter().all(|&p| {
                !state.divergent[p]
                    && state.leader[p] == state.leader[forward[0]]
                    && !flow.left(p, b).any(|l| state.loop_divergent[l])
            });
        state.mixed[b] = forward.len() > 1 && !direct
            || forward
                .iter()
                .any(|&p| flow.left(p, b).any(|l| state.loop_divergent[l]));
        let divergent_header = header.is_some_and(|l| state.loop_divergent[l]);
        let d = flow.idom[b];
        let own = if b == entry {
            divergent_header
        } else if forced[b] || divergent_header {
            true
        } else if flow.loop_of[d] == level && flow.post_dominates(b, d) {
            state.leader[b] = state.leader[d];
            false
        } else if direct {
            state.leader[b] = state.leader[forward[0]];
            false
        } else {
            true
        };
        state.own[b] = own;
        if own || b == entry {
            state.leader[b] = b;
        }
    }
}

/// A loop that lanes leave, or go round, at different times.
fn newly_divergent_loop(state: &State<'_>) -> Option<usize> {
    let flow = state.flow;
    (0..flow.loops.len()).find(|&l| {
        let this = &flow.loops[l];
        !state.loop_divergent[l]
            && (0..this.member.len()).filter(|&n| this.member[n]).any(|n| {
                let leaves = flow.succs[n]
                    .iter()
                    .any(|&s| !this.member[s] || s == this.header);
                leaves && (state.divergent[n] || state.leader[n] != state.leader[this.header])
            })
    })
}

/// Why a layout does not work under the present assumptions.
enum Conflict {
    /// This block needs a mask of its own.
    Own(usize),
    /// This loop must have a latch.
    Loop(usize),
}

type Layout = (
    Vec<Node>,
    Vec<usize>,
    Vec<Option<usize>>,
    Vec<BTreeSet<usize>>,
);

fn layout(function: &Function, state: &State<'_>) -> Result<Layout, Conflict> {
    let flow = state.flow;
    let count = function.blocks.len();
    // Blocks and latches; of latches at one place, the inner first (inner loops have higher numbers).
    let mut latches_after: Vec<Vec<usize>> = vec![Vec::new(); flow.order.len()];
    for (l, this) in flow.loops.iter().enumerate() {
        if state.loop_divergent[l] {
            let last = (0..count)
                .filter(|&n| this.member[n])
                .map(|n| flow.pos[n])
                .max()
                .unwrap_or(0);
            latches_after[last].push(l);
        }
    }
    let mut seq = Vec::new();
    let mut at = vec![usize::MAX; count];
    let mut latch_at = vec![None; flow.loops.len()];
    for (i, &b) in flow.order.iter().enumerate() {
        at[b] = seq.len();
        seq.push(Node::Block(b));
        for &l in latches_after[i].iter().rev() {
            latch_at[l] = Some(seq.len());
            seq.push(Node::Latch(l));
        }
    }
    let end = seq.len();
    seq.push(Node::End);
    let mut pending: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); seq.len()];
    let mut incoming: Vec<Vec<BTreeSet<usize>>> = vec![Vec::new(); seq.len()];
    pending[0].insert(end);
    incoming[0].push(pending[0].clone());
    let shares = |n: usize| match seq[n] {
        Node::Block(b) => !state.own[b],
        Node::Latch(_) | Node::End => false,
    };
    for i in 0..end {
        let mut flows: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        let first = |set: &BTreeSet<usize>| {
            let mut rest = set.clone();
            let next = rest.pop_first().unwrap_or(end);
            (next, rest)
        };
        match seq[i] {
            Node::End => {}
            Node::Latch(_) => {
                let mut set = pending[i].clone();
                set.remove(&i);
                flows.push(first(&set));
            }
            Node::Block(b) => {
                let header = flow.loop_of[b].filter(|&l| flow.loops[l].header == b);
                if state.own[b] {
                    flows.push(first(&pending[i]));
                }
                if let Some(latch) = header.and_then(|l| latch_at[l]) {
                    pending[i].insert(latch);
                }
                let data = &function.blocks[Block::from_index(b)];
                // Where an edge leads in the layout; `None`: straight back to the header of a uniform loop.
                let lead = |s: usize| {
                    if flow.pos[s] > flow.pos[b] {
                        return Some(at[s]);
                    }
                    flow.loop_of[s].and_then(|l| latch_at[l])
                };
                if flow.succs[b].is_empty() {
                    let stops = matches!(data.term, Terminator::Trap(_) | Terminator::Unreachable);
                    if !stops || state.own[b] || pending[i].len() > 1 {
                        flows.push(first(&pending[i]));
                    }
                } else if state.divergent[b] {
                    let mut set = pending[i].clone();
                    set.extend(flow.succs[b].iter().filter_map(|&s| lead(s)));
                    let (next, rest) = first(&set);
                    flows.push((next, rest));
                } else {
                    for &s in &flow.succs[b] {
                        let Some(target) = lead(s) else {
                            let l = flow.loop_of[s].unwrap_or(0);
                            let inside = pending[i].iter().any(|&n| match seq[n] {
                                Node::Block(x) => flow.loops[l].member[x],
                                Node::Latch(x) => {
                                    x != l && flow.loops[l].member[flow.loops[x].header]
                                }
                                Node::End => false,
                            });
                            if inside || !pending[i].is_subset(&pending[at[s]]) {
                                return Err(Conflict::Loop(l));
                            }
                            continue;
                        };
                        let mut set = pending[i].clone();
                        set.insert(target);
                        let (next, rest) = first(&set);
                        if next != target
                            && shares(target)
                            && !equivalent(state, seq[target])
                            && let Node::Block(x) = seq[target]
                        {
                            return Err(Conflict::Own(x));
                        }
                        flows.push((next, rest));
                    }
                }
            }
        }
        for (next, rest) in flows {
            pending[next].extend(rest.iter().copied());
            incoming[next].push(rest);
        }
    }
    // A block without a mask of its own must be pending on every way to a place where it is pending on one.
    for i in 0..end {
        for &n in &pending[i] {
            if let Node::Block(b) = seq[n]
                && !state.own[b]
                && incoming[i].iter().any(|set| !set.contains(&n))
            {
                return Err(Conflict::Own(b));
            }
        }
    }
    Ok((seq, at, latch_at, pending))
}

/// Whether a block without its own mask is reached by all lanes of its immediate dominator.
fn equivalent(state: &State<'_>, node: Node) -> bool {
    match node {
        Node::Block(b) => state.flow.post_dominates(b, state.flow.idom[b]),
        Node::Latch(_) | Node::End => true,
    }
}
