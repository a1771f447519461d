#!/usr/bin/env python3
"""Writes the generated tables ops/float_*.tbl: expected values by exact rational arithmetic.

Nothing here shares code with the compiler. Run by hand when forms are added; the tables are committed.
Definitions: PTX ISA 9.0, 9.7.3 to 9.7.5 and cvt; NaN results: 0x7fff, 0x7fffffff, and for .f64 any NaN.
"""
import os
from fractions import Fraction as F
from math import isqrt

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
NAN, INF = "nan", "inf"


class Fmt:
    def __init__(self, name):
        self.name = name
        self.e, self.m = FORMATS[name]
        self.bias = (1 << (self.e - 1)) - 1
        self.bits = 1 + self.e + self.m
        self.top = (1 << self.e) - 1
        self.nan = 0xFFF8000000000000 if name == "f64" else (1 << (self.bits - 1)) - 1

    def read(self, bits, ftz=False):
        """-> (sign, NAN | INF | Fraction)"""
        sign = bits >> (self.bits - 1)
        exp = bits >> self.m & self.top
        man = bits & ((1 << self.m) - 1)
        if exp == self.top:
            return sign, NAN if man else INF
        if exp == 0:
            return sign, F(0) if ftz else F(man) / 2 ** (self.bias - 1 + self.m)
        scale = exp - self.bias - self.m
        value = F(man | 1 << self.m)
        return sign, value * 2**scale if scale >= 0 else value / 2**-scale

    def pack(self, sign, mag, rnd="rn", ftz=False, sat=False):
        """Rounds a magnitude."""
        s = sign << (self.bits - 1)
        if mag == NAN:
            return 0 if sat else self.nan
        if sat:
            if sign:
                return 0
            if mag == INF or mag > 1:
                mag = F(1)
        if mag == INF:
            return s | self.top << self.m
        if mag == 0:
            return s
        # Unit in the last place.
        exp = mag.numerator.bit_length() - mag.denominator.bit_length()
        if F(2) ** exp > mag:
            exp -= 1
        exp = max(exp, 1 - self.bias)
        ulp = F(2) ** (exp - self.m)
        q = mag / ulp
        low = q.numerator // q.denominator
        rest = q - low
        if rnd == "rn":
            up = rest > F(1, 2) or (rest == F(1, 2) and low & 1)
        else:
            up = rest > 0 and ((rnd == "rp" and not sign) or (rnd == "rm" and sign))
        low += up
        bits = ((exp - 1 + self.bias) << self.m) + low
        if bits >= self.top << self.m:
            big = rnd == "rz" or (rnd == "rp" and sign) or (rnd == "rm" and not sign)
            return s | (self.top << self.m) - (1 if big else 0)
        if ftz and bits < 1 << self.m:
            return s
        return s | bits

    def edges(self):
        one = self.bias << self.m
        big = (self.top << self.m) - 1
        pos = [0, 1, (1 << self.m) - 1, 1 << self.m, (1 << self.m) + 1, one - 1, one, one + 1, one + (1 << self.m - 1),
               big, self.top << self.m, self.nan & ((1 << self.bits - 1) - 1) | 1]
        return pos + [p | 1 << (self.bits - 1) for p in pos[:-1]]


def signed(v):
    s, m = v
    return -m if s else m


def add(a, b, rnd):
    if NAN in (a[1], b[1]):
        return 0, NAN
    if a[1] == INF or b[1] == INF:
        if a[1] == b[1] and a[0] != b[0]:
            return 0, NAN
        return (a[0] if a[1] == INF else b[0]), INF
    if a[1] == 0 and b[1] == 0 and a[0] == b[0]:
        return a
    total = signed(a) + signed(b)
    if total == 0:
        return (1 if rnd == "rm" else 0), F(0)
    return int(total < 0), abs(total)


def mul(a, b):
    s = a[0] ^ b[0]
    if NAN in (a[1], b[1]) or {str(a[1]), str(b[1])} == {INF, "0"}:
        return 0, NAN
    if INF in (a[1], b[1]):
        return s, INF
    return s, a[1] * b[1]


def div(a, b):
    s = a[0] ^ b[0]
    if NAN in (a[1], b[1]) or (a[1] == INF and b[1] == INF) or (a[1] == 0 and b[1] == 0):
        return 0, NAN
    if a[1] == INF or b[1] == 0:
        return s, INF
    if b[1] == INF:
        return s, F(0)
    return s, a[1] / b[1]


def sqrt(a):
    if a[1] == NAN or (a[0] and a[1] != 0):
        return 0, NAN
    if a[1] in (INF, 0):
        return a
    # 400 bits and a sticky one: more than any rounding looks at.
    n = a[1].numerator * a[1].denominator << 800
    root = isqrt(n)
    value = F(root, a[1].denominator << 400)
    return 0, value if root * root == n else value + F(1, a[1].denominator << 401)


