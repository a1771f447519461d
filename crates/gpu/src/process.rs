//! The process: its limits, its threads, and the order in which they come up.

use crate::link::{self, Sender};
use crate::machine::Machine;
use crate::shared_map::{map_anonymous, take_addresses};
use crate::worker::{self, Worker};
use crate::{clock, host_memory, sandbox, signal, wake};
use abi::link::{FromGpu, LinkError, ToGpu};
use core::sync::atomic::{AtomicU32, Ordering};

/// Stack of a worker: images of kind CTA run on it.
const WORKER_STACK: u64 = 64 << 20;
/// Stack of the ticker and of the agent.
const TICKER_STACK: u64 = 1 << 20;
/// Most workers.
const MAX_WORKERS: usize = 256;

/// Keeps libc's allocator in one arena on the heap that grows behind the image.
pub fn tame_allocator() {
    // SAFETY: before other threads exist.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TOP_PAD, 1 << 20);
    }
}

/// CPUs that this process may use.
fn cpus() -> usize {
    // SAFETY: a zeroed set is valid and filled in by the call.
    let n = unsafe {
        let mut set: libc::cpu_set_t = core::mem::zeroed();
        libc::sched_getaffinity(0, core::mem::size_of_val(&set), &raw mut set);
        libc::CPU_COUNT(&set)
    };
    usize::try_from(n).unwrap_or(1).clamp(1, MAX_WORKERS)
}

struct Job {
    body: Box<dyn FnOnce() + Send>,
}

extern "C" fn trampoline(arg: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: `spawn` leaked the box for exactly one thread.
    let job = unsafe { Box::from_raw(arg.cast::<Job>()) };
    (job.body)();
    core::ptr::null_mut()
}

/// Starts a thread whose stack lies in our own window.
fn spawn(stack: u64, body: impl FnOnce() + Send + 'static) -> Result<(), LinkError> {
    let at = take_addresses(stack)?;
    map_anonymous(at, stack)?;
    let job = Box::into_raw(Box::new(Job {
        body: Box::new(body),
    }));
    // SAFETY: a zeroed attribute is initialised by the first call; the stack is mapped and ours for ever.
    let r = unsafe {
        let mut attributes: libc::pthread_attr_t = core::mem::zeroed();
        libc::pthread_attr_init(&raw mut attributes);
        libc::pthread_attr_setstack(&raw mut attributes, at as *mut libc::c_void, stack as usize);
        let mut thread: libc::pthread_t = core::mem::zeroed();
        libc::pthread_create(
            &raw mut thread,
            &raw const attributes,
            trampoline,
            job.cast(),
        )
    };
    if r == 0 {
        Ok(())
    } else {
        Err(LinkError::Os(r))
    }
}

/// Serves the link on `fd` until it ends. Returns the process's exit code.
#[must_use]
pub fn run(fd: i32) -> i32 {
    tame_allocator();
    sandbox::limits();
    signal::own_stack();
    signal::install();
    let sender = Sender::new(fd);
    let Some((request, _)) = link::receive(fd) else {
        return 0;
    };
    let ToGpu::Start(start) = request.body else {
        sender.send(&FromGpu::Done {
            seq: request.seq,
            result: Err(LinkError::BadState),
        });
        return 1;
    };
    let cpus = cpus();
    let workers = if start.deterministic {
        1
    } else if start.workers == 0 {
        cpus
    } else {
        (start.workers as usize).min(MAX_WORKERS)
    };
    clock::cycles_per_us();
    let machine: &'static Machine = Box::leak(Box::new(Machine::new(
        start,
        workers,
        Sender::new(fd),
        abi::sm::isa::of_host(),
    )));
    signal::serve(machine);
    install_panic_hook(machine);
    let faults = Faults::new();
    let agent = faults.as_ref().map(|faults| faults.agent.ours);
    if let Some(faults) = &faults {
        host_memory::install(faults.host.ours);
    }
    let sockets: Vec<i32> = faults
        .iter()
        .flat_map(|faults| [faults.agent.ours, faults.host.ours])
        .collect();
    let up = start_threads(machine, workers, cpus > 1, agent).and_then(|()| {
        sandbox::enter(fd, &sockets).map_err(|e| {
            machine.link.log(&format!("sandbox: {e}"));
            LinkError::Os(libc::ENOSYS)
        })
    });
    let failed = up.is_err();
    let done = FromGpu::Done {
        seq: request.seq,
        result: up,
    };
    match faults {
        None => sender.send(&done),
        Some(faults) => {
            let theirs = [faults.uffd, faults.agent.theirs, faults.host.theirs];
            sender.send_with(&done, theirs);
            // SAFETY: made above, and used nowhere else. Only the kernel half holds them now: should that die, who
            // waits for a page goes on.
            unsafe {
                for fd in theirs {
                    libc::close(fd);
                }
            }
        }
    }
    if failed {
        return 1;
    }
    link::serve(machine, fd);
    0
}

