//! From a kernel's IR to an object file: which form its entry takes, the loop over warps, the regions between barriers.

use super::build::{Bb, Builder, Icmp, V};
use super::debug::{Lines, Place};
use super::emit::{Done, Gen, Mask, Unsupported};
use super::fission;
use super::flow::Flow;
use super::functions::{another, attributes, context_attributes, internal};
use super::lanewise::Lanewise;
use super::plan::Plan;
use super::routine;
use super::serial::Serial;
use super::shape::Lanes;
use super::spin::Spins;
use super::target::{self, Level, LlvmError};
use crate::clock::thread_cpu;
use crate::image::{ENTRY, Slot};
use crate::ir::{Block, Edge, Function, Inst, Module, Op, Terminator, Value};
use crate::passes;
use abi::sm::{CtaContext, kind};
use inkwell::context::Context;
use std::collections::{HashMap, HashSet};
use std::mem::offset_of;
use std::sync::Arc;

/// What to generate for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Instruction set.
    pub level: Level,
    /// Block dimensions; 0 = any.
    pub block: [u32; 3],
    /// 0 to 4.
    pub opt_level: u32,
    /// The general form: one fiber per warp.
    pub force_warp: bool,
    /// Vectors of 8 lanes wherever that is possible.
    pub narrow: bool,
    /// Which code to make.
    pub tier: Tier,
}

/// How much time goes into code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// As much as makes it fast.
    Good,
    /// Little: code for the first launches.
    Fast,
    /// Little, where good code would take long.
    FastIfDear,
    /// Little, where good code would take very long, or where there is no loop.
    FastIfVeryDear,
}

impl Tier {
    /// Weight of good code from which on this is made in little time.
    const fn dear(self) -> Option<usize> {
        match self {
            Self::Good | Self::Fast => None,
            Self::FastIfDear => Some(target::DEAR),
            Self::FastIfVeryDear => Some(target::VERY_DEAR),
        }
    }
}

/// A generated kernel, not yet linked.
pub struct Generated {
    /// Object files: the kernel's, and those of the routines that it calls.
    pub objects: Vec<Arc<[u8]>>,
    /// [`kind`] of the entry.
    pub kind: u32,
    /// Bits of [`abi::sm::flags`].
    pub flags: u32,
    /// Local memory of a thread, bytes.
    pub local_bytes: u32,
    /// Host stack beyond the frames of the code: for recursion.
    pub stack_bytes: u32,
    /// Address table.
    pub slots: Vec<Slot>,
    /// Side table of the line numbers.
    pub places: Vec<Place>,
    /// LLVM IR after the passes, if asked for.
    pub ir: Option<String>,
    /// Assembly, if asked for.
    pub assembly: Option<String>,
    /// CPU nanoseconds: generation of LLVM IR, passes, code generation.
    pub times: [u64; 3],
}

/// Why a kernel was not generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A form that is not supported.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// LLVM refused what we made: a fault of ours.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// The IR is not what it should be: a fault of ours.
    #[error("no kernel in the module")]
    NoKernel,
}

fn is_barrier(op: &Op) -> bool {
    matches!(
        op,
        Op::Barrier { .. } | Op::BarrierRed { .. } | Op::BarrierArrive { .. }
    )
}

/// A copy of the function whose barriers are the last instructions of their blocks and whose entry has no predecessor.
pub(super) fn prepared(function: &Function) -> Function {
    let mut f = function.clone();
    let mut next = 0u32;
    while let Some(data) = f.blocks.get(Block(next)) {
        let at = data.insts.iter().position(|&i| is_barrier(&f.insts[i].op));
        // What a barrier gives exists only once all have come: it is no argument of the jump behind it.
        let gives = |i: usize| matches!(f.insts[data.insts[i]].op, Op::BarrierRed { .. });
        let plain = |i: usize| match &data.term {
            Terminator::Jump(edge) => edge.args.is_empty() || !gives(i),
            _ => false,
        };
        if let Some(at) = at
            && (at + 1 < data.insts.len() || !plain(at))
        {
            let rest: Vec<Inst> = data.insts[at + 1..].to_vec();
            let (term, loc) = (data.term.clone(), data.term_loc);
            let tail = f.add_block();
            f.blocks[tail].insts = rest;
            f.blocks[tail].term = term;
            f.blocks[tail].term_loc = loc;
            let head = &mut f.blocks[Block(next)];
            head.insts.truncate(at + 1);
            head.term = Terminator::Jump(Edge::to(tail));
        }
        next += 1;
    }
    let entry = f.entry;
    let looped = f
        .blocks
        .values()
        .any(|b| b.term.edges().any(|e| e.block == entry));
    if looped {
        let start = f.add_block();
        f.blocks[start].term = Terminator::Jump(Edge::to(entry));
        f.entry = start;
    }
    f
}

