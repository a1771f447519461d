//! Copies and fills.
//!
//! What the GPU can reach is copied by the copy engine, in stream order. Pageable memory is copied by the CPU through this
//! process's own view of device memory, after waiting for the stream; small pieces to the GPU travel in launch memory
//! instead, so that the call need not wait.

use std::sync::atomic::{AtomicU64, Ordering};

use cuda_abi::driver::CUresult;

use super::channel::Point;
use super::host_function;
use super::platform;
use super::push::{Batch, Lines};
use super::stream::Target;

/// One end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Address that the GPU can use.
    Gpu {
        /// Address.
        va: u64,
        /// Where this process reaches the same bytes; addresses of a graph may have nothing behind them.
        host: Option<usize>,
        /// Whether it is device memory (copies then need not wait for the host).
        device: bool,
        /// Device that it belongs to.
        ordinal: usize,
    },
    /// Memory of the program that the GPU knows nothing of.
    Pageable(usize),
}

/// A rectangle of a copy in three dimensions; bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes of a line.
    pub width: u64,
    /// Lines of a slice.
    pub height: u64,
    /// Slices.
    pub depth: u64,
}

/// Where lines and slices begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pitch {
    /// Bytes from a line to the next.
    pub line: u64,
    /// Bytes from a slice to the next.
    pub slice: u64,
}

impl Extent {
    /// One line.
    pub(crate) fn line(width: u64) -> Self {
        Self {
            width,
            height: 1,
            depth: 1,
        }
    }

    /// Bytes from the first to behind the last.
    fn span(self, pitch: Pitch) -> Option<u64> {
        if self.width == 0 || self.height == 0 || self.depth == 0 {
            return Some(0);
        }
        (self.depth - 1)
            .checked_mul(pitch.slice)?
            .checked_add((self.height - 1).checked_mul(pitch.line)?)?
            .checked_add(self.width)
    }
}

/// What an address means: an allocation of ours, or the program's own memory.
///
/// # Errors
/// 1 when `bytes` reach beyond an allocation, or for a device address that is none.
pub(crate) fn end_of(address: u64, bytes: u64, must_be_ours: bool) -> Result<End, CUresult> {
    let platform = platform::get()?;
    match platform.memory.find(address) {
        Some(allocation) => {
            let beyond = address
                .checked_add(bytes)
                .is_none_or(|end| end > allocation.end());
            if beyond {
                return Err(CUresult::INVALID_VALUE);
            }
            Ok(End::Gpu {
                va: address,
                host: allocation.host_address(address).ok(),
                device: !allocation.is_host_accessible(),
                ordinal: allocation.ordinal,
            })
        }
        None if must_be_ours
            || platform.arena.contains(address)
            || platform.low_arena.contains(address)
            || address == 0 =>
        {
            Err(CUresult::INVALID_VALUE)
        }
        None => usize::try_from(address)
            .map(End::Pageable)
            .map_err(|_| CUresult::INVALID_VALUE),
    }
}

impl End {
    fn host(self) -> Result<usize, CUresult> {
        match self {
            Self::Gpu { host, .. } => host.ok_or(CUresult::INVALID_VALUE),
            Self::Pageable(host) => Ok(host),
        }
    }

    fn is_device(self) -> bool {
        matches!(self, Self::Gpu { device: true, .. })
    }

    /// Whether a stream's device can use it: its own memory, the host's, and that of devices opened to it.
    fn is_reached_by(self, target: &Target) -> bool {
        let Self::Gpu {
            va,
            device: true,
            ordinal,
            ..
        } = self
        else {
            return true;
        };
        let space = &target.live.space;
        if ordinal == space.ordinal {
            return true;
        }
        platform::get().is_ok_and(|platform| {
            super::peer::accessors_of(platform, ordinal).contains(&space.device.uuid)
        }) || super::vmm::access(space.ordinal, va).is_ok_and(|f| f.0 != 0)
    }
}

/// A copy between two ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    /// To.
    pub dst: End,
    /// From.
    pub src: End,
    /// Lines of `dst`.
    pub dst_pitch: Pitch,
    /// Lines of `src`.
    pub src_pitch: Pitch,
    /// How much.
    pub extent: Extent,
}

