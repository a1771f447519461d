//! Area `conf_compute`.

use super::types::*;

api_table! { "conf_compute";
    fn nvmlSystemGetConfComputeCapabilities(capabilities: Out<nvmlConfComputeSystemCaps_t>) = not_supported;
    fn nvmlSystemGetConfComputeState(state: Out<nvmlConfComputeSystemState_t>) = not_supported;
    fn nvmlDeviceGetConfComputeMemSizeInfo(device: Device, mem_info: Out<nvmlConfComputeMemSizeInfo_t>) = not_supported;
    fn nvmlSystemGetConfComputeGpusReadyState(is_accepting_work: Out<u32>) = not_supported;
    fn nvmlDeviceGetConfComputeProtectedMemoryUsage(device: Device, memory: Out<nvmlMemory_t>) = not_supported;
    fn nvmlDeviceGetConfComputeGpuCertificate(device: Device, gpu_cert: Out<nvmlConfComputeGpuCertificate_t>) = not_supported;
    fn nvmlDeviceGetConfComputeGpuAttestationReport(device: Device, gpu_atst_report: Out<nvmlConfComputeGpuAttestationReport_t>) = not_supported;
    fn nvmlSystemGetConfComputeKeyRotationThresholdInfo(p_key_rotation_thr_info: Out<nvmlConfComputeGetKeyRotationThresholdInfo_v1_t>) = not_supported;
    fn nvmlDeviceSetConfComputeUnprotectedMemSize(device: Device, size_ki_b: u64) = not_supported;
    fn nvmlSystemSetConfComputeGpusReadyState(is_accepting_work: u32) = not_supported;
    fn nvmlSystemSetConfComputeKeyRotationThresholdInfo(p_key_rotation_thr_info: Out<nvmlConfComputeSetKeyRotationThresholdInfo_v1_t>) = not_supported;
    fn nvmlSystemGetConfComputeSettings(settings: Out<nvmlSystemConfComputeSettings_v1_t>) = not_supported;
}
