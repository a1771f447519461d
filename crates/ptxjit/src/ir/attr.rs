//! Immediate attributes of operations: rounding, comparison, memory order and the like.

use super::types::Ty;
use std::fmt;

/// How an attribute is printed after an operation's name.
pub trait Attr {
    /// Writes `.text`, or nothing for the default.
    ///
    /// # Errors
    /// When the sink fails.
    fn write(&self, field: &str, f: &mut dyn fmt::Write) -> fmt::Result;
}

impl Attr for bool {
    fn write(&self, field: &str, f: &mut dyn fmt::Write) -> fmt::Result {
        if *self { write!(f, ".{field}") } else { Ok(()) }
    }
}

impl Attr for u8 {
    fn write(&self, field: &str, f: &mut dyn fmt::Write) -> fmt::Result {
        write!(f, ".{field}{self}")
    }
}

impl Attr for u32 {
    fn write(&self, field: &str, f: &mut dyn fmt::Write) -> fmt::Result {
        write!(f, ".{field}{self}")
    }
}

impl Attr for abi::texture::Instruction {
    fn write(&self, _: &str, f: &mut dyn fmt::Write) -> fmt::Result {
        write!(
            f,
            ".{:?}.{:?}.{:#x}",
            self.what,
            self.geometry,
            self.encode()
        )
    }
}

impl<T: Attr> Attr for Option<T> {
    fn write(&self, field: &str, f: &mut dyn fmt::Write) -> fmt::Result {
        self.as_ref().map_or(Ok(()), |inner| inner.write(field, f))
    }
}

macro_rules! attr_by_display {
    ($($ty:ty),+ $(,)?) => { $(
        impl Attr for $ty {
            fn write(&self, _: &str, f: &mut dyn fmt::Write) -> fmt::Result {
                write!(f, ".{self}")
            }
        }
    )+ };
}
pub(crate) use attr_by_display;

attr_by_display!(super::types::Ty, super::types::Int, super::types::Float);

/// Declares attribute enums with one spelling per value.
macro_rules! attributes {
    ($($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)+ })+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// All values, in the order declared.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The spelling in dumps.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.text())
            }
        }

        impl Attr for $name {
            fn write(&self, _: &str, f: &mut dyn fmt::Write) -> fmt::Result {
                write!(f, ".{}", self.text())
            }
        }
    )+ };
}