/// Largest piece of pageable memory that travels in launch memory, bytes: such copies do not wait for the stream (CUDA
/// Runtime API, "API synchronization behavior").
const STAGED_MAX: u64 = 64 << 10;
/// Largest piece that does so in a stream that is idle, too: larger ones are copied at once there.
const STAGED_ALWAYS: u64 = 16 << 10;

impl Copy {
    /// A plain copy.
    ///
    /// # Errors
    /// As [`end_of`], of ends that something is copied between.
    pub(crate) fn linear(
        dst: u64,
        dst_ours: bool,
        src: u64,
        src_ours: bool,
        bytes: u64,
    ) -> Result<Self, CUresult> {
        let pitch = Pitch {
            line: bytes,
            slice: bytes,
        };
        // Nothing may go from anywhere to anywhere, null included.
        let end = |address, ours| match bytes {
            0 => Ok(End::Pageable(0)),
            _ => end_of(address, bytes, ours),
        };
        Ok(Self {
            dst: end(dst, dst_ours)?,
            src: end(src, src_ours)?,
            dst_pitch: pitch,
            src_pitch: pitch,
            extent: Extent::line(bytes),
        })
    }

    /// Bytes that each end must hold, from its address: destination, source.
    pub(crate) fn spans(extent: Extent, dst: Pitch, src: Pitch) -> Result<(u64, u64), CUresult> {
        extent
            .span(dst)
            .zip(extent.span(src))
            .ok_or(CUresult::INVALID_VALUE)
    }

    /// Whether the stream's device can do it.
    fn is_reached_by(&self, target: &Target) -> bool {
        self.dst.is_reached_by(target) && self.src.is_reached_by(target)
    }

    fn is_empty(&self) -> bool {
        self.extent.span(self.dst_pitch) == Some(0)
    }

    /// Copies before returning, after the stream's work so far. Device to device is only put in order, as CUDA does.
    pub(crate) fn run(&self, target: &Target) -> Result<(), CUresult> {
        if self.is_empty() {
            return Ok(());
        }
        if self.dst.is_device() && self.src.is_device() && self.is_reached_by(target) {
            return self.enqueue(target);
        }
        target.synchronize()?;
        self.by_cpu()
    }

    /// Copies in stream order; returns before it is done where both ends allow.
    pub(crate) fn run_async(&self, target: &Target) -> Result<(), CUresult> {
        if self.is_empty() {
            return Ok(());
        }
        if !self.is_reached_by(target) {
            return self.run_in_order(target);
        }
        match (self.dst, self.src) {
            (End::Gpu { .. }, End::Gpu { .. }) => self.enqueue(target),
            (End::Gpu { va, .. }, End::Pageable(from))
                if self.extent.height == 1
                    && self.extent.depth == 1
                    && (self.extent.width <= STAGED_ALWAYS
                        || self.extent.width <= STAGED_MAX
                            && target.query() == Err(CUresult::NOT_READY)) =>
            {
                self.stage(target, va, from)
            }
            (End::Gpu { .. } | End::Pageable(_), _) => {
                target.synchronize()?;
                self.by_cpu()
            }
        }
    }

    /// Copies in stream order without reading pageable memory before its turn.
    pub(crate) fn run_in_order(self, target: &Target) -> Result<(), CUresult> {
        if self.is_empty() {
            return Ok(());
        }
        if let (End::Gpu { .. }, End::Gpu { .. }) = (self.dst, self.src)
            && self.is_reached_by(target)
        {
            return self.enqueue(target);
        }
        host_function::later(target, move || self.by_cpu())
    }

    fn stage(&self, target: &Target, va: u64, from: usize) -> Result<(), CUresult> {
        let bytes = usize::try_from(self.extent.width).map_err(|_| CUresult::INVALID_VALUE)?;
        let width = u32::try_from(self.extent.width).map_err(|_| CUresult::INVALID_VALUE)?;
        // SAFETY: by the C contract of the copy functions the source holds that many readable bytes for the call.
        let data = unsafe {
            std::slice::from_raw_parts(std::ptr::with_exposed_provenance::<u8>(from), bytes)
        };
        target.launch(self.extent.width, |mut memory, batch| {
            memory.write(0, data);
            batch.copy(va, memory.va(), Lines::one(width));
        })?;
        Ok(())
    }

