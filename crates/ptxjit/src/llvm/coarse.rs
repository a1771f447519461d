//! Several threads of a block as one, where they share what they read.
//!
//! In a matrix product, the threads of a column read the same row of the second matrix. Where the whole block goes the
//! same way through the code, four of them can be one thread that does everything four times, but for what does not
//! depend on which of them it is: it reads that row once, and its sums are independent of each other. The kernel's code
//! is changed accordingly; for the rest of the compiler it has a smaller block.

use super::flow::Flow;
use super::plan::Plan;
use super::shape::{Lanes, Shape, UNIFORM};
use crate::ir::arena::Arena;
use crate::ir::{
    Block, Function, Id, Inst, Int, Loc, Op, Order, Props, Sig, Signature, Space, Special,
    Terminator, Ty, Value,
};
use std::collections::{HashMap, HashSet};

/// Instructions of a kernel that is not made larger.
const LARGE: usize = 300;
/// Registers that the sums of a loop may take.
const ROOM: usize = 8;

/// A kernel whose threads do the work of several.
pub(super) struct Coarse {
    /// The kernel.
    pub(super) f: Function,
    /// Its lanes: the block is smaller.
    pub(super) lanes: Lanes,
}

/// Makes several threads one, if it pays. The kernel does not look at warps.
pub(super) fn coarse(
    sigs: &Arena<Sig, Signature>,
    f: &Function,
    flow: &Flow,
    plan: &Plan,
    lanes: &Lanes,
) -> Option<Coarse> {
    let [bx, by, bz] = lanes.block;
    let threads = lanes.threads()?;
    if bz != 1 || by == 1 || !bx.is_multiple_of(lanes.width) || f.frame() > 0 || plan.dispatch {
        return None;
    }
    let blocks = || {
        flow.order
            .iter()
            .map(|&b| (b, &f.blocks[Block::from_index(b)]))
    };
    let insts = || blocks().flat_map(|(_, data)| data.insts.iter().copied());
    if insts().count() > LARGE || !insts().all(|i| is_simple(f, i)) {
        return None;
    }
    let uniform = super::fission::block_uniform(f, flow, plan, &lanes.agreed);
    let together = blocks().all(|(b, data)| {
        !plan.divergent[b]
            && !plan.own[b]
            && match &data.term {
                Terminator::Branch { cond, .. } => {
                    uniform.contains(cond) || f.as_const(*cond).is_some()
                }
                Terminator::Jump(_) | Terminator::Exit => true,
                Terminator::Return(values) => values.is_empty(),
                _ => false,
            }
    });
    if !together {
        return None;
    }
    let varying = apart(f, flow, lanes);
    let count = [4u32, 2].into_iter().find(|&n| {
        by.is_multiple_of(n)
            && threads / n >= lanes.width
            && sums(f, flow, plan, &varying) * (n * lanes.width / 8) as usize <= ROOM
    })?;
    if !pays(f, flow, plan, &varying) {
        return None;
    }
    let mut lanes = lanes.clone();
    lanes.block[1] = by / count;
    let mut copier = Copier {
        sigs,
        f: f.clone(),
        varying,
        others: vec![HashMap::new(); count as usize - 1],
    };
    copier.run(flow, [bx, by], lanes.block[1]);
    Some(Coarse { f: copier.f, lanes })
}

/// Whether an instruction can be done for several threads at once.
fn is_simple(f: &Function, inst: Inst) -> bool {
    let data = &f.insts[inst];
    match data.op {
        Op::Load { access } | Op::Store { access } => {
            access.order == Order::Weak && access.space != Space::Local
        }
        Op::Barrier { .. } => data.guard.is_none(),
        Op::LocalAddr { .. }
        | Op::ToGeneric {
            space: Space::Local,
        } => false,
        Op::Special { reg } => matches!(
            reg,
            Special::TidX
                | Special::TidY
                | Special::TidZ
                | Special::NTidX
                | Special::NTidY
                | Special::NTidZ
                | Special::CtaIdX
                | Special::CtaIdY
                | Special::CtaIdZ
                | Special::NCtaIdX
                | Special::NCtaIdY
                | Special::NCtaIdZ
        ),
        Op::GlobalAddr { .. } => true,
        op => op.props().is_empty() || op.props() == Props::COMMUTES,
    }
}

