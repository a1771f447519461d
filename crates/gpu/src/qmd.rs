//! Decoding of launch descriptors (QMD V3 of Ampere and Ada, V4 of Hopper, V5 of Blackwell) into what the SM needs.

use crate::semaphore::{Reduction, Release};
use abi::nv::classes;
use abi::nv::qmd::{Field, v3, v4, v5};

/// Words of the longest descriptors (V4 and V5: 384 bytes).
pub const MAX_WORDS: usize = 96;
/// Words of a V3 descriptor.
pub const V3_WORDS: usize = 64;

/// A constant buffer of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstantBuffer {
    /// GPU address, 0 when not valid.
    pub address: u64,
    /// Bytes.
    pub bytes: u32,
}

/// What happens to a dependent QMD when this one completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependentAction {
    /// Launch it.
    Schedule,
    /// Subtract one from its dependence counter and launch it at 0.
    DecrementDependence,
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// CTAs in x, y, z.
    pub grid: [u32; 3],
    /// Threads in x, y, z.
    pub block: [u32; 3],
    /// Address of the image.
    pub program: u64,
    /// Shared memory per CTA, bytes.
    pub shared_bytes: u32,
    /// Constant buffers 0..7.
    pub constants: [ConstantBuffer; 8],
    /// Semaphores released at the end.
    pub releases: [Option<Release>; 3],
    /// QMDs (address, action) started at the end.
    pub dependents: [Option<(u64, DependentAction)>; 2],
    /// Cluster dimensions.
    pub cluster: [u32; 3],
    /// No CTAs at all (`GRID_NULL`).
    pub null: bool,
    /// CTAs one after the other.
    pub sequential: bool,
}

/// Why a descriptor is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QmdError {
    /// Not a version that the class takes.
    #[error("QMD version {0}.{1} does not fit the class")]
    Version(u32, u32),
    /// Queues are not supported.
    #[error("QMD of type QUEUE is not supported")]
    Queue,
    /// Unknown type.
    #[error("QMD type {0} is unknown")]
    Type(u32),
    /// Unknown action of a dependent QMD.
    #[error("action {0} of a dependent QMD is not supported")]
    Action(u32),
    /// Latches are not supported.
    #[error("QMD latches are not supported")]
    Latch,
    /// A release traps or is malformed.
    #[error("release {0} of the QMD asks for something unsupported")]
    Release(u32),
    /// Threads per block out of range.
    #[error("block of {0}x{1}x{2} threads is out of range")]
    Block(u32, u32, u32),
    /// Dependent QMDs without CTAs, one after the other without end.
    #[error("the chain of dependent QMDs does not end")]
    Chain,
    /// A cluster that is too large or does not divide the grid.
    #[error("clusters of {0}x{1}x{2} CTAs do not fit the grid")]
    Cluster(u32, u32, u32),
    /// The class has no QMD that is known here.
    #[error("class {0:#x} has no supported QMD")]
    Class(u32),
}

/// Words that a descriptor of this class has.
///
/// # Errors
/// [`QmdError::Class`].
pub fn words_of(class: u32) -> Result<usize, QmdError> {
    match class {
        classes::HOPPER_COMPUTE_A | classes::BLACKWELL_COMPUTE_A | classes::BLACKWELL_COMPUTE_B => {
            Ok(MAX_WORDS)
        }
        classes::AMPERE_COMPUTE_A | classes::AMPERE_COMPUTE_B | classes::ADA_COMPUTE_A => {
            Ok(V3_WORDS)
        }
        other => Err(QmdError::Class(other)),
    }
}

/// The dependence counter's field.
///
/// # Errors
/// [`QmdError::Class`].
pub fn dependence_counter(class: u32) -> Result<Field, QmdError> {
    words_of(class)?;
    Ok(long_map(class).map_or(v3::DEPENDENCE_COUNTER, |map| map.dependence_counter))
}

/// Decodes `words` as the class's version of QMD.
///
/// # Errors
/// A field asks for something that is unknown or unsupported.
pub fn decode(class: u32, words: &[u32]) -> Result<Launch, QmdError> {
    words_of(class)?;
    match long_map(class) {
        Some(map) => decode_long(words, map),
        None => decode_v3(words),
    }
}

