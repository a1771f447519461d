//! Device nodes that a program can open: placeholder files in a private `/dev`, or plain files in the real one.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// How the nodes come into being; best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A mount namespace of the program's own (with privilege).
    MountNamespace,
    /// A user and a mount namespace of the program's own (no privilege needed).
    UserNamespace,
    /// Plain files in the system's `/dev`, seen by everybody.
    PlainFiles,
}

/// A file or directory that covers another one in the program's namespace.
#[derive(Clone, Debug)]
pub struct Mount {
    /// What is seen.
    pub source: PathBuf,
    /// Where.
    pub target: PathBuf,
    /// Where what was there is to be seen from then on (below /dev).
    pub keep: Option<PathBuf>,
}

/// Why there are no nodes.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// Neither namespaces nor `/dev` can be used.
    #[error(
        "cannot provide device nodes: user and mount namespaces are refused and /dev is not writable ({0}); \
         use the socket door, or allow user namespaces"
    )]
    Nowhere(io::Error),
    /// A step of building the private `/dev` failed.
    #[error("private /dev: {0}: {1}")]
    Step(&'static str, io::Error),
}

const KEEP_FILES: [&str; 8] = [
    "null", "zero", "full", "random", "urandom", "tty", "fuse", "kvm",
];
const KEEP_DIRS: [&str; 4] = ["pts", "shm", "mqueue", "hugepages"];

fn step<T>(name: &'static str, result: io::Result<T>) -> Result<T, NodeError> {
    result.map_err(|e| NodeError::Step(name, e))
}

fn check(value: libc::c_int) -> io::Result<()> {
    if value == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

fn c(path: &Path) -> CString {
    // Paths here come from constants and mkdtemp: no NUL inside.
    CString::new(path.as_os_str().as_encoded_bytes()).unwrap_or_default()
}

fn mount(
    source: Option<&Path>,
    target: &Path,
    kind: Option<&str>,
    flags: libc::c_ulong,
) -> io::Result<()> {
    let source = source.map(c);
    let target = c(target);
    let kind = kind.map(|k| CString::new(k).unwrap_or_default());
    let ptr = |s: &Option<CString>| s.as_ref().map_or(std::ptr::null(), |s| s.as_ptr());
    // SAFETY: all strings are NUL-terminated and outlive the call.
    check(unsafe {
        libc::mount(
            ptr(&source),
            target.as_ptr(),
            ptr(&kind),
            flags,
            std::ptr::null(),
        )
    })
}

/// Which method this process can use, found out in a child so that nothing changes here.
#[must_use]
pub fn probe() -> Option<Method> {
    for (method, flags) in [
        (Method::MountNamespace, libc::CLONE_NEWNS),
        (
            Method::UserNamespace,
            libc::CLONE_NEWUSER | libc::CLONE_NEWNS,
        ),
    ] {
        // SAFETY: the child calls only async-signal-safe functions and leaves by _exit.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            // SAFETY: as above.
            unsafe { libc::_exit(i32::from(libc::unshare(flags) != 0)) };
        }
        let mut status = 0;
        // SAFETY: `status` outlives the call.
        if pid > 0 && unsafe { libc::waitpid(pid, &raw mut status, 0) } == pid && status == 0 {
            return Some(method);
        }
    }
    writable_dev().is_ok().then_some(Method::PlainFiles)
}

fn writable_dev() -> io::Result<()> {
    let path = c(Path::new("/dev"));
    // SAFETY: the path is NUL-terminated.
    check(unsafe { libc::access(path.as_ptr(), libc::W_OK) })
}

fn placeholder(path: &Path) -> io::Result<()> {
    match OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o666)
        .open(path)
    {
        Ok(_) => fs::set_permissions(path, fs::Permissions::from_mode(0o666)),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
    }
}

