//! What nvcc itself writes. Needs a toolkit: `ANTLERITE_TOOLKIT`, or `make toolkit`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::print_stdout,
    reason = "a check that could not be made says so"
)]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use fatbin::{
    Choice, DEFAULT_PAYLOAD_LIMIT, Device, Flags, IsaVersion, Kind, Policy, Sm, Verdict,
    host::{Runtime, fatbins_in_executable},
    ptx_header, select,
};

const SOURCE: &str = "__global__ void k(int *p) { *p = 1; }\n\
    int main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n";

fn toolkit() -> Option<PathBuf> {
    let root = std::env::var_os("ANTLERITE_TOOLKIT").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.toolkit/cuda-13.0"),
        PathBuf::from,
    );
    root.join("bin/nvcc").is_file().then_some(root)
}

/// Builds the source with `flags`, or says why not.
fn build(name: &str, flags: &[&str]) -> Option<Vec<u8>> {
    let Some(root) = toolkit() else {
        println!("not judged: no nvcc (set ANTLERITE_TOOLKIT or run make toolkit)");
        return None;
    };
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    let source = dir.join("k.cu");
    std::fs::write(&source, SOURCE).unwrap();
    let output = dir.join("k");
    let status = Command::new(root.join("bin/nvcc"))
        .env_remove("NVCC_APPEND_FLAGS")
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&output)
        .status()
        .unwrap();
    assert!(status.success(), "nvcc {flags:?}");
    Some(std::fs::read(output).unwrap())
}

const H100: Device = Device {
    cc: Sm::new(90),
    isa: IsaVersion::new(9, 0),
};

#[test]
fn default_build_has_ptx_for_an_h100() {
    for (name, flags, codec) in [
        ("default", &[][..], Flags::ZSTD),
        ("speed", &["-compress-mode=speed"][..], Flags::LZ4),
        ("none", &["-compress-mode=none"][..], 0),
        ("sm90", &["-arch=sm_90"][..], Flags::ZSTD),
        (
            "ptx90",
            &["-gencode", "arch=compute_90,code=compute_90"][..],
            Flags::ZSTD,
        ),
    ] {
        let Some(file) = build(name, flags) else {
            return;
        };
        let host = fatbins_in_executable(&file).unwrap();
        assert_eq!(host.runtime, Runtime::Static, "{name}");
        assert_eq!(host.toolkit().map(|release| release.0), Some(13), "{name}");
        assert!(host.wrappers >= 1, "{name}");
        let chosen = host
            .containers
            .iter()
            .filter_map(|host| {
                let entries = host.container.to_entries().unwrap();
                select(&entries, H100, Policy::default(), |_| Verdict::Foreign).ok()
            })
            .find_map(|choice| match choice {
                Choice::Ptx { entry, notice } => {
                    assert_eq!(notice, None, "{name}");
                    Some(entry)
                }
                Choice::Cubin(_) => None,
            })
            .unwrap();
        assert_eq!(chosen.flags.0 & (Flags::ZSTD | Flags::LZ4), codec, "{name}");
        let text = chosen.ptx_text(DEFAULT_PAYLOAD_LIMIT).unwrap();
        assert!(text.contains(".entry"), "{name}");
        let header = ptx_header(&text).unwrap();
        assert_eq!(header.target, chosen.sm, "{name}");
        assert_eq!(header.version, chosen.version, "{name}");
    }
}

#[test]
fn shared_runtime_is_seen() {
    let Some(file) = build("shared", &["-cudart", "shared"]) else {
        return;
    };
    let host = fatbins_in_executable(&file).unwrap();
    assert_eq!(host.runtime, Runtime::Shared { major: 13 });
}

#[test]
fn cubins_end_where_the_elf_says() {
    let Some(file) = build("cubin", &["-arch=sm_90"]) else {
        return;
    };
    let host = fatbins_in_executable(&file).unwrap();
    let mut seen = 0;
    for entry in host
        .containers
        .iter()
        .flat_map(|host| host.container.to_entries().unwrap())
        .filter(|entry| entry.kind == Kind::Cubin)
    {
        let payload = entry.payload(DEFAULT_PAYLOAD_LIMIT).unwrap();
        let size = fatbin::elf_size(&payload).unwrap();
        assert!(
            size <= payload.len() && payload.len() - size < 8,
            "{size} of {}",
            payload.len()
        );
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn architecture_specific_targets_carry_their_suffix() {
    let Some(file) = build("sm90a", &["-gencode", "arch=compute_90a,code=compute_90a"]) else {
        return;
    };
    let host = fatbins_in_executable(&file).unwrap();
    let targets: Vec<Sm> = host
        .containers
        .iter()
        .flat_map(|host| host.container.to_entries().unwrap())
        .filter(|entry| entry.kind == Kind::Ptx)
        .map(|entry| entry.sm)
        .collect();
    assert!(targets.contains(&Sm::arch(90)), "{targets:?}");
}
