//! The JIT as a user meets it: the cache on disk and the variables that rule it, and which driver runs what.
#![expect(
    clippy::print_stdout,
    reason = "what was measured belongs into the test's output"
)]

use std::{collections::BTreeMap, fs, path::PathBuf, process::Command, time::Duration};

use libtest_mimic::{Failed, Trial};

use crate::{
    build::{self, Build},
    directives::{Directives, Door, End, Seen},
    launch,
    places::Places,
};

type Test = fn(&Places) -> Result<(), Failed>;

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    let tests: [(&str, Test); 10] = [
        ("jit/the-cache-is-filled-and-used", cache_is_used),
        ("jit/what-is-linked-is-kept", links_are_kept),
        ("jit/spoilt-entries-are-compiled-again", spoilt_entries),
        ("jit/killed-programs-leave-whole-entries", killed_programs),
        ("jit/the-caches-variables-are-obeyed", cache_variables),
        ("jit/the-choice-of-images-can-be-forced", forced_choice),
        ("jit/drivers-and-runtimes-fit-by-the-rules", versions),
        ("jit/strict-drivers-refuse-newer-ptx", isa_versions),
        ("jit/nvcc-with-our-ptxas-makes-native-programs", tool_chain),
        ("jit/nvjitlink-makes-cubins-that-run", nvjitlink),
    ];
    tests
        .into_iter()
        .map(|(name, test)| {
            let reason = places.missing_for(Build::Ptx90, Door::Socket).or_else(|| {
                let tools = ["toolkit/bin/ptxas", "lib/libnvJitLink.so.13"];
                tools
                    .into_iter()
                    .map(|tool| places.dist.join(tool))
                    .find(|tool| !tool.exists())
                    .map(|tool| format!("no {} (make)", tool.display()))
            });
            let ignored = reason.is_some();
            if let Some(reason) = reason {
                missing.entry(reason).or_default().push(name.into());
            }
            let places = places.clone();
            Trial::test(name, move || test(&places)).with_ignored_flag(ignored)
        })
        .collect()
}

/// A program and a cache of its own.
struct Session<'a> {
    places: &'a Places,
    program: PathBuf,
    cache: PathBuf,
}

impl<'a> Session<'a> {
    fn new(places: &'a Places, program: &str, build: Build, name: &str) -> Result<Self, Failed> {
        let source = places.root.join("tests/conformance").join(program);
        let directives =
            Directives::parse(&fs::read_to_string(&source)?).map_err(|error| error.to_string())?;
        let cache = places
            .cache
            .join(format!("jit-{name}-{}", std::process::id()));
        if cache.exists() {
            fs::remove_dir_all(&cache)?;
        }
        Ok(Self {
            places,
            program: build::binary(places, &source, &directives, build)?.path,
            cache,
        })
    }

    fn run(&self, launcher: &[&str], variables: &[(&str, &str)]) -> Result<Seen, Failed> {
        let mut command = Command::new(self.places.dist.join("bin/antlerite"));
        command
            .arg("run")
            .args(launcher)
            .arg(&self.program)
            .env("CUDA_CACHE_PATH", &self.cache)
            .envs(variables.iter().copied());
        if launcher.is_empty() {
            command.env(
                "ANTLERITE_INSTANCE",
                format!("test-jit-{}", std::process::id()),
            );
        }
        launch::output(&mut command, Duration::from_secs(60))
    }

    /// Runs it, and fails unless it ends well.
    fn passes(&self, variables: &[(&str, &str)]) -> Result<Seen, Failed> {
        let seen = self.run(&[], variables)?;
        if seen.end == End::Exit(0) {
            return Ok(seen);
        }
        Err(format!(
            "{variables:?}: {}\n{}{}",
            seen.end, seen.stdout, seen.stderr
        )
        .into())
    }

    /// Files of the cache.
    fn entries(&self) -> Result<Vec<PathBuf>, Failed> {
        let mut files = Vec::new();
        if !self.cache.exists() {
            return Ok(files);
        }
        for sub in fs::read_dir(&self.cache)? {
            for file in fs::read_dir(sub?.path())? {
                files.push(file?.path());
            }
        }
        Ok(files)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // What stays is in the build directory.
        let _ = fs::remove_dir_all(&self.cache);
    }
}

/// What is wrong with an entry, if anything: it must be whole, by its own hash, unless it never got its name.
fn entry_defect(entry: &std::path::Path) -> Result<Option<String>, Failed> {
    let unfinished = entry
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("tmp-"));
    let whole = unfinished || jit::store::contents(&fs::read(entry)?).is_some();
    Ok((!whole).then(|| entry.display().to_string()))
}

