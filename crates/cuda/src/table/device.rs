//! Area `device`.

use super::types::*;

api_table! { "device";
    fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, dev: CUdevice) since 2000 = call(device::compute_capability);
    fn cuDeviceGet(device: Out<CUdevice>, ordinal: i32) since 2000 = call(device::get);
    fn cuDeviceGetAttribute(pi: Out<i32>, attrib: CUdevice_attribute, dev: CUdevice) since 2000 = call(device::get_attribute);
    fn cuDeviceGetCount(count: Out<i32>) since 2000 = call(device::get_count);
    fn cuDeviceGetDefaultMemPool(pool_out: Out<CUmemoryPool>, dev: CUdevice) since 11020 = call(mempool::device_default);
    fn cuDeviceGetExecAffinitySupport(pi: Out<i32>, type_: CUexecAffinityType, dev: CUdevice) since 11040 = call(device::get_exec_affinity_support);
    fn cuDeviceGetHostAtomicCapabilities(capabilities: Out<u32>, operations: In<CUatomicOperation>, count: u32, dev: CUdevice) since 13000 = call(device::get_host_atomic_capabilities);
    fn cuDeviceGetLuid(luid: Out<c_char>, device_node_mask: Out<u32>, dev: CUdevice) since 10000 = call(device::get_luid);
    fn cuDeviceGetMemPool(pool: Out<CUmemoryPool>, dev: CUdevice) since 11020 = call(mempool::device_get);
    fn cuDeviceGetName(name: Out<c_char>, len: i32, dev: CUdevice) since 2000 = call(device::get_name);
    fn cuDeviceGetNvSciSyncAttributes(nv_sci_sync_attr_list: Out<c_void>, dev: CUdevice, flags: i32) since 10020 = never("needs hardware");
    fn cuDeviceGetProperties(prop: Out<CUdevprop>, dev: CUdevice) since 2000 = call(device::get_properties);
    fn cuDeviceGetTexture1DLinearMaxWidth(max_width_in_elements: Out<usize>, format: CUarray_format, num_channels: u32, dev: CUdevice) since 11010 = call(device::get_texture_1d_linear_max_width);
    fn cuDeviceGetUuid(uuid: Out<CUuuid>, dev: CUdevice) since 9020 = call(device::get_uuid);
    fn cuDeviceGetUuid_v2(uuid: Out<CUuuid>, dev: CUdevice) since 11040 = call(device::get_uuid);
    fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool) since 11020 = call(mempool::device_set);
    fn cuDeviceTotalMem(bytes: Out<u32>, dev: CUdevice) since 2000 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuDeviceTotalMem_v2(bytes: Out<usize>, dev: CUdevice) since 3020 = call(device::total_mem);
    fn cuFlushGPUDirectRDMAWrites(target: CUflushGPUDirectRDMAWritesTarget, scope: CUflushGPUDirectRDMAWritesScope) since 11030 = call(device::flush_gpu_direct_rdma_writes);
}
