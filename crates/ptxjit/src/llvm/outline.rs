//! Loops in which lanes of one warp wait for each other, taken out of the kernel.
//!
//! Such code must run in the dispatch form ([`super::dispatch`]), which is dear; the rest of the kernel need not. From
//! the head of the loop to where the lanes meet again, it becomes a function of its own that a warp calls with all lanes
//! that come there. What a waiting lane waits for may be written by a lane that has left the loop: the piece reaches on
//! until the whole warp meets by an instruction, or until nothing more is written that another lane could see.

use super::flow::Flow;
use super::plan::Plan;
use super::shape::{Lanes, Shape};
use super::spin::Spins;
use crate::ir::{
    Arena, Block, Edge, Func, Function, Id, Inst, Module, Op, Sig, Signature, Space, Terminator,
    Ty, Value, ValueDef,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Per parameter of a function: by how much each lane's value differs from the first's, if that is known.
pub type Offsets = Vec<Option<Vec<i64>>>;

/// Takes the pieces out of a kernel. `None`: the whole kernel must run in the dispatch form.
///
/// The new functions are added to the module; `f` is the kernel as it is compiled.
#[must_use]
pub fn outline(module: &mut Module, f: &mut Function, lanes: &Lanes) -> Option<Vec<Func>> {
    let mut out = Vec::new();
    loop {
        let flow = Flow::new(f);
        if !flow.reducible {
            return None;
        }
        let plan = Plan::new(f, &flow, lanes);
        let spins = Spins::new(f, &flow).threads;
        let waits = (0..flow.loops.len())
            .find(|&l| plan.loop_divergent[l] && spins.contains(&flow.loops[l].header));
        let Some(l) = waits else {
            return Some(out);
        };
        let piece = Piece::around(f, &flow, l)?;
        out.push(piece.take_out(module, f, &flow));
    }
}

/// How the parameters of the pieces look across lanes where the kernel calls them.
#[must_use]
pub fn offsets(f: &Function, flow: &Flow, plan: &Plan, pieces: &[Func]) -> HashMap<Func, Offsets> {
    let mut out = HashMap::new();
    for &b in &flow.order {
        for &inst in &f.blocks[Block::from_index(b)].insts {
            let Op::Call { func, .. } = f.insts[inst].op else {
                continue;
            };
            if !pieces.contains(&func) {
                continue;
            }
            let of = |&v: &Value| match plan.shapes.shape(v) {
                Shape::Affine(p)
                    if !plan.temporal(flow, v, b) && !plan.wraps.taints.contains_key(&v) =>
                {
                    Some(plan.shapes.patterns[p].clone())
                }
                Shape::Affine(_) | Shape::Varying | Shape::Bottom => None,
            };
            out.insert(func, f.args(inst).iter().map(of).collect());
        }
    }
    out
}

/// A piece of a function with one way in and at most one way out.
struct Piece {
    head: usize,
    blocks: BTreeSet<usize>,
    /// Where the lanes meet; `None`: they end in the piece.
    exit: Option<usize>,
}

impl Piece {
    fn around(f: &Function, flow: &Flow, l: usize) -> Option<Self> {
        let entry = f.entry.index();
        let mut head = flow.loops[l].header;
        while head != entry {
            let exit = exit(f, flow, l, head);
            let mut blocks = BTreeSet::new();
            let mut stack = vec![head];
            let mut wider = None;
            while let Some(n) = stack.pop() {
                if Some(n) == exit || !blocks.insert(n) {
                    continue;
                }
                if !flow.dominates(head, n) {
                    wider = Some(n);
                    break;
                }
                stack.extend(&flow.succs[n]);
            }
            match wider {
                None => return Some(Self { head, blocks, exit }),
                // The nearest block that both come through.
                Some(n) => {
                    while !flow.dominates(head, n) {
                        head = flow.idom[head];
                    }
                }
            }
        }
        None
    }

    /// Moves the piece into a function of its own; the kernel calls it.
    fn take_out(&self, module: &mut Module, f: &mut Function, flow: &Flow) -> Func {
        let inside = |v: Value, f: &Function, defs: &[Option<usize>]| {
            defs[v.index()].is_some_and(|d| self.blocks.contains(&d))
                && matches!(f.values[v].def, ValueDef::Inst(..) | ValueDef::Param(..))
        };
        let defs = super::shape::def_blocks(f);
        // What comes in, and what goes out.
        let mut ins: BTreeSet<Value> = BTreeSet::new();
        let mut outs: BTreeSet<Value> = BTreeSet::new();
        for &b in &flow.order {
            let here = self.blocks.contains(&b);
            for v in block_uses(f, b) {
                let from = inside(v, f, &defs);
                let local = matches!(f.values[v].def, ValueDef::Inst(..) | ValueDef::Param(..));
                if here && !from && local {
                    ins.insert(v);
                } else if !here && from {
                    outs.insert(v);
                }
            }
        }
        let again: BTreeSet<Value> = ins.iter().copied().filter(|&v| anew(f, v)).collect();
        let ins: Vec<Value> = ins.difference(&again).copied().collect();
        let head_params = f.blocks[Block::from_index(self.head)].params.clone();
        let exit_params: Vec<Ty> = self.exit.map_or(Vec::new(), |e| {
            let params = &f.blocks[Block::from_index(e)].params;
            params.iter().map(|&p| f.ty(p)).collect()
        });
        let ends = self.blocks.iter().any(|&b| {
            matches!(
                f.blocks[Block::from_index(b)].term,
                Terminator::Exit | Terminator::Return(_)
            )
        });
        let mut results: Vec<Ty> = outs.iter().map(|&v| f.ty(v)).collect();
        results.extend(&exit_params);
        if ends && self.exit.is_some() {
            results.push(Ty::Pred);
        }
        let params: Vec<Ty> = ins.iter().chain(&head_params).map(|&v| f.ty(v)).collect();
        let sig = module.sigs.push(Signature {
            params: params.clone(),
            results: results.clone(),
        });
        let mut copy = Copy {
            g: Function::new(&f.name, sig, &params),
            f,
            sigs: &module.sigs,
            values: HashMap::new(),
            blocks: BTreeMap::new(),
        };
        copy.g.locs = copy.f.locs.clone();
        // The frame stays the kernel's.
        copy.g.locals = copy.f.locals.clone();
        let entry = copy.g.entry;
        let given = copy.g.blocks[entry].params.clone();
        for (&v, &p) in ins.iter().zip(&given) {
            copy.values.insert(v, p);
        }
        for &v in &again {
            copy.anew(v, entry);
        }
        copy.blocks(&self.blocks);
        let outs: Vec<Value> = outs.into_iter().collect();
        copy.bodies(self, flow, &outs, &exit_params, ends);
        let head = copy.blocks[&self.head];
        copy.g.blocks[entry].term = Terminator::Jump(Edge {
            block: head,
            args: given[ins.len()..].to_vec(),
        });
        let g = copy.g;
        let func = module.functions.push(g);
        self.call(module, f, flow, (func, sig), &ins, &outs, ends);
        func
    }

    /// Puts a call in the piece's place.
    #[expect(clippy::too_many_arguments, reason = "called once")]
    fn call(
        &self,
        module: &Module,
        f: &mut Function,
        flow: &Flow,
        (func, sig): (Func, Sig),
        ins: &[Value],
        outs: &[Value],
        ends: bool,
    ) {
        let head = Block::from_index(self.head);
        let here = f.add_block();
        let loc = f.blocks[head].term_loc;
        let types: Vec<Ty> = f.blocks[head].params.iter().map(|&p| f.ty(p)).collect();
        let first: Vec<Value> = types.into_iter().map(|ty| f.add_param(here, ty)).collect();
        let outside: Vec<usize> = flow
            .order
            .iter()
            .copied()
            .filter(|b| !self.blocks.contains(b))
            .collect();
        for &b in &outside {
            for edge in f.blocks[Block::from_index(b)].term.edges_mut() {
                if edge.block == head {
                    edge.block = here;
                }
            }
        }
        let args: Vec<Value> = ins.iter().chain(&first).copied().collect();
        let inst = f.make_inst(&module.sigs, Op::Call { func, sig }, &args, None, loc);
        f.blocks[here].insts.push(inst);
        f.blocks[here].term_loc = loc;
        let results: Vec<Value> = f.results(inst).collect();
        let new: HashMap<Value, Value> =
            outs.iter().copied().zip(results.iter().copied()).collect();
        for &b in &outside {
            let b = Block::from_index(b);
            let insts = f.blocks[b].insts.clone();
            for i in insts {
                if let Some(guard) = f.insts[i].guard {
                    f.insts[i].guard = Some(*new.get(&guard).unwrap_or(&guard));
                }
                for arg in f.args_mut(i) {
                    *arg = *new.get(arg).unwrap_or(arg);
                }
            }
            let term = &mut f.blocks[b].term;
            for v in term.operands_mut() {
                *v = *new.get(v).unwrap_or(v);
            }
            for v in term.edges_mut().flat_map(|e| &mut e.args) {
                *v = *new.get(v).unwrap_or(v);
            }
        }
        f.blocks[here].term = match self.exit {
            None => Terminator::Exit,
            Some(exit) => {
                let exit = Block::from_index(exit);
                let count = f.blocks[exit].params.len();
                let args = results[outs.len()..outs.len() + count].to_vec();
                let go = Edge { block: exit, args };
                match results.last().filter(|_| ends) {
                    None => Terminator::Jump(go),
                    Some(&ended) => {
                        let end = f.add_block();
                        f.blocks[end].term = Terminator::Exit;
                        f.blocks[end].term_loc = loc;
                        Terminator::Branch {
                            cond: ended,
                            then: Edge::to(end),
                            other: go,
                            uniform: false,
                        }
                    }
                }
            }
        };
        for &b in &self.blocks {
            let data = &mut f.blocks[Block::from_index(b)];
            data.insts.clear();
            data.term = Terminator::Unreachable;
        }
    }
}

/// What a block uses.
fn block_uses(f: &Function, b: usize) -> Vec<Value> {
    let data = &f.blocks[Block::from_index(b)];
    let mut out: Vec<Value> = data.insts.iter().flat_map(|&i| f.uses(i)).collect();
    out.extend(data.term.operands());
    out.extend(data.term.edges().flat_map(|e| &e.args));
    out
}

/// Whether a value is better computed again than passed.
fn anew(f: &Function, v: Value) -> bool {
    let Some(inst) = f.def_inst(v) else {
        return false;
    };
    let alone = f.insts[inst].guard.is_none() && f.results(inst).len() == 1;
    alone
        && match f.insts[inst].op {
            Op::GlobalAddr { .. } => true,
            Op::Special { .. } => f.insts[inst].op.props().is_empty(),
            Op::Load { access } => {
                access.space == Space::Param && f.as_const(f.args(inst)[0]).is_some()
            }
            _ => false,
        }
}

/// Where the lanes that come to `head` and wait in loop `l` may go on together.
fn exit(f: &Function, flow: &Flow, l: usize, head: usize) -> Option<usize> {
    let mut at = flow.ipdom[head];
    while let Some(n) = at {
        if !flow.loops[l].member[n] && quiet_from(f, flow, n, head) {
            return Some(n);
        }
        at = flow.ipdom[n];
    }
    None
}

/// Whether nothing that another lane may wait for is written from the start of `block` on, before the whole warp meets.
fn quiet_from(f: &Function, flow: &Flow, block: usize, head: usize) -> bool {
    let mut seen = BTreeSet::from([head]);
    let mut stack = vec![block];
    while let Some(n) = stack.pop() {
        if !seen.insert(n) {
            continue;
        }
        let mut met = false;
        for &i in &f.blocks[Block::from_index(n)].insts {
            if meets_all(f, i) {
                met = true;
                break;
            }
            if releases(&f.insts[i].op) {
                return false;
            }
        }
        if !met {
            stack.extend(&flow.succs[n]);
        }
    }
    true
}

/// Whether an instruction is one at which all lanes of the warp meet.
fn meets_all(f: &Function, inst: Inst) -> bool {
    let data = &f.insts[inst];
    if data.guard.is_some() {
        return false;
    }
    match data.op {
        Op::Barrier { .. } | Op::BarrierRed { .. } | Op::ClusterBarrier { .. } => true,
        Op::Shfl { .. }
        | Op::Vote { .. }
        | Op::Ballot
        | Op::MatchAny { .. }
        | Op::MatchAll { .. }
        | Op::Redux { .. }
        | Op::Elect
        | Op::WarpSync => {
            let members = f.args(inst).last().and_then(|&m| f.as_const(m));
            members == Some(0xffff_ffff)
        }
        _ => false,
    }
}

/// Whether an operation may let another lane go on.
fn releases(op: &Op) -> bool {
    match op {
        Op::Store { access } => access.space != Space::Local,
        Op::Atom { .. }
        | Op::Red { .. }
        | Op::Call { .. }
        | Op::CallBuiltin { .. }
        | Op::Texture { .. } => true,
        _ => false,
    }
}

/// A piece being copied into a function of its own.
struct Copy<'a> {
    g: Function,
    f: &'a mut Function,
    sigs: &'a Arena<Sig, Signature>,
    values: HashMap<Value, Value>,
    blocks: BTreeMap<usize, Block>,
}

