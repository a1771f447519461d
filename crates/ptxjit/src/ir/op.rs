//! All operations: one table with operands, results and properties.
//!
//! Meaning, where a row does not say it: `fold` (module [`super::fold`](mod@super::fold)) for pure operations, the
//! interpreter for the rest. Shifts take their amount as [`Ty::B32`].

use super::attr::{
    Access, Approx, Attr, BarrierRed, Builtin, DivKind, FloatCmp, FloatMode, IntCmp, Order,
    PrmtMode, ReduxOp, Rmw, Round, Scope, ShflMode, Sign, Space, VoteMode, attr_by_display,
};
use super::function::{Func, LocalSlot, Sig, Signature, Symbol};
use super::special::{Special, Varies};
use super::types::{Float, Int, Ty};
use crate::ir::arena::Arena;
use abi::device_runtime::{Function as RuntimeFunction, Word};
use abi::texture::{Instruction, What};
use std::fmt;

bitflags::bitflags! {
    /// What passes may do with an operation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Props: u16 {
        /// Has an effect beyond its results: never removed, duplicated or moved across other effects.
        const EFFECT = 1;
        /// Reads memory that may change.
        const READS = 2;
        /// May stop the kernel (bad address, misalignment): not speculated.
        const FAULTS = 4;
        /// Depends on which lanes execute it together: not moved across control flow.
        const CONVERGENT = 8;
        /// Gives a different result each time.
        const VOLATILE = 16;
        /// Operands may be exchanged.
        const COMMUTES = 32;
        /// May suspend the warp, or call code that does.
        const SUSPENDS = 64;
    }
}

const NONE: [Ty; 0] = [];
const PURE: Props = Props::empty();
const COMMUTES: Props = Props::COMMUTES;
const READ: Props = Props::READS.union(Props::FAULTS);
const WRITE: Props = Props::EFFECT.union(Props::FAULTS);
const RMW: Props = WRITE.union(Props::READS);
const WARP: Props = Props::CONVERGENT;
const EFFECT: Props = Props::EFFECT;
const BARRIER: Props = Props::EFFECT
    .union(Props::CONVERGENT)
    .union(Props::READS)
    .union(Props::SUSPENDS);
const CALL: Props = BARRIER.union(Props::FAULTS);

