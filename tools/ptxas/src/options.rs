//! The command line: NVIDIA's options in both spellings, with the value behind `=` or as the next word.
//!
//! Source: CUDA Toolkit 13.0, "NVIDIA CUDA Compiler Driver NVCC", "Ptxas Options".

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// What an option is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Arch,
    Output,
    Level,
    Registers,
    Verbose,
    Debug,
    LineInfo,
    Relocatable,
    NoWarnings,
    Version,
    Help,
    InputAsString,
    OptionsFile,
    /// Takes no value and changes nothing here: what a real device's code would look like, or what is warned of.
    Flag,
    /// Takes a value and changes nothing here.
    Value,
}

impl Meaning {
    const fn takes_value(self) -> bool {
        match self {
            Self::Arch
            | Self::Output
            | Self::Level
            | Self::Registers
            | Self::InputAsString
            | Self::OptionsFile
            | Self::Value => true,
            Self::Verbose
            | Self::Debug
            | Self::LineInfo
            | Self::Relocatable
            | Self::NoWarnings
            | Self::Version
            | Self::Help
            | Self::Flag => false,
        }
    }
}

/// Long name, short name (may be empty), meaning.
const OPTIONS: &[(&str, &str, Meaning)] = &[
    ("--gpu-name", "-arch", Meaning::Arch),
    ("--output-file", "-o", Meaning::Output),
    ("--opt-level", "-O", Meaning::Level),
    ("--maxrregcount", "-maxrregcount", Meaning::Registers),
    ("--verbose", "-v", Meaning::Verbose),
    ("--device-debug", "-g", Meaning::Debug),
    ("--generate-line-info", "-lineinfo", Meaning::LineInfo),
    ("--compile-only", "-c", Meaning::Relocatable),
    ("--disable-warnings", "-w", Meaning::NoWarnings),
    ("--version", "-V", Meaning::Version),
    ("--help", "-h", Meaning::Help),
    ("--input-as-string", "-ias", Meaning::InputAsString),
    ("--options-file", "-optf", Meaning::OptionsFile),
    ("--machine", "-m", Meaning::Value),
    ("--fmad", "-fmad", Meaning::Value),
    ("--def-load-cache", "-dlcm", Meaning::Value),
    ("--def-store-cache", "-dscm", Meaning::Value),
    ("--force-load-cache", "-flcm", Meaning::Value),
    ("--force-store-cache", "-fscm", Meaning::Value),
    (
        "--device-function-maxrregcount",
        "-func-maxrregcount",
        Meaning::Value,
    ),
    ("--maxntid", "-maxntid", Meaning::Value),
    ("--minnctapersm", "-minnctapersm", Meaning::Value),
    ("--entry", "-e", Meaning::Value),
    ("--compile-functions", "", Meaning::Value),
    ("--split-compile", "-split-compile", Meaning::Value),
    ("--Ofast-compile", "-Ofc", Meaning::Value),
    (
        "--allow-expensive-optimizations",
        "-allow-expensive-optimizations",
        Meaning::Value,
    ),
    ("--tool-name", "", Meaning::Value),
    ("--preserve-relocs", "-preserve-relocs", Meaning::Flag),
    ("--position-independent-code", "-pic", Meaning::Flag),
    ("--extensible-whole-program", "-ewp", Meaning::Flag),
    (
        "--device-stack-protector",
        "-device-stack-protector",
        Meaning::Flag,
    ),
    (
        "--disable-optimizer-constants",
        "-disable-optimizer-consts",
        Meaning::Flag,
    ),
    ("--dont-merge-basicblocks", "-no-bb-merge", Meaning::Flag),
    ("--return-at-end", "-ret-end", Meaning::Flag),
    (
        "--make-errors-visible-at-exit",
        "-make-errors-visible-at-exit",
        Meaning::Flag,
    ),
    ("--optimize-float-atomics", "-opt-fp-atomics", Meaning::Flag),
    (
        "--override-directive-values",
        "-override-directive-values",
        Meaning::Flag,
    ),
    ("--reserve-null-pointer", "-reserve-null-ptr", Meaning::Flag),
    (
        "--set-texmode-independent",
        "-set-texmode-independent",
        Meaning::Flag,
    ),
    ("--sp-bounds-check", "-sp-bounds-check", Meaning::Flag),
    (
        "--suppress-async-bulk-multicast-advisory-warning",
        "-suppress-async-bulk-multicast-advisory-warning",
        Meaning::Flag,
    ),
    (
        "--suppress-debug-info",
        "-suppress-debug-info",
        Meaning::Flag,
    ),
    (
        "--suppress-double-demote-warning",
        "-suppress-double-demote-warning",
        Meaning::Flag,
    ),
    (
        "--suppress-stack-size-warning",
        "-suppress-stack-size-warning",
        Meaning::Flag,
    ),
    (
        "--warn-on-double-precision-use",
        "-warn-double-usage",
        Meaning::Flag,
    ),
    (
        "--warn-on-local-memory-usage",
        "-warn-lmem-usage",
        Meaning::Flag,
    ),
    ("--warn-on-spills", "-warn-spills", Meaning::Flag),
    ("--warning-as-error", "-Werror", Meaning::Flag),
    ("--compiler-stats", "-compiler-stats", Meaning::Flag),
    (
        "--legacy-bar-warp-wide-behavior",
        "-legacy-bar-warp-wide-behavior",
        Meaning::Flag,
    ),
    ("--cuda-api-version", "", Meaning::Value),
    ("--no-fastreg", "", Meaning::Flag),
    ("--uumn", "", Meaning::Flag),
    ("--sw200428197", "", Meaning::Value),
    ("--regAllocOptLevel", "", Meaning::Value),
];

