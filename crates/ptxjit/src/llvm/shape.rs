//! What each value looks like across the lanes of a warp, and, following from that, which branches diverge.

use super::flow::Flow;
use crate::ir::{
    Block, Function, Id, Inst, Int, IntCmp, Op, Order, ShflMode, Space, Special, Ty, Value,
    ValueDef,
};
use std::collections::{HashMap, HashSet};

/// How lanes map to threads.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// Lanes of a vector: 32, or 16 where a row of the block has 16 threads and nothing in the code sees the warp.
    pub width: u32,
    /// Block dimensions; 0 = unknown.
    pub block: [u32; 3],
    /// Values that all threads of the block are known to agree on ([`super::agreement`]).
    pub agreed: HashSet<Value>,
    /// Lanes run one by one ([`super::lanewise`]), and extend their indices themselves.
    pub one_by_one: bool,
}

impl Lanes {
    /// A vector of one lane.
    #[must_use]
    pub fn single() -> Self {
        Self {
            width: 1,
            block: [1; 3],
            agreed: HashSet::new(),
            one_by_one: false,
        }
    }

    /// Threads of a block, if known.
    #[must_use]
    pub fn threads(&self) -> Option<u32> {
        let n = self.block.iter().product();
        (n > 0).then_some(n)
    }

    /// Offsets of `%tid` in a dimension against that of a strip's first lane, if they are the same in every strip.
    #[must_use]
    pub fn tid(&self, dimension: usize) -> Option<Vec<i64>> {
        let threads = self.threads()?;
        let [bx, by, _] = self.block;
        let at = |t: u32| {
            let t = t.min(threads - 1);
            i64::from([t % bx, t / bx % by, t / (bx * by)][dimension])
        };
        let strip = |w: u32| -> Vec<i64> {
            let first = w * self.width;
            (0..self.width).map(|l| at(first + l) - at(first)).collect()
        };
        let mut first = strip(0);
        // A partial strip: lanes past the end may hold anything, so let the pattern go on.
        if threads < self.width && bx == threads {
            first = (0..i64::from(self.width))
                .map(|l| if dimension == 0 { l } else { 0 })
                .collect();
            return Some(first);
        }
        for w in 1..threads.div_ceil(self.width) {
            let live = (threads - w * self.width).min(self.width) as usize;
            if strip(w)[..live] != first[..live] {
                return None;
            }
        }
        Some(first)
    }

    /// Whether `%tid` in a dimension is the same for all threads of all strips' first lanes (then that constant).
    #[must_use]
    pub fn tid_base(&self, dimension: usize) -> Option<u32> {
        let threads = self.threads()?;
        let [bx, by, _] = self.block;
        let base = |w: u32| {
            let t = w * self.width;
            [t % bx, t / bx % by, t / (bx * by)][dimension]
        };
        let first = base(0);
        (1..threads.div_ceil(self.width))
            .all(|w| base(w) == first)
            .then_some(first)
    }

    /// Power of two that divides the base of `%tid` in a dimension.
    fn tid_zeros(&self, dimension: usize) -> u32 {
        let Some(threads) = self.threads() else {
            return 0;
        };
        let [bx, by, _] = self.block;
        (0..threads.div_ceil(self.width))
            .map(|w| {
                let t = w * self.width;
                [t % bx, t / bx % by, t / (bx * by)][dimension].trailing_zeros()
            })
            .min()
            .unwrap_or(0)
    }
}

/// Index into [`Shapes::patterns`].
pub type Pattern = usize;

/// What a value looks like across lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Not yet known (no definition seen).
    Bottom,
    /// A scalar base plus a constant offset per lane; pattern 0: the same in all lanes.
    Affine(Pattern),
    /// Anything.
    Varying,
}

/// The pattern of zeros.
pub const UNIFORM: Shape = Shape::Affine(0);

/// The result.
#[derive(Clone, Debug)]
pub struct Shapes {
    /// Shape by value.
    pub of: Vec<Shape>,
    /// Trailing zero bits that a uniform value or an affine value's base surely has.
    pub zeros: Vec<u32>,
    /// Offsets per lane.
    pub patterns: Vec<Vec<i64>>,
    known: HashMap<Vec<i64>, Pattern>,
    width: usize,
}

