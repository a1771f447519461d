//! The dot-suffixes that select an instruction's variant, as enums (PTX ISA 9.0, chapter 9.7).

use crate::spelling::spelled;

spelled! {
    /// Floating-point rounding of arithmetic.
    pub enum Rounding {
        /// To nearest, ties to even:
        Rn = "rn",
        /// Towards zero:
        Rz = "rz",
        /// Towards minus infinity:
        Rm = "rm",
        /// Towards plus infinity:
        Rp = "rp",
    }
}

spelled! {
    /// Rounding of a conversion.
    pub enum CvtRounding {
        /// To nearest, ties to even:
        Rn = "rn",
        /// To nearest, ties away from zero:
        Rna = "rna",
        /// Towards zero:
        Rz = "rz",
        /// Towards minus infinity:
        Rm = "rm",
        /// Towards plus infinity:
        Rp = "rp",
        /// Stochastic, bits from an operand:
        Rs = "rs",
        /// To an integral value, to nearest, ties to even:
        Rni = "rni",
        /// To an integral value, towards zero:
        Rzi = "rzi",
        /// To an integral value, towards minus infinity:
        Rmi = "rmi",
        /// To an integral value, towards plus infinity:
        Rpi = "rpi",
    }
}

spelled! {
    /// Which half of a product is wanted.
    pub enum MulHalf {
        /// The upper half:
        Hi = "hi",
        /// The lower half:
        Lo = "lo",
        /// The whole product, twice as wide:
        Wide = "wide",
    }
}

spelled! {
    /// Which half of a register: `dp2a`.
    pub enum Half {
        Lo = "lo",
        Hi = "hi",
    }
}

spelled! {
    /// How exact a division is, where it is not rounded.
    pub enum DivPrecision {
        /// At most 2 ulp for |b| in [2^-126, 2^126]:
        Approx = "approx",
        /// At most 2 ulp over the full range:
        Full = "full",
    }
}

spelled! {
    /// What happens to a count that is too large.
    pub enum ClampWrap {
        /// It is clamped:
        Clamp = "clamp",
        /// It is taken modulo the width:
        Wrap = "wrap",
    }
}

spelled! {
    /// What `testp` asks.
    pub enum TestpOp {
        Finite = "finite",
        Infinite = "infinite",
        Number = "number",
        NotANumber = "notanumber",
        Normal = "normal",
        Subnormal = "subnormal",
    }
}

spelled! {
    /// A comparison.
    pub enum CmpOp {
        Eq = "eq",
        Ne = "ne",
        Lt = "lt",
        Le = "le",
        Gt = "gt",
        Ge = "ge",
        /// Unsigned less:
        Lo = "lo",
        /// Unsigned less or equal:
        Ls = "ls",
        /// Unsigned greater:
        Hi = "hi",
        /// Unsigned greater or equal:
        Hs = "hs",
        /// Equal or unordered:
        Equ = "equ",
        /// Not equal or unordered:
        Neu = "neu",
        /// Less or unordered:
        Ltu = "ltu",
        /// Less, equal or unordered:
        Leu = "leu",
        /// Greater or unordered:
        Gtu = "gtu",
        /// Greater, equal or unordered:
        Geu = "geu",
        /// Both are numbers:
        Num = "num",
        /// One is a NaN:
        Nan = "nan",
    }
}

spelled! {
    /// How a comparison is combined with a predicate.
    pub enum BoolOp {
        And = "and",
        Or = "or",
        Xor = "xor",
    }
}

spelled! {
    /// Direction of a funnel shift.
    pub enum ShiftDirection {
        Left = "l",
        Right = "r",
    }
}

spelled! {
    /// Where `shfl` reads.
    pub enum ShflMode {
        Up = "up",
        Down = "down",
        Bfly = "bfly",
        Idx = "idx",
    }
}

spelled! {
    /// Modes of `prmt` other than by selector.
    pub enum PrmtMode {
        F4e = "f4e",
        B4e = "b4e",
        Rc8 = "rc8",
        Ecl = "ecl",
        Ecr = "ecr",
        Rc16 = "rc16",
    }
}

spelled! {
    /// Memory ordering of an access.
    pub enum MemoryOrder {
        /// No synchronization:
        Weak = "weak",
        /// Relaxed at system scope, never merged:
        Volatile = "volatile",
        Relaxed = "relaxed",
        Acquire = "acquire",
        Release = "release",
        AcqRel = "acq_rel",
    }
}

