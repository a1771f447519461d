//! Area `vmm`.

use super::types::*;

api_table! { "vmm";
    fn cuMemAddressFree(ptr: CUdeviceptr, size: usize) since 10020 = call(vmm::free);
    fn cuMemAddressReserve(ptr: Out<CUdeviceptr>, size: usize, alignment: usize, addr: CUdeviceptr, flags: u64) since 10020 = call(vmm::reserve);
    fn cuMemCreate(handle: Out<CUmemGenericAllocationHandle>, size: usize, prop: In<CUmemAllocationProp>, flags: u64) since 10020 = call(vmm::create);
    fn cuMemExportToShareableHandle(shareable_handle: Out<c_void>, handle: CUmemGenericAllocationHandle, handle_type: CUmemAllocationHandleType, flags: u64) since 10020 = call(vmm::export);
    fn cuMemGetAccess(flags: Out<u64>, location: In<CUmemLocation>, ptr: CUdeviceptr) since 10020 = call(vmm::get_access);
    fn cuMemGetAllocationGranularity(granularity: Out<usize>, prop: In<CUmemAllocationProp>, option: CUmemAllocationGranularity_flags) since 10020 = call(vmm::granularity);
    fn cuMemGetAllocationPropertiesFromHandle(prop: Out<CUmemAllocationProp>, handle: CUmemGenericAllocationHandle) since 10020 = call(vmm::get_properties);
    fn cuMemImportFromShareableHandle(handle: Out<CUmemGenericAllocationHandle>, os_handle: Out<c_void>, sh_handle_type: CUmemAllocationHandleType) since 10020 = call(vmm::import);
    fn cuMemMap(ptr: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64) since 10020 = call(vmm::map);
    fn cuMemMapArrayAsync(map_info_list: Out<CUarrayMapInfo>, count: u32, stream: CUstream) since 11010 = call(array::map_async);
    fn cuMemMapArrayAsync_ptsz(map_info_list: Out<CUarrayMapInfo>, count: u32, stream: CUstream) since 11010 = call(array::map_async);
    fn cuMemRelease(handle: CUmemGenericAllocationHandle) since 10020 = call(vmm::release);
    fn cuMemRetainAllocationHandle(handle: Out<CUmemGenericAllocationHandle>, addr: Out<c_void>) since 11000 = call(vmm::retain);
    fn cuMemSetAccess(ptr: CUdeviceptr, size: usize, desc: In<CUmemAccessDesc>, count: usize) since 10020 = call(vmm::set_access);
    fn cuMemUnmap(ptr: CUdeviceptr, size: usize) since 10020 = call(vmm::unmap);
}
