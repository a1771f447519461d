//! QMDs: launch descriptors (open-gpu-doc, clcbc0qmd.h and its kin).

use abi::nv::classes;
use abi::nv::qmd::{Field, v3, v4, v5};

/// A launch in the terms of the descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Launch {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads in x, y, z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y, z; zeros without.
    pub cluster: [u32; 3],
    /// Address of the code.
    pub program: u64,
    /// Shared memory of a block, bytes.
    pub shared_bytes: u32,
    /// Local memory of a thread, bytes.
    pub local_bytes: u32,
    /// Registers of a thread.
    pub registers: u32,
}

/// Words of the longest descriptor.
const WORDS: usize = 96;
/// Bytes that a descriptor takes in launch memory, and its alignment twice.
pub(crate) const BYTES: u64 = 512;

/// A descriptor without its constant bank.
#[derive(Clone, Debug)]
pub(crate) struct Descriptor {
    words: [u32; WORDS],
    version: Version,
}

/// Versions of the descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// Ampere and Ada.
    V3,
    /// Hopper.
    V4,
    /// Blackwell.
    V5,
}

/// The version that a class takes.
fn version_of(compute_class: u32) -> Version {
    match compute_class {
        classes::AMPERE_COMPUTE_A | classes::AMPERE_COMPUTE_B | classes::ADA_COMPUTE_A => {
            Version::V3
        }
        classes::BLACKWELL_COMPUTE_A | classes::BLACKWELL_COMPUTE_B => Version::V5,
        _ => Version::V4,
    }
}

impl Descriptor {
    /// A descriptor of the version that the class takes.
    pub(crate) fn new(compute_class: u32, launch: &Launch) -> Self {
        let mut words = [0; WORDS];
        let version = version_of(compute_class);
        match version {
            Version::V3 => encode_v3(&mut words, launch),
            Version::V4 => encode_v4(&mut words, launch),
            Version::V5 => encode_v5(&mut words, launch),
        }
        Self { words, version }
    }

    /// Its bytes, with constant bank 0 at an address.
    pub(crate) fn bytes(&self, constants: u64, constant_bytes: u32) -> [u8; WORDS * 4] {
        let mut words = self.words;
        let size = u64::from(constant_bytes.div_ceil(16));
        let (lower, upper, bytes, shift) = match self.version {
            Version::V3 => (
                v3::CONSTANT_BUFFER_ADDR_LOWER,
                v3::CONSTANT_BUFFER_ADDR_UPPER,
                v3::CONSTANT_BUFFER_SIZE_SHIFTED4,
                0,
            ),
            Version::V4 => (
                v4::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6,
                v4::CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6,
                v4::CONSTANT_BUFFER_SIZE_SHIFTED4,
                6,
            ),
            Version::V5 => (
                v5::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6,
                v5::CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6,
                v5::CONSTANT_BUFFER_SIZE_SHIFTED4,
                6,
            ),
        };
        wide(&mut words, lower, upper, constants >> shift);
        bytes.set(&mut words, 0, size);
        let mut bytes = [0; WORDS * 4];
        for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

fn wide(words: &mut [u32], lower: Field, upper: Field, value: u64) {
    lower.set(words, 0, value & 0xffff_ffff);
    upper.set(words, 0, value >> 32);
}

/// One field for each of three values.
fn triple(words: &mut [u32], fields: [Field; 3], values: [u32; 3]) {
    for (field, value) in fields.into_iter().zip(values) {
        field.set(words, 0, value.into());
    }
}

/// Shared memory configuration of an SM, as the descriptor counts it: 4 KiB steps from 1.
fn shared_config(bytes: u32) -> u64 {
    u64::from(bytes.div_ceil(4096)) + 1
}

fn encode_v4(w: &mut [u32], l: &Launch) {
    let clustered = l.cluster.iter().product::<u32>() > 1;
    // GRID_CTA, or GRID_GPC_CGA for clusters.
    v4::QMD_TYPE.set(w, 0, if clustered { 3 } else { 2 });
    v4::QMD_MAJOR_VERSION.set(w, 0, 4);
    v4::QMD_GROUP_ID.set(w, 0, 0x3f);
    v4::API_VISIBLE_CALL_LIMIT.set(w, 0, 1);
    v4::SAMPLER_INDEX.set(w, 0, 1);
    // System-wide memory barrier at the end.
    v4::CWD_MEMBAR_TYPE.set(w, 0, 1);
    for field in [
        v4::INVALIDATE_TEXTURE_HEADER_CACHE,
        v4::INVALIDATE_TEXTURE_SAMPLER_CACHE,
        v4::INVALIDATE_TEXTURE_DATA_CACHE,
        v4::INVALIDATE_SHADER_DATA_CACHE,
        v4::INVALIDATE_SHADER_CONSTANT_CACHE,
    ] {
        field.set(w, 0, 1);
    }
    triple(w, [v4::GRID_WIDTH, v4::GRID_HEIGHT, v4::GRID_DEPTH], l.grid);
    let dims = [
        v4::CTA_THREAD_DIMENSION0,
        v4::CTA_THREAD_DIMENSION1,
        v4::CTA_THREAD_DIMENSION2,
    ];
    triple(w, dims, l.block);
    v4::SHARED_MEMORY_SIZE.set(w, 0, l.shared_bytes.next_multiple_of(128).into());
    v4::MIN_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, shared_config(l.shared_bytes));
    v4::MAX_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, 0x3a);
    v4::TARGET_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, shared_config(l.shared_bytes));
    v4::SHADER_LOCAL_MEMORY_HIGH_SIZE.set(w, 0, l.local_bytes.next_multiple_of(16).into());
    v4::REGISTER_COUNT.set(w, 0, l.registers.into());
    v4::BARRIER_COUNT.set(w, 0, 16);
    v4::SASS_VERSION.set(w, 0, 0x90);
    wide(
        w,
        v4::PROGRAM_ADDRESS_LOWER,
        v4::PROGRAM_ADDRESS_UPPER,
        l.program,
    );
    v4::CONSTANT_BUFFER_VALID.set(w, 0, 1);
    v4::CONSTANT_BUFFER_INVALIDATE.set(w, 0, 1);
    if clustered {
        let fields = [v4::GPC_CGA_WIDTH, v4::GPC_CGA_HEIGHT, v4::GPC_CGA_DEPTH];
        triple(w, fields, l.cluster.map(|n| n.max(1)));
    }
}

