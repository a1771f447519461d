//! A module whose names are resolved and whose instructions are typed: what a code generator
//! works on.
//!
//! Everything that was a name in the text is an index here. The check that makes this
//! ([`crate::check`]) vouches for: indices in range, operand counts and types that fit the
//! instruction, immediates that are already in the operand's type.

use crate::ast::{FunctionKind, Linkage, Pointer, SourcePlace};
use crate::kind::Kind;
use crate::pos::Pos;
use crate::special::SpecialRegister;
use crate::types::{ScalarType, StateSpace, VectorWidth};

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident)+) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub u32);

            impl $name {
                /// As an index into the list it belongs to.
                #[must_use]
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )+
    };
}

ids! {
    /// Index into [`Checked::functions`].
    FunctionId
    /// Index into [`Checked::globals`].
    GlobalId
    /// Index into [`Checked::prototypes`].
    PrototypeId
    /// Index into [`Body::registers`].
    RegisterId
    /// Index into [`Body::locals`].
    LocalId
    /// Index into [`Body::labels`].
    LabelId
    /// Index into [`Body::branch_tables`].
    BranchTableId
    /// Index into [`Body::call_targets`].
    TargetListId
}

/// A checked module.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// `.version`
    pub version: (u32, u32),
    /// `.target`
    pub target: Target,
    /// `.address_size`, bits: 32 or 64.
    pub address_size: u32,
    /// `.file` directives.
    pub files: Vec<SourceFile>,
    /// Module-scope variables.
    pub globals: Vec<Variable>,
    /// Functions and kernels, declared or defined, each name once.
    pub functions: Vec<Function>,
    /// Signatures of indirect calls.
    pub prototypes: Vec<Signature>,
    /// Module-scope `.pragma` strings.
    pub pragmas: Vec<String>,
}

/// `.target sm_90a, debug`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// 90 of `sm_90a`.
    pub sm: u32,
    /// `a` or `f` where the target is specific to an architecture or family.
    pub suffix: Option<char>,
    /// `debug`
    pub debug: bool,
    /// `texmode_independent`
    pub texmode_independent: bool,
    /// `map_f64_to_f32`
    pub map_f64_to_f32: bool,
}

/// `.file`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// What [`SourcePlace::file`] refers to.
    pub index: u32,
    /// Its name.
    pub name: String,
}

/// A variable at module scope or in a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub pos: Pos,
    /// Linking directive.
    pub linkage: Option<Linkage>,
    /// Where it lives: global, const, shared, local, param or tex.
    pub space: StateSpace,
    /// `.attribute(.managed)`
    pub managed: bool,
    /// `.attribute(.unified(a, b))`
    pub unified: Option<(u64, u64)>,
    /// Alignment, bytes: as declared, else natural.
    pub align: u32,
    /// Element type.
    pub ty: ScalarType,
    /// Elements of the vector type: 1, 2, 4 or 8.
    pub lanes: u32,
    /// Array dimensions, outermost first; an outermost 0 is `[]`.
    pub dims: Vec<u64>,
    /// Size, bytes; 0 for an unsized array (`.extern .shared x[]`).
    pub size: u64,
    /// Initial contents, if any are written.
    pub init: Option<Initial>,
}

/// Initial contents of a variable. What follows `bytes` up to the variable's size is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Initial {
    /// The bytes, little-endian.
    pub bytes: Vec<u8>,
    /// Addresses to be filled in.
    pub relocations: Vec<Relocation>,
}

/// An address inside initial contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where in the variable, bytes.
    pub offset: u64,
    /// How many bytes are filled.
    pub size: u32,
    /// Whose address.
    pub symbol: Symbol,
    /// Added to the address.
    pub addend: i64,
    /// The generic address rather than the one in the symbol's space.
    pub generic: bool,
    /// Mask operator: the bits taken, shifted down to bit 0.
    pub mask: Option<u64>,
}

/// What an address can be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A module-scope variable.
    Global(GlobalId),
    /// A variable declared in the function.
    Local(LocalId),
    /// A parameter of the function, by position.
    Param(u32),
    /// A return parameter of the function, by position.
    Return(u32),
    /// A function.
    Function(FunctionId),
}

/// A parameter or return parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name; `_` in prototypes.
    pub name: String,
    /// `.param`, or `.reg` in functions.
    pub space: StateSpace,
    /// Element type.
    pub ty: ScalarType,
    /// Size, bytes: of the array where it is one; 0 for `.b8 name[]`.
    pub size: u64,
    /// Alignment, bytes.
    pub align: u32,
    /// It is declared as an array.
    pub array: bool,
    /// Where it starts in the parameter block, bytes: each parameter at the next multiple of its
    /// alignment.
    pub offset: u64,
    /// `.ptr`
    pub pointer: Option<Pointer>,
    /// The register that holds it, if its space is `.reg`.
    pub register: Option<RegisterId>,
}

