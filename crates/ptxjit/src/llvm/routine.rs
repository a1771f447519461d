//! Routines: functions that are made as a whole, once for all kernels of a process, as object files of their own.
//!
//! A routine finds the registers that it works on in memory, 32 lanes of each side by side. Products keep the layout of the
//! lanes: a vector of sums is a few rows by every other column, the same four columns in each group of four lanes; what it
//! is multiplied by is an element of A spread over its group, and four elements of B the same in all groups. Sums are
//! added to in the order of k, as the function's body says it. [`super::fragments`] calls them.

use super::build::{Builder, Fcmp, Opcode, T, V};
use super::functions::attributes;
use super::target::{self, Level, LlvmError};
use crate::ir::Sign;
use crate::ir::matrix::{Elem, Fragment, Product, Routine, Sum, Transfer};
use inkwell::context::Context;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Lanes of a warp.
const LANES: u32 = 32;
/// The quiet NaN that binary32 arithmetic gives.
const NAN: u64 = 0x7fff_ffff;

/// The routine's name in objects.
pub(super) fn name(routine: &Routine) -> String {
    let text = format!("{routine:?}");
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
    format!("antl.{}", words.join("."))
}

/// Whether there is a routine for a level; elsewhere the function's body is compiled.
pub(super) const fn is_made(level: Level) -> bool {
    !matches!(level, Level::Sse4)
}

/// Types of the parameters: a product has places of D, A, B and C; a move has a place in memory, a stride in bytes (in
/// elements where these are parts of bytes) and a place of registers.
pub(super) fn signature(b: &Builder<'_>, routine: &Routine) -> T {
    let types = match routine {
        Routine::Product(_) => vec![b.ptr; 4],
        Routine::Transfer(_) => vec![b.ptr, b.i64, b.ptr],
    };
    b.function_type(b.void, &types)
}

/// The routine's object file.
///
/// # Errors
/// What LLVM refuses: a fault of ours.
pub(super) fn object(routine: Routine, level: Level) -> Result<Arc<[u8]>, LlvmError> {
    type Known = HashMap<(Routine, Level), Arc<[u8]>>;
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (routine, level);
    if let Some(found) = known().get_or_insert_with(HashMap::new).get(&key) {
        return Ok(found.clone());
    }
    let context = Context::create();
    let llvm = context.create_module("r");
    {
        let b = Builder::new(&context, &llvm);
        let function = b.function(&name(&routine), signature(&b, &routine));
        b.hidden(function);
        attributes(&b, function, level);
        // Who called is found by the frame when a move goes wrong ([`abi::sm::CALLED`]).
        b.text_attribute(function, "frame-pointer", "all");
        b.at(b.block(function));
        match routine {
            Routine::Product(product) => Work::new(&b, level, product).product(function),
            Routine::Transfer(transfer) => move_fragment(&b, function, &transfer),
        }
        b.ret();
    }
    if let Err(error) = llvm.verify() {
        return Err(LlvmError(error.to_string()));
    }
    let made = target::with_machine(level, 2, |machine| {
        target::lay_out(&llvm, machine);
        target::object(&llvm, machine)
    })?;
    let made: Arc<[u8]> = made.into();
    known()
        .get_or_insert_with(HashMap::new)
        .insert(key, made.clone());
    Ok(made)
}

/// Numbers that are multiplied and added up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    F32,
    F64,
    /// Pairs of 16 bits, whose products are added up in 32.
    Pairs,
    /// Bits of which pairs are counted.
    Bits {
        and: bool,
    },
}

/// A product's generation.
struct Work<'a, 'c> {
    b: &'a Builder<'c>,
    level: Level,
    form: Product,
    kind: Kind,
    /// Type of a register's lane.
    word: T,
    /// Type of a sum.
    sum: T,
    /// Lanes of a vector register.
    width: u32,
}

impl<'a, 'c> Work<'a, 'c> {
    fn new(b: &'a Builder<'c>, level: Level, form: Product) -> Self {
        let kind = match form.elems[0] {
            Elem::F64 => Kind::F64,
            Elem::Int8(_) | Elem::Int4(_) => Kind::Pairs,
            Elem::Bit { and } => Kind::Bits { and },
            _ => Kind::F32,
        };
        let (word, sum) = match kind {
            Kind::F64 => (b.i64, b.f64),
            Kind::F32 => (b.i32, b.f32),
            Kind::Pairs | Kind::Bits { .. } => (b.i32, b.i32),
        };
        Self {
            b,
            level,
            form,
            kind,
            word,
            sum,
            width: level.vector_bits() / b.bits_of(word),
        }
    }

