//! Removes instructions and block parameters that nothing needs.

use super::params::remove;
use crate::ir::{Arena, Block, Function, Id, Props, Sig, Signature, Value, ValueDef};

/// The pass.
pub fn run(function: &mut Function, _: &Arena<Sig, Signature>) {
    let order = function.reverse_post_order();
    let mut live = vec![false; function.values.len()];
    let mut needed = vec![false; function.insts.len()];
    let mut work: Vec<Value> = Vec::new();
    let mut incoming: Arena<Block, Vec<(Block, usize)>> =
        Arena::filled(function.blocks.len(), Vec::new());
    for &block in &order {
        for &inst in &function.blocks[block].insts {
            if function.insts[inst].op.props().contains(Props::EFFECT) {
                needed[inst.index()] = true;
                work.extend(function.uses(inst));
            }
        }
        work.extend_from_slice(function.blocks[block].term.operands());
        for (n, edge) in function.blocks[block].term.edges().enumerate() {
            incoming[edge.block].push((block, n));
        }
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut live[value.index()], true) {
            continue;
        }
        match function.values[value].def {
            ValueDef::Const(_) | ValueDef::Undef => {}
            ValueDef::Inst(inst, _) => {
                if !std::mem::replace(&mut needed[inst.index()], true) {
                    work.extend(function.uses(inst));
                }
            }
            ValueDef::Param(block, n) => {
                for &(pred, edge) in &incoming[block] {
                    if let Some(edge) = function.blocks[pred].term.edges().nth(edge) {
                        work.push(edge.args[n as usize]);
                    }
                }
            }
        }
    }
    let mut keep: Arena<Block, Vec<bool>> = Arena::filled(function.blocks.len(), Vec::new());
    for &block in &order {
        function.blocks[block]
            .insts
            .retain(|inst| needed[inst.index()]);
        if block != function.entry {
            keep[block] = function.blocks[block]
                .params
                .iter()
                .map(|p| live[p.index()])
                .collect();
        }
    }
    // Unreachable blocks hold nothing that counts.
    let reachable: Vec<bool> = {
        let mut flags = vec![false; function.blocks.len()];
        order.iter().for_each(|block| flags[block.index()] = true);
        flags
    };
    for block in function
        .blocks
        .ids()
        .filter(|block| !reachable[block.index()])
    {
        function.blocks[block].insts.clear();
        function.blocks[block].term = crate::ir::Terminator::Unreachable;
    }
    remove(function, &keep);
}
