//! Area `topology`.

use super::types::*;

api_table! { "topology";
    fn nvmlSystemGetTopologyGpuSet(cpu_number: u32, count: Out<u32>, device_array: Opt<Device>) = not_supported;
    fn nvmlDeviceGetMemoryAffinity(device: Device, node_set_size: u32, node_set: Out<c_ulong>, scope: u32) = not_supported;
    fn nvmlDeviceGetCpuAffinityWithinScope(device: Device, cpu_set_size: u32, cpu_set: Out<c_ulong>, scope: u32) = call(topology::cpu_affinity_in_scope);
    fn nvmlDeviceGetCpuAffinity(device: Device, cpu_set_size: u32, cpu_set: Out<c_ulong>) = call(topology::cpu_affinity);
    fn nvmlDeviceSetCpuAffinity(device: Device) = not_supported;
    fn nvmlDeviceClearCpuAffinity(device: Device) = not_supported;
    fn nvmlDeviceGetNumaNodeId(device: Device, node: Out<u32>) = not_supported;
    fn nvmlDeviceGetTopologyCommonAncestor(device1: Device, device2: Device, path_info: Out<u32>) = call(topology::common_ancestor);
    fn nvmlDeviceGetTopologyNearestGpus(device: Device, level: u32, count: Out<u32>, device_array: Opt<Device>) = call(topology::nearest);
    fn nvmlDeviceGetP2PStatus(device1: Device, device2: Device, p2p_index: u32, p2p_status: Out<u32>) = call(topology::p2p_status);
    fn nvmlDeviceOnSameBoard(device1: Device, device2: Device, on_same_board: Out<i32>) = call(topology::same_board);
}
