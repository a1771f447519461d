//! Compares the table of struct sizes with NVIDIA's public headers themselves, version by version: `ANTLERITE_OPEN_MODULES`
//! names a git checkout of open-gpu-kernel-modules with its tags. Where it is not set: not judged.
#![expect(clippy::print_stdout, reason = "says what it judged, and why not")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use abi::nv::sizes::{Sizes, Version};

/// Branches of the driver; the newest tag of each is looked at.
const BRANCHES: [&str; 6] = ["535.", "550.", "570.", "580.", "590.", "595."];
/// Where the headers are.
const INTERFACE: &str = "src/common/sdk/nvidia/inc";
const FOLDERS: [&str; 5] = [
    INTERFACE,
    "src/nvidia/arch/nvalloc/unix/include",
    "kernel-open/common/inc",
    "kernel-open/nvidia-uvm",
    "src/common/inc",
];
/// Headers outside of [`INTERFACE`] that hold structs of ioctls.
const MORE: [&str; 6] = [
    "kernel-open/nvidia-uvm/uvm_ioctl.h",
    "kernel-open/nvidia-uvm/uvm_linux_ioctl.h",
    "kernel-open/nvidia-uvm/uvm_types.h",
    "src/nvidia/arch/nvalloc/unix/include/nv-ioctl.h",
    "src/nvidia/arch/nvalloc/unix/include/nv-ioctl-numa.h",
    "src/nvidia/arch/nvalloc/unix/include/nv-unix-nvos-params-wrappers.h",
];

fn git(checkout: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(checkout)
        .args(words)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Unpacks the headers of a tag.
fn unpack(checkout: &Path, tag: &str, to: &Path) {
    let mut archive = Command::new("git")
        .arg("-C")
        .arg(checkout)
        .args(["archive", tag])
        .args(FOLDERS)
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    let pipe = archive.stdout.take().expect("a pipe");
    let unpacked = Command::new("tar")
        .arg("-x")
        .arg("-C")
        .arg(to)
        .stdin(pipe)
        .status();
    assert!(unpacked.expect("tar runs").success(), "{tag}");
    assert!(archive.wait().expect("git ends").success(), "{tag}");
}

fn headers(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            headers(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "h") {
            out.push(path);
        }
    }
}

/// Names that a header defines as types: what stands between a closing brace, or a known type, and a semicolon.
fn defined(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        let rest = line
            .strip_prefix('}')
            .or_else(|| line.strip_prefix("typedef "));
        if let Some(rest) = rest
            && let Some((before, _)) = rest.split_once(';')
            && let Some(name) = before.split_whitespace().last()
        {
            names.insert(name);
        }
    }
    names
}

/// Sizes of the table's structs as the C compiler sees them.
fn measured(dir: &Path, names: &[&str]) -> Vec<(String, u32)> {
    let mut files = Vec::new();
    headers(&dir.join(INTERFACE), &mut files);
    files.extend(
        MORE.iter()
            .map(|name| dir.join(name))
            .filter(|path| path.exists()),
    );
    let mut program = "#include <stdio.h>\n#include <stddef.h>\n".to_owned();
    let mut text = String::new();
    for file in &files {
        let _ = writeln!(program, "#include \"{}\"", file.display());
        text += &String::from_utf8_lossy(&std::fs::read(file).expect("readable"));
    }
    let there = defined(&text);
    program += "int main(void) {\n";
    for name in names.iter().filter(|name| there.contains(*name)) {
        let _ = writeln!(program, "printf(\"{name} %zu\\n\", sizeof({name}));");
    }
    program += "return 0; }\n";
    let (source, binary) = (dir.join("sizes.c"), dir.join("sizes"));
    std::fs::write(&source, program).expect("written");
    let mut compiler = Command::new("cc");
    compiler.args(["-w", "-o"]).arg(&binary).arg(&source);
    for folder in FOLDERS {
        compiler.arg("-I").arg(dir.join(folder));
    }
    let compiled = compiler.output().expect("cc runs");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let printed = Command::new(&binary).output().expect("the program runs");
    String::from_utf8(printed.stdout)
        .expect("UTF-8")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, size)| (name.to_owned(), size.parse().expect("a number")))
        .collect()
}

#[test]
fn sizes_are_the_headers_of_each_branch() {
    let Some(checkout) = std::env::var_os("ANTLERITE_OPEN_MODULES").map(PathBuf::from) else {
        println!("not judged: set ANTLERITE_OPEN_MODULES to a checkout of open-gpu-kernel-modules");
        return;
    };
    let names: Vec<&str> = include_str!("../data/sizes.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split('\t').next())
        .collect();
    let tags = git(&checkout, &["tag"]);
    for branch in BRANCHES {
        let newest = tags
            .lines()
            .filter(|tag| tag.starts_with(branch))
            .filter_map(|tag| Some((Version::parse(tag)?, tag)))
            .max();
        let Some((version, tag)) = newest else {
            println!("not judged: the checkout has no tag {branch}*");
            continue;
        };
        let dir =
            std::env::temp_dir().join(format!("antlerite-headers-{}-{tag}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        unpack(&checkout, tag, &dir);
        let sizes = Sizes::at(version);
        let found = measured(&dir, &names);
        std::fs::remove_dir_all(&dir).expect("removed");
        let wrong: Vec<_> = found
            .iter()
            .filter(|(name, size)| sizes.of(name) != Some(*size))
            .map(|(name, size)| (name, size, sizes.of(name)))
            .collect();
        println!("{tag}: {} structs", found.len());
        assert!(found.len() > 1000, "{tag}: {} structs", found.len());
        assert!(wrong.is_empty(), "{tag}: header, table: {wrong:?}");
    }
}