class Random:
    def __init__(self, seed):
        self.s = seed

    def bits(self, n):
        self.s = (self.s * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.s ^ self.s >> 31) * 0x9E3779B97F4A7C15 % 2**64 >> (64 - n)

    def number(self, f):
        """A number near 1 or anywhere."""
        if self.bits(1):
            return self.bits(f.bits)
        exp = f.bias + self.bits(3) - 4
        return self.bits(1) << (f.bits - 1) | exp << f.m | self.bits(f.m)


def table(out, template, f, operands, rows):
    regs = " ".join(["d:" + f.name] + [n + ":" + f.name for n in operands])
    out.write(f"== {template} | {regs} | nan\n" if f.name == "f64" else f"== {template} | {regs}\n")
    w = f.bits // 4
    for ins, res in rows:
        out.write(" ".join(f"0x{x:0{w}x}" for x in ins) + f" => 0x{res:0{w}x}\n")


def binary(out, op, f, template, fn, rnd, ftz=False, sat=False, n=24):
    r = Random(hash_of(template))
    e = f.edges()
    pairs = [(a, b) for a in e[::2] for b in e[::3]] + [(e[i], e[-1 - i]) for i in range(len(e))]
    pairs += [(r.number(f), r.number(f)) for _ in range(n)]
    rows = []
    for a, b in pairs:
        x, y = f.read(a, ftz), f.read(b, ftz)
        rows.append(((a, b), f.pack(*fn(x, y), rnd, ftz, sat)))
    table(out, template, f, ["a", "b"], rows)


def hash_of(text):
    h = 1469598103934665603
    for c in text.encode():
        h = (h ^ c) * 1099511628211 % 2**64
    return h


