//! The code generator proper: values, masks, blocks and edges of one function.

use super::build::{Bb, Builder, Opcode, T, V};
use super::debug::{Lines, Place};
use super::flow::Flow;
use super::plan::Plan;
use super::shape::{Lanes, Shape, UNIFORM};
use super::target::Level;
use crate::image::Slot;
use crate::ir::{self, Block, Function, Id, Inst, Loc, Op, Terminator, Ty, Value, ValueDef};
use abi::sm::{CtaContext, Helpers, kind};
use std::collections::HashMap;
use std::mem::offset_of;

/// What code cannot be made of yet, by name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what} is not supported")]
pub struct Unsupported {
    /// Line of the PTX text; 0 unknown.
    pub line: u32,
    /// The instruction or form.
    pub what: String,
}

/// The lanes that run a piece of code.
#[derive(Clone, Copy, Debug)]
pub enum Mask {
    /// All lanes of the vector.
    Full,
    /// Those whose element is set: `<W x i1>` on AVX-512, `<W x i32>` of 0 and -1 elsewhere.
    Some(V),
}

/// The state of code generation for one function.
pub struct Gen<'a, 'c> {
    /// Builder.
    pub b: Builder<'c>,
    /// The function, barriers at the ends of blocks.
    pub f: &'a Function,
    /// Its module.
    pub module: &'a ir::Module,
    /// Its control flow.
    pub flow: &'a Flow,
    /// Its plan.
    pub plan: &'a Plan,
    /// Lanes.
    pub lanes: &'a Lanes,
    /// Instruction set.
    pub level: Level,
    /// Lanes of a vector.
    pub w: u32,
    /// Lanes of the strips that threads fall into, also where a single lane runs.
    pub(super) strip_lanes: u32,
    /// [`kind`] of the entry.
    pub kind: u32,
    /// The LLVM function.
    pub function: V,
    /// `*const CtaContext`.
    pub ctx: V,
    /// Debug locations.
    pub lines: Lines,
    /// Address table.
    pub slots: Vec<Slot>,
    /// Number of the strip that runs.
    pub strip: V,
    /// Mask at the entry.
    pub entry_mask: Mask,
    /// Mask of the code being generated.
    pub mask: Mask,
    /// Line of the instruction being generated.
    pub line: u32,
    /// Its place.
    pub(super) at: Place,
    /// Block being generated.
    pub block: usize,
    /// Blocks that own masks of which all lanes are known to be set.
    pub(super) full: Vec<usize>,
    /// The mask of the code being generated is known not to have all lanes.
    pub(super) partial: bool,
    /// Where it is noted whether all lanes enter a block, by block and copies around it ([`super::bounds`]).
    pub(super) known_all: HashMap<(usize, usize), V>,
    /// Instructions that may still be copied for full masks.
    pub(super) copies_left: usize,
    /// The loops that single lanes run.
    pub(super) serial: Option<&'a super::serial::Serial>,
    /// Number of the lane that runs, where a single one does; `i32`.
    pub(super) lane: Option<V>,
    /// While above 0, values are made where no later code may rely on them.
    pub conditional: u32,
    /// Nobody but this block writes to its shared memory while it runs: the kernel does not meet others of a cluster.
    pub(super) shared_alone: bool,
    /// Bytes of local memory of a thread.
    pub local_bytes: u32,
    /// Where this function's frame starts in local memory; `None`: at 0 (the kernel).
    pub frame_base: Option<V>,
    /// Slot of each lane's height of the frame, where it changes (`alloca`).
    pub(super) stack: Option<V>,
    /// Slots of the results of a function that is not the kernel, and the masks that they are written under.
    pub(super) returns: Option<Vec<V>>,
    /// Functions that are called: LLVM function and its type.
    pub(super) callees: std::collections::BTreeMap<ir::Func, (V, T)>,
    /// How parameters of functions differ from lane to lane, where they have one caller.
    pub(super) given: HashMap<ir::Func, super::outline::Offsets>,
    /// Values that are known before the code runs ([`super::agreement`]).
    pub(super) agreed: HashMap<Value, V>,
    /// The function is a piece of the kernel ([`super::outline`]).
    pub(super) is_piece: bool,
    /// Headers of loops that may wait for other threads.
    pub spin_headers: std::collections::HashSet<usize>,
    pub(super) prologue: Bb,
    pub(super) fields: HashMap<(u64, T), V>,
    pub(super) invariant_params: HashMap<(u32, T), V>,
    /// Places of MXCSR words: a direction's and the usual one.
    pub(super) mxcsr: HashMap<u64, (V, V)>,
    pub(super) cache: HashMap<(Value, T), V>,
    pub(super) natural: HashMap<Value, V>,
    pub(super) value_slots: HashMap<Value, V>,
    pub(super) param_slots: HashMap<Value, V>,
    pub(super) out_slots: HashMap<Value, V>,
    pub(super) mask_slots: HashMap<usize, V>,
    pub(super) active_slots: HashMap<usize, V>,
    cross: Vec<bool>,
    used: Vec<bool>,
    floats: Vec<bool>,
    /// Slots to be cleared where a strip starts.
    pub(super) fresh: Vec<(V, V)>,
    /// Per-strip storage of values that live across barriers.
    pub(super) spills: HashMap<Value, V>,
    /// Whether the kernel falls apart at barriers: what later code does not read is not kept across them.
    pub(super) fissioned: bool,
    /// Bytes that a thread stores, where they may go past the caches.
    pub(super) stored_bytes: Option<u32>,
    /// Address of the store at hand.
    pub(super) storing: Option<Value>,
    /// Whether the launch stores much, `i1`, once code asks.
    pub(super) large: Option<V>,
    /// Addresses whose next block's data is fetched ahead.
    pub(super) fetched: std::collections::HashSet<(Value, bool)>,
    /// Values whose slots all strips share across barriers.
    pub(super) block_shared: std::collections::HashSet<Value>,
    /// Where it is noted which lanes of an extended index wrapped; see [`super::index`].
    pub(super) wrap_slots: HashMap<Value, V>,
    /// These notes are by strip, for so many strips.
    pub(super) wrap_strips: Option<u64>,
    pub(super) wrap_buffer: Option<V>,
    /// Addresses that were found to be multiples of so many bytes, in the block being generated.
    pub(super) aligned: HashMap<Value, u32>,
    /// Values of loops that wait in memory.
    pub(super) parked: super::parked::Parked,
    /// Elements that a load of the block at hand brought along for later ones.
    pub(super) from_rows: HashMap<Inst, V>,
    /// Functions that move elements lane by lane.
    pub(super) movers: HashMap<super::index::Mover, V>,
    /// Where the context is stopped, and what comes in there: lanes, address, strip, what and line.
    stop: Option<(Bb, [V; 5])>,
    /// Room for vectors that are read lane by lane, not in use at the moment.
    scratch: HashMap<T, Vec<V>>,
    /// Loops over lanes, and vectors put together from single loads, so far.
    pub(super) lane_sites: [u32; 4],
    /// The function is so large that compile time comes before the speed of its code.
    pub(super) is_huge: bool,
    /// What lanes can compute by themselves, they do.
    pub(super) by_lane: Option<&'a super::lanewise::Lanewise>,
    /// Instructions of one block for a single lane: what they read was given to them.
    pub(super) straight: bool,
    /// Such an instruction asked for something else.
    pub(super) missing: bool,
    /// Values of the block at hand that are in their slots though no other block reads them.
    at_home: std::collections::HashSet<Value>,
    /// Values of the block at hand that only single lanes had.
    pub(super) hidden: std::collections::HashSet<Value>,
    /// Offsets by lane that lie in memory ([`super::homes`]): as what vector, which, and where.
    pub(super) tables: Vec<(T, Vec<i64>, V)>,
    /// Where the rows of stores of this block lie.
    pub(super) rows_at: HashMap<Inst, V>,
    /// Whether the kernel's stores to global memory are all rows, once asked.
    pub(super) rows_only: Option<bool>,
    /// Fragments of matrices.
    pub(super) fragments: super::fragments::Fragments,
}

