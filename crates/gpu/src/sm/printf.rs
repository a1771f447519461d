//! The device's printf: records in a FIFO in client memory, formatted by the user half.

use crate::access::{self, AccessFault};
use abi::sm::{PrintfFifo, PrintfRecord};
use core::mem::{offset_of, size_of};
use core::sync::atomic::{Ordering, fence};

/// Longest format or string argument, bytes with NUL.
const MAX_TEXT: usize = 16 << 10;
/// Most arguments that the device's printf takes (CUDA C++ Programming Guide, "Formatted output").
const MAX_ARGS: usize = 32;
const HEAD: usize = size_of::<PrintfRecord>();
const FILLER: u16 = 0xffff;

/// How an argument lies in the packed argument buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// 32 bits, sign-extended.
    Int,
    /// 32 bits, zero-extended.
    Unsigned,
    /// 64 bits.
    Wide,
    /// Generic address of a string.
    Text,
}

/// The arguments that a format consumes, in order.
#[must_use]
pub fn arguments(format: &[u8]) -> Vec<Argument> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < format.len() && out.len() < MAX_ARGS {
        if format[i] != b'%' {
            i += 1;
            continue;
        }
        i += 1;
        if format.get(i) == Some(&b'%') {
            i += 1;
            continue;
        }
        while format.get(i).is_some_and(|c| b"-+ #0".contains(c)) {
            i += 1;
        }
        // Width, then precision.
        for _ in 0..2 {
            if format.get(i) == Some(&b'*') {
                out.push(Argument::Int);
                i += 1;
            }
            while format.get(i).is_some_and(u8::is_ascii_digit) {
                i += 1;
            }
            if format.get(i) == Some(&b'.') {
                i += 1;
            }
        }
        let mut long = false;
        while let Some(c) = format.get(i) {
            match c {
                b'l' | b'j' | b'z' | b't' | b'q' | b'L' => long = true,
                b'h' => {}
                _ => break,
            }
            i += 1;
        }
        match format.get(i) {
            Some(b'd' | b'i') => out.push(if long { Argument::Wide } else { Argument::Int }),
            Some(b'u' | b'x' | b'X' | b'o') => {
                out.push(if long {
                    Argument::Wide
                } else {
                    Argument::Unsigned
                });
            }
            Some(b'c') => out.push(Argument::Int),
            Some(b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' | b'p' | b'n') => {
                out.push(Argument::Wide)
            }
            Some(b's') => out.push(Argument::Text),
            // Unknown conversions take nothing and are printed as they are.
            Some(_) => {}
            None => break,
        }
        i += 1;
    }
    out.truncate(MAX_ARGS);
    out
}

/// Reads a NUL-terminated string of client memory, with its NUL; what cannot be read ends it.
fn string(at: u64) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = at;
    loop {
        // Up to the end of the page at once.
        let room = (4096 - at % 4096).min((MAX_TEXT - out.len()) as u64) as usize;
        let mut part = vec![0u8; room];
        if access::read_as_kernel(at, &mut part).is_err() {
            if out.is_empty() {
                return None;
            }
            break;
        }
        if let Some(end) = part.iter().position(|&b| b == 0) {
            out.extend_from_slice(&part[..end]);
            break;
        }
        out.extend_from_slice(&part);
        at += room as u64;
        if out.len() >= MAX_TEXT - 1 {
            out.truncate(MAX_TEXT - 1);
            break;
        }
    }
    out.push(0);
    Some(out)
}

