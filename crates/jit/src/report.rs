//! What a compiler says of its work, in the shape of `ptxas -v`.

use std::fmt::Write as _;

/// What a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelUse<'a> {
    /// Its name.
    pub name: &'a str,
    /// Registers of a thread.
    pub registers: u32,
    /// Static shared memory, bytes.
    pub shared_bytes: u32,
    /// Local memory of a thread, bytes.
    pub local_bytes: u32,
    /// Parameters, bytes.
    pub param_bytes: u32,
}

/// The lines for a module: bytes of global memory, then each kernel. `cc` is like 90.
#[must_use]
pub fn verbose<'a>(
    cc: u32,
    global_bytes: u64,
    kernels: impl IntoIterator<Item = KernelUse<'a>>,
) -> String {
    let mut log = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(log, "ptxas info    : {global_bytes} bytes gmem");
    for kernel in kernels {
        let KernelUse {
            name,
            registers,
            shared_bytes,
            local_bytes,
            param_bytes,
        } = kernel;
        let _ = writeln!(
            log,
            "ptxas info    : Compiling entry function '{name}' for 'sm_{cc}'"
        );
        let _ = writeln!(log, "ptxas info    : Function properties for {name}");
        let _ = writeln!(
            log,
            "    {local_bytes} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
        );
        let _ = write!(log, "ptxas info    : Used {registers} registers");
        if shared_bytes > 0 {
            let _ = write!(log, ", {shared_bytes} bytes smem");
        }
        // Parameters stand behind the driver's own constants.
        let constants = abi::sm::param_offset(cc).saturating_add(param_bytes);
        let _ = writeln!(log, ", {constants} bytes cmem[0]");
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_shape_of_ptxas() {
        let kernel = KernelUse {
            name: "k",
            registers: 12,
            shared_bytes: 64,
            local_bytes: 0,
            param_bytes: 20,
        };
        assert_eq!(
            verbose(90, 8, [kernel]),
            "ptxas info    : 8 bytes gmem\n\
             ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
             ptxas info    : Function properties for k\n    \
             0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
             ptxas info    : Used 12 registers, 64 bytes smem, 548 bytes cmem[0]\n"
        );
    }
}
