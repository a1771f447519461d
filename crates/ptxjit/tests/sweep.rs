//! Functions that PTX gives an error bound for, over binary32: a sample of the inputs, or with `ANTLERITE_SWEEP=full`
//! (`cargo xtask sweep`) all 2³² of them; and the exact ones against correctly rounded results.
//!
//! The reference is binary64, whose error is far below every bound. Bounds: PTX ISA 9.0, 9.7.3.
#![expect(
    clippy::cast_possible_truncation,
    reason = "inputs are enumerated as 32-bit patterns"
)]

use ptxjit::compile::{Request, compile};
use ptxjit::testing::{Dims, End, Loaded, launch, levels, load};
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

/// The forms, those of one reference together: it is what costs most.
fn families() -> Vec<Vec<Function>> {
    let family = |reference: fn(f64) -> f64, forms: &[(&'static str, Bound)]| {
        forms
            .iter()
            .map(|&(instruction, bound)| Function {
                instruction,
                reference,
                bound,
            })
            .collect()
    };
    let relative = |bits: f64| Bound::Relative((-bits).exp2());
    let near = Bound::Absolute((-20.5f64).exp2(), TAU);
    let logarithm = Bound::Logarithm((-22f64).exp2());
    vec![
        family(f64::tanh, &[("tanh.approx.f32", relative(11.0))]),
        family(
            |x| 1.0 / x.sqrt(),
            &[
                ("rsqrt.approx.f32", relative(22.9)),
                ("rsqrt.approx.ftz.f32", relative(22.9)),
            ],
        ),
        family(
            f64::exp2,
            &[
                ("ex2.approx.f32", relative(22.5)),
                ("ex2.approx.ftz.f32", relative(22.5)),
            ],
        ),
        family(
            f64::log2,
            &[
                ("lg2.approx.f32", logarithm),
                ("lg2.approx.ftz.f32", logarithm),
            ],
        ),
        // There is no bound beyond one turn.
        family(
            |x| if x.abs() > TAU { f64::NAN } else { x.sin() },
            &[("sin.approx.f32", near), ("sin.approx.ftz.f32", near)],
        ),
        family(
            |x| if x.abs() > TAU { f64::NAN } else { x.cos() },
            &[("cos.approx.f32", near), ("cos.approx.ftz.f32", near)],
        ),
        family(
            f64::sqrt,
            &[
                ("sqrt.approx.f32", relative(23.0)),
                ("sqrt.approx.ftz.f32", relative(23.0)),
                ("sqrt.rn.f32", Bound::Exact),
                ("sqrt.rn.ftz.f32", Bound::Exact),
            ],
        ),
        family(
            |x| 1.0 / x,
            &[
                ("rcp.approx.f32", Bound::Ulp(1.0)),
                ("rcp.approx.ftz.f32", Bound::Ulp(1.0)),
                ("rcp.rn.f32", Bound::Exact),
                ("rcp.rn.ftz.f32", Bound::Exact),
            ],
        ),
    ]
}

fn flush(x: f32, ftz: bool) -> f32 {
    if ftz && x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}

/// How much of the bound the result takes; above 1 it is wrong. `exact` is the reference at `input`, which a `.ftz` form
/// takes at zero instead where `input` is subnormal.
fn share(function: &Function, input: f32, exact: f64, result: f32) -> f64 {
    let ftz = function.instruction.contains(".ftz");
    let exact = if ftz && input.is_subnormal() {
        (function.reference)(f64::from(flush(input, ftz)))
    } else {
        exact
    };
    let rounded = flush(exact as f32, ftz);
    if matches!(function.bound, Bound::Exact) && result.to_bits() == rounded.to_bits() {
        return 0.0;
    }
    if let Bound::Absolute(_, limit) = function.bound
        && f64::from(input).abs() > limit
    {
        // No bound there, but infinities have no sine and NaN stays one.
        let number = f64::from(input).is_finite();
        return if number || result.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
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
        Bound::Absolute(bound, _) => error / bound,
        Bound::Logarithm(bound) => {
            let middle = input > 0.5 && input < 2.0;
            error / if middle { bound } else { bound * exact.abs() }
        }
    }
}

/// Inputs of one launch.
const BATCH: u64 = 1 << 18;

/// The levels that this machine runs, and what they are called.
fn isas() -> impl Iterator<Item = (&'static str, u32)> {
    ["sse4", "avx2", "avx512"].into_iter().zip(levels())
}

/// A kernel that applies the instruction to the inputs whose bits are `first`, `first + stride`, and so on.
fn kernel(instruction: &str, isa: u32) -> Result<std::sync::Arc<Loaded>, String> {
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 p_out, .param .u32 p_first, .param .u32 p_stride)\n{{\n\
         .reg .b64 %out, %w;\n.reg .b32 %i, %b, %x, %first, %stride;\n.reg .f32 %f;\n\
         ld.param.u64 %out, [p_out];\nld.param.u32 %first, [p_first];\nld.param.u32 %stride, [p_stride];\n\
         mov.u32 %i, %tid.x;\nmov.u32 %b, %ctaid.x;\nmad.lo.u32 %i, %b, 256, %i;\n\
         mad.lo.u32 %x, %i, %stride, %first;\nmov.b32 %f, %x;\n{instruction} %f, %f;\n\
         mul.wide.u32 %w, %i, 4;\nadd.u64 %out, %out, %w;\nst.global.f32 [%out], %f;\nret;\n}}\n"
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
    load(&cubin.kernels[0], &HashMap::new())
}