/// Vectors of which width code is generated for, and where its values are.
pub(super) struct World<'a> {
    plan: &'a Plan,
    lanes: &'a Lanes,
    w: u32,
    lane: Option<V>,
    entry_mask: Mask,
    mask: Mask,
    full: Vec<usize>,
    block: usize,
    conditional: u32,
    cache: HashMap<(Value, T), V>,
    natural: HashMap<Value, V>,
    value_slots: HashMap<Value, V>,
    param_slots: HashMap<Value, V>,
    out_slots: HashMap<Value, V>,
    mask_slots: HashMap<usize, V>,
    active_slots: HashMap<usize, V>,
    block_shared: std::collections::HashSet<Value>,
}

impl<'a> World<'a> {
    /// The world of one lane, whose number is `lane`.
    pub(super) fn single(plan: &'a Plan, lanes: &'a Lanes, lane: V) -> Self {
        Self {
            plan,
            lanes,
            w: 1,
            lane: Some(lane),
            entry_mask: Mask::Full,
            mask: Mask::Full,
            full: Vec::new(),
            block: 0,
            conditional: 0,
            cache: HashMap::new(),
            natural: HashMap::new(),
            value_slots: HashMap::new(),
            param_slots: HashMap::new(),
            out_slots: HashMap::new(),
            mask_slots: HashMap::new(),
            active_slots: HashMap::new(),
            block_shared: std::collections::HashSet::new(),
        }
    }
}

/// Result of an instruction's generation.
pub type Done = Result<(), Unsupported>;

impl<'a, 'c> Gen<'a, 'c> {
    /// Prepares a function's generation; positions the builder in its entry block.
    #[expect(clippy::too_many_arguments, reason = "called once")]
    pub fn new(
        b: Builder<'c>,
        f: &'a Function,
        module: &'a ir::Module,
        flow: &'a Flow,
        plan: &'a Plan,
        lanes: &'a Lanes,
        level: Level,
        kind: u32,
        function: V,
        lines: Lines,
    ) -> Self {
        let ctx = b.param(function, 0);
        lines.clear(&b);
        let prologue = b.block(function);
        b.at(prologue);
        let zero = b.c(b.i32, 0);
        let mut this = Self {
            f,
            module,
            flow,
            plan,
            lanes,
            level,
            w: lanes.width,
            strip_lanes: lanes.width,
            kind,
            function,
            ctx,
            lines,
            slots: Vec::new(),
            strip: zero,
            entry_mask: Mask::Full,
            mask: Mask::Full,
            line: 0,
            at: Place::default(),
            block: f.entry.index(),
            full: Vec::new(),
            partial: false,
            known_all: HashMap::new(),
            copies_left: super::region::copies(f, flow),
            serial: None,
            lane: None,
            conditional: 0,
            shared_alone: !module.functions.values().any(|f| {
                f.insts
                    .values()
                    .any(|inst| matches!(inst.op, ir::Op::ClusterBarrier { .. }))
            }),
            local_bytes: 0,
            frame_base: None,
            stack: None,
            returns: None,
            callees: std::collections::BTreeMap::new(),
            given: HashMap::new(),
            agreed: HashMap::new(),
            is_piece: false,
            spin_headers: std::collections::HashSet::new(),
            prologue,
            fields: HashMap::new(),
            invariant_params: HashMap::new(),
            mxcsr: HashMap::new(),
            cache: HashMap::new(),
            natural: HashMap::new(),
            value_slots: HashMap::new(),
            param_slots: HashMap::new(),
            out_slots: HashMap::new(),
            mask_slots: HashMap::new(),
            active_slots: HashMap::new(),
            cross: Vec::new(),
            used: Vec::new(),
            floats: Vec::new(),
            fresh: Vec::new(),
            spills: HashMap::new(),
            fissioned: false,
            stored_bytes: None,
            storing: None,
            large: None,
            fetched: std::collections::HashSet::new(),
            block_shared: std::collections::HashSet::new(),
            wrap_slots: HashMap::new(),
            wrap_strips: None,
            wrap_buffer: None,
            movers: HashMap::new(),
            stop: None,
            scratch: HashMap::new(),
            lane_sites: [0; 4],
            is_huge: super::target::is_huge(f),
            by_lane: None,
            straight: false,
            missing: false,
            at_home: std::collections::HashSet::new(),
            hidden: std::collections::HashSet::new(),
            tables: Vec::new(),
            rows_at: HashMap::new(),
            rows_only: None,
            fragments: super::fragments::Fragments::default(),
            aligned: HashMap::new(),
            from_rows: HashMap::new(),
            parked: super::parked::Parked::of(f, flow, plan, level, lanes.width),
            b,
        };
        this.find_cross();
        this.find_floats();
        this.fragments.find(f, module, flow, plan, &this.cross);
        this
    }