/// Gives the calling process (single-threaded, about to execute the program) its nodes. `names` are relative to `/dev`.
///
/// # Errors
/// See [`NodeError`].
pub(crate) fn provide(method: Method, names: &[String], mounts: &[Mount]) -> Result<(), NodeError> {
    match method {
        Method::PlainFiles => {
            for name in names {
                placeholder(&Path::new("/dev").join(name)).map_err(NodeError::Nowhere)?;
            }
            Ok(())
        }
        Method::MountNamespace => {
            unshare(libc::CLONE_NEWNS)?;
            private_dev(names)?;
            cover(mounts);
            Ok(())
        }
        Method::UserNamespace => {
            // SAFETY: these take no pointers.
            let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
            unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS)?;
            step("setgroups", write("/proc/self/setgroups", "deny"))?;
            step(
                "uid_map",
                write("/proc/self/uid_map", &format!("{uid} {uid} 1")),
            )?;
            step(
                "gid_map",
                write("/proc/self/gid_map", &format!("{gid} {gid} 1")),
            )?;
            private_dev(names)?;
            cover(mounts);
            Ok(())
        }
    }
}

/// Covers what can be covered: a target that the machine has not, or that may not be covered, stays as it is.
fn cover(mounts: &[Mount]) {
    for Mount {
        source,
        target,
        keep,
    } in mounts
    {
        if !source.exists() {
            continue;
        }
        if !target.exists() && (source.is_file() || fs::create_dir_all(target).is_err()) {
            continue;
        }
        if let Some(keep) = keep {
            let kept = fs::create_dir_all(keep)
                .and_then(|()| mount(Some(target), keep, None, libc::MS_BIND | libc::MS_REC));
            if kept.is_err() {
                continue;
            }
        }
        let _ = mount(Some(source), target, None, libc::MS_BIND | libc::MS_REC);
    }
}

fn unshare(flags: libc::c_int) -> Result<(), NodeError> {
    // SAFETY: unshare takes no pointers.
    let result = unsafe { libc::unshare(flags) };
    step("unshare", check(result))
}

fn write(path: &str, text: &str) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .open(path)?
        .write_all(text.as_bytes())
}

/// A tmpfs over `/dev` with the ordinary devices bound into it and the placeholders beside them.
fn private_dev(names: &[String]) -> Result<(), NodeError> {
    step(
        "make / private",
        mount(None, Path::new("/"), None, libc::MS_REC | libc::MS_PRIVATE),
    )?;
    // The new /dev is built over /proc/self's neighbour: any existing directory serves as a place to stand.
    let stage = PathBuf::from("/dev/shm");
    let stage = if stage.is_dir() {
        stage
    } else {
        PathBuf::from("/tmp")
    };
    let old = step("open /dev", File::open("/dev"))?;
    let old_dev = PathBuf::from(format!(
        "/proc/self/fd/{}",
        std::os::fd::AsRawFd::as_raw_fd(&old)
    ));
    let shm = stage.clone();
    let keep_shm = step("open stage", File::open(&shm))?;
    step(
        "mount tmpfs",
        mount(
            Some(Path::new("none")),
            &stage,
            Some("tmpfs"),
            libc::MS_NOSUID,
        ),
    )?;
    let keep_shm = PathBuf::from(format!(
        "/proc/self/fd/{}",
        std::os::fd::AsRawFd::as_raw_fd(&keep_shm)
    ));
    for name in KEEP_FILES {
        if old_dev.join(name).exists()
            && step("bind target", File::create(stage.join(name))).is_ok()
        {
            // A device that cannot be bound is left out, as in containers.
            if mount(
                Some(&old_dev.join(name)),
                &stage.join(name),
                None,
                libc::MS_BIND,
            )
            .is_err()
            {
                let _ = fs::remove_file(stage.join(name));
            }
        }
    }
    for name in KEEP_DIRS {
        let source = if stage.ends_with(name) {
            keep_shm.clone()
        } else {
            old_dev.join(name)
        };
        if source.is_dir() && fs::create_dir(stage.join(name)).is_ok() {
            let _ = mount(
                Some(&source),
                &stage.join(name),
                None,
                libc::MS_BIND | libc::MS_REC,
            );
        }
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("ptmx", "pts/ptmx"),
    ] {
        step("link", std::os::unix::fs::symlink(target, stage.join(name)))?;
    }
    for name in names {
        let path = stage.join(name);
        if let Some(parent) = path.parent() {
            step("node directory", fs::create_dir_all(parent))?;
        }
        step("node", placeholder(&path))?;
    }
    step(
        "move onto /dev",
        mount(
            Some(&stage),
            Path::new("/dev"),
            None,
            libc::MS_BIND | libc::MS_REC,
        ),
    )
}
