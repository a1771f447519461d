//! Code that is made in little time: what lanes can compute by themselves runs lane by lane, on scalars.
//!
//! Operations on vectors of 32 lanes take LLVM ten times as long as operations on scalars. The first tier of code keeps
//! the control flow and all operations between lanes of the vector form, but runs each block's arithmetic and memory
//! accesses in loops over its active lanes ([`super::homes`] says where their values are). What lanes see of each other
//! stays the same: a loop either loads or stores, so that no lane of a warp stores before another one has loaded what
//! stood there.

use super::build::{T, V};
use super::emit::{Done, Gen, Mask, World};
use super::flow::Flow;
use super::homes::Input;
use super::plan::Plan;
use super::shape::{Lanes, Shape, UNIFORM};
use crate::ir::{Block, Function, Id, Inst, Op, Props, Space, Ty, Value};
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
            lanes: Lanes::single(),
        }
    }
}

/// The instructions of a block that read each value; `None`: its end.
type Users = HashMap<Value, Vec<Option<Inst>>>;

impl<'a> Gen<'a, '_> {
    /// Has the code made in little time, if lanes are to run by themselves.
    pub(super) fn made_quickly(&mut self, how: Option<&'a Lanewise>) {
        self.by_lane = how;
        self.b.keep_plain(how.is_some());
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
                    Op::Atom { .. } | Op::Red { .. } => (true, true),
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
            self.place_of(inst);
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
            Op::Load { .. } => f.results(inst).all(varies),
            Op::Store { access } => {
                access.space == Space::Local || self.shape(f.args(inst)[0]) != UNIFORM
            }
            Op::Atom { .. } | Op::Red { .. } => true,
            op => is_pure(&op) && f.results(inst).count() > 0 && f.results(inst).all(varies),
        }
    }

    /// A loop over the active lanes.
    fn piece(&mut self, piece: &[Inst], users: &Users, how: &'a Lanewise) -> Done {
        let f = self.f;
        if piece.is_empty() {
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
            .map(|v| (v, self.new_home(v), self.home_type(v)))
            .collect();
        self.clear_bits(&outs);
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
        done
    }

    /// Clears the bits of the lanes that are about to make predicates.
    fn clear_bits(&mut self, outs: &[(Value, V, T)]) {
        for &(_, place, t) in outs.iter().filter(|(v, ..)| self.f.ty(*v) == Ty::Pred) {
            let rest = match self.mask {
                Mask::Full => self.b.zero(t),
                Mask::Some(m) => {
                    let old = self.b.load(t, place, 16);
                    self.b.and(old, self.b.not(m))
                }
            };
            self.b.store(rest, place, 16);
        }
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
            let s = self.element(*v, *input, at);
            self.give_directly(*v, s);
        }
        for &inst in piece {
            self.place_of(inst);
            self.instruction(inst)?;
        }
        for &(v, place, elem) in outs {
            if f.ty(v) == Ty::Pred {
                let bit = self.scalar(v);
                let bit = self.b.zext(bit, elem);
                let bit = self.b.shl(bit, self.b.zext(lane, elem));
                let others = self.b.load(elem, place, 16);
                let bits = self.b.or(others, bit);
                self.b.store(bits, place, 16);
                continue;
            }
            let s = self.scalar_as(v, elem);
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
