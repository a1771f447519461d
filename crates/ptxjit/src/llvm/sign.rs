//! What is known of the signs of numbers from how they are made: sums of squares and the small constant that guards them
//! against zero, as before a reciprocal root.

use crate::ir::{Approx, Float, Function, Op, Value};

/// Operations to look through.
const DEPTH: u32 = 6;
/// Bits of the least normal `f32`, and of infinity.
const NORMAL: std::ops::Range<u64> = 0x0080_0000..0x7f80_0000;

/// Whether a `f32` is a positive normal number, infinity or NaN, whatever the inputs are.
pub(super) fn is_positive(f: &Function, value: Value) -> bool {
    positive(f, value, DEPTH)
}

fn positive(f: &Function, value: Value, depth: u32) -> bool {
    if let Some(bits) = f.as_const(value) {
        return NORMAL.contains(&bits);
    }
    let Some((op, args)) = operation(f, value).filter(|_| depth > 0) else {
        return false;
    };
    let (is, least) = (
        |v: Value| positive(f, v, depth - 1),
        |v: Value| not_negative(f, v, depth - 1),
    );
    match op {
        Op::FAdd {
            fmt: Float::F32,
            mode,
        } => !mode.sat && (is(args[0]) && least(args[1]) || least(args[0]) && is(args[1])),
        Op::Fma {
            fmt: Float::F32,
            mode,
            relu: false,
        } => {
            let product = args[0] == args[1] || least(args[0]) && least(args[1]);
            !mode.sat && is(args[2]) && product
        }
        Op::FMax {
            fmt: Float::F32,
            xorsign: false,
            ..
        } => of_maximum(f, args, NORMAL, is),
        _ => false,
    }
}

/// Whether a maximum is what `is` says of both arguments: one alone decides only if it is a number, here a constant of
/// `range`, because of a number and NaN the maximum is the number.
fn of_maximum(
    f: &Function,
    args: &[Value],
    range: std::ops::Range<u64>,
    is: impl Fn(Value) -> bool,
) -> bool {
    let sure = |&v: &Value| f.as_const(v).is_some_and(|bits| range.contains(&bits));
    args.iter().any(sure) || args.iter().all(|&v| is(v))
}

/// Whether a `f32` is no less than zero, or NaN.
fn not_negative(f: &Function, value: Value, depth: u32) -> bool {
    if let Some(bits) = f.as_const(value) {
        return bits < NORMAL.end || bits == 0x8000_0000;
    }
    let Some((op, args)) = operation(f, value).filter(|_| depth > 0) else {
        return false;
    };
    let least = |v: Value| not_negative(f, v, depth - 1);
    let product = |a: Value, b: Value| a == b || least(a) && least(b);
    match op {
        Op::FMul {
            fmt: Float::F32, ..
        } => product(args[0], args[1]),
        Op::Fma {
            fmt: Float::F32, ..
        } => product(args[0], args[1]) && least(args[2]),
        Op::FAdd {
            fmt: Float::F32, ..
        } => least(args[0]) && least(args[1]),
        Op::FMax {
            fmt: Float::F32,
            xorsign: false,
            ..
        } => of_maximum(f, args, 0..NORMAL.end, least),
        Op::FAbs {
            fmt: Float::F32, ..
        }
        | Op::FSqrt {
            fmt: Float::F32, ..
        } => true,
        Op::FApprox {
            func: Approx::Sqrt | Approx::Ex2,
            fmt: Float::F32,
            ..
        } => true,
        _ => false,
    }
}

/// The instruction that makes a value, whether lanes run it or not.
fn operation(f: &Function, value: Value) -> Option<(Op, &[Value])> {
    let inst = f.def_inst(value)?;
    let data = &f.insts[inst];
    data.guard.is_none().then(|| (data.op, f.args(inst)))
}
