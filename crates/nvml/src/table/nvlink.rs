//! Area `nvlink`.

use super::types::*;

api_table! { "nvlink";
    fn nvmlDeviceGetC2cModeInfoV(device: Device, c2c_mode_info: Out<nvmlC2cModeInfo_v1_t>) = not_supported;
    fn nvmlDeviceGetGpuFabricInfo(device: Device, gpu_fabric_info: Out<nvmlGpuFabricInfo_t>) = not_supported;
    fn nvmlDeviceGetGpuFabricInfoV(device: Device, gpu_fabric_info: Out<nvmlGpuFabricInfo_v3_t>) = not_supported;
    fn nvmlDeviceGetNvLinkState(device: Device, link: u32, is_active: Out<u32>) = call(nvlink::state);
    fn nvmlDeviceGetNvLinkVersion(device: Device, link: u32, version: Out<u32>) = call(nvlink::version);
    fn nvmlDeviceGetNvLinkCapability(device: Device, link: u32, capability: u32, cap_result: Out<u32>) = call(nvlink::capability);
    fn nvmlDeviceGetNvLinkRemotePciInfo_v2(device: Device, link: u32, pci: Out<nvmlPciInfo_t>) = call(nvlink::remote_pci);
    fn nvmlDeviceGetNvLinkErrorCounter(device: Device, link: u32, counter: u32, counter_value: Out<u64>) = call(nvlink::error_counter);
    fn nvmlDeviceResetNvLinkErrorCounters(device: Device, link: u32) = call(nvlink::reset_errors);
    fn nvmlDeviceSetNvLinkUtilizationControl(device: Device, link: u32, counter: u32, control: Out<nvmlNvLinkUtilizationControl_t>, reset: u32) = not_supported;
    fn nvmlDeviceGetNvLinkUtilizationControl(device: Device, link: u32, counter: u32, control: Out<nvmlNvLinkUtilizationControl_t>) = not_supported;
    fn nvmlDeviceGetNvLinkUtilizationCounter(device: Device, link: u32, counter: u32, rxcounter: Out<u64>, txcounter: Out<u64>) = not_supported;
    fn nvmlDeviceFreezeNvLinkUtilizationCounter(device: Device, link: u32, counter: u32, freeze: u32) = not_supported;
    fn nvmlDeviceResetNvLinkUtilizationCounter(device: Device, link: u32, counter: u32) = not_supported;
    fn nvmlDeviceGetNvLinkRemoteDeviceType(device: Device, link: u32, p_nv_link_device_type: Out<u32>) = call(nvlink::remote_type);
    fn nvmlDeviceSetNvLinkDeviceLowPowerThreshold(device: Device, info: Out<nvmlNvLinkPowerThres_t>) = not_supported;
    fn nvmlSystemSetNvlinkBwMode(nvlink_bw_mode: u32) = not_supported;
    fn nvmlSystemGetNvlinkBwMode(nvlink_bw_mode: Out<u32>) = not_supported;
    fn nvmlDeviceGetNvlinkSupportedBwModes(device: Device, supported_bw_mode: Out<nvmlNvlinkSupportedBwModes_v1_t>) = not_supported;
    fn nvmlDeviceGetNvlinkBwMode(device: Device, get_bw_mode: Out<nvmlNvlinkGetBwMode_v1_t>) = not_supported;
    fn nvmlDeviceSetNvlinkBwMode(device: Device, set_bw_mode: Out<nvmlNvlinkSetBwMode_v1_t>) = not_supported;
    fn nvmlDeviceGetNvLinkRemotePciInfo(device: Device, link: u32, pci: Out<nvmlPciInfo_t>) = call(nvlink::remote_pci);
    fn nvmlDeviceGetNvLinkInfo(device: Device, info: Out<nvmlNvLinkInfo_v2_t>) = not_supported;
}