/// A function that the kernel calls.
struct Part {
    func: crate::ir::Func,
    f: Function,
    flow: Flow,
    plan: Plan,
    spins: Spins,
    by_lane: Option<Lanewise>,
}

impl Part {
    /// A piece of the kernel in which lanes wait for each other, called from one place.
    fn piece(
        module: &Module,
        func: crate::ir::Func,
        lanes: &Lanes,
        given: &[Option<Vec<i64>>],
    ) -> Self {
        let mut f = module.functions[func].clone();
        super::dispatch::part_at_meetings(&mut f);
        let flow = Flow::new(&f);
        let spins = Spins::new(&f, &flow);
        let plan = Plan::dispatch(&f, &flow, lanes, given);
        Self {
            func,
            f,
            flow,
            plan,
            spins,
            by_lane: None,
        }
    }

    fn new(module: &Module, func: crate::ir::Func, lanes: &Lanes) -> Self {
        let mut f = module.functions[func].clone();
        let entry = f.entry;
        if f.blocks
            .values()
            .any(|b| b.term.edges().any(|e| e.block == entry))
        {
            // A fresh entry with parameters of its own.
            let types: Vec<crate::ir::Ty> =
                f.blocks[entry].params.iter().map(|&p| f.ty(p)).collect();
            let start = f.add_block();
            let args = types.into_iter().map(|ty| f.add_param(start, ty)).collect();
            f.blocks[start].term = Terminator::Jump(Edge { block: entry, args });
            f.entry = start;
        }
        let mut flow = Flow::new(&f);
        let mut spins = Spins::new(&f, &flow);
        let linear = flow.reducible.then(|| Plan::new(&f, &flow, lanes));
        let linear = linear.filter(|plan| {
            let mut loops = flow.loops.iter().zip(&plan.loop_divergent);
            !loops.any(|(l, &d)| d && spins.threads.contains(&l.header))
        });
        let plan = linear.unwrap_or_else(|| {
            super::dispatch::part_at_meetings(&mut f);
            flow = Flow::new(&f);
            spins = Spins::new(&f, &flow);
            Plan::dispatch(&f, &flow, lanes, &[])
        });
        Self {
            func,
            f,
            flow,
            plan,
            spins,
            by_lane: None,
        }
    }

    /// Whether its code may suspend the warp.
    fn suspends(&self) -> bool {
        !self.spins.is_empty()
            || self.f.insts.values().any(|i| {
                is_barrier(&i.op) || matches!(i.op, Op::Nanosleep | Op::ClusterBarrier { .. })
            })
    }
}

/// Local memory of a thread: the kernel's frame, and room for calls where there are some.
#[must_use]
pub fn local_bytes(module: &Module) -> u32 {
    let frame = module.kernel.map_or(0, |id| module.functions[id].frame());
    let grows = module
        .functions
        .values()
        .any(super::calls::has_dynamic_frame);
    if module.has_calls() || grows {
        frame.max(32) + super::calls::CALL_STACK
    } else {
        frame
    }
}

