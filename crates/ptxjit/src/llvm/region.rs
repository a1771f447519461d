//! The blocks of a region in layout order, and copies of pieces of it in which all lanes of the vector are known to run.
//!
//! Code behind a test of bounds, and loops that most warps run with all lanes until the last round, spend more on masks
//! than on work. Such a piece (a *scope*: the blocks below one that owns a mask) exists twice. Where its mask is full,
//! control enters the copy without masks, and leaves it for the masked code at the first branch that takes single
//! lanes out of its loop. All values lie in the same slots in both, so that control may change over between any two
//! blocks; LLVM's `sroa` makes registers of the slots.

use super::build::{Bb, Icmp};
use super::emit::{Done, Gen, Mask};
use super::flow::Flow;
use super::plan::Node;
use super::shape::{Shape, UNIFORM};
use crate::ir::{self, Block, Id, Op, Props, Terminator, Ty, Value};
use std::collections::{BTreeSet, HashMap};

/// LLVM blocks of a copy.
#[derive(Clone)]
pub(super) struct Places {
    /// By place in the layout: where control comes to look for lanes.
    pub(super) entry: HashMap<usize, Bb>,
    /// By block: its code.
    pub(super) body: HashMap<usize, Bb>,
}

/// A piece of code that gets a copy for full masks.
struct Scope {
    /// The block that owns the mask.
    head: usize,
    /// Places in the layout.
    nodes: BTreeSet<usize>,
    /// The divergent loop that the head is the header of.
    of_loop: Option<usize>,
    /// The code that does without the assumption.
    outer: Places,
}

/// Scopes within scopes.
const MAX_DEPTH: usize = 3;
/// Instructions of a scope: below, a copy is not worth its code; above, not its compile time.
const SCOPE_SIZE: std::ops::RangeInclusive<usize> = 2..=200;
/// Instructions that a kernel may have copied, as a multiple of its own, and at least.
const COPIES: usize = 1;
const COPIES_LEAST: usize = 64;
/// Rounds that a loop is taken to run.
const ROUNDS: usize = 8;
/// What an access of scattered places takes, in instructions: masks are not what it costs.
const SCATTERED: usize = 2;
/// Instructions that one unit of gain is worth: besides masks, copies are where memory ahead is fetched.
const UNIT: usize = 12;

/// What a copy without masks saves, and what the code takes with and without them.
#[derive(Default)]
struct Worth {
    gain: usize,
    takes: usize,
}

impl Worth {
    fn pays(&self) -> bool {
        self.gain * UNIT >= self.takes
    }
}

/// Instructions that may be copied.
pub(super) fn copies(f: &ir::Function, flow: &Flow) -> usize {
    let count = |b: &usize| f.blocks[Block::from_index(*b)].insts.len();
    (COPIES * flow.order.iter().map(count).sum::<usize>()).max(COPIES_LEAST)
}

impl Gen<'_, '_> {
    /// Generates everything that runs from `start` up to barriers (whose blocks `at_barrier` completes) or to the
    /// end (`end`). The builder stands where control comes from.
    pub fn region(
        &mut self,
        start: usize,
        stop_at_barriers: bool,
        at_barrier: &mut dyn FnMut(&mut Self, usize) -> Done,
        end: Bb,
    ) -> Done {
        if self.plan.dispatch {
            return self.dispatch_region(end);
        }
        let nodes = self.reached(start, stop_at_barriers);
        let mut places = Places {
            entry: HashMap::new(),
            body: HashMap::new(),
        };
        self.make_places(&nodes, None, &mut places);
        places.entry.insert(self.plan.seq.len() - 1, end);
        if self.plan.own[start] && self.lane.is_none() {
            // A loop that begins right behind a barrier: the lanes that come out of that are those that enter.
            let lanes = self.mask_value(self.entry_mask);
            self.add_lanes(start, lanes);
            self.b.br(places.entry[&self.plan.at[start]]);
        } else {
            self.b.br(places.body[&start]);
        }
        self.copy(
            &nodes,
            &places,
            &mut Vec::new(),
            stop_at_barriers,
            at_barrier,
        )
    }

    /// New LLVM blocks for nodes; nobody looks for lanes of `head`.
    fn make_places(&self, nodes: &BTreeSet<usize>, head: Option<usize>, places: &mut Places) {
        for &n in nodes {
            if let Some(head) = head.filter(|&h| self.plan.seq[n] == Node::Block(h)) {
                let bb = self.b.block(self.function);
                places.body.insert(head, bb);
                continue;
            }
            let bb = self.b.block(self.function);
            places.entry.insert(n, bb);
            if let Node::Block(b) = self.plan.seq[n] {
                let bb = if self.plan.own[b] {
                    self.b.block(self.function)
                } else {
                    bb
                };
                places.body.insert(b, bb);
            }
        }
    }

