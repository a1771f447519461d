//! The GPU process of a VA space: starting it, asking it (with a deadline), hearing from it, ending it.
//!
//! Everything it says is hostile input: messages are bounded by the packet, decoded by postcard, and a process that
//! breaks the protocol, hangs or dies costs its own context and nothing else.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SendError, Sender, SyncSender, channel, sync_channel,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use abi::link::{FromGpu, LinkError, MAX_PACKET, Request, ToGpu};
use rustix::io::Errno;
use rustix::net::sockopt::Timeout;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};

/// How long the GPU process may take to answer.
pub const DEADLINE: Duration = Duration::from_secs(5);
/// How long it may take from its start to its first answer.
const START_DEADLINE: Duration = Duration::from_secs(10);
/// How long at most, where it only waits for a CPU: hundreds of processes may have work at once.
const LAST_DEADLINE: Duration = Duration::from_secs(120);
/// After its deadline a process is looked at so often.
const AGAIN: Duration = Duration::from_secs(1);
/// Descriptor of the link in the GPU process.
const LINK_FD: i32 = 3;
/// `ADDR_NO_RANDOMIZE` of personality(2).
const ADDR_NO_RANDOMIZE: libc::c_ulong = 0x004_0000;

/// Why the GPU process cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// It answered with an error.
    #[error("{0:?}")]
    Link(LinkError),
    /// It did not answer in time and was killed.
    #[error("no answer within the deadline")]
    Timeout,
    /// It is dead.
    #[error("the process is gone")]
    Gone,
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(Errno),
}

/// Starts processes from one long-lived thread, so that they can be tied to the server's life (the parent-death signal
/// goes by thread).
#[derive(Debug)]
pub struct Spawner {
    requests: Mutex<Sender<SpawnRequest>>,
}

type SpawnRequest = (PathBuf, OwnedFd, SyncSender<std::io::Result<Child>>);

impl Spawner {
    /// A spawner with its thread.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn new() -> std::io::Result<Self> {
        let (requests, inbox) = channel::<SpawnRequest>();
        std::thread::Builder::new()
            .name("spawner".into())
            .stack_size(256 << 10)
            .spawn(move || {
                for (program, link, reply) in inbox {
                    // The asker may have given up.
                    if let Err(SendError(Ok(mut child))) = reply.send(spawn(&program, &link)) {
                        let _ = child.kill();
                        let _ = child.wait();
                    }
                }
            })?;
        Ok(Self {
            requests: Mutex::new(requests),
        })
    }

    fn spawn(&self, program: &Path, link: OwnedFd) -> Result<Child, ProcessError> {
        let (reply, answer) = sync_channel(1);
        let sent = {
            let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            requests.send((program.to_path_buf(), link, reply))
        };
        sent.map_err(|_| ProcessError::Gone)?;
        // Others are before it, hundreds perhaps, and each waits for a CPU.
        match answer.recv_timeout(LAST_DEADLINE) {
            Ok(Ok(child)) => Ok(child),
            Ok(Err(error)) => Err(ProcessError::Start(Errno::from_raw_os_error(
                error.raw_os_error().unwrap_or(libc::EIO),
            ))),
            Err(_) => Err(ProcessError::Timeout),
        }
    }
}

fn spawn(program: &Path, link: &OwnedFd) -> std::io::Result<Child> {
    let link = link.as_raw_fd();
    let mut command = Command::new(program);
    command
        .arg("--link")
        .arg(LINK_FD.to_string())
        .env_clear()
        .envs(
            std::env::vars_os()
                .filter(|(name, _)| name.as_encoded_bytes().starts_with(b"ANTLERITE_")),
        )
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    // SAFETY: only raw system calls between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if link == LINK_FD {
                libc::fcntl(link, libc::F_SETFD, 0);
            } else if libc::dup2(link, LINK_FD) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            // Mark everything above for closing: the exec-error pipe of the standard library must live until exec.
            libc::syscall(
                libc::SYS_close_range,
                LINK_FD + 1,
                u32::MAX,
                libc::CLOSE_RANGE_CLOEXEC,
            );
            libc::personality(ADDR_NO_RANDOMIZE);
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // Do not take signals meant for the server's terminal.
            libc::setsid();
            Ok(())
        });
    }
    command.spawn()
}

