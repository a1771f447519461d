//! Matrix instructions of a warp: `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`, as exchanges between lanes and
//! scalar arithmetic.
//!
//! A register of A or B holds E = 32 / width consecutive elements of a row of A or a column of B (PTX ISA 9.0, 9.7.14,
//! the figures of `mma`). In a block of 4E values of k, the lane with number t in its group of four holds those from
//! E·t; the group's number g is the row of A (and g + 8 in a second register), and the column of B. Of C and D a lane
//! holds row g (and g + 8), columns 2t and 2t + 1. The fragments of `wmma`, whose layout PTX leaves open, are tiles of
//! that kind one after the other; registers beyond them repeat the first ones.

use super::address::Target;
use super::ssa::Builder;
use super::{Lower, Result, Why};
use crate::ir::matrix::{Elem, Fragment, Product, Routine, Shape, Sum, Transfer};
use crate::ir::{
    Access, Float, FloatMode, Func, Function, Int, IntCmp, Op, ShflMode, Sign, Signature, Space,
    Special, Terminator, Ty, Value,
};
use ptx::checked::{Instruction, Operand};
use ptx::types::StateSpace;

const ALL: u64 = 0xffff_ffff;
/// Lanes exchange within their group of four.
const QUAD: u64 = 0x1c1f;
const ANY_LANE: u64 = 31;

const NEAREST: FloatMode = FloatMode::NEAREST;

fn parts(operand: Option<&Operand>) -> &[Operand] {
    match operand {
        Some(Operand::Vector(parts)) => parts,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    }
}