    /// Bytes of a register.
    fn register(&self) -> i64 {
        i64::from(LANES * self.b.bits_of(self.word) / 8)
    }

    /// Part number `part` of a register.
    fn load(&self, from: V, register: u32, part: u32, elem: T) -> V {
        let bytes = i64::from(self.width * self.b.bits_of(self.word) / 8);
        let at = self.register() * i64::from(register) + bytes * i64::from(part);
        let p = self.b.offset(from, at);
        self.b.load(self.b.vec(elem, self.width), p, 32)
    }

    fn store(&self, v: V, to: V, register: u32, part: u32) {
        let bytes = i64::from(self.width * self.b.bits_of(self.word) / 8);
        let at = self.register() * i64::from(register) + bytes * i64::from(part);
        self.b.store(v, self.b.offset(to, at), 32);
    }

    /// Factors from words: as many vectors as a word has factors.
    fn factors(&self, words: V, elem: Elem) -> Vec<V> {
        let b = self.b;
        let t = b.type_of(words);
        let lanes = b.lanes_of(t);
        let (f32s, halves) = (b.vec(b.f32, lanes), b.vec(b.i16, 2 * lanes));
        let number = |n: u64| b.c(t, n);
        match elem {
            Elem::F64 => vec![b.bitcast(words, b.vec(b.f64, lanes))],
            Elem::Tf32 => vec![b.bitcast(b.and(words, number(0xffff_e000)), f32s)],
            Elem::Bf16 => {
                let low = b.shl(words, number(16));
                let high = b.and(words, number(0xffff_0000));
                vec![b.bitcast(low, f32s), b.bitcast(high, f32s)]
            }
            Elem::F16 => {
                let (short, half) = (b.vec(b.i16, lanes), b.vec(b.half(), lanes));
                let wide = |v: V| {
                    let v = b.bitcast(b.cast(Opcode::LLVMTrunc, v, short), half);
                    b.cast(Opcode::LLVMFPExt, v, f32s)
                };
                vec![wide(words), wide(b.lshr(words, number(16)))]
            }
            Elem::Small(fmt) => (0..4)
                .map(|n| {
                    let byte = b.and(b.lshr(words, number(8 * n)), number(255));
                    super::small::to_float(b, byte, fmt)
                })
                .collect(),
            Elem::Int8(sign) => {
                let v = b.bitcast(words, halves);
                let eight = b.c(halves, 8);
                let pair = match sign {
                    Sign::Signed => [b.ashr(b.shl(v, eight), eight), b.ashr(v, eight)],
                    Sign::Unsigned => [b.and(v, b.c(halves, 255)), b.lshr(v, eight)],
                };
                pair.map(|v| b.bitcast(v, t)).to_vec()
            }
            Elem::Int4(sign) => {
                let v = b.bitcast(words, halves);
                let twelve = b.c(halves, 12);
                (0..4)
                    .map(|n| {
                        let v = b.shl(v, b.c(halves, 12 - 4 * n));
                        let v = match sign {
                            Sign::Signed => b.ashr(v, twelve),
                            Sign::Unsigned => b.lshr(v, twelve),
                        };
                        b.bitcast(v, t)
                    })
                    .collect()
            }
            Elem::Bit { .. } => vec![words],
        }
    }

    fn add_product(&self, x: V, y: V, sum: V) -> V {
        let b = self.b;
        match self.kind {
            Kind::F32 | Kind::F64 => b.fma(x, y, sum),
            Kind::Pairs => {
                let dot = match self.level {
                    Level::Sse4 => "llvm.x86.sse2.pmadd.wd",
                    Level::Avx2 => "llvm.x86.avx2.pmadd.wd",
                    Level::Avx512 => "llvm.x86.avx512.pmaddw.d.512",
                };
                let halves = b.vec(b.i16, 2 * self.width);
                let (x, y) = (b.bitcast(x, halves), b.bitcast(y, halves));
                b.add(b.intrinsic(dot, &[], &[x, y]), sum)
            }
            Kind::Bits { and } => {
                let both = if and { b.and(x, y) } else { b.xor(x, y) };
                b.add(b.intr("llvm.ctpop", &[both]), sum)
            }
        }
    }

    /// Factors of B for one tile of columns, by block: for each factor of a word 32 lanes, namely four columns of one
    /// parity for each lane of a group, the even ones first.
    fn columns(&self, from: V, tile: u32) -> Vec<Vec<V>> {
        let b = self.b;
        let blocks = self.form.shape.blocks(self.form.elems[0]);
        let order: Vec<i32> = (0..32)
            .map(|place: i32| 8 * (place % 4) + 4 * (place / 16) + place / 4 % 4)
            .collect();
        (0..blocks)
            .map(|block| {
                let at = self.register() * i64::from(tile * blocks + block);
                let words = b.load(b.vec(self.word, LANES), b.offset(from, at), 64);
                let words = b.shuffle(words, b.poison(b.type_of(words)), &order);
                self.factors(words, self.form.elems[1])
            })
            .collect()
    }

