//! The instructions: one row each, from which come the opcode's spelling, its struct of modifiers
//! and the function that fills it (PTX ISA 9.0, chapter 9.7).
//!
//! Modifiers may stand in any order, as ptxas has it, except that of two slots of one type the
//! first in the row is filled first (`cvt.f32.s32`: destination, then source).

use crate::checked::{FunctionId, Operand, PrototypeId, TargetListId};
use crate::modifier::*;
use crate::types::{ScalarType, StateSpace, VectorWidth};
use crate::video::Video;

/// Why an instruction's modifiers do not make one of its variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModifierError {
    /// The modifier at this index fits no free slot.
    Unexpected(usize),
    /// A required modifier (the type of this name) is missing.
    Missing(&'static str),
}

/// Type of a field: `= "text"` is a flag, `? T` optional, `: T` required.
macro_rules! field_type {
    (= $text:tt) => { bool };
    (? $ty:tt) => { Option<$ty> };
    (: $ty:tt) => { $ty };
}

/// State of a field while its row's modifiers are read.
macro_rules! field_start {
    (= $text:tt) => {
        false
    };
    (? $ty:tt) => {
        None::<$ty>
    };
    (: $ty:tt) => {
        None::<$ty>
    };
}

/// Whether a modifier fills a field that is still free.
macro_rules! field_take {
    ($slot:ident, $text:ident, = $flag:tt) => {
        !$slot && $text == $flag && {
            $slot = true;
            true
        }
    };
    ($slot:ident, $text:ident, $kind:tt $ty:tt) => {
        $slot.is_none() && {
            $slot = $ty::from_text($text);
            $slot.is_some()
        }
    };
}

/// The field's final value.
macro_rules! field_done {
    ($slot:ident, : $ty:tt) => {
        $slot.ok_or(ModifierError::Missing(stringify!($ty)))?
    };
    ($slot:ident, $kind:tt $ty:tt) => {
        $slot
    };
}

