//! Parameters of `NV_ESC_RM_ALLOC` by class.
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

pod! { 120
pub struct NV0000_ALLOC_PARAMETERS {
    pub hClient: u32,
    pub processID: u32,
    pub processName: [u8; 100],
    pub _pad0: [u8; 4],
    pub pOsPidInfo: u64,
} }

pod! { 56
pub struct NV0080_ALLOC_PARAMETERS {
    pub deviceId: u32,
    pub hClientShare: u32,
    pub hTargetClient: u32,
    pub hTargetDevice: u32,
    pub flags: u32,
    pub _pad0: [u8; 4],
    pub vaSpaceSize: u64,
    pub vaStartInternal: u64,
    pub vaLimitInternal: u64,
    pub vaMode: u32,
    pub _pad1: [u8; 4],
} }

pod! { 4
pub struct NV2080_ALLOC_PARAMETERS {
    pub subDeviceId: u32,
} }

pod! { 24
pub struct NV0005_ALLOC_PARAMETERS {
    pub hParentClient: u32,
    pub hSrcResource: u32,
    pub hClass: u32,
    pub notifyIndex: u32,
    pub data: u64,
} }

pod! { 128
pub struct NV_MEMORY_ALLOCATION_PARAMS {
    pub owner: u32,
    pub type_: u32,
    pub flags: u32,
    pub width: u32,
    pub height: u32,
    pub pitch: i32,
    pub attr: u32,
    pub attr2: u32,
    pub format: u32,
    pub comprCovg: u32,
    pub zcullCovg: u32,
    pub _pad0: [u8; 4],
    pub rangeLo: u64,
    pub rangeHi: u64,
    pub size: u64,
    pub alignment: u64,
    pub offset: u64,
    pub limit: u64,
    pub address: u64,
    pub ctagOffset: u32,
    pub hVASpace: u32,
    pub internalflags: u32,
    pub tag: u32,
    pub numaNode: i32,
    pub _pad1: [u8; 4],
} }

pod! { 24
pub struct NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS {
    pub offset: u64,
    pub limit: u64,
    pub hVASpace: u32,
    pub _pad0: [u8; 4],
} }

pod! { 56
pub struct NV_VASPACE_ALLOCATION_PARAMETERS {
    pub index: u32,
    pub flags: u32,
    pub vaSize: u64,
    pub vaStartInternal: u64,
    pub vaLimitInternal: u64,
    pub bigPageSize: u32,
    pub _pad0: [u8; 4],
    pub vaBase: u64,
    pub pasid: u32,
    pub _pad1: [u8; 4],
} }

pod! { 20
pub struct NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS {
    pub hObjectError: u32,
    pub hObjectEccError: u32,
    pub hVASpace: u32,
    pub engineType: u32,
    pub bIsCallingContextVgpuPlugin: u8,
    pub _pad0: [u8; 3],
} }

pod! { 12
pub struct NV_CTXSHARE_ALLOCATION_PARAMETERS {
    pub hVASpace: u32,
    pub flags: u32,
    pub subctxId: u32,
} }

pod! { 24
pub struct NV_MEMORY_DESC_PARAMS {
    pub base: u64,
    pub size: u64,
    pub addressSpace: u32,
    pub cacheAttrib: u32,
} }

pod! { 368
pub struct NV_CHANNEL_ALLOC_PARAMS {
    pub hObjectError: u32,
    pub hObjectBuffer: u32,
    pub gpFifoOffset: u64,
    pub gpFifoEntries: u32,
    pub flags: u32,
    pub hContextShare: u32,
    pub hVASpace: u32,
    pub hUserdMemory: [u32; 8],
    pub userdOffset: [u64; 8],
    pub engineType: u32,
    pub cid: u32,
    pub subDeviceId: u32,
    pub hObjectEccError: u32,
    pub instanceMem: NV_MEMORY_DESC_PARAMS,
    pub userdMem: NV_MEMORY_DESC_PARAMS,
    pub ramfcMem: NV_MEMORY_DESC_PARAMS,
    pub mthdbufMem: NV_MEMORY_DESC_PARAMS,
    pub hPhysChannelGroup: u32,
    pub internalFlags: u32,
    pub errorNotifierMem: NV_MEMORY_DESC_PARAMS,
    pub eccErrorNotifierMem: NV_MEMORY_DESC_PARAMS,
    pub ProcessID: u32,
    pub SubProcessID: u32,
    pub encryptIv: [u32; 3],
    pub decryptIv: [u32; 3],
    pub hmacNonce: [u32; 8],
    pub tpcConfigID: u32,
    pub _pad0: [u8; 4],
} }

pod! { 16
pub struct NV_GR_ALLOCATION_PARAMETERS {
    pub version: u32,
    pub flags: u32,
    pub size: u32,
    pub caps: u32,
} }

pod! { 8
pub struct NVB0B5_ALLOCATION_PARAMETERS {
    pub version: u32,
    pub engineType: u32,
} }

pod! { 2
pub struct NV_HOPPER_USERMODE_A_PARAMS {
    pub bBar1Mapping: u8,
    pub bPriv: u8,
} }

pod! { 12
pub struct NV83DE_ALLOC_PARAMETERS {
    pub hDebuggerClient_Obsolete: u32,
    pub hAppClient: u32,
    pub hClass3dObject: u32,
} }

pod! { 4
pub struct NV2081_ALLOC_PARAMETERS {
    pub reserved: u32,
} }

pod! { 4
pub struct NV_CONFIDENTIAL_COMPUTE_ALLOC_PARAMS {
    pub hClient: u32,
} }

pod! { 8
pub struct NVB2CC_ALLOC_PARAMETERS {
    pub hClientTarget: u32,
    pub hContextTarget: u32,
} }
