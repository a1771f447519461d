//! Which values follow from a 32-bit index that may wrap between lanes before it is sign-extended.
//!
//! A sign-extended consecutive index is taken as consecutive. Where one wraps (at the end of the 32-bit range), the
//! lanes behind the end lie 2^32 away from where that puts them. This analysis says by how many of which indices' 2^32
//! a value is then off; code that uses such a value asks whether one of them wrapped (`super::index`). Where the answer
//! would not be a constant, the index must not be taken as consecutive.

use super::flow::Flow;
use super::index::never_wraps;
use super::shape::{Control, Shape, Shapes, UNIFORM};
use crate::ir::{Block, Function, Id, Inst, Int, Op, Sign, Ty, Value, ValueDef};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How a value is off in a lane whose indices wrapped: factors of 2^32 by extended index.
pub type Taint = BTreeMap<Value, i64>;

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Wraps {
    /// Extended indices that may wrap, and the 32-bit values that they extend.
    pub sources: HashMap<Value, Value>,
    /// Values that are off when they do.
    pub taints: HashMap<Value, Taint>,
}

struct Search<'a> {
    f: &'a Function,
    flow: &'a Flow,
    shapes: &'a Shapes,
    control: &'a dyn Control,
    defs: &'a [Option<usize>],
    found: Wraps,
    /// Extended indices that must not be taken as consecutive.
    lost: HashSet<Value>,
}

/// Analyses a function.
///
/// # Errors
/// The extended indices that must not be taken as consecutive.
pub fn wraps(
    f: &Function,
    flow: &Flow,
    shapes: &Shapes,
    control: &dyn Control,
    defs: &[Option<usize>],
) -> Result<Wraps, HashSet<Value>> {
    let mut search = Search {
        f,
        flow,
        shapes,
        control,
        defs,
        found: Wraps::default(),
        lost: HashSet::new(),
    };
    for &b in &flow.order {
        search.block(b);
    }
    search.back_edges();
    if search.lost.is_empty() {
        Ok(search.found)
    } else {
        Err(search.lost)
    }
}

