//! Programs that use the library as built, over a driver that logs its calls.
#![cfg(feature = "major-13")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where the library, the driver and the programs are.
struct Tree {
    folder: tempfile::TempDir,
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn tree() -> &'static Tree {
    static TREE: OnceLock<Tree> = OnceLock::new();
    TREE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let own = std::env::current_exe().expect("a path");
        let archive = own
            .ancestors()
            .map(|folder| folder.join("libcudart.a"))
            .find(|archive| archive.is_file())
            .expect("cargo builds the static library before the tests");
        run(Command::new("cc")
            .args(["-shared", "-o"])
            .arg(at("libcudart.so.13"))
            .arg("-Wl,-soname,libcudart.so.13")
            .arg(format!(
                "-Wl,--version-script={}",
                source("libcudart.so.13.map").display()
            ))
            .arg("-Wl,--whole-archive")
            .arg(archive)
            .args(["-Wl,--no-whole-archive", "-Wl,--gc-sections"])
            .args(["-lpthread", "-ldl", "-lm", "-lgcc_s"]));
        std::fs::create_dir(at("driver")).expect("made");
        run(Command::new("cc")
            .args(["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o"])
            .arg(at("driver/libcuda.so.1"))
            .arg(source("tests/mock/libcuda.c")));
        run(Command::new("cc")
            .arg("-o")
            .arg(at("calls"))
            .arg(source("tests/calls.c"))
            .arg(at("libcudart.so.13"))
            .arg("-lpthread"));
        Tree { folder }
    })
}

/// What a program wrote.
struct Seen {
    stdout: String,
    /// The driver's log, and what the runtime had to say.
    stderr: String,
}

impl Tree {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, program: &Path, driver: bool) -> Command {
        let mut command = Command::new("timeout");
        command.arg("60").arg(program);
        let mut path = self.folder.path().as_os_str().to_owned();
        if driver {
            path.push(":");
            path.push(self.at("driver"));
        }
        command
            .env("LD_LIBRARY_PATH", path)
            .env_remove("CUDA_MODULE_LOADING");
        command
    }

    fn calls(&self, part: &str, variables: &[(&str, &str)]) -> Seen {
        let mut command = self.program(&self.at("calls"), true);
        command.arg(part).envs(variables.iter().copied());
        seen(&mut command)
    }
}

fn seen(command: &mut Command) -> Seen {
    let output = command.output().expect("started");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{stdout}\n{stderr}",
        output.status
    );
    Seen { stdout, stderr }
}

#[test]
fn memory_calls_reach_the_driver() {
    let seen = tree().calls("basic", &[]);
    let expected = "malloc 0\nmemset 0\nmemcpy 0\nbyte 7\ndirection 21\nnothing 0\n\
                    memset per thread 0\nmemcpy per thread 0\nsynchronize 0\n\
                    synchronize per thread 0\nfree 0\nfree null 0\nmalloc nothing 0\nnull 1\n\
                    malloc nowhere 1\ndevice 101\nno such driver function 36\nunsupported 801\n\
                    pointer 0\ntype 0 device -2 host 1\nentry point 0\nfound 1 status 0\n\
                    entry point 0\nfound 0 status 1\n";
    assert_eq!(seen.stdout, expected);
    let log: Vec<_> = seen.stderr.lines().map(str::trim_end).collect();
    let expected = [
        "cuInit 0",
        "cuDevicePrimaryCtxRetain 0",
        "cuCtxSetCurrent 0x100",
        "cuMemAlloc_v2 64",
        "cuMemsetD8_v2 7 64",
        "cuMemcpyDtoH_v2 64",
        "cuMemsetD8_v2_ptds 9 64",
        "cuMemcpyDtoH_v2_ptds 64",
        "cuStreamSynchronize 0",
        "cuStreamSynchronize 2",
        "cuMemFree_v2",
        "antlerite: cudaDeviceGetNvSciSyncAttributes is not supported (needs hardware): error 801",
        "cuPointerGetAttributes 5",
        "cuGetProcAddress_v2 cuInit 13000 0",
        "cuGetProcAddress_v2 cuNone 13000 0",
    ];
    assert_eq!(log, expected);
}

#[test]
fn errors_are_kept_until_they_are_asked_for() {
    let seen = tree().calls("last-error", &[]);
    assert_eq!(seen.stdout, "peek 0\npeek 101\nget 101\nget 0\n");
    let lost = tree().calls("last-error", &[("MOCK_FAIL", "cuMemAlloc_v2:700")]);
    assert_eq!(lost.stdout, "peek 0\npeek 101\nget 700\nget 700\n");
}

#[test]
fn threads_have_their_own_device_and_error() {
    let seen = tree().calls("threads", &[("MOCK_DEVICES", "2")]);
    assert_eq!(
        seen.stdout,
        "set 0\nother last error 0\nother device 0\ndevice 1\nlast error 101\n"
    );
}

#[test]
fn modules_load_when_a_kernel_is_used() {
    let seen = tree().calls("launch", &[]);
    let expected = "before 98\nlaunch 0\nwide 9\nnone 9\nnext 0\nsize 0\nbytes 16\ninto 0\n\
                    beyond 1\nfrom host 21\nstranger 13\nmanaged 1\nafter 98\n";
    assert_eq!(seen.stdout, expected);
    let loads = seen
        .stderr
        .lines()
        .filter(|line| line.starts_with("cuLibraryLoadData"))
        .count();
    assert_eq!(loads, 1, "{}", seen.stderr);
    assert!(
        seen.stderr
            .contains("cuLaunchKernel 0x300 <<<2 1 1, 32 1 1, 0, 2>>>"),
        "{}",
        seen.stderr
    );
    assert!(seen.stderr.contains("cuLibraryUnload"), "{}", seen.stderr);
}

