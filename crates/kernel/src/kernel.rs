//! The kernel half: open files, clients, GPUs, and the one dispatch behind all doors.

use std::collections::{HashMap, VecDeque};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use abi::nv::sizes::Sizes;
use abi::nv::{escapes, uvm as uvm_abi};
use door::Node;
use rustix::io::Errno;

use crate::closing::Closing;
use crate::config::Config;
use crate::escape;
use crate::file::{OpenFile, Owner};
use crate::gpu::Gpu;
use crate::gpu_process::Spawner;
use crate::klog::{Klog, Level};
use crate::memory::{Account, Memory};
use crate::object::{Body, Client, Tree, retire};
use crate::status::{RmResult, Status};
use crate::usermem::{FileId, UserMem};
use crate::uvm;
use crate::vaspace::VaSpace;

/// Reports of programs that ended.
const REPORTS: usize = 64;
/// Name of the file with these reports, in the instance directory.
pub const UVM_REPORTS: &str = "uvm-stat.json";
/// Files open at once.
const FILES: usize = 1 << 16;
/// Largest parameter block that may come by `IOCTL_XFER_CMD`.
pub const XFER_LIMIT: usize = 1 << 16;

/// What parts of the kernel half share.
#[derive(Debug)]
pub struct Services {
    /// Configuration.
    pub config: Config,
    /// Log.
    pub log: Klog,
    /// Who watches calls.
    pub tracer: crate::tracer::Tracer,
    /// Starts GPU processes.
    pub spawner: Spawner,
    /// Host memory that clients may allocate.
    pub host: Arc<Account>,
    /// Descriptors.
    pub descriptors: Arc<Account>,
    /// Kernels that still ran when their program ended: process and name, latest last.
    pub abandoned: Mutex<VecDeque<(u32, String)>>,
}

/// The kernel half.
#[derive(Debug)]
pub struct Kernel {
    /// Shared parts.
    pub services: Arc<Services>,
    /// Files under way to their end, by process.
    closing: Closing,
    /// Struct sizes at the advertised version.
    pub sizes: Sizes,
    /// GPUs by index.
    pub gpus: Vec<Arc<Gpu>>,
    files: Mutex<HashMap<FileId, Arc<OpenFile>>>,
    tree: Mutex<Tree>,
    reports: Mutex<VecDeque<uvm::Report>>,
    report_file: Option<std::path::PathBuf>,
    next_file: AtomicU64,
    next_cookie: AtomicU64,
    /// Which modules are there.
    pub modules: crate::module::Modules,
    view: Mutex<Option<std::path::PathBuf>>,
    /// `SYS_PARAMS` block size, as the first caller set it.
    pub memblock: AtomicU64,
    /// Ioctls served.
    pub ioctls: AtomicU64,
}

/// After the last client: what many clients made the allocator keep goes back to the system.
fn give_memory_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: no pointers.
    unsafe {
        libc::malloc_trim(0);
    }
}