/// A string of client memory for a message; `(null)` if there is none.
#[must_use]
pub fn text(at: u64) -> String {
    match string(at) {
        Some(mut bytes) => {
            bytes.pop();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        None => "(null)".to_string(),
    }
}

/// Lays out a record (its head says 0 bytes, "not complete").
fn record(kind: u16, format: &[u8], values: &[u64], strings: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let args_at = HEAD + format.len().next_multiple_of(8);
    let mut strings_at = args_at + 8 * values.len();
    let mut values = values.to_vec();
    for (index, s) in strings {
        values[*index] = strings_at as u64;
        strings_at += s.len();
    }
    let mut out = vec![0u8; HEAD];
    let put = |out: &mut Vec<u8>, at: usize, bytes: &[u8]| {
        out[at..at + bytes.len()].copy_from_slice(bytes)
    };
    put(
        &mut out,
        offset_of!(PrintfRecord, kind),
        &kind.to_le_bytes(),
    );
    put(
        &mut out,
        offset_of!(PrintfRecord, args),
        &u16::try_from(values.len()).unwrap_or(0).to_le_bytes(),
    );
    put(
        &mut out,
        offset_of!(PrintfRecord, format_bytes),
        &u32::try_from(format.len()).unwrap_or(0).to_le_bytes(),
    );
    out.extend_from_slice(format);
    out.resize(args_at, 0);
    for v in &values {
        out.extend_from_slice(&v.to_le_bytes());
    }
    for (_, s) in strings {
        out.extend_from_slice(s);
    }
    out.resize(out.len().next_multiple_of(8), 0);
    out
}

/// Puts a record into the FIFO at `fifo`; false if there was no room.
fn push(fifo: u64, record: &[u8]) -> Result<bool, AccessFault> {
    let field = |offset: usize| fifo.wrapping_add(offset as u64);
    let ring = access::load64(field(offset_of!(PrintfFifo, bytes)))? & !7;
    let data = fifo.wrapping_add(size_of::<PrintfFifo>() as u64);
    let need = record.len() as u64;
    loop {
        let head = access::load64(field(offset_of!(PrintfFifo, head)))?;
        let tail = access::load64(field(offset_of!(PrintfFifo, tail)))?;
        let at = if ring == 0 { 0 } else { tail % ring };
        let left = ring - at;
        let filler = if need > left { left } else { 0 };
        let end = tail.wrapping_add(filler + need);
        if need > ring || end.wrapping_sub(head) > ring {
            let dropped = field(offset_of!(PrintfFifo, dropped));
            let mut old = access::load64(dropped)?;
            loop {
                let seen = access::cas64(dropped, old, old.wrapping_add(1))?;
                if seen == old {
                    return Ok(false);
                }
                old = seen;
            }
        }
        if access::cas64(field(offset_of!(PrintfFifo, tail)), tail, end)? != tail {
            continue;
        }
        if filler != 0 {
            // Eight bytes may be all there is: kind and size fit into them.
            let size = u32::try_from(filler).unwrap_or(u32::MAX);
            access::write_bytes(data + at + 4, &FILLER.to_le_bytes())?;
            access::write_bytes(data + at + 6, &0u16.to_le_bytes())?;
            if filler >= HEAD as u64 {
                access::store64(data + at + 8, 0)?;
            }
            fence(Ordering::Release);
            access::store32(data + at, size)?;
        }
        let start = data + (at + filler) % ring;
        access::write_bytes(start + 4, &record[4..])?;
        fence(Ordering::Release);
        access::store32(start, u32::try_from(need).unwrap_or(u32::MAX))?;
        return Ok(true);
    }
}

/// Up to eight bytes of a packed argument, as many as can be read.
fn argument(at: u64, bytes: usize) -> u64 {
    let mut out = [0u8; 8];
    match access::read_as_kernel(at, &mut out[..bytes]) {
        Ok(()) => u64::from_le_bytes(out),
        Err(_) => 0,
    }
}

/// `vprintf(format, arguments)` of one lane; returns what vprintf returns (arguments printed, -1 on failure).
#[must_use]
pub fn print(fifo: u64, format: u64, args: u64) -> i32 {
    if fifo == 0 {
        return -1;
    }
    let Some(format) = string(format) else {
        return -1;
    };
    let kinds = arguments(&format);
    let mut values = Vec::with_capacity(kinds.len());
    let mut strings = Vec::new();
    let mut at = args;
    for (index, kind) in kinds.iter().enumerate() {
        let (size, value) = match kind {
            Argument::Int | Argument::Unsigned => {
                let v = argument(at, 4) as u32;
                (
                    4,
                    if *kind == Argument::Int {
                        i64::from(v.cast_signed()).cast_unsigned()
                    } else {
                        u64::from(v)
                    },
                )
            }
            Argument::Wide | Argument::Text => {
                at = at.next_multiple_of(8);
                (8, argument(at, 8))
            }
        };
        at = at.wrapping_add(size);
        if *kind == Argument::Text {
            strings.push((index, string(value).unwrap_or_else(|| b"(null)\0".to_vec())));
        }
        values.push(value);
    }
    match push(fifo, &record(0, &format, &values, &strings)) {
        Ok(true) => i32::try_from(values.len()).unwrap_or(0),
        Ok(false) | Err(_) => -1,
    }
}

/// Puts the text of a failed assertion into the FIFO (nowhere if there is none).
pub fn assertion(fifo: u64, text: &str) {
    if fifo != 0 {
        let mut bytes: Vec<u8> = text
            .bytes()
            .filter(|&b| b != 0)
            .take(MAX_TEXT - 1)
            .collect();
        bytes.push(0);
        // A FIFO that is full or gone loses the text; the trap that follows is what counts.
        let _lost = push(fifo, &record(1, &bytes, &[], &[]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        use Argument::{Int, Text, Unsigned, Wide};
        assert_eq!(
            arguments(b"%d %s %%|%5.2f %lld %u %c %p"),
            [Int, Text, Wide, Wide, Unsigned, Int, Wide]
        );
        assert_eq!(
            arguments(b"%*d %-.*f %hhx"),
            [Int, Int, Int, Wide, Unsigned]
        );
        assert_eq!(arguments(b"100%"), []);
        assert_eq!(arguments(b"%y%d"), [Int]);
        assert_eq!(arguments(&b"%d".repeat(40)).len(), MAX_ARGS);
    }

    /// A FIFO in ordinary memory.
    fn fifo(ring: u64) -> Vec<u64> {
        let mut words = vec![0u64; 4 + (ring / 8) as usize];
        words[2] = ring;
        words
    }

    #[test]
    fn records_are_as_the_contract_says() {
        let mut f = fifo(1024);
        let at = f.as_mut_ptr() as u64;
        let args: [u64; 3] = [0xffff_ffff, c"hey".as_ptr() as u64, 1.5f64.to_bits()];
        assert_eq!(
            print(at, c"%d %s %f\n".as_ptr() as u64, args.as_ptr() as u64),
            3
        );
        let bytes: Vec<u8> = f.iter().flat_map(|w| w.to_le_bytes()).collect();
        let r = &bytes[32..];
        let size = u32::from_le_bytes(r[0..4].try_into().expect("4"));
        assert_eq!(u64::from(size), f[0]);
        assert_eq!(&r[4..8], [0, 0, 3, 0]);
        assert_eq!(&r[8..12], 10u32.to_le_bytes());
        assert_eq!(&r[16..26], b"%d %s %f\n\0");
        let arg = |i: usize| u64::from_le_bytes(r[32 + 8 * i..40 + 8 * i].try_into().expect("8"));
        assert_eq!(arg(0), u64::MAX);
        assert_eq!(arg(2), 1.5f64.to_bits());
        assert_eq!(&r[arg(1) as usize..][..4], b"hey\0");
    }

    #[test]
    fn a_full_ring_drops_and_a_split_is_filled() {
        let mut f = fifo(80);
        let at = f.as_mut_ptr() as u64;
        let format = c"12345678".as_ptr() as u64; // record: 16 + 16 = 32 bytes
        assert_eq!(print(at, format, 0), 0);
        assert_eq!(print(at, format, 0), 0);
        assert_eq!(print(at, format, 0), -1);
        assert_eq!((f[0], f[3]), (64, 1));
        f[1] = 64; // all read
        assert_eq!(print(at, format, 0), 0);
        assert_eq!(f[0], 64 + 16 + 32);
        assert_eq!(
            f[4 + 8] & 0xffff_ffff_ffff,
            0xffff_0000_0010,
            "filler of 16 bytes"
        );
        assert_eq!(f[4] & 0xffff_ffff, 32);
    }

    #[test]
    fn bad_pointers_are_survived() {
        let mut f = fifo(1024);
        let at = f.as_mut_ptr() as u64;
        crate::signal::install();
        assert_eq!(print(at, abi::link::RESERVED.start, 0), -1);
        assert_eq!(print(0, c"x".as_ptr() as u64, 0), -1);
        let args = [abi::link::RESERVED.start];
        assert_eq!(print(at, c"%s".as_ptr() as u64, args.as_ptr() as u64), 1);
    }
}