/// What is known about control flow while shapes are computed.
pub trait Control {
    /// Whether different lanes may come to `block` by different edges at once.
    fn mixes(&self, block: usize, back_edges: bool) -> bool;
    /// Whether a use in `at` of a value defined in `def` sees different iterations in different lanes.
    fn temporal(&self, def: usize, at: usize) -> bool;
    /// Whether a sign-extended index may be taken as consecutive where the index is.
    fn extends(&self, extended: Value) -> bool;
}

impl Shapes {
    fn new(function: &Function, lanes: &Lanes) -> Self {
        let zero = vec![0; lanes.width as usize];
        Self {
            of: vec![Shape::Bottom; function.values.len()],
            zeros: vec![0; function.values.len()],
            patterns: vec![zero.clone()],
            known: HashMap::from([(zero, 0)]),
            width: lanes.width as usize,
        }
    }

    /// All values of a function for a vector of one lane.
    #[must_use]
    pub fn single(function: &Function) -> Self {
        Self {
            of: vec![UNIFORM; function.values.len()],
            ..Self::new(function, &Lanes::single())
        }
    }

    /// Whether all offsets lie in the `zeros` low bits.
    pub(super) fn fits_below(&self, p: Pattern, zeros: u32) -> bool {
        self.patterns[p]
            .iter()
            .all(|o| (0..1i64 << zeros.min(31)).contains(o))
    }

    /// Whether lanes lie so close together that they are meant as indices, and not as numbers that wrap: sign extension
    /// may then take it that none does (`super::index` checks).
    fn is_index(&self, p: Pattern) -> bool {
        self.patterns[p].iter().all(|o| o.unsigned_abs() < 1 << 20)
    }

    fn pattern(&mut self, offsets: Vec<i64>) -> Shape {
        if let Some(&p) = self.known.get(&offsets) {
            return Shape::Affine(p);
        }
        // A pathological kernel could make patterns without end.
        if self.patterns.len() > 4096 {
            return Shape::Varying;
        }
        let p = self.patterns.len();
        self.known.insert(offsets.clone(), p);
        self.patterns.push(offsets);
        Shape::Affine(p)
    }

    /// The offsets of a shape, if it has some.
    #[must_use]
    pub fn offsets(&self, shape: Shape) -> Option<&[i64]> {
        match shape {
            Shape::Affine(p) => Some(&self.patterns[p]),
            Shape::Bottom | Shape::Varying => None,
        }
    }

    /// Shape of a value (bottom counts as uniform: it is never defined).
    #[must_use]
    pub fn shape(&self, value: Value) -> Shape {
        match self.of[value.index()] {
            Shape::Bottom => UNIFORM,
            other => other,
        }
    }

    fn map(&mut self, p: Pattern, bits: u32, f: impl Fn(i64) -> i64) -> Shape {
        let new = self.patterns[p].iter().map(|&o| wrap(f(o), bits)).collect();
        self.pattern(new)
    }

    fn zip(&mut self, a: Pattern, b: Pattern, bits: u32, f: impl Fn(i64, i64) -> i64) -> Shape {
        let new = self.patterns[a]
            .iter()
            .zip(&self.patterns[b])
            .map(|(&a, &b)| wrap(f(a, b), bits))
            .collect();
        self.pattern(new)
    }
}

fn wrap(value: i64, bits: u32) -> i64 {
    if bits >= 64 {
        value
    } else {
        value << (64 - bits) >> (64 - bits)
    }
}

fn join(a: Shape, b: Shape) -> Shape {
    match (a, b) {
        (Shape::Bottom, x) | (x, Shape::Bottom) => x,
        (a, b) if a == b => a,
        _ => Shape::Varying,
    }
}

/// Block that defines a value.
#[must_use]
pub fn def_blocks(function: &Function) -> Vec<Option<usize>> {
    let mut out = vec![None; function.values.len()];
    for (block, data) in function.blocks.iter() {
        for &p in &data.params {
            out[p.index()] = Some(block.index());
        }
        for &inst in &data.insts {
            for r in function.results(inst) {
                out[r.index()] = Some(block.index());
            }
        }
    }
    out
}

