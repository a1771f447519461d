//! `tex` for all lanes of a warp at once: one texture with one level, no cube, floats or integers as they are stored.
//! What does not fit, and whatever faults, is left to `sample`, lane by lane; the results are the same bits.
#![expect(
    clippy::needless_range_loop,
    reason = "several arrays are walked at once, lane by lane; such loops become vectors"
)]
#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are below 2^28, indices are brought inside before they become unsigned"
)]

use super::convert::{Channel, number};
use super::{Object, address_mode};
use crate::access::{self, Element};
use crate::sm::services;
use abi::texture::{Geometry, Instruction, address, flags, kind, sampler};

const LANES: usize = 32;
/// Steps of a filter's weight: 8 bits behind the point.
const WEIGHT_ONE: f32 = 256.0;
/// Sizes beyond this are left to the general way: twice a size must fit 32 bits.
const SIZE_MAX: u32 = 1 << 28;
/// Indices are cut off here before they become integers: outside of any texture.
const FAR: f64 = (1 << 30) as f64;
/// Index of a texel that the border's colour stands for.
const NONE: i32 = -1;

/// A number per lane.
type Lanes<T> = [T; LANES];

/// The lanes' texels along one dimension: two neighbours, and the weight of the second.
#[derive(Clone, Copy)]
struct Along {
    first: Lanes<i32>,
    second: Lanes<i32>,
    weight: Lanes<f32>,
}

impl Along {
    #[inline(always)]
    fn at(place: Lanes<i32>) -> Self {
        Self {
            first: place,
            second: place,
            weight: [0.0; LANES],
        }
    }
}

/// Brings an index that is at most one texture away (overflow cannot happen, and its check would keep loops from becoming
/// vectors) into the texture of size `n`.
#[inline(always)]
fn fold<const MODE: u32>(index: i32, n: i32) -> i32 {
    match MODE {
        address::WRAP => {
            let up = if index < 0 {
                index.wrapping_add(n)
            } else {
                index
            };
            if up >= n { up.wrapping_sub(n) } else { up }
        }
        address::MIRROR => {
            let twice = n.wrapping_mul(2);
            let up = if index < 0 {
                index.wrapping_add(twice)
            } else {
                index
            };
            let m = if up >= twice {
                up.wrapping_sub(twice)
            } else {
                up
            };
            if m < n {
                m
            } else {
                twice.wrapping_sub(1).wrapping_sub(m)
            }
        }
        address::BORDER => {
            if index < 0 || index >= n {
                NONE
            } else {
                index
            }
        }
        _ => index.max(0).min(n.wrapping_sub(1)),
    }
}

#[inline(always)]
fn along_in<const MODE: u32>(at: &Lanes<f32>, n: i32, normalized: bool, linear: bool) -> Along {
    let size = f64::from(n);
    let mut out = Along::at([0; LANES]);
    let shift = if linear { 0.5 } else { 0.0 };
    for i in 0..LANES {
        let c = f64::from(at[i]);
        let c = if c.is_nan() { 0.0 } else { c };
        let place = match (normalized, MODE) {
            (true, address::WRAP) => (c - c.floor()) * size,
            (true, address::MIRROR) => (c - 2.0 * (c / 2.0).floor()) * size,
            (true, _) => c * size,
            (false, _) => c,
        } - shift;
        let whole = place.floor();
        let inside = if whole.is_nan() { 0.0 } else { whole };
        let inside = if inside < -FAR { -FAR } else { inside };
        let inside = if inside > FAR { FAR } else { inside };
        // SAFETY: a number within ±2^30.
        let index = unsafe { inside.to_int_unchecked::<i32>() };
        out.first[i] = fold::<MODE>(index, n);
        if !linear {
            continue;
        }
        out.second[i] = fold::<MODE>(index.wrapping_add(1), n);
        let past = (place - whole) as f32;
        let past = if past.is_nan() { 0.0 } else { past };
        out.weight[i] = (past * WEIGHT_ONE).round() / WEIGHT_ONE;
    }
    out
}

