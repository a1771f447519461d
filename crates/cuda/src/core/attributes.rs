//! Device attributes: what `cuDeviceGetAttribute` answers, as far as it follows from the chip.
//!
//! Sources: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability", and public `deviceQuery`
//! outputs of the boards. Values that the kernel half knows (SM count, memory, PCI) are not here.

use abi::device_runtime::SmLimits;
use cuda_abi::driver::CUdevice_attribute as A;

/// Column of [`row`]'s values: the chips that have a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chip {
    /// Compute capability 8.0.
    Ga100,
    /// Compute capability 8.6 to 8.9.
    Ad102,
    /// Compute capability 9.0.
    Gh100,
    /// Compute capability 10 and newer.
    Gb202,
}

impl Chip {
    /// The column that fits a compute capability best.
    pub(crate) fn of(major: u32, minor: u32) -> Self {
        match (major, minor) {
            (0..=7, _) | (8, 0..=5) => Self::Ga100,
            (8, _) => Self::Ad102,
            (9, _) => Self::Gh100,
            _ => Self::Gb202,
        }
    }
}

/// Limits that the launch path uses too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Resident threads of an SM.
    pub threads_per_sm: u32,
    /// Resident blocks of an SM.
    pub blocks_per_sm: u32,
    /// Shared memory of an SM, bytes.
    pub shared_per_sm: u32,
    /// Shared memory that a block may opt in to, bytes.
    pub shared_optin: u32,
    /// Shared memory of a block without opt-in, bytes.
    pub shared_per_block: u32,
    /// Shared memory that the system takes of each block, bytes.
    pub shared_reserved: u32,
    /// Registers of an SM.
    pub registers_per_sm: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
}

impl Limits {
    /// What occupancy is computed from.
    pub(crate) const fn sm(&self) -> SmLimits {
        SmLimits {
            threads: self.threads_per_sm,
            blocks: self.blocks_per_sm,
            registers: self.registers_per_sm,
            shared: self.shared_per_sm,
            shared_reserved: self.shared_reserved,
            reserved: 0,
        }
    }
}

/// Limits of a chip.
pub(crate) fn limits(chip: Chip) -> Limits {
    let (threads_per_sm, blocks_per_sm, shared_kib) = match chip {
        Chip::Ga100 => (2048, 32, 164),
        Chip::Ad102 => (1536, 24, 100),
        Chip::Gh100 => (2048, 32, 228),
        Chip::Gb202 => (1536, 24, 100),
    };
    Limits {
        threads_per_sm,
        blocks_per_sm,
        shared_per_sm: shared_kib << 10,
        shared_optin: (shared_kib - 1) << 10,
        shared_per_block: 48 << 10,
        shared_reserved: 1 << 10,
        registers_per_sm: 65536,
        threads_per_block: 1024,
    }
}

/// Largest grid in x, y, z.
pub(crate) const GRID_MAX: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Largest block in x, y, z.
pub(crate) const BLOCK_MAX: [u32; 3] = [1024, 1024, 64];