    /// Changes over to another world; returns the one that was.
    pub(super) fn enter(&mut self, world: World<'a>) -> World<'a> {
        use std::mem::replace;
        World {
            plan: replace(&mut self.plan, world.plan),
            lanes: replace(&mut self.lanes, world.lanes),
            w: replace(&mut self.w, world.w),
            lane: replace(&mut self.lane, world.lane),
            entry_mask: replace(&mut self.entry_mask, world.entry_mask),
            mask: replace(&mut self.mask, world.mask),
            full: replace(&mut self.full, world.full),
            block: replace(&mut self.block, world.block),
            conditional: replace(&mut self.conditional, world.conditional),
            cache: replace(&mut self.cache, world.cache),
            natural: replace(&mut self.natural, world.natural),
            value_slots: replace(&mut self.value_slots, world.value_slots),
            param_slots: replace(&mut self.param_slots, world.param_slots),
            out_slots: replace(&mut self.out_slots, world.out_slots),
            mask_slots: replace(&mut self.mask_slots, world.mask_slots),
            active_slots: replace(&mut self.active_slots, world.active_slots),
            block_shared: replace(&mut self.block_shared, world.block_shared),
        }
    }

    /// Refuses the instruction at hand.
    pub fn refuse<R>(&self, what: impl Into<String>) -> Result<R, Unsupported> {
        Err(Unsupported {
            line: self.line,
            what: what.into(),
        })
    }

    fn find_cross(&mut self) {
        self.cross = vec![false; self.f.values.len()];
        self.used = vec![false; self.f.values.len()];
        let mut used = |value: Value, at: usize| {
            self.used[value.index()] = true;
            if self.plan.defs[value.index()].is_some_and(|def| def != at) {
                self.cross[value.index()] = true;
            }
        };
        for &b in &self.flow.order {
            let data = &self.f.blocks[Block::from_index(b)];
            for &inst in &data.insts {
                self.f.uses(inst).for_each(|v| used(v, b));
            }
            data.term.operands().iter().for_each(|&v| used(v, b));
            data.term
                .edges()
                .flat_map(|e| &e.args)
                .for_each(|&v| used(v, b));
        }
    }

    /// Which values are better kept as floating point between blocks.
    fn find_floats(&mut self) {
        let mut floats = vec![false; self.f.values.len()];
        for _ in 0..3 {
            for &b in &self.flow.order {
                let data = &self.f.blocks[Block::from_index(b)];
                for &inst in &data.insts {
                    let is_float = match self.f.insts[inst].op {
                        Op::FAdd { fmt, .. }
                        | Op::FSub { fmt, .. }
                        | Op::FMul { fmt, .. }
                        | Op::Fma { fmt, .. }
                        | Op::FDiv { fmt, .. }
                        | Op::FSqrt { fmt, .. }
                        | Op::FApprox { fmt, .. }
                        | Op::FMin { fmt, .. }
                        | Op::FMax { fmt, .. }
                        | Op::FNeg { fmt, .. }
                        | Op::FAbs { fmt, .. } => matches!(fmt, ir::Float::F32 | ir::Float::F64),
                        Op::FDivApprox { .. } => true,
                        _ => false,
                    };
                    if is_float {
                        for v in self
                            .f
                            .args(inst)
                            .iter()
                            .copied()
                            .chain(self.f.results(inst))
                        {
                            floats[v.index()] = matches!(self.f.ty(v), Ty::B32 | Ty::B64);
                        }
                    }
                }
                for edge in data.term.edges() {
                    for (&arg, &param) in edge.args.iter().zip(&self.f.blocks[edge.block].params) {
                        if floats[arg.index()] && self.f.as_const(arg).is_none() {
                            floats[param.index()] = true;
                        }
                    }
                }
            }
        }
        self.floats = floats;
    }

    // Types.

    /// Integer type of a width.
    pub fn int(&self, ty: Ty) -> T {
        self.b.int(ty.bits())
    }

    /// Vector of W elements.
    pub fn vt(&self, elem: T) -> T {
        self.b.vec(elem, self.w)
    }

    /// Type of masks.
    pub fn mask_type(&self) -> T {
        if self.keeps_lanes() {
            return self.b.int(self.w);
        }
        self.vt(if self.level == Level::Avx512 {
            self.b.i1
        } else {
            self.b.i32
        })
    }

    /// Shape of a value where it is used at hand.
    pub fn shape(&self, value: Value) -> Shape {
        if self.plan.temporal(self.flow, value, self.block) {
            Shape::Varying
        } else {
            self.plan.shapes.shape(value)
        }
    }

    /// Whether a value is the same in all lanes, at hand.
    pub fn uniform(&self, value: Value) -> bool {
        self.shape(value) == UNIFORM
    }

    /// Whether anything uses a value.
    pub fn is_used(&self, value: Value) -> bool {
        self.used[value.index()]
    }

    /// Whether a value that was made before can be read in the block at hand, whether or not the IR reads it there.
    pub(super) fn readable(&self, value: Value) -> bool {
        if self.straight {
            return self.constant(value).is_some() || self.natural.contains_key(&value);
        }
        if self.hidden.contains(&value) {
            return false;
        }
        self.plan.defs[value.index()].is_none_or(|def| def == self.block)
            || self.cross[value.index()] && !self.plan.dispatch && !self.fissioned
    }

    /// Whether a value is better kept as floating point.
    pub fn keeps_float(&self, value: Value) -> bool {
        self.floats[value.index()]
    }

    pub(super) fn storage_type(&self, value: Value) -> T {
        let ty = self.f.ty(value);
        let elem = match ty {
            Ty::B32 if self.floats[value.index()] => self.b.f32,
            Ty::B64 if self.floats[value.index()] => self.b.f64,
            other => self.int(other),
        };
        match self.plan.shapes.shape(value) {
            Shape::Varying | Shape::Bottom => {
                if ty == Ty::Pred {
                    self.mask_type()
                } else {
                    self.vt(elem)
                }
            }
            UNIFORM => elem,
            Shape::Affine(_) => self.int(ty),
        }
    }

    // Context.

    /// Runs `f` with the builder at the end of the prologue.
    pub fn in_prologue<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let here = self.b.here();
        self.b.at(self.prologue);
        let out = f(self);
        self.b.at(here);
        out
    }

