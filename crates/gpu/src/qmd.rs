//! Decoding of launch descriptors (QMD V3 of Ampere and Ada, V4 of Hopper) into what the SM needs.

use crate::semaphore::{Reduction, Release};
use abi::nv::classes;
use abi::nv::qmd::{Field, v3, v4};

/// Words of the longest descriptor (V4: 384 bytes).
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
        classes::HOPPER_COMPUTE_A => Ok(MAX_WORDS),
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
    Ok(if words_of(class)? == MAX_WORDS {
        v4::DEPENDENCE_COUNTER
    } else {
        v3::DEPENDENCE_COUNTER
    })
}

/// Decodes `words` as the class's version of QMD.
///
/// # Errors
/// A field asks for something that is unknown or unsupported.
pub fn decode(class: u32, words: &[u32]) -> Result<Launch, QmdError> {
    if words_of(class)? == MAX_WORDS {
        decode_v4(words)
    } else {
        decode_v3(words)
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

fn decode_v4(w: &[u32]) -> Result<Launch, QmdError> {
    let (major, minor) = (
        get(w, v4::QMD_MAJOR_VERSION, 0),
        get(w, v4::QMD_MINOR_VERSION, 0),
    );
    if major != 4 {
        return Err(QmdError::Version(major, minor));
    }
    let kind = get(w, v4::QMD_TYPE, 0);
    let clustered = match kind {
        0 => return Err(QmdError::Queue),
        1 | 2 => false,
        3..=5 => true,
        other => return Err(QmdError::Type(other)),
    };
    if get(w, v4::ARRIVE_AT_LATCH_VALID, 0) + get(w, v4::WAIT_ON_LATCH_VALID, 0) != 0 {
        return Err(QmdError::Latch);
    }
    let block = [
        get(w, v4::CTA_THREAD_DIMENSION0, 0),
        get(w, v4::CTA_THREAD_DIMENSION1, 0),
        get(w, v4::CTA_THREAD_DIMENSION2, 0),
    ];
    if kind != 1 {
        check_block(block)?;
    }
    let mut constants = [ConstantBuffer::default(); 8];
    for (slot, i) in constants.iter_mut().zip(0..) {
        if get(w, v4::CONSTANT_BUFFER_VALID, i) == 1 {
            *slot = ConstantBuffer {
                address: wide(
                    w,
                    v4::CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6,
                    v4::CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6,
                    i,
                ) << 6,
                bytes: get(w, v4::CONSTANT_BUFFER_SIZE_SHIFTED4, i) << 4,
            };
        }
    }
    let semaphores = [
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
    ];
    let mut releases = [None; 3];
    for ((slot, f), i) in releases.iter_mut().zip(semaphores).zip(0..) {
        if get(w, v4::RELEASE_ENABLE, i) == 1 {
            let reduces = get(w, v4::RELEASE_REDUCTION_ENABLE, i) == 1;
            *slot = Some(release(
                i,
                &RawRelease {
                    address: wide(w, f[0], f[1], 0),
                    payload: wide(w, f[2], f[3], 0),
                    structure: get(w, v4::RELEASE_STRUCTURE_SIZE, i),
                    reduction: reduces.then(|| {
                        (
                            get(w, v4::RELEASE_REDUCTION_OP, i),
                            get(w, v4::RELEASE_REDUCTION_FORMAT, i),
                        )
                    }),
                    trap: get(w, v4::RELEASE_TRAP_TYPE, i),
                    wide: get(w, v4::RELEASE_PAYLOAD64B, i) == 1,
                },
            )?);
        }
    }
    let mut dependents = [None; 2];
    let pointers = [v4::DEPENDENT_QMD0_POINTER, v4::DEPENDENT_QMD1_POINTER];
    for ((slot, pointer), i) in dependents.iter_mut().zip(pointers).zip(0..) {
        if get(w, v4::DEPENDENT_QMD_ENABLE, i) == 1 {
            *slot = Some((
                u64::from(get(w, pointer, 0)) << 8,
                action(get(w, v4::DEPENDENT_QMD_ACTION, i))?,
            ));
        }
    }
    let cluster = if clustered {
        [v4::GPC_CGA_WIDTH, v4::GPC_CGA_HEIGHT, v4::GPC_CGA_DEPTH].map(|f| get(w, f, 0).max(1))
    } else {
        [1; 3]
    };
    Ok(Launch {
        grid: [
            get(w, v4::GRID_WIDTH, 0),
            get(w, v4::GRID_HEIGHT, 0),
            get(w, v4::GRID_DEPTH, 0),
        ],
        block,
        program: wide(w, v4::PROGRAM_ADDRESS_LOWER, v4::PROGRAM_ADDRESS_UPPER, 0),
        shared_bytes: get(w, v4::SHARED_MEMORY_SIZE, 0),
        constants,
        releases,
        dependents,
        cluster,
        null: kind == 1,
        sequential: get(w, v4::SEQUENTIALLY_RUN_CTAS, 0) == 1,
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
