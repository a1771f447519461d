//! Values out of stack slots.
//!
//! The generator keeps what lives across LLVM's blocks in slots that are loaded and stored whole. LLVM's own pass visits,
//! for every slot, all blocks that its stores dominate: slots times blocks, which is minutes where a kernel calls
//! functions of tens of thousands of instructions. Here joins are placed by dominance frontiers that are found once for
//! all slots (Cytron et al., 1991), and made only where a load looks back to them.

use inkwell::llvm_sys::LLVMAtomicOrdering as Ordering;
use inkwell::llvm_sys::LLVMOpcode as Opcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::Module;
use std::collections::HashMap;

use super::words::{opcode, operand};
use crate::passes::dominators::Tree;

/// Calls into LLVM.
macro_rules! ffi {
    ($call:expr) => {
        // SAFETY: handles are those of the module that is being changed, which the caller has to itself; none is used
        // after it was erased.
        unsafe { $call }
    };
}

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// Replaces the slots of a module's functions by values, those that are only loaded and stored whole.
pub(super) fn slots(module: &Module<'_>) {
    let context = ffi!(LLVMGetModuleContext(module.as_mut_ptr()));
    let builder = ffi!(LLVMCreateBuilderInContext(context));
    let mut function = ffi!(LLVMGetFirstFunction(module.as_mut_ptr()));
    while !function.is_null() {
        if ffi!(LLVMCountBasicBlocks(function)) > 0 {
            Promotion::new(function).run(builder);
        }
        function = ffi!(LLVMGetNextFunction(function));
    }
    ffi!(LLVMDisposeBuilder(builder));
}

/// What a load sees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// Nothing was stored.
    Nothing,
    /// A value that was stored.
    Stored(LLVMValueRef),
    /// What a join makes of its predecessors' values: one of [`Promotion::joins`].
    Join(usize),
}

/// A value that depends on where control came from.
struct Join {
    block: usize,
    ty: LLVMTypeRef,
    /// One per edge into the block, in the order of its predecessors.
    values: Vec<Seen>,
    made: LLVMValueRef,
}

struct Slot {
    alloca: LLVMValueRef,
    ty: LLVMTypeRef,
    /// Its loads and stores with their blocks, block by block, in the order of their instructions.
    accesses: Vec<(usize, LLVMValueRef)>,
}

/// A function's blocks by number, the entry first.
struct Graph {
    blocks: Vec<LLVMBasicBlockRef>,
    /// Where the edges into a block come from.
    from: Vec<Vec<u32>>,
    tree: Tree,
    /// Dominance frontiers: the joins where what a block stores meets other values.
    frontier: Vec<Vec<u32>>,
}

/// What is known of one slot at a block, if it is of that slot.
#[derive(Clone, Copy)]
struct Known {
    slot: usize,
    value: Seen,
}

struct Promotion {
    graph: Graph,
    slots: Vec<Slot>,
    joins: Vec<Join>,
    /// What replaces a load.
    loads: HashMap<LLVMValueRef, Seen>,
    /// By block: what a slot is at its beginning, and at its end where the block stores it.
    begins: Vec<Known>,
    ends: Vec<Known>,
    /// By block: the last slot that has different values on the edges into it.
    meets: Vec<usize>,
}

impl Promotion {
    fn new(function: LLVMValueRef) -> Self {
        let mut found = Self {
            graph: Graph::new(function),
            slots: Vec::new(),
            joins: Vec::new(),
            loads: HashMap::new(),
            begins: Vec::new(),
            ends: Vec::new(),
            meets: Vec::new(),
        };
        let mut places = HashMap::new();
        for inst in instructions(found.graph.blocks[0]) {
            if let Some(ty) = promotable(inst) {
                places.insert(inst, found.slots.len());
                found.slots.push(Slot {
                    alloca: inst,
                    ty,
                    accesses: Vec::new(),
                });
            }
        }
        if places.is_empty() {
            return found;
        }
        found.graph.find_frontiers();
        for (number, &block) in found.graph.blocks.iter().enumerate() {
            for inst in instructions(block) {
                let place = accessed(inst).and_then(|pointer| places.get(&pointer));
                if let Some(&slot) = place {
                    found.slots[slot].accesses.push((number, inst));
                }
            }
        }
        let unknown = Known {
            slot: usize::MAX,
            value: Seen::Nothing,
        };
        found.begins = vec![unknown; found.graph.blocks.len()];
        found.ends = found.begins.clone();
        found.meets = vec![usize::MAX; found.graph.blocks.len()];
        found
    }