    /// Generates the nodes of a copy: the region itself, or the innermost of `scopes`.
    fn copy(
        &mut self,
        nodes: &BTreeSet<usize>,
        places: &Places,
        scopes: &mut Vec<Scope>,
        stop_at_barriers: bool,
        at_barrier: &mut dyn FnMut(&mut Self, usize) -> Done,
    ) -> Done {
        let mut covered: BTreeSet<usize> = BTreeSet::new();
        let head = scopes.last().map(|s| s.head);
        for &n in nodes {
            if self.in_serial_loop(n) {
                continue;
            }
            match self.plan.seq[n] {
                Node::End => {}
                Node::Latch(l) => {
                    self.b.at(places.entry[&n]);
                    let header = self.flow.loops[l].header;
                    if scopes.iter().any(|s| s.of_loop == Some(l)) {
                        // Nobody has left.
                        let slot = self.mask_slot(header);
                        self.b.store(self.b.zero(self.mask_type()), slot, 64);
                        self.b.br(places.body[&header]);
                        continue;
                    }
                    let m = self.take_mask(header);
                    let next = self.next_pending(n, Some(n));
                    let any = self.any(Mask::Some(m));
                    if self.spin_headers.contains(&header) {
                        let again = self.b.block(self.function);
                        self.b.cond(any, again, places.entry[&next]);
                        self.b.at(again);
                        self.yield_now();
                        self.b.br(places.body[&header]);
                    } else {
                        self.b.cond(any, places.body[&header], places.entry[&next]);
                    }
                }
                Node::Block(b) => {
                    self.block = b;
                    let mut full = None;
                    let serial = self.serial_loop_of(b);
                    if self.plan.own[b] && Some(b) != head {
                        self.b.at(places.entry[&n]);
                        let m = self.take_mask(b);
                        if serial.is_none() && !covered.contains(&n) && scopes.len() < MAX_DEPTH {
                            full = self.scope(b, nodes, places, stop_at_barriers);
                        }
                        if let Some((scope, fast)) = &full {
                            covered.extend(&scope.nodes);
                            let all = self.entered_by_all(b, m);
                            let some = self.b.block(self.function);
                            self.b.cond(all, fast.body[&b], some);
                            self.b.at(some);
                        }
                        if self.needs_check(b) {
                            let any = self.any(Mask::Some(m));
                            let next = self.next_pending(n, self.header_latch(b));
                            self.b.cond(any, places.body[&b], places.entry[&next]);
                        } else {
                            self.b.br(places.body[&b]);
                        }
                    }
                    self.b.at(places.body[&b]);
                    if let Some(l) = serial {
                        self.serial_loop(l, places)?;
                        continue;
                    }
                    self.begin_block(b);
                    self.partial = covered.contains(&n);
                    let ends_at_barrier = stop_at_barriers && self.is_barrier(b);
                    self.instructions(b, ends_at_barrier)?;
                    if ends_at_barrier {
                        at_barrier(self, b)?;
                    } else {
                        self.terminator(b, n, places, scopes)?;
                    }
                    if let Some((scope, fast)) = full {
                        let inside = scope.nodes.clone();
                        self.full.push(b);
                        scopes.push(scope);
                        self.copy(&inside, &fast, scopes, stop_at_barriers, at_barrier)?;
                        scopes.pop();
                        self.full.pop();
                    }
                }
            }
        }
        Ok(())
    }