/// What the kernel half gets so that it can serve page faults on managed memory, and accesses to the program's own.
struct Faults {
    /// The userfaultfd of this address space.
    uffd: i32,
    /// The agent's socket.
    agent: Pair,
    /// That of [`host_memory`].
    host: Pair,
}

/// Both ends of a socket of packets.
struct Pair {
    ours: i32,
    theirs: i32,
}

impl Pair {
    fn new() -> Option<Self> {
        let mut ends = [-1; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        // SAFETY: socketpair fills in the two.
        let made = unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } == 0;
        made.then_some(Self {
            ours: ends[0],
            theirs: ends[1],
        })
    }
}

impl Faults {
    /// None where the system refuses.
    fn new() -> Option<Self> {
        const USER_MODE_ONLY: libc::c_int = 1;
        let flags = libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY;
        // SAFETY: userfaultfd takes no pointers.
        let uffd = i32::try_from(unsafe { libc::syscall(libc::SYS_userfaultfd, flags) }).ok()?;
        if uffd < 0 {
            return None;
        }
        Some(Self {
            uffd,
            agent: Pair::new()?,
            host: Pair::new()?,
        })
    }
}

/// Starts all threads and waits until they run: their beginnings make system calls that the sandbox forbids.
fn start_threads(
    machine: &'static Machine,
    workers: usize,
    may_spin: bool,
    agent: Option<i32>,
) -> Result<(), LinkError> {
    static UP: AtomicU32 = AtomicU32::new(0);
    let up = || {
        UP.fetch_add(1, Ordering::SeqCst);
        wake::futex_wake(&UP, true);
    };
    for index in 0..workers {
        spawn(WORKER_STACK, move || {
            signal::own_stack();
            let mut worker = Worker::new(machine, index, may_spin);
            up();
            worker.run();
        })?;
    }
    spawn(TICKER_STACK, move || {
        signal::own_stack();
        up();
        worker::tick(machine)
    })?;
    if let Some(fd) = agent {
        spawn(TICKER_STACK, move || {
            signal::own_stack();
            up();
            link::serve_agent(machine, fd);
        })?;
    }
    let threads = workers + 1 + usize::from(agent.is_some());
    loop {
        let running = UP.load(Ordering::SeqCst);
        if running as usize == threads {
            return Ok(());
        }
        wake::futex_wait(&UP, running, 0);
    }
}

/// A panic is our own bug: the kernel half hears of it, and the process ends.
fn install_panic_hook(machine: &'static Machine) {
    std::panic::set_hook(Box::new(move |info| {
        machine
            .link
            .log(&format!("antlerite-gpu: internal error: {info}"));
        let fault = crate::fault::blank(
            0,
            crate::fault::xid::GRAPHICS,
            crate::fault::cuda::UNKNOWN,
            abi::link::FaultKind::Internal,
            "internal error".to_string(),
        );
        machine.die_from_handler(fault);
        // SAFETY: ends the process.
        unsafe { libc::_exit(70) }
    }));
}
