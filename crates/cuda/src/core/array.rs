//! Arrays: opaque to programs; here lines of elements, one after the other, level after level.

use std::sync::Arc;

use abi::texture::{self, LEVEL_ALIGN, LEVELS_MAX, LINE_ALIGN, Level};
use cuda_abi::driver::{CUarray_format, CUresult};

use super::context::{self, CONTEXTS, Live};
use super::copy::{Extent, Pitch};
use super::handle::Table;
use super::memory::{Allocation, Kind};
use super::platform;

/// All arrays.
pub(crate) static ARRAYS: Table<Array> = Table::new(4, CUresult::INVALID_HANDLE);
/// All mipmapped arrays.
pub(crate) static MIPMAPS: Table<Mipmap> = Table::new(20, CUresult::INVALID_HANDLE);

/// `CUDA_ARRAY3D_*` flags (cuda.h).
pub(crate) mod flag {
    /// Depth counts layers.
    pub(crate) const LAYERED: u32 = 0x01;
    /// Surfaces may be made of it.
    pub(crate) const SURFACE_LDST: u32 = 0x02;
    /// Six layers are a cube.
    pub(crate) const CUBEMAP: u32 = 0x04;
    /// All that mean something here; gather, depth and colour attachment are hints.
    pub(crate) const KNOWN: u32 = 0x3f;
    /// Sparse arrays, and arrays that get their memory later.
    pub(crate) const UNSUPPORTED: u32 = 0xc0;
}

/// Shape of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Elements of a line.
    pub width: u64,
    /// Lines; 0 for one dimension.
    pub height: u64,
    /// Slices or layers; 0 for less than three dimensions.
    pub depth: u64,
    /// Type of a channel.
    pub format: CUarray_format,
    /// Channels of an element.
    pub channels: u32,
    /// Flags of its creation.
    pub flags: u32,
}

/// An array: a level of memory that it may share with others.
#[derive(Debug)]
pub(crate) struct Array {
    /// Handle of its context.
    pub context: usize,
    /// Its shape.
    pub shape: Shape,
    /// Address of its first element.
    pub va: u64,
    /// It is a level of this mipmapped array (0: of none), which owns the memory.
    pub mipmap: usize,
    memory: Arc<Allocation>,
}

/// A mipmapped array.
#[derive(Debug)]
pub(crate) struct Mipmap {
    /// Handle of its context.
    pub context: usize,
    /// Shape of level 0.
    pub shape: Shape,
    /// Its levels, as handles of arrays.
    pub levels: Vec<usize>,
    memory: Arc<Allocation>,
}

/// Bytes of a channel, and the number of channels where the format says it.
///
/// # Errors
/// 801 for block-compressed, planar and packed formats, 1 for what is none.
pub(crate) fn channel(format: CUarray_format) -> Result<(u64, Option<u32>), CUresult> {
    use CUarray_format as F;
    let of = |first: F| 1 << (format.0 - first.0);
    Ok(match format {
        F::UNSIGNED_INT8 | F::SIGNED_INT8 => (1, None),
        F::UNSIGNED_INT16 | F::SIGNED_INT16 | F::HALF => (2, None),
        F::UNSIGNED_INT32 | F::SIGNED_INT32 | F::FLOAT => (4, None),
        F::UNORM_INT8X1 | F::UNORM_INT8X2 | F::UNORM_INT8X4 => (1, Some(of(F::UNORM_INT8X1))),
        F::UNORM_INT16X1 | F::UNORM_INT16X2 | F::UNORM_INT16X4 => (2, Some(of(F::UNORM_INT16X1))),
        F::SNORM_INT8X1 | F::SNORM_INT8X2 | F::SNORM_INT8X4 => (1, Some(of(F::SNORM_INT8X1))),
        F::SNORM_INT16X1 | F::SNORM_INT16X2 | F::SNORM_INT16X4 => (2, Some(of(F::SNORM_INT16X1))),
        other => {
            let blocks = F::BC1_UNORM.0..=F::BC7_UNORM_SRGB.0;
            let planar = F::P010.0..=F::YUV444_16BIT_SEMIPLANAR.0;
            let known = blocks.contains(&other.0)
                || planar.contains(&other.0)
                || [F::NV12, F::UNORM_INT_101010_2].contains(&other);
            return Err(if known {
                CUresult::NOT_SUPPORTED
            } else {
                CUresult::INVALID_VALUE
            });
        }
    })
}