impl Search<'_> {
    fn shape(&self, value: Value, at: usize) -> Shape {
        match self.defs[value.index()] {
            Some(def) if self.control.temporal(def, at) => Shape::Varying,
            Some(_) | None => self.shapes.shape(value),
        }
    }

    /// How a value is off where it is used; values by lane are right.
    fn taint(&self, value: Value, at: usize) -> Taint {
        match self.shape(value, at) {
            Shape::Affine(_) => self.found.taints.get(&value).cloned().unwrap_or_default(),
            Shape::Varying | Shape::Bottom => Taint::new(),
        }
    }

    fn lose(&mut self, taint: &Taint) {
        self.lost.extend(taint.keys());
    }

    fn set(&mut self, value: Value, taint: Taint) {
        let taint: Taint = taint.into_iter().filter(|&(_, c)| c != 0).collect();
        match self.shapes.shape(value) {
            Shape::Varying | Shape::Bottom => return,
            UNIFORM => {
                self.lose(&taint);
                return;
            }
            Shape::Affine(_) => {}
        }
        if !taint.is_empty() {
            self.found.taints.insert(value, taint);
        }
    }

    fn block(&mut self, b: usize) {
        let data = &self.f.blocks[Block::from_index(b)];
        for (i, &param) in data.params.iter().enumerate() {
            if !matches!(self.shapes.shape(param), Shape::Affine(_)) {
                continue;
            }
            let taints = self.incoming(b, i, false);
            if taints.windows(2).any(|t| t[0] != t[1]) {
                taints.iter().for_each(|t| self.lose(t));
            }
            if let Some(taint) = taints.into_iter().next() {
                self.set(param, taint);
            }
        }
        for &inst in &data.insts {
            self.instruction(inst, b);
        }
    }

    /// How what comes in for a parameter is off, from before or from behind.
    fn incoming(&self, b: usize, i: usize, back: bool) -> Vec<Taint> {
        let mut out = Vec::new();
        let mut preds = self.flow.preds[b].clone();
        preds.sort_unstable();
        preds.dedup();
        for p in preds {
            if (self.flow.pos[p] >= self.flow.pos[b]) != back {
                continue;
            }
            for edge in self.f.blocks[Block::from_index(p)].term.edges() {
                if edge.block.index() != b
                    || matches!(self.f.values[edge.args[i]].def, ValueDef::Undef)
                {
                    continue;
                }
                out.push(self.taint(edge.args[i], p));
            }
        }
        out
    }

    /// What goes round in a loop must be off by the same each time.
    fn back_edges(&mut self) {
        for l in &self.flow.loops {
            let params = self.f.blocks[Block::from_index(l.header)].params.clone();
            for (i, param) in params.into_iter().enumerate() {
                if !matches!(self.shapes.shape(param), Shape::Affine(_)) {
                    continue;
                }
                let own = self.found.taints.get(&param).cloned().unwrap_or_default();
                for taint in self.incoming(l.header, i, true) {
                    if taint != own {
                        self.lose(&taint);
                        self.lose(&own);
                    }
                }
            }
        }
    }

    fn instruction(&mut self, inst: Inst, b: usize) {
        let Some(r) = self.f.result(inst) else {
            return;
        };
        if !matches!(self.shapes.shape(r), Shape::Affine(_)) {
            return;
        }
        let args = self.f.args(inst);
        let op = self.f.insts[inst].op;
        let source = match op {
            Op::Sext {
                from: Ty::B32,
                to: Ty::B64,
            } => Some((args[0], 1)),
            Op::MulWide {
                w: Int::I32,
                sign: Sign::Signed,
            } => {
                let factor = |i: usize| {
                    let c = self.f.as_const(args[i])?;
                    Some(i64::from(
                        u32::try_from(c & 0xffff_ffff).ok()?.cast_signed(),
                    ))
                };
                factor(1)
                    .map(|c| (args[0], c))
                    .or_else(|| factor(0).map(|c| (args[1], c)))
            }
            _ => None,
        };
        if let Some((index, factor)) = source {
            if let Shape::Affine(p) = self.shape(index, b)
                && self.shape(index, b) != UNIFORM
                && !self.shapes.fits_below(p, self.shapes.zeros[index.index()])
                && !never_wraps(self.f, index, &self.shapes.patterns[p])
            {
                self.found.sources.insert(r, index);
                self.set(r, Taint::from([(r, factor)]));
            }
            return;
        }
        let taints: Vec<Taint> = args.iter().map(|&a| self.taint(a, b)).collect();
        if taints.iter().all(Taint::is_empty) {
            return;
        }
        let sum = |sign: i64| {
            let mut sum = taints[0].clone();
            for (&k, &c) in &taints[1] {
                let at = sum.entry(k).or_insert(0);
                *at = at.wrapping_add(sign * c);
            }
            sum
        };
        let scaled = |t: &Taint, by: i64| -> Taint {
            t.iter().map(|(&k, &c)| (k, c.wrapping_mul(by))).collect()
        };
        let constant = |i: usize| self.f.as_const(args[i]);
        let taint = match op {
            Op::Add { w: Int::I64 } => Some(sum(1)),
            Op::Sub { w: Int::I64 } => Some(sum(-1)),
            Op::Mul { w: Int::I64 } => match (constant(0), constant(1)) {
                (_, Some(c)) => Some(scaled(&taints[0], c.cast_signed())),
                (Some(c), _) => Some(scaled(&taints[1], c.cast_signed())),
                (None, None) => None,
            },
            Op::Shl { w: Int::I64 } => {
                constant(1).map(|c| scaled(&taints[0], if c < 64 { 1i64 << c } else { 0 }))
            }
            Op::Select { .. } if taints[1] == taints[2] => Some(taints[1].clone()),
            // 2^32 leaves no trace in the low bits.
            Op::Trunc { to: Ty::B32, .. } | Op::FromGeneric { .. } => Some(Taint::new()),
            _ => None,
        };
        match taint {
            Some(taint) => self.set(r, taint),
            None => taints.iter().for_each(|t| self.lose(t)),
        }
    }
}

/// Every value that a loss could concern: what to give up where an analysis does not settle.
#[must_use]
pub fn all_extended(f: &Function) -> HashSet<Value> {
    f.insts
        .ids()
        .filter(|&i| matches!(f.insts[i].op, Op::Sext { .. } | Op::MulWide { .. }))
        .filter_map(|i| f.result(i))
        .collect()
}
