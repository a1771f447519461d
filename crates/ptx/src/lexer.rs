//! Text to tokens (PTX ISA 9.0, chapter 4).

use crate::error::{Error, ErrorKind};
use crate::pos::Pos;

/// What kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier, also with `%`, or `_`.
    Ident,
    /// `.name`, `.name::part`: the text is without the first dot.
    Dot,
    /// A number: not yet converted.
    Number,
    /// `"…"`: the text is without quotes.
    String,
    /// An operator or bracket of one or two characters.
    Punct,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub pos: Pos,
}

/// Reads tokens one by one.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
}

/// Operators of two characters.
const PAIRS: [&[u8; 2]; 8] = [b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||"];

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            line_start: 0,
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        // A NUL ends the text: images come as C strings and padded to a multiple of eight.
        self.text
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    fn pos(&self) -> Pos {
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX - 1);
        Pos::new(self.line, column + 1)
    }

    fn newline(&mut self) {
        self.line = self.line.saturating_add(1);
        self.line_start = self.at + 1;
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        while accept(self.byte(0)) {
            self.at += 1;
        }
    }

    /// Skips blanks and comments.
    fn skip_blanks(&mut self) -> Result<(), Error> {
        loop {
            match self.byte(0) {
                b'\n' => {
                    self.newline();
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => self.at += 1,
                b'/' if self.byte(1) == b'/' => {
                    let rest = &self.text.as_bytes()[self.at..];
                    self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                b'/' if self.byte(1) == b'*' => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Error> {
        let start = self.pos();
        self.at += 2;
        loop {
            match self.byte(0) {
                b'*' if self.byte(1) == b'/' => {
                    self.at += 2;
                    return Ok(());
                }
                b'\n' => self.newline(),
                0 if self.at >= self.text.len() => {
                    return Err(Error::new(start, ErrorKind::UnexpectedEnd));
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// The next token.
    pub fn next(&mut self) -> Result<Token<'a>, Error> {
        self.skip_blanks()?;
        let pos = self.pos();
        let start = self.at;
        let (kind, from, to) = match self.byte(0) {
            0 => (TokenKind::End, start, start),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                self.skip_while(is_name_byte);
                (TokenKind::Ident, start, self.at)
            }
            b'%' if is_name_byte(self.byte(1)) => {
                self.at += 1;
                self.skip_while(is_name_byte);
                (TokenKind::Ident, start, self.at)
            }
            b'0'..=b'9' => {
                self.number();
                (TokenKind::Number, start, self.at)
            }
            b'.' if is_name_byte(self.byte(1)) => {
                self.dotted();
                (TokenKind::Dot, start + 1, self.at)
            }
            b'"' => {
                self.string(pos)?;
                (TokenKind::String, start + 1, self.at - 1)
            }
            byte if byte.is_ascii_punctuation() => {
                let pair = [byte, self.byte(1)];
                self.at += if PAIRS.contains(&&pair) { 2 } else { 1 };
                (TokenKind::Punct, start, self.at)
            }
            _ => {
                let bad = self.text[start..].chars().next().unwrap_or('\u{fffd}');
                return Err(Error::syntax(pos, &bad.to_string()));
            }
        };
        Ok(Token {
            kind,
            text: &self.text[from..to],
            pos,
        })
    }

    /// Whether a name follows (on the same line), other than the constant `WARP_SZ`.
    pub fn peeks_name(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let rest = rest.trim_start_matches([' ', '\t']);
        let first = rest.bytes().next().unwrap_or(0);
        let word = first.is_ascii_alphabetic() || matches!(first, b'_' | b'$' | b'%');
        word && !rest.starts_with("WARP_SZ")
    }

    /// The rest of a number's characters: digits, letters of a base or suffix, and for decimals a
    /// fraction and an exponent.
    fn number(&mut self) {
        let decimal = !matches!(
            (self.byte(0), self.byte(1)),
            (b'0', b'x' | b'X' | b'b' | b'B' | b'f' | b'F' | b'd' | b'D')
        );
        if !decimal {
            self.skip_while(|b| b.is_ascii_alphanumeric());
            return;
        }
        self.skip_while(|b| b.is_ascii_digit());
        if self.byte(0) == b'.' {
            self.at += 1;
            self.skip_while(|b| b.is_ascii_digit());
        }
        let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
        if matches!(self.byte(0), b'e' | b'E') && self.byte(1 + sign).is_ascii_digit() {
            self.at += 1 + sign;
        }
        self.skip_while(|b| b.is_ascii_alphanumeric());
    }

    /// `.name` with any number of `::part`; also `.5` and `.5e-3`, which numbers take apart.
    fn dotted(&mut self) {
        self.at += 1;
        let start = self.at;
        self.skip_while(is_name_byte);
        while self.byte(0) == b':' && self.byte(1) == b':' && is_name_byte(self.byte(2)) {
            self.at += 2;
            self.skip_while(is_name_byte);
        }
        let text = &self.text.as_bytes()[start..self.at];
        let exponent =
            matches!(text, [digits @ .., b'e' | b'E'] if digits.iter().all(u8::is_ascii_digit));
        if exponent && matches!(self.byte(0), b'+' | b'-') && text.len() > 1 {
            self.at += 1;
            self.skip_while(|b| b.is_ascii_digit());
        }
    }

    /// `"…"` on one line. There are no escapes: a backslash is a backslash.
    fn string(&mut self, pos: Pos) -> Result<(), Error> {
        self.at += 1;
        loop {
            match self.byte(0) {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\n' | 0 => return Err(Error::syntax(pos, "\"")),
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(TokenKind, &str)> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next().expect("valid");
            if token.kind == TokenKind::End {
                return tokens;
            }
            tokens.push((token.kind, token.text));
        }
    }

    #[test]
    fn words_and_numbers() {
        use TokenKind::*;
        assert_eq!(
            all(
                "ld.shared::cta.v4.f32 {%f1,_},[$x+0x1F]; // c\n/* \n */ 1.5e-3 0f3F800000 7U .5e-3"
            ),
            [
                (Ident, "ld"),
                (Dot, "shared::cta"),
                (Dot, "v4"),
                (Dot, "f32"),
                (Punct, "{"),
                (Ident, "%f1"),
                (Punct, ","),
                (Ident, "_"),
                (Punct, "}"),
                (Punct, ","),
                (Punct, "["),
                (Ident, "$x"),
                (Punct, "+"),
                (Number, "0x1F"),
                (Punct, "]"),
                (Punct, ";"),
                (Number, "1.5e-3"),
                (Number, "0f3F800000"),
                (Number, "7U"),
                (Dot, "5e-3"),
            ]
        );
    }

    #[test]
    fn positions() {
        let mut lexer = Lexer::new("a\n /* x\n */ b");
        lexer.next().expect("a");
        let token = lexer.next().expect("b");
        assert_eq!((token.pos.line, token.pos.column), (3, 5));
    }

    #[test]
    fn what_does_not_end() {
        assert!(Lexer::new("/* abc").next().is_err());
        assert!(Lexer::new("\"abc").next().is_err());
        assert!(Lexer::new("é").next().is_err());
    }

    #[test]
    fn strings_have_no_escapes() {
        assert_eq!(all("\"c:\\é\\\" x")[0].1, "c:\\é\\");
    }
}
