//! Parameters of `NV_ESC_RM_CONTROL` by command.
//!
//! Every struct has the size and offsets that the headers give for x86-64; padding is spelt out so that the types
//! are plain bytes.
// Layouts and numbers: open-gpu-kernel-modules 580.142 and open-gpu-doc (MIT). See PROVENANCE.md.
#![expect(
    missing_docs,
    non_snake_case,
    reason = "NVIDIA's names at the ABI edge; the open headers define each field"
)]

use super::escape_params::*;
use super::pod;

pod! { 40
pub struct NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_PARAMS {
    pub sizeOfStrings: u32,
    pub _pad0: [u8; 4],
    pub pDriverVersionBuffer: u64,
    pub pVersionBuffer: u64,
    pub pTitleBuffer: u64,
    pub changelistNumber: u32,
    pub officialChangelistNumber: u32,
} }

pod! { 1032
pub struct NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_V2_PARAMS {
    pub driverVersionBuffer: [u8; 256],
    pub versionBuffer: [u8; 256],
    pub driverBranch: [u8; 256],
    pub titleBuffer: [u8; 256],
    pub changelistNumber: u32,
    pub officialChangelistNumber: u32,
} }

pod! { 128
pub struct NV0000_CTRL_GPU_GET_ATTACHED_IDS_PARAMS {
    pub gpuIds: [u32; 32],
} }

pod! { 384
pub struct NV0000_CTRL_GPU_GET_PROBED_IDS_PARAMS {
    pub gpuIds: [u32; 32],
    pub excludedGpuIds: [u32; 32],
    pub gpuFlags: [u32; 32],
} }

pod! { 132
pub struct NV0000_CTRL_GPU_ATTACH_IDS_PARAMS {
    pub gpuIds: [u32; 32],
    pub failedId: u32,
} }

pod! { 128
pub struct NV0000_CTRL_GPU_DETACH_IDS_PARAMS {
    pub gpuIds: [u32; 32],
} }

pod! { 40
pub struct NV0000_CTRL_GPU_GET_ID_INFO_PARAMS {
    pub gpuId: u32,
    pub gpuFlags: u32,
    pub deviceInstance: u32,
    pub subDeviceInstance: u32,
    pub szName: u64,
    pub sliStatus: u32,
    pub boardId: u32,
    pub gpuInstance: u32,
    pub numaId: i32,
} }

pod! { 32
pub struct NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS {
    pub gpuId: u32,
    pub gpuFlags: u32,
    pub deviceInstance: u32,
    pub subDeviceInstance: u32,
    pub sliStatus: u32,
    pub boardId: u32,
    pub gpuInstance: u32,
    pub numaId: i32,
} }

pod! { 12
pub struct NV0000_CTRL_GPU_GET_PCI_INFO_PARAMS {
    pub gpuId: u32,
    pub domain: u32,
    pub bus: u16,
    pub slot: u16,
} }

pod! { 12
pub struct NV0000_CTRL_GPU_QUERY_DRAIN_STATE_PARAMS {
    pub gpuId: u32,
    pub drainState: u32,
    pub flags: u32,
} }

pod! { 268
pub struct NV0000_CTRL_GPU_GET_UUID_FROM_GPU_ID_PARAMS {
    pub gpuId: u32,
    pub flags: u32,
    pub gpuUuid: [u8; 256],
    pub uuidStrLen: u32,
} }

pod! { 12
pub struct NV0000_CTRL_CLIENT_GET_ADDR_SPACE_TYPE_PARAMS {
    pub hObject: u32,
    pub mapFlags: u32,
    pub addrSpaceType: u32,
} }

pod! { 12
pub struct NV0000_CTRL_CLIENT_SET_INHERITED_SHARE_POLICY_PARAMS {
    pub sharePolicy: RS_SHARE_POLICY,
} }

pod! { 4
pub struct NV0000_CTRL_GPU_GET_MEMOP_ENABLE_PARAMS {
    pub enableMask: u32,
} }

pod! { 16
pub struct NV0080_CTRL_GPU_GET_CLASSLIST_PARAMS {
    pub numClasses: u32,
    pub _pad0: [u8; 4],
    pub classList: u64,
} }

pod! { 804
pub struct NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS {
    pub numClasses: u32,
    pub classList: [u32; 200],
} }

pod! { 4
pub struct NV0080_CTRL_GPU_GET_NUM_SUBDEVICES_PARAMS {
    pub numSubDevices: u32,
} }

