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

/// Compute capability of an SM version (`NV2080_CTRL_GR_INFO_SM_VERSION`): 0xMMm0 in old and 0xMM0m in new numbering. The
/// SMs of GeForce Blackwell (GB20x) call themselves 10.4, and are compute capability 12.0 to programs.
#[must_use]
pub const fn compute_capability(sm_version: u32) -> (u32, u32) {
    let minor = sm_version & 0xff;
    let minor = if minor > 0xf { minor >> 4 } else { minor };
    match (sm_version >> 8, minor) {
        (10, 4) => (12, 0),
        other => other,
    }
}

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

#[cfg(test)]
mod tests {
    #[test]
    fn compute_capabilities() {
        let of = super::compute_capability;
        assert_eq!([of(0x800), of(0x809), of(0x900)], [(8, 0), (8, 9), (9, 0)]);
        assert_eq!(
            [of(0x750), of(0xa00), of(0xa04)],
            [(7, 5), (10, 0), (12, 0)]
        );
    }
}
