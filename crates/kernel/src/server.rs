//! The socket door's far side: listens, checks who connects, serves each connection on a thread of its own, and ends
//! what a dead process left.

mod connection;
mod watch;

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use door::instance;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::file::Owner;
use crate::kernel::Kernel;
use watch::Watch;

/// Connections at once.
const CONNECTIONS: usize = 1 << 14;
/// Stack of a connection's thread.
const STACK: usize = 512 << 10;

/// A server.
#[derive(Debug)]
pub struct Server {
    kernel: Arc<Kernel>,
    dir: PathBuf,
    door: OwnedFd,
    manage: OwnedFd,
    shared: Arc<Shared>,
}

/// What the server's threads share.
#[derive(Debug)]
pub struct Shared {
    /// Open connections.
    pub connections: AtomicUsize,
    /// Stay without clients.
    pub persist: AtomicBool,
    /// Leave now.
    pub stop: AtomicBool,
    /// Watches over client processes.
    watch: Watch,
}

fn listen(path: &Path, kind: SocketType) -> Result<OwnedFd, Errno> {
    let socket = rustix::net::socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    match rustix::fs::unlink(path) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(errno) => return Err(errno),
    }
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    // The directory is closed to others already.
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
    rustix::net::listen(&socket, 128)?;
    Ok(socket)
}

/// Process (0 when it is in a pid namespace that is not seen from here) and user at the other end.
fn peer(socket: &OwnedFd) -> Option<(u32, u32)> {
    let mut peer = libc::ucred {
        pid: 0,
        uid: 0,
        gid: 0,
    };
    let mut len = libc::socklen_t::try_from(size_of::<libc::ucred>()).ok()?;
    // SAFETY: `peer` and `len` are valid for writing, and `len` is the size of `peer`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut len,
        )
    };
    (result == 0).then_some((peer.pid.cast_unsigned(), peer.uid))
}

impl Server {
    /// Binds the sockets of an instance directory. The caller holds the start lock (the library that starts the server
    /// does), so no one else does so at the same time.
    ///
    /// # Errors
    /// When a socket cannot be bound.
    pub fn bind(kernel: Arc<Kernel>, dir: &Path, persist: bool) -> Result<Self, Errno> {
        Ok(Self {
            door: listen(&dir.join(instance::SOCKET), SocketType::SEQPACKET)?,
            manage: listen(&dir.join(instance::MANAGE_SOCKET), SocketType::STREAM)?,
            kernel,
            dir: dir.to_path_buf(),
            shared: Arc::new(Shared {
                connections: AtomicUsize::new(0),
                persist: AtomicBool::new(persist),
                stop: AtomicBool::new(false),
                watch: Watch::default(),
            }),
        })
    }

    /// Serves until it is told to stop, or has had no client for `linger` and need not persist.
    ///
    /// # Errors
    /// When polling fails.
    pub fn run(self, linger: Duration) -> Result<(), Errno> {
        let mut idle_since = Instant::now();
        loop {
            if self.shared.stop.load(Ordering::SeqCst) {
                self.remove_sockets();
                return Ok(());
            }
            let watched = self.shared.watch.pollfds();
            let mut fds = vec![
                PollFd::new(&self.door, PollFlags::IN),
                PollFd::new(&self.manage, PollFlags::IN),
            ];
            fds.extend(
                watched
                    .iter()
                    .map(|w| PollFd::from_borrowed_fd(w.1.as_fd(), PollFlags::IN)),
            );
            let busy = self.shared.connections.load(Ordering::SeqCst) > 0;
            if busy || self.shared.persist.load(Ordering::SeqCst) {
                idle_since = Instant::now();
            }
            let wait = if busy {
                Duration::from_millis(500)
            } else {
                Duration::from_millis(100)
            };
            let timeout = rustix::event::Timespec::try_from(wait).map_err(|_| Errno::INVAL)?;
            match rustix::event::poll(&mut fds, Some(&timeout)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
            let ready: Vec<bool> = fds.iter().map(|f| !f.revents().is_empty()).collect();
            drop(fds);
            for (slot, (pid, _)) in watched.iter().enumerate() {
                if ready.get(slot + 2).copied().unwrap_or(false) {
                    self.shared.watch.ended(*pid);
                }
            }
            if ready.first().copied().unwrap_or(false) {
                self.accept_client();
            }
            if ready.get(1).copied().unwrap_or(false) {
                self.accept_manager();
            }
            if idle_since.elapsed() >= linger && self.try_leave() {
                return Ok(());
            }
        }
    }

    fn accept(&self, listener: &OwnedFd) -> Option<(OwnedFd, Owner)> {
        let socket = rustix::net::accept_with(listener, SocketFlags::CLOEXEC).ok()?;
        let (pid, uid) = peer(&socket)?;
        if uid != rustix::process::getuid().as_raw() {
            return None;
        }
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm"))
            .unwrap_or_else(|_| "<unknown>".into());
        Some((
            socket,
            Owner {
                pid,
                uid,
                name: name.trim().to_owned(),
            },
        ))
    }

    fn accept_client(&self) {
        let Some((socket, owner)) = self.accept(&self.door) else {
            return;
        };
        if self.shared.connections.load(Ordering::SeqCst) >= CONNECTIONS {
            return;
        }
        self.shared.connections.fetch_add(1, Ordering::SeqCst);
        let (kernel, shared) = (Arc::clone(&self.kernel), Arc::clone(&self.shared));
        let counted = Counted(Arc::clone(&self.shared));
        // If no thread can be had, the connection closes and the count goes down again.
        let _ = std::thread::Builder::new()
            .name(format!("client-{}", owner.pid))
            .stack_size(STACK)
            .spawn(move || {
                let _counted = counted;
                connection::serve(&kernel, &shared, Arc::new(socket), owner);
            });
    }

    fn accept_manager(&self) {
        let Some((socket, _)) = self.accept(&self.manage) else {
            return;
        };
        let (kernel, shared) = (Arc::clone(&self.kernel), Arc::clone(&self.shared));
        let _ = std::thread::Builder::new()
            .name("manage".into())
            .stack_size(STACK)
            .spawn(move || crate::manage::serve(&kernel, &shared, socket));
    }

    /// Leaves if no one is about to connect: whoever starts a server holds the lock while looking.
    fn try_leave(&self) -> bool {
        let lock = rustix::fs::open(
            self.dir.join(instance::LOCK),
            OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW,
            Mode::RUSR | Mode::WUSR,
        );
        let Ok(lock) = lock else {
            // The directory is gone: no one can find this server any more.
            return true;
        };
        if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return false;
        }
        if self.shared.connections.load(Ordering::SeqCst) > 0
            || self.shared.persist.load(Ordering::SeqCst)
        {
            return false;
        }
        self.remove_sockets();
        true
    }

    fn remove_sockets(&self) {
        for name in [instance::SOCKET, instance::MANAGE_SOCKET] {
            let _ = std::fs::remove_file(self.dir.join(name));
        }
    }
}

/// Counts a connection down when its thread ends, however it ends.
struct Counted(Arc<Shared>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
    }
}