    /// The scope below a block that owns a mask, if a copy of it is worth while, and the copy's places.
    fn scope(
        &mut self,
        head: usize,
        within: &BTreeSet<usize>,
        places: &Places,
        stop_at_barriers: bool,
    ) -> Option<(Scope, Places)> {
        let header_of = self.flow.loop_of[head].filter(|&l| self.flow.loops[l].header == head);
        let of_loop = header_of.filter(|&l| self.plan.loop_divergent[l]);
        if of_loop.is_none() && !self.tests_bounds(head) {
            return None;
        }
        let around = self.flow.loop_of[head];
        let mut nodes = BTreeSet::new();
        let mut size = 0;
        let mut worth = Worth::default();
        if of_loop.is_some() {
            // Per round: the test of the mask, and a blend for each value that goes round.
            let params = &self.f.blocks[Block::from_index(head)].params;
            let carried = params
                .iter()
                .filter(|&&p| self.plan.shapes.shape(p) == Shape::Varying);
            worth.gain = 2 + carried.count();
        }
        for &n in within {
            let b = match self.plan.seq[n] {
                Node::Block(b) => b,
                Node::Latch(l) => self.flow.loops[l].header,
                Node::End => continue,
            };
            let inside = match of_loop {
                Some(l) => self.flow.in_loop(l, b),
                None => {
                    self.flow.dominates(head, b) && around.is_none_or(|l| self.flow.in_loop(l, b))
                }
            };
            if !inside {
                continue;
            }
            nodes.insert(n);
            if let Node::Block(b) = self.plan.seq[n] {
                if self.spin_headers.contains(&b) || stop_at_barriers && self.is_barrier(b) {
                    return None;
                }
                let data = &self.f.blocks[Block::from_index(b)];
                if of_loop.is_some()
                    && matches!(data.term, Terminator::Switch { .. })
                    && self.plan.divergent[b]
                {
                    return None;
                }
                size += data.insts.len();
                if data
                    .insts
                    .iter()
                    .any(|&i| self.f.insts[i].op.props().contains(Props::SUSPENDS))
                {
                    return None;
                }
                let loops = self.loops_between(b, if of_loop.is_some() { of_loop } else { around });
                // Loops that lanes leave one by one get copies of their own.
                if !loops.iter().any(|&l| self.plan.loop_divergent[l]) {
                    self.weigh(b, loops.len(), &mut worth);
                }
            }
        }
        if !SCOPE_SIZE.contains(&size) || !worth.pays() || self.copies_left < size {
            return None;
        }
        self.copies_left -= size;
        let mut fast = places.clone();
        self.make_places(&nodes, Some(head), &mut fast);
        let scope = Scope {
            head,
            nodes,
            of_loop,
            outer: places.clone(),
        };
        Some((scope, fast))
    }

    /// The loops that a block is in and that lie within another.
    fn loops_between(&self, block: usize, outer: Option<usize>) -> Vec<usize> {
        let mut out = Vec::new();
        let mut at = self.flow.loop_of[block];
        while let Some(l) = at.filter(|_| at != outer) {
            out.push(l);
            at = self.flow.loops[l].parent;
        }
        out
    }

    /// Adds what a block gains from doing without masks, and what it takes anyway.
    fn weigh(&self, block: usize, depth: usize, worth: &mut Worth) {
        let rounds = ROUNDS.pow(u32::try_from(depth.min(2)).unwrap_or(0));
        let insts = &self.f.blocks[Block::from_index(block)].insts;
        worth.takes += rounds * insts.len();
        for &i in insts {
            let (access, gain) = match self.f.insts[i].op {
                Op::Load { access } => (access, 2),
                Op::Store { access } => (access, 3),
                Op::Atom { .. } | Op::Red { .. } | Op::Texture { .. } => {
                    worth.takes += rounds * SCATTERED;
                    continue;
                }
                _ => continue,
            };
            match self.plan.shapes.shape(self.f.args(i)[0]) {
                UNIFORM => {}
                Shape::Affine(p) => {
                    if super::memory::contiguous(&self.plan.shapes.patterns[p], access.bytes()) {
                        worth.gain += rounds * gain;
                    } else {
                        worth.takes += rounds * SCATTERED;
                    }
                }
                Shape::Varying | Shape::Bottom => worth.takes += rounds * SCATTERED,
            }
        }
    }

    /// Whether lanes come to a block by comparisons of indices with bounds: then mostly all come.
    fn tests_bounds(&self, block: usize) -> bool {
        let from = self.flow.idom[block];
        let Terminator::Branch { cond, .. } = &self.f.blocks[Block::from_index(from)].term else {
            return false;
        };
        self.plan.divergent[from] && self.is_bound(*cond, 4)
    }

    fn is_bound(&self, cond: Value, depth: u32) -> bool {
        let Some(inst) = self.f.def_inst(cond) else {
            return self.f.as_const(cond).is_some();
        };
        let mut args = self.f.args(inst).iter();
        match self.f.insts[inst].op {
            Op::ICmp { .. } => args.all(|&a| matches!(self.plan.shapes.shape(a), Shape::Affine(_))),
            Op::And { ty: Ty::Pred }
            | Op::Or { ty: Ty::Pred }
            | Op::Xor { ty: Ty::Pred }
            | Op::Not { ty: Ty::Pred } => depth > 0 && args.all(|&a| self.is_bound(a, depth - 1)),
            _ => false,
        }
    }