    fn run(mut self, builder: LLVMBuilderRef) {
        for slot in 0..self.slots.len() {
            self.follow(slot);
        }
        self.make_joins(builder);
        for slot in &self.slots {
            for &(_, inst) in &slot.accesses {
                if let Some(&seen) = self.loads.get(&inst) {
                    ffi!(LLVMReplaceAllUsesWith(inst, self.value(seen, slot.ty)));
                }
            }
        }
        for slot in &self.slots {
            for &(_, inst) in &slot.accesses {
                ffi!(LLVMInstructionEraseFromParent(inst));
            }
            ffi!(LLVMInstructionEraseFromParent(slot.alloca));
        }
    }

    /// Finds what each load of a slot sees.
    fn follow(&mut self, slot: usize) {
        let accesses = std::mem::take(&mut self.slots[slot].accesses);
        let mut stored = Vec::new();
        for &(block, inst) in &accesses {
            if is_store(inst) {
                let value = Seen::Stored(operand(inst, 0));
                self.ends[block] = Known { slot, value };
                stored.push(block);
            }
        }
        while let Some(block) = stored.pop() {
            for &join in &self.graph.frontier[block] {
                if std::mem::replace(&mut self.meets[join as usize], slot) != slot {
                    stored.push(join as usize);
                }
            }
        }
        let first = self.joins.len();
        let mut here = None;
        for &(block, inst) in &accesses {
            if is_store(inst) {
                here = Some((block, Seen::Stored(operand(inst, 0))));
                continue;
            }
            let value = match here {
                _ if !self.graph.tree.contains(block) => Seen::Nothing,
                Some((at, value)) if at == block => value,
                _ => self.at_begin(slot, block),
            };
            self.loads.insert(inst, value);
        }
        let mut next = first;
        while next < self.joins.len() {
            let block = self.joins[next].block;
            for edge in 0..self.graph.from[block].len() {
                let from = self.graph.from[block][edge];
                let value = self.at_end(slot, from as usize);
                self.joins[next].values.push(value);
            }
            next += 1;
        }
        self.slots[slot].accesses = accesses;
    }

    fn at_end(&mut self, slot: usize, block: usize) -> Seen {
        match self.ends[block] {
            _ if !self.graph.tree.contains(block) => Seen::Nothing,
            known if known.slot == slot => known.value,
            _ => self.at_begin(slot, block),
        }
    }

    /// What a slot is where a block begins, which control reaches: what the last join above brings, or the last store.
    fn at_begin(&mut self, slot: usize, block: usize) -> Seen {
        let mut way = Vec::new();
        let mut at = block;
        let value = loop {
            if self.begins[at].slot == slot {
                break self.begins[at].value;
            }
            way.push(at);
            if self.meets[at] == slot {
                self.joins.push(Join {
                    block: at,
                    ty: self.slots[slot].ty,
                    values: Vec::new(),
                    made: std::ptr::null_mut(),
                });
                break Seen::Join(self.joins.len() - 1);
            }
            let Some(above) = self.graph.tree.parent(at) else {
                break Seen::Nothing;
            };
            at = above as usize;
            if self.ends[at].slot == slot {
                break self.ends[at].value;
            }
        };
        for at in way {
            self.begins[at] = Known { slot, value };
        }
        value
    }

    fn make_joins(&mut self, builder: LLVMBuilderRef) {
        for join in &mut self.joins {
            let block = self.graph.blocks[join.block];
            ffi!(LLVMPositionBuilderBefore(
                builder,
                LLVMGetFirstInstruction(block)
            ));
            join.made = ffi!(LLVMBuildPhi(builder, join.ty, NO_NAME));
        }
        for join in &self.joins {
            let mut values: Vec<_> = join
                .values
                .iter()
                .map(|&value| self.value(value, join.ty))
                .collect();
            let mut from: Vec<_> = self.graph.from[join.block]
                .iter()
                .map(|&from| self.graph.blocks[from as usize])
                .collect();
            let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
            ffi!(LLVMAddIncoming(
                join.made,
                values.as_mut_ptr(),
                from.as_mut_ptr(),
                count
            ));
        }
    }

    fn value(&self, mut seen: Seen, ty: LLVMTypeRef) -> LLVMValueRef {
        loop {
            match seen {
                Seen::Nothing => return ffi!(LLVMGetUndef(ty)),
                Seen::Join(join) => return self.joins[join].made,
                Seen::Stored(value) => match self.loads.get(&value) {
                    Some(&loaded) => seen = loaded,
                    None => return value,
                },
            }
        }
    }
}

