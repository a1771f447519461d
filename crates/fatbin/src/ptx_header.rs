//! `.version` and `.target` of a PTX module, without parsing the rest.

use crate::{IsaVersion, Sm, Suffix};

/// What the first directives of a PTX module say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtxHeader {
    /// `.version`.
    pub version: IsaVersion,
    /// The SM of `.target`.
    pub target: Sm,
}

/// Reads `.version` and `.target` from PTX text; `None` when either is missing or malformed. Comments are skipped.
/// This is for choosing and reporting; whether the text is right PTX is the parser's to say.
#[must_use]
pub fn ptx_header(text: &str) -> Option<PtxHeader> {
    let mut words = Words { rest: text };
    if words.next()? != ".version" {
        return None;
    }
    let (major, minor) = words.next()?.split_once('.')?;
    let version = IsaVersion::new(major.parse().ok()?, minor.parse().ok()?);
    if words.next()? != ".target" {
        return None;
    }
    let name = words.next()?.split(',').next()?.strip_prefix("sm_")?;
    let (digits, suffix) = match name.as_bytes().last()? {
        b'a' => (&name[..name.len() - 1], Suffix::Arch),
        b'f' => (&name[..name.len() - 1], Suffix::Family),
        _ => (name, Suffix::None),
    };
    Some(PtxHeader {
        version,
        target: Sm {
            number: digits.parse().ok()?,
            suffix,
        },
    })
}

/// Words of PTX between white space and comments.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.split_once('\n')?.1;
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/")?.1;
            } else {
                break;
            }
        }
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || c == '/')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}
