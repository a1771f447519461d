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
    /// It is a video instruction.
    Video,
    /// It is known, and has no row.
    Other,
    /// It is no instruction of PTX.
    Unknown,
}

/// Instructions that parse and resolve but have no row: tensor cores, bulk copies, textures and
/// surfaces.
const OTHER: &[&str] = &[
    "clusterlaunchcontrol",
    "cp",
    "istypep",
    "ldmatrix",
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
        ("cp", "async") => match modifiers.get(1).copied().unwrap_or_default() {
            "ca" | "cg" => row("cp.async", 1),
            "commit_group" => row("cp.async.commit_group", 2),
            "wait_group" => row("cp.async.wait_group", 2),
            "wait_all" => row("cp.async.wait_all", 2),
            "mbarrier" if modifiers.get(2) == Some(&"arrive") => row("cp.async.mbarrier.arrive", 3),
            _ => Opcode::Other,
        },
        ("mbarrier", "init") => row("mbarrier.init", 1),
        ("mbarrier", "inval") => row("mbarrier.inval", 1),
        ("mbarrier", "expect_tx") => row("mbarrier.expect_tx", 1),
        ("mbarrier", "complete_tx") => row("mbarrier.complete_tx", 1),
        ("mbarrier", "arrive") => row("mbarrier.arrive", 1),
        ("mbarrier", "arrive_drop") => row("mbarrier.arrive_drop", 1),
        ("mbarrier", "test_wait") => row("mbarrier.test_wait", 1),
        ("mbarrier", "try_wait") => row("mbarrier.try_wait", 1),
        ("mbarrier", "pending_count") => row("mbarrier.pending_count", 1),
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
        _ if crate::video::is_video(opcode) => Opcode::Video,
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
    "expect_tx",
    "ftz",
    "idx",
    "mask",
    "mbarrier_init",
    "mmio",
    "nc",
    "noComplete",
    "noftz",
    "noinc",
    "oob",
    "parity",
    "po",
    "relu",
    "sat",
    "satfinite",
    "shiftamt",
    "shr15",
    "shr7",
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
            modifier::CopyCache,
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