def main():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops")
    with open(os.path.join(here, "float_arith.tbl"), "w") as out:
        out.write("# Generated by ../float_tables.py: exact rational arithmetic, rounded once.\n")
        for name in ("f32", "f64"):
            f = Fmt(name)
            for rnd in ("rn", "rz", "rm", "rp"):
                binary(out, "add", f, f"add.{rnd}.{name} %d, %a, %b;", lambda x, y: add(x, y, rnd), rnd)
                binary(out, "mul", f, f"mul.{rnd}.{name} %d, %a, %b;", mul, rnd)
                binary(out, "div", f, f"div.{rnd}.{name} %d, %a, %b;", div, rnd)
                r = Random(hash_of("sqrt" + rnd + name))
                ins = f.edges() + [r.number(f) & (1 << f.bits - 1) - 1 for _ in range(24)]
                table(out, f"sqrt.{rnd}.{name} %d, %a;", f, ["a"], [((a,), f.pack(*sqrt(f.read(a)), rnd)) for a in ins])
                one = (0, F(1))
                table(out, f"rcp.{rnd}.{name} %d, %a;", f, ["a"],
                      [((a,), f.pack(*div(one, f.read(a)), rnd)) for a in ins])
        f = Fmt("f32")
        for mods, ftz, sat in ((".ftz", True, False), (".sat", False, True), (".ftz.sat", True, True)):
            binary(out, "add", f, f"add.rn{mods}.f32 %d, %a, %b;", lambda x, y: add(x, y, "rn"), "rn", ftz, sat)
            binary(out, "sub", f, f"sub.rn{mods}.f32 %d, %a, %b;",
                   lambda x, y: add(x, (1 - y[0], y[1]) if y[1] != NAN else y, "rn"), "rn", ftz, sat)
            binary(out, "mul", f, f"mul.rn{mods}.f32 %d, %a, %b;", mul, "rn", ftz, sat)
        binary(out, "div", f, "div.rn.ftz.f32 %d, %a, %b;", div, "rn", True)
    with open(os.path.join(here, "float_half.tbl"), "w") as out:
        out.write("# Generated by ../float_tables.py: exact rational arithmetic, rounded once.\n")
        for name in ("f16", "bf16"):
            f = Fmt(name)
            binary(out, "add", f, f"add.rn.{name} %d, %a, %b;", lambda x, y: add(x, y, "rn"), "rn")
            binary(out, "mul", f, f"mul.rn.{name} %d, %a, %b;", mul, "rn")
        f = Fmt("f16")
        binary(out, "add", f, "add.rn.ftz.f16 %d, %a, %b;", lambda x, y: add(x, y, "rn"), "rn", True)
        binary(out, "mul", f, "mul.rn.sat.f16 %d, %a, %b;", mul, "rn", False, True)
    with open(os.path.join(here, "float_fma.tbl"), "w") as out:
        out.write("# Generated by ../float_tables.py: exact rational arithmetic, rounded once.\n")
        for name, rnds in (("f32", ("rn", "rz", "rm", "rp")), ("f64", ("rn", "rz", "rm", "rp")), ("f16", ("rn",)),
                           ("bf16", ("rn",))):
            f = Fmt(name)
            for rnd in rnds:
                r = Random(hash_of("fma" + rnd + name))
                e = f.edges()
                triples = [(e[i], e[(i * 7 + 3) % len(e)], e[(i * 5 + j) % len(e)]) for i in range(len(e)) for j in (1, 8)]
                for _ in range(40):
                    a, b, c = r.number(f), r.number(f), r.number(f)
                    triples.append((a, b, c))
                    # Cancellation: c near -a*b.
                    s, p = mul(f.read(a), f.read(b))
                    triples.append((a, b, f.pack(1 - s, p)))
                rows = []
                for t in triples:
                    x, y, z = (f.read(v) for v in t)
                    rows.append((t, f.pack(*add(mul(x, y), z, rnd), rnd)))
                table(out, f"fma.{rnd}.{name} %d, %a, %b, %c;", f, ["a", "b", "c"], rows)
    with open(os.path.join(here, "float_cvt.tbl"), "w") as out:
        out.write("# Generated by ../float_tables.py: exact rational arithmetic, rounded once.\n")
        names = ("f16", "bf16", "f32", "f64")
        for to in names:
            for frm in names:
                g, f = Fmt(to), Fmt(frm)
                narrows = g.bits < f.bits or (to != frm and g.bits == f.bits)
                if to == frm or {to, frm} == {"f16", "bf16"} or not (narrows or g.bits > f.bits):
                    continue
                for rnd in ("rn", "rz", "rm", "rp") if narrows else ("",):
                    r = Random(hash_of("cvt" + rnd + to + frm))
                    ins = f.edges() + [r.number(f) for _ in range(24)]
                    for v in (65504, 65519, 65520, 65536, 2**-24, 2**-25, 2**-26, 0.1):
                        ins.append(f.pack(0, F(v)))
                    dot = "." + rnd if rnd else ""
                    if to == "f64":
                        ins = [i for i in ins if f.read(i)[1] != NAN]
                    out.write(f"== cvt{dot}.{to}.{frm} %d, %a; | d:{to} a:{frm}\n")
                    for a in ins:
                        res = g.pack(*f.read(a), rnd or "rn")
                        out.write(f"0x{a:0{f.bits // 4}x} => 0x{res:0{g.bits // 4}x}\n")
        for frm in names:
            f = Fmt(frm)
            for rnd in ("rni", "rzi", "rmi", "rpi"):
                for ty, n in (("s16", 16), ("u16", 16), ("s32", 32), ("u32", 32), ("s64", 64), ("u64", 64)):
                    if frm == "bf16":
                        continue
                    lo, hi = (-(2 ** (n - 1)), 2 ** (n - 1) - 1) if ty[0] == "s" else (0, 2**n - 1)
                    r = Random(hash_of("f2i" + rnd + ty + frm))
                    ins = f.edges() + [r.number(f) for _ in range(8)]
                    ins += [f.pack(s, F(v)) for s in (0, 1) for v in (0.5, 1.5, 2.5, 2.75, 100.25, 2**15, 2**31, 2**63)]
                    out.write(f"== cvt.{rnd}.{ty}.{frm} %d, %a; | d:{ty} a:{frm}\n")
                    for a in ins:
                        s, m = f.read(a)
                        if m == NAN:
                            res = 1 << (n - 1) if frm == "f64" or n == 64 else 0
                        elif m == INF:
                            res = lo if s else hi
                        else:
                            v = signed((s, m))
                            fl = v.numerator // v.denominator
                            ce = -(-v.numerator // v.denominator)
                            if rnd == "rmi":
                                i = fl
                            elif rnd == "rpi":
                                i = ce
                            elif rnd == "rzi":
                                i = ce if v < 0 else fl
                            else:
                                i = round(v)
                            res = min(max(i, lo), hi)
                        out.write(f"0x{a:0{f.bits // 4}x} => 0x{res % 2**n:0{n // 4}x}\n")
        for to in names:
            f = Fmt(to)
            for rnd in ("rn", "rz", "rm", "rp"):
                for ty, n in (("s32", 32), ("u32", 32), ("s64", 64), ("u64", 64), ("s16", 16), ("u16", 16)):
                    if to == "bf16":
                        continue
                    r = Random(hash_of("i2f" + rnd + ty + to))
                    ins = [0, 1, 2**n - 1, 2 ** (n - 1), 2 ** (n - 1) - 1, 65519 % 2**n, 65520 % 2**n] + [r.bits(n) for _ in range(12)]
                    out.write(f"== cvt.{rnd}.{to}.{ty} %d, %a; | d:{to} a:{ty}\n")
                    for a in ins:
                        v = a - 2**n if ty[0] == "s" and a >> (n - 1) else a
                        res = f.pack(int(v < 0), F(abs(v)), rnd)
                        out.write(f"0x{a:0{n // 4}x} => 0x{res:0{f.bits // 4}x}\n")


if __name__ == "__main__":
    main()