impl Graph {
    /// Without frontiers yet.
    fn new(function: LLVMValueRef) -> Self {
        let mut blocks = Vec::new();
        let mut numbers = HashMap::new();
        let mut block = ffi!(LLVMGetFirstBasicBlock(function));
        for number in 0_u32.. {
            if block.is_null() {
                break;
            }
            numbers.insert(block, number);
            blocks.push(block);
            block = ffi!(LLVMGetNextBasicBlock(block));
        }
        let mut from = vec![Vec::new(); blocks.len()];
        let mut to = Vec::new();
        for (number, &block) in (0_u32..).zip(&blocks) {
            let next: Vec<u32> = successors(block).map(|next| numbers[&next]).collect();
            for &next in &next {
                from[next as usize].push(number);
            }
            to.push(next);
        }
        Self {
            tree: Tree::new(blocks.len(), &before_successors(&to), &from),
            frontier: vec![Vec::new(); blocks.len()],
            blocks,
            from,
        }
    }

    fn find_frontiers(&mut self) {
        for (number, join) in (0_u32..).zip(0..self.blocks.len()) {
            if self.from[join].len() < 2 || !self.tree.contains(join) {
                continue;
            }
            let above = self.tree.parent(join);
            for &from in &self.from[join] {
                let mut at = self.tree.contains(from as usize).then_some(from);
                while let Some(block) = at.filter(|_| at != above) {
                    let frontier = &mut self.frontier[block as usize];
                    if frontier.last() == Some(&number) {
                        // So has all that is above it.
                        break;
                    }
                    frontier.push(number);
                    at = self.tree.parent(block as usize);
                }
            }
        }
    }
}

/// Where the edges out of a block go.
fn successors(block: LLVMBasicBlockRef) -> impl Iterator<Item = LLVMBasicBlockRef> {
    let end = ffi!(LLVMGetBasicBlockTerminator(block));
    (0..ffi!(LLVMGetNumSuccessors(end))).map(move |n| ffi!(LLVMGetSuccessor(end, n)))
}

