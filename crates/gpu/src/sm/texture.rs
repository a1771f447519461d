//! The texture unit: what `tex`, `tld4`, `txq`, `suld`, `sust`, `sured` and `suq` do.
//!
//! Descriptors and texels are the client's memory and may hold anything: every address is computed in 64 bits without
//! overflow that matters, and every access is guarded (`access`), so that a bad one becomes a fault of the kernel.
//!
//! Filtering follows the CUDA Programming Guide ("Texture Fetching"): weights have 8 bits behind the point (9 bits in
//! all, 1.8), texel i lies at i + 0.5.

mod convert;
mod sample;
mod surface;
mod warp;

use crate::access::{self, AccessFault};
use crate::sm::services;
use abi::sm::{CtaContext, trap};
use abi::texture::{
    DESCRIPTOR_STRIDE, Descriptor, Instruction, LEVELS_MAX, MAGIC, Query, What, address, flags,
    format, sampler,
};
use convert::Format;
use zerocopy::{FromZeros, IntoBytes};

/// Words of an instruction at most.
const ARGUMENTS_MAX: usize = 12;
/// Words of a result at most: four elements of 8 bytes.
const RESULTS_MAX: usize = 8;

/// Why an access cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its object is none.
    NoObject(u64),
    /// Its memory is not there.
    Fault(AccessFault),
    /// It lies beyond the surface's edge, and the instruction asks for a trap.
    Edge,
    /// The object is not of the kind that the instruction needs.
    Kind,
}

impl From<AccessFault> for Stop {
    fn from(fault: AccessFault) -> Self {
        Self::Fault(fault)
    }
}

impl Stop {
    /// Kind of trap, and the address for its record.
    fn trap(self) -> (u32, u64) {
        match self {
            Self::NoObject(handle) => (trap::OUT_OF_RANGE, handle),
            Self::Fault(fault) => (trap::OUT_OF_RANGE, fault.address),
            Self::Edge => (trap::TRAP, 0),
            Self::Kind => (trap::ILLEGAL_INSTRUCTION, 0),
        }
    }
}

/// An object that was looked at.
#[derive(Clone, Copy, Debug)]
struct Object {
    descriptor: Descriptor,
    format: Format,
}

/// Reads the descriptor that `handle` means: its address, or the address of a reference that holds it.
fn object(handle: u64) -> Result<Object, Stop> {
    const _: () = assert!(size_of::<Descriptor>() as u64 <= DESCRIPTOR_STRIDE);
    let bad = Stop::NoObject(handle);
    if handle == 0 || !handle.is_multiple_of(8) {
        return Err(bad);
    }
    let first = access::load64(handle).map_err(|_| bad)?;
    let at = if first == MAGIC { handle } else { first };
    if at != handle && (at == 0 || !at.is_multiple_of(8) || access::load64(at) != Ok(MAGIC)) {
        return Err(bad);
    }
    let mut descriptor = Descriptor::new_zeroed();
    access::read_bytes(at, descriptor.as_mut_bytes()).map_err(|_| bad)?;
    let header = &descriptor.header;
    let usable = header.magic == MAGIC
        && (1..=LEVELS_MAX as u32).contains(&header.levels)
        && header.width != 0
        && header.width <= 1 << 30
        && header.height <= 1 << 30
        && header.depth <= 1 << 30;
    let format = Format::of(header.format, header.channels).filter(|_| usable);
    format
        .map(|format| Object { descriptor, format })
        .ok_or(bad)
}

impl Object {
    /// Size of a level: line, lines, slices (or layers, which do not shrink); at least 1 each.
    fn size(&self, level: u32) -> [u32; 3] {
        let h = &self.descriptor.header;
        let shrunk = |n: u32| (n >> level.min(31)).max(1);
        let depth = if h.flags & flags::LAYERED != 0 || h.flags & flags::CUBEMAP != 0 {
            h.depth.max(1)
        } else {
            shrunk(h.depth)
        };
        [shrunk(h.width), shrunk(h.height), depth]
    }

    /// Address of byte `x` of a line.
    fn byte(&self, level: u32, x: u64, y: u32, z: u32) -> u64 {
        let h = &self.descriptor.header;
        let l = h.level[level.min(LEVELS_MAX as u32 - 1) as usize];
        let line = u64::from(y) + u64::from(z) * u64::from(l.rows);
        h.address
            .wrapping_add(u64::from(l.offset) * abi::texture::LEVEL_ALIGN)
            .wrapping_add(line.wrapping_mul(u64::from(l.pitch)))
            .wrapping_add(x)
    }
}

/// One lane's access: its arguments to its results.
fn lane(
    instruction: Instruction,
    object: &Object,
    arguments: &[u32; ARGUMENTS_MAX],
) -> Result<[u32; RESULTS_MAX], Stop> {
    let surface = object.descriptor.header.flags & flags::SURFACE != 0;
    let mut out = [0; RESULTS_MAX];
    match instruction.what {
        What::Sample | What::Gather if surface => return Err(Stop::Kind),
        What::Sample => sample::sample(instruction, object, arguments, &mut out)?,
        What::Gather => sample::gather(instruction, object, arguments, &mut out)?,
        What::Query => out[0] = query(instruction, object, arguments[0]),
        What::IsType => {
            out[0] = u32::from(match instruction.detail_code {
                0 => !surface,
                2 => surface,
                _ => false,
            });
        }
        What::Load => surface::load(instruction, object, arguments, &mut out)?,
        What::Store => surface::store(instruction, object, arguments)?,
        What::Reduce => surface::reduce(instruction, object, arguments)?,
    }
    Ok(out)
}

