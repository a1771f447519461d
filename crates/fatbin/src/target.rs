//! SM targets and PTX ISA versions, and which runs where.

use std::fmt;

/// The letter after an SM number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suffix {
    /// `compute_90`: runs on this and every newer device.
    None,
    /// `compute_100f`: runs on devices of the same family (same major, same or higher minor).
    Family,
    /// `compute_90a`: runs on exactly this compute capability.
    Arch,
}

/// An SM number with its suffix, as in `sm_90`, `sm_100f`, `sm_90a`; also a compute capability (no suffix).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sm {
    /// The number: 90 is compute capability 9.0, 121 is 12.1.
    pub number: u32,
    /// The suffix.
    pub suffix: Suffix,
}

impl Sm {
    /// A target without suffix.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self {
            number,
            suffix: Suffix::None,
        }
    }

    /// An architecture-specific target, such as `sm_90a`.
    #[must_use]
    pub const fn arch(number: u32) -> Self {
        Self {
            number,
            suffix: Suffix::Arch,
        }
    }

    /// A family-specific target, such as `sm_100f`.
    #[must_use]
    pub const fn family(number: u32) -> Self {
        Self {
            number,
            suffix: Suffix::Family,
        }
    }

    /// Major compute capability.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.number / 10
    }

    /// Minor compute capability.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.number % 10
    }

    /// Whether PTX for this target runs on a device of compute capability `device`
    /// (CUDA C++ Programming Guide 13.0, "Compute capabilities": forward, family and architecture rules).
    #[must_use]
    pub const fn ptx_runs_on(self, device: Sm) -> bool {
        match self.suffix {
            Suffix::None => self.number <= device.number,
            Suffix::Family => self.major() == device.major() && self.minor() <= device.minor(),
            Suffix::Arch => self.number == device.number,
        }
    }

    /// The number and suffix as in `90a`.
    fn tail(self) -> impl fmt::Display {
        struct Tail(Sm);
        impl fmt::Display for Tail {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let letter = match self.0.suffix {
                    Suffix::None => "",
                    Suffix::Family => "f",
                    Suffix::Arch => "a",
                };
                write!(f, "{}{letter}", self.0.number)
            }
        }
        Tail(self)
    }
}

impl fmt::Display for Sm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tail())
    }
}

/// A PTX ISA version (or, on cubins, the ELF ABI version).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IsaVersion {
    /// Major version.
    pub major: u16,
    /// Minor version.
    pub minor: u16,
}

impl IsaVersion {
    /// `major.minor`.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }
}

impl fmt::Display for IsaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The newest PTX ISA version that a CUDA release (major, minor) knows: what its nvcc writes. Releases before 11.0 are
/// taken for 11.0, the oldest that current drivers serve.
#[must_use]
pub const fn ptx_of_cuda_release(release: (u16, u16)) -> IsaVersion {
    match release {
        (..=10, _) => IsaVersion::new(7, 0),
        (11, minor @ 0..=8) => IsaVersion::new(7, minor),
        (11, _) => IsaVersion::new(7, 8),
        (12, minor @ 0..=5) => IsaVersion::new(8, minor),
        // 12.6 kept 12.5's.
        (12, minor) => IsaVersion::new(8, minor - 1),
        (13.., minor) => IsaVersion::new(9, minor),
    }
}

/// The CUDA release (major, minor) whose nvcc writes this PTX ISA version by default, or `None` for a version not
/// in the release history (PTX ISA 9.x, "Release Notes"; from 9.0 on the minor numbers run together).
#[must_use]
pub const fn cuda_release_of_ptx(isa: IsaVersion) -> Option<(u16, u16)> {
    match (isa.major, isa.minor) {
        (6, 0) => Some((9, 0)),
        (6, 1) => Some((9, 1)),
        (6, 2) => Some((9, 2)),
        (6, 3) => Some((10, 0)),
        (6, 4) => Some((10, 1)),
        (6, 5) => Some((10, 2)),
        (7, minor @ 0..=8) => Some((11, minor)),
        (8, minor @ 0..=5) => Some((12, minor)),
        (8, minor @ 6..=8) => Some((12, minor + 1)),
        (9, minor) => Some((13, minor)),
        _ => None,
    }
}
