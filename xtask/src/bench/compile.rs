//! Cold compilation against NVIDIA's own `ptxas -O3`, on the same PTX and machine in one run.
//!
//! Both compile one kernel a time. Like is held against like: a process of theirs (`ptxas --entry`) against a process
//! of ours that loads the compiler library for that kernel; and what is left of both without what each needs for a
//! kernel that does nothing. Ours is what the first launch waits for: of a kernel that is dear to compile well, the first
//! tier; what its good code takes is printed beside it. Cache hits are loads of each kernel by `cuFuncLoad` in further
//! processes, which must compile nothing.
//!
//! A directory of further PTX (one file per module, in folders of programs or not; `corpus extract` of
//! `crates/ptxjit/examples/corpus.rs` takes it out of built programs) gives [`FURTHER`] kernels: from every module in
//! turn the next one, none of a name twice. A kernel of 5,000 lines of our own shows that compile time is bounded.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use super::{OURS, Outcome, Programs, statistics::Samples};
use crate::{
    bench::statistics::{Estimate, Verdict, judge_ratio, judge_time},
    error::Failure,
    process,
};

/// Rounds in which the two take turns, and seconds from which on one round is enough.
const ROUNDS: u32 = 3;
const ENOUGH: f64 = 2.0;
/// Flags of our compiler (`abi::jit::request_flags`): as the driver compiles before the first launch, and good code.
const FIRST_TIER: &str = "32";
const GOOD_CODE: &str = "0";
/// ptxas's time multiplied by this is what ours must stay below: geometric mean, its aim, and the worst kernel.
const MEAN_MUST: f64 = 1.5;
const MEAN_AIM: f64 = 0.7;
const WORST_MUST: f64 = 5.0;
/// Seconds for a kernel that is in the cache.
const HIT_MUST: f64 = 1.0e-3;
const HIT_AIM: f64 = 0.3e-3;
/// Processes that load what is in the cache.
const HITS: usize = 5;
/// Kernels of a directory that are compiled.
const FURTHER: usize = 200;
/// CPU seconds for a typical kernel in a warm process (the median), and seconds for one of 5,000 lines.
const TYPICAL_MUST: f64 = 10.0e-3;
const TYPICAL_AIM: f64 = 5.0e-3;
const LONG_MUST: f64 = 1.0;
/// Lines of the long kernel, and its name.
const LONG_LINES: usize = 5_000;
const LONG: &str = "long:k";
/// How many of the slowest are named.
const NAMED: usize = 8;
/// Names of samples. What a thread worked does not depend on what else the machine does.
const CPU: &str = "ours-cpu";
const PROCESS: &str = "ours-process";
const PTXAS: &str = "ptxas-process";
const GOOD: &str = "ours-good-process";
const FIRST_LOAD: &str = "load-cold";
const HIT: &str = "load-hit";
/// The row of what each needs for next to nothing.
const STARTUP: &str = "start-up";
const TRIVIAL: &str =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";

/// A kernel of a file.
struct Kernel {
    row: String,
    file: PathBuf,
    name: String,
    arch: String,
}

