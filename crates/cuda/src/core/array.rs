//! Arrays: opaque to programs; here lines of elements, one after the other.

use std::sync::Arc;

use cuda_abi::driver::{CUarray_format, CUresult};

use super::context::{self, Live};
use super::copy::Pitch;
use super::handle::Table;
use super::memory::{Allocation, Kind};
use super::platform;

/// All arrays.
pub(crate) static ARRAYS: Table<Array> = Table::new(4, CUresult::INVALID_HANDLE);

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

/// An array.
#[derive(Debug)]
pub(crate) struct Array {
    /// Handle of its context.
    pub context: usize,
    /// Its shape.
    pub shape: Shape,
    memory: Arc<Allocation>,
}

/// Lines begin at multiples of this.
const LINE_ALIGN: u64 = 32;

impl Shape {
    /// Bytes of an element.
    ///
    /// # Errors
    /// 1 for an unknown format.
    pub(crate) fn element_bytes(&self) -> Result<u64, CUresult> {
        let channel = match self.format {
            CUarray_format::UNSIGNED_INT8 | CUarray_format::SIGNED_INT8 => 1,
            CUarray_format::UNSIGNED_INT16
            | CUarray_format::SIGNED_INT16
            | CUarray_format::HALF => 2,
            CUarray_format::UNSIGNED_INT32
            | CUarray_format::SIGNED_INT32
            | CUarray_format::FLOAT => 4,
            _ => return Err(CUresult::INVALID_VALUE),
        };
        Ok(channel * u64::from(self.channels))
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
}

/// Makes an array in the current context.
///
/// # Errors
/// 1 for a shape that there is not, 2 without room.
pub(crate) fn create(shape: Shape) -> Result<usize, CUresult> {
    let live = context::current()?;
    if shape.width == 0
        || !matches!(shape.channels, 1 | 2 | 4)
        || shape.height == 0 && shape.depth > 1 && shape.flags & 1 == 0
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = shape
        .pitch()?
        .slice
        .checked_mul(shape.depth.max(1))
        .ok_or(CUresult::INVALID_VALUE)?;
    let memory = live.allocate(bytes, 512, Kind::Device, 0)?;
    ARRAYS.insert(Array {
        context: live.context,
        shape,
        memory,
    })
}

/// Ends an array.
pub(crate) fn destroy(handle: usize) -> Result<(), CUresult> {
    let array = ARRAYS.remove(handle)?;
    let live: Arc<Live> = context::current()?;
    live.synchronize()?;
    let platform = platform::get()?;
    if let Some(allocation) = platform
        .memory
        .remove(array.memory.va, |a| a.id == array.memory.id)
    {
        platform.memory.release(Some(&live.space), &allocation);
    }
    Ok(())
}

/// Address of the first element, and pitches.
pub(crate) fn place(handle: usize) -> Result<(u64, Pitch), CUresult> {
    let array = ARRAYS.get(handle)?;
    Ok((array.memory.va, array.shape.pitch()?))
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
    Ok(array.memory.va + row * pitch.line + column)
}
