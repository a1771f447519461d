//! Code that is made in little time: what lanes can compute by themselves runs lane by lane, on scalars.
//!
//! Operations on vectors of 32 lanes take LLVM ten times as long as operations on scalars. The first tier of code keeps
//! the masks, the control flow and all operations between lanes of the vector form, but runs each block's arithmetic
//! and memory accesses in loops over its active lanes. What lanes see of each other stays the same: a loop either loads
//! or stores, so that no lane of a warp stores before another one has loaded what stood there.

use super::build::{Icmp, T, V};
use super::emit::{Done, Gen, Mask, World};
use super::flow::Flow;
use super::plan::Plan;
use super::shape::{Lanes, Shape, UNIFORM};
use super::target::Level;
use crate::ir::{Block, Function, Id, Inst, Op, Order, Props, Space, Ty, Value};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What single lanes run.
#[derive(Debug)]
pub struct Lanewise {
    /// The plan for vectors of one lane.
    plan: Plan,
    /// One lane.
    lanes: Lanes,
}

impl Lanewise {
    /// Of a function.
    #[must_use]
    pub fn new(f: &Function, flow: &Flow) -> Self {
        Self {
            plan: Plan::single(f, flow),
            lanes: Lanes {
                width: 1,
                block: [1; 3],
                agreed: HashSet::new(),
            },
        }
    }
}

/// Instructions without memory accesses for which a loop over lanes takes less code than vectors, at least.
const LEAST: usize = 3;

/// A value that a lane takes from outside.
enum Input {
    /// The same for all lanes.
    Same(V),
    /// A base plus a step for each lane.
    Line(V, i64),
    /// In memory by lane.
    Lane(V, T),
}

/// The instructions of a block that read each value; `None`: its end.
type Users = HashMap<Value, Vec<Option<Inst>>>;

