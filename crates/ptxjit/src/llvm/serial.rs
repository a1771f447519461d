//! Loops that are better run lane by lane: each lane walks a list of its own (rows of a sparse matrix, neighbours of a
//! node, chains of a hash table), so that a round of the whole warp would be little but gathers under masks.
//!
//! The loop is generated once more with vectors of one lane, and run for each active lane. Threads owe each other no
//! order here: the loop has no barrier, atomic, ordered access or exchange between lanes.

use super::build::{Bb, Icmp, T, V};
use super::emit::{Done, Gen, Mask, World};
use super::flow::Flow;
use super::index::is_index_like;
use super::plan::{Node, Plan};
use super::region::Places;
use super::shape::{Lanes, Shape, UNIFORM};
use crate::ir::{Block, Edge, Function, Id, Op, Order, Space, Terminator, Ty, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What single lanes run.
#[derive(Debug)]
pub struct Serial {
    /// The plan for vectors of one lane.
    plan: Plan,
    /// One lane.
    lanes: Lanes,
    /// The loops.
    pub(super) loops: BTreeSet<usize>,
}

/// Operations beside each gather or scatter for which a loop is still mostly memory.
const WORK: usize = 12;

impl Serial {
    /// The loops of a function that single lanes should run, if there are any.
    #[must_use]
    pub fn new(f: &Function, flow: &Flow, plan: &Plan, spins: &HashSet<usize>) -> Option<Self> {
        let mut loops: BTreeSet<usize> = walks(f, flow, plan, spins).into_iter().collect();
        let within = |l: usize, m: usize| l != m && flow.in_loop(m, flow.loops[l].header);
        let all = loops.clone();
        loops.retain(|&l| !all.iter().any(|&m| within(l, m)));
        if loops.is_empty() {
            return None;
        }
        Some(Self {
            plan: Plan::single(f, flow),
            lanes: Lanes::single(),
            loops,
        })
    }
}

/// The loops that single lanes should run: innermost ones, and groups of them.
pub(super) fn walks(f: &Function, flow: &Flow, plan: &Plan, spins: &HashSet<usize>) -> Vec<usize> {
    if plan.dispatch {
        return Vec::new();
    }
    (0..flow.loops.len())
        .filter(|&l| {
            let innermost = || flow.loops.iter().all(|m| m.parent != Some(l));
            plan.loop_divergent[l]
                && !spins.contains(&flow.loops[l].header)
                && (innermost() || super::walks::is_group(f, flow, l))
                && is_walk(f, flow, plan, l)
        })
        .collect()
}

fn blocks(flow: &Flow, l: usize) -> impl Iterator<Item = usize> + '_ {
    flow.order
        .iter()
        .copied()
        .filter(move |&b| flow.loops[l].member[b])
}

/// Whether the loop is a walk through memory by lane, of operations that a lane can do by itself.
fn is_walk(f: &Function, flow: &Flow, plan: &Plan, l: usize) -> bool {
    let (mut scattered, mut work) = (0, 0);
    for b in blocks(flow, l) {
        let data = &f.blocks[Block::from_index(b)];
        match &data.term {
            Terminator::Jump(_) | Terminator::Branch { .. } => {}
            _ => return false,
        }
        for &i in &data.insts {
            let inst = &f.insts[i];
            if inst.guard.is_some() {
                return false;
            }
            match inst.op {
                Op::Load { access } | Op::Store { access } => {
                    if access.order != Order::Weak || access.space == Space::Local {
                        return false;
                    }
                    let at = f.args(i)[0];
                    match plan.shapes.shape(at) {
                        UNIFORM => {}
                        // What lies side by side, if only mostly, is better taken together.
                        _ if is_index_like(f, flow, &|v| plan.shapes.shape(v), at) => return false,
                        Shape::Varying | Shape::Bottom | Shape::Affine(_) => {
                            scattered += usize::from(access.lanes);
                        }
                    }
                }
                // What depends on which lane it is.
                Op::Special { .. }
                | Op::LocalAddr { .. }
                | Op::ToGeneric {
                    space: Space::Local,
                }
                | Op::FromGeneric {
                    space: Space::Local,
                } => return false,
                op if op.props().is_empty() || op.props() == crate::ir::Props::COMMUTES => {
                    work += 1;
                }
                _ => return false,
            }
        }
    }
    scattered > 0 && work <= WORK * scattered
}