/// Eight programs at once that compile, killed at any time: every entry is whole or not there, and what the programs that
/// come after them compute is right. `ANTLERITE_KILLS` asks for more kills (`cargo xtask fuzz` for 200).
fn killed_programs(places: &Places) -> Result<(), Failed> {
    use std::os::unix::process::CommandExt;
    const AT_ONCE: usize = 8;
    let kills = std::env::var("ANTLERITE_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(16);
    let session = Session::new(places, "vecadd.cu", Build::Ptx90, "killed")?;
    // How long one takes from nothing: kills fall anywhere in that time.
    let start = std::time::Instant::now();
    session.passes(&[])?;
    let whole_run = start.elapsed();
    let mut random = ptx::fuzz::Random::new(7);
    let mut killed: usize = 0;
    while killed < kills {
        // Nothing to be found, so that all of them compile and write.
        for entry in session.entries()? {
            fs::remove_file(entry)?;
        }
        let mut running = Vec::new();
        for _ in 0..AT_ONCE {
            let child = Command::new(places.dist.join("bin/antlerite"))
                .arg("run")
                .arg(&session.program)
                .env("CUDA_CACHE_PATH", &session.cache)
                .env(
                    "ANTLERITE_INSTANCE",
                    format!("test-kill-{}", std::process::id()),
                )
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .process_group(0)
                .spawn()?;
            running.push(child);
        }
        for child in &mut running {
            let part = u32::try_from(random.below(1000)).unwrap_or(0);
            std::thread::sleep(whole_run * part / 1000 / u32::try_from(AT_ONCE / 2).unwrap_or(1));
            let group = rustix::process::Pid::from_child(child);
            // One that has ended already was not killed.
            if child.try_wait()?.is_none() {
                rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
                    .map_err(|error| error.to_string())?;
                killed += 1;
            }
            child.wait()?;
        }
        for entry in session.entries()? {
            if let Some(defect) = entry_defect(&entry)? {
                return Err(format!("after {killed} kills: {defect} is not whole").into());
            }
        }
        session.passes(&[])?;
    }
    println!("jit: {killed} programs killed, {AT_ONCE} at once");
    Ok(())
}

/// No compiler to be found: what runs nevertheless was in the cache.
const NO_COMPILER: (&str, &str) = ("ANTLERITE_PTXJIT", "/nonexistent/compiler.so");

fn check(holds: bool, what: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what().into()) }
}

fn cache_is_used(places: &Places) -> Result<(), Failed> {
    let session = Session::new(places, "vecadd.cu", Build::Ptx90, "used")?;
    session.passes(&[])?;
    check(!session.entries()?.is_empty(), || "nothing was kept".into())?;
    // The key holds the compiler's file, so a run that must not compile has to name the same one.
    let compiler = places.dist.join("lib/libnvidia-ptxjitcompiler.so.1");
    let before = session.entries()?.len();
    session.passes(&[("ANTLERITE_PTXJIT", &compiler.display().to_string())])?;
    check(session.entries()?.len() == before, || {
        "compiled again".into()
    })?;
    // Another device is another key.
    session.run(&["--gpu", "a100"], &[])?;
    check(session.entries()?.len() > before, || {
        "code for one device was used on another".into()
    })?;
    let without = session.run(&[], &[NO_COMPILER])?;
    check(without.end != End::Exit(0), || {
        "another compiler's code was used".into()
    })
}

fn links_are_kept(places: &Places) -> Result<(), Failed> {
    let session = Session::new(places, "driver_link.cu", Build::Static, "links")?;
    let compiles = |seen: &Seen| seen.stderr.matches("antlerite: compile:").count();
    let told = [("ANTLERITE_TIME", "1")];
    let first = compiles(&session.passes(&told)?);
    check(first > 0, || "nothing was compiled".into())?;
    let second = compiles(&session.passes(&told)?);
    check(second == 0, || {
        format!("{second} of {first} compiled again")
    })
}

/// A way to damage an entry.
type Spoil = fn(&[u8]) -> Vec<u8>;

fn spoilt_entries(places: &Places) -> Result<(), Failed> {
    let session = Session::new(places, "vecadd.cu", Build::Ptx90, "spoilt")?;
    session.passes(&[])?;
    let whole: Vec<(PathBuf, Vec<u8>)> = session
        .entries()?
        .into_iter()
        .map(|path| Ok((path.clone(), fs::read(path)?)))
        .collect::<Result<_, Failed>>()?;
    let spoil: [Spoil; 3] = [
        |bytes| bytes[..bytes.len() / 2].to_vec(),
        |bytes| {
            let mut bytes = bytes.to_vec();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x40;
            bytes
        },
        |_| Vec::new(),
    ];
    for spoil in spoil {
        for (path, bytes) in &whole {
            fs::write(path, spoil(bytes))?;
        }
        session.passes(&[])?;
        for (path, bytes) in &whole {
            check(fs::read(path)? == *bytes, || {
                format!("{} was not written anew", path.display())
            })?;
        }
    }
    Ok(())
}