/// Values that depend on `%tid.y`.
fn apart(f: &Function, flow: &Flow, lanes: &Lanes) -> HashSet<Value> {
    let mut found: HashSet<Value> = HashSet::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &b in &flow.order {
            let data = &f.blocks[Block::from_index(b)];
            for &i in &data.insts {
                let tid = matches!(f.insts[i].op, Op::Special { reg: Special::TidY });
                if tid || f.uses(i).any(|v| found.contains(&v)) {
                    for r in f.results(i).filter(|r| !lanes.agreed.contains(r)) {
                        changed |= found.insert(r);
                    }
                }
            }
            for edge in data.term.edges() {
                for (&p, arg) in f.blocks[edge.block].params.iter().zip(&edge.args) {
                    if found.contains(arg) {
                        changed |= found.insert(p);
                    }
                }
            }
        }
    }
    found
}

fn is_vector(plan: &Plan, v: Value) -> bool {
    matches!(plan.shapes.shape(v), Shape::Varying | Shape::Bottom)
}

/// Vectors that a loop carries around for each of the threads, at most.
fn sums(f: &Function, flow: &Flow, plan: &Plan, varying: &HashSet<Value>) -> usize {
    let of = |l: usize| {
        let this = &flow.loops[l];
        let params = &f.blocks[Block::from_index(this.header)].params;
        let mut live: HashSet<Value> = params.iter().copied().collect();
        for &b in flow.order.iter().filter(|&&b| this.member[b]) {
            let insts = &f.blocks[Block::from_index(b)].insts;
            let used = insts.iter().flat_map(|&i| f.uses(i));
            live.extend(used.filter(|v| plan.defs[v.index()].is_some_and(|d| !this.member[d])));
        }
        live.retain(|&v| varying.contains(&v) && is_vector(plan, v));
        live.len()
    };
    (0..flow.loops.len()).map(of).max().unwrap_or(0)
}

/// Whether loops read enough that is the same for the threads.
fn pays(f: &Function, flow: &Flow, plan: &Plan, varying: &HashSet<Value>) -> bool {
    let (mut shared, mut own) = (0usize, 0usize);
    for &b in &flow.order {
        let depth = std::iter::successors(flow.loop_of[b], |&l| flow.loops[l].parent).count();
        if depth == 0 {
            continue;
        }
        let weight = 8usize.pow(u32::try_from(depth.min(4)).unwrap_or(0));
        for &i in &f.blocks[Block::from_index(b)].insts {
            let Some(result) = f.result(i) else {
                continue;
            };
            let is_load = matches!(f.insts[i].op, Op::Load { .. });
            if varying.contains(&result) {
                let counts = is_load || is_vector(plan, result);
                own += usize::from(counts) * weight;
            } else if is_load && plan.shapes.shape(f.args(i)[0]) != UNIFORM {
                shared += weight;
            }
        }
    }
    shared > 0 && shared * 4 >= own
}

/// Writes the work of the other threads beside a thread's.
struct Copier<'a> {
    sigs: &'a Arena<Sig, Signature>,
    f: Function,
    /// Values that differ between the threads.
    varying: HashSet<Value>,
    /// These values, for each of the other threads.
    others: Vec<HashMap<Value, Value>>,
}

