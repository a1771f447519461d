//! A server of its own for a test.
#![allow(dead_code, reason = "each test file uses a part")]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The environment and the library's state are the process's: tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// A server in a directory of its own; killed and removed when dropped.
pub struct TestServer {
    dir: tempfile::TempDir,
    child: Child,
    _turn: MutexGuard<'static, ()>,
}

/// The directory that cargo puts programs and libraries into.
pub fn built() -> PathBuf {
    let exe = std::env::current_exe().expect("current_exe");
    exe.ancestors().nth(2).expect("target directory").to_owned()
}

/// A program: by the variable, else where cargo puts it.
fn program(variable: &str, name: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .filter(|path| !path.is_empty())
        .map_or_else(|| Some(built().join(name)), |path| Some(path.into()))
        .filter(|path| path.is_file())
}

impl TestServer {
    /// Starts `antlerite-kmd` with these arguments; `None` (said to be not judged) where it is not built.
    pub fn start(arguments: &[&str]) -> Option<Self> {
        let Some(kmd) = program("ANTLERITE_KMD", "antlerite-kmd") else {
            eprintln!("not judged: antlerite-kmd is not built; set ANTLERITE_KMD");
            return None;
        };
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let dir = tempfile::tempdir().expect("temporary directory");
        let instance = dir.path().join("antlerite").join("test");
        std::fs::create_dir_all(&instance).expect("instance directory");
        for path in [dir.path(), &dir.path().join("antlerite"), &instance] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).expect("chmod");
        }
        let mut command = Command::new(&kmd);
        command
            .arg("--dir")
            .arg(&instance)
            .args(arguments)
            .env("ANTLERITE_MEMORY", "1G")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        // SAFETY: one system call between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        let child = command.spawn().expect("antlerite-kmd starts");
        // SAFETY: the lock above keeps other tests of this process from reading the environment meanwhile.
        unsafe {
            for (name, value) in environment(dir.path(), &kmd) {
                std::env::set_var(name, value);
            }
        }
        let deadline = Instant::now() + Duration::from_secs(60);
        while !instance.join(door::instance::SOCKET).exists() {
            assert!(Instant::now() < deadline, "the server did not come up");
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(Self {
            dir,
            child,
            _turn: turn,
        })
    }

    /// What the server says of itself.
    pub fn status(&self) -> kernel::manage::Status {
        let instance = self.dir.path().join("antlerite").join("test");
        match kernel::manage::ask(&instance, &kernel::manage::Request::Status).expect("status") {
            kernel::manage::Answer::Status(status) => *status,
            other => panic!("{other:?}"),
        }
    }

    /// Lets its GPU 0 fail.
    pub fn inject(&self, failure: kernel::inject::Failure) {
        let instance = self.dir.path().join("antlerite").join("test");
        let request = kernel::manage::Request::Inject { gpu: 0, failure };
        match kernel::manage::ask(&instance, &request).expect("inject") {
            kernel::manage::Answer::Done { .. } => {}
            other => panic!("{other:?}"),
        }
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.child.kill().expect("kill");
        self.child.wait().expect("wait");
    }
}

fn environment(dir: &Path, kmd: &Path) -> [(&'static str, PathBuf); 3] {
    [
        ("XDG_RUNTIME_DIR", dir.to_owned()),
        ("ANTLERITE_INSTANCE", "test".into()),
        ("ANTLERITE_KMD", kmd.to_owned()),
    ]
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