    /// Whether a block ends at a barrier.
    pub fn is_barrier(&self, block: usize) -> bool {
        let data = &self.f.blocks[Block::from_index(block)];
        data.insts.last().is_some_and(|&i| {
            matches!(
                self.f.insts[i].op,
                Op::Barrier { .. } | Op::BarrierRed { .. } | Op::BarrierArrive { .. }
            )
        })
    }

    fn header_latch(&self, block: usize) -> Option<usize> {
        let l = self.flow.loop_of[block].filter(|&l| self.flow.loops[l].header == block)?;
        self.plan.latch_at[l]
    }

    /// First pending node at place `n`, other than `except`.
    pub(super) fn next_pending(&self, n: usize, except: Option<usize>) -> usize {
        let mut set = self.plan.pending[n]
            .iter()
            .copied()
            .filter(|&x| Some(x) != except);
        set.next().unwrap_or(self.plan.seq.len() - 1)
    }

    /// Where an edge to a block leads from `block`; `None`: straight to the body of a uniform loop's header.
    pub(super) fn lead(&self, block: usize, to: usize) -> Option<usize> {
        if self.flow.pos[to] > self.flow.pos[block] {
            return Some(self.plan.at[to]);
        }
        self.flow.loop_of[to].and_then(|l| self.plan.latch_at[l])
    }