    /// A stack slot.
    pub fn alloca(&mut self, t: T) -> V {
        let wide = self.b.lanes_of(t) > 1 || self.keeps_lanes();
        let align = if wide { 64 } else { 16 };
        self.in_prologue(|g| g.b.alloca(t, align))
    }

    /// A field of the context that does not change while the code runs.
    pub fn field(&mut self, offset: usize, t: T) -> V {
        let key = (offset as u64, t);
        if let Some(&v) = self.fields.get(&key) {
            return v;
        }
        let ctx = self.ctx;
        let v = self.in_prologue(|g| {
            let p = g.b.offset(ctx, i64::try_from(offset).unwrap_or(0));
            g.b.load_invariant(t, p, 4)
        });
        self.fields.insert(key, v);
        v
    }

    /// Base of the shared window.
    pub fn shared_base(&mut self) -> V {
        self.field(offset_of!(CtaContext, shared), self.b.ptr)
    }

    /// A helper's address and the type to call it with.
    pub fn helper(&mut self, offset: usize) -> V {
        let table = self.field(offset_of!(CtaContext, helpers), self.b.ptr);
        let p = self.b.offset(table, i64::try_from(offset).unwrap_or(0));
        self.b.load_invariant(self.b.ptr, p, 8)
    }

    /// Number of the warp that runs, `i32`.
    pub fn warp(&self) -> V {
        match (32 / self.strip_lanes).trailing_zeros() {
            0 => self.strip,
            n => self.b.lshr(self.strip, self.b.c(self.b.i32, u64::from(n))),
        }
    }

    /// Stops the context; nothing follows. All places share one call.
    pub fn trap(&mut self, what: u32, lanes: V, address: V) {
        let (i32, i64) = (self.b.i32, self.b.i64);
        let from = self.b.here();
        let (stop, into) = match self.stop {
            Some(known) => known,
            None => {
                let stop = self.b.block(self.function);
                self.b.at(stop);
                self.lines.clear(&self.b);
                let into = [i32, i64, i32, i32, i32].map(|t| self.b.phi(t));
                let [lanes, address, strip, what, line] = into;
                let target = self.helper(offset_of!(Helpers, trap));
                let b = &self.b;
                let ty = b.function_type(b.void, &[b.ptr, b.i32, b.i32, b.i32, b.i64, b.i32]);
                b.call(ty, target, &[self.ctx, strip, what, lanes, address, line]);
                b.unreachable();
                b.at(from);
                self.lines.set(&self.b, self.at);
                self.stop = Some((stop, into));
                (stop, into)
            }
        };
        let what = self.b.c(i32, u64::from(what));
        let line = self.b.c(i32, u64::from(self.line));
        let warp = self.warp();
        // A strip's lanes as lanes of the warp.
        let lanes = match 32 / self.strip_lanes {
            0 | 1 => lanes,
            parts => {
                let part = self.b.and(self.strip, self.b.c(i32, u64::from(parts - 1)));
                let first = self.b.mul(part, self.b.c(i32, u64::from(self.strip_lanes)));
                self.b.shl(lanes, first)
            }
        };
        for (phi, v) in into.into_iter().zip([lanes, address, warp, what, line]) {
            self.b.incoming(phi, v, from);
        }
        self.b.br(stop);
    }

    /// Room for a vector, to be given back by [`Self::vacate`].
    pub(super) fn scratch(&mut self, t: T) -> V {
        match self.scratch.get_mut(&t).and_then(Vec::pop) {
            Some(slot) => slot,
            None => self.alloca(t),
        }
    }

    /// Nobody reads this room any more.
    pub(super) fn vacate(&mut self, t: T, slot: V) {
        self.scratch.entry(t).or_default().push(slot);
    }

    /// Lets others run.
    pub(super) fn yield_now(&mut self) {
        if !self.is_warp_kind() {
            return;
        }
        let target = self.helper(offset_of!(Helpers, yield_now));
        let ty = self.b.function_type(self.b.void, &[self.b.ptr, self.b.i32]);
        self.b.call(ty, target, &[self.ctx, self.warp()]);
    }

    // Values.

    /// Place and type of a value that waits in memory.
    pub(super) fn parking_place(&mut self, value: Value) -> (V, T) {
        (self.slot(value), self.storage_type(value))
    }

    pub(super) fn slot(&mut self, value: Value) -> V {
        if let Some(place) = self.register_place(value) {
            return place;
        }
        if let Some(&slot) = self.value_slots.get(&value) {
            return slot;
        }
        if let Some(param) = self.parked_in(value) {
            let slot = self.param_slot(param);
            self.value_slots.insert(value, slot);
            return slot;
        }
        let t = self.storage_type(value);
        let slot = self.alloca(t);
        let poison = self.b.poison(t);
        if !self.is_huge {
            self.fresh.push((slot, poison));
        }
        self.value_slots.insert(value, slot);
        slot
    }

    /// Whether a value lies in memory as a register of a fragment.
    pub(super) fn is_register(&self, value: Value) -> bool {
        self.w > 1 && self.fragments.lasts(value)
    }

