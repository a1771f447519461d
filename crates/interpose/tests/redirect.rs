//! The loader hooks at work on small programs made by cc, and on nvcc's where a toolkit is there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

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
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

fn cc(flags: &[&str], out: &Path, sources: &[PathBuf]) {
    run(Command::new("cc")
        .args(["-O1", "-o"])
        .arg(out)
        .args(sources)
        .args(flags)
        .args(["-lpthread", "-ldl"]));
}

fn tree() -> &'static Tree {
    static TREE: OnceLock<Tree> = OnceLock::new();
    TREE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let own = std::env::current_exe().expect("a path");
        let hooks = own
            .ancestors()
            .map(|folder| folder.join("libinterpose.so"))
            .find(|library| library.is_file())
            .expect("cargo builds the library before its tests");
        std::fs::copy(hooks, at("libantlerite_interpose.so")).expect("copied");
        let both = [source("main.c"), source("static_runtime.c")];
        cc(
            &["-shared", "-fPIC"],
            &at("libcudart.so.13"),
            &[source("our_runtime.c")],
        );
        cc(&["-pie", "-fPIE"], &at("pie"), &both);
        cc(&["-no-pie", "-fno-pie"], &at("fixed"), &both);
        // Not beside our libraries: those are left alone.
        std::fs::create_dir(at("plugins")).expect("made");
        cc(&["-shared", "-fPIC"], &at("plugins/plugin.so"), &both[1..]);
        cc(&["-pie", "-fPIE"], &at("opener"), &both[..1]);
        Tree { folder }
    })
}

impl Tree {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn hooked(&self, program: &str) -> Command {
        // A program led to itself would spin for ever.
        let mut command = Command::new("timeout");
        command.arg("30").arg(self.at(program));
        let hooks = self.at("libantlerite_interpose.so");
        command
            .env("LD_AUDIT", &hooks)
            .env("LD_PRELOAD", &hooks)
            .env_remove("ANTLERITE_TRACE")
            .env_remove("ANTLERITE_RUNTIME_MINOR");
        command
    }
}