    /// By the copy engine.
    fn enqueue(&self, target: &Target) -> Result<(), CUresult> {
        let (End::Gpu { va: dst, .. }, End::Gpu { va: src, .. }) = (self.dst, self.src) else {
            return Err(CUresult::INVALID_VALUE);
        };
        for piece in pieces(self.extent, self.dst_pitch, self.src_pitch)? {
            target.submit(|batch: &mut Batch| {
                batch.copy(dst + piece.dst, src + piece.src, piece.lines)
            })?;
        }
        Ok(())
    }

    /// By the CPU.
    fn by_cpu(&self) -> Result<(), CUresult> {
        let (dst, src) = (self.dst.host()? as u64, self.src.host()? as u64);
        let Extent {
            width,
            height,
            depth,
        } = self.extent;
        let contiguous = |p: Pitch| {
            (height == 1 || p.line == width) && (depth == 1 || p.slice == width * height)
        };
        if contiguous(self.dst_pitch) && contiguous(self.src_pitch) {
            move_bytes(dst, src, width * height * depth);
            return Ok(());
        }
        for z in 0..depth {
            for y in 0..height {
                let to = dst + z * self.dst_pitch.slice + y * self.dst_pitch.line;
                let from = src + z * self.src_pitch.slice + y * self.src_pitch.line;
                move_bytes(to, from, width);
            }
        }
        Ok(())
    }
}

/// Below this a second thread costs more than it brings, bytes.
const PARALLEL_MIN: u64 = 16 << 20;
/// What a copying thread takes at a time, bytes.
const SHARE: u64 = 1 << 20;
/// Threads that copy at most.
const THREADS_MAX: u64 = 4;

