//! The command line. The options' spelling (`-lms`, `-pm`) is the original's, so it is read by hand.

use crate::error::Failure;
use crate::query::Format;

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// The default table.
    #[default]
    Table,
    /// `-L`.
    List,
    /// `-q`.
    Report,
    /// `--query-gpu`.
    QueryGpu(String),
    /// `--query-compute-apps`.
    QueryApps(String),
    /// `--query-accounted-apps`, `--query-supported-clocks`, `--query-retired-pages`, `--query-remapped-rows`.
    QueryNothing(String),
    /// `dmon`.
    DeviceMonitor,
    /// `pmon`.
    ProcessMonitor,
    /// `topo -m`.
    TopologyMatrix,
    /// `nvlink -s`.
    Links,
    /// Set the ECC mode of the time after the next reset.
    SetEcc(bool),
    /// Clear ECC errors: 0 volatile, 1 aggregate.
    ClearEcc(u32),
    /// `topo -p2p`, with the capability's letter.
    TopologyPeers(char),
    /// `-pm`.
    SetPersistence(bool),
    /// `-r`.
    Reset,
    /// `-c`.
    SetComputeMode(u32),
    /// A setting that this driver does not have.
    Unsupported(String),
    /// `--version`.
    Version,
    /// `-h`.
    Help,
    /// `--help-query-gpu`.
    HelpQueryGpu,
    /// `--help-query-compute-apps`.
    HelpQueryApps,
}

/// The command line, read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What to do.
    pub action: Action,
    /// GPUs asked for.
    pub ids: Option<String>,
    /// `-x`.
    pub xml: bool,
    /// `-d` with `-q`: sections.
    pub display: Option<String>,
    /// Milliseconds between repetitions.
    pub loop_ms: Option<u64>,
    /// Output file.
    pub file: Option<String>,
    /// `--format`.
    pub format: Option<Format>,
    /// Monitors: what to show.
    pub select: Option<String>,
    /// Monitors: how many samples.
    pub count: Option<u64>,
    /// Monitors: `-o D` and `-o T`.
    pub stamps: String,
}

struct Words<I: Iterator> {
    rest: std::iter::Peekable<I>,
}

impl<I: Iterator<Item = String>> Words<I> {
    /// The value of an option: after `=`, else the next word.
    fn value(&mut self, option: &str, inline: Option<&str>) -> Result<String, Failure> {
        match inline {
            Some(value) if !value.is_empty() => Ok(value.to_owned()),
            _ => self
                .rest
                .next()
                .ok_or_else(|| Failure::NoValue(option.to_owned())),
        }
    }
}

fn number(name: &'static str, text: &str) -> Result<u64, Failure> {
    text.parse()
        .map_err(|_| Failure::Value(name, text.to_owned()))
}

/// Settings and subcommands of the original that a virtual GPU does not have.
const UNSUPPORTED: &[&str] = &[
    "-ac",
    "--applications-clocks",
    "-rac",
    "--reset-applications-clocks",
    "-acp",
    "--applications-clocks-permission",
    "-pl",
    "--power-limit",
    "-lgc",
    "--lock-gpu-clocks",
    "-rgc",
    "--reset-gpu-clocks",
    "-lmc",
    "--lock-memory-clocks",
    "-rmc",
    "--reset-memory-clocks",
    "-am",
    "--accounting-mode",
    "-caa",
    "--clear-accounted-apps",
    "--gom",
    "-mig",
    "--multi-instance-gpu",
    "-gtt",
    "--gpu-target-temp",
    "-vm",
    "mig",
    "clocks",
    "encodersessions",
    "fbcsessions",
    "vgpu",
    "drain",
    "conf-compute",
    "power-smoothing",
    "boost-slider",
    "power-profiles",
    "stats",
    "compute-policy",
    "daemon",
    "replay",
    "pci",
];

