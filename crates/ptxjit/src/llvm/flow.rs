//! The control flow of a function: dominators, post-dominators, loops, and the linear order in which code is laid out
//! (topological but for back edges, with the blocks of each loop side by side).

use crate::ir::{Block, Function, Id, Terminator, Value};

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its header.
    pub header: usize,
    /// Membership by block number.
    pub member: Vec<bool>,
    /// The loop around it.
    pub parent: Option<usize>,
    /// Blocks with an edge to the header.
    pub latches: Vec<usize>,
}

/// Control flow by block number.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Reachable blocks in layout order.
    pub order: Vec<usize>,
    /// Place in `order`; `usize::MAX` for unreachable blocks.
    pub pos: Vec<usize>,
    /// Successors, once per edge.
    pub succs: Vec<Vec<usize>>,
    /// Predecessors, once per edge.
    pub preds: Vec<Vec<usize>>,
    /// Immediate dominators; the entry's is itself.
    pub idom: Vec<usize>,
    /// Immediate post-dominators; `None`: only the end (or unknown, for blocks that never end).
    pub ipdom: Vec<Option<usize>>,
    /// Loops, outer before inner.
    pub loops: Vec<Loop>,
    /// Innermost loop of a block.
    pub loop_of: Vec<Option<usize>>,
    /// Whether every cycle has one entry.
    pub reducible: bool,
}

const NONE: usize = usize::MAX;

/// Immediate dominators of a graph by the iterative algorithm of Cooper, Harvey and Kennedy.
fn dominators(root: usize, succs: &[Vec<usize>], preds: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let count = succs.len();
    let mut order = Vec::new();
    let mut seen = vec![false; count];
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((n, i)) = stack.pop() {
        if let Some(&s) = succs[n].get(i) {
            stack.push((n, i + 1));
            if !std::mem::replace(&mut seen[s], true) {
                stack.push((s, 0));
            }
        } else {
            order.push(n);
        }
    }
    let mut number = vec![NONE; count];
    for (i, &n) in order.iter().enumerate() {
        number[n] = i;
    }
    let mut idom = vec![NONE; count];
    idom[root] = root;
    let mut changed = true;
    while changed {
        changed = false;
        for &n in order.iter().rev().skip(1) {
            let mut new = NONE;
            for &p in &preds[n] {
                if number[p] == NONE || idom[p] == NONE {
                    continue;
                }
                new = if new == NONE {
                    p
                } else {
                    let (mut a, mut b) = (p, new);
                    while a != b {
                        while number[a] < number[b] {
                            a = idom[a];
                        }
                        while number[b] < number[a] {
                            b = idom[b];
                        }
                    }
                    a
                };
            }
            if new != NONE && idom[n] != new {
                idom[n] = new;
                changed = true;
            }
        }
    }
    order.reverse();
    (idom, order)
}