/// A value that the loop takes from outside.
enum Input {
    /// The same for all lanes.
    Same(V),
    /// In memory by lane.
    Lane(V, T),
}

/// A way out of the loop.
struct Exit {
    edge: Edge,
    from: usize,
    /// By lane, `i32`: -1 where the lane left here.
    left: V,
}

impl Gen<'_, '_> {
    /// Whether single lanes run the loop that a block is the header of.
    pub(super) fn serial_loop_of(&self, block: usize) -> Option<usize> {
        let l = self.flow.loop_of[block].filter(|&l| self.flow.loops[l].header == block)?;
        self.serial
            .is_some_and(|s| s.loops.contains(&l))
            .then_some(l)
    }

    /// Whether the end of a loop is that of one of `loops`, or inside one.
    fn is_latch_in(&self, l: usize, loops: &BTreeSet<usize>) -> bool {
        let header = self.flow.loops[l].header;
        loops.iter().any(|&m| self.flow.in_loop(m, header))
    }

    /// Whether a place in the layout lies in such a loop, behind its header.
    pub(super) fn in_serial_loop(&self, n: usize) -> bool {
        let Some(serial) = self.serial else {
            return false;
        };
        match self.plan.seq[n] {
            Node::Block(b) => serial
                .loops
                .iter()
                .any(|&l| self.flow.in_loop(l, b) && self.flow.loops[l].header != b),
            Node::Latch(l) => self.is_latch_in(l, &serial.loops),
            Node::End => false,
        }
    }

