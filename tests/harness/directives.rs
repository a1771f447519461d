//! The leading comment of a conformance program.
//!
//! ```text
//! // expect: LINE        the next line of standard output, exactly
//! // expect~: TEXT       the next line of standard output holds TEXT
//! // stderr~: TEXT       some line of standard error holds TEXT
//! // exit: N             exit status (default 0), or `signal N`
//! // args: WORDS         arguments
//! // env: NAME=VALUE     environment variable
//! // flags: WORDS        more flags for the compiler
//! // build: NAMES        builds to test (default: static)
//! // door: NAMES         doors to test (default: socket)
//! // timeout: SECONDS    (default 30)
//! ```

use std::{fmt, time::Duration};

use thiserror::Error as ThisError;

use crate::build::Build;

/// How the program reaches the kernel half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// `antlerite run`.
    Socket,
    /// `antlerite run --door syscall`.
    Syscall,
    /// No launcher: `LD_LIBRARY_PATH` only. For programs with a shared runtime.
    Path,
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Socket => "socket",
            Self::Syscall => "syscall",
            Self::Path => "path",
        })
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited with this status.
    Exit(i32),
    /// This signal ended it.
    Signal(i32),
    /// It did not end in time and was killed.
    TimedOut,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exit {status}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::TimedOut => f.write_str("timed out"),
        }
    }
}

/// What a run showed.
#[derive(Debug)]
pub struct Seen {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How it ended.
    pub end: End,
}

/// An expected line of standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Exact(String),
    Holds(String),
}

/// All that the comment says.
#[derive(Debug, Clone)]
pub struct Directives {
    stdout: Vec<Line>,
    stderr: Vec<String>,
    end: End,
    /// Arguments.
    pub args: Vec<String>,
    /// Environment.
    pub env: Vec<(String, String)>,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// Builds.
    pub builds: Vec<Build>,
    /// Doors.
    pub doors: Vec<Door>,
    /// Time limit.
    pub timeout: Duration,
}

/// What is wrong with the comment.
#[derive(Debug, PartialEq, Eq, ThisError)]
pub enum Malformed {
    /// `KEY` is none of ours.
    #[error("unknown directive `{0}`")]
    Unknown(String),
    /// A value cannot be read.
    #[error("`{key}`: bad value `{value}`")]
    Value {
        /// The directive.
        key: String,
        /// Its value.
        value: String,
    },
    /// Nothing is expected, so nothing would be tested.
    #[error("no `expect` and no `exit`")]
    Nothing,
}

fn words(value: &str) -> Vec<String> {
    value.split_whitespace().map(str::to_owned).collect()
}

