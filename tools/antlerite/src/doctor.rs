//! `antlerite doctor`: what works here, what is missing, and how to mend it.

mod files;
mod machine;
mod toolkit;

use crate::error::Error;
use crate::output;
use std::fmt;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// A fact.
    Ok,
    /// Something works less well, or not at all, that not everyone needs.
    Note,
    /// Programs will not run.
    Bad,
}

/// One line of the report.
#[derive(Debug)]
struct Finding {
    level: Level,
    subject: &'static str,
    text: String,
    /// What to do about it.
    mend: Option<String>,
}

impl Finding {
    fn ok(subject: &'static str, text: impl Into<String>) -> Finding {
        Finding {
            level: Level::Ok,
            subject,
            text: text.into(),
            mend: None,
        }
    }

    fn note(subject: &'static str, text: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding {
            level: Level::Note,
            subject,
            text: text.into(),
            mend: Some(mend.into()),
        }
    }

    fn bad(subject: &'static str, text: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding {
            level: Level::Bad,
            subject,
            text: text.into(),
            mend: Some(mend.into()),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.level {
            Level::Ok => "ok  ",
            Level::Note => "note",
            Level::Bad => "BAD ",
        };
        write!(f, "{mark}  {:<14} {}", self.subject, self.text)?;
        if let Some(mend) = &self.mend {
            write!(f, "\n      {:<14} -> {mend}", "")?;
        }
        Ok(())
    }
}

/// Prints the report; 1 if programs cannot run here.
///
/// # Errors
/// None: what cannot be found out is a line of the report.
pub fn run() -> Result<u8, Error> {
    output::line(format_args!("Antlerite {}", env!("CARGO_PKG_VERSION")));
    let mut findings = files::check();
    findings.extend(machine::check());
    findings.extend(toolkit::check());
    for finding in &findings {
        output::line(format_args!("{finding}"));
    }
    let bad = findings.iter().any(|finding| finding.level == Level::Bad);
    Ok(u8::from(bad))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_to_do() {
        let line = Finding::bad("driver", "not there", "build it").to_string();
        assert_eq!(
            line,
            "BAD   driver         not there\n                     -> build it"
        );
    }
}
