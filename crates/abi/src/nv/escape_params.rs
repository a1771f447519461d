//! Parameters of the RM escapes.
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
pub struct nv_ioctl_xfer_t {
    pub cmd: u32,
    pub size: u32,
    pub ptr: u64,
} }

pod! { 12
pub struct nv_pci_info_t {
    pub domain: u32,
    pub bus: u8,
    pub slot: u8,
    pub function: u8,
    pub _pad0: [u8; 1],
    pub vendor_id: u16,
    pub device_id: u16,
} }

pod! { 72
pub struct nv_ioctl_card_info_t {
    pub valid: u8,
    pub _pad0: [u8; 3],
    pub pci_info: nv_pci_info_t,
    pub gpu_id: u32,
    pub interrupt_line: u16,
    pub _pad1: [u8; 2],
    pub reg_address: u64,
    pub reg_size: u64,
    pub fb_address: u64,
    pub fb_size: u64,
    pub minor_number: u32,
    pub dev_name: [u8; 10],
    pub _pad2: [u8; 2],
} }

pod! { 72
pub struct nv_ioctl_rm_api_version_t {
    pub cmd: u32,
    pub reply: u32,
    pub versionString: [u8; 64],
} }

pod! { 8
pub struct nv_ioctl_sys_params_t {
    pub memblock_size: u64,
} }

pod! { 4
pub struct nv_ioctl_register_fd_t {
    pub ctl_fd: i32,
} }

pod! { 16
pub struct nv_ioctl_alloc_os_event_t {
    pub hClient: u32,
    pub hDevice: u32,
    pub fd: u32,
    pub Status: u32,
} }

pod! { 16
pub struct nv_ioctl_free_os_event_t {
    pub hClient: u32,
    pub hDevice: u32,
    pub fd: u32,
    pub Status: u32,
} }

pod! { 12
pub struct nv_ioctl_status_code_t {
    pub domain: u32,
    pub bus: u8,
    pub slot: u8,
    pub _pad0: [u8; 2],
    pub status: u32,
} }

pod! { 8
pub struct nv_ioctl_wait_open_complete_t {
    pub rc: i32,
    pub adapterStatus: u32,
} }

pod! { 520
pub struct nv_offline_addresses_t {
    pub addresses: [u8; 512],
    pub numEntries: [u8; 4],
    pub _pad0: [u8; 4],
} }

pod! { 560
pub struct nv_ioctl_numa_info_t {
    pub nid: [u8; 4],
    pub status: [u8; 4],
    pub memblock_size: [u8; 8],
    pub numa_mem_addr: [u8; 8],
    pub numa_mem_size: [u8; 8],
    pub use_auto_online: [u8; 1],
    pub _pad0: [u8; 7],
    pub offline_addresses: nv_offline_addresses_t,
} }

pod! { 48
pub struct NVOS02_PARAMETERS {
    pub hRoot: u32,
    pub hObjectParent: u32,
    pub hObjectNew: u32,
    pub hClass: u32,
    pub flags: u32,
    pub _pad0: [u8; 4],
    pub pMemory: u64,
    pub limit: u64,
    pub status: u32,
    pub _pad1: [u8; 4],
} }

pod! { 56
pub struct nv_ioctl_nvos02_parameters_with_fd {
    pub params: NVOS02_PARAMETERS,
    pub fd: i32,
    pub _pad0: [u8; 4],
} }

pod! { 48
pub struct NVOS33_PARAMETERS {
    pub hClient: u32,
    pub hDevice: u32,
    pub hMemory: u32,
    pub _pad0: [u8; 4],
    pub offset: u64,
    pub length: u64,
    pub pLinearAddress: u64,
    pub status: u32,
    pub flags: u32,
} }

pod! { 56
pub struct nv_ioctl_nvos33_parameters_with_fd {
    pub params: NVOS33_PARAMETERS,
    pub fd: i32,
    pub _pad0: [u8; 4],
} }

pod! { 8
pub struct nv_ioctl_query_device_intr {
    pub intrStatus: u32,
    pub status: u32,
} }

pod! { 16
pub struct NVOS00_PARAMETERS {
    pub hRoot: u32,
    pub hObjectParent: u32,
    pub hObjectOld: u32,
    pub status: u32,
} }

pod! { 32
pub struct NVOS21_PARAMETERS {
    pub hRoot: u32,
    pub hObjectParent: u32,
    pub hObjectNew: u32,
    pub hClass: u32,
    pub pAllocParms: u64,
    pub paramsSize: u32,
    pub status: u32,
} }