impl Flow {
    /// What a block's parameter is given by the blocks before it.
    pub fn given<'f>(
        &'f self,
        f: &'f Function,
        block: Block,
        place: u32,
    ) -> impl Iterator<Item = Value> + 'f {
        self.preds[block.index()]
            .iter()
            .flat_map(|&p| f.blocks[Block::from_index(p)].term.edges())
            .filter(move |edge| edge.block == block)
            .map(move |edge| edge.args[place as usize])
    }

    /// Analyses a function.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let count = function.blocks.len();
        let entry = function.entry.index();
        let mut succs = vec![Vec::new(); count];
        for (block, data) in function.blocks.iter() {
            succs[block.index()] = data.term.edges().map(|e| e.block.index()).collect();
        }
        let mut reach = vec![false; count];
        let mut stack = vec![entry];
        while let Some(n) = stack.pop() {
            if !std::mem::replace(&mut reach[n], true) {
                stack.extend(&succs[n]);
            }
        }
        let mut preds = vec![Vec::new(); count];
        for n in 0..count {
            if reach[n] {
                for &s in &succs[n] {
                    preds[s].push(n);
                }
            }
        }
        let (idom, rpo) = dominators(entry, &succs, &preds);
        let mut flow = Self {
            order: Vec::new(),
            pos: vec![NONE; count],
            succs,
            preds,
            idom,
            ipdom: vec![None; count],
            loops: Vec::new(),
            loop_of: vec![None; count],
            reducible: true,
        };
        let mut rank = vec![NONE; count];
        for (i, &n) in rpo.iter().enumerate() {
            rank[n] = i;
        }
        flow.find_loops(&rpo, &rank);
        flow.post_dominators(function, &reach);
        if flow.reducible {
            let top: Vec<usize> = rpo.clone();
            flow.order = flow.layout(entry, None, &top);
        } else {
            flow.order = rpo;
        }
        for (i, &n) in flow.order.iter().enumerate() {
            flow.pos[n] = i;
        }
        flow
    }

    /// Whether `a` dominates `b`.
    #[must_use]
    pub fn dominates(&self, a: usize, mut b: usize) -> bool {
        loop {
            if a == b {
                return true;
            }
            let up = self.idom[b];
            if up == b || up == NONE {
                return false;
            }
            b = up;
        }
    }

    /// Whether `a` post-dominates `b`.
    #[must_use]
    pub fn post_dominates(&self, a: usize, b: usize) -> bool {
        let mut at = b;
        loop {
            if a == at {
                return true;
            }
            match self.ipdom[at] {
                Some(up) => at = up,
                None => return false,
            }
        }
    }

    fn find_loops(&mut self, rpo: &[usize], rank: &[usize]) {
        // Headers in reverse post-order: outer loops come before inner ones.
        for &h in rpo {
            let mut latches = Vec::new();
            for &p in &self.preds[h] {
                if rank[p] >= rank[h] {
                    if self.dominates(h, p) {
                        latches.push(p);
                    } else {
                        self.reducible = false;
                    }
                }
            }
            if latches.is_empty() {
                continue;
            }
            let mut member = vec![false; self.succs.len()];
            member[h] = true;
            let mut stack = latches.clone();
            while let Some(n) = stack.pop() {
                if !std::mem::replace(&mut member[n], true) {
                    stack.extend(&self.preds[n]);
                }
            }
            let parent = self.loop_of[h];
            let index = self.loops.len();
            for (n, &inside) in member.iter().enumerate() {
                if inside {
                    self.loop_of[n] = Some(index);
                }
            }
            latches.sort_unstable();
            latches.dedup();
            self.loops.push(Loop {
                header: h,
                member,
                parent,
                latches,
            });
        }
    }

    /// Post-dominators. Blocks that can only trap do not count as ways out: when one lane traps, all end.
    fn post_dominators(&mut self, function: &Function, reach: &[bool]) {
        let count = self.succs.len();
        let exit = count;
        let mut to_exit = vec![false; count];
        for (block, data) in function.blocks.iter() {
            let ends = matches!(data.term, Terminator::Return(_) | Terminator::Exit);
            to_exit[block.index()] = ends && reach[block.index()];
        }
        let ends_from = |to_exit: &[bool]| {
            let mut seen = vec![false; count];
            let mut stack: Vec<usize> = (0..count).filter(|&n| to_exit[n]).collect();
            while let Some(n) = stack.pop() {
                if !std::mem::replace(&mut seen[n], true) {
                    stack.extend(&self.preds[n]);
                }
            }
            seen
        };
        let ends = ends_from(&to_exit);
        // Endless loops: their headers count as ends.
        for l in &self.loops {
            if !ends[l.header] {
                to_exit[l.header] = true;
            }
        }
        let ends = ends_from(&to_exit);
        if !ends.first().is_some_and(|_| ends[function.entry.index()]) {
            for n in 0..count {
                if reach[n] && self.succs[n].is_empty() {
                    to_exit[n] = true;
                }
            }
        }
        let mut back = vec![Vec::new(); count + 1];
        let mut forward = vec![Vec::new(); count + 1];
        for n in 0..count {
            if !reach[n] {
                continue;
            }
            for &s in &self.succs[n] {
                back[s].push(n);
                forward[n].push(s);
            }
            if to_exit[n] {
                back[exit].push(n);
                forward[n].push(exit);
            }
        }
        let (ipdom, _) = dominators(exit, &back, &forward);
        for (own, &found) in self.ipdom.iter_mut().zip(&ipdom[..count]) {
            *own = (found != NONE && found != exit).then_some(found);
        }
    }

    /// Blocks of a loop (or of the function) in order: reverse post-order over blocks and collapsed inner loops.
    fn layout(&self, header: usize, inside: Option<usize>, blocks: &[usize]) -> Vec<usize> {
        // The item that a block belongs to at this level: itself, or the header of the child loop around it.
        let item = |n: usize| {
            let mut at = self.loop_of[n];
            let mut child = None;
            while at != inside {
                child = at;
                match at {
                    Some(l) => at = self.loops[l].parent,
                    None => return None,
                }
            }
            Some(child.map_or(n, |l| self.loops[l].header))
        };
        let mut seen = vec![false; self.succs.len()];
        let mut post = Vec::new();
        let mut exits: Vec<Vec<usize>> = vec![Vec::new(); self.succs.len()];
        for &n in blocks {
            if let Some(i) = item(n) {
                for &s in &self.succs[n] {
                    match item(s) {
                        Some(t) if t != i && t != header => exits[i].push(t),
                        Some(_) | None => {}
                    }
                }
            }
        }
        let start = item(header).unwrap_or(header);
        let mut stack = vec![(start, 0)];
        seen[start] = true;
        while let Some((n, i)) = stack.pop() {
            if let Some(&s) = exits[n].iter().rev().nth(i) {
                stack.push((n, i + 1));
                if !std::mem::replace(&mut seen[s], true) {
                    stack.push((s, 0));
                }
            } else {
                post.push(n);
            }
        }
        post.reverse();
        let mut order = Vec::new();
        for n in post {
            let child = self
                .loops
                .iter()
                .position(|l| l.header == n)
                .filter(|&l| Some(l) != inside);
            match child {
                Some(l) => {
                    let inner: Vec<usize> = blocks
                        .iter()
                        .copied()
                        .filter(|&b| self.loops[l].member[b])
                        .collect();
                    order.extend(self.layout(n, Some(l), &inner));
                }
                None => order.push(n),
            }
        }
        order
    }

    /// Whether `block` lies in loop `l`.
    #[must_use]
    pub fn in_loop(&self, l: usize, block: usize) -> bool {
        self.loops[l].member[block]
    }

    /// The loops that `from` is in and `to` is not, innermost first.
    pub fn left(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let mut at = self.loop_of[from];
        std::iter::from_fn(move || {
            let l = at.filter(|&l| !self.loops[l].member[to])?;
            at = self.loops[l].parent;
            Some(l)
        })
    }
}

/// Number of a block.
#[must_use]
pub fn number(block: Block) -> usize {
    block.index()
}
