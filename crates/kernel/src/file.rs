//! Open files of the device nodes.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi::nv::escape_params::NvUnixEvent;
use door::Node;
use rustix::event::EventfdFlags;
use rustix::io::Errno;

use crate::memory::Memory;
use crate::usermem::FileId;
use crate::uvm::Uvm;

/// Events kept per file; more are dropped, as the driver's queue does.
const EVENTS: usize = 1024;

/// Who opened a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Process (thread group).
    pub pid: u32,
    /// User.
    pub uid: u32,
    /// Program name.
    pub name: String,
}

/// What RM_MAP_MEMORY parked on a file.
#[derive(Clone, Debug)]
pub struct MapContext {
    /// The object.
    pub memory: Arc<Memory>,
    /// Offset in it.
    pub offset: u64,
    /// Bytes.
    pub len: u64,
    /// Whether it may be mapped writable.
    pub write: bool,
    /// Whether it may be mapped readable.
    pub read: bool,
}

/// State of a file that changes.
#[derive(Debug, Default)]
pub struct FileState {
    /// Parked mapping.
    pub map: Option<MapContext>,
    /// The control file it is registered with.
    pub linked: Option<FileId>,
    /// Files linked to this one: it cannot be linked itself.
    pub is_target: bool,
    /// OS events registered: (client, fd number of the client's).
    pub os_events: Vec<(u32, u32)>,
    /// (object, index, info32, info16).
    events: VecDeque<(u32, u32, u32, u16)>,
    rung: bool,
    event_fd: Option<Arc<OwnedFd>>,
    /// Second UVM file: the first, whose lifetime it watches.
    pub uvm_of: Option<FileId>,
}

/// An open file.
#[derive(Debug)]
pub struct OpenFile {
    /// Number.
    pub id: FileId,
    /// Node.
    pub node: Node,
    /// Who opened it.
    pub owner: Owner,
    /// UVM's state, on a UVM node.
    pub uvm: Option<Uvm>,
    /// The tools' state, on the tools node.
    pub tools: Option<crate::uvm::tools::Tools>,
    state: Mutex<FileState>,
}

impl OpenFile {
    /// A fresh file.
    #[must_use]
    pub fn new(id: FileId, node: Node, owner: Owner) -> Self {
        Self {
            id,
            node,
            owner,
            uvm: (node == Node::Uvm).then(Uvm::default),
            tools: (node == Node::UvmTools).then(Default::default),
            state: Mutex::default(),
        }
    }

    /// The state.
    pub fn state(&self) -> MutexGuard<'_, FileState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event with data and makes the file readable.
    pub fn queue_event(&self, event: NvUnixEvent) {
        let mut state = self.state();
        if state.events.len() < EVENTS {
            state
                .events
                .push_back((event.hObject, event.NotifyIndex, event.info32, event.info16));
        }
        state.ring();
    }

    /// Makes the file readable once.
    pub fn ring(&self) {
        self.state().ring();
    }

    /// Takes the oldest event; also tells whether more are there.
    pub fn next_event(&self) -> (Option<NvUnixEvent>, bool) {
        let mut state = self.state();
        let event = state
            .events
            .pop_front()
            .map(|(object, index, info32, info16)| NvUnixEvent {
                hObject: object,
                NotifyIndex: index,
                info32,
                info16,
                ..NvUnixEvent::default()
            });
        (event, !state.events.is_empty())
    }

    /// The eventfd that becomes readable when an event comes.
    ///
    /// # Errors
    /// When none can be made.
    pub fn event_fd(&self) -> Result<Arc<OwnedFd>, Errno> {
        let mut state = self.state();
        if let Some(fd) = &state.event_fd {
            return Ok(Arc::clone(fd));
        }
        let fd = Arc::new(rustix::event::eventfd(
            u32::from(state.rung),
            EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK,
        )?);
        state.event_fd = Some(Arc::clone(&fd));
        Ok(fd)
    }
}

impl FileState {
    fn ring(&mut self) {
        self.rung = true;
        if let Some(fd) = &self.event_fd {
            // Full is as good as rung.
            let _ = rustix::io::write(fd, &1_u64.to_ne_bytes());
        }
    }
}
