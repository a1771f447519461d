//! Video instructions: `vadd` and its kin on a word, two half-words or four bytes (PTX ISA 9.0, 9.7.17 and 9.7.18).
//!
//! They are too many, and too much alike, for rows of [`crate::kind`]: one struct says what any of them does. Which
//! parts of the operands are meant stands in the operands' selectors (`%r1.h0`), so it is filled by the checker.

use crate::modifier::{ClampWrap, CmpOp};
use crate::types::ScalarType;

/// What is done with the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Average, rounded away from zero for sums that are not negative.
    Average,
    /// Absolute difference.
    AbsDiff,
    /// Smaller.
    Min,
    /// Larger.
    Max,
    /// Shift left by the second element.
    Shl(ClampWrap),
    /// Shift right.
    Shr(ClampWrap),
    /// Product and sum.
    Mad,
    /// Comparison: 1 or 0.
    Set(CmpOp),
}

/// What is done with a result and the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secondary {
    /// Added.
    Add,
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

/// A part of a register: a byte, a half-word or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// First bit.
    pub start: u8,
    /// Bits: 8, 16 or 32.
    pub bits: u8,
}

impl Part {
    /// The whole register.
    pub const WHOLE: Self = Self { start: 0, bits: 32 };

    /// `b0` … `b3`, `h0`, `h1`
    fn from_text(text: &str) -> Option<Self> {
        let (bits, start) = match text {
            "b0" => (8, 0),
            "b1" => (8, 8),
            "b2" => (8, 16),
            "b3" => (8, 24),
            "h0" => (16, 0),
            "h1" => (16, 16),
            _ => return None,
        };
        Some(Self { start, bits })
    }
}

/// A video instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Video {
    /// The opcode as written.
    pub name: &'static str,
    /// What is done.
    pub op: VideoOp,
    /// Elements: 1, 2 or 4.
    pub lanes: u8,
    /// The result is signed.
    pub signed: bool,
    /// Elements of the first and of the second operand are signed.
    pub sources_signed: [bool; 2],
    /// Results are clamped to the destination's range.
    pub sat: bool,
    /// With the third operand; elements of SIMD forms can only be added to it.
    pub secondary: Option<Secondary>,
    /// `vmad`: 1 is added.
    pub plus_one: bool,
    /// `vmad`: right shift of the sum.
    pub scale: u8,
    /// `vmad`: the product is negated; the third operand is.
    pub negated: [bool; 2],
    /// Scalar forms: parts of the operands.
    pub parts: [Part; 2],
    /// Scalar forms: where the result is merged into the third operand.
    pub merge: Option<Part>,
    /// SIMD forms: for each element, from the lowest, which of the elements of both operands together.
    pub select: [[u8; 4]; 2],
    /// SIMD forms: elements that are written, as bits.
    pub mask: u8,
}

const NAMES: &[(&str, VideoOp, u8)] = &[
    ("vadd", VideoOp::Add, 1),
    ("vsub", VideoOp::Sub, 1),
    ("vabsdiff", VideoOp::AbsDiff, 1),
    ("vmin", VideoOp::Min, 1),
    ("vmax", VideoOp::Max, 1),
    ("vshl", VideoOp::Shl(ClampWrap::Clamp), 1),
    ("vshr", VideoOp::Shr(ClampWrap::Clamp), 1),
    ("vmad", VideoOp::Mad, 1),
    ("vset", VideoOp::Set(CmpOp::Eq), 1),
    ("vadd2", VideoOp::Add, 2),
    ("vsub2", VideoOp::Sub, 2),
    ("vavrg2", VideoOp::Average, 2),
    ("vabsdiff2", VideoOp::AbsDiff, 2),
    ("vmin2", VideoOp::Min, 2),
    ("vmax2", VideoOp::Max, 2),
    ("vset2", VideoOp::Set(CmpOp::Eq), 2),
    ("vadd4", VideoOp::Add, 4),
    ("vsub4", VideoOp::Sub, 4),
    ("vavrg4", VideoOp::Average, 4),
    ("vabsdiff4", VideoOp::AbsDiff, 4),
    ("vmin4", VideoOp::Min, 4),
    ("vmax4", VideoOp::Max, 4),
    ("vset4", VideoOp::Set(CmpOp::Eq), 4),
];

/// Whether this opcode is a video instruction.
#[must_use]
pub fn is_video(opcode: &str) -> bool {
    NAMES.iter().any(|(name, ..)| *name == opcode)
}

