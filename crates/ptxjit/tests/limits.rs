//! Kernels that are too large are refused by name, before memory runs out; those that are dear to compile run code first
//! that was made in little time.

use ptxjit::compile::{CompileError, MOST_INSTRUCTIONS, Request, compile};

#[test]
fn a_kernel_beyond_the_limit_is_refused() {
    let mut text = String::from(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry huge(.param .u64 out) {\n\
         .reg .b64 %d<2>; .reg .b32 %r<3>;\nld.param.u64 %d1, [out];\nld.global.u32 %r1, [%d1];\n\
         mov.u32 %r2, %tid.x;\n",
    );
    for _ in 0..=MOST_INSTRUCTIONS / 2 {
        text.push_str("mul.lo.u32 %r1, %r1, %r2;\nxor.b32 %r1, %r1, %r2;\n");
    }
    text.push_str("st.global.u32 [%d1], %r1;\nret;\n}\n");
    let error = compile(&Request {
        ptx: &text,
        isa: 3,
        kernel: Some("huge"),
        block: [32, 1, 1],
        opt_level: 4,
        cc: 90,
        flags: 0,
        max_ptx_version: 0,
    })
    .expect_err("too large");
    let limit = format!("at most {MOST_INSTRUCTIONS}");
    assert!(matches!(error, CompileError::Unsupported(_)), "{error}");
    assert!(error.to_string().contains("'huge'"), "{error}");
    assert!(error.to_string().contains(&limit), "{error}");
}

/// Whether the code for the first launches of a kernel is to be replaced.
fn is_first_tier(ptx: &str, flags: u32) -> bool {
    let out = compile(&Request {
        ptx,
        isa: 3,
        kernel: Some("k"),
        block: [64, 1, 1],
        opt_level: 4,
        cc: 90,
        flags,
        max_ptx_version: 0,
    })
    .expect("compiles");
    let image = &out.cubin.kernels[0].image;
    let at = std::mem::offset_of!(abi::sm::EntryHeader, flags);
    let word = image[at..at + 4].try_into().expect("four bytes");
    u32::from_le_bytes(word) & abi::sm::flags::FAST != 0
}

#[test]
fn dear_kernels_start_with_the_first_tier() {
    use abi::jit::request_flags::{FAST, FAST_IF_DEAR, FAST_IF_VERY_DEAR};
    let kernel = |body: &str| {
        format!(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
             .reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %p;\nld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\n\
             {body}ret;\n}}\n"
        )
    };
    let small = kernel("st.global.u32 [%d1], %r1;\n");
    // Bytes here and there, each place read from the one before.
    let dear = kernel(
        &"mul.wide.u32 %d2, %r1, 1;\nadd.s64 %d3, %d1, %d2;\nld.global.u8 %r2, [%d3];\n\
          mad.lo.u32 %r1, %r2, 77, %r1;\nand.b32 %r1, %r1, 1023;\nst.global.u8 [%d3], %r1;\n"
            .repeat(60),
    );
    // What a launch that nothing could take over from waits for.
    let work = "mad.lo.u32 %r2, %r1, %r3, 77;\nxor.b32 %r3, %r2, %r3;\n".repeat(12);
    let once = kernel(&format!("{work}st.global.u32 [%d1], %r3;\n"));
    let round = kernel(&format!(
        "again:\n{work}setp.ne.u32 %p, %r3, 1;\n@%p bra again;\nst.global.u32 [%d1], %r3;\n"
    ));
    for (ptx, first) in [(&once, true), (&round, false), (&dear, true)] {
        assert!(is_first_tier(ptx, FAST_IF_DEAR));
        assert_eq!(is_first_tier(ptx, FAST_IF_VERY_DEAR), first);
    }
    assert!(!is_first_tier(&small, FAST_IF_DEAR));
    assert!(is_first_tier(&dear, FAST_IF_DEAR));
    assert!(is_first_tier(&small, FAST));
    assert!(!is_first_tier(&dear, 0));
}

/// Where there is no such instruction, the hundred that stand for a fused multiply-add are written once and called.
#[test]
fn fused_operations_without_hardware_stay_short() {
    for ty in ["f32", "f64"] {
        let mut text = format!(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
             .reg .b64 %d<4>; .reg .b32 %r<4>; .reg .{ty} %x;\nld.param.u64 %d1, [out];\n\
             mov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 8;\nadd.u64 %d1, %d1, %d2;\nld.global.{ty} %x, [%d1];\n"
        );
        for _ in 0..200 {
            text.push_str(&format!("fma.rn.{ty} %x, %x, %x, %x;\n"));
        }
        text.push_str(&format!("st.global.{ty} [%d1], %x;\nret;\n}}\n"));
        let out = compile(&Request {
            ptx: &text,
            isa: abi::sm::isa::SSE4,
            kernel: None,
            block: [64, 1, 1],
            opt_level: 4,
            cc: 90,
            flags: 0,
            max_ptx_version: 0,
        })
        .expect("compiles");
        let bytes = out.cubin.kernels[0].image.len();
        // Written out, they take several times that.
        assert!(bytes < 200 * 800, "{ty}: {bytes} bytes");
    }
}