    /// A slot for what lanes have. In the general form it stays in memory: as registers, all that lanes have would go
    /// through every block.
    fn lane_slot(&mut self, t: T) -> V {
        let slot = self.alloca(t);
        if self.plan.dispatch && !self.keeps_lanes() {
            self.in_prologue(|g| g.b.escape(slot));
        }
        slot
    }

    /// A slot for a uniform value that is written between the regions of a kernel, for all strips.
    pub(super) fn slot_for_block(&mut self, value: Value) -> V {
        if let Some(&slot) = self.value_slots.get(&value) {
            return slot;
        }
        let t = self.storage_type(value);
        let slot = self.alloca(t);
        self.value_slots.insert(value, slot);
        slot
    }

    pub(super) fn param_slot(&mut self, value: Value) -> V {
        if self.has_home(value) {
            return self.slot(value);
        }
        if let Some(place) = self.register_place(value) {
            return place;
        }
        if let Some(&slot) = self.param_slots.get(&value) {
            return slot;
        }
        let t = self.storage_type(value);
        let slot = self.lane_slot(t);
        let poison = self.b.poison(t);
        if !self.is_huge && !self.is_parked(value) {
            self.fresh.push((slot, poison));
        }
        self.param_slots.insert(value, slot);
        slot
    }

    pub(super) fn out_slot(&mut self, value: Value) -> V {
        if self.has_home(value) {
            return self.slot(value);
        }
        if let Some(&slot) = self.out_slots.get(&value) {
            return slot;
        }
        let ty = self.f.ty(value);
        let t = match ty {
            Ty::Pred => self.mask_type(),
            Ty::B32 if self.floats[value.index()] => self.vt(self.b.f32),
            Ty::B64 if self.floats[value.index()] => self.vt(self.b.f64),
            other => self.vt(self.int(other)),
        };
        let slot = self.lane_slot(t);
        let poison = self.b.poison(t);
        if !self.is_huge {
            self.fresh.push((slot, poison));
        }
        self.out_slots.insert(value, slot);
        slot
    }

    pub(super) fn mask_slot(&mut self, block: usize) -> V {
        if let Some(&slot) = self.mask_slots.get(&block) {
            return slot;
        }
        let t = self.mask_type();
        let slot = self.lane_slot(t);
        let zero = self.b.zero(t);
        self.fresh.push((slot, zero));
        self.mask_slots.insert(block, slot);
        slot
    }

    fn active_slot(&mut self, block: usize) -> V {
        if let Some(&slot) = self.active_slots.get(&block) {
            return slot;
        }
        let t = self.mask_type();
        let slot = self.lane_slot(t);
        let zero = self.b.zero(t);
        self.fresh.push((slot, zero));
        self.active_slots.insert(block, slot);
        slot
    }

    fn constant(&self, value: Value) -> Option<V> {
        let t = self.int(self.f.ty(value));
        match self.f.values[value].def {
            ValueDef::Const(bits) => Some(self.b.c(t, bits)),
            ValueDef::Undef => Some(self.b.zero(t)),
            ValueDef::Inst(..) | ValueDef::Param(..) => None,
        }
    }

    /// The stored form of a value: scalar (base) or vector, in its storage type or whatever it was made as.
    pub(super) fn stored(&mut self, value: Value) -> V {
        if let Some(c) = self.constant(value) {
            return c;
        }
        if let Some(&v) = self.natural.get(&value) {
            return v;
        }
        let t = self.storage_type(value);
        if self.straight || self.hidden.contains(&value) {
            self.missing = true;
            return self.b.poison(t);
        }
        let slot = self.slot(value);
        if self.parked_in(value).is_some() {
            return self.b.load_always(t, slot, 64);
        }
        let v = self
            .b
            .load(t, slot, if self.b.lanes_of(t) > 1 { 64 } else { 16 });
        if self.conditional == 0 {
            self.natural.insert(value, v);
        }
        v
    }

    fn remember(&mut self, value: Value, t: T, v: V) -> V {
        if self.conditional == 0 {
            self.cache.insert((value, t), v);
        }
        v
    }

    /// A uniform value, or the base of an affine one, as scalar type `t` of its width.
    pub fn scalar_as(&mut self, value: Value, t: T) -> V {
        if let Some(&v) = self.cache.get(&(value, t)) {
            return v;
        }
        let v = self.stored(value);
        let v = self.b.bitcast(v, t);
        self.remember(value, t, v)
    }

    /// A uniform value, or the base of an affine one, as an integer.
    pub fn scalar(&mut self, value: Value) -> V {
        let t = self.int(self.f.ty(value));
        self.scalar_as(value, t)
    }

    /// A value by lane, as vector of `elem` of its width. Predicates: `<W x i1>`.
    pub fn vector_as(&mut self, value: Value, elem: T) -> V {
        let t = self.vt(elem);
        if self.plan.temporal(self.flow, value, self.block) {
            let slot = self.out_slot(value);
            let pred = self.f.ty(value) == Ty::Pred;
            let st = if pred {
                self.mask_type()
            } else if self.floats[value.index()] {
                self.vt(if self.f.ty(value) == Ty::B32 {
                    self.b.f32
                } else {
                    self.b.f64
                })
            } else {
                self.vt(self.int(self.f.ty(value)))
            };
            let v = self.b.load(st, slot, 64);
            return if pred {
                self.pred_of(v)
            } else {
                self.b.bitcast(v, t)
            };
        }
        if self.parked_in(value).is_some() {
            let v = self.stored(value);
            return self.b.bitcast(v, t);
        }
        if let Some(&v) = self.cache.get(&(value, t)) {
            return v;
        }
        let v = match self.plan.shapes.shape(value) {
            UNIFORM => {
                let s = self.scalar_as(value, elem);
                self.b.splat(s, self.w)
            }
            Shape::Affine(p) => {
                let ty = self.int(self.f.ty(value));
                let base = self.scalar(value);
                let offsets = self.plan.shapes.patterns[p].clone();
                let lanes = self.wrapped(value);
                let v = self.b.splat(base, self.w);
                let offsets = self.b.ints(ty, offsets.into_iter().map(i64::cast_unsigned));
                let mut v = self.b.add(v, offsets);
                if let Some(lanes) = lanes {
                    let zero = self.b.c(self.b.i32, 0);
                    let wraps = self.b.icmp(super::build::Icmp::LLVMIntNE, lanes, zero);
                    v = self.either(
                        wraps,
                        |g| {
                            let off = g.wrap_correction(value);
                            g.b.add(v, off)
                        },
                        |_| v,
                    );
                }
                self.b.bitcast(v, t)
            }
            Shape::Varying | Shape::Bottom => {
                let v = self.stored(value);
                if self.f.ty(value) == Ty::Pred && self.b.type_of(v) != t {
                    self.pred_of(v)
                } else {
                    self.b.bitcast(v, t)
                }
            }
        };
        self.remember(value, t, v)
    }

