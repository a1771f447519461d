//! Gives the library the name by which programs ask for it, and keeps LLVM's data until the process is gone
//! (`keep_until_exit` in `src/lib.rs`).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libnvidia-ptxjitcompiler.so.1");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--wrap=__cxa_atexit");
}