#[test]
fn errors_of_loading_reach_the_launch() {
    for code in ["209", "218", "222"] {
        let fail = format!("cuLibraryLoadData:{code}");
        let seen = tree().calls("launch", &[("MOCK_FAIL", &fail)]);
        assert!(
            seen.stdout.contains(&format!("launch {code}\n")),
            "{}",
            seen.stdout
        );
    }
}

#[test]
fn drivers_that_do_not_fit_are_refused() {
    let seen = tree().calls("versions", &[]);
    assert!(seen.stdout.contains("devices 1\n"), "{}", seen.stdout);
    assert!(
        seen.stdout.contains("versions 13000 13000\n"),
        "{}",
        seen.stdout
    );

    let newer = tree().calls("versions", &[("MOCK_VERSION", "13020")]);
    assert!(
        newer.stdout.contains("versions 13020 13000\n"),
        "{}",
        newer.stdout
    );

    let old = tree().calls("versions", &[("MOCK_VERSION", "12090")]);
    let text = "cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime \
                version\n";
    assert!(old.stdout.starts_with("count 35\n"), "{}", old.stdout);
    assert!(
        old.stdout.contains("versions 12090 13000\n"),
        "{}",
        old.stdout
    );
    assert!(old.stdout.ends_with(text), "{}", old.stdout);

    let none = tree().calls("versions", &[("MOCK_INIT", "100")]);
    assert!(
        none.stdout.starts_with("count 100\ndevices 0\n"),
        "{}",
        none.stdout
    );
    let text = "cudaErrorNoDevice: no CUDA-capable device is detected\n";
    assert!(none.stdout.ends_with(text), "{}", none.stdout);

    let missing = seen_without_driver();
    assert!(
        missing.stdout.starts_with("count 35\n"),
        "{}",
        missing.stdout
    );
    assert!(
        missing.stdout.contains("versions 0 13000\n"),
        "{}",
        missing.stdout
    );
}

fn seen_without_driver() -> Seen {
    let tree = tree();
    let mut command = tree.program(&tree.at("calls"), false);
    seen(command.arg("versions"))
}

#[test]
fn the_minor_version_can_be_told() {
    let seen = tree().calls("versions", &[("ANTLERITE_RUNTIME_MINOR", "2")]);
    assert!(
        seen.stdout.contains("versions 13000 13020\n"),
        "{}",
        seen.stdout
    );
}

#[test]
fn properties_have_the_layout_of_the_major() {
    let seen = tree().calls("properties", &[]);
    assert_eq!(
        seen.stdout,
        "properties 0\nMock 0 9.0 block 1024 1024 64\nend 55555555\n"
    );
}

/// nvcc, if a toolkit is there.
fn nvcc() -> Option<PathBuf> {
    let given = std::env::var_os("ANTLERITE_TOOLKIT").map(PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.toolkit/cuda-13.0");
    let roots = given.into_iter().chain([own]);
    roots
        .map(|root| root.join("bin/nvcc"))
        .find(|nvcc| nvcc.is_file())
}

const VECADD: &str = r#"
#include <cstdio>
__constant__ float scale;
__managed__ int counter;
__global__ void add(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += scale * a[i];
}
int main() {
    float *a, *b, host[64] = {0};
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    float one = 1;
    cudaMemcpyToSymbol(scale, &one, sizeof one);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    counter = 3;
    add<<<2, 32, 0, cudaStreamPerThread>>>(a, b, 64);
    printf("%s %d\n", cudaGetErrorName(cudaGetLastError()), counter);
}
"#;

#[test]
fn programs_built_by_nvcc_reach_the_driver() {
    let Some(nvcc) = nvcc() else {
        eprintln!("not judged: no nvcc (ANTLERITE_TOOLKIT)");
        return;
    };
    let tree = tree();
    std::fs::write(tree.at("vecadd.cu"), VECADD).expect("written");
    let program = tree.at("vecadd");
    run(Command::new(&nvcc)
        .args(["-cudart", "shared", "-o"])
        .arg(&program)
        .arg(tree.at("vecadd.cu")));
    let seen = seen(&mut tree.program(&program, true));
    assert_eq!(seen.stdout, "cudaSuccess 3\n", "{}", seen.stderr);
    let log: Vec<_> = seen
        .stderr
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let expected = [
        "cuInit",
        "cuDevicePrimaryCtxRetain",
        "cuCtxSetCurrent",
        "cuLibraryLoadData",
        "cuLibraryGetManaged",
        "cuMemAlloc_v2",
        "cuMemAlloc_v2",
        "cuLibraryGetGlobal",
        "cuMemcpyHtoD_v2",
        "cuMemcpyHtoD_v2",
        "cuLibraryGetKernel",
        "cuLaunchKernel",
        "cuLibraryUnload",
    ];
    assert_eq!(log, expected);
    assert!(
        seen.stderr.contains("<<<2 1 1, 32 1 1, 0, 2>>>"),
        "{}",
        seen.stderr
    );
}
