//! Side-by-side measurements: what the virtual GPU takes against what the same work takes natively.
//!
//! Each bench is a program (or several) under `benches/` that prints lines `sample ROW PEER SECONDS`. All samples go to
//! a file, and the table is computed from them. A row whose distance from its goal lies within the run's own noise is
//! `undecided`; where a peer is not there, the row is `not judged`.

mod compile;
pub(crate) mod programs;
mod statistics;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use clap::ValueEnum;

use crate::{error::Failure, process, workspace::Workspace};
use programs::{Isa, Programs};
use statistics::{Samples, Verdict, judge_ratio, judge_time};

/// A bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// Launches, launch + synchronize, and the ioctl through the syscall door
    Launch,
    /// cudaMemcpy against memcpy
    Copy,
    /// Moving a block of tracked managed memory, and the system calls under it
    Managed,
    /// The thirteen kernels against native code, ISPC and PoCL, and twenty further ones against native code
    Kernels,
    /// Cold compilation against NVIDIA's `ptxas -O3`, and cache hits
    Compile,
}

/// What a row should reach.
enum Goal {
    /// Seconds per operation, at most.
    Time { must: f64, aim: f64 },
    /// None: what the machine itself takes, so that a miss can be told from a slow machine.
    Reported,
    /// The peer's time divided by ours, at least.
    Ratio {
        peer: &'static str,
        must: f64,
        aim: f64,
    },
}

/// A row of the table: its name in the samples, and its goal.
struct Row {
    name: &'static str,
    goal: Goal,
}

const fn time(name: &'static str, must: f64, aim: f64) -> Row {
    Row {
        name,
        goal: Goal::Time { must, aim },
    }
}

const fn ratio(name: &'static str, peer: &'static str, must: f64, aim: f64) -> Row {
    Row {
        name,
        goal: Goal::Ratio { peer, must, aim },
    }
}

const fn reported(name: &'static str) -> Row {
    Row {
        name,
        goal: Goal::Reported,
    }
}

/// How our own samples are named.
const OURS: &str = "ours";
/// Seconds until good code was there (`benches/settle.hpp`).
const SETTLING: &str = "settling";
/// The project's performance goals, row by row.
const LAUNCH: [Row; 12] = [
    time("launch", 3.0e-6, 0.7e-6),
    time("launch+sync", 15.0e-6, 3.0e-6),
    time("launch-1-streams", 3.0e-6, 0.7e-6),
    time("launch-8-streams", 3.0e-6, 0.7e-6),
    time("launch-64-streams", 3.0e-6, 0.7e-6),
    time("launch+sync-1-streams", 15.0e-6, 3.0e-6),
    time("launch+sync-8-streams", 15.0e-6, 3.0e-6),
    time("launch+sync-64-streams", 15.0e-6, 3.0e-6),
    time("launch-8-threads", 3.0e-6, 0.7e-6),
    time("ioctl-syscall-door", 5.0e-6, 3.0e-6),
    reported("notify-null"),
    reported("notify-work"),
];
const MANAGED: [Row; 5] = [
    time("managed-htod-one-cpu", 50.0e-6, 40.0e-6),
    time("managed-dtoh-one-cpu", 50.0e-6, 40.0e-6),
    reported("managed-htod-two-cpus"),
    reported("managed-dtoh-two-cpus"),
    reported("block-floor"),
];
const COPY: [Row; 8] = [
    ratio("h2d-pageable", "memcpy", 0.8, 0.95),
    ratio("d2h-pageable", "memcpy", 0.8, 0.95),
    ratio("h2d-pinned", "memcpy", 0.8, 0.95),
    ratio("d2h-pinned", "memcpy", 0.8, 0.95),
    ratio("h2d-1-streams", "memcpy", 0.8, 0.95),
    ratio("h2d-8-streams", "memcpy", 0.8, 0.95),
    ratio("h2d-64-streams", "memcpy", 0.8, 0.95),
    ratio("h2d-8-threads", "memcpy", 0.8, 0.95),
];
const KERNELS: [Row; 13] = [
    ratio("vecadd", "native", 0.85, 0.95),
    ratio("sgemm_naive", "native", 1.5, 1.5),
    ratio("sgemm_tiled", "native", 0.40, 0.8),
    ratio("reduce", "native", 0.60, 0.8),
    ratio("scan", "native", 0.60, 0.8),
    ratio("nbody", "native", 0.85, 0.95),
    ratio("mandel", "native", 0.55, 0.8),
    ratio("blackscholes", "native", 0.85, 0.95),
    ratio("hist", "native", 0.45, 0.8),
    ratio("jacobi", "native", 0.85, 0.95),
    ratio("transpose", "native", 0.85, 0.95),
    ratio("bitonic", "native", 0.25, 0.8),
    ratio("spmv", "native", 0.85, 0.95),
];
/// Geometric means over the kernels: peer, must, aim.
const MEANS: [(&str, f64, f64); 3] = [
    ("native", 0.75, 0.95),
    ("ispc", 1.0, 1.25),
    ("pocl", 5.0, 8.0),
];
/// The same against native code on hosts without AVX-512.
const NATIVE_AVX2: (&str, f64, f64) = ("native", 0.6, 0.75);
/// Kernels of common suites, against native code: only their geometric mean has a goal.
const FURTHER: [&str; 20] = [
    "lbm",
    "srad",
    "hotspot",
    "bfs",
    "kmeans",
    "fft",
    "convolution",
    "softmax",
    "layer_norm",
    "attention",
    "igemm",
    "radix_pass",
    "reduce_by_key",
    "fdtd3d",
    "monte_carlo",
    "string_match",
    "sha256",
    "queens",
    "triangular",
    "components",
];
/// Their mean: peer, must, aim.
const FURTHER_MEAN: (&str, f64, f64) = ("native", 0.6, 0.75);
/// Rounds in which the peers take turns, so that a slow minute of the machine hits all.
const ROUNDS: u32 = 3;

