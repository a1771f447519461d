//! Area `process`.

use super::types::*;

api_table! { "process";
    fn nvmlDeviceGetEncoderUtilization(device: Device, utilization: Out<u32>, sampling_period_us: Out<u32>) = not_supported;
    fn nvmlDeviceGetEncoderCapacity(device: Device, encoder_query_type: u32, encoder_capacity: Out<u32>) = not_supported;
    fn nvmlDeviceGetEncoderStats(device: Device, session_count: Out<u32>, average_fps: Out<u32>, average_latency: Out<u32>) = not_supported;
    fn nvmlDeviceGetEncoderSessions(device: Device, session_count: Out<u32>, session_infos: Out<nvmlEncoderSessionInfo_t>) = not_supported;
    fn nvmlDeviceGetFBCStats(device: Device, fbc_stats: Out<nvmlFBCStats_t>) = not_supported;
    fn nvmlDeviceGetFBCSessions(device: Device, session_count: Out<u32>, session_info: Out<nvmlFBCSessionInfo_t>) = not_supported;
    fn nvmlDeviceGetComputeRunningProcesses_v3(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v2_t>) = call(process::compute);
    fn nvmlDeviceGetGraphicsRunningProcesses_v3(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v2_t>) = call(process::none);
    fn nvmlDeviceGetMPSComputeRunningProcesses_v3(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v2_t>) = call(process::none);
    fn nvmlDeviceGetRunningProcessDetailList(device: Device, plist: Out<nvmlProcessDetailList_v1_t>) = not_supported;
    fn nvmlDeviceGetSamples(device: Device, kind: u32, last_seen_time_stamp: u64, sample_val_type: Out<u32>, sample_count: Out<u32>, samples: Opt<nvmlSample_t>) = call(process::samples);
    fn nvmlDeviceGetAccountingMode(device: Device, mode: Out<u32>) = call(process::accounting_mode);
    fn nvmlDeviceGetAccountingStats(device: Device, pid: u32, stats: Out<nvmlAccountingStats_t>) = call(process::accounting_stats);
    fn nvmlDeviceGetAccountingPids(device: Device, count: Out<u32>, pids: Opt<u32>) = call(process::accounting_pids);
    fn nvmlDeviceGetAccountingBufferSize(device: Device, buffer_size: Out<u32>) = call(process::accounting_buffer);
    fn nvmlDeviceGetProcessUtilization(device: Device, utilization: Opt<nvmlProcessUtilizationSample_t>, process_samples_count: Out<u32>, last_seen_time_stamp: u64) = call(process::utilization);
    fn nvmlDeviceGetProcessesUtilizationInfo(device: Device, proceses_util_info: Out<nvmlProcessesUtilizationInfo_v1_t>) = call(process::utilization_info);
    fn nvmlDeviceSetAccountingMode(device: Device, mode: u32) = call(process::set_accounting_mode);
    fn nvmlDeviceClearAccountingPids(device: Device) = call(process::clear_accounting);
    fn nvmlDeviceGetFieldValues(device: Device, values_count: i32, values: Out<nvmlFieldValue_t>) = call(process::field_values);
    fn nvmlDeviceClearFieldValues(device: Device, values_count: i32, values: Out<nvmlFieldValue_t>) = not_supported;
    fn nvmlDeviceGetComputeRunningProcesses(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v1_t>) = call(process::compute_v1);
    fn nvmlDeviceGetComputeRunningProcesses_v2(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v2_t>) = call(process::compute);
    fn nvmlDeviceGetGraphicsRunningProcesses(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v1_t>) = call(process::none);
    fn nvmlDeviceGetGraphicsRunningProcesses_v2(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v2_t>) = call(process::none);
    fn nvmlDeviceGetMPSComputeRunningProcesses(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v1_t>) = call(process::none);
    fn nvmlDeviceGetMPSComputeRunningProcesses_v2(device: Device, info_count: Out<u32>, infos: Opt<nvmlProcessInfo_v2_t>) = call(process::none);
}
