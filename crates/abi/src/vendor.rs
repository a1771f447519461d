//! Numbers of Antlerite's own, outside the ranges NVIDIA uses.

/// Control on a client object: whose kernel half is this? Parameters: [`IdentifyParams`]. NVIDIA's driver answers
/// `NV_ERR_NOT_SUPPORTED`. (Class 0x0000, category 0x7f, which NVIDIA's headers leave free.)
pub const CTRL_IDENTIFY: u32 = 0x0000_7f01;
/// Control on a client object: the error record of a channel that died. Parameters: [`FaultInfoParams`].
pub const CTRL_FAULT_INFO: u32 = 0x0000_7f02;

/// Command on `/dev/nvidia-uvm`, outside NVIDIA's numbers: the caller hands over the userfaultfd of its address space,
/// and managed memory made from now on is tracked. Parameters: [`UvmTrackParams`]. NVIDIA's driver answers `EINVAL`.
pub const UVM_TRACK: u32 = 0xb0;
/// [`UvmTrackParams::flags`]: each block moves when it is touched, and no other (no density prefetch, no pins).
pub const UVM_TRACK_PLAIN: u32 = 1;
/// [`UvmTrackParams::flags`]: [`UvmTrackParams::agent`] is there.
pub const UVM_TRACK_AGENT: u32 = 2;
/// [`UvmTrackParams::flags`]: memory stays coherent, and no descriptor is handed over; for the policy alone.
pub const UVM_TRACK_COHERENT: u32 = 4;

/// Parameters of [`UVM_TRACK`]: 16 bytes; `status` is out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct UvmTrackParams {
    /// The userfaultfd (in).
    pub fd: i32,
    /// `UVM_TRACK_*` (in).
    pub flags: u32,
    /// A socket of packets at whose other end a thread unmaps pages on request ([`crate::agent`]) (in). Without one, or
    /// where it does not answer, they are taken away by force, which takes longer.
    pub agent: i32,
    /// RM status.
    pub status: u32,
}

/// Control on a subdevice: what NVML reports of the board and NVIDIA's driver answers only by undocumented controls.
/// Parameters: [`BoardParams`], all out.
pub const CTRL_BOARD: u32 = 0x2080_7f01;

/// Control on a subdevice: reset the GPU, when no program has a context there. No parameters. NVIDIA's driver does it
/// by a control of its own that is not documented.
pub const CTRL_RESET: u32 = 0x2080_7f02;

/// Control on a subdevice: per-process accounting. Parameters: [`ACCOUNTING_BYTES`] bytes, as words: what
/// (`ACCOUNTING_*`), a value (mode, process, or how many), then the list of processes, or of one process: utilization in
/// percent, 0, and as 64 bits peak memory, time in ms, start in µs since 1970; whether it runs.
pub const CTRL_ACCOUNTING: u32 = 0x2080_7f03;
/// Bytes of the parameters of [`CTRL_ACCOUNTING`].
pub const ACCOUNTING_BYTES: usize = 8 + 4 * 4000;
/// Ask for the mode.
pub const ACCOUNTING_MODE: u32 = 0;
/// Set the mode.
pub const ACCOUNTING_SET: u32 = 1;
/// Forget who has ended.
pub const ACCOUNTING_CLEAR: u32 = 2;
/// List the processes.
pub const ACCOUNTING_PIDS: u32 = 3;
/// Ask for one process.
pub const ACCOUNTING_STATS: u32 = 4;

/// Control on a subdevice: NVLinks. Parameters: [`LinksParams`], all out. (NVIDIA's own control for it has another layout
/// in almost every driver version.)
pub const CTRL_LINKS: u32 = 0x2080_7f04;

/// Control on a subdevice: what each process had of the GPU since it was last asked for. Parameters: [`SHARES_BYTES`]
/// bytes: how many there are (u32), 0, and for each its process (u32), percent (u32) and when that was measured (u64, µs
/// since 1970).
pub const CTRL_SHARES: u32 = 0x2080_7f05;
/// Bytes of the parameters of [`CTRL_SHARES`].
pub const SHARES_BYTES: usize = 8 + 16 * 1024;

/// Parameters of [`CTRL_LINKS`]: 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LinksParams {
    /// Links of the chip.
    pub count: u32,
    /// How many of them are up: all, through switches, where another GPU is there, else none.
    pub active: u32,
    /// `nvmlNvlinkVersion_t`.
    pub version: u32,
    /// Speed of one, MB/s.
    pub mbps: u32,
}

/// Parameters of [`CTRL_BOARD`]: 20 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BoardParams {
    /// Power limit, mW.
    pub power_limit_mw: u32,
    /// SM clock now, MHz.
    pub sm_clock_mhz: u32,
    /// Highest SM clock, MHz.
    pub max_sm_clock_mhz: u32,
    /// Memory clock now, MHz.
    pub memory_clock_mhz: u32,
    /// Highest memory clock, MHz.
    pub max_memory_clock_mhz: u32,
}

/// Parameters of [`CTRL_IDENTIFY`]: 48 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct IdentifyParams {
    /// `b"antlerit"`.
    pub magic: [u8; 8],
    /// Version of the private protocol (usermode page, code contract): 1.
    pub protocol: u32,
    /// Number of GPUs.
    pub gpus: u32,
    /// Advertised driver version, NUL-padded.
    pub version: [u8; 32],
}

/// Parameters of [`CTRL_FAULT_INFO`]: in `channel`; the rest out. 88 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FaultInfoParams {
    /// RM handle of the channel (in).
    pub channel: u32,
    /// Xid, 0 when the channel is well.
    pub xid: u32,
    /// CUDA result code that fits (700, 716, 719, ...).
    pub cuda_result: u32,
    /// PTX line, 0 unknown.
    pub ptx_line: u32,
    /// Faulting address.
    pub address: u64,
    /// 0 read, 1 write, 2 atomic, 3 execute.
    pub access: u32,
    /// `%ctaid`.
    pub ctaid: [u32; 3],
    /// Warp in the CTA.
    pub warp: u32,
    /// Guilty lanes, 0 unknown.
    pub lanes: u32,
    /// Kernel name, NUL-padded, cut.
    pub kernel: [u8; 40],
}
