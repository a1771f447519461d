//! Hostile surroundings and hostile clients: confined users, dying servers, spoilt calls and images.
#![expect(
    clippy::print_stdout,
    reason = "how many cases ran belongs into the test's output"
)]

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use kernel::manage::{self, Answer, Request, Status};
use libtest_mimic::{Failed, Trial};

use crate::{
    build::{self, Build},
    crowd,
    directives::{Directives, Door},
    launch::output,
    places::{Places, Toolkit},
};

type Test = fn(&Places) -> Result<(), Failed>;

/// Calls on each node through each door; fewer where the time is short (see `CALL_SECONDS`).
const CALLS: u64 = 100_000;
/// Longest time for the calls through one door.
const CALL_SECONDS: u64 = 25;
/// Spoilt images, and the longest time for them.
const IMAGES: u64 = 6_000;
const IMAGE_SECONDS: u64 = 25;
/// The fewest that count as a test at all.
const FEWEST: u64 = 500;
/// Control, GPU, UVM, UVM tools, modeset.
const NODES: usize = 5;
/// How long a program may take here.
const PATIENCE: Duration = Duration::from_secs(120);

/// The tests, ignored where something is missing.
pub fn trials(places: &Places, missing: &mut BTreeMap<String, Vec<String>>) -> Vec<Trial> {
    let tests: [(&str, Door, bool, Test); 10] = [
        ("hostile/confined-path", Door::Path, false, confined_path),
        ("hostile/confined-run", Door::Socket, false, confined_run),
        ("hostile/syscall-root", Door::Syscall, true, syscall_root),
        (
            "hostile/syscall-nobody",
            Door::Syscall,
            false,
            syscall_nobody,
        ),
        ("hostile/server-death", Door::Socket, false, server_death),
        ("hostile/calls-socket", Door::Socket, false, calls_socket),
        ("hostile/calls-syscall", Door::Syscall, false, calls_syscall),
        ("hostile/tree-socket", Door::Socket, false, tree_socket),
        ("hostile/tree-syscall", Door::Syscall, false, tree_syscall),
        ("hostile/images", Door::Path, false, images),
    ];
    // SAFETY: no arguments, no failure.
    let root = unsafe { libc::geteuid() } == 0;
    tests
        .into_iter()
        .map(|(name, door, as_root, test)| {
            let reason = places
                .missing_for(Build::Shared, door)
                .or_else(|| places.missing_for(Build::Static, door))
                .or_else(|| (as_root && !root).then(|| "not root".into()));
            let ignored = reason.is_some();
            if let Some(reason) = reason {
                missing.entry(reason).or_default().push(name.into());
            }
            let places = places.clone();
            Trial::test(name, move || test(&places)).with_ignored_flag(ignored)
        })
        .collect()
}

fn hostile() -> &'static str {
    env!("CARGO_BIN_EXE_hostile")
}

fn instance(name: &str) -> String {
    format!("test-{name}-{}", std::process::id())
}

fn program(places: &Places, name: &str, build: Build) -> Result<PathBuf, Failed> {
    let source = places.root.join(format!("tests/conformance/{name}.cu"));
    let directives =
        Directives::parse(&std::fs::read_to_string(&source)?).map_err(|error| error.to_string())?;
    Ok(build::binary(places, &source, &directives, build)?.path)
}

/// A directory that everyone can enter, with the installed tree and some files in it: a checkout below `/root` is
/// closed to others. Removed at the end.
struct Public(PathBuf);

impl Public {
    fn new(places: &Places, files: &[&Path]) -> Result<Self, Failed> {
        use std::os::unix::fs::PermissionsExt;
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let dir =
            std::env::temp_dir().join(format!("antlerite-test-{}-{number}", std::process::id()));
        std::fs::create_dir(&dir)?;
        let public = Self(dir);
        let open = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        };
        open(&public.0, 0o755)?;
        let home = public.0.join("home");
        std::fs::create_dir(&home)?;
        open(&home, 0o777)?;
        let mut words: Vec<&OsStr> = vec!["-a".as_ref(), places.dist.as_ref()];
        words.extend(files.iter().map(|file| file.as_os_str()));
        words.push(public.0.as_ref());
        let copied = Command::new("cp").args(words).status()?;
        if !copied.success() {
            return Err("cp failed".into());
        }
        std::fs::rename(
            public.0.join(places.dist.file_name().unwrap_or_default()),
            public.0.join("installed"),
        )?;
        Ok(public)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn launcher(&self) -> PathBuf {
        self.path("installed/bin/antlerite")
    }

