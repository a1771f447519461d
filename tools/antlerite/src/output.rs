//! Where the command's words go.

use std::fmt;
use std::io::Write as _;

/// A line on standard output. A reader that has gone away is no error.
pub fn line(text: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// A line on standard error.
pub fn problem(text: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "antlerite: {text}");
}
