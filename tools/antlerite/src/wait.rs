//! Waits for a program, passes signals on to it, and ends it when its time is up.

use crate::error::Error;
use crate::output;
use std::io;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

/// Signals that are passed on.
const PASSED_ON: [libc::c_int; 6] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
];
/// How long a program may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);
/// Exit code of a program whose time was up, as coreutils' `timeout` gives it.
const TIMED_OUT: u8 = 124;

/// Waits; the exit code, as a shell gives it (128 + signal number).
///
/// `busy` says what a process is running ("kernel K"), if it is, and `left` what one that has ended ran until then.
///
/// # Errors
/// The process cannot be waited for.
pub fn until_it_ends(
    pid: libc::pid_t,
    limit: Option<Duration>,
    busy: impl Fn(libc::pid_t) -> Option<String>,
    left: impl Fn(libc::pid_t) -> Option<String>,
) -> Result<u8, Error> {
    let watched = watched_signals();
    // From here on these signals are taken by `sigtimedwait`.
    // SAFETY: a valid set, and no old one is asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const watched, std::ptr::null_mut()) };
    let start = Instant::now();
    let mut timed_out = false;
    let mut kill_at: Option<Instant> = None;
    // It may have been interrupted while a kernel ran, but that is not known yet.
    let mut unnamed = false;
    loop {
        if let Some(code) = ended(pid)? {
            if unnamed && let Some(kernel) = left(pid) {
                interrupted(&kernel);
            }
            return Ok(if timed_out { TIMED_OUT } else { code });
        }
        let now = Instant::now();
        if kill_at.is_some_and(|at| now >= at) {
            send(pid, libc::SIGKILL);
            kill_at = None;
        }
        if let Some(limit) = limit
            && !timed_out
            && now - start >= limit
        {
            timed_out = true;
            let kernel = busy(pid);
            output::problem(format_args!(
                "time is up after {:.1} s{}",
                limit.as_secs_f64(),
                while_running(kernel.as_deref())
            ));
            send(pid, libc::SIGTERM);
            kill_at = Some(now + GRACE);
        }
        let until_limit = limit
            .filter(|_| !timed_out)
            .map(|limit| limit.saturating_sub(now - start));
        let until_kill = kill_at.map(|at| at.saturating_duration_since(now));
        let patience = [until_limit, until_kill].into_iter().flatten().min();
        let Some((signal, from_terminal)) = next_signal(&watched, patience) else {
            continue;
        };
        match signal {
            libc::SIGCHLD => {}
            libc::SIGINT => {
                // The terminal's signal reached the program as it reached us: its end may be under way.
                let kernel = busy(pid);
                unnamed = kernel.is_none();
                if let Some(kernel) = kernel {
                    interrupted(&kernel);
                    // A program that handles the signal may still wait for this kernel for ever.
                    kill_at.get_or_insert(Instant::now() + GRACE);
                }
                if !from_terminal {
                    send(pid, signal);
                }
            }
            // What the terminal sends goes to the program too: it is in the same group.
            _ if from_terminal => {}
            _ => send(pid, signal),
        }
    }
}

fn interrupted(kernel: &str) {
    output::problem(format_args!("interrupted{}", while_running(Some(kernel))));
}

fn while_running(kernel: Option<&str>) -> String {
    kernel.map_or_else(String::new, |kernel| format!(" while {kernel} was running"))
}

fn watched_signals() -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` makes the set valid; the numbers are valid signals.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        for signal in PASSED_ON {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// The next signal and whether the kernel sent it (the terminal's Ctrl-C), within the time given.
fn next_signal(set: &libc::sigset_t, patience: Option<Duration>) -> Option<(libc::c_int, bool)> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let time = patience.map(|time| libc::timespec {
        tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    });
    // SAFETY: a valid set, a place for the answer, and null or a valid time.
    let signal = unsafe {
        libc::sigtimedwait(
            set,
            info.as_mut_ptr(),
            time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref),
        )
    };
    // SAFETY: zeroed, and perhaps filled by the call: valid either way.
    let info = unsafe { info.assume_init() };
    const FROM_KERNEL: libc::c_int = 0x80;
    (signal > 0).then_some((signal, info.si_code == FROM_KERNEL))
}

fn send(pid: libc::pid_t, signal: libc::c_int) {
    // SAFETY: no pointers; the process is our child and not yet waited for.
    unsafe { libc::kill(pid, signal) };
}

/// The exit code if the process has ended.
fn ended(pid: libc::pid_t) -> Result<Option<u8>, Error> {
    let mut status = 0;
    // SAFETY: a place for the status.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) };
    if waited == 0 {
        return Ok(None);
    }
    if waited < 0 {
        let error = io::Error::last_os_error();
        return if error.kind() == io::ErrorKind::Interrupted {
            Ok(None)
        } else {
            Err(Error::Wait(error))
        };
    }
    let code = if libc::WIFSIGNALED(status) {
        128 + libc::WTERMSIG(status)
    } else {
        libc::WEXITSTATUS(status)
    };
    Ok(Some(u8::try_from(code).unwrap_or(u8::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[expect(clippy::zombie_processes, reason = "waited for by its id")]
    fn run(script: &str, limit: Option<Duration>) -> u8 {
        let child = Command::new("sh").args(["-c", script]).spawn().expect("sh");
        let pid = libc::pid_t::try_from(child.id()).expect("in range");
        until_it_ends(pid, limit, |_| None, |_| None).expect("waited")
    }

    /// Where tests run in the background, Ctrl-C is ignored, also by what is started there; and this thread blocks it.
    fn with_signals(command: &mut Command) -> &mut Command {
        use std::os::unix::process::CommandExt as _;
        // SAFETY: the closure makes system calls only.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                let set = watched_signals();
                libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
                Ok(())
            })
        }
    }

    #[test]
    fn codes_are_those_of_a_shell() {
        assert_eq!(run("exit 0", None), 0);
        assert_eq!(run("exit 7", None), 7);
        assert_eq!(run("kill -SEGV $$", None), 128 + 11);
        assert_eq!(run("sleep 0.05; exit 3", Some(Duration::from_secs(60))), 3);
    }

    #[test]
    fn an_interrupted_program_that_is_gone_already_is_asked_for_at_its_end() {
        // Blocked, so that the signal waits for the call below.
        let asked = std::cell::Cell::new(0);
        let left = std::cell::Cell::new(0);
        // SAFETY: a valid set, and no old one is asked for.
        unsafe {
            let set = watched_signals();
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        }
        // SAFETY: no arguments.
        let me = unsafe { libc::gettid() };
        // SAFETY: a signal to this thread, which waits for it below.
        unsafe { libc::syscall(libc::SYS_tgkill, std::process::id(), me, libc::SIGINT) };
        #[expect(clippy::zombie_processes, reason = "waited for by its id")]
        let child = with_signals(Command::new("sleep").arg("60"))
            .spawn()
            .expect("sleep");
        let pid = libc::pid_t::try_from(child.id()).expect("in range");
        let busy = |_| {
            asked.set(asked.get() + 1);
            None
        };
        let ran = |_| {
            left.set(left.get() + 1);
            Some("kernel k".into())
        };
        let code = until_it_ends(pid, None, busy, ran).expect("waited");
        assert_eq!(code, 128 + 2);
        assert_eq!((asked.get(), left.get()), (1, 1));
    }

    #[test]
    fn time_runs_out() {
        let start = Instant::now();
        assert_eq!(
            run("exec sleep 60", Some(Duration::from_millis(100))),
            TIMED_OUT
        );
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
