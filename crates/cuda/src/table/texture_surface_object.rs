//! Area `texture_surface_object`.

use super::types::*;

api_table! { "texture_surface_object";
    fn cuSurfObjectCreate(surf_object: Out<CUsurfObject>, res_desc: In<CUDA_RESOURCE_DESC>) since 5000 = call(texture::create_surface);
    fn cuSurfObjectDestroy(surf_object: CUsurfObject) since 5000 = call(texture::destroy_surface);
    fn cuSurfObjectGetResourceDesc(res_desc: Out<CUDA_RESOURCE_DESC>, surf_object: CUsurfObject) since 5000 = call(texture::get_surface_resource);
    fn cuTexObjectCreate(tex_object: Out<CUtexObject>, res_desc: In<CUDA_RESOURCE_DESC>, tex_desc: In<CUDA_TEXTURE_DESC>, res_view_desc: In<CUDA_RESOURCE_VIEW_DESC>) since 5000 = call(texture::create);
    fn cuTexObjectDestroy(tex_object: CUtexObject) since 5000 = call(texture::destroy);
    fn cuTexObjectGetResourceDesc(res_desc: Out<CUDA_RESOURCE_DESC>, tex_object: CUtexObject) since 5000 = call(texture::get_resource);
    fn cuTexObjectGetResourceViewDesc(res_view_desc: Out<CUDA_RESOURCE_VIEW_DESC>, tex_object: CUtexObject) since 5000 = call(texture::get_view);
    fn cuTexObjectGetTextureDesc(tex_desc: Out<CUDA_TEXTURE_DESC>, tex_object: CUtexObject) since 5000 = call(texture::get_description);
}