    /// Generates a loop for single lanes; the builder stands where some lane has come to its header.
    pub(super) fn serial_loop(&mut self, l: usize, places: &Places) -> Done {
        let Some(serial) = self.serial else {
            return self.refuse("a loop by lanes");
        };
        let (f, flow) = (self.f, self.flow);
        let header = flow.loops[l].header;
        let inside =
            |v: Value, g: &Self| g.plan.defs[v.index()].is_some_and(|d| flow.in_loop(l, d));
        self.begin_block(header);
        let mask = self.mask;
        // Inputs.
        let mut wanted: BTreeSet<Value> = BTreeSet::new();
        for b in blocks(flow, l) {
            let data = &f.blocks[Block::from_index(b)];
            wanted.extend(data.insts.iter().flat_map(|&i| f.uses(i)));
            wanted.extend(data.term.operands().iter().copied());
            wanted.extend(data.term.edges().flat_map(|e| e.args.iter().copied()));
        }
        wanted.retain(|&v| self.plan.defs[v.index()].is_some() && !inside(v, self));
        let params = f.blocks[Block::from_index(header)].params.clone();
        let inputs: Vec<(Value, bool, Input)> = wanted
            .into_iter()
            .map(|v| (v, false))
            .chain(params.into_iter().map(|v| (v, true)))
            .map(|(v, is_param)| (v, is_param, self.input(v)))
            .collect();
        // What leaves the loop.
        let mut exits: Vec<Exit> = Vec::new();
        let mut kept: BTreeMap<Value, V> = BTreeMap::new();
        for b in blocks(flow, l) {
            for edge in f.blocks[Block::from_index(b)].term.edges() {
                if flow.in_loop(l, edge.block.index()) {
                    continue;
                }
                let t = self.vt(self.b.i32);
                let left = self.alloca(t);
                self.b.store(self.b.zero(t), left, 64);
                for &arg in &edge.args {
                    if inside(arg, self) {
                        self.keep(arg, &mut kept);
                    }
                }
                exits.push(Exit {
                    edge: edge.clone(),
                    from: b,
                    left,
                });
            }
        }
        let outs: BTreeSet<Value> = self
            .plan
            .outs
            .iter()
            .copied()
            .filter(|&v| inside(v, self))
            .collect();
        for &v in &outs {
            self.keep(v, &mut kept);
        }
        // The lanes.
        let mut done = Ok(());
        self.each_lane(mask, |g, lane| {
            let outer = g.enter(World::single(&serial.plan, &serial.lanes, lane));
            done = g.lane_of_loop(l, lane, &inputs, &exits, &kept);
            g.enter(outer);
        });
        done?;
        // Back together.
        self.forget_cache();
        for exit in &exits {
            let m = self.b.load(self.vt(self.b.i32), exit.left, 64);
            let p = self
                .b
                .icmp(Icmp::LLVMIntSLT, m, self.b.zero(self.b.type_of(m)));
            let m = self.mask_of(p);
            for &v in &outs {
                let def = self.plan.defs[v.index()];
                if def.is_some_and(|d| flow.dominates(d, exit.from)) {
                    let new = self.kept(v, kept[&v]);
                    self.add_out(v, new, Mask::Some(m));
                }
            }
            let to = exit.edge.block;
            let params = f.blocks[to].params.clone();
            let args: Vec<V> = params
                .iter()
                .zip(&exit.edge.args)
                .map(|(&p, a)| match kept.get(a) {
                    Some(&place) => self.kept(*a, place),
                    None => self.argument(p, *a),
                })
                .collect();
            for (&p, v) in params.iter().zip(args) {
                self.add_argument(p, v, Mask::Some(m));
            }
            if self.plan.own[to.index()] {
                self.add_lanes(to.index(), m);
            }
        }
        let latch = self.plan.latch_at[l].unwrap_or(self.plan.seq.len() - 1);
        let next = self.next_pending(latch, Some(latch));
        self.b.br(places.entry[&next]);
        // The masked form does not exist.
        for (n, node) in self.plan.seq.iter().enumerate() {
            let bbs: Vec<Bb> = match *node {
                Node::Block(b) if b != header && flow.in_loop(l, b) => {
                    [places.entry.get(&n), places.body.get(&b)]
                        .into_iter()
                        .flatten()
                        .copied()
                        .collect()
                }
                Node::Latch(x) if self.is_latch_in(x, &BTreeSet::from([l])) => {
                    places.entry.get(&n).copied().into_iter().collect()
                }
                Node::Block(_) | Node::Latch(_) | Node::End => Vec::new(),
            };
            for bb in bbs {
                self.b.at(bb);
                if !self.b.closed() {
                    self.b.unreachable();
                }
            }
        }
        Ok(())
    }

    /// Element type of a value in memory by lane.
    pub(super) fn lane_type(&self, value: Value) -> T {
        match self.f.ty(value) {
            Ty::Pred => self.b.i8,
            Ty::B32 if self.keeps_float(value) => self.b.f32,
            Ty::B64 if self.keeps_float(value) => self.b.f64,
            other => self.int(other),
        }
    }

    fn input(&mut self, value: Value) -> Input {
        let elem = self.lane_type(value);
        if self.f.ty(value) == Ty::Pred {
            if self.uniform(value) {
                return Input::Same(self.scalar(value));
            }
            let p = self.pred(value);
            let p = self.b.zext(p, self.vt(elem));
            return Input::Lane(self.spilled(p), elem);
        }
        if self.uniform(value) {
            return Input::Same(self.scalar_as(value, elem));
        }
        let v = self.vector_as(value, elem);
        Input::Lane(self.spilled(v), elem)
    }