/// Where V4 and V5, which mean the same, have their fields.
struct Map {
    version: u32,
    dependence_counter: Field,
    major: Field,
    minor: Field,
    kind: Field,
    latches: [Field; 2],
    block: [Field; 3],
    grid: [Field; 3],
    cluster: [Field; 3],
    /// Lower and upper half, and by how much they are shifted.
    program: (Field, Field, u32),
    shared: (Field, u32),
    constant_valid: Field,
    constant_address: (Field, Field),
    constant_size: Field,
    release_enable: Field,
    release_structure: Field,
    release_reduction: [Field; 3],
    release_trap: Field,
    release_wide: Field,
    /// Address and payload, lower and upper halves.
    semaphores: [[Field; 4]; 3],
    dependent_enable: Field,
    dependent_action: Field,
    dependent_pointers: [Field; 2],
    sequential: Option<Field>,
}

/// Element `index` of an array of fields.
const fn element(field: Field, index: u32) -> Field {
    Field {
        lo: field.lo + field.stride * index,
        hi: field.hi + field.stride * index,
        stride: 0,
    }
}

static V4: Map = Map {
    version: 4,
    dependence_counter: v4::DEPENDENCE_COUNTER,
    major: v4::QMD_MAJOR_VERSION,
    minor: v4::QMD_MINOR_VERSION,
    kind: v4::QMD_TYPE,
    latches: [v4::ARRIVE_AT_LATCH_VALID, v4::WAIT_ON_LATCH_VALID],
    block: [
        v4::CTA_THREAD_DIMENSION0,
        v4::CTA_THREAD_DIMENSION1,
        v4::CTA_THREAD_DIMENSION2,
    ],
    grid: [v4::GRID_WIDTH, v4::GRID_HEIGHT, v4::GRID_DEPTH],
    cluster: [v4::GPC_CGA_WIDTH, v4::GPC_CGA_HEIGHT, v4::GPC_CGA_DEPTH],
    program: (v4::PROGRAM_ADDRESS_LOWER, v4::PROGRAM_ADDRESS_UPPER, 0),
    shared: (v4::SHARED_MEMORY_SIZE, 0),
    constant_valid: v4::CONSTANT_BUFFER_VALID,
    constant_address: (
        v4::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6,
        v4::CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6,
    ),
    constant_size: v4::CONSTANT_BUFFER_SIZE_SHIFTED4,
    release_enable: v4::RELEASE_ENABLE,
    release_structure: v4::RELEASE_STRUCTURE_SIZE,
    release_reduction: [
        v4::RELEASE_REDUCTION_ENABLE,
        v4::RELEASE_REDUCTION_OP,
        v4::RELEASE_REDUCTION_FORMAT,
    ],
    release_trap: v4::RELEASE_TRAP_TYPE,
    release_wide: v4::RELEASE_PAYLOAD64B,
    semaphores: [
        [
            v4::RELEASE_SEMAPHORE0_ADDR_LOWER,
            v4::RELEASE_SEMAPHORE0_ADDR_UPPER,
            v4::RELEASE_SEMAPHORE0_PAYLOAD_LOWER,
            v4::RELEASE_SEMAPHORE0_PAYLOAD_UPPER,
        ],
        [
            v4::RELEASE_SEMAPHORE1_ADDR_LOWER,
            v4::RELEASE_SEMAPHORE1_ADDR_UPPER,
            v4::RELEASE_SEMAPHORE1_PAYLOAD_LOWER,
            v4::RELEASE_SEMAPHORE1_PAYLOAD_UPPER,
        ],
        [
            v4::RELEASE_SEMAPHORE2_ADDR_LOWER,
            v4::RELEASE_SEMAPHORE2_ADDR_UPPER,
            v4::RELEASE_SEMAPHORE2_PAYLOAD_LOWER,
            v4::RELEASE_SEMAPHORE2_PAYLOAD_UPPER,
        ],
    ],
    dependent_enable: v4::DEPENDENT_QMD_ENABLE,
    dependent_action: v4::DEPENDENT_QMD_ACTION,
    dependent_pointers: [v4::DEPENDENT_QMD0_POINTER, v4::DEPENDENT_QMD1_POINTER],
    sequential: Some(v4::SEQUENTIALLY_RUN_CTAS),
};