    /// A value by lane, as vector of integers.
    pub fn vector(&mut self, value: Value) -> V {
        let t = self.int(self.f.ty(value));
        self.vector_as(value, t)
    }

    /// A predicate by lane: `<W x i1>`.
    pub fn pred(&mut self, value: Value) -> V {
        self.vector_as(value, self.b.i1)
    }

    /// A value as the operation at hand wants it: scalar if `uniform`, else by lane.
    pub fn operand(&mut self, value: Value, elem: T, uniform: bool) -> V {
        if uniform {
            self.scalar_as(value, elem)
        } else {
            self.vector_as(value, elem)
        }
    }

    /// Defines a value: a scalar for uniform and affine values (the base), a vector otherwise. Predicates by lane are
    /// `<W x i1>`.
    pub fn set(&mut self, value: Value, v: V) {
        if self.has_home(value) {
            self.set_at_home(value, v);
            return;
        }
        let shape = self.plan.shapes.shape(value);
        let v = if shape == Shape::Varying && self.b.lanes_of(self.b.type_of(v)) == 1 && self.w > 1
        {
            self.b.splat(v, self.w)
        } else {
            v
        };
        if self.park(value, v) {
            return;
        }
        self.natural.insert(value, v);
        let t = self.b.type_of(v);
        self.cache.insert((value, t), v);
        if self.straight {
            return;
        }
        if self.cross[value.index()] && self.plan.dispatch && self.plan.first != Some(self.block) {
            if self.keeps_lanes() {
                self.pass_by_lane(&[value], &[], self.mask, true);
            } else {
                self.set_out(value, self.mask);
            }
        } else if self.cross[value.index()] {
            let slot = self.slot(value);
            let st = self.storage_type(value);
            let v = if self.f.ty(value) == Ty::Pred && shape == Shape::Varying {
                self.mask_of(v)
            } else {
                self.b.bitcast(v, st)
            };
            self.b
                .store(v, slot, if self.b.lanes_of(st) > 1 { 64 } else { 16 });
        }
    }

    /// Gives a value that comes from elsewhere to straight code.
    pub(super) fn give_directly(&mut self, value: Value, v: V) {
        self.natural.insert(value, v);
        let t = self.b.type_of(v);
        self.cache.insert((value, t), v);
    }

    /// Whether other blocks read a value.
    pub(super) fn is_read_elsewhere(&self, value: Value) -> bool {
        self.cross[value.index()]
    }

    /// Type of an element of a varying value's slot.
    pub(super) fn home_type(&self, value: Value) -> T {
        self.b.elem_of(self.storage_type(value))
    }

    /// The slot of a varying value that the block at hand knows, with the value in it.
    pub(super) fn home(&mut self, value: Value) -> V {
        let slot = self.slot(value);
        let there = self.at_home.contains(&value)
            || self.cross[value.index()] && (!self.plan.dispatch || self.keeps_lanes())
            || !self.natural.contains_key(&value);
        if !there {
            let v = self.stored(value);
            let v = if self.f.ty(value) == Ty::Pred {
                self.mask_of(v)
            } else {
                self.b.bitcast(v, self.storage_type(value))
            };
            self.b.store(v, slot, 64);
            self.at_home.insert(value);
        }
        slot
    }

    /// The slot of a varying value that is about to be written there, by lane.
    pub(super) fn new_home(&mut self, value: Value) -> V {
        self.at_home.insert(value);
        self.slot(value)
    }

    /// Keeps a value for the lanes of a mask that read it outside its loop (or block, in the dispatch form).
    fn set_out(&mut self, v: Value, mask: Mask) {
        let slot = self.out_slot(v);
        let new = if self.f.ty(v) == Ty::Pred {
            let p = self.pred(v);
            self.mask_of(p)
        } else {
            let float = self.floats[v.index()];
            let elem = match self.f.ty(v) {
                Ty::B32 if float => self.b.f32,
                Ty::B64 if float => self.b.f64,
                other => self.int(other),
            };
            self.vector_as(v, elem)
        };
        let old = self.b.load(self.b.type_of(new), slot, 64);
        let new = self.blend(mask, new, old);
        self.b.store(new, slot, 64);
    }

    /// What is known of values in registers holds no longer.
    pub(super) fn forget_cache(&mut self) {
        self.cache.clear();
        self.natural.clear();
        self.fragments.forget();
    }

    /// Gives a value that comes from elsewhere to code at hand: a scalar, in its slot.
    pub(super) fn give(&mut self, value: Value, v: V, is_param: bool) {
        let slot = if is_param {
            self.param_slot(value)
        } else {
            self.slot(value)
        };
        let v = self.b.bitcast(v, self.storage_type(value));
        self.b.store(v, slot, 16);
    }

    /// Writes a value for the lanes of a mask that have left its loop with it; predicates come as masks.
    pub(super) fn add_out(&mut self, value: Value, new: V, mask: Mask) {
        let slot = self.out_slot(value);
        let old = self.b.load(self.b.type_of(new), slot, 64);
        let new = self.blend(mask, new, old);
        self.b.store(new, slot, 64);
    }