/// Runs the named benches, or all.
/// `ptx`: a directory with more PTX to compile.
pub fn run(
    workspace: &Workspace,
    names: &[Name],
    budget: f64,
    ptx: Option<&Path>,
) -> Result<(), Failure> {
    let names = if names.is_empty() {
        Name::value_variants()
    } else {
        names
    };
    let programs = Programs::find(workspace)?;
    let mut samples = Samples::default();
    let mut differing = Vec::new();
    let mut compiled = None;
    for name in names {
        match name {
            Name::Launch => launch(&programs, &mut samples)?,
            Name::Copy => {
                let program = programs.cuda(&["copy.cu"], "copy")?;
                samples.take(&process::output(&mut programs.on_gpu("socket", &program))?)?;
            }
            Name::Managed => managed(&programs, &mut samples)?,
            Name::Kernels => {
                kernels(&programs, &mut samples, budget)?;
                differing = further(&programs, &mut samples, budget)?;
            }
            Name::Compile => compiled = Some(compile::run(&programs, &mut samples, ptx)?),
        }
    }
    let file = record(&programs, &samples)?;
    let mut outcome = Outcome::default();
    for name in &differing {
        println!("{name:<20} results differ from native code's");
        outcome.add(name, Some(Verdict::Missed));
    }
    for name in names {
        let rows: &[Row] = match name {
            Name::Launch => &LAUNCH,
            Name::Copy => &COPY,
            Name::Managed => &MANAGED,
            Name::Kernels | Name::Compile => &[],
        };
        for row in rows {
            outcome.add(row.name, report(row, row.name, &samples));
        }
        if *name == Name::Kernels {
            for setup in Setup::of_host() {
                report_kernels(setup, &samples, &mut outcome);
            }
            report_settling(&samples);
            report_further(&samples, &mut outcome);
        }
        if let Some(compiled) = compiled.as_ref().filter(|_| *name == Name::Compile) {
            compiled.print(&samples, &mut outcome);
        }
    }
    println!("samples: {}", file.display());
    println!("{}", outcome.line());
    Ok(())
}

/// What the verdicts come to.
#[derive(Default)]
struct Outcome {
    short: Vec<String>,
    undecided: Vec<String>,
    not_judged: Vec<String>,
}

impl Outcome {
    fn add(&mut self, name: &str, verdict: Option<Verdict>) {
        match verdict {
            Some(Verdict::Aim | Verdict::Met) => {}
            Some(Verdict::Missed) => self.short.push(name.to_owned()),
            Some(Verdict::Undecided) => self.undecided.push(name.to_owned()),
            None => self.not_judged.push(name.to_owned()),
        }
    }