/// Answers `txq` and `suq`. Numbers of channel types and orders are OpenCL's, as PTX says.
fn query(instruction: Instruction, object: &Object, level: u32) -> u32 {
    const CHANNEL_R: u32 = 0x10b0;
    const CHANNEL_RG: u32 = 0x10b2;
    const CHANNEL_RGBA: u32 = 0x10b5;
    let h = &object.descriptor.header;
    let s = &object.descriptor.sampler;
    let level = if instruction.detail == abi::texture::Detail::Level {
        level.min(h.levels - 1)
    } else {
        0
    };
    let [width, height, depth] = object.size(level);
    let layered = h.flags & (flags::LAYERED | flags::CUBEMAP) != 0;
    let is = |q: Query| instruction.detail_code == q as u8;
    if is(Query::Width) {
        width
    } else if is(Query::Height) {
        if h.height == 0 { 0 } else { height }
    } else if is(Query::Depth) {
        if layered || h.depth == 0 { 0 } else { depth }
    } else if is(Query::ChannelType) {
        match h.format {
            format::SINT8 => 0x10d7,
            format::SINT16 => 0x10d8,
            format::SINT32 => 0x10d9,
            format::UINT8 => 0x10da,
            format::UINT16 => 0x10db,
            format::UINT32 => 0x10dc,
            format::HALF => 0x10dd,
            format::FLOAT => 0x10de,
            format::SNORM8..=0xc8 => 0x10d0,
            format::SNORM16..=0xcb => 0x10d1,
            format::UNORM8..=0xc2 => 0x10d2,
            _ => 0x10d3,
        }
    } else if is(Query::ChannelOrder) {
        match object.format.channels {
            1 => CHANNEL_R,
            2 => CHANNEL_RG,
            _ => CHANNEL_RGBA,
        }
    } else if is(Query::Normalized) {
        u32::from(s.flags & sampler::NORMALIZED_COORDINATES != 0)
    } else if is(Query::ArraySize) {
        match (layered, h.flags & flags::CUBEMAP != 0) {
            (false, _) => 0,
            (true, false) => h.depth,
            (true, true) => h.depth / 6,
        }
    } else if is(Query::Levels) {
        h.levels
    } else if is(Query::Samples) {
        1
    } else if is(Query::Filter) {
        s.filter
    } else if is(Query::AddressMode0) {
        s.address[0]
    } else if is(Query::AddressMode1) {
        s.address[1]
    } else if is(Query::AddressMode2) {
        s.address[2]
    } else {
        0
    }
}

/// The lanes' accesses.
pub(super) extern "C" fn texture(
    ctx: *const CtaContext,
    warp: u32,
    mask: u32,
    instruction: u64,
    handle: *const u64,
    arguments: *const [u32; 32],
    results: *mut [u32; 32],
    line: u32,
) {
    let Some(decoded) = Instruction::decode(instruction) else {
        return services::trap_now(ctx, warp, trap::ILLEGAL_INSTRUCTION, mask, 0, line);
    };
    let (takes, gives) = (
        (decoded.arguments() as usize).min(ARGUMENTS_MAX),
        (decoded.results() as usize).min(RESULTS_MAX),
    );
    // Lanes mostly use one object.
    let mut known: Option<(u64, Object)> = None;
    if decoded.what == What::Sample && mask != 0 {
        // SAFETY: the contract: arrays have 32 elements, of which those in the mask are valid.
        let handles = |lane: usize| unsafe { services::at(handle, lane) };
        let first = handles(mask.trailing_zeros() as usize);
        if services::lanes(mask).all(|lane| handles(lane) == first)
            && let Ok(found) = object(first)
        {
            // SAFETY: the contract.
            if unsafe { warp::sample(decoded, &found, mask, arguments, results) } {
                return;
            }
            known = Some((first, found));
        }
    }
    for number in services::lanes(mask) {
        // SAFETY: the contract: arrays have 32 elements, of which those in the mask are valid.
        let h = unsafe { services::at(handle, number) };
        let found = match known {
            Some((k, found)) if k == h => Ok(found),
            Some(_) | None => object(h),
        };
        let outcome = found.and_then(|found| {
            known = Some((h, found));
            let mut words = [0; ARGUMENTS_MAX];
            for (n, word) in words[..takes].iter_mut().enumerate() {
                // SAFETY: as above; the instruction says how many words there are.
                *word = unsafe { services::at(arguments.cast::<u32>(), n * 32 + number) };
            }
            lane(decoded, &found, &words)
        });
        match outcome {
            Ok(words) => {
                for (n, word) in words[..gives].iter().enumerate() {
                    // SAFETY: as above.
                    unsafe {
                        results
                            .cast::<u32>()
                            .add(n * 32 + number)
                            .write_unaligned(*word);
                    }
                }
            }
            Err(stop) => {
                let (kind, address) = stop.trap();
                return services::trap_now(ctx, warp, kind, 1 << number, address, line);
            }
        }
    }
}

/// Whether an address mode is one that needs coordinates from 0 to 1; others fall back to clamping.
fn address_mode(mode: u32, normalized: bool) -> u32 {
    match mode {
        address::WRAP | address::MIRROR if !normalized => address::CLAMP,
        other => other,
    }
}

#[cfg(test)]
mod tests;