/// The value of an attribute that the chip alone decides; `None` for the others and for numbers without a meaning.
pub(crate) fn row(attribute: A, chip: Chip) -> Option<i32> {
    let pick = |ga100, ad102, gh100, gb202| match chip {
        Chip::Ga100 => ga100,
        Chip::Ad102 => ad102,
        Chip::Gh100 => gh100,
        Chip::Gb202 => gb202,
    };
    let limits = limits(chip);
    Some(match attribute {
        A::MAX_THREADS_PER_BLOCK => signed(limits.threads_per_block),
        A::MAX_BLOCK_DIM_X => signed(BLOCK_MAX[0]),
        A::MAX_BLOCK_DIM_Y => signed(BLOCK_MAX[1]),
        A::MAX_BLOCK_DIM_Z => signed(BLOCK_MAX[2]),
        A::MAX_GRID_DIM_X => signed(GRID_MAX[0]),
        A::MAX_GRID_DIM_Y => signed(GRID_MAX[1]),
        A::MAX_GRID_DIM_Z => signed(GRID_MAX[2]),
        A::MAX_SHARED_MEMORY_PER_BLOCK => signed(limits.shared_per_block),
        A::TOTAL_CONSTANT_MEMORY => 65536,
        A::WARP_SIZE => 32,
        A::MAX_PITCH => i32::MAX,
        A::MAX_REGISTERS_PER_BLOCK => 65536,
        A::CLOCK_RATE => pick(1_410_000, 2_520_000, 1_980_000, 2_407_000),
        A::MEMORY_CLOCK_RATE => pick(1_593_000, 10_501_000, 2_619_000, 14_001_000),
        A::GLOBAL_MEMORY_BUS_WIDTH => pick(5120, 384, 5120, 512),
        A::L2_CACHE_SIZE => pick(40 << 20, 72 << 20, 50 << 20, 96 << 20),
        A::TEXTURE_ALIGNMENT | A::SURFACE_ALIGNMENT => 512,
        A::TEXTURE_PITCH_ALIGNMENT => 32,
        A::GPU_OVERLAP
        | A::CAN_MAP_HOST_MEMORY
        | A::CONCURRENT_KERNELS
        | A::UNIFIED_ADDRESSING
        | A::STREAM_PRIORITIES_SUPPORTED
        | A::GLOBAL_L1_CACHE_SUPPORTED
        | A::LOCAL_L1_CACHE_SUPPORTED
        | A::MANAGED_MEMORY
        | A::CONCURRENT_MANAGED_ACCESS
        | A::COMPUTE_PREEMPTION_SUPPORTED
        | A::CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
        | A::COOPERATIVE_LAUNCH
        | A::HOST_REGISTER_SUPPORTED
        | A::READ_ONLY_HOST_REGISTER_SUPPORTED
        | A::MEMORY_POOLS_SUPPORTED
        | A::UNIFIED_FUNCTION_POINTERS
        | A::VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        | A::HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
        | A::IPC_EVENT_SUPPORTED
        | A::MEMPOOL_SUPPORTED_HANDLE_TYPES
        | A::CAN_USE_STREAM_MEM_OPS_V1
        | A::CAN_USE_64_BIT_STREAM_MEM_OPS_V1
        | A::CAN_USE_STREAM_WAIT_VALUE_NOR_V1
        | A::CAN_USE_64_BIT_STREAM_MEM_OPS
        | A::CAN_USE_STREAM_WAIT_VALUE_NOR
        | A::CAN_TEX2D_GATHER => 1,
        A::ASYNC_ENGINE_COUNT => pick(3, 2, 3, 2),
        A::MAX_THREADS_PER_MULTIPROCESSOR => signed(limits.threads_per_sm),
        A::MAX_SHARED_MEMORY_PER_MULTIPROCESSOR => signed(limits.shared_per_sm),
        A::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN => signed(limits.shared_optin),
        A::RESERVED_SHARED_MEMORY_PER_BLOCK => signed(limits.shared_reserved),
        A::MAX_REGISTERS_PER_MULTIPROCESSOR => signed(limits.registers_per_sm),
        A::MAX_BLOCKS_PER_MULTIPROCESSOR => signed(limits.blocks_per_sm),
        A::SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO => pick(2, 64, 2, 64),
        A::MAX_PERSISTING_L2_CACHE_SIZE => pick(30 << 20, 49_545_216, 32 << 20, 60 << 20),
        A::MAX_ACCESS_POLICY_WINDOW_SIZE => 134_213_632,
        A::CLUSTER_LAUNCH => pick(0, 0, 1, 1),
        A::MEM_SYNC_DOMAIN_COUNT => pick(1, 1, 4, 4),
        A::GPU_DIRECT_RDMA_WRITES_ORDERING => 100,
        A::TCC_DRIVER => 0,
        A::MAXIMUM_TEXTURE1D_WIDTH
        | A::MAXIMUM_TEXTURE2D_WIDTH
        | A::MAXIMUM_TEXTURE2D_LINEAR_WIDTH
        | A::MAXIMUM_SURFACE2D_WIDTH => 131_072,
        A::MAXIMUM_TEXTURE2D_HEIGHT | A::MAXIMUM_SURFACE2D_HEIGHT => 65_536,
        A::MAXIMUM_TEXTURE2D_LINEAR_HEIGHT => 65_000,
        A::MAXIMUM_TEXTURE2D_LINEAR_PITCH => 2_097_120,
        A::MAXIMUM_TEXTURE3D_WIDTH
        | A::MAXIMUM_TEXTURE3D_HEIGHT
        | A::MAXIMUM_TEXTURE3D_DEPTH
        | A::MAXIMUM_SURFACE3D_WIDTH
        | A::MAXIMUM_SURFACE3D_HEIGHT
        | A::MAXIMUM_SURFACE3D_DEPTH => 16_384,
        A::MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE | A::MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE => 8192,
        A::MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE => 32_768,
        A::MAXIMUM_TEXTURE2D_LAYERED_WIDTH
        | A::MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
        | A::MAXIMUM_TEXTURE1D_LAYERED_WIDTH
        | A::MAXIMUM_TEXTURE2D_GATHER_WIDTH
        | A::MAXIMUM_TEXTURE2D_GATHER_HEIGHT
        | A::MAXIMUM_TEXTURECUBEMAP_WIDTH
        | A::MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH
        | A::MAXIMUM_SURFACE1D_WIDTH
        | A::MAXIMUM_SURFACE1D_LAYERED_WIDTH
        | A::MAXIMUM_SURFACE2D_LAYERED_WIDTH
        | A::MAXIMUM_SURFACE2D_LAYERED_HEIGHT
        | A::MAXIMUM_SURFACECUBEMAP_WIDTH
        | A::MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH
        | A::MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH
        | A::MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT
        | A::MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH => 32_768,
        A::MAXIMUM_TEXTURE2D_LAYERED_LAYERS
        | A::MAXIMUM_TEXTURE1D_LAYERED_LAYERS
        | A::MAXIMUM_SURFACE1D_LAYERED_LAYERS
        | A::MAXIMUM_SURFACE2D_LAYERED_LAYERS => 2048,
        A::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS | A::MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS => 2046,
        A::MAXIMUM_TEXTURE1D_LINEAR_WIDTH => 268_435_456,
        A::NUMA_ID | A::HOST_NUMA_ID => -1,
        // Numbers with a meaning whose answer is "no" here, and those of newer versions.
        _ => return None,
    })
}

fn signed(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
