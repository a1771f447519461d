//! The device runtime: functions that kernels of dynamic parallelism call, and what the driver tells the SM for them.
//!
//! A call reaches the SM through [`crate::sm::Helpers::device_runtime`] with the function's number. What a module can
//! launch from the device stands in a block of GPU memory that the driver makes ([`Head`], then [`Kernel`] rows, then
//! device attributes as 32-bit words) and names in [`crate::sm::DriverConstants::runtime`].
//!
//! Names and signatures: cuda_device_runtime_api.h of CUDA 13.0.

/// A word of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

use Word::{W32, W64};

macro_rules! functions {
    ($($(#[$meta:meta])* $variant:ident = $name:literal, [$($param:expr),*] => $result:expr;)+) => {
        /// A function of the device runtime.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum Function { $($(#[$meta])* $variant,)+ }

        impl Function {
            /// All, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its name in PTX.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Words of its arguments; a structure passed by value is its words.
            #[must_use]
            pub const fn params(self) -> &'static [Word] {
                match self { $(Self::$variant => &[$($param),*],)+ }
            }

            /// The word that it returns.
            #[must_use]
            pub const fn result(self) -> Word {
                match self { $(Self::$variant => $result,)+ }
            }
        }
    };
}

functions! {
    /// `(int *value, cudaDeviceAttr, int device)`
    DeviceGetAttribute = "__cudaCDP2DeviceGetAttribute", [W64, W32, W32] => W32;
    /// `(size_t *value, cudaLimit)`
    DeviceGetLimit = "__cudaCDP2DeviceGetLimit", [W64, W32] => W32;
    /// `(cudaFuncCache *)`
    DeviceGetCacheConfig = "__cudaCDP2DeviceGetCacheConfig", [W64] => W32;
    /// `(cudaSharedMemConfig *)`
    DeviceGetSharedMemConfig = "__cudaCDP2DeviceGetSharedMemConfig", [W64] => W32;
    /// `()`
    GetLastError = "__cudaCDP2GetLastError", [] => W32;
    /// `()`
    PeekAtLastError = "__cudaCDP2PeekAtLastError", [] => W32;
    /// `(cudaError_t) -> const char *`
    GetErrorString = "__cudaCDP2GetErrorString", [W32] => W64;
    /// `(cudaError_t) -> const char *`
    GetErrorName = "__cudaCDP2GetErrorName", [W32] => W64;
    /// `(int *)`
    GetDeviceCount = "__cudaCDP2GetDeviceCount", [W64] => W32;
    /// `(int *)`
    GetDevice = "__cudaCDP2GetDevice", [W64] => W32;
    /// `(cudaStream_t *, unsigned flags)`
    StreamCreateWithFlags = "__cudaCDP2StreamCreateWithFlags", [W64, W32] => W32;
    /// `(cudaStream_t)`
    StreamDestroy = "__cudaCDP2StreamDestroy", [W64] => W32;
    /// `(cudaStream_t, cudaEvent_t, unsigned flags)`
    StreamWaitEvent = "__cudaCDP2StreamWaitEvent", [W64, W64, W32] => W32;
    /// The same; 0 is the thread's stream.
    StreamWaitEventPtsz = "__cudaCDP2StreamWaitEvent_ptsz", [W64, W64, W32] => W32;
    /// `(cudaEvent_t *, unsigned flags)`
    EventCreateWithFlags = "__cudaCDP2EventCreateWithFlags", [W64, W32] => W32;
    /// `(cudaEvent_t, cudaStream_t)`
    EventRecord = "__cudaCDP2EventRecord", [W64, W64] => W32;
    /// The same; 0 is the thread's stream.
    EventRecordPtsz = "__cudaCDP2EventRecord_ptsz", [W64, W64] => W32;
    /// `(cudaEvent_t, cudaStream_t, unsigned flags)`
    EventRecordWithFlags = "__cudaCDP2EventRecordWithFlags", [W64, W64, W32] => W32;
    /// The same; 0 is the thread's stream.
    EventRecordWithFlagsPtsz = "__cudaCDP2EventRecordWithFlags_ptsz", [W64, W64, W32] => W32;
    /// `(cudaEvent_t)`
    EventDestroy = "__cudaCDP2EventDestroy", [W64] => W32;
    /// `(cudaFuncAttributes *, const void *func)`
    FuncGetAttributes = "__cudaCDP2FuncGetAttributes", [W64, W64] => W32;
    /// `(void *)`
    Free = "__cudaCDP2Free", [W64] => W32;
    /// `(void **, size_t)`
    Malloc = "__cudaCDP2Malloc", [W64, W64] => W32;
    /// `(void *dst, const void *src, size_t count, cudaMemcpyKind, cudaStream_t)`
    MemcpyAsync = "__cudaCDP2MemcpyAsync", [W64, W64, W64, W32, W64] => W32;
    /// The same; 0 is the thread's stream.
    MemcpyAsyncPtsz = "__cudaCDP2MemcpyAsync_ptsz", [W64, W64, W64, W32, W64] => W32;
    /// `(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, kind, stream)`
    Memcpy2DAsync = "__cudaCDP2Memcpy2DAsync", [W64, W64, W64, W64, W64, W64, W32, W64] => W32;
    /// The same; 0 is the thread's stream.
    Memcpy2DAsyncPtsz = "__cudaCDP2Memcpy2DAsync_ptsz", [W64, W64, W64, W64, W64, W64, W32, W64] => W32;
    /// `(const cudaMemcpy3DParms *, cudaStream_t)`
    Memcpy3DAsync = "__cudaCDP2Memcpy3DAsync", [W64, W64] => W32;
    /// The same; 0 is the thread's stream.
    Memcpy3DAsyncPtsz = "__cudaCDP2Memcpy3DAsync_ptsz", [W64, W64] => W32;
    /// `(void *, int value, size_t count, cudaStream_t)`
    MemsetAsync = "__cudaCDP2MemsetAsync", [W64, W32, W64, W64] => W32;
    /// The same; 0 is the thread's stream.
    MemsetAsyncPtsz = "__cudaCDP2MemsetAsync_ptsz", [W64, W32, W64, W64] => W32;
    /// `(void *, size_t pitch, int value, size_t width, size_t height, cudaStream_t)`
    Memset2DAsync = "__cudaCDP2Memset2DAsync", [W64, W64, W32, W64, W64, W64] => W32;
    /// The same; 0 is the thread's stream.
    Memset2DAsyncPtsz = "__cudaCDP2Memset2DAsync_ptsz", [W64, W64, W32, W64, W64, W64] => W32;
    /// `(cudaPitchedPtr, int value, cudaExtent, cudaStream_t)`
    Memset3DAsync = "__cudaCDP2Memset3DAsync", [W64, W64, W64, W64, W32, W64, W64, W64, W64] => W32;
    /// The same; 0 is the thread's stream.
    Memset3DAsyncPtsz = "__cudaCDP2Memset3DAsync_ptsz", [W64, W64, W64, W64, W32, W64, W64, W64, W64] => W32;
    /// `(int *)`
    RuntimeGetVersion = "__cudaCDP2RuntimeGetVersion", [W64] => W32;
    /// `(size_t alignment, size_t size) -> void *`
    GetParameterBuffer = "__cudaCDP2GetParameterBuffer", [W64, W64] => W64;
    /// `(void *func, dim3 grid, dim3 block, unsigned shared) -> void *`
    GetParameterBufferV2 = "__cudaCDP2GetParameterBufferV2", [W64, W32, W32, W32, W32, W32, W32, W32] => W64;
    /// `(void *func, void *buffer, dim3 grid, dim3 block, unsigned shared, cudaStream_t)`
    LaunchDevice = "__cudaCDP2LaunchDevice", [W64, W64, W32, W32, W32, W32, W32, W32, W32, W64] => W32;
    /// The same; 0 is the thread's stream.
    LaunchDevicePtsz = "__cudaCDP2LaunchDevice_ptsz", [W64, W64, W32, W32, W32, W32, W32, W32, W32, W64] => W32;
    /// `(void *buffer, cudaStream_t)`
    LaunchDeviceV2 = "__cudaCDP2LaunchDeviceV2", [W64, W64] => W32;
    /// The same; 0 is the thread's stream.
    LaunchDeviceV2Ptsz = "__cudaCDP2LaunchDeviceV2_ptsz", [W64, W64] => W32;
    /// `(int *blocks, const void *func, int block, size_t shared)`
    OccupancyMaxActiveBlocks = "__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor", [W64, W64, W32, W64] => W32;
    /// `(int *blocks, const void *func, int block, size_t shared, unsigned flags)`
    OccupancyMaxActiveBlocksWithFlags = "__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        [W64, W64, W32, W64, W32] => W32;
}

/// Most arguments that a function has, words.
pub const MAX_PARAMS: usize = 10;

impl Function {
    /// The function of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if !name.starts_with("__cudaCDP2") {
            return None;
        }
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// The function with that number.
    #[must_use]
    pub fn numbered(number: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }
}

