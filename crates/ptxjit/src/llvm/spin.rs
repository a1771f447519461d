//! Loops that may wait for other threads: what they test comes from an atomic or ordered access inside the loop.

use super::flow::Flow;
use crate::ir::{Block, Function, Id, Op, Order, Rmw, Value, ValueDef};
use std::collections::HashSet;

/// Headers of such loops.
#[must_use]
pub fn spin_loops(f: &Function, flow: &Flow) -> HashSet<usize> {
    let mut out = HashSet::new();
    for l in &flow.loops {
        let mut work: Vec<Value> = Vec::new();
        let mut exits = false;
        for (n, &inside) in l.member.iter().enumerate() {
            if inside && flow.succs[n].iter().any(|&s| !l.member[s]) {
                exits = true;
                work.extend(f.blocks[Block::from_index(n)].term.operands());
            }
        }
        if !exits {
            // Never left: waits for nothing, but must not keep others from running.
            out.insert(l.header);
            continue;
        }
        let defs = super::shape::def_blocks(f);
        let mut seen = HashSet::new();
        while let Some(v) = work.pop() {
            if !seen.insert(v) || defs[v.index()].is_none_or(|d| !l.member[d]) {
                continue;
            }
            match f.values[v].def {
                ValueDef::Inst(inst, _) => {
                    let waits = match f.insts[inst].op {
                        Op::Load { access } => access.order != Order::Weak,
                        // Compare and swap of what was just read: somebody always gets through.
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
                    work.extend(f.uses(inst));
                }
                ValueDef::Param(block, number) => {
                    for &p in &flow.preds[block.index()] {
                        for edge in f.blocks[Block::from_index(p)]
                            .term
                            .edges()
                            .filter(|e| e.block == block)
                        {
                            work.push(edge.args[number as usize]);
                        }
                    }
                }
                ValueDef::Const(_) | ValueDef::Undef => {}
            }
        }
    }
    out
}
