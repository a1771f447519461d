//! What nvcc writes parses, checks and survives printing. Needs the toolkit:
//! `ANTLERITE_TOOLKIT`, `.toolkit/cuda-13.0` of the repository, or the wheels' place.
#![expect(clippy::print_stdout, reason = "says that it did not judge")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Kernels without headers of their own, so that nothing but nvcc is needed.
const SOURCE: &str = include_str!("nvcc.cu");

fn nvcc() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.toolkit/cuda-13.0");
    let named = std::env::var_os("ANTLERITE_TOOLKIT").map(PathBuf::from);
    let places = named.into_iter().chain([root]);
    places
        .map(|place| place.join("bin/nvcc"))
        .find(|nvcc| nvcc.exists())
}

#[test]
fn nvcc_output() {
    let Some(nvcc) = nvcc() else {
        println!("not judged: no nvcc");
        return;
    };
    let directory = std::env::temp_dir().join(format!("ptx-nvcc-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let source = directory.join("kernels.cu");
    std::fs::write(&source, SOURCE).expect("writable");
    for flags in [
        &["-arch=sm_75"][..],
        &["-arch=sm_90", "-lineinfo"],
        &["-arch=sm_90", "-G"],
        &["-arch=sm_120", "-use_fast_math", "-rdc=true"],
    ] {
        let output = directory.join("kernels.ptx");
        let run = Command::new(&nvcc)
            .args(["-ptx", "-o"])
            .arg(&output)
            .args(flags)
            .arg(&source)
            .output()
            .expect("nvcc runs");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{flags:?}: {said}");
        let text = std::fs::read_to_string(&output).expect("written");
        judge(&text, flags);
    }
    std::fs::remove_dir_all(&directory).expect("ours");
}

fn judge(text: &str, flags: &[&str]) {
    let module = match ptx::parse(text) {
        Ok(module) => module,
        Err(errors) => panic!("{flags:?}: {}", ptx::render_log("ptx input", &errors)),
    };
    let printed = ptx::print(&module);
    assert_eq!(ptx::parse(&printed).as_ref(), Ok(&module), "{flags:?}");
    match ptx::check(&module, &ptx::Policy::default()) {
        Ok(checked) => assert!(checked.functions.len() >= 8, "{flags:?}"),
        Err(errors) => panic!("{flags:?}: {}", ptx::render_log("ptx input", &errors)),
    }
}
