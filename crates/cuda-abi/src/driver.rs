//! The CUDA Driver API 13.0: `cuda.h`, `cudaGL.h`, `cudaEGL.h`, `cudaVDPAU.h`.
//!
//! NVIDIA's names at this edge. Pointers are [`In`] and [`Out`]; handles and enumerations are newtypes, because a caller
//! may pass any value.

pub mod callbacks;
pub mod enums;
pub mod handles;
pub mod result;
pub mod structs;

pub use crate::{In, Out};
pub use callbacks::*;
pub use enums::*;
pub use handles::*;
pub use result::CUresult;
pub use structs::*;

/// Address in the device's (unified) address space.
pub type CUdeviceptr = u64;
/// 32-bit device address of CUDA 3.1 and older.
#[expect(non_camel_case_types, reason = "NVIDIA's name")]
pub type CUdeviceptr_v1 = u32;
/// Ordinal of a device.
pub type CUdevice = i32;
/// Texture object.
pub type CUtexObject = u64;
/// Surface object.
pub type CUsurfObject = u64;
/// Physical allocation of `cuMemCreate`.
pub type CUmemGenericAllocationHandle = u64;
/// Handle of a conditional graph node.
pub type CUgraphConditionalHandle = u64;
/// Position in the log of `cuLogsCurrent`.
pub type CUlogIterator = u32;
/// Attribute of a stream.
pub type CUstreamAttrID = CUlaunchAttributeID;
/// Attribute of a graph's kernel node.
pub type CUkernelNodeAttrID = CUlaunchAttributeID;
/// `cuuint32_t`.
#[expect(non_camel_case_types, reason = "NVIDIA's name")]
pub type cuuint32_t = u32;
/// `cuuint64_t`.
#[expect(non_camel_case_types, reason = "NVIDIA's name")]
pub type cuuint64_t = u64;
/// Version that [`cuda.h`](self) states for this interface.
pub const CUDA_VERSION: i32 = 13_000;

/// `CU_STREAM_LEGACY`: the legacy default stream.
pub const CU_STREAM_LEGACY: CUstream = CUstream(1);
/// `CU_STREAM_PER_THREAD`: the calling thread's default stream.
pub const CU_STREAM_PER_THREAD: CUstream = CUstream(2);
/// `CU_LAUNCH_PARAM_BUFFER_POINTER`.
pub const CU_LAUNCH_PARAM_BUFFER_POINTER: usize = 1;
/// `CU_LAUNCH_PARAM_BUFFER_SIZE`.
pub const CU_LAUNCH_PARAM_BUFFER_SIZE: usize = 2;
/// `CU_MEMHOSTALLOC_PORTABLE`.
pub const CU_MEMHOSTALLOC_PORTABLE: u32 = 1;
/// `CU_MEMHOSTALLOC_DEVICEMAP`.
pub const CU_MEMHOSTALLOC_DEVICEMAP: u32 = 2;
/// `CU_MEMHOSTALLOC_WRITECOMBINED`.
pub const CU_MEMHOSTALLOC_WRITECOMBINED: u32 = 4;
/// `CU_MEMHOSTREGISTER_PORTABLE`.
pub const CU_MEMHOSTREGISTER_PORTABLE: u32 = 1;
/// `CU_MEMHOSTREGISTER_DEVICEMAP`.
pub const CU_MEMHOSTREGISTER_DEVICEMAP: u32 = 2;
/// `CU_MEMHOSTREGISTER_IOMEMORY`.
pub const CU_MEMHOSTREGISTER_IOMEMORY: u32 = 4;
/// `CU_MEMHOSTREGISTER_READ_ONLY`.
pub const CU_MEMHOSTREGISTER_READ_ONLY: u32 = 8;

/// A C enumeration: any `int`, with names for the values that have one.
macro_rules! c_enum {
    ($name:ident: $prefix:literal $($constant:ident = $value:literal,)*) => {
        #[doc = concat!("`", stringify!($name), "`; constants without `", $prefix, "`.")]
        #[allow(non_camel_case_types, reason = "NVIDIA's name")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub i32);
        impl $name {
            $(pub const $constant: Self = Self($value);)*
        }
    };
}
pub(crate) use c_enum;

/// A handle type.
macro_rules! handle {
    ($name:ident) => {
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub usize);
        impl $name {
            pub const NULL: Self = Self(0);
        }
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{:#x}", self.0)
            }
        }
    };
}
pub(crate) use handle;

/// A structure whose size and alignment are checked when compiling.
macro_rules! c_struct {
    ($size:literal, $align:tt; pub struct $name:ident { $($body:tt)* }) => {
        #[allow(non_camel_case_types, reason = "NVIDIA's name")]
        #[derive(Clone, Copy, Debug)]
        #[repr(C, align($align))]
        pub struct $name { $($body)* }
        const _: () = assert!(core::mem::size_of::<$name>() == $size && core::mem::align_of::<$name>() == $align);
    };
}
pub(crate) use c_struct;
