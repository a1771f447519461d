//! Dominators and post-dominators (Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm").

use crate::ir::{Arena, Block, Function, Id};

/// The dominator tree of a function's reachable blocks.
#[derive(Clone, Debug)]
pub struct Dominators {
    tree: Tree,
}

/// The post-dominator tree. A virtual exit follows every block without successors, and one block of every endless
/// loop, so that each reachable block has a place in it.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: Tree,
}

/// A tree over nodes 0..n with pre- and post-order numbers, so that ancestry is two comparisons.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Parent of each node; itself for the root, `u32::MAX` outside the tree.
    parent: Vec<u32>,
    enter: Vec<u32>,
    leave: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Tree {
    /// `order`: nodes in reverse post-order, root first. `preds`: predecessors of each node.
    pub(crate) fn new(nodes: usize, order: &[u32], preds: &[Vec<u32>]) -> Self {
        let mut number = vec![NONE; nodes];
        for (i, &node) in (0u32..).zip(order) {
            number[node as usize] = i;
        }
        let mut parent = vec![NONE; nodes];
        let Some(&root) = order.first() else {
            return Self {
                parent,
                enter: vec![0; nodes],
                leave: vec![0; nodes],
            };
        };
        parent[root as usize] = root;
        let intersect = |parent: &[u32], mut a: u32, mut b: u32| {
            while a != b {
                while number[a as usize] > number[b as usize] {
                    a = parent[a as usize];
                }
                while number[b as usize] > number[a as usize] {
                    b = parent[b as usize];
                }
            }
            a
        };
        let mut changed = true;
        while changed {
            changed = false;
            for &node in &order[1..] {
                let mut best = NONE;
                for &pred in &preds[node as usize] {
                    if parent[pred as usize] != NONE {
                        best = if best == NONE {
                            pred
                        } else {
                            intersect(&parent, best, pred)
                        };
                    }
                }
                if parent[node as usize] != best {
                    parent[node as usize] = best;
                    changed = true;
                }
            }
        }
        let (enter, leave) = Self::number(&parent, root, order);
        Self {
            parent,
            enter,
            leave,
        }
    }

    fn number(parent: &[u32], root: u32, order: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let nodes = parent.len();
        // Children as linked lists: first child, next sibling.
        let (mut first, mut next) = (vec![NONE; nodes], vec![NONE; nodes]);
        for &node in order.iter().skip(1).rev() {
            let up = parent[node as usize] as usize;
            next[node as usize] = first[up];
            first[up] = node;
        }
        let (mut enter, mut leave) = (vec![0; nodes], vec![0; nodes]);
        let mut clock = 1;
        let mut node = root;
        enter[root as usize] = clock;
        loop {
            if first[node as usize] == NONE {
                // Up until there is a sibling.
                loop {
                    clock += 1;
                    leave[node as usize] = clock;
                    if node == root {
                        return (enter, leave);
                    }
                    if next[node as usize] != NONE {
                        node = next[node as usize];
                        break;
                    }
                    node = parent[node as usize];
                }
            } else {
                let child = first[node as usize];
                first[node as usize] = NONE;
                node = child;
            }
            clock += 1;
            enter[node as usize] = clock;
        }
    }

    fn above(&self, a: usize, b: usize) -> bool {
        self.enter[a] != 0
            && self.enter[b] != 0
            && self.enter[a] <= self.enter[b]
            && self.leave[b] <= self.leave[a]
    }

    /// Whether a node is in the tree.
    pub(crate) fn contains(&self, node: usize) -> bool {
        self.enter[node] != 0
    }

    /// Parent of a node; `None` for the root and for nodes outside the tree.
    pub(crate) fn parent(&self, node: usize) -> Option<u32> {
        let parent = self.parent[node];
        (parent != NONE && parent as usize != node).then_some(parent)
    }
}

fn index(block: Block) -> u32 {
    block.0
}

impl Dominators {
    /// The tree of `function`.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let order: Vec<u32> = function
            .reverse_post_order()
            .into_iter()
            .map(index)
            .collect();
        let mut preds = vec![Vec::new(); function.blocks.len()];
        for &block in &order {
            for edge in function.blocks[Block(block)].term.edges() {
                preds[edge.block.index()].push(block);
            }
        }
        Self {
            tree: Tree::new(function.blocks.len(), &order, &preds),
        }
    }

    /// Whether every path from the entry to `b` passes `a` (a block dominates itself). False for unreachable blocks.
    #[must_use]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        self.tree.above(a.index(), b.index())
    }

    /// The closest strict dominator; `None` for the entry and for unreachable blocks.
    #[must_use]
    pub fn parent(&self, block: Block) -> Option<Block> {
        self.tree.parent(block.index()).map(Block)
    }

    /// Whether the block can be reached from the entry.
    #[must_use]
    pub fn is_reachable(&self, block: Block) -> bool {
        self.tree.contains(block.index())
    }
}

