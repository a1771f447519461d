//! A kernel from a text of PTX, launched by cudarc: loads, checks, prints `right`.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p, .param .f32 by, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [p]; ld.param.f32 %f1, [by]; ld.param.u32 %r4, [n];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3; setp.ge.u32 %p, %r1, %r4; @%p ret;
    mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;
    ld.global.f32 %f2, [%d3]; mul.f32 %f2, %f2, %f1; st.global.f32 [%d3], %f2;
    ret;
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let scale = context
        .load_module(Ptx::from_src(PTX))?
        .load_function("scale")?;
    let host: Vec<f32> = (0u16..1000).map(f32::from).collect();
    let mut device = stream.memcpy_stod(&host)?;
    let (by, n) = (3.0f32, 1000u32);
    let mut launch = stream.launch_builder(&scale);
    launch.arg(&mut device).arg(&by).arg(&n);
    // SAFETY: the arguments are the kernel's parameters, and it stays below `n`.
    unsafe { launch.launch(LaunchConfig::for_num_elems(n)) }?;
    let back = stream.memcpy_dtov(&device)?;
    let right = back.iter().zip(&host).all(|(b, h)| *b == 3.0 * h);
    println!("{}", if right { "right" } else { "wrong" });
    Ok(())
}
