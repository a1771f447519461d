//! The table against the public headers of CUDA 13.0 and 12.9: every function that `cuda_runtime_api.h` declares has a row,
//! and the row has as many parameters, each a pointer where the header's is one, and integers as wide as the header's.
//!
//! The headers are those of `.toolkit/cuda-13.0` or `ANTLERITE_TOOLKIT`, and of `.toolkit/cuda-12.9` or
//! `ANTLERITE_TOOLKIT_12`. Where they are missing, the test says so and judges nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Parameter types by function.
type Functions = BTreeMap<String, Vec<String>>;

fn header(variable: &str, release: &str) -> Option<String> {
    let installed = format!(
        "{}/../../.toolkit/cuda-{release}",
        env!("CARGO_MANIFEST_DIR")
    );
    let roots = [
        std::env::var_os(variable).map(PathBuf::from),
        Some(installed.into()),
    ];
    let read = |root: PathBuf| {
        let file = Path::new(&root).join("include/cuda_runtime_api.h");
        std::fs::read_to_string(file).ok()
    };
    let found = roots.into_iter().flatten().find_map(read);
    if found.is_none() {
        eprintln!("not judged: no headers of CUDA {release} (set {variable})");
    }
    found
}

/// Pieces between commas outside brackets.
fn split(list: &str) -> Vec<String> {
    let (mut depth, mut pieces) = (0, vec![String::new()]);
    for c in list.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = pieces.last_mut() {
            last.push(c);
        }
    }
    let pieces = pieces.iter().map(|p| p.trim().to_owned());
    pieces.filter(|p| !p.is_empty() && p != "void").collect()
}

/// What stands between the bracket that `text` begins with and the one that closes it.
fn bracket(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(1..at);
        }
    }
    None
}

fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Functions of a header, without its comments and default values.
fn declared(header: &str) -> Functions {
    let mut text = String::new();
    let mut rest = header;
    while let Some(at) = rest.find("/*") {
        text.push_str(&rest[..at]);
        rest = rest[at..]
            .find("*/")
            .map_or("", |end| &rest[at + end + 2..]);
    }
    text.push_str(rest);
    let mut all = Functions::new();
    for piece in text.split("CUDARTAPI").skip(1) {
        let piece = piece.trim_start();
        let name = name_at(piece);
        let after = piece[name.len()..].trim_start();
        if !name.starts_with("cuda") || !after.starts_with('(') {
            continue;
        }
        if let Some(list) = bracket(after) {
            let cut = |p: String| p.split("__dv").next().unwrap_or("").trim().to_owned();
            all.insert(name.to_owned(), split(list).into_iter().map(cut).collect());
        }
    }
    all
}

/// Rows of the table for one major version.
fn rows(major_13: bool) -> Functions {
    let mut all = Functions::new();
    let mut condition = "";
    for line in include_str!("../src/table.rs").lines() {
        let line = line.trim();
        if line.starts_with("#[cfg(") {
            condition = line;
            continue;
        }
        let Some(row) = line.strip_prefix("fn ") else {
            continue;
        };
        let other = if major_13 {
            "not(feature"
        } else {
            "cfg(feature"
        };
        let skipped = condition.contains(other);
        condition = "";
        let (Some(open), false) = (row.find('('), skipped) else {
            continue;
        };
        let types = bracket(&row[open..]).map(split).unwrap_or_default();
        let types = types
            .iter()
            .map(|p| p.split_once(':').map_or("", |(_, ty)| ty.trim()));
        let types: Vec<String> = types.map(str::to_owned).collect();
        // `/ name [ds]`: the form for per-thread default streams.
        let names = row[..open].split('/').map(|name| name_at(name.trim()));
        all.extend(names.map(|name| (name.to_owned(), types.clone())));
    }
    all
}

/// What is wrong with a parameter.
fn differs(c: &str, rust: &str) -> bool {
    // An array parameter is a pointer.
    let pointer = c.contains('*') || c.contains('[');
    let is_pointer = ["In<", "Out<", "*const ", "*mut "]
        .iter()
        .any(|p| rust.starts_with(p));
    if pointer != is_pointer {
        // Functions to be called, and addresses that are only passed on.
        return !(rust.contains("Fn") || rust == "usize" || rust == "u64" || rust.ends_with("_t"));
    }
    let words: Vec<&str> = c.split_whitespace().collect();
    let want = match words.as_slice() {
        ["size_t", _] => "usize",
        ["int", _] => "i32",
        ["unsigned", "int", _] => "u32",
        ["float", _] => "f32",
        _ => return false,
    };
    !pointer && rust != want
}

fn compare(release: &str, header: &str, major_13: bool) {
    let (declared, rows) = (declared(header), rows(major_13));
    assert!(declared.len() > 250, "{} functions read", declared.len());
    let mut wrong = Vec::new();
    for (name, types) in &declared {
        match rows.get(name) {
            None => wrong.push(format!("{name}: no row")),
            Some(row) if row.len() != types.len() => {
                wrong.push(format!("{name}: {row:?} for {types:?}"));
            }
            Some(row) => {
                let pairs = types.iter().zip(row).filter(|(c, rust)| differs(c, rust));
                wrong.extend(pairs.map(|(c, rust)| format!("{name}: {rust} for {c}")));
            }
        }
    }
    assert!(wrong.is_empty(), "CUDA {release}: {wrong:#?}");
}

#[test]
fn the_rows_are_those_of_cuda_13_0() {
    if let Some(header) = header("ANTLERITE_TOOLKIT", "13.0") {
        compare("13.0", &header, true);
    }
}

#[test]
fn the_rows_are_those_of_cuda_12_9() {
    if let Some(header) = header("ANTLERITE_TOOLKIT_12", "12.9") {
        compare("12.9", &header, false);
    }
}

#[test]
fn differences_are_seen() {
    let functions = declared(
        "/* x */ extern cudaError_t CUDARTAPI cudaF(void *p, size_t n __dv(0), int a[3]);",
    );
    assert_eq!(functions["cudaF"], ["void *p", "size_t n", "int a[3]"]);
    assert!(differs("size_t n", "u32") && differs("void *p", "i32") && differs("int a", "In<i32>"));
    assert!(!differs("size_t n", "usize") && !differs("const int *p", "In<i32>"));
}
