//! Running a program with a time limit, under a server of its own.

use std::{
    io::Read,
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use libtest_mimic::Failed;

use crate::{
    build::Binary,
    directives::{Directives, Door, End, Seen},
    places::Places,
};

/// How long output may stay open after the end.
const LINGER: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(5);

/// Runs it and returns what it showed.
pub fn launch(
    places: &Places,
    binary: &Binary,
    directives: &Directives,
    door: Door,
) -> Result<Seen, Failed> {
    let launcher = places.dist.join("bin/antlerite");
    let mut command = match door {
        Door::Socket => {
            let mut command = Command::new(launcher);
            command.arg("run").arg(&binary.path);
            command
        }
        Door::Syscall => {
            let mut command = Command::new(launcher);
            command.args(["run", "--door", "syscall"]).arg(&binary.path);
            command
        }
        Door::Path => {
            let mut command = Command::new(&binary.path);
            command.env("LD_LIBRARY_PATH", places.dist.join("lib"));
            command
        }
    };
    let name = binary
        .path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    command
        .args(&binary.args)
        .args(&directives.args)
        .env(
            "ANTLERITE_INSTANCE",
            // At most 40 characters, and no two tests at once share one.
            format!("test-{name:.20}-{}", std::process::id()),
        )
        // A cache of the user's would hide what is compiled.
        .env("CUDA_CACHE_PATH", places.cache.join("ComputeCache"))
        .envs(directives.env.iter().map(|(name, value)| (name, value)));
    output(&mut command, directives.timeout)
}

/// Runs a command with a time limit and returns what it showed.
pub fn output(command: &mut Command, limit: Duration) -> Result<Seen, Failed> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own, so that a time-out takes its children too.
        .process_group(0);
    let mut child = command.spawn()?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let end = wait(&mut child, limit)?;
    Ok(Seen {
        stdout: text(&stdout)?,
        stderr: text(&stderr)?,
        end,
    })
}

/// Reads a pipe to its end on a thread.
fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still worth showing.
            let _read = pipe.read_to_end(&mut bytes);
        }
        // The receiver is gone when the test has given up.
        let _sent = sender.send(bytes);
    });
    receiver
}

/// What the pipe held. The program has ended: if the pipe is still open, something it started holds it.
fn text(pipe: &mpsc::Receiver<Vec<u8>>) -> Result<String, Failed> {
    pipe.recv_timeout(LINGER)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|_| {
            Failed::from("the program ended, but a process it started holds its output open")
        })
}

fn wait(child: &mut Child, limit: Duration) -> Result<End, Failed> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(end_of(status));
        }
        if start.elapsed() > limit {
            let group = i32::try_from(child.id()).map_err(|_| Failed::from("pid out of range"))?;
            // SAFETY: killpg takes no pointers; the group is the child's own, made by process_group(0), and the child
            // has not been waited for, so its id is not reused.
            unsafe { libc::killpg(group, libc::SIGKILL) };
            child.wait()?;
            return Ok(End::TimedOut);
        }
        thread::sleep(POLL);
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        // A launcher reports its program's signal as a shell does.
        (Some(code), _) if code > 128 => End::Signal(code - 128),
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}
