//! The management socket: one JSON object per line, asked by the `antlerite` command.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use door::{DoorError, instance, start};
use rustix::net::SocketType;
use serde::{Deserialize, Serialize};

use crate::kernel::Kernel;
use crate::module;
use crate::object::Body;
use crate::server::Shared;

/// Longest request, bytes.
const REQUEST: u64 = 64 << 10;
/// How long either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(10);

/// What can be asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
pub enum Request {
    /// What is there and what it does.
    Status,
    /// The kernel log.
    Dmesg,
    /// Leave, clients or not.
    Stop,
    /// Stay without clients, or do not.
    Persist {
        /// Stay.
        on: bool,
    },
    /// Stop the work of a process's contexts with an Xid.
    Kill {
        /// The program's process.
        pid: u32,
        /// Xid to report, e.g. 43.
        xid: u32,
    },
    /// What a process that has ended ran until then; answered when all it held is freed.
    Abandoned {
        /// The program's process.
        pid: u32,
    },
    /// /proc and module files as a machine with the driver has them.
    Files,
    /// What managed memory did and does.
    UvmStat,
    /// Write the driver calls of a process's descendants to its standard error.
    Watch {
        /// The process.
        root: u32,
        /// What each line begins with.
        prefix: String,
    },
    /// Let a GPU fail.
    Inject {
        /// Its index.
        gpu: u32,
        /// How.
        failure: crate::inject::Failure,
    },
    /// Write the files of a machine with the driver, and say what to mount where.
    Show,
}

/// What is answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// To [`Request::Status`].
    Status(Box<Status>),
    /// To [`Request::Abandoned`].
    Abandoned {
        /// The kernel, if one ran.
        kernel: Option<String>,
    },
    /// To [`Request::Dmesg`].
    Lines {
        /// Oldest first.
        lines: Vec<String>,
    },
    /// To [`Request::Files`]: path below `/proc` and text.
    Files {
        /// The files.
        files: Vec<(String, String)>,
    },
    /// To [`Request::UvmStat`].
    UvmStat {
        /// Programs that ended first.
        reports: Vec<crate::uvm::Report>,
    },
    /// To [`Request::Show`].
    View {
        /// Directory of the files; commands are in its `bin`.
        dir: std::path::PathBuf,
        /// Mounts for the program's namespace.
        mounts: Vec<crate::view::Mount>,
    },
    /// Done; how many things it touched.
    Done {
        /// Count.
        count: usize,
    },
    /// Not done.
    Error {
        /// Why.
        message: String,
    },
}

/// State of a server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// The server's process.
    pub pid: u32,
    /// Advertised driver version.
    pub version: String,
    /// Its CUDA version.
    pub cuda: (u32, u32),
    /// Open files.
    pub files: usize,
    /// Whether it stays without clients.
    pub persist: bool,
    /// Ioctls served.
    pub ioctls: u64,
    /// Host memory allocated by clients, bytes.
    pub host_used: u64,
    /// Descriptors in use and their limit.
    pub descriptors: (u64, u64),
    /// GPUs.
    pub gpus: Vec<GpuStatus>,
    /// Client processes.
    pub processes: Vec<ProcessStatus>,
    /// Kernels that ran when their program ended: process and kernel, latest last.
    pub abandoned: Vec<(u32, String)>,
    /// Unsupported things met, with counts.
    pub unsupported: Vec<(String, u64)>,
}

/// State of a GPU.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GpuStatus {
    /// Index.
    pub index: u32,
    /// Name.
    pub name: String,
    /// UUID text.
    pub uuid: String,
    /// PCI address.
    pub pci: String,
    /// Framebuffer bytes.
    pub total: u64,
    /// Of them in use.
    pub used: u64,
    /// Channels.
    pub channels: usize,
}

/// State of a client process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProcessStatus {
    /// Process.
    pub pid: u32,
    /// Program name.
    pub name: String,
    /// RM clients.
    pub clients: usize,
    /// RM objects.
    pub objects: usize,
    /// Open files.
    pub files: usize,
    /// Video memory, bytes.
    pub video: u64,
    /// Managed memory, bytes.
    pub managed: u64,
    /// GPU processes of its VA spaces.
    pub contexts: Vec<ContextStatus>,
}