/// Elements along each dimension at most (CUDA C++ Programming Guide 13.0, technical specifications).
fn limits(shape: &Shape) -> [u64; 3] {
    let layered = shape.flags & (flag::LAYERED | flag::CUBEMAP) != 0;
    match (shape.height, shape.depth, layered) {
        (_, _, true) => [32_768, 32_768, 2048],
        (0, _, _) => [131_072, 0, 0],
        (_, 0, _) => [131_072, 65_536, 0],
        _ => [16_384, 32_768, 16_384],
    }
}

impl Shape {
    /// Bytes of an element.
    ///
    /// # Errors
    /// As [`channel`].
    pub(crate) fn element_bytes(&self) -> Result<u64, CUresult> {
        let (bytes, channels) = channel(self.format)?;
        Ok(bytes * u64::from(channels.unwrap_or(self.channels)))
    }

    /// Whether depth counts layers.
    pub(crate) fn is_layered(&self) -> bool {
        self.flags & (flag::LAYERED | flag::CUBEMAP) != 0
    }

    /// Where lines and slices begin.
    pub(crate) fn pitch(&self) -> Result<Pitch, CUresult> {
        let overflow = CUresult::INVALID_VALUE;
        let line = self
            .width
            .checked_mul(self.element_bytes()?)
            .ok_or(overflow)?;
        let line = line.checked_next_multiple_of(LINE_ALIGN).ok_or(overflow)?;
        Ok(Pitch {
            line,
            slice: line.checked_mul(self.height.max(1)).ok_or(overflow)?,
        })
    }

    /// Bytes.
    pub(crate) fn bytes(&self) -> Result<u64, CUresult> {
        let slice = self.pitch()?.slice;
        slice
            .checked_mul(self.depth.max(1))
            .ok_or(CUresult::INVALID_VALUE)
    }

    /// The shape of a level.
    pub(crate) fn level(&self, level: u32) -> Self {
        let shrunk = |n: u64| if n == 0 { 0 } else { (n >> level).max(1) };
        Self {
            width: shrunk(self.width),
            height: shrunk(self.height),
            depth: if self.is_layered() {
                self.depth
            } else {
                shrunk(self.depth)
            },
            ..*self
        }
    }

    /// Levels down to a single element.
    pub(crate) fn levels_max(&self) -> u32 {
        let depth = if self.is_layered() { 0 } else { self.depth };
        let longest = self.width.max(self.height).max(depth).max(1);
        longest.ilog2() + 1
    }

    /// A level as the texture unit sees it, `offset` bytes behind the first.
    pub(crate) fn texture_level(&self, offset: u64) -> Result<Level, CUresult> {
        let narrow = |v: u64| u32::try_from(v).map_err(|_| CUresult::INVALID_VALUE);
        Ok(Level {
            offset: narrow(offset / LEVEL_ALIGN)?,
            pitch: narrow(self.pitch()?.line)?,
            rows: narrow(self.height.max(1))?,
        })
    }

