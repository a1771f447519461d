//! Where lanes that run one by one keep what they have: in memory, an element for each lane.
//!
//! In code that is made in little time ([`super::lanewise`]) a value that differs from lane to lane has one home, which
//! only lanes that run write to. What other code keeps apart, namely what an edge brings, what a block reads and what
//! lanes take out of a loop with them, is there the same: a lane's element is what that lane has. Predicates and masks
//! are scalars of one bit for each lane. So there are next to no vectors, and LLVM's fast instruction selector, which
//! knows scalars only, makes nearly all of the code.

use super::build::{Icmp, T, V};
use super::emit::{Gen, Mask};
use super::shape::{Shape, UNIFORM};
use crate::ir::{Ty, Value};

/// Bytes of the vectors that homes are copied by.
const COPIED: u32 = 32;

/// What a lane takes from outside.
#[derive(Clone, Copy)]
pub(super) enum Input {
    /// The same for all lanes.
    Same(V),
    /// A base plus a step for each lane.
    Line(V, i64),
    /// A base plus what a table says for the lane.
    Table(V, V),
    /// In memory by lane.
    Lane(V, T),
    /// A bit for each lane.
    Bit(V),
}

impl Gen<'_, '_> {
    /// Whether values by lane lie in memory, and masks are scalars, in the code at hand.
    pub(super) fn keeps_lanes(&self) -> bool {
        self.by_lane.is_some() && self.w > 1
    }

    /// Whether a value differs from lane to lane in other ways than by a constant.
    fn varies(&self, value: Value) -> bool {
        matches!(
            self.plan.shapes.shape(value),
            Shape::Varying | Shape::Bottom
        )
    }

    /// Whether a value has a home.
    pub(super) fn has_home(&self, value: Value) -> bool {
        self.keeps_lanes() && self.varies(value)
    }

    /// A predicate by lane as masks are made of it: bits where masks are, `<W x i1>` elsewhere.
    pub(super) fn lane_pred(&mut self, value: Value) -> V {
        if !self.keeps_lanes() {
            return self.pred(value);
        }
        let t = self.mask_type();
        if self.plan.temporal(self.flow, value, self.block) {
            let slot = self.out_slot(value);
            return self.b.load(t, slot, 64);
        }
        if self.varies(value) {
            let v = self.stored(value);
            return self.bits_of(v);
        }
        let one = self.scalar(value);
        self.b.sext(one, t)
    }

    /// A predicate as bits: of lanes, or of one that is the same in all.
    fn bits_of(&self, pred: V) -> V {
        let t = self.mask_type();
        if self.b.type_of(pred) == self.b.i1 {
            return self.b.sext(pred, t);
        }
        self.b.bitcast(pred, t)
    }

    /// Defines a value that differs from lane to lane.
    pub(super) fn set_at_home(&mut self, value: Value, v: V) {
        let is_pred = self.f.ty(value) == Ty::Pred;
        let v = if is_pred {
            self.bits_of(v)
        } else if self.b.lanes_of(self.b.type_of(v)) == 1 {
            self.b.splat(v, self.w)
        } else {
            v
        };
        self.give_directly(value, v);
        if !self.is_read_elsewhere(value) {
            return;
        }
        // Lanes that are elsewhere keep what they have.
        let apart = self.plan.dispatch || self.plan.outs.contains(&value);
        let mask = if apart { self.mask } else { Mask::Full };
        let place = self.slot(value);
        let t = self.storage_type(value);
        let v = self.b.bitcast(v, t);
        let v = match mask {
            Mask::Full => v,
            Mask::Some(_) => {
                let old = self.b.load(t, place, 64);
                self.blend(mask, v, old)
            }
        };
        self.b.store(v, place, 64);
    }

