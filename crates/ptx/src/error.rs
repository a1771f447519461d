//! What is wrong with a PTX text, and the log that says so in the shape of ptxas's.

use std::fmt;

use thiserror::Error as ThisError;

use crate::pos::Pos;

/// How bad an error is. After a fatal one nothing more was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// One of possibly several.
    Error,
    /// The text could not be read further.
    Fatal,
}

/// Something wrong with a PTX text, and where.
#[derive(Clone, Debug, Eq, ThisError)]
#[error("{kind}")]
pub struct Error {
    /// Line, from 1.
    pub line: u32,
    /// Byte in the line, from 1.
    pub column: u32,
    /// What is wrong.
    pub kind: ErrorKind,
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (self.line, self.column, &self.kind) == (other.line, other.column, &other.kind)
    }
}

impl Error {
    pub(crate) fn new(pos: Pos, kind: ErrorKind) -> Self {
        Self {
            line: pos.line,
            column: pos.column,
            kind,
        }
    }

    pub(crate) fn syntax(pos: Pos, near: &str) -> Self {
        // A token can be as long as the text; a log line should not be.
        let near = near.chars().take(64).collect();
        Self::new(pos, ErrorKind::Syntax { near })
    }

    /// The message without position: `Unknown symbol 'x'`.
    #[must_use]
    pub fn message(&self) -> String {
        self.kind.to_string()
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

/// The log ptxas would write for these errors.
///
/// `input` is what the text is called: `ptx input` gives the lines that `cuModuleLoadData` puts
/// into its error log (`ptxas application ptx input, line 12; error   : …`).
#[must_use]
pub fn render_log(input: &str, errors: &[Error]) -> String {
    use fmt::Write as _;
    let mut log = String::new();
    for error in errors {
        let severity = match error.severity() {
            Severity::Error => "error  ",
            Severity::Fatal => "fatal  ",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            log,
            "ptxas application {input}, line {}; {severity} : {}",
            error.line, error.kind
        );
    }
    if !errors.is_empty() {
        log.push_str("ptxas fatal   : Ptx assembly aborted due to errors\n");
    }
    log
}

macro_rules! error_kinds {
    ($($(#[$meta:meta])* $severity:ident $text:literal $name:ident $({ $($field:ident : $ty:ty),* $(,)? })?,)+) => {
        /// What is wrong. The texts are those of ptxas 13.0 where it has one for the case.
        #[derive(Clone, Debug, PartialEq, Eq, ThisError)]
        #[expect(missing_docs, reason = "each message says what its variant and fields mean")]
        pub enum ErrorKind {
            $($(#[$meta])* #[error($text)] $name $({ $($field: $ty),* })?,)+
        }

        impl ErrorKind {
            fn severity(&self) -> Severity {
                match self {
                    $(Self::$name $({ $($field: _),* })? => Severity::$severity,)+
                }
            }
        }
    };
}

error_kinds! {
    // Reading.
    Fatal "Parsing error near '{near}': syntax error" Syntax { near: String },
    Fatal "Parsing error near '': unexpected EOF while scanning" UnexpectedEnd,
    Fatal "Missing .version directive at start of file" MissingVersion,
    Fatal "Missing .target directive at start of file" MissingTarget,
    Fatal "Too deeply nested" TooDeep,
    Fatal "Number '{number}' is out of range" NumberRange { number: String },
    Fatal "Division by zero in constant expression" DivisionByZero,
    Fatal "Illegal operand type in constant expression" ExpressionType,
    Fatal "More than {limit} operands" TooManyOperands { limit: usize },

    // The module's header.
    Error "Unsupported .version {major}.{minor}; current version is '{current}'" UnsupportedVersion { major: u32, minor: u32, current: String },
    Error "Unsupported .target '{name}'" UnsupportedTarget { name: String },
    Error "Unknown .target option '{name}'" UnknownTargetOption { name: String },
    Error "SM version specified by .target is higher than that of the device (sm_{sm})" TargetTooNew { sm: u32 },
    Error "Illegal .address_size {size}" AddressSize { size: u32 },
    Error "Feature '{feature}' requires .target sm_{sm} or higher" NeedsTarget { feature: String, sm: u32 },
    Error "Feature '{feature}' requires PTX ISA .version {major}.{minor} or later" NeedsVersion { feature: String, major: u32, minor: u32 },

    // Symbols.
    Error "Unknown symbol '{name}'" UnknownSymbol { name: String },
    Error "Duplicate definition of variable '{name}'" DuplicateVariable { name: String },
    Error "Duplicate definition of function '{name}'" DuplicateFunction { name: String },
    Error "Duplicate definition of label '{name}'" DuplicateLabel { name: String },
    Error "Definition of '{name}' differs from its declaration" Redeclared { name: String },
    Error "Unknown vector selector: '{selector}'" UnknownSelector { selector: String },

    // Declarations.
    Error "Alignment must be a power of two" AlignPowerOfTwo,
    Error "Alignment {align} is too large" AlignTooLarge { align: u32 },
    Error "Variable '{name}' is too large" VariableTooLarge { name: String },
    Error "Array dimension of '{name}' must be known" UnknownDimension { name: String },
    Error "No initial value is allowed for '{name}' in this state space" InitialSpace { name: String },
    Error "Initial value type mismatch" InitialType,
    Error "Greater number of elements in array initializer" InitialCount,
    Error "Invalid initial value symbol '{name}'" InitialSymbol { name: String },
    Error "Initial values of this module are too large" InitialSize,
    Error "Module-scoped variables in .{space} state space are not allowed with ABI" ModuleSpace { space: &'static str },
    Error "Variables in .{space} state space are not allowed in this scope" LocalSpace { space: &'static str },
    Error "Illegal type '.{ty}' for '{name}' in .{space} state space" VariableType { name: String, ty: &'static str, space: &'static str },
    Error "Linking directive is not allowed for '{name}'" LinkageNotAllowed { name: String },
    Error "Unknown attribute '.{name}'" UnknownAttribute { name: String },
    Error "Attribute '.{name}' is only allowed on .global variables" AttributeSpace { name: String },

    // Functions.
    Error "Entry parameter '{name}' must have .param state space" EntryParameterSpace { name: String },
    Error "Entry function '{name}' cannot return a value" EntryReturns { name: String },
    Error "Parameter '{name}' must be in .reg or .param state space" ParameterSpace { name: String },
    Error "Positive non-zero value expected for {directive}" PositiveExpected { directive: &'static str },
    Error "Conflicting directives: .{first} and .{second} cannot both be specified" ConflictingDirectives { first: &'static str, second: &'static str },
    Error "Wrong number of values for .{directive}" DirectiveValues { directive: &'static str },
    Error "Directive .{directive} is not allowed here" DirectiveNotAllowed { directive: &'static str },
    Error "Function '{name}' is not defined" AliasUndefined { name: String },

    // Instructions.
    Error "Not a name of any known instruction: '{name}'" UnknownInstruction { name: String },
    Error "Unknown modifier '.{name}'" UnknownModifier { name: String },
    Error "Illegal modifier '.{name}' for instruction '{instruction}'" IllegalModifier { name: String, instruction: String },
    Error "Unexpected instruction types specified for '{instruction}'" Types { instruction: String },
    Error "{what} required for instruction '{instruction}'" Required { what: &'static str, instruction: String },
    Error "Arguments mismatch for instruction '{instruction}'" Arguments { instruction: String },
    Error "Argument vector size mismatch for instruction '{instruction}'" VectorSize { instruction: String },
    Error "Label expected for argument {index} of instruction '{instruction}'" LabelExpected { index: usize, instruction: String },
    Error "Predicate expression expected" PredicateExpected,
    Error "State space mismatch between instruction and address in instruction '{instruction}'" StateSpace { instruction: String },

    Error "Mismatch between instruction type and comparison qualifier" Comparison,
    Error "Boolean operation is required for instruction '{instruction}'" BoolOpRequired { instruction: String },
    Error "Special register argument not allowed for instruction '{instruction}'" SpecialRegister { instruction: String },
    Error "Result discard mode is not allowed for instruction '{instruction}'" Discard { instruction: String },
    Error "Illegal to write to function input parameter '{name}'" WriteParameter { name: String },
    Error "State space incorrect for instruction '{instruction}'" SpaceOfInstruction { instruction: String },
    Error "Illegal to use symbol '{name}' of type .{ty} as address operand. Use integer or bit only." AddressType { name: String, ty: &'static str },
    Error "Argument {index} of instruction '{instruction}': must be register" MustBeRegister { index: usize, instruction: String },
    Error "Illegal rounding modifier for instruction '{instruction}'" IllegalRounding { instruction: String },
    Error "Modifier '.{modifier}' does not apply to '.{ty}' type" ModifierType { modifier: &'static str, ty: &'static str },
    Error "Instruction '{instruction}' applies only to signed numeric types" SignedOnly { instruction: String },
    Error "Modifier '.{modifier}' requires scope with '{instruction}' instruction" NeedsScope { modifier: &'static str, instruction: String },
    Error "Modifier '.{modifier}' requires memory order with '{instruction}' instruction" NeedsOrder { modifier: &'static str, instruction: String },
    Error "Operation .{operation} requires {types} type for instruction '{instruction}'" OperationType { operation: &'static str, types: &'static str, instruction: String },
    Error "Instruction '{instruction}' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4" NeedsSync { instruction: String },
    Error "Barrier number '{number}' out of range, expected to be in range [0..15]" BarrierNumber { number: u64 },
    Error "Number of threads participating in barrier must be in multiple of warp size" BarrierThreads,

    // Calls.
    Error "Call to '{name}' requires call prototype" NeedsPrototype { name: String },
    Error "'{name}' is not a function" NotFunction { name: String },
    Error "'{name}' is not a call prototype or list of call targets" NotPrototype { name: String },
    Error "Call has wrong number of parameters" CallParameters,
    Error "Type of argument does not match formal parameter '{name}'" CallArgument { name: String },
    Error "Cannot call entry function '{name}'" CallEntry { name: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_has_the_shape_of_ptxas() {
        let error = Error::new(
            Pos::new(12, 3),
            ErrorKind::UnknownSymbol { name: "x".into() },
        );
        assert_eq!(
            render_log("ptx input", &[error]),
            "ptxas application ptx input, line 12; error   : Unknown symbol 'x'\n\
             ptxas fatal   : Ptx assembly aborted due to errors\n"
        );
    }
}
