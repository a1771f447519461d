//! Long sums of unrolled code, side by side.
//!
//! Code that was unrolled completely (scores of a query with many keys, tiles of a matrix product kept in registers) has
//! more sums than there are registers, each a chain of multiply-adds. In the order of the source either one sum is
//! computed after the other, so that every step waits for the last one, or all of them step by step, so that every sum
//! is read from memory and written back each time. Here a few chains at a time run to their ends, side by side: as many
//! as fit in registers. Nothing but the order of independent instructions changes.

use super::flow::Flow;
use super::plan::Plan;
use super::shape::Shape;
use crate::ir::{Block, Float, Function, Id, Inst, Op, Order, Props, Value};
use std::collections::HashMap;

/// Instructions without a store or barrier between them from which on this is done.
const LEAST: usize = 512;
/// Steps of a chain, at least.
const STEPS: usize = 8;
/// Registers of 256 bits that the sums of a group take.
const ROOM: usize = 8;
/// Registers that all sums must exceed.
const REGISTERS: usize = 16;

/// Orders the instructions of a kernel's blocks for vectors of `width` lanes.
pub(super) fn interleave(f: &mut Function, flow: &Flow, plan: &Plan, width: u32) {
    let is_long = |b: &&usize| f.blocks[Block::from_index(**b)].insts.len() >= LEAST;
    let long: Vec<usize> = flow.order.iter().filter(is_long).copied().collect();
    if long.is_empty() {
        return;
    }
    let mut uses = vec![0u32; f.values.len()];
    for &b in &flow.order {
        let data = &f.blocks[Block::from_index(b)];
        let by_insts = data.insts.iter().flat_map(|&i| f.uses(i));
        let by_edges = data.term.edges().flat_map(|e| e.args.iter().copied());
        let all = by_insts.chain(by_edges);
        for v in all.chain(data.term.operands().iter().copied()) {
            uses[v.index()] += 1;
        }
    }
    for b in long {
        let insts = std::mem::take(&mut f.blocks[Block::from_index(b)].insts);
        let mut ordered = Vec::with_capacity(insts.len());
        let mut rest = insts.as_slice();
        while !rest.is_empty() {
            let free = rest.iter().take_while(|&&i| may_move(f, i)).count();
            let (region, after) = rest.split_at(free);
            match Region::new(f, plan, region, &uses, width) {
                Some(region) => region.order(&mut ordered),
                None => ordered.extend_from_slice(region),
            }
            let fixed = after.len().min(1);
            ordered.extend_from_slice(&after[..fixed]);
            rest = &after[fixed..];
        }
        f.blocks[Block::from_index(b)].insts = ordered;
    }
}

/// Whether an instruction may change places with others of its kind.
fn may_move(f: &Function, inst: Inst) -> bool {
    match f.insts[inst].op {
        Op::Load { access } => access.order == Order::Weak,
        op => op.props().is_empty() || op.props() == Props::COMMUTES,
    }
}

/// The sum that an instruction adds to.
fn added_to(f: &Function, inst: Inst) -> Option<[Value; 2]> {
    let args = f.args(inst);
    match f.insts[inst].op {
        Op::Fma {
            fmt: Float::F32, ..
        } => Some([args[2]; 2]),
        Op::FAdd {
            fmt: Float::F32, ..
        } => Some([args[0], args[1]]),
        _ => None,
    }
}

/// Instructions that may change places.
struct Region<'a> {
    f: &'a Function,
    insts: &'a [Inst],
    /// Place of an instruction.
    place: HashMap<Inst, usize>,
    /// Chain of an instruction, by place.
    chain_of: Vec<Option<usize>>,
    /// Places of the chains' steps.
    chains: Vec<Vec<usize>>,
    /// Group of a chain, and the chains of each.
    group_of: Vec<usize>,
    groups: Vec<Vec<usize>>,
    /// Whether something of the region uses an instruction's results.
    needed: Vec<bool>,
}

