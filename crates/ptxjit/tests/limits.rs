//! Kernels that are too large are refused by name, before memory runs out.

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
