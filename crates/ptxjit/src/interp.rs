//! The interpreter: runs a kernel of the IR, thread by thread, exactly. It is the oracle of instruction tests.
//!
//! Threads are scheduled one by one with independent progress. A warp operation waits until its members have come to
//! it; a barrier until its threads have. Pure operations are [`crate::ir::fold`]. Memory is what the caller gives.

mod cta;
mod memory;
mod thread;
mod warp;

use crate::ir::Module;
use cta::Cta;

/// First generic address of the shared window. Nothing outside the interpreter lies there.
const SHARED_BASE: u64 = 0x7e00_0000_0000;
/// First generic address of the local window (the same for all threads).
const LOCAL_BASE: u64 = 0x7e80_0000_0000;
/// First generic address of the parameter window.
const PARAM_BASE: u64 = 0x7f00_0000_0000;
/// Bytes of each window.
const WINDOW: u64 = 1 << 32;

/// Global memory as the interpreter sees it.
pub trait Memory {
    /// Reads; false if an address is not mapped.
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool;
    /// Writes; false if an address is not mapped or read-only.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;
    /// Device `malloc`; 0 if there is no room.
    fn alloc(&mut self, bytes: u64) -> u64 {
        let _ = bytes;
        0
    }
    /// Device `free`.
    fn free(&mut self, address: u64) {
        let _ = address;
    }
}

/// What to run.
pub struct Launch<'a> {
    /// The kernel and what it calls.
    pub module: &'a Module,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Parameter block.
    pub params: &'a [u8],
    /// Dynamic shared memory, bytes.
    pub dynamic_shared: u32,
    /// Addresses of variables by [`crate::ir::Symbol`].
    pub symbols: &'a [u64],
    /// Instructions that all threads together may execute.
    pub fuel: u64,
}

impl Launch<'_> {
    /// `%total_smem_size`, bytes.
    fn total_shared(&self) -> u32 {
        self.module.info.shared_bytes + self.dynamic_shared
    }

    /// Shared address of the reserved shared memory.
    fn reserved_shared(&self) -> u32 {
        abi::sm::reserved_shared_offset(self.total_shared())
    }
}

/// A call of `vprintf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printf {
    /// The format, without its NUL.
    pub format: Vec<u8>,
    /// Generic address of the packed arguments' copy: the bytes read from there, 8 per conversion in the format.
    pub args: Vec<u8>,
}

/// What a run has left besides memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Calls of `vprintf` in order.
    pub printf: Vec<Printf>,
    /// Instructions executed.
    pub instructions: u64,
}

/// Why a run has stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at PTX line {line}, block {block:?}, thread {thread}")]
pub struct Stop {
    /// What happened.
    pub kind: StopKind,
    /// PTX line, 0 unknown.
    pub line: u32,
    /// Block.
    pub block: [u32; 3],
    /// Linear thread in the block.
    pub thread: u32,
}

/// Kinds of [`Stop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopKind {
    /// `trap`
    #[error("trap")]
    Trap,
    /// `brkpt`
    #[error("breakpoint")]
    Breakpoint,
    /// A call through an address that is no function's.
    #[error("invalid program counter")]
    InvalidPc,
    /// An address that is not a multiple of the access.
    #[error("misaligned address {0:#x}")]
    Misaligned(u64),
    /// An address outside its window or outside memory.
    #[error("illegal address {0:#x}")]
    Illegal(u64),
    /// Failed assertion.
    #[error("assertion failed")]
    Assert,
    /// Too deep recursion or too large a frame.
    #[error("stack overflow")]
    StackOverflow,
    /// A function of the device runtime: there is only one grid here.
    #[error("device runtime")]
    DeviceRuntime,
    /// No thread can go on.
    #[error("deadlock")]
    Deadlock,
    /// The fuel is spent.
    #[error("out of fuel")]
    Fuel,
    /// A place that the compiler promised not to be reached.
    #[error("unreachable code reached")]
    Unreachable,
}

/// Instructions that a block may take before the next one is started beside it.
const SLICE: u64 = 1 << 20;

/// Runs a kernel to its end.
///
/// # Errors
/// [`Stop`]: why it has stopped early. Memory is as it was then.
pub fn run(launch: &Launch<'_>, memory: &mut dyn Memory) -> Result<Outcome, Stop> {
    let mut outcome = Outcome::default();
    let [gx, gy, gz] = launch.grid.map(u64::from);
    let mut next = 0;
    let mut running: Vec<Cta<'_>> = Vec::new();
    loop {
        if next < gx * gy * gz {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "each part is below its grid dimension"
            )]
            let index = [
                (next % gx) as u32,
                (next / gx % gy) as u32,
                (next / (gx * gy)) as u32,
            ];
            running.push(Cta::new(launch, index)?);
            next += 1;
        } else if running.is_empty() {
            return Ok(outcome);
        }
        let waiting = next < gx * gy * gz;
        let mut still = Vec::with_capacity(running.len());
        for mut cta in running {
            if !cta.run(SLICE, memory, &mut outcome)? {
                still.push(cta);
            }
        }
        running = still;
        if outcome.instructions > launch.fuel {
            let block = running.first().map_or([0; 3], |cta| cta.index);
            return Err(Stop {
                kind: StopKind::Fuel,
                line: 0,
                block,
                thread: 0,
            });
        }
        if !waiting && running.is_empty() {
            return Ok(outcome);
        }
    }
}
