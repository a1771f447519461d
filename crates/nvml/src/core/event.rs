//! Event sets: OS events of class 0x79 on the GPUs (nv-abi.md §2.3). Xid events exist here, and double bit
//! errors, which are Xid 48.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use abi::nv::alloc_params::NV0005_ALLOC_PARAMETERS;
use abi::nv::control_params::NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS;
use abi::nv::escape_params::{NVOS41_PARAMETERS, NvUnixEvent, nv_ioctl_alloc_os_event_t};
use abi::nv::{classes, escapes};
use door::{File, Node};
use rustix::event::{PollFd, PollFlags, Timespec};
use zerocopy::{FromZeros, IntoBytes};

use super::error::RmError;
use super::gpu::{Gpu, register};
use super::rm::{Client, Object, check};
use crate::Return;
use crate::types::Device;

/// `nvmlEventTypeDoubleBitEccError`.
pub const DOUBLE_BIT: u64 = 2;
/// `nvmlEventTypeXidCriticalError`.
pub const XID: u64 = 8;
/// The Xid of a double bit error.
const XID_DOUBLE_BIT: u32 = 48;
/// `NV2080_NOTIFIERS_RC_ERROR`.
const RC_ERROR: u32 = 37;
/// `NV2080_CTRL_EVENT_SET_NOTIFICATION_ACTION_REPEAT`.
const REPEAT: u32 = 2;
/// How often a wait looks whether the driver is still there.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Debug)]
struct Source {
    device: Device,
    subdevice: Object,
    event: Object,
    file: File,
    /// What its listener wants.
    types: AtomicU64,
    /// An event of another type that came with the last one.
    owed: AtomicU64,
}

/// A set.
#[derive(Debug, Default)]
pub struct Set {
    sources: Mutex<Vec<Arc<Source>>>,
}

/// All sets of a session, by number.
#[derive(Debug, Default)]
pub struct Sets {
    table: Mutex<(usize, HashMap<usize, Arc<Set>>)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where.
    pub device: Device,
    /// Its type.
    pub kind: u64,
    /// Xid; 0 for other types.
    pub xid: u32,
}

impl Sets {
    /// A new set's number, which is used once.
    pub fn create(&self) -> usize {
        let mut table = lock(&self.table);
        table.0 += 1;
        let number = table.0;
        table.1.insert(number, Arc::default());
        number
    }

    /// The set of that number.
    pub fn get(&self, number: usize) -> Result<Arc<Set>, Return> {
        lock(&self.table)
            .1
            .get(&number)
            .cloned()
            .ok_or(Return::InvalidArgument)
    }

    /// Ends a set.
    pub fn free(&self, client: &Client, number: usize) -> Result<(), Return> {
        let set = lock(&self.table)
            .1
            .remove(&number)
            .ok_or(Return::InvalidArgument)?;
        for source in lock(&set.sources).drain(..) {
            client.free(source.subdevice, source.event)?;
        }
        Ok(())
    }
}

impl Set {
    /// Listens to a GPU's events of these types from now on.
    pub fn listen(
        &self,
        client: &Client,
        gpu: &Gpu,
        device: Device,
        types: u64,
    ) -> Result<(), RmError> {
        let mut sources = lock(&self.sources);
        if let Some(source) = sources.iter().find(|source| source.device == device) {
            source.types.fetch_or(types, Ordering::Relaxed);
            return Ok(());
        }
        let file = door::open(Node::Gpu(gpu.card.minor)).map_err(|error| RmError::Door {
            what: "opening the GPU's device node",
            error,
        })?;
        register(client, &file)?;
        let fd = file.id().cast_unsigned();
        let mut os_event = nv_ioctl_alloc_os_event_t {
            hClient: client.root().0,
            hDevice: gpu.device.0,
            fd,
            Status: 0,
        };
        file.escape(escapes::ALLOC_OS_EVENT, os_event.as_mut_bytes())
            .map_err(|error| RmError::Door {
                what: "allocating an OS event",
                error,
            })?;
        check("allocating an OS event", os_event.Status)?;
        let mut params = NV0005_ALLOC_PARAMETERS {
            hParentClient: client.root().0,
            hClass: classes::NV01_EVENT_OS_EVENT,
            notifyIndex: RC_ERROR,
            data: u64::from(fd),
            ..FromZeros::new_zeroed()
        };
        let event = client.alloc(
            "allocating an event",
            gpu.subdevice,
            classes::NV01_EVENT_OS_EVENT,
            params.as_mut_bytes(),
        )?;
        let mut arm = NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS {
            event: RC_ERROR,
            action: REPEAT,
            ..FromZeros::new_zeroed()
        };
        client.control(
            "arming the event",
            gpu.subdevice,
            0x2080_0301,
            NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS::NAME,
            &mut arm,
        )?;
        sources.push(Arc::new(Source {
            device,
            subdevice: gpu.subdevice,
            event,
            file,
            types: AtomicU64::new(types),
            owed: AtomicU64::new(0),
        }));
        Ok(())
    }

