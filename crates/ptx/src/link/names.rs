//! Every place in a syntax tree where a name stands for a symbol, register, parameter or label.

use crate::ast::{
    Base, Block, Init, Instruction, Item, Module, Name, Operand, Prototype, Statement, Variable,
};

/// Calls `visit` for every name of a module. Opcodes, selectors and the names of debugging data are none.
pub(super) fn for_each<'a>(module: &mut Module<'a>, visit: &mut impl FnMut(&mut Name<'a>)) {
    for item in &mut module.items {
        match item {
            Item::Function(function) => {
                visit(&mut function.name);
                let parameters = function.returns.iter_mut().chain(&mut function.params);
                parameters.for_each(|variable| in_variable(variable, visit));
                if let Some(body) = &mut function.body {
                    in_block(body, visit);
                }
            }
            Item::Variable(variable) => in_variable(variable, visit),
            Item::Alias { alias, aliasee } => {
                visit(alias);
                visit(aliasee);
            }
            Item::Prototype(prototype) => in_prototype(prototype, visit),
            Item::Target(_) | Item::File(_) | Item::Section(_) | Item::Pragma(_) => {}
        }
    }
}

fn in_variable<'a>(variable: &mut Variable<'a>, visit: &mut impl FnMut(&mut Name<'a>)) {
    for declarator in &mut variable.declarators {
        visit(&mut declarator.name);
        if let Some(init) = &mut declarator.init {
            in_init(init, visit);
        }
    }
}

/// Names in an initialiser.
pub(super) fn in_init<'a>(init: &mut Init<'a>, visit: &mut impl FnMut(&mut Name<'a>)) {
    match init {
        Init::Number(_) | Init::String(_) => {}
        Init::Symbol(symbol) => visit(&mut symbol.name),
        Init::List(list) => list.iter_mut().for_each(|init| in_init(init, visit)),
        // `addr_mode_0 = wrap`: words of the language.
        Init::Field(..) => {}
    }
}

fn in_prototype<'a>(prototype: &mut Prototype<'a>, visit: &mut impl FnMut(&mut Name<'a>)) {
    visit(&mut prototype.name);
    let parameters = prototype.returns.iter_mut().chain(&mut prototype.params);
    parameters.for_each(|variable| in_variable(variable, visit));
}

/// Names in a block.
pub(super) fn in_block<'a>(block: &mut Block<'a>, visit: &mut impl FnMut(&mut Name<'a>)) {
    for statement in &mut block.statements {
        match statement {
            Statement::Label(name) => visit(name),
            Statement::Variable(variable) => in_variable(variable, visit),
            Statement::Instruction(instruction) => in_instruction(instruction, visit),
            Statement::Block(block) => in_block(block, visit),
            Statement::Prototype(prototype) => in_prototype(prototype, visit),
            Statement::BranchTargets(list) | Statement::CallTargets(list) => {
                visit(&mut list.name);
                list.targets.iter_mut().for_each(&mut *visit);
            }
            Statement::Loc(_)
            | Statement::Pragma(_)
            | Statement::File(_)
            | Statement::Section(_) => {}
        }
    }
}

fn in_instruction<'a>(instruction: &mut Instruction<'a>, visit: &mut impl FnMut(&mut Name<'a>)) {
    if let Some(guard) = &mut instruction.guard {
        visit(&mut guard.predicate);
    }
    for operand in &mut instruction.operands {
        in_operand(operand, visit);
    }
}

fn in_operand<'a>(operand: &mut Operand<'a>, visit: &mut impl FnMut(&mut Name<'a>)) {
    match operand {
        Operand::Name { name, .. }
        | Operand::Negated { name, .. }
        | Operand::Offset { name, .. }
        | Operand::Not(name) => visit(name),
        Operand::Element { name, register, .. } => {
            visit(name);
            if let Some(register) = register {
                visit(register);
            }
        }
        Operand::Number { .. } | Operand::Sink(_) => {}
        Operand::Pair(first, second) => {
            in_operand(first, visit);
            in_operand(second, visit);
        }
        Operand::Memory(memory) => {
            if let Base::Name { name, .. } = &mut memory.base {
                visit(name);
            }
            memory
                .rest
                .iter_mut()
                .for_each(|operand| in_operand(operand, visit));
        }
        Operand::Vector(list, _) | Operand::List(list, _) => {
            list.iter_mut()
                .for_each(|operand| in_operand(operand, visit));
        }
    }
}