macro_rules! ops {
    (
        signatures = $sigs:ident;
        $($(#[$meta:meta])* $name:ident $({ $($field:ident : $fty:ty),* })? = $text:literal
          : $args:expr => $results:expr, $props:expr;)+
    ) => {
        /// An operation with its immediate attributes. Operands and results are in [`super::InstData`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "a field is named for its type; the row's comment says the rest")]
        pub enum Op { $($(#[$meta])* $name $({ $($field: $fty),* })?,)+ }

        #[allow(unused_variables, reason = "each row uses the fields that it needs")]
        impl Op {
            /// The name in dumps.
            #[must_use]
            pub const fn text(&self) -> &'static str {
                match self { $(Self::$name $({ $($field: _),* })? => $text,)+ }
            }

            /// Appends the types of the operands.
            pub fn operand_types(&self, $sigs: &Arena<Sig, Signature>, out: &mut Vec<Ty>) {
                match *self { $(Self::$name $({ $($field),* })? => out.extend($args),)+ }
            }

            /// Appends the types of the results.
            pub fn result_types(&self, $sigs: &Arena<Sig, Signature>, out: &mut Vec<Ty>) {
                match *self { $(Self::$name $({ $($field),* })? => out.extend($results),)+ }
            }

            /// What passes may do with it.
            #[must_use]
            pub fn props(&self) -> Props {
                match *self { $(Self::$name $({ $($field),* })? => $props,)+ }
            }
        }

        impl fmt::Display for Op {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.text())?;
                match self { $(Self::$name $({ $($field),* })? => {
                    $($(Attr::write($field, stringify!($field), f)?;)*)?
                    Ok(())
                })+ }
            }
        }
    };
}

ops! {
    signatures = sigs;

    // Integers.

    /// a + b, wrapping.
    Add { w: Int } = "add": [w.ty(); 2] => [w.ty()], COMMUTES;
    /// a - b, wrapping.
    Sub { w: Int } = "sub": [w.ty(); 2] => [w.ty()], PURE;
    /// Low half of a · b.
    Mul { w: Int } = "mul": [w.ty(); 2] => [w.ty()], COMMUTES;
    /// High half of a · b.
    MulHi { w: Int, sign: Sign } = "mulhi": [w.ty(); 2] => [w.ty()], COMMUTES;
    /// Full a · b, twice as wide (`I16`, `I32`, `I64`).
    MulWide { w: Int, sign: Sign } = "mulwide": [w.ty(); 2] => [w.wide()], COMMUTES;
    /// a + b clamped to the signed range.
    AddSat { w: Int } = "addsat": [w.ty(); 2] => [w.ty()], COMMUTES;
    /// a - b clamped to the signed range.
    SubSat { w: Int } = "subsat": [w.ty(); 2] => [w.ty()], PURE;
    /// a + b + carry → sum, carry out.
    AddCarry { w: Int } = "addc": [w.ty(), w.ty(), Ty::Pred] => [w.ty(), Ty::Pred], PURE;
    /// a - b - borrow → difference, borrow out.
    SubBorrow { w: Int } = "subb": [w.ty(), w.ty(), Ty::Pred] => [w.ty(), Ty::Pred], PURE;
    /// Quotient toward zero. a / 0 is all ones; the smallest signed / -1 is itself.
    Div { w: Int, sign: Sign } = "div": [w.ty(); 2] => [w.ty()], PURE;
    /// Remainder with the dividend's sign. a % 0 is a; the smallest signed % -1 is 0.
    Rem { w: Int, sign: Sign } = "rem": [w.ty(); 2] => [w.ty()], PURE;
    /// |a|; the smallest signed is itself.
    Abs { w: Int } = "abs": [w.ty()] => [w.ty()], PURE;
    /// Smaller.
    Min { w: Int, sign: Sign } = "min": [w.ty(); 2] => [w.ty()], COMMUTES;
    /// Larger.
    Max { w: Int, sign: Sign } = "max": [w.ty(); 2] => [w.ty()], COMMUTES;
    /// Bitwise and.
    And { ty: Ty } = "and": [ty; 2] => [ty], COMMUTES;
    /// Bitwise or.
    Or { ty: Ty } = "or": [ty; 2] => [ty], COMMUTES;
    /// Bitwise exclusive or.
    Xor { ty: Ty } = "xor": [ty; 2] => [ty], COMMUTES;
    /// Bitwise not.
    Not { ty: Ty } = "not": [ty] => [ty], PURE;
    /// Any function of three bits: bit (a<<2|b<<1|c) of `lut`.
    Lop3 { lut: u8 } = "lop3": [Ty::B32; 3] => [Ty::B32], PURE;
    /// a << n; 0 where n >= width.
    Shl { w: Int } = "shl": [w.ty(), Ty::B32] => [w.ty()], PURE;
    /// a >> n; n >= width acts as width (zero, or all sign bits).
    Shr { w: Int, sign: Sign } = "shr": [w.ty(), Ty::B32] => [w.ty()], PURE;
    /// High 32 bits of (b:a) << n, operands a (low), b (high), n; n is taken modulo 32 (`wrap`) or clamped to 32.
    ShfL { wrap: bool } = "shf.l": [Ty::B32; 3] => [Ty::B32], PURE;
    /// Low 32 bits of (b:a) >> n, operands a (low), b (high), n; n modulo 32 (`wrap`) or clamped to 32.
    ShfR { wrap: bool } = "shf.r": [Ty::B32; 3] => [Ty::B32], PURE;
    /// Leading zeros, 0 to width.
    Clz { w: Int } = "clz": [w.ty()] => [Ty::B32], PURE;
    /// Ones.
    Popc { w: Int } = "popc": [w.ty()] => [Ty::B32], PURE;
    /// Bits in reverse order.
    Brev { w: Int } = "brev": [w.ty()] => [w.ty()], PURE;
    /// Bits pos..pos+len of a, operands a, pos, len (pos and len modulo 256), sign- or zero-extended; PTX `bfe`.
    Bfe { w: Int, sign: Sign } = "bfe": [w.ty(), Ty::B32, Ty::B32] => [w.ty()], PURE;
    /// b with its bits pos..pos+len replaced by the low bits of a, operands a, b, pos, len; PTX `bfi`.
    Bfi { w: Int } = "bfi": [w.ty(), w.ty(), Ty::B32, Ty::B32] => [w.ty()], PURE;
    /// Position of the most significant non-sign bit, or its distance from the top (`shiftamt`); 0xffffffff if none.
    Bfind { w: Int, sign: Sign, shiftamt: bool } = "bfind": [w.ty()] => [Ty::B32], PURE;
    /// Position of the n-th set bit from base, operands mask, base, n; 0xffffffff if none; PTX `fns`.
    Fns = "fns": [Ty::B32; 3] => [Ty::B32], PURE;
    /// Bytes picked from (b:a), operands a, b, selector.
    Prmt { mode: PrmtMode } = "prmt": [Ty::B32; 3] => [Ty::B32], PURE;
    /// Mask of `len` ones from `pos`, operands pos, len; PTX `bmsk`.
    Bmsk { wrap: bool } = "bmsk": [Ty::B32; 2] => [Ty::B32], PURE;
    /// a cut to n bits and extended, operands a, n; PTX `szext`.
    Szext { sign: Sign, wrap: bool } = "szext": [Ty::B32; 2] => [Ty::B32], PURE;
    /// c + Σ a.byte[i]·b.byte[i], operands a, b, c; `sa`, `sb` how bytes of a and b are read.
    Dp4a { sa: Sign, sb: Sign } = "dp4a": [Ty::B32; 3] => [Ty::B32], PURE;
    /// c + Σ a.half[i]·b.byte[i (+2 where `hi`)].
    Dp2a { sa: Sign, sb: Sign, hi: bool } = "dp2a": [Ty::B32; 3] => [Ty::B32], PURE;

    // Comparison and choice.

    /// Comparison of integers (scalar).
    ICmp { w: Int, cmp: IntCmp } = "icmp": [w.ty(); 2] => [Ty::Pred], PURE;
    /// Comparison of floats (scalar).
    FCmp { fmt: Float, cmp: FloatCmp, ftz: bool } = "fcmp": [fmt.ty(); 2] => [Ty::Pred], PURE;
    /// p ? a : b.
    Select { ty: Ty } = "select": [Ty::Pred, ty, ty] => [ty], PURE;

    // Width.

    /// Zero extension (from `Pred`, too).
    Zext { from: Ty, to: Ty } = "zext": [from] => [to], PURE;
    /// Sign extension.
    Sext { from: Ty, to: Ty } = "sext": [from] => [to], PURE;
    /// Low bits.
    Trunc { from: Ty, to: Ty } = "trunc": [from] => [to], PURE;
    /// Elements side by side, the first in the lowest bits; `elem` × number of operands = `to`.
    Pack { elem: Ty, to: Ty } = "pack": std::iter::repeat_n(elem, (to.bits() / elem.bits()) as usize) => [to], PURE;
    /// Element number `index` from the lowest bits.
    Extract { from: Ty, to: Ty, index: u8 } = "extract": [from] => [to], PURE;

    // Floating point. NaN results are the canonical NaN of the format (0x7fff, 0x7fffffff); binary64 propagates.

    /// a + b.
    FAdd { fmt: Float, mode: FloatMode } = "fadd": [fmt.ty(); 2] => [fmt.ty()], COMMUTES;
    /// a - b.
    FSub { fmt: Float, mode: FloatMode } = "fsub": [fmt.ty(); 2] => [fmt.ty()], PURE;
    /// a · b.
    FMul { fmt: Float, mode: FloatMode } = "fmul": [fmt.ty(); 2] => [fmt.ty()], COMMUTES;
    /// a · b + c rounded once; `relu`: negative results and NaN become +0 and NaN.
    Fma { fmt: Float, mode: FloatMode, relu: bool } = "fma": [fmt.ty(); 3] => [fmt.ty()], PURE;
    /// a / b, correctly rounded (`F32`, `F64`); `rcp.rnd` is 1 / a.
    FDiv { fmt: Float, mode: FloatMode } = "fdiv": [fmt.ty(); 2] => [fmt.ty()], PURE;
    /// a / b in binary32 within PTX's bound.
    FDivApprox { kind: DivKind, ftz: bool } = "fdiv": [Ty::B32; 2] => [Ty::B32], PURE;
    /// √a, correctly rounded (`F32`, `F64`).
    FSqrt { fmt: Float, mode: FloatMode } = "fsqrt": [fmt.ty()] => [fmt.ty()], PURE;
    /// A function within PTX's bound. For `F64` (`rcp`, `rsqrt`) low mantissa bits are zero as PTX says.
    FApprox { func: Approx, fmt: Float, ftz: bool } = "fapprox": [fmt.ty()] => [fmt.ty()], PURE;
    /// -a; with `ftz` subnormals become zeros. NaN stays (F16, Bf16) or is unspecified.
    FNeg { fmt: Float, ftz: bool } = "fneg": [fmt.ty()] => [fmt.ty()], PURE;
    /// |a|.
    FAbs { fmt: Float, ftz: bool } = "fabs": [fmt.ty()] => [fmt.ty()], PURE;
    /// Smaller; -0 < +0. With one NaN: the other, or with `nan` the canonical NaN. `xorsign`: magnitudes are compared
    /// and the sign is the product's.
    FMin { fmt: Float, ftz: bool, nan: bool, xorsign: bool } = "fmin": [fmt.ty(); 2] => [fmt.ty()], PURE;
    /// Larger; as `FMin`.
    FMax { fmt: Float, ftz: bool, nan: bool, xorsign: bool } = "fmax": [fmt.ty(); 2] => [fmt.ty()], PURE;
    /// To an integral value, `mode.round` as rni, rzi, rmi, rpi.
    FRound { fmt: Float, mode: FloatMode } = "fround": [fmt.ty()] => [fmt.ty()], PURE;
    /// From one scalar format to another. `satfinite`: beyond the range becomes the largest finite value; `relu` as Fma.
    FCvt { from: Float, to: Float, mode: FloatMode, relu: bool, satfinite: bool } = "fcvt": [from.ty()] => [to.ty()], PURE;
    /// Integer to float.
    IToF { w: Int, sign: Sign, to: Float, mode: FloatMode } = "itof": [w.ty()] => [to.ty()], PURE;
    /// Float to integer, clamped to the range; NaN is 0, but 1 << (width - 1) where either side has 64 bits.
    FToI { from: Float, w: Int, sign: Sign, round: Round, ftz: bool } = "ftoi": [from.ty()] => [w.ty()], PURE;

    // Addresses.

    /// Address of a global or const variable.
    GlobalAddr { symbol: Symbol } = "globaladdr": NONE => [Ty::B64], PURE;
    /// Address of a slot of this function's frame, in the local space.
    LocalAddr { slot: LocalSlot } = "localaddr": NONE => [Ty::B32], PURE;
    /// Generic address of an address in `space` (shared, local, param).
    ToGeneric { space: Space } = "togeneric": [Ty::B32] => [Ty::B64], PURE;
    /// Address in `space` (shared, local, param) of a generic address in it.
    FromGeneric { space: Space } = "fromgeneric": [Ty::B64] => [Ty::B32], PURE;
    /// Whether a generic address lies in `space`.
    IsSpace { space: Space } = "isspace": [Ty::B64] => [Ty::Pred], PURE;
    /// Space in the frame, operand bytes, until the function returns or `StackRestore`; a local address.
    Alloca { align: u32 } = "alloca": [Ty::B32] => [Ty::B32], EFFECT;
    /// The frame's height.
    StackSave = "stacksave": NONE => [Ty::B32], EFFECT;
    /// Back to an earlier height.
    StackRestore = "stackrestore": [Ty::B32] => NONE, EFFECT;

    // Memory.

    /// Operand address; results are the elements.
    Load { access: Access } = "load": [access.space.address()] => std::iter::repeat_n(access.elem, usize::from(access.lanes)),
        if access.order == Order::Weak { if access.invariant { Props::FAULTS } else { READ } } else { RMW };
    /// Operands address, elements.
    Store { access: Access } = "store": std::iter::once(access.space.address()).chain(std::iter::repeat_n(access.elem, usize::from(access.lanes))) => NONE, WRITE;
    /// Operands address, b, and c for `Cas`; the result is what was in memory.
    Atom { rmw: Rmw, access: Access } = "atom":
        std::iter::once(access.space.address()).chain(std::iter::repeat_n(access.elem, 1 + usize::from(rmw.is_cas()))) => [access.elem], RMW;
    /// `Atom` without a result.
    Red { rmw: Rmw, access: Access } = "red":
        std::iter::once(access.space.address()).chain(std::iter::repeat_n(access.elem, 1 + usize::from(rmw.is_cas()))) => NONE, RMW;
    /// Memory fence.
    Fence { order: Order, scope: Scope } = "fence": NONE => NONE, RMW.difference(Props::FAULTS);

    // Warp. Operand `members` names the lanes that take part; the executing lanes do.

    /// Operands value, lane or distance, clamp-and-segment word, members → value, whether the source was in range.
    Shfl { mode: ShflMode } = "shfl": [Ty::B32; 4] => [Ty::B32, Ty::Pred], WARP;
    /// Operands predicate, members.
    Vote { mode: VoteMode } = "vote": [Ty::Pred, Ty::B32] => [Ty::Pred], WARP;
    /// Operands predicate, members → a bit for each.
    Ballot = "ballot": [Ty::Pred, Ty::B32] => [Ty::B32], WARP;
    /// Operands value, members → the lanes with an equal value.
    MatchAny { ty: Ty } = "match.any": [ty, Ty::B32] => [Ty::B32], WARP;
    /// Operands value, members → the members if all values are equal, else 0; whether they are.
    MatchAll { ty: Ty } = "match.all": [ty, Ty::B32] => [Ty::B32, Ty::Pred], WARP;
    /// The lanes that execute this together.
    ActiveMask = "activemask": NONE => [Ty::B32], WARP;
    /// Operands value, members.
    Redux { op: ReduxOp } = "redux": [Ty::B32; 2] => [Ty::B32], WARP;
    /// Operand members → the elected lane, whether it is this one.
    Elect = "elect": [Ty::B32] => [Ty::B32, Ty::Pred], WARP;
    /// Operand members: waits for them; orders their memory accesses.
    WarpSync = "warpsync": [Ty::B32] => NONE, RMW.difference(Props::FAULTS).union(WARP);

    // Block.

    /// `bar.sync`: operands barrier number, threads (0 = all). `aligned`: all threads of the warp execute it together.
    Barrier { aligned: bool } = "barrier": [Ty::B32; 2] => NONE, BARRIER;
    /// `bar.arrive`: as Barrier, without waiting.
    BarrierArrive { aligned: bool } = "barrier.arrive": [Ty::B32; 2] => NONE, BARRIER;
    /// `bar.red`: operands barrier number, threads, predicate → count, or 0 or 1.
    BarrierRed { op: BarrierRed, aligned: bool } = "barrier.red": [Ty::B32, Ty::B32, Ty::Pred] => [Ty::B32], BARRIER;

    // Textures and surfaces.

    /// An access by the texture unit: operands object, then the words of `access`.
    Texture { access: Instruction } = "texture":
        std::iter::once(Ty::B64).chain(std::iter::repeat_n(Ty::B32, access.arguments() as usize)) => std::iter::repeat_n(Ty::B32, access.results() as usize),
        match access.what { What::Store => WRITE, What::Reduce => RMW, _ => READ };

    // The rest.

    /// A special register.
    Special { reg: Special } = "special": NONE => [reg.ty()],
        if matches!(reg.varies(), Varies::Time) { Props::VOLATILE.union(Props::EFFECT) } else { PURE };
    /// Waits for about operand nanoseconds.
    Nanosleep = "nanosleep": [Ty::B32] => NONE, EFFECT.union(Props::SUSPENDS);
    /// A call of a function of this module. Calls through an address are lowered to comparisons with the addresses of
    /// the functions that can be meant (`ptx::layout::function_address`) and direct calls.
    Call { func: Func, sig: Sig } = "call": sigs[sig].params.iter().copied() => sigs[sig].results.iter().copied(), CALL;
    /// A function that the driver supplies.
    CallBuiltin { builtin: Builtin } = "builtin": builtin.params().iter().copied() => builtin.results().iter().copied(), CALL;
    /// Arrives at the cluster's barrier, or waits for it.
    ClusterBarrier { wait: bool } = "barrier.cluster": NONE => NONE, BARRIER;
    /// A function of the device runtime.
    CallRuntime { function: RuntimeFunction } = "runtime": function.params().iter().copied().map(word) => [word(function.result())], CALL;
}

/// The type of a word of the device runtime's.
pub const fn word(word: Word) -> Ty {
    match word {
        Word::W32 => Ty::B32,
        Word::W64 => Ty::B64,
    }
}

impl Builtin {
    /// Types of the arguments.
    #[must_use]
    pub const fn params(self) -> &'static [Ty] {
        match self {
            Self::Vprintf => &[Ty::B64, Ty::B64],
            Self::Assertfail => &[Ty::B64, Ty::B64, Ty::B32, Ty::B64, Ty::B64],
            Self::Malloc | Self::Free => &[Ty::B64],
        }
    }

    /// Types of the results.
    #[must_use]
    pub const fn results(self) -> &'static [Ty] {
        match self {
            Self::Vprintf => &[Ty::B32],
            Self::Malloc => &[Ty::B64],
            Self::Assertfail | Self::Free => &[],
        }
    }
}

attr_by_display!(Func, LocalSlot, RuntimeFunction, Sig, Symbol);
