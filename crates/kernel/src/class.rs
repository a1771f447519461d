//! RM_ALLOC by class: one table, one row each.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use abi::link::ChannelAlloc;
use abi::nv::alloc_params::{
    NV_CHANNEL_ALLOC_PARAMS, NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS,
    NV_CTXSHARE_ALLOCATION_PARAMETERS, NV_MEMORY_ALLOCATION_PARAMS,
    NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS, NV0005_ALLOC_PARAMETERS, NV0080_ALLOC_PARAMETERS,
    NV2080_ALLOC_PARAMETERS,
};
use abi::nv::classes::{self, *};

use crate::channel::{Channel, Tsg};
use crate::escape::Call;
use crate::event::{NONSTALL, Sink};
use crate::gpu::Gpu;
use crate::klog::Level;
use crate::memory::{Memory, PAGE, Place};
use crate::object::{Body, Client, Object, retire};
use crate::params::{load, store};
use crate::profile::Profile;
use crate::status::{RmResult, Status};
use crate::usermode::UsermodePage;
use crate::vaspace::{VA_END, VaSpace};

/// What RM_ALLOC asks for.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Client.
    pub client: u32,
    /// Parent object.
    pub parent: u32,
    /// Handle, 0 = RM chooses.
    pub handle: u32,
    /// Class.
    pub class: u32,
    /// Address of the class's parameters.
    pub pointer: u64,
}

/// The parent, as an allocation sees it.
struct Parent {
    class: u32,
    gpu: Option<Arc<Gpu>>,
    body: Body,
}

/// Who may be the parent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    Root,
    Device,
    Subdevice,
    DeviceOrSubdevice,
    DeviceOrTsg,
    Tsg,
    Channel,
    Any,
}

/// Which part of a profile's class list must have it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chip {
    /// Not in the chip's list: always there.
    Always,
    /// Only if the chip's list has it.
    Listed,
}

