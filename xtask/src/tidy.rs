//! Rules of the house that no compiler checks. Each is one function that adds to a list of findings.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::{
    coverage,
    error::Failure,
    workspace::{Metadata, Workspace},
};

/// Crates that run in the user's program: they reach the GPU through device nodes only.
const USER_HALF: [&str; 7] = [
    "cuda",
    "cudart",
    "door",
    "interpose",
    "nvml",
    "fatbin",
    "jit",
];
/// What they must not link.
const FAR_SIDE: [&str; 2] = ["gpu", "kernel"];
/// Crates that hold no `unsafe` at all.
const SAFE_CRATES: [&str; 4] = ["abi", "cuda-abi", "fatbin", "ptx"];
/// Lines above which a file is worth splitting, and above which it must be.
const LONG: usize = 800;
const TOO_LONG: usize = 1500;
/// Files that are tables, one row a line, which no one splits.
const TABLES: [&str; 3] = [
    "crates/cuda-abi/src/",
    "crates/abi/src/nv/",
    "crates/cuda/src/table/",
];
/// Module names that say nothing.
const VAGUE: [&str; 8] = [
    "utils", "util", "helpers", "helper", "common", "misc", "shared", "stuff",
];

/// What the checks look at.
struct Tree<'a> {
    workspace: &'a Workspace,
    metadata: Metadata,
    files: Vec<PathBuf>,
    findings: Vec<String>,
    warnings: Vec<String>,
}

/// Runs all checks.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut tree = Tree {
        workspace,
        metadata: workspace.metadata()?,
        files: workspace.files()?,
        findings: Vec::new(),
        warnings: Vec::new(),
    };
    tree.user_half_stays_on_its_side();
    tree.every_crate_takes_the_lints()?;
    tree.safe_crates_forbid_unsafe()?;
    tree.names_say_something();
    tree.texts()?;
    match coverage::up_to_date(workspace)? {
        coverage::State::UpToDate | coverage::State::NoTable => {}
        coverage::State::Stale => tree
            .findings
            .push("docs/api-coverage.md is stale: cargo xtask coverage".into()),
    }
    for warning in &tree.warnings {
        println!("tidy: warning: {warning}");
    }
    for finding in &tree.findings {
        println!("tidy: {finding}");
    }
    if tree.findings.is_empty() {
        println!("tidy: {} files, nothing found", tree.files.len());
        Ok(())
    } else {
        Err(Failure::Findings(tree.findings.len()))
    }
}

impl Tree<'_> {
    fn read(&self, file: &Path) -> Result<Vec<u8>, Failure> {
        let path = self.workspace.root.join(file);
        std::fs::read(&path).map_err(Failure::file(path))
    }

    /// Invariant 1 of ARCHITECTURE.md.
    fn user_half_stays_on_its_side(&mut self) {
        for name in USER_HALF {
            let Some(needs) = self.metadata.needs.get(name) else {
                self.findings.push(format!("there is no crate {name}"));
                continue;
            };
            for far in FAR_SIDE {
                if needs.contains(far) {
                    self.findings
                        .push(format!("{name} (user half) depends on {far}"));
                }
            }
        }
    }

    fn every_crate_takes_the_lints(&mut self) -> Result<(), Failure> {
        let mut missing = Vec::new();
        for package in self.metadata.packages.values() {
            let text = std::fs::read_to_string(&package.manifest)
                .map_err(Failure::file(&package.manifest))?;
            let mut lines = text.lines().map(str::trim);
            let takes = lines.any(|line| line == "[lints]")
                && lines.find(|line| !line.is_empty()) == Some("workspace = true");
            if !takes {
                missing.push(format!("{} lacks [lints] workspace = true", package.name));
            }
        }
        self.findings.append(&mut missing);
        Ok(())
    }

    fn safe_crates_forbid_unsafe(&mut self) -> Result<(), Failure> {
        for name in SAFE_CRATES {
            let file = PathBuf::from(format!("crates/{name}/src/lib.rs"));
            let text = self.read(&file)?;
            if !String::from_utf8_lossy(&text).contains("#![forbid(unsafe_code)]") {
                self.findings
                    .push(format!("{}: no #![forbid(unsafe_code)]", file.display()));
            }
        }
        Ok(())
    }

    fn names_say_something(&mut self) {
        let vague: BTreeSet<&str> = VAGUE.into();
        for file in &self.files {
            if file.extension().is_some_and(|extension| extension == "rs") {
                let words = file.with_extension("");
                if let Some(word) = words
                    .iter()
                    .filter_map(|word| word.to_str())
                    .find(|word| vague.contains(word))
                {
                    self.findings
                        .push(format!("{}: `{word}` names nothing", file.display()));
                }
            }
        }
    }

    /// All checks that read every file, in one pass.
    fn texts(&mut self) -> Result<(), Failure> {
        for file in self.files.clone() {
            let bytes = self.read(&file)?;
            let name = file.display().to_string();
            if bytes.starts_with(b"\x7fELF") || bytes.starts_with(&[0x50, 0xed, 0x55, 0xba]) {
                self.findings
                    .push(format!("{name}: a built file is committed"));
            }
            let text = String::from_utf8_lossy(&bytes);
            self.foreign_text(&name, &text);
            if file.extension().is_some_and(|extension| extension == "rs") {
                self.rust(&name, &text);
            }
        }
        Ok(())
    }

    fn rust(&mut self, name: &str, text: &str) {
        let lines = text.lines().count();
        if lines > LONG && !TABLES.iter().any(|table| name.starts_with(table)) {
            if lines > TOO_LONG {
                self.findings.push(format!("{name}: {lines} lines"));
            } else {
                self.warnings.push(format!("{name}: {lines} lines"));
            }
        }
        // Split, so that this file does not find itself.
        for stub in [concat!("to", "do!("), concat!("unimple", "mented!(")] {
            if text.contains(stub) {
                self.findings.push(format!("{name}: {stub}…)"));
            }
        }
    }

    /// Nothing of NVIDIA's, nothing from their compilers, no paths of one machine.
    fn foreign_text(&mut self, name: &str, text: &str) {
        const MARKS: [(&str, &str); 5] = [
            (
                concat!("Compiler ", "Build ID"),
                "compiler output of NVIDIA's",
            ),
            (
                concat!("NVIDIA NVVM ", "Compiler"),
                "compiler output of NVIDIA's",
            ),
            (concat!("NVIDIA ", "CORPORATION"), "text of NVIDIA's"),
            (concat!("/work", "/"), "a path of one machine"),
            (concat!("fa", "rm-"), "a tool of one workplace"),
        ];
        for (mark, what) in MARKS {
            if text.contains(mark) {
                self.findings.push(format!("{name}: {what}: `{mark}`"));
            }
        }
        let owned = text.lines().any(|line| {
            line.contains("opyright (c)") && line.to_uppercase().contains(concat!("NVI", "DIA"))
        });
        if owned {
            self.findings
                .push(format!("{name}: a copyright line of NVIDIA's"));
        }
    }
}