impl Kernel {
    /// A kernel half; logs to `log_file` if given.
    ///
    /// # Errors
    /// When its thread cannot be started.
    pub fn new(config: Config, log_file: Option<&std::path::Path>) -> std::io::Result<Arc<Self>> {
        let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
        let profile = Arc::new(config.profile.clone());
        let gpus = (0..config.count)
            .filter_map(|index| u32::try_from(index).ok())
            .map(|index| {
                Arc::new(Gpu::new(
                    index,
                    Arc::clone(&profile),
                    machine.trim(),
                    config.framebuffer,
                ))
            })
            .collect();
        let kernel = Arc::new(Self {
            sizes: Sizes::at(config.version),
            closing: Closing::default(),
            gpus,
            services: Arc::new(Services {
                host: Arc::new(Account::new(config.host_memory)),
                descriptors: Arc::new(Account::new(config.descriptors)),
                log: Klog::new(log_file),
                tracer: crate::tracer::Tracer::default(),
                abandoned: Mutex::default(),
                spawner: Spawner::new()?,
                config,
            }),
            files: Mutex::default(),
            tree: Mutex::default(),
            reports: Mutex::default(),
            report_file: log_file.map(|log| log.with_file_name(UVM_REPORTS)),
            next_file: AtomicU64::new(1),
            next_cookie: AtomicU64::new(1),
            modules: crate::module::Modules::default(),
            view: Mutex::default(),
            memblock: AtomicU64::new(0),
            ioctls: AtomicU64::new(0),
        });
        crate::module::load_all(&kernel);
        Ok(kernel)
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Klog {
        &self.services.log
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.services.config
    }

    fn files(&self) -> MutexGuard<'_, HashMap<FileId, Arc<OpenFile>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The object tree. Hold it shortly: nothing that waits may happen meanwhile.
    pub fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a node.
    ///
    /// # Errors
    /// `ENXIO` for a GPU that is not there, `ENFILE` when too many files are open.
    pub fn open(&self, node: Node, owner: Owner) -> Result<FileId, Errno> {
        if let Node::Gpu(minor) = node
            && !self.gpus.iter().any(|g| g.index == minor)
        {
            return Err(Errno::NXIO);
        }
        crate::module::provide(self, crate::module::of_node(node));
        if self.services.tracer.is_on() {
            let line = format!("openat({}) = 0", node.path());
            self.services.tracer.say(owner.pid, &line, None);
        }
        let id = {
            let mut files = self.files();
            if files.len() >= FILES {
                return Err(Errno::NFILE);
            }
            let id = FileId(self.next_file.fetch_add(1, Ordering::Relaxed));
            files.insert(id, Arc::new(OpenFile::new(id, node, owner)));
            id
        };
        self.refresh_view();
        Ok(id)
    }

    /// Writes the files of a machine with the driver, and keeps them up to date from now on.
    ///
    /// # Errors
    /// When a file cannot be written, or the server has no directory.
    pub fn show(&self) -> std::io::Result<(std::path::PathBuf, Vec<crate::view::Mount>)> {
        let Some(dir) = self
            .report_file
            .as_ref()
            .map(|f| f.with_file_name(crate::view::DIR))
        else {
            return Err(std::io::Error::from(std::io::ErrorKind::NotFound));
        };
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if view.is_some() {
            // Others may have mounted what is there.
            return crate::view::mounts(&dir).map(|mounts| (dir, mounts));
        }
        let mounts = crate::view::build(self, &dir)?;
        *view = Some(dir.clone());
        Ok((dir, mounts))
    }

    /// Brings the shown files up to date.
    pub fn refresh_view(&self) {
        let view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(dir) = &*view {
            // What cannot be written stays as it was.
            let _ = crate::view::refresh(self, dir);
        }
    }

    /// Last close: everything that lives with the file is freed.
    pub fn close(&self, id: FileId) {
        let Some(pid) = self.files().get(&id).map(|file| file.owner.pid) else {
            return;
        };
        let _closing = self.closing.begin(pid);
        let Some(file) = self.removed(id) else {
            return;
        };
        if self.services.tracer.is_on() {
            let line = format!("close({}) = 0", file.node.path());
            self.services.tracer.say(file.owner.pid, &line, None);
        }
        let mut gone = Vec::new();
        {
            let mut tree = self.tree();
            for client in tree.clients_of(id) {
                gone.extend(tree.remove_client(client));
            }
        }
        if let Some(uvm) = &file.uvm {
            uvm.close();
        }
        retire(gone);
        self.refresh_view();
        if self.files().is_empty() {
            give_memory_back();
        }
    }

    /// What a process ran when it ended, if it did: waits until all that its files held is freed, but no longer than
    /// `patience`.
    #[must_use]
    pub fn abandoned_by(&self, pid: u32, patience: Duration) -> Option<String> {
        let open = || self.files().values().any(|file| file.owner.pid == pid);
        self.closing.wait(pid, open, patience);
        let list = &self.services.abandoned;
        let list = list.lock().unwrap_or_else(PoisonError::into_inner);
        let found = list.iter().rev().find(|(owner, _)| *owner == pid);
        found.map(|(_, kernel)| kernel.clone())
    }

    /// Takes a file out of the open ones. What its managed memory did is remembered, and written beside the log, where it
    /// outlives the server; who asks meanwhile finds it in one place or the other.
    fn removed(&self, id: FileId) -> Option<Arc<OpenFile>> {
        let mut reports = self.reports();
        let file = self.files().remove(&id)?;
        let Some(report) = file.uvm.as_ref().and_then(|u| u.report(&file.owner, false)) else {
            return Some(file);
        };
        if reports.len() >= REPORTS {
            reports.pop_front();
        }
        reports.push_back(report);
        if let Some(path) = &self.report_file
            && let Ok(text) = serde_json::to_vec(&*reports)
        {
            // Best effort, as the log is.
            let _ = std::fs::write(path, text);
        }
        Some(file)
    }

    fn reports(&self) -> MutexGuard<'_, VecDeque<uvm::Report>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What managed memory did and does: programs that ended first.
    #[must_use]
    pub fn uvm_reports(&self) -> Vec<uvm::Report> {
        let ended = self.reports();
        let mut list: Vec<_> = ended.iter().cloned().collect();
        for file in self.file_list() {
            list.extend(file.uvm.as_ref().and_then(|u| u.report(&file.owner, true)));
        }
        drop(ended);
        list
    }

    /// Has managed memory of all programs make room on a GPU. Whether it did.
    pub fn reclaim(&self, gpu: u32, bytes: u64) -> bool {
        let mut given = 0;
        for file in self.file_list() {
            if let Some(uvm) = &file.uvm
                && given < bytes
            {
                given += uvm.reclaim(gpu, bytes - given);
            }
        }
        given != 0
    }

    /// An open file.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<Arc<OpenFile>> {
        self.files().get(&id).cloned()
    }

