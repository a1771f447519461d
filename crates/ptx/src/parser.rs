//! Tokens to syntax tree: recursive descent over PTX ISA 9.0's grammar.
//!
//! The first syntax error ends the parse, as in ptxas. Everything that takes a name's meaning to
//! judge (opcodes, modifiers, symbols, types) is left to [`crate::check`].

mod debug;
mod expression;
mod function;
mod operand;
mod statement;
mod variable;

use crate::ast::{Item, Linkage, Module, Name, Number, Pragma, Version};
use crate::error::{Error, ErrorKind};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::limits;
use crate::pos::Pos;
use crate::types::StateSpace;

type Result<T> = std::result::Result<T, Error>;

/// Parses a whole module.
pub(crate) fn parse_module(text: &str) -> Result<Module<'_>> {
    Parser::new(text)?.module()
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The token not yet taken.
    token: Token<'a>,
    /// How many nested constructs are open.
    depth: u32,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        Ok(Self {
            lexer,
            token,
            depth: 0,
        })
    }

    // Tokens.

    fn pos(&self) -> Pos {
        self.token.pos
    }

    /// Takes the current token.
    fn bump(&mut self) -> Result<Token<'a>> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// The error that the current token is not what the grammar wants here.
    fn unexpected<T>(&self) -> Result<T> {
        let near = match self.token.kind {
            TokenKind::Dot => format!(".{}", self.token.text),
            TokenKind::String => format!("\"{}\"", self.token.text),
            TokenKind::Ident | TokenKind::Number | TokenKind::Punct | TokenKind::End => {
                self.token.text.to_owned()
            }
        };
        Err(Error::syntax(self.token.pos, &near))
    }

    fn at_punct(&self, text: &str) -> bool {
        self.token.kind == TokenKind::Punct && self.token.text == text
    }

    fn at_dot(&self, text: &str) -> bool {
        self.token.kind == TokenKind::Dot && self.token.text == text
    }

    fn accept_punct(&mut self, text: &str) -> Result<bool> {
        let found = self.at_punct(text);
        if found {
            self.bump()?;
        }
        Ok(found)
    }

    fn expect_punct(&mut self, text: &str) -> Result<Pos> {
        if !self.at_punct(text) {
            return self.unexpected();
        }
        Ok(self.bump()?.pos)
    }

    fn expect(&mut self, kind: TokenKind) -> Result<Token<'a>> {
        if self.token.kind != kind {
            return self.unexpected();
        }
        self.bump()
    }

    fn name(&mut self) -> Result<Name<'a>> {
        let token = self.expect(TokenKind::Ident)?;
        Ok(Name {
            text: token.text,
            pos: token.pos,
        })
    }

    fn string(&mut self) -> Result<&'a str> {
        Ok(self.expect(TokenKind::String)?.text)
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= limits::MAX_DEPTH {
            return Err(Error::new(self.pos(), ErrorKind::TooDeep));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    // Integers.

    fn unsigned(&mut self) -> Result<u64> {
        let pos = self.pos();
        match self.constant()? {
            Number::Unsigned(value) => Ok(value),
            Number::Signed(value) => u64::try_from(value).map_err(|_| {
                let number = value.to_string();
                Error::new(pos, ErrorKind::NumberRange { number })
            }),
            Number::F32(_) | Number::F64(_) => Err(Error::new(pos, ErrorKind::ExpressionType)),
        }
    }

    fn unsigned32(&mut self) -> Result<u32> {
        let pos = self.pos();
        let value = self.unsigned()?;
        u32::try_from(value).map_err(|_| {
            let number = value.to_string();
            Error::new(pos, ErrorKind::NumberRange { number })
        })
    }

    /// `a, b, c` of integers.
    fn integers(&mut self) -> Result<Vec<u32>> {
        let mut values = vec![self.unsigned32()?];
        while self.accept_punct(",")? {
            if values.len() >= limits::MAX_DIMS {
                return self.unexpected();
            }
            values.push(self.unsigned32()?);
        }
        Ok(values)
    }

    // The module.

    fn module(mut self) -> Result<Module<'a>> {
        let version = self.version()?;
        if !self.at_dot("target") {
            return Err(Error::new(self.pos(), ErrorKind::MissingTarget));
        }
        let target = self.target()?;
        let mut address_size = None;
        let mut items = Vec::new();
        while self.token.kind != TokenKind::End {
            if self.at_dot("address_size") && address_size.is_none() {
                self.bump()?;
                address_size = Some(self.unsigned32()?);
            } else if !self.accept_punct(";")? {
                items.push(self.item()?);
            }
        }
        Ok(Module {
            version,
            target,
            address_size,
            items,
        })
    }

    fn version(&mut self) -> Result<Version> {
        if !self.at_dot("version") {
            return Err(Error::new(self.pos(), ErrorKind::MissingVersion));
        }
        let pos = self.bump()?.pos;
        let token = self.expect(TokenKind::Number)?;
        let parts = token.text.split_once('.');
        let parsed = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let Some((major, minor)) = parsed else {
            return Err(Error::syntax(token.pos, token.text));
        };
        Ok(Version { pos, major, minor })
    }

    /// `.target a, b, …`
    fn target(&mut self) -> Result<Vec<Name<'a>>> {
        self.bump()?;
        let mut names = vec![self.name()?];
        while self.accept_punct(",")? {
            names.push(self.name()?);
        }
        Ok(names)
    }

    fn item(&mut self) -> Result<Item<'a>> {
        if self.token.kind == TokenKind::Ident {
            let name = self.name()?;
            self.expect_punct(":")?;
            if !self.at_dot("callprototype") {
                return self.unexpected();
            }
            return Ok(Item::Prototype(self.prototype(name)?));
        }
        if self.token.kind != TokenKind::Dot {
            return self.unexpected();
        }
        match self.token.text {
            "target" => Ok(Item::Target(self.target()?)),
            "file" => Ok(Item::File(self.file()?)),
            "section" => Ok(Item::Section(self.section()?)),
            "pragma" => Ok(Item::Pragma(self.pragma()?)),
            "alias" => {
                self.bump()?;
                let alias = self.name()?;
                self.expect_punct(",")?;
                let aliasee = self.name()?;
                self.expect_punct(";")?;
                Ok(Item::Alias { alias, aliasee })
            }
            _ => {
                let linkage = self.linkage()?;
                if self.at_dot("entry") || self.at_dot("func") {
                    return Ok(Item::Function(Box::new(self.function(linkage)?)));
                }
                Ok(Item::Variable(self.declaration(linkage)?))
            }
        }
    }

    fn linkage(&mut self) -> Result<Option<Linkage>> {
        if self.token.kind != TokenKind::Dot {
            return Ok(None);
        }
        let linkage = match self.token.text {
            "extern" => Linkage::Extern,
            "visible" => Linkage::Visible,
            "weak" => Linkage::Weak,
            "common" => Linkage::Common,
            _ => return Ok(None),
        };
        self.bump()?;
        Ok(Some(linkage))
    }

    /// `.pragma "…", …;`
    fn pragma(&mut self) -> Result<Pragma<'a>> {
        let pos = self.bump()?.pos;
        let mut strings = vec![self.string()?];
        while self.accept_punct(",")? {
            strings.push(self.string()?);
        }
        self.expect_punct(";")?;
        Ok(Pragma { pos, strings })
    }

    /// The state space that the current token names, where variables can live in it.
    fn space(&self) -> Option<StateSpace> {
        if self.token.kind != TokenKind::Dot {
            return None;
        }
        StateSpace::from_text(self.token.text)
    }
}
