//! Every instruction form of the PTX ISA document against what is supported: `docs/ptx-coverage.md` says it, and this
//! proves that it is current. `ANTLERITE_BLESS=1` writes it (`cargo xtask coverage`).
//!
//! The forms are in `forms/*.forms`. `= Title` begins a section. A form is an instruction in which `{a|b|}` stands for
//! each of its alternatives (braces without a bar are vectors), and `d a b c e` for registers of the width of the last
//! type in the opcode: `d:32` has 32 bits, `d:p` is a predicate, `d:0` has the width of the opcode's first type.

use ptx::layout::Layout;
use ptxjit::compile::{Request, compile};
use ptxjit::lower::{self, LowerError, Why};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const FILES: [&str; 2] = [
    include_str!("forms/scalar.forms"),
    include_str!("forms/memory.forms"),
];

struct Form {
    section: String,
    text: String,
    variants: Vec<String>,
}

/// What becomes of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Done,
    SecondHalf,
    Refused(String),
}

fn forms() -> Vec<Form> {
    let mut out = Vec::new();
    let mut section = String::new();
    for line in FILES.iter().flat_map(|text| text.lines()) {
        let line = line.trim();
        if let Some(title) = line.strip_prefix("= ") {
            title.clone_into(&mut section);
        } else if !line.is_empty() && !line.starts_with('#') {
            let mut variants = Vec::new();
            expand(line, &mut variants);
            out.push(Form {
                section: section.clone(),
                text: line.to_owned(),
                variants: variants.iter().map(|v| registers(v)).collect(),
            });
        }
    }
    out
}

/// Each choice of alternatives.
fn expand(text: &str, out: &mut Vec<String>) {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let close = open + text[open..].find('}').expect("a closing brace");
        let inside = &text[open + 1..close];
        if inside.contains('|') && !inside.contains('%') {
            for choice in inside.split('|') {
                expand(
                    &format!("{}{choice}{}", &text[..open], &text[close + 1..]),
                    out,
                );
            }
            return;
        }
        from = close;
    }
    out.push(text.to_owned());
}

/// Width of a type as a register, bits; predicates have 1.
fn width(ty: &str) -> Option<u32> {
    Some(match ty {
        "pred" => 1,
        "b8" | "u8" | "s8" | "b16" | "u16" | "s16" | "f16" | "bf16" | "e4m3x2" | "e5m2x2"
        | "e2m3x2" | "e3m2x2" | "ue8m0x2" | "e2m1x4" => 16,
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" | "u16x2" | "s16x2" | "tf32"
        | "e4m3x4" | "e5m2x4" | "e2m3x4" | "e3m2x4" => 32,
        "b64" | "u64" | "s64" | "f64" | "f32x2" => 64,
        "b128" => 128,
        _ => return None,
    })
}

fn registers(variant: &str) -> String {
    let Some((opcode, operands)) = variant.split_once(' ') else {
        return format!("{variant};");
    };
    let types: Vec<u32> = opcode.split('.').filter_map(width).collect();
    let (first, last) = (
        types.first().copied().unwrap_or(32),
        types.last().copied().unwrap_or(32),
    );
    let mut out = format!("{opcode} ");
    let mut rest = operands;
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        let after = rest[1..].chars().next().unwrap_or(' ');
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '%';
        let stands_alone = !word(before) && before != '.' && !word(after);
        let number = "dabce".find(letter).filter(|_| stands_alone);
        before = letter;
        rest = &rest[letter.len_utf8()..];
        let Some(number) = number else {
            out.push(letter);
            continue;
        };
        let mut bits = last;
        if let Some(tail) = rest.strip_prefix(':') {
            let end = tail
                .find(|c: char| !c.is_alphanumeric())
                .unwrap_or(tail.len());
            bits = match &tail[..end] {
                "p" => 1,
                "0" => first,
                text => text.parse().expect("a width"),
            };
            rest = &tail[end..];
        }
        let name = match bits {
            1 => 'p',
            16 => 'h',
            32 => 'r',
            64 => 'd',
            _ => 'q',
        };
        let _ = write!(out, "%{name}{number}");
    }
    out.push(';');
    out
}

