//! Numbers and constant expressions, folded as they are read (PTX ISA 9.0, 4.5).

use super::{Parser, Result};
use crate::ast::Number;
use crate::error::{Error, ErrorKind};
use crate::lexer::{Token, TokenKind};
use crate::pos::Pos;

/// Binding strength of binary operators; the conditional operator binds weakest, at 1.
fn strength(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 2,
        "&&" => 3,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "==" | "!=" => 7,
        "<" | "<=" | ">" | ">=" => 8,
        "<<" | ">>" => 9,
        "+" | "-" => 10,
        "*" | "/" | "%" => 11,
        _ => return None,
    })
}

impl Parser<'_> {
    /// A constant expression.
    pub(super) fn constant(&mut self) -> Result<Number> {
        let value = self.binary(2)?;
        if !self.accept_punct("?")? {
            return Ok(value);
        }
        let yes = self.nested(Self::constant)?;
        self.expect_punct(":")?;
        let no = self.nested(Self::constant)?;
        Ok(if truth(value) { yes } else { no })
    }

    /// What binds tighter than `+` and `-`.
    pub(super) fn constant_term(&mut self) -> Result<Number> {
        self.binary(11)
    }

    fn binary(&mut self, weakest: u8) -> Result<Number> {
        let mut left = self.unary()?;
        while self.token.kind == TokenKind::Punct {
            let Some(level) = strength(self.token.text).filter(|level| *level >= weakest) else {
                break;
            };
            let operator = self.bump()?;
            let right = self.nested(|p| p.binary(level + 1))?;
            left =
                apply(operator.text, left, right).map_err(|kind| Error::new(operator.pos, kind))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Number> {
        let token = self.token;
        match (token.kind, token.text) {
            (TokenKind::Number, _) => {
                self.bump()?;
                number(token)
            }
            // `.5` reaches the parser as a dotted word.
            (TokenKind::Dot, text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                self.bump()?;
                decimal(token, &format!("0.{text}"))
            }
            (TokenKind::Ident, "WARP_SZ") => {
                self.bump()?;
                Ok(Number::Signed(32))
            }
            (TokenKind::Punct, "-") => {
                self.bump()?;
                let pos = self.pos();
                negate(self.nested(Self::unary)?).map_err(|kind| Error::new(pos, kind))
            }
            (TokenKind::Punct, "+") => {
                self.bump()?;
                self.nested(Self::unary)
            }
            (TokenKind::Punct, "!") => {
                self.bump()?;
                let value = self.nested(Self::unary)?;
                Ok(Number::Signed(i64::from(!truth(value))))
            }
            (TokenKind::Punct, "~") => {
                self.bump()?;
                let pos = self.pos();
                match self.nested(Self::unary)? {
                    Number::Signed(value) => Ok(Number::Signed(!value)),
                    Number::Unsigned(value) => Ok(Number::Unsigned(!value)),
                    Number::F32(_) | Number::F64(_) => {
                        Err(Error::new(pos, ErrorKind::ExpressionType))
                    }
                }
            }
            (TokenKind::Punct, "(") => {
                self.bump()?;
                self.parenthesis()
            }
            _ => self.unexpected(),
        }
    }

    /// After `(`: a cast or an expression.
    fn parenthesis(&mut self) -> Result<Number> {
        for (name, unsigned) in [("s64", false), ("u64", true)] {
            if !self.at_dot(name) {
                continue;
            }
            self.bump()?;
            self.expect_punct(")")?;
            let pos = self.pos();
            return match (self.nested(Self::unary)?, unsigned) {
                (Number::Signed(value), true) => Ok(Number::Unsigned(value.cast_unsigned())),
                (Number::Unsigned(value), false) => Ok(Number::Signed(value.cast_signed())),
                (Number::F32(_) | Number::F64(_), _) => {
                    Err(Error::new(pos, ErrorKind::ExpressionType))
                }
                (value, _) => Ok(value),
            };
        }
        let value = self.nested(Self::constant)?;
        self.expect_punct(")")?;
        Ok(value)
    }
}

/// Whether a constant counts as true.
fn truth(value: Number) -> bool {
    match value {
        Number::Signed(value) => value != 0,
        Number::Unsigned(value) => value != 0,
        Number::F32(bits) => f32::from_bits(bits) != 0.0,
        Number::F64(bits) => f64::from_bits(bits) != 0.0,
    }
}

fn negate(value: Number) -> std::result::Result<Number, ErrorKind> {
    Ok(match value {
        Number::Signed(value) => Number::Signed(value.wrapping_neg()),
        // `-9223372036854775808` is the least signed number, though its digits are an unsigned one.
        Number::Unsigned(0x8000_0000_0000_0000) => Number::Signed(i64::MIN),
        Number::Unsigned(value) => Number::Unsigned(value.wrapping_neg()),
        Number::F32(bits) => Number::F32(bits ^ 0x8000_0000),
        Number::F64(bits) => Number::F64(bits ^ 0x8000_0000_0000_0000),
    })
}

fn apply(operator: &str, left: Number, right: Number) -> std::result::Result<Number, ErrorKind> {
    match (left, right) {
        (Number::Signed(a), Number::Signed(b)) => signed(operator, a, b),
        (Number::Signed(a), Number::Unsigned(b)) => unsigned(operator, a.cast_unsigned(), b),
        (Number::Unsigned(a), Number::Signed(b)) => unsigned(operator, a, b.cast_unsigned()),
        (Number::Unsigned(a), Number::Unsigned(b)) => unsigned(operator, a, b),
        (Number::F64(a), Number::F64(b)) => float(operator, f64::from_bits(a), f64::from_bits(b)),
        (Number::F32(_), _) | (_, Number::F32(_)) | (Number::F64(_), _) | (_, Number::F64(_)) => {
            Err(ErrorKind::ExpressionType)
        }
    }
}

fn flag(value: bool) -> Number {
    Number::Signed(i64::from(value))
}

/// A shift count, where it is less than the width.
fn count(value: u64) -> Option<u32> {
    u32::try_from(value).ok().filter(|count| *count < 64)
}

fn signed(operator: &str, a: i64, b: i64) -> std::result::Result<Number, ErrorKind> {
    let shift = count(b.cast_unsigned());
    Ok(Number::Signed(match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return Err(ErrorKind::DivisionByZero),
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        "<<" => shift.map_or(0, |n| a << n),
        ">>" => a >> shift.unwrap_or(63),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        _ => return compare(operator, &a, &b, a != 0, b != 0),
    }))
}

