//! Module scope: header, variables, functions; then the bodies.

use std::collections::HashMap;

use super::body::{self, ModuleContext};
use super::declaration::{self, Place};
use super::initial::{self, Filler};
use super::scope::Meaning;
use super::{Errors, Policy, target};
use crate::ast::{self, FunctionKind, Item, Linkage};
use crate::checked::{
    Checked, Function, FunctionId, GlobalId, PrototypeId, Signature, SourceFile, Variable,
};
use crate::error::ErrorKind;

/// What is gathered while the module's items are read.
struct Symbols<'m, 'a> {
    names: HashMap<&'a str, Meaning>,
    checked: Checked,
    /// The definition (or declaration) that each function comes from.
    sources: Vec<&'m ast::Function<'a>>,
    errors: &'m mut Errors,
}

/// The next index of a list. Texts of 4 GiB of declarations are refused long before.
pub(super) fn next<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

pub(super) fn module<'m, 'a>(
    module: &'m ast::Module<'a>,
    policy: &Policy,
    errors: &'m mut Errors,
) -> Checked {
    let header = target::header(module, policy, errors);
    let address_size = module.address_size.unwrap_or(32);
    if !matches!(address_size, 32 | 64) {
        let size = address_size;
        errors.push(module.version.pos, ErrorKind::AddressSize { size });
    }
    let mut symbols = Symbols {
        names: HashMap::new(),
        checked: Checked {
            version: (module.version.major, module.version.minor),
            target: header,
            address_size,
            files: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            prototypes: Vec::new(),
            pragmas: Vec::new(),
        },
        sources: Vec::new(),
        errors,
    };
    for item in &module.items {
        symbols.item(item);
    }
    symbols.aliases(module);
    symbols.initial_values(module);
    symbols.bodies(policy)
}

impl<'m, 'a> Symbols<'m, 'a> {
    fn item(&mut self, item: &'m Item<'a>) {
        match item {
            Item::Variable(declaration) => {
                for declarator in &declaration.declarators {
                    let place = Place::Module;
                    let variable =
                        declaration::variable(declaration, declarator, place, self.errors);
                    self.variable(declarator.name, variable);
                }
            }
            Item::Function(function) => self.function(function),
            Item::File(file) => self.file(file),
            Item::Pragma(pragma) => {
                let strings = pragma.strings.iter().map(|text| (*text).to_owned());
                self.checked.pragmas.extend(strings);
            }
            Item::Prototype(prototype) => {
                let id = PrototypeId(next(&self.checked.prototypes));
                let signature = prototype_signature(prototype, self.errors);
                self.checked.prototypes.push(signature);
                let name = prototype.name;
                if self
                    .names
                    .insert(name.text, Meaning::Prototype(id))
                    .is_some()
                {
                    let kind = ErrorKind::DuplicateLabel {
                        name: name.text.into(),
                    };
                    self.errors.push(name.pos, kind);
                }
            }
            Item::Alias { .. } | Item::Target(_) | Item::Section(_) => {}
        }
    }

    fn file(&mut self, file: &ast::File<'_>) {
        self.checked.files.push(SourceFile {
            index: file.index,
            name: file.name.to_owned(),
        });
    }

    fn variable(&mut self, name: ast::Name<'a>, variable: Variable) {
        let duplicate = |errors: &mut Errors| {
            let kind = ErrorKind::DuplicateVariable {
                name: name.text.into(),
            };
            errors.push(name.pos, kind);
        };
        match self.names.get(name.text) {
            None => {
                let id = GlobalId(next(&self.checked.globals));
                self.names.insert(name.text, Meaning::Global(id));
                self.checked.globals.push(variable);
            }
            Some(Meaning::Global(id)) => {
                let old = &mut self.checked.globals[id.index()];
                let declared = |v: &Variable| v.linkage == Some(Linkage::Extern);
                if !declared(old) && !declared(&variable) {
                    duplicate(self.errors);
                } else if (old.space, old.ty, old.lanes)
                    != (variable.space, variable.ty, variable.lanes)
                {
                    let kind = ErrorKind::Redeclared {
                        name: name.text.into(),
                    };
                    self.errors.push(name.pos, kind);
                } else if declared(old) {
                    *old = variable;
                }
            }
            Some(_) => duplicate(self.errors),
        }
    }

    fn function(&mut self, source: &'m ast::Function<'a>) {
        let entry = source.kind == FunctionKind::Entry;
        let name = source.name;
        if entry && !source.returns.is_empty() {
            let kind = ErrorKind::EntryReturns {
                name: name.text.into(),
            };
            self.errors.push(name.pos, kind);
        }
        let function = Function {
            name: name.text.to_owned(),
            pos: source.pos,
            kind: source.kind,
            linkage: source.linkage,
            signature: declaration::signature(
                &source.returns,
                &source.params,
                &source.directives,
                entry,
                self.errors,
            ),
            limits: declaration::limits(source, self.errors),
            alias_of: None,
            body: None,
        };
        match self.names.get(name.text) {
            None => {
                let id = FunctionId(next(&self.checked.functions));
                self.names.insert(name.text, Meaning::Function(id));
                self.checked.functions.push(function);
                self.sources.push(source);
            }
            Some(Meaning::Function(id)) => {
                let index = id.index();
                let old = &mut self.checked.functions[index];
                if self.sources[index].body.is_some() && source.body.is_some() {
                    let kind = ErrorKind::DuplicateFunction {
                        name: name.text.into(),
                    };
                    self.errors.push(name.pos, kind);
                } else if old.kind != function.kind
                    || !same_shape(&old.signature, &function.signature)
                {
                    let kind = ErrorKind::Redeclared {
                        name: name.text.into(),
                    };
                    self.errors.push(name.pos, kind);
                } else if source.body.is_some() {
                    // A `.weak` or `.visible` declaration before a plain definition still counts.
                    let linkage = match old.linkage {
                        Some(Linkage::Extern) => function.linkage,
                        declared => function.linkage.or(declared),
                    };
                    *old = Function {
                        linkage,
                        ..function
                    };
                    self.sources[index] = source;
                }
            }
            Some(_) => {
                let kind = ErrorKind::DuplicateFunction {
                    name: name.text.into(),
                };
                self.errors.push(name.pos, kind);
            }
        }
    }

