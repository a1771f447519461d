#!/usr/bin/env python3
"""Writes ops/video.tbl: the video instructions, by Python's integers.

Nothing here shares code with the compiler. Run by hand when forms are added; the table is committed. Definitions: PTX
ISA 9.0, 9.7.17 and 9.7.18. Each table has several instructions, so that a module tests many forms.
"""
import os

EDGES = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80818283,
         0x7F00FF80, 0x01020304, 0xFFFE0001]


class Random:
    def __init__(self, seed):
        self.s = seed

    def bits(self, n):
        self.s = (self.s * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.s ^ self.s >> 31) * 0x9E3779B97F4A7C15 % 2**64 >> (64 - n)

    def pick(self, items):
        return items[self.bits(16) % len(items)]


def ext(v, bits, signed):
    v &= (1 << bits) - 1
    return v - (1 << bits) if signed and v >> (bits - 1) else v


PARTS = {"": (0, 32), ".b0": (0, 8), ".b1": (8, 8), ".b2": (16, 8), ".b3": (24, 8), ".h0": (0, 16), ".h1": (16, 16)}


def part(v, sel, signed):
    start, bits = PARTS[sel]
    return ext(v >> start, bits, signed)


def clamp(v, bits, signed):
    lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(v, lo), hi)


def compare(cmp, a, b):
    return int({"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[cmp])


def element(op, a, b):
    if op == "add":
        return a + b
    if op == "sub":
        return a - b
    if op == "avrg":
        return (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1
    if op == "absdiff":
        return abs(a - b)
    if op == "min":
        return min(a, b)
    if op == "max":
        return max(a, b)
    return compare(op, a, b)


def scalar(r):
    """-> instruction for (d, a, b, c), function"""
    op = r.pick(["add", "sub", "absdiff", "min", "max", "shl", "shr", "set", "mad"])
    ds, as_, bs = (r.bits(1) for _ in range(3))
    asel, bsel = r.pick(list(PARTS)), r.pick(list(PARTS))
    ty = lambda s: ".s32" if s else ".u32"
    sat = r.bits(1)
    if op == "mad":
        form = r.pick(["", "", "po", "na", "nb", "nc"])
        scale = r.pick(["", ".shr7", ".shr15"])
        signed = as_ or bs or form in ("na", "nb", "nc")
        minus = lambda f: "-" if form == f else ""
        text = (f"vmad{ty(signed)}{ty(as_)}{ty(bs)}{'.po' if form == 'po' else ''}{'.sat' if sat else ''}{scale} "
                f"D, {minus('na')}A{asel}, {minus('nb')}B{bsel}, {minus('nc')}C;")

        def run(a, b, c):
            t = part(a, asel, as_) * part(b, bsel, bs)
            c = ext(c, 32, signed)
            if form in ("na", "nb"):
                t = -t
            t += -c if form == "nc" else c
            t += form == "po"
            t >>= int(scale[4:] or 0)
            if sat:
                t = clamp(t, 32, signed)
            return t & 0xFFFFFFFF
        return text, run
    end = r.pick(["plain", "second", "merge"])
    second = r.pick(["add", "min", "max"])
    dsel = r.pick([p for p in PARTS if p])
    tail = "." + second if end == "second" else ""
    if op == "set":
        cmp = r.pick(["eq", "ne", "lt", "le", "gt", "ge"])
        head, ds, sat = f"vset{ty(as_)}{ty(bs)}.{cmp}{tail}", 0, 0
    elif op in ("shl", "shr"):
        bs = 0
        mode = r.pick(["clamp", "wrap"])
        head = f"v{op}{ty(ds)}{ty(as_)}.u32{'.sat' if sat else ''}.{mode}{tail}"
    else:
        head = f"v{op}{ty(ds)}{ty(as_)}{ty(bs)}{'.sat' if sat else ''}{tail}"
    # Without clamping, the order with C of what does not fit 33 bits is not defined: no such case.
    if end == "second" and second != "add" and not sat and op in ("add", "sub", "shl"):
        return scalar(r)
    text = f"{head} D{dsel if end == 'merge' else ''}, A{asel}, B{bsel}{'' if end == 'plain' else ', C'};"

    def run(a, b, c):
        x, y = part(a, asel, as_), part(b, bsel, bs)
        if op in ("shl", "shr"):
            y = min(y, 32) if mode == "clamp" else y & 31
            t = x << y if op == "shl" else x >> y
        else:
            t = element(cmp if op == "set" else op, x, y)
        start, bits = PARTS[dsel if end == "merge" else ""]
        if sat:
            t = clamp(t, bits, ds)
        if end == "second":
            k = ext(c, 32, ds)
            t = {"add": t + k, "min": min(t, k), "max": max(t, k)}[second]
        if end == "merge":
            mask = (1 << bits) - 1
            return c & ~(mask << start) & 0xFFFFFFFF | (t & mask) << start
        return t & 0xFFFFFFFF
    return text, run


def simd(r, lanes):
    op = r.pick(["add", "sub", "avrg", "absdiff", "min", "max", "set"])
    ds, as_, bs = (r.bits(1) for _ in range(3))
    ty = lambda s: ".s32" if s else ".u32"
    bits = 32 // lanes
    letter = "h" if lanes == 2 else "b"
    end = r.pick(["", ".sat", ".add"])
    if op == "set":
        cmp = r.pick(["eq", "ne", "lt", "le", "gt", "ge"])
        ds, end = 0, "" if end == ".sat" else end
        head = f"vset{lanes}{ty(as_)}{ty(bs)}.{cmp}{end}"
    else:
        cmp = op
        head = f"v{op}{lanes}{ty(ds)}{ty(as_)}{ty(bs)}{end}"
    sel = []
    for n in range(2):
        if r.bits(1):
            sel.append(("", [n * lanes + i for i in range(lanes)]))
        else:
            idx = [r.bits(8) % (2 * lanes) for _ in range(lanes)]
            sel.append(("." + letter + "".join(str(i) for i in reversed(idx)), idx))
    mask = list(range(lanes))
    dsel = ""
    if r.bits(1):
        mask = [i for i in range(lanes) if r.bits(1)] or [0]
        dsel = "." + letter + "".join(str(i) for i in reversed(mask))
    text = f"{head} D{dsel}, A{sel[0][0]}, B{sel[1][0]}, C;"

    def run(a, b, c):
        both = b << 32 | a
        d = c
        for i in mask:
            x, y = (ext(both >> s[1][i] * bits, bits, sg) for s, sg in zip(sel, (as_, bs)))
            t = element(cmp, x, y)
            if end == ".sat":
                t = clamp(t, bits, ds)
            m = (1 << bits) - 1
            d = d + t if end == ".add" else d & ~(m << i * bits) | (t & m) << i * bits
        return d & 0xFFFFFFFF
    return text, run


def main():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops")
    with open(os.path.join(here, "video.tbl"), "w") as out:
        out.write("# Generated by ../integer_tables.py.\n")
        for table in range(24):
            r = Random(table * 77 + 5)
            forms = []
            for _ in range(14):
                forms.append(scalar(r) if table < 14 else simd(r, 2 if table % 2 else 4))
            text = " ".join(t.replace("D", f"%d{n}", 1).replace("A", "%a").replace("B", "%b").replace("C", "%c")
                            for n, (t, _) in enumerate(forms))
            regs = " ".join(f"d{n}:u32" for n in range(len(forms)))
            out.write(f"== {text} | a:u32 b:u32 c:u32 {regs}\n")
            rows = [(a, EDGES[(i * 5 + 3) % 16], EDGES[(i * 7 + 1) % 16]) for i, a in enumerate(EDGES)]
            rows += [(r.bits(32), r.pick(EDGES), r.bits(32)) for _ in range(6)]
            rows += [(r.bits(32), r.bits(32), r.bits(32)) for _ in range(8)]
            for row in rows:
                res = " ".join(f"0x{f(*row):x}" for _, f in forms)
                out.write(" ".join(f"0x{x:x}" for x in row) + f" => {res}\n")


if __name__ == "__main__":
    main()