impl Directives {
    /// Reads the leading lines that start with `//`.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let mut found = Self {
            stdout: Vec::new(),
            stderr: Vec::new(),
            end: End::Exit(0),
            args: Vec::new(),
            env: Vec::new(),
            flags: Vec::new(),
            builds: vec![Build::Static],
            doors: vec![Door::Socket],
            timeout: Duration::from_secs(30),
        };
        let mut tests_something = false;
        for line in text.lines().map_while(|line| line.strip_prefix("//")) {
            let Some((key, value)) = line.trim_start().split_once(':') else {
                continue;
            };
            let value = value.strip_prefix(' ').unwrap_or(value);
            let bad = || Malformed::Value {
                key: key.to_owned(),
                value: value.to_owned(),
            };
            match key {
                "expect" => found.stdout.push(Line::Exact(value.to_owned())),
                "expect~" => found.stdout.push(Line::Holds(value.to_owned())),
                "stderr~" => found.stderr.push(value.to_owned()),
                "exit" => {
                    found.end = match value.strip_prefix("signal ") {
                        Some(signal) => End::Signal(signal.parse().map_err(|_| bad())?),
                        None => End::Exit(value.parse().map_err(|_| bad())?),
                    }
                }
                "args" => found.args = words(value),
                "env" => {
                    let (name, value) = value.split_once('=').ok_or_else(bad)?;
                    found.env.push((name.to_owned(), value.to_owned()));
                }
                "flags" => found.flags = words(value),
                "build" => {
                    found.builds = value
                        .split_whitespace()
                        .map(|word| Build::named(word).ok_or_else(bad))
                        .collect::<Result<_, _>>()?;
                }
                "door" => {
                    found.doors = value
                        .split_whitespace()
                        .map(|word| match word {
                            "socket" => Ok(Door::Socket),
                            "syscall" => Ok(Door::Syscall),
                            "path" => Ok(Door::Path),
                            _ => Err(bad()),
                        })
                        .collect::<Result<_, _>>()?;
                }
                "timeout" => {
                    found.timeout = Duration::from_secs(value.parse().map_err(|_| bad())?);
                }
                // A sentence with a colon has a blank before it; a mistyped directive has not.
                _ if key.contains(' ') => continue,
                _ => return Err(Malformed::Unknown(key.to_owned())),
            }
            tests_something |= key.starts_with("expect") || key == "exit";
        }
        if tests_something {
            Ok(found)
        } else {
            Err(Malformed::Nothing)
        }
    }

    /// What differs, as a message with all of the program's output; or nothing.
    pub fn compare(&self, seen: &Seen) -> Result<(), String> {
        let mut wrong = Vec::new();
        if seen.end != self.end {
            wrong.push(format!("ended with {}, expected {}", seen.end, self.end));
        }
        let lines: Vec<&str> = seen.stdout.lines().collect();
        for (index, expected) in self.stdout.iter().enumerate() {
            let (matches, text) = match (expected, lines.get(index)) {
                (Line::Exact(text), line) => (line.is_some_and(|line| line == text), text),
                (Line::Holds(text), line) => {
                    (line.is_some_and(|line| line.contains(text.as_str())), text)
                }
            };
            if !matches {
                wrong.push(format!(
                    "line {}: expected `{text}`, got {}",
                    index + 1,
                    lines
                        .get(index)
                        .map_or("nothing".into(), |line| format!("`{line}`")),
                ));
            }
        }
        if lines.len() > self.stdout.len() {
            wrong.push(format!(
                "{} lines of output, expected {}",
                lines.len(),
                self.stdout.len()
            ));
        }
        for text in &self.stderr {
            if !seen.stderr.lines().any(|line| line.contains(text.as_str())) {
                wrong.push(format!("no line of stderr holds `{text}`"));
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{}\n--- stdout ---\n{}--- stderr ---\n{}",
            wrong.join("\n"),
            seen.stdout,
            seen.stderr
        ))
    }
}

/// The harness's own test: a comparison that never fails would let every program pass.
pub fn self_check() -> Result<(), String> {
    let text = "// A sentence: with a colon.\n// expect: one\n// expect~: tw\n// stderr~: warned\n// exit: 3\n\n// expect: no\n";
    let directives = Directives::parse(text).map_err(|error| error.to_string())?;
    let seen = |stdout: &str, stderr: &str, end| Seen {
        stdout: stdout.into(),
        stderr: stderr.into(),
        end,
    };
    directives.compare(&seen("one\ntwo\n", "I warned you\n", End::Exit(3)))?;
    let wrong = [
        seen("one\n", "I warned you\n", End::Exit(3)),
        seen("one\ntwo\nthree\n", "I warned you\n", End::Exit(3)),
        seen("One\ntwo\n", "I warned you\n", End::Exit(3)),
        seen("one\ntwo\n", "", End::Exit(3)),
        seen("one\ntwo\n", "I warned you\n", End::Exit(0)),
        seen("one\ntwo\n", "I warned you\n", End::Signal(3)),
        seen("one\ntwo\n", "I warned you\n", End::TimedOut),
    ];
    for seen in wrong {
        if directives.compare(&seen).is_ok() {
            return Err(format!("passes, and should not: {seen:?}"));
        }
    }
    for malformed in [
        "// nothing\n",
        "// expct: one\n",
        "// expect: x\n// exit: many\n",
        "// expect: x\n// build: fast\n",
    ] {
        if Directives::parse(malformed).is_ok() {
            return Err(format!("is read, and should not be: {malformed}"));
        }
    }
    Ok(())
}