    fn aliases(&mut self, module: &ast::Module<'a>) {
        for item in &module.items {
            let Item::Alias { alias, aliasee } = item else {
                continue;
            };
            let target = match self.names.get(aliasee.text) {
                Some(Meaning::Function(id)) => *id,
                _ => {
                    let kind = ErrorKind::UnknownSymbol {
                        name: aliasee.text.into(),
                    };
                    self.errors.push(aliasee.pos, kind);
                    continue;
                }
            };
            if self.sources[target.index()].body.is_none() {
                let kind = ErrorKind::AliasUndefined {
                    name: aliasee.text.into(),
                };
                self.errors.push(aliasee.pos, kind);
            }
            match self.names.get(alias.text) {
                Some(Meaning::Function(id)) if self.sources[id.index()].body.is_none() => {
                    self.checked.functions[id.index()].alias_of = Some(target);
                }
                Some(_) => {
                    let kind = ErrorKind::DuplicateFunction {
                        name: alias.text.into(),
                    };
                    self.errors.push(alias.pos, kind);
                }
                None => {
                    let kind = ErrorKind::UnknownSymbol {
                        name: alias.text.into(),
                    };
                    self.errors.push(alias.pos, kind);
                }
            }
        }
    }

    fn initial_values(&mut self, module: &ast::Module<'a>) {
        let mut budget = initial::BUDGET;
        for item in &module.items {
            let Item::Variable(declaration) = item else {
                continue;
            };
            for declarator in &declaration.declarators {
                let Some(init) = &declarator.init else {
                    continue;
                };
                let Some(Meaning::Global(id)) = self.names.get(declarator.name.text).copied()
                else {
                    continue;
                };
                let variable = &self.checked.globals[id.index()];
                let names = &self.names;
                let value = initial_value(
                    variable,
                    declaration,
                    init,
                    &|name| names.get(name).copied(),
                    &mut budget,
                    self.errors,
                );
                self.checked.globals[id.index()].init = value;
            }
        }
    }

    fn bodies(mut self, policy: &Policy) -> Checked {
        let mut functions = std::mem::take(&mut self.checked.functions);
        let mut prototypes = std::mem::take(&mut self.checked.prototypes);
        for (index, source) in self.sources.iter().enumerate() {
            let Some(block) = &source.body else {
                continue;
            };
            if self.errors.is_full() {
                break;
            }
            let context = ModuleContext {
                names: &self.names,
                globals: &self.checked.globals,
                functions: &functions,
                address_size: self.checked.address_size,
                version: self.checked.version,
                target: &self.checked.target,
                features: policy.features,
            };
            let (body, registers) =
                body::check(&context, source, block, &mut prototypes, self.errors);
            let function = &mut functions[index];
            function.body = Some(body);
            let signature = &mut function.signature;
            for (param, register) in signature
                .returns
                .iter_mut()
                .chain(&mut signature.params)
                .zip(registers)
            {
                param.register = register;
            }
        }
        self.checked.functions = functions;
        self.checked.prototypes = prototypes;
        self.checked
    }
}

/// The initial contents of a variable, if its space may have some.
pub(super) fn initial_value(
    variable: &Variable,
    declaration: &ast::Variable<'_>,
    init: &ast::Init<'_>,
    lookup: &dyn Fn(&str) -> Option<Meaning>,
    budget: &mut u64,
    errors: &mut Errors,
) -> Option<crate::checked::Initial> {
    use crate::types::StateSpace;
    let allowed = matches!(variable.space, StateSpace::Global | StateSpace::Const)
        && declaration.linkage != Some(Linkage::Extern);
    if !allowed {
        let name = variable.name.clone();
        errors.push(variable.pos, ErrorKind::InitialSpace { name });
        return None;
    }
    // Properties of samplers and textures set no bytes of memory.
    if variable.ty.class() == crate::types::TypeClass::Opaque {
        return None;
    }
    let mut filler = Filler {
        lookup,
        budget,
        errors,
    };
    Some(filler.fill(variable, init))
}

pub(super) fn prototype_signature(
    prototype: &ast::Prototype<'_>,
    errors: &mut Errors,
) -> Signature {
    declaration::signature(
        &prototype.returns,
        &prototype.params,
        &prototype.directives,
        false,
        errors,
    )
}

/// Whether two signatures pass the same bytes.
fn same_shape(a: &Signature, b: &Signature) -> bool {
    let same = |a: &[crate::checked::Param], b: &[crate::checked::Param]| {
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .all(|(a, b)| a.size == b.size && a.space == b.space)
    };
    same(&a.returns, &b.returns) && same(&a.params, &b.params)
}