#[inline(always)]
fn along(at: &Lanes<f32>, n: u32, mode: u32, normalized: bool, linear: bool) -> Along {
    let n = n as i32;
    match address_mode(mode, normalized) {
        address::WRAP => along_in::<{ address::WRAP }>(at, n, normalized, linear),
        address::MIRROR => along_in::<{ address::MIRROR }>(at, n, normalized, linear),
        address::BORDER => along_in::<{ address::BORDER }>(at, n, normalized, linear),
        _ => along_in::<{ address::CLAMP }>(at, n, normalized, linear),
    }
}

/// Where a level's texels lie.
struct Memory {
    base: u64,
    pitch: u32,
    rows: u32,
    element: Element,
    bytes: u32,
}

/// Elements of the lanes, 16 bytes each at most.
#[repr(align(64))]
struct Raw([u32; LANES * 4]);

impl Memory {
    fn of(object: &Object) -> Option<Self> {
        let h = &object.descriptor.header;
        let level = h.level[0];
        let bytes = object.format.element();
        let element = match bytes {
            1 => Element::One,
            2 => Element::Two,
            4 => Element::Four,
            8 => Element::Eight,
            16 => Element::Sixteen,
            _ => return None,
        };
        let lines = u64::from(level.rows.max(1)) * u64::from(h.depth.max(1));
        (lines < 1 << 31).then(|| Self {
            base: h
                .address
                .wrapping_add(u64::from(level.offset) * abi::texture::LEVEL_ALIGN),
            pitch: level.pitch,
            rows: level.rows,
            element,
            bytes,
        })
    }

    /// The lanes' elements; zeros for lanes that are not in `mask` and for the border.
    #[inline(always)]
    fn load(
        &self,
        mask: u32,
        x: &Lanes<i32>,
        y: &Lanes<i32>,
        z: &Lanes<i32>,
        out: &mut Raw,
    ) -> bool {
        static NOTHING: [u64; 2] = [0; 2];
        let nothing = NOTHING.as_ptr() as u64;
        let mut addresses = [0u64; LANES];
        let (mut low, mut high) = (u64::MAX, 0);
        for i in 0..LANES {
            let line = (y[i] as u32).wrapping_add((z[i] as u32).wrapping_mul(self.rows));
            let at = self
                .base
                .wrapping_add(u64::from(line).wrapping_mul(self.pitch.into()))
                .wrapping_add(u64::from(x[i] as u32).wrapping_mul(self.bytes.into()));
            let there = mask >> i & 1 != 0 && (x[i] | y[i] | z[i]) >= 0;
            addresses[i] = if there { at } else { nothing };
            low = low.min(if there { at } else { u64::MAX });
            high = high.max(if there { at } else { 0 });
        }
        if low > high {
            out.0.fill(0);
            return true;
        }
        access::gather(
            self.element,
            &addresses,
            low..high + u64::from(self.bytes),
            &mut out.0,
        )
        .is_ok()
    }
}

/// Channel `c` of the elements, as stored.
#[inline(always)]
fn channel(raw: &Raw, bytes: u32, channels: u32, c: u32) -> Lanes<u32> {
    let mut out = [0; LANES];
    let (c, channels) = (c as usize, channels as usize);
    match bytes {
        1 => {
            for (to, word) in out.iter_mut().zip(&raw.0) {
                *to = word >> (8 * c) & 0xff;
            }
        }
        2 => {
            let words = channels.div_ceil(2);
            for (i, to) in out.iter_mut().enumerate() {
                *to = raw.0[i * words + c / 2] >> (16 * (c % 2)) & 0xffff;
            }
        }
        _ => {
            for (i, to) in out.iter_mut().enumerate() {
                *to = raw.0[i * channels + c];
            }
        }
    }
    out
}

/// What is sampled and how, and the lanes' coordinates.
struct Fetch<'a> {
    object: &'a Object,
    memory: Memory,
    mask: u32,
    floats: bool,
    axes: [Along; 3],
}