macro_rules! instructions {
    ($($(#[$meta:meta])* $name:ident $key:literal { $($field:ident $kind:tt $spec:tt),* $(,)? })+) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $name {
                $(
                    #[doc = concat!("Modifier ", stringify!($spec), ".")]
                    pub $field: field_type!($kind $spec),
                )*
            }

            impl $name {
                fn from_modifiers(modifiers: &[&str]) -> Result<Self, ModifierError> {
                    $(#[allow(unused_mut, reason = "depends on the row")] let mut $field = field_start!($kind $spec);)*
                    for (index, modifier) in modifiers.iter().enumerate() {
                        let _text: &str = modifier;
                        $(if field_take!($field, _text, $kind $spec) { continue; })*
                        return Err(ModifierError::Unexpected(index));
                    }
                    Ok(Self { $($field: field_done!($field, $kind $spec),)* })
                }
            }
        )+

        /// An instruction with its modifiers.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Kind {
            $($(#[$meta])* $name($name),)+
            /// Direct or indirect call. `dsts` receive the results, `srcs` are the arguments.
            Call(Call),
            /// A video instruction: `{d, a, b{, c}}`
            Video(Video),
            /// An instruction that is known to PTX and not typed here, with all its parts.
            Other(Other),
        }

        impl Kind {
            /// The opcode, with the dotted part that makes it an instruction of its own.
            #[must_use]
            pub fn opcode(&self) -> &str {
                match self {
                    $(Self::$name(_) => $key,)+
                    Self::Call(_) => "call",
                    Self::Video(video) => video.name,
                    Self::Other(other) => &other.opcode,
                }
            }

            /// The typed instruction with this key, from the modifiers that follow the key.
            /// `None`: there is no row with this key.
            pub(crate) fn from_key(key: &str, modifiers: &[&str]) -> Option<Result<Self, ModifierError>> {
                Some(match key {
                    $($key => $name::from_modifiers(modifiers).map(Self::$name),)+
                    _ => return None,
                })
            }
        }

        /// Whether there is a row with this key.
        pub(crate) fn has_key(key: &str) -> bool {
            matches!(key, $($key)|+)
        }
    };
}

instructions! {
    // Integer and floating-point arithmetic. `aty` is the type of `a` and `b` in the
    // mixed-precision forms (`add.f32.f16 d, a, c`).

    /// `d = a + b`
    Add "add" { rnd ? Rounding, ftz = "ftz", sat = "sat", cc = "cc", ty : ScalarType, aty ? ScalarType }
    /// `d = a + b + CC`
    AddC "addc" { cc = "cc", ty : ScalarType }
    /// `d = a - b`
    Sub "sub" { rnd ? Rounding, ftz = "ftz", sat = "sat", cc = "cc", ty : ScalarType, aty ? ScalarType }
    /// `d = a - (b + CC)`
    SubC "subc" { cc = "cc", ty : ScalarType }
    /// `d = a * b`
    Mul "mul" { half ? MulHalf, rnd ? Rounding, ftz = "ftz", sat = "sat", ty : ScalarType }
    /// `d = a * b + c`; floating-point: like `fma`
    Mad "mad" { half ? MulHalf, rnd ? Rounding, ftz = "ftz", sat = "sat", cc = "cc", ty : ScalarType }
    /// `d = a * b + c + CC`
    MadC "madc" { half : MulHalf, cc = "cc", ty : ScalarType }
    /// `d = a * b` of 24-bit values
    Mul24 "mul24" { half : MulHalf, ty : ScalarType }
    /// `d = a * b + c` of 24-bit values
    Mad24 "mad24" { half : MulHalf, sat = "sat", ty : ScalarType }
    /// `d = c + |a - b|`
    Sad "sad" { ty : ScalarType }
    /// `d = a / b`
    Div "div" { precision ? DivPrecision, rnd ? Rounding, ftz = "ftz", ty : ScalarType }
    /// `d = a % b`
    Rem "rem" { ty : ScalarType }
    /// `d = |a|`
    Abs "abs" { ftz = "ftz", ty : ScalarType }
    /// `d = -a`
    Neg "neg" { ftz = "ftz", ty : ScalarType }
    /// `d = min(a, b{, c})`
    Min "min" { ftz = "ftz", nan = "NaN", xorsign = "xorsign", abs = "abs", relu = "relu", ty : ScalarType }
    /// `d = max(a, b{, c})`
    Max "max" { ftz = "ftz", nan = "NaN", xorsign = "xorsign", abs = "abs", relu = "relu", ty : ScalarType }
    /// Number of ones: `.u32` result
    Popc "popc" { ty : ScalarType }
    /// Number of leading zeros: `.u32` result
    Clz "clz" { ty : ScalarType }
    /// Most significant non-sign bit: `.u32` result
    Bfind "bfind" { shiftamt = "shiftamt", ty : ScalarType }
    /// The n-th set bit: `d, mask, base, offset`
    Fns "fns" { ty : ScalarType }
    /// Bits reversed
    Brev "brev" { ty : ScalarType }
    /// Bit field: `d, a, position, length`
    Bfe "bfe" { ty : ScalarType }
    /// Bit field insert: `f, a, b, position, length`
    Bfi "bfi" { ty : ScalarType }
    /// Sign- or zero-extend from a bit: `d, a, position`
    Szext "szext" { mode : ClampWrap, ty : ScalarType }
    /// Bit mask: `d, position, length`
    Bmsk "bmsk" { mode : ClampWrap, ty : ScalarType }
    /// Four-way dot product: `d, a, b, c`
    Dp4a "dp4a" { aty : ScalarType, bty : ScalarType }
    /// Two-way dot product: `d, a, b, c`
    Dp2a "dp2a" { half : Half, aty : ScalarType, bty : ScalarType }

    // Floating point.

    /// Property of a number: predicate result
    Testp "testp" { op : TestpOp, ty : ScalarType }
    /// Sign of `a`, magnitude of `b`
    Copysign "copysign" { ty : ScalarType }
    /// `d = a * b + c`, rounded once
    Fma "fma" { rnd ? Rounding, ftz = "ftz", sat = "sat", oob = "oob", relu = "relu", ty : ScalarType, aty ? ScalarType }
    /// `d = 1 / a`
    Rcp "rcp" { approx = "approx", rnd ? Rounding, ftz = "ftz", ty : ScalarType }
    /// Square root
    Sqrt "sqrt" { approx = "approx", rnd ? Rounding, ftz = "ftz", ty : ScalarType }
    /// `d = 1 / sqrt(a)`
    Rsqrt "rsqrt" { approx = "approx", ftz = "ftz", ty : ScalarType }
    /// Sine
    Sin "sin" { approx = "approx", ftz = "ftz", ty : ScalarType }
    /// Cosine
    Cos "cos" { approx = "approx", ftz = "ftz", ty : ScalarType }
    /// Binary logarithm
    Lg2 "lg2" { approx = "approx", ftz = "ftz", ty : ScalarType }
    /// Power of two
    Ex2 "ex2" { approx = "approx", ftz = "ftz", ty : ScalarType }
    /// Hyperbolic tangent
    Tanh "tanh" { approx = "approx", ty : ScalarType }

    // Comparison and selection.

    /// Comparison with a numeric result: `d, a, b{, {!}c}`
    Set "set" { cmp : CmpOp, bool_op ? BoolOp, ftz = "ftz", dty : ScalarType, sty : ScalarType }
    /// Comparison with a predicate result: `p{|q}, a, b{, {!}c}`
    Setp "setp" { cmp : CmpOp, bool_op ? BoolOp, ftz = "ftz", ty : ScalarType }
    /// `d = p ? a : b`: `d, a, b, p`
    Selp "selp" { ty : ScalarType }
    /// `d = c >= 0 ? a : b`: `d, a, b, c`
    Slct "slct" { ftz = "ftz", dty : ScalarType, cty : ScalarType }

    // Logic and shifts.

    /// `d = a & b`
    And "and" { ty : ScalarType }
    /// `d = a | b`
    Or "or" { ty : ScalarType }
    /// `d = a ^ b`
    Xor "xor" { ty : ScalarType }
    /// `d = ~a`
    Not "not" { ty : ScalarType }
    /// `d = a == 0 ? 1 : 0`
    Cnot "cnot" { ty : ScalarType }
    /// Any function of three inputs: `d, a, b, c, table`, with `bool_op` `d|p, a, b, c, table, q`
    Lop3 "lop3" { bool_op ? BoolOp, ty : ScalarType }
    /// Funnel shift: `d, a, b, c`
    Shf "shf" { direction : ShiftDirection, mode : ClampWrap, ty : ScalarType }
    /// `d = a << b`
    Shl "shl" { ty : ScalarType }
    /// `d = a >> b`
    Shr "shr" { ty : ScalarType }

    // Data movement.

    /// Copy, pack, unpack, or address of a variable or function
    Mov "mov" { ty : ScalarType }
    /// Exchange within a warp: `d{|p}, a, b, c{, membermask}`
    Shfl "shfl" { sync = "sync", mode : ShflMode, ty : ScalarType }
    /// Byte permute: `d, a, b, selector`
    Prmt "prmt" { ty : ScalarType, mode ? PrmtMode }
    /// Load: `d, [a]{.unified}{, cache-policy}`
    Ld "ld" {
        order ? MemoryOrder, mmio = "mmio", scope ? Scope, space ? StateSpace, nc = "nc", cache ? LoadCache,
        l1 ? L1Eviction, l2 ? L2Eviction, hint = "L2::cache_hint", prefetch ? PrefetchSize,
        unified = "unified", vector ? VectorWidth, ty : ScalarType,
    }
    /// Load that is the same in all threads: `d, [a]`
    Ldu "ldu" { space ? StateSpace, vector ? VectorWidth, ty : ScalarType }
    /// Store: `[a], b{, cache-policy}`
    St "st" {
        order ? MemoryOrder, mmio = "mmio", scope ? Scope, space ? StateSpace, cache ? StoreCache,
        l1 ? L1Eviction, l2 ? L2Eviction, hint = "L2::cache_hint", vector ? VectorWidth, ty : ScalarType,
    }
    /// Bring a line into a cache: `[a]`
    Prefetch "prefetch" { space ? StateSpace, level ? CacheLevel, l2 ? L2Eviction, tensormap = "tensormap" }
    /// Bring a line into the uniform cache: `[a]`
    Prefetchu "prefetchu" { level : CacheLevel }
    /// Change a line's eviction priority: `[a], size`
    ApplyPriority "applypriority" { space ? StateSpace, priority : L2Eviction }
    /// Drop a line without writing it back: `[a], size`
    Discard "discard" { space ? StateSpace, level : CacheLevel }
    /// Make a cache policy: `d{, …}`
    CreatePolicy "createpolicy" {
        form : PolicyForm, space ? StateSpace, l2 = "L2", primary ? L2Eviction, secondary ? L2Eviction, ty : ScalarType,
    }
    /// Whether a generic address lies in a space: `p, a`
    Isspacep "isspacep" { space : StateSpace }
    /// Between generic and specific addresses: `d, a`
    Cvta "cvta" { to = "to", space : StateSpace, ty : ScalarType }
    /// Conversion: `d, a{, b{, …}}`
    Cvt "cvt" {
        rnd ? CvtRounding, ftz = "ftz", sat = "sat", satfinite = "satfinite", relu = "relu",
        scaled = "scaled::n2::ue8m0", dty : ScalarType, sty : ScalarType,
    }
    /// Two integers into one register: `d, a, b{, c}`
    CvtPack "cvt.pack" { sat = "sat", dty : ScalarType, sty : ScalarType, cty ? ScalarType }
    /// Address of the same variable in another block of the cluster: `d, a, b`
    Mapa "mapa" { space ? StateSpace, ty : ScalarType }
    /// Rank of the block that an address belongs to: `d, a`
    GetCtaRank "getctarank" { space ? StateSpace, ty : ScalarType }

    // Synchronization and communication.

    /// Block barrier (`bar` is `barrier` with `.aligned`): `{d,} a{, b}{, {!}c}`
    Barrier "barrier" { cta = "cta", op : BarrierOp, reduction ? BarrierReduction, aligned = "aligned", ty ? ScalarType }
    /// Warp barrier: `membermask`
    BarWarp "bar.warp" { sync = "sync" }
    /// Cluster barrier
    BarrierCluster "barrier.cluster" { op : ClusterBarrierOp, order ? MemoryOrder, aligned = "aligned" }
    /// Memory barrier, old style
    Membar "membar" { level : MembarLevel }
    /// Memory fence
    Fence "fence" { mbarrier_init = "mbarrier_init", order ? FenceOrder, restrict ? SyncRestrict, scope ? Scope }
    /// Fence between proxies: `{[a], size}`
    FenceProxy "fence.proxy" { proxy : ProxyKind, order ? FenceOrder, restrict ? SyncRestrict, scope ? Scope }
    /// Atomic with result: `d, [a], b{, c}{, cache-policy}`
    Atom "atom" {
        order ? MemoryOrder, scope ? Scope, space ? StateSpace, op : AtomOp, noftz = "noftz",
        hint = "L2::cache_hint", vector ? VectorWidth, ty : ScalarType,
    }
    /// Atomic without result: `[a], b{, cache-policy}`
    Red "red" {
        order ? MemoryOrder, scope ? Scope, space ? StateSpace, op : AtomOp, noftz = "noftz",
        hint = "L2::cache_hint", vector ? VectorWidth, ty : ScalarType,
    }
    /// Vote of a warp: `d, {!}a{, membermask}`
    Vote "vote" { sync = "sync", mode : VoteMode, ty : ScalarType }
    /// Lanes with the same value: `d{|p}, a, membermask`
    Match "match" { mode : MatchMode, sync = "sync", ty : ScalarType }
    /// Mask of active lanes: `d`
    ActiveMask "activemask" { ty : ScalarType }
    /// Reduction over a warp: `d, a, membermask`
    Redux "redux" { sync = "sync", op : ReduxOp, abs = "abs", nan = "NaN", ty : ScalarType }
    /// One lane of the warp: `d|p, membermask`
    Elect "elect" { sync = "sync" }
    /// Programmatic dependent launch
    GridDepControl "griddepcontrol" { op : GridDepOp }

    // Asynchronous copies that threads make, and barriers in shared memory.

    /// Copy to shared memory: `[dst], [src], size{, bytes to read | whether to read none}{, cache-policy}`
    CpAsync "cp.async" {
        cache : CopyCache, to : StateSpace, from : StateSpace, hint = "L2::cache_hint", prefetch ? PrefetchSize,
    }
    /// End of a group of copies
    CpAsyncCommit "cp.async.commit_group" {}
    /// Wait for all but the last groups: `groups`
    CpAsyncWait "cp.async.wait_group" {}
    /// Wait for all copies
    CpAsyncWaitAll "cp.async.wait_all" {}
    /// Arrival when the thread's copies are done: `[a]`
    CpAsyncArrive "cp.async.mbarrier.arrive" { noinc = "noinc", space ? StateSpace, ty : ScalarType }
    /// Make a barrier: `[a], count`
    MbarrierInit "mbarrier.init" { space ? StateSpace, ty : ScalarType }
    /// End a barrier: `[a]`
    MbarrierInval "mbarrier.inval" { space ? StateSpace, ty : ScalarType }
    /// More bytes to come: `[a], bytes`
    MbarrierExpectTx "mbarrier.expect_tx" { order ? MemoryOrder, scope ? Scope, space ? StateSpace, ty : ScalarType }
    /// Bytes that came: `[a], bytes`
    MbarrierCompleteTx "mbarrier.complete_tx" { order ? MemoryOrder, scope ? Scope, space ? StateSpace, ty : ScalarType }
    /// Arrival: `state, [a]{, count or bytes}`
    MbarrierArrive "mbarrier.arrive" {
        expect_tx = "expect_tx", no_complete = "noComplete", order ? MemoryOrder, scope ? Scope, space ? StateSpace,
        ty : ScalarType,
    }
    /// Arrival, and one fewer is expected from now on: `state, [a]{, count or bytes}`
    MbarrierArriveDrop "mbarrier.arrive_drop" {
        expect_tx = "expect_tx", no_complete = "noComplete", order ? MemoryOrder, scope ? Scope, space ? StateSpace,
        ty : ScalarType,
    }
    /// Whether a phase is complete: `p, [a], state or parity`
    MbarrierTestWait "mbarrier.test_wait" {
        parity = "parity", order ? MemoryOrder, scope ? Scope, space ? StateSpace, ty : ScalarType,
    }
    /// As `test_wait`, and may wait for a while: `p, [a], state or parity{, nanoseconds}`
    MbarrierTryWait "mbarrier.try_wait" {
        parity = "parity", order ? MemoryOrder, scope ? Scope, space ? StateSpace, ty : ScalarType,
    }
    /// Arrivals that were missing in a state: `d, state`
    MbarrierPendingCount "mbarrier.pending_count" { ty : ScalarType }

    // Control flow.

    /// Branch: `label`
    Bra "bra" { uni = "uni" }
    /// Branch through a table: `index, table`
    Brx "brx" { idx = "idx", uni = "uni" }
    /// Return from a function; in a kernel, exit
    Ret "ret" { uni = "uni" }
    /// End of the thread
    Exit "exit" {}

    // The rest.

    /// Abort with a launch failure
    Trap "trap" {}
    /// Breakpoint
    Brkpt "brkpt" {}
    /// Sleep: `nanoseconds`
    Nanosleep "nanosleep" { ty : ScalarType }
    /// Trigger performance events: `a`
    Pmevent "pmevent" { mask = "mask" }
    /// Stack memory: `ptr, size{, align}`
    Alloca "alloca" { ty : ScalarType }
    /// Stack pointer out: `d`
    StackSave "stacksave" { ty : ScalarType }
    /// Stack pointer in: `a`
    StackRestore "stackrestore" { ty : ScalarType }
}

/// `call{.uni} (results), target, (arguments);`
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// All threads of the warp call the same function.
    pub uni: bool,
    /// What is called.
    pub target: CallTarget,
}

/// What a call goes to.
#[derive(Clone, Debug, PartialEq)]
pub enum CallTarget {
    /// A function by name.
    Direct(FunctionId),
    /// Through a register (or a constant), with the signature that holds.
    Indirect {
        /// Holds the function's address.
        pointer: Operand,
        /// The signature.
        signature: IndirectSignature,
    },
}

/// Where an indirect call's signature comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndirectSignature {
    /// `.callprototype`
    Prototype(PrototypeId),
    /// `.calltargets`: these functions and no others.
    Targets(TargetListId),
}

/// An instruction of PTX that has no row: its opcode and modifiers as written.
///
/// Its operands are all in `srcs`, also those that it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The opcode before the first dot.
    pub opcode: String,
    /// The modifiers without dots.
    pub modifiers: Vec<String>,
}

impl Other {
    /// The whole spelling: `mma.sync.aligned.…`
    #[must_use]
    pub fn spelling(&self) -> String {
        let mut text = self.opcode.clone();
        for modifier in &self.modifiers {
            text.push('.');
            text.push_str(modifier);
        }
        text
    }
}