static V5: Map = Map {
    version: 5,
    dependence_counter: v5::DEPENDENCE_COUNTER,
    major: v5::QMD_MAJOR_VERSION,
    minor: v5::QMD_MINOR_VERSION,
    kind: v5::QMD_TYPE,
    latches: [v5::ARRIVE_AT_LATCH_VALID, v5::WAIT_ON_LATCH_VALID],
    block: [
        v5::CTA_THREAD_DIMENSION0,
        v5::CTA_THREAD_DIMENSION1,
        v5::CTA_THREAD_DIMENSION2,
    ],
    grid: [v5::GRID_WIDTH, v5::GRID_HEIGHT, v5::GRID_DEPTH],
    cluster: [v5::GPC_CGA_WIDTH, v5::GPC_CGA_HEIGHT, v5::GPC_CGA_DEPTH],
    program: (
        v5::PROGRAM_ADDRESS_LOWER_SHIFTED4,
        v5::PROGRAM_ADDRESS_UPPER_SHIFTED4,
        4,
    ),
    shared: (v5::SHARED_MEMORY_SIZE_SHIFTED7, 7),
    constant_valid: v5::CONSTANT_BUFFER_VALID,
    constant_address: (
        v5::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6,
        v5::CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6,
    ),
    constant_size: v5::CONSTANT_BUFFER_SIZE_SHIFTED4,
    release_enable: v5::RELEASE_ENABLE,
    release_structure: v5::RELEASE_STRUCTURE_SIZE,
    release_reduction: [
        v5::RELEASE_REDUCTION_ENABLE,
        v5::RELEASE_REDUCTION_OP,
        v5::RELEASE_REDUCTION_FORMAT,
    ],
    release_trap: v5::RELEASE_TRAP_TYPE,
    release_wide: v5::RELEASE_PAYLOAD64B,
    semaphores: [
        [
            v5::RELEASE_SEMAPHORE0_ADDR_LOWER,
            v5::RELEASE_SEMAPHORE0_ADDR_UPPER,
            v5::RELEASE_SEMAPHORE0_PAYLOAD_LOWER,
            v5::RELEASE_SEMAPHORE0_PAYLOAD_UPPER,
        ],
        [
            v5::RELEASE_SEMAPHORE1_ADDR_LOWER,
            v5::RELEASE_SEMAPHORE1_ADDR_UPPER,
            v5::RELEASE_SEMAPHORE1_PAYLOAD_LOWER,
            v5::RELEASE_SEMAPHORE1_PAYLOAD_UPPER,
        ],
        [
            v5::RELEASE_SEMAPHORE2_ADDR_LOWER,
            v5::RELEASE_SEMAPHORE2_ADDR_UPPER,
            v5::RELEASE_SEMAPHORE2_PAYLOAD_LOWER,
            v5::RELEASE_SEMAPHORE2_PAYLOAD_UPPER,
        ],
    ],
    dependent_enable: v5::DEPENDENT_QMD_ENABLE,
    dependent_action: v5::DEPENDENT_QMD_ACTION,
    dependent_pointers: [
        element(v5::DEPENDENT_QMD_POINTER, 0),
        element(v5::DEPENDENT_QMD_POINTER, 1),
    ],
    // The version has no such field.
    sequential: None,
};

/// The map of a class with a long descriptor.
fn long_map(class: u32) -> Option<&'static Map> {
    match class {
        classes::HOPPER_COMPUTE_A => Some(&V4),
        classes::BLACKWELL_COMPUTE_A | classes::BLACKWELL_COMPUTE_B => Some(&V5),
        _ => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "fields are at most 32 bits wide"
)]
fn get(words: &[u32], field: Field, index: u32) -> u32 {
    field.get(words, index) as u32
}

fn wide(words: &[u32], lower: Field, upper: Field, index: u32) -> u64 {
    lower.get(words, index) | upper.get(words, index) << 32
}

/// The fields of one release, whatever the version.
struct RawRelease {
    address: u64,
    payload: u64,
    structure: u32,
    reduction: Option<(u32, u32)>,
    trap: u32,
    wide: bool,
}