/// The instruction, and stores of what it writes, so that nothing is dead.
fn used(instruction: &str) -> String {
    let mut text = instruction.to_owned();
    let Some((_, operands)) = instruction.split_once(' ') else {
        return text;
    };
    let first = match (operands.strip_prefix('{'), operands.strip_prefix('(')) {
        (Some(_), _) => operands.split('}').next(),
        (_, Some(_)) => operands.split(')').next(),
        _ => operands.split(',').next(),
    };
    let first = first.unwrap_or_default();
    if first.contains('[') || instruction.starts_with("brx") || instruction.starts_with("nanosleep")
    {
        return text;
    }
    for register in first.split('%').skip(1) {
        let end = register
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(register.len());
        let name = &register[..end];
        let _ = match name.as_bytes().first() {
            Some(b'p') => write!(
                text,
                "\nselp.u32 %t, 1, 0, %{name}; st.volatile.global.u32 [%o], %t;"
            ),
            Some(b'b') => write!(text, "\nst.volatile.global.b8 [%o], %{name};"),
            Some(b'h') => write!(text, "\nst.volatile.global.b16 [%o], %{name};"),
            Some(b'r' | b'f') => write!(text, "\nst.volatile.global.b32 [%o], %{name};"),
            Some(b'q') => write!(text, "\nst.global.b128 [%o], %{name};"),
            _ => write!(text, "\nst.volatile.global.b64 [%o], %{name};"),
        };
    }
    text
}

/// Loads of all registers.
fn inputs() -> String {
    let mut text = String::from("ld.param.u64 %o, [out];\n");
    for (name, count, ty) in [
        ("h", 10, "b16"),
        ("r", 12, "b32"),
        ("d", 10, "b64"),
        ("f", 10, "b32"),
        ("g", 10, "b64"),
    ] {
        for n in 0..count {
            let _ = writeln!(text, "ld.volatile.global.{ty} %{name}{n}, [%o];");
        }
    }
    for n in 0..6 {
        let _ = writeln!(
            text,
            "setp.gt.u32 %p{n}, %r{n}, 5; mov.b128 %q{n}, {{%d{n}, %d{n}}};"
        );
    }
    text.push_str("cvt.u8.u32 %b0, %r0; cvt.u8.u32 %b1, %r1;\n");
    text
}

/// A module with a kernel of these instructions.
fn module(body: &str) -> String {
    let table = if body.contains("table") {
        "table: .branchtargets next;\n"
    } else {
        ""
    };
    format!(
        ".version 9.0\n.target sm_121a\n.address_size 64\n.shared .align 16 .b8 shared_var[256];\n\
         .func callee() {{ ret; }}\n\
         .func (.reg .b32 %out) callee2(.reg .b32 %in) {{ mov.b32 %out, %in; ret; }}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .b64 %o;\n.reg .b32 %t;\n.reg .pred %p<6>;\n.reg .b8 %b<2>;\n.reg .b16 %h<10>;\n.reg .b32 %r<12>;\n\
         .reg .b64 %d<10>;\n.reg .b128 %q<6>;\n.reg .f32 %f<10>;\n.reg .f64 %g<10>;\n{table}{}{body}\nnext:\nret;\n}}\n",
        inputs()
    )
}

/// What the front end and the lowering say.
fn status(instruction: &str) -> Status {
    let text = module(instruction);
    let bad =
        |errors: &[ptx::Error]| Status::Refused(format!("by the checker: {}", errors[0].message()));
    let ast = match ptx::parse(&text) {
        Ok(ast) => ast,
        Err(errors) => return bad(&errors),
    };
    let checked = match ptx::check(&ast, &ptx::Policy::default()) {
        Ok(checked) => checked,
        Err(errors) => return bad(&errors),
    };
    let layout = Layout::new(&checked).expect("a layout");
    match lower::lower(&checked, &layout, "k") {
        Ok(_) => Status::Done,
        Err(LowerError::Unsupported {
            why: Why::SecondHalf,
            ..
        }) => Status::SecondHalf,
        Err(LowerError::Unsupported {
            why: Why::Form(why),
            ..
        }) => Status::Refused(why.to_owned()),
        Err(error) => Status::Refused(error.to_string()),
    }
}

