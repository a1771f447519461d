//! Watches client processes by pidfd: a process that dies is cut off even if a forked child still holds its sockets.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags};

/// How long a close may take that an open of the same process waits for.
const CLOSING: Duration = Duration::from_secs(2);
/// Between two looks at it.
const LOOK: Duration = Duration::from_micros(50);

#[derive(Debug)]
struct Process {
    pidfd: Arc<OwnedFd>,
    sockets: Vec<Weak<OwnedFd>>,
}

/// The watched processes.
#[derive(Debug, Default)]
pub(super) struct Watch(Mutex<HashMap<u32, Process>>);

impl Watch {
    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Process>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection of a process. A process in another pid namespace cannot be watched; its sockets tell then.
    pub(super) fn add(&self, pid: u32, socket: &Arc<OwnedFd>) {
        let mut map = self.lock();
        if let Some(process) = map.get_mut(&pid) {
            process.sockets.retain(|s| s.strong_count() > 0);
            process.sockets.push(Arc::downgrade(socket));
            return;
        }
        let pidfd = Pid::from_raw(pid.cast_signed())
            .and_then(|pid| rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(pidfd) = pidfd {
            map.insert(
                pid,
                Process {
                    pidfd: Arc::new(pidfd),
                    sockets: vec![Arc::downgrade(socket)],
                },
            );
        }
    }

    /// What a process closed before is gone when this returns, as it is for a kernel: its connections that hung up have
    /// ended.
    pub(super) fn settle(&self, pid: u32) {
        let sockets = match self.lock().get(&pid) {
            Some(process) => process.sockets.clone(),
            None => return,
        };
        let start = Instant::now();
        for socket in sockets {
            while let Some(fd) = socket.upgrade() {
                if !hung_up(&fd) || start.elapsed() > CLOSING {
                    break;
                }
                drop(fd);
                std::thread::sleep(LOOK);
            }
        }
    }

    /// What to poll. Processes without connections are forgotten.
    pub(super) fn pollfds(&self) -> Vec<(u32, Arc<OwnedFd>)> {
        let mut map = self.lock();
        map.retain(|_, p| p.sockets.iter().any(|s| s.strong_count() > 0));
        map.iter()
            .map(|(pid, p)| (*pid, Arc::clone(&p.pidfd)))
            .collect()
    }

    /// A process died: its connections are shut down, and their threads end.
    pub(super) fn ended(&self, pid: u32) {
        let process = self.lock().remove(&pid);
        for socket in process
            .iter()
            .flat_map(|p| &p.sockets)
            .filter_map(Weak::upgrade)
        {
            let _ = rustix::net::shutdown(&socket, rustix::net::Shutdown::Both);
        }
    }
}

/// Whether the other end is closed.
fn hung_up(socket: &OwnedFd) -> bool {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let mut fds = [PollFd::new(socket, PollFlags::empty())];
    rustix::event::poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().contains(PollFlags::HUP)
}