/// Computes shapes under what is known about control flow. `given`: by how much lanes' parameters of a function differ
/// from the first lane's, where that is known.
#[must_use]
pub fn shapes(
    function: &Function,
    flow: &Flow,
    lanes: &Lanes,
    control: &dyn Control,
    defs: &[Option<usize>],
    given: &[Option<Vec<i64>>],
) -> Shapes {
    let mut s = Shapes::new(function, lanes);
    for (value, data) in function.values.iter() {
        match data.def {
            ValueDef::Const(bits) => {
                s.of[value.index()] = UNIFORM;
                s.zeros[value.index()] = bits.trailing_zeros();
            }
            ValueDef::Undef => s.of[value.index()] = UNIFORM,
            ValueDef::Inst(..) | ValueDef::Param(..) => {}
        }
    }
    // Parameters of a called function may hold anything, unless the caller is known.
    for (i, &p) in function.blocks[function.entry].params.iter().enumerate() {
        let known = given.get(i).cloned().flatten();
        s.of[p.index()] = known.map_or(Shape::Varying, |offsets| s.pattern(offsets));
    }
    let mut changed = true;
    let mut rounds = 0;
    while changed || begin_undefined(&mut s, function, flow) {
        changed = false;
        rounds += 1;
        for &b in &flow.order {
            let block = Block::from_index(b);
            let data = &function.blocks[block];
            for (i, &param) in data.params.iter().enumerate() {
                if block == function.entry && flow.preds[b].is_empty() {
                    continue;
                }
                let (mut shape, zeros) = param_shape(&s, function, flow, control, defs, b, i);
                if s.of[param.index()] != Shape::Bottom {
                    shape = join(s.of[param.index()], shape);
                }
                let zeros = if s.of[param.index()] == Shape::Bottom {
                    zeros
                } else {
                    zeros.min(s.zeros[param.index()])
                };
                changed |= set(&mut s, param, shape, zeros);
            }
            for &inst in &data.insts {
                changed |= transfer(&mut s, function, lanes, control, defs, b, inst, rounds > 8);
            }
        }
    }
    s
}

/// Registers that a loop carries around before anything was written to them: nothing is known of what enters the loop,
/// and what comes round depends on itself. Whether there were some.
fn begin_undefined(s: &mut Shapes, function: &Function, flow: &Flow) -> bool {
    let mut some = false;
    for &b in &flow.order {
        for &param in &function.blocks[Block::from_index(b)].params {
            if s.of[param.index()] == Shape::Bottom && !flow.preds[b].is_empty() {
                some |= set(s, param, UNIFORM, 0);
            }
        }
    }
    some
}

fn set(s: &mut Shapes, value: Value, shape: Shape, zeros: u32) -> bool {
    let i = value.index();
    let changed = s.of[i] != shape || s.zeros[i] != zeros;
    s.of[i] = shape;
    s.zeros[i] = zeros;
    changed
}

fn used(
    s: &Shapes,
    control: &dyn Control,
    defs: &[Option<usize>],
    value: Value,
    at: usize,
) -> Shape {
    match defs[value.index()] {
        Some(def) if s.of[value.index()] != Shape::Bottom && control.temporal(def, at) => {
            Shape::Varying
        }
        Some(_) | None => s.of[value.index()],
    }
}

fn param_shape(
    s: &Shapes,
    function: &Function,
    flow: &Flow,
    control: &dyn Control,
    defs: &[Option<usize>],
    b: usize,
    i: usize,
) -> (Shape, u32) {
    let mut shape = Shape::Bottom;
    let mut zeros = 64;
    // (from a back edge, value)
    let mut seen: Vec<(bool, Value)> = Vec::new();
    let mut preds = flow.preds[b].clone();
    preds.dedup();
    preds.sort_unstable();
    preds.dedup();
    for p in preds {
        let back = flow.pos[p] >= flow.pos[b];
        for edge in function.blocks[Block::from_index(p)].term.edges() {
            if edge.block.index() != b {
                continue;
            }
            let arg = edge.args[i];
            if matches!(function.values[arg].def, ValueDef::Undef) {
                continue;
            }
            let mut this = used(s, control, defs, arg, b);
            if this == Shape::Bottom {
                continue;
            }
            // What a loop passes out of itself, lane by lane, in different iterations.
            if back {
                this = used(s, control, defs, arg, p);
            }
            shape = join(shape, this);
            zeros = zeros.min(s.zeros[arg.index()]);
            if control.mixes(b, back) && seen.iter().any(|&(k, v)| k == back && v != arg) {
                shape = Shape::Varying;
            }
            seen.push((back, arg));
        }
    }
    if shape == Shape::Bottom && flow.preds[b].is_empty() {
        shape = Shape::Varying;
    }
    (shape, zeros)
}