    /// The words as nobody, with nothing of our environment.
    fn command(&self, how: &str, instance: &str) -> Command {
        let mut command = Command::new(self.path("hostile"));
        command
            .arg(how)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("ANTLERITE_INSTANCE", instance)
            .current_dir("/");
        command
    }
}

impl Drop for Public {
    fn drop(&mut self) {
        // What cannot be removed lies in the temporary directory.
        let _removed = std::fs::remove_dir_all(&self.0);
    }
}

fn passes(command: &mut Command) -> Result<(), Failed> {
    let seen = output(command, PATIENCE)?;
    if seen.stdout.lines().any(|line| line == "PASS") {
        return Ok(());
    }
    Err(format!("{command:?}: {seen:?}").into())
}

fn confined_path(places: &Places) -> Result<(), Failed> {
    let binary = program(places, "vecadd", Build::Shared)?;
    let public = Public::new(places, &[&binary, Path::new(hostile())])?;
    let mut command = public.command("confined", &instance("confined-path"));
    command
        .arg(public.path("vecadd"))
        .env("LD_LIBRARY_PATH", public.path("installed/lib"));
    passes(&mut command)
}

fn confined_run(places: &Places) -> Result<(), Failed> {
    let binary = program(places, "vecadd", Build::Static)?;
    let public = Public::new(places, &[&binary, Path::new(hostile())])?;
    let mut command = public.command("confined", &instance("confined-run"));
    command
        .arg(public.launcher())
        .arg("run")
        .arg(public.path("vecadd"));
    passes(&mut command)
}

fn syscall_root(places: &Places) -> Result<(), Failed> {
    let binary = program(places, "vecadd", Build::Static)?;
    let mut command = Command::new(places.dist.join("bin/antlerite"));
    command
        .args(["--door", "syscall", "run"])
        .arg(&binary)
        .env("ANTLERITE_INSTANCE", instance("syscall-root"));
    passes(&mut command)
}

fn syscall_nobody(places: &Places) -> Result<(), Failed> {
    let binary = program(places, "vecadd", Build::Static)?;
    let public = Public::new(places, &[&binary, Path::new(hostile())])?;
    let mut command = public.command("user", &instance("syscall-nobody"));
    command
        .arg(public.launcher())
        .args(["--door", "syscall", "run"])
        .arg(public.path("vecadd"));
    passes(&mut command)
}

/// A server that stays until this is dropped.
struct Server {
    launcher: PathBuf,
    name: String,
    dir: PathBuf,
    /// It and its clients run on one CPU: calls then wake nobody elsewhere, and are several times as many.
    pinned: bool,
}

impl Server {
    fn start(places: &Places, name: &str) -> Result<Self, Failed> {
        Self::start_on(places, name, false)
    }

    fn start_on(places: &Places, name: &str, pinned: bool) -> Result<Self, Failed> {
        let name = instance(name);
        let launcher = places.dist.join("bin/antlerite");
        let dir = door::instance::base_dir()
            .map_err(|why| why.to_string())?
            .join(&name);
        let server = Self {
            launcher,
            name,
            dir,
            pinned,
        };
        let seen = output(server.launch(&["up"]).stdin(Stdio::null()), PATIENCE)?;
        server.status().map_err(|why| {
            Failed::from(format!("up: {seen:?}: {}", why.message().unwrap_or("")))
        })?;
        Ok(server)
    }

