//! Functions that PTX gives an error bound for, over binary32: a sample of the inputs, or with `ANTLERITE_SWEEP=full`
//! (`cargo xtask sweep`) all 2³² of them; and the exact ones against correctly rounded results.
//!
//! The reference is binary64, whose error is far below every bound. Bounds: PTX ISA 9.0, 9.7.3.
#![expect(
    clippy::cast_possible_truncation,
    reason = "inputs are enumerated as 32-bit patterns"
)]

use ptxjit::compile::{Request, compile};
use ptxjit::testing::{Dims, End, launch, load};
use std::collections::HashMap;

/// How far a result may be from the reference.
#[derive(Clone, Copy)]
enum Bound {
    /// The correctly rounded result itself.
    Exact,
    /// Units in the last place of the reference.
    Ulp(f64),
    /// Relative error.
    Relative(f64),
    /// Absolute error, for inputs up to a magnitude; no bound beyond.
    Absolute(f64, f64),
    /// Absolute error for inputs in (0.5, 2), relative elsewhere: `lg2`.
    Logarithm(f64),
}

struct Function {
    instruction: &'static str,
    reference: fn(f64) -> f64,
    bound: Bound,
}

const TAU: f64 = std::f64::consts::TAU;

fn functions() -> Vec<Function> {
    let f = |instruction, reference, bound| Function {
        instruction,
        reference,
        bound,
    };
    let relative = |bits: f64| Bound::Relative((-bits).exp2());
    let mut all: Vec<Function> = Vec::new();
    let rcp: fn(f64) -> f64 = |x| 1.0 / x;
    let rsqrt: fn(f64) -> f64 = |x| 1.0 / x.sqrt();
    all.push(f("rcp.approx.f32", rcp, Bound::Ulp(1.0)));
    all.push(f("rcp.approx.ftz.f32", rcp, Bound::Ulp(1.0)));
    all.push(f("sqrt.approx.f32", f64::sqrt, relative(23.0)));
    all.push(f("sqrt.approx.ftz.f32", f64::sqrt, relative(23.0)));
    all.push(f("rsqrt.approx.f32", rsqrt, relative(22.9)));
    all.push(f("rsqrt.approx.ftz.f32", rsqrt, relative(22.9)));
    let near = Bound::Absolute((-20.5f64).exp2(), TAU);
    all.push(f("sin.approx.f32", f64::sin, near));
    all.push(f("sin.approx.ftz.f32", f64::sin, near));
    all.push(f("cos.approx.f32", f64::cos, near));
    all.push(f("cos.approx.ftz.f32", f64::cos, near));
    let logarithm = Bound::Logarithm((-22f64).exp2());
    all.push(f("lg2.approx.f32", f64::log2, logarithm));
    all.push(f("lg2.approx.ftz.f32", f64::log2, logarithm));
    all.push(f("ex2.approx.f32", f64::exp2, relative(22.5)));
    all.push(f("ex2.approx.ftz.f32", f64::exp2, relative(22.5)));
    all.push(f("tanh.approx.f32", f64::tanh, relative(11.0)));
    all.push(f("rcp.rn.f32", rcp, Bound::Exact));
    all.push(f("sqrt.rn.f32", f64::sqrt, Bound::Exact));
    all.push(f("rcp.rn.ftz.f32", rcp, Bound::Exact));
    all.push(f("sqrt.rn.ftz.f32", f64::sqrt, Bound::Exact));
    all
}

fn flush(x: f32, ftz: bool) -> f32 {
    if ftz && x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}