attributes! {
    /// Rounding direction.
    Round {
        /// To nearest, ties to even.
        Nearest = "rn",
        /// Toward zero.
        Zero = "rz",
        /// Toward minus infinity.
        Down = "rm",
        /// Toward plus infinity.
        Up = "rp",
        /// To nearest, ties away from zero (`cvt.rna.tf32.f32` only).
        NearestAway = "rna",
    }

    /// How an integer is read.
    Sign {
        /// Two's complement.
        Signed = "s",
        /// Unsigned.
        Unsigned = "u",
    }

    /// Integer comparison.
    IntCmp {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Signed less.
        Slt = "slt",
        /// Signed less or equal.
        Sle = "sle",
        /// Signed greater.
        Sgt = "sgt",
        /// Signed greater or equal.
        Sge = "sge",
        /// Unsigned less.
        Ult = "ult",
        /// Unsigned less or equal.
        Ule = "ule",
        /// Unsigned greater.
        Ugt = "ugt",
        /// Unsigned greater or equal.
        Uge = "uge",
    }

    /// Floating-point comparison; the second half is true when an operand is NaN.
    FloatCmp {
        /// Ordered and equal.
        Eq = "eq",
        /// Ordered and not equal.
        Ne = "ne",
        /// Ordered and less.
        Lt = "lt",
        /// Ordered and less or equal.
        Le = "le",
        /// Ordered and greater.
        Gt = "gt",
        /// Ordered and greater or equal.
        Ge = "ge",
        /// Equal or unordered.
        Equ = "equ",
        /// Not equal or unordered.
        Neu = "neu",
        /// Less or unordered.
        Ltu = "ltu",
        /// Less, equal or unordered.
        Leu = "leu",
        /// Greater or unordered.
        Gtu = "gtu",
        /// Greater, equal or unordered.
        Geu = "geu",
        /// Both are numbers.
        Num = "num",
        /// One is NaN.
        Nan = "nan",
    }

    /// Functions that PTX defines with an error bound only (`.approx`). The reference is the correctly rounded result.
    Approx {
        /// `rcp.approx`
        Rcp = "rcp",
        /// `sqrt.approx`
        Sqrt = "sqrt",
        /// `rsqrt.approx`
        Rsqrt = "rsqrt",
        /// `ex2.approx`
        Ex2 = "ex2",
        /// `lg2.approx`
        Lg2 = "lg2",
        /// `sin.approx`
        Sin = "sin",
        /// `cos.approx`
        Cos = "cos",
        /// `tanh.approx`
        Tanh = "tanh",
    }

    /// Which `div` without correct rounding.
    DivKind {
        /// `div.approx.f32`: 2 ulp for |b| in [2⁻¹²⁶, 2¹²⁶]; 0 beyond (infinity / large: NaN).
        Approx = "approx",
        /// `div.full.f32`: 2 ulp over the full range.
        Full = "full",
    }

    /// State space of an access.
    Space {
        /// A host address that may be in any window.
        Generic = "generic",
        /// Global memory.
        Global = "global",
        /// Constant memory: addressed as global memory, never written by the kernel.
        Const = "const",
        /// The block's shared window.
        Shared = "shared",
        /// The thread's frame.
        Local = "local",
        /// The kernel's parameters.
        Param = "param",
    }

    /// Memory order of an access or fence (PTX ISA 9.0, 8.4).
    Order {
        /// No order; the access may be combined, moved and widened.
        Weak = "weak",
        /// As relaxed, and never removed or combined.
        Volatile = "volatile",
        /// Morally strong, no order.
        Relaxed = "relaxed",
        /// Memory-mapped I/O: relaxed at system scope, exactly once.
        Mmio = "mmio",
        /// Acquire.
        Acquire = "acquire",
        /// Release.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
        /// Sequentially consistent (fences only).
        SeqCst = "sc",
    }

    /// Who an ordered access is ordered for.
    Scope {
        /// Threads of the block.
        Cta = "cta",
        /// Threads of the cluster.
        Cluster = "cluster",
        /// Threads of the device.
        Gpu = "gpu",
        /// All threads, the host's too.
        Sys = "sys",
    }

    /// Lane exchange.
    ShflMode {
        /// From a lower lane.
        Up = "up",
        /// From a higher lane.
        Down = "down",
        /// From the lane with these bits flipped.
        Bfly = "bfly",
        /// From this lane.
        Idx = "idx",
    }

    /// What a vote asks.
    VoteMode {
        /// All predicates are true.
        All = "all",
        /// One is true.
        Any = "any",
        /// All are equal.
        Uni = "uni",
    }

    /// Warp-wide reduction (`redux.sync`).
    ReduxOp {
        /// Wrapping sum.
        Add = "add",
        /// Signed minimum.
        Smin = "smin",
        /// Signed maximum.
        Smax = "smax",
        /// Unsigned minimum.
        Umin = "umin",
        /// Unsigned maximum.
        Umax = "umax",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// binary32 minimum, NaN loses.
        Fmin = "fmin",
        /// binary32 maximum, NaN loses.
        Fmax = "fmax",
        /// binary32 minimum of magnitudes, NaN loses.
        FminAbs = "fmin_abs",
        /// binary32 maximum of magnitudes, NaN loses.
        FmaxAbs = "fmax_abs",
        /// binary32 minimum, NaN wins.
        FminNan = "fmin_nan",
        /// binary32 maximum, NaN wins.
        FmaxNan = "fmax_nan",
        /// binary32 minimum of magnitudes, NaN wins.
        FminAbsNan = "fmin_abs_nan",
        /// binary32 maximum of magnitudes, NaN wins.
        FmaxAbsNan = "fmax_abs_nan",
    }

    /// What an atomic does with memory `m` and operand `b`. The width is the operation's.
    Rmw {
        /// m & b
        And = "and",
        /// m | b
        Or = "or",
        /// m ^ b
        Xor = "xor",
        /// b
        Exch = "exch",
        /// m == b ? c : m
        Cas = "cas",
        /// m + b, wrapping
        Add = "add",
        /// m >= b ? 0 : m + 1
        Inc = "inc",
        /// m == 0 || m > b ? b : m - 1
        Dec = "dec",
        /// Signed minimum.
        Smin = "smin",
        /// Signed maximum.
        Smax = "smax",
        /// Unsigned minimum.
        Umin = "umin",
        /// Unsigned maximum.
        Umax = "umax",
        /// binary32 sum, round to nearest; in global memory and by generic address subnormals are flushed to zero.
        AddF32 = "add.f32",
        /// binary64 sum, round to nearest.
        AddF64 = "add.f64",
        /// binary16 sum, subnormals kept.
        AddF16 = "add.f16",
        /// Two binary16 sums (each atomic).
        AddF16x2 = "add.f16x2",
        /// bfloat16 sum, subnormals kept.
        AddBf16 = "add.bf16",
        /// Two bfloat16 sums (each atomic).
        AddBf16x2 = "add.bf16x2",
        /// binary16 minimum.
        MinF16 = "min.f16",
        /// binary16 maximum.
        MaxF16 = "max.f16",
        /// Two binary16 minima.
        MinF16x2 = "min.f16x2",
        /// Two binary16 maxima.
        MaxF16x2 = "max.f16x2",
        /// bfloat16 minimum.
        MinBf16 = "min.bf16",
        /// bfloat16 maximum.
        MaxBf16 = "max.bf16",
        /// Two bfloat16 minima.
        MinBf16x2 = "min.bf16x2",
        /// Two bfloat16 maxima.
        MaxBf16x2 = "max.bf16x2",
        /// A barrier in shared memory (64 bits): `b` has the arrivals in bits 0..20, those that are dropped for good in
        /// 20..40, and the bytes that are added to what is still to come in 40..61; see [`Rmw::mbarrier`].
        Mbarrier = "mbarrier",
    }

    /// What `bar.red` computes over the block.
    BarrierRed {
        /// How many predicates are true.
        Popc = "popc",
        /// Whether all are (0 or 1).
        And = "and",
        /// Whether one is (0 or 1).
        Or = "or",
    }

    /// `prmt` modes.
    PrmtMode {
        /// Selectors in nibbles.
        Index = "idx",
        /// Forward 4 extract.
        F4e = "f4e",
        /// Backward 4 extract.
        B4e = "b4e",
        /// Replicate 8.
        Rc8 = "rc8",
        /// Edge clamp left.
        Ecl = "ecl",
        /// Edge clamp right.
        Ecr = "ecr",
        /// Replicate 16.
        Rc16 = "rc16",
    }

    /// Functions that the driver supplies to device code.
    Builtin {
        /// `vprintf(format, args) -> int`: generic addresses.
        Vprintf = "vprintf",
        /// `__assertfail(message, file, line, function, charsize)`
        Assertfail = "__assertfail",
        /// `malloc(bytes) -> address`
        Malloc = "malloc",
        /// `free(address)`
        Free = "free",
    }

    /// Why a thread stops the grid.
    TrapKind {
        /// `trap`
        Trap = "trap",
        /// `brkpt`
        Breakpoint = "brkpt",
        /// A call through an address that is no function's.
        InvalidPc = "invalid_pc",
    }
}

