//! Object classes: `NV_ESC_RM_ALLOC`'s `hClass`.
#![expect(missing_docs, reason = "NVIDIA's names")]

macro_rules! classes {
    ($($name:ident = $value:literal,)*) => {
        $(pub const $name: u32 = $value;)*

        /// NVIDIA's name of a class that this crate knows.
        #[must_use]
        pub fn name(class: u32) -> Option<&'static str> {
            match class {
                $($value => Some(stringify!($name)),)*
                _ => None,
            }
        }
    };
}

classes! {
    NV01_ROOT = 0x0000,
    NV01_ROOT_NON_PRIV = 0x0001,
    NV01_MEMORY_SYSTEM = 0x003e,
    NV01_MEMORY_LOCAL_USER = 0x0040,
    NV01_ROOT_CLIENT = 0x0041,
    NV01_MEMORY_VIRTUAL = 0x0070,
    NV01_MEMORY_SYSTEM_OS_DESCRIPTOR = 0x0071,
    NV04_DISPLAY_COMMON = 0x0073,
    NV01_EVENT_OS_EVENT = 0x0079,
    NV01_DEVICE_0 = 0x0080,
    RM_USER_SHARED_DATA = 0x00de,
    NV20_SUBDEVICE_0 = 0x2080,
    NV2081_BINAPI = 0x2081,
    NV50_P2P = 0x503b,
    NV50_THIRD_PARTY_P2P = 0x503c,
    NV50_MEMORY_VIRTUAL = 0x50a0,
    GT200_DEBUGGER = 0x83de,
    FERMI_CONTEXT_SHARE_A = 0x9067,
    GF100_SUBDEVICE_MASTER = 0x90e6,
    FERMI_VASPACE_A = 0x90f1,
    KEPLER_CHANNEL_GROUP_A = 0xa06c,
    KEPLER_INLINE_TO_MEMORY_B = 0xa140,
    VOLTA_USERMODE_A = 0xc361,
    TURING_USERMODE_A = 0xc461,
    TURING_CHANNEL_GPFIFO_A = 0xc46f,
    AMPERE_USERMODE_A = 0xc561,
    AMPERE_CHANNEL_GPFIFO_A = 0xc56f,
    NVC639_MIG_CONFIG = 0xc639,
    NVC640_MIG_MONITOR = 0xc640,
    HOPPER_USERMODE_A = 0xc661,
    AMPERE_DMA_COPY_A = 0xc6b5,
    AMPERE_COMPUTE_A = 0xc6c0,
    AMPERE_DMA_COPY_B = 0xc7b5,
    AMPERE_COMPUTE_B = 0xc7c0,
    HOPPER_CHANNEL_GPFIFO_A = 0xc86f,
    HOPPER_DMA_COPY_A = 0xc8b5,
    BLACKWELL_CHANNEL_GPFIFO_A = 0xc96f,
    BLACKWELL_DMA_COPY_A = 0xc9b5,
    ADA_COMPUTE_A = 0xc9c0,
    BLACKWELL_CHANNEL_GPFIFO_B = 0xca6f,
    BLACKWELL_DMA_COPY_B = 0xcab5,
    HOPPER_COMPUTE_A = 0xcbc0,
    NV_CONFIDENTIAL_COMPUTE = 0xcb33,
    BLACKWELL_COMPUTE_A = 0xcdc0,
    BLACKWELL_COMPUTE_B = 0xcec0,
}