/// How much of the bound the result takes; above 1 it is wrong.
fn share(function: &Function, input: f32, result: f32) -> f64 {
    let ftz = function.instruction.contains(".ftz");
    let exact = (function.reference)(f64::from(flush(input, ftz)));
    let rounded = flush(exact as f32, ftz);
    if exact.is_nan() || rounded.is_infinite() || rounded == 0.0 {
        // NaN, infinities and zeros with their signs; what is on the edge may be the number beside them.
        let same = result.to_bits() == rounded.to_bits() || result.is_nan() && exact.is_nan();
        let edge = exact.is_finite() && !matches!(function.bound, Bound::Exact);
        let beside = rounded.is_infinite() && result.abs() >= f32::MAX
            || rounded == 0.0 && result.abs() <= f32::MIN_POSITIVE;
        return if same || (edge && beside) {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let error = (f64::from(result) - exact).abs();
    let unit = f64::from(f32::from_bits(rounded.abs().to_bits() + 1)) - f64::from(rounded.abs());
    // Beneath the normal range nothing is finer than a unit; flushed results may be zero there.
    let floor = if rounded.is_subnormal() { unit } else { 0.0 };
    if ftz && result == 0.0 && exact.abs() <= f64::from(f32::MIN_POSITIVE) {
        return 0.0;
    }
    match function.bound {
        Bound::Exact => f64::from(u8::from(result.to_bits() != rounded.to_bits())) * 2.0,
        Bound::Ulp(ulp) => error / (ulp * unit),
        Bound::Relative(bound) => error / (bound * exact.abs()).max(floor),
        Bound::Absolute(_, limit) if f64::from(input).abs() > limit => 0.0,
        Bound::Absolute(bound, _) => error / bound,
        Bound::Logarithm(bound) => {
            let middle = input > 0.5 && input < 2.0;
            error / if middle { bound } else { bound * exact.abs() }
        }
    }
}

/// Inputs of one launch.
const BATCH: u64 = 1 << 16;

fn judge(function: &Function, isa: u32, stride: u64) -> Result<f64, String> {
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 p_out, .param .u32 p_first, .param .u32 p_stride)\n{{\n\
         .reg .b64 %out, %w;\n.reg .b32 %i, %b, %x, %first, %stride;\n.reg .f32 %f;\n\
         ld.param.u64 %out, [p_out];\nld.param.u32 %first, [p_first];\nld.param.u32 %stride, [p_stride];\n\
         mov.u32 %i, %tid.x;\nmov.u32 %b, %ctaid.x;\nmad.lo.u32 %i, %b, 256, %i;\n\
         mad.lo.u32 %x, %i, %stride, %first;\nmov.b32 %f, %x;\n{} %f, %f;\n\
         mul.wide.u32 %w, %i, 4;\nadd.u64 %out, %out, %w;\nst.global.f32 [%out], %f;\nret;\n}}\n",
        function.instruction
    );
    let request = Request {
        ptx: &ptx,
        isa,
        kernel: None,
        block: [256, 1, 1],
        opt_level: 4,
        cc: 90,
        flags: 0,
        max_ptx_version: 0,
    };
    let cubin = compile(&request).map_err(|error| error.to_string())?.cubin;
    let kernel = load(&cubin.kernels[0], &HashMap::new())?;
    let mut out = vec![0f32; BATCH as usize];
    let mut worst = 0f64;
    let mut first = 0u64;
    while first < 1 << 32 {
        let count = BATCH
            .min(((1u64 << 32) - first).div_ceil(stride))
            .next_multiple_of(256);
        let mut params = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
        params.extend((first as u32).to_le_bytes());
        params.extend((stride as u32).to_le_bytes());
        let dims = Dims {
            grid: [(count / 256) as u32, 1, 1],
            block: [256, 1, 1],
            dynamic_shared: 0,
        };
        if !matches!(launch(&kernel, dims, &params), End::Done(_)) {
            return Err("the kernel stopped".to_owned());
        }
        for (n, &result) in (0u64..).zip(&out[..count as usize]) {
            let input = f32::from_bits((first + n * stride) as u32);
            let share = share(function, input, result);
            if share > 1.0 || share.is_nan() {
                return Err(format!(
                    "of {input:e} ({:#010x}) is {result:e} ({:#010x}), {share} of the bound",
                    input.to_bits(),
                    result.to_bits()
                ));
            }
            worst = worst.max(share);
        }
        first += count * stride;
    }
    Ok(worst)
}

#[test]
fn functions_are_within_their_bounds() {
    let full = std::env::var("ANTLERITE_SWEEP").is_ok_and(|text| text == "full");
    let stride = if full { 1 } else { 200_003 };
    let avx2 = abi::sm::isa::SSE4 | abi::sm::isa::AVX2;
    let mut failures = Vec::new();
    for function in functions() {
        for (name, isa) in [("sse4", abi::sm::isa::SSE4), ("avx2", avx2)] {
            match judge(&function, isa, stride) {
                Ok(worst) => eprintln!(
                    "{:20} {name}: {:.0} inputs, at most {worst:.3} of the bound",
                    function.instruction,
                    (2f64.powi(32) / stride as f64).ceil()
                ),
                Err(error) => failures.push(format!("{} {name} {error}", function.instruction)),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
