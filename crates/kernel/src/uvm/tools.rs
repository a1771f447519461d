//! `/dev/nvidia-uvm-tools`: the event queue and the counters of another UVM file's managed memory, in the caller's own
//! pages, laid out as drivers of CUDA 12.4 and later write them (`uvm_types.h`: 64-byte entries, control page of 528
//! bytes).

use std::sync::{Mutex, MutexGuard, PoisonError};

use abi::nv::uvm as nv;
use abi::nv::uvm::CPU_UUID;
use rustix::io::Errno;

use crate::file::OpenFile;
use crate::kernel::Kernel;
use crate::memory::{Memory, PAGE};
use crate::params::{put_u32, u32_at, u64_at};
use crate::status::{RmResult, Status, code};
use crate::usermem::UserMem;
use std::sync::Arc;

/// Bytes of a queue entry.
pub(super) const ENTRY: usize = 64;
/// Entries of a queue at most.
const MOST: u64 = 1 << 20;
/// Bytes of the control page that are used.
const CONTROL: u64 = 528;
/// Offsets in it.
const GET_AHEAD: u64 = 0;
const GET_BEHIND: u64 = 4;
const PUT_AHEAD: u64 = 8;
const PUT_BEHIND: u64 = 12;
const DROPPED: u64 = 16;
/// Counters, by their number.
const COUNTERS: usize = 10;

/// Event types (`UvmEventType`).
pub(super) mod event {
    pub(in super::super) const CPU_FAULT: u8 = 1;
    pub(in super::super) const MIGRATION: u8 = 2;
    pub(in super::super) const GPU_FAULT: u8 = 3;
    pub(in super::super) const GPU_FAULT_REPLAY: u8 = 4;
    pub(in super::super) const READ_DUPLICATE: u8 = 7;
    pub(in super::super) const READ_DUPLICATE_INVALIDATE: u8 = 8;
    pub(in super::super) const THRASHING: u8 = 10;
    pub(in super::super) const MAP_REMOTE: u8 = 13;
    pub(in super::super) const EVICTION: u8 = 14;
}

/// Counter numbers (`UvmCounterName`).
pub(super) mod counter {
    pub(in super::super) const BYTES_HTD: usize = 0;
    pub(in super::super) const BYTES_DTH: usize = 1;
    pub(in super::super) const CPU_FAULTS: usize = 2;
    pub(in super::super) const PREFETCH_HTD: usize = 7;
    pub(in super::super) const PREFETCH_DTH: usize = 8;
    pub(in super::super) const GPU_FAULTS: usize = 9;
}

/// Pages of the caller's.
#[derive(Debug)]
struct Pages {
    memory: Arc<Memory>,
    offset: u64,
}

impl Pages {
    fn pin(kernel: &Kernel, user: &mut dyn UserMem, at: u64, len: u64) -> RmResult<Self> {
        let base = at / PAGE * PAGE;
        let end = at
            .checked_add(len)
            .ok_or(Status::INVALID_ADDRESS)?
            .next_multiple_of(PAGE);
        let fd = user.pin(base, end - base)?;
        Ok(Self {
            memory: Memory::pinned(fd, end - base, &kernel.services.descriptors)?,
            offset: at - base,
        })
    }

