//! Area `system`.

use super::types::*;

api_table! { "system";
    fn nvmlInit_v2() = early(system::init);
    fn nvmlInitWithFlags(flags: u32) = early(system::init_with_flags);
    fn nvmlShutdown() = early(system::shutdown);
    fn nvmlSystemGetDriverVersion(version: Out<c_char>, length: u32) = call(system::driver_version);
    fn nvmlSystemGetNVMLVersion(version: Out<c_char>, length: u32) = call(system::nvml_version);
    fn nvmlSystemGetCudaDriverVersion(cuda_driver_version: Out<i32>) = call(system::cuda_version);
    fn nvmlSystemGetCudaDriverVersion_v2(cuda_driver_version: Out<i32>) = call(system::cuda_version);
    fn nvmlSystemGetProcessName(pid: u32, name: Out<c_char>, length: u32) = call(system::process_name);
    fn nvmlSystemGetHicVersion(hwbc_count: Out<u32>, hwbc_entries: Out<nvmlHwbcEntry_t>) = call(system::hic_version);
    fn nvmlSystemGetDriverBranch(branch_info: Out<nvmlSystemDriverBranchInfo_v1_t>, length: u32) = call(system::driver_branch);
    fn nvmlGetExcludedDeviceCount(device_count: Out<u32>) = call(system::excluded_count);
    fn nvmlGetExcludedDeviceInfoByIndex(index: u32, info: Out<nvmlExcludedDeviceInfo_t>) = not_supported;
    fn nvmlInit() = early(system::init);
}
