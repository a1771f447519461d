//! What the rows' signatures are written in.

pub(super) use core::ffi::{c_char, c_void};

pub(super) use cuda_abi::driver::*;

macro_rules! foreign {
    ($($(#[$doc:meta])* $name:ident = $ty:ty;)*) => {
        $($(#[$doc])*
        #[allow(non_camel_case_types, reason = "its owner's name")]
        pub(super) type $name = $ty;)*
    };
}

foreign! {
    /// OpenGL object name.
    GLuint = u32;
    /// OpenGL enumerator.
    GLenum = u32;
    /// EGL integer.
    EGLint = i32;
    /// EGL image.
    EGLImageKHR = Out<c_void>;
    /// EGL stream.
    EGLStreamKHR = Out<c_void>;
    /// EGL fence.
    EGLSyncKHR = Out<c_void>;
    /// VDPAU device.
    VdpDevice = u32;
    /// VDPAU function loader (a function type; only pointers to it are passed).
    VdpGetProcAddress = c_void;
    /// VDPAU surface.
    VdpVideoSurface = u32;
    /// VDPAU surface.
    VdpOutputSurface = u32;
}