/// The blocks that control reaches in reverse post-order; `to`: where the edges out of each go.
fn before_successors(to: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::new();
    let mut seen = vec![false; to.len()];
    seen[0] = true;
    let mut open = vec![(0_u32, to[0].iter())];
    while let Some((block, rest)) = open.last_mut() {
        match rest.next() {
            Some(&next) => {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    open.push((next, to[next as usize].iter()));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

fn instructions(block: LLVMBasicBlockRef) -> impl Iterator<Item = LLVMValueRef> {
    let some = |inst: LLVMValueRef| (!inst.is_null()).then_some(inst);
    std::iter::successors(some(ffi!(LLVMGetFirstInstruction(block))), move |&inst| {
        some(ffi!(LLVMGetNextInstruction(inst)))
    })
}

/// The type of a slot that is only loaded and stored whole.
fn promotable(inst: LLVMValueRef) -> Option<LLVMTypeRef> {
    if opcode(inst) != Opcode::LLVMAlloca {
        return None;
    }
    let ty = ffi!(LLVMGetAllocatedType(inst));
    let mut one = ffi!(LLVMGetFirstUse(inst));
    while !one.is_null() {
        let user = ffi!(LLVMGetUser(one));
        let value = match opcode(user) {
            Opcode::LLVMLoad => user,
            Opcode::LLVMStore => operand(user, 0),
            _ => return None,
        };
        let is_whole = accessed(user) == Some(inst)
            && value != inst
            && ffi!(LLVMTypeOf(value)) == ty
            && ffi!(LLVMGetVolatile(user)) == 0
            && ffi!(LLVMGetOrdering(user)) == Ordering::LLVMAtomicOrderingNotAtomic;
        if !is_whole {
            return None;
        }
        one = ffi!(LLVMGetNextUse(one));
    }
    Some(ty)
}

/// Where a load or store goes.
fn accessed(inst: LLVMValueRef) -> Option<LLVMValueRef> {
    match opcode(inst) {
        Opcode::LLVMLoad => Some(operand(inst, 0)),
        Opcode::LLVMStore => Some(operand(inst, 1)),
        _ => None,
    }
}

fn is_store(inst: LLVMValueRef) -> bool {
    opcode(inst) == Opcode::LLVMStore
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::context::Context;
    use inkwell::memory_buffer::MemoryBuffer;

    /// The text of a module of one function after its slots are gone; it is checked to be sound.
    fn promoted(body: &str) -> String {
        let text =
            format!("declare void @use(i32)\ndefine void @f(i1 %c, i32 %x) {{\n{body}\n}}\n\0");
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "f");
        let module = context
            .create_module_from_ir(buffer)
            .expect("it is well-formed");
        slots(&module);
        module.verify().expect("it is well-formed");
        module.print_to_string().to_string()
    }

    #[test]
    fn a_join_brings_what_either_side_stored() {
        let text = promoted(
            "entry: %s = alloca i32\n store i32 1, ptr %s\n br i1 %c, label %a, label %b\n\
             a: store i32 2, ptr %s\n br label %b\n\
             b: %v = load i32, ptr %s\n call void @use(i32 %v)\n ret void",
        );
        assert!(!text.contains("alloca"), "{text}");
        assert!(text.contains("phi i32 [ 1, %entry ], [ 2, %a ]"), "{text}");
    }

    #[test]
    fn what_a_loop_leaves_alone_needs_no_join() {
        let text = promoted(
            "entry: %s = alloca i32\n %t = alloca i32\n store i32 %x, ptr %s\n store i32 0, ptr %t\n br label %l\n\
             l: %v = load i32, ptr %s\n %n = load i32, ptr %t\n %m = add i32 %n, %v\n store i32 %m, ptr %t\n\
             br i1 %c, label %l, label %e\n\
             e: %o = load i32, ptr %t\n call void @use(i32 %o)\n ret void",
        );
        assert!(!text.contains("alloca"), "{text}");
        assert_eq!(text.matches("phi").count(), 1, "{text}");
        assert!(text.contains("%m = add i32 %0, %x"), "{text}");
        assert!(text.contains("call void @use(i32 %m)"), "{text}");
    }

    #[test]
    fn a_value_that_goes_from_slot_to_slot_is_followed() {
        let text = promoted(
            "entry: %s = alloca i32\n %t = alloca i32\n store i32 %x, ptr %s\n %v = load i32, ptr %s\n\
             store i32 %v, ptr %t\n br i1 %c, label %a, label %b\n\
             a: %w = load i32, ptr %t\n store i32 %w, ptr %s\n br label %b\n\
             b: %o = load i32, ptr %s\n call void @use(i32 %o)\n ret void",
        );
        assert!(
            text.contains("phi i32 [ %x, %entry ], [ %x, %a ]"),
            "{text}"
        );
    }

    #[test]
    fn two_edges_from_one_block_bring_two_values() {
        let text = promoted(
            "entry: %s = alloca i32\n store i32 1, ptr %s\n switch i32 %x, label %a [ i32 0, label %b\n i32 1, label %b ]\n\
             a: store i32 2, ptr %s\n br label %b\n\
             b: %v = load i32, ptr %s\n call void @use(i32 %v)\n ret void",
        );
        assert!(
            text.contains("phi i32 [ 1, %entry ], [ 1, %entry ], [ 2, %a ]"),
            "{text}"
        );
    }

    #[test]
    fn code_that_nothing_reaches_is_no_trap() {
        let text = promoted(
            "entry: %s = alloca i32\n store i32 1, ptr %s\n br label %b\n\
             dead: %d = load i32, ptr %s\n store i32 %d, ptr %s\n br i1 %c, label %dead, label %b\n\
             b: %v = load i32, ptr %s\n call void @use(i32 %v)\n ret void",
        );
        assert!(!text.contains("alloca"), "{text}");
    }

    #[test]
    fn what_is_used_otherwise_stays() {
        for other in [
            "%v = load volatile i32, ptr %s\n call void @use(i32 %v)",
            "%v = load i16, ptr %s",
            "%p = getelementptr i8, ptr %s, i64 2\n store i16 1, ptr %p",
            "store ptr %s, ptr %s",
            "%v = load atomic i32, ptr %s seq_cst, align 4",
        ] {
            let text = promoted(&format!(
                "entry: %s = alloca i32\n store i32 1, ptr %s\n {other}\n ret void"
            ));
            assert!(text.contains("alloca"), "{other}: {text}");
        }
    }

    /// A chain of 20,000 joins, over all of which 200 slots live: LLVM's own way takes minutes.
    #[test]
    fn long_functions_take_no_longer_than_their_slots_live() {
        use std::fmt::Write as _;
        let mut body = String::from("entry:\n");
        for slot in 0..200 {
            writeln!(body, "%s{slot} = alloca i32\n store i32 %x, ptr %s{slot}")
                .expect("it is well-formed");
        }
        body.push_str("br label %j0\n");
        for n in 0..20_000 {
            let slot = n % 200;
            write!(
                body,
                "j{n}: br i1 %c, label %t{n}, label %j{}\nt{n}: store i32 {n}, ptr %s{slot}\n br label %j{}\n",
                n + 1,
                n + 1
            )
            .expect("it is well-formed");
        }
        body.push_str("j20000:\n");
        for slot in 0..200 {
            writeln!(
                body,
                "%v{slot} = load i32, ptr %s{slot}\n call void @use(i32 %v{slot})"
            )
            .expect("it is well-formed");
        }
        let text = promoted(&format!("{body} ret void"));
        assert!(!text.contains("alloca"));
        assert_eq!(text.matches(" phi ").count(), 20_000);
    }
}
