//! RM escapes: `_IOWR('F', number, struct)` on `/dev/nvidiactl` and `/dev/nvidia*`. The kernel looks at number and size
//! only.

/// `'F'`.
pub const IOCTL_MAGIC: u8 = 0x46;

/// Which device node an escape must come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// `/dev/nvidiactl` only.
    Control,
    /// A GPU node only.
    Device,
    /// Either.
    Any,
}

/// One escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escape {
    /// `_IOC_NR`.
    pub number: u32,
    /// NVIDIA's name without `NV_ESC_`.
    pub name: &'static str,
    /// Struct names whose sizes are accepted; empty: variable.
    pub params: &'static [&'static str],
    /// Node rule.
    pub node: Node,
}

macro_rules! escapes {
    ($($name:ident = $number:literal, $node:ident, [$($params:ident),*];)*) => {
        $(#[doc = concat!("`NV_ESC_", stringify!($name), "`.")]
        pub const $name: u32 = $number;)*
        /// All known escapes.
        pub static ESCAPES: &[Escape] = &[
            $(Escape { number: $number, name: stringify!($name), params: &[$(stringify!($params)),*], node: Node::$node },)*
        ];
    };
}

escapes! {
    RM_ALLOC_MEMORY = 0x27, Device, [nv_ioctl_nvos02_parameters_with_fd];
    RM_ALLOC_OBJECT = 0x28, Control, [NVOS05_PARAMETERS];
    RM_FREE = 0x29, Control, [NVOS00_PARAMETERS];
    RM_CONTROL = 0x2a, Control, [NVOS54_PARAMETERS];
    RM_ALLOC = 0x2b, Any, [NVOS21_PARAMETERS, NVOS64_PARAMETERS];
    RM_CONFIG_GET = 0x32, Control, [];
    RM_CONFIG_SET = 0x33, Control, [];
    RM_DUP_OBJECT = 0x34, Control, [NVOS55_PARAMETERS];
    RM_SHARE = 0x35, Control, [NVOS57_PARAMETERS];
    RM_CONFIG_GET_EX = 0x37, Control, [];
    RM_CONFIG_SET_EX = 0x38, Control, [];
    RM_I2C_ACCESS = 0x39, Device, [NVOS_I2C_ACCESS_PARAMS];
    RM_IDLE_CHANNELS = 0x41, Control, [NVOS30_PARAMETERS];
    RM_VID_HEAP_CONTROL = 0x4a, Control, [NVOS32_PARAMETERS];
    RM_ACCESS_REGISTRY = 0x4d, Control, [NVOS38_PARAMETERS];
    RM_MAP_MEMORY = 0x4e, Control, [nv_ioctl_nvos33_parameters_with_fd];
    RM_UNMAP_MEMORY = 0x4f, Control, [NVOS34_PARAMETERS];
    RM_GET_EVENT_DATA = 0x52, Any, [NVOS41_PARAMETERS];
    RM_ALLOC_CONTEXT_DMA2 = 0x54, Control, [NVOS39_PARAMETERS];
    RM_ADD_VBLANK_CALLBACK = 0x56, Control, [];
    RM_MAP_MEMORY_DMA = 0x57, Control, [NVOS46_PARAMETERS];
    RM_UNMAP_MEMORY_DMA = 0x58, Control, [NVOS47_PARAMETERS];
    RM_BIND_CONTEXT_DMA = 0x59, Control, [NVOS49_PARAMETERS];
    RM_EXPORT_OBJECT_TO_FD = 0x5c, Control, [];
    RM_IMPORT_OBJECT_FROM_FD = 0x5d, Control, [];
    RM_UPDATE_DEVICE_MAPPING_INFO = 0x5e, Control, [NVOS56_PARAMETERS];
    RM_LOCKLESS_DIAGNOSTIC = 0x5f, Control, [];
    CARD_INFO = 0xc8, Control, [];
    REGISTER_FD = 0xc9, Any, [nv_ioctl_register_fd_t];
    ALLOC_OS_EVENT = 0xce, Any, [nv_ioctl_alloc_os_event_t];
    FREE_OS_EVENT = 0xcf, Any, [nv_ioctl_free_os_event_t];
    STATUS_CODE = 0xd1, Control, [nv_ioctl_status_code_t];
    CHECK_VERSION_STR = 0xd2, Control, [nv_ioctl_rm_api_version_t];
    IOCTL_XFER_CMD = 0xd3, Any, [nv_ioctl_xfer_t];
    ATTACH_GPUS_TO_FD = 0xd4, Control, [];
    QUERY_DEVICE_INTR = 0xd5, Device, [nv_ioctl_query_device_intr];
    SYS_PARAMS = 0xd6, Control, [nv_ioctl_sys_params_t];
    NUMA_INFO = 0xd7, Device, [nv_ioctl_numa_info_t];
    SET_NUMA_STATUS = 0xd8, Device, [nv_ioctl_set_numa_status_t];
    EXPORT_TO_DMABUF_FD = 0xd9, Device, [nv_ioctl_export_to_dma_buf_fd_t];
    WAIT_OPEN_COMPLETE = 0xda, Device, [nv_ioctl_wait_open_complete_t];
}

/// The escape of that number.
#[must_use]
pub fn find(number: u32) -> Option<&'static Escape> {
    ESCAPES.iter().find(|e| e.number == number)
}
