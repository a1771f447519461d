//! Area `occupancy`.

use super::types::*;

api_table! { "occupancy";
    fn cuOccupancyAvailableDynamicSMemPerBlock(dynamic_smem_size: Out<usize>, func: CUfunction, num_blocks: i32, block_size: i32) since 10020 = call(occupancy::available_dynamic_shared);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks: Out<i32>, func: CUfunction, block_size: i32, dynamic_s_mem_size: usize) since 6050 = call(occupancy::max_active_blocks);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(num_blocks: Out<i32>, func: CUfunction, block_size: i32, dynamic_s_mem_size: usize, flags: u32) since 7000 = call(occupancy::max_active_blocks_with_flags);
    fn cuOccupancyMaxActiveClusters(num_clusters: Out<i32>, func: CUfunction, config: In<CUlaunchConfig>) since 11070 = call(occupancy::max_active_clusters);
    fn cuOccupancyMaxPotentialBlockSize(min_grid_size: Out<i32>, block_size: Out<i32>, func: CUfunction, block_size_to_dynamic_s_mem_size: CUoccupancyB2DSize, dynamic_s_mem_size: usize, block_size_limit: i32) since 6050 = call(occupancy::max_potential_block_size);
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid_size: Out<i32>, block_size: Out<i32>, func: CUfunction, block_size_to_dynamic_s_mem_size: CUoccupancyB2DSize, dynamic_s_mem_size: usize, block_size_limit: i32, flags: u32) since 7000 = call(occupancy::max_potential_block_size_with_flags);
    fn cuOccupancyMaxPotentialClusterSize(cluster_size: Out<i32>, func: CUfunction, config: In<CUlaunchConfig>) since 11070 = call(occupancy::max_potential_cluster_size);
}
