//! Area `mempool`.

use super::types::*;

api_table! { "mempool";
    fn cuMemAllocAsync(dptr: Out<CUdeviceptr>, bytesize: usize, stream: CUstream) since 11020 = call(mempool::alloc_async);
    fn cuMemAllocAsync_ptsz(dptr: Out<CUdeviceptr>, bytesize: usize, stream: CUstream) since 11020 = call(mempool::alloc_async);
    fn cuMemAllocFromPoolAsync(dptr: Out<CUdeviceptr>, bytesize: usize, pool: CUmemoryPool, stream: CUstream) since 11020 = call(mempool::alloc_from_pool_async);
    fn cuMemAllocFromPoolAsync_ptsz(dptr: Out<CUdeviceptr>, bytesize: usize, pool: CUmemoryPool, stream: CUstream) since 11020 = call(mempool::alloc_from_pool_async);
    fn cuMemFreeAsync(dptr: CUdeviceptr, stream: CUstream) since 11020 = call(mempool::free_async);
    fn cuMemFreeAsync_ptsz(dptr: CUdeviceptr, stream: CUstream) since 11020 = call(mempool::free_async);
    fn cuMemGetDefaultMemPool(pool_out: Out<CUmemoryPool>, location: Out<CUmemLocation>, type_: CUmemAllocationType) since 13000 = call(mempool::get_default);
    fn cuMemGetMemPool(pool: Out<CUmemoryPool>, location: Out<CUmemLocation>, type_: CUmemAllocationType) since 13000 = call(mempool::get);
    fn cuMemPoolCreate(pool: Out<CUmemoryPool>, pool_props: In<CUmemPoolProps>) since 11020 = call(mempool::create);
    fn cuMemPoolDestroy(pool: CUmemoryPool) since 11020 = call(mempool::destroy);
    fn cuMemPoolExportPointer(share_data_out: Out<CUmemPoolPtrExportData>, ptr: CUdeviceptr) since 11020 = call(mempool::export_pointer);
    fn cuMemPoolExportToShareableHandle(handle_out: Out<c_void>, pool: CUmemoryPool, handle_type: CUmemAllocationHandleType, flags: u64) since 11020 = call(mempool::export_file);
    fn cuMemPoolGetAccess(flags: Out<CUmemAccess_flags>, mem_pool: CUmemoryPool, location: Out<CUmemLocation>) since 11020 = call(mempool::get_access);
    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: Out<c_void>) since 11020 = call(mempool::get_attribute);
    fn cuMemPoolImportFromShareableHandle(pool_out: Out<CUmemoryPool>, handle: Out<c_void>, handle_type: CUmemAllocationHandleType, flags: u64) since 11020 = call(mempool::import);
    fn cuMemPoolImportPointer(ptr_out: Out<CUdeviceptr>, pool: CUmemoryPool, share_data: Out<CUmemPoolPtrExportData>) since 11020 = call(mempool::import_pointer);
    fn cuMemPoolSetAccess(pool: CUmemoryPool, map: In<CUmemAccessDesc>, count: usize) since 11020 = call(mempool::set_access);
    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: Out<c_void>) since 11020 = call(mempool::set_attribute);
    fn cuMemPoolTrimTo(pool: CUmemoryPool, min_bytes_to_keep: usize) since 11020 = call(mempool::trim_to);
    fn cuMemSetMemPool(location: Out<CUmemLocation>, type_: CUmemAllocationType, pool: CUmemoryPool) since 13000 = call(mempool::set);
}