    /// The last line of the report.
    fn line(&self) -> String {
        let mut out = if self.short.is_empty() {
            "all musts hold".to_owned()
        } else {
            format!("short of what must be: {}", self.short.join(", "))
        };
        for (what, names) in [
            ("undecided", &self.undecided),
            ("not judged", &self.not_judged),
        ] {
            if !names.is_empty() {
                out.push_str(&format!("; {what}: {}", names.join(", ")));
            }
        }
        out
    }
}

/// Whether the host has AVX-512, as the kernel reports it.
fn has_avx512() -> bool {
    fs::read_to_string("/proc/cpuinfo")
        .is_ok_and(|text| text.split_whitespace().any(|flag| flag == "avx512bw"))
}

fn launch(programs: &Programs, samples: &mut Samples) -> Result<(), Failure> {
    let program = programs.cuda(&["launch.cu"], "launch")?;
    samples.take(&process::output(&mut programs.on_gpu("socket", &program))?)?;
    let notify = programs.native(&["notify.cpp"], "notify")?;
    samples.take(&process::output(&mut Command::new(notify))?)?;
    let ioctl = programs.native(&["ioctl.cpp"], "ioctl")?;
    match process::output(&mut programs.on_gpu("syscall", &ioctl)) {
        Ok(text) => samples.take(&text),
        // The row then has no samples, and the reason stands here.
        Err(failure) => {
            println!("bench: ioctl-syscall-door: {failure}");
            Ok(())
        }
    }
}

/// Each run has a server of its own: what runs on one CPU runs there wholly.
fn managed(programs: &Programs, samples: &mut Samples) -> Result<(), Failure> {
    let program = programs.cuda(&["managed.cu"], "managed")?;
    for (how, pinned) in [("one-cpu", true), ("two-cpus", false)] {
        let mut command = programs.tracked(&program, how, pinned);
        samples.take(&process::output(&mut command)?)?;
    }
    let floor = programs.native(&["block.cpp"], "block")?;
    match process::output(&mut Command::new(floor)) {
        Ok(text) => samples.take(&text),
        Err(failure) => {
            println!("bench: block-floor: {failure}");
            Ok(())
        }
    }
}

/// On how many CPUs, and for which instructions, all peers run the thirteen kernels.
struct Setup {
    /// Added to the rows' names.
    suffix: &'static str,
    isa: Isa,
    one_cpu: bool,
}

/// Of which those for AVX2 are there on hosts with AVX-512 only: the others are theirs, without.
const SETUPS: [Setup; 4] = [
    Setup {
        suffix: "",
        isa: Isa::Host,
        one_cpu: false,
    },
    Setup {
        suffix: " (one core)",
        isa: Isa::Host,
        one_cpu: true,
    },
    Setup {
        suffix: " (AVX2)",
        isa: Isa::Avx2,
        one_cpu: false,
    },
    Setup {
        suffix: " (AVX2, one core)",
        isa: Isa::Avx2,
        one_cpu: true,
    },
];

impl Setup {
    fn of_host() -> impl Iterator<Item = &'static Self> {
        let avx512 = has_avx512();
        SETUPS
            .iter()
            .filter(move |setup| setup.isa == Isa::Host || avx512)
    }

    /// What code is made for, in words.
    fn instructions(&self) -> &'static str {
        match self.isa {
            Isa::Host if has_avx512() => "AVX-512",
            Isa::Host | Isa::Avx2 => "AVX2",
        }
    }

    /// A peer's command here.
    fn placed(&self, command: &Command) -> Command {
        let mut placed = if self.one_cpu {
            let mut placed = Command::new("taskset");
            placed.args(["-c", "0"]).arg(command.get_program());
            placed.env("OMP_NUM_THREADS", "1");
            placed
        } else {
            Command::new(command.get_program())
        };
        placed.args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => placed.env(name, value),
                None => placed.env_remove(name),
            };
        }
        placed
    }
}

