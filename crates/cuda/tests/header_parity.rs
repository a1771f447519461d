//! The API table against NVIDIA's own headers of CUDA 13.0 and 12.9: a C file that assigns every function to a pointer of the type that the
//! table states must compile. Skipped (and said so) where the toolkit or a C compiler is missing.

use std::path::{Path, PathBuf};
use std::process::Command;

fn include_dir() -> Option<PathBuf> {
    let roots = [
        std::env::var("ANTLERITE_TOOLKIT").ok().map(PathBuf::from),
        Some(PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../.toolkit/cuda-13.0"
        ))),
    ];
    roots
        .into_iter()
        .flatten()
        .map(|root| root.join("include"))
        .find(|dir| dir.join("cuda.h").is_file())
}

/// The C spelling of a parameter type of the table.
fn c_type(rust: &str) -> String {
    let rust: String = rust.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some(inner) = rust.strip_prefix("Out<").and_then(|r| r.strip_suffix('>')) {
        return format!("{} *", c_type(inner));
    }
    if let Some(inner) = rust.strip_prefix("In<").and_then(|r| r.strip_suffix('>')) {
        return format!("const {} *", c_type(inner));
    }
    match rust.as_str() {
        "u8" => "unsigned char",
        "u16" => "unsigned short",
        "u32" => "unsigned int",
        "i32" => "int",
        "u64" => "unsigned long long",
        "usize" => "size_t",
        "f32" => "float",
        "c_void" => "void",
        "c_char" => "char",
        other => other,
    }
    .to_owned()
}

const PREAMBLE: &str = r"
#define __CUDA_API_VERSION_INTERNAL 1
#include <stdint.h>
typedef uint32_t VdpDevice; typedef uint32_t VdpVideoSurface; typedef uint32_t VdpOutputSurface;
typedef int VdpGetProcAddress(VdpDevice, uint32_t, void **);
#include <cuda.h>
#include <cudaGL.h>
#include <cudaEGL.h>
#include <cudaVDPAU.h>
";

fn is_declared(name: &str) -> bool {
    // The profiler header has only pointer types; three names are undocumented.
    !name.starts_with("cuProfiler")
        && !matches!(
            name,
            "cuEGLApiInit" | "cuMemGetAttribute" | "cuMemGetAttribute_v2"
        )
}

#[test]
fn signatures_are_those_of_the_headers() {
    match include_dir() {
        Some(include) => check(&include, "13.0", |_| true, 669),
        None => eprintln!("not judged: no CUDA 13.0 headers"),
    }
}

#[test]
fn signatures_are_those_of_the_headers_of_12_9() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.toolkit/cuda-12.9/include");
    if !include.join("cuda.h").is_file() {
        eprintln!("not judged: no CUDA 12.9 headers");
        return;
    }
    // `cudaTypedefs.h` of 13.0 dates it before the release whose headers have it.
    let early = |entry: &cuda::table::Entry| entry.name == "cuGreenCtxGetId";
    let wanted = |entry: &cuda::table::Entry| !early(entry) && entry.since <= 12_090;
    check(&include, "12.9", wanted, 651);
}

/// Holds the rows that are `wanted` (as many as `count`) against the headers of a version.
fn check(
    include: &Path,
    version: &str,
    wanted: impl Fn(&cuda::table::Entry) -> bool,
    count: usize,
) {
    let Some(compiler) = ["clang-19", "clang", "gcc"]
        .into_iter()
        .find(|c| Command::new(c).arg("--version").output().is_ok())
    else {
        eprintln!("not judged: no C compiler");
        return;
    };
    let mut source = String::from(PREAMBLE);
    let mut judged = 0;
    for entry in cuda::table::rows().filter(|e| is_declared(e.name) && wanted(e)) {
        // A per-thread form is the plain form under another name.
        let declared = entry
            .name
            .strip_suffix("_ptsz")
            .or_else(|| entry.name.strip_suffix("_ptds"));
        let types: Vec<_> = entry.parameters.iter().map(|t| c_type(t)).collect();
        let types = if types.is_empty() {
            "void".to_owned()
        } else {
            types.join(", ")
        };
        source.push_str(&format!(
            "CUresult (CUDAAPI *check_{})({types}) = {};\n",
            entry.name,
            declared.unwrap_or(entry.name)
        ));
        judged += 1;
    }
    assert_eq!(judged, count);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("signatures-{version}.c"));
    std::fs::write(&file, source).expect("write the C file");
    let output = Command::new(compiler)
        .args([
            "-std=c11",
            "-fsyntax-only",
            "-Werror",
            "-Wno-unused",
            "-x",
            "c",
        ])
        .arg("-I")
        .arg(include)
        .arg(&file)
        .output()
        .expect("run the compiler");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn table_versions_are_those_of_the_pointer_types() {
    let Some(include) = include_dir() else {
        eprintln!("not judged: no CUDA 13.0 headers");
        return;
    };
    // `PFN_cuMemAlloc_v3020` in cudaTypedefs.h: name and introduction version.
    let mut known = std::collections::HashSet::new();
    for header in [
        "cudaTypedefs.h",
        "cudaGLTypedefs.h",
        "cudaEGLTypedefs.h",
        "cudaVDPAUTypedefs.h",
        "cudaProfilerTypedefs.h",
    ] {
        let text = std::fs::read_to_string(include.join(header)).expect("header");
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let word = word
                .strip_suffix("_ptsz")
                .or_else(|| word.strip_suffix("_ptds"))
                .unwrap_or(word);
            let parts = word.strip_prefix("PFN_").and_then(|w| w.rsplit_once("_v"));
            let parts =
                parts.and_then(|(name, version)| Some((name, version.parse::<i32>().ok()?)));
            if let Some((name, version)) = parts {
                known.insert((name.to_owned(), version));
            }
        }
    }
    let wrong: Vec<_> = cuda::table::rows()
        .filter(|e| e.since > 0 && !known.contains(&(e.base().to_owned(), e.since)))
        .map(|e| format!("{} since {}", e.name, e.since))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
