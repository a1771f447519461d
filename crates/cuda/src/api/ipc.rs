//! Memory and events of other processes.

use cuda_abi::driver::{
    CUdeviceptr, CUevent, CUipcEventHandle, CUipcMem_flags, CUipcMemHandle, CUresult, Out,
};

use crate::core::event::{self, EVENTS};
use crate::core::ipc;
use crate::ffi::Write;

pub(crate) fn get_memory(out: Out<CUipcMemHandle>, address: CUdeviceptr) -> Result<(), CUresult> {
    out.required()?.set(CUipcMemHandle {
        reserved: ipc::memory_handle(address)?,
    })
}

pub(crate) fn open_memory(
    out: Out<CUdeviceptr>,
    handle: CUipcMemHandle,
    flags: u32,
) -> Result<(), CUresult> {
    let out = out.required()?;
    if flags != CUipcMem_flags::LAZY_ENABLE_PEER_ACCESS.0.unsigned_abs() {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(ipc::open_memory(&handle.reserved)?)
}

pub(crate) fn close_memory(address: CUdeviceptr) -> Result<(), CUresult> {
    ipc::close_memory(address)
}

/// 400 for an event that was not made for other processes.
pub(crate) fn get_event(out: Out<CUipcEventHandle>, event: CUevent) -> Result<(), CUresult> {
    let out = out.required()?;
    let event = EVENTS.get(event.0)?;
    let slot = event.shared.as_ref().ok_or(CUresult::INVALID_HANDLE)?;
    out.set(CUipcEventHandle {
        reserved: slot.handle()?,
    })
}

pub(crate) fn open_event(out: Out<CUevent>, handle: CUipcEventHandle) -> Result<(), CUresult> {
    let out = out.required()?;
    out.set(event::open(&handle.reserved)?)
}
