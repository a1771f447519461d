//! Signal handlers: faults of kernel code become records, faults of the engine at client memory become results,
//! anything else is our own bug and ends the process with an `Internal` fault.

use crate::access;
use crate::fault::{self, cuda, xid};
use crate::machine::Machine;
use crate::seat::{self, RawFault, Seat};
use crate::shared_map::{map_anonymous, take_addresses};
use crate::sm::fiber::{landing, status};
use crate::sm::services::must_stop;
use crate::window::STACKS;
use crate::x86;
use abi::link::{Access, Fault, FaultKind};
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Alternate stack of each thread: room for the widest register state and the handler.
const ALTERNATE: u64 = 128 << 10;
/// Exit code of the process after an internal fault.
const EXIT_INTERNAL: i32 = 70;

static MACHINE: AtomicPtr<Machine> = AtomicPtr::new(core::ptr::null_mut());
static OWN_START: AtomicU64 = AtomicU64::new(0);
static OWN_END: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" {
    static __executable_start: u8;
    static etext: u8;
}

/// Addresses of the process's own code (in the static build: all of it, libc included).
#[must_use]
pub fn own_text() -> core::ops::Range<u64> {
    &raw const __executable_start as u64..&raw const etext as u64
}

/// Gives the calling thread an alternate signal stack from our own window.
pub fn own_stack() {
    let Ok(at) = take_addresses(ALTERNATE) else {
        return;
    };
    if map_anonymous(at, ALTERNATE).is_err() {
        return;
    }
    let stack = libc::stack_t {
        ss_sp: at as *mut libc::c_void,
        ss_flags: 0,
        ss_size: ALTERNATE as usize,
    };
    // SAFETY: the stack is ours and mapped.
    unsafe { libc::sigaltstack(&raw const stack, core::ptr::null_mut()) };
}

/// Installs the handlers for the engine's faults only (before there is a machine, and in tests).
pub fn install() {
    let own = own_text();
    OWN_START.store(own.start, Ordering::Relaxed);
    OWN_END.store(own.end, Ordering::Relaxed);
    for signal in [
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGSYS,
        libc::SIGUSR1,
    ] {
        // SAFETY: a zeroed sigaction is valid; the handler is async-signal-safe (see `handle`).
        unsafe {
            let mut action: libc::sigaction = core::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(signal, &raw const action, core::ptr::null_mut());
        }
    }
}

/// Tells the handlers which machine to report to.
pub fn serve(machine: &'static Machine) {
    MACHINE.store(core::ptr::from_ref(machine).cast_mut(), Ordering::Release);
}

const REGISTERS: [i32; 16] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
];

/// `siginfo_t` of SIGSYS: call address, then the system call's number.
#[repr(C)]
struct SysInfo {
    head: [i32; 4],
    call: u64,
    number: i32,
}

extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo and ucontext to an SA_SIGINFO handler.
    let (info, context) = unsafe { (&*info, &mut *context.cast::<libc::ucontext_t>()) };
    let gregs = &mut context.uc_mcontext.gregs;
    #[expect(
        clippy::cast_sign_loss,
        reason = "register indices are small constants"
    )]
    let get = |gregs: &[i64; 23], r: i32| gregs[r as usize].cast_unsigned();
    let pc = get(gregs, libc::REG_RIP);
    let error = get(gregs, libc::REG_ERR);
    // SAFETY: SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGTRAP carry an address; for others the field is some other number.
    let mut address = unsafe { info.si_addr() } as u64;
    if signal == libc::SIGSYS {
        // SAFETY: for SIGSYS the siginfo has this layout (sigaction(2), si_call_addr and si_syscall).
        let sys = unsafe { &*core::ptr::from_ref(info).cast::<SysInfo>() };
        address = u64::from(sys.number.cast_unsigned());
    }
    if matches!(signal, libc::SIGSEGV | libc::SIGBUS)
        && let Some(resume) = access::fixup(pc)
    {
        // The engine at client memory: make its routine return a fault.
        gregs[libc::REG_RIP as usize] = resume.cast_signed();
        gregs[libc::REG_RAX as usize] = if error & 2 != 0 { 3 } else { 1 };
        gregs[libc::REG_RDX as usize] = address.cast_signed();
        return;
    }
    let own = OWN_START.load(Ordering::Relaxed)..OWN_END.load(Ordering::Relaxed);
    if let Some(seat) = seat::mine()
        && seat.in_kernel.load(Ordering::Relaxed)
    {
        let text = seat.text_start.load(Ordering::Relaxed)..seat.text_end.load(Ordering::Relaxed);
        if signal == libc::SIGUSR1 {
            if text.contains(&pc) && must_stop(seat) {
                land(
                    seat,
                    gregs,
                    RawFault {
                        signal,
                        pc,
                        ..RawFault::default()
                    },
                );
            }
            return;
        }
        if text.contains(&pc) || !own.contains(&pc) {
            let mut gpr = [0; 16];
            for (slot, r) in gpr.iter_mut().zip(REGISTERS) {
                *slot = get(gregs, r);
            }
            let raw = RawFault {
                signal,
                code: info.si_code,
                address,
                error,
                trap: get(gregs, libc::REG_TRAPNO),
                gpr,
                pc,
                back: return_address(seat, &gpr),
            };
            land(seat, gregs, raw);
            return;
        }
    }
    if signal == libc::SIGUSR1 {
        return;
    }
    internal(pc, address, signal);
}

/// The word above the frame pointer, if it is between the stack pointer and where the scheduler left its stack.
fn return_address(seat: &Seat, gpr: &[u64; 16]) -> u64 {
    /// No frames of an image take more.
    const MOST: u64 = 16 << 20;
    let (sp, frame) = (gpr[x86::RSP], gpr[x86::RBP]);
    let end = seat.landing_sp.load(Ordering::Relaxed);
    let on_stack = sp <= frame
        && frame.is_multiple_of(8)
        && frame.checked_add(16).is_some_and(|past| past <= end)
        && end - sp < MOST;
    if !on_stack || STACKS.contains(&sp) {
        return 0;
    }
    // SAFETY: an aligned word of the stack that this thread runs on.
    unsafe { *((frame + 8) as *const u64) }
}

/// Continues at the landing pad, on the scheduler's stack, as if the code had left by itself.
fn land(seat: &Seat, gregs: &mut [i64; 23], raw: RawFault) {
    /// Direction flag and trap flag.
    const DF_TF: i64 = 0x500;
    // SAFETY: only this thread touches it, and it is in this handler.
    unsafe { *seat.raw.get() = raw };
    gregs[libc::REG_RIP as usize] = landing().cast_signed();
    gregs[libc::REG_RSP as usize] = seat.landing_sp.load(Ordering::Relaxed).cast_signed();
    gregs[libc::REG_RAX as usize] = status::FAULTED.cast_signed();
    gregs[libc::REG_EFL as usize] &= !DF_TF;
}

/// Our own bug, or memory of ours that a wild kernel spoiled: report it as that and end.
fn internal(pc: u64, address: u64, signal: i32) -> ! {
    let machine = MACHINE.load(Ordering::Acquire);
    // SAFETY: null or a 'static machine.
    if let Some(machine) = unsafe { machine.as_ref() } {
        let blank = fault::blank(
            0,
            xid::GRAPHICS,
            cuda::UNKNOWN,
            FaultKind::Internal,
            String::new(),
        );
        machine.die_from_handler(Fault {
            address,
            access: Access::None,
            lanes: signal.cast_unsigned(),
            ptx_line: (pc & 0xffff_ffff) as u32,
            ..blank
        });
    } else {
        let text = b"antlerite-gpu: fault before the machine was up\n";
        // SAFETY: a plain write of a static text.
        unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
    }
    // SAFETY: ends the process.
    unsafe { libc::_exit(EXIT_INTERNAL) }
}
