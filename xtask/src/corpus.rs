//! Real kernels: the PTX that open-source packages carry or produce, compiled one by one.
//!
//! What is fetched and what comes of it lies in a directory outside the repository; packages are deleted once their PTX
//! is out. Each kernel is compiled in a child process with limits of CPU time and memory, so that a crash or a loop is
//! one failure among others. What was done is not done again by the next run with the same compiler.

mod child;
mod report;
mod sources;

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use crate::{error::Failure, process, workspace::Workspace};
use child::{Compiler, Depth};
use report::Report;
use sources::Source;

/// What to do.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Where packages, PTX and results go: outside the repository
    #[arg(long)]
    dir: PathBuf,
    /// Only the sources of these names (default: all)
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Kernels of each source to compile to code; all of them go through the front end
    #[arg(long, default_value_t = 250)]
    sample: usize,
    /// CPU seconds that a kernel may take
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// GiB of memory that a kernel may take
    #[arg(long, default_value_t = 6)]
    memory: u64,
    /// The cargo profile that the compiler is built with
    #[arg(long, default_value = "release")]
    profile: String,
}

/// A kernel of a module.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Which source.
    pub source: String,
    /// The module.
    pub file: PathBuf,
    /// Its place in the module.
    pub index: usize,
    /// Of its text.
    pub hash: String,
    /// Lines of PTX.
    pub lines: usize,
    /// Its name.
    pub name: String,
}

/// Gathers, compiles, reports.
pub fn run(workspace: &Workspace, options: &Options) -> Result<(), Failure> {
    fs::create_dir_all(&options.dir).map_err(Failure::file(&options.dir))?;
    let dir = options
        .dir
        .canonicalize()
        .map_err(Failure::file(&options.dir))?;
    if dir.starts_with(&workspace.root) {
        return Err(Failure::NotJudged(format!(
            "{} is inside the repository",
            dir.display()
        )));
    }
    let compiler = Compiler::build(workspace, &options.profile, options.seconds, options.memory)?;
    let mut report = Report::default();
    let mut results = Results::open(&dir.join("results.tsv"), &compiler)?;
    let mut seen = HashSet::new();
    for source in sources::all() {
        if !options.only.is_empty() && !options.only.iter().any(|name| name == source.name) {
            continue;
        }
        let kernels = match gather(workspace, &dir, &compiler, &source, &mut report) {
            Ok(kernels) => kernels,
            // A package that is no longer served, or a tool that is not there, leaves the others.
            Err(failure) => {
                println!("corpus: {}: not judged: {failure}", source.name);
                report.absent.push(source.name.to_owned());
                continue;
            }
        };
        let all = kernels.len();
        let mut kernels: Vec<Kernel> = kernels
            .into_iter()
            .filter(|kernel| seen.insert(kernel.hash.clone()))
            .collect();
        println!(
            "corpus: {}: {all} kernels, {} that no other has",
            source.name,
            kernels.len()
        );
        report.count(source.name, all, kernels.len());
        compile(&compiler, Depth::Front, &kernels, &mut results)?;
        // Hashes are as good as random, and the same ones come first each time.
        kernels.sort_by(|a, b| a.hash.cmp(&b.hash));
        let sample: Vec<Kernel> = kernels.iter().take(options.sample).cloned().collect();
        compile(&compiler, Depth::Code, &sample, &mut results)?;
        for kernel in &kernels {
            report.add(kernel, Depth::Front, results.of(kernel, Depth::Front));
        }
        for kernel in &sample {
            report.add(kernel, Depth::Code, results.of(kernel, Depth::Code));
        }
    }
    let text = report.text();
    let path = dir.join("report.txt");
    fs::write(&path, &text).map_err(Failure::file(&path))?;
    print!("{text}");
    println!("report: {}", path.display());
    match report.core_failures() {
        0 => Ok(()),
        count => Err(Failure::Findings(count)),
    }
}