type Handler = fn(&mut Call<'_>, &Request, &Parent, &mut [u8]) -> RmResult<Body>;

struct Row {
    class: u32,
    under: Under,
    chip: Chip,
    /// Name of the parameter struct, empty for none.
    params: &'static str,
    handler: Handler,
}

macro_rules! rows {
    ($($class:ident, $under:ident, $chip:ident, $params:literal, $handler:expr;)*) => {
        static ROWS: &[Row] = &[$(Row {
            class: $class,
            under: Under::$under,
            chip: Chip::$chip,
            params: $params,
            handler: $handler,
        },)*];
    };
}

/// `NV208F_DIAG_SUBDEVICE`, which NVML allocates.
const NV20_SUBDEVICE_DIAG: u32 = 0x208f;
rows! {
    NV01_DEVICE_0, Root, Always, "NV0080_ALLOC_PARAMETERS", device;
    NV20_SUBDEVICE_0, Device, Always, "NV2080_ALLOC_PARAMETERS", subdevice;
    NV01_MEMORY_LOCAL_USER, DeviceOrSubdevice, Always, "NV_MEMORY_ALLOCATION_PARAMS", memory;
    NV01_MEMORY_SYSTEM, DeviceOrSubdevice, Always, "NV_MEMORY_ALLOCATION_PARAMS", memory;
    NV01_MEMORY_VIRTUAL, Device, Listed, "NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS", virtual_memory;
    NV50_MEMORY_VIRTUAL, Device, Listed, "NV_MEMORY_ALLOCATION_PARAMS", memory;
    FERMI_VASPACE_A, Device, Listed, "NV_VASPACE_ALLOCATION_PARAMETERS", va_space;
    KEPLER_CHANNEL_GROUP_A, Device, Listed, "NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS", tsg;
    FERMI_CONTEXT_SHARE_A, Tsg, Listed, "NV_CTXSHARE_ALLOCATION_PARAMETERS", ctx_share;
    TURING_CHANNEL_GPFIFO_A, DeviceOrTsg, Listed, "NV_CHANNEL_ALLOC_PARAMS", channel;
    AMPERE_CHANNEL_GPFIFO_A, DeviceOrTsg, Listed, "NV_CHANNEL_ALLOC_PARAMS", channel;
    HOPPER_CHANNEL_GPFIFO_A, DeviceOrTsg, Listed, "NV_CHANNEL_ALLOC_PARAMS", channel;
    BLACKWELL_CHANNEL_GPFIFO_A, DeviceOrTsg, Listed, "NV_CHANNEL_ALLOC_PARAMS", channel;
    BLACKWELL_CHANNEL_GPFIFO_B, DeviceOrTsg, Listed, "NV_CHANNEL_ALLOC_PARAMS", channel;
    AMPERE_COMPUTE_A, Channel, Listed, "NV_GR_ALLOCATION_PARAMETERS", engine;
    AMPERE_COMPUTE_B, Channel, Listed, "NV_GR_ALLOCATION_PARAMETERS", engine;
    ADA_COMPUTE_A, Channel, Listed, "NV_GR_ALLOCATION_PARAMETERS", engine;
    HOPPER_COMPUTE_A, Channel, Listed, "NV_GR_ALLOCATION_PARAMETERS", engine;
    BLACKWELL_COMPUTE_A, Channel, Listed, "NV_GR_ALLOCATION_PARAMETERS", engine;
    BLACKWELL_COMPUTE_B, Channel, Listed, "NV_GR_ALLOCATION_PARAMETERS", engine;
    AMPERE_DMA_COPY_A, Channel, Listed, "NVB0B5_ALLOCATION_PARAMETERS", engine;
    AMPERE_DMA_COPY_B, Channel, Listed, "NVB0B5_ALLOCATION_PARAMETERS", engine;
    HOPPER_DMA_COPY_A, Channel, Listed, "NVB0B5_ALLOCATION_PARAMETERS", engine;
    BLACKWELL_DMA_COPY_A, Channel, Listed, "NVB0B5_ALLOCATION_PARAMETERS", engine;
    BLACKWELL_DMA_COPY_B, Channel, Listed, "NVB0B5_ALLOCATION_PARAMETERS", engine;
    KEPLER_INLINE_TO_MEMORY_B, Channel, Listed, "NV_GR_ALLOCATION_PARAMETERS", engine;
    VOLTA_USERMODE_A, Subdevice, Listed, "", usermode;
    TURING_USERMODE_A, Subdevice, Listed, "", usermode;
    AMPERE_USERMODE_A, Subdevice, Listed, "", usermode;
    HOPPER_USERMODE_A, Subdevice, Listed, "NV_HOPPER_USERMODE_A_PARAMS", usermode;
    NV01_EVENT_OS_EVENT, Any, Always, "NV0005_ALLOC_PARAMETERS", event;
    GT200_DEBUGGER, Device, Always, "NV83DE_ALLOC_PARAMETERS", plain;
    NV04_DISPLAY_COMMON, Device, Always, "", plain;
    NV2081_BINAPI, Subdevice, Always, "NV2081_ALLOC_PARAMETERS", plain;
    NV20_SUBDEVICE_DIAG, Subdevice, Always, "", plain;
    GF100_SUBDEVICE_MASTER, Subdevice, Listed, "", plain;
    NV_CONFIDENTIAL_COMPUTE, Root, Listed, "NV_CONFIDENTIAL_COMPUTE_ALLOC_PARAMS", plain;
    NVC639_MIG_CONFIG, Root, Always, "", plain;
    NVC640_MIG_MONITOR, Root, Always, "", plain;
}

/// Largest parameter struct of a class.
const LARGEST: usize = 4096;

/// Allocates.
///
/// # Errors
/// RM statuses as nv-abi.md §2.2 has them.
pub fn alloc(call: &mut Call<'_>, request: Request) -> RmResult<u32> {
    if matches!(
        request.class,
        NV01_ROOT | NV01_ROOT_NON_PRIV | NV01_ROOT_CLIENT
    ) {
        let mut tree = call.kernel.tree();
        return tree.add_client(request.handle, call.file.id, call.file.owner.clone());
    }
    let parent = {
        let tree = call.kernel.tree();
        let client = tree.client(request.client, &call.file.owner)?;
        if request.handle != 0 && client.names(request.handle) {
            return Err(Status::INSERT_DUPLICATE_NAME);
        }
        parent_of(client, request.parent)?
    };
    let row = ROWS.iter().find(|r| r.class == request.class);
    let listed = |row: &&Row| match row.chip {
        Chip::Always => true,
        Chip::Listed => match &parent.gpu {
            Some(gpu) => gpu.profile.classes().contains(&row.class),
            None => call
                .kernel
                .gpus
                .iter()
                .any(|g| g.profile.classes().contains(&row.class)),
        },
    };
    let Some(row) = row.filter(listed) else {
        let name = classes::name(request.class).unwrap_or("unknown");
        call.kernel.log().once(
            Level::Notice,
            &format!("class {:#x}", request.class),
            &format!(
                "NVRM: class 0x{:04x} ({name}) is not on this GPU",
                request.class
            ),
        );
        return Err(Status::INVALID_CLASS);
    };
    let right_parent = match row.under {
        Under::Root => parent.class == NV01_ROOT_CLIENT,
        Under::Device => parent.class == NV01_DEVICE_0,
        Under::Subdevice => parent.class == NV20_SUBDEVICE_0,
        Under::DeviceOrSubdevice => matches!(parent.class, NV01_DEVICE_0 | NV20_SUBDEVICE_0),
        Under::DeviceOrTsg => matches!(parent.class, NV01_DEVICE_0 | KEPLER_CHANNEL_GROUP_A),
        Under::Tsg => matches!(parent.body, Body::Tsg(_)),
        Under::Channel => matches!(parent.body, Body::Channel(_)),
        Under::Any => true,
    };
    if !right_parent {
        return Err(Status::INVALID_OBJECT_PARENT);
    }
    // The class's own size counts, whatever the caller says; without a pointer everything is zero.
    let size = if row.params.is_empty() {
        0
    } else {
        call.kernel
            .sizes
            .of(row.params)
            .and_then(|s| usize::try_from(s).ok())
            .unwrap_or(0)
            .min(LARGEST)
    };
    let mut params = vec![0; size];
    if request.pointer != 0 && size != 0 {
        call.user
            .read(request.pointer, &mut params)
            .map_err(|_| Status::INVALID_ADDRESS)?;
    }
    let before = params.clone();
    let body = (row.handler)(call, &request, &parent, &mut params)?;
    let written = if request.pointer != 0 && params != before {
        call.user
            .write(request.pointer, &params)
            .map_err(|_| Status::INVALID_ADDRESS)
    } else {
        Ok(())
    };
    let gpu = match &body {
        Body::Device(space) => Some(Arc::clone(&space.gpu)),
        _ => parent.gpu,
    };
    let object = Object {
        handle: request.handle,
        parent: request.parent,
        class: request.class,
        gpu,
        body,
        shared: false,
    };
    let inserted = match written {
        Err(status) => Err((status, object)),
        Ok(()) => match call
            .kernel
            .tree()
            .client_mut(request.client, &call.file.owner)
        {
            Ok(client) => client.insert(object),
            Err(status) => Err((status, object)),
        },
    };
    inserted.map_err(|(status, object)| {
        retire(vec![object]);
        status
    })
}

fn parent_of(client: &Client, handle: u32) -> RmResult<Parent> {
    if handle == client.handle {
        return Ok(Parent {
            class: NV01_ROOT_CLIENT,
            gpu: None,
            body: Body::Plain,
        });
    }
    let object = client
        .object(handle)
        .map_err(|_| Status::INVALID_OBJECT_PARENT)?;
    Ok(Parent {
        class: object.class,
        gpu: object.gpu.clone(),
        body: object.body.clone(),
    })
}

fn gpu_of(parent: &Parent) -> RmResult<Arc<Gpu>> {
    parent.gpu.clone().ok_or(Status::INVALID_OBJECT_PARENT)
}

fn plain(_: &mut Call<'_>, _: &Request, _: &Parent, _: &mut [u8]) -> RmResult<Body> {
    Ok(Body::Plain)
}

fn device(call: &mut Call<'_>, _: &Request, _: &Parent, params: &mut [u8]) -> RmResult<Body> {
    let params: NV0080_ALLOC_PARAMETERS = load(params);
    let gpu = call
        .kernel
        .gpus
        .iter()
        .find(|g| g.index == params.deviceId)
        .ok_or(Status::INVALID_DEVICE)?;
    let space = VaSpace::new(
        Arc::clone(gpu),
        call.file.owner.clone(),
        Arc::clone(&call.kernel.services),
    );
    Ok(Body::Device(space))
}

fn subdevice(_: &mut Call<'_>, _: &Request, _: &Parent, params: &mut [u8]) -> RmResult<Body> {
    let params: NV2080_ALLOC_PARAMETERS = load(params);
    if params.subDeviceId == 0 {
        Ok(Body::Subdevice)
    } else {
        Err(Status::INVALID_DEVICE)
    }
}

fn va_space(call: &mut Call<'_>, _: &Request, parent: &Parent, _: &mut [u8]) -> RmResult<Body> {
    Ok(Body::VaSpace(VaSpace::new(
        gpu_of(parent)?,
        call.file.owner.clone(),
        Arc::clone(&call.kernel.services),
    )))
}

fn virtual_memory(
    call: &mut Call<'_>,
    request: &Request,
    parent: &Parent,
    params: &mut [u8],
) -> RmResult<Body> {
    let params: NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS = load(params);
    let space = space_or_default(call, request.client, params.hVASpace, parent)?;
    let limit = if params.limit == 0 {
        VA_END - 1
    } else {
        params.limit
    };
    let len = limit
        .checked_sub(params.offset)
        .ok_or(Status::INVALID_LIMIT)?
        .saturating_add(1);
    Ok(Body::Virtual {
        space,
        base: params.offset,
        len,
    })
}

/// The space of a handle, or the device's own for handle 0.
fn space_or_default(
    call: &Call<'_>,
    client: u32,
    handle: u32,
    parent: &Parent,
) -> RmResult<Arc<VaSpace>> {
    if handle != 0 {
        return call.kernel.space(&call.file.owner, client, handle);
    }
    match &parent.body {
        Body::Device(space) => Ok(Arc::clone(space)),
        _ => Err(Status::INVALID_ARGUMENT),
    }
}

/// `NVOS32_ALLOC_FLAGS_VIRTUAL`, `_FIXED_ADDRESS_ALLOCATE`.
const FLAG_VIRTUAL: u32 = 0x8_0000;
const FLAG_FIXED: u32 = 0x10;
/// `attr` LOCATION, bits 26:25: 0 is video memory.
const ATTR_LOCATION: u32 = 3 << 25;

/// A memory allocation, from either interface.
#[derive(Clone, Copy, Debug)]
pub struct AllocMemory {
    /// Client.
    pub client: u32,
    /// Device or subdevice.
    pub parent: u32,
    /// Handle, 0 = RM chooses.
    pub handle: u32,
    /// Class, or by attributes.
    pub class: Option<u32>,
    /// Bytes.
    pub size: u64,
    /// Alignment wanted.
    pub alignment: u64,
    /// `NVOS32_ALLOC_FLAGS`.
    pub flags: u32,
    /// `NVOS32_ATTR`.
    pub attr: u32,
    /// Fixed address of virtual memory.
    pub offset: u64,
    /// Range of virtual memory.
    pub range: Option<(u64, u64)>,
    /// VA space handle.
    pub space: u32,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Allocated {
    /// Handle.
    pub handle: u32,
    /// Bytes, rounded.
    pub size: u64,
    /// Address (virtual), or an offset in the framebuffer that means nothing.
    pub offset: u64,
    /// Attributes as granted.
    pub attr: u32,
}

/// Allocates memory for RM_VID_HEAP_CONTROL.
///
/// # Errors
/// [`Status::NO_MEMORY`] and argument errors.
pub fn alloc_memory(call: &mut Call<'_>, want: AllocMemory) -> RmResult<Allocated> {
    let parent = {
        let tree = call.kernel.tree();
        let client = tree.client(want.client, &call.file.owner)?;
        if want.handle != 0 && client.names(want.handle) {
            return Err(Status::INSERT_DUPLICATE_NAME);
        }
        parent_of(client, want.parent)?
    };
    let (class, body, offset, size) = make_memory(call, &want, &parent)?;
    let object = Object {
        handle: want.handle,
        parent: want.parent,
        class,
        gpu: parent.gpu,
        body,
        shared: false,
    };
    let mut tree = call.kernel.tree();
    let handle = tree
        .client_mut(want.client, &call.file.owner)?
        .insert(object)
        .map_err(|(status, _)| status)?;
    Ok(Allocated {
        handle,
        size,
        offset,
        attr: want.attr,
    })
}

fn make_memory(
    call: &Call<'_>,
    want: &AllocMemory,
    parent: &Parent,
) -> RmResult<(u32, Body, u64, u64)> {
    let gpu = gpu_of(parent)?;
    if !matches!(parent.body, Body::Device(_) | Body::Subdevice) {
        return Err(Status::INVALID_OBJECT_PARENT);
    }
    if want.size == 0 {
        return Err(Status::INVALID_ARGUMENT);
    }
    if want.size > VA_END {
        return Err(Status::NO_MEMORY);
    }
    let is_virtual = want.flags & FLAG_VIRTUAL != 0 || want.class == Some(NV50_MEMORY_VIRTUAL);
    if is_virtual {
        let space = space_or_default(call, want.client, want.space, parent)?;
        let len = want.size.next_multiple_of(PAGE);
        let base = if want.flags & FLAG_FIXED != 0 {
            want.offset
        } else {
            let (low, high) = want.range.unwrap_or((0, 0));
            let high = if high == 0 {
                VA_END
            } else {
                high.saturating_add(1)
            };
            space.find_hole(low.max(1 << 32), high, len)?
        };
        if base.checked_add(len).is_none_or(|end| end > VA_END) {
            return Err(Status::INVALID_ADDRESS);
        }
        return Ok((
            NV50_MEMORY_VIRTUAL,
            Body::Virtual { space, base, len },
            base,
            len,
        ));
    }
    let video = match want.class {
        Some(class) => class == NV01_MEMORY_LOCAL_USER,
        None => want.attr & ATTR_LOCATION == 0,
    };
    let services = &call.kernel.services;
    let (class, place, account) = if video {
        (NV01_MEMORY_LOCAL_USER, Place::Video, &gpu.framebuffer)
    } else {
        (NV01_MEMORY_SYSTEM, Place::System, &services.host)
    };
    let make = || Memory::new(place, want.size, account, &services.descriptors);
    let memory = match make() {
        // Managed memory gives way.
        Err(Status::NO_MEMORY) if video && call.kernel.reclaim(gpu.index, want.size) => make()?,
        other => other?,
    };
    let size = memory.len();
    if video && gpu.accounts().is_on() {
        let pid = call.file.owner.pid;
        let held = call.kernel.video_of(pid, gpu.index) + memory.charged();
        gpu.accounts().holds(pid, held);
    }
    Ok((class, Body::Memory(memory), 0, size))
}

fn memory(
    call: &mut Call<'_>,
    request: &Request,
    parent: &Parent,
    params: &mut [u8],
) -> RmResult<Body> {
    let mut wanted: NV_MEMORY_ALLOCATION_PARAMS = load(params);
    let want = AllocMemory {
        client: request.client,
        parent: request.parent,
        handle: request.handle,
        class: Some(request.class),
        size: wanted.size,
        alignment: wanted.alignment,
        flags: wanted.flags,
        attr: wanted.attr,
        offset: wanted.offset,
        range: (wanted.rangeHi != 0).then_some((wanted.rangeLo, wanted.rangeHi)),
        space: wanted.hVASpace,
    };
    let (_, body, offset, size) = make_memory(call, &want, parent)?;
    wanted.size = size;
    wanted.offset = offset;
    wanted.limit = size - 1;
    store(params, &wanted);
    Ok(body)
}

fn tsg(call: &mut Call<'_>, request: &Request, _: &Parent, params: &mut [u8]) -> RmResult<Body> {
    let params: NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS = load(params);
    let owner = &call.file.owner;
    let space = match params.hVASpace {
        0 => None,
        handle => Some(call.kernel.space(owner, request.client, handle)?),
    };
    let notifier = match params.hObjectError {
        0 => None,
        handle => Some(call.kernel.memory(owner, request.client, handle)?),
    };
    Ok(Body::Tsg(Arc::new(Tsg {
        space,
        engine: params.engineType,
        notifier,
        scheduled: AtomicBool::new(false),
        channels: std::sync::Mutex::default(),
    })))
}

fn ctx_share(
    call: &mut Call<'_>,
    request: &Request,
    parent: &Parent,
    params: &mut [u8],
) -> RmResult<Body> {
    let mut wanted: NV_CTXSHARE_ALLOCATION_PARAMETERS = load(params);
    let Body::Tsg(tsg) = &parent.body else {
        return Err(Status::INVALID_OBJECT_PARENT);
    };
    let space = match (wanted.hVASpace, &tsg.space) {
        (0, Some(space)) => Arc::clone(space),
        (0, None) => return Err(Status::INVALID_ARGUMENT),
        (handle, _) => call
            .kernel
            .space(&call.file.owner, request.client, handle)?,
    };
    wanted.subctxId = 0;
    store(params, &wanted);
    Ok(Body::CtxShare(space))
}

/// USERD of one channel.
const USERD_BYTES: u64 = 512;
/// Error notifier of one channel.
const NOTIFIER_BYTES: u64 = 16;
/// GPFIFO entries at most.
const MAX_ENTRIES: u32 = 1 << 20;

fn channel(
    call: &mut Call<'_>,
    request: &Request,
    parent: &Parent,
    params: &mut [u8],
) -> RmResult<Body> {
    let mut wanted: NV_CHANNEL_ALLOC_PARAMS = load(params);
    let gpu = gpu_of(parent)?;
    let owner = call.file.owner.clone();
    let tsg = match &parent.body {
        Body::Tsg(tsg) => Some(Arc::clone(tsg)),
        _ => None,
    };
    let space = match (wanted.hContextShare, wanted.hVASpace) {
        (0, 0) => match (&tsg, &parent.body) {
            (Some(tsg), _) => tsg.space.clone().ok_or(Status::INVALID_ARGUMENT)?,
            (None, Body::Device(space)) => Arc::clone(space),
            (None, _) => return Err(Status::INVALID_ARGUMENT),
        },
        (0, handle) | (handle, _) => call.kernel.space(&owner, request.client, handle)?,
    };
    if space.gpu.index != gpu.index {
        return Err(Status::INVALID_ARGUMENT);
    }
    let userd = call
        .kernel
        .memory(&owner, request.client, wanted.hUserdMemory[0])?;
    let userd_offset = wanted.userdOffset[0];
    let userd_fits = userd_offset
        .checked_add(USERD_BYTES)
        .is_some_and(|end| end <= userd.len());
    if !userd_offset.is_multiple_of(4) || !userd_fits {
        return Err(Status::INVALID_OFFSET);
    }
    let entries = wanted.gpFifoEntries;
    if !(2..=MAX_ENTRIES).contains(&entries)
        || !wanted.gpFifoOffset.is_multiple_of(8)
        || wanted.gpFifoOffset >= VA_END
    {
        return Err(Status::INVALID_ARGUMENT);
    }
    let notifier = match wanted.hObjectError {
        0 => tsg.as_ref().and_then(|t| t.notifier.clone()),
        handle => Some(call.kernel.memory(&owner, request.client, handle)?),
    };
    if notifier.as_ref().is_some_and(|n| n.len() < NOTIFIER_BYTES) {
        return Err(Status::INVALID_ARGUMENT);
    }
    let engine = match (wanted.engineType, &tsg) {
        (0, Some(tsg)) => tsg.engine,
        (engine, _) => engine,
    };
    let page = usermode_page(call, request.client, &gpu)?;
    let id = gpu.take_channel()?;
    let channel = Arc::new(Channel {
        id,
        class: request.class,
        engine,
        client: request.client,
        gpu,
        space: Arc::clone(&space),
        userd,
        usermode: page,
        notifier,
        fault: std::sync::Mutex::default(),
        closed: AtomicBool::new(false),
    });
    let alloc = ChannelAlloc {
        chid: id,
        class: request.class,
        gpfifo_va: wanted.gpFifoOffset,
        gpfifo_entries: entries,
        userd_offset,
        notifier_offset: channel.notifier.as_ref().map(|_| 0),
        engine,
    };
    space.add_channel(&channel, alloc)?;
    if let Some(tsg) = tsg {
        let scheduled = {
            let mut channels = tsg
                .channels
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            channels.push(Arc::downgrade(&channel));
            tsg.scheduled.load(std::sync::atomic::Ordering::SeqCst)
        };
        if scheduled && let Err(status) = channel.schedule(true) {
            channel.close();
            return Err(status);
        }
    }
    wanted.cid = id;
    store(params, &wanted);
    Ok(Body::Channel(channel))
}

fn engine(_: &mut Call<'_>, request: &Request, parent: &Parent, _: &mut [u8]) -> RmResult<Body> {
    let Body::Channel(channel) = &parent.body else {
        return Err(Status::INVALID_OBJECT_PARENT);
    };
    channel.bind(request.class)?;
    Ok(Body::Engine(Arc::clone(channel)))
}

/// The client's usermode page on a GPU, made when first asked for.
fn usermode_page(call: &Call<'_>, client: u32, gpu: &Arc<Gpu>) -> RmResult<Arc<UsermodePage>> {
    let services = &call.kernel.services;
    let find = |page: Option<Arc<UsermodePage>>| -> RmResult<Option<Arc<UsermodePage>>> {
        let mut tree = call.kernel.tree();
        let client = tree.client_mut(client, &call.file.owner)?;
        if let Some(page) = page {
            return Ok(Some(Arc::clone(
                client.usermode.entry(gpu.index).or_insert(page),
            )));
        }
        Ok(client.usermode.get(&gpu.index).cloned())
    };
    if let Some(page) = find(None)? {
        return Ok(page);
    }
    find(Some(UsermodePage::new(
        &services.host,
        &services.descriptors,
    )?))?
    .ok_or(Status::NO_MEMORY)
}

fn usermode(
    call: &mut Call<'_>,
    request: &Request,
    parent: &Parent,
    _: &mut [u8],
) -> RmResult<Body> {
    Ok(Body::Usermode(usermode_page(
        call,
        request.client,
        &gpu_of(parent)?,
    )?))
}

/// OS events per GPU.
const MAX_SINKS: usize = 4096;

fn event(
    call: &mut Call<'_>,
    request: &Request,
    parent: &Parent,
    params: &mut [u8],
) -> RmResult<Body> {
    let params: NV0005_ALLOC_PARAMETERS = load(params);
    let fd = u32::try_from(params.data).map_err(|_| Status::INVALID_ARGUMENT)?;
    let file = call
        .kernel
        .caller_file(call.file, call.user, fd.cast_signed())?;
    if !file.state().os_events.contains(&(request.client, fd)) {
        return Err(Status::INVALID_ARGUMENT);
    }
    let source = if params.hSrcResource == 0 {
        request.parent
    } else {
        params.hSrcResource
    };
    let gpu = {
        let tree = call.kernel.tree();
        let client = tree.client(request.client, &call.file.owner)?;
        match client.object(source) {
            Ok(object) => object.gpu.clone(),
            Err(_) => parent.gpu.clone(),
        }
    };
    let gpu = gpu.ok_or(Status::INVALID_OBJECT_PARENT)?;
    let sink = Arc::new(Sink {
        client: request.client,
        handle: request.handle,
        source,
        notify: params.notifyIndex,
        armed: AtomicBool::new(params.notifyIndex & NONSTALL != 0),
        single: AtomicBool::new(false),
        file: Arc::downgrade(&file),
    });
    let mut sinks = gpu
        .sinks
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    sinks.retain(|s| s.strong_count() > 0);
    if sinks.len() >= MAX_SINKS {
        return Err(Status::INSUFFICIENT_RESOURCES);
    }
    sinks.push(Arc::downgrade(&sink));
    Ok(Body::Event(sink))
}

/// Classes with a row.
#[must_use]
pub fn handled() -> Vec<u32> {
    ROWS.iter().map(|r| r.class).collect()
}

/// Whether the profile's channel or engine classes all have rows.
#[must_use]
pub fn covers(profile: &Profile) -> bool {
    let rows = handled();
    [
        &profile.compute_classes,
        &profile.copy_classes,
        &profile.channel_classes,
        &profile.usermode_classes,
    ]
    .into_iter()
    .flatten()
    .filter_map(|n| crate::profile::class_number(n))
    .all(|c| rows.contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_cover_the_profiles_and_name_known_structs() {
        for name in crate::profile::names() {
            assert!(covers(&Profile::load(name).expect("profile")), "{name}");
        }
        let sizes = abi::nv::sizes::Sizes::at(abi::nv::sizes::Version::DEFAULT);
        for row in ROWS {
            assert!(
                row.params.is_empty() || sizes.of(row.params).is_some(),
                "{}",
                row.params
            );
        }
    }
}