    /// Open files now.
    #[must_use]
    pub fn file_list(&self) -> Vec<Arc<OpenFile>> {
        let mut list: Vec<_> = self.files().values().cloned().collect();
        list.sort_by_key(|f| f.id);
        list
    }

    /// The file behind a descriptor of the caller's, if it is one of its process's.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`].
    pub fn caller_file(
        &self,
        caller: &OpenFile,
        user: &mut dyn UserMem,
        fd: i32,
    ) -> RmResult<Arc<OpenFile>> {
        user.file(fd)
            .and_then(|id| self.file(id))
            .filter(|f| f.owner.pid == caller.owner.pid && f.owner.uid == caller.owner.uid)
            .ok_or(Status::INVALID_ARGUMENT)
    }

    /// Bytes that an ioctl's argument has, for doors that must fetch it: escapes say it in the request, UVM commands
    /// have it by number.
    #[must_use]
    pub fn argument_size(&self, node: Node, request: u32) -> Option<usize> {
        match node {
            Node::Uvm if request == abi::vendor::UVM_TRACK => {
                Some(size_of::<abi::vendor::UvmTrackParams>())
            }
            Node::Uvm | Node::UvmTools => {
                let command = uvm_abi::find(request)?;
                if command.params.is_empty() {
                    return Some(0);
                }
                self.sizes
                    .of(command.params)
                    .and_then(|s| usize::try_from(s).ok())
            }
            Node::Control | Node::Gpu(_) | Node::Modeset => {
                usize::try_from(request >> 16 & 0x3fff).ok()
            }
        }
    }

