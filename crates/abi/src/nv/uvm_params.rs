//! Parameters of the UVM commands.
//!
//! Every struct has the size and offsets that the headers give for x86-64; padding is spelt out so that the types
//! are plain bytes.
// Layouts and numbers: open-gpu-kernel-modules 580.142 and open-gpu-doc (MIT). See PROVENANCE.md.
#![expect(
    missing_docs,
    non_snake_case,
    reason = "NVIDIA's names at the ABI edge; the open headers define each field"
)]

use super::pod;

pod! { 16
pub struct UVM_INITIALIZE_PARAMS {
    pub flags: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 8
pub struct UVM_MM_INITIALIZE_PARAMS {
    pub uvmFd: i32,
    pub rmStatus: u32,
} }

pod! { 8
pub struct UVM_PAGEABLE_MEM_ACCESS_PARAMS {
    pub pageableMemAccess: u8,
    pub _pad0: [u8; 3],
    pub rmStatus: u32,
} }

pod! { 24
pub struct UVM_PAGEABLE_MEM_ACCESS_ON_GPU_PARAMS {
    pub gpu_uuid: [u8; 16],
    pub pageableMemAccess: u8,
    pub _pad0: [u8; 3],
    pub rmStatus: u32,
} }

pod! { 40
pub struct UVM_REGISTER_GPU_PARAMS {
    pub gpu_uuid: [u8; 16],
    pub numaEnabled: u8,
    pub _pad0: [u8; 3],
    pub numaNodeId: i32,
    pub rmCtrlFd: i32,
    pub hClient: u32,
    pub hSmcPartRef: u32,
    pub rmStatus: u32,
} }

pod! { 20
pub struct UVM_UNREGISTER_GPU_PARAMS {
    pub gpu_uuid: [u8; 16],
    pub rmStatus: u32,
} }

pod! { 32
pub struct UVM_REGISTER_GPU_VASPACE_PARAMS {
    pub gpuUuid: [u8; 16],
    pub rmCtrlFd: i32,
    pub hClient: u32,
    pub hVaSpace: u32,
    pub rmStatus: u32,
} }

pod! { 20
pub struct UVM_UNREGISTER_GPU_VASPACE_PARAMS {
    pub gpuUuid: [u8; 16],
    pub rmStatus: u32,
} }

pod! { 56
pub struct UVM_REGISTER_CHANNEL_PARAMS {
    pub gpuUuid: [u8; 16],
    pub rmCtrlFd: i32,
    pub hClient: u32,
    pub hChannel: u32,
    pub _pad0: [u8; 4],
    pub base: u64,
    pub length: u64,
    pub rmStatus: u32,
    pub _pad1: [u8; 4],
} }

pod! { 28
pub struct UVM_UNREGISTER_CHANNEL_PARAMS {
    pub gpuUuid: [u8; 16],
    pub hClient: u32,
    pub hChannel: u32,
    pub rmStatus: u32,
} }

pod! { 16
pub struct UVM_CREATE_RANGE_GROUP_PARAMS {
    pub rangeGroupId: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 16
pub struct UVM_DESTROY_RANGE_GROUP_PARAMS {
    pub rangeGroupId: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 32
pub struct UVM_SET_RANGE_GROUP_PARAMS {
    pub rangeGroupId: u64,
    pub requestedBase: u64,
    pub length: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 272
pub struct UVM_PREVENT_MIGRATION_RANGE_GROUPS_PARAMS {
    pub rangeGroupIds: [u64; 32],
    pub numGroupIds: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 24
pub struct UVM_CREATE_EXTERNAL_RANGE_PARAMS {
    pub base: u64,
    pub length: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 36
pub struct UvmGpuMappingAttributes {
    pub gpuUuid: [u8; 16],
    pub gpuMappingType: u32,
    pub gpuCachingType: u32,
    pub gpuFormatType: u32,
    pub gpuElementBits: u32,
    pub gpuCompressionType: u32,
} }

pod! { 9264
pub struct UVM_MAP_EXTERNAL_ALLOCATION_PARAMS {
    pub base: u64,
    pub length: u64,
    pub offset: u64,
    pub perGpuAttributes: [UvmGpuMappingAttributes; 256],
    pub gpuAttributesCount: u64,
    pub rmCtrlFd: i32,
    pub hClient: u32,
    pub hMemory: u32,
    pub rmStatus: u32,
} }

pod! { 40
pub struct UVM_MAP_EXTERNAL_SPARSE_PARAMS {
    pub base: u64,
    pub length: u64,
    pub gpuUuid: [u8; 16],
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 40
pub struct UVM_UNMAP_EXTERNAL_PARAMS {
    pub base: u64,
    pub length: u64,
    pub gpuUuid: [u8; 16],
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 24
pub struct UVM_FREE_PARAMS {
    pub base: u64,
    pub length: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 9248
pub struct UVM_ALLOC_SEMAPHORE_POOL_PARAMS {
    pub base: u64,
    pub length: u64,
    pub perGpuAttributes: [UvmGpuMappingAttributes; 256],
    pub gpuAttributesCount: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 24
pub struct UVM_VALIDATE_VA_RANGE_PARAMS {
    pub base: u64,
    pub length: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 80
pub struct UVM_MIGRATE_PARAMS {
    pub base: u64,
    pub length: u64,
    pub destinationUuid: [u8; 16],
    pub flags: u32,
    pub _pad0: [u8; 4],
    pub semaphoreAddress: u64,
    pub semaphorePayload: u32,
    pub cpuNumaNode: i32,
    pub userSpaceStart: u64,
    pub userSpaceLength: u64,
    pub rmStatus: u32,
    pub _pad1: [u8; 4],
} }

pod! { 32
pub struct UVM_MIGRATE_RANGE_GROUP_PARAMS {
    pub rangeGroupId: u64,
    pub destinationUuid: [u8; 16],
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 40
pub struct UVM_SET_PREFERRED_LOCATION_PARAMS {
    pub requestedBase: u64,
    pub length: u64,
    pub preferredLocation: [u8; 16],
    pub preferredCpuNumaNode: i32,
    pub rmStatus: u32,
} }

pod! { 24
pub struct UVM_UNSET_PREFERRED_LOCATION_PARAMS {
    pub requestedBase: u64,
    pub length: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 40
pub struct UVM_SET_ACCESSED_BY_PARAMS {
    pub requestedBase: u64,
    pub length: u64,
    pub accessedByUuid: [u8; 16],
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 40
pub struct UVM_UNSET_ACCESSED_BY_PARAMS {
    pub requestedBase: u64,
    pub length: u64,
    pub accessedByUuid: [u8; 16],
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 24
pub struct UVM_ENABLE_READ_DUPLICATION_PARAMS {
    pub requestedBase: u64,
    pub length: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 24
pub struct UVM_DISABLE_READ_DUPLICATION_PARAMS {
    pub requestedBase: u64,
    pub length: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 36
pub struct UVM_ENABLE_PEER_ACCESS_PARAMS {
    pub gpuUuidA: [u8; 16],
    pub gpuUuidB: [u8; 16],
    pub rmStatus: u32,
} }

pod! { 40
pub struct UVM_MAP_DYNAMIC_PARALLELISM_REGION_PARAMS {
    pub base: u64,
    pub length: u64,
    pub gpuUuid: [u8; 16],
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 24
pub struct UVM_POPULATE_PAGEABLE_PARAMS {
    pub base: u64,
    pub length: u64,
    pub flags: u32,
    pub rmStatus: u32,
} }

pod! { 56
pub struct UVM_ALLOC_DEVICE_P2P_PARAMS {
    pub base: u64,
    pub length: u64,
    pub offset: u64,
    pub gpuUuid: [u8; 16],
    pub rmCtrlFd: i32,
    pub hClient: u32,
    pub hMemory: u32,
    pub rmStatus: u32,
} }

pod! { 32
pub struct UVM_DISCARD_PARAMS {
    pub base: u64,
    pub length: u64,
    pub flags: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 56
pub struct UVM_TOOLS_INIT_EVENT_TRACKER_PARAMS {
    pub queueBuffer: u64,
    pub queueBufferSize: u64,
    pub controlBuffer: u64,
    pub processor: [u8; 16],
    pub allProcessors: u32,
    pub uvmFd: u32,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 8
pub struct UVM_TOOLS_SET_NOTIFICATION_THRESHOLD_PARAMS {
    pub notificationThreshold: u32,
    pub rmStatus: u32,
} }

pod! { 16
pub struct UVM_TOOLS_EVENT_QUEUE_ENABLE_EVENTS_PARAMS {
    pub eventTypeFlags: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 16
pub struct UVM_TOOLS_ENABLE_COUNTERS_PARAMS {
    pub counterTypeFlags: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 40
pub struct UVM_TOOLS_READ_PROCESS_MEMORY_PARAMS {
    pub buffer: u64,
    pub size: u64,
    pub targetVa: u64,
    pub bytesRead: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 16
pub struct UVM_TOOLS_GET_PROCESSOR_UUID_TABLE_PARAMS {
    pub tablePtr: u64,
    pub rmStatus: u32,
    pub _pad0: [u8; 4],
} }

pod! { 4
pub struct UVM_TOOLS_FLUSH_EVENTS_PARAMS {
    pub rmStatus: u32,
} }

pod! { 528
pub struct UvmToolsEventControlData {
    pub get_ahead: u32,
    pub get_behind: u32,
    pub put_ahead: u32,
    pub put_behind: u32,
    pub dropped: [u64; 64],
} }
