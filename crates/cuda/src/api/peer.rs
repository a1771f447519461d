//! Devices and each other's memory.

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

/// Any two devices reach each other's memory.
pub(crate) fn can_access(out: Out<i32>, dev: CUdevice, peer: CUdevice) -> Result<(), CUresult> {
    let out = out.required()?;
    both(dev, peer)?;
    out.set(i32::from(dev != peer))
}

pub(crate) fn enable(peer: CUcontext, flags: u32) -> Result<(), CUresult> {
    let live = context::current()?;
    let owner = CONTEXTS.get(peer.0)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    crate::core::peer::enable(platform::get()?, &live, &owner)
}

pub(crate) fn disable(peer: CUcontext) -> Result<(), CUresult> {
    let live = context::current()?;
    let owner = CONTEXTS.get(peer.0)?;
    crate::core::peer::disable(platform::get()?, &live, &owner)
}

/// Access, atomics and arrays work between any two; they are equally near.
pub(crate) fn get_p2p_attribute(
    out: Out<i32>,
    attribute: CUdevice_P2PAttribute,
    a: CUdevice,
    b: CUdevice,
) -> Result<(), CUresult> {
    use CUdevice_P2PAttribute as A;
    let out = out.required()?;
    both(a, b)?;
    if a == b {
        return Err(CUresult::INVALID_DEVICE);
    }
    match attribute {
        A::PERFORMANCE_RANK => out.set(0),
        A::ACCESS_SUPPORTED | A::NATIVE_ATOMIC_SUPPORTED | A::CUDA_ARRAY_ACCESS_SUPPORTED => {
            out.set(1)
        }
        other if (1..=5).contains(&other.0) => out.set(0),
        _ => Err(CUresult::INVALID_VALUE),
    }
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
