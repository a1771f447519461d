//! Instructions and operands to text.

use std::fmt::Write as _;

use super::{Printer, put};
use crate::ast::{Base, Instruction, Memory, Operand};

impl Printer {
    pub(super) fn instruction(&mut self, instruction: &Instruction<'_>) {
        if let Some(guard) = instruction.guard {
            let sign = if guard.negated { "!" } else { "" };
            put!(self, "@{sign}{} ", guard.predicate.text);
        }
        self.push(instruction.opcode.text);
        // `.unified` stands after the address.
        let (modifiers, unified) = match instruction.modifiers.as_slice() {
            [rest @ .., "unified"] if ends_in_memory(&instruction.operands) => (rest, true),
            all => (all, false),
        };
        for modifier in modifiers {
            put!(self, ".{modifier}");
        }
        for (index, operand) in instruction.operands.iter().enumerate() {
            self.push(if index == 0 { " " } else { ", " });
            self.operand(operand);
            if unified && matches!(operand, Operand::Memory(_)) {
                self.push(".unified");
            }
        }
        self.push(";");
    }

    fn selector(&mut self, selector: Option<&str>) {
        if let Some(selector) = selector {
            put!(self, ".{selector}");
        }
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        match operand {
            Operand::Name { name, selector } => {
                self.push(name.text);
                self.selector(*selector);
            }
            Operand::Negated { name, selector } => {
                put!(self, "-{}", name.text);
                self.selector(*selector);
            }
            Operand::Offset { name, offset } => put!(self, "{}{offset:+}", name.text),
            Operand::Element {
                name,
                register,
                index,
            } => {
                put!(self, "{}[", name.text);
                match register {
                    Some(register) => {
                        self.push(register.text);
                        self.offset(*index);
                    }
                    None => put!(self, "{index}"),
                }
                self.push("]");
            }
            Operand::Number { value, .. } => self.number(*value),
            Operand::Sink(_) => self.push("_"),
            Operand::Not(name) => put!(self, "!{}", name.text),
            Operand::Pair(first, second) => {
                self.operand(first);
                self.push("|");
                self.operand(second);
            }
            Operand::Memory(memory) => self.memory(memory),
            Operand::Vector(list, _) => {
                self.push("{");
                self.list(list, Self::operand);
                self.push("}");
            }
            Operand::List(list, _) => {
                self.push("(");
                self.list(list, Self::operand);
                self.push(")");
            }
        }
    }

    fn memory(&mut self, memory: &Memory<'_>) {
        self.push("[");
        match memory.base {
            Base::Name { name, selector } => {
                self.push(name.text);
                self.selector(selector);
                self.offset(memory.offset);
            }
            Base::Absolute => put!(self, "{}", memory.offset),
        }
        for operand in &memory.rest {
            self.push(", ");
            self.operand(operand);
        }
        self.push("]");
    }
}

/// Whether there is exactly one address among the operands.
fn ends_in_memory(operands: &[Operand<'_>]) -> bool {
    operands
        .iter()
        .filter(|o| matches!(o, Operand::Memory(_)))
        .count()
        == 1
}