impl<'a> Region<'a> {
    fn new(
        f: &'a Function,
        plan: &Plan,
        insts: &'a [Inst],
        uses: &[u32],
        width: u32,
    ) -> Option<Self> {
        if insts.len() < LEAST {
            return None;
        }
        let place: HashMap<Inst, usize> = insts.iter().copied().zip(0..).collect();
        let mut this = Self {
            f,
            insts,
            place,
            chain_of: vec![None; insts.len()],
            chains: Vec::new(),
            group_of: Vec::new(),
            groups: Vec::new(),
            needed: vec![false; insts.len()],
        };
        for (at, &inst) in insts.iter().enumerate() {
            for v in f.uses(inst) {
                if let Some(by) = this.made_at(v) {
                    this.needed[by] = true;
                }
            }
            let Some(sums) = added_to(f, inst) else {
                continue;
            };
            let vector = |v: Value| matches!(plan.shapes.shape(v), Shape::Varying | Shape::Bottom);
            if !f.result(inst).is_some_and(vector) {
                continue;
            }
            // A sum that nobody else looks at.
            let before = sums.into_iter().find_map(|v| {
                let by = this.made_at(v).filter(|_| uses[v.index()] == 1)?;
                this.chain_of[by]
            });
            let chain = before.unwrap_or_else(|| {
                this.chains.push(Vec::new());
                this.chains.len() - 1
            });
            this.chains[chain].push(at);
            this.chain_of[at] = Some(chain);
        }
        this.drop_short();
        let registers = (width / 8).max(1) as usize;
        if this.chains.len() * registers <= REGISTERS {
            return None;
        }
        this.group((ROOM / registers).max(2));
        Some(this)
    }

    /// Where in the region a value is made.
    fn made_at(&self, value: Value) -> Option<usize> {
        self.place.get(&self.f.def_inst(value)?).copied()
    }

    fn drop_short(&mut self) {
        let mut kept = Vec::new();
        for chain in std::mem::take(&mut self.chains) {
            let number = (chain.len() >= STEPS).then_some(kept.len());
            for &at in &chain {
                self.chain_of[at] = number;
            }
            if number.is_some() {
                kept.push(chain);
            }
        }
        self.chains = kept;
    }

    /// Puts chains that do not depend on each other together, in the order in which they begin.
    fn group(&mut self, most: usize) {
        // How many chains come one after the other before an instruction: those of equal numbers are independent.
        let mut level = vec![0usize; self.insts.len()];
        let mut of_chain = vec![0usize; self.chains.len()];
        for at in 0..self.insts.len() {
            let chain = self.chain_of[at];
            let mut most = 0;
            for v in self.f.uses(self.insts[at]) {
                match self.made_at(v) {
                    Some(by) if chain.is_none() || self.chain_of[by] != chain => {
                        most = most.max(level[by]);
                    }
                    Some(_) | None => {}
                }
            }
            level[at] = match chain {
                Some(c) => {
                    of_chain[c] = of_chain[c].max(most + 1);
                    of_chain[c]
                }
                None => most,
            };
        }
        let mut open: HashMap<(usize, usize), usize> = HashMap::new();
        for (chain, steps) in self.chains.iter().enumerate() {
            let kind = (of_chain[chain], steps.len());
            let group = match open.get(&kind) {
                Some(&g) if self.groups[g].len() < most => g,
                Some(_) | None => {
                    self.groups.push(Vec::new());
                    self.groups.len() - 1
                }
            };
            open.insert(kind, group);
            self.groups[group].push(chain);
            self.group_of.push(group);
        }
    }

    /// The instructions in their new order.
    fn order(&self, ordered: &mut Vec<Inst>) {
        let mut done = vec![false; self.insts.len()];
        for at in 0..self.insts.len() {
            // What others need comes when they do.
            if self.chain_of[at].is_some() || !self.needed[at] {
                self.make(at, &mut done, ordered);
            }
        }
    }

    /// Makes an instruction, and what it needs before it.
    fn make(&self, at: usize, done: &mut [bool], ordered: &mut Vec<Inst>) {
        let mut stack = vec![at];
        while let Some(&at) = stack.last() {
            if done[at] {
                stack.pop();
                continue;
            }
            if let Some(chain) = self.chain_of[at] {
                self.make_group(self.group_of[chain], done, ordered);
                stack.pop();
                continue;
            }
            let missing = self
                .f
                .uses(self.insts[at])
                .filter_map(|v| self.made_at(v))
                .find(|&by| !done[by]);
            match missing {
                Some(by) => stack.push(by),
                None => {
                    done[at] = true;
                    ordered.push(self.insts[at]);
                    stack.pop();
                }
            }
        }
    }

    /// Makes the chains of a group, step by step.
    fn make_group(&self, group: usize, done: &mut [bool], ordered: &mut Vec<Inst>) {
        let chains = &self.groups[group];
        for step in 0..self.chains[chains[0]].len() {
            for &chain in chains {
                let at = self.chains[chain][step];
                for v in self.f.uses(self.insts[at]) {
                    if let Some(by) = self.made_at(v).filter(|&by| !done[by]) {
                        self.make(by, done, ordered);
                    }
                }
                done[at] = true;
                ordered.push(self.insts[at]);
            }
        }
    }
}
