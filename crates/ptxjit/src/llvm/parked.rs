//! Sums of loops that keep more of them than there are registers: these wait in memory.
//!
//! The register allocator keeps such values on the stack, too, but in other places where a round begins than where it
//! ends, so that each round copies all of them. Here, a value that goes round and what it becomes share one place.

use super::build::V;
use super::emit::Gen;
use super::flow::Flow;
use super::plan::Plan;
use super::shape::Shape;
use super::target::Level;
use crate::ir::{Block, Function, Id, Op, Ty, Value, ValueDef};
use std::collections::{HashMap, HashSet};

/// Registers that a loop's values take from which on they wait in memory.
const CROWD: u32 = 40;
/// Bits of a register.
const REGISTER: u32 = 256;

/// Values that wait in memory.
#[derive(Default)]
pub(super) struct Parked {
    /// What goes round, and what it becomes at the end of a round.
    becomes: HashMap<Value, Value>,
    /// The other way.
    was: HashMap<Value, Value>,
}

impl Parked {
    /// Those of a function.
    pub(super) fn of(f: &Function, flow: &Flow, plan: &Plan, level: Level, width: u32) -> Self {
        let mut found = Self::default();
        if level != Level::Avx2 || plan.dispatch {
            return found;
        }
        for (l, this) in flow.loops.iter().enumerate() {
            let b = this.header;
            let alone = this.member.iter().filter(|&&m| m).count() == 1;
            if alone && !plan.loop_divergent[l] && !plan.own[plan.leader[b]] {
                found.add(f, flow, plan, b, width);
            }
        }
        found
    }

    fn add(&mut self, f: &Function, flow: &Flow, plan: &Plan, b: usize, width: u32) {
        let data = &f.blocks[Block::from_index(b)];
        let is_vector = |v: Value| {
            matches!(f.ty(v), Ty::B32 | Ty::B64)
                && matches!(plan.shapes.shape(v), Shape::Varying | Shape::Bottom)
        };
        let registers = |v: Value| (f.ty(v).bits() * width).div_ceil(REGISTER);
        let vectors = data.params.iter().copied().filter(|&v| is_vector(v));
        if vectors.map(registers).sum::<u32>() < CROWD {
            return;
        }
        let Some(back) = data.term.edges().find(|e| e.block.index() == b) else {
            return;
        };
        let place: HashMap<_, usize> = data
            .insts
            .iter()
            .enumerate()
            .map(|(k, &i)| (i, k))
            .collect();
        // Where a value is used last in the block; `None`: at its end, or elsewhere.
        let mut last: HashMap<Value, usize> = HashMap::new();
        for (k, &i) in data.insts.iter().enumerate() {
            last.extend(f.uses(i).map(|v| (v, k)));
        }
        let mut elsewhere: HashSet<Value> = HashSet::new();
        elsewhere.extend(data.term.operands());
        for &other in &flow.order {
            let data = &f.blocks[Block::from_index(other)];
            if other != b {
                elsewhere.extend(data.insts.iter().flat_map(|&i| f.uses(i)));
                elsewhere.extend(data.term.operands());
            }
            elsewhere.extend(data.term.edges().flat_map(|e| &e.args));
        }
        for (&param, &arg) in data.params.iter().zip(&back.args) {
            let ValueDef::Inst(inst, 0) = f.values[arg].def else {
                continue;
            };
            let sums = matches!(
                f.insts[inst].op,
                Op::Fma { .. }
                    | Op::FAdd { .. }
                    | Op::Add { .. }
                    | Op::FMul { .. }
                    | Op::Mul { .. }
            );
            let before = |k: usize| last.get(&param).is_none_or(|&used| used <= k);
            let fits = place.get(&inst).copied().is_some_and(before);
            if sums
                && fits
                && is_vector(param)
                && is_vector(arg)
                && f.ty(param) == f.ty(arg)
                && f.insts[inst].guard.is_none()
                && !elsewhere.contains(&param)
                && !self.was.contains_key(&arg)
            {
                self.becomes.insert(param, arg);
                self.was.insert(arg, param);
            }
        }
    }
}

impl Gen<'_, '_> {
    /// Whether a vector of this function's own width is at hand: single lanes have places of their own.
    fn may_be_parked(&self) -> bool {
        self.w == self.strip_lanes && self.lane.is_none() && !self.straight && self.serial.is_none()
    }

    /// Whether a value that goes round waits in memory.
    pub(super) fn is_parked(&self, param: Value) -> bool {
        self.may_be_parked() && self.parked.becomes.contains_key(&param)
    }

    /// Whether an argument is in a parameter's place already.
    pub(super) fn is_in_place(&self, param: Value, arg: Value) -> bool {
        self.may_be_parked() && self.parked.becomes.get(&param) == Some(&arg)
    }

    /// The value that goes round whose place a value is kept in: its own, or what it was.
    pub(super) fn parked_in(&self, value: Value) -> Option<Value> {
        if !self.may_be_parked() {
            return None;
        }
        if self.parked.becomes.contains_key(&value) {
            return Some(value);
        }
        self.parked.was.get(&value).copied()
    }

    /// Puts away what a value has become. Whether it waits in memory.
    pub(super) fn park(&mut self, value: Value, v: V) -> bool {
        if !self.may_be_parked() || !self.parked.was.contains_key(&value) {
            return false;
        }
        let (slot, t) = self.parking_place(value);
        let v = self.b.bitcast(v, t);
        self.b.store_always(v, slot, 64);
        true
    }
}
