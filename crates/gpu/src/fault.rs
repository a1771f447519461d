//! What goes wrong, as data, before it becomes a [`abi::link::Fault`].

use crate::access::AccessFault;
use abi::link::{Access, Fault, FaultKind};
use abi::sm::trap;

/// Xid numbers used here (public catalogue, `nv-abi` facts §8.1).
pub mod xid {
    /// Graphics engine exception.
    pub const GRAPHICS: u32 = 13;
    /// MMU fault.
    pub const MMU: u32 = 31;
    /// Invalid or corrupted pushbuffer.
    pub const PBDMA: u32 = 32;
    /// Stopped on request.
    pub const STOPPED: u32 = 43;
    /// Class error: a method or class that the engine does not take.
    pub const CLASS: u32 = 69;
}

/// CUDA results used here (CUDA Driver API, `CUresult`).
pub mod cuda {
    /// `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub const ILLEGAL_ADDRESS: u32 = 700;
    /// `CUDA_ERROR_ASSERT`.
    pub const ASSERT: u32 = 710;
    /// `CUDA_ERROR_ILLEGAL_INSTRUCTION`.
    pub const ILLEGAL_INSTRUCTION: u32 = 715;
    /// `CUDA_ERROR_MISALIGNED_ADDRESS`.
    pub const MISALIGNED: u32 = 716;
    /// `CUDA_ERROR_INVALID_ADDRESS_SPACE`.
    pub const ADDRESS_SPACE: u32 = 717;
    /// `CUDA_ERROR_INVALID_PC`.
    pub const INVALID_PC: u32 = 718;
    /// `CUDA_ERROR_LAUNCH_FAILED`.
    pub const LAUNCH_FAILED: u32 = 719;
    /// `CUDA_ERROR_UNKNOWN`.
    pub const UNKNOWN: u32 = 999;
}

/// CUDA result of a trap kind (documented at [`abi::sm::trap`]).
#[must_use]
pub fn trap_result(kind: u32) -> u32 {
    match kind {
        trap::MISALIGNED => cuda::MISALIGNED,
        trap::OUT_OF_RANGE => cuda::ILLEGAL_ADDRESS,
        trap::ASSERT => cuda::ASSERT,
        trap::INVALID_PC => cuda::INVALID_PC,
        trap::ILLEGAL_INSTRUCTION => cuda::ILLEGAL_INSTRUCTION,
        trap::ADDRESS_SPACE => cuda::ADDRESS_SPACE,
        // TRAP, STACK_OVERFLOW, BREAKPOINT without a debugger, and numbers that no code of ours uses.
        _ => cuda::LAUNCH_FAILED,
    }
}

/// A fault with nothing known about where.
#[must_use]
pub fn blank(chid: u32, xid: u32, cuda_result: u32, kind: FaultKind, detail: String) -> Fault {
    Fault {
        chid,
        xid,
        cuda_result,
        address: 0,
        access: Access::None,
        kind,
        kernel: String::new(),
        ctaid: [0; 3],
        warp: 0,
        lanes: 0,
        ptx_line: 0,
        source: None,
        detail,
    }
}

/// A reason to stop, found by the engine while it serves a channel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Client memory was not there.
    #[error("{engine}: {fault}")]
    Memory {
        /// Which engine looked: `host`, `copy engine`, ...
        engine: &'static str,
        /// Where.
        fault: AccessFault,
    },
    /// GPFIFO entry or pushbuffer header.
    #[error("pushbuffer: {0}")]
    Pushbuffer(String),
    /// A method or class that is unknown, unsupported or has bad data.
    #[error("class {class:#06x} method {method:#06x} data {data:#010x}: {reason}")]
    Method {
        /// Class on the subchannel (the channel's own for host methods).
        class: u32,
        /// Byte offset.
        method: u32,
        /// Data.
        data: u32,
        /// Why.
        reason: String,
    },
    /// The program address holds no code that can run here.
    #[error("program at {address:#x}: {reason}")]
    Program {
        /// Where.
        address: u64,
        /// Why.
        reason: String,
    },
}

impl Refusal {
    /// As a fault of channel `chid`.
    #[must_use]
    pub fn into_fault(self, chid: u32) -> Fault {
        let detail = self.to_string();
        match self {
            Refusal::Memory { fault, .. } => Fault {
                address: fault.address,
                access: if fault.write {
                    Access::Write
                } else {
                    Access::Read
                },
                ..blank(
                    chid,
                    xid::MMU,
                    cuda::ILLEGAL_ADDRESS,
                    FaultKind::Unmapped,
                    detail,
                )
            },
            Refusal::Pushbuffer(_) => blank(
                chid,
                xid::PBDMA,
                cuda::LAUNCH_FAILED,
                FaultKind::BadMethod,
                detail,
            ),
            Refusal::Method { .. } => blank(
                chid,
                xid::CLASS,
                cuda::LAUNCH_FAILED,
                FaultKind::BadMethod,
                detail,
            ),
            Refusal::Program { address, .. } => Fault {
                address,
                ..blank(
                    chid,
                    xid::GRAPHICS,
                    cuda::ILLEGAL_INSTRUCTION,
                    FaultKind::BadProgram,
                    detail,
                )
            },
        }
    }
}

/// For `map_err`: a fault of the named engine.
pub fn by(engine: &'static str) -> impl Fn(AccessFault) -> Refusal {
    move |fault| Refusal::Memory { engine, fault }
}
