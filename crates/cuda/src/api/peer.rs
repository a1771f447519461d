//! Devices and each other's memory: copies go between them, kernels do not reach across.

use cuda_abi::driver::{
    CUatomicOperation, CUcontext, CUdevice, CUdevice_P2PAttribute, CUresult, In, Out,
};

use crate::core::context::{self, CONTEXTS};
use crate::core::platform;
use crate::ffi::{Read, Write};

fn both(a: CUdevice, b: CUdevice) -> Result<(), CUresult> {
    let platform = platform::get()?;
    platform.device(a)?;
    platform.device(b).map(drop)
}

pub(crate) fn can_access(out: Out<i32>, dev: CUdevice, peer: CUdevice) -> Result<(), CUresult> {
    let out = out.required()?;
    both(dev, peer)?;
    out.set(0)
}

pub(crate) fn enable(peer: CUcontext, flags: u32) -> Result<(), CUresult> {
    context::current()?;
    CONTEXTS.get(peer.0)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Err(CUresult::PEER_ACCESS_UNSUPPORTED)
}

pub(crate) fn disable(peer: CUcontext) -> Result<(), CUresult> {
    context::current()?;
    CONTEXTS.get(peer.0)?;
    Err(CUresult::PEER_ACCESS_NOT_ENABLED)
}

pub(crate) fn get_p2p_attribute(
    out: Out<i32>,
    attribute: CUdevice_P2PAttribute,
    a: CUdevice,
    b: CUdevice,
) -> Result<(), CUresult> {
    let out = out.required()?;
    both(a, b)?;
    if a == b {
        return Err(CUresult::INVALID_DEVICE);
    }
    if !(1..=5).contains(&attribute.0) {
        return Err(CUresult::INVALID_VALUE);
    }
    out.set(0)
}

pub(crate) fn get_p2p_atomics(
    out: Out<u32>,
    operations: In<CUatomicOperation>,
    count: u32,
    a: CUdevice,
    b: CUdevice,
) -> Result<(), CUresult> {
    let out = out.required()?;
    both(a, b)?;
    for index in 0..operations.get_all(count as usize)?.len() {
        out.set_at(index, 0);
    }
    Ok(())
}