fn cache_variables(places: &Places) -> Result<(), Failed> {
    let session = Session::new(places, "vecadd.cu", Build::Ptx90, "variables")?;
    session.passes(&[("CUDA_CACHE_DISABLE", "1")])?;
    check(session.entries()?.is_empty(), || {
        "a cache that is off".into()
    })?;
    // Too small for anything: the program runs, nothing is kept.
    session.passes(&[("CUDA_CACHE_MAXSIZE", "16")])?;
    check(session.entries()?.is_empty(), || {
        "a cache over its size".into()
    })?;
    // A place that cannot be made.
    let file = session.cache.with_extension("file");
    fs::write(&file, b"")?;
    let inside = file.join("cache").display().to_string();
    let seen = session.passes(&[("CUDA_CACHE_PATH", &inside)]);
    fs::remove_file(&file)?;
    seen.map(drop)
}

fn forced_choice(places: &Places) -> Result<(), Failed> {
    let both = Session::new(places, "sass_only.cu", Build::Sm90, "forced")?;
    let line = |seen: &Seen| seen.stdout.lines().next().unwrap_or_default().to_owned();
    let cases: [(&[(&str, &str)], &str); 3] = [
        (&[], "0 cudaSuccess: no error"),
        (&[("CUDA_FORCE_PTX_JIT", "1")], "0 cudaSuccess: no error"),
        (
            &[("CUDA_DISABLE_PTX_JIT", "1")],
            "223 cudaErrorJitCompilationDisabled: PTX JIT compilation was disabled",
        ),
    ];
    for (variables, expected) in cases {
        let found = line(&both.run(&[], variables)?);
        check(found == expected, || {
            format!("{variables:?}: {found:?}, not {expected:?}")
        })?;
    }
    Ok(())
}

/// CUDA Compatibility: an application runs on a driver of its own major release or a newer one; PTX of a newer ISA than
/// the driver's is refused (by strict drivers).
fn versions(places: &Places) -> Result<(), Failed> {
    /// Driver, its CUDA version.
    const DRIVERS: [(&str, &str); 5] = [
        ("535.309.01", "12.2"),
        ("550.163.01", "12.4"),
        ("570.211.01", "12.8"),
        ("575.64.05", "12.9"),
        ("580.142", "13.0"),
    ];
    let asked = Session::new(places, "versions.cu", Build::Shared, "versions")?;
    let runs = Session::new(places, "sass_only.cu", Build::Ptx90, "runs")?;
    for (driver, cuda) in DRIVERS {
        let launcher = ["--driver-version", driver];
        let seen = asked.run(&launcher, &[])?;
        let said = format!("driver {cuda}\nruntime 13.0\n");
        check(seen.stdout == said, || {
            format!("{driver}: {:?}, not {said:?}\n{}", seen.stdout, seen.stderr)
        })?;
        // A program of 13.0 with PTX 9.0.
        let seen = runs.run(&launcher, &[])?;
        let expected = if cuda == "13.0" {
            "0 cudaSuccess: no error\n"
        } else {
            "35 cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime version\n"
        };
        check(seen.stdout == expected, || {
            format!(
                "{driver}: {:?}, not {expected:?}\n{}",
                seen.stdout, seen.stderr
            )
        })?;
    }
    Ok(())
}

/// The newest PTX ISA of each driver's CUDA release; a strict driver takes it and refuses the next.
fn isa_versions(places: &Places) -> Result<(), Failed> {
    const DRIVERS: [(&str, &str); 5] = [
        ("535.309.01", "8.2"),
        ("550.163.01", "8.4"),
        ("570.211.01", "8.7"),
        ("575.64.05", "8.8"),
        ("580.142", "9.0"),
    ];
    const ISAS: [&str; 9] = [
        "7.8", "8.0", "8.2", "8.3", "8.4", "8.5", "8.7", "8.8", "9.0",
    ];
    let session = Session::new(places, "isa_versions.cu", Build::Clang, "isa")?;
    for (driver, newest) in DRIVERS {
        for strict in ["0", "1"] {
            let seen = session.run(
                &["--driver-version", driver],
                &[("ANTLERITE_STRICT", strict)],
            )?;
            // Versions of one digit each compare as text.
            let expected: String = ISAS
                .iter()
                .map(|isa| {
                    let code = if strict == "1" && *isa > newest {
                        222
                    } else {
                        0
                    };
                    format!("{isa}: {code}\n")
                })
                .collect();
            check(seen.stdout == expected, || {
                format!(
                    "{driver}, strict {strict}: {}, not {expected}{}",
                    seen.stdout, seen.stderr
                )
            })?;
        }
    }
    Ok(())
}