/// Measures.
pub fn run(
    programs: &Programs,
    samples: &mut Samples,
    directory: Option<&Path>,
) -> Result<Report, Failure> {
    let ptxas = programs.tool("ptxas")?;
    let library = programs.library("libnvidia-ptxjitcompiler.so.1")?;
    let ours = programs.native(&["compile.cpp"], "compile")?;
    let load = programs.driver_program(&["load.cu"], "load")?;
    let out = programs.out().join("compile-ptx");
    fs::create_dir_all(&out).map_err(Failure::file(&out))?;
    let own = vec![programs.ptx("kernels/gpu.cu", &out.join("gpu.ptx"))?];
    let further = further(directory)?;
    let long = out.join("long.ptx");
    fs::write(&long, long_kernel()).map_err(Failure::file(&long))?;
    let trivial = out.join("trivial.ptx");
    fs::write(&trivial, TRIVIAL).map_err(Failure::file(&trivial))?;
    let cubin = out.join("ptxas.cubin");
    let theirs = |kernel: &Kernel| {
        let mut command = Command::new(&ptxas);
        command.args(["-O3", "-arch", &kernel.arch, "--entry", &kernel.name]);
        command.arg(&kernel.file).arg("-o").arg(&cubin);
        command.stderr(Stdio::null());
        command
    };
    let mine = |kernel: &Kernel, row: &str, flags: &str| {
        let mut command = Command::new(&ours);
        command.args([library.as_path(), kernel.file.as_path()]);
        command.args([kernel.name.as_str(), row, flags]);
        command.stderr(Stdio::null());
        command
    };
    let nothing = Kernel {
        row: STARTUP.into(),
        file: trivial,
        name: "k".into(),
        arch: "sm_90".into(),
    };
    let mut report = Report::default();
    for _ in 0..5 * ROUNDS {
        time(samples, &mut theirs(&nothing), STARTUP, PTXAS)?;
        let mut ours = mine(&nothing, "first", FIRST_TIER);
        time(samples, &mut ours, STARTUP, PROCESS)?;
    }
    let long = Kernel {
        row: LONG.into(),
        file: long,
        name: "k".into(),
        arch: "sm_90".into(),
    };
    for _ in 0..ROUNDS {
        samples.take(&process::output(&mut mine(&long, LONG, GOOD_CODE))?)?;
    }
    let mut kernels = kernels_of(&own)?;
    kernels.extend(further);
    let mut judged: Vec<&Kernel> = Vec::new();
    for kernel in &kernels {
        let mut took = None;
        for _ in 0..ROUNDS {
            let mut ours = mine(kernel, "first", FIRST_TIER);
            took = match time(samples, &mut theirs(kernel), &kernel.row, PTXAS)? {
                Some(_) => time(samples, &mut ours, &kernel.row, PROCESS)?,
                None => None,
            };
            let Some(seconds) = took else {
                break;
            };
            let mut warm = mine(kernel, &kernel.row, FIRST_TIER);
            samples.take(&process::output(&mut warm)?)?;
            if seconds > ENOUGH {
                break;
            }
        }
        match took {
            None => report.left_out.push(kernel.row.clone()),
            Some(seconds) => {
                report.rows.push(kernel.row.clone());
                judged.push(kernel);
                if seconds <= ENOUGH {
                    let mut good = mine(kernel, "first", GOOD_CODE);
                    time(samples, &mut good, &kernel.row, GOOD)?;
                }
            }
        }
    }
    let cache = out.join("cache");
    let _ = fs::remove_dir_all(&cache);
    let mut files: Vec<&Path> = judged.iter().map(|k| k.file.as_path()).collect();
    files.dedup();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let row = stem(file);
        let mut entries = None;
        for peer in [FIRST_LOAD].into_iter().chain([HIT; HITS]) {
            let mut command = programs.on_gpu("socket", &load);
            command.arg(file).args([row.as_str(), peer]);
            let of_file = judged.iter().filter(|k| k.file == file);
            command.args(of_file.map(|k| k.name.as_str()));
            command.env("CUDA_CACHE_PATH", &cache).stderr(Stdio::null());
            // A file with a variable that is defined elsewhere does not load.
            match process::output(&mut command) {
                Ok(text) => samples.take(&text)?,
                Err(Failure::Command { .. }) => break,
                Err(failure) => return Err(failure),
            }
            let now = count_files(&cache)?;
            report.compiled_again += now - *entries.get_or_insert(now);
            entries = Some(now);
        }
    }
    Ok(report)
}

/// What was measured.
#[derive(Default)]
pub struct Report {
    rows: Vec<String>,
    left_out: Vec<String>,
    /// Entries that processes after the first one of a file added to the cache.
    compiled_again: usize,
}

/// A kernel's times against each other.
struct Row<'a> {
    name: &'a str,
    process: f64,
    alone: f64,
    noise: f64,
    ours: f64,
    cpu: f64,
    theirs: f64,
}

