//! Straightens the control flow: branches on constants, jumps to jumps, blocks with one way in and one way out.

use super::params::Substitution;
use crate::ir::{Arena, Block, Edge, Function, Op, Sig, Signature, Terminator, Value};

/// The pass.
pub fn run(function: &mut Function, sigs: &Arena<Sig, Signature>) {
    decide(function);
    thread(function);
    join(function, sigs);
    merge(function);
}

/// Branches on constants, and branches whose ways are the same, become jumps.
fn decide(function: &mut Function) {
    for block in function.blocks.ids() {
        let taken = match &function.blocks[block].term {
            Terminator::Branch {
                cond, then, other, ..
            } => match function.as_const(*cond) {
                Some(0) => Some(other.clone()),
                Some(_) => Some(then.clone()),
                None => (then == other).then(|| then.clone()),
            },
            Terminator::Switch { index, table, .. } => match function.as_const(*index) {
                Some(n) => usize::try_from(n)
                    .ok()
                    .and_then(|n| table.get(n))
                    .or(table.last())
                    .cloned(),
                None => table
                    .iter()
                    .all(|edge| Some(edge) == table.first())
                    .then(|| table[0].clone()),
            },
            _ => None,
        };
        if let Some(edge) = taken {
            function.blocks[block].term = Terminator::Jump(edge);
        }
    }
}

/// Edges to an empty block that only jumps on go where it jumps to.
fn thread(function: &mut Function) {
    for block in function.blocks.ids() {
        let edges = function.blocks[block].term.edges().count();
        for n in 0..edges {
            // A ring of empty blocks is an endless loop: stop after as many steps as there are blocks.
            for _ in 0..function.blocks.len() {
                let Some(edge) = function.blocks[block].term.edges().nth(n) else {
                    break;
                };
                let middle = &function.blocks[edge.block];
                let Terminator::Jump(next) = &middle.term else {
                    break;
                };
                // Parameters that are used elsewhere keep the block.
                let plain = middle.params.is_empty() && middle.insts.is_empty();
                if !plain || next.block == edge.block || next.block == block {
                    break;
                }
                let next: Edge = next.clone();
                if let Some(edge) = function.blocks[block].term.edges_mut().nth(n) {
                    *edge = next;
                }
            }
        }
    }
}

/// A branch both of whose ways lead to one block with different values becomes selections and a jump.
fn join(function: &mut Function, sigs: &Arena<Sig, Signature>) {
    for block in function.blocks.ids() {
        let Terminator::Branch {
            cond, then, other, ..
        } = &function.blocks[block].term
        else {
            continue;
        };
        if then.block != other.block {
            continue;
        }
        let (cond, target, loc) = (*cond, then.block, function.blocks[block].term_loc);
        let pairs: Vec<(Value, Value)> = then
            .args
            .iter()
            .copied()
            .zip(other.args.iter().copied())
            .collect();
        let mut args = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            if a == b {
                args.push(a);
                continue;
            }
            let ty = function.ty(a);
            let inst = function.make_inst(sigs, Op::Select { ty }, &[cond, a, b], None, loc);
            function.blocks[block].insts.push(inst);
            args.extend(function.result(inst));
        }
        function.blocks[block].term = Terminator::Jump(Edge {
            block: target,
            args,
        });
    }
}

/// A block whose only successor has no other predecessor takes it in.
fn merge(function: &mut Function) {
    let order = function.reverse_post_order();
    let mut preds: Arena<Block, u32> = Arena::filled(function.blocks.len(), 0);
    for &block in &order {
        for edge in function.blocks[block].term.edges() {
            preds[edge.block] += 1;
        }
    }
    let mut subst = Substitution::new(function);
    let mut gone: Arena<Block, bool> = Arena::filled(function.blocks.len(), false);
    for &block in &order {
        if gone[block] {
            continue;
        }
        while let Terminator::Jump(edge) = &function.blocks[block].term {
            let next = edge.block;
            if preds[next] != 1 || next == block || next == function.entry {
                break;
            }
            let args: Vec<Value> = edge.args.clone();
            let params = std::mem::take(&mut function.blocks[next].params);
            for (param, arg) in params.into_iter().zip(args) {
                subst.replace(param, arg);
            }
            let insts = std::mem::take(&mut function.blocks[next].insts);
            function.blocks[block].insts.extend(insts);
            let term = std::mem::replace(&mut function.blocks[next].term, Terminator::Unreachable);
            function.blocks[block].term = term;
            function.blocks[block].term_loc = function.blocks[next].term_loc;
            gone[next] = true;
        }
    }
    subst.apply(function);
}