    /// Runs one ioctl. `arg` is the argument, copied in; it is copied back by the door when this returns `Ok`.
    ///
    /// # Errors
    /// The errno that the system call returns; RM statuses are inside `arg`.
    pub fn ioctl(
        &self,
        id: FileId,
        request: u32,
        arg: &mut [u8],
        user: &mut dyn UserMem,
    ) -> Result<(), Errno> {
        self.ioctls.fetch_add(1, Ordering::Relaxed);
        let file = self.file(id).ok_or(Errno::BADF)?;
        if !self.services.tracer.is_on() {
            return self.ioctl_of(&file, request, arg, user);
        }
        let (before, start) = (arg.to_vec(), std::time::Instant::now());
        let result = self.ioctl_of(&file, request, arg, user);
        let took = start.elapsed();
        let errno = result.map_or_else(|e| e.raw_os_error(), |()| 0);
        let line = door::decode::call(file.node, request, &before, arg, errno);
        self.services.tracer.say(file.owner.pid, &line, Some(took));
        result
    }

    fn ioctl_of(
        &self,
        file: &Arc<OpenFile>,
        request: u32,
        arg: &mut [u8],
        user: &mut dyn UserMem,
    ) -> Result<(), Errno> {
        match file.node {
            Node::Control | Node::Gpu(_) => {
                // Like the driver: number and size only, magic and direction are not looked at.
                let (number, size) = (
                    request & 0xff,
                    usize::try_from(request >> 16 & 0x3fff).unwrap_or(0),
                );
                if size != arg.len() {
                    return Err(Errno::INVAL);
                }
                self.escape(file, number, arg, user)
            }
            Node::Uvm => uvm::ioctl(self, file, request, arg, user),
            Node::UvmTools => uvm::tools::ioctl(self, file, request, arg, user),
            Node::Modeset => {
                self.log().once(
                    Level::Notice,
                    &format!("modeset {request:#x}"),
                    &format!("nvidia-modeset: ioctl {request:#x}: no display on this GPU"),
                );
                Err(Errno::INVAL)
            }
        }
    }

    fn escape(
        &self,
        file: &Arc<OpenFile>,
        number: u32,
        arg: &mut [u8],
        user: &mut dyn UserMem,
    ) -> Result<(), Errno> {
        if number != escapes::IOCTL_XFER_CMD {
            return escape::dispatch(self, file, number, arg, user);
        }
        if arg.len() != 16 {
            return Err(Errno::INVAL);
        }
        let (number, size) = (crate::params::u32_at(arg, 0), crate::params::u32_at(arg, 4));
        let pointer = crate::params::u64_at(arg, 8);
        let size = usize::try_from(size).map_err(|_| Errno::INVAL)?;
        if number == escapes::IOCTL_XFER_CMD || size > XFER_LIMIT {
            return Err(Errno::INVAL);
        }
        let mut inner = vec![0; size];
        user.read(pointer, &mut inner)?;
        escape::dispatch(self, file, number, &mut inner, user)?;
        user.write(pointer, &inner)
    }

    /// What backs a mapping of the file: a memfd and the offset in it. `len` is in bytes, whole pages.
    ///
    /// # Errors
    /// `EINVAL` as the driver refuses (with its log line), `EACCES` for a protection that was not granted.
    pub fn map(
        &self,
        id: FileId,
        prot: u32,
        offset: u64,
        len: u64,
    ) -> Result<(Arc<Memory>, u64), Errno> {
        let file = self.file(id).ok_or(Errno::BADF)?;
        match file.node {
            Node::Uvm => uvm::map(self, &file, prot, offset, len),
            Node::Control | Node::Gpu(_) => {
                let invalid = || {
                    self.log()
                        .once(Level::Error, "invalid mmap", "NVRM: VM: invalid mmap");
                    Errno::INVAL
                };
                let context = file.state().map.clone().ok_or_else(invalid)?;
                let fits = match file.node {
                    Node::Control => len <= context.len.next_multiple_of(crate::memory::PAGE),
                    _ => len == context.len.next_multiple_of(crate::memory::PAGE),
                };
                if offset != 0 || len == 0 || !fits {
                    return Err(invalid());
                }
                let (read, write) = (prot & 1 != 0, prot & 2 != 0);
                if write && !context.write || read && !context.read {
                    return Err(Errno::ACCESS);
                }
                Ok((context.memory, context.offset))
            }
            Node::UvmTools | Node::Modeset => Err(Errno::INVAL),
        }
    }

