//! Binary64 fused multiply-add on machines that have none, right over the whole range.
//!
//! The mantissas' product is two numbers exactly (Dekker). It and the third operand are brought to one scale, E, at which
//! nothing overflows and what lies far below keeps only its sign. Their sum is th + tl + ul exactly (Knuth); tl + ul is
//! rounded to odd (Boldo and Melquiond), so that one more addition rounds the whole as it should be: to 53 bits, or for
//! results below the normal range to a multiple of the least number, by adding a number whose last place that is.

use super::build::{Fcmp, Icmp, Opcode, V};
use super::emit::Gen;
use crate::ir::Round;

/// How far one addend may lie below the other at the common scale, as a power of two.
const FAR: i64 = 200;
/// Exponent of zero.
const NOTHING: i64 = -5_000;

impl Gen<'_, '_> {
    /// A finite number as a mantissa in [1, 2), or 0, and an exponent.
    fn mantissa(&self, v: V) -> (V, V) {
        let b = &self.b;
        let t = b.type_of(v);
        let it = b.like(t, b.i64);
        let magnitude = b.and(b.bitcast(v, it), b.c(it, u64::MAX >> 1));
        let small = b.icmp(Icmp::LLVMIntULT, magnitude, b.c(it, 1 << 52));
        let scaled = b.fmul(v, b.fc(t, 2f64.powi(64)));
        let bits = b.bitcast(b.select(small, scaled, v), it);
        let exponent = b.and(b.lshr(bits, b.c(it, 52)), b.c(it, 0x7ff));
        let bias = b.select(small, b.c(it, 1023 + 64), b.c(it, 1023));
        let exponent = b.sub(exponent, bias);
        let rest = b.and(bits, b.c(it, 0x800f_ffff_ffff_ffff));
        let mantissa = b.bitcast(b.or(rest, b.c(it, 1023 << 52)), t);
        let zero = b.icmp(Icmp::LLVMIntEQ, magnitude, b.zero(it));
        let nothing = b.c(it, NOTHING.cast_unsigned());
        (
            b.select(zero, v, mantissa),
            b.select(zero, nothing, exponent),
        )
    }

    /// v · 2^n for n in -1022 … 1023.
    fn by_power(&self, v: V, n: V) -> V {
        let b = &self.b;
        let it = b.type_of(n);
        let bits = b.shl(b.add(n, b.c(it, 1023)), b.c(it, 52));
        b.fmul(v, b.bitcast(bits, b.type_of(v)))
    }

    /// `make` of three values, in a function of its own that takes one register of lanes at a time: there are hundreds
    /// of such operations in some kernels, and each is a hundred instructions for every register.
    fn out_of_line<const N: usize>(
        &self,
        name: &str,
        args: [V; 3],
        make: impl Fn([V; 3]) -> [V; N],
    ) -> [V; N] {
        let b = &self.b;
        let t = b.type_of(args[0]);
        let elem = b.elem_of(t);
        let lanes = b.lanes_of(t);
        let most = self.level.vector_bits() / b.bits_of(t);
        let step = lanes.min(most);
        let piece = if step == 1 { elem } else { b.vec(elem, step) };
        let name = format!("{name}.{step}");
        let ty = b.function_type(b.structure(&[piece; N]), &[piece; 3]);
        let function = b.known_function(&name).unwrap_or_else(|| {
            b.aside(&name, ty, |function| {
                super::functions::attributes(b, function, self.level);
                b.attribute(function, None, "noinline");
                let results = make([0, 1, 2].map(|n| b.param(function, n)));
                let mut all = b.poison(b.structure(&[piece; N]));
                for (index, value) in (0u32..).zip(results) {
                    all = b.insert_value(all, value, index);
                }
                b.ret_value(all);
            })
        });
        let mut parts: [Vec<V>; N] = std::array::from_fn(|_| Vec::new());
        for from in (0..lanes).step_by(step as usize) {
            let args = args.map(|v| if step == 1 { v } else { b.part(v, from, step) });
            let all = b.call(ty, function, &args);
            for (index, parts) in (0u32..).zip(&mut parts) {
                parts.push(b.extract_value(all, index));
            }
        }
        parts.map(|parts| b.concat(&parts))
    }

    /// x·y + z of binary32 rounded once to nearest.
    pub(super) fn fused_single(&self, x: V, y: V, z: V) -> V {
        let [r] = self.out_of_line("fused.single", [x, y, z], |[x, y, z]| {
            let b = &self.b;
            let t = b.type_of(x);
            let d = b.like(t, b.f64);
            let [x, y, z] = [x, y, z].map(|v| b.cast(Opcode::LLVMFPExt, v, d));
            let p = b.fmul(x, y);
            let (s, e) = self.two_sum(p, z);
            let s = self.to_odd(s, e);
            [b.cast(Opcode::LLVMFPTrunc, s, t)]
        });
        r
    }

    /// x·y + z rounded once to nearest, and a number with the sign of what that lacks.
    pub(super) fn fused_double(&self, x: V, y: V, z: V) -> (V, V) {
        let [r, e] = self.out_of_line("fused.double", [x, y, z], |[x, y, z]| {
            let (r, e) = self.fused_double_here(x, y, z);
            [r, e]
        });
        (r, e)
    }

