//! Which row of the table an instruction is, and which instructions have none.

use crate::modifier;
use crate::types::{ScalarType, StateSpace, VectorWidth};

/// The key of a row and the modifiers that remain for it.
pub(super) struct Key<'a> {
    pub key: &'a str,
    pub modifiers: Vec<&'a str>,
}

/// What an opcode with its modifiers is.
pub(super) enum Opcode<'a> {
    /// It has a row.
    Row(Key<'a>),
    /// It is known, and has no row.
    Other,
    /// It is no instruction of PTX.
    Unknown,
}

/// Instructions that parse and resolve but have no row: tensor cores, asynchronous copies,
/// mbarriers, textures and surfaces, video.
const OTHER: &[&str] = &[
    "clusterlaunchcontrol",
    "cp",
    "istypep",
    "ldmatrix",
    "mbarrier",
    "mma",
    "movmatrix",
    "multimem",
    "setmaxnreg",
    "stmatrix",
    "suld",
    "suq",
    "sured",
    "sust",
    "tcgen05",
    "tensormap",
    "tex",
    "tld4",
    "txq",
    "vabsdiff",
    "vabsdiff2",
    "vabsdiff4",
    "vadd",
    "vadd2",
    "vadd4",
    "vavrg2",
    "vavrg4",
    "vmad",
    "vmax",
    "vmax2",
    "vmax4",
    "vmin",
    "vmin2",
    "vmin4",
    "vset",
    "vset2",
    "vset4",
    "vshl",
    "vshr",
    "vsub",
    "vsub2",
    "vsub4",
    "wgmma",
    "wmma",
];

/// Finds the row.
pub(super) fn find<'a>(opcode: &'a str, modifiers: &[&'a str]) -> Opcode<'a> {
    let first = modifiers.first().copied().unwrap_or_default();
    let row = |key: &'a str, skipped: usize| {
        Opcode::Row(Key {
            key,
            modifiers: modifiers[skipped..].to_vec(),
        })
    };
    match (opcode, first) {
        ("bar", "warp") => row("bar.warp", 1),
        ("bar", _) => {
            // `bar` is `barrier.aligned`; said twice it is an error, as it is for `barrier`.
            let mut key = Key {
                key: "barrier",
                modifiers: modifiers.to_vec(),
            };
            key.modifiers.push("aligned");
            Opcode::Row(key)
        }
        ("barrier", "cluster") => row("barrier.cluster", 1),
        ("cvt", "pack") => row("cvt.pack", 1),
        ("fence" | "membar", "proxy") => {
            let mut modifiers = modifiers[1..].to_vec();
            if let ["async", space, ..] = modifiers.as_slice() {
                let joined = match *space {
                    "global" => Some("async.global"),
                    "shared::cta" => Some("async.shared::cta"),
                    "shared::cluster" => Some("async.shared::cluster"),
                    _ => None,
                };
                if let Some(joined) = joined {
                    modifiers.splice(0..2, [joined]);
                }
            }
            let key = "fence.proxy";
            Opcode::Row(Key { key, modifiers })
        }
        ("st" | "red", "async" | "bulk") => Opcode::Other,
        _ if OTHER.binary_search(&opcode).is_ok() => Opcode::Other,
        _ if opcode == "call" || crate::kind::has_key(opcode) => row(opcode, 0),
        _ => Opcode::Unknown,
    }
}

/// Modifiers that are flags of some row.
const FLAGS: &[&str] = &[
    "abs",
    "aligned",
    "approx",
    "cc",
    "cta",
    "ftz",
    "idx",
    "mask",
    "mbarrier_init",
    "mmio",
    "nc",
    "noftz",
    "oob",
    "relu",
    "sat",
    "satfinite",
    "shiftamt",
    "sync",
    "tensormap",
    "to",
    "unified",
    "uni",
    "xorsign",
    "NaN",
    "L2::cache_hint",
    "scaled::n2::ue8m0",
];

/// Whether this is a modifier of any instruction.
pub(super) fn is_modifier(text: &str) -> bool {
    macro_rules! any {
        ($($ty:ty),+ $(,)?) => { $(<$ty>::from_text(text).is_some())||+ };
    }
    FLAGS.contains(&text)
        || any!(
            ScalarType,
            StateSpace,
            VectorWidth,
            modifier::Rounding,
            modifier::CvtRounding,
            modifier::MulHalf,
            modifier::DivPrecision,
            modifier::ClampWrap,
            modifier::TestpOp,
            modifier::CmpOp,
            modifier::BoolOp,
            modifier::ShiftDirection,
            modifier::ShflMode,
            modifier::PrmtMode,
            modifier::MemoryOrder,
            modifier::FenceOrder,
            modifier::Scope,
            modifier::LoadCache,
            modifier::StoreCache,
            modifier::L1Eviction,
            modifier::L2Eviction,
            modifier::PrefetchSize,
            modifier::CacheLevel,
            modifier::AtomOp,
            modifier::VoteMode,
            modifier::BarrierOp,
            modifier::BarrierReduction,
            modifier::ClusterBarrierOp,
            modifier::MembarLevel,
            modifier::ProxyKind,
            modifier::SyncRestrict,
            modifier::GridDepOp,
            modifier::PolicyForm,
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_have_no_row() {
        assert!(OTHER.is_sorted());
        assert!(OTHER.iter().all(|name| !crate::kind::has_key(name)));
    }
}