/// A directory of a test's own, emptied at its start.
fn workshop(places: &Places, name: &str) -> Result<PathBuf, Failed> {
    let dir = places.cache.join(format!("{name}-{}", std::process::id()));
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn succeeds(command: &mut Command) -> Result<(), Failed> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
}

/// Runs a program of `tests/conformance/units` and compares what it prints.
fn prints(
    places: &Places,
    words: &[&std::ffi::OsStr],
    variables: &[(&str, &str)],
    expected: &str,
) -> Result<(), Failed> {
    let mut command = Command::new(places.dist.join("bin/antlerite"));
    command
        .arg("run")
        .args(words)
        .env(
            "ANTLERITE_INSTANCE",
            format!("test-tools-{}", std::process::id()),
        )
        .env("CUDA_CACHE_DISABLE", "1")
        .envs(variables.iter().copied());
    let seen = launch::output(&mut command, Duration::from_secs(60))?;
    check(seen.stdout == expected, || {
        format!(
            "{words:?} {variables:?}: {:?}, not {expected:?}\n{}",
            seen.stdout, seen.stderr
        )
    })
}

/// A toolkit whose ptxas is ours: programs hold native code, and run without a compiler.
fn tool_chain(places: &Places) -> Result<(), Failed> {
    use std::os::unix::fs::symlink;
    let dir = workshop(places, "tools")?;
    let toolkit = places
        .toolkit(crate::places::Toolkit::Default)
        .ok_or_else(|| Failed::from("the toolkit is gone"))?
        .canonicalize()?;
    fs::create_dir(dir.join("bin"))?;
    for tool in fs::read_dir(toolkit.join("bin"))? {
        let tool = tool?;
        if tool.file_name() != "ptxas" {
            symlink(tool.path(), dir.join("bin").join(tool.file_name()))?;
        }
    }
    let ptxas = places.dist.join("toolkit/bin/ptxas").canonicalize()?;
    symlink(&ptxas, dir.join("bin/ptxas"))?;
    for part in ["include", "lib", "lib64", "nvvm"] {
        symlink(toolkit.join(part), dir.join(part))?;
    }
    let sources = places.root.join("tests/conformance/units");
    let nvcc = |words: &[&str], source: &str, output: &str| {
        succeeds(
            Command::new(dir.join("bin/nvcc"))
                .env_remove("NVCC_APPEND_FLAGS")
                .env_remove("NVCC_PREPEND_FLAGS")
                .args(words)
                .arg(sources.join(source))
                .arg("-o")
                .arg(dir.join(output)),
        )
    };
    // The default profile's own architecture; no PTX at all.
    let native = ["-gencode", "arch=compute_90,code=sm_90"];
    nvcc(&native, "whole.cu", "program")?;
    let program = dir.join("program");
    let alone = [NO_COMPILER, ("CUDA_DISABLE_PTX_JIT", "1")];
    prints(places, &[program.as_os_str()], &alone, "cudaSuccess: 42\n")?;
    nvcc(&["-cubin", "-arch=sm_90"], "whole.cu", "image")?;
    nvcc(&[], "loader.cu", "loader")?;
    let (loader, image) = (dir.join("loader"), dir.join("image"));
    let words = [loader.as_os_str(), image.as_os_str()];
    prints(places, &words, &[], "0: 42\n")?;
    prints(places, &words, &alone, "0: 42\n")?;
    // A host that lacks what the code needs compiles it anew.
    prints(places, &words, &[("ANTLERITE_ISA", "sse4")], "0: 42\n")?;
    fs::remove_dir_all(&dir)?;
    Ok(())
}

/// Links two modules through the library's C interface, and runs what comes out.
fn nvjitlink(places: &Places) -> Result<(), Failed> {
    let dir = workshop(places, "nvjitlink")?;
    let sources = places.root.join("tests/conformance/units");
    let toolkit = places
        .toolkit(crate::places::Toolkit::Default)
        .ok_or_else(|| Failed::from("the toolkit is gone"))?;
    let linker = dir.join("linker");
    succeeds(
        Command::new("cc")
            .arg(sources.join("linker.c"))
            .arg("-o")
            .arg(&linker)
            .arg("-ldl"),
    )?;
    succeeds(
        Command::new(toolkit.join("bin/nvcc"))
            .arg(sources.join("loader.cu"))
            .arg("-o")
            .arg(dir.join("loader")),
    )?;
    for major in [12, 13] {
        let library = places.dist.join(format!("lib/libnvJitLink.so.{major}"));
        let image = dir.join(format!("image{major}"));
        succeeds(Command::new(&linker).arg(&library).arg(&image))?;
        let loader = dir.join("loader");
        let words = [loader.as_os_str(), image.as_os_str()];
        prints(places, &words, &[], "0: 42\n")?;
    }
    fs::remove_dir_all(&dir)?;
    Ok(())
}