    fn load32(&self, at: u64) -> u32 {
        let mut bytes = [0; 4];
        self.memory.read(self.offset + at, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn load64(&self, at: u64) -> u64 {
        let mut bytes = [0; 8];
        self.memory.read(self.offset + at, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn store(&self, at: u64, bytes: &[u8]) {
        self.memory.write(self.offset + at, bytes);
    }
}

#[derive(Debug)]
enum Target {
    /// Entries, their number, which types are wanted, and from how many on the file is readable.
    Queue {
        entries: Pages,
        count: u32,
        wanted: u64,
        threshold: u32,
        woken_at: Option<u32>,
    },
    /// Which are wanted.
    Counters { wanted: u64 },
}

#[derive(Debug)]
struct Active {
    target: Target,
    control: Pages,
}

/// State of an open tools file.
#[derive(Debug, Default)]
pub struct Tools {
    active: Mutex<Option<Active>>,
}

impl Tools {
    fn active(&self) -> MutexGuard<'_, Option<Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An event happened: its entry, whose first byte is its type. True when the file should become readable.
    pub(super) fn event(&self, entry: &[u8; ENTRY]) -> bool {
        let mut active = self.active();
        let Some(Active {
            target:
                Target::Queue {
                    entries,
                    count,
                    wanted,
                    threshold,
                    woken_at,
                },
            control,
        }) = &mut *active
        else {
            return false;
        };
        let kind = u64::from(entry[0]);
        if *wanted >> kind & 1 == 0 {
            return false;
        }
        // The caller writes to the page as well: nothing there is trusted.
        let mask = *count - 1;
        let get = control.load32(GET_BEHIND) & mask;
        let put = control.load32(PUT_BEHIND) & mask;
        let used = put.wrapping_sub(get) & mask;
        if used == mask {
            let at = DROPPED + 8 * kind;
            let dropped = control.load64(at).wrapping_add(1);
            control.store(at, &dropped.to_le_bytes());
            return false;
        }
        entries.store(u64::from(put) * ENTRY as u64, entry);
        let next = (put + 1) & mask;
        control.store(PUT_AHEAD, &next.to_le_bytes());
        control.store(PUT_BEHIND, &next.to_le_bytes());
        let ahead = control.load32(GET_AHEAD);
        let waiting = next.wrapping_sub(ahead & mask) & mask;
        let wake = waiting >= *threshold && *woken_at != Some(ahead);
        if wake {
            *woken_at = Some(ahead);
        }
        wake
    }

    /// Something is to be counted.
    pub(super) fn count(&self, which: usize, by: u64) {
        let active = self.active();
        if let Some(Active {
            target: Target::Counters { wanted },
            control,
        }) = &*active
            && wanted >> which & 1 != 0
            && which < COUNTERS
        {
            let at = 8 * which as u64;
            let value = control.load64(at).wrapping_add(by);
            control.store(at, &value.to_le_bytes());
        }
    }
}

/// A command on a tools file.
///
/// # Errors
/// `EINVAL` for what is not offered.
pub fn ioctl(
    kernel: &Kernel,
    file: &Arc<OpenFile>,
    request: u32,
    arg: &mut [u8],
    user: &mut dyn UserMem,
) -> Result<(), Errno> {
    let size = kernel.argument_size(file.node, request);
    let (Some(arg), Some(tools)) = (size.and_then(|size| arg.get_mut(..size)), &file.tools) else {
        return Err(super::unknown(kernel, file, request, "not supported"));
    };
    let (result, at) = match request {
        nv::UVM_TOOLS_INIT_EVENT_TRACKER if arg.len() == 56 => {
            (init(kernel, file, tools, arg, user), 48)
        }
        nv::UVM_TOOLS_SET_NOTIFICATION_THRESHOLD => {
            let wanted = u32_at(arg, 0);
            let result = match &mut *tools.active() {
                Some(Active {
                    target: Target::Queue { threshold, .. },
                    ..
                }) => {
                    *threshold = wanted.max(1);
                    Ok(())
                }
                _ => Err(Status::INVALID_ARGUMENT),
            };
            (result, 4)
        }
        nv::UVM_TOOLS_EVENT_QUEUE_ENABLE_EVENTS | nv::UVM_TOOLS_EVENT_QUEUE_DISABLE_EVENTS => {
            let flags = u64_at(arg, 0);
            let on = request == nv::UVM_TOOLS_EVENT_QUEUE_ENABLE_EVENTS;
            let result = match &mut *tools.active() {
                Some(Active {
                    target: Target::Queue { wanted, .. },
                    ..
                }) => {
                    *wanted = if on {
                        *wanted | flags
                    } else {
                        *wanted & !flags
                    };
                    Ok(())
                }
                _ => Err(Status::INVALID_ARGUMENT),
            };
            (result, 8)
        }
        nv::UVM_TOOLS_ENABLE_COUNTERS | nv::UVM_TOOLS_DISABLE_COUNTERS => {
            let flags = u64_at(arg, 0);
            let on = request == nv::UVM_TOOLS_ENABLE_COUNTERS;
            let result = match &mut *tools.active() {
                Some(Active {
                    target: Target::Counters { wanted },
                    ..
                }) => {
                    *wanted = if on {
                        *wanted | flags
                    } else {
                        *wanted & !flags
                    };
                    Ok(())
                }
                _ => Err(Status::INVALID_ARGUMENT),
            };
            (result, 8)
        }
        nv::UVM_TOOLS_GET_PROCESSOR_UUID_TABLE if arg.len() == 16 => {
            let mut table = CPU_UUID.to_vec();
            for gpu in &kernel.gpus {
                table.extend_from_slice(&gpu.uuid);
            }
            let result = user.write(u64_at(arg, 0), &table);
            (result.map_err(|_| Status::INVALID_ADDRESS), 8)
        }
        // Entries are in the queue before whoever waited for the page goes on.
        nv::UVM_TOOLS_FLUSH_EVENTS => (Ok(()), 0),
        _ => return Err(super::unknown(kernel, file, request, "not supported")),
    };
    put_u32(arg, at, code(result));
    Ok(())
}

/// INIT_EVENT_TRACKER: {queueBuffer, queueBufferSize, controlBuffer, processor, allProcessors, uvmFd, status}. A size of
/// 0 means counters.
fn init(
    kernel: &Kernel,
    file: &Arc<OpenFile>,
    tools: &Tools,
    arg: &[u8],
    user: &mut dyn UserMem,
) -> RmResult {
    let (queue, count, control) = (u64_at(arg, 0), u64_at(arg, 8), u64_at(arg, 16));
    let target = kernel.caller_file(file, user, u32_at(arg, 44).cast_signed())?;
    let uvm = target.uvm.as_ref().ok_or(Status::INVALID_ARGUMENT)?;
    if tools.active().is_some() {
        return Err(Status::INVALID_STATE);
    }
    let active = if count == 0 {
        Active {
            target: Target::Counters { wanted: 0 },
            control: Pages::pin(kernel, user, control, 8 * COUNTERS as u64)?,
        }
    } else {
        let size = u32::try_from(count)
            .ok()
            .filter(|size| size.is_power_of_two() && *size > 1 && count <= MOST)
            .ok_or(Status::INVALID_ARGUMENT)?;
        Active {
            target: Target::Queue {
                entries: Pages::pin(kernel, user, queue, count * ENTRY as u64)?,
                count: size,
                wanted: 0,
                threshold: (size / 2).max(1),
                woken_at: None,
            },
            control: Pages::pin(kernel, user, control, CONTROL)?,
        }
    };
    *tools.active() = Some(active);
    // Coherent memory has no events; the queue stays empty.
    uvm.listen(file);
    Ok(())
}