fn release(index: u32, raw: &RawRelease) -> Result<Release, QmdError> {
    if raw.trap != 0 || raw.structure > 2 {
        return Err(QmdError::Release(index));
    }
    let reduction = match raw.reduction {
        None => None,
        Some((op, format)) => Some((
            Reduction::from_compute(op).ok_or(QmdError::Release(index))?,
            format == 1,
        )),
    };
    // Structure: 0 four words with timestamp, 1 one word, 2 two words.
    Ok(Release {
        address: raw.address,
        payload: raw.payload,
        wide: raw.wide,
        timestamp: raw.structure == 0,
        reduction,
    })
}

fn action(code: u32) -> Result<DependentAction, QmdError> {
    match code {
        1 | 3 => Ok(DependentAction::Schedule),
        4 => Ok(DependentAction::DecrementDependence),
        other => Err(QmdError::Action(other)),
    }
}

fn check_block(block: [u32; 3]) -> Result<(), QmdError> {
    let [x, y, z] = block;
    let threads = u64::from(x) * u64::from(y) * u64::from(z);
    if threads == 0 || threads > 1024 {
        Err(QmdError::Block(x, y, z))
    } else {
        Ok(())
    }
}

fn decode_long(w: &[u32], map: &Map) -> Result<Launch, QmdError> {
    let (major, minor) = (get(w, map.major, 0), get(w, map.minor, 0));
    // V5.1 describes several grids at once.
    if major != map.version || major == 5 && minor != 0 {
        return Err(QmdError::Version(major, minor));
    }
    let kind = get(w, map.kind, 0);
    let clustered = match kind {
        0 => return Err(QmdError::Queue),
        1 | 2 => false,
        3..=5 => true,
        other => return Err(QmdError::Type(other)),
    };
    if map.latches.iter().any(|latch| get(w, *latch, 0) != 0) {
        return Err(QmdError::Latch);
    }
    let block = map.block.map(|field| get(w, field, 0));
    if kind != 1 {
        check_block(block)?;
    }
    let mut constants = [ConstantBuffer::default(); 8];
    for (slot, i) in constants.iter_mut().zip(0..) {
        if get(w, map.constant_valid, i) == 1 {
            let (lower, upper) = map.constant_address;
            *slot = ConstantBuffer {
                address: wide(w, lower, upper, i) << 6,
                bytes: get(w, map.constant_size, i) << 4,
            };
        }
    }
    let mut releases = [None; 3];
    for ((slot, f), i) in releases.iter_mut().zip(map.semaphores).zip(0..) {
        if get(w, map.release_enable, i) == 1 {
            let [reduces, op, format] = map.release_reduction.map(|field| get(w, field, i));
            *slot = Some(release(
                i,
                &RawRelease {
                    address: wide(w, f[0], f[1], 0),
                    payload: wide(w, f[2], f[3], 0),
                    structure: get(w, map.release_structure, i),
                    reduction: (reduces == 1).then_some((op, format)),
                    trap: get(w, map.release_trap, i),
                    wide: get(w, map.release_wide, i) == 1,
                },
            )?);
        }
    }
    let mut dependents = [None; 2];
    for ((slot, pointer), i) in dependents.iter_mut().zip(map.dependent_pointers).zip(0..) {
        if get(w, map.dependent_enable, i) == 1 {
            *slot = Some((
                u64::from(get(w, pointer, 0)) << 8,
                action(get(w, map.dependent_action, i))?,
            ));
        }
    }
    let cluster = if clustered {
        map.cluster.map(|f| get(w, f, 0).max(1))
    } else {
        [1; 3]
    };
    let (lower, upper, shift) = map.program;
    Ok(Launch {
        grid: map.grid.map(|f| get(w, f, 0)),
        block,
        program: wide(w, lower, upper, 0) << shift,
        shared_bytes: get(w, map.shared.0, 0) << map.shared.1,
        constants,
        releases,
        dependents,
        cluster,
        null: kind == 1,
        sequential: map.sequential.is_some_and(|f| get(w, f, 0) == 1),
    })
}