impl<'a> Gen<'a, '_> {
    /// Has the code made in little time, if lanes are to run by themselves.
    pub(super) fn made_quickly(&mut self, how: Option<&'a Lanewise>) {
        self.by_lane = how;
        if how.is_some() {
            self.is_huge = true;
            self.copies_left = 0;
            self.parked = super::parked::Parked::default();
        }
    }

    /// Generates instructions of a block.
    pub(super) fn lanewise(&mut self, block: usize, insts: &[Inst], how: &'a Lanewise) -> Done {
        let f = self.f;
        let data = &f.blocks[Block::from_index(block)];
        let mut users = Users::new();
        for &i in &data.insts {
            for v in f.uses(i) {
                users.entry(v).or_default().push(Some(i));
            }
        }
        let edges = data.term.edges().flat_map(|e| e.args.iter());
        for &v in data.term.operands().iter().chain(edges) {
            users.entry(v).or_default().push(None);
        }
        let mut piece = Vec::new();
        let (mut loads, mut stores) = (false, false);
        for &inst in insts {
            if self.runs_by_lane(inst) {
                let (load, store) = match f.insts[inst].op {
                    Op::Load { access } => {
                        let fixed =
                            access.invariant || matches!(access.space, Space::Const | Space::Param);
                        (!fixed, false)
                    }
                    Op::Store { .. } => (false, true),
                    _ => (false, false),
                };
                if load && stores || store && loads {
                    self.piece(&std::mem::take(&mut piece), &users, how)?;
                    (loads, stores) = (false, false);
                }
                piece.push(inst);
                (loads, stores) = (loads || load, stores || store);
                continue;
            }
            let independent =
                is_pure(&f.insts[inst].op) && f.uses(inst).all(|v| self.shape(v) != Shape::Varying);
            if !independent {
                self.piece(&std::mem::take(&mut piece), &users, how)?;
                (loads, stores) = (false, false);
            }
            self.place(f.insts[inst].loc, 0, 0, 0);
            self.instruction(inst)?;
        }
        self.piece(&piece, &users, how)?;
        // A vector operation looked at what its operands were made of.
        if std::mem::take(&mut self.missing) {
            return self.refuse("a value of single lanes");
        }
        Ok(())
    }

    /// Whether a loop over lanes may run an instruction.
    fn runs_by_lane(&self, inst: Inst) -> bool {
        let f = self.f;
        let data = &f.insts[inst];
        let varies = |v: Value| self.plan.shapes.shape(v) == Shape::Varying;
        if data.guard.is_some() {
            return false;
        }
        match data.op {
            Op::Load { access } => access.order == Order::Weak && f.results(inst).all(varies),
            Op::Store { access } => {
                access.order == Order::Weak
                    && (access.space == Space::Local || self.shape(f.args(inst)[0]) != UNIFORM)
            }
            op => is_pure(&op) && f.results(inst).count() > 0 && f.results(inst).all(varies),
        }
    }

    /// A loop over the active lanes.
    fn piece(&mut self, piece: &[Inst], users: &Users, how: &'a Lanewise) -> Done {
        let f = self.f;
        let accesses = piece.iter().any(|&i| !is_pure(&f.insts[i].op));
        if piece.is_empty() || piece.len() < LEAST && !accesses {
            for &inst in piece {
                self.place(f.insts[inst].loc, 0, 0, 0);
                self.instruction(inst)?;
            }
            return Ok(());
        }
        let inside: HashSet<Inst> = piece.iter().copied().collect();
        let made: HashSet<Value> = piece.iter().flat_map(|&i| f.results(i)).collect();
        let wanted: BTreeSet<Value> = piece
            .iter()
            .flat_map(|&i| f.uses(i))
            .filter(|v| !made.contains(v) && self.plan.defs[v.index()].is_some())
            .collect();
        let inputs: Vec<(Value, Input)> = wanted.into_iter().map(|v| (v, self.taken(v))).collect();
        let leaves = |v: Value| {
            let outside = |user: &Option<Inst>| user.is_none_or(|i| !inside.contains(&i));
            self.is_read_elsewhere(v) || users.get(&v).is_some_and(|u| u.iter().any(outside))
        };
        let outs: Vec<Value> = piece
            .iter()
            .flat_map(|&i| f.results(i))
            .filter(|&v| leaves(v))
            .collect();
        self.hidden
            .extend(made.iter().filter(|v| !outs.contains(v)));
        let outs: Vec<(Value, V, T)> = outs
            .into_iter()
            .map(|v| {
                let (place, elem) = self.lane_home(v);
                (v, place, elem)
            })
            .collect();
        let block = self.block;
        let aligned = std::mem::take(&mut self.aligned);
        let mut done = Ok(());
        let mask = self.mask;
        self.for_lanes(mask, |g, lane| {
            let outer = g.enter(World::single(&how.plan, &how.lanes, lane));
            (g.block, g.straight) = (block, true);
            done = g.lane_of_piece(piece, lane, &inputs, &outs);
            g.straight = false;
            g.enter(outer);
        });
        self.aligned = aligned;
        done?;
        for (v, place, elem) in outs {
            if self.f.ty(v) == Ty::Pred && self.level == Level::Avx512 {
                let t = self.vt(elem);
                let lanes = self.b.load(t, place, 1);
                let p = self.b.icmp(Icmp::LLVMIntNE, lanes, self.b.zero(t));
                self.set(v, p);
            } else if self.plan.dispatch {
                // Lanes that wait for other blocks keep what they have.
                let elem = if self.f.ty(v) == Ty::Pred {
                    self.b.i1
                } else {
                    elem
                };
                let new = self.vector_as(v, elem);
                self.set(v, new);
            }
        }
        Ok(())
    }

    /// Runs `f(lane)` for each lane of a mask in order; `lane` is an `i32`.
    fn for_lanes(&mut self, mask: Mask, f: impl FnOnce(&mut Self, V)) {
        if matches!(mask, Mask::Some(_)) {
            self.each_lane(mask, f);
            return;
        }
        let i32 = self.b.i32;
        let (body, after, from) = (
            self.b.block(self.function),
            self.b.block(self.function),
            self.b.here(),
        );
        self.b.br(body);
        self.b.at(body);
        self.conditional += 1;
        let lane = self.b.phi(i32);
        self.b.incoming(lane, self.b.c(i32, 0), from);
        f(self, lane);
        self.conditional -= 1;
        let next = self.b.add(lane, self.b.c(i32, 1));
        let count = self.b.c(i32, u64::from(self.w));
        let more = self.b.icmp(Icmp::LLVMIntULT, next, count);
        let last = self.b.here();
        self.b.incoming(lane, next, last);
        self.b.cond(more, body, after);
        self.b.at(after);
    }

    /// Where lanes find a value that the piece at hand does not make.
    fn taken(&mut self, value: Value) -> Input {
        let is_pred = self.f.ty(value) == Ty::Pred;
        match self.shape(value) {
            UNIFORM if is_pred => Input::Same(self.scalar(value)),
            UNIFORM => {
                let elem = self.lane_type(value);
                Input::Same(self.scalar_as(value, elem))
            }
            Shape::Affine(p) if !self.plan.wraps.taints.contains_key(&value) => {
                let offsets = &self.plan.shapes.patterns[p];
                let step = offsets.get(1).map_or(0, |one| one - offsets[0]);
                let even = offsets[0] == 0 && offsets.windows(2).all(|o| o[1] - o[0] == step);
                if even {
                    return Input::Line(self.scalar(value), step);
                }
                self.in_memory(value)
            }
            Shape::Affine(_) => self.in_memory(value),
            Shape::Varying | Shape::Bottom => {
                let temporal = self.plan.temporal(self.flow, value, self.block);
                if temporal || is_pred && self.level == Level::Avx512 {
                    return self.in_memory(value);
                }
                let (place, elem) = (self.home(value), self.home_type(value));
                Input::Lane(place, elem)
            }
        }
    }

    /// A copy of a value in memory, by lane.
    fn in_memory(&mut self, value: Value) -> Input {
        let elem = self.lane_type(value);
        let v = if self.f.ty(value) == Ty::Pred {
            let p = self.pred(value);
            self.b.zext(p, self.vt(elem))
        } else {
            self.vector_as(value, elem)
        };
        let t = self.b.type_of(v);
        let place = self.alloca(t);
        self.b.store(v, place, 64);
        Input::Lane(place, elem)
    }

    /// Where a result of the piece goes, and the type of an element there.
    fn lane_home(&mut self, value: Value) -> (V, T) {
        if self.f.ty(value) == Ty::Pred && self.level == Level::Avx512 {
            let elem = self.b.i8;
            let place = self.alloca(self.vt(elem));
            // Lanes that do not run have something there, too.
            self.b.store(self.b.zero(self.vt(elem)), place, 1);
            return (place, elem);
        }
        (self.new_home(value), self.home_type(value))
    }

    /// One lane's run, in the world of single lanes.
    fn lane_of_piece(
        &mut self,
        piece: &[Inst],
        lane: V,
        inputs: &[(Value, Input)],
        outs: &[(Value, V, T)],
    ) -> Done {
        let f = self.f;
        let at = self.b.zext(lane, self.b.i64);
        for (v, input) in inputs {
            let s = match *input {
                Input::Same(s) => s,
                Input::Line(base, step) => {
                    let t = self.b.type_of(base);
                    let by = self.b.zext(at, t);
                    let by = self.b.mul(by, self.b.c(t, step.cast_unsigned()));
                    self.b.add(base, by)
                }
                Input::Lane(place, elem) => {
                    let s = self.spilled_lane(place, elem, at);
                    if f.ty(*v) == Ty::Pred {
                        self.b.icmp(Icmp::LLVMIntNE, s, self.b.c(elem, 0))
                    } else {
                        s
                    }
                }
            };
            self.give_directly(*v, s);
        }
        for &inst in piece {
            self.place(f.insts[inst].loc, 0, 0, 0);
            self.instruction(inst)?;
        }
        for &(v, place, elem) in outs {
            let s = if f.ty(v) == Ty::Pred {
                let s = self.scalar(v);
                self.b.sext(s, elem)
            } else {
                self.scalar_as(v, elem)
            };
            let p = self.b.gep(elem, place, &[at]);
            self.b.store(s, p, 1);
        }
        if std::mem::take(&mut self.missing) {
            return self.refuse("a value from elsewhere");
        }
        Ok(())
    }
}

/// Whether an operation is nothing but its operands' doing, whichever lane runs it.
fn is_pure(op: &Op) -> bool {
    let by_lane = matches!(
        op,
        Op::Special { .. }
            | Op::LocalAddr { .. }
            | Op::ToGeneric {
                space: Space::Local,
            }
            | Op::FromGeneric {
                space: Space::Local,
            }
    );
    !by_lane && (op.props().is_empty() || op.props() == Props::COMMUTES)
}