spelled! {
    /// Ordering of a fence.
    pub enum FenceOrder {
        /// Sequentially consistent:
        Sc = "sc",
        AcqRel = "acq_rel",
        Acquire = "acquire",
        Release = "release",
    }
}

spelled! {
    /// Threads that an ordering concerns.
    pub enum Scope {
        Cta = "cta",
        Cluster = "cluster",
        Gpu = "gpu",
        Sys = "sys",
    }
}

spelled! {
    /// Caching of a load.
    pub enum LoadCache {
        Ca = "ca",
        Cg = "cg",
        Cs = "cs",
        Lu = "lu",
        Cv = "cv",
    }
}

spelled! {
    /// Caching of a store.
    pub enum StoreCache {
        Wb = "wb",
        Cg = "cg",
        Cs = "cs",
        Wt = "wt",
    }
}

spelled! {
    /// Eviction priority in the first-level cache.
    pub enum L1Eviction {
        Normal = "L1::evict_normal",
        Unchanged = "L1::evict_unchanged",
        First = "L1::evict_first",
        Last = "L1::evict_last",
        NoAllocate = "L1::no_allocate",
    }
}

spelled! {
    /// Eviction priority in the second-level cache.
    pub enum L2Eviction {
        Normal = "L2::evict_normal",
        Unchanged = "L2::evict_unchanged",
        First = "L2::evict_first",
        Last = "L2::evict_last",
    }
}

spelled! {
    /// Bytes to bring into the second-level cache.
    pub enum PrefetchSize {
        B64 = "L2::64B",
        B128 = "L2::128B",
        B256 = "L2::256B",
    }
}

spelled! {
    /// A cache level.
    pub enum CacheLevel {
        L1 = "L1",
        L2 = "L2",
    }
}

spelled! {
    /// Caching of an asynchronous copy.
    pub enum CopyCache {
        /// In all levels:
        Ca = "ca",
        /// In L2 only:
        Cg = "cg",
    }
}

spelled! {
    /// What `atom` and `red` do to memory.
    pub enum AtomOp {
        And = "and",
        Or = "or",
        Xor = "xor",
        Cas = "cas",
        Exch = "exch",
        Add = "add",
        Inc = "inc",
        Dec = "dec",
        Min = "min",
        Max = "max",
    }
}

spelled! {
    /// What `redux.sync` computes over the warp.
    pub enum ReduxOp {
        Add = "add",
        Min = "min",
        Max = "max",
        And = "and",
        Or = "or",
        Xor = "xor",
    }
}

spelled! {
    /// What `vote` asks of the warp.
    pub enum VoteMode {
        All = "all",
        Any = "any",
        Uni = "uni",
        Ballot = "ballot",
    }
}

spelled! {
    /// Which lanes `match.sync` finds.
    pub enum MatchMode {
        Any = "any",
        All = "all",
    }
}

spelled! {
    /// What a barrier instruction does.
    pub enum BarrierOp {
        /// Arrive and wait:
        Sync = "sync",
        /// Arrive only:
        Arrive = "arrive",
        /// Arrive, wait and reduce a predicate:
        Red = "red",
    }
}

spelled! {
    /// Reduction at a barrier.
    pub enum BarrierReduction {
        Popc = "popc",
        And = "and",
        Or = "or",
    }
}

spelled! {
    /// What a cluster barrier instruction does.
    pub enum ClusterBarrierOp {
        Arrive = "arrive",
        Wait = "wait",
    }
}

spelled! {
    /// Scope of `membar`.
    pub enum MembarLevel {
        Cta = "cta",
        Gl = "gl",
        Sys = "sys",
    }
}

spelled! {
    /// Which proxies `fence.proxy` orders.
    pub enum ProxyKind {
        Alias = "alias",
        Async = "async",
        AsyncGlobal = "async.global",
        AsyncSharedCta = "async.shared::cta",
        AsyncSharedCluster = "async.shared::cluster",
        AsyncGeneric = "async::generic",
        TensormapGeneric = "tensormap::generic",
    }
}

spelled! {
    /// Restriction of a fence to synchronization through one space.
    pub enum SyncRestrict {
        SharedCta = "sync_restrict::shared::cta",
        SharedCluster = "sync_restrict::shared::cluster",
    }
}

spelled! {
    /// What `griddepcontrol` does.
    pub enum GridDepOp {
        LaunchDependents = "launch_dependents",
        Wait = "wait",
    }
}

spelled! {
    /// Form of `createpolicy`.
    pub enum PolicyForm {
        Fractional = "fractional",
        Range = "range",
        Cvt = "cvt",
    }
}
