//! Area `multicast`.

use super::types::*;

api_table! { "multicast";
    fn cuMulticastAddDevice(mc_handle: CUmemGenericAllocationHandle, dev: CUdevice) since 12010 = call(multicast::add_device);
    fn cuMulticastBindAddr(mc_handle: CUmemGenericAllocationHandle, mc_offset: usize, memptr: CUdeviceptr, size: usize, flags: u64) since 12010 = call(multicast::bind_address);
    fn cuMulticastBindMem(mc_handle: CUmemGenericAllocationHandle, mc_offset: usize, mem_handle: CUmemGenericAllocationHandle, mem_offset: usize, size: usize, flags: u64) since 12010 = call(multicast::bind_memory);
    fn cuMulticastCreate(mc_handle: Out<CUmemGenericAllocationHandle>, prop: In<CUmulticastObjectProp>) since 12010 = call(multicast::create);
    fn cuMulticastGetGranularity(granularity: Out<usize>, prop: In<CUmulticastObjectProp>, option: CUmulticastGranularity_flags) since 12010 = call(multicast::granularity);
    fn cuMulticastUnbind(mc_handle: CUmemGenericAllocationHandle, dev: CUdevice, mc_offset: usize, size: usize) since 12010 = call(multicast::unbind);
}
