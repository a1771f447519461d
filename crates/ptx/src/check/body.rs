//! Function bodies: scopes, labels, declarations, and the walk over the statements.

use std::collections::HashMap;

use super::Errors;
use super::declaration::{self, Place};
use super::scope::{Meaning, Scope};
use super::symbols::{self, next};
use crate::ast::{self, Statement};
use crate::checked::{
    Body, BranchTableId, Function, FunctionId, Label, LabelId, LocalId, Location, PrototypeId,
    Register, RegisterId, Signature, Target, TargetListId, Variable,
};
use crate::error::ErrorKind;
use crate::pos::Pos;
use crate::types::{ScalarType, StateSpace, VectorWidth};

/// What a body sees of its module.
pub(super) struct ModuleContext<'c, 'a> {
    pub names: &'c HashMap<&'a str, Meaning>,
    pub globals: &'c [Variable],
    pub functions: &'c [Function],
    pub address_size: u32,
    pub version: (u32, u32),
    pub target: &'c Target,
    /// Instructions must exist in the module's version and target.
    pub features: bool,
}

/// The state of checking one body.
pub(super) struct BodyChecker<'c, 'a> {
    pub module: &'c ModuleContext<'c, 'a>,
    pub source: &'c ast::Function<'a>,
    pub errors: &'c mut Errors,
    pub prototypes: &'c mut Vec<Signature>,
    pub scope: Scope<'a>,
    pub body: Body,
    /// The `.loc` that holds.
    location: Option<u32>,
    /// Bytes of initial contents still allowed.
    budget: u64,
}

/// Checks a body. The second result: for each return parameter and parameter in order, the
/// register that holds it, if it is one.
pub(super) fn check<'a>(
    module: &ModuleContext<'_, 'a>,
    source: &ast::Function<'a>,
    block: &ast::Block<'a>,
    prototypes: &mut Vec<Signature>,
    errors: &mut Errors,
) -> (Body, Vec<Option<RegisterId>>) {
    let mut checker = BodyChecker {
        module,
        source,
        errors,
        prototypes,
        scope: Scope::default(),
        body: Body::default(),
        location: None,
        budget: super::initial::BUDGET,
    };
    checker.scope.enter();
    let returns = checker.parameters(&source.returns, Meaning::Return);
    let mut registers = returns;
    registers.extend(checker.parameters(&source.params, Meaning::Param));
    // Parameters are in a scope of their own: a body may hide them.
    checker.block(block);
    (checker.body, registers)
}