impl IntCmp {
    /// The comparison that holds where this one does not.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Slt => Self::Sge,
            Self::Sle => Self::Sgt,
            Self::Sgt => Self::Sle,
            Self::Sge => Self::Slt,
            Self::Ult => Self::Uge,
            Self::Ule => Self::Ugt,
            Self::Ugt => Self::Ule,
            Self::Uge => Self::Ult,
        }
    }

    /// The comparison that says the same of exchanged operands.
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            Self::Eq => Self::Eq,
            Self::Ne => Self::Ne,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
        }
    }
}

impl Space {
    /// Type of an address in this space.
    #[must_use]
    pub const fn address(self) -> Ty {
        match self {
            Self::Generic | Self::Global | Self::Const => Ty::B64,
            Self::Shared | Self::Local | Self::Param => Ty::B32,
        }
    }
}

impl Rmw {
    /// Whether it takes a second operand (`cas`).
    #[must_use]
    pub const fn is_cas(self) -> bool {
        matches!(self, Self::Cas)
    }

    /// What [`Rmw::Mbarrier`] makes of memory `m` and operand `b`. In memory: arrivals that the phase waits for in bits
    /// 0..20, those that every phase waits for in 20..40, bytes to come in 40..61, the phase's number in 61..64. When
    /// neither arrivals nor bytes are missing, the next phase begins.
    #[must_use]
    pub const fn mbarrier(m: u64, b: u64) -> u64 {
        const ARRIVALS: u64 = (1 << 20) - 1;
        const BYTES: u64 = (1 << 21) - 1;
        let pending = (m & ARRIVALS).wrapping_sub(b & ARRIVALS) & ARRIVALS;
        let expected = (m >> 20 & ARRIVALS).wrapping_sub(b >> 20 & ARRIVALS) & ARRIVALS;
        let bytes = ((m >> 40) + (b >> 40)) & BYTES;
        let phase = m >> 61;
        if pending == 0 && bytes == 0 {
            expected | expected << 20 | (phase + 1) << 61
        } else {
            pending | expected << 20 | bytes << 40 | phase << 61
        }
    }
}

