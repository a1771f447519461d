//! Devices and each other's memory.

use cuda_abi::driver::{
    CUatomicOperation, CUatomicOperationCapability, CUcontext, CUdevice, CUdevice_P2PAttribute,
    CUdevice_attribute, CUresult, In, Out,
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

/// Atomics on a peer's memory are as those on a device's own: the link does them natively.
pub(crate) fn get_p2p_atomics(
    out: Out<u32>,
    operations: In<CUatomicOperation>,
    count: u32,
    a: CUdevice,
    b: CUdevice,
) -> Result<(), CUresult> {
    let out = out.required()?;
    let operations = atomic_operations(operations, count)?;
    both(a, b)?;
    if a == b {
        return Err(CUresult::INVALID_DEVICE);
    }
    let wide = platform::get()?
        .device(a)?
        .attribute(CUdevice_attribute::COMPUTE_CAPABILITY_MAJOR)?
        >= 9;
    for (index, operation) in operations.into_iter().enumerate() {
        out.set_at(index, native(operation, wide));
    }
    Ok(())
}

/// What is asked about: at least one operation, none unknown (CUDA Driver API 13.0, cuDeviceGetP2PAtomicCapabilities).
pub(super) fn atomic_operations(
    operations: In<CUatomicOperation>,
    count: u32,
) -> Result<Vec<CUatomicOperation>, CUresult> {
    let operations = operations.get_all(count as usize)?;
    let known = |o: &CUatomicOperation| (0..CUatomicOperation::MAX.0).contains(&o.0);
    if operations.is_empty() || !operations.iter().all(known) {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(operations)
}

/// The forms that PTX has of an operation; `wide`: those of 128 bits, too.
fn native(operation: CUatomicOperation, wide: bool) -> u32 {
    use CUatomicOperation as O;
    use CUatomicOperationCapability as C;
    let both = C::SCALAR_32.0 | C::SCALAR_64.0;
    let bits = match operation {
        O::INTEGER_ADD | O::INTEGER_MIN | O::INTEGER_MAX => {
            C::SIGNED.0 | C::UNSIGNED.0 | C::REDUCTION.0 | both
        }
        O::INTEGER_INCREMENT | O::INTEGER_DECREMENT => {
            C::UNSIGNED.0 | C::REDUCTION.0 | C::SCALAR_32.0
        }
        O::AND | O::OR | O::XOR => C::UNSIGNED.0 | C::REDUCTION.0 | both,
        O::EXCHANGE | O::CAS if wide => C::UNSIGNED.0 | both | C::SCALAR_128.0,
        O::EXCHANGE | O::CAS => C::UNSIGNED.0 | both,
        O::FLOAT_ADD => C::SIGNED.0 | C::REDUCTION.0 | both,
        // Of 32 and 64 bits there are none; and callers pass known operations only.
        _ => 0,
    };
    bits.cast_unsigned()
}