/// Parameters and results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signature {
    /// Results.
    pub returns: Vec<Param>,
    /// Parameters.
    pub params: Vec<Param>,
    /// `.noreturn`
    pub noreturn: bool,
}

/// A function or kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is declared (defined, if it is).
    pub pos: Pos,
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// Linking directive.
    pub linkage: Option<Linkage>,
    /// Parameters and results.
    pub signature: Signature,
    /// Performance directives.
    pub limits: LaunchLimits,
    /// It is another name of this function.
    pub alias_of: Option<FunctionId>,
    /// The body, if defined here.
    pub body: Option<Body>,
}

/// What a kernel's directives say about its launches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchLimits {
    /// `.maxntid`; missing numbers are 1.
    pub max_ntid: Option<[u32; 3]>,
    /// `.reqntid`; missing numbers are 1.
    pub req_ntid: Option<[u32; 3]>,
    /// `.minnctapersm`
    pub min_ncta_per_sm: Option<u32>,
    /// `.maxnctapersm`
    pub max_ncta_per_sm: Option<u32>,
    /// `.maxnreg`
    pub max_nreg: Option<u32>,
    /// `.explicitcluster`
    pub explicit_cluster: bool,
    /// `.reqnctapercluster`; missing numbers are 1.
    pub req_ncta_per_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank`
    pub max_cluster_rank: Option<u32>,
    /// `.blocksareclusters`
    pub blocks_are_clusters: bool,
    /// `.pragma` strings.
    pub pragmas: Vec<String>,
}

/// A function's body: nested scopes are flattened, names resolved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Registers that are used; unused ones of a range are not listed.
    pub registers: Vec<Register>,
    /// Variables declared in the function, in any scope.
    pub locals: Vec<Variable>,
    /// Labels.
    pub labels: Vec<Label>,
    /// Instructions, in order.
    pub instructions: Vec<Instruction>,
    /// `.branchtargets`
    pub branch_tables: Vec<Vec<LabelId>>,
    /// `.calltargets`
    pub call_targets: Vec<Vec<FunctionId>>,
    /// `.loc` directives, in order.
    pub locations: Vec<Location>,
    /// `.pragma` strings, each with the index of the instruction that follows it.
    pub pragmas: Vec<(u32, String)>,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: String,
    /// Type of an element.
    pub ty: ScalarType,
    /// `.v2` or `.v4` registers.
    pub vector: Option<VectorWidth>,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub pos: Pos,
    /// Index of the instruction that follows it; the number of instructions at the body's end.
    pub target: u32,
}

/// `.loc`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Place in the user's source.
    pub place: SourcePlace,
    /// Where it was inlined.
    pub inlined_at: Option<SourcePlace>,
}

/// `@p` or `@!p`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub predicate: RegisterId,
    /// `!`
    pub negated: bool,
}

/// A typed instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Where it stands in the PTX text.
    pub pos: Pos,
    /// The `.loc` that holds here: index into [`Body::locations`].
    pub location: Option<u32>,
    /// The guard.
    pub guard: Option<Guard>,
    /// Which instruction.
    pub kind: Kind,
    /// What it writes, in the order written. A pair `p|q` is two entries.
    pub dsts: Vec<Operand>,
    /// What it reads, in the order written. The address of `st` and `red` is the first.
    pub srcs: Vec<Operand>,
}

/// A resolved operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(RegisterId),
    /// A component of a vector register, from 0.
    Component(RegisterId, u8),
    /// A constant: its bits in the type of the operand, zero-extended.
    Immediate(u64),
    /// A special register, with the component from 0 where it has some.
    Special(SpecialRegister, Option<u8>),
    /// The address of a variable or function, plus bytes.
    Symbol(Symbol, i64),
    /// `[…]`
    Memory(Address),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `_`
    Sink,
    /// `!p`
    Not(RegisterId),
    /// A label.
    Label(LabelId),
    /// A list of labels.
    BranchTable(BranchTableId),
    /// Anything that only instructions of kind [`Kind::Other`] have: as written.
    Raw(String),
}

/// A memory operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// What it starts from.
    pub base: AddressBase,
    /// Added, bytes.
    pub offset: i64,
    /// More between the brackets ([`Kind::Other`] only).
    pub rest: Vec<Operand>,
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    /// A register.
    Register(RegisterId),
    /// A component of a vector register.
    Component(RegisterId, u8),
    /// A variable.
    Symbol(Symbol),
    /// Nothing: the offset is the address.
    Absolute,
}