impl Fetch<'_> {
    /// Results without a filter.
    #[inline(always)]
    fn nearest(&self, out: &mut [Lanes<u32>; 4]) -> bool {
        let f = self.object.format;
        let [x, y, z] = &self.axes;
        let mut raw = Raw([0; LANES * 4]);
        if !self
            .memory
            .load(self.mask, &x.first, &y.first, &z.first, &mut raw)
        {
            return false;
        }
        for c in 0..f.channels {
            let stored = channel(&raw, f.bytes, f.channels, c);
            let to = &mut out[c as usize];
            if f.channel == Channel::Float && f.bytes == 4 {
                *to = stored;
            } else if self.floats {
                for i in 0..LANES {
                    to[i] = number(stored[i], f).to_bits();
                }
            } else if f.channel == Channel::Signed {
                let shift = 32 - 8 * f.bytes;
                for i in 0..LANES {
                    to[i] = ((stored[i] << shift).cast_signed() >> shift).cast_unsigned();
                }
            } else {
                *to = stored;
            }
        }
        for c in 0..4 {
            let border = self.object.descriptor.sampler.border[c];
            let border = if self.floats {
                border.to_bits()
            } else {
                (border as i64 & 0xffff_ffff) as u32
            };
            for i in 0..LANES {
                if (x.first[i] | y.first[i] | z.first[i]) < 0 {
                    out[c][i] = border;
                }
            }
        }
        true
    }

    /// Results of a linear filter over the first `dimensions`.
    #[inline(always)]
    fn linear(&self, dimensions: u32, out: &mut [Lanes<u32>; 4]) -> bool {
        let f = self.object.format;
        let s = &self.object.descriptor.sampler;
        let bordered = s.address.contains(&address::BORDER);
        let mut sums = [[0.0f32; LANES]; 4];
        let mut raw = Raw([0; LANES * 4]);
        for corner in 0..1u32 << dimensions {
            let mut weight = [1.0f32; LANES];
            let mut ends = [
                &self.axes[0].first,
                &self.axes[1].first,
                &self.axes[2].first,
            ];
            for axis in 0..dimensions as usize {
                if corner >> axis & 1 != 0 {
                    ends[axis] = &self.axes[axis].second;
                }
            }
            for axis in 0..dimensions as usize {
                let w = &self.axes[axis].weight;
                let far = corner >> axis & 1 != 0;
                for i in 0..LANES {
                    weight[i] *= if far { w[i] } else { 1.0 - w[i] };
                }
            }
            let [x, y, z] = ends;
            if !self.memory.load(self.mask, x, y, z, &mut raw) {
                return false;
            }
            for c in 0..if bordered { 4 } else { f.channels } {
                let mut values = [0.0; LANES];
                if c < f.channels {
                    let stored = channel(&raw, f.bytes, f.channels, c);
                    if f.channel == Channel::Float && f.bytes == 4 {
                        values = stored.map(f32::from_bits);
                    } else {
                        for i in 0..LANES {
                            values[i] = number(stored[i], f);
                        }
                    }
                }
                let border = s.border[c as usize];
                let sum = &mut sums[c as usize];
                for i in 0..LANES {
                    let none = bordered && (x[i] | y[i] | z[i]) < 0;
                    let value = if none { border } else { values[i] };
                    let more = sum[i] + weight[i] * value;
                    sum[i] = if weight[i] == 0.0 { sum[i] } else { more };
                }
            }
        }
        for (to, sum) in out.iter_mut().zip(&sums) {
            for i in 0..LANES {
                to[i] = sum[i].to_bits();
            }
        }
        true
    }
}

/// Samples for the lanes of `mask`; false, and nothing done, if this is not the way to do it.
///
/// # Safety
/// `arguments` and `results` point to as many rows as the instruction says; lanes in `mask` are valid.
pub(super) unsafe fn sample(
    instruction: Instruction,
    object: &Object,
    mask: u32,
    arguments: *const [u32; LANES],
    results: *mut [u32; LANES],
) -> bool {
    let h = &object.descriptor.header;
    let s = &object.descriptor.sampler;
    let cube = matches!(instruction.geometry, Geometry::Cube | Geometry::ACube);
    let srgb = s.flags & sampler::SRGB != 0 && object.format.bytes == 1;
    let large = object.size(0).iter().any(|n| *n > SIZE_MAX);
    if h.levels != 1
        || h.flags & (flags::SURFACE | flags::CUBEMAP) != 0
        || cube
        || srgb
        || large
        || instruction.half
    {
        return false;
    }
    let Some(memory) = Memory::of(object) else {
        return false;
    };
    let mut out = [[0; LANES]; 4];
    // SAFETY: the caller's contract; the second needs what is asked for first.
    let done = unsafe {
        if is_x86_feature_detected!("avx2") {
            sample_avx2(instruction, object, memory, mask, arguments, &mut out)
        } else {
            sample_in(instruction, object, memory, mask, arguments, &mut out)
        }
    };
    if done {
        for (n, row) in out.iter().enumerate() {
            // SAFETY: the caller's contract: samples have four rows of results.
            unsafe {
                if mask == u32::MAX {
                    results.add(n).write_unaligned(*row);
                } else {
                    for lane in services::lanes(mask) {
                        let to = results.cast::<u32>().add(n * LANES + lane);
                        to.write_unaligned(row[lane]);
                    }
                }
            }
        }
    }
    done
}

