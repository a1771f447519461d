//! Special registers (PTX ISA 9.0, chapter 10).

use crate::types::ScalarType;

macro_rules! special {
    ($($(#[$meta:meta])* $name:ident = $text:literal : $ty:ident $lanes:literal,)+) => {
        /// A special register.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SpecialRegister {
            $($(#[$meta])* #[doc = concat!("`%", $text, "`")] $name,)+
            /// `%pm0` … `%pm7`: performance counters.
            Pm(u8),
            /// `%pm0_64` … `%pm7_64`
            Pm64(u8),
            /// `%envreg0` … `%envreg31`
            EnvReg(u8),
            /// `%reserved_smem_offset_0`, `%reserved_smem_offset_1`
            ReservedSmemOffset(u8),
        }

        impl SpecialRegister {
            /// The register with this name (with its `%`).
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name.strip_prefix('%')? {
                    $($text => Some(Self::$name),)+
                    numbered => Self::numbered(numbered),
                }
            }

            /// Type of a component.
            #[must_use]
            pub fn ty(self) -> ScalarType {
                match self {
                    $(Self::$name => ScalarType::$ty,)+
                    Self::Pm64(_) => ScalarType::U64,
                    Self::Pm(_) | Self::ReservedSmemOffset(_) => ScalarType::U32,
                    Self::EnvReg(_) => ScalarType::B32,
                }
            }

            /// Components: 1, or 4 (`.x`, `.y`, `.z`, `.w`).
            #[must_use]
            pub fn lanes(self) -> u32 {
                match self {
                    $(Self::$name => $lanes,)+
                    Self::Pm(_) | Self::Pm64(_) | Self::EnvReg(_) | Self::ReservedSmemOffset(_) => 1,
                }
            }
        }
    };
}

special! {
    Tid = "tid": U32 4,
    NTid = "ntid": U32 4,
    LaneId = "laneid": U32 1,
    WarpId = "warpid": U32 1,
    NWarpId = "nwarpid": U32 1,
    CtaId = "ctaid": U32 4,
    NCtaId = "nctaid": U32 4,
    SmId = "smid": U32 1,
    NSmId = "nsmid": U32 1,
    GridId = "gridid": U64 1,
    IsExplicitCluster = "is_explicit_cluster": Pred 1,
    ClusterId = "clusterid": U32 4,
    NClusterId = "nclusterid": U32 4,
    ClusterCtaId = "cluster_ctaid": U32 4,
    ClusterNCtaId = "cluster_nctaid": U32 4,
    ClusterCtaRank = "cluster_ctarank": U32 1,
    ClusterNCtaRank = "cluster_nctarank": U32 1,
    LaneMaskEq = "lanemask_eq": U32 1,
    LaneMaskLe = "lanemask_le": U32 1,
    LaneMaskLt = "lanemask_lt": U32 1,
    LaneMaskGe = "lanemask_ge": U32 1,
    LaneMaskGt = "lanemask_gt": U32 1,
    Clock = "clock": U32 1,
    ClockHi = "clock_hi": U32 1,
    Clock64 = "clock64": U64 1,
    GlobalTimer = "globaltimer": U64 1,
    GlobalTimerLo = "globaltimer_lo": U32 1,
    GlobalTimerHi = "globaltimer_hi": U32 1,
    ReservedSmemOffsetBegin = "reserved_smem_offset_begin": U32 1,
    ReservedSmemOffsetEnd = "reserved_smem_offset_end": U32 1,
    ReservedSmemOffsetCap = "reserved_smem_offset_cap": U32 1,
    TotalSmemSize = "total_smem_size": U32 1,
    AggrSmemSize = "aggr_smem_size": U32 1,
    DynamicSmemSize = "dynamic_smem_size": U32 1,
    CurrentGraphExec = "current_graph_exec": U64 1,
}

impl SpecialRegister {
    fn numbered(name: &str) -> Option<Self> {
        let number = |text: &str, limit: u8| -> Option<u8> {
            let plain = text == "0" || !text.starts_with('0');
            let value: u8 = text.parse().ok()?;
            (plain && value < limit).then_some(value)
        };
        if let Some(rest) = name.strip_prefix("envreg") {
            return number(rest, 32).map(Self::EnvReg);
        }
        if let Some(rest) = name.strip_prefix("reserved_smem_offset_") {
            return number(rest, 2).map(Self::ReservedSmemOffset);
        }
        let rest = name.strip_prefix("pm")?;
        match rest.strip_suffix("_64") {
            Some(rest) => number(rest, 8).map(Self::Pm64),
            None => number(rest, 8).map(Self::Pm),
        }
    }
}