    /// Where lanes find a value that the code at hand does not make.
    pub(super) fn taken(&mut self, value: Value) -> Input {
        if self.f.ty(value) == Ty::Pred {
            return match self.shape(value) {
                UNIFORM => Input::Same(self.scalar(value)),
                Shape::Affine(_) | Shape::Varying | Shape::Bottom => {
                    Input::Bit(self.lane_pred(value))
                }
            };
        }
        let elem = self.lane_type(value);
        if self.plan.temporal(self.flow, value, self.block) {
            return Input::Lane(self.out_slot(value), elem);
        }
        match self.plan.shapes.shape(value) {
            UNIFORM => Input::Same(self.scalar_as(value, elem)),
            Shape::Affine(p) => {
                let offsets = self.plan.shapes.patterns[p].clone();
                let step = offsets.get(1).map_or(0, |one| one - offsets[0]);
                let even = offsets[0] == 0 && offsets.windows(2).all(|o| o[1] - o[0] == step);
                let base = self.scalar(value);
                if even {
                    return Input::Line(base, step);
                }
                let t = self.vt(self.b.type_of(base));
                let table = self.table(t, &offsets);
                Input::Table(base, table)
            }
            Shape::Varying | Shape::Bottom => Input::Lane(self.home(value), elem),
        }
    }

    /// A lane's element of what it takes from outside; `at` is the lane's number, `i64`.
    pub(super) fn element(&self, value: Value, input: Input, at: V) -> V {
        let b = &self.b;
        match input {
            Input::Same(s) => s,
            Input::Line(base, step) => {
                let t = b.type_of(base);
                let by = b.zext(at, t);
                let by = match step {
                    1 => by,
                    _ => b.mul(by, b.c(t, step.cast_unsigned())),
                };
                let v = b.add(base, by);
                b.bitcast(v, self.lane_type(value))
            }
            Input::Table(base, table) => {
                let by = self.spilled_lane(table, b.type_of(base), at);
                let v = b.add(base, by);
                b.bitcast(v, self.lane_type(value))
            }
            Input::Lane(place, elem) => self.spilled_lane(place, elem, at),
            Input::Bit(bits) => {
                let t = b.type_of(bits);
                let bit = b.lshr(bits, b.zext(at, t));
                let bit = b.and(bit, b.c(t, 1));
                b.icmp(Icmp::LLVMIntNE, bit, b.c(t, 0))
            }
        }
    }

    /// Offsets by lane in memory, for lanes to look them up.
    fn table(&mut self, t: T, offsets: &[i64]) -> V {
        let known = self
            .tables
            .iter()
            .find(|(ty, o, _)| *ty == t && o == offsets);
        if let Some(&(_, _, table)) = known {
            return table;
        }
        let values = offsets.iter().map(|o| o.cast_unsigned());
        let values = self.b.ints(self.b.elem_of(t), values);
        let table = self.in_prologue(|g| {
            let table = g.b.alloca(t, 64);
            g.b.store(values, table, 64);
            table
        });
        self.tables.push((t, offsets.to_vec(), table));
        table
    }

    /// Has the lanes of a mask take `outs` out of their loops with them, and passes arguments to parameters.
    pub(super) fn pass_by_lane(
        &mut self,
        outs: &[Value],
        passed: &[(Value, Value)],
        mask: Mask,
        mixes: bool,
    ) {
        // All arguments are read before any parameter is written.
        let (mut scalars, mut lanes) = (Vec::new(), Vec::new());
        for &v in outs {
            if self.varies(v) {
                continue;
            }
            let place = self.out_slot(v);
            if self.f.ty(v) == Ty::Pred {
                let bits = self.scalar(v);
                scalars.push((place, self.bits_of(bits), true));
            } else {
                lanes.push((place, v, self.lane_type(v), self.taken(v)));
            }
        }
        for &(param, arg) in passed {
            let place = self.param_slot(param);
            if !self.varies(param) {
                scalars.push((place, self.argument(param, arg), false));
            } else if self.f.ty(param) == Ty::Pred {
                scalars.push((place, self.lane_pred(arg), mixes || self.plan.dispatch));
            } else {
                lanes.push((place, arg, self.lane_type(param), self.taken(arg)));
            }
        }
        lanes
            .retain(|(place, _, _, input)| !matches!(input, Input::Lane(from, _) if from == place));
        if !lanes.is_empty() {
            self.for_lanes(mask, |g, lane| {
                let at = g.b.zext(lane, g.b.i64);
                let read: Vec<(V, T, V)> = lanes
                    .into_iter()
                    .map(|(place, v, t, input)| (place, t, g.element(v, input, at)))
                    .collect();
                for (place, t, v) in read {
                    let v = g.b.bitcast(v, t);
                    let to = g.b.gep(t, place, &[at]);
                    g.b.store(v, to, 1);
                }
            });
        }
        for (place, new, blended) in scalars {
            let new = match (blended, mask) {
                (true, Mask::Some(_)) => {
                    let old = self.b.load(self.b.type_of(new), place, 64);
                    self.blend(mask, new, old)
                }
                (true, Mask::Full) | (false, _) => new,
            };
            self.b.store(new, place, 16);
        }
    }