    /// Places in the layout that control reaches from a block, in order.
    pub fn reached(&self, start: usize, stop_at_barriers: bool) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut stack = vec![self.plan.at[start]];
        while let Some(n) = stack.pop() {
            let node = self.plan.seq[n];
            if node == Node::End || !seen.insert(n) {
                continue;
            }
            match node {
                Node::End => {}
                Node::Latch(l) => {
                    stack.push(self.next_pending(n, Some(n)));
                    stack.push(self.plan.at[self.flow.loops[l].header]);
                }
                Node::Block(b) => {
                    if self.plan.own[b] {
                        stack.push(self.next_pending(n, self.header_latch(b)));
                    }
                    if stop_at_barriers && self.is_barrier(b) {
                        continue;
                    }
                    stack.extend(self.exits(b, n));
                }
            }
        }
        seen
    }

    /// Places that a block's terminator leads to.
    fn exits(&self, b: usize, n: usize) -> Vec<usize> {
        let succs = &self.flow.succs[b];
        let pending = &self.plan.pending[n];
        let first = |extra: &[usize]| {
            pending
                .iter()
                .chain(extra)
                .copied()
                .min()
                .unwrap_or(self.plan.seq.len() - 1)
        };
        if succs.is_empty() {
            return vec![first(&[])];
        }
        if self.plan.divergent[b] {
            let leads: Vec<usize> = succs.iter().filter_map(|&s| self.lead(b, s)).collect();
            return vec![first(&leads)];
        }
        succs
            .iter()
            .map(|&s| match self.lead(b, s) {
                Some(t) => first(&[t]),
                None => self.plan.at[s],
            })
            .collect()
    }

    fn terminator(&mut self, b: usize, n: usize, places: &Places, scopes: &[Scope]) -> Done {
        let f = self.f;
        let data = &f.blocks[Block::from_index(b)];
        self.place(data.term_loc, 0, 0, 0);
        let pending = self.plan.pending[n].clone();
        let first = |extra: Option<usize>| {
            pending
                .iter()
                .copied()
                .chain(extra)
                .min()
                .unwrap_or(self.plan.seq.len() - 1)
        };
        match &data.term {
            Terminator::Trap(what) => self.stop(*what),
            Terminator::Unreachable => self.b.unreachable(),
            Terminator::Return(values) => {
                self.give_back(values);
                self.b.br(places.entry[&first(None)]);
            }
            Terminator::Exit => {
                self.no_exit()?;
                self.b.br(places.entry[&first(None)]);
            }
            Terminator::Jump(edge) => {
                self.edge(b, edge, self.mask);
                let to = self.target(b, edge, &first, self.places_of(edge, places, scopes));
                self.b.br(to);
            }
            Terminator::Branch {
                cond, then, other, ..
            } if self.plan.divergent[b] => {
                self.note_all(b, then, *cond, true);
                self.note_all(b, other, *cond, false);
                let p = self.lane_pred(*cond);
                let (yes, no) = (self.mask_and(self.mask, p), self.mask_and_not(self.mask, p));
                // Lanes may leave a loop that all run so far: if none does, stay here.
                let mut places = places;
                if let Some(scope) =
                    left(self.flow, then, scopes).or(left(self.flow, other, scopes))
                {
                    let others_leave = left(self.flow, other, scopes).is_some();
                    let (stay, mask, leave) = if others_leave {
                        (then, yes, no)
                    } else {
                        (other, no, yes)
                    };
                    let (none, some) = (self.b.block(self.function), self.b.block(self.function));
                    let full = matches!(self.mask, Mask::Full);
                    let told = match full {
                        true => self.surely_all(*cond, others_leave),
                        false => None,
                    };
                    if let Some(all) = told {
                        self.b.cond(all, none, some);
                    } else if others_leave && full {
                        let all = self.all(mask);
                        self.b.cond(all, none, some);
                    } else {
                        let any = self.any(leave);
                        self.b.cond(any, some, none);
                    }
                    self.conditional += 1;
                    self.b.at(none);
                    self.edge(b, stay, self.mask);
                    let lead = self.lead(b, stay.block.index());
                    self.b.br(places.entry[&first(lead)]);
                    self.conditional -= 1;
                    self.b.at(some);
                    places = &scope.outer;
                }
                self.edge(b, then, yes);
                self.edge(b, other, no);
                let leads = [then, other].map(|e| self.lead(b, e.block.index()));
                let next = pending
                    .iter()
                    .copied()
                    .chain(leads.into_iter().flatten())
                    .min();
                self.b
                    .br(places.entry[&next.unwrap_or(self.plan.seq.len() - 1)]);
            }
            Terminator::Branch {
                cond, then, other, ..
            } => {
                let p = self.scalar(*cond);
                let (yes, no) = (self.b.block(self.function), self.b.block(self.function));
                self.b.cond(p, yes, no);
                for (bb, edge) in [(yes, then), (no, other)] {
                    self.b.at(bb);
                    self.conditional += 1;
                    self.edge(b, edge, self.mask);
                    self.conditional -= 1;
                    let to = self.target(b, edge, &first, self.places_of(edge, places, scopes));
                    self.b.br(to);
                }
            }
            Terminator::Switch { index, table, .. } if self.plan.divergent[b] => {
                let v = self.vector(*index);
                let last = table.len() - 1;
                let mut rest = self.mask;
                let mut next = first(None);
                for (i, edge) in table.iter().enumerate() {
                    let m = if i == last {
                        rest
                    } else {
                        let p = self.b.icmp(
                            Icmp::LLVMIntEQ,
                            v,
                            self.b.c(self.vt(self.b.i32), i as u64),
                        );
                        let m = self.mask_and(rest, p);
                        rest = self.mask_and_not(rest, p);
                        m
                    };
                    self.edge(b, edge, m);
                    next = next.min(self.lead(b, edge.block.index()).unwrap_or(next));
                }
                self.b.br(places.entry[&next]);
            }
            Terminator::Switch { index, table, .. } => {
                let v = self.scalar(*index);
                let blocks: Vec<Bb> = table.iter().map(|_| self.b.block(self.function)).collect();
                let cases: Vec<(u64, Bb)> = blocks
                    .iter()
                    .enumerate()
                    .map(|(i, &bb)| (i as u64, bb))
                    .collect();
                let (default, cases) = (cases[cases.len() - 1].1, &cases[..cases.len() - 1]);
                self.b.switch(v, default, cases);
                for (&bb, edge) in blocks.iter().zip(table) {
                    self.b.at(bb);
                    self.conditional += 1;
                    self.edge(b, edge, self.mask);
                    self.conditional -= 1;
                    let to = self.target(b, edge, &first, self.places_of(edge, places, scopes));
                    self.b.br(to);
                }
            }
        }
        Ok(())
    }

    /// LLVM block that a uniform edge goes to.
    fn target(
        &self,
        b: usize,
        edge: &ir::Edge,
        first: &dyn Fn(Option<usize>) -> usize,
        places: &Places,
    ) -> Bb {
        let s = edge.block.index();
        match self.lead(b, s) {
            Some(t) => places.entry[&first(Some(t))],
            None => places.body[&s],
        }
    }

    /// Places that an edge leads to, when all lanes take it.
    fn places_of<'p>(
        &self,
        edge: &ir::Edge,
        places: &'p Places,
        scopes: &'p [Scope],
    ) -> &'p Places {
        left(self.flow, edge, scopes).map_or(places, |s| &s.outer)
    }
}

/// The outermost scope whose loop an edge leaves.
fn left<'s>(flow: &Flow, edge: &ir::Edge, scopes: &'s [Scope]) -> Option<&'s Scope> {
    scopes.iter().find(|s| {
        s.of_loop
            .is_some_and(|l| !flow.in_loop(l, edge.block.index()))
    })
}