    /// Whether there is such an array.
    ///
    /// # Errors
    /// 1 for a shape that there is not, 801 for kinds of arrays that this device has not.
    fn check(&self) -> Result<(), CUresult> {
        let bad = Err(CUresult::INVALID_VALUE);
        if self.flags & !(flag::KNOWN | flag::UNSUPPORTED) != 0
            || self.width == 0
            || !matches!(self.channels, 1 | 2 | 4)
        {
            return bad;
        }
        if self.flags & flag::UNSUPPORTED != 0 {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let layered = self.flags & flag::LAYERED != 0;
        if self.flags & flag::CUBEMAP != 0 {
            let faces = if layered {
                self.depth != 0 && self.depth.is_multiple_of(6)
            } else {
                self.depth == 6
            };
            if self.width != self.height || !faces {
                return bad;
            }
        } else if layered && self.depth == 0 || !layered && self.height == 0 && self.depth > 1 {
            return bad;
        }
        let limits = limits(self);
        let size = [self.width, self.height, self.depth];
        if size.iter().zip(limits).any(|(n, most)| *n > most.max(1)) {
            return bad;
        }
        channel(self.format).map(drop)
    }
}

/// Makes an array in the current context.
///
/// # Errors
/// 1 for a shape that there is not, 2 without room.
pub(crate) fn create(shape: Shape) -> Result<usize, CUresult> {
    let live = context::current()?;
    shape.check()?;
    let memory = live.allocate(shape.bytes()?, LEVEL_ALIGN, Kind::Device, 0)?;
    ARRAYS.insert(Array {
        context: live.context,
        shape,
        va: memory.va,
        mipmap: 0,
        memory,
    })
}

/// Makes a mipmapped array in the current context; more levels than there are become those that there are.
///
/// # Errors
/// As [`create`]; 1 for no level.
pub(crate) fn create_mipmapped(shape: Shape, levels: u32) -> Result<usize, CUresult> {
    let live = context::current()?;
    let bytes = mipmap_bytes(shape, levels)?;
    let memory = live.allocate(bytes, LEVEL_ALIGN, Kind::Device, 0)?;
    mipmap_over(live.context, memory, shape, levels)
}

/// Shapes of the levels and where they begin; bytes of all.
fn level_places(shape: Shape, levels: u32) -> Result<(Vec<(Shape, u64)>, u64), CUresult> {
    shape.check()?;
    if levels == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let most = u32::try_from(LEVELS_MAX).unwrap_or(u32::MAX);
    let count = levels.min(shape.levels_max()).min(most);
    let overflow = CUresult::INVALID_VALUE;
    let mut bytes = 0_u64;
    let mut places = Vec::new();
    for level in 0..count {
        let part = shape.level(level);
        places.push((part, bytes));
        bytes = bytes
            .checked_add(part.bytes()?)
            .and_then(|b| b.checked_next_multiple_of(LEVEL_ALIGN))
            .ok_or(overflow)?;
    }
    Ok((places, bytes))
}

/// Bytes of a mipmapped array.
pub(crate) fn mipmap_bytes(shape: Shape, levels: u32) -> Result<u64, CUresult> {
    level_places(shape, levels).map(|(_, bytes)| bytes)
}

/// Makes a mipmapped array of memory that is there.
pub(crate) fn mipmap_over(
    context: usize,
    memory: Arc<Allocation>,
    shape: Shape,
    levels: u32,
) -> Result<usize, CUresult> {
    let (places, _) = level_places(shape, levels)?;
    let (handle, _) = MIPMAPS.insert_with(|handle| {
        let levels = places.iter().map_while(|(shape, offset)| {
            ARRAYS
                .insert(Array {
                    context,
                    shape: *shape,
                    va: memory.va + offset,
                    mipmap: handle,
                    memory: memory.clone(),
                })
                .ok()
        });
        Mipmap {
            context,
            shape,
            levels: levels.collect(),
            memory: memory.clone(),
        }
    })?;
    Ok(handle)
}

/// Ends an array. The levels of a mipmapped array end with it.
pub(crate) fn destroy(handle: usize) -> Result<(), CUresult> {
    if ARRAYS.get(handle)?.mipmap != 0 {
        return Err(CUresult::INVALID_HANDLE);
    }
    let array = ARRAYS.remove(handle)?;
    release(array.context, &array.memory)
}

/// Ends a mipmapped array.
pub(crate) fn destroy_mipmapped(handle: usize) -> Result<(), CUresult> {
    let mipmap = MIPMAPS.remove(handle)?;
    for level in &mipmap.levels {
        ARRAYS.remove(*level)?;
    }
    release(mipmap.context, &mipmap.memory)
}

fn release(context: usize, memory: &Arc<Allocation>) -> Result<(), CUresult> {
    let live: Arc<Live> = CONTEXTS.get(context)?.live_and_well()?;
    live.synchronize()?;
    let platform = platform::get()?;
    if let Some(allocation) = platform.memory.remove(memory.va, |a| a.id == memory.id) {
        platform.memory.release(Some(&live.space), &allocation);
    }
    Ok(())
}

/// Forgets the arrays of a context.
pub(crate) fn end_context(context: usize) {
    drop(MIPMAPS.remove_if(|m| m.context == context));
    drop(ARRAYS.remove_if(|a| a.context == context));
}

/// Address of the byte at `x`, `y`, `z` of an array, from which `extent` is copied, and pitches.
///
/// # Errors
/// 1 when the extent reaches beyond a line, slice or the array.
pub(crate) fn place(
    handle: usize,
    [x, y, z]: [u64; 3],
    extent: Extent,
) -> Result<(u64, Pitch), CUresult> {
    let array = ARRAYS.get(handle)?;
    let (shape, pitch) = (array.shape, array.shape.pitch()?);
    let row = shape.width * shape.element_bytes()?;
    let inside = |from: u64, count: u64, all: u64| {
        count == 0 || from.checked_add(count).is_some_and(|end| end <= all)
    };
    // Layers of lines: the second coordinate of a copy may count them, the third does.
    if !inside(x, extent.width, row)
        || !inside(y, extent.height, shape.height.max(1))
        || !inside(z, extent.depth, shape.depth.max(1))
    {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok((array.va + x + y * pitch.line + z * pitch.slice, pitch))
}

/// Address of `bytes` bytes at `offset` of a one-dimensional array or of one line.
///
/// # Errors
/// 1 when they are not in one line.
pub(crate) fn linear(handle: usize, offset: u64, bytes: u64) -> Result<u64, CUresult> {
    let array = ARRAYS.get(handle)?;
    let pitch = array.shape.pitch()?;
    let width = array.shape.width * array.shape.element_bytes()?;
    let (row, column) = (offset / width, offset % width);
    if column.checked_add(bytes).is_none_or(|end| end > width) || row >= array.shape.height.max(1) {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(array.va + row * pitch.line + column)
}

/// Texture header of arrays that are levels of one memory (one array: its only level).
///
/// # Errors
/// 1 for shapes too large for the texture unit.
pub(crate) fn header(levels: &[Arc<Array>]) -> Result<texture::Header, CUresult> {
    let first = levels.first().ok_or(CUresult::INVALID_VALUE)?;
    let shape = first.shape;
    let narrow = |v: u64| u32::try_from(v).map_err(|_| CUresult::INVALID_VALUE);
    let mut level = [Level::default(); LEVELS_MAX];
    for (to, from) in level.iter_mut().zip(levels) {
        *to = from.shape.texture_level(from.va - first.va)?;
    }
    let bit = |on: bool, bit: u32| if on { bit } else { 0 };
    Ok(texture::Header {
        magic: texture::MAGIC,
        address: first.va,
        kind: texture::kind::ARRAY,
        format: shape.format.0.cast_unsigned(),
        channels: shape.channels,
        flags: bit(shape.flags & flag::LAYERED != 0, texture::flags::LAYERED)
            | bit(shape.flags & flag::CUBEMAP != 0, texture::flags::CUBEMAP),
        width: narrow(shape.width)?,
        height: narrow(shape.height)?,
        depth: narrow(shape.depth)?,
        levels: narrow(levels.len().min(LEVELS_MAX) as u64)?,
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(size: [u64; 3], flags: u32) -> Shape {
        Shape {
            width: size[0],
            height: size[1],
            depth: size[2],
            format: CUarray_format::FLOAT,
            channels: 1,
            flags,
        }
    }

    #[test]
    fn shapes_are_checked() {
        let bad = Err(CUresult::INVALID_VALUE);
        assert_eq!(shape([16, 0, 0], 0).check(), Ok(()));
        assert_eq!(shape([0, 4, 0], 0).check(), bad);
        assert_eq!(shape([16, 0, 4], 0).check(), bad, "lines in the air");
        assert_eq!(shape([16, 0, 4], flag::LAYERED).check(), Ok(()));
        assert_eq!(shape([16, 16, 6], flag::CUBEMAP).check(), Ok(()));
        assert_eq!(shape([16, 8, 6], flag::CUBEMAP).check(), bad);
        assert_eq!(shape([16, 16, 12], flag::CUBEMAP).check(), bad);
        let both = flag::CUBEMAP | flag::LAYERED;
        assert_eq!(shape([16, 16, 12], both).check(), Ok(()));
        assert_eq!(shape([131_073, 0, 0], 0).check(), bad);
        assert_eq!(shape([16_384, 16_384, 16_385], 0).check(), bad);
        assert_eq!(
            shape([16, 16, 0], 0x40).check(),
            Err(CUresult::NOT_SUPPORTED)
        );
        assert_eq!(shape([16, 16, 0], 0x8000).check(), bad);
    }

    #[test]
    fn levels_shrink_but_layers_stay() {
        let s = shape([20, 5, 3], flag::LAYERED);
        assert_eq!(s.levels_max(), 5);
        let l = s.level(2);
        assert_eq!((l.width, l.height, l.depth), (5, 1, 3));
        let l = shape([8, 8, 8], 0).level(3);
        assert_eq!((l.width, l.height, l.depth), (1, 1, 1));
        assert_eq!(shape([8, 0, 0], 0).level(1).height, 0);
    }
}