impl Copier<'_> {
    fn run(&mut self, flow: &Flow, [bx, by]: [u32; 2], rows: u32) {
        // Parameters first: edges go round.
        for &b in &flow.order {
            let block = Block::from_index(b);
            for p in self.f.blocks[block].params.clone() {
                if self.varying.contains(&p) {
                    let ty = self.f.ty(p);
                    for k in 0..self.others.len() {
                        let copy = self.f.add_param(block, ty);
                        self.others[k].insert(p, copy);
                    }
                }
            }
        }
        let mut sizes = HashMap::new();
        for &b in &flow.order {
            let block = Block::from_index(b);
            let old = std::mem::take(&mut self.f.blocks[block].insts);
            let mut new = Vec::with_capacity(old.len() * 2);
            for inst in old {
                new.push(inst);
                let data = self.f.insts[inst];
                match data.op {
                    // The block's size is what it was.
                    Op::Special {
                        reg: Special::NTidX,
                    } => self.size(inst, bx, &mut sizes),
                    Op::Special {
                        reg: Special::NTidY,
                    } => self.size(inst, by, &mut sizes),
                    Op::Special { reg: Special::TidY } => self.rows(inst, rows, data.loc, &mut new),
                    op => {
                        let results: Vec<Value> = self.f.results(inst).collect();
                        let stores = matches!(op, Op::Store { .. })
                            && self.f.uses(inst).any(|v| self.varying.contains(&v));
                        if stores || results.iter().any(|r| self.varying.contains(r)) {
                            self.again(inst, &mut new);
                        }
                    }
                }
            }
            self.f.blocks[block].insts = new;
        }
        for &b in &flow.order {
            let block = Block::from_index(b);
            let mut term = self.f.blocks[block].term.clone();
            for edge in term.edges_mut() {
                // The first threads' arguments, then the others', parameter by parameter.
                let params = &self.f.blocks[edge.block].params;
                for (param, arg) in params.iter().zip(edge.args.clone()) {
                    if self.varying.contains(param) {
                        let of = |m: &HashMap<Value, Value>| m.get(&arg).copied().unwrap_or(arg);
                        edge.args.extend(self.others.iter().map(of));
                    }
                }
            }
            self.f.blocks[block].term = term;
        }
        self.replace(flow, &sizes);
    }

    fn size(&mut self, inst: Inst, size: u32, sizes: &mut HashMap<Value, Value>) {
        let constant = self.f.constant(Ty::B32, u64::from(size));
        sizes.extend(self.f.results(inst).map(|r| (r, constant)));
    }

    /// The other threads' rows.
    fn rows(&mut self, inst: Inst, rows: u32, loc: Loc, new: &mut Vec<Inst>) {
        let Some(row) = self.f.result(inst) else {
            return;
        };
        for (k, map) in (1u64..).zip(&mut self.others) {
            let by = self.f.constant(Ty::B32, k * u64::from(rows));
            let add = Op::Add { w: Int::I32 };
            let other = self.f.make_inst(self.sigs, add, &[row, by], None, loc);
            new.push(other);
            map.extend(self.f.result(other).map(|r| (row, r)));
        }
    }

    /// An instruction for the other threads.
    fn again(&mut self, inst: Inst, new: &mut Vec<Inst>) {
        let data = self.f.insts[inst];
        let args = self.f.args(inst).to_vec();
        let results: Vec<Value> = self.f.results(inst).collect();
        for map in &mut self.others {
            let of = |v: &Value| map.get(v).copied().unwrap_or(*v);
            let args: Vec<Value> = args.iter().map(of).collect();
            let guard = data.guard.as_ref().map(of);
            let other = self.f.make_inst(self.sigs, data.op, &args, guard, data.loc);
            new.push(other);
            let copies: Vec<Value> = self.f.results(other).collect();
            map.extend(results.iter().copied().zip(copies));
        }
    }

    fn replace(&mut self, flow: &Flow, with: &HashMap<Value, Value>) {
        if with.is_empty() {
            return;
        }
        let put = |v: &mut Value| {
            if let Some(&new) = with.get(v) {
                *v = new;
            }
        };
        for &b in &flow.order {
            let block = Block::from_index(b);
            for inst in self.f.blocks[block].insts.clone() {
                self.f.args_mut(inst).iter_mut().for_each(put);
            }
            let mut term = self.f.blocks[block].term.clone();
            term.operands_mut().iter_mut().for_each(put);
            term.edges_mut().flat_map(|e| &mut e.args).for_each(put);
            self.f.blocks[block].term = term;
        }
    }
}
