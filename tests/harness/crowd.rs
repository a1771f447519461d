//! Many programs at once, and one for long: what is right stays right, and nothing is left behind.
#![expect(
    clippy::print_stdout,
    reason = "what was measured belongs into the test's output"
)]

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use libtest_mimic::Failed;

use crate::{
    directives::Door,
    machine::{Machine, Test, demand, first, holdings, text},
};

pub(crate) const TESTS: [Test; 3] = [
    ("machine/fair-shares", Door::Socket, fair_shares),
    ("machine/many-clients", Door::Socket, many_clients),
    ("machine/soak", Door::Socket, soak),
];

/// Many programs at once, a third of them killed: the others' results are right, and nothing is left behind.
/// `ANTLERITE_CLIENTS` says how many (200 is the goal).
fn many_clients(machine: &Machine) -> Result<(), Failed> {
    let wanted = std::env::var("ANTLERITE_CLIENTS").ok();
    let count: usize = wanted.and_then(|n| n.parse().ok()).unwrap_or(15);
    let program = machine.program("client.cu")?.display().to_string();
    machine.antlerite(&["up"]).output()?;
    // The first one fills the compiler's cache.
    let first = text(&machine.antlerite(&["run", &program, "1"]).output()?);
    demand("one client is right", first.ends_with("right\n"), &first)?;
    let settled = |wanted: Option<&Vec<u64>>| -> Result<Vec<u64>, Failed> {
        let start = Instant::now();
        loop {
            let (_, now) = holdings(machine)?;
            let idle = now[0] == 0 && wanted.is_none_or(|w| now.iter().zip(w).all(|(n, w)| n <= w));
            if idle || start.elapsed() > Duration::from_secs(60) {
                return Ok(now);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let before = settled(None)?;
    let mut children = Vec::new();
    for index in 0..count {
        let doomed = index % 3 == 1;
        // Who is to be killed works until then.
        let rounds = if doomed { "1000000" } else { "20" };
        let mut child = machine
            .antlerite(&["run", &program, rounds])
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("no standard output")?;
        children.push((doomed, child, BufReader::new(out).lines()));
    }
    for (doomed, child, lines) in &mut children {
        if *doomed {
            let line = lines.next().transpose()?.unwrap_or_default();
            demand("a client started", line == "started", &line)?;
            child.kill()?;
        }
    }
    for (doomed, mut child, lines) in children {
        let status = child.wait()?;
        if !doomed {
            let said: Vec<String> = lines.map_while(Result::ok).collect();
            demand(
                "a survivor's result is right",
                status.success() && said.last().is_some_and(|l| l == "right"),
                &said.join("\n"),
            )?;
        }
    }
    let after = settled(Some(&before))?;
    demand(
        "files, framebuffer, host memory and descriptors are as before",
        after
            .iter()
            .zip(&before)
            .all(|(after, before)| after <= before),
        &format!("before {before:?}, after {after:?}"),
    )
}

/// Resident bytes of a process's own. Rings that it shares are touched as they go round, and charged by the server.
fn resident(pid: u64) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

/// Calls so far; what the server holds; resident bytes of their own of the server and of the GPU process.
type Look = (u64, Vec<u64>, Vec<u64>);

/// A program that allocates, launches and frees again and again: server, GPU process and program do not grow.
/// `ANTLERITE_SOAK` is the number of ioctls (10^6 is the goal; some thousands else), with a tenth of that in launches.
fn soak(machine: &Machine) -> Result<(), Failed> {
    /// What may come to be kept late: arenas of allocators, stacks of threads that answer.
    const GROWTH: u64 = 8 << 20;
    let asked: Option<u64> = std::env::var("ANTLERITE_SOAK")
        .ok()
        .and_then(|n| n.parse().ok());
    let wanted = asked.unwrap_or(6_000);
    // At least three calls come with one allocation, and two with its end. Before the first look there are more streams
    // than channels that they share.
    let rounds = wanted / 5;
    let launches = (wanted / 10).div_ceil(rounds.max(1));
    let program = machine.program("soak.cu")?.display().to_string();
    let mut command = machine.antlerite(&[
        "run",
        &program,
        "800",
        &rounds.to_string(),
        &launches.to_string(),
    ]);
    if asked.is_some() {
        // Calls wake nobody elsewhere: it takes a third of the time.
        on_one_cpu(&mut command);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("no standard input")?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no standard output")?).lines();
    let mut look = |what: &str, wanted: Option<&Vec<u64>>| -> Result<Look, Failed> {
        loop {
            let line = lines.next().transpose()?.ok_or("the program ended")?;
            if line == what {
                break;
            }
            demand("the sums are right", line.ends_with(" launches"), &line)?;
            println!("soak: {line}");
        }
        // The connections of earlier questions may be there for a moment yet.
        let start = Instant::now();
        let (server, held) = loop {
            let (server, held) = holdings(machine)?;
            let settled = wanted.is_none_or(|w| held.iter().zip(w).all(|(n, w)| n <= w));
            if settled || start.elapsed() > Duration::from_secs(20) {
                break (server, held);
            }
        };
        let json = text(&machine.antlerite(&["status", "--json"]).output()?);
        let calls = first(&json, "ioctls").ok_or("no ioctls")?;
        let contexts = &json[json.find("\"contexts\":").ok_or("no contexts")?..];
        let gpu = first(contexts, "pid").ok_or("no GPU process")?;
        let sizes = [server, gpu].map(resident).to_vec();
        std::io::Write::write_all(&mut input, b"\n")?;
        Ok((calls, held, sizes))
    };
    let judged = look("warm", None).and_then(|warm| {
        let done = look("done", Some(&warm.1))?;
        Ok((warm, done))
    });
    let _ = child.kill();
    child.wait()?;
    let (warm, done) = judged?;
    println!(
        "soak: {} ioctls; held {:?} then {:?}; resident {:?} then {:?}",
        done.0 - warm.0,
        warm.1,
        done.1,
        warm.2,
        done.2
    );
    demand(
        "files, memory and descriptors are as before",
        done.1.iter().zip(&warm.1).all(|(done, warm)| done <= warm),
        &format!("{warm:?}, {done:?}"),
    )?;
    demand(
        "the processes have not grown",
        done.2
            .iter()
            .zip(&warm.2)
            .all(|(done, warm)| *done <= warm + GROWTH),
        &format!("{warm:?}, {done:?}"),
    )?;
    demand(
        "there were that many calls",
        done.0 - warm.0 >= wanted,
        &format!("{warm:?}, {done:?}"),
    )
}

/// A program that waits for a line before it begins, and what it will print.
struct Waiting {
    child: std::process::Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Waiting {
    fn start(
        machine: &Machine,
        program: &str,
        words: &[&str],
        ready: &str,
    ) -> Result<Self, Failed> {
        let mut command = machine.antlerite(&["run", program]);
        let mut child = on_one_cpu(&mut command)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let out = child.stdout.take().ok_or("no standard output")?;
        let mut lines = BufReader::new(out).lines();
        let line = lines.next().transpose()?.unwrap_or_default();
        demand("the program is ready", line == ready, &line)?;
        Ok(Self { child, lines })
    }

    fn begin(&mut self) -> Result<(), Failed> {
        let input = self.child.stdin.as_mut().ok_or("no standard input")?;
        Ok(std::io::Write::write_all(input, b"\n")?)
    }

    fn count(&mut self) -> Result<f64, Failed> {
        let line = self.lines.next().transpose()?.unwrap_or_default();
        line.parse()
            .map_err(|_| format!("no count: {line:?}").into())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Has the program and all that it starts run on the first CPU only: what several get of one CPU is the same whatever
/// else the machine does.
pub(crate) fn on_one_cpu(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: the closure makes system calls only, with a set of its own.
    unsafe {
        command.pre_exec(|| {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            let size = size_of::<libc::cpu_set_t>();
            if libc::sched_getaffinity(0, size, &raw mut set) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            let limit = libc::CPU_SETSIZE.unsigned_abs() as usize;
            let first = (0..limit).find(|cpu| libc::CPU_ISSET(*cpu, &set));
            libc::CPU_ZERO(&mut set);
            libc::CPU_SET(first.unwrap_or(0), &mut set);
            if libc::sched_setaffinity(0, size, &raw const set) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        })
    }
}

/// Two programs with the same work get about the same of a GPU, and a third that spins for ever stops neither.
fn fair_shares(machine: &Machine) -> Result<(), Failed> {
    /// How much more than the other one may get.
    const UNFAIR: f64 = 1.5;
    let share = machine.program("share.cu")?.display().to_string();
    let spin = machine.program("spin.cu")?.display().to_string();
    for spinning in [false, true] {
        let _spin = if spinning {
            Some(Waiting::start(machine, &spin, &[], "launched")?)
        } else {
            None
        };
        let mut one = Waiting::start(machine, &share, &["2"], "ready")?;
        let mut other = Waiting::start(machine, &share, &["2"], "ready")?;
        one.begin()?;
        other.begin()?;
        let (a, b) = (one.count()?, other.count()?);
        println!("kernels in 2 s, a third program spinning: {spinning}: {a} and {b}");
        demand(
            "both get on, about the same",
            a > 0.0 && b > 0.0 && a / b < UNFAIR && b / a < UNFAIR,
            &format!("{a} and {b}"),
        )?;
    }
    Ok(())
}