/// What the owner of a process does with what it says.
pub trait Listener: Send + Sync {
    /// A message other than an answer.
    fn said(&self, message: FromGpu);
    /// The process is gone (once).
    fn ended(&self, how: &str);
}

type Pending = HashMap<u64, SyncSender<Result<(), LinkError>>>;

#[derive(Debug)]
struct Shared {
    socket: OwnedFd,
    pending: Mutex<Option<Pending>>,
    dead: AtomicBool,
    pidfd: Option<OwnedFd>,
    /// What came with the first answer.
    faults: Mutex<Option<Faults>>,
}

/// How page faults of the process are served: descriptors of a process that is not trusted.
#[derive(Clone, Debug)]
pub struct Faults {
    /// The userfaultfd of its address space.
    pub uffd: Arc<OwnedFd>,
    /// Who serves it.
    pub uffd_use: Arc<Mutex<UffdUse>>,
    /// The socket of the thread that unmaps pages there (`abi::agent`).
    pub agent: Option<Arc<OwnedFd>>,
    /// The socket on which it asks for the program's own memory (`abi::host_memory`).
    pub host: Option<Arc<OwnedFd>>,
}

/// What was done with a userfaultfd: Linux initialises each once, and only one may read its faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UffdUse {
    /// It is initialised.
    pub initialised: bool,
    /// Someone serves it.
    pub taken: bool,
}

impl Shared {
    fn kill(&self) {
        self.dead.store(true, Ordering::SeqCst);
        if let Some(pidfd) = &self.pidfd {
            // It may be gone already.
            let _ = rustix::process::pidfd_send_signal(pidfd, rustix::process::Signal::KILL);
        }
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
    }
}

/// A running GPU process.
#[derive(Debug)]
pub struct GpuProcess {
    shared: Arc<Shared>,
    next: AtomicU64,
    /// Its process id, for reports.
    pub pid: u32,
}

/// Which threads of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// The one that answers.
    First,
    /// All.
    All,
}

/// What a process waits for CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CpuWait {
    /// For how long its threads have waited so far, together (proc(5), schedstat), nanoseconds. 0 where that is not told.
    delayed: u64,
    /// One runs or would if it had a CPU, or waits for what another does in the kernel.
    runnable: bool,
}

impl CpuWait {
    fn of(pid: u32, whose: Whose) -> Self {
        let mut wait = Self::default();
        match whose {
            Whose::First => wait.add(&format!("/proc/{pid}")),
            Whose::All => {
                let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
                for task in tasks.into_iter().flatten().flatten() {
                    wait.add(&task.path().to_string_lossy());
                }
            }
        }
        wait
    }

    fn add(&mut self, thread: &str) {
        let text = std::fs::read_to_string(format!("{thread}/schedstat")).unwrap_or_default();
        let field = text.split_whitespace().nth(1);
        let delayed: u64 = field.and_then(|f| f.parse().ok()).unwrap_or(0);
        self.delayed = self.delayed.wrapping_add(delayed);
        let text = std::fs::read_to_string(format!("{thread}/stat")).unwrap_or_default();
        // The name before it may hold anything, parentheses too.
        let state = text.rsplit_once(") ").and_then(|(_, s)| s.chars().next());
        self.runnable |= matches!(state, Some('R' | 'D'));
    }
}

