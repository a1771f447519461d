//! Every exported RM control: name, number, and the struct that carries its parameters where the naming rule gives one.
// Layouts and numbers: open-gpu-kernel-modules 580.142 and open-gpu-doc (MIT). See PROVENANCE.md.

/// One control command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// `class << 16 | category << 8 | index`.
    pub number: u32,
    /// NVIDIA's name.
    pub name: &'static str,
    /// Name of the parameter struct, empty where there is none.
    pub params: &'static str,
}

/// All controls, sorted by number.
pub static CONTROLS: &[Control] = &[
    Control {
        number: 0x00000101,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_BUILD_VERSION",
        params: "NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_PARAMS",
    },
    Control {
        number: 0x00000102,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_CPU_INFO",
        params: "NV0000_CTRL_SYSTEM_GET_CPU_INFO_PARAMS",
    },
    Control {
        number: 0x00000104,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_CHIPSET_INFO",
        params: "NV0000_CTRL_SYSTEM_GET_CHIPSET_INFO_PARAMS",
    },
    Control {
        number: 0x00000107,
        name: "NV0000_CTRL_SYSTEM_GET_VRR_COOKIE_PRESENT",
        params: "NV0000_CTRL_SYSTEM_GET_VRR_COOKIE_PRESENT_PARAMS",
    },
    Control {
        number: 0x00000108,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_CLASSLIST",
        params: "NV0000_CTRL_SYSTEM_GET_CLASSLIST_PARAMS",
    },
    Control {
        number: 0x00000109,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_LOCK_TIMES",
        params: "NV0000_CTRL_SYSTEM_GET_LOCK_TIMES_PARAMS",
    },
    Control {
        number: 0x00000110,
        name: "NV0000_CTRL_CMD_SYSTEM_NOTIFY_EVENT",
        params: "NV0000_CTRL_SYSTEM_NOTIFY_EVENT_PARAMS",
    },
    Control {
        number: 0x00000111,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_PLATFORM_TYPE",
        params: "NV0000_CTRL_CMD_SYSTEM_GET_PLATFORM_TYPE_PARAMS",
    },
    Control {
        number: 0x00000121,
        name: "NV0000_CTRL_CMD_SYSTEM_DEBUG_RMMSG_CTRL",
        params: "NV0000_CTRL_SYSTEM_DEBUG_RMMSG_CTRL_PARAMS",
    },
    Control {
        number: 0x00000122,
        name: "NV0000_CTRL_CMD_SYSTEM_GPS_CONTROL",
        params: "NV0000_CTRL_SYSTEM_GPS_CONTROL_PARAMS",
    },
    Control {
        number: 0x00000123,
        name: "NV0000_CTRL_CMD_SYSTEM_GPS_BATCH_CONTROL",
        params: "NV0000_CTRL_SYSTEM_GPS_BATCH_CONTROL_PARAMS",
    },
    Control {
        number: 0x00000124,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_HWBC_INFO",
        params: "NV0000_CTRL_SYSTEM_GET_HWBC_INFO_PARAMS",
    },
    Control {
        number: 0x00000127,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_P2P_CAPS",
        params: "NV0000_CTRL_SYSTEM_GET_P2P_CAPS_PARAMS",
    },
    Control {
        number: 0x0000012a,
        name: "NV0000_CTRL_CMD_SYSTEM_GPS_CTRL",
        params: "NV0000_CTRL_SYSTEM_GPS_CTRL_PARAMS",
    },
    Control {
        number: 0x0000012b,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_P2P_CAPS_V2",
        params: "NV0000_CTRL_SYSTEM_GET_P2P_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x0000012c,
        name: "NV0000_CTRL_CMD_SYSTEM_GPS_GET_PERF_SENSORS",
        params: "NV0000_CTRL_SYSTEM_GPS_GET_PERF_SENSORS_PARAMS",
    },
    Control {
        number: 0x0000012d,
        name: "NV0000_CTRL_CMD_SYSTEM_GPS_CALL_ACPI",
        params: "NV0000_CTRL_SYSTEM_GPS_CALL_ACPI_PARAMS",
    },
    Control {
        number: 0x0000012e,
        name: "NV0000_CTRL_CMD_SYSTEM_GPS_GET_EXTENDED_PERF_SENSORS",
        params: "NV0000_CTRL_SYSTEM_GPS_GET_EXTENDED_PERF_SENSORS_PARAMS",
    },
    Control {
        number: 0x0000012f,
        name: "NV0000_CTRL_CMD_SYSTEM_GPS_GET_FRM_DATA",
        params: "NV0000_CTRL_SYSTEM_GPS_GET_FRM_DATA_PARAMS",
    },
    Control {
        number: 0x00000130,
        name: "NV0000_CTRL_CMD_SYSTEM_EXECUTE_ACPI_METHOD",
        params: "NV0000_CTRL_SYSTEM_EXECUTE_ACPI_METHOD_PARAMS",
    },
    Control {
        number: 0x00000131,
        name: "NV0000_CTRL_CMD_SYSTEM_ENABLE_ETW_EVENTS",
        params: "NV0000_CTRL_SYSTEM_ENABLE_ETW_EVENTS_PARAMS",
    },
    Control {
        number: 0x00000132,
        name: "NV0000_CTRL_CMD_SYSTEM_GPS_SET_FRM_DATA",
        params: "NV0000_CTRL_SYSTEM_GPS_SET_FRM_DATA_PARAMS",
    },
    Control {
        number: 0x00000133,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_VGX_SYSTEM_INFO",
        params: "NV0000_CTRL_SYSTEM_GET_VGX_SYSTEM_INFO_PARAMS",
    },
    Control {
        number: 0x00000134,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_GPUS_POWER_STATUS",
        params: "NV0000_CTRL_SYSTEM_GET_GPUS_POWER_STATUS_PARAMS",
    },
    Control {
        number: 0x00000135,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_PRIVILEGED_STATUS",
        params: "NV0000_CTRL_SYSTEM_GET_PRIVILEGED_STATUS_PARAMS",
    },
    Control {
        number: 0x00000136,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_FABRIC_STATUS",
        params: "NV0000_CTRL_SYSTEM_GET_FABRIC_STATUS_PARAMS",
    },
    Control {
        number: 0x00000137,
        name: "NV0000_CTRL_VGPU_GET_VGPU_VERSION",
        params: "NV0000_CTRL_VGPU_GET_VGPU_VERSION_PARAMS",
    },
    Control {
        number: 0x00000138,
        name: "NV0000_CTRL_VGPU_SET_VGPU_VERSION",
        params: "NV0000_CTRL_VGPU_SET_VGPU_VERSION_PARAMS",
    },
    Control {
        number: 0x00000139,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_RM_INSTANCE_ID",
        params: "NV0000_CTRL_SYSTEM_GET_RM_INSTANCE_ID_PARAMS",
    },
    Control {
        number: 0x0000013a,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_P2P_CAPS_MATRIX",
        params: "NV0000_CTRL_SYSTEM_GET_P2P_CAPS_MATRIX_PARAMS",
    },
    Control {
        number: 0x0000013b,
        name: "NV0000_CTRL_CMD_SYSTEM_NVPCF_GET_POWER_MODE_INFO",
        params: "NV0000_CTRL_SYSTEM_NVPCF_GET_POWER_MODE_INFO_PARAMS",
    },
    Control {
        number: 0x0000013c,
        name: "NV0000_CTRL_CMD_SYSTEM_SYNC_EXTERNAL_FABRIC_MGMT",
        params: "NV0000_CTRL_CMD_SYSTEM_SYNC_EXTERNAL_FABRIC_MGMT_PARAMS",
    },
    Control {
        number: 0x0000013d,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_CLIENT_DATABASE_INFO",
        params: "NV0000_CTRL_SYSTEM_GET_CLIENT_DATABASE_INFO_PARAMS",
    },
    Control {
        number: 0x0000013e,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_BUILD_VERSION_V2",
        params: "NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_V2_PARAMS",
    },
    Control {
        number: 0x0000013f,
        name: "NV0000_CTRL_CMD_SYSTEM_RMCTRL_CACHE_MODE_CTRL",
        params: "NV0000_CTRL_SYSTEM_RMCTRL_CACHE_MODE_CTRL_PARAMS",
    },
    Control {
        number: 0x00000140,
        name: "NV0000_CTRL_CMD_SYSTEM_PFM_REQ_HNDLR_CONTROL",
        params: "NV0000_CTRL_SYSTEM_PFM_REQ_HNDLR_CONTROL_PARAMS",
    },
    Control {
        number: 0x00000141,
        name: "NV0000_CTRL_CMD_SYSTEM_PFM_REQ_HNDLR_BATCH_CONTROL",
        params: "NV0000_CTRL_SYSTEM_PFM_REQ_HNDLR_BATCH_CONTROL_PARAMS",
    },
    Control {
        number: 0x00000142,
        name: "NV0000_CTRL_CMD_SYSTEM_PFM_REQ_HNDLR_CTRL",
        params: "NV0000_CTRL_SYSTEM_PFM_REQ_HNDLR_CTRL_PARAMS",
    },
    Control {
        number: 0x00000143,
        name: "NV0000_CTRL_CMD_SYSTEM_PFM_REQ_HNDLR_CALL_ACPI",
        params: "NV0000_CTRL_SYSTEM_PFM_REQ_HNDLR_CALL_ACPI_PARAMS",
    },
    Control {
        number: 0x00000144,
        name: "NV0000_CTRL_CMD_SYSTEM_PFM_REQ_HNDLR_GET_FRM_DATA",
        params: "NV0000_CTRL_SYSTEM_PFM_REQ_HNDLR_GET_FRM_DATA_PARAMS",
    },
    Control {
        number: 0x00000145,
        name: "NV0000_CTRL_CMD_SYSTEM_PFM_REQ_HNDLR_SET_FRM_DATA",
        params: "NV0000_CTRL_SYSTEM_PFM_REQ_HNDLR_SET_FRM_DATA_PARAMS",
    },
    Control {
        number: 0x00000146,
        name: "NV0000_CTRL_CMD_SYSTEM_PFM_REQ_HNDLR_GET_PERF_SENSORS",
        params: "NV0000_CTRL_SYSTEM_PFM_REQ_HNDLR_GET_PERF_SENSORS_PARAMS",
    },
    Control {
        number: 0x00000147,
        name: "NV0000_CTRL_CMD_SYSTEM_PFM_REQ_HNDLR_GET_EXTENDED_PERF_SENSORS",
        params: "NV0000_CTRL_SYSTEM_PFM_REQ_HNDLR_GET_EXTENDED_PERF_SENSORS_PARAMS",
    },
    Control {
        number: 0x000001f0,
        name: "NV0000_CTRL_CMD_SYSTEM_GET_FEATURES",
        params: "NV0000_CTRL_SYSTEM_GET_FEATURES_PARAMS",
    },
    Control {
        number: 0x00000201,
        name: "NV0000_CTRL_CMD_GPU_GET_ATTACHED_IDS",
        params: "NV0000_CTRL_GPU_GET_ATTACHED_IDS_PARAMS",
    },
    Control {
        number: 0x00000202,
        name: "NV0000_CTRL_CMD_GPU_GET_ID_INFO",
        params: "NV0000_CTRL_GPU_GET_ID_INFO_PARAMS",
    },
    Control {
        number: 0x00000203,
        name: "NV0000_CTRL_CMD_GPU_GET_INIT_STATUS",
        params: "NV0000_CTRL_GPU_GET_INIT_STATUS_PARAMS",
    },
    Control {
        number: 0x00000204,
        name: "NV0000_CTRL_CMD_GPU_GET_DEVICE_IDS",
        params: "NV0000_CTRL_GPU_GET_DEVICE_IDS_PARAMS",
    },
    Control {
        number: 0x00000205,
        name: "NV0000_CTRL_CMD_GPU_GET_ID_INFO_V2",
        params: "NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS",
    },
    Control {
        number: 0x00000206,
        name: "NV0000_CTRL_CMD_GPU_UPDATE_SYSFS_NODE",
        params: "NV0000_CTRL_GPU_UPDATE_SYSFS_NODE_PARAMS",
    },
    Control {
        number: 0x00000214,
        name: "NV0000_CTRL_CMD_GPU_GET_PROBED_IDS",
        params: "NV0000_CTRL_GPU_GET_PROBED_IDS_PARAMS",
    },
    Control {
        number: 0x00000215,
        name: "NV0000_CTRL_CMD_GPU_ATTACH_IDS",
        params: "NV0000_CTRL_GPU_ATTACH_IDS_PARAMS",
    },
    Control {
        number: 0x00000216,
        name: "NV0000_CTRL_CMD_GPU_DETACH_IDS",
        params: "NV0000_CTRL_GPU_DETACH_IDS_PARAMS",
    },
    Control {
        number: 0x00000219,
        name: "NV0000_CTRL_CMD_GPU_GET_VIDEO_LINKS",
        params: "NV0000_CTRL_GPU_GET_VIDEO_LINKS_PARAMS",
    },
    Control {
        number: 0x0000021b,
        name: "NV0000_CTRL_CMD_GPU_GET_PCI_INFO",
        params: "NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS",
    },
    Control {
        number: 0x00000240,
        name: "NV0000_CTRL_CMD_GPU_GET_SVM_SIZE",
        params: "NV0000_CTRL_GPU_GET_SVM_SIZE_PARAMS",
    },
    Control {
        number: 0x00000274,
        name: "NV0000_CTRL_CMD_GPU_GET_UUID_INFO",
        params: "NV0000_CTRL_GPU_GET_UUID_INFO_PARAMS",
    },
    Control {
        number: 0x00000275,
        name: "NV0000_CTRL_CMD_GPU_GET_UUID_FROM_GPU_ID",
        params: "NV0000_CTRL_GPU_GET_UUID_FROM_GPU_ID_PARAMS",
    },
    Control {
        number: 0x00000278,
        name: "NV0000_CTRL_CMD_GPU_MODIFY_DRAIN_STATE",
        params: "NV0000_CTRL_GPU_MODIFY_DRAIN_STATE_PARAMS",
    },
    Control {
        number: 0x00000279,
        name: "NV0000_CTRL_CMD_GPU_QUERY_DRAIN_STATE",
        params: "NV0000_CTRL_GPU_QUERY_DRAIN_STATE_PARAMS",
    },
    Control {
        number: 0x0000027a,
        name: "NV0000_CTRL_CMD_GPU_DISCOVER",
        params: "NV0000_CTRL_GPU_DISCOVER_PARAMS",
    },
    Control {
        number: 0x0000027b,
        name: "NV0000_CTRL_CMD_GPU_GET_MEMOP_ENABLE",
        params: "NV0000_CTRL_GPU_GET_MEMOP_ENABLE_PARAMS",
    },
    Control {
        number: 0x00000281,
        name: "NV0000_CTRL_CMD_GPU_DISABLE_NVLINK_INIT",
        params: "NV0000_CTRL_GPU_DISABLE_NVLINK_INIT_PARAMS",
    },
    Control {
        number: 0x00000282,
        name: "NV0000_CTRL_CMD_GPU_LEGACY_CONFIG",
        params: "NV0000_CTRL_GPU_LEGACY_CONFIG_PARAMS",
    },
    Control {
        number: 0x00000283,
        name: "NV0000_CTRL_CMD_IDLE_CHANNELS",
        params: "",
    },
    Control {
        number: 0x00000285,
        name: "NV0000_CTRL_CMD_PUSH_UCODE_IMAGE",
        params: "",
    },
    Control {
        number: 0x00000286,
        name: "NV0000_CTRL_CMD_GPU_SET_NVLINK_BW_MODE",
        params: "NV0000_CTRL_GPU_SET_NVLINK_BW_MODE_PARAMS",
    },
    Control {
        number: 0x00000287,
        name: "NV0000_CTRL_CMD_GPU_GET_NVLINK_BW_MODE",
        params: "NV0000_CTRL_GPU_GET_NVLINK_BW_MODE_PARAMS",
    },
    Control {
        number: 0x00000288,
        name: "NV0000_CTRL_CMD_GPU_GET_ACTIVE_DEVICE_IDS",
        params: "NV0000_CTRL_GPU_GET_ACTIVE_DEVICE_IDS_PARAMS",
    },
    Control {
        number: 0x00000289,
        name: "NV0000_CTRL_CMD_GPU_ASYNC_ATTACH_ID",
        params: "NV0000_CTRL_GPU_ASYNC_ATTACH_ID_PARAMS",
    },
    Control {
        number: 0x00000290,
        name: "NV0000_CTRL_CMD_GPU_WAIT_ATTACH_ID",
        params: "NV0000_CTRL_GPU_WAIT_ATTACH_ID_PARAMS",
    },
    Control {
        number: 0x00000301,
        name: "NV0000_CTRL_CMD_GSYNC_GET_ATTACHED_IDS",
        params: "NV0000_CTRL_GSYNC_GET_ATTACHED_IDS_PARAMS",
    },
    Control {
        number: 0x00000302,
        name: "NV0000_CTRL_CMD_GSYNC_GET_ID_INFO",
        params: "NV0000_CTRL_GSYNC_GET_ID_INFO_PARAMS",
    },
    Control {
        number: 0x00000480,
        name: "NV0000_CTRL_CMD_DIAG_GET_LOCK_METER_STATE",
        params: "NV0000_CTRL_DIAG_GET_LOCK_METER_STATE_PARAMS",
    },
    Control {
        number: 0x00000481,
        name: "NV0000_CTRL_CMD_DIAG_SET_LOCK_METER_STATE",
        params: "NV0000_CTRL_DIAG_SET_LOCK_METER_STATE_PARAMS",
    },
    Control {
        number: 0x00000485,
        name: "NV0000_CTRL_CMD_DIAG_GET_LOCK_METER_ENTRIES",
        params: "NV0000_CTRL_DIAG_GET_LOCK_METER_ENTRIES_PARAMS",
    },
    Control {
        number: 0x00000488,
        name: "NV0000_CTRL_CMD_DIAG_PROFILE_RPC",
        params: "NV0000_CTRL_DIAG_PROFILE_RPC_PARAMS",
    },
    Control {
        number: 0x00000489,
        name: "NV0000_CTRL_CMD_DIAG_DUMP_RPC",
        params: "NV0000_CTRL_DIAG_DUMP_RPC_PARAMS",
    },
    Control {
        number: 0x00000501,
        name: "NV0000_CTRL_CMD_EVENT_SET_NOTIFICATION",
        params: "NV0000_CTRL_EVENT_SET_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0x00000502,
        name: "NV0000_CTRL_CMD_GET_SYSTEM_EVENT_DATA",
        params: "NV0000_CTRL_GET_SYSTEM_EVENT_DATA_PARAMS",
    },
    Control {
        number: 0x00000601,
        name: "NV0000_CTRL_CMD_NVD_GET_DUMP_SIZE",
        params: "NV0000_CTRL_NVD_GET_DUMP_SIZE_PARAMS",
    },
    Control {
        number: 0x00000602,
        name: "NV0000_CTRL_CMD_NVD_GET_DUMP",
        params: "NV0000_CTRL_NVD_GET_DUMP_PARAMS",
    },
    Control {
        number: 0x00000603,
        name: "NV0000_CTRL_CMD_NVD_GET_TIMESTAMP",
        params: "NV0000_CTRL_NVD_GET_TIMESTAMP_PARAMS",
    },
    Control {
        number: 0x00000604,
        name: "NV0000_CTRL_CMD_NVD_GET_NVLOG_INFO",
        params: "NV0000_CTRL_NVD_GET_NVLOG_INFO_PARAMS",
    },
    Control {
        number: 0x00000605,
        name: "NV0000_CTRL_CMD_NVD_GET_NVLOG_BUFFER_INFO",
        params: "NV0000_CTRL_NVD_GET_NVLOG_BUFFER_INFO_PARAMS",
    },
    Control {
        number: 0x00000606,
        name: "NV0000_CTRL_CMD_NVD_GET_NVLOG",
        params: "NV0000_CTRL_NVD_GET_NVLOG_PARAMS",
    },
    Control {
        number: 0x00000607,
        name: "NV0000_CTRL_CMD_NVD_GET_RCERR_RPT",
        params: "NV0000_CTRL_CMD_NVD_GET_RCERR_RPT_PARAMS",
    },
    Control {
        number: 0x00000608,
        name: "NV0000_CTRL_CMD_NVD_GET_DPC_ISR_TS",
        params: "NV0000_CTRL_NVD_GET_DPC_ISR_TS_PARAMS",
    },
    Control {
        number: 0x00000901,
        name: "NV0000_CTRL_CMD_SET_SUB_PROCESS_ID",
        params: "NV0000_CTRL_SET_SUB_PROCESS_ID_PARAMS",
    },
    Control {
        number: 0x00000902,
        name: "NV0000_CTRL_CMD_DISABLE_SUB_PROCESS_USERD_ISOLATION",
        params: "NV0000_CTRL_DISABLE_SUB_PROCESS_USERD_ISOLATION_PARAMS",
    },
    Control {
        number: 0x00000a01,
        name: "NV0000_CTRL_CMD_SYNC_GPU_BOOST_INFO",
        params: "",
    },
    Control {
        number: 0x00000a02,
        name: "NV0000_CTRL_CMD_SYNC_GPU_BOOST_GROUP_CREATE",
        params: "",
    },
    Control {
        number: 0x00000a03,
        name: "NV0000_CTRL_CMD_SYNC_GPU_BOOST_GROUP_DESTROY",
        params: "",
    },
    Control {
        number: 0x00000a04,
        name: "NV0000_CTRL_CMD_SYNC_GPU_BOOST_GROUP_INFO",
        params: "",
    },
    Control {
        number: 0x00000b01,
        name: "NV0000_CTRL_CMD_GPUACCT_SET_ACCOUNTING_STATE",
        params: "NV0000_CTRL_GPUACCT_SET_ACCOUNTING_STATE_PARAMS",
    },
    Control {
        number: 0x00000b02,
        name: "NV0000_CTRL_CMD_GPUACCT_GET_ACCOUNTING_STATE",
        params: "NV0000_CTRL_GPUACCT_GET_ACCOUNTING_STATE_PARAMS",
    },
    Control {
        number: 0x00000b03,
        name: "NV0000_CTRL_CMD_GPUACCT_GET_PROC_ACCOUNTING_INFO",
        params: "NV0000_CTRL_GPUACCT_GET_PROC_ACCOUNTING_INFO_PARAMS",
    },
    Control {
        number: 0x00000b04,
        name: "NV0000_CTRL_CMD_GPUACCT_GET_ACCOUNTING_PIDS",
        params: "NV0000_CTRL_GPUACCT_GET_ACCOUNTING_PIDS_PARAMS",
    },
    Control {
        number: 0x00000b05,
        name: "NV0000_CTRL_CMD_GPUACCT_CLEAR_ACCOUNTING_DATA",
        params: "NV0000_CTRL_GPUACCT_CLEAR_ACCOUNTING_DATA_PARAMS",
    },
    Control {
        number: 0x00000c02,
        name: "NV0000_CTRL_CMD_VGPU_CREATE_DEVICE",
        params: "NV0000_CTRL_VGPU_CREATE_DEVICE_PARAMS",
    },
    Control {
        number: 0x00000c03,
        name: "NV0000_CTRL_CMD_VGPU_GET_INSTANCES",
        params: "NV0000_CTRL_VGPU_GET_INSTANCES_PARAMS",
    },
    Control {
        number: 0x00000c04,
        name: "NV0000_CTRL_CMD_VGPU_DELETE_DEVICE",
        params: "NV0000_CTRL_VGPU_DELETE_DEVICE_PARAMS",
    },
    Control {
        number: 0x00000c05,
        name: "NV0000_CTRL_CMD_VGPU_VFIO_NOTIFY_RM_STATUS",
        params: "NV0000_CTRL_VGPU_VFIO_NOTIFY_RM_STATUS_PARAMS",
    },
    Control {
        number: 0x00000d01,
        name: "NV0000_CTRL_CMD_CLIENT_GET_ADDR_SPACE_TYPE",
        params: "NV0000_CTRL_CLIENT_GET_ADDR_SPACE_TYPE_PARAMS",
    },
    Control {
        number: 0x00000d02,
        name: "NV0000_CTRL_CMD_CLIENT_GET_HANDLE_INFO",
        params: "NV0000_CTRL_CLIENT_GET_HANDLE_INFO_PARAMS",
    },
    Control {
        number: 0x00000d03,
        name: "NV0000_CTRL_CMD_CLIENT_GET_ACCESS_RIGHTS",
        params: "NV0000_CTRL_CLIENT_GET_ACCESS_RIGHTS_PARAMS",
    },
    Control {
        number: 0x00000d04,
        name: "NV0000_CTRL_CMD_CLIENT_SET_INHERITED_SHARE_POLICY",
        params: "NV0000_CTRL_CLIENT_SET_INHERITED_SHARE_POLICY_PARAMS",
    },
    Control {
        number: 0x00000d05,
        name: "NV0000_CTRL_CMD_CLIENT_GET_CHILD_HANDLE",
        params: "NV0000_CTRL_CMD_CLIENT_GET_CHILD_HANDLE_PARAMS",
    },
    Control {
        number: 0x00000d06,
        name: "NV0000_CTRL_CMD_CLIENT_SHARE_OBJECT",
        params: "NV0000_CTRL_CLIENT_SHARE_OBJECT_PARAMS",
    },
    Control {
        number: 0x00000d07,
        name: "NV0000_CTRL_CMD_CLIENT_OBJECTS_ARE_DUPLICATES",
        params: "NV0000_CTRL_CLIENT_OBJECTS_ARE_DUPLICATES_PARAMS",
    },
    Control {
        number: 0x00000d08,
        name: "NV0000_CTRL_CMD_CLIENT_SUBSCRIBE_TO_IMEX_CHANNEL",
        params: "NV0000_CTRL_CLIENT_SUBSCRIBE_TO_IMEX_CHANNEL_PARAMS",
    },
    Control {
        number: 0x00003d02,
        name: "NV0000_CTRL_CMD_OS_UNIX_FLUSH_USER_CACHE",
        params: "NV0000_CTRL_OS_UNIX_FLUSH_USER_CACHE_PARAMS",
    },
    Control {
        number: 0x00003d04,
        name: "NV0000_CTRL_CMD_OS_UNIX_GET_CONTROL_FILE_DESCRIPTOR",
        params: "NV0000_CTRL_OS_UNIX_GET_CONTROL_FILE_DESCRIPTOR_PARAMS",
    },
    Control {
        number: 0x00003d05,
        name: "NV0000_CTRL_CMD_OS_UNIX_EXPORT_OBJECT_TO_FD",
        params: "NV0000_CTRL_OS_UNIX_EXPORT_OBJECT_TO_FD_PARAMS",
    },
    Control {
        number: 0x00003d06,
        name: "NV0000_CTRL_CMD_OS_UNIX_IMPORT_OBJECT_FROM_FD",
        params: "NV0000_CTRL_OS_UNIX_IMPORT_OBJECT_FROM_FD_PARAMS",
    },
    Control {
        number: 0x00003d07,
        name: "NV0000_CTRL_CMD_OS_GET_GPU_INFO",
        params: "NV0000_CTRL_OS_GET_GPU_INFO_PARAMS",
    },
    Control {
        number: 0x00003d08,
        name: "NV0000_CTRL_CMD_OS_UNIX_GET_EXPORT_OBJECT_INFO",
        params: "NV0000_CTRL_OS_UNIX_GET_EXPORT_OBJECT_INFO_PARAMS",
    },
    Control {
        number: 0x00003d09,
        name: "NV0000_CTRL_CMD_OS_UNIX_REFRESH_RMAPI_DEVICE_LIST",
        params: "",
    },
    Control {
        number: 0x00003d0a,
        name: "NV0000_CTRL_CMD_OS_UNIX_CREATE_EXPORT_OBJECT_FD",
        params: "NV0000_CTRL_OS_UNIX_CREATE_EXPORT_OBJECT_FD_PARAMS",
    },
    Control {
        number: 0x00003d0b,
        name: "NV0000_CTRL_CMD_OS_UNIX_EXPORT_OBJECTS_TO_FD",
        params: "NV0000_CTRL_OS_UNIX_EXPORT_OBJECTS_TO_FD_PARAMS",
    },
    Control {
        number: 0x00003d0c,
        name: "NV0000_CTRL_CMD_OS_UNIX_IMPORT_OBJECTS_FROM_FD",
        params: "NV0000_CTRL_OS_UNIX_IMPORT_OBJECTS_FROM_FD_PARAMS",
    },
    Control {
        number: 0x00020101,
        name: "NV0002_CTRL_CMD_UPDATE_CONTEXTDMA",
        params: "NV0002_CTRL_UPDATE_CONTEXTDMA_PARAMS",
    },
    Control {
        number: 0x00020102,
        name: "NV0002_CTRL_CMD_BIND_CONTEXTDMA",
        params: "NV0002_CTRL_BIND_CONTEXTDMA_PARAMS",
    },
    Control {
        number: 0x00020103,
        name: "NV0002_CTRL_CMD_UNBIND_CONTEXTDMA",
        params: "NV0002_CTRL_UNBIND_CONTEXTDMA_PARAMS",
    },
    Control {
        number: 0x00040110,
        name: "NV0004_CTRL_CMD_TMR_SET_ALARM_NOTIFY",
        params: "NV0004_CTRL_TMR_SET_ALARM_NOTIFY_PARAMS",
    },
    Control {
        number: 0x000f0101,
        name: "NV000F_CTRL_CMD_SET_FM_STATE",
        params: "",
    },
    Control {
        number: 0x000f0102,
        name: "NV000F_CTRL_CMD_CLEAR_FM_STATE",
        params: "",
    },
    Control {
        number: 0x00200101,
        name: "NV0020_CTRL_CMD_GPU_MGMT_SET_SHUTDOWN_STATE",
        params: "NV0020_CTRL_GPU_MGMT_SET_SHUTDOWN_STATE_PARAMS",
    },
    Control {
        number: 0x003e0102,
        name: "NV003E_CTRL_CMD_GET_SURFACE_NUM_PHYS_PAGES",
        params: "NV003E_CTRL_GET_SURFACE_NUM_PHYS_PAGES_PARAMS",
    },
    Control {
        number: 0x003e0103,
        name: "NV003E_CTRL_CMD_GET_SURFACE_PHYS_PAGES",
        params: "NV003E_CTRL_GET_SURFACE_PHYS_PAGES_PARAMS",
    },
    Control {
        number: 0x00410103,
        name: "NV0041_CTRL_CMD_GET_SURFACE_PHYS_ATTR",
        params: "NV0041_CTRL_GET_SURFACE_PHYS_ATTR_PARAMS",
    },
    Control {
        number: 0x00410104,
        name: "NV0041_CTRL_CMD_GET_SURFACE_ZCULL_ID",
        params: "NV0041_CTRL_GET_SURFACE_ZCULL_ID_PARAMS",
    },
    Control {
        number: 0x00410110,
        name: "NV0041_CTRL_CMD_GET_SURFACE_INFO",
        params: "NV0041_CTRL_GET_SURFACE_INFO_PARAMS",
    },
    Control {
        number: 0x00410112,
        name: "NV0041_CTRL_CMD_GET_SURFACE_COMPRESSION_COVERAGE",
        params: "NV0041_CTRL_GET_SURFACE_COMPRESSION_COVERAGE_PARAMS",
    },
    Control {
        number: 0x00410114,
        name: "NV0041_CTRL_CMD_GET_FBMEM_BUS_ADDR",
        params: "NV0041_CTRL_GET_FBMEM_BUS_ADDR_PARAMS",
    },
    Control {
        number: 0x00410116,
        name: "NV0041_CTRL_CMD_SURFACE_FLUSH_GPU_CACHE",
        params: "NV0041_CTRL_SURFACE_FLUSH_GPU_CACHE_PARAMS",
    },
    Control {
        number: 0x00410118,
        name: "NV0041_CTRL_CMD_GET_MEM_PAGE_SIZE",
        params: "NV0041_CTRL_GET_MEM_PAGE_SIZE_PARAMS",
    },
    Control {
        number: 0x00410119,
        name: "NV0041_CTRL_CMD_UPDATE_SURFACE_COMPRESSION",
        params: "NV0041_CTRL_UPDATE_SURFACE_COMPRESSION_PARAMS",
    },
    Control {
        number: 0x00410120,
        name: "NV0041_CTRL_CMD_SET_TAG",
        params: "NV0041_CTRL_CMD_SET_TAG_PARAMS",
    },
    Control {
        number: 0x00410121,
        name: "NV0041_CTRL_CMD_GET_TAG",
        params: "NV0041_CTRL_CMD_GET_TAG_PARAMS",
    },
    Control {
        number: 0x00410122,
        name: "NV0041_CTRL_CMD_MAP_MEMORY_FOR_GPU_ACCESS",
        params: "NV0041_CTRL_MAP_MEMORY_FOR_GPU_ACCESS_PARAMS",
    },
    Control {
        number: 0x00410151,
        name: "NV0041_CTRL_CMD_SET_LABEL",
        params: "NV0041_CTRL_CMD_SET_LABEL_PARAMS",
    },
    Control {
        number: 0x00410152,
        name: "NV0041_CTRL_CMD_GET_LABEL",
        params: "NV0041_CTRL_CMD_GET_LABEL_PARAMS",
    },
    Control {
        number: 0x00410153,
        name: "NV0041_CTRL_CMD_UNMAP_MEMORY_FOR_GPU_ACCESS",
        params: "NV0041_CTRL_UNMAP_MEMORY_FOR_GPU_ACCESS_PARAMS",
    },
    Control {
        number: 0x00500101,
        name: "NV0050_CTRL_CMD_MEMSET",
        params: "NV0050_CTRL_MEMSET_PARAMS",
    },
    Control {
        number: 0x00500102,
        name: "NV0050_CTRL_CMD_MEMCOPY",
        params: "NV0050_CTRL_MEMCOPY_PARAMS",
    },
    Control {
        number: 0x00500103,
        name: "NV0050_CTRL_CMD_CHECK_PROGRESS",
        params: "NV0050_CTRL_CHECK_PROGRESS_PARAMS",
    },
    Control {
        number: 0x00730101,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_CAPS_V2",
        params: "NV0073_CTRL_SYSTEM_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x00730102,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_NUM_HEADS",
        params: "NV0073_CTRL_SYSTEM_GET_NUM_HEADS_PARAMS",
    },
    Control {
        number: 0x00730104,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_SCANLINE",
        params: "NV0073_CTRL_SYSTEM_GET_SCANLINE_PARAMS",
    },
    Control {
        number: 0x00730105,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_VBLANK_COUNTER",
        params: "NV0073_CTRL_SYSTEM_GET_VBLANK_COUNTER_PARAMS",
    },
    Control {
        number: 0x00730106,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_VBLANK_ENABLE",
        params: "NV0073_CTRL_SYSTEM_GET_VBLANK_ENABLE_PARAMS",
    },
    Control {
        number: 0x00730107,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_SUPPORTED",
        params: "NV0073_CTRL_SYSTEM_GET_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x00730108,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_CONNECT_STATE",
        params: "NV0073_CTRL_SYSTEM_GET_CONNECT_STATE_PARAMS",
    },
    Control {
        number: 0x00730109,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_HOTPLUG_CONFIG",
        params: "",
    },
    Control {
        number: 0x0073010a,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_HOTPLUG_STATE",
        params: "NV0073_CTRL_SYSTEM_GET_HOTPLUG_STATE_PARAMS",
    },
    Control {
        number: 0x0073010b,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_HEAD_ROUTING_MAP",
        params: "NV0073_CTRL_SYSTEM_GET_HEAD_ROUTING_MAP_PARAMS",
    },
    Control {
        number: 0x0073010c,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_ACTIVE",
        params: "NV0073_CTRL_SYSTEM_GET_ACTIVE_PARAMS",
    },
    Control {
        number: 0x00730115,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_ACPI_ID_MAP",
        params: "NV0073_CTRL_SYSTEM_GET_ACPI_ID_MAP_PARAMS",
    },
    Control {
        number: 0x00730116,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_INTERNAL_DISPLAYS",
        params: "NV0073_CTRL_SYSTEM_GET_INTERNAL_DISPLAYS_PARAMS",
    },
    Control {
        number: 0x00730117,
        name: "NV0073_CTRL_CMD_SYSTEM_ACPI_SUBSYSTEM_ACTIVATED",
        params: "NV0073_CTRL_SYSTEM_ACPI_SUBSYSTEM_ACTIVATED_PARAMS",
    },
    Control {
        number: 0x0073011d,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_CONNECTOR_TABLE",
        params: "NV0073_CTRL_SYSTEM_GET_CONNECTOR_TABLE_PARAMS",
    },
    Control {
        number: 0x0073011e,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_BOOT_DISPLAYS",
        params: "NV0073_CTRL_SYSTEM_GET_BOOT_DISPLAYS_PARAMS",
    },
    Control {
        number: 0x00730120,
        name: "NV0073_CTRL_CMD_SYSTEM_EXECUTE_ACPI_METHOD",
        params: "NV0073_CTRL_SYSTEM_EXECUTE_ACPI_METHOD_PARAMS",
    },
    Control {
        number: 0x0073012c,
        name: "NV0073_CTRL_CMD_SYSTEM_VRR_DISPLAY_INFO",
        params: "NV0073_CTRL_SYSTEM_VRR_DISPLAY_INFO_PARAMS",
    },
    Control {
        number: 0x0073012d,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_HOTPLUG_UNPLUG_STATE",
        params: "NV0073_CTRL_SYSTEM_GET_HOTPLUG_UNPLUG_STATE_PARAMS",
    },
    Control {
        number: 0x0073012e,
        name: "NV0073_CTRL_CMD_SYSTEM_CLEAR_ELV_BLOCK",
        params: "NV0073_CTRL_SYSTEM_CLEAR_ELV_BLOCK_PARAMS",
    },
    Control {
        number: 0x0073012f,
        name: "NV0073_CTRL_CMD_SYSTEM_ARM_LIGHTWEIGHT_SUPERVISOR",
        params: "NV0073_CTRL_SYSTEM_ARM_LIGHTWEIGHT_SUPERVISOR_PARAMS",
    },
    Control {
        number: 0x00730134,
        name: "NV0073_CTRL_CMD_SYSTEM_CONFIG_VRR_PSTATE_SWITCH",
        params: "NV0073_CTRL_SYSTEM_CONFIG_VRR_PSTATE_SWITCH_PARAMS",
    },
    Control {
        number: 0x0073013d,
        name: "NV0073_CTRL_CMD_SYSTEM_QUERY_DISPLAY_IDS_WITH_MUX",
        params: "NV0073_CTRL_CMD_SYSTEM_QUERY_DISPLAY_IDS_WITH_MUX_PARAMS",
    },
    Control {
        number: 0x00730143,
        name: "NV0073_CTRL_CMD_SYSTEM_ALLOCATE_DISPLAY_BANDWIDTH",
        params: "NV0073_CTRL_SYSTEM_ALLOCATE_DISPLAY_BANDWIDTH_PARAMS",
    },
    Control {
        number: 0x00730144,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_HOTPLUG_EVENT_CONFIG",
        params: "NV0073_CTRL_SYSTEM_GET_HOTPLUG_EVENT_CONFIG_PARAMS",
    },
    Control {
        number: 0x00730145,
        name: "NV0073_CTRL_CMD_SYSTEM_SET_HOTPLUG_EVENT_CONFIG",
        params: "NV0073_CTRL_SYSTEM_SET_HOTPLUG_EVENT_CONFIG_PARAMS",
    },
    Control {
        number: 0x0073014a,
        name: "NV0073_CTRL_CMD_SYSTEM_RECORD_CHANNEL_REGS",
        params: "NV0073_CTRL_CMD_SYSTEM_RECORD_CHANNEL_REGS_PARAMS",
    },
    Control {
        number: 0x0073014b,
        name: "NV0073_CTRL_CMD_SYSTEM_CHECK_SIDEBAND_I2C_SUPPORT",
        params: "NV0073_CTRL_CMD_SYSTEM_CHECK_SIDEBAND_I2C_SUPPORT_PARAMS",
    },
    Control {
        number: 0x0073014c,
        name: "NV0073_CTRL_CMD_SYSTEM_CHECK_SIDEBAND_SR_SUPPORT",
        params: "NV0073_CTRL_CMD_SYSTEM_CHECK_SIDEBAND_SR_SUPPORT_PARAMS",
    },
    Control {
        number: 0x0073014d,
        name: "NV0073_CTRL_CMD_SYSTEM_VRR_SET_RGLINE_ACTIVE",
        params: "NV0073_CTRL_CMD_SYSTEM_VRR_SET_RGLINE_ACTIVE_PARAMS",
    },
    Control {
        number: 0x00730151,
        name: "NV0073_CTRL_CMD_SYSTEM_MAP_SHARED_DATA",
        params: "NV0073_CTRL_CMD_SYSTEM_MAP_SHARED_DATA_PARAMS",
    },
    Control {
        number: 0x00730154,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_LOADV_COUNTER_INFO",
        params: "NV0073_CTRL_CMD_SYSTEM_GET_LOADV_COUNTER_INFO_PARAMS",
    },
    Control {
        number: 0x00730155,
        name: "NV0073_CTRL_CMD_DISP_LPWR_FEATURE_PARAMETER_GET",
        params: "NV0073_CTRL_DISP_LPWR_FEATURE_PARAMETER_GET_PARAMS",
    },
    Control {
        number: 0x00730156,
        name: "NV0073_CTRL_CMD_DISP_LPWR_FEATURE_PARAMETER_SET",
        params: "NV0073_CTRL_DISP_LPWR_FEATURE_PARAMETER_SET_PARAMS",
    },
    Control {
        number: 0x00730157,
        name: "NV0073_CTRL_CMD_SYSTEM_INTERNAL_ALLOCATE_DISPLAY_BANDWIDTH",
        params: "NV0073_CTRL_SYSTEM_INTERNAL_ALLOCATE_DISPLAY_BANDWIDTH_PARAMS",
    },
    Control {
        number: 0x00730159,
        name: "NV0073_CTRL_CMD_SYSTEM_NOTIFY_DRR_MSCG_WAR",
        params: "NV0073_CTRL_CMD_SYSTEM_NOTIFY_DRR_MSCG_WAR_PARAMS",
    },
    Control {
        number: 0x0073015a,
        name: "NV0073_CTRL_CMD_SYSTEM_SET_DISPLAY_PERF_LIMIT",
        params: "NV0073_CTRL_SYSTEM_SET_DISPLAY_PERF_LIMIT_PARAMS",
    },
    Control {
        number: 0x00730160,
        name: "NV0073_CTRL_CMD_SYSTEM_GET_CRASH_LOCK_COUNTER_INFO",
        params: "NV0073_CTRL_CMD_SYSTEM_GET_CRASH_LOCK_COUNTER_INFO_PARAMS",
    },
    Control {
        number: 0x00730211,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_I2C_PORTID",
        params: "NV0073_CTRL_SPECIFIC_GET_I2C_PORTID_PARAMS",
    },
    Control {
        number: 0x00730240,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_TYPE",
        params: "NV0073_CTRL_SPECIFIC_GET_TYPE_PARAMS",
    },
    Control {
        number: 0x00730243,
        name: "NV0073_CTRL_CMD_SPECIFIC_FAKE_DEVICE",
        params: "NV0073_CTRL_CMD_SPECIFIC_FAKE_DEVICE_PARAMS",
    },
    Control {
        number: 0x00730245,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_EDID_V2",
        params: "NV0073_CTRL_SPECIFIC_GET_EDID_V2_PARAMS",
    },
    Control {
        number: 0x00730246,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_EDID_V2",
        params: "NV0073_CTRL_SPECIFIC_SET_EDID_V2_PARAMS",
    },
    Control {
        number: 0x00730250,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_CONNECTOR_DATA",
        params: "NV0073_CTRL_SPECIFIC_GET_CONNECTOR_DATA_PARAMS",
    },
    Control {
        number: 0x00730273,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_HDMI_ENABLE",
        params: "NV0073_CTRL_SPECIFIC_SET_HDMI_ENABLE_PARAMS",
    },
    Control {
        number: 0x00730274,
        name: "NV0073_CTRL_CMD_SPECIFIC_CTRL_HDMI",
        params: "NV0073_CTRL_SPECIFIC_CTRL_HDMI_PARAMS",
    },
    Control {
        number: 0x00730275,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_HDMI_AUDIO_MUTESTREAM",
        params: "NV0073_CTRL_CMD_SPECIFIC_SET_HDMI_AUDIO_MUTESTREAM_PARAMS",
    },
    Control {
        number: 0x00730284,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_ACPI_ID_MAPPING",
        params: "NV0073_CTRL_SPECIFIC_SET_ACPI_ID_MAPPING_PARAMS",
    },
    Control {
        number: 0x00730285,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_ACPI_DOD_DISPLAY_PORT_ATTACHMENT",
        params: "",
    },
    Control {
        number: 0x00730287,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_ALL_HEAD_MASK",
        params: "NV0073_CTRL_SPECIFIC_GET_ALL_HEAD_MASK_PARAMS",
    },
    Control {
        number: 0x00730288,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_OD_PACKET",
        params: "NV0073_CTRL_SPECIFIC_SET_OD_PACKET_PARAMS",
    },
    Control {
        number: 0x00730289,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_OD_PACKET_CTRL",
        params: "NV0073_CTRL_SPECIFIC_SET_OD_PACKET_CTRL_PARAMS",
    },
    Control {
        number: 0x0073028a,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_PCLK_LIMIT",
        params: "NV0073_CTRL_SPECIFIC_GET_PCLK_LIMIT_PARAMS",
    },
    Control {
        number: 0x0073028b,
        name: "NV0073_CTRL_CMD_SPECIFIC_OR_GET_INFO",
        params: "NV0073_CTRL_SPECIFIC_OR_GET_INFO_PARAMS",
    },
    Control {
        number: 0x00730291,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_BACKLIGHT_BRIGHTNESS",
        params: "NV0073_CTRL_SPECIFIC_GET_BACKLIGHT_BRIGHTNESS_PARAMS",
    },
    Control {
        number: 0x00730292,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_BACKLIGHT_BRIGHTNESS",
        params: "NV0073_CTRL_SPECIFIC_SET_BACKLIGHT_BRIGHTNESS_PARAMS",
    },
    Control {
        number: 0x00730293,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_HDMI_SINK_CAPS",
        params: "NV0073_CTRL_SPECIFIC_SET_HDMI_SINK_CAPS_PARAMS",
    },
    Control {
        number: 0x00730295,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_MONITOR_POWER",
        params: "NV0073_CTRL_SPECIFIC_SET_MONITOR_POWER_PARAMS",
    },
    Control {
        number: 0x0073029a,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_HDMI_FRL_CONFIG",
        params: "",
    },
    Control {
        number: 0x0073029b,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_HDMI_FRL_FLUSH_MODE",
        params: "NV0073_CTRL_SPECIFIC_SET_HDMI_FRL_FLUSH_MODE_PARAMS",
    },
    Control {
        number: 0x007302a0,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_REGIONAL_CRCS",
        params: "NV0073_CTRL_CMD_SPECIFIC_GET_REGIONAL_CRCS_PARAMS",
    },
    Control {
        number: 0x007302a1,
        name: "NV0073_CTRL_CMD_SPECIFIC_APPLY_EDID_OVERRIDE_V2",
        params: "NV0073_CTRL_SPECIFIC_APPLY_EDID_OVERRIDE_V2_PARAMS",
    },
    Control {
        number: 0x007302a2,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_HDMI_GPU_CAPS",
        params: "NV0073_CTRL_SPECIFIC_GET_HDMI_GPU_CAPS_PARAMS",
    },
    Control {
        number: 0x007302a4,
        name: "NV0073_CTRL_CMD_SPECIFIC_DISPLAY_CHANGE",
        params: "NV0073_CTRL_SPECIFIC_DISPLAY_CHANGE_PARAMS",
    },
    Control {
        number: 0x007302a6,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_HDMI_SCDC_DATA",
        params: "NV0073_CTRL_SPECIFIC_GET_HDMI_SCDC_DATA_PARAMS",
    },
    Control {
        number: 0x007302a7,
        name: "NV0073_CTRL_CMD_SPECIFIC_IS_DIRECTMODE_DISPLAY",
        params: "NV0073_CTRL_SPECIFIC_IS_DIRECTMODE_DISPLAY_PARAMS",
    },
    Control {
        number: 0x007302a8,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_HDMI_FRL_CAPACITY_COMPUTATION",
        params: "NV0073_CTRL_SPECIFIC_GET_HDMI_FRL_CAPACITY_COMPUTATION_PARAMS",
    },
    Control {
        number: 0x007302a9,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_SHARED_GENERIC_PACKET",
        params: "NV0073_CTRL_SPECIFIC_SET_SHARED_GENERIC_PACKET_PARAMS",
    },
    Control {
        number: 0x007302aa,
        name: "NV0073_CTRL_CMD_SPECIFIC_ACQUIRE_SHARED_GENERIC_PACKET",
        params: "NV0073_CTRL_SPECIFIC_ACQUIRE_SHARED_GENERIC_PACKET_PARAMS",
    },
    Control {
        number: 0x007302ab,
        name: "NV0073_CTRL_CMD_SPECIFIC_RELEASE_SHARED_GENERIC_PACKET",
        params: "NV0073_CTRL_SPECIFIC_RELEASE_SHARED_GENERIC_PACKET_PARAMS",
    },
    Control {
        number: 0x007302ac,
        name: "NV0073_CTRL_CMD_SPECIFIC_DISP_I2C_READ_WRITE",
        params: "NV0073_CTRL_SPECIFIC_DISP_I2C_READ_WRITE_PARAMS",
    },
    Control {
        number: 0x007302ad,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_VALID_HEAD_WINDOW_ASSIGNMENT",
        params: "NV0073_CTRL_SPECIFIC_GET_VALID_HEAD_WINDOW_ASSIGNMENT_PARAMS",
    },
    Control {
        number: 0x007302ae,
        name: "NV0073_CTRL_CMD_SPECIFIC_DEFAULT_ADAPTIVESYNC_DISPLAY",
        params: "NV0073_CTRL_SPECIFIC_DEFAULT_ADAPTIVESYNC_DISPLAY_PARAMS",
    },
    Control {
        number: 0x007302af,
        name: "NV0073_CTRL_CMD_SPECIFIC_GET_DISPLAY_BRIGHTNESS_LTM",
        params: "NV0073_CTRL_SPECIFIC_GET_DISPLAY_BRIGHTNESS_LTM_PARAMS",
    },
    Control {
        number: 0x007302b0,
        name: "NV0073_CTRL_CMD_SPECIFIC_SET_DISPLAY_BRIGHTNESS_LTM",
        params: "NV0073_CTRL_SPECIFIC_SET_DISPLAY_BRIGHTNESS_LTM_PARAMS",
    },
    Control {
        number: 0x007302b1,
        name: "NV0073_CTRL_CMD_GET_REGISTER_OFFSET_FOR_ULMB_TIMESTAMP",
        params: "NV0073_CTRL_GET_REGISTER_OFFSET_FOR_ULMB_TIMESTAMP_PARAMS",
    },
    Control {
        number: 0x00730301,
        name: "NV0073_CTRL_CMD_EVENT_SET_NOTIFICATION",
        params: "NV0073_CTRL_EVENT_SET_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0x00730401,
        name: "NV0073_CTRL_CMD_INTERNAL_GET_HOTPLUG_UNPLUG_STATE",
        params: "NV0073_CTRL_INTERNAL_GET_HOTPLUG_UNPLUG_STATE_PARAMS",
    },
    Control {
        number: 0x00730402,
        name: "NV0073_CTRL_CMD_INTERNAL_VRR_SET_RGLINE_ACTIVE",
        params: "NV0073_CTRL_CMD_INTERNAL_VRR_SET_RGLINE_ACTIVE_PARAMS",
    },
    Control {
        number: 0x00730404,
        name: "NV0073_CTRL_CMD_INTERNAL_DFP_GET_DISP_MUX_STATUS",
        params: "NV0073_CTRL_CMD_INTERNAL_DFP_GET_DISP_MUX_STATUS_PARAMS",
    },
    Control {
        number: 0x00730460,
        name: "NV0073_CTRL_CMD_INTERNAL_DFP_SWITCH_DISP_MUX",
        params: "NV0073_CTRL_CMD_INTERNAL_DFP_SWITCH_DISP_MUX_PARAMS",
    },
    Control {
        number: 0x00730502,
        name: "NV0073_CTRL_CMD_FRL_CONFIG_MACRO_PAD",
        params: "NV0073_CTRL_CMD_FRL_CONFIG_MACRO_PAD_PARAMS",
    },
    Control {
        number: 0x00731140,
        name: "NV0073_CTRL_CMD_DFP_GET_INFO",
        params: "NV0073_CTRL_DFP_GET_INFO_PARAMS",
    },
    Control {
        number: 0x00731142,
        name: "NV0073_CTRL_CMD_DFP_GET_DISPLAYPORT_DONGLE_INFO",
        params: "NV0073_CTRL_DFP_GET_DISPLAYPORT_DONGLE_INFO_PARAMS",
    },
    Control {
        number: 0x00731144,
        name: "NV0073_CTRL_CMD_DFP_SET_ELD_AUDIO_CAPS",
        params: "",
    },
    Control {
        number: 0x0073114c,
        name: "NV0073_CTRL_CMD_DFP_GET_SPREAD_SPECTRUM",
        params: "NV0073_CTRL_DFP_GET_SPREAD_SPECTRUM_PARAMS",
    },
    Control {
        number: 0x0073114e,
        name: "NV0073_CTRL_CMD_DFP_UPDATE_DYNAMIC_DFP_CACHE",
        params: "NV0073_CTRL_DFP_UPDATE_DYNAMIC_DFP_CACHE_PARAMS",
    },
    Control {
        number: 0x00731150,
        name: "NV0073_CTRL_CMD_DFP_SET_AUDIO_ENABLE",
        params: "NV0073_CTRL_DFP_SET_AUDIO_ENABLE_PARAMS",
    },
    Control {
        number: 0x00731152,
        name: "NV0073_CTRL_CMD_DFP_ASSIGN_SOR",
        params: "NV0073_CTRL_DFP_ASSIGN_SOR_PARAMS",
    },
    Control {
        number: 0x00731153,
        name: "NV0073_CTRL_CMD_DFP_GET_PADLINK_MASK",
        params: "NV0073_CTRL_DFP_GET_PADLINK_MASK_PARAMS",
    },
    Control {
        number: 0x00731154,
        name: "NV0073_CTRL_CMD_DFP_GET_LCD_GPIO_PIN_NUM",
        params: "NV0073_CTRL_DFP_GET_LCD_GPIO_PIN_NUM_PARAMS",
    },
    Control {
        number: 0x00731156,
        name: "NV0073_CTRL_CMD_DFP_CONFIG_TWO_HEAD_ONE_OR",
        params: "NV0073_CTRL_DFP_CONFIG_TWO_HEAD_ONE_OR_PARAMS",
    },
    Control {
        number: 0x00731157,
        name: "NV0073_CTRL_CMD_DFP_DSC_CRC_CONTROL",
        params: "NV0073_CTRL_DFP_DSC_CRC_CONTROL_PARAMS",
    },
    Control {
        number: 0x00731158,
        name: "NV0073_CTRL_CMD_DFP_INIT_MUX_DATA",
        params: "NV0073_CTRL_CMD_DFP_INIT_MUX_DATA_PARAMS",
    },
    Control {
        number: 0x00731160,
        name: "NV0073_CTRL_CMD_DFP_SWITCH_DISP_MUX",
        params: "NV0073_CTRL_CMD_DFP_SWITCH_DISP_MUX_PARAMS",
    },
    Control {
        number: 0x00731161,
        name: "NV0073_CTRL_CMD_DFP_RUN_PRE_DISP_MUX_OPERATIONS",
        params: "NV0073_CTRL_CMD_DFP_RUN_PRE_DISP_MUX_OPERATIONS_PARAMS",
    },
    Control {
        number: 0x00731162,
        name: "NV0073_CTRL_CMD_DFP_RUN_POST_DISP_MUX_OPERATIONS",
        params: "NV0073_CTRL_CMD_DFP_RUN_POST_DISP_MUX_OPERATIONS_PARAMS",
    },
    Control {
        number: 0x00731163,
        name: "NV0073_CTRL_CMD_DFP_GET_DISP_MUX_STATUS",
        params: "NV0073_CTRL_CMD_DFP_GET_DISP_MUX_STATUS_PARAMS",
    },
    Control {
        number: 0x00731166,
        name: "NV0073_CTRL_CMD_DFP_GET_DSI_MODE_TIMING",
        params: "NV0073_CTRL_CMD_DFP_GET_DSI_MODE_TIMING_PARAMS",
    },
    Control {
        number: 0x00731172,
        name: "NV0073_CTRL_CMD_DFP_GET_FIXED_MODE_TIMING",
        params: "NV0073_CTRL_DFP_GET_FIXED_MODE_TIMING_PARAMS",
    },
    Control {
        number: 0x00731174,
        name: "NV0073_CTRL_CMD_DFP_ENTER_DISPLAY_POWER_GATING",
        params: "NV0073_CTRL_CMD_DFP_ENTER_DISPLAY_POWER_GATING_PARAMS",
    },
    Control {
        number: 0x00731175,
        name: "NV0073_CTRL_CMD_DFP_EXIT_DISPLAY_POWER_GATING",
        params: "NV0073_CTRL_CMD_DFP_EXIT_DISPLAY_POWER_GATING_PARAMS",
    },
    Control {
        number: 0x00731176,
        name: "NV0073_CTRL_CMD_DFP_EDP_DRIVER_UNLOAD",
        params: "NV0073_CTRL_DFP_EDP_DRIVER_UNLOAD_PARAMS",
    },
    Control {
        number: 0x00731177,
        name: "NV0073_CTRL_CMD_SYSTEM_SET_REGION_RAM_RECTANGLES",
        params: "NV0073_CTRL_CMD_SYSTEM_SET_REGION_RAM_RECTANGLES_PARAMS",
    },
    Control {
        number: 0x00731178,
        name: "NV0073_CTRL_CMD_SYSTEM_CONFIGURE_SAFETY_INTERRUPTS",
        params: "NV0073_CTRL_CMD_SYSTEM_CONFIGURE_SAFETY_INTERRUPTS_PARAMS",
    },
    Control {
        number: 0x00731179,
        name: "NV0073_CTRL_CMD_DFP_SET_FORCE_BLACK_PIXELS",
        params: "NV0073_CTRL_DFP_SET_FORCE_BLACK_PIXELS_PARAMS",
    },
    Control {
        number: 0x00731180,
        name: "NV0073_CTRL_CMD_DFP_GET_DISP_PHY_INFO",
        params: "NV0073_CTRL_DFP_GET_DISP_PHY_INFO_PARAMS",
    },
    Control {
        number: 0x00731341,
        name: "NV0073_CTRL_CMD_DP_AUXCH_CTRL",
        params: "NV0073_CTRL_DP_AUXCH_CTRL_PARAMS",
    },
    Control {
        number: 0x00731343,
        name: "NV0073_CTRL_CMD_DP_CTRL",
        params: "NV0073_CTRL_DP_CTRL_PARAMS",
    },
    Control {
        number: 0x00731345,
        name: "NV0073_CTRL_CMD_DP_GET_LANE_DATA",
        params: "NV0073_CTRL_DP_GET_LANE_DATA_PARAMS",
    },
    Control {
        number: 0x00731346,
        name: "NV0073_CTRL_CMD_DP_SET_LANE_DATA",
        params: "NV0073_CTRL_DP_SET_LANE_DATA_PARAMS",
    },
    Control {
        number: 0x00731347,
        name: "NV0073_CTRL_CMD_DP_SET_TESTPATTERN",
        params: "NV0073_CTRL_DP_SET_TESTPATTERN_PARAMS",
    },
    Control {
        number: 0x00731348,
        name: "NV0073_CTRL_CMD_DP_GET_TESTPATTERN",
        params: "NV0073_CTRL_DP_GET_TESTPATTERN_PARAMS",
    },
    Control {
        number: 0x00731351,
        name: "NV0073_CTRL_CMD_DP_SET_PREEMPHASIS_DRIVECURRENT_POSTCURSOR2_DATA",
        params: "NV0073_CTRL_DP_SET_PREEMPHASIS_DRIVECURRENT_POSTCURSOR2_DATA_PARAMS",
    },
    Control {
        number: 0x00731352,
        name: "NV0073_CTRL_CMD_DP_GET_PREEMPHASIS_DRIVECURRENT_POSTCURSOR2_DATA",
        params: "NV0073_CTRL_DP_GET_PREEMPHASIS_DRIVECURRENT_POSTCURSOR2_DATA_PARAMS",
    },
    Control {
        number: 0x00731356,
        name: "NV0073_CTRL_CMD_DP_MAIN_LINK_CTRL",
        params: "NV0073_CTRL_DP_MAIN_LINK_CTRL_PARAMS",
    },
    Control {
        number: 0x00731359,
        name: "NV0073_CTRL_CMD_DP_SET_AUDIO_MUTESTREAM",
        params: "NV0073_CTRL_DP_SET_AUDIO_MUTESTREAM_PARAMS",
    },
    Control {
        number: 0x0073135a,
        name: "NV0073_CTRL_CMD_DP_ASSR_CTRL",
        params: "NV0073_CTRL_DP_ASSR_CTRL_PARAMS",
    },
    Control {
        number: 0x0073135b,
        name: "NV0073_CTRL_CMD_DP_TOPOLOGY_ALLOCATE_DISPLAYID",
        params: "NV0073_CTRL_CMD_DP_TOPOLOGY_ALLOCATE_DISPLAYID_PARAMS",
    },
    Control {
        number: 0x0073135c,
        name: "NV0073_CTRL_CMD_DP_TOPOLOGY_FREE_DISPLAYID",
        params: "NV0073_CTRL_CMD_DP_TOPOLOGY_FREE_DISPLAYID_PARAMS",
    },
    Control {
        number: 0x00731360,
        name: "NV0073_CTRL_CMD_DP_GET_LINK_CONFIG",
        params: "NV0073_CTRL_DP_GET_LINK_CONFIG_PARAMS",
    },
    Control {
        number: 0x00731361,
        name: "NV0073_CTRL_CMD_DP_GET_EDP_DATA",
        params: "NV0073_CTRL_DP_GET_EDP_DATA_PARAMS",
    },
    Control {
        number: 0x00731362,
        name: "NV0073_CTRL_CMD_DP_CONFIG_STREAM",
        params: "NV0073_CTRL_CMD_DP_CONFIG_STREAM_PARAMS",
    },
    Control {
        number: 0x00731363,
        name: "NV0073_CTRL_CMD_DP_SET_RATE_GOV",
        params: "NV0073_CTRL_CMD_DP_SET_RATE_GOV_PARAMS",
    },
    Control {
        number: 0x00731365,
        name: "NV0073_CTRL_CMD_DP_SET_MANUAL_DISPLAYPORT",
        params: "NV0073_CTRL_CMD_DP_SET_MANUAL_DISPLAYPORT_PARAMS",
    },
    Control {
        number: 0x00731366,
        name: "NV0073_CTRL_CMD_DP_SET_ECF",
        params: "NV0073_CTRL_CMD_DP_SET_ECF_PARAMS",
    },
    Control {
        number: 0x00731367,
        name: "NV0073_CTRL_CMD_DP_SEND_ACT",
        params: "NV0073_CTRL_CMD_DP_SEND_ACT_PARAMS",
    },
    Control {
        number: 0x00731369,
        name: "NV0073_CTRL_CMD_DP_GET_CAPS",
        params: "NV0073_CTRL_CMD_DP_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x0073136a,
        name: "NV0073_CTRL_CMD_DP_SET_MSA_PROPERTIES",
        params: "NV0073_CTRL_CMD_DP_SET_MSA_PROPERTIES_PARAMS",
    },
    Control {
        number: 0x0073136b,
        name: "NV0073_CTRL_CMD_DP_GENERATE_FAKE_INTERRUPT",
        params: "NV0073_CTRL_CMD_DP_GENERATE_FAKE_INTERRUPT_PARAMS",
    },
    Control {
        number: 0x0073136c,
        name: "NV0073_CTRL_CMD_DP_CONFIG_RAD_SCRATCH_REG",
        params: "NV0073_CTRL_CMD_DP_CONFIG_RAD_SCRATCH_REG_PARAMS",
    },
    Control {
        number: 0x0073136e,
        name: "NV0073_CTRL_CMD_DP_CONFIG_SINGLE_HEAD_MULTI_STREAM",
        params: "NV0073_CTRL_CMD_DP_CONFIG_SINGLE_HEAD_MULTI_STREAM_PARAMS",
    },
    Control {
        number: 0x0073136f,
        name: "NV0073_CTRL_CMD_DP_SET_TRIGGER_SELECT",
        params: "NV0073_CTRL_CMD_DP_SET_TRIGGER_SELECT_PARAMS",
    },
    Control {
        number: 0x00731370,
        name: "NV0073_CTRL_CMD_DP_SET_TRIGGER_ALL",
        params: "NV0073_CTRL_CMD_DP_SET_TRIGGER_ALL_PARAMS",
    },
    Control {
        number: 0x00731371,
        name: "NV0073_CTRL_CMD_DP_RETRIEVE_DP_RING_BUFFER",
        params: "NV0073_CTRL_CMD_DP_RETRIEVE_DP_RING_BUFFER_PARAMS",
    },
    Control {
        number: 0x00731373,
        name: "NV0073_CTRL_CMD_DP_GET_AUXLOGGER_BUFFER_DATA",
        params: "NV0073_CTRL_CMD_DP_GET_AUXLOGGER_BUFFER_DATA_PARAMS",
    },
    Control {
        number: 0x00731377,
        name: "NV0073_CTRL_CMD_DP_CONFIG_INDEXED_LINK_RATES",
        params: "NV0073_CTRL_CMD_DP_CONFIG_INDEXED_LINK_RATES_PARAMS",
    },
    Control {
        number: 0x00731378,
        name: "NV0073_CTRL_CMD_DP_SET_STEREO_MSA_PROPERTIES",
        params: "NV0073_CTRL_CMD_DP_SET_STEREO_MSA_PROPERTIES_PARAMS",
    },
    Control {
        number: 0x0073137a,
        name: "NV0073_CTRL_CMD_DP_CONFIGURE_FEC",
        params: "NV0073_CTRL_CMD_DP_CONFIGURE_FEC_PARAMS",
    },
    Control {
        number: 0x0073137b,
        name: "NV0073_CTRL_CMD_DP_CONFIG_MACRO_PAD",
        params: "NV0073_CTRL_CMD_DP_CONFIG_MACRO_PAD_PARAMS",
    },
    Control {
        number: 0x0073137c,
        name: "NV0073_CTRL_CMD_DP_AUXCH_I2C_TRANSFER_CTRL",
        params: "NV0073_CTRL_DP_AUXCH_I2C_TRANSFER_CTRL_PARAMS",
    },
    Control {
        number: 0x0073137d,
        name: "NV0073_CTRL_CMD_DP_ENABLE_VRR",
        params: "NV0073_CTRL_CMD_DP_ENABLE_VRR_PARAMS",
    },
    Control {
        number: 0x0073137e,
        name: "NV0073_CTRL_CMD_DP_GET_GENERIC_INFOFRAME",
        params: "NV0073_CTRL_DP_GET_GENERIC_INFOFRAME_PARAMS",
    },
    Control {
        number: 0x0073137f,
        name: "NV0073_CTRL_CMD_DP_GET_MSA_ATTRIBUTES",
        params: "NV0073_CTRL_DP_GET_MSA_ATTRIBUTES_PARAMS",
    },
    Control {
        number: 0x00731380,
        name: "NV0073_CTRL_CMD_DP_AUXCH_OD_CTRL",
        params: "NV0073_CTRL_CMD_DP_AUXCH_OD_CTRL_PARAMS",
    },
    Control {
        number: 0x00731381,
        name: "NV0073_CTRL_CMD_DP_SET_MSA_PROPERTIES_V2",
        params: "NV0073_CTRL_CMD_DP_SET_MSA_PROPERTIES_V2_PARAMS",
    },
    Control {
        number: 0x00731383,
        name: "NV0073_CTRL_CMD_DP2X_LINK_TRAINING_CTRL",
        params: "NV0073_CTRL_CMD_DP2X_LINK_TRAINING_CTRL_PARAMS",
    },
    Control {
        number: 0x00731384,
        name: "NV0073_CTRL_CMD_DP2X_GET_LANE_DATA",
        params: "NV0073_CTRL_DP2X_GET_LANE_DATA_PARAMS",
    },
    Control {
        number: 0x00731385,
        name: "NV0073_CTRL_CMD_DP2X_SET_LANE_DATA",
        params: "NV0073_CTRL_DP2X_SET_LANE_DATA_PARAMS",
    },
    Control {
        number: 0x00731386,
        name: "NV0073_CTRL_CMD_DP_AUXCH_VBL_CTRL",
        params: "NV0073_CTRL_CMD_DP_AUXCH_VBL_CTRL_PARAMS",
    },
    Control {
        number: 0x00731387,
        name: "NV0073_CTRL_CMD_DP_SET_LEVEL_INFO_TABLE_DATA",
        params: "NV0073_CTRL_DP_SET_LEVEL_INFO_TABLE_DATA_PARAMS",
    },
    Control {
        number: 0x00731388,
        name: "NV0073_CTRL_CMD_DP_GET_LEVEL_INFO_TABLE_DATA",
        params: "NV0073_CTRL_DP_GET_LEVEL_INFO_TABLE_DATA_PARAMS",
    },
    Control {
        number: 0x00731389,
        name: "NV0073_CTRL_CMD_DP2X_SET_LEVEL_INFO_TABLE_DATA",
        params: "NV0073_CTRL_DP2X_SET_LEVEL_INFO_TABLE_DATA_PARAMS",
    },
    Control {
        number: 0x0073138a,
        name: "NV0073_CTRL_CMD_DP2X_GET_LEVEL_INFO_TABLE_DATA",
        params: "NV0073_CTRL_DP2X_GET_LEVEL_INFO_TABLE_DATA_PARAMS",
    },
    Control {
        number: 0x0073138b,
        name: "NV0073_CTRL_CMD_DP_SET_PROP_FORCE_PCLK_FACTOR",
        params: "NV0073_CTRL_CMD_DP_SET_PROP_FORCE_PCLK_FACTOR_PARAMS",
    },
    Control {
        number: 0x0073138c,
        name: "NV0073_CTRL_CMD_CALCULATE_DP_IMP",
        params: "NV0073_CTRL_CMD_CALCULATE_DP_IMP_PARAMS",
    },
    Control {
        number: 0x0073138d,
        name: "NV0073_CTRL_CMD_DP_GET_CABLEID_INFO_FROM_MACRO",
        params: "",
    },
    Control {
        number: 0x0073138e,
        name: "NV0073_CTRL_CMD_STUFF_DUMMY_SYMBOL_WAR",
        params: "NV0073_CTRL_STUFF_DUMMY_SYMBOL_WAR_PARAMS",
    },
    Control {
        number: 0x00731602,
        name: "NV0073_CTRL_CMD_PSR_GET_SR_PANEL_INFO",
        params: "NV0073_CTRL_PSR_GET_SR_PANEL_INFO_PARAMS",
    },
    Control {
        number: 0x00731702,
        name: "NV0073_CTRL_CMD_STEREO_DONGLE_SUPPORTED",
        params: "NV0073_CTRL_STEREO_DONGLE_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x00731703,
        name: "NV0073_CTRL_CMD_STEREO_DONGLE_SET_TIMINGS",
        params: "NV0073_CTRL_STEREO_DONGLE_SET_TIMINGS_PARAMS",
    },
    Control {
        number: 0x00731704,
        name: "NV0073_CTRL_CMD_STEREO_DONGLE_ACTIVATE",
        params: "NV0073_CTRL_STEREO_DONGLE_ACTIVATE_PARAMS",
    },
    Control {
        number: 0x00731705,
        name: "NV0073_CTRL_CMD_STEREO_DONGLE_DEACTIVATE",
        params: "NV0073_CTRL_STEREO_DONGLE_DEACTIVATE_PARAMS",
    },
    Control {
        number: 0x00760101,
        name: "NV0076_CTRL_CMD_NOTIFY_CONSOLE_DISABLED",
        params: "",
    },
    Control {
        number: 0x00800102,
        name: "NV0080_CTRL_CMD_BIF_RESET",
        params: "NV0080_CTRL_BIF_RESET_PARAMS",
    },
    Control {
        number: 0x00800104,
        name: "NV0080_CTRL_CMD_BIF_SET_ASPM_FEATURE",
        params: "NV0080_CTRL_BIF_SET_ASPM_FEATURE_PARAMS",
    },
    Control {
        number: 0x00800105,
        name: "NV0080_CTRL_CMD_BIF_ASPM_CYA_UPDATE",
        params: "NV0080_CTRL_BIF_ASPM_CYA_UPDATE_PARAMS",
    },
    Control {
        number: 0x00800106,
        name: "NV0080_CTRL_CMD_BIF_GET_PCIE_POWER_CONTROL_MASK",
        params: "NV0080_CTRL_CMD_BIF_GET_PCIE_POWER_CONTROL_MASK_PARAMS",
    },
    Control {
        number: 0x00800201,
        name: "NV0080_CTRL_CMD_GPU_GET_CLASSLIST",
        params: "NV0080_CTRL_GPU_GET_CLASSLIST_PARAMS",
    },
    Control {
        number: 0x00800280,
        name: "NV0080_CTRL_CMD_GPU_GET_NUM_SUBDEVICES",
        params: "NV0080_CTRL_GPU_GET_NUM_SUBDEVICES_PARAMS",
    },
    Control {
        number: 0x00800281,
        name: "NV0080_CTRL_CMD_GPU_GET_VIDLINK_ORDER",
        params: "NV0080_CTRL_GPU_GET_VIDLINK_ORDER_PARAMS",
    },
    Control {
        number: 0x00800282,
        name: "NV0080_CTRL_CMD_GPU_SET_DISPLAY_OWNER",
        params: "NV0080_CTRL_GPU_SET_DISPLAY_OWNER_PARAMS",
    },
    Control {
        number: 0x00800283,
        name: "NV0080_CTRL_CMD_GPU_GET_DISPLAY_OWNER",
        params: "NV0080_CTRL_GPU_GET_DISPLAY_OWNER_PARAMS",
    },
    Control {
        number: 0x00800285,
        name: "NV0080_CTRL_CMD_GPU_SET_VIDLINK",
        params: "NV0080_CTRL_GPU_SET_VIDLINK_PARAMS",
    },
    Control {
        number: 0x00800287,
        name: "NV0080_CTRL_CMD_GPU_MODIFY_SW_STATE_PERSISTENCE",
        params: "NV0080_CTRL_GPU_MODIFY_SW_STATE_PERSISTENCE_PARAMS",
    },
    Control {
        number: 0x00800288,
        name: "NV0080_CTRL_CMD_GPU_QUERY_SW_STATE_PERSISTENCE",
        params: "NV0080_CTRL_GPU_QUERY_SW_STATE_PERSISTENCE_PARAMS",
    },
    Control {
        number: 0x00800289,
        name: "NV0080_CTRL_CMD_GPU_GET_VIRTUALIZATION_MODE",
        params: "NV0080_CTRL_GPU_GET_VIRTUALIZATION_MODE_PARAMS",
    },
    Control {
        number: 0x0080028c,
        name: "NV0080_CTRL_CMD_GPU_GET_SPARSE_TEXTURE_COMPUTE_MODE",
        params: "NV0080_CTRL_GPU_GET_SPARSE_TEXTURE_COMPUTE_MODE_PARAMS",
    },
    Control {
        number: 0x0080028d,
        name: "NV0080_CTRL_CMD_GPU_SET_SPARSE_TEXTURE_COMPUTE_MODE",
        params: "NV0080_CTRL_GPU_SET_SPARSE_TEXTURE_COMPUTE_MODE_PARAMS",
    },
    Control {
        number: 0x0080028e,
        name: "NV0080_CTRL_CMD_GPU_GET_VGX_CAPS",
        params: "NV0080_CTRL_GPU_GET_VGX_CAPS_PARAMS",
    },
    Control {
        number: 0x00800291,
        name: "NV0080_CTRL_CMD_GPU_GET_SRIOV_CAPS",
        params: "NV0080_CTRL_GPU_GET_SRIOV_CAPS_PARAMS",
    },
    Control {
        number: 0x00800292,
        name: "NV0080_CTRL_CMD_GPU_GET_CLASSLIST_V2",
        params: "NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS",
    },
    Control {
        number: 0x00800293,
        name: "NV0080_CTRL_CMD_GPU_FIND_SUBDEVICE_HANDLE",
        params: "",
    },
    Control {
        number: 0x00800294,
        name: "NV0080_CTRL_CMD_GPU_GET_BRAND_CAPS",
        params: "NV0080_CTRL_GPU_GET_BRAND_CAPS_PARAMS",
    },
    Control {
        number: 0x00800296,
        name: "NV0080_CTRL_GPU_SET_VGPU_VF_BAR1_SIZE",
        params: "NV0080_CTRL_GPU_SET_VGPU_VF_BAR1_SIZE_PARAMS",
    },
    Control {
        number: 0x00800297,
        name: "NV0080_CTRL_CMD_GPU_SET_VGPU_HETEROGENEOUS_MODE",
        params: "NV0080_CTRL_GPU_SET_VGPU_HETEROGENEOUS_MODE_PARAMS",
    },
    Control {
        number: 0x00800298,
        name: "NV0080_CTRL_CMD_GPU_GET_VGPU_HETEROGENEOUS_MODE",
        params: "NV0080_CTRL_GPU_GET_VGPU_HETEROGENEOUS_MODE_PARAMS",
    },
    Control {
        number: 0x00801102,
        name: "NV0080_CTRL_CMD_GR_GET_CAPS",
        params: "NV0080_CTRL_GR_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x00801104,
        name: "NV0080_CTRL_CMD_GR_GET_INFO",
        params: "NV0080_CTRL_GR_GET_INFO_PARAMS",
    },
    Control {
        number: 0x00801107,
        name: "NV0080_CTRL_CMD_GR_GET_TPC_PARTITION_MODE",
        params: "NV0080_CTRL_GR_GET_TPC_PARTITION_MODE_PARAMS",
    },
    Control {
        number: 0x00801108,
        name: "NV0080_CTRL_CMD_GR_SET_TPC_PARTITION_MODE",
        params: "NV0080_CTRL_GR_SET_TPC_PARTITION_MODE_PARAMS",
    },
    Control {
        number: 0x00801109,
        name: "NV0080_CTRL_CMD_GR_GET_CAPS_V2",
        params: "NV0080_CTRL_GR_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x00801110,
        name: "NV0080_CTRL_CMD_GR_GET_INFO_V2",
        params: "NV0080_CTRL_GR_GET_INFO_V2_PARAMS",
    },
    Control {
        number: 0x00801301,
        name: "NV0080_CTRL_CMD_FB_GET_CAPS",
        params: "NV0080_CTRL_FB_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x00801306,
        name: "NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO",
        params: "NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS",
    },
    Control {
        number: 0x00801307,
        name: "NV0080_CTRL_CMD_FB_GET_CAPS_V2",
        params: "NV0080_CTRL_FB_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x00801308,
        name: "NV0080_CTRL_CMD_FB_SET_DEFAULT_VIDMEM_PHYSICALITY",
        params: "NV0080_CTRL_FB_SET_DEFAULT_VIDMEM_PHYSICALITY_PARAMS",
    },
    Control {
        number: 0x00801401,
        name: "NV0080_CTRL_CMD_HOST_GET_CAPS",
        params: "NV0080_CTRL_HOST_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x00801402,
        name: "NV0080_CTRL_CMD_HOST_GET_CAPS_V2",
        params: "NV0080_CTRL_HOST_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x00801701,
        name: "NV0080_CTRL_CMD_FIFO_GET_CAPS",
        params: "NV0080_CTRL_FIFO_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x00801707,
        name: "NV0080_CTRL_CMD_FIFO_GET_ENGINE_CONTEXT_PROPERTIES",
        params: "NV0080_CTRL_FIFO_GET_ENGINE_CONTEXT_PROPERTIES_PARAMS",
    },
    Control {
        number: 0x0080170d,
        name: "NV0080_CTRL_CMD_FIFO_GET_CHANNELLIST",
        params: "NV0080_CTRL_FIFO_GET_CHANNELLIST_PARAMS",
    },
    Control {
        number: 0x0080170e,
        name: "NV0080_CTRL_CMD_FIFO_GET_LATENCY_BUFFER_SIZE",
        params: "NV0080_CTRL_FIFO_GET_LATENCY_BUFFER_SIZE_PARAMS",
    },
    Control {
        number: 0x0080170f,
        name: "NV0080_CTRL_CMD_FIFO_SET_CHANNEL_PROPERTIES",
        params: "NV0080_CTRL_FIFO_SET_CHANNEL_PROPERTIES_PARAMS",
    },
    Control {
        number: 0x00801711,
        name: "NV0080_CTRL_CMD_FIFO_STOP_RUNLIST",
        params: "NV0080_CTRL_FIFO_STOP_RUNLIST_PARAMS",
    },
    Control {
        number: 0x00801712,
        name: "NV0080_CTRL_CMD_FIFO_START_RUNLIST",
        params: "NV0080_CTRL_FIFO_START_RUNLIST_PARAMS",
    },
    Control {
        number: 0x00801713,
        name: "NV0080_CTRL_CMD_FIFO_GET_CAPS_V2",
        params: "NV0080_CTRL_FIFO_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x00801714,
        name: "NV0080_CTRL_CMD_FIFO_IDLE_CHANNELS",
        params: "NV0080_CTRL_FIFO_IDLE_CHANNELS_PARAMS",
    },
    Control {
        number: 0x00801801,
        name: "NV0080_CTRL_CMD_DMA_GET_PTE_INFO",
        params: "NV0080_CTRL_DMA_GET_PTE_INFO_PARAMS",
    },
    Control {
        number: 0x00801802,
        name: "NV0080_CTRL_CMD_DMA_FILL_PTE_MEM",
        params: "NV0080_CTRL_DMA_FILL_PTE_MEM_PARAMS",
    },
    Control {
        number: 0x00801805,
        name: "NV0080_CTRL_CMD_DMA_FLUSH",
        params: "NV0080_CTRL_DMA_FLUSH_PARAMS",
    },
    Control {
        number: 0x00801806,
        name: "NV0080_CTRL_CMD_DMA_ADV_SCHED_GET_VA_CAPS",
        params: "NV0080_CTRL_DMA_ADV_SCHED_GET_VA_CAPS_PARAMS",
    },
    Control {
        number: 0x00801809,
        name: "NV0080_CTRL_CMD_DMA_GET_PDE_INFO",
        params: "NV0080_CTRL_DMA_GET_PDE_INFO_PARAMS",
    },
    Control {
        number: 0x0080180a,
        name: "NV0080_CTRL_CMD_DMA_SET_PTE_INFO",
        params: "NV0080_CTRL_DMA_SET_PTE_INFO_PARAMS",
    },
    Control {
        number: 0x0080180c,
        name: "NV0080_CTRL_CMD_DMA_INVALIDATE_TLB",
        params: "NV0080_CTRL_DMA_INVALIDATE_TLB_PARAMS",
    },
    Control {
        number: 0x0080180d,
        name: "NV0080_CTRL_CMD_DMA_GET_CAPS",
        params: "NV0080_CTRL_DMA_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x0080180e,
        name: "NV0080_CTRL_CMD_DMA_SET_VA_SPACE_SIZE",
        params: "NV0080_CTRL_DMA_SET_VA_SPACE_SIZE_PARAMS",
    },
    Control {
        number: 0x0080180f,
        name: "NV0080_CTRL_CMD_DMA_UPDATE_PDE_2",
        params: "NV0080_CTRL_DMA_UPDATE_PDE_2_PARAMS",
    },
    Control {
        number: 0x00801810,
        name: "NV0080_CTRL_DMA_ENABLE_PRIVILEGED_RANGE",
        params: "NV0080_CTRL_DMA_ENABLE_PRIVILEGED_RANGE_PARAMS",
    },
    Control {
        number: 0x00801812,
        name: "NV0080_CTRL_DMA_SET_DEFAULT_VASPACE",
        params: "NV0080_CTRL_DMA_SET_DEFAULT_VASPACE_PARAMS",
    },
    Control {
        number: 0x00801813,
        name: "NV0080_CTRL_CMD_DMA_SET_PAGE_DIRECTORY",
        params: "NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS",
    },
    Control {
        number: 0x00801814,
        name: "NV0080_CTRL_CMD_DMA_UNSET_PAGE_DIRECTORY",
        params: "NV0080_CTRL_DMA_UNSET_PAGE_DIRECTORY_PARAMS",
    },
    Control {
        number: 0x00801909,
        name: "NV0080_CTRL_CMD_PERF_CUDA_LIMIT_SET_CONTROL",
        params: "",
    },
    Control {
        number: 0x00801b01,
        name: "NV0080_CTRL_CMD_MSENC_GET_CAPS",
        params: "NV0080_CTRL_MSENC_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x00801b02,
        name: "NV0080_CTRL_CMD_MSENC_GET_CAPS_V2",
        params: "NV0080_CTRL_MSENC_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x00801c01,
        name: "NV0080_CTRL_CMD_BSP_GET_CAPS",
        params: "NV0080_CTRL_BSP_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x00801c02,
        name: "NV0080_CTRL_CMD_BSP_GET_CAPS_V2",
        params: "",
    },
    Control {
        number: 0x00801e01,
        name: "NV0080_CTRL_CMD_OS_UNIX_VT_SWITCH",
        params: "NV0080_CTRL_OS_UNIX_VT_SWITCH_PARAMS",
    },
    Control {
        number: 0x00801e02,
        name: "NV0080_CTRL_CMD_OS_UNIX_VT_GET_FB_INFO",
        params: "NV0080_CTRL_OS_UNIX_VT_GET_FB_INFO_PARAMS",
    },
    Control {
        number: 0x00801f02,
        name: "NV0080_CTRL_CMD_NVJPG_GET_CAPS_V2",
        params: "NV0080_CTRL_NVJPG_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x00802002,
        name: "NV0080_CTRL_CMD_INTERNAL_GR_GET_TPC_PARTITION_MODE",
        params: "",
    },
    Control {
        number: 0x00802003,
        name: "NV0080_CTRL_CMD_INTERNAL_GR_SET_TPC_PARTITION_MODE",
        params: "",
    },
    Control {
        number: 0x00802004,
        name: "NV0080_CTRL_CMD_INTERNAL_PERF_CUDA_LIMIT_DISABLE",
        params: "",
    },
    Control {
        number: 0x00802007,
        name: "NV0080_CTRL_CMD_INTERNAL_PERF_SLI_GPU_BOOST_SYNC_SET_CONTROL",
        params: "",
    },
    Control {
        number: 0x00802008,
        name: "NV0080_CTRL_CMD_INTERNAL_FIFO_RC_AND_PERMANENTLY_DISABLE_CHANNELS",
        params: "NV0080_CTRL_INTERNAL_FIFO_RC_AND_PERMANENTLY_DISABLE_CHANNELS_PARAMS",
    },
    Control {
        number: 0x00802009,
        name: "NV0080_CTRL_CMD_INTERNAL_PERF_CUDA_LIMIT_SET_CONTROL",
        params: "",
    },
    Control {
        number: 0x0080200a,
        name: "NV0080_CTRL_CMD_INTERNAL_MEMSYS_SET_ZBC_REFERENCED",
        params: "NV0080_CTRL_INTERNAL_MEMSYS_SET_ZBC_REFERENCED_PARAMS",
    },
    Control {
        number: 0x00802046,
        name: "NV0080_CTRL_CMD_INTERNAL_KGR_INIT_BUG4208224_WAR",
        params: "NV0080_CTRL_INTERNAL_KGR_INIT_BUG4208224_WAR_PARAMS",
    },
    Control {
        number: 0x00900101,
        name: "NV0090_CTRL_CMD_SET_TPC_PARTITION_MODE",
        params: "",
    },
    Control {
        number: 0x00900102,
        name: "NV0090_CTRL_CMD_INTERNAL_SET_TPC_PARTITION_MODE",
        params: "",
    },
    Control {
        number: 0x00900103,
        name: "NV0090_CTRL_CMD_GET_TPC_PARTITION_MODE",
        params: "",
    },
    Control {
        number: 0x00900104,
        name: "NV0090_CTRL_CMD_INTERNAL_GET_TPC_PARTITION_MODE",
        params: "",
    },
    Control {
        number: 0x00900105,
        name: "NV0090_CTRL_CMD_GET_MMU_DEBUG_MODE",
        params: "NV0090_CTRL_GET_MMU_DEBUG_MODE_PARAMS",
    },
    Control {
        number: 0x00900106,
        name: "NV0090_CTRL_CMD_INTERNAL_GET_MMU_DEBUG_MODE",
        params: "",
    },
    Control {
        number: 0x00900107,
        name: "NV0090_CTRL_CMD_PROGRAM_VIDMEM_PROMOTE",
        params: "NV0090_CTRL_PROGRAM_VIDMEM_PROMOTE_PARAMS",
    },
    Control {
        number: 0x00900108,
        name: "NV0090_CTRL_CMD_INTERNAL_PROGRAM_VIDMEM_PROMOTE",
        params: "",
    },
    Control {
        number: 0x0090010b,
        name: "NV0090_CTRL_CMD_SET_LG_SECTOR_PROMOTION",
        params: "NV0090_CTRL_SET_LG_SECTOR_PROMOTION_PARAMS",
    },
    Control {
        number: 0x0090010c,
        name: "NV0090_CTRL_CMD_INTERNAL_SET_LG_SECTOR_PROMOTION",
        params: "",
    },
    Control {
        number: 0x00da0001,
        name: "NV_SEMAPHORE_SURFACE_CTRL_CMD_REF_MEMORY",
        params: "NV_SEMAPHORE_SURFACE_CTRL_REF_MEMORY_PARAMS",
    },
    Control {
        number: 0x00da0002,
        name: "NV_SEMAPHORE_SURFACE_CTRL_CMD_BIND_CHANNEL",
        params: "NV_SEMAPHORE_SURFACE_CTRL_BIND_CHANNEL_PARAMS",
    },
    Control {
        number: 0x00da0003,
        name: "NV_SEMAPHORE_SURFACE_CTRL_CMD_REGISTER_WAITER",
        params: "NV_SEMAPHORE_SURFACE_CTRL_REGISTER_WAITER_PARAMS",
    },
    Control {
        number: 0x00da0004,
        name: "NV_SEMAPHORE_SURFACE_CTRL_CMD_SET_VALUE",
        params: "NV_SEMAPHORE_SURFACE_CTRL_SET_VALUE_PARAMS",
    },
    Control {
        number: 0x00da0005,
        name: "NV_SEMAPHORE_SURFACE_CTRL_CMD_UNREGISTER_WAITER",
        params: "NV_SEMAPHORE_SURFACE_CTRL_UNREGISTER_WAITER_PARAMS",
    },
    Control {
        number: 0x00da0006,
        name: "NV_SEMAPHORE_SURFACE_CTRL_CMD_UNBIND_CHANNEL",
        params: "NV_SEMAPHORE_SURFACE_CTRL_UNBIND_CHANNEL_PARAMS",
    },
    Control {
        number: 0x00de0001,
        name: "NV00DE_CTRL_CMD_REQUEST_DATA_POLL",
        params: "NV00DE_CTRL_REQUEST_DATA_POLL_PARAMS",
    },
    Control {
        number: 0x00e00101,
        name: "NV00E0_CTRL_CMD_EXPORT_MEM",
        params: "NV00E0_CTRL_EXPORT_MEM_PARAMS",
    },
    Control {
        number: 0x00e00102,
        name: "NV00E0_CTRL_CMD_IMPORT_MEM",
        params: "NV00E0_CTRL_IMPORT_MEM_PARAMS",
    },
    Control {
        number: 0x00e00103,
        name: "NV00E0_CTRL_CMD_GET_INFO",
        params: "NV00E0_CTRL_GET_INFO_PARAMS",
    },
    Control {
        number: 0x00f10001,
        name: "NV00F1_CTRL_CMD_GET_FABRIC_EVENTS",
        params: "NV00F1_CTRL_GET_FABRIC_EVENTS_PARAMS",
    },
    Control {
        number: 0x00f10002,
        name: "NV00F1_CTRL_CMD_FINISH_MEM_UNIMPORT",
        params: "NV00F1_CTRL_FINISH_MEM_UNIMPORT_PARAMS",
    },
    Control {
        number: 0x00f10003,
        name: "NV00F1_CTRL_CMD_DISABLE_IMPORTERS",
        params: "NV00F1_CTRL_DISABLE_IMPORTERS_PARAMS",
    },
    Control {
        number: 0x00f80101,
        name: "NV00F8_CTRL_CMD_GET_INFO",
        params: "NV00F8_CTRL_GET_INFO_PARAMS",
    },
    Control {
        number: 0x00f80102,
        name: "NV00F8_CTRL_CMD_DESCRIBE",
        params: "NV00F8_CTRL_DESCRIBE_PARAMS",
    },
    Control {
        number: 0x00f80103,
        name: "NV00F8_CTRL_CMD_ATTACH_MEM",
        params: "NV00F8_CTRL_ATTACH_MEM_PARAMS",
    },
    Control {
        number: 0x00f80104,
        name: "NV00F8_CTRL_CMD_DETACH_MEM",
        params: "NV00F8_CTRL_DETACH_MEM_PARAMS",
    },
    Control {
        number: 0x00f80105,
        name: "NV00F8_CTRL_CMD_GET_NUM_ATTACHED_MEM",
        params: "NV00F8_CTRL_GET_NUM_ATTACHED_MEM_PARAMS",
    },
    Control {
        number: 0x00f80107,
        name: "NV00F8_CTRL_CMD_GET_PAGE_LEVEL_INFO",
        params: "NV00F8_CTRL_GET_PAGE_LEVEL_INFO_PARAMS",
    },
    Control {
        number: 0x00f90101,
        name: "NV00F9_CTRL_CMD_GET_INFO",
        params: "NV00F9_CTRL_GET_INFO_PARAMS",
    },
    Control {
        number: 0x00fb0101,
        name: "NV00FB_CTRL_CMD_VALIDATE",
        params: "NV00FB_CTRL_VALIDATE_PARAMS",
    },
    Control {
        number: 0x00fd0101,
        name: "NV00FD_CTRL_CMD_GET_INFO",
        params: "NV00FD_CTRL_GET_INFO_PARAMS",
    },
    Control {
        number: 0x00fd0102,
        name: "NV00FD_CTRL_CMD_ATTACH_MEM",
        params: "NV00FD_CTRL_ATTACH_MEM_PARAMS",
    },
    Control {
        number: 0x00fd0103,
        name: "NV00FD_CTRL_CMD_REGISTER_EVENT",
        params: "NV00FD_CTRL_REGISTER_EVENT_PARAMS",
    },
    Control {
        number: 0x00fd0104,
        name: "NV00FD_CTRL_CMD_ATTACH_GPU",
        params: "NV00FD_CTRL_ATTACH_GPU_PARAMS",
    },
    Control {
        number: 0x00fd0105,
        name: "NV00FD_CTRL_CMD_DETACH_MEM",
        params: "NV00FD_CTRL_DETACH_MEM_PARAMS",
    },
    Control {
        number: 0x00fd0106,
        name: "NV00FD_CTRL_CMD_ATTACH_REMOTE_GPU",
        params: "NV00FD_CTRL_ATTACH_REMOTE_GPU_PARAMS",
    },
    Control {
        number: 0x00fd0107,
        name: "NV00FD_CTRL_CMD_SET_FAILURE",
        params: "NV00FD_CTRL_SET_FAILURE_PARAMS",
    },
    Control {
        number: 0x00fe0101,
        name: "NV00FE_CTRL_CMD_SUBMIT_OPERATIONS",
        params: "NV00FE_CTRL_SUBMIT_OPERATIONS_PARAMS",
    },
    Control {
        number: 0x00fe0102,
        name: "NV00FE_CTRL_CMD_RESIZE_QUEUE",
        params: "NV00FE_CTRL_RESIZE_QUEUE_PARAMS",
    },
    Control {
        number: 0x01000101,
        name: "NV0100_CTRL_CMD_RESET_LOCK_STRESS_STATE",
        params: "",
    },
    Control {
        number: 0x01000102,
        name: "NV0100_CTRL_CMD_PERFORM_LOCK_STRESS_ALL_RM_LOCKS",
        params: "NV0100_CTRL_PERFORM_LOCK_STRESS_ALL_RM_LOCKS_PARAMS",
    },
    Control {
        number: 0x01000103,
        name: "NV0100_CTRL_CMD_PERFORM_LOCK_STRESS_NO_GPUS_LOCK",
        params: "NV0100_CTRL_PERFORM_LOCK_STRESS_NO_GPUS_LOCK_PARAMS",
    },
    Control {
        number: 0x01000104,
        name: "NV0100_CTRL_CMD_PERFORM_LOCK_STRESS_API_LOCK_READ_MODE",
        params: "NV0100_CTRL_PERFORM_LOCK_STRESS_API_LOCK_READ_MODE_PARAMS",
    },
    Control {
        number: 0x01000105,
        name: "NV0100_CTRL_CMD_PERFORM_LOCK_STRESS_NO_GPUS_LOCK_API_LOCK_READ_MODE",
        params: "NV0100_CTRL_PERFORM_LOCK_STRESS_NO_GPUS_LOCK_API_LOCK_READ_MODE_PARAMS",
    },
    Control {
        number: 0x01000106,
        name: "NV0100_CTRL_CMD_PERFORM_LOCK_STRESS_INTERNAL_ALL_RM_LOCKS",
        params: "NV0100_CTRL_PERFORM_LOCK_STRESS_INTERNAL_ALL_RM_LOCKS_PARAMS",
    },
    Control {
        number: 0x01000107,
        name: "NV0100_CTRL_CMD_PERFORM_LOCK_STRESS_INTERNAL_NO_GPUS_LOCK",
        params: "NV0100_CTRL_PERFORM_LOCK_STRESS_INTERNAL_NO_GPUS_LOCK_PARAMS",
    },
    Control {
        number: 0x01000108,
        name: "NV0100_CTRL_CMD_PERFORM_LOCK_STRESS_INTERNAL_API_LOCK_READ_MODE",
        params: "NV0100_CTRL_PERFORM_LOCK_STRESS_INTERNAL_API_LOCK_READ_MODE_PARAMS",
    },
    Control {
        number: 0x01000109,
        name: "NV0100_CTRL_CMD_PERFORM_LOCK_STRESS_INTERNAL_NO_GPUS_LOCK_API_LOCK_READ_MODE",
        params: "NV0100_CTRL_PERFORM_LOCK_STRESS_INTERNAL_NO_GPUS_LOCK_API_LOCK_READ_MODE_PARAMS",
    },
    Control {
        number: 0x0100010a,
        name: "NV0100_CTRL_CMD_GET_LOCK_STRESS_COUNTERS",
        params: "NV0100_CTRL_GET_LOCK_STRESS_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20800101,
        name: "NV2080_CTRL_CMD_GPU_GET_INFO",
        params: "NV2080_CTRL_GPU_GET_INFO_PARAMS",
    },
    Control {
        number: 0x20800102,
        name: "NV2080_CTRL_CMD_GPU_GET_INFO_V2",
        params: "NV2080_CTRL_GPU_GET_INFO_V2_PARAMS",
    },
    Control {
        number: 0x20800110,
        name: "NV2080_CTRL_CMD_GPU_GET_NAME_STRING",
        params: "NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS",
    },
    Control {
        number: 0x20800111,
        name: "NV2080_CTRL_CMD_GPU_GET_SHORT_NAME_STRING",
        params: "NV2080_CTRL_GPU_GET_SHORT_NAME_STRING_PARAMS",
    },
    Control {
        number: 0x20800112,
        name: "NV2080_CTRL_CMD_GPU_SET_POWER",
        params: "NV2080_CTRL_GPU_SET_POWER_PARAMS",
    },
    Control {
        number: 0x20800118,
        name: "NV2080_CTRL_CMD_GPU_GET_SDM",
        params: "NV2080_CTRL_GPU_GET_SDM_PARAMS",
    },
    Control {
        number: 0x20800119,
        name: "NV2080_CTRL_CMD_GPU_GET_SIMULATION_INFO",
        params: "NV2080_CTRL_GPU_GET_SIMULATION_INFO_PARAMS",
    },
    Control {
        number: 0x20800120,
        name: "NV2080_CTRL_CMD_GPU_SET_SDM",
        params: "NV2080_CTRL_GPU_SET_SDM_PARAMS",
    },
    Control {
        number: 0x20800122,
        name: "NV2080_CTRL_CMD_GPU_EXEC_REG_OPS",
        params: "NV2080_CTRL_GPU_EXEC_REG_OPS_PARAMS",
    },
    Control {
        number: 0x20800123,
        name: "NV2080_CTRL_CMD_GPU_GET_ENGINES",
        params: "NV2080_CTRL_GPU_GET_ENGINES_PARAMS",
    },
    Control {
        number: 0x20800124,
        name: "NV2080_CTRL_CMD_GPU_GET_ENGINE_CLASSLIST",
        params: "NV2080_CTRL_GPU_GET_ENGINE_CLASSLIST_PARAMS",
    },
    Control {
        number: 0x20800125,
        name: "NV2080_CTRL_CMD_GPU_GET_ENGINE_FAULT_INFO",
        params: "NV2080_CTRL_GPU_GET_ENGINE_FAULT_INFO_PARAMS",
    },
    Control {
        number: 0x20800128,
        name: "NV2080_CTRL_CMD_GPU_QUERY_MODE",
        params: "NV2080_CTRL_GPU_QUERY_MODE_PARAMS",
    },
    Control {
        number: 0x2080012b,
        name: "NV2080_CTRL_CMD_GPU_PROMOTE_CTX",
        params: "NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS",
    },
    Control {
        number: 0x2080012c,
        name: "NV2080_CTRL_CMD_GPU_EVICT_CTX",
        params: "NV2080_CTRL_GPU_EVICT_CTX_PARAMS",
    },
    Control {
        number: 0x2080012d,
        name: "NV2080_CTRL_CMD_GPU_INITIALIZE_CTX",
        params: "NV2080_CTRL_GPU_INITIALIZE_CTX_PARAMS",
    },
    Control {
        number: 0x2080012e,
        name: "NV2080_CTRL_CMD_GPU_QUERY_ECC_INTR",
        params: "NV2080_CTRL_GPU_QUERY_ECC_INTR_PARAMS",
    },
    Control {
        number: 0x2080012f,
        name: "NV2080_CTRL_CMD_GPU_QUERY_ECC_STATUS",
        params: "NV2080_CTRL_GPU_QUERY_ECC_STATUS_PARAMS",
    },
    Control {
        number: 0x20800130,
        name: "NV2080_CTRL_CMD_GPU_SET_COMPUTE_MODE_RULES",
        params: "NV2080_CTRL_GPU_SET_COMPUTE_MODE_RULES_PARAMS",
    },
    Control {
        number: 0x20800131,
        name: "NV2080_CTRL_CMD_GPU_QUERY_COMPUTE_MODE_RULES",
        params: "NV2080_CTRL_GPU_QUERY_COMPUTE_MODE_RULES_PARAMS",
    },
    Control {
        number: 0x20800133,
        name: "NV2080_CTRL_CMD_GPU_QUERY_ECC_CONFIGURATION",
        params: "NV2080_CTRL_GPU_QUERY_ECC_CONFIGURATION_PARAMS",
    },
    Control {
        number: 0x20800134,
        name: "NV2080_CTRL_CMD_GPU_SET_ECC_CONFIGURATION",
        params: "NV2080_CTRL_GPU_SET_ECC_CONFIGURATION_PARAMS",
    },
    Control {
        number: 0x20800136,
        name: "NV2080_CTRL_CMD_GPU_RESET_ECC_ERROR_STATUS",
        params: "NV2080_CTRL_GPU_RESET_ECC_ERROR_STATUS_PARAMS",
    },
    Control {
        number: 0x20800137,
        name: "NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO",
        params: "NV2080_CTRL_GPU_GET_FERMI_GPC_INFO_PARAMS",
    },
    Control {
        number: 0x20800138,
        name: "NV2080_CTRL_CMD_GPU_GET_FERMI_TPC_INFO",
        params: "NV2080_CTRL_GPU_GET_FERMI_TPC_INFO_PARAMS",
    },
    Control {
        number: 0x20800139,
        name: "NV2080_CTRL_CMD_GPU_GET_FERMI_ZCULL_INFO",
        params: "NV2080_CTRL_GPU_GET_FERMI_ZCULL_INFO_PARAMS",
    },
    Control {
        number: 0x2080013f,
        name: "NV2080_CTRL_CMD_GPU_GET_OEM_BOARD_INFO",
        params: "NV2080_CTRL_GPU_GET_OEM_BOARD_INFO_PARAMS",
    },
    Control {
        number: 0x20800142,
        name: "NV2080_CTRL_CMD_GPU_GET_ID",
        params: "NV2080_CTRL_GPU_GET_ID_PARAMS",
    },
    Control {
        number: 0x20800143,
        name: "NV2080_CTRL_CMD_GPU_SET_GPU_DEBUG_MODE",
        params: "NV2080_CTRL_GPU_SET_GPU_DEBUG_MODE_PARAMS",
    },
    Control {
        number: 0x20800144,
        name: "NV2080_CTRL_CMD_GPU_GET_GPU_DEBUG_MODE",
        params: "NV2080_CTRL_GPU_GET_GPU_DEBUG_MODE_PARAMS",
    },
    Control {
        number: 0x20800147,
        name: "NV2080_CTRL_CMD_GPU_GET_ENGINE_PARTNERLIST",
        params: "NV2080_CTRL_GPU_GET_ENGINE_PARTNERLIST_PARAMS",
    },
    Control {
        number: 0x2080014a,
        name: "NV2080_CTRL_CMD_GPU_GET_GID_INFO",
        params: "NV2080_CTRL_GPU_GET_GID_INFO_PARAMS",
    },
    Control {
        number: 0x2080014b,
        name: "NV2080_CTRL_CMD_GPU_GET_INFOROM_OBJECT_VERSION",
        params: "NV2080_CTRL_GPU_GET_INFOROM_OBJECT_VERSION_PARAMS",
    },
    Control {
        number: 0x2080014c,
        name: "NV2080_CTRL_CMD_SET_GPU_OPTIMUS_INFO",
        params: "",
    },
    Control {
        number: 0x2080014d,
        name: "NV2080_CTRL_CMD_GPU_GET_IP_VERSION",
        params: "NV2080_CTRL_GPU_GET_IP_VERSION_PARAMS",
    },
    Control {
        number: 0x20800153,
        name: "NV2080_CTRL_CMD_GPU_QUERY_ILLUM_SUPPORT",
        params: "NV2080_CTRL_CMD_GPU_QUERY_ILLUM_SUPPORT_PARAMS",
    },
    Control {
        number: 0x20800154,
        name: "NV2080_CTRL_CMD_GPU_GET_ILLUM",
        params: "NV2080_CTRL_GPU_GET_ILLUM_PARAMS",
    },
    Control {
        number: 0x20800155,
        name: "NV2080_CTRL_CMD_GPU_SET_ILLUM",
        params: "NV2080_CTRL_GPU_SET_ILLUM_PARAMS",
    },
    Control {
        number: 0x20800156,
        name: "NV2080_CTRL_CMD_GPU_GET_INFOROM_IMAGE_VERSION",
        params: "NV2080_CTRL_GPU_GET_INFOROM_IMAGE_VERSION_PARAMS",
    },
    Control {
        number: 0x20800157,
        name: "NV2080_CTRL_CMD_GPU_QUERY_INFOROM_ECC_SUPPORT",
        params: "",
    },
    Control {
        number: 0x2080015a,
        name: "NV2080_CTRL_CMD_GPU_GET_PHYSICAL_BRIDGE_VERSION_INFO",
        params: "NV2080_CTRL_GPU_GET_PHYSICAL_BRIDGE_VERSION_INFO_PARAMS",
    },
    Control {
        number: 0x2080015b,
        name: "NV2080_CTRL_CMD_GPU_GET_ALL_BRIDGES_UPSTREAM_OF_GPU",
        params: "NV2080_CTRL_GPU_GET_ALL_BRIDGES_UPSTREAM_OF_GPU_PARAMS",
    },
    Control {
        number: 0x2080015f,
        name: "NV2080_CTRL_CMD_GPU_QUERY_SCRUBBER_STATUS",
        params: "NV2080_CTRL_GPU_QUERY_SCRUBBER_STATUS_PARAMS",
    },
    Control {
        number: 0x20800160,
        name: "NV2080_CTRL_CMD_GPU_GET_VPR_CAPS",
        params: "NV2080_CTRL_GPU_GET_VPR_CAPS_PARAMS",
    },
    Control {
        number: 0x20800167,
        name: "NV2080_CTRL_CMD_GPU_HANDLE_GPU_SR",
        params: "",
    },
    Control {
        number: 0x20800168,
        name: "NV2080_CTRL_CMD_GPU_GET_PES_INFO",
        params: "NV2080_CTRL_GPU_GET_PES_INFO_PARAMS",
    },
    Control {
        number: 0x20800169,
        name: "NV2080_CTRL_CMD_GPU_GET_OEM_INFO",
        params: "NV2080_CTRL_GPU_GET_OEM_INFO_PARAMS",
    },
    Control {
        number: 0x2080016b,
        name: "NV2080_CTRL_CMD_GPU_GET_VPR_INFO",
        params: "NV2080_CTRL_GPU_GET_VPR_INFO_PARAMS",
    },
    Control {
        number: 0x2080016c,
        name: "NV2080_CTRL_CMD_GPU_GET_ENCODER_CAPACITY",
        params: "NV2080_CTRL_GPU_GET_ENCODER_CAPACITY_PARAMS",
    },
    Control {
        number: 0x2080016d,
        name: "NV2080_CTRL_GPU_GET_NVENC_SW_SESSION_STATS",
        params: "NV2080_CTRL_GPU_GET_NVENC_SW_SESSION_STATS_PARAMS",
    },
    Control {
        number: 0x2080016e,
        name: "NV2080_CTRL_GPU_GET_NVENC_SW_SESSION_INFO",
        params: "NV2080_CTRL_GPU_GET_NVENC_SW_SESSION_INFO_PARAMS",
    },
    Control {
        number: 0x2080016f,
        name: "NV2080_CTRL_CMD_GPU_SET_FABRIC_BASE_ADDR",
        params: "NV2080_CTRL_GPU_SET_FABRIC_BASE_ADDR_PARAMS",
    },
    Control {
        number: 0x20800170,
        name: "NV2080_CTRL_CMD_GPU_GET_ENGINES_V2",
        params: "NV2080_CTRL_GPU_GET_ENGINES_V2_PARAMS",
    },
    Control {
        number: 0x20800172,
        name: "NV2080_CTRL_CMD_GPU_VIRTUAL_INTERRUPT",
        params: "NV2080_CTRL_GPU_VIRTUAL_INTERRUPT_PARAMS",
    },
    Control {
        number: 0x20800173,
        name: "NV2080_CTRL_CMD_GPU_QUERY_FUNCTION_STATUS",
        params: "NV2080_CTRL_CMD_GPU_QUERY_FUNCTION_STATUS_PARAMS",
    },
    Control {
        number: 0x20800174,
        name: "NV2080_CTRL_CMD_GPU_SET_PARTITIONS",
        params: "NV2080_CTRL_GPU_SET_PARTITIONS_PARAMS",
    },
    Control {
        number: 0x20800175,
        name: "NV2080_CTRL_CMD_GPU_GET_PARTITIONS",
        params: "NV2080_CTRL_GPU_GET_PARTITIONS_PARAMS",
    },
    Control {
        number: 0x20800176,
        name: "NV2080_CTRL_CMD_GPU_CONFIGURE_PARTITION",
        params: "NV2080_CTRL_GPU_CONFIGURE_PARTITION_PARAMS",
    },
    Control {
        number: 0x20800177,
        name: "NV2080_CTRL_CMD_GPU_REPORT_NON_REPLAYABLE_FAULT",
        params: "NV2080_CTRL_GPU_REPORT_NON_REPLAYABLE_FAULT_PARAMS",
    },
    Control {
        number: 0x20800178,
        name: "NV2080_CTRL_CMD_GPU_EXEC_REG_OPS_VGPU",
        params: "NV2080_CTRL_GPU_EXEC_REG_OPS_VGPU_PARAMS",
    },
    Control {
        number: 0x20800179,
        name: "NV2080_CTRL_CMD_GPU_GET_ENGINE_RUNLIST_PRI_BASE",
        params: "NV2080_CTRL_GPU_GET_ENGINE_RUNLIST_PRI_BASE_PARAMS",
    },
    Control {
        number: 0x2080017a,
        name: "NV2080_CTRL_CMD_GPU_GET_HW_ENGINE_ID",
        params: "NV2080_CTRL_GPU_GET_HW_ENGINE_ID_PARAMS",
    },
    Control {
        number: 0x2080017b,
        name: "NV2080_CTRL_GPU_GET_NVFBC_SW_SESSION_STATS",
        params: "NV2080_CTRL_GPU_GET_NVFBC_SW_SESSION_STATS_PARAMS",
    },
    Control {
        number: 0x2080017c,
        name: "NV2080_CTRL_GPU_GET_NVFBC_SW_SESSION_INFO",
        params: "NV2080_CTRL_GPU_GET_NVFBC_SW_SESSION_INFO_PARAMS",
    },
    Control {
        number: 0x2080017e,
        name: "NV2080_CTRL_CMD_GPU_GET_VMMU_SEGMENT_SIZE",
        params: "NV2080_CTRL_GPU_GET_VMMU_SEGMENT_SIZE_PARAMS",
    },
    Control {
        number: 0x20800181,
        name: "NV2080_CTRL_CMD_GPU_GET_PARTITION_CAPACITY",
        params: "NV2080_CTRL_GPU_GET_PARTITION_CAPACITY_PARAMS",
    },
    Control {
        number: 0x20800182,
        name: "NV2080_CTRL_CMD_GPU_GET_CACHED_INFO",
        params: "NV2080_CTRL_GPU_GET_CACHED_INFO_PARAMS",
    },
    Control {
        number: 0x20800183,
        name: "NV2080_CTRL_CMD_GPU_SET_PARTITIONING_MODE",
        params: "NV2080_CTRL_GPU_SET_PARTITIONING_MODE_PARAMS",
    },
    Control {
        number: 0x20800185,
        name: "NV2080_CTRL_CMD_GPU_DESCRIBE_PARTITIONS",
        params: "NV2080_CTRL_GPU_DESCRIBE_PARTITIONS_PARAMS",
    },
    Control {
        number: 0x20800188,
        name: "NV2080_CTRL_CMD_GPU_GET_MAX_SUPPORTED_PAGE_SIZE",
        params: "NV2080_CTRL_GPU_GET_MAX_SUPPORTED_PAGE_SIZE_PARAMS",
    },
    Control {
        number: 0x2080018a,
        name: "NV2080_CTRL_CMD_GPU_GET_NUM_MMUS_PER_GPC",
        params: "NV2080_CTRL_GPU_GET_NUM_MMUS_PER_GPC_PARAMS",
    },
    Control {
        number: 0x2080018b,
        name: "NV2080_CTRL_CMD_GPU_GET_ACTIVE_PARTITION_IDS",
        params: "NV2080_CTRL_GPU_GET_ACTIVE_PARTITION_IDS_PARAMS",
    },
    Control {
        number: 0x2080018d,
        name: "NV2080_CTRL_CMD_GPU_GET_PIDS",
        params: "NV2080_CTRL_GPU_GET_PIDS_PARAMS",
    },
    Control {
        number: 0x2080018e,
        name: "NV2080_CTRL_CMD_GPU_GET_PID_INFO",
        params: "NV2080_CTRL_GPU_GET_PID_INFO_PARAMS",
    },
    Control {
        number: 0x20800192,
        name: "NV2080_CTRL_CMD_GPU_HANDLE_VF_PRI_FAULT",
        params: "NV2080_CTRL_CMD_GPU_HANDLE_VF_PRI_FAULT_PARAMS",
    },
    Control {
        number: 0x20800195,
        name: "NV2080_CTRL_CMD_GPU_GET_COMPUTE_POLICY_CONFIG",
        params: "NV2080_CTRL_GPU_GET_COMPUTE_POLICY_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800196,
        name: "NV2080_CTRL_CMD_GPU_GET_GFID",
        params: "NV2080_CTRL_GPU_GET_GFID_PARAMS",
    },
    Control {
        number: 0x20800197,
        name: "NV2080_CTRL_CMD_GPU_UPDATE_GFID_P2P_CAPABILITY",
        params: "NV2080_CTRL_CMD_GPU_UPDATE_GFID_P2P_CAPABILITY_PARAMS",
    },
    Control {
        number: 0x20800198,
        name: "NV2080_CTRL_CMD_GPU_VALIDATE_MEM_MAP_REQUEST",
        params: "NV2080_CTRL_GPU_VALIDATE_MEM_MAP_REQUEST_PARAMS",
    },
    Control {
        number: 0x2080019b,
        name: "NV2080_CTRL_CMD_GPU_GET_ENGINE_LOAD_TIMES",
        params: "NV2080_CTRL_GPU_GET_ENGINE_LOAD_TIMES_PARAMS",
    },
    Control {
        number: 0x2080019c,
        name: "NV2080_CTRL_CMD_GPU_GET_ID_NAME_MAPPING",
        params: "NV2080_CTRL_GPU_GET_ID_NAME_MAPPING_PARAMS",
    },
    Control {
        number: 0x2080019d,
        name: "NV2080_CTRL_CMD_GPU_EXEC_REG_OPS_NOPTRS",
        params: "NV2080_CTRL_GPU_EXEC_REG_OPS_NOPTRS_PARAMS",
    },
    Control {
        number: 0x2080019f,
        name: "NV2080_CTRL_CMD_GPU_GET_SKYLINE_INFO",
        params: "NV2080_CTRL_GPU_GET_SKYLINE_INFO_PARAMS",
    },
    Control {
        number: 0x208001a0,
        name: "NV2080_CTRL_CMD_GET_P2P_CAPS",
        params: "NV2080_CTRL_GET_P2P_CAPS_PARAMS",
    },
    Control {
        number: 0x208001a2,
        name: "NV2080_CTRL_CMD_GPU_GET_COMPUTE_PROFILES",
        params: "NV2080_CTRL_GPU_GET_COMPUTE_PROFILES_PARAMS",
    },
    Control {
        number: 0x208001a3,
        name: "NV2080_CTRL_CMD_GET_GPU_FABRIC_PROBE_INFO",
        params: "NV2080_CTRL_CMD_GET_GPU_FABRIC_PROBE_INFO_PARAMS",
    },
    Control {
        number: 0x208001a4,
        name: "NV2080_CTRL_CMD_GPU_GET_CHIP_DETAILS",
        params: "NV2080_CTRL_GPU_GET_CHIP_DETAILS_PARAMS",
    },
    Control {
        number: 0x208001a5,
        name: "NV2080_CTRL_CMD_GPU_MOVE_RUNLISTS_ALLOCATION_TO_SUBHEAP",
        params: "NV2080_CTRL_GPU_MOVE_RUNLISTS_ALLOCATION_TO_SUBHEAP_PARAMS",
    },
    Control {
        number: 0x208001a6,
        name: "NV2080_CTRL_CMD_GPU_MIGRATABLE_OPS",
        params: "NV2080_CTRL_GPU_MIGRATABLE_OPS_PARAMS",
    },
    Control {
        number: 0x208001a7,
        name: "NV2080_CTRL_CMD_GPU_MIGRATABLE_OPS_GSP",
        params: "NV2080_CTRL_GPU_MIGRATABLE_OPS_GSP_PARAMS",
    },
    Control {
        number: 0x208001a8,
        name: "NV2080_CTRL_CMD_GPU_MIGRATABLE_OPS_VGPU",
        params: "NV2080_CTRL_GPU_MIGRATABLE_OPS_VGPU_PARAMS",
    },
    Control {
        number: 0x208001a9,
        name: "NV2080_CTRL_CMD_GPU_MARK_DEVICE_FOR_RESET",
        params: "",
    },
    Control {
        number: 0x208001aa,
        name: "NV2080_CTRL_CMD_GPU_UNMARK_DEVICE_FOR_RESET",
        params: "",
    },
    Control {
        number: 0x208001ab,
        name: "NV2080_CTRL_CMD_GPU_GET_RESET_STATUS",
        params: "NV2080_CTRL_GPU_GET_RESET_STATUS_PARAMS",
    },
    Control {
        number: 0x208001ac,
        name: "NV2080_CTRL_CMD_GPU_MARK_DEVICE_FOR_DRAIN_AND_RESET",
        params: "",
    },
    Control {
        number: 0x208001ad,
        name: "NV2080_CTRL_CMD_GPU_UNMARK_DEVICE_FOR_DRAIN_AND_RESET",
        params: "",
    },
    Control {
        number: 0x208001ae,
        name: "NV2080_CTRL_CMD_GPU_GET_DRAIN_AND_RESET_STATUS",
        params: "NV2080_CTRL_GPU_GET_DRAIN_AND_RESET_STATUS_PARAMS",
    },
    Control {
        number: 0x208001af,
        name: "NV2080_CTRL_GPU_GET_NVENC_SW_SESSION_INFO_V2",
        params: "NV2080_CTRL_GPU_GET_NVENC_SW_SESSION_INFO_V2_PARAMS",
    },
    Control {
        number: 0x208001b0,
        name: "NV2080_CTRL_CMD_GPU_GET_CONSTRUCTED_FALCON_INFO",
        params: "NV2080_CTRL_GPU_GET_CONSTRUCTED_FALCON_INFO_PARAMS",
    },
    Control {
        number: 0x208001b1,
        name: "NV2080_CTRL_CMD_GPU_GET_VF_CAPS",
        params: "NV2080_CTRL_GPU_GET_VF_CAPS_PARAMS",
    },
    Control {
        number: 0x208001b2,
        name: "NV2080_CTRL_CMD_GPU_GET_RECOVERY_ACTION",
        params: "NV2080_CTRL_GPU_GET_RECOVERY_ACTION_PARAMS",
    },
    Control {
        number: 0x208001b3,
        name: "NV2080_CTRL_GPU_GET_RAFTS_FS_MASK",
        params: "NV2080_CTRL_GPU_GET_RAFTS_FS_MASK_PARAMS",
    },
    Control {
        number: 0x208001e3,
        name: "NV2080_CTRL_CMD_INTERNAL_CONTROL_GSP_TRACE",
        params: "NV2080_CTRL_CMD_INTERNAL_CONTROL_GSP_TRACE_PARAMS",
    },
    Control {
        number: 0x208001e4,
        name: "NV2080_CTRL_GPU_GET_FIPS_STATUS",
        params: "NV2080_CTRL_GPU_GET_FIPS_STATUS_PARAMS",
    },
    Control {
        number: 0x208001e5,
        name: "NV2080_CTRL_CMD_GPU_GET_COMPUTE_PROFILE_CAPACITY",
        params: "NV2080_CTRL_GPU_GET_COMPUTE_PROFILE_CAPACITY_PARAMS",
    },
    Control {
        number: 0x208001e6,
        name: "NV2080_CTRL_CMD_GPU_GET_FIRST_ASYNC_CE_IDX",
        params: "NV2080_CTRL_GPU_GET_FIRST_ASYNC_CE_IDX_PARAMS",
    },
    Control {
        number: 0x208001e7,
        name: "NV2080_CTRL_CMD_GPU_GET_TPC_RECONFIG_MASK",
        params: "NV2080_CTRL_GPU_GET_TPC_RECONFIG_MASK_PARAMS",
    },
    Control {
        number: 0x208001e8,
        name: "NV2080_CTRL_CMD_GPU_RPC_GSP_TEST",
        params: "NV2080_CTRL_GPU_RPC_GSP_TEST_PARAMS",
    },
    Control {
        number: 0x208001e9,
        name: "NV2080_CTRL_CMD_GPU_RPC_GSP_QUERY_SIZES",
        params: "NV2080_CTRL_GPU_RPC_GSP_QUERY_SIZES_PARAMS",
    },
    Control {
        number: 0x208001eb,
        name: "NV2080_CTRL_CMD_GPU_FORCE_GSP_UNLOAD",
        params: "NV2080_CTRL_GPU_FORCE_GSP_UNLOAD_PARAMS",
    },
    Control {
        number: 0x208001f4,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_GET_FABRIC_PROBE_INFO",
        params: "",
    },
    Control {
        number: 0x208001f5,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_START_FABRIC_PROBE",
        params: "",
    },
    Control {
        number: 0x208001f6,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_STOP_FABRIC_PROBE",
        params: "",
    },
    Control {
        number: 0x208001f7,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_SUSPEND_FABRIC_PROBE",
        params: "",
    },
    Control {
        number: 0x208001f8,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_RESUME_FABRIC_PROBE",
        params: "",
    },
    Control {
        number: 0x208001f9,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_INVALIDATE_FABRIC_PROBE",
        params: "",
    },
    Control {
        number: 0x20800301,
        name: "NV2080_CTRL_CMD_EVENT_SET_NOTIFICATION",
        params: "NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0x20800302,
        name: "NV2080_CTRL_CMD_EVENT_SET_TRIGGER",
        params: "",
    },
    Control {
        number: 0x20800303,
        name: "NV2080_CTRL_CMD_EVENT_SET_MEMORY_NOTIFIES",
        params: "NV2080_CTRL_EVENT_SET_MEMORY_NOTIFIES_PARAMS",
    },
    Control {
        number: 0x20800304,
        name: "NV2080_CTRL_CMD_EVENT_SET_SEMAPHORE_MEMORY",
        params: "NV2080_CTRL_EVENT_SET_SEMAPHORE_MEMORY_PARAMS",
    },
    Control {
        number: 0x20800305,
        name: "NV2080_CTRL_CMD_EVENT_SET_GUEST_MSI",
        params: "NV2080_CTRL_EVENT_SET_GUEST_MSI_PARAMS",
    },
    Control {
        number: 0x20800306,
        name: "NV2080_CTRL_CMD_EVENT_SET_SEMA_MEM_VALIDATION",
        params: "NV2080_CTRL_EVENT_SET_SEMA_MEM_VALIDATION_PARAMS",
    },
    Control {
        number: 0x20800308,
        name: "NV2080_CTRL_CMD_EVENT_SET_TRIGGER_FIFO",
        params: "NV2080_CTRL_EVENT_SET_TRIGGER_FIFO_PARAMS",
    },
    Control {
        number: 0x20800309,
        name: "NV2080_CTRL_CMD_EVENT_VIDEO_BIND_EVTBUF",
        params: "NV2080_CTRL_EVENT_VIDEO_BIND_EVTBUF_PARAMS",
    },
    Control {
        number: 0x2080030a,
        name: "NV2080_CTRL_CMD_EVENT_RATS_GSP_TRACE_BIND_EVTBUF",
        params: "NV2080_CTRL_EVENT_RATS_GSP_TRACE_BIND_EVTBUF_PARAMS",
    },
    Control {
        number: 0x20800401,
        name: "NV2080_CTRL_CMD_TIMER_SCHEDULE",
        params: "NV2080_CTRL_CMD_TIMER_SCHEDULE_PARAMS",
    },
    Control {
        number: 0x20800402,
        name: "NV2080_CTRL_CMD_TIMER_CANCEL",
        params: "",
    },
    Control {
        number: 0x20800403,
        name: "NV2080_CTRL_CMD_TIMER_GET_TIME",
        params: "NV2080_CTRL_TIMER_GET_TIME_PARAMS",
    },
    Control {
        number: 0x20800404,
        name: "NV2080_CTRL_CMD_TIMER_GET_REGISTER_OFFSET",
        params: "NV2080_CTRL_TIMER_GET_REGISTER_OFFSET_PARAMS",
    },
    Control {
        number: 0x20800406,
        name: "NV2080_CTRL_CMD_TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO",
        params: "NV2080_CTRL_TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO_PARAMS",
    },
    Control {
        number: 0x20800407,
        name: "NV2080_CTRL_CMD_TIMER_SET_GR_TICK_FREQ",
        params: "NV2080_CTRL_CMD_TIMER_SET_GR_TICK_FREQ_PARAMS",
    },
    Control {
        number: 0x20800513,
        name: "NV2080_CTRL_CMD_THERMAL_SYSTEM_EXECUTE_V2",
        params: "NV2080_CTRL_THERMAL_SYSTEM_EXECUTE_V2_PARAMS",
    },
    Control {
        number: 0x20800601,
        name: "NV2080_CTRL_CMD_I2C_READ_BUFFER",
        params: "NV2080_CTRL_I2C_READ_BUFFER_PARAMS",
    },
    Control {
        number: 0x20800602,
        name: "NV2080_CTRL_CMD_I2C_WRITE_BUFFER",
        params: "NV2080_CTRL_I2C_WRITE_BUFFER_PARAMS",
    },
    Control {
        number: 0x20800603,
        name: "NV2080_CTRL_CMD_I2C_READ_REG",
        params: "NV2080_CTRL_I2C_READ_REG_PARAMS",
    },
    Control {
        number: 0x20800604,
        name: "NV2080_CTRL_CMD_I2C_WRITE_REG",
        params: "NV2080_CTRL_I2C_WRITE_REG_PARAMS",
    },
    Control {
        number: 0x20800610,
        name: "NV2080_CTRL_CMD_I2C_ACCESS",
        params: "NV2080_CTRL_I2C_ACCESS_PARAMS",
    },
    Control {
        number: 0x20800620,
        name: "NV2080_CTRL_CMD_I2C_ENABLE_MONITOR_3D_MODE",
        params: "NV2080_CTRL_I2C_ENABLE_MONITOR_3D_MODE_PARAMS",
    },
    Control {
        number: 0x20800802,
        name: "NV2080_CTRL_CMD_BIOS_GET_INFO",
        params: "NV2080_CTRL_BIOS_GET_INFO_PARAMS",
    },
    Control {
        number: 0x20800803,
        name: "NV2080_CTRL_CMD_BIOS_GET_NBSI",
        params: "NV2080_CTRL_BIOS_GET_NBSI_PARAMS",
    },
    Control {
        number: 0x20800806,
        name: "NV2080_CTRL_CMD_BIOS_GET_NBSI_OBJ",
        params: "NV2080_CTRL_BIOS_GET_NBSI_OBJ_PARAMS",
    },
    Control {
        number: 0x20800808,
        name: "NV2080_CTRL_CMD_BIOS_GET_SKU_INFO",
        params: "NV2080_CTRL_BIOS_GET_SKU_INFO_PARAMS",
    },
    Control {
        number: 0x20800809,
        name: "NV2080_CTRL_CMD_BIOS_GET_POST_TIME",
        params: "NV2080_CTRL_CMD_BIOS_GET_POST_TIME_PARAMS",
    },
    Control {
        number: 0x2080080b,
        name: "NV2080_CTRL_CMD_BIOS_GET_UEFI_SUPPORT",
        params: "NV2080_CTRL_BIOS_GET_UEFI_SUPPORT_PARAMS",
    },
    Control {
        number: 0x2080080e,
        name: "NV2080_CTRL_CMD_BIOS_GET_NBSI_V2",
        params: "NV2080_CTRL_BIOS_GET_NBSI_V2_PARAMS",
    },
    Control {
        number: 0x20800810,
        name: "NV2080_CTRL_CMD_BIOS_GET_INFO_V2",
        params: "NV2080_CTRL_BIOS_GET_INFO_V2_PARAMS",
    },
    Control {
        number: 0x20800a01,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_GET_STATIC_INFO",
        params: "NV2080_CTRL_INTERNAL_DISPLAY_GET_STATIC_INFO_PARAMS",
    },
    Control {
        number: 0x20800a14,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_GET_RASTER_SYNC_DECODE_MODE",
        params: "NV2080_CTRL_INTERNAL_GSYNC_GET_RASTER_SYNC_DECODE_MODE_PARAMS",
    },
    Control {
        number: 0x20800a1c,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_GET_STATIC_CONFIG",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_GET_STATIC_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800a1d,
        name: "NV2080_CTRL_CMD_INTERNAL_UVM_REGISTER_ACCESS_CNTR_BUFFER",
        params: "NV2080_CTRL_INTERNAL_UVM_REGISTER_ACCESS_CNTR_BUFFER_PARAMS",
    },
    Control {
        number: 0x20800a1e,
        name: "NV2080_CTRL_CMD_INTERNAL_UVM_UNREGISTER_ACCESS_CNTR_BUFFER",
        params: "NV2080_CTRL_INTERNAL_UVM_UNREGISTER_ACCESS_CNTR_BUFFER_PARAMS",
    },
    Control {
        number: 0x20800a1f,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_CAPS",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x20800a21,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_ENABLE_NVLINK_PEER",
        params: "NV2080_CTRL_INTERNAL_NVLINK_ENABLE_NVLINK_PEER_PARAMS",
    },
    Control {
        number: 0x20800a22,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_GLOBAL_SM_ORDER",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_GLOBAL_SM_ORDER_PARAMS",
    },
    Control {
        number: 0x20800a24,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_CORE_CALLBACK",
        params: "NV2080_CTRL_INTERNAL_NVLINK_CORE_CALLBACK_PARAMS",
    },
    Control {
        number: 0x20800a25,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_UPDATE_REMOTE_LOCAL_SID",
        params: "NV2080_CTRL_INTERNAL_NVLINK_UPDATE_REMOTE_LOCAL_SID_PARAMS",
    },
    Control {
        number: 0x20800a26,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_FLOORSWEEPING_MASKS",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_FLOORSWEEPING_MASKS_PARAMS",
    },
    Control {
        number: 0x20800a28,
        name: "NV2080_CTRL_CMD_KGR_GET_CTX_BUFFER_PTES",
        params: "NV2080_CTRL_KGR_GET_CTX_BUFFER_PTES_PARAMS",
    },
    Control {
        number: 0x20800a29,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_GET_ALI_ENABLED",
        params: "NV2080_CTRL_INTERNAL_NVLINK_GET_ALI_ENABLED_PARAMS",
    },
    Control {
        number: 0x20800a2a,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_INFO",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_INFO_PARAMS",
    },
    Control {
        number: 0x20800a2c,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_ZCULL_INFO",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_ZCULL_INFO_PARAMS",
    },
    Control {
        number: 0x20800a2e,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_ROP_INFO",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_ROP_INFO_PARAMS",
    },
    Control {
        number: 0x20800a30,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_PPC_MASKS",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_PPC_MASKS_PARAMS",
    },
    Control {
        number: 0x20800a32,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO_PARAMS",
    },
    Control {
        number: 0x20800a34,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_SM_ISSUE_RATE_MODIFIER",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_SM_ISSUE_RATE_MODIFIER_PARAMS",
    },
    Control {
        number: 0x20800a36,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_GET_CHIP_INFO",
        params: "NV2080_CTRL_INTERNAL_GPU_GET_CHIP_INFO_PARAMS",
    },
    Control {
        number: 0x20800a37,
        name: "NV2080_CTRL_CMD_INTERNAL_GR_SET_FECS_TRACE_HW_ENABLE",
        params: "NV2080_CTRL_INTERNAL_GR_SET_FECS_TRACE_HW_ENABLE_PARAMS",
    },
    Control {
        number: 0x20800a38,
        name: "NV2080_CTRL_CMD_INTERNAL_GR_GET_FECS_TRACE_HW_ENABLE",
        params: "NV2080_CTRL_INTERNAL_GR_GET_FECS_TRACE_HW_ENABLE_PARAMS",
    },
    Control {
        number: 0x20800a39,
        name: "NV2080_CTRL_CMD_INTERNAL_GR_SET_FECS_TRACE_RD_OFFSET",
        params: "NV2080_CTRL_INTERNAL_GR_SET_FECS_TRACE_RD_OFFSET_PARAMS",
    },
    Control {
        number: 0x20800a3a,
        name: "NV2080_CTRL_CMD_INTERNAL_GR_SET_FECS_TRACE_WR_OFFSET",
        params: "NV2080_CTRL_INTERNAL_GR_SET_FECS_TRACE_WR_OFFSET_PARAMS",
    },
    Control {
        number: 0x20800a3b,
        name: "NV2080_CTRL_CMD_INTERNAL_GR_GET_FECS_TRACE_RD_OFFSET",
        params: "NV2080_CTRL_INTERNAL_GR_GET_FECS_TRACE_RD_OFFSET_PARAMS",
    },
    Control {
        number: 0x20800a3d,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_FECS_RECORD_SIZE",
        params: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_FECS_RECORD_SIZE_PARAMS",
    },
    Control {
        number: 0x20800a3f,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_FECS_TRACE_DEFINES",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_FECS_TRACE_DEFINES_PARAMS",
    },
    Control {
        number: 0x20800a40,
        name: "NV2080_CTRL_CMD_INTERNAL_GET_DEVICE_INFO_TABLE",
        params: "NV2080_CTRL_INTERNAL_GET_DEVICE_INFO_TABLE_PARAMS",
    },
    Control {
        number: 0x20800a41,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_GET_USER_REGISTER_ACCESS_MAP",
        params: "NV2080_CTRL_INTERNAL_GPU_GET_USER_REGISTER_ACCESS_MAP_PARAMS",
    },
    Control {
        number: 0x20800a42,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_UPDATE_HSHUB_MUX",
        params: "NV2080_CTRL_INTERNAL_NVLINK_UPDATE_HSHUB_MUX_PARAMS",
    },
    Control {
        number: 0x20800a43,
        name: "NV2080_CTRL_CMD_INTERNAL_MIGMGR_PROMOTE_GPU_INSTANCE_MEM_RANGE",
        params: "NV2080_CTRL_INTERNAL_MIGMGR_PROMOTE_GPU_INSTANCE_MEM_RANGE_PARAMS",
    },
    Control {
        number: 0x20800a44,
        name: "NV2080_CTRL_CMD_INTERNAL_KMIGMGR_PROMOTE_GPU_INSTANCE_MEM_RANGE",
        params: "NV2080_CTRL_INTERNAL_KMIGMGR_PROMOTE_GPU_INSTANCE_MEM_RANGE_PARAMS",
    },
    Control {
        number: 0x20800a45,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_DEPENDENCY_CHECK",
        params: "",
    },
    Control {
        number: 0x20800a46,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_CHECK_CTS_ID_VALID",
        params: "NV2080_CTRL_INTERNAL_GPU_CHECK_CTS_ID_VALID_PARAMS",
    },
    Control {
        number: 0x20800a48,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_PDB_PROPERTIES",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_PDB_PROPERTIES_PARAMS",
    },
    Control {
        number: 0x20800a49,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_WRITE_INST_MEM",
        params: "NV2080_CTRL_INTERNAL_DISPLAY_WRITE_INST_MEM_PARAMS",
    },
    Control {
        number: 0x20800a4a,
        name: "NV2080_CTRL_CMD_INTERNAL_RECOVER_ALL_COMPUTE_CONTEXTS",
        params: "",
    },
    Control {
        number: 0x20800a4b,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_GET_IP_VERSION",
        params: "NV2080_CTRL_INTERNAL_DISPLAY_GET_IP_VERSION_PARAMS",
    },
    Control {
        number: 0x20800a4c,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_GET_SMC_MODE",
        params: "NV2080_CTRL_INTERNAL_GPU_GET_SMC_MODE_PARAMS",
    },
    Control {
        number: 0x20800a4d,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_SETUP_RG_LINE_INTR",
        params: "NV2080_CTRL_INTERNAL_DISPLAY_SETUP_RG_LINE_INTR_PARAMS",
    },
    Control {
        number: 0x20800a4e,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_PRE_SETUP_NVLINK_PEER",
        params: "NV2080_CTRL_INTERNAL_NVLINK_PRE_SETUP_NVLINK_PEER_PARAMS",
    },
    Control {
        number: 0x20800a50,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_POST_SETUP_NVLINK_PEER",
        params: "NV2080_CTRL_INTERNAL_NVLINK_POST_SETUP_NVLINK_PEER_PARAMS",
    },
    Control {
        number: 0x20800a51,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_SET_PARTITIONABLE_MEM",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_SET_PARTITIONABLE_MEM_PARAMS",
    },
    Control {
        number: 0x20800a53,
        name: "NV2080_CTRL_CMD_INTERNAL_FIFO_PROMOTE_RUNLIST_BUFFERS",
        params: "NV2080_CTRL_INTERNAL_FIFO_PROMOTE_RUNLIST_BUFFERS_PARAMS",
    },
    Control {
        number: 0x20800a54,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_SET_IMP_INIT_INFO",
        params: "NV2080_CTRL_INTERNAL_DISPLAY_SET_IMP_INIT_INFO_PARAMS",
    },
    Control {
        number: 0x20800a55,
        name: "NV2080_CTRL_CMD_INTERNAL_GET_EGPU_BRIDGE_INFO",
        params: "NV2080_CTRL_INTERNAL_GET_EGPU_BRIDGE_INFO_PARAMS",
    },
    Control {
        number: 0x20800a56,
        name: "NV2080_CTRL_CMD_INTERNAL_LOG_OOB_XID",
        params: "NV2080_CTRL_INTERNAL_LOG_OOB_XID_PARAMS",
    },
    Control {
        number: 0x20800a57,
        name: "NV2080_CTRL_CMD_INTERNAL_VMMU_GET_SPA_FOR_GPA_ENTRIES",
        params: "NV2080_CTRL_INTERNAL_VMMU_GET_SPA_FOR_GPA_ENTRIES_PARAMS",
    },
    Control {
        number: 0x20800a58,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_CHANNEL_PUSHBUFFER",
        params: "NV2080_CTRL_INTERNAL_DISPLAY_CHANNEL_PUSHBUFFER_PARAMS",
    },
    Control {
        number: 0x20800a59,
        name: "NV2080_CTRL_CMD_INTERNAL_GMMU_GET_STATIC_INFO",
        params: "NV2080_CTRL_INTERNAL_GMMU_GET_STATIC_INFO_PARAMS",
    },
    Control {
        number: 0x20800a5a,
        name: "NV2080_CTRL_CMD_INTERNAL_GR_GET_CTXSW_MODES",
        params: "NV2080_CTRL_INTERNAL_GR_GET_CTXSW_MODES_PARAMS",
    },
    Control {
        number: 0x20800a5b,
        name: "NV2080_CTRL_CMD_INTERNAL_FB_GET_HEAP_RESERVATION_SIZE",
        params: "NV2080_CTRL_INTERNAL_FB_GET_HEAP_RESERVATION_SIZE_PARAMS",
    },
    Control {
        number: 0x20800a5c,
        name: "NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE",
        params: "NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS",
    },
    Control {
        number: 0x20800a5d,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_GET_ACTIVE_DISPLAY_DEVICES",
        params: "NV2080_CTRL_INTERNAL_DISPLAY_GET_ACTIVE_DISPLAY_DEVICES_PARAMS",
    },
    Control {
        number: 0x20800a5f,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_REMOVE_NVLINK_MAPPING",
        params: "NV2080_CTRL_INTERNAL_NVLINK_REMOVE_NVLINK_MAPPING_PARAMS",
    },
    Control {
        number: 0x20800a60,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_MIGMGR_GET_SWIZZ_ID_FB_MEM_PAGE_RANGES",
        params: "NV2080_CTRL_INTERNAL_STATIC_MIGMGR_GET_SWIZZ_ID_FB_MEM_PAGE_RANGES_PARAMS",
    },
    Control {
        number: 0x20800a61,
        name: "NV2080_CTRL_CMD_INTERNAL_FIFO_GET_NUM_CHANNELS",
        params: "NV2080_CTRL_INTERNAL_FIFO_GET_NUM_CHANNELS_PARAMS",
    },
    Control {
        number: 0x20800a62,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_SAVE_RESTORE_HSHUB_STATE",
        params: "NV2080_CTRL_INTERNAL_NVLINK_SAVE_RESTORE_HSHUB_STATE_PARAMS",
    },
    Control {
        number: 0x20800a63,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KMIGMGR_GET_PROFILES",
        params: "NV2080_CTRL_INTERNAL_STATIC_KMIGMGR_GET_PROFILES_PARAMS",
    },
    Control {
        number: 0x20800a64,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_PROGRAM_BUFFERREADY",
        params: "NV2080_CTRL_INTERNAL_NVLINK_PROGRAM_BUFFERREADY_PARAMS",
    },
    Control {
        number: 0x20800a65,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KMIGMGR_GET_PARTITIONABLE_ENGINES",
        params: "NV2080_CTRL_INTERNAL_STATIC_KMIGMGR_GET_PARTITIONABLE_ENGINES_PARAMS",
    },
    Control {
        number: 0x20800a66,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KMIGMGR_GET_SWIZZ_ID_FB_MEM_PAGE_RANGES",
        params: "NV2080_CTRL_INTERNAL_STATIC_KMIGMGR_GET_SWIZZ_ID_FB_MEM_PAGE_RANGES_PARAMS",
    },
    Control {
        number: 0x20800a67,
        name: "NV2080_CTRL_CMD_INTERNAL_KMEMSYS_GET_MIG_MEMORY_CONFIG",
        params: "NV2080_CTRL_INTERNAL_KMEMSYS_GET_MIG_MEMORY_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800a68,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_GET_MIG_MEMORY_CONFIG",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_GET_MIG_MEMORY_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800a69,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_SET_ZBC_REFERENCED",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_SET_ZBC_REFERENCED_PARAMS",
    },
    Control {
        number: 0x20800a6b,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_GET_MIG_MEMORY_PARTITION_TABLE",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_GET_MIG_MEMORY_PARTITION_TABLE_PARAMS",
    },
    Control {
        number: 0x20800a6c,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_L2_INVALIDATE_EVICT",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_L2_INVALIDATE_EVICT_PARAMS",
    },
    Control {
        number: 0x20800a6d,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_FLUSH_L2_ALL_RAMS_AND_CACHES",
        params: "",
    },
    Control {
        number: 0x20800a6e,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_DISABLE_NVLINK_PEERS",
        params: "",
    },
    Control {
        number: 0x20800a6f,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_PROGRAM_RAW_COMPRESSION_MODE",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_PROGRAM_RAW_COMPRESSION_MODE_PARAMS",
    },
    Control {
        number: 0x20800a70,
        name: "NV2080_CTRL_CMD_INTERNAL_BUS_FLUSH_WITH_SYSMEMBAR",
        params: "",
    },
    Control {
        number: 0x20800a71,
        name: "NV2080_CTRL_CMD_INTERNAL_BUS_SETUP_P2P_MAILBOX_LOCAL",
        params: "NV2080_CTRL_CMD_INTERNAL_BUS_SETUP_P2P_MAILBOX_LOCAL_PARAMS",
    },
    Control {
        number: 0x20800a72,
        name: "NV2080_CTRL_CMD_INTERNAL_BUS_SETUP_P2P_MAILBOX_REMOTE",
        params: "NV2080_CTRL_CMD_INTERNAL_BUS_SETUP_P2P_MAILBOX_REMOTE_PARAMS",
    },
    Control {
        number: 0x20800a73,
        name: "NV2080_CTRL_CMD_INTERNAL_BUS_DESTROY_P2P_MAILBOX",
        params: "NV2080_CTRL_INTERNAL_BUS_DESTROY_P2P_MAILBOX_PARAMS",
    },
    Control {
        number: 0x20800a74,
        name: "NV2080_CTRL_CMD_INTERNAL_BUS_CREATE_C2C_PEER_MAPPING",
        params: "NV2080_CTRL_INTERNAL_BUS_CREATE_C2C_PEER_MAPPING_PARAMS",
    },
    Control {
        number: 0x20800a75,
        name: "NV2080_CTRL_CMD_INTERNAL_BUS_REMOVE_C2C_PEER_MAPPING",
        params: "NV2080_CTRL_INTERNAL_BUS_REMOVE_C2C_PEER_MAPPING_PARAMS",
    },
    Control {
        number: 0x20800a76,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_PRE_UNIX_CONSOLE",
        params: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_PRE_UNIX_CONSOLE_PARAMS",
    },
    Control {
        number: 0x20800a77,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_POST_UNIX_CONSOLE",
        params: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_POST_UNIX_CONSOLE_PARAMS",
    },
    Control {
        number: 0x20800a78,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_UPDATE_CURRENT_CONFIG",
        params: "NV2080_CTRL_INTERNAL_NVLINK_UPDATE_CURRENT_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800a79,
        name: "NV2080_CTRL_CMD_INTERNAL_HSHUB_GET_MAX_HSHUBS_PER_SHIM",
        params: "NV2080_CTRL_INTERNAL_HSHUB_GET_MAX_HSHUBS_PER_SHIM_PARAMS",
    },
    Control {
        number: 0x20800a7a,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_GET_HFRP_INFO",
        params: "NV2080_CTRL_INTERNAL_GPU_GET_HFRP_INFO_PARAMS",
    },
    Control {
        number: 0x20800a7b,
        name: "NV2080_CTRL_CMD_INTERNAL_PMGR_UNSET_DYNAMIC_BOOST_LIMIT",
        params: "",
    },
    Control {
        number: 0x20800a7c,
        name: "NV2080_CTRL_CMD_INTERNAL_SEND_CMC_UMD_API_OP",
        params: "NV2080_CTRL_INTERNAL_SEND_CMC_UMD_API_OP_PARAMS",
    },
    Control {
        number: 0x20800a7d,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_UPDATE_PEER_LINK_MASK",
        params: "NV2080_CTRL_INTERNAL_NVLINK_UPDATE_PEER_LINK_MASK_PARAMS",
    },
    Control {
        number: 0x20800a7e,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_GPU_BOOST_SYNC_SET_CONTROL",
        params: "",
    },
    Control {
        number: 0x20800a7f,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_GPU_BOOST_SYNC_SET_LIMITS",
        params: "NV2080_CTRL_INTERNAL_PERF_GPU_BOOST_SYNC_SET_LIMITS_PARAMS",
    },
    Control {
        number: 0x20800a80,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_GPU_BOOST_SYNC_GET_INFO",
        params: "NV2080_CTRL_INTERNAL_PERF_GPU_BOOST_SYNC_GET_INFO_PARAMS",
    },
    Control {
        number: 0x20800a81,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_GET_AUX_POWER_STATE",
        params: "NV2080_CTRL_INTERNAL_PERF_GET_AUX_POWER_STATE_PARAMS",
    },
    Control {
        number: 0x20800a82,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_UPDATE_LINK_CONNECTION",
        params: "NV2080_CTRL_INTERNAL_NVLINK_UPDATE_LINK_CONNECTION_PARAMS",
    },
    Control {
        number: 0x20800a83,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_ENABLE_LINKS_POST_TOPOLOGY",
        params: "NV2080_CTRL_INTERNAL_NVLINK_ENABLE_LINKS_POST_TOPOLOGY_PARAMS",
    },
    Control {
        number: 0x20800a84,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_PRE_LINK_TRAIN_ALI",
        params: "NV2080_CTRL_INTERNAL_NVLINK_PRE_LINK_TRAIN_ALI_PARAMS",
    },
    Control {
        number: 0x20800a85,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_GET_LINK_MASK_POST_RX_DET",
        params: "NV2080_CTRL_INTERNAL_NVLINK_GET_LINK_MASK_POST_RX_DET_PARAMS",
    },
    Control {
        number: 0x20800a86,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_LINK_TRAIN_ALI",
        params: "NV2080_CTRL_INTERNAL_NVLINK_LINK_TRAIN_ALI_PARAMS",
    },
    Control {
        number: 0x20800a87,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_GET_NVLINK_DEVICE_INFO",
        params: "NV2080_CTRL_INTERNAL_NVLINK_GET_NVLINK_DEVICE_INFO_PARAMS",
    },
    Control {
        number: 0x20800a88,
        name: "NV2080_CTRL_CMD_INTERNAL_HSHUB_PEER_CONN_CONFIG",
        params: "NV2080_CTRL_INTERNAL_HSHUB_PEER_CONN_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800a89,
        name: "NV2080_CTRL_CMD_INTERNAL_SEND_CMC_LIBOS_BUFFER_INFO",
        params: "NV2080_CTRL_INTERNAL_SEND_CMC_LIBOS_BUFFER_INFO_PARAMS",
    },
    Control {
        number: 0x20800a8a,
        name: "NV2080_CTRL_CMD_INTERNAL_HSHUB_GET_HSHUB_ID_FOR_LINKS",
        params: "NV2080_CTRL_INTERNAL_HSHUB_GET_HSHUB_ID_FOR_LINKS_PARAMS",
    },
    Control {
        number: 0x20800a8b,
        name: "NV2080_CTRL_CMD_INTERNAL_HSHUB_GET_NUM_UNITS",
        params: "NV2080_CTRL_INTERNAL_HSHUB_GET_NUM_UNITS_PARAMS",
    },
    Control {
        number: 0x20800a8c,
        name: "NV2080_CTRL_CMD_INTERNAL_HSHUB_NEXT_HSHUB_ID",
        params: "NV2080_CTRL_INTERNAL_HSHUB_NEXT_HSHUB_ID_PARAMS",
    },
    Control {
        number: 0x20800a8d,
        name: "NV2080_CTRL_CMD_INTERNAL_HSHUB_EGM_CONFIG",
        params: "NV2080_CTRL_INTERNAL_HSHUB_EGM_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800a8e,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_GET_IOCTRL_DEVICE_INFO",
        params: "NV2080_CTRL_INTERNAL_NVLINK_GET_IOCTRL_DEVICE_INFO_PARAMS",
    },
    Control {
        number: 0x20800a8f,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_PROGRAM_LINK_SPEED",
        params: "NV2080_CTRL_INTERNAL_NVLINK_PROGRAM_LINK_SPEED_PARAMS",
    },
    Control {
        number: 0x20800a90,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_ARE_LINKS_TRAINED",
        params: "NV2080_CTRL_INTERNAL_NVLINK_ARE_LINKS_TRAINED_PARAMS",
    },
    Control {
        number: 0x20800a91,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_RESET_LINKS",
        params: "NV2080_CTRL_INTERNAL_NVLINK_RESET_LINKS_PARAMS",
    },
    Control {
        number: 0x20800a92,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_DISABLE_DL_INTERRUPTS",
        params: "NV2080_CTRL_INTERNAL_NVLINK_DISABLE_DL_INTERRUPTS_PARAMS",
    },
    Control {
        number: 0x20800a93,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_GET_LINK_AND_CLOCK_INFO",
        params: "NV2080_CTRL_INTERNAL_NVLINK_GET_LINK_AND_CLOCK_INFO_PARAMS",
    },
    Control {
        number: 0x20800a94,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_SETUP_NVLINK_SYSMEM",
        params: "NV2080_CTRL_INTERNAL_NVLINK_SETUP_NVLINK_SYSMEM_PARAMS",
    },
    Control {
        number: 0x20800a95,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_PROCESS_FORCED_CONFIGS",
        params: "NV2080_CTRL_INTERNAL_NVLINK_PROCESS_FORCED_CONFIGS_PARAMS",
    },
    Control {
        number: 0x20800a96,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_SYNC_NVLINK_SHUTDOWN_PROPS",
        params: "NV2080_CTRL_INTERNAL_NVLINK_SYNC_NVLINK_SHUTDOWN_PROPS_PARAMS",
    },
    Control {
        number: 0x20800a97,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_ENABLE_SYSMEM_NVLINK_ATS",
        params: "NV2080_CTRL_INTERNAL_NVLINK_ENABLE_SYSMEM_NVLINK_ATS_PARAMS",
    },
    Control {
        number: 0x20800a98,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_PERFMON_CLIENT_RESERVATION_CHECK",
        params: "NV2080_CTRL_INTERNAL_PERF_PERFMON_CLIENT_RESERVATION_CHECK_PARAMS",
    },
    Control {
        number: 0x20800a99,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_PERFMON_CLIENT_RESERVATION_SET",
        params: "NV2080_CTRL_INTERNAL_PERF_PERFMON_CLIENT_RESERVATION_SET_PARAMS",
    },
    Control {
        number: 0x20800a9a,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_BOOST_SET_2X",
        params: "",
    },
    Control {
        number: 0x20800a9b,
        name: "NV2080_CTRL_CMD_INTERNAL_GMMU_REGISTER_FAULT_BUFFER",
        params: "NV2080_CTRL_INTERNAL_GMMU_REGISTER_FAULT_BUFFER_PARAMS",
    },
    Control {
        number: 0x20800a9c,
        name: "NV2080_CTRL_CMD_INTERNAL_GMMU_UNREGISTER_FAULT_BUFFER",
        params: "",
    },
    Control {
        number: 0x20800a9d,
        name: "NV2080_CTRL_CMD_INTERNAL_GMMU_REGISTER_CLIENT_SHADOW_FAULT_BUFFER",
        params: "NV2080_CTRL_INTERNAL_GMMU_REGISTER_CLIENT_SHADOW_FAULT_BUFFER_PARAMS",
    },
    Control {
        number: 0x20800a9e,
        name: "NV2080_CTRL_CMD_INTERNAL_GMMU_UNREGISTER_CLIENT_SHADOW_FAULT_BUFFER",
        params: "NV2080_CTRL_INTERNAL_GMMU_UNREGISTER_CLIENT_SHADOW_FAULT_BUFFER_PARAMS",
    },
    Control {
        number: 0x20800a9f,
        name: "NV2080_CTRL_CMD_INTERNAL_GMMU_COPY_RESERVED_SPLIT_GVASPACE_PDES_TO_SERVER",
        params: "NV2080_CTRL_INTERNAL_GMMU_COPY_RESERVED_SPLIT_GVASPACE_PDES_TO_SERVER_PARAMS",
    },
    Control {
        number: 0x20800aa0,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_BOOST_SET_3X",
        params: "",
    },
    Control {
        number: 0x20800aa1,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_BOOST_CLEAR_3X",
        params: "",
    },
    Control {
        number: 0x20800aa2,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_GRMGR_GET_SKYLINE_INFO",
        params: "NV2080_CTRL_INTERNAL_STATIC_GRMGR_GET_SKYLINE_INFO_PARAMS",
    },
    Control {
        number: 0x20800aa3,
        name: "NV2080_CTRL_CMD_INTERNAL_MIGMGR_SET_PARTITIONING_MODE",
        params: "NV2080_CTRL_INTERNAL_MIGMGR_SET_PARTITIONING_MODE_PARAMS",
    },
    Control {
        number: 0x20800aa4,
        name: "NV2080_CTRL_CMD_INTERNAL_MIGMGR_CONFIGURE_GPU_INSTANCE",
        params: "NV2080_CTRL_INTERNAL_MIGMGR_CONFIGURE_GPU_INSTANCE_PARAMS",
    },
    Control {
        number: 0x20800aa5,
        name: "NV2080_CTRL_CMD_INTERNAL_MIGMGR_SET_GPU_INSTANCES",
        params: "NV2080_CTRL_INTERNAL_MIGMGR_SET_GPU_INSTANCES_PARAMS",
    },
    Control {
        number: 0x20800aa6,
        name: "NV2080_CTRL_CMD_INTERNAL_MIGMGR_GET_GPU_INSTANCES",
        params: "NV2080_CTRL_INTERNAL_MIGMGR_GET_GPU_INSTANCES_PARAMS",
    },
    Control {
        number: 0x20800aa7,
        name: "NV2080_CTRL_CMD_INTERNAL_KMIGMGR_EXPORT_GPU_INSTANCE",
        params: "NV2080_CTRL_INTERNAL_KMIGMGR_EXPORT_GPU_INSTANCE_PARAMS",
    },
    Control {
        number: 0x20800aa8,
        name: "NV2080_CTRL_CMD_INTERNAL_MIGMGR_EXPORT_GPU_INSTANCE",
        params: "NV2080_CTRL_INTERNAL_MIGMGR_EXPORT_GPU_INSTANCE_PARAMS",
    },
    Control {
        number: 0x20800aa9,
        name: "NV2080_CTRL_CMD_INTERNAL_KMIGMGR_IMPORT_GPU_INSTANCE",
        params: "NV2080_CTRL_INTERNAL_KMIGMGR_IMPORT_GPU_INSTANCE_PARAMS",
    },
    Control {
        number: 0x20800aaa,
        name: "NV2080_CTRL_CMD_INTERNAL_MIGMGR_IMPORT_GPU_INSTANCE",
        params: "NV2080_CTRL_INTERNAL_MIGMGR_IMPORT_GPU_INSTANCE_PARAMS",
    },
    Control {
        number: 0x20800aab,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_HSHUB_GET_SYSMEM_NVLINK_MASK",
        params: "NV2080_CTRL_INTERNAL_NVLINK_HSHUB_GET_SYSMEM_NVLINK_MASK_PARAMS",
    },
    Control {
        number: 0x20800aac,
        name: "NV2080_CTRL_CMD_INTERNAL_BIF_GET_STATIC_INFO",
        params: "NV2080_CTRL_INTERNAL_BIF_GET_STATIC_INFO_PARAMS",
    },
    Control {
        number: 0x20800aad,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_ENABLE_COMPUTE_PEER_ADDR",
        params: "",
    },
    Control {
        number: 0x20800aae,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_GET_SET_NVSWITCH_FABRIC_ADDR",
        params: "NV2080_CTRL_INTERNAL_NVLINK_GET_SET_NVSWITCH_FABRIC_ADDR_PARAMS",
    },
    Control {
        number: 0x20800aaf,
        name: "NV2080_CTRL_CMD_INTERNAL_GET_ENABLED_SEC2_CLASSES",
        params: "NV2080_CTRL_CMD_INTERNAL_GET_ENABLED_SEC2_CLASSES_PARAMS",
    },
    Control {
        number: 0x20800ab0,
        name: "NV2080_CTRL_CMD_INTERNAL_BIF_GET_ASPM_L1_FLAGS",
        params: "NV2080_CTRL_INTERNAL_BIF_GET_ASPM_L1_FLAGS_PARAMS",
    },
    Control {
        number: 0x20800ab1,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_CF_CONTROLLERS_SET_MAX_VGPU_VM_COUNT",
        params: "NV2080_CTRL_INTERNAL_PERF_CF_CONTROLLERS_SET_MAX_VGPU_VM_COUNT_PARAMS",
    },
    Control {
        number: 0x20800ab2,
        name: "NV2080_CTRL_CMD_INTERNAL_CCU_GET_SAMPLE_INFO",
        params: "",
    },
    Control {
        number: 0x20800ab3,
        name: "NV2080_CTRL_CMD_INTERNAL_CCU_MAP",
        params: "",
    },
    Control {
        number: 0x20800ab4,
        name: "NV2080_CTRL_CMD_INTERNAL_CCU_UNMAP",
        params: "",
    },
    Control {
        number: 0x20800ab5,
        name: "NV2080_CTRL_CMD_INTERNAL_SET_P2P_CAPS",
        params: "NV2080_CTRL_INTERNAL_SET_P2P_CAPS_PARAMS",
    },
    Control {
        number: 0x20800ab6,
        name: "NV2080_CTRL_CMD_INTERNAL_REMOVE_P2P_CAPS",
        params: "NV2080_CTRL_INTERNAL_REMOVE_P2P_CAPS_PARAMS",
    },
    Control {
        number: 0x20800ab8,
        name: "NV2080_CTRL_CMD_INTERNAL_GET_PCIE_P2P_CAPS",
        params: "NV2080_CTRL_INTERNAL_GET_PCIE_P2P_CAPS_PARAMS",
    },
    Control {
        number: 0x20800ab9,
        name: "NV2080_CTRL_CMD_INTERNAL_BIF_SET_PCIE_RO",
        params: "NV2080_CTRL_INTERNAL_BIF_SET_PCIE_RO_PARAMS",
    },
    Control {
        number: 0x20800aba,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KMIGMGR_GET_COMPUTE_PROFILES",
        params: "NV2080_CTRL_INTERNAL_STATIC_KMIGMGR_GET_COMPUTE_PROFILES_PARAMS",
    },
    Control {
        number: 0x20800abd,
        name: "NV2080_CTRL_CMD_INTERNAL_CCU_SET_STREAM_STATE",
        params: "",
    },
    Control {
        number: 0x20800abe,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_ATTACH_AND_INIT",
        params: "NV2080_CTRL_INTERNAL_GSYNC_ATTACH_AND_INIT_PARAMS",
    },
    Control {
        number: 0x20800abf,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_OPTIMIZE_TIMING_PARAMETERS",
        params: "NV2080_CTRL_INTERNAL_GSYNC_OPTIMIZE_TIMING_PARAMETERS_PARAMS",
    },
    Control {
        number: 0x20800ac0,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_GET_DISPLAY_IDS",
        params: "NV2080_CTRL_INTERNAL_GSYNC_GET_DISPLAY_IDS_PARAMS",
    },
    Control {
        number: 0x20800ac1,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_SET_STREO_SYNC",
        params: "NV2080_CTRL_INTERNAL_GSYNC_SET_STREO_SYNC_PARAMS",
    },
    Control {
        number: 0x20800ac2,
        name: "NV2080_CTRL_CMD_INTERNAL_FBSR_INIT",
        params: "NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS",
    },
    Control {
        number: 0x20800ac3,
        name: "NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING",
        params: "NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING_PARAMS",
    },
    Control {
        number: 0x20800ac4,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_GET_VERTICAL_ACTIVE_LINES",
        params: "NV2080_CTRL_INTERNAL_GSYNC_GET_VERTICAL_ACTIVE_LINES_PARAMS",
    },
    Control {
        number: 0x20800ac5,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMMGR_GET_VGPU_CONFIG_HOST_RESERVED_FB",
        params: "NV2080_CTRL_INTERNAL_MEMMGR_GET_VGPU_CONFIG_HOST_RESERVED_FB_PARAMS",
    },
    Control {
        number: 0x20800ac6,
        name: "NV2080_CTRL_CMD_INTERNAL_INIT_BRIGHTC_STATE_LOAD",
        params: "NV2080_CTRL_INTERNAL_INIT_BRIGHTC_STATE_LOAD_PARAMS",
    },
    Control {
        number: 0x20800ac7,
        name: "NV2080_CTRL_INTERNAL_NVLINK_GET_NUM_ACTIVE_LINK_PER_IOCTRL",
        params: "NV2080_CTRL_INTERNAL_NVLINK_GET_NUM_ACTIVE_LINK_PER_IOCTRL_PARAMS",
    },
    Control {
        number: 0x20800ac8,
        name: "NV2080_CTRL_INTERNAL_NVLINK_GET_TOTAL_NUM_LINK_PER_IOCTRL",
        params: "NV2080_CTRL_INTERNAL_NVLINK_GET_TOTAL_NUM_LINK_PER_IOCTRL_PARAMS",
    },
    Control {
        number: 0x20800ac9,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_IS_DISPLAYID_VALID",
        params: "NV2080_CTRL_INTERNAL_GSYNC_IS_DISPLAYID_VALID_PARAMS",
    },
    Control {
        number: 0x20800aca,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_SET_OR_RESTORE_RASTER_SYNC",
        params: "NV2080_CTRL_INTERNAL_GSYNC_SET_OR_RESTORE_RASTER_SYNC_PARAMS",
    },
    Control {
        number: 0x20800acb,
        name: "NV2080_CTRL_CMD_INTERNAL_SMBPBI_PFM_REQ_HNDLR_CAP_UPDATE",
        params: "NV2080_CTRL_INTERNAL_SMBPBI_PFM_REQ_HNDLR_CAP_UPDATE_PARAMS",
    },
    Control {
        number: 0x20800acc,
        name: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_STATE_LOAD_SYNC",
        params: "NV2080_CTRL_INTERNAL_PMGR_PFM_REQ_HNDLR_STATE_LOAD_SYNC_PARAMS",
    },
    Control {
        number: 0x20800acd,
        name: "NV2080_CTRL_CMD_INTERNAL_THERM_PFM_REQ_HNDLR_STATE_INIT_SYNC",
        params: "NV2080_CTRL_INTERNAL_THERM_PFM_REQ_HNDLR_STATE_INIT_SYNC_PARAMS",
    },
    Control {
        number: 0x20800ace,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_GET_PM1_STATE",
        params: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_GET_PM1_STATE_PARAMS",
    },
    Control {
        number: 0x20800acf,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_SET_PM1_STATE",
        params: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_SET_PM1_STATE_PARAMS",
    },
    Control {
        number: 0x20800ad0,
        name: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_UPDATE_EDPP_LIMIT",
        params: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_UPDATE_EDPP_LIMIT_PARAMS",
    },
    Control {
        number: 0x20800ad1,
        name: "NV2080_CTRL_CMD_INTERNAL_THERM_PFM_REQ_HNDLR_UPDATE_TGPU_LIMIT",
        params: "NV2080_CTRL_CMD_INTERNAL_THERM_PFM_REQ_HNDLR_UPDATE_TGPU_LIMIT_PARAMS",
    },
    Control {
        number: 0x20800ad2,
        name: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_CONFIGURE_TGP_MODE",
        params: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_CONFIGURE_TGP_MODE_PARAMS",
    },
    Control {
        number: 0x20800ad3,
        name: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_CONFIGURE_TURBO_V2",
        params: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_CONFIGURE_TURBO_V2_PARAMS",
    },
    Control {
        number: 0x20800ad4,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_GET_VPSTATE_INFO",
        params: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_GET_VPSTATE_INFO_PARAMS",
    },
    Control {
        number: 0x20800ad5,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_GET_VPSTATE_MAPPING",
        params: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_GET_VPSTATE_MAPPING_PARAMS",
    },
    Control {
        number: 0x20800ad6,
        name: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_SET_VPSTATE",
        params: "NV2080_CTRL_CMD_INTERNAL_PERF_PFM_REQ_HNDLR_SET_VPSTATE_PARAMS",
    },
    Control {
        number: 0x20800ad8,
        name: "NV2080_CTRL_CMD_INTERNAL_FIFO_GET_NUM_SECURE_CHANNELS",
        params: "NV2080_CTRL_INTERNAL_FIFO_GET_NUM_SECURE_CHANNELS_PARAMS",
    },
    Control {
        number: 0x20800ad9,
        name: "NV2080_CTRL_INTERNAL_SPDM_PARTITION",
        params: "NV2080_CTRL_INTERNAL_SPDM_PARTITION_PARAMS",
    },
    Control {
        number: 0x20800ada,
        name: "NV2080_CTRL_INTERNAL_SPDM_RETRIEVE_TRANSCRIPT",
        params: "NV2080_CTRL_INTERNAL_SPDM_RETRIEVE_TRANSCRIPT_PARAMS",
    },
    Control {
        number: 0x20800adb,
        name: "NV2080_CTRL_CMD_INTERNAL_BIF_DISABLE_SYSTEM_MEMORY_ACCESS",
        params: "NV2080_CTRL_INTERNAL_BIF_DISABLE_SYSTEM_MEMORY_ACCESS_PARAMS",
    },
    Control {
        number: 0x20800adc,
        name: "NV2080_CTRL_CMD_INTERNAL_DISP_PINSETS_TO_LOCKPINS",
        params: "NV2080_CTRL_INTERNAL_DISP_PINSETS_TO_LOCKPINS_PARAMS",
    },
    Control {
        number: 0x20800add,
        name: "NV2080_CTRL_CMD_INTERNAL_DETECT_HS_VIDEO_BRIDGE",
        params: "",
    },
    Control {
        number: 0x20800ade,
        name: "NV2080_CTRL_CMD_INTERNAL_DISP_SET_SLI_LINK_GPIO_SW_CONTROL",
        params: "NV2080_CTRL_INTERNAL_DISP_SET_SLI_LINK_GPIO_SW_CONTROL_PARAMS",
    },
    Control {
        number: 0x20800adf,
        name: "NV2080_CTRL_CMD_INTERNAL_SET_STATIC_EDID_DATA",
        params: "NV2080_CTRL_CMD_INTERNAL_SET_STATIC_EDID_DATA_PARAMS",
    },
    Control {
        number: 0x20800ae1,
        name: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_DERIVE_SWL_KEYS",
        params: "NV2080_CTRL_INTERNAL_CONF_COMPUTE_DERIVE_SWL_KEYS_PARAMS",
    },
    Control {
        number: 0x20800ae2,
        name: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_DERIVE_LCE_KEYS",
        params: "NV2080_CTRL_INTERNAL_CONF_COMPUTE_DERIVE_LCE_KEYS_PARAMS",
    },
    Control {
        number: 0x20800ae4,
        name: "NV2080_CTRL_CMD_INTERNAL_GR_CTXSW_SETUP_BIND",
        params: "NV2080_CTRL_INTERNAL_GR_CTXSW_SETUP_BIND_PARAMS",
    },
    Control {
        number: 0x20800ae5,
        name: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_ROTATE_KEYS",
        params: "NV2080_CTRL_INTERNAL_CONF_COMPUTE_ROTATE_KEYS_PARAMS",
    },
    Control {
        number: 0x20800ae6,
        name: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_RC_CHANNELS_FOR_KEY_ROTATION",
        params: "NV2080_CTRL_INTERNAL_CONF_COMPUTE_RC_CHANNELS_FOR_KEY_ROTATION_PARAMS",
    },
    Control {
        number: 0x20800ae7,
        name: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_SET_GPU_STATE",
        params: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_SET_GPU_STATE_PARAMS",
    },
    Control {
        number: 0x20800ae8,
        name: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_SET_SECURITY_POLICY",
        params: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_SET_SECURITY_POLICY_PARAMS",
    },
    Control {
        number: 0x20800ae9,
        name: "NV2080_CTRL_INTERNAL_GPU_CLIENT_LOW_POWER_MODE_ENTER",
        params: "NV2080_CTRL_INTERNAL_GPU_CLIENT_LOW_POWER_MODE_ENTER_PARAMS",
    },
    Control {
        number: 0x20800aea,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_POST_FATAL_ERROR_RECOVERY",
        params: "NV2080_CTRL_INTERNAL_NVLINK_POST_FATAL_ERROR_RECOVERY_PARAMS",
    },
    Control {
        number: 0x20800aeb,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_GET_GSP_RM_FREE_HEAP",
        params: "NV2080_CTRL_INTERNAL_GPU_GET_GSP_RM_FREE_HEAP_PARAMS",
    },
    Control {
        number: 0x20800aec,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_SET_ILLUM",
        params: "NV2080_CTRL_INTERNAL_GPU_SET_ILLUM_PARAMS",
    },
    Control {
        number: 0x20800aed,
        name: "NV2080_CTRL_CMD_INTERNAL_GSYNC_APPLY_STEREO_PIN_ALWAYS_HI_WAR",
        params: "NV2080_CTRL_INTERNAL_GSYNC_APPLY_STEREO_PIN_ALWAYS_HI_WAR_PARAMS",
    },
    Control {
        number: 0x20800aee,
        name: "NV2080_CTRL_CMD_INTERNAL_GPU_GET_PF_BAR1_SPA",
        params: "NV2080_CTRL_INTERNAL_GPU_GET_PF_BAR1_SPA_PARAMS",
    },
    Control {
        number: 0x20800aef,
        name: "NV2080_CTRL_CMD_INTERNAL_FIFO_GET_LOGICAL_UPROC_ID",
        params: "NV2080_CTRL_INTERNAL_FIFO_GET_LOGICAL_UPROC_ID_PARAMS",
    },
    Control {
        number: 0x20800af0,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_ACPI_SUBSYSTEM_ACTIVATED",
        params: "",
    },
    Control {
        number: 0x20800af1,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_PRE_MODESET",
        params: "",
    },
    Control {
        number: 0x20800af2,
        name: "NV2080_CTRL_CMD_INTERNAL_DISPLAY_POST_MODESET",
        params: "",
    },
    Control {
        number: 0x20800af3,
        name: "NV2080_CTRL_CMD_INTERNAL_CONF_COMPUTE_GET_STATIC_INFO",
        params: "NV2080_CTRL_INTERNAL_CONF_COMPUTE_GET_STATIC_INFO_PARAMS",
    },
    Control {
        number: 0x20800afa,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMMGR_MEMORY_TRANSFER_WITH_GSP",
        params: "NV2080_CTRL_INTERNAL_MEMMGR_MEMORY_TRANSFER_WITH_GSP_PARAMS",
    },
    Control {
        number: 0x20800afb,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_GET_LOCAL_ATS_CONFIG",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_GET_LOCAL_ATS_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800afc,
        name: "NV2080_CTRL_CMD_INTERNAL_MEMSYS_SET_PEER_ATS_CONFIG",
        params: "NV2080_CTRL_INTERNAL_MEMSYS_SET_PEER_ATS_CONFIG_PARAMS",
    },
    Control {
        number: 0x20800afd,
        name: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_GET_EDPP_LIMIT_INFO",
        params: "NV2080_CTRL_CMD_INTERNAL_PMGR_PFM_REQ_HNDLR_GET_EDPP_LIMIT_INFO_PARAMS",
    },
    Control {
        number: 0x20800afe,
        name: "NV2080_CTRL_CMD_INTERNAL_INIT_USER_SHARED_DATA",
        params: "NV2080_CTRL_INTERNAL_INIT_USER_SHARED_DATA_PARAMS",
    },
    Control {
        number: 0x20800aff,
        name: "NV2080_CTRL_CMD_INTERNAL_USER_SHARED_DATA_SET_DATA_POLL",
        params: "NV2080_CTRL_INTERNAL_USER_SHARED_DATA_SET_DATA_POLL_PARAMS",
    },
    Control {
        number: 0x20800b01,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_REPLAY_SUPPRESSED_ERRORS",
        params: "",
    },
    Control {
        number: 0x20800b03,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_SM_ISSUE_RATE_MODIFIER_V2",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_SM_ISSUE_RATE_MODIFIER_V2_PARAMS",
    },
    Control {
        number: 0x20800b05,
        name: "NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_SM_ISSUE_THROTTLE_CTRL",
        params: "NV2080_CTRL_INTERNAL_STATIC_KGR_GET_SM_ISSUE_THROTTLE_CTRL_PARAMS",
    },
    Control {
        number: 0x20800b08,
        name: "NV2080_CTRL_CMD_INTERNAL_NVLINK_RC_USER_MODE_CHANNELS",
        params: "",
    },
    Control {
        number: 0x20801102,
        name: "NV2080_CTRL_CMD_SET_GPFIFO",
        params: "NV2080_CTRL_CMD_SET_GPFIFO_PARAMS",
    },
    Control {
        number: 0x20801103,
        name: "NV2080_CTRL_CMD_FIFO_BIND_ENGINES",
        params: "NV2080_CTRL_FIFO_BIND_ENGINES_PARAMS",
    },
    Control {
        number: 0x20801104,
        name: "NV2080_CTRL_CMD_SET_OPERATIONAL_PROPERTIES",
        params: "NV2080_CTRL_CMD_SET_OPERATIONAL_PROPERTIES_PARAMS",
    },
    Control {
        number: 0x20801108,
        name: "NV2080_CTRL_CMD_FIFO_GET_PHYSICAL_CHANNEL_COUNT",
        params: "NV2080_CTRL_FIFO_GET_PHYSICAL_CHANNEL_COUNT_PARAMS",
    },
    Control {
        number: 0x20801109,
        name: "NV2080_CTRL_CMD_FIFO_GET_INFO",
        params: "NV2080_CTRL_FIFO_GET_INFO_PARAMS",
    },
    Control {
        number: 0x2080110a,
        name: "NV2080_CTRL_CMD_FIFO_CHANNEL_PREEMPTIVE_REMOVAL",
        params: "NV2080_CTRL_FIFO_CHANNEL_PREEMPTIVE_REMOVAL_PARAMS",
    },
    Control {
        number: 0x2080110b,
        name: "NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS",
        params: "NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS",
    },
    Control {
        number: 0x2080110c,
        name: "NV2080_CTRL_CMD_FIFO_GET_CHANNEL_MEM_INFO",
        params: "NV2080_CTRL_CMD_FIFO_GET_CHANNEL_MEM_INFO_PARAMS",
    },
    Control {
        number: 0x2080110d,
        name: "NV2080_CTRL_CMD_FIFO_GET_USERD_LOCATION",
        params: "NV2080_CTRL_CMD_FIFO_GET_USERD_LOCATION_PARAMS",
    },
    Control {
        number: 0x2080110e,
        name: "NV2080_CTRL_CMD_FIFO_OBJSCHED_SW_GET_LOG",
        params: "NV2080_CTRL_FIFO_OBJSCHED_SW_GET_LOG_PARAMS",
    },
    Control {
        number: 0x20801110,
        name: "NV2080_CTRL_CMD_FIFO_CONFIG_CTXSW_TIMEOUT",
        params: "NV2080_CTRL_FIFO_CONFIG_CTXSW_TIMEOUT_PARAMS",
    },
    Control {
        number: 0x20801112,
        name: "NV2080_CTRL_CMD_FIFO_GET_DEVICE_INFO_TABLE",
        params: "NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_PARAMS",
    },
    Control {
        number: 0x20801113,
        name: "NV2080_CTRL_CMD_FIFO_CLEAR_FAULTED_BIT",
        params: "NV2080_CTRL_CMD_FIFO_CLEAR_FAULTED_BIT_PARAMS",
    },
    Control {
        number: 0x20801115,
        name: "NV2080_CTRL_CMD_FIFO_RUNLIST_SET_SCHED_POLICY",
        params: "NV2080_CTRL_FIFO_RUNLIST_SET_SCHED_POLICY_PARAMS",
    },
    Control {
        number: 0x20801116,
        name: "NV2080_CTRL_CMD_FIFO_UPDATE_CHANNEL_INFO",
        params: "NV2080_CTRL_FIFO_UPDATE_CHANNEL_INFO_PARAMS",
    },
    Control {
        number: 0x20801117,
        name: "NV2080_CTRL_CMD_FIFO_DISABLE_USERMODE_CHANNELS",
        params: "NV2080_CTRL_FIFO_DISABLE_USERMODE_CHANNELS_PARAMS",
    },
    Control {
        number: 0x20801118,
        name: "NV2080_CTRL_CMD_FIFO_SETUP_VF_ZOMBIE_SUBCTX_PDB",
        params: "NV2080_CTRL_FIFO_SETUP_VF_ZOMBIE_SUBCTX_PDB_PARAMS",
    },
    Control {
        number: 0x20801119,
        name: "NV2080_CTRL_CMD_FIFO_GET_ALLOCATED_CHANNELS",
        params: "NV2080_CTRL_FIFO_GET_ALLOCATED_CHANNELS_PARAMS",
    },
    Control {
        number: 0x2080111a,
        name: "NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS_FOR_KEY_ROTATION",
        params: "NV2080_CTRL_FIFO_DISABLE_CHANNELS_FOR_KEY_ROTATION_PARAMS",
    },
    Control {
        number: 0x2080111b,
        name: "NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS_FOR_KEY_ROTATION_V2",
        params: "NV2080_CTRL_FIFO_DISABLE_CHANNELS_FOR_KEY_ROTATION_V2_PARAMS",
    },
    Control {
        number: 0x20801120,
        name: "NV2080_CTRL_CMD_FIFO_OBJSCHED_GET_STATE",
        params: "NV2080_CTRL_FIFO_OBJSCHED_GET_STATE_PARAMS",
    },
    Control {
        number: 0x20801121,
        name: "NV2080_CTRL_CMD_FIFO_OBJSCHED_SET_STATE",
        params: "NV2080_CTRL_FIFO_OBJSCHED_SET_STATE_PARAMS",
    },
    Control {
        number: 0x20801122,
        name: "NV2080_CTRL_CMD_FIFO_OBJSCHED_GET_CAPS",
        params: "NV2080_CTRL_FIFO_OBJSCHED_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x20801123,
        name: "NV2080_CTRL_CMD_FIFO_GET_CHANNEL_GROUP_UNIQUE_ID_INFO",
        params: "NV2080_CTRL_FIFO_GET_CHANNEL_GROUP_UNIQUE_ID_INFO_PARAMS",
    },
    Control {
        number: 0x20801124,
        name: "NV2080_CTRL_CMD_FIFO_QUERY_CHANNEL_UNIQUE_ID",
        params: "NV2080_CTRL_FIFO_QUERY_CHANNEL_UNIQUE_ID_PARAMS",
    },
    Control {
        number: 0x20801201,
        name: "NV2080_CTRL_CMD_GR_GET_INFO",
        params: "NV2080_CTRL_GR_GET_INFO_PARAMS",
    },
    Control {
        number: 0x20801205,
        name: "NV2080_CTRL_CMD_GR_CTXSW_ZCULL_MODE",
        params: "NV2080_CTRL_GR_CTXSW_ZCULL_MODE_PARAMS",
    },
    Control {
        number: 0x20801206,
        name: "NV2080_CTRL_CMD_GR_GET_ZCULL_INFO",
        params: "NV2080_CTRL_GR_GET_ZCULL_INFO_PARAMS",
    },
    Control {
        number: 0x20801207,
        name: "NV2080_CTRL_CMD_GR_CTXSW_PM_MODE",
        params: "NV2080_CTRL_GR_CTXSW_PM_MODE_PARAMS",
    },
    Control {
        number: 0x20801208,
        name: "NV2080_CTRL_CMD_GR_CTXSW_ZCULL_BIND",
        params: "NV2080_CTRL_GR_CTXSW_ZCULL_BIND_PARAMS",
    },
    Control {
        number: 0x20801209,
        name: "NV2080_CTRL_CMD_GR_CTXSW_PM_BIND",
        params: "NV2080_CTRL_GR_CTXSW_PM_BIND_PARAMS",
    },
    Control {
        number: 0x2080120a,
        name: "NV2080_CTRL_CMD_GR_SET_GPC_TILE_MAP",
        params: "NV2080_CTRL_GR_SET_GPC_TILE_MAP_PARAMS",
    },
    Control {
        number: 0x2080120e,
        name: "NV2080_CTRL_CMD_GR_CTXSW_SMPC_MODE",
        params: "NV2080_CTRL_GR_CTXSW_SMPC_MODE_PARAMS",
    },
    Control {
        number: 0x2080120f,
        name: "NV2080_CTRL_CMD_GR_GET_SM_TO_GPC_TPC_MAPPINGS",
        params: "NV2080_CTRL_GR_GET_SM_TO_GPC_TPC_MAPPINGS_PARAMS",
    },
    Control {
        number: 0x20801210,
        name: "NV2080_CTRL_CMD_GR_SET_CTXSW_PREEMPTION_MODE",
        params: "NV2080_CTRL_GR_SET_CTXSW_PREEMPTION_MODE_PARAMS",
    },
    Control {
        number: 0x20801211,
        name: "NV2080_CTRL_CMD_GR_CTXSW_PREEMPTION_BIND",
        params: "NV2080_CTRL_GR_CTXSW_PREEMPTION_BIND_PARAMS",
    },
    Control {
        number: 0x20801212,
        name: "NV2080_CTRL_CMD_GR_PC_SAMPLING_MODE",
        params: "NV2080_CTRL_GR_PC_SAMPLING_MODE_PARAMS",
    },
    Control {
        number: 0x20801213,
        name: "NV2080_CTRL_CMD_GR_GET_ROP_INFO",
        params: "NV2080_CTRL_GR_GET_ROP_INFO_PARAMS",
    },
    Control {
        number: 0x20801215,
        name: "NV2080_CTRL_CMD_GR_GET_CTXSW_STATS",
        params: "NV2080_CTRL_GR_GET_CTXSW_STATS_PARAMS",
    },
    Control {
        number: 0x20801218,
        name: "NV2080_CTRL_CMD_GR_GET_CTX_BUFFER_SIZE",
        params: "NV2080_CTRL_GR_GET_CTX_BUFFER_SIZE_PARAMS",
    },
    Control {
        number: 0x20801219,
        name: "NV2080_CTRL_CMD_GR_GET_CTX_BUFFER_INFO",
        params: "NV2080_CTRL_GR_GET_CTX_BUFFER_INFO_PARAMS",
    },
    Control {
        number: 0x2080121b,
        name: "NV2080_CTRL_CMD_GR_GET_GLOBAL_SM_ORDER",
        params: "NV2080_CTRL_GR_GET_GLOBAL_SM_ORDER_PARAMS",
    },
    Control {
        number: 0x2080121c,
        name: "NV2080_CTRL_CMD_GR_GET_CURRENT_RESIDENT_CHANNEL",
        params: "NV2080_CTRL_GR_GET_CURRENT_RESIDENT_CHANNEL_PARAMS",
    },
    Control {
        number: 0x2080121d,
        name: "NV2080_CTRL_CMD_GR_GET_VAT_ALARM_DATA",
        params: "NV2080_CTRL_GR_GET_VAT_ALARM_DATA_PARAMS",
    },
    Control {
        number: 0x2080121e,
        name: "NV2080_CTRL_CMD_GR_GET_ATTRIBUTE_BUFFER_SIZE",
        params: "NV2080_CTRL_GR_GET_ATTRIBUTE_BUFFER_SIZE_PARAMS",
    },
    Control {
        number: 0x2080121f,
        name: "NV2080_CTRL_CMD_GR_GFX_POOL_QUERY_SIZE",
        params: "NV2080_CTRL_GR_GFX_POOL_QUERY_SIZE_PARAMS",
    },
    Control {
        number: 0x20801220,
        name: "NV2080_CTRL_CMD_GR_GFX_POOL_INITIALIZE",
        params: "NV2080_CTRL_GR_GFX_POOL_INITIALIZE_PARAMS",
    },
    Control {
        number: 0x20801221,
        name: "NV2080_CTRL_CMD_GR_GFX_POOL_ADD_SLOTS",
        params: "NV2080_CTRL_GR_GFX_POOL_ADD_SLOTS_PARAMS",
    },
    Control {
        number: 0x20801222,
        name: "NV2080_CTRL_CMD_GR_GFX_POOL_REMOVE_SLOTS",
        params: "NV2080_CTRL_GR_GFX_POOL_REMOVE_SLOTS_PARAMS",
    },
    Control {
        number: 0x20801227,
        name: "NV2080_CTRL_CMD_GR_GET_CAPS_V2",
        params: "NV2080_CTRL_GR_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x20801228,
        name: "NV2080_CTRL_CMD_GR_GET_INFO_V2",
        params: "NV2080_CTRL_GR_GET_INFO_V2_PARAMS",
    },
    Control {
        number: 0x2080122a,
        name: "NV2080_CTRL_CMD_GR_GET_GPC_MASK",
        params: "NV2080_CTRL_GR_GET_GPC_MASK_PARAMS",
    },
    Control {
        number: 0x2080122b,
        name: "NV2080_CTRL_CMD_GR_GET_TPC_MASK",
        params: "NV2080_CTRL_GR_GET_TPC_MASK_PARAMS",
    },
    Control {
        number: 0x2080122c,
        name: "NV2080_CTRL_CMD_GR_SET_TPC_PARTITION_MODE",
        params: "NV2080_CTRL_GR_SET_TPC_PARTITION_MODE_PARAMS",
    },
    Control {
        number: 0x2080122d,
        name: "NV2080_CTRL_CMD_GR_GET_ENGINE_CONTEXT_PROPERTIES",
        params: "NV2080_CTRL_GR_GET_ENGINE_CONTEXT_PROPERTIES_PARAMS",
    },
    Control {
        number: 0x20801230,
        name: "NV2080_CTRL_CMD_GR_GET_SM_ISSUE_RATE_MODIFIER",
        params: "NV2080_CTRL_GR_GET_SM_ISSUE_RATE_MODIFIER_PARAMS",
    },
    Control {
        number: 0x20801231,
        name: "NV2080_CTRL_CMD_GR_FECS_BIND_EVTBUF_FOR_UID",
        params: "NV2080_CTRL_GR_FECS_BIND_EVTBUF_FOR_UID_PARAMS",
    },
    Control {
        number: 0x20801232,
        name: "NV2080_CTRL_CMD_GR_GET_PHYS_GPC_MASK",
        params: "NV2080_CTRL_GR_GET_PHYS_GPC_MASK_PARAMS",
    },
    Control {
        number: 0x20801233,
        name: "NV2080_CTRL_CMD_GR_GET_PPC_MASK",
        params: "NV2080_CTRL_GR_GET_PPC_MASK_PARAMS",
    },
    Control {
        number: 0x20801234,
        name: "NV2080_CTRL_CMD_GR_GET_NUM_TPCS_FOR_GPC",
        params: "NV2080_CTRL_GR_GET_NUM_TPCS_FOR_GPC_PARAMS",
    },
    Control {
        number: 0x20801235,
        name: "NV2080_CTRL_CMD_GR_GET_CTXSW_MODES",
        params: "NV2080_CTRL_GR_GET_CTXSW_MODES_PARAMS",
    },
    Control {
        number: 0x20801236,
        name: "NV2080_CTRL_CMD_GR_GET_GPC_TILE_MAP",
        params: "NV2080_CTRL_GR_GET_GPC_TILE_MAP_PARAMS",
    },
    Control {
        number: 0x20801237,
        name: "NV2080_CTRL_CMD_GR_GET_ZCULL_MASK",
        params: "NV2080_CTRL_GR_GET_ZCULL_MASK_PARAMS",
    },
    Control {
        number: 0x20801238,
        name: "NV2080_CTRL_CMD_GR_FECS_BIND_EVTBUF_FOR_UID_V2",
        params: "NV2080_CTRL_GR_FECS_BIND_EVTBUF_FOR_UID_V2_PARAMS",
    },
    Control {
        number: 0x20801239,
        name: "NV2080_CTRL_CMD_GR_GET_GFX_GPC_AND_TPC_INFO",
        params: "NV2080_CTRL_GR_GET_GFX_GPC_AND_TPC_INFO_PARAMS",
    },
    Control {
        number: 0x2080123a,
        name: "NV2080_CTRL_CMD_GR_CTXSW_SETUP_BIND",
        params: "NV2080_CTRL_GR_CTXSW_SETUP_BIND_PARAMS",
    },
    Control {
        number: 0x2080123b,
        name: "NV2080_CTRL_CMD_GR_GET_TPC_RECONFIG_MASK",
        params: "NV2080_CTRL_GR_GET_TPC_RECONFIG_MASK_PARAMS",
    },
    Control {
        number: 0x2080123c,
        name: "NV2080_CTRL_CMD_GR_GET_SM_ISSUE_RATE_MODIFIER_V2",
        params: "NV2080_CTRL_GR_GET_SM_ISSUE_RATE_MODIFIER_V2_PARAMS",
    },
    Control {
        number: 0x2080123d,
        name: "NV2080_CTRL_CMD_GR_GET_SM_ISSUE_THROTTLE_CTRL",
        params: "NV2080_CTRL_GR_GET_SM_ISSUE_THROTTLE_CTRL_PARAMS",
    },
    Control {
        number: 0x20801301,
        name: "NV2080_CTRL_CMD_FB_GET_INFO",
        params: "NV2080_CTRL_FB_GET_INFO_PARAMS",
    },
    Control {
        number: 0x20801303,
        name: "NV2080_CTRL_CMD_FB_GET_INFO_V2",
        params: "NV2080_CTRL_FB_GET_INFO_V2_PARAMS",
    },
    Control {
        number: 0x2080130c,
        name: "NV2080_CTRL_CMD_FB_GET_CALIBRATION_LOCK_FAILED",
        params: "NV2080_CTRL_FB_GET_CALIBRATION_LOCK_FAILED_PARAMS",
    },
    Control {
        number: 0x2080130d,
        name: "NV2080_CTRL_CMD_FB_FLUSH_GPU_CACHE_IRQL",
        params: "NV2080_CTRL_CMD_FB_FLUSH_GPU_CACHE_IRQL_PARAMS",
    },
    Control {
        number: 0x2080130e,
        name: "NV2080_CTRL_CMD_FB_FLUSH_GPU_CACHE",
        params: "NV2080_CTRL_FB_FLUSH_GPU_CACHE_PARAMS",
    },
    Control {
        number: 0x20801310,
        name: "NV2080_CTRL_CMD_FB_GET_BAR1_OFFSET",
        params: "NV2080_CTRL_FB_GET_BAR1_OFFSET_PARAMS",
    },
    Control {
        number: 0x20801313,
        name: "NV2080_CTRL_CMD_FB_IS_KIND",
        params: "NV2080_CTRL_FB_IS_KIND_PARAMS",
    },
    Control {
        number: 0x20801315,
        name: "NV2080_CTRL_CMD_FB_GET_GPU_CACHE_INFO",
        params: "NV2080_CTRL_FB_GET_GPU_CACHE_INFO_PARAMS",
    },
    Control {
        number: 0x20801320,
        name: "NV2080_CTRL_CMD_FB_GET_FB_REGION_INFO",
        params: "NV2080_CTRL_CMD_FB_GET_FB_REGION_INFO_PARAMS",
    },
    Control {
        number: 0x20801321,
        name: "NV2080_CTRL_CMD_FB_OFFLINE_PAGES",
        params: "NV2080_CTRL_FB_OFFLINE_PAGES_PARAMS",
    },
    Control {
        number: 0x20801322,
        name: "NV2080_CTRL_CMD_FB_GET_OFFLINED_PAGES",
        params: "NV2080_CTRL_FB_GET_OFFLINED_PAGES_PARAMS",
    },
    Control {
        number: 0x20801325,
        name: "NV2080_CTRL_CMD_FB_QUERY_ACR_REGION",
        params: "NV2080_CTRL_CMD_FB_QUERY_ACR_REGION_PARAMS",
    },
    Control {
        number: 0x20801326,
        name: "NV2080_CTRL_CMD_FB_CLEAR_OFFLINED_PAGES",
        params: "NV2080_CTRL_FB_CLEAR_OFFLINED_PAGES_PARAMS",
    },
    Control {
        number: 0x20801327,
        name: "NV2080_CTRL_CMD_FB_GET_COMPBITCOPY_INFO",
        params: "NV2080_CTRL_CMD_FB_GET_COMPBITCOPY_INFO_PARAMS",
    },
    Control {
        number: 0x20801328,
        name: "NV2080_CTRL_CMD_FB_GET_LTC_INFO_FOR_FBP",
        params: "NV2080_CTRL_FB_GET_LTC_INFO_FOR_FBP_PARAMS",
    },
    Control {
        number: 0x20801329,
        name: "NV2080_CTRL_CMD_FB_COMPBITCOPY_SET_CONTEXT",
        params: "NV2080_CTRL_CMD_FB_COMPBITCOPY_SET_CONTEXT_PARAMS",
    },
    Control {
        number: 0x2080132a,
        name: "NV2080_CTRL_CMD_FB_COMPBITCOPY_GET_COMPBITS",
        params: "NV2080_CTRL_CMD_FB_COMPBITCOPY_GET_COMPBITS_PARAMS",
    },
    Control {
        number: 0x2080132b,
        name: "NV2080_CTRL_CMD_FB_COMPBITCOPY_PUT_COMPBITS",
        params: "NV2080_CTRL_CMD_FB_COMPBITCOPY_PUT_COMPBITS_PARAMS",
    },
    Control {
        number: 0x2080132c,
        name: "NV2080_CTRL_CMD_FB_COMPBITCOPY_READ_COMPBITS64KB",
        params: "NV2080_CTRL_CMD_FB_COMPBITCOPY_READ_COMPBITS64KB_PARAMS",
    },
    Control {
        number: 0x2080132d,
        name: "NV2080_CTRL_CMD_FB_COMPBITCOPY_WRITE_COMPBITS64KB",
        params: "NV2080_CTRL_CMD_FB_COMPBITCOPY_WRITE_COMPBITS64KB_PARAMS",
    },
    Control {
        number: 0x20801335,
        name: "NV2080_CTRL_CMD_FB_COMPBITCOPY_SET_FORCE_BAR1",
        params: "NV2080_CTRL_CMD_FB_COMPBITCOPY_SET_FORCE_BAR1_PARAMS",
    },
    Control {
        number: 0x20801336,
        name: "NV2080_CTRL_CMD_FB_GET_AMAP_CONF",
        params: "NV2080_CTRL_CMD_FB_GET_AMAP_CONF_PARAMS",
    },
    Control {
        number: 0x20801337,
        name: "NV2080_CTRL_CMD_FB_CBC_OP",
        params: "NV2080_CTRL_CMD_FB_CBC_OP_PARAMS",
    },
    Control {
        number: 0x20801338,
        name: "NV2080_CTRL_CMD_FB_GET_CTAGS_FOR_CBC_EVICTION",
        params: "NV2080_CTRL_FB_GET_CTAGS_FOR_CBC_EVICTION_PARAMS",
    },
    Control {
        number: 0x20801339,
        name: "NV2080_CTRL_CMD_FB_ALLOC_COMP_RESOURCE",
        params: "NV2080_CTRL_CMD_FB_ALLOC_COMP_RESOURCE_PARAMS",
    },
    Control {
        number: 0x2080133a,
        name: "NV2080_CTRL_CMD_FB_FREE_TILE",
        params: "NV2080_CTRL_CMD_FB_FREE_TILE_PARAMS",
    },
    Control {
        number: 0x2080133b,
        name: "NV2080_CTRL_CMD_FB_SETUP_VPR_REGION",
        params: "NV2080_CTRL_CMD_FB_SETUP_VPR_REGION_PARAMS",
    },
    Control {
        number: 0x2080133c,
        name: "NV2080_CTRL_CMD_FB_GET_CLI_MANAGED_OFFLINED_PAGES",
        params: "NV2080_CTRL_FB_GET_CLI_MANAGED_OFFLINED_PAGES_PARAMS",
    },
    Control {
        number: 0x2080133d,
        name: "NV2080_CTRL_CMD_FB_GET_COMPBITCOPY_CONSTRUCT_INFO",
        params: "NV2080_CTRL_CMD_FB_GET_COMPBITCOPY_CONSTRUCT_INFO_PARAMS",
    },
    Control {
        number: 0x2080133e,
        name: "NV2080_CTRL_CMD_FB_SET_RRD",
        params: "NV2080_CTRL_FB_SET_RRD_PARAMS",
    },
    Control {
        number: 0x2080133f,
        name: "NV2080_CTRL_CMD_FB_SET_READ_LIMIT",
        params: "NV2080_CTRL_FB_SET_READ_LIMIT_PARAMS",
    },
    Control {
        number: 0x20801340,
        name: "NV2080_CTRL_CMD_FB_SET_WRITE_LIMIT",
        params: "NV2080_CTRL_FB_SET_WRITE_LIMIT_PARAMS",
    },
    Control {
        number: 0x20801341,
        name: "NV2080_CTRL_CMD_FB_PATCH_PBR_FOR_MINING",
        params: "NV2080_CTRL_FB_PATCH_PBR_FOR_MINING_PARAMS",
    },
    Control {
        number: 0x20801342,
        name: "NV2080_CTRL_CMD_FB_GET_MEM_ALIGNMENT",
        params: "NV2080_CTRL_FB_GET_MEM_ALIGNMENT_PARAMS",
    },
    Control {
        number: 0x20801343,
        name: "NV2080_CTRL_CMD_FB_GET_CBC_BASE_ADDR",
        params: "NV2080_CTRL_CMD_FB_GET_CBC_BASE_ADDR_PARAMS",
    },
    Control {
        number: 0x20801344,
        name: "NV2080_CTRL_CMD_FB_GET_REMAPPED_ROWS",
        params: "NV2080_CTRL_FB_GET_REMAPPED_ROWS_PARAMS",
    },
    Control {
        number: 0x20801346,
        name: "NV2080_CTRL_CMD_FB_GET_FS_INFO",
        params: "NV2080_CTRL_FB_GET_FS_INFO_PARAMS",
    },
    Control {
        number: 0x20801347,
        name: "NV2080_CTRL_CMD_FB_GET_ROW_REMAPPER_HISTOGRAM",
        params: "NV2080_CTRL_FB_GET_ROW_REMAPPER_HISTOGRAM_PARAMS",
    },
    Control {
        number: 0x20801348,
        name: "NV2080_CTRL_CMD_FB_GET_DYNAMIC_OFFLINED_PAGES",
        params: "NV2080_CTRL_FB_GET_DYNAMIC_OFFLINED_PAGES_PARAMS",
    },
    Control {
        number: 0x20801349,
        name: "NV2080_CTRL_CMD_FB_GET_CLIENT_ALLOCATION_INFO",
        params: "NV2080_CTRL_CMD_FB_GET_CLIENT_ALLOCATION_INFO_PARAMS",
    },
    Control {
        number: 0x20801350,
        name: "NV2080_CTRL_CMD_FB_UPDATE_NUMA_STATUS",
        params: "NV2080_CTRL_FB_UPDATE_NUMA_STATUS_PARAMS",
    },
    Control {
        number: 0x20801351,
        name: "NV2080_CTRL_CMD_FB_GET_NUMA_INFO",
        params: "NV2080_CTRL_FB_GET_NUMA_INFO_PARAMS",
    },
    Control {
        number: 0x20801352,
        name: "NV2080_CTRL_CMD_FB_GET_SEMAPHORE_SURFACE_LAYOUT",
        params: "NV2080_CTRL_FB_GET_SEMAPHORE_SURFACE_LAYOUT_PARAMS",
    },
    Control {
        number: 0x20801353,
        name: "NV2080_CTRL_CMD_GMMU_COMMIT_TLB_INVALIDATE",
        params: "NV2080_CTRL_GMMU_COMMIT_TLB_INVALIDATE_PARAMS",
    },
    Control {
        number: 0x20801354,
        name: "NV2080_CTRL_CMD_FB_GET_STATIC_BAR1_INFO",
        params: "NV2080_CTRL_FB_GET_STATIC_BAR1_INFO_PARAMS",
    },
    Control {
        number: 0x20801355,
        name: "NV2080_CTRL_CMD_FB_QUERY_DRAM_ENCRYPTION_PENDING_CONFIGURATION",
        params: "NV2080_CTRL_FB_QUERY_DRAM_ENCRYPTION_PENDING_CONFIGURATION_PARAMS",
    },
    Control {
        number: 0x20801356,
        name: "NV2080_CTRL_CMD_FB_SET_DRAM_ENCRYPTION_CONFIGURATION",
        params: "NV2080_CTRL_FB_SET_DRAM_ENCRYPTION_CONFIGURATION_PARAMS",
    },
    Control {
        number: 0x20801357,
        name: "NV2080_CTRL_CMD_FB_QUERY_DRAM_ENCRYPTION_INFOROM_SUPPORT",
        params: "",
    },
    Control {
        number: 0x20801358,
        name: "NV2080_CTRL_CMD_FB_QUERY_DRAM_ENCRYPTION_STATUS",
        params: "NV2080_CTRL_FB_QUERY_DRAM_ENCRYPTION_STATUS_PARAMS",
    },
    Control {
        number: 0x20801359,
        name: "NV2080_CTRL_CMD_FB_GET_MEMORY_BOOT_TRAINING_FLAGS",
        params: "NV2080_CTRL_FB_GET_MEMORY_BOOT_TRAINING_FLAGS_PARAMS",
    },
    Control {
        number: 0x20801360,
        name: "NV2080_CTRL_CMD_FB_GET_CARVEOUT_REGION_INFO",
        params: "NV2080_CTRL_FB_GET_CARVEOUT_REGION_INFO_PARAMS",
    },
    Control {
        number: 0x20801361,
        name: "NV2080_CTRL_CMD_FB_GET_CPU_COHERENT_RANGE",
        params: "NV2080_CTRL_FB_GET_CPU_COHERENT_RANGE_PARAMS",
    },
    Control {
        number: 0x20801362,
        name: "NV2080_CTRL_CMD_FB_GET_WPR_REGION_INFO",
        params: "NV2080_CTRL_FB_GET_WPR_REGION_INFO_PARAMS",
    },
    Control {
        number: 0x20801701,
        name: "NV2080_CTRL_CMD_MC_GET_ARCH_INFO",
        params: "NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS",
    },
    Control {
        number: 0x20801702,
        name: "NV2080_CTRL_CMD_MC_SERVICE_INTERRUPTS",
        params: "NV2080_CTRL_MC_SERVICE_INTERRUPTS_PARAMS",
    },
    Control {
        number: 0x20801703,
        name: "NV2080_CTRL_CMD_MC_GET_MANUFACTURER",
        params: "NV2080_CTRL_MC_GET_MANUFACTURER_PARAMS",
    },
    Control {
        number: 0x2080170c,
        name: "NV2080_CTRL_CMD_MC_CHANGE_REPLAYABLE_FAULT_OWNERSHIP",
        params: "NV2080_CTRL_MC_CHANGE_REPLAYABLE_FAULT_OWNERSHIP_PARAMS",
    },
    Control {
        number: 0x2080170d,
        name: "NV2080_CTRL_CMD_MC_GET_ENGINE_NOTIFICATION_INTR_VECTORS",
        params: "NV2080_CTRL_MC_GET_ENGINE_NOTIFICATION_INTR_VECTORS_PARAMS",
    },
    Control {
        number: 0x2080170e,
        name: "NV2080_CTRL_CMD_MC_GET_STATIC_INTR_TABLE",
        params: "NV2080_CTRL_MC_GET_STATIC_INTR_TABLE_PARAMS",
    },
    Control {
        number: 0x2080170f,
        name: "NV2080_CTRL_CMD_MC_GET_INTR_CATEGORY_SUBTREE_MAP",
        params: "NV2080_CTRL_MC_GET_INTR_CATEGORY_SUBTREE_MAP_PARAMS",
    },
    Control {
        number: 0x20801801,
        name: "NV2080_CTRL_CMD_BUS_GET_PCI_INFO",
        params: "NV2080_CTRL_BUS_GET_PCI_INFO_PARAMS",
    },
    Control {
        number: 0x20801802,
        name: "NV2080_CTRL_CMD_BUS_GET_INFO",
        params: "NV2080_CTRL_BUS_GET_INFO_PARAMS",
    },
    Control {
        number: 0x20801803,
        name: "NV2080_CTRL_CMD_BUS_GET_PCI_BAR_INFO",
        params: "NV2080_CTRL_BUS_GET_PCI_BAR_INFO_PARAMS",
    },
    Control {
        number: 0x20801804,
        name: "NV2080_CTRL_CMD_BUS_SET_PCIE_LINK_WIDTH",
        params: "NV2080_CTRL_BUS_SET_PCIE_LINK_WIDTH_PARAMS",
    },
    Control {
        number: 0x20801805,
        name: "NV2080_CTRL_CMD_BUS_SET_PCIE_SPEED",
        params: "NV2080_CTRL_BUS_SET_PCIE_SPEED_PARAMS",
    },
    Control {
        number: 0x20801809,
        name: "NV2080_CTRL_CMD_BUS_MAP_BAR2",
        params: "NV2080_CTRL_BUS_MAP_BAR2_PARAMS",
    },
    Control {
        number: 0x2080180a,
        name: "NV2080_CTRL_CMD_BUS_UNMAP_BAR2",
        params: "NV2080_CTRL_BUS_UNMAP_BAR2_PARAMS",
    },
    Control {
        number: 0x2080180b,
        name: "NV2080_CTRL_CMD_BUS_VERIFY_BAR2",
        params: "NV2080_CTRL_BUS_VERIFY_BAR2_PARAMS",
    },
    Control {
        number: 0x20801812,
        name: "NV2080_CTRL_CMD_BUS_SERVICE_GPU_MULTIFUNC_STATE",
        params: "NV2080_CTRL_BUS_SERVICE_GPU_MULTIFUNC_STATE_PARAMS",
    },
    Control {
        number: 0x20801813,
        name: "NV2080_CTRL_CMD_BUS_GET_PEX_COUNTERS",
        params: "NV2080_CTRL_BUS_GET_PEX_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20801814,
        name: "NV2080_CTRL_CMD_BUS_CLEAR_PEX_COUNTERS",
        params: "NV2080_CTRL_BUS_CLEAR_PEX_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20801815,
        name: "NV2080_CTRL_CMD_BUS_FREEZE_PEX_COUNTERS",
        params: "NV2080_CTRL_BUS_FREEZE_PEX_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20801816,
        name: "NV2080_CTRL_CMD_BUS_GET_PEX_LANE_COUNTERS",
        params: "NV2080_CTRL_CMD_BUS_GET_PEX_LANE_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20801817,
        name: "NV2080_CTRL_CMD_BUS_GET_PCIE_LTR_LATENCY",
        params: "NV2080_CTRL_CMD_BUS_GET_PCIE_LTR_LATENCY_PARAMS",
    },
    Control {
        number: 0x20801818,
        name: "NV2080_CTRL_CMD_BUS_SET_PCIE_LTR_LATENCY",
        params: "NV2080_CTRL_CMD_BUS_SET_PCIE_LTR_LATENCY_PARAMS",
    },
    Control {
        number: 0x20801819,
        name: "NV2080_CTRL_CMD_BUS_GET_PEX_UTIL_COUNTERS",
        params: "NV2080_CTRL_BUS_GET_PEX_UTIL_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20801820,
        name: "NV2080_CTRL_CMD_BUS_CLEAR_PEX_UTIL_COUNTERS",
        params: "NV2080_CTRL_BUS_CLEAR_PEX_UTIL_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20801821,
        name: "NV2080_CTRL_CMD_BUS_GET_BFD",
        params: "NV2080_CTRL_BUS_GET_BFD_PARAMS",
    },
    Control {
        number: 0x20801822,
        name: "NV2080_CTRL_CMD_BUS_GET_ASPM_DISABLE_FLAGS",
        params: "NV2080_CTRL_BUS_GET_ASPM_DISABLE_FLAGS_PARAMS",
    },
    Control {
        number: 0x20801823,
        name: "NV2080_CTRL_CMD_BUS_GET_INFO_V2",
        params: "NV2080_CTRL_BUS_GET_INFO_V2_PARAMS",
    },
    Control {
        number: 0x20801824,
        name: "NV2080_CTRL_CMD_BUS_CONTROL_PUBLIC_ASPM_BITS",
        params: "NV2080_CTRL_CMD_BUS_CONTROL_PUBLIC_ASPM_BITS_PARAMS",
    },
    Control {
        number: 0x20801825,
        name: "NV2080_CTRL_CMD_BUS_GET_NVLINK_PEER_ID_MASK",
        params: "NV2080_CTRL_BUS_GET_NVLINK_PEER_ID_MASK_PARAMS",
    },
    Control {
        number: 0x20801826,
        name: "NV2080_CTRL_CMD_BUS_SET_EOM_PARAMETERS",
        params: "NV2080_CTRL_CMD_BUS_SET_EOM_PARAMETERS_PARAMS",
    },
    Control {
        number: 0x20801827,
        name: "NV2080_CTRL_CMD_BUS_GET_UPHY_DLN_CFG_SPACE",
        params: "NV2080_CTRL_CMD_BUS_GET_UPHY_DLN_CFG_SPACE_PARAMS",
    },
    Control {
        number: 0x20801828,
        name: "NV2080_CTRL_CMD_BUS_GET_EOM_STATUS",
        params: "NV2080_CTRL_BUS_GET_EOM_STATUS_PARAMS",
    },
    Control {
        number: 0x20801829,
        name: "NV2080_CTRL_CMD_BUS_GET_PCIE_REQ_ATOMICS_CAPS",
        params: "NV2080_CTRL_CMD_BUS_GET_PCIE_REQ_ATOMICS_CAPS_PARAMS",
    },
    Control {
        number: 0x2080182a,
        name: "NV2080_CTRL_CMD_BUS_GET_PCIE_SUPPORTED_GPU_ATOMICS",
        params: "NV2080_CTRL_CMD_BUS_GET_PCIE_SUPPORTED_GPU_ATOMICS_PARAMS",
    },
    Control {
        number: 0x2080182b,
        name: "NV2080_CTRL_CMD_BUS_GET_C2C_INFO",
        params: "NV2080_CTRL_CMD_BUS_GET_C2C_INFO_PARAMS",
    },
    Control {
        number: 0x2080182c,
        name: "NV2080_CTRL_CMD_BUS_SYSMEM_ACCESS",
        params: "NV2080_CTRL_BUS_SYSMEM_ACCESS_PARAMS",
    },
    Control {
        number: 0x2080182d,
        name: "NV2080_CTRL_CMD_BUS_GET_C2C_ERR_INFO",
        params: "NV2080_CTRL_BUS_GET_C2C_ERR_INFO_PARAMS",
    },
    Control {
        number: 0x2080182e,
        name: "NV2080_CTRL_CMD_BUS_SET_P2P_MAPPING",
        params: "NV2080_CTRL_BUS_SET_P2P_MAPPING_PARAMS",
    },
    Control {
        number: 0x2080182f,
        name: "NV2080_CTRL_CMD_BUS_UNSET_P2P_MAPPING",
        params: "NV2080_CTRL_BUS_UNSET_P2P_MAPPING_PARAMS",
    },
    Control {
        number: 0x20801830,
        name: "NV2080_CTRL_CMD_BUS_GET_PCIE_CPL_ATOMICS_CAPS",
        params: "NV2080_CTRL_CMD_BUS_GET_PCIE_CPL_ATOMICS_CAPS_PARAMS",
    },
    Control {
        number: 0x20801831,
        name: "NV2080_CTRL_CMD_BUS_GET_C2C_LPWR_STATS",
        params: "NV2080_CTRL_CMD_BUS_GET_C2C_LPWR_STATS_PARAMS",
    },
    Control {
        number: 0x20801832,
        name: "NV2080_CTRL_CMD_BUS_SET_C2C_LPWR_STATE_VOTE",
        params: "NV2080_CTRL_CMD_BUS_SET_C2C_LPWR_STATE_VOTE_PARAMS",
    },
    Control {
        number: 0x20802002,
        name: "NV2080_CTRL_CMD_PERF_GET_LEVEL_INFO",
        params: "NV2080_CTRL_PERF_GET_LEVEL_INFO_PARAMS",
    },
    Control {
        number: 0x2080200a,
        name: "NV2080_CTRL_CMD_PERF_BOOST",
        params: "NV2080_CTRL_PERF_BOOST_PARAMS",
    },
    Control {
        number: 0x2080200b,
        name: "NV2080_CTRL_CMD_PERF_GET_LEVEL_INFO_V2",
        params: "NV2080_CTRL_PERF_GET_LEVEL_INFO_V2_PARAMS",
    },
    Control {
        number: 0x2080205a,
        name: "NV2080_CTRL_CMD_PERF_GET_POWERSTATE",
        params: "NV2080_CTRL_PERF_GET_POWERSTATE_PARAMS",
    },
    Control {
        number: 0x2080205b,
        name: "NV2080_CTRL_CMD_PERF_SET_POWERSTATE",
        params: "NV2080_CTRL_PERF_SET_POWERSTATE_PARAMS",
    },
    Control {
        number: 0x2080205d,
        name: "NV2080_CTRL_CMD_PERF_NOTIFY_VIDEOEVENT",
        params: "NV2080_CTRL_PERF_NOTIFY_VIDEOEVENT_PARAMS",
    },
    Control {
        number: 0x20802068,
        name: "NV2080_CTRL_CMD_PERF_GET_CURRENT_PSTATE",
        params: "NV2080_CTRL_PERF_GET_CURRENT_PSTATE_PARAMS",
    },
    Control {
        number: 0x20802069,
        name: "NV2080_CTRL_CMD_PERF_GET_TEGRA_PERFMON_SAMPLE",
        params: "NV2080_CTRL_PERF_GET_TEGRA_PERFMON_SAMPLE_PARAMS",
    },
    Control {
        number: 0x2080206e,
        name: "NV2080_CTRL_CMD_PERF_RATED_TDP_GET_CONTROL",
        params: "NV2080_CTRL_PERF_RATED_TDP_GET_CONTROL_PARAMS",
    },
    Control {
        number: 0x2080206f,
        name: "NV2080_CTRL_CMD_PERF_RATED_TDP_SET_CONTROL",
        params: "NV2080_CTRL_PERF_RATED_TDP_SET_CONTROL_PARAMS",
    },
    Control {
        number: 0x20802087,
        name: "NV2080_CTRL_CMD_PERF_GET_VID_ENG_PERFMON_SAMPLE",
        params: "NV2080_CTRL_PERF_GET_VID_ENG_PERFMON_SAMPLE_PARAMS",
    },
    Control {
        number: 0x20802089,
        name: "NV2080_CTRL_CMD_PERF_GPU_IS_IDLE",
        params: "NV2080_CTRL_PERF_GPU_IS_IDLE_PARAMS",
    },
    Control {
        number: 0x2080208f,
        name: "NV2080_CTRL_CMD_PERF_AGGRESSIVE_PSTATE_NOTIFY",
        params: "NV2080_CTRL_PERF_AGGRESSIVE_PSTATE_NOTIFY_PARAMS",
    },
    Control {
        number: 0x20802092,
        name: "NV2080_CTRL_CMD_PERF_SET_AUX_POWER_STATE",
        params: "NV2080_CTRL_PERF_SET_AUX_POWER_STATE_PARAMS",
    },
    Control {
        number: 0x20802093,
        name: "NV2080_CTRL_CMD_PERF_RESERVE_PERFMON_HW",
        params: "NV2080_CTRL_PERF_RESERVE_PERFMON_HW_PARAMS",
    },
    Control {
        number: 0x20802096,
        name: "NV2080_CTRL_CMD_PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2",
        params: "NV2080_CTRL_PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2_PARAMS",
    },
    Control {
        number: 0x20802204,
        name: "NV2080_CTRL_CMD_RC_READ_VIRTUAL_MEM",
        params: "NV2080_CTRL_RC_READ_VIRTUAL_MEM_PARAMS",
    },
    Control {
        number: 0x20802205,
        name: "NV2080_CTRL_CMD_RC_GET_ERROR_COUNT",
        params: "NV2080_CTRL_RC_GET_ERROR_COUNT_PARAMS",
    },
    Control {
        number: 0x20802206,
        name: "NV2080_CTRL_CMD_RC_GET_ERROR",
        params: "",
    },
    Control {
        number: 0x20802207,
        name: "NV2080_CTRL_CMD_RC_SET_CLEAN_ERROR_HISTORY",
        params: "",
    },
    Control {
        number: 0x20802209,
        name: "NV2080_CTRL_CMD_RC_GET_WATCHDOG_INFO",
        params: "NV2080_CTRL_RC_GET_WATCHDOG_INFO_PARAMS",
    },
    Control {
        number: 0x2080220a,
        name: "NV2080_CTRL_CMD_RC_DISABLE_WATCHDOG",
        params: "",
    },
    Control {
        number: 0x2080220b,
        name: "NV2080_CTRL_CMD_RC_ENABLE_WATCHDOG",
        params: "",
    },
    Control {
        number: 0x2080220c,
        name: "NV2080_CTRL_CMD_RC_RELEASE_WATCHDOG_REQUESTS",
        params: "",
    },
    Control {
        number: 0x2080220d,
        name: "NV2080_CTRL_CMD_SET_RC_RECOVERY",
        params: "NV2080_CTRL_SET_RC_RECOVERY_PARAMS",
    },
    Control {
        number: 0x2080220e,
        name: "NV2080_CTRL_CMD_GET_RC_RECOVERY",
        params: "NV2080_CTRL_GET_RC_RECOVERY_PARAMS",
    },
    Control {
        number: 0x2080220f,
        name: "NV2080_CTRL_CMD_TDR_SET_TIMEOUT_STATE",
        params: "NV2080_CTRL_TDR_SET_TIMEOUT_STATE_PARAMS",
    },
    Control {
        number: 0x20802210,
        name: "NV2080_CTRL_CMD_RC_SOFT_DISABLE_WATCHDOG",
        params: "",
    },
    Control {
        number: 0x20802211,
        name: "NV2080_CTRL_CMD_SET_RC_INFO",
        params: "NV2080_CTRL_SET_RC_INFO_PARAMS",
    },
    Control {
        number: 0x20802212,
        name: "NV2080_CTRL_CMD_GET_RC_INFO",
        params: "NV2080_CTRL_GET_RC_INFO_PARAMS",
    },
    Control {
        number: 0x20802213,
        name: "NV2080_CTRL_CMD_RC_GET_ERROR_V2",
        params: "NV2080_CTRL_RC_GET_ERROR_V2_PARAMS",
    },
    Control {
        number: 0x20802300,
        name: "NV2080_CTRL_CMD_INTERNAL_GPIO_PROGRAM_DIRECTION",
        params: "NV2080_CTRL_INTERNAL_GPIO_PROGRAM_DIRECTION_PARAMS",
    },
    Control {
        number: 0x20802301,
        name: "NV2080_CTRL_CMD_INTERNAL_GPIO_PROGRAM_OUTPUT",
        params: "NV2080_CTRL_INTERNAL_GPIO_PROGRAM_OUTPUT_PARAMS",
    },
    Control {
        number: 0x20802302,
        name: "NV2080_CTRL_CMD_INTERNAL_GPIO_READ_INPUT",
        params: "NV2080_CTRL_INTERNAL_GPIO_READ_INPUT_PARAMS",
    },
    Control {
        number: 0x20802303,
        name: "NV2080_CTRL_CMD_INTERNAL_GPIO_ACTIVATE_HW_FUNCTION",
        params: "NV2080_CTRL_INTERNAL_GPIO_ACTIVATE_HW_FUNCTION_PARAMS",
    },
    Control {
        number: 0x20802401,
        name: "NV2080_CTRL_CMD_NVD_GET_DUMP_SIZE",
        params: "NV2080_CTRL_NVD_GET_DUMP_SIZE_PARAMS",
    },
    Control {
        number: 0x20802402,
        name: "NV2080_CTRL_CMD_NVD_GET_DUMP",
        params: "NV2080_CTRL_NVD_GET_DUMP_PARAMS",
    },
    Control {
        number: 0x20802409,
        name: "NV2080_CTRL_CMD_NVD_GET_NOCAT_JOURNAL",
        params: "NV2080_CTRL_NVD_GET_NOCAT_JOURNAL_PARAMS",
    },
    Control {
        number: 0x2080240b,
        name: "NV2080_CTRL_CMD_NVD_SET_NOCAT_JOURNAL_DATA",
        params: "NV2080_CTRL_NVD_SET_NOCAT_JOURNAL_DATA_PARAMS",
    },
    Control {
        number: 0x2080240c,
        name: "NV2080_CTRL_CMD_NVD_INSERT_NOCAT_JOURNAL_RECORD",
        params: "NV2080_CTRL_CMD_NVD_INSERT_NOCAT_JOURNAL_RECORD_PARAMS",
    },
    Control {
        number: 0x20802502,
        name: "NV2080_CTRL_CMD_DMA_INVALIDATE_TLB",
        params: "NV2080_CTRL_DMA_INVALIDATE_TLB_PARAMS",
    },
    Control {
        number: 0x20802503,
        name: "NV2080_CTRL_CMD_DMA_GET_INFO",
        params: "NV2080_CTRL_DMA_GET_INFO_PARAMS",
    },
    Control {
        number: 0x20802609,
        name: "NV2080_CTRL_CMD_PMGR_GET_MODULE_INFO",
        params: "",
    },
    Control {
        number: 0x2080270d,
        name: "NV2080_CTRL_CMD_GC6_ENTRY",
        params: "NV2080_CTRL_GC6_ENTRY_PARAMS",
    },
    Control {
        number: 0x2080270e,
        name: "NV2080_CTRL_CMD_GC6_EXIT",
        params: "NV2080_CTRL_GC6_EXIT_PARAMS",
    },
    Control {
        number: 0x20802801,
        name: "NV2080_CTRL_CMD_LPWR_DIFR_CTRL",
        params: "NV2080_CTRL_CMD_LPWR_DIFR_CTRL_PARAMS",
    },
    Control {
        number: 0x20802802,
        name: "NV2080_CTRL_CMD_LPWR_DIFR_PREFETCH_RESPONSE",
        params: "NV2080_CTRL_CMD_LPWR_DIFR_PREFETCH_RESPONSE_PARAMS",
    },
    Control {
        number: 0x20802a01,
        name: "NV2080_CTRL_CMD_CE_GET_CAPS",
        params: "NV2080_CTRL_CE_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x20802a02,
        name: "NV2080_CTRL_CMD_CE_GET_CE_PCE_MASK",
        params: "NV2080_CTRL_CE_GET_CE_PCE_MASK_PARAMS",
    },
    Control {
        number: 0x20802a03,
        name: "NV2080_CTRL_CMD_CE_GET_CAPS_V2",
        params: "NV2080_CTRL_CE_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x20802a04,
        name: "NV2080_CTRL_CMD_CE_SET_PCE_LCE_CONFIG",
        params: "NV2080_CTRL_CE_SET_PCE_LCE_CONFIG_PARAMS",
    },
    Control {
        number: 0x20802a05,
        name: "NV2080_CTRL_CMD_CE_UPDATE_PCE_LCE_MAPPINGS",
        params: "NV2080_CTRL_CE_UPDATE_PCE_LCE_MAPPINGS_PARAMS",
    },
    Control {
        number: 0x20802a06,
        name: "NV2080_CTRL_CMD_CE_UPDATE_CLASS_DB",
        params: "NV2080_CTRL_CE_UPDATE_CLASS_DB_PARAMS",
    },
    Control {
        number: 0x20802a07,
        name: "NV2080_CTRL_CMD_CE_GET_PHYSICAL_CAPS",
        params: "NV2080_CTRL_CE_GET_PHYSICAL_CAPS_PARAMS",
    },
    Control {
        number: 0x20802a08,
        name: "NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE",
        params: "NV2080_CTRL_CE_GET_FAULT_METHOD_BUFFER_SIZE_PARAMS",
    },
    Control {
        number: 0x20802a09,
        name: "NV2080_CTRL_CMD_CE_GET_HUB_PCE_MASK",
        params: "NV2080_CTRL_CE_GET_HUB_PCE_MASK_PARAMS",
    },
    Control {
        number: 0x20802a0a,
        name: "NV2080_CTRL_CMD_CE_GET_ALL_CAPS",
        params: "NV2080_CTRL_CE_GET_ALL_CAPS_PARAMS",
    },
    Control {
        number: 0x20802a0b,
        name: "NV2080_CTRL_CMD_CE_GET_ALL_PHYSICAL_CAPS",
        params: "NV2080_CTRL_CE_GET_ALL_PHYSICAL_CAPS_PARAMS",
    },
    Control {
        number: 0x20802a0c,
        name: "NV2080_CTRL_CMD_CE_GET_LCE_SHIM_INFO",
        params: "NV2080_CTRL_CE_GET_LCE_SHIM_INFO_PARAMS",
    },
    Control {
        number: 0x20802a0d,
        name: "NV2080_CTRL_CMD_CE_UPDATE_PCE_LCE_MAPPINGS_V2",
        params: "NV2080_CTRL_CE_UPDATE_PCE_LCE_MAPPINGS_V2_PARAMS",
    },
    Control {
        number: 0x20802a0e,
        name: "NV2080_CTRL_CMD_CE_GET_HUB_PCE_MASK_V2",
        params: "NV2080_CTRL_CE_GET_HUB_PCE_MASK_V2_PARAMS",
    },
    Control {
        number: 0x20802a0f,
        name: "NV2080_CTRL_CMD_INTERNAL_CE_GET_PCE_CONFIG_FOR_LCE_TYPE",
        params: "NV2080_CTRL_INTERNAL_CE_GET_PCE_CONFIG_FOR_LCE_TYPE_PARAMS",
    },
    Control {
        number: 0x20802a11,
        name: "NV2080_CTRL_CMD_CE_GET_DECOMP_LCE_MASK",
        params: "NV2080_CTRL_CE_GET_DECOMP_LCE_MASK_PARAMS",
    },
    Control {
        number: 0x20802a12,
        name: "NV2080_CTRL_CMD_CE_IS_DECOMP_LCE_ENABLED",
        params: "NV2080_CTRL_CE_IS_DECOMP_LCE_ENABLED_PARAMS",
    },
    Control {
        number: 0x20803001,
        name: "NV2080_CTRL_CMD_NVLINK_GET_NVLINK_CAPS",
        params: "NV2080_CTRL_CMD_NVLINK_GET_NVLINK_CAPS_PARAMS",
    },
    Control {
        number: 0x20803002,
        name: "NV2080_CTRL_CMD_NVLINK_GET_NVLINK_STATUS",
        params: "NV2080_CTRL_CMD_NVLINK_GET_NVLINK_STATUS_PARAMS",
    },
    Control {
        number: 0x20803003,
        name: "NV2080_CTRL_CMD_NVLINK_GET_ERR_INFO",
        params: "NV2080_CTRL_NVLINK_GET_ERR_INFO_PARAMS",
    },
    Control {
        number: 0x20803004,
        name: "NV2080_CTRL_CMD_NVLINK_GET_COUNTERS",
        params: "NV2080_CTRL_NVLINK_GET_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20803005,
        name: "NV2080_CTRL_CMD_NVLINK_CLEAR_COUNTERS",
        params: "NV2080_CTRL_NVLINK_CLEAR_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20803006,
        name: "NV2080_CTRL_CMD_NVLINK_INJECT_ERROR",
        params: "NV2080_CTRL_NVLINK_INJECT_ERROR_PARAMS",
    },
    Control {
        number: 0x20803007,
        name: "NV2080_CTRL_CMD_NVLINK_GET_ERROR_RECOVERIES",
        params: "NV2080_CTRL_CMD_NVLINK_GET_ERROR_RECOVERIES_PARAMS",
    },
    Control {
        number: 0x20803008,
        name: "NV2080_CTRL_CMD_NVLINK_GET_LINK_LAST_ERROR_REMOTE_TYPE",
        params: "NV2080_CTRL_NVLINK_GET_LINK_LAST_ERROR_REMOTE_TYPE_PARAMS",
    },
    Control {
        number: 0x20803009,
        name: "NV2080_CTRL_CMD_NVLINK_GET_LINK_FATAL_ERROR_COUNTS",
        params: "NV2080_CTRL_NVLINK_GET_LINK_FATAL_ERROR_COUNTS_PARAMS",
    },
    Control {
        number: 0x2080300a,
        name: "NV2080_CTRL_CMD_NVLINK_GET_LINK_NONFATAL_ERROR_RATES",
        params: "NV2080_CTRL_NVLINK_GET_LINK_NONFATAL_ERROR_RATES_PARAMS",
    },
    Control {
        number: 0x2080300b,
        name: "NV2080_CTRL_CMD_NVLINK_SET_ERROR_INJECTION_MODE",
        params: "NV2080_CTRL_NVLINK_SET_ERROR_INJECTION_MODE_PARAMS",
    },
    Control {
        number: 0x2080300c,
        name: "NV2080_CTRL_CMD_NVLINK_SETUP_EOM",
        params: "NV2080_CTRL_CMD_NVLINK_SETUP_EOM_PARAMS",
    },
    Control {
        number: 0x2080300d,
        name: "NV2080_CTRL_CMD_NVLINK_SET_POWER_STATE",
        params: "NV2080_CTRL_NVLINK_SET_POWER_STATE_PARAMS",
    },
    Control {
        number: 0x2080300e,
        name: "NV2080_CTRL_CMD_NVLINK_GET_POWER_STATE",
        params: "NV2080_CTRL_NVLINK_GET_POWER_STATE_PARAMS",
    },
    Control {
        number: 0x2080300f,
        name: "NV2080_CTRL_CMD_NVLINK_INJECT_TLC_ERROR",
        params: "NV2080_CTRL_NVLINK_INJECT_TLC_ERROR_PARAMS",
    },
    Control {
        number: 0x20803011,
        name: "NV2080_CTRL_CMD_NVLINK_GET_LINK_FOM_VALUES",
        params: "NV2080_CTRL_CMD_NVLINK_GET_LINK_FOM_VALUES_PARAMS",
    },
    Control {
        number: 0x20803012,
        name: "NV2080_CTRL_CMD_NVLINK_SET_NVLINK_PEER",
        params: "NV2080_CTRL_NVLINK_SET_NVLINK_PEER_PARAMS",
    },
    Control {
        number: 0x20803013,
        name: "NV2080_CTRL_CMD_NVLINK_READ_UPHY_PAD_LANE_REG",
        params: "NV2080_CTRL_NVLINK_READ_UPHY_PAD_LANE_REG_PARAMS",
    },
    Control {
        number: 0x20803014,
        name: "NV2080_CTRL_CMD_NVLINK_GET_NVLINK_ECC_ERRORS",
        params: "NV2080_CTRL_NVLINK_GET_NVLINK_ECC_ERRORS_PARAMS",
    },
    Control {
        number: 0x20803015,
        name: "NV2080_CTRL_CMD_NVLINK_READ_TP_COUNTERS",
        params: "NV2080_CTRL_NVLINK_READ_TP_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20803016,
        name: "NV2080_CTRL_CMD_NVLINK_LOCK_LINK_POWER_STATE",
        params: "NV2080_CTRL_CMD_NVLINK_LOCK_LINK_POWER_STATE_PARAMS",
    },
    Control {
        number: 0x20803018,
        name: "NV2080_CTRL_CMD_NVLINK_GET_LP_COUNTERS",
        params: "NV2080_CTRL_NVLINK_GET_LP_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20803023,
        name: "NV2080_CTRL_CMD_NVLINK_SET_LOOPBACK_MODE",
        params: "NV2080_CTRL_NVLINK_SET_LOOPBACK_MODE_PARAMS",
    },
    Control {
        number: 0x20803028,
        name: "NV2080_CTRL_CMD_NVLINK_GET_REFRESH_COUNTERS",
        params: "NV2080_CTRL_NVLINK_GET_REFRESH_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20803029,
        name: "NV2080_CTRL_CMD_NVLINK_CLEAR_REFRESH_COUNTERS",
        params: "NV2080_CTRL_NVLINK_CLEAR_REFRESH_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20803038,
        name: "NV2080_CTRL_CMD_NVLINK_GET_SET_NVSWITCH_FLA_ADDR",
        params: "NV2080_CTRL_NVLINK_GET_SET_NVSWITCH_FLA_ADDR_PARAMS",
    },
    Control {
        number: 0x20803039,
        name: "NV2080_CTRL_CMD_NVLINK_SYNC_LINK_MASKS_AND_VBIOS_INFO",
        params: "NV2080_CTRL_NVLINK_SYNC_LINK_MASKS_AND_VBIOS_INFO_PARAMS",
    },
    Control {
        number: 0x2080303a,
        name: "NV2080_CTRL_CMD_NVLINK_ENABLE_LINKS",
        params: "",
    },
    Control {
        number: 0x2080303b,
        name: "NV2080_CTRL_CMD_NVLINK_PROCESS_INIT_DISABLED_LINKS",
        params: "NV2080_CTRL_NVLINK_PROCESS_INIT_DISABLED_LINKS_PARAMS",
    },
    Control {
        number: 0x2080303c,
        name: "NV2080_CTRL_CMD_NVLINK_EOM_CONTROL",
        params: "NV2080_CTRL_NVLINK_EOM_CONTROL_PARAMS",
    },
    Control {
        number: 0x2080303d,
        name: "NV2080_CTRL_CMD_READ_NVLINK_INBAND_RESPONSE",
        params: "",
    },
    Control {
        number: 0x2080303e,
        name: "NV2080_CTRL_CMD_NVLINK_SET_L1_THRESHOLD",
        params: "NV2080_CTRL_NVLINK_SET_L1_THRESHOLD_PARAMS",
    },
    Control {
        number: 0x2080303f,
        name: "NV2080_CTRL_CMD_NVLINK_GET_L1_THRESHOLD",
        params: "NV2080_CTRL_NVLINK_GET_L1_THRESHOLD_PARAMS",
    },
    Control {
        number: 0x20803040,
        name: "NV2080_CTRL_CMD_NVLINK_INBAND_SEND_DATA",
        params: "NV2080_CTRL_NVLINK_INBAND_SEND_DATA_PARAMS",
    },
    Control {
        number: 0x20803041,
        name: "NV2080_CTRL_CMD_NVLINK_IS_GPU_DEGRADED",
        params: "NV2080_CTRL_NVLINK_IS_GPU_DEGRADED_PARAMS",
    },
    Control {
        number: 0x20803042,
        name: "NV2080_CTRL_CMD_NVLINK_DIRECT_CONNECT_CHECK",
        params: "NV2080_CTRL_NVLINK_DIRECT_CONNECT_CHECK_PARAMS",
    },
    Control {
        number: 0x20803043,
        name: "NV2080_CTRL_CMD_NVLINK_POST_FAULT_UP",
        params: "NV2080_CTRL_NVLINK_POST_FAULT_UP_PARAMS",
    },
    Control {
        number: 0x20803044,
        name: "NV2080_CTRL_CMD_NVLINK_GET_PORT_EVENTS",
        params: "NV2080_CTRL_NVLINK_GET_PORT_EVENTS_PARAMS",
    },
    Control {
        number: 0x20803045,
        name: "NV2080_CTRL_CMD_NVLINK_CYCLE_LINK",
        params: "NV2080_CTRL_NVLINK_CYCLE_LINK_PARAMS",
    },
    Control {
        number: 0x20803046,
        name: "NV2080_CTRL_CMD_NVLINK_IS_REDUCED_CONFIG",
        params: "NV2080_CTRL_NVLINK_IS_REDUCED_CONFIG_PARAMS",
    },
    Control {
        number: 0x20803047,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PAOS",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PAOS_PARAMS",
    },
    Control {
        number: 0x20803050,
        name: "NV2080_CTRL_CMD_NVLINK_GET_COUNTERS_V2",
        params: "NV2080_CTRL_NVLINK_GET_COUNTERS_V2_PARAMS",
    },
    Control {
        number: 0x20803051,
        name: "NV2080_CTRL_CMD_NVLINK_CLEAR_COUNTERS_V2",
        params: "NV2080_CTRL_NVLINK_CLEAR_COUNTERS_V2_PARAMS",
    },
    Control {
        number: 0x20803052,
        name: "NV2080_CTRL_CMD_NVLINK_CLEAR_LP_COUNTERS",
        params: "",
    },
    Control {
        number: 0x20803053,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PLTC",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PLTC_PARAMS",
    },
    Control {
        number: 0x20803054,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPLM",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPLM_PARAMS",
    },
    Control {
        number: 0x20803055,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPSLC",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPSLC_PARAMS",
    },
    Control {
        number: 0x20803056,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MCAM",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MCAM_PARAMS",
    },
    Control {
        number: 0x2080305c,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTECR",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTECR_PARAMS",
    },
    Control {
        number: 0x2080305e,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTEWE",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTEWE_PARAMS",
    },
    Control {
        number: 0x2080305f,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTSDE",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTSDE_PARAMS",
    },
    Control {
        number: 0x20803061,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTCAP",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTCAP_PARAMS",
    },
    Control {
        number: 0x20803062,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PMTU",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PMTU_PARAMS",
    },
    Control {
        number: 0x20803064,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PMLP",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PMLP_PARAMS",
    },
    Control {
        number: 0x20803065,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_GHPKT",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_GHPKT_PARAMS",
    },
    Control {
        number: 0x20803066,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PDDR",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PDDR_PARAMS",
    },
    Control {
        number: 0x20803068,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPTT",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPTT_PARAMS",
    },
    Control {
        number: 0x20803069,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPCNT",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPCNT_PARAMS",
    },
    Control {
        number: 0x2080306a,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MGIR",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MGIR_PARAMS",
    },
    Control {
        number: 0x2080306b,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPAOS",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPAOS_PARAMS",
    },
    Control {
        number: 0x2080306c,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPHCR",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPHCR_PARAMS",
    },
    Control {
        number: 0x2080306d,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_SLTP",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_SLTP_PARAMS",
    },
    Control {
        number: 0x2080306e,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PGUID",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PGUID_PARAMS",
    },
    Control {
        number: 0x2080306f,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPRT",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPRT_PARAMS",
    },
    Control {
        number: 0x20803070,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PTYS",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PTYS_PARAMS",
    },
    Control {
        number: 0x20803071,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_SLRG",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_SLRG_PARAMS",
    },
    Control {
        number: 0x20803072,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PMAOS",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PMAOS_PARAMS",
    },
    Control {
        number: 0x20803073,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPLR",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPLR_PARAMS",
    },
    Control {
        number: 0x20803074,
        name: "NV2080_CTRL_CMD_NVLINK_GET_SUPPORTED_COUNTERS",
        params: "NV2080_CTRL_NVLINK_GET_SUPPORTED_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20803075,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MORD",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MORD_PARAMS",
    },
    Control {
        number: 0x20803076,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTRC_CAP",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTRC_CAP_PARAMS",
    },
    Control {
        number: 0x20803077,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTRC_CONF",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTRC_CONF_PARAMS",
    },
    Control {
        number: 0x20803078,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTRC_CTRL",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTRC_CTRL_PARAMS",
    },
    Control {
        number: 0x20803079,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTEIM",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTEIM_PARAMS",
    },
    Control {
        number: 0x2080307a,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTIE",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTIE_PARAMS",
    },
    Control {
        number: 0x2080307b,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTIM",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTIM_PARAMS",
    },
    Control {
        number: 0x2080307c,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MPSCR",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MPSCR_PARAMS",
    },
    Control {
        number: 0x2080307d,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MTSR",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MTSR_PARAMS",
    },
    Control {
        number: 0x2080307e,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPSLS",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPSLS_PARAMS",
    },
    Control {
        number: 0x2080307f,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MLPC",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MLPC_PARAMS",
    },
    Control {
        number: 0x20803080,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PLIB",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PLIB_PARAMS",
    },
    Control {
        number: 0x20803081,
        name: "NV2080_CTRL_CMD_NVLINK_SET_HW_ERROR_INJECT",
        params: "NV2080_CTRL_NVLINK_SET_HW_ERROR_INJECT_PARAMS",
    },
    Control {
        number: 0x20803082,
        name: "NV2080_CTRL_CMD_NVLINK_GET_HW_ERROR_INJECT",
        params: "NV2080_CTRL_NVLINK_GET_HW_ERROR_INJECT_PARAMS",
    },
    Control {
        number: 0x20803083,
        name: "NV2080_CTRL_CMD_NVLINK_GET_PLATFORM_INFO",
        params: "NV2080_CTRL_NVLINK_GET_PLATFORM_INFO_PARAMS",
    },
    Control {
        number: 0x20803084,
        name: "NV2080_CTRL_CMD_NVLINK_READ_UPHY_CLN",
        params: "",
    },
    Control {
        number: 0x20803085,
        name: "NV2080_CTRL_CMD_NVLINK_GET_SUPPORTED_BW_MODE",
        params: "NV2080_CTRL_NVLINK_GET_SUPPORTED_BW_MODE_PARAMS",
    },
    Control {
        number: 0x20803086,
        name: "NV2080_CTRL_CMD_NVLINK_SET_BW_MODE",
        params: "NV2080_CTRL_NVLINK_SET_BW_MODE_PARAMS",
    },
    Control {
        number: 0x20803087,
        name: "NV2080_CTRL_CMD_NVLINK_GET_BW_MODE",
        params: "NV2080_CTRL_NVLINK_GET_BW_MODE_PARAMS",
    },
    Control {
        number: 0x20803088,
        name: "NV2080_CTRL_CMD_NVLINK_GET_LOCAL_DEVICE_INFO",
        params: "NV2080_CTRL_NVLINK_GET_LOCAL_DEVICE_INFO_PARAMS",
    },
    Control {
        number: 0x20803089,
        name: "NV2080_CTRL_CMD_NVLINK_INJECT_SW_ERROR",
        params: "NV2080_CTRL_NVLINK_INJECT_SW_ERROR_PARAMS",
    },
    Control {
        number: 0x2080308a,
        name: "NV2080_CTRL_CMD_NVLINK_POST_LAZY_ERROR_RECOVERY",
        params: "",
    },
    Control {
        number: 0x2080308b,
        name: "NV2080_CTRL_CMD_NVLINK_GET_NVLE_ENCRYPT_EN_INFO",
        params: "NV2080_CTRL_NVLINK_GET_NVLE_ENCRYPT_EN_INFO_PARAMS",
    },
    Control {
        number: 0x2080308c,
        name: "NV2080_CTRL_NVLINK_UPDATE_NVLE_TOPOLOGY",
        params: "NV2080_CTRL_NVLINK_UPDATE_NVLE_TOPOLOGY_PARAMS",
    },
    Control {
        number: 0x2080308d,
        name: "NV2080_CTRL_NVLINK_GET_NVLE_LIDS",
        params: "NV2080_CTRL_NVLINK_GET_NVLE_LIDS_PARAMS",
    },
    Control {
        number: 0x2080308e,
        name: "NV2080_CTRL_CMD_NVLINK_CONFIGURE_L1_TOGGLE",
        params: "NV2080_CTRL_NVLINK_CONFIGURE_L1_TOGGLE_PARAMS",
    },
    Control {
        number: 0x2080308f,
        name: "NV2080_CTRL_CMD_NVLINK_GET_L1_TOGGLE",
        params: "NV2080_CTRL_NVLINK_GET_L1_TOGGLE_PARAMS",
    },
    Control {
        number: 0x20803090,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_MCSR",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_MCSR_PARAMS",
    },
    Control {
        number: 0x20803091,
        name: "NV2080_CTRL_NVLINK_GET_FIRMWARE_VERSION_INFO",
        params: "NV2080_CTRL_NVLINK_GET_FIRMWARE_VERSION_INFO_PARAMS",
    },
    Control {
        number: 0x20803092,
        name: "NV2080_CTRL_CMD_NVLINK_SET_NVLE_ENABLED_STATE",
        params: "NV2080_CTRL_NVLINK_SET_NVLE_ENABLED_STATE_PARAMS",
    },
    Control {
        number: 0x20803093,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PTASV2",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PTASV2_PARAMS",
    },
    Control {
        number: 0x20803094,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_SLLM_5NM",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_SLLM_5NM_PARAMS",
    },
    Control {
        number: 0x20803095,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PARAMS",
    },
    Control {
        number: 0x20803096,
        name: "NV2080_CTRL_CMD_NVLINK_PRM_ACCESS_PPRM",
        params: "NV2080_CTRL_NVLINK_PRM_ACCESS_PPRM_PARAMS",
    },
    Control {
        number: 0x2080309a,
        name: "NV2080_CTRL_CMD_NVLINK_SAVE_NODE_HOSTNAME",
        params: "NV2080_CTRL_NVLINK_SAVE_NODE_HOSTNAME_PARAMS",
    },
    Control {
        number: 0x2080309b,
        name: "NV2080_CTRL_CMD_NVLINK_GET_SAVED_NODE_HOSTNAME",
        params: "NV2080_CTRL_NVLINK_GET_SAVED_NODE_HOSTNAME_PARAMS",
    },
    Control {
        number: 0x20803101,
        name: "NV2080_CTRL_CMD_FLCN_GET_DMEM_USAGE",
        params: "NV2080_CTRL_FLCN_GET_DMEM_USAGE_PARAMS",
    },
    Control {
        number: 0x20803118,
        name: "NV2080_CTRL_CMD_FLCN_GET_ENGINE_ARCH",
        params: "NV2080_CTRL_FLCN_GET_ENGINE_ARCH_PARAMS",
    },
    Control {
        number: 0x20803120,
        name: "NV2080_CTRL_CMD_FLCN_USTREAMER_QUEUE_INFO",
        params: "NV2080_CTRL_FLCN_USTREAMER_QUEUE_INFO_PARAMS",
    },
    Control {
        number: 0x20803122,
        name: "NV2080_CTRL_CMD_FLCN_USTREAMER_CONTROL_GET",
        params: "NV2080_CTRL_FLCN_USTREAMER_CONTROL_GET_PARAMS",
    },
    Control {
        number: 0x20803123,
        name: "NV2080_CTRL_CMD_FLCN_USTREAMER_CONTROL_SET",
        params: "NV2080_CTRL_FLCN_USTREAMER_CONTROL_SET_PARAMS",
    },
    Control {
        number: 0x20803124,
        name: "NV2080_CTRL_CMD_FLCN_GET_CTX_BUFFER_INFO",
        params: "NV2080_CTRL_FLCN_GET_CTX_BUFFER_INFO_PARAMS",
    },
    Control {
        number: 0x20803125,
        name: "NV2080_CTRL_CMD_FLCN_GET_CTX_BUFFER_SIZE",
        params: "NV2080_CTRL_FLCN_GET_CTX_BUFFER_SIZE_PARAMS",
    },
    Control {
        number: 0x20803400,
        name: "NV2080_CTRL_CMD_ECC_GET_CLIENT_EXPOSED_COUNTERS",
        params: "NV2080_CTRL_ECC_GET_CLIENT_EXPOSED_COUNTERS_PARAMS",
    },
    Control {
        number: 0x20803401,
        name: "NV2080_CTRL_CMD_ECC_GET_VOLATILE_COUNTS",
        params: "NV2080_CTRL_ECC_GET_VOLATILE_COUNTS_PARAMS",
    },
    Control {
        number: 0x20803402,
        name: "NV2080_CTRL_CMD_ECC_GET_SRAM_UNIQUE_UNCORR_COUNTS",
        params: "NV2080_CTRL_ECC_GET_SRAM_UNIQUE_UNCORR_COUNTS_PARAMS",
    },
    Control {
        number: 0x20803403,
        name: "NV2080_CTRL_CMD_ECC_INJECT_ERROR",
        params: "NV2080_CTRL_ECC_INJECT_ERROR_PARAMS",
    },
    Control {
        number: 0x20803404,
        name: "NV2080_CTRL_CMD_ECC_GET_REPAIR_STATUS",
        params: "NV2080_CTRL_ECC_GET_REPAIR_STATUS_PARAMS",
    },
    Control {
        number: 0x20803501,
        name: "NV2080_CTRL_CMD_FLA_RANGE",
        params: "NV2080_CTRL_FLA_RANGE_PARAMS",
    },
    Control {
        number: 0x20803502,
        name: "NV2080_CTRL_CMD_FLA_SETUP_INSTANCE_MEM_BLOCK",
        params: "NV2080_CTRL_FLA_SETUP_INSTANCE_MEM_BLOCK_PARAMS",
    },
    Control {
        number: 0x20803503,
        name: "NV2080_CTRL_CMD_FLA_GET_RANGE",
        params: "NV2080_CTRL_FLA_GET_RANGE_PARAMS",
    },
    Control {
        number: 0x20803504,
        name: "NV2080_CTRL_CMD_FLA_GET_FABRIC_MEM_STATS",
        params: "NV2080_CTRL_FLA_GET_FABRIC_MEM_STATS_PARAMS",
    },
    Control {
        number: 0x20803601,
        name: "NV2080_CTRL_CMD_GSP_GET_FEATURES",
        params: "NV2080_CTRL_GSP_GET_FEATURES_PARAMS",
    },
    Control {
        number: 0x20803602,
        name: "NV2080_CTRL_CMD_GSP_GET_RM_HEAP_STATS",
        params: "NV2080_CTRL_GSP_GET_RM_HEAP_STATS_PARAMS",
    },
    Control {
        number: 0x20803603,
        name: "NV2080_CTRL_CMD_GSP_GET_VGPU_HEAP_STATS",
        params: "NV2080_CTRL_CMD_GSP_GET_VGPU_HEAP_STATS_PARAMS",
    },
    Control {
        number: 0x20803604,
        name: "NV2080_CTRL_CMD_GSP_GET_LIBOS_HEAP_STATS",
        params: "NV2080_CTRL_CMD_GSP_GET_LIBOS_HEAP_STATS_PARAMS",
    },
    Control {
        number: 0x20803801,
        name: "NV2080_CTRL_CMD_GRMGR_GET_GR_FS_INFO",
        params: "NV2080_CTRL_GRMGR_GET_GR_FS_INFO_PARAMS",
    },
    Control {
        number: 0x20803a01,
        name: "NV2080_CTRL_CMD_DMABUF_EXPORT_OBJECTS_TO_FD",
        params: "",
    },
    Control {
        number: 0x20803d01,
        name: "NV2080_CTRL_CMD_OS_UNIX_GC6_BLOCKER_REFCNT",
        params: "NV2080_CTRL_OS_UNIX_GC6_BLOCKER_REFCNT_PARAMS",
    },
    Control {
        number: 0x20803d02,
        name: "NV2080_CTRL_CMD_OS_UNIX_ALLOW_DISALLOW_GCOFF",
        params: "NV2080_CTRL_OS_UNIX_ALLOW_DISALLOW_GCOFF_PARAMS",
    },
    Control {
        number: 0x20803d03,
        name: "NV2080_CTRL_CMD_OS_UNIX_AUDIO_DYNAMIC_POWER",
        params: "NV2080_CTRL_OS_UNIX_AUDIO_DYNAMIC_POWER_PARAMS",
    },
    Control {
        number: 0x20803d04,
        name: "NV2080_CTRL_CMD_OS_UNIX_INSTALL_PROFILER_HOOKS",
        params: "NV2080_CTRL_OS_UNIX_INSTALL_PROFILER_HOOKS_PARAMS",
    },
    Control {
        number: 0x20803d05,
        name: "NV2080_CTRL_CMD_OS_UNIX_FLUSH_SNAPSHOT_BUFFER",
        params: "",
    },
    Control {
        number: 0x20803d06,
        name: "NV2080_CTRL_CMD_OS_UNIX_STOP_PROFILER",
        params: "",
    },
    Control {
        number: 0x20803d07,
        name: "NV2080_CTRL_CMD_OS_UNIX_VIDMEM_PERSISTENCE_STATUS",
        params: "NV2080_CTRL_OS_UNIX_VIDMEM_PERSISTENCE_STATUS_PARAMS",
    },
    Control {
        number: 0x20803d08,
        name: "NV2080_CTRL_CMD_OS_UNIX_UPDATE_TGP_STATUS",
        params: "NV2080_CTRL_OS_UNIX_UPDATE_TGP_STATUS_PARAMS",
    },
    Control {
        number: 0x20804001,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_BOOTLOAD_GSP_VGPU_PLUGIN_TASK",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_BOOTLOAD_GSP_VGPU_PLUGIN_TASK_PARAMS",
    },
    Control {
        number: 0x20804002,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_SHUTDOWN_GSP_VGPU_PLUGIN_TASK",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_SHUTDOWN_GSP_VGPU_PLUGIN_TASK_PARAMS",
    },
    Control {
        number: 0x20804003,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_PGPU_ADD_VGPU_TYPE",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_PGPU_ADD_VGPU_TYPE_PARAMS",
    },
    Control {
        number: 0x20804004,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_ENUMERATE_VGPU_PER_PGPU",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_ENUMERATE_VGPU_PER_PGPU_PARAMS",
    },
    Control {
        number: 0x20804005,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_CLEAR_GUEST_VM_INFO",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_CLEAR_GUEST_VM_INFO_PARAMS",
    },
    Control {
        number: 0x20804006,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_GET_VGPU_FB_USAGE",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_GET_VGPU_FB_USAGE_PARAMS",
    },
    Control {
        number: 0x20804007,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_SET_VGPU_ENCODER_CAPACITY",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_SET_VGPU_ENCODER_CAPACITY_PARAMS",
    },
    Control {
        number: 0x20804008,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_VGPU_PLUGIN_CLEANUP",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_VGPU_PLUGIN_CLEANUP_PARAMS",
    },
    Control {
        number: 0x20804009,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_GET_PGPU_FS_ENCODING",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_GET_PGPU_FS_ENCODING_PARAMS",
    },
    Control {
        number: 0x2080400a,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_GET_PGPU_MIGRATION_SUPPORT",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_GET_PGPU_MIGRATION_SUPPORT_PARAMS",
    },
    Control {
        number: 0x2080400b,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_SET_VGPU_MGR_CONFIG",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_SET_VGPU_MGR_CONFIG_PARAMS",
    },
    Control {
        number: 0x2080400c,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_FREE_STATES",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_FREE_STATES_PARAMS",
    },
    Control {
        number: 0x2080400d,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_GET_FRAME_RATE_LIMITER_STATUS",
        params: "",
    },
    Control {
        number: 0x2080400e,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_SET_VGPU_HETEROGENEOUS_MODE",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_SET_VGPU_HETEROGENEOUS_MODE_PARAMS",
    },
    Control {
        number: 0x2080400f,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_SET_VGPU_MIG_TIMESLICE_MODE",
        params: "NV2080_CTRL_VGPU_MGR_INTERNAL_SET_VGPU_MIG_TIMESLICE_MODE_PARAMS",
    },
    Control {
        number: 0x20804010,
        name: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_SET_POWER_STATE",
        params: "NV2080_CTRL_CMD_VGPU_MGR_INTERNAL_SET_POWER_STATE_PARAMS",
    },
    Control {
        number: 0x20804101,
        name: "NV2080_CTRL_CMD_HSHUB_GET_AVAILABLE_MASK",
        params: "NV2080_CTRL_CMD_HSHUB_GET_AVAILABLE_MASK_PARAMS",
    },
    Control {
        number: 0x20804102,
        name: "NV2080_CTRL_CMD_HSHUB_SET_EC_THROTTLE_MODE",
        params: "NV2080_CTRL_CMD_HSHUB_SET_EC_THROTTLE_MODE_PARAMS",
    },
    Control {
        number: 0x208081ea,
        name: "NV2080_CTRL_CMD_RUSD_GET_SUPPORTED_FEATURES",
        params: "NV2080_CTRL_RUSD_GET_SUPPORTED_FEATURES_PARAMS",
    },
    Control {
        number: 0x20808513,
        name: "NV2080_CTRL_CMD_THERMAL_SYSTEM_EXECUTE_V2_PHYSICAL",
        params: "",
    },
    Control {
        number: 0x2080a7d7,
        name: "NV2080_CTRL_CMD_INTERNAL_GCX_ENTRY_PREREQUISITE",
        params: "NV2080_CTRL_INTERNAL_GCX_ENTRY_PREREQUISITE_PARAMS",
    },
    Control {
        number: 0x208f0401,
        name: "NV208F_CTRL_CMD_FIFO_CHECK_ENGINE_CONTEXT",
        params: "NV208F_CTRL_FIFO_CHECK_ENGINE_CONTEXT_PARAMS",
    },
    Control {
        number: 0x208f0403,
        name: "NV208F_CTRL_CMD_FIFO_GET_CHANNEL_STATE",
        params: "NV208F_CTRL_FIFO_GET_CHANNEL_STATE_PARAMS",
    },
    Control {
        number: 0x208f0404,
        name: "NV208F_CTRL_CMD_FIFO_GET_CONTIG_RUNLIST_POOL",
        params: "NV208F_CTRL_FIFO_GET_CONTIG_RUNLIST_POOL_PARAMS",
    },
    Control {
        number: 0x208f0501,
        name: "NV208F_CTRL_CMD_FB_GET_INFO",
        params: "NV208F_CTRL_FB_GET_INFO_PARAMS",
    },
    Control {
        number: 0x208f0505,
        name: "NV208F_CTRL_CMD_FB_GET_ZBC_REFCOUNT",
        params: "NV208F_CTRL_FB_GET_ZBC_REFCOUNT_PARAMS",
    },
    Control {
        number: 0x208f0506,
        name: "NV208F_CTRL_CMD_FB_CTRL_GPU_CACHE",
        params: "NV208F_CTRL_FB_CTRL_GPU_CACHE_PARAMS",
    },
    Control {
        number: 0x208f0508,
        name: "NV208F_CTRL_CMD_FB_SET_STATE",
        params: "NV208F_CTRL_FB_SET_STATE_PARAMS",
    },
    Control {
        number: 0x208f0509,
        name: "NV208F_CTRL_CMD_FB_ECC_SCRUB_DIAG",
        params: "NV208F_CTRL_CMD_FB_ECC_SCRUB_DIAG_PARAMS",
    },
    Control {
        number: 0x208f050a,
        name: "NV208F_CTRL_CMD_FB_ECC_ASYNC_SCRUB_REGION",
        params: "NV208F_CTRL_CMD_FB_ECC_ASYNC_SCRUB_REGION_PARAMS",
    },
    Control {
        number: 0x208f050c,
        name: "NV208F_CTRL_CMD_FB_ECC_GET_FORWARD_MAP_ADDRESS",
        params: "NV208F_CTRL_CMD_FB_ECC_GET_FORWARD_MAP_ADDRESS_PARAMS",
    },
    Control {
        number: 0x208f050e,
        name: "NV208F_CTRL_CMD_FB_ECC_SET_KILL_PTR",
        params: "NV208F_CTRL_FB_ECC_SET_KILL_PTR_PARAMS",
    },
    Control {
        number: 0x208f050f,
        name: "NV208F_CTRL_CMD_FB_INJECT_LTC_ECC_ERROR",
        params: "NV208F_CTRL_FB_INJECT_LTC_ECC_ERROR_PARAMS",
    },
    Control {
        number: 0x208f0510,
        name: "NV208F_CTRL_CMD_FB_ECC_INJECTION_SUPPORTED",
        params: "NV208F_CTRL_FB_ECC_INJECTION_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x208f0511,
        name: "NV208F_CTRL_CMD_FB_ECC_SET_WRITE_KILL",
        params: "NV208F_CTRL_FB_ECC_SET_WRITE_KILL_PARAMS",
    },
    Control {
        number: 0x208f0512,
        name: "NV208F_CTRL_CMD_FB_REMAP_ROW",
        params: "NV208F_CTRL_FB_REMAP_ROW_PARAMS",
    },
    Control {
        number: 0x208f0513,
        name: "NV208F_CTRL_CMD_FB_REVERSE_MAP_RBC_ADDR_TO_PA",
        params: "NV208F_CTRL_FB_REVERSE_MAP_RBC_ADDR_TO_PA_PARAMS",
    },
    Control {
        number: 0x208f0514,
        name: "NV208F_CTRL_CMD_FB_TOGGLE_PHYSICAL_ADDRESS_ECC_ON_OFF",
        params: "NV208F_CTRL_FB_TOGGLE_PHYSICAL_ADDRESS_ECC_ON_OFF_PARAMS",
    },
    Control {
        number: 0x208f0515,
        name: "NV208F_CTRL_CMD_FB_CLEAR_REMAPPED_ROWS",
        params: "NV208F_CTRL_FB_CLEAR_REMAPPED_ROWS_PARAMS",
    },
    Control {
        number: 0x208f0516,
        name: "NV208F_CTRL_CMD_FB_INJECT_LRC_ECC_ERROR",
        params: "NV208F_CTRL_FB_INJECT_LRC_ECC_ERROR_PARAMS",
    },
    Control {
        number: 0x208f0517,
        name: "NV208F_CTRL_CMD_FB_INJECT_SYSLTC_ECC_ERROR",
        params: "NV208F_CTRL_FB_INJECT_SYSLTC_ECC_ERROR_PARAMS",
    },
    Control {
        number: 0x208f0518,
        name: "NV208F_CTRL_CMD_FB_GET_FBPA_PAC_MASKS",
        params: "NV208F_CTRL_FB_GET_FBPA_PAC_MASKS_PARAMS",
    },
    Control {
        number: 0x208f0519,
        name: "NV208F_CTRL_CMD_FB_CONVERT_SUBLOCATION",
        params: "NV208F_CTRL_FB_CONVERT_SUBLOCATION_PARAMS",
    },
    Control {
        number: 0x208f0701,
        name: "NV208F_CTRL_CMD_BIF_PBI_WRITE_COMMAND",
        params: "NV208F_CTRL_BIF_PBI_WRITE_COMMAND_PARAMS",
    },
    Control {
        number: 0x208f0702,
        name: "NV208F_CTRL_CMD_BIF_CONFIG_REG_READ",
        params: "NV208F_CTRL_BIF_CONFIG_REG_READ_PARAMS",
    },
    Control {
        number: 0x208f0703,
        name: "NV208F_CTRL_CMD_BIF_CONFIG_REG_WRITE",
        params: "NV208F_CTRL_BIF_CONFIG_REG_WRITE_PARAMS",
    },
    Control {
        number: 0x208f0704,
        name: "NV208F_CTRL_CMD_BIF_INFO",
        params: "NV208F_CTRL_BIF_INFO_PARAMS",
    },
    Control {
        number: 0x208f0705,
        name: "NV208F_CTRL_CMD_BIF_ECC_INJECT_ERROR",
        params: "NV208F_CTRL_BIF_ECC_INJECT_ERROR_PARAMS",
    },
    Control {
        number: 0x208f0706,
        name: "NV208F_CTRL_CMD_BIF_ECC_INJECTION_SUPPORTED",
        params: "NV208F_CTRL_BIF_ECC_INJECTION_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x208f0a03,
        name: "NV208F_CTRL_CMD_FBIO_SETUP_TRAINING_EXP",
        params: "NV208F_CTRL_FBIO_SETUP_TRAINING_EXP_PARAMS",
    },
    Control {
        number: 0x208f0a04,
        name: "NV208F_CTRL_CMD_FBIO_RUN_TRAINING_EXP",
        params: "NV208F_CTRL_FBIO_RUN_TRAINING_EXP_PARAMS",
    },
    Control {
        number: 0x208f0a05,
        name: "NV208F_CTRL_CMD_FBIO_GET_TRAINING_CAPS",
        params: "NV208F_CTRL_FBIO_GET_TRAINING_CAPS_PARAMS",
    },
    Control {
        number: 0x208f0b01,
        name: "NV208F_CTRL_CMD_MMU_ECC_INJECT_ERROR",
        params: "NV208F_CTRL_MMU_ECC_INJECT_ERROR_PARAMS",
    },
    Control {
        number: 0x208f0b02,
        name: "NV208F_CTRL_CMD_MMU_ECC_INJECTION_SUPPORTED",
        params: "NV208F_CTRL_MMU_ECC_INJECTION_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x208f0b03,
        name: "NV208F_CTRL_CMD_MMU_GET_NUM_HSHUBMMUS",
        params: "NV208F_CTRL_MMU_GET_NUM_HSHUBMMUS_PARAMS",
    },
    Control {
        number: 0x208f0b04,
        name: "NV208F_CTRL_CMD_MMU_GET_NUM_HUBMMUS",
        params: "NV208F_CTRL_MMU_GET_NUM_HUBMMUS_PARAMS",
    },
    Control {
        number: 0x208f0c01,
        name: "NV208F_CTRL_CMD_PMU_ECC_INJECT_ERROR",
        params: "NV208F_CTRL_PMU_ECC_INJECT_ERROR_PARAMS",
    },
    Control {
        number: 0x208f0c02,
        name: "NV208F_CTRL_CMD_PMU_ECC_INJECTION_SUPPORTED",
        params: "NV208F_CTRL_PMU_ECC_INJECTION_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x208f1001,
        name: "NV208F_CTRL_CMD_EVENT_SET_NOTIFICATION",
        params: "NV208F_CTRL_EVENT_SET_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0x208f1002,
        name: "NV208F_CTRL_CMD_EVENT_SET_TRIGGER",
        params: "",
    },
    Control {
        number: 0x208f1101,
        name: "NV208F_CTRL_CMD_GPU_GET_RAM_SVOP_VALUES",
        params: "NV208F_CTRL_GPU_GET_RAM_SVOP_VALUES_PARAMS",
    },
    Control {
        number: 0x208f1102,
        name: "NV208F_CTRL_CMD_GPU_SET_RAM_SVOP_VALUES",
        params: "NV208F_CTRL_GPU_SET_RAM_SVOP_VALUES_PARAMS",
    },
    Control {
        number: 0x208f1105,
        name: "NV208F_CTRL_CMD_GPU_VERIFY_INFOROM",
        params: "NV208F_CTRL_GPU_VERIFY_INFOROM_PARAMS",
    },
    Control {
        number: 0x208f1107,
        name: "NV208F_CTRL_CMD_GPU_DISABLE_ECC_INFOROM_REPORTING",
        params: "",
    },
    Control {
        number: 0x208f1203,
        name: "NV208F_CTRL_CMD_GR_ECC_INJECT_ERROR",
        params: "NV208F_CTRL_GR_ECC_INJECT_ERROR_PARAMS",
    },
    Control {
        number: 0x208f1204,
        name: "NV208F_CTRL_CMD_GR_ECC_INJECTION_SUPPORTED",
        params: "NV208F_CTRL_GR_ECC_INJECTION_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x208f1205,
        name: "NV208F_CTRL_CMD_GR_ECC_SET_TRANSIENT_CLEARING_POLICY",
        params: "NV208F_CTRL_GR_ECC_SET_TRANSIENT_CLEARING_POLICY_PARAMS",
    },
    Control {
        number: 0x208f1206,
        name: "NV208F_CTRL_CMD_GR_INJECT_CTXSW_UCODE_ERROR",
        params: "NV208F_CTRL_GR_INJECT_CTXSW_UCODE_ERROR_PARAMS",
    },
    Control {
        number: 0x208f1401,
        name: "NV208F_CTRL_CMD_DMA_IS_SUPPORTED_SPARSE_VIRTUAL",
        params: "NV208F_CTRL_DMA_IS_SUPPORTED_SPARSE_VIRTUAL_PARAMS",
    },
    Control {
        number: 0x208f1402,
        name: "NV208F_CTRL_CMD_DMA_GET_VAS_BLOCK_DETAILS",
        params: "NV208F_CTRL_DMA_GET_VAS_BLOCK_DETAILS_PARAMS",
    },
    Control {
        number: 0x208f1801,
        name: "NV208F_CTRL_CMD_BUS_IS_BAR1_VIRTUAL",
        params: "NV208F_CTRL_BUS_IS_BAR1_VIRTUAL_PARAMS",
    },
    Control {
        number: 0x208f1802,
        name: "NV208F_CTRL_CMD_BUS_ECC_INJECT_ERROR",
        params: "NV208F_CTRL_BUS_ECC_INJECT_ERROR_PARAMS",
    },
    Control {
        number: 0x208f1803,
        name: "NV208F_CTRL_CMD_BUS_ECC_INJECTION_SUPPORTED",
        params: "NV208F_CTRL_BUS_ECC_INJECTION_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x208f1901,
        name: "NV208F_CTRL_CMD_UCODE_COVERAGE_GET_STATE",
        params: "NV208F_CTRL_UCODE_COVERAGE_GET_STATE_PARAMS",
    },
    Control {
        number: 0x208f1902,
        name: "NV208F_CTRL_CMD_UCODE_COVERAGE_SET_STATE",
        params: "NV208F_CTRL_UCODE_COVERAGE_SET_STATE_PARAMS",
    },
    Control {
        number: 0x208f1903,
        name: "NV208F_CTRL_CMD_UCODE_COVERAGE_GET_DATA",
        params: "NV208F_CTRL_UCODE_COVERAGE_GET_DATA_PARAMS",
    },
    Control {
        number: 0x208f1a01,
        name: "NV208F_CTRL_CMD_NVLINK_ECC_INJECT_ERROR",
        params: "NV208F_CTRL_NVLINK_ECC_INJECT_ERROR_PARAMS",
    },
    Control {
        number: 0x208f1a02,
        name: "NV208F_CTRL_CMD_NVLINK_ECC_INJECTION_SUPPORTED",
        params: "NV208F_CTRL_NVLINK_ECC_INJECTION_SUPPORTED_PARAMS",
    },
    Control {
        number: 0x30f10101,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_VERSION",
        params: "NV30F1_CTRL_GSYNC_GET_VERSION_PARAMS",
    },
    Control {
        number: 0x30f10102,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_STATUS_SIGNALS",
        params: "NV30F1_CTRL_GSYNC_GET_STATUS_SIGNALS_PARAMS",
    },
    Control {
        number: 0x30f10103,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_CONTROL_PARAMS",
        params: "NV30F1_CTRL_GSYNC_GET_CONTROL_PARAMS_PARAMS",
    },
    Control {
        number: 0x30f10104,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_PARAMS",
        params: "NV30F1_CTRL_GSYNC_SET_CONTROL_PARAMS_PARAMS",
    },
    Control {
        number: 0x30f10105,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_CAPS",
        params: "NV30F1_CTRL_GSYNC_GET_CAPS_PARAMS",
    },
    Control {
        number: 0x30f10106,
        name: "NV30F1_CTRL_CMD_GET_GSYNC_GPU_TOPOLOGY",
        params: "NV30F1_CTRL_GET_GSYNC_GPU_TOPOLOGY_PARAMS",
    },
    Control {
        number: 0x30f10110,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_CONTROL_SYNC",
        params: "NV30F1_CTRL_GSYNC_GET_CONTROL_SYNC_PARAMS",
    },
    Control {
        number: 0x30f10111,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_SYNC",
        params: "NV30F1_CTRL_GSYNC_SET_CONTROL_SYNC_PARAMS",
    },
    Control {
        number: 0x30f10112,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_UNSYNC",
        params: "NV30F1_CTRL_GSYNC_SET_CONTROL_UNSYNC_PARAMS",
    },
    Control {
        number: 0x30f10113,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_STATUS_SYNC",
        params: "NV30F1_CTRL_GSYNC_GET_STATUS_SYNC_PARAMS",
    },
    Control {
        number: 0x30f10114,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_STATUS",
        params: "NV30F1_CTRL_GSYNC_GET_STATUS_PARAMS",
    },
    Control {
        number: 0x30f10120,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_CONTROL_TESTING",
        params: "NV30F1_CTRL_GSYNC_GET_CONTROL_TESTING_PARAMS",
    },
    Control {
        number: 0x30f10121,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_TESTING",
        params: "NV30F1_CTRL_GSYNC_SET_CONTROL_TESTING_PARAMS",
    },
    Control {
        number: 0x30f10130,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_WATCHDOG",
        params: "NV30F1_CTRL_GSYNC_SET_CONTROL_WATCHDOG_PARAMS",
    },
    Control {
        number: 0x30f10140,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_CONTROL_INTERLACE_MODE",
        params: "NV30F1_CTRL_GSYNC_GET_CONTROL_INTERLACE_MODE_PARAMS",
    },
    Control {
        number: 0x30f10141,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_INTERLACE_MODE",
        params: "NV30F1_CTRL_GSYNC_SET_CONTROL_INTERLACE_MODE_PARAMS",
    },
    Control {
        number: 0x30f10150,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_CONTROL_SWAP_BARRIER",
        params: "NV30F1_CTRL_GSYNC_GET_CONTROL_SWAP_BARRIER_PARAMS",
    },
    Control {
        number: 0x30f10151,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_SWAP_BARRIER",
        params: "NV30F1_CTRL_GSYNC_SET_CONTROL_SWAP_BARRIER_PARAMS",
    },
    Control {
        number: 0x30f10153,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_CONTROL_SWAP_LOCK_WINDOW",
        params: "NV30F1_CTRL_GSYNC_GET_CONTROL_SWAP_LOCK_WINDOW_PARAMS",
    },
    Control {
        number: 0x30f10160,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_OPTIMIZED_TIMING",
        params: "NV30F1_CTRL_GSYNC_GET_OPTIMIZED_TIMING_PARAMS",
    },
    Control {
        number: 0x30f10170,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_EVENT_NOTIFICATION",
        params: "NV30F1_CTRL_GSYNC_SET_EVENT_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0x30f10172,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_STEREO_LOCK_MODE",
        params: "NV30F1_CTRL_CMD_GSYNC_SET_CONTROL_STEREO_LOCK_MODE_PARAMS",
    },
    Control {
        number: 0x30f10173,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_CONTROL_STEREO_LOCK_MODE",
        params: "NV30F1_CTRL_CMD_GSYNC_GET_CONTROL_STEREO_LOCK_MODE_PARAMS",
    },
    Control {
        number: 0x30f10180,
        name: "NV30F1_CTRL_CMD_GSYNC_READ_REGISTER",
        params: "NV30F1_CTRL_GSYNC_READ_REGISTER_PARAMS",
    },
    Control {
        number: 0x30f10181,
        name: "NV30F1_CTRL_CMD_GSYNC_WRITE_REGISTER",
        params: "NV30F1_CTRL_GSYNC_WRITE_REGISTER_PARAMS",
    },
    Control {
        number: 0x30f10185,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_LOCAL_SYNC",
        params: "NV30F1_CTRL_GSYNC_SET_LOCAL_SYNC_PARAMS",
    },
    Control {
        number: 0x30f10186,
        name: "NV30F1_CTRL_CMD_GSYNC_CONFIG_FLASH",
        params: "NV30F1_CTRL_CMD_GSYNC_CONFIG_FLASH_PARAMS",
    },
    Control {
        number: 0x30f10187,
        name: "NV30F1_CTRL_CMD_GSYNC_GET_HOUSE_SYNC_MODE",
        params: "NV30F1_CTRL_GSYNC_GET_HOUSE_SYNC_MODE_PARAMS",
    },
    Control {
        number: 0x30f10188,
        name: "NV30F1_CTRL_CMD_GSYNC_SET_HOUSE_SYNC_MODE",
        params: "NV30F1_CTRL_GSYNC_SET_HOUSE_SYNC_MODE_PARAMS",
    },
    Control {
        number: 0x402c0101,
        name: "NV402C_CTRL_CMD_I2C_GET_PORT_INFO",
        params: "NV402C_CTRL_I2C_GET_PORT_INFO_PARAMS",
    },
    Control {
        number: 0x402c0102,
        name: "NV402C_CTRL_CMD_I2C_INDEXED",
        params: "NV402C_CTRL_I2C_INDEXED_PARAMS",
    },
    Control {
        number: 0x402c0103,
        name: "NV402C_CTRL_CMD_I2C_GET_PORT_SPEED",
        params: "NV402C_CTRL_I2C_GET_PORT_SPEED_PARAMS",
    },
    Control {
        number: 0x402c0104,
        name: "NV402C_CTRL_CMD_I2C_TABLE_GET_DEV_INFO",
        params: "NV402C_CTRL_I2C_TABLE_GET_DEV_INFO_PARAMS",
    },
    Control {
        number: 0x402c0105,
        name: "NV402C_CTRL_CMD_I2C_TRANSACTION",
        params: "NV402C_CTRL_I2C_TRANSACTION_PARAMS",
    },
    Control {
        number: 0x503c0102,
        name: "NV503C_CTRL_CMD_REGISTER_VA_SPACE",
        params: "NV503C_CTRL_REGISTER_VA_SPACE_PARAMS",
    },
    Control {
        number: 0x503c0103,
        name: "NV503C_CTRL_CMD_UNREGISTER_VA_SPACE",
        params: "NV503C_CTRL_UNREGISTER_VA_SPACE_PARAMS",
    },
    Control {
        number: 0x503c0104,
        name: "NV503C_CTRL_CMD_REGISTER_VIDMEM",
        params: "NV503C_CTRL_REGISTER_VIDMEM_PARAMS",
    },
    Control {
        number: 0x503c0105,
        name: "NV503C_CTRL_CMD_UNREGISTER_VIDMEM",
        params: "NV503C_CTRL_UNREGISTER_VIDMEM_PARAMS",
    },
    Control {
        number: 0x503c0106,
        name: "NV503C_CTRL_CMD_REGISTER_PID",
        params: "NV503C_CTRL_REGISTER_PID_PARAMS",
    },
    Control {
        number: 0x506f0105,
        name: "NV506F_CTRL_CMD_RESET_ISOLATED_CHANNEL",
        params: "NV506F_CTRL_CMD_RESET_ISOLATED_CHANNEL_PARAMS",
    },
    Control {
        number: 0x506f0106,
        name: "NV506F_CTRL_CMD_INTERNAL_RESET_ISOLATED_CHANNEL",
        params: "NV506F_CTRL_CMD_INTERNAL_RESET_ISOLATED_CHANNEL_PARAMS",
    },
    Control {
        number: 0x50700102,
        name: "NV5070_CTRL_CMD_STOP_OVERLAY",
        params: "NV5070_CTRL_CMD_STOP_OVERLAY_PARAMS",
    },
    Control {
        number: 0x50700109,
        name: "NV5070_CTRL_CMD_IS_MODE_POSSIBLE",
        params: "NV5070_CTRL_CMD_IS_MODE_POSSIBLE_PARAMS",
    },
    Control {
        number: 0x5070010b,
        name: "NV5070_CTRL_CMD_GET_CHANNEL_INFO",
        params: "NV5070_CTRL_CMD_GET_CHANNEL_INFO_PARAMS",
    },
    Control {
        number: 0x5070010c,
        name: "NV5070_CTRL_CMD_SET_ACCL",
        params: "NV5070_CTRL_SET_ACCL_PARAMS",
    },
    Control {
        number: 0x5070010d,
        name: "NV5070_CTRL_CMD_GET_ACCL",
        params: "NV5070_CTRL_GET_ACCL_PARAMS",
    },
    Control {
        number: 0x5070010e,
        name: "NV5070_CTRL_CMD_STOP_BASE",
        params: "NV5070_CTRL_CMD_STOP_BASE_PARAMS",
    },
    Control {
        number: 0x50700115,
        name: "NV5070_CTRL_CMD_GET_PINSET_COUNT",
        params: "NV5070_CTRL_GET_PINSET_COUNT_PARAMS",
    },
    Control {
        number: 0x50700116,
        name: "NV5070_CTRL_CMD_GET_PINSET_PEER",
        params: "NV5070_CTRL_GET_PINSET_PEER_PARAMS",
    },
    Control {
        number: 0x50700117,
        name: "NV5070_CTRL_CMD_SET_RMFREE_FLAGS",
        params: "NV5070_CTRL_SET_RMFREE_FLAGS_PARAMS",
    },
    Control {
        number: 0x50700118,
        name: "NV5070_CTRL_CMD_IMP_SET_GET_PARAMETER",
        params: "NV5070_CTRL_IMP_SET_GET_PARAMETER_PARAMS",
    },
    Control {
        number: 0x50700119,
        name: "NV5070_CTRL_CMD_SET_MEMPOOL_WAR_FOR_BLIT_TEARING",
        params: "NV5070_CTRL_SET_MEMPOOL_WAR_FOR_BLIT_TEARING_PARAMS",
    },
    Control {
        number: 0x50700120,
        name: "NV5070_CTRL_CMD_GET_ACTIVE_VIEWPORT_BASE",
        params: "NV5070_CTRL_CMD_GET_ACTIVE_VIEWPORT_BASE_PARAMS",
    },
    Control {
        number: 0x50700202,
        name: "NV5070_CTRL_CMD_GET_RG_STATUS",
        params: "NV5070_CTRL_CMD_GET_RG_STATUS_PARAMS",
    },
    Control {
        number: 0x50700203,
        name: "NV5070_CTRL_CMD_GET_RG_UNDERFLOW_PROP",
        params: "NV5070_CTRL_CMD_GET_RG_UNDERFLOW_PROP_PARAMS",
    },
    Control {
        number: 0x50700204,
        name: "NV5070_CTRL_CMD_SET_RG_UNDERFLOW_PROP",
        params: "NV5070_CTRL_CMD_SET_RG_UNDERFLOW_PROP_PARAMS",
    },
    Control {
        number: 0x50700205,
        name: "NV5070_CTRL_CMD_GET_RG_FLIPLOCK_PROP",
        params: "NV5070_CTRL_CMD_GET_RG_FLIPLOCK_PROP_PARAMS",
    },
    Control {
        number: 0x50700206,
        name: "NV5070_CTRL_CMD_SET_RG_FLIPLOCK_PROP",
        params: "NV5070_CTRL_CMD_SET_RG_FLIPLOCK_PROP_PARAMS",
    },
    Control {
        number: 0x5070020a,
        name: "NV5070_CTRL_CMD_GET_RG_CONNECTED_LOCKPIN_STATELESS",
        params: "NV5070_CTRL_GET_RG_CONNECTED_LOCKPIN_STATELESS_PARAMS",
    },
    Control {
        number: 0x5070020b,
        name: "NV5070_CTRL_CMD_GET_PINSET_LOCKPINS",
        params: "NV5070_CTRL_GET_PINSET_LOCKPINS_PARAMS",
    },
    Control {
        number: 0x5070020c,
        name: "NV5070_CTRL_CMD_GET_RG_SCAN_LINE",
        params: "NV5070_CTRL_CMD_GET_RG_SCAN_LINE_PARAMS",
    },
    Control {
        number: 0x5070020d,
        name: "NV5070_CTRL_CMD_GET_FRAMELOCK_HEADER_LOCKPINS",
        params: "NV5070_CTRL_GET_FRAMELOCK_HEADER_LOCKPINS_PARAMS",
    },
    Control {
        number: 0x50700404,
        name: "NV5070_CTRL_CMD_SET_DAC_PWR",
        params: "NV5070_CTRL_CMD_SET_DAC_PWR_PARAMS",
    },
    Control {
        number: 0x50700422,
        name: "NV5070_CTRL_CMD_GET_SOR_OP_MODE",
        params: "NV5070_CTRL_CMD_GET_SOR_OP_MODE_PARAMS",
    },
    Control {
        number: 0x50700423,
        name: "NV5070_CTRL_CMD_SET_SOR_OP_MODE",
        params: "NV5070_CTRL_CMD_SET_SOR_OP_MODE_PARAMS",
    },
    Control {
        number: 0x50700457,
        name: "NV5070_CTRL_CMD_SET_SOR_FLUSH_MODE",
        params: "NV5070_CTRL_SET_SOR_FLUSH_MODE_PARAMS",
    },
    Control {
        number: 0x50700709,
        name: "NV5070_CTRL_CMD_SYSTEM_GET_CAPS_V2",
        params: "NV5070_CTRL_SYSTEM_GET_CAPS_V2_PARAMS",
    },
    Control {
        number: 0x50800101,
        name: "NV5080_CTRL_CMD_DEFERRED_API",
        params: "NV5080_CTRL_DEFERRED_API_PARAMS",
    },
    Control {
        number: 0x50800102,
        name: "NV5080_CTRL_CMD_REMOVE_API",
        params: "NV5080_CTRL_REMOVE_API_PARAMS",
    },
    Control {
        number: 0x50800103,
        name: "NV5080_CTRL_CMD_DEFERRED_API_V2",
        params: "NV5080_CTRL_DEFERRED_API_V2_PARAMS",
    },
    Control {
        number: 0x50800104,
        name: "NV5080_CTRL_CMD_DEFERRED_API_INTERNAL",
        params: "NV5080_CTRL_DEFERRED_API_INTERNAL_PARAMS",
    },
    Control {
        number: 0x83de0301,
        name: "NV83DE_CTRL_CMD_SM_DEBUG_MODE_ENABLE",
        params: "",
    },
    Control {
        number: 0x83de0302,
        name: "NV83DE_CTRL_CMD_SM_DEBUG_MODE_DISABLE",
        params: "",
    },
    Control {
        number: 0x83de0307,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_MODE_MMU_DEBUG",
        params: "NV83DE_CTRL_DEBUG_SET_MODE_MMU_DEBUG_PARAMS",
    },
    Control {
        number: 0x83de0308,
        name: "NV83DE_CTRL_CMD_DEBUG_GET_MODE_MMU_DEBUG",
        params: "NV83DE_CTRL_DEBUG_GET_MODE_MMU_DEBUG_PARAMS",
    },
    Control {
        number: 0x83de0309,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_EXCEPTION_MASK",
        params: "NV83DE_CTRL_DEBUG_SET_EXCEPTION_MASK_PARAMS",
    },
    Control {
        number: 0x83de030b,
        name: "NV83DE_CTRL_CMD_DEBUG_READ_SINGLE_SM_ERROR_STATE",
        params: "NV83DE_CTRL_DEBUG_READ_SINGLE_SM_ERROR_STATE_PARAMS",
    },
    Control {
        number: 0x83de030c,
        name: "NV83DE_CTRL_CMD_DEBUG_READ_ALL_SM_ERROR_STATES",
        params: "NV83DE_CTRL_DEBUG_READ_ALL_SM_ERROR_STATES_PARAMS",
    },
    Control {
        number: 0x83de030f,
        name: "NV83DE_CTRL_CMD_DEBUG_CLEAR_SINGLE_SM_ERROR_STATE",
        params: "NV83DE_CTRL_DEBUG_CLEAR_SINGLE_SM_ERROR_STATE_PARAMS",
    },
    Control {
        number: 0x83de0310,
        name: "NV83DE_CTRL_CMD_DEBUG_CLEAR_ALL_SM_ERROR_STATES",
        params: "NV83DE_CTRL_DEBUG_CLEAR_ALL_SM_ERROR_STATES_PARAMS",
    },
    Control {
        number: 0x83de0313,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_NEXT_STOP_TRIGGER_TYPE",
        params: "NV83DE_CTRL_DEBUG_SET_NEXT_STOP_TRIGGER_TYPE_PARAMS",
    },
    Control {
        number: 0x83de0314,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_SINGLE_STEP_INTERRUPT_HANDLING",
        params: "NV83DE_CTRL_DEBUG_SET_SINGLE_STEP_INTERRUPT_HANDLING_PARAMS",
    },
    Control {
        number: 0x83de0315,
        name: "NV83DE_CTRL_CMD_DEBUG_READ_MEMORY",
        params: "NV83DE_CTRL_DEBUG_READ_MEMORY_PARAMS",
    },
    Control {
        number: 0x83de0316,
        name: "NV83DE_CTRL_CMD_DEBUG_WRITE_MEMORY",
        params: "NV83DE_CTRL_DEBUG_WRITE_MEMORY_PARAMS",
    },
    Control {
        number: 0x83de0317,
        name: "NV83DE_CTRL_CMD_DEBUG_SUSPEND_CONTEXT",
        params: "NV83DE_CTRL_CMD_DEBUG_SUSPEND_CONTEXT_PARAMS",
    },
    Control {
        number: 0x83de0318,
        name: "NV83DE_CTRL_CMD_DEBUG_RESUME_CONTEXT",
        params: "",
    },
    Control {
        number: 0x83de0319,
        name: "NV83DE_CTRL_CMD_DEBUG_GET_HANDLES",
        params: "NV83DE_CTRL_DEBUG_GET_HANDLES_PARAMS",
    },
    Control {
        number: 0x83de031a,
        name: "NV83DE_CTRL_CMD_READ_SURFACE",
        params: "",
    },
    Control {
        number: 0x83de031b,
        name: "NV83DE_CTRL_CMD_WRITE_SURFACE",
        params: "",
    },
    Control {
        number: 0x83de031c,
        name: "NV83DE_CTRL_CMD_GET_MAPPINGS",
        params: "",
    },
    Control {
        number: 0x83de031d,
        name: "NV83DE_CTRL_CMD_DEBUG_EXEC_REG_OPS",
        params: "NV83DE_CTRL_DEBUG_EXEC_REG_OPS_PARAMS",
    },
    Control {
        number: 0x83de031f,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_MODE_ERRBAR_DEBUG",
        params: "NV83DE_CTRL_DEBUG_SET_MODE_ERRBAR_DEBUG_PARAMS",
    },
    Control {
        number: 0x83de0320,
        name: "NV83DE_CTRL_CMD_DEBUG_GET_MODE_ERRBAR_DEBUG",
        params: "NV83DE_CTRL_DEBUG_GET_MODE_ERRBAR_DEBUG_PARAMS",
    },
    Control {
        number: 0x83de0321,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_SINGLE_SM_SINGLE_STEP",
        params: "NV83DE_CTRL_DEBUG_SET_SINGLE_SM_SINGLE_STEP_PARAMS",
    },
    Control {
        number: 0x83de0322,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_SINGLE_SM_STOP_TRIGGER",
        params: "NV83DE_CTRL_DEBUG_SET_SINGLE_SM_STOP_TRIGGER_PARAMS",
    },
    Control {
        number: 0x83de0323,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_SINGLE_SM_RUN_TRIGGER",
        params: "NV83DE_CTRL_DEBUG_SET_SINGLE_SM_RUN_TRIGGER_PARAMS",
    },
    Control {
        number: 0x83de0324,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_SINGLE_SM_SKIP_IDLE_WARP_DETECT",
        params: "NV83DE_CTRL_DEBUG_SET_SINGLE_SM_SKIP_IDLE_WARP_DETECT_PARAMS",
    },
    Control {
        number: 0x83de0325,
        name: "NV83DE_CTRL_CMD_DEBUG_GET_SINGLE_SM_DEBUGGER_STATUS",
        params: "NV83DE_CTRL_DEBUG_GET_SINGLE_SM_DEBUGGER_STATUS_PARAMS",
    },
    Control {
        number: 0x83de0326,
        name: "NV83DE_CTRL_CMD_DEBUG_READ_BATCH_MEMORY",
        params: "",
    },
    Control {
        number: 0x83de0327,
        name: "NV83DE_CTRL_CMD_DEBUG_WRITE_BATCH_MEMORY",
        params: "",
    },
    Control {
        number: 0x83de0328,
        name: "NV83DE_CTRL_CMD_DEBUG_READ_MMU_FAULT_INFO",
        params: "NV83DE_CTRL_DEBUG_READ_MMU_FAULT_INFO_PARAMS",
    },
    Control {
        number: 0x83de0329,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_DROP_DEFERRED_RC",
        params: "NV83DE_CTRL_DEBUG_SET_DROP_DEFERRED_RC_PARAMS",
    },
    Control {
        number: 0x83de032a,
        name: "NV83DE_CTRL_CMD_DEBUG_SET_MODE_MMU_GCC_DEBUG",
        params: "NV83DE_CTRL_DEBUG_SET_MODE_MMU_GCC_DEBUG_PARAMS",
    },
    Control {
        number: 0x83de032b,
        name: "NV83DE_CTRL_CMD_DEBUG_GET_MODE_MMU_GCC_DEBUG",
        params: "NV83DE_CTRL_DEBUG_GET_MODE_MMU_GCC_DEBUG_PARAMS",
    },
    Control {
        number: 0x90100101,
        name: "NV9010_CTRL_CMD_SET_VBLANK_NOTIFICATION",
        params: "NV9010_CTRL_CMD_SET_VBLANK_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0x90670101,
        name: "NV9067_CTRL_CMD_GET_TPC_PARTITION_TABLE",
        params: "",
    },
    Control {
        number: 0x90670102,
        name: "NV9067_CTRL_CMD_SET_TPC_PARTITION_TABLE",
        params: "",
    },
    Control {
        number: 0x90670201,
        name: "NV9067_CTRL_CMD_GET_CWD_WATERMARK",
        params: "NV9067_CTRL_GET_CWD_WATERMARK_PARAMS",
    },
    Control {
        number: 0x90670202,
        name: "NV9067_CTRL_CMD_SET_CWD_WATERMARK",
        params: "NV9067_CTRL_SET_CWD_WATERMARK_PARAMS",
    },
    Control {
        number: 0x906f0101,
        name: "NV906F_CTRL_GET_CLASS_ENGINEID",
        params: "NV906F_CTRL_GET_CLASS_ENGINEID_PARAMS",
    },
    Control {
        number: 0x906f0105,
        name: "NV906F_CTRL_CMD_GET_DEFER_RC_STATE",
        params: "NV906F_CTRL_CMD_GET_DEFER_RC_STATE_PARAMS",
    },
    Control {
        number: 0x906f0106,
        name: "NV906F_CTRL_CMD_GET_MMU_FAULT_INFO",
        params: "NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS",
    },
    Control {
        number: 0x90720101,
        name: "NV9072_CTRL_CMD_NOTIFY_ON_VBLANK",
        params: "NV9072_CTRL_CMD_NOTIFY_ON_VBLANK_PARAMS",
    },
    Control {
        number: 0x90740101,
        name: "NV9074_CTRL_CMD_FLUSH",
        params: "NV9074_CTRL_CMD_FLUSH_PARAMS",
    },
    Control {
        number: 0x90740102,
        name: "NV9074_CTRL_CMD_GET_TIME",
        params: "NV9074_CTRL_CMD_GET_TIME_PARAMS",
    },
    Control {
        number: 0x90740103,
        name: "NV9074_CTRL_CMD_RELEASE",
        params: "NV9074_CTRL_CMD_RELEASE_PARAMS",
    },
    Control {
        number: 0x90960101,
        name: "NV9096_CTRL_CMD_SET_ZBC_COLOR_CLEAR",
        params: "NV9096_CTRL_SET_ZBC_COLOR_CLEAR_PARAMS",
    },
    Control {
        number: 0x90960102,
        name: "NV9096_CTRL_CMD_SET_ZBC_DEPTH_CLEAR",
        params: "NV9096_CTRL_SET_ZBC_DEPTH_CLEAR_PARAMS",
    },
    Control {
        number: 0x90960103,
        name: "NV9096_CTRL_CMD_GET_ZBC_CLEAR_TABLE",
        params: "NV9096_CTRL_GET_ZBC_CLEAR_TABLE_PARAMS",
    },
    Control {
        number: 0x90960104,
        name: "NV9096_CTRL_CMD_SET_ZBC_CLEAR_TABLE",
        params: "NV9096_CTRL_SET_ZBC_CLEAR_TABLE_PARAMS",
    },
    Control {
        number: 0x90960105,
        name: "NV9096_CTRL_CMD_SET_ZBC_STENCIL_CLEAR",
        params: "NV9096_CTRL_SET_ZBC_STENCIL_CLEAR_PARAMS",
    },
    Control {
        number: 0x90960106,
        name: "NV9096_CTRL_CMD_GET_ZBC_CLEAR_TABLE_SIZE",
        params: "NV9096_CTRL_GET_ZBC_CLEAR_TABLE_SIZE_PARAMS",
    },
    Control {
        number: 0x90960107,
        name: "NV9096_CTRL_CMD_GET_ZBC_CLEAR_TABLE_ENTRY",
        params: "NV9096_CTRL_GET_ZBC_CLEAR_TABLE_ENTRY_PARAMS",
    },
    Control {
        number: 0x90cc0101,
        name: "NV90CC_CTRL_CMD_HWPM_RESERVE",
        params: "",
    },
    Control {
        number: 0x90cc0102,
        name: "NV90CC_CTRL_CMD_HWPM_RELEASE",
        params: "",
    },
    Control {
        number: 0x90cc0103,
        name: "NV90CC_CTRL_CMD_HWPM_GET_RESERVATION_INFO",
        params: "NV90CC_CTRL_HWPM_GET_RESERVATION_INFO_PARAMS",
    },
    Control {
        number: 0x90cc0301,
        name: "NV90CC_CTRL_CMD_POWER_REQUEST_FEATURES",
        params: "NV90CC_CTRL_POWER_REQUEST_FEATURES_PARAMS",
    },
    Control {
        number: 0x90cc0302,
        name: "NV90CC_CTRL_CMD_POWER_RELEASE_FEATURES",
        params: "NV90CC_CTRL_POWER_RELEASE_FEATURES_PARAMS",
    },
    Control {
        number: 0x90cd0101,
        name: "NV_EVENT_BUFFER_CTRL_CMD_ENABLE_EVENTS",
        params: "NV_EVENT_BUFFER_CTRL_CMD_ENABLE_EVENTS_PARAMS",
    },
    Control {
        number: 0x90cd0102,
        name: "NV_EVENT_BUFFER_CTRL_CMD_UPDATE_GET",
        params: "NV_EVENT_BUFFER_CTRL_CMD_UPDATE_GET_PARAMS",
    },
    Control {
        number: 0x90cd0103,
        name: "NV_EVENT_BUFFER_CTRL_CMD_VERIF_NOTIFY",
        params: "",
    },
    Control {
        number: 0x90cd0104,
        name: "NV_EVENT_BUFFER_CTRL_CMD_FLUSH",
        params: "",
    },
    Control {
        number: 0x90cd0105,
        name: "NV_EVENT_BUFFER_CTRL_CMD_POST_TELEMETRY_EVENT",
        params: "NV_EVENT_BUFFER_CTRL_CMD_POST_TELEMETRY_EVENT_PARAMS",
    },
    Control {
        number: 0x90e60101,
        name: "NV90E6_CTRL_CMD_MASTER_GET_ERROR_INTR_OFFSET_MASK",
        params: "NV90E6_CTRL_MASTER_GET_ERROR_INTR_OFFSET_MASK_PARAMS",
    },
    Control {
        number: 0x90e60102,
        name: "NV90E6_CTRL_CMD_MASTER_GET_VIRTUAL_FUNCTION_ERROR_CONT_INTR_MASK",
        params: "NV90E6_CTRL_MASTER_GET_VIRTUAL_FUNCTION_ERROR_CONT_INTR_MASK_PARAMS",
    },
    Control {
        number: 0x90e70113,
        name: "NV90E7_CTRL_CMD_BBX_GET_LAST_FLUSH_TIME",
        params: "NV90E7_CTRL_BBX_GET_LAST_FLUSH_TIME_PARAMS",
    },
    Control {
        number: 0x90e70119,
        name: "NV90E7_CTRL_CMD_BBX_IS_NVM_FLUSH_ENABLED",
        params: "NV90E7_CTRL_BBX_IS_NVM_FLUSH_ENABLED_PARAMS",
    },
    Control {
        number: 0x90ec0101,
        name: "NV90EC_CTRL_CMD_HDACODEC_SET_CP_READY_ENABLE",
        params: "NV90EC_CTRL_CMD_HDACODEC_SET_CP_READY_ENABLE_PARAMS",
    },
    Control {
        number: 0x90ec0102,
        name: "NV90EC_CTRL_CMD_HDACODEC_NOTIFY_AUDIO_EVENT",
        params: "NV90EC_CTRL_HDACODEC_NOTIFY_AUDIO_EVENT_PARAMS",
    },
    Control {
        number: 0x90f10101,
        name: "NV90F1_CTRL_CMD_VASPACE_GET_GMMU_FORMAT",
        params: "NV90F1_CTRL_VASPACE_GET_GMMU_FORMAT_PARAMS",
    },
    Control {
        number: 0x90f10102,
        name: "NV90F1_CTRL_CMD_VASPACE_GET_PAGE_LEVEL_INFO",
        params: "NV90F1_CTRL_VASPACE_GET_PAGE_LEVEL_INFO_PARAMS",
    },
    Control {
        number: 0x90f10103,
        name: "NV90F1_CTRL_CMD_VASPACE_RESERVE_ENTRIES",
        params: "NV90F1_CTRL_VASPACE_RESERVE_ENTRIES_PARAMS",
    },
    Control {
        number: 0x90f10104,
        name: "NV90F1_CTRL_CMD_VASPACE_RELEASE_ENTRIES",
        params: "NV90F1_CTRL_VASPACE_RELEASE_ENTRIES_PARAMS",
    },
    Control {
        number: 0x90f10105,
        name: "NV90F1_CTRL_CMD_VASPACE_GET_PAGE_LEVEL_INFO_VERIF",
        params: "NV90F1_CTRL_VASPACE_GET_PAGE_LEVEL_INFO_VERIF_PARAMS",
    },
    Control {
        number: 0x90f10106,
        name: "NV90F1_CTRL_CMD_VASPACE_COPY_SERVER_RESERVED_PDES",
        params: "NV90F1_CTRL_VASPACE_COPY_SERVER_RESERVED_PDES_PARAMS",
    },
    Control {
        number: 0x90f10107,
        name: "NV90F1_CTRL_CMD_VASPACE_GET_HOST_RM_MANAGED_SIZE",
        params: "NV90F1_CTRL_VASPACE_GET_HOST_RM_MANAGED_SIZE_PARAMS",
    },
    Control {
        number: 0x90f10108,
        name: "NV90F1_CTRL_CMD_VASPACE_GET_VAS_HEAP_INFO",
        params: "NV90F1_CTRL_VASPACE_GET_VAS_HEAP_INFO_PARAMS",
    },
    Control {
        number: 0xa06c0101,
        name: "NVA06C_CTRL_CMD_GPFIFO_SCHEDULE",
        params: "NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS",
    },
    Control {
        number: 0xa06c0102,
        name: "NVA06C_CTRL_CMD_BIND",
        params: "NVA06C_CTRL_BIND_PARAMS",
    },
    Control {
        number: 0xa06c0103,
        name: "NVA06C_CTRL_CMD_SET_TIMESLICE",
        params: "NVA06C_CTRL_SET_TIMESLICE_PARAMS",
    },
    Control {
        number: 0xa06c0104,
        name: "NVA06C_CTRL_CMD_GET_TIMESLICE",
        params: "NVA06C_CTRL_GET_TIMESLICE_PARAMS",
    },
    Control {
        number: 0xa06c0105,
        name: "NVA06C_CTRL_CMD_PREEMPT",
        params: "NVA06C_CTRL_PREEMPT_PARAMS",
    },
    Control {
        number: 0xa06c0106,
        name: "NVA06C_CTRL_CMD_GET_INFO",
        params: "NVA06C_CTRL_GET_INFO_PARAMS",
    },
    Control {
        number: 0xa06c0107,
        name: "NVA06C_CTRL_CMD_SET_INTERLEAVE_LEVEL",
        params: "NVA06C_CTRL_SET_INTERLEAVE_LEVEL_PARAMS",
    },
    Control {
        number: 0xa06c0108,
        name: "NVA06C_CTRL_CMD_GET_INTERLEAVE_LEVEL",
        params: "NVA06C_CTRL_GET_INTERLEAVE_LEVEL_PARAMS",
    },
    Control {
        number: 0xa06c0109,
        name: "NVA06C_CTRL_CMD_PROGRAM_VIDMEM_PROMOTE",
        params: "NVA06C_CTRL_PROGRAM_VIDMEM_PROMOTE_PARAMS",
    },
    Control {
        number: 0xa06c010a,
        name: "NVA06C_CTRL_CMD_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS",
        params: "NVA06C_CTRL_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS_PARAMS",
    },
    Control {
        number: 0xa06c0110,
        name: "NVA06C_CTRL_CMD_MAKE_REALTIME",
        params: "NVA06C_CTRL_MAKE_REALTIME_PARAMS",
    },
    Control {
        number: 0xa06c0201,
        name: "NVA06C_CTRL_CMD_INTERNAL_GPFIFO_SCHEDULE",
        params: "NVA06C_CTRL_INTERNAL_GPFIFO_SCHEDULE_PARAMS",
    },
    Control {
        number: 0xa06c0202,
        name: "NVA06C_CTRL_CMD_INTERNAL_SET_TIMESLICE",
        params: "NVA06C_CTRL_INTERNAL_SET_TIMESLICE_PARAMS",
    },
    Control {
        number: 0xa06f0103,
        name: "NVA06F_CTRL_CMD_GPFIFO_SCHEDULE",
        params: "NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS",
    },
    Control {
        number: 0xa06f0104,
        name: "NVA06F_CTRL_CMD_BIND",
        params: "NVA06F_CTRL_BIND_PARAMS",
    },
    Control {
        number: 0xa06f0108,
        name: "NVA06F_CTRL_CMD_SET_ERROR_NOTIFIER",
        params: "NVA06F_CTRL_SET_ERROR_NOTIFIER_PARAMS",
    },
    Control {
        number: 0xa06f0109,
        name: "NVA06F_CTRL_CMD_SET_INTERLEAVE_LEVEL",
        params: "NVA06F_CTRL_SET_INTERLEAVE_LEVEL_PARAMS",
    },
    Control {
        number: 0xa06f0110,
        name: "NVA06F_CTRL_CMD_GET_INTERLEAVE_LEVEL",
        params: "NVA06F_CTRL_GET_INTERLEAVE_LEVEL_PARAMS",
    },
    Control {
        number: 0xa06f0111,
        name: "NVA06F_CTRL_CMD_RESTART_RUNLIST",
        params: "NVA06F_CTRL_RESTART_RUNLIST_PARAMS",
    },
    Control {
        number: 0xa06f0112,
        name: "NVA06F_CTRL_CMD_STOP_CHANNEL",
        params: "NVA06F_CTRL_STOP_CHANNEL_PARAMS",
    },
    Control {
        number: 0xa06f0113,
        name: "NVA06F_CTRL_CMD_GET_CONTEXT_ID",
        params: "NVA06F_CTRL_GET_CONTEXT_ID_PARAMS",
    },
    Control {
        number: 0xa06f0301,
        name: "NVA06F_CTRL_CMD_INTERNAL_STOP_CHANNEL",
        params: "NVA06F_CTRL_INTERNAL_STOP_CHANNEL_PARAMS",
    },
    Control {
        number: 0xa06f0303,
        name: "NVA06F_CTRL_CMD_INTERNAL_GPFIFO_SCHEDULE",
        params: "NVA06F_CTRL_INTERNAL_GPFIFO_SCHEDULE_PARAMS",
    },
    Control {
        number: 0xa0800103,
        name: "NVA080_CTRL_CMD_VGPU_DISPLAY_SET_SURFACE_PROPERTIES",
        params: "",
    },
    Control {
        number: 0xa0800104,
        name: "NVA080_CTRL_CMD_VGPU_DISPLAY_CLEANUP_SURFACE",
        params: "NVA080_CTRL_VGPU_DISPLAY_CLEANUP_SURFACE_PARAMS",
    },
    Control {
        number: 0xa0800204,
        name: "NVA080_CTRL_CMD_SET_FB_USAGE",
        params: "NVA080_CTRL_SET_FB_USAGE_PARAMS",
    },
    Control {
        number: 0xa0800301,
        name: "NVA080_CTRL_CMD_VGPU_GET_CONFIG",
        params: "NVA080_CTRL_VGPU_GET_CONFIG_PARAMS",
    },
    Control {
        number: 0xa0810101,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_SET_INFO",
        params: "",
    },
    Control {
        number: 0xa0810102,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_ENUMERATE_VGPU_PER_PGPU",
        params: "NVA081_CTRL_VGPU_CONFIG_ENUMERATE_VGPU_PER_PGPU_PARAMS",
    },
    Control {
        number: 0xa0810103,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_VGPU_TYPE_INFO",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_VGPU_TYPE_INFO_PARAMS",
    },
    Control {
        number: 0xa0810104,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_SUPPORTED_VGPU_TYPES",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_SUPPORTED_VGPU_TYPES_PARAMS",
    },
    Control {
        number: 0xa0810105,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_CREATABLE_VGPU_TYPES",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_CREATABLE_VGPU_TYPES_PARAMS",
    },
    Control {
        number: 0xa0810106,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_EVENT_SET_NOTIFICATION",
        params: "NVA081_CTRL_VGPU_CONFIG_EVENT_SET_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0xa0810109,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_UPDATE_PGPU_INFO",
        params: "",
    },
    Control {
        number: 0xa0810110,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_SET_VGPU_INSTANCE_ENCODER_CAPACITY",
        params: "",
    },
    Control {
        number: 0xa0810111,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_VGPU_FB_USAGE",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_VGPU_FB_USAGE_PARAMS",
    },
    Control {
        number: 0xa0810112,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_MIGRATION_CAP",
        params: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_MIGRATION_CAP_PARAMS",
    },
    Control {
        number: 0xa0810113,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_HOST_FB_RESERVATION",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_HOST_FB_RESERVATION_PARAMS",
    },
    Control {
        number: 0xa0810114,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_PGPU_METADATA_STRING",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_PGPU_METADATA_STRING_PARAMS",
    },
    Control {
        number: 0xa0810115,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_DOORBELL_EMULATION_SUPPORT",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_DOORBELL_EMULATION_SUPPORT_PARAMS",
    },
    Control {
        number: 0xa0810116,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_FREE_SWIZZID",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_FREE_SWIZZID_PARAMS",
    },
    Control {
        number: 0xa0810117,
        name: "NVA081_CTRL_CMD_PGPU_GET_MULTI_VGPU_SUPPORT_INFO",
        params: "NVA081_CTRL_PGPU_GET_MULTI_VGPU_SUPPORT_INFO_PARAMS",
    },
    Control {
        number: 0xa0810118,
        name: "NVA081_CTRL_CMD_GET_VGPU_DRIVER_CAPS",
        params: "NVA081_CTRL_GET_VGPU_DRIVER_CAPS_PARAMS",
    },
    Control {
        number: 0xa0810119,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_SET_PGPU_INFO",
        params: "NVA081_CTRL_VGPU_CONFIG_SET_PGPU_INFO_PARAMS",
    },
    Control {
        number: 0xa081011a,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_VALIDATE_SWIZZID",
        params: "NVA081_CTRL_VGPU_CONFIG_VALIDATE_SWIZZID_PARAMS",
    },
    Control {
        number: 0xa081011b,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_UPDATE_PLACEMENT_INFO",
        params: "NVA081_CTRL_VGPU_CONFIG_UPDATE_PLACEMENT_INFO_PARAMS",
    },
    Control {
        number: 0xa081011c,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_CREATABLE_PLACEMENTS",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_CREATABLE_PLACEMENTS_PARAMS",
    },
    Control {
        number: 0xa081011d,
        name: "NVA081_CTRL_CMD_PGPU_GET_VGPU_STREAMING_CAPABILITY",
        params: "NVA081_CTRL_PGPU_GET_VGPU_STREAMING_CAPABILITY_PARAMS",
    },
    Control {
        number: 0xa081011e,
        name: "NVA081_CTRL_CMD_VGPU_SET_CAPABILITY",
        params: "NVA081_CTRL_VGPU_SET_CAPABILITY_PARAMS",
    },
    Control {
        number: 0xa081011f,
        name: "NVA081_CTRL_CMD_VGPU_GET_CAPABILITY",
        params: "NVA081_CTRL_VGPU_GET_CAPABILITY_PARAMS",
    },
    Control {
        number: 0xa0810120,
        name: "NVA081_CTRL_CMD_VGPU_SET_VM_NAME",
        params: "NVA081_CTRL_VGPU_SET_VM_NAME_PARAMS",
    },
    Control {
        number: 0xa0810121,
        name: "NVA081_CTRL_CMD_VGPU_GET_BAR_INFO",
        params: "NVA081_CTRL_VGPU_GET_BAR_INFO_PARAMS",
    },
    Control {
        number: 0xa0810122,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_GET_MIGRATION_BANDWIDTH",
        params: "NVA081_CTRL_VGPU_CONFIG_GET_MIGRATION_BANDWIDTH_PARAMS",
    },
    Control {
        number: 0xa0810124,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_ENUMERATE_VGPU_PER_GPU_INSTANCE",
        params: "NVA081_CTRL_VGPU_CONFIG_ENUMERATE_VGPU_PER_GPU_INSTANCE_PARAMS",
    },
    Control {
        number: 0xa0810125,
        name: "NVA081_CTRL_CMD_VGPU_CONFIG_CLEAR_SWIZZID_MASK",
        params: "NVA081_CTRL_CMD_VGPU_CONFIG_CLEAR_SWIZZID_MASK_PARAMS",
    },
    Control {
        number: 0xa0840101,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_SET_VGPU_DEVICE_INFO",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_SET_VGPU_DEVICE_INFO_PARAMS",
    },
    Control {
        number: 0xa0840102,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_SET_VGPU_GUEST_LIFE_CYCLE_STATE",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_SET_VGPU_GUEST_LIFE_CYCLE_STATE_PARAMS",
    },
    Control {
        number: 0xa0840103,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_SET_OFFLINED_PAGE_PATCHINFO",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_SET_OFFLINED_PAGE_PATCHINFO_PARAMS",
    },
    Control {
        number: 0xa0840104,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_VF_CONFIG_SPACE_ACCESS",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_VF_CONFIG_SPACE_ACCESS_PARAMS",
    },
    Control {
        number: 0xa0840105,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_BIND_FECS_EVTBUF",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_BIND_FECS_EVTBUF_PARAMS",
    },
    Control {
        number: 0xa0840106,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_TRIGGER_PRIV_DOORBELL",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_TRIGGER_PRIV_DOORBELL_PARAMS",
    },
    Control {
        number: 0xa0840107,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_EVENT_SET_NOTIFICATION",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_EVENT_SET_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0xa084010a,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_GET_BAR_MAPPING_RANGES",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_GET_BAR_MAPPING_RANGES_PARAMS",
    },
    Control {
        number: 0xa084010b,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_RESTORE_DEFAULT_EXEC_PARTITION",
        params: "",
    },
    Control {
        number: 0xa084010c,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_FREE_STATES",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_FREE_STATES_PARAMS",
    },
    Control {
        number: 0xa084010d,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_BOOTLOAD_VGPU_TASK",
        params: "NVA084_CTRL_KERNEL_HOST_VGPU_DEVICE_BOOTLOAD_VGPU_TASK_PARAMS",
    },
    Control {
        number: 0xa084010e,
        name: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_SET_PLACEMENT_ID",
        params: "NVA084_CTRL_CMD_KERNEL_HOST_VGPU_DEVICE_SET_PLACEMENT_ID_PARAMS",
    },
    Control {
        number: 0xa0bc0101,
        name: "NVA0BC_CTRL_CMD_NVENC_SW_SESSION_UPDATE_INFO",
        params: "NVA0BC_CTRL_NVENC_SW_SESSION_UPDATE_INFO_PARAMS",
    },
    Control {
        number: 0xa0bc0102,
        name: "NVA0BC_CTRL_CMD_NVENC_SW_SESSION_UPDATE_INFO_V2",
        params: "NVA0BC_CTRL_NVENC_SW_SESSION_UPDATE_INFO_V2_PARAMS",
    },
    Control {
        number: 0xa0bd0101,
        name: "NVA0BD_CTRL_CMD_NVFBC_SW_SESSION_UPDATE_INFO",
        params: "NVA0BD_CTRL_NVFBC_SW_SESSION_UPDATE_INFO_PARAMS",
    },
    Control {
        number: 0xb0690101,
        name: "NVB069_CTRL_CMD_FAULTBUFFER_READ_GET",
        params: "NVB069_CTRL_FAULTBUFFER_READ_GET_PARAMS",
    },
    Control {
        number: 0xb0690102,
        name: "NVB069_CTRL_CMD_FAULTBUFFER_WRITE_GET",
        params: "NVB069_CTRL_FAULTBUFFER_WRITE_GET_PARAMS",
    },
    Control {
        number: 0xb0690103,
        name: "NVB069_CTRL_CMD_FAULTBUFFER_READ_PUT",
        params: "NVB069_CTRL_FAULTBUFFER_READ_PUT_PARAMS",
    },
    Control {
        number: 0xb0690104,
        name: "NVB069_CTRL_CMD_FAULTBUFFER_ENABLE_NOTIFICATION",
        params: "NVB069_CTRL_FAULTBUFFER_ENABLE_NOTIFICATION_PARAMS",
    },
    Control {
        number: 0xb0690105,
        name: "NVB069_CTRL_CMD_FAULTBUFFER_GET_SIZE",
        params: "NVB069_CTRL_FAULTBUFFER_GET_SIZE_PARAMS",
    },
    Control {
        number: 0xb0690106,
        name: "NVB069_CTRL_CMD_FAULTBUFFER_GET_REGISTER_MAPPINGS",
        params: "NVB069_CTRL_CMD_FAULTBUFFER_GET_REGISTER_MAPPINGS_PARAMS",
    },
    Control {
        number: 0xb06f010b,
        name: "NVB06F_CTRL_CMD_GET_ENGINE_CTX_SIZE",
        params: "NVB06F_CTRL_GET_ENGINE_CTX_SIZE_PARAMS",
    },
    Control {
        number: 0xb06f010c,
        name: "NVB06F_CTRL_CMD_GET_ENGINE_CTX_DATA",
        params: "NVB06F_CTRL_GET_ENGINE_CTX_DATA_PARAMS",
    },
    Control {
        number: 0xb06f010d,
        name: "NVB06F_CTRL_CMD_MIGRATE_ENGINE_CTX_DATA",
        params: "NVB06F_CTRL_MIGRATE_ENGINE_CTX_DATA_PARAMS",
    },
    Control {
        number: 0xb06f010e,
        name: "NVB06F_CTRL_CMD_GET_ENGINE_CTX_STATE",
        params: "NVB06F_CTRL_GET_ENGINE_CTX_STATE_PARAMS",
    },
    Control {
        number: 0xb06f010f,
        name: "NVB06F_CTRL_CMD_GET_CHANNEL_HW_STATE",
        params: "NVB06F_CTRL_GET_CHANNEL_HW_STATE_PARAMS",
    },
    Control {
        number: 0xb06f0110,
        name: "NVB06F_CTRL_CMD_SET_CHANNEL_HW_STATE",
        params: "NVB06F_CTRL_SET_CHANNEL_HW_STATE_PARAMS",
    },
    Control {
        number: 0xb06f0111,
        name: "NVB06F_CTRL_CMD_SAVE_ENGINE_CTX_DATA",
        params: "NVB06F_CTRL_SAVE_ENGINE_CTX_DATA_PARAMS",
    },
    Control {
        number: 0xb06f0112,
        name: "NVB06F_CTRL_CMD_RESTORE_ENGINE_CTX_DATA",
        params: "NVB06F_CTRL_RESTORE_ENGINE_CTX_DATA_PARAMS",
    },
    Control {
        number: 0xb0cc0101,
        name: "NVB0CC_CTRL_CMD_RESERVE_HWPM_LEGACY",
        params: "NVB0CC_CTRL_RESERVE_HWPM_LEGACY_PARAMS",
    },
    Control {
        number: 0xb0cc0102,
        name: "NVB0CC_CTRL_CMD_RELEASE_HWPM_LEGACY",
        params: "",
    },
    Control {
        number: 0xb0cc0103,
        name: "NVB0CC_CTRL_CMD_RESERVE_PM_AREA_SMPC",
        params: "NVB0CC_CTRL_RESERVE_PM_AREA_SMPC_PARAMS",
    },
    Control {
        number: 0xb0cc0104,
        name: "NVB0CC_CTRL_CMD_RELEASE_PM_AREA_SMPC",
        params: "",
    },
    Control {
        number: 0xb0cc0105,
        name: "NVB0CC_CTRL_CMD_ALLOC_PMA_STREAM",
        params: "NVB0CC_CTRL_ALLOC_PMA_STREAM_PARAMS",
    },
    Control {
        number: 0xb0cc0106,
        name: "NVB0CC_CTRL_CMD_FREE_PMA_STREAM",
        params: "NVB0CC_CTRL_FREE_PMA_STREAM_PARAMS",
    },
    Control {
        number: 0xb0cc0107,
        name: "NVB0CC_CTRL_CMD_BIND_PM_RESOURCES",
        params: "",
    },
    Control {
        number: 0xb0cc0108,
        name: "NVB0CC_CTRL_CMD_UNBIND_PM_RESOURCES",
        params: "",
    },
    Control {
        number: 0xb0cc0109,
        name: "NVB0CC_CTRL_CMD_PMA_STREAM_UPDATE_GET_PUT",
        params: "NVB0CC_CTRL_PMA_STREAM_UPDATE_GET_PUT_PARAMS",
    },
    Control {
        number: 0xb0cc010a,
        name: "NVB0CC_CTRL_CMD_EXEC_REG_OPS",
        params: "NVB0CC_CTRL_EXEC_REG_OPS_PARAMS",
    },
    Control {
        number: 0xb0cc010b,
        name: "NVB0CC_CTRL_CMD_RESERVE_PM_AREA_PC_SAMPLER",
        params: "",
    },
    Control {
        number: 0xb0cc010c,
        name: "NVB0CC_CTRL_CMD_RELEASE_PM_AREA_PC_SAMPLER",
        params: "",
    },
    Control {
        number: 0xb0cc010d,
        name: "NVB0CC_CTRL_CMD_GET_TOTAL_HS_CREDITS",
        params: "NVB0CC_CTRL_GET_TOTAL_HS_CREDITS_PARAMS",
    },
    Control {
        number: 0xb0cc010e,
        name: "NVB0CC_CTRL_CMD_SET_HS_CREDITS",
        params: "NVB0CC_CTRL_SET_HS_CREDITS_PARAMS",
    },
    Control {
        number: 0xb0cc010f,
        name: "NVB0CC_CTRL_CMD_GET_HS_CREDITS",
        params: "NVB0CC_CTRL_GET_HS_CREDITS_PARAMS",
    },
    Control {
        number: 0xb0cc0113,
        name: "NVB0CC_CTRL_CMD_RESERVE_HES",
        params: "NVB0CC_CTRL_RESERVE_HES_PARAMS",
    },
    Control {
        number: 0xb0cc0114,
        name: "NVB0CC_CTRL_CMD_RELEASE_HES",
        params: "NVB0CC_CTRL_RELEASE_HES_PARAMS",
    },
    Control {
        number: 0xb0cc0115,
        name: "NVB0CC_CTRL_CMD_GET_CHIPLET_HS_CREDIT_POOL",
        params: "",
    },
    Control {
        number: 0xb0cc0116,
        name: "NVB0CC_CTRL_CMD_GET_HS_CREDITS_MAPPING",
        params: "",
    },
    Control {
        number: 0xb0cc0117,
        name: "NVB0CC_CTRL_CMD_DISABLE_DYNAMIC_MMA_BOOST",
        params: "NVB0CC_CTRL_DISABLE_DYNAMIC_MMA_BOOST_PARAMS",
    },
    Control {
        number: 0xb0cc0118,
        name: "NVB0CC_CTRL_CMD_GET_DYNAMIC_MMA_BOOST_STATUS",
        params: "NVB0CC_CTRL_GET_DYNAMIC_MMA_BOOST_STATUS_PARAMS",
    },
    Control {
        number: 0xb0cc0119,
        name: "NVB0CC_CTRL_CMD_RESERVE_CCU_PROF",
        params: "",
    },
    Control {
        number: 0xb0cc011a,
        name: "NVB0CC_CTRL_CMD_RELEASE_CCU_PROF",
        params: "",
    },
    Control {
        number: 0xb0cc0201,
        name: "NVB0CC_CTRL_CMD_INTERNAL_QUIESCE_PMA_CHANNEL",
        params: "NVB0CC_CTRL_INTERNAL_QUIESCE_PMA_CHANNEL_PARAMS",
    },
    Control {
        number: 0xb0cc0202,
        name: "NVB0CC_CTRL_CMD_INTERNAL_SRIOV_PROMOTE_PMA_STREAM",
        params: "NVB0CC_CTRL_INTERNAL_SRIOV_PROMOTE_PMA_STREAM_PARAMS",
    },
    Control {
        number: 0xb0cc0203,
        name: "NVB0CC_CTRL_CMD_INTERNAL_PERMISSIONS_INIT",
        params: "NVB0CC_CTRL_INTERNAL_PERMISSIONS_INIT_PARAMS",
    },
    Control {
        number: 0xb0cc0204,
        name: "NVB0CC_CTRL_CMD_INTERNAL_ALLOC_PMA_STREAM",
        params: "NVB0CC_CTRL_INTERNAL_ALLOC_PMA_STREAM_PARAMS",
    },
    Control {
        number: 0xb0cc0206,
        name: "NVB0CC_CTRL_CMD_INTERNAL_FREE_PMA_STREAM",
        params: "NVB0CC_CTRL_INTERNAL_FREE_PMA_STREAM_PARAMS",
    },
    Control {
        number: 0xb0cc0207,
        name: "NVB0CC_CTRL_CMD_INTERNAL_GET_MAX_PMAS",
        params: "NVB0CC_CTRL_INTERNAL_GET_MAX_PMAS_PARAMS",
    },
    Control {
        number: 0xb0cc0208,
        name: "NVB0CC_CTRL_CMD_INTERNAL_BIND_PM_RESOURCES",
        params: "",
    },
    Control {
        number: 0xb0cc0209,
        name: "NVB0CC_CTRL_CMD_INTERNAL_UNBIND_PM_RESOURCES",
        params: "",
    },
    Control {
        number: 0xb0cc020a,
        name: "NVB0CC_CTRL_CMD_INTERNAL_RESERVE_HWPM_LEGACY",
        params: "NVB0CC_CTRL_INTERNAL_RESERVE_HWPM_LEGACY_PARAMS",
    },
    Control {
        number: 0xb0cc0301,
        name: "NVB0CC_CTRL_CMD_POWER_REQUEST_FEATURES",
        params: "NVB0CC_CTRL_POWER_REQUEST_FEATURES_PARAMS",
    },
    Control {
        number: 0xb0cc0302,
        name: "NVB0CC_CTRL_CMD_POWER_RELEASE_FEATURES",
        params: "NVB0CC_CTRL_POWER_RELEASE_FEATURES_PARAMS",
    },
    Control {
        number: 0xc3650101,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_READ_GET",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_READ_GET_PARAMS",
    },
    Control {
        number: 0xc3650102,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_WRITE_GET",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_WRITE_GET_PARAMS",
    },
    Control {
        number: 0xc3650103,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_READ_PUT",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_READ_PUT_PARAMS",
    },
    Control {
        number: 0xc3650104,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_ENABLE",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_ENABLE_PARAMS",
    },
    Control {
        number: 0xc3650105,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_GET_SIZE",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_GET_SIZE_PARAMS",
    },
    Control {
        number: 0xc3650106,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_GET_REGISTER_MAPPINGS",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_GET_REGISTER_MAPPINGS_PARAMS",
    },
    Control {
        number: 0xc3650107,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_GET_FULL_INFO",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_GET_FULL_INFO_PARAMS",
    },
    Control {
        number: 0xc3650108,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_RESET_COUNTERS",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_RESET_COUNTERS_PARAMS",
    },
    Control {
        number: 0xc3650109,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_SET_CONFIG",
        params: "NVC365_CTRL_ACCESS_CNTR_SET_CONFIG_PARAMS",
    },
    Control {
        number: 0xc365010b,
        name: "NVC365_CTRL_CMD_ACCESS_CNTR_BUFFER_ENABLE_INTR",
        params: "NVC365_CTRL_ACCESS_CNTR_BUFFER_ENABLE_INTR_PARAMS",
    },
    Control {
        number: 0xc3690101,
        name: "NVC369_CTRL_CMD_MMU_FAULT_BUFFER_REGISTER_NON_REPLAY_BUF",
        params: "NVC369_CTRL_MMU_FAULT_BUFFER_REGISTER_NON_REPLAY_BUF_PARAMS",
    },
    Control {
        number: 0xc3690102,
        name: "NVC369_CTRL_CMD_MMU_FAULT_BUFFER_UNREGISTER_NON_REPLAY_BUF",
        params: "NVC369_CTRL_MMU_FAULT_BUFFER_UNREGISTER_NON_REPLAY_BUF_PARAMS",
    },
    Control {
        number: 0xc3690103,
        name: "NVC369_CTRL_CMD_MMU_FAULT_BUFFER_REGISTER_REPLAY_BUF",
        params: "NVC369_CTRL_MMU_FAULT_BUFFER_REGISTER_REPLAY_BUF_PARAMS",
    },
    Control {
        number: 0xc3690104,
        name: "NVC369_CTRL_CMD_MMU_FAULT_BUFFER_UNREGISTER_REPLAY_BUF",
        params: "NVC369_CTRL_MMU_FAULT_BUFFER_UNREGISTER_REPLAY_BUF_PARAMS",
    },
    Control {
        number: 0xc36f0108,
        name: "NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN",
        params: "NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS",
    },
    Control {
        number: 0xc36f0109,
        name: "NVC36F_CTRL_CMD_GPFIFO_UPDATE_FAULT_METHOD_BUFFER",
        params: "NVC36F_CTRL_GPFIFO_UPDATE_FAULT_METHOD_BUFFER_PARAMS",
    },
    Control {
        number: 0xc36f010a,
        name: "NVC36F_CTRL_CMD_GPFIFO_SET_WORK_SUBMIT_TOKEN_NOTIF_INDEX",
        params: "NVC36F_CTRL_GPFIFO_SET_WORK_SUBMIT_TOKEN_NOTIF_INDEX_PARAMS",
    },
    Control {
        number: 0xc36f0301,
        name: "NVC36F_CTRL_CMD_INTERNAL_GPFIFO_GET_WORK_SUBMIT_TOKEN",
        params: "NVC36F_CTRL_INTERNAL_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS",
    },
    Control {
        number: 0xc3700101,
        name: "NVC370_CTRL_CMD_IDLE_CHANNEL",
        params: "NVC370_CTRL_IDLE_CHANNEL_PARAMS",
    },
    Control {
        number: 0xc3700102,
        name: "NVC370_CTRL_CMD_SET_ACCL",
        params: "NVC370_CTRL_SET_ACCL_PARAMS",
    },
    Control {
        number: 0xc3700103,
        name: "NVC370_CTRL_CMD_GET_ACCL",
        params: "NVC370_CTRL_GET_ACCL_PARAMS",
    },
    Control {
        number: 0xc3700104,
        name: "NVC370_CTRL_CMD_GET_CHANNEL_INFO",
        params: "NVC370_CTRL_CMD_GET_CHANNEL_INFO_PARAMS",
    },
    Control {
        number: 0xc3700105,
        name: "NVC370_CTRL_CMD_CHANNEL_CANCEL_FLIP",
        params: "NVC370_CTRL_CHANNEL_CANCEL_FLIP_PARAMS",
    },
    Control {
        number: 0xc3700201,
        name: "NVC370_CTRL_CMD_GET_LOCKPINS_CAPS",
        params: "NVC370_CTRL_GET_LOCKPINS_CAPS_PARAMS",
    },
    Control {
        number: 0xc3700202,
        name: "NVC370_CTRL_CMD_SET_SWAPRDY_GPIO_WAR",
        params: "NVC370_CTRL_SET_SWAPRDY_GPIO_WAR_PARAMS",
    },
    Control {
        number: 0xc3700401,
        name: "NVC370_CTRL_CMD_SET_SOR_FLUSH_MODE",
        params: "NVC370_CTRL_SET_SOR_FLUSH_MODE_PARAMS",
    },
    Control {
        number: 0xc3700601,
        name: "NVC370_CTRL_CMD_GET_FORCE_MODESWITCH_FLAGS_OVERRIDES",
        params: "NVC370_CTRL_CMD_GET_FORCE_MODESWITCH_FLAGS_OVERRIDES_PARAMS",
    },
    Control {
        number: 0xc3700602,
        name: "NVC370_CTRL_CMD_SET_FORCE_MODESWITCH_FLAGS_OVERRIDES",
        params: "NVC370_CTRL_CMD_SET_FORCE_MODESWITCH_FLAGS_OVERRIDES_PARAMS",
    },
    Control {
        number: 0xc3720101,
        name: "NVC372_CTRL_CMD_IS_MODE_POSSIBLE",
        params: "NVC372_CTRL_IS_MODE_POSSIBLE_PARAMS",
    },
    Control {
        number: 0xc3720102,
        name: "NVC372_CTRL_CMD_IS_MODE_POSSIBLE_OR_SETTINGS",
        params: "NVC372_CTRL_IS_MODE_POSSIBLE_OR_SETTINGS_PARAMS",
    },
    Control {
        number: 0xc3720103,
        name: "NVC372_CTRL_CMD_VIDEO_ADAPTIVE_REFRESH_RATE",
        params: "NVC372_CTRL_CMD_VIDEO_ADAPTIVE_REFRESH_RATE_PARAMS",
    },
    Control {
        number: 0xc3720104,
        name: "NVC372_CTRL_CMD_GET_ACTIVE_VIEWPORT_POINT_IN",
        params: "NVC372_CTRL_CMD_GET_ACTIVE_VIEWPORT_POINT_IN_PARAMS",
    },
    Control {
        number: 0xc56f010b,
        name: "NVC56F_CTRL_CMD_GET_KMB",
        params: "NVC56F_CTRL_CMD_GET_KMB_PARAMS",
    },
    Control {
        number: 0xc56f010c,
        name: "NVC56F_CTRL_ROTATE_SECURE_CHANNEL_IV",
        params: "NVC56F_CTRL_ROTATE_SECURE_CHANNEL_IV_PARAMS",
    },
    Control {
        number: 0xc56f010d,
        name: "NV_CONF_COMPUTE_CTRL_SET_SECURITY_POLICY",
        params: "NV_CONF_COMPUTE_CTRL_SET_SECURITY_POLICY_PARAMS",
    },
    Control {
        number: 0xc56f010e,
        name: "NV_CONF_COMPUTE_CTRL_GET_SECURITY_POLICY",
        params: "NV_CONF_COMPUTE_CTRL_GET_SECURITY_POLICY_PARAMS",
    },
    Control {
        number: 0xc6370101,
        name: "NVC637_CTRL_CMD_EXEC_PARTITIONS_CREATE",
        params: "NVC637_CTRL_EXEC_PARTITIONS_CREATE_PARAMS",
    },
    Control {
        number: 0xc6370102,
        name: "NVC637_CTRL_CMD_EXEC_PARTITIONS_DELETE",
        params: "NVC637_CTRL_EXEC_PARTITIONS_DELETE_PARAMS",
    },
    Control {
        number: 0xc6370103,
        name: "NVC637_CTRL_CMD_EXEC_PARTITIONS_GET",
        params: "NVC637_CTRL_EXEC_PARTITIONS_GET_PARAMS",
    },
    Control {
        number: 0xc6370104,
        name: "NVC637_CTRL_EXEC_PARTITIONS_GET_ACTIVE_IDS",
        params: "NVC637_CTRL_EXEC_PARTITIONS_GET_ACTIVE_IDS_PARAMS",
    },
    Control {
        number: 0xc6370105,
        name: "NVC637_CTRL_CMD_EXEC_PARTITIONS_EXPORT",
        params: "",
    },
    Control {
        number: 0xc6370106,
        name: "NVC637_CTRL_CMD_EXEC_PARTITIONS_IMPORT",
        params: "",
    },
    Control {
        number: 0xc63701a9,
        name: "NVC637_CTRL_CMD_EXEC_PARTITIONS_GET_PROFILE_CAPACITY",
        params: "NVC637_CTRL_EXEC_PARTITIONS_GET_PROFILE_CAPACITY_PARAMS",
    },
    Control {
        number: 0xc63701aa,
        name: "NVC637_CTRL_CMD_GET_UUID",
        params: "NVC637_CTRL_GET_UUID_PARAMS",
    },
    Control {
        number: 0xc6380101,
        name: "NVC638_CTRL_CMD_GET_UUID",
        params: "NVC638_CTRL_GET_UUID_PARAMS",
    },
    Control {
        number: 0xc7630101,
        name: "NVC763_CTRL_CMD_VIDMEM_ACCESS_BIT_ENABLE_LOGGING",
        params: "",
    },
    Control {
        number: 0xc7630102,
        name: "NVC763_CTRL_CMD_VIDMEM_ACCESS_BIT_DISABLE_LOGGING",
        params: "",
    },
    Control {
        number: 0xc7630103,
        name: "NVC763_CTRL_CMD_VIDMEM_ACCESS_BIT_DUMP",
        params: "",
    },
    Control {
        number: 0xc7630104,
        name: "NVC763_CTRL_CMD_VIDMEM_ACCESS_BIT_PUT_OFFSET",
        params: "NVC763_CTRL_VIDMEM_ACCESS_BIT_PUT_OFFSET_PARAMS",
    },
    Control {
        number: 0xcb330101,
        name: "NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_GET_CAPABILITIES",
        params: "NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_GET_CAPABILITIES_PARAMS",
    },
    Control {
        number: 0xcb330104,
        name: "NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_GET_GPUS_STATE",
        params: "NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_GET_GPUS_STATE_PARAMS",
    },
    Control {
        number: 0xcb330105,
        name: "NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_SET_GPUS_STATE",
        params: "NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_SET_GPUS_STATE_PARAMS",
    },
    Control {
        number: 0xcb330106,
        name: "NV_CONF_COMPUTE_CTRL_CMD_GPU_GET_VIDMEM_SIZE",
        params: "NV_CONF_COMPUTE_CTRL_CMD_GPU_GET_VIDMEM_SIZE_PARAMS",
    },
    Control {
        number: 0xcb330107,
        name: "NV_CONF_COMPUTE_CTRL_CMD_GPU_SET_VIDMEM_SIZE",
        params: "NV_CONF_COMPUTE_CTRL_CMD_GPU_SET_VIDMEM_SIZE_PARAMS",
    },
    Control {
        number: 0xcb330108,
        name: "NV_CONF_COMPUTE_CTRL_CMD_GET_NUM_SUPPORTED_CC_SECURE_CHANNELS",
        params: "NV_CONF_COMPUTE_CTRL_CMD_GET_NUM_SUPPORTED_CC_SECURE_CHANNELS_PARAMS",
    },
    Control {
        number: 0xcb330109,
        name: "NV_CONF_COMPUTE_CTRL_CMD_GET_GPU_CERTIFICATE",
        params: "NV_CONF_COMPUTE_CTRL_CMD_GET_GPU_CERTIFICATE_PARAMS",
    },
    Control {
        number: 0xcb33010a,
        name: "NV_CONF_COMPUTE_CTRL_CMD_GET_GPU_ATTESTATION_REPORT",
        params: "NV_CONF_COMPUTE_CTRL_CMD_GET_GPU_ATTESTATION_REPORT_PARAMS",
    },
    Control {
        number: 0xcb33010b,
        name: "NV_CONF_COMPUTE_CTRL_CMD_GPU_GET_NUM_SECURE_CHANNELS",
        params: "NV_CONF_COMPUTE_CTRL_CMD_GPU_GET_NUM_SECURE_CHANNELS_PARAMS",
    },
    Control {
        number: 0xcb33010c,
        name: "NV_CONF_COMPUTE_CTRL_CMD_GPU_GET_KEY_ROTATION_STATE",
        params: "NV_CONF_COMPUTE_CTRL_CMD_GPU_GET_KEY_ROTATION_STATE_PARAMS",
    },
    Control {
        number: 0xcbca0101,
        name: "NV_COUNTER_COLLECTION_UNIT_CTRL_CMD_SUBSCRIBE",
        params: "",
    },
    Control {
        number: 0xcbca0102,
        name: "NV_COUNTER_COLLECTION_UNIT_CTRL_CMD_UNSUBSCRIBE",
        params: "",
    },
    Control {
        number: 0xcbca0103,
        name: "NV_COUNTER_COLLECTION_UNIT_CTRL_CMD_SET_STREAM_STATE",
        params: "",
    },
    Control {
        number: 0xcbca0104,
        name: "NV_COUNTER_COLLECTION_UNIT_CTRL_CMD_GET_STREAM_STATE",
        params: "",
    },
];

/// The control of that number.
pub fn find(number: u32) -> Option<&'static Control> {
    CONTROLS
        .binary_search_by_key(&number, |c| c.number)
        .ok()
        .map(|i| &CONTROLS[i])
}