/// # Safety
/// As [`sample`], on a CPU with AVX2.
#[target_feature(enable = "avx2")]
unsafe fn sample_avx2(
    instruction: Instruction,
    object: &Object,
    memory: Memory,
    mask: u32,
    arguments: *const [u32; LANES],
    out: &mut [Lanes<u32>; 4],
) -> bool {
    // SAFETY: the caller's contract.
    unsafe { sample_in(instruction, object, memory, mask, arguments, out) }
}

/// # Safety
/// As [`sample`].
#[inline(always)]
unsafe fn sample_in(
    instruction: Instruction,
    object: &Object,
    memory: Memory,
    mask: u32,
    arguments: *const [u32; LANES],
    out: &mut [Lanes<u32>; 4],
) -> bool {
    let g = instruction.geometry;
    let h = &object.descriptor.header;
    let s = &object.descriptor.sampler;
    let floats = object.reads_float();
    let nothing = Along::at([0; LANES]);
    if instruction.integer && g == Geometry::D1 && h.kind == kind::LINEAR {
        // SAFETY: the caller's contract.
        let index = unsafe { row(arguments, 0, mask) };
        let (mut x, mut inside) = ([0; LANES], 0);
        for i in 0..LANES {
            if index[i] < h.width {
                x[i] = index[i] as i32;
                inside |= 1 << i;
            }
        }
        let fetch = Fetch {
            object,
            memory,
            mask: mask & inside,
            floats,
            axes: [Along::at(x), nothing, nothing],
        };
        return fetch.nearest(out);
    }
    let dimensions = g.coordinates();
    let linear = s.filter == 1 && floats && !instruction.integer;
    let normalized = !instruction.integer && s.flags & sampler::NORMALIZED_COORDINATES != 0;
    let size = object.size(0);
    let first = usize::from(g.layered());
    let mut axes = [nothing; 3];
    for n in 0..dimensions as usize {
        // SAFETY: the caller's contract.
        let words = unsafe { row(arguments, first + n, mask) };
        let mut at = [0.0; LANES];
        for i in 0..LANES {
            at[i] = if instruction.integer {
                words[i].cast_signed() as f32
            } else {
                f32::from_bits(words[i])
            };
        }
        axes[n] = along(&at, size[n], s.address[n], normalized, linear);
    }
    if dimensions < 3 && g.layered() {
        let layers = if h.flags & flags::LAYERED != 0 {
            h.depth.max(1)
        } else {
            1
        };
        // SAFETY: the caller's contract.
        let mut layer = unsafe { row(arguments, 0, mask) };
        for to in &mut layer {
            *to = to.cast_signed().max(0).cast_unsigned().min(layers - 1);
        }
        axes[2] = Along::at(layer.map(u32::cast_signed));
    }
    let fetch = Fetch {
        object,
        memory,
        mask,
        floats,
        axes,
    };
    if linear {
        fetch.linear(dimensions, out)
    } else {
        fetch.nearest(out)
    }
}

/// Row `n` of the arguments, zeros for lanes that are not in `mask`.
///
/// # Safety
/// There is such a row.
#[inline(always)]
unsafe fn row(arguments: *const [u32; LANES], n: usize, mask: u32) -> Lanes<u32> {
    // SAFETY: the caller's contract; lanes outside of the mask hold something, and are not looked at.
    let mut words = unsafe { arguments.add(n).read_unaligned() };
    if mask != u32::MAX {
        for i in 0..LANES {
            words[i] = if mask >> i & 1 != 0 { words[i] } else { 0 };
        }
    }
    words
}
