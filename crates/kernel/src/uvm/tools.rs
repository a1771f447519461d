//! `/dev/nvidia-uvm-tools`: the event queue and the counters of another UVM file's managed memory, in the caller's own
//! pages, laid out as drivers of CUDA 12.4 and later write them (`uvm_types.h`: entries of [`super::event`], control page
//! of 528 bytes). How a caller says which version of the entries it wants has changed twice since.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use abi::nv::uvm as nv;
use abi::nv::uvm::CPU_UUID;
use rustix::io::Errno;

use super::event::{Event, Layout};
use crate::file::OpenFile;
use crate::kernel::Kernel;
use crate::memory::{Memory, PAGE};
use crate::params::{put_u32, u32_at, u64_at};
use crate::status::{RmResult, Status, code};
use crate::usermem::UserMem;
use std::sync::Arc;

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

/// Processors that the first version's table has (`UVM_MAX_PROCESSORS_V1`): the CPU and 32 GPUs.
const PROCESSORS: usize = 33;
/// Those of the second version's (`UVM_ID_MAX_PROCESSORS`): each GPU has eight parts.
const PROCESSORS_AND_PARTS: usize = 257;

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
    /// Entries, their layout and number, which types are wanted, and from how many on the file is readable.
    Queue {
        entries: Pages,
        layout: Layout,
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

    /// An event happened. True when the file should become readable.
    pub(super) fn event(&self, event: &Event) -> bool {
        let mut active = self.active();
        let Some(Active {
            target:
                Target::Queue {
                    entries,
                    layout,
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
        let kind = u64::from(event.kind());
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
        let size = layout.size();
        entries.store(u64::from(put) * size as u64, &event.entry(*layout)[..size]);
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
        nv::UVM_TOOLS_INIT_EVENT_TRACKER | nv::UVM_TOOLS_INIT_EVENT_TRACKER_V2 => {
            let (asked, at) = asked(kernel, request, arg);
            let result = asked.and_then(|layout| init(kernel, file, tools, layout, arg, user));
            if let (Ok(()), true) = (result, arg.len() > 56) {
                // grantedVersion
                let version = u32_at(arg, 52);
                put_u32(arg, 56, version);
            }
            (result, at)
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
        _ => return Err(super::unknown(kernel, file, request, "not supported")),
    };
    put_u32(arg, at, code(result));
    Ok(())
}

/// The layout of that number (`UvmToolsEventQueueVersion`).
fn layout_of(version: u32) -> RmResult<Layout> {
    match version {
        1 => Ok(Layout::First),
        2 => Ok(Layout::Second),
        _ => Err(Status::INVALID_ARGUMENT),
    }
}

/// Which layout a tracker is asked for, and where the command's status is: drivers from 550 to 555 have the version
/// behind the status, those of 560 before it, and since 565 a second command means the second version.
fn asked(kernel: &Kernel, request: u32, arg: &[u8]) -> (RmResult<Layout>, usize) {
    match kernel.config().version.0 {
        ..550 => (Ok(Layout::First), 48),
        550..560 => (layout_of(u32_at(arg, 52)), 48),
        560..565 => (layout_of(u32_at(arg, 48)), 52),
        565.. if request == nv::UVM_TOOLS_INIT_EVENT_TRACKER_V2 => (Ok(Layout::Second), 48),
        565.. => (Ok(Layout::First), 48),
    }
}

/// GET_PROCESSOR_UUID_TABLE, on a UVM file: who has which index, as far as registered there. The status goes into `arg`.
pub(super) fn uuid_table(
    kernel: &Kernel,
    registered: Option<&BTreeSet<u32>>,
    request: u32,
    arg: &mut [u8],
    user: &mut dyn UserMem,
) {
    let version = kernel.config().version.0;
    let (layout, room, at) = match version {
        // {table, count, status}, and since 550 {.., version}: without a count the table is of the first version.
        ..550 => (Ok(Layout::First), None, 12),
        550..560 => match u32_at(arg, 8) {
            0 if u64_at(arg, 0) != 0 => (Ok(Layout::First), None, 12),
            0 => (Ok(Layout::Second), None, 12),
            count => (Ok(Layout::Second), usize::try_from(count).ok(), 12),
        },
        // {table, version, status}
        560..565 => (layout_of(u32_at(arg, 8)), None, 12),
        // {table, status}
        565.. if request == nv::UVM_TOOLS_GET_PROCESSOR_UUID_TABLE_V2 => {
            (Ok(Layout::Second), None, 8)
        }
        565.. => (Ok(Layout::First), None, 8),
    };
    let result = layout.and_then(|layout| {
        let registered = registered.ok_or(Status::ILLEGAL_ACTION)?;
        let whole = match layout {
            Layout::First => PROCESSORS,
            Layout::Second => PROCESSORS_AND_PARTS,
        };
        let mut table = vec![[0; 16]; room.filter(|room| *room <= whole).unwrap_or(whole)];
        let mut count = 1;
        table[0] = CPU_UUID;
        for gpu in kernel.gpus.iter().filter(|g| registered.contains(&g.index)) {
            let index = usize::from(layout.index(super::track::gpu_side(gpu.index)));
            count = count.max(index + 1);
            if let Some(slot) = table.get_mut(index) {
                *slot = gpu.uuid;
            }
        }
        if version < 550 {
            table.truncate(count);
        }
        if version < 560 {
            put_u32(arg, 8, u32::try_from(count).unwrap_or(u32::MAX));
        }
        if (550..560).contains(&version) {
            put_u32(arg, 16, if layout == Layout::First { 1 } else { 2 });
            if u64_at(arg, 0) == 0 {
                return Ok(());
            }
        }
        user.write(u64_at(arg, 0), table.as_flattened())
            .map_err(|_| Status::INVALID_ADDRESS)
    });
    put_u32(arg, at, code(result));
}

/// INIT_EVENT_TRACKER: {queueBuffer, queueBufferSize, controlBuffer, processor, allProcessors, uvmFd, ..}. A size of 0
/// means counters.
fn init(
    kernel: &Kernel,
    file: &Arc<OpenFile>,
    tools: &Tools,
    layout: Layout,
    arg: &[u8],
    user: &mut dyn UserMem,
) -> RmResult {
    let (queue, count, control) = (u64_at(arg, 0), u64_at(arg, 8), u64_at(arg, 16));
    let target = kernel.caller_file(file, user, u32_at(arg, 44).cast_signed());
    let target = target.map_err(|_| Status::INSUFFICIENT_PERMISSIONS)?;
    let uvm = target.uvm.as_ref();
    let uvm = uvm.ok_or(Status::INSUFFICIENT_PERMISSIONS)?;
    if !uvm.is_initialized() {
        return Err(Status::ILLEGAL_ACTION);
    }
    if tools.active().is_some() {
        return Err(Status::INVALID_ARGUMENT);
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
                entries: Pages::pin(kernel, user, queue, count * layout.size() as u64)?,
                layout,
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
