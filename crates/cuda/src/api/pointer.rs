//! What a pointer is: `cuPointerGetAttribute` and its kin.

use std::ffi::c_void;

use cuda_abi::driver::{CUdeviceptr, CUmemorytype, CUpointer_attribute, CUresult, In, Out};

use crate::core::memory::{Allocation, Kind};
use crate::core::{context, platform};
use crate::ffi::{Read, Write};

/// The value of an attribute, in the type that it has.
enum Value {
    U64(u64),
    U32(u32),
    Bool(bool),
    Pair(u64, u64),
}

impl Value {
    fn store(self, data: Out<c_void>) {
        match self {
            Self::U64(v) => Out::<u64>::new(data.addr()).set_opt(v),
            Self::U32(v) => Out::<u32>::new(data.addr()).set_opt(v),
            Self::Bool(v) => Out::<u8>::new(data.addr()).set_opt(u8::from(v)),
            Self::Pair(a, b) => {
                let data = Out::<u64>::new(data.addr());
                data.set_opt(a);
                data.set_at(1, b);
            }
        }
    }
}

/// The attribute of an allocation at an address in it.
fn value(
    allocation: &Allocation,
    attribute: CUpointer_attribute,
    address: u64,
) -> Result<Value, CUresult> {
    use CUpointer_attribute as A;
    let memory_type = if matches!(allocation.kind, Kind::Host | Kind::Registered) {
        CUmemorytype::HOST
    } else {
        CUmemorytype::DEVICE
    };
    Ok(match attribute {
        A::CONTEXT => Value::U64(allocation.context as u64),
        A::MEMORY_TYPE => Value::U32(memory_type.0.unsigned_abs()),
        A::DEVICE_POINTER => Value::U64(address),
        A::HOST_POINTER if allocation.is_host_accessible() => Value::U64(address),
        A::HOST_POINTER | A::P2P_TOKENS => return Err(CUresult::INVALID_VALUE),
        A::SYNC_MEMOPS => Value::Bool(false),
        A::BUFFER_ID | A::MEMORY_BLOCK_ID => Value::U64(allocation.id),
        A::IS_MANAGED => Value::Bool(allocation.kind == Kind::Managed),
        A::DEVICE_ORDINAL => Value::U32(u32::try_from(allocation.ordinal).unwrap_or_default()),
        A::IS_LEGACY_CUDA_IPC_CAPABLE
        | A::IS_GPU_DIRECT_RDMA_CAPABLE
        | A::IS_HW_DECOMPRESS_CAPABLE => Value::Bool(false),
        A::RANGE_START_ADDR | A::MAPPING_BASE_ADDR => Value::U64(allocation.va),
        A::RANGE_SIZE | A::MAPPING_SIZE => Value::U64(allocation.bytes),
        A::MAPPED => Value::Bool(true),
        A::ALLOWED_HANDLE_TYPES => Value::U64(0),
        // Read and write.
        A::ACCESS_FLAGS => Value::U32(3),
        A::MEMPOOL_HANDLE => Value::U64(allocation.pool as u64),
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

/// What `cuPointerGetAttributes` stores for memory that is not ours.
fn nothing(attribute: CUpointer_attribute) -> Option<Value> {
    use CUpointer_attribute as A;
    Some(match attribute {
        A::CONTEXT
        | A::DEVICE_POINTER
        | A::HOST_POINTER
        | A::BUFFER_ID
        | A::MEMORY_BLOCK_ID
        | A::RANGE_START_ADDR
        | A::RANGE_SIZE
        | A::MAPPING_BASE_ADDR
        | A::MAPPING_SIZE
        | A::ALLOWED_HANDLE_TYPES
        | A::MEMPOOL_HANDLE => Value::U64(0),
        A::MEMORY_TYPE | A::ACCESS_FLAGS => Value::U32(0),
        // `CU_DEVICE_INVALID` as a number.
        A::DEVICE_ORDINAL => Value::U32((-2_i32).cast_unsigned()),
        A::P2P_TOKENS => Value::Pair(0, 0),
        A::SYNC_MEMOPS
        | A::IS_MANAGED
        | A::IS_LEGACY_CUDA_IPC_CAPABLE
        | A::MAPPED
        | A::IS_GPU_DIRECT_RDMA_CAPABLE
        | A::IS_HW_DECOMPRESS_CAPABLE => Value::Bool(false),
        _ => return None,
    })
}

pub(crate) fn get_attribute(
    data: Out<c_void>,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> Result<(), CUresult> {
    let data = data.required()?;
    let allocation = platform::get()?
        .memory
        .find(ptr)
        .ok_or(CUresult::INVALID_VALUE)?;
    value(&allocation, attribute, ptr)?.store(data);
    Ok(())
}

/// Succeeds for every pointer: what does not apply is stored as zero.
pub(crate) fn get_attributes(
    count: u32,
    attributes: Out<CUpointer_attribute>,
    data: Out<Out<c_void>>,
    ptr: CUdeviceptr,
) -> Result<(), CUresult> {
    let attributes = attributes.get_all(count as usize)?;
    let places = data.get_all(count as usize)?;
    if count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let allocation = platform::get()?.memory.find(ptr);
    for (attribute, place) in attributes.into_iter().zip(places) {
        let found = allocation
            .as_ref()
            .and_then(|a| value(a, attribute, ptr).ok());
        found
            .or_else(|| nothing(attribute))
            .ok_or(CUresult::INVALID_VALUE)?
            .store(place);
    }
    Ok(())
}

/// Only `SYNC_MEMOPS` can be set, and copies here are synchronous enough for it.
pub(crate) fn set_attribute(
    data: In<c_void>,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> Result<(), CUresult> {
    if data.is_null() || attribute != CUpointer_attribute::SYNC_MEMOPS {
        return Err(CUresult::INVALID_VALUE);
    }
    context::current()?;
    platform::get()?
        .memory
        .find(ptr)
        .map(drop)
        .ok_or(CUresult::INVALID_VALUE)
}
