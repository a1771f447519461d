//! Loops that may wait for other threads: what they test comes from an atomic or ordered access inside the loop.
//!
//! What they test is what decides whether they are left or go round. Any other branch inside counts, too, where it
//! depends on an ordered load (`while (i < n) if (*flag == i) i++;`); not where it depends on an atomic, as in a loop
//! that gives each item a place.

use super::flow::Flow;
use crate::ir::{Block, Function, Id, Op, Order, Rmw, Value, ValueDef};
use std::collections::HashSet;

/// Headers of such loops.
#[must_use]
pub fn spin_loops(f: &Function, flow: &Flow) -> HashSet<usize> {
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
                    for &p in &flow.preds[block.index()] {
                        for edge in f.blocks[Block::from_index(p)]
                            .term
                            .edges()
                            .filter(|e| e.block == block)
                        {
                            work.push((edge.args[number as usize], atomics));
                        }
                    }
                }
                ValueDef::Const(_) | ValueDef::Undef => {}
            }
        }
    }
    out
}