/// Whether an operation gives the same in every lane for the same operands, and nothing else matters.
fn is_lanewise(op: &Op) -> bool {
    op.props().is_empty() || op.props() == crate::ir::Props::COMMUTES
}

#[expect(clippy::too_many_arguments, reason = "one step of the loop above")]
fn transfer(
    s: &mut Shapes,
    function: &Function,
    lanes: &Lanes,
    control: &dyn Control,
    defs: &[Option<usize>],
    block: usize,
    inst: Inst,
    settle: bool,
) -> bool {
    let data = &function.insts[inst];
    let args = function.args(inst);
    let results: Vec<Value> = function.results(inst).collect();
    if results.is_empty() {
        return false;
    }
    if lanes.agreed.contains(&results[0]) {
        return set(s, results[0], UNIFORM, 0);
    }
    let shapes: Vec<Shape> = args
        .iter()
        .map(|&a| used(s, control, defs, a, block))
        .collect();
    let zeros: Vec<u32> = args.iter().map(|&a| s.zeros[a.index()]).collect();
    if shapes.contains(&Shape::Bottom) {
        return false;
    }
    let all_uniform = shapes.iter().all(|&x| x == UNIFORM);
    let constant = |i: usize| function.as_const(args[i]);
    let bits = function.ty(results[0]).bits();
    let mut tz = 0;
    let shape = match data.op {
        Op::Special { reg } => {
            let (shape, zeros) = special(s, lanes, reg);
            tz = zeros;
            shape
        }
        Op::LocalAddr { .. } | Op::GlobalAddr { .. } => UNIFORM,
        Op::Load { access } => match access.space {
            Space::Local => Shape::Varying,
            Space::Generic | Space::Global | Space::Const | Space::Shared | Space::Param => {
                if all_uniform {
                    UNIFORM
                } else {
                    Shape::Varying
                }
            }
        },
        Op::ToGeneric {
            space: Space::Local,
        }
        | Op::FromGeneric {
            space: Space::Local,
        } => Shape::Varying,
        Op::ToGeneric { .. } | Op::FromGeneric { .. } => {
            tz = zeros[0].min(6);
            shapes[0]
        }
        Op::Shfl {
            mode: ShflMode::Idx,
        } if shapes[1] == UNIFORM && constant(2) == Some(31) && shapes[3] == UNIFORM => UNIFORM,
        Op::Ballot | Op::Vote { .. } | Op::MatchAll { .. } | Op::Redux { .. }
            if shapes[1] == UNIFORM =>
        {
            UNIFORM
        }
        Op::ActiveMask => UNIFORM,
        Op::BarrierRed { .. } => UNIFORM,
        // Lanes may have allocated before under different masks.
        Op::StackSave | Op::Alloca { .. } => Shape::Varying,
        Op::Add { w } if w != Int::I16x2 => match (shapes[0], shapes[1]) {
            (Shape::Affine(a), Shape::Affine(b)) => {
                tz = zeros[0].min(zeros[1]);
                s.zip(a, b, bits, i64::wrapping_add)
            }
            _ => Shape::Varying,
        },
        Op::Sub { w } if w != Int::I16x2 => match (shapes[0], shapes[1]) {
            (Shape::Affine(a), Shape::Affine(b)) => {
                tz = zeros[0].min(zeros[1]);
                s.zip(a, b, bits, i64::wrapping_sub)
            }
            _ => Shape::Varying,
        },
        Op::Mul { w } if w != Int::I16x2 => {
            tz = zeros[0].saturating_add(zeros[1]).min(63);
            match (shapes[0], shapes[1], constant(0), constant(1)) {
                (Shape::Affine(a), _, _, Some(c)) | (_, Shape::Affine(a), Some(c), _) => {
                    s.map(a, bits, |o| o.wrapping_mul(c.cast_signed()))
                }
                _ if all_uniform => UNIFORM,
                _ => Shape::Varying,
            }
        }
        Op::MulWide { w, sign } => {
            tz = zeros[0].saturating_add(zeros[1]).min(63);
            let signed = sign == crate::ir::Sign::Signed;
            let extend = |c: u64| {
                if signed {
                    wrap(c.cast_signed(), w.bits())
                } else {
                    c.cast_signed()
                }
            };
            match (shapes[0], shapes[1], constant(0), constant(1)) {
                _ if all_uniform => UNIFORM,
                (Shape::Affine(a), UNIFORM, _, Some(c))
                | (UNIFORM, Shape::Affine(a), Some(c), _)
                    if signed
                        && w == Int::I32
                        && s.is_index(a)
                        && control.extends(results[0])
                        && !lanes.one_by_one =>
                {
                    s.map(a, bits, |o| o.wrapping_mul(extend(c)))
                }
                // No carry out of 32 bits: the offsets lie in the base's zero bits.
                (Shape::Affine(a), UNIFORM, _, Some(c))
                    if !signed && w == Int::I32 && s.fits_below(a, zeros[0]) =>
                {
                    s.map(a, bits, |o| o.wrapping_mul(extend(c)))
                }
                (UNIFORM, Shape::Affine(a), Some(c), _)
                    if !signed && w == Int::I32 && s.fits_below(a, zeros[1]) =>
                {
                    s.map(a, bits, |o| o.wrapping_mul(extend(c)))
                }
                _ => Shape::Varying,
            }
        }
        Op::Shl { w } if w != Int::I16x2 => match (shapes[0], constant(1)) {
            (Shape::Affine(a), Some(c)) if c < u64::from(w.bits()) => {
                tz = (zeros[0] + u32::try_from(c).unwrap_or(0)).min(63);
                s.map(a, bits, |o| o << c)
            }
            _ if all_uniform => UNIFORM,
            _ => Shape::Varying,
        },
        Op::Shr { w, .. } if !all_uniform && w != Int::I16x2 => match (shapes[0], constant(1)) {
            // Offsets below the bits that are kept, under a base that has none there.
            (Shape::Affine(a), Some(c))
                if c <= u64::from(zeros[0].min(31))
                    && s.patterns[a]
                        .iter()
                        .all(|&o| (0..1i64 << zeros[0].min(31)).contains(&o)) =>
            {
                tz = zeros[0] - u32::try_from(c).unwrap_or(0);
                s.map(a, bits, |o| o >> c)
            }
            _ => Shape::Varying,
        },
        Op::And { .. } if !all_uniform => {
            let (x, mask) = if constant(1).is_some() {
                (0, constant(1))
            } else {
                (1, constant(0))
            };
            match (shapes[x], mask) {
                (Shape::Affine(a), Some(m))
                    if s.patterns[a]
                        .iter()
                        .all(|&o| (0..1i64 << zeros[x].min(31)).contains(&o)) =>
                {
                    tz = zeros[x].max(m.trailing_zeros().min(63));
                    s.map(a, bits, |o| o & m.cast_signed())
                }
                _ => Shape::Varying,
            }
        }
        Op::Sext {
            from: Ty::B32,
            to: Ty::B64,
        } => {
            tz = zeros[0];
            match shapes[0] {
                UNIFORM => UNIFORM,
                Shape::Affine(a)
                    if s.is_index(a) && control.extends(results[0]) && !lanes.one_by_one =>
                {
                    shapes[0]
                }
                _ => Shape::Varying,
            }
        }
        Op::Zext {
            from: Ty::B32,
            to: Ty::B64,
        } => match shapes[0] {
            // No carry out of 32 bits: the offsets lie in the base's zero bits.
            Shape::Affine(a)
                if s.patterns[a]
                    .iter()
                    .all(|&o| (0..1i64 << zeros[0].min(31)).contains(&o)) =>
            {
                tz = zeros[0];
                shapes[0]
            }
            _ => Shape::Varying,
        },
        Op::Trunc {
            from: Ty::B64,
            to: Ty::B32,
        } => match shapes[0] {
            Shape::Affine(a) => {
                tz = zeros[0];
                s.map(a, 32, |o| o)
            }
            other => other,
        },
        Op::ICmp { cmp, .. }
            if all_uniform || same_side(s, function, cmp, args, &shapes, &zeros) =>
        {
            UNIFORM
        }
        Op::Select { .. } => match (shapes[0], join(shapes[1], shapes[2])) {
            (UNIFORM, same) => {
                tz = zeros[1].min(zeros[2]);
                same
            }
            _ if args[1] == args[2] => {
                tz = zeros[1];
                shapes[1]
            }
            _ => Shape::Varying,
        },
        ref op if is_lanewise(op) && all_uniform => UNIFORM,
        _ => Shape::Varying,
    };
    let guarded = data.guard.is_some();
    let mut changed = false;
    for (i, &r) in results.iter().enumerate() {
        let mut shape = if i == 0 || shape == UNIFORM || shape == Shape::Varying {
            shape
        } else {
            Shape::Varying
        };
        if matches!(function.ty(r), Ty::Pred | Ty::B8 | Ty::B16 | Ty::B128) && shape != UNIFORM {
            shape = Shape::Varying;
        }
        // Which lanes take part in a guarded atomic, vote or exchange differs.
        if guarded && !matches!(data.op, Op::Load { .. }) {
            shape = Shape::Varying;
        }
        // Elected lane's predicate, exchange's range predicate.
        if i > 0 && matches!(data.op, Op::Shfl { .. } | Op::Elect) {
            shape = Shape::Varying;
        }
        let old = s.of[r.index()];
        let mut zeros = tz.min(63);
        if old != Shape::Bottom {
            // Monotone: what once changed only goes down.
            shape = if old == shape {
                shape
            } else if settle || old == Shape::Varying {
                Shape::Varying
            } else {
                join(old, shape)
            };
            zeros = zeros.min(s.zeros[r.index()]);
        }
        changed |= set(s, r, shape, zeros);
    }
    changed
}

