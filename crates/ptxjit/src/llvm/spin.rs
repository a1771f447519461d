//! Loops that wait: for other threads, where what they test comes from an atomic or ordered access inside the loop; or for
//! time, where they do nothing but read a clock. Both let other warps run; only in the first do lanes of a warp have to
//! be able to wait for each other.
//!
//! What they test is what decides whether they are left or go round. Any other branch inside counts, too, where it
//! depends on an ordered load (`while (i < n) if (*flag == i) i++;`); not where it depends on an atomic, as in a loop
//! that gives each item a place.

use super::flow::Flow;
use crate::ir::{Block, Function, Id, Op, Order, Props, Rmw, Value, ValueDef};
use std::collections::HashSet;

/// Headers of loops that wait.
#[derive(Clone, Debug, Default)]
pub struct Spins {
    /// For other threads.
    pub threads: HashSet<usize>,
    /// For time alone.
    pub time: HashSet<usize>,
}

impl Spins {
    /// The loops of a function that wait.
    #[must_use]
    pub fn new(f: &Function, flow: &Flow) -> Self {
        Self {
            threads: waits_for_threads(f, flow),
            time: waits_for_time(f, flow),
        }
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.time.is_empty()
    }

    /// Where other warps are let run.
    #[must_use]
    pub fn headers(&self) -> HashSet<usize> {
        self.threads.union(&self.time).copied().collect()
    }
}

/// Loops with a way out that read a clock and have no other effect.
fn waits_for_time(f: &Function, flow: &Flow) -> HashSet<usize> {
    let ops = |n: usize| {
        let insts = &f.blocks[Block::from_index(n)].insts;
        insts.iter().map(|&i| &f.insts[i].op)
    };
    let reads_clock = |op: &Op| op.props().contains(Props::VOLATILE);
    let other = Props::EFFECT
        .union(Props::READS)
        .union(Props::CONVERGENT)
        .union(Props::FAULTS);
    flow.loops
        .iter()
        .filter(|l| {
            let blocks = || (0..l.member.len()).filter(|&n| l.member[n]);
            let ops = || blocks().flat_map(ops);
            blocks().any(|n| flow.succs[n].iter().any(|&s| !l.member[s]))
                && ops().any(reads_clock)
                && ops().all(|op| reads_clock(op) || !op.props().intersects(other))
        })
        .map(|l| l.header)
        .collect()
}

/// Loops in which what is tested comes from what other threads write.
fn waits_for_threads(f: &Function, flow: &Flow) -> HashSet<usize> {
    let mut out = HashSet::new();
    for l in &flow.loops {
        // Values, and whether an atomic behind them counts.
        let mut work: Vec<(Value, bool)> = Vec::new();
        let mut exits = false;
        for (n, &inside) in l.member.iter().enumerate() {
            if !inside || flow.succs[n].len() < 2 {
                continue;
            }
            let leaves = flow.succs[n].iter().any(|&s| !l.member[s]);
            exits |= leaves;
            let decides = leaves || flow.succs[n].contains(&l.header);
            let operands = f.blocks[Block::from_index(n)].term.operands();
            work.extend(operands.iter().map(|&v| (v, decides)));
        }
        if !exits {
            // Never left: waits for nothing, but must not keep others from running.
            out.insert(l.header);
            continue;
        }
        let defs = super::shape::def_blocks(f);
        let mut seen = HashSet::new();
        while let Some((v, atomics)) = work.pop() {
            if !seen.insert((v, atomics)) || defs[v.index()].is_none_or(|d| !l.member[d]) {
                continue;
            }
            match f.values[v].def {
                ValueDef::Inst(inst, _) => {
                    let waits = match f.insts[inst].op {
                        Op::Load { access } => access.order != Order::Weak,
                        // Compare and swap of what was just read: somebody always gets through.
                        Op::Atom { .. } if !atomics => false,
                        Op::Atom { rmw: Rmw::Cas, .. } => {
                            let expected = f.args(inst)[1];
                            defs[expected.index()].is_none_or(|d| !l.member[d])
                        }
                        Op::Atom { .. } => true,
                        _ => false,
                    };
                    if waits {
                        out.insert(l.header);
                        break;
                    }
                    work.extend(f.uses(inst).map(|v| (v, atomics)));
                }
                ValueDef::Param(block, number) => {
                    work.extend(flow.given(f, block, number).map(|v| (v, atomics)));
                }
                ValueDef::Const(_) | ValueDef::Undef => {}
            }
        }
    }
    out
}