    /// Writes an argument for the lanes of a mask; predicates come as masks.
    pub(super) fn add_argument(&mut self, param: Value, new: V, mask: Mask) {
        let slot = self.param_slot(param);
        let t = self.storage_type(param);
        let new = self.b.bitcast(new, t);
        let vector = self.b.lanes_of(t) > 1;
        let align = if vector { 64 } else { 16 };
        let new = if vector {
            let old = self.b.load(t, slot, align);
            self.blend(mask, new, old)
        } else {
            new
        };
        self.b.store(new, slot, align);
    }

    /// Gives an entry parameter its value, as passed in a call.
    pub(super) fn pass(&mut self, param: Value, v: V) {
        let slot = self.param_slot(param);
        let t = self.storage_type(param);
        let v = if self.f.ty(param) == Ty::Pred {
            v
        } else {
            self.b.bitcast(v, t)
        };
        self.b.store(v, slot, 64);
    }

    /// Adds lanes to those that wait to enter a block.
    pub(super) fn add_lanes(&mut self, block: usize, lanes: V) {
        let slot = self.mask_slot(block);
        let old = self.b.load(self.mask_type(), slot, 64);
        let new = self.b.or(old, lanes);
        self.b.store(new, slot, 64);
    }

    /// The end of a block that stops the grid.
    pub(super) fn stop(&mut self, what: ir::TrapKind) {
        let lanes = self.mask_bits32(self.mask);
        let what = match what {
            ir::TrapKind::Trap => abi::sm::trap::TRAP,
            ir::TrapKind::Breakpoint => abi::sm::trap::BREAKPOINT,
            ir::TrapKind::InvalidPc => abi::sm::trap::INVALID_PC,
        };
        let zero = self.b.c(self.b.i64, 0);
        self.trap(what, lanes, zero);
    }

    // Blocks.

    /// Sets the place of the following instructions.
    pub fn place(&mut self, loc: Loc, bytes: u32, space: u8, access: u8) {
        let data = self.f.locs[loc];
        self.line = data.ptx_line;
        let place = Place {
            ptx_line: data.ptx_line,
            file: data.file,
            source_line: data.line,
            bytes: u16::try_from(bytes).unwrap_or(u16::MAX),
            space,
            access,
        };
        self.at = place;
        self.lines.set(&self.b, place);
    }

    /// Whether a block that owns a mask must not run with an empty one. Blocks that run under its mask without one of
    /// their own rely on it: a loop among them that all lanes leave together would never end with none.
    pub(super) fn needs_check(&self, block: usize) -> bool {
        let leads = |b: usize| b != block && self.plan.leader[b] == block;
        if (0..self.plan.leader.len()).any(leads) {
            return true;
        }
        let data = &self.f.blocks[Block::from_index(block)];
        let header = self.flow.loop_of[block].is_some_and(|l| self.flow.loops[l].header == block);
        header
            || data.insts.len() > 6
            || data.insts.iter().any(|&i| {
                let p = self.f.insts[i].op.props();
                !p.difference(ir::Props::COMMUTES).is_empty()
            })
            || match &data.term {
                Terminator::Jump(_) | Terminator::Return(_) | Terminator::Exit => false,
                Terminator::Branch { .. } | Terminator::Switch { .. } => {
                    !self.plan.divergent[block]
                }
                Terminator::Trap(_) | Terminator::Unreachable => true,
            }
    }

    /// Reads and clears the mask that has gathered for a block; makes it the active one.
    pub(super) fn take_mask(&mut self, block: usize) -> V {
        let (slot, active) = (self.mask_slot(block), self.active_slot(block));
        let t = self.mask_type();
        let m = self.b.load(t, slot, 64);
        self.b.store(self.b.zero(t), slot, 64);
        self.b.store(m, active, 64);
        m
    }

    /// The mask of the blocks that run under `leader`'s.
    pub(super) fn mask_under(&mut self, leader: usize) -> Mask {
        if self.lane.is_some() || self.full.contains(&leader) {
            Mask::Full
        } else if self.plan.own[leader] {
            let active = self.active_slot(leader);
            Mask::Some(self.b.load(self.mask_type(), active, 64))
        } else {
            self.entry_mask
        }
    }

    pub(super) fn begin_block(&mut self, b: usize) {
        self.block = b;
        self.partial = false;
        self.aligned.clear();
        self.from_rows.clear();
        self.at_home.clear();
        self.hidden.clear();
        self.cache.clear();
        self.natural.clear();
        self.fragments.forget();
        self.rows_at.clear();
        self.mask = self.mask_under(self.plan.leader[b]);
        let data = &self.f.blocks[Block::from_index(b)];
        let params = data.params.iter().copied();
        // What has a home is there already.
        let params: Vec<Value> = params
            .filter(|&p| !self.is_parked(p) && !self.has_home(p) && !self.is_register(p))
            .collect();
        let values: Vec<V> = params
            .iter()
            .map(|&p| {
                let slot = self.param_slot(p);
                let t = self.storage_type(p);
                let align = if self.b.lanes_of(t) > 1 { 64 } else { 16 };
                let v = self.b.load(t, slot, align);
                if !self.keeps_lanes() {
                    self.b.store(self.b.poison(t), slot, align);
                }
                v
            })
            .collect();
        // What the last round of a loop left behind is of no use to the next.
        if self.plan.dispatch {
            // Lanes come and go at any time.
        } else if let Some(l) = self.flow.loop_of[b].filter(|&l| self.flow.loops[l].header == b) {
            self.forget_loop(l, b);
        }
        for (&p, v) in params.iter().zip(values) {
            let v = if self.f.ty(p) == Ty::Pred && self.plan.shapes.shape(p) == Shape::Varying {
                self.pred_of(v)
            } else {
                v
            };
            self.set(p, v);
        }
    }

