//! The syscall door: NVIDIA ioctls of a program that runs behind a seccomp notification filter (crate `supervisor`).
//!
//! The program opens placeholder nodes by real system calls. Its first ioctl on one makes the open file known here and
//! puts one end of a socket pair in the placeholder's place, so that the last close shows as a hang-up; from then on
//! the socket's inode is the file's identity. `RM_MAP_MEMORY` puts the object's memfd at the descriptor that it names,
//! and a UVM file becomes the sparse memfd in which offset = address, so the program's plain `mmap` maps the right
//! memory. Handlers run on a few threads: one that waits does not hold the others.

mod caller;
mod lead;
mod seccomp;
mod stat;
mod system;

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi::nv::{escapes, status, uvm as uvm_abi};
use door::Node;
use rustix::event::{PollFd, PollFlags, epoll};
use rustix::fs::FileType;
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

use crate::kernel::Kernel;
use crate::klog::Level;
use crate::params;
use crate::usermem::{FileId, UserMem};
use caller::{Caller, Threads};
use lead::{Lead, Turn};
use seccomp::{Listener, Notification, Verdict};

/// Threads that answer one listener: one waits for calls, the others are in calls that wait for something else.
const THREADS: usize = 6;
/// Largest argument of one ioctl, bytes.
const ARGUMENT_LIMIT: usize = 16 * 1024;
/// Offset of `status` and of `fd` in `nv_ioctl_nvos33_parameters_with_fd`.
const MAP_OFFSET: usize = 0x10;
const MAP_STATUS: usize = 0x28;
const MAP_FD: usize = 0x30;

/// What tells that a file was closed.
enum Watch {
    /// Our end of its socket pair: hang-up.
    Socket(OwnedFd),
    /// The process that opened it (a UVM file is a memfd, whose last close nobody hears of).
    Process(OwnedFd),
}

struct Known {
    inode: u64,
    watch: Watch,
    /// Readable when an event waits for the program.
    events: Option<Arc<OwnedFd>>,
    /// A wake-up lies in the program's end of the socket.
    woken: bool,
}

#[derive(Default)]
struct Files {
    by_inode: HashMap<u64, FileId>,
    known: HashMap<FileId, Known>,
}

/// One program tree behind the door.
pub(crate) struct Door {
    kernel: Arc<Kernel>,
    listener: Listener,
    files: Mutex<Files>,
    /// Held while a placeholder becomes a file, so that two threads' first calls make one.
    adopting: Mutex<()>,
    /// Held while closes and events are looked at.
    looking: Mutex<()>,
    epoll: OwnedFd,
    lead: Lead,
    threads: Threads,
}

/// Serves a listener until every process behind its filter has ended.
///
/// # Errors
/// When threads or descriptors cannot be had.
pub fn serve(kernel: &Arc<Kernel>, listener: OwnedFd) -> io::Result<()> {
    let door = Arc::new(Door {
        kernel: Arc::clone(kernel),
        listener: Listener::new(listener),
        files: Mutex::default(),
        adopting: Mutex::default(),
        looking: Mutex::default(),
        epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
        lead: Lead::default(),
        threads: Threads::default(),
    });
    // Token 0 is the listener itself; files have numbers from 1.
    epoll::add(
        &door.epoll,
        &door.listener,
        epoll::EventData::new_u64(0),
        epoll::EventFlags::HUP,
    )?;
    for number in 0..THREADS {
        let door = Arc::clone(&door);
        std::thread::Builder::new()
            .name(format!("notify-{number}"))
            .stack_size(256 * 1024)
            .spawn(move || door.receive())?;
    }
    door.watch();
    Ok(())
}

/// Event source of a watched descriptor: file number << 1 | 1 for its eventfd.
fn token(id: FileId, events: bool) -> epoll::EventData {
    epoll::EventData::new_u64(id.0 << 1 | u64::from(events))
}