/// One form for one instruction set, and the most it has taken of its bound.
struct Judged<'a> {
    function: &'a Function,
    isa: &'static str,
    kernel: std::sync::Arc<Loaded>,
    worst: f64,
    failure: Option<String>,
}

impl Judged<'_> {
    /// Runs the inputs from `first` and compares with `exact`.
    fn batch(&mut self, first: u64, stride: u64, exact: &[f64], out: &mut [f32]) {
        let mut params = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
        params.extend((first as u32).to_le_bytes());
        params.extend((stride as u32).to_le_bytes());
        let dims = Dims {
            grid: [(exact.len() / 256) as u32, 1, 1],
            block: [256, 1, 1],
            dynamic_shared: 0,
        };
        if !matches!(launch(&self.kernel, dims, &params), End::Done(_)) {
            self.failure = Some("the kernel stopped".to_owned());
            return;
        }
        for (n, (&exact, &result)) in (0u64..).zip(exact.iter().zip(&*out)) {
            let input = f32::from_bits((first + n * stride) as u32);
            let share = share(self.function, input, exact, result);
            if share > 1.0 || share.is_nan() {
                self.failure = Some(format!(
                    "of {input:e} ({:#010x}) is {result:e} ({:#010x}), {share} of the bound",
                    input.to_bits(),
                    result.to_bits()
                ));
                return;
            }
            self.worst = self.worst.max(share);
        }
    }
}

/// Judges the forms that share a reference, for every instruction set; one line for each form that fails.
fn judge(family: &[Function], stride: u64) -> Vec<String> {
    let mut failures = Vec::new();
    let mut judged = Vec::new();
    for function in family {
        for (isa, bits) in isas() {
            match kernel(function.instruction, bits) {
                Ok(kernel) => judged.push(Judged {
                    function,
                    isa,
                    kernel,
                    worst: 0.0,
                    failure: None,
                }),
                Err(error) => failures.push(format!("{} {isa} {error}", function.instruction)),
            }
        }
    }
    let mut out = vec![0f32; BATCH as usize];
    let mut exact = Vec::with_capacity(BATCH as usize);
    let mut first = 0u64;
    while first < 1 << 32 {
        let count = BATCH
            .min(((1u64 << 32) - first).div_ceil(stride))
            .next_multiple_of(256);
        exact.clear();
        exact.extend((0..count).map(|n| {
            let input = f32::from_bits((first + n * stride) as u32);
            (family[0].reference)(f64::from(input))
        }));
        for one in judged.iter_mut().filter(|one| one.failure.is_none()) {
            one.batch(first, stride, &exact, &mut out);
        }
        first += count * stride;
    }
    for one in judged {
        let name = format!("{:20} {}", one.function.instruction, one.isa);
        match one.failure {
            Some(error) => failures.push(format!("{name} {error}")),
            None => eprintln!(
                "{name}: {:.0} inputs, at most {:.3} of the bound",
                (2f64.powi(32) / stride as f64).ceil(),
                one.worst
            ),
        }
    }
    failures
}

#[test]
fn functions_are_within_their_bounds() {
    let full = std::env::var("ANTLERITE_SWEEP").is_ok_and(|text| text == "full");
    let stride = if full { 1 } else { 200_003 };
    let families = std::sync::Mutex::new(families());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut failures = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut failures = Vec::new();
                    while let Some(family) = families.lock().ok().and_then(|mut all| all.pop()) {
                        failures.extend(judge(&family, stride));
                    }
                    failures
                })
            })
            .collect();
        for worker in workers {
            failures.extend(worker.join().expect("a family is judged"));
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
