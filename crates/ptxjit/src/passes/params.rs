//! Removes superfluous block parameters: those that get the same value on every edge (or themselves).

use crate::ir::{Arena, Block, Function, Id, Sig, Signature, Value, ValueDef};

/// What each value has been replaced by; itself if by nothing.
pub struct Substitution {
    map: Vec<Value>,
}

impl Substitution {
    /// Nothing replaced.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        Self {
            map: function.values.ids().collect(),
        }
    }

    /// The final replacement of a value; shortens the path to it.
    pub fn resolve(&mut self, value: Value) -> Value {
        let Some(mut next) = self.map.get(value.index()).copied() else {
            return value;
        };
        if next == value {
            return value;
        }
        while let Some(&after) = self.map.get(next.index()) {
            if after == next {
                break;
            }
            next = after;
        }
        self.map[value.index()] = next;
        next
    }

    /// Replaces a value. The replacement must be defined wherever the value is used.
    pub fn replace(&mut self, value: Value, by: Value) {
        let by = self.resolve(by);
        if by != value && value.index() < self.map.len() {
            self.map[value.index()] = by;
        }
    }

    /// Applies all replacements to a function.
    pub fn apply(mut self, function: &mut Function) {
        function.map_uses(|value| self.resolve(value));
    }
}

/// The pass.
pub fn run(function: &mut Function, _: &Arena<Sig, Signature>) {
    let order = function.reverse_post_order();
    let mut subst = Substitution::new(function);
    let mut incoming: Arena<Block, Vec<(Block, usize)>> =
        Arena::filled(function.blocks.len(), Vec::new());
    for &block in &order {
        for (n, edge) in function.blocks[block].term.edges().enumerate() {
            incoming[edge.block].push((block, n));
        }
    }
    // Arguments by block, edge and parameter, read once.
    let args: Arena<Block, Vec<Vec<Value>>> = {
        let mut args = Arena::filled(function.blocks.len(), Vec::new());
        for &block in &order {
            args[block] = incoming[block]
                .iter()
                .filter_map(|&(pred, n)| {
                    function.blocks[pred]
                        .term
                        .edges()
                        .nth(n)
                        .map(|edge| edge.args.clone())
                })
                .collect();
        }
        args
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order {
            if block == function.entry {
                continue;
            }
            for (n, &param) in function.blocks[block].params.iter().enumerate() {
                if subst.resolve(param) != param {
                    continue;
                }
                if let Some(value) = only_argument(function, &mut subst, &args[block], n, param) {
                    subst.replace(param, value);
                    changed = true;
                }
            }
        }
    }
    let keep: Arena<Block, Vec<bool>> = {
        let mut keep = Arena::filled(function.blocks.len(), Vec::new());
        for &block in &order {
            keep[block] = function.blocks[block]
                .params
                .iter()
                .map(|&p| subst.resolve(p) == p)
                .collect();
        }
        keep
    };
    subst.apply(function);
    remove(function, &keep);
}

/// The one value that a parameter gets, other than itself.
fn only_argument(
    function: &Function,
    subst: &mut Substitution,
    edges: &[Vec<Value>],
    number: usize,
    param: Value,
) -> Option<Value> {
    let mut only = None;
    for args in edges {
        let value = subst.resolve(args[number]);
        if value == param {
            continue;
        }
        match only {
            None => only = Some(value),
            Some(other) if other == value => {}
            // Undefined on one way and constant on the others: the constant.
            Some(other) => match (function.values[other].def, function.values[value].def) {
                (ValueDef::Undef, ValueDef::Undef | ValueDef::Const(_)) => only = Some(value),
                (ValueDef::Const(_), ValueDef::Undef) => {}
                _ => return None,
            },
        }
    }
    only
}

/// Removes the parameters that are not kept, with their arguments. Blocks with an empty list are left alone.
pub fn remove(function: &mut Function, keep: &Arena<Block, Vec<bool>>) {
    for block in function.blocks.ids() {
        let wanted = &keep[block];
        if wanted.iter().any(|&keep| !keep) {
            function.retain_params(block, |n| wanted[n]);
        }
        for edge in function.blocks[block].term.edges_mut() {
            let wanted = &keep[edge.block];
            if wanted.iter().any(|&keep| !keep) {
                let mut n = 0;
                edge.args.retain(|_| {
                    n += 1;
                    wanted.get(n - 1).copied().unwrap_or(true)
                });
            }
        }
    }
}