    /// Four columns of B in each group of lanes.
    fn spread_columns(&self, factor: V, lane: u32, parity: u32) -> V {
        let first = (16 * parity + 4 * lane).cast_signed();
        let mask: Vec<i32> = (0..self.width.cast_signed())
            .map(|i| first + i % 4)
            .collect();
        self.b
            .shuffle(factor, self.b.poison(self.b.type_of(factor)), &mask)
    }

    /// An element of A in each group of lanes.
    fn spread_row(&self, factor: V, lane: u32) -> V {
        let lane = lane.cast_signed();
        let mask: Vec<i32> = (0..self.width.cast_signed())
            .map(|i| i / 4 * 4 + lane)
            .collect();
        self.b
            .shuffle(factor, self.b.poison(self.b.type_of(factor)), &mask)
    }

    /// Register of C or D, and which half of it where it holds pairs.
    fn place_of_sum(&self, sum: Sum, slice: Slice, column: u32, parity: u32) -> (u32, u32) {
        let (halves, columns) = (self.form.shape.rows() / 8, self.form.shape.column_tiles());
        let first = ((slice.row * columns + column) * halves + slice.half) * 2 + parity;
        match sum {
            Sum::F16 => (first / 2, first % 2),
            Sum::F32 | Sum::F64 | Sum::S32 => (first, 0),
        }
    }

    fn product(&self, function: V) {
        let b = self.b;
        let [d, a, bs, c] = [0, 1, 2, 3].map(|n| b.param(function, n));
        let shape = self.form.shape;
        let columns: Vec<Vec<Vec<V>>> = (0..shape.column_tiles())
            .map(|tile| self.columns(bs, tile))
            .collect();
        let slices: Vec<Slice> = (0..shape.row_tiles())
            .flat_map(|row| (0..shape.rows() / 8).map(move |half| (row, half)))
            .flat_map(|(row, half)| {
                (0..LANES / self.width).map(move |part| Slice { row, half, part })
            })
            .collect();
        // As many sums at a time as registers hold beside what they are made of.
        let most = match self.level {
            Level::Avx512 => 16,
            Level::Avx2 | Level::Sse4 => 8,
        };
        let together = (most / (2 * shape.column_tiles())).max(1) as usize;
        for slices in slices.chunks(together) {
            self.slices(slices, &columns, [d, a, c]);
        }
    }

    /// Sums of some slices of rows, all columns.
    fn slices(&self, slices: &[Slice], columns: &[Vec<Vec<V>>], [d, a, c]: [V; 3]) {
        let b = self.b;
        let shape = self.form.shape;
        let elem = self.form.elems[0];
        let blocks = shape.blocks(elem);
        let tiles = 0..shape.column_tiles();
        let st = b.vec(self.sum, self.width);
        let old: Vec<Vec<[V; 2]>> = slices
            .iter()
            .map(|&slice| {
                let of = |column| [0, 1].map(|parity| self.old_sum(c, slice, column, parity));
                tiles.clone().map(of).collect()
            })
            .collect();
        // A sum that is clamped with C is made from zero.
        let mut sums = match self.form.satfinite {
            true => vec![vec![[b.zero(st); 2]; columns.len()]; slices.len()],
            false => old.clone(),
        };
        for block in 0..blocks {
            let rows: Vec<Vec<V>> = slices
                .iter()
                .map(|slice| {
                    let halves = shape.rows() / 8;
                    let register = (slice.row * blocks + block) * halves + slice.half;
                    self.factors(self.load(a, register, slice.part, self.word), elem)
                })
                .collect();
            for lane in 0..4 {
                for factor in 0..rows[0].len() {
                    let spread: Vec<V> = rows
                        .iter()
                        .map(|row| self.spread_row(row[factor], lane))
                        .collect();
                    for (column, by_block) in columns.iter().enumerate() {
                        for parity in 0..2u32 {
                            let y = by_block[block as usize][factor];
                            let y = self.spread_columns(y, lane, parity);
                            for (&x, sums) in spread.iter().zip(&mut sums) {
                                let sum = &mut sums[column][parity as usize];
                                *sum = self.add_product(x, y, *sum);
                            }
                        }
                    }
                }
            }
        }
        for ((&slice, sums), old) in slices.iter().zip(sums).zip(old) {
            for (column, (sums, old)) in tiles.clone().zip(sums.into_iter().zip(old)) {
                let sums = [0, 1].map(|n| match self.form.satfinite {
                    true => b.intr("llvm.sadd.sat", &[sums[n], old[n]]),
                    false => sums[n],
                });
                self.new_sums(d, slice, column, sums);
            }
        }
    }

