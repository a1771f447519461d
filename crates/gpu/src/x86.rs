//! The address that a faulting instruction used, for faults that come without one (non-canonical addresses).

use crate::access;
use crate::seat::RawFault;

/// Numbers of the stack pointer and of the frame pointer among [`RawFault::gpr`].
pub const RSP: usize = 4;
/// See [`RSP`].
pub const RBP: usize = 5;

/// Effective address of the memory operand of the instruction at `raw.pc`, if it has one that can be computed from the
/// general registers (not of gathers and scatters, whose indices are vectors).
#[must_use]
pub fn effective_address(raw: &RawFault) -> Option<u64> {
    let mut bytes = [0u8; 15];
    let mut n = bytes.len();
    // Near the end of a mapping there may be fewer.
    while access::read_bytes(raw.pc, &mut bytes[..n]).is_err() {
        n = n.checked_sub(1)?;
    }
    operand(&bytes[..n], &raw.gpr, raw.pc)
}

/// Prefix state that addressing depends on.
#[derive(Clone, Copy, Default)]
struct Prefixes {
    rex_b: bool,
    rex_x: bool,
    /// Scale of an 8-bit displacement (EVEX), else 1.
    disp8: i64,
    /// Opcode map: 0 one byte, 1 `0f`, 2 `0f38`, 3 `0f3a`.
    map: u8,
}

/// Decodes prefixes, opcode and ModRM of `code` (at `pc`).
fn operand(code: &[u8], gpr: &[u64; 16], pc: u64) -> Option<u64> {
    let mut i = 0;
    while matches!(
        code.get(i)?,
        0x66 | 0xf2 | 0xf3 | 0xf0 | 0x2e | 0x36 | 0x3e | 0x26
    ) {
        i += 1;
    }
    let mut p = Prefixes {
        disp8: 1,
        ..Prefixes::default()
    };
    match *code.get(i)? {
        rex @ 0x40..=0x4f => {
            p.rex_b = rex & 1 != 0;
            p.rex_x = rex & 2 != 0;
            i += 1;
            i = legacy_map(code, i, &mut p)?;
        }
        0xc5 => {
            p.map = 1;
            i += 2;
        }
        0xc4 => {
            let b = *code.get(i + 1)?;
            p.rex_b = b & 0x20 == 0;
            p.rex_x = b & 0x40 == 0;
            p.map = b & 0x1f;
            i += 3;
        }
        0x62 => {
            let (b, c, d) = (*code.get(i + 1)?, *code.get(i + 2)?, *code.get(i + 3)?);
            p.rex_b = b & 0x20 == 0;
            p.rex_x = b & 0x40 == 0;
            p.map = b & 7;
            // Full-vector operands: the displacement counts in vectors; broadcast: in elements.
            let element = if c & 0x80 != 0 { 8 } else { 4 };
            p.disp8 = if d & 0x10 != 0 {
                element
            } else {
                16 << (d >> 5 & 3).min(2)
            };
            i += 4;
        }
        _ => i = legacy_map(code, i, &mut p)?,
    }
    let opcode = *code.get(i)?;
    i += 1;
    if p.map == 0 && !one_byte_has_modrm(opcode) {
        return string_operand(opcode, gpr);
    }
    // Gathers and scatters.
    if p.map == 2 && matches!(opcode, 0x90..=0x93 | 0xa0..=0xa3) {
        return None;
    }
    let modrm = *code.get(i)?;
    i += 1;
    let (mode, rm) = (modrm >> 6, modrm & 7);
    if mode == 3 {
        return None;
    }
    let b = u8::from(p.rex_b) << 3;
    let mut address = 0u64;
    let mut wide_disp = mode == 2;
    if rm == 4 {
        let sib = *code.get(i)?;
        i += 1;
        let index = sib >> 3 & 7 | u8::from(p.rex_x) << 3;
        if index != 4 {
            address = gpr[index as usize] << (sib >> 6);
        }
        if sib & 7 == 5 && mode == 0 {
            wide_disp = true;
        } else {
            address = address.wrapping_add(gpr[(sib & 7 | b) as usize]);
        }
    } else if rm == 5 && mode == 0 {
        // Relative to the next instruction, whose length this decoder does not know; near enough is useless.
        let _relative_to = pc;
        return None;
    } else {
        address = gpr[(rm | b) as usize];
    }
    if mode == 1 {
        let d = i64::from(code.get(i)?.cast_signed()) * p.disp8;
        address = address.wrapping_add_signed(d);
    } else if wide_disp {
        let d = code.get(i..i + 4)?;
        address =
            address.wrapping_add_signed(i64::from(i32::from_le_bytes([d[0], d[1], d[2], d[3]])));
    }
    Some(address)
}

