//! The launch itself: a child that takes its nodes and its filter, hands the listener out, and becomes the program.

use crate::{filter, nodes};
use std::ffi::{CString, OsString};
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// First word of a report that `execvp` failed; the errno follows.
const EXEC: &str = "exec ";

/// What to start.
#[derive(Debug)]
pub struct Launch {
    /// Program, looked up in PATH, and its arguments.
    pub command: Vec<OsString>,
    /// Variables to set (`Some`) or remove (`None`) in the child.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// How to provide nodes.
    pub method: nodes::Method,
    /// Node names relative to `/dev`.
    pub nodes: Vec<String>,
    /// What covers parts of /proc and /sys (in a namespace of the program's own only).
    pub mounts: Vec<nodes::Mount>,
}

/// A started program.
#[derive(Debug)]
pub struct Outcome {
    /// Process id of the program.
    pub pid: libc::pid_t,
}

/// Why the program could not be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The child reported what failed.
    #[error("{0}")]
    Child(String),
    /// The program itself cannot be executed.
    #[error("{program}: {why}")]
    Exec {
        /// Its name.
        program: String,
        /// What `execvp` said.
        why: io::Error,
    },
    /// fork, socketpair or the like failed.
    #[error("{0}: {1}")]
    Os(&'static str, io::Error),
    /// The kernel half did not take the listener.
    #[error("the kernel half did not take the listener: {0}")]
    Handover(String),
}

impl Launch {
    /// Starts the program. `hand_over` receives the notification listener and must give it to the kernel half before
    /// it returns; only then does the child execute the program.
    ///
    /// # Errors
    /// See [`LaunchError`]. `exec` failures are reported here too, by errno text.
    pub fn start(
        self,
        hand_over: impl FnOnce(OwnedFd) -> Result<(), String>,
    ) -> Result<Outcome, LaunchError> {
        let name = self
            .command
            .first()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let (mut ours, theirs) =
            UnixStream::pair().map_err(|e| LaunchError::Os("socketpair", e))?;
        // SAFETY: the caller is the launcher, single-threaded by contract of this crate (`antlerite run`); the child
        // allocates, which is sound there.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(LaunchError::Os("fork", io::Error::last_os_error()));
        }
        if pid == 0 {
            drop(ours);
            // Returns only when something failed, which it reported over the socket.
            self.child(theirs);
            // SAFETY: leaves without running the parent's destructors.
            unsafe { libc::_exit(127) };
        }
        drop(theirs);
        let listener = match receive(&ours) {
            Ok(Ok(listener)) => listener,
            Ok(Err(text)) => {
                reap(pid);
                return Err(LaunchError::Child(text));
            }
            Err(e) => {
                reap(pid);
                return Err(LaunchError::Os("receive listener", e));
            }
        };
        if let Err(text) = hand_over(listener) {
            drop(ours);
            reap(pid);
            return Err(LaunchError::Handover(text));
        }
        ours.write_all(b"g").map_err(|e| LaunchError::Os("go", e))?;
        let mut text = String::new();
        // The socket closes on exec: end of file is success.
        ours.read_to_string(&mut text)
            .map_err(|e| LaunchError::Os("exec report", e))?;
        if text.is_empty() {
            Ok(Outcome { pid })
        } else {
            reap(pid);
            Err(
                match text.strip_prefix(EXEC).and_then(|errno| errno.parse().ok()) {
                    Some(errno) => LaunchError::Exec {
                        program: name,
                        why: io::Error::from_raw_os_error(errno),
                    },
                    None => LaunchError::Child(text),
                },
            )
        }
    }

    /// Runs in the child; returns only on failure, after reporting it.
    fn child(&self, mut socket: UnixStream) {
        let report = |socket: &mut UnixStream, text: String| {
            let _ = socket.write_all(text.as_bytes());
        };
        if let Err(e) = nodes::provide(self.method, &self.nodes, &self.mounts) {
            report(&mut socket, e.to_string());
            return;
        }
        for (name, value) in &self.env {
            match value {
                // SAFETY: this process has one thread.
                Some(value) => unsafe { std::env::set_var(name, value) },
                // SAFETY: as above.
                None => unsafe { std::env::remove_var(name) },
            }
        }
        let argv: Vec<CString> = self
            .command
            .iter()
            .filter_map(|a| CString::new(a.as_bytes()).ok())
            .collect();
        if argv.len() != self.command.len() || argv.is_empty() {
            report(
                &mut socket,
                "empty command, or an argument with a NUL byte".into(),
            );
            return;
        }
        let mut pointers: Vec<*const libc::c_char> = argv.iter().map(|a| a.as_ptr()).collect();
        pointers.push(std::ptr::null());
        let listener = match filter::install() {
            Ok(listener) => listener,
            Err(e) => {
                report(&mut socket, e.to_string());
                return;
            }
        };
        if let Err(e) = send(&socket, &listener) {
            report(&mut socket, format!("send listener: {e}"));
            return;
        }
        drop(listener);
        // Who kills the launcher outright means the program too.
        // SAFETY: prctl with these constants touches no memory.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        let mut go = [0u8; 1];
        if socket.read_exact(&mut go).is_err() {
            return;
        }
        // SAFETY: `pointers` is a NULL-terminated array of NUL-terminated strings that outlive the call.
        unsafe { libc::execvp(pointers[0], pointers.as_ptr()) };
        let errno = io::Error::last_os_error().raw_os_error().unwrap_or(0);
        report(&mut socket, format!("{EXEC}{errno}"));
    }
}

fn reap(pid: libc::pid_t) {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
}

fn send(socket: &UnixStream, fd: &OwnedFd) -> io::Result<()> {
    let fds = [fd.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&fds));
    rustix::net::sendmsg(
        socket,
        &[io::IoSlice::new(b"l")],
        &mut control,
        SendFlags::empty(),
    )?;
    Ok(())
}

/// The listener, or the child's report of what failed.
fn receive(socket: &UnixStream) -> io::Result<Result<OwnedFd, String>> {
    let mut first = [0u8; 512];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = rustix::net::recvmsg(
        socket,
        &mut [io::IoSliceMut::new(&mut first)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = message
            && let Some(fd) = fds.into_iter().next()
        {
            return Ok(Ok(fd));
        }
    }
    let mut text = String::from_utf8_lossy(&first[..got.bytes]).into_owned();
    let mut rest = Vec::new();
    let mut socket = socket;
    socket.read_to_end(&mut rest)?;
    text.push_str(&String::from_utf8_lossy(&rest));
    if text.is_empty() {
        text.push_str("the child ended without a word");
    }
    Ok(Err(text))
}
