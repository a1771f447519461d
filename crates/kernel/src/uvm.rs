//! nvidia-uvm: one table of commands, one row each; VA ranges of an open file; managed memory.
//!
//! Managed memory is *coherent* unless the program asks for more: one sparse memfd per file, in which the offset is the
//! address; the program maps it, and every registered GPU VA space maps the same pages at the same address. So the CPU
//! never faults for residency, and a GPU does at its first access to a block. After `vendor::UVM_TRACK` it is *tracked*
//! ([`track`]): real faults on both sides, blocks that move.

mod commands;
mod event;
mod ranges;
mod registered;
pub mod tools;
mod track;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi::nv::uvm as nv;
use abi::vendor;
use rustix::io::Errno;

use crate::file::OpenFile;
use crate::kernel::Kernel;
use crate::klog::Level;
use crate::memory::{Charge, Memory};
use crate::params::put_u32;
use crate::status::{RmResult, Status, code};
use crate::usermem::UserMem;
use crate::vaspace::{VaSpace, check_range};
use ranges::{Kind, Range};
use registered::Registered;
use track::Tracker;
pub use track::{Cause, Counters, Move, RangeReport, Report, side_name};

/// Ranges per file.
const MAX_RANGES: usize = 1 << 16;
/// Size of the address-shaped memfd.
const ADDRESS_SPACE: u64 = 1 << 47;

/// UVM's state of one open file.
#[derive(Debug, Default)]
pub struct Uvm {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    initialized: bool,
    /// Copy engines reach the program's own memory.
    hmm: bool,
    /// Offset = address.
    memory: Option<Arc<Memory>>,
    /// Who moves managed memory, if it is tracked.
    tracker: Option<Arc<Tracker>>,
    /// Registered GPUs by index, with their VA spaces once registered.
    gpus: BTreeSet<u32>,
    spaces: HashMap<u32, Arc<Registered>>,
    channels: BTreeSet<(u32, u32)>,
    ranges: BTreeMap<u64, Range>,
    groups: BTreeSet<u64>,
    next_group: u64,
    peers: BTreeSet<(u32, u32)>,
}

/// A command under way.
struct Command<'a> {
    kernel: &'a Kernel,
    file: &'a Arc<OpenFile>,
    /// Whether the command's `rmCtrlFd` names a control file, for those that have one.
    control: RmResult,
}

