//! The compiler in processes of its own.

use std::{
    io::{BufRead, BufReader, Read as _},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::Kernel;
use crate::{error::Failure, process, workspace::Workspace};

/// How far a kernel is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// To the compiler's own form: reading, checks, and every instruction's meaning.
    Front,
    /// To machine code.
    Code,
}

impl Depth {
    /// As files and the child spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Front => "front",
            Self::Code => "code",
        }
    }

    /// The depth of that spelling.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Front, Self::Code]
            .into_iter()
            .find(|depth| depth.name() == name)
    }
}

/// The tool that extracts and compiles (`crates/ptxjit/examples/corpus.rs`).
pub struct Compiler {
    tool: PathBuf,
    seconds: u64,
    memory: u64,
}

impl Compiler {
    /// Builds it.
    pub fn build(
        workspace: &Workspace,
        profile: &str,
        seconds: u64,
        memory: u64,
    ) -> Result<Self, Failure> {
        process::run(process::cargo(&workspace.root).args([
            "build",
            "--locked",
            "--profile",
            profile,
            "--package",
            "ptxjit",
            "--example",
            "corpus",
        ]))?;
        let folder = if profile == "dev" { "debug" } else { profile };
        let tool = workspace
            .metadata()?
            .target_dir
            .join(folder)
            .join("examples/corpus");
        Ok(Self {
            tool,
            seconds,
            memory,
        })
    }

    /// Differs from build to build.
    pub fn identity(&self) -> String {
        let Ok(data) = self.tool.metadata() else {
            return String::new();
        };
        let modified = data
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or(0, |since| since.as_secs());
        format!("{}-{modified}", data.len())
    }

    /// The tool under its limit of memory, at the lowest priority: a corpus is long.
    fn command(&self) -> Command {
        let mut command = Command::new("nice");
        command
            .args(["-n", "15", "prlimit"])
            .arg(format!("--as={}", self.memory << 30))
            .arg("--core=0")
            .arg(&self.tool);
        command
    }

    /// Writes the PTX in `file` into `place`; how many modules there were.
    pub fn extract(&self, file: &Path, place: &Path) -> Result<usize, Failure> {
        let mut command = self.command();
        let output = command
            .arg("extract")
            .arg(file)
            .arg(place)
            .output()
            .map_err(|source| Failure::Start {
                line: process::line(&command),
                source,
            })?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            println!("corpus: {}: {}", file.display(), text.trim_end());
        }
        Ok(text.lines().filter(|line| line.starts_with("ptx ")).count())
    }

    /// The kernels of a module as lines of a table, or why there are none.
    pub fn list(&self, module: &Path) -> Result<Result<String, String>, Failure> {
        let mut command = self.command();
        let output = command
            .arg("list")
            .arg(module)
            .output()
            .map_err(|source| Failure::Start {
                line: process::line(&command),
                source,
            })?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let why = text
                .lines()
                .find_map(|line| line.strip_prefix("module "))
                .map_or_else(|| output.status.to_string(), str::to_owned);
            return Ok(Err(why.replace('\t', " ")));
        }
        let mut table = String::new();
        for line in text.lines() {
            if let ["kernel", index, hash, lines, name] =
                line.splitn(5, ' ').collect::<Vec<_>>()[..]
            {
                table.push_str(&format!(
                    "kernel\t{}\t{index}\t{hash}\t{lines}\t{name}\n",
                    module.display()
                ));
            }
        }
        Ok(Ok(table))
    }

    /// Compiles kernels of one module, in order of their index; `done` hears of each. When a child dies, the next one
    /// goes on behind the kernel that it died of.
    pub fn compile(
        &self,
        module: &Path,
        depth: Depth,
        kernels: &[&Kernel],
        mut done: impl FnMut(&Kernel, &str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut rest = kernels;
        while !rest.is_empty() {
            let mut command = self.command();
            command
                .arg("compile")
                .arg(module)
                .arg(self.seconds.to_string())
                .arg(depth.name())
                .args(rest.iter().map(|kernel| kernel.index.to_string()))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            let start = |source| Failure::Start {
                line: format!("{} compile {}", self.tool.display(), module.display()),
                source,
            };
            let mut child = command.spawn().map_err(start)?;
            let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
            // Read beside, so that a child with much to say does not wait for us.
            let complaints = std::thread::spawn(move || {
                let mut bytes = Vec::new();
                if let Some(mut stderr) = stderr {
                    // What cannot be read is not reported.
                    let _ = stderr.read_to_end(&mut bytes);
                }
                String::from_utf8_lossy(&bytes).into_owned()
            });
            let mut current: Option<&Kernel> = None;
            for line in stdout
                .into_iter()
                .flat_map(|out| BufReader::new(out).lines())
            {
                let line = line.map_err(start)?;
                if let Some(index) = line.strip_prefix("start ") {
                    current = rest
                        .iter()
                        .find(|kernel| index.parse() == Ok(kernel.index))
                        .copied();
                } else if let Some(kernel) = current.take() {
                    done(kernel, &line)?;
                    rest = behind(rest, kernel);
                } else {
                    // Not about a kernel: the module.
                    for kernel in rest {
                        done(kernel, &format!("fail {line}"))?;
                    }
                    rest = &[];
                }
            }
            let status = child.wait().map_err(start)?;
            let complaints = complaints.join().unwrap_or_default();
            if let Some(kernel) = current {
                done(kernel, &died(status, &complaints))?;
                rest = behind(rest, kernel);
            } else if let (false, Some(kernel)) = (status.success(), rest.first()) {
                // It died before it said what it was at, which would repeat itself for ever.
                done(kernel, &died(status, &complaints))?;
                rest = behind(rest, kernel);
            }
        }
        Ok(())
    }
}

fn behind<'a, 'b>(rest: &'a [&'b Kernel], kernel: &Kernel) -> &'a [&'b Kernel] {
    let at = rest
        .iter()
        .position(|other| other.index == kernel.index)
        .map_or(rest.len(), |at| at + 1);
    &rest[at..]
}

/// A dead child's outcome.
fn died(status: std::process::ExitStatus, complaints: &str) -> String {
    let last = complaints
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("note: "))
        .unwrap_or("");
    match status.signal() {
        Some(libc::SIGXCPU) => "fail took more CPU time than it may".to_owned(),
        Some(signal) => format!("fail ended by signal {signal}: {last}"),
        None => format!("fail ended ({status}): {last}"),
    }
}
