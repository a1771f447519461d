//! `tex` and `tld4`: coordinates, address modes, filters, levels.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are below 2^30, and coordinates saturate as the hardware's do"
)]

use super::convert::{Texel, f16_of_f32};
use super::{Object, RESULTS_MAX, Stop, address_mode};
use abi::texture::{Detail, Geometry, Instruction, address, flags, kind, sampler};

/// Steps of a filter's weight: 8 bits behind the point.
const WEIGHT_ONE: f32 = 256.0;

/// A texel's place along one dimension: its index, or nothing where the border's colour is.
type Place = Option<u32>;

/// Two neighbours along one dimension, and the weight of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    first: Place,
    second: Place,
    weight: f32,
}

impl Pair {
    fn one(place: Place) -> Self {
        Self {
            first: place,
            second: place,
            weight: 0.0,
        }
    }
}

/// Brings an index into the texture.
fn fold(index: i64, size: u32, mode: u32) -> Place {
    let n = i64::from(size);
    let inside = match mode {
        address::WRAP => index.rem_euclid(n),
        address::MIRROR => {
            let m = index.rem_euclid(2 * n);
            if m < n { m } else { 2 * n - 1 - m }
        }
        address::BORDER => {
            if !(0..n).contains(&index) {
                return None;
            }
            index
        }
        _ => index.clamp(0, n - 1),
    };
    u32::try_from(inside).ok()
}

/// The texels along one dimension.
fn along(coordinate: f32, size: u32, mode: u32, normalized: bool, linear: bool) -> Pair {
    let mode = address_mode(mode, normalized);
    let n = f64::from(size);
    let c = f64::from(coordinate);
    let c = if c.is_nan() { 0.0 } else { c };
    let at = match (normalized, mode) {
        (true, address::WRAP) => (c - c.floor()) * n,
        (true, address::MIRROR) => (c - 2.0 * (c / 2.0).floor()) * n,
        (true, _) => c * n,
        (false, _) => c,
    };
    if !linear {
        return Pair::one(fold(at.floor() as i64, size, mode));
    }
    let at = at - 0.5;
    let whole = at.floor();
    let index = whole as i64;
    // An infinite coordinate lies on no texel's side.
    let past = if at.is_finite() { at - whole } else { 0.0 };
    Pair {
        first: fold(index, size, mode),
        second: fold(index.saturating_add(1), size, mode),
        weight: (past as f32 * WEIGHT_ONE).round() / WEIGHT_ONE,
    }
}

/// Where a direction meets the cube: face, and coordinates from 0 to 1 (CUDA Programming Guide, "Cubemap Textures").
fn face_of([x, y, z]: [f32; 3]) -> (u32, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, m, s, t) = if ax >= ay && ax >= az {
        if x >= 0.0 {
            (0, ax, -z, -y)
        } else {
            (1, ax, z, -y)
        }
    } else if ay >= az {
        if y >= 0.0 {
            (2, ay, x, z)
        } else {
            (3, ay, x, -z)
        }
    } else if z >= 0.0 {
        (4, az, x, -y)
    } else {
        (5, az, -x, -y)
    };
    if m == 0.0 {
        return (face, 0.5, 0.5);
    }
    (face, f32::midpoint(s / m, 1.0), f32::midpoint(t / m, 1.0))
}