    /// Waits for an event.
    ///
    /// # Errors
    /// [`Return::Timeout`]; [`Return::InvalidArgument`] for a set that listens to nothing.
    pub fn wait(&self, client: &Client, limit: Duration) -> Result<Event, Return> {
        let end = Instant::now().checked_add(limit);
        let sources = lock(&self.sources).clone();
        if sources.is_empty() {
            return Err(Return::InvalidArgument);
        }
        loop {
            for source in &sources {
                if let Some(event) = next(source)? {
                    return Ok(event);
                }
            }
            let left = end.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(Return::Timeout);
            }
            client.check_alive()?;
            sleep(&sources, left.min(LOOK))?;
        }
    }
}

/// The next event of a source that its listener wants, if one is there.
fn next(source: &Source) -> Result<Option<Event>, Return> {
    let of = |kind, xid| Event {
        device: source.device,
        kind,
        xid,
    };
    match source.owed.swap(0, Ordering::Relaxed) {
        0 => {}
        xid => return Ok(Some(of(XID, u32::try_from(xid).unwrap_or(0)))),
    }
    let types = source.types.load(Ordering::Relaxed);
    while let Some(xid) = take(source)? {
        if xid == XID_DOUBLE_BIT && types & DOUBLE_BIT != 0 {
            if types & XID != 0 {
                source.owed.store(u64::from(xid), Ordering::Relaxed);
            }
            return Ok(Some(of(DOUBLE_BIT, 0)));
        }
        if types & XID != 0 {
            return Ok(Some(of(XID, xid)));
        }
    }
    Ok(None)
}

/// Pops an event of a file, if one is there.
fn take(source: &Source) -> Result<Option<u32>, Return> {
    // Clears the signal, which may stand for several events: whether one waits says the queue.
    source.file.poll(0).map_err(|error| RmError::Door {
        what: "waiting for an event",
        error,
    })?;
    let mut event = NvUnixEvent::new_zeroed();
    let mut get = NVOS41_PARAMETERS {
        pEvent: event.as_mut_bytes().as_mut_ptr().expose_provenance() as u64,
        ..FromZeros::new_zeroed()
    };
    source
        .file
        .escape(escapes::RM_GET_EVENT_DATA, get.as_mut_bytes())
        .map_err(|error| RmError::Door {
            what: "reading an event",
            error,
        })?;
    Ok((get.status == abi::nv::status::NV_OK).then_some(event.info32))
}

fn sleep(sources: &[Arc<Source>], limit: Duration) -> Result<(), Return> {
    let mut fds = Vec::with_capacity(sources.len());
    for source in sources {
        let fd = source.file.event_fd().map_err(|error| RmError::Door {
            what: "waiting for an event",
            error,
        })?;
        fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
    }
    let limit = Timespec {
        tv_sec: i64::try_from(limit.as_secs()).unwrap_or(0),
        tv_nsec: i64::from(limit.subsec_nanos()),
    };
    match rustix::event::poll(&mut fds, Some(&limit)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(_) => Err(Return::OperatingSystem),
    }
}
