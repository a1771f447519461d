//! Area `texref_surfref`.

use super::types::*;

api_table! { "texref_surfref";
    fn cuSurfRefGetArray(array: Out<CUarray>, surf_ref: CUsurfref) since 3000 = call(texture_reference::get_surface_array);
    fn cuSurfRefSetArray(surf_ref: CUsurfref, array: CUarray, flags: u32) since 3000 = call(texture_reference::set_surface_array);
    fn cuTexRefCreate(tex_ref: Out<CUtexref>) since 2000 = call(texture_reference::create);
    fn cuTexRefDestroy(tex_ref: CUtexref) since 2000 = call(texture_reference::destroy);
    fn cuTexRefGetAddress(pdptr: Out<CUdeviceptr_v1>, tex_ref: CUtexref) since 2000 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuTexRefGetAddressMode(pam: Out<CUaddress_mode>, tex_ref: CUtexref, dim: i32) since 2000 = call(texture_reference::get_address_mode);
    fn cuTexRefGetAddress_v2(pdptr: Out<CUdeviceptr>, tex_ref: CUtexref) since 3020 = call(texture_reference::get_address);
    fn cuTexRefGetArray(array: Out<CUarray>, tex_ref: CUtexref) since 2000 = call(texture_reference::get_array);
    fn cuTexRefGetBorderColor(border_color: Out<f32>, tex_ref: CUtexref) since 8000 = call(texture_reference::get_border_color);
    fn cuTexRefGetFilterMode(pfm: Out<CUfilter_mode>, tex_ref: CUtexref) since 2000 = call(texture_reference::get_filter_mode);
    fn cuTexRefGetFlags(flags: Out<u32>, tex_ref: CUtexref) since 2000 = call(texture_reference::get_flags);
    fn cuTexRefGetFormat(format: Out<CUarray_format>, num_channels: Out<i32>, tex_ref: CUtexref) since 2000 = call(texture_reference::get_format);
    fn cuTexRefGetMaxAnisotropy(pmax_aniso: Out<i32>, tex_ref: CUtexref) since 5000 = call(texture_reference::get_max_anisotropy);
    fn cuTexRefGetMipmapFilterMode(pfm: Out<CUfilter_mode>, tex_ref: CUtexref) since 5000 = call(texture_reference::get_mipmap_filter_mode);
    fn cuTexRefGetMipmapLevelBias(pbias: Out<f32>, tex_ref: CUtexref) since 5000 = call(texture_reference::get_mipmap_level_bias);
    fn cuTexRefGetMipmapLevelClamp(pmin_mipmap_level_clamp: Out<f32>, pmax_mipmap_level_clamp: Out<f32>, tex_ref: CUtexref) since 5000 = call(texture_reference::get_mipmap_level_clamp);
    fn cuTexRefGetMipmappedArray(mipmapped_array: Out<CUmipmappedArray>, tex_ref: CUtexref) since 5000 = call(texture_reference::get_mipmapped_array);
    fn cuTexRefSetAddress(byte_offset: Out<u32>, tex_ref: CUtexref, dptr: CUdeviceptr_v1, bytes: u32) since 2000 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuTexRefSetAddress2D(tex_ref: CUtexref, desc: In<CUDA_ARRAY_DESCRIPTOR_v1>, dptr: CUdeviceptr_v1, pitch: u32) since 2020 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuTexRefSetAddress2D_v2(tex_ref: CUtexref, desc: In<CUDA_ARRAY_DESCRIPTOR>, dptr: CUdeviceptr, pitch: usize) since 3020 = call(texture_reference::set_address_2d);
    fn cuTexRefSetAddress2D_v3(tex_ref: CUtexref, desc: In<CUDA_ARRAY_DESCRIPTOR>, dptr: CUdeviceptr, pitch: usize) since 4010 = call(texture_reference::set_address_2d);
    fn cuTexRefSetAddressMode(tex_ref: CUtexref, dim: i32, am: CUaddress_mode) since 2000 = call(texture_reference::set_address_mode);
    fn cuTexRefSetAddress_v2(byte_offset: Out<usize>, tex_ref: CUtexref, dptr: CUdeviceptr, bytes: usize) since 3020 = call(texture_reference::set_address);
    fn cuTexRefSetArray(tex_ref: CUtexref, array: CUarray, flags: u32) since 2000 = call(texture_reference::set_array);
    fn cuTexRefSetBorderColor(tex_ref: CUtexref, border_color: Out<f32>) since 8000 = call(texture_reference::set_border_color);
    fn cuTexRefSetFilterMode(tex_ref: CUtexref, fm: CUfilter_mode) since 2000 = call(texture_reference::set_filter_mode);
    fn cuTexRefSetFlags(tex_ref: CUtexref, flags: u32) since 2000 = call(texture_reference::set_flags);
    fn cuTexRefSetFormat(tex_ref: CUtexref, fmt: CUarray_format, num_packed_components: i32) since 2000 = call(texture_reference::set_format);
    fn cuTexRefSetMaxAnisotropy(tex_ref: CUtexref, max_aniso: u32) since 5000 = call(texture_reference::set_max_anisotropy);
    fn cuTexRefSetMipmapFilterMode(tex_ref: CUtexref, fm: CUfilter_mode) since 5000 = call(texture_reference::set_mipmap_filter_mode);
    fn cuTexRefSetMipmapLevelBias(tex_ref: CUtexref, bias: f32) since 5000 = call(texture_reference::set_mipmap_level_bias);
    fn cuTexRefSetMipmapLevelClamp(tex_ref: CUtexref, min_mipmap_level_clamp: f32, max_mipmap_level_clamp: f32) since 5000 = call(texture_reference::set_mipmap_level_clamp);
    fn cuTexRefSetMipmappedArray(tex_ref: CUtexref, mipmapped_array: CUmipmappedArray, flags: u32) since 5000 = call(texture_reference::set_mipmapped_array);
}
