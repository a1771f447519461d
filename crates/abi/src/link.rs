//! Kernel half ↔ GPU process: messages on a `SOCK_SEQPACKET` pair, postcard-encoded, one message per packet, file
//! descriptors by `SCM_RIGHTS`. The kernel half treats everything it receives here as hostile.
//!
//! The GPU process (`antlerite-gpu --link FD`) serves one VA space. Requests carry a sequence number and are answered
//! in order by [`FromGpu::Done`]; the other messages come at any time.

use serde::{Deserialize, Serialize};

/// Largest packet, bytes.
pub const MAX_PACKET: usize = 64 * 1024;
/// The address window that the GPU process keeps for itself besides its image: stacks, shared windows, local memory.
/// The kernel half refuses client mappings inside.
pub const RESERVED: core::ops::Range<u64> = 0x6000_0000_0000..0x7000_0000_0000;
/// The low window: the process image, its heap and its threads' stacks. Refused likewise.
pub const IMAGE_WINDOW: core::ops::Range<u64> = 0x1000_0000..0x9000_0000;

/// A request with its sequence number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Echoed in [`FromGpu::Done`].
    pub seq: u64,
    /// What to do.
    pub body: ToGpu,
}

/// What the kernel half asks. `fds` names how many descriptors travel with the message, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToGpu {
    /// First message. The process enters its sandbox before it answers; its answer carries the userfaultfd of its
    /// address space, where the system gives one, and the sockets
    /// of its agent ([`crate::agent`]) and of its accesses to the program's memory ([`crate::host_memory`]).
    Start(Start),
    /// Map `len` bytes of the descriptor (1 fd) from `offset` at GPU address `va`. Replaces nothing: an overlap with a
    /// live mapping is an error.
    Map {
        /// GPU virtual address, 4 KiB aligned.
        va: u64,
        /// Bytes, multiple of 4 KiB.
        len: u64,
        /// Offset in the descriptor, bytes.
        offset: u64,
        /// Whether kernels may write.
        write: bool,
        /// Ask for huge pages after first touch.
        huge: bool,
    },
    /// Remove mappings of this span (whole mappings of ours).
    Unmap {
        /// GPU virtual address.
        va: u64,
        /// Bytes.
        len: u64,
    },
    /// A channel comes to life (2 or 3 fds: USERD memory, usermode page, error notifier if `notifier_offset` is some).
    ChannelAlloc(ChannelAlloc),
    /// A channel ends: its outstanding work is abandoned at the next safe point.
    ChannelFree {
        /// Channel id.
        chid: u32,
    },
    /// Let the channel run (or stop fetching).
    ChannelSchedule {
        /// Channel id.
        chid: u32,
        /// Run or stop.
        run: bool,
    },
    /// Bind an engine class to a channel (compute or copy); method headers of other classes fail with Xid 13/69.
    BindClass {
        /// Channel id.
        chid: u32,
        /// Class number, e.g. `HOPPER_COMPUTE_A`.
        class: u32,
    },
    /// Are you there, what are you doing: answered by [`FromGpu::Status`] and Done.
    Query,
    /// Stop all work of this VA space with the given Xid (used for resets, injection and timeouts).
    Kill {
        /// Xid to report.
        xid: u32,
    },
}

/// Parameters of [`ToGpu::Start`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// SM count of the profile (`%nsmid`).
    pub sm_count: u32,
    /// Worker threads to run blocks on; 0 = as many as CPUs.
    pub workers: u32,
    /// Compute capability, major × 10 + minor.
    pub cc: u32,
    /// Limit of resident threads per SM (2048 on GH100).
    pub threads_per_sm: u32,
    /// Reproducible schedule: one worker, blocks in order.
    pub deterministic: bool,
}

/// Parameters of [`ToGpu::ChannelAlloc`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelAlloc {
    /// Channel id, unique in this process.
    pub chid: u32,
    /// Channel class, e.g. `HOPPER_CHANNEL_GPFIFO_A`.
    pub class: u32,
    /// GPU address of the GPFIFO ring.
    pub gpfifo_va: u64,
    /// Entries of the ring (8 bytes each).
    pub gpfifo_entries: u32,
    /// Offset of this channel's USERD (512 bytes) in its descriptor.
    pub userd_offset: u64,
    /// Offset of the 16-byte error notifier in its descriptor.
    pub notifier_offset: Option<u64>,
    /// `NV2080` engine type (1 GR0, 9+ copy).
    pub engine: u32,
}

/// What the GPU process says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FromGpu {
    /// Answer to a request.
    Done {
        /// The request's number.
        seq: u64,
        /// Outcome.
        result: Result<(), LinkError>,
    },
    /// A channel (and with it the VA space's work) died. The error notifiers are already written.
    Fault(Fault),
    /// A non-stall interrupt: wake OS events of this channel.
    Interrupt {
        /// Channel id.
        chid: u32,
    },
    /// Answer to [`ToGpu::Query`].
    Status {
        /// Channels with unfinished work.
        busy_channels: u32,
        /// Name of a kernel that is running, if any.
        kernel: Option<String>,
        /// Nanoseconds of worker time spent in kernels since start.
        busy_ns: u64,
    },
    /// A line for the kernel log (rate limited by the receiver).
    Log(String),
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkError {
    /// Address range not aligned, empty, or outside what a client may use.
    BadRange,
    /// The range is taken.
    InUse,
    /// No such channel or mapping.
    NotFound,
    /// `mmap` and the like failed with this errno.
    Os(i32),
    /// Limit reached (channels, mappings).
    Limit,
    /// The message makes no sense at this point.
    BadState,
}

/// A fault, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Channel id.
    pub chid: u32,
    /// Xid: 31 MMU fault, 13 graphics engine exception, 32 bad pushbuffer, 43 stopped, ...
    pub xid: u32,
    /// CUDA result that fits.
    pub cuda_result: u32,
    /// Address used, 0 when it does not apply.
    pub address: u64,
    /// What was tried.
    pub access: Access,
    /// What kind of fault.
    pub kind: FaultKind,
    /// Kernel name, empty if not in a kernel.
    pub kernel: String,
    /// `%ctaid` of the faulting CTA.
    pub ctaid: [u32; 3],
    /// Warp in the CTA.
    pub warp: u32,
    /// Guilty lanes, 0 unknown.
    pub lanes: u32,
    /// PTX line, 0 unknown.
    pub ptx_line: u32,
    /// Source file and line where known.
    pub source: Option<(String, u32)>,
    /// Free text (bad method number, reason of refusal, ...).
    pub detail: String,
}

/// Access kinds of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// Load.
    Read,
    /// Store.
    Write,
    /// Atomic.
    Atomic,
    /// Instruction fetch.
    Execute,
    /// Not an access.
    None,
}

/// Fault kinds; names follow NVIDIA's where one exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultKind {
    /// FAULT_PDE / FAULT_PTE: nothing is mapped there.
    Unmapped,
    /// FAULT_RO_VIOLATION: mapped read-only.
    ReadOnly,
    /// The code trapped: one of `sm::trap`.
    Trap(u32),
    /// Program address does not hold code of our contract, or the host lacks its ISA.
    BadProgram,
    /// Illegal or unknown method, class or pushbuffer header.
    BadMethod,
    /// Killed on request.
    Killed,
    /// The GPU process's own fault (a bug): never reported as 700.
    Internal,
}
