//! Operands (PTX ISA 9.0, chapter 6).

use super::{Parser, Result};
use crate::ast::{Base, Memory, Name, Operand};
use crate::error::{Error, ErrorKind};
use crate::lexer::TokenKind;
use crate::limits;
use crate::pos::Pos;

impl<'a> Parser<'a> {
    /// One operand. In a call, parentheses hold a list of parameters.
    pub(super) fn operand(&mut self, call: bool) -> Result<Operand<'a>> {
        let pos = self.pos();
        match (self.token.kind, self.token.text) {
            (TokenKind::Ident, text) if text != "WARP_SZ" => self.name_operand(),
            (TokenKind::Punct, "[") => self.memory(),
            (TokenKind::Punct, "{") => {
                self.bump()?;
                let list = self.nested(|p| p.operands_until("}"))?;
                Ok(Operand::Vector(list, pos))
            }
            (TokenKind::Punct, "(") if call => {
                self.bump()?;
                let list = self.nested(|p| p.operands_until(")"))?;
                Ok(Operand::List(list, pos))
            }
            (TokenKind::Punct, "!" | "-") => {
                let sign = self.token.text;
                self.sign_operand(sign)
            }
            _ => self.number(pos),
        }
    }

    fn number(&mut self, pos: Pos) -> Result<Operand<'a>> {
        let value = self.constant()?;
        Ok(Operand::Number { value, pos })
    }

    /// `!p`, `-%r1` or a number with a sign.
    fn sign_operand(&mut self, sign: &str) -> Result<Operand<'a>> {
        let pos = self.pos();
        if self.lexer.peeks_name() {
            self.bump()?;
            let name = self.name()?;
            if sign == "!" {
                return Ok(Operand::Not(name));
            }
            let selector = self.selector()?;
            return Ok(Operand::Negated { name, selector });
        }
        self.number(pos)
    }

    /// Operands up to the closing bracket, which is taken.
    fn operands_until(&mut self, close: &str) -> Result<Vec<Operand<'a>>> {
        let mut list = Vec::new();
        while !self.at_punct(close) {
            if list.len() >= limits::MAX_OPERANDS {
                let limit = limits::MAX_OPERANDS;
                return Err(Error::new(self.pos(), ErrorKind::TooManyOperands { limit }));
            }
            if !list.is_empty() {
                self.expect_punct(",")?;
            }
            list.push(self.operand(false)?);
        }
        self.bump()?;
        Ok(list)
    }

    fn selector(&mut self) -> Result<Option<&'a str>> {
        if self.token.kind != TokenKind::Dot {
            return Ok(None);
        }
        Ok(Some(self.bump()?.text))
    }

    /// What starts with a name, and `|` after it.
    fn name_operand(&mut self) -> Result<Operand<'a>> {
        let first = self.single_name()?;
        if !self.accept_punct("|")? {
            return Ok(first);
        }
        let second = self.single_name()?;
        Ok(Operand::Pair(Box::new(first), Box::new(second)))
    }

    fn single_name(&mut self) -> Result<Operand<'a>> {
        let name = self.name()?;
        if name.text == "_" {
            return Ok(Operand::Sink(name.pos));
        }
        if self.token.kind == TokenKind::Punct {
            match self.token.text {
                "," | ";" => {}
                "+" | "-" => {
                    let offset = self.offset()?;
                    return Ok(Operand::Offset { name, offset });
                }
                "[" => return self.element(name),
                _ => {}
            }
        }
        let selector = self.selector()?;
        Ok(Operand::Name { name, selector })
    }

    /// After `array`: `[4]`, `[%r1]`, `[%r1+4]`.
    fn element(&mut self, name: Name<'a>) -> Result<Operand<'a>> {
        self.bump()?;
        let mut register = None;
        let index = if self.token.kind == TokenKind::Ident && self.token.text != "WARP_SZ" {
            register = Some(self.name()?);
            self.offset()?
        } else {
            let first = self.integer_term()?;
            first.wrapping_add(self.offset()?)
        };
        self.expect_punct("]")?;
        Ok(Operand::Element {
            name,
            register,
            index,
        })
    }

    /// `[base + offset, …]`
    fn memory(&mut self) -> Result<Operand<'a>> {
        let pos = self.bump()?.pos;
        let (base, offset) = if self.token.kind == TokenKind::Ident && self.token.text != "WARP_SZ"
        {
            let name = self.name()?;
            let selector = self.selector()?;
            (Base::Name { name, selector }, self.offset()?)
        } else {
            let first = self.integer_term()?;
            (Base::Absolute, first.wrapping_add(self.offset()?))
        };
        let mut rest = Vec::new();
        if self.accept_punct(",")? {
            if self.at_punct("]") {
                return self.unexpected();
            }
            rest = self.nested(|p| p.operands_until("]"))?;
        } else {
            self.expect_punct("]")?;
        }
        Ok(Operand::Memory(Memory {
            pos,
            base,
            offset,
            rest,
        }))
    }
}
