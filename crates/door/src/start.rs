//! Finding and starting the server.

use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::DoorError;
use crate::instance;

/// How long a server may take to come up.
const START: Duration = Duration::from_secs(20);

/// A function of this library: `dladdr` on it tells where the library lies.
fn library_dir() -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let marker = (library_dir as fn() -> Option<PathBuf>) as *const libc::c_void;
    // SAFETY: the address is a function of this object; `info` is valid for writing.
    let found = unsafe { libc::dladdr(marker, info.as_mut_ptr()) };
    if found == 0 {
        return None;
    }
    // SAFETY: dladdr filled it.
    let info = unsafe { info.assume_init() };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a NUL-terminated path that lives as long as the object.
    let path = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) };
    let path = Path::new(std::ffi::OsStr::new(path.to_str().ok()?));
    let path = std::fs::canonicalize(path).ok()?;
    path.parent().map(Path::to_path_buf)
}

/// Path of `antlerite-kmd`: `ANTLERITE_KMD`, else `../bin` of this library's directory, that directory, or `PATH`.
///
/// # Errors
/// [`DoorError::KmdNotFound`] with the places looked at.
pub fn find_kmd() -> Result<PathBuf, DoorError> {
    const NAME: &str = "antlerite-kmd";
    if let Some(path) = std::env::var_os("ANTLERITE_KMD").filter(|p| !p.is_empty()) {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(DoorError::KmdNotFound(path.display().to_string()))
        };
    }
    let mut places = Vec::new();
    if let Some(dir) = library_dir() {
        if let Some(parent) = dir.parent() {
            places.push(parent.join("bin").join(NAME));
        }
        places.push(dir.join(NAME));
        // `target/debug/deps/test-binary` and the like.
        if let Some(parent) = dir.parent() {
            places.push(parent.join(NAME));
        }
    }
    if let Some(path) = std::env::var_os("PATH") {
        places.extend(
            std::env::split_paths(&path)
                .filter(|d| d.is_absolute())
                .map(|d| d.join(NAME)),
        );
    }
    if let Some(found) = places.iter().find(|p| p.is_file()) {
        return Ok(found.clone());
    }
    let looked: Vec<_> = places.iter().map(|p| p.display().to_string()).collect();
    Err(DoorError::KmdNotFound(looked.join(", ")))
}

/// Connects to a socket of this user's; `Ok(None)` when no one listens.
///
/// # Errors
/// [`DoorError::Permission`] when the peer is another user.
pub fn try_connect(path: &Path, kind: SocketType) -> Result<Option<OwnedFd>, DoorError> {
    let socket = rustix::net::socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)
        .map_err(DoorError::os("socket"))?;
    let address = SocketAddrUnix::new(path).map_err(DoorError::os("socket path"))?;
    loop {
        match rustix::net::connect(&socket, &address) {
            Ok(()) => break,
            Err(Errno::INTR) => {}
            Err(Errno::NOENT | Errno::CONNREFUSED) => return Ok(None),
            Err(errno) => return Err(DoorError::os("connect")(errno)),
        }
    }
    let peer = rustix::net::sockopt::socket_peercred(&socket)
        .map_err(DoorError::os("peer credentials"))?;
    if peer.uid != rustix::process::getuid() {
        return Err(DoorError::Permission(format!(
            "{}: the server belongs to uid {}",
            path.display(),
            peer.uid.as_raw()
        )));
    }
    Ok(Some(socket))
}

/// Connects to the door's socket, starting the server if there is none.
///
/// # Errors
/// Why there is no server.
pub(crate) fn connect() -> Result<OwnedFd, DoorError> {
    let kmd = find_kmd();
    let dir = instance::dir(kmd.as_ref().ok().map(PathBuf::as_path))?;
    let path = dir.join(instance::SOCKET);
    if let Some(socket) = try_connect(&path, SocketType::SEQPACKET)? {
        return Ok(socket);
    }
    ensure_started(&kmd?, &dir)?;
    try_connect(&path, SocketType::SEQPACKET)?.ok_or_else(|| {
        DoorError::CannotStart(format!(
            "{} is not listening; see {}",
            path.display(),
            dir.join(instance::OUTPUT).display()
        ))
    })
}

/// Starts the server of the instance directory unless one listens already.
///
/// # Errors
/// [`DoorError::CannotStart`] with its words.
pub fn ensure_started(kmd: &Path, dir: &Path) -> Result<(), DoorError> {
    let lock = rustix::fs::open(
        dir.join(instance::LOCK),
        OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW,
        Mode::RUSR | Mode::WUSR,
    )
    .map_err(DoorError::os("start lock"))?;
    let deadline = Instant::now() + START;
    loop {
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => break,
            Err(Errno::AGAIN | Errno::INTR) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(Errno::AGAIN | Errno::INTR) => {
                return Err(DoorError::CannotStart(
                    "another process holds the start lock".into(),
                ));
            }
            Err(errno) => return Err(DoorError::os("start lock")(errno)),
        }
    }
    // Whoever held the lock may have started one.
    if try_connect(&dir.join(instance::SOCKET), SocketType::SEQPACKET)?.is_some() {
        return Ok(());
    }
    let cannot = |why: String| DoorError::CannotStart(format!("{}: {why}", kmd.display()));
    let output = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(dir.join(instance::OUTPUT))
        .map_err(|e| cannot(e.to_string()))?;
    let mut child = Command::new(kmd)
        .arg("--daemon")
        .arg("--dir")
        .arg(dir)
        .current_dir("/")
        .env_remove("LD_PRELOAD")
        .env_remove("LD_AUDIT")
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(output)
        .spawn()
        .map_err(|e| cannot(e.to_string()))?;
    let words = child
        .stdout
        .take()
        .map_or_else(String::new, |pipe| read_until_ready(pipe, deadline));
    let ready = words.lines().any(|l| l == "ready");
    if !ready {
        let _ = child.kill();
    }
    // The process that was started has forked the server and left. Someone else may have waited for it already.
    let _ = child.wait();
    if ready {
        return Ok(());
    }
    let words = words.trim();
    Err(cannot(if words.is_empty() {
        format!(
            "it ended or hung before it was ready; see {}",
            dir.join(instance::OUTPUT).display()
        )
    } else {
        words.to_owned()
    }))
}

fn read_until_ready(mut pipe: std::process::ChildStdout, deadline: Instant) -> String {
    let mut words = Vec::new();
    let mut buffer = [0; 512];
    while !words.ends_with(b"ready\n") {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(left) = rustix::event::Timespec::try_from(left) else {
            break;
        };
        let mut fds = [PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)];
        match rustix::event::poll(&mut fds, Some(&left)) {
            Ok(0) => break,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => break,
        }
        match pipe.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(n) => words.extend_from_slice(&buffer[..n]),
        }
    }
    String::from_utf8_lossy(&words).into_owned()
}