impl Report {
    /// Prints the table, and judges.
    pub(super) fn print(&self, samples: &Samples, outcome: &mut Outcome) {
        let estimate = |row: &str, peer: &str| samples.estimate(row, peer);
        let (Some(their_start), Some(our_start)) =
            (estimate(STARTUP, PTXAS), estimate(STARTUP, PROCESS))
        else {
            outcome.add("compile", None);
            return;
        };
        let ms = |e: Estimate| e.median * 1e3;
        println!(
            "start-up             ptxas {:.2} ms, ours {:.2} ms",
            ms(their_start),
            ms(our_start)
        );
        // What is left of a process beyond its start: at least a tenth of a millisecond, the clock's worth.
        let left = |e: f64, start: f64| (e - start).max(1.0e-4);
        let mut rows: Vec<Row<'_>> = Vec::new();
        for name in &self.rows {
            let (Some(theirs), Some(process), Some(ours), Some(cpu)) = (
                estimate(name, PTXAS),
                estimate(name, PROCESS),
                estimate(name, OURS),
                estimate(name, CPU),
            ) else {
                continue;
            };
            rows.push(Row {
                name,
                process: process.median / theirs.median,
                alone: ours.median / left(theirs.median, their_start.median),
                noise: process.noise + theirs.noise,
                ours: ours.median,
                cpu: cpu.median,
                theirs: theirs.median,
            });
        }
        if rows.is_empty() {
            outcome.add("compile", None);
            return;
        }
        rows.sort_by(|a, b| b.process.total_cmp(&a.process));
        println!(
            "slowest of {} kernels (ours, ptxas as a process):",
            rows.len()
        );
        for row in rows.iter().take(NAMED) {
            let short: String = row.name.chars().take(60).collect();
            println!(
                "  {short:<60} {:>8.2} ms {:>8.2} ms  {:>5.2}x, without start-up {:>5.2}x",
                row.ours * 1e3,
                row.theirs * 1e3,
                row.process,
                row.alone
            );
        }
        let count = rows.len() as f64;
        let mean = |of: &dyn Fn(&Row<'_>) -> f64| {
            (rows.iter().map(|r| of(r).ln()).sum::<f64>() / count).exp()
        };
        let noise = rows.iter().map(|r| r.noise).sum::<f64>() / count;
        let worst = &rows[0];
        let process = mean(&|r| r.process);
        let alone = mean(&|r| r.alone);
        let verdict = judge_ratio(1.0 / process, noise, 1.0 / MEAN_MUST, 1.0 / MEAN_AIM);
        println!(
            "compile, mean        {process:>6.3}x ptxas -O3 as a process  must {MEAN_MUST} aim {MEAN_AIM}  {verdict}; \
             without start-up {alone:.3}x, ours {:.2} ms",
            mean(&|r| r.ours) * 1e3
        );
        outcome.add("compile, mean", Some(verdict));
        let verdict = judge_ratio(
            1.0 / worst.process,
            worst.noise,
            1.0 / WORST_MUST,
            1.0 / WORST_MUST,
        );
        let alone = rows.iter().map(|r| r.alone).fold(0.0, f64::max);
        println!(
            "compile, worst       {:>6.3}x  must {WORST_MUST}  {verdict}; without start-up {alone:.3}x",
            worst.process
        );
        outcome.add("compile, worst", Some(verdict));
        let mut typical: Vec<&Row<'_>> = rows.iter().collect();
        typical.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
        let typical = Estimate {
            median: typical[typical.len() / 2].cpu,
            noise,
        };
        let verdict = judge_time(typical, TYPICAL_MUST, TYPICAL_AIM);
        println!(
            "typical, warm        {:>9.2} ms of CPU (median)  must {:.0}  {verdict}",
            typical.median * 1e3,
            TYPICAL_MUST * 1e3
        );
        outcome.add("compile, typical", Some(verdict));
        let long = estimate(LONG, OURS).map(|long| {
            let verdict = judge_time(long, LONG_MUST, LONG_MUST);
            println!(
                "{LONG_LINES} lines, warm     {:>9.2} ms  must {:.0}  {verdict}",
                long.median * 1e3,
                LONG_MUST * 1e3
            );
            verdict
        });
        outcome.add("compile, 5000 lines", long);
        let good: Vec<f64> = self
            .rows
            .iter()
            .filter_map(|row| Some(estimate(row, GOOD)?.median / estimate(row, PTXAS)?.median))
            .collect();
        if !good.is_empty() {
            let mean = (good.iter().map(|r| r.ln()).sum::<f64>() / good.len() as f64).exp();
            let worst = good.iter().copied().fold(0.0, f64::max);
            println!(
                "good code            {mean:>6.3}x as a process, worst {worst:.3}x, of {} kernels (not judged: made \
                 while the first tier runs)",
                good.len()
            );
        }
        self.print_hits(samples, outcome);
        if !self.left_out.is_empty() {
            println!(
                "not judged           {} kernels that one of the two refuses",
                self.left_out.len()
            );
        }
    }

