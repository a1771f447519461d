//! Formats of texels.

use super::{Object, Stop};
use crate::access;
use abi::texture::{format, sampler};

/// How a channel is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// Unsigned integer.
    Unsigned,
    /// Signed integer.
    Signed,
    /// binary16 or binary32.
    Float,
    /// Unsigned, read as 0 to 1.
    Unorm,
    /// Signed, read as -1 to 1.
    Snorm,
}

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Kind of its channels.
    pub channel: Channel,
    /// Bytes of a channel.
    pub bytes: u32,
    /// Channels: 1, 2 or 4.
    pub channels: u32,
}

impl Format {
    /// From the numbers of a header.
    pub(super) fn of(number: u32, channels: u32) -> Option<Self> {
        let (channel, bytes, channels) = match number {
            format::UINT8 => (Channel::Unsigned, 1, channels),
            format::UINT16 => (Channel::Unsigned, 2, channels),
            format::UINT32 => (Channel::Unsigned, 4, channels),
            format::SINT8 => (Channel::Signed, 1, channels),
            format::SINT16 => (Channel::Signed, 2, channels),
            format::SINT32 => (Channel::Signed, 4, channels),
            format::HALF => (Channel::Float, 2, channels),
            format::FLOAT => (Channel::Float, 4, channels),
            format::UNORM8..=0xc2 => (Channel::Unorm, 1, 1 << (number - format::UNORM8)),
            format::UNORM16..=0xc5 => (Channel::Unorm, 2, 1 << (number - format::UNORM16)),
            format::SNORM8..=0xc8 => (Channel::Snorm, 1, 1 << (number - format::SNORM8)),
            format::SNORM16..=0xcb => (Channel::Snorm, 2, 1 << (number - format::SNORM16)),
            _ => return None,
        };
        matches!(channels, 1 | 2 | 4).then_some(Self {
            channel,
            bytes,
            channels,
        })
    }

    /// Bytes of an element.
    pub(super) fn element(self) -> u32 {
        self.bytes * self.channels
    }
}

/// A texel as an instruction returns it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Texel {
    /// Numbers that can be filtered.
    Float([f32; 4]),
    /// Integers as they are.
    Bits([u32; 4]),
}

impl Object {
    /// Whether texels are read as floating point: floats, normalised ones, and integers of 8 and 16 bits unless the
    /// sampler says otherwise.
    pub(super) fn reads_float(&self) -> bool {
        match self.format.channel {
            Channel::Float | Channel::Unorm | Channel::Snorm => true,
            Channel::Unsigned | Channel::Signed => {
                self.format.bytes < 4
                    && self.descriptor.sampler.flags & sampler::READ_AS_INTEGER == 0
            }
        }
    }

    /// Texel at whole coordinates inside the level.
    pub(super) fn texel(&self, level: u32, x: u32, y: u32, z: u32) -> Result<Texel, Stop> {
        let f = self.format;
        let at = self.byte(level, u64::from(x) * u64::from(f.element()), y, z);
        let raw = raw(at, f)?;
        if !self.reads_float() {
            return Ok(Texel::Bits(match f.channel {
                Channel::Signed => raw.map(|v| sign_extended(v, f.bytes).cast_unsigned()),
                Channel::Unsigned | Channel::Float | Channel::Unorm | Channel::Snorm => raw,
            }));
        }
        let srgb = self.descriptor.sampler.flags & sampler::SRGB != 0 && f.bytes == 1;
        let mut out = [0.0; 4];
        for (index, (to, from)) in out
            .iter_mut()
            .zip(raw)
            .enumerate()
            .take(f.channels as usize)
        {
            let value = number(from, f);
            *to = if srgb && index < 3 {
                linear_of(value)
            } else {
                value
            };
        }
        Ok(Texel::Float(out))
    }
}

/// The channels of an element, as stored; 0 for those that are not there.
fn raw(at: u64, f: Format) -> Result<[u32; 4], Stop> {
    let mut out = [0; 4];
    let step = u64::from(f.bytes);
    for (n, to) in (0..u64::from(f.channels)).zip(&mut out) {
        let a = at.wrapping_add(n * step);
        *to = match f.bytes {
            1 => u32::from(access::load8(a)?),
            2 => u32::from(access::load16(a)?),
            _ => access::load32(a)?,
        };
    }
    Ok(out)
}

/// A stored integer with its sign.
fn sign_extended(value: u32, bytes: u32) -> i32 {
    let shift = 32 - 8 * bytes;
    (value << shift).cast_signed() >> shift
}

/// A channel as a number.
#[expect(
    clippy::cast_precision_loss,
    reason = "8 and 16 bits fit; 32-bit integers are not read as numbers"
)]
#[inline(always)]
pub(super) fn number(value: u32, f: Format) -> f32 {
    let top = match f.bytes {
        1 => 255.0,
        _ => 65535.0,
    };
    let half_top = match f.bytes {
        1 => 127.0,
        _ => 32767.0,
    };
    match f.channel {
        Channel::Float if f.bytes == 2 => f32_of_f16(value as u16),
        Channel::Float => f32::from_bits(value),
        Channel::Unsigned | Channel::Unorm => value as f32 / top,
        Channel::Signed | Channel::Snorm => {
            (sign_extended(value, f.bytes) as f32 / half_top).max(-1.0)
        }
    }
}

/// sRGB to linear (IEC 61966-2-1).
fn linear_of(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// binary16 to binary32.
pub(super) fn f32_of_f16(half: u16) -> f32 {
    let (sign, exponent, mantissa) = (
        u32::from(half >> 15) << 31,
        u32::from(half >> 10 & 31),
        u32::from(half & 0x3ff),
    );
    let bits = match (exponent, mantissa) {
        (0, 0) => sign,
        (0, _) => {
            let shift = mantissa.leading_zeros() - 21;
            sign | (113 - shift) << 23 | (mantissa << (shift + 13) & 0x007f_ffff)
        }
        (31, _) => sign | 0x7f80_0000 | mantissa << 13,
        _ => sign | (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(bits)
}

/// binary32 to binary16, to nearest even.
pub(super) fn f16_of_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return 0x7fff;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal: adding a half unit in the last place aligns the mantissa.
        let sum = f32::from_bits(magnitude) + 0.5;
        return sign | (sum.to_bits() - 0.5_f32.to_bits()) as u16;
    }
    let odd = magnitude >> 13 & 1;
    let rounded = magnitude + 0xfff + odd - (112 << 23);
    sign | (rounded >> 13) as u16
}

/// A number as a channel stores it (formatted stores).
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded and clamped before"
)]
pub(super) fn stored(word: u32, f: Format) -> u32 {
    let value = f32::from_bits(word);
    match f.channel {
        Channel::Unsigned | Channel::Signed => word,
        Channel::Float if f.bytes == 2 => u32::from(f16_of_f32(value)),
        Channel::Float => word,
        Channel::Unorm => {
            let top = if f.bytes == 1 { 255.0 } else { 65535.0 };
            (value.clamp(0.0, 1.0) * top).round_ties_even() as u32
        }
        Channel::Snorm => {
            let top = if f.bytes == 1 { 127.0 } else { 32767.0 };
            ((value.clamp(-1.0, 1.0) * top).round_ties_even() as i32).cast_unsigned()
        }
    }
}