    fn fused_double_here(&self, x: V, y: V, z: V) -> (V, V) {
        let b = &self.b;
        let t = b.type_of(x);
        let it = b.like(t, b.i64);
        let number = |n: i64| b.c(it, n.cast_unsigned());
        let ((mx, ex), (my, ey), (mz, ez)) = (self.mantissa(x), self.mantissa(y), self.mantissa(z));
        let (p, low) = self.two_product(mx, my);
        let product = b.add(ex, ey);
        let far_above = b.sub(ez, number(FAR));
        let scale = b.intr("llvm.smax", &[product, far_above]);
        let below = |e: V| b.intr("llvm.smax", &[b.sub(e, scale), number(-FAR)]);
        let (dp, dz) = (below(product), below(ez));
        let (p, low, z1) = (
            self.by_power(p, dp),
            self.by_power(low, dp),
            self.by_power(mz, dz),
        );
        let (uh, ul) = self.two_sum(z1, low);
        let (th, tl) = self.two_sum(p, uh);
        let (v, rest) = self.two_sum(tl, ul);
        let v = self.to_odd(v, rest);
        let (normal, normal_error) = self.two_sum(th, v);
        // Exponent of the result.
        let exponent = b.lshr(b.bitcast(normal, it), b.c(it, 52));
        let exponent = b.and(exponent, b.c(it, 0x7ff));
        let exponent = b.add(b.sub(exponent, b.c(it, 1023)), scale);
        let is_small = b.icmp(Icmp::LLVMIntSLT, exponent, number(-1022));
        // 1.5 · 2^n has its last place at the least number's: n = -1022 - E.
        let n = b.sub(number(-1022), scale);
        let n = b.intr("llvm.smin", &[n, number(900)]);
        let n = b.intr("llvm.smax", &[n, number(-1000)]);
        let magic = self.by_power(b.fc(t, 1.5), n);
        let (mh, ml) = self.two_sum(magic, th);
        let (w, rest) = self.two_sum(ml, v);
        let w = self.to_odd(w, rest);
        let (sum, small_error) = self.two_sum(mh, w);
        let small = b.fsub(sum, magic);
        let small = b.intr("llvm.copysign", &[small, normal]);
        let r = b.select(is_small, small, normal);
        let e = b.select(is_small, small_error, normal_error);
        // Back in four steps, none of which passes what the result does not.
        let quarter = b.ashr(scale, b.c(it, 2));
        let r = self.by_power(r, quarter);
        let r = self.by_power(r, quarter);
        let r = self.by_power(r, quarter);
        let three = b.mul(quarter, b.c(it, 3));
        let r = self.by_power(r, b.sub(scale, three));
        // What is infinite only by overflow lacks something toward zero.
        let magnitude = b.intr("llvm.fabs", &[r]);
        let overflow = b.fcmp(Fcmp::LLVMRealOEQ, magnitude, b.fc(t, f64::INFINITY));
        let back = b.intr("llvm.copysign", &[b.fc(t, 1.0), b.fneg(r)]);
        let e = b.select(overflow, back, e);
        // Infinities and NaN, and products that are zero.
        let zero = b.fc(t, 0.0);
        let is_finite = |v: V| {
            let a = b.intr("llvm.fabs", &[v]);
            b.fcmp(Fcmp::LLVMRealOLT, a, b.fc(t, f64::INFINITY))
        };
        // A finite product that overflows does not meet an infinite addend.
        let finite_product = b.and(is_finite(x), is_finite(y));
        let alone = b.and(finite_product, b.not(is_finite(z)));
        let plain = b.fadd(b.fmul(x, y), z);
        let plain = b.select(alone, z, plain);
        let product_is = |v: V| b.fcmp(Fcmp::LLVMRealONE, v, zero);
        let general = b.and(finite_product, is_finite(z));
        let general = b.and(general, b.and(product_is(x), product_is(y)));
        (b.select(general, r, plain), b.select(general, e, zero))
    }

    /// x·y + z in a direction.
    pub(super) fn fused_directed(&self, round: Round, x: V, y: V, z: V) -> V {
        let b = &self.b;
        let (r, e) = self.fused_double(x, y, z);
        let directed = self.direct(round, r, e);
        if round != Round::Down {
            return directed;
        }
        // An exact zero that is no sum of zeros of one sign is -0 here.
        let t = b.type_of(r);
        let it = b.like(t, b.i64);
        let zero = b.fc(t, 0.0);
        let exact = b.fcmp(Fcmp::LLVMRealOEQ, e, zero);
        let none = b.fcmp(Fcmp::LLVMRealOEQ, r, zero);
        let signs = b.xor(b.bitcast(x, it), b.bitcast(y, it));
        let differ = b.xor(signs, b.bitcast(z, it));
        let differ = b.icmp(Icmp::LLVMIntSLT, differ, b.zero(it));
        let minus = b.and(b.and(exact, none), differ);
        let bits = b.select(minus, b.c(it, 1 << 63), b.bitcast(directed, it));
        b.cast(Opcode::LLVMBitCast, bits, t)
    }
}
