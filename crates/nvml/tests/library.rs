//! The shared library as clients see it: its name, its symbols, and nvidia-ml-py on top.

mod support;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::Command;

use support::TestServer;

/// The library, where cargo has left it beside the tests.
fn library() -> Option<PathBuf> {
    // Not the copy one directory up, which only `cargo build` renews.
    Some(support::built().join("deps/libnvml.so")).filter(|path| path.is_file())
}

#[test]
fn exports_are_the_table_and_the_name_is_nvidias() {
    let Some(library) = library() else {
        eprintln!("not judged: libnvml.so is not built");
        return;
    };
    let bytes = std::fs::read(&library).expect("read");
    let file = object::File::parse(&*bytes).expect("ELF");
    let exports: HashSet<String> = object::Object::exports(&file)
        .expect("exports")
        .iter()
        .map(|export| String::from_utf8_lossy(export.name()).into_owned())
        .filter(|name| name.starts_with("nvml"))
        .collect();
    let mut table: HashSet<String> = nvml::table::rows().map(|row| row.name.to_owned()).collect();
    table.insert("nvmlErrorString".into());
    assert_eq!(exports, table);
    assert!(
        bytes
            .windows(18)
            .any(|window| window == b"libnvidia-ml.so.1\0"),
        "no SONAME"
    );
}

#[test]
fn nvidia_ml_py_reads_the_gpu() {
    let python = std::env::var("ANTLERITE_PYNVML_PYTHON").unwrap_or_else(|_| "python3".into());
    let has = Command::new(&python).args(["-c", "import pynvml"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!("not judged: {python} has no pynvml; set ANTLERITE_PYNVML_PYTHON");
        return;
    }
    let Some(library) = library() else {
        eprintln!("not judged: libnvml.so is not built");
        return;
    };
    let Some(server) = TestServer::start(&["--gpu", "h100:2"]) else {
        return;
    };
    let dir = tempfile::tempdir().expect("temporary directory");
    std::os::unix::fs::symlink(library, dir.path().join("libnvidia-ml.so.1")).expect("link");
    let script = "\
import pynvml as n
from ctypes import cast, c_void_p
number = lambda handle: cast(handle, c_void_p).value
n.nvmlInit()
print(n.nvmlSystemGetDriverVersion(), n.nvmlSystemGetCudaDriverVersion(), n.nvmlDeviceGetCount())
for i in range(n.nvmlDeviceGetCount()):
    d = n.nvmlDeviceGetHandleByIndex(i)
    m = n.nvmlDeviceGetMemoryInfo(d)
    v2 = n.nvmlDeviceGetMemoryInfo(d, version=n.nvmlMemory_v2)
    assert m.total == v2.total and m.free == v2.free
    p = n.nvmlDeviceGetPciInfo(d)
    assert number(n.nvmlDeviceGetHandleByPciBusId(p.busId)) == number(d)
    assert n.nvmlDeviceGetComputeRunningProcesses(d) == []
    assert n.nvmlDeviceGetUtilizationRates(d).gpu == 0
    print(n.nvmlDeviceGetName(d), n.nvmlDeviceGetUUID(d), m.total, n.nvmlDeviceGetCudaComputeCapability(d))
    try:
        n.nvmlDeviceGetFanSpeed(d)
        raise SystemExit('fan')
    except n.NVMLError_NotSupported as e:
        assert str(e) == 'Not Supported'
try:
    n.nvmlDeviceGetHandleByIndex(99)
    raise SystemExit('99')
except n.NVMLError_InvalidArgument:
    pass
n.nvmlShutdown()
";
    let output = Command::new(&python)
        .args(["-c", script])
        .env("LD_LIBRARY_PATH", dir.path())
        .output()
        .expect("python");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut wanted = String::from("580.142 13000 2\n");
    for gpu in server.status().gpus {
        wanted += &format!("{} {} {} (9, 0)\n", gpu.name, gpu.uuid, gpu.total);
    }
    assert_eq!(text, wanted);
}
