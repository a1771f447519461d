//! How an image keeps its line table ([`crate::sm::Line`]): rows as differences, for it is read only when something went
//! wrong, and loaded with every image.
//!
//! A row is the distance from the last row's `pc`, then a head: 1 for a row that says nothing; else bit 1 for a source
//! position, bit 2 for an access, and from bit 3 on the difference of the PTX line. Source line and file follow as
//! differences, the access as bytes, space and kind. Differences are from the last row that said something; numbers are
//! LEB128, those with a sign with it in bit 0.

use crate::sm::Line;

const NOTHING: u64 = 1;
const SOURCE: u64 = 2;
const ACCESS: u64 = 4;

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// The difference of two numbers, its sign in bit 0.
fn difference(new: u32, old: u32) -> u64 {
    let d = i64::from(new) - i64::from(old);
    ((d << 1) ^ (d >> 63)).cast_unsigned()
}

/// Writes rows that are sorted by `pc`.
#[must_use]
pub fn encode(rows: &[Line]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut pc = 0;
    let mut last = Line::default();
    for row in rows {
        put(&mut out, row.pc.wrapping_sub(pc).into());
        pc = row.pc;
        if *row
            == (Line {
                pc,
                ..Line::default()
            })
        {
            put(&mut out, NOTHING);
            continue;
        }
        let source = (row.source_line, row.source_file) != (last.source_line, last.source_file);
        let access = |r: &Line| (r.access_bytes, r.space, r.access);
        let accesses = access(row) != access(&last);
        let flags = (u64::from(source) * SOURCE) | (u64::from(accesses) * ACCESS);
        let line = difference(row.ptx_line, last.ptx_line);
        put(&mut out, (line << 3) | flags);
        if source {
            put(&mut out, difference(row.source_line, last.source_line));
            put(&mut out, difference(row.source_file, last.source_file));
        }
        if accesses {
            put(&mut out, row.access_bytes.into());
            out.extend([row.space, row.access]);
        }
        last = *row;
    }
    out
}

/// Rows of a table. It ends where there is none, or no row of this form.
#[derive(Clone, Debug)]
pub struct Rows<'t> {
    bytes: &'t [u8],
    pc: u32,
    last: Line,
}

/// Reads rows.
#[must_use]
pub fn decode(bytes: &[u8]) -> Rows<'_> {
    Rows {
        bytes,
        pc: 0,
        last: Line::default(),
    }
}

impl Rows<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number from its difference.
    fn from(difference: u64, old: u32) -> Option<u32> {
        let d = (difference >> 1).cast_signed() ^ -((difference & 1).cast_signed());
        i64::from(old).checked_add(d)?.try_into().ok()
    }
}

impl Iterator for Rows<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        self.pc = self.pc.checked_add(self.number()?.try_into().ok()?)?;
        let head = self.number()?;
        if head == NOTHING {
            let pc = self.pc;
            return Some(Line {
                pc,
                ..Line::default()
            });
        }
        let mut row = Line {
            pc: self.pc,
            ptx_line: Self::from(head >> 3, self.last.ptx_line)?,
            ..self.last
        };
        if head & SOURCE != 0 {
            row.source_line = Self::from(self.number()?, row.source_line)?;
            row.source_file = Self::from(self.number()?, row.source_file)?;
        }
        if head & ACCESS != 0 {
            row.access_bytes = self.number()?.try_into().ok()?;
            row.space = self.byte()?;
            row.access = self.byte()?;
        }
        self.last = row;
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<Line> {
        let row = |pc, ptx_line, source_line, source_file, access_bytes, space, access| Line {
            pc,
            ptx_line,
            source_line,
            source_file,
            access_bytes,
            space,
            access,
        };
        vec![
            row(128, 0, 0, 0, 0, 0, 0),
            row(131, 37, 0, 0, 0, 0, 0),
            row(260, 38, 12, 7, 0, 0, 0),
            row(261, 0, 0, 0, 0, 0, 0),
            row(300, 36, 12, 7, 16, 2, 1),
            row(300, 36, 12, 7, 16, 2, 3),
            row(9_000, u32::MAX, u32::MAX, 0, u16::MAX, 255, 255),
            row(u32::MAX, 1, 0, 0, 0, 0, crate::sm::CALLED),
        ]
    }

    #[test]
    fn rows_come_back() {
        let rows = table();
        let bytes = encode(&rows);
        assert_eq!(decode(&bytes).collect::<Vec<_>>(), rows);
        assert!(bytes.len() < 8 * rows.len(), "{}", bytes.len());
    }

    #[test]
    fn any_bytes_are_a_table_that_ends() {
        let bytes = encode(&table());
        for cut in 0..bytes.len() {
            assert!(decode(&bytes[..cut]).count() < table().len());
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bad = bytes.clone();
                bad[at] = value;
                assert!(decode(&bad).count() <= bad.len() / 2);
            }
        }
    }
}
