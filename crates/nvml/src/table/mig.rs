//! Area `mig`.

use super::types::*;

api_table! { "mig";
    fn nvmlDeviceSetMigMode(device: Device, mode: u32, activation_status: Out<u32>) = not_supported;
    fn nvmlDeviceGetMigMode(device: Device, current_mode: Out<u32>, pending_mode: Out<u32>) = call(device::mig_mode);
    fn nvmlDeviceGetGpuInstanceProfileInfo(device: Device, profile: u32, info: Out<nvmlGpuInstanceProfileInfo_t>) = not_supported;
    fn nvmlDeviceGetGpuInstanceProfileInfoV(device: Device, profile: u32, info: Out<nvmlGpuInstanceProfileInfo_v2_t>) = not_supported;
    fn nvmlDeviceGetGpuInstancePossiblePlacements_v2(device: Device, profile_id: u32, placements: Out<nvmlGpuInstancePlacement_t>, count: Out<u32>) = not_supported;
    fn nvmlDeviceGetGpuInstanceRemainingCapacity(device: Device, profile_id: u32, count: Out<u32>) = not_supported;
    fn nvmlDeviceCreateGpuInstance(device: Device, profile_id: u32, gpu_instance: Out<GpuInstance>) = not_supported;
    fn nvmlDeviceCreateGpuInstanceWithPlacement(device: Device, profile_id: u32, placement: In<nvmlGpuInstancePlacement_t>, gpu_instance: Out<GpuInstance>) = not_supported;
    fn nvmlGpuInstanceDestroy(gpu_instance: GpuInstance) = not_supported;
    fn nvmlDeviceGetGpuInstances(device: Device, profile_id: u32, gpu_instances: Out<GpuInstance>, count: Out<u32>) = not_supported;
    fn nvmlDeviceGetGpuInstanceById(device: Device, id: u32, gpu_instance: Out<GpuInstance>) = not_supported;
    fn nvmlGpuInstanceGetInfo(gpu_instance: GpuInstance, info: Out<nvmlGpuInstanceInfo_t>) = not_supported;
    fn nvmlGpuInstanceGetComputeInstanceProfileInfo(gpu_instance: GpuInstance, profile: u32, eng_profile: u32, info: Out<nvmlComputeInstanceProfileInfo_t>) = not_supported;
    fn nvmlGpuInstanceGetComputeInstanceProfileInfoV(gpu_instance: GpuInstance, profile: u32, eng_profile: u32, info: Out<nvmlComputeInstanceProfileInfo_v2_t>) = not_supported;
    fn nvmlGpuInstanceGetComputeInstanceRemainingCapacity(gpu_instance: GpuInstance, profile_id: u32, count: Out<u32>) = not_supported;
    fn nvmlGpuInstanceGetComputeInstancePossiblePlacements(gpu_instance: GpuInstance, profile_id: u32, placements: Out<nvmlComputeInstancePlacement_t>, count: Out<u32>) = not_supported;
    fn nvmlGpuInstanceCreateComputeInstance(gpu_instance: GpuInstance, profile_id: u32, compute_instance: Out<ComputeInstance>) = not_supported;
    fn nvmlGpuInstanceCreateComputeInstanceWithPlacement(gpu_instance: GpuInstance, profile_id: u32, placement: In<nvmlComputeInstancePlacement_t>, compute_instance: Out<ComputeInstance>) = not_supported;
    fn nvmlComputeInstanceDestroy(compute_instance: ComputeInstance) = not_supported;
    fn nvmlGpuInstanceGetComputeInstances(gpu_instance: GpuInstance, profile_id: u32, compute_instances: Out<ComputeInstance>, count: Out<u32>) = not_supported;
    fn nvmlGpuInstanceGetComputeInstanceById(gpu_instance: GpuInstance, id: u32, compute_instance: Out<ComputeInstance>) = not_supported;
    fn nvmlComputeInstanceGetInfo_v2(compute_instance: ComputeInstance, info: Out<nvmlComputeInstanceInfo_t>) = not_supported;
    fn nvmlDeviceIsMigDeviceHandle(device: Device, is_mig_device: Out<u32>) = call(device::is_mig_handle);
    fn nvmlDeviceGetGpuInstanceId(device: Device, id: Out<u32>) = not_supported;
    fn nvmlDeviceGetComputeInstanceId(device: Device, id: Out<u32>) = not_supported;
    fn nvmlDeviceGetMaxMigDeviceCount(device: Device, count: Out<u32>) = not_supported;
    fn nvmlDeviceGetMigDeviceHandleByIndex(device: Device, index: u32, mig_device: Out<Device>) = not_supported;
    fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle(mig_device: Device, device: Out<Device>) = not_supported;
    fn nvmlGpmMigSampleGet(device: Device, gpu_instance_id: u32, gpm_sample: GpmSample) = not_supported;
    fn nvmlComputeInstanceGetInfo(compute_instance: ComputeInstance, info: Out<nvmlComputeInstanceInfo_t>) = not_supported;
    fn nvmlDeviceGetGpuInstancePossiblePlacements(device: Device, profile_id: u32, placements: Out<nvmlGpuInstancePlacement_t>, count: Out<u32>) = not_supported;
    fn nvmlDeviceGetGpuInstanceProfileInfoByIdV(device: Device, profile_id: u32, info: Out<nvmlGpuInstanceProfileInfo_v2_t>) = not_supported;
}
