//! Syntax tree to text.

mod instruction;

use std::fmt::Write as _;

use crate::ast::{
    Attribute, Block, Declarator, File, Function, FunctionDirective, FunctionKind, Init, Item,
    Linkage, Loc, Module, Name, Number, Pragma, Prototype, Section, SectionLine, SectionValue,
    SourcePlace, Statement, SymbolInit, TargetList, Variable,
};

/// The text of a module.
pub(crate) fn module(module: &Module<'_>) -> String {
    let mut printer = Printer {
        out: String::new(),
        indent: 0,
    };
    printer.module(module);
    printer.out
}

struct Printer {
    out: String,
    /// Open blocks.
    indent: usize,
}

/// Appends formatted text. Writing to a `String` cannot fail.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => {{ let _ = write!($printer.out, $($arg)*); }};
}
use put;

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Extern => ".extern ",
        Linkage::Visible => ".visible ",
        Linkage::Weak => ".weak ",
        Linkage::Common => ".common ",
    }
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push('\t');
        }
    }

    /// `items` with `, ` between them.
    fn list<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            one(self, item);
        }
    }

    fn number(&mut self, number: Number) {
        match number {
            Number::Signed(value) => put!(self, "{value}"),
            Number::Unsigned(value) => put!(self, "{value}U"),
            Number::F32(bits) => put!(self, "0f{bits:08X}"),
            Number::F64(bits) => put!(self, "0d{bits:016X}"),
        }
    }

    /// `+8`, `-8` or nothing.
    fn offset(&mut self, offset: i64) {
        if offset != 0 {
            put!(self, "{offset:+}");
        }
    }

    fn names(&mut self, names: &[Name<'_>]) {
        self.list(names, |p, name| p.push(name.text));
    }

    fn strings(&mut self, strings: &[&str]) {
        self.list(strings, |p, text| put!(p, "\"{text}\""));
    }

    fn module(&mut self, module: &Module<'_>) {
        put!(
            self,
            ".version {}.{}\n.target ",
            module.version.major,
            module.version.minor
        );
        self.names(&module.target);
        if let Some(size) = module.address_size {
            put!(self, "\n.address_size {size}");
        }
        self.push("\n");
        for item in &module.items {
            self.push("\n");
            self.item(item);
        }
        self.push("\n");
    }

    fn item(&mut self, item: &Item<'_>) {
        match item {
            Item::Function(function) => self.function(function),
            Item::Variable(variable) => {
                self.variable(variable);
                self.push(";");
            }
            Item::Alias { alias, aliasee } => {
                put!(self, ".alias {}, {};", alias.text, aliasee.text)
            }
            Item::Target(names) => {
                self.push(".target ");
                self.names(names);
            }
            Item::File(file) => self.file(file),
            Item::Section(section) => self.section(section),
            Item::Pragma(pragma) => self.pragma(pragma),
            Item::Prototype(prototype) => self.prototype(prototype),
        }
    }

    fn function(&mut self, function: &Function<'_>) {
        if let Some(value) = function.linkage {
            self.push(linkage(value));
        }
        self.push(match function.kind {
            FunctionKind::Entry => ".entry",
            FunctionKind::Func => ".func",
        });
        self.attributes(&function.attributes);
        if !function.returns.is_empty() {
            self.push(" ");
            self.parameters(&function.returns);
        }
        put!(self, " {}", function.name.text);
        if !function.params.is_empty() {
            self.parameters(&function.params);
        }
        self.directives(&function.directives);
        match &function.body {
            Some(body) => {
                self.push("\n");
                self.block(body);
            }
            None => self.push(";"),
        }
    }

    fn parameters(&mut self, params: &[Variable<'_>]) {
        self.push("(");
        self.list(params, Self::variable);
        self.push(")");
    }

    fn directives(&mut self, directives: &[FunctionDirective<'_>]) {
        for directive in directives {
            put!(self, " .{} ", directive.kind.text());
            self.list(&directive.values, |p, value| put!(p, "{value}"));
            self.strings(&directive.strings);
            if !directive.strings.is_empty() {
                self.push(";");
            }
        }
    }

    fn prototype(&mut self, prototype: &Prototype<'_>) {
        put!(self, "{}: .callprototype ", prototype.name.text);
        if !prototype.returns.is_empty() {
            self.parameters(&prototype.returns);
        }
        self.push(" _ ");
        if !prototype.params.is_empty() {
            self.parameters(&prototype.params);
        }
        self.directives(&prototype.directives);
        self.push(";");
    }

    fn attributes(&mut self, attributes: &[Attribute<'_>]) {
        if attributes.is_empty() {
            return;
        }
        self.push(" .attribute(");
        self.list(attributes, |p, attribute| {
            put!(p, ".{}", attribute.name.text);
            if !attribute.values.is_empty() {
                p.push("(");
                p.list(&attribute.values, |p, value| put!(p, "{value}"));
                p.push(")");
            }
        });
        self.push(")");
    }

    /// A declaration without its semicolon.
    fn variable(&mut self, variable: &Variable<'_>) {
        if let Some(value) = variable.linkage {
            self.push(linkage(value));
        }
        put!(self, ".{}", variable.space.text());
        if let Some(bank) = variable.bank {
            put!(self, "[{bank}]");
        }
        self.attributes(&variable.attributes);
        if let Some(align) = variable.align {
            put!(self, " .align {align}");
        }
        if let Some(vector) = variable.vector {
            put!(self, " .{}", vector.text());
        }
        put!(self, " .{}", variable.ty.text());
        if let Some(pointer) = variable.pointer {
            self.push(" .ptr");
            if let Some(space) = pointer.space {
                put!(self, " .{}", space.text());
            }
            if let Some(align) = pointer.align {
                put!(self, " .align {align}");
            }
        }
        self.push(" ");
        self.list(&variable.declarators, Self::declarator);
    }

    fn declarator(&mut self, declarator: &Declarator<'_>) {
        self.push(declarator.name.text);
        if let Some(count) = declarator.range {
            put!(self, "<{count}>");
        }
        for dim in &declarator.dims {
            match dim {
                Some(size) => put!(self, "[{size}]"),
                None => self.push("[]"),
            }
        }
        if let Some(init) = &declarator.init {
            self.push(" = ");
            self.init(init);
        }
    }

    fn init(&mut self, init: &Init<'_>) {
        match init {
            Init::Number(number) => self.number(*number),
            Init::Symbol(symbol) => self.symbol_init(symbol),
            Init::List(list) => {
                self.push("{");
                self.list(list, Self::init);
                self.push("}");
            }
            Init::String(text) => put!(self, "\"{text}\""),
            Init::Field(name, value) => {
                put!(self, "{} = ", name.text);
                self.init(value);
            }
        }
    }

    fn symbol_init(&mut self, symbol: &SymbolInit<'_>) {
        if let Some(mask) = symbol.mask {
            put!(self, "{mask:#x}(");
        }
        if symbol.generic {
            put!(self, "generic({})", symbol.name.text);
        } else {
            self.push(symbol.name.text);
        }
        self.offset(symbol.offset);
        if symbol.mask.is_some() {
            self.push(")");
        }
    }

    fn block(&mut self, block: &Block<'_>) {
        self.push("{");
        self.indent += 1;
        for statement in &block.statements {
            self.line();
            self.statement(statement);
        }
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::Label(name) => put!(self, "{}:", name.text),
            Statement::Variable(variable) => {
                self.variable(variable);
                self.push(";");
            }
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Block(block) => self.block(block),
            Statement::Loc(loc) => self.loc(loc),
            Statement::Pragma(pragma) => self.pragma(pragma),
            Statement::Prototype(prototype) => self.prototype(prototype),
            Statement::BranchTargets(list) => self.targets("branchtargets", list),
            Statement::CallTargets(list) => self.targets("calltargets", list),
            Statement::File(file) => self.file(file),
            Statement::Section(section) => self.section(section),
        }
    }

    fn targets(&mut self, directive: &str, list: &TargetList<'_>) {
        put!(self, "{}: .{directive} ", list.name.text);
        self.names(&list.targets);
        self.push(";");
    }

    fn place(&mut self, place: SourcePlace) {
        put!(self, "{} {} {}", place.file, place.line, place.column);
    }

    fn loc(&mut self, loc: &Loc<'_>) {
        self.push(".loc ");
        self.place(loc.place);
        if let Some(inlined) = &loc.inlined {
            put!(self, ", function_name {}", inlined.function.text);
            self.offset(inlined.offset);
            self.push(", inlined_at ");
            self.place(inlined.at);
        }
    }

    fn file(&mut self, file: &File<'_>) {
        put!(self, ".file {} \"{}\"", file.index, file.name);
        if let Some((time, size)) = file.stamp {
            put!(self, ", {time}, {size}");
        }
    }

    fn pragma(&mut self, pragma: &Pragma<'_>) {
        self.push(".pragma ");
        self.strings(&pragma.strings);
        self.push(";");
    }

    fn section(&mut self, section: &Section<'_>) {
        put!(self, ".section .{} {{", section.name);
        for line in &section.lines {
            self.line();
            match line {
                SectionLine::Label(name) => put!(self, "{}:", name.text),
                SectionLine::Data { ty, values } => {
                    put!(self, ".{} ", ty.text());
                    self.list(values, Self::section_value);
                }
            }
        }
        self.line();
        self.push("}");
    }

    fn section_value(&mut self, value: &SectionValue<'_>) {
        match value {
            SectionValue::Number(number) => self.number(*number),
            SectionValue::Symbol {
                name,
                section,
                offset,
            } => {
                self.push(if *section { "." } else { "" });
                self.push(name.text);
                self.offset(*offset);
            }
            SectionValue::Difference(a, b) => put!(self, "{}-{}", a.text, b.text),
        }
    }
}
