//! NVIDIA's kernel ABI as of driver 580.142, plus what differs in other versions ([`sizes`]).

pub mod alloc_params;
pub mod classes;
pub mod control_params;
pub mod controls;
pub mod escape_params;
pub mod escapes;
pub mod methods;
pub mod qmd;
pub mod sizes;
pub mod status;
pub mod uvm;
pub mod uvm_params;

/// Declares a plain struct of a stated size.
macro_rules! pod {
    ($size:literal $(#[$meta:meta])* pub struct $name:ident { $($body:tt)* }) => {
        $(#[$meta])*
        #[doc = concat!("`", stringify!($name), "`, ", $size, " bytes.")]
        #[allow(non_camel_case_types, reason = "NVIDIA's name")]
        #[derive(Clone, Copy, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout)]
        #[repr(C)]
        pub struct $name { $($body)* }
        const _: () = assert!(core::mem::size_of::<$name>() == $size);
        impl Default for $name {
            fn default() -> Self {
                zerocopy::FromZeros::new_zeroed()
            }
        }
        impl $name {
            /// Bytes in driver 580.142.
            pub const BYTES: usize = $size;
            /// NVIDIA's name of the struct.
            pub const NAME: &'static str = stringify!($name);
        }
    };
}
pub(crate) use pod;
