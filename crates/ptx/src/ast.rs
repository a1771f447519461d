//! The syntax tree of a PTX module: what was written, in the order it was written.
//!
//! Names are slices of the source text, so a tree borrows the text it was parsed from. Nothing is
//! resolved here: an opcode is its spelling with the dot-suffixes that follow it, an operand is a
//! name. [`crate::check`] turns this into [`crate::checked::Checked`], the typed form that a code
//! generator works on. Source: PTX ISA 9.0, chapters 4 (syntax), 5, 6 and 11 (directives).

use crate::pos::Pos;
use crate::spelling::spelled;
use crate::types::{ScalarType, StateSpace, VectorWidth};

/// A name and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The spelling, with a leading `%` where there is one.
    pub text: &'a str,
    /// Where it stands.
    pub pos: Pos,
}

/// A whole translation unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Module<'a> {
    /// `.version major.minor`
    pub version: Version,
    /// The first `.target` directive: architecture first, then options.
    pub target: Vec<Name<'a>>,
    /// `.address_size`, bits.
    pub address_size: Option<u32>,
    /// Everything after the header.
    pub items: Vec<Item<'a>>,
}

/// `.version major.minor`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Where the directive stands.
    pub pos: Pos,
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

/// One thing at module scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item<'a> {
    /// `.entry` or `.func`, with or without a body.
    Function(Box<Function<'a>>),
    /// A module-scope variable.
    Variable(Variable<'a>),
    /// `.alias alias, aliasee;`
    Alias {
        /// The new name.
        alias: Name<'a>,
        /// The function that it names.
        aliasee: Name<'a>,
    },
    /// A second `.target`.
    Target(Vec<Name<'a>>),
    /// `.file index "name" {, timestamp, size}`
    File(File<'a>),
    /// `.section name { … }`
    Section(Section<'a>),
    /// `.pragma "…", …;`
    Pragma(Pragma<'a>),
    /// `name: .callprototype …;` at module scope.
    Prototype(Prototype<'a>),
}

/// Who can see a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// `.extern`: defined in another module.
    Extern,
    /// `.visible`: defined here for others.
    Visible,
    /// `.weak`: one of several definitions is taken.
    Weak,
    /// `.common`: several tentative definitions are one (`.global` only).
    Common,
}

/// `.entry` or `.func`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// A kernel.
    Entry,
    /// A device function.
    Func,
}

/// A function or kernel: declaration (no body) or definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Function<'a> {
    /// Where `.entry` or `.func` stands.
    pub pos: Pos,
    /// Linking directive before it.
    pub linkage: Option<Linkage>,
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// `.attribute(…)` of the function.
    pub attributes: Vec<Attribute<'a>>,
    /// Return parameters (`.func` only): each holds one declarator.
    pub returns: Vec<Variable<'a>>,
    /// Its name.
    pub name: Name<'a>,
    /// Parameters, each with one declarator.
    pub params: Vec<Variable<'a>>,
    /// Directives between the parameters and the body.
    pub directives: Vec<FunctionDirective<'a>>,
    /// The body, if this is a definition.
    pub body: Option<Block<'a>>,
}

/// A directive between a function's parameters and its body.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDirective<'a> {
    /// Where it stands.
    pub pos: Pos,
    /// Which.
    pub kind: FunctionDirectiveKind,
    /// Its integers, as many as were written.
    pub values: Vec<u32>,
    /// Its strings (`.pragma` only), without quotes.
    pub strings: Vec<&'a str>,
}

/// A block of statements in braces.
#[derive(Clone, Debug, PartialEq)]
pub struct Block<'a> {
    /// Where `{` stands.
    pub pos: Pos,
    /// What is in it.
    pub statements: Vec<Statement<'a>>,
    /// Where `}` stands.
    pub end: Pos,
}

/// One statement of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement<'a> {
    /// `name:`
    Label(Name<'a>),
    /// A declaration (`.reg`, `.local`, `.shared`, `.param`, …).
    Variable(Variable<'a>),
    /// An instruction.
    Instruction(Instruction<'a>),
    /// A nested scope.
    Block(Block<'a>),
    /// `.loc …`
    Loc(Loc<'a>),
    /// `.pragma "…";`
    Pragma(Pragma<'a>),
    /// `name: .callprototype …;`
    Prototype(Prototype<'a>),
    /// `name: .branchtargets a, b;`
    BranchTargets(TargetList<'a>),
    /// `name: .calltargets a, b;`
    CallTargets(TargetList<'a>),
    /// `.file` inside a body.
    File(File<'a>),
    /// `.section` inside a body.
    Section(Section<'a>),
}

/// `name: .branchtargets …;` or `name: .calltargets …;`
#[derive(Clone, Debug, PartialEq)]
pub struct TargetList<'a> {
    /// The label before the directive.
    pub name: Name<'a>,
    /// Labels or functions, in order.
    pub targets: Vec<Name<'a>>,
}

/// `name: .callprototype (returns) _ (params) …;`
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype<'a> {
    /// The label before the directive.
    pub name: Name<'a>,
    /// Return parameters.
    pub returns: Vec<Variable<'a>>,
    /// Parameters.
    pub params: Vec<Variable<'a>>,
    /// `.noreturn`, `.abi_preserve` and the like after them.
    pub directives: Vec<FunctionDirective<'a>>,
}

/// One declaration: variables of one space and type.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable<'a> {
    /// Where it starts.
    pub pos: Pos,
    /// Linking directive before it.
    pub linkage: Option<Linkage>,
    /// State space; `.reg` for registers.
    pub space: StateSpace,
    /// `.const[bank]` (old style).
    pub bank: Option<u32>,
    /// `.attribute(…)`.
    pub attributes: Vec<Attribute<'a>>,
    /// `.align`, bytes.
    pub align: Option<u32>,
    /// `.v2`, `.v4`, `.v8`.
    pub vector: Option<VectorWidth>,
    /// Element type.
    pub ty: ScalarType,
    /// `.ptr …` of a kernel parameter.
    pub pointer: Option<Pointer>,
    /// The declared names.
    pub declarators: Vec<Declarator<'a>>,
}

/// `.ptr {.space} {.align n}` of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// Space pointed to; generic where `None`.
    pub space: Option<StateSpace>,
    /// Alignment of what it points to, bytes.
    pub align: Option<u32>,
}

/// One name of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator<'a> {
    /// The name, or the prefix of a range. `_` in prototypes.
    pub name: Name<'a>,
    /// `name<n>`: `name0` … `name(n-1)`.
    pub range: Option<u32>,
    /// Array dimensions, outermost first; `None` for `[]`.
    pub dims: Vec<Option<u64>>,
    /// `= …`
    pub init: Option<Init<'a>>,
}

/// An initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Init<'a> {
    /// A number.
    Number(Number),
    /// An address.
    Symbol(SymbolInit<'a>),
    /// `{ …, … }`
    List(Vec<Init<'a>>),
    /// `"…"`, without quotes.
    String(&'a str),
    /// `name = value`: a property of a sampler, texture or surface.
    Field(Name<'a>, Box<Init<'a>>),
}

/// An address in an initialiser: `name`, `name+8`, `generic(name)+8`, `0xff00(name)`.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolInit<'a> {
    /// Variable or function.
    pub name: Name<'a>,
    /// Added to the address, bytes.
    pub offset: i64,
    /// `generic(name)`: the generic address rather than the one in the variable's space.
    pub generic: bool,
    /// Mask operator: only these bits, shifted down to bit 0.
    pub mask: Option<u64>,
}

/// One entry of `.attribute(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute<'a> {
    /// Its name without the dot: `managed`, `unified`.
    pub name: Name<'a>,
    /// Its integers (the two halves of a `.unified` id).
    pub values: Vec<u64>,
}

/// `.loc file line column {, function_name label {+ n}, inlined_at file line column}`
#[derive(Clone, Debug, PartialEq)]
pub struct Loc<'a> {
    /// Where it stands.
    pub pos: Pos,
    /// Place in the user's source.
    pub place: SourcePlace,
    /// Where this was inlined.
    pub inlined: Option<Inlined<'a>>,
}

/// A place in the user's source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourcePlace {
    /// Index of a `.file` directive.
    pub file: u32,
    /// Line, from 1; 0 where the compiler knows none.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// The inlining part of `.loc`.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlined<'a> {
    /// Label in `.debug_str` that names the inlined function.
    pub function: Name<'a>,
    /// Added to the label.
    pub offset: i64,
    /// The call's place.
    pub at: SourcePlace,
}

/// `.file index "name" {, timestamp, size}`
#[derive(Clone, Debug, PartialEq)]
pub struct File<'a> {
    /// Where it stands.
    pub pos: Pos,
    /// What `.loc` refers to.
    pub index: u32,
    /// The name without quotes.
    pub name: &'a str,
    /// Modification time and size.
    pub stamp: Option<(u64, u64)>,
}

/// `.pragma "…", …;`
#[derive(Clone, Debug, PartialEq)]
pub struct Pragma<'a> {
    /// Where it stands.
    pub pos: Pos,
    /// The strings without quotes.
    pub strings: Vec<&'a str>,
}

/// `.section name { … }` (debugging data).
#[derive(Clone, Debug, PartialEq)]
pub struct Section<'a> {
    /// Where it stands.
    pub pos: Pos,
    /// The name without its dot: `debug_info`.
    pub name: &'a str,
    /// What is in it.
    pub lines: Vec<SectionLine<'a>>,
}

/// One line of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionLine<'a> {
    /// `name:`
    Label(Name<'a>),
    /// `.b8 1, 2, 3`
    Data {
        /// Size of a value.
        ty: ScalarType,
        /// The values.
        values: Vec<SectionValue<'a>>,
    },
}

/// One value in a section.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionValue<'a> {
    /// A number.
    Number(Number),
    /// A label or section, with an offset.
    Symbol {
        /// Its name; a section's without its dot.
        name: Name<'a>,
        /// It is a section: `.debug_info`.
        section: bool,
        /// Added, bytes.
        offset: i64,
    },
    /// The distance between two labels.
    Difference(Name<'a>, Name<'a>),
}