/// What the code generator says to these instructions in one kernel.
fn generate(instructions: &[&str]) -> Result<(), String> {
    let text: Vec<String> = instructions.iter().map(|i| used(i)).collect();
    let text = module(&text.join("\n"));
    let request = Request {
        ptx: &text,
        isa: abi::sm::isa::SSE4 | abi::sm::isa::AVX2,
        kernel: None,
        block: [64, 1, 1],
        opt_level: 0,
        cc: 90,
        flags: 0,
        max_ptx_version: 0,
    };
    compile(&request)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

fn document(forms: &[Form], statuses: &[BTreeMap<Status, Vec<&str>>]) -> String {
    let mut rows = String::new();
    let mut totals = [0usize; 3];
    let mut section = "";
    for (form, status) in forms.iter().zip(statuses) {
        if section != form.section {
            section = &form.section;
            let _ = write!(
                rows,
                "\n## {section}\n\n| form | instructions | status |\n|---|---|---|\n"
            );
        }
        let mut cells = Vec::new();
        for (status, variants) in status {
            let (index, mut cell) = match status {
                Status::Done => (0, "done".to_owned()),
                Status::SecondHalf => (1, "second half".to_owned()),
                Status::Refused(why) => (2, format!("refused: {why}")),
            };
            totals[index] += variants.len();
            if variants.len() < form.variants.len() {
                let _ = write!(cell, " ({})", variants.len());
            }
            cells.push(cell);
        }
        let text = form.text.replace('|', "\\|");
        let _ = writeln!(
            rows,
            "| `{text}` | {} | {} |",
            form.variants.len(),
            cells.join("; ")
        );
    }
    let sum: usize = totals.iter().sum();
    format!(
        "# Instructions of PTX ISA 9.0\n\n\
         Generated by `cargo xtask coverage` from `crates/ptxjit/tests/forms`; a test keeps it current. \
         `{{a\\|b\\|}}` stands for each alternative; `d a b c e` are registers of the fitting width.\n\n\
         Of {sum} instructions {} are done, {} belong to the second half of the compiler \
         (the rest of tensor cores, tensor copies, clusters) and are refused by name and line, \
         and {} are refused for the reason given.\n{rows}",
        totals[0], totals[1], totals[2]
    )
}

#[test]
fn document_is_current() {
    let forms = forms();
    let bless = std::env::var_os("ANTLERITE_BLESS").is_some();
    let mut statuses = Vec::new();
    for form in &forms {
        let mut by_status: BTreeMap<Status, Vec<&str>> = BTreeMap::new();
        for variant in &form.variants {
            by_status.entry(status(variant)).or_default().push(variant);
        }
        statuses.push(by_status);
    }
    // What is lowered must be generated, too: here a few of each form, all when the document is written.
    let mut batches: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (form, status) in forms.iter().zip(&statuses) {
        let done = status.get(&Status::Done).map_or(&[][..], Vec::as_slice);
        let batch = batches.entry(&form.section).or_default();
        if bless {
            batch.extend(done);
        } else {
            batch.extend(done.first());
            batch.extend(done.last().filter(|_| done.len() > 1));
        }
    }
    let mut failures = Vec::new();
    for (section, batch) in &batches {
        let size = if section.starts_with("Control") {
            1
        } else {
            48
        };
        for part in batch.chunks(size) {
            if generate(part).is_err() {
                for one in part {
                    if let Err(error) = generate(&[one]) {
                        failures.push(format!("{one} {error}"));
                    }
                }
            }
        }
    }
    if std::env::var_os("COVERAGE_LIST").is_some() {
        for (form, status) in forms.iter().zip(&statuses) {
            for (status, variants) in status {
                if *status != Status::Done {
                    eprintln!(
                        "{}/{} {status:?}: {}",
                        variants.len(),
                        form.variants.len(),
                        variants[0]
                    );
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "lowered, but not generated:\n{}",
        failures.join("\n")
    );
    let text = document(&forms, &statuses);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ptx-coverage.md");
    if bless {
        std::fs::write(&path, text).expect("the document is written");
        return;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == text,
        "docs/ptx-coverage.md is stale: run `cargo xtask coverage`"
    );
}
