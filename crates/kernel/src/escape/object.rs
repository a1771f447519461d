//! Allocation, freeing, control and duplication of objects.

use abi::nv::classes;
use abi::nv::escape_params::{
    NVOS00_PARAMETERS, NVOS02_PARAMETERS, NVOS21_PARAMETERS, NVOS30_PARAMETERS, NVOS54_PARAMETERS,
    NVOS55_PARAMETERS, NVOS57_PARAMETERS, NVOS64_PARAMETERS,
};
use door::Node;
use rustix::io::Errno;

use super::Call;
use crate::class::{self, Request};
use crate::control;
use crate::memory::{Memory, PAGE};
use crate::object::{Body, Object, retire};
use crate::params::{load, store};
use crate::status::{RmResult, Status, code};

/// RM_ALLOC, both shapes.
pub(super) fn alloc(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    if arg.len() == NVOS21_PARAMETERS::BYTES {
        let mut params: NVOS21_PARAMETERS = load(arg);
        let request = Request {
            client: params.hRoot,
            parent: params.hObjectParent,
            handle: params.hObjectNew,
            class: params.hClass,
            pointer: params.pAllocParms,
        };
        check_node(call, request.class)?;
        let result = class::alloc(call, request);
        params.hObjectNew = result.unwrap_or(params.hObjectNew);
        params.status = code(result.map(|_| ()));
        store(arg, &params);
    } else {
        let mut params: NVOS64_PARAMETERS = load(arg);
        let request = Request {
            client: params.hRoot,
            parent: params.hObjectParent,
            handle: params.hObjectNew,
            class: params.hClass,
            pointer: params.pAllocParms,
        };
        check_node(call, request.class)?;
        let result = class::alloc(call, request);
        params.hObjectNew = result.unwrap_or(params.hObjectNew);
        params.status = code(result.map(|_| ()));
        store(arg, &params);
    }
    Ok(())
}

/// Only events may be allocated through a GPU node.
fn check_node(call: &Call<'_>, class: u32) -> Result<(), Errno> {
    if call.file.node == Node::Control || class == classes::NV01_EVENT_OS_EVENT {
        Ok(())
    } else {
        Err(Errno::INVAL)
    }
}

/// RM_FREE: an object with all below it, or a client.
pub(super) fn free(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS00_PARAMETERS = load(arg);
    params.status = code(free_object(call, params.hRoot, params.hObjectOld));
    store(arg, &params);
    Ok(())
}

/// Frees an object of the caller's.
pub(super) fn free_object(call: &Call<'_>, client: u32, handle: u32) -> RmResult {
    let gone = {
        let mut tree = call.kernel.tree();
        let owner = &call.file.owner;
        // Freeing a client names it as root, or as the object with root 0.
        let client = if client == 0 { handle } else { client };
        let found = tree.client_mut(client, owner)?;
        if handle == client {
            tree.remove_client(client)
        } else if found.names(handle) {
            found.remove(handle)
        } else {
            return Err(Status::INVALID_OBJECT_OLD);
        }
    };
    retire(gone);
    Ok(())
}

/// RM_CONTROL.
pub(super) fn control(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS54_PARAMETERS = load(arg);
    params.status = code(control::dispatch(call, &params));
    store(arg, &params);
    Ok(())
}

/// RM_DUP_OBJECT: another name for a memory object (or event source) of one's own or a shared client.
pub(super) fn dup(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS55_PARAMETERS = load(arg);
    let result = dup_object(call, &params);
    params.hObject = result.unwrap_or(params.hObject);
    params.status = code(result.map(|_| ()));
    store(arg, &params);
    Ok(())
}

fn dup_object(call: &Call<'_>, params: &NVOS55_PARAMETERS) -> RmResult<u32> {
    let owner = &call.file.owner;
    let mut tree = call.kernel.tree();
    let source = {
        let client = tree.foreign_client(params.hClientSrc, owner.uid)?;
        let object = client.object(params.hObjectSrc)?;
        if client.owner.pid != owner.pid && !client.share_all && !object.shared {
            return Err(Status::INSUFFICIENT_PERMISSIONS);
        }
        object.clone()
    };
    match source.body {
        Body::Memory(_) | Body::Subdevice => {}
        _ => return Err(Status::NOT_SUPPORTED),
    }
    let client = tree.client_mut(params.hClient, owner)?;
    client
        .insert(Object {
            handle: params.hObject,
            parent: params.hParent,
            shared: false,
            ..source
        })
        .map_err(|(status, _)| status)
}

/// RM_SHARE: the object may be duplicated by other processes of the user.
pub(super) fn share(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS57_PARAMETERS = load(arg);
    let result = (|| {
        let mut tree = call.kernel.tree();
        let client = tree.client_mut(params.hClient, &call.file.owner)?;
        if params.hObject == params.hClient {
            client.share_all = true;
        } else {
            client.object_mut(params.hObject)?.shared = true;
        }
        Ok(())
    })();
    params.status = code(result);
    store(arg, &params);
    Ok(())
}

/// RM_IDLE_CHANNELS: channels that are known; idling is the client's business through semaphores.
pub(super) fn idle_channels(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS30_PARAMETERS = load(arg);
    params.status = code(
        call.kernel
            .tree()
            .client(params.hClient, &call.file.owner)
            .map(|_| ()),
    );
    store(arg, &params);
    Ok(())
}

/// RM_ALLOC_MEMORY: pins a range of the caller's memory (class 0x71).
pub(super) fn alloc_memory(call: &mut Call<'_>, arg: &mut [u8]) -> Result<(), Errno> {
    let mut params: NVOS02_PARAMETERS = load(arg);
    let result = pin_memory(call, &params);
    params.hObjectNew = result.unwrap_or(params.hObjectNew);
    params.status = code(result.map(|_| ()));
    store(arg, &params);
    Ok(())
}

fn pin_memory(call: &mut Call<'_>, params: &NVOS02_PARAMETERS) -> RmResult<u32> {
    if params.hClass != classes::NV01_MEMORY_SYSTEM_OS_DESCRIPTOR {
        return Err(Status::INVALID_CLASS);
    }
    let owner = call.file.owner.clone();
    let gpu = {
        let tree = call.kernel.tree();
        let client = tree.client(params.hRoot, &owner)?;
        let parent = client
            .object(params.hObjectParent)
            .map_err(|_| Status::INVALID_OBJECT_PARENT)?;
        if client.names(params.hObjectNew) && params.hObjectNew != 0 {
            return Err(Status::INSERT_DUPLICATE_NAME);
        }
        parent.gpu.clone().ok_or(Status::INVALID_OBJECT_PARENT)?
    };
    let start = params.pMemory / PAGE * PAGE;
    let end = params
        .pMemory
        .checked_add(params.limit)
        .and_then(|last| last.checked_add(1))
        .and_then(|end| end.checked_next_multiple_of(PAGE))
        .ok_or(Status::INVALID_LIMIT)?;
    if params.pMemory == 0 || end > 1 << 47 {
        return Err(Status::INVALID_ADDRESS);
    }
    let fd = call.user.pin(start, end - start)?;
    let memory = Memory::pinned(fd, end - start, &call.kernel.services.descriptors)?;
    let mut tree = call.kernel.tree();
    let client = tree.client_mut(params.hRoot, &owner)?;
    client
        .insert(Object {
            handle: params.hObjectNew,
            parent: params.hObjectParent,
            class: params.hClass,
            gpu: Some(gpu),
            body: Body::Memory(memory),
            shared: false,
        })
        .map_err(|(status, _)| status)
}