pod! { 8
pub struct NV0080_CTRL_GPU_GET_VIRTUALIZATION_MODE_PARAMS {
    pub virtualizationMode: u32,
    pub isGridBuild: u8,
    pub _pad0: [u8; 3],
} }

pod! { 4
pub struct NV0080_CTRL_GPU_QUERY_SW_STATE_PERSISTENCE_PARAMS {
    pub swStatePersistence: u32,
} }

pod! { 4
pub struct NV0080_CTRL_GPU_GET_BRAND_CAPS_PARAMS {
    pub brands: u32,
} }

pod! { 24
pub struct NV0080_CTRL_FIFO_GET_CHANNELLIST_PARAMS {
    pub numChannels: u32,
    pub _pad0: [u8; 4],
    pub pChannelHandleList: u64,
    pub pChannelList: u64,
} }

pod! { 3
pub struct NV0080_CTRL_HOST_GET_CAPS_V2_PARAMS {
    pub capsTbl: [u8; 3],
} }

pod! { 3
pub struct NV0080_CTRL_FB_GET_CAPS_V2_PARAMS {
    pub capsTbl: [u8; 3],
} }

pod! { 8
pub struct NV2080_CTRL_GPU_INFO {
    pub index: u32,
    pub data: u32,
} }

pod! { 564
pub struct NV2080_CTRL_GPU_GET_INFO_V2_PARAMS {
    pub gpuInfoListSize: u32,
    pub gpuInfoList: [NV2080_CTRL_GPU_INFO; 70],
} }

pod! { 132
pub struct NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS {
    pub gpuNameStringFlags: u32,
    pub gpuNameString: [u8; 128],
} }

pod! { 64
pub struct NV2080_CTRL_GPU_GET_SHORT_NAME_STRING_PARAMS {
    pub gpuShortNameString: [u8; 64],
} }

pod! { 268
pub struct NV2080_CTRL_GPU_GET_GID_INFO_PARAMS {
    pub index: u32,
    pub flags: u32,
    pub length: u32,
    pub data: [u8; 256],
} }

pod! { 340
pub struct NV2080_CTRL_GPU_GET_ENGINES_V2_PARAMS {
    pub engineCount: u32,
    pub engineList: [u32; 84],
} }

pod! { 4
pub struct NV2080_CTRL_GPU_QUERY_COMPUTE_MODE_RULES_PARAMS {
    pub rules: u32,
} }

pod! { 8
pub struct NV2080_CTRL_GPU_QUERY_ECC_CONFIGURATION_PARAMS {
    pub currentConfiguration: u32,
    pub defaultConfiguration: u32,
} }

pod! { 5
pub struct NV2080_CTRL_GPU_GET_INFOROM_OBJECT_VERSION_PARAMS {
    pub objectType: [u8; 3],
    pub version: u8,
    pub subversion: u8,
} }

pod! { 3812
pub struct NV2080_CTRL_GPU_GET_PIDS_PARAMS {
    pub idType: u32,
    pub id: u32,
    pub pidTblCount: u32,
    pub pidTbl: [u32; 950],
} }

pod! { 48
pub struct NV2080_CTRL_GPU_PID_INFO_VIDEO_MEMORY_USAGE_DATA {
    pub memPrivate: u64,
    pub memSharedOwned: u64,
    pub memSharedDuped: u64,
    pub protectedMemPrivate: u64,
    pub protectedMemSharedOwned: u64,
    pub protectedMemSharedDuped: u64,
} }

pod! { 48
pub struct NV2080_CTRL_GPU_PID_INFO_DATA {
    pub vidMemUsage: NV2080_CTRL_GPU_PID_INFO_VIDEO_MEMORY_USAGE_DATA,
} }

pod! { 8
pub struct NV2080_CTRL_SMC_SUBSCRIPTION_INFO {
    pub computeInstanceId: u32,
    pub gpuInstanceId: u32,
} }

pod! { 72
pub struct NV2080_CTRL_GPU_PID_INFO {
    pub pid: u32,
    pub index: u32,
    pub result: u32,
    pub _pad0: [u8; 4],
    pub data: NV2080_CTRL_GPU_PID_INFO_DATA,
    pub smcSubscription: NV2080_CTRL_SMC_SUBSCRIPTION_INFO,
} }

