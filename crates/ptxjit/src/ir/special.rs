//! Special registers (PTX ISA 9.0, chapter 10).

use super::attr::{Attr, attr_by_display};
use super::types::Ty;
use std::fmt;

/// How a special register varies over the threads that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Varies {
    /// The same for the whole grid (or launch).
    Grid,
    /// The same for all threads of a block.
    Block,
    /// The same for all lanes of a warp.
    Warp,
    /// Differs by lane.
    Lane,
    /// Differs at each reading (uniform over the warp).
    Time,
}

macro_rules! specials {
    ($($(#[$meta:meta])* $name:ident = $text:literal : $ty:ident, $varies:ident;)+) => {
        /// A special register. One-dimensional names carry the component: `TidX` is `%tid.x`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Special { $($(#[$meta])* #[doc = concat!("`", $text, "`")] $name,)+
            /// `%envregN`
            EnvReg(u8),
        }

        impl Special {
            /// All but the environment registers.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Width of the register as PTX defines it.
            #[must_use]
            pub const fn ty(self) -> Ty {
                match self { $(Self::$name => Ty::$ty,)+ Self::EnvReg(_) => Ty::B32 }
            }

            /// How it varies.
            #[must_use]
            pub const fn varies(self) -> Varies {
                match self { $(Self::$name => Varies::$varies,)+ Self::EnvReg(_) => Varies::Grid }
            }

            /// The register with this name and component (`%tid.x`, `%laneid`, `%envreg3`).
            #[must_use]
            pub fn from_text(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$name),)+
                    other => {
                        let number = other.strip_prefix("%envreg")?.parse::<u8>().ok()?;
                        (number < 32).then_some(Self::EnvReg(number))
                    }
                }
            }
        }

        impl fmt::Display for Special {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name => f.write_str($text),)+
                    Self::EnvReg(n) => write!(f, "%envreg{n}"),
                }
            }
        }
    };
}

specials! {
    TidX = "%tid.x": B32, Lane;
    TidY = "%tid.y": B32, Lane;
    TidZ = "%tid.z": B32, Lane;
    NTidX = "%ntid.x": B32, Grid;
    NTidY = "%ntid.y": B32, Grid;
    NTidZ = "%ntid.z": B32, Grid;
    LaneId = "%laneid": B32, Lane;
    WarpId = "%warpid": B32, Warp;
    NWarpId = "%nwarpid": B32, Grid;
    CtaIdX = "%ctaid.x": B32, Block;
    CtaIdY = "%ctaid.y": B32, Block;
    CtaIdZ = "%ctaid.z": B32, Block;
    NCtaIdX = "%nctaid.x": B32, Grid;
    NCtaIdY = "%nctaid.y": B32, Grid;
    NCtaIdZ = "%nctaid.z": B32, Grid;
    SmId = "%smid": B32, Block;
    NSmId = "%nsmid": B32, Grid;
    GridId = "%gridid": B64, Grid;
    IsExplicitCluster = "%is_explicit_cluster": Pred, Grid;
    ClusterIdX = "%clusterid.x": B32, Block;
    ClusterIdY = "%clusterid.y": B32, Block;
    ClusterIdZ = "%clusterid.z": B32, Block;
    NClusterIdX = "%nclusterid.x": B32, Grid;
    NClusterIdY = "%nclusterid.y": B32, Grid;
    NClusterIdZ = "%nclusterid.z": B32, Grid;
    ClusterCtaIdX = "%cluster_ctaid.x": B32, Block;
    ClusterCtaIdY = "%cluster_ctaid.y": B32, Block;
    ClusterCtaIdZ = "%cluster_ctaid.z": B32, Block;
    ClusterNCtaIdX = "%cluster_nctaid.x": B32, Grid;
    ClusterNCtaIdY = "%cluster_nctaid.y": B32, Grid;
    ClusterNCtaIdZ = "%cluster_nctaid.z": B32, Grid;
    ClusterCtaRank = "%cluster_ctarank": B32, Block;
    ClusterNCtaRank = "%cluster_nctarank": B32, Grid;
    LaneMaskEq = "%lanemask_eq": B32, Lane;
    LaneMaskLe = "%lanemask_le": B32, Lane;
    LaneMaskLt = "%lanemask_lt": B32, Lane;
    LaneMaskGe = "%lanemask_ge": B32, Lane;
    LaneMaskGt = "%lanemask_gt": B32, Lane;
    Clock = "%clock": B32, Time;
    ClockHi = "%clock_hi": B32, Time;
    Clock64 = "%clock64": B64, Time;
    GlobalTimer = "%globaltimer": B64, Time;
    GlobalTimerLo = "%globaltimer_lo": B32, Time;
    GlobalTimerHi = "%globaltimer_hi": B32, Time;
    ReservedSmemBegin = "%reserved_smem_offset_begin": B32, Grid;
    ReservedSmemSecond = "%reserved_smem_offset_1": B32, Grid;
    ReservedSmemEnd = "%reserved_smem_offset_end": B32, Grid;
    ReservedSmemCap = "%reserved_smem_offset_cap": B32, Grid;
    TotalSmemSize = "%total_smem_size": B32, Grid;
    AggrSmemSize = "%aggr_smem_size": B32, Grid;
    DynamicSmemSize = "%dynamic_smem_size": B32, Grid;
    CurrentGraphExec = "%current_graph_exec": B64, Grid;
    Pm0 = "%pm0": B32, Time;
    Pm1 = "%pm1": B32, Time;
    Pm2 = "%pm2": B32, Time;
    Pm3 = "%pm3": B32, Time;
    Pm4 = "%pm4": B32, Time;
    Pm5 = "%pm5": B32, Time;
    Pm6 = "%pm6": B32, Time;
    Pm7 = "%pm7": B32, Time;
}

attr_by_display!(Special);
