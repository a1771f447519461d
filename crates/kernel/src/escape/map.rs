//! Mapping memory: into the CPU (parked on a file) and into a GPU VA space by RM.

use abi::nv::escape_params::{
    NVOS33_PARAMETERS, NVOS34_PARAMETERS, NVOS46_PARAMETERS, NVOS47_PARAMETERS, NVOS56_PARAMETERS,
    nv_ioctl_nvos33_parameters_with_fd,
};
use door::Node;
use rustix::io::Errno;

use super::Call;
use crate::file::MapContext;
use crate::memory::{PAGE, Place};
use crate::object::Body;
use crate::params::{load, put_u32, put_u64, store, u32_at, u64_at};
use crate::status::{RmResult, Status, code};

/// RM_MAP_MEMORY: parks a mapping on the file that `fd` names; the caller then maps that file at offset 0.
pub(super) fn map(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: nv_ioctl_nvos33_parameters_with_fd = load(arg);
    let result = park(call, &params.params, params.fd);
    if let Ok(cookie) = result {
        params.params.pLinearAddress = cookie;
    }
    params.params.status = code(result.map(|_| ()));
    store(arg, &params);
    Ok(())
}

/// NVOS33 flags, bits 1:0.
const ACCESS: u32 = 3;
const READ_ONLY: u32 = 1;
const WRITE_ONLY: u32 = 2;

fn park(call: &mut Call<'_>, params: &NVOS33_PARAMETERS, fd: i32) -> RmResult<u64> {
    let owner = &call.file.owner;
    let memory = call.kernel.memory(owner, params.hClient, params.hMemory)?;
    let end = params
        .offset
        .checked_add(params.length)
        .ok_or(Status::INVALID_LIMIT)?;
    if params.length == 0 || end > memory.len() || !params.offset.is_multiple_of(PAGE) {
        return Err(Status::INVALID_LIMIT);
    }
    let target = call.kernel.caller_file(call.file, call.user, fd)?;
    let right_node = match memory.place() {
        Place::System | Place::Pinned => target.node == Node::Control,
        Place::Video | Place::Registers => matches!(target.node, Node::Gpu(_)),
    };
    if !right_node {
        return Err(Status::INVALID_ARGUMENT);
    }
    let access = params.flags & ACCESS;
    let mut state = target.state();
    if state.map.is_some() {
        return Err(Status::STATE_IN_USE);
    }
    state.map = Some(MapContext {
        memory,
        offset: params.offset,
        len: params.length,
        write: access != READ_ONLY,
        // x86 cannot map write-only; the driver grants reads too.
        read: access != WRITE_ONLY || cfg!(target_arch = "x86_64"),
    });
    Ok(call.kernel.cookie())
}

/// RM_UNMAP_MEMORY: the object is known; the mapping itself is the caller's `munmap`.
pub(super) fn unmap(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS34_PARAMETERS = load(arg);
    let found = call
        .kernel
        .memory(&call.file.owner, params.hClient, params.hMemory);
    params.status = code(found.map(|_| ()));
    store(arg, &params);
    Ok(())
}

/// RM_UPDATE_DEVICE_MAPPING_INFO: the cookie of a mapping becomes its address.
pub(super) fn update(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS56_PARAMETERS = load(arg);
    let found = call
        .kernel
        .memory(&call.file.owner, params.hClient, params.hMemory);
    params.status = code(found.map(|_| ()));
    store(arg, &params);
    Ok(())
}

/// NVOS46 flags bit 15: the caller says where.
const DMA_OFFSET_FIXED: u32 = 1 << 15;
/// NVOS46 flags, bits 1:0: 1 is read-only.
const DMA_READ_ONLY: u32 = 1;

/// RM_MAP_MEMORY_DMA: maps memory into the VA space of `hDma`.
pub(super) fn map_dma(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    // flags2 and kindOverride came in before dmaOffset in 580.
    let (at_offset, at_status) = if arg.len() >= NVOS46_PARAMETERS::BYTES {
        (0x30, 0x38)
    } else {
        (0x28, 0x30)
    };
    let result = dma(call, arg, u64_at(arg, at_offset));
    if let Ok(va) = result {
        put_u64(arg, at_offset, va);
    }
    put_u32(arg, at_status, code(result.map(|_| ())));
    Ok(())
}

fn dma(call: &Call<'_>, arg: &[u8], fixed: u64) -> RmResult<u64> {
    let owner = &call.file.owner;
    let params: NVOS46_PARAMETERS = load(arg);
    let memory = call.kernel.memory(owner, params.hClient, params.hMemory)?;
    let space = call.kernel.space(owner, params.hClient, params.hDma)?;
    let (base, limit) = match call.kernel.body(owner, params.hClient, params.hDma)? {
        Body::Virtual { base, len, .. } => (base, base.saturating_add(len)),
        _ => (0, u64::MAX),
    };
    let len = params
        .length
        .checked_next_multiple_of(PAGE)
        .ok_or(Status::INVALID_LIMIT)?;
    let write = params.flags & 3 != DMA_READ_ONLY;
    if params.flags & DMA_OFFSET_FIXED != 0 {
        if fixed < base || fixed.checked_add(len).is_none_or(|end| end > limit) {
            return Err(Status::INVALID_OFFSET);
        }
        space.map(fixed, len, &memory, params.offset, write)?;
        return Ok(fixed);
    }
    let va = space.find_hole(base.max(fixed), limit, len)?;
    space.map(va, len, &memory, params.offset, write)?;
    Ok(va)
}

/// RM_UNMAP_MEMORY_DMA.
pub(super) fn unmap_dma(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let at_status = if arg.len() >= NVOS47_PARAMETERS::BYTES {
        0x28
    } else {
        0x20
    };
    let result = (|| {
        let space = call
            .kernel
            .space(&call.file.owner, u32_at(arg, 0), u32_at(arg, 8))?;
        space.unmap(u64_at(arg, 0x18))
    })();
    put_u32(arg, at_status, code(result));
    Ok(())
}