pod! { 48
pub struct NVOS64_PARAMETERS {
    pub hRoot: u32,
    pub hObjectParent: u32,
    pub hObjectNew: u32,
    pub hClass: u32,
    pub pAllocParms: u64,
    pub pRightsRequested: u64,
    pub paramsSize: u32,
    pub flags: u32,
    pub status: u32,
    pub _pad0: [u8; 4],
} }

pod! { 32
pub struct NVOS34_PARAMETERS {
    pub hClient: u32,
    pub hDevice: u32,
    pub hMemory: u32,
    pub _pad0: [u8; 4],
    pub pLinearAddress: u64,
    pub status: u32,
    pub flags: u32,
} }

pod! { 72
pub struct NVOS38_PARAMETERS {
    pub hClient: u32,
    pub hObject: u32,
    pub AccessType: u32,
    pub DevNodeLength: u32,
    pub pDevNode: u64,
    pub ParmStrLength: u32,
    pub _pad0: [u8; 4],
    pub pParmStr: u64,
    pub BinaryDataLength: u32,
    pub _pad1: [u8; 4],
    pub pBinaryData: u64,
    pub Data: u32,
    pub Entry: u32,
    pub status: u32,
    pub _pad2: [u8; 4],
} }

pod! { 56
pub struct NVOS39_PARAMETERS {
    pub hObjectParent: u32,
    pub hSubDevice: u32,
    pub hObjectNew: u32,
    pub hClass: u32,
    pub flags: u32,
    pub selector: u32,
    pub hMemory: u32,
    pub _pad0: [u8; 4],
    pub offset: u64,
    pub limit: u64,
    pub status: u32,
    pub _pad1: [u8; 4],
} }

pod! { 16
pub struct NVOS41_PARAMETERS {
    pub pEvent: u64,
    pub MoreEvents: u32,
    pub status: u32,
} }

pod! { 16
pub struct NvUnixEvent {
    pub hObject: u32,
    pub NotifyIndex: u32,
    pub info32: u32,
    pub info16: u16,
    pub _pad0: [u8; 2],
} }

pod! { 64
pub struct NVOS46_PARAMETERS {
    pub hClient: u32,
    pub hDevice: u32,
    pub hDma: u32,
    pub hMemory: u32,
    pub offset: u64,
    pub length: u64,
    pub flags: u32,
    pub flags2: u32,
    pub kindOverride: u32,
    pub _pad0: [u8; 4],
    pub dmaOffset: u64,
    pub status: u32,
    pub _pad1: [u8; 4],
} }

pod! { 48
pub struct NVOS47_PARAMETERS {
    pub hClient: u32,
    pub hDevice: u32,
    pub hDma: u32,
    pub hMemory: u32,
    pub flags: u32,
    pub _pad0: [u8; 4],
    pub dmaOffset: u64,
    pub size: u64,
    pub status: u32,
    pub _pad1: [u8; 4],
} }

pod! { 16
pub struct NVOS49_PARAMETERS {
    pub hClient: u32,
    pub hChannel: u32,
    pub hCtxDma: u32,
    pub status: u32,
} }

pod! { 32
pub struct NVOS54_PARAMETERS {
    pub hClient: u32,
    pub hObject: u32,
    pub cmd: u32,
    pub flags: u32,
    pub params: u64,
    pub paramsSize: u32,
    pub status: u32,
} }

pod! { 28
pub struct NVOS55_PARAMETERS {
    pub hClient: u32,
    pub hParent: u32,
    pub hObject: u32,
    pub hClientSrc: u32,
    pub hObjectSrc: u32,
    pub flags: u32,
    pub status: u32,
} }

pod! { 40
pub struct NVOS56_PARAMETERS {
    pub hClient: u32,
    pub hDevice: u32,
    pub hMemory: u32,
    pub _pad0: [u8; 4],
    pub pOldCpuAddress: u64,
    pub pNewCpuAddress: u64,
    pub status: u32,
    pub _pad1: [u8; 4],
} }

pod! { 4
pub struct RS_ACCESS_MASK {
    pub limbs: [u8; 4],
} }

pod! { 12
pub struct RS_SHARE_POLICY {
    pub target: u32,
    pub accessMask: RS_ACCESS_MASK,
    pub type_: u16,
    pub action: u8,
    pub _pad0: [u8; 1],
} }

pod! { 24
pub struct NVOS57_PARAMETERS {
    pub hClient: u32,
    pub hObject: u32,
    pub sharePolicy: RS_SHARE_POLICY,
    pub status: u32,
} }

pod! { 56
pub struct NVOS30_PARAMETERS {
    pub hClient: u32,
    pub hDevice: u32,
    pub hChannel: u32,
    pub numChannels: u32,
    pub phClients: u64,
    pub phDevices: u64,
    pub phChannels: u64,
    pub flags: u32,
    pub timeout: u32,
    pub status: u32,
    pub _pad0: [u8; 4],
} }