/// Reads the arguments.
///
/// # Errors
/// [`Failure`] with exit code 2.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Options, Failure> {
    let mut words = Words {
        rest: arguments.into_iter().peekable(),
    };
    let mut options = Options::default();
    let mut first = true;
    while let Some(word) = words.rest.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        match (name, first) {
            ("dmon", true) => options.action = Action::DeviceMonitor,
            ("pmon", true) => options.action = Action::ProcessMonitor,
            ("topo", true) => return topology(words.rest),
            ("nvlink", true) => return links(words.rest),
            (name, _) if UNSUPPORTED.contains(&name) => {
                options.action = Action::Unsupported(name.to_owned());
                return Ok(options);
            }
            (name, _) => option(&mut options, &mut words, name, inline)?,
        }
        first = false;
    }
    check(options)
}

fn option<I: Iterator<Item = String>>(
    options: &mut Options,
    words: &mut Words<I>,
    name: &str,
    inline: Option<&str>,
) -> Result<(), Failure> {
    let monitor = matches!(
        options.action,
        Action::DeviceMonitor | Action::ProcessMonitor
    );
    match name {
        "-h" | "--help" => options.action = Action::Help,
        "--version" => options.action = Action::Version,
        "--help-query-gpu" => options.action = Action::HelpQueryGpu,
        "--help-query-compute-apps" => options.action = Action::HelpQueryApps,
        "-L" | "--list-gpus" => options.action = Action::List,
        "-q" | "--query" => options.action = Action::Report,
        "-x" | "--xml-format" => options.xml = true,
        "-u" | "--unit" | "--dtd" | "-a" => {}
        "-i" | "--id" => options.ids = Some(words.value(name, inline)?),
        "-f" | "--filename" => options.file = Some(words.value(name, inline)?),
        "-d" | "--delay" if monitor => {
            options.loop_ms = Some(number("-d", &words.value(name, inline)?)?.max(1) * 1000);
        }
        "-d" | "--display" => options.display = Some(words.value(name, inline)?),
        "-s" | "--select" if monitor => options.select = Some(words.value(name, inline)?),
        "-o" | "--options" if monitor => options.stamps = words.value(name, inline)?,
        "-c" | "--count" if monitor => {
            options.count = Some(number("-c", &words.value(name, inline)?)?);
        }
        "-l" | "--loop" => {
            // The number may be left out: every 5 seconds then.
            let text = match inline {
                Some(text) => text.to_owned(),
                None => words
                    .rest
                    .next_if(|word| !word.starts_with('-'))
                    .unwrap_or_else(|| "5".to_owned()),
            };
            options.loop_ms = Some(number("-l", &text)?.max(1).saturating_mul(1000));
        }
        "-lms" | "--loop-ms" => {
            options.loop_ms = Some(number("-lms", &words.value(name, inline)?)?.max(1));
        }
        "--format" => options.format = Some(Format::parse(&words.value(name, inline)?)?),
        "--query-gpu" => options.action = Action::QueryGpu(words.value(name, inline)?),
        "--query-compute-apps" => options.action = Action::QueryApps(words.value(name, inline)?),
        "--query-accounted-apps"
        | "--query-supported-clocks"
        | "--query-retired-pages"
        | "--query-remapped-rows" => {
            words.value(name, inline)?;
            options.action = Action::QueryNothing(name.to_owned());
        }
        "-pm" | "--persistence-mode" => {
            let text = words.value(name, inline)?;
            options.action = Action::SetPersistence(match text.as_str() {
                "0" | "DISABLED" => false,
                "1" | "ENABLED" => true,
                _ => return Err(Failure::Value("-pm", text)),
            });
        }
        "-r" | "--gpu-reset" => options.action = Action::Reset,
        "-e" | "--ecc-config" => {
            let text = words.value(name, inline)?;
            options.action = Action::SetEcc(match text.as_str() {
                "0" | "DISABLED" => false,
                "1" | "ENABLED" => true,
                _ => return Err(Failure::Value("-e", text)),
            });
        }
        "-p" | "--reset-ecc-errors" => {
            let text = words.value(name, inline)?;
            options.action = Action::ClearEcc(match text.as_str() {
                "0" | "VOLATILE" => 0,
                "1" | "AGGREGATE" => 1,
                _ => return Err(Failure::Value("-p", text)),
            });
        }
        "-c" | "--compute-mode" => {
            let text = words.value(name, inline)?;
            options.action = Action::SetComputeMode(match text.as_str() {
                "0" | "DEFAULT" => 0,
                "1" | "EXCLUSIVE_THREAD" => 1,
                "2" | "PROHIBITED" => 2,
                "3" | "EXCLUSIVE_PROCESS" => 3,
                _ => return Err(Failure::Value("-c", text)),
            });
        }
        other => return Err(Failure::Option(other.to_owned())),
    }
    Ok(())
}