    fn print_hits(&self, samples: &Samples, outcome: &mut Outcome) {
        let rows = self.rows.iter();
        let mut hits: Vec<(Estimate, &String)> = rows
            .filter_map(|row| Some((samples.estimate(row, HIT)?, row)))
            .collect();
        hits.sort_by(|a, b| b.0.median.total_cmp(&a.0.median));
        let Some(&(worst, _)) = hits.first() else {
            outcome.add("cache hit", None);
            return;
        };
        println!("longest loads of {} kernels from the cache:", hits.len());
        for (hit, row) in hits.iter().take(NAMED) {
            let short: String = row.chars().take(60).collect();
            println!("  {short:<60} {:>8.1} us", hit.median * 1e6);
        }
        let verdict = judge_time(worst, HIT_MUST, HIT_AIM);
        println!(
            "cache hit            {:>9.1} us for the worst kernel  ±{:>4.1} %  must {:.0}  {verdict}; median {:.1} us",
            worst.median * 1e6,
            worst.noise * 100.0,
            HIT_MUST * 1e6,
            hits[hits.len() / 2].0.median * 1e6
        );
        outcome.add("cache hit", Some(verdict));
        let again = self.compiled_again;
        let verdict = match again {
            0 => Verdict::Met,
            _ => Verdict::Missed,
        };
        println!("second processes     {again} kernels compiled  must 0  {verdict}");
        outcome.add("second process", Some(verdict));
    }
}

/// Files in a directory and in those below.
fn count_files(directory: &Path) -> Result<usize, Failure> {
    let mut count = 0;
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries.map_err(Failure::file(&folder))?,
        };
        for entry in entries {
            let path = entry.map_err(Failure::file(&folder))?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Runs a command and keeps how long it took, in seconds, if it succeeds.
fn time(
    samples: &mut Samples,
    command: &mut Command,
    row: &str,
    peer: &str,
) -> Result<Option<f64>, Failure> {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status();
    let seconds = start.elapsed().as_secs_f64();
    let status = status.map_err(|source| Failure::Start {
        line: process::line(command),
        source,
    })?;
    if !status.success() {
        return Ok(None);
    }
    samples.take(&format!("sample {row} {peer} {seconds:e}"))?;
    Ok(Some(seconds))
}

/// Kernels of the PTX in a directory: from every file in turn the next one.
fn further(directory: Option<&Path>) -> Result<Vec<Kernel>, Failure> {
    let Some(directory) = directory else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(Failure::file(&folder))? {
            let path = entry.map_err(Failure::file(&folder))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut modules = Vec::new();
    for file in files {
        modules.push(kernels_of(&[file])?);
    }
    Ok(in_turn(modules, FURTHER))
}

/// At most `count` kernels: the first of each module, then the second of each, none of a name twice.
fn in_turn(modules: Vec<Vec<Kernel>>, count: usize) -> Vec<Kernel> {
    let mut modules: Vec<_> = modules.into_iter().map(Vec::into_iter).collect();
    let mut names = HashSet::new();
    let mut out = Vec::new();
    loop {
        let mut some = false;
        for module in &mut modules {
            if let Some(kernel) = module.next() {
                some = true;
                if out.len() < count && names.insert(kernel.name.clone()) {
                    out.push(kernel);
                }
            }
        }
        if !some || out.len() == count {
            return out;
        }
    }
}

/// A kernel as unrolling makes them: rounds that load, compute, keep results for each other, branch, and store.
fn long_kernel() -> String {
    let mut text = String::from(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n\
         .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .f32 %f<40>; .reg .pred %p<2>;\n\
         ld.param.u64 %d1, [in];\nld.param.u64 %d2, [out];\nmov.u32 %r1, %tid.x;\n\
         mul.wide.u32 %d3, %r1, 4;\nadd.s64 %d4, %d1, %d3;\nadd.s64 %d5, %d2, %d3;\n",
    );
    for k in 0..32 {
        text.push_str(&format!("ld.global.f32 %f{k}, [%d4+{}];\n", k * 4096));
    }
    let mut lines = text.lines().count();
    let mut round = 0;
    while lines < LONG_LINES {
        let (a, b, c) = (round % 32, (round + 7) % 32, (round + 19) % 32);
        text.push_str(&format!(
            "fma.rn.f32 %f32, %f{a}, %f{b}, %f{c};\nmul.f32 %f33, %f32, %f{b};\n\
             setp.gt.f32 %p1, %f33, %f{c};\nselp.f32 %f{a}, %f32, %f33, %p1;\n\
             add.f32 %f{b}, %f{a}, %f{c};\n"
        ));
        lines += 5;
        if round % 16 == 15 {
            text.push_str(&format!(
                "@%p1 bra $L{round};\nst.global.f32 [%d5+{}], %f{a};\n$L{round}:\n",
                round * 64
            ));
            lines += 3;
        }
        round += 1;
    }
    for k in 0..32 {
        text.push_str(&format!("st.global.f32 [%d5+{}], %f{k};\n", k * 4096));
    }
    text.push_str("ret;\n}\n");
    text
}

fn stem(file: &Path) -> String {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    name.replace(char::is_whitespace, "_")
}

fn kernels_of(files: &[PathBuf]) -> Result<Vec<Kernel>, Failure> {
    let mut out = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).map_err(Failure::file(file))?;
        let arch = arch(&text);
        for name in entries(&text) {
            out.push(Kernel {
                row: format!("{}:{name}", stem(file)),
                file: file.clone(),
                name: name.to_owned(),
                arch: arch.clone(),
            });
        }
    }
    Ok(out)
}

