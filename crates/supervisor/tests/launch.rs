//! Starts real programs behind the filter. Single-threaded on purpose: `Launch::start` forks.
#![expect(
    clippy::print_stdout,
    reason = "a test runner of its own prints its closing line"
)]

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use supervisor::{Launch, LaunchError, Method, probe};

fn launch(method: Method, command: &[&str]) -> Result<i32, LaunchError> {
    let mut listener: Option<OwnedFd> = None;
    let outcome = Launch {
        command: command.iter().map(OsString::from).collect(),
        env: vec![("DOOR_TEST".into(), Some("yes".into()))],
        method,
        nodes: vec![
            "nvidiactl".into(),
            "nvidia0".into(),
            "nvidia-caps/nvidia-cap1".into(),
        ],
        mounts: Vec::new(),
    }
    .start(|fd| {
        listener = Some(fd);
        Ok(())
    })?;
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    unsafe { libc::waitpid(outcome.pid, &raw mut status, 0) };
    Ok(libc::WEXITSTATUS(status))
}

fn main() {
    // The listing protocol of test runners that start each test in a process of its own.
    if std::env::args().any(|a| a == "--list") {
        if !std::env::args().any(|a| a == "--ignored") {
            println!("programs_start_behind_the_filter: test");
        }
        return;
    }
    let Some(best) = probe() else {
        println!("not judged: no way to provide device nodes here");
        println!("0 passed, 0 failed, 1 skipped");
        return;
    };
    let mut methods = vec![best];
    if best == Method::MountNamespace {
        methods.push(Method::UserNamespace);
    }
    let mut passed = 0;
    for method in methods {
        let nodes = launch(
            method,
            &[
                "sh",
                "-c",
                "test -f /dev/nvidiactl && test -w /dev/nvidia0 && test -e /dev/nvidia-caps/nvidia-cap1 && \
                echo x > /dev/null && head -c 1 /dev/urandom > /dev/null && test $DOOR_TEST = yes && test -d /proc/self/fd",
            ],
        );
        assert!(matches!(nodes, Ok(0)), "{method:?}: {nodes:?}");
        assert!(method == Method::PlainFiles || !std::path::Path::new("/dev/nvidiactl").exists());
        let code = launch(method, &["sh", "-c", "exit 7"]);
        assert!(matches!(code, Ok(7)), "{code:?}");
        let missing = launch(method, &["/no/such/program"]);
        assert!(
            matches!(&missing, Err(LaunchError::Exec { why, .. }) if why.kind() == std::io::ErrorKind::NotFound),
            "{missing:?}"
        );
        passed += 1;
    }
    println!("{passed} passed, 0 failed");
}