impl<'a> Lower<'_, 'a> {
    /// A matrix instruction; `None`: it is another one.
    pub(super) fn matrix(
        &mut self,
        i: &'a Instruction,
        opcode: &str,
        modifiers: &[&str],
    ) -> Result<Option<()>> {
        match (opcode, modifiers) {
            ("mma", ["sync", "aligned", rest @ ..]) => self.mma(i, rest)?,
            ("wmma", ["load", which, "sync", "aligned", rest @ ..]) => {
                self.wmma_load(i, which, rest)?;
            }
            ("wmma", ["store", "d", "sync", "aligned", rest @ ..]) => self.wmma_store(i, rest)?,
            ("wmma", ["mma", rest @ ..]) => self.wmma_mma(i, rest)?,
            ("ldmatrix" | "stmatrix", ["sync", "aligned", rest @ ..]) => {
                let Some(count) = count_of_matrices(rest) else {
                    return Ok(None);
                };
                if opcode == "ldmatrix" {
                    self.ldmatrix(i, count, rest)?;
                } else {
                    self.stmatrix(i, count, rest)?;
                }
            }
            ("movmatrix", ["sync", "aligned", "m8n8", "trans", "b16"]) => self.movmatrix(i)?,
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    // Exchange.

    fn word(&mut self, value: u64) -> Value {
        self.constant(Ty::B32, value)
    }

    fn binary(&mut self, op: Op, a: Value, b: u64) -> Value {
        let b = self.word(b);
        self.op(op, &[a, b])
    }

    fn add_number(&mut self, a: Value, b: u64) -> Value {
        self.binary(Op::Add { w: Int::I32 }, a, b)
    }

    fn lane(&mut self) -> Value {
        self.op(
            Op::Special {
                reg: Special::LaneId,
            },
            &[],
        )
    }

    fn shift_right(&mut self, a: Value, by: u64) -> Value {
        let (w, sign) = (Int::I32, Sign::Unsigned);
        self.binary(Op::Shr { w, sign }, a, by)
    }

    fn shift_left(&mut self, a: Value, by: u64) -> Value {
        self.binary(Op::Shl { w: Int::I32 }, a, by)
    }

    fn and_number(&mut self, a: Value, mask: u64) -> Value {
        self.binary(Op::And { ty: Ty::B32 }, a, mask)
    }

    fn shuffle(&mut self, value: Value, lane: Value, clamp: u64) -> Value {
        let (clamp, members) = (self.word(clamp), self.word(ALL));
        let mode = ShflMode::Idx;
        if self.b.function.ty(value) == Ty::B64 {
            let mut halves = [value; 2];
            for (index, half) in (0u8..).zip(&mut halves) {
                let (from, to) = (Ty::B64, Ty::B32);
                let part = self.op(Op::Extract { from, to, index }, &[value]);
                let inst = self.inst(Op::Shfl { mode }, &[part, lane, clamp, members]);
                *half = self.result(inst, 0);
            }
            let (elem, to) = (Ty::B32, Ty::B64);
            return self.op(Op::Pack { elem, to }, &halves);
        }
        let inst = self.inst(Op::Shfl { mode }, &[value, lane, clamp, members]);
        self.result(inst, 0)
    }

    // Products.

    /// An element of a register as a number to compute with.
    fn element(&mut self, elem: Elem, register: Value, index: u32) -> Value {
        let small = |this: &mut Self, ty: Ty| {
            let index = u8::try_from(index).unwrap_or(0);
            let (from, to) = (Ty::B32, ty);
            this.op(Op::Extract { from, to, index }, &[register])
        };
        let (value, from) = match elem {
            Elem::F16 => (small(self, Ty::B16), Float::F16),
            Elem::Bf16 => (small(self, Ty::B16), Float::Bf16),
            Elem::Small(fmt) => (small(self, Ty::B8), fmt),
            Elem::Tf32 => return self.and_number(register, 0xffff_e000),
            Elem::F64 | Elem::Int8(_) | Elem::Bit { .. } => return register,
            Elem::Int4(sign) => {
                let (start, bits) = (self.word(u64::from(4 * index)), self.word(4));
                let w = Int::I32;
                return self.op(Op::Bfe { w, sign }, &[register, start, bits]);
            }
        };
        let mode = NEAREST;
        let (to, relu, satfinite) = (Float::F32, false, false);
        self.op(
            Op::FCvt {
                from,
                to,
                mode,
                relu,
                satfinite,
            },
            &[value],
        )
    }

    /// Σ a·b over the elements of two registers, added to a sum.
    fn dot(&mut self, elems: [Elem; 2], a: &[Value], b: &[Value], sum: Value) -> Value {
        let mut sum = sum;
        for (&a, &b) in a.iter().zip(b) {
            sum = match elems {
                [Elem::Int8(sa), Elem::Int8(sb)] => self.op(Op::Dp4a { sa, sb }, &[a, b, sum]),
                [Elem::Int4(_), _] => {
                    let product = self.op(Op::Mul { w: Int::I32 }, &[a, b]);
                    self.op(Op::Add { w: Int::I32 }, &[product, sum])
                }
                [Elem::Bit { and }, _] => {
                    let ty = Ty::B32;
                    let both = if and { Op::And { ty } } else { Op::Xor { ty } };
                    let both = self.op(both, &[a, b]);
                    let ones = self.op(Op::Popc { w: Int::I32 }, &[both]);
                    self.op(Op::Add { w: Int::I32 }, &[ones, sum])
                }
                _ => {
                    let fmt = if elems[0] == Elem::F64 {
                        Float::F64
                    } else {
                        Float::F32
                    };
                    let (mode, relu) = (NEAREST, false);
                    self.op(Op::Fma { fmt, mode, relu }, &[a, b, sum])
                }
            };
        }
        sum
    }

    /// Elements of the register that lane number `lane` holds.
    fn spread(&mut self, elem: Elem, register: Value) -> Vec<Value> {
        let whole = matches!(elem, Elem::Int8(_) | Elem::Bit { .. });
        let count = if whole { 1 } else { elem.per_register() };
        (0..count)
            .map(|index| self.element(elem, register, index))
            .collect()
    }

    /// D of one tile: `a` by block and half of the rows, `b` by block, `c` by row half and column.
    fn tile(
        &mut self,
        elems: [Elem; 2],
        a: &[Vec<Value>],
        b: &[Value],
        c: &[[Value; 2]],
    ) -> Vec<[Value; 2]> {
        let lane = self.lane();
        let t = self.and_number(lane, 3);
        let mut sums = c.to_vec();
        for (block, &b) in b.iter().enumerate() {
            // Elements of A are made numbers once, in the lane that holds them, before the quads exchange them. Those of B
            // are the same in all quads: cheaper afterwards.
            let halves: Vec<Vec<Value>> = a[block]
                .iter()
                .map(|&half| self.spread(elems[0], half))
                .collect();
            for quarter in 0..4u64 {
                let index = self.word(quarter);
                let mut rows = Vec::new();
                for half in &halves {
                    let row: Vec<Value> = half
                        .iter()
                        .map(|&element| self.shuffle(element, index, QUAD))
                        .collect();
                    rows.push(row);
                }
                // Columns 2t and 2t + 1 are the groups 2t and 2t + 1: lanes 8t and 8t + 4.
                for column in 0..2usize {
                    let base = self.shift_left(t, 3);
                    let source = self.add_number(base, quarter + 4 * column as u64);
                    let register = self.shuffle(b, source, ANY_LANE);
                    let values = self.spread(elems[1], register);
                    for (row, sum) in rows.iter().zip(&mut sums) {
                        sum[column] = self.dot(elems, row, &values, sum[column]);
                    }
                }
            }
        }
        sums
    }

    /// Sums from registers of C: binary16 in pairs.
    fn unpack_sums(&mut self, sum: Sum, registers: &[Value]) -> Vec<Value> {
        if sum != Sum::F16 {
            return registers.to_vec();
        }
        let mut out = Vec::new();
        for &pair in registers {
            for index in 0..2 {
                out.push(self.element(Elem::F16, pair, index));
            }
        }
        out
    }

    fn pack_sums(&mut self, sum: Sum, values: Vec<Value>) -> Vec<Value> {
        if sum != Sum::F16 {
            return values;
        }
        let mut out = Vec::new();
        for pair in values.chunks(2) {
            let mut halves = [pair[0]; 2];
            for (half, &value) in halves.iter_mut().zip(pair) {
                let (from, to, mode) = (Float::F32, Float::F16, NEAREST);
                let (relu, satfinite) = (false, false);
                let op = Op::FCvt {
                    from,
                    to,
                    mode,
                    relu,
                    satfinite,
                };
                *half = self.op(op, &[value]);
            }
            let (elem, to) = (Ty::B16, Ty::B32);
            out.push(self.op(Op::Pack { elem, to }, &halves));
        }
        out
    }

    /// A product of matrices in registers: a call of a function that is made once for its form.
    fn product_of(
        &mut self,
        i: &'a Instruction,
        shape: Shape,
        elems: [Elem; 2],
        sums: [Sum; 2],
        satfinite: bool,
    ) -> Result<()> {
        let [d, a, b, c] = [0, 1, 2, 3].map(|n| parts(i.srcs.get(n)));
        let form = Product {
            shape,
            elems,
            sums,
            satfinite,
        };
        let [needed_a, needed_b, needed_c, needed_d] = form.registers();
        if a.len() < needed_a || b.len() < needed_b || c.len() != needed_c || d.len() != needed_d {
            return self.form("registers of this number");
        }
        let mut args = Vec::new();
        let types = [elems[0].register(), elems[1].register(), sums[1].register()];
        let operands = [&a[..needed_a], &b[..needed_b], c];
        for (operands, ty) in operands.into_iter().zip(types) {
            for operand in operands {
                args.push(self.read(operand, ty)?);
            }
        }
        let func = self.product_function(form)?;
        let sig = self.unit.module.functions[func].sig;
        let inst = self.inst(Op::Call { func, sig }, &args);
        let results: Vec<Value> = self.b.function.results(inst).collect();
        for (register, value) in d.iter().zip(results) {
            self.dst(Some(register), value, Sign::Unsigned)?;
        }
        Ok(())
    }

    /// The function that computes products of a form.
    fn product_function(&mut self, form: Product) -> Result<Func> {
        let [a, b, c, d] = form.registers();
        let (elems, sums) = (form.elems, form.sums);
        let mut params = vec![elems[0].register(); a];
        params.extend(vec![elems[1].register(); b]);
        params.extend(vec![sums[1].register(); c]);
        let results = vec![sums[0].register(); d];
        self.routine(Routine::Product(form), params, results, |this, args| {
            Ok(this.product_body(form, &args[..a], &args[a..a + b], &args[a + b..]))
        })
    }

    /// The function of a routine, whose body `body` makes the first time.
    fn routine(
        &mut self,
        routine: Routine,
        params: Vec<Ty>,
        results: Vec<Ty>,
        body: impl FnOnce(&mut Self, &[Value]) -> Result<Vec<Value>>,
    ) -> Result<Func> {
        if let Some(&func) = self.unit.routines.get(&routine) {
            return Ok(func);
        }
        let name = match routine {
            Routine::Product(_) => "matrix product",
            Routine::Transfer(_) => "matrix transfer",
        };
        let sig = self.unit.sig(Signature {
            params: params.clone(),
            results,
        });
        let function = Function::new(name, sig, &params);
        let args = function.blocks[function.entry].params.clone();
        let caller = std::mem::replace(&mut self.b, Builder::new(function));
        let results = body(self, &args);
        self.b.end(Terminator::Return(
            results.as_ref().map_or_else(|_| Vec::new(), Clone::clone),
        ));
        let mut function = std::mem::replace(&mut self.b, caller).finish();
        results?;
        function.routine = Some(routine);
        let func = self.unit.module.functions.push(function);
        self.unit.routines.insert(routine, func);
        Ok(func)
    }

    fn product_body(&mut self, form: Product, a: &[Value], b: &[Value], c: &[Value]) -> Vec<Value> {
        let (shape, elems, satfinite) = (form.shape, form.elems, form.satfinite);
        let halves = (shape.rows() / 8) as usize;
        let blocks = shape.blocks(elems[0]) as usize;
        let (row_tiles, column_tiles) = (shape.row_tiles() as usize, shape.column_tiles() as usize);
        let c = self.unpack_sums(form.sums[1], c);
        // A sum that is clamped with C is made from zero.
        let zero = self.word(0);
        let mut out = Vec::new();
        for row in 0..row_tiles {
            let a: Vec<Vec<Value>> = (0..blocks)
                .map(|block| {
                    let first = (row * blocks + block) * halves;
                    a[first..first + halves].to_vec()
                })
                .collect();
            for column in 0..column_tiles {
                let b = &b[column * blocks..(column + 1) * blocks];
                let first = (row * column_tiles + column) * halves * 2;
                let c: Vec<[Value; 2]> = (0..halves)
                    .map(|half| [c[first + 2 * half], c[first + 2 * half + 1]])
                    .collect();
                let start = if satfinite {
                    vec![[zero; 2]; halves]
                } else {
                    c.clone()
                };
                let tile = self.tile(elems, &a, b, &start);
                for (sum, c) in tile.into_iter().flatten().zip(c.into_iter().flatten()) {
                    out.push(if satfinite {
                        self.op(Op::AddSat { w: Int::I32 }, &[sum, c])
                    } else {
                        sum
                    });
                }
            }
        }
        self.pack_sums(form.sums[0], out)
    }

    /// `mma.sync.aligned.shape.row.col…`
    fn mma(&mut self, i: &'a Instruction, modifiers: &[&str]) -> Result<()> {
        let [shape, rest @ ..] = modifiers else {
            return self.form("a shape is missing");
        };
        let Some(shape) = Shape::of(shape) else {
            return self.form("this shape");
        };
        let ["row", "col", rest @ ..] = rest else {
            return self.refuse(Why::SecondHalf);
        };
        let scaled = rest.contains(&"block_scale");
        let satfinite = rest.contains(&"satfinite");
        let and = rest.contains(&"and");
        let types: Vec<&str> = rest
            .iter()
            .copied()
            .filter(|text| !matches!(*text, "satfinite" | "kind::f8f6f4" | "popc" | "and" | "xor"))
            .collect();
        let [d, a, b, c] = types.as_slice() else {
            return self.refuse(Why::SecondHalf);
        };
        let (Some(d), Some(mut a), Some(mut b), Some(c)) =
            (Sum::of(d), Elem::of(a), Elem::of(b), Sum::of(c))
        else {
            return self.refuse(Why::SecondHalf);
        };
        if and && a == (Elem::Bit { and: false }) {
            (a, b) = (Elem::Bit { and }, Elem::Bit { and });
        }
        if scaled || !fits(shape, [a, b], [d, c]) {
            return self.refuse(Why::SecondHalf);
        }
        self.product_of(i, shape, [a, b], [d, c], satfinite)
    }

    /// `wmma.mma{.op.popc}.sync.aligned.alayout.blayout.shape.dtype{.atype.btype}.ctype{.satfinite}`
    fn wmma_mma(&mut self, i: &'a Instruction, modifiers: &[&str]) -> Result<()> {
        let and = modifiers.contains(&"and");
        let satfinite = modifiers.contains(&"satfinite");
        let words: Vec<&str> = modifiers
            .iter()
            .copied()
            .filter(|text| {
                !matches!(
                    *text,
                    "sync"
                        | "aligned"
                        | "row"
                        | "col"
                        | "satfinite"
                        | "and"
                        | "xor"
                        | "popc"
                        | "rn"
                )
            })
            .collect();
        let (shape, d, a, b, c) = match words.as_slice() {
            [shape, d, c] => (shape, d, &"f16", &"f16", c),
            [shape, d, a, b, c] => (shape, d, a, b, c),
            _ => return self.form("these types"),
        };
        let (Some(shape), Some(d), Some(mut a), Some(mut b), Some(c)) = (
            Shape::of(shape),
            Sum::of(d),
            Elem::of(a),
            Elem::of(b),
            Sum::of(c),
        ) else {
            return self.form("these types");
        };
        if and && a == (Elem::Bit { and: false }) {
            (a, b) = (Elem::Bit { and }, Elem::Bit { and });
        }
        if !wmma_fits(shape, a) {
            return self.form("this shape");
        }
        self.product_of(i, shape, [a, b], [d, c], satfinite)
    }

    // Fragments in memory.

    /// Address of a matrix in memory, and its stride in elements.
    fn matrix_place(
        &mut self,
        i: &'a Instruction,
        address: usize,
        stride: usize,
        modifiers: &[&str],
        leading: u32,
    ) -> Result<(Value, Space, i32, Value)> {
        let space = modifiers.iter().find_map(|text| match *text {
            "global" => Some(StateSpace::Global),
            "shared" | "shared::cta" => Some(StateSpace::Shared),
            _ => None,
        });
        let Target::Memory(base, space, offset) = self.target(i.srcs.get(address), space)? else {
            return self.form("a .param variable here");
        };
        let stride = match i.srcs.get(stride) {
            Some(operand) => self.read(operand, Ty::B32)?,
            None => self.word(leading.into()),
        };
        Ok((base, space, offset, stride))
    }

    /// The address of element (row, column) of a matrix, `bits` wide elements; row-major or column-major.
    fn element_address(
        &mut self,
        (base, stride): (Value, Value),
        (row, column): (Value, Value),
        row_major: bool,
        bits: u32,
    ) -> Value {
        let (line, place) = if row_major {
            (row, column)
        } else {
            (column, row)
        };
        let w = Int::of_bits(self.b.function.ty(base).bits()).unwrap_or(Int::I64);
        let (line, place) = match w {
            Int::I64 => {
                let (w, sign) = (Int::I32, Sign::Unsigned);
                let line = self.op(Op::MulWide { w, sign }, &[line, stride]);
                (line, self.widen(place, Ty::B64, Sign::Unsigned))
            }
            _ => (self.op(Op::Mul { w }, &[line, stride]), place),
        };
        let index = self.op(Op::Add { w }, &[line, place]);
        let (op, by) = match bits >= 8 {
            true => (Op::Shl { w }, bits.ilog2() - 3),
            false => {
                let sign = Sign::Unsigned;
                (Op::Shr { w, sign }, 3 - bits.ilog2())
            }
        };
        let bytes = self.binary(op, index, by.into());
        self.op(Op::Add { w }, &[base, bytes])
    }

    /// A call of the function that moves a fragment: `values` are its registers if it stores them.
    fn transfer(
        &mut self,
        transfer: Transfer,
        (base, offset, stride): (Value, i32, Value),
        values: &[Value],
    ) -> Result<Vec<Value>> {
        let address = self.b.function.ty(base);
        let w = Int::of_bits(address.bits()).unwrap_or(Int::I64);
        let base = match offset {
            0 => base,
            _ => {
                let offset =
                    i64::from(offset).cast_unsigned() & (u64::MAX >> (64 - address.bits()));
                let offset = self.constant(address, offset);
                self.op(Op::Add { w }, &[base, offset])
            }
        };
        let registers = transfer.registers();
        let ty = transfer.register();
        let mut params = vec![address, Ty::B32];
        let mut results = Vec::new();
        if transfer.stores {
            params.extend(vec![ty; registers]);
        } else {
            results = vec![ty; registers];
        }
        let func = self.routine(
            Routine::Transfer(transfer),
            params,
            results,
            |this, args| {
                let (matrix, values) = ((args[0], args[1]), &args[2..]);
                match (transfer.fragment, transfer.stores) {
                    (Fragment::C(sum), true) => {
                        this.store_sums(transfer, sum, matrix, values);
                        Ok(Vec::new())
                    }
                    (Fragment::C(sum), false) => Ok(this.load_sums(transfer, sum, matrix)),
                    (Fragment::A(elem), _) => this.load_operand(transfer, elem, true, matrix),
                    (Fragment::B(elem), _) => this.load_operand(transfer, elem, false, matrix),
                }
            },
        )?;
        let sig = self.unit.module.functions[func].sig;
        let mut args = vec![base, stride];
        args.extend(values);
        let inst = self.inst(Op::Call { func, sig }, &args);
        Ok(self.b.function.results(inst).collect())
    }

    fn load_sums(&mut self, transfer: Transfer, sum: Sum, matrix: (Value, Value)) -> Vec<Value> {
        let mut values = Vec::new();
        for place in self.sum_places(transfer.shape) {
            let bits = sum.memory().bits();
            let address = self.element_address(matrix, place, transfer.row_major, bits);
            let access = Access::weak(transfer.space, sum.memory());
            let inst = self.inst(Op::Load { access }, &[address]);
            values.push(self.result(inst, 0));
        }
        if sum == Sum::F16 {
            let (elem, to) = (Ty::B16, Ty::B32);
            values = values
                .chunks(2)
                .map(|pair| self.op(Op::Pack { elem, to }, pair))
                .collect();
        }
        values
    }

    fn store_sums(
        &mut self,
        transfer: Transfer,
        sum: Sum,
        matrix: (Value, Value),
        registers: &[Value],
    ) {
        let mut values = Vec::new();
        for &register in registers {
            if sum == Sum::F16 {
                for index in 0..2 {
                    let (from, to) = (Ty::B32, Ty::B16);
                    values.push(self.op(Op::Extract { from, to, index }, &[register]));
                }
            } else {
                values.push(register);
            }
        }
        for (place, value) in self.sum_places(transfer.shape).into_iter().zip(values) {
            let bits = sum.memory().bits();
            let address = self.element_address(matrix, place, transfer.row_major, bits);
            let access = Access::weak(transfer.space, sum.memory());
            self.inst(Op::Store { access }, &[address, value]);
        }
    }

    /// Registers of A (or B).
    fn load_operand(
        &mut self,
        transfer: Transfer,
        elem: Elem,
        first: bool,
        matrix: (Value, Value),
    ) -> Result<Vec<Value>> {
        // Elements of a register follow one another in memory where rows of A, or columns of B, do.
        let in_line = first == transfer.row_major;
        let mut values = Vec::new();
        for place in self.operand_places(transfer.shape, elem, first) {
            values.push(self.load_register(elem, matrix, (transfer.space, 0), place, in_line)?);
        }
        Ok(values)
    }

    fn wmma_load(&mut self, i: &'a Instruction, which: &str, modifiers: &[&str]) -> Result<()> {
        let [layout, shape_text, .., ty] = modifiers else {
            return self.form("these modifiers");
        };
        let Some(shape) = Shape::of(shape_text) else {
            return self.form("this shape");
        };
        let row_major = *layout == "row";
        let registers = parts(i.srcs.first());
        let fragment = match which {
            "c" => Sum::of(ty).map(Fragment::C),
            "a" => Elem::of(ty).map(Fragment::A),
            _ => Elem::of(ty).map(Fragment::B),
        };
        let Some(fragment) = fragment else {
            return self.form("this type");
        };
        let is_sum = matches!(fragment, Fragment::C(_));
        if let Fragment::A(elem) | Fragment::B(elem) = fragment
            && !wmma_fits(shape, elem)
        {
            return self.form("this shape");
        }
        let leading = match (which, row_major) {
            ("a", true) | ("b", false) => shape.k,
            ("a", false) | ("c", false) => shape.m,
            _ => shape.n,
        };
        let (base, space, offset, stride) = self.matrix_place(i, 1, 2, modifiers, leading)?;
        let transfer = Transfer {
            fragment,
            shape,
            row_major,
            space,
            stores: false,
        };
        let values = self.transfer(transfer, (base, offset, stride), &[])?;
        let fits = match is_sum {
            true => registers.len() == values.len(),
            false => registers.len() >= values.len() && !values.is_empty(),
        };
        if !fits {
            return self.form("registers of this number");
        }
        for (n, register) in registers.iter().enumerate() {
            self.dst(Some(register), values[n % values.len()], Sign::Unsigned)?;
        }
        Ok(())
    }

    /// The E elements of a line (a row of A, a column of B) from k.
    fn load_register(
        &mut self,
        elem: Elem,
        matrix: (Value, Value),
        (space, offset): (Space, i32),
        (line, k): (Value, Value),
        in_line: bool,
    ) -> Result<Value> {
        let weak = |ty| Access {
            offset,
            ..Access::weak(space, ty)
        };
        let bits = elem.register().bits() / elem.per_register();
        if in_line {
            let address = self.element_address(matrix, (line, k), true, bits);
            let access = weak(elem.register());
            let inst = self.inst(Op::Load { access }, &[address]);
            return Ok(self.result(inst, 0));
        }
        let Some(ty) = elem.memory() else {
            return self.form("this layout of elements below a byte");
        };
        let mut elements = Vec::new();
        for n in 0..elem.per_register() {
            let k = self.add_number(k, n.into());
            let address = self.element_address(matrix, (line, k), false, bits);
            let inst = self.inst(Op::Load { access: weak(ty) }, &[address]);
            elements.push(self.result(inst, 0));
        }
        let to = elem.register();
        if elements.len() == 1 {
            return Ok(elements[0]);
        }
        Ok(self.op(Op::Pack { elem: ty, to }, &elements))
    }

    /// Row (or column) and first k of each register of A (or B).
    fn operand_places(&mut self, shape: Shape, elem: Elem, first: bool) -> Vec<(Value, Value)> {
        let lane = self.lane();
        let (g, t) = (self.shift_right(lane, 2), self.and_number(lane, 3));
        let each = elem.per_register();
        let (tiles, halves, lines) = if first {
            (shape.row_tiles(), shape.rows() / 8, shape.rows())
        } else {
            (shape.column_tiles(), 1, 8)
        };
        let mut out = Vec::new();
        for tile in 0..tiles {
            for block in 0..shape.blocks(elem) {
                for half in 0..halves {
                    let line = self.add_number(g, u64::from(tile * lines + 8 * half));
                    let k = self.binary(Op::Mul { w: Int::I32 }, t, each.into());
                    let k = self.add_number(k, u64::from(4 * each * block));
                    out.push((line, k));
                }
            }
        }
        out
    }

    /// Row and column of each element of C or D that a lane holds.
    fn sum_places(&mut self, shape: Shape) -> Vec<(Value, Value)> {
        let lane = self.lane();
        let (g, t) = (self.shift_right(lane, 2), self.and_number(lane, 3));
        let column = self.shift_left(t, 1);
        let mut out = Vec::new();
        for row_tile in 0..shape.row_tiles() {
            for column_tile in 0..shape.column_tiles() {
                for half in 0..shape.rows() / 8 {
                    for n in 0..2 {
                        let row = self.add_number(g, u64::from(row_tile * shape.rows() + 8 * half));
                        let column = self.add_number(column, u64::from(8 * column_tile + n));
                        out.push((row, column));
                    }
                }
            }
        }
        out
    }

    fn wmma_store(&mut self, i: &'a Instruction, modifiers: &[&str]) -> Result<()> {
        let [layout, shape, .., ty] = modifiers else {
            return self.form("these modifiers");
        };
        let (Some(shape), Some(sum)) = (Shape::of(shape), Sum::of(ty)) else {
            return self.form("this shape or type");
        };
        let row_major = *layout == "row";
        let leading = if row_major { shape.n } else { shape.m };
        let (base, space, offset, stride) = self.matrix_place(i, 0, 2, modifiers, leading)?;
        let transfer = Transfer {
            fragment: Fragment::C(sum),
            shape,
            row_major,
            space,
            stores: true,
        };
        let mut values = Vec::new();
        for register in parts(i.srcs.get(1)) {
            values.push(self.read(register, sum.register())?);
        }
        if values.len() != transfer.registers() {
            return self.form("registers of this number");
        }
        self.transfer(transfer, (base, offset, stride), &values)?;
        Ok(())
    }

    // Matrices of 8 rows of 16 bytes in shared memory, whose rows' addresses the lanes give.

    fn row_addresses(
        &mut self,
        i: &'a Instruction,
        operand: usize,
        rest: &[&str],
    ) -> Result<(Value, i32)> {
        let space = rest.iter().find_map(|text| match *text {
            "shared" | "shared::cta" => Some(StateSpace::Shared),
            _ => None,
        });
        let Target::Memory(base, space, offset) = self.target(i.srcs.get(operand), space)? else {
            return self.form("a .param variable here");
        };
        let base = if space == Space::Generic {
            let space = Space::Shared;
            self.op(Op::FromGeneric { space }, &[base])
        } else {
            base
        };
        Ok((base, offset))
    }

    fn matrices(&mut self, count: &str, rest: &[&str], registers: usize) -> Result<(u64, bool)> {
        let number = match count {
            "x1" => 1,
            "x2" => 2,
            "x4" => 4,
            _ => return self.form("this number of matrices"),
        };
        if rest.last() != Some(&"b16") {
            return self.refuse(Why::SecondHalf);
        }
        if registers as u64 != number {
            return self.form("registers of this number");
        }
        Ok((number, rest.contains(&"trans")))
    }

    fn ldmatrix(&mut self, i: &'a Instruction, count: &str, rest: &[&str]) -> Result<()> {
        let registers = parts(i.srcs.first());
        let (number, transposed) = self.matrices(count, rest, registers.len())?;
        let (base, offset) = self.row_addresses(i, 1, rest)?;
        let lane = self.lane();
        let (g, t) = (self.shift_right(lane, 2), self.and_number(lane, 3));
        let mut values = Vec::new();
        for matrix in 0..number {
            let weak = |ty| Access {
                offset,
                ..Access::weak(Space::Shared, ty)
            };
            if transposed {
                let mut halves = [base; 2];
                for (n, half) in (0u64..).zip(&mut halves) {
                    let row = self.shift_left(t, 1);
                    let row = self.add_number(row, 8 * matrix + n);
                    let address = self.shuffle(base, row, ANY_LANE);
                    let column = self.shift_left(g, 1);
                    let address = self.op(Op::Add { w: Int::I32 }, &[address, column]);
                    let access = weak(Ty::B16);
                    let inst = self.inst(Op::Load { access }, &[address]);
                    *half = self.result(inst, 0);
                }
                let (elem, to) = (Ty::B16, Ty::B32);
                values.push(self.op(Op::Pack { elem, to }, &halves));
            } else {
                let row = self.add_number(g, 8 * matrix);
                let address = self.shuffle(base, row, ANY_LANE);
                let column = self.shift_left(t, 2);
                let address = self.op(Op::Add { w: Int::I32 }, &[address, column]);
                let access = weak(Ty::B32);
                let inst = self.inst(Op::Load { access }, &[address]);
                values.push(self.result(inst, 0));
            }
        }
        for (register, value) in registers.iter().zip(values) {
            self.dst(Some(register), value, Sign::Unsigned)?;
        }
        Ok(())
    }

    fn stmatrix(&mut self, i: &'a Instruction, count: &str, rest: &[&str]) -> Result<()> {
        let registers = parts(i.srcs.get(1));
        let (number, transposed) = self.matrices(count, rest, registers.len())?;
        let (base, offset) = self.row_addresses(i, 0, rest)?;
        let lane = self.lane();
        let (g, t) = (self.shift_right(lane, 2), self.and_number(lane, 3));
        for (matrix, register) in (0..number).zip(registers) {
            let value = self.read(register, Ty::B32)?;
            let weak = |ty| Access {
                offset,
                ..Access::weak(Space::Shared, ty)
            };
            if transposed {
                for n in 0..2u8 {
                    let row = self.shift_left(t, 1);
                    let row = self.add_number(row, 8 * matrix + u64::from(n));
                    let address = self.shuffle(base, row, ANY_LANE);
                    let column = self.shift_left(g, 1);
                    let address = self.op(Op::Add { w: Int::I32 }, &[address, column]);
                    let (from, to, index) = (Ty::B32, Ty::B16, n);
                    let half = self.op(Op::Extract { from, to, index }, &[value]);
                    let access = weak(Ty::B16);
                    self.inst(Op::Store { access }, &[address, half]);
                }
            } else {
                let row = self.add_number(g, 8 * matrix);
                let address = self.shuffle(base, row, ANY_LANE);
                let column = self.shift_left(t, 2);
                let address = self.op(Op::Add { w: Int::I32 }, &[address, column]);
                let access = weak(Ty::B32);
                self.inst(Op::Store { access }, &[address, value]);
            }
        }
        Ok(())
    }

    /// Element (2t, g) and (2t + 1, g): of rows 2t and 2t + 1, which lanes 8t + g/2 and 8t + 4 + g/2 hold.
    fn movmatrix(&mut self, i: &'a Instruction) -> Result<()> {
        let Some(to) = i.srcs.first() else {
            return self.form("an operand is missing");
        };
        let value = self.src(i, 1, Ty::B32)?;
        let lane = self.lane();
        let (g, t) = (self.shift_right(lane, 2), self.and_number(lane, 3));
        let odd = self.and_number(g, 1);
        let cmp = IntCmp::Ne;
        let odd = self.binary(Op::ICmp { w: Int::I32, cmp }, odd, 0);
        let mut halves = [value; 2];
        for (n, half) in (0u64..).zip(&mut halves) {
            let base = self.shift_left(t, 3);
            let column = self.shift_right(g, 1);
            let source = self.op(Op::Add { w: Int::I32 }, &[base, column]);
            let source = self.add_number(source, 4 * n);
            let pair = self.shuffle(value, source, ANY_LANE);
            let (from, ty) = (Ty::B32, Ty::B16);
            let low = self.op(
                Op::Extract {
                    from,
                    to: ty,
                    index: 0,
                },
                &[pair],
            );
            let high = self.op(
                Op::Extract {
                    from,
                    to: ty,
                    index: 1,
                },
                &[pair],
            );
            *half = self.op(Op::Select { ty }, &[odd, high, low]);
        }
        let (elem, ty) = (Ty::B16, Ty::B32);
        let value = self.op(Op::Pack { elem, to: ty }, &halves);
        self.dst(Some(to), value, Sign::Unsigned)
    }
}

/// `x1`, `x2` or `x4` among the modifiers of a move of 8×8 matrices: shape, count and `trans` come in any order, as
/// CUTLASS writes them (`ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16`).
fn count_of_matrices<'m>(modifiers: &[&'m str]) -> Option<&'m str> {
    if !modifiers.contains(&"m8n8") {
        return None;
    }
    modifiers
        .iter()
        .copied()
        .find(|text| matches!(*text, "x1" | "x2" | "x4"))
}