fn decode_v3(w: &[u32]) -> Result<Launch, QmdError> {
    let (major, minor) = (get(w, v3::QMD_MAJOR_VERSION, 0), get(w, v3::QMD_VERSION, 0));
    if major != 3 {
        return Err(QmdError::Version(major, minor));
    }
    if get(w, v3::IS_QUEUE, 0) == 1 {
        return Err(QmdError::Queue);
    }
    let block = [
        get(w, v3::CTA_THREAD_DIMENSION0, 0),
        get(w, v3::CTA_THREAD_DIMENSION1, 0),
        get(w, v3::CTA_THREAD_DIMENSION2, 0),
    ];
    check_block(block)?;
    let mut constants = [ConstantBuffer::default(); 8];
    for (slot, i) in constants.iter_mut().zip(0..) {
        if get(w, v3::CONSTANT_BUFFER_VALID, i) == 1 {
            *slot = ConstantBuffer {
                address: wide(
                    w,
                    v3::CONSTANT_BUFFER_ADDR_LOWER,
                    v3::CONSTANT_BUFFER_ADDR_UPPER,
                    i,
                ),
                bytes: get(w, v3::CONSTANT_BUFFER_SIZE_SHIFTED4, i) << 4,
            };
        }
    }
    let mut releases = [None; 3];
    // The three releases have the same layout at three places.
    for ((slot, base), i) in releases.iter_mut().zip([0, 128, 896]).zip(0..) {
        let at = |f: Field| Field {
            lo: f.lo + base,
            hi: f.hi + base,
            stride: 0,
        };
        if get(w, at(v3::RELEASE0_ENABLE), 0) == 1 {
            let reduces = get(w, at(v3::RELEASE0_REDUCTION_ENABLE), 0) == 1;
            *slot = Some(release(
                i,
                &RawRelease {
                    address: wide(
                        w,
                        at(v3::RELEASE0_ADDRESS_LOWER),
                        at(v3::RELEASE0_ADDRESS_UPPER),
                        0,
                    ),
                    payload: wide(
                        w,
                        at(v3::RELEASE0_PAYLOAD_LOWER),
                        at(v3::RELEASE0_PAYLOAD_UPPER),
                        0,
                    ),
                    // One bit here: 0 four words, 1 one word.
                    structure: get(w, at(v3::RELEASE0_STRUCTURE_SIZE), 0) & 1,
                    reduction: reduces.then(|| {
                        (
                            get(w, at(v3::RELEASE0_REDUCTION_OP), 0),
                            get(w, at(v3::RELEASE0_REDUCTION_FORMAT), 0),
                        )
                    }),
                    trap: get(w, at(v3::RELEASE0_TRAP_TYPE), 0),
                    wide: get(w, at(v3::RELEASE0_PAYLOAD64B), 0) == 1,
                },
            )?);
        }
    }
    let mut dependents = [None; 2];
    let fields = [
        (
            v3::DEPENDENT_QMD0_ENABLE,
            v3::DEPENDENT_QMD0_POINTER,
            v3::DEPENDENT_QMD0_ACTION,
        ),
        // The pointer of the second dependent is not in the public map of this version.
        (
            v3::DEPENDENT_QMD1_ENABLE,
            v3::DEPENDENT_QMD0_POINTER,
            v3::DEPENDENT_QMD1_ACTION,
        ),
    ];
    for ((slot, (enable, pointer, act)), i) in dependents.iter_mut().zip(fields).zip(0u32..) {
        if get(w, enable, 0) == 1 {
            if i == 1 {
                return Err(QmdError::Action(get(w, act, 0)));
            }
            *slot = Some((u64::from(get(w, pointer, 0)) << 8, action(get(w, act, 0))?));
        }
    }
    Ok(Launch {
        grid: [
            get(w, v3::CTA_RASTER_WIDTH, 0),
            get(w, v3::CTA_RASTER_HEIGHT, 0),
            get(w, v3::CTA_RASTER_DEPTH, 0),
        ],
        block,
        program: wide(w, v3::PROGRAM_ADDRESS_LOWER, v3::PROGRAM_ADDRESS_UPPER, 0),
        shared_bytes: get(w, v3::SHARED_MEMORY_SIZE, 0),
        constants,
        releases,
        dependents,
        cluster: [1; 3],
        null: false,
        sequential: get(w, v3::SEQUENTIALLY_RUN_CTAS, 0) == 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v4_words() -> [u32; MAX_WORDS] {
        let mut w = [0; MAX_WORDS];
        v4::QMD_MAJOR_VERSION.set(&mut w, 0, 4);
        v4::QMD_TYPE.set(&mut w, 0, 2);
        v4::GRID_WIDTH.set(&mut w, 0, 0x7fff_ffff);
        v4::GRID_HEIGHT.set(&mut w, 0, 3);
        v4::GRID_DEPTH.set(&mut w, 0, 2);
        v4::CTA_THREAD_DIMENSION0.set(&mut w, 0, 1024);
        v4::CTA_THREAD_DIMENSION1.set(&mut w, 0, 1);
        v4::CTA_THREAD_DIMENSION2.set(&mut w, 0, 1);
        v4::PROGRAM_ADDRESS_LOWER.set(&mut w, 0, 0x8000_0100);
        v4::PROGRAM_ADDRESS_UPPER.set(&mut w, 0, 0x7);
        v4::CONSTANT_BUFFER_VALID.set(&mut w, 3, 1);
        v4::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6.set(&mut w, 3, 0xffff_fff0);
        v4::CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6.set(&mut w, 3, 0x1);
        v4::CONSTANT_BUFFER_SIZE_SHIFTED4.set(&mut w, 3, 0x1000);
        w
    }

    #[test]
    fn v4_fields_arrive() {
        let mut w = v4_words();
        v4::RELEASE_ENABLE.set(&mut w, 1, 1);
        v4::RELEASE_STRUCTURE_SIZE.set(&mut w, 1, 1);
        v4::RELEASE_SEMAPHORE1_ADDR_LOWER.set(&mut w, 0, 0x1234_5678);
        v4::RELEASE_SEMAPHORE1_PAYLOAD_LOWER.set(&mut w, 0, 77);
        let l = decode(classes::HOPPER_COMPUTE_A, &w).expect("valid");
        assert_eq!((l.grid, l.block), ([0x7fff_ffff, 3, 2], [1024, 1, 1]));
        assert_eq!(l.program, 0x7_8000_0100);
        assert_eq!(
            l.constants[3],
            ConstantBuffer {
                address: 0x1_ffff_fff0 << 6,
                bytes: 0x10000
            }
        );
        assert_eq!(l.constants[0], ConstantBuffer::default());
        let release = l.releases[1].expect("enabled");
        assert_eq!(
            (release.address, release.payload, release.timestamp),
            (0x1234_5678, 77, false)
        );
        assert!(l.releases[0].is_none() && l.dependents == [None; 2]);
    }

    #[test]
    fn v5_fields_arrive() {
        let mut w = [0; MAX_WORDS];
        v5::QMD_MAJOR_VERSION.set(&mut w, 0, 5);
        v5::QMD_TYPE.set(&mut w, 0, 3);
        for (field, value) in [
            (v5::GRID_WIDTH, 0x7fff_ffff),
            (v5::GRID_HEIGHT, 3),
            (v5::GRID_DEPTH, 2),
            (v5::CTA_THREAD_DIMENSION0, 256),
            (v5::CTA_THREAD_DIMENSION1, 2),
            (v5::CTA_THREAD_DIMENSION2, 2),
            (v5::PROGRAM_ADDRESS_LOWER_SHIFTED4, 0x8000_0010),
            (v5::PROGRAM_ADDRESS_UPPER_SHIFTED4, 0x7),
            (v5::SHARED_MEMORY_SIZE_SHIFTED7, 5),
            (v5::GPC_CGA_WIDTH, 2),
        ] {
            field.set(&mut w, 0, value);
        }
        v5::CONSTANT_BUFFER_VALID.set(&mut w, 7, 1);
        v5::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6.set(&mut w, 7, 0xffff_fff0);
        v5::CONSTANT_BUFFER_SIZE_SHIFTED4.set(&mut w, 7, 0x21);
        v5::RELEASE_ENABLE.set(&mut w, 2, 1);
        v5::RELEASE_PAYLOAD64B.set(&mut w, 2, 1);
        v5::RELEASE_STRUCTURE_SIZE.set(&mut w, 2, 2);
        v5::RELEASE_SEMAPHORE2_ADDR_LOWER.set(&mut w, 0, 0x1234_5678);
        v5::RELEASE_SEMAPHORE2_PAYLOAD_UPPER.set(&mut w, 0, 7);
        v5::DEPENDENT_QMD_ENABLE.set(&mut w, 1, 1);
        v5::DEPENDENT_QMD_ACTION.set(&mut w, 1, 1);
        v5::DEPENDENT_QMD_POINTER.set(&mut w, 1, 0x77);
        for class in [classes::BLACKWELL_COMPUTE_A, classes::BLACKWELL_COMPUTE_B] {
            let l = decode(class, &w).expect("valid");
            assert_eq!((l.grid, l.block), ([0x7fff_ffff, 3, 2], [256, 2, 2]));
            assert_eq!((l.program, l.shared_bytes), (0x78_0000_0100, 640));
            assert_eq!((l.cluster, l.null), ([2, 1, 1], false));
            let bank = ConstantBuffer {
                address: 0xffff_fff0 << 6,
                bytes: 0x210,
            };
            assert_eq!(l.constants[7], bank);
            let release = l.releases[2].expect("enabled");
            assert_eq!((release.address, release.payload), (0x1234_5678, 7 << 32));
            assert!(release.wide && !release.timestamp);
            let dependent = (0x7700, DependentAction::Schedule);
            assert_eq!(l.dependents, [None, Some(dependent)]);
        }
        v5::QMD_MINOR_VERSION.set(&mut w, 0, 1);
        let refused = decode(classes::BLACKWELL_COMPUTE_B, &w);
        assert_eq!(refused, Err(QmdError::Version(5, 1)));
    }

    #[test]
    fn what_is_unsupported_is_refused_by_name() {
        let mut w = v4_words();
        v4::QMD_TYPE.set(&mut w, 0, 0);
        assert_eq!(decode(classes::HOPPER_COMPUTE_A, &w), Err(QmdError::Queue));
        let mut w = v4_words();
        v4::QMD_MAJOR_VERSION.set(&mut w, 0, 5);
        assert_eq!(
            decode(classes::HOPPER_COMPUTE_A, &w),
            Err(QmdError::Version(5, 0))
        );
        let mut w = v4_words();
        v4::CTA_THREAD_DIMENSION1.set(&mut w, 0, 2);
        assert_eq!(
            decode(classes::HOPPER_COMPUTE_A, &w),
            Err(QmdError::Block(1024, 2, 1))
        );
        assert_eq!(decode(0xdead, &w), Err(QmdError::Class(0xdead)));
    }

    #[test]
    fn v3_fields_arrive() {
        let mut w = [0; V3_WORDS];
        v3::QMD_MAJOR_VERSION.set(&mut w, 0, 3);
        v3::CTA_RASTER_WIDTH.set(&mut w, 0, 5);
        v3::CTA_RASTER_HEIGHT.set(&mut w, 0, 1);
        v3::CTA_RASTER_DEPTH.set(&mut w, 0, 1);
        for f in [
            v3::CTA_THREAD_DIMENSION0,
            v3::CTA_THREAD_DIMENSION1,
            v3::CTA_THREAD_DIMENSION2,
        ] {
            f.set(&mut w, 0, 4);
        }
        v3::RELEASE2_ENABLE.set(&mut w, 0, 1);
        v3::RELEASE2_ADDRESS_LOWER.set(&mut w, 0, 0xabcd_0000);
        v3::RELEASE2_PAYLOAD_LOWER.set(&mut w, 0, 9);
        v3::RELEASE2_PAYLOAD_UPPER.set(&mut w, 0, 1);
        v3::RELEASE2_PAYLOAD64B.set(&mut w, 0, 1);
        let l = decode(classes::ADA_COMPUTE_A, &w).expect("valid");
        assert_eq!((l.grid, l.block), ([5, 1, 1], [4, 4, 4]));
        let release = l.releases[2].expect("enabled");
        assert_eq!(
            (release.address, release.payload, release.wide),
            (0xabcd_0000, 0x1_0000_0009, true)
        );
        assert!(release.timestamp);
    }
}
