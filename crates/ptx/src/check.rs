//! Syntax tree to checked module: names resolved, instructions typed, rules enforced.
//!
//! Several errors are collected. The rules are those that ptxas 13.0 was seen to enforce; where it
//! is lenient (modifiers in any order, registers wider than a loaded value), so is this.

mod arithmetic;
mod body;
mod call;
mod declaration;
mod initial;
mod instruction;
mod logic;
mod memory;
mod movement;
mod opcode;
mod operands;
mod scope;
mod symbols;
mod sync;
mod target;
mod video;

use crate::ast;
use crate::checked::Checked;
use crate::error::{Error, ErrorKind};
use crate::limits;
use crate::pos::Pos;

/// What a module is held against besides the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The newest `.version` and `.target` accepted; any, where `None`.
    pub newest: Option<Newest>,
    /// Instructions must exist in the module's own `.version` and `.target`.
    pub features: bool,
}

/// The newest PTX that a driver knows and the newest target that a device runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// PTX ISA version: (9, 0) for CUDA 13.0.
    pub version: (u32, u32),
    /// 90 for compute capability 9.0.
    pub sm: u32,
}

impl Default for Policy {
    /// Any version and target; instructions must exist in the module's own.
    fn default() -> Self {
        Self {
            newest: None,
            features: true,
        }
    }
}

/// Errors so far, no more than are worth reporting.
#[derive(Default)]
struct Errors {
    list: Vec<Error>,
}

impl Errors {
    fn push(&mut self, pos: Pos, kind: ErrorKind) {
        if self.list.len() < limits::MAX_ERRORS {
            self.list.push(Error::new(pos, kind));
        }
    }

    fn count(&self) -> usize {
        self.list.len()
    }

    fn is_full(&self) -> bool {
        self.list.len() >= limits::MAX_ERRORS
    }
}

/// Checks a module.
///
/// # Errors
/// All that is wrong with it, in the order of the text, up to [`limits::MAX_ERRORS`].
pub fn check(module: &ast::Module<'_>, policy: &Policy) -> Result<Checked, Vec<Error>> {
    let mut errors = Errors::default();
    let checked = symbols::module(module, policy, &mut errors);
    if errors.list.is_empty() {
        return Ok(checked);
    }
    // Declarations are checked before bodies; the log reads in the order of the text.
    errors.list.sort_by_key(|error| error.line);
    Err(errors.list)
}