/// Runs the thirteen kernels in all setups, the peers in turns.
fn kernels(programs: &Programs, samples: &mut Samples, budget: f64) -> Result<(), Failure> {
    let ours = programs.cuda(&["kernels/gpu.cu", "kernels/main.cpp"], "kernels-gpu")?;
    let pocl = programs.pocl()?;
    if pocl.is_none() {
        println!("bench: no PoCL (set POCL to where it is installed)");
    }
    for setup in Setup::of_host() {
        let mut gpu = programs.on_gpu("socket", &ours);
        // A server of its own, which runs where the program does.
        gpu.env(
            "ANTLERITE_INSTANCE",
            format!("bench-kernels-{}", u8::from(setup.one_cpu)),
        );
        if setup.isa == Isa::Avx2 {
            gpu.env("ANTLERITE_ISA", "avx2");
        }
        let native = ["kernels/native.cpp", "kernels/main.cpp"];
        let native = programs.native_for(setup.isa, &native, "kernels-native")?;
        let mut commands = vec![setup.placed(&gpu), setup.placed(&Command::new(native))];
        match programs.ispc(setup.isa)? {
            Some(ispc) => commands.push(setup.placed(&Command::new(ispc))),
            None => println!("bench: no ISPC compiler (set ISPC)"),
        }
        // It makes code for the host, whatever the others do.
        if setup.isa == Isa::Host {
            commands.extend(pocl.as_ref().map(|pocl| setup.placed(pocl)));
        }
        for command in &mut commands {
            command.env("BUDGET", (budget / f64::from(ROUNDS)).to_string());
        }
        for _ in 0..ROUNDS {
            for command in &mut commands {
                samples.take_as(&process::output(command)?, setup.suffix)?;
            }
        }
    }
    Ok(())
}

/// Runs the further kernels, both peers in one program; the names of those whose results differ.
fn further(
    programs: &Programs,
    samples: &mut Samples,
    budget: f64,
) -> Result<Vec<String>, Failure> {
    let program = programs.further()?;
    let mut command = programs.on_gpu("socket", &program);
    command.env("BUDGET", budget.to_string());
    let text = process::output(&mut command)?;
    samples.take(&text)?;
    Ok(text
        .lines()
        .filter_map(|line| line.strip_prefix("differs "))
        .map(str::to_owned)
        .collect())
}

fn report_further(samples: &Samples, outcome: &mut Outcome) {
    let (peer, must, aim) = FURTHER_MEAN;
    let mut logs = Vec::new();
    let mut noise = 0.0;
    for name in FURTHER {
        let (Some(ours), Some(theirs)) =
            (samples.estimate(name, OURS), samples.estimate(name, peer))
        else {
            println!("{name:<20} not judged: no samples");
            continue;
        };
        let ratio = theirs.median / ours.median;
        let both = ours.noise + theirs.noise;
        println!(
            "{name:<20} {:>9.3} ms  {ratio:>6.3} of {peer}  ±{:>4.1} %",
            ours.median * 1e3,
            both * 100.0,
        );
        logs.push(ratio.ln());
        noise += both;
    }
    let name = "mean of the further kernels";
    if logs.len() < FURTHER.len() {
        println!("{name:<20} not judged: {} of {}", logs.len(), FURTHER.len());
        outcome.add(name, None);
        return;
    }
    let count = FURTHER.len() as f64;
    let mean = (logs.iter().sum::<f64>() / count).exp();
    let verdict = judge_ratio(mean, noise / count, must, aim);
    println!(
        "geometric mean       {mean:>6.3} of {peer}  must {must:>5.2} aim {aim:>5.2}  {verdict}"
    );
    outcome.add(name, Some(verdict));
}

fn record(programs: &Programs, samples: &Samples) -> Result<PathBuf, Failure> {
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let path = programs.out().join(format!("samples-{seconds}.tsv"));
    fs::write(&path, samples.to_tsv()).map_err(Failure::file(&path))?;
    Ok(path)
}