fn unsigned(operator: &str, a: u64, b: u64) -> std::result::Result<Number, ErrorKind> {
    let shift = count(b);
    Ok(Number::Unsigned(match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return Err(ErrorKind::DivisionByZero),
        "/" => a / b,
        "%" => a % b,
        "<<" => shift.map_or(0, |n| a << n),
        ">>" => shift.map_or(0, |n| a >> n),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        _ => return compare(operator, &a, &b, a != 0, b != 0),
    }))
}

fn float(operator: &str, a: f64, b: f64) -> std::result::Result<Number, ErrorKind> {
    let value = match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => return compare(operator, &a, &b, a != 0.0, b != 0.0),
    };
    Ok(Number::F64(value.to_bits()))
}

fn compare<T: PartialOrd>(
    operator: &str,
    a: &T,
    b: &T,
    a_true: bool,
    b_true: bool,
) -> std::result::Result<Number, ErrorKind> {
    Ok(flag(match operator {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "&&" => a_true && b_true,
        "||" => a_true || b_true,
        _ => return Err(ErrorKind::ExpressionType),
    }))
}

/// A number's value.
fn number(token: Token<'_>) -> Result<Number> {
    let text = token.text;
    let bytes = text.as_bytes();
    match bytes {
        [b'0', b'f' | b'F', digits @ ..] if digits.len() == 8 => hex(token, 2)
            .and_then(|bits| u32::try_from(bits).map_err(|_| bad(token.pos, text)))
            .map(Number::F32),
        [b'0', b'd' | b'D', digits @ ..] if digits.len() == 16 => hex(token, 2).map(Number::F64),
        [b'0', b'f' | b'F' | b'd' | b'D', ..] => Err(Error::syntax(token.pos, &text[1..])),
        [b'0', b'x' | b'X', ..] => integer(token, 2, 16),
        [b'0', b'b' | b'B', ..] => integer(token, 2, 2),
        _ if bytes.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) => decimal(token, text),
        [b'0', b'0'..=b'9', ..] => integer(token, 1, 8),
        _ => integer(token, 0, 10),
    }
}

fn bad(pos: Pos, text: &str) -> Error {
    Error::syntax(pos, text)
}

fn hex(token: Token<'_>, from: usize) -> Result<u64> {
    let digits = &token.text[from..];
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(bad(token.pos, &token.text[1..]));
    }
    u64::from_str_radix(digits, 16).map_err(|_| bad(token.pos, token.text))
}

/// An integer; unsigned with suffix `U`, or where it is too large for the signed type.
fn integer(token: Token<'_>, from: usize, radix: u32) -> Result<Number> {
    let digits = &token.text[from..];
    let stripped = digits.strip_suffix(['U', 'u']);
    let digits = stripped.unwrap_or(digits);
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(bad(token.pos, &token.text[from.min(1)..]));
    }
    let Ok(value) = u64::from_str_radix(digits, radix) else {
        let number = token.text.chars().take(64).collect();
        return Err(Error::new(token.pos, ErrorKind::NumberRange { number }));
    };
    Ok(match i64::try_from(value) {
        Ok(value) if stripped.is_none() => Number::Signed(value),
        _ => Number::Unsigned(value),
    })
}

fn decimal(token: Token<'_>, text: &str) -> Result<Number> {
    match text.parse::<f64>() {
        Ok(value) => Ok(Number::F64(value.to_bits())),
        Err(_) => Err(bad(token.pos, token.text)),
    }
}