fn encode_v5(w: &mut [u32], l: &Launch) {
    let clustered = l.cluster.iter().product::<u32>() > 1;
    v5::QMD_TYPE.set(w, 0, if clustered { 3 } else { 2 });
    v5::QMD_MAJOR_VERSION.set(w, 0, 5);
    v5::QMD_GROUP_ID.set(w, 0, 0x1f);
    v5::API_VISIBLE_CALL_LIMIT.set(w, 0, 1);
    v5::SAMPLER_INDEX.set(w, 0, 1);
    v5::CWD_MEMBAR_TYPE.set(w, 0, 1);
    for field in [
        v5::INVALIDATE_TEXTURE_HEADER_CACHE,
        v5::INVALIDATE_TEXTURE_SAMPLER_CACHE,
        v5::INVALIDATE_TEXTURE_DATA_CACHE,
        v5::INVALIDATE_SHADER_DATA_CACHE,
        v5::INVALIDATE_SHADER_CONSTANT_CACHE,
    ] {
        field.set(w, 0, 1);
    }
    let grid = [v5::GRID_WIDTH, v5::GRID_HEIGHT, v5::GRID_DEPTH];
    triple(w, grid, l.grid);
    let dims = [
        v5::CTA_THREAD_DIMENSION0,
        v5::CTA_THREAD_DIMENSION1,
        v5::CTA_THREAD_DIMENSION2,
    ];
    triple(w, dims, l.block);
    v5::SHARED_MEMORY_SIZE_SHIFTED7.set(w, 0, l.shared_bytes.div_ceil(128).into());
    v5::MIN_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, shared_config(l.shared_bytes));
    v5::MAX_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, 0x1a);
    v5::TARGET_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, shared_config(l.shared_bytes));
    v5::SHADER_LOCAL_MEMORY_HIGH_SIZE_SHIFTED4.set(w, 0, l.local_bytes.div_ceil(16).into());
    v5::REGISTER_COUNT.set(w, 0, l.registers.into());
    v5::BARRIER_COUNT.set(w, 0, 16);
    v5::SASS_VERSION.set(w, 0, 0xa4);
    wide(
        w,
        v5::PROGRAM_ADDRESS_LOWER_SHIFTED4,
        v5::PROGRAM_ADDRESS_UPPER_SHIFTED4,
        l.program >> 4,
    );
    v5::CONSTANT_BUFFER_VALID.set(w, 0, 1);
    v5::CONSTANT_BUFFER_INVALIDATE.set(w, 0, 1);
    if clustered {
        let fields = [v5::GPC_CGA_WIDTH, v5::GPC_CGA_HEIGHT, v5::GPC_CGA_DEPTH];
        triple(w, fields, l.cluster.map(|n| n.max(1)));
    }
}

