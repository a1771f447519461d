//! Positions in a PTX text.

use std::fmt;

/// Where something stands in the PTX text: line and column, both from 1.
///
/// The column counts bytes, as ptxas does. A position is not part of what a tree means: two
/// positions always compare equal, so that `parse(print(m)) == m` holds for whole modules.
#[derive(Clone, Copy, Default, Eq)]
pub struct Pos {
    /// Line, from 1; 0 where nothing was read from a text.
    pub line: u32,
    /// Byte in the line, from 1.
    pub column: u32,
}

impl Pos {
    /// A position from a line and a column, both from 1.
    #[must_use]
    pub fn new(line: u32, column: u32) -> Self {
        Self { line, column }
    }
}

impl PartialEq for Pos {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Pos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
