#!/usr/bin/env python3
"""Writes the files in matrix/: matrix products and moves of a warp, on small integers, which every format holds exactly.

Nothing here shares code with the compiler. Run by hand when forms are added; the file is committed. Layouts: PTX ISA
9.0, 9.7.14, the figures of mma, ldmatrix and movmatrix.
"""
import os


class Random:
    def __init__(self, seed):
        self.s = seed

    def bits(self, n):
        self.s = (self.s * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.s ^ self.s >> 31) * 0x9E3779B97F4A7C15 % 2**64 >> (64 - n)

    def below(self, n):
        return self.bits(32) % n


def small_float(e, m, v):
    """A small integer in a format with e exponent and m mantissa bits."""
    if v == 0:
        return 0
    s, a = int(v < 0), abs(v)
    x = a.bit_length() - 1
    bias = (1 << e - 1) - 1
    f = (a << m >> x) & (1 << m) - 1
    assert a == ((1 << m) + f) * 2**x // 2**m, v
    return s << e + m | x + bias << m | f


FORMATS = {"f16": (5, 10, 16), "bf16": (8, 7, 16), "tf32": (8, 23, 32), "e4m3": (4, 3, 8), "e5m2": (5, 2, 8),
           "f32": (8, 23, 32), "f64": (11, 52, 64)}


def encode(ty, v):
    if ty in FORMATS:
        e, m, _ = FORMATS[ty]
        return small_float(e, m, v)
    return v & (1 << width(ty)) - 1


def width(ty):
    return FORMATS[ty][2] if ty in FORMATS else int(ty[1:])


def value(r, ty):
    """A small number of a type."""
    if ty == "b1":
        return r.below(2)
    if ty[0] == "u":
        return r.below(min(256, 1 << width(ty)))
    if ty in ("s8", "s4"):
        return r.below(1 << width(ty)) - (1 << width(ty) - 1)
    if ty == "e5m2":
        return [0, 1, 2, 3, -1, -2, -4, 5][r.below(8)]
    return r.below(9) - 4


out = []
line_values = lambda vs: " ".join(f"0x{v:x}" for v in vs)