type Handler = fn(&mut Command<'_>, &mut State, &mut [u8]) -> RmResult;

/// Where a command's `rmStatus` is.
#[derive(Clone, Copy)]
enum StatusAt {
    Start(usize),
    End(usize),
    /// Moved by 4 when 550 added a field before it.
    Preferred,
}

struct Row {
    number: u32,
    status: StatusAt,
    handler: Handler,
}

const fn row(number: u32, status: StatusAt, handler: Handler) -> Row {
    Row {
        number,
        status,
        handler,
    }
}

use StatusAt::{End, Preferred, Start};

static ROWS: &[Row] = &[
    row(nv::UVM_INITIALIZE, Start(8), commands::initialize),
    row(nv::UVM_CREATE_RANGE_GROUP, Start(8), commands::create_group),
    row(
        nv::UVM_DESTROY_RANGE_GROUP,
        Start(8),
        commands::destroy_group,
    ),
    row(
        nv::UVM_REGISTER_GPU_VASPACE,
        Start(28),
        commands::register_space,
    ),
    row(
        nv::UVM_UNREGISTER_GPU_VASPACE,
        Start(16),
        commands::unregister_space,
    ),
    row(
        nv::UVM_REGISTER_CHANNEL,
        Start(48),
        commands::register_channel,
    ),
    row(
        nv::UVM_UNREGISTER_CHANNEL,
        End(4),
        commands::unregister_channel,
    ),
    row(nv::UVM_ENABLE_PEER_ACCESS, Start(32), commands::enable_peer),
    row(
        nv::UVM_DISABLE_PEER_ACCESS,
        Start(32),
        commands::disable_peer,
    ),
    row(nv::UVM_SET_RANGE_GROUP, Start(24), commands::set_group),
    row(
        nv::UVM_MAP_EXTERNAL_ALLOCATION,
        End(4),
        commands::map_external,
    ),
    row(nv::UVM_FREE, End(8), commands::free),
    row(nv::UVM_REGISTER_GPU, Start(36), commands::register_gpu),
    row(nv::UVM_UNREGISTER_GPU, Start(16), commands::unregister_gpu),
    row(nv::UVM_PAGEABLE_MEM_ACCESS, Start(4), commands::pageable),
    row(
        nv::UVM_PAGEABLE_MEM_ACCESS_ON_GPU,
        Start(20),
        commands::pageable_on_gpu,
    ),
    row(
        nv::UVM_PREVENT_MIGRATION_RANGE_GROUPS,
        Start(264),
        commands::known_groups,
    ),
    row(
        nv::UVM_ALLOW_MIGRATION_RANGE_GROUPS,
        Start(264),
        commands::known_groups,
    ),
    row(
        nv::UVM_SET_PREFERRED_LOCATION,
        Preferred,
        commands::set_preferred,
    ),
    row(
        nv::UVM_UNSET_PREFERRED_LOCATION,
        Start(16),
        commands::unset_preferred,
    ),
    row(
        nv::UVM_ENABLE_READ_DUPLICATION,
        Start(16),
        commands::enable_duplication,
    ),
    row(
        nv::UVM_DISABLE_READ_DUPLICATION,
        Start(16),
        commands::disable_duplication,
    ),
    row(
        nv::UVM_SET_ACCESSED_BY,
        Start(32),
        commands::set_accessed_by,
    ),
    row(
        nv::UVM_UNSET_ACCESSED_BY,
        Start(32),
        commands::unset_accessed_by,
    ),
    row(nv::UVM_MIGRATE, Start(72), commands::migrate),
    row(nv::UVM_DISCARD, Start(24), commands::discard),
    row(
        nv::UVM_MIGRATE_RANGE_GROUP,
        Start(24),
        commands::migrate_group,
    ),
    row(nv::UVM_UNMAP_EXTERNAL, Start(32), commands::unmap_external),
    row(
        nv::UVM_ALLOC_SEMAPHORE_POOL,
        End(8),
        commands::semaphore_pool,
    ),
    row(nv::UVM_VALIDATE_VA_RANGE, Start(16), commands::validate),
    row(
        nv::UVM_CREATE_EXTERNAL_RANGE,
        Start(16),
        commands::create_external,
    ),
    row(nv::UVM_TOOLS_FLUSH_EVENTS, Start(0), commands::flush_events),
];

/// Commands with a row, and those without: UVM_DEINITIALIZE and UVM_MM_INITIALIZE, which need no state, and the tools'
/// tables of processors, which write to the caller's memory.
#[must_use]
pub fn handled() -> Vec<u32> {
    let mut list: Vec<u32> = ROWS.iter().map(|r| r.number).collect();
    list.extend([
        nv::UVM_DEINITIALIZE,
        nv::UVM_MM_INITIALIZE,
        nv::UVM_TOOLS_GET_PROCESSOR_UUID_TABLE,
        nv::UVM_TOOLS_GET_PROCESSOR_UUID_TABLE_V2,
    ]);
    list
}

fn unknown(kernel: &Kernel, file: &OpenFile, request: u32, what: &str) -> Errno {
    let name = nv::find(request).map_or("unknown", |c| c.name);
    kernel.log().once(
        Level::Notice,
        &format!("uvm {request:#x} {what}"),
        &format!(
            "nvidia-uvm: ioctl {request:#x} ({name}) on {}: {what}",
            file.node.path()
        ),
    );
    Errno::INVAL
}

/// A command on `/dev/nvidia-uvm`. `arg` may be longer than the struct, not shorter.
///
/// # Errors
/// `EINVAL` for an unknown command or a short argument.
pub fn ioctl(
    kernel: &Kernel,
    file: &Arc<OpenFile>,
    request: u32,
    arg: &mut [u8],
    user: &mut dyn UserMem,
) -> Result<(), Errno> {
    let uvm = file.uvm.as_ref().ok_or(Errno::INVAL)?;
    if request == nv::UVM_DEINITIALIZE {
        return Ok(());
    }
    let size = kernel.argument_size(file.node, request);
    let Some(arg) = size.and_then(|size| arg.get_mut(..size)) else {
        return Err(unknown(
            kernel,
            file,
            request,
            "unknown, or too short an argument",
        ));
    };
    if request == vendor::UVM_TRACK {
        let result = track_file(kernel, uvm, arg, user);
        put_u32(arg, 12, code(result));
        return Ok(());
    }
    if request == nv::UVM_MM_INITIALIZE {
        let result = mm_initialize(kernel, file, arg, user);
        put_u32(arg, 4, code(result));
        return Ok(());
    }
    if [
        nv::UVM_TOOLS_GET_PROCESSOR_UUID_TABLE,
        nv::UVM_TOOLS_GET_PROCESSOR_UUID_TABLE_V2,
    ]
    .contains(&request)
    {
        // The caller's memory is written without the lock.
        let registered = {
            let state = uvm.state();
            state.initialized.then(|| state.gpus.clone())
        };
        tools::uuid_table(kernel, registered.as_ref(), request, arg, user);
        return Ok(());
    }
    let Some(row) = ROWS.iter().find(|r| r.number == request) else {
        return Err(unknown(kernel, file, request, "not supported"));
    };
    let at = match row.status {
        Start(at) => at,
        End(back) => arg.len().saturating_sub(back),
        Preferred if kernel.config().version.0 < 550 => 0x20,
        Preferred => 0x24,
    };
    // The caller is asked before the lock is taken: it may never answer.
    let control_fd = match request {
        nv::UVM_REGISTER_GPU_VASPACE => Some(16),
        nv::UVM_MAP_EXTERNAL_ALLOCATION => Some(arg.len().saturating_sub(16)),
        _ => None,
    };
    let control = control_fd.map_or(Ok(()), |at| {
        let fd = crate::params::u32_at(arg, at).cast_signed();
        let control = kernel.caller_file(file, user, fd)?;
        if control.node == door::Node::Control {
            Ok(())
        } else {
            Err(Status::INVALID_ARGUMENT)
        }
    });
    let mut state = uvm.state();
    let result = if state.initialized || request == nv::UVM_INITIALIZE {
        let mut command = Command {
            kernel,
            file,
            control,
        };
        (row.handler)(&mut command, &mut state, arg)
    } else {
        Err(Status::ILLEGAL_ACTION)
    };
    drop(state);
    put_u32(arg, at, code(result));
    Ok(())
}

/// TRACK: managed memory of this file is tracked from now on. Before there is any, and before a GPU is there.
fn track_file(kernel: &Kernel, uvm: &Uvm, arg: &[u8], user: &mut dyn UserMem) -> RmResult {
    let flags = crate::params::u32_at(arg, 4);
    if flags & !(vendor::UVM_TRACK_PLAIN | vendor::UVM_TRACK_AGENT | vendor::UVM_TRACK_COHERENT)
        != 0
    {
        return Err(Status::INVALID_ARGUMENT);
    }
    let mut fd = |at| user.take(crate::params::u32_at(arg, at).cast_signed());
    let program = if flags & vendor::UVM_TRACK_COHERENT != 0 {
        None
    } else {
        let faults = fd(0)?;
        let agent = flags & vendor::UVM_TRACK_AGENT != 0;
        Some((faults, agent.then(|| fd(8)).transpose()?))
    };
    let mut state = uvm.state();
    if !state.initialized
        || state.tracker.is_some()
        || !state.ranges.is_empty()
        || !state.spaces.is_empty()
    {
        return Err(Status::INVALID_STATE);
    }
    let memory = state.memory(kernel)?;
    let plain = flags & vendor::UVM_TRACK_PLAIN != 0;
    state.tracker = Some(Tracker::start(program, memory, plain)?);
    Ok(())
}

/// MM_INITIALIZE on a second file names the first.
fn mm_initialize(
    kernel: &Kernel,
    file: &Arc<OpenFile>,
    arg: &[u8],
    user: &mut dyn UserMem,
) -> RmResult {
    let fd = crate::params::u32_at(arg, 0).cast_signed();
    let first = kernel.caller_file(file, user, fd)?;
    let uvm = first.uvm.as_ref().ok_or(Status::INVALID_ARGUMENT)?;
    if first.id == file.id {
        return Err(Status::INVALID_ARGUMENT);
    }
    if !uvm.state().initialized {
        return Err(Status::ILLEGAL_ACTION);
    }
    let mut state = file.state();
    if state.uvm_of.is_some() {
        return Err(Status::INVALID_STATE);
    }
    state.uvm_of = Some(first.id);
    Ok(())
}

/// The file's address-shaped memfd.
///
/// # Errors
/// `EINVAL` on another node, `ENOMEM`.
pub fn memory(kernel: &Kernel, file: &OpenFile) -> Result<Arc<Memory>, Errno> {
    let uvm = file.uvm.as_ref().ok_or(Errno::INVAL)?;
    uvm.state().memory(kernel).map_err(|_| Errno::NOMEM)
}

/// `mmap` of the file: a managed range (offset = address), or a semaphore pool of that very extent.
///
/// # Errors
/// `EBADFD` before INITIALIZE, `EINVAL` as the driver refuses, `ENOMEM`.
pub fn map(
    kernel: &Kernel,
    file: &OpenFile,
    prot: u32,
    offset: u64,
    len: u64,
) -> Result<(Arc<Memory>, u64), Errno> {
    let uvm = file.uvm.as_ref().ok_or(Errno::INVAL)?;
    let mut state = uvm.state();
    if !state.initialized {
        return Err(Errno::BADFD);
    }
    if prot & 3 != 3 {
        return Err(Errno::INVAL);
    }
    check_range(offset, len).map_err(|_| Errno::INVAL)?;
    let memory = state.memory(kernel).map_err(|_| Errno::NOMEM)?;
    if let Some(range) = state.ranges.get(&offset)
        && range.len == len
        && matches!(range.kind, Kind::SemaphorePool(_))
    {
        return Ok((memory, offset));
    }
    if state.overlaps(offset, len) {
        return Err(Errno::INVAL);
    }
    let charge = Charge::take(&kernel.services.host, len).map_err(|_| Errno::NOMEM)?;
    let range = Range::managed(len, charge);
    state
        .insert(offset, range, &memory)
        .map_err(|_| Errno::NOMEM)?;
    Ok((memory, offset))
}

impl Uvm {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program unmapped managed memory: all managed ranges that lie within.
    ///
    /// # Errors
    /// [`Status::OBJECT_NOT_FOUND`] when there is none.
    pub fn unmapped(&self, va: u64, len: u64) -> RmResult {
        let mut state = self.state();
        let end = va.checked_add(len).ok_or(Status::INVALID_ADDRESS)?;
        let inside: Vec<u64> = state
            .ranges
            .range(va..end)
            .filter(|(base, r)| matches!(r.kind, Kind::Managed(_)) && **base + r.len <= end)
            .map(|(base, _)| *base)
            .collect();
        if inside.is_empty() {
            return Err(Status::OBJECT_NOT_FOUND);
        }
        for base in inside {
            state.remove(base);
        }
        Ok(())
    }

    /// Last close.
    pub fn close(&self) {
        let mut state = self.state();
        if let Some(tracker) = &state.tracker {
            tracker.stop();
        }
        for space in state.spaces.values() {
            space.last_words();
        }
        let bases: Vec<u64> = state.ranges.keys().copied().collect();
        for base in bases {
            state.remove_with(base, VaSpace::unmap_unheard);
        }
        if let Some(tracker) = &state.tracker {
            tracker.release();
        }
        state.spaces.clear();
        *state = State::default();
    }

    fn is_initialized(&self) -> bool {
        self.state().initialized
    }

    /// A tools file hears of what is moved from now on.
    fn listen(&self, tools: &Arc<OpenFile>) {
        let tracker = self.state().tracker.clone();
        if let Some(tracker) = tracker {
            tracker.listen(tools);
        }
    }

    /// Managed bytes that live on a GPU.
    #[must_use]
    pub fn resident_on(&self, gpu: u32) -> u64 {
        let tracker = self.state().tracker.clone();
        tracker.map_or(0, |tracker| tracker.resident_on(gpu))
    }

    /// Has managed memory leave a GPU: at least `bytes`, if that many are there. Returns how many left.
    #[must_use]
    pub fn reclaim(&self, gpu: u32, bytes: u64) -> u64 {
        let tracker = self.state().tracker.clone();
        tracker.map_or(0, |tracker| tracker.reclaim(gpu, bytes))
    }

    /// What managed memory did, if there was any.
    #[must_use]
    pub fn report(&self, owner: &crate::file::Owner, live: bool) -> Option<Report> {
        let (tracker, managed) = {
            let state = self.state();
            let managed = state.ranges.values();
            let managed = managed.filter(|r| matches!(r.kind, Kind::Managed(_)));
            (state.tracker.clone(), managed.map(|r| r.len).sum())
        };
        let tracked = tracker.as_ref().is_some_and(|t| !t.coherent);
        let (plain, counters, ranges, history) = tracker.map(|t| t.report()).unwrap_or_default();
        (managed != 0 || counters != Counters::default()).then(|| Report {
            pid: owner.pid,
            name: owner.name.clone(),
            live,
            tracked,
            plain,
            managed,
            counters,
            ranges,
            history,
        })
    }

    /// Ranges and their bytes, for reports.
    #[must_use]
    pub fn usage(&self) -> (usize, u64) {
        let state = self.state();
        let managed = state
            .ranges
            .values()
            .filter(|r| matches!(r.kind, Kind::Managed(_)));
        (state.ranges.len(), managed.map(|r| r.len).sum())
    }
}

impl State {
    /// The address-shaped memfd.
    fn memory(&mut self, kernel: &Kernel) -> RmResult<Arc<Memory>> {
        if let Some(memory) = &self.memory {
            return Ok(Arc::clone(memory));
        }
        let memory = Memory::sparse(ADDRESS_SPACE, &kernel.services.descriptors)?;
        self.memory = Some(Arc::clone(&memory));
        Ok(memory)
    }

    fn overlaps(&self, base: u64, len: u64) -> bool {
        let end = base.saturating_add(len);
        self.ranges
            .range(..end)
            .next_back()
            .is_some_and(|(b, r)| b + r.len > base)
    }

    /// Adds a range; one that lives in the address-shaped memfd is mapped into every registered space.
    fn insert(&mut self, base: u64, range: Range, memory: &Arc<Memory>) -> RmResult {
        if self.ranges.len() >= MAX_RANGES {
            return Err(Status::INSUFFICIENT_RESOURCES);
        }
        if range.is_own_memory() {
            let mut done: Vec<&Registered> = Vec::new();
            for space in self.spaces.values() {
                if let Err(status) = space.map(base, range.len, memory, base, true) {
                    for space in done {
                        // A space that does not answer is dead, and its mappings with it.
                        let _ = space.unmap(base);
                    }
                    return Err(status);
                }
                done.push(space);
            }
        }
        if let (Some(tracker), Kind::Managed(_)) = (&self.tracker, &range.kind)
            && tracker.coherent
        {
            // Where that fails the memory is the same, without faults.
            let _ = tracker.add_range(base, range.len);
        }
        self.ranges.insert(base, range);
        Ok(())
    }

    /// Removes a range with its mappings, and gives its pages back.
    fn remove(&mut self, base: u64) {
        // An unmapping fails only when the space is dead, and its mappings with it.
        self.remove_with(base, |space, va| {
            let _ = space.unmap(va);
        });
    }

    fn remove_with(&mut self, base: u64, unmap: impl Fn(&VaSpace, u64)) {
        let Some(range) = self.ranges.remove(&base) else {
            return;
        };
        if let (Some(tracker), Kind::Managed(_)) = (&self.tracker, &range.kind) {
            tracker.remove_range(base);
        }
        match &range.kind {
            Kind::Managed(_) | Kind::SemaphorePool(_) => {
                for space in self.spaces.values() {
                    unmap(space, base);
                }
                if let Some(memory) = &self.memory {
                    memory.punch(base, range.len);
                }
            }
            Kind::External(maps) => {
                for map in maps {
                    if let Some(space) = self.spaces.get(&map.gpu) {
                        unmap(space, map.base);
                    }
                }
            }
        }
    }

    /// The range that contains a span.
    fn range_of(&mut self, base: u64, len: u64) -> RmResult<(u64, &mut Range)> {
        let end = base.checked_add(len).ok_or(Status::INVALID_ADDRESS)?;
        self.ranges
            .range_mut(..=base)
            .next_back()
            .filter(|(b, r)| len != 0 && *b + r.len >= end)
            .map(|(b, r)| (*b, r))
            .ok_or(Status::INVALID_ADDRESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_commands_with_structs() {
        let sizes = abi::nv::sizes::Sizes::at(abi::nv::sizes::Version::DEFAULT);
        for row in ROWS {
            let command = nv::find(row.number).expect("command");
            let size = sizes.of(command.params);
            // Some structs are the same as another's (DISABLE_PEER_ACCESS, ...).
            assert!(size.is_some(), "{} has no size", command.params);
            let size = size.and_then(|s| usize::try_from(s).ok()).unwrap_or(0);
            let at = match row.status {
                Start(at) => at,
                End(back) => size - back,
                Preferred => 0x24,
            };
            assert!(at + 4 <= size, "{}", command.name);
        }
    }
}
