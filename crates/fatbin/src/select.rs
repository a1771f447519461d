//! Which image of a container a device runs.

use std::fmt;

use crate::{Entry, IsaVersion, Kind, Sm, Suffix};

/// The device and driver an image is chosen for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// Compute capability, as an SM without suffix.
    pub cc: Sm,
    /// Newest PTX ISA version that the driver's CUDA release has.
    pub isa: IsaVersion,
}

/// What the user asked for by environment or option. The default is the driver's own: exact SASS first, then PTX,
/// and newer PTX with a notice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// `CUDA_FORCE_PTX_JIT=1`: never take a cubin.
    pub force_ptx: bool,
    /// `CUDA_DISABLE_PTX_JIT=1`: never take PTX.
    pub disable_ptx: bool,
    /// Refuse PTX that is newer than the device or the driver, as a real driver does.
    pub strict: bool,
}

/// A caller's judgement of a cubin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Code of this very device.
    Ours,
    /// Code of another device: real SASS, or another code-ABI version.
    Foreign,
}

/// The entry to load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice<'a> {
    /// Native code, to be loaded as it is.
    Cubin(Entry<'a>),
    /// PTX, to be compiled.
    Ptx {
        /// The entry.
        entry: Entry<'a>,
        /// What the user should be told once, if anything.
        notice: Option<Notice>,
    },
}

/// Why PTX was taken that a real driver would refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// Its SM is newer than the device (209 in strict mode).
    NewerTarget {
        /// What the PTX is for.
        target: Sm,
        /// What the device is.
        cc: Sm,
    },
    /// Its ISA version is newer than the driver's (222 in strict mode).
    NewerIsa {
        /// What the PTX says.
        isa: IsaVersion,
        /// The driver's newest.
        driver: IsaVersion,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NewerTarget { target, cc } => write!(
                f,
                "PTX for compute_{target} is newer than this device (compute capability {}.{}); a real one refuses it",
                cc.major(),
                cc.minor()
            ),
            Self::NewerIsa { isa, driver } => write!(
                f,
                "PTX ISA {isa} is newer than this driver's {driver}; a real one refuses it"
            ),
        }
    }
}

/// Why nothing could be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// No image fits the device: `CUDA_ERROR_NO_BINARY_FOR_GPU`, 209.
    NoBinary,
    /// PTX fits, but its use is disabled: `CUDA_ERROR_JIT_COMPILATION_DISABLED`, 223.
    JitDisabled,
    /// The PTX that fits is of a newer ISA version (strict mode): `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`, 222.
    PtxTooNew,
}

/// One image that was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// What it is for.
    pub sm: Sm,
    /// Its version.
    pub version: IsaVersion,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Ptx => write!(f, "PTX compute_{} (ISA {})", self.sm, self.version),
            Kind::Cubin => write!(f, "SASS sm_{}", self.sm),
            Kind::LtoIr => write!(f, "LTO-IR lto_{}", self.sm),
            Kind::Other(raw) => write!(f, "unknown kind {raw:#x} for sm_{}", self.sm),
        }
    }
}

/// Nothing can be loaded: why, and what was there. Its `Display` is the message a user should see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoImage {
    /// Why.
    pub reason: Reason,
    /// For which device.
    pub device: Device,
    /// All images that were there.
    pub found: Vec<Found>,
}

impl fmt::Display for NoImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Device { cc, isa } = self.device;
        match self.reason {
            Reason::NoBinary => write!(
                f,
                "no image for compute capability {}.{}",
                cc.major(),
                cc.minor()
            )?,
            Reason::JitDisabled => f.write_str("only PTX fits, and PTX compilation is disabled")?,
            Reason::PtxTooNew => write!(f, "the PTX is newer than this driver's ISA {isa}")?,
        }
        f.write_str("; found: ")?;
        if self.found.is_empty() {
            return f.write_str("nothing");
        }
        for (index, found) in self.found.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{found}")?;
        }
        if self.reason == Reason::NoBinary {
            write!(
                f,
                ". Build with -gencode arch=compute_{0},code=compute_{0} to include PTX",
                cc.number
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for NoImage {}

/// How far the suffix `a` and `f` are preferred over none at the same number: the more specific code is the better.
const fn specificity(suffix: Suffix) -> u8 {
    match suffix {
        Suffix::None => 0,
        Suffix::Family => 1,
        Suffix::Arch => 2,
    }
}

/// Chooses among `entries` by CUDA's rules: native code of this very device (`judge` says so), else the PTX with the
/// newest target that the device can run. Without `policy.strict`, PTX for a newer device is the last resort: the
/// oldest such target, and none before one with a suffix.
///
/// # Errors
/// [`NoImage`], which lists what was there.
pub fn select<'a>(
    entries: &[Entry<'a>],
    device: Device,
    policy: Policy,
    mut judge: impl FnMut(&Entry<'a>) -> Verdict,
) -> Result<Choice<'a>, NoImage> {
    let fail = |reason| NoImage {
        reason,
        device,
        found: entries
            .iter()
            .map(|entry| Found {
                kind: entry.kind,
                sm: entry.sm,
                version: entry.version,
            })
            .collect(),
    };
    if !policy.force_ptx {
        let ours = entries
            .iter()
            .find(|entry| entry.kind == Kind::Cubin && judge(entry) == Verdict::Ours);
        if let Some(&entry) = ours {
            return Ok(Choice::Cubin(entry));
        }
    }
    let ptx = || entries.iter().filter(|entry| entry.kind == Kind::Ptx);
    let fitting = ptx()
        .filter(|entry| entry.sm.ptx_runs_on(device.cc))
        // max_by_key takes the last of equals; reversed, the first in the container wins, as written.
        .rev()
        .max_by_key(|entry| (entry.sm.number, specificity(entry.sm.suffix), entry.version));
    if let Some(&entry) = fitting {
        if policy.disable_ptx {
            return Err(fail(Reason::JitDisabled));
        }
        let newer = entry.version > device.isa;
        if newer && policy.strict {
            return Err(fail(Reason::PtxTooNew));
        }
        let notice = newer.then_some(Notice::NewerIsa {
            isa: entry.version,
            driver: device.isa,
        });
        return Ok(Choice::Ptx { entry, notice });
    }
    let newer = ptx()
        .filter(|entry| !policy.strict && entry.sm.number > device.cc.number)
        .min_by_key(|entry| (entry.sm.suffix, entry.sm.number));
    match newer {
        Some(_) if policy.disable_ptx => Err(fail(Reason::JitDisabled)),
        Some(&entry) => Ok(Choice::Ptx {
            entry,
            notice: Some(Notice::NewerTarget {
                target: entry.sm,
                cc: device.cc,
            }),
        }),
        None => Err(fail(Reason::NoBinary)),
    }
}
