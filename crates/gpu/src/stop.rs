//! After code was stopped: from raw facts to a fault record.

use crate::access;
use crate::fault::{self, cuda, xid};
use crate::machine::Machine;
use crate::seat::{RawFault, Seat};
use crate::sm::cta::Cta;
use crate::sm::fiber::status;
use crate::sm::memory::{is_local, is_shared};
use crate::sm::scheduler::Grid;
use crate::window;
use crate::x86;
use abi::link::{Access, Fault, FaultKind};
use abi::sm::trap;
use core::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// CTAs whose warps wait for ever. Kept, because their context is what a debugger would look at, and because their
/// stacks must not be used again before the context dies.
#[expect(
    clippy::vec_box,
    reason = "a CTA must not move: its code holds its address"
)]
static STUCK: Mutex<Vec<Box<Cta>>> = Mutex::new(Vec::new());

/// Puts a CTA aside that will never go on.
pub fn keep_stuck(cta: Box<Cta>) {
    STUCK
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(cta);
}

/// The CTA's code was stopped with `why` (one of [`status`]): reports it.
pub fn stopped(machine: &Machine, seat: &Seat, cta: &mut Cta, why: u64) {
    let Some(task) = cta.task.clone() else { return };
    let Some(grid) = task.grid() else { return };
    if task.core().gone.load(Ordering::SeqCst) {
        // Freed meanwhile, and perhaps its memory with it.
        return;
    }
    let chid = task.core().chid;
    let base = Fault {
        kernel: grid.program.name(),
        ctaid: cta.ctx.ctaid,
        warp: cta.current,
        ..fault::blank(
            chid,
            xid::GRAPHICS,
            cuda::LAUNCH_FAILED,
            FaultKind::Internal,
            String::new(),
        )
    };
    match why {
        status::TRAPPED => {
            let Some(t) = cta.trap.take() else { return };
            machine.die(Fault {
                cuda_result: fault::trap_result(t.kind),
                kind: FaultKind::Trap(t.kind),
                address: t.address,
                access: Access::None,
                warp: t.warp,
                lanes: t.lanes,
                ptx_line: t.line,
                source: source_of_line(grid, t.line),
                ..base
            });
        }
        status::FAULTED => {
            // SAFETY: written by this worker's handler before it landed here.
            let raw = unsafe { *seat.raw.get() };
            if raw.signal == libc::SIGUSR1 {
                return;
            }
            machine.die(describe(machine, grid, cta, &raw, base));
        }
        // Told to stop: whoever said so has reported it.
        _ => {}
    }
}

/// Source position of the first row with this PTX line.
fn source_of_line(grid: &Grid, line: u32) -> Option<(String, u32)> {
    let row = grid.program.row_of_line(line)?;
    let file = grid.program.string(row.source_file)?;
    (row.source_line != 0).then_some((file, row.source_line))
}

/// The return address of the function that was stopped, if it keeps a frame pointer.
fn return_address(raw: &RawFault) -> Option<u64> {
    let frame = raw.gpr[x86::RBP];
    if !window::STACKS.contains(&frame) {
        return Some(raw.back);
    }
    let mut back = [0; 8];
    // A warp's stack is as it was.
    access::read_as_kernel(frame + 8, &mut back).ok()?;
    Some(u64::from_le_bytes(back))
}

fn describe(machine: &Machine, grid: &Grid, cta: &Cta, raw: &RawFault, base: Fault) -> Fault {
    let code = grid.code_at(raw.pc);
    let inside = code.text().contains(&raw.pc);
    let row = inside.then(|| code.line(raw.pc, || return_address(raw)));
    let row = row.flatten();
    let source = row
        .filter(|r| r.source_line != 0)
        .and_then(|r| Some((code.string(r.source_file)?, r.source_line)));
    let base = Fault {
        ptx_line: row.map_or(0, |r| r.ptx_line),
        source,
        ..base
    };
    let trapped = |kind: u32, address: u64, access: Access, detail: &str| Fault {
        kind: FaultKind::Trap(kind),
        cuda_result: fault::trap_result(kind),
        address,
        access,
        detail: detail.to_string(),
        ..base.clone()
    };
    match raw.signal {
        libc::SIGILL => trapped(
            trap::ILLEGAL_INSTRUCTION,
            raw.pc,
            Access::Execute,
            "illegal host instruction",
        ),
        libc::SIGFPE => trapped(
            trap::TRAP,
            raw.pc,
            Access::None,
            "arithmetic exception of the host",
        ),
        libc::SIGTRAP => trapped(trap::BREAKPOINT, raw.pc, Access::None, "breakpoint"),
        libc::SIGSYS => trapped(
            trap::ILLEGAL_INSTRUCTION,
            raw.pc,
            Access::None,
            &format!(
                "system call {} made by kernel code was stopped",
                raw.address
            ),
        ),
        _ => memory(machine, cta, raw, row.map_or(0, |r| r.access), base),
    }
}

fn memory(machine: &Machine, cta: &Cta, raw: &RawFault, row_access: u8, base: Fault) -> Fault {
    const WRITE: u64 = 2;
    const FETCH: u64 = 16;
    /// `T_GP`: general protection, for addresses that are not canonical (and some misaligned vector accesses).
    const GENERAL_PROTECTION: u64 = 13;
    let mut address = raw.address;
    let protection = raw.trap == GENERAL_PROTECTION;
    if protection {
        address = x86::effective_address(raw).unwrap_or(0);
    }
    let access = match row_access {
        3 => Access::Atomic,
        1 if protection => Access::Read,
        2 if protection => Access::Write,
        _ if raw.error & FETCH != 0 => Access::Execute,
        _ if raw.error & WRITE != 0 => Access::Write,
        _ => Access::Read,
    };
    let trapped = |kind: u32, access: Access, detail: &str| Fault {
        kind: FaultKind::Trap(kind),
        cuda_result: fault::trap_result(kind),
        address,
        access,
        detail: detail.to_string(),
        ..base.clone()
    };
    if access == Access::Execute {
        return trapped(trap::INVALID_PC, access, "jump to an address without code");
    }
    if protection && address != 0 && address < window::TOP {
        return trapped(trap::MISALIGNED, access, "misaligned vector access");
    }
    if is_shared(address) {
        return Fault {
            address: address.wrapping_sub(cta.ctx.shared as u64),
            ..trapped(
                trap::OUT_OF_RANGE,
                access,
                "shared memory address out of range",
            )
        };
    }
    if is_local(address) {
        return trapped(
            trap::OUT_OF_RANGE,
            access,
            "local memory address out of range",
        );
    }
    if window::STACKS.contains(&address) {
        return trapped(trap::STACK_OVERFLOW, access, "stack overflow");
    }
    let read_only =
        access != Access::Read && machine.mapping(address).is_some_and(|(_, m)| !m.write);
    Fault {
        xid: xid::MMU,
        cuda_result: cuda::ILLEGAL_ADDRESS,
        kind: if read_only {
            FaultKind::ReadOnly
        } else {
            FaultKind::Unmapped
        },
        address,
        access,
        ..base
    }
}
