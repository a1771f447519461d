//! Functions, kernels, prototypes and their directives (PTX ISA 9.0, 11.2 to 11.4).

use super::{Parser, Result};
use crate::ast::{
    Function, FunctionDirective, FunctionDirectiveKind, FunctionKind, Linkage, Name, Prototype,
};
use crate::lexer::TokenKind;

impl<'a> Parser<'a> {
    /// From `.entry` or `.func` on.
    pub(super) fn function(&mut self, linkage: Option<Linkage>) -> Result<Function<'a>> {
        let kind = if self.at_dot("entry") {
            FunctionKind::Entry
        } else {
            FunctionKind::Func
        };
        let pos = self.bump()?.pos;
        let mut attributes = Vec::new();
        while self.at_dot("attribute") {
            attributes.extend(self.attributes()?);
        }
        let returns = if self.at_punct("(") {
            self.parameters()?
        } else {
            Vec::new()
        };
        let name = self.name()?;
        let params = if self.at_punct("(") {
            self.parameters()?
        } else {
            Vec::new()
        };
        let directives = self.function_directives()?;
        let body = if self.at_punct("{") {
            Some(self.block()?)
        } else {
            self.expect_punct(";")?;
            None
        };
        Ok(Function {
            pos,
            linkage,
            kind,
            attributes,
            returns,
            name,
            params,
            directives,
            body,
        })
    }

    fn function_directives(&mut self) -> Result<Vec<FunctionDirective<'a>>> {
        let mut directives = Vec::new();
        while self.token.kind == TokenKind::Dot {
            let Some(kind) = FunctionDirectiveKind::from_text(self.token.text) else {
                return self.unexpected();
            };
            let pos = self.pos();
            let mut values = Vec::new();
            let mut strings = Vec::new();
            if kind == FunctionDirectiveKind::Pragma {
                strings = self.pragma()?.strings;
            } else {
                self.bump()?;
                if self.token.kind == TokenKind::Number {
                    values = self.integers()?;
                }
            }
            directives.push(FunctionDirective {
                pos,
                kind,
                values,
                strings,
            });
        }
        Ok(directives)
    }

    /// From `.callprototype` on.
    pub(super) fn prototype(&mut self, name: Name<'a>) -> Result<Prototype<'a>> {
        self.bump()?;
        let returns = if self.at_punct("(") {
            self.parameters()?
        } else {
            Vec::new()
        };
        if self.token.kind != TokenKind::Ident || self.token.text != "_" {
            return self.unexpected();
        }
        self.bump()?;
        let params = if self.at_punct("(") {
            self.parameters()?
        } else {
            Vec::new()
        };
        let directives = self.function_directives()?;
        self.expect_punct(";")?;
        Ok(Prototype {
            name,
            returns,
            params,
            directives,
        })
    }
}