impl core::fmt::Display for Function {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// Start of the block that [`crate::sm::DriverConstants::runtime`] names. All words little endian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Head {
    /// 0: [`Kernel`] rows behind the head.
    pub kernels: u32,
    /// 4: device attributes behind the rows: 32-bit words by `cudaDeviceAttr`.
    pub attributes: u32,
    /// 8: ordinal of the device in the program.
    pub device: u32,
    /// 12: devices of the program.
    pub devices: u32,
    /// 16: `cudaRuntimeGetVersion`.
    pub version: u32,
    /// 20: whether an attribute is known, zero.
    pub reserved: u32,
    /// 24: limits by `cudaLimit`: stack, printf FIFO, heap, synchronisation depth, pending launches, L2 fetch, persisting L2.
    pub limits: [u64; 7],
    /// 80: what occupancy is computed from.
    pub sm: SmLimits,
}

/// What an SM has (CUDA C++ Programming Guide 13.0, "Technical Specifications").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SmLimits {
    /// 0: threads.
    pub threads: u32,
    /// 4: blocks.
    pub blocks: u32,
    /// 8: registers.
    pub registers: u32,
    /// 12: bytes of shared memory.
    pub shared: u32,
    /// 16: bytes of it that each block gives to the system.
    pub shared_reserved: u32,
    /// 20: zero.
    pub reserved: u32,
}