impl Video {
    /// From opcode and modifiers; `Err`: the modifier that does not belong, or `None` where one is missing.
    pub(crate) fn parse<'a>(opcode: &str, modifiers: &[&'a str]) -> Result<Self, Option<&'a str>> {
        let &(name, mut op, lanes) = NAMES
            .iter()
            .find(|(name, ..)| *name == opcode)
            .ok_or(None)?;
        let compares = matches!(op, VideoOp::Set(_));
        let shifts = matches!(op, VideoOp::Shl(_) | VideoOp::Shr(_));
        let mut types = Vec::new();
        let (mut sat, mut secondary, mut plus_one, mut scale) = (false, None, false, 0);
        let (mut compared, mut clamped) = (false, false);
        for &text in modifiers {
            let word = match ScalarType::from_text(text) {
                Some(ScalarType::U32) => Some(false),
                Some(ScalarType::S32) => Some(true),
                _ => None,
            };
            let scalar = lanes == 1 && op != VideoOp::Mad;
            let second = match text {
                "add" if op != VideoOp::Mad => Some(Secondary::Add),
                "min" if scalar => Some(Secondary::Min),
                "max" if scalar => Some(Secondary::Max),
                _ => None,
            };
            match (text, word) {
                (_, Some(signed)) => types.push(signed),
                ("sat", _) if !sat && !compares => sat = true,
                ("po", _) if op == VideoOp::Mad && !plus_one => plus_one = true,
                ("shr7", _) if op == VideoOp::Mad && scale == 0 => scale = 7,
                ("shr15", _) if op == VideoOp::Mad && scale == 0 => scale = 15,
                ("clamp" | "wrap", _) if shifts && !clamped => {
                    clamped = true;
                    let mode = if text == "wrap" {
                        ClampWrap::Wrap
                    } else {
                        ClampWrap::Clamp
                    };
                    op = match op {
                        VideoOp::Shl(_) => VideoOp::Shl(mode),
                        _ => VideoOp::Shr(mode),
                    };
                }
                _ if second.is_some() && secondary.is_none() => secondary = second,
                _ => match CmpOp::from_text(text) {
                    Some(
                        cmp @ (CmpOp::Eq
                        | CmpOp::Ne
                        | CmpOp::Lt
                        | CmpOp::Le
                        | CmpOp::Gt
                        | CmpOp::Ge),
                    ) if compares && !compared => {
                        compared = true;
                        op = VideoOp::Set(cmp);
                    }
                    _ => return Err(Some(text)),
                },
            }
        }
        let (signed, sources_signed) = match (compares, types.as_slice()) {
            (true, &[a, b]) => (false, [a, b]),
            (false, &[d, a, b]) => (d, [a, b]),
            _ => return Err(None),
        };
        let incomplete = compares != compared || shifts != clamped || (shifts && sources_signed[1]);
        // Saturation cannot be used with the accumulation of elements.
        if incomplete || (lanes > 1 && sat && secondary.is_some()) {
            return Err(None);
        }
        let all = [0, 1, 2, 3];
        Ok(Self {
            name,
            op,
            lanes,
            signed,
            sources_signed,
            sat,
            secondary,
            plus_one,
            scale,
            negated: [false; 2],
            parts: [Part::WHOLE; 2],
            merge: None,
            select: [all, all.map(|n| n + lanes)],
            mask: (1 << lanes) - 1,
        })
    }

    /// Notes a source's selector; false if it is none of this instruction.
    pub(crate) fn select_source(&mut self, number: usize, text: &str) -> bool {
        if self.lanes == 1 {
            let part = Part::from_text(text);
            self.parts[number] = part.unwrap_or(Part::WHOLE);
            return part.is_some();
        }
        let (letter, highest) = if self.lanes == 2 { ('h', 3) } else { ('b', 7) };
        let Some(digits) = text.strip_prefix(letter) else {
            return false;
        };
        let digits: Option<Vec<u8>> = digits
            .chars()
            .map(|c| {
                c.to_digit(10)
                    .and_then(|d| u8::try_from(d).ok())
                    .filter(|&d| d <= highest)
            })
            .collect();
        let Some(digits) = digits.filter(|d| d.len() == usize::from(self.lanes)) else {
            return false;
        };
        // The last digit is the lowest element's.
        for (slot, digit) in self.select[number].iter_mut().zip(digits.iter().rev()) {
            *slot = *digit;
        }
        true
    }

    /// Notes the destination's selector; false if it is none of this instruction.
    pub(crate) fn select_destination(&mut self, text: &str) -> bool {
        if self.lanes == 1 {
            // A merge takes the place of the secondary operation; `vmad` has neither.
            self.merge = Part::from_text(text);
            return self.merge.is_some() && self.secondary.is_none() && self.op != VideoOp::Mad;
        }
        let (letter, highest) = if self.lanes == 2 { ('h', 1) } else { ('b', 3) };
        let Some(digits) = text
            .strip_prefix(letter)
            .filter(|digits| !digits.is_empty())
        else {
            return false;
        };
        self.mask = 0;
        let mut above = highest + 1;
        for c in digits.chars() {
            match c.to_digit(10) {
                // From the highest down.
                Some(digit) if digit < above => {
                    above = digit;
                    self.mask |= 1 << digit;
                }
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers() {
        let v = Video::parse("vadd", &["s32", "u32", "s32", "sat", "min"]).expect("it parses");
        assert_eq!(
            (v.signed, v.sources_signed, v.sat),
            (true, [false, true], true)
        );
        assert_eq!(v.secondary, Some(Secondary::Min));
        assert_eq!(Video::parse("vadd", &["s32", "u32"]), Err(None));
        assert_eq!(
            Video::parse("vadd", &["s32", "u32", "f32"]),
            Err(Some("f32"))
        );
        assert_eq!(
            Video::parse("vadd2", &["s32", "s32", "s32", "max"]),
            Err(Some("max"))
        );
        assert_eq!(
            Video::parse("vadd2", &["s32", "s32", "s32", "sat", "add"]),
            Err(None)
        );
        assert_eq!(Video::parse("vset", &["s32", "s32", "lo"]), Err(Some("lo")));
    }

    #[test]
    fn selectors() {
        let mut v = Video::parse("vadd4", &["s32", "u32", "s32"]).expect("it parses");
        assert_eq!(v.select, [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert!(v.select_source(0, "b7604") && !v.select_source(1, "b8000"));
        assert_eq!(v.select[0], [4, 0, 6, 7]);
        assert!(v.select_destination("b310") && v.mask == 0b1011);
        assert!(!v.select_destination("b01"));
    }
}
