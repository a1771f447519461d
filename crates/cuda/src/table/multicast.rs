//! Area `multicast`.

use super::types::*;

api_table! { "multicast";
    fn cuMulticastAddDevice(mc_handle: CUmemGenericAllocationHandle, dev: CUdevice) since 12010 = todo;
    fn cuMulticastBindAddr(mc_handle: CUmemGenericAllocationHandle, mc_offset: usize, memptr: CUdeviceptr, size: usize, flags: u64) since 12010 = todo;
    fn cuMulticastBindMem(mc_handle: CUmemGenericAllocationHandle, mc_offset: usize, mem_handle: CUmemGenericAllocationHandle, mem_offset: usize, size: usize, flags: u64) since 12010 = todo;
    fn cuMulticastCreate(mc_handle: Out<CUmemGenericAllocationHandle>, prop: In<CUmulticastObjectProp>) since 12010 = todo;
    fn cuMulticastGetGranularity(granularity: Out<usize>, prop: In<CUmulticastObjectProp>, option: CUmulticastGranularity_flags) since 12010 = todo;
    fn cuMulticastUnbind(mc_handle: CUmemGenericAllocationHandle, dev: CUdevice, mc_offset: usize, size: usize) since 12010 = todo;
}