pod! { 14408
pub struct NV2080_CTRL_GPU_GET_PID_INFO_PARAMS {
    pub pidInfoListCount: u32,
    pub _pad0: [u8; 4],
    pub pidInfoList: [NV2080_CTRL_GPU_PID_INFO; 200],
} }

pod! { 40
pub struct NV2080_CTRL_GPU_GET_ACTIVE_PARTITION_IDS_PARAMS {
    pub swizzId: [u32; 9],
    pub partitionCount: u32,
} }

pod! { 8
pub struct NV2080_CTRL_GR_INFO {
    pub index: u32,
    pub data: u32,
} }

pod! { 16
pub struct NV2080_CTRL_GR_ROUTE_INFO {
    pub flags: u32,
    pub _pad0: [u8; 4],
    pub route: u64,
} }

pod! { 32
pub struct NV2080_CTRL_GR_GET_INFO_PARAMS {
    pub grInfoListSize: u32,
    pub _pad0: [u8; 4],
    pub grInfoList: u64,
    pub grRouteInfo: NV2080_CTRL_GR_ROUTE_INFO,
} }

pod! { 9240
pub struct NV2080_CTRL_GR_GET_GLOBAL_SM_ORDER_PARAMS {
    pub globalSmId: [u8; 9216],
    pub numSm: u16,
    pub numTpc: u16,
    pub _pad0: [u8; 4],
    pub grRouteInfo: NV2080_CTRL_GR_ROUTE_INFO,
} }

pod! { 24
pub struct NV2080_CTRL_GR_GET_GPC_MASK_PARAMS {
    pub grRouteInfo: NV2080_CTRL_GR_ROUTE_INFO,
    pub gpcMask: u32,
    pub _pad0: [u8; 4],
} }

pod! { 24
pub struct NV2080_CTRL_GR_GET_TPC_MASK_PARAMS {
    pub grRouteInfo: NV2080_CTRL_GR_ROUTE_INFO,
    pub gpcId: u32,
    pub tpcMask: u32,
} }

pod! { 16
pub struct NV0080_CTRL_GR_ROUTE_INFO {
    pub flags: u32,
    pub _pad0: [u8; 4],
    pub route: u64,
} }

pod! { 48
pub struct NV2080_CTRL_GR_GET_CAPS_V2_PARAMS {
    pub capsTbl: [u8; 23],
    pub _pad0: [u8; 1],
    pub grRouteInfo: NV0080_CTRL_GR_ROUTE_INFO,
    pub bCapsPopulated: u8,
    pub _pad1: [u8; 7],
} }

pod! { 16
pub struct NV2080_CTRL_GR_GET_CTX_BUFFER_SIZE_PARAMS {
    pub hChannel: u32,
    pub _pad0: [u8; 4],
    pub totalBufferSize: u64,
} }

pod! { 8
pub struct NV2080_CTRL_FB_INFO {
    pub index: u32,
    pub data: u32,
} }

pod! { 1028
pub struct NV2080_CTRL_FB_GET_INFO_V2_PARAMS {
    pub fbInfoListSize: u32,
    pub fbInfoList: [NV2080_CTRL_FB_INFO; 128],
} }

pod! { 16
pub struct NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS {
    pub architecture: u32,
    pub implementation: u32,
    pub revision: u32,
    pub subRevision: u8,
    pub _pad0: [u8; 3],
} }

pod! { 4
pub struct NV2080_CTRL_MC_SERVICE_INTERRUPTS_PARAMS {
    pub engines: u32,
} }

pod! { 16
pub struct NV2080_CTRL_BUS_GET_PCI_INFO_PARAMS {
    pub pciDeviceId: u32,
    pub pciSubSystemId: u32,
    pub pciRevisionId: u32,
    pub pciExtDeviceId: u32,
} }

pod! { 8
pub struct NV2080_CTRL_BUS_INFO {
    pub index: u32,
    pub data: u32,
} }

pod! { 420
pub struct NV2080_CTRL_BUS_GET_INFO_V2_PARAMS {
    pub busInfoListSize: u32,
    pub busInfoList: [NV2080_CTRL_BUS_INFO; 52],
} }

pod! { 24
pub struct NV2080_CTRL_BUS_PCI_BAR_INFO {
    pub flags: u32,
    pub barSize: u32,
    pub barSizeBytes: u64,
    pub barOffset: u64,
} }

pod! { 200
pub struct NV2080_CTRL_BUS_GET_PCI_BAR_INFO_PARAMS {
    pub pciBarCount: u32,
    pub _pad0: [u8; 4],
    pub pciBarInfo: [NV2080_CTRL_BUS_PCI_BAR_INFO; 8],
} }