impl Copy<'_> {
    fn value(&mut self, v: Value) -> Value {
        if let Some(&new) = self.values.get(&v) {
            return new;
        }
        let ty = self.f.ty(v);
        let new = match self.f.values[v].def {
            ValueDef::Const(bits) => self.g.constant(ty, bits),
            // A value of a block that is not there: of a way that is never taken.
            ValueDef::Undef | ValueDef::Inst(..) | ValueDef::Param(..) => self.g.undef(ty),
        };
        self.values.insert(v, new);
        new
    }

    /// Computes a value again in a block of the copy.
    fn anew(&mut self, v: Value, block: Block) {
        if let Some(inst) = self.f.def_inst(v) {
            self.instruction(inst, block);
        }
    }

    fn instruction(&mut self, inst: Inst, block: Block) {
        let data = self.f.insts[inst];
        let args: Vec<Value> = self.f.args(inst).to_vec();
        let args: Vec<Value> = args.into_iter().map(|a| self.value(a)).collect();
        let guard = data.guard.map(|g| self.value(g));
        let new = self.g.make_inst(self.sigs, data.op, &args, guard, data.loc);
        for (old, new) in self.f.results(inst).zip(self.g.results(new)) {
            self.values.insert(old, new);
        }
        self.g.blocks[block].insts.push(new);
    }

    /// Makes the blocks with their parameters.
    fn blocks(&mut self, blocks: &BTreeSet<usize>) {
        for &b in blocks {
            let new = self.g.add_block();
            self.blocks.insert(b, new);
            for p in self.f.blocks[Block::from_index(b)].params.clone() {
                let q = self.g.add_param(new, self.f.ty(p));
                self.values.insert(p, q);
            }
        }
    }

    fn bodies(&mut self, piece: &Piece, flow: &Flow, outs: &[Value], exit: &[Ty], ends: bool) {
        // Definitions come before uses in this order.
        let order: Vec<usize> = flow
            .order
            .iter()
            .copied()
            .filter(|b| piece.blocks.contains(b))
            .collect();
        for &b in &order {
            for inst in self.f.blocks[Block::from_index(b)].insts.clone() {
                self.instruction(inst, self.blocks[&b]);
            }
        }
        let flag = ends && piece.exit.is_some();
        for &b in &order {
            let data = &self.f.blocks[Block::from_index(b)];
            let (mut term, loc) = (data.term.clone(), data.term_loc);
            if matches!(term, Terminator::Exit | Terminator::Return(_)) {
                let mut values = Vec::new();
                if flag {
                    let types: Vec<Ty> = outs.iter().map(|&v| self.f.ty(v)).collect();
                    values = types
                        .iter()
                        .chain(exit)
                        .map(|&ty| self.g.undef(ty))
                        .collect();
                    values.push(self.g.constant(Ty::Pred, 1));
                }
                term = Terminator::Return(values);
            } else {
                for v in term.operands_mut() {
                    *v = self.value(*v);
                }
                for edge in term.edges_mut() {
                    for v in &mut edge.args {
                        *v = self.value(*v);
                    }
                    if let Some(&inside) = self.blocks.get(&edge.block.index()) {
                        edge.block = inside;
                        continue;
                    }
                    // Out of the piece.
                    let last = self.g.add_block();
                    let mut values: Vec<Value> = outs.iter().map(|&v| self.value(v)).collect();
                    values.append(&mut edge.args);
                    if flag {
                        values.push(self.g.constant(Ty::Pred, 0));
                    }
                    self.g.blocks[last].term = Terminator::Return(values);
                    self.g.blocks[last].term_loc = loc;
                    edge.block = last;
                }
            }
            let new = self.blocks[&b];
            self.g.blocks[new].term = term;
            self.g.blocks[new].term_loc = loc;
        }
    }
}
