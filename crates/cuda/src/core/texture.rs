//! Texture and surface objects: what they are made of, and their descriptors in device memory.
//!
//! An object's number is the GPU address of its descriptor (`abi::texture`), which the texture unit reads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use abi::texture::{self, DESCRIPTOR_STRIDE, Descriptor, Header, LEVELS_MAX, Sampler};
use cuda_abi::driver::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUarray_format,
    CUresourceViewFormat, CUresourcetype, CUresult,
};
use zerocopy::IntoBytes;

use super::array::{self, ARRAYS, Array, MIPMAPS, Shape};
use super::channel::Point;
use super::context::{self, CONTEXTS, Live};
use super::copy::{End, end_of};
use super::memory::{Allocation, Kind};

/// Bytes of device memory taken at a time for descriptors.
const BLOCK: u64 = 64 << 10;
/// Linear memory of textures begins at multiples of this (`TEXTURE_ALIGNMENT`).
pub(crate) const ALIGN: u64 = 512;
/// Lines of textures in linear memory, too (`TEXTURE_PITCH_ALIGNMENT`).
const PITCH_ALIGN: u64 = 32;
/// Elements of a texture in linear memory at most (`MAXIMUM_TEXTURE1D_LINEAR_WIDTH`).
const LINEAR_MAX: u64 = 1 << 28;
/// `CU_TRSF_*` that mean something.
const FLAGS: u32 = 0x73;

/// Places for descriptors of a context.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: Vec<u64>,
    /// Places of objects that ended while work was under way which may still read them.
    retired: Vec<(Vec<Point>, u64)>,
    blocks: Vec<Arc<Allocation>>,
}

impl Pool {
    fn take(&mut self, live: &Live) -> Result<u64, CUresult> {
        self.collect();
        if self.free.is_empty() {
            let block = live.allocate(BLOCK, DESCRIPTOR_STRIDE, Kind::Device, 0)?;
            let places = (0..BLOCK / DESCRIPTOR_STRIDE).rev();
            self.free
                .extend(places.map(|i| block.va + i * DESCRIPTOR_STRIDE));
            self.blocks.push(block);
        }
        self.free.pop().ok_or(CUresult::OUT_OF_MEMORY)
    }

    /// Takes a place back: at once, or when `work` is done.
    fn give(&mut self, va: u64, work: Vec<Point>) {
        self.retired.push((work, va));
        self.collect();
    }

    /// Takes back the places whose work is done, and marks them as no descriptors.
    fn collect(&mut self) {
        let done = |(work, _): &mut (Vec<Point>, u64)| work.iter().all(Point::is_done);
        let ready: Vec<_> = self.retired.extract_if(.., done).collect();
        for (_, va) in ready {
            // The blocks of a context that failed cannot be written; it needs its places no more.
            if self.write(va, &[0; 8]).is_ok() {
                self.free.push(va);
            }
        }
    }

    fn write(&self, va: u64, bytes: &[u8]) -> Result<(), CUresult> {
        let inside = |b: &&Arc<Allocation>| (b.va..b.end()).contains(&va);
        let block = self.blocks.iter().find(inside);
        let at = block.ok_or(CUresult::UNKNOWN)?.host_address(va)?;
        let to = std::ptr::with_exposed_provenance_mut::<u8>(at);
        // SAFETY: inside this process's view of the block: places are 512 bytes, and `bytes` a descriptor at most.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A place for a descriptor, that goes back when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    /// Its address.
    pub va: u64,
    context: usize,
}

impl Place {
    /// Takes one of the context.
    pub(crate) fn take(live: &Live) -> Result<Self, CUresult> {
        let place = Self {
            va: lock(&live.descriptors).take(live)?,
            context: live.context,
        };
        place.clear(live)?;
        Ok(place)
    }

    /// Fills it.
    pub(crate) fn write(&self, live: &Live, descriptor: &Descriptor) -> Result<(), CUresult> {
        lock(&live.descriptors).write(self.va, descriptor.as_bytes())
    }

