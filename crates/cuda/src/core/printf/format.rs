//! C's printf, for records whose arguments are 64-bit words.
//!
//! A conversion is done by C's own `snprintf`, one at a time, with a format of our making: the kernel's format is never
//! handed on, so `%n` and missing arguments cannot do harm.

use std::ffi::{CString, c_char, c_double, c_int, c_longlong};

use abi::sm::PrintfRecord;

/// Offset of the format in a record.
const FORMAT_AT: usize = size_of::<PrintfRecord>();
/// Largest width or precision that is taken literally.
const NUMBER_MAX: i64 = 4096;

/// A conversion specification.
#[derive(Debug, Default)]
struct Spec {
    flags: String,
    width: Option<i64>,
    precision: Option<i64>,
    length: String,
    conversion: u8,
}

/// Appends what the record prints.
pub(super) fn print(out: &mut Vec<u8>, record: &[u8], args: u16) {
    let word32 = |at: usize| {
        record
            .get(at..at + 4)
            .map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    let format_bytes = word32(8) as usize;
    let format_end = FORMAT_AT.saturating_add(format_bytes).min(record.len());
    let format = record.get(FORMAT_AT..format_end).unwrap_or_default();
    let format = format.split(|b| *b == 0).next().unwrap_or_default();
    let values_at = FORMAT_AT + format_bytes.next_multiple_of(8);
    let values: Vec<u64> = (0..usize::from(args))
        .map_while(|i| record.get(values_at + i * 8..values_at + i * 8 + 8))
        .filter_map(|b| b.try_into().ok().map(u64::from_le_bytes))
        .collect();
    format_into(out, format, &values, |offset| {
        let at = usize::try_from(offset).ok()?;
        record.get(at..)?.split(|b| *b == 0).next()
    });
}

/// Formats; `string` gives the text of a `%s` argument. Arguments that are missing print as 0.
fn format_into<'a>(
    out: &mut Vec<u8>,
    format: &[u8],
    values: &[u64],
    string: impl Fn(u64) -> Option<&'a [u8]>,
) {
    let mut values = values.iter().copied();
    let mut next = || values.next().unwrap_or(0);
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|b| *b == b'%') {
        out.extend_from_slice(&rest[..percent]);
        rest = &rest[percent + 1..];
        let Some((spec, used)) = parse(rest, &mut next) else {
            // Not a conversion: printed as it stands.
            out.push(b'%');
            continue;
        };
        rest = &rest[used..];
        match spec.conversion {
            b'%' => out.push(b'%'),
            b's' => pad_text(out, &spec, string(next()).unwrap_or(b"(null)")),
            b'c' => pad_text(out, &spec, &[next().to_le_bytes()[0]]),
            b'd' | b'i' => number(
                out,
                &spec,
                "ll",
                Number::Signed(narrow_signed(next(), &spec.length)),
            ),
            b'u' | b'o' | b'x' | b'X' => number(
                out,
                &spec,
                "ll",
                Number::Signed(narrow_unsigned(next(), &spec.length)),
            ),
            b'p' => number(out, &spec, "", Number::Signed(next().cast_signed())),
            b'n' => {
                next();
            }
            _ => number(out, &spec, "", Number::Float(f64::from_bits(next()))),
        }
    }
    out.extend_from_slice(rest);
}

/// Parses behind the percent sign; how many bytes it took.
fn parse(text: &[u8], next: &mut impl FnMut() -> u64) -> Option<(Spec, usize)> {
    let mut spec = Spec::default();
    let mut at = 0;
    while let Some(flag) = text.get(at).filter(|b| b"-+ #0".contains(b)) {
        spec.flags.push(char::from(*flag));
        at += 1;
    }
    let mut star = || {
        i64::from(
            u32::try_from(next() & 0xffff_ffff)
                .unwrap_or(0)
                .cast_signed(),
        )
    };
    spec.width = measure(text, &mut at, &mut star);
    if let Some(width) = spec.width.filter(|w| *w < 0) {
        spec.flags.push('-');
        spec.width = Some(-width);
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        // A negative precision is as if there were none.
        spec.precision = Some(measure(text, &mut at, &mut star).unwrap_or(0)).filter(|p| *p >= 0);
    }
    while let Some(length) = text.get(at).filter(|b| b"hlLqjzt".contains(b)) {
        spec.length.push(char::from(*length));
        at += 1;
    }
    spec.conversion = *text.get(at)?;
    b"%scdiuoxXpnfFeEgGaA"
        .contains(&spec.conversion)
        .then_some((spec, at + 1))
}

fn measure(text: &[u8], at: &mut usize, star: &mut impl FnMut() -> i64) -> Option<i64> {
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        return Some(star().clamp(-NUMBER_MAX, NUMBER_MAX));
    }
    let digits = text[*at..]
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let number = std::str::from_utf8(&text[*at..*at + digits]).ok()?;
    *at += digits;
    (digits > 0).then(|| number.parse().unwrap_or(NUMBER_MAX).min(NUMBER_MAX))
}

fn narrow_signed(value: u64, length: &str) -> i64 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    match length {
        "hh" => i64::from(i8::from_le_bytes([a])),
        "h" => i64::from(i16::from_le_bytes([a, b])),
        "" => i64::from(i32::from_le_bytes([a, b, c, d])),
        _ => value.cast_signed(),
    }
}

