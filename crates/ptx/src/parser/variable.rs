//! Declarations and initialisers (PTX ISA 9.0, 5.4).

use super::{Parser, Result};
use crate::ast::{Attribute, Declarator, Init, Linkage, Number, Pointer, SymbolInit, Variable};
use crate::error::{Error, ErrorKind};
use crate::lexer::TokenKind;
use crate::limits;
use crate::types::{ScalarType, VectorWidth};

impl<'a> Parser<'a> {
    /// A declaration with its semicolon.
    pub(super) fn declaration(&mut self, linkage: Option<Linkage>) -> Result<Variable<'a>> {
        let mut variable = self.variable_head(linkage)?;
        loop {
            let mut declarator = self.declarator()?;
            if self.accept_punct("=")? {
                declarator.init = Some(self.init()?);
            }
            variable.declarators.push(declarator);
            if !self.accept_punct(",")? {
                break;
            }
        }
        self.expect_punct(";")?;
        Ok(variable)
    }

    /// `( … )` of parameters.
    pub(super) fn parameters(&mut self) -> Result<Vec<Variable<'a>>> {
        self.expect_punct("(")?;
        let mut params = Vec::new();
        while !self.at_punct(")") {
            if !params.is_empty() {
                self.expect_punct(",")?;
            }
            let mut param = self.variable_head(None)?;
            param.declarators.push(self.declarator()?);
            params.push(param);
        }
        self.bump()?;
        Ok(params)
    }

    /// State space, alignment, vector and type, in the orders that compilers write.
    fn variable_head(&mut self, linkage: Option<Linkage>) -> Result<Variable<'a>> {
        let pos = self.pos();
        let Some(space) = self.space() else {
            return self.unexpected();
        };
        self.bump()?;
        let mut bank = None;
        if self.accept_punct("[")? {
            bank = Some(self.unsigned32()?);
            self.expect_punct("]")?;
        }
        let mut variable = Variable {
            pos,
            linkage,
            space,
            bank,
            attributes: Vec::new(),
            align: None,
            vector: None,
            ty: ScalarType::B8,
            pointer: None,
            declarators: Vec::new(),
        };
        let mut ty = None;
        while self.token.kind == TokenKind::Dot {
            match self.token.text {
                "align" if variable.align.is_none() => {
                    self.bump()?;
                    variable.align = Some(self.unsigned32()?);
                }
                "attribute" => variable.attributes.extend(self.attributes()?),
                "ptr" if variable.pointer.is_none() => variable.pointer = Some(self.pointer()?),
                text => {
                    if let (None, Some(width)) = (variable.vector, VectorWidth::from_text(text)) {
                        variable.vector = Some(width);
                    } else if let (None, Some(found)) = (ty, ScalarType::from_text(text)) {
                        ty = Some(found);
                    } else {
                        return self.unexpected();
                    }
                    self.bump()?;
                }
            }
        }
        match ty {
            Some(ty) => variable.ty = ty,
            None => return self.unexpected(),
        }
        Ok(variable)
    }

    /// `.ptr {.space} {.align n}`
    fn pointer(&mut self) -> Result<Pointer> {
        self.bump()?;
        let space = self.space();
        if space.is_some() {
            self.bump()?;
        }
        let mut align = None;
        if self.at_dot("align") {
            self.bump()?;
            align = Some(self.unsigned32()?);
        }
        Ok(Pointer { space, align })
    }

    /// `.attribute(.managed, .unified(1, 2))`
    pub(super) fn attributes(&mut self) -> Result<Vec<Attribute<'a>>> {
        self.bump()?;
        self.expect_punct("(")?;
        let mut attributes = Vec::new();
        loop {
            let token = self.expect(TokenKind::Dot)?;
            let name = crate::ast::Name {
                text: token.text,
                pos: token.pos,
            };
            let mut values = Vec::new();
            if self.accept_punct("(")? {
                values.push(self.unsigned()?);
                while self.accept_punct(",")? {
                    values.push(self.unsigned()?);
                }
                self.expect_punct(")")?;
            }
            attributes.push(Attribute { name, values });
            if !self.accept_punct(",")? {
                break;
            }
        }
        self.expect_punct(")")?;
        Ok(attributes)
    }

    /// `name`, `name<n>`, `name[2][]`
    fn declarator(&mut self) -> Result<Declarator<'a>> {
        let name = self.name()?;
        let mut declarator = Declarator {
            name,
            range: None,
            dims: Vec::new(),
            init: None,
        };
        if self.accept_punct("<")? {
            // Not a whole expression: it would take the `>`.
            let pos = self.pos();
            let value = self.integer_term()?;
            let count = u32::try_from(value).map_err(|_| {
                let number = value.to_string();
                Error::new(pos, ErrorKind::NumberRange { number })
            })?;
            declarator.range = Some(count);
            self.expect_punct(">")?;
        }
        while self.at_punct("[") {
            if declarator.dims.len() >= limits::MAX_DIMS {
                return self.unexpected();
            }
            self.bump()?;
            let dim = if self.at_punct("]") {
                None
            } else {
                Some(self.unsigned()?)
            };
            self.expect_punct("]")?;
            declarator.dims.push(dim);
        }
        Ok(declarator)
    }

    fn init(&mut self) -> Result<Init<'a>> {
        if self.token.kind == TokenKind::String {
            return Ok(Init::String(self.string()?));
        }
        if self.accept_punct("{")? {
            let list = self.nested(|p| {
                let mut list = Vec::new();
                while !p.at_punct("}") {
                    list.push(p.init()?);
                    if !p.accept_punct(",")? {
                        break;
                    }
                }
                Ok(list)
            })?;
            self.expect_punct("}")?;
            return Ok(Init::List(list));
        }
        if self.token.kind == TokenKind::Ident && self.token.text != "WARP_SZ" {
            let symbol = self.symbol_init(None)?;
            if self.accept_punct("=")? {
                let value = self.nested(Self::init)?;
                return Ok(Init::Field(symbol.name, Box::new(value)));
            }
            return Ok(Init::Symbol(symbol));
        }
        let pos = self.pos();
        let value = self.constant()?;
        if !self.accept_punct("(")? {
            return Ok(Init::Number(value));
        }
        let mask = match value {
            Number::Signed(value) => value.cast_unsigned(),
            Number::Unsigned(value) => value,
            Number::F32(_) | Number::F64(_) => {
                return Err(Error::new(pos, ErrorKind::ExpressionType));
            }
        };
        let symbol = self.symbol_init(Some(mask))?;
        self.expect_punct(")")?;
        Ok(Init::Symbol(symbol))
    }

    /// `name + 8` or `generic(name) + 8`
    fn symbol_init(&mut self, mask: Option<u64>) -> Result<SymbolInit<'a>> {
        let mut name = self.name()?;
        let mut offset = 0;
        let generic = name.text == "generic" && self.accept_punct("(")?;
        if generic {
            name = self.name()?;
            offset = self.offset()?;
            self.expect_punct(")")?;
        }
        let offset = self.offset()?.wrapping_add(offset);
        Ok(SymbolInit {
            name,
            offset,
            generic,
            mask,
        })
    }
}