/// Names of the kernels that a text defines.
fn entries(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for piece in text.split(".entry").skip(1) {
        let name = piece.trim_start();
        let end = name
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')))
            .unwrap_or(name.len());
        if end > 0 && !names.contains(&&name[..end]) {
            names.push(&name[..end]);
        }
    }
    names
}

/// What to assemble for: Hopper, or what a newer text asks for.
fn arch(text: &str) -> String {
    let target = text
        .lines()
        .find_map(|line| line.trim_start().strip_prefix(".target"))
        .unwrap_or_default();
    let name = target
        .split(|c: char| c == ',' || c.is_whitespace())
        .find(|word| word.starts_with("sm_"))
        .unwrap_or("sm_90");
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let plain = name.len() == 3 + digits.len();
    if plain && digits.parse::<u32>().is_ok_and(|n| n <= 90) {
        "sm_90".into()
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_in_turn() {
        let module = |names: &[&str]| -> Vec<Kernel> {
            let kernel = |name: &&str| Kernel {
                row: (*name).into(),
                file: PathBuf::new(),
                name: (*name).into(),
                arch: String::new(),
            };
            names.iter().map(kernel).collect()
        };
        let modules = || {
            vec![
                module(&["a", "b", "c"]),
                module(&["d"]),
                module(&["a", "e"]),
            ]
        };
        let names = |count| -> Vec<String> {
            in_turn(modules(), count)
                .into_iter()
                .map(|k| k.name)
                .collect()
        };
        assert_eq!(names(10), ["a", "d", "b", "e", "c"]);
        assert_eq!(names(3), ["a", "d", "b"]);
    }

    #[test]
    fn the_long_kernel_is_long() {
        let text = long_kernel();
        assert!(text.lines().count() >= LONG_LINES);
        assert_eq!(entries(&text), ["k"]);
    }

    #[test]
    fn kernels_and_targets() {
        let text = ".version 8.0\n.target sm_75, debug\n.visible .entry a(\n)\n{ret;}\n.entry b_2() {}\n.entry a()";
        assert_eq!(entries(text), ["a", "b_2"]);
        assert_eq!(arch(text), "sm_90");
        assert_eq!(arch(".target sm_90a\n"), "sm_90a");
        assert_eq!(arch(".target sm_120"), "sm_120");
    }
}