/// Direction of a place on a face, perhaps a little beyond it.
fn direction_of(face: u32, s: f32, t: f32) -> [f32; 3] {
    let (s, t) = (2.0 * s - 1.0, 2.0 * t - 1.0);
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// What an instruction's words say.
struct Request {
    /// First layer of the texture that counts (a face of a cube is added).
    layer: u32,
    /// Coordinates.
    at: [f32; 3],
    /// Coordinates that are used.
    dimensions: u32,
}

fn float(words: &[u32], index: usize) -> f32 {
    words.get(index).copied().map_or(0.0, f32::from_bits)
}

fn request(instruction: Instruction, object: &Object, words: &[u32]) -> Result<Request, Stop> {
    let g = instruction.geometry;
    let h = &object.descriptor.header;
    let cube = matches!(g, Geometry::Cube | Geometry::ACube);
    if cube && h.flags & flags::CUBEMAP == 0 {
        return Err(Stop::Kind);
    }
    let first = usize::from(g.layered());
    let layers = match (h.flags & (flags::LAYERED | flags::CUBEMAP) != 0, cube) {
        (false, _) => 1,
        (true, false) => h.depth.max(1),
        (true, true) => (h.depth / 6).max(1),
    };
    let layer = if g.layered() {
        let wanted = words[0].cast_signed().max(0).cast_unsigned();
        wanted.min(layers - 1)
    } else {
        0
    };
    let mut at = [
        float(words, first),
        float(words, first + 1),
        float(words, first + 2),
    ];
    let mut dimensions = g.coordinates();
    let mut layer = layer;
    if instruction.integer {
        for (to, word) in at.iter_mut().zip(&words[first..]) {
            *to = word.cast_signed() as f32;
        }
    } else if cube {
        let (face, s, t) = face_of(at);
        layer = layer * 6 + face;
        at = [s, t, 0.0];
        dimensions = 2;
    }
    Ok(Request {
        layer,
        at,
        dimensions,
    })
}

/// Samples.
pub(super) fn sample(
    instruction: Instruction,
    object: &Object,
    words: &[u32],
    out: &mut [u32; RESULTS_MAX],
) -> Result<(), Stop> {
    let h = &object.descriptor.header;
    let s = &object.descriptor.sampler;
    if instruction.integer && instruction.geometry == Geometry::D1 && h.kind == kind::LINEAR {
        return fetch(object, words[0], instruction.half, out);
    }
    let r = request(instruction, object, words)?;
    let g = instruction.geometry;
    let more = (g.coordinates() + u32::from(g.layered())) as usize;
    let detail = match instruction.detail {
        Detail::Base => 0.0,
        Detail::Level if instruction.integer => words[more].cast_signed() as f32,
        Detail::Level => float(words, more),
        Detail::Gradient => gradient(instruction, object, words, more),
    };
    let detail = (detail + s.bias).max(s.min_level).min(s.max_level);
    let top = (h.levels - 1) as f32;
    let detail = if detail.is_nan() {
        0.0
    } else {
        detail.clamp(0.0, top)
    };
    let texel = if h.levels > 1 && s.level_filter == 1 {
        let low = detail.floor();
        let weight = ((detail - low) * WEIGHT_ONE).round() / WEIGHT_ONE;
        let first = filtered(instruction, object, &r, low as u32)?;
        if weight == 0.0 {
            first
        } else {
            let second = filtered(instruction, object, &r, low as u32 + 1)?;
            mixed(first, second, weight)
        }
    } else {
        filtered(instruction, object, &r, (detail + 0.5).floor() as u32)?
    };
    give(texel, instruction.half, out);
    Ok(())
}

/// `tex1Dfetch`: an element by number; zeros beyond the end.
fn fetch(
    object: &Object,
    index: u32,
    half: bool,
    out: &mut [u32; RESULTS_MAX],
) -> Result<(), Stop> {
    if index < object.descriptor.header.width {
        give(object.texel(0, index, 0, 0)?, half, out);
    }
    Ok(())
}

fn give(texel: Texel, half: bool, out: &mut [u32; RESULTS_MAX]) {
    match texel {
        Texel::Bits(bits) => out[..4].copy_from_slice(&bits),
        Texel::Float(values) if half => {
            let [r, g, b, a] = values.map(|v| u32::from(f16_of_f32(v)));
            (out[0], out[1]) = (r | g << 16, b | a << 16);
        }
        Texel::Float(values) => out[..4].copy_from_slice(&values.map(f32::to_bits)),
    }
}

/// Level of detail by the longer gradient, in texels of the base level.
fn gradient(instruction: Instruction, object: &Object, words: &[u32], from: usize) -> f32 {
    let n = instruction.geometry.coordinates() as usize;
    let size = object.size(0);
    let normalized = object.descriptor.sampler.flags & sampler::NORMALIZED_COORDINATES != 0;
    let cube = matches!(instruction.geometry, Geometry::Cube | Geometry::ACube);
    let length = |at: usize| {
        let sum: f32 = (0..n)
            .map(|axis| {
                let scale = match (normalized, cube) {
                    (_, true) => size[0] as f32 / 2.0,
                    (true, false) => size[axis] as f32,
                    (false, false) => 1.0,
                };
                let d = float(words, at + axis) * scale;
                d * d
            })
            .sum();
        sum.sqrt()
    };
    length(from).max(length(from + n)).log2()
}

/// The pairs of texels of a level along each dimension.
fn pairs(
    instruction: Instruction,
    object: &Object,
    r: &Request,
    level: u32,
    linear: bool,
) -> [Pair; 3] {
    let s = &object.descriptor.sampler;
    let cube = matches!(instruction.geometry, Geometry::Cube | Geometry::ACube);
    let normalized = cube || !instruction.integer && s.flags & sampler::NORMALIZED_COORDINATES != 0;
    let size = object.size(level);
    let mut out = [Pair::one(Some(0)); 3];
    for (axis, pair) in out.iter_mut().enumerate().take(r.dimensions as usize) {
        let mode = if cube {
            address::CLAMP
        } else {
            s.address[axis]
        };
        *pair = along(r.at[axis], size[axis], mode, normalized, linear);
    }
    if r.dimensions < 3 {
        out[2] = Pair::one(Some(r.layer));
    }
    out
}

/// The filtered texel of a level.
fn filtered(
    instruction: Instruction,
    object: &Object,
    r: &Request,
    level: u32,
) -> Result<Texel, Stop> {
    let s = &object.descriptor.sampler;
    let level = level.min(object.descriptor.header.levels - 1);
    let linear = s.filter == 1 && object.reads_float() && !instruction.integer;
    let cube = matches!(instruction.geometry, Geometry::Cube | Geometry::ACube);
    if cube && linear && s.flags & sampler::SEAMLESS_CUBEMAP != 0 {
        return seamless(object, r, level);
    }
    let [x, y, z] = pairs(instruction, object, r, level, linear);
    if !linear {
        return at_places(object, level, x.first, y.first, z.first);
    }
    let mut sum = [0.0; 4];
    for (zp, zw) in ends(z, r.dimensions > 2) {
        for (yp, yw) in ends(y, r.dimensions > 1) {
            for (xp, xw) in ends(x, true) {
                let weight = xw * yw * zw;
                if weight == 0.0 {
                    continue;
                }
                if let Texel::Float(values) = at_places(object, level, xp, yp, zp)? {
                    for (to, v) in sum.iter_mut().zip(values) {
                        *to += weight * v;
                    }
                }
            }
        }
    }
    Ok(Texel::Float(sum))
}

/// Both ends of a pair with their weights; only the first along a dimension that is not filtered.
fn ends(pair: Pair, filtered: bool) -> impl Iterator<Item = (Place, f32)> {
    let first = (pair.first, if filtered { 1.0 - pair.weight } else { 1.0 });
    let second = filtered.then_some((pair.second, pair.weight));
    std::iter::once(first).chain(second)
}

fn at_places(object: &Object, level: u32, x: Place, y: Place, z: Place) -> Result<Texel, Stop> {
    match (x, y, z) {
        (Some(x), Some(y), Some(z)) => object.texel(level, x, y, z),
        _ => Ok(border(object)),
    }
}

fn border(object: &Object) -> Texel {
    let colour = object.descriptor.sampler.border;
    if object.reads_float() {
        Texel::Float(colour)
    } else {
        Texel::Bits(colour.map(|v| (v as i64 & 0xffff_ffff) as u32))
    }
}

fn mixed(first: Texel, second: Texel, weight: f32) -> Texel {
    match (first, second) {
        (Texel::Float(a), Texel::Float(b)) => {
            let mut out = a;
            for (to, v) in out.iter_mut().zip(b) {
                *to = *to * (1.0 - weight) + v * weight;
            }
            Texel::Float(out)
        }
        (first, _) => first,
    }
}

/// A linear filter that takes texels beyond a face's edge from the next face.
fn seamless(object: &Object, r: &Request, level: u32) -> Result<Texel, Stop> {
    let n = object.size(level)[0];
    let size = n as f32;
    let (cube, face) = (r.layer / 6 * 6, r.layer % 6);
    let (x, y) = (r.at[0] * size - 0.5, r.at[1] * size - 0.5);
    let weight = |v: f32| ((v - v.floor()) * WEIGHT_ONE).round() / WEIGHT_ONE;
    let mut sum = [0.0; 4];
    for (dy, wy) in [(0.0, 1.0 - weight(y)), (1.0, weight(y))] {
        for (dx, wx) in [(0.0, 1.0 - weight(x)), (1.0, weight(x))] {
            let (px, py) = (x.floor() + dx + 0.5, y.floor() + dy + 0.5);
            let outside = px < 0.0 || py < 0.0 || px > size || py > size;
            let (face, s, t) = if outside {
                face_of(direction_of(face, px / size, py / size))
            } else {
                (face, px / size, py / size)
            };
            let index = |v: f32| ((v * size).floor() as i64).clamp(0, i64::from(n) - 1) as u32;
            if let Texel::Float(values) = object.texel(level, index(s), index(t), cube + face)? {
                for (to, v) in sum.iter_mut().zip(values) {
                    *to += wx * wy * v;
                }
            }
        }
    }
    Ok(Texel::Float(sum))
}

/// One component of the four texels that a linear filter would take, counter-clockwise from the lower left.
pub(super) fn gather(
    instruction: Instruction,
    object: &Object,
    words: &[u32],
    out: &mut [u32; RESULTS_MAX],
) -> Result<(), Stop> {
    let r = request(instruction, object, words)?;
    let [x, y, z] = pairs(instruction, object, &r, 0, true);
    let component = usize::from(instruction.detail_code & 3);
    let places = [
        (x.first, y.second),
        (x.second, y.second),
        (x.second, y.first),
        (x.first, y.first),
    ];
    let mut values = [0.0; 4];
    for (index, (x, y)) in places.into_iter().enumerate() {
        match at_places(object, 0, x, y, z.first)? {
            Texel::Float(texel) => values[index] = texel[component],
            Texel::Bits(texel) => out[index] = texel[component],
        }
    }
    if object.reads_float() {
        give(Texel::Float(values), instruction.half, out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_fold_by_mode() {
        let all = |mode| (-5..6).map(|i| fold(i, 3, mode)).collect::<Vec<_>>();
        let some = |list: [u32; 11]| list.map(Some).to_vec();
        assert_eq!(all(address::WRAP), some([1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]));
        assert_eq!(all(address::CLAMP), some([0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2]));
        assert_eq!(
            all(address::MIRROR),
            some([1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0])
        );
        assert_eq!(fold(-1, 3, address::BORDER), None);
        assert_eq!(fold(3, 3, address::BORDER), None);
        assert_eq!(fold(2, 3, address::BORDER), Some(2));
    }

    #[test]
    fn weights_have_eight_bits() {
        let pair = along(1.7, 8, address::CLAMP, false, true);
        assert_eq!((pair.first, pair.second), (Some(1), Some(2)));
        assert_eq!(pair.weight * 256.0, 51.0, "0.2 in steps of 1/256");
        let edge = along(0.1, 8, address::CLAMP, false, true);
        assert_eq!((edge.first, edge.second), (Some(0), Some(0)));
        let wrapped = along(0.0, 8, address::WRAP, true, true);
        assert_eq!((wrapped.first, wrapped.second), (Some(7), Some(0)));
        let mirrored = along(1.25, 4, address::MIRROR, true, false);
        assert_eq!(mirrored.first, Some(2));
        // Whole-number coordinates of a texture that is not normalised never wrap.
        assert_eq!(along(9.0, 4, address::WRAP, false, false).first, Some(3));
    }

    #[test]
    fn directions_meet_their_face() {
        assert_eq!(face_of([1.0, 0.0, 0.0]), (0, 0.5, 0.5));
        assert_eq!(face_of([-2.0, 0.0, 0.0]), (1, 0.5, 0.5));
        assert_eq!(face_of([0.0, 3.0, 0.0]).0, 2);
        assert_eq!(face_of([0.0, -3.0, 0.0]).0, 3);
        assert_eq!(face_of([0.5, 0.0, 1.0]), (4, 0.75, 0.5));
        assert_eq!(face_of([0.5, 0.0, -1.0]), (5, 0.25, 0.5));
        for face in 0..6 {
            let (f, s, t) = face_of(direction_of(face, 0.25, 0.625));
            assert_eq!((f, s, t), (face, 0.25, 0.625));
        }
    }
}