    /// C as it comes.
    fn old_sum(&self, c: V, slice: Slice, column: u32, parity: u32) -> V {
        let b = self.b;
        let sum = self.form.sums[1];
        let (register, half) = self.place_of_sum(sum, slice, column, parity);
        match sum {
            Sum::F16 => {
                let words = self.load(c, register, slice.part, self.word);
                self.factors(words, Elem::F16)[half as usize]
            }
            Sum::F32 | Sum::F64 | Sum::S32 => {
                debug_assert_eq!(b.bits_of(self.sum), b.bits_of(self.word));
                self.load(c, register, slice.part, self.sum)
            }
        }
    }

    /// D of even and odd columns.
    fn new_sums(&self, d: V, slice: Slice, column: u32, sums: [V; 2]) {
        let b = self.b;
        let sum = self.form.sums[0];
        let words = b.vec(b.i32, self.width);
        if sum == Sum::F16 {
            let short = b.vec(b.i16, self.width);
            let [even, odd] = sums.map(|v| {
                let nan = b.fcmp(Fcmp::LLVMRealUNO, v, v);
                let half = b.cast(Opcode::LLVMFPTrunc, v, b.vec(b.half(), self.width));
                let half = b.select(nan, b.c(short, 0x7fff), b.bitcast(half, short));
                b.zext(half, words)
            });
            let (register, _) = self.place_of_sum(sum, slice, column, 0);
            let pair = b.or(even, b.shl(odd, b.c(words, 16)));
            self.store(pair, d, register, slice.part);
            return;
        }
        for (parity, v) in (0..).zip(sums) {
            let (register, _) = self.place_of_sum(sum, slice, column, parity);
            let v = if self.kind == Kind::F32 {
                let nan = b.fcmp(Fcmp::LLVMRealUNO, v, v);
                b.select(nan, b.c(words, NAN), b.bitcast(v, words))
            } else {
                v
            };
            self.store(v, d, register, slice.part);
        }
    }
}

/// Some rows of a tile: a part of the registers of one half.
#[derive(Clone, Copy)]
struct Slice {
    row: u32,
    half: u32,
    part: u32,
}

/// A group of registers that hold eight lines of one tile: of each register a lane has `each` elements.
struct Group {
    /// Row of A or C, column of B.
    line: u32,
    /// Column of A or C, row of B.
    place: u32,
    /// The first register.
    register: u32,
}

/// How fragments lie in registers and in memory.
pub(super) struct Layout {
    groups: Vec<Group>,
    /// Registers of a group: of several, each has every other element.
    registers: u32,
    /// Elements of a lane's register; 1 for parts of bytes, which are moved by words.
    each: u32,
    /// Bits of what is moved as one.
    bits: u32,
    /// Bits of an element.
    element: u32,
    /// Bits of what the function's body moves at a time.
    access: u32,
    /// Lines follow one another in memory.
    in_line: bool,
}

impl Layout {
    pub(super) fn of(transfer: &Transfer) -> Self {
        let (shape, row_major) = (transfer.shape, transfer.row_major);
        let mut groups = Vec::new();
        let (elem, is_a) = match transfer.fragment {
            Fragment::A(elem) => (elem, true),
            Fragment::B(elem) => (elem, false),
            Fragment::C(sum) => {
                let registers = if sum == Sum::F16 { 1 } else { 2 };
                for row in 0..shape.row_tiles() {
                    for column in 0..shape.column_tiles() {
                        for half in 0..shape.rows() / 8 {
                            groups.push(Group {
                                line: row * shape.rows() + 8 * half,
                                place: 8 * column,
                                register: registers * u32::try_from(groups.len()).unwrap_or(0),
                            });
                        }
                    }
                }
                let bits = sum.memory().bits();
                return Self {
                    groups,
                    registers,
                    each: 2 / registers,
                    bits,
                    element: bits,
                    access: bits,
                    in_line: row_major,
                };
            }
        };
        let (tiles, halves, lines) = match is_a {
            true => (shape.row_tiles(), shape.rows() / 8, shape.rows()),
            false => (shape.column_tiles(), 1, 8),
        };
        let element = elem.register().bits() / elem.per_register();
        let each = if element < 8 { 1 } else { elem.per_register() };
        for tile in 0..tiles {
            for block in 0..shape.blocks(elem) {
                for half in 0..halves {
                    groups.push(Group {
                        line: tile * lines + 8 * half,
                        place: 4 * each * block,
                        register: u32::try_from(groups.len()).unwrap_or(0),
                    });
                }
            }
        }
        let bits = elem.register().bits() / each;
        let in_line = is_a == row_major;
        Self {
            groups,
            registers: 1,
            each,
            bits,
            element,
            access: if in_line { bits * each } else { bits },
            in_line,
        }
    }