/// State of a VA space with a GPU process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContextStatus {
    /// GPU process.
    pub pid: u32,
    /// GPU index.
    pub gpu: u32,
    /// Mappings.
    pub mappings: usize,
    /// Channels with unfinished work.
    pub busy: u64,
    /// Worker time in kernels, ns.
    pub busy_ns: u64,
    /// Kernel that runs.
    pub kernel: Option<String>,
}

/// Serves one connection to its end.
pub(crate) fn serve(kernel: &Kernel, shared: &Shared, socket: OwnedFd) {
    let stream = UnixStream::from(socket);
    if stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .is_err()
        || stream.set_write_timeout(Some(PATIENCE)).is_err()
    {
        return;
    }
    let Ok(mut out) = stream.try_clone() else {
        return;
    };
    let mut lines = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        match (&mut lines).take(REQUEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let answer = match serde_json::from_slice::<Request>(&line) {
            Ok(request) => answer(kernel, shared, &request),
            Err(error) => Answer::Error {
                message: error.to_string(),
            },
        };
        let Ok(mut bytes) = serde_json::to_vec(&answer) else {
            return;
        };
        bytes.push(b'\n');
        if out.write_all(&bytes).is_err() {
            return;
        }
    }
}

fn answer(kernel: &Kernel, shared: &Shared, request: &Request) -> Answer {
    match request {
        Request::Status => Answer::Status(Box::new(status(kernel, shared))),
        Request::Dmesg => Answer::Lines {
            lines: kernel.log().lines(),
        },
        Request::Stop => {
            shared.stop.store(true, Ordering::SeqCst);
            Answer::Done { count: 1 }
        }
        Request::Persist { on } => {
            shared.persist.store(*on, Ordering::SeqCst);
            for gpu in &kernel.gpus {
                gpu.persistence.store(*on, Ordering::Relaxed);
            }
            Answer::Done { count: 1 }
        }
        Request::Kill { pid, xid } => {
            let spaces: Vec<_> = kernel
                .spaces()
                .into_iter()
                .filter(|s| s.owner.pid == *pid)
                .collect();
            let count = spaces
                .iter()
                .filter(|space| space.kill(*xid).is_ok())
                .count();
            Answer::Done { count }
        }
        Request::Abandoned { pid } => Answer::Abandoned {
            kernel: kernel.abandoned_by(*pid, PATIENCE / 2),
        },
        Request::Inject { gpu, failure } => match crate::inject::inject(kernel, *gpu, *failure) {
            Ok(count) => Answer::Done { count },
            Err(_) => Answer::Error {
                message: format!("there is no GPU {gpu}"),
            },
        },
        Request::Watch { root, prefix } => match kernel.services.tracer.watch(*root, prefix) {
            Ok(()) => Answer::Done { count: 1 },
            Err(error) => Answer::Error {
                message: format!("standard error of process {root}: {error}"),
            },
        },
        Request::Show => match kernel.show() {
            Ok((dir, mounts)) => Answer::View { dir, mounts },
            Err(error) => Answer::Error {
                message: error.to_string(),
            },
        },
        Request::UvmStat => Answer::UvmStat {
            reports: kernel.uvm_reports(),
        },
        Request::Files => {
            let mut files = crate::procfs::files(kernel);
            files.push(("modules".into(), module::proc_modules(kernel)));
            Answer::Files { files }
        }
    }
}