    /// Runs `f(lane)` for each lane of a mask in order; `lane` is an `i32`.
    pub(super) fn for_lanes(&mut self, mask: Mask, f: impl FnOnce(&mut Self, V)) {
        let i32 = self.b.i32;
        let (head, next, after, from) = (
            self.b.block(self.function),
            self.b.block(self.function),
            self.b.block(self.function),
            self.b.here(),
        );
        let bits = match mask {
            Mask::Full => None,
            Mask::Some(_) => Some(self.mask_bits32(mask)),
        };
        self.b.br(head);
        self.b.at(head);
        let lane = self.b.phi(i32);
        self.b.incoming(lane, self.b.c(i32, 0), from);
        let rest = bits.map(|bits| {
            let rest = self.b.phi(i32);
            self.b.incoming(rest, bits, from);
            let one = self.b.and(rest, self.b.c(i32, 1));
            let runs = self.b.icmp(Icmp::LLVMIntNE, one, self.b.c(i32, 0));
            let body = self.b.block(self.function);
            self.b.cond(runs, body, next);
            self.b.at(body);
            rest
        });
        self.conditional += 1;
        f(self, lane);
        self.conditional -= 1;
        self.b.br(next);
        self.b.at(next);
        let following = self.b.add(lane, self.b.c(i32, 1));
        self.b.incoming(lane, following, next);
        let more = match rest {
            None => {
                let count = self.b.c(i32, u64::from(self.w));
                self.b.icmp(Icmp::LLVMIntULT, following, count)
            }
            Some(rest) => {
                let left = self.b.lshr(rest, self.b.c(i32, 1));
                self.b.incoming(rest, left, next);
                self.b.icmp(Icmp::LLVMIntNE, left, self.b.c(i32, 0))
            }
        };
        self.b.cond(more, head, after);
        self.b.at(after);
    }

    /// The mask of a strip's first `rest` lanes; `rest` is above 0.
    pub(super) fn first_lanes(&self, rest: V) -> V {
        let b = &self.b;
        let i64 = b.i64;
        let most = b.c(i64, u64::from(self.w));
        let rest = b.zext(rest, i64);
        let fewer = b.icmp(Icmp::LLVMIntULT, rest, most);
        let rest = b.select(fewer, rest, most);
        let bits = b.shl(b.c(i64, 1), rest);
        let bits = b.sub(bits, b.c(i64, 1));
        b.zext(bits, self.mask_type())
    }

    /// Copies all elements of a home.
    pub(super) fn copy_home(&mut self, t: T, from: V, to: V) {
        let bytes = self.b.lanes_of(t) * self.b.bits_of(t).div_ceil(8);
        let piece = self.b.vec(self.b.i32, COPIED.min(bytes) / 4);
        for at in (0..i64::from(bytes)).step_by(COPIED as usize) {
            let v = self.b.load(piece, self.b.offset(from, at), 16);
            self.b.store(v, self.b.offset(to, at), 16);
        }
    }
}