/// A number as PTX means it (constant expressions are folded while parsing: PTX ISA 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A signed 64-bit integer.
    Signed(i64),
    /// An unsigned 64-bit integer: suffix `U`, or too large for the signed type.
    Unsigned(u64),
    /// `0fXXXXXXXX`: the bits of a float.
    F32(u32),
    /// `0dXXXXXXXXXXXXXXXX` or a decimal: the bits of a double.
    F64(u64),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction<'a> {
    /// Where it starts (the guard, if there is one).
    pub pos: Pos,
    /// `@p` or `@!p`.
    pub guard: Option<Guard<'a>>,
    /// The opcode before the first dot, and its place.
    pub opcode: Name<'a>,
    /// What follows the opcode, without dots: `["shared::cta", "v4", "f32"]`.
    pub modifiers: Vec<&'a str>,
    /// Operands, in order.
    pub operands: Vec<Operand<'a>>,
}

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard<'a> {
    /// The predicate register.
    pub predicate: Name<'a>,
    /// `!`
    pub negated: bool,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'a> {
    /// A register, special register, variable, label or function; `.x` or `.b0` after it.
    Name {
        /// Its name.
        name: Name<'a>,
        /// `x`, `y`, `z`, `w`, `r`, `g`, `b`, `a`, or a video selector such as `b0`, `h1`, `b3210`.
        selector: Option<&'a str>,
    },
    /// `-%r1` (video instructions: negated source).
    Negated {
        /// Its name.
        name: Name<'a>,
        /// Video selector.
        selector: Option<&'a str>,
    },
    /// `name + offset` outside brackets: an address.
    Offset {
        /// A variable.
        name: Name<'a>,
        /// Added, bytes.
        offset: i64,
    },
    /// `array[index]`: the address of an element.
    Element {
        /// A variable.
        name: Name<'a>,
        /// Register part of the index.
        register: Option<Name<'a>>,
        /// Constant part of the index.
        index: i64,
    },
    /// A number.
    Number {
        /// Its value.
        value: Number,
        /// Its place.
        pos: Pos,
    },
    /// `_`
    Sink(Pos),
    /// `!p`
    Not(Name<'a>),
    /// `p|q`: two destinations, either of which may be `_`.
    Pair(Box<Operand<'a>>, Box<Operand<'a>>),
    /// `[…]`
    Memory(Memory<'a>),
    /// `{a, b}`
    Vector(Vec<Operand<'a>>, Pos),
    /// `(a, b)`: parameters of a call.
    List(Vec<Operand<'a>>, Pos),
}

/// `[base + offset, …]`
#[derive(Clone, Debug, PartialEq)]
pub struct Memory<'a> {
    /// Where `[` stands.
    pub pos: Pos,
    /// What the address starts from.
    pub base: Base<'a>,
    /// Added, bytes.
    pub offset: i64,
    /// More between the brackets: sampler, coordinates, mbarrier.
    pub rest: Vec<Operand<'a>>,
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base<'a> {
    /// A register or a variable, with `.x` of a vector register.
    Name {
        /// Its name.
        name: Name<'a>,
        /// Component of a vector register.
        selector: Option<&'a str>,
    },
    /// A constant address; the offset holds it.
    Absolute,
}

spelled! {
    /// Which directive stands between a function's parameters and its body (PTX ISA 9.0, 11.4).
    pub enum FunctionDirectiveKind {
        /// Largest block, 1 to 3 numbers.
        MaxNTid = "maxntid",
        /// Exact block, 1 to 3 numbers.
        ReqNTid = "reqntid",
        /// Blocks resident per SM, at least.
        MinNCtaPerSm = "minnctapersm",
        /// Blocks resident per SM (deprecated).
        MaxNCtaPerSm = "maxnctapersm",
        /// Registers per thread, at most.
        MaxNReg = "maxnreg",
        /// The function does not return.
        NoReturn = "noreturn",
        /// Strings for the compiler.
        Pragma = "pragma",
        /// Launches name the cluster's size.
        ExplicitCluster = "explicitcluster",
        /// Exact cluster, 1 to 3 numbers.
        ReqNCtaPerCluster = "reqnctapercluster",
        /// Largest cluster.
        MaxClusterRank = "maxclusterrank",
        /// The grid is counted in clusters.
        BlocksAreClusters = "blocksareclusters",
        /// Data registers preserved by the callee.
        AbiPreserve = "abi_preserve",
        /// Control registers preserved by the callee.
        AbiPreserveControl = "abi_preserve_control",
    }
}