    /// A place by lane for a value that leaves the loop.
    fn keep(&mut self, value: Value, kept: &mut BTreeMap<Value, V>) {
        if let std::collections::btree_map::Entry::Vacant(entry) = kept.entry(value) {
            let t = self.vt(self.lane_type(value));
            let place = self.alloca(t);
            self.b.store(self.b.zero(t), place, 64);
            entry.insert(place);
        }
    }

    /// What the lanes left in such a place: predicates as a mask.
    fn kept(&self, value: Value, place: V) -> V {
        let t = self.vt(self.lane_type(value));
        let v = self.b.load(t, place, 64);
        if self.f.ty(value) == Ty::Pred {
            let p = self.b.icmp(Icmp::LLVMIntNE, v, self.b.zero(t));
            self.mask_of(p)
        } else {
            v
        }
    }

    /// One lane's run, in the world of single lanes.
    fn lane_of_loop(
        &mut self,
        l: usize,
        lane: V,
        inputs: &[(Value, bool, Input)],
        exits: &[Exit],
        kept: &BTreeMap<Value, V>,
    ) -> Done {
        let (f, flow) = (self.f, self.flow);
        for (v, is_param, input) in inputs {
            let s = match input {
                Input::Same(s) => *s,
                Input::Lane(place, elem) => {
                    let s = self.spilled_lane(*place, *elem, lane);
                    if f.ty(*v) == Ty::Pred {
                        self.b.icmp(Icmp::LLVMIntNE, s, self.b.c(*elem, 0))
                    } else {
                        s
                    }
                }
            };
            self.give(*v, s, *is_param);
        }
        let bbs: HashMap<usize, Bb> = blocks(flow, l)
            .map(|b| (b, self.b.block(self.function)))
            .collect();
        let after = self.b.block(self.function);
        self.b.br(bbs[&flow.loops[l].header]);
        for b in blocks(flow, l) {
            self.b.at(bbs[&b]);
            self.begin_block(b);
            self.instructions(b, false)?;
            let data = &f.blocks[Block::from_index(b)];
            self.place(data.term_loc, 0, 0, 0);
            let ways: Vec<(Bb, &Edge)> = match &data.term {
                Terminator::Jump(edge) => {
                    vec![(self.b.here(), edge)]
                }
                Terminator::Branch {
                    cond, then, other, ..
                } => {
                    let p = self.scalar(*cond);
                    let (yes, no) = (self.b.block(self.function), self.b.block(self.function));
                    self.b.cond(p, yes, no);
                    vec![(yes, then), (no, other)]
                }
                _ => return self.refuse("this end of a block in a loop by lanes"),
            };
            for (bb, edge) in ways {
                self.b.at(bb);
                self.conditional += 1;
                if let Some(&to) = bbs.get(&edge.block.index()) {
                    self.edge(b, edge, Mask::Full);
                    self.b.br(to);
                } else {
                    self.lane_leaves(b, edge, lane, exits, kept);
                    self.b.br(after);
                }
                self.conditional -= 1;
            }
        }
        self.b.at(after);
        Ok(())
    }

    fn lane_leaves(
        &mut self,
        from: usize,
        edge: &Edge,
        lane: V,
        exits: &[Exit],
        kept: &BTreeMap<Value, V>,
    ) {
        let i32 = self.b.i32;
        for exit in exits.iter().filter(|e| e.from == from && e.edge == *edge) {
            let p = self.b.gep(i32, exit.left, &[lane]);
            self.b.store(self.b.ones(i32), p, 4);
        }
        for (&v, &place) in kept {
            let here = self.plan.defs[v.index()].is_some_and(|d| self.flow.dominates(d, from));
            if !here {
                continue;
            }
            let elem = self.lane_type(v);
            let s = if self.f.ty(v) == Ty::Pred {
                let s = self.scalar(v);
                self.b.zext(s, elem)
            } else {
                self.scalar_as(v, elem)
            };
            let p = self.b.gep(elem, place, &[lane]);
            self.b.store(s, p, 1);
        }
    }
}