/// LLVM makes code of vectors many times slower than code of scalars: the first tier has none where lanes branch, go round
/// loops, take indices of a block's rows and keep values across a barrier.
#[test]
fn the_first_tier_is_made_of_scalars() {
    use ptxjit::llvm::{kernel, target};
    let text = ".version 7.0\n.target sm_75\n.address_size 64\n\
        .visible .entry k(.param .u64 out, .param .u32 n) {\n\
        .reg .b64 %d<4>; .reg .b32 %r<8>; .reg .f32 %f<3>; .reg .pred %p<4>; .shared .b32 part[256];\n\
        ld.param.u64 %d1, [out];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.y;\n\
        mad.lo.s32 %r4, %r3, 16, %r2;\nmul.wide.s32 %d2, %r4, 4;\nadd.s64 %d3, %d1, %d2;\n\
        setp.ge.s32 %p1, %r4, %r1;\nmov.f32 %f1, 0f00000000;\n@%p1 bra DONE;\n\
        mov.u32 %r5, %r4;\nLOOP:\nld.global.f32 %f2, [%d3];\nadd.f32 %f1, %f1, %f2;\n\
        min.u32 %r6, %r5, 7;\nsub.u32 %r5, %r5, %r6;\nsetp.gt.s32 %p2, %r5, 7;\n@%p2 bra LOOP;\n\
        atom.global.add.u32 %r6, [%d1], %r5;\ncvt.rn.f32.u32 %f2, %r6;\nadd.f32 %f1, %f1, %f2;\n\
        DONE:\nbar.sync 0;\nst.global.f32 [%d3+4096], %f1;\nret;\n}\n";
    let front = ptxjit::compile::Front::new(text, 0).expect("is right");
    let module = front.lower("k").expect("is lowered");
    let options = kernel::Options {
        level: target::Level::Avx2,
        block: [16, 16, 1],
        opt_level: 4,
        force_warp: false,
        narrow: false,
        tier: kernel::Tier::Fast,
    };
    let made = kernel::generate(&module, &options, true).expect("is generated");
    let ir = made.ir.expect("was asked for");
    let wide = |line: &&str| line.contains("<32 x") && !line.contains("alloca");
    // Offsets by lane are written once.
    let found: Vec<&str> = ir.lines().filter(wide).collect();
    assert!(
        found.iter().all(|line| line.contains("store")),
        "{found:#?}"
    );
    assert!(found.len() <= 1, "{found:#?}");
}

#[test]
fn products_of_one_form_share_their_code() {
    use abi::jit::request_flags::FAST;
    const PRODUCTS: usize = 200;
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n\
         .reg .b64 %d<2>; .reg .b32 %r<12>;\nld.param.u64 %d1, [out];\n",
    );
    for n in 0..10 {
        text.push_str(&format!("ld.global.u32 %r{n}, [%d1+{}];\n", 4 * n));
    }
    for _ in 0..PRODUCTS {
        text.push_str(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r6, %r7, %r8, %r9}, \
             {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r6, %r7, %r8, %r9};\n",
        );
    }
    text.push_str("st.global.u32 [%d1], %r6;\nret;\n}\n");
    for (isa, flags) in [(3, 0), (3, FAST), (7, 0), (7, FAST)] {
        let out = compile(&Request {
            ptx: &text,
            isa,
            kernel: Some("k"),
            block: [32, 1, 1],
            opt_level: 4,
            cc: 90,
            flags,
            max_ptx_version: 0,
        })
        .expect("compiles");
        // The product itself takes up to 8 KB; each call not much more than its four addresses.
        let bytes = out.cubin.kernels[0].image.len();
        assert!(bytes < 12_000 + 48 * PRODUCTS, "{bytes} bytes");
    }
}

#[test]
fn an_access_at_address_zero_is_no_undefined_behaviour() {
    // The whole kernel would be unreachable to LLVM, its entry gone.
    let ptx = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b64 %d1;\n\
               mov.u64 %d1, 0;\nst.global.u32 [%d1], 3;\nret;\n}\n";
    for flags in [0, abi::jit::request_flags::FAST] {
        let _ = is_first_tier(ptx, flags);
    }
}