    fn launch(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.launcher);
        command.args(words).env("ANTLERITE_INSTANCE", &self.name);
        if self.pinned {
            crowd::on_one_cpu(&mut command);
        }
        command
    }

    fn status(&self) -> Result<Status, Failed> {
        match manage::ask(&self.dir, &Request::Status) {
            Ok(Answer::Status(status)) => Ok(*status),
            other => Err(format!("status: {other:?}").into()),
        }
    }

    /// What clients could leave behind: files, host bytes, descriptors, video bytes, channels, processes, and the
    /// server's own open descriptors and children.
    fn held(&self) -> Result<Held, Failed> {
        let status = self.status()?;
        let fds = std::fs::read_dir(format!("/proc/{}/fd", status.pid))?.count();
        let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", status.pid))
            .map_or(0, |text| text.split_whitespace().count());
        Ok(Held {
            files: status.files,
            host: status.host_used,
            descriptors: status.descriptors.0,
            video: status.gpus.iter().map(|gpu| gpu.used).sum(),
            processes: status.processes.len(),
            fds,
            children,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    files: usize,
    host: u64,
    descriptors: u64,
    video: u64,
    processes: usize,
    fds: usize,
    children: usize,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead: that is what one test is about.
        let _down = self
            .launch(&["down"])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .status();
    }
}

fn server_death(places: &Places) -> Result<(), Failed> {
    /// From the server's death to the program's end.
    const LIMIT: Duration = Duration::from_secs(20);
    let binary = program(places, "server_death", Build::Shared)?;
    let server = Server::start(places, "death")?;
    let pid = i32::try_from(server.status()?.pid).map_err(|why| why.to_string())?;
    let mut child = server
        .launch(&["run"])
        .arg(&binary)
        .arg("1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    let first = lines.next().transpose()?;
    if first.as_deref() != Some("working") {
        child.kill()?;
        child.wait()?;
        return Err(format!("{first:?} in place of `working`").into());
    }
    // Well into the wait.
    thread::sleep(Duration::from_millis(300));
    // SAFETY: no pointers; the server answered under this id just now.
    unsafe { libc::kill(pid, libc::SIGKILL) };
    let killed = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if killed.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Err("the program hangs after its server's death".into());
        }
        thread::sleep(Duration::from_millis(5));
    };
    let rest: Vec<String> = lines.collect::<Result<_, _>>()?;
    let named = |what: &str| {
        rest.iter()
            .find_map(|line| line.strip_prefix(what)?.strip_prefix(": "))
            .is_some_and(|end| {
                !end.starts_with("0 ") && !end.contains("nrecognized") && end.contains("cudaError")
            })
    };
    if status.success()
        && named("synchronize")
        && named("malloc")
        && rest.iter().any(|line| line == "done")
    {
        return Ok(());
    }
    Err(format!("{status}: {rest:?}").into())
}

/// `ANTLERITE_FUZZ_CALLS` says how many calls each node gets (2 * 10^5 make 10^6 in all), whatever time they take.
fn calls(places: &Places, door: &str) -> Result<(), Failed> {
    let wanted = std::env::var("ANTLERITE_FUZZ_CALLS").ok();
    let wanted: Option<u64> = wanted.and_then(|calls| calls.parse().ok());
    let seconds = CALL_SECONDS + wanted.unwrap_or(0) / 200;
    let server = Server::start_on(places, &format!("calls-{door}"), wanted.is_some())?;
    // One client first: what is kept after the first is no leak.
    let run = |count: u64, seed: u64| -> Result<String, Failed> {
        let mut command = server.launch(&["--door", door, "run", hostile(), "calls"]);
        command.args([count.to_string(), seed.to_string(), seconds.to_string()]);
        if door == "socket" {
            command.env("ANTLERITE_DOOR", "socket");
        }
        let seen = output(&mut command, PATIENCE + Duration::from_secs(seconds))?;
        if seen.stdout.contains(" calls in ") {
            Ok(seen.stdout)
        } else {
            Err(format!("{seen:?}").into())
        }
    };
    run(50, 1)?;
    let settled = |want: Option<Held>| -> Result<Held, Failed> {
        let start = Instant::now();
        loop {
            let held = server.held()?;
            // Fewer descriptors than before are no leak: the first look may have met some on their way.
            let same = |want: Held| {
                held.fds <= want.fds
                    && held
                        == Held {
                            fds: held.fds,
                            ..want
                        }
            };
            if want.map_or(held.files == 0 && held.children == 0, same) {
                return Ok(held);
            }
            if start.elapsed() > Duration::from_secs(10) {
                return Err(format!("left behind: {held:?}, before {want:?}").into());
            }
            thread::sleep(Duration::from_millis(20));
        }
    };
    let before = settled(None)?;
    let pid = server.status()?.pid;
    let report = run(wanted.unwrap_or(CALLS), 2)?;
    println!("{door}: {}", report.trim());
    // A door that opens nothing would be quick and quiet.
    let by_node: Vec<u64> = report
        .rsplit_once('[')
        .map_or("", |(_, list)| list)
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect();
    if by_node.len() != NODES
        || by_node
            .iter()
            .any(|calls| *calls < wanted.unwrap_or(FEWEST))
    {
        return Err(format!("too few calls: {report}").into());
    }
    settled(Some(before))?;
    if server.status()?.pid != pid {
        return Err("the server died and another took its place".into());
    }
    Ok(())
}

