//! GPFIFO entries and pushbuffer headers, decoded. No memory access here.

/// What a GPFIFO entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A pushbuffer segment.
    Segment {
        /// GPU address.
        va: u64,
        /// Length, 32-bit words.
        words: u32,
    },
    /// Nothing.
    Nop,
    /// Address bits 56:40 of following segments.
    ExtendedBase(u64),
    /// Something that is refused.
    Refused(&'static str),
}

/// Decodes the two words of a GPFIFO entry.
#[must_use]
pub fn entry(lo: u32, hi: u32) -> Entry {
    let words = hi >> 10 & 0x1f_ffff;
    if words == 0 {
        return match hi & 0xff {
            0 => Entry::Nop,
            1 => Entry::Refused("ILLEGAL entry"),
            // Checksums of the ring and of the pushbuffer: nothing to compare with, as on a client that never asks.
            2 | 3 => Entry::Nop,
            4 => Entry::ExtendedBase(u64::from(lo >> 8 & 0x1_ffff) << 40),
            _ => Entry::Refused("unknown opcode entry"),
        };
    }
    if lo & 1 != 0 {
        return Entry::Refused("conditional fetch");
    }
    Entry::Segment {
        va: u64::from(lo & !3) | u64::from(hi & 0xff) << 32,
        words,
    }
}

/// One method with its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Subchannel, 0 to 7.
    pub subchannel: u32,
    /// Byte offset in the class.
    pub address: u32,
    /// Data.
    pub data: u32,
    /// No further data word of the same header follows.
    pub last: bool,
}

/// What a pushbuffer word led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing to execute (a header, or padding).
    Nothing,
    /// A method.
    Method(Method),
    /// The rest of the segment is skipped.
    EndOfSegment,
    /// Not a header.
    Bad(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Advance {
    /// To the next method after each word.
    Each,
    /// To the next method after the first word only.
    Once,
    /// Never.
    Never,
}

/// State between the words of a segment.
#[derive(Clone, Copy, Debug)]
pub struct Decoder {
    subchannel: u32,
    address: u32,
    remaining: u32,
    advance: Advance,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder {
            subchannel: 0,
            address: 0,
            remaining: 0,
            advance: Advance::Each,
        }
    }
}

impl Decoder {
    /// Whether data words are still owed.
    #[must_use]
    pub fn in_data(&self) -> bool {
        self.remaining != 0
    }

    /// Takes the next word.
    pub fn feed(&mut self, word: u32) -> Step {
        if self.remaining != 0 {
            self.remaining -= 1;
            let method = Method {
                subchannel: self.subchannel,
                address: self.address,
                data: word,
                last: self.remaining == 0,
            };
            match self.advance {
                Advance::Each => self.address = (self.address + 4) & 0x3fff,
                Advance::Once => {
                    self.address = (self.address + 4) & 0x3fff;
                    self.advance = Advance::Never;
                }
                Advance::Never => {}
            }
            return Step::Method(method);
        }
        let count = word >> 16 & 0x1fff;
        self.subchannel = word >> 13 & 7;
        self.address = (word & 0xfff) << 2;
        let advance = match word >> 29 {
            0 => match word >> 16 & 3 {
                0 => return self.old_style(word, Advance::Each),
                // Masks of subdevices: there is one.
                1..=3 => return Step::Nothing,
                _ => return Step::Bad("group 0 header"),
            },
            1 => Advance::Each,
            2 => match word >> 16 & 3 {
                0 => return self.old_style(word, Advance::Never),
                _ => return Step::Bad("group 2 header"),
            },
            3 => Advance::Never,
            4 => {
                return Step::Method(Method {
                    subchannel: self.subchannel,
                    address: self.address,
                    data: count,
                    last: true,
                });
            }
            5 => Advance::Once,
            7 => return Step::EndOfSegment,
            _ => return Step::Bad("reserved header"),
        };
        self.advance = advance;
        self.remaining = count;
        Step::Nothing
    }

    /// Headers of the first generations: method address in bytes in 12:2, count in 28:18.
    fn old_style(&mut self, word: u32, advance: Advance) -> Step {
        self.address = word & 0x1ffc;
        self.remaining = word >> 18 & 0x7ff;
        self.advance = advance;
        Step::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[u32]) -> Vec<(u32, u32, u32)> {
        let mut d = Decoder::default();
        let mut out = vec![];
        for &w in words {
            match d.feed(w) {
                Step::Method(m) => out.push((m.subchannel, m.address, m.data)),
                Step::Nothing => {}
                other => panic!("{other:?}"),
            }
        }
        assert!(!d.in_data());
        out
    }

    #[test]
    fn headers() {
        let inc = 1 << 29 | 2 << 16 | 1 << 13 | 0x100 >> 2;
        let non = 3 << 29 | 2 << 16 | 4 << 13 | 0x1b4 >> 2;
        let once = 5 << 29 | 3 << 16 | 0x40 >> 2;
        let imm = 4 << 29 | 0x123 << 16 | 2 << 13 | 0x110 >> 2;
        let old = 2 << 18 | 3 << 13 | 0x100;
        assert_eq!(
            run(&[inc, 10, 11, non, 1, 2, once, 5, 6, 7, imm, 0, old, 8, 9]),
            [
                (1, 0x100, 10),
                (1, 0x104, 11),
                (4, 0x1b4, 1),
                (4, 0x1b4, 2),
                (0, 0x40, 5),
                (0, 0x44, 6),
                (0, 0x44, 7),
                (2, 0x110, 0x123),
                (3, 0x100, 8),
                (3, 0x104, 9),
            ]
        );
    }

    #[test]
    fn ends_and_bad_headers() {
        assert_eq!(Decoder::default().feed(7 << 29), Step::EndOfSegment);
        assert!(matches!(Decoder::default().feed(6 << 29), Step::Bad(_)));
        assert!(matches!(
            Decoder::default().feed(2 << 29 | 1 << 16),
            Step::Bad(_)
        ));
    }

    #[test]
    fn entries() {
        // tinygrad's form: (addr / 4) << 2 | words << 42 | 1 << 41.
        let e: u64 = 0x12_3456_7890 | 5 << 42 | 1 << 41;
        #[expect(clippy::cast_possible_truncation, reason = "halves")]
        let decoded = entry(e as u32, (e >> 32) as u32);
        assert_eq!(
            decoded,
            Entry::Segment {
                va: 0x12_3456_7890,
                words: 5
            }
        );
        assert_eq!(entry(0, 0), Entry::Nop);
        assert_eq!(entry(0x2_00 << 8, 4), Entry::ExtendedBase(0x200 << 40));
        assert!(matches!(entry(1, 1 << 10), Entry::Refused(_)));
        assert!(matches!(entry(0, 9), Entry::Refused(_)));
    }
}