/// `name`: the row's in the samples.
fn report(row: &Row, name: &str, samples: &Samples) -> Option<Verdict> {
    let Some(ours) = samples.estimate(name, OURS) else {
        println!("{name:<20} not judged: no samples");
        return None;
    };
    match row.goal {
        Goal::Time { must, aim } => {
            let verdict = judge_time(ours, must, aim);
            println!(
                "{name:<20} {:>9.2} us  ±{:>4.1} %  must {:>5.2} aim {:>5.2}  {verdict}",
                ours.median * 1e6,
                ours.noise * 100.0,
                must * 1e6,
                aim * 1e6,
            );
            Some(verdict)
        }
        Goal::Reported => {
            println!(
                "{name:<20} {:>9.2} us  ±{:>4.1} %  (the machine's)",
                ours.median * 1e6,
                ours.noise * 100.0,
            );
            Some(Verdict::Met)
        }
        Goal::Ratio { peer, must, aim } => {
            let Some(theirs) = samples.estimate(name, peer) else {
                println!("{name:<20} not judged: no samples of {peer}");
                return None;
            };
            let ratio = theirs.median / ours.median;
            let noise = ours.noise + theirs.noise;
            let verdict = judge_ratio(ratio, noise, must, aim);
            println!(
                "{name:<20} {:>9.3} ms  {ratio:>6.3} of {peer}  ±{:>4.1} %  must {must:>5.2} aim {aim:>5.2}  {verdict}",
                ours.median * 1e3,
                noise * 100.0,
            );
            Some(verdict)
        }
    }
}

/// How long a program that only launches waits for good code, where the first launches ran code of the first tier.
fn report_settling(samples: &Samples) {
    let names = KERNELS.iter().map(|row| row.name).chain(FURTHER);
    let took = names.filter_map(|name| Some((samples.estimate(name, SETTLING)?.median, name)));
    let mut took: Vec<(f64, &str)> = took.collect();
    took.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((slowest, name)) = took.last() {
        println!(
            "good code            after {:.0} ms (median of {} that ran other code first), slowest {name} {:.0} ms",
            took[took.len() / 2].0 * 1e3,
            took.len(),
            slowest * 1e3
        );
    }
}

/// The kernels' table of one setup.
fn report_kernels(setup: &Setup, samples: &Samples, outcome: &mut Outcome) {
    let cores = if setup.one_cpu {
        "one core"
    } else {
        "all cores"
    };
    println!("kernels              {}, {cores}", setup.instructions());
    for row in &KERNELS {
        let name = format!("{}{}", row.name, setup.suffix);
        // The floors are for code that uses all that the host has.
        if setup.isa == Isa::Host {
            outcome.add(&name, report(row, &name, samples));
            continue;
        }
        let ours = samples.estimate(&name, OURS);
        match (ours, samples.estimate(&name, NATIVE_AVX2.0)) {
            (Some(ours), Some(theirs)) => println!(
                "{name:<20} {:>9.3} ms  {:>6.3} of {}  ±{:>4.1} %",
                ours.median * 1e3,
                theirs.median / ours.median,
                NATIVE_AVX2.0,
                (ours.noise + theirs.noise) * 100.0,
            ),
            _ => println!("{name:<20} not judged: no samples"),
        }
    }
    report_means(setup, samples, outcome);
}

fn report_means(setup: &Setup, samples: &Samples, outcome: &mut Outcome) {
    let avx2 = setup.instructions() == "AVX2";
    for mean in MEANS {
        let (peer, must, aim) = if mean.0 == NATIVE_AVX2.0 && avx2 {
            NATIVE_AVX2
        } else {
            mean
        };
        if peer == "pocl" && setup.isa == Isa::Avx2 {
            continue;
        }
        let name = format!("mean of {peer}{}", setup.suffix);
        let mut logs = Vec::new();
        let mut noise = 0.0;
        for row in &KERNELS {
            if let (Some(ours), Some(theirs)) = (
                samples.estimate(&format!("{}{}", row.name, setup.suffix), OURS),
                samples.estimate(&format!("{}{}", row.name, setup.suffix), peer),
            ) {
                logs.push((theirs.median / ours.median).ln());
                noise += ours.noise + theirs.noise;
            }
        }
        if logs.len() < KERNELS.len() {
            println!(
                "geometric mean       not judged: {} of {} kernels have samples of {peer}",
                logs.len(),
                KERNELS.len()
            );
            outcome.add(&name, None);
            continue;
        }
        let count = KERNELS.len() as f64;
        let mean = (logs.iter().sum::<f64>() / count).exp();
        let verdict = judge_ratio(mean, noise / count, must, aim);
        println!(
            "geometric mean       {mean:>6.3} of {peer}  must {must:>5.2} aim {aim:>5.2}  {verdict}"
        );
        outcome.add(&name, Some(verdict));
    }
}