fn calls_socket(places: &Places) -> Result<(), Failed> {
    calls(places, "socket")
}

fn calls_syscall(places: &Places) -> Result<(), Failed> {
    calls(places, "syscall")
}

/// The model's steps through a door: `ANTLERITE_FUZZ_TREE` says how many (10^6 is the goal).
fn tree(places: &Places, door: &str) -> Result<(), Failed> {
    let wanted = std::env::var("ANTLERITE_FUZZ_TREE").ok();
    let wanted: Option<u64> = wanted.and_then(|n| n.parse().ok());
    let steps = wanted.unwrap_or(20_000);
    let seconds = CALL_SECONDS + steps / 1000;
    let server = Server::start_on(places, &format!("tree-{door}"), wanted.is_some())?;
    let video = server.status()?.gpus.first().map_or(0, |gpu| gpu.total);
    let mut command = server.launch(&["--door", door, "run", hostile(), "tree"]);
    command.args([steps, 4, seconds, video].map(|n| n.to_string()));
    command.env("ANTLERITE_DOOR", door);
    let seen = output(&mut command, PATIENCE + Duration::from_secs(seconds))?;
    if !seen.stdout.contains("all as the model says") {
        return Err(format!("{seen:?}").into());
    }
    println!("{door}: {}", seen.stdout.trim());
    let start = Instant::now();
    loop {
        let held = server.held()?;
        if (held.files, held.host, held.descriptors, held.video) == (0, 0, 0, 0) {
            return Ok(());
        }
        if start.elapsed() > Duration::from_secs(10) {
            return Err(format!("left behind: {held:?}").into());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn tree_socket(places: &Places) -> Result<(), Failed> {
    tree(places, "socket")
}

fn tree_syscall(places: &Places) -> Result<(), Failed> {
    tree(places, "syscall")
}

fn images(places: &Places) -> Result<(), Failed> {
    let toolkit = places.toolkit(Toolkit::Default).ok_or("no toolkit")?;
    let dir = places.cache.join(format!("images-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let source = places.root.join("tests/conformance/vecadd.cu");
    let mut files = Vec::new();
    for (name, flags) in [
        ("vecadd.ptx", &["-ptx"][..]),
        ("vecadd.cubin", &["-cubin", "-arch=sm_90"]),
        ("vecadd.fatbin", &["-fatbin"]),
        ("plain.fatbin", &["-fatbin", "-Xfatbin", "--compress=false"]),
    ] {
        let file = dir.join(name);
        let built = Command::new(toolkit.join("bin/nvcc"))
            .args(flags)
            .arg(&source)
            .arg("-o")
            .arg(&file)
            .output()?;
        if !built.status.success() {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&built.stderr)).into());
        }
        files.push(file);
    }
    let mut command = Command::new(hostile());
    command
        .arg("images")
        .args([IMAGES.to_string(), "1".into(), IMAGE_SECONDS.to_string()])
        .args(&files)
        .env("LD_LIBRARY_PATH", places.dist.join("lib"))
        .env("CUDA_CACHE_DISABLE", "1")
        .env("ANTLERITE_INSTANCE", instance("images"));
    let seen = output(&mut command, PATIENCE);
    std::fs::remove_dir_all(&dir)?;
    let seen = seen?;
    let ran = seen
        .stdout
        .lines()
        .find_map(|line| line.split_once(" images in ")?.0.parse::<u64>().ok());
    println!("{}", seen.stdout.trim());
    match ran {
        Some(ran) if ran >= FEWEST => Ok(()),
        _ => Err(format!("{ran:?} images: {seen:?}").into()),
    }
}