/// Rounding, flushing and saturation of a floating-point operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatMode {
    /// Direction.
    pub round: Round,
    /// Subnormal inputs and results become zeros of the same sign.
    pub ftz: bool,
    /// The result is clamped to [0, 1], NaN to +0.
    pub sat: bool,
}

impl FloatMode {
    /// Round to nearest even, subnormals kept.
    pub const NEAREST: Self = Self {
        round: Round::Nearest,
        ftz: false,
        sat: false,
    };
}

impl Attr for FloatMode {
    fn write(&self, _: &str, f: &mut dyn fmt::Write) -> fmt::Result {
        write!(f, ".{}", self.round)?;
        self.ftz.write("ftz", f)?;
        self.sat.write("sat", f)
    }
}

/// What a memory access touches and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Where.
    pub space: Space,
    /// Type of one element.
    pub elem: Ty,
    /// Elements: 1, 2, 4 or 8. The whole access is aligned to its size.
    pub lanes: u8,
    /// Added to the address, bytes.
    pub offset: i32,
    /// Memory order.
    pub order: Order,
    /// Scope of the order; meaningless where it is weak.
    pub scope: Scope,
    /// What is read does not change while the grid runs (`ld.global.nc`, `ldu`, const, param).
    pub invariant: bool,
}

impl Access {
    /// A weak access to one element.
    #[must_use]
    pub const fn weak(space: Space, elem: Ty) -> Self {
        Self {
            space,
            elem,
            lanes: 1,
            offset: 0,
            order: Order::Weak,
            scope: Scope::Cta,
            invariant: false,
        }
    }

    /// Bytes that a lane touches.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        self.elem.bytes() * self.lanes as u32
    }
}

impl Attr for Access {
    fn write(&self, _: &str, f: &mut dyn fmt::Write) -> fmt::Result {
        write!(f, ".{}", self.space)?;
        if self.invariant {
            f.write_str(".nc")?;
        }
        if self.order != Order::Weak {
            write!(f, ".{}", self.order)?;
            if self.order != Order::Volatile {
                write!(f, ".{}", self.scope)?;
            }
        }
        if self.lanes > 1 {
            write!(f, ".v{}", self.lanes)?;
        }
        write!(f, ".{}", self.elem)?;
        if self.offset != 0 {
            write!(f, ".{:+}", self.offset)?;
        }
        Ok(())
    }
}