fn legacy_map(code: &[u8], i: usize, p: &mut Prefixes) -> Option<usize> {
    if *code.get(i)? != 0x0f {
        return Some(i);
    }
    Some(match *code.get(i + 1)? {
        0x38 => {
            p.map = 2;
            i + 2
        }
        0x3a => {
            p.map = 3;
            i + 2
        }
        _ => {
            p.map = 1;
            i + 1
        }
    })
}

/// Whether a one-byte opcode is followed by ModRM.
fn one_byte_has_modrm(opcode: u8) -> bool {
    match opcode {
        0x00..=0x3f => opcode & 7 < 4,
        0x63
        | 0x69
        | 0x6b
        | 0x80..=0x8f
        | 0xc0
        | 0xc1
        | 0xc6
        | 0xc7
        | 0xd0..=0xd3
        | 0xd8..=0xdf => true,
        0xf6 | 0xf7 | 0xfe | 0xff => true,
        _ => false,
    }
}

/// String instructions and stack pushes use fixed registers.
fn string_operand(opcode: u8, gpr: &[u64; 16]) -> Option<u64> {
    const LIMIT: u64 = 1 << 47;
    let (rsp, rsi, rdi) = (gpr[4], gpr[6], gpr[7]);
    match opcode {
        0xa4 | 0xa5 => Some(if rsi >= LIMIT { rsi } else { rdi }),
        0xaa | 0xab => Some(rdi),
        0xac | 0xad => Some(rsi),
        0x50..=0x5f => Some(rsp),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::operand;

    fn gpr() -> [u64; 16] {
        core::array::from_fn(|i| (i as u64 + 1) << 32)
    }

    #[test]
    fn common_forms() {
        let r = gpr();
        let at = |code: &[u8]| operand(code, &r, 0);
        // mov [rdi], rax
        assert_eq!(at(&[0x48, 0x89, 0x07]), Some(r[7]));
        // mov eax, [rdi + rcx*8 + 0x10]
        assert_eq!(
            at(&[0x8b, 0x44, 0xcf, 0x10]),
            Some(r[7] + (r[1] << 3) + 0x10)
        );
        // vmovups ymm0, [r9 + rax]
        assert_eq!(at(&[0xc4, 0xc1, 0x7c, 0x10, 0x04, 0x01]), Some(r[9] + r[0]));
        // vmovups zmm1, [rax + 0x40] (EVEX, disp8 = 1)
        assert_eq!(
            at(&[0x62, 0xf1, 0x7c, 0x48, 0x10, 0x48, 0x01]),
            Some(r[0] + 0x40)
        );
        // vgatherdps: none
        assert_eq!(at(&[0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x07]), None);
        // mov rax, [rsp - 8]
        assert_eq!(at(&[0x48, 0x8b, 0x44, 0x24, 0xf8]), Some(r[4] - 8));
        // movups [rax + disp32], xmm0
        assert_eq!(at(&[0x0f, 0x11, 0x80, 0, 1, 0, 0]), Some(r[0] + 256));
        // register form, and bytes that end early
        assert_eq!(at(&[0x48, 0x89, 0xc7]), None);
        assert_eq!(at(&[0x48, 0x8b]), None);
    }
}