/// Generates a kernel.
///
/// # Errors
/// [`GenerateError`]
pub fn generate(
    module: &Module,
    options: &Options,
    dump: bool,
) -> Result<Generated, GenerateError> {
    let id = module.kernel.ok_or(GenerateError::NoKernel)?;
    let plain;
    let module = match routine::is_made(options.level) {
        true => module,
        false => {
            let mut without = module.clone();
            for func in without.functions.ids() {
                without.functions[func].routine = None;
            }
            plain = without;
            &plain
        }
    };
    let made_as = |tier| {
        let options = Options { tier, ..*options };
        generate_below(module, &options, dump, usize::MAX, true)
    };
    let blocks = module.functions[id].blocks.values();
    let surely_dear = blocks.map(|b| b.insts.len()).sum::<usize>() >= target::DEAR_SOURCE;
    let tier = match options.tier {
        Tier::FastIfVeryDear if !has_loop(module) => Tier::FastIfDear,
        tier => tier,
    };
    let made = match tier {
        Tier::FastIfDear if surely_dear => match made_as(Tier::Fast) {
            // There is no such form of it.
            Err(GenerateError::Unsupported(_)) => made_as(Tier::Good),
            made => made,
        },
        tier => made_as(tier),
    };
    made?.ok_or(GenerateError::NoKernel)
}

/// Whether a kernel or what it calls has a loop.
fn has_loop(module: &Module) -> bool {
    let mut functions = module.functions.values();
    functions.any(|f| !Flow::new(f).loops.is_empty())
}