def fragments(ty, rows, k, at, halves):
    """Registers by lane of A (halves = 2: rows g and g + 8) or B."""
    bits = max(width(ty), 1)
    reg = 64 if bits == 64 else 32
    each = reg // bits
    lanes = []
    for lane in range(32):
        g, t = lane >> 2, lane & 3
        regs = []
        for block in range(k // (4 * each)):
            for h in range(halves):
                v = 0
                for i in range(each):
                    v |= encode(ty, at(g + 8 * h, block * 4 * each + t * each + i)) << i * bits
                regs.append(v)
        lanes.append(regs)
    return lanes


def sums(ty, m, at):
    """Registers by lane of C or D."""
    lanes = []
    for lane in range(32):
        g, t = lane >> 2, lane & 3
        vs = [at(g + 8 * h, 2 * t + n) for h in range(m // 8) for n in range(2)]
        if ty == "f16":
            vs = [encode("f16", vs[i]) | encode("f16", vs[i + 1]) << 16 for i in range(0, len(vs), 2)]
        elif ty == "s32":
            vs = [v & 0xFFFFFFFF for v in vs]
        else:
            vs = [encode(ty, v) for v in vs]
        lanes.append(vs)
    return lanes


def reg_type(ty):
    return "b64" if ty == "f64" else "b32"


def kernel(name, parts, body):
    """parts: (buffer, registers by lane or None for results, count, register type)"""
    params = ", ".join(f".param .u64 p_{b}" for b, *_ in parts)
    out.append(f".visible .entry {name}({params})\n{{\n    .reg .b32 %lane;\n    .reg .b64 %at, %w;")
    for b, _, n, ty in parts:
        out.append(f"    .reg .{ty} %{b}<{n}>;")
    out.append("    mov.u32 %lane, %tid.x;")
    load = lambda b, n, ty: (f"    ld.param.u64 %at, [p_{b}];\n    mul.wide.u32 %w, %lane, {n * int(ty[1:]) // 8};\n"
                             "    add.u64 %at, %at, %w;")
    for b, regs, n, ty in parts:
        if regs is not None:
            out.append(load(b, n, ty))
            out.extend(f"    ld.global.{ty} %{b}{i}, [%at+{i * int(ty[1:]) // 8}];" for i in range(n))
    out.append(body)
    for b, regs, n, ty in parts:
        if regs is None:
            out.append(load(b, n, ty))
            out.extend(f"    st.global.{ty} [%at+{i * int(ty[1:]) // 8}], %{b}{i};" for i in range(n))
    out.append("    ret;\n}\n")


def directives(name, parts, expected):
    out.append(f"//: test {name}\n//: kernel {name}\n//: block 32")
    for b, regs, n, ty in parts:
        flat = [v for lane in regs for v in lane] if regs is not None else None
        ty = "u" + ty[1:]
        out.append(f"//: buf {b} {ty} " + (line_values(flat) if flat is not None else f"0*{32 * n}"))
    out.append("//: params " + " ".join(b for b, *_ in parts))
    b, _, n, ty = parts[0]
    out.append(f"//: expect {b} u{ty[1:]} " + line_values([v for lane in expected for v in lane]))


def mma(shape, d, a, b, c, tail="", seed=1):
    m, n, k = shape
    r = Random(seed)
    A = [[value(r, a) for _ in range(k)] for _ in range(m)]
    B = [[value(r, b) for _ in range(n)] for _ in range(k)]
    big = 2**31 - 20000 if "satfinite" in tail else 50
    C = [[r.below(2 * big) - big if "satfinite" in tail else r.below(100) - 50 for _ in range(n)] for _ in range(m)]
    D = [[0] * n for _ in range(m)]
    for i in range(m):
        for j in range(n):
            if a == "b1":
                f = (lambda x, y: x & y) if "and" in tail else (lambda x, y: x ^ y)
                D[i][j] = C[i][j] + sum(f(A[i][x], B[x][j]) for x in range(k))
            else:
                D[i][j] = C[i][j] + sum(A[i][x] * B[x][j] for x in range(k))
            if "satfinite" in tail:
                D[i][j] = min(max(D[i][j], -2**31), 2**31 - 1)
    fa = fragments(a, m, k, lambda i, x: A[i][x], m // 8)
    fb = fragments(b, n, k, lambda j, x: B[x][j], 1)
    fc, fd = sums(c, m, lambda i, j: C[i][j]), sums(d, m, lambda i, j: D[i][j])
    name = f"mma_{m}x{n}x{k}_{d}_{a}_{b}{tail.replace('.', '_')}"
    vec = lambda p, f: "{" + ", ".join(f"%{p}{i}" for i in range(len(f[0]))) + "}"
    sat = ".satfinite" if "satfinite" in tail else ""
    pop = tail if a == "b1" else ""
    body = (f"    mma.sync.aligned.m{m}n{n}k{k}.row.col{sat}.{d}.{a}.{b}.{c}{pop} {vec('d', fd)}, {vec('a', fa)}, "
            f"{vec('b', fb)}, {vec('c', fc)};")
    parts = [("d", None, len(fd[0]), reg_type(d)), ("a", fa, len(fa[0]), reg_type(a)),
             ("b", fb, len(fb[0]), reg_type(b)), ("c", fc, len(fc[0]), reg_type(c))]
    directives(name, parts, fd)
    kernel(name, parts, body)


def wmma(shape, d, a, b, c, la, lb, ld, seed):
    m, n, k = shape
    r = Random(seed)
    A = [[value(r, a) for _ in range(k)] for _ in range(m)]
    B = [[value(r, b) for _ in range(n)] for _ in range(k)]
    C = [[r.below(100) - 50 for _ in range(n)] for _ in range(m)]
    D = [[C[i][j] + sum(A[i][x] * B[x][j] for x in range(k)) for j in range(n)] for i in range(m)]
    name = f"wmma_{m}x{n}x{k}_{d}_{a}_{la}_{lb}_{ld}"

    def flat(M, ty, layout, pad):
        rows, cols = len(M), len(M[0])
        bits = width(ty)
        lines = [[M[i][j] for j in range(cols)] if layout == "row" else None for i in range(rows)]
        if layout == "col":
            lines = [[M[i][j] for i in range(rows)] for j in range(cols)]
        vs = [encode(ty, v) if ty != "s32" else v & 0xFFFFFFFF for line in lines for v in line + [0] * pad]
        return vs, len(lines[0]) + pad, bits
    na = {"f16": 8, "bf16": {16: 4, 8: 2, 32: 8}[m], "tf32": 4, "f64": 1}.get(a, {16: 2, 8: 1, 32: 4}[m])
    nb = {"f16": 8, "bf16": {16: 4, 32: 8, 8: 2}[n], "tf32": 4, "f64": 1}.get(a, {16: 2, 32: 4, 8: 1}[n])
    nc = {"f16": 4, "f64": 2}.get(c, 8)
    fa, sa, wa = flat(A, a, la, 8)
    fb, sb, wb = flat(B, b, lb, 8)
    fc, sc, wc = flat(C, c, ld, 4)
    fd, sd, wd = flat(D, d, ld, 4)
    out.append(f"//: test {name}\n//: kernel {name}\n//: block 32")
    out.append(f"//: buf d u{wd} 0*{len(fd)}\n//: buf a u{wa} {line_values(fa)}\n//: buf b u{wb} {line_values(fb)}\n"
               f"//: buf c u{wc} {line_values(fc)}\n//: params d a b c\n//: expect d u{wd} {line_values(fd)}")
    rt = reg_type(a)
    ct = "b64" if c == "f64" else "b32"
    vec = lambda p, n: "{" + ", ".join(f"%{p}{i}" for i in range(n)) + "}"
    types = "" if a == "f16" else f".{a}.{b}"
    sh = f"m{m}n{n}k{k}"
    out.append(f""".visible .entry {name}(.param .u64 p_d, .param .u64 p_a, .param .u64 p_b, .param .u64 p_c)
{{
    .reg .b64 %at;
    .reg .{rt} %a<{na}>, %b<{nb}>;
    .reg .{ct} %c<{nc}>;
    .reg .b32 %s;
    ld.param.u64 %at, [p_a];
    mov.b32 %s, {sa};
    wmma.load.a.sync.aligned.{la}.{sh}.global.{a} {vec('a', na)}, [%at], %s;
    ld.param.u64 %at, [p_b];
    mov.b32 %s, {sb};
    wmma.load.b.sync.aligned.{lb}.{sh}.{b} {vec('b', nb)}, [%at], %s;
    ld.param.u64 %at, [p_c];
    mov.b32 %s, {sc};
    wmma.load.c.sync.aligned.{ld}.{sh}.global.{c} {vec('c', nc)}, [%at], %s;
    wmma.mma.sync.aligned.{la}.{lb}.{sh}{'.rn' if a == 'f64' else ''}.{d}{types}.{c} {vec('c', nc)}, {vec('a', na)}, {vec('b', nb)}, {vec('c', nc)};
    ld.param.u64 %at, [p_d];
    mov.b32 %s, {sd};
    wmma.store.d.sync.aligned.{ld}.{sh}.global.{d} [%at], {vec('c', nc)}, %s;
    ret;
}}
""")


def moves():
    halves = [(i * 37 + 11) & 0xFFFF for i in range(4 * 64)]
    words = [halves[i] | halves[i + 1] << 16 for i in range(0, 256, 2)]
    at = lambda m, row, col: halves[m * 64 + row * 8 + col]
    plain = [[at(m, l >> 2, 2 * (l & 3)) | at(m, l >> 2, 2 * (l & 3) + 1) << 16 for m in range(4)] for l in range(32)]
    trans = [[at(m, 2 * (l & 3), l >> 2) | at(m, 2 * (l & 3) + 1, l >> 2) << 16 for m in range(4)] for l in range(32)]
    out.append(f"""//: test ldmatrix, stmatrix, movmatrix
//: kernel moves
//: block 32
//: buf in u32 {line_values(words)}
//: buf plain u32 0*128
//: buf trans u32 0*128
//: buf moved u32 0*32
//: buf back u32 0*128
//: params in plain trans moved back
//: expect plain u32 {line_values([v for l in plain for v in l])}
//: expect trans u32 {line_values([v for l in trans for v in l])}
//: expect moved u32 {line_values([trans[l][0] for l in range(32)])}
//: expect back u32 {line_values(words)}
.visible .entry moves(.param .u64 p_in, .param .u64 p_plain, .param .u64 p_trans, .param .u64 p_moved, .param .u64 p_back)
{{
    .shared .align 16 .b8 tile[512];
    .shared .align 16 .b8 copy[512];
    .reg .b32 %lane, %row, %s, %t, %x<4>, %y<4>, %m;
    .reg .b64 %at, %w, %g;
    mov.u32 %lane, %tid.x;
    // Each lane copies 16 bytes: one row.
    ld.param.u64 %at, [p_in];
    mul.wide.u32 %w, %lane, 16;
    add.u64 %at, %at, %w;
    ld.global.v4.b32 {{%x0, %x1, %x2, %x3}}, [%at];
    mov.u32 %s, tile;
    shl.b32 %row, %lane, 4;
    add.u32 %s, %s, %row;
    st.shared.v4.b32 [%s], {{%x0, %x1, %x2, %x3}};
    bar.warp.sync 0xffffffff;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%x0, %x1, %x2, %x3}}, [%s];
    ld.param.u64 %at, [p_plain];
    add.u64 %at, %at, %w;
    st.global.v4.b32 [%at], {{%x0, %x1, %x2, %x3}};
    cvt.u64.u32 %g, %s;
    cvta.shared.u64 %g, %g;
    ldmatrix.sync.aligned.x4.trans.m8n8.b16 {{%y0, %y1, %y2, %y3}}, [%g];
    ld.param.u64 %at, [p_trans];
    add.u64 %at, %at, %w;
    st.global.v4.b32 [%at], {{%y0, %y1, %y2, %y3}};
    movmatrix.sync.aligned.m8n8.trans.b16 %m, %x0;
    ld.param.u64 %at, [p_moved];
    mul.wide.u32 %g, %lane, 4;
    add.u64 %at, %at, %g;
    st.global.b32 [%at], %m;
    // Two matrices back as they were, two by the transposed form.
    mov.u32 %t, copy;
    add.u32 %t, %t, %row;
    stmatrix.sync.aligned.m8n8.x2.shared.b16 [%t], {{%x0, %x1}};
    stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%t+256], {{%y2, %y3}};
    bar.warp.sync 0xffffffff;
    ld.shared.v4.b32 {{%x0, %x1, %x2, %x3}}, [%t];
    ld.param.u64 %at, [p_back];
    add.u64 %at, %at, %w;
    st.global.v4.b32 [%at], {{%x0, %x1, %x2, %x3}};
    ret;
}}
""")


def save(name):
    """Writes what has been made since the last call: a file for each part, which a runner compiles side by side."""
    here = os.path.dirname(os.path.abspath(__file__))
    head = "// Generated by matrix_tables.py.\n.version 9.0\n.target sm_121a\n.address_size 64\n"
    with open(os.path.join(here, "matrix", name + ".ptx"), "w") as f:
        f.write("\n".join([head, *out]))
    out.clear()


def main():
    mma((16, 8, 8), "f32", "f16", "f16", "f32", seed=1)
    mma((16, 8, 16), "f32", "f16", "f16", "f32", seed=2)
    save("mma_f16")
    mma((16, 8, 16), "f16", "f16", "f16", "f16", seed=3)
    mma((16, 8, 16), "f32", "bf16", "bf16", "f32", seed=4)
    save("mma_sums")
    mma((16, 8, 4), "f32", "tf32", "tf32", "f32", seed=5)
    mma((16, 8, 8), "f32", "tf32", "tf32", "f32", seed=6)
    mma((8, 8, 4), "f64", "f64", "f64", "f64", seed=8)
    save("mma_wide")
    mma((16, 8, 32), "f32", "e4m3", "e5m2", "f32", seed=7)
    save("mma_fp8")
    mma((16, 8, 8), "f64", "f64", "f64", "f64", seed=9)
    save("mma_f64")
    mma((8, 8, 16), "s32", "s8", "u8", "s32", seed=10)
    mma((16, 8, 16), "s32", "u8", "s8", "s32", ".satfinite", seed=11)
    mma((16, 8, 32), "s32", "s8", "s8", "s32", seed=12)
    mma((16, 8, 64), "s32", "s4", "u4", "s32", seed=13)
    mma((16, 8, 128), "s32", "b1", "b1", "s32", ".and.popc", seed=14)
    mma((8, 8, 128), "s32", "b1", "b1", "s32", ".xor.popc", seed=15)
    save("mma_integer")
    wmma((16, 16, 16), "f32", "f16", "f16", "f32", "row", "col", "row", 20)
    save("wmma_f16")
    wmma((16, 16, 16), "f16", "f16", "f16", "f16", "col", "row", "col", 21)
    save("wmma_f16_sums")
    wmma((8, 32, 16), "f32", "bf16", "bf16", "f32", "row", "row", "row", 22)
    save("wmma_bf16")
    wmma((32, 8, 16), "s32", "s8", "s8", "s32", "row", "col", "row", 23)
    wmma((16, 16, 8), "f32", "tf32", "tf32", "f32", "col", "col", "col", 24)
    wmma((8, 8, 4), "f64", "f64", "f64", "f64", "row", "col", "row", 25)
    moves()
    save("wmma_others_and_moves")


if __name__ == "__main__":
    main()