    /// Marks it as no descriptor.
    fn clear(&self, live: &Live) -> Result<(), CUresult> {
        lock(&live.descriptors).write(self.va, &[0; 8])
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let live = CONTEXTS.get(self.context).ok().and_then(|c| c.live());
        if let Some(live) = live.filter(|_| !crate::process::is_forked()) {
            let work = live.points();
            lock(&live.descriptors).give(self.va, work);
        }
    }
}

/// An object.
#[derive(Debug)]
pub(crate) struct Object {
    /// Handle of its context.
    pub context: usize,
    /// What it is made of.
    pub resource: CUDA_RESOURCE_DESC,
    /// How it is sampled; a surface is not.
    pub texture: Option<CUDA_TEXTURE_DESC>,
    /// View of the resource.
    pub view: Option<CUDA_RESOURCE_VIEW_DESC>,
    _place: Place,
}

static OBJECTS: Mutex<BTreeMap<u64, Arc<Object>>> = Mutex::new(BTreeMap::new());

/// The texture (`surface`: surface) object of that number.
///
/// # Errors
/// 1 for a number that names none.
pub(crate) fn get(number: u64, surface: bool) -> Result<Arc<Object>, CUresult> {
    let objects = lock(&OBJECTS);
    let object = objects
        .get(&number)
        .filter(|o| o.texture.is_none() == surface);
    object.cloned().ok_or(CUresult::INVALID_VALUE)
}

/// Ends an object.
///
/// # Errors
/// As [`get`].
pub(crate) fn destroy(number: u64, surface: bool) -> Result<(), CUresult> {
    get(number, surface)?;
    let gone = lock(&OBJECTS).remove(&number);
    drop(gone);
    Ok(())
}

/// Forgets the objects of a context.
pub(crate) fn end_context(context: usize) {
    let mut gone = Vec::new();
    lock(&OBJECTS).retain(|_, object| {
        let stays = object.context != context;
        if !stays {
            gone.push(object.clone());
        }
        stays
    });
    drop(gone);
    super::texture_reference::end_context(context);
}

fn keep(
    live: &Live,
    descriptor: &Descriptor,
    resource: CUDA_RESOURCE_DESC,
    texture: Option<CUDA_TEXTURE_DESC>,
    view: Option<CUDA_RESOURCE_VIEW_DESC>,
) -> Result<u64, CUresult> {
    let place = Place::take(live)?;
    place.write(live, descriptor)?;
    let number = place.va;
    let object = Object {
        context: live.context,
        resource,
        texture,
        view,
        _place: place,
    };
    lock(&OBJECTS).insert(number, Arc::new(object));
    Ok(number)
}

/// Makes a texture object in the current context.
///
/// # Errors
/// 1 for a description of none, 801 for formats that this device has not.
pub(crate) fn create(
    resource: CUDA_RESOURCE_DESC,
    texture: CUDA_TEXTURE_DESC,
    view: Option<CUDA_RESOURCE_VIEW_DESC>,
) -> Result<u64, CUresult> {
    let live = context::current()?;
    let mut header = header(&resource)?;
    if let Some(view) = &view {
        apply(&mut header, &resource, view)?;
    }
    let descriptor = Descriptor {
        header,
        sampler: sampler(&texture)?,
    };
    keep(&live, &descriptor, resource, Some(texture), view)
}

/// Makes a surface object in the current context.
///
/// # Errors
/// 1 for anything but an array with `SURFACE_LDST`.
pub(crate) fn create_surface(resource: CUDA_RESOURCE_DESC) -> Result<u64, CUresult> {
    let live = context::current()?;
    if resource.resType != CUresourcetype::ARRAY {
        return Err(CUresult::INVALID_VALUE);
    }
    let descriptor = surface_descriptor(handle_of(&resource))?;
    keep(&live, &descriptor, resource, None, None)
}

/// The descriptor of a surface on an array.
///
/// # Errors
/// As [`create_surface`].
pub(crate) fn surface_descriptor(handle: usize) -> Result<Descriptor, CUresult> {
    let array = known(handle)?;
    if array.shape.flags & array::flag::SURFACE_LDST == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut header = array::header(&[array])?;
    header.flags |= texture::flags::SURFACE;
    Ok(Descriptor {
        header,
        sampler: Sampler::default(),
    })
}

fn handle_of(resource: &CUDA_RESOURCE_DESC) -> usize {
    usize::try_from(resource.res[0]).unwrap_or_default()
}

fn known(handle: usize) -> Result<Arc<Array>, CUresult> {
    ARRAYS.get(handle).map_err(|_| CUresult::INVALID_VALUE)
}

/// The levels of a mipmapped array.
pub(crate) fn levels_of(handle: usize) -> Result<Vec<Arc<Array>>, CUresult> {
    let mipmap = MIPMAPS.get(handle).map_err(|_| CUresult::INVALID_VALUE)?;
    mipmap.levels.iter().map(|level| known(*level)).collect()
}

/// The two halves of a word of the union.
fn halves(word: u64) -> (i32, u32) {
    let low = u32::try_from(word & 0xffff_ffff).unwrap_or_default();
    let high = u32::try_from(word >> 32).unwrap_or_default();
    (low.cast_signed(), high)
}

/// Texture header of a resource.
fn header(resource: &CUDA_RESOURCE_DESC) -> Result<Header, CUresult> {
    if resource.flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let [address, form, a, b, c, ..] = resource.res;
    let (format, channels) = halves(form);
    match resource.resType {
        CUresourcetype::ARRAY => array::header(&[known(handle_of(resource))?]),
        CUresourcetype::MIPMAPPED_ARRAY => array::header(&levels_of(handle_of(resource))?),
        CUresourcetype::LINEAR => linear_header(address, CUarray_format(format), channels, a),
        CUresourcetype::PITCH2D => {
            pitch_header(address, CUarray_format(format), channels, [a, b], c)
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn of_memory(
    address: u64,
    bytes: u64,
    shape: &Shape,
    kind: u32,
    pitch: u64,
) -> Result<Header, CUresult> {
    if !address.is_multiple_of(ALIGN) || !matches!(shape.channels, 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE);
    }
    let End::Gpu { .. } = end_of(address, bytes, true)? else {
        return Err(CUresult::INVALID_VALUE);
    };
    let narrow = |v: u64| u32::try_from(v).map_err(|_| CUresult::INVALID_VALUE);
    let mut level = [texture::Level::default(); LEVELS_MAX];
    level[0] = texture::Level {
        offset: 0,
        pitch: narrow(pitch)?,
        rows: narrow(shape.height.max(1))?,
    };
    Ok(Header {
        magic: texture::MAGIC,
        address,
        kind,
        format: shape.format.0.cast_unsigned(),
        channels: shape.channels,
        flags: 0,
        width: narrow(shape.width)?,
        height: narrow(shape.height)?,
        depth: 0,
        levels: 1,
        level,
    })
}

fn shape_of(format: CUarray_format, channels: u32, width: u64, height: u64) -> Shape {
    Shape {
        width,
        height,
        depth: 0,
        format,
        channels,
        flags: 0,
    }
}

/// Header of elements in linear memory.
pub(crate) fn linear_header(
    address: u64,
    format: CUarray_format,
    channels: u32,
    bytes: u64,
) -> Result<Header, CUresult> {
    let element = shape_of(format, channels, 1, 0).element_bytes()?;
    if element == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let shape = shape_of(format, channels, bytes / element, 0);
    if shape.width == 0 || shape.width > LINEAR_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    of_memory(
        address,
        bytes,
        &shape,
        texture::kind::LINEAR,
        bytes.min(u32::MAX.into()),
    )
}

/// Header of lines in linear memory.
pub(crate) fn pitch_header(
    address: u64,
    format: CUarray_format,
    channels: u32,
    [width, height]: [u64; 2],
    pitch: u64,
) -> Result<Header, CUresult> {
    let shape = shape_of(format, channels, width, height);
    let line = width.checked_mul(shape.element_bytes()?);
    let fits = line.is_some_and(|line| line <= pitch);
    if width == 0
        || height == 0
        || width > 131_072
        || height > 65_000
        || !fits
        || !pitch.is_multiple_of(PITCH_ALIGN)
    {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = pitch * (height - 1) + line.unwrap_or_default();
    of_memory(address, bytes, &shape, texture::kind::PITCH, pitch)
}

/// Format and channels of a view.
///
/// # Errors
/// 801 for block-compressed formats, 1 for what is none.
fn view_format(format: CUresourceViewFormat) -> Result<(CUarray_format, u32), CUresult> {
    use CUarray_format as F;
    /// `CU_RES_VIEW_FORMAT_UINT_1X8` and on: three channel counts of each.
    const ROWS: [F; 8] = [
        F::UNSIGNED_INT8,
        F::SIGNED_INT8,
        F::UNSIGNED_INT16,
        F::SIGNED_INT16,
        F::UNSIGNED_INT32,
        F::SIGNED_INT32,
        F::HALF,
        F::FLOAT,
    ];
    let index = usize::try_from(format.0 - 1).map_err(|_| CUresult::INVALID_VALUE)?;
    match ROWS.get(index / 3) {
        Some(format) => Ok((*format, 1 << (index % 3))),
        None if index < 38 => Err(CUresult::NOT_SUPPORTED),
        None => Err(CUresult::INVALID_VALUE),
    }
}

/// Looks at a resource through a view: another format of the same size, a part of the levels and layers.
fn apply(
    header: &mut Header,
    resource: &CUDA_RESOURCE_DESC,
    view: &CUDA_RESOURCE_VIEW_DESC,
) -> Result<(), CUresult> {
    let bad = CUresult::INVALID_VALUE;
    let of_array = [CUresourcetype::ARRAY, CUresourcetype::MIPMAPPED_ARRAY];
    if !of_array.contains(&resource.resType) {
        return Err(bad);
    }
    let size = [view.width as u64, view.height as u64, view.depth as u64];
    let whole = [header.width, header.height, header.depth].map(u64::from);
    if view.format != CUresourceViewFormat::NONE {
        let (format, channels) = view_format(view.format)?;
        let bytes = |format, channels| shape_of(format, channels, 1, 0).element_bytes();
        let old = bytes(CUarray_format(header.format.cast_signed()), header.channels)?;
        if bytes(format, channels)? != old {
            return Err(bad);
        }
        header.format = format.0.cast_unsigned();
        header.channels = channels;
    }
    if size[0] != whole[0] || size[1].max(1) != whole[1].max(1) || size[2].max(1) != whole[2].max(1)
    {
        return Err(bad);
    }
    let (first, last) = (view.firstMipmapLevel, view.lastMipmapLevel);
    if first > last || last >= header.levels {
        return Err(bad);
    }
    let layered = header.flags & (texture::flags::LAYERED | texture::flags::CUBEMAP) != 0;
    if layered {
        if view.firstLayer > view.lastLayer || view.lastLayer >= header.depth {
            return Err(bad);
        }
        // Layers of a level lie together: the first one is an offset of each level.
        for level in &mut header.level {
            let skipped =
                u64::from(view.firstLayer) * u64::from(level.pitch) * u64::from(level.rows);
            if skipped % texture::LEVEL_ALIGN != 0 && view.firstLayer != 0 {
                return Err(CUresult::NOT_SUPPORTED);
            }
            level.offset += u32::try_from(skipped / texture::LEVEL_ALIGN).map_err(|_| bad)?;
        }
        header.depth = view.lastLayer - view.firstLayer + 1;
    } else {
        header.depth = shrunk(header.depth, first);
    }
    header.width = shrunk(header.width, first);
    header.height = shrunk(header.height, first);
    header.level.rotate_left(first as usize);
    header.levels = last - first + 1;
    Ok(())
}

fn shrunk(n: u32, level: u32) -> u32 {
    if n == 0 {
        0
    } else {
        (n >> level.min(31)).max(1)
    }
}

/// Sampler of a description.
pub(crate) fn sampler(d: &CUDA_TEXTURE_DESC) -> Result<Sampler, CUresult> {
    let modes = d.addressMode.map(|m| m.0.cast_unsigned());
    let filters = [d.filterMode, d.mipmapFilterMode].map(|f| f.0.cast_unsigned());
    if modes.iter().any(|m| *m > 3) || filters.iter().any(|f| *f > 1) || d.flags & !FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(Sampler {
        address: modes,
        filter: filters[0],
        level_filter: filters[1],
        flags: d.flags,
        bias: d.mipmapLevelBias,
        min_level: d.minMipmapLevelClamp,
        max_level: d.maxMipmapLevelClamp,
        max_anisotropy: d.maxAnisotropy,
        border: d.borderColor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn view_formats_have_their_channels() {
        let of = |n| view_format(CUresourceViewFormat(n));
        assert_eq!(of(1), Ok((CUarray_format::UNSIGNED_INT8, 1)));
        assert_eq!(of(9), Ok((CUarray_format::UNSIGNED_INT16, 4)));
        assert_eq!(
            of(CUresourceViewFormat::SINT_4X8.0),
            Ok((CUarray_format::SIGNED_INT8, 4))
        );
        assert_eq!(of(24), Ok((CUarray_format::FLOAT, 4)));
        assert_eq!(of(25), Err(CUresult::NOT_SUPPORTED));
        assert_eq!(of(0), Err(CUresult::INVALID_VALUE));
        assert_eq!(of(99), Err(CUresult::INVALID_VALUE));
    }
}