impl<'a> BodyChecker<'_, 'a> {
    fn parameters(
        &mut self,
        params: &[ast::Variable<'a>],
        meaning: impl Fn(u32) -> Meaning,
    ) -> Vec<Option<RegisterId>> {
        let mut registers = Vec::with_capacity(params.len());
        let mut index = 0;
        for declaration in params {
            let Some(declarator) = declaration.declarators.first() else {
                continue;
            };
            let name = declarator.name;
            let register = (declaration.space == StateSpace::Reg)
                .then(|| self.new_register(name.text, declaration.ty, declaration.vector));
            let meaning = register.map_or_else(|| meaning(index), Meaning::Register);
            if name.text != "_" && !self.scope.declare(name.text, meaning) {
                self.duplicate_variable(name);
            }
            registers.push(register);
            index += 1;
        }
        registers
    }

    fn new_register(
        &mut self,
        name: &str,
        ty: ScalarType,
        vector: Option<VectorWidth>,
    ) -> RegisterId {
        let id = RegisterId(next(&self.body.registers));
        self.body.registers.push(Register {
            name: name.to_owned(),
            ty,
            vector,
        });
        id
    }

    fn duplicate_variable(&mut self, name: ast::Name<'a>) {
        let kind = ErrorKind::DuplicateVariable {
            name: name.text.into(),
        };
        self.errors.push(name.pos, kind);
    }

    /// What a name means here, or an error.
    pub fn resolve(&mut self, name: ast::Name<'_>) -> Option<Meaning> {
        let meaning = self.find(name.text);
        if meaning.is_none() {
            let kind = ErrorKind::UnknownSymbol {
                name: name.text.into(),
            };
            self.errors.push(name.pos, kind);
        }
        meaning
    }

    /// What a name means here.
    pub fn find(&mut self, name: &str) -> Option<Meaning> {
        let registers = &mut self.body.registers;
        let found = self.scope.lookup(name, |ty, vector| {
            let id = RegisterId(next(registers));
            registers.push(Register {
                name: name.to_owned(),
                ty,
                vector,
            });
            id
        });
        found.or_else(|| self.module.names.get(name).copied())
    }

    fn block(&mut self, block: &ast::Block<'a>) {
        self.scope.enter();
        self.labels(block);
        for statement in &block.statements {
            if self.errors.is_full() {
                break;
            }
            self.statement(statement);
        }
        self.scope.leave();
    }

    /// Labels and lists can be used before they stand.
    fn labels(&mut self, block: &ast::Block<'a>) {
        for statement in &block.statements {
            let (name, meaning) = match statement {
                Statement::Label(name) => {
                    let id = LabelId(next(&self.body.labels));
                    self.body.labels.push(Label {
                        name: name.text.to_owned(),
                        pos: name.pos,
                        target: 0,
                    });
                    (*name, Meaning::Label(id))
                }
                Statement::BranchTargets(list) => {
                    let id = BranchTableId(next(&self.body.branch_tables));
                    self.body.branch_tables.push(Vec::new());
                    (list.name, Meaning::BranchTable(id))
                }
                Statement::CallTargets(list) => {
                    let id = TargetListId(next(&self.body.call_targets));
                    self.body.call_targets.push(Vec::new());
                    (list.name, Meaning::CallTargets(id))
                }
                Statement::Prototype(prototype) => {
                    let id = PrototypeId(next(self.prototypes));
                    let signature = symbols::prototype_signature(prototype, self.errors);
                    self.prototypes.push(signature);
                    (prototype.name, Meaning::Prototype(id))
                }
                Statement::Variable(_)
                | Statement::Instruction(_)
                | Statement::Block(_)
                | Statement::Loc(_)
                | Statement::Pragma(_)
                | Statement::File(_)
                | Statement::Section(_) => continue,
            };
            if !self.scope.declare(name.text, meaning) {
                let kind = ErrorKind::DuplicateLabel {
                    name: name.text.into(),
                };
                self.errors.push(name.pos, kind);
            }
        }
    }

    fn statement(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::Label(name) => {
                let here = next(&self.body.instructions);
                if let Some(Meaning::Label(id)) = self.find(name.text) {
                    self.body.labels[id.index()].target = here;
                }
            }
            Statement::Variable(declaration) => self.declaration(declaration),
            Statement::Instruction(instruction) => self.instruction(instruction, self.location),
            Statement::Block(block) => self.block(block),
            Statement::Loc(loc) => {
                self.location = Some(next(&self.body.locations));
                self.body.locations.push(Location {
                    place: loc.place,
                    inlined_at: loc.inlined.as_ref().map(|inlined| inlined.at),
                });
            }
            Statement::Pragma(pragma) => {
                let here = next(&self.body.instructions);
                let strings = pragma.strings.iter().map(|text| (here, (*text).to_owned()));
                self.body.pragmas.extend(strings);
            }
            Statement::BranchTargets(list) => {
                let labels = self.branch_targets(list);
                if let Some(Meaning::BranchTable(id)) = self.find(list.name.text) {
                    self.body.branch_tables[id.index()] = labels;
                }
            }
            Statement::CallTargets(list) => {
                let functions = self.call_targets(list);
                if let Some(Meaning::CallTargets(id)) = self.find(list.name.text) {
                    self.body.call_targets[id.index()] = functions;
                }
            }
            Statement::Prototype(_) | Statement::File(_) | Statement::Section(_) => {}
        }
    }

    fn branch_targets(&mut self, list: &ast::TargetList<'a>) -> Vec<LabelId> {
        let mut labels = Vec::with_capacity(list.targets.len());
        for (index, name) in list.targets.iter().enumerate() {
            match self.resolve(*name) {
                Some(Meaning::Label(id)) => labels.push(id),
                Some(_) => {
                    let instruction = ".branchtargets".to_owned();
                    let kind = ErrorKind::LabelExpected { index, instruction };
                    self.errors.push(name.pos, kind);
                }
                None => {}
            }
        }
        labels
    }

    fn call_targets(&mut self, list: &ast::TargetList<'a>) -> Vec<FunctionId> {
        let mut functions = Vec::with_capacity(list.targets.len());
        for name in &list.targets {
            match self.resolve(*name) {
                Some(Meaning::Function(id)) => functions.push(id),
                Some(_) => {
                    let kind = ErrorKind::NotFunction {
                        name: name.text.into(),
                    };
                    self.errors.push(name.pos, kind);
                }
                None => {}
            }
        }
        functions
    }

    fn declaration(&mut self, declaration: &ast::Variable<'a>) {
        if declaration.space == StateSpace::Reg {
            self.registers(declaration);
            return;
        }
        for declarator in &declaration.declarators {
            let place = Place::Body;
            let mut variable = declaration::variable(declaration, declarator, place, self.errors);
            if let Some(init) = &declarator.init {
                let names = self.module.names;
                let lookup = |name: &str| names.get(name).copied();
                variable.init = symbols::initial_value(
                    &variable,
                    declaration,
                    init,
                    &lookup,
                    &mut self.budget,
                    self.errors,
                );
            }
            let id = LocalId(next(&self.body.locals));
            self.body.locals.push(variable);
            if !self.scope.declare(declarator.name.text, Meaning::Local(id)) {
                self.duplicate_variable(declarator.name);
            }
        }
    }

    fn registers(&mut self, declaration: &ast::Variable<'a>) {
        let ty = declaration.ty;
        for declarator in &declaration.declarators {
            let name = declarator.name;
            if !declaration::register_type(ty) || !declarator.dims.is_empty() {
                let kind = ErrorKind::VariableType {
                    name: name.text.into(),
                    ty: ty.text(),
                    space: "reg",
                };
                self.errors.push(name.pos, kind);
            }
            if declarator.init.is_some() {
                let kind = ErrorKind::InitialSpace {
                    name: name.text.into(),
                };
                self.errors.push(name.pos, kind);
            }
            if declaration.linkage.is_some() {
                let kind = ErrorKind::LinkageNotAllowed {
                    name: name.text.into(),
                };
                self.errors.push(name.pos, kind);
            }
            let fresh = match declarator.range {
                Some(count) => {
                    let vector = declaration.vector;
                    self.scope.declare_range(name.text, count, ty, vector)
                }
                None => {
                    let id = self.new_register(name.text, ty, declaration.vector);
                    self.scope.declare(name.text, Meaning::Register(id))
                }
            };
            if !fresh {
                self.duplicate_variable(name);
            }
        }
    }

    pub fn error(&mut self, pos: Pos, kind: ErrorKind) {
        self.errors.push(pos, kind);
    }
}
