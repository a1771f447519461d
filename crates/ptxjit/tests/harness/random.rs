//! Random well-formed kernels: divergence, loops, calls, shuffles, barriers, atomics, integers and floats.
//!
//! A kernel depends on its seed only. It has no data races (atomics commute and their results are not used), reads no
//! undefined register, and never looks at the bits of a NaN, so that every executor must give the same bytes.

use super::case::{Buffer, Case, Expect, Param};
use super::value::{Kind, Tolerance};
use std::fmt::Write as _;

/// Threads of a block, and blocks.
const BLOCK: u32 = 64;
const GRID: u32 = 2;

/// Whether all threads of a seed's blocks go the same way, in blocks of two dimensions, as those of matrix products do.
pub fn goes_together(seed: u64) -> bool {
    seed % 16 == 4
}

/// The block of a seed.
fn block(seed: u64) -> [u32; 3] {
    if !goes_together(seed) {
        return [BLOCK, 1, 1];
    }
    [[32, 4, 1], [16, 8, 1], [32, 2, 1], [64, 2, 1], [8, 8, 1]][(seed / 16 % 5) as usize]
}
/// 32-bit words of input.
const WORDS: u32 = 256;

/// A small generator, the same everywhere.
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        u32::try_from((high * u64::from(n)) >> 32).unwrap_or(0)
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items[self.below(u32::try_from(items.len()).unwrap_or(1)) as usize]
    }
}

/// How many registers of each kind a kernel has.
#[derive(Clone, Copy)]
struct Registers {
    ints: u32,
    wides: u32,
    floats: u32,
}

struct Writer {
    random: Random,
    registers: Registers,
    text: String,
    labels: u32,
    /// All threads of the block go the same way.
    all_together: bool,
    /// Threads of a block, a power of two.
    threads: u32,
    /// Statements that may still come.
    budget: u32,
    /// Mostly instructions that are a few of the host's.
    light: bool,
}

/// How many templates at the start of a list are light.
const LIGHT_INTEGER: usize = 12;
const LIGHT_WIDE: usize = 6;
const LIGHT_FLOAT: usize = 9;

const INTEGER: &[&str] = &[
    "add.s32 D, A, B;",
    "sub.s32 D, A, B;",
    "mul.lo.s32 D, A, B;",
    "mad.lo.s32 D, A, B, C;",
    "min.s32 D, A, B;",
    "max.u32 D, A, B;",
    "and.b32 D, A, B;",
    "or.b32 D, A, B;",
    "xor.b32 D, A, B;",
    "not.b32 D, A;",
    "lop3.b32 D, A, B, C, 0x6a;",
    "abs.s32 D, A;",
    "mul.hi.u32 D, A, B;",
    "mul.hi.s32 D, A, B;",
    "div.u32 D, A, B;",
    "rem.u32 D, A, B;",
    "shl.b32 D, A, B;",
    "shr.u32 D, A, B;",
    "shr.s32 D, A, B;",
    "shf.l.wrap.b32 D, A, B, C;",
    "shf.r.clamp.b32 D, A, B, C;",
    "bfe.u32 D, A, B, C;",
    "bfe.s32 D, A, B, C;",
    "bfi.b32 D, A, B, C, A;",
    "brev.b32 D, A;",
    "clz.b32 D, A;",
    "popc.b32 D, A;",
    "prmt.b32 D, A, B, C;",
    "dp4a.s32.u32 D, A, B, C;",
    "sad.s32 D, A, B, C;",
    "add.cc.u32 D, A, B; addc.u32 D, D, C;",
    "sub.cc.u32 D, A, B; subc.u32 D, D, C;",
    "add.sat.s32 D, A, B;",
    "bfind.s32 D, A;",
];