/// A kernel that the device can launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Kernel {
    /// 0: what its address is in code.
    pub token: u64,
    /// 8: address of its image.
    pub image: u64,
    /// 16: static shared memory, bytes.
    pub shared: u32,
    /// 20: dynamic shared memory that a launch may ask for, bytes.
    pub max_dynamic_shared: u32,
    /// 24: threads of a block at most.
    pub max_threads: u32,
    /// 28: registers of a thread.
    pub registers: u32,
    /// 32: local memory of a thread, bytes.
    pub local: u32,
    /// 36: bytes of the parameters.
    pub params: u32,
    /// 40: `ptxVersion` of its attributes.
    pub ptx_version: u32,
    /// 44: `binaryVersion` of its attributes.
    pub binary_version: u32,
}

/// Registers are given to warps in this many.
const REGISTER_UNIT: u32 = 256;
/// Shared memory is given to blocks in this many bytes.
const SHARED_UNIT: u32 = 128;
/// Partitions of an SM, each with a quarter of the registers.
const PARTITIONS: u32 = 4;

impl SmLimits {
    /// Blocks of `threads` threads, each with `registers`, that an SM holds; `shared` bytes a block, static and dynamic
    /// (cuda_occupancy.h of CUDA 13.0).
    #[must_use]
    pub fn resident_blocks(&self, threads: u32, registers: u32, shared: u32) -> u32 {
        if threads == 0 {
            return 0;
        }
        let warps = threads.div_ceil(32);
        let by_warps = self.threads / 32 / warps;
        let per_warp = (registers * 32)
            .next_multiple_of(REGISTER_UNIT)
            .max(REGISTER_UNIT);
        let warps_of_partition = self.registers / PARTITIONS / per_warp;
        // Whether one block fits is judged as if it had as many warps in each partition.
        let by_registers = if per_warp * warps.next_multiple_of(PARTITIONS) > self.registers {
            0
        } else {
            warps_of_partition * PARTITIONS / warps
        };
        let shared = shared.saturating_add(self.shared_reserved);
        if shared > self.shared {
            return 0;
        }
        let by_shared = self.shared / shared.next_multiple_of(SHARED_UNIT).max(1);
        by_warps.min(by_registers).min(by_shared).min(self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{offset_of, size_of};

    #[test]
    fn numbers_names_and_words_agree() {
        for (number, &function) in (0..).zip(Function::ALL) {
            assert_eq!(function.number(), number);
            assert_eq!(Function::numbered(number), Some(function));
            assert_eq!(Function::named(function.name()), Some(function));
            assert!(function.params().len() <= MAX_PARAMS);
        }
        assert_eq!(Function::named("__cudaCDP2DeviceSynchronize"), None);
        assert_eq!(Function::numbered(10_000), None);
    }

    #[test]
    fn layouts_are_the_contract() {
        assert_eq!((size_of::<Head>(), size_of::<Kernel>()), (104, 48));
        assert_eq!((offset_of!(Head, limits), offset_of!(Head, sm)), (24, 80));
        assert_eq!(offset_of!(Kernel, binary_version), 44);
    }
}