/// Option files that may stand in option files.
const NESTING: usize = 16;

/// An input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// The text itself (`--input-as-string`).
    Text(String),
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// PTX.
    pub inputs: Vec<Source>,
    /// Where the cubin goes.
    pub output: PathBuf,
    /// `sm_NN` as given.
    pub arch: String,
    /// 0 to 4.
    pub level: u32,
    /// Cap on reported registers, 0 none.
    pub registers: u32,
    /// `-v`
    pub verbose: bool,
    /// `-g`
    pub debug: bool,
    /// `-lineinfo`
    pub line_info: bool,
    /// `-c`
    pub relocatable: bool,
    /// Options with values that are not known and were left out.
    pub unknown: Vec<String>,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Compile.
    Compile(Command),
    /// Print the version.
    Version,
    /// Print the options.
    Help,
}

/// What is wrong with the command line, in ptxas's words.
pub type Wrong = String;

/// The option that a word is, and the value in it.
fn find(word: &str) -> Option<(Meaning, Option<&str>)> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    let exact = OPTIONS
        .iter()
        .find(|(long, short, _)| name == *long || (!short.is_empty() && name == *short))
        .map(|(_, _, meaning)| *meaning);
    if let Some(meaning) = exact {
        return Some((meaning, value));
    }
    // -O3, -m64, -ofile
    let glued = [("-O", Meaning::Level), ("-m", Meaning::Value)];
    glued.into_iter().find_map(|(short, meaning)| {
        let rest = word.strip_prefix(short)?;
        let number = rest.bytes().all(|b| b.is_ascii_digit()) && !rest.is_empty();
        number.then_some((meaning, Some(rest)))
    })
}

/// Reads the words behind the program's name.
///
/// # Errors
/// What is wrong with them.
pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Action, Wrong> {
    let mut command = Command {
        inputs: Vec::new(),
        output: "elf.o".into(),
        arch: "sm_75".into(),
        level: 4,
        registers: 0,
        verbose: false,
        debug: false,
        line_info: false,
        relocatable: false,
        unknown: Vec::new(),
    };
    let mut words: VecDeque<(String, usize)> = words.into_iter().map(|word| (word, 0)).collect();
    while let Some((word, depth)) = words.pop_front() {
        if !word.starts_with('-') || word == "-" {
            command.inputs.push(Source::File(word.into()));
            continue;
        }
        let Some((meaning, value)) = find(&word) else {
            let name = word.trim_start_matches('-');
            // Tool chains pass options of releases to come. One with its value in it can be left out.
            if let Some((name, _)) = name.split_once('=').filter(|_| word.starts_with("--")) {
                command.unknown.push(name.to_owned());
                continue;
            }
            return Err(format!("Unknown option '{name}'"));
        };
        let value = match (meaning.takes_value(), value) {
            (true, Some(value)) => value.to_owned(),
            (true, None) => words
                .pop_front()
                .map(|(value, _)| value)
                .ok_or_else(|| format!("'{word}': expected an argument"))?,
            (false, None | Some("true")) => String::new(),
            // A flag that is switched off.
            (false, Some("false")) => continue,
            (false, Some(_)) => return Err(format!("'{word}': unexpected argument")),
        };
        let number = || {
            value
                .parse::<u32>()
                .map_err(|_| format!("'{word}': expected a number"))
        };
        match meaning {
            Meaning::Arch => command.arch = value,
            Meaning::Output => command.output = value.into(),
            Meaning::Level => {
                let level = number()?;
                if level > 4 {
                    return Err(format!(
                        "Value '{level}' is not defined for option 'opt-level'"
                    ));
                }
                // 3 is the default and means all there is.
                command.level = if level == 3 { 4 } else { level };
            }
            Meaning::Registers => command.registers = number()?,
            Meaning::Verbose => command.verbose = true,
            Meaning::Debug => command.debug = true,
            Meaning::LineInfo => command.line_info = true,
            Meaning::Relocatable => command.relocatable = true,
            Meaning::Version => return Ok(Action::Version),
            Meaning::Help => return Ok(Action::Help),
            Meaning::InputAsString => command.inputs.push(Source::Text(value)),
            Meaning::OptionsFile => {
                if depth >= NESTING {
                    return Err("option files are nested too deeply".to_owned());
                }
                let text = std::fs::read_to_string(Path::new(&value))
                    .map_err(|error| format!("Cannot open options file '{value}': {error}"))?;
                for word in text.split_whitespace().rev() {
                    words.push_front((word.to_owned(), depth + 1));
                }
            }
            Meaning::NoWarnings | Meaning::Flag | Meaning::Value => {}
        }
    }
    if command.inputs.is_empty() {
        return Err("Missing input file".to_owned());
    }
    Ok(Action::Compile(command))
}