fn text(output: &Output) -> (String, String) {
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

const SERVED: &str = "ours register 0\nours cudaMalloc 1 123\nours cudaMemcpy 0 x 1 2\n\
                      ours cudaGetLastError, call 1 of this runtime\nours cudaLogsCurrent 1 4\nown cudaMine\n\
                      sum 1000 mine 5 version 13000\n";

#[test]
fn programs_without_hooks_use_their_own_runtime() {
    let output = Command::new(tree().at("pie")).output().expect("started");
    assert!(
        text(&output)
            .0
            .starts_with("static register\nstatic cudaMalloc\n")
    );
}

#[test]
fn programs_are_redirected_before_their_constructors_run() {
    for program in ["pie", "fixed"] {
        let output = tree().hooked(program).output().expect("started");
        let (stdout, stderr) = text(&output);
        assert_eq!(
            (stdout.as_str(), stderr.as_str()),
            (SERVED, ""),
            "{program}"
        );
        assert!(output.status.success(), "{program}: {}", output.status);
    }
}

#[test]
fn libraries_opened_later_are_redirected() {
    let output = tree()
        .hooked("opener")
        .arg("open")
        .arg(tree().at("plugins/plugin.so"))
        .output()
        .expect("started");
    assert_eq!(text(&output), (SERVED.to_owned(), String::new()));
}

#[test]
fn each_object_has_a_runtime_of_its_own() {
    let output = tree()
        .hooked("pie")
        .arg("open")
        .arg(tree().at("plugins/plugin.so"))
        .output()
        .expect("started");
    // The program's own registration comes first, then the library's.
    let (registered, rest) = SERVED.split_once('\n').expect("lines");
    let expected = format!("{registered}\n{registered}\n{rest}{rest}");
    assert_eq!(text(&output), (expected, String::new()));
}

#[test]
fn threads_and_children_are_served() {
    let output = tree()
        .hooked("pie")
        .arg("threads")
        .output()
        .expect("started");
    assert!(
        output.status.success(),
        "{}: {:?}",
        output.status,
        text(&output)
    );
    let output = tree()
        .hooked("fixed")
        .arg("fork")
        .output()
        .expect("started");
    assert!(
        output.status.success(),
        "{}: {:?}",
        output.status,
        text(&output)
    );
    assert!(text(&output).0.ends_with(SERVED));
}

#[test]
fn stripped_programs_are_told_what_to_do() {
    let tree = tree();
    let segment = "__attribute__((section(\".nvFatBinSegment\"))) const long segment[3] = {1};";
    std::fs::write(tree.at("segment.c"), segment).expect("written");
    cc(
        &["-s", "-pie", "-fPIE"],
        &tree.at("stripped"),
        &[
            source("main.c"),
            source("static_runtime.c"),
            tree.at("segment.c"),
        ],
    );
    let (_, stderr) = text(&tree.hooked("stripped").output().expect("started"));
    assert!(stderr.contains("-cudart shared"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn programs_with_our_static_runtime_are_left_alone() {
    let tree = tree();
    std::fs::write(tree.at("ours.c"), "char antlerite_cudart_handles[16];").expect("written");
    cc(
        &["-pie", "-fPIE"],
        &tree.at("ours"),
        &[
            source("main.c"),
            source("static_runtime.c"),
            tree.at("ours.c"),
        ],
    );
    let (stdout, stderr) = text(&tree.hooked("ours").output().expect("started"));
    assert!(stdout.starts_with("static register\n"), "{stdout}");
    assert_eq!(stderr, "");
}

#[test]
fn a_runtime_in_another_folder_is_replaced_by_ours() {
    let tree = tree();
    let wheel = tree.at("wheel");
    std::fs::create_dir_all(&wheel).expect("made");
    std::fs::write(
        tree.at("wheel.c"),
        "#include <stdio.h>\nint cudaGetLastError(void) { puts(\"wheel\"); return 1; }\n",
    )
    .expect("written");
    let library = wheel.join("libcudart.so.13");
    cc(
        &["-shared", "-fPIC", "-Wl,-soname,libcudart.so.13"],
        &library,
        &[tree.at("wheel.c")],
    );
    std::fs::write(
        tree.at("user.c"),
        "int cudaGetLastError(void);\nint main(void) { return cudaGetLastError() != 300; }\n",
    )
    .expect("written");
    let rpath = format!("-Wl,-rpath,{}", wheel.display());
    cc(
        &[library.to_str().expect("UTF-8"), &rpath],
        &tree.at("user"),
        &[tree.at("user.c")],
    );
    let plain = Command::new(tree.at("user")).output().expect("started");
    assert_eq!(text(&plain).0, "wheel\n");
    let output = tree.hooked("user").output().expect("started");
    assert_eq!(
        text(&output),
        (
            "ours cudaGetLastError, call 1 of this runtime\n".to_owned(),
            String::new()
        )
    );
    assert!(output.status.success());
}

#[test]
fn programs_without_cuda_run_as_ever() {
    for (program, arguments) in [("/bin/true", &[][..]), ("/bin/sh", &["-c", "exit 0"][..])] {
        let mut command = tree().hooked(program);
        let output = command.args(arguments).output().expect("started");
        assert!(output.status.success(), "{program}");
        assert_eq!(text(&output), (String::new(), String::new()), "{program}");
    }
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

#[test]
fn the_real_static_runtime_is_redirected_whole() {
    let Some(nvcc) = nvcc() else {
        eprintln!("not judged: no nvcc (ANTLERITE_TOOLKIT)");
        return;
    };
    let tree = tree();
    std::fs::write(
        tree.at("real.cu"),
        "#include <cstdio>\n__global__ void kernel() {}\nint main(int count, char **) {\n\
         if (count > 1) kernel<<<1, 1>>>();\nint version = 0; cudaRuntimeGetVersion(&version);\n\
         printf(\"%d %d\\n\", cudaGetLastError(), version); }\n",
    )
    .expect("written");
    for (name, flags) in [
        ("real", &[][..]),
        (
            "real-fixed",
            &["-Xcompiler", "-no-pie", "-Xlinker", "-no-pie"],
        ),
    ] {
        run(Command::new(&nvcc)
            .arg("-o")
            .arg(tree.at(name))
            .arg(tree.at("real.cu"))
            .args(flags));
        let mut command = tree.hooked(name);
        let output = command
            .env("ANTLERITE_TRACE", "interpose")
            .output()
            .expect("started");
        let (stdout, stderr) = text(&output);
        assert!(
            stdout.ends_with("ours cudaGetLastError, call 1 of this runtime\n300 13000\n"),
            "{stdout}{stderr}"
        );
        assert!(
            stderr.contains("422 functions of CUDA 13 redirected, 0 too short"),
            "{stderr}"
        );
    }
}
