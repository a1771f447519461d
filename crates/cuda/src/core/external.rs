//! Memory of other APIs, by file: what this library's own exports stand for.
//!
//! Semaphores come from graphics APIs only, and there are none here, so none can be imported.

use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::Arc;

use cuda_abi::driver::{CUexternalMemoryHandleType, CUresult};

use super::array::{self, Shape};
use super::context;
use super::handle::Table;
use super::memory::{Chunk, Kind, Request, Room};
use super::platform;
use super::vmm::Export;

/// Imported memory.
pub(crate) static EXTERNAL: Table<External> = Table::new(23, CUresult::INVALID_HANDLE);

/// Memory of another API or process, mapped here.
#[derive(Debug)]
pub(crate) struct External {
    /// Handle of its context.
    pub context: usize,
    chunk: Arc<Chunk>,
    bytes: u64,
}

/// Imports memory that a file stands for; the file is the driver's from then on.
///
/// # Errors
/// 1 for a file that stands for none, or more bytes than there are; 801 for other kinds of handles.
pub(crate) fn import(
    kind: CUexternalMemoryHandleType,
    fd: i32,
    bytes: u64,
) -> Result<usize, CUresult> {
    use CUexternalMemoryHandleType as T;
    match kind {
        T::OPAQUE_FD => {}
        other if (T::OPAQUE_WIN32.0..=T::DMABUF_FD.0).contains(&other.0) => {
            return Err(CUresult::NOT_SUPPORTED);
        }
        _ => return Err(CUresult::INVALID_VALUE),
    }
    let live = context::current()?;
    let export = Export::of_file(fd)?;
    if bytes == 0 || bytes > export.bytes {
        return Err(CUresult::INVALID_VALUE);
    }
    let platform = platform::get()?;
    if export.ordinal(platform)? != live.space.ordinal {
        return Err(CUresult::INVALID_DEVICE);
    }
    let memory = platform
        .client
        .dup(live.device.device, export.client, export.object)
        .map_err(|_| CUresult::INVALID_VALUE)?;
    let chunk = Chunk::imported(platform, &live.space, memory, export.bytes)?;
    // SAFETY: by the C contract the file belongs to the driver once it is imported.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
    EXTERNAL.insert(External {
        context: live.context,
        chunk,
        bytes,
    })
}

impl External {
    fn part(&self, offset: u64, bytes: u64) -> Result<Arc<super::memory::Allocation>, CUresult> {
        let end = offset.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
        if bytes == 0 || end > self.bytes {
            return Err(CUresult::INVALID_VALUE);
        }
        let request = Request {
            bytes,
            align: 1,
            kind: Kind::Device,
            room: Room::Program,
            context: self.context,
            flags: 0,
            pool: 0,
            handed_out: true,
        };
        let platform = platform::get()?;
        // A place that is mapped already is the same address again.
        let va = self.chunk.va + offset;
        let known = platform.memory.find(va).filter(|a| a.va == va);
        Ok(known.unwrap_or_else(|| {
            let (chunk, ordinal) = (self.chunk.clone(), self.chunk.ordinal);
            platform.memory.adopt(chunk, offset, ordinal, request)
        }))
    }

    /// Address of a part.
    ///
    /// # Errors
    /// 1 for a part that is not there.
    pub(crate) fn buffer(&self, offset: u64, bytes: u64) -> Result<u64, CUresult> {
        Ok(self.part(offset, bytes)?.va)
    }

    /// A part as a mipmapped array.
    ///
    /// # Errors
    /// As [`array::create_mipmapped`]; 1 where it does not fit.
    pub(crate) fn mipmap(&self, offset: u64, shape: Shape, levels: u32) -> Result<usize, CUresult> {
        let bytes = array::mipmap_bytes(shape, levels)?;
        array::mipmap_over(self.context, self.part(offset, bytes)?, shape, levels)
    }
}