impl GpuProcess {
    /// Starts `program` and its reader thread.
    ///
    /// # Errors
    /// [`ProcessError::Start`] and the like.
    pub fn start(
        spawner: &Spawner,
        program: &Path,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, ProcessError> {
        let (ours, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(ProcessError::Start)?;
        rustix::net::sockopt::set_socket_timeout(&ours, Timeout::Send, Some(DEADLINE))
            .map_err(ProcessError::Start)?;
        let child = spawner.spawn(program, theirs)?;
        let pid = child.id();
        let pidfd = rustix::process::Pid::from_raw(pid.cast_signed()).and_then(|pid| {
            rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
        });
        let shared = Arc::new(Shared {
            socket: ours,
            pending: Mutex::new(Some(HashMap::new())),
            dead: AtomicBool::new(false),
            pidfd,
            faults: Mutex::default(),
        });
        let reader = Arc::clone(&shared);
        std::thread::Builder::new()
            .name(format!("gpu-{pid}"))
            .stack_size(256 << 10)
            .spawn(move || read_loop(&reader, child, &*listener))
            .map_err(|_| {
                shared.kill();
                ProcessError::Start(Errno::AGAIN)
            })?;
        Ok(Self {
            shared,
            next: AtomicU64::new(1),
            pid,
        })
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// [`ProcessError::Link`] as it answers; after [`ProcessError::Timeout`] it is dead. Waiting for a CPU does not count.
    pub fn ask(&self, body: ToGpu, fds: &[BorrowedFd<'_>]) -> Result<(), ProcessError> {
        // Until it has started, the thread that answers waits for the others to run.
        let (deadline, whose) = if matches!(body, ToGpu::Start(_)) {
            (START_DEADLINE, Whose::All)
        } else {
            (DEADLINE, Whose::First)
        };
        let start = Instant::now();
        let answer = self.tell(body, fds)?;
        let mut patience = deadline;
        // What it waited for a CPU until the deadline.
        let mut delayed = None;
        loop {
            match answer.recv_timeout(patience) {
                Ok(result) => return result.map_err(ProcessError::Link),
                Err(RecvTimeoutError::Timeout) => {
                    let wait = CpuWait::of(self.pid, whose);
                    let now = wait.delayed;
                    let waited = delayed.is_none_or(|before| now != before);
                    let starved = waited || wait.runnable;
                    if !starved || start.elapsed() >= LAST_DEADLINE {
                        self.shared.kill();
                        return Err(ProcessError::Timeout);
                    }
                    (patience, delayed) = (AGAIN, Some(now));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ProcessError::Gone),
            }
        }
    }

    /// Sends a request; the answer comes through the receiver.
    ///
    /// # Errors
    /// [`ProcessError::Gone`].
    pub fn tell(
        &self,
        body: ToGpu,
        fds: &[BorrowedFd<'_>],
    ) -> Result<Receiver<Result<(), LinkError>>, ProcessError> {
        let seq = self.next.fetch_add(1, Ordering::Relaxed);
        let packet = postcard::to_stdvec(&Request { seq, body }).map_err(|_| ProcessError::Gone)?;
        let (reply, answer) = sync_channel(1);
        {
            let mut pending = self
                .shared
                .pending
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            pending
                .as_mut()
                .ok_or(ProcessError::Gone)?
                .insert(seq, reply);
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        loop {
            let mut control = SendAncillaryBuffer::new(&mut space);
            if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
                return Err(ProcessError::Link(LinkError::Limit));
            }
            let part = [std::io::IoSlice::new(&packet)];
            match rustix::net::sendmsg(
                &self.shared.socket,
                &part,
                &mut control,
                SendFlags::NOSIGNAL,
            ) {
                Ok(_) => return Ok(answer),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.shared.kill();
                    return Err(ProcessError::Timeout);
                }
                Err(_) => return Err(ProcessError::Gone),
            }
        }
    }

    /// How its page faults are served, if the system lets them be.
    #[must_use]
    pub fn faults(&self) -> Option<Faults> {
        self.shared
            .faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whether it has ended or was told to.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.shared.dead.load(Ordering::SeqCst)
    }

    /// Ends it.
    pub fn kill(&self) {
        self.shared.kill();
    }
}

impl Drop for GpuProcess {
    fn drop(&mut self) {
        self.shared.kill();
    }
}

fn read_loop(shared: &Shared, mut child: Child, listener: &dyn Listener) {
    let mut buffer = vec![0; MAX_PACKET];
    let mut first = Some(&shared.faults);
    let how = loop {
        match receive(&shared.socket, &mut buffer, &mut first) {
            Ok(None) => break None,
            Ok(Some(FromGpu::Done { seq, result })) => {
                let reply = {
                    let mut pending = shared
                        .pending
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner);
                    pending.as_mut().and_then(|p| p.remove(&seq))
                };
                if let Some(reply) = reply {
                    // The asker may have given up.
                    let _ = reply.send(result);
                }
            }
            Ok(Some(message)) => listener.said(message),
            Err(why) => break Some(why),
        }
    };
    shared.dead.store(true, Ordering::SeqCst);
    // Dropping the senders releases all askers; no new ones are taken.
    shared
        .pending
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let _ = rustix::net::shutdown(&shared.socket, rustix::net::Shutdown::Both);
    // A process that closed its link has no more to do.
    let _ = child.kill();
    let status = child.wait();
    let how = how.unwrap_or_else(|| match status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    });
    listener.ended(&how);
}

/// The next message. The first may bring three descriptors, which go to `first`.
fn receive(
    socket: &OwnedFd,
    buffer: &mut [u8],
    first: &mut Option<&Mutex<Option<Faults>>>,
) -> Result<Option<FromGpu>, String> {
    // Else room for none: descriptors that a hostile process sends are closed by the kernel.
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(if first.is_some() {
        &mut space[..]
    } else {
        &mut []
    });
    let message = loop {
        let mut parts = [std::io::IoSliceMut::new(buffer)];
        match rustix::net::recvmsg(socket, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Ok(message) => break message,
            Err(Errno::INTR) => {}
            Err(_) => return Ok(None),
        }
    };
    if message.bytes == 0 {
        return Ok(None);
    }
    if let Some(place) = first.take() {
        let faults = control.drain().find_map(|part| match part {
            rustix::net::RecvAncillaryMessage::ScmRights(mut fds) => Some(Faults {
                uffd: Arc::new(fds.next()?),
                uffd_use: Arc::default(),
                agent: fds.next().map(Arc::new),
                host: fds.next().map(Arc::new),
            }),
            _ => None,
        });
        *place.lock().unwrap_or_else(PoisonError::into_inner) = faults;
    }
    if message.flags.contains(ReturnFlags::TRUNC) {
        return Err("broke the protocol: packet too long".into());
    }
    match postcard::from_bytes(&buffer[..message.bytes]) {
        Ok(message) => Ok(Some(message)),
        Err(error) => Err(format!("broke the protocol: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_waits_for_cpus_with_all_its_threads() {
        let pid = std::process::id();
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let busy = std::thread::spawn(move || while !seen.load(Ordering::Relaxed) {});
        // The first thread waits for the test's.
        assert!(CpuWait::of(pid, Whose::All).runnable);
        over.store(true, Ordering::Relaxed);
        busy.join().expect("ended");
        let mut idle = Command::new("sleep").arg("60").spawn().expect("sleep");
        let deadline = Instant::now() + Duration::from_secs(20);
        while CpuWait::of(idle.id(), Whose::All).runnable {
            assert!(Instant::now() < deadline, "it sleeps");
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = CpuWait::of(idle.id(), Whose::All);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(CpuWait::of(idle.id(), Whose::All), before);
        assert_eq!(CpuWait::of(idle.id(), Whose::First), before);
        idle.kill().expect("killed");
        idle.wait().expect("ended");
        assert_eq!(CpuWait::of(idle.id(), Whose::All), CpuWait::default());
    }
}