/// Generates a kernel, unless its weight ([`target::weight`]) is `most` or more. `rounds`: loops may go round block by
/// block ([`super::rounds`]).
fn generate_below(
    module: &Module,
    options: &Options,
    dump: bool,
    most: usize,
    rounds: bool,
) -> Result<Option<Generated>, GenerateError> {
    let start = thread_cpu();
    let original = module;
    let id = module.kernel.ok_or(GenerateError::NoKernel)?;
    let fast = options.tier == Tier::Fast;
    let block = module.info.req_ntid.unwrap_or(options.block);
    let mut f = module.functions[id].clone();
    passes::specialise(&mut f, &module.sigs, block);
    let alone = !fast && !options.force_warp && module.functions.len() == 1;
    let rounds = rounds && alone && super::rounds::together(&module.sigs, &mut f, block);
    let block = match alone {
        true => super::split::in_rows(&module.sigs, &mut f, block).unwrap_or(block),
        false => block,
    };
    let mut f = prepared(&f);
    let mut flow = Flow::new(&f);
    if !options.force_warp {
        super::recompute::across_barriers(&module.sigs, &mut f, &flow);
    }
    let [bx, by, bz] = block;
    let threads = bx.saturating_mul(by).saturating_mul(bz);
    let sees_warps = super::width::sees_warps(&f, &flow);
    let wide = !(bx == 16 && threads.is_multiple_of(16) && !sees_warps)
        || options.force_warp
        || module.functions.len() > 1;
    let mut lanes = Lanes {
        width: if wide { 32 } else { 16 },
        block: if threads == 0 { [0; 3] } else { block },
        agreed: HashSet::new(),
        one_by_one: fast,
    };
    let live = |op: fn(&Op) -> bool| {
        flow.order.iter().any(|&b| {
            f.blocks[Block(u32::try_from(b).unwrap_or(0))]
                .insts
                .iter()
                .any(|&i| op(&f.insts[i].op))
        })
    };
    let has_barrier = live(is_barrier);
    // A frame that grows has a height per lane, which only a warp of its own keeps.
    let suspends = live(|op| {
        matches!(
            op,
            Op::Nanosleep | Op::Alloca { .. } | Op::ClusterBarrier { .. }
        )
    });
    let in_cluster = live(|op| matches!(op, Op::ClusterBarrier { .. }));
    let mut spins = Spins::new(&f, &flow);
    let (waits, yields) = (!spins.threads.is_empty(), !spins.is_empty());
    let mut plan = if flow.reducible {
        Plan::new(&f, &flow, &lanes)
    } else {
        Plan::dispatch(&f, &flow, &lanes, &[])
    };
    // Parts of a warp where the code needs more registers than there are.
    if !fast
        && options.level >= Level::Avx2
        && !options.force_warp
        && module.functions.len() == 1
        && threads > 0
        && !plan.dispatch
        && !sees_warps
    {
        let width = match options.narrow {
            true if bx.is_multiple_of(8) => 8,
            true | false => super::width::strip(&f, &flow, &plan, bx, options.level),
        };
        let width = width.min(lanes.width);
        if width < lanes.width {
            lanes.width = width;
            plan = Plan::new(&f, &flow, &lanes);
        }
    }
    let stored_bytes = super::stream::stored_bytes(&f, &flow, &plan);
    // Threads that share what they read, as one.
    let may_be_coarse = !fast
        && options.level != Level::Sse4
        && !options.force_warp
        && module.functions.len() == 1
        && threads.is_multiple_of(lanes.width)
        && spins.is_empty()
        && !sees_warps;
    let threads_as_one = may_be_coarse
        .then(|| super::coarse::coarse(&module.sigs, &f, &flow, &plan, &lanes))
        .flatten();
    let is_coarse = threads_as_one.is_some();
    if let Some(one) = threads_as_one {
        (f, lanes) = (one.f, one.lanes);
        flow = Flow::new(&f);
        plan = Plan::new(&f, &flow, &lanes);
    }
    // A block of one strip is together anyway.
    let threads = lanes.threads().unwrap_or(threads);
    let has_barrier = has_barrier && !(1..=lanes.width).contains(&threads);
    // Lanes that may wait for lanes of their own warp.
    let lane_spin = flow
        .loops
        .iter()
        .zip(&plan.loop_divergent)
        .any(|(l, &d)| d && spins.threads.contains(&l.header));
    let local_bytes = local_bytes(module);
    let calls = module.has_calls();
    // Pieces of the kernel that must run in the general form.
    let mut pieces = Vec::new();
    let mut given = HashMap::new();
    let with_pieces;
    let mut module = module;
    let mut whole = plan.dispatch;
    if lane_spin && super::calls::has_dynamic_frame(&f) {
        whole = true;
    } else if lane_spin {
        let mut more = module.clone();
        let mut rest = f.clone();
        match super::outline::outline(&mut more, &mut rest, &lanes) {
            Some(found) if lanes.width == 32 => {
                pieces = found;
                f = rest;
                with_pieces = more;
                module = &with_pieces;
                flow = Flow::new(&f);
                spins = Spins::new(&f, &flow);
                plan = Plan::new(&f, &flow, &lanes);
                given = super::outline::offsets(&f, &flow, &plan, &pieces);
            }
            Some(_) | None => whole = true,
        }
    }
    if whole {
        super::dispatch::part_at_meetings(&mut f);
        flow = Flow::new(&f);
        spins = Spins::new(&f, &flow);
        plan = Plan::dispatch(&f, &flow, &lanes, &[]);
    }
    if !fast && super::walks::join(&module.sigs, &mut f, &flow, &plan, &spins.threads) {
        flow = Flow::new(&f);
        spins = Spins::new(&f, &flow);
        plan = Plan::new(&f, &flow, &lanes);
    }
    if !fast && !plan.dispatch {
        super::chains::interleave(&mut f, &flow, &plan, lanes.width);
        if lanes.width == 8 {
            super::levels::order(&mut f, &flow, &plan);
        }
    }
    let serial = match fast {
        true => None,
        false => Serial::new(&f, &flow, &plan, &spins.threads),
    };
    let by_lane = fast.then(|| Lanewise::new(&f, &flow));
    let regions = if has_barrier && !in_cluster && !options.force_warp && !plan.dispatch {
        fission::regions(&f, &flow, &plan, &lanes.agreed)
    } else {
        None
    };
    // Functions that were not inlined.
    let parts: Vec<Part> = module
        .functions
        .ids()
        .filter(|&func| func != id && module.functions[func].routine.is_none())
        .map(|func| {
            let mut part = match given.get(&func) {
                Some(given) => Part::piece(module, func, &lanes, given),
                None => Part::new(module, func, &lanes),
            };
            part.by_lane = fast.then(|| Lanewise::new(&part.f, &part.flow));
            part
        })
        .collect();
    let called_suspends = parts.iter().any(Part::suspends);
    let warp_kind = called_suspends
        || options.force_warp
        || suspends
        || yields
        || has_barrier && regions.is_none();
    // A strip of 16 lanes is no warp: the general form needs 32.
    if warp_kind && lanes.width != 32 {
        let general = Options {
            force_warp: true,
            ..*options
        };
        return generate_below(original, &general, dump, most, false);
    }
    if warp_kind && rounds {
        return generate_below(original, options, dump, most, false);
    }
    let entry_kind = if warp_kind { kind::WARP } else { kind::CTA };

    // Where another form of the kernel has barriers, it must have regions between them.
    let between_barriers = |f: &Function, flow: &Flow, plan: &Plan, agreed: &HashSet<Value>| {
        let found = has_barrier.then(|| fission::regions(f, flow, plan, agreed));
        found.map_or(Some(None), |regions| regions.map(Some))
    };
    let agreement = (!fast && !warp_kind && !calls)
        .then(|| {
            let coarse = may_be_coarse && !is_coarse;
            super::agreement::agreement(&module.sigs, &f, &flow, &plan, &lanes, coarse)
        })
        .flatten();
    let twice = agreement.as_ref().and_then(|found| {
        let regions = between_barriers(&f, &flow, &found.plan, &found.lanes.agreed)?;
        let check_flow = Flow::new(&found.check);
        let check_plan = Plan::new(&found.check, &check_flow, &lanes);
        let serial = Serial::new(&found.f, &found.flow, &found.plan, &spins.threads);
        Some((found, regions, check_flow, check_plan, serial))
    });
    let interior = (!fast && !warp_kind && !calls && twice.is_none())
        .then(|| super::interior::interior(&module.sigs, &f, &flow, &plan, &lanes))
        .flatten();
    let inside = interior.as_ref().and_then(|found| {
        let regions = between_barriers(&found.f, &found.flow, &found.plan, &lanes.agreed)?;
        let serial = Serial::new(&found.f, &found.flow, &found.plan, &spins.threads);
        Some((found, regions, serial))
    });

    let context = Context::create();
    let llvm = context.create_module("k");
    let b = Builder::new(&context, &llvm);
    let params = if warp_kind {
        vec![b.ptr, b.i32]
    } else {
        vec![b.ptr]
    };
    let ty = b.function_type(b.void, &params);
    let entry = b.function(ENTRY, ty);
    attributes(&b, entry, options.level);
    context_attributes(&b, entry);
    let function = match twice.is_some() || inside.is_some() {
        true => internal(&b, "general", ty, options.level),
        false => entry,
    };
    let mut lines = Lines::new(&context, &llvm);
    lines.function(function);
    let mut g = Gen::new(
        b,
        &f,
        module,
        &flow,
        &plan,
        &lanes,
        options.level,
        entry_kind,
        function,
        lines,
    );
    g.local_bytes = local_bytes;
    g.spin_headers = spins.headers();
    g.given.clone_from(&given);
    g.stored_bytes = stored_bytes;
    g.serial = serial.as_ref();
    g.made_quickly(by_lane.as_ref());
    // Most blocks do not come here.
    if inside.is_some() {
        g.copies_left = 0;
    }
    if warp_kind {
        warp_entry(&mut g)?;
    } else {
        cta_entry(&mut g, regions.as_ref())?;
    }
    if let Some((found, regions, check_flow, check_plan, serial)) = &twice {
        let ty = g.b.function_type(g.b.void, &[g.b.ptr, g.b.ptr]);
        let regular = internal(&g.b, "regular", ty, options.level);
        g = another(g, &found.f, &found.flow, &found.plan, &found.lanes, regular);
        g.stored_bytes = stored_bytes;
        g.serial = serial.as_ref();
        g.take_agreed(found);
        cta_entry(&mut g, regions.as_ref())?;
        g = another(g, &found.check, check_flow, check_plan, &lanes, entry);
        super::agreement::entry(&mut g, found, regular, function)?;
    }
    if let Some((found, regions, serial)) = &inside {
        let form = internal(&g.b, "inside", ty, options.level);
        g = another(g, &found.f, &found.flow, &found.plan, &lanes, form);
        g.stored_bytes = stored_bytes;
        g.serial = serial.as_ref();
        cta_entry(&mut g, regions.as_ref())?;
        g = another(g, &f, &flow, &plan, &lanes, entry);
        super::interior::entry(&mut g, found, form, function)?;
    }
    // The functions that it calls, and those that they call.
    let mut done = HashSet::new();
    let mut routines = Vec::new();
    let (slots, places, b) = loop {
        let slots = std::mem::take(&mut g.slots);
        let callees = std::mem::take(&mut g.callees);
        let Gen { lines, b, .. } = g;
        let is_routine = |func: &crate::ir::Func| module.functions[*func].routine.is_some();
        let next = callees
            .iter()
            .find(|(func, _)| !done.contains(*func) && !is_routine(func));
        let Some((&func, &(function, _))) = next else {
            routines.extend(
                callees
                    .keys()
                    .filter_map(|&func| module.functions[func].routine),
            );
            break (slots, lines.finish(), b);
        };
        done.insert(func);
        attributes(&b, function, options.level);
        context_attributes(&b, function);
        let part = parts
            .iter()
            .find(|p| p.func == func)
            .ok_or(GenerateError::NoKernel)?;
        let mut lines = lines;
        lines.function(function);
        g = Gen::new(
            b,
            &part.f,
            module,
            &part.flow,
            &part.plan,
            &lanes,
            options.level,
            entry_kind,
            function,
            lines,
        );
        g.slots = slots;
        g.callees = callees;
        g.local_bytes = local_bytes;
        g.spin_headers = part.spins.headers();
        g.given.clone_from(&given);
        g.is_piece = pieces.contains(&func);
        g.made_quickly(part.by_lane.as_ref());
        g.function_body()?;
    };
    drop(b);
    let weight = target::weight(&llvm);
    if weight >= most {
        return Ok(None);
    }
    if options.tier.dear().is_some_and(|dear| weight >= dear) {
        let fast = Options {
            tier: Tier::Fast,
            ..*options
        };
        match generate_below(original, &fast, dump, target::worth(weight), false) {
            Ok(Some(found)) => return Ok(Some(found)),
            // It would take about as long, or there is no such form of it.
            Ok(None) | Err(GenerateError::Unsupported(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let effort = match fast {
        true => 0,
        false => target::effort(&llvm, weight, options.level, options.opt_level),
    };
    if let Err(error) = llvm.verify() {
        if dump {
            return Err(LlvmError(format!("{error}\n{}", llvm.print_to_string())).into());
        }
        return Err(LlvmError(error.to_string()).into());
    }
    let generated = thread_cpu();
    let (object, ir, assembly, [optimised, before, done]) =
        target::with_machine(options.level, effort, |machine| {
            match fast {
                true => target::lay_out(&llvm, machine),
                false => target::optimise(&llvm, machine, effort)?,
            }
            if options.level == Level::Avx2 && effort > 0 {
                super::words::for_bits(&llvm);
            }
            let optimised = thread_cpu();
            let ir = dump.then(|| llvm.print_to_string().to_string());
            let assembly = match dump {
                true => Some(
                    String::from_utf8_lossy(&target::assembly(&llvm.clone(), machine)?)
                        .into_owned(),
                ),
                false => None,
            };
            let before = thread_cpu();
            let object = target::object(&llvm, machine)?;
            Ok((object, ir, assembly, [optimised, before, thread_cpu()]))
        })?;
    let mut objects = vec![Arc::from(object)];
    let before_routines = thread_cpu();
    for routine in routines {
        objects.push(routine::object(routine, options.level)?);
    }
    let of_routines = thread_cpu() - before_routines;
    let ns = |a: u64, b: u64| b.saturating_sub(a);
    Ok(Some(Generated {
        objects,
        kind: entry_kind,
        local_bytes,
        stack_bytes: if calls { super::calls::HOST_STACK } else { 0 },
        flags: if waits { abi::sm::flags::SPINS } else { 0 }
            | if fast { abi::sm::flags::FAST } else { 0 },
        slots,
        places,
        ir,
        assembly,
        times: [
            ns(start, generated),
            ns(generated, optimised),
            ns(before, done) + of_routines,
        ],
    }))
}

/// Number of strips in the block, and whether it is a constant.
pub(super) fn strips(g: &mut Gen<'_, '_>) -> (V, Option<u32>) {
    match g.lanes.threads() {
        Some(t) => {
            let n = t.div_ceil(g.w);
            (g.b.c(g.b.i32, u64::from(n)), Some(n))
        }
        None => (g.field(offset_of!(CtaContext, warps), g.b.i32), None),
    }
}

/// The mask that a strip starts with.
pub(super) fn entry_mask(g: &mut Gen<'_, '_>) -> Mask {
    let threads = match g.lanes.threads() {
        Some(t) if t.is_multiple_of(g.w) => return Mask::Full,
        Some(t) => g.b.c(g.b.i32, u64::from(t)),
        None => g.field(offset_of!(CtaContext, threads), g.b.i32),
    };
    let first = g.b.mul(g.strip, g.b.c(g.b.i32, u64::from(g.w)));
    let rest = g.b.sub(threads, first);
    if g.keeps_lanes() {
        return Mask::Some(g.first_lanes(rest));
    }
    let rest = g.b.splat(rest, g.w);
    let lanes = g.lane_ids();
    let p = g.b.icmp(Icmp::LLVMIntSLT, lanes, rest);
    Mask::Some(g.mask_of(p))
}

/// Writes the initial values of all slots that were made since the last call, at the end of `block`.
pub(super) fn reset_slots(g: &mut Gen<'_, '_>, block: Bb) {
    g.b.at(block);
    for (slot, value) in std::mem::take(&mut g.fresh) {
        let align = if g.b.lanes_of(g.b.type_of(value)) > 1 {
            64
        } else {
            16
        };
        g.b.store(value, slot, align);
    }
}

/// Ends the prologue: it goes on to `head`, where slots are reset, and that to `body`.
pub(super) fn begin(g: &mut Gen<'_, '_>, head: Bb, body: Bb) {
    reset_slots(g, head);
    g.b.br(body);
    g.b.at(g.prologue);
    g.b.br(head);
}

fn no_barrier(g: &mut Gen<'_, '_>, _: usize) -> Done {
    g.refuse("a barrier here")
}

/// `kind::WARP`: one call per warp.
fn warp_entry(g: &mut Gen<'_, '_>) -> Done {
    g.strip = g.b.param(g.function, 1);
    let reset = g.b.block(g.function);
    let body = g.b.block(g.function);
    let end = g.b.block(g.function);
    g.b.at(body);
    g.entry_mask = entry_mask(g);
    g.region(g.f.entry.0 as usize, false, &mut no_barrier, end)?;
    g.b.at(end);
    g.b.ret();
    begin(g, reset, body);
    Ok(())
}

/// `kind::CTA`: a loop over the warps, for each region if there are barriers between some.
fn cta_entry(g: &mut Gen<'_, '_>, regions: Option<&fission::Regions>) -> Done {
    if let Some(regions) = regions {
        return fission::entry(g, regions);
    }
    let (count, known) = strips(g);
    let head = g.b.block(g.function);
    let body = g.b.block(g.function);
    let end = g.b.block(g.function);
    g.b.at(head);
    let phi = if known == Some(1) {
        None
    } else {
        Some(g.b.phi(g.b.i32))
    };
    g.strip = phi.unwrap_or_else(|| g.b.c(g.b.i32, 0));
    g.b.at(body);
    g.entry_mask = entry_mask(g);
    g.region(g.f.entry.0 as usize, false, &mut no_barrier, end)?;
    g.b.at(end);
    if let Some(phi) = phi {
        let done = g.b.block(g.function);
        let next = g.b.add(phi, g.b.c(g.b.i32, 1));
        let more = g.b.icmp(Icmp::LLVMIntULT, next, count);
        g.b.cond(more, head, done);
        g.b.incoming(phi, next, end);
        g.b.incoming(phi, g.b.c(g.b.i32, 0), g.prologue);
        g.b.at(done);
    }
    g.end_of_stores();
    g.b.ret();
    begin(g, head, body);
    Ok(())
}