/// Whether no bound lies between the lanes of a comparison: they fill an aligned span, and the other operand is a
/// multiple of its size. The first lane's operands then decide for all.
fn same_side(
    s: &Shapes,
    function: &Function,
    cmp: IntCmp,
    args: &[Value],
    shapes: &[Shape],
    zeros: &[u32],
) -> bool {
    let (lanes, bound) = match (shapes[0], shapes[1]) {
        (Shape::Affine(_), UNIFORM) => (0, 1),
        (UNIFORM, Shape::Affine(_)) => (1, 0),
        _ => return false,
    };
    let Shape::Affine(pattern) = shapes[lanes] else {
        return false;
    };
    let span = (0..=zeros[lanes].min(16)).find(|&z| s.fits_below(pattern, z));
    let Some(span) = span else {
        return false;
    };
    let multiple = zeros[bound] >= span;
    // A bound that is the last of a span.
    let last = function
        .as_const(args[bound])
        .is_some_and(|c| c.trailing_ones() >= span);
    match (cmp, lanes == 0) {
        (IntCmp::Eq | IntCmp::Ne, _) => false,
        // x < bound, x >= bound
        (IntCmp::Slt | IntCmp::Sge | IntCmp::Ult | IntCmp::Uge, true)
        | (IntCmp::Sgt | IntCmp::Sle | IntCmp::Ugt | IntCmp::Ule, false) => multiple,
        // x <= bound, x > bound
        (IntCmp::Sgt | IntCmp::Sle | IntCmp::Ugt | IntCmp::Ule, true)
        | (IntCmp::Slt | IntCmp::Sge | IntCmp::Ult | IntCmp::Uge, false) => last,
    }
}