fn narrow_unsigned(value: u64, length: &str) -> i64 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    match length {
        "hh" => i64::from(a),
        "h" => i64::from(u16::from_le_bytes([a, b])),
        "" => i64::from(u32::from_le_bytes([a, b, c, d])),
        _ => value.cast_signed(),
    }
}

fn pad_text(out: &mut Vec<u8>, spec: &Spec, text: &[u8]) {
    let limit = if spec.conversion == b's' {
        spec.precision
    } else {
        None
    };
    let text = &text[..text.len().min(
        limit
            .and_then(|p| usize::try_from(p).ok())
            .unwrap_or(usize::MAX),
    )];
    let width = spec
        .width
        .and_then(|w| usize::try_from(w).ok())
        .unwrap_or(0);
    let padding = width.saturating_sub(text.len());
    let left = spec.flags.contains('-');
    if !left {
        out.extend(std::iter::repeat_n(b' ', padding));
    }
    out.extend_from_slice(text);
    if left {
        out.extend(std::iter::repeat_n(b' ', padding));
    }
}

enum Number {
    Signed(i64),
    Float(f64),
}

fn number(out: &mut Vec<u8>, spec: &Spec, length: &str, value: Number) {
    let mut format = format!("%{}", spec.flags);
    if let Some(width) = spec.width {
        format.push_str(&width.to_string());
    }
    if let Some(precision) = spec.precision {
        format.push('.');
        format.push_str(&precision.to_string());
    }
    format.push_str(length);
    format.push(char::from(spec.conversion));
    let Ok(format) = CString::new(format) else {
        return;
    };
    let print = |buffer: *mut c_char, len: usize| -> c_int {
        // SAFETY: a buffer of that length (or none for length 0), and a format of our making whose one conversion takes
        // the argument passed.
        unsafe {
            match value {
                Number::Signed(v) if spec.conversion == b'p' => {
                    let at = usize::try_from(v.cast_unsigned()).unwrap_or_default();
                    libc::snprintf(
                        buffer,
                        len,
                        format.as_ptr(),
                        std::ptr::without_provenance::<u8>(at),
                    )
                }
                Number::Signed(v) => libc::snprintf(buffer, len, format.as_ptr(), v as c_longlong),
                Number::Float(v) => libc::snprintf(buffer, len, format.as_ptr(), v as c_double),
            }
        }
    };
    let Ok(len) = usize::try_from(print(std::ptr::null_mut(), 0)) else {
        return;
    };
    let mut buffer = vec![0_u8; len + 1];
    print(buffer.as_mut_ptr().cast(), buffer.len());
    out.extend_from_slice(&buffer[..len]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(format: &str, values: &[u64]) -> String {
        let mut out = Vec::new();
        format_into(&mut out, format.as_bytes(), values, |offset| {
            (offset == 1).then_some(b"text")
        });
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn conversions_are_cs() {
        let minus = (-5_i64).cast_unsigned();
        assert_eq!(
            formatted("%d|%i|%5d|%-5d|%05d", &[minus, 7, 42, 42, 42]),
            "-5|7|   42|42   |00042"
        );
        assert_eq!(
            formatted("%u %x %X %#o", &[minus, 255, 255, 8]),
            "4294967291 ff FF 010"
        );
        assert_eq!(
            formatted("%llx %lld %hd %hhu", &[u64::MAX, minus, 0x1_ffff, 0x1ff]),
            "ffffffffffffffff -5 -1 255"
        );
        assert_eq!(
            formatted(
                "%5.2f %e %g",
                &[
                    std::f64::consts::PI.to_bits(),
                    1.5_f64.to_bits(),
                    0.1_f64.to_bits()
                ]
            ),
            " 3.14 1.500000e+00 0.1"
        );
        assert_eq!(
            formatted("%s:%u: %10s %-5i|", &[1, 3, 1, 9]),
            "text:3:       text 9    |"
        );
        assert_eq!(
            formatted("%.2s|%6.3s|%-6s|%c%%", &[1, 1, 1, 65]),
            "te|   tex|text  |A%"
        );
        assert_eq!(
            formatted("%*d|%-*d|%.*f", &[5, 1, 4, 2, 1, 2.55_f64.to_bits()]),
            "    1|2   |2.5"
        );
        assert_eq!(formatted("%p", &[0x1234]), "0x1234");
    }

    #[test]
    fn bad_formats_do_no_harm() {
        assert_eq!(formatted("%", &[]), "%");
        assert_eq!(formatted("100%!%d", &[]), "100%!0");
        assert_eq!(formatted("%n%s", &[1, 99]), "(null)");
        assert_eq!(formatted("%99999999d", &[1]).len(), 4096);
    }

    #[test]
    fn records_are_read_within_their_bounds() {
        let mut record = vec![0_u8; 48];
        record[8..12].copy_from_slice(&5_u32.to_le_bytes());
        record[16..21].copy_from_slice(b"%s %d");
        record[16 + 5] = 0;
        record[8..12].copy_from_slice(&6_u32.to_le_bytes());
        record[24..32].copy_from_slice(&40_u64.to_le_bytes());
        record[32..40].copy_from_slice(&7_u64.to_le_bytes());
        record[40..43].copy_from_slice(b"abc");
        let mut out = Vec::new();
        print(&mut out, &record, 2);
        assert_eq!(out, b"abc 7");
        for cut in 0..record.len() {
            print(&mut Vec::new(), &record[..cut], 9);
        }
    }
}