fn encode_v3(w: &mut [u32], l: &Launch) {
    v3::QMD_MAJOR_VERSION.set(w, 0, 3);
    v3::QMD_GROUP_ID.set(w, 0, 0x3f);
    v3::SM_GLOBAL_CACHING_ENABLE.set(w, 0, 1);
    v3::API_VISIBLE_CALL_LIMIT.set(w, 0, 1);
    v3::SAMPLER_INDEX.set(w, 0, 1);
    v3::CWD_MEMBAR_TYPE.set(w, 0, 1);
    for field in [
        v3::INVALIDATE_TEXTURE_HEADER_CACHE,
        v3::INVALIDATE_TEXTURE_SAMPLER_CACHE,
        v3::INVALIDATE_TEXTURE_DATA_CACHE,
        v3::INVALIDATE_SHADER_DATA_CACHE,
    ] {
        field.set(w, 0, 1);
    }
    let grid = [
        v3::CTA_RASTER_WIDTH,
        v3::CTA_RASTER_HEIGHT,
        v3::CTA_RASTER_DEPTH,
    ];
    triple(w, grid, l.grid);
    let dims = [
        v3::CTA_THREAD_DIMENSION0,
        v3::CTA_THREAD_DIMENSION1,
        v3::CTA_THREAD_DIMENSION2,
    ];
    triple(w, dims, l.block);
    v3::SHARED_MEMORY_SIZE.set(w, 0, l.shared_bytes.next_multiple_of(128).into());
    v3::MIN_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, shared_config(l.shared_bytes));
    v3::MAX_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, 0x1a);
    v3::TARGET_SM_CONFIG_SHARED_MEM_SIZE.set(w, 0, shared_config(l.shared_bytes));
    v3::SHADER_LOCAL_MEMORY_HIGH_SIZE.set(w, 0, l.local_bytes.next_multiple_of(16).into());
    v3::REGISTER_COUNT_V.set(w, 0, l.registers.into());
    v3::BARRIER_COUNT.set(w, 0, 16);
    v3::SASS_VERSION.set(w, 0, 0x89);
    wide(
        w,
        v3::PROGRAM_ADDRESS_LOWER,
        v3::PROGRAM_ADDRESS_UPPER,
        l.program,
    );
    v3::CONSTANT_BUFFER_VALID.set(w, 0, 1);
    v3::CONSTANT_BUFFER_INVALIDATE.set(w, 0, 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_class_reads_them() {
        let launch = Launch {
            grid: [7, 3, 2],
            block: [128, 2, 1],
            program: 0x2000_1234_5600,
            shared_bytes: 100,
            ..Launch::default()
        };
        let words = |class| -> Vec<u32> {
            Descriptor::new(class, &launch)
                .bytes(0x2000_0000_1240, 0x210 + 20)
                .chunks(4)
                .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
                .collect()
        };
        let w = words(classes::HOPPER_COMPUTE_A);
        assert_eq!(w.len(), 96);
        assert_eq!(v4::GRID_WIDTH.get(&w, 0), 7);
        assert_eq!(
            v4::PROGRAM_ADDRESS_UPPER.get(&w, 0) << 32 | v4::PROGRAM_ADDRESS_LOWER.get(&w, 0),
            launch.program
        );
        let constants = v4::CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6.get(&w, 0) << 32
            | v4::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6.get(&w, 0);
        assert_eq!(constants << 6, 0x2000_0000_1240);
        assert_eq!(v4::CONSTANT_BUFFER_SIZE_SHIFTED4.get(&w, 0), 35);
        assert_eq!(v4::SHARED_MEMORY_SIZE.get(&w, 0), 128);
        let w = words(classes::BLACKWELL_COMPUTE_B);
        assert_eq!(v5::GRID_WIDTH.get(&w, 0), 7);
        let program = v5::PROGRAM_ADDRESS_UPPER_SHIFTED4.get(&w, 0) << 32
            | v5::PROGRAM_ADDRESS_LOWER_SHIFTED4.get(&w, 0);
        assert_eq!(program << 4, launch.program);
        assert_eq!(v5::CONSTANT_BUFFER_SIZE_SHIFTED4.get(&w, 0), 35);
        assert_eq!(v5::SHARED_MEMORY_SIZE_SHIFTED7.get(&w, 0), 1);
        let w = words(classes::ADA_COMPUTE_A);
        assert!(w[64..].iter().all(|word| *word == 0));
        assert_eq!(v3::CTA_RASTER_WIDTH.get(&w, 0), 7);
        assert_eq!(v3::CONSTANT_BUFFER_ADDR_LOWER.get(&w, 0), 0x1240);
        assert_eq!(v3::CTA_THREAD_DIMENSION1.get(&w, 0), 2);
    }
}