const WIDE: &[&str] = &[
    "add.s64 D, A, B;",
    "xor.b64 D, A, B;",
    "mul.wide.s32 D, R, S;",
    "mad.wide.u32 D, R, S, A;",
    "cvt.s64.s32 D, R;",
    "mov.b64 D, {R, S};",
    "mul.lo.s64 D, A, B;",
    "shl.b64 D, A, R;",
    "shr.s64 D, A, R;",
    "max.s64 D, A, B;",
    "brev.b64 D, A;",
];

const FLOAT: &[&str] = &[
    "add.rn.f32 D, A, B;",
    "sub.rn.f32 D, A, B;",
    "mul.rn.f32 D, A, B;",
    "fma.rn.f32 D, A, B, C;",
    "min.f32 D, A, B;",
    "abs.f32 D, A;",
    "neg.f32 D, A;",
    "cvt.rn.f32.s32 D, R;",
    "add.sat.f32 D, A, B;",
    "mul.rn.ftz.f32 D, A, B;",
    "fma.rz.f32 D, A, B, C;",
    "add.rm.f32 D, A, B;",
    "mul.rp.f32 D, A, B;",
    "div.rn.f32 D, A, B;",
    "sqrt.rn.f32 D, A;",
    "rcp.rn.f32 D, A;",
    "max.ftz.f32 D, A, B;",
    "cvt.rz.f32.u32 D, R;",
    "cvt.rni.f32.f32 D, A;",
];