    fn forget_loop(&mut self, l: usize, header: usize) {
        let flow = self.flow;
        let member = &flow.loops[l].member;
        for &d in flow.order.iter().filter(|&&d| member[d] && d != header) {
            let data = &self.f.blocks[Block::from_index(d)];
            let results = data.insts.iter().flat_map(|&i| self.f.results(i));
            let values: Vec<Value> = data
                .params
                .iter()
                .copied()
                .chain(results)
                .filter(|v| self.cross[v.index()])
                .collect();
            for v in values {
                // Other strips still need what the block shares.
                if self.block_shared.contains(&v) {
                    continue;
                }
                // Lanes that do not run keep what lies in memory.
                if self.by_lane.is_some() || self.is_register(v) {
                    continue;
                }
                let slot = self.slot(v);
                let t = self.storage_type(v);
                self.b.store(
                    self.b.poison(t),
                    slot,
                    if self.b.lanes_of(t) > 1 { 64 } else { 16 },
                );
            }
            if self.plan.own[d] {
                self.mask_slot(d);
            }
        }
        let mut blocks: Vec<usize> = self
            .mask_slots
            .keys()
            .copied()
            .filter(|&m| m != header && member[m])
            .collect();
        blocks.sort_unstable();
        for m in blocks {
            let slot = self.mask_slots[&m];
            self.b.store(self.b.zero(self.mask_type()), slot, 64);
        }
    }

    pub(super) fn instructions(&mut self, b: usize, without_barrier: bool) -> Done {
        let mut insts: Vec<Inst> = self.f.blocks[Block::from_index(b)].insts.clone();
        if without_barrier {
            insts.pop();
        }
        if let Some(how) = self.by_lane.filter(|_| self.lane.is_none()) {
            return self.lanewise(b, &insts, how);
        }
        for inst in insts {
            self.place_of(inst);
            self.instruction(inst)?;
        }
        Ok(())
    }

    /// Passes arguments and lanes along an edge.
    pub fn edge(&mut self, b: usize, edge: &ir::Edge, mask: Mask) {
        let s = edge.block.index();
        let back = self.flow.pos[s] <= self.flow.pos[b];
        let left: Vec<usize> = self
            .flow
            .left(b, s)
            .filter(|&l| self.plan.loop_divergent[l])
            .collect();
        // Values that lanes take out of divergent loops with them.
        let mut outs: Vec<Value> = match left.is_empty() {
            true => Vec::new(),
            false => self.plan.outs.iter().copied().collect(),
        };
        outs.retain(|&v| {
            let made_inside =
                |d| left.iter().any(|&l| self.flow.in_loop(l, d)) && self.flow.dominates(d, b);
            self.plan.defs[v.index()].is_some_and(made_inside)
                && !self.plan.temporal(self.flow, v, b)
        });
        outs.sort_unstable();
        if !self.keeps_lanes() {
            for &v in &outs {
                self.set_out(v, mask);
            }
        }
        let forward = self.flow.preds[s]
            .iter()
            .filter(|&&p| self.flow.pos[p] < self.flow.pos[s])
            .count();
        let mixes = if self.plan.dispatch {
            true
        } else if back {
            self.flow.loop_of[s].is_some_and(|l| {
                self.plan.loop_divergent[l] && self.flow.preds[s].len() - forward > 1
            })
        } else {
            forward > 1 || !left.is_empty()
        };
        let params = self.f.blocks[edge.block].params.clone();
        // All arguments are read before any parameter is written.
        let passed: Vec<(Value, Value)> = params
            .into_iter()
            .zip(edge.args.iter().copied())
            .filter(|&(p, a)| !self.is_in_place(p, a))
            .collect();
        if self.keeps_lanes() {
            self.pass_by_lane(&outs, &passed, mask, mixes);
        } else {
            self.pass_as_vectors(&passed, mask, mixes);
        }
        let goes_round = back && !self.plan.dispatch && self.lead(b, s).is_none();
        if goes_round && self.spin_headers.contains(&s) {
            self.yield_now();
        }
        if self.plan.own[s] && !goes_round {
            let lanes = self.mask_value(mask);
            self.add_lanes(s, lanes);
        }
    }

    fn pass_as_vectors(&mut self, passed: &[(Value, Value)], mask: Mask, mixes: bool) {
        let args: Vec<V> = passed.iter().map(|&(p, a)| self.argument(p, a)).collect();
        for (&(p, _), new) in passed.iter().zip(args) {
            let slot = self.param_slot(p);
            let t = self.storage_type(p);
            let vector = self.b.lanes_of(t) > 1;
            let align = if vector { 64 } else { 16 };
            let new = if vector && mixes {
                let old = self.b.load(t, slot, align);
                self.blend(mask, new, old)
            } else {
                new
            };
            self.b.store(new, slot, align);
        }
    }

    /// An argument in the storage type of a parameter.
    pub(super) fn argument(&mut self, param: Value, arg: Value) -> V {
        let t = self.storage_type(param);
        match self.plan.shapes.shape(param) {
            Shape::Varying | Shape::Bottom => {
                if self.f.ty(param) == Ty::Pred {
                    let p = self.lane_pred(arg);
                    self.mask_of(p)
                } else {
                    self.vector_as(arg, self.b.elem_of(t))
                }
            }
            Shape::Affine(_) => self.scalar_as(arg, t),
        }
    }

    /// Extends or cuts scalars and vectors alike.
    pub fn zext_like(&self, v: V, elem: T) -> V {
        let t = self.b.like(self.b.type_of(v), elem);
        self.b.zext(v, t)
    }

    /// Sign-extends or cuts scalars and vectors alike.
    pub fn sext_like(&self, v: V, elem: T) -> V {
        let t = self.b.like(self.b.type_of(v), elem);
        self.b.sext(v, t)
    }

    /// A constant of the type of `v`.
    pub fn same(&self, v: V, value: u64) -> V {
        self.b.c(self.b.type_of(v), value)
    }

    /// Truncation of scalars and vectors alike.
    pub fn trunc_like(&self, v: V, elem: T) -> V {
        let t = self.b.like(self.b.type_of(v), elem);
        if self.b.type_of(v) == t {
            v
        } else {
            self.b.cast(Opcode::LLVMTrunc, v, t)
        }
    }

    /// Whether a call may use the WARP kind's helpers.
    pub fn is_warp_kind(&self) -> bool {
        self.kind == kind::WARP
    }
}