fn status(kernel: &Kernel, shared: &Shared) -> Status {
    let spaces = kernel.spaces();
    for space in &spaces {
        space.query();
    }
    let files = kernel.file_list();
    let mut processes: Vec<ProcessStatus> = Vec::new();
    let mut entry = |pid: u32, name: &str, change: &mut dyn FnMut(&mut ProcessStatus)| {
        let at = processes
            .iter()
            .position(|p| p.pid == pid)
            .unwrap_or_else(|| {
                processes.push(ProcessStatus {
                    pid,
                    name: name.to_owned(),
                    clients: 0,
                    objects: 0,
                    files: 0,
                    video: 0,
                    managed: 0,
                    contexts: Vec::new(),
                });
                processes.len() - 1
            });
        change(&mut processes[at]);
    };
    for file in &files {
        let managed = file.uvm.as_ref().map_or(0, |u| u.usage().1);
        let resident: u64 = file.uvm.as_ref().map_or(0, |u| {
            kernel.gpus.iter().map(|gpu| u.resident_on(gpu.index)).sum()
        });
        entry(file.owner.pid, &file.owner.name, &mut |p| {
            p.files += 1;
            p.managed += managed;
            p.video += resident;
        });
    }
    for client in kernel.tree().clients() {
        let video = client.objects().map(|o| match &o.body {
            Body::Memory(m) if m.place() == crate::memory::Place::Video => m.charged(),
            _ => 0,
        });
        let (video, objects) = (video.sum::<u64>(), client.objects().count());
        entry(client.owner.pid, &client.owner.name, &mut |p| {
            p.clients += 1;
            p.objects += objects;
            p.video += video;
        });
    }
    for space in &spaces {
        let Some(pid) = space.process_id() else {
            continue;
        };
        entry(space.owner.pid, &space.owner.name, &mut |p| {
            p.contexts.push(ContextStatus {
                pid,
                gpu: space.gpu.index,
                mappings: space.mapping_count(),
                busy: space.busy_channels.load(Ordering::Relaxed),
                busy_ns: space.busy_ns.load(Ordering::Relaxed),
                kernel: space.running_kernel(),
            });
        });
    }
    processes.sort_by_key(|p| p.pid);
    let services = &kernel.services;
    Status {
        pid: std::process::id(),
        version: services.config.version_text.clone(),
        cuda: services.config.cuda_version(),
        files: files.len(),
        persist: shared.persist.load(Ordering::Relaxed),
        ioctls: kernel.ioctls.load(Ordering::Relaxed),
        host_used: services.host.used(),
        descriptors: (services.descriptors.used(), services.descriptors.total()),
        gpus: kernel
            .gpus
            .iter()
            .map(|gpu| GpuStatus {
                index: gpu.index,
                name: gpu.profile.name.clone(),
                uuid: gpu.uuid_text(),
                pci: gpu.bdf(),
                total: gpu.framebuffer.total(),
                used: gpu.framebuffer.used(),
                channels: gpu.channel_count(),
            })
            .collect(),
        processes,
        abandoned: services
            .abandoned
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .iter()
            .cloned()
            .collect(),
        unsupported: kernel.log().counts(),
    }
}

/// Why a server could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ManageError {
    /// No server listens in the directory.
    #[error("no server is running in {0}")]
    NotRunning(String),
    /// It left before it answered.
    #[error("the server in {0} is leaving")]
    Leaving(String),
    /// The door's error.
    #[error(transparent)]
    Door(#[from] DoorError),
    /// The connection failed.
    #[error("management socket: {0}")]
    Io(#[from] std::io::Error),
    /// The answer makes no sense.
    #[error("management socket: {0}")]
    Json(#[from] serde_json::Error),
    /// The server said no.
    #[error("{0}")]
    Refused(String),
}

/// Asks the server of an instance directory.
///
/// # Errors
/// [`ManageError`].
pub fn ask(dir: &Path, request: &Request) -> Result<Answer, ManageError> {
    let socket = start::try_connect(&dir.join(instance::MANAGE_SOCKET), SocketType::STREAM)?;
    let socket = socket.ok_or_else(|| ManageError::NotRunning(dir.display().to_string()))?;
    let mut stream = UnixStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut bytes = serde_json::to_vec(request)?;
    bytes.push(b'\n');
    stream.write_all(&bytes)?;
    let mut line = Vec::new();
    BufReader::new(stream).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Err(ManageError::Leaving(dir.display().to_string()));
    }
    match serde_json::from_slice(&line)? {
        Answer::Error { message } => Err(ManageError::Refused(message)),
        answer => Ok(answer),
    }
}

/// Directories of this user's instances that have a management socket.
///
/// # Errors
/// As `door::instance::base_dir`.
pub fn instances() -> Result<Vec<std::path::PathBuf>, ManageError> {
    let base = instance::base_dir()?;
    let mut list = Vec::new();
    for entry in std::fs::read_dir(base)? {
        let path = entry?.path();
        if path.join(instance::MANAGE_SOCKET).exists() {
            list.push(path);
        }
    }
    list.sort();
    Ok(list)
}
