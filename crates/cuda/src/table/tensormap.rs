//! Area `tensormap`.

use super::types::*;

api_table! { "tensormap";
    fn cuTensorMapEncodeIm2col(tensor_map: Out<CUtensorMap>, tensor_data_type: CUtensorMapDataType, tensor_rank: cuuint32_t, global_address: Out<c_void>, global_dim: In<cuuint64_t>, global_strides: In<cuuint64_t>, pixel_box_lower_corner: In<i32>, pixel_box_upper_corner: In<i32>, channels_per_pixel: cuuint32_t, pixels_per_column: cuuint32_t, element_strides: In<cuuint32_t>, interleave: CUtensorMapInterleave, swizzle: CUtensorMapSwizzle, l2_promotion: CUtensorMapL2promotion, oob_fill: CUtensorMapFloatOOBfill) since 12000 = early(tensor_map::im2col);
    fn cuTensorMapEncodeIm2colWide(tensor_map: Out<CUtensorMap>, tensor_data_type: CUtensorMapDataType, tensor_rank: cuuint32_t, global_address: Out<c_void>, global_dim: In<cuuint64_t>, global_strides: In<cuuint64_t>, pixel_box_lower_corner_width: i32, pixel_box_upper_corner_width: i32, channels_per_pixel: cuuint32_t, pixels_per_column: cuuint32_t, element_strides: In<cuuint32_t>, interleave: CUtensorMapInterleave, mode: CUtensorMapIm2ColWideMode, swizzle: CUtensorMapSwizzle, l2_promotion: CUtensorMapL2promotion, oob_fill: CUtensorMapFloatOOBfill) since 12080 = early(tensor_map::im2col_wide);
    fn cuTensorMapEncodeTiled(tensor_map: Out<CUtensorMap>, tensor_data_type: CUtensorMapDataType, tensor_rank: cuuint32_t, global_address: Out<c_void>, global_dim: In<cuuint64_t>, global_strides: In<cuuint64_t>, box_dim: In<cuuint32_t>, element_strides: In<cuuint32_t>, interleave: CUtensorMapInterleave, swizzle: CUtensorMapSwizzle, l2_promotion: CUtensorMapL2promotion, oob_fill: CUtensorMapFloatOOBfill) since 12000 = early(tensor_map::tiled);
    fn cuTensorMapReplaceAddress(tensor_map: Out<CUtensorMap>, global_address: Out<c_void>) since 12000 = early(tensor_map::replace_address);
}