/// One line per option.
pub fn help() -> String {
    let mut text = String::from("Usage: ptxas [options] file.ptx,...\n\nOptions\n=======\n");
    for (long, short, meaning) in OPTIONS {
        let value = if meaning.takes_value() {
            " <value>"
        } else {
            ""
        };
        let short = if short.is_empty() {
            String::new()
        } else {
            format!("({short})")
        };
        text.push_str(&format!("{:<64}{short}\n", format!("{long}{value}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Action, Wrong> {
        parse(line.split(' ').filter(|w| !w.is_empty()).map(str::to_owned))
    }

    fn command(line: &str) -> Command {
        match words(line) {
            Ok(Action::Compile(command)) => command,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_tool_chains_pass_is_understood() {
        // nvcc 13.0
        let nvcc = command("-arch=sm_90 -m64 a.ptx -o a.cubin");
        assert_eq!((nvcc.arch.as_str(), nvcc.level), ("sm_90", 4));
        assert_eq!(nvcc.output, Path::new("a.cubin"));
        assert_eq!(nvcc.inputs, [Source::File("a.ptx".into())]);
        assert!(
            command(
                "--compile-only -arch=sm_75 -m64 -g --dont-merge-basicblocks --return-at-end a.ptx"
            )
            .relocatable
        );
        // Triton
        let triton =
            command("-lineinfo -v --fmad=false --gpu-name=sm_90a /tmp/a.ptx -o /tmp/a.ptx.o");
        assert!(triton.line_info && triton.verbose);
        assert_eq!(triton.arch, "sm_90a");
        let debug = command("-v --opt-level 0 -g --gpu-name=sm_80 a.ptx -o b");
        assert!(debug.debug && debug.level == 0);
        // XLA
        let xla =
            command("/tmp/a.ptx -o /tmp/b -arch=sm_90a --warn-on-spills -v -O3 -maxrregcount=64");
        assert_eq!(xla.registers, 64);
        assert_eq!(words("--version"), Ok(Action::Version));
        assert_eq!(
            command("-ias .version -O 1").inputs,
            [Source::Text(".version".into())]
        );
        assert_eq!(command("-O1 x").level, 1);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert_eq!(words("a.ptx -frob"), Err("Unknown option 'frob'".into()));
        assert_eq!(words("a.ptx --frob"), Err("Unknown option 'frob'".into()));
        assert_eq!(command("a.ptx --frob=2").unknown, ["frob"]);
        assert_eq!(words("-v"), Err("Missing input file".into()));
        assert!(words("a.ptx -O9").is_err());
        assert!(words("a.ptx -o").is_err());
        assert!(words("a.ptx -v=3").is_err());
    }

    #[test]
    fn option_files_are_read_in_place() {
        let dir = tempfile::tempdir().expect("directory");
        let file = dir.path().join("options");
        std::fs::write(&file, "-arch sm_80\n-v").expect("write");
        let line = format!("--options-file {} x.ptx", file.display());
        let read = command(&line);
        assert!(read.verbose && read.arch == "sm_80");
        std::fs::write(&file, format!("-optf {}", file.display())).expect("write");
        assert!(words(&line).is_err());
    }
}
