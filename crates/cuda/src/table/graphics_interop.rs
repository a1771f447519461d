//! Area `graphics_interop`.

use super::types::*;

api_table! { "graphics_interop";
    fn cuGraphicsMapResources(count: u32, resources: Out<CUgraphicsResource>, stream: CUstream) since 3000 = call(graphics::map);
    fn cuGraphicsMapResources_ptsz(count: u32, resources: Out<CUgraphicsResource>, stream: CUstream) since 7000 = call(graphics::map);
    fn cuGraphicsResourceGetMappedMipmappedArray(mipmapped_array: Out<CUmipmappedArray>, resource: CUgraphicsResource) since 5000 = call(graphics::mapped_mipmapped_array);
    fn cuGraphicsResourceGetMappedPointer(dev_ptr: Out<CUdeviceptr_v1>, size: Out<u32>, resource: CUgraphicsResource) since 3000 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuGraphicsResourceGetMappedPointer_v2(dev_ptr: Out<CUdeviceptr>, size: Out<usize>, resource: CUgraphicsResource) since 3020 = call(graphics::mapped_pointer);
    fn cuGraphicsResourceSetMapFlags(resource: CUgraphicsResource, flags: u32) since 3000 = call(graphics::set_map_flags);
    fn cuGraphicsResourceSetMapFlags_v2(resource: CUgraphicsResource, flags: u32) since 6050 = call(graphics::set_map_flags);
    fn cuGraphicsSubResourceGetMappedArray(array: Out<CUarray>, resource: CUgraphicsResource, array_index: u32, mip_level: u32) since 3000 = call(graphics::mapped_array);
    fn cuGraphicsUnmapResources(count: u32, resources: Out<CUgraphicsResource>, stream: CUstream) since 3000 = call(graphics::map);
    fn cuGraphicsUnmapResources_ptsz(count: u32, resources: Out<CUgraphicsResource>, stream: CUstream) since 7000 = call(graphics::map);
    fn cuGraphicsUnregisterResource(resource: CUgraphicsResource) since 3000 = call(graphics::unregister);
}
