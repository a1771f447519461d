//! What must hold for any text at all, and a maker of broken texts: used by the tests and by
//! longer fuzzing alike.

use crate::{Newest, Policy, check, parse, print};

/// Why a text breaks a promise of this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// What was printed does not parse.
    PrintedText(String),
    /// What was printed parses to another tree.
    RoundTrip(String),
    /// An error without a line.
    NoLine(String),
    /// An error list without an error.
    NoError,
}

/// Parses, prints, parses again and checks a text.
///
/// # Errors
/// If printing loses something, or an error says too little. Panics are the caller's to see.
pub fn oracle(text: &str) -> Result<(), Broken> {
    let module = match parse(text) {
        Ok(module) => module,
        Err(errors) => return errors_are_told(&errors),
    };
    let printed = print(&module);
    match parse(&printed) {
        Ok(again) if again == module => {}
        Ok(_) => return Err(Broken::RoundTrip(printed)),
        Err(_) => return Err(Broken::PrintedText(printed)),
    }
    let strict = Policy {
        newest: Some(Newest {
            version: (7, 0),
            sm: 70,
        }),
        features: true,
    };
    for policy in [Policy::default(), strict] {
        if let Err(errors) = check(&module, &policy) {
            errors_are_told(&errors)?;
        }
    }
    Ok(())
}

fn errors_are_told(errors: &[crate::Error]) -> Result<(), Broken> {
    if errors.is_empty() {
        return Err(Broken::NoError);
    }
    match errors.iter().find(|error| error.line == 0) {
        Some(error) => Err(Broken::NoLine(error.message())),
        None => Ok(()),
    }
}

/// A small deterministic generator (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// From a seed; 0 counts as 1.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).max(1))
    }

    /// A number below `limit` (0 if that is 0).
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16;
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        usize::try_from(value.checked_rem(limit).unwrap_or(0)).unwrap_or(0)
    }
}

/// Pieces that are put where they may hurt.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "-",
    "+",
    "<4000000000>",
    "_",
    ".",
    "%r1",
    "%p1",
    "%tid.x",
    "0x",
    "0f3F800000",
    "0d",
    "9223372036854775808",
    "-1",
    "1.5e308",
    "\"",
    "/*",
    "//",
    "\n",
    "\0",
    "é",
    ".b8",
    ".v4",
    ".reg",
    ".global",
    ".align 3",
    ".section",
    "call",
    "WARP_SZ",
    "{{{{{{{{",
    "((((((((",
    "------",
];

/// A broken copy of a text: flipped bits, cut ends, moved and doubled parts, foreign pieces.
#[must_use]
pub fn mutate(text: &str, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let len = random.below(40).min(bytes.len() - at);
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            2 => {
                bytes.drain(at..at + len);
            }
            3 => {
                let part = bytes[at..at + len].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