fn check(options: Options) -> Result<Options, Failure> {
    let queries = matches!(
        options.action,
        Action::QueryGpu(_) | Action::QueryApps(_) | Action::QueryNothing(_)
    );
    if queries && options.format.is_none() {
        return Err(Failure::Combination(
            "\"--format=\" switch is missing. Please specify \"csv\".",
        ));
    }
    if options.format.is_some() && !queries {
        return Err(Failure::Combination(
            "\"--format=\" needs one of the \"--query-\" switches.",
        ));
    }
    if options.xml && options.action != Action::Report {
        return Err(Failure::Combination("-x needs -q."));
    }
    Ok(options)
}

fn topology(words: impl Iterator<Item = String>) -> Result<Options, Failure> {
    let mut words = Words {
        rest: words.peekable(),
    };
    let mut options = Options {
        action: Action::Help,
        ..Options::default()
    };
    while let Some(word) = words.rest.next() {
        match word.as_str() {
            "-m" | "--matrix" => options.action = Action::TopologyMatrix,
            "-p2p" | "--p2pstatus" => {
                let text = words.value("-p2p", None)?;
                let letter = text.chars().next().filter(|c| "rwnap".contains(*c));
                let letter = letter.ok_or(Failure::Value("-p2p", text))?;
                options.action = Action::TopologyPeers(letter);
            }
            "-i" => {
                words.value("-i", None)?;
                return Err(Failure::Combination(
                    "The -i command line argument must be used in conjunction with -n or -p.",
                ));
            }
            "-h" | "--help" => options.action = Action::Help,
            other => return Err(Failure::Option(other.to_owned())),
        }
    }
    Ok(options)
}

/// `nvlink -s [-i GPUS]`; what else it can do is not supported.
fn links(words: impl Iterator<Item = String>) -> Result<Options, Failure> {
    let mut words = Words {
        rest: words.peekable(),
    };
    let mut options = Options {
        action: Action::Help,
        ..Options::default()
    };
    while let Some(word) = words.rest.next() {
        match word.as_str() {
            "-s" | "--status" => options.action = Action::Links,
            "-i" | "--id" => options.ids = Some(words.value("-i", None)?),
            "-h" | "--help" => options.action = Action::Help,
            _ => {
                options.action = Action::Unsupported(format!("nvlink {word}"));
                return Ok(options);
            }
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, Failure> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn common_lines_parse() {
        assert_eq!(read("").expect("table").action, Action::Table);
        assert_eq!(read("-L").expect("list").action, Action::List);
        let query =
            read("--query-gpu=index,name --format=csv,noheader -i 0 -lms 250").expect("query");
        assert_eq!(query.action, Action::QueryGpu("index,name".into()));
        assert_eq!(
            (query.ids.as_deref(), query.loop_ms),
            (Some("0"), Some(250))
        );
        assert_eq!(
            read("-q -x -d MEMORY").expect("xml").display.as_deref(),
            Some("MEMORY")
        );
        assert_eq!(read("-l").expect("loop").loop_ms, Some(5000));
        assert_eq!(read("-l -L").expect("loop").action, Action::List);
        assert_eq!(read("-l 2").expect("loop").loop_ms, Some(2000));
        let monitor = read("dmon -s pu -c 2 -d 3").expect("dmon");
        assert_eq!((monitor.count, monitor.loop_ms), (Some(2), Some(3000)));
        assert_eq!(
            read("-pm 1").expect("pm").action,
            Action::SetPersistence(true)
        );
    }

    #[test]
    fn wrong_lines_have_exit_code_2() {
        for line in [
            "--nonsense",
            "-i",
            "-pm 7",
            "--query-gpu=name",
            "--format=csv",
            "-lms x",
            "topo -m -i 0",
            "-x",
        ] {
            assert_eq!(
                read(line).map(|_| ()).map_err(|e| e.code()),
                Err(2),
                "{line}"
            );
        }
    }
}