/// The source's kernels, gathered now or before.
fn gather(
    workspace: &Workspace,
    dir: &Path,
    compiler: &Compiler,
    source: &Source,
    report: &mut Report,
) -> Result<Vec<Kernel>, Failure> {
    let place = dir.join("ptx").join(source.name);
    let done = place.join("kernels.tsv");
    if !done.is_file() {
        fs::create_dir_all(&place).map_err(Failure::file(&place))?;
        println!("corpus: {}: gathering", source.name);
        let scratch = dir.join("scratch").join(source.name);
        fs::create_dir_all(&scratch).map_err(Failure::file(&scratch))?;
        let gathered = source.gather(workspace, compiler, &scratch, &place);
        fs::remove_dir_all(&scratch).map_err(Failure::file(&scratch))?;
        gathered?;
        let mut listed = String::new();
        for module in sources::files_under(&place)? {
            if module.extension().is_none_or(|ending| ending != "ptx") {
                continue;
            }
            match compiler.list(&module)? {
                Ok(kernels) => listed.push_str(&kernels),
                Err(why) => listed.push_str(&format!("module\t{}\t{why}\n", module.display())),
            }
        }
        fs::write(&done, listed).map_err(Failure::file(&done))?;
    }
    let mut kernels = Vec::new();
    for line in fs::read_to_string(&done)
        .map_err(Failure::file(&done))?
        .lines()
    {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["kernel", file, index, hash, lines, name] => kernels.push(Kernel {
                source: source.name.to_owned(),
                file: file.into(),
                index: index.parse().unwrap_or(0),
                hash: hash.to_owned(),
                lines: lines.parse().unwrap_or(0),
                name: name.to_owned(),
            }),
            ["module", file, why] => report.module(source.name, file, why),
            _ => {
                return Err(Failure::Output {
                    line: done.display().to_string(),
                    what: line.to_owned(),
                });
            }
        }
    }
    Ok(kernels)
}

/// Compiles what has no result yet, module by module.
fn compile(
    compiler: &Compiler,
    depth: Depth,
    kernels: &[Kernel],
    results: &mut Results,
) -> Result<(), Failure> {
    let mut modules: BTreeMap<&Path, Vec<&Kernel>> = BTreeMap::new();
    for kernel in kernels {
        if results.of(kernel, depth).is_none() {
            modules.entry(&kernel.file).or_default().push(kernel);
        }
    }
    for (module, mut kernels) in modules {
        kernels.sort_by_key(|kernel| kernel.index);
        compiler.compile(module, depth, &kernels, |kernel, outcome| {
            results.put(kernel, depth, outcome)
        })?;
    }
    Ok(())
}

/// What came of each kernel, kept in a file as it comes.
struct Results {
    path: PathBuf,
    known: BTreeMap<(Depth, String), String>,
}

impl Results {
    /// Opens the file; results of another compiler are dropped.
    fn open(path: &Path, compiler: &Compiler) -> Result<Self, Failure> {
        let identity = format!("compiler\t{}", compiler.identity());
        let text = fs::read_to_string(path).unwrap_or_default();
        let mut results = Self {
            path: path.to_owned(),
            known: BTreeMap::new(),
        };
        if text.lines().next() != Some(&identity) {
            fs::write(path, identity + "\n").map_err(Failure::file(path))?;
            return Ok(results);
        }
        for line in text.lines().skip(1) {
            if let [depth, hash, outcome] = line.splitn(3, '\t').collect::<Vec<_>>()[..]
                && let Some(depth) = Depth::named(depth)
            {
                results
                    .known
                    .insert((depth, hash.to_owned()), outcome.to_owned());
            }
        }
        Ok(results)
    }

    fn of(&self, kernel: &Kernel, depth: Depth) -> Option<&str> {
        self.known
            .get(&(depth, kernel.hash.clone()))
            .map(String::as_str)
    }

    fn put(&mut self, kernel: &Kernel, depth: Depth, outcome: &str) -> Result<(), Failure> {
        process::append(
            &self.path,
            &format!("{}\t{}\t{outcome}\n", depth.name(), kernel.hash),
        )?;
        self.known
            .insert((depth, kernel.hash.clone()), outcome.to_owned());
        Ok(())
    }
}
