//! Area `texref_surfref`.

use super::types::*;

api_table! { "texref_surfref";
    fn cuSurfRefGetArray(array: Out<CUarray>, surf_ref: CUsurfref) since 3000 = todo;
    fn cuSurfRefSetArray(surf_ref: CUsurfref, array: CUarray, flags: u32) since 3000 = todo;
    fn cuTexRefCreate(tex_ref: Out<CUtexref>) since 2000 = todo;
    fn cuTexRefDestroy(tex_ref: CUtexref) since 2000 = todo;
    fn cuTexRefGetAddress(pdptr: Out<CUdeviceptr_v1>, tex_ref: CUtexref) since 2000 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuTexRefGetAddressMode(pam: Out<CUaddress_mode>, tex_ref: CUtexref, dim: i32) since 2000 = todo;
    fn cuTexRefGetAddress_v2(pdptr: Out<CUdeviceptr>, tex_ref: CUtexref) since 3020 = todo;
    fn cuTexRefGetArray(array: Out<CUarray>, tex_ref: CUtexref) since 2000 = todo;
    fn cuTexRefGetBorderColor(border_color: Out<f32>, tex_ref: CUtexref) since 8000 = todo;
    fn cuTexRefGetFilterMode(pfm: Out<CUfilter_mode>, tex_ref: CUtexref) since 2000 = todo;
    fn cuTexRefGetFlags(flags: Out<u32>, tex_ref: CUtexref) since 2000 = todo;
    fn cuTexRefGetFormat(format: Out<CUarray_format>, num_channels: Out<i32>, tex_ref: CUtexref) since 2000 = todo;
    fn cuTexRefGetMaxAnisotropy(pmax_aniso: Out<i32>, tex_ref: CUtexref) since 5000 = todo;
    fn cuTexRefGetMipmapFilterMode(pfm: Out<CUfilter_mode>, tex_ref: CUtexref) since 5000 = todo;
    fn cuTexRefGetMipmapLevelBias(pbias: Out<f32>, tex_ref: CUtexref) since 5000 = todo;
    fn cuTexRefGetMipmapLevelClamp(pmin_mipmap_level_clamp: Out<f32>, pmax_mipmap_level_clamp: Out<f32>, tex_ref: CUtexref) since 5000 = todo;
    fn cuTexRefGetMipmappedArray(mipmapped_array: Out<CUmipmappedArray>, tex_ref: CUtexref) since 5000 = todo;
    fn cuTexRefSetAddress(byte_offset: Out<u32>, tex_ref: CUtexref, dptr: CUdeviceptr_v1, bytes: u32) since 2000 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuTexRefSetAddress2D(tex_ref: CUtexref, desc: In<CUDA_ARRAY_DESCRIPTOR_v1>, dptr: CUdeviceptr_v1, pitch: u32) since 2020 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuTexRefSetAddress2D_v2(tex_ref: CUtexref, desc: In<CUDA_ARRAY_DESCRIPTOR>, dptr: CUdeviceptr, pitch: usize) since 3020 = todo;
    fn cuTexRefSetAddress2D_v3(tex_ref: CUtexref, desc: In<CUDA_ARRAY_DESCRIPTOR>, dptr: CUdeviceptr, pitch: usize) since 4010 = todo;
    fn cuTexRefSetAddressMode(tex_ref: CUtexref, dim: i32, am: CUaddress_mode) since 2000 = todo;
    fn cuTexRefSetAddress_v2(byte_offset: Out<usize>, tex_ref: CUtexref, dptr: CUdeviceptr, bytes: usize) since 3020 = todo;
    fn cuTexRefSetArray(tex_ref: CUtexref, array: CUarray, flags: u32) since 2000 = todo;
    fn cuTexRefSetBorderColor(tex_ref: CUtexref, border_color: Out<f32>) since 8000 = todo;
    fn cuTexRefSetFilterMode(tex_ref: CUtexref, fm: CUfilter_mode) since 2000 = todo;
    fn cuTexRefSetFlags(tex_ref: CUtexref, flags: u32) since 2000 = todo;
    fn cuTexRefSetFormat(tex_ref: CUtexref, fmt: CUarray_format, num_packed_components: i32) since 2000 = todo;
    fn cuTexRefSetMaxAnisotropy(tex_ref: CUtexref, max_aniso: u32) since 5000 = todo;
    fn cuTexRefSetMipmapFilterMode(tex_ref: CUtexref, fm: CUfilter_mode) since 5000 = todo;
    fn cuTexRefSetMipmapLevelBias(tex_ref: CUtexref, bias: f32) since 5000 = todo;
    fn cuTexRefSetMipmapLevelClamp(tex_ref: CUtexref, min_mipmap_level_clamp: f32, max_mipmap_level_clamp: f32) since 5000 = todo;
    fn cuTexRefSetMipmappedArray(tex_ref: CUtexref, mipmapped_array: CUmipmappedArray, flags: u32) since 5000 = todo;
}