impl Door {
    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One thread at a time waits for calls: a call wakes all that wait, and each needless one costs some
    /// microseconds. It answers what can be answered at once itself, and lets another wait before it does the rest.
    fn receive(&self) {
        loop {
            let mut turn = self.lead.take();
            while turn.leads() {
                match self.listener.receive() {
                    Ok(call) => {
                        let verdict = self.handle(&call, &mut turn);
                        self.listener.answer(call.id, verdict);
                    }
                    Err(Errno::INTR) => {}
                    Err(Errno::NOENT) if !self.is_over() => {}
                    Err(_) => return,
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        let mut fds = [PollFd::new(&self.listener, PollFlags::empty())];
        let now = rustix::event::Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let polled = rustix::event::poll(&mut fds, Some(&now));
        polled.is_err() || fds[0].revents().contains(PollFlags::HUP)
    }

    fn handle(&self, call: &Notification, turn: &mut Turn<'_>) -> Verdict {
        let fd = i32::try_from(call.args[0]).unwrap_or(-1);
        let Ok(mut caller) = Caller::open(self, call) else {
            return Verdict::Return(Err(Errno::SRCH));
        };
        let number = i64::from(call.number);
        if stat::is_one(number) {
            return stat::answer(&mut caller);
        }
        if system::is_one(number) {
            turn.pass_on();
            let again = caller.reopen();
            return match again {
                Ok(()) => system::answer(self, &mut caller, number),
                Err(errno) => Verdict::Return(Err(errno)),
            };
        }
        let mut found = self.identify(&caller, fd);
        if found == Err(Errno::SRCH) && caller.reopen().is_ok() {
            // What was remembered was an earlier process of that number.
            found = self.identify(&caller, fd);
        }
        match found {
            Ok(Some(id)) => Verdict::Return(self.ioctl(&mut caller, id, turn)),
            // Not one of ours: a terminal, a file, NVIDIA's own node.
            Ok(None) => Verdict::Continue,
            Err(errno) => Verdict::Return(Err(errno)),
        }
    }

    fn ioctl(&self, caller: &mut Caller<'_>, id: FileId, turn: &mut Turn<'_>) -> Result<(), Errno> {
        let (request, address) = (
            (caller.call.args[1] & 0xffff_ffff) as u32,
            caller.call.args[2],
        );
        let file = self.kernel.file(id).ok_or(Errno::BADF)?;
        let size = self.kernel.argument_size(file.node, request).unwrap_or(0);
        if size > ARGUMENT_LIMIT {
            return Err(Errno::INVAL);
        }
        let mut argument = vec![0; size];
        if size > 0 {
            caller.read(address, &mut argument)?;
        }
        if may_wait(file.node, request, &argument) {
            turn.pass_on();
        }
        let before = argument.clone();
        let is_rm = matches!(file.node, Node::Control | Node::Gpu(_));
        if file.node == Node::Uvm && request == uvm_abi::UVM_VALIDATE_VA_RANGE && size >= 16 {
            // The program's mmap was not seen; this call, which must follow it, names the range.
            let (base, len) = (params::u64_at(&argument, 0), params::u64_at(&argument, 8));
            let _ = self.kernel.map(id, 3, base, len);
        }
        let maps = is_rm && request & 0xff == escapes::RM_MAP_MEMORY && size > MAP_FD + 3;
        if maps && params::u64_at(&argument, MAP_OFFSET) != 0 {
            self.kernel.log().once(
                Level::Notice,
                "syscall door: map offset",
                "NVRM: RM_MAP_MEMORY with an offset is not supported by the syscall door; map whole objects",
            );
            argument[MAP_STATUS..MAP_STATUS + 4]
                .copy_from_slice(&status::NV_ERR_NOT_SUPPORTED.to_le_bytes());
            return caller.write(address, &argument);
        }
        self.kernel.ioctl(id, request, &mut argument, caller)?;
        if maps && params::u32_at(&argument, MAP_STATUS) == status::NV_OK {
            self.hand_out_memory(caller, params::u32_at(&argument, MAP_FD).cast_signed())?;
        }
        if argument != before {
            caller.write(address, &argument)?;
        }
        Ok(())
    }

    /// Puts the memory that RM_MAP_MEMORY parked on a file at the caller's descriptor of that file.
    fn hand_out_memory(&self, caller: &mut Caller<'_>, fd: i32) -> Result<(), Errno> {
        let id = caller.file(fd).ok_or(Errno::BADF)?;
        let context = self
            .kernel
            .file(id)
            .and_then(|f| f.state().map.clone())
            .ok_or(Errno::INVAL)?;
        let cloexec = caller.closes_on_exec(fd);
        self.listener
            .set_fd(caller.call.id, &context.memory.fd(), fd, cloexec)
    }

    /// The file behind a descriptor of the caller's; a placeholder becomes a file now.
    fn identify(&self, caller: &Caller<'_>, fd: i32) -> Result<Option<FileId>, Errno> {
        if let Some(found) = self.look_up(caller, fd)? {
            return Ok(found.ok());
        }
        let _adopting = self.adopting.lock().unwrap_or_else(PoisonError::into_inner);
        match self.look_up(caller, fd)? {
            Some(found) => Ok(found.ok()),
            None => match node_of(&caller.descriptor(fd)?) {
                Some(node) => self.adopt(caller, fd, node).map(Some),
                None => Ok(None),
            },
        }
    }

    /// `Some(Ok)`: a known file; `Some(Err)`: not one of ours; `None`: it may be a placeholder.
    fn look_up(&self, caller: &Caller<'_>, fd: i32) -> Result<Option<Result<FileId, ()>>, Errno> {
        let descriptor = caller.descriptor(fd)?;
        let stat = rustix::fs::fstat(&descriptor)?;
        let known = {
            let mut files = self.files();
            let id = files.by_inode.get(&stat.st_ino).copied();
            id.map(|id| {
                let woken = files
                    .known
                    .get_mut(&id)
                    .is_some_and(|known| std::mem::take(&mut known.woken));
                (id, woken)
            })
        };
        if let Some((id, woken)) = known {
            if woken && FileType::from_raw_mode(stat.st_mode) == FileType::Socket {
                // A wake-up that the program has polled for counts as seen once it calls again.
                while rustix::net::recv(&descriptor, &mut [0_u8; 16], RecvFlags::DONTWAIT)
                    .is_ok_and(|r| r.0 > 0)
                {}
            }
            return Ok(Some(Ok(id)));
        }
        let empty_file =
            FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_size == 0;
        Ok(if empty_file { None } else { Some(Err(())) })
    }

    fn adopt(&self, caller: &Caller<'_>, fd: i32, node: Node) -> Result<FileId, Errno> {
        // What the program closed before it opened this is gone first, as it is for a kernel.
        let mut ready = no_events();
        let now = rustix::event::Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let _ = self.look(&mut ready, Some(&now));
        let owner = caller.owner();
        let pid = owner.pid;
        let id = self.kernel.open(node, owner)?;
        self.install(caller, fd, node, id, pid)
            .inspect_err(|_| self.kernel.close(id))?;
        Ok(id)
    }

    fn install(
        &self,
        caller: &Caller<'_>,
        fd: i32,
        node: Node,
        id: FileId,
        pid: u32,
    ) -> Result<(), Errno> {
        let cloexec = caller.closes_on_exec(fd);
        let (theirs, watch, events) = match node {
            Node::Uvm => {
                let file = self.kernel.file(id).ok_or(Errno::BADF)?;
                let memory = crate::uvm::memory(&self.kernel, &file)?;
                (
                    memory.fd().try_clone_to_owned().map_err(|_| Errno::MFILE)?,
                    Watch::Process(caller.process(pid)?),
                    None,
                )
            }
            Node::Control | Node::Gpu(_) | Node::UvmTools | Node::Modeset => {
                let (ours, theirs) = rustix::net::socketpair(
                    AddressFamily::UNIX,
                    SocketType::SEQPACKET,
                    SocketFlags::CLOEXEC,
                    None,
                )?;
                (theirs, Watch::Socket(ours), Some(self.kernel.event_fd(id)?))
            }
        };
        let inode = rustix::fs::fstat(&theirs)?.st_ino;
        let known = Known {
            inode,
            watch,
            events,
            woken: false,
        };
        match &known.watch {
            Watch::Socket(ours) => epoll::add(
                &self.epoll,
                ours,
                token(id, false),
                epoll::EventFlags::RDHUP,
            )?,
            Watch::Process(pidfd) => {
                epoll::add(&self.epoll, pidfd, token(id, false), epoll::EventFlags::IN)?
            }
        }
        if let Some(events) = &known.events {
            epoll::add(&self.epoll, events, token(id, true), epoll::EventFlags::IN)?;
        }
        {
            let mut files = self.files();
            files.by_inode.insert(inode, id);
            files.known.insert(id, known);
        }
        self.listener
            .set_fd(caller.call.id, &theirs, fd, cloexec)
            .inspect_err(|_| self.forget(id))
    }

    fn forget(&self, id: FileId) {
        let mut files = self.files();
        if let Some(known) = files.known.remove(&id) {
            files.by_inode.remove(&known.inode);
            // Closing our ends takes them out of the epoll set; the eventfd is shared with the file.
            if let Some(events) = &known.events {
                let _ = epoll::delete(&self.epoll, events);
            }
            let (Watch::Socket(fd) | Watch::Process(fd)) = &known.watch;
            let _ = epoll::delete(&self.epoll, fd);
        }
    }

    /// Notices closes and events until the last process behind the filter is gone.
    fn watch(&self) {
        let mut ready = no_events();
        loop {
            // Waits without the lock; what another thread has done meanwhile is not there any more.
            match epoll::wait(&self.epoll, &mut ready[..1], None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => break,
            }
            let now = rustix::event::Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            };
            match self.look(&mut ready, Some(&now)) {
                Ok(false) | Err(Errno::INTR) => {}
                Ok(true) | Err(_) => break,
            }
        }
        let rest: Vec<FileId> = self.files().known.keys().copied().collect();
        for id in rest {
            self.forget(id);
            self.kernel.close(id);
        }
    }

    /// Sees to closes and events. Whether all processes behind the filter are gone.
    fn look(
        &self,
        ready: &mut [epoll::Event],
        limit: Option<&rustix::event::Timespec>,
    ) -> Result<bool, Errno> {
        let _looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let count = epoll::wait(&self.epoll, &mut *ready, limit)?;
        let mut over = false;
        for event in &ready[..count] {
            let token = event.data.u64();
            let id = FileId(token >> 1);
            if token == 0 {
                over = true;
            } else if token & 1 == 1 {
                self.wake(id);
            } else {
                self.forget(id);
                self.kernel.close(id);
            }
        }
        Ok(over)
    }

    /// Makes the program's descriptor readable.
    fn wake(&self, id: FileId) {
        let mut files = self.files();
        let Some(Known {
            watch: Watch::Socket(ours),
            events: Some(events),
            woken,
            ..
        }) = files.known.get_mut(&id)
        else {
            return;
        };
        *woken = true;
        let _ = rustix::io::read(events, &mut [0_u8; 8]);
        // A full socket is as good as readable.
        let _ = rustix::net::send(ours, b"e", SendFlags::DONTWAIT);
    }

    fn not_permitted(&self, error: &io::Error) {
        self.kernel.log().once(
            Level::Warning,
            "syscall door: memory access",
            &format!("NVRM: the syscall door cannot read the program's memory: {error} (kernel.yama.ptrace_scope?)"),
        );
    }
}

/// Room for what `epoll_wait` reports.
fn no_events() -> [epoll::Event; 32] {
    [epoll::Event {
        flags: epoll::EventFlags::empty(),
        data: epoll::EventData::new_u64(0),
    }; 32]
}

/// Whether a call may wait for a GPU process, for the program, or for another call that does.
fn may_wait(node: Node, request: u32, argument: &[u8]) -> bool {
    match node {
        Node::Control | Node::Gpu(_) => match request & 0xff {
            escapes::SYS_PARAMS
            | escapes::CARD_INFO
            | escapes::NUMA_INFO
            | escapes::CHECK_VERSION_STR
            | escapes::STATUS_CODE
            | escapes::REGISTER_FD
            | escapes::ALLOC_OS_EVENT
            | escapes::FREE_OS_EVENT
            | escapes::RM_GET_EVENT_DATA
            | escapes::RM_MAP_MEMORY
            | escapes::RM_UNMAP_MEMORY
            | escapes::RM_UPDATE_DEVICE_MAPPING_INFO
            | escapes::QUERY_DEVICE_INTR
            | escapes::WAIT_OPEN_COMPLETE
            | escapes::ATTACH_GPUS_TO_FD => false,
            // {client, object, command}: channels (classes from 0x9000) and their groups answer by their GPU process.
            escapes::RM_CONTROL if argument.len() >= 12 => {
                params::u32_at(argument, 8) >> 16 >= 0x9000
            }
            _ => true,
        },
        Node::Uvm => true,
        Node::UvmTools | Node::Modeset => false,
    }
}

/// The node that a placeholder stands for, by its path as far as it can be seen from here.
fn node_of(descriptor: &OwnedFd) -> Option<Node> {
    use std::os::fd::AsRawFd;
    let path = std::fs::read_link(format!("/proc/self/fd/{}", descriptor.as_raw_fd())).ok()?;
    let path = path.to_str()?;
    // A private /dev that is not mounted here shows paths from its own root.
    let name = path
        .strip_prefix("/dev/")
        .or_else(|| path.strip_prefix('/'))?;
    Node::of_path(&format!("/dev/{name}"))
}
