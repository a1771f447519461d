//! `antlerite-gpu --link FD`: one GPU address space, started by the kernel half.
#![no_main]

use std::ffi::{CStr, c_char, c_int};

/// The C entry, so that the Rust runtime sets up nothing (handlers, stacks) outside our own windows.
///
/// # Safety
/// Called by libc with a valid argument vector.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn main(argc: c_int, argv: *const *const c_char) -> c_int {
    let argument = |i: usize| -> Option<&str> {
        if i >= usize::try_from(argc).ok()? {
            return None;
        }
        // SAFETY: `i` is below argc, and the strings live as long as the process.
        unsafe { CStr::from_ptr(*argv.add(i)) }.to_str().ok()
    };
    match (
        argument(1),
        argument(2).and_then(|n| n.parse().ok()),
        argument(3),
    ) {
        (Some("--link"), Some(fd), None) => {
            let code = gpu::process::run(fd);
            // SAFETY: ends the process at once, whatever the other threads do; nothing is left to flush.
            unsafe { libc::_exit(code) }
        }
        (Some("--version"), None, None) => {
            let text = concat!("antlerite-gpu ", env!("CARGO_PKG_VERSION"), "\n");
            // SAFETY: a plain write of a static text.
            unsafe { libc::write(1, text.as_ptr().cast(), text.len()) };
            0
        }
        _ => {
            let text = b"usage: antlerite-gpu --link FD\n(started by the kernel half; FD is a SOCK_SEQPACKET socket)\n";
            // SAFETY: as above.
            unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
            2
        }
    }
}