    /// What addresses are multiples of, bytes, and elements of which strides must be.
    pub(super) const fn alignment(&self) -> (u32, u32) {
        (self.access / 8, self.access / self.element)
    }

    /// Bytes of an element, if it has whole ones.
    pub(super) fn bytes(&self) -> Option<u32> {
        (self.element >= 8).then_some(self.element / 8)
    }
}

/// Moves a fragment: `fn(matrix, stride, registers)`.
fn move_fragment(b: &Builder<'_>, function: V, transfer: &Transfer) {
    let layout = Layout::of(transfer);
    let [matrix, stride, registers] = [0, 1, 2].map(|n| b.param(function, n));
    let i64 = b.i64;
    let elem = b.int(layout.bits);
    let (each, count) = (layout.each, layout.registers);
    // Elements of a line, or lines where they lie across.
    let across = 4 * each * count;
    let (lines, length) = match layout.in_line {
        true => (8, across),
        false => (across, 8),
    };
    let line_type = b.vec(elem, length);
    let bytes = i64::from(layout.bits / 8);
    let register_bytes = i64::from(LANES * each) * bytes;
    let offset = |line: u32| {
        let at = b.mul(stride, b.c(i64, line.into()));
        match layout.bytes() {
            Some(_) => at,
            None => b.lshr(at, b.c(i64, u64::from(3 - layout.element.ilog2()))),
        }
    };
    let mut known: HashMap<u32, V> = HashMap::new();
    let mut line_at = |line: u32, place: u32| {
        let p = *known
            .entry(line)
            .or_insert_with(|| b.gep8(matrix, offset(line)));
        b.offset(p, i64::from(place) * bytes)
    };
    let align = layout.access / 8;
    let pick = |v: V, order: Vec<u32>| {
        let same = order.iter().copied().eq(0..b.lanes_of(b.type_of(v)));
        let order: Vec<i32> = order.into_iter().map(u32::cast_signed).collect();
        match same {
            true => v,
            false => b.shuffle(v, b.poison(b.type_of(v)), &order),
        }
    };
    for group in &layout.groups {
        let (first_line, first_place) = match layout.in_line {
            true => (group.line, group.place),
            false => (group.place, group.line),
        };
        let places: Vec<V> = (0..lines)
            .map(|n| line_at(first_line + n, first_place))
            .collect();
        let register = |n: u32| {
            let at = register_bytes * i64::from(group.register + n);
            b.offset(registers, at)
        };
        if layout.in_line {
            // Each line is what a group of four lanes holds.
            let quad = b.vec(elem, 4 * each);
            for (g, &place) in (0i64..).zip(&places) {
                let at = |n: u32| b.offset(register(n), g * 4 * i64::from(each) * bytes);
                if transfer.stores {
                    let parts: Vec<V> = (0..count).map(|n| b.load(quad, at(n), 16)).collect();
                    let all = b.concat(&parts);
                    let order = (0..across).map(|j| j % count * 4 * each + j / count);
                    b.store(pick(all, order.collect()), place, align);
                } else {
                    let all = b.load(line_type, place, align);
                    for n in 0..count {
                        let order = (0..4 * each).map(|j| j * count + n);
                        b.store(pick(all, order.collect()), at(n), 16);
                    }
                }
            }
            continue;
        }
        let whole = b.vec(elem, LANES * each);
        if transfer.stores {
            let parts: Vec<V> = (0..count).map(|n| b.load(whole, register(n), 64)).collect();
            let all = b.concat(&parts);
            for (j, &place) in (0..).zip(&places) {
                let first = j % count * LANES * each + j / count;
                let order = (0..8).map(|g| first + 4 * each * g);
                b.store(pick(all, order.collect()), place, align);
            }
        } else {
            let parts: Vec<V> = places
                .iter()
                .map(|&p| b.load(line_type, p, align))
                .collect();
            let all = b.concat(&parts);
            for n in 0..count {
                let of = |g: u32| (0..4 * each).map(move |j| (j * count + n) * 8 + g);
                b.store(pick(all, (0..8).flat_map(of).collect()), register(n), 64);
            }
        }
    }
}
