//! `.file`, `.loc` and `.section` (PTX ISA 9.0, 11.5).

use super::{Parser, Result};
use crate::ast::{File, Inlined, Loc, Section, SectionLine, SectionValue, SourcePlace};
use crate::ast::{Name, Number};
use crate::error::{Error, ErrorKind};
use crate::lexer::TokenKind;
use crate::types::ScalarType;

impl<'a> Parser<'a> {
    /// `.file index "name" {, timestamp, size}`
    pub(super) fn file(&mut self) -> Result<File<'a>> {
        let pos = self.bump()?.pos;
        let index = self.unsigned32()?;
        let name = self.string()?;
        let mut stamp = None;
        if self.accept_punct(",")? {
            let time = self.unsigned()?;
            self.expect_punct(",")?;
            stamp = Some((time, self.unsigned()?));
        }
        Ok(File {
            pos,
            index,
            name,
            stamp,
        })
    }

    fn place(&mut self) -> Result<SourcePlace> {
        Ok(SourcePlace {
            file: self.unsigned32()?,
            line: self.unsigned32()?,
            column: self.unsigned32()?,
        })
    }

    /// `.loc file line column {, function_name label {+ n}, inlined_at file line column}`
    pub(super) fn loc(&mut self) -> Result<Loc<'a>> {
        let pos = self.bump()?.pos;
        let place = self.place()?;
        let mut inlined = None;
        if self.accept_punct(",")? {
            self.word("function_name")?;
            let function = self.name()?;
            let offset = self.offset()?;
            self.expect_punct(",")?;
            self.word("inlined_at")?;
            let at = self.place()?;
            inlined = Some(Inlined {
                function,
                offset,
                at,
            });
        }
        Ok(Loc {
            pos,
            place,
            inlined,
        })
    }

    fn word(&mut self, text: &str) -> Result<()> {
        if self.token.kind != TokenKind::Ident || self.token.text != text {
            return self.unexpected();
        }
        self.bump()?;
        Ok(())
    }

    /// `.section name { … }`
    pub(super) fn section(&mut self) -> Result<Section<'a>> {
        let pos = self.bump()?.pos;
        let name = self.expect(TokenKind::Dot)?.text;
        self.expect_punct("{")?;
        let mut lines = Vec::new();
        while !self.at_punct("}") {
            if self.token.kind == TokenKind::Ident {
                let name = self.name()?;
                self.expect_punct(":")?;
                lines.push(SectionLine::Label(name));
                continue;
            }
            lines.push(self.section_data()?);
            self.accept_punct(";")?;
        }
        self.bump()?;
        Ok(Section { pos, name, lines })
    }

    fn section_data(&mut self) -> Result<SectionLine<'a>> {
        let ty = match self.token.kind {
            TokenKind::Dot => ScalarType::from_text(self.token.text),
            TokenKind::Ident
            | TokenKind::Number
            | TokenKind::String
            | TokenKind::Punct
            | TokenKind::End => None,
        };
        let Some(ty) = ty else {
            return self.unexpected();
        };
        self.bump()?;
        let mut values = vec![self.section_value()?];
        while self.accept_punct(",")? {
            values.push(self.section_value()?);
        }
        Ok(SectionLine::Data { ty, values })
    }

    fn section_value(&mut self) -> Result<SectionValue<'a>> {
        let section = self.token.kind == TokenKind::Dot;
        if !section && self.token.kind != TokenKind::Ident {
            return Ok(SectionValue::Number(self.constant()?));
        }
        let token = self.bump()?;
        let name = Name {
            text: token.text,
            pos: token.pos,
        };
        if self.at_punct("-") && self.lexer.peeks_name() {
            self.bump()?;
            return Ok(SectionValue::Difference(name, self.name()?));
        }
        let offset = self.offset()?;
        Ok(SectionValue::Symbol {
            name,
            section,
            offset,
        })
    }

    /// `+ 4 - 8 …`: the sum; 0 if there is none.
    pub(super) fn offset(&mut self) -> Result<i64> {
        let mut sum = 0_i64;
        loop {
            if self.accept_punct("+")? {
                sum = sum.wrapping_add(self.integer_term()?);
            } else if self.accept_punct("-")? {
                sum = sum.wrapping_sub(self.integer_term()?);
            } else {
                return Ok(sum);
            }
        }
    }

    /// An integer that binds tighter than `+`.
    pub(super) fn integer_term(&mut self) -> Result<i64> {
        let pos = self.pos();
        match self.constant_term()? {
            Number::Signed(value) => Ok(value),
            Number::Unsigned(value) => Ok(value.cast_signed()),
            Number::F32(_) | Number::F64(_) => Err(Error::new(pos, ErrorKind::ExpressionType)),
        }
    }
}