    /// The caller unmapped a managed range of the UVM file.
    ///
    /// # Errors
    /// `EINVAL` when it is no such range.
    pub fn unmapped(&self, id: FileId, va: u64, len: u64) -> Result<(), Errno> {
        let file = self.file(id).ok_or(Errno::BADF)?;
        let uvm = file.uvm.as_ref().ok_or(Errno::INVAL)?;
        uvm.unmapped(va, len).map_err(|_| Errno::INVAL)
    }

    /// Eventfd of the file, for polling.
    ///
    /// # Errors
    /// When none can be made.
    pub fn event_fd(&self, id: FileId) -> Result<Arc<OwnedFd>, Errno> {
        self.file(id).ok_or(Errno::BADF)?.event_fd()
    }

    /// A number that was not given before, for mapping cookies.
    pub fn cookie(&self) -> u64 {
        0xffff_8000_0000_0000 | self.next_cookie.fetch_add(1, Ordering::Relaxed) << 12
    }

    /// VA spaces whose GPU process runs.
    #[must_use]
    pub fn spaces(&self) -> Vec<Arc<VaSpace>> {
        let tree = self.tree();
        tree.clients()
            .flat_map(Client::objects)
            .filter_map(|object| match &object.body {
                Body::VaSpace(space) | Body::Device(space) => Some(Arc::clone(space)),
                _ => None,
            })
            .filter(|space| space.process_id().is_some())
            .collect()
    }

    /// Video memory of a process on a GPU, bytes.
    #[must_use]
    pub fn video_of(&self, pid: u32, gpu: u32) -> u64 {
        let tree = self.tree();
        let own = tree.clients().filter(|c| c.owner.pid == pid);
        let memories = own.flat_map(Client::objects).filter_map(|object| {
            let here = object.gpu.as_ref().is_some_and(|g| g.index == gpu);
            match &object.body {
                Body::Memory(memory) if here && memory.place() == crate::memory::Place::Video => {
                    Some(memory.charged())
                }
                _ => None,
            }
        });
        memories.sum()
    }

    /// GPU by RM id.
    #[must_use]
    pub fn gpu_by_id(&self, id: u32) -> Option<&Arc<Gpu>> {
        self.gpus.iter().find(|g| g.id() == id)
    }

    /// GPU by UUID.
    #[must_use]
    pub fn gpu_by_uuid(&self, uuid: &[u8; 16]) -> Option<&Arc<Gpu>> {
        self.gpus.iter().find(|g| g.uuid == *uuid)
    }

    /// Body of an object of the caller's.
    ///
    /// # Errors
    /// [`Status::INVALID_CLIENT`], [`Status::INVALID_OBJECT_HANDLE`].
    pub fn body(&self, caller: &Owner, client: u32, handle: u32) -> RmResult<Body> {
        let tree = self.tree();
        Ok(tree.client(client, caller)?.object(handle)?.body.clone())
    }

    /// A memory object of the caller's.
    ///
    /// # Errors
    /// [`Status::INVALID_OBJECT`] when it is something else.
    pub fn memory(&self, caller: &Owner, client: u32, handle: u32) -> RmResult<Arc<Memory>> {
        match self.body(caller, client, handle)? {
            Body::Memory(memory) => Ok(memory),
            Body::Usermode(page) => Ok(Arc::clone(page.memory())),
            _ => Err(Status::INVALID_OBJECT),
        }
    }

    /// A VA space of the caller's, by the handle of the space or of something that names one.
    ///
    /// # Errors
    /// [`Status::INVALID_OBJECT`].
    pub fn space(&self, caller: &Owner, client: u32, handle: u32) -> RmResult<Arc<VaSpace>> {
        match self.body(caller, client, handle)? {
            Body::VaSpace(space)
            | Body::CtxShare(space)
            | Body::Device(space)
            | Body::Virtual { space, .. } => Ok(space),
            _ => Err(Status::INVALID_OBJECT),
        }
    }
}