impl PostDominators {
    /// The tree of `function`.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let blocks = function.blocks.len();
        let exit = u32::try_from(blocks).unwrap_or(NONE - 1);
        let reachable = function.reverse_post_order();
        let preds = function.predecessors();
        let is_reachable = {
            let mut flags = Arena::<Block, bool>::filled(blocks, false);
            for &block in &reachable {
                flags[block] = true;
            }
            flags
        };
        // Reverse graph: node → its CFG predecessors; the virtual exit → blocks that end, then one block of each
        // region that never ends (the last in reverse post-order that nothing else reaches).
        let mut ends: Vec<Block> = reachable
            .iter()
            .copied()
            .filter(|&b| function.blocks[b].term.edges().next().is_none())
            .collect();
        let mut seen = vec![false; blocks + 1];
        let mut post = Vec::with_capacity(blocks + 1);
        let mut walk = |start: Block, seen: &mut Vec<bool>| {
            if std::mem::replace(&mut seen[start.index()], true) {
                return;
            }
            let mut stack = vec![(start, 0usize)];
            while let Some(top) = stack.last_mut() {
                let (block, next) = *top;
                top.1 += 1;
                match preds[block].get(next) {
                    Some(&pred) => {
                        if is_reachable[pred] && !std::mem::replace(&mut seen[pred.index()], true) {
                            stack.push((pred, 0));
                        }
                    }
                    None => {
                        post.push(block.0);
                        stack.pop();
                    }
                }
            }
        };
        for &block in &ends {
            walk(block, &mut seen);
        }
        for &block in reachable.iter().rev() {
            if !seen[block.index()] {
                ends.push(block);
                walk(block, &mut seen);
            }
        }
        post.push(exit);
        post.reverse();
        let mut reverse_preds = vec![Vec::new(); blocks + 1];
        for &block in &reachable {
            for edge in function.blocks[block].term.edges() {
                reverse_preds[block.index()].push(edge.block.0);
            }
        }
        for &block in &ends {
            reverse_preds[block.index()].push(exit);
        }
        Self {
            tree: Tree::new(blocks + 1, &post, &reverse_preds),
        }
    }

    /// Whether every path from `b` to the end passes `a` (a block post-dominates itself).
    #[must_use]
    pub fn post_dominates(&self, a: Block, b: Block) -> bool {
        self.tree.above(a.index(), b.index())
    }

    /// The closest strict post-dominator: where paths that part at `block` meet again. `None`: only at the end.
    #[must_use]
    pub fn parent(&self, block: Block) -> Option<Block> {
        let exit = self.tree.parent.len() - 1;
        self.tree
            .parent(block.index())
            .filter(|&parent| parent as usize != exit)
            .map(Block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Edge, Sig, Terminator, Ty};

    /// A function of `edges.len()` blocks with these successors; block 0 is the entry.
    fn graph(edges: &[&[u32]]) -> Function {
        let mut function = Function::new("g", Sig(0), &[]);
        for _ in 1..edges.len() {
            function.add_block();
        }
        for (block, targets) in edges.iter().enumerate() {
            let cond = function.constant(Ty::Pred, 1);
            function.blocks[Block::from_index(block)].term = match **targets {
                [] => Terminator::Exit,
                [one] => Terminator::Jump(Edge::to(Block(one))),
                [a, b, ..] => Terminator::Branch {
                    cond,
                    then: Edge::to(Block(a)),
                    other: Edge::to(Block(b)),
                    uniform: false,
                },
            };
        }
        function
    }

    #[test]
    fn diamond() {
        let f = graph(&[&[1, 2], &[3], &[3], &[]]);
        let doms = Dominators::new(&f);
        assert_eq!(doms.parent(Block(3)), Some(Block(0)));
        assert!(doms.dominates(Block(0), Block(3)) && !doms.dominates(Block(1), Block(3)));
        let post = PostDominators::new(&f);
        assert_eq!(post.parent(Block(0)), Some(Block(3)));
        assert_eq!(post.parent(Block(3)), None);
    }

    #[test]
    fn irreducible_loop_and_unreachable_block() {
        let f = graph(&[&[1, 2], &[2, 3], &[1], &[], &[3]]);
        let doms = Dominators::new(&f);
        assert_eq!(doms.parent(Block(1)), Some(Block(0)));
        assert_eq!(doms.parent(Block(2)), Some(Block(0)));
        assert_eq!(doms.parent(Block(3)), Some(Block(1)));
        assert!(!doms.is_reachable(Block(4)));
        assert_eq!(PostDominators::new(&f).parent(Block(2)), Some(Block(1)));
    }

    #[test]
    fn endless_loop_has_post_dominators() {
        let f = graph(&[&[1, 3], &[2], &[1], &[]]);
        let post = PostDominators::new(&f);
        assert_eq!(post.parent(Block(0)), None);
        assert!(post.parent(Block(1)) == Some(Block(2)) || post.parent(Block(2)) == Some(Block(1)));
    }
}
