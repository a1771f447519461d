//! `suld`, `sust`, `sured`.

use super::convert::stored;
use super::{Object, RESULTS_MAX, Stop};
use crate::access;
use abi::texture::{Edge, Geometry, Instruction, Reduction, flags};

/// Where an access goes; `None` for nowhere (`.zero`).
fn place(
    instruction: Instruction,
    object: &Object,
    words: &[u32],
    bytes: u32,
) -> Result<Option<u64>, Stop> {
    if object.descriptor.header.flags & flags::SURFACE == 0 {
        return Err(Stop::Kind);
    }
    let g = instruction.geometry;
    let [width, height, depth] = object.size(0);
    let element = object.format.element();
    let first = usize::from(g.layered());
    let word = |index: usize| i64::from(words.get(index).map_or(0, |w| w.cast_signed()));
    let scale = if instruction.formatted {
        i64::from(element)
    } else {
        1
    };
    let x = word(first) * scale;
    let y = if g.coordinates() > 1 {
        word(first + 1)
    } else {
        0
    };
    let z = match g {
        Geometry::D3 => word(first + 2),
        _ if g.layered() => word(0),
        _ => 0,
    };
    let last = i64::from(width) * i64::from(element) - i64::from(bytes);
    let limits = [last, i64::from(height) - 1, i64::from(depth) - 1];
    if last < 0 {
        return Err(Stop::Kind);
    }
    let mut at = [x, y, z];
    let inside = at.iter().zip(limits).all(|(v, top)| (0..=top).contains(v));
    if !inside {
        match instruction.edge {
            Edge::Trap => return Err(Stop::Edge),
            Edge::Zero => return Ok(None),
            Edge::Clamp => {
                for (v, top) in at.iter_mut().zip(limits) {
                    *v = (*v).clamp(0, top);
                }
            }
        }
    }
    // Addresses are rounded down to the access, as PTX allows.
    let unit = i64::from(instruction.bytes);
    let whole = |v: i64| u32::try_from(v).unwrap_or(0);
    let x = u64::try_from(at[0] / unit * unit).unwrap_or(0);
    Ok(Some(object.byte(0, x, whole(at[1]), whole(at[2]))))
}

/// Loads elements.
pub(super) fn load(
    instruction: Instruction,
    object: &Object,
    words: &[u32],
    out: &mut [u32; RESULTS_MAX],
) -> Result<(), Stop> {
    let step = u32::from(instruction.bytes);
    let lanes = u32::from(instruction.lanes);
    let Some(at) = place(instruction, object, words, step * lanes)? else {
        return Ok(());
    };
    for n in 0..lanes {
        let a = at.wrapping_add(u64::from(n * step));
        let n = n as usize;
        match instruction.bytes {
            1 => out[n] = access::load8(a)?.into(),
            2 => out[n] = access::load16(a)?.into(),
            4 => out[n] = access::load32(a)?,
            _ => {
                let value = access::load64(a)?;
                out[2 * n] = value as u32;
                out[2 * n + 1] = (value >> 32) as u32;
            }
        }
    }
    Ok(())
}

/// Stores elements.
pub(super) fn store(instruction: Instruction, object: &Object, words: &[u32]) -> Result<(), Stop> {
    let from = instruction.coordinate_words() as usize;
    if instruction.formatted {
        return store_formatted(instruction, object, words, from);
    }
    let step = u32::from(instruction.bytes);
    let lanes = u32::from(instruction.lanes);
    let Some(at) = place(instruction, object, words, step * lanes)? else {
        return Ok(());
    };
    for n in 0..lanes {
        let a = at.wrapping_add(u64::from(n * step));
        let n = n as usize;
        match instruction.bytes {
            1 => access::store8(a, words[from + n] as u8)?,
            2 => access::store16(a, words[from + n] as u16)?,
            4 => access::store32(a, words[from + n])?,
            _ => {
                let (low, high) = (words[from + 2 * n], words[from + 2 * n + 1]);
                access::store64(a, u64::from(low) | u64::from(high) << 32)?;
            }
        }
    }
    Ok(())
}

/// Stores as many channels as the surface has, converted to its format.
fn store_formatted(
    instruction: Instruction,
    object: &Object,
    words: &[u32],
    from: usize,
) -> Result<(), Stop> {
    let f = object.format;
    let whole = Instruction {
        bytes: 1,
        ..instruction
    };
    let Some(at) = place(whole, object, words, f.element())? else {
        return Ok(());
    };
    for n in 0..f.channels.min(u32::from(instruction.lanes)) {
        let a = at.wrapping_add(u64::from(n * f.bytes));
        let value = stored(words[from + n as usize], f);
        match f.bytes {
            1 => access::store8(a, value as u8)?,
            2 => access::store16(a, value as u16)?,
            _ => access::store32(a, value)?,
        }
    }
    Ok(())
}

/// An atomic operation whose result nobody wants.
pub(super) fn reduce(instruction: Instruction, object: &Object, words: &[u32]) -> Result<(), Stop> {
    let from = instruction.coordinate_words() as usize;
    let Some(at) = place(instruction, object, words, instruction.bytes.into())? else {
        return Ok(());
    };
    let code = instruction.detail_code;
    if instruction.bytes == 8 {
        let value = u64::from(words[from]) | u64::from(words[from + 1]) << 32;
        let mut old = access::load64(at)?;
        loop {
            let new = combined(code, old, value, |v| i128::from(v.cast_signed()));
            let seen = access::cas64(at, old, new)?;
            if seen == old {
                return Ok(());
            }
            old = seen;
        }
    }
    let value = u64::from(words[from]);
    let mut old = access::load32(at)?;
    loop {
        let signed = |v: u64| i128::from((v as u32).cast_signed());
        let new = combined(code, old.into(), value, signed) as u32;
        let seen = access::cas32(at, old, new)?;
        if seen == old {
            return Ok(());
        }
        old = seen;
    }
}

fn combined(code: u8, old: u64, value: u64, signed: impl Fn(u64) -> i128) -> u64 {
    let is = |r: Reduction| code == r as u8;
    let smaller = signed(value) < signed(old);
    if is(Reduction::Add) {
        old.wrapping_add(value)
    } else if is(Reduction::UMin) {
        old.min(value)
    } else if is(Reduction::UMax) {
        old.max(value)
    } else if is(Reduction::SMin) {
        if smaller { value } else { old }
    } else if is(Reduction::SMax) {
        if smaller { old } else { value }
    } else if is(Reduction::And) {
        old & value
    } else {
        old | value
    }
}
