//! Area `occupancy`.

use super::types::*;

api_table! { "occupancy";
    fn cuOccupancyAvailableDynamicSMemPerBlock(dynamic_smem_size: Out<usize>, func: CUfunction, num_blocks: i32, block_size: i32) since 10020 = todo;
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks: Out<i32>, func: CUfunction, block_size: i32, dynamic_s_mem_size: usize) since 6050 = todo;
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(num_blocks: Out<i32>, func: CUfunction, block_size: i32, dynamic_s_mem_size: usize, flags: u32) since 7000 = todo;
    fn cuOccupancyMaxActiveClusters(num_clusters: Out<i32>, func: CUfunction, config: In<CUlaunchConfig>) since 11070 = todo;
    fn cuOccupancyMaxPotentialBlockSize(min_grid_size: Out<i32>, block_size: Out<i32>, func: CUfunction, block_size_to_dynamic_s_mem_size: CUoccupancyB2DSize, dynamic_s_mem_size: usize, block_size_limit: i32) since 6050 = todo;
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid_size: Out<i32>, block_size: Out<i32>, func: CUfunction, block_size_to_dynamic_s_mem_size: CUoccupancyB2DSize, dynamic_s_mem_size: usize, block_size_limit: i32, flags: u32) since 7000 = todo;
    fn cuOccupancyMaxPotentialClusterSize(cluster_size: Out<i32>, func: CUfunction, config: In<CUlaunchConfig>) since 11070 = todo;
}