fn special(s: &mut Shapes, lanes: &Lanes, reg: Special) -> (Shape, u32) {
    let width = s.width;
    let dimension = match reg {
        Special::TidX => 0,
        Special::TidY => 1,
        Special::TidZ => 2,
        Special::LaneId => {
            let p = (0..width).map(|l| i64::try_from(l).unwrap_or(0)).collect();
            return (s.pattern(p), if width == 32 { 63 } else { 4 });
        }
        Special::LaneMaskEq
        | Special::LaneMaskLe
        | Special::LaneMaskLt
        | Special::LaneMaskGe
        | Special::LaneMaskGt => {
            return (Shape::Varying, 0);
        }
        Special::NTidX | Special::NTidY | Special::NTidZ => {
            let d = match reg {
                Special::NTidX => 0,
                Special::NTidY => 1,
                _ => 2,
            };
            let n = lanes.block[d];
            return (UNIFORM, if n > 0 { n.trailing_zeros() } else { 0 });
        }
        _ => return (UNIFORM, 0),
    };
    match lanes.tid(dimension) {
        Some(p) => {
            let zeros = lanes.tid_zeros(dimension);
            (s.pattern(p), zeros.min(31))
        }
        None => (Shape::Varying, 0),
    }
}

/// Whether a memory order asks for more than a plain access.
#[must_use]
pub fn is_strong(order: Order) -> bool {
    order != Order::Weak
}
