//! Tables of single instructions: `.tbl` files.
//!
//! ```text
//! # comment
//! == add.u32 %d, %a, %b; | d:u32 a:u32 b:u32
//! 1 2 => 3
//! 0xffffffff 1 => 0
//! == ex2.approx.f32 %d, %a; | d:f32 a:f32 | ulp 2
//! ```
//!
//! Registers whose names begin with `d` are results, the others operands. Each row is one thread's. Expected values
//! come from the PTX ISA's definition by exact arithmetic, not from a run.

use super::case::{Buffer, Case, Expect, Param};
use super::value::{Kind, Tolerance, to_bytes};
use std::fmt::Write as _;

struct Register {
    name: String,
    ptx_type: String,
    kind: Kind,
}

impl Register {
    fn is_result(&self) -> bool {
        self.name.starts_with('d')
    }
}

struct Table {
    line: usize,
    template: String,
    registers: Vec<Register>,
    tolerance: Tolerance,
    rows: Vec<Vec<u128>>,
}

/// The cases of a table file, one per instruction form.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let mut tables: Vec<Table> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let at = |error: String| format!("line {number}: {error}");
        if let Some(head) = line.strip_prefix("==") {
            tables.push(header(number, head).map_err(at)?);
            continue;
        }
        let table = tables
            .last_mut()
            .ok_or(at("a row before the first instruction".to_owned()))?;
        let (inputs, outputs) = line.split_once("=>").ok_or(at("no '=>'".to_owned()))?;
        let mut words = inputs.split_whitespace();
        let mut results = outputs.split_whitespace();
        let mut row = Vec::new();
        for register in &table.registers {
            let word = if register.is_result() {
                results.next()
            } else {
                words.next()
            };
            let word = word.ok_or(at(format!("no value for '{}'", register.name)))?;
            row.push(register.kind.parse(word).map_err(at)?);
        }
        if words.next().is_some() || results.next().is_some() {
            return Err(at("too many values".to_owned()));
        }
        table.rows.push(row);
    }
    tables.iter().map(Table::case).collect()
}

fn header(line: usize, head: &str) -> Result<Table, String> {
    let mut parts = head.split(" | ");
    let template = parts.next().unwrap_or("").trim().to_owned();
    let mut registers = Vec::new();
    for word in parts.next().ok_or("no registers")?.split_whitespace() {
        let (name, ptx_type) = word.split_once(':').ok_or(format!("'{word}': no type"))?;
        let kind = Kind::of(ptx_type)?;
        registers.push(Register {
            name: name.to_owned(),
            ptx_type: ptx_type.to_owned(),
            kind,
        });
    }
    let mut tolerance = Tolerance::default();
    for option in parts {
        match option.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["ulp", n] => tolerance.ulp = n.parse().map_err(|_| format!("'{n}' is no number"))?,
            ["abs", x] => {
                tolerance.absolute = x.parse().map_err(|_| format!("'{x}' is no number"))?
            }
            ["nan"] => tolerance.any_nan = true,
            other => return Err(format!("unknown option {other:?}")),
        }
    }
    Ok(Table {
        line,
        template,
        registers,
        tolerance,
        rows: Vec::new(),
    })
}

/// The register type that can hold a type, and the type that memory instructions take.
fn holder(ptx_type: &str) -> (&str, &str) {
    match ptx_type {
        "pred" => ("pred", "u32"),
        "b8" | "u8" => ("b16", "u8"),
        "s8" => ("b16", "s8"),
        "f16" | "bf16" => ("b16", "b16"),
        "f16x2" | "bf16x2" | "u16x2" | "s16x2" => ("b32", "b32"),
        "f32x2" => ("b64", "b64"),
        other => (other, other),
    }
}

impl Table {
    fn case(&self) -> Result<Case, String> {
        let count = self.rows.len();
        let mut ptx =
            String::from(".version 9.0\n.target sm_121a\n.address_size 64\n.visible .entry t(");
        let names: Vec<String> = self
            .registers
            .iter()
            .map(|r| format!(".param .u64 p_{}", r.name))
            .collect();
        ptx.push_str(&names.join(", "));
        let body = self.body(count);
        ptx.push_str(&body);
        let mut case = Case::new(&format!("line {}: {}", self.line, self.template), &ptx);
        case.block = [32, 1, 1];
        case.grid = [
            u32::try_from(count.div_ceil(32)).map_err(|_| "too many rows")?,
            1,
            1,
        ];
        for (n, register) in self.registers.iter().enumerate() {
            let column: Vec<u128> = self.rows.iter().map(|row| row[n]).collect();
            if register.is_result() {
                let bytes = vec![0xa5; count * register.kind.bytes()];
                case.buffers.push(Buffer {
                    name: register.name.clone(),
                    bytes,
                });
                let (kind, tolerance) = (register.kind, self.tolerance);
                case.expect.push(Expect {
                    buffer: n,
                    kind,
                    values: column,
                    tolerance,
                });
            } else {
                let bytes = to_bytes(register.kind, &column);
                case.buffers.push(Buffer {
                    name: register.name.clone(),
                    bytes,
                });
            }
            case.params.push(Param::Buffer(n));
        }
        Ok(case)
    }

    fn body(&self, count: usize) -> String {
        let mut text = String::from(
            ")\n{\n.reg .b64 %at, %step;\n.reg .b32 %row, %tmp, %cta;\n.reg .pred %out;\n",
        );
        // Writing to a String cannot fail.
        for r in &self.registers {
            let _ = writeln!(text, ".reg .{} %{};", holder(&r.ptx_type).0, r.name);
        }
        let _ = writeln!(
            text,
            "mov.u32 %row, %tid.x;\nmov.u32 %cta, %ctaid.x;\nmad.lo.u32 %row, %cta, 32, %row;\n\
             setp.ge.u32 %out, %row, {count};\n@%out exit;"
        );
        let address = |text: &mut String, r: &Register| {
            let _ = writeln!(
                text,
                "ld.param.u64 %at, [p_{}];\nmul.wide.u32 %step, %row, {};\nadd.u64 %at, %at, %step;",
                r.name,
                r.kind.bytes()
            );
        };
        for r in self.registers.iter().filter(|r| !r.is_result()) {
            address(&mut text, r);
            if r.kind == Kind::Pred {
                let _ = writeln!(
                    text,
                    "ld.global.u32 %tmp, [%at];\nsetp.ne.u32 %{}, %tmp, 0;",
                    r.name
                );
            } else {
                let _ = writeln!(
                    text,
                    "ld.global.{} %{}, [%at];",
                    holder(&r.ptx_type).1,
                    r.name
                );
            }
        }
        let _ = writeln!(text, "{}", self.template);
        for r in self.registers.iter().filter(|r| r.is_result()) {
            address(&mut text, r);
            if r.kind == Kind::Pred {
                let _ = writeln!(
                    text,
                    "selp.u32 %tmp, 1, 0, %{};\nst.global.u32 [%at], %tmp;",
                    r.name
                );
            } else {
                let _ = writeln!(
                    text,
                    "st.global.{} [%at], %{};",
                    holder(&r.ptx_type).1,
                    r.name
                );
            }
        }
        text.push_str("ret;\n}\n");
        text
    }
}
