//! Bodies: labels, declarations, instructions, nested scopes.

use super::{Parser, Result};
use crate::ast::{Block, Guard, Instruction, Name, Operand, Statement, TargetList};
use crate::error::{Error, ErrorKind};
use crate::lexer::TokenKind;
use crate::limits;

impl<'a> Parser<'a> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Result<Block<'a>> {
        let pos = self.expect_punct("{")?;
        let statements = self.nested(|p| {
            let mut statements = Vec::new();
            while !p.at_punct("}") {
                if !p.accept_punct(";")? {
                    statements.push(p.statement()?);
                }
            }
            Ok(statements)
        })?;
        let end = self.bump()?.pos;
        Ok(Block {
            pos,
            statements,
            end,
        })
    }

    fn statement(&mut self) -> Result<Statement<'a>> {
        match (self.token.kind, self.token.text) {
            (TokenKind::Ident, _) => {
                let name = self.name()?;
                if self.accept_punct(":")? {
                    return self.labelled(name);
                }
                self.instruction(None, name)
            }
            (TokenKind::Punct, "@") => {
                self.bump()?;
                let negated = self.accept_punct("!")?;
                let predicate = self.name()?;
                let opcode = self.name()?;
                self.instruction(Some(Guard { predicate, negated }), opcode)
            }
            (TokenKind::Punct, "{") => Ok(Statement::Block(self.block()?)),
            (TokenKind::Dot, "loc") => Ok(Statement::Loc(self.loc()?)),
            (TokenKind::Dot, "pragma") => Ok(Statement::Pragma(self.pragma()?)),
            (TokenKind::Dot, "file") => Ok(Statement::File(self.file()?)),
            (TokenKind::Dot, "section") => Ok(Statement::Section(self.section()?)),
            (TokenKind::Dot, _) => {
                let linkage = self.linkage()?;
                Ok(Statement::Variable(self.declaration(linkage)?))
            }
            _ => self.unexpected(),
        }
    }

    /// After `name:`.
    fn labelled(&mut self, name: Name<'a>) -> Result<Statement<'a>> {
        if self.token.kind != TokenKind::Dot {
            return Ok(Statement::Label(name));
        }
        match self.token.text {
            "callprototype" => Ok(Statement::Prototype(self.prototype(name)?)),
            "branchtargets" => Ok(Statement::BranchTargets(self.target_list(name)?)),
            "calltargets" => Ok(Statement::CallTargets(self.target_list(name)?)),
            _ => Ok(Statement::Label(name)),
        }
    }

    fn target_list(&mut self, name: Name<'a>) -> Result<TargetList<'a>> {
        self.bump()?;
        let mut targets = vec![self.name()?];
        while self.accept_punct(",")? {
            targets.push(self.name()?);
        }
        self.expect_punct(";")?;
        Ok(TargetList { name, targets })
    }

    /// After the opcode's first word.
    fn instruction(&mut self, guard: Option<Guard<'a>>, opcode: Name<'a>) -> Result<Statement<'a>> {
        let pos = guard.map_or(opcode.pos, |guard| guard.predicate.pos);
        let mut modifiers = Vec::new();
        while self.token.kind == TokenKind::Dot {
            if modifiers.len() >= limits::MAX_OPERANDS {
                return self.unexpected();
            }
            modifiers.push(self.bump()?.text);
        }
        let mut operands = Vec::new();
        while !self.at_punct(";") {
            if operands.len() >= limits::MAX_OPERANDS {
                let limit = limits::MAX_OPERANDS;
                return Err(Error::new(self.pos(), ErrorKind::TooManyOperands { limit }));
            }
            if !operands.is_empty() {
                self.expect_punct(",")?;
            }
            let operand = self.operand(opcode.text == "call")?;
            // `ld.global.f32 d, [a].unified`
            if matches!(operand, Operand::Memory(_)) && self.at_dot("unified") {
                modifiers.push(self.bump()?.text);
            }
            operands.push(operand);
        }
        self.bump()?;
        Ok(Statement::Instruction(Instruction {
            pos,
            guard,
            opcode,
            modifiers,
            operands,
        }))
    }
}
