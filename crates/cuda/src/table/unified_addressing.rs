//! Area `unified_addressing`.

use super::types::*;

api_table! { "unified_addressing";
    fn cuMemAdvise(dev_ptr: CUdeviceptr, count: usize, advice: CUmem_advise, device: CUdevice) since 8000 = call(managed::advise);
    fn cuMemAdvise_v2(dev_ptr: CUdeviceptr, count: usize, advice: CUmem_advise, location: CUmemLocation) since 12020 = call(managed::advise_v2);
    fn cuMemDiscardAndPrefetchBatchAsync(dptrs: Out<CUdeviceptr>, sizes: Out<usize>, count: usize, prefetch_locs: Out<CUmemLocation>, prefetch_loc_idxs: Out<usize>, num_prefetch_locs: usize, flags: u64, stream: CUstream) since 13000 = call(batch::discard_and_prefetch);
    fn cuMemDiscardAndPrefetchBatchAsync_ptsz(dptrs: Out<CUdeviceptr>, sizes: Out<usize>, count: usize, prefetch_locs: Out<CUmemLocation>, prefetch_loc_idxs: Out<usize>, num_prefetch_locs: usize, flags: u64, stream: CUstream) since 13000 = call(batch::discard_and_prefetch);
    fn cuMemDiscardBatchAsync(dptrs: Out<CUdeviceptr>, sizes: Out<usize>, count: usize, flags: u64, stream: CUstream) since 13000 = call(batch::discard);
    fn cuMemDiscardBatchAsync_ptsz(dptrs: Out<CUdeviceptr>, sizes: Out<usize>, count: usize, flags: u64, stream: CUstream) since 13000 = call(batch::discard);
    fn cuMemPrefetchAsync(dev_ptr: CUdeviceptr, count: usize, dst_device: CUdevice, stream: CUstream) since 8000 = call(managed::prefetch_async);
    fn cuMemPrefetchAsync_ptsz(dev_ptr: CUdeviceptr, count: usize, dst_device: CUdevice, stream: CUstream) since 8000 = call(managed::prefetch_async);
    fn cuMemPrefetchAsync_v2(dev_ptr: CUdeviceptr, count: usize, location: CUmemLocation, flags: u32, stream: CUstream) since 12020 = call(managed::prefetch_async_v2);
    fn cuMemPrefetchAsync_v2_ptsz(dev_ptr: CUdeviceptr, count: usize, location: CUmemLocation, flags: u32, stream: CUstream) since 12020 = call(managed::prefetch_async_v2);
    fn cuMemPrefetchBatchAsync(dptrs: Out<CUdeviceptr>, sizes: Out<usize>, count: usize, prefetch_locs: Out<CUmemLocation>, prefetch_loc_idxs: Out<usize>, num_prefetch_locs: usize, flags: u64, stream: CUstream) since 13000 = call(batch::prefetch);
    fn cuMemPrefetchBatchAsync_ptsz(dptrs: Out<CUdeviceptr>, sizes: Out<usize>, count: usize, prefetch_locs: Out<CUmemLocation>, prefetch_loc_idxs: Out<usize>, num_prefetch_locs: usize, flags: u64, stream: CUstream) since 13000 = call(batch::prefetch);
    fn cuMemRangeGetAttribute(data: Out<c_void>, data_size: usize, attribute: CUmem_range_attribute, dev_ptr: CUdeviceptr, count: usize) since 8000 = call(managed::range_get_attribute);
    fn cuMemRangeGetAttributes(data: Out<Out<c_void>>, data_sizes: Out<usize>, attributes: Out<CUmem_range_attribute>, num_attributes: usize, dev_ptr: CUdeviceptr, count: usize) since 8000 = call(managed::range_get_attributes);
    fn cuPointerGetAttribute(data: Out<c_void>, attribute: CUpointer_attribute, ptr: CUdeviceptr) since 4000 = call(pointer::get_attribute);
    fn cuPointerGetAttributes(num_attributes: u32, attributes: Out<CUpointer_attribute>, data: Out<Out<c_void>>, ptr: CUdeviceptr) since 7000 = call(pointer::get_attributes);
    fn cuPointerSetAttribute(value: In<c_void>, attribute: CUpointer_attribute, ptr: CUdeviceptr) since 6000 = call(pointer::set_attribute);
}