impl Writer {
    /// A template of a list of which the first `light` are light.
    fn template(&mut self, list: &[&'static str], light: usize) -> &'static str {
        let heavy = !self.light || self.random.below(8) == 0;
        self.random.pick(if heavy { list } else { &list[..light] })
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn int(&mut self) -> String {
        format!("%r{}", self.random.below(self.registers.ints))
    }

    /// An integer operand: mostly a register.
    fn int_source(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("{}", self.random.below(40)),
            1 => format!("{:#x}", self.random.below(u32::MAX)),
            _ => self.int(),
        }
    }

    fn float(&mut self) -> String {
        format!("%f{}", self.random.below(self.registers.floats))
    }

    fn wide(&mut self) -> String {
        format!("%w{}", self.random.below(self.registers.wides))
    }

    /// Puts registers of one kind into a template.
    fn arithmetic(&mut self) {
        match self.random.below(8) {
            0..=3 => {
                let (d, a, b, c) = (self.int(), self.int(), self.int_source(), self.int_source());
                let text = self.template(INTEGER, LIGHT_INTEGER);
                let text = text
                    .replace('D', &d)
                    .replace('A', &a)
                    .replace('B', &b)
                    .replace('C', &c);
                self.line(&text);
            }
            4 => {
                let (d, a, b, r, s) = (
                    self.wide(),
                    self.wide(),
                    self.wide(),
                    self.int(),
                    self.int(),
                );
                let text = self
                    .template(WIDE, LIGHT_WIDE)
                    .replace('D', &d)
                    .replace('A', &a)
                    .replace('B', &b);
                self.line(&text.replace('R', &r).replace('S', &s));
            }
            5 | 6 => {
                let (d, a, b, c, r) = (
                    self.float(),
                    self.float(),
                    self.float(),
                    self.float(),
                    self.int(),
                );
                let text = self
                    .template(FLOAT, LIGHT_FLOAT)
                    .replace('D', &d)
                    .replace('A', &a)
                    .replace('B', &b);
                self.line(&text.replace('C', &c).replace('R', &r));
            }
            _ => {
                let (d, w, f) = (self.int(), self.wide(), self.float());
                match self.random.below(3) {
                    0 => self.line(&format!("cvt.u32.u64 {d}, {w};")),
                    1 => self.line(&format!("cvt.rzi.s32.f32 {d}, {f};")),
                    _ => self.line(&format!("cvt.rni.u32.f32 {d}, {f};")),
                }
            }
        }
    }

    fn predicate(&mut self) -> String {
        let p = format!("%p{}", self.random.below(3));
        let text = match self.random.below(4) {
            0 => format!("setp.lt.f32 {p}, {}, {};", self.float(), self.float()),
            1 => format!("setp.neu.f32 {p}, {}, {};", self.float(), self.float()),
            2 => format!("setp.gt.s32 {p}, {}, {};", self.int(), self.int_source()),
            _ => {
                let (a, mask) = (self.int(), 1 << self.random.below(6));
                format!("and.b32 %t, {a}, {mask};\nsetp.ne.u32 {p}, %t, 0;")
            }
        };
        self.line(&text);
        p
    }

    /// Statements; `depth` of nesting; `together`: all threads of the block run this.
    fn statements(&mut self, count: u32, depth: u32, together: bool) {
        for _ in 0..count {
            let Some(left) = self.budget.checked_sub(1) else {
                return;
            };
            self.budget = left;
            if self.all_together {
                match self.random.below(24) {
                    0..=9 => self.arithmetic(),
                    10..=15 => self.row_or_column(),
                    16 if depth < 3 => self.common_branch(depth),
                    17..=20 if depth < 3 => self.common_loop(depth),
                    21 | 22 => self.exchange(),
                    _ => self.arithmetic(),
                }
                continue;
            }
            match self.random.below(24) {
                0..=11 => self.arithmetic(),
                12 | 13 => {
                    let (p, d, a, b) =
                        (self.predicate(), self.int(), self.int(), self.int_source());
                    let not = self.random.pick(&["", "!"]);
                    if self.random.below(2) == 0 {
                        self.line(&format!("selp.b32 {d}, {a}, {b}, {p};"));
                    } else {
                        self.line(&format!("@{not}{p} add.u32 {d}, {a}, {b};"));
                    }
                }
                14 | 15 => self.load(),
                16 => self.atomic(),
                17..=19 if depth < 3 => self.branch(depth),
                20 if depth < 3 => self.repeat(depth),
                21 if together => self.shuffle(),
                22 if together => self.exchange(),
                23 => self.call(),
                _ => self.arithmetic(),
            }
        }
    }

    fn load(&mut self) {
        let (d, a) = (self.int(), self.int());
        self.line(&format!("and.b32 %t, {a}, {};", WORDS - 1));
        self.line("mul.wide.u32 %at, %t, 4;\nadd.u64 %at, %at, %in;");
        let guard = if self.random.below(3) == 0 {
            format!("@{} ", self.predicate())
        } else {
            String::new()
        };
        self.line(&format!("{guard}ld.global.u32 {d}, [%at];"));
    }

    /// What the threads of a row, or of a column, or of the block read together.
    fn row_or_column(&mut self) {
        let (d, by) = (self.int(), 1 + self.random.below(40));
        let from = self.random.pick(&["%row", "%column", "%t"]);
        let step = self.random.pick(&["%n0", "%n1", "%n2", "0"]);
        self.line(&format!(
            "mov.u32 %t, {by};\nmad.lo.u32 %t, {step}, {by}, {from};\nand.b32 %t, %t, {};",
            WORDS - 1
        ));
        self.line("mul.wide.u32 %at, %t, 4;\nadd.u64 %at, %at, %in;");
        self.line(&format!("ld.global.u32 {d}, [%at];"));
    }

    /// A condition that is the same for the whole block.
    fn common_branch(&mut self, depth: u32) {
        let (n, count) = (self.labels, 1 + self.random.below(4));
        self.labels += 1;
        let what = self.random.pick(&["%block", "%n0", "%n1"]);
        self.line(&format!(
            "and.b32 %t, {what}, 1;\nsetp.eq.u32 %q, %t, 0;\n@%q bra else{n};"
        ));
        self.statements(count, depth + 1, true);
        self.line(&format!("else{n}:"));
    }

    /// A loop of which the number of rounds is the same for the whole block.
    fn common_loop(&mut self, depth: u32) {
        let (n, count) = (self.labels, 2 + self.random.below(5));
        self.labels += 1;
        let rounds = 1 + self.random.below(6);
        self.line(&format!(
            "and.b32 %n{depth}, %block, 1;\nadd.u32 %n{depth}, %n{depth}, {rounds};\nloop{n}:"
        ));
        self.statements(count, depth + 1, true);
        self.line(&format!(
            "sub.u32 %n{depth}, %n{depth}, 1;\nsetp.gt.s32 %q, %n{depth}, 0;\n@%q bra loop{n};"
        ));
    }

    fn atomic(&mut self) {
        let a = self.int();
        let op = self
            .random
            .pick(&["add.u32", "xor.b32", "max.s32", "min.u32"]);
        // One operation for each counter: different ones do not commute.
        let slot = match op {
            "add.u32" => 0,
            "xor.b32" => 1,
            "max.s32" => 2,
            _ => 3,
        } * 4
            + self.random.below(4);
        self.line(&format!("red.global.{op} [%counters+{}], {a};", slot * 4));
    }

    fn branch(&mut self, depth: u32) {
        let p = self.predicate();
        let (n, count) = (self.labels, 1 + self.random.below(5));
        self.labels += 1;
        let not = self.random.pick(&["", "!"]);
        self.line(&format!("@{not}{p} bra else{n};"));
        self.statements(count, depth + 1, false);
        self.line(&format!("bra.uni end{n};\nelse{n}:"));
        if self.random.below(2) == 0 {
            let count = 1 + self.random.below(5);
            self.statements(count, depth + 1, false);
        }
        self.line(&format!("end{n}:"));
    }

    fn repeat(&mut self, depth: u32) {
        let (n, a, count) = (self.labels, self.int(), 1 + self.random.below(5));
        self.labels += 1;
        self.line(&format!("and.b32 %n{depth}, {a}, 7;\nloop{n}:"));
        self.statements(count, depth + 1, false);
        if self.random.below(3) == 0 {
            let p = self.predicate();
            self.line(&format!("@{p} bra out{n};"));
        }
        self.line(&format!(
            "sub.u32 %n{depth}, %n{depth}, 1;\nsetp.gt.s32 %q, %n{depth}, 0;"
        ));
        self.line(&format!("@%q bra loop{n};\nout{n}:"));
    }

    fn shuffle(&mut self) {
        let (d, a) = (self.int(), self.int());
        let text = match self.random.below(7) {
            0 => format!(
                "shfl.sync.up.b32 {d}, {a}, {}, 0, 0xffffffff;",
                self.random.below(32)
            ),
            1 => format!(
                "shfl.sync.down.b32 {d}, {a}, {}, 31, 0xffffffff;",
                self.random.below(32)
            ),
            2 => format!(
                "shfl.sync.bfly.b32 {d}, {a}, {}, 31, 0xffffffff;",
                self.random.below(32)
            ),
            3 => format!(
                "shfl.sync.idx.b32 {d}, {a}, {}, 0x1c1f, 0xffffffff;",
                self.int()
            ),
            4 => format!(
                "vote.sync.ballot.b32 {d}, {}, 0xffffffff;",
                self.predicate()
            ),
            5 => format!("match.any.sync.b32 {d}, {a}, 0xffffffff;"),
            _ => format!("redux.sync.add.u32 {d}, {a}, 0xffffffff;"),
        };
        self.line(&text);
    }

    fn exchange(&mut self) {
        let (d, a, step) = (self.int(), self.int(), self.random.below(self.threads));
        self.line(&format!("shl.b32 %t, %tid_x, 2;\nmov.u32 %u, tile;\nadd.u32 %t, %t, %u;\nst.shared.u32 [%t], {a};"));
        self.line(&format!(
            "bar.sync 0;\nadd.u32 %t, %tid_x, {step};\nand.b32 %t, %t, {};",
            self.threads - 1
        ));
        self.line(&format!(
            "shl.b32 %t, %t, 2;\nadd.u32 %t, %t, %u;\nld.shared.u32 {d}, [%t];\nbar.sync 0;"
        ));
    }

    fn call(&mut self) {
        let (d, a, b) = (self.int(), self.int(), self.int());
        self.line(&format!(
            "{{\n.param .b32 a0;\n.param .b32 a1;\n.param .b32 r0;\nst.param.b32 [a0], {a};\nst.param.b32 [a1], {b};\n\
             call.uni (r0), mix, (a0, a1);\nld.param.b32 {d}, [r0];\n}}"
        ));
    }
}

/// What a kernel is made of.
struct Plan {
    registers: Registers,
    block: [u32; 3],
    /// Statements on the outermost level, and in all.
    size: u32,
    budget: u32,
    /// All threads of the block go the same way.
    all_together: bool,
    /// Neighbouring threads' registers lie side by side in the buffers, not those of one thread.
    side_by_side: bool,
}

/// The kernel of a seed. What is expected is left out.
pub fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let size = 6 + random.below(if seed.is_multiple_of(8) { 50 } else { 24 });
    let plan = Plan {
        registers: Registers {
            ints: 8,
            wides: 4,
            floats: 4,
        },
        block: block(seed),
        size,
        budget: u32::MAX,
        all_together: goes_together(seed),
        side_by_side: false,
    };
    write(seed, &format!("seed {seed}"), random, &plan)
}

/// The program of a seed: a small kernel, of which thousands compile in a minute.
pub fn program(seed: u64) -> Case {
    let mut random = Random::new(!seed);
    let size = 3 + random.below(8);
    let all_together = random.below(8) == 0;
    let block = match random.below(6) {
        0 => [32, 1, 1],
        1 => [128, 1, 1],
        2 => [16, 4, 1],
        _ => [BLOCK, 1, 1],
    };
    let plan = Plan {
        registers: Registers {
            ints: 4,
            wides: 2,
            floats: 2,
        },
        block,
        size,
        budget: 14,
        all_together,
        side_by_side: true,
    };
    write(seed, &format!("program {seed}"), random, &plan)
}

fn write(seed: u64, name: &str, random: Random, plan: &Plan) -> Case {
    let registers = plan.registers;
    let threads = plan.block.iter().product();
    let mut w = Writer {
        random,
        registers,
        text: String::new(),
        labels: 0,
        all_together: plan.all_together,
        threads,
        budget: plan.budget,
        light: plan.side_by_side,
    };
    if w.all_together {
        w.text
            .push_str("mov.u32 %n0, 0;\nmov.u32 %n1, 0;\nmov.u32 %n2, 0;\n");
    }
    w.statements(plan.size, 0, true);
    let Registers {
        ints,
        wides,
        floats,
    } = registers;
    let mut text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 tile[512];\n\
         .func (.param .b32 r) mix(.param .b32 x, .param .b32 y)\n{{\n.reg .b32 %a, %b;\n.reg .pred %p;\n\
         ld.param.b32 %a, [x];\nld.param.b32 %b, [y];\nsetp.gt.s32 %p, %a, %b;\n@%p bra big;\n\
         mad.lo.s32 %a, %a, 31, %b;\nst.param.b32 [r], %a;\nret;\nbig:\nxor.b32 %a, %a, %b;\nst.param.b32 [r], %a;\nret;\n}}\n\
         .visible .entry k(.param .u64 p_in, .param .u64 p_ints, .param .u64 p_wides, .param .u64 p_floats, .param .u64 p_counters)\n{{\n\
         .reg .b32 %r<{ints}>, %t, %u, %tid_x, %i, %n<3>, %row, %column, %block;\n.reg .b64 %w<{wides}>, %in, %at, %out, %counters;\n.reg .f32 %f<{floats}>;\n\
         .reg .pred %p<3>, %q;\n\
         ld.param.u64 %in, [p_in];\nld.param.u64 %counters, [p_counters];\n\
         mov.u32 %column, %tid.x;\nmov.u32 %row, %tid.y;\nmov.u32 %t, %ntid.x;\n\
         mad.lo.u32 %tid_x, %row, %t, %column;\nmov.u32 %block, %ctaid.x;\n\
         mad.lo.u32 %i, %block, {threads}, %tid_x;\n",
    );
    // Writing to a String cannot fail.
    if plan.side_by_side {
        text.push_str("and.b32 %t, %i, 127;\nmul.wide.u32 %at, %t, 4;\nadd.u64 %at, %at, %in;\n");
    }
    for n in 0..ints {
        let _ = if plan.side_by_side {
            writeln!(text, "ld.global.u32 %r{n}, [%at+{}];", 32 * n)
        } else {
            writeln!(
                text,
                "mad.lo.u32 %t, %i, {}, {n};\nand.b32 %t, %t, 255;\nmul.wide.u32 %at, %t, 4;\nadd.u64 %at, %at, %in;\n\
                 ld.global.u32 %r{n}, [%at];",
                2 * n + 1
            )
        };
    }
    for n in 0..wides {
        let _ = writeln!(text, "mov.b64 %w{n}, {{%r{n}, %r{}}};", n + ints / 2);
    }
    for n in 0..floats {
        let _ = writeln!(text, "cvt.rn.f32.s32 %f{n}, %r{};", n + 2);
    }
    text.push_str("mul.rn.f32 %f1, %f1, 0f2F800000;\n");
    if floats > 2 {
        text.push_str("mul.rn.f32 %f2, %f2, 0f00800000;\n");
    }
    text.push_str(&w.text);
    for (name, kind, ty, count) in [
        ("ints", "r", "u32", ints),
        ("wides", "w", "u64", wides),
        ("floats", "f", "f32", floats),
    ] {
        let bytes = if kind == "w" { 8 } else { 4 };
        // Bytes from a thread to the next, and from a register to the next.
        let (thread, register) = if plan.side_by_side {
            (bytes, bytes * threads * GRID)
        } else {
            (bytes * count, bytes)
        };
        let _ = writeln!(
            text,
            "ld.param.u64 %out, [p_{name}];\nmul.wide.u32 %at, %i, {thread};\nadd.u64 %out, %out, %at;",
        );
        for n in 0..count {
            let _ = writeln!(text, "st.global.{ty} [%out+{}], %{kind}{n};", n * register);
        }
    }
    text.push_str("ret;\n}\n");
    build(seed, name, &text, plan)
}

fn build(seed: u64, name: &str, text: &str, plan: &Plan) -> Case {
    let mut case = Case::new(name, text);
    case.block = plan.block;
    case.grid = [GRID, 1, 1];
    let mut random = Random::new(seed ^ 0x5555);
    let input: Vec<u8> = (0..WORDS)
        .flat_map(|_| {
            let word = match random.below(4) {
                0 => random.below(16),
                1 => 0x8000_0000 - random.below(3),
                _ => random.below(u32::MAX),
            };
            word.to_le_bytes()
        })
        .collect();
    let threads = plan.block.iter().product::<u32>() * GRID;
    let Registers {
        ints,
        wides,
        floats,
    } = plan.registers;
    let outputs = [
        ("ints", Kind::Unsigned(4), (threads * ints) as usize),
        ("wides", Kind::Unsigned(8), (threads * wides) as usize),
        ("floats", Kind::F32, (threads * floats) as usize),
        ("counters", Kind::Unsigned(4), 16),
    ];
    case.buffers.push(Buffer {
        name: "in".to_owned(),
        bytes: input,
    });
    case.params.push(Param::Buffer(0));
    for (n, (name, kind, count)) in (1..).zip(outputs) {
        case.buffers.push(Buffer {
            name: name.to_owned(),
            bytes: vec![0; count * kind.bytes()],
        });
        case.params.push(Param::Buffer(n));
        let tolerance = Tolerance {
            any_nan: true,
            ..Tolerance::default()
        };
        case.expect.push(Expect {
            buffer: n,
            kind,
            values: Vec::new(),
            tolerance,
        });
    }
    case
}