pod! { 136
pub struct NV2080_CTRL_CE_GET_ALL_CAPS_PARAMS {
    pub capsTbl: [[u8; 2]; 64],
    pub present: u64,
} }

pod! { 72
pub struct NV2080_CTRL_GSP_GET_FEATURES_PARAMS {
    pub gspFeatures: u32,
    pub bValid: u8,
    pub bDefaultGspRmGpu: u8,
    pub firmwareVersion: [u8; 64],
    pub _pad0: [u8; 2],
} }

pod! { 8
pub struct NV2080_CTRL_PERF_BOOST_PARAMS {
    pub flags: u32,
    pub duration: u32,
} }

pod! { 4
pub struct NV2080_CTRL_PERF_GET_CURRENT_PSTATE_PARAMS {
    pub currPstate: u32,
} }

pod! { 4
pub struct NV2080_CTRL_RC_GET_WATCHDOG_INFO_PARAMS {
    pub watchdogStatusFlags: u32,
} }

pod! { 16
pub struct NV2080_CTRL_TIMER_GPU_CPU_TIME_SAMPLE {
    pub cpuTime: u64,
    pub gpuTime: u64,
} }

pod! { 264
pub struct NV2080_CTRL_TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO_PARAMS {
    pub cpuClkId: u8,
    pub sampleCount: u8,
    pub _pad0: [u8; 6],
    pub samples: [NV2080_CTRL_TIMER_GPU_CPU_TIME_SAMPLE; 16],
} }

pod! { 20
pub struct NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS {
    pub event: u32,
    pub action: u32,
    pub bNotifyState: u8,
    pub _pad0: [u8; 3],
    pub info32: u32,
    pub info16: u16,
    pub _pad1: [u8; 2],
} }

pod! { 4
pub struct NV2080_CTRL_THERMAL_SYSTEM_GET_INFO_TARGETS_AVAILABLE_OPERANDS {
    pub availableTargets: u32,
} }

pod! { 32
pub struct NV2080_CTRL_THERMAL_SYSTEM_INSTRUCTION_OPERANDS {
    pub getInfoTargetsAvailable: NV2080_CTRL_THERMAL_SYSTEM_GET_INFO_TARGETS_AVAILABLE_OPERANDS,
    pub _pad0: [u8; 28],
} }

pod! { 44
pub struct NV2080_CTRL_THERMAL_SYSTEM_INSTRUCTION {
    pub result: u32,
    pub executed: u32,
    pub opcode: u32,
    pub operands: NV2080_CTRL_THERMAL_SYSTEM_INSTRUCTION_OPERANDS,
} }

pod! { 1432
pub struct NV2080_CTRL_THERMAL_SYSTEM_EXECUTE_V2_PARAMS {
    pub clientAPIVersion: u32,
    pub clientAPIRevision: u32,
    pub clientInstructionSizeOf: u32,
    pub executeFlags: u32,
    pub successfulInstructions: u32,
    pub instructionListSize: u32,
    pub instructionList: [NV2080_CTRL_THERMAL_SYSTEM_INSTRUCTION; 32],
} }

pod! { 4024
pub struct NV2080_CTRL_FB_FLUSH_GPU_CACHE_PARAMS {
    pub addressArray: [u64; 500],
    pub addressArraySize: u32,
    pub addressAlign: u32,
    pub memBlockSizeBytes: u64,
    pub flags: u32,
    pub _pad0: [u8; 4],
} }

pod! { 3
pub struct NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS {
    pub bEnable: u8,
    pub bSkipSubmit: u8,
    pub bSkipEnable: u8,
} }

pod! { 3
pub struct NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS {
    pub bEnable: u8,
    pub bSkipSubmit: u8,
    pub bSkipEnable: u8,
} }

pod! { 4
pub struct NVA06F_CTRL_BIND_PARAMS {
    pub engineType: u32,
} }

pod! { 4
pub struct NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS {
    pub workSubmitToken: u32,
} }

pod! { 6
pub struct NV_CONF_COMPUTE_CTRL_CMD_SYSTEM_GET_CAPABILITIES_PARAMS {
    pub cpuCapability: u8,
    pub gpusCapability: u8,
    pub environment: u8,
    pub ccFeature: u8,
    pub devToolsMode: u8,
    pub multiGpuMode: u8,
} }