/// Products of `mma` with rows of A and columns of B.
fn fits(shape: Shape, elems: [Elem; 2], sums: [Sum; 2]) -> bool {
    let Shape { m, n, k } = shape;
    if n != 8 || elems[0].per_register() != elems[1].per_register() {
        return false;
    }
    let float = matches!(sums, [Sum::F16 | Sum::F32, Sum::F16 | Sum::F32]);
    let f32 = sums == [Sum::F32; 2];
    let s32 = sums == [Sum::S32; 2];
    match elems[0] {
        Elem::F16 => float && m == 16 && matches!(k, 8 | 16),
        Elem::Bf16 => f32 && m == 16 && matches!(k, 8 | 16),
        Elem::Tf32 => f32 && m == 16 && matches!(k, 4 | 8),
        Elem::F64 => {
            sums == [Sum::F64; 2]
                && (matches!((m, k), (8, 4)) || m == 16 && matches!(k, 4 | 8 | 16))
        }
        Elem::Small(_) => float && m == 16 && matches!(k, 16 | 32),
        Elem::Int8(_) => s32 && matches!((m, k), (8, 16) | (16, 16 | 32)),
        Elem::Int4(_) => s32 && matches!((m, k), (8, 32) | (16, 32 | 64)),
        Elem::Bit { .. } => s32 && matches!((m, k), (8, 128) | (16, 128 | 256)),
    }
}

/// Shapes of `wmma`.
fn wmma_fits(shape: Shape, elem: Elem) -> bool {
    let Shape { m, n, k } = shape;
    match elem {
        Elem::F16 | Elem::Bf16 | Elem::Int8(_) => {
            k == 16 && matches!((m, n), (16, 16) | (8, 32) | (32, 8))
        }
        Elem::Tf32 => (m, n, k) == (16, 16, 8),
        Elem::F64 => (m, n, k) == (8, 8, 4),
        Elem::Int4(_) => (m, n, k) == (8, 8, 32),
        Elem::Bit { .. } => (m, n, k) == (8, 8, 128),
        Elem::Small(_) => false,
    }
}