/// Copies bytes of this process; ends may overlap.
fn move_bytes(dst: u64, src: u64, bytes: u64) {
    let part = |dst: u64, src: u64, bytes: u64| {
        let to =
            std::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(dst).unwrap_or_default());
        let from =
            std::ptr::with_exposed_provenance::<u8>(usize::try_from(src).unwrap_or_default());
        // SAFETY: ranges of ours were checked against their allocation; for the program's own, the C contract of the copy
        // functions says that they are there. Overlap is allowed.
        unsafe { from.copy_to(to, usize::try_from(bytes).unwrap_or_default()) };
    };
    let overlap = dst < src + bytes && src < dst + bytes;
    let threads = std::thread::available_parallelism()
        .map_or(1, |n| n.get() as u64)
        .min(THREADS_MAX);
    if bytes < PARALLEL_MIN || threads < 2 || overlap {
        return part(dst, src, bytes);
    }
    // Shares are handed out as they are asked for: a thread that gets no CPU holds nothing up.
    let next = AtomicU64::new(0);
    let work = || loop {
        let at = next.fetch_add(SHARE, Ordering::Relaxed);
        if at >= bytes {
            return;
        }
        part(dst + at, src + at, SHARE.min(bytes - at));
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Without the thread the others do its part.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

struct Piece {
    dst: u64,
    src: u64,
    lines: Lines,
}

/// Largest line that the copy engine is given, bytes.
const LINE_MAX: u64 = 1 << 30;
/// Largest number of lines.
const LINES_MAX: u64 = 1 << 20;

/// What the copy engine does at once: rectangles whose numbers fit its registers.
fn pieces(extent: Extent, dst: Pitch, src: Pitch) -> Result<Vec<Piece>, CUresult> {
    let mut pieces = Vec::new();
    let narrow = |value: u64| u32::try_from(value).map_err(|_| CUresult::INVALID_VALUE);
    for z in 0..extent.depth {
        let mut x = 0;
        while x < extent.width {
            let width = (extent.width - x).min(LINE_MAX);
            let mut y = 0;
            while y < extent.height {
                let height = (extent.height - y).min(LINES_MAX);
                let single = height == 1;
                pieces.push(Piece {
                    dst: z * dst.slice + y * dst.line + x,
                    src: z * src.slice + y * src.line + x,
                    lines: Lines {
                        width: narrow(width)?,
                        height: narrow(height)?,
                        // The pitch of a single line is not used, and need not fit.
                        src_pitch: if single {
                            narrow(width)?
                        } else {
                            narrow(src.line)?
                        },
                        dst_pitch: if single {
                            narrow(width)?
                        } else {
                            narrow(dst.line)?
                        },
                    },
                });
                y += height;
            }
            x += width;
        }
    }
    Ok(pieces)
}

/// Fills a rectangle of elements in stream order. When that is over, where it is memory that the host can see.
///
/// # Errors
/// 1 for an address that is not ours, too small a range, or a misaligned one.
pub(crate) fn fill(
    target: &Target,
    dst: u64,
    pitch: u64,
    value: u32,
    element: u32,
    width: u64,
    height: u64,
) -> Result<Option<Point>, CUresult> {
    let bytes = width
        .checked_mul(u64::from(element))
        .ok_or(CUresult::INVALID_VALUE)?;
    if bytes == 0 || height == 0 {
        return Ok(None);
    }
    let extent = Extent {
        width: bytes,
        height,
        depth: 1,
    };
    let pitch = Pitch {
        line: if height == 1 { bytes } else { pitch },
        slice: 0,
    };
    if !dst.is_multiple_of(u64::from(element))
        || pitch.line < bytes
        || !pitch.line.is_multiple_of(u64::from(element))
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let span = extent.span(pitch).ok_or(CUresult::INVALID_VALUE)?;
    let end = end_of(dst, span, true)?;
    let End::Gpu { va, device, .. } = end else {
        return Err(CUresult::INVALID_VALUE);
    };
    if !end.is_reached_by(target) {
        let host = end.host()?;
        host_function::in_order(target, move || {
            fill_by_cpu(host, pitch.line, value, element, [width, height]);
            Ok(())
        })?;
        return Ok(target.stream.point());
    }
    // Equal bytes are filled four at a time where address and length allow.
    let [b, ..] = value.to_le_bytes();
    let wide = element == 1 && height == 1 && va.is_multiple_of(4) && bytes.is_multiple_of(4);
    let (value, element) = if wide {
        (u32::from_le_bytes([b; 4]), 4)
    } else {
        (value, element)
    };
    let mut last = None;
    for piece in pieces(extent, pitch, pitch)? {
        let mut lines = piece.lines;
        lines.width /= element;
        last = Some(target.submit(|batch| batch.fill(va + piece.dst, value, element, lines))?);
    }
    Ok(last.filter(|_| !device))
}

/// Fills memory of a device that the stream's device cannot reach.
fn fill_by_cpu(host: usize, line: u64, value: u32, element: u32, [width, height]: [u64; 2]) {
    let bytes = value.to_le_bytes();
    let size = element as usize;
    for y in 0..height {
        for x in 0..width {
            let at = host as u64 + y * line + x * u64::from(element);
            let to = std::ptr::with_exposed_provenance_mut::<u8>(
                usize::try_from(at).unwrap_or_default(),
            );
            // SAFETY: inside the allocation, whose bounds the caller checked; elements have at most 4 bytes.
            unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), size) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_everything_once() {
        let extent = Extent {
            width: 10,
            height: LINES_MAX + 3,
            depth: 2,
        };
        let pitch = Pitch {
            line: 16,
            slice: 16 * (LINES_MAX + 5),
        };
        let pieces = pieces(extent, pitch, pitch).expect("fits");
        assert_eq!(pieces.len(), 4);
        let bytes: u64 = pieces
            .iter()
            .map(|p| u64::from(p.lines.width) * u64::from(p.lines.height))
            .sum();
        assert_eq!(bytes, extent.width * extent.height * extent.depth);
        let big = super::pieces(
            Extent::line(5 << 30),
            Pitch { line: 0, slice: 0 },
            Pitch { line: 0, slice: 0 },
        );
        assert_eq!(big.expect("fits").len(), 5);
    }

    #[test]
    fn parallel_copies_are_whole() {
        let src: Vec<u8> = (0..PARALLEL_MIN + 12_345)
            .map(|i| (i % 251) as u8)
            .collect();
        let mut dst = vec![0; src.len()];
        move_bytes(
            dst.as_mut_ptr().expose_provenance() as u64,
            src.as_ptr().expose_provenance() as u64,
            src.len() as u64,
        );
        assert!(dst == src);
    }
}
